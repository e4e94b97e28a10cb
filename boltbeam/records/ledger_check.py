"""Are ledger files sound? Every line, every verdict, every citation, and nothing touched.

Takes a folder of ledger files, the protocols and a git revision, gives problems with file and line.
Never writes and never stops at the first problem.
"""

from __future__ import annotations

import hashlib
import itertools
import re
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from boltbeam.records.benches import Bench
from boltbeam.records.claims import ITSELF, Closing, Compared, Prediction, answer, gain_of
from boltbeam.records.decide import Derived, below_clock, derived, may_end, ruling
from boltbeam.records.decisions import MEMBERS, SLOWEST, TOKEN, token_gates
from boltbeam.records.entries import STOCK, Decision, Gate, Interval, LedgerRow, Member
from boltbeam.records.ledger import Entry, chip_of, faults, parse
from boltbeam.records.ledger_review import changes
from boltbeam.records.ledger_touched import Problem, touched
from boltbeam.records.record import pct_of_floor
from boltbeam.types import TIMED, BoltbeamError, Protocol, Verdict

Found = tuple[str, int, Entry]
"""File below the folder, line, and what stands there."""


@dataclass(frozen=True)
class Checked:
    """The problems of a folder, and every line of it that could be read."""

    problems: list[Problem]
    lines: list[Found]


def check(
    folder: Path,
    protocols: Mapping[str, Protocol],
    base_rev: str | None = None,
    known_ids: Collection[str] = (),
) -> Checked:
    """All ledger files below `folder`; no problem is a pass. Codes are those of `red_flags.CODES`.

    `known_ids`: of lower layers, may be cited. BoltbeamError: no such folder or revision.
    """
    if not folder.is_dir():
        raise BoltbeamError(f"ledger check: no folder {folder}")
    paths = sorted(p for p in folder.rglob("*") if p.is_file() and p.name != ".gitkeep")
    problems, found = read(folder, paths)
    problems += _no_files(folder)
    problems += _check_ids(found)
    entries = {e.id: e for _, _, e in found}
    problems += check_entries(found, protocols, entries, known_ids)
    if base_rev is not None:
        problems += touched(folder, base_rev, None, changes(folder, base_rev, None))
    return Checked(in_order(problems), found)


def _no_files(folder: Path) -> Iterator[Problem]:
    """Pipes, dead links, and folders that are named like a file of lines."""
    for p in sorted(folder.rglob("*")):
        if not p.is_file() and (p.suffix == ".jsonl" or not p.is_dir()):
            yield Problem(p.relative_to(folder).as_posix(), 0, "name", "no regular file")


def read(folder: Path, paths: Iterable[Path]) -> tuple[list[Problem], list[Found]]:
    """What is wrong with files as text, and every line of theirs that could be read."""
    found: list[Found] = []
    return [p for path in paths for p in _check_file(folder, path, found)], found


def check_entries(
    found: Iterable[Found],
    protocols: Mapping[str, Protocol],
    entries: Mapping[str, Entry],
    known_ids: Collection[str] = (),
) -> list[Problem]:
    """What is wrong with lines as they are; `entries` and `known_ids` are what they may cite."""
    found = list(found)
    known, problems = frozenset(known_ids), [*_closed_twice(found), *_chances(found, protocols)]
    again = _again([e for _, _, e in found if isinstance(e, LedgerRow)], protocols)
    wrong: Iterator[tuple[str, str]]
    for file, line, entry in found:
        if isinstance(entry, LedgerRow):
            wrong = itertools.chain(
                _check_row(entry, protocols, again.get(id(entry))),
                _check_cited(entry.members, entry, entries, known),
                _check_kernels(entry.members, entries),
            )
        elif isinstance(entry, Decision):
            wrong = _check_decision(entry, entries, known)
        elif isinstance(entry, Closing):
            wrong = _check_closing(entry, entries, known, protocols)
        elif isinstance(entry, Bench):
            wrong = _check_bench(entry, entries, known)
        else:
            wrong = iter(())
        problems += [Problem(file, line, code, message) for code, message in wrong]
    return problems


