"""Which of a few paths is the token's plan: whole tokens of all of them, in turns, decide.

Takes a finished search, gives what whole tokens said of it. Never proves, never compares with
stock, and never takes a path whose token is not plainly faster than the cheapest path's.

Kernels are timed alone and cold. In a token the next one starts early or finds its operands warm,
so that the sum of a path's kernels misleads by some percent. So first a few paths that fuse less
are held beside the cheapest; then single kernels of the fastest path are exchanged for others that
came near to them in their race, one at a time; and what gained is exchanged together, if that is
plainly faster.
"""

from __future__ import annotations

import contextlib
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain, zip_longest
from pathlib import Path
from statistics import median
from typing import Any

from boltbeam import registry
from boltbeam.models.plan import Choice, Option, short, timed_position
from boltbeam.records.decide import decide
from boltbeam.records.intervals import spread
from boltbeam.search.device_work import DeviceWork, job_key
from boltbeam.search.search import Found, Progress, as_option, cheapest
from boltbeam.search.search_items import ItemResult
from boltbeam.token.decode_plan import Member
from boltbeam.token.plans_in_turns import NO_TIME, InTurns, Seconds
from boltbeam.token.token_process import Engine
from boltbeam.types import BoltbeamError, Geometry, Measurement, Verdict

AT_MOST = 5
"""Paths whose whole token is timed."""
WITHIN = 1.15
"""… of those whose kernels sum up to this many times the cheapest path's at most."""
SWAPS, SWAP_WITHIN, SWAP_SHARE = 14, 1.2, 0.01
"""Kernels that are tried in another's place, at most: those that took so many times as long in its
race at most, of work items that take such a share of the sum at least."""
DECIDING = 2
"""Rounds that may decide; each has its share of the chance of an error."""
GAIN = 0.001
"""What gains less in its place is not tried with the others."""
LEFT_SHARE, LEFT_MIN_S = 0.15, 5.0
"""Share of a budget that this may take when nothing is left of it; below so many seconds it is left
out. More where two plans take longer to build: with one there is nothing to choose."""
TOLD = 4
"""Ways of a round that are named, beside the one to beat."""
LEFT_S = 600.0
"""Seconds without a budget."""
CHEAPEST, TOGETHER = "cheapest", "together"


@dataclass(frozen=True)
class Way:
    """A path through the token, and what tells it from another."""

    name: str
    choice: Choice
    without: frozenset[str] = frozenset()
    """Spans (ops joined by `+`) that it does not use."""


@dataclass(frozen=True)
class Round:
    """Whole tokens of some ways in turns; the first is the one to beat."""

    ways: tuple[Way, ...]
    seconds: Seconds = field(default_factory=dict)
    left_out: Mapping[str, str] = field(default_factory=dict)
    """Way -> why it was not timed."""

    @property
    def timed(self) -> list[Way]:
        return [w for w in self.ways if w.name in self.seconds]

    @property
    def chosen(self) -> Way:
        """The fastest of those whose token is plainly faster than the first way's; or that.

        Where the first cannot run, the next that can stands for it.
        """
        if not (timed := self.timed):
            return self.ways[0]
        base, *others = timed
        n = DECIDING * (len(self.ways) - 1)
        better = [w for w in others if faster(self.seconds, w.name, base.name, n)]
        return min((base, *better), key=lambda w: median(self.seconds[w.name]))

    def less(self, way: Way, why: str) -> Round:
        """The same without a way that cannot be the plan."""
        seconds = {n: s for n, s in self.seconds.items() if n != way.name}
        return replace(self, seconds=seconds, left_out={**self.left_out, way.name: why})

    def words(self) -> str:
        """`cheapest 1.85 ms (sum 1.77), no norm fused 1.83 ms (sum 1.79): cheapest chosen`."""
        base, *others = self.timed
        others.sort(key=lambda w: median(self.seconds[w.name]))
        said = [
            f"{w.name} {median(self.seconds[w.name]) * 1e3:.4g} ms (sum {w.choice.us / 1e3:.4g})"
            for w in (base, *others[:TOLD])
        ]
        more = f" and {len(others) - TOLD} slower ones" if len(others) > TOLD else ""
        return f"{', '.join(said)}{more}: {self.chosen.name} chosen"


