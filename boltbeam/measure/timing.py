"""Times launches as they are deployed: a captured graph, cold operands, against the incumbent.

Takes launches (or stock expressions) with sample operands, gives Measurements and rankings. Never
decides who won, never times what nobody proved, never compares what computed something else.
"""

from __future__ import annotations

import gc
import math
import os
import random
import time
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cache, partial
from statistics import fmean, median
from typing import Any

import numpy as np

from boltbeam.emit.core import Buf, Launch
from boltbeam.measure import clocks
from boltbeam.measure.locks import PATIENCE_S, lock
from boltbeam.measure.rotation import Operands
from boltbeam.measure.timed_outputs import Fault, Output, Timed
from boltbeam.models.plan import timed_position
from boltbeam.models.random_blocks import LEAST_NORMAL
from boltbeam.proof.compare_outputs import Expected
from boltbeam.proof.verify import external, state_names
from boltbeam.records.decide import STALLED_MAX
from boltbeam.records.intervals import apart, spread
from boltbeam.seam import tinygrad_adapter as tg
from boltbeam.seam import tinygrad_graph, tinygrad_model, tinygrad_render
from boltbeam.types import ChipFacts, Measurement, Outcome, Protocol, Verdict

WARM_UP_US, WARM_UP_MOST_US = 100_000.0, 1_000_000.0
"""Clocks, caches and the interpreter settle for this long before the first block …"""
STEADY = 0.005
"""… and longer, but WARM_UP_MOST_US at most, while the candidate takes less from pass to pass by
more than this share."""
COPIES_MIN = 2
REPLAY_US = 10_000.0
"""A graph rotates through fewer copies where it would last longer: so slow a kernel waits for its
own arithmetic, not for memory."""
GRAPH_US, GRAPH_RUNS_MAX = 500.0, 128
"""Few large copies are turned through again and again until a graph works for about so long, or
runs so often: between two graphs lies more than between two launches of a token."""
RUNS_TRIED, ROWS_TRIED = 8, 32
"""So many runs in a graph (of an embed: rows) say what one costs, so that launching the graph does
not count as its time."""
REDONE_MAX = 5
"""Disturbed blocks that are measured again before one is kept, and marked."""
EITHER = "ABTBA or BATAB"
"""Order of a protocol with the A/A pair inside the block: candidate, incumbent, twin of the
incumbent, incumbent, candidate, or candidate and incumbent exchanged. Which of the two is drawn for
every other block, and the next one is the other way round: a disturbance that comes as regularly as
the blocks do would else always hit one side."""

TIMERS: dict[str, Callable[[], int]] = {
    "wall": time.perf_counter_ns,
    "thread": time.thread_time_ns,
}


def timer(device: str) -> str:
    """`thread` where kernels run on the calling thread, else `wall`.

    On a shared CPU the wall clock of a 2 ms batch also counts whoever took the core meanwhile; the
    thread's own time is the kernel's and equals wall time on a quiet machine.
    """
    return "thread" if tg.runs_on_caller(device) else "wall"


# ---- what runs -------------------------------------------------------------------------------


@dataclass(frozen=True)
class Deployed:
    """Something that can be timed: `replay` queues `works` runs of the work item."""

    replay: Callable[[], object]
    device: str
    works: int
    copies: int
    rotated_bytes: int
    restore: Callable[[], None] | None = None
    """Run before a batch, outside the timed region; then a batch may replay `replays_max` times."""
    replays_max: int = 1 << 30
    timed: Timed | None = None
    """What it must compute, and how to see it; None: somebody else has looked."""
    again: Callable[[], Deployed] | None = None
    """The same captured once more, its copies in another order: the other half of an A/A pair."""

    def batch_us(self, replays: int) -> float:
        """Microseconds per run of the work item over `replays` replays, host work included."""
        if self.restore:
            self.restore()
        tg.synchronize(self.device)
        now_ns = TIMERS[timer(self.device)]
        gc.disable()
        try:
            start = now_ns()
            for _ in range(replays):
                self.replay()
            tg.synchronize(self.device)
            return (now_ns() - start) / 1e3 / replays / self.works
        finally:
            gc.enable()

    def replays_for(self, batch_us: float) -> int:
        """Replays that make a batch of at least `batch_us`."""
        once = min(self.batch_us(1) for _ in range(2)) * self.works
        return max(1, min(self.replays_max, math.ceil(batch_us / max(once, 0.1))))


