"""The ledger as SQLite: every line of all layers and the local raw samples, to ask and to browse.

Takes layers and the run store, gives a database in memory, answers of a SELECT, or one file (for
Datasette). Never writes to the ledger or the store, and runs nothing but a read.
"""

from __future__ import annotations

import contextlib
import json
import re
import sqlite3
import textwrap
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import Any, get_args, get_origin

from boltbeam import registry, report
from boltbeam.files import write_whole
from boltbeam.records import standing
from boltbeam.records.benches import Bench, EngineTurns
from boltbeam.records.claims import Closing, Compared, Prediction
from boltbeam.records.entries import (
    Audit,
    Decision,
    Funnel,
    Interval,
    LedgerRow,
    Member,
    Scope,
)
from boltbeam.records.ledger import Layers, Stored, uncollected
from boltbeam.records.store import DAMAGED, Store, raw_sample
from boltbeam.records.store import TABLES as LOCAL
from boltbeam.types import WHO, BoltbeamError, Measured

Record = dict[str, Any]
Columns = Mapping[str, type]
APART = ("candidate_us", "incumbent_us", "interval", "funnel", "measured")
"""Fields of a row that have tables or columns of their own."""
BENCH_APART = ("engines", "members")
"""Fields of a bench that have tables of their own."""
PLACE: Columns = {"layer": str, "file": str, "line": int}
LINES = ("rows", "decisions", "predictions", "closings", "recorded_benches")
"""Tables that have one record per line of the ledger."""
WIDTH = 100
STEPS = 100_000
"""Virtual instructions of SQLite between two looks for Ctrl-C."""


def columns_of(model: type[Any], leave: Iterable[str] = ()) -> dict[str, type]:
    """Columns of a frozen model's fields; what is no number is text, lists as JSON."""
    fields = {n: f for n, f in model.model_fields.items() if n not in leave}
    return {_name(n): _kind(f.annotation) for n, f in fields.items()}


WORDS_OF_SQL = {"limit": "number_limit", "commit": "boltbeam_commit"}


def _name(field: str) -> str:
    return WORDS_OF_SQL.get(field, field)


def _kind(annotation: Any) -> type:
    if get_origin(annotation) in (tuple, dict):
        return str
    leaves = {annotation, *get_args(annotation)}
    leaves |= {x for leaf in leaves for x in get_args(leaf)}
    return next((t for t in (bool, int, float) if t in leaves), str)


AS_THEY_ARE = frozenset((str, int, float, bool, type(None)))


def _plain(value: Any) -> Any:
    """As SQLite keeps it."""
    return json.dumps(value, default=str) if isinstance(value, (tuple, list, dict)) else value


# ---- the tables --------------------------------------------------------------------------------


@dataclass(frozen=True)
class Table:
    """One table: what it holds, its columns, its key, and which columns name other tables' keys."""

    about: str
    columns: Columns
    pk: str | None = None
    links: tuple[tuple[str, str, str], ...] = ()


