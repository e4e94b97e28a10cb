"""Tokens per second of whole engines in turns: the plan, stock, stock with BEAM, llama.cpp.

Takes an engine with a plan and what else shall run, gives rows with llama-bench's field names and
`engine`. Never compares numbers of different turns, machines or token counts.
"""

from __future__ import annotations

import json
import os
import statistics
import subprocess
from collections.abc import Callable, Mapping
from contextlib import ExitStack
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from boltbeam import gguf_model
from boltbeam import tinygrad_adapter as tg
from boltbeam.locks import lock
from boltbeam.token_gate import WARM_TOKENS, referee_of, stock_of
from boltbeam.token_process import Engine, Process
from boltbeam.types import BoltbeamError, Frozen

Sample = Callable[[], float]
"""Runs n_gen tokens and gives the seconds they took."""
BEAM_TIMEOUT_S = 3600.0


class BenchRow(Frozen):
    """One engine's result. Fields of llama-bench's JSON keep its names and units."""

    engine: str
    build_commit: str
    """Version of what ran: tinygrad's, or llama.cpp's commit."""
    backends: str
    model_filename: str
    model_size: int
    """Bytes of the tensors."""
    n_prompt: int = 0
    n_gen: int
    n_depth: int
    """Position of the first generated token."""
    test_time: str
    avg_ns: float
    stddev_ns: float
    avg_ts: float
    stddev_ts: float
    samples_ns: tuple[int, ...]
    """Nanoseconds of each sample of n_gen tokens."""
    samples_ts: tuple[float, ...]


def bench(
    engine: Engine,
    n_gen: int = 32,
    n_depth: int = 0,
    rounds: int = 3,
    beam_cache: Path | None = None,
    llama_bench: Path | None = None,
    threads: int | None = None,
    timeout_s: float = 600,
    say: Callable[[str], None] = lambda _text: None,
) -> tuple[BenchRow, ...]:
    """Rows of the plan (where there is one), stock, and what else was asked for.

    `beam_cache`: also stock with JITBEAM=2, its search kept in that private file. `llama_bench`:
    also llama.cpp through its own llama-bench. Turns A B C C B A, `rounds` times; every tinygrad
    engine has a fresh process of its own. `say` is told before each long wait.
    """
    facts = gguf_model.read(engine.model)
    if n_depth + n_gen > engine.context:
        raise BoltbeamError(
            f"bench: {n_depth} + {n_gen} tokens exceed the context {engine.context}"
        )
    versions = {}
    with ExitStack() as stack:
        turns: dict[str, Sample] = {}
        for name, one in tinygrad_engines(engine, beam_cache).items():
            say(f"starting {name}")
            wait = BEAM_TIMEOUT_S if "JITBEAM" in one.env else timeout_s
            child = stack.enter_context(Process(one, timeout_s))
            child.ask({"do": "time", "tokens": WARM_TOKENS, "start": n_depth}, wait)
            turns[name] = _tinygrad(child, n_gen, n_depth, timeout_s)
            versions[name] = (f"tinygrad {tg.version()}", one.chip.device)
        if llama_bench is not None:
            turns["llama.cpp"] = sample = LlamaBench(
                llama_bench, Path(engine.model), n_gen, n_depth, threads, timeout_s
            )
            say("starting llama.cpp")
            sample()
            versions["llama.cpp"] = (sample.commit, sample.backends)
        say(f"timing {', '.join(turns)}")
        with lock(engine.chip.id):
            seconds = take_turns(turns, rounds)
    size = sum(p.bytes for p in facts.parts)
    return tuple(
        row(name, *versions[name], Path(engine.model).name, size, n_gen, n_depth, seconds[name])
        for name in turns
    )