def in_order(problems: Iterable[Problem]) -> list[Problem]:
    """By file, line and code."""
    return sorted(problems, key=lambda p: (p.file, p.line, p.code))


def _check_file(folder: Path, path: Path, found: list[Found]) -> Iterator[Problem]:
    name, data = path.relative_to(folder).as_posix(), path.read_bytes()
    match = re.fullmatch(r"[a-z0-9][\w.-]*/(\d{4}-\d\d-\d\d)-([0-9a-f]{8})\.jsonl", name)
    if not match:
        yield Problem(name, 0, "name", "not <chip>/<date>-<hash8>.jsonl")
    elif match[2] != hashlib.sha256(data).hexdigest()[:8]:
        yield Problem(name, 0, "name", "the content does not have the hash in the name: edited")
    if b"\r" in data or not data.endswith(b"\n"):
        yield Problem(name, 0, "text", "lines must end with LF, the last one too")
    for n, raw in enumerate(data.removesuffix(b"\n").split(b"\n"), 1):
        try:
            line = raw.decode()
            entry = parse(line, "")
        except UnicodeDecodeError as e:
            yield Problem(name, n, "text", f"not UTF-8: {e.reason}")
            continue
        except BoltbeamError as e:
            yield Problem(name, n, "line", str(e).removeprefix(": "))
            continue
        found.append((name, n, entry))
        for fault in faults(line, entry):
            said = FAULTS[fault].format(entry.id)
            yield Problem(name, n, fault, said)
        if chip_of(entry) != name.split("/")[0]:
            yield Problem(name, n, "chip", f"a line of {chip_of(entry)} in another chip's folder")
        if match and n == 1 and entry.date[:10] != match[1]:
            yield Problem(name, n, "name", f"dated {entry.date[:10]}, the file {match[1]}")


FAULTS = {
    "id": "id {} does not fit the content: edited",
    "canonical": "key order, digits or spacing is not canonical",
}


def _check_ids(found: list[Found]) -> Iterator[Problem]:
    first: dict[str, str] = {}
    for file, line, entry in found:
        if entry.id in first:
            yield Problem(file, line, "duplicate", f"id {entry.id} stands in {first[entry.id]} too")
        first.setdefault(entry.id, f"{file}:{line}")


def _again(rows: Iterable[LedgerRow], protocols: Mapping[str, Protocol]) -> dict[int, Derived]:
    """What follows from the blocks of timed rows, by the identity of the row: an id may stand
    twice."""
    timed = [row for row in rows if row.verdict in TIMED and row.protocol in protocols]
    found = derived([(row, row.comparisons or 1) for row in timed], protocols)
    return {id(row): d for row, d in zip(timed, found, strict=True)}


def _check_row(
    row: LedgerRow, protocols: Mapping[str, Protocol], found: Derived | None
) -> Iterator[tuple[str, str]]:
    if row.proof == "ok" and row.worst is not None and row.worst > 1:
        yield "proof", f"proof ok with worst error {row.worst} of the tolerance"
    if row.verdict is Verdict.wrong and row.proof == "ok" and row.reason != "timed-output":
        yield "proof", "verdict wrong, but the proof says ok"
    if row.verdict not in TIMED:
        return
    if found is None:
        yield "protocol", f"unknown protocol '{row.protocol}'; have {', '.join(sorted(protocols))}"
        return
    protocol = protocols[row.protocol]
    verdict, reason, *_ = ruling(row, protocol, row.floor_us, found.interval)
    if (verdict, reason) != (row.verdict, row.reason):
        yield "verdict", f"says {row.verdict} ({row.reason}), its blocks say {verdict} ({reason})"
    if not _same_interval(row.interval, found.interval):
        yield "interval", "the interval does not follow from the blocks"
    if protocol.planned:
        yield from _check_plan(row, protocol, found, verdict, reason)
        if found.planned != row.blocks_planned:
            yield (
                "planned",
                f"says {row.blocks_planned} blocks were planned, its pilot says {found.planned}",
            )
    share = pct_of_floor(row.candidate_us, row.floor_us)
    unsaid = row.pct_of_floor is None and below_clock(row.floor_us)
    if share != row.pct_of_floor and not unsaid:
        yield "floor", f"pct_of_floor is {row.pct_of_floor}, from floor and blocks {share}"


