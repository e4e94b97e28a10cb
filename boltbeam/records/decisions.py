"""Builds decision lines: promote, refute, roll back, reopen. One function call is one line.

Takes rows, gates and reasons, gives sealed Decisions; `record` writes one. Never runs a gate itself
and never builds a promotion over a failed one.
"""

from __future__ import annotations

import subprocess
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path

from boltbeam.records.entries import SCHEMA_VERSION, STOCK, Decision, Gate, LedgerRow, Member, Scope
from boltbeam.records.ledger import Layers, sealed
from boltbeam.types import BoltbeamError, GateFailed, Verdict, first_fault


def now() -> str:
    """UTC to the second, as the ledger writes it."""
    return datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def author() -> str:
    """git's user.name, or '' where there is none. Never an address."""
    try:
        done = subprocess.run(
            ["git", "config", "user.name"], capture_output=True, text=True, timeout=10, check=False
        )
    except (OSError, subprocess.TimeoutExpired):
        return ""
    name = done.stdout.strip()
    return "" if "@" in name else name


MEMBERS = (Verdict.faster, Verdict.slower, Verdict.ambiguous)
"""Verdicts of kernel rows that a plan may rest on."""


TOKEN, SLOWEST = "whole token", "whole token, slowest position"
"""Gates that follow from the token rows of a plan."""
LOSS_MAX = 1.01
"""A plan may take at most this times its incumbent's time at any position measured."""


def token_gates(rows: Sequence[LedgerRow]) -> dict[str, Gate]:
    """What the token rows of a plan, one per position, say about it.

    It must be faster where a text begins, and at no position slower.
    """
    first = min(rows, key=lambda r: r.position or 0)
    places = ", ".join(str(r.position or 0) for r in sorted(rows, key=lambda r: r.position or 0))
    ratios = [r.interval.mid for r in rows if r.interval is not None]
    worst = max(ratios) if len(ratios) == len(rows) else None
    than = "than" if first.verdict in (Verdict.faster, Verdict.slower) else "against"
    said = f"{first.verdict} {than} {first.incumbent}"
    if first.verdict is Verdict.impossible:
        said = "faster than the chip was measured to read, so probe it again (boltbeam chip probe)"
    fair = all(r.verdict in (Verdict.faster, Verdict.ambiguous) for r in rows)
    return {
        SLOWEST: Gate(
            passed=fair and worst is not None and worst <= LOSS_MAX,
            number=worst,
            limit=LOSS_MAX,
            detail=f"median candidate / {first.incumbent}, the largest of those from positions "
            f"{places}",
        ),
        TOKEN: Gate(
            passed=first.verdict is Verdict.faster,
            number=first.interval.mid if first.interval else None,
            limit=1.0,
            detail=f"{said}: median candidate / "
            f"{first.incumbent} from position {first.position or 0} only",
        ),
    }


def member(row: LedgerRow, count: int | None = None) -> Member:
    """The plan member that a row is evidence for. BoltbeamError where it is none.

    A member must be proved and timed. It need not be faster by itself: a 12 µs step may have to run
    in the plan so that the token stays one graph, and the whole token is what decides on a plan.
    """
    if row.kind != "kernel" or row.verdict not in MEMBERS or row.proof != "ok":
        raise BoltbeamError(f"row {row.id}: only a proved and timed kernel can be in a plan")
    return Member(
        work=row.work,
        count=count or row.count or 1,
        route=row.route,
        geometry=row.geometry,
        row=row.id,
        takes=row.takes or "f32",
        gives=row.gives or "f32",
        numerics=row.numerics or "exact",
        emitter_hash=row.emitter_hash,
    )


def promote_plan(
    scope: Scope,
    members: Sequence[Member],
    gates: Mapping[str, Gate],
    contexts: Sequence[int],
    *,
    replaces: Decision | None,
    reason: str,
    evidence: Sequence[str] = (),
    by: str = "",
    date: str = "",
) -> Decision:
    """The line that puts a whole plan into use. GateFailed names each gate that said no.

    `evidence` are rows beside the members' own (the whole-token row); `replaces` is the plan line
    in force until now, None for stock.
    """
    failed = [
        f"{name} ({g.number} against {g.limit}{': ' if g.detail else ''}{g.detail})"
        for name, g in sorted(gates.items())
        if not g.passed
    ]
    if failed:
        raise GateFailed(f"promote: {len(failed)} gate(s) said no: {'; '.join(failed)}")
    cited = dict.fromkeys([m.row for m in members] + list(evidence))
    return _decision(
        kind="plan",
        date=date or now(),
        scope=scope,
        members=tuple(members),
        contexts=tuple(contexts),
        gates=dict(gates),
        evidence=tuple(cited),
        replaces=replaces.id if replaces else STOCK,
        reason=reason,
        author=by,
    )


