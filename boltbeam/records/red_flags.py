"""What a reviewer of new ledger lines must not miss, each with file and line.

Takes the lines a branch adds among all lines of its ledger, gives flags: some block, some are to be
looked at. Never renders a kernel and never reads a file: what others found comes in as flags.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from statistics import median

from boltbeam.records import standing
from boltbeam.records.benches import Bench
from boltbeam.records.decide import CEILING_ERROR, COLD_FACTOR, COPIES_MAX, STALLED_MAX
from boltbeam.records.decisions import SLOWEST, TOKEN
from boltbeam.records.entries import RECORDED, SCHEDULED, SOFTWARE, STOCK, Decision, LedgerRow
from boltbeam.records.ledger import Entry, Stored
from boltbeam.records.ledger_touched import Problem
from boltbeam.types import Verdict

LOAD_MAX = 1.0
"""Load average ÷ cores above which a machine was not at rest: more work than cores."""
WAITING_MAX = 0.1
"""Share of the time in which a task waited for a core, above which a machine was not at rest."""
CEILING_PCT = 100 * CEILING_ERROR
"""Share of the measured read rate above which the ceiling, or the time, is wrong."""
RATE_CHANGE = 0.05
"""Relative change of a chip's read rate or clock that is no noise."""
LAST_DIGIT = 2e-3
"""Relative difference of two numbers of four significant digits that may come of rounding."""
TURNS_MIN = 6
"""Turns of an engine that make a bench: as many as the whole token of a promotion has."""
SPREAD_MAX = 0.05
"""Standard deviation of an engine's turns ÷ their mean above which its rate is not known well."""
WORSE = 1.005
"""A member may take this times what its predecessor took."""

REFEREE = re.compile(r"tokens, stock( on \w+)?")
"""The gate of the reference tokens, by stock of the device itself or of one that is exact."""

CODES = {
    "touched": "an existing ledger file was changed or removed",
    "name": "a file whose name, folder or date does not fit its content",
    "text": "not UTF-8, or a line without its end",
    "line": "no JSON, or no entry of a ledger",
    "canonical": "an entry written otherwise than boltbeam writes it: keys, digits, spaces",
    "id": "an id that does not fit its line: edited",
    "duplicate": "an id, or a measurement, maybe scaled, that stands in the ledger twice",
    "verdict": "a verdict that its blocks do not give",
    "interval": "an interval that its blocks do not give",
    "floor": "a share of the read rate that floor and blocks do not give",
    "proof": "a proof that contradicts its verdict or its error",
    "protocol": "timed by a protocol that nobody knows, or that may not be used here",
    "aa": "an A/A spread that its pairs do not give",
    "planned": "more or fewer blocks than its pilot asked for",
    "chance": "the comparisons of a file spend more than the one chance of an error of its search",
    "evidence": "cites a row that is nowhere, of another chip or plan, or that measured otherwise",
    "gates": "a gate that its token rows do not give",
    "replaces": "takes the place of a decision that is nowhere, or goes back to one",
    "prediction": "closes a prediction that is not open, or otherwise than its blocks say",
    "source": "a source hash that does not re-render",
    "unrendered": "a kernel whose source could not be rendered here",
    "chip": "another chip, or the same chip with other rates, than before or than its folder's",
    "version": "another tinygrad, driver, compiler or memory label than before",
    "throttled": "timed while the chip was throttled",
    "unrested": "timed on a machine that was not at rest, or on warm operands",
    "ceiling": "faster than the measured read rate allows",
    "ambiguous": "promoted although the measurement does not say faster",
    "no-token-gate": "promoted without the whole token, the reference tokens or another gate",
    "synthetic": "promoted on a model of random weights, whose tokens prove nothing",
    "not-compared": "promoted without a comparison with the plan it replaces",
    "worse": "slower than what it replaces",
    "unfounded": "refuted with a number that its rows do not give, or although they say faster",
    "dirty": "measured from a working tree with changes, or an unknown commit",
    "turns": "a bench of fewer turns than the whole token of a promotion has",
    "spread": "a bench with an engine whose own turns differ too much",
    "emitters": "a bench of a plan whose emitters are not those that its rows measured any more",
}
"""Every flag, those of `boltbeam ledger check` too, and what it means."""


@dataclass(frozen=True)
class Flag:
    """Something a reviewer must see. `blocks`: it must not be merged like this."""

    file: str
    line: int
    """0: the file as a whole."""
    code: str
    message: str
    blocks: bool

    @property
    def where(self) -> str:
        return f"{self.file}:{self.line}" if self.line else self.file


@dataclass(frozen=True)
class Difference:
    """A row's kernel rendered again is not what the row cites, or could not be rendered."""

    code: str
    message: str
    blocks: bool


