"""A child that hangs, crashes, exits or babbles is a value for the parent, never an accident."""

from __future__ import annotations

import gc
import os
import signal
import subprocess
import sys
import time
import warnings
from collections.abc import Iterator
from pathlib import Path

import pytest

from boltbeam.worker import Closed, Pool

HERE = Path(__file__).resolve().parent
JOBS = "worker_jobs"
ENV = {"PYTHONPATH": os.pathsep.join([str(HERE), str(HERE.parent)])}


@pytest.fixture
def pool() -> Iterator[Pool]:
    with Pool("CPU", 1, ENV, JOBS) as p:
        yield p


def gone(pid: int, within_s: float = 5) -> bool:
    end = time.monotonic() + within_s
    while time.monotonic() < end:
        try:
            state = Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0]
        except OSError:
            return True
        if state == "Z":
            return True
        time.sleep(0.02)
    return False


def works(pool: Pool) -> bool:
    return pool.run("double", {"x": 21}, 20).value == 42


def test_a_job_returns_its_value(pool: Pool) -> None:
    result = pool.run("double", {"x": 4}, 20)
    assert (result.value, result.failed) == (8, None) and result.seconds > 0


def test_children_see_device_and_private_cache() -> None:
    with Pool("CL", 1, {**ENV, "CACHEDB": "/nowhere/private.db"}, JOBS) as pool:
        assert pool.run("environment", {"name": "DEV"}, 20).value == "CL"
        assert pool.run("environment", {"name": "CACHEDB"}, 20).value == "/nowhere/private.db"


def test_children_inherit_no_setting_that_changes_stock(monkeypatch: pytest.MonkeyPatch) -> None:
    """NOOPT=1 in a shell would make every kernel look 1.5 times better beside its incumbent."""
    for name in ("NOOPT", "BEAM", "TC_OPT"):
        monkeypatch.setenv(name, "1")
    monkeypatch.setenv("MINE", "1")
    with Pool("CPU", 1, ENV, JOBS) as pool:
        seen = {n: pool.run("environment", {"name": n}, 20).value for n in ("NOOPT", "TC_OPT")}
        assert set(seen.values()) == {None} and pool.run("environment", {"name": "MINE"}, 20).value


def test_hanging_job_is_killed_with_what_it_started_and_the_pool_goes_on(pool: Pool) -> None:
    first = pool.run("pid", {}, 20).value
    result = pool.run("hang", {"beside": True}, 0.5)
    assert result.failed is not None and result.failed.reason == "timeout"
    assert result.failed.number == 0.5 and result.seconds < 5
    assert gone(first) and works(pool)
    assert pool.run("pid", {}, 20).value != first


def test_a_child_that_dies_between_two_jobs_leaves_nothing_behind() -> None:
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        with Pool("CPU", 1, ENV, JOBS) as pool:
            assert works(pool)
            [dead] = pool.pids()
            os.kill(dead, signal.SIGKILL)
            assert gone(dead) and works(pool)
        gc.collect()
    assert [str(w.message) for w in said if w.category is ResourceWarning] == []


def test_what_kills_its_child_runs_once(pool: Pool, tmp_path: Path) -> None:
    """Another child takes over what a dying one never began, and nothing else."""
    result = pool.run("note_and_leave", {"path": str(tmp_path / "ran")}, 20)
    assert result.failed is not None and result.failed.reason == "crash"
    assert (tmp_path / "ran").read_text() == "begun " and works(pool)


def test_segfault_is_a_crash_with_its_last_words(pool: Pool) -> None:
    result = pool.run("segfault", {}, 20)
    assert result.failed is not None and result.failed.reason == "crash"
    assert "SIGSEGV" in result.failed.detail and "address 0" in result.failed.detail
    assert works(pool)


@pytest.mark.parametrize("code", [0, 3])
def test_exit_is_a_crash(pool: Pool, code: int) -> None:
    result = pool.run("leave", {"code": code}, 20)
    assert result.failed is not None and result.failed.reason == "crash"
    assert f"exit code {code}" in result.failed.detail and works(pool)


