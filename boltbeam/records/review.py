"""What a branch does to the ledger, in the order a reviewer asks: counts, decisions, token, flags.

Takes a ledger folder and git revisions, gives a Review and its Markdown. Never writes, never says
that a change is good: it shows the numbers and where to look.
"""

from __future__ import annotations

import contextlib
import io
import tarfile
import tempfile
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from statistics import median
from typing import Any

from boltbeam import report
from boltbeam.models.plan import short
from boltbeam.records import copies, ledger_check, red_flags, standing
from boltbeam.records.benches import PEERS, Bench
from boltbeam.records.claims import Closing
from boltbeam.records.entries import STOCK, Decision, LedgerRow, Member
from boltbeam.records.ledger import Stored, files, readable
from boltbeam.records.ledger_review import changes, git_bytes, parting, text_at
from boltbeam.records.ledger_touched import Problem, touched
from boltbeam.records.red_flags import Difference, Flag, Lines, time_us
from boltbeam.types import Protocol

ROWS_MAX = 25
"""Rows that are shown one by one; the rest is counted."""
SAME_MAX = 3
"""Flags of one kind and file to look at that are shown one by one."""
Rendered = Callable[[Sequence[LedgerRow]], Mapping[str, Difference]]
"""Rows -> id of each whose source is not what was rendered again, and how."""
Table = list[dict[str, Any]]


@dataclass(frozen=True)
class Review:
    """Everything that is new between two revisions."""

    files: int
    lines: int
    counts: dict[str, int]
    """Verdict of rows, kind of everything else -> how many."""
    decisions: Table
    members: Table
    """One row per step of every new plan or rollback: what ran before, what runs now."""
    refuted: Table
    """The rows that new refutations rest on."""
    tokens: Table
    benches: Table
    """Whole engines in turns: the plan's rate now and before, its ratio to each peer."""
    rows: Table
    """New kernel rows that no new plan cites, those that matter most to a token first."""
    rows_left_out: int
    flags: tuple[Flag, ...]
    unrendered: int
    """New rows whose kernels nobody rendered again."""

    @property
    def blocking(self) -> int:
        return sum(f.blocks for f in self.flags)

    def data(self) -> dict[str, Any]:
        """For programs."""
        return asdict(self)


def review(
    folder: Path,
    base: str,
    head: str | None,
    protocols: Mapping[str, Protocol],
    rendered: Rendered | None = None,
    recorded: Collection[str] = (),
) -> Review:
    """Compare the ledger in `folder` with `base`; `head` names a revision instead of the files.

    `recorded`: header hashes of the model files whose tokens another engine recorded.
    BoltbeamError: no git, no such revision.
    """
    changed = changes(folder, base, head)
    problems = touched(folder, base, head, changed)
    with snapshot(folder, head) as here:
        added = [here / name for change, name in changed if change == "added"]
        wrong, found = ledger_check.read(here, [p for p in added if p.is_file()])
        stored = _stored(here, {here / name for change, name in changed if change == "changed"})
    stored += _as_they_were(folder, base, head, changed)
    names = {p.relative_to(here).as_posix() for p in added}
    whole = {(file, line) for file, line, _ in found}
    new = tuple(s for s in stored if (s.file, s.line) in whole)
    lines = Lines(new, {s.id: s for s in reversed(stored)}, frozenset(recorded))
    cited = {name for s in new if s.is_decision for name in _cited(s.decision)}
    cited |= {s.entry.prediction for s in new if isinstance(s.entry, Closing)}
    cited |= {name for s in new if isinstance(s.entry, Bench) for name in s.entry.cited}
    cited |= {name for s in new if s.kind == "token" for name in s.row.members}
    entries = {
        i: s.entry
        for i, s in lines.by_id.items()
        if (s.file in names or i in cited) and s.is_readable
    }
    wrong += list(copies.duplicates(new, stored))
    wrong += ledger_check.check_entries(found, protocols, entries)
    flags = red_flags.flags(lines, [*problems, *_once(wrong)])
    kernels = [s.row for s in new if s.kind == "kernel" and s.row.source_hash]
    if rendered is not None:
        flags = red_flags.in_order([*flags, *_sources(lines, kernels, rendered)])
    lost = [r for s in new if s.kind == "refute" for r in lines.rows(s.decision.evidence)]
    told = lines.cited | {r.id for r in lost}
    apart = [s.row for s in new if s.kind == "kernel" and s.id not in told]
    shown = sorted(apart, key=_weight)
    return Review(
        files=len(added),
        lines=len(found),
        counts=_counts(new),
        decisions=[_decision(s) for s in new if s.is_decision],
        members=[r for s in new if s.is_decision for r in _members(s.decision, lines)],
        refuted=[_kernel(r) for r in lost],
        tokens=list(_tokens(lines)),
        benches=[_bench(s.entry, lines) for s in new if isinstance(s.entry, Bench)],
        rows=[_kernel(r) for r in shown[:ROWS_MAX]],
        rows_left_out=max(0, len(shown) - ROWS_MAX),
        flags=tuple(flags),
        unrendered=0 if rendered is not None else len(kernels),
    )


