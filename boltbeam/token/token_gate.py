"""Whole tokens in fresh processes: do a plan's tokens equal stock's, and is the token faster?

Takes a model file and plan members, gives GateResults and TokenTimes. Never judges by a kernel, and
never runs reference and candidate in one process.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import math
import statistics
import tempfile
import zipfile
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import numpy as np
from pydantic import Field

from boltbeam.files import write_whole
from boltbeam.measure.locks import lock
from boltbeam.models import gguf_model
from boltbeam.records.entries import RECORDED
from boltbeam.seam import tinygrad_adapter as tg
from boltbeam.token.agreement import GateResult, Reply, Trace, judge
from boltbeam.token.install import PromptRates, numerics
from boltbeam.token.token_process import Engine as Engine
from boltbeam.token.token_process import Process, starting
from boltbeam.types import BoltbeamError, ChipFacts, Frozen, GateFailed

TOKENS = 64
WARM_TOKENS = 4
TRIED_TOKENS, TRIALS = 2, 3
"""So many say how slow an engine is, before its turns."""
TURN_RATIO, FEWEST_TOKENS = 4.0, 4
"""An engine's turns need not last longer than so many of the quickest's, with so many tokens."""


class TokenTimes(Frozen):
    """Seconds per token of engines that took turns, one sample per turn."""

    tokens: int
    """Tokens per sample, but for `fewer`."""
    start: int
    """Position of the first of them."""
    seconds: dict[str, tuple[float, ...]]
    fewer: dict[str, int] = Field(default_factory=dict)
    """Tokens per sample of the engines that are many times slower than the quickest."""

    def median_ms(self, name: str) -> float:
        return statistics.median(self.seconds[name]) * 1e3

    def ratios(self, candidate: str, incumbent: str) -> tuple[float, ...]:
        """candidate ÷ incumbent, turn by turn: below 1 is faster."""
        pairs = zip(self.seconds[candidate], self.seconds[incumbent], strict=True)
        return tuple(c / i for c, i in pairs)


def stock_of(engine: Engine) -> Engine:
    """The same model and device without a plan and with tinygrad's default settings."""
    return engine.model_copy(update={"members": (), "table": {}, "env": {}})


def referee_of(engine: Engine) -> Engine:
    """Stock where it can be trusted: on the device itself, or on the CPU where it is not exact."""
    chip = engine.chip
    if not chip.exact_stock:
        chip = ChipFacts(id="cpu", name="stock reference", device="CPU")
    return stock_of(engine).model_copy(update={"chip": chip})


def referee_name(engine: Engine) -> str:
    """`stock`, or `stock on CPU` where stock of the engine's own device is not the reference."""
    return "stock" if engine.chip.exact_stock else f"stock on {referee_of(engine).chip.device}"


@dataclass(frozen=True)
class Reference:
    """Stock's answers to the prompts of a gate."""

    traces: tuple[Trace, ...]
    kv: np.ndarray
    """f16 (layers, 2·KV·context·hd): the KV cache as stock left it after the first trace; no layers
    where the model keeps another state."""


def reference(
    engine: Engine,
    prompts: Sequence[Sequence[int]],
    tokens: int = TOKENS,
    cache: Path | None = None,
    timeout_s: float = 600,
) -> Reference:
    """Stock's greedy ids and logits after each prompt, from its own process or from `cache`."""
    engine = referee_of(engine)
    if not prompts or not all(prompts):
        raise BoltbeamError("token gate: an empty prompt has no next token; give it some text")
    longest = max(len(p) for p in prompts)
    if longest + tokens > engine.context:
        raise BoltbeamError(
            f"token gate: a prompt of {longest} and {tokens} tokens after it exceed the context of "
            f"{engine.context}; search with --context {longest + tokens} or more"
        )
    file = None if cache is None else cache / f"{_reference_name(engine, prompts, tokens)}.npz"
    if file is not None and file.exists():
        with contextlib.suppress(KeyError, ValueError, OSError, zipfile.BadZipFile):
            return _load_reference(file, prompts)
    with tempfile.TemporaryDirectory() as folder, Process(engine, timeout_s) as child:
        out = Path(folder) / "reference.npz"
        job = {"do": "trace", "prompts": _lists(prompts), "tokens": tokens, "out": str(out)}
        child.ask(job, timeout_s)
        if file is not None:
            write_whole(file, out.read_bytes())
        return _load_reference(out, prompts)


def _reference_name(engine: Engine, prompts: Sequence[Sequence[int]], tokens: int) -> str:
    header = gguf_model.fingerprint(engine.model)
    text = json.dumps([_lists(prompts), tokens, engine.context])
    asked = hashlib.sha256(text.encode()).hexdigest()[:12]
    return f"{header}-{engine.chip.device}-{tg.version()}-{asked}"


def _load_reference(file: Path, prompts: Sequence[Sequence[int]]) -> Reference:
    with file.open("rb") as opened, np.load(opened) as data:
        traces = tuple(
            Trace(tuple(p), tuple(int(t) for t in data[f"ids{i}"]), data[f"logits{i}"])
            for i, p in enumerate(prompts)
        )
        return Reference(traces, data["kv"])


