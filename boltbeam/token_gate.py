"""Whole tokens in fresh processes: do a plan's tokens equal stock's, and is the token faster?

Takes a model file and plan members, gives a GateResult and TokenTimes. Never judges by a kernel,
and never runs reference and candidate in one process. `python -m boltbeam.token_gate` is the child:
one JSON line per job in, one per reply out; arrays travel in .npz files.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import selectors
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Any, Self

import numpy as np
from pydantic import Field

from boltbeam import gguf_model
from boltbeam import tinygrad_adapter as tg
from boltbeam.agreement import GateResult, Reply, Trace, judge
from boltbeam.decode_plan import DecodePlan, Member
from boltbeam.install import numerics, stock_trace
from boltbeam.types import BoltbeamError, ChipFacts, Frozen

TOKENS = 64
WARM_TOKENS = 4


class Engine(Frozen):
    """What a process shall run: stock, or a plan when there are members."""

    model: str
    """Path of the GGUF (any piece of a split one)."""
    chip: ChipFacts
    context: int = 512
    members: tuple[Member, ...] = ()
    env: dict[str, str] = Field(default_factory=dict)
    """tinygrad's own settings for this process, such as JITBEAM."""


class TokenTimes(Frozen):
    """Seconds per token of engines that took turns, one sample per turn."""

    tokens: int
    """Tokens per sample."""
    start: int
    """Position of the first of them."""
    seconds: dict[str, tuple[float, ...]]

    def median_ms(self, name: str) -> float:
        return statistics.median(self.seconds[name]) * 1e3

    def ratios(self, candidate: str, incumbent: str) -> tuple[float, ...]:
        """candidate ÷ incumbent, turn by turn: below 1 is faster."""
        pairs = zip(self.seconds[candidate], self.seconds[incumbent], strict=True)
        return tuple(c / i for c, i in pairs)


# ---- the parent ------------------------------------------------------------------------------


class Process:
    """A fresh process with one engine loaded; jobs are asked one at a time."""

    def __init__(self, engine: Engine, timeout_s: float = 600) -> None:
        """Start and load. Raises BoltbeamError when it dies, hangs or refuses the plan."""
        self.log = tempfile.TemporaryFile()  # noqa: SIM115
        env = {**os.environ, **engine.env, "DEV": engine.chip.device}
        self.child = subprocess.Popen(
            [sys.executable, "-m", "boltbeam.token_gate"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self.log,
            env=env,
        )
        self._rest = b""
        try:
            self.loaded = self.ask(engine.model_dump(mode="json"), timeout_s)
        except BaseException:
            self.close()
            raise

    def ask(self, job: dict[str, Any], timeout_s: float) -> dict[str, Any]:
        """Send a job and wait for its reply. Raises BoltbeamError on an error or time-out."""
        assert self.child.stdin is not None
        try:
            self.child.stdin.write(json.dumps(job).encode() + b"\n")
            self.child.stdin.flush()
        except BrokenPipeError:
            raise self._died() from None
        reply: dict[str, Any] = json.loads(self._line(timeout_s))
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
        return BoltbeamError(
            f"token gate: process ended with {code}: {(lines or ['no output'])[-1]}"
        )

    def close(self) -> None:
        """End the process; harmless when it is gone."""
        if self.child.poll() is None:
            self.child.kill()
        self.child.wait()
        for pipe in (self.child.stdin, self.child.stdout, self.log):
            if pipe is not None and not pipe.closed:
                with contextlib.suppress(BrokenPipeError):
                    pipe.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, e: BaseException | None, tb: TracebackType | None
    ) -> None:
        self.close()


def stock_of(engine: Engine) -> Engine:
    """The same model and device without a plan and with tinygrad's default settings."""
    return engine.model_copy(update={"members": (), "env": {}})


def referee_of(engine: Engine) -> Engine:
    """Stock where it can be trusted: CL without exact halves flushes small scales, so CPU then."""
    chip = engine.chip
    if chip.device.startswith("CL") and not chip.get("half"):
        chip = ChipFacts(id="cpu", name="stock reference", device="CPU")
    return stock_of(engine).model_copy(update={"chip": chip})


@dataclass(frozen=True)
class Reference:
    """Stock's answers to the prompts of a gate."""

    traces: tuple[Trace, ...]
    kv: np.ndarray
    """f16 (layers, 2·KV·context·hd): the KV cache as stock left it after the first trace."""


