"""The search, from a model and a chip to proven, timed verdicts and a plan. Read this one first.

    work items -> BubbleBeam (legal?) -> FutureSight (worth it?) -> proof (right?) -> race -> ABBA
    against the incumbent -> best per interface -> shortest path over the token -> plan

Takes a Request, gives a Found. Never imports tinygrad: what needs the device happens in workers,
and every answer of theirs is in the store before it is used, so nothing measured is ever lost.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Container, Iterable, Sequence
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
    climbs: int
    """Waves of neighbours of the fastest racers, after the first race (lanes form)."""
    protocol: str


EFFORTS = {
    "quick": Effort(
        at_most=5, others=2, share=0.05, margin=1.3, runners_up=0, climbs=2, protocol="abba-v1"
    ),
    "full": Effort(
        at_most=64,
        others=32,
        share=0.15,
        margin=1.6,
        runners_up=2,
        climbs=6,
        protocol="abba-long-v1",
    ),
}
CLIMB_WITHIN = 1.3
"""An interface pair climbs when it is at most this times slower than the item's fastest."""
LEAST_KEPT = 4
"""Candidates that stay, where there are so many, however small their share of the legal ones."""
NEGLIGIBLE = 0.004
"""Share of the token's predicted time below which one candidate per interface pair is enough."""
WRONG_INCUMBENT = "wrong-incumbent"
"""Reason of an Outcome where stock itself computed something else while it was timed."""
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
    small: bool = False
    """Its share of the token is negligible: one candidate per interface pair, no climb."""
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
        """Keys of those that ran the race and did not fail afterwards, fastest first.

        None where the incumbent itself was wrong: nothing can be compared with it.
        """
        if any(o.reason == WRONG_INCUMBENT for o in self.failures.values()):
            return []
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


Predicted = tuple[Considered, futuresight.Counts | None]
"""A legal candidate and what FutureSight counted for it."""
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
        for last in (False, True):
            group = [i for i in order if inherits(i) == last]
            if deadline is not None and time.monotonic() > deadline:
                stopped = "budget"
                for item in group:
                    item.skipped = stopped
                    item.kept = first_per_face(item.kept)
                # the plan needs one way to do every step
                group = [i for i in group if len(i.work.ops) == 1]
            for item in group:
                inherit(item, items, request)
            stopped = explore(group, request, device, progress, deadline) or stopped
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
    items, everything = [], []
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
        legal = [
            _predicted(c, route, request.chip, constants)
            for route in routes
            if o.work.op in route.ops
            for c in _legal(item, route, request)
        ]
        if legal or len(o.work.ops) == 1:
            items.append(item)
            everything.append(legal)
    best = [min((p.predicted_us or 0.0 for p, _ in legal), default=0.0) for legal in everything]
    costs = [us * i.work.count for us, i in zip(best, items, strict=True)]
    total = sum(c for c, i in zip(costs, items, strict=True) if len(i.work.ops) == 1)
    for item, legal, cost in zip(items, everything, costs, strict=True):
        item.small = cost < NEGLIGIBLE * total
        _keep(item, legal, request, constants)
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
    """BubbleBeam's legal candidates of one route; what is not is counted with its reason.

    A route that the user or the ledger leaves out counts as legal and pruned, all of it.
    """
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
    left_out = no
    if no := bubblebeam.route_legal(item.work, route, request.chip):
        _count(item.illegal, item, no)
        return []
    legal = []
    for geometry, no in bubblebeam.candidates(item.work, route, request.chip):
        if no is not None:
            _count(item.illegal, item, no)
            continue
        item.legal += 1
        if left_out is not None:
            _count(item.pruned, item, left_out)
        else:
            legal.append(Candidate(work=item.work, route=route.id, geometry=geometry))
    return legal


def _predicted(
    candidate: Candidate, route: Route, chip: ChipFacts, constants: futuresight.Constants | None
) -> Predicted:
    """A legal candidate with what FutureSight counts and predicts for it."""
    if constants is None:
        return Considered(candidate, route, None), None
    counts = futuresight.count(candidate.work, route, candidate.geometry, chip)
    return Considered(candidate, route, futuresight.time_of(counts, constants).us), counts


def _keep(
    item: ItemResult,
    legal: Sequence[Predicted],
    request: Request,
    constants: futuresight.Constants | None,
) -> None:
    """FutureSight's choice; without a probe it has no opinion and everything is kept.

    The margin is against the item's best prediction over all routes: an int8 route that is
    predicted slower than the exact one is never on a cheapest path. One exact way always stays.
    """
    if constants is None:
        item.kept = [c for c, _ in legal]
        return
    effort = EFFORTS[request.effort]
    best = min((c.predicted_us or 0.0 for c, _ in legal), default=0.0)
    for face in sorted({(c.route.takes, c.route.gives) for c, _ in legal}):
        group = {c.candidate.key: c for c, _ in legal if (c.route.takes, c.route.gives) == face}
        names = [(c.candidate.key, n) for c, n in legal if c.candidate.key in group and n]
        own = min(c.predicted_us or 0.0 for c in group.values())
        exact = face == ("f32", "f32")
        most = effort.at_most if exact or own <= RIVAL * best else effort.others
        wanted = max(LEAST_KEPT, round(effort.share * len(group)))
        at_most = 1 if item.small else min(most, wanted)
        margin = effort.margin if exact else effort.margin * best / own
        if not item.work.tables:
            margin *= 2  # what few bytes cost is waiting, which is predicted roughly
        first = futuresight.champions(names, constants) if margin >= 1 and not item.small else []
        pairs = [
            (c.candidate, futuresight.Prediction(c.predicted_us or 0.0, {})) for c in group.values()
        ]
        for candidate, no in futuresight.keep(pairs, margin, at_most, first):
            c = group[candidate.key]
            if no is None:
                item.kept.append(c)
            else:
                item.cut.append((c, no))
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


