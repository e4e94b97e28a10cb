"""Searches the Opts of one of tinygrad's own kernels: a beam over what tinygrad calls legal.

Takes a kernel and a chip, gives the best schedule with proof, measurement, verdict and every pruned
one with its number. Never times what it has not proved.
"""

from __future__ import annotations

import math
import time
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from boltbeam import registry
from boltbeam.measure import rotation, timing
from boltbeam.measure.locks import lock
from boltbeam.records import decide
from boltbeam.records.entries import Funnel
from boltbeam.schedule.private_buffers import Arena, Launcher
from boltbeam.schedule.schedule_proof import Oracle
from boltbeam.seam import tinygrad_schedule as ts
from boltbeam.types import ChipFacts, Frozen, Measurement, Outcome, Proof, Verdict, WorkItem

PROTOCOL = "abba-planned-v1"


class Effort(Frozen):
    """How far the search goes in one kernel."""

    per_level: int = 7
    """Schedules compiled per level of the beam."""
    width: int = 2
    levels: int = 3
    margin: float = 1.5
    """Schedules predicted slower than this × the best measured are not compiled."""
    min_progress: float = 0.05
    """A level must gain this much, or the search of the kernel ends."""
    compile_at_once: int = 4
    compile_timeout_s: float = 20.0
    """For each such batch."""
    min_slice_s: float = 0.5
    """Beam time that a kernel gets at least, once it is searched at all."""
    min_share: float = 0.002
    """Kernels with less of the token's time are left alone."""
    max_uops: int = 8000
    """Estimated instructions of the unrolled kernel: compile time and instruction cache."""
    cold_bytes: int = 64 << 20
    """Operands rotate through at most this many bytes, and twice the last-level cache."""
    overlap: int = 16
    """Most independent sums that can hide each other's latency: 4 cycles × 4 issued per cycle.
    Beyond it they spill, and the prediction rises again."""


class Tried(Frozen):
    """One schedule of a kernel and its fate."""

    opts: str
    outcome: Outcome | None = None
    """None: proved, and timed for the beam."""
    predicted_us: float | None = None
    us: float | None = None
    proof: Proof | None = None


class KernelResult(Frozen):
    """What the search found for one kernel."""

    work: WorkItem
    name: str
    default: str
    """tinygrad's own choice, the incumbent."""
    default_us: float | None
    share: float
    """Of the token's measured kernel time."""
    opts: str
    """Best schedule that was timed against the incumbent (empty text: no Opts at all)."""
    outcome: Outcome
    proof: Proof | None = None
    measurement: Measurement | None = None
    comparisons: int = 1
    """How many comparisons this one counts as: those of a token share one chance of an error."""
    tried: tuple[Tried, ...] = ()
    seconds: float = 0.0

    @property
    def funnel(self) -> Funnel:
        """As the ledger keeps it. tinygrad offers only Opts that it calls legal."""
        out = [t.outcome for t in self.tried if t.outcome is not None]
        pruned = Counter(o.reason for o in out if o.verdict is Verdict.pruned)
        timed = len(self.tried) - len(out)
        legal = len(self.tried)
        return Funnel(
            legal=legal,
            pruned=dict(sorted(pruned.items())),
            proved=timed,
            timed=timed,
            stopped="budget" if pruned["budget"] else "",
        )


def work_item(kernel: ts.Kernel, context: int) -> WorkItem:
    """The work item of op `ast`; key `decode/ast/<hash12>/c<context>`."""
    return WorkItem(
        op="ast",
        ast=kernel.key,
        d_model=0,
        heads=0,
        kv_heads=0,
        head_dim=0,
        rope_dim=0,
        norm_eps=0.0,
        vocab=0,
        context=context,
        count=kernel.count,
        bytes=kernel.nbytes,
    )


@dataclass(frozen=True)
class Default:
    """tinygrad's own choice for a kernel."""

    program: ts.Program | None
    us: float | None
    """Per launch, warm: good enough to share out the budget."""
    failure: str = ""

    @property
    def name(self) -> str:
        return self.program.name if self.program else ""

    @property
    def opts(self) -> str:
        return self.program.opts if self.program else ""


