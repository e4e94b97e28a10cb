"""The search of tinygrad's own kernels of a token, kernel by kernel in a worker.

    the token's kernels -> their share of the seconds -> beam over legal Opts (proof, then time) ->
    blocks against tinygrad's own choice -> a table of Opts, one plan per token and context

Takes a model file and a chip, gives a TokenResult, ledger rows and what `promote` needs. Never
imports tinygrad, and never loses a kernel that was searched: each answer is stored at once.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import Any

from boltbeam import registry
from boltbeam.models import decode_support
from boltbeam.models.plan import short
from boltbeam.records import record
from boltbeam.records.entries import LedgerRow
from boltbeam.schedule import schedule_beam as beam
from boltbeam.schedule import schedules as sc
from boltbeam.schedule.schedule_beam import KernelResult
from boltbeam.search.device_work import DeviceWork
from boltbeam.types import TIMED, BoltbeamError, ChipFacts, ModelFacts, Outcome, Verdict, WorkItem

EFFORTS = {
    "quick": beam.Effort(),
    "full": beam.Effort(per_level=14, width=3, levels=5, min_progress=0.02, min_share=0.001),
}
BUDGET_S = {"quick": 60.0, "full": 240.0}
"""Seconds where the user named none."""
EXTRA_S = 120.0
"""A kernel may take this long beyond its slice: proofs, the last compile, the blocks."""
KERNELS_SHARE = 0.5
"""Of the budget that is left for the kernels, however long the listing took."""
SHARE = 4
"""A quarter of a search's chance of an error is for these comparisons (`search.shares`)."""
OP = "ast"


@dataclass(frozen=True)
class Request:
    """Which token to search, and how long."""

    model: Path
    chip: ChipFacts
    context: int
    effort: str = "quick"
    budget_s: float | None = None
    seed: int = 0
    refused: Mapping[tuple[str, str], Outcome] | None = None
    """(route, work key; "" for all) that the ledger refutes here."""


def wanted(facts: ModelFacts, effort: str, ops: Sequence[str]) -> bool:
    """True where tinygrad's own kernels are worth searching: asked for, or nothing else can."""
    if ops:
        return OP in ops
    return effort == "full" or bool(decode_support.no_generated_decode(facts))


def search(
    request: Request, device: DeviceWork, progress: Callable[[str, float], None]
) -> sc.TokenResult:
    """Search every kernel that has a share of the token's time. Ctrl-C ends it early.

    Raises BoltbeamError where tinygrad's runner cannot list the token of this file.
    """
    begun, results, stopped = time.monotonic(), [], ""
    budget_s = request.budget_s or BUDGET_S[request.effort]
    effort = EFFORTS[request.effort]
    try:
        progress("list tinygrad's own kernels of the token", 0.0)
        kernels = listing(request, device)
        refused = _refused(request, kernels)
        total, done = sum(k.token_us for k in kernels) or 1.0, 0.0

        def one(turn: sc.Slice) -> KernelResult:
            progress(f"schedule {turn.kernel.work.key} {turn.kernel.name}", done / total)
            return _one(request, device, turn, SHARE * len(kernels))

        left_s = max(budget_s - (time.monotonic() - begun), budget_s * KERNELS_SHARE)
        for found in sc.share_out(kernels, left_s, one, effort.min_share, refused):
            results.append(found)
            done += found.work.count * (found.default_us or 0.0)
            if (found.outcome.verdict, found.outcome.reason) == (Verdict.pruned, "budget"):
                stopped = "budget"
    except KeyboardInterrupt:
        stopped = "interrupted"
    progress("done", 1.0)
    return sc.TokenResult(request.context, tuple(results), time.monotonic() - begun, stopped)


def listing(request: Request, device: DeviceWork) -> tuple[sc.Listed, ...]:
    """The token's distinct kernels as tinygrad schedules them, with its own choice timed."""
    where = {"model": str(request.model.resolve())}
    answer = device.ask("schedule_list", {"context": request.context}, sc.LIST_S, _kernels, where)
    if answer.failed is not None:
        o = answer.failed
        raise BoltbeamError(f"search: {request.model.name}: no kernels listed: {o.detail}")
    listed: tuple[sc.Listed, ...] = answer.value
    return listed


def _kernels(answer: Any) -> tuple[sc.Listed, ...]:
    return tuple(map(_listed, answer))


def _listed(found: Mapping[str, Any]) -> sc.Listed:
    """Count and bytes travel beside the work item: they are no part of its identity."""
    kernel = sc.Listed.model_validate(found["kernel"])
    counted = {"count": int(found["count"]), "bytes": int(found["bytes"])}
    return kernel.model_copy(update={"work": kernel.work.model_copy(update=counted)})