def any_lanes(item: ItemResult) -> bool:
    """Whether any kept candidate is of the lanes form."""
    return any(c.route.form == "lanes" for c in item.kept)


def inherits(item: ItemResult) -> bool:
    """A span in the rows form, whose axes are those of its parts."""
    return len(item.work.ops) > 1 and not any_lanes(item)


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


def explore(
    group: Sequence[ItemResult],
    request: Request,
    device: DeviceWork,
    progress: Progress,
    deadline: float | None,
) -> str:
    """Prove and race a group of items in waves; gives why it ended early, or ''.

    A wave proves candidates of all items at once, on every worker, then races item by item. The
    first wave is what predictions kept, the next ones are neighbours of the fastest racers.
    """
    waves = 1 + EFFORTS[request.effort].climbs
    todo = [(item, {c.candidate.key for c in item.kept}) for item in group if item.kept]
    for wave in range(waves):
        if wave and deadline is not None and time.monotonic() > deadline:
            return "budget"
        n, done = sum(len(keys) for _, keys in todo), 0.75 * wave / waves
        if not n:
            break
        progress(f"wave {wave + 1}: prove {n} candidates of {len(todo)} work items", done)
        prove(todo, request, device)
        before = {id(item): leaders(item) for item, _ in todo}
        for item, keys in todo:
            progress(f"wave {wave + 1}: race {item.work.key}", done)
            race(item, keys, request, device)
        moved = [item for item, _ in todo if leaders(item) != before[id(item)]]
        todo = [(i, keys) for i in moved if (keys := climb(i, request))]
    return ""


def prove(
    todo: Sequence[tuple[ItemResult, set[str]]], request: Request, device: DeviceWork
) -> None:
    """Prove the named candidates of all items that have no proof yet."""
    owner = {key: item for item, keys in todo for key in keys if key not in item.proofs}
    asked = [owner[key].considered(key).candidate for key in owner]
    for key, answer in device.prove(asked, request.seed).items():
        if isinstance(answer, Proof):
            owner[key].proofs[key] = answer
        else:
            owner[key].failures[key] = answer


def race(item: ItemResult, keys: Container[str], request: Request, device: DeviceWork) -> None:
    """Race the named candidates of an item, as far as they were proved right."""
    right = [c for c in item.kept if c.candidate.key in keys and _proved(item, c)]
    right = _distinct(right, item.proofs)
    for key, us in device.race([c.candidate for c in right], request.seed).items():
        if isinstance(us, Outcome):
            item.failures[key] = us
        else:
            item.raced_us[key] = us
    item.comparisons = max(1, len(item.raced_us))


def leaders(item: ItemResult) -> list[Considered]:
    """The fastest racer of each interface pair that is close to the item's fastest."""
    best = [b for face in faces(item) if (b := item.fastest(*face)) is not None]
    limit = CLIMB_WITHIN * min((item.raced_us[b.candidate.key] for b in best), default=0.0)
    return [b for b in best if item.raced_us[b.candidate.key] <= limit]


def climb(item: ItemResult, request: Request) -> set[str]:
    """Keys of the next wave: neighbours of the leaders that are new, with the leaders; or none.

    Two geometries are neighbours when one axis differs, by one step. Predictions on a GPU tie over
    whole planes of geometries; the race then walks where they say nothing.
    """
    if item.skipped or item.small or not any_lanes(item):
        return set()
    best, known = leaders(item), {c.candidate.key for c in item.kept}
    routes = {b.route.id: b.route for b in best}
    fresh = {
        n.key: n for b in best for n in neighbours(item.work, b, request) if n.key not in known
    }
    item.kept += [Considered(n, routes[n.route], None) for n in fresh.values()]
    return {*fresh, *(b.candidate.key for b in best)} if fresh else set()


def faces(item: ItemResult) -> list[tuple[str, str]]:
    """Interface pairs of an item's candidates."""
    return sorted({(c.route.takes, c.route.gives) for c in item.kept})


def neighbours(work: WorkItem, c: Considered, request: Request) -> list[Candidate]:
    """Legal candidates of the same route with one axis one step away."""
    axes, out = dict(c.candidate.geometry.axes), []
    for name, values in c.route.axes.items():
        if axes.get(name) not in values:
            continue
        at = sorted(values).index(axes[name])
        for step in (at - 1, at + 1):
            if 0 <= step < len(values):
                geometry = Geometry.of(**{**axes, name: sorted(values)[step]})
                if not bubblebeam.geometry_legal(work, c.route, geometry, request.chip):
                    out.append(Candidate(work=work, route=c.route.id, geometry=geometry))
    return out


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
        if blocks.reason == WRONG_INCUMBENT:
            item.skipped = blocks.reason
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
