"""Plan: steps of a token, work items and their keys, and the cheapest way through them."""

from __future__ import annotations

import itertools

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from known_shapes import qwen3_8b, smollm2

from boltbeam.models import plan
from boltbeam.models.plan import Occurrence, Option
from boltbeam.types import INTERFACES, Step, WorkItem


def test_steps_of_a_token() -> None:
    steps = plan.steps(smollm2())
    assert len(steps) == 1 + 30 * 8 + 3
    assert [s.op for s in steps[:9]] == [
        "embed",
        "norm",
        "qkv",
        "rope_store",
        "attention",
        "o",
        "norm",
        "gate_up",
        "down",
    ]
    assert [s.op for s in steps[-3:]] == ["norm", "head", "argmax"]


def test_a_tied_head_reads_the_embedding() -> None:
    (table,) = plan.tables(smollm2(), "head", None)
    assert (table.role, table.rows, table.cols, table.format) == ("output", 49152, 576, "Q8_0")


def test_keys_name_shape_and_format() -> None:
    model = smollm2()
    _, found = plan.occurrences(model, 512, ["gate_up", "down", "attention", "norm+qkv"])
    keys = {o.work.op: o.work.key for o in found}
    assert keys["gate_up"] == "decode/gate_up/2x1536x576/Q4_1/m1"
    assert keys["down"] == "decode/down/576x1536/Q4_1/m1"
    assert "h9k3d64-c512-interleaved" in keys["attention"]
    assert keys["norm+qkv"] == "decode/norm+qkv/576x576+2x192x576/Q4_1/m1"


@pytest.mark.parametrize(
    ("context", "at"), [(1, 0), (2, 1), (3, 1), (4, 2), (8, 4), (9, 5), (10, 6), (512, 257)]
)
def test_a_token_is_timed_just_past_half_where_there_is_room(context: int, at: int) -> None:
    assert plan.timed_position(context) == at < context
    assert plan.cached_positions(context) == at
    assert plan.cached_positions(context, window=1) == 0
    assert context < 8 or at + 4 <= context


def test_bytes_of_attention_are_those_of_the_timed_token() -> None:
    model = qwen3_8b()
    _, found = plan.occurrences(model, 512, ["attention", "rope_store+attention"])
    each = plan.kv_bytes_per_position(model) // model.layers
    assert [o.work.bytes for o in found] == [257 * each] * 2


def test_mixed_formats_are_distinct_work() -> None:
    _, found = plan.occurrences(qwen3_8b(), 512, ["down", "qkv"])
    assert [(o.work.op, o.work.count) for o in found] == [("down", 18)] * 2 + [("qkv", 18)] * 2


def test_bytes_of_a_token() -> None:
    model = qwen3_8b()
    _, found = plan.occurrences(model, 512, ["qkv", "o", "gate_up", "down", "head"])
    assert sum(o.work.count * o.work.bytes for o in found) == 4_670_533_632
    assert plan.kv_bytes_per_position(model) == 147_456


def test_an_int8_winner_needs_its_producer() -> None:
    """The q8 GEMV is faster alone, but its producer makes the token slower."""
    token, occ = _token(["norm", "qkv"])
    options = [
        _option(occ, "norm", "norm_f32", "f32", "f32", 2.0),
        _option(occ, "norm", "norm_q8", "f32", "q8", 6.0),
        _option(occ, "qkv", "gemv_f32", "f32", "f32", 10.0),
        _option(occ, "qkv", "gemv_q8", "q8", "f32", 8.0),
    ]
    choice = plan.shortest(token, occ, options)
    assert choice is not None and choice.us == 12.0
    assert [o.route for _, o in choice.members] == ["norm_f32", "gemv_f32"]


def test_a_fused_span_replaces_its_parts() -> None:
    token, occ = _token(["norm", "qkv"])
    options = [
        _option(occ, "norm", "norm_f32", "f32", "f32", 2.0),
        _option(occ, "qkv", "gemv_f32", "f32", "f32", 10.0),
        _option(occ, "norm+qkv", "chain", "f32", "f32", 11.0),
    ]
    choice = plan.shortest(token, occ, options)
    assert choice is not None
    assert [(i, o.route) for i, o in choice.members] == [(0, "chain")]


