"""The search, from a model and a chip to proven, timed verdicts and a plan. Read this one first.

    work items -> BubbleBeam (legal?) -> FutureSight (worth it?) -> proof (right?) -> race -> ABBA
    against the incumbent -> best per interface -> shortest path over the token -> plan

Takes a Request, gives a Found. Never imports tinygrad: what needs the device happens in workers,
and every answer of theirs is in the store before it is used, so nothing measured is ever lost.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from statistics import median

from boltbeam import bubblebeam, futuresight, registry
from boltbeam.decide import decide
from boltbeam.device_work import DeviceWork
from boltbeam.plan import Choice, Occurrence, Option, occurrences, shortest
from boltbeam.types import (
    BoltbeamError,
    Candidate,
    ChipFacts,
    Funnel,
    Geometry,
    Measurement,
    ModelFacts,
    Outcome,
    Proof,
    Route,
    Step,
    Verdict,
    WorkItem,
)


@dataclass(frozen=True)
class Effort:
    """How much of the device a search may use per work item and route."""

    at_most: int
    """Candidates FutureSight may keep per route."""
    share: float
    """… and as a share of the legal ones."""
    margin: float
    """… and within this factor of the best prediction."""
    compare: int
    """Fastest racers per interface that are compared with the incumbent."""
    protocol: str


EFFORTS = {
    "quick": Effort(at_most=6, share=0.05, margin=1.3, compare=1, protocol="abba-v1"),
    "full": Effort(at_most=64, share=0.15, margin=1.6, compare=3, protocol="abba-long-v1"),
}
NEGLIGIBLE = 0.004
"""Share of the token's floor below which one candidate per route is enough."""


@dataclass(frozen=True)
class Request:
    """What to search, as the user asked for it."""

    model: ModelFacts
    chip: ChipFacts
    context: int = 512
    effort: str = "quick"
    ops: tuple[str, ...] = ()
    """Only work items whose span contains one of these ops; empty: all."""
    pins: dict[str, str] = field(default_factory=dict)
    """op (or span) -> route id that must do it."""
    refused: dict[tuple[str, str], Outcome] = field(default_factory=dict)
    """(route id, work key; "" for all) that the ledger refutes here, with the number that did."""
    budget_s: float | None = None
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
    legal: int = 0
    kept: list[Considered] = field(default_factory=list)
    proofs: dict[str, Proof] = field(default_factory=dict)
    failures: dict[str, Outcome] = field(default_factory=dict)
    raced_us: dict[str, float] = field(default_factory=dict)
    timed: dict[str, tuple[Measurement, Outcome]] = field(default_factory=dict)
    comparisons: int = 1
    skipped: str = ""
    """Why this item was not (wholly) searched, when it was not."""

    @property
    def funnel(self) -> Funnel:
        return Funnel(
            legal=self.legal,
            illegal=dict(sorted(self.illegal.items())),
            pruned=dict(sorted(self.pruned.items())),
            proved=sum(p.ok for p in self.proofs.values()),
            timed=len(self.raced_us),
        )

    def considered(self, key: str) -> Considered:
        return next(c for c in self.kept if c.candidate.key == key)

    def best(self) -> tuple[Considered, Measurement, Outcome] | None:
        """The fastest compared candidate, or None."""
        if not self.timed:
            return None
        key = min(self.timed, key=lambda k: (median(self.timed[k][0].candidate_us), k))
        return (self.considered(key), *self.timed[key])


@dataclass(frozen=True)
class Found:
    """What a search found."""

    request: Request
    token: tuple[Step, ...]
    items: tuple[ItemResult, ...]
    choice: Choice | None
    stopped: str = ""
    """Why it ended before everything was searched: budget or interrupt."""


Progress = Callable[[str, float], None]
"""What is happening now, and which share of the work is done."""


def search(request: Request, device: DeviceWork | None, progress: Progress) -> Found:
    """Filter everything; with a device prove, race and compare what was kept, largest share first.

    Without a device (`--dry-run`) the filters' verdicts are all there is. Fused spans come last:
    their candidates are made of the winners of their parts.
    """
    token, items = filter_all(request)
    if device is None:
        return Found(request, token, tuple(items), None)
    deadline = None if request.budget_s is None else time.monotonic() + request.budget_s
    stopped = ""
    order = sorted(items, key=lambda r: (len(r.work.ops), -r.work.bytes * r.work.count, r.work.key))
    for done, item in enumerate(order):
        progress(item.work.key, done / len(order))
        if deadline is not None and time.monotonic() > deadline:
            stopped = item.skipped = "budget"
            if len(item.work.ops) > 1:
                continue
            item.kept = first_per_route(item.kept)  # the plan still needs one way to do it
        try:
            inherit(item, items, request)
            measure(item, request, device)
        except KeyboardInterrupt:
            stopped = item.skipped = "interrupted"
            break
    progress("plan", 1.0)
    where = [Occurrence(i.work, i.starts) for i in items]
    return Found(request, token, tuple(items), shortest(token, where, options(items)), stopped)


