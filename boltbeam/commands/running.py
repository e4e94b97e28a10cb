"""What the commands that run a model do: run and bench.

Takes parsed arguments, gives printed text and rates. Never decides what is promoted.
"""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from boltbeam import report
from boltbeam.commands.plan_in_use import (
    Opened,
    engine_here,
    engine_nominated,
    opened,
    search_nominated,
)
from boltbeam.models import decode_support, gguf_model
from boltbeam.records import ledger
from boltbeam.records.benches import Bench
from boltbeam.records.entries import Decision, Member
from boltbeam.records.ledger import Layers, user_data
from boltbeam.records.store import TABLES
from boltbeam.search import machine
from boltbeam.token.token_process import Engine
from boltbeam.types import BoltbeamError, ModelFacts

TEMPERATURE_MAX = 100
FEWEST_TOKENS = 4
"""Tokens that compile nothing, below which no rate is told."""


def run(
    path: Path,
    prompt: str,
    n: int,
    chip: str,
    raw: bool,
    ignore_eos: bool,
    stock: bool,
    context: int | None,
    ledger_dir: Path | None,
    fmt: str,
    temperature: float = 0.0,
    seed: int | None = None,
    data_dir: Path | None = None,
) -> None:
    """Stream text; with json give ids, rates and what fell back. `data_dir`: where the user's own
    ledger is (default: where everything is)."""
    if not 0 <= temperature <= TEMPERATURE_MAX:
        raise BoltbeamError(
            f"run: --temperature {temperature:g}: it is a number from 0 to {TEMPERATURE_MAX}"
        )
    facts = gguf_model.read(path)
    decode_support.require_runnable(facts)
    decode_support.require_context(facts, context)
    from boltbeam.models.tokenizer import Tokenizer

    tokenizer = Tokenizer.from_gguf(path)
    text = prompt_text(prompt)
    if not raw:
        text = tokenizer.chat([{"role": "user", "content": text}])
    ids = tokenizer.encode(text)
    if not ids:
        raise BoltbeamError("run: the prompt is empty; give it some text")
    if len(ids) + n > facts.context_length:
        raise BoltbeamError(
            f"run: {len(ids)} prompt tokens and -n {n} exceed the model's context of "
            f"{facts.context_length}; shorten the prompt or lower -n"
        )
    if context is not None and len(ids) + n > context:
        raise BoltbeamError(
            f"run: --context {context} must hold {len(ids)} prompt tokens and -n {n}; raise it"
        )
    device, _ = machine.open_device(chip)
    here = machine.local_chip(device)
    layers = Layers.find(ledger_dir=ledger_dir, data_dir=data_dir)
    found = opened(path, facts, here, layers, len(ids) + n, context, stock)
    stop = () if ignore_eos else tuple(tokenizer.end_ids)
    stream(found, tokenizer, ids, n, stop, fmt, temperature, seed)


def prompt_text(prompt: str) -> str:
    """The prompt as typed, or standard input's for `-`. BoltbeamError: closed, or not UTF-8."""
    if prompt == "-" and sys.stdin is None:
        raise BoltbeamError("run: standard input is closed; give the prompt as an argument")
    try:
        text = sys.stdin.read() if prompt == "-" else prompt
        text.encode()  # bytes that are no UTF-8 come as lone surrogates
    except UnicodeError:
        raise BoltbeamError("run: the prompt is not UTF-8; convert it") from None
    return text


def stream(
    found: Opened,
    tokenizer: Any,
    ids: list[int],
    n: int,
    stop: Sequence[int],
    fmt: str,
    temperature: float = 0.0,
    seed: int | None = None,
) -> None:
    """Print text as it comes, rates afterwards: of tokens that compile and capture nothing, from
    the end of the first burst on."""
    from boltbeam.token import install

    installed, decision = found.installed, found.decision
    begun, first = time.perf_counter(), None
    out: list[int] = []
    since, warm = 0.0, 0  # when the tokens began that only replay, and how many these are
    burst = install.burst_of(installed.plan.device) if installed.plan and installed.active else 1
    decoder = tokenizer.stream()
    for token in install.generate(
        installed, ids, n, stop, burst=burst, temperature=temperature, seed=seed
    ):
        now = time.perf_counter()
        first = first or now
        by_stock = installed.prompt_by.startswith("stock") and not temperature
        at_once = 1 if by_stock else burst  # of a plan that takes the prompt, the first ones are
        if since:
            warm += 1
        elif installed.replays(temperature) and len(out) + 1 >= at_once:
            since = now
        out.append(token)
        if fmt == "md" and token not in stop:
            print(decoder.push(token), end="", flush=True)
    end = time.perf_counter()
    late = [f"{u.name}: {u.reason}" for u in installed.refused]
    if late:
        report.say(f"\nboltbeam: tinygrad's own schedule runs: {'; '.join(late)}")
    rate = warm / (end - since) if warm >= FEWEST_TOKENS else None
    facts = {
        "prompt_ids": ids,
        "generated_ids": out,
        "text": tokenizer.decode([t for t in out if t not in stop]),
        "tok_s": rate,
        "tok_s_tokens": warm,
        "time_to_first_token_s": first - begun if first else None,
        "engine": "promoted" if installed.active else "stock",
        "plan": decision.id if decision and installed.active else None,
        "prompt_by": installed.prompt_by,
        "fell_back": [*found.fallbacks, *late],
    }
    if fmt == "md":
        print(decoder.flush())
        report.say(
            f"\n{facts['engine']}: {report.count(len(out), 'token')}, "
            f"{rate_words(rate, warm, len(out))}, first after "
            f"{report.cell(facts['time_to_first_token_s'])} s; prompt by {installed.prompt_by}"
        )
    else:
        print(report.as_json(facts))


