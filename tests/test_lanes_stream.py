"""Attention that streams positions in lane groups: every shape of head on CL against float64."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import cuda_on_cpu
import lanes_bench as bench
import numpy as np
import pytest

from boltbeam import registry
from boltbeam.emit import lanes_lean, lanes_stream
from boltbeam.models.plan import timed_position
from boltbeam.predict import bubblebeam, chips, futuresight
from boltbeam.seam import tinygrad_render
from boltbeam.types import Geometry

HEADS: dict[str, dict[str, Any]] = {
    "thirds": {},
    "grouped": {"heads": 8, "kv_heads": 2, "head_dim": 128, "rope_dim": 128, "qk_norm": True},
    "partly": {"head_dim": 128, "rope_dim": 32, "rope_interleaved": True},
    "odd": {"heads": 2, "kv_heads": 2, "head_dim": 80, "rope_dim": 80},
    "odd pair": {"heads": 4, "kv_heads": 2, "head_dim": 80, "rope_dim": 80, "qk_norm": True},
    "window": {"window": 20},
}
ROPE = "rope_store+attention"
FAST = [
    # op, heads, position, gives, geometry
    ("attention", "thirds", 37, "q8", "lanes=16 threads=32 split=2 unroll=2"),
    (ROPE, "thirds", 127, "f32", "lanes=16 threads=32 split=4 unroll=1 ahead=1"),
    (ROPE, "window", 9, "f32", "lanes=16 threads=32 split=4 unroll=1 ahead=0"),
    (ROPE, "grouped", 70, "q8", "lanes=8 threads=64 split=4 unroll=1 ahead=1 lean=1"),
    ("attention", "thirds", 37, "q8", "lanes=16 threads=32 split=2 unroll=2 lean=1"),
]
SLOW = [
    ("attention", "thirds", 0, "q8", "lanes=16 threads=32 split=2 unroll=4"),
    ("attention", "window", 127, "f32", "lanes=4 threads=32 split=2 unroll=1"),
    (ROPE, "grouped", 127, "q8", "lanes=8 threads=64 split=4 unroll=1 ahead=1"),
    (ROPE, "grouped", 0, "f32", "lanes=32 threads=64 split=2 unroll=2 ahead=1"),
    (ROPE, "window", 37, "f32", "lanes=8 threads=32 split=4 unroll=1 ahead=1"),
    (ROPE, "grouped", 127, "f32", "lanes=16 threads=32 split=4 unroll=2 ahead=2"),
    (ROPE, "window", 70, "f32", "lanes=8 threads=32 split=1 unroll=1 ahead=2"),
    (ROPE, "odd", 64, "f32", "lanes=4 threads=64 split=4 unroll=2 ahead=0"),
    ("attention", "grouped", 127, "f32", "lanes=4 threads=64 split=2 unroll=1 lean=1"),
    ("attention", "window", 127, "f32", "lanes=4 threads=32 split=2 unroll=2 lean=1"),
    ("attention", "odd pair", 0, "f32", "lanes=4 threads=64 split=4 unroll=2 lean=1"),
    (ROPE, "thirds", 0, "f32", "lanes=16 threads=64 split=4 unroll=2 ahead=1 lean=1"),
    (ROPE, "thirds", 127, "q8", "lanes=16 threads=256 split=4 unroll=2 ahead=1 lean=1"),
    (ROPE, "grouped", 127, "f32", "lanes=16 threads=32 split=4 unroll=2 ahead=2 lean=1"),
    (ROPE, "partly", 99, "q8", "lanes=32 threads=64 split=2 unroll=2 ahead=0 lean=1"),
    (ROPE, "window", 37, "f32", "lanes=8 threads=32 split=4 unroll=1 ahead=1 lean=1"),
    (ROPE, "window", 70, "f32", "lanes=8 threads=32 split=1 unroll=1 ahead=2 lean=1"),
    (ROPE, "odd pair", 64, "f32", "lanes=4 threads=64 split=4 unroll=2 ahead=0 lean=1"),
]
CASES = [*FAST, *(pytest.param(*c, marks=pytest.mark.slow) for c in SLOW)]


@pytest.mark.cl
@pytest.mark.parametrize(("op", "heads", "position", "gives", "geometry"), CASES)
def test_stream(op: str, heads: str, position: int, gives: str, geometry: str) -> None:
    work = bench.work_item(op, **HEADS[heads])
    route = bench.route(work, gives=gives)
    launches = lanes_stream.emit(work, route, Geometry.parse(geometry), bench.target())
    arrays = bench.arrays_for(work, launches, np.random.default_rng(1), position=position)
    ratios = bench.worst(work, bench.execute(launches, arrays), arrays)
    assert ratios and max(ratios.values()) <= 1, ratios


LEAN = [(c, i > 0) for i, c in enumerate(c for c in (*FAST, *SLOW) if "lean=1" in c[-1])]


@pytest.mark.parametrize(
    ("op", "heads", "position", "gives", "geometry"),
    [pytest.param(*c, marks=[pytest.mark.slow] if slow else []) for c, slow in LEAN],
)
def test_lean_cuda_on_this_cpu(
    op: str, heads: str, position: int, gives: str, geometry: str, tmp_path: Path
) -> None:
    """The very text that an NVIDIA GPU gets, shuffles and all."""
    ratios = _on_cpu(op, heads, position, gives, geometry, tmp_path)
    assert ratios and max(ratios.values()) <= 1, ratios


def _on_cpu(
    op: str, heads: str, position: int, gives: str, geometry: str, folder: Path
) -> dict[str, float]:
    if not cuda_on_cpu.COMPILER:
        pytest.skip("no compiler of C++: apt install g++")
    work = bench.work_item(op, **HEADS[heads])
    target = bench.target("CUDA", shuffle=True, half=True)
    route = bench.route(work, gives=gives)
    launches = lanes_stream.emit(work, route, Geometry.parse(geometry), target)
    arrays = bench.arrays_for(work, launches, np.random.default_rng(1), position=position)
    return bench.worst(work, cuda_on_cpu.execute(launches, arrays, folder), arrays)


WRONG: dict[str, tuple[str, Callable[..., Any]]] = {
    "maxima of one lane group alone": ("_over_groups", lambda c, p, values, f: list(values)),
    "sums of one lane group alone": (
        "_scattered",
        lambda c, p, values: list(values[: len(values) * p.lanes // 32]),
    ),
    "the key not as the cache holds it": ("rounded", lambda c, value: value),
    "every lane's slots in the order of the heads": ("head", lambda p, at, slot: slot),
    "queries of another scale": ("scale", lambda p: p.hd**-0.5),
}


@pytest.mark.parametrize("wrong", WRONG)
def test_a_wrong_lean_kernel_is_seen(
    wrong: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Position 0 is the token itself: its value's rounding is all that is left of it."""
    name, instead = WRONG[wrong]
    monkeypatch.setattr(lanes_lean, name, instead)
    position = 0 if name == "rounded" else 70
    geometry = "lanes=8 threads=64 split=2 unroll=1 ahead=1 lean=1"
    with np.errstate(over="ignore"):  # what no thread has stored is far off
        ratios = _on_cpu(ROPE, "grouped", position, "f32", geometry, tmp_path)
    assert ratios["att.f32"] > 1


