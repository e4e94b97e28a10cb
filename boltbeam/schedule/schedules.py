"""The `scheduler` kind of route: tinygrad's own kernels of a token with a searched list of Opts.

Takes a token's kernels, gives a table {AST key: Opts} with the evidence for each entry, and seeds
such a table for tinygrad's stock runner. Never knows the model, and never changes tinygrad.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from boltbeam.models.plan import plan_key
from boltbeam.records.entries import SCHEDULED, Member
from boltbeam.schedule.schedule_beam import (
    Default,
    KernelResult,
    work_item,
)
from boltbeam.seam import tinygrad_schedule as ts
from boltbeam.types import AST_DIGITS, BoltbeamError, Frozen, Outcome, Verdict, WorkItem

ROUTE = SCHEDULED
LIST_S = 600.0
"""Time-out of listing a token in a worker."""
Table = dict[str, str]
"""First digits of a stable AST key -> text of the Opts: one table per plan and context."""


def short(ast: str) -> str:
    """The digits of a stable AST key that a table is keyed by."""
    return ast[:AST_DIGITS]


def table_of(members: Iterable[Member]) -> Table:
    """The table of a promoted plan; () members or those of generated routes give none."""
    return {m.work.split("/")[2]: m.geometry for m in members if m.route == ROUTE}


class Listed(Frozen):
    """A kernel of the token before its search: what sharing the budget needs."""

    work: WorkItem
    name: str
    opts: str
    """tinygrad's own choice."""
    us: float | None
    """Per launch of it, warm; None: it does not compile."""
    failure: str = ""

    @property
    def token_us(self) -> float:
        return self.work.count * (self.us or 0.0)


def listed(kernel: ts.Kernel, context: int, default: Default) -> Listed:
    """A kernel with what was measured of tinygrad's own choice."""
    return Listed(
        work=work_item(kernel, context),
        name=default.name,
        opts=default.opts,
        us=default.us,
        failure=default.failure,
    )


def token_key(kernels: Iterable[WorkItem]) -> str:
    """Plan key of a token of tinygrad's own kernels: their work keys and counts."""
    return plan_key(sorted((w.key, w.count) for w in kernels))


@dataclass(frozen=True)
class TokenResult:
    """The search of a whole token: one plan for one context."""

    context: int
    results: tuple[KernelResult, ...]
    seconds: float
    stopped: str = ""
    """Why it ended before everything was searched: budget or interrupt."""

    @property
    def table(self) -> Table:
        return {short(r.work.ast): r.opts for r in self.winners}

    @property
    def winners(self) -> tuple[KernelResult, ...]:
        return tuple(r for r in self.results if r.outcome.verdict is Verdict.faster)


# ---- the budget ------------------------------------------------------------------------------


@dataclass(frozen=True)
class Slice:
    """One kernel's turn: how long its beam may take, and what is known so far."""

    kernel: Listed
    seconds: float
    share: float
    """Of the token's measured kernel time."""
    hints: tuple[str, ...]
    """Opts that won on bigger kernels of this token."""


def share_out(
    kernels: Sequence[Listed],
    budget_s: float,
    search: Callable[[Slice], KernelResult],
    min_share: float,
    refused: Mapping[str, Outcome] | None = None,
) -> Iterator[KernelResult]:
    """Search a token's kernels, the big ones first; each gets its share of the seconds left.

    `refused`: work key -> why it is left alone. One result per kernel, each as soon as it is known.
    """
    begin, refused = time.perf_counter(), refused or {}
    total = left = sum(k.token_us for k in kernels)
    hints: dict[str, None] = {}
    over_s: list[float] = []
    open_ = [k for k in kernels if k.work.key not in refused and k.token_us >= min_share * total]
    for kernel in sorted(kernels, key=lambda k: (-k.token_us, k.work.key)):
        remaining = budget_s - (time.perf_counter() - begin)
        share = kernel.token_us / total if total else 0.0
        no = refused.get(kernel.work.key) or _no_turn(kernel, share, min_share, remaining)
        if no is None:
            # every kernel also costs proofs, a last compile and a comparison: leave room for those
            fixed_s = sum(over_s) / len(over_s) if over_s else 0.0
            beams_s = max(0.0, remaining - fixed_s * (len(open_) - len(over_s)))
            slice_s = beams_s * kernel.token_us / left
            found = search(Slice(kernel, slice_s, share, tuple(hints)))
            over_s.append(max(0.0, found.seconds - slice_s))
        else:
            found = left_alone(kernel, share, no)
        if found.outcome.verdict is Verdict.faster:
            hints[found.opts] = None
        left -= kernel.token_us
        yield found


def _no_turn(kernel: Listed, share: float, min_share: float, remaining: float) -> Outcome | None:
    if kernel.us is None:
        return Outcome(verdict=Verdict.failed, reason="compile", detail=kernel.failure)
    if share < min_share:
        return Outcome(verdict=Verdict.pruned, reason="small-share", number=share, limit=min_share)
    if remaining <= 0:
        return Outcome(verdict=Verdict.pruned, reason="budget", number=share)
    return None


def left_alone(kernel: Listed, share: float, why: Outcome) -> KernelResult:
    """The result of a kernel that keeps tinygrad's own choice unsearched."""
    return KernelResult(
        work=kernel.work,
        name=kernel.name,
        default=kernel.opts,
        default_us=kernel.us,
        share=share,
        opts=kernel.opts,
        outcome=why,
    )


# ---- installing ------------------------------------------------------------------------------


@dataclass
class Seeded:
    """What became of a table: keys that are in use, and the rest with the reason."""

    used: list[str] = field(default_factory=list)
    refused: dict[str, str] = field(default_factory=dict)
    asts: dict[str, Any] = field(default_factory=dict)
    """Key -> the AST whose program was seeded."""
    renderer: Any = None

    def undo(self) -> None:
        """Forget the seeded programs: what is compiled from now on is tinygrad's own choice."""
        for ast in self.asts.values():
            ts.unseed(ast, self.renderer)


def seed(table: Table, asts: Iterable[tuple[str, Any]], renderer: Any) -> Seeded:
    """Compile the table's Opts for these (stable key, AST) pairs and seed tinygrad's cache.

    Call it before the kernels are compiled for the first time. Entries that match no AST, or whose
    Opts tinygrad refuses, are listed and change nothing.
    """
    report = Seeded(renderer=renderer)
    for stable, ast in asts:
        key = short(stable)
        if key not in table or key in report.used:
            continue
        program = _built(ast, renderer, table[key])
        if isinstance(program, str):
            report.refused[key] = program
        else:
            ts.seed_program(ast, renderer, program)
            report.used.append(key)
            report.asts[key] = ast
    for key in table.keys() - set(report.used) - report.refused.keys():
        report.refused[key] = "no kernel of this token has this key"
    return report


def _built(ast: Any, renderer: Any, opts: str) -> ts.Program | str:
    try:
        return ts.build(ast, renderer, opts)
    except BoltbeamError as e:
        return str(e)


def attach(model: Any, table: Table) -> Seeded:
    """Seed `table` when the stock runner captures its decode token; the report fills in then.

    For a tinygrad.llm Transformer before its first call. The first token runs tinygrad's own
    kernels, the second is captured with the searched ones, all later ones replay it.
    """
    report = Seeded()

    def seen(asts: Sequence[tuple[str, Any]], renderer: Any) -> None:
        found = seed(table, asts, renderer)
        report.used[:], report.refused = found.used, found.refused
        report.asts, report.renderer = found.asts, renderer

    ts.on_capture(model.rollout_jit, seen)
    return report
