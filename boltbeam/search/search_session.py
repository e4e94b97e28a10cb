"""One search from the outside: chip, store, workers and ledger around boltbeam.search.search.

Takes a model file and options, gives the search's findings and the ledger file it wrote. Never
writes a verdict twice: what an earlier row already says is only confirmed.
"""

from __future__ import annotations

import hashlib
import os
import shlex
import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from importlib.metadata import version
from pathlib import Path
from statistics import median
from typing import Any

from boltbeam import registry
from boltbeam.files import PACKAGE
from boltbeam.measure import locks, software
from boltbeam.models import decode_support, gguf_model, plan
from boltbeam.proof import shared_arrays
from boltbeam.records import decisions, ledger, record, red_flags, reopening, standing
from boltbeam.records.claims import Closing, Prediction
from boltbeam.records.entries import LedgerRow
from boltbeam.records.ledger import Entry, Layers
from boltbeam.records.reopening import Lifted
from boltbeam.records.store import Store
from boltbeam.schedule.schedules import TokenResult
from boltbeam.seam import toolchain
from boltbeam.search import (
    filters,
    machine,
    predictions,
    raw_samples,
    schedule_search,
    search,
    search_audit,
    whole_plans,
)
from boltbeam.search.device_work import DeviceWork
from boltbeam.search.predictions import Claim
from boltbeam.search.search_items import EFFORTS, ItemResult, Request, floor_us
from boltbeam.token import promotable, promotion, schedule_install
from boltbeam.types import OPS, BoltbeamError, ChipFacts, ModelFacts, Outcome, Verdict
from boltbeam.worker import Pool

ANSWERS = ("emit", "seam", "proof", "measure", "chip", "schedule")
"""Folders whose code decides what a worker answers."""
MORE_ANSWERS = (
    "models/plan.py",
    "models/random_blocks.py",
    "records/decide.py",
    "records/intervals.py",
    "search/jobs.py",
    "registry.py",
    "types.py",
)
"""Files beside them that do."""
GENERATED_SHARE = 0.6
"""Of a budget in seconds that generated kernels and tinygrad's own must share."""
WORKERS_MAX = 16
"""Processes that compile and prove at once; one of them times at a time."""


@dataclass(frozen=True)
class Options:
    """A search as typed."""

    model: Path
    chip: str
    context: int = 512
    ops: tuple[str, ...] = ()
    fused: bool = True
    effort: str = "quick"
    budget_s: float | None = None
    resume: bool = False
    seed: int = 0
    pins: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    numerics: str = "auto"
    """`exact`, `q8` (routes with int8 activations too), or `auto`: q8 where the chip has dot4."""
    record: bool = False
    """Write rows even where an earlier row already says the same."""
    jobs: int | None = None
    audit: int = 0
    """Pruned candidates per work item that are timed afterwards, to judge the filters."""
    fresh: bool = False
    """As if the ledger knew no kernel of this chip: what was fastest earlier is not raced again."""
    reopen: tuple[str, ...] = ()
    """Routes that are searched although the ledger refutes them."""
    whole_tokens: bool = True
    """Whole tokens choose among a few cheap paths; else the sum of their kernels does."""
    predict: Claim | None = None
    """What is said to come out, on the record before the run."""
    command: Sequence[str] = ()


@dataclass(frozen=True)
class Session:
    """A finished search: findings, its rows, and where they were written."""

    id: str
    found: search.Found
    rows: tuple[LedgerRow, ...]
    confirmed: int
    file: Path | None
    seconds: float
    why_device: str = ""
    schedules: TokenResult | None = None
    """What was found for tinygrad's own kernels, where they were searched."""
    lifted: tuple[Lifted, ...] = ()
    """Refutations that this search lifted, and recorded."""
    following: str = ""
    """What is next, where there is a plan."""
    closing: Closing | None = None
    """How a prediction came out."""
    whole: whole_plans.Whole | None = None
    """What whole tokens of a few paths said, where there was a plan."""
    over_s: float | None = None
    """The budget, where it took a tenth longer than that; an audit is not counted."""


