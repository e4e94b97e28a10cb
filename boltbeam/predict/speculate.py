"""The ceiling of speculative decoding: tokens kept per cycle ÷ what the cycle costs in plain steps.

Takes the cost of one token and of checking several at once (measured, or typed by the user), the
cost of a draft and how often one is accepted; gives gains and a verdict. Never measures, never
assumes a cost.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import accumulate
from operator import mul
from typing import Any

from boltbeam.types import BoltbeamError, Frozen

CHECKED = (2, 4, 8, 16, 32, 64)
"""Tokens that are checked at once."""


class Costs(Frozen):
    """Microseconds of one plain step, and of checking m tokens at once."""

    plain_us: float
    check_us: dict[int, float]
    source: str
    """How they came to be: `measured: …` or `typed`."""


class Cycle(Frozen):
    """One cycle: m - 1 tokens are drafted and checked at once with the one that is due."""

    m: int
    check_us: float
    kept: float
    """Tokens kept on average, the one that the check itself gives among them."""
    gain: float
    """Tokens kept ÷ (check + drafts) in plain steps."""
    granted: float
    """The same if checking m tokens cost no more than one plain step."""


class Ceiling(Frozen):
    """What speculation can gain at most here, and the verdict against a bar."""

    costs: Costs
    draft_us: float
    accept: tuple[float, ...]
    cycles: tuple[Cycle, ...]
    bar: float | None = None

    @property
    def best(self) -> Cycle:
        """The cycle that gains most."""
        return max(self.cycles, key=lambda c: c.gain)

    @property
    def granted(self) -> float:
        """The ceiling with every fix of the check granted in advance."""
        return max(c.granted for c in self.cycles)

    @property
    def ships(self) -> bool | None:
        """Whether the ceiling reaches the bar; None: none was stated."""
        return None if self.bar is None else self.best.gain >= self.bar

    @property
    def check_needed_us(self) -> float | None:
        """What the check of some m may cost at most for the bar; None: no bar, or nothing would do.

        For the m that leaves most room.
        """
        if self.bar is None:
            return None
        plain = self.costs.plain_us
        room = max(c.kept * plain / self.bar - (c.m - 1) * self.draft_us for c in self.cycles)
        return room if room > 0 else None

    @property
    def accept_needed(self) -> float | None:
        """Smallest constant acceptance that reaches the bar; None: no bar, or even 1 does not."""
        if self.bar is None:
            return None
        low, high = 0.0, 1.0
        if best_gain(self.costs, self.draft_us, (high,)) < self.bar:
            return None
        while high - low > 1e-6:
            middle = (low + high) / 2
            reaches = best_gain(self.costs, self.draft_us, (middle,)) >= self.bar
            low, high = (low, middle) if reaches else (middle, high)
        return high


def kept(m: int, accept: Sequence[float]) -> float:
    """Tokens kept when m are checked at once: 1 + a1 + a1·a2 + … over the m - 1 drafted.

    `accept`: chance that the first, second, … draft is right where those before it were; the last
    holds for all later ones.
    """
    chances = [accept[min(i, len(accept) - 1)] for i in range(m - 1)]
    return 1.0 + math.fsum(accumulate(chances, mul))


def cycle(m: int, costs: Costs, draft_us: float, accept: Sequence[float]) -> Cycle:
    """The gain of checking m tokens at once."""
    plain, drafts = costs.plain_us, (m - 1) * draft_us
    tokens = kept(m, accept)
    return Cycle(
        m=m,
        check_us=costs.check_us[m],
        kept=tokens,
        gain=tokens * plain / (costs.check_us[m] + drafts),
        granted=tokens * plain / (min(plain, costs.check_us[m]) + drafts),
    )


def best_gain(costs: Costs, draft_us: float, accept: Sequence[float]) -> float:
    return max(cycle(m, costs, draft_us, accept).gain for m in costs.check_us)


def ceiling(
    costs: Costs, draft_us: float, accept: Sequence[float], bar: float | None = None
) -> Ceiling:
    """The cycles of every m whose check has a cost."""
    return Ceiling(
        costs=costs,
        draft_us=draft_us,
        accept=tuple(accept),
        cycles=tuple(cycle(m, costs, draft_us, accept) for m in sorted(costs.check_us)),
        bar=bar,
    )


# ---- what the user types ---------------------------------------------------------------------


def chances(text: str) -> tuple[float, ...]:
    """`0.6` or `0.8,0.4`: chances of the first, second, … draft. Raises BoltbeamError."""
    try:
        out = tuple(float(word) for word in text.split(","))
    except ValueError:
        out = ()
    if not out or not all(0 <= a <= 1 for a in out):
        raise BoltbeamError(
            f"--accept {text}: chances from 0 to 1 of the first, second, … draft, such as 0.8,0.4"
        )
    return out


def positive(value: float, option: str, least: float = 0.0) -> float:
    """A finite number of at least `least`. Raises BoltbeamError."""
    if not least <= value < math.inf:
        raise BoltbeamError(f"{option} {value:g}: it is a number of at least {least:g}")
    return value


MOST = 4096
"""Tokens checked at once, at most."""


def typed(text: str) -> Costs:
    """`1=43000,2=363000`: microseconds by tokens checked; 1 is the plain step. BoltbeamError."""
    costs: dict[int, float] = {}
    try:
        for word in text.split(","):
            m, us = word.split("=")
            if int(m) in costs:
                raise BoltbeamError(f"--check-cost: {int(m)} stands twice in {text}")
            costs[int(m)] = float(us)
    except ValueError:
        costs = {}
    plain = costs.pop(1, None)
    good = all(1 < m <= MOST and 0 < us < math.inf for m, us in costs.items())
    if plain is None or not costs or not good or not 0 < plain < math.inf:
        raise BoltbeamError(
            f"--check-cost {text}: write m=µs pairs, m up to {MOST}, with 1 (the plain "
            "step) among them, such as 1=43000,2=363000,64=363000"
        )
    return Costs(plain_us=plain, check_us=costs, source="typed by the user, not measured")


# ---- the table -------------------------------------------------------------------------------


def data(found: Ceiling) -> dict[str, Any]:
    """For programs."""
    best = found.best
    return {
        "source": found.costs.source,
        "plain_us": found.costs.plain_us,
        "draft_us": found.draft_us,
        "accept": found.accept,
        "cycles": [c.model_dump() for c in found.cycles],
        "ceiling": best.gain,
        "ceiling_at_m": best.m,
        "ceiling_check_granted": found.granted,
        "bar": found.bar,
        "verdict": verdict(found),
        "accept_needed": found.accept_needed,
        "check_needed_us": found.check_needed_us,
    }


def verdict(found: Ceiling) -> str | None:
    """`ship` or `close`; None: no bar was stated."""
    return None if found.ships is None else "ship" if found.ships else "close"


def words(found: Ceiling) -> list[dict[str, Any]]:
    """The cycles for people."""
    return [
        {
            "tokens at once": c.m,
            "check µs": c.check_us,
            "in plain steps": c.check_us / found.costs.plain_us,
            "kept": c.kept,
            "gain": c.gain,
            "if the check cost one step": c.granted,
        }
        for c in found.cycles
    ]


def notes(found: Ceiling) -> list[str]:
    """The verdict in words."""
    best, plain = found.best, found.costs.plain_us
    out = [
        f"Costs {found.costs.source}. Plain step {plain:,.4g} µs, draft {found.draft_us:,.4g} µs "
        f"a token ({found.draft_us / plain:.3g} of a step).",
        f"Ceiling {best.gain:.3g}× at {best.m} tokens at once; {found.granted:.3g}× if checking "
        "cost no more than one plain step.",
    ]
    if all(c.check_us >= c.m * plain for c in found.cycles):
        out.append("Every check costs more than its tokens one by one, which cannot gain.")
    if found.bar is None:
        return out
    if found.ships:
        return [*out, f"Ship: the ceiling reaches the bar of {found.bar:g}×."]
    need, room = found.accept_needed, found.check_needed_us
    with_costs = (
        "no acceptance reaches it at these costs"
        if need is None
        else f"it needs {need:.3g} accepted"
    )
    with_accept = (
        "no check is cheap enough at this acceptance"
        if room is None
        else f"it needs a check of at most {room:,.0f} µs"
    )
    return [*out, f"Close: below the bar of {found.bar:g}×; {with_costs}, or {with_accept}."]
