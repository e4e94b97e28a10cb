"""What a reviewer asks of ledger files: are they sound, what does a line say, what is new.

Takes folders of ledger files and git revisions, gives problems and sentences. Never writes, except
`export`, which copies whole files that are not there yet.
"""

from __future__ import annotations

import re
import shutil
import subprocess
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from boltbeam.decide import decide, interval
from boltbeam.ledger import Entry, Layers, Stored, checkout, content_id, dump, files, parse
from boltbeam.record import pct_of_floor
from boltbeam.types import (
    STOCK,
    TIMED,
    BoltbeamError,
    Decision,
    Interval,
    LedgerRow,
    Measurement,
    Protocol,
    Verdict,
)


@dataclass(frozen=True)
class Problem:
    """Something that is not as it must be, and where."""

    file: str
    line: int
    """0: the file as a whole."""
    code: str
    message: str

    def __str__(self) -> str:
        return f"{self.file}{f':{self.line}' if self.line else ''}: {self.code}: {self.message}"


def check(
    folder: Path,
    protocols: Mapping[str, Protocol],
    base_rev: str | None = None,
    known_ids: Collection[str] = (),
) -> list[Problem]:
    """All problems of the ledger files below `folder`; an empty list is a pass.

    Codes: `name`, `text`, `line`, `id`, `canonical`, `duplicate`, `chip`, `verdict`, `interval`,
    `floor`, `protocol`, `proof`, `evidence`, `replaces`, `touched`. `known_ids` are ids of lower
    layers that may be cited. BoltbeamError: no such folder or revision.
    """
    if not folder.is_dir():
        raise BoltbeamError(f"ledger check: no folder {folder}")
    problems: list[Problem] = []
    found: list[tuple[str, int, Entry]] = []
    for path in sorted(p for p in folder.rglob("*") if p.is_file() and p.name != ".gitkeep"):
        problems += _check_file(folder, path, found)
    problems += _check_ids(found)
    rows = {e.id: e for _, _, e in found if isinstance(e, LedgerRow)}
    decisions = {e.id: e for _, _, e in found if isinstance(e, Decision)}
    for file, line, entry in found:
        if isinstance(entry, LedgerRow):
            wrong = _check_row(entry, protocols)
        else:
            wrong = _check_decision(entry, rows, decisions, set(known_ids))
        problems += [Problem(file, line, code, message) for code, message in wrong]
    if base_rev is not None:
        problems += _check_touched(folder, base_rev)
    return sorted(problems, key=lambda p: (p.file, p.line, p.code))


def _check_file(folder: Path, path: Path, found: list[tuple[str, int, Entry]]) -> Iterator[Problem]:
    import hashlib

    name, data = path.relative_to(folder).as_posix(), path.read_bytes()
    match = re.fullmatch(r"[a-z0-9][\w.-]*/(\d{4}-\d\d-\d\d)-([0-9a-f]{8})\.jsonl", name)
    if not match:
        yield Problem(name, 0, "name", "not <chip>/<date>-<hash8>.jsonl")
    elif match[2] != hashlib.sha256(data).hexdigest()[:8]:
        yield Problem(name, 0, "name", "the content does not have the hash in the name: edited")
    if b"\r" in data or not data.endswith(b"\n"):
        yield Problem(name, 0, "text", "lines must end with LF, the last one too")
    try:
        lines = data.decode("utf-8").removesuffix("\n").split("\n")
    except UnicodeDecodeError as e:
        yield Problem(name, 0, "text", f"not UTF-8: {e.reason}")
        return
    for n, line in enumerate(lines, 1):
        try:
            entry = parse(line, "")
        except BoltbeamError as e:
            yield Problem(name, n, "line", str(e).removeprefix(": "))
            continue
        found.append((name, n, entry))
        if entry.id != content_id(entry):
            yield Problem(name, n, "id", f"id {entry.id} does not fit the content: edited")
        if dump(entry) != line:
            yield Problem(name, n, "canonical", "key order, digits or spacing is not canonical")
        if _chip(entry) != name.split("/")[0]:
            yield Problem(name, n, "chip", f"a line of {_chip(entry)} in another chip's folder")
        if match and n == 1 and entry.date[:10] != match[1]:
            yield Problem(name, n, "name", f"dated {entry.date[:10]}, the file {match[1]}")


def _chip(entry: Entry) -> str:
    return entry.chip if isinstance(entry, LedgerRow) else entry.scope.chip


def _check_ids(found: list[tuple[str, int, Entry]]) -> Iterator[Problem]:
    first: dict[str, str] = {}
    for file, line, entry in found:
        if entry.id in first:
            yield Problem(file, line, "duplicate", f"id {entry.id} stands in {first[entry.id]} too")
        first.setdefault(entry.id, f"{file}:{line}")


