"""The memory's rates: read, copy, caches by working set, latency, and whether cold is cold.

Takes a Bench, gives Measured values with every point of their sweeps. Never reports a rate of a
geometry that was not raced against its neighbours, never a whole launch divided by its bytes.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from itertools import pairwise
from typing import Any

import numpy as np

from boltbeam.chip import probe_kernels as kernels
from boltbeam.chip.probe_bench import (
    PAIRS,
    PAIRS_FINAL,
    Bench,
    Length,
    Run,
    Slope,
)
from boltbeam.chip.probe_findings import size
from boltbeam.chip.probe_kernels import Shape
from boltbeam.chip.sweeps import Sweep, climb, grow, levels
from boltbeam.types import Measured, Point

SET_FACTOR = 4.25
"""A memory-bound working set is at least this many last-level caches."""
SET_BYTES_UNKNOWN = 512 << 20
"""Working set where nobody declares the cache."""
LARGEST_BYTES = {"gpu": 4 << 30, "cpu": 512 << 20}
SMALL_WORDS = 4096
"""A set that the nearest cache of one core holds."""
MEMORY_SHARE = {"gpu": 4, "cpu": 8}
"""… and at most the device's memory divided by this."""
Found = Iterator[tuple[str, Measured]]


class Memory:
    """The big array of one probe, and what was found out about reading it."""

    def __init__(self, bench: Bench) -> None:
        self.bench = bench
        cache = bench.chip.get("cache_bytes")
        self.cache_bytes = int(cache) if cache else None
        least = int(cache * SET_FACTOR) if cache else SET_BYTES_UNKNOWN
        self.sets = self._sets(least)
        self.x, self.words = self._largest()
        self.sets = [n for n in self.sets if n <= self.words]
        self.shape: Shape | None = None

    def _sets(self, least: int) -> list[int]:
        """Working sets in words: half of `least`, that, and doublings as far as allowed."""
        b = self.bench
        kind = "cpu" if b.on_cpu else "gpu"
        memory = b.chip.get("memory_bytes")
        most = LARGEST_BYTES[kind] if b.full or not b.on_cpu else 2 * least
        most = min(most, int(memory) // MEMORY_SHARE[kind]) if memory else min(most, 2 * least)
        sizes = [least / 2, float(least)]
        while sizes[-1] * 2 <= most:
            sizes.append(sizes[-1] * 2)
        return [b.whole(size / 4) for size in sizes]

    def _largest(self) -> tuple[Any, int]:
        """The array for the largest set that can be had."""
        for n in self.sets[:1:-1]:
            try:
                return self.bench.floats(n), n
            except (MemoryError, RuntimeError):
                continue  # another process holds the memory: a smaller set will do
        return self.bench.floats(self.sets[1]), self.sets[1]

    def run(self, shape: Shape, rotate: bool = False) -> Run:
        return Run(self.bench, kernels.read(shape, self.words, rotate), {"x": self.x})

    def slope(
        self, run: Run, shape: Shape, few: int, many: int, pairs: int, each: float = 4.0
    ) -> Slope | None:
        """Nanoseconds per byte more between sets of `few` and `many` words of `each` bytes."""
        a, z = few // shape.step, many // shape.step
        if a < 1 or z <= a:
            return None  # the grid is wider than what lies between the two
        return run.slope(Length(a), Length(z), each * (z - a) * shape.step, pairs)


def measure(b: Bench) -> Found:
    """All rates of the memory."""
    memory = Memory(b)
    yield from _read(b, memory)
    if memory.shape is None:
        return
    yield from _copy(b, memory, memory.shape)
    yield from _cached(b, memory, memory.shape)
    yield from _latency(b, 4 * memory.sets[1])


# ---- memory ------------------------------------------------------------------------------------


def _read(b: Bench, m: Memory) -> Found:
    """Geometries until none gains, then growing sets with the best one until the rate is flat."""

    def rate(shape: Shape) -> Point | None:
        slope = m.slope(m.run(shape), shape, m.sets[0], m.sets[1], PAIRS)
        if slope is None:
            return None
        return b.point(str(shape), 1 / slope.ns, slope.spread, shape.in_flight)

    sweep = climb(b.starts(), b.near, rate, b.at_most)
    if sweep is None:
        return
    m.shape = shape = sweep.best
    run = m.run(shape)
    yield from _grown(
        b,
        m,
        "read_gbps",
        "read sums",
        sweep,
        lambda few, many: m.slope(run, shape, few, many, PAIRS_FINAL),
    )


def _copy(b: Bench, m: Memory, shape: Shape) -> Found:
    """Read + written bytes of a copy, as the read; it begins with the best reading geometry too."""
    to = b.floats(m.words)

    copied = partial(m.slope, each=8.0)

    def run_of(s: Shape) -> Run:
        return Run(b, kernels.copy(s, m.words), {"x": m.x, "y": to})

    def rate(s: Shape) -> Point | None:
        slope = copied(run_of(s), s, m.sets[0], m.sets[1], PAIRS)
        return None if slope is None else b.point(str(s), 1 / slope.ns, slope.spread)

    sweep = climb(
        list(dict.fromkeys([shape, *b.copying_starts()])), b.near, rate, max(3, b.at_most)
    )
    if sweep is not None:
        run, best = run_of(sweep.best), sweep.best
        yield from _grown(
            b,
            m,
            "copy_gbps",
            "copies, read + written bytes",
            sweep,
            lambda few, many: copied(run, best, few, many, PAIRS_FINAL),
        )


def _grown(
    b: Bench,
    m: Memory,
    name: str,
    what: str,
    sweep: Sweep[Shape],
    slope_of: Callable[[int, int], Slope | None],
) -> Found:
    """The rate of a sweep's best geometry, between growing sets until it is flat."""

    def larger(pair: tuple[int, int]) -> Point | None:
        slope = slope_of(*pair)
        at = f"{pair[0] * 4 / 1e6:.0f} to {pair[1] * 4 / 1e6:.0f} MB, {sweep.best}"
        in_flight = sweep.best.in_flight
        return None if slope is None else b.point(at, 1 / slope.ns, slope.spread, in_flight)

    grown = grow(list(pairwise(m.sets)), larger)
    if grown is None:
        return
    best = max(grown.points[-2:], key=lambda p: p.value)
    how = (
        f"slope of {what}, {best.at}; {len(sweep.points)} geometries, {sweep.stop}; "
        f"{len(grown.points) + 1} sets, {grown.stop}"
    )
    points = (*sweep.points, *grown.points)
    yield name, b.measured(best.value, "GB/s", how, best.spread or 0.0, points)


# ---- caches ------------------------------------------------------------------------------------


def _cached(b: Bench, m: Memory, shape: Shape) -> Found:
    """The rate of a set that stays cached, then the curve over ever larger sets and its steps."""
    if m.cache_bytes is None:
        return
    words = m.cache_bytes // 64
    sweep = _fitting(b, m, shape, words)
    if sweep is not None:
        slope = _pass_slope(m.run(sweep.best, _rotates(b)), sweep.best, words, PAIRS_FINAL)
        if slope is not None:
            how = (
                f"slope over passes of the same {size(4.0 * words)}, {sweep.best}"
                f"{_changing(b)}; {len(sweep.points)} geometries, {sweep.stop}"
            )
            yield "cached_gbps", b.measured(1 / slope.ns, "GB/s", how, slope.spread, sweep.points)
    best = shape if sweep is None else sweep.best
    near = _fitting(b, m, best, SMALL_WORDS) if b.rows_form or b.full else None
    yield from _levels(b, m, best if near is None else near.best)


def _levels(b: Bench, m: Memory, shape: Shape) -> Found:
    """The steps of the curve in the geometry that is the fastest where everything is near."""
    sizes, points = _curve(b, m, shape)
    found = levels(sizes, [p.value for p in points])
    about = f"slope over passes, {shape}{_changing(b)}"
    for i, level in enumerate(found):
        text = f"{about}; {level.points} working sets of {size(level.low)} to {size(level.high)}"
        shown = points if i == 0 else ()
        yield f"level{i + 1}_gbps", b.measured(level.rate, "GB/s", text, level.spread, shown)
        if i + 1 < len(found):
            after = found[i + 1]
            edge, apart = math.sqrt(level.high * after.low), math.sqrt(after.low / level.high) - 1
            text = (
                f"change point: {level.rate:.3g} GB/s at {size(level.high)}, {after.rate:.3g} at "
                f"{size(after.low)}"
            )
            yield f"level{i + 1}_bytes", b.measured(edge, "B", text, apart)


def _changing(b: Bench) -> str:
    return ", workgroups change places" if _rotates(b) else ""


def _fitting(b: Bench, m: Memory, shape: Shape, words: int) -> Sweep[Shape] | None:
    """The fastest geometry for a set of so many words, out of a few around `shape`."""

    def rate(s: Shape) -> Point | None:
        if s.step > max(words, SMALL_WORDS):
            return None
        slope = _pass_slope(m.run(s, _rotates(b)), s, max(words, s.step), PAIRS)
        return None if slope is None else b.point(str(s), 1 / slope.ns, slope.spread)

    small = [replace(b.starts()[-1], groups=b.units)] if not b.rows_form else []
    return climb([shape, *small], b.near, rate, max(5, b.at_most // 2))


def _rotates(b: Bench) -> bool:
    """Workgroups change places between passes, so that the caches of single units do not serve."""
    return not b.on_cpu


def _curve(b: Bench, m: Memory, shape: Shape) -> tuple[list[float], list[Point]]:
    """Bytes and rates over working sets from the smallest that the geometry can share out."""
    run = m.run(shape, _rotates(b))
    per_octave = 4 if b.full else 2
    first = max(shape.step, 2048)
    steps = int(math.log2(m.sets[1] / first) * per_octave)
    wanted = [first * 2 ** (i / per_octave) for i in range(steps + 1)]
    sizes, points = [], []
    for n in sorted({round(w / shape.step) * shape.step for w in wanted}):
        slope = _pass_slope(run, shape, n, PAIRS_FINAL if b.full else PAIRS)
        if slope is not None:
            sizes.append(4.0 * n)
            points.append(b.point(size(4.0 * n), 1 / slope.ns, slope.spread))
    return sizes, points


def _pass_slope(run: Run, shape: Shape, words: int, pairs: int) -> Slope | None:
    """Nanoseconds per byte of one pass more over the same words."""
    trips = words // shape.step
    most = max(2, (1 << 33) // (4 * words))
    n = max(4, run.longest(lambda p: Length(trips, p), most))
    few = max(1, n // 4)
    return run.slope(Length(trips, few), Length(trips, n), 4.0 * words * (n - few), pairs)


# ---- latency -----------------------------------------------------------------------------------


def _latency(b: Bench, set_bytes: int) -> Found:
    lines = set_bytes // 64
    order = np.random.default_rng(0).permutation(lines).astype(np.int64)
    index = np.zeros(lines * 16, np.int32)
    index[order * 16] = np.roll(order, -1) * 16
    run = Run(b, kernels.chase(b.single, lines * 16), {"next": b.tensor(index)})
    few, many = Length(2048), Length(8192)
    slope = run.slope(few, many, many.trips - few.trips, PAIRS_FINAL)
    if slope is not None:
        how = (
            f"slope of {few.trips} to {many.trips} dependent loads at random in "
            f"{set_bytes / 1e6:.0f} MB"
        )
        yield "latency_ns", b.measured(slope.ns, "ns", how, slope.spread)