@dataclass(frozen=True)
class Exact:
    """How near to float64 an output must be, and what the float64 reference must know for it."""

    relative: float
    """Share of Σ|w·x| that it may be off by."""
    takes: str = "f32"
    """Interface of the activation that is read."""
    inner: str = "f32"
    """Interface in which the ops of a span hand activations to each other."""
    flushes: bool = False
    """Subnormal halves become zero, as in stock on a device that has none."""

    def expected(self, operands: Operands, run: int, stored: Any = None) -> Expected:
        """(values, magnitudes) of one run, `stored` being the cache that it left."""
        values, sizes = operands.expected(self.takes, self.inner, self.relative, run, stored)
        if self.flushes and "cache.low" in values:
            flushed = dict(values)
            for name, farther in (("cache.low", np.minimum), ("cache.high", np.maximum)):
                end = values[name]
                flushed[name] = np.where(np.abs(end) < LEAST_NORMAL, farther(end, 0), end)
            values = flushed
        return values, sizes


def deploy(launches: Sequence[Launch], operands: Operands, exact: Exact | None = None) -> Deployed:
    """Capture the launches once per copy of the operands, each run writing the same outputs.

    A graph orders launches only where they share a buffer: through the common outputs every run
    waits for the one before, as the layers of a token do. `exact`: what `compare` holds the timed
    outputs against; without it they are not looked at.
    """
    inputs, outs = external(launches)
    scratch = {
        b.name: tg.empty(b, operands.device) for b in outs if b.name.startswith(("t.", "best."))
    }
    every = {b.name: b for b in (*inputs, *outs) if b.name not in scratch}

    held = scratch | {n: operands.tensor(b, 0) for n, b in every.items()}
    calls = [
        tg.bound(
            launch,
            [held[b.name] for b in (*launch.outs, *launch.ins)],
            tinygrad_render.prepare(launch, operands.device),
        )
        for launch in launches
    ]

    def output(b: Buf) -> Output:
        own = scratch.get(b.name)
        find = (lambda run: [operands.tensor(b, run)]) if own is None else (lambda _: [own])
        return Output(b.name, tg.NUMPY[b.dtype], find)

    changed = sorted({b.name for b in outs} & {"pos", "ids", "tok"})
    looked_at = [output(b) for b in outs if not b.name.startswith("t.")]
    state = frozenset(state_names(operands.work, launches))
    operands.changed |= state | set(changed)
    captured = _Captured(tinygrad_graph.Recording(calls), operands, list(every.values()), changed)
    return captured.deployed(exact, looked_at, state)


def deploy_stock(
    operands: Operands, takes: Sequence[Buf], half: bool = True, exact: Exact | None = None
) -> Deployed:
    """The same work as plain Tensor expressions under tinygrad's own schedule."""
    from boltbeam.emit import stock

    tensors = {b.name: operands.tensor(b, 0) for b in takes}
    state = frozenset({"cache"} if "rope_store" in operands.work.ops else ())
    operands.changed |= state
    position = None
    if "pos" in tensors:
        at = int(operands.contents["pos"][0])
        position = tinygrad_model.start_position(at, operands.work.context)
    looked_at: list[Output] = []

    def output(name: str, parts: Sequence[Any]) -> Output:
        stored = next((b for b in takes if b.name == name and name in state), None)
        find = (lambda _: parts) if stored is None else (lambda run: [operands.tensor(stored, run)])
        return Output(name, tg.numpy_kind(parts[0]), find)

    def step() -> None:
        made = stock.deployed(operands.work, tensors, half, position)
        tg.realize([t for parts in made.values() for t in parts])
        looked_at.extend(output(name, parts) for name, parts in made.items())

    captured = _Captured(tinygrad_graph.Recording.of(step), operands, takes, [])
    return captured.deployed(exact, looked_at, state)