def measure_default(kernel: ts.Kernel, chip: ChipFacts) -> Default:
    program = ts.build(kernel.ast, ts.renderer_of(chip.device), None)
    if isinstance(program, str):
        return Default(None, None, program)
    arena = Arena(kernel, chip.device, 2)
    run = arena.launcher(program, arena.middle)
    with lock(chip.id):
        run(1)
        return Default(program, min(run(2) for _ in range(2)) / 2 * 1e6)


# ---- prediction ------------------------------------------------------------------------------


def predict(s: ts.Schedule, chip: ChipFacts, effort: Effort) -> float:
    """Relative cost of a schedule; only ratios between schedules of one kernel mean anything.

    One point of the loop nest costs one dependent step (a sum waits for the one before it).
    Upcast loops keep independent sums in flight, up to `overlap`; beyond that they spill. Unrolling
    saves loop overhead, a tenth of a step. Work items run side by side, as far as the chip's units
    and SIMD width are declared; loops of one work item never do.
    """
    points = s.size(*{kind for kind, _ in s.dims})
    sums, unrolled = s.size("upcast"), s.size("unroll")
    spill = max(1.0, sums / effort.overlap)
    step = spill / min(sums, effort.overlap) + 0.1 / (sums * unrolled)
    items = s.size("global", "local", "warp", "group_reduce")
    side_by_side = (chip.get("units") or 1) * (chip.get("simd_width") or 1)
    return points * step / min(items, side_by_side)


def uops_estimate(s: ts.Schedule, naive_uops: int) -> int:
    """Instructions after unrolling; about half of them turn out to be shared."""
    return naive_uops * s.size("upcast", "unroll") // 2


# ---- search of one kernel --------------------------------------------------------------------