def tinygrad_engines(engine: Engine, beam_cache: Path | None) -> dict[str, Engine]:
    """Which tinygrad processes a bench starts, by the name of their row.

    `stock` is the one with the right tokens: on the CPU where the chip flushes small halves.
    """
    stock = referee_of(engine)
    out = {"promoted": engine} if engine.members or engine.table else {}
    out["stock"] = stock
    if stock.chip.device != engine.chip.device:
        out["stock, not exact"] = stock_of(engine)
    if beam_cache is not None:
        env = {"JITBEAM": "2", "CACHEDB": str(beam_cache)}
        out["jitbeam"] = stock.model_copy(update={"env": env})
    return out


def _tinygrad(child: Process, n_gen: int, n_depth: int, timeout_s: float) -> Sample:
    job = {"do": "time", "tokens": n_gen, "start": n_depth}
    return lambda: float(child.ask(job, timeout_s)["seconds"])


class LlamaBench:
    """One repetition of llama-bench per call, in its own process, decode only."""

    def __init__(
        self,
        binary: Path,
        model: Path,
        n_gen: int,
        n_depth: int,
        threads: int | None,
        timeout_s: float,
    ) -> None:
        self.n_gen, self.timeout_s = n_gen, timeout_s
        self.commit = self.backends = ""
        self.command = [str(binary), "-m", str(model), "-p", "0", "-n", str(n_gen)]
        self.command += ["-r", "1", "-o", "json"]
        self.command += ["-d", str(n_depth)] if n_depth else []
        self.command += ["-t", str(threads)] if threads else []

    def __call__(self) -> float:
        """Seconds for n_gen tokens. Raises BoltbeamError when llama-bench fails."""
        try:
            done = subprocess.run(
                self.command, capture_output=True, timeout=self.timeout_s, env=os.environ
            )
        except (OSError, subprocess.TimeoutExpired) as e:
            raise BoltbeamError(f"bench: {self.command[0]}: {e}; is it llama-bench?") from e
        if done.returncode:
            words = done.stderr.decode(errors="replace").strip().splitlines() or ["no output"]
            raise BoltbeamError(f"bench: llama-bench ended with {done.returncode}: {words[-1]}")
        return self.read(done.stdout)

    def read(self, output: bytes) -> float:
        """Seconds from its JSON; keeps the build and backends. Raises BoltbeamError."""
        try:
            found: list[dict[str, Any]] = json.loads(output)
            mine = next(r for r in found if r["n_gen"] == self.n_gen and not r["n_prompt"])
            self.commit = f"llama.cpp {mine.get('build_commit', '?')}"
            self.backends = str(mine.get("backends", mine.get("backend", "?")))
            return float(mine["samples_ns"][0]) * 1e-9
        except (ValueError, KeyError, TypeError, IndexError, StopIteration) as e:
            raise BoltbeamError(
                f"bench: llama-bench gave no row for {self.n_gen} generated tokens ({e!r})"
            ) from e


def take_turns(turns: Mapping[str, Sample], rounds: int) -> dict[str, tuple[float, ...]]:
    """Seconds of each engine's samples, in the order A B C C B A, `rounds` times."""
    seconds: dict[str, list[float]] = {name: [] for name in turns}
    for name in (*turns, *reversed(tuple(turns))) * rounds:
        seconds[name].append(turns[name]())
    return {name: tuple(s) for name, s in seconds.items()}


def row(
    engine: str,
    version: str,
    backends: str,
    model: str,
    size: int,
    n_gen: int,
    n_depth: int,
    seconds: tuple[float, ...],
) -> BenchRow:
    """The row of an engine from the seconds of its samples (at least two)."""
    ns = tuple(round(s * 1e9) for s in seconds)
    ts = tuple(n_gen / s for s in seconds)
    return BenchRow(
        engine=engine,
        build_commit=version,
        backends=backends,
        model_filename=model,
        model_size=size,
        n_gen=n_gen,
        n_depth=n_depth,
        test_time=datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ"),
        avg_ns=statistics.mean(ns),
        stddev_ns=statistics.stdev(ns),
        avg_ts=statistics.mean(ts),
        stddev_ts=statistics.stdev(ts),
        samples_ns=ns,
        samples_ts=ts,
    )