@dataclass(frozen=True)
class _Captured:
    """A recorded run of the work item, to be repeated on other copies of its operands."""

    recording: tinygrad_graph.Recording
    operands: Operands
    used: Sequence[Buf]
    changed: Sequence[str]
    """Buffers that must hold their first contents again before a batch."""

    def deployed(
        self, exact: Exact | None, outputs: Sequence[Output], state: frozenset[str]
    ) -> Deployed:
        """A graph of as many runs as the operands have, more up to GRAPH_US, fewer where REPLAY_US
        does not let it have so many."""
        operands = self.operands
        once_us = self.once_us(min(ROWS_TRIED, operands.runs_max) if operands.by_row else 1)
        if once_us < GRAPH_US and not operands.by_row:
            once_us = self.once_us(min(RUNS_TRIED, operands.runs_max * self.room))
        wanted = max(COPIES_MIN, math.ceil(REPLAY_US / once_us))
        turned = operands.runs_max
        if not operands.by_row:
            rounds = min(math.ceil(GRAPH_US / (once_us * turned)), GRAPH_RUNS_MAX // turned)
            turned *= max(1, min(rounds, self.room))
        runs = min(turned, wanted)
        ready = self.of_runs(runs)
        ready = replace(
            ready, again=cache(lambda: self.of_runs(runs, first=min(runs, operands.runs_max) // 2))
        )
        if exact is None:
            return ready
        timed = Timed(
            operands=operands,
            outputs=tuple(outputs),
            graph=ready.replay,
            alone=lambda run: self.recording.graph([self.swap(run)]),
            runs=ready.works,
            copies=ready.copies,
            state=state,
            expected=partial(exact.expected, operands),
            relative=exact.relative,
        )
        return replace(ready, timed=timed)

    def once_us(self, runs: int) -> float:
        """Roughly what one run takes in a graph of so many."""
        tried = self.of_runs(runs)
        return max(0.1, min(tried.batch_us(1) for _ in range(3)))

    @property
    def room(self) -> int:
        """Rounds through the copies until a position that they move on would leave the context."""
        context = self.operands.work.context
        return max(1, context - timed_position(context) - 2) if self.changed else 1 << 30

    @property
    def turning(self) -> list[Buf]:
        return [b for b in self.used if self.operands.turns(b.name)]

    def swap(self, run: int) -> list[tuple[Any, Any]]:
        return [(self.operands.tensor(b, 0), self.operands.tensor(b, run)) for b in self.turning]

    def of_runs(self, runs: int, first: int = 0) -> Deployed:
        """A graph of that many runs; it begins with the copies of run `first`."""
        replay = self.recording.graph([self.swap((first + i) % runs) for i in range(runs)])
        replay()
        tg.synchronize(self.operands.device)
        copies = min(runs, self.operands.copies)
        size = sum(tg.itemsize(b) * b.size for b in self.turning)
        restore: Callable[[], None] | None = None
        replays_max = 1 << 30
        if self.operands.by_row:
            restore, replays_max = (lambda: self.operands.next_rows(runs)), 1
        elif self.changed:
            restore = lambda: self.operands.restore(self.changed)  # noqa: E731
            replays_max = self.room // math.ceil(runs / copies)
        return Deployed(
            replay=replay,
            device=self.operands.device,
            works=runs,
            copies=copies,
            rotated_bytes=size * copies,
            restore=restore,
            replays_max=replays_max,
        )


# ---- timing ----------------------------------------------------------------------------------


class TimedWrong(RuntimeError):
    """What was timed did not compute what it must: the times mean nothing; `outcome` says who."""

    def __init__(self, outcome: Outcome) -> None:
        super().__init__(f"{outcome.reason}: {outcome.detail}")
        self.outcome = outcome


@dataclass
class _Blocks:
    """Blocks so far, and what the machine did meanwhile."""

    candidate: list[float] = field(default_factory=list)
    incumbent: list[float] = field(default_factory=list)
    against_itself: list[float] = field(default_factory=list)
    turns: list[str] = field(default_factory=list)
    batches: list[tuple[float, ...]] = field(default_factory=list)
    """Who ran when, and what it took."""
    states: list[clocks.State] = field(default_factory=list)
    """At the edges of the blocks."""
    edges: list[tuple[clocks.State, clocks.State]] = field(default_factory=list)
    """Of the blocks that count."""
    throttled: bool | None = None
    redone: int = 0


def compare(
    candidate: Deployed,
    incumbent: Deployed,
    protocol: Protocol,
    enough: Callable[[Measurement], str | None],
    chip: ChipFacts,
    twin: Deployed | None = None,
) -> Measurement:
    """Interleaved blocks of candidate and incumbent until `enough` gives a reason to stop.

    Every block has an A/A pair: the incumbent against `twin` (the incumbent captured a second time;
    by default what it captures `again`, or itself). `enough` sees the measurement so
    far. Copies and cold ratio are the candidate's; a slow incumbent may rotate less, which flatters
    only it. TimedWrong: an output of either is not what the float64 reference says, before or
    after.
    """
    if twin is None:
        twin = incumbent.again() if incumbent.again else incumbent
    with lock(chip.id, timeout_s=PATIENCE_S):  # whoever else times here is not to be disturbed
        _look(candidate, incumbent, lambda timed: timed.before())
        found = _compare(candidate, incumbent, protocol, enough, chip, twin)
        _look(candidate, incumbent, lambda timed: timed.after())
    return found


def _look(candidate: Deployed, incumbent: Deployed, how: Callable[[Timed], Fault | None]) -> None:
    """Raise TimedWrong for the first of the two that computes something else."""
    for who, verdict, reason in (
        (incumbent, Verdict.failed, "wrong-incumbent"),
        (candidate, Verdict.wrong, "timed-output"),
    ):
        fault = how(who.timed) if who.timed else None
        if fault is not None:
            raise TimedWrong(
                Outcome(
                    verdict=verdict,
                    reason=reason,
                    number=fault.ratio,
                    limit=None if fault.ratio is None else 1.0,
                    detail=str(fault),
                )
            )


def _compare(
    candidate: Deployed,
    incumbent: Deployed,
    protocol: Protocol,
    enough: Callable[[Measurement], str | None],
    chip: ChipFacts,
    twin: Deployed,
) -> Measurement:
    counts = _warm_up((candidate, incumbent, twin), protocol.batch_us)
    blocks, order = _Blocks(), _orders(protocol)
    blocks.states.append(clocks.state(candidate.device))
    begun = time.monotonic()

    runs, turns = {"C": candidate, "I": incumbent, "T": twin}, next(order)
    while True:
        us = tuple(runs[who].batch_us(counts[id(runs[who])]) for who in turns)
        if _disturbed(clocks.state(candidate.device), blocks):
            continue
        ours, theirs, again, itself = _means(turns, us)
        blocks.candidate.append(ours)
        blocks.incumbent.append(theirs)
        blocks.against_itself.append(again / itself)
        blocks.turns.append(turns)
        blocks.batches.append(us)
        blocks.edges.append((blocks.states[-2], blocks.states[-1]))
        so_far = _measurement(blocks, protocol, candidate, incumbent, chip, "running")
        reason = enough(so_far)
        if reason is None and len(blocks.candidate) >= protocol.blocks_max:
            reason = "blocks_max"
        late = 0 < protocol.seconds_max < time.monotonic() - begun
        if reason is None and late and len(blocks.candidate) >= protocol.blocks_min:
            reason = "seconds_max"
        if reason is not None:
            return so_far.model_copy(update={"stop_reason": reason})
        turns = next(order)  # only now: a block that was thrown away comes again in its order


def _orders(protocol: Protocol) -> Iterator[str]:
    """For each block: who runs, in order (`Measurement.turns`)."""
    drawn = random.Random(protocol.id)
    while True:
        if protocol.order != EITHER:
            yield "CIICTIIT"
            continue
        both = ["ICTCI", "CITIC"]
        yield from both if drawn.random() < 0.5 else reversed(both)


def _means(turns: str, us: Sequence[float]) -> tuple[float, float, float, float]:
    """(candidate, incumbent, the incumbent again, the incumbent beside that) of one block."""

    def mean(who: str, begin: int = 0, end: int | None = None) -> float:
        return fmean(t for w, t in list(zip(turns, us, strict=True))[begin:end] if w == who)

    if turns == "CIICTIIT":  # a comparison, then one of the incumbent with itself
        return mean("C"), mean("I", 0, 4), mean("T"), mean("I", 4)
    return mean("C"), mean("I"), mean("T"), mean("I")


def _clocks(edges: Sequence[tuple[clocks.State, clocks.State]]) -> tuple[tuple[float, ...], ...]:
    """Clock before and after each block; empty where it was not always told."""
    found = tuple(tuple(s.clock_mhz for s in pair if s.clock_mhz is not None) for pair in edges)
    return found if all(len(pair) == 2 for pair in found) else ()


def _disturbed(now: clocks.State, blocks: _Blocks) -> bool:
    """Note the state after a block; True when the block must be measured again."""
    before = blocks.states[-1]
    blocks.states.append(now)
    throttled = clocks.throttled(before, now)
    short = clocks.stalled(before, now) or 0.0
    if (throttled or short > STALLED_MAX) and blocks.redone < REDONE_MAX:
        blocks.redone += 1
        return True
    if throttled is not None:
        blocks.throttled = bool(blocks.throttled) or throttled
    return False


def _warm_up(runs: Sequence[Deployed], batch_us: float) -> dict[int, int]:
    """Run everything in turn for WARM_UP_US, and until the first of them gets no faster; gives
    replays per batch by id."""
    counts = {id(d): d.replays_for(batch_us) for d in runs}
    start, before, steady = time.perf_counter_ns(), math.inf, False
    while not steady:
        first, *_ = [d.batch_us(counts[id(d)]) for d in runs]
        spent_us = (time.perf_counter_ns() - start) / 1e3
        steady = first >= (1 - STEADY) * before and spent_us >= WARM_UP_US
        steady, before = steady or spent_us >= WARM_UP_MOST_US, first
    return {id(d): d.replays_for(batch_us) for d in runs}


def _measurement(
    blocks: _Blocks,
    protocol: Protocol,
    candidate: Deployed,
    incumbent: Deployed,
    chip: ChipFacts,
    stop_reason: str,
) -> Measurement:
    llc, states = chip.cold_cache_bytes, blocks.states
    clock = [s.clock_mhz for s in states if s.clock_mhz is not None]
    power = [s.power_w for s in states if s.power_w is not None]
    warmth = [s.temperature_c for s in states if s.temperature_c is not None]
    return Measurement(
        protocol=protocol.id,
        candidate_us=tuple(blocks.candidate),
        incumbent_us=tuple(blocks.incumbent),
        aa_spread=float((apart if protocol.planned else spread)(blocks.against_itself)),
        aa_pct=tuple(100 * (r - 1) for r in blocks.against_itself),
        stop_reason=stop_reason,
        copies=candidate.copies,
        runs=candidate.works,
        cold_ratio=candidate.rotated_bytes / llc if llc else None,
        clock_mhz=median(clock) if clock else None,
        power_w=median(power) if power else None,
        temperature_c=max(warmth) if warmth else None,
        throttled=blocks.throttled,
        redone=blocks.redone,
        load=host_load(),
        waiting_share=clocks.waiting(states[0], states[-1]),
        stalled_share=clocks.stalled(states[0], states[-1]),
        timer=timer(candidate.device),
        turns=tuple(blocks.turns),
        batches_us=tuple(blocks.batches),
        clocks_mhz=_clocks(blocks.edges),
    )


def rounds(most: int, least: int, seconds: float) -> Iterator[int]:
    """Rounds 0 to `most` - 1, ended early once they took so long and `least` are done."""
    begun = time.monotonic()
    for done in range(most):
        if done >= least and time.monotonic() - begun > seconds:
            return
        yield done


def host_load() -> float | None:
    """Load average of the last minute ÷ cores; None where the system does not tell."""
    try:
        return os.getloadavg()[0] / (os.cpu_count() or 1)
    except (AttributeError, OSError):
        return None


@dataclass(frozen=True)
class Ranked:
    """One entrant of a race: its place in the entrants given, best time, rounds it survived."""

    index: int
    us: float
    rounds: int


def race(
    entrants: Sequence[Deployed],
    chip: ChipFacts,
    batch_us: float,
    keep: int = 1,
    rounds: int = 3,
    seed: int = 0,
    stay: Collection[int] = (),
) -> tuple[Ranked, ...]:
    """Rank many cheaply: interleaved rounds in random order, then the slower half drops out.

    Gives all entrants, fastest first; those that dropped out early stand behind those that stayed.
    Entrants named in `stay` never drop out.
    """
    order = random.Random(seed)
    times: dict[int, list[float]] = {i: [] for i in range(len(entrants))}
    alive = list(times)
    places = len(alive)
    with lock(chip.id, timeout_s=PATIENCE_S):
        counts = [e.replays_for(batch_us) for e in entrants]
        while True:
            for _ in range(rounds):
                for i in order.sample(alive, len(alive)):
                    times[i].append(entrants[i].batch_us(counts[i]))
            alive.sort(key=lambda i: median(times[i]))
            if places <= max(1, keep):
                break
            places = max(keep, places // 2)
            alive = alive[:places] + [i for i in alive[places:] if i in stay]
    found = [Ranked(i, median(t), len(t) // rounds) for i, t in times.items()]
    return tuple(sorted(found, key=lambda r: (-r.rounds, r.us)))
