"""What holds now: status of routes, the plan in force, and whether it fits here.

Takes the ledger's layers, gives derived values. Never stores a status: the ledger is the authority.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from statistics import median
from typing import Literal

from boltbeam import registry
from boltbeam.records.decide import CEILING_ERROR
from boltbeam.records.entries import STOCK, Decision, LedgerRow, Member, Racer, Scope
from boltbeam.records.ledger import Layers
from boltbeam.types import ChipFacts, Measured, Verdict

State = Literal["candidate", "nominated", "promoted", "refuted", "rolled back"]
STRENGTH: tuple[State, ...] = ("candidate", "nominated", "rolled back", "refuted", "promoted")
"""Which state speaks for a route whose work items stand differently: the last of these."""


@dataclass(frozen=True)
class Status:
    """Fate of a route on a chip, with the line that says so."""

    state: State
    work: str = ""
    """The work item; empty: all of them."""
    evidence: str = ""
    """Id of the row or decision."""
    reason: str = ""
    number: float | None = None
    limit: float | None = None
    reopen_if: str = ""


def status(layers: Layers, route: str, chip: str, work: str = "") -> Status:
    """Status of a route on a chip: for one work item, or the strongest over all."""
    known = statuses(layers, route, chip)
    if work:
        return known.get(work) or known.get("") or Status("candidate", work)
    return max(known.values(), key=lambda s: STRENGTH.index(s.state), default=Status("candidate"))


def statuses(layers: Layers, route: str, chip: str) -> dict[str, Status]:
    """Status by work key; key '' holds what was decided for the route as a whole."""
    found = _from_rows(layers, route, chip)
    decisions = layers.decisions(chip=chip)
    by_id = {d.id: d for d in decisions}
    in_force: dict[str, tuple[Member, ...]] = {}
    before = dict(found)
    for d in decisions:
        if d.kind in ("plan", "rollback"):
            key = d.scope.plan_key
            old = in_force.get(key, ())
            in_force[key] = new = members_after(d, by_id)
            _leave(found, before, [m for m in old if m not in new and m.route == route], d)
            for m in new:
                if m.route == route:
                    found[m.work] = Status("promoted", m.work, d.id, d.reason)
        elif d.scope.route == route:
            for w in [d.scope.work] if d.scope.work else ["", *found]:
                found[w] = _decided(d, w, before)
    return found


def _from_rows(layers: Layers, route: str, chip: str) -> dict[str, Status]:
    out = {}
    latest = {s.work: s for s in layers.lines(chip=chip, kind="kernel", route=route)}
    for row in (s.row for s in latest.values()):
        state: State = "nominated" if row.decision == "nominated" else "candidate"
        number = row.interval.mid if row.interval else row.number
        out[row.work] = Status(state, row.work, row.id, row.reason, number, row.limit)
    return out


def _leave(
    found: dict[str, Status], before: dict[str, Status], gone: Sequence[Member], d: Decision
) -> None:
    for m in gone:
        if d.kind == "rollback":
            found[m.work] = Status("rolled back", m.work, d.id, d.reason, d.number, d.limit)
        else:
            found[m.work] = before.get(m.work) or Status("candidate", m.work)


def _decided(d: Decision, work: str, before: dict[str, Status]) -> Status:
    if d.kind == "refute":
        return Status("refuted", work, d.id, d.reason, d.number, d.limit, d.reopen_if)
    return before.get(work) or Status("candidate", work)


# ---- the plan in force -------------------------------------------------------------------------


def members_after(d: Decision, by_id: dict[str, Decision]) -> tuple[Member, ...]:
    """Members in force once `d` holds; none where it goes back to stock."""
    found = holder(d, by_id.get)
    return found.members if found else ()


def holder(d: Decision, find: Callable[[str], Decision | None]) -> Decision | None:
    """The plan whose members are used under `d`: itself, or what a rollback restores; None: stock.

    `find` gives the decision of an id.
    """
    seen: set[str] = set()
    now: Decision | None = d
    while now is not None and now.kind == "rollback" and now.id not in seen:
        seen.add(now.id)
        now = None if now.restores == STOCK else find(now.restores)
    return now if now is not None and now.kind == "plan" else None


def active_plan(layers: Layers, chip: str, plan_key: str) -> Decision | None:
    """The decision whose members are in force for exactly this plan, or None: stock."""
    decisions = layers.decisions(chip=chip)
    mine = [d for d in decisions if d.kind in ("plan", "rollback") and d.scope.plan_key == plan_key]
    return holder(mine[-1], {d.id: d for d in decisions}.get) if mine else None


def fastest(layers: Layers, chip: str) -> dict[str, frozenset[tuple[str, str]]]:
    """Work key -> (route, geometry) worth racing again, whatever emitter made them: the fastest of
    each interface pair and numerics in earlier searches, and the members of plans in force.

    Of rows against stock and of races alike. Routes that are no more are left out.
    """
    known, rows = registry.routes(), layers.rows(chip=chip)
    best: dict[tuple[str, str, str, str], tuple[float, tuple[str, str]]] = {}
    floors = _floors(rows)
    for row in rows:
        ran = [(r.takes, r.gives, r.us, r.route, r.geometry) for r in _raced(row, floors)]
        if row.kind == "kernel" and row.proof == "ok" and _credible(row):
            us = median(row.candidate_us)
            ran.append((row.takes or "f32", row.gives or "f32", us, row.route, row.geometry))
        for takes, gives, us, route, geometry in ran:
            if route in known:
                face = (row.work, takes, gives, str(known[route].numerics))
                best[face] = min(best.get(face, (us, (route, geometry))), (us, (route, geometry)))
    found: dict[str, set[tuple[str, str]]] = {}
    for face, (_, how) in best.items():
        found.setdefault(face[0], set()).add(how)
    for (here, _), plan in plans(layers, chip).items():
        for m in plan.members if here == chip else ():
            found.setdefault(m.work, set()).add((m.route, m.geometry))
    return {work: frozenset(hows) for work, hows in found.items()}


def _credible(row: LedgerRow) -> bool:
    """Timed, and neither faster than the chip reads nor while it was throttled."""
    if not row.candidate_us or row.throttled or row.verdict is Verdict.impossible:
        return False
    return not _below(median(row.candidate_us), row.floor_us)


def _raced(row: LedgerRow, floors: Mapping[str, float]) -> list[Racer]:
    """Those of a funnel whose times can be true; a funnel's own row has no floor."""
    race = row.funnel.race if row.funnel is not None else ()
    return [r for r in race if not _below(r.us, floors.get(row.work))]