OF_ROW = (("row", "rows", "id"),)
OF_DECISION = (("decision", "decisions", "id"),)
AUDIT = {f"audit_{n}": t for n, t in columns_of(Audit).items()}
TABLES = {
    "rows": Table(
        "one verdict, probe, funnel or whole token each",
        {
            **columns_of(LedgerRow, APART),
            "candidate_median_us": float,
            "incumbent_median_us": float,
            "ratio_low": float,
            "ratio": float,
            "ratio_high": float,
            **PLACE,
        },
        "id",
    ),
    "blocks": Table(
        "microseconds of every block of a row",
        {"row": str, "block": int, "candidate_us": float, "incumbent_us": float, "ratio": float},
        links=OF_ROW,
    ),
    "funnels": Table(
        "how many candidates of a work item went how far, and what pruning lost",
        {
            "row": str,
            "work": str,
            **columns_of(Funnel, ("illegal", "pruned", "audit")),
            "illegal": int,
            "pruned": int,
            **AUDIT,
        },
        links=OF_ROW,
    ),
    "reasons": Table(
        "why candidates of a funnel were left out",
        {"row": str, "work": str, "stage": str, "reason": str, "candidates": int},
        links=OF_ROW,
    ),
    "measured": Table(
        "what a probe measured of its chip",
        {"row": str, "chip": str, "name": str, **columns_of(Measured)},
        links=OF_ROW,
    ),
    "decisions": Table(
        "plans, refutations, rollbacks, reopenings",
        {
            **columns_of(Decision, ("scope", "members", "gates", "evidence")),
            **columns_of(Scope),
            "in_force": bool,
            **PLACE,
        },
        "id",
    ),
    "members": Table(
        "which route does which work item in a plan",
        {
            "decision": str,
            "work": str,
            "count": int,
            "route": str,
            "geometry": str,
            "row": str,
            "takes": str,
            "gives": str,
            "numerics": str,
            "emitter_hash": str,
        },
        links=(*OF_DECISION, *OF_ROW),
    ),
    "gates": Table(
        "gates of a plan",
        {
            "decision": str,
            "gate": str,
            "passed": bool,
            "number": float,
            "number_limit": float,
            "detail": str,
        },
        links=OF_DECISION,
    ),
    "evidence": Table(
        "rows that a decision cites",
        {"decision": str, "row": str},
        links=(*OF_DECISION, *OF_ROW),
    ),
    "predictions": Table(
        "what a search would show, said before it ran", {**columns_of(Prediction), **PLACE}, "id"
    ),
    "closings": Table(
        "how predictions came out",
        {
            **columns_of(Closing, ("gain", "compared")),
            "gain_low": float,
            "gain": float,
            "gain_high": float,
            **PLACE,
        },
        "id",
        (("prediction", "predictions", "id"),),
    ),
    "compared": Table(
        "kernels that closed a prediction beside those in force",
        {
            "closing": str,
            **columns_of(Compared),
            "candidate_median_us": float,
            "incumbent_median_us": float,
        },
        links=(("closing", "closings", "id"),),
    ),
    "recorded_benches": Table(
        "whole engines in turns, as `bench --record` wrote them",
        {
            **columns_of(Bench, BENCH_APART),
            "tok_s": float,
            "pct_of_floor": float,
            **PLACE,
        },
        "id",
        (("plan", "decisions", "id"), ("probe", "rows", "id")),
    ),
    "engines": Table(
        "engines of a bench: every turn, and what the plan's rate is of theirs",
        {
            "bench": str,
            **columns_of(EngineTurns),
            "tok_s": float,
            "spread": float,
            "plan_ratio": float,
        },
        links=(("bench", "recorded_benches", "id"),),
    ),
    "bench_members": Table(
        "what ran in a bench of a search's plan",
        {"bench": str, **columns_of(Member)},
        links=(("bench", "recorded_benches", "id"), *OF_ROW),
    ),
    "searches": Table(
        "searches made here (local)",
        {n: t for n, t in LOCAL["searches"][0].items() if n not in ("about", "summary")},
        "id",
    ),
    "candidates": Table(
        "every candidate that raced here, predicted and measured (local)",
        LOCAL["candidates"][0],
        links=(("search", "searches", "id"),),
    ),
    "samples": Table(
        "what was measured here for a row, unrounded (local)", LOCAL["samples"][0], links=OF_ROW
    ),
    "batches": Table(
        "the raw samples of every block, in the order they ran (local)",
        {"row": str, "search": str, "block": int, "turn": int, "who": str, "us": float},
        links=OF_ROW,
    ),
    "sources": Table("kernels that were measured here (local)", LOCAL["sources"][0], "hash"),
    "benches": Table("every bench made here, recorded or not (local)", LOCAL["benches"][0]),
}
"""In the order they are made; the local ones are empty where nothing was searched here. A search's
command and plan stay out: they name folders of this machine."""


