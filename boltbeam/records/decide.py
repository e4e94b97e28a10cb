"""From the blocks of one comparison to a verdict, with the number that decided.

Takes a Measurement, its Protocol and the floor, gives an Outcome. Never times anything, and never
says `faster` on less than an interval that clears the band: a doubt is `ambiguous`.

Everything is decided on four significant digits, exactly what a ledger line keeps, so a reader of
the line comes to the same verdict (`boltbeam ledger check` does).
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from statistics import median

from boltbeam.records.claims import Compared
from boltbeam.records.entries import Interval, LedgerRow
from boltbeam.records.intervals import apart, bounds, error, resampled, student_t
from boltbeam.types import Measurement, Outcome, Protocol, Verdict, significant

Blocks = Measurement | LedgerRow | Compared
"""A measurement, or what records one: by the same names, with four significant digits."""
COLD_FACTOR = 2.0
"""Operands rotate through at least this many times the last-level cache: then they are cold."""
COPIES_MAX = 128
"""So many copies are rotated at most: operands of a few kilobytes stay cached all the same."""
CEILING_ERROR = 1.02
"""A measured ceiling may be 2 % low before a time below the floor is called impossible."""
STALLED_MAX = 0.05
"""Share of a block in which some task waited for memory, above which it is measured again."""
CLOCK_US = 0.001
"""Clocks here count whole nanoseconds: a floor below one is no yardstick for what it timed."""
LOOK_GROWTH = 1.5
"""A run without a plan looks at its data when the number of blocks has grown by this factor."""
PLANNED_LOOKS = 2
"""A planned run looks after its pilot, and when its plan is fulfilled."""
PILOT_DOUBT = 1.25
"""So few blocks tell their own error only roughly: the plan takes it a quarter larger."""
PLAN_STEP = 4
"""Blocks are planned in steps of so many."""
TWIN_ERROR = math.sqrt(1.5)
"""Error of an A/A ratio ÷ error of a block ratio: one batch over two, against two over two."""
AA_SHARE = 1.8 * TWIN_ERROR
"""A/A spread of identical things ÷ error of the median block ratio: an A/A error once, and the
A/A median's own mean distance from 1 (sqrt(2 / pi) errors)."""


def decide(
    measurement: Measurement, protocol: Protocol, floor_us: float | None, comparisons: int = 1
) -> Outcome:
    """Verdict of one comparison; `comparisons` candidates share the chance of a false `faster`.

    Reasons: `bad-time` (failed), `below-floor` (impossible); `throttled`, `few-blocks`,
    `within-band`, `noise`, `sign-count` (ambiguous); `clears-band` (faster and slower).
    """
    m = recorded(measurement)
    times = (*m.candidate_us, *m.incumbent_us)
    bad = [t for t in times if not (math.isfinite(t) and t > 0)]
    if bad:
        return Outcome(verdict=Verdict.failed, reason="bad-time", number=len(bad), limit=0)
    return judge(m, protocol, floor_us, _intervals([m], protocol, comparisons)[0])


def judge(
    m: Measurement, protocol: Protocol, floor_us: float | None, iv: Interval | None
) -> Outcome:
    """Verdict of a measurement as recorded, whose interval is `iv`."""
    verdict, reason, number, limit = ruling(m, protocol, floor_us, iv)
    detail = _in_words(reason, m, protocol, floor_us, iv)
    return Outcome(verdict=verdict, reason=reason, number=number, limit=limit, detail=detail)


Ruling = tuple[Verdict, str, float | None, float | None]
"""Verdict, reason, the number that decided, and its limit."""


def ruling(m: Blocks, protocol: Protocol, floor_us: float | None, iv: Interval | None) -> Ruling:
    """As `judge`, without the words."""
    if impossible := _below_floor(m, floor_us):
        return impossible
    if m.throttled:
        return Verdict.ambiguous, "throttled", None, None
    n = len(m.candidate_us)
    if iv is None or n < protocol.blocks_min:
        return Verdict.ambiguous, "few-blocks", n, protocol.blocks_min
    return _by_interval(m, protocol, iv)


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
            "aa_pct": tuple(significant(v) for v in measurement.aa_pct),
        }
    )


