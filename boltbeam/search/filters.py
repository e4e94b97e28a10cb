"""The two filters over a whole token: every candidate is illegal, pruned or kept, with its number.

Takes a Request, gives the token and its work items. Never asks a device.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from boltbeam import registry
from boltbeam.models.plan import Occurrence, occurrences, short
from boltbeam.predict import bubblebeam, futuresight
from boltbeam.search.search_items import EFFORTS, Considered, ItemResult, Request
from boltbeam.types import (
    OPS,
    BoltbeamError,
    Candidate,
    ChipFacts,
    Geometry,
    Outcome,
    Route,
    Step,
    Verdict,
    WorkItem,
)

LEAST_KEPT = 4
"""Candidates that stay, where there are so many, however small their share of the legal ones."""
NEGLIGIBLE = 0.004
"""Share of the token's predicted time below which one candidate per interface pair is enough."""


RIVAL = 1.1
"""An interface pair predicted within this factor of the item's best is searched like the exact."""
Counted = tuple[Candidate, Route, futuresight.Counts | None]
"""A legal candidate and what FutureSight counts for it."""
Predicted = tuple[Considered, futuresight.Counts | None]
"""A legal candidate and what FutureSight counted for it."""


@dataclass(frozen=True)
class Legal:
    """What BubbleBeam leaves of a token. Nothing needs to be measured for it."""

    token: tuple[Step, ...]
    items: tuple[ItemResult, ...]
    candidates: tuple[list[Counted], ...]
    """Of each item."""


def filter_all(
    request: Request, before: Legal | None = None
) -> tuple[tuple[Step, ...], list[ItemResult]]:
    """Every work item of the token with what BubbleBeam and FutureSight left of its candidates.

    `before`: what `legal_of` gave for this request; it is used up.
    """
    constants = constants_of(request.chip)
    before = before or legal_of(request, constants is not None)
    items = list(before.items)
    everything = [[_predicted(*c, constants) for c in legal] for legal in before.candidates]
    best = [min((p.predicted_us or 0.0 for p, _ in legal), default=0.0) for legal in everything]
    costs = [us * i.work.count for us, i in zip(best, items, strict=True)]
    total = sum(c for c, i in zip(costs, items, strict=True) if len(i.work.ops) == 1)
    for item, legal, cost in zip(items, everything, costs, strict=True):
        item.small = cost < NEGLIGIBLE * total
        _keep(item, legal, request, constants)
        item.kept += _composed(item, legal, request)
    for item in items:
        _against_parts(item, items, request)
    return before.token, items


def legal_of(request: Request, count: bool = True) -> Legal:
    """The legal candidates of every work item, with what FutureSight counts for them (`count`)."""
    routes = [r for r in registry.routes().values() if r.kind == "search"]
    spans = dict.fromkeys(op for r in routes for op in r.ops)
    token, found = occurrences(request.model, request.context, spans)
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
            (
                c,
                route,
                futuresight.count(o.work, route, c.geometry, request.chip) if count else None,
            )
            for route in routes
            if o.work.op in route.ops
            for c in _legal(item, route, request)
        ]
        if legal or len(o.work.ops) == 1:
            items.append(item)
            everything.append(legal)
    return Legal(token, tuple(items), tuple(everything))


def ops_searched(request: Request) -> set[str]:
    """Ops and spans that a request has work items of."""
    routes = [r for r in registry.routes().values() if r.kind == "search"]
    spans = dict.fromkeys(op for r in routes for op in r.ops)
    _, found = occurrences(request.model, request.context, spans)
    return {
        o.work.op
        for o in found
        if (not request.ops or set(request.ops) & set(o.work.ops))
        and (request.fused or len(o.work.ops) == 1)
    }


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

    A route that the user or the ledger leaves out counts as legal and pruned, all of it; what the
    user pins is searched whatever the ledger says.
    """
    pins = request.pins.get(item.work.op, ())
    no = None
    if pins and route.id not in pins:
        said = " or ".join(pins)
        no = Outcome(verdict=Verdict.pruned, reason="pinned", detail=f"--pin {item.work.op}={said}")
    if request.numerics == "exact" and route.numerics != "exact":
        no = Outcome(
            verdict=Verdict.pruned, reason="numerics", detail="int8: only by --numerics q8"
        )
    for scope in ((route.id, item.work.key), (route.id, "")):
        no = no or (request.refused.get(scope) if not pins else None)
    left_out = no
    if no := bubblebeam.route_legal(item.work, route, request.chip):
        item.leave_out(no)
        return []
    legal = []
    for geometry, no in bubblebeam.candidates(item.work, route, request.chip):
        if no is not None:
            item.leave_out(no)
            continue
        item.legal += 1
        if left_out is not None:
            item.leave_out(left_out)
        else:
            legal.append(Candidate(work=item.work, route=route.id, geometry=geometry))
    return legal


def considered(candidate: Candidate, route: Route, chip: ChipFacts) -> Considered:
    """A legal candidate that nobody had asked for before, with its prediction."""
    constants = constants_of(chip)
    counts = (
        futuresight.count(candidate.work, route, candidate.geometry, chip) if constants else None
    )
    return _predicted(candidate, route, counts, constants)[0]


def _predicted(
    candidate: Candidate,
    route: Route,
    counts: futuresight.Counts | None,
    constants: futuresight.Constants | None,
) -> Predicted:
    """A legal candidate with what FutureSight counts and predicts for it."""
    if constants is None or counts is None:
        return Considered(candidate, route, None), None
    return Considered(candidate, route, futuresight.time_of(counts, constants).us), counts


def _keep(
    item: ItemResult,
    legal: Sequence[Predicted],
    request: Request,
    constants: futuresight.Constants | None,
) -> None:
    """FutureSight's choice; without a probe it has no opinion and everything is kept.

    The margin is against the item's best prediction over all routes: an int8 route that is
    predicted slower than the exact one is never on a cheapest path. One exact way always stays, but
    for one that the ledger refutes.
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
        first = _of_each_route(group) if margin >= 1 and not item.small else []
        if first:
            first += futuresight.champions(names, constants)
        pairs = [
            (c.candidate, futuresight.Prediction(c.predicted_us or 0.0, {})) for c in group.values()
        ]
        for candidate, no in futuresight.keep(pairs, margin, at_most, first):
            c = group[candidate.key]
            if no is None or known_fast(c, request):
                item.kept.append(c)
            else:
                item.cut.append((c, no))
                item.leave_out(no)