@dataclass
class _Beam:
    """The state of one kernel's search."""

    kernel: ts.Kernel
    renderer: Any
    chip: ChipFacts
    effort: Effort
    oracle: Oracle
    arena: Arena
    naive: ts.Program
    deadline: float = 0.0
    batches: int = 0
    """Batches of children compiled; the first is never skipped, however late it is."""
    seen_states: set[bytes] = field(default_factory=set)
    seen_sources: set[str] = field(default_factory=set)
    tried: list[Tried] = field(default_factory=list)
    timed: list[tuple[float, ts.Schedule, ts.Program, Proof]] = field(default_factory=list)

    def out(
        self,
        s: ts.Schedule,
        verdict: Verdict,
        reason: str,
        proof: Proof | None = None,
        **more: Any,
    ) -> None:
        outcome = Outcome(verdict=verdict, reason=reason, **more)
        self.tried.append(Tried(opts=s.opts, outcome=outcome, proof=proof))

    def measure(self, program: ts.Program) -> float:
        """Cold microseconds of one launch, the best of three short runs: it only nominates."""
        run = self.arena.launcher(program, self.arena.middle)
        with lock(self.chip.id):
            once = max(run(1), 1e-7)
            n = max(1, min(200, int(3e-4 / once)))
            return min(run(n) for _ in range(3)) / n * 1e6

    def against(self, default: ts.Program, program: ts.Program, comparisons: int) -> Measurement:
        """Interleaved blocks of a program against tinygrad's own choice, both cold."""
        ready = [
            _deployed(self.arena.launcher(p, self.arena.middle))
            for p in (program, default, default)
        ]
        protocol = registry.protocols()[PROTOCOL]
        enough = partial(decide.enough, protocol=protocol, comparisons=comparisons)
        return timing.compare(ready[0], ready[1], protocol, enough, self.chip, twin=ready[2])

    def attempt(
        self, s: ts.Schedule, program: ts.Program | str, predicted: float | None = None
    ) -> None:
        """Prove, then time, a compiled schedule; each only as far as it holds."""
        if isinstance(program, str):
            reason = "timeout" if program.startswith("timeout") else "compile"
            return self.out(s, Verdict.failed, reason, detail=program[:200])
        if program.source_hash in self.seen_sources:
            return self.out(s, Verdict.pruned, "same-source")
        self.seen_sources.add(program.source_hash)
        try:
            proof = self.oracle.prove(program)
            us = self.measure(program) if proof.ok else None
        except (RuntimeError, AssertionError) as e:
            return self.out(s, Verdict.failed, "launch", detail=str(e)[:200])
        if us is None:
            why = {"number": proof.worst, "limit": 1.0, "detail": proof.where}
            return self.out(s, Verdict.wrong, proof.reason, proof, **why)
        self.timed.append((us, s, program, proof))
        self.tried.append(Tried(opts=s.opts, predicted_us=predicted, us=us, proof=proof))
        return None

    def expand(self, parents: Sequence[tuple[float, ts.Schedule]]) -> list[tuple[float, Any]]:
        """Legal, new, not pruned children with their predicted microseconds, best first."""
        found = []
        best = self.best_us
        for us, parent in parents:
            cost = predict(parent, self.chip, self.effort)
            for s in parent.actions():
                if s.state in self.seen_states:
                    continue
                self.seen_states.add(s.state)
                predicted = us * predict(s, self.chip, self.effort) / cost
                if not self.pruned(s, predicted, best):
                    found.append((predicted, s))
        found.sort(key=lambda f: (f[0], f[1].size("upcast", "unroll")))
        for rank, (_, s) in enumerate(found[self.effort.per_level :], self.effort.per_level + 1):
            limit = self.effort.per_level
            self.out(s, Verdict.pruned, "predicted-rank", number=rank, limit=limit)
        return found[: self.effort.per_level]

    def pruned(self, s: ts.Schedule, predicted: float, best: float) -> bool:
        limit = best * self.effort.margin
        uops = uops_estimate(s, self.naive.uops)
        if s.size("thread") > 1 and self.chip.device == "CPU":
            # tinygrad's CPU device runs the threads of a launch one after another
            self.out(s, Verdict.pruned, "threads-in-turn", number=s.size("thread"), limit=1)
        elif uops > self.effort.max_uops:
            self.out(s, Verdict.pruned, "unrolled-size", number=uops, limit=self.effort.max_uops)
        elif predicted > limit:
            self.out(s, Verdict.pruned, "predicted-slow", number=predicted, limit=limit)
        else:
            return False
        return True

    def run(self, default: ts.Program, hints: Iterable[str]) -> None:
        """Breadth-first in levels; a level starts from the best `width` schedules measured."""
        start = ts.unscheduled(self.kernel.ast, self.renderer)
        known = [(start, self.naive)]
        if incumbent := ts.apply(start, default.opts):
            known.append((incumbent, default))
        self.seen_states |= {s.state for s, _ in known}
        for s, program in known:
            self.attempt(s, program)
        hinted = []
        for hint in (ts.apply(start, text) for text in hints):
            if hint is not None and hint.state not in self.seen_states:
                self.seen_states.add(hint.state)
                hinted.append((math.nan, hint))
        self.attempt_all(hinted)
        for _ in range(self.effort.levels):
            before = self.best_us
            parents = [t[:2] for t in sorted(self.timed, key=lambda t: t[0])[: self.effort.width]]
            if not self.attempt_all(self.expand(parents)):
                return
            if self.best_us > before * (1 - self.effort.min_progress):
                return

    @property
    def best_us(self) -> float:
        return min((t[0] for t in self.timed), default=math.inf)

    def attempt_all(self, found: Sequence[tuple[float, ts.Schedule]]) -> bool:
        """Compile a few at once, then prove and time them; False when none is left or allowed."""
        step = self.effort.compile_at_once
        for i in range(0, len(found), step):
            if time.perf_counter() > self.deadline and self.batches > 0:
                for _, s in found[i:]:
                    self.out(s, Verdict.pruned, "budget")
                return False
            some = found[i : i + step]
            programs = ts.build_all(
                self.kernel.ast,
                self.renderer,
                [s.opts for _, s in some],
                self.effort.compile_timeout_s,
            )
            for (predicted, s), program in zip(some, programs, strict=True):
                self.attempt(s, program, None if math.isnan(predicted) else predicted)
            self.batches += not math.isnan(some[0][0])
        return bool(found)