@dataclass(frozen=True)
class Memory:
    """A part of the store under a name: string keys, JSON values."""

    store: Store
    name: str

    def get(self, key: str) -> dict[str, Any] | None:
        return self.store.result(self.name, key)

    def put(self, key: str, value: Mapping[str, Any]) -> None:
        self.store.put_result(self.name, key, value)


def read_model(options: Options) -> ModelFacts:
    """The model, once every option is right that needs no device. BoltbeamError: one is not."""
    if options.numerics not in ("auto", "exact", "q8"):
        raise BoltbeamError(f"--numerics {options.numerics}: it is auto, exact or q8")
    filters.check_pins(options.pins, "exact" if options.numerics == "exact" else "q8")
    for name in options.reopen:
        registry.route(name)  # raises with a suggestion
    registry.require_ops(options.ops, (*OPS, schedule_search.OP))
    facts = gguf_model.read(options.model)
    decode_support.require_runnable(facts)
    decode_support.require_context(facts, options.context)
    return facts


def request_for(
    options: Options,
    facts: ModelFacts,
    chip: ChipFacts,
    layers: Layers,
    lifted: Sequence[Lifted] = (),
) -> Request:
    """The search request, with the routes that the ledger refutes on this chip left out.

    `lifted` refutations hold no longer. BoltbeamError: pins that leave a work item without a route.
    """
    numerics = options.numerics
    if numerics == "auto":
        numerics = "q8" if chip.get("dot4") else "exact"
    filters.check_pins(options.pins, numerics)
    request = Request(
        model=facts,
        chip=chip,
        context=options.context,
        effort=options.effort,
        ops=options.ops,
        fused=options.fused,
        pins=dict(options.pins),
        refused=reopening.refused(layers, chip.id, lifted, numerics),
        earlier={} if options.fresh or options.audit else standing.fastest(layers, chip.id),
        numerics=numerics,
        budget_s=options.budget_s,
        whole_tokens=options.whole_tokens and not options.ops,
        seed=options.seed,
    )
    filters.require_fit(request)
    return request


