"""The plan that is promoted for a file on this chip, and the model with it installed.

Takes a model file, the ledger and a chip, gives a Decision and an Installation. Never searches, and
never lets a plan run that was measured otherwise or did not pass its first-use check.
"""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from boltbeam import report
from boltbeam.models import decode_support, gguf_model
from boltbeam.models.plan import model_plan_key
from boltbeam.records import standing
from boltbeam.records.entries import Decision
from boltbeam.records.ledger import Layers
from boltbeam.records.store import Store
from boltbeam.schedule import schedules
from boltbeam.seam import toolchain
from boltbeam.search import machine
from boltbeam.search.search_session import Memory
from boltbeam.token import promotion
from boltbeam.token.token_process import Engine
from boltbeam.types import BoltbeamError, ChipFacts, ModelFacts, Uncovered

CONTEXTS = (512, 1024, 2048, 4096, 8192, 16384, 32768)
"""Buckets of the KV cache for stock; a plan is promoted for the ones it was gated at."""


def bucket(least: int, wanted: int | None) -> int:
    """Positions of the KV cache where no plan says so."""
    return wanted or next((c for c in CONTEXTS if c >= least), least)


def say_nothing_in(layers: Layers) -> None:
    """Name ledger files that hold nothing: a plan in force, or its end, may have stood there."""
    if names := layers.nothing_in():
        more = f" and {len(names) - 1} more" if len(names) > 1 else ""
        report.say(f"boltbeam: ledger file {names[0]}{more}: nothing in it; see ledger check")


def plan_here(
    path: Path,
    facts: ModelFacts,
    chip: ChipFacts,
    layers: Layers,
    least: int,
    wanted: int | None,
) -> tuple[Decision | None, int, str]:
    """(plan in force that fits, context, why none): the smallest promoted bucket that is enough."""
    if reason := decode_support.no_generated_decode(facts):
        return None, bucket(least, wanted), reason
    known = []
    gated = {c for d in standing.plans(layers, chip.id).values() for c in d.contexts}
    for context in sorted({*CONTEXTS, *gated, *([wanted] if wanted else [])}):
        key = model_plan_key(facts, context)
        decision = standing.active_plan(layers, chip.id, key)
        if decision is not None:
            known.append(context)
            if context >= least and wanted in (None, context):
                return decision, context, ""
    context = bucket(least, wanted)
    have = f"promoted for {', '.join(map(str, known))} positions only" if known else "none promoted"
    model, kind = shlex.quote(str(path)), chip.id.split("-")[0]
    do = f"boltbeam search --model {model} --chip {kind} --context {context}, then promote"
    do += ", or name the ledger folder where that was done"
    return None, context, f"{have}; needed {report.count(least, 'position')} on {chip.id}: {do}"


def decided(
    path: Path,
    facts: ModelFacts,
    chip: ChipFacts,
    layers: Layers,
    least: int,
    wanted: int | None,
    store: Store,
) -> tuple[Decision | None, int, str]:
    """(plan or table of Opts in force that fits, context, why none)."""
    from boltbeam.token import schedule_install

    decision, context, why = plan_here(path, facts, chip, layers, least, wanted)
    if decision is not None:
        return decision, context, ""
    memory, env = Memory(store, "first-use"), toolchain.environment()
    table = schedule_install.promoted(layers, path, facts, chip, least, wanted, memory, env)
    return (*table, "") if table else (None, context, why)


def largest_here(path: Path, facts: ModelFacts, chip: ChipFacts, layers: Layers) -> int | None:
    """The largest context that anything in force was promoted for, of this file on this chip."""
    gated = {c for d in standing.plans(layers, chip.id).values() for c in d.contexts}
    with machine.open_store() as store:
        for context in sorted(gated, reverse=True):
            if decided(path, facts, chip, layers, context, context, store)[0] is not None:
                return context
    return None


def engine_here(
    path: Path, facts: ModelFacts, chip: ChipFacts, context: int, layers: Layers
) -> tuple[Engine, Decision | None]:
    """What would decode this file here at a context: the plan or table in force that may be used,
    with its decision; else stock, and says why."""
    say_nothing_in(layers)
    with machine.open_store() as store:
        decision, _, why = decided(path, facts, chip, layers, 1, context, store)
    if decision is not None:
        engine = promotion.engine_of(decision, path, facts, chip, context, layers)
        no = promotion.unusable(decision, engine.members, chip, report.say, layers)
        if no is None:
            return engine, decision
        why = no.reason
    report.say(f"boltbeam: stock is measured, no plan here: {why}")
    return Engine(model=str(path), chip=chip, context=context), None


def search_nominated(
    path: Path, facts: ModelFacts, chip: ChipFacts, context: int
) -> dict[str, Any]:
    """The last search of this whole file on this chip. BoltbeamError: none found a whole plan."""
    with machine.open_store() as store:
        last = store.last_whole(chip.id, facts.header_hash, context)
        if last is not None:
            store.require_plan(last)
    if last is None or not last["summary"]["members"]:
        raise BoltbeamError(
            f"--nominated: no search on {chip.id} found a whole plan of {path.name} at a "
            f"context of {context}; search it first"
        )
    return last


