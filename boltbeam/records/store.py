"""The local run store: what `--resume`, `promote` and the first-use checks need to remember.

Takes searches and finished results, gives them back by id. Never holds a verdict that the ledger
does not, and never leaves this machine.

One SQLite file in WAL mode. Each call commits, so kill -9 loses only what had not finished; several
processes may write at once.
"""

from __future__ import annotations

import contextlib
import json
import os
import sqlite3
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from boltbeam.records.ledger import user_data
from boltbeam.types import WHO, BoltbeamError, ChipFacts, Measurement

STORE_VERSION = 3
BUSY_SECONDS = 60.0
TABLES: dict[str, tuple[dict[str, type], tuple[str, ...]]] = {
    "searches": (
        {
            "id": str,
            "chip": str,
            "header_hash": str,
            "about": str,
            "begun": str,
            "finished": str,
            "summary": str,
        },
        ("id",),
    ),
    "results": (
        {"search": str, "candidate": str, "result": str, "at": str},
        ("search", "candidate"),
    ),
    "candidates": (
        {
            "search": str,
            "work": str,
            "route": str,
            "geometry": str,
            "audit": int,
            "predicted_us": float,
            "measured_us": float,
            "pruned": str,
            "number": float,
            "number_limit": float,
        },
        ("search", "work", "route", "geometry", "audit"),
    ),
    "samples": (
        {"row": str, "search": str, "at": str, "source_hash": str, "measurement": str},
        ("row", "search"),
    ),
    "sources": ({"hash": str, "source": str}, ("hash",)),
    "benches": (
        {
            "chip": str,
            "header_hash": str,
            "context": int,
            "plan": str,
            "engine": str,
            "build_commit": str,
            "backends": str,
            "n_depth": int,
            "n_gen": int,
            "avg_ts": float,
            "stddev_ts": float,
            "samples_ns": str,
            "start_s": float,
            "ttft_n_prompt": int,
            "ttft_ns": float,
            "test_time": str,
        },
        (),
    ),
}
"""Table -> columns and primary key. `candidates`: every candidate that ran a race, and what was
predicted for it; `audit` 1: in the race of an audit, `pruned` being why it had been left out.
`samples`: what was measured for a ledger row, unrounded. `sources`: kernels by their hash."""