def run(options: Options, layers: Layers, store: Store, progress: search.Progress) -> Session:
    """Search, and write one new ledger file. Ctrl-C ends it early with what was found."""
    begun = time.monotonic()
    facts = read_model(options)
    device, why = machine.open_device(options.chip)
    workers = options.jobs or min(WORKERS_MAX, os.cpu_count() or 1)
    about_workers = machine.worker_env(store, device)
    machine.prune(machine.programs(store))
    with (
        shared_arrays.folder() as shared,
        Pool(device, workers, about_workers | shared) as pool,
    ):
        progress(f"probing {device}", 0.0)
        chip = machine.declared_chip(pool, device)
        both = schedule_search.wanted(facts, options.effort, options.ops)
        identity = search_id(options, facts, chip)
        env = record.Environment.here(
            chip.id,
            options.command,
            model=facts.name or options.model.name,
            header_hash=facts.header_hash,
            seed=options.seed,
            **software.here(device),
        )
        lifted = reopening.lifted(layers, env.scope(), options.reopen)
        asked = request_for(options, facts, chip, layers)  # a mistake in it costs no probe
        prediction = predict(options, asked, layers, env)
        store.begin_search(identity, chip.id, facts.header_hash, {"command": list(options.command)})
        memory = Memory(store, identity)
        proofs = Memory(store, proofs_name(chip))
        work = DeviceWork(pool, chip, memory, options.resume, proofs)
        ahead = request_for(options, facts, chip, layers, lifted)
        legal: list[filters.Legal] = []
        probed = work.probe(meanwhile=lambda: legal.extend(legal_ahead(ahead)))
        chip = machine.answered(device, probed)
        request = request_for(options, facts, chip, layers, lifted)
        if prediction is not None:
            layers.write([prediction])
        began = work.clock()
        if options.budget_s is not None:
            left_s = max(0.0, options.budget_s - (began - begun))
            request = replace(request, budget_s=left_s * (GENERATED_SHARE if both else 1.0))
        found = generated(request, work, progress, legal[0] if legal else None)
        whole = None
        if options.whole_tokens:
            spent_s = work.clock() - began
            programs = about_workers["BOLTBEAM_PROGRAMS"]
            found, whole = by_whole_tokens(found, options.model, programs, work, spent_s, progress)
        audited = work.clock()
        if options.audit and found.stopped != "interrupted":
            search_audit.audit_items(found.items, work, options.audit, options.seed, progress)
        audit_s = work.clock() - audited
        sources = {}
        if found.stopped != "interrupted":
            sources = work.sources(raw_samples.candidates(found.items))
        closing = close(prediction, found, work, layers)
        waited_s = work.waited_s
    schedules = None
    if both and found.stopped != "interrupted":
        with Pool(device, 1, toolchain.environment()) as pool:
            work = DeviceWork(pool, chip, memory, resume=options.resume)
            left = schedules_request(options, request, work.clock() - begun - waited_s)
            schedules = schedule_search.search(left, work, progress)
    rows = rows_of(found, env, schedules)
    kept, confirmed = ledger.new_rows(rows, layers.rows(chip=chip.id))
    kept = tuple(rows) if options.record else kept
    worth = any(r.kind == "kernel" or (r.funnel and r.funnel.audit) for r in kept)
    reopened = [decisions.reopen(x.refutation, reason=x.why, by=decisions.author()) for x in lifted]
    entries: list[Entry] = [*(kept if worth else ()), *reopened, *([closing] if closing else [])]
    file = layers.write(entries) if entries else None
    by_id = {c.new.id: c.old.id for c in confirmed} if not options.record else {}
    raw_samples.keep(store, identity, found.items, rows, by_id, sources)
    about = summary(found, rows, by_id, options)
    about["whole_tokens"] = None if whole is None else whole.summary()
    about["ledger"] = str((file.parents[1] if file else layers.top).resolve())
    if schedules is not None:
        about["table"] = table = schedule_search.summary(schedules, rows, by_id)
        if schedules.stopped != "interrupted":
            name = schedule_install.memory_name(facts, chip, options.context)
            Memory(store, "first-use").put(name, {"plan_key": table["plan_key"]})
    about["fingerprint"] = gguf_model.fingerprint(options.model)
    store.finish_search(identity, about)
    took = time.monotonic() - begun
    budget_s = None if found.stopped == "interrupted" else options.budget_s
    over = budget_s is not None and took - audit_s - waited_s > 1.1 * budget_s
    following = next_step(options, layers, facts.name)
    following = beside_plan_in_force(found, about, layers, env, following)
    return Session(
        identity,
        found,
        tuple(rows),
        len(confirmed),
        file,
        took,
        why,
        schedules,
        lifted,
        following,
        closing,
        whole,
        budget_s if over else None,
    )


def predict(
    options: Options, request: Request, layers: Layers, env: record.Environment
) -> Prediction | None:
    """The line to write, if there is a prediction, before anything is measured for it."""
    if options.predict is None:
        return None
    if options.resume:
        raise BoltbeamError(
            "--predict with --resume: what an earlier run measured cannot be predicted any more"
        )
    if why := only_schedules(request.model, request.ops):
        raise BoltbeamError(f"--predict {options.predict.op}: {why}")
    ops = filters.ops_searched(request)
    return predictions.predicted(options.predict, request, ops, layers, env)


def close(
    prediction: Prediction | None, found: search.Found, work: DeviceWork, layers: Layers
) -> Closing | None:
    """How the prediction came out. Ctrl-C leaves it untested."""
    if prediction is None:
        return None
    try:
        if found.stopped != "interrupted":
            return predictions.closed(prediction, found, work, layers)
    except KeyboardInterrupt:
        pass
    return predictions.untested(prediction, "interrupted")


def next_step(options: Options, layers: Layers, name: str) -> str:
    """What promotes this search's plan: its chip, and its ledger where that is not the default."""
    given = [x.path for x in layers.layers if x.name == "given"]
    ledger = [f"--ledger {shlex.quote(str(path))}" for path in given]
    words = " ".join(["boltbeam promote", f"--chip {options.chip}", *ledger])
    if red_flags.synthetic(name):
        return f"{words} --nominate; random weights prove no tokens"
    return words


