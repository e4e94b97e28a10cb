"""On which real model a route was verified: by whole tokens, as the ledger has them now.

Takes a plan's routes and the ledger, gives words. Never measures; rows of random weights prove
nothing.
"""

from __future__ import annotations

from collections.abc import Iterable

from boltbeam.records import red_flags, standing
from boltbeam.records.ledger import Layers
from boltbeam.types import Verdict


def verified_on(members: Iterable[tuple[str, str]], layers: Layers, chip: str) -> str:
    """Which routes of a plan have passed the tokens of which real model on this chip, in words.

    `members`: (route, work key). A route counts with its formats, whatever the op, shape and
    geometry. By the plans in force, and by whole tokens of others: a plan that
    was refused for its time alone has passed them too. The latest token counts; one that a plan
    taken back rests on does not. A route that passed in other formats alone is said to have.
    """
    rows = {r.id: r for r in layers.rows(chip=chip)}
    plans = {d.id: d for d in layers.decisions(chip=chip) if d.kind == "plan"}
    in_force = {d.id for d in standing.plans(layers, chip).values()}
    gone = {i for d in plans.values() if d.id not in in_force for i in d.evidence}
    seen: dict[tuple[str, str], bool] = {}
    """(route with its formats, real model) -> whether its last token passed."""

    def see(ids: Iterable[str], model: str, passed: bool) -> None:
        if red_flags.synthetic(model):
            return
        for row in filter(None, map(rows.get, ids)):
            seen.pop(key := (_how(row.route, row.work), model), None)
            seen[key] = passed

    tokens = [r for r in rows.values() if r.kind == "token" and r.id not in gone]
    for r in sorted(tokens, key=lambda r: (r.date, r.id)):
        see(r.members, r.model, r.tokens_passed and r.verdict is not Verdict.wrong)
    for d in sorted((plans[i] for i in in_force), key=lambda d: (d.date, d.id)):
        models = {row.model for m in d.members if (row := rows.get(m.row)) is not None}
        for model in sorted(models):
            see([m.row for m in d.members], model, True)
    real = {how: model for (how, model), passed in seen.items() if passed}
    asked = dict.fromkeys(_how(*m) for m in members)
    elsewhere = {how.split()[0]: (model, how) for how, model in real.items()}
    by_model: dict[str, list[str]] = {}
    for how in asked:
        route, said = how.split()[0], how
        where = real.get(how, "no real model yet")
        if route in elsewhere and not any(how == known for known, _ in seen):
            model, other = elsewhere[route]
            where, said = f"{model} in other formats", f"{how} (there {other.split()[-1]})"
        by_model.setdefault(where, []).append(said)
    return "; ".join(f"verified on {where}: {', '.join(hows)}" for where, hows in by_model.items())


def _how(route: str, work: str) -> str:
    """A route, with the formats where the work has weights: `gemv_lanes_q8 Q4_K`."""
    formats = work.split("/")[3]
    return f"{route} {formats}" if formats[:1].isupper() else route