def engine_nominated(path: Path, facts: ModelFacts, chip: ChipFacts, context: int) -> Engine:
    """What `search_nominated` found, promoted or not. Says where that file had other weights."""
    last = search_nominated(path, facts, chip, context)
    found = last["summary"]
    if found.get("fingerprint") != gguf_model.fingerprint(path):
        known = "had other weights" if "fingerprint" in found else "did not record its weights"
        report.say(
            f"boltbeam: search {last['id']} was of {found['model']}, which has this header and "
            f"{known}: the kernels fit, but were not searched for this file"
        )
    return promotion.engine_found(found["members"], path, facts, chip, context)


@dataclass(frozen=True)
class Opened:
    """A loaded model, the decision it runs by, and why stock runs where it does."""

    installed: Any
    decision: Decision | None
    fallbacks: tuple[str, ...]


def without_plan(stock: bool) -> str:
    """Why no plan is looked for, or ''."""
    from boltbeam.token import install

    return "plan: --stock" if stock else "plugin: BOLTBEAM=0" if install.switched_off() else ""


def opened(
    path: Path,
    facts: ModelFacts,
    chip: ChipFacts,
    layers: Layers,
    least: int,
    context: int | None,
    stock: bool,
) -> Opened:
    """The model with the plan (or table) that is promoted for `least` positions; says fallbacks.

    Stock needs no ledger, and none is read for it.
    """
    no_plan = without_plan(stock)
    with machine.open_store() as store:
        if no_plan:
            decision, size, why = None, bucket(least, context), no_plan
        else:
            say_nothing_in(layers)
            decision, size, why = decided(path, facts, chip, layers, least, context, store)
            why = f"plan: {why}"
        made = installation(path, facts, chip, layers, decision, size, store)
    fallbacks = [f"{u.name}: {u.reason}" for u in made.fallbacks]
    fallbacks += [why] if decision is None else []
    if fallbacks:
        report.say(f"boltbeam: stock runs: {'; '.join(fallbacks)}")
    return Opened(made, decision, tuple(fallbacks))


def installation(
    path: Path,
    facts: ModelFacts,
    chip: ChipFacts,
    layers: Layers,
    decision: Decision | None,
    context: int,
    store: Store,
    model: Any = None,
) -> Any:
    """The model with the plan installed, or stock where there is none or it does not pass.

    `model`: one that the caller loaded; it stays what it is where stock must do.
    """
    from boltbeam.seam import tinygrad_model, tinygrad_programs, tinygrad_weights
    from boltbeam.token import install

    def stock(fallbacks: Sequence[Uncovered] = ()) -> Any:
        if model is not None:
            return install.Installation(model, None, tuple(fallbacks))
        return right_stock(path, context, chip, fallbacks)

    if decision is None:
        return stock()
    memory = Memory(store, "first-use")
    table = schedules.table_of(decision.members)
    members = () if table else promotion.placed(facts, context, decision, layers)
    if no := promotion.unusable(decision, members, chip, report.say, layers):
        return stock((no,))
    files = gguf_model.files(path)
    if table:
        from boltbeam.token import schedule_install

        loaded = model or tinygrad_model.load_model(path, context, chip.device)[0]
        return schedule_install.install(loaded, facts, files, table, chip, memory, report.say)
    tinygrad_programs.keep()
    loaded = model or tinygrad_weights.load(path, facts, context, chip.device)
    referee = None if chip.exact_stock else other_stock(path, context, chip, store)
    made = install.install(
        loaded, facts, files, members, chip, memory, say=report.say, referee=referee
    )
    return made if made.active or chip.exact_stock else stock(made.fallbacks)


def right_stock(
    path: Path, context: int, chip: ChipFacts, fallbacks: Sequence[Uncovered] = ()
) -> Any:
    """Stock on the chip, or on the CPU where stock would be wrong on the chip."""
    from boltbeam.seam import tinygrad_model
    from boltbeam.token import install

    device = chip.device if chip.exact_stock else "CPU"
    if device != chip.device:
        reason = f"not exact on {chip.device} (no fp16 there): it runs on {device}"
        fallbacks = (*fallbacks, Uncovered(name="stock", reason=reason))
    model, _ = tinygrad_model.load_model(path, context, device)
    return install.Installation(model, None, tuple(fallbacks))


def other_stock(path: Path, context: int, chip: ChipFacts, store: Store) -> Any:
    """Stock in a process on a device where it is right, as the first-use check's referee."""
    from boltbeam.token import token_gate

    engine = token_gate.Engine(model=str(path), chip=chip, context=context)
    cache = store.path.parent / "references"

    def referee(prompt: Sequence[int], n: int) -> tuple[Any, Any]:
        found = token_gate.reference(engine, [prompt], n, cache)
        return found.traces[0], found.kv

    return referee
