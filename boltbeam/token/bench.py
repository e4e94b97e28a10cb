"""Tokens per second of whole engines in turns: the plan, stock, stock with BEAM, llama.cpp.

Takes an engine with a plan and what else shall run, gives rows with llama-bench's field names,
`engine`, what starting cost and the time to the first token. Never compares numbers of
different turns, machines or token counts.
"""

from __future__ import annotations

import json
import math
import os
import shutil
import statistics
import subprocess
import time
from collections.abc import Callable, Mapping
from contextlib import ExitStack
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import Any

from boltbeam.measure.locks import lock
from boltbeam.models import gguf_model
from boltbeam.seam import tinygrad_adapter as tg
from boltbeam.token.token_gate import WARM_TOKENS, referee_of, stock_of
from boltbeam.token.token_process import Engine, Process
from boltbeam.types import BoltbeamError, Frozen

Sample = Callable[[], float]
"""Runs n_gen tokens and gives the seconds they took."""
BEAM_TIMEOUT_S = 3600.0
REPETITIONS = 3
"""Of a test in one llama-bench; the last one is warm."""


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
    start_s: float
    """Seconds from starting the process until its first tokens were out: loading, compiling, and
    with JITBEAM tinygrad's search where its cache was empty; a plan's kernels are not rendered
    again where an earlier process did. Nothing else starts meanwhile. llama.cpp: one whole
    llama-bench."""
    ttft_n_prompt: int
    ttft_ns: float | None
    """Nanoseconds from a prompt of `ttft_n_prompt` tokens to the first generated token, warm: the
    best of two turns (of tinygrad's engines each the best of three). None: nobody asked."""


@dataclass(frozen=True)
class Peer:
    """One engine that takes its turns."""

    version: str
    backends: str
    sample: Sample
    start_s: float
    first: Sample
    """Seconds from a prompt to the first token."""


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
    realized: bool = False,
    n_prompt: int = 32,
    mine: str = "promoted",
    stock: bool = True,
    look: Callable[[], object] = lambda: None,
) -> tuple[BenchRow, ...]:
    """Rows of the plan (where there is one), stock (but for `stock=False`), and what else was asked
    for.

    `beam_cache`: also stock with JITBEAM=2, its search kept in that private file. `realized`: also
    stock with REALIZE=1, whose weights are unpacked to halves once. `llama_bench`: also llama.cpp
    through its own llama-bench. The first token is timed after a prompt of `n_prompt` tokens, for 0
    not at all.
    Turns A B C C B A, `rounds` times; every tinygrad engine has a fresh process of its own. `say`
    is told before each start and turn; `mine` is the name of the plan's row; `look` is called
    before the turns of the tokens and after each.
    """
    facts = gguf_model.read(engine.model)
    require_fits(engine.context, n_gen, n_depth, n_prompt)
    if llama_bench is not None:
        llama_bench = program(llama_bench)
    engines = tinygrad_engines(engine, beam_cache, realized, mine, stock)
    if not engines and llama_bench is None:
        raise BoltbeamError(
            "bench --no-stock: nothing is left to time: no plan here, no other peer"
        )
    with ExitStack() as stack:
        peers: dict[str, Peer] = {}
        for name, one in engines.items():
            say(f"starting {name}")
            wait = BEAM_TIMEOUT_S if "JITBEAM" in one.env else timeout_s
            began = time.monotonic()
            child = stack.enter_context(Process(one, timeout_s))
            child.ask({"do": "time", "tokens": WARM_TOKENS, "start": n_depth}, wait)
            start_s = time.monotonic() - began
            first = partial(_seconds, child, {"do": "first", "prompt": n_prompt}, wait)
            if n_prompt:
                first()
            job = {"do": "time", "tokens": n_gen, "start": n_depth}
            sample = partial(_seconds, child, job, timeout_s)
            version = f"tinygrad {tg.version()}"
            peers[name] = Peer(version, one.chip.device, sample, start_s, first)
        if llama_bench is not None:
            say("starting llama.cpp")
            peers["llama.cpp"] = _llama(
                LlamaBench(llama_bench, Path(engine.model), n_gen, n_depth, threads, timeout_s),
                n_prompt,
            )
        say(f"timing {', '.join(peers)}")
        with lock(engine.chip.id):
            samples = {name: p.sample for name, p in peers.items()}
            seconds = take_turns(samples, rounds, lambda turn: say(f"tokens, {turn}"), look)
            samples = {name: p.first for name, p in peers.items() if n_prompt}
            firsts = take_turns(samples, 1, lambda turn: say(f"first token, {turn}"))
    size = sum(p.bytes for p in facts.parts)
    return tuple(
        row(
            name,
            p,
            Path(engine.model).name,
            size,
            n_gen,
            n_depth,
            seconds[name],
            n_prompt,
            min(firsts[name]) if n_prompt else None,
        )
        for name, p in peers.items()
    )


def require_fits(context: int, n_gen: int, n_depth: int, n_prompt: int) -> None:
    """BoltbeamError: so many positions exceed the context."""
    if max(n_depth + n_gen, n_prompt + 1) > context:
        raise BoltbeamError(
            f"bench: {n_depth} + {n_gen} tokens, or a prompt of {n_prompt}, exceed the context "
            f"{context}"
        )


def program(path: Path) -> Path:
    """The file that can be run, here or in PATH. BoltbeamError where there is none."""
    found = shutil.which(path.resolve()) or shutil.which(path)
    if found is None:
        raise BoltbeamError(f"bench: {path}: no program that can be run; name a llama-bench")
    return Path(found)


