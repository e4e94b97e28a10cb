"""A key or value at a rounding tie may become either half; nothing else is forgiven for it."""

from __future__ import annotations

from functools import lru_cache

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from kernel_cases import operands, route, work_item

from boltbeam import registry
from boltbeam.emit import half_ties, launches, reference
from boltbeam.emit.core import Target
from boltbeam.proof import compare_outputs, sample_data, verify
from boltbeam.proof.compare_outputs import Agreement, Mismatch
from boltbeam.types import ChipFacts, Geometry, WorkItem

Arrays = dict[str, np.ndarray]
SPAN = "rope_store+attention"
POS, DIM = 1, 5
"""Where the tie is put: position, and dimension of the first k head."""
LATER = "attention+o+norm+gate_up+down"


def tie() -> tuple[np.ndarray, np.ndarray]:
    """float32 (x, y), (cos, sin) whose x cos - y sin rounds to another half than in float64."""
    rng = np.random.default_rng(0)
    x, y, angle = (rng.uniform(0.3, 1.4, 1 << 20) for _ in range(3))
    y = -y
    x, y, cos, sin = (a.astype("f4") for a in (x, y, np.cos(angle), np.sin(angle)))
    single = (x * cos - y * sin).astype("f2")
    double = (np.float64(x) * cos - np.float64(y) * sin).astype("f2")
    at = int(np.flatnonzero((single != double) & (single > 1) & (single < 1.1))[0])
    return np.array([x[at], y[at]]), np.array([cos[at], sin[at]])


def arrays_with_a_tie(work: WorkItem) -> Arrays:
    """A tie at DIM of k head 0; the key before it is equal, so each has half the weight."""
    given = operands(work, np.random.default_rng(2), POS)
    pair, turn = tie()
    half = work.rope_dim // 2
    heads = given["qkv"].reshape(-1, work.head_dim)
    heads[work.heads, [DIM, DIM + half]] = pair
    given["rope"].reshape(work.context, -1)[POS, [DIM, DIM + half]] = turn
    heads[0] *= 0.1
    heads[0, DIM], heads[0, DIM + half] = 20 * turn[0], -20 * turn[1]
    new = reference.run(work.model_copy(update={"op": "rope_store"}), given)[0]["cache"]
    keys = given["cache"].reshape(2, -1, work.context, work.head_dim)[0]
    keys[:, 0] = new.reshape(2, -1, work.context, work.head_dim)[0, :, POS]
    return {n: a for n, a in given.items() if not n.endswith((".q8", ".d", ".s16"))}


def place(work: WorkItem, head: int = 0, dim: int = DIM, side: int = 0) -> int:
    return int(((side * work.kv_heads + head) * work.context + POS) * work.head_dim + dim)


def kernel(work: WorkItem, a: Arrays, wrong: dict[int, float] | None = None) -> Arrays:
    """The span as a float32 kernel does it; `wrong` keys of k are replaced before they are used."""
    w, half = work, work.rope_dim // 2
    heads = a["qkv"].reshape(-1, w.head_dim)
    cos, sin = a["rope"].reshape(w.context, 2, half)[POS]
    x, y = heads[: w.heads + w.kv_heads, :half], heads[: w.heads + w.kv_heads, half:]
    turned = np.concatenate([x * cos - y * sin, y * cos + x * sin], axis=1)
    cache = a["cache"].copy().reshape(2, w.kv_heads, w.context, w.head_dim)
    cache[0, :, POS] = turned[w.heads :]
    cache[1, :, POS] = heads[w.heads + w.kv_heads :]
    for at, value in (wrong or {}).items():
        cache.reshape(-1)[at] = value
    q = turned[: w.heads].reshape(-1)
    return {"q": q, "cache": cache.reshape(-1)} | attended(work, a, q, cache)


def attended(work: WorkItem, a: Arrays, q: np.ndarray, cache: np.ndarray) -> Arrays:
    after = work.model_copy(update={"op": "attention"})
    values, _ = reference.run(after, {**a, "q": q, "cache": cache.reshape(-1)})
    return {"att.f32": values["att.f32"].astype("f4")}


def share(got: Arrays, expected: compare_outputs.Expected) -> Agreement | Mismatch:
    live = {n: v for n, v in got.items() if n != "cache"}
    at = ~np.isnan(expected[0]["cache"])
    ends = {n: expected[0][n][at] for n in ("cache", "cache.low", "cache.high")}
    found = compare_outputs.compare({"cache": got["cache"][at]}, (ends, {}), 1e-5)
    if isinstance(found, Mismatch):
        inside = int(found.where[6:-1])
        return Mismatch(found.reason, f"cache[{int(np.flatnonzero(at)[inside])}]", found.ratio)
    return compare_outputs.compare(live, expected, 1e-5)