def band(measurement: Blocks, protocol: Protocol) -> float:
    """Smallest relative change that counts: the protocol's, or the incumbent's own spread."""
    return max(protocol.noise_band, significant(measurement.aa_spread or 0.0))


def interval(measurement: Measurement, protocol: Protocol, comparisons: int = 1) -> Interval | None:
    """Interval of the median block ratio at the protocol's confidence over all comparisons.

    See `intervals`. None: fewer than two blocks.
    """
    return _intervals([recorded(measurement)], protocol, comparisons)[0]


def _intervals(ms: Sequence[Blocks], protocol: Protocol, comparisons: int) -> list[Interval | None]:
    """Of measurements as recorded, with as many blocks and A/A pairs each."""
    if len(ms[0].candidate_us) < 2:
        return [None] * len(ms)
    chance = error_chance(protocol, comparisons)
    ratios = [m.ratios for m in ms]
    if protocol.planned:
        ends = bounds(ratios, chance, _again(ms) if ms[0].aa_pct else None)
    else:
        ends = resampled(ratios, chance)
    return [
        Interval(low=float(a), mid=float(b), high=float(c)) for a, b, c in zip(*ends, strict=True)
    ]


def _again(ms: Sequence[Blocks], first: int | None = None) -> list[list[float]]:
    """A/A ratios of the first blocks of each, or of all blocks."""
    return [[1 + pct / 100 for pct in m.aa_pct[:first]] for m in ms]


@dataclass(frozen=True)
class Derived:
    """What follows from the blocks of a measurement alone."""

    interval: Interval | None
    aa_spread: float | None = None
    """From the A/A pairs, where the protocol plans by them."""
    planned: int | None = None
    """As `blocks_planned`."""


def derived(
    measured: Sequence[tuple[Blocks, int]], protocols: Mapping[str, Protocol]
) -> list[Derived]:
    """Of measurements as recorded, each with its comparisons: all that are alike at once."""
    alike: dict[tuple[str, int, int, int], list[int]] = {}
    for at, (m, comparisons) in enumerate(measured):
        key = (m.protocol, comparisons, len(m.candidate_us), len(m.aa_pct))
        alike.setdefault(key, []).append(at)
    out: dict[int, Derived] = {}
    for (name, comparisons, *_), places in alike.items():
        ms = [measured[at][0] for at in places]
        out |= zip(places, _derived(ms, protocols[name], comparisons), strict=True)
    return [out[at] for at in range(len(measured))]


def _derived(ms: Sequence[Blocks], protocol: Protocol, comparisons: int) -> Iterable[Derived]:
    ends = _intervals(ms, protocol, comparisons)
    if not protocol.planned or not ms[0].aa_pct:
        return map(Derived, ends)
    return map(Derived, ends, map(float, apart(_again(ms))), _planned(ms, protocol, comparisons))


def error_chance(protocol: Protocol, comparisons: int) -> float:
    """What is left to one look at one comparison of the chance that anything at all is wrong."""
    return (1 - protocol.confidence) / max(1, comparisons) / looks(protocol)