CUT_SHORT = "seconds_max"
"""Stop reason of a comparison that had no time for the blocks that it had planned."""


def _check_plan(
    m: LedgerRow | Compared, protocol: Protocol, found: Derived, verdict: Verdict, reason: str
) -> Iterator[tuple[str, str]]:
    """The A/A spread follows from its pairs; there are as many blocks as the pilot asked for."""
    n = len(m.candidate_us)
    if found.aa_spread is None:
        yield "aa", f"protocol {protocol.id} plans by the A/A pairs, and there are none"
        return
    if abs(found.aa_spread - (m.aa_spread or 0.0)) > 2e-3 * found.aa_spread + 1e-7:
        yield "aa", f"aa_spread is {m.aa_spread}, from its pairs {found.aa_spread:.4g}"
    if n < protocol.blocks_min:
        yield "planned", f"has {n} blocks; protocol {protocol.id} needs {protocol.blocks_min}"
        return
    cut = m.stop_reason == CUT_SHORT or m.throttled
    if not cut and not may_end(n, protocol, found.planned, verdict, reason):
        stops = f"{protocol.blocks_min} that decide, or {found.planned}"
        yield "planned", f"ends after {n} blocks; its plan ends after {stops}"


CHANCES_MAX = 1 + 1e-9
"""Sum of 1 ÷ `comparisons` of a search, with the last digits of the sum."""


def _chances(found: Iterable[Found], protocols: Mapping[str, Protocol]) -> Iterator[Problem]:
    """Files whose planned comparisons spend more than their search's one chance of an error.

    A file holds one search, and the confidence is that of all its comparisons, of every planned
    protocol together: 1 ÷ `comparisons` adds up to at most 1 (`search.shares` gives out less). No
    row is exempt: those that `--record` writes again are in a file of their own. Closings are no
    comparisons of the search. Rows that were left out cannot be seen.
    """
    spent: dict[str, list[float]] = {}
    for file, _, entry in found:
        if isinstance(entry, LedgerRow) and entry.verdict in TIMED:
            protocol = protocols.get(entry.protocol)
            if protocol is not None and protocol.planned:
                spent.setdefault(file, []).append(1 / max(1, entry.comparisons or 1))
    for file, shares in spent.items():
        if (total := sum(shares)) > CHANCES_MAX:
            said = f"{len(shares)} comparisons spend {total:.4g} chances of an error, not one"
            yield Problem(file, 0, "chance", said)


def _same_interval(a: Interval | None, b: Interval | None) -> bool:
    """Equal but for the last digit: medians and errors may round differently elsewhere."""
    if a is None or b is None:
        return a is b
    pairs = ((a.low, b.low), (a.mid, b.mid), (a.high, b.high))
    return all(abs(x - y) <= 2e-3 * max(abs(x), abs(y), 1e-6) for x, y in pairs)


def _check_decision(
    d: Decision, entries: Mapping[str, Entry], known: Collection[str]
) -> Iterator[tuple[str, str]]:
    for cited in d.evidence:
        row = _row(entries, cited)
        if row is None and cited not in known:
            yield "evidence", f"cites row {cited}, which is nowhere"
        elif row is not None and row.chip != d.scope.chip:
            yield "evidence", f"cites row {cited} of another chip ({row.chip})"
    yield from _check_members(d.members, entries)
    if d.kind == "plan":
        yield from _check_token_gates(d, entries)
    for name in ("replaces", "restores"):
        other = getattr(d, name)
        if other and other != STOCK and not isinstance(entries.get(other), Decision):
            if other in known:
                continue
            yield "replaces", f"{name} decision {other}, which is nowhere"


def _check_members(
    members: Iterable[Member], entries: Mapping[str, Entry]
) -> Iterator[tuple[str, str]]:
    """Each is what its row measured and proved, as far as the row is there."""
    for m in members:
        row = _row(entries, m.row)
        if row is None:
            continue
        if (m.work, m.route, m.geometry) != (row.work, row.route, row.geometry):
            yield "evidence", f"member {m.route} for {m.work} is not what row {m.row} measured"
        else:
            yield from _check_kernels([m.row], entries)