@dataclass(frozen=True)
class Lines:
    """All lines of a ledger by id, and which of them are new."""

    new: tuple[Stored, ...]
    by_id: Mapping[str, Stored] = field(repr=False)
    recorded: frozenset[str] = frozenset()
    """Header hashes of the model files whose tokens another engine recorded."""

    def _entry(self, name: str) -> Entry | None:
        found = self.by_id.get(name)
        return found.entry if found is not None and found.is_readable else None

    def row(self, name: str) -> LedgerRow | None:
        """The row of that id, wherever it stands."""
        found = self._entry(name)
        return found if isinstance(found, LedgerRow) else None

    def rows(self, names: Iterable[str]) -> list[LedgerRow]:
        """The rows of those ids that are there."""
        return [r for name in names if (r := self.row(name)) is not None]

    def decision(self, name: str) -> Decision | None:
        """The decision of that id; None for stock, too."""
        found = self._entry(name)
        return found if isinstance(found, Decision) else None

    def plan_before(self, d: Decision) -> Decision | None:
        """The plan whose members were in force when `d` was made; None: stock."""
        before = self.decision(d.replaces)
        return None if before is None else standing.holder(before, self.decision)

    def token_row(self, d: Decision) -> LedgerRow | None:
        """The whole-token row that a plan cites."""
        rows = [r for r in self.rows(d.evidence) if r.kind == "token"]
        return next((r for r in rows if r.plan_key == d.scope.plan_key), None)

    @cached_property
    def cited(self) -> frozenset[str]:
        """Rows that new plans rest on."""
        plans = [s.decision for s in self.new if s.kind == "plan"]
        return frozenset(name for d in plans for name in (*d.evidence, *(m.row for m in d.members)))

    @cached_property
    def _old(self) -> dict[tuple[str, ...], LedgerRow]:
        """The latest old kernel row of each work item and route, and the latest old probe."""
        new = {s.id for s in self.new}
        wanted = {(s.chip, s.work) for s in self.new if s.kind in ("kernel", "probe")}
        found: dict[tuple[str, ...], LedgerRow] = {}
        for s in sorted(self.by_id.values(), key=lambda s: s.date):
            old = s.kind in ("kernel", "probe") and s.id not in new and (s.chip, s.work) in wanted
            if old and s.is_readable:
                found[_identity(s.row)] = s.row
        return found

    def before(self, row: LedgerRow) -> LedgerRow | None:
        """What the ledger said of the same thing, latest."""
        return self._old.get(_identity(row))

    def bench_before(self, b: Bench) -> Bench | None:
        """The last old bench of the same model, chip, positions and kind of plan."""
        new = {s.id for s in self.new}
        old = [s for s in self.by_id.values() if s.kind == "bench" and s.id not in new]
        found = [s.entry for s in sorted(old, key=lambda s: s.date) if s.is_readable]
        same = [x for x in found if isinstance(x, Bench) and x.setting == b.setting]
        return same[-1] if same else None


def _identity(r: LedgerRow) -> tuple[str, ...]:
    return (r.kind, r.chip, r.work, r.route, r.geometry)


def flags(lines: Lines, problems: Iterable[Problem] = ()) -> list[Flag]:
    """Every flag of the new lines, those that block first, then by file and line."""
    found = [Flag(p.file, p.line, p.code, p.message, True) for p in problems]
    for s in lines.new:
        if isinstance(s.entry, Bench):
            said = _bench(s.entry, lines)
        elif s.is_decision or s.is_row:
            said = _decision(s.decision, lines) if s.is_decision else _row(s.row, lines)
        else:
            continue
        found += [Flag(s.file, s.line, code, message, blocks) for code, message, blocks in said]
    return in_order(set(found))


def in_order(flags: Iterable[Flag]) -> list[Flag]:
    """Those that block first, then by file and line."""
    return sorted(flags, key=lambda f: (not f.blocks, f.file, f.line, f.code, f.message))


Said = tuple[str, str, bool]
"""Code, message, whether it blocks."""


def synthetic(model: str) -> bool:
    """True for the name that `boltbeam synth` gives a model: its weights are random."""
    return "(synthetic" in model


# ---- rows --------------------------------------------------------------------------------------


def _row(r: LedgerRow, lines: Lines) -> Iterator[Said]:
    cited = r.id in lines.cited
    about = f"{r.route} for {r.work}" if r.route else r.kind
    if r.dirty or (cited and not r.commit):
        tree = "a working tree with changes" if r.dirty else "an unknown commit"
        yield "dirty", f"row {r.id} was measured from {tree}", cited
    yield from _state(r, about, cited)
    if r.verdict is Verdict.impossible or (r.pct_of_floor or 0) > CEILING_PCT:
        share = f"{r.pct_of_floor:g} % of the measured read rate" if r.pct_of_floor else r.detail
        yield "ceiling", f"{about}: {share}", cited or r.verdict is not Verdict.impossible
    if (old := lines.before(r)) is not None:
        yield from _changed(r, old)


