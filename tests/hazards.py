"""Chains of kernels that go wrong where one of them does not wait for those before it.

One kernel of each chain works long, and stores or loads only at its end; the next touches the same
buffer. All is arithmetic of 32-bit words, so that what a chain must leave is known to the bit.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pytest

from boltbeam.chip.probe_kernels import BOUNDS, Kernel, Shape
from boltbeam.emit import dependent
from boltbeam.emit.core import Buf, Launch
from boltbeam.seam import tinygrad_adapter as tg
from boltbeam.seam import tinygrad_cuda_graph, tinygrad_graph

Words = np.ndarray[Any, np.dtype[Any]]
State = dict[str, Words]

SHAPE = Shape(1, 4, 64)
"""So few threads that the next kernel finds room beside them."""
N = SHAPE.total
TRIPS = 30_000
"""Multiply-adds, each of the one before: some 60 us on an H200, 30 times what a launch takes."""
ROUNDS = 16
"""Times that a graph goes through its chain."""
MULTIPLY, ADD = 1664525, 1013904223
WORD = 1 << 32

MADE, SEEN, LOG, X, OTHER = (Buf(n, N, "u32") for n in ("made", "seen", "log", "x", "other"))
KEY = Buf("w.key", N, "u32")
"""By its name a weight: what may be read before the wait."""
TURN, STAY = Buf("turn", 2, "u32"), Buf("stay", 2, "u32")
"""Multiplier and addend of a trip: ADD, and the zero that leaves a zero."""


# ---- kernels -----------------------------------------------------------------------------------


def _launch(
    name: str,
    outs: tuple[Buf, ...],
    ins: tuple[Buf, ...],
    value: Callable[[Kernel, dict[str, Any]], Any],
) -> Launch:
    """A kernel whose every thread stores one word into its own place of the first output."""
    names = [b.name for b in (*outs, *ins)]

    def build(*placeholders: Any) -> Any:
        b = dict(zip(names, placeholders, strict=True))
        k = Kernel(SHAPE, name, b.get(BOUNDS.name))
        return k.finish(b[names[0]][k.thread].store(value(k, b)))

    return Launch(name, outs, ins, build)


def _slowly(k: Kernel, begin: Any, by: Any) -> Any:
    """`begin` after as many trips as `bounds` says."""
    times, plus = by[0].load(), by[1].load()
    return k.loop((k.range(k.bound(0)),), lambda a, _r, _i: a * times + plus, "u32", begin, 1)


def _late(k: Kernel, b: dict[str, Any]) -> Any:
    return _slowly(k, b["seen"][k.thread].load(), b["turn"])


def _use(k: Kernel, b: dict[str, Any]) -> Any:
    return b["made"][N - 1 - k.thread].load() ^ b["w.key"][k.thread].load()


def _beside(k: Kernel, b: dict[str, Any]) -> Any:
    return b["other"][k.thread].load() + 1


def _look_late(k: Kernel, b: dict[str, Any]) -> Any:
    """Where to look is known only after all trips; that it is the thread's own place, to nobody."""
    from tinygrad import dtypes
    from tinygrad.uop.ops import UOp

    zero = _slowly(k, UOp.const(0, dtypes.uint32), b["stay"])
    place = (zero & (N - 1)).cast(dtypes.int32).cast(dtypes.weakint)
    at = (k.thread + place) % N
    return b["log"][k.thread].load() * 5 + b["x"][at].load()


def _overwrite(k: Kernel, b: dict[str, Any]) -> Any:
    return b["x"][k.thread].load() * MULTIPLY + ADD


WRITES_LATE = _launch("writes_late", (MADE,), (BOUNDS, TURN, SEEN), _late)
USES = _launch("uses", (SEEN,), (MADE, KEY), _use)
BYSTANDER = _launch("bystander", (OTHER,), (), _beside)
READS_LATE = _launch("reads_late", (LOG,), (BOUNDS, STAY, X), _look_late)
OVERWRITES = _launch("overwrites", (X,), (), _overwrite)


def waits(launch: Launch) -> Launch:
    return dependent.dependent(launch)