ROW_FIELDS = tuple((n, _name(n)) for n in LedgerRow.model_fields if n not in APART)


def _row_records(s: Stored) -> Iterator[tuple[str, Record]]:
    r = s.row
    record = {column: getattr(r, field) for field, column in ROW_FIELDS}
    record |= _medians(r) | _ends("ratio", r.interval)
    yield "rows", record
    for n, (c, i) in enumerate(zip(r.candidate_us, r.incumbent_us, strict=True)):
        block = {"row": r.id, "block": n, "candidate_us": c, "incumbent_us": i}
        yield "blocks", {**block, "ratio": c / i if i else None}
    for name, m in r.measured.items():
        yield "measured", {"row": r.id, "chip": r.chip, "name": name, **m.model_dump(mode="json")}
    if r.funnel:
        yield from _funnel_records(r, r.funnel)


def _medians(e: LedgerRow | Compared) -> Record:
    both = {"candidate_median_us": e.candidate_us, "incumbent_median_us": e.incumbent_us}
    return {name: median(us) for name, us in both.items() if us}


def _ends(name: str, iv: Interval | None) -> Record:
    return {f"{name}_low": iv.low, name: iv.mid, f"{name}_high": iv.high} if iv else {}


def _funnel_records(r: LedgerRow, f: Funnel) -> Iterator[tuple[str, Record]]:
    counts = f.model_dump(exclude={"illegal", "pruned", "audit"})
    sums = {"illegal": sum(f.illegal.values()), "pruned": sum(f.pruned.values())}
    audit = {f"audit_{n}": v for n, v in f.audit} if f.audit else {}
    yield "funnels", {"row": r.id, "work": r.work, **counts, **sums, **audit}
    for stage, reasons in (("illegal", f.illegal), ("pruned", f.pruned)):
        for reason, n in reasons.items():
            about = {"row": r.id, "work": r.work, "stage": stage}
            yield "reasons", {**about, "reason": reason, "candidates": n}


def _decision_records(d: Decision, in_force: frozenset[str]) -> Iterator[tuple[str, Record]]:
    apart = ("scope", "members", "gates", "evidence")
    record = {_name(n): getattr(d, n) for n in Decision.model_fields if n not in apart}
    yield "decisions", {**record, **d.scope.model_dump(), "in_force": d.id in in_force}
    for m in d.members:
        yield "members", {"decision": d.id, **m.model_dump()}
    for name, g in d.gates.items():
        gate = {_name(n): v for n, v in g}
        yield "gates", {"decision": d.id, "gate": name, **gate}
    for row in d.evidence:
        yield "evidence", {"decision": d.id, "row": row}


def _claim_records(e: Prediction | Closing) -> Iterator[tuple[str, Record]]:
    apart = ("gain", "compared") if isinstance(e, Closing) else ()
    record = {_name(n): getattr(e, n) for n in type(e).model_fields if n not in apart}
    if isinstance(e, Prediction):
        yield "predictions", record
        return
    yield "closings", record | _ends("gain", e.gain)
    for c in e.compared:
        yield "compared", {"closing": e.id, **c.model_dump(), **_medians(c)}


def _bench_records(b: Bench) -> Iterator[tuple[str, Record]]:
    record = {_name(n): getattr(b, n) for n in Bench.model_fields if n not in BENCH_APART}
    rate = b.tok_s(b.ours) if b.ours else None
    yield "recorded_benches", {**record, "tok_s": rate, "pct_of_floor": b.pct_of_floor}
    for e in b.engines:
        derived = {"tok_s": b.tok_s(e), "spread": e.spread, "plan_ratio": b.ratio(e.engine)}
        yield "engines", {"bench": b.id, **e.model_dump(), **derived}
    for m in b.members:
        yield "bench_members", {"bench": b.id, **m.model_dump()}


def _local_records(store: Store) -> Iterator[tuple[str, Record]]:
    for name in ("searches", "candidates", "samples", "sources", "benches"):
        for record in store.find(name):
            yield name, record
            if name == "samples":
                yield from _batches(record)


