"""The search, from a model and a chip to proven, timed verdicts and a plan. Read this one first.

    work items -> BubbleBeam (legal?) -> FutureSight (worth it?) -> proof (right?) -> race -> blocks
    against the incumbent -> best per interface -> shortest path over the token -> plan

A kernel's time is that of the kernel alone, so the shortest path is not always the fastest token:
`whole_plans` then times whole tokens of it and of a few other paths, and `take` has the members of
the fastest compared with stock as well.

Takes a Request, gives a Found. Never imports tinygrad: what needs the device happens in workers,
and every answer of theirs is in the store before it is used, so nothing measured is ever lost.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Container, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import partial

from boltbeam import registry
from boltbeam.models.plan import Choice, Occurrence, Option, shortest
from boltbeam.predict import bubblebeam
from boltbeam.records import priors
from boltbeam.records.decide import decide
from boltbeam.search.device_work import DeviceWork
from boltbeam.search.filters import Legal, considered, filter_all, known_fast, parts_of
from boltbeam.search.search_items import (
    EFFORTS,
    WRONG_INCUMBENT,
    Considered,
    ItemResult,
    Request,
    floor_us,
)
from boltbeam.types import (
    Candidate,
    Geometry,
    Measurement,
    Outcome,
    Proof,
    Route,
    Step,
    Verdict,
    WorkItem,
)

CLIMB_WITHIN = 1.3
"""Routes of one kin climb from their fastest racer when that is at most this times slower than the
item's …"""
LEADERS, LEAD_WITHIN = 5, 1.1
"""… and from so many of their geometries in all, those at most this times slower: predictions of
close geometries tie, and the way to the fastest may begin at another than the first."""
EXCHANGED = (("words", "unroll"), ("lanes", "groups"))
"""Axes of which one steps up where the other steps down: as many words per trip, as many threads.
Each step alone may be worse than both."""
FINAL_WITHIN, FINALISTS = 1.03, 4
"""In the last race of an item, in which nobody drops out, are so many of each interface pair at
most: those so close to its fastest."""
Progress = Callable[[str, float], None]
"""What is happening now, and which share of the work is done."""
ROUNDS_BEFORE = 2
"""Rounds of comparisons that a plan of whole tokens leaves to the cheapest path's members."""
WAVES_SHARE, WHOLE_WAVES_SHARE = 0.85, 0.65
"""Of a budget, for the waves: the rest is for comparisons with stock. And where whole tokens want
some of it too."""
EXPLORING, PROVING = 0.75, 0.9
"""Shares of the time as a progress display shows them: of proofs and races in a search that ends
with comparisons, of proofs in a wave that ends with races."""


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


def search(
    request: Request, device: DeviceWork | None, progress: Progress, before: Legal | None = None
) -> Found:
    """Filter everything; with a device prove and race what was kept, then compare the plan.

    Without a device (`--dry-run`) the filters' verdicts are all there is. Fused spans come last:
    their candidates are made of the winners of their parts. Only the members of the cheapest path
    (and runners-up, with more effort) are compared with stock, block by block. `before`: see
    `filter_all`.
    """
    token, items = filter_all(request, before)
    if device is None:
        return Found(request, token, tuple(items), None)
    waves = WHOLE_WAVES_SHARE if request.whole_tokens else WAVES_SHARE
    deadline = None if request.budget_s is None else device.clock() + waves * request.budget_s
    order = sorted(items, key=partial(turn, request.chip.id))
    stopped = ""
    choice = None
    try:
        for last in (False, True):
            group = [i for i in order if inherits(i) == last]
            if deadline is not None and device.clock() > deadline:
                stopped = "budget"
                for item in group:
                    item.stopped = stopped
                    leave_for_time(item)
                # the plan needs one way to do every step
                group = [i for i in group if len(i.work.ops) == 1]
            for item in group:
                inherit(item, items, request)
            part = _within(progress, EXPLORING * last / 2, EXPLORING * (last + 1) / 2)
            stopped = explore(group, request, device, part, deadline) or stopped
        rest = _within(progress, EXPLORING, 1.0)
        choice, request = settle(token, items, request, device, rest)
    except KeyboardInterrupt:
        stopped, choice = "interrupted", cheapest(token, items)
        for item in items:
            if not item.timed:
                item.stopped = stopped
    progress("done", 1.0)
    return Found(request, token, tuple(items), choice, stopped, device.reused)