def beside_plan_in_force(
    found: search.Found,
    about: Mapping[str, Any],
    layers: Layers,
    env: record.Environment,
    promote: str,
) -> str:
    """What is next: `promote`, but where the plan in force is this one, or its rows are as fast."""
    request = found.request
    now = standing.active_plan(layers, request.chip.id, about["plan_key"])
    if found.plan is None or now is None or request.context not in now.contexts:
        return promote
    if promotable.in_force(about, layers, env):
        return f"nothing, this plan is in force (decision {now.id})"
    theirs_us = promotion.kernels_us(request.model, request.context, now, layers)
    timed = {key: m for item in found.items for key, (m, _) in item.timed.items()}
    us = sum(median(timed[o.evidence].candidate_us) for _, o in found.plan.members)
    if theirs_us is None or us < theirs_us:
        return promote
    return (
        f"search on with --resume, for the kernels of the plan in force (decision {now.id}) took "
        f"{theirs_us / 1e3:.4g} ms a token when they were measured, these {us / 1e3:.4g} ms; "
        f"or {promote}, which holds both beside each other"
    )


def legal_ahead(request: Request) -> list[filters.Legal]:
    """What the filters find out while a chip is probed: not on a processor, which is left alone."""
    if locks.silicon(request.chip.id) == locks.HOST or only_schedules(request.model, request.ops):
        return []
    return [filters.legal_of(request)]


def generated(
    request: Request,
    work: DeviceWork,
    progress: search.Progress,
    before: filters.Legal | None = None,
) -> search.Found:
    """The search of generated kernels; empty where there are none for this model or these ops."""
    if only_schedules(request.model, request.ops):
        return search.Found(request, (), (), None)
    return search.search(request, work, progress, before)


def by_whole_tokens(
    found: search.Found,
    model: Path,
    programs: str,
    work: DeviceWork,
    spent_s: float,
    progress: search.Progress,
) -> tuple[search.Found, whole_plans.Whole | None]:
    """The search with the path whose whole token is the fastest. Ctrl-C leaves the cheapest."""
    budget, whole = found.request.budget_s, None
    left_s = None if budget is None else budget - spent_s
    try:
        whole = whole_plans.judged(found, work, model, programs, left_s, progress)
        while whole is not None and (way := whole.chosen) != whole.cheapest:
            found, taken = search.take(found, way.choice, work, progress)
            if taken:
                break
            whole = whole.less(way, "a kernel of it failed beside stock")
    except KeyboardInterrupt:
        found = replace(found, stopped="interrupted")
    return found, whole


def only_schedules(facts: ModelFacts, ops: Sequence[str]) -> str:
    """Why there are no generated kernels to search, or ''."""
    if facts.architecture not in decode_support.SUPPORTED:
        return decode_support.no_generated_decode(facts)
    return "only --op ast was asked for" if tuple(ops) == (schedule_search.OP,) else ""


def schedules_request(
    options: Options, request: Request, spent_s: float
) -> schedule_search.Request:
    """The same request for tinygrad's own kernels, with what is left of the seconds."""
    budget = options.budget_s
    return schedule_search.Request(
        model=options.model,
        chip=request.chip,
        context=request.context,
        effort=request.effort,
        budget_s=None if budget is None else max(budget - spent_s, 1.0),
        seed=request.seed,
        refused=request.refused,
    )


def dry_run(options: Options, layers: Layers) -> search.Found:
    """Every filter verdict without touching a device; FutureSight speaks where a probe is known."""
    facts = read_model(options)
    if why := only_schedules(facts, options.ops):
        raise BoltbeamError(
            f"--dry-run: {why}; tinygrad's own kernels are listed on the device only: leave it out"
        )
    chip = machine.find_chip(options.chip, layers)
    env = record.Environment.here(chip.id)  # no device: only tinygrad is known
    lifted = reopening.lifted(layers, env.scope(), options.reopen)
    request = request_for(options, facts, chip, layers, lifted)
    return search.search(request, None, lambda *_: None)


# ---- the device ------------------------------------------------------------------------------


def search_id(options: Options, facts: ModelFacts, chip: ChipFacts) -> str:
    """Searches with the same id may take over each other's results: not those of other software."""
    parts = [facts.header_hash, chip.id, chip.device, str(options.context), str(options.seed)]
    parts += [code_hash(), software.identity(chip.device)]
    return hashlib.sha256("|".join(parts).encode()).hexdigest()[:16]


