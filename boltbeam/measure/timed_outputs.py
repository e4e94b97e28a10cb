"""What a timed graph computed: its own outputs, on its own operands, against float64.

Takes a graph with its operands, gives a Fault or None. Never times anything; never reads an output
that it had not poisoned or restored before the run.

A graph runs the work item at least once per copy of the operands, and all runs write the same
outputs. So three things are looked at: what the whole graph leaves; what each copy gives alone;
and, where a run goes on from what the last one left (the residual), that the copies one by one
leave the same bits as the graph. Runs of an embed read other rows: the last must leave its own, the
first run of every copy the row that these share, and some between are looked at alone.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from boltbeam.measure.rotation import Operands, rotates
from boltbeam.proof import compare_outputs
from boltbeam.proof.compare_outputs import Expected, Mismatch
from boltbeam.seam import tinygrad_adapter as tg

Bytes = NDArray[np.uint8]
ROWS_SEEN = 8
"""Runs of an embed that are looked at alone, beside the first of each copy and the last."""
Seen = tuple[Mapping[str, Bytes], ...]
"""Outputs as the copies of the operands hold them, one entry where they share every output."""


@dataclass(frozen=True)
class Fault:
    """A timed output that is wrong: which element, in which run, error ÷ tolerance."""

    where: str
    ratio: float | None = None

    def __str__(self) -> str:
        share = "" if self.ratio is None else f", {self.ratio:.4g} times the tolerance"
        return f"{self.where}{share}"


@dataclass(frozen=True)
class Output:
    """An output that is compared: numpy's type, and the tensors that hold its parts in a run."""

    name: str
    kind: Any
    parts: Callable[[int], Sequence[Any]]

    def poison(self, run: int) -> None:
        for part in self.parts(run):
            tg.poison(part)

    def read(self, run: int) -> Bytes:
        return np.concatenate([tg.read(part).view(np.uint8) for part in self.parts(run)])


@dataclass
class Timed:
    """A graph of `runs` runs that turn through `copies` operands, and how to see what it computes.

    Without rows to turn through, run i is of copy i modulo `copies`.
    """

    operands: Operands
    outputs: Sequence[Output]
    graph: Callable[[], object]
    alone: Callable[[int], Callable[[], object]]
    """One of the runs as a graph of its own: the same kernels on the same buffers."""
    runs: int
    copies: int
    state: frozenset[str]
    """Outputs whose old content a run reads, or keeps where it does not write."""
    expected: Callable[[int, Any], Expected]
    """By run, and the cache that it left (None: the span leaves none)."""
    relative: float
    """Share of Σ|w·x| that a number may be off by."""
    first: Seen = field(default=(), init=False)
    singles: dict[int, Callable[[], object]] = field(default_factory=dict, init=False)
    """Graphs of single runs: an incumbent is looked at beside every candidate."""

    def before(self) -> Fault | None:
        """Are the numbers right? Remembers the bits of the whole graph."""
        self.settle()
        self.first = self.run(self.graph)
        if self.accumulates:
            return self.numbers(self.run(self.single(0), 0)[0], "in the first run", 0)
        return self.numbers(self.first[-1], "before timing", self.last) or self.unequal(self.first)

    def after(self) -> Fault | None:
        """Does the graph still leave the same bits, and is that what each copy gives alone?"""
        self.settle()
        again = self.run(self.graph)
        for was, now in zip(self.first, again, strict=True):
            if where := self.difference(was, now):
                wrong = None if self.accumulates else self.numbers(now, "after timing", self.last)
                return wrong or Fault(f"{where}: other bits after timing")
        runs = [self.single(i) for i in range(self.copies)]
        alone = tuple(self.run(run, i)[0] for i, run in enumerate(runs))
        if self.operands.by_row:
            return self.unequal(alone) or self.rows(again[-1])
        if fault := self.unequal((*alone, alone[0] if self.accumulates else again[-1])):
            return fault
        if not self.accumulates:
            return None
        in_turn = [runs[i % self.copies] for i in range(self.runs)]
        for now, one_by_one in zip(again, self.run(lambda: [r() for r in in_turn]), strict=True):
            if where := self.difference(now, one_by_one):
                return Fault(f"{where}: not what its runs leave one by one")
        return None

    def rows(self, left: Mapping[str, Bytes]) -> Fault | None:
        """Runs of an embed alone: each the numbers of its row, the last the bits that are left."""
        for run in (*self.spread(), self.last):
            alone = self.run(self.single(run), run)[0]
            if fault := self.numbers(alone, f"in run {run} of {self.runs}", run):
                return fault
        where = self.difference(alone, left)
        return Fault(f"{where}: not what the last run leaves alone") if where else None

    def spread(self) -> list[int]:
        """ROWS_SEEN runs whose rows lie evenly between the lowest and the highest that are read."""
        by_row = sorted(range(self.runs), key=self.operands.row)
        most = len(by_row) - 1
        return list(dict.fromkeys(by_row[most * i // (ROWS_SEEN - 1)] for i in range(ROWS_SEEN)))

    def settle(self) -> None:
        """Point the runs at the rows that `expected` speaks of."""
        if self.operands.by_row:
            self.operands.first_rows(self.runs)

    def single(self, run: int) -> Callable[[], object]:
        """One of the runs as a graph of its own."""
        if run not in self.singles:
            self.singles[run] = self.alone(run)
        return self.singles[run]

    @property
    def last(self) -> int:
        return self.runs - 1

    @property
    def accumulates(self) -> bool:
        """A run goes on from what the run before left, in a buffer that several share."""
        again = {"pos", "ids"} if self.runs > self.copies else set()
        return any(name in again or not rotates(name) for name in self.state)

    def run(self, graph: Callable[[], object], run: int | None = None) -> Seen:
        """Outputs after one call of `graph`: state restored, every other output poisoned."""
        self.operands.restore(self.operands.changed, run)
        for output in self.outputs:
            if output.name not in self.state:
                output.poison(run or 0)
        graph()
        apart = any(rotates(o.name) for o in self.outputs)
        runs = [run] if run is not None else range(self.copies) if apart else [0]
        return tuple({o.name: o.read(i) for o in self.outputs} for i in runs)

    def numbers(self, seen: Mapping[str, Bytes], when: str, run: int = 0) -> Fault | None:
        """Every element against float64."""
        typed = {o.name: seen[o.name].view(o.kind) for o in self.outputs}
        found = compare_outputs.compare(
            typed, self.expected(run, typed.get("cache")), self.relative
        )
        if not isinstance(found, Mismatch):
            return None
        code = "" if found.reason == "error-bound" else f"{found.reason} "
        return Fault(f"{code}{found.where} {when}", found.ratio)

    def unequal(self, runs: Seen) -> Fault | None:
        """The copies hold equal contents, so single runs must give the bits of the last one."""
        for i, run in enumerate(runs):
            if where := self.difference(runs[-1], run):
                when = f"in copy {i} of {self.copies}"
                wrong = self.numbers(run, when) or self.numbers(runs[-1], "in the last run")
                return wrong or Fault(f"{where}: other bits {when}")
        return None

    def difference(self, a: Mapping[str, Bytes], b: Mapping[str, Bytes]) -> str:
        """`name[index]` of the first element whose bits differ, or ''."""
        for o in self.outputs:
            if not np.array_equal(a[o.name], b[o.name]):
                byte = int(np.flatnonzero(a[o.name] != b[o.name])[0])
                return f"{o.name}[{byte // np.dtype(o.kind).itemsize}]"
        return ""