def turn(chip: str, item: ItemResult) -> tuple[int, bool, int, str]:
    """When an item is looked at: short spans, then what no public prior of this chip speaks
    against, then what costs most."""
    work = item.work
    doubted = priors.discouraged(chip, work.op, work.formats)
    return len(work.ops), doubted, -work.bytes * work.count, work.key


# ---- between the filters and the device -----------------------------------------------------


def first_per_face(kept: Sequence[Considered]) -> list[Considered]:
    """The best predicted candidate of each interface pair."""
    best: dict[tuple[str, str], Considered] = {}
    for c in sorted(kept, key=lambda c: (c.predicted_us or 0.0, c.candidate.key)):
        best.setdefault((c.route.takes, c.route.gives), c)
    return list(best.values())


def leave_for_time(item: ItemResult) -> None:
    """Keep one candidate of each interface pair: there is no time for the others."""
    first = first_per_face(item.kept)
    for c in item.kept:
        if c not in first:
            no = Outcome(verdict=Verdict.pruned, reason="budget", detail="no time was left for it")
            item.cut.append((c, no))
            item.leave_out(no)
    item.kept = first


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
            _replace_last(item, considered(made, route, request.chip), request)


def _replace_last(item: ItemResult, made: Considered, request: Request) -> None:
    """Keep `made` for the worst predicted: long spans take seconds to compile."""
    if made.candidate.key in {c.candidate.key for c in item.kept}:
        return
    spared = [c for c in item.kept if not known_fast(c, request)] or item.kept
    last = max(spared, key=lambda c: (c.predicted_us or 0.0, c.candidate.key))
    no = Outcome(verdict=Verdict.pruned, reason="inherited", detail="the parts' winners instead")
    item.kept.remove(last)
    item.cut.append((last, no))
    item.leave_out(no)
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
    first wave is what predictions kept, the next ones are neighbours of the fastest racers, and an
    item's last one is the leaders' geometries by the other routes of their kin.
    """
    waves = 1 + EFFORTS[request.effort].climbs
    todo = [(item, {c.candidate.key for c in item.kept}) for item in group if item.kept]
    each_s, stopped = 0.0, ""
    for wave in range(waves):
        if wave and deadline is not None:
            whole, todo = todo, fitting(todo, deadline - device.clock(), each_s)
            going = {id(item) for item, _ in todo}
            for item, _ in whole:
                if id(item) not in going:
                    item.stopped = stopped = "budget"
        n = sum(len(keys) for _, keys in todo)
        if not n:
            break
        began = device.clock()
        here = _within(progress, wave / waves, (wave + 1) / waves)
        what = f"wave {wave + 1}: prove {n} candidates of {len(todo)} work items"
        here(what, 0.0)
        prove(todo, request, device, partial(_within(here, 0.0, PROVING), what))
        for i, (item, keys) in enumerate(todo):
            here(f"wave {wave + 1}: race {item.work.key}", PROVING + (1 - PROVING) * i / len(todo))
            race(item, keys, request, device)
        each_s = max(each_s, (device.clock() - began) / n)  # known proofs take no time
        if wave + 1 < waves:
            last = wave + 2 == waves
            todo = [(i, keys) for i, _ in todo if (keys := climb(i, request, last))]
    for item in group:
        near = [] if item.small else finalists(item)
        if near and deadline is not None and device.clock() > deadline:
            item.stopped = stopped = "budget"
        elif near:
            progress(f"race {item.work.key}: those close to its fastest", 1.0)
            item.final = frozenset(race(item, near, request, device, stay=near))
    return stopped


def fitting(
    todo: Sequence[tuple[ItemResult, set[str]]], left_s: float, each_s: float
) -> list[tuple[ItemResult, set[str]]]:
    """The items whose candidates fit into `left_s` seconds at `each_s` per candidate, in order."""
    out = []
    for item, keys in todo:
        if each_s * len(keys) <= left_s:
            left_s -= each_s * len(keys)
            out.append((item, keys))
    return out


def _within(progress: Progress, low: float, high: float) -> Progress:
    """Progress of a part that takes from `low` to `high` of the whole."""
    return lambda what, share: progress(what, low + (high - low) * share)


def prove(
    todo: Sequence[tuple[ItemResult, set[str]]],
    request: Request,
    device: DeviceWork,
    heard: Callable[[float], None],
) -> None:
    """Prove the named candidates of all items that have no proof yet."""
    owner = {key: item for item, keys in todo for key in keys if key not in item.proofs}
    asked = [owner[key].considered(key).candidate for key in owner]
    for key, answer in device.prove(asked, request.seed, heard).items():
        if isinstance(answer, Proof):
            owner[key].proofs[key] = answer
        else:
            owner[key].failures[key] = answer


def race(
    item: ItemResult,
    keys: Container[str],
    request: Request,
    device: DeviceWork,
    stay: Collection[str] = (),
) -> list[str]:
    """Race the named candidates of an item, as far as they were proved right; gives who ran."""
    right = [c for c in item.kept if c.candidate.key in keys and _proved(item, c)]
    right = _distinct(right, item.proofs)
    ran = []
    for key, us in device.race([c.candidate for c in right], request.seed, stay).items():
        if isinstance(us, Outcome):
            item.failures[key] = us
        else:
            item.raced_us[key] = us
            ran.append(key)
    return ran


def kin(route: Route) -> tuple[object, ...]:
    """Routes whose kernels differ in what they take or give alone: they share a landscape."""
    return (*sorted(route.axes.items()), route.weights, route.numerics)


def leaders(item: ItemResult) -> list[Considered]:
    """The fastest racers of each kin that is close to the item's fastest, each with another
    geometry: a kin whose prediction starts it badly still finds its way."""
    by_kin: dict[tuple[object, ...], dict[Geometry, Considered]] = {}
    for key in item.racers:
        c = item.considered(key)
        by_kin.setdefault(kin(c.route), {}).setdefault(c.candidate.geometry, c)
    best_us = min((item.raced_us[k] for k in item.racers), default=0.0)
    out = []
    for first, *others in map(dict.values, by_kin.values()):
        near = [first] * (item.raced_us[first.candidate.key] <= CLIMB_WITHIN * best_us)
        near += [c for c in others if item.raced_us[c.candidate.key] <= LEAD_WITHIN * best_us]
        out += near[:LEADERS]
    return out


def climb(item: ItemResult, request: Request, last: bool = False) -> set[str]:
    """Keys of the next wave: neighbours of the leaders that no route of their kin has tried, and
    the twins of each kin's first, with the leaders; where there are none, or in the `last` wave,
    the twins of all leaders; or none.

    Predictions on a GPU tie over whole planes of geometries; the race then walks where they say
    nothing.
    """
    if item.stopped or item.small or not any_lanes(item):
        return set()
    best, known = leaders(item), {c.candidate.key for c in item.kept}
    routes = {c.route.id: c.route for c in item.kept}
    tried = {(kin(c.route), c.candidate.geometry) for c in item.kept}
    near = [] if last else [n for b in best for n in neighbours(item.work, b, request)]
    fresh = {}
    for n in near:
        if (one := (kin(routes[n.route]), n.geometry)) not in tried:
            tried.add(one)
            fresh[n.key] = n
    first = {kin(b.route): b for b in reversed(best)}.values()
    for b in first if fresh else best:
        alike = twins(item.work, b, routes.values(), request)
        fresh |= {n.key: n for n in alike if n.key not in known}
    item.kept += [considered(n, routes[n.route], request.chip) for n in fresh.values()]
    return {*fresh, *(b.candidate.key for b in best)} if fresh else set()


def twins(
    work: WorkItem, c: Considered, routes: Iterable[Route], request: Request
) -> list[Candidate]:
    """Legal candidates of the same geometry by other routes of its kin."""
    geometry, out = c.candidate.geometry, []
    for route in routes:
        if (
            route.id != c.route.id
            and kin(route) == kin(c.route)
            and not bubblebeam.geometry_legal(work, route, geometry, request.chip)
        ):
            out.append(Candidate(work=work, route=route.id, geometry=geometry))
    return out


def finalists(item: ItemResult) -> list[str]:
    """Keys of the last race of an item: of each interface pair those close to its fastest, as times
    of the waves' races cannot be told apart that well."""
    by_face: dict[tuple[str, str], list[str]] = {}
    for key in item.racers:
        route = item.considered(key).route
        by_face.setdefault((route.takes, route.gives), []).append(key)
    keys: list[str] = []
    for first, *others in by_face.values():
        limit = FINAL_WITHIN * item.raced_us[first]
        near = [k for k in others if item.raced_us[k] <= limit][: FINALISTS - 1]
        keys += [first, *near] if near else []
    return keys