def _batches(sample: Record) -> Iterator[tuple[str, Record]]:
    m = raw_sample(sample)
    if m is None:
        report.say(f"boltbeam: run store: {DAMAGED.format(sample['row'])}")
        return
    for block, (turns, us) in enumerate(zip(m.turns, m.batches_us, strict=True)):
        about = {"row": sample["row"], "search": sample["search"], "block": block}
        for turn, (who, took) in enumerate(zip(turns, us, strict=True)):
            yield "batches", {**about, "turn": turn, "who": WHO[who], "us": took}


def records(layers: Layers, store: Store | None) -> Iterator[tuple[str, Record]]:
    """(table, record) of everything."""
    in_force = frozenset(d.id for d in standing.plans(layers).values())
    for s in layers.stored():
        place = {"layer": layers.layers[s.layer].name, "file": s.file, "line": s.line}
        for name, record in _line_records(s, in_force):
            yield name, record | place if name in LINES else record
    if store is not None:
        yield from _local_records(store)


def _line_records(s: Stored, in_force: frozenset[str]) -> Iterator[tuple[str, Record]]:
    if s.is_row:
        return _row_records(s)
    if isinstance(s.entry, (Prediction, Closing)):
        return _claim_records(s.entry)
    if isinstance(s.entry, Bench):
        return _bench_records(s.entry)
    return _decision_records(s.decision, in_force)


def database(layers: Layers, store: Store | None) -> sqlite3.Connection:
    """All of it, in memory. BoltbeamError on a ledger line that cannot be read."""
    import sqlite_utils

    connection = sqlite3.connect(":memory:")
    db = sqlite_utils.Database(connection)
    for name, t in TABLES.items():
        db[name].create(dict(t.columns), pk=t.pk, foreign_keys=list(t.links))
    filled: dict[str, list[Record]] = {name: [] for name in TABLES}
    with uncollected():
        for name, record in records(layers, store):
            filled[name].append(record)
    with connection:
        for name, some in filled.items():
            names = list(TABLES[name].columns)
            into = f'"{name}" ({", ".join(names)}) values ({", ".join("?" for _ in names)})'
            rows = (
                [v if type(v := r.get(n)) in AS_THEY_ARE else _plain(v) for n in names]
                for r in some
            )
            connection.executemany(f"insert into {into}", rows)
    for name, t in TABLES.items():
        for column, _, _ in t.links:
            connection.execute(f'create index "{name}_{column}" on "{name}" ("{column}")')
    return connection


# ---- questions ---------------------------------------------------------------------------------

READS = frozenset(
    (sqlite3.SQLITE_SELECT, sqlite3.SQLITE_READ, sqlite3.SQLITE_FUNCTION, sqlite3.SQLITE_RECURSIVE)
)
LOOKS = frozenset(("table_info", "table_xinfo", "table_list", "foreign_key_list"))
"""Pragmas that only look."""


def _only_reads(action: int, first: str | None, *_: str | None) -> int:
    look = action == sqlite3.SQLITE_PRAGMA and (first or "").lower() in LOOKS
    return sqlite3.SQLITE_OK if look or action in READS else sqlite3.SQLITE_DENY


def answer(connection: sqlite3.Connection, sql: str) -> tuple[list[str], Iterator[Record]]:
    """Columns of one SELECT, and its rows as they are found. BoltbeamError, from the rows too: it
    is wrong, or would write."""
    connection.set_authorizer(_only_reads)
    connection.set_progress_handler(_go_on, STEPS)
    with _in_words(sql):
        cursor = connection.execute(sql)
    names = _distinct(d[0] for d in cursor.description or ())
    if not names:
        raise BoltbeamError("ledger query: that is no SELECT; name what you want to see")

    def rows() -> Iterator[Record]:
        with _in_words(sql):
            for values in cursor:
                yield dict(zip(names, values, strict=True))

    return names, rows()


