"""A fresh process with one whole engine in it: stock, a plan, or stock with a table of Opts.

Takes an Engine, answers jobs: stock's traces, a plan's replies, times. Never holds two engines. The
child is this module as `__main__`: one JSON line per job in, one per reply out; arrays travel in
.npz files.
"""

from __future__ import annotations

import json
import os
import queue
import selectors
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from types import TracebackType
from typing import Any, Self

import numpy as np
from pydantic import Field

from boltbeam.emit.core import Buf, Launch, Target
from boltbeam.models import gguf_model
from boltbeam.seam import tinygrad_adapter as tg
from boltbeam.seam import tinygrad_model, tinygrad_programs, tinygrad_render, tinygrad_weights
from boltbeam.token import token_checks, token_launches, token_sources
from boltbeam.token.bindings import Binder
from boltbeam.token.decode_plan import DecodePlan, Member, lower
from boltbeam.token.install import burst_of, first_token, in_question, measure_prompt, stock_trace
from boltbeam.token.scheduled_runner import ScheduledRunner
from boltbeam.types import BoltbeamError, ChipFacts, Frozen, Part
from boltbeam.worker import TINYGRAD_SETTINGS, guard, kill_group


class Engine(Frozen):
    """What a process shall run: stock, a plan when there are members, or stock with a table."""

    model: str
    """Path of the GGUF (any piece of a split one)."""
    chip: ChipFacts
    context: int = 512
    members: tuple[Member, ...] = ()
    table: dict[str, str] = Field(default_factory=dict)
    """Opts for tinygrad's own kernels, by the first digits of their AST keys (schedules.Table)."""
    env: dict[str, str] = Field(default_factory=dict)
    """tinygrad's own settings for this process, such as JITBEAM."""
    untouched: bool = False
    """Stock starts as tinygrad does: nothing of ours makes that faster."""
    several: bool = False
    """Plans come one by one, as jobs, and share the model and their copies of its weights."""
    programs: str = ""
    """Folder where the workers of a search left finished programs."""

    @property
    def keeps_programs(self) -> bool:
        """True where rendered kernels outlive the process; a table decides what is rendered."""
        return not (self.untouched or self.table or self.env)


# ---- the parent ------------------------------------------------------------------------------


Progress = Callable[[str, float], None]
"""What is being done, and which share of the job is done."""
ENDING_S = 3.0
"""Seconds that a process has to end by itself."""


class Process:
    """A fresh process with one engine loaded; jobs are asked one at a time."""

    def __init__(self, engine: Engine, timeout_s: float = 600) -> None:
        """Start and load. Raises BoltbeamError when it dies, hangs or refuses the plan."""
        self.log = tempfile.TemporaryFile()  # noqa: SIM115
        ours = {k: v for k, v in os.environ.items() if k not in TINYGRAD_SETTINGS}
        env = {**ours, **engine.env, "DEV": engine.chip.device}
        self.child = subprocess.Popen(
            [sys.executable, "-m", "boltbeam.token.token_process"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self.log,
            env=env,
            process_group=0,
        )
        self._guard: subprocess.Popen[bytes] | None = guard(self.child)
        self._rest = b""
        try:
            self.loaded = self.ask(engine.model_dump(mode="json"), timeout_s)
        except BaseException:
            self.close()
            raise

    def ask(
        self, job: dict[str, Any], timeout_s: float, progress: Progress | None = None
    ) -> dict[str, Any]:
        """Send a job and wait for its reply; some tell meanwhile how far they are. Raises
        BoltbeamError on an error, or where nothing is heard for so long."""
        assert self.child.stdin is not None
        try:
            self.child.stdin.write(json.dumps(job).encode() + b"\n")
            self.child.stdin.flush()
        except BrokenPipeError:
            raise self._died() from None
        reply: dict[str, Any] = json.loads(self._line(timeout_s))
        while "doing" in reply:
            if progress is not None:
                progress(reply["doing"], reply["share"])
            reply = json.loads(self._line(timeout_s))
        if "error" in reply:
            raise BoltbeamError(f"token gate: {reply['error']}")
        return reply

    def _line(self, timeout_s: float) -> bytes:
        assert self.child.stdout is not None
        end = time.monotonic() + timeout_s
        with selectors.DefaultSelector() as ready:
            ready.register(self.child.stdout, selectors.EVENT_READ)
            while b"\n" not in self._rest:
                if not ready.select(max(0.0, end - time.monotonic())):
                    self.close()
                    raise BoltbeamError(f"token gate: no answer in {timeout_s:.0f} s; stopped")
                data = os.read(self.child.stdout.fileno(), 1 << 16)
                if not data:
                    raise self._died()
                self._rest += data
        line, _, self._rest = self._rest.partition(b"\n")
        return line

    def _died(self) -> BoltbeamError:
        code = self.child.wait()
        self.log.seek(max(0, self.log.seek(0, os.SEEK_END) - 2000))
        lines = self.log.read().decode(errors="replace").strip().splitlines()
        said = (lines or ["no output"])[-1]
        if code == -signal.SIGKILL:
            said = "killed from outside, perhaps for want of memory"
        return BoltbeamError(f"token gate: process ended with {code}: {said}")

    def close(self) -> None:
        """End the process; harmless when it is gone."""
        if self._guard is not None:
            kill_group(self.child, self._guard)
            self._guard = None
        self.log.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, e: BaseException | None, tb: TracebackType | None
    ) -> None:
        if kind is None:
            self.end()
        self.close()

    def end(self) -> None:
        """Let it end by itself, so that it puts away what it shares with its own children."""
        if self.child.stdin is not None:
            with suppress(OSError, subprocess.TimeoutExpired):
                self.child.stdin.close()
                self.child.wait(ENDING_S)


