"""Tables copied into planes: the same bytes in another order, read rightly, and what they cost."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import lanes_bench as bench
import numpy as np
import pytest
from decode_cases import CL, CONTEXT, load, whole_token

from boltbeam import registry
from boltbeam.emit import lanes_gemv, planes
from boltbeam.emit.core import Buf, Target
from boltbeam.models import plan
from boltbeam.models.plan import PLANES_GROUP
from boltbeam.predict import bubblebeam
from boltbeam.proof import verify
from boltbeam.records import explain, explain_words
from boltbeam.records.ledger import Layers
from boltbeam.seam import tinygrad_model
from boltbeam.token.bindings import Binder
from boltbeam.token.decode_plan import DecodePlan
from boltbeam.types import ChipFacts, Fact, Geometry, Step, Table

FORMATS = tuple(planes.FIELDS)


@pytest.mark.parametrize("fmt", FORMATS)
def test_every_byte_has_one_place_that_is_aligned(fmt: str) -> None:
    size = registry.formats()[fmt].block_bytes
    count = 3 * PLANES_GROUP * size
    block = np.random.default_rng(0).integers(0, 256, count, dtype=np.uint8)
    made = planes.repacked(planes.PREFIX + fmt, block)
    for group in range(3):
        for turn in range(PLANES_GROUP):
            for byte in range(size):
                start, each, at = planes.place(fmt, byte)
                assert start % 16 == 0
                here = group * PLANES_GROUP * size + start + turn * each + at
                assert made[here] == block[(group * PLANES_GROUP + turn) * size + byte]


def test_other_buffers_stay_as_they_are() -> None:
    raw = np.arange(36, dtype=np.uint8)
    assert planes.repacked("u16", raw) is raw
    with pytest.raises(ValueError, match="no byte 34"):
        planes.place("Q8_0", 34)


def work_item(fmt: str) -> Any:
    cols = 768 if fmt == "Q6_K" else 576  # groups of blocks that go on from row to row
    one = Table(role="ffn_down", rows=8, cols=cols, format=fmt)
    return bench.work_item("down", (one,), d_model=8)


def outputs(fmt: str, takes: str, geometry: str, extreme: bool = False) -> dict[str, float]:
    work = work_item(fmt)
    route = bench.route(work, takes=takes, weights="planes")
    launches = lanes_gemv.emit(work, route, Geometry.parse(geometry), bench.target())
    arrays = bench.arrays_for(work, launches, np.random.default_rng(1), extreme=extreme)
    return bench.worst(work, bench.execute(launches, arrays), arrays)


@pytest.mark.cl
@pytest.mark.parametrize(
    ("fmt", "takes"),
    [
        ("Q6_K", "q8"),
        ("Q8_0", "q8"),
        *(pytest.param(f, t, marks=pytest.mark.slow) for f in FORMATS for t in ("q8", "f32")),
    ],
)
def test_planes_give_what_the_file_gives(fmt: str, takes: str) -> None:
    geometry = "lanes=4 groups=4 rows=2 words=4 unroll=1"
    assert outputs(fmt, takes, f"{geometry} ahead=1", extreme=True)["x"] <= 1


@pytest.mark.cl
def test_a_route_on_planes_is_proved() -> None:
    """By the machinery that searches trust: contents in the file's order, a buffer in planes."""
    values = {"simd_width": 8, "half": False, "shuffle": False, "dot4": False, "load_bits": 128}
    values |= {"max_threads": 256, "local_bytes": 32768, "workgroups": True}
    facts = {k: Fact(value=v, source="test") for k, v in values.items()}
    chip = ChipFacts(id="test-cl", name="test", device="CL", **facts)
    route, geometry = registry.route("gemv_lanes_planes_q8"), "lanes=4 groups=4 rows=1 words=4"
    work, target = work_item("Q8_0"), Target("CL", chip)
    proof = verify.prove(work, route, Geometry.parse(geometry), target, 1, 1e-5)
    assert proof.ok, (proof.reason, proof.where)