@dataclass(frozen=True)
class Whole:
    """What whole tokens said: of paths, then of kernels in their places, then of these together."""

    rounds: tuple[Round, ...]
    start: int = 0
    """Position of a turn's first token."""
    why: str = ""
    """Why nothing, or no more, was timed."""

    @property
    def cheapest(self) -> Way:
        """As the kernels' times have it."""
        return self.rounds[0].ways[0]

    @property
    def chosen(self) -> Way:
        return self.rounds[-1].chosen

    def less(self, way: Way, why: str) -> Whole:
        """The same without a way that cannot be the plan; what was held beside it goes as well."""
        first, *later = self.rounds
        kept = [first.less(way, why)]
        for r in later:
            if r.ways[0].name == way.name:
                break
            kept.append(r.less(way, why))
        return replace(self, rounds=tuple(kept))

    def line(self) -> str:
        """`whole tokens from position 257: cheapest 1.85 ms (sum 1.77), …: … chosen; …`."""
        left = [about for r in self.rounds for about in r.left_out.items()]
        out = [f"{n} left out: {why}" for n, why in left if why != NO_TIME]
        if late := sum(why == NO_TIME for _, why in left):
            out.append(f"{late} left out: {NO_TIME}")
        told = [r.words() for r in self.rounds if r.seconds]
        if not told:
            why = "; ".join(filter(None, [self.why, *out]))
            return f"whole tokens: not timed ({why}); the plan is the cheapest path"
        said = f"whole tokens from position {self.start}: {told[0]}"
        return "; ".join(filter(None, [said, *(f"then {t}" for t in told[1:]), self.why, *out]))

    def summary(self) -> dict[str, Any]:
        """For the run store, beside the plan."""
        return {
            "chosen": self.chosen.name,
            "start": self.start,
            "rounds": [
                [
                    {
                        "name": w.name,
                        "without": sorted(w.without),
                        "sum_us": w.choice.us,
                        "seconds": list(r.seconds.get(w.name, ())),
                        "left_out": r.left_out.get(w.name, ""),
                    }
                    for w in r.ways
                ]
                for r in self.rounds
            ],
            "why": self.why,
        }


# ---- which ways ---------------------------------------------------------------------------------


def ways(found: Found) -> tuple[Way, ...]:
    """The cheapest path, and the cheapest ones that avoid kinds of its fused spans.

    At most AT_MOST, each another path, none predicted much slower than the cheapest.
    """
    best = found.plan
    if best is None:
        return ()
    spans = {item.work.op for item in found.items if len(item.work.ops) > 1}
    out, known = [Way(CHEAPEST, best)], {_path(best)}
    for name, without in avoided(spans, dict.fromkeys(_ops(best, found.items))):
        choice = cheapest(found.token, found.items, without)
        if choice is None or choice.us > WITHIN * best.us or _path(choice) in known:
            continue
        known.add(_path(choice))
        out.append(Way(name, choice, without))
    return tuple(sorted(out[:AT_MOST], key=lambda w: w.choice.us))


def avoided(spans: Collection[str], used: Iterable[str]) -> Iterator[tuple[str, frozenset[str]]]:
    """(name, spans to avoid), the coarse ones first; `used`: ops of the cheapest path."""
    yield "no norm fused", frozenset(s for s in spans if s.startswith("norm+"))
    yield "no norm behind", frozenset(s for s in spans if s in ("o+norm", "down+norm"))
    rope = "rope_store+attention"
    yield f"no {rope}", frozenset(s for s in spans if rope in s)
    yield "nothing fused", frozenset(spans)
    for span in used:
        if "+" in span:
            yield f"no {span}", frozenset([span])


