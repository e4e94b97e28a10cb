"""From the blocks of one comparison to a verdict, with the number that decided.

Takes a Measurement, its Protocol and the floor, gives an Outcome. Never times anything, and never
says `faster` on less than an interval that clears the band: a doubt is `ambiguous`.

Everything is decided on four significant digits, exactly what a ledger line keeps, so a reader of
the line comes to the same verdict (`boltbeam ledger check` does).
"""

from __future__ import annotations

import math
from functools import cache

import numpy as np

from boltbeam.entries import Interval
from boltbeam.types import Measurement, Outcome, Protocol, Verdict, significant

RESAMPLES = 1000
"""Bootstrap resamples; they only estimate a standard error and a central interval."""
CEILING_ERROR = 1.02
"""A measured ceiling may be 2 % low before a time below the floor is called impossible."""
LOOK_GROWTH = 1.5
"""An adaptive run looks at its data when the number of blocks has grown by this factor."""


def decide(
    measurement: Measurement, protocol: Protocol, floor_us: float | None, comparisons: int = 1
) -> Outcome:
    """Verdict of one comparison; `comparisons` candidates share the chance of a false `faster`.

    Reasons: `bad-time` (failed), `below-floor` (impossible); `throttled`, `few-blocks`,
    `within-band`, `noise`, `sign-count` (ambiguous); `clears-band` (faster and slower).
    """
    if bad := _untenable(measurement, floor_us):
        return bad
    m = recorded(measurement)
    n = len(m.ratios)
    if m.throttled:
        return Outcome(verdict=Verdict.ambiguous, reason="throttled", detail=f"{n} blocks")
    iv = interval(m, protocol, comparisons)
    if iv is None or n < protocol.blocks_min:
        return Outcome(
            verdict=Verdict.ambiguous, reason="few-blocks", number=n, limit=protocol.blocks_min
        )
    return _judge(m, protocol, iv)


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
    ratios = np.asarray(recorded(measurement).ratios, dtype=np.float64)
    alpha = (1 - protocol.confidence) / max(1, comparisons) / looks(protocol)
    if len(ratios) < 2:
        return None
    mid = float(np.median(ratios))
    medians = np.median(ratios[_resamples(len(ratios))], axis=1)
    reach = student_t(1 - alpha / 2, len(ratios) - 1) * float(np.std(medians, ddof=1))
    low, high = np.quantile(medians, [alpha / 2, 1 - alpha / 2])
    return Interval(low=min(float(low), mid - reach), mid=mid, high=max(float(high), mid + reach))


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


def _untenable(m: Measurement, floor_us: float | None) -> Outcome | None:
    times = (*m.candidate_us, *m.incumbent_us)
    bad = [t for t in times if not (math.isfinite(t) and t > 0)]
    if bad:
        return Outcome(verdict=Verdict.failed, reason="bad-time", number=len(bad), limit=0)
    if floor_us is None or not m.candidate_us:
        return None
    us = significant(float(np.median(m.candidate_us)))
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
    width = band(m, protocol)
    low, high = significant(1 - width), significant(1 + width)
    n, below = len(m.ratios), sum(r < 1 for r in m.ratios)
    above = sum(r > 1 for r in m.ratios)
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


@cache
def _resamples(n: int) -> np.ndarray[tuple[int, int], np.dtype[np.int64]]:
    """Seeded bootstrap indices. RandomState's stream is frozen by NumPy: verdicts stay."""
    uniform = np.random.RandomState(20261129).random_sample((RESAMPLES, n))
    return (uniform * n).astype(np.int64)


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
