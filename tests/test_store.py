"""The run store under two writers, kill -9, a full disk and corruption; the lock per silicon."""

from __future__ import annotations

import contextlib
import os
import signal
import sqlite3
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import Any

import pytest

from boltbeam.files import write_whole
from boltbeam.measure.locks import TOLD_AFTER_S, lock, silicon, waited_s
from boltbeam.records.store import Store
from boltbeam.types import BoltbeamError

WRITER = """
import sys
from pathlib import Path
from boltbeam.records.store import Store
with Store.open(Path(sys.argv[1])) as store:
    for i in range(int(sys.argv[3])):
        store.put_result("s", f"{sys.argv[2]}-{i}", {"us": i, "blocks": [1.5] * 50})
        print(i, flush=True)
"""


def start(code: str, *args: object, **kwargs: object) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-c", code, *map(str, args)],
        stdout=subprocess.PIPE,
        text=True,
        **kwargs,  # type: ignore[call-overload]
    )


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "data" / "runs.db"


def test_everything_comes_back(path: Path) -> None:
    with Store.open(path) as s:
        assert s.notice is None and not s.find("searches") and s.last_search() is None
        s.begin_search("a", "cpu-x", "h1", {"op": "down"})
        s.put_result("a", "k", {"us": 1.25})
    with sqlite3.connect(path) as db:
        assert db.execute("pragma journal_mode").fetchone() == ("wal",)
    db.close()
    with Store.open(path) as s:
        assert s.result("a", "k") == {"us": 1.25} and s.result("b", "k") is None
        found = s.last_search(finished=False)
        assert found is not None and (found["about"], found["summary"]) == ({"op": "down"}, None)


def test_a_result_is_replaced_and_a_search_resumed(path: Path) -> None:
    with Store.open(path) as s:
        s.begin_search("a", "cpu-x", "h1")
        s.put_result("a", "k", {"us": 1})
        s.begin_search("a", "cpu-x", "h1")
        s.put_result("a", "k", {"us": 2})
        assert s.result("a", "k") == {"us": 2} and len(s.find("results")) == 1
        assert s.last_search() is None
        unfinished = s.last_search("cpu-x", finished=False)
        assert unfinished is not None and unfinished["id"] == "a"
        s.finish_search("a", {"plan": ["row1"]})
        last = s.last_search("cpu-x")
        assert last is not None and last["summary"] == {"plan": ["row1"]}
        assert s.last_search("nv-x") is None


def test_two_processes_write_at_once(path: Path) -> None:
    writers = [start(WRITER, path, name, 60) for name in ("one", "two")]
    for w in writers:
        w.communicate(timeout=60)
    assert [w.returncode for w in writers] == [0, 0]
    with Store.open(path) as s:
        assert len(s.find("results", search="s")) == 120


def test_kill_9_in_mid_write_loses_nothing_that_was_finished(path: Path) -> None:
    writer = start(WRITER, path, "w", 100_000)
    assert writer.stdout is not None
    seen = [writer.stdout.readline() for _ in range(25)]
    writer.send_signal(signal.SIGKILL)
    seen += writer.stdout.readlines()
    writer.communicate(timeout=20)
    finished = {f"w-{int(x)}" for x in seen if x.endswith("\n")}
    with Store.open(path) as s:
        assert s.notice is None
        kept = {r["candidate"] for r in s.find("results", search="s")}
    assert finished <= kept and len(kept) <= len(finished) + 1


