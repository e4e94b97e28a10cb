"""Questions in SQL: everything of the ledger is there, and nothing can be written."""

from __future__ import annotations

import contextlib
import csv
import hashlib
import io
import json
import re
import sqlite3
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from cli_cases import Done, Shell, refused
from review_cases import kernel, plan, token
from test_ledger import CHIP, WORK, layers

from boltbeam.records import ledger, ledger_query
from boltbeam.records.claims import Closing, Compared, Prediction
from boltbeam.records.decisions import refute
from boltbeam.records.entries import Audit, Funnel, Interval, LedgerRow
from boltbeam.records.ledger import Layers, sealed
from boltbeam.records.record import funnel_row, probe_row
from boltbeam.records.store import Store
from boltbeam.types import Measured, Measurement

Cli = Callable[..., Done]
AUDIT = Audit(
    sampled=9, everything=False, distinct=12, kept=3, kept_share=0.1, regret=0.02, best_us=9.0
)
FUNNEL = Funnel(legal=40, illegal={"rows-divide": 7}, pruned={"predicted-slow": 35}, audit=AUDIT)


def filled(folder: Path) -> tuple[LedgerRow, Layers]:
    """A plan in force with its rows, a refutation, a funnel with an audit, a probe."""
    from boltbeam.records.record import Environment

    fast, slow, whole = kernel(0.5), kernel(0.9, geometry="lanes=8"), token(0.5, "stock")
    env = Environment(CHIP)
    rate = Measured(value=20.0, unit="GB/s", how="a test", date="2026-11-29")
    entries = [funnel_row(WORK.key, "down", 30, FUNNEL, env), probe_row({"read_gbps": rate}, env)]
    decided = [plan([fast], whole), refute([slow], reason="slow", reopen_if="a new driver")]
    ls = layers(folder)
    ls.write([fast, slow, whole, *entries, *decided])
    return fast, ls


def sample(row: LedgerRow) -> dict[str, object]:
    m = Measurement(
        protocol="abba-v1",
        candidate_us=(20.0, 21.0),
        incumbent_us=(40.0, 41.0),
        aa_spread=0.01,
        stop_reason="decided: faster",
        copies=4,
        batches_us=((19.0, 39.0, 41.0, 21.0), (20.0, 40.0, 42.0, 22.0)),
        aa_pct=(0.1, -0.1),
        turns=("CIIC", "CIIC"),
        clocks_mhz=((1980.0, 1975.0), (1980.0, 1980.0)),
    )
    text = json.dumps(m.model_dump(mode="json"))
    about = {"row": row.id, "search": "5ea2c4", "at": "2026-11-29T10:00:00Z"}
    return {**about, "source_hash": row.source_hash, "measurement": text}


def claim() -> tuple[Prediction, Closing]:
    """A prediction and how it came out."""
    base = {"schema_version": 1, "date": "2026-11-29T10:00:00Z", "chip": CHIP, "op": "down"}
    guess = {"gain": 0.05, "incumbent": "stock", "command": "boltbeam x"}
    said = sealed(Prediction.model_validate(base | guess))
    pair = {"candidate_us": (9.0, 9.0), "incumbent_us": (10.0, 10.0)}
    times = {**pair, "aa_spread": 0.01, "aa_pct": (0.1, -0.1)}
    kernels = {"work": WORK.key, "count": 30, "route": "gemv", "geometry": "lanes=8"}
    about = {**kernels, **times, "incumbent": "stock", "protocol": "abba-v1"}
    gain = Interval(low=0.08, mid=0.1, high=0.12)
    came = {"prediction": said.id, "routes": ("gemv",), "answer": "right", "gain": gain}
    pairs = {"compared": (Compared.model_validate(about),)}
    return said, sealed(Closing.model_validate(base | came | pairs))


@pytest.fixture
def asked(shell: Shell) -> Iterator[tuple[LedgerRow, sqlite3.Connection]]:
    """A row, and the database of a ledger and a store that hold it."""
    row, ls = filled(shell.ledger)
    with Store.open(shell.data / "runs.db") as store:
        store.put_all("samples", [sample(row)])
        connection = ledger_query.database(ls, store)
    yield row, connection
    connection.close()


def one(connection: sqlite3.Connection, sql: str) -> list[object]:
    (row,) = ledger_query.answer(connection, sql)[1]
    return list(row.values())