def neighbours(work: WorkItem, c: Considered, request: Request) -> list[Candidate]:
    """Legal candidates of the same route with one axis one step away, or two axes of EXCHANGED.

    A geometry of an older ledger may lack axes of today: in the lanes form these count as 0.
    """
    axes, values = dict(c.candidate.geometry.axes), c.route.axes
    if c.route.form == "lanes":
        axes = {name: 0 for name, known in values.items() if 0 in known} | axes

    def stepped(**steps: int) -> dict[str, int] | None:
        moved = dict(axes)
        for name, step in steps.items():
            known = sorted(values.get(name, ()))
            at = known.index(axes[name]) + step if axes.get(name) in known else -1
            if not 0 <= at < len(known):
                return None
            moved[name] = known[at]
        return moved

    near = [stepped(**{name: step}) for name in values for step in (-1, 1)]
    near += [stepped(**{a: step, b: -step}) for a, b in EXCHANGED for step in (-1, 1)]
    made = [Geometry.of(**moved) for moved in near if moved is not None]
    return [
        Candidate(work=work, route=c.route.id, geometry=g)
        for g in made
        if not bubblebeam.geometry_legal(work, c.route, g, request.chip)
    ]


def settle(
    token: tuple[Step, ...],
    items: Sequence[ItemResult],
    request: Request,
    device: DeviceWork,
    progress: Progress,
) -> tuple[Choice | None, Request]:
    """Compare the members of the cheapest path with stock; one that fails there leaves it.

    Where one seems faster than the chip's ceiling, the ceiling is measured again: the request that
    comes back has the chip that every verdict rests on.
    """
    rounds = 0
    while True:
        choice = cheapest(token, items)
        finalists = contenders(items, choice, EFFORTS[request.effort].runners_up)
        if not finalists:
            return choice, request
        request = meet_stock(items, finalists, request, device, progress, rounds)
        rounds += 1


