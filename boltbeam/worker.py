"""Child processes that compile, prove, time and probe; what breaks there never breaks the search.

Takes jobs (a kind and JSON arguments) and a time limit, gives a value or an Outcome that says
timeout, crash or error. Never lets a child's prints reach the protocol, never outlives its parent.

Protocol: one JSON line per job to the child's stdin, two JSON lines back on what was its stdout:
that it has begun, and the answer. The child moves both away first, so that whatever prints there
goes to stderr instead.
"""

from __future__ import annotations

import contextlib
import importlib
import json
import os
import queue
import select
import signal
import subprocess
import sys
import threading
import time
from collections import deque
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import Future
from dataclasses import dataclass
from typing import IO, Any

from boltbeam import report
from boltbeam.measure import locks
from boltbeam.types import Outcome, Verdict

JOBS = "boltbeam.search.jobs"
"""Module whose functions are the job kinds: prove, race, compare, probe_part, …"""
BEGUN = {"begun": True}
ALOUD = "boltbeam: "
"""A line that a child prints with this in front is for the user."""
DETAIL_CHARS = 600
TINYGRAD_SETTINGS = frozenset(
    [
        *("ALLOW_TF32", "BEAM", "DEFAULT_FLOAT", "DISABLE_FAST_IDIV", "EMULATED_DTYPES", "FLOAT16"),
        *("HALF", "HCQ2", "IMAGE", "JIT", "JITBEAM", "JIT_BATCH_SIZE"),
        *("MAX_KERNEL_BUFFERS", "NOLOCALS", "NOOPT", "NO_MEMORY_PLANNER", "PCONTIG", "REALIZE"),
        *("SPLIT_REDUCEOP", "TC", "TC_OPT", "TC_SELECT", "TRANSCENDENTAL", "WINO"),
    ]
)
"""Settings of the caller's shell that no child inherits: stock means tinygrad's defaults."""
TINYGRAD_NUMBERS = (TINYGRAD_SETTINGS | {"DEBUG"}) - {"DEFAULT_FLOAT", "EMULATED_DTYPES"}
"""Settings that tinygrad reads as numbers when it is imported."""


@dataclass(frozen=True)
class JobResult:
    """`value` is what the job returned (JSON); `failed` says why there is none."""

    value: Any = None
    failed: Outcome | None = None
    seconds: float = 0.0
    waited_s: float = 0.0
    """Of `seconds`, those in which another process held what it times on."""


@dataclass(frozen=True)
class _Job:
    kind: str
    args: Mapping[str, Any]
    timeout_s: float
    future: Future[JobResult]


class Closed(RuntimeError):
    """The pool was closed while the job ran: what it was doing has no answer."""


class Pool:
    """`n` child processes for `device`. Use as a context manager; leaving it kills them all.

    `env` is added to the children's environment (CACHEDB keeps the user's tinygrad cache
    untouched; CC names a compiler). `jobs` is the module that holds the job functions.
    """

    def __init__(
        self, device: str, n: int = 1, env: Mapping[str, str] | None = None, jobs: str = JOBS
    ) -> None:
        self._queue: queue.Queue[_Job | None] = queue.Queue()
        self._closed = threading.Event()
        ours = {k: v for k, v in os.environ.items() if k not in TINYGRAD_SETTINGS}
        ours[locks.OWNER] = str(os.getpid())
        self._env = {**ours, **(env or {}), "DEV": device}
        self._told: set[str] = set()
        self._children = [_Child(self._env, jobs, self._tell) for _ in range(n)]
        self._threads = [
            threading.Thread(target=self._serve, args=(c,), daemon=True) for c in self._children
        ]
        for t in self._threads:
            t.start()

    def submit(self, kind: str, args: Mapping[str, Any], timeout_s: float) -> Future[JobResult]:
        """Queue a job; its future gets a JobResult, unless `close` comes first.

        Then it is cancelled, or raises Closed where the job had begun: no verdict on the job.
        """
        if self._closed.is_set():
            raise Closed("the pool is closed")
        job = _Job(kind, args, timeout_s, Future())
        self._queue.put(job)
        return job.future

    def run(self, kind: str, args: Mapping[str, Any], timeout_s: float) -> JobResult:
        """Submit and wait."""
        return self.submit(kind, args, timeout_s).result()

    def pids(self) -> tuple[int, ...]:
        """Process ids of the children that live now."""
        return tuple(p for c in self._children if (p := c.pid) is not None)

    def close(self) -> None:
        """Kill every child and cancel what waits. Idempotent."""
        self._closed.set()
        with contextlib.suppress(queue.Empty):
            while (job := self._queue.get_nowait()) is not None:
                job.future.cancel()
        for _ in self._threads:
            self._queue.put(None)
        for child in self._children:
            child.kill()
        for t in self._threads:
            t.join(timeout=5)

    def __enter__(self) -> Pool:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _tell(self, line: str) -> None:
        """What a child says to the user: however many jobs say it, once."""
        if line not in self._told:
            self._told.add(line)
            with contextlib.suppress(OSError):
                report.say(line)

    def _serve(self, child: _Child) -> None:
        while (job := self._queue.get()) is not None:
            if not job.future.set_running_or_notify_cancel():
                continue
            try:
                result = child.do(job)
            except Exception as e:  # a bug here must not leave the caller waiting for ever
                wrong: Exception | None = e
            else:
                wrong = None
            if self._closed.is_set():
                wrong = Closed("killed at work by close")
            if wrong is None:
                job.future.set_result(result)
            else:
                job.future.set_exception(wrong)
        child.kill()