def _check_row(row: LedgerRow, protocols: Mapping[str, Protocol]) -> Iterator[tuple[str, str]]:
    if row.proof == "ok" and row.worst is not None and row.worst > 1:
        yield "proof", f"proof ok with worst error {row.worst} of the tolerance"
    if row.verdict is Verdict.wrong and row.proof == "ok":
        yield "proof", "verdict wrong, but the proof says ok"
    if row.verdict not in TIMED:
        return
    protocol = protocols.get(row.protocol)
    if protocol is None:
        yield "protocol", f"unknown protocol '{row.protocol}'; have {', '.join(sorted(protocols))}"
        return
    m, comparisons = measurement_of(row), row.comparisons or 1
    again = decide(m, protocol, row.floor_us, comparisons)
    if (again.verdict, again.reason) != (row.verdict, row.reason):
        yield (
            "verdict",
            f"says {row.verdict} ({row.reason}), its blocks say {again.verdict} ({again.reason})",
        )
    if not _same_interval(row.interval, interval(m, protocol, comparisons)):
        yield "interval", "the interval does not follow from the blocks"
    share = pct_of_floor(row.candidate_us, row.floor_us)
    if share != row.pct_of_floor:
        yield "floor", f"pct_of_floor is {row.pct_of_floor}, from floor and blocks {share}"


def measurement_of(row: LedgerRow) -> Measurement:
    """The measurement that a timed row records."""
    return Measurement(
        protocol=row.protocol,
        candidate_us=row.candidate_us,
        incumbent_us=row.incumbent_us,
        aa_spread=row.aa_spread or 0.0,
        stop_reason=row.stop_reason,
        copies=row.copies or 0,
        throttled=row.throttled,
    )


def _same_interval(a: Interval | None, b: Interval | None) -> bool:
    """Equal but for the last digit: medians and errors may round differently elsewhere."""
    if a is None or b is None:
        return a is b
    pairs = ((a.low, b.low), (a.mid, b.mid), (a.high, b.high))
    return all(abs(x - y) <= 2e-3 * max(abs(x), abs(y), 1e-6) for x, y in pairs)


def _check_decision(
    d: Decision,
    rows: Mapping[str, LedgerRow],
    decisions: Mapping[str, Decision],
    known: Collection[str],
) -> Iterator[tuple[str, str]]:
    for cited in d.evidence:
        row = rows.get(cited)
        if row is None and cited not in known:
            yield "evidence", f"cites row {cited}, which is nowhere"
        elif row is not None and row.chip != d.scope.chip:
            yield "evidence", f"cites row {cited} of another chip ({row.chip})"
    for m in d.members:
        row = rows.get(m.row)
        if row is None:
            continue
        if (m.work, m.route, m.geometry) != (row.work, row.route, row.geometry):
            yield "evidence", f"member {m.route} for {m.work} is not what row {m.row} measured"
        elif d.kind in ("plan", "promote") and row.verdict is not Verdict.faster:
            yield "evidence", f"member {m.route} rests on row {m.row}, which is '{row.verdict}'"
    for name in ("replaces", "restores"):
        other = getattr(d, name)
        if other and other != STOCK and other not in decisions and other not in known:
            yield "replaces", f"{name} decision {other}, which is nowhere"


# ---- against git -------------------------------------------------------------------------------


def _git(folder: Path, *args: str) -> str:
    try:
        done = subprocess.run(
            ["git", "-C", str(folder), *args], capture_output=True, text=True, check=False
        )
    except OSError:
        raise BoltbeamError("ledger: git is not installed; needed to compare revisions") from None
    if done.returncode:
        said = (done.stderr.strip().splitlines() or ["failed"])[0]
        raise BoltbeamError(f"ledger: git {args[0]}: {said}")
    return done.stdout


def _check_touched(folder: Path, base_rev: str) -> Iterator[Problem]:
    for change, name in _changes(folder, base_rev, None):
        if change != "added" and name.endswith(".jsonl"):
            yield Problem(name, 0, "touched", f"{change} since {base_rev}; files are only added")


def _changes(folder: Path, base: str, head: str | None) -> list[tuple[str, str]]:
    """(added | changed | removed, file) between two revisions, or a revision and the folder."""
    _git(folder, "rev-parse", "--verify", "--quiet", f"{base}^{{commit}}")
    span = [base] if head is None else [base, head]
    text = _git(
        folder, "diff", "--name-status", "--no-renames", "--relative", "-z", *span, "--", "."
    )
    words = text.split("\0")
    kinds = {"A": "added", "D": "removed"}
    out = [(kinds.get(a[:1], "changed"), b) for a, b in zip(words[::2], words[1::2], strict=False)]
    if head is None:
        new = _git(folder, "ls-files", "--others", "--exclude-standard", "-z", "--", ".")
        out += [("added", name) for name in new.split("\0") if name]
    return sorted((c, n) for c, n in out if n.endswith(".jsonl"))