def _one(request: Request, device: DeviceWork, turn: sc.Slice, comparisons: int) -> KernelResult:
    """A kernel's result from a worker; a crash or a hang is a result too."""
    work = turn.kernel.work
    args = {
        "context": request.context,
        "key": work.ast,
        "effort": EFFORTS[request.effort].model_dump(),
        "seed": request.seed,
        "comparisons": comparisons,
    }
    passing = {
        "model": str(request.model.resolve()),
        "seconds": turn.seconds,
        "share": turn.share,
        "hints": list(turn.hints),
    }
    read = KernelResult.model_validate
    answer = device.ask("schedule_kernel", args, turn.seconds + EXTRA_S, read, passing)
    if answer.failed is not None:
        lost = sc.left_alone(turn.kernel, turn.share, answer.failed)
        return lost.model_copy(update={"opts": "", "seconds": answer.seconds})
    found: KernelResult = answer.value
    return found.model_copy(update={"work": work})


def _refused(request: Request, kernels: Iterable[sc.Listed]) -> dict[str, Outcome]:
    found: dict[str, Outcome] = {}
    for k in kernels:
        for scope in ((sc.ROUTE, k.work.key), (sc.ROUTE, "")):
            if no := (request.refused or {}).get(scope):
                found.setdefault(k.work.key, no)
    return found


# ---- afterwards ------------------------------------------------------------------------------


def rows(found: sc.TokenResult, env: record.Environment) -> Iterable[LedgerRow]:
    """Per searched kernel its funnel, the verdict on its best Opts, and what failed."""
    for r in found.results:
        if not r.tried and r.outcome.verdict is Verdict.pruned:
            continue
        yield record.funnel_row(r.work.key, r.work.op, r.work.count, r.funnel, env)
        for t in r.tried:
            if t.outcome is not None and t.outcome.verdict in (Verdict.wrong, Verdict.failed):
                yield _row(r.work, t.opts, t.outcome, env, proof=t.proof)
        if r.outcome.verdict is Verdict.pruned:
            continue
        timed = r.outcome.verdict in TIMED
        protocol = registry.protocols()[beam.PROTOCOL] if timed else None
        chosen = "nominated" if r.outcome.verdict is Verdict.faster else "none"
        yield _row(
            r.work,
            r.opts,
            r.outcome,
            env,
            proof=r.proof,
            measurement=r.measurement,
            protocol=protocol,
            comparisons=r.comparisons,
            decision=chosen,
        )


def _row(
    work: WorkItem, opts: str, outcome: Outcome, env: record.Environment, **known: Any
) -> LedgerRow:
    route = registry.route(sc.ROUTE)
    return record.route_row(work, opts, route, outcome, env, incumbent="stock", **known)


def summary(
    found: sc.TokenResult, written: Sequence[LedgerRow], confirmed: Mapping[str, str]
) -> dict[str, Any]:
    """What `promote` needs: the table as members, each with the row that speaks for it."""
    by_key = {(r.work, r.geometry): r for r in written if r.route == sc.ROUTE}
    members = []
    for r in found.winners:
        row = by_key[r.work.key, r.opts]
        us = median(r.measurement.candidate_us) if r.measurement else 0.0
        members.append(
            {
                "work_key": r.work.key,
                "route": sc.ROUTE,
                "geometry": r.opts,
                "us": us,
                "row": confirmed.get(row.id, row.id),
            }
        )
    return {
        "plan_key": sc.token_key(r.work for r in found.results),
        "context": found.context,
        "members": members if found.stopped != "interrupted" else [],
    }


def funnel_cells(r: KernelResult) -> dict[str, Any]:
    """One row of the printed funnel, in the columns of the generated work items."""
    m, funnel = r.measurement, r.funnel
    verdict = str(r.outcome.verdict) if m else f"{r.outcome.verdict}: {r.outcome.reason}"
    return {
        "work": short(r.work.key),
        "a token": r.work.count,
        "illegal": 0,
        "legal": funnel.legal,
        "kept": funnel.legal - sum(funnel.pruned.values()),
        "proved": funnel.proved,
        "timed": funnel.timed,
        "floor µs": None,
        "best µs": median(m.candidate_us) if m else None,
        "stock µs": median(m.incumbent_us) if m else r.default_us,
        "verdict": verdict,
        "fastest": f"{sc.ROUTE} {r.opts}" if m else f"{r.name} (tinygrad's own)",
    }


def failures(found: sc.TokenResult) -> Iterable[tuple[WorkItem, Outcome]]:
    """Every outcome that kept a schedule from being timed, for the list of reasons."""
    for r in found.results:
        yield from ((r.work, t.outcome) for t in r.tried if t.outcome is not None)
        if r.measurement is None:
            yield r.work, r.outcome