def _state(r: LedgerRow, about: str, cited: bool) -> Iterator[Said]:
    """Of the machine, as the row recorded it."""
    if r.throttled:
        yield "throttled", f"{about}: the chip throttled while it was timed", cited
    for said in unrest(r):
        yield "unrested", f"{about}: {said}", False
    if r.cold_ratio is not None and r.cold_ratio < COLD_FACTOR and (r.copies or 0) < COPIES_MAX:
        said = f"operands were {r.cold_ratio:g} x the last-level cache, {COLD_FACTOR:g} is cold"
        yield "unrested", f"{about}: {said}", False


def unrest(r: LedgerRow | Bench) -> list[str]:
    """What else the machine had to do while a row was measured, as far as it was told."""
    told = (
        (r.load, LOAD_MAX, "load {:g} a core when it ended, limit {:g}"),
        (r.waiting_share, WAITING_MAX, "tasks waited for a core {:.0%} of the time, limit {:.0%}"),
        (r.stalled_share, STALLED_MAX, "tasks waited for memory {:.0%} of the time, limit {:.0%}"),
    )
    return [text.format(v, limit) for v, limit, text in told if v is not None and v > limit]


def _changed(r: LedgerRow, old: LedgerRow) -> Iterator[Said]:
    """What differs from the last time the same thing was measured on that chip."""
    for name in SOFTWARE:
        was, now = getattr(old, name), getattr(r, name)
        if was and now and was != now:
            yield "version", f"{name} {was} -> {now} since row {old.id}", False
    if r.kind == "probe":
        a, b = old.measured.get("read_gbps"), r.measured.get("read_gbps")
        if a and b and abs(b.value / a.value - 1) > RATE_CHANGE:
            said = f"read rate {a.value:g} -> {b.value:g} {b.unit} since row {old.id}"
            yield "chip", f"{said}: another chip, or not at rest", False
    elif r.clock_mhz and old.clock_mhz and abs(r.clock_mhz / old.clock_mhz - 1) > RATE_CHANGE:
        said = f"clock {old.clock_mhz:g} -> {r.clock_mhz:g} MHz since row {old.id}"
        yield "unrested", said, False


# ---- benches -----------------------------------------------------------------------------------


def _bench(b: Bench, lines: Lines) -> Iterator[Said]:
    """The README's results rest on it, so that its tree must be known."""
    if b.dirty or not b.commit:
        tree = "a working tree with changes" if b.dirty else "an unknown commit"
        yield "dirty", f"bench {b.id} was measured from {tree}", True
    if b.throttled:
        yield "throttled", f"bench {b.id}: the chip throttled while it was timed", False
    for said in unrest(b):
        yield "unrested", f"bench {b.id}: {said}", False
    if b.turns < TURNS_MIN:
        yield "turns", f"bench {b.id}: {b.turns} turns, a promotion has {TURNS_MIN}", False
    for e in b.engines:
        if (e.spread or 0.0) > SPREAD_MAX:
            said = f"{e.engine}: its turns spread by {e.spread:.1%}, limit {SPREAD_MAX:.0%}"
            yield "spread", said, False
    if (b.pct_of_floor or 0) > CEILING_PCT:
        yield "ceiling", f"bench {b.id}: {b.pct_of_floor:g} % of the measured read rate", True
    for m in b.members:
        row = lines.row(m.row)
        if row is not None and m.emitter_hash != row.emitter_hash:
            said = f"{m.route} for {m.work} ran by emitters that row {m.row} did not measure"
            yield "emitters", said, False


# ---- decisions ---------------------------------------------------------------------------------


def _decision(d: Decision, lines: Lines) -> Iterator[Said]:
    if d.kind == "plan":
        yield from _gates(d, lines)
        yield from _scope(d, lines)
        yield from _members(d, lines)
    if d.kind == "refute":
        yield from _refutation(d, lines)


def _refutation(d: Decision, lines: Lines) -> Iterator[Said]:
    """Its number must be that of its rows, which must not say faster unless a rival is cited."""
    cited = lines.rows(d.evidence)
    own = [r for r in cited if r.route == d.scope.route]
    rivals = [r for r in cited if r.route != d.scope.route]
    if not own or d.number is None:
        return
    last = own[-1]
    derived = last.interval.mid if last.interval else last.number
    if rivals and last.interval and rivals[0].interval:
        derived = last.interval.mid / rivals[0].interval.mid
    if derived is not None and abs(d.number / derived - 1 if derived else d.number) > LAST_DIGIT:
        yield "unfounded", f"its number is {d.number:g}, its rows give {derived:.4g}", bool(rivals)
    if not rivals and last.verdict is Verdict.faster:
        said = f"row {last.id} says faster ({last.interval.mid:g})" if last.interval else last.id
        yield "unfounded", f"{said}; no row of a faster route is cited", False