def meet_stock(
    items: Sequence[ItemResult],
    finalists: Sequence[tuple[ItemResult, Considered]],
    request: Request,
    device: DeviceWork,
    progress: Progress,
    rounds: int,
) -> Request:
    """Compare these with stock; `rounds`: of comparisons that the search made before."""
    probed = any(item.impossible for item in items)
    shared = shares(rounds, len(finalists))
    for done, (item, c) in enumerate(finalists):
        progress(f"compare {item.work.key}", done / len(finalists))
        compare(item, c, request, device, shared)
    if not probed and any(item.impossible for item in items):
        progress("probe again: a candidate beat the measured ceiling", 0.99)
        request = probe_again(items, request, device)
    return request


def take(
    found: Found, choice: Choice, device: DeviceWork, progress: Progress
) -> tuple[Found, bool]:
    """The search with another path for its plan, once its members are compared with stock too.

    Where a member fails, the plan stays what it was, and the second answer is False.
    """
    finalists = contenders(found.items, choice, runners_up=0)
    request = meet_stock(found.items, finalists, found.request, device, progress, ROUNDS_BEFORE)
    fit = {key for item in found.items for key in item.racers}
    taken = all(o.evidence in fit for _, o in choice.members)
    plan = choice if taken else cheapest(found.token, found.items)
    return replace(found, choice=plan, request=request, reused=device.reused), taken


def shares(rounds: int, comparisons: int) -> int:
    """How many comparisons each of a round's counts as, so that all of a search share one chance.

    The first round has half of the chance that anything in the search is called faster by luck, the
    next an eighth, and so on; a quarter is for tinygrad's own kernels. Which candidate a race chose
    costs nothing: its comparison is made of other blocks.
    """
    return 2 * comparisons << 2 * rounds


