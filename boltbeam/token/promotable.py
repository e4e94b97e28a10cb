"""What is asked of a searched plan before any gate runs, so that a refusal costs nothing.

Takes the summary of a search and the ledger's layers, gives one line about what is wrong, and what
of a refusal is worth a line. Never measures, never writes.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from boltbeam.records import red_flags, standing
from boltbeam.records.entries import Decision, LedgerRow, Member
from boltbeam.records.ledger import Layers
from boltbeam.records.record import Environment
from boltbeam.token import promotion
from boltbeam.types import BoltbeamError, GateFailed, Verdict

Found = Mapping[str, Any]
"""search_session.summary, with the plan that shall be promoted as its members."""


def require_rows(search: str, found: Found, layers: Layers, who: str = "promote") -> None:
    """BoltbeamError: these layers lack rows of the plan; says where the search wrote them. `who`
    asks."""
    known = {r.id for r in layers.rows(chip=found["chip"]["id"])}
    if all(m["row"] in known for m in found["members"]):
        return
    folder = found.get("ledger")
    if folder is None:  # a search of an older boltbeam
        where = f"search {search} was recorded in another ledger: name its folder with --ledger"
    elif Path(folder).resolve() in {x.path.resolve() for x in layers.layers}:
        where = f"rows of search {search} are no longer in {folder}: search again with --record"
    else:
        where = f"search {search} was recorded in {folder}: --ledger {folder}"
    raise BoltbeamError(f"{who}: {where}")


def in_force(found: Found, layers: Layers, env: Environment) -> Decision | None:
    """The plan in force, where it is this very one and was measured with what is here."""
    chip, key = found["chip"]["id"], found["plan_key"]
    plan = standing.active_plan(layers, chip, key)
    if plan is None or int(found["context"]) not in plan.contexts:
        return None
    rows = {r.id: r for r in layers.rows(chip=chip)}
    if {_same(rows[m["row"]]) for m in found["members"]} != {_same(m) for m in plan.members}:
        return None
    was = plan.scope.model_copy(update={"work": "", "emitter_hash": ""})
    return None if standing.mismatches(was, env.scope(key)) else plan


def _same(member: LedgerRow | Member) -> tuple[str, ...]:
    return (member.work, member.route, member.geometry, member.emitter_hash)


def require_real(found: Found, synthetic: bool) -> None:
    """GateFailed: the model's weights are random, and nobody said that this is a test."""
    if red_flags.synthetic(found["name"]) and not synthetic:
        raise GateFailed(
            f"promote: {found['name']}: random weights prove no tokens, the plan stays nominated "
            "(--nominate times its whole token; --synthetic promotes it all the same, for tests)"
        )


def require_room(found: Found) -> None:
    """BoltbeamError: the reference prompts and their tokens do not fit into the plan's context."""
    if needed := too_small(Path(found["model"]), int(found["context"])):
        raise BoltbeamError(
            f"promote: the reference prompts need a context of {needed}, the search had "
            f"{found['context']}; search with --context {needed} or more"
        )


def too_small(model: Path, context: int) -> int:
    """The context that the reference prompts need, where it is more than `context`; else 0."""
    if context >= promotion.CONTEXT_ENOUGH:
        return 0
    needed = promotion.context_needed(model)
    return needed if needed > context else 0


def unsaid(rows: Sequence[LedgerRow], layers: Layers) -> tuple[LedgerRow, ...]:
    """Of a refused plan's rows those worth a line. Tokens that are not the model's are wrong at any
    speed: that is said once of a plan. Each time that was measured is evidence of its own."""
    known = [_finding(r) for r in layers.rows(chip=rows[0].chip, kind="token")]
    return tuple(r for r in rows if r.verdict is not Verdict.wrong or _finding(r) not in known)


def _finding(r: LedgerRow) -> tuple[object, ...]:
    """What a row of a whole token says, without its times."""
    what = (r.verdict, r.reason, r.detail, r.tokens, r.numerics, r.number)
    return (r.scope, r.position, r.members, r.incumbent, *what)


def require_same(found: Found, incumbent: Decision | None, layers: Layers) -> None:
    """GateFailed where another plan is in force than the one that gates compared with."""
    now = standing.active_plan(layers, found["chip"]["id"], found["plan_key"])
    if now is not None and now != incumbent:
        raise GateFailed(
            f"promote: plan {now.id} came into force meanwhile, and nothing was written; promote "
            "again: this plan is compared with that one then"
        )
