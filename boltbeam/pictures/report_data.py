"""What the pictures of a model on a chip show: numbers of the ledger and the run store, with ids.

Takes model, chip, layers, context and local records, gives frozen values. Never measures and never
fills a gap: what nobody measured is None or an empty tuple.
"""

from __future__ import annotations

import contextlib
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from statistics import median
from typing import Any

from boltbeam import registry
from boltbeam.models import plan
from boltbeam.predict import futuresight, roofline
from boltbeam.records import explain
from boltbeam.records.entries import STOCK, Audit, Decision, LedgerRow
from boltbeam.records.ledger import Layers
from boltbeam.types import (
    OPS,
    BoltbeamError,
    ChipFacts,
    Geometry,
    ModelFacts,
    WorkItem,
)

Local = Sequence[Mapping[str, Any]]
"""Records of one table of the run store."""
HISTORIES = 4
"""Work items whose history is drawn: those that take most of the token."""
LIMIT_CONTEXTS = tuple(128 << n for n in range(10))
"""Contexts at which the limit is drawn, as far as the model goes."""
NEAR = 1 / 8
"""Share of the context that a token's position may be from its kernels' for their difference to be
gaps."""


@dataclass(frozen=True)
class Item:
    """One work item, what it must do, and the row that says how long it takes."""

    work: WorkItem
    row: LedgerRow | None
    times: int
    """Runs per token in the plan; 0: not in it."""
    floor_us: float | None

    @property
    def us(self) -> float | None:
        return median(self.row.candidate_us) if self.row else None

    @property
    def token_us(self) -> float:
        return self.times * (self.us or 0.0)

    @property
    def operations(self) -> int:
        """Multiplications and additions of one run: of its matrices, and of attention."""
        done = 2 * sum(t.rows * t.cols for t in self.work.tables if t.role != "token_embd")
        if "attention" in self.work.ops:
            w = self.work
            seen = plan.cached_positions(w.context, w.window) + 1
            done += 4 * w.heads * w.head_dim * seen
        return done


@dataclass(frozen=True)
class TokenTime:
    """A whole token of one engine, and where that is written."""

    who: str
    us: float
    position: int
    source: str
    """Id of a ledger row, or `bench` with its time."""


@dataclass(frozen=True)
class Dot:
    """A candidate as it was predicted and as it was measured."""

    work: str
    route: str
    geometry: str
    predicted_us: float
    measured_us: float
    kind: str
    """`kept` or `pruned` (ran a race here), or `compared` (a ledger row)."""
    why: str
    source: str
    """Id of a search or a ledger row."""


@dataclass(frozen=True)
class Event:
    """One thing that happened to a work item."""

    date: str
    what: str
    """Route and geometry, or what was decided."""
    us: float | None
    incumbent: str
    incumbent_us: float | None
    verdict: str
    source: str
    decided: bool = False
    """A decision, and no measurement."""


@dataclass(frozen=True)
class Pictures:
    """Everything that is drawn."""

    model: ModelFacts
    chip: ChipFacts
    context: int
    probe: str
    decision: Decision | None
    members: str
    """Where the members of the token come from: `plan`, `nominated`, or '' where there are none."""
    uncovered: tuple[str, ...]
    """Ops of the token that no member does."""
    items: tuple[Item, ...]
    """Every work item, those that take most of the token first."""
    tokens: tuple[TokenTime, ...]
    funnels: tuple[LedgerRow, ...]
    compared: tuple[LedgerRow, ...]
    """Kernel rows of these work items."""
    dots: tuple[Dot, ...]
    audits: tuple[tuple[str, Audit, str], ...]
    """(work key, audit, row id)."""
    limits: tuple[tuple[int, float], ...]
    """(context, most tokens per second): measured read rate ÷ bytes."""
    histories: tuple[tuple[str, tuple[Event, ...]], ...]
    """(work key, events in the order of the ledger)."""

    @property
    def in_token(self) -> tuple[Item, ...]:
        return tuple(i for i in self.items if i.times)

    @property
    def kernels_us(self) -> float | None:
        """Sum of the members' times; None where they are not the whole token."""
        if not self.members or self.uncovered:
            return None
        return sum(i.token_us for i in self.in_token)

    @property
    def stock_us(self) -> float | None:
        """Sum of what stock's own kernels of the same steps took beside them."""
        rows = [(i.times, i.row) for i in self.in_token if i.row and i.row.incumbent == STOCK]
        if self.kernels_us is None or len(rows) < len(self.in_token):
            return None
        return sum(n * median(r.incumbent_us) for n, r in rows)

    @property
    def floor_us(self) -> float | None:
        """Sum of the members' floors."""
        if self.kernels_us is None or self.chip.rate("read_gbps") is None:
            return None
        return sum(i.times * (i.floor_us or 0.0) for i in self.in_token)

    @property
    def kernels_at(self) -> int:
        """Positions in the KV cache that the kernels are timed with; older rows had one less."""
        return plan.timed_position(self.context)

    def near_kernels(self, token: TokenTime) -> bool:
        """A token as deep in the cache as its kernels: what it takes beyond them are gaps."""
        return abs(token.position - self.kernels_at) <= NEAR * self.context

    @property
    def token(self) -> TokenTime | None:
        """The plan's whole token: one near its kernels, else the first."""
        mine = [t for t in self.tokens if t.who == "this plan"]
        return next((t for t in mine if self.near_kernels(t)), mine[0] if mine else None)

    def tokens_of(self, position: int | None = None) -> tuple[TokenTime, ...]:
        """Whole tokens measured at the context, of one position."""
        return tuple(t for t in self.tokens if position in (None, t.position))


