"""The audit of the filters: what did it cost to time only a few?

Takes predictions and measured times of one work item's candidates, gives what share was kept, how
much the best of those loses against the best of all, and who was wrongly left out. Never times
anything.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Mapping, Sequence

from boltbeam.records.entries import Audit
from boltbeam.types import BoltbeamError, Outcome


def audit(
    measured_us: Mapping[str, float],
    kept: Collection[str],
    predicted_us: Mapping[str, float],
    pruned: Mapping[str, Outcome],
    legal: int,
    everything: bool,
) -> Audit:
    """Judge the filter by one race of kept and pruned candidates of one work item.

    `measured_us`: name -> microseconds, one name per distinct source; a candidate that failed has
    no entry and counts neither way. `pruned`: why each of the others was not kept. Raises
    BoltbeamError where no kept candidate was measured, or nothing else.
    """
    inside = [k for k in measured_us if k in kept]
    if not inside or len(measured_us) < 2:
        raise BoltbeamError("audit: fewer than two candidates were measured; nothing to compare")
    best = min(measured_us, key=lambda k: (measured_us[k], k))
    lost = regret((measured_us[k] for k in inside), measured_us.values())
    known = [k for k in measured_us if k in predicted_us]
    order = sorted(known, key=lambda k: (predicted_us[k], k))
    why = pruned.get(best) if best not in kept else None
    return Audit(
        sampled=len(pruned),
        everything=everything,
        distinct=len(measured_us),
        kept=len(inside),
        kept_share=len(inside) / legal,
        regret=lost,
        rank_correlation=rank_correlation(
            [predicted_us[k] for k in known], [measured_us[k] for k in known]
        )
        if len(known) > 1
        else None,
        best_us=measured_us[best],
        best_rank=order.index(best) + 1 if best in predicted_us else None,
        worst="" if why is None else best,
        worst_reason="" if why is None else why.reason,
        worst_number=None if why is None else why.number,
        worst_limit=None if why is None else why.limit,
    )


def rank_correlation(predicted: Sequence[float], measured: Sequence[float]) -> float:
    """Spearman's rho, ties averaged; 1 = same order. Needs two or more pairs."""
    if len(predicted) != len(measured) or len(predicted) < 2:
        raise ValueError("rank_correlation needs two or more pairs")
    a, b = _ranks(predicted), _ranks(measured)
    mean = (len(a) + 1) / 2
    cov = sum((x - mean) * (y - mean) for x, y in zip(a, b, strict=True))
    var = math.sqrt(sum((x - mean) ** 2 for x in a) * sum((y - mean) ** 2 for y in b))
    return cov / var if var else 0.0


def _ranks(values: Sequence[float]) -> list[float]:
    order = sorted(range(len(values)), key=lambda i: values[i])
    out = [0.0] * len(values)
    i = 0
    while i < len(order):
        j = i
        while j + 1 < len(order) and values[order[j + 1]] == values[order[i]]:
            j += 1
        for at in order[i : j + 1]:
            out[at] = (i + j) / 2 + 1
        i = j + 1
    return out


def regret(kept: Iterable[float], everything: Iterable[float]) -> float:
    """How much slower the best kept candidate is than the best of all: 0.03 = 3 % lost."""
    best = min(everything)
    return min(kept, default=math.inf) / best - 1.0