def test_a_right_kernel_may_take_the_other_half() -> None:
    work = work_item(SPAN)
    a = arrays_with_a_tie(work)
    values, sizes = reference.run(work, a)
    got = kernel(work, a)
    at = place(work)
    assert got["cache"][at] != values["cache"][at]
    assert {values["cache.low"][at], values["cache.high"][at]} == {
        got["cache"][at],
        values["cache"][at],
    }
    plain = attended(work, a, values["q"], values["cache"])["att.f32"]
    off = np.abs(got["att.f32"] - plain)
    bound = reference.run(
        work.model_copy(update={"op": "attention"}),
        {**a, "q": values["q"], "cache": values["cache"]},
    )[1]
    assert (off / (1e-5 * bound["att.f32"])).max() > 1.2  # what was called wrong
    found = share(got, (values, sizes))
    assert isinstance(found, Agreement) and found.worst <= 1


def test_few_elements_stand_at_a_tie() -> None:
    work = work_item(SPAN)
    values, _ = reference.run(work, arrays_with_a_tie(work))
    tied = np.flatnonzero(values["cache.low"] < values["cache.high"])
    assert place(work) in tied and tied.size <= 3


@pytest.mark.parametrize("side", [0, 1])
@pytest.mark.parametrize("step", [np.inf, -np.inf])
def test_one_unit_off_elsewhere_is_wrong(side: int, step: float) -> None:
    work = work_item(SPAN)
    a = arrays_with_a_tie(work)
    expected = reference.run(work, a)
    values = expected[0]
    for head in range(work.kv_heads):
        for dim in range(work.head_dim):
            at = place(work, head, dim, side)
            if values["cache.low"][at] != values["cache.high"][at]:
                continue
            got = kernel(work, a)
            got["cache"][at] = np.nextafter(got["cache"][at], np.float16(step))
            assert share(got, expected) == Mismatch("error-bound", f"cache[{at}]", 2.0)


def test_a_third_half_at_the_tie_is_wrong() -> None:
    work = work_item(SPAN)
    a = arrays_with_a_tie(work)
    expected = reference.run(work, a)
    at = place(work)
    for end, step in (("cache.low", -np.inf), ("cache.high", np.inf)):
        got = kernel(work, a)
        got["cache"][at] = np.nextafter(expected[0][end][at], np.float16(step))
        assert share(got, expected) == Mismatch("error-bound", f"cache[{at}]", 2.0)


def test_older_positions_stay_as_they_are() -> None:
    work = work_item(SPAN)
    a = arrays_with_a_tie(work)
    got = kernel(work, a)
    at = place(work) - work.head_dim
    got["cache"][at] = np.nextafter(got["cache"][at], np.float16(np.inf))
    assert share(got, reference.run(work, a)) == Mismatch("error-bound", f"cache[{at}]", 2.0)


def test_attention_on_a_wrong_key_is_wrong() -> None:
    """The cache is right, but what was used is one unit off where no tie stands."""
    work = work_item(SPAN)
    a = arrays_with_a_tie(work)
    a["qkv"].reshape(-1, work.head_dim)[0, DIM + 3] = 2000.0
    expected = reference.run(work, a)
    values = expected[0]
    row = slice(place(work, dim=0), place(work, dim=work.head_dim))
    free = values["cache.low"][row] == values["cache.high"][row]
    weight = np.abs(values["q"][: work.head_dim]) * np.spacing(values["cache.high"][row])
    at = row.start + int((free * np.abs(weight)).argmax())
    right = kernel(work, a)
    moved = np.nextafter(right["cache"][at], np.float16(np.inf))
    wrong = {**kernel(work, a, {at: moved}), "cache": right["cache"]}
    assert isinstance(share(right, expected), Agreement)
    found = share(wrong, expected)
    assert isinstance(found, Mismatch) and found.where.startswith("att.f32[")


