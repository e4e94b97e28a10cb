"""Would it come out the same again? Two whole searches, and each one's winners beside the other's.

Takes the options of a search, gives a Repeat: per work item both winners, and their times measured
against each other. Never writes to the ledger or the run store: both searches begin with nothing.
"""

from __future__ import annotations

import tempfile
from contextlib import closing
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Literal

from boltbeam import registry
from boltbeam.models.plan import short
from boltbeam.records.decide import band, decide, interval
from boltbeam.records.entries import Interval
from boltbeam.records.ledger import Layer, Layers
from boltbeam.records.store import Store
from boltbeam.search import machine, search_session
from boltbeam.search.device_work import DeviceWork
from boltbeam.search.search import Found, Progress
from boltbeam.search.search_items import EFFORTS, Considered, ItemResult
from boltbeam.search.search_session import Memory, Options
from boltbeam.types import BoltbeamError, GateFailed, Measurement, Outcome, Verdict
from boltbeam.worker import Pool

PROTOCOL = EFFORTS["full"].protocol
"""That two kernels are equal takes more blocks than that one is much faster."""
Within = Literal["yes", "no", "undecided", "one only", "failed"]


@dataclass(frozen=True)
class Pair:
    """The winners of one work item in both searches."""

    work: str
    count: int
    first: str
    """Route and geometry; '' where that search has none."""
    second: str
    first_us: float | None
    """As each was in its own search's race."""
    second_us: float | None
    within: Within
    """Whether the two lie within the band: `yes` and `no` where the interval says so."""
    same: bool
    """The same name, or another name that renders to the same kernel."""
    ratio: Interval | None = None
    """Second ÷ first, measured in turns; None: the same kernel, or not measured."""
    band: float | None = None
    why: str = ""

    @property
    def regret(self) -> float | None:
        """What the slower of the two loses against the other; 0 for the same kernel."""
        if self.same:
            return 0.0
        return None if self.ratio is None else max(self.ratio.mid, 1 / self.ratio.mid) - 1

    @property
    def cells(self) -> dict[str, Any]:
        iv = self.ratio
        return {
            "work": short(self.work),
            "count": self.count,
            "first": self.first,
            "second": self.second,
            "same": self.same,
            "first_us": self.first_us,
            "second_us": self.second_us,
            "second_to_first": None if iv is None else iv.mid,
            "low": None if iv is None else iv.low,
            "high": None if iv is None else iv.high,
            "band": self.band,
            "within": self.within,
            "regret": self.regret,
            "why": self.why,
        }


@dataclass(frozen=True)
class Repeat:
    """Two searches of the same token."""

    chip: str
    pairs: tuple[Pair, ...]
    plans_us: tuple[float | None, float | None]
    """Predicted token of each search's plan."""
    same_plan: bool | None
    """Both plans do every step by the same kernel; None: not both have a plan."""

    @property
    def outside(self) -> tuple[Pair, ...]:
        return tuple(p for p in self.pairs if p.within == "no")

    @property
    def not_compared(self) -> tuple[Pair, ...]:
        """Nobody knows whether these lie within the band."""
        return tuple(p for p in self.pairs if p.within in ("one only", "failed"))

    @property
    def regret(self) -> float | None:
        """Mean regret, each item by its share of the time of all items in the token."""
        known = [(p.count * p.first_us, p.regret) for p in self.pairs if p.first_us]
        told = [(weight, r) for weight, r in known if r is not None]
        total = sum(weight for weight, _ in told)
        return sum(weight * r for weight, r in told) / total if total else None

    @property
    def notes(self) -> list[str]:
        """What a reader wants to know first."""
        same = sum(p.same for p in self.pairs)
        worst = max((p.regret for p in self.pairs if p.regret is not None), default=None)
        parts = [f"{same} of {len(self.pairs)} winners are the same kernel"]
        for what in ("yes", "no", "undecided", "one only", "failed"):
            n = sum(p.within == what and not p.same for p in self.pairs)
            if n:
                parts.append(f"{n} other: {SAID[what]}")
        if worst is not None and self.regret is not None:
            parts.append(f"regret {self.regret:.2%} of the items' time, {worst:.2%} at worst")
        plans = {True: "the plans are the same", False: "the plans differ", None: "no two plans"}
        a, b = self.plans_us
        times = f" ({a:.4g} and {b:.4g} us predicted)" if a is not None and b is not None else ""
        return ["; ".join(parts), plans[self.same_plan] + times]


SAID = {
    "yes": "within the band",
    "no": "outside the band",
    "undecided": "too noisy to tell whether they lie within the band",
    "one only": "found by one search only",
    "failed": "could not be timed beside each other",
}