def tinygrad_engines(
    engine: Engine,
    beam_cache: Path | None,
    realized: bool = False,
    mine: str = "promoted",
    with_stock: bool = True,
) -> dict[str, Engine]:
    """Which tinygrad processes a bench starts, by the name of their row.

    `stock` is the one with the right tokens: on the CPU where the chip flushes small halves. It
    starts as tinygrad starts by itself: its start is told.
    """
    stock = referee_of(engine).model_copy(update={"untouched": True})
    out = {mine: engine} if engine.members or engine.table else {}
    if with_stock:
        out["stock"] = stock
        if stock.chip.device != engine.chip.device:
            out["stock, not exact"] = stock_of(engine).model_copy(update={"untouched": True})
    if realized:
        out["realized"] = stock.model_copy(update={"env": {"REALIZE": "1"}})
    if beam_cache is not None:
        env = {"JITBEAM": "2", "CACHEDB": str(beam_cache)}
        out["jitbeam"] = stock.model_copy(update={"env": env})
    return out


def _seconds(child: Process, job: dict[str, Any], timeout_s: float) -> float:
    return float(child.ask(job, timeout_s)["seconds"])


def _llama(sample: LlamaBench, n_prompt: int) -> Peer:
    began = time.monotonic()
    sample()
    start_s = time.monotonic() - began
    return Peer(sample.commit, sample.backends, sample, start_s, lambda: sample.prompt(n_prompt))


class LlamaBench:
    """llama-bench in its own process per call: of REPETITIONS the last one counts.

    In the first ones llama.cpp captures its CUDA graph (about 10 ms on an H200, a tenth of a short
    turn); an engine of ours has its graph before its turns begin.
    """

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
        self.command = [str(binary), "-m", str(model), "-r", str(REPETITIONS), "-o", "json"]
        self.command += ["-d", str(n_depth)] if n_depth else []
        self.command += ["-t", str(threads)] if threads else []

    def __call__(self) -> float:
        """Seconds for n_gen tokens. Raises BoltbeamError when llama-bench fails."""
        return self.read(self._run(0, self.n_gen), "n_gen", self.n_gen)

    def prompt(self, n: int) -> float:
        """Seconds for a prompt of n tokens, the logits after it included. Raises the same."""
        return self.read(self._run(n, 0), "n_prompt", n)

    def _run(self, n_prompt: int, n_gen: int) -> bytes:
        command = [*self.command, "-p", str(n_prompt), "-n", str(n_gen)]
        try:
            done = subprocess.run(
                command, capture_output=True, timeout=self.timeout_s, env=os.environ
            )
        except (OSError, subprocess.TimeoutExpired) as e:
            raise BoltbeamError(f"bench: {self.command[0]}: {e}; is it llama-bench?") from e
        if done.returncode:
            words = done.stderr.decode(errors="replace").strip().splitlines() or ["no output"]
            raise BoltbeamError(f"bench: llama-bench ended with {done.returncode}: {words[-1]}")
        return done.stdout

    def read(self, output: bytes, test: str, n: int) -> float:
        """Seconds of the test of n tokens from its JSON; keeps build and backends. Raises."""
        try:
            found: list[dict[str, Any]] = json.loads(output)
            other = "n_prompt" if test == "n_gen" else "n_gen"
            mine = next(r for r in found if r[test] == n and not r[other])
            self.commit = f"llama.cpp {mine.get('build_commit', '?')}"
            self.commit += f", flash_attn {mine['flash_attn']}" if "flash_attn" in mine else ""
            self.backends = str(mine.get("backends") or mine.get("backend") or "?")
            seconds = float(mine["samples_ns"][-1]) * 1e-9
            if not 1e-6 <= seconds < math.inf:
                raise ValueError("no time")
            return seconds
        except (ValueError, KeyError, TypeError, IndexError, StopIteration) as e:
            said = output.decode(errors="replace").strip().splitlines() or ["nothing"]
            raise BoltbeamError(
                f"bench: {self.command[0]} printed no JSON row for {test} = {n}, but "
                f"'{said[0]:.60}'; is it llama-bench?"
            ) from e


def take_turns(
    turns: Mapping[str, Sample],
    rounds: int,
    say: Callable[[str], None] = lambda _turn: None,
    look: Callable[[], object] = lambda: None,
) -> dict[str, tuple[float, ...]]:
    """Seconds of each engine's samples, in the order A B C C B A, `rounds` times."""
    seconds: dict[str, list[float]] = {name: [] for name in turns}
    order = (*turns, *reversed(tuple(turns))) * rounds
    look()
    for number, name in enumerate(order, start=1):
        say(f"turn {number} of {len(order)}: {name}")
        seconds[name].append(turns[name]())
        look()
    return {name: tuple(s) for name, s in seconds.items()}


def row(
    engine: str,
    peer: Peer,
    model: str,
    size: int,
    n_gen: int,
    n_depth: int,
    seconds: tuple[float, ...],
    n_prompt: int,
    first_s: float | None,
) -> BenchRow:
    """The row of an engine from the seconds of its samples (at least two)."""
    ns = tuple(round(s * 1e9) for s in seconds)
    ts = tuple(n_gen / s for s in seconds)
    return BenchRow(
        engine=engine,
        build_commit=peer.version,
        backends=peer.backends,
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
        start_s=peer.start_s,
        ttft_n_prompt=n_prompt,
        ttft_ns=None if first_s is None else first_s * 1e9,
    )