@contextlib.contextmanager
def snapshot(folder: Path, head: str | None) -> Iterator[Path]:
    """The ledger folder, or a copy of it as it was at a revision."""
    if head is None:
        yield folder
        return
    with tempfile.TemporaryDirectory() as made:
        packed = io.BytesIO(git_bytes(folder, "archive", "--format=tar", head, "."))
        with tarfile.open(fileobj=packed) as tar:
            for member in tar:
                if (data := tar.extractfile(member)) is not None:
                    path = Path(made) / member.name
                    path.parent.mkdir(parents=True, exist_ok=True)
                    path.write_bytes(data.read())
        yield Path(made)


def _stored(here: Path, skip: Collection[Path]) -> list[Stored]:
    """Every line that can be read; what is broken in old files is told by `ledger check`."""
    return [
        line
        for path in files(here)
        if path not in skip
        for line in readable(path.read_bytes(), path.relative_to(here).as_posix())
    ]


def _as_they_were(
    folder: Path, base: str, head: str | None, changed: Sequence[tuple[str, str]]
) -> list[Stored]:
    """The lines of files that were changed or removed, before that: what new lines may cite."""
    return [
        line
        for change, name in changed
        if change != "added"
        for line in readable(text_at(folder, name, parting(folder, base, head)).encode(), name)
    ]


def _cited(d: Decision) -> tuple[str, ...]:
    return (*d.evidence, *(m.row for m in d.members), d.replaces, d.restores)


def _once(problems: Iterable[Problem]) -> list[Problem]:
    return list(dict.fromkeys(problems))


def _sources(lines: Lines, kernels: Sequence[LedgerRow], rendered: Rendered) -> Iterator[Flag]:
    where = {s.id: s for s in lines.new}
    for name, d in rendered(kernels).items():
        blocks = d.blocks or (d.code == "source" and name in lines.cited)
        yield Flag(where[name].file, where[name].line, d.code, d.message, blocks)


# ---- what is shown -----------------------------------------------------------------------------


def _counts(new: Iterable[Stored]) -> dict[str, int]:
    def kind(s: Stored) -> str:
        if not s.is_row or s.row.verdict is None:
            return s.kind
        return f"{s.kind} {s.row.verdict}"

    return dict(sorted(Counter(kind(s) for s in new).items()))


def _weight(r: LedgerRow) -> tuple[float, str]:
    us = time_us(r) or 0.0
    return (-us * (r.count or 1) if r.verdict == "faster" else 0.0, r.id)


def ratio(r: LedgerRow) -> str:
    """Median block ratio with its interval; '' where there is none."""
    iv = r.interval
    return "" if iv is None else f"{iv.mid:.4g} [{iv.low:.4g}, {iv.high:.4g}]"


def state(r: LedgerRow | Bench) -> str:
    """The machine while a row was measured: clock, rest, how cold, how noisy."""
    said = [] if r.clock_mhz is None else [f"{r.clock_mhz:g} MHz"]
    said += ["throttled"] if r.throttled else []
    said += [] if r.load is None else [f"load {r.load:.2g}"]
    if isinstance(r, Bench):
        return ", ".join(said) or "not recorded"
    said += [] if r.cold_ratio is None else [f"cold {r.cold_ratio:.2g}x"]
    said += [] if r.aa_spread is None else [f"A/A {r.aa_spread:.2%}"]
    return ", ".join(said) or "not recorded"


def _kernel(r: LedgerRow) -> dict[str, Any]:
    old = median(r.incumbent_us) if r.incumbent_us else None
    return {
        "work": short(r.work),
        "a token": r.count,
        "route": r.route,
        "verdict": f"{r.verdict}" + ("" if r.interval else f": {r.reason}"),
        f"{r.incumbent or STOCK} µs" if r.incumbent != STOCK else "stock µs": old,
        "µs": time_us(r),
        "ratio": ratio(r),
        "% of ceiling": r.pct_of_floor,
        "state": state(r) if r.candidate_us else "",
        "row": r.id,
    }