class _Child:
    """One process, started when the first job comes and again after it died."""

    def __init__(self, env: Mapping[str, str], jobs: str, tell: Callable[[str], None]) -> None:
        self._env, self._jobs, self._tell = dict(env), jobs, tell
        self._process: subprocess.Popen[bytes] | None = None
        self._guard: subprocess.Popen[bytes] | None = None
        self._stderr: deque[str] = deque(maxlen=20)
        self._lock = threading.Lock()

    @property
    def pid(self) -> int | None:
        p = self._process
        return p.pid if p is not None and p.poll() is None else None

    def do(self, job: _Job) -> JobResult:
        """Ask the child; one that ends before it has begun is replaced, once."""
        start = time.monotonic()
        line = json.dumps({"kind": job.kind, "args": dict(job.args)}) + "\n"
        for again in (True, False):
            process, begun = self._ensure(), False
            try:
                assert process.stdin is not None
                process.stdin.write(line.encode())
                process.stdin.flush()
                replies = _replies(process, job.timeout_s)
                begun = bool(next(replies))
                reply = next(replies)
            except (BrokenPipeError, EOFError):
                if begun or not again:
                    return self._crashed(process, time.monotonic() - start)
                self.kill()  # it was ending already when the job came
                continue
            except TimeoutError:
                self.kill()
                outcome = _failed("timeout", f"no answer in {job.timeout_s:g} s", job.timeout_s)
                return JobResult(failed=outcome, seconds=time.monotonic() - start)
            break
        seconds = time.monotonic() - start
        failed = _failed(reply["reason"], reply["error"]) if "error" in reply else None
        return JobResult(reply.get("value"), failed, seconds, reply["waited_s"])

    def kill(self) -> None:
        """Kill the process and whatever it started (compilers)."""
        with self._lock:
            self._end()

    def _end(self) -> None:
        if self._process is not None:
            kill_group(self._process, self._guard)
            self._process = self._guard = None

    def _ensure(self) -> subprocess.Popen[bytes]:
        with self._lock:
            if self._process is not None and self._process.poll() is not None:
                self._end()  # it died between two jobs: its pipes and its guard go too
            if self._process is None:
                self._stderr.clear()
                self._process = subprocess.Popen(
                    [sys.executable, "-m", "boltbeam.worker", self._jobs],
                    stdin=subprocess.PIPE,
                    stdout=subprocess.PIPE,
                    stderr=subprocess.PIPE,
                    env=self._env,
                    process_group=0,
                )
                self._guard = guard(self._process)
                pipe = self._process.stderr
                threading.Thread(target=self._drain, args=(pipe,), daemon=True).start()
            return self._process

    def _drain(self, pipe: IO[bytes]) -> None:
        with contextlib.suppress(ValueError, OSError), pipe:
            for raw in pipe:
                line = raw.decode(errors="replace").rstrip()[:300]
                (self._tell if line.startswith(ALOUD) else self._stderr.append)(line)

    def _crashed(self, process: subprocess.Popen[bytes], seconds: float) -> JobResult:
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(timeout=5)
        code = process.returncode
        how = signal.Signals(-code).name if code is not None and code < 0 else f"exit code {code}"
        said = " | ".join(line for line in self._stderr if line)[-DETAIL_CHARS:]
        self.kill()
        return JobResult(
            failed=_failed("crash", f"{how}: {said}" if said else how), seconds=seconds
        )


