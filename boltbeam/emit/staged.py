"""Weights on their way to local memory: copies that no register waits for, several trips ahead.

Takes the words of a trip as they would be loaded, gives the same words read from a ring of stages
in local memory, and what fills it. Each thread copies what it reads itself to places of its own:
there is no barrier, a thread waits only until its own copies have come. Never chooses how far
ahead. Words that are put together of half-words cannot be staged.

The intrinsics give 0, which is kept in a register: tinygrad orders memory accesses behind a STORE,
not behind a CUSTOM of its own.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from tinygrad import dtypes
from tinygrad.uop.ops import Ops, UOp

from boltbeam.emit.lanes_core import I32, U32, Kernel, vector

CACHE = {1: "ca", 2: "ca", 4: "cg"}
"""Words of a copy -> which cache it goes through: those of 16 bytes may pass by L1."""
DIALECTS = {"CUDA": "CUDA", "NV": "CUDA", "CL": "CL"}
"""tinygrad's device -> dialect. OpenCL on a CPU copies at once, to the same places in the same
order: all but the waiting is proved there."""


def copy(dialect: str, words: int) -> str:
    """Copies words to {0} in local memory from {1} where {2} is not 0."""
    if dialect == "CL":
        moved = f"vstore{words}(vload{words}(0, {{1}}), 0, {{0}})" if words > 1 else "*{0} = *{1}"
        return f"({{2}} ? ({moved}, 0) : 0)"
    return (
        '[&]{{ asm volatile("{{ .reg .pred p; setp.ne.s32 p, %2, 0; '
        f'@p cp.async.{CACHE[words]}.shared.global [%0], [%1], {4 * words}; }}}}" '
        ':: "r"((int)__cvta_generic_to_shared({0})), "l"({1}), "r"((int)({2})) : "memory");'
        " return 0; }}()"
    )


def commit(dialect: str) -> str:
    """Closes a group of copies."""
    return "0" if dialect == "CL" else _asm("cp.async.commit_group;")


def wait(dialect: str, left: int) -> str:
    """Until all groups but the last so many have come."""
    return "0" if dialect == "CL" else _asm(f"cp.async.wait_group {left};")


def _asm(text: str) -> str:
    return f'[&]{{{{ asm volatile("{text}" ::: "memory"); return 0; }}}}()'


COMMITS = commit("CUDA")
"""By this a kernel is known to copy: dependent launches wait behind what it copies first."""


@dataclass(frozen=True)
class Piece:
    """Neighbouring words that one load reads."""

    load: Any
    source: Any
    """Where they lie in memory."""
    width: int
    place: int
    """First word of its places in a stage: one for each thread, side by side."""


class Plan:
    """What one loop stages in a trip: words that depend on `trip`, and the loads under them.

    Raises ValueError for loads of half-words.
    """

    def __init__(self, words: Sequence[Any], trip: Any, trips: int, threads: int, ok: Any) -> None:
        self.words, self.trip, self.trips = tuple(words), trip, trips
        self.ok = UOp.const(True, dtypes.bool) if ok is None else ok
        """Whether this workgroup runs the loop."""
        loads = [u for u in UOp.sink(*words).toposort() if u.op is Ops.LOAD]
        if any(u.dtype != U32 for u in loads):
            raise ValueError("half-words cannot be copied to local memory by themselves")
        self.size, pieces = 0, []
        """Words of a stage, of all threads."""
        for load in sorted(loads, key=lambda u: -int(u.max_numel())):  # the widest lie aligned
            (buf, start), width = load.src[0].src[:2], int(load.max_numel())
            pieces.append(Piece(load, buf.index(start), width, self.size))
            self.size += width * threads
        self.pieces = tuple(pieces)


class Ring:
    """Stages in local memory, which the loops of a kernel fill and empty in turn.

    Where each workgroup runs only one of the loops they share the memory (`one_runs`).
    """

    def __init__(self, c: Kernel, plans: Sequence[Plan], ahead: int, one_runs: bool) -> None:
        device = c.target.device.split(":")[0]
        if device not in DIALECTS:
            raise ValueError(f"{device} has no copies to local memory that run by themselves")
        self.c, self.plans, self.dialect = c, tuple(plans), DIALECTS[device]
        self.stages = min(ahead, max(p.trips for p in plans))
        sizes = [p.size for p in plans]
        self.first = [0 if one_runs else sum(sizes[:k]) for k in range(len(plans))]
        self.size = max(sizes) if one_runs else sum(sizes)
        self.memory = c.local(self.stages * self.size, U32)
        self.token = c.registers([0], I32)
        self._fill()

    def _fill(self) -> None:
        """The first trips of all loops, in front of everything else."""
        for s in range(self.stages):
            memory, trip = self.memory.after(*self.token.src[1:]), UOp.const(s)
            held = [(k, p) for k, p in enumerate(self.plans) if s < p.trips]
            copies = [x for k, p in held for x in self._copies(k, memory, trip, p.ok)]
            self.token = self.token.after(self._kept(self.token, commit(self.dialect), copies))

    def turn(self, k: int, trip: Any) -> tuple[list[Any], Any]:
        """(words of a trip of loop k once they have come, what fills its stage again behind them)

        A thread's copies do not overtake what it read before.
        """
        plan, token = self.plans[k], self.token.after(trip)
        come = self._kept(token, wait(self.dialect, self.stages - 1))
        memory, held, read = self.memory.after(come), {plan.trip: trip}, []
        for p in plan.pieces:
            words = vector(memory, self._at(k, p, trip), p.width)
            held[p.load] = words[0] if p.width == 1 else words[0].src[0]
            read.append(words[0])
        words = list(UOp.sink(*plan.words).substitute(held).src)
        copies = []
        if plan.trips > self.stages:
            following = trip + self.stages
            copies = self._copies(k, memory, following, following < plan.trips, read)
        # a group of no copies counts as well
        return words, self._kept(token.after(come), commit(self.dialect), copies)

    def behind(self, end: Any) -> None:
        """What follows stands behind the end of a loop."""
        self.token = self.token.after(end)

    def _kept(self, token: Any, text: str, copies: Sequence[Any] = ()) -> Any:
        return token[0].store(UOp(Ops.CUSTOM, I32, (token[0].load(), *copies), text))

    def _at(self, k: int, piece: Piece, trip: Any) -> Any:
        place = self.first[k] + piece.place
        return trip % self.stages * self.size + self.c.tid * piece.width + place

    def _copies(
        self, k: int, memory: Any, trip: Any, ok: Any, behind: Sequence[Any] = ()
    ) -> list[Any]:
        """Copies of a trip's words to its stage where `ok` holds, once `behind` were loaded."""
        plan = self.plans[k]
        return [
            UOp(
                Ops.CUSTOM,
                I32,
                (
                    memory.index(self._at(k, p, trip)),
                    p.source.substitute({plan.trip: trip}),
                    ok,
                    *behind,
                ),
                copy(self.dialect, p.width),
            )
            for p in plan.pieces
        ]
