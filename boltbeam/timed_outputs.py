"""What a timed graph computed: its own outputs, on its own operands, against float64.

Takes a graph with its operands, gives a Fault or None. Never times anything; never reads an output
that it had not poisoned or restored before the run.

A graph runs the work item once per copy of the operands, and all runs write the same outputs. So
three things are looked at: what the whole graph leaves; what each copy gives alone; and, where a
run goes on from what the last one left (the residual), that the copies one by one leave the same
bits as the graph.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from boltbeam import compare_outputs
from boltbeam import tinygrad_adapter as tg
from boltbeam.compare_outputs import Expected, Mismatch
from boltbeam.operands import Operands, rotates

Bytes = NDArray[np.uint8]
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
    """An output buffer that is compared: numpy's type, and its tensor for a copy."""

    name: str
    kind: Any
    tensor: Callable[[int], Any]


@dataclass
class Timed:
    """A graph of `copies` runs, and how to see what it computes."""

    operands: Operands
    outputs: Sequence[Output]
    graph: Callable[[], object]
    alone: Callable[[int], Callable[[], object]]
    """The run of one copy as a graph of its own: the same kernels on the same buffers."""
    copies: int
    state: frozenset[str]
    """Outputs whose old content a run reads."""
    expected: Callable[[], Expected]
    relative: float
    """Share of Σ|w·x| that a number may be off by."""
    first: Seen = field(default=(), init=False)

    def before(self) -> Fault | None:
        """Are the numbers right? Remembers the bits of the whole graph."""
        self.first = self.run(self.graph)
        if self.accumulates:
            return self.numbers(self.run(self.alone(0), 0)[0], "in the first run")
        return self.numbers(self.first[-1], "before timing") or self.unequal(self.first)

    def after(self) -> Fault | None:
        """Does the graph still leave the same bits, and is that what each copy gives alone?"""
        again = self.run(self.graph)
        for was, now in zip(self.first, again, strict=True):
            if where := self.difference(was, now):
                wrong = None if self.accumulates else self.numbers(now, "after timing")
                return wrong or Fault(f"{where}: other bits after timing")
        runs = [self.alone(i) for i in range(self.copies)]
        alone = tuple(self.run(run, i)[0] for i, run in enumerate(runs))
        if fault := self.unequal((*alone, alone[0] if self.accumulates else again[-1])):
            return fault
        if not self.accumulates:
            return None
        for now, one_by_one in zip(again, self.run(lambda: [r() for r in runs]), strict=True):
            if where := self.difference(now, one_by_one):
                return Fault(f"{where}: not what its runs leave one by one")
        return None

    @property
    def accumulates(self) -> bool:
        """A run goes on from what the run before left, in a buffer that all share."""
        return any(not rotates(name) for name in self.state)

    def run(self, graph: Callable[[], object], copy: int | None = None) -> Seen:
        """Outputs after one call of `graph`: state restored, every other output poisoned."""
        self.operands.restore(self.operands.changed, copy)
        for output in self.outputs:
            if output.name not in self.state:
                tg.poison(output.tensor(copy or 0))
        graph()
        apart = any(rotates(o.name) for o in self.outputs)
        copies = [copy] if copy is not None else range(self.copies) if apart else [0]
        return tuple(
            {o.name: tg.read(o.tensor(i)).view(np.uint8) for o in self.outputs} for i in copies
        )

    def numbers(self, seen: Mapping[str, Bytes], when: str) -> Fault | None:
        """Every element against float64."""
        typed = {o.name: seen[o.name].view(o.kind) for o in self.outputs}
        found = compare_outputs.compare(typed, self.expected(), self.relative)
        if not isinstance(found, Mismatch):
            return None
        code = "" if found.reason == "error-bound" else f"{found.reason} "
        return Fault(f"{code}{found.where} {when}", found.ratio)

    def unequal(self, runs: Seen) -> Fault | None:
        """The copies hold equal contents, so single runs must give the bits of the last one."""
        for i, run in enumerate(runs):
            if where := self.difference(runs[-1], run):
                when = f"in copy {i} of {self.copies}"
                return self.numbers(run, when) or Fault(f"{where}: other bits {when}")
        return None

    def difference(self, a: Mapping[str, Bytes], b: Mapping[str, Bytes]) -> str:
        """`name[index]` of the first element whose bits differ, or ''."""
        for o in self.outputs:
            if not np.array_equal(a[o.name], b[o.name]):
                byte = int(np.flatnonzero(a[o.name] != b[o.name])[0])
                return f"{o.name}[{byte // np.dtype(o.kind).itemsize}]"
        return ""