@contextmanager
def starting(
    engine: Engine, timeout_s: float = 600, warm: Callable[[Process], object] = lambda _: None
) -> Iterator[Callable[[], Process]]:
    """A fresh process that loads, and then warms up, while this one does something else.

    The call waits for it and raises as Process does. It ends with the block.
    """
    came: queue.Queue[Process | BaseException] = queue.Queue()
    over = threading.Event()
    held: list[Process] = []

    def start() -> None:
        try:
            child = Process(engine, timeout_s)
        except BaseException as e:
            came.put(e)
            return
        held.append(child)
        try:
            warm(child)
            came.put(child)
        except BaseException as e:
            came.put(e)
        if over.is_set():
            child.close()

    def ready() -> Process:
        found = came.get()
        if isinstance(found, BaseException):
            raise found
        return found

    threading.Thread(target=start, daemon=True).start()
    try:
        yield ready
        for child in held:
            child.end()
    finally:
        over.set()
        for child in held:
            child.close()


# ---- the child -------------------------------------------------------------------------------


def sharing(copies: dict[str, Any]) -> type[Binder]:
    """A Binder whose copies of weights are also those of other plans on the same model."""

    class Sharing(Binder):
        def weight(self, part: Part, buf: Buf) -> Any:
            key = f"{part.name} {buf.dtype}"
            if key not in copies:
                copies[key] = super().weight(part, buf)
            return copies[key]

    return Sharing