def gather(
    model: ModelFacts,
    chip: ChipFacts,
    layers: Layers,
    context: int,
    candidates: Local = (),
    benches: Local = (),
) -> Pictures:
    """All of it. `candidates`, `benches`: records of the run store about this file and chip."""
    e = explain.explain(model, chip, layers, context)
    spans = dict.fromkeys(s.work.op for s in e.steps)
    token, found = plan.occurrences(model, context, dict.fromkeys([*spans, *OPS]))
    rows = {r.id: r for r in layers.rows(chip=chip.id)}
    chosen, members = _members(e, rows)
    choice = plan.shortest(token, found, map(_option, chosen))
    times = Counter(o.evidence for _, o in choice.members) if choice else Counter[str]()
    done = {op for r in chosen for op in r.op.split("+")}
    missing = () if choice else tuple(dict.fromkeys(s.op for s in token if s.op not in done))
    items = list(_items(e, chosen, times, [o.work for o in found]))
    items.sort(key=lambda i: (-i.token_us, -(i.us or 0.0), i.work.key))
    works = [o.work for o in found]
    here = [r for r in rows.values() if r.work in {w.key for w in works}]
    tokens = [*_token_rows(e, rows.values()), *_benched(benches, context, e.decision)]
    audits = [(r.work, r.funnel.audit, r.id) for r in here if r.funnel and r.funnel.audit]
    return Pictures(
        model=model,
        chip=e.chip,
        context=context,
        probe=e.probe,
        decision=e.decision,
        members=members if chosen else "",
        uncovered=missing or (() if choice else ("interfaces that fit",)),
        items=tuple(items),
        tokens=tuple(tokens),
        funnels=tuple(s.funnel for s in e.steps if s.funnel),
        compared=tuple(r for r in here if r.kind == "kernel"),
        dots=(*_raced(candidates, works), *_predicted(e.chip, here, works)),
        audits=tuple({work: (work, a, i) for work, a, i in audits}.values()),
        limits=tuple(_limits(model, e.chip)),
        histories=tuple(_histories(items, layers, chip.id)),
    )


def _members(e: explain.Explanation, rows: Mapping[str, LedgerRow]) -> tuple[list[LedgerRow], str]:
    """Rows of the plan in force; without one the latest nominated row of each work item."""
    if e.decision is not None:
        cited = [rows[m.row] for m in e.decision.members if m.row in rows]
        return [r for r in cited if r.candidate_us], "plan"
    some = [s.chosen for s in e.steps if s.chosen and s.chosen.decision == "nominated"]
    return some, "nominated"


def _option(r: LedgerRow) -> plan.Option:
    faces = r.takes or "f32", r.gives or "f32"
    return plan.Option(r.work, r.route, r.geometry, *faces, median(r.candidate_us), r.id)


def _items(
    e: explain.Explanation,
    chosen: Sequence[LedgerRow],
    times: Mapping[str, int],
    works: Sequence[WorkItem],
) -> Iterator[Item]:
    """Every work item that was measured, and the primitive ones that were not."""
    gbps = e.chip.rate("read_gbps")
    picked = {s.work.key: s.chosen for s in e.steps if s.chosen}
    picked |= {r.work: r for r in chosen}
    for w in works:
        row = picked.get(w.key)
        if row is None and len(w.ops) > 1:
            continue
        floor = row.floor_us if row and row.floor_us is not None else None
        if floor is None and gbps is not None:
            floor = roofline.floor_us(w.bytes, gbps)
        yield Item(w, row, times.get(row.id, 0) if row else 0, floor)


# ---- whole tokens ------------------------------------------------------------------------------


def _token_rows(e: explain.Explanation, rows: Iterable[LedgerRow]) -> Iterator[TokenTime]:
    """Of the plan in force; without one the latest of this token at each position."""
    key = plan.model_plan_key(e.model, e.context)
    cited = set(e.decision.evidence) if e.decision else None
    latest: dict[int, LedgerRow] = {}
    for r in sorted(rows, key=lambda r: r.date):
        mine = r.kind == "token" and r.candidate_us and r.plan_key == key
        if mine and (cited is None or r.id in cited):
            latest[r.position or 0] = r
    for position, r in sorted(latest.items()):
        yield TokenTime("this plan", median(r.candidate_us), position, r.id)
        name = r.incumbent if r.incumbent != "incumbent" else "the plan before"
        yield TokenTime(name, median(r.incumbent_us), position, r.id)