def how(c: Considered) -> tuple[str, str]:
    """(route, geometry), as the ledger names them."""
    return c.route.id, str(c.candidate.geometry)


def known_fast(c: Considered, request: Request) -> bool:
    """Whether an earlier search here found it the fastest of its interface pair."""
    return how(c) in request.earlier.get(c.candidate.work.key, ())


def _composed(
    item: ItemResult,
    legal: Sequence[Predicted],
    request: Request,
) -> list[Considered]:
    """What was fastest earlier and no axis spells: spans composed of their parts' winners."""
    routes = {c.route.id: c.route for c, _ in legal}
    spelt = {how(c) for c, _ in legal}
    made = []
    for name, text in sorted(request.earlier.get(item.work.key, frozenset()) - spelt):
        if name in routes and (geometry := _still_legal(item.work, routes[name], text, request)):
            candidate = Candidate(work=item.work, route=name, geometry=geometry)
            made.append(considered(candidate, routes[name], request.chip))
    item.legal += len(made)
    return made


def _still_legal(work: WorkItem, route: Route, text: str, request: Request) -> Geometry | None:
    """A geometry of a ledger line, where today's family has such axes and its rules hold."""
    axes = registry.families()[route.family].axes
    try:
        geometry = Geometry.parse(text)
    except BoltbeamError:
        return None
    for name, _ in geometry.axes:
        op, _, axis = name.rpartition(".")
        if axis not in axes or (op and op not in work.ops):
            return None
    if not geometry.axes or bubblebeam.geometry_legal(work, route, geometry, request.chip):
        return None
    return geometry


def _of_each_route(group: Mapping[str, Considered]) -> list[str]:
    """The best prediction of each route, best first: routes differ where predictions are worst."""
    best: dict[str, Considered] = {}
    for c in sorted(group.values(), key=lambda c: (c.predicted_us or 0.0, c.candidate.key)):
        best.setdefault(c.route.id, c)
    return [c.candidate.key for c in best.values()]


def _against_parts(item: ItemResult, items: Sequence[ItemResult], request: Request) -> None:
    """Drop what is predicted slower than a span's own ops, one by one: no cheapest path has it."""
    margin = EFFORTS[request.effort].margin
    bests = [
        min((c.predicted_us for c in part.kept if c.predicted_us), default=None) if part else None
        for part in parts_of(item, items)
    ]
    known = [us for us in bests if us is not None]
    if len(item.work.ops) == 1 or len(known) < len(bests):
        return
    kept, apart = [], sum(known)
    for c in item.kept:
        if c.predicted_us is None or c.predicted_us <= margin * apart or known_fast(c, request):
            kept.append(c)
            continue
        ratio = c.predicted_us / apart
        no = Outcome(verdict=Verdict.pruned, reason="predicted-slow", number=ratio, limit=margin)
        item.leave_out(no.model_copy(update={"detail": "against its ops one by one"}))
    item.kept = kept


def parts_of(item: ItemResult, items: Sequence[ItemResult]) -> list[ItemResult | None]:
    """The item of each op of a span, where it is searched."""
    return [
        next((i for i in items if i.work.op == op and item.starts[0] + offset in i.starts), None)
        for offset, op in enumerate(item.work.ops)
    ]


def check_pins(pins: Mapping[str, Sequence[str]], numerics: str = "q8") -> None:
    """Raise BoltbeamError for a pin whose op or route does not exist, or do not fit."""
    spans = {span for r in registry.routes().values() for span in r.ops}
    for op, name in ((op, name) for op, names in pins.items() for name in names):
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


def require_fit(request: Request) -> None:
    """Raise BoltbeamError for a pinned op with a work item that none of its routes can do."""
    _, found = occurrences(request.model, request.context, request.pins)
    for o in found:
        if request.ops and not set(request.ops) & set(o.work.ops):
            continue
        broken = {}
        for name in request.pins[o.work.op]:
            route = registry.route(name)
            if any(no is None for _, no in bubblebeam.candidates(o.work, route, request.chip)):
                break
            no = bubblebeam.route_legal(o.work, route, request.chip)
            broken[name] = f"{no.reason}: {no.detail}" if no else "no geometry of it is legal"
        else:
            why = "; ".join(f"{name} cannot ({no})" for name, no in broken.items())
            raise BoltbeamError(
                f"--pin {o.work.op}: {short(o.work.key)} is left without a route: {why}; "
                "pin one as well that can"
            )
