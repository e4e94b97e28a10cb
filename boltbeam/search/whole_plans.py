"""Which of a few cheap paths is the token's plan: whole tokens of all of them, in turns, decide.

Takes a finished search, gives what whole tokens said of it. Never proves, never compares with
stock, and never takes a path whose token is not plainly faster than the cheapest path's.

Kernels are timed alone and cold. In a token the next one starts early or finds its operands warm,
so that the sum of a path's kernels misleads by some percent: less fusing may be the faster token.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from statistics import median
from typing import Any

from boltbeam import registry
from boltbeam.models.plan import Choice, timed_position
from boltbeam.records.decide import decide
from boltbeam.records.intervals import spread
from boltbeam.search.device_work import DeviceWork, job_key
from boltbeam.search.search import Found, Progress, cheapest
from boltbeam.search.search_items import ItemResult
from boltbeam.token.decode_plan import Member
from boltbeam.token.plans_in_turns import NO_TIME, Seconds, timed
from boltbeam.token.token_process import Engine
from boltbeam.types import BoltbeamError, Geometry, Measurement, Verdict

AT_MOST = 5
"""Paths whose whole token is timed."""
WITHIN = 1.15
"""… of those whose kernels sum up to this many times the cheapest path's at most."""
LEFT_SHARE, LEFT_MIN_S = 0.25, 5.0
"""Share of a budget that this may take when nothing is left of it; below so many seconds it is left
out. More where two plans take longer to build: with one there is nothing to choose."""
LEFT_S = 600.0
"""Seconds without a budget."""
CHEAPEST = "cheapest"


@dataclass(frozen=True)
class Way:
    """A path through the token that has no span of some kinds."""

    name: str
    choice: Choice
    without: frozenset[str] = frozenset()
    """Spans (ops joined by `+`) that it must not use."""


@dataclass(frozen=True)
class Whole:
    """What whole tokens said of a few ways."""

    ways: tuple[Way, ...]
    """The cheapest first, as the kernels' times have it."""
    start: int = 0
    """Position of a turn's first token."""
    seconds: Seconds = field(default_factory=dict)
    left_out: dict[str, str] = field(default_factory=dict)
    """Way -> why it was not timed."""
    why: str = ""
    """Why nothing was timed."""

    @property
    def chosen(self) -> Way:
        """The fastest of those whose token is plainly faster than the cheapest way's; or that.

        Where the cheapest cannot run, the next cheapest that can stands for it.
        """
        timed = [w for w in self.ways if w.name in self.seconds]
        if not timed:
            return self.ways[0]
        base, *others = timed
        better = [w for w in others if faster(self.seconds, w.name, base.name, len(others))]
        return min((base, *better), key=lambda w: median(self.seconds[w.name]))

    def less(self, way: Way, why: str) -> Whole:
        """The same without a way that cannot be the plan."""
        seconds = {n: s for n, s in self.seconds.items() if n != way.name}
        return replace(self, seconds=seconds, left_out={**self.left_out, way.name: why})

    def line(self) -> str:
        """`whole tokens from position 256: cheapest 1.85 ms (sum 1.77), …: … chosen`."""
        out = [f"{name} left out: {reason}" for name, reason in self.left_out.items()]
        if not self.seconds:
            why = "; ".join(filter(None, [self.why, *out]))
            return f"whole tokens: not timed ({why}); the plan is the cheapest path"
        said = [
            f"{w.name} {median(self.seconds[w.name]) * 1e3:.4g} ms (sum {w.choice.us / 1e3:.4g})"
            for w in self.ways
            if w.name in self.seconds
        ]
        at = f"whole tokens from position {self.start}"
        return "; ".join([f"{at}: {', '.join(said)}: {self.chosen.name} chosen", *out])

    def summary(self) -> dict[str, Any]:
        """For the run store, beside the plan."""
        return {
            "chosen": self.chosen.name,
            "start": self.start,
            "ways": [
                {
                    "name": w.name,
                    "without": sorted(w.without),
                    "sum_us": w.choice.us,
                    "seconds": list(self.seconds.get(w.name, ())),
                    "left_out": self.left_out.get(w.name, ""),
                }
                for w in self.ways
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


# ---- on the device ------------------------------------------------------------------------------


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
    if len(asked) == 1:
        return Whole(asked, why="no other path comes near")
    about: dict[str, Any] = {"ways": [_path(w.choice) for w in asked]}
    about |= {"context": found.request.context, "chip": {"id": found.request.chip.id}}
    key = job_key("whole_plans", about)
    if work.resume and (known := work.memory.get(key)):
        seconds = {n: tuple(s) for n, s in known["seconds"].items()}
        return Whole(asked, known["start"], seconds, known["left_out"])
    budget = found.request.budget_s
    left_s = LEFT_S if left_s is None else max(left_s, LEFT_SHARE * (budget or 0.0))
    if found.stopped == "interrupted" or left_s < LEFT_MIN_S:
        return Whole(asked, why=found.stopped or NO_TIME)
    chip, context = found.request.chip, found.request.context
    engine = Engine(model=str(model), chip=chip, context=context, programs=programs)
    plans = {w.name: members(w.choice, found.items) for w in asked}
    start = timed_position(context)
    try:
        seconds, left_out = timed(
            engine, plans, start, left_s, lambda what: progress(f"whole tokens: {what}", 1.0)
        )
    except BoltbeamError as e:
        return Whole(asked, why=str(e).removeprefix("token gate: "))
    if seconds and NO_TIME not in left_out.values():
        work.memory.put(key, {"start": start, "seconds": seconds, "left_out": left_out})
    return Whole(asked, start, seconds, left_out)


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
