"""Instruction rates: multiply-adds, int8 dot products, conversions, shifts, unpacking.

Takes a Bench, gives Measured values. Never divides a whole launch by its work: every rate is the
slope between a short and a long loop in registers.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from typing import Any

import numpy as np

from boltbeam import emit, registry
from boltbeam.chip import probe_instructions as kernels
from boltbeam.chip.probe_bench import (
    BATCH_US,
    PAIRS,
    PAIRS_FINAL,
    Bench,
    Length,
    Run,
    Slope,
    slope_of,
)
from boltbeam.chip.probe_kernels import LONGEST, Shape
from boltbeam.chip.sweeps import climb
from boltbeam.emit.core import Launch, Target
from boltbeam.measure import timing
from boltbeam.proof import sample_data
from boltbeam.seam import tinygrad_adapter as tg
from boltbeam.types import Geometry, Measured, Point, Table, WorkItem

Found = Iterator[tuple[str, Measured]]
REGISTERS = 1 << 16
"""Of a unit of NVIDIA's chips. Accumulators that take more than half of them may be spilled."""
CACHED_GEMVS = (
    "lanes=16 rows=1 scale=1 share=0 split=1 unroll=3",
    "lanes=16 rows=1 scale=1 share=0 split=2 unroll=6",
)


def measure(b: Bench) -> Found:
    """All instruction rates."""
    cd = {"cd": b.tensor(np.array([0.5, 1.0], np.float32))}
    yield from _rate(b, "fp32_fma_tops", "multiply-adds", 2, kernels.multiply_add, cd)
    yield from _chain(b, cd)
    if tg.has_half(b.device):
        halves = {"cd": b.tensor(np.array([0.5, 1.0], np.float16))}
        yield from _rate(b, "fp16_fma_tops", "fp16 multiply-adds", 2, _in_halves, halves)
    yield from unpacking(b)
    intrinsic = bool(b.chip.get("dot4")) and tg.is_cuda_source(b.device)
    word = {"word": b.tensor(np.array([0x01020304], np.int32))}
    what = "dp4a" if intrinsic else "int8 dot products of four by shifts and multiplications"
    yield from _rate(b, "dot4_tops", what, 8, lambda s: kernels.dot4(s, intrinsic), word)
    first = {"first": b.tensor(np.array([1.0], np.float32))}
    yield from _rate(b, "convert_tops", "int32 to fp32", 1, kernels.convert, first)
    words = {"words": b.tensor(np.array([0xFFFFFFFF, 1], np.uint32))}
    yield from _rate(b, "shift_tops", "shifts of 32-bit words", 1, kernels.shift, words)


def _in_halves(s: Shape) -> Launch:
    return kernels.multiply_add(s, "f16")


def shapes(b: Bench) -> Sequence[Shape]:
    """Enough independent accumulators, on all units."""
    if b.rows_form:
        return [Shape(n) for n in (64, 128, 192)]
    if b.imitated:
        return [Shape(n, b.units * g) for n, g in ((16, 1), (64, 4))]
    top = int(b.chip.get("max_threads") or 256)
    workers = [(8, 8, 256), (16, 4, 256), (4, 16, 256)]
    workers += [(4, 8, 512), (16, 8, 128), (8, 4, 1024)] if b.full else []
    return [Shape(n, b.units * g, t) for n, g, t in workers if t <= top]


def _rate(
    b: Bench,
    key: str,
    what: str,
    each: int,
    launch: Callable[[Shape], Launch],
    contents: Mapping[str, Any],
) -> Found:
    """The best shape's slope over trips; an operation counts `each`."""
    runs: dict[str, tuple[Run, Shape, int]] = {}
    points: list[Point] = []
    for s in shapes(b):
        run = Run(b, launch(s), contents)
        n = max(4, run.longest(Length, LONGEST))
        slope = _slope(run, n, PAIRS)
        if slope is not None:
            runs[str(s)] = run, s, n
            points.append(b.point(str(s), _tops(each, s, slope), slope.spread))
    if not points:
        return
    best = max(points, key=lambda p: p.value)
    run, s, n = runs[best.at]
    slope = _slope(run, n, PAIRS_FINAL)
    if slope is not None:
        how = f"{what} in registers, {s}, slope of {n // 4} to {n} trips, best of {len(points)}"
        yield key, b.measured(_tops(each, s, slope), "T/s", how, slope.spread, points)