def repeat(options: Options, ledger_dir: Path | None, progress: Progress) -> Repeat:
    """Search twice, then time what differs. Each search's device work is done by its own processes.

    BoltbeamError: bad options, or nothing to search.
    """
    if options.effort not in EFFORTS:
        raise BoltbeamError(f"--effort {options.effort}: it is quick or full")
    layers, found = Layers.find(ledger_dir=ledger_dir), []
    for turn in (1, 2):
        with tempfile.TemporaryDirectory(prefix="boltbeam-repeat-") as made:
            found.append(_once(options, layers, Path(made), f"search {turn}: ", turn - 1, progress))
    device, _ = machine.open_device(options.chip)
    with (
        tempfile.TemporaryDirectory(prefix="boltbeam-repeat-") as made,
        closing(Store.open(Path(made) / "runs.db")) as store,
        Pool(device, 1, machine.worker_env(store, device)) as pool,
    ):
        work = DeviceWork(pool, found[0].request.chip, Memory(store, "repeat"))
        made_of = beside(found[0], found[1], work, progress)
    if not made_of.pairs:
        raise GateFailed("repeat: neither search found a right kernel of any work item")
    return made_of


def _once(
    options: Options, layers: Layers, folder: Path, title: str, part: int, progress: Progress
) -> Found:
    """One search with a run store and a top ledger layer of its own."""

    def here(what: str, share: float) -> None:
        progress(title + what, (part + share) * 0.45)

    mine = Layers((*layers.layers, Layer("given", folder / "ledger")))
    with closing(Store.open(folder / "runs.db")) as store:
        once = replace(options, resume=False, fresh=True, whole_tokens=False)
        found = search_session.run(once, mine, store, here).found
    if found.stopped == "interrupted":
        raise KeyboardInterrupt
    if not found.items:
        raise BoltbeamError("repeat: this model has no work items with generated kernels")
    return found


def beside(first: Found, second: Found, device: DeviceWork, progress: Progress) -> Repeat:
    """Each work item's winners of two searches beside each other."""
    others = {i.work.key: i for i in second.items}
    both = [(i, others[i.work.key]) for i in first.items if i.work.key in others]
    apart = [ab for ab in both if not _same(*ab)]
    pairs = []
    for done, (a, b) in enumerate(both):
        progress(f"time again {a.work.key}", 0.9 + 0.1 * done / len(both))
        pairs.append(_pair(a, b, device, len(apart)))
    members = [{o.evidence for _, o in f.plan.members} if f.plan else None for f in (first, second)]
    known = members[0] is not None and members[1] is not None
    return Repeat(
        chip=first.request.chip.id,
        pairs=tuple(p for p in pairs if p.first or p.second),
        plans_us=(first.plan.us if first.plan else None, second.plan.us if second.plan else None),
        same_plan=members[0] == members[1] if known else None,
    )


def _same(a: ItemResult, b: ItemResult) -> bool:
    """Both searches chose the same kernel, or neither chose one."""
    one, other = a.fastest(), b.fastest()
    if one is None or other is None:
        return one is other
    return one.candidate.key == other.candidate.key or _source(a, one) == _source(b, other)


def _source(item: ItemResult, c: Considered) -> str:
    key = c.candidate.key
    return item.proofs[key].source_hash or key


def _pair(a: ItemResult, b: ItemResult, device: DeviceWork, comparisons: int) -> Pair:
    one, other = a.fastest(), b.fastest()

    def pair(within: Within, same: bool, **more: Any) -> Pair:
        return Pair(
            work=a.work.key,
            count=a.work.count,
            first=_name(one),
            second=_name(other),
            first_us=None if one is None else a.raced_us[one.candidate.key],
            second_us=None if other is None else b.raced_us[other.candidate.key],
            within=within,
            same=same,
            **more,
        )

    if one is None or other is None:
        return pair("one only", False, why=a.stopped or b.stopped)
    if _same(a, b):
        return pair("yes", True)
    protocol = registry.protocols()[PROTOCOL]
    incumbent = (one.route.id, str(one.candidate.geometry))
    blocks = device.compare(other.candidate, protocol, comparisons, incumbent)
    if isinstance(blocks, Outcome):
        return pair("failed", False, why=f"{blocks.reason}: {blocks.detail}")
    outcome = decide(blocks, protocol, None, comparisons)
    return pair(
        within_band(outcome),
        False,
        ratio=interval(blocks, protocol, comparisons),
        band=band(blocks, protocol),
        why=_why(outcome, blocks),
    )


def within_band(outcome: Outcome) -> Within:
    """Whether two kernels lie within the band of each other, by the verdict on one of them."""
    if outcome.verdict in (Verdict.faster, Verdict.slower):
        return "no"
    return "yes" if outcome.reason == "within-band" else "undecided"


def _why(outcome: Outcome, blocks: Measurement) -> str:
    return f"{len(blocks.ratios)} blocks, {blocks.stop_reason}: second is {outcome.verdict}"


def _name(c: Considered | None) -> str:
    return "" if c is None else f"{c.route.id} {c.candidate.geometry}"
