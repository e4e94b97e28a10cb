"""Attention in one launch, a workgroup a query head: every shape of head on CL against float64."""

from __future__ import annotations

from typing import Any

import lanes_bench as bench
import numpy as np
import pytest
from test_lanes_stream import HEADS

from boltbeam.emit import lanes_solo
from boltbeam.types import Geometry

FAST = [
    # op, heads, position, gives, geometry
    ("attention", "thirds", 37, "q8", "lanes=16 threads=32 unroll=2"),
    ("rope_store+attention", "thirds", 127, "f32", "lanes=16 threads=64 unroll=1"),
    ("rope_store+attention", "window", 9, "f32", "lanes=16 threads=32 unroll=2"),
]
SLOW = [
    ("attention", "thirds", 0, "q8", "lanes=8 threads=64 unroll=4"),
    ("attention", "window", 127, "f32", "lanes=4 threads=32 unroll=1"),
    ("attention", "grouped", 127, "q8", "lanes=8 threads=256 unroll=4"),
    ("rope_store+attention", "grouped", 127, "q8", "lanes=8 threads=256 unroll=2"),
    ("rope_store+attention", "grouped", 0, "f32", "lanes=32 threads=128 unroll=2"),
    ("rope_store+attention", "window", 37, "f32", "lanes=8 threads=32 unroll=1"),
    ("rope_store+attention", "window", 127, "q8", "lanes=4 threads=64 unroll=1"),
]
CASES = [*FAST, *(pytest.param(*c, marks=pytest.mark.slow) for c in SLOW)]


@pytest.mark.cl
@pytest.mark.parametrize(("op", "heads", "position", "gives", "geometry"), CASES)
def test_solo(op: str, heads: str, position: int, gives: str, geometry: str) -> None:
    work = bench.work_item(op, **HEADS[heads])
    route = bench.route(work, gives=gives)
    launches = lanes_solo.emit(work, route, Geometry.parse(geometry), bench.target())
    assert len(launches) == 1
    arrays = bench.arrays_for(work, launches, np.random.default_rng(1), position=position)
    ratios = bench.worst(work, bench.execute(launches, arrays), arrays)
    assert ratios and max(ratios.values()) <= 1, ratios


@pytest.mark.cl
@pytest.mark.parametrize("op", ["attention", "rope_store+attention"])
def test_what_is_not_there_yet_counts_nothing(op: str) -> None:
    """Keys and values behind the position are read before it is known: NaN among them."""
    work = bench.work_item(op)
    geometry = Geometry.parse("lanes=16 threads=64 unroll=4")
    launches = lanes_solo.emit(work, bench.route(work), geometry, bench.target())
    arrays = bench.arrays_for(work, launches, np.random.default_rng(1), position=5)
    cache = arrays["cache"].reshape(2, work.kv_heads, work.context, work.head_dim)
    behind = 6 if op == "attention" else 5
    cache[:, :, behind:] = np.nan if cache.dtype == np.float16 else 0x7E00
    out = bench.execute(launches, arrays)
    assert np.isfinite(out["att.f32"]).all()
    clean = {**arrays, "cache": np.nan_to_num(arrays["cache"]).astype(arrays["cache"].dtype)}
    if cache.dtype != np.float16:
        cleaned = clean["cache"].reshape(cache.shape)
        cleaned[:, :, behind:] = 0
    assert np.array_equal(bench.execute(launches, clean)["att.f32"], out["att.f32"])


@pytest.mark.cl
def test_a_group_left_out_is_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    def one_less(p: Any, at: Any, trip: Any) -> list[Any]:
        return [m + 1 for m in positions(p, at, trip)]

    positions = lanes_solo._mine
    monkeypatch.setattr(lanes_solo, "_mine", one_less)
    work = bench.work_item("attention")
    geometry = Geometry.parse("lanes=16 threads=32 unroll=1")
    launches = lanes_solo.emit(work, bench.route(work), geometry, bench.target())
    arrays = bench.arrays_for(work, launches, np.random.default_rng(1), position=37)
    assert bench.worst(work, bench.execute(launches, arrays), arrays)["att.f32"] > 1
