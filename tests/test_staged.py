"""Weights staged in local memory: on OpenCL every copy, place and order is proved, on CUDA's text
that copies, groups and waits stand where they must."""

from __future__ import annotations

import re
from typing import Any

import cuda_kernels
import lanes_bench as bench
import numpy as np
import pytest

from boltbeam import registry
from boltbeam.emit import dependent, lanes_chain, lanes_gemv, staged
from boltbeam.predict import bubblebeam
from boltbeam.predict.case import Case, local_bytes
from boltbeam.seam import tinygrad_render
from boltbeam.types import Geometry, Table

ROLES = {
    "down": ("ffn_down",),
    "head": ("output",),
    "gate_up": ("ffn_gate", "ffn_up"),
    "qkv": ("attn_q", "attn_k", "attn_v"),
}
CASES = [
    # the last trip has fewer units than lanes; fewer trips than stages; pairs that are swapped
    ("down", "Q4_K", 1280, "lanes=4 groups=2 rows=2 words=4 unroll=2 ahead=2", "file"),
    ("down", "Q4_K", 1280, "lanes=4 groups=2 rows=2 words=4 unroll=2 ahead=8", "file"),
    ("down", "Q5_K", 1280, "lanes=8 groups=2 rows=1 words=2 unroll=1 split=2 ahead=4", "file"),
    ("down", "Q4_1", 1120, "lanes=8 groups=2 rows=1 words=4 unroll=1 ahead=4", "file"),
    ("down", "Q6_K", 1280, "lanes=4 groups=2 rows=1 words=4 unroll=1 ahead=2", "planes"),
    ("down", "Q5_0", 1152, "lanes=8 groups=2 rows=1 words=4 unroll=1 ahead=2", "planes"),
    ("head+argmax", "Q8_0", 1152, "lanes=8 groups=2 rows=1 words=8 unroll=1 ahead=2", "planes"),
    ("gate_up", "Q4_K+Q4_K", 1280, "lanes=2 groups=16 rows=2 words=4 unroll=1 ahead=2", "file"),
    ("gate_up", "Q4_1+Q5_1", 1120, "lanes=4 groups=16 rows=2 words=4 unroll=1 ahead=2", "file"),
    ("qkv", "F16+F16+F16", 288, "lanes=4 groups=2 rows=1 words=4 ahead=2", "file"),
    ("norm+qkv", "Q4_K+Q4_K+Q6_K", 512, "lanes=4 groups=2 rows=1 words=4 ahead=2", "planes"),
    ("norm+gate_up", "Q4_K+Q4_K", 1280, "lanes=4 groups=16 rows=2 words=2 ahead=4", "file"),
]


def ratios(op: str, formats: str, cols: int, geometry: str, weights: str) -> dict[str, float]:
    """Errors of a kernel on CL, as shares of what is allowed."""
    base = op.removeprefix("norm+").removesuffix("+argmax")
    rows = (40, 8, 8) if base == "qkv" else (64, 64)
    parts = zip(ROLES[base], rows, formats.split("+"), strict=False)
    tables = tuple(Table(role=r, rows=n, cols=cols, format=f) for r, n, f in parts)
    d_model = 64 if base == "down" else cols
    work = bench.work_item(op, tables, d_model=d_model, vocab=64)
    takes = "f32" if op.startswith("norm") or formats.startswith("F") else "q8"
    route = bench.route(work, takes=takes, weights=weights)
    emit = lanes_chain.emit if "+" in op else lanes_gemv.emit
    launches = emit(work, route, Geometry.parse(geometry), bench.target())
    copies = {staged.copy("CL", n) for n in (1, 2, 4)}
    assert copies & set(tinygrad_render.intrinsics(launches[0]))
    arrays = bench.arrays_for(work, launches, np.random.default_rng(1))
    return bench.worst(work, bench.execute(launches, arrays), arrays)


@pytest.mark.cl
@pytest.mark.parametrize(("op", "formats", "cols", "geometry", "weights"), CASES)
def test_staged_weights_give_what_loads_give(
    op: str, formats: str, cols: int, geometry: str, weights: str
) -> None:
    found = ratios(op, formats, cols, geometry, weights)
    assert found and max(found.values()) <= 1, found


def _other_place(ring: Any, k: int, piece: Any, trip: Any) -> Any:
    """As Ring._at, one stage on where the first trips are copied to."""
    return RIGHT(ring, k, piece, trip + int(trip.op.name == "CONST"))


def _other_thread(ring: Any, k: int, piece: Any, trip: Any) -> Any:
    """As Ring._at, but all threads of a group share one place."""
    return RIGHT(ring, k, piece, trip) - ring.c.lane * piece.width


def _other_piece(ring: Any, k: int, piece: Any, trip: Any) -> Any:
    """As Ring._at, but the pieces of a trip lie on each other."""
    return RIGHT(ring, k, piece, trip) - piece.place


RIGHT = staged.Ring._at


@pytest.mark.cl
@pytest.mark.parametrize("wrong", [_other_place, _other_thread, _other_piece])
def test_a_wrong_place_is_seen(monkeypatch: pytest.MonkeyPatch, wrong: Any) -> None:
    monkeypatch.setattr(staged.Ring, "_at", wrong)
    assert not ratios(*CASES[2])["x"] <= 1