def test_everything_of_the_ledger_can_be_asked(
    asked: tuple[LedgerRow, sqlite3.Connection],
) -> None:
    row, c = asked
    assert one(
        c, "select count(*), sum(candidate_median_us > 30) from rows where kind = 'kernel'"
    ) == [2, 1]
    assert one(c, f"select ratio, ratio_low, file from rows where id = '{row.id}'")[0] == 0.5
    sql = f"select candidate_us, incumbent_us from blocks where row = '{row.id}' order by block"
    blocks = [list(r.values()) for r in ledger_query.answer(c, sql)[1]]
    assert blocks == [list(b) for b in zip(row.candidate_us, row.incumbent_us, strict=True)]
    assert one(c, "select in_force, kind from decisions where kind = 'plan'") == [1, "plan"]
    joined = "decisions join members on members.decision = decisions.id"
    sql = f"select rows.geometry from {joined} join rows on rows.id = members.row where in_force"
    assert one(c, sql) == [row.geometry]
    assert one(c, "select passed from gates where gate = 'whole token'") == [1]
    assert one(c, "select count(*) from evidence where row = '" + row.id + "'") == [1]
    assert one(c, "select illegal, pruned, audit_regret from funnels") == [7, 35, 0.02]
    assert one(c, "select candidates from reasons where stage = 'illegal'") == [7]
    assert one(c, "select value, unit from measured") == [20.0, "GB/s"]
    assert one(c, "select reopen_if, number > 0 from decisions where kind = 'refute'") == [
        "a new driver", 1]  # fmt: skip


def test_raw_samples_are_there_batch_by_batch(asked: tuple[LedgerRow, sqlite3.Connection]) -> None:
    row, c = asked
    sql = f"select us, who from batches where row = '{row.id}' and block = 1 order by turn"
    turns = [tuple(r.values()) for r in ledger_query.answer(c, sql)[1]]
    who = ("candidate", "incumbent", "incumbent", "candidate")
    assert turns == list(zip((20.0, 40.0, 42.0, 22.0), who, strict=True))


@pytest.mark.parametrize(
    "damage",
    [
        {"measurement": "[1"},
        {"measurement": None},
        {"turns": ["CX", "CIIC"]},
        {"turns": ["C"]},
        {"aa_pct": []},
        {"clocks_mhz": [[1.0], [2.0]]},
        {"candidate_us": "x"},
    ],
)
def test_a_damaged_raw_sample_is_left_out(
    damage: dict[str, object], cli: Cli, shell: Shell
) -> None:
    row, _ = filled(shell.ledger)
    kept = sample(row)
    changed = json.loads(str(kept["measurement"])) | damage
    bad = damage if "measurement" in damage else {"measurement": json.dumps(changed)}
    with Store.open(shell.data / "runs.db") as store:
        store.put_all("samples", [{**kept, **bad, "search": "b"}, kept])
    words = ("ledger", "query", "select distinct search from batches", "--format", "json")
    for command in (words, ("show", row.id, "--format", "json"), ("show", row.id)):
        done = cli(*command, "--ledger", shell.ledger)
        said = f"boltbeam: run store: a raw sample of row {row.id} cannot be read and is left out"
        assert (done.code, done.err.splitlines()) == (0, [said])
        assert "5ea2c4" in done.out and '"b"' not in done.out and "search b" not in done.out


def test_columns_that_share_a_name_are_all_there(
    asked: tuple[LedgerRow, sqlite3.Connection],
) -> None:
    names, rows = ledger_query.answer(asked[1], "select 1 as a, 2 as a, 3 as a")
    assert (names, [*rows]) == (["a", "a_2", "a_3"], [{"a": 1, "a_2": 2, "a_3": 3}])


@pytest.mark.parametrize(("fmt", "first"), [("jsonl", '{"x": 1}\n'), ("csv", "x\n")])
def test_lines_are_written_as_they_are_found(fmt: str, first: str, shell: Shell) -> None:
    """Of an answer without end, which no memory holds."""
    sql = "with recursive n(x) as (select 1 union all select x + 1 from n) select x from n"
    child = shell.start("ledger", "query", sql, "--format", fmt)
    late = threading.Timer(10, child.kill)
    late.start()
    try:
        assert child.stdout is not None and child.stdout.readline() == first
        child.stdout.close()
        assert child.wait() == 141
    finally:
        late.cancel()
        child.kill()
        child.communicate()


def test_what_fails_half_way_is_one_line(cli: Cli) -> None:
    sql = "with t(x) as (values (1), (2), (-9223372036854775807 - 1)) select abs(x) as x from t"
    done = cli("ledger", "query", sql, "--format", "jsonl")
    refused(done, 2, "ledger query: integer overflow")
    assert done.out.startswith('{"x": 1}\n')
    assert cli("ledger", "query", sql).out == ""