def probe_again(items: Sequence[ItemResult], request: Request, device: DeviceWork) -> Request:
    """The request with the chip as a new probe finds it, and every verdict decided anew.

    The ceiling is the higher of both probes' read rates. Where the probe fails, all stays.
    """
    chip, old = device.probe(again=1), request.chip.measured.get("read_gbps")
    if isinstance(chip, Outcome):
        return request
    new = chip.measured.get("read_gbps")
    if old is not None and (new is None or new.value < old.value):
        chip = chip.model_copy(update={"measured": {**chip.measured, "read_gbps": old}})
    request = replace(request, chip=chip)
    for item in items:
        item.timed = {k: (m, verdict(item, k, m, request)) for k, (m, _) in item.timed.items()}
    return request


def compare(
    item: ItemResult, c: Considered, request: Request, device: DeviceWork, shared: int
) -> None:
    """Interleaved blocks of one racer against stock, and the verdict; `shared`: see `shares`."""
    protocol = registry.protocols()[EFFORTS[request.effort].protocol]
    item.shared[c.candidate.key] = shared
    blocks = device.compare(c.candidate, protocol, shared)
    if isinstance(blocks, Outcome):
        item.failures[c.candidate.key] = blocks
        if blocks.reason == WRONG_INCUMBENT:
            item.stopped = blocks.reason
    else:
        key = c.candidate.key
        item.timed[key] = (blocks, verdict(item, key, blocks, request))


def verdict(item: ItemResult, key: str, blocks: Measurement, request: Request) -> Outcome:
    """Decide one candidate's comparison against the floor of the request's chip."""
    protocol = registry.protocols()[EFFORTS[request.effort].protocol]
    floor = floor_us(item.work, request.chip, blocks)
    return decide(blocks, protocol, floor, item.shared[key])


def _proved(item: ItemResult, c: Considered) -> bool:
    proof = item.proofs.get(c.candidate.key)
    return proof is not None and proof.ok


def _distinct(right: Sequence[Considered], proofs: dict[str, Proof]) -> list[Considered]:
    """Two candidates that render to the same source are one."""
    by_source: dict[str, Considered] = {}
    for c in right:
        by_source.setdefault(proofs[c.candidate.key].source_hash or c.candidate.key, c)
    return list(by_source.values())


# ---- afterwards ------------------------------------------------------------------------------


def cheapest(
    token: tuple[Step, ...], items: Sequence[ItemResult], without: Container[str] = ()
) -> Choice | None:
    """The cheapest path over what was raced so far; None where a step has no way yet.

    `without`: spans (ops joined by `+`) that it must not use.
    """
    some = [i for i in items if i.work.op not in without]
    return shortest(token, [Occurrence(i.work, i.starts) for i in some], options(some))


def options(items: Iterable[ItemResult]) -> list[Option]:
    """The fastest racer of every interface pair of every item, as a way through the token."""
    out = []
    for item in items:
        for face in {(c.route.takes, c.route.gives) for c in item.kept}:
            c = item.fastest(*face)
            if c is not None:
                out.append(as_option(item, c))
    return sorted(out, key=lambda o: (o.us, o.evidence))


def as_option(item: ItemResult, racer: Considered) -> Option:
    """A racer of an item as a way through the token."""
    key = racer.candidate.key
    return Option(
        work_key=item.work.key,
        route=racer.route.id,
        geometry=str(racer.candidate.geometry),
        takes=racer.route.takes,
        gives=racer.route.gives,
        us=item.raced_us[key],
        evidence=key,
    )


def contenders(
    items: Sequence[ItemResult], choice: Choice | None, runners_up: int
) -> list[tuple[ItemResult, Considered]]:
    """Who is still to be compared with stock: the plan's members, and the next fastest with more
    effort.

    Without a plan (`--op`, or a step that nothing does right) the fastest of every work item.
    """
    if choice is None:
        chosen = {c.candidate.key for item in items if (c := item.fastest()) is not None}
    else:
        chosen = {o.evidence for _, o in choice.members}
    out = []
    for item in items:
        rest = [k for k in item.racers if k not in chosen][:runners_up]
        keys = [k for k in item.racers if k in chosen or k in rest]
        out += [(item, item.considered(k)) for k in keys if k not in item.timed]
    return out