def refute(
    rows: Sequence[LedgerRow],
    *,
    reason: str,
    reopen_if: str,
    number: float | None = None,
    against: LedgerRow | None = None,
    active: Sequence[Decision] = (),
    by: str = "",
    date: str = "",
) -> Decision:
    """The line that refutes a route on a chip: for one work item where all rows agree on it.

    The number defaults to the last row's: its median ratio, or the number of its verdict; with
    `against`, a row of another route for the same work, it is how many times its time the last row
    took. `active` are the plans in force; a route that one of them uses must be rolled back first.
    """
    if not rows:
        raise BoltbeamError("refute: no row to cite; search first, or name row ids")
    routes, chips, works = ({getattr(r, k) for r in rows} for k in ("route", "chip", "work"))
    if len(routes) != 1 or len(chips) != 1:
        many = ", ".join(sorted(routes) if len(routes) > 1 else sorted(chips))
        raise BoltbeamError(f"refute: rows of one route on one chip, not of {many}: one at a time")
    route, last = routes.pop(), rows[-1]
    for plan in active:
        if plan.scope.chip == last.chip and any(
            m.route == route and m.work in works for m in plan.members
        ):
            raise BoltbeamError(f"refute: plan {plan.id} uses {route}; roll it back first")
    limit = None
    if against is not None:
        number, limit = times(last, against), 1.0
        reason = f"{reason}; {number:.3g} times the time of {against.route}"
    elif number is None:
        number = last.interval.mid if last.interval else last.number
        limit = last.limit
    cited = (*(r.id for r in rows), *([against.id] if against else []))
    work = works.pop() if len(works) == 1 else ""
    return _decision(
        kind="refute",
        date=date or now(),
        scope=last.scope.model_copy(update={"work": work, "plan_key": ""}),
        evidence=cited,
        reason=reason,
        number=number,
        limit=limit,
        reopen_if=reopen_if,
        author=by,
    )


def times(row: LedgerRow, rival: LedgerRow) -> float:
    """How many times as long `row` took as `rival`, both as shares of the same incumbent's time.

    BoltbeamError: not the same work on the same chip against the same incumbent, or not slower.
    """
    if row.interval is None or rival.interval is None:
        raise BoltbeamError(f"refute: rows {row.id} and {rival.id} must both be timed")
    for name in ("chip", "work", "incumbent"):
        a, b = getattr(row, name), getattr(rival, name)
        if a != b:
            raise BoltbeamError(f"refute: {name} of row {rival.id} is {b}, of {row.id} {a}")
    found = row.interval.mid / rival.interval.mid
    if row.route == rival.route or found <= 1:
        raise BoltbeamError(
            f"refute: row {row.id} took {found:.3g} times what {rival.id} of {rival.route} took: "
            "name a row of another route that is faster"
        )
    return found


def rollback(
    current: Decision,
    *,
    reason: str,
    restores: Decision | None = None,
    by: str = "",
    date: str = "",
) -> Decision:
    """The line that takes a plan back: to `restores`, or to stock."""
    if restores is not None and restores.id == current.id:
        raise BoltbeamError(f"rollback: {current.id} cannot restore itself")
    return _decision(
        kind="rollback",
        date=date or now(),
        scope=current.scope.model_copy(update={"route": ""}),
        replaces=current.id,
        restores=restores.id if restores else STOCK,
        reason=reason,
        author=by,
    )


def reopen(refutation: Decision, *, reason: str, by: str = "", date: str = "") -> Decision:
    """The line that lifts a refutation because its reopening condition has come true."""
    if refutation.kind != "refute":
        raise BoltbeamError(f"reopen: {refutation.id} is a {refutation.kind}, not a refutation")
    return _decision(
        kind="reopen",
        date=date or now(),
        scope=refutation.scope,
        replaces=refutation.id,
        reason=reason,
        author=by,
    )


def record(layers: Layers, decision: Decision) -> Path:
    """Write exactly one line, in a file of its own -> its path."""
    return layers.write([decision])


def _decision(**fields: object) -> Decision:
    """A sealed decision; what it lacks is a user's mistake, told in one line."""
    from pydantic import ValidationError

    try:
        return sealed(Decision.model_validate({"schema_version": SCHEMA_VERSION, **fields}))
    except ValidationError as e:
        raise BoltbeamError(f"{fields['kind']}: {first_fault(e)}") from None