def matrix(b: Bench) -> Found:
    """Grids, accumulators and workgroup sizes in turn, each again at the winner of the others."""
    unit = tg.matrix_unit(b.device)
    if unit is None:
        return
    of_a, of_b, held = unit.elements_per_thread
    # of zeros the unit is faster and draws less power
    size = unit.threads * (of_a + of_b)
    halves = np.random.default_rng(0).standard_normal(size).astype(np.float16)
    contents, (n, m, k) = {"ab": b.tensor(halves)}, unit.dims
    each = 2 * n * m * k / unit.threads

    def rate(s: Shape, pairs: int = PAIRS) -> Point | None:
        run = Run(b, kernels.matrix(s, unit), contents)
        trips = max(4, run.longest(Length, LONGEST))
        slope = _slope(run, trips, pairs)
        return None if slope is None else b.point(str(s), _tops(each, s, slope), slope.spread)

    def near(s: Shape) -> list[Shape]:
        fit = [t for t in b.near(s) if held * t.lanes * t.threads <= REGISTERS // 2]
        return [t for t in fit if t.words == 1 and t.order == s.order and t.lanes <= 16]

    sweep = climb([Shape(4, 2 * b.units, 256)], near, rate, b.at_most // 2)
    final = rate(sweep.best, PAIRS_FINAL) if sweep is not None else None
    if sweep is not None and final is not None:
        how = (
            f"fp16 {m}x{n}x{k} products into fp32 as tinygrad renders them, in registers, random "
            f"numbers, {sweep.best}; {len(sweep.points)} settings, {sweep.stop}"
        )
        points = (*sweep.points, final)
        yield "matrix_tops", b.measured(final.value, "T/s", how, final.spread or 0.0, points)


def _slope(run: Run, n: int, pairs: int) -> Slope | None:
    return run.slope(Length(n // 4), Length(n), n - n // 4, pairs)


def _tops(each: float, s: Shape, slope: Slope) -> float:
    return each * s.lanes * s.words * s.total / slope.ns / 1e3


def _chain(b: Bench, cd: Mapping[str, Any]) -> Found:
    run = Run(b, kernels.multiply_add(b.single), cd)
    n = max(4, run.longest(Length, LONGEST))
    slope = _slope(run, n, PAIRS_FINAL)
    if slope is not None:
        how = f"multiply-adds, each of the one before, slope of {n // 4} to {n}"
        yield "fma_chain_ns", b.measured(slope.ns, "ns", how, slope.spread)


# ---- unpacking ---------------------------------------------------------------------------------


def unpacking(b: Bench) -> Found:
    """How fast packed codes become fp32 products. Rows form: by the emitter's own inner loop."""
    if b.rows_form:
        yield from _gemv_in_cache(b)
        return
    n = 4096
    contents = {
        "w": b.tensor(np.arange(n, dtype=np.uint8)),
        "x": b.tensor(np.full(n, 0.5, np.float32)),
    }
    points: list[tuple[Point, Run, Shape, int]] = []
    for s in _unpackers(b, n):
        run = Run(b, kernels.unpack(s, n), contents)
        width = n // (s.lanes * s.threads)
        passes = max(4, run.longest(partial(Length, width), LONGEST))
        slope = _unpack_slope(run, width, passes, PAIRS)
        if slope is not None:
            rate = n * s.groups / slope.ns
            points.append((b.point(str(s), rate, slope.spread), run, s, passes))
    if not points:
        return
    _, run, s, passes = max(points, key=lambda p: p[0].value)
    slope = _unpack_slope(run, n // (s.lanes * s.threads), passes, PAIRS_FINAL)
    if slope is not None:
        how = (
            f"bytes to float times activation, {n} of them in the nearest cache, {s}, slope of "
            f"{passes // 4} to {passes} passes, best of {len(points)}"
        )
        rate = n * s.groups / slope.ns
        yield "unpack_gwps", b.measured(rate, "G/s", how, slope.spread, [p[0] for p in points])


def _unpackers(b: Bench, n: int) -> list[Shape]:
    if b.imitated:
        return [Shape(n, b.units * g) for n, g in ((16, 1), (64, 4))]
    top = int(b.chip.get("max_threads") or 256)
    made = [Shape(*s) for s in ((8, 8 * b.units, 128), (4, 8 * b.units, 256))]
    made.append(Shape(8, 4 * b.units, 256))
    return [s for s in made if s.threads <= top and n % (s.lanes * s.threads) == 0]


def _unpack_slope(run: Run, width: int, passes: int, pairs: int) -> Slope | None:
    few = passes // 4
    return run.slope(Length(width, few), Length(width, passes), passes - few, pairs)


def _gemv_in_cache(b: Bench) -> Found:
    """Q8_0 tables of two sizes times a vector, again and again: the slope leaves the launch out.

    Every block ends in one sum, so the time of a block bounds what a sum in a chain costs there:
    a core that works on several rows at once hides part of the latency of a lone chain.
    """
    few, many = (_gemv_item(rows) for rows in (256, 1024))
    found: dict[str, Slope] = {}
    for text in CACHED_GEMVS:
        short, long = (_gemv_run(b, item, text) for item in (few, many))
        units = float(many.weights - few.weights)
        counts = short.replays_for(BATCH_US), long.replays_for(BATCH_US)
        slope = slope_of(
            partial(short.batch_us, counts[0]),
            partial(long.batch_us, counts[1]),
            units,
            PAIRS_FINAL,
        )
        if slope is None:
            return  # so disturbed that more rows took no longer
        found[text] = slope
    size = f"{many.tables[0].rows} against {few.tables[0].rows} rows of {many.d_model} in Q8_0"
    text = min(found, key=lambda t: found[t].ns)
    how = f"GEMV in cache, {text}, {size}, slope"
    yield "unpack_gwps", b.measured(1 / found[text].ns, "G/s", how, found[text].spread)
    single = found[CACHED_GEMVS[0]]
    how = f"time per block at most: GEMV in cache, {CACHED_GEMVS[0]}, {size}, slope"
    yield "sum_chain_ns", b.measured(32 * single.ns, "ns", how, single.spread)


def _gemv_item(rows: int) -> WorkItem:
    table = Table(role="output", rows=rows, cols=576, format="Q8_0")
    return WorkItem(
        op="head",
        tables=(table,),
        d_model=table.cols,
        heads=1,
        kv_heads=1,
        head_dim=64,
        rope_dim=64,
        norm_eps=1e-5,
        vocab=rows,
        context=64,
    )


def _gemv_run(b: Bench, item: WorkItem, geometry: str) -> timing.Deployed:
    route, target = registry.route("gemv_rows_f32"), Target(b.device, b.chip)
    (launch,) = emit.launches(item, route, Geometry.parse(geometry), target)
    made = sample_data.arrays(item, launch.ins, np.random.default_rng(0), "random")
    contents = {x.name: b.tensor(made[x.name].view(tg.NUMPY[x.dtype])) for x in launch.ins}
    return b.deploy(launch, contents, 8)
