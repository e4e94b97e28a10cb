"""A command ends when it is told to, whatever became of tinygrad's own compiling processes."""

from __future__ import annotations

import signal
import subprocess
import sys
import time

import pytest
from cli_cases import Shell

COMMAND = """
import os, signal, sys, time
from boltbeam import cli
from boltbeam.types import BoltbeamError

def compiling(**_):
    from tinygrad.engine import worker
    pool = worker.get_worker_pool()
    pool.map(abs, range(4))
    time.sleep(0.2)
    if "idle" in sys.argv:  # one of them waits for work, and holds the lock of the queue
        for child in pool._pool:
            os.kill(child.pid, signal.SIGKILL)
        assert not pool._inqueue._rlock.acquire(timeout=0.2)
    print(*(child.pid for child in pool._pool), flush=True)
    try:
        sys.stdin.read()
    except KeyboardInterrupt:
        if "tinygrad" in sys.argv:
            worker.terminate_worker_pool()  # as tinygrad does where it compiles
        raise

cli.app = compiling
cli.main()
"""


def started(shell: Shell, *how: str) -> subprocess.Popen[str]:
    """A command that has a pool of two, which are killed or not as `how` says."""
    child = subprocess.Popen(
        [sys.executable, "-c", COMMAND, *how],
        cwd=shell.folder, env=shell.env(PARALLEL="2", DEV="CPU"), stdin=subprocess.PIPE,
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True,
    )  # fmt: skip
    assert child.stdout is not None
    pids = child.stdout.readline().split()
    assert len(pids) == 2, child.communicate()
    return child


def alive(session: int) -> list[str]:
    """Processes of a session that do not end by themselves, and what they are."""
    end, rows = time.monotonic() + 5, ["unknown"]
    while rows and time.monotonic() < end:
        said = subprocess.run(["ps", "-eo", "sid,stat,args"], capture_output=True, text=True).stdout
        words = [x.split(None, 2) for x in said.splitlines()]
        rows = [w[2] for w in words if w[0] == str(session) and w[1][0] != "Z"]
    return rows


@pytest.mark.parametrize("how", ["none", "idle", "idle tinygrad", "tinygrad"])
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_an_interrupted_command_ends(how: str, number: signal.Signals, shell: Shell) -> None:
    child = started(shell, *how.split())
    begun = time.monotonic()
    child.send_signal(number)
    try:
        out, err = child.communicate(timeout=20)
    finally:
        child.kill()
    assert (child.returncode, out, err) == (130, "", "boltbeam: interrupted\n")
    assert time.monotonic() - begun < 5  # a machine with other work
    assert not alive(child.pid)


def test_told_twice_it_ends_without_a_word_more(shell: Shell) -> None:
    child = started(shell, "idle")
    assert child.stderr is not None
    child.send_signal(signal.SIGTERM)
    time.sleep(0.1)
    child.send_signal(signal.SIGTERM)
    try:
        _, err = child.communicate(timeout=20)
    finally:
        child.kill()
    assert child.returncode == 130 and "Traceback" not in err


def test_a_command_that_is_done_ends_too(shell: Shell) -> None:
    child = started(shell, "idle")
    try:
        out, err = child.communicate("", timeout=20)
    finally:
        child.kill()
    assert (child.returncode, out, err) == (0, "", "") and not alive(child.pid)


FINALISERS = """
import sys, time
from boltbeam import cli

class Busy:
    def __del__(self):
        time.sleep(0.3)

def deleting(**_):
    print("ready", flush=True)
    for _ in range(20):
        Busy()
        time.sleep(0.1)

cli.app = deleting
cli.main()
"""


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_in_a_finaliser_is_not_lost(number: signal.Signals, shell: Shell) -> None:
    child = subprocess.Popen(
        [sys.executable, "-c", FINALISERS], env=shell.env(), stdout=subprocess.PIPE,
        stderr=subprocess.PIPE, text=True,
    )  # fmt: skip
    assert child.stdout is not None and child.stdout.readline() == "ready\n"
    time.sleep(0.1)
    child.send_signal(number)
    begun = time.monotonic()
    _, err = child.communicate(timeout=20)
    assert (child.returncode, err) == (130, "boltbeam: interrupted\n")
    assert time.monotonic() - begun < 5
