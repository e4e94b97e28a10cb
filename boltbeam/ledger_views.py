"""What the `ledger` commands print: check, show, diff, export.

Takes parsed arguments, gives printed data. Never writes but what export copies.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from boltbeam import ledger, ledger_check, ledger_review, registry, report, review
from boltbeam.ledger import Layers
from boltbeam.ledger_check import Found, Problem
from boltbeam.types import BoltbeamError, GateFailed, LedgerRow


def ledger_dirs(ledger_dir: Path | None) -> list[Path]:
    """The folder that was named, or every layer that exists."""
    if ledger_dir is not None:
        if not ledger_dir.is_dir():
            raise BoltbeamError(f"ledger {ledger_dir}: no such folder")
        return [ledger_dir]
    return [x.path for x in Layers.find().layers if x.path.is_dir()]


def check(base: str | None, ledger_dir: Path | None, render: bool) -> None:
    """Problems of ledger files, one per line. GateFailed when there are any."""
    folders, lines = ledger_dirs(ledger_dir), 0
    problems = []
    with ledger.uncollected():
        for f in folders:
            rev = base if f == folders[-1] else None
            known = known_ids(folders, f)
            found = ledger_check.checked(f, registry.protocols(), rev, known)
            problems += found.problems
            lines += len(found.lines)
            if render and f == folders[-1]:
                problems += source_problems(f, rev, found.lines)
    for p in problems:
        print(p)
    if problems:
        raise GateFailed(f"ledger: {len(problems)} problem(s)")
    report.say(f"ledger: {lines} lines, all well")


def source_problems(folder: Path, base: str | None, lines: Sequence[Found]) -> list[Problem]:
    """Kernel rows whose source hash is not what renders now; with a base, only of added files."""
    from boltbeam import rerender

    added = None
    if base is not None:
        touched = ledger_review.changes(folder, base, None)
        added = {name for change, name in touched if change == "added"}
    rows = {
        e.id: (file, line, e)
        for file, line, e in lines
        if isinstance(e, LedgerRow) and e.source_hash and (added is None or file in added)
    }
    found = rerender.differences([row for _, _, row in rows.values()])
    return [Problem(*rows[i][:2], d.code, d.message) for i, d in found.items() if d.blocks]


def known_ids(folders: Sequence[Path], above: Path) -> set[str]:
    """Ids of entries in the layers below a folder."""
    lower = folders[: folders.index(above)]
    paths = [path for f in lower for path in ledger.files(f)]
    return {s.id for path in paths for s in ledger.read_stored(path, 0, path.name)}


def show(entry: str | None, chip: str | None, ledger_dir: Path | None, fmt: str) -> None:
    """One entry whole, or all in words."""
    layers = Layers.find(ledger_dir=ledger_dir)
    if entry is not None:
        stored = ledger_review.show(layers, entry)
        if fmt == "md":
            print(f"{ledger_review.in_words(stored.entry)}\n({stored.file} line {stored.line})\n")
        return report.record(stored.entry.model_dump(mode="json", exclude_defaults=True), fmt)
    rows = []
    for s in layers.stored():
        where = s.entry.chip if isinstance(s.entry, LedgerRow) else s.entry.scope.chip
        if chip is None or where == chip:
            rows.append(
                {"id": s.entry.id, "date": s.entry.date, "says": ledger_review.in_words(s.entry)}
            )
    return report.table(rows, fmt, "Ledger")


def diff(base: str, head: str | None, ledger_dir: Path | None, render: bool, fmt: str) -> None:
    """What a branch does to the ledger. GateFailed where a red flag blocks."""
    rendered = None
    if render:
        from boltbeam import rerender

        rendered = rerender.differences
    folder = ledger_dirs(ledger_dir)[-1]
    with ledger.uncollected():
        found = review.review(folder, base, head, registry.protocols(), rendered)
    if fmt == "md":
        print(review.markdown(found, f"{base}..{head or 'here'}"))
    else:
        report.record(found.data(), fmt)
    if found.blocking:
        raise GateFailed(f"ledger diff: {found.blocking} red flag(s) block")


def export(to: Path, ledger_dir: Path | None) -> None:
    """Copy files into a checkout."""
    written = ledger_review.export(Layers.find(ledger_dir=ledger_dir), to)
    for path in written:
        print(path)
    report.say(f"{len(written)} file(s) copied; commit them and open a pull request")