class Store:
    """An open run store. Use `Store.open`; close it, or use it as a context manager."""

    def __init__(self, path: Path, connection: sqlite3.Connection, notice: str | None) -> None:
        import sqlite_utils

        self.path = path
        self.notice = notice
        """One line for the user when a corrupt store was moved aside, else None."""
        self._db = sqlite_utils.Database(connection)
        self._guard = threading.RLock()

    @classmethod
    def open(cls, path: Path | None = None) -> Store:
        """Open or make the store at `path` (default: runs.db in the user's data folder).

        A corrupt file is moved aside and a new one begun (`notice` says so). BoltbeamError: the
        folder cannot be written, or a newer boltbeam made the file.
        """
        import filelock

        path = path or user_data() / "runs.db"
        with _explained(path):
            path.parent.mkdir(parents=True, exist_ok=True)
            with filelock.FileLock(path.with_name(path.name + ".lock"), timeout=BUSY_SECONDS):
                notice = None
                if path.exists() and (wrong := _corruption(path)):
                    notice = _move_aside(path, wrong)
                connection = _connect(path)
                return cls._opened(path, connection, notice, prepare=True)

    @classmethod
    @contextmanager
    def existing(cls) -> Iterator[Store | None]:
        """The user's store, for those who only look; None where nothing was ever kept.

        The file stays as it is: what an older boltbeam left out of it reads as empty.
        """
        path = user_data() / "runs.db"
        if not path.exists():
            yield None
            return
        with _explained(path):
            store = cls._opened(path, _connect_to_look(path), None, prepare=False)
        with store:
            yield store

    @classmethod
    def _opened(
        cls, path: Path, connection: sqlite3.Connection, notice: str | None, prepare: bool
    ) -> Store:
        try:
            store = cls(path, connection, notice)
            store._refuse_newer()
            if prepare:
                store._prepare()
        except BaseException:
            connection.close()
            raise
        return store

    def __enter__(self) -> Store:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Close the file; the store cannot be used afterwards."""
        self._db.conn.close()

    # ---- searches and their results --------------------------------------------------------

    def begin_search(self, search: str, chip: str, header_hash: str, about: Any = None) -> None:
        """Note a search; one of that id that exists keeps its start and its results."""
        if not self.find("searches", id=search):
            self._put(
                "searches",
                id=search,
                chip=chip,
                header_hash=header_hash,
                about=json.dumps(about),
                begun=_now(),
                finished=None,
                summary=None,
            )

    def finish_search(self, search: str, summary: Mapping[str, Any]) -> None:
        """Store what the search ended with (its plan, ids of its rows), as JSON; see `after`."""
        before = self.find("searches", id=search)
        with contextlib.suppress(ValueError, TypeError, AttributeError):  # a damaged one is gone
            summary = after(json.loads(before[0]["summary"]), summary)
        with self._locked():
            ended = {"finished": _now(), "summary": json.dumps(summary)}
            self._db["searches"].update(search, ended)

    def last_search(
        self,
        chip: str = "",
        finished: bool = True,
        header_hash: str = "",
        fits: Callable[[Mapping[str, Any]], bool] = lambda _summary: True,
    ) -> dict[str, Any] | None:
        """The search (on a chip, of a file) that was finished last, or begun last of those
        unfinished: {id, chip, header_hash, about, begun, finished, summary}. BoltbeamError: it is
        damaged."""
        rows = self._get(
            "searches",
            "(chip = ? or ? = '') and (header_hash = ? or ? = '') "
            f"and summary is {'not ' if finished else ''}null "
            f"order by {'finished' if finished else 'begun'} desc, rowid desc",
            chip,
            chip,
            header_hash,
            header_hash,
        )
        found = (self._decoded(row, "about", "summary") for row in rows)
        return next((s for s in found if not finished or fits(s["summary"])), None)

    def last_whole(self, chip: str, header_hash: str, context: int) -> dict[str, Any] | None:
        """Of those as `last_search` gives, the last one of this file at this context that found a
        plan (or a table of Opts) for every step: not one of some ops."""

        def fits(summary: Mapping[str, Any]) -> bool:
            return summary.get("context") == context and is_whole(summary)

        return self.last_search(chip, True, header_hash, fits)

    def require_plan(self, search: Mapping[str, Any]) -> None:
        """BoltbeamError: what `last_search` gave is damaged: a plan cannot be read from it."""
        if not is_kept(search["summary"]):
            raise self._damaged(search["id"])

    def put_result(self, search: str, candidate: str, result: Mapping[str, Any]) -> None:
        """Keep a finished candidate's result; it survives kill -9 once this returns."""
        text = json.dumps(result)
        self._put("results", search=search, candidate=candidate, result=text, at=_now())

    def result(self, search: str, candidate: str) -> dict[str, Any] | None:
        """One finished candidate's result; None where there is none that can be read."""
        rows = self._get("results", "search = ? and candidate = ?", search, candidate)
        with contextlib.suppress(ValueError, TypeError):
            found = json.loads(rows[0]["result"]) if rows else None
            return found if isinstance(found, dict) else None
        return None

    # ---- what the ledger has no room for -----------------------------------------------------

    def put_all(self, table: str, records: Iterable[Mapping[str, Any]]) -> None:
        """Keep records of a table; those with the key of an older one take its place."""
        with self._locked():
            self._db[table].insert_all(records, replace=bool(TABLES[table][1]))

    def find(self, table: str, **equal: Any) -> list[dict[str, Any]]:
        """Records whose columns have these values, in the order they were kept."""
        where = " and ".join(f"{name} = ?" for name in equal) or "1"
        return self._get(table, f"{where} order by rowid", *equal.values())

    # ---- inside ----------------------------------------------------------------------------

    def _refuse_newer(self) -> None:
        found = self._db.conn.execute("pragma user_version").fetchone()[0]
        if found > STORE_VERSION:
            raise BoltbeamError(
                f"run store {self.path}: made by a newer boltbeam; upgrade, or name another file"
            )

    def _prepare(self) -> None:
        """Make the tables, and what an older boltbeam left out of them."""
        for name, (columns, pk) in TABLES.items():
            if not self._db[name].exists():
                self._db[name].create(columns, pk=pk or None)
            for column in columns.keys() - self._db[name].columns_dict.keys():
                self._db[name].add_column(column, columns[column])  # made by an older boltbeam
        self._db.conn.execute(f"pragma user_version = {STORE_VERSION}")
        self._db.conn.commit()

    def _put(self, table: str, **record: Any) -> None:
        with self._locked():
            self._db[table].insert(record, replace=bool(TABLES[table][1]))

    def _get(self, table: str, where: str, *values: Any) -> list[dict[str, Any]]:
        with self._locked():
            return list(self._db[table].rows_where(where, values, select=self._columns(table)))

    def _columns(self, table: str) -> str:
        """What to select; null in place of columns that an older boltbeam did not make."""
        there = self._db[table].columns_dict
        names = TABLES[table][0]
        return ", ".join(f'"{n}"' if n in there else f'null as "{n}"' for n in names)

    def _decoded(self, row: dict[str, Any], *names: str) -> dict[str, Any]:
        with contextlib.suppress(ValueError, TypeError):
            found = {n: None if row[n] is None else json.loads(row[n]) for n in names}
            if all(isinstance(v, dict | None) for v in found.values()):
                return row | found
        raise self._damaged(row["id"])

    def _damaged(self, search: str) -> BoltbeamError:
        return BoltbeamError(f"run store {self.path}: search {search} is damaged; search again")

    @contextmanager
    def _locked(self) -> Iterator[None]:
        with self._guard, _explained(self.path):
            yield


def is_whole(summary: Mapping[str, Any]) -> bool:
    """A search ended with a plan for every step, of generated kernels or of tinygrad's own."""
    plans = summary, summary.get("table")
    members = [p.get("members") for p in plans if isinstance(p, Mapping)]
    return any(isinstance(m, list | tuple) and m for m in members)