def _benched(benches: Local, context: int, decision: Decision | None) -> Iterator[TokenTime]:
    """The latest of every engine and depth. The plan's own are told by its rows as well."""
    mine = [b for b in benches if b["context"] == context]
    latest = {(_engine(b, decision), b["n_depth"]): b for b in mine}
    for (name, depth), b in latest.items():
        yield TokenTime(name, 1e6 / b["avg_ts"], depth, f"bench {b['test_time'][:16]}")


def _engine(b: Mapping[str, Any], decision: Decision | None) -> str:
    """Only a bench of the decision in force is of this plan."""
    if b["engine"] != "promoted":
        return f"{b['engine']}, bench"
    if decision is not None and b["plan"] == decision.id:
        return "this plan"
    return f"plan {b['plan'] or 'without an id'}, bench"


def _limits(model: ModelFacts, chip: ChipFacts) -> Iterator[tuple[int, float]]:
    if chip.rate("read_gbps") is None:
        return
    for context in LIMIT_CONTEXTS:
        if context <= model.context_length:
            yield context, roofline.roofline(model, chip, context).limit_tok_s


# ---- predicted against measured ----------------------------------------------------------------


def _raced(candidates: Local, works: Sequence[WorkItem]) -> Iterator[Dot]:
    """Of each work item the candidates of its latest audit, else of its latest search."""
    known = {w.key for w in works}
    groups: dict[str, dict[tuple[int, str], list[Mapping[str, Any]]]] = {}
    for c in candidates:
        if c["work"] in known and (c["predicted_us"] or 0) > 0:
            group = groups.setdefault(c["work"], {})
            group.setdefault((c["audit"], c["search"]), []).append(c)
    for work, searches in groups.items():
        audited = [k for k in searches if k[0]] or list(searches)
        for c in searches[audited[-1]]:
            why = ""
            if c["pruned"]:
                number = "" if c["number"] is None else f" {c['number']:.4g}"
                limit = "" if c["number_limit"] is None else f", limit {c['number_limit']:.4g}"
                why = f"{c['pruned']}{number}{limit}"
            kind = "pruned" if c["pruned"] else "kept"
            times = c["predicted_us"], c["measured_us"]
            yield Dot(work, c["route"], c["geometry"], *times, kind, why, c["search"])


def _predicted(
    chip: ChipFacts, rows: Sequence[LedgerRow], works: Sequence[WorkItem]
) -> Iterator[Dot]:
    """Ledger rows, predicted again from what the ledger's probes measured."""
    by_key = {w.key: w for w in works}
    constants = None
    with contextlib.suppress(BoltbeamError):
        constants = futuresight.fit(chip)
    for r in rows if constants else ():
        route = registry.routes().get(r.route)
        if not r.candidate_us or route is None or route.kind != "search":
            continue
        with contextlib.suppress(BoltbeamError, KeyError, ValueError):
            geometry = Geometry.parse(r.geometry)
            assert constants is not None
            guess = futuresight.predict(by_key[r.work], route, geometry, chip, constants)
            us = median(r.candidate_us)
            yield Dot(r.work, r.route, r.geometry, guess.us, us, "compared", str(r.verdict), r.id)


# ---- history -----------------------------------------------------------------------------------


def _histories(
    items: Sequence[Item], layers: Layers, chip: str
) -> Iterator[tuple[str, tuple[Event, ...]]]:
    decisions = layers.decisions(chip=chip)
    for item in [i for i in items if i.row][:HISTORIES]:
        key = item.work.key
        rows = layers.rows(chip=chip, kind="kernel", work=key)
        events = [_measured(r) for r in rows]
        mine = {d.id for d in decisions if _speaks_of(d, key)}
        events += [_decided(d) for d in decisions if d.id in mine or d.replaces in mine]
        yield key, tuple(sorted(events, key=lambda e: e.date))


def _measured(r: LedgerRow) -> Event:
    us, old = (median(x) if x else None for x in (r.candidate_us, r.incumbent_us))
    said = f"{r.verdict}" + ("" if r.candidate_us else f" ({r.reason})")
    return Event(r.date, f"{r.route} {r.geometry}", us, r.incumbent or "stock", old, said, r.id)


def _decided(d: Decision) -> Event:
    names = {"plan": "promoted", "rollback": "rolled back", "refute": "refuted"}
    what = d.scope.route or f"plan {d.scope.plan_key}"
    return Event(d.date, what, None, "", None, names.get(d.kind, "reopened"), d.id, True)


def _speaks_of(d: Decision, work: str) -> bool:
    return d.scope.work == work or any(m.work == work for m in d.members)