def test_json_has_no_number_that_json_lacks(cli: Cli, shell: Shell) -> None:
    done = cli("ledger", "query", "select 9e999 as a, -9e999 as b, 0.5 as c", "--format", "json")
    assert json.loads(done.out, parse_constant=pytest.fail) == [{"a": None, "b": None, "c": 0.5}]


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ('"legal": 40', '"legal": 10000000000000000000000000', "funnel.legal"),
        ('"value": 20.0', '"value": 0', "read_gbps of 0 is no rate"),
        ('"value": 20.0', '"value": 1e308', "measured.read_gbps.value: 1e+308 is above 1e+15"),
        ('"chip": "cpu-x86_64-test"', '"chip": "../.."', "chip: '../..' is no id of a chip"),
        ('"floor_us": 20.0', '"floor_us": 1e300', "floor_us: 1e+300 is above 1e+15"),
        ('"comparisons": 5', '"comparisons": 1000000000', "is above 1e+06"),
        ('"mid": 0.5', '"mid": 0', "interval.mid 0 is no ratio of times"),
        ('"aa_spread": 0.003', '"aa_spread": NaN', "NaN is not a number"),
        ('"aa_spread": 0.003', '"aa_spread": 1e999', "aa_spread: Infinity is not a number"),
    ],
)
def test_a_sealed_number_that_cannot_be_is_one_line(
    old: str, new: str, words: str, cli: Cli, shell: Shell, tiny: Callable[..., Path]
) -> None:
    """Its id fits its text, so that nobody doubts the line before its fields are read."""
    filled(shell.ledger)
    (path,) = ledger.files(shell.ledger)
    lines = path.read_text().splitlines()
    at = next(n for n, x in enumerate(lines) if old in x)
    bare = re.sub(r', "id": "\w+"', "", lines[at].replace(old, new, 1), count=1)
    name = hashlib.sha256(bare.encode()).hexdigest()[:12]
    lines[at] = bare.replace(' 1, "kind"', f' 1, "id": "{name}", "kind"', 1)
    path.write_text("\n".join(lines) + "\n")
    given = ("--ledger", shell.ledger)
    where = f"{CHIP}/{path.name}:{at + 1}: "
    refused(cli("ledger", "query", "select 1", *given), 2, where, words)
    page = ("--out", shell.folder / "x.html", "--context", "128")
    done = cli("report", "--model", tiny(), "--chip", CHIP, *page, *given)
    assert "Traceback" not in done.err and done.code in (0, 2)
    done = cli("refute", name, "--reason", "x", "--reopen-if", "driver", *given)
    refused(done, 2, where, words)


def test_predictions_and_closings_have_tables(cli: Cli, shell: Shell) -> None:
    ls = layers(shell.ledger)
    said, closed = claim()
    ls.write([said, closed])
    with contextlib.closing(ledger_query.database(ls, None)) as c:
        assert one(c, "select op, gain, command from predictions") == ["down", 0.05, "boltbeam x"]
        joined = "closings c join predictions p on p.id = c.prediction"
        assert one(c, f"select answer, gain_low, c.gain, routes from {joined}") == [
            "right", 0.08, 0.1, '["gemv"]']  # fmt: skip
        assert one(c, "select closing, candidate_us, incumbent_median_us from compared") == [
            closed.id, "[9.0, 9.0]", 10.0]  # fmt: skip
        assert one(c, "select count(*) from rows") == [0]
    to = shell.folder / "db.sqlite"
    assert cli("ledger", "export", to, "--ledger", shell.ledger).code == 0
    with contextlib.closing(sqlite3.connect(to)) as db:
        assert (closed.id,) in db.execute("select id from closings").fetchall()


def test_a_line_without_a_kernel_is_named_by_its_kind(cli: Cli, shell: Shell) -> None:
    said, closed = claim()
    layers(shell.ledger).write([said, closed])
    for line in (said, closed):
        done = cli("show", line.id, "--source", "--ledger", shell.ledger)
        refused(done, 2, f"a {line.kind} line has no kernel")