def guard(child: subprocess.Popen[bytes]) -> subprocess.Popen[bytes]:
    """A shell in the process group that `child` leads; it kills the group when this process ends.

    However this process ends, kill -9 too: the system closes the pipe that the shell reads. The
    group holds whatever the child started, compilers too; Ctrl-C at the terminal does not reach it.
    """
    return subprocess.Popen(
        ["sh", "-c", "read _; kill -9 0"],
        stdin=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        process_group=child.pid,
    )


def kill_group(child: subprocess.Popen[bytes], its_guard: subprocess.Popen[bytes] | None) -> None:
    """End a child, all that it started and its guard; harmless when they are gone."""
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(child.pid, signal.SIGKILL)
    for p in (child, its_guard):
        if p is not None:
            p.wait()
            for pipe in (p.stdin, p.stdout):
                if pipe is not None:
                    with contextlib.suppress(OSError):
                        pipe.close()


def _failed(reason: str, detail: str, number: float | None = None) -> Outcome:
    return Outcome(verdict=Verdict.failed, reason=reason, number=number, detail=detail)


def _replies(process: subprocess.Popen[bytes], timeout_s: float) -> Iterator[dict[str, Any]]:
    """BEGUN, then the answer. Raises TimeoutError, or EOFError when the child is gone."""
    assert process.stdout is not None
    fd, data, deadline = process.stdout.fileno(), b"", time.monotonic() + timeout_s
    while True:
        while b"\n" not in data:
            left = deadline - time.monotonic()
            if left <= 0:
                raise TimeoutError
            if select.select([fd], [], [], min(left, 1.0))[0]:
                chunk = os.read(fd, 1 << 16)
                if not chunk:
                    raise EOFError
                data += chunk
        line, _, data = data.partition(b"\n")
        answer = json.loads(line)
        assert isinstance(answer, dict)
        yield answer


# ---- in the child ----------------------------------------------------------------------------


def main(jobs: str = JOBS) -> None:
    """Answer jobs until stdin closes; then leave at once."""
    source, answers = _private_pipes()
    lines: queue.Queue[bytes] = queue.Queue()
    threading.Thread(target=_listen, args=(source, lines), daemon=True).start()
    while True:
        request = json.loads(lines.get())
        _say(answers, BEGUN)
        before_s = locks.waited_s()
        answer = _answer(jobs, request)
        _say(answers, {**answer, "waited_s": locks.waited_s() - before_s})


def _say(answers: IO[bytes], reply: Mapping[str, Any]) -> None:
    answers.write((json.dumps(reply) + "\n").encode())
    answers.flush()


def _answer(jobs: str, request: Mapping[str, Any]) -> dict[str, Any]:
    try:
        job: Callable[..., Any] = getattr(importlib.import_module(jobs), request["kind"])
        return json.loads(json.dumps({"value": job(**request["args"])}))  # type: ignore[no-any-return]
    except Exception as e:
        text = str(e).strip()
        known = "compile-error" if type(e).__name__ == "CompileError" else "error"
        own = getattr(type(e), "reason", None)  # a code that one of our exceptions carries
        reason = own if isinstance(own, str) else known
        return {"reason": reason, "error": f"{type(e).__name__}: {text}"[:DETAIL_CHARS]}


def _private_pipes() -> tuple[IO[bytes], IO[bytes]]:
    """Take stdin and stdout for the protocol; prints go to stderr, reads find nothing."""
    source, answers = os.fdopen(os.dup(0), "rb"), os.fdopen(os.dup(1), "wb")
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.dup2(2, 1)
    return source, answers


def _listen(source: IO[bytes], lines: queue.Queue[bytes]) -> None:
    for line in source:
        lines.put(line)
    os._exit(0)


if __name__ == "__main__":
    main(*sys.argv[1:])
