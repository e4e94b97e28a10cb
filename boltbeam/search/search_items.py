"""What a search is asked, and what it comes to know of each work item.

Takes a user's wishes and answers of the device, gives funnels, racers and the fastest of them.
Never asks a device.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field

from boltbeam.records.decide import COLD_FACTOR
from boltbeam.records.entries import Audit, Cut, Funnel, Racer
from boltbeam.types import (
    Candidate,
    ChipFacts,
    Measurement,
    ModelFacts,
    Outcome,
    Proof,
    Route,
    Verdict,
    WorkItem,
)


@dataclass(frozen=True)
class Effort:
    """How much of the device a search may use."""

    at_most: int
    """Candidates FutureSight may keep per work item with exact activations in and out."""
    others: int
    """… and per other interface pair that is no RIVAL: using one takes two neighbours."""
    share: float
    """… and as a share of the legal ones."""
    margin: float
    """… and within this factor of the item's best prediction."""
    runners_up: int
    """Racers per interface pair that are compared with stock beside the plan's own members."""
    climbs: int
    """Waves of neighbours of the fastest racers, after the first race (lanes form)."""
    protocol: str


EFFORTS = {
    "quick": Effort(
        at_most=5,
        others=2,
        share=0.05,
        margin=1.3,
        runners_up=0,
        climbs=6,
        protocol="abba-planned-v1",
    ),
    "full": Effort(
        at_most=64,
        others=32,
        share=0.15,
        margin=1.6,
        runners_up=2,
        climbs=12,
        protocol="abba-planned-long-v1",
    ),
}
WRONG_INCUMBENT = "wrong-incumbent"
"""Reason of an Outcome where stock itself computed something else while it was timed."""


@dataclass(frozen=True)
class Request:
    """What to search, as the user asked for it."""

    model: ModelFacts
    chip: ChipFacts
    context: int = 512
    effort: str = "quick"
    ops: tuple[str, ...] = ()
    """Only work items whose span contains one of these ops; empty: all."""
    fused: bool = True
    """Spans of several ops too."""
    pins: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """op (or span) -> route ids one of which must do it."""
    refused: dict[tuple[str, str], Outcome] = field(default_factory=dict)
    """(route id, work key; "" for all) that the ledger refutes here, with the number that did."""
    earlier: Mapping[str, frozenset[tuple[str, str]]] = field(default_factory=dict)
    """Work key -> (route, geometry) that earlier searches here found fastest: raced again."""
    numerics: str = "exact"
    """`exact`: only routes whose sums are exact; `q8`: also those with int8 activations."""
    budget_s: float | None = None
    whole_tokens: bool = False
    """Whole tokens of a few paths follow, and want a share of the budget."""
    seed: int = 0


@dataclass(frozen=True)
class Considered:
    """A legal candidate and what was predicted for it (None: nothing measured to predict from)."""

    candidate: Candidate
    route: Route
    predicted_us: float | None