def _decision(s: Stored) -> dict[str, Any]:
    d = s.decision
    names = {"plan": "promoted", "rollback": "demoted"}
    names |= {"refute": "refuted", "reopen": "reopened"}
    what = f"plan {d.scope.plan_key}" if d.scope.plan_key else d.scope.route
    if d.scope.work:
        what += f" for {short(d.scope.work)}"
    reason = d.reason
    if d.number is not None:
        reason += f" ({d.number:g}" + ("" if d.limit is None else f" against {d.limit:g}") + ")"
    reason += f"; reopen if {d.reopen_if}" if d.reopen_if else ""
    gone = "" if d.replaces in ("", STOCK) else d.replaces
    return {
        "now": names[d.kind],
        "what": what,
        "chip": d.scope.chip,
        "in place of": gone or ("stock" if d.kind == "plan" else ""),
        "restores": d.restores,
        "why": reason,
        "who": d.author,
        "line": f"{s.file}:{s.line}",
    }


def _members(d: Decision, lines: Lines) -> Iterator[dict[str, Any]]:
    """Step by step what a plan, or a rollback, puts in the place of what."""
    if d.kind not in ("plan", "rollback"):
        return
    before, after = lines.plan_before(d), standing.holder(d, lines.decision)
    old = {m.work: m for m in before.members} if before else {}
    new = {m.work: m for m in after.members} if after else {}
    for work in dict.fromkeys((*new, *old)) if d.kind == "rollback" else new:
        yield _step(old.get(work), new.get(work), lines)


def _step(was: Member | None, now: Member | None, lines: Lines) -> dict[str, Any]:
    """One work item: either side may be stock, whose time is that of the other's comparison."""
    a, b = (lines.row(m.row) if m else None for m in (was, now))
    old_us, new_us = (time_us(a) if was else _stock_us(b)), (time_us(b) if now else _stock_us(a))
    member = now or was
    assert member is not None
    missing = "row is missing" if now else ""
    return {
        "work": short(member.work),
        "a token": member.count,
        "before": was.route if was else STOCK,
        "now": now.route if now else STOCK,
        "old µs": old_us if old_us is not None else _stock_us(b),
        "new µs": new_us,
        "of stock's time": ratio(b) if b else "",
        "% of ceiling": b.pct_of_floor if b else None,
        "verdict": str(b.verdict) if b else missing,
        "state": state(b) if b else "",
        "row": now.row if now else "",
    }


def _stock_us(r: LedgerRow | None) -> float | None:
    return median(r.incumbent_us) if r is not None and r.incumbent_us else None


def _tokens(lines: Lines) -> Iterator[dict[str, Any]]:
    """Measured whole tokens; of a model without one, what its nominated kernels add up to: those of
    each file apart, which is one search of one context."""
    rows = {s.id: s.row for s in lines.new if s.kind == "token"}
    floors: dict[str, float] = {}
    for d in (s.decision for s in lines.new if s.kind == "plan"):
        if (row := lines.token_row(d)) is not None:
            rows.setdefault(row.id, row)
        if (floor := _floor_us(d, lines)) is not None:
            floors |= dict.fromkeys(d.evidence, floor)
    yield from (_token(r, floors.get(r.id)) for r in rows.values())
    measured = {(r.chip, r.header_hash) for r in rows.values()}
    groups: dict[tuple[str, str, str], list[LedgerRow]] = {}
    for s in lines.new:
        if s.kind == "kernel" and s.row.decision == "nominated" and s.row.candidate_us:
            groups.setdefault((s.chip, s.row.header_hash, s.file), []).append(s.row)
    for (chip, model, file), nominated in sorted(groups.items()):
        if (chip, model) not in measured:
            yield _sum(nominated, file)


def _sum(rows: Sequence[LedgerRow], file: str) -> dict[str, Any]:
    old = sum((r.count or 1) * median(r.incumbent_us) for r in rows) / 1e3
    new = sum((r.count or 1) * median(r.candidate_us) for r in rows) / 1e3
    said: dict[str, Any] = {"ratio": f"{new / old:.4g}", "tokens": "untested"}
    said |= {"model": rows[0].model, "tok/s": None}  # nobody knows whether they are all of a token
    what = f"not timed: sum of nominated kernels ({len(rows)}) of {file}"
    return _token_cells(what, rows[0].incumbent, old, new) | said


def _floor_us(d: Decision, lines: Lines) -> float | None:
    """What the bytes of a plan's members alone take in one token; None: not all are known."""
    floors = [(m.count, r.floor_us if (r := lines.row(m.row)) else None) for m in d.members]
    known = [n * us for n, us in floors if us is not None]
    return sum(known) if len(known) == len(floors) else None


