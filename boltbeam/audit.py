"""The audit of the filters: what did it cost to time only a few?

Takes predictions and measured times of *all* legal candidates of one work item, gives what share
was timed and how much the best of those loses against the best of all. Never times anything.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from boltbeam.futuresight import Prediction, keep, rank_correlation, regret
from boltbeam.types import BoltbeamError, Candidate

SHARES = (0.02, 0.05, 0.10, 0.15, 0.30)
"""Shares of the legal candidates at which the loss is shown."""


@dataclass(frozen=True)
class Audit:
    """One work item, exhaustively measured once."""

    work_key: str
    legal: int
    timed: int
    """How many the filter would have timed."""
    lost: float
    """Best of the timed ÷ best of all − 1."""
    rank_correlation: float
    best: str
    """Key of the best candidate of all."""
    best_us: float
    best_rank: int
    """Where the prediction had placed it; 1 = first."""
    by_share: tuple[tuple[float, float], ...]
    """(share timed, loss) along the order of the predictions."""

    @property
    def share(self) -> float:
        return self.timed / self.legal


def audit(
    predicted: Sequence[tuple[Candidate, Prediction]],
    measured_us: Mapping[str, float],
    margin: float,
    at_most: int,
) -> Audit:
    """Replay the filter over one item whose candidates were all timed.

    `measured_us`: candidate key -> microseconds; a candidate that failed has no entry and counts
    neither way. Raises BoltbeamError where fewer than two were measured.
    """
    known = [(c, p) for c, p in predicted if c.key in measured_us]
    if len(known) < 2:
        raise BoltbeamError("audit: fewer than two candidates were measured; nothing to compare")
    order = [c for c, _ in keep(known, float("inf"), len(known))]
    times = [measured_us[c.key] for c in order]
    best = min(range(len(times)), key=times.__getitem__)
    kept = [c for c, no in keep(known, margin, at_most) if no is None]
    return Audit(
        work_key=known[0][0].work.key,
        legal=len(known),
        timed=len(kept),
        lost=regret((measured_us[c.key] for c in kept), times),
        rank_correlation=rank_correlation(
            [p.us for _, p in known], [measured_us[c.key] for c, _ in known]
        ),
        best=order[best].key,
        best_us=times[best],
        best_rank=best + 1,
        by_share=tuple((s, regret(times[: max(1, int(s * len(times)))], times)) for s in SHARES),
    )