@dataclass(frozen=True)
class Candidate:
    """What an engine answered to the traces of a gate."""

    replies: tuple[Reply, ...]
    shared: Reply | None
    """For the first trace again, each position on stock's KV cache, where the model has one."""
    refused: dict[str, str]
    """Entries of its table that are not in use, with the reason."""


def candidate(
    child: Process, traces: Sequence[Trace], kv: np.ndarray, timeout_s: float = 600
) -> Candidate:
    """The engine's logits over each trace's text, and its free-running tokens."""
    with tempfile.TemporaryDirectory() as folder:
        out, stock_kv = Path(folder) / "candidate.npz", Path(folder) / "kv.npy"
        np.save(stock_kv, kv)
        asked = [
            {"text": list(t.text), "prompt": len(t.prompt), "tokens": 0 if t.fed else len(t.ids)}
            for t in traces
        ]
        job = {"do": "reply", "texts": asked, "kv": str(stock_kv), "out": str(out)}
        refused = child.ask(job, timeout_s)["refused"]
        with np.load(out) as data:
            replies = tuple(
                Reply(data[f"logits{i}"], tuple(int(t) for t in data[f"free{i}"]))
                for i in range(len(traces))
            )
            shared = Reply(data["shared"], ()) if "shared" in data else None
            return Candidate(replies, shared, refused)


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
    GateFailed: entries of the engine's table cannot be used here.
    """
    kind = numerics(engine.members)
    with starting(engine, timeout_s) as ready:  # it loads while stock answers
        stock = reference(engine, prompts, tokens, cache, timeout_s)
        traces = stock.traces
        known = recorded_traces(recorded, gguf_model.read(engine.model).header_hash)
        answer = candidate(ready(), (*traces, *known), stock.kv, timeout_s)
    if answer.refused:
        key, why = next(iter(answer.refused.items()))
        raise GateFailed(
            f"token gate: {len(answer.refused)} of {len(engine.table)} schedules cannot be used; "
            f"{key}: {why}"
        )
    replies = answer.replies
    name = referee_name(engine)
    out = [judge(traces, replies[: len(traces)], kind, allowed_gap, against=name)]
    if answer.shared is not None:
        on_cache = f"{name}, on its KV cache"
        out.append(judge(traces[:1], [answer.shared], kind, allowed_gap, against=on_cache))
    if known:
        rest = [Reply(r.logits, ()) for r in replies[len(traces) :]]
        out.append(judge(known, rest, "q8_activations", allowed_gap, against=RECORDED))
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
    starts: Sequence[int] = (0,),
    rounds: int = 3,
    timeout_s: float = 600,
) -> tuple[TokenTimes, ...]:
    """Whole-token times at each start, every engine in its own fresh process: turns A B B A,
    `rounds` times. The processes load and warm up side by side: no turn has begun then."""
    with ExitStack() as stack:
        warm = partial(_seconds, tokens=WARM_TOKENS, start=starts[0], timeout_s=timeout_s)
        coming = {
            name: stack.enter_context(starting(engine, timeout_s, warm))
            for name, engine in engines.items()
        }
        children = {name: ready() for name, ready in coming.items()}
        with lock(next(iter(engines.values())).chip.id):
            return tuple(_turns(children, tokens, start, rounds, timeout_s) for start in starts)


def _turns(
    children: Mapping[str, Process], tokens: int, start: int, rounds: int, timeout_s: float
) -> TokenTimes:
    """Turns of processes that are warm."""
    tried = {
        n: min(_seconds(c, TRIED_TOKENS, start, timeout_s) for _ in range(TRIALS))
        for n, c in children.items()
    }
    each, names = tokens_a_turn(tried, tokens), list(children)
    seconds: dict[str, list[float]] = {name: [] for name in names}
    for name in (*names, *reversed(names)) * rounds:
        took = _seconds(children[name], each[name], start, timeout_s)
        seconds[name].append(took / each[name])
    return TokenTimes(
        tokens=tokens,
        start=start,
        seconds={n: tuple(s) for n, s in seconds.items()},
        fewer={n: k for n, k in each.items() if k < tokens},
    )


def tokens_a_turn(tried: Mapping[str, float], tokens: int) -> dict[str, int]:
    """Tokens of each engine's turns: fewer where they would last TURN_RATIO times the quickest's.

    A turn then ends at an earlier position, which flatters only an engine that is hopelessly slow.
    """
    quickest, least = min(tried.values()), min(FEWEST_TOKENS, tokens)
    return {
        name: max(least, min(tokens, math.ceil(tokens * TURN_RATIO * quickest / seconds)))
        for name, seconds in tried.items()
    }


def _seconds(child: Process, tokens: int, start: int, timeout_s: float) -> float:
    job = {"do": "time", "tokens": tokens, "start": start}
    return float(child.ask(job, timeout_s)["seconds"])


def prompt_rates(engine: Engine, timeout_s: float = 600) -> PromptRates:
    """Microseconds per prompt token by the plan and by stock's prefill, in a fresh process."""
    with Process(engine, timeout_s) as child, lock(engine.chip.id):
        return PromptRates.model_validate(child.ask({"do": "prompt"}, timeout_s))


def _lists(rows: Sequence[Sequence[int]]) -> list[list[int]]:
    return [[int(t) for t in row] for row in rows]