@dataclass
class ItemResult:
    """One work item's way through the funnel."""

    work: WorkItem
    starts: tuple[int, ...]
    illegal: Counter[str] = field(default_factory=Counter)
    pruned: Counter[str] = field(default_factory=Counter)
    examples: dict[str, Outcome] = field(default_factory=dict)
    """One outcome per reason, with the number that failed."""
    nearest: dict[str, Cut] = field(default_factory=dict)
    """Reason -> the number of the pruned one that came nearest to being kept."""
    legal: int = 0
    kept: list[Considered] = field(default_factory=list)
    cut: list[tuple[Considered, Outcome]] = field(default_factory=list)
    """What FutureSight pruned, and why."""
    proofs: dict[str, Proof] = field(default_factory=dict)
    failures: dict[str, Outcome] = field(default_factory=dict)
    raced_us: dict[str, float] = field(default_factory=dict)
    """Candidate key -> microseconds in the last race it ran."""
    final: frozenset[str] = frozenset()
    """Keys of those that met in the item's last race."""
    timed: dict[str, tuple[Measurement, Outcome]] = field(default_factory=dict)
    shared: dict[str, int] = field(default_factory=dict)
    """Candidate key -> how many comparisons its own counts as: they share the search's chance of an
    error."""
    small: bool = False
    """Its share of the token is negligible: one candidate per interface pair, no climb."""
    stopped: str = ""
    """Why this item was not wholly searched, when it was not: budget or interrupted."""
    audit: Audit | None = None
    """What pruning lost, where somebody asked."""
    audited: list[tuple[Considered, Outcome | None, float]] = field(default_factory=list)
    """Who ran the audit's race, why each had been pruned (None: kept), and its microseconds."""

    @property
    def funnel(self) -> Funnel:
        return Funnel(
            legal=self.legal,
            illegal=dict(sorted(self.illegal.items())),
            pruned=dict(sorted(self.pruned.items())),
            proved=sum(p.ok for p in self.proofs.values()),
            timed=len(self.raced_us),
            stopped=self.stopped,
            nearest=dict(sorted(self.nearest.items())),
            race=self.podium,
            audit=self.audit,
        )

    @property
    def podium(self) -> tuple[Racer, ...]:
        """The fastest two, and the fastest of every interface pair."""
        out, faces = [], set[tuple[str, str]]()
        for place, key in enumerate(self.racers):
            c = self.considered(key)
            face = (c.route.takes, c.route.gives)
            if place < 2 or face not in faces:
                geometry = str(c.candidate.geometry)
                racer = Racer(
                    route=c.route.id,
                    geometry=geometry,
                    takes=face[0],
                    gives=face[1],
                    us=self.raced_us[key],
                )
                out.append(racer)
            faces.add(face)
        return tuple(out)

    @property
    def racers(self) -> list[str]:
        """Keys of those that ran the race and did not fail afterwards, fastest first.

        None where the incumbent itself was wrong: nothing can be compared with it. What seems
        faster than the chip's ceiling is no racer: its time means nothing.
        """
        if any(o.reason == WRONG_INCUMBENT for o in self.failures.values()):
            return []
        no = self.impossible
        fit = [k for k in self.raced_us if k not in self.failures and k not in no]
        return sorted(fit, key=lambda k: (self.raced_us[k], k))

    @property
    def impossible(self) -> set[str]:
        """Keys of those that seemed faster than the chip's measured ceiling."""
        return {k for k, (_, no) in self.timed.items() if no.verdict is Verdict.impossible}

    def leave_out(self, no: Outcome) -> None:
        """Count a candidate that goes no further, by its reason."""
        counter = self.illegal if no.verdict is Verdict.illegal else self.pruned
        counter[no.reason] += 1
        self.examples.setdefault(no.reason, no)
        if no.verdict is Verdict.pruned and no.number is not None:
            cut = Cut(number=no.number, limit=no.limit, detail=no.detail)
            self.nearest[no.reason] = min(self.nearest.get(no.reason, cut), cut, key=_excess)

    def considered(self, key: str) -> Considered:
        return next(c for c in self.kept if c.candidate.key == key)

    def fastest(self, takes: str = "", gives: str = "") -> Considered | None:
        """The fastest racer, of one interface pair where it is named; one of the last race where
        that was held for its pair."""
        best: dict[tuple[str, str], str] = {}
        for key in sorted(self.racers, key=lambda k: (k not in self.final, self.raced_us[k], k)):
            route = self.considered(key).route
            if takes in ("", route.takes) and gives in ("", route.gives):
                best.setdefault((route.takes, route.gives), key)
        first = min(best.values(), key=lambda k: (self.raced_us[k], k), default=None)
        return None if first is None else self.considered(first)


def _excess(cut: Cut) -> float:
    """How far beyond its limit a number is; not comparable ones come last."""
    return cut.number / cut.limit if cut.number is not None and cut.limit else math.inf


def floor_us(work: WorkItem, chip: ChipFacts, m: Measurement | None = None) -> float | None:
    """Least microseconds to read the bytes; None: rate unknown, or the operands stayed cached."""
    gbps = chip.rate("read_gbps")
    if gbps is None or (m is not None and (m.cold_ratio is None or m.cold_ratio < COLD_FACTOR)):
        return None
    return work.bytes / (gbps * 1e3)
