"""What `show` and the `ledger` commands print: check, show, diff, export.

Takes parsed arguments, gives printed data. Never writes but what export copies, and a cubin.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from boltbeam import registry, report
from boltbeam.files import write_whole
from boltbeam.records import ledger, ledger_check, ledger_review
from boltbeam.records.benches import Bench
from boltbeam.records.entries import LedgerRow
from boltbeam.records.ledger import Layers, Stored
from boltbeam.records.ledger_check import Found
from boltbeam.records.ledger_touched import Problem
from boltbeam.types import BoltbeamError, GateFailed

if TYPE_CHECKING:
    from boltbeam.commands.rerender import Kernel


def ledger_dirs(ledger_dir: Path | None) -> list[Path]:
    """The folder that was named, or every layer that exists."""
    layers = Layers.find(ledger_dir=ledger_dir).layers
    return [x.path for x in layers if x.path.is_dir() and ledger_dir in (None, x.path)]


def check(base: str | None, ledger_dir: Path | None, render: bool) -> None:
    """Problems of ledger files, one per line. GateFailed when there are any."""
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # NumPy's threads cost more than they give
    folders, lines = ledger_dirs(ledger_dir), 0
    layers = [x.path for x in Layers.find(ledger_dir=ledger_dir).layers]
    problems = []
    with ledger.uncollected():
        for f in folders:
            rev = base if f == folders[-1] else None
            known = known_ids(layers, f)
            found = ledger_check.check(f, registry.protocols(), rev, known)
            problems += found.problems
            lines += len(found.lines)
            if render and f == folders[-1]:
                problems += source_problems(f, rev, found.lines)
    for p in problems:
        print(p)
    if problems:
        raise GateFailed(f"ledger: {len(problems)} problem(s)")
    report.say(f"ledger: {lines} lines, all well")


def doubts(layers: Layers, chip: str = "") -> str:
    """Which lines (of a chip) `ledger check` refuses, in one line for those who read them all the
    same; '' where all are sound."""
    paths, protocols = [x.path for x in layers.layers], registry.protocols()
    lines: dict[str, set[int]] = {}
    codes: dict[str, set[str]] = {}
    with ledger.uncollected():
        for x in layers.layers:
            if not x.path.is_dir():
                continue
            for p in ledger_check.check(x.path, protocols, None, known_ids(paths, x.path)).problems:
                if p.file.startswith(f"{chip}/" if chip else ""):
                    lines.setdefault(f"{x.name}/{p.file}", set()).add(p.line)
                    codes.setdefault(f"{x.name}/{p.file}", set()).add(p.code)
    said = [
        f"{len(numbers - {0}) or 'all'} line(s) of {file} ({', '.join(sorted(codes[file]))})"
        for file, numbers in lines.items()
    ]
    more = [f"{len(said) - FILES_TOLD} more files"] if len(said) > FILES_TOLD else []
    told = "; ".join(said[:FILES_TOLD] + more)
    return f"not sound, and used all the same: {told}; boltbeam ledger check" if said else ""


FILES_TOLD = 3


def source_problems(folder: Path, base: str | None, lines: Sequence[Found]) -> list[Problem]:
    """Kernel rows whose source hash is not what renders now; with a base, only of added files."""
    from boltbeam.commands import rerender

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


def known_ids(layers: Sequence[Path], above: Path) -> set[str]:
    """Ids of entries in the layers below a folder, which its lines may cite. What is wrong with
    those lines is told where they are checked; the folder itself may be a layer below as well."""
    lower = [f for f in layers[: layers.index(above)] if f.resolve() != above.resolve()]
    paths = [(path, path.relative_to(f).as_posix()) for f in lower for path in ledger.files(f)]
    return {s.id for path, name in paths for s in ledger.readable(path.read_bytes(), name)}


def show(
    entry: str | None,
    chip: str | None,
    ledger_dir: Path | None,
    fmt: str,
) -> None:
    """One entry whole, or all in words."""
    layers = Layers.find(ledger_dir=ledger_dir)
    if entry is not None:
        stored = ledger_review.show(layers, entry)
        return _whole(stored, fmt)
    rows = []
    if chip is not None and all(s.chip != chip for s in layers.stored()):
        from boltbeam.search import machine

        chip = machine.find_chip(chip, layers).id
    for s in layers.stored():
        if chip in (None, s.chip):
            rows.append({"id": s.id, "date": s.date, "says": ledger_review.in_words(s.entry)})
    return report.table(rows, fmt, "Ledger")


def _whole(stored: Stored, fmt: str) -> None:
    """One line, in words and field by field; what a bench's engines took is a table."""
    entry = stored.entry
    fields = entry.model_dump(mode="json", exclude_defaults=True)
    if fmt != "md":
        return report.record(fields, fmt)
    print(f"{ledger_review.in_words(entry)}\n({stored.file} line {stored.line})\n")
    if not isinstance(entry, Bench):
        return report.record(fields)
    report.record({k: v for k, v in fields.items() if k != "engines"})
    print()
    return report.table(
        {
            "engine": e.engine,
            "version": e.version,
            "backends": e.backends,
            "tok/s": entry.tok_s(e),
            "ours ÷": entry.ratio(e.engine),
            "spread": f"{e.spread or 0.0:.1%}",
            "start s": e.start_s,
            "first token s": e.ttft_s,
            "s of each turn": e.samples_s,
        }
        for e in entry.engines
    )