def _gates(d: Decision, lines: Lines) -> Iterator[Said]:
    """Whole token and reference tokens, on real weights, against what it replaces."""
    token, before = lines.token_row(d), lines.plan_before(d)
    for said in _lacking(d, lines):
        yield "no-token-gate", said, True
    rows = [*([token] if token else []), *lines.rows(m.row for m in d.members)]
    if made := next((r.model for r in rows if synthetic(r.model)), ""):
        yield "synthetic", f"rests on rows of {made}, whose weights are random", True
    if token is None:
        yield "no-token-gate", "cites no row of a whole token of this plan", True
        return
    if not token.tokens_passed:
        yield "no-token-gate", f"tokens of row {token.id}: {token.tokens or 'untested'}", True
    ratio = f" at {token.interval.mid:g} of {token.incumbent}'s time" if token.interval else ""
    if token.verdict is Verdict.slower or (token.interval and token.interval.mid > 1):
        yield "worse", f"the whole token of row {token.id} is slower{ratio}", True
    elif token.verdict is not Verdict.faster:
        yield "ambiguous", f"the whole token of row {token.id} is {token.verdict}{ratio}", True
    if before is not None and token.incumbent == STOCK:
        said = f"takes the place of plan {before.id}, but its token was timed against stock only"
        yield "not-compared", said, True


def _lacking(d: Decision, lines: Lines) -> Iterator[str]:
    """Gates that `promote` writes whatever they say, and which the plan is without."""
    if not any(REFEREE.fullmatch(name) for name in d.gates):
        yield "no gate compared its tokens with the reference"
    scheduled = all(m.route == SCHEDULED for m in d.members)
    for name in ("quality", TOKEN, SLOWEST, "proof", *(() if scheduled else ("scope",))):
        if name not in d.gates:
            yield f"has no gate '{name}'"
    token, members = lines.token_row(d), lines.rows(m.row for m in d.members)
    kinds = {*(m.numerics for m in d.members), *(r.numerics for r in members)}
    g = d.gates.get("quality")
    if (
        "q8_activations" in kinds
        and g
        and (g.number is None or g.limit is None or g.number > g.limit)
    ):
        yield "its activations are int8, but its gate 'quality' holds no number against a limit"
    files = {r.header_hash for r in ([token] if token and token.header_hash else members)}
    if files & lines.recorded and f"tokens, {RECORDED}" not in d.gates:
        yield f"has no gate 'tokens, {RECORDED}', whose tokens are there for its model"


def _scope(d: Decision, lines: Lines) -> Iterator[Said]:
    """One chip and one tinygrad for the plan, its rows and what it replaces."""
    for name in dict.fromkeys((*d.evidence, *(m.row for m in d.members))):
        r = lines.row(name)
        if r is None:
            continue
        if r.chip != d.scope.chip:
            yield "chip", f"rests on row {r.id} of {r.chip}, the plan is for {d.scope.chip}", True
        if d.scope.tinygrad and r.tinygrad != d.scope.tinygrad:
            said = f"rests on row {r.id} of tinygrad {r.tinygrad or '?'}"
            yield "version", f"{said}, the plan is for {d.scope.tinygrad}", True
    before = lines.plan_before(d)
    if before is None:
        return
    if before.scope.chip != d.scope.chip:
        yield "chip", f"replaces plan {before.id} of {before.scope.chip}", True
    if before.scope.tinygrad != d.scope.tinygrad:
        was, now = before.scope.tinygrad or "?", d.scope.tinygrad or "?"
        yield "version", f"tinygrad {was} -> {now} since plan {before.id}", False


def _members(d: Decision, lines: Lines) -> Iterator[Said]:
    """A member that is not faster alone may have to run; a person should know of it."""
    before = lines.plan_before(d)
    old_us = (
        {m.work: us for m in before.members if (us := time_us(lines.row(m.row)))} if before else {}
    )
    for m in d.members:
        r = lines.row(m.row)
        if r is None:
            continue
        if r.verdict is not Verdict.faster:
            yield "ambiguous", f"{m.route} for {m.work}: row {r.id} says '{r.verdict}'", False
        us, old = time_us(r), old_us.get(m.work)
        if us and old and us > WORSE * old:
            yield "worse", f"{m.route} for {m.work}: {old:.4g} -> {us:.4g} us", False


def time_us(row: LedgerRow | None) -> float | None:
    """Median microseconds of what a row measured."""
    return median(row.candidate_us) if row is not None and row.candidate_us else None
