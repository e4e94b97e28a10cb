"""Puts a promoted table of Opts to use in tinygrad's stock runner, for one file.

Takes a model file, its loaded Transformer and the ledger, gives an Installation. Never uses a table
whose logits did not agree with stock on this very file, and never drops an entry in silence.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from boltbeam.measure import software
from boltbeam.models import gguf_model
from boltbeam.records import standing
from boltbeam.records.entries import Decision
from boltbeam.records.ledger import Layers
from boltbeam.schedule import schedules
from boltbeam.schedule.schedules import Table
from boltbeam.seam import tinygrad_adapter as tg
from boltbeam.seam import tinygrad_model
from boltbeam.token.agreement import GateResult, Reply, Trace, judge
from boltbeam.token.install import (
    CHECKED_POSITIONS,
    FirstUse,
    Installation,
    Memory,
    stock_trace,
    switched_off,
)
from boltbeam.token.scheduled_runner import TOKENS_TO_CAPTURE, ScheduledRunner
from boltbeam.types import BoltbeamError, ChipFacts, ModelFacts, Uncovered
from boltbeam.worker import Pool

# ---- which table ------------------------------------------------------------------------------


def promoted(
    layers: Layers,
    path: Path,
    facts: ModelFacts,
    chip: ChipFacts,
    least: int,
    wanted: int | None,
    memory: Memory,
    env: Mapping[str, str],
) -> tuple[Decision, int] | None:
    """The table in force whose token is exactly this file's, at the smallest context that fits.

    `env` is for the worker that lists the token of a file that was not seen before.
    """
    tables = [d for d in standing.plans(layers, chip.id).values() if schedules.table_of(d.members)]
    contexts = sorted({c for d in tables for c in d.contexts})
    for context in contexts:
        if context >= least and wanted in (None, context):
            key = token_key(path, facts, chip, context, memory, env)
            found = [d for d in tables if d.scope.plan_key == key]
            if found:
                return found[0], context
    return None


def token_key(
    path: Path,
    facts: ModelFacts,
    chip: ChipFacts,
    context: int,
    memory: Memory,
    env: Mapping[str, str],
) -> str:
    """Plan key of this file's token in tinygrad's own kernels; listed once, then remembered.

    BoltbeamError: tinygrad's runner cannot list it.
    """
    name = memory_name(facts, chip, context)
    key = (memory.get(name) or {}).get("plan_key")
    if not isinstance(key, str):
        args = {"model": str(path), "context": context, "chip": chip.model_dump(exclude_none=True)}
        with Pool(chip.device, 1, env) as pool:
            answer = pool.run("schedule_key", args, schedules.LIST_S)
        if answer.failed is not None:
            raise BoltbeamError(f"{path.name}: no kernels listed: {answer.failed.detail}")
        key = str(answer.value)
        memory.put(name, {"plan_key": key})
    return key


def memory_name(facts: ModelFacts, chip: ChipFacts, context: int) -> str:
    """Under which the plan key of a file's token is remembered."""
    return f"token-key/{facts.header_hash}/{chip.id}/c{context}/{tg.version()}"


# ---- in use -----------------------------------------------------------------------------------


def install(
    model: Any,
    facts: ModelFacts,
    files: Sequence[Path],
    table: Table,
    chip: ChipFacts,
    memory: Memory | None = None,
    say: Callable[[str], None] = lambda _text: None,
) -> Installation:
    """Let `model`'s rollout be captured with the table's schedules, from its second token on.

    The first use of a file (`files`: its pieces, in order) compares logits with stock; where they
    differ stock keeps running and `fallbacks` says why. Entries that cannot be used are in
    `refused` once the token is captured.
    """
    if switched_off():
        return Installation(model, None, (Uncovered(name="plugin", reason="BOLTBEAM=0"),))
    name = table_key(gguf_model.fingerprint(files[0]), table, chip)
    if known := FirstUse.remembered(memory, name):
        check = known
        seeded = schedules.attach(model, table) if check.result.ok else None
    else:
        say(f"first use of this file with these schedules: {CHECKED_POSITIONS} positions")
        runner, result = first_use_check(model, facts, table)
        check, seeded = FirstUse(result=result), runner.seeded
        if memory is not None:
            memory.put(name, check.model_dump(mode="json"))
    out = Installation(model, None, check=check, remembered=known is not None, seeded=seeded)
    out.stock_rollout = tg.jit(model.forward)
    if not check.result.ok:
        out.uninstall()
        reason = f"first use: {check.result.line()}"
        out.fallbacks = (Uncovered(name="schedules", reason=reason),)
    return out


def table_key(fingerprint: str, table: Table, chip: ChipFacts) -> str:
    """Identity of a first-use check: file, table, chip and its software."""
    digest = hashlib.sha256(json.dumps(table, sort_keys=True).encode()).hexdigest()[:16]
    return f"first-use/{fingerprint}/{digest}/{chip.id}/{software.identity(chip.device)}"


def first_use_check(
    model: Any, facts: ModelFacts, table: Table, positions: int = CHECKED_POSITIONS
) -> tuple[ScheduledRunner, GateResult]:
    """Comparison with stock on this file: logits on stock's KV cache and on its own, and tokens.

    The text is seven ids spread over the vocabulary, continued greedily by stock. The tokens are
    the rollout's: its last kernels fuse the choice with the head, where no logits can be seen.
    """
    positions = min(positions, model.max_context)
    text = [facts.vocab * i // 8 for i in range(1, 8)][:positions]
    decode = tinygrad_model.stock_decoder(model)
    trace = stock_trace(decode, text[:1], positions, text[1:])
    runner = ScheduledRunner(model, table)
    runner.capture()
    traces, replies = [], []
    if len(tinygrad_model.read_cache(model)):
        for position, token in enumerate(trace.text[:TOKENS_TO_CAPTURE]):
            decode(token, position)  # what the capture has overwritten
        traces.append(trace)
        replies.append(Reply(runner.backwards(trace.text), ()))
    own = len(text) - 1
    assert trace.logits is not None
    traces.append(Trace(tuple(text), trace.ids[own:], trace.logits[own:]))
    logits = np.stack(list(runner.forced(trace.text, own)))
    replies.append(Reply(logits, runner.greedy(text, positions - own)))
    model._cached_tokens = []
    return runner, judge(traces, replies)