def test_prints_never_reach_the_protocol(pool: Pool) -> None:
    assert pool.run("garbage", {}, 20).value == "true answer"
    assert pool.run("read_stdin", {}, 20).value == ""
    assert works(pool)


def test_exceptions_are_values(pool: Pool) -> None:
    result = pool.run("raises", {"text": "odd rows"}, 20)
    assert result.failed is not None
    assert (result.failed.reason, result.failed.detail) == ("error", "ValueError: odd rows")
    compiled = pool.run("compile_error", {}, 20).failed
    assert compiled is not None and compiled.reason == "compile-error"
    for kind in ("unserialisable", "no_such_job"):
        failed = pool.run(kind, {}, 20).failed
        assert failed is not None and failed.reason == "error"
    assert works(pool)


def test_a_large_answer_arrives_whole(pool: Pool) -> None:
    assert len(pool.run("big", {"n": 3_000_000}, 20).value) == 3_000_000


def test_two_children_work_at_once_and_one_crash_loses_nothing() -> None:
    with Pool("CPU", 2, ENV, JOBS) as pool:
        futures = [pool.submit("double", {"x": i}, 20) for i in range(10)]
        futures.insert(4, pool.submit("segfault", {}, 20))
        results = [f.result() for f in futures]
        assert [r.value for r in results if r.failed is None] == [2 * i for i in range(10)]
        assert sum(r.failed is not None for r in results) == 1


def test_close_kills_children_at_work() -> None:
    pool = Pool("CPU", 1, ENV, JOBS)
    pid = pool.run("pid", {}, 20).value
    working = pool.submit("hang", {}, 600)
    waiting = pool.submit("double", {"x": 1}, 20)
    time.sleep(0.1)
    start = time.monotonic()
    pool.close()
    assert gone(pid) and time.monotonic() - start < 5
    assert waiting.cancelled()
    with pytest.raises(Closed):  # no verdict on the job
        working.result(timeout=5)
    with pytest.raises(RuntimeError):
        pool.submit("double", {"x": 1}, 20)


TIMING = """
import sys
from boltbeam.worker import Pool
if __name__ == "__main__":
    with Pool("CPU", 1, {}, "worker_jobs") as pool:
        pool.run("time_on", {"chip": "cpu-x", "folder": sys.argv[1], "seconds": 60}, 90)
"""


def test_waiting_for_another_command_is_told_once(
    pool: Pool, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """With the other command's id, not its worker's; and it is told how long that took."""
    other = subprocess.Popen(
        [sys.executable, "-c", TIMING, str(tmp_path)], env={**os.environ, **ENV}
    )
    job = {"chip": "cpu-x", "folder": str(tmp_path), "patience_s": 2}
    try:
        while not (tmp_path / "locks" / "host.pid").exists():
            time.sleep(0.05)
        waited = [pool.run("time_on", job, 20) for _ in range(2)]
    finally:
        other.kill()
        other.wait()
    assert all(w.failed and w.failed.reason == "busy" and 2 <= w.waited_s < 5 for w in waited)
    assert pool.run("time_on", job, 20).waited_s < 2
    said = f"boltbeam: another boltbeam (pid {other.pid}) is timing on cpu-x; waiting for it\n"
    assert capsys.readouterr().err == said


PARENT = """
import sys, time
from boltbeam.worker import Pool
if __name__ == "__main__":
    with Pool("CPU", 1, {}, "worker_jobs") as pool:
        print(pool.run("pid", {}, 20).value, pool.run("beside", {}, 20).value, flush=True)
        pool.submit("hang", {}, 600).result()
"""


@pytest.mark.parametrize("sig", [signal.SIGINT, signal.SIGTERM, signal.SIGKILL])
def test_children_and_what_they_started_die_with_the_parent(sig: signal.Signals) -> None:
    parent = subprocess.Popen(
        [sys.executable, "-c", PARENT],
        env={**os.environ, **ENV},
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
    )
    with parent:
        assert parent.stdout is not None
        pids = [int(word) for word in parent.stdout.readline().split()]
        time.sleep(0.2)
        parent.send_signal(sig)
        parent.wait(timeout=10)
    assert len(pids) == 2 and all(map(gone, pids))