@pytest.mark.parametrize(
    ("sql", "word"),
    [
        ("delete from rows", "only reads"),
        ("update rows set chip = 'x'", "only reads"),
        ("insert into rows (id) values ('x')", "only reads"),
        ("drop table rows", "only reads"),
        ("create table x (y)", "only reads"),
        ("create temp table x as select 1", "only reads"),
        ("attach 'planted.db' as x", "only reads"),
        ("vacuum into 'planted.db'", "only reads"),
        ("pragma user_version = 3", "only reads"),
        ("pragma query_only = 0", "only reads"),
        ("begin", "only reads"),
        ("select 1; delete from rows", "one statement"),
        ("selct 1", "syntax error"),
        ("select nope from rows", "lists the tables"),
        ("select * from nope", "lists the tables"),
        ("select verdct from rows", "no such column: verdct; did you mean 'verdict'?"),
        ("select r.rout from rows r", "no such column: r.rout; did you mean 'route'?"),
        ("select gate_s from gates, rows", "did you mean 'gate'?"),
        ("select * from row", "no such table: row; did you mean 'rows'?"),
        ("select mediann(ratio) from blocks", "no such function: mediann; `boltbeam ledger query`"),
        ("", "no SELECT"),
        ("/* nothing */", "no SELECT"),
    ],
)
def test_bad_sql_and_writes_are_one_line(sql: str, word: str, cli: Cli, shell: Shell) -> None:
    refused(cli("ledger", "query", sql), 2, "ledger query:", word)
    assert not list(shell.folder.rglob("planted*"))


def test_answers_in_every_format(cli: Cli, shell: Shell) -> None:
    row, _ = filled(shell.ledger)
    sql = f"select id, geometry, interval_x.* from rows, (select 0.5 as a, null as b) interval_x where id = '{row.id}'"  # noqa: E501
    words = ("ledger", "query", sql, "--ledger", shell.ledger)
    want = {"id": row.id, "geometry": row.geometry, "a": 0.5, "b": None}
    assert json.loads(cli(*words, "--format", "json").out) == [want]
    assert json.loads(cli(*words, "--format", "jsonl").out) == want
    (line,) = csv.DictReader(io.StringIO(cli(*words, "--format", "csv").out))
    assert line == {k: "" if v is None else str(v) for k, v in want.items()}
    assert f"| {row.id} | {row.geometry} | 0.5 |  –" in cli(*words).out
    told = json.loads(cli("ledger", "query", "--ledger", shell.ledger, "--format", "json").out)
    assert {t["table"] for t in told} == set(ledger_query.TABLES)
    assert all(t["holds"] and t["columns"] for t in told)


def test_a_csv_without_rows_has_its_header(cli: Cli) -> None:
    sql = "select id, date as day from rows where id = 'none'"
    assert cli("ledger", "query", sql, "--format", "csv").out == "id,day\n"


def test_the_database_for_datasette(cli: Cli, shell: Shell) -> None:
    filled(shell.ledger)
    words = ("ledger", "export", shell.folder / "db.sqlite", "--ledger", shell.ledger)
    done = cli(*words)
    assert (done.code, done.out) == (0, "") and "ledger lines" in done.err
    with sqlite3.connect(shell.folder / "db.sqlite") as db:
        names = {n for (n,) in db.execute("select name from sqlite_master where type = 'table'")}
        assert names == set(ledger_query.TABLES)
        asked = json.loads(cli("ledger", "query", "select count(*) as n from rows", "--ledger",
                               shell.ledger, "--format", "json").out)  # fmt: skip
        assert db.execute("select count(*) from rows").fetchone()[0] == asked[0]["n"] > 50
        assert db.execute("pragma foreign_key_list(members)").fetchall()
        assert db.execute("pragma integrity_check").fetchone() == ("ok",)
    db.close()
    refused(cli(*words), 2, "exists", "--force")
    assert cli(*words, "--force").code == 0


def test_show_finds_what_was_kept_of_a_row(cli: Cli, shell: Shell) -> None:
    """Raw samples, telemetry and kernel by the row's hash; the text although it renders no more."""
    row, _ = filled(shell.ledger)
    with Store.open(shell.data / "runs.db") as store:
        store.put_all("samples", [sample(row)])
        store.put_all("sources", [{"hash": row.source_hash, "source": "void f() {}"}])
    words = ("show", row.id, "--ledger", shell.ledger)
    said = cli(*words).out
    assert (
        "block 1 (CIIC): candidate 20, 22 µs; incumbent 40, 42 µs; A/A -0.10 %; 1980, 1980 MHz"
        in said
    )
    assert f"boltbeam show {row.id} --source" in said and "11 bytes" in said
    data = json.loads(cli(*words, "--format", "json").out)
    assert data["samples"][0]["measurement"]["batches_us"][0] == [19.0, 39.0, 41.0, 21.0]
    assert data["source"] == "void f() {}"
    kept = cli(*words, "--source")
    assert kept.code == 0 and kept.out == "void f() {}" and "kept when it was measured" in kept.err