def _row(entries: Mapping[str, Entry], name: str) -> LedgerRow | None:
    found = entries.get(name)
    return found if isinstance(found, LedgerRow) else None


def _check_token_gates(d: Decision, entries: Mapping[str, Entry]) -> Iterator[tuple[str, str]]:
    """The gates of the whole token, once more from the blocks of every position cited."""
    rows = [row for i in d.evidence if (row := _row(entries, i)) is not None]
    cited = [row for row in rows if row.kind == "token"]
    claimed = {name: d.gates[name] for name in (TOKEN, SLOWEST) if name in d.gates}
    for row in cited:
        if row.plan_key != d.scope.plan_key:
            yield "evidence", f"cites row {row.id} of another plan ({row.plan_key})"
    if not cited:
        if claimed and len(rows) == len(d.evidence):
            yield "gates", f"'{TOKEN}' rests on no row of a whole token"
        return
    if all(row.position is None for row in cited):  # older: the other positions have no row
        claimed.pop(SLOWEST, None)
    elif missing := [name for name in (TOKEN, SLOWEST) if name not in claimed]:
        yield "gates", f"cites whole tokens, but has no gate '{missing[0]}'"
    again = token_gates(cited)
    for name, gate in claimed.items():
        if not _same_gate(gate, again[name]):
            said, found = (f"{g.number} of {g.limit}, {g.passed}" for g in (gate, again[name]))
            yield "gates", f"'{name}' says {said}; its rows say {found}"
        elif (told := _positions(gate)) != (there := _positions(again[name])):
            yield "gates", f"'{name}' names positions {told or '(none)'}; its rows are of {there}"


def _positions(gate: Gate) -> str:
    """The positions that the text of a gate of the whole token names."""
    found = POSITIONS.search(gate.detail)
    return found[1] if found else ""


POSITIONS = re.compile(r"from positions? (\d+(?:, \d+)*)")


def _same_gate(a: Gate, b: Gate) -> bool:
    """Equal but for the last digit."""
    if (a.passed, a.limit, a.number is None) != (b.passed, b.limit, b.number is None):
        return False
    return a.number is None or b.number is None or abs(a.number - b.number) <= 2e-3 * abs(b.number)


# ---- predictions -------------------------------------------------------------------------------


def _closed_twice(found: Iterable[Found]) -> list[Problem]:
    closed: dict[str, str] = {}
    problems = []
    for file, line, entry in found:
        if isinstance(entry, Closing):
            if before := closed.get(entry.prediction):
                said = f"prediction {entry.prediction} is closed in {before} already"
                problems.append(Problem(file, line, "prediction", said))
            closed.setdefault(entry.prediction, f"{file}:{line}")
    return problems


def _check_closing(
    c: Closing,
    entries: Mapping[str, Entry],
    known: Collection[str],
    protocols: Mapping[str, Protocol],
) -> Iterator[tuple[str, str]]:
    """It closes a prediction made before it, and its gain and answer follow from its blocks."""
    claim = entries.get(c.prediction)
    if claim is not None and not isinstance(claim, Prediction):
        yield "prediction", f"closes {c.prediction}, which is a {claim.kind}"
        return
    if claim is None and c.prediction not in known:
        yield "prediction", f"closes {c.prediction}, which is nowhere"
    if claim is not None and (claim.chip, claim.op) != (c.chip, c.op):
        yield "prediction", f"is about {c.op} on {c.chip}, not {claim.op} on {claim.chip}"
    if claim is not None and claim.date > c.date:
        yield "prediction", f"was closed {c.date}, before it was made {claim.date}"
    if c.gain is None:
        return
    parts = []
    for one in c.compared:
        if one.incumbent != ITSELF and one.protocol not in protocols:
            yield "protocol", f"unknown protocol '{one.protocol}'"
            return
        yield from _check_compared(one, protocols)
        parts.append((one, ratio_of(one, protocols)))
    gain = gain_of(parts)
    if not _same_gain(c.gain, gain):
        yield "prediction", f"gain {c.gain.mid} does not follow from its blocks ({gain.mid})"
    elif claim is not None and answer(claim, c.gain, c.compared) != (c.answer, c.killed):
        said = answer(claim, c.gain, c.compared)
        yield (
            "prediction",
            f"says {c.answer}, killed {c.killed}; its gain says {said[0]}, {said[1]}",
        )