def without_wait(launch: Launch) -> Launch:
    """As `waits`, the wait itself commented out: the graph takes the kernel for one that waits."""
    wait, made = f"{dependent.INSTRUCTION};", dependent.dependent(launch)

    def build(*placeholders: Any) -> Any:
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(dependent, "WAIT", dependent.WAIT.replace(wait, f"/* {wait} */"))
            return made.build(*placeholders)

    return replace(made, build=build)


# ---- chains ------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Hazard:
    """A chain, and the place in it of the kernel that must not start its work early."""

    launches: tuple[Launch, ...]
    careful: int

    def kernels(self, careful: Callable[[Launch], Launch] = waits) -> list[Launch]:
        """All as launches that wait; the one that matters as `careful` makes it."""
        return [(careful if i == self.careful else waits)(x) for i, x in enumerate(self.launches)]


HAZARDS = {
    "read after write": Hazard((WRITES_LATE, USES), 1),
    "write after read": Hazard((READS_LATE, OVERWRITES), 1),
    "behind a bystander": Hazard((WRITES_LATE, BYSTANDER, USES), 1),
}
"""The last: who waits only for a kernel that did not wait itself has not waited for the first."""


def contents(seed: int, trips: int = TRIPS) -> State:
    """What all buffers hold before a replay."""
    rng = np.random.default_rng(seed)
    words = (MADE, SEEN, LOG, X, OTHER, KEY)
    state: State = {b.name: rng.integers(0, WORD, N, np.uint32) for b in words}
    state |= {"turn": np.array([MULTIPLY, ADD], np.uint32)}
    state |= {"stay": np.array([MULTIPLY, 0], np.uint32)}
    return state | {"bounds": np.array([trips, 1, 0], np.int32)}


def after(launches: Sequence[Launch], state: State, rounds: int) -> State:
    """What they leave, one after another."""
    times, plus = 1, 0
    for _ in range(int(state["bounds"][0])):
        times, plus = times * MULTIPLY % WORD, (plus * MULTIPLY + ADD) % WORD
    now = dict(state)
    for _ in range(rounds):
        for launch in launches:
            now |= _effect(launch.name, now, np.uint32(times), np.uint32(plus))
    return now


def _effect(name: str, s: State, times: Any, plus: Any) -> State:
    made: dict[str, Callable[[], State]] = {
        "writes_late": lambda: {"made": s["seen"] * times + plus},
        "uses": lambda: {"seen": s["made"][::-1] ^ s["w.key"]},
        "bystander": lambda: {"other": s["other"] + np.uint32(1)},
        "reads_late": lambda: {"log": s["log"] * np.uint32(5) + s["x"]},
        "overwrites": lambda: {"x": s["x"] * np.uint32(MULTIPLY) + np.uint32(ADD)},
    }
    return made[name]()


class Chain:
    """Launches captured as one graph that goes through them ROUNDS times."""

    def __init__(self, launches: Sequence[Launch], device: str) -> None:
        self.launches = launches
        self.bufs = {b.name: b for x in launches for b in (*x.outs, *x.ins)}
        self.held = {n: tg.empty(b, device) for n, b in self.bufs.items()}
        self.graph = tinygrad_graph.capture(self._step)

    def _step(self) -> None:
        for _ in range(ROUNDS):
            for x in self.launches:
                # one by one: their order is the one in which they are captured
                tg.realize(tg.call(x, [self.held[b.name] for b in (*x.outs, *x.ins)]))

    def require_early_starts(self) -> None:
        """Every launch but the graph's first begins before the one before it has ended. Otherwise
        nothing can go wrong here, whatever waits are missing."""
        found, wanted = tinygrad_cuda_graph.early_edges(self.graph), len(self.launches) * ROUNDS - 1
        assert found == wanted, f"{found} of {wanted} edges of the graph start a kernel early"

    def wrong(self, seeds: Sequence[int], trips: int = TRIPS) -> list[int]:
        """Seeds of the contents on which two replays, one behind the other, left anything else."""
        out = []
        for seed in seeds:
            state = contents(seed, trips)
            for name, tensor in self.held.items():
                tg.write(tensor, state[name])
            self.graph()
            self.graph()
            want = after(self.launches, state, 2 * ROUNDS)
            if any((tg.read(t) != want[n]).any() for n, t in self.held.items()):
                out.append(seed)
        return out
