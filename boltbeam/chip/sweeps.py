"""Sweeps that stop at a plateau, and the steps in a curve.

Takes what to try and how to measure it, gives every point with why the sweep ended. Never measures
anything itself, never drops a point.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from statistics import median
from typing import Generic, TypeVar

import numpy as np

from boltbeam.types import Point

T = TypeVar("T")
GAIN = 0.005
"""A climb goes on while a neighbour is better by more than this."""
FLAT = 0.01
"""A growing set has reached its plateau when doubling it changes the rate by less than this."""


@dataclass(frozen=True)
class Sweep(Generic[T]):
    """The best setting, every point in the order it was measured, and why the sweep ended."""

    best: T
    points: tuple[Point, ...]
    stop: str


def climb(
    starts: Sequence[T],
    near: Callable[[T], Iterable[T]],
    measure: Callable[[T], Point | None],
    at_most: int,
) -> Sweep[T] | None:
    """Walk from the best start to ever better neighbours, until none gains more than GAIN.

    A point is worth its value less its spread, so that luck does not lead. `measure` gives None
    where it could not; None: not one start could be measured.
    """
    seen: dict[T, Point | None] = {}

    def look(settings: Iterable[T]) -> bool:
        """Measure what is new; False where the number of points does not allow it."""
        for s in settings:
            if s not in seen and len(seen) >= at_most:
                return False
            if s not in seen:
                seen[s] = measure(s)
        return True

    def leader() -> tuple[T, float] | None:
        known = [(s, p.value / (1 + (p.spread or 0.0))) for s, p in seen.items() if p is not None]
        return max(known, key=lambda sv: sv[1], default=None)

    whole, last = look(starts), 0.0
    while (best := leader()) is not None:
        if not whole:
            stop = f"stopped at {at_most} points before a plateau"
        elif best[1] <= last * (1 + GAIN):
            stop = f"plateau: no neighbour gains {GAIN:.1%}"
        else:
            last = best[1]
            whole = look(near(best[0]))
            continue
        return Sweep(best[0], tuple(p for p in seen.values() if p is not None), stop)
    return None


def grow(sizes: Sequence[T], measure: Callable[[T], Point | None]) -> Sweep[T] | None:
    """Ever larger sizes until the rate changes by less than FLAT; the best size is the last one."""
    points: list[Point] = []
    best, stop = None, "no larger set fits"
    for size in sizes:
        point = measure(size)
        if point is None:
            continue
        best = size
        points.append(point)
        if len(points) > 1:
            change = point.value / points[-2].value - 1
            if abs(change) < FLAT:
                stop = f"plateau: the last step changed it by {change:+.1%}"
                break
    return None if best is None else Sweep(best, tuple(points), stop)


# ---- steps in a curve --------------------------------------------------------------------------


@dataclass(frozen=True)
class Level:
    """A stretch of a curve on which the rate is about the same."""

    low: float
    """Smallest size on it, and the largest."""
    high: float
    rate: float
    spread: float
    points: int


SHORTEST = 3
"""Sizes that a level needs."""
APART = 0.3
"""Levels whose rates are closer than this (difference of logarithms) are one."""


SLOPED = 0.2
"""A stretch whose quartiles lie further apart is the way from one level to the next."""


def levels(sizes: Sequence[float], rates: Sequence[float]) -> tuple[Level, ...]:
    """The levels of a curve of rates over growing sizes, by change points of the rates' logarithm.

    Optimal partitioning with squared errors: a change point costs 3 · variance · ln n, the variance
    taken from the differences of neighbours (their median, which single steps do not move).
    """
    n, logs = len(rates), np.log(np.asarray(rates, dtype=np.float64))
    if n < SHORTEST:
        return ()
    noise = max(1.4826 * median(abs(d) for d in np.diff(logs)) / math.sqrt(2), 0.01)
    penalty = 3 * noise**2 * math.log(n)
    ends = _partition(logs, penalty)
    while len(ends) > 1:
        mids = [float(np.median(logs[a:b])) for a, b in _pairs(ends)]
        gaps = [abs(x - y) for x, y in pairwise(mids)]
        least = min(range(len(gaps)), key=lambda i: gaps[i])
        if gaps[least] >= APART:
            break
        del ends[least]
    found = [
        Level(sizes[a], sizes[b - 1], float(np.exp(np.median(logs[a:b]))), _wide(logs[a:b]), b - a)
        for a, b in _pairs(ends)
    ]
    return tuple(x for x in found if x.spread <= SLOPED or x is found[-1])


def _pairs(ends: Sequence[int]) -> list[tuple[int, int]]:
    return list(zip([0, *ends[:-1]], ends, strict=True))


def _wide(logs: np.ndarray[tuple[int], np.dtype[np.float64]]) -> float:
    low, high = np.quantile(logs, [0.25, 0.75])
    return float(high - low)


def _partition(logs: np.ndarray[tuple[int], np.dtype[np.float64]], penalty: float) -> list[int]:
    """Ends of the segments with the least squared error plus a penalty for each."""
    n = len(logs)
    best: list[tuple[float, int]] = [(0.0, 0)] + [(math.inf, 0)] * n
    for end in range(SHORTEST, n + 1):
        for begin in (0, *range(SHORTEST, end - SHORTEST + 1)):
            part = logs[begin:end]
            cost = best[begin][0] + float(((part - part.mean()) ** 2).sum()) + penalty
            best[end] = min(best[end], (cost, begin))
    ends, at = [], n
    while at:
        ends.append(at)
        at = best[at][1]
    return ends[::-1]