def _floors(rows: Iterable[LedgerRow]) -> dict[str, float]:
    """The least floor of each work item: chips are probed more than once."""
    found: dict[str, float] = {}
    for r in rows:
        if r.floor_us is not None:
            found[r.work] = min(found.get(r.work, r.floor_us), r.floor_us)
    return found


def _below(us: float, floor_us: float | None) -> bool:
    return floor_us is not None and us < floor_us / CEILING_ERROR


def plans(layers: Layers, chip: str = "") -> dict[tuple[str, str], Decision]:
    """Every plan in force: (chip, plan key) -> decision."""
    keys = {(d.scope.chip, d.scope.plan_key) for d in layers.decisions(chip=chip)}
    found = {k: active_plan(layers, *k) for k in sorted(keys) if k[1]}
    return {k: d for k, d in found.items() if d is not None}


# ---- measurements ------------------------------------------------------------------------------


def measured(layers: Layers, chip: str) -> tuple[dict[str, Measured], str]:
    """What was measured of a chip, each value from its latest probe; the last probe's row id.

    Levels of the cache are those of one probe: another may find more or fewer of them.
    """
    found: dict[str, Measured] = {}
    last = ""
    for row in layers.rows(chip=chip, kind="probe"):
        if any(name.startswith("level") for name in row.measured):
            found = {name: m for name, m in found.items() if not name.startswith("level")}
        found |= row.measured
        last = row.id
    return found, last


def with_probes(layers: Layers, chip: ChipFacts) -> tuple[ChipFacts, str]:
    """The chip with what the ledger's probes measured in place of what its file says; the last
    probe's row id."""
    known, last = measured(layers, chip.id)
    return chip.model_copy(update={"measured": {**chip.measured, **known}}), last


# ---- does it fit here? -------------------------------------------------------------------------

HARD = ("chip", "tinygrad", "emitter_hash", "work")
"""A difference in one of these: not used."""
SOFT = ("driver", "compiler", "memory")
"""A difference in one of these: used after a quick local kernel check, and logged."""


@dataclass(frozen=True)
class Mismatch:
    """One field in which the recorded scope and this machine differ."""

    field: str
    recorded: str
    here: str
    hard: bool

    def __str__(self) -> str:
        effect = "not used" if self.hard else "used after a local check"
        return f"{self.field}: recorded {self.recorded or '?'}, here {self.here or '?'} ({effect})"


def mismatches(recorded: Scope, here: Scope) -> tuple[Mismatch, ...]:
    """Differences, hard ones first; something known on one side only is a difference.

    `work` and `emitter_hash` are compared only where the recorded scope names them.
    """
    out = []
    for name in HARD + SOFT:
        was, now = getattr(recorded, name), getattr(here, name)
        optional = name in ("work", "emitter_hash")
        if was != now and not (optional and not was):
            out.append(Mismatch(name, was, now, name in HARD))
    return tuple(out)