def _token(r: LedgerRow, floor_us: float | None) -> dict[str, Any]:
    old = median(r.incumbent_us) / 1e3 if r.incumbent_us else None
    new = median(r.candidate_us) / 1e3 if r.candidate_us else None
    at = "" if r.position is None else f" from position {r.position}"
    return _token_cells(f"plan {r.plan_key}{at}: {r.verdict}", r.incumbent, old, new) | {
        "ratio": ratio(r),
        "% of ceiling": floor_us / new / 10 if floor_us and new else None,
        "tokens": r.tokens,
        "model": r.model or "not recorded",
        "state": state(r),
        "row": r.id,
    }


def _token_cells(what: str, against: str, old: float | None, new: float | None) -> dict[str, Any]:
    return {
        "whole token": what,
        "against": against,
        "old ms": old,
        "new ms": new,
        "tok/s": None if not new else 1e3 / new,
        "ratio": "",
        "% of ceiling": None,
        "tokens": "",
        "model": "",
        "state": "",
        "row": "",
    }


def _bench(b: Bench, lines: Lines) -> dict[str, Any]:
    ours, before = b.ours, lines.bench_before(b)
    others = [f"{e.engine} {b.tok_s(e):g}" for e in b.engines if e is not ours]
    return {
        "whole engines": b.model,
        "ran": "no plan" if ours is None else f"{ours.engine} {b.plan}".strip(),
        "positions": f"{b.depth} to {b.depth + b.n_gen} of {b.context}",
        "tok/s": ours and b.tok_s(ours),
        "before": before and before.ours and before.tok_s(before.ours),
        **{f"÷ {called}": b.ratio(peer) for peer, called in PEERS.items()},
        "% of ceiling": b.pct_of_floor,
        "in turns with": ", ".join(others),
        "turns": b.turns,
        "spread": f"{b.spread:.1%}",
        "state": state(b),
        "bench": b.id,
    }


# ---- as Markdown -------------------------------------------------------------------------------


def blocks(flags: int) -> str:
    """`1 red flag blocks`, `2 red flags block`."""
    return f"{report.count(flags, 'red flag')} block{'s' if flags == 1 else ''}"


def markdown(r: Review, span: str) -> str:
    """The review as a reviewer reads it; the first line says how many flags there are."""
    head = f"## Ledger {span}"
    if not r.lines and not r.flags:
        return f"{head}\n\nNo ledger line is new."
    blocking, rest = r.blocking, len(r.flags) - r.blocking
    said = f"{report.count(r.lines, 'new line')} in {report.count(r.files, 'file')}; "
    flags = f"**{blocks(blocking)}**, {rest} more to look at"
    said += flags if r.flags else "no red flags"
    counts: Table = [{"lines": k, "how many": n} for k, n in r.counts.items()]
    parts = [head, said, report.markdown(counts) if counts else ""]
    parts += _section("Promoted, demoted, refuted", r.decisions, "No decision is new.")
    parts += _section("What runs now", r.members)
    parts += _section("What was refuted, on these rows", r.refuted)
    parts += _section("The whole token", r.tokens, "No whole token was measured.")
    parts += _section("Whole engines, in turns", r.benches)
    parts += _section("New kernel rows", r.rows)
    if r.rows_left_out:
        parts.append(f"… and {r.rows_left_out} more.")
    parts += _section("Red flags", _flag_table(r.flags), "None.")
    parts.append("\n".join(f"* {c}: {red_flags.CODES[c]}" for c in _codes(r.flags)))
    if r.unrendered:
        parts.append(
            f"Kernels whose source was not rendered again: {r.unrendered}; say `--render`."
        )
    return "\n\n".join(p for p in parts if p)


def _codes(flags: Iterable[Flag]) -> Iterable[str]:
    """Each code once, in the order of the table."""
    return dict.fromkeys(f.code for f in flags)


def _flag_table(flags: Sequence[Flag]) -> Table:
    """Every flag that blocks; of one kind to look at, so many per file."""
    table: Table = []
    seen: Counter[tuple[str, str]] = Counter()
    for f in flags:
        seen[f.file, f.code] += not f.blocks
        if f.blocks or seen[f.file, f.code] <= SAME_MAX:
            how = "blocks" if f.blocks else "look"
            table.append({"": how, "where": f.where, "flag": f.code, "what": f.message})
    for (file, code), n in seen.items():
        if n > SAME_MAX:
            said = f"… and {n - SAME_MAX} more lines of this file"
            table.append({"": "look", "where": file, "flag": code, "what": said})
    return table


def _section(title: str, rows: Table, without: str = "") -> list[str]:
    """A table without the columns that are empty in all its rows."""
    if not rows:
        return [f"### {title}", without] if without else []
    empty = (None, "")
    names = [n for n in rows[0] if any(r.get(n) not in empty for r in rows)]
    return [f"### {title}", report.markdown([{n: r.get(n) for n in names} for r in rows])]