def enough(
    measurement: Measurement,
    protocol: Protocol,
    floor_us: float | None = None,
    comparisons: int = 1,
) -> str | None:
    """Why the comparison may stop now, or None: go on.

    A planned one is looked at twice: after `blocks_min`, to stop where the answer is plain, and
    when the blocks are there that those asked for. Others are looked at whenever the blocks have
    grown by LOOK_GROWTH. `interval` pays for each look: a run that stops as soon as it likes what
    it sees is biased.
    """
    n = len(measurement.candidate_us)
    planned = blocks_planned(measurement, protocol, comparisons) if protocol.planned else None
    if not _looked_at(n, protocol, planned):
        return None
    outcome = decide(measurement, protocol, floor_us, comparisons)
    if outcome.verdict is not Verdict.ambiguous:
        return f"decided: {outcome.verdict}"
    if outcome.reason == "within-band":
        return "decided: within the band"
    if n >= protocol.blocks_max:
        return f"blocks_max ({outcome.reason}{_blindness(measurement, protocol, comparisons)})"
    return f"as planned ({outcome.reason})" if planned is not None and n >= planned else None


def may_end(n: int, protocol: Protocol, planned: int | None, verdict: Verdict, reason: str) -> bool:
    """True where `enough` names a reason to stop after n blocks with that verdict."""
    plain = verdict is not Verdict.ambiguous or reason == "within-band"
    done = n >= protocol.blocks_max or (planned is not None and n >= planned)
    return _looked_at(n, protocol, planned) and (plain or done)


def _looked_at(n: int, protocol: Protocol, planned: int | None) -> bool:
    looking = (protocol.blocks_min, planned) if protocol.planned else checkpoints(protocol)
    return n in looking or n >= protocol.blocks_max


# ---- how many blocks -----------------------------------------------------------------------------


def blocks_planned(m: Measurement, protocol: Protocol, comparisons: int = 1) -> int | None:
    """Blocks with which a true gain of `protocol.gain` is found with its power, at most blocks_max.

    None: not planned, or no whole pilot so far.
    """
    return _planned([recorded(m)], protocol, comparisons)[0]


def _planned(ms: Sequence[Blocks], protocol: Protocol, comparisons: int) -> list[int | None]:
    """Of measurements as recorded, with as many blocks each."""
    bearable = errors_bearable(protocol, comparisons) if protocol.planned else ()
    return [
        e if e is None else next((n for n, most in bearable if e <= most), protocol.blocks_max)
        for e in _pilot_errors(ms, protocol)
    ]


def pilot_error(m: Measurement, protocol: Protocol) -> float | None:
    """Error of the median of the first `blocks_min` blocks: of the incumbent against itself, or of
    the candidate against the incumbent, whichever is larger. None: not planned, or fewer blocks.

    Where the candidate stands says nothing about it, so a plan made of it does not favour anybody.
    """
    return _pilot_errors([recorded(m)], protocol)[0]


def _pilot_errors(ms: Sequence[Blocks], protocol: Protocol) -> list[float | None]:
    first = protocol.blocks_min
    if not protocol.planned or min(len(ms[0].candidate_us), len(ms[0].aa_pct)) < first:
        return [None] * len(ms)
    again, ours = error(_again(ms, first)) / TWIN_ERROR, error([m.ratios[:first] for m in ms])
    return [max(float(a), float(b)) for a, b in zip(again, ours, strict=True)]


def _blindness(m: Measurement, protocol: Protocol, comparisons: int) -> str:
    """Where the blocks were too few for the plan: the gain that would have been found, in words."""
    if (off := pilot_error(m, protocol)) is None:
        return ""
    gain = gain_found(protocol, comparisons, off)
    return f"; a gain of {gain:.1%} would have been found" if gain > protocol.gain else ""


@cache
def errors_bearable(protocol: Protocol, comparisons: int) -> tuple[tuple[int, float], ...]:
    """(blocks, largest error of the pilot's median with which so many are enough), ascending.

    With n blocks the error shrinks to e = pilot's x sqrt(pilot's blocks / n). The gain must reach
    over the band, the interval's half width t(chance) x e, and t(power) x e for bad luck. The band
    is the protocol's, or the A/A spread, which is AA_SHARE x e for identical things.
    """
    first, out = protocol.blocks_min, []
    for n in range(first, protocol.blocks_max + 1, PLAN_STEP):
        reach = _reach(protocol, comparisons, n)
        most = min(
            (protocol.gain - protocol.noise_band) / reach, protocol.gain / (reach + AA_SHARE)
        )
        out.append((n, most * math.sqrt(n / first) / PILOT_DOUBT))
    return tuple(out)