class _Loaded:
    """One engine in this process, answering jobs."""

    def __init__(self, engine: Engine, progress: Progress) -> None:
        self.engine, self.progress = engine, progress
        self.ways: dict[int, list[str]] = {}
        """Prompt's length -> the ways through it that may be the quickest; those are warm."""
        device = engine.chip.device
        path = Path(engine.model)
        if engine.keeps_programs:
            tinygrad_programs.keep()
        self.plan: DecodePlan | None = None
        self.plans: dict[str, DecodePlan] = {}
        self.copies: dict[str, Any] = {}
        """Weights that plans hold beside stock's: one copy for all of them."""
        if not (engine.members or engine.several):
            self.model, _ = tinygrad_model.load_model(path, engine.context, device)
        else:
            facts = gguf_model.read(path)
            self.model = tinygrad_weights.load(path, facts, engine.context, device)
        if engine.members:
            self.plan = self.bound(engine.members)
        self.scheduled = ScheduledRunner(self.model, engine.table) if engine.table else None

    def bound(self, members: Sequence[Member]) -> DecodePlan:
        """A plan on the model. BoltbeamError: a step is missing."""
        engine, path = self.engine, Path(self.engine.model)
        facts, files, device = gguf_model.read(path), gguf_model.files(path), engine.chip.device
        about = facts, files, members, device, engine.context, engine.chip, self.model
        plan = DecodePlan(*about, self.lower, sharing(self.copies))
        if plan.fallbacks:
            missing, first = len(plan.fallbacks), plan.fallbacks[0]
            raise BoltbeamError(f"plan: {missing} gaps; {first.name}: {first.reason}")
        return plan

    def lower(self, member: Member, target: Target) -> tuple[Launch, ...]:
        """As usual; what a search has compiled is not rendered again."""
        launches = lower(member, target)
        if self.engine.programs:
            os.environ["BOLTBEAM_PROGRAMS"] = self.engine.programs
            for launch in launches:
                tinygrad_render.prepare(launch, target.device)
        return launches

    def add(self, name: str, members: Sequence[Member]) -> dict[str, Any]:
        """One more plan on the same model, captured by one token."""
        try:
            self.progress("bind it", 0.0)
            plan = self.bound(members)
            self.progress("its first token", 0.5)
            plan.reset([0])
            plan.step()
            plan.ids(1)
        except BoltbeamError:
            raise
        except Exception as e:  # compiler, driver, memory: the other plans may run
            first = (str(e).splitlines() or [""])[0]
            raise BoltbeamError(f"does not run here: {type(e).__name__}: {first}") from e
        self.plans[name] = plan
        return {}

    def answer(self, job: dict[str, Any]) -> dict[str, Any]:
        if job["do"] == "plan":
            return self.add(job["name"], [Member.model_validate(m) for m in job["members"]])
        if "plan" in job:
            self.plan = self.plans[job["plan"]]
        if job["do"] == "trace":
            return self.trace(job["prompts"], job["tokens"], job["out"])
        if job["do"] == "reply":
            return self.reply(job["texts"], np.load(job["kv"]), job["out"])
        if job["do"] == "time":
            return {"seconds": self.time(job["tokens"], job["start"])}
        if job["do"] == "first":
            return {"seconds": self.first(job["prompt"])}
        if job["do"] == "launches":
            return self.launches(job["position"])
        if job["do"] == "check":
            return self.check(job["tokens"], job["position"])
        if job["do"] == "prompt" and self.plan is not None:
            return measure_prompt(self.model, self.plan).model_dump()
        raise BoltbeamError(f"no job '{job['do']}'")

    def trace(self, prompts: list[list[int]], tokens: int, out: str) -> dict[str, Any]:
        decode = tinygrad_model.stock_decoder(self.model)
        arrays: dict[str, Any] = {}
        for i, prompt in enumerate(prompts):
            t = stock_trace(decode, prompt, tokens)
            arrays[f"ids{i}"], arrays[f"logits{i}"] = np.array(t.ids), t.logits
            if i == 0:
                arrays["kv"] = tinygrad_model.read_cache(self.model)
        np.savez(out, **arrays)
        return {}

    def reply(self, texts: list[dict[str, Any]], kv: np.ndarray, out: str) -> dict[str, Any]:
        engine = self.plan or self.scheduled
        assert engine is not None
        arrays: dict[str, Any] = {}
        for i, t in enumerate(texts):
            first = t["prompt"] - 1
            free = engine.greedy(t["text"][: t["prompt"]], t["tokens"]) if t["tokens"] else ()
            arrays[f"free{i}"] = np.array(free, np.int64)
            arrays[f"logits{i}"] = np.stack(list(engine.forced(t["text"], first)))
        if len(kv):
            for layer, values in enumerate(kv):
                tg.write(tinygrad_model.cache_tensor(self.model, layer), values)
            arrays["shared"] = engine.backwards(texts[0]["text"], texts[0]["prompt"] - 1)
        np.savez(out, **arrays)
        return {"refused": self.scheduled.refused if self.scheduled else {}}

    def time(self, tokens: int, start: int) -> float:
        """Seconds for `tokens` tokens from position `start`, as each engine's own loop runs."""
        if self.plan is not None:
            self.plan.reset([1] * (start + 1), start)
            self.plan.ids(1)
            began = time.perf_counter()
            for i in range(1, tokens + 1):
                self.plan.step()
                if i % burst_of(self.plan.device) == 0 or i == tokens:
                    self.plan.ids(1)
            return time.perf_counter() - began
        step, token = tinygrad_model.stock_step(self.model), tinygrad_model.token_tensor(1)
        began = time.perf_counter()
        for i in range(tokens):
            token = step(token, start + i)
            tg.scalar(token)
        return time.perf_counter() - began

    def first(self, prompt: int) -> float:
        """Seconds from a prompt of so many tokens to the first id, warm, by the quicker way."""
        warm = prompt in self.ways
        if not warm:
            ways = ["stock"] if self.plan is None or self.engine.chip.exact_stock else []
            self.ways[prompt] = ways + (["plan"] if self.plan is not None else [])
        best = first_token(self.model, self.plan, prompt, self.ways[prompt], warm=warm)
        self.ways[prompt] = in_question(best)
        return min(best.values())

    def launches(self, position: int) -> dict[str, Any]:
        """What each launch of the captured token costs, alone and empty (a census Token)."""
        chip, path = self.engine.chip, Path(self.engine.model)
        if self.plan is not None:
            source = token_sources.of_plan(self.plan, position)
        else:
            if self.scheduled is not None:
                self.scheduled.capture()
            facts, files = gguf_model.read(path), gguf_model.files(path)
            name = "schedules" if self.scheduled is not None else "stock"
            source = token_sources.of_stock(self.model, facts, files, chip.device, position, name)
        return token_launches.measure(source, chip).model_dump(mode="json")

    def check(self, tokens: list[int], position: int) -> dict[str, Any]:
        """Microseconds of a plain step here, and of stock's forward of several tokens at once."""
        chip = self.engine.chip
        return token_checks.measure(self.model, self.plan, chip, tokens, position, self.progress)


def main() -> int:
    """Child: the engine on the first line, then one job a line, until the input ends."""
    replies = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)
    loaded: _Loaded | None = None

    def answer(reply: Mapping[str, Any]) -> None:
        replies.write(json.dumps(reply) + "\n")
        replies.flush()

    def progress(what: str, share: float) -> None:
        answer({"doing": what, "share": share})

    for line in sys.stdin:
        try:
            if loaded is None:
                loaded, reply = _Loaded(Engine.model_validate_json(line), progress), {}
            else:
                reply = loaded.answer(json.loads(line))
        except BoltbeamError as e:
            reply = {"error": str(e)}
        answer(reply)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