def _ops(choice: Choice, items: Sequence[ItemResult]) -> list[str]:
    ops = {item.work.key: item.work.op for item in items}
    return [ops[o.work_key] for _, o in choice.members]


def _path(choice: Choice) -> tuple[tuple[int, str], ...]:
    return tuple((at, o.evidence) for at, o in choice.members)


# ---- one kernel for another --------------------------------------------------------------------


def swaps(found: Found, way: Way) -> tuple[Way, ...]:
    """The way with one kernel exchanged for another of its race that takes and gives the same.

    Those of the costliest work items first: of each the fastest that reads its weights at another
    time (axis `ahead`: what pays in a chain of its own kind may not pay in a token), then the
    fastest of the rest.
    """
    count = Counter(o.evidence for _, o in way.choice.members)
    items = {i.work.key: i for i in found.items}
    now = {o.evidence: o for _, o in way.choice.members}
    costly = [o for o in now.values() if count[o.evidence] * o.us >= SWAP_SHARE * way.choice.us]
    costly.sort(key=lambda o: (-count[o.evidence] * o.us, o.evidence))
    picked = [_rivals(items[o.work_key], o) for o in costly]
    turns = chain.from_iterable(zip_longest(*picked))
    out: dict[str, Way] = {}
    for old, new in filter(None, turns):
        name = _change(old, new)
        if name in out:  # of one work item, taken or handed on in another form
            name += f" ({new.takes} to {new.gives})"
        out[name] = _exchanged(way, [(old, new)], name)
    return tuple(out.values())[:SWAPS]


Swap = tuple[Option, Option]
"""A kernel of a way, and the one that takes its place."""


def _rivals(item: ItemResult, old: Option) -> list[Swap]:
    near = [
        as_option(item, item.considered(key))
        for key in item.racers
        if key != old.evidence and item.raced_us[key] <= SWAP_WITHIN * old.us
    ]
    near = [o for o in near if (o.takes, o.gives) == (old.takes, old.gives)]
    unlike = [o for o in near if _ahead(o) != _ahead(old)][:1]
    return [(old, o) for o in [*unlike, *(o for o in near if o not in unlike)][:2]]


def _ahead(o: Option) -> int:
    return Geometry.parse(o.geometry).get("ahead", 0)


def _exchanged(way: Way, pairs: Iterable[Swap], name: str) -> Way:
    instead = {old.evidence: new for old, new in pairs}
    members = tuple((at, instead.get(o.evidence, o)) for at, o in way.choice.members)
    return Way(name, Choice(members, sum(o.us for _, o in members)), way.without)


def _change(old: Option, new: Option) -> str:
    """`down/4096x12288/Q4_K ahead=0 rows=4`: what is other than before."""
    before = dict(Geometry.parse(old.geometry).axes)
    axes = [f"{n}={v}" for n, v in Geometry.parse(new.geometry).axes if before.get(n) != v]
    route = [new.route] if new.route != old.route else []
    return " ".join([short(old.work_key), *route, *axes])


def gained(tried: Round) -> tuple[Way, ...]:
    """What is worth another round: the best exchange, and the best of every kernel together."""
    if tried.timed[:1] != [tried.ways[0]]:
        return ()
    base, *others = tried.timed
    limit = (1 - GAIN) * median(tried.seconds[base.name])
    others.sort(key=lambda w: median(tried.seconds[w.name]))
    best: dict[str, Swap] = {}
    for w in others:
        if median(tried.seconds[w.name]) <= limit:
            for (_, old), (_, new) in zip(base.choice.members, w.choice.members, strict=True):
                if old != new:
                    best.setdefault(old.evidence, (old, new))
    if not best:
        return ()
    if len(best) == 1:
        return (others[0],)
    return _exchanged(base, best.values(), f"{TOGETHER} ({len(best)})"), others[0]


# ---- on the device ------------------------------------------------------------------------------