def gain_found(protocol: Protocol, comparisons: int, off: float) -> float:
    """The smallest gain that blocks_max blocks find with the protocol's power, where the error of
    the pilot's median is `off`."""
    n = protocol.blocks_max
    e = PILOT_DOUBT * off * math.sqrt(protocol.blocks_min / n)
    return max(protocol.noise_band, AA_SHARE * e) + _reach(protocol, comparisons, n) * e


def _reach(protocol: Protocol, comparisons: int, n: int) -> float:
    """Errors of the median of n blocks from the band to a gain that is found with the power."""
    chance = error_chance(protocol, comparisons)
    return student_t(1 - chance / 2, n - 1) + student_t(protocol.power, n - 1)


@cache
def checkpoints(protocol: Protocol) -> tuple[int, ...]:
    """Block counts at which `enough` looks: blocks_min to blocks_max, growing by LOOK_GROWTH."""
    n, out = max(2, protocol.blocks_min), []
    while n < protocol.blocks_max:
        out.append(n)
        n = math.ceil(n * LOOK_GROWTH)
    return (*out, protocol.blocks_max)


def looks(protocol: Protocol) -> int:
    """How often a run may look at its data."""
    return PLANNED_LOOKS if protocol.planned else len(checkpoints(protocol))


# ---- inside ------------------------------------------------------------------------------------


def _below_floor(m: Blocks, floor_us: float | None) -> Ruling | None:
    if floor_us is None or not m.candidate_us:
        return None
    us = significant(median(m.candidate_us))
    limit = significant(floor_us) / CEILING_ERROR
    return None if us >= limit else (Verdict.impossible, "below-floor", us, significant(limit))


def _by_interval(m: Blocks, protocol: Protocol, iv: Interval) -> Ruling:
    width = band(m, protocol)
    low, high = significant(1 - width), significant(1 + width)
    if iv.high < low:
        verdict, number, limit = Verdict.faster, iv.high, low
        agree = sum([r < 1 for r in m.ratios])
    elif iv.low > high:
        verdict, number, limit = Verdict.slower, iv.low, high
        agree = sum([r > 1 for r in m.ratios])
    else:
        inside = iv.low >= low and iv.high <= high
        number, limit = (iv.high, low) if iv.mid < 1 else (iv.low, high)
        return Verdict.ambiguous, "within-band" if inside else "noise", number, limit
    needed = sign_count(len(m.candidate_us), 1 - protocol.confidence)
    if agree < needed:
        return Verdict.ambiguous, "sign-count", agree, needed
    return verdict, "clears-band", number, limit


def _in_words(
    reason: str, m: Measurement, protocol: Protocol, floor_us: float | None, iv: Interval | None
) -> str:
    """The numbers around the one that decided."""
    if reason == "below-floor":
        us = significant(median(m.candidate_us))
        return f"{us:.4g} us against a floor of {floor_us:.4g} us"
    n = len(m.candidate_us)
    if reason == "throttled":
        return f"{n} blocks"
    if reason == "few-blocks" or iv is None:
        return ""
    below = sum(r < 1 for r in m.ratios)
    return (
        f"median ratio {iv.mid:.4g} [{iv.low:.4g}, {iv.high:.4g}], {below} of {n} blocks faster, "
        f"band {band(m, protocol):.2%}"
    )


@cache
def sign_count(n: int, alpha: float) -> int:
    """Fewest of n blocks on one side whose chance under "no difference" is at most alpha."""
    tail, k = 0.0, n + 1
    while k > 0 and tail + math.comb(n, k - 1) / 2**n <= alpha:
        k -= 1
        tail += math.comb(n, k) / 2**n
    return k