def reference(
    engine: Engine,
    prompts: Sequence[Sequence[int]],
    tokens: int = TOKENS,
    cache: Path | None = None,
    timeout_s: float = 600,
) -> Reference:
    """Stock's greedy ids and logits after each prompt, from its own process or from `cache`."""
    engine = referee_of(engine)
    longest = max((len(p) for p in prompts), default=0)
    if not longest or longest + tokens > engine.context or not all(prompts):
        raise BoltbeamError(
            f"token gate: prompts of 1 to {engine.context - tokens} tokens are needed for {tokens} "
            f"tokens in a context of {engine.context}; the longest has {longest}"
        )
    file = None if cache is None else cache / f"{_reference_name(engine, prompts, tokens)}.npz"
    if file is not None and file.exists():
        return _load_reference(file, prompts)
    with tempfile.TemporaryDirectory() as folder, Process(engine, timeout_s) as child:
        out = Path(folder) / "reference.npz"
        job = {"do": "trace", "prompts": _lists(prompts), "tokens": tokens, "out": str(out)}
        child.ask(job, timeout_s)
        if file is not None:
            file.parent.mkdir(parents=True, exist_ok=True)
            part = file.with_suffix(f".{os.getpid()}.part")
            part.write_bytes(out.read_bytes())
            part.replace(file)
        return _load_reference(out, prompts)


def _reference_name(engine: Engine, prompts: Sequence[Sequence[int]], tokens: int) -> str:
    header = gguf_model.read(engine.model).header_hash
    text = json.dumps([_lists(prompts), tokens, engine.context])
    asked = hashlib.sha256(text.encode()).hexdigest()[:12]
    return f"{header}-{engine.chip.device}-{tg.version()}-{asked}"


def _load_reference(file: Path, prompts: Sequence[Sequence[int]]) -> Reference:
    with np.load(file) as data:
        traces = tuple(
            Trace(tuple(p), tuple(int(t) for t in data[f"ids{i}"]), data[f"logits{i}"])
            for i, p in enumerate(prompts)
        )
        return Reference(traces, data["kv"])


def candidate(
    engine: Engine, traces: Sequence[Trace], kv: np.ndarray, timeout_s: float = 600
) -> tuple[tuple[Reply, ...], Reply]:
    """The plan's logits over each trace's text, and its free-running tokens.

    The last reply is for the first trace again, each position on the KV cache `kv` of stock.
    """
    with tempfile.TemporaryDirectory() as folder, Process(engine, timeout_s) as child:
        out, stock_kv = Path(folder) / "candidate.npz", Path(folder) / "kv.npy"
        np.save(stock_kv, kv)
        asked = [
            {"text": list(t.text), "prompt": len(t.prompt), "tokens": 0 if t.fed else len(t.ids)}
            for t in traces
        ]
        job = {"do": "reply", "texts": asked, "kv": str(stock_kv), "out": str(out)}
        child.ask(job, timeout_s)
        with np.load(out) as data:
            replies = tuple(
                Reply(data[f"logits{i}"], tuple(int(t) for t in data[f"free{i}"]))
                for i in range(len(traces))
            )
            return replies, Reply(data["shared"], ())


def gate(
    engine: Engine,
    prompts: Sequence[Sequence[int]],
    tokens: int = TOKENS,
    cache: Path | None = None,
    recorded: Path | None = None,
    timeout_s: float = 600,
    allowed_gap: float | None = None,
) -> tuple[GateResult, ...]:
    """Judge a plan against stock, then on stock's KV cache, then against a recorded engine.

    The last only where `recorded` knows this file. The gate is passed when every result is ok.
    """
    kind = numerics(engine.members)
    stock = reference(engine, prompts, tokens, cache, timeout_s)
    traces = stock.traces
    known = recorded_traces(recorded, gguf_model.read(engine.model).header_hash)
    replies, shared = candidate(engine, (*traces, *known), stock.kv, timeout_s)
    out = [
        judge(traces, replies[: len(traces)], kind, allowed_gap),
        judge(traces[:1], [shared], kind, allowed_gap, against="stock, on its KV cache"),
    ]
    if known:
        rest = [Reply(r.logits, ()) for r in replies[len(traces) :]]
        out.append(judge(known, rest, "q8_activations", allowed_gap, against="recorded engine"))
    return tuple(out)


def recorded_traces(file: Path | None, header_hash: str) -> tuple[Trace, ...]:
    """Greedy tokens that another engine recorded for this very file; () for any other file."""
    if file is None:
        return ()
    data = json.loads(file.read_text(encoding="utf-8"))
    if data.get("header_hash") != header_hash:
        return ()
    return tuple(
        Trace(tuple(r["prompt_ids"]), tuple(r["ids"]), gaps=tuple(r["top2_logprob_gap"]))
        for r in data["rows"]
    )