def diff(folder: Path, base: str, head: str | None = None) -> list[str]:
    """What a pull request adds, in words, one sentence per line of the added files.

    Files that were changed or removed come first: they should not be there.
    """
    out = []
    changes = _changes(folder, base, head)
    for change, name in changes:
        if change != "added":
            out.append(f"{name}: {change}: ledger files are only ever added")
    for change, name in changes:
        if change == "added":
            text = (
                (folder / name).read_text(encoding="utf-8")
                if head is None
                else _git(folder, "show", f"{head}:./{name}")
            )
            lines = text.removesuffix("\n").split("\n")
            out += [f"{in_words(parse(x, f'{name}:{n}'))}" for n, x in enumerate(lines, 1)]
    return out


# ---- in words ----------------------------------------------------------------------------------


def in_words(entry: Entry) -> str:
    """One sentence: what, where, with which number."""
    if isinstance(entry, Decision):
        return _decision_in_words(entry)
    head = f"{entry.id} {entry.chip}"
    if entry.kind == "probe":
        values = ", ".join(f"{k} {m.value:g} {m.unit}" for k, m in entry.measured.items())
        return f"{head}: probe: {values}"
    if entry.funnel:
        f = entry.funnel
        return (
            f"{head}: {entry.work}: {f.legal} legal, {sum(f.illegal.values())} illegal, "
            f"{sum(f.pruned.values())} pruned, {f.proved} proved, {f.timed} timed"
        )
    what = f"{entry.work} by {entry.route}" if entry.kind == "kernel" else f"plan {entry.plan_key}"
    geometry = f" ({entry.geometry})" if entry.geometry else ""
    chosen = f", {entry.decision}" if entry.decision not in ("", "none") else ""
    tokens = f", tokens {entry.tokens}" if entry.tokens not in ("", "untested") else ""
    return f"{head}: {what}{geometry}: {_verdict_in_words(entry)}{tokens}{chosen}"


def _verdict_in_words(row: LedgerRow) -> str:
    if row.interval is None:
        number = "" if row.number is None else f" {row.number:g}"
        limit = "" if row.limit is None else f", limit {row.limit:g}"
        return f"{row.verdict} ({row.reason}{number}{limit})"
    iv, floor = row.interval, ""
    if row.pct_of_floor is not None:
        floor = f", {row.pct_of_floor:g} % of its floor"
    against = row.incumbent or "the incumbent"
    return (
        f"{row.verdict}: {iv.mid:g} [{iv.low:g}, {iv.high:g}] of {against}'s time over "
        f"{len(row.candidate_us)} blocks{floor}"
    )


def _decision_in_words(d: Decision) -> str:
    who = f" by {d.author}" if d.author else ""
    head = f"{d.id} {d.scope.chip}: {d.kind}{who}"
    number = "" if d.number is None else f" ({d.number:g})"
    if d.kind in ("plan", "promote"):
        names = ", ".join(dict.fromkeys(m.route for m in d.members))
        gates = ", ".join(
            f"{k} {g.number:g}" if g.number is not None else k for k, g in d.gates.items()
        )
        what = f"plan {d.scope.plan_key}" if d.kind == "plan" else d.scope.work
        return f"{head}: {what} with {names} in place of {d.replaces}; gates {gates}: {d.reason}"
    if d.kind == "refute":
        what = f"{d.scope.route} for {d.scope.work or 'every work item'}"
        return f"{head}: {what}: {d.reason}{number}; reopen if {d.reopen_if}"
    goal = f", back to {d.restores}" if d.kind == "rollback" else ""
    return f"{head}: {d.replaces} is taken back{goal}: {d.reason}{number}"


def show(layers: Layers, prefix: str) -> Stored:
    """The one entry whose id starts with `prefix`, and where it stands."""
    by_id = {s.entry.id: s for s in layers.stored()}
    found = [s for key, s in by_id.items() if prefix and key.startswith(prefix)]
    if len(found) == 1:
        return found[0]
    if not found:
        raise BoltbeamError(
            f"ledger show: no id starts with '{prefix}'; see `boltbeam ledger diff`"
        )
    some = ", ".join(sorted(s.entry.id for s in found)[:5])
    raise BoltbeamError(
        f"ledger show: '{prefix}' fits {len(found)} ids ({some}, …): give more digits"
    )


def export(layers: Layers, to: Path) -> list[Path]:
    """Copy every file of the writable layers that checkout `to` lacks -> the new files."""
    root = checkout(to)
    if root is None:
        raise BoltbeamError(f"ledger export: {to} is not a checkout of boltbeam")
    goal, new = root / "ledgers", []
    for layer in layers.layers:
        if not layer.writable or layer.path.resolve() == goal.resolve():
            continue
        for path in files(layer.path):
            target = goal / path.relative_to(layer.path)
            if target.exists():
                continue
            new.append(target)
            _copy_whole(path, target)
    return new


def _copy_whole(path: Path, target: Path) -> None:
    temporary = target.with_name(f".{target.name}.tmp")
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(path, temporary)
        temporary.rename(target)
    except OSError as e:
        temporary.unlink(missing_ok=True)
        raise BoltbeamError(f"ledger export: cannot write {target}: {e.strerror}") from None