def search_kernel(
    kernel: ts.Kernel,
    chip: ChipFacts,
    context: int,
    budget_s: float,
    *,
    default: Default | None = None,
    share: float = 1.0,
    hints: Iterable[str] = (),
    seed: int = 0,
    effort: Effort | None = None,
    comparisons: int = 1,
) -> KernelResult:
    """Search one kernel's Opts: legal, not pruned, proved, timed, compared with the default.

    `budget_s` ends the beam; compiles in progress are finished. `hints`: Opts that won on kernels
    like this one, tried first. `share`: of the token's time. `default`: from measure_default.
    `comparisons`: as how many the one with the default counts.
    """
    begin, effort = time.perf_counter(), effort or Effort()
    work = work_item(kernel, context)
    default = default or measure_default(kernel, chip)
    beam = _prepare(kernel, chip, default, seed, effort)

    def result(chosen: str, outcome: Outcome, **more: Any) -> KernelResult:
        return KernelResult(
            work=work,
            name=default.name,
            default=default.opts,
            default_us=default.us,
            share=share,
            opts=chosen,
            outcome=outcome,
            seconds=time.perf_counter() - begin,
            comparisons=comparisons,
            **more,
        )

    if isinstance(beam, Outcome) or default.program is None:
        assert isinstance(beam, Outcome)
        return result("", beam)
    beam.deadline = max(begin + budget_s, time.perf_counter() + effort.min_slice_s)
    beam.run(default.program, hints)
    tried = tuple(beam.tried)
    if not beam.timed:
        return result("", Outcome(verdict=Verdict.pruned, reason="nothing-timed"), tried=tried)
    us, best, program, proof = min(beam.timed, key=lambda t: t[0])
    if program.source_hash == default.program.source_hash:
        outcome = Outcome(verdict=Verdict.pruned, reason="default-is-best", number=us)
        return result(best.opts, outcome, proof=proof, tried=tried)
    measured = beam.against(default.program, program, comparisons)
    outcome = decide.decide(measured, registry.protocols()[PROTOCOL], None, comparisons)
    return result(best.opts, outcome, proof=proof, measurement=measured, tried=tried)


def _prepare(
    kernel: ts.Kernel, chip: ChipFacts, default: Default, seed: int, effort: Effort
) -> _Beam | Outcome:
    """Everything a beam needs; an Outcome where the kernel cannot be searched."""
    renderer = ts.renderer_of(chip.device)
    naive = ts.build(kernel.ast, renderer, "")
    if default.program is None or isinstance(naive, str):
        detail = default.failure if default.program is None else str(naive)
        return Outcome(verdict=Verdict.failed, reason="compile", detail=detail)
    oracle = Oracle(kernel, naive, renderer, Arena(kernel, chip.device), seed)
    if not oracle.usable:
        return Outcome(verdict=Verdict.failed, reason="no-finite-reference")
    proof = oracle.prove(default.program)
    if not proof.ok:
        reason = "incumbent-" + proof.reason
        return Outcome(
            verdict=Verdict.failed, reason=reason, number=proof.worst, detail=proof.where
        )
    arena = _timing_arena(kernel, chip, oracle, effort)
    return _Beam(kernel, renderer, chip, effort, oracle, arena, naive)


def _timing_arena(kernel: ts.Kernel, chip: ChipFacts, oracle: Oracle, effort: Effort) -> Arena:
    """As many copies of the operands as make each launch find them cold."""
    copies = rotation.copies_for(kernel.nbytes, chip.cold_cache_bytes, effort.cold_bytes)
    arena = Arena(kernel, chip.device, copies)
    for slot, data in oracle.inputs.items():
        arena.write(slot, data)
    return arena


def _deployed(run: Launcher) -> timing.Deployed:
    return timing.Deployed(lambda: run.queue(1), run.device, 1, run.copies, run.rotated_bytes)
