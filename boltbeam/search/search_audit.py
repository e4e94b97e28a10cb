"""`search --audit N`: time what the filters would not have timed, and say what they lost by it.

Takes one work item that the search is done with, gives its Audit. Never changes what was found: a
candidate that only the audit timed is no winner.
"""

from __future__ import annotations

import random
from collections.abc import Sequence

from boltbeam.predict import audit
from boltbeam.records.entries import Audit
from boltbeam.search.device_work import DeviceWork
from boltbeam.search.search import Progress
from boltbeam.search.search_items import Considered, ItemResult
from boltbeam.types import BoltbeamError, Outcome, Proof

EVERY = 1 << 30
"""`--audit all`."""


def audit_items(
    items: Sequence[ItemResult], device: DeviceWork, sample: int, seed: int, progress: Progress
) -> None:
    """Audit every item whose candidates were pruned; Ctrl-C leaves the rest without one."""
    try:
        for done, item in enumerate(items):
            progress(f"audit {item.work.key}", done / len(items))
            item.audit = audit_item(item, device, sample, seed)
    except KeyboardInterrupt:
        pass
    progress("done", 1.0)


def audit_item(item: ItemResult, device: DeviceWork, sample: int, seed: int) -> Audit | None:
    """Prove and race the kept candidates with `sample` of the pruned ones, all in one race.

    None where FutureSight pruned nothing, or where too few came through the proofs.
    """
    if not item.cut or not item.racers:
        return None
    picked = random.Random(f"{seed} {item.work.key}").sample(item.cut, min(sample, len(item.cut)))
    reasons = {c.candidate.key: no for c, no in picked}
    sources = {k: p.source_hash for k, p in item.proofs.items() if p.ok}
    sources |= _proved(device, [c for c, _ in picked], seed)
    kept = [c for c in item.kept if c.candidate.key in item.racers]
    everyone = _one_per_source([*kept, *(c for c, _ in picked)], sources)
    stay = [c.candidate.key for c in everyone if c.candidate.key in item.racers]
    raced = device.race([c.candidate for c in everyone], seed, stay)
    times = {k: us for k, us in raced.items() if not isinstance(us, Outcome)}
    item.audited = [
        (c, reasons.get(c.candidate.key), times[c.candidate.key])
        for c in everyone
        if c.candidate.key in times
    ]
    named = {c.candidate.key: f"{c.route.id} {c.candidate.geometry}" for c in everyone}
    try:
        return audit.audit(
            {named[k]: us for k, us in times.items()},
            [named[k] for k in stay],
            {named[c.candidate.key]: c.predicted_us for c in everyone if c.predicted_us},
            {named[k]: no for k, no in reasons.items() if k in named},
            item.legal,
            everything=len(picked) == len(item.cut),
        )
    except BoltbeamError:
        return None


def _proved(device: DeviceWork, candidates: list[Considered], seed: int) -> dict[str, str]:
    """Candidate key -> source hash of those that are right."""
    answers = device.prove([c.candidate for c in candidates], seed)
    return {k: a.source_hash for k, a in answers.items() if isinstance(a, Proof) and a.ok}


def _one_per_source(candidates: list[Considered], sources: dict[str, str]) -> list[Considered]:
    """The first of those that render to the same source; what was not proved is left out."""
    first: dict[str, Considered] = {}
    for c in candidates:
        if c.candidate.key in sources:
            first.setdefault(sources[c.candidate.key], c)
    return list(first.values())
