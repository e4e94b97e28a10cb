"""Why this kernel: what the ledger knows of a model's token on a chip, as a chain of reasons.

Takes a model's facts, a chip and the ledger, gives findings. Never measures, never guesses a
reason: what the ledger does not say is said to be missing.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from statistics import median

from boltbeam import registry, types
from boltbeam.models import plan
from boltbeam.models.plan import short
from boltbeam.records import reopening, standing, verified
from boltbeam.records.entries import SOFTWARE, Decision, LedgerRow, Member, Scope
from boltbeam.records.ledger import Layers
from boltbeam.records.standing import Mismatch
from boltbeam.types import ChipFacts, ModelFacts, WorkItem


@dataclass(frozen=True)
class Step:
    """One work item of the token: who does it, and everything the ledger says about it."""

    work: WorkItem
    chosen: LedgerRow | None
    """The row of the kernel in the plan; without a plan the nominated one, else the fastest."""
    why_chosen: str
    others: tuple[LedgerRow, ...]
    """The rest that was compared, best first."""
    failed: tuple[LedgerRow, ...]
    """Wrong, impossible or failed on the device."""
    funnel: LedgerRow | None
    apart_us: float | None
    """What its ops take one by one, where it is a span of several and all are known."""
    refuted: tuple[str, ...]


@dataclass(frozen=True)
class Explanation:
    """The whole token of a model on a chip at a context."""

    model: ModelFacts
    chip: ChipFacts
    context: int
    probe: str
    decision: Decision | None
    """The plan in force for exactly this token."""
    token: LedgerRow | None
    """Its whole token; without a plan in force that of the one nominated last."""
    verified: str
    """Without a plan in force: which routes of the nominated one passed the tokens of which real
    model, as the ledger knows today."""
    elsewhere: tuple[str, ...]
    """Plans in force that are not for this token, with every field in which they differ."""
    differs: tuple[Mismatch, ...]
    """Fields in which the plan was measured otherwise than here; a hard one: it is not used."""
    ways: tuple[tuple[str, float], ...]
    """(restriction, µs of the cheapest path by the races), the free one first."""
    steps: tuple[Step, ...]

    @property
    def used(self) -> bool:
        """A plan is in force for this token, and nothing forbids it here."""
        return self.decision is not None and not any(m.hard for m in self.differs)


def explain(
    model: ModelFacts,
    chip: ChipFacts,
    layers: Layers,
    context: int,
    ops: Sequence[str] = (),
    here: Scope | None = None,
    differs: Callable[[Decision], Sequence[Mismatch]] | None = None,
) -> Explanation:
    """Everything the ledger says about this token; `ops` keeps spans that contain one of them.

    `here` is the software of this machine, where the chip is here; `differs` says in which fields a
    plan was measured otherwise (without it: by `here` alone).
    """
    chip, probe = standing.with_probes(layers, chip)
    spans = dict.fromkeys(o for r in registry.routes().values() for o in r.ops if o != "ast")
    token_steps, found = plan.occurrences(model, context, spans)
    rows: dict[str, list[LedgerRow]] = {}
    for row in layers.rows(chip=chip.id):
        rows.setdefault(row.work, []).append(row)
    key = plan.model_plan_key(model, context)
    decision = standing.active_plan(layers, chip.id, key)
    members = {m.work: m for m in decision.members} if decision else {}
    refuted = reopening.in_force(layers, chip.id)
    if differs is None and here is not None:
        differs = partial(_software, here)
    others = tuple(differs(decision)) if decision and differs else ()
    unused = any(m.hard for m in others)
    best = {o.work.key: _best_us(rows.get(o.work.key, [])) for o in found}
    steps = [
        _step(o.work, members, rows.get(o.work.key, []), refuted, _apart(o, found, best), unused)
        for o in found
        if not ops or set(ops) & set(o.work.ops)
    ]
    by_id = {r.id: r for some in rows.values() for r in some}
    token = _token_row(decision, by_id) if decision else _nominated(by_id.values(), key)
    where = ""
    if decision is None and token is not None:
        ways = ((r.route, r.work) for r in map(by_id.get, token.members) if r is not None)
        where = verified.verified_on(ways, layers, chip.id)
    return Explanation(
        model=model,
        chip=chip,
        context=context,
        probe=probe,
        decision=decision,
        token=token,
        verified=where,
        elsewhere=tuple(_elsewhere(layers, here or Scope(chip=chip.id), key, found, context)),
        differs=others,
        ways=tuple(_ways(token_steps, found, rows)),
        steps=tuple(s for s in steps if s.chosen or s.funnel or s.failed or s.refuted),
    )


def _step(
    work: WorkItem,
    members: Mapping[str, Member],
    rows: Sequence[LedgerRow],
    refuted: Mapping[tuple[str, str], Decision],
    apart_us: float | None,
    unused: bool,
) -> Step:
    timed = sorted((r for r in rows if r.candidate_us), key=lambda r: (time_us(r), r.id))
    member = members.get(work.key)
    chosen, why = None, ""
    if member is not None:
        chosen = next((r for r in rows if r.id == member.row), None)
        why = "in the plan that is not used here" if unused else "in the plan in force"
    if chosen is None:
        nominated = [r for r in timed if r.decision == "nominated"]
        chosen = max(nominated, key=lambda r: r.date, default=None)
        why = "nominated by a search, not promoted"
    if chosen is None and timed:
        chosen, why = timed[0], "the fastest that was compared, in no plan"
    said = [
        f"{route} is refuted: {d.reason}; reopen if {d.reopen_if} ({d.id})"
        for (route, key), d in refuted.items()
        if key == work.key or (not key and work.op in registry.route(route).ops)
    ]
    funnels = [r for r in rows if r.funnel]
    return Step(
        work=work,
        chosen=chosen,
        why_chosen=why if chosen else "",
        others=tuple(r for r in timed if chosen is None or _kernel(r) != _kernel(chosen)),
        failed=tuple(r for r in rows if r.kind == "kernel" and not r.candidate_us),
        funnel=funnels[-1] if funnels else None,
        apart_us=apart_us,
        refuted=tuple(dict.fromkeys(said)),
    )


def _kernel(r: LedgerRow) -> tuple[str, str]:
    """What a row is of: another row of the same is no rival."""
    return r.route, r.geometry


def time_us(r: LedgerRow) -> float:
    """Median microseconds of a timed row."""
    return median(r.candidate_us)


def _best_us(rows: Iterable[LedgerRow]) -> float | None:
    """Of the nominated rows, else of all that were timed."""
    timed = [r for r in rows if r.candidate_us]
    some = [r for r in timed if r.decision == "nominated"] or timed
    return min(map(time_us, some), default=None)


def _apart(
    o: plan.Occurrence, found: Sequence[plan.Occurrence], best: Mapping[str, float | None]
) -> float | None:
    if len(o.work.ops) == 1:
        return None
    total = 0.0
    for offset, op in enumerate(o.work.ops):
        at = o.starts[0] + offset
        part = next((p for p in found if p.work.op == op and at in p.starts), None)
        us = best.get(part.work.key) if part else None
        if us is None:
            return None
        total += us
    return total


def _token_row(d: Decision, rows: Mapping[str, LedgerRow]) -> LedgerRow | None:
    cited = [rows[name] for name in d.evidence if name in rows]
    return next((r for r in cited if r.kind == "token"), None)


def _nominated(rows: Iterable[LedgerRow], key: str) -> LedgerRow | None:
    """The whole token of the plan that was nominated last, at its first position."""
    some = [r for r in rows if r.kind == "token" and r.plan_key == key]
    found = [r for r in some if r.decision == "nominated"]
    return max(found, key=lambda r: (r.date, -(r.position or 0)), default=None)


def _software(here: Scope, d: Decision) -> tuple[Mismatch, ...]:
    """In which software a plan was measured otherwise, by its own line."""
    return standing.mismatches(d.scope.model_copy(update={"work": "", "emitter_hash": ""}), here)


def _elsewhere(
    layers: Layers, here: Scope, key: str, found: Sequence[plan.Occurrence], context: int
) -> Iterator[str]:
    """Every other plan in force, and every field in which it is not for this token."""
    for (chip, plan_key), d in standing.plans(layers).items():
        if (chip, plan_key) == (here.chip, key):
            continue
        known = {n for n in ("chip", *SOFTWARE) if getattr(here, n)}
        said = [str(m) for m in _software(here, d) if m.field in known]
        if context not in d.contexts:
            had = ", ".join(map(str, d.contexts)) or "?"
            said.append(f"context: recorded {had}, here {context} (not used)")
        if all(m.work.startswith("decode/ast/") for m in d.members):
            said.append(
                "a table of Opts for tinygrad's own kernels, used where they are this file's"
            )
        else:
            said += _other_work([m.work for m in d.members], found)
        yield f"plan {d.id}: {'; '.join(said) or 'its steps are others'}"


def _other_work(members: Sequence[str], found: Sequence[plan.Occurrence]) -> Iterator[str]:
    """Shapes and formats of a plan's work keys that this token's work of the same op has not."""
    here: dict[str, list[list[str]]] = {}
    for o in found:
        here.setdefault(o.work.op, []).append(short(o.work.key).split("/"))
    for work in members:
        op, *was = short(work).split("/")
        mine = [words for _, *words in here.get(op, [])]
        if not mine:
            yield f"op: recorded {op}, here no such step (not used)"
        elif was not in mine:
            pairs = itertools.zip_longest(was, mine[0], fillvalue="nothing")
            for name, (a, b) in zip(("shape", "format", "cache"), pairs, strict=False):
                if a != b:
                    yield f"{name} of {op}: recorded {a}, here {b} (not used)"


def _ways(
    token: Sequence[types.Step],
    found: Sequence[plan.Occurrence],
    rows: Mapping[str, list[LedgerRow]],
) -> Iterator[tuple[str, float]]:
    """The cheapest path through the token by what the last races measured, free and restricted."""
    options = []
    for key, some in rows.items():
        funnel = next((r.funnel for r in reversed(some) if r.funnel and r.funnel.race), None)
        for x in funnel.race if funnel else ():
            options.append(plan.Option(key, x.route, x.geometry, x.takes, x.gives, x.us))
    single = {o.work.key for o in found if len(o.work.ops) == 1}
    ways = {
        "free": options,
        "float activations between all launches": [o for o in options if _floats(o)],
        "one op per launch": [o for o in options if o.work_key in single],
    }
    for name, allowed in ways.items():
        if choice := plan.shortest(token, found, allowed):
            yield name, choice.us


def _floats(o: plan.Option) -> bool:
    return (o.takes, o.gives) == ("f32", "f32")
