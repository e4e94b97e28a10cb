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

from boltbeam import bubblebeam, futuresight, registry
from boltbeam.decide import decide
from boltbeam.device_work import DeviceWork
from boltbeam.plan import Choice, Occurrence, Option, occurrences, shortest
from boltbeam.types import (
    OPS,
    Audit,
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
    protocol: str


EFFORTS = {
    "quick": Effort(at_most=5, others=2, share=0.05, margin=1.3, runners_up=0, protocol="abba-v1"),
    "full": Effort(
        at_most=64, others=32, share=0.15, margin=1.6, runners_up=2, protocol="abba-long-v1"
    ),
}
NEGLIGIBLE = 0.004
"""Share of the token's floor below which one candidate per interface pair is enough."""


RIVAL = 1.1
"""An interface pair predicted within this factor of the item's best is searched like the exact."""


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
    pins: dict[str, str] = field(default_factory=dict)
    """op (or span) -> route id that must do it."""
    refused: dict[tuple[str, str], Outcome] = field(default_factory=dict)
    """(route id, work key; "" for all) that the ledger refutes here, with the number that did."""
    numerics: str = "exact"
    """`exact`: only routes whose sums are exact; `q8`: also those with int8 activations."""
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
    cut: list[tuple[Considered, Outcome]] = field(default_factory=list)
    """What FutureSight pruned, and why."""
    proofs: dict[str, Proof] = field(default_factory=dict)
    failures: dict[str, Outcome] = field(default_factory=dict)
    raced_us: dict[str, float] = field(default_factory=dict)
    timed: dict[str, tuple[Measurement, Outcome]] = field(default_factory=dict)
    comparisons: int = 1
    skipped: str = ""
    """Why this item was not (wholly) searched, when it was not."""
    audit: Audit | None = None
    """What pruning lost, where somebody asked."""

    @property
    def funnel(self) -> Funnel:
        return Funnel(
            legal=self.legal,
            illegal=dict(sorted(self.illegal.items())),
            pruned=dict(sorted(self.pruned.items())),
            proved=sum(p.ok for p in self.proofs.values()),
            timed=len(self.raced_us),
            audit=self.audit,
        )

    @property
    def racers(self) -> list[str]:
        """Keys of those that ran the race and did not fail afterwards, fastest first."""
        fit = [k for k in self.raced_us if k not in self.failures]
        return sorted(fit, key=lambda k: (self.raced_us[k], k))

    def considered(self, key: str) -> Considered:
        return next(c for c in self.kept if c.candidate.key == key)

    def fastest(self, takes: str = "", gives: str = "") -> Considered | None:
        """The fastest racer, of one interface pair where it is named."""
        right = [
            c
            for c in self.kept
            if c.candidate.key in self.racers
            and takes in ("", c.route.takes)
            and gives in ("", c.route.gives)
        ]
        order = sorted(right, key=lambda c: (self.raced_us[c.candidate.key], c.candidate.key))
        return order[0] if order else None


@dataclass(frozen=True)
class Found:
    """What a search found."""

    request: Request
    token: tuple[Step, ...]
    items: tuple[ItemResult, ...]
    choice: Choice | None
    stopped: str = ""
    """Why it ended before everything was searched: budget or interrupted."""
    reused: int = 0
    """Answers of the device taken over from an earlier run."""

    @property
    def plan(self) -> Choice | None:
        """The choice once every member was compared with stock; not so after Ctrl-C, or dry."""
        timed = {key for item in self.items for key in item.timed}
        if self.choice is None or any(o.evidence not in timed for _, o in self.choice.members):
            return None
        return self.choice


Progress = Callable[[str, float], None]
"""What is happening now, and which share of the work is done."""


def search(request: Request, device: DeviceWork | None, progress: Progress) -> Found:
    """Filter everything; with a device prove and race what was kept, then compare the plan.

    Without a device (`--dry-run`) the filters' verdicts are all there is. Fused spans come last:
    their candidates are made of the winners of their parts. Only the members of the cheapest path
    (and runners-up, with more effort) are compared with stock, block by block.
    """
    token, items = filter_all(request)
    if device is None:
        return Found(request, token, tuple(items), None)
    deadline = None if request.budget_s is None else time.monotonic() + request.budget_s
    order = sorted(items, key=lambda r: (len(r.work.ops), -r.work.bytes * r.work.count, r.work.key))
    stopped = ""
    choice = None
    try:
        for done, item in enumerate(order):
            progress(f"prove and race {item.work.key}", 0.75 * done / len(order))
            if deadline is not None and time.monotonic() > deadline:
                stopped = item.skipped = "budget"
                if len(item.work.ops) > 1:
                    continue
                item.kept = first_per_face(item.kept)  # the plan still needs one way to do it
            inherit(item, items, request)
            race(item, request, device)
        choice = settle(token, items, request, device, progress)
    except KeyboardInterrupt:
        stopped, choice = "interrupted", cheapest(token, items)
    progress("done", 1.0)
    return Found(request, token, tuple(items), choice, stopped, device.reused)


# ---- before the device -----------------------------------------------------------------------


def filter_all(request: Request) -> tuple[tuple[Step, ...], list[ItemResult]]:
    """Every work item of the token with what BubbleBeam and FutureSight left of its candidates."""
    routes = [r for r in registry.routes().values() if r.kind == "search"]
    spans = dict.fromkeys(op for r in routes for op in r.ops)
    token, found = occurrences(request.model, request.context, spans)
    constants = constants_of(request.chip)
    total = sum(o.work.bytes * o.work.count for o in found if len(o.work.ops) == 1)
    items = []
    pinned = [span_at(o, at) for o in found if o.work.op in request.pins for at in o.starts]
    for o in found:
        if request.ops and not set(request.ops) & set(o.work.ops):
            continue
        if len(o.work.ops) > 1 and not request.fused:
            continue
        starts = tuple(at for at in o.starts if not overlaps(span_at(o, at), pinned))
        if not starts:
            continue  # a pinned step is never done by a wider span
        item = ItemResult(o.work, starts)
        small = o.work.bytes * o.work.count < NEGLIGIBLE * total
        legal = [
            Considered(c, route, None)
            for route in routes
            if o.work.op in route.ops
            for c in _legal(item, route, request)
        ]
        _keep(item, legal, request, constants, small)
        if legal or len(o.work.ops) == 1:
            items.append(item)
    for item in items:
        _against_parts(item, items, EFFORTS[request.effort].margin)
    return token, items


def span_at(o: Occurrence, start: int) -> range:
    """The steps of the token that an occurrence covers."""
    return range(start, start + len(o.work.ops))


def overlaps(span: range, others: Sequence[range]) -> bool:
    """Whether a span shares a step with another one."""
    return any(
        span != other and span.start < other.stop and other.start < span.stop for other in others
    )


def constants_of(chip: ChipFacts) -> futuresight.Constants | None:
    """What FutureSight reckons with; None where the chip was never probed."""
    try:
        return futuresight.fit(chip)
    except BoltbeamError:
        return None


def _legal(item: ItemResult, route: Route, request: Request) -> list[Candidate]:
    """BubbleBeam's legal candidates of one route; what is not is counted with its reason."""
    pin = request.pins.get(item.work.op)
    no = None
    if pin is not None and pin != route.id:
        no = Outcome(verdict=Verdict.pruned, reason="pinned", detail=f"--pin {item.work.op}={pin}")
    if request.numerics == "exact" and route.numerics != "exact":
        no = Outcome(
            verdict=Verdict.pruned, reason="numerics", detail="int8: only by --numerics q8"
        )
    for scope in ((route.id, item.work.key), (route.id, "")):
        no = no or request.refused.get(scope)
    if no is not None:
        _count(item.pruned, item, no)
        return []
    if no := bubblebeam.route_legal(item.work, route, request.chip):
        _count(item.illegal, item, no)
        return []
    legal = []
    for geometry, no in bubblebeam.candidates(item.work, route, request.chip):
        if no is not None:
            _count(item.illegal, item, no)
        else:
            legal.append(Candidate(work=item.work, route=route.id, geometry=geometry))
    item.legal += len(legal)
    return legal


def _keep(
    item: ItemResult,
    legal: Sequence[Considered],
    request: Request,
    constants: futuresight.Constants | None,
    small: bool,
) -> None:
    """FutureSight's choice; without a probe it has no opinion and everything is kept.

    The margin is against the item's best prediction over all routes: an int8 route that is
    predicted slower than the exact one is never on a cheapest path. One exact way always stays.
    """
    if constants is None:
        item.kept = list(legal)
        return
    chip, effort = request.chip, EFFORTS[request.effort]
    counts = {
        c.candidate.key: futuresight.count(item.work, c.route, c.candidate.geometry, chip)
        for c in legal
    }
    predicted = [(c, futuresight.time_of(counts[c.candidate.key], constants)) for c in legal]
    best = min((p.us for _, p in predicted), default=0.0)
    for face in sorted({(c.route.takes, c.route.gives) for c in legal}):
        group = [(c, p) for c, p in predicted if (c.route.takes, c.route.gives) == face]
        own = min(p.us for _, p in group)
        exact = face == ("f32", "f32")
        most = effort.at_most if exact or own <= RIVAL * best else effort.others
        at_most = 1 if small else max(1, min(most, round(effort.share * len(group))))
        margin = effort.margin if exact else effort.margin * best / own
        names = [(c.candidate.key, counts[c.candidate.key]) for c, _ in group]
        first = futuresight.champions(names, constants) if margin >= 1 and not small else []
        by_key = {c.candidate.key: (c, p) for c, p in group}
        pairs = [(c.candidate, p) for c, p in group]
        for candidate, no in futuresight.keep(pairs, margin, at_most, first):
            c, p = by_key[candidate.key]
            if no is None:
                item.kept.append(Considered(candidate, c.route, p.us))
            else:
                item.cut.append((Considered(candidate, c.route, p.us), no))
                _count(item.pruned, item, no)


def _against_parts(item: ItemResult, items: Sequence[ItemResult], margin: float) -> None:
    """Drop what is predicted slower than a span's own ops, one by one: no cheapest path has it."""
    bests = [
        min((c.predicted_us for c in part.kept if c.predicted_us), default=None) if part else None
        for part in parts_of(item, items)
    ]
    known = [us for us in bests if us is not None]
    if len(item.work.ops) == 1 or len(known) < len(bests):
        return
    kept, apart = [], sum(known)
    for c in item.kept:
        if c.predicted_us is None or c.predicted_us <= margin * apart:
            kept.append(c)
            continue
        ratio = c.predicted_us / apart
        no = Outcome(verdict=Verdict.pruned, reason="predicted-slow", number=ratio, limit=margin)
        _count(item.pruned, item, no.model_copy(update={"detail": "against its ops one by one"}))
    item.kept = kept


def parts_of(item: ItemResult, items: Sequence[ItemResult]) -> list[ItemResult | None]:
    """The item of each op of a span, where it is searched."""
    return [
        next((i for i in items if i.work.op == op and item.starts[0] + offset in i.starts), None)
        for offset, op in enumerate(item.work.ops)
    ]


def _count(counter: Counter[str], item: ItemResult, outcome: Outcome) -> None:
    counter[outcome.reason] += 1
    item.examples.setdefault(outcome.reason, outcome)


def first_per_face(kept: Sequence[Considered]) -> list[Considered]:
    """The best predicted candidate of each interface pair."""
    best: dict[tuple[str, str], Considered] = {}
    for c in sorted(kept, key=lambda c: (c.predicted_us or 0.0, c.candidate.key)):
        best.setdefault((c.route.takes, c.route.gives), c)
    return list(best.values())


def inherit(item: ItemResult, items: Sequence[ItemResult], request: Request) -> None:
    """Give a fused span the winning geometries of its parts: `qkv.lanes=16 o.rows=2`.

    A span has as many axes as all its parts together; nobody could search their product.
    """
    if len(item.work.ops) == 1:
        return
    axes: dict[str, int] = {}
    for op, part in zip(item.work.ops, parts_of(item, items), strict=True):
        best = part.fastest("f32", "f32") if part else None
        if best is not None:
            axes |= {f"{op}.{name}": v for name, v in best.candidate.geometry.axes}
    for route in {c.route.id: c.route for c in item.kept}.values():
        geometry = Geometry.of(**axes)
        if (
            route.form == "rows"
            and axes
            and not bubblebeam.geometry_legal(item.work, route, geometry, request.chip)
        ):
            made = Candidate(work=item.work, route=route.id, geometry=geometry)
            _replace_last(item, Considered(made, route, None))


def _replace_last(item: ItemResult, made: Considered) -> None:
    """Keep `made` for the worst predicted: long spans take seconds to compile."""
    last = max(item.kept, key=lambda c: (c.predicted_us or 0.0, c.candidate.key))
    no = Outcome(verdict=Verdict.pruned, reason="inherited", detail="the parts' winners instead")
    item.kept.remove(last)
    item.cut.append((last, no))
    _count(item.pruned, item, no)
    item.kept.insert(0, made)
    item.legal += 1


# ---- on the device ---------------------------------------------------------------------------


def race(item: ItemResult, request: Request, device: DeviceWork) -> None:
    """Prove the kept candidates, then race the right ones."""
    for key, answer in device.prove([c.candidate for c in item.kept], request.seed).items():
        if isinstance(answer, Proof):
            item.proofs[key] = answer
        else:
            item.failures[key] = answer
    right = _distinct([c for c in item.kept if _proved(item, c)], item.proofs)
    for key, us in device.race([c.candidate for c in right], request.seed).items():
        if isinstance(us, Outcome):
            item.failures[key] = us
        else:
            item.raced_us[key] = us
    item.comparisons = max(1, len(item.raced_us))


def settle(
    token: tuple[Step, ...],
    items: Sequence[ItemResult],
    request: Request,
    device: DeviceWork,
    progress: Progress,
) -> Choice | None:
    """Compare the members of the cheapest path with stock; one that fails there leaves it."""
    while True:
        choice = cheapest(token, items)
        finalists = [
            (item, c)
            for item, c in contenders(items, choice, EFFORTS[request.effort].runners_up)
            if c.candidate.key not in item.timed
        ]
        if not finalists:
            return choice
        for done, (item, c) in enumerate(finalists):
            progress(f"compare {item.work.key}", 0.75 + 0.25 * done / len(finalists))
            compare(item, c, request, device)


def compare(item: ItemResult, c: Considered, request: Request, device: DeviceWork) -> None:
    """ABBA blocks of one racer against stock, and the verdict."""
    protocol = registry.protocols()[EFFORTS[request.effort].protocol]
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


def floor_us(work: WorkItem, chip: ChipFacts, m: Measurement | None = None) -> float | None:
    """Least microseconds to read the bytes; None: rate unknown, or the operands stayed cached."""
    gbps = chip.rate("read_gbps")
    if gbps is None or (m is not None and (m.cold_ratio is None or m.cold_ratio < 2)):
        return None
    return work.bytes / (gbps * 1e3)


# ---- afterwards ------------------------------------------------------------------------------


def cheapest(token: tuple[Step, ...], items: Sequence[ItemResult]) -> Choice | None:
    """The cheapest path over what was raced so far; None where a step has no way yet."""
    return shortest(token, [Occurrence(i.work, i.starts) for i in items], options(items))


def options(items: Iterable[ItemResult]) -> list[Option]:
    """The fastest racer of every interface pair of every item, as a way through the token."""
    out = []
    for item in items:
        for face in {(c.route.takes, c.route.gives) for c in item.kept}:
            c = item.fastest(*face)
            if c is not None:
                key = c.candidate.key
                out.append(
                    Option(
                        work_key=item.work.key,
                        route=c.route.id,
                        geometry=str(c.candidate.geometry),
                        takes=c.route.takes,
                        gives=c.route.gives,
                        us=item.raced_us[key],
                        evidence=key,
                    )
                )
    return sorted(out, key=lambda o: (o.us, o.evidence))


def contenders(
    items: Sequence[ItemResult], choice: Choice | None, runners_up: int
) -> list[tuple[ItemResult, Considered]]:
    """Who is compared with stock: the plan's members, and the next fastest with more effort.

    Without a plan (`--op`, or a step that nothing does right) the fastest of every work item.
    """
    if choice is None:
        chosen = {item.racers[0] for item in items if item.racers}
    else:
        chosen = {o.evidence for _, o in choice.members}
    out = []
    for item in items:
        rest = [k for k in item.racers if k not in chosen][:runners_up]
        out += [(item, item.considered(k)) for k in item.racers if k in chosen or k in rest]
    return out


def check_pins(pins: dict[str, str], numerics: str = "q8") -> None:
    """Raise BoltbeamError for a pin whose op or route does not exist, or do not fit."""
    spans = {span for r in registry.routes().values() for span in r.ops}
    for op, name in pins.items():
        if op not in spans:
            raise BoltbeamError(
                f"--pin {op}={name}: no such op{registry.did_you_mean(op, spans)}; "
                f"primitive ones are {', '.join(OPS)}"
            )
        route = registry.route(name)
        if numerics == "exact" and route.numerics != "exact":
            raise BoltbeamError(f"--pin {op}={name}: an int8 route; say --numerics q8")
        if op not in route.ops:
            raise BoltbeamError(f"--pin {op}={name}: {name} does {', '.join(route.ops)}, not {op}")