# ---- before the device -----------------------------------------------------------------------


def filter_all(request: Request) -> tuple[tuple[Step, ...], list[ItemResult]]:
    """Every work item of the token with what BubbleBeam and FutureSight left of its candidates."""
    routes = [r for r in registry.routes().values() if r.kind == "search"]
    spans = dict.fromkeys(op for r in routes for op in r.ops)
    token, found = occurrences(request.model, request.context, spans)
    constants = constants_of(request.chip)
    total = sum(o.work.bytes * o.work.count for o in found if len(o.work.ops) == 1)
    items = []
    for o in found:
        if request.ops and not set(request.ops) & set(o.work.ops):
            continue
        item = ItemResult(o.work, o.starts)
        small = o.work.bytes * o.work.count < NEGLIGIBLE * total
        for route in routes:
            if o.work.op in route.ops:
                _filter(item, route, request, constants, small)
        if item.legal or len(o.work.ops) == 1:
            items.append(item)
    return token, items


def constants_of(chip: ChipFacts) -> futuresight.Constants | None:
    """What FutureSight reckons with; None where the chip was never probed."""
    try:
        return futuresight.fit(chip)
    except BoltbeamError:
        return None


def _filter(
    item: ItemResult,
    route: Route,
    request: Request,
    constants: futuresight.Constants | None,
    small: bool,
) -> None:
    """Add one route's candidates to the item's funnel."""
    pin = request.pins.get(item.work.op)
    if pin is not None and pin != route.id:
        return _count(item.pruned, item, _pruned("pinned", f"--pin {item.work.op}={pin}"))
    for scope in ((route.id, item.work.key), (route.id, "")):
        if scope in request.refused:
            return _count(item.pruned, item, request.refused[scope])
    if no := bubblebeam.route_legal(item.work, route, request.chip):
        return _count(item.illegal, item, no)
    legal = []
    for geometry, no in bubblebeam.candidates(item.work, route, request.chip):
        if no is not None:
            _count(item.illegal, item, no)
        else:
            legal.append(Candidate(work=item.work, route=route.id, geometry=geometry))
    item.legal += len(legal)
    effort = EFFORTS[request.effort]
    at_most = 1 if small else max(1, min(effort.at_most, round(effort.share * len(legal))))
    for candidate, us, no in _rank(legal, route, request.chip, constants, effort.margin, at_most):
        if no is not None:
            _count(item.pruned, item, no)
        else:
            item.kept.append(Considered(candidate, route, us))
    return None


def _rank(
    legal: Sequence[Candidate],
    route: Route,
    chip: ChipFacts,
    constants: futuresight.Constants | None,
    margin: float,
    at_most: int,
) -> Iterable[tuple[Candidate, float | None, Outcome | None]]:
    """FutureSight's verdicts; without a probe it has no opinion and everything is kept."""
    if constants is None:
        return [(c, None, None) for c in legal]
    predicted = [
        (c, futuresight.predict(c.work, route, c.geometry, chip, constants)) for c in legal
    ]
    us = {c.key: p.us for c, p in predicted}
    return [(c, us[c.key], no) for c, no in futuresight.keep(predicted, margin, at_most)]


def _count(counter: Counter[str], item: ItemResult, outcome: Outcome) -> None:
    counter[outcome.reason] += 1
    item.examples.setdefault(outcome.reason, outcome)


def _pruned(reason: str, detail: str) -> Outcome:
    return Outcome(verdict=Verdict.pruned, reason=reason, detail=detail)


def first_per_route(kept: Sequence[Considered]) -> list[Considered]:
    """The best predicted candidate of each route."""
    best: dict[str, Considered] = {}
    for c in sorted(kept, key=lambda c: (c.predicted_us or 0.0, c.candidate.key)):
        best.setdefault(c.route.id, c)
    return list(best.values())