def _check_compared(c: Compared, protocols: Mapping[str, Protocol]) -> Iterator[tuple[str, str]]:
    """What a closing compared is held to its protocol as a row is, and the protocol must plan."""
    if c.incumbent == ITSELF:
        return
    protocol = protocols[c.protocol]
    if not protocol.planned:
        yield "protocol", f"{c.work}: protocol {protocol.id} plans no blocks; a closing's does"
        return
    (found,) = derived([(c, c.comparisons)], protocols)
    verdict, reason, *_ = ruling(c, protocol, None, found.interval)
    for code, message in _check_plan(c, protocol, found, verdict, reason):
        yield code, f"{c.work}: {message}"


def ratio_of(c: Compared, protocols: Mapping[str, Protocol]) -> Interval:
    """Interval of the block ratio of what a closing compared."""
    if c.incumbent == ITSELF:
        return Interval(low=1.0, mid=1.0, high=1.0)
    (found,) = derived([(c, c.comparisons)], protocols)
    assert found.interval is not None  # two blocks or more
    return found.interval


def _same_gain(a: Interval, b: Interval) -> bool:
    """Equal but for the last digit of the ratios that both are 1 less."""
    pairs = ((a.low, b.low), (a.mid, b.mid), (a.high, b.high))
    return all(abs(x - y) <= 2e-3 * max(1.0, abs(y)) for x, y in pairs)


def _check_cited(
    names: Iterable[str],
    ran: Bench | LedgerRow,
    entries: Mapping[str, Entry],
    known: Collection[str],
) -> Iterator[tuple[str, str]]:
    """What a whole token cites is there, was there before it and is of its chip."""
    for name in names:
        other = entries.get(name)
        if other is None:
            if name not in known:
                yield "evidence", f"cites {name}, which is nowhere"
        elif chip_of(other) != ran.chip:
            yield "evidence", f"cites {name} of another chip ({chip_of(other)})"
        elif other.date > ran.date:
            yield "evidence", f"cites {name} of {other.date}, but ran {ran.date}"


def _check_kernels(names: Iterable[str], entries: Mapping[str, Entry]) -> Iterator[tuple[str, str]]:
    """Each is the row of a kernel that may stand in a plan."""
    for name in names:
        if (row := _row(entries, name)) is None:
            continue
        if row.kind != "kernel" or row.verdict not in MEMBERS:
            yield "evidence", f"rests on row {name}, which is a {row.kind}, '{row.verdict}'"


# ---- benches -------------------------------------------------------------------------------------


def _check_bench(
    b: Bench, entries: Mapping[str, Entry], known: Collection[str]
) -> Iterator[tuple[str, str]]:
    """What it cites is in order; its floor is the probe's."""
    yield from _check_cited(dict.fromkeys(b.cited), b, entries, known)
    yield from _check_members(b.members, entries)
    plan, probe = entries.get(b.plan), entries.get(b.probe)
    if plan is not None:
        if not isinstance(plan, Decision) or plan.kind != "plan":
            yield "evidence", f"ran plan {b.plan}, which is a {plan.kind}"
        elif plan.scope.plan_key != b.plan_key:
            yield "evidence", f"ran plan {b.plan} of another model or context"
    if probe is not None:
        rate = probe.measured.get("read_gbps") if isinstance(probe, LedgerRow) else None
        if rate is None:
            yield "evidence", f"line {b.probe} measured no read rate"
        elif not _same_number(b.floor_us, (b.token_bytes or 0) / (rate.value * 1e3)):
            yield "floor", f"floor_us is {b.floor_us}, not token_bytes at {rate.value:g} GB/s"


def _same_number(a: float | None, b: float) -> bool:
    """Equal but for the last digit."""
    return a is not None and abs(a - b) <= 2e-3 * b