def test_no_way_through() -> None:
    token, occ = _token(["norm", "qkv"])
    assert plan.shortest(token, occ, [_option(occ, "norm", "n", "f32", "q8", 1.0)]) is None
    dangling = [
        _option(occ, "norm", "n", "f32", "q8", 1.0),
        _option(occ, "qkv", "g", "f32", "f32", 1.0),
    ]
    assert plan.shortest(token, occ, dangling) is None


def test_plan_key_is_order_and_counts() -> None:
    a = plan.plan_key([("x", 1), ("y", 2)])
    assert a == plan.plan_key([("x", 1), ("y", 2)])
    assert a != plan.plan_key([("y", 2), ("x", 1)])
    assert a != plan.plan_key([("x", 1), ("y", 3)])


def _item(op: str) -> WorkItem:
    return WorkItem(
        op=op,
        d_model=64,
        heads=1,
        kv_heads=1,
        head_dim=64,
        rope_dim=64,
        norm_eps=1e-5,
        vocab=64,
        context=64,
    )


def _token(ops: list[str]) -> tuple[tuple[Step, ...], tuple[Occurrence, ...]]:
    """A token of these ops with an occurrence for every span that stands in it."""
    steps = tuple(Step(op=o) for o in ops)
    starts: dict[str, list[int]] = {}
    for i, j in itertools.combinations(range(len(ops) + 1), 2):
        starts.setdefault("+".join(ops[i:j]), []).append(i)
    return steps, tuple(Occurrence(_item(s), tuple(at)) for s, at in starts.items())


def _option(
    occ: tuple[Occurrence, ...], op: str, route: str, takes: str, gives: str, us: float
) -> Option:
    work = next(o.work for o in occ if o.work.op == op)
    return Option(work.key, route, "", takes, gives, us)


def _brute(ops: list[str], options: list[Option], by_key: dict[str, WorkItem]) -> float | None:
    """Least time over every way to cover the ops, by trying them all."""

    def best(at: int, face: str) -> float | None:
        if at == len(ops):
            return 0.0 if face == "f32" else None
        found = []
        for o in options:
            span = by_key[o.work_key].ops
            if list(span) == ops[at : at + len(span)] and o.takes == face:
                rest = best(at + len(span), o.gives)
                if rest is not None:
                    found.append(o.us + rest)
        return min(found, default=None)

    return best(0, "f32")


@settings(max_examples=150, deadline=None)
@given(st.data())
def test_shortest_against_brute_force(data: st.DataObject) -> None:
    ops = data.draw(st.lists(st.sampled_from(["norm", "qkv", "o"]), min_size=1, max_size=5))
    token, occ = _token(ops)
    by_key = {o.work.key: o.work for o in occ}
    options = data.draw(
        st.lists(
            st.builds(
                Option,
                st.sampled_from(sorted(by_key)),
                st.sampled_from(["a", "b"]),
                st.just(""),
                st.sampled_from(INTERFACES),
                st.sampled_from(INTERFACES),
                st.integers(1, 9).map(float),
            ),
            max_size=14,
        )
    )
    choice, expected = plan.shortest(token, occ, options), _brute(ops, options, by_key)
    if expected is None:
        assert choice is None
        return
    assert choice is not None
    assert choice.us == pytest.approx(expected)
    _walk(ops, choice, by_key)


def _walk(ops: list[str], choice: plan.Choice, by_key: dict[str, WorkItem]) -> None:
    """The members cover every step once, and each takes what the one before gives."""
    at, face = 0, "f32"
    for index, option in choice.members:
        span = by_key[option.work_key].ops
        assert index == at and option.takes == face
        assert list(span) == ops[at : at + len(span)]
        at, face = at + len(span), option.gives
    assert at == len(ops) and face == "f32"
    assert choice.us == pytest.approx(sum(o.us for _, o in choice.members))
