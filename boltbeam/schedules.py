"""The `scheduler` kind of route: tinygrad's own kernels of a token with a searched list of Opts.

Takes a token's kernels, gives a table {AST key: Opts} with the evidence for each entry, and seeds
such a table for tinygrad's stock runner. Never knows the model, and never changes tinygrad.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

from boltbeam import tinygrad_schedule as ts
from boltbeam.schedule_beam import (
    Default,
    Effort,
    KernelResult,
    measure_default,
    search_kernel,
    work_item,
)
from boltbeam.types import ChipFacts, Outcome, Verdict

Table = dict[str, str]
"""Stable AST key -> text of the Opts: the promoted form, one per plan and context."""


@dataclass(frozen=True)
class TokenResult:
    """The search of a whole token: one plan for one context."""

    context: int
    results: tuple[KernelResult, ...]
    seconds: float

    @property
    def table(self) -> Table:
        return {r.work.ast: r.opts for r in self.results if r.outcome.verdict is Verdict.faster}


def search_token(
    kernels: Sequence[ts.Kernel],
    chip: ChipFacts,
    context: int,
    budget_s: float,
    *,
    progress: Callable[[KernelResult], None] | None = None,
    effort: Effort | None = None,
    seed: int = 0,
) -> TokenResult:
    """Search a token's kernels, the big ones first; each gets its share of the seconds left."""
    begin, effort = time.perf_counter(), effort or Effort()
    defaults = {k.key: measure_default(k, chip) for k in kernels}
    us = {k.key: k.count * (defaults[k.key].us or 0.0) for k in kernels}
    total = left = sum(us.values())
    searchable = sum(mine >= effort.min_share * total for mine in us.values())
    results: list[KernelResult] = []
    hints: dict[str, None] = {}
    over_s: list[float] = []
    for kernel in sorted(kernels, key=lambda k: -us[k.key]):
        default, mine = defaults[kernel.key], us[kernel.key]
        remaining = budget_s - (time.perf_counter() - begin)
        if mine < effort.min_share * total or remaining <= 0:
            found = _left_alone(kernel, context, default, mine / total, effort.min_share)
        else:
            # every kernel also costs proofs, a last compile and a comparison: leave room for those
            fixed_s = sum(over_s) / len(over_s) if over_s else 0.0
            beams_s = max(0.0, remaining - fixed_s * (searchable - len(over_s)))
            slice_s = beams_s * mine / left
            found = search_kernel(
                kernel,
                chip,
                context,
                slice_s,
                default=default,
                share=mine / total,
                hints=list(hints),
                effort=effort,
                seed=seed,
            )
            over_s.append(max(0.0, found.seconds - slice_s))
        if found.outcome.verdict is Verdict.faster:
            hints[found.opts] = None
        left -= mine
        results.append(found)
        if progress:
            progress(found)
    return TokenResult(context, tuple(results), time.perf_counter() - begin)


def _left_alone(
    kernel: ts.Kernel, context: int, default: Default, share: float, min_share: float
) -> KernelResult:
    if default.program is None:
        outcome = Outcome(verdict=Verdict.failed, reason="compile", detail=default.failure)
    elif share < min_share:
        outcome = Outcome(
            verdict=Verdict.pruned, reason="small-share", number=share, limit=min_share
        )
    else:
        outcome = Outcome(verdict=Verdict.pruned, reason="budget", number=share)
    opts = default.program.opts if default.program else ""
    work = work_item(kernel, context)
    return KernelResult(work, default.name, opts, default.us, share, "", outcome)


# ---- installing ------------------------------------------------------------------------------


@dataclass
class Seeded:
    """What became of a table: AST keys that are in use, and the rest with the reason."""

    used: list[str] = field(default_factory=list)
    refused: dict[str, str] = field(default_factory=dict)


def seed(table: Table, asts: Iterable[tuple[str, Any]], renderer: Any) -> Seeded:
    """Compile the table's Opts for these (stable key, AST) pairs and seed tinygrad's cache.

    Call it before the kernels are compiled for the first time. Entries that match no AST, or whose
    Opts tinygrad refuses, are listed and change nothing.
    """
    report = Seeded()
    for key, ast in asts:
        if key not in table or key in report.used:
            continue
        program = ts.build(ast, renderer, table[key])
        if isinstance(program, str):
            report.refused[key] = program
        else:
            ts.seed_program(ast, renderer, program)
            report.used.append(key)
    for key in table.keys() - set(report.used) - report.refused.keys():
        report.refused[key] = "no kernel of this token has this key"
    return report


def attach(model: Any, table: Table) -> Seeded:
    """Seed `table` when the stock runner captures its decode token; the report fills in then.

    For a tinygrad.llm Transformer before its first call. The first token runs tinygrad's own
    kernels, the second is captured with the searched ones, all later ones replay it.
    """
    report = Seeded()

    def seen(asts: Sequence[tuple[str, Any]], renderer: Any) -> None:
        found = seed(table, asts, renderer)
        report.used[:], report.refused = found.used, found.refused

    ts.on_capture(model.rollout_jit, seen)
    return report
