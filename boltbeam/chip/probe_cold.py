"""Is cold cold? A rotation against the memory, and a read behind stores against one behind reads.

Takes a Bench whose chip has its read rate, gives Measured values. Never judges them: what they
prove is in `probe_findings`.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from boltbeam.chip import probe_kernels as kernels
from boltbeam.chip.probe_bench import BATCH_US, PAIRS_FINAL, Bench, Slope, shortest, slope_of
from boltbeam.chip.probe_kernels import Shape
from boltbeam.emit.core import Launch
from boltbeam.measure import timing
from boltbeam.records.decide import COLD_FACTOR
from boltbeam.types import Measured

Found = Iterator[tuple[str, Measured]]
WINDOWS = 8
"""Operands that a rotation goes through, like the copies of a work item's tables."""
AFTER = 5
"""The longer read behind a sweep is so many times the shorter, which is an eighth of the cache."""


def measure(b: Bench) -> Found:
    """The proof that a rotation is cold, and what stores in its place would do."""
    cache = b.chip.cold_cache_bytes
    if cache is None or "read_gbps" not in b.chip.measured:
        return
    rotated = COLD_FACTOR * cache
    shape = best_reader(b, int(rotated / 4 / WINDOWS / 2))
    trips = 2 * math.ceil(rotated / 4 / shape.step / WINDOWS / 2)  # whole halves, never less
    words = b.whole(
        max((rotated + cache * AFTER / 8) / 4, (WINDOWS + 1) * trips * shape.step) * 1.05
    )
    cold = _Cold(b, shape, words, trips)
    yield from cold.rotation(cache)
    yield from cold.after_sweeps(cache)


def best_reader(b: Bench, most: int) -> Shape:
    """The geometry that read fastest of those behind read_gbps with steps of at most `most` words.

    A large grid would read a whole window in one trip.
    """
    points = [p for p in b.chip.measured["read_gbps"].points if ", " not in p.at]
    fit = [(p.value, s) for p in points if (s := Shape.parse(p.at)).step <= most]
    if not fit:
        return b.single if b.on_cpu else Shape(1, 2 * b.units, 256, 4)
    return max(fit, key=lambda vs: vs[0])[1]


class _Cold:
    """One array, read in windows of `trips` trips."""

    def __init__(self, b: Bench, shape: Shape, words: int, trips: int) -> None:
        self.b, self.shape, self.words, self.trips = b, shape, words, trips
        self.launch = kernels.read(shape, words, window=True)
        self.x = b.floats(words)

    def window(self, start: int, trips: int) -> tuple[Launch, dict[str, Any]]:
        bounds = self.b.tensor(np.array([trips, 1, start], np.int32))
        return self.launch, {"x": self.x, "bounds": bounds}

    def rotation(self, cache: int) -> Found:
        """Rates of WINDOWS different windows in turn, and of one window as often."""
        size = 4 * self.trips * self.shape.step
        factor = size * WINDOWS / cache
        for key, distance, what in (
            ("cold_gbps", self.trips, f"{WINDOWS} in turn, {factor:.2g} x the cache"),
            ("warm_gbps", 0, f"the same one {WINDOWS} times"),
        ):
            rate, spread = self._rate([distance * i for i in range(WINDOWS)])
            if rate is not None:
                how = f"reads of windows of {size / 1e6:.2g} MB, {what}, launches extrapolated away"
                yield key, self.b.measured(rate, "GB/s", how, spread)

    def _rate(self, starts: Sequence[int]) -> tuple[float | None, float]:
        """GB/s through windows at these trips; twice as many halves tell what launches cost."""
        half, repeats = self.trips // 2, self.b.repeats
        starts = [*starts] * repeats
        whole = self.b.deploy_row([self.window(s, self.trips) for s in starts])
        halves = self.b.deploy_row([self.window(s + h, half) for s in starts for h in (0, half)])
        (w1, w2), (h1, h2) = _batches(whole, halves)
        n = len(starts)
        alone = [2 * n * w - 2 * n * h for w in (w1, w2) for h in (h1, h2)]
        if min(alone) <= 0:
            return None, 0.0
        size = 4.0 * self.trips * self.shape.step * n
        return size / alone[0] / 1e3, (max(alone) - min(alone)) / alone[0]

    def after_sweeps(self, cache: int) -> Found:
        """Rates of a read of what was evicted, by reads and by stores, over the same bytes."""
        swept = int(COLD_FACTOR * cache) // 4
        trips = max(2, cache // 8 // 4 // self.shape.step)
        last = AFTER * trips
        first = swept // self.shape.step
        sweep = self.window(0, first)
        filler = self.b.filler
        y = self.b.floats(self.b.whole(swept))
        bounds = self.b.tensor(np.array([swept // filler.step, 1, 0], np.int32))
        stores = kernels.fill(filler, self.b.whole(swept)), {"y": y, "bounds": bounds}
        for key, before, what in (
            ("after_reads_gbps", sweep, "reads"),
            ("after_stores_gbps", stores, "stores"),
        ):
            slope = self._behind(before, first, trips, last)
            if slope is not None:
                size = 4 * trips * self.shape.step / 1e6
                how = (
                    f"slope of a read of {size:.2g} to {AFTER * size:.2g} MB behind {what} of "
                    f"{swept * 4 / 1e6:.0f} MB elsewhere"
                )
                yield key, self.b.measured(1 / slope.ns, "GB/s", how, slope.spread)

    def _behind(
        self, sweep: tuple[Launch, dict[str, Any]], at: int, few: int, many: int
    ) -> Slope | None:
        short = self.b.deploy_row([sweep, self.window(at, few)] * self.b.repeats)
        long = self.b.deploy_row([sweep, self.window(at, many)] * self.b.repeats)
        counts = short.replays_for(BATCH_US), long.replays_for(BATCH_US)
        return slope_of(
            lambda: short.batch_us(counts[0]) * 2,
            lambda: long.batch_us(counts[1]) * 2,
            4.0 * (many - few) * self.shape.step,
            PAIRS_FINAL,
        )


def _batches(one: timing.Deployed, other: timing.Deployed) -> Any:
    counts = one.replays_for(BATCH_US), other.replays_for(BATCH_US)
    return shortest(lambda: one.batch_us(counts[0]), lambda: other.batch_us(counts[1]), PAIRS_FINAL)