def test_the_other_half_is_followed_to_the_end_of_a_layer() -> None:
    work = work_item(f"rope_store+{LATER}")
    a = arrays_with_a_tie(work)
    values, sizes = reference.run(work, a)
    k = kernel(work.model_copy(update={"op": SPAN}), a)
    later = work.model_copy(update={"op": LATER})
    other = reference.run(later, {**a, "q": values["q"], "cache": k["cache"]})
    same = reference.run(later, {**a, "q": values["q"], "cache": values["cache"]})
    for name in ("att.f32", "xn.f32", "act.f32", "x"):
        moved = np.abs(other[0][name] - values[name])
        slack = 1e-5 * (sizes[name] - same[1][name])
        assert (moved > 0).any() and (moved <= slack * (1 + 1e-6) + 1e-12).all(), name


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 2**32 - 1), st.integers(1, 6), st.floats(0, 0.5))
def test_the_slack_bounds_every_choice_of_halves(seed: int, live: int, size: float) -> None:
    rng = np.random.default_rng(seed)
    g, h, hd = 2, 3, 8
    q, k, v = (rng.standard_normal(s) for s in ((g, h, hd), (g, live, hd), (g, live, hd)))
    k_span, v_span = (size * rng.random((g, hd)) * (rng.random((g, hd)) < 0.3) for _ in "kv")

    def attention(k: np.ndarray, v: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        weights = np.exp(np.einsum("ghd,gpd->ghp", q, k) * hd**-0.5)
        weights /= weights.sum(axis=-1, keepdims=True)
        return weights, np.einsum("ghp,gpd->ghd", weights, v)

    weights, out = attention(k, v)
    slack = half_ties.attention_slack(q, weights, out, v[:, -1], k_span, v_span)
    for _ in range(8):
        k2, v2 = k.copy(), v.copy()
        k2[:, -1] += k_span * rng.choice([-1, 0, 1], (g, hd))
        v2[:, -1] += v_span * rng.choice([-1, 0, 1], (g, hd))
        assert (np.abs(attention(k2, v2)[1] - out) <= slack + 1e-12).all()


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 2**32 - 1), st.floats(1e-3, 1e3))
def test_the_error_of_a_norm_covers_float32(seed: int, size: float) -> None:
    rng = np.random.default_rng(seed)
    x, w = (rng.standard_normal((3, 64)) * size).astype("f4"), rng.standard_normal(64).astype("f4")
    total = np.zeros(3, "f4")
    for column in x.T:  # one after the other: the worst order
        total = total + column * column
    got = x / np.sqrt(total / np.float32(64) + np.float32(1e-5))[:, None] * w
    wide = x.astype("f8")
    want = wide / np.sqrt((wide * wide).mean(axis=1, keepdims=True) + np.float32(1e-5)) * w
    error = half_ties.norm_error(wide, np.zeros_like(wide), w.astype("f8"), 1e-5)
    assert (np.abs(got - want) <= error).all()


@pytest.mark.cl
def test_the_kernel_that_was_called_wrong() -> None:
    """Heads of 128 with qk-norm at position 7: one key of 1024 falls to the other half."""
    work = WorkItem(
        op=SPAN, tables=(), d_model=1024, heads=16, kv_heads=8, head_dim=128, rope_dim=128,
        qk_norm=True, norm_eps=1e-6, vocab=96, context=64,
    )  # fmt: skip
    target = Target("CL", ChipFacts(id="cl-test", name="test", device="CL"))
    chosen = route("chain", form="lanes").model_copy(update={"id": "chain_lanes_attention_f32"})
    made = launches(work, chosen, Geometry.parse("split=4 threads=64"), target)
    read = {b.name: b for launch in made for b in (*launch.outs, *launch.ins)}
    names = [n for n in read if not n.startswith(("t.", "att."))]

    def inputs(case: int) -> Arrays:
        rng = np.random.default_rng([case, 0])
        return sample_data.arrays(work, [read[n] for n in names], rng, "random", 7)

    proof = verify.prove_launches(
        made, lru_cache(inputs), lambda a: reference.run(work, a), "CL", 1e-5, extra=(2, 3)
    )
    assert proof.reason == "ok", proof