def diff(base: str, head: str | None, ledger_dir: Path | None, render: bool, fmt: str) -> None:
    """What a branch does to the ledger. GateFailed where a red flag blocks."""
    from boltbeam.records import review

    rendered = None
    if render:
        from boltbeam.commands import rerender

        rendered = rerender.differences
    folder = ledger_dirs(ledger_dir)[-1]
    with ledger.uncollected():
        engines = registry.recorded_engines()
        found = review.review(folder, base, head, registry.protocols(), rendered, engines)
    if fmt == "md":
        print(review.markdown(found, f"{base}..{head or 'here'}"))
    else:
        report.record(found.data(), fmt)
    if found.blocking:
        raise GateFailed(f"ledger diff: {review.blocks(found.blocking)}")


def export(to: Path | None, database: Path | None, force: bool, ledger_dir: Path | None) -> None:
    """Copy files into a checkout, or write everything into one database."""
    if (to is None) == (database is None):
        raise BoltbeamError(
            "ledger export: name a file for a database (db.sqlite), or a checkout with --to; one "
            "of the two"
        )
    if database is not None:
        from boltbeam.records import ledger_query

        return ledger_query.export(database, ledger_dir, force)
    assert to is not None
    written = ledger_review.export(Layers.find(ledger_dir=ledger_dir), to)
    for path in written:
        print(path)
    if not written:
        return report.say("no file copied: the checkout has them all, or none is your own")
    return report.say(f"{len(written)} file(s) copied; commit them and open a pull request")


# ---- kernels ---------------------------------------------------------------------------------


def show_kernel(
    entry: str,
    source: bool,
    cubin: Path | None,
    model: Path | None,
    ledger_dir: Path | None,
    fmt: str,
) -> None:
    """A row's kernel as it was measured: its text on stdout, its machine code in a file.

    The text has no byte more, so that its sha256 begins with the row's `source_hash`.
    """
    if not source and cubin is None:
        return _show_all(entry, ledger_dir, fmt)
    from boltbeam.commands import kernel_source
    from boltbeam.commands.rerender import Kernel

    row = ledger_review.show(Layers.find(ledger_dir=ledger_dir), entry, "show").entry
    if not isinstance(row, LedgerRow):
        raise BoltbeamError(f"show {row.id}: a {row.kind} line has no kernel; name a kernel row")
    try:
        found = kernel_source.kernels(row, model)
    except BoltbeamError as e:
        kept = None if cubin is not None else _kept_source(row)
        if kept is None:
            raise
        report.say(f"boltbeam: {e}; this is the text that was kept when it was measured")
        found = (Kernel("", kept),)
    if cubin is not None:
        _write_cubins(row, found, cubin)
    if source and fmt != "md":
        texts = [{"name": k.name, "source": k.source} for k in found]
        return report.record({"id": row.id, "source_hash": row.source_hash, "kernels": texts}, fmt)
    if source:
        print("\n".join(k.source for k in found), end="", flush=True)
    return None


def _kept_source(row: LedgerRow) -> str | None:
    from boltbeam.records.store import Store
    from boltbeam.search import raw_samples

    with Store.existing() as store:
        return raw_samples.source(store, row.source_hash)


def _show_all(entry: str, ledger_dir: Path | None, fmt: str) -> None:
    """The ledger's line, and what this machine kept of it: raw samples, telemetry, the kernel."""
    from boltbeam.records.store import Store
    from boltbeam.search import raw_samples

    stored = ledger_review.show(Layers.find(ledger_dir=ledger_dir), entry, "show")
    row, samples, kernel = stored.entry, [], None
    if isinstance(row, LedgerRow):
        with Store.existing() as store:
            samples = raw_samples.of_row(store, row.id)
            kernel = raw_samples.source(store, row.source_hash)
    line = row.model_dump(mode="json", exclude_defaults=True)
    if fmt != "md":
        return report.record({**line, "samples": samples, "source": kernel}, fmt)
    _whole(stored, fmt)
    if isinstance(row, LedgerRow) and row.kind == "kernel":
        print("\n" + "\n".join(raw_samples.in_words(row, samples, kernel)))
    return None


def _write_cubins(row: LedgerRow, found: tuple[Kernel, ...], cubin: Path) -> None:
    from boltbeam.commands import kernel_source

    if not cubin.parent.is_dir():
        raise BoltbeamError(f"show: there is no folder {cubin.parent} to write {cubin.name} in")
    version, arch, made = kernel_source.compiled(row, found)
    for path, one in zip(kernel_source.paths(cubin, len(made)), made, strict=True):
        write_whole(path, one.cubin)
        needs = one.needs
        report.say(
            f"wrote {path} ({len(one.cubin):,} bytes): {one.name} for {arch} by NVRTC {version}, "
            f"{needs.registers} registers, {needs.spill_store_bytes} bytes spilled, "
            f"{needs.shared_bytes:,} bytes shared"
        )