def proofs_name(chip: ChipFacts) -> str:
    """Where proofs are kept that any search by the same code, software and device may take over."""
    early = "early" if chip.get("dependent_launch") else "in turn"
    return f"proofs/{code_hash()}/{software.identity(chip.device)}/{chip.device}/{early}"


def code_hash() -> str:
    """Hash of what makes, proves and times kernels: answers of another version are not taken."""
    files = [f for folder in ANSWERS for f in sorted((PACKAGE / folder).glob("*.py"))]
    files += [PACKAGE / f for f in MORE_ANSWERS]
    files += [registry.registry_dir() / f"{name}.toml" for name in ("formats", "protocols")]
    files += sorted((registry.registry_dir() / "families").glob("*.toml"))
    digest = hashlib.sha256(version("tinygrad").encode())
    for f in files:
        digest.update(f.read_bytes())
    return digest.hexdigest()[:16]


# ---- the ledger ------------------------------------------------------------------------------


def rows_of(
    found: search.Found, env: record.Environment, schedules: TokenResult | None = None
) -> list[LedgerRow]:
    """The probe, then per work item its funnel and every verdict that reached the device."""
    chip = found.request.chip
    probe_row = record.probe_row(chip.measured, env)
    env = replace(env, probe=probe_row.id)
    protocol = registry.protocols()[EFFORTS[found.request.effort].protocol]
    chosen = {o.evidence for _, o in found.plan.members} if found.plan else set()
    rows = [probe_row]
    for item in found.items:
        if not item.proofs and not item.failures:
            continue
        work = item.work
        rows.append(record.funnel_row(work.key, work.op, work.count, item.funnel, env))
        rows += _kernel_rows(item, chip, env, protocol, chosen)
    if schedules is not None:
        rows += schedule_search.rows(schedules, env)
    return rows


def _kernel_rows(
    item: ItemResult,
    chip: ChipFacts,
    env: record.Environment,
    protocol: Any,
    chosen: set[str],
) -> Iterable[LedgerRow]:
    for c in item.kept:
        key = c.candidate.key
        proof = item.proofs.get(key)
        measurement, outcome = item.timed.get(key, (None, None))
        if outcome is None and proof is not None and not proof.ok:
            outcome = Outcome(
                verdict=Verdict.wrong, reason=proof.reason, number=proof.worst, detail=proof.where
            )
        outcome = outcome or item.failures.get(key)
        if outcome is None:
            continue  # raced and left behind: the funnel counts it
        floor = floor_us(item.work, chip, measurement) if measurement else None
        yield record.kernel_row(
            c.candidate,
            c.route,
            outcome,
            env,
            proof=proof,
            measurement=measurement,
            protocol=protocol,
            incumbent="stock",
            floor_us=floor,
            comparisons=item.shared.get(key, 1),
            decision="nominated" if key in chosen else "none",
        )


def summary(
    found: search.Found, rows: Sequence[LedgerRow], confirmed: Mapping[str, str], options: Options
) -> dict[str, Any]:
    """What `promote` needs of a search: the plan with the rows that speak for its members."""
    request = found.request
    by_key = {f"{r.work}|{r.route}|{r.geometry}": r for r in rows if r.kind == "kernel"}
    members = []
    for _, option in found.plan.members if found.plan else ():
        row = by_key[option.evidence]
        members.append({**vars(option), "row": confirmed.get(row.id, row.id)})
    unique = {m["evidence"]: m for m in members}
    return {
        "model": str(options.model.resolve()),
        "name": request.model.name or options.model.name,
        "header_hash": request.model.header_hash,
        "chip": request.chip.model_dump(mode="json", exclude_none=True),
        "context": request.context,
        "plan_key": plan.model_plan_key(request.model, request.context) if found.token else "",
        "us": found.plan.us if found.plan else None,
        "members": list(unique.values()),
        "stopped": found.stopped,
        "ops": list(options.ops),
    }


def floor_of_token_us(facts: ModelFacts, chip: ChipFacts, context: int) -> float | None:
    """Least microseconds to read all that one token must read where the kernels are timed
    (`plan.timed_position`); None: rate not measured."""
    gbps = chip.rate("read_gbps")
    if gbps is None:
        return None
    _, found = plan.occurrences(facts, context, OPS)
    return sum(o.work.bytes * o.work.count for o in found) / (gbps * 1e3)
