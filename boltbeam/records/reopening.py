"""When a refutation no longer holds: its condition came true, or somebody wants to try again.

Takes the ledger's refutations and where we are now, gives those that are lifted, with the reason,
and what a search must still skip. Never writes: a search records what it lifted.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from boltbeam import registry
from boltbeam.records import standing
from boltbeam.records.entries import Decision, LedgerRow, Scope
from boltbeam.records.ledger import Layers
from boltbeam.types import BoltbeamError, Outcome, Verdict

WORDS = {
    "tinygrad": ("tinygrad",),
    "driver": ("driver", "drivers", "runtime"),
    "compiler": ("compiler", "compilers", "clang", "gcc", "nvrtc", "ptxas"),
    "memory": ("memory", "power"),
}
"""Field of a scope -> words of a `reopen_if` that name it. A new chip needs no word: a refutation
is of one chip; nor a new shape, where the refutation is of one work item."""
SHAPE = ("shape", "shapes", "size", "sizes", "model", "models")
"""Words that say: only the work items that were measured are refuted."""


@dataclass(frozen=True)
class Lifted:
    """A refutation that does not hold any more, and why."""

    refutation: Decision
    why: str

    def __str__(self) -> str:
        scope = self.refutation.scope
        where = scope.work or "every work item"
        return f"reopened {scope.route} for {where}: {self.why} ({self.refutation.id})"


def named(reopen_if: str) -> tuple[str, ...]:
    """Fields of the scope that a condition is about: those whose change can be seen here."""
    words = set(re.findall(r"[a-z0-9]+", reopen_if.lower()))
    return tuple(name for name, known in WORDS.items() if words & set(known))


def of_shape(reopen_if: str) -> bool:
    """True where a condition says that other shapes are another question."""
    return bool(set(re.findall(r"[a-z0-9]+", reopen_if.lower())) & set(SHAPE))


def in_force(layers: Layers, chip: str) -> dict[tuple[str, str], Decision]:
    """(route, work key; "" for all) -> the refutation that holds there on a chip."""
    by_id = {d.id: d for d in layers.decisions(chip=chip) if d.kind == "refute"}
    refuted = {d.scope.route for d in by_id.values()}
    return {
        (name, work): by_id[s.evidence]
        for name in registry.routes()
        if name in refuted
        for work, s in standing.statuses(layers, name, chip).items()
        if s.state == "refuted"
    }


def refuted(layers: Layers, scope: Scope) -> Decision | None:
    """The refutation that holds for a scope's route and work item ('' for all) on its chip."""
    return in_force(layers, scope.chip).get((scope.route, scope.work))


def lifted(layers: Layers, here: Scope, forced: Sequence[str] = ()) -> tuple[Lifted, ...]:
    """Refutations on this chip whose condition holds now, and those of routes in `forced`.

    BoltbeamError: a forced route does not exist, or nothing refutes it here.
    """
    holding = in_force(layers, here.chip)
    for name in forced:
        registry.route(name)  # raises with a suggestion
        if name not in {route for route, _ in holding}:
            raise BoltbeamError(f"--reopen {name}: the ledger does not refute it on {here.chip}")
    found = {}
    for d in holding.values():
        why = changed(d, here)
        if d.scope.route in forced:
            why = "asked for by --reopen"
        if why:
            found[d.id] = Lifted(d, why)
    return tuple(found.values())


def changed(d: Decision, here: Scope) -> str:
    """What its condition names and is another here: `tinygrad 0.14.0 -> 0.15.0`; '' if nothing.

    A value that is unknown on one side is no change.
    """
    pairs = [(n, getattr(d.scope, n), getattr(here, n)) for n in named(d.reopen_if)]
    return ", ".join(f"{n} {was} -> {now}" for n, was, now in pairs if was and now and was != now)


def refused(
    layers: Layers, chip: str, gone: Sequence[Lifted] = (), numerics: str = "q8"
) -> dict[tuple[str, str], Outcome]:
    """(route, work key or "") that a search skips on this chip, with the number that refuted it.

    A route that lost against one that rounds activations is not closed to a search that is `exact`.
    """
    lifted_ids = {x.refutation.id for x in gone}
    out: dict[tuple[str, str], Outcome] = {}
    for (route, work), d in in_force(layers, chip).items():
        if d.id in lifted_ids or (numerics == "exact" and _by_rounding(layers, d)):
            continue
        if not work and of_shape(d.reopen_if):
            out |= {(route, w): _outcome(d) for w in _works(layers, d)}
        elif work in ("", d.scope.work) or not of_shape(d.reopen_if) or work in _works(layers, d):
            out[route, work] = _outcome(d)
    return out


def _by_rounding(layers: Layers, d: Decision) -> bool:
    """Whether what it is held against has other numerics."""
    rows = [r for r in layers.rows(kind="kernel", chip=d.scope.chip) if r.id in d.evidence]
    mine = {r.numerics for r in rows if r.route == d.scope.route}
    return bool({r.numerics for r in rows if r.route != d.scope.route} - mine)


def _works(layers: Layers, d: Decision) -> set[str]:
    """Work items of the rows that a refutation rests on."""
    rows: Mapping[str, LedgerRow] = {r.id: r for r in layers.rows(route=d.scope.route)}
    return {rows[name].work for name in d.evidence if name in rows}


def _outcome(d: Decision) -> Outcome:
    return Outcome(
        verdict=Verdict.pruned,
        reason="refuted",
        number=d.number,
        limit=d.limit,
        detail=f"{d.reason}; reopen if {d.reopen_if}",
    )
