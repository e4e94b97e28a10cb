"""A search of tinygrad's own kernels: jobs that misbehave, run in children by its tests; and one
search without children."""

from __future__ import annotations

import os
import time
from collections.abc import Sequence
from typing import Any

from boltbeam.schedule import schedule_beam as beam
from boltbeam.schedule import schedules
from boltbeam.schedule.schedule_beam import PROTOCOL, KernelResult, Tried
from boltbeam.schedule.schedules import Listed
from boltbeam.seam import tinygrad_schedule as ts
from boltbeam.types import ChipFacts, Measurement, Outcome, Proof, Verdict, WorkItem

BLOCKS = 9
NAMES = {"a" * 64: 400.0, "b" * 64: 300.0, "c" * 64: 200.0, "d" * 64: 0.1}
"""Stable key -> microseconds of tinygrad's own schedule; d is too small to matter."""


def work(key: str, context: int) -> WorkItem:
    zero = dict.fromkeys(("d_model", "heads", "kv_heads", "head_dim", "rope_dim", "vocab"), 0)
    return WorkItem(op="ast", ast=key, context=context, norm_eps=0.0, count=2, **zero)


def schedule_list(model: str, context: int, chip: dict[str, Any]) -> list[dict[str, Any]]:
    return [
        {
            "kernel": Listed(work=work(k, context), name=f"r_{k[0]}", opts="", us=us).model_dump(),
            "count": 2,
            "bytes": 64,
        }
        for k, us in NAMES.items()
    ]


def schedule_kernel(key: str, context: int, hints: list[str], **_: Any) -> dict[str, Any]:
    """a wins, b kills its process, c hangs."""
    if key[0] == "b":
        os._exit(9)
    if key[0] == "c":
        time.sleep(600)
    m = Measurement(
        protocol=PROTOCOL,
        candidate_us=(50.0,) * BLOCKS,
        incumbent_us=(100.0,) * BLOCKS,
        aa_spread=0.001,
        aa_pct=(0.1,) * BLOCKS,
        stop_reason="decided: faster",
        copies=1,
    )
    wrong = Outcome(verdict=Verdict.wrong, reason="error-bound", number=7.0, limit=1.0)
    bad = Proof(ok=False, reason="error-bound", worst=7.0)
    return KernelResult(
        work=work(key, context),
        name="r_a",
        default="",
        default_us=100.0,
        share=0.4,
        opts="UPCAST:0:4",
        outcome=Outcome(verdict=Verdict.faster, reason="clears-band", number=0.5, limit=0.995),
        proof=Proof(ok=True, reason="ok", worst=0.1),
        measurement=m,
        tried=(
            Tried(opts="UPCAST:0:4", us=50.0),
            Tried(opts="UPCAST:0:8", outcome=wrong, proof=bad),
            Tried(opts="UNROLL:0:8", outcome=Outcome(verdict=Verdict.pruned, reason="budget")),
        ),
        seconds=1.0,
    ).model_dump(mode="json")


def search_token(
    kernels: Sequence[ts.Kernel],
    chip: ChipFacts,
    context: int,
    budget_s: float,
    effort: beam.Effort | None = None,
) -> schedules.TokenResult:
    """A search of a token's kernels in this process, where a search has a worker for each."""
    begin, effort = time.perf_counter(), effort or beam.Effort()
    by_key = {k.key: (k, beam.measure_default(k, chip)) for k in kernels}

    def one(turn: schedules.Slice) -> KernelResult:
        kernel, default = by_key[turn.kernel.work.ast]
        how = {"share": turn.share, "hints": turn.hints, "effort": effort}
        return beam.search_kernel(kernel, chip, context, turn.seconds, default=default, **how)

    seen = [schedules.listed(k, context, default) for k, default in by_key.values()]
    left_s = budget_s - (time.perf_counter() - begin)
    results = tuple(schedules.share_out(seen, left_s, one, effort.min_share))
    return schedules.TokenResult(context, results, time.perf_counter() - begin)
