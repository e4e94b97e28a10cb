"""Attention that streams positions in lane groups: every shape of head on CL against float64."""

from __future__ import annotations

from typing import Any

import lanes_bench as bench
import numpy as np
import pytest

from boltbeam import registry
from boltbeam.emit import lanes_stream
from boltbeam.models.plan import timed_position
from boltbeam.predict import bubblebeam, chips, futuresight
from boltbeam.types import Geometry

HEADS: dict[str, dict[str, Any]] = {
    "thirds": {},
    "grouped": {"heads": 8, "kv_heads": 2, "head_dim": 128, "rope_dim": 128, "qk_norm": True},
    "partly": {"head_dim": 128, "rope_dim": 32, "rope_interleaved": True},
    "odd": {"heads": 2, "kv_heads": 2, "head_dim": 80, "rope_dim": 80},
    "odd two": {"heads": 4, "kv_heads": 2, "head_dim": 80, "rope_dim": 80, "qk_norm": True},
    "window": {"window": 20},
}
FAST = [
    # op, heads, position, gives, geometry
    ("attention", "thirds", 37, "q8", "lanes=16 threads=32 split=2 unroll=2"),
    ("rope_store+attention", "thirds", 127, "f32", "lanes=16 threads=32 split=4 unroll=1 ahead=1"),
    ("rope_store+attention", "window", 9, "f32", "lanes=16 threads=32 split=4 unroll=1 ahead=0"),
    ("rope_store+attention", "grouped", 70, "q8", "lanes=8 threads=64 split=4 unroll=1 ahead=1 lean=1"),
    ("attention", "thirds", 37, "q8", "lanes=16 threads=32 split=2 unroll=2 lean=1"),
]
SLOW = [
    ("attention", "thirds", 0, "q8", "lanes=16 threads=32 split=2 unroll=4"),
    ("attention", "window", 127, "f32", "lanes=4 threads=32 split=2 unroll=1"),
    ("rope_store+attention", "grouped", 127, "q8", "lanes=8 threads=64 split=4 unroll=1 ahead=1"),
    ("rope_store+attention", "grouped", 0, "f32", "lanes=32 threads=64 split=2 unroll=2 ahead=1"),
    ("rope_store+attention", "window", 37, "f32", "lanes=8 threads=32 split=4 unroll=1 ahead=1"),
    ("rope_store+attention", "grouped", 127, "f32", "lanes=16 threads=32 split=4 unroll=2 ahead=2"),
    ("rope_store+attention", "window", 70, "f32", "lanes=8 threads=32 split=1 unroll=1 ahead=2"),
    ("rope_store+attention", "odd", 64, "f32", "lanes=4 threads=64 split=4 unroll=2 ahead=0"),
    ("attention", "grouped", 127, "f32", "lanes=4 threads=64 split=2 unroll=1 lean=1"),
    ("attention", "window", 127, "f32", "lanes=4 threads=32 split=2 unroll=2 lean=1"),
    ("attention", "odd two", 0, "f32", "lanes=4 threads=64 split=4 unroll=2 lean=1"),
    ("rope_store+attention", "thirds", 0, "f32", "lanes=16 threads=64 split=4 unroll=2 ahead=1 lean=1"),
    ("rope_store+attention", "thirds", 127, "q8", "lanes=16 threads=256 split=4 unroll=2 ahead=1 lean=1"),
    ("rope_store+attention", "grouped", 127, "f32", "lanes=16 threads=32 split=4 unroll=2 ahead=2 lean=1"),
    ("rope_store+attention", "partly", 99, "q8", "lanes=32 threads=64 split=2 unroll=2 ahead=0 lean=1"),
    ("rope_store+attention", "window", 37, "f32", "lanes=8 threads=32 split=4 unroll=1 ahead=1 lean=1"),
    ("rope_store+attention", "window", 70, "f32", "lanes=8 threads=32 split=1 unroll=1 ahead=2 lean=1"),
    ("rope_store+attention", "odd two", 64, "f32", "lanes=4 threads=64 split=4 unroll=2 ahead=0 lean=1"),
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
def test_a_position_left_out_is_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    seen = lanes_stream.seen

    def short(work: Any, position: Any, own: int) -> tuple[Any, Any]:
        begin, live = seen(work, position, own)
        return begin, live - 1

    monkeypatch.setattr(lanes_stream, "seen", short)
    work = bench.work_item("attention")
    geometry = Geometry.parse("lanes=16 threads=32 split=2 unroll=1")
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