def rate_words(rate: float | None, warm: int, n: int) -> str:
    """Tokens per second of the last `warm` of n tokens, or that they are too few."""
    if rate is None:
        return "too few for a rate"
    of = f" (of the last {warm})" if warm < n - 1 else ""
    return f"{report.cell(rate)} tok/s{of}"


def bench(
    path: Path,
    chip: str,
    n_gen: int,
    depths: Sequence[int],
    rounds: int,
    context: int,
    jitbeam: bool,
    realized: bool,
    n_prompt: int,
    llama_bench: Path | None,
    threads: int | None,
    nominated: bool,
    stock: bool,
    ledger_dir: Path | None,
    fmt: str,
    record: bool = False,
) -> None:
    """Whole tokens of every engine in turns, without `stock` those of the others; with `record` one
    new ledger file of them."""
    from boltbeam.token import bench as benches
    from boltbeam.token import bench_record

    facts = gguf_model.read(path)
    decode_support.require_runnable(facts)
    decode_support.require_context(facts, context)
    device, _ = machine.open_device(chip)
    here = machine.local_chip(device)
    layers = Layers.find(ledger_dir=ledger_dir, new=record)
    if record:
        layers.require_writable()
    if nominated:
        engine, decision = engine_nominated(path, facts, here, context), None
    else:
        engine, decision = engine_here(path, facts, here, context, layers)
    about = told(path, facts, engine, decision, nominated, layers) if record else {}
    cache = user_data() / "jitbeam.db" if jitbeam else None
    if cache is not None and cache.exists():
        report.say(f"JITBEAM=2 uses its earlier search in {cache}; delete it to time the search")
    rows: list[dict[str, Any]] = []
    entries: list[Bench] = []
    ended: BoltbeamError | KeyboardInterrupt | None = None
    for depth in depths:
        benches.require_fits(context, n_gen, depth, n_prompt)
    for depth in depths:
        watch = bench_record.Watch(device)
        try:
            timed = benches.bench(
                engine,
                n_gen,
                depth,
                rounds,
                cache,
                llama_bench,
                threads,
                say=report.say,
                realized=realized,
                n_prompt=n_prompt,
                mine="nominated" if nominated else "promoted",
                stock=stock,
                look=watch,
            )
        except (BoltbeamError, KeyboardInterrupt) as e:
            if not rows:
                raise
            ended = e  # what was timed before is printed and kept
            break
        rows += [row.model_dump() for row in timed]
        if record:
            entries.append(bench_record.entry(timed, about, watch.told()))
    unwritten = _write(layers, entries) if record else None
    try:
        with machine.open_store() as store:
            store.put_all("benches", [_kept(r, here.id, facts, context, decision) for r in rows])
    except BoltbeamError as e:  # its table is printed all the same
        unwritten = unwritten or e
    if fmt == "md":
        by_stock = {r["n_depth"]: r["avg_ts"] for r in rows if r["engine"] == "stock"}
        names = ("engine", "n_depth", "avg_ts", "stddev_ts", "start_s", "backends")
        rows = [
            {k: r[k] for k in names}
            | {"ttft_ms": None if r["ttft_ns"] is None else r["ttft_ns"] / 1e6}
            | {"÷ stock": r["avg_ts"] / by_stock[r["n_depth"]] if by_stock else None}
            for r in rows
        ]
    report.table(rows, fmt, f"{path.name} on {here.id}, {n_gen} tokens, in turns")
    if failed := ended or unwritten:
        raise failed


def _write(layers: Layers, entries: Sequence[Bench]) -> BoltbeamError | None:
    """One new ledger file, or its text on stderr; why there is no file, to be told below the table.

    Minutes were measured: a disk that is full now must not lose them.
    """
    try:
        report.say(f"wrote {layers.write(entries)}")
    except BoltbeamError as e:
        text, first = ledger.file_text(entries), entries[0]
        name = f"{first.chip}/{ledger.file_name(text, first.date)}"
        report.say(f"boltbeam: not written; save this as {name} in a ledger folder:")
        report.say(text.rstrip("\n"))
        return e
    return None


def told(
    path: Path,
    facts: ModelFacts,
    engine: Engine,
    decision: Decision | None,
    nominated: bool,
    layers: Layers,
) -> dict[str, Any]:
    """What a recorded bench says beside its times. BoltbeamError: what it rests on is nowhere."""
    from boltbeam.measure import software
    from boltbeam.records.record import Environment
    from boltbeam.token import bench_record

    chip = engine.chip
    members: tuple[Member, ...] = ()
    if nominated:
        search = search_nominated(path, facts, chip, engine.context)
        members = bench_record.nominated(search, engine, layers)
    env = Environment.here(
        chip.id,
        ["boltbeam", *sys.argv[1:]],
        model=facts.name or path.name,
        header_hash=facts.header_hash,
        **software.here(chip.device),
    )
    return bench_record.about(engine, facts, decision, members, layers, env)


def _kept(
    row: dict[str, Any], chip: str, facts: ModelFacts, context: int, decision: Decision | None
) -> dict[str, Any]:
    """What the run store keeps of a row: `boltbeam report` draws it beside the plan."""
    plan = {"plan": decision.id if decision else "", "samples_ns": json.dumps(row["samples_ns"])}
    about = {"chip": chip, "header_hash": facts.header_hash, "context": context, **plan}
    return {name: (row | about)[name] for name in TABLES["benches"][0]}