def inherit(item: ItemResult, items: Sequence[ItemResult], request: Request) -> None:
    """Give a fused span the winning geometries of its parts: `qkv.lanes=16 o.rows=2`.

    A span has as many axes as all its parts together; nobody could search their product.
    """
    if len(item.work.ops) == 1:
        return
    axes: dict[str, int] = {}
    for offset, op in enumerate(item.work.ops):
        part = next(
            (i for i in items if i.work.op == op and item.starts[0] + offset in i.starts), None
        )
        best = part.best() if part else None
        if best is not None:
            axes |= {f"{op}.{name}": v for name, v in best[0].candidate.geometry.axes}
    for route in {c.route.id: c.route for c in item.kept}.values():
        geometry = Geometry.of(**axes)
        if (
            route.form == "rows"
            and axes
            and not bubblebeam.geometry_legal(item.work, route, geometry, request.chip)
        ):
            made = Candidate(work=item.work, route=route.id, geometry=geometry)
            item.kept.insert(0, Considered(made, route, None))
            item.legal += 1


# ---- on the device ---------------------------------------------------------------------------


def measure(item: ItemResult, request: Request, device: DeviceWork) -> None:
    """Prove the kept candidates, race the right ones, compare the best per interface with stock."""
    effort = EFFORTS[request.effort]
    protocol = registry.protocols()[effort.protocol]
    answers = device.prove([c.candidate for c in item.kept], request.seed)
    for key, answer in answers.items():
        if isinstance(answer, Proof):
            item.proofs[key] = answer
        else:
            item.failures[key] = answer
    right = _distinct([c for c in item.kept if _proved(item, c)], item.proofs)
    raced = device.race([c.candidate for c in right], request.seed)
    item.raced_us = {k: us for k, us in raced.items() if isinstance(us, float)}
    item.failures |= {k: o for k, o in raced.items() if isinstance(o, Outcome)}
    finalists = _finalists(right, item.raced_us, effort.compare)
    item.comparisons = max(1, len(item.raced_us))
    for c in finalists:
        blocks = device.compare(c.candidate, protocol, item.comparisons)
        if isinstance(blocks, Outcome):
            item.failures[c.candidate.key] = blocks
        else:
            floor = floor_us(item.work, request.chip, blocks)
            verdict = decide(blocks, protocol, floor, item.comparisons)
            item.timed[c.candidate.key] = (blocks, verdict)


def _proved(item: ItemResult, c: Considered) -> bool:
    proof = item.proofs.get(c.candidate.key)
    return proof is not None and proof.ok


def _distinct(right: Sequence[Considered], proofs: dict[str, Proof]) -> list[Considered]:
    """Two candidates that render to the same source are one."""
    by_source: dict[str, Considered] = {}
    for c in right:
        by_source.setdefault(proofs[c.candidate.key].source_hash or c.candidate.key, c)
    return list(by_source.values())


def _finalists(right: Sequence[Considered], raced_us: dict[str, float], n: int) -> list[Considered]:
    """The n fastest racers of every interface pair."""
    by_face: dict[tuple[str, str], list[Considered]] = {}
    for c in sorted(
        right, key=lambda c: (raced_us.get(c.candidate.key, float("inf")), c.candidate.key)
    ):
        if c.candidate.key in raced_us:
            by_face.setdefault((c.route.takes, c.route.gives), []).append(c)
    return [c for group in by_face.values() for c in group[:n]]


def floor_us(work: WorkItem, chip: ChipFacts, m: Measurement | None = None) -> float | None:
    """Least microseconds to read the bytes; None: rate unknown, or the operands stayed cached."""
    gbps = chip.rate("read_gbps")
    if gbps is None or (m is not None and (m.cold_ratio is None or m.cold_ratio < 2)):
        return None
    return work.bytes / (gbps * 1e3)


# ---- afterwards ------------------------------------------------------------------------------


def options(items: Iterable[ItemResult]) -> list[Option]:
    """Every compared candidate that is right and not impossible, as a way through the token.

    A slower or ambiguous kernel may still be needed: stock cannot hand an int8 activation on, and
    the plan as a whole is what is judged.
    """
    out = []
    for item in items:
        for key, (m, verdict) in item.timed.items():
            if verdict.verdict in (Verdict.faster, Verdict.slower, Verdict.ambiguous):
                c = item.considered(key)
                out.append(
                    Option(
                        work_key=item.work.key,
                        route=c.route.id,
                        geometry=str(c.candidate.geometry),
                        takes=c.route.takes,
                        gives=c.route.gives,
                        us=median(m.candidate_us),
                        evidence=key,
                    )
                )
    return out


def check_pins(pins: dict[str, str]) -> None:
    """Raise BoltbeamError for a pin whose op or route does not exist, or do not fit."""
    for op, name in pins.items():
        route = registry.route(name)
        if op not in route.ops:
            raise BoltbeamError(f"--pin {op}={name}: {name} does {', '.join(route.ops)}, not {op}")