def timing(
    engines: Mapping[str, Engine],
    tokens: int = 32,
    start: int = 0,
    rounds: int = 3,
    timeout_s: float = 600,
) -> TokenTimes:
    """Whole-token times, each engine in its own fresh process: turns A B B A, `rounds` times."""
    seconds: dict[str, list[float]] = {name: [] for name in engines}
    children: dict[str, Process] = {}
    try:
        for name, engine in engines.items():
            children[name] = Process(engine, timeout_s)
            children[name].ask({"do": "time", "tokens": WARM_TOKENS, "start": start}, timeout_s)
        names = list(engines)
        for name in (*names, *reversed(names)) * rounds:
            job = {"do": "time", "tokens": tokens, "start": start}
            seconds[name].append(children[name].ask(job, timeout_s)["seconds"] / tokens)
    finally:
        for child in children.values():
            child.close()
    return TokenTimes(tokens=tokens, start=start, seconds={n: tuple(s) for n, s in seconds.items()})


def _lists(rows: Sequence[Sequence[int]]) -> list[list[int]]:
    return [[int(t) for t in row] for row in rows]


# ---- the child -------------------------------------------------------------------------------


class _Loaded:
    """One engine in this process, answering jobs."""

    def __init__(self, engine: Engine) -> None:
        self.engine = engine
        device = engine.chip.device
        path = Path(engine.model)
        self.model, _ = tg.load_model(path, engine.context, device)
        self.plan: DecodePlan | None = None
        if engine.members:
            facts, files = gguf_model.read(path), gguf_model.files(path)
            self.plan = DecodePlan(
                facts, files, engine.members, device, engine.context, engine.chip, self.model
            )
            if self.plan.fallbacks:
                missing, first = len(self.plan.fallbacks), self.plan.fallbacks[0]
                raise BoltbeamError(f"plan: {missing} gaps; {first.name}: {first.reason}")

    def answer(self, job: dict[str, Any]) -> dict[str, Any]:
        if job["do"] == "trace":
            return self.trace(job["prompts"], job["tokens"], job["out"])
        if job["do"] == "reply":
            return self.reply(job["texts"], np.load(job["kv"]), job["out"])
        if job["do"] == "time":
            return {"seconds": self.time(job["tokens"], job["start"])}
        raise BoltbeamError(f"no job '{job['do']}'")

    def trace(self, prompts: list[list[int]], tokens: int, out: str) -> dict[str, Any]:
        decode = tg.stock_decoder(self.model)
        arrays: dict[str, Any] = {}
        for i, prompt in enumerate(prompts):
            t = stock_trace(decode, prompt, tokens)
            arrays[f"ids{i}"], arrays[f"logits{i}"] = np.array(t.ids), t.logits
            if i == 0:
                layers = range(len(self.model.blk))
                arrays["kv"] = np.stack([tg.read(tg.cache_tensor(self.model, n)) for n in layers])
        np.savez(out, **arrays)
        return {}

    def reply(self, texts: list[dict[str, Any]], kv: np.ndarray, out: str) -> dict[str, Any]:
        assert self.plan is not None
        arrays: dict[str, Any] = {}
        for i, t in enumerate(texts):
            first = t["prompt"] - 1
            arrays[f"logits{i}"] = np.stack(list(self.plan.forced(t["text"], first)))
            free = self.plan.greedy(t["text"][: t["prompt"]], t["tokens"]) if t["tokens"] else ()
            arrays[f"free{i}"] = np.array(free, np.int64)
        for layer, values in enumerate(kv):
            tg.write(tg.cache_tensor(self.model, layer), values)
        arrays["shared"] = self.plan.backwards(texts[0]["text"], texts[0]["prompt"] - 1)
        np.savez(out, **arrays)
        return {}

    def time(self, tokens: int, start: int) -> float:
        """Seconds for `tokens` tokens from position `start`, as each engine's own loop runs."""
        if self.plan is not None:
            self.plan.reset([1] * (start + 1), start)
            self.plan.ids(1)
            began = time.perf_counter()
            for _ in range(tokens):
                self.plan.step()
            self.plan.ids(1)
            return time.perf_counter() - began
        step, token = tg.stock_step(self.model), tg.token_tensor(1)
        began = time.perf_counter()
        for i in range(tokens):
            token = step(token, start + i)
            tg.scalar(token)
        return time.perf_counter() - began


def main() -> int:
    """Child: the engine on the first line, then one job a line, until the input ends."""
    replies = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)
    loaded: _Loaded | None = None
    for line in sys.stdin:
        try:
            if loaded is None:
                loaded, reply = _Loaded(Engine.model_validate_json(line)), {}
            else:
                reply = loaded.answer(json.loads(line))
        except BoltbeamError as e:
            reply = {"error": str(e)}
        replies.write(json.dumps(reply) + "\n")
        replies.flush()
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