def faster(seconds: Seconds, name: str, base: str, comparisons: int) -> bool:
    """Whether a way's token is faster than the base's by more than the noise, as `promote` asks."""
    protocol, old = registry.protocols()["token-abba-v1"], seconds[base]
    pairs = [a / b for a, b in zip(old[::2], old[1::2], strict=True)]
    measured = Measurement(
        protocol=protocol.id,
        candidate_us=tuple(s * 1e6 for s in seconds[name]),
        incumbent_us=tuple(s * 1e6 for s in old),
        aa_spread=spread(pairs),
        stop_reason=f"{len(old)} turns",
        copies=1,
    )
    return decide(measured, protocol, None, comparisons).verdict is Verdict.faster


def judged(
    found: Found,
    work: DeviceWork,
    model: Path,
    programs: str,
    left_s: float | None,
    progress: Progress,
) -> Whole | None:
    """Time the whole tokens of a search's ways; None: there is no plan, or `--op`.

    `programs`: where its workers left them; `left_s`: seconds that are left of a budget. What was
    timed is kept with the answers of the search, and taken from there on `--resume`.
    """
    if found.request.ops or not (asked := ways(found)):
        return None
    chip, context = found.request.chip, found.request.context
    budget, start = found.request.budget_s, timed_position(context)
    left_s = LEFT_S if left_s is None else max(left_s, LEFT_SHARE * (budget or 0.0))
    no_time = found.stopped if found.stopped == "interrupted" else ""
    no_time = no_time or (NO_TIME if left_s < LEFT_MIN_S else "")
    engine = Engine(model=str(model), chip=chip, context=context, programs=programs)

    def say(what: str) -> None:
        progress(f"whole tokens: {what}", 1.0)

    rounds, why = [], ""
    with InTurns(engine, start, left_s, say) as turns:

        def timed(tried: tuple[Way, ...]) -> Round:
            named = [(w.name, _path(w.choice)) for w in tried]
            about: dict[str, Any] = {"ways": named, "start": start}
            about |= {"context": context, "chip": {"id": chip.id}}
            key = job_key("whole_plans", about)
            if work.resume and (kept := remembered(tried, work.memory.get(key))):
                return kept
            if no_time:
                raise BoltbeamError(no_time)
            plans = {w.name: members(w.choice, found.items) for w in tried}
            seconds, left_out = turns.timed(plans)
            if seconds and NO_TIME not in left_out.values():
                work.memory.put(key, {"seconds": seconds, "left_out": left_out})
            return Round(tried, seconds, left_out)

        try:
            rounds.append(timed(asked) if len(asked) > 1 else Round(asked))
            base = rounds[0].chosen
            if other := swaps(found, base):
                rounds.append(timed((base, *other)))
                if better := gained(rounds[-1]):
                    rounds.append(timed((base, *better)))
        except BoltbeamError as e:
            why = str(e).removeprefix("token gate: ")
    return Whole(tuple(rounds) or (Round(asked),), start, why)


def remembered(tried: tuple[Way, ...], known: Mapping[str, Any] | None) -> Round | None:
    """What whole tokens of these ways said before; None where nothing, or no such answer."""
    with contextlib.suppress(LookupError, TypeError, ValueError):
        if known:
            seconds = {n: tuple(map(float, s)) for n, s in dict(known["seconds"]).items()}
            left_out = {n: str(why) for n, why in dict(known["left_out"]).items()}
            even = all(seconds.values()) and len(set(map(len, seconds.values()))) == 1
            if even and {w.name for w in tried} == {*seconds, *left_out}:
                return Round(tried, seconds, left_out)
    return None


def members(choice: Choice, items: Sequence[ItemResult]) -> tuple[Member, ...]:
    """A path's options at their places in the token."""
    works = {item.work.key: item.work for item in items}
    return tuple(
        Member(
            step_start=at,
            work=works[o.work_key],
            route=o.route,
            geometry=Geometry.parse(o.geometry),
        )
        for at, o in choice.members
    )
