"""Why this kernel: what the ledger knows of a model's token on a chip, as a chain of reasons.

Takes a model's facts, a chip and the ledger, gives findings and sentences. Never measures, never
guesses a reason: what the ledger does not say is said to be missing.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from statistics import median
from typing import Any

from boltbeam import plan, registry, reopening, standing
from boltbeam.entries import STOCK, Decision, LedgerRow, Member, Scope
from boltbeam.ledger import Layers
from boltbeam.plan import short
from boltbeam.review import ratio, state
from boltbeam.types import ChipFacts, ModelFacts, WorkItem

MATTER = ("read_gbps", "cached_gbps", "toll_us", "fp32_fma_tops", "dot4_tops", "latency_ns")
"""Measurements that predictions and floors rest on."""


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
    elsewhere: tuple[str, ...]
    """Plans in force that are not for this token, and in which field they differ."""
    unused: tuple[str, ...]
    """Fields in which the plan was measured otherwise than here."""
    steps: tuple[Step, ...]


def explain(
    model: ModelFacts,
    chip: ChipFacts,
    layers: Layers,
    context: int,
    ops: Sequence[str] = (),
    here: Scope | None = None,
) -> Explanation:
    """Everything the ledger says about this token; `ops` keeps spans that contain one of them.

    `here`: the software of this machine, where the chip is here.
    """
    measured, probe = standing.measured(layers, chip.id)
    chip = chip.model_copy(update={"measured": {**chip.measured, **measured}})
    spans = dict.fromkeys(o for r in registry.routes().values() for o in r.ops if o != "ast")
    _, found = plan.occurrences(model, context, spans)
    rows: dict[str, list[LedgerRow]] = {}
    for row in layers.rows(chip=chip.id):
        rows.setdefault(row.work, []).append(row)
    key = plan.model_plan_key(model, context)
    decision = standing.active_plan(layers, chip.id, key)
    members = {m.work: m for m in decision.members} if decision else {}
    refuted = reopening.in_force(layers, chip.id)
    best = {o.work.key: _best_us(rows.get(o.work.key, [])) for o in found}
    steps = [
        _step(o.work, members, rows.get(o.work.key, []), refuted, _apart(o, found, best))
        for o in found
        if not ops or set(ops) & set(o.work.ops)
    ]
    by_id = {r.id: r for some in rows.values() for r in some}
    token = _token_row(decision, by_id) if decision else None
    differs = standing.mismatches(decision.scope, here) if decision and here else ()
    return Explanation(
        model=model,
        chip=chip,
        context=context,
        probe=probe,
        decision=decision,
        token=token,
        elsewhere=tuple(_elsewhere(layers, chip, key, {o.work.key for o in found})),
        unused=tuple(map(str, differs)),
        steps=tuple(s for s in steps if s.chosen or s.funnel or s.failed or s.refuted),
    )


def _step(
    work: WorkItem,
    members: Mapping[str, Member],
    rows: Sequence[LedgerRow],
    refuted: Mapping[tuple[str, str], Decision],
    apart_us: float | None,
) -> Step:
    timed = sorted((r for r in rows if r.candidate_us), key=lambda r: (_us(r), r.id))
    member = members.get(work.key)
    chosen, why = None, ""
    if member is not None:
        chosen, why = next((r for r in rows if r.id == member.row), None), "in the plan in force"
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
        others=tuple(r for r in timed if r is not chosen),
        failed=tuple(r for r in rows if r.kind == "kernel" and not r.candidate_us),
        funnel=funnels[-1] if funnels else None,
        apart_us=apart_us,
        refuted=tuple(dict.fromkeys(said)),
    )


def _us(r: LedgerRow) -> float:
    return median(r.candidate_us)


def _best_us(rows: Iterable[LedgerRow]) -> float | None:
    """Of the nominated rows, else of all that were timed."""
    timed = [r for r in rows if r.candidate_us]
    some = [r for r in timed if r.decision == "nominated"] or timed
    return min(map(_us, some), default=None)


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


def _elsewhere(layers: Layers, chip: ChipFacts, key: str, works: set[str]) -> Iterator[str]:
    """Every other plan in force, and the first field in which it is not for this token."""
    for (other, plan_key), d in standing.plans(layers).items():
        if (other, plan_key) == (chip.id, key):
            continue
        if other != chip.id:
            yield f"plan {d.id} is for chip {other}"
            continue
        strange = [m.work for m in d.members if m.work not in works]
        contexts = ", ".join(map(str, d.contexts))
        if strange:
            yield f"plan {d.id} has other shapes or formats: {short(strange[0])}, …"
        else:
            yield f"plan {d.id} is for a token with other steps, at {contexts} positions"


# ---- in plain words ----------------------------------------------------------------------------


def sentences(e: Explanation) -> Iterator[str]:
    """The explanation as Markdown."""
    yield f"## {e.model.name or e.model.architecture} on {e.chip.id}, {e.context} positions\n"
    yield from _chip_words(e)
    yield from _plan_words(e)
    if not e.steps:
        yield "\nThe ledger says nothing about this token on this chip: boltbeam search."
    order = sorted(e.steps, key=lambda s: -_share(s))
    for s in order:
        yield ""
        yield from _step_words(s)


def _share(s: Step) -> float:
    return s.work.count * _us(s.chosen) if s.chosen else 0.0


def _chip_words(e: Explanation) -> Iterator[str]:
    rates = [
        f"{name} {m.value:g} {m.unit} ({m.how}, {m.date})"
        for name in MATTER
        if (m := e.chip.measured.get(name)) is not None
    ]
    if not rates:
        yield "Nothing was measured of this chip: no floor and no prediction (boltbeam chip probe)."
        return
    yield f"What was measured of the chip{f' (row {e.probe})' if e.probe else ''}:\n"
    yield from (f"* {r}" for r in rates)
    needs = dict.fromkeys(
        n for s in e.steps if s.chosen for n in registry.route(s.chosen.route).needs
    )
    declared = [f"{n} {e.chip.get(n)}" for n in needs if e.chip.get(n) is not None]
    if declared:
        yield f"* declared, and needed by the kernels below: {', '.join(declared)}"


def _plan_words(e: Explanation) -> Iterator[str]:
    d = e.decision
    yield ""
    if d is None:
        yield "No plan is promoted for exactly this token: stock runs."
        yield from (f"* not used: {line}" for line in e.elsewhere)
        return
    who = d.author or "somebody without a name"
    before = "stock" if d.replaces == STOCK else f"plan {d.replaces}"
    yield f"Plan {d.id} runs, decided by {who} on {d.date[:10]} in place of {before}: {d.reason}."
    for name, g in d.gates.items():
        number = "" if g.number is None else f" {g.number:g}"
        limit = "" if g.limit is None else f", limit {g.limit:g}"
        yield f"* gate {name}: passed{number}{limit}{f': {g.detail}' if g.detail else ''}"
    if e.token is not None and e.token.interval:
        yield (
            f"* whole token: {_us(e.token) / 1e3:.4g} ms, {ratio(e.token)} of "
            f"{e.token.incumbent}'s time; tokens {e.token.tokens} on {e.token.model}; "
            f"{state(e.token)}"
        )
    yield from (f"* measured otherwise than here: {line}" for line in e.unused)


def _step_words(s: Step) -> Iterator[str]:
    yield f"### {short(s.work.key)}, {s.work.count} times a token\n"
    if s.chosen is not None:
        yield from _chosen_words(s, s.chosen)
    if s.funnel is not None and s.funnel.funnel is not None:
        f = s.funnel.funnel
        yield (
            f"* of {f.legal + sum(f.illegal.values())} candidates {f.legal} were legal"
            f"{_counts(f.illegal, 'illegal')}{_counts(f.pruned, 'pruned')}; {f.proved} were proved "
            f"and {f.timed} raced (row {s.funnel.id})"
        )
        if f.audit is not None:
            yield f"* an audit of {f.audit.sampled} pruned ones lost {f.audit.regret:.1%}"
    if s.others:
        r = s.others[0]
        more = ""
        if s.chosen is not None:
            more = f", {_us(r) / _us(s.chosen) - 1:+.1%} against the chosen"
        yield f"* runner-up: {r.route} ({r.geometry}) {_us(r):.4g} µs{more}; row {r.id}"
    elif s.chosen is not None:
        yield "* runner-up: none was compared with stock; the others lost the race"
    for r in s.failed[:3]:
        number = "" if r.number is None else f" {r.number:g}"
        yield f"* {r.route} ({r.geometry}) was {r.verdict}: {r.reason}{number}; row {r.id}"
    if len(s.failed) > 3:
        yield f"* … and {len(s.failed) - 3} more that failed or were wrong"
    yield from (f"* {line}" for line in s.refuted)


def _chosen_words(s: Step, r: LedgerRow) -> Iterator[str]:
    against = f"{r.incumbent or 'the incumbent'} took {median(r.incumbent_us):.4g}"
    said = f"{_us(r):.4g} µs where {against} ({ratio(r)}): {r.verdict}"
    yield f"* {r.route} ({r.geometry}), {s.why_chosen}: {said}"
    if r.floor_us is not None:
        share = f"{r.pct_of_floor:g} % of the measured read rate"
        yield f"* {share}: its bytes alone take {r.floor_us:g} µs"
    if s.apart_us is not None:
        yield f"* fused: its ops one by one would take {s.apart_us:.4g} µs"
    if (r.takes, r.gives) != ("f32", "f32"):
        yield f"* takes {r.takes} and gives {r.gives}: its neighbours must do so too ({r.numerics})"
    route = registry.routes().get(r.route)
    copied = plan.copied_bytes(s.work, route.weights if route else "file")
    if copied:
        times = f" a layer, {copied * s.work.count:,} in all" if s.work.count > 1 else ""
        yield f"* reads a copy of its weights: {copied:,} bytes beside stock's{times}"
    yield f"* machine: {state(r)}; row {r.id} of {r.date[:10]}, commit {r.commit or 'unknown'}"


def _counts(counts: Mapping[str, int], word: str) -> str:
    if not counts:
        return ""
    top = sorted(counts.items(), key=lambda kv: -kv[1])[:3]
    said = ", ".join(f"{reason} {n}" for reason, n in top)
    return f", {sum(counts.values())} {word} ({said}{', …' if len(counts) > 3 else ''})"


def data(e: Explanation) -> dict[str, Any]:
    """For programs: ids of rows and decisions, numbers, the same sentences."""
    return {
        "model": e.model.name,
        "chip": e.chip.id,
        "context": e.context,
        "plan": e.decision.id if e.decision else None,
        "token_row": e.token.id if e.token else None,
        "not_used": list(e.elsewhere if e.decision is None else e.unused),
        "steps": [
            {
                "work": s.work.key,
                "a token": s.work.count,
                "row": s.chosen.id if s.chosen else None,
                "runner_up": s.others[0].id if s.others else None,
                "funnel": s.funnel.id if s.funnel else None,
                "apart_us": s.apart_us,
                "said": list(_step_words(s)),
            }
            for s in e.steps
        ],
    }