@contextlib.contextmanager
def _in_words(sql: str) -> Iterator[None]:
    """What SQLite has to say about a query."""
    try:
        yield
    except (sqlite3.Error, sqlite3.Warning) as e:
        if str(e) == "interrupted":
            raise KeyboardInterrupt from None
        said = " ".join(str(e).split())
        if any(word in said for word in ("not authorized", "denied", "prohibited")):
            said = "it only reads: one SELECT"
        raise BoltbeamError(f"ledger query: {said}{_hint(said, sql)}") from None


def _hint(said: str, sql: str) -> str:
    """What a name that is not there may have meant: a table, or a column of those named."""
    what, _, name = said.partition(": ")
    if not what.startswith("no such"):
        return ""
    words = set(re.findall(r"\w+", sql.lower()))
    named = [t for n, t in TABLES.items() if n in words] or list(TABLES.values())
    known = {"no such table": [*TABLES], "no such column": [c for t in named for c in t.columns]}
    meant = registry.did_you_mean(name.rpartition(".")[2], known.get(what, []))
    return f"{meant}; `boltbeam ledger query` alone lists the tables"


def _go_on() -> int:
    """Called between steps: a signal that arrived ends the query here."""
    return 0


def _distinct(names: Iterable[str]) -> list[str]:
    """`a, a` becomes `a, a_2`: nothing of an answer is lost."""
    out: list[str] = []
    for name in names:
        n, free = 1, name
        while free in out:
            n += 1
            free = f"{name}_{n}"
        out.append(free)
    return out


def tables(connection: sqlite3.Connection) -> list[Record]:
    """What can be asked about."""
    counts = {n: connection.execute(f'select count(*) from "{n}"').fetchone()[0] for n in TABLES}
    return [
        {"table": n, "rows": counts[n], "holds": t.about, "columns": ", ".join(t.columns)}
        for n, t in TABLES.items()
    ]


# ---- the commands ------------------------------------------------------------------------------


def query(sql: str | None, ledger_dir: Path | None, fmt: str) -> None:
    """Print what a SELECT finds; without one what there is to ask about."""
    with _opened(ledger_dir) as connection:
        if sql is not None:
            names, rows = answer(connection, sql)
            return report.table(rows, fmt, columns=names)
        found = tables(connection)
        if fmt != "md":
            return report.table(found, fmt)
        named = [textwrap.fill(f"{t['table']}: {t['columns']}", WIDTH) for t in found]
        short = [{k: v for k, v in t.items() if k != "columns"} for t in found]
        return report.table(short, fmt, "Tables, and their columns below", named)


def export(to: Path, ledger_dir: Path | None, force: bool) -> None:
    """Write the database as one file. BoltbeamError: it exists, or its folder does not."""
    if to.is_dir() or not to.parent.is_dir():
        why = "is a folder" if to.is_dir() else f"there is no folder {to.parent}"
        raise BoltbeamError(f"ledger export: {to}: {why}; name a file to write")
    if to.exists() and not force:
        raise BoltbeamError(f"ledger export: {to} exists; name another file, or say --force")
    if to.is_file() and not to.read_bytes()[:16].startswith(b"SQLite format 3"):
        raise BoltbeamError(f"ledger export: {to} exists and is no database; name another file")
    with _opened(ledger_dir) as connection:
        counts = tables(connection)
        write_whole(to, connection.serialize())
    lines = sum(t["rows"] for t in counts if t["table"] in LINES)
    report.say(f"wrote {to}: {lines:,} ledger lines in {len(counts)} tables; datasette {to}")


@contextlib.contextmanager
def _opened(ledger_dir: Path | None) -> Iterator[sqlite3.Connection]:
    """The database of all layers and of what is kept here, closed afterwards."""
    with Store.existing() as store:
        connection = database(Layers.find(ledger_dir=ledger_dir), store)
    with contextlib.closing(connection):
        yield connection
