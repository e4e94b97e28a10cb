"""How sure the median of a few numbers is: an interval for it, and the error of the median itself.

Takes block ratios (one comparison, or many as rows of an array), gives bounds. Never decides.

Two intervals. `resampled` is that of the first protocols, kept so that their ledger lines can be
derived again. `bounds` is its limit for infinitely many resamples, which has a closed form: nothing
is drawn, and a simulation can ask for thousands at once.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import cache
from statistics import median
from typing import Any

RESAMPLES = 1000
"""Bootstrap resamples; they only estimate a standard error and a central interval."""
STICKY_FROM, STICKY_MAX = 5, 0.95
"""Fewer values say nothing about their correlation, and no more than this is believed."""
TOGETHER = 16
"""So many measurements are resampled at once: their sums stay in a core's cache."""
STEPS = 4000
"""Steps of the sum that integrates the density of a resampled median's place."""


# ---- in closed form ------------------------------------------------------------------------------


def bounds(ratios: Any, alpha: float, again: Any = None) -> tuple[Any, Any, Any]:
    """(low, median, high) of each row, wrong with chance `alpha`; `ratios`: [..., n], n >= 2.

    The wider of two: the places that the median of a resample takes with all but that chance, and
    median ± Student's t × error of the median. The places of few blocks never leave the sample, so
    alone they promise too much. `again`: A/A ratios of the same blocks, which help to tell whether
    blocks resemble the ones before (`stickiness`).
    """
    import numpy as np

    sticky = stickiness(ratios) if again is None else stickiness(ratios, again)
    x = np.sort(np.asarray(ratios, dtype=float), axis=-1)
    n = x.shape[-1]
    mid = (x[..., (n - 1) // 2] + x[..., n // 2]) / 2
    reach = student_t(1 - alpha / 2, n - 1) * _error_sorted(x) * sticky
    place = _outermost(n, alpha / 2)
    low = np.minimum(x[..., place], mid - reach)
    return low, mid, np.maximum(x[..., n - 1 - place], mid + reach)


def error(values: Any) -> Any:
    """Standard error of the median of each row [..., n], by Maritz and Jarrett (1978).

    As if each value were independent of the one before; see `stickiness`.
    """
    import numpy as np

    return _error_sorted(np.sort(np.asarray(values, dtype=float), axis=-1))


def stickiness(*series: Any) -> Any:
    """Factor by which the error of each row [..., n] is larger because a value resembles the last.

    sqrt((1 + r) / (1 - r)), r the correlation of neighbours in time, at least 0, corrected for what
    so few values hide of it (Kendall 1954: the mean of the estimate is r - (1 + 3 r) / n). Several
    series of the same blocks are taken to stick alike.
    """
    import numpy as np

    n = np.shape(series[0])[-1]
    if n < STICKY_FROM:
        return np.ones(np.shape(series[0])[:-1])
    found = sum(_neighbours(x) for x in series) / len(series)
    r = np.clip((found + 1 / n) / (1 - 3 / n), 0.0, STICKY_MAX)
    return np.sqrt((1 + r) / (1 - r))


def _neighbours(values: Any) -> Any:
    """Correlation of each value with the next; 0 where all are equal."""
    import numpy as np

    x = np.asarray(values, dtype=float)
    off = x - x.mean(axis=-1, keepdims=True)
    squares = (off**2).sum(axis=-1)
    return (off[..., 1:] * off[..., :-1]).sum(axis=-1) / np.where(squares > 0, squares, 1.0)


def _error_sorted(x: Any) -> Any:
    import numpy as np

    weights = np.array(_places(x.shape[-1]))
    mean = x @ weights
    return np.sqrt(np.maximum(((x - mean[..., None]) ** 2) @ weights, 0.0))


@cache
def _places(n: int) -> tuple[float, ...]:
    """Chance that the median of a resample of n is the 1st, 2nd, … smallest of the n.

    The place is Beta((n + 1) / 2, (n + 1) / 2) distributed; for odd n this is the binomial sum.
    """
    import numpy as np

    edges = np.linspace(0, 1, STEPS * n + 1)
    middle = (edges[1:] + edges[:-1]) / 2
    density = np.exp((n - 1) / 2 * (np.log(middle) + np.log1p(-middle) + math.log(4)))
    share = density.reshape(n, STEPS).sum(axis=1)
    return tuple(float(s) for s in share / share.sum())


@cache
def _outermost(n: int, chance: float) -> int:
    """The first place (from 0) that a resampled median does not stay below with that chance."""
    total = 0.0
    for place, share in enumerate(_places(n)):
        total += share
        if total > chance:
            return min(place, (n - 1) // 2)
    return (n - 1) // 2


def apart(ratios: Any) -> Any:
    """How far identical things seem apart, per row [..., n]: |median - 1| and one error of it."""
    import numpy as np

    x = np.asarray(ratios, dtype=float)
    return np.abs(np.median(x, axis=-1) - 1) + error(x) * stickiness(x)


def spread(ratios: Sequence[float]) -> float:
    """`apart` as the first protocols have it: by the median deviation, as if nothing stuck."""
    mid = median(ratios)
    deviation = median(abs(r - mid) for r in ratios) * 1.4826
    return abs(mid - 1) + 1.2533 * deviation / math.sqrt(len(ratios))


# ---- by resampling -------------------------------------------------------------------------------


def resampled(ratios: Any, alpha: float) -> tuple[Any, Any, Any]:
    """(low, median, high) of each row [k, n] by RESAMPLES seeded resamples; else as `bounds`."""
    import numpy as np

    x = np.sort(np.asarray(ratios, dtype=float), axis=-1)
    n = x.shape[-1]
    mid = (x[:, (n - 1) // 2] + x[:, n // 2]) / 2
    found = [_ends(ratios[at : at + TOGETHER], alpha) for at in range(0, len(x), TOGETHER)]
    low, deviation, high = (np.concatenate(part) for part in zip(*found, strict=True))
    reach = student_t(1 - alpha / 2, n - 1) * deviation
    return np.minimum(low, mid - reach), mid, np.maximum(high, mid + reach)


def _ends(ratios: Any, alpha: float) -> tuple[Any, Any, Any]:
    """Quantile at alpha / 2, standard deviation and opposite quantile of each row's medians."""
    medians = _medians(ratios)
    deviation = medians.std(axis=1, ddof=1)
    places = [share * (RESAMPLES - 1) for share in (alpha / 2, 1 - alpha / 2)]
    medians.partition(sorted({f(p) for p in places for f in (math.floor, math.ceil)}), axis=1)
    low, high = (_between(medians, p) for p in places)
    return low, deviation, high


def _between(medians: Any, place: float) -> Any:
    """The value at a place that may lie between two: linear, as NumPy's default."""
    below, above = medians[:, math.floor(place)], medians[:, math.ceil(place)]
    return below + (above - below) * (place - math.floor(place))


def _medians(ratios: Any) -> Any:
    """[k, resample]: medians of the resamples of each row.

    Counted, not sorted: a resample's median is where its blocks, in order of their ratio, come to
    half. Summed, not multiplied: a product would wake BLAS and its threads.
    """
    import numpy as np

    order = np.argsort(ratios, axis=1, kind="stable")
    x, n = np.take_along_axis(np.asarray(ratios, dtype=float), order, 1), order.shape[1]
    drawn, middles = _drawn(n), sorted({(n - 1) // 2, n // 2})
    upto = np.zeros((len(x), RESAMPLES), drawn.dtype)
    places = [np.zeros_like(upto) for _ in middles]
    for block in order.T:
        upto += drawn[block]
        for place, middle in zip(places, middles, strict=True):
            place += upto <= middle
    found = [np.take_along_axis(x, place.astype(np.intp), 1) for place in places]
    return found[0] if n % 2 else (found[0] + found[1]) / 2


@cache
def _drawn(n: int) -> Any:
    """[block, resample] -> how often the resample has the block."""
    import numpy as np

    times = [(_resamples(n) == block).sum(axis=1) for block in range(n)]
    return np.stack(times).astype(np.min_scalar_type(n))


@cache
def _resamples(n: int) -> Any:
    """Seeded bootstrap indices. RandomState's stream is frozen by NumPy: verdicts stay."""
    import numpy as np

    uniform = np.random.RandomState(20261129).random_sample((RESAMPLES, n))
    return (uniform * n).astype(np.int64)


# ---- Student's t ---------------------------------------------------------------------------------


@cache
def student_t(p: float, df: int) -> float:
    """Quantile of Student's t for p > 0.5 and whole degrees of freedom."""
    low, high = 0.0, 1.0
    while _t_upper_tail(high, df) > 1 - p:
        high *= 2
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (middle, high) if _t_upper_tail(middle, df) > 1 - p else (low, middle)
    return high


def _t_upper_tail(t: float, df: int) -> float:
    """P(T > t): the finite series of Abramowitz and Stegun 26.7.3 and 26.7.4."""
    angle = math.atan(t / math.sqrt(df))
    cos2, term, total = math.cos(angle) ** 2, 1.0, 0.0
    if df % 2:
        term = math.cos(angle)
        for k in range(1, (df - 1) // 2 + 1):
            total += term
            term *= cos2 * 2 * k / (2 * k + 1)
        return 0.5 - (angle + math.sin(angle) * total) / math.pi
    for k in range(1, df // 2 + 1):
        total += term
        term *= cos2 * (2 * k - 1) / (2 * k)
    return 0.5 - math.sin(angle) * total / 2
