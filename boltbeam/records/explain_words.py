"""Why this kernel, in plain words: the chain of reasons that `explain` found.

Takes an Explanation, gives Markdown, or data for programs. Never looks anything up.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from statistics import median
from typing import Any

from boltbeam import registry
from boltbeam.models import plan
from boltbeam.records.entries import STOCK, LedgerRow, Racer
from boltbeam.records.explain import Explanation, Step, time_us
from boltbeam.records.review import ratio, state

MATTER = ("read_gbps", "cached_gbps", "toll_us", "fp32_fma_tops", "dot4_tops", "latency_ns")
"""Measurements that predictions and floors rest on."""


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
    return s.work.count * time_us(s.chosen) if s.chosen else 0.0


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
        yield "No plan is promoted for exactly this token: stock runs, tinygrad's own schedules."
        yield from (f"* not used: {line}" for line in e.elsewhere)
        yield from _token_words(e)
        yield from _way_words(e)
        return
    who = d.author or "somebody without a name"
    before = "stock" if d.replaces == STOCK else f"plan {d.replaces}"
    runs = "runs" if e.used else "is NOT used here, stock runs instead; it was"
    yield f"Plan {d.id} {runs}, decided by {who} on {d.date[:10]} in place of {before}: {d.reason}."
    yield from (f"* measured otherwise than here: {m}" for m in e.differs)
    for name, g in d.gates.items():
        number = "" if g.number is None else f" {g.number:g}"
        limit = "" if g.limit is None else f", limit {g.limit:g}"
        yield f"* gate {name}: passed{number}{limit}{f': {g.detail}' if g.detail else ''}"
    yield from _token_words(e)
    yield from _way_words(e)


def _token_words(e: Explanation) -> Iterator[str]:
    if e.token is None or not e.token.interval:
        return
    yield (
        f"* whole token{'' if e.decision else ' of the plan nominated last'}: "
        f"{time_us(e.token) / 1e3:.4g} ms, {ratio(e.token)} of {e.token.incumbent}'s time; "
        f"tokens {e.token.tokens or 'untested'} on {e.token.model}; {state(e.token)}"
    )
    yield from (f"* its routes, {line}" for line in e.verified.split("; ") if line)


def _way_words(e: Explanation) -> Iterator[str]:
    """Why these interfaces and spans: what the cheapest path costs without them."""
    if not e.ways and any(s.chosen for s in e.steps):
        yield "* what other interfaces or spans would have cost: those searches did not record it"
    if len(e.ways) < 2:
        return
    (_, free), *rest = e.ways
    yield f"* cheapest path over steps and interfaces, by the races: {free / 1e3:.4g} ms a token"
    for name, us in rest:
        more = "the same path" if us <= free * 1.0005 else f"{us / free - 1:+.1%}"
        yield f"* … with {name}: {us / 1e3:.4g} ms, {more}"


def _step_words(s: Step) -> Iterator[str]:
    yield f"### {plan.short(s.work.key)}, {s.work.count} times a token\n"
    if s.chosen is not None:
        yield from _chosen_words(s, s.chosen)
    if s.funnel is not None and s.funnel.funnel is not None:
        f = s.funnel.funnel
        kept = max(0, f.legal - sum(f.pruned.values()))
        climbed = f.proved - kept
        yield (
            f"* of {f.legal + sum(f.illegal.values())} candidates {f.legal} were legal"
            f"{_counts(f.illegal, 'illegal')}{_counts(f.pruned, 'pruned')}; {kept} were kept"
            + (f", {climbed} or more of the pruned came back by climbing" if climbed > 0 else "")
            + f"; {f.proved} were proved and {f.timed} raced (row {s.funnel.id})"
        )
        if f.pruned and not f.nearest:
            yield "* the numbers that pruned were not recorded: boltbeam search --dry-run has them"
        for reason, cut in f.nearest.items():
            limit = "" if cut.limit is None else f", limit {cut.limit:g}"
            said = f" ({cut.detail})" if cut.detail else ""
            yield f"* pruned as {reason}: the nearest had {cut.number:g}{limit}{said}"
        if f.audit is not None:
            yield f"* an audit of {f.audit.sampled} pruned ones lost {f.audit.regret:.1%}"
    yield from _runner_up(s)
    for r in s.failed[:3]:
        number = "" if r.number is None else f" {r.number:g}"
        yield f"* {r.route} ({r.geometry}) was {r.verdict}: {r.reason}{number}; row {r.id}"
    if len(s.failed) > 3:
        yield f"* … and {len(s.failed) - 3} more that failed or were wrong"
    yield from (f"* {line}" for line in s.refuted)


def _runner_up(s: Step) -> Iterator[str]:
    """Who came next: compared with stock like the chosen, or left behind in the race."""
    if s.chosen is None:
        return
    if s.others:
        r = s.others[0]
        more = f"{time_us(r) / time_us(s.chosen) - 1:+.1%} against the chosen"
        yield f"* runner-up: {r.route} ({r.geometry}) {time_us(r):.4g} µs, {more}; row {r.id}"
    race = s.funnel.funnel.race if s.funnel is not None and s.funnel.funnel is not None else ()
    mine = next((x for x in race if _is(x, s.chosen)), None)
    for x in race if mine else ():
        assert mine is not None
        if x is not mine:
            face = f", {x.takes} -> {x.gives}" if _face(x) != _face(mine) else ""
            lost = f"{x.us / mine.us - 1:+.1%} against the chosen in the race"
            yield f"* in the race: {x.route} ({x.geometry}{face}) {x.us:.4g} µs, {lost}"
    if not s.others and len(race) < 2:
        yield "* runner-up: " + (
            "nothing else ran the race"
            if s.funnel is not None and s.funnel.funnel is not None and s.funnel.funnel.timed < 2
            else "the others lost the race; that search did not record by how much"
        )


def _is(x: Racer, r: LedgerRow) -> bool:
    return (x.route, x.geometry) == (r.route, r.geometry)


def _face(x: Racer) -> tuple[str, str]:
    return x.takes, x.gives


def _chosen_words(s: Step, r: LedgerRow) -> Iterator[str]:
    against = f"{r.incumbent or 'the incumbent'} took {median(r.incumbent_us):.4g}"
    said = f"{time_us(r):.4g} µs where {against} ({ratio(r)}): {r.verdict}"
    yield f"* {r.route} ({r.geometry}), {s.why_chosen}: {said}"
    if r.pct_of_floor is not None and r.floor_us is not None:
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
        "verified": e.verified,
        "used": e.used,
        "not_used": list(e.elsewhere if e.decision is None else map(str, e.differs)),
        "ways_us": dict(e.ways),
        "steps": [
            {
                "work": s.work.key,
                "per_token": s.work.count,
                "row": s.chosen.id if s.chosen else None,
                "runner_up": s.others[0].id if s.others else None,
                "funnel": s.funnel.id if s.funnel else None,
                "apart_us": s.apart_us,
                "said": list(_step_words(s)),
            }
            for s in e.steps
        ],
    }