@pytest.mark.parametrize("damage", ["text", "pages", "cut"])
def test_a_corrupt_store_is_moved_aside(path: Path, damage: str) -> None:
    with Store.open(path) as s:
        for i in range(200):
            s.put_result("s", f"k{i}", {"blocks": [1.5] * 50})
    data = path.read_bytes()
    broken = {
        "text": b"this is not a database, and it is long enough to be looked at\n" * 40,
        "pages": data[:4096] + os.urandom(len(data) - 4096),
        "cut": data[: len(data) // 2 + 100],
    }[damage]
    path.write_bytes(broken)
    with Store.open(path) as s:
        assert (
            s.notice is not None
            and "\n" not in s.notice
            and "moved to runs.db.corrupt-" in s.notice
        )
        assert s.find("results") == []
        s.put_result("s", "k", {})
    (aside,) = path.parent.glob("runs.db.corrupt-*")
    assert aside.read_bytes() == broken
    with Store.open(path) as s:
        assert s.notice is None and s.result("s", "k") == {}


def test_a_newer_store_is_left_alone(path: Path) -> None:
    Store.open(path).close()
    with sqlite3.connect(path) as db:
        db.execute("pragma user_version = 9")
    db.close()
    with pytest.raises(BoltbeamError, match="newer boltbeam"):
        Store.open(path)


def test_a_place_that_cannot_be_written_is_one_line(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(BoltbeamError, match="run store") as e:
        Store.open(tmp_path / "file" / "runs.db")
    assert "\n" not in str(e.value)


FULL = """
import resource, sys
from pathlib import Path
from boltbeam.records.store import Store
from boltbeam.types import BoltbeamError
store = Store.open(Path(sys.argv[1]))
store.put_result("s", "before", {"us": 1})
resource.setrlimit(resource.RLIMIT_FSIZE, (1 << 17, resource.RLIM_INFINITY))
try:
    for i in range(1000):
        store.put_result("s", f"k{i}", {"blocks": [1.5] * 500})
except BoltbeamError as e:
    print(e)
"""


def test_a_full_disk_is_one_line_and_keeps_what_was_there(path: Path) -> None:
    """The system refuses to let a file grow (RLIMIT_FSIZE), as a full disk does."""
    out, _ = start(FULL, path).communicate(timeout=60)
    assert out.startswith("run store ") and out.count("\n") == 1
    with Store.open(path) as s:
        assert s.notice is None and s.result("s", "before") == {"us": 1}


# ---- the lock ------------------------------------------------------------------------------------

HOLDER = """
import sys, time
from pathlib import Path
from boltbeam.measure.locks import lock
with lock(sys.argv[2], Path(sys.argv[1])):
    print("held", flush=True)
    time.sleep(60)
"""


def test_cpu_and_cl_of_one_machine_are_one_silicon() -> None:
    assert silicon("cpu-x86_64-avx512") == silicon("cl-pocl-x86") == "host"
    assert silicon("nv-sm90-132sm") == "nv-sm90-132sm" and "/" not in silicon("a/../b")


def test_the_lock_excludes_and_dies_with_its_holder(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    holder = start(HOLDER, tmp_path, "cl-pocl")
    assert holder.stdout is not None and holder.stdout.readline() == "held\n"
    with (
        pytest.raises(BoltbeamError, match="another boltbeam"),
        lock("cpu-x", tmp_path, 0.2),
    ):
        pass
    assert capsys.readouterr().err == ""  # who gives up says so by the error
    with lock("nv-sm90", tmp_path, 0.2):
        pass
    threading.Timer(TOLD_AFTER_S + 0.5, holder.kill).start()
    begun, before_s = time.monotonic(), waited_s()
    with lock("cpu-x", tmp_path):
        assert TOLD_AFTER_S < waited_s() - before_s <= time.monotonic() - begun < 5
    assert capsys.readouterr().err == (
        f"boltbeam: another boltbeam (pid {holder.pid}) is timing on cpu-x; waiting for it\n"
    )
    holder.communicate(timeout=20)


def test_the_lock_is_freed_by_an_exception(tmp_path: Path) -> None:
    with pytest.raises(KeyError), lock("cpu-x", tmp_path):
        raise KeyError
    with lock("cpu-x", tmp_path, 0.1):
        pass


def test_the_last_search_is_the_one_finished_last(tmp_path: Path) -> None:
    with Store.open(tmp_path / "runs.db") as store:
        for name in ("long", "short"):
            store.begin_search(name, "cpu-x", "h")
        store.finish_search("short", {})
        store.finish_search("long", {})
        last = store.last_search("cpu-x")
        assert last is not None and last["id"] == "long" and last["finished"] > last["begun"]
        store.finish_search("short", {})  # the same search again
        last = store.last_search("cpu-x")
        assert last is not None and last["id"] == "short"


@pytest.mark.parametrize("folder_takes_files", [True, False])
def test_a_look_at_an_older_store_leaves_it_as_it_is(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, folder_takes_files: bool
) -> None:
    """Its file may be read only, and lack tables and columns."""
    path = tmp_path / "runs.db"
    with Store.open(path) as store:
        store.begin_search("old", "cpu-x", "h")
    with contextlib.closing(sqlite3.connect(path)) as old:
        old.execute("drop table benches")
        old.execute("alter table searches drop column finished")
        old.execute("pragma user_version = 2")
        old.commit()
    before = path.read_bytes()
    path.chmod(0o444)
    monkeypatch.setattr("boltbeam.records.store.user_data", lambda: tmp_path)
    monkeypatch.setattr("os.access", lambda *_: folder_takes_files)
    with Store.existing() as found:
        assert found is not None
        assert found.find("benches", chip="cpu-x") == []
        (search,) = found.find("searches", chip="cpu-x")
        assert search["id"] == "old" and search["finished"] is None
        with pytest.raises(BoltbeamError, match="readonly"):
            found.put_result("old", "c", {})
    assert path.read_bytes() == before


def test_a_store_of_the_first_version_is_taken_over(tmp_path: Path) -> None:
    path = tmp_path / "runs.db"
    with Store.open(path) as store:
        store.begin_search("old", "cpu-x", "h")
        store.put_result("old", "c", {"us": 1})
    with contextlib.closing(sqlite3.connect(path)) as old:
        old.execute("alter table searches drop column finished")
        old.execute("pragma user_version = 1")
        old.commit()
    with Store.open(path) as store:
        store.finish_search("old", {"plan": 1})
        last = store.last_search("cpu-x")
        assert last is not None and last["summary"] == {"plan": 1}
        assert store.result("old", "c") == {"us": 1} and store.result("old", "d") is None


def test_only_regular_files_are_replaced(tmp_path: Path) -> None:
    """A link leads to its file, a pipe or a folder stays what it is."""
    pipe, link, file = tmp_path / "pipe", tmp_path / "link", tmp_path / "file"
    os.mkfifo(pipe)
    file.write_bytes(b"old")
    link.symlink_to(file)
    for place in (pipe, tmp_path):
        with pytest.raises(OSError, match="no regular file"):
            write_whole(place, b"new")
    write_whole(link, b"new")
    assert link.is_symlink() and file.read_bytes() == b"new" and pipe.is_fifo()


def test_a_damaged_result_is_measured_again_and_a_damaged_search_is_one_line(path: Path) -> None:
    with Store.open(path) as s:
        s.begin_search("a", "cpu-x", "h1")
        s.finish_search("a", {"plan": []})
        s.put_result("a", "k", {"us": 1})
        for table, column in (("results", "result"), ("searches", "summary")):
            s._db.conn.execute(f"update {table} set {column} = '[1'")
        assert s.result("a", "k") is None
        with pytest.raises(BoltbeamError, match="search a is damaged; search again"):
            s.last_search()
        s.begin_search("a", "cpu-x", "h1")


@pytest.mark.parametrize("damaged", [{"members": 3}, {"members": True, "table": 5}, [1]])
def test_a_damaged_plan_is_gone_after_the_next_search(tmp_path: Path, damaged: Any) -> None:
    with Store.open(tmp_path / "runs.db") as store:
        for summary in (damaged, {"members": [], "stopped": "budget"}):
            store.begin_search("s", "chip", "h")
            store.finish_search("s", summary)
        last = store.last_search()
        assert last is not None and last["summary"] == {"members": [], "stopped": "budget"}


def test_an_interrupted_search_leaves_the_whole_plan_of_an_earlier_one(tmp_path: Path) -> None:
    whole = {"members": [{"work_key": "w"}], "context": 64, "ledger": "l"}
    with Store.open(tmp_path / "runs.db") as store:
        store.begin_search("s", "chip", "h")
        store.finish_search("s", whole)
        store.begin_search("s", "chip", "h")
        store.finish_search(
            "s", {"members": [], "ops": [], "stopped": "interrupted", "context": 64}
        )
        last = store.last_whole("chip", "h", 64)
        assert last is not None and last["summary"]["members"] == whole["members"]
        better = {"members": [{"work_key": "v"}], "context": 64, "ledger": "l"}
        store.finish_search("s", better)
        found = store.last_whole("chip", "h", 64)
        assert found is not None and found["summary"] == better
