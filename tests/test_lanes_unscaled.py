"""A norm without a kernel: what `o` and `down` leave for it, who divides; planted wrong ones."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import lanes_bench as bench
import numpy as np
import pytest
from decode_cases import CL, CONTEXT, PROMPT, load, whole_token
from kernel_cases import work_item
from test_bubblebeam import GPU
from test_futuresight import fitted, h200

from boltbeam import registry
from boltbeam.emit import lanes_gemv, reference
from boltbeam.emit.lanes_core import F32, Activation, const
from boltbeam.models import gguf_model, plan
from boltbeam.predict import bubblebeam
from boltbeam.predict.futuresight import predict
from boltbeam.proof import compare_outputs, verify
from boltbeam.proof.compare_outputs import Agreement, Mismatch
from boltbeam.proof.oracle import Cases
from boltbeam.seam import tinygrad_model
from boltbeam.token.agreement import Reply, Trace, judge
from boltbeam.token.decode_plan import DecodePlan, Member
from boltbeam.types import UNSCALED, Geometry

BEHIND = ("o+norm", "down+norm")
SHAPE = "lanes=8 groups=8 rows=4 words=1 unroll=1 split=1"


def checked(op: str, geometry: str = SHAPE, **fields: Any) -> Agreement | Mismatch:
    """A small span on CL against float64, with made-up contents as a proof has them."""
    work = work_item(op, "Q4_1", **fields)
    gives = UNSCALED if op in BEHIND else "q8" if op == "gate_up" else "f32"
    route = bench.route(work, "q8" if op in BEHIND else UNSCALED, gives, q8=True)
    launches = lanes_gemv.emit(work, route, Geometry.parse(geometry), bench.target())
    bufs = {b.name: b for launch in launches for b in (*launch.outs, *launch.ins)}
    inputs, _ = verify.external(launches)
    read = sorted({b.name for b in inputs} | verify.state_names(work, launches))
    cases = Cases.of(work, route, tuple(bufs[n] for n in read), 1)
    arrays = cases.inputs(0)
    outs = bench.execute(launches, arrays)
    given = {n: a for n, a in outs.items() if not n.startswith("t.")}
    return compare_outputs.compare(given, cases.reference(arrays), 1e-5)


CASES = [
    ("o+norm", SHAPE, {}),
    ("down+norm", "lanes=4 groups=16 rows=4 words=2 unroll=1 split=2", {}),
    ("qkv", "lanes=8 groups=2 rows=2 words=1 unroll=1 split=2", {"qkv_bias": True}),
    ("gate_up", SHAPE, {"gate": "gelu"}),
    ("head+argmax", "lanes=8 groups=4 rows=1 words=1 unroll=1", {}),
]


@pytest.mark.cl
@pytest.mark.parametrize(("op", "geometry", "fields"), CASES)
def test_right_ones(op: str, geometry: str, fields: dict[str, Any]) -> None:
    found = checked(op, geometry, **fields)
    assert isinstance(found, Agreement), found


# ---- planted wrong kernels -----------------------------------------------------------------------


def without_rms(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(lanes_gemv, "inverse_rms", lambda *_: const(1.0, F32))


def last_squares_missing(patch: pytest.MonkeyPatch) -> None:
    real = lanes_gemv.share_of_squares
    patch.setattr(lanes_gemv, "share_of_squares", lambda c, s, n: real(c, s, n - 32))


def codes_of_the_neighbour(patch: pytest.MonkeyPatch) -> None:
    real = lanes_gemv.give
    patch.setattr(lanes_gemv, "give", lambda c, q, to, at: real(c, q, to, (at + 8) % 64))


def no_weight(patch: pytest.MonkeyPatch) -> None:
    quads(patch, lambda plain, _: (plain, plain))


def squares_with_weight(patch: pytest.MonkeyPatch) -> None:
    quads(patch, lambda _, weighted: (weighted, weighted))


def squares_of_one_place(patch: pytest.MonkeyPatch) -> None:
    real = lanes_gemv.give_squares
    patch.setattr(lanes_gemv, "give_squares", lambda c, q, to, at: real(c, q, to, at * 0))


def quads(patch: pytest.MonkeyPatch, change: Callable[[Any, Any], Any]) -> None:
    real = lanes_gemv._quads
    patch.setattr(lanes_gemv, "_quads", lambda *args: change(*real(*args)))


def scale_without_weight(patch: pytest.MonkeyPatch) -> None:
    seen: list[Any] = []
    real = lanes_gemv.give

    def give(c: Any, given: Any, to: Activation, at: Any) -> list[Any]:
        codes, _, sums = real(c, given, to, at)
        return [codes, real(c, seen[-1], to, at)[1], sums]

    quads(patch, lambda plain, weighted: (seen.append(plain) or plain, weighted))
    patch.setattr(lanes_gemv, "give", give)


PLANTED = [
    ("gate_up", without_rms, "act."),
    ("head", without_rms, "logits"),
    ("qkv", last_squares_missing, "qkv"),
    ("o+norm", codes_of_the_neighbour, "xw."),
    ("o+norm", no_weight, "xw."),
    ("down+norm", scale_without_weight, "xw.d"),
    ("down+norm", squares_with_weight, "xw.sq32"),
    ("down+norm", squares_of_one_place, "xw.sq32"),
]


@pytest.mark.cl
@pytest.mark.parametrize(("op", "plant", "where"), PLANTED)
def test_a_wrong_one_is_seen(
    op: str, plant: Callable[[pytest.MonkeyPatch], None], where: str, monkeypatch: Any
) -> None:
    plant(monkeypatch)
    found = checked(op)
    assert isinstance(found, Mismatch) and found.where.startswith(where), found


# ---- reference, legality ------------------------------------------------------------------------


def test_reference_is_that_of_a_norm() -> None:
    """Codes and squares of one span, read by the next: what norm and GEMV give one by one."""
    rng = np.random.default_rng(3)
    x, weight = rng.standard_normal(256) * 7, rng.standard_normal(256)
    norm = work_item("norm")
    values, _ = reference.run(norm, {"x": x, "n.norm": weight})
    words, d, _ = reference.quantise(values["xw.f32"])
    plain, scale, _ = reference.quantise(values["xn.f32"])
    assert np.abs(words.view(np.int8) - plain.view(np.int8)).max() <= 1
    np.testing.assert_allclose(
        d / np.sqrt(values["xw.sq32"].sum() / 256 + 1e-5).repeat(8), scale, rtol=1e-6
    )


@pytest.mark.parametrize(
    ("axes", "reason"),
    [
        ("lanes=8 groups=8 rows=4", None),
        ("lanes=8 groups=8 rows=2", "epilogue-blocks"),
        ("lanes=8 groups=32 rows=4", "rows-divide"),
    ],
)
def test_whole_blocks_of_the_stream(axes: str, reason: str | None) -> None:
    work = bench.work_item(
        "o+norm", (bench.Table(role="attn_output", rows=576, cols=576, format="Q4_1"),)
    )
    route = registry.route("chain_lanes_behind_q8")
    geometry = Geometry.parse(f"{axes} words=1 unroll=1 split=1 wide=0 ahead=0")
    no = bubblebeam.geometry_legal(work, route, geometry, GPU)
    assert (no.reason if no else None) == reason, no


def test_it_is_predicted_to_cost_less_than_a_norm() -> None:
    work = work_item("down+norm", "Q4_K", d_model=4096)
    table = work.tables[0].model_copy(update={"rows": 4096, "cols": 12288})
    work = work.model_copy(update={"tables": (table,)})
    geometry = Geometry.parse("lanes=32 groups=8 rows=4 words=4 unroll=1 split=1 wide=0 ahead=0")

    def us(op: str, route: str, text: Geometry = geometry) -> float:
        item = work.model_copy(update={"op": op, "tables": () if op == "norm" else (table,)})
        chip = h200()
        return predict(item, registry.route(route), text, chip, fitted(chip)).us

    behind, alone = us("down+norm", "chain_lanes_behind_q8"), us("down", "gemv_lanes_q8")
    norm = us("norm", "norm_lanes_q8", Geometry.parse("threads=1024"))
    assert alone < behind < alone + 0.25 * norm, (alone, behind, norm)


def test_no_span_of_gemma_has_it(tiny: Callable[..., Path]) -> None:
    facts = gguf_model.read(tiny("tiny-gemma3"))
    assert plan.occurrences(facts, CONTEXT, BEHIND)[1] == ()


# ---- whole tokens -------------------------------------------------------------------------------


@pytest.mark.cl
@pytest.mark.slow
def test_tokens_are_those_of_separate_norms(tiny: Callable[..., Path]) -> None:
    """The cheapest path finds its way through the spans by itself; the model has biases."""
    path = tiny("tiny-qwen2")
    _, facts, files = load(path)
    apart = whole_token(facts, q8=True, chip=CL)
    behind = whole_token(facts, q8=True, chip=CL, spans=BEHIND)
    assert {m.work.op for m in behind} - {m.work.op for m in apart} == set(BEHIND)
    assert sum(m.work.op == "norm" for m in behind) == 1  # the first, of the embedding
    said = []
    for members in (apart, behind):
        model, _ = tinygrad_model.load_model(path, CONTEXT, "CL")
        made = DecodePlan(facts, files, members, "CL", CONTEXT, CL, model)
        assert made.fallbacks == ()
        free = made.greedy(PROMPT, 24)
        text = said[0][0].text if said else (*PROMPT, *free[:-1])
        logits = np.stack(list(made.forced(text, len(PROMPT) - 1)))
        said.append((Trace(PROMPT, free, logits), Reply(logits, free)))
    result = judge([said[0][0]], [said[1][1]], "q8_activations", against="separate norms")
    assert result.ok and result.logit_error is not None and result.logit_error < 1e-2, result


def test_a_reader_without_its_producer_is_not_bound(tiny: Callable[..., Path]) -> None:
    """A plan put together by hand: an int8 norm gives other buffers than its reader takes."""
    model, facts, files = load(tiny("tiny-llama"))
    members = tuple(map(unscaled, whole_token(facts, q8=True, chip=CL)))
    made = DecodePlan(facts, files, members, "CPU", CONTEXT, CL, model)
    reasons = [f.reason for f in made.fallbacks]
    assert "gate_up_1024x256_q8_unscaled reads xw.q8, which nothing before it writes" in reasons


def unscaled(m: Member) -> Member:
    """The member of gate_up by a route that takes what no norm gives."""
    route = registry.route("gate_up_lanes_unscaled_q8")
    if m.work.op != "gate_up":
        return m
    legal = (g for g, no in bubblebeam.candidates(m.work, route, CL) if no is None)
    return m.model_copy(update={"route": route.id, "geometry": next(legal)})