KEPT = {"model": str, "header_hash": str, "plan_key": str, "context": int, "stopped": str}
"""What every search leaves in its summary, beside its chip and the members of its plan."""
OF_TABLE = ("work_key", "route", "geometry", "row")
OF_PLAN = (*OF_TABLE, "takes", "gives", "evidence")
"""What names a member of a table of Opts, and one of a plan."""


def is_kept(summary: Mapping[str, Any]) -> bool:
    """The summary is as a search leaves it, so that its plan can be read from it."""
    try:
        ChipFacts.model_validate(summary["chip"])
        plan, table = summary["members"], (summary.get("table") or {"members": []})["members"]
        told = [m[n] for m in plan for n in OF_PLAN] + [m[n] for m in table for n in OF_TABLE]
        return (
            all(isinstance(summary[n], kind) for n, kind in KEPT.items())
            and all(isinstance(n, str) for n in told)
            and all(isinstance(m["us"], int | float) for m in (*plan, *table))
        )
    except (LookupError, TypeError, ValueError, AttributeError):
        return False


def after(before: Mapping[str, Any], summary: Mapping[str, Any]) -> Mapping[str, Any]:
    """What is kept of a search that was made before: where only some ops were searched again, or
    it was interrupted, there is no plan: the whole one stays, with those ops in `since`."""
    if summary.get("members") or not is_whole(before):
        return summary
    table = summary.get("table")
    since = sorted({*before.get("since", ()), *(summary.get("ops") or ())})
    tables = {"table": {**table, "ledger": summary["ledger"]}} if table else {}
    cut = {} if summary.get("ops") else {"cut_off": summary.get("stopped", "")}
    return {**before, **tables, **cut, "since": since}


DAMAGED = "a raw sample of row {} cannot be read and is left out"


def raw_sample(record: Mapping[str, Any]) -> Measurement | None:
    """What a record of `samples` holds; None where it is damaged, or of another boltbeam."""
    try:
        m = Measurement.model_validate_json(record["measurement"])
    except (ValidationError, TypeError):
        return None
    blocks = zip(m.turns, m.batches_us, strict=False)
    fit = all(len(turns) == len(us) and set(turns) <= WHO.keys() for turns, us in blocks)
    lengths = {len(m.turns), len(m.batches_us), len(m.aa_pct), len(m.clocks_mhz) or len(m.turns)}
    return m if fit and len(lengths) == 1 and all(len(c) == 2 for c in m.clocks_mhz) else None


def _now() -> str:
    return datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%S.%fZ")


def _connect(path: Path) -> sqlite3.Connection:
    connection = sqlite3.connect(path, timeout=BUSY_SECONDS, check_same_thread=False)
    try:
        connection.execute("pragma journal_mode = wal")
        connection.execute("pragma synchronous = normal")
    except BaseException:
        connection.close()
        raise
    return connection


def _connect_to_look(path: Path) -> sqlite3.Connection:
    """Read only. SQLite puts a file beside the store even then, so a folder that takes none must
    hold a store that nobody writes now: one without a write-ahead log."""
    written = path.with_name(path.name + "-wal").exists()
    still = not written and not os.access(path.parent, os.W_OK)
    name = f"{path.absolute().as_uri()}?mode=ro{'&immutable=1' if still else ''}"
    return sqlite3.connect(name, uri=True, timeout=BUSY_SECONDS, check_same_thread=False)


def _corruption(path: Path) -> str | None:
    """What is wrong with the file, or None. A locked or unwritable file is not corrupt."""
    connection = sqlite3.connect(path, timeout=BUSY_SECONDS)
    try:
        answer = connection.execute("pragma quick_check(1)").fetchone()[0]
        return None if answer == "ok" else str(answer).splitlines()[-1]
    except sqlite3.OperationalError:
        raise
    except sqlite3.DatabaseError as e:
        return str(e)
    finally:
        connection.close()


def _move_aside(path: Path, wrong: str) -> str:
    aside = path.with_name(f"{path.name}.corrupt-{datetime.now(UTC):%Y%m%dT%H%M%S%f}")
    path.rename(aside)
    for suffix in ("-wal", "-shm"):
        extra = path.with_name(path.name + suffix)
        if extra.exists():
            extra.rename(aside.with_name(aside.name + suffix))
    return f"run store {path} was corrupt ({wrong}): moved to {aside.name}, a new one begun"


@contextmanager
def _explained(path: Path) -> Iterator[None]:
    """A full disk, a read-only folder or a busy file becomes one line."""
    import filelock

    try:
        yield
    except filelock.Timeout:
        raise BoltbeamError(f"run store {path}: another process holds it; try again") from None
    except (OSError, sqlite3.Error) as e:
        if type(e) is sqlite3.DatabaseError:
            raise BoltbeamError(
                f"run store {path}: damaged ({e}); the next search moves it aside"
            ) from None
        raise BoltbeamError(
            f"run store {path}: {e}; free space or name a writable folder"
        ) from None
