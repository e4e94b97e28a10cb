"""From the blocks of one comparison to a verdict, with the number that decided.

Takes a Measurement, its Protocol and the floor, gives an Outcome. Never times anything, and never
says `faster` on less than an interval that clears the band: a doubt is `ambiguous`.

Everything is decided on four significant digits, exactly what a ledger line keeps, so a reader of
the line comes to the same verdict (`boltbeam ledger check` does).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import cache, lru_cache
from statistics import fmean, median
from typing import Any

from boltbeam.entries import Interval
from boltbeam.types import Measurement, Outcome, Protocol, Verdict, significant

RESAMPLES = 1000
"""Bootstrap resamples; they only estimate a standard error and a central interval."""
COLD_FACTOR = 2.0
"""Operands rotate through at least this many times the last-level cache: then they are cold."""
COPIES_MAX = 128
"""So many copies are rotated at most: operands of a few kilobytes stay cached all the same."""
CEILING_ERROR = 1.02
"""A measured ceiling may be 2 % low before a time below the floor is called impossible."""
CLOCK_US = 0.001
"""Clocks here count whole nanoseconds: a floor below one is no yardstick for what it timed."""
LOOK_GROWTH = 1.5
"""An adaptive run looks at its data when the number of blocks has grown by this factor."""


def decide(
    measurement: Measurement, protocol: Protocol, floor_us: float | None, comparisons: int = 1
) -> Outcome:
    """Verdict of one comparison; `comparisons` candidates share the chance of a false `faster`.

    Reasons: `bad-time` (failed), `below-floor` (impossible); `throttled`, `few-blocks`,
    `within-band`, `noise`, `sign-count` (ambiguous); `clears-band` (faster and slower).
    """
    return judge(recorded(measurement), protocol, floor_us, comparisons)[0]


def judge(
    m: Measurement, protocol: Protocol, floor_us: float | None, comparisons: int = 1
) -> tuple[Outcome, Interval | None]:
    """Verdict and interval of a measurement as recorded: what `decide` and `interval` say of it."""
    times = (*m.candidate_us, *m.incumbent_us)
    bad = [t for t in times if not (math.isfinite(t) and t > 0)]
    if bad:
        return Outcome(verdict=Verdict.failed, reason="bad-time", number=len(bad), limit=0), None
    iv = _interval(m.ratios, protocol, comparisons)
    return _outcome(m, protocol, floor_us, iv), iv


def below_clock(floor_us: float | None) -> bool:
    """True for a floor that no clock can show: a share of it would mean nothing."""
    return floor_us is not None and floor_us < CLOCK_US


def recorded(measurement: Measurement) -> Measurement:
    """The measurement as a ledger line keeps it: four significant digits."""
    return measurement.model_copy(
        update={
            "candidate_us": tuple(significant(v) for v in measurement.candidate_us),
            "incumbent_us": tuple(significant(v) for v in measurement.incumbent_us),
            "aa_spread": significant(measurement.aa_spread),
        }
    )


def band(measurement: Measurement, protocol: Protocol) -> float:
    """Smallest relative change that counts: the protocol's, or the incumbent's own spread."""
    return max(protocol.noise_band, significant(measurement.aa_spread))


def interval(measurement: Measurement, protocol: Protocol, comparisons: int = 1) -> Interval | None:
    """Interval of the median block ratio at the protocol's confidence over all comparisons.

    The wider of two: the bootstrap's percentiles, and median ± Student's t × bootstrap error. The
    percentiles of few blocks never leave the sample, so alone they promise too much. None: fewer
    than two blocks.
    """
    return _interval(recorded(measurement).ratios, protocol, comparisons)


def _interval(ratios: Sequence[float], protocol: Protocol, comparisons: int) -> Interval | None:
    n = len(ratios)
    if n < 2:
        return None
    alpha = (1 - protocol.confidence) / max(1, comparisons) / looks(protocol)
    mid, (medians, counts) = median(ratios), _bootstrap(ratios)
    reach = student_t(1 - alpha / 2, n - 1) * _deviation(medians, counts)
    low = min(_quantile(medians, counts, alpha / 2), mid - reach)
    return Interval(
        low=low, mid=mid, high=max(_quantile(medians, counts, 1 - alpha / 2), mid + reach)
    )


def enough(
    measurement: Measurement,
    protocol: Protocol,
    floor_us: float | None = None,
    comparisons: int = 1,
) -> str | None:
    """Why the comparison may stop now, or None: go on.

    Looks only at a few block counts (`checkpoints`), which `interval` pays for: a run that stops as
    soon as it likes what it sees is biased.
    """
    n = len(measurement.candidate_us)
    if n not in checkpoints(protocol) and n < protocol.blocks_max:
        return None
    outcome = decide(measurement, protocol, floor_us, comparisons)
    if outcome.verdict is not Verdict.ambiguous:
        return f"decided: {outcome.verdict}"
    if outcome.reason == "within-band":
        return "decided: within the band"
    return f"blocks_max ({outcome.reason})" if n >= protocol.blocks_max else None


@cache
def checkpoints(protocol: Protocol) -> tuple[int, ...]:
    """Block counts at which `enough` looks: blocks_min to blocks_max, growing by LOOK_GROWTH."""
    n, out = max(2, protocol.blocks_min), []
    while n < protocol.blocks_max:
        out.append(n)
        n = math.ceil(n * LOOK_GROWTH)
    return (*out, protocol.blocks_max)


def looks(protocol: Protocol) -> int:
    """How often an adaptive run may look at its data."""
    return len(checkpoints(protocol))


# ---- inside ------------------------------------------------------------------------------------


def _outcome(
    m: Measurement, protocol: Protocol, floor_us: float | None, iv: Interval | None
) -> Outcome:
    if impossible := _below_floor(m, floor_us):
        return impossible
    n = len(m.candidate_us)
    if m.throttled:
        return Outcome(verdict=Verdict.ambiguous, reason="throttled", detail=f"{n} blocks")
    if iv is None or n < protocol.blocks_min:
        return Outcome(
            verdict=Verdict.ambiguous, reason="few-blocks", number=n, limit=protocol.blocks_min
        )
    return _judge(m, protocol, iv)


def _below_floor(m: Measurement, floor_us: float | None) -> Outcome | None:
    if floor_us is None or not m.candidate_us:
        return None
    us = significant(median(m.candidate_us))
    limit = significant(floor_us) / CEILING_ERROR
    if us >= limit:
        return None
    return Outcome(
        verdict=Verdict.impossible,
        reason="below-floor",
        number=us,
        limit=significant(limit),
        detail=f"{us:.4g} us against a floor of {floor_us:.4g} us",
    )


def _judge(m: Measurement, protocol: Protocol, iv: Interval) -> Outcome:
    width, ratios = band(m, protocol), m.ratios
    low, high = significant(1 - width), significant(1 + width)
    n, below = len(ratios), sum(r < 1 for r in ratios)
    above = sum(r > 1 for r in ratios)
    detail = (
        f"median ratio {iv.mid:.4g} [{iv.low:.4g}, {iv.high:.4g}], {below} of {n} blocks faster, "
        f"band {width:.2%}"
    )
    if iv.high < low:
        verdict, number, limit, agree = Verdict.faster, iv.high, low, below
    elif iv.low > high:
        verdict, number, limit, agree = Verdict.slower, iv.low, high, above
    else:
        inside = iv.low >= low and iv.high <= high
        reason = "within-band" if inside else "noise"
        edge = iv.high if iv.mid < 1 else iv.low
        return Outcome(
            verdict=Verdict.ambiguous,
            reason=reason,
            number=edge,
            limit=low if iv.mid < 1 else high,
            detail=detail,
        )
    needed = _sign_count(n, 1 - protocol.confidence)
    if agree < needed:
        return Outcome(
            verdict=Verdict.ambiguous,
            reason="sign-count",
            number=agree,
            limit=needed,
            detail=detail,
        )
    return Outcome(verdict=verdict, reason="clears-band", number=number, limit=limit, detail=detail)


@cache
def _sign_count(n: int, alpha: float) -> int:
    """Fewest of n blocks on one side whose chance under "no difference" is at most alpha."""
    tail, k = 0.0, n + 1
    while k > 0 and tail + math.comb(n, k - 1) / 2**n <= alpha:
        k -= 1
        tail += math.comb(n, k) / 2**n
    return k


def _bootstrap(ratios: Sequence[float]) -> tuple[list[float], list[int]]:
    """Distinct medians of all resamples, ascending, and how often each came."""
    order = sorted(ratios)
    places = sorted(range(len(ratios)), key=ratios.__getitem__)
    counts: dict[float, int] = {}
    for (low, high), n in _middles(tuple(places)):
        middle = (order[low] + order[high]) / 2
        counts[middle] = counts.get(middle, 0) + n
    medians = sorted(counts)
    return medians, [counts[m] for m in medians]


@lru_cache(maxsize=4096)
def _middles(places: tuple[int, ...]) -> tuple[tuple[tuple[int, int], int], ...]:
    """Ranks of the two middle elements of a resample -> how many resamples have them there.

    `places` are the blocks in order of their ratio: which block has the median depends on nothing
    else, so that the answer is the same for many measurements. Counted, not sorted: a resample's
    median is where its blocks, taken in that order, come to half.
    """
    import numpy as np

    n = len(places)
    drawn = _drawn(n)  # summed, not multiplied: a product would wake BLAS and its threads
    upto = np.cumsum(drawn[list(places)], axis=0, dtype=drawn.dtype)
    low = np.count_nonzero(upto <= (n - 1) // 2, axis=0)
    high = low if n % 2 else np.count_nonzero(upto <= n // 2, axis=0)
    counts = np.bincount(low * n + high)
    found = np.flatnonzero(counts)
    pairs = zip(found.tolist(), counts[found].tolist(), strict=True)
    return tuple((divmod(i, n), count) for i, count in pairs)


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


def _deviation(values: Sequence[float], counts: Sequence[int]) -> float:
    """Standard deviation of a sample given as values and counts."""
    mean = fmean(values, counts)
    squares = sum(c * (v - mean) ** 2 for v, c in zip(values, counts, strict=True))
    return math.sqrt(squares / (sum(counts) - 1))


def _quantile(values: Sequence[float], counts: Sequence[int], share: float) -> float:
    """Linear between neighbours, as NumPy's default; `values` ascend."""
    at = share * (sum(counts) - 1)
    below, above = _at(values, counts, math.floor(at)), _at(values, counts, math.ceil(at))
    return below + (above - below) * (at - math.floor(at))


def _at(values: Sequence[float], counts: Sequence[int], index: int) -> float:
    for value, count in zip(values, counts, strict=True):
        index -= count
        if index < 0:
            return value
    return values[-1]


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