def test_a_few_errors_are_added_up_and_many_as_they_come() -> None:
    rng = np.random.default_rng(0)
    sizes = np.abs(rng.standard_normal((40, 400)))
    few = np.where(np.arange(400) < 5, 1.0, 0.0)
    assert half_ties.total(sizes, few) == pytest.approx(sizes @ few)
    many = rng.uniform(0.5, 1.0, 400)
    bound = half_ties.total(sizes, many)
    assert (bound < 0.3 * sizes @ many).all()
    signs = rng.choice([-1.0, 1.0], (400, 2000))
    assert (np.abs((sizes * many) @ signs) <= bound[:, None]).mean() > 0.995


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 2**32 - 1), st.integers(1, 6), st.floats(0, 0.2))
def test_the_slack_of_a_query_bounds_what_it_may_be(seed: int, live: int, size: float) -> None:
    rng = np.random.default_rng(seed)
    g, h, hd = 2, 3, 8
    q, k, v = (rng.standard_normal(s) for s in ((g, h, hd), (g, live, hd), (g, live, hd)))
    k_span, v_span = (size * rng.random((g, hd)) for _ in "kv")
    moved = size * rng.random((g, h, hd))

    def attention(q: np.ndarray, k: np.ndarray, v: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        weights = np.exp(np.einsum("ghd,gpd->ghp", q, k) * hd**-0.5)
        weights /= weights.sum(axis=-1, keepdims=True)
        return weights, np.einsum("ghp,gpd->ghd", weights, v)

    weights, out = attention(q, k, v)
    slack = half_ties.query_slack(q, moved, weights, k, v, k_span, v_span)
    for _ in range(8):
        k2, v2 = k.copy(), v.copy()
        k2[:, -1] += k_span * rng.choice([-1, 0, 1], (g, hd))
        v2[:, -1] += v_span * rng.choice([-1, 0, 1], (g, hd))
        q2 = q + moved * rng.choice([-1, 0, 1], q.shape)
        assert (np.abs(attention(q2, k2, v2)[1] - out) <= slack + 1e-12).all()


def test_the_halves_a_kernel_stored_leave_no_slack() -> None:
    work = work_item(SPAN)
    a = arrays_with_a_tie(work)
    got = kernel(work, a)
    own = reference.run(work, a)
    values, sizes = reference.run(work, {**a, "cache.stored": got["cache"]})
    after = work.model_copy(update={"op": "attention"})
    plain = reference.run(after, {**a, "q": values["q"], "cache": got["cache"]})
    assert np.array_equal(values["att.f32"], plain[0]["att.f32"])
    assert np.array_equal(sizes["att.f32"], plain[1]["att.f32"])
    assert (sizes["att.f32"] <= own[1]["att.f32"]).all()
    assert np.array_equal(values["cache.low"], own[0]["cache.low"], equal_nan=True)
    spoiled = got["cache"].copy()
    spoiled[place(work)] += 1  # what may not be is not taken
    kept = reference.run(work, {**a, "cache.stored": spoiled})[0]["cache"]
    assert kept[place(work)] == own[0]["cache"][place(work)]


def test_an_int8_tie_counts_up_to_where_values_are_rounded_again() -> None:
    work = work_item("norm+qkv+rope_store+attention+o", "F32")
    a = operands(work, np.random.default_rng(4), POS)
    x = np.full(work.d_model, 0.25, np.float32)
    x[0], a["n.norm"] = 127.0, np.ones(work.d_model, np.float32)

    def sizes(third: float) -> Arrays:
        x[3] = third
        return reference.run(work, {**a, "x": x}, "q8")[1]

    tied, free = sizes(40.5), sizes(40.25)
    for name in ("qkv", "q", "att.f32"):
        assert np.median(tied[name] / free[name]) > 2, name
    assert np.median(tied["x"] / free["x"]) < 1.5


@pytest.mark.parametrize("live", [1, 4])
def test_one_position_with_all_the_weight_bounds_what_the_others_may_get(live: int) -> None:
    """Scores beyond float64: the output stays between the values, never off by anything."""
    rng = np.random.default_rng(0)
    v = rng.standard_normal((1, live, 8))
    weights = np.zeros((1, 2, live))
    weights[..., -1] = 1
    out, span = np.repeat(v[:, -1:], 2, axis=1), np.full((1, 8), 1e4)
    q = np.full((1, 2, 8), 1e3)
    slack = half_ties.attention_slack(q, weights, out, v[:, -1], span, 0 * span)
    bound = half_ties.within_values(slack, v, 0 * span)
    assert np.isfinite(bound).all() and (np.abs(v - out[:, :1]) <= bound[:, :1]).all()
    assert (bound <= np.ptp(v, axis=1)[:, None]).all()
    assert half_ties.total(np.zeros((3, 8)), np.full(8, 1e300)) == pytest.approx(0)


def test_the_halves_are_as_wide_as_the_protocol_allows() -> None:
    assert registry.tolerances().kernel_relative == reference.SUM_RELATIVE