@pytest.mark.cl
def test_a_refill_of_the_wrong_trip_is_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    """The trip behind the one that follows: its place is that of a trip to come."""
    right = staged.Ring._copies

    def later(r: Any, k: int, memory: Any, trip: Any, *rest: Any) -> list[Any]:
        return right(r, k, memory, trip + int(trip.op.name != "CONST"), *rest)

    monkeypatch.setattr(staged.Ring, "_copies", later)
    assert not ratios(*CASES[2])["x"] <= 1


GATE_UP = ("gate_up_lanes_q8_q8", "gate_up", "Q4_K")
MIXED = ("chain_lanes_qkv_planes", "norm+qkv", "Q4_K+Q4_K+Q6_K")


@pytest.mark.parametrize(
    ("case", "geometry"),
    [
        (GATE_UP, "ahead=2 groups=16 lanes=8 rows=2 unroll=1 wide=0 words=4"),
        (GATE_UP, "ahead=4 groups=16 lanes=4 rows=2 unroll=1 wide=0 words=4"),
        (MIXED, "ahead=2 groups=16 lanes=8 rows=1 unroll=1 words=8"),
    ],
)
def test_groups_are_counted_and_the_first_are_under_way_before_the_wait(
    case: tuple[str, str, str], geometry: str
) -> None:
    """As many groups in front as stages; in each trip of each loop one is waited for, read, filled
    again and summed. No local memory beyond what is counted, and no barrier in a loop."""
    ((_, text),) = cuda_kernels.rendered(*case, geometry)
    route, work = registry.route(case[0]), cuda_kernels.work_item(*case[1:])
    axes = Geometry.parse(geometry)
    stages = axes.get("ahead", 0)
    before, _, behind = text.partition(dependent.INSTRUCTION)
    copied, closed = "cp.async.cg.shared.global", "cp.async.commit_group"
    assert before.count(closed) == stages and "for (" not in before
    assert copied in before.rpartition(closed)[0] and copied not in before.rpartition(closed)[2]
    ring = max(re.findall(r"(buf\d+)\[(\d+)\];", text), key=lambda found: int(found[1]))[0]
    loops = behind.split("for (")[1:]
    loops = [x.partition("\n  }")[0] for x in loops if "wait_group" in x]
    assert len(loops) == len(work.tables) if case is MIXED else 1
    for loop in loops:
        order = (f"wait_group {stages - 1};", f"*((uint4*)(({ring}+", copied, closed, "__dp4a")
        places = [loop.find(word) for word in order]
        assert places == sorted(places) and -1 not in places
        assert loop.count("wait_group") == loop.count(closed) == 1
        assert "__syncthreads" not in loop
    shared = [4 * int(n) for n in re.findall(r"__shared__.*\[(\d+)\];", text)]
    counted = local_bytes(Case(work, route, cuda_kernels.CHIP, axes))
    assert 0.85 * counted <= sum(shared) <= counted


def test_rules_say_what_can_be_staged() -> None:
    def why(name: str, op: str, kind: str, text: str, **facts: Any) -> tuple[str, str] | None:
        chip = cuda_kernels.CHIP.model_copy(update=facts)
        route, work = registry.route(name), cuda_kernels.work_item(op, kind)
        bad = bubblebeam.geometry_legal(work, route, Geometry.parse(text), chip)
        return bad and (bad.reason, bad.detail)

    two = "ahead=2 groups=16 lanes=8 rows=2 unroll={} wide=0 words=4"
    assert why(*GATE_UP, two.format(1)) is None
    reason, detail = why(*GATE_UP, two.format(2)) or ("", "")
    assert reason == "local-memory" and detail == "66048 bytes per workgroup"
    undeclared = why(*GATE_UP, two.format(1), async_copy=None)
    assert undeclared == ("fact-undeclared", "async_copy")
    down = "groups=8 lanes=32 rows=1 split={} unroll=1 words=4 ahead={}"
    few = why("gemv_lanes_q8", "down", "Q4_K", down.format(4, 4) + " wide=0")
    assert few == ("same-kernel", "ahead=4 with 3 trips")
    halves = why("gemv_lanes_q8", "down", "Q6_K", down.format(1, 2) + " wide=0")
    assert halves == ("copy-width", "ffn_down: Q6_K lies on half-words")
    assert why("gemv_lanes_planes_q8", "down", "Q6_K", down.format(1, 2)) is None


def test_what_cannot_be_staged_is_refused() -> None:
    work = cuda_kernels.work_item("down", "Q6_K")
    route, geometry = bench.route(work, takes="q8"), Geometry.of(lanes=8, words=4, ahead=2)
    with pytest.raises(ValueError, match="half-words"):
        tinygrad_render.sink(lanes_gemv.emit(work, route, geometry, bench.target())[0])
    q4 = cuda_kernels.work_item("down", "Q4_K")
    with pytest.raises(ValueError, match="METAL has no copies"):
        tinygrad_render.sink(lanes_gemv.emit(q4, route, geometry, bench.target("METAL"))[0])