@pytest.mark.parametrize("suffix", ["cu", "metal", "hip"])
def test_golden_source_of_lean(suffix: str, golden: Callable[[str, str], None]) -> None:
    renderer, device = {
        "cu": ("CUDA:sm_90", "CUDA"),
        "metal": ("METAL", "METAL"),
        "hip": ("HIP:gfx1100", "AMD"),
    }[suffix]
    work = bench.work_item("rope_store+attention", **HEADS["grouped"])
    geometry = Geometry.parse("ahead=1 lanes=16 lean=1 split=4 threads=64 unroll=2")
    target = bench.target(device, shuffle=True, half=True)
    launch, _ = lanes_stream.emit(work, bench.route(work), geometry, target)
    golden(f"lanes_stream_lean.{suffix}", tinygrad_render.render(launch, renderer) + "\n")


def test_lean_sums_that_do_not_divide_are_refused() -> None:
    work = bench.work_item("attention", **HEADS["odd"])
    geometry = Geometry.parse("lanes=4 threads=64 split=4 unroll=2 lean=1")
    with pytest.raises(ValueError, match="1 heads of 80 by a SIMD group"):
        lanes_stream.emit(work, bench.route(work), geometry, bench.target())


STRIDES = [1 << n for n in range(1, 12)]


@pytest.mark.parametrize("context", [128, 512, 4096])
def test_fused_and_plain_are_timed_with_equal_trips(context: int) -> None:
    """At half itself the one that sees the token apart would have a trip less, at every stride."""
    fused, plain = bench.work_item("rope_store+attention"), bench.work_item("attention")

    def trips(position: int, stride: int) -> tuple[int, int]:
        lives = (lanes_stream.seen(fused, position, 0)[1], lanes_stream.seen(plain, position, 1)[1])
        return -(-lives[0] // stride), -(-lives[1] // stride)

    for stride in (s for s in STRIDES if s <= context // 2):
        one, other = trips(timed_position(context), stride)
        assert one == other == context // 2 // stride + 1, stride
        at_half = trips(context // 2, stride)
        assert at_half[0] + 1 == at_half[1] == one, stride


@pytest.mark.cl
@pytest.mark.parametrize("lean", [0, 1])
def test_a_position_left_out_is_seen(lean: int, monkeypatch: pytest.MonkeyPatch) -> None:
    seen = lanes_stream.seen

    def short(work: Any, position: Any, own: int) -> tuple[Any, Any]:
        begin, live = seen(work, position, own)
        return begin, live - 1

    monkeypatch.setattr(lanes_stream, "seen", short)
    work = bench.work_item("attention")
    geometry = Geometry.parse(f"lanes=16 threads=32 split=2 unroll=1 lean={lean}")
    launches = lanes_stream.emit(work, bench.route(work), geometry, bench.target())
    arrays = bench.arrays_for(work, launches, np.random.default_rng(1), position=37)
    assert bench.worst(work, bench.execute(launches, arrays), arrays)["att.f32"] > 1


def test_all_positions_of_a_short_context_in_one_trip() -> None:
    """For Qwen3's 8B and 0.6B on the H200, each way to share them; there nothing is left to read
    ahead of its turn."""
    chip = registry.chips()["nv-sm90-132sm"]
    for heads in (32, 16):
        shape = {"heads": heads, "kv_heads": 8, "head_dim": 128, "rope_dim": 128, "qk_norm": True}
        work = bench.work_item("rope_store+attention", context=512, d_model=1024, **shape)
        found: dict[int, list[Any]] = {0: [], 1: [], 2: []}
        for g, no in bubblebeam.candidates(work, registry.route("stream_lanes_rope_q8"), chip):
            groups = g.get("threads", 0) // g.get("lanes", 1) * g.get("split", 0)
            if groups * g.get("unroll", 0) == 512 and not (no and no.reason != "same-kernel"):
                found[g.get("ahead", 0)].append((g, no))
        assert {g.get("split", 0) for g, _ in found[1]} >= {8, 16, 32, 64}
        assert {g.get("lanes", 0) for g, _ in found[1]} >= {8, 16, 32}
        assert all(no is None for _, no in found[1]) and all(no for _, no in found[2])


def test_a_long_context_is_predicted_better_than_in_tiles() -> None:
    """At 4096 positions of Qwen3-8B's heads; the H200's file alone lacks rates of its probe."""
    rates = {"latency_ns": 358.8, "toll_us": 0.777, "fp32_fma_tops": 64.0, "unpack_gwps": 26700.0}
    h200 = chips.get("h200")
    given = {
        k: h200.measured["read_gbps"].model_copy(update={"value": v}) for k, v in rates.items()
    }
    chip = h200.model_copy(update={"measured": {**h200.measured, **given}})
    constants = futuresight.fit(chip)
    assert constants is not None
    heads = {"heads": 32, "kv_heads": 8, "head_dim": 128, "rope_dim": 128, "qk_norm": True}
    work = bench.work_item("rope_store+attention", context=4096, d_model=4096, **heads)
    best = {}
    for name in ("chain_lanes_attention_q8", "stream_lanes_rope_q8"):
        route = registry.route(name)
        legal = [g for g, no in bubblebeam.candidates(work, route, chip) if no is None]
        assert legal
        best[name] = min(futuresight.predict(work, route, g, chip, constants).us for g in legal)
    assert best["stream_lanes_rope_q8"] < best["chain_lanes_attention_q8"]