@pytest.mark.cl
def test_planes_in_another_order_are_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    wrong = dict(planes.FIELDS, Q8_0=((0, 2), (2, 34)))
    right = planes.repacked

    def swapped(dtype: str, raw: Any) -> Any:
        monkeypatch.setattr(planes, "FIELDS", wrong)
        out = right(dtype, raw)
        monkeypatch.undo()
        return out

    monkeypatch.setattr(planes, "repacked", swapped)
    assert outputs("Q8_0", "q8", "lanes=4 groups=4 rows=2 words=4 unroll=1")["x"] > 1


def test_what_a_copy_costs() -> None:
    work = work_item("Q8_0")
    assert plan.copied_bytes(work, "planes") == 8 * 576 // 32 * 34
    assert plan.copied_bytes(work, "file") == 0
    mixed = (*work.tables, Table(role="ffn_up", rows=8, cols=512, format="Q4_K"))
    both = work.model_copy(update={"tables": mixed})
    assert plan.copied_bytes(both, "planes") == plan.copied_bytes(work, "planes")


def test_the_binder_copies_and_counts(tiny: Callable[..., Path]) -> None:
    """The tied head of a tiny model is in Q6_K: stock's table stays, the copy is named."""
    model, facts, files = load(tiny("tiny-llama"))
    part = facts.part("token_embd")
    assert part is not None and part.format == "Q6_K"
    binder = Binder(facts, files, model, "CPU", CONTEXT)
    dtype = planes.PREFIX + part.format
    key = binder.key(Buf("w.output", part.bytes // 4, dtype), [Step(op="head")])
    assert binder.copies == {f"{part.name} {dtype}": part.bytes}
    held = binder.tensors[key].numpy().view(np.uint8)
    raw = np.fromfile(files[0], np.uint8)[part.offset :][: part.bytes]
    np.testing.assert_array_equal(held, planes.repacked(dtype, raw))


def test_explain_names_the_copy() -> None:
    """A row of the repository as if its route read planes, and as it is."""
    layers = Layers.find()
    row = next(r for r in layers.rows(kind="kernel", chip="nv-sm90-132sm") if r.candidate_us)
    work = work_item("Q8_0").model_copy(update={"count": 18})

    def said(route: str) -> str:
        chosen = row.model_copy(update={"route": route})
        step = explain.Step(work, chosen, "", (), (), None, None, ())
        return "\n".join(explain_words._step_words(step))

    assert "reads a copy of its weights: 4,896 bytes beside stock's a layer, 88,128 in all" in said(
        "gemv_lanes_planes_q8"
    )
    assert "copy" not in said("gemv_lanes_q8")


@pytest.mark.cl
@pytest.mark.slow
def test_a_token_whose_head_reads_a_copy(tiny: Callable[..., Path]) -> None:
    """The same logits as from the file's blocks, and `copies` names the one table."""
    path = tiny("tiny-llama")
    facts = load(path)[1]
    files = load(path)[2]
    logits = []
    for name in ("gemv_lanes_q8", "gemv_lanes_planes_q8"):
        members = []
        for m in whole_token(facts, q8=True, chip=CL):
            if m.work.op == "head":
                found = bubblebeam.candidates(m.work, registry.route(name), CL)
                geometry = next(g for g, no in found if no is None)
                m = m.model_copy(update={"route": name, "geometry": geometry})
            members.append(m)
        model, _ = tinygrad_model.load_model(path, CONTEXT, "CL")
        made = DecodePlan(facts, files, members, "CL", CONTEXT, CL, model)
        assert made.fallbacks == ()
        logits.append(list(made.forced([7, 300, 21]))[-1])
        copied = [n for n in made.copies if planes.PREFIX in n]
        assert len(copied) == (name == "gemv_lanes_planes_q8")
    np.testing.assert_allclose(logits[0], logits[1], rtol=1e-4, atol=1e-5)
