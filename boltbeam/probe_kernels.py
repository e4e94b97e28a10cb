"""The kernels whose speed a probe measures: reads, dependent loads, arithmetic, nothing at all.

Takes a Shape (how many threads, how many accumulators each), gives launches in the rows form (one
thread, rolled lane loops) or the lanes form (workgroups). Never runs anything.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from boltbeam.emit import core
from boltbeam.emit.core import Buf, Launch


@dataclass(frozen=True)
class Shape:
    """`groups` × `threads` threads with `lanes` accumulators each; rows form: one thread.

    Threads read side by side, or, `blocked`, each a stretch of its own (OpenCL on a CPU).
    """

    lanes: int
    groups: int = 0
    threads: int = 1
    blocked: bool = False

    @property
    def rows_form(self) -> bool:
        return self.groups == 0

    @property
    def total(self) -> int:
        """Threads of the launch."""
        return max(1, self.groups) * self.threads

    def __str__(self) -> str:
        if self.rows_form:
            return f"lanes={self.lanes}"
        text = f"groups={self.groups} lanes={self.lanes} threads={self.threads}"
        return text + (" blocked" if self.blocked else "")

    def element(self, thread: Any, trip: Any, lane: Any, n: int) -> Any:
        """Which of n elements a thread touches in a trip with one of its lanes."""
        if self.rows_form:
            return trip * self.lanes + lane
        if self.blocked:
            return thread * (n // self.total) + trip * self.lanes + lane
        return (trip * self.lanes + lane) * self.total + thread

    def trips(self, n: int) -> int:
        """Trips of every thread over n elements, a multiple of threads × lanes."""
        return n // (self.total * self.lanes)


Step = Callable[[Any, Any, Any], Any]
"""(accumulator, trip counter, index of the accumulator) -> its new value."""


class _Kernel:
    """One kernel being built: its thread index, and loops over a register array."""

    def __init__(self, shape: Shape, name: str) -> None:
        from tinygrad.uop.ops import UOp

        self.shape, self.name, self._ids = shape, name, 0
        self.thread: Any = 0
        if not shape.rows_form:
            self.thread = UOp.special(shape.groups, "gidx0") * shape.threads + UOp.special(
                shape.threads, "lidx0"
            )

    def _next(self) -> int:
        self._ids += 1
        return self._ids

    def range(self, n: int) -> Any:
        from tinygrad.uop.ops import AxisType, UOp

        return UOp.range(n, self._next(), AxisType.LOOP)

    def registers(self, n: int, dtype: str) -> Any:
        from tinygrad.dtype import AddrSpace
        from tinygrad.uop.ops import UOp

        return UOp.placeholder((n,), core.dtype(dtype), slot=self._next(), addrspace=AddrSpace.REG)

    def each(self, regs: Any, value: Callable[[Any, Any], Any]) -> Any:
        """Store value(register, index) into every register; rolled where one thread runs."""
        from tinygrad.uop.ops import UOp

        n = self.shape.lanes
        if self.shape.rows_form and n > 1:
            i = self.range(n)
            return regs[i].store(value(regs[i].load(), i)).end(i)
        return UOp.group(*[regs[i].store(value(regs[i].load(), i)) for i in range(n)])

    def loop(
        self, trips: tuple[int, ...], step: Step, dtype: str = "f32", first: Any = None
    ) -> Any:
        """Run `step` on all accumulators, which begin as `first`, in nested loops; their sum."""
        from tinygrad.uop.ops import UOp

        regs = self.registers(self.shape.lanes, dtype)
        begin = UOp.const(0, core.dtype(dtype)) if first is None else first
        start = regs.after(self.each(regs, lambda _old, _i: begin))
        ranges = [self.range(n) for n in trips]
        inside = start.after(*ranges)
        work = self.each(inside, lambda old, i: step(old, ranges[-1], i))
        for r in reversed(ranges):
            work = work.end(r)
        return self._sum(regs.after(work), dtype)

    def _sum(self, regs: Any, dtype: str) -> Any:
        n = self.shape.lanes
        if n == 1 or not self.shape.rows_form:
            return sum((regs[i].load() for i in range(1, n)), regs[0].load())
        from tinygrad.uop.ops import UOp

        one = self.registers(1, dtype)
        i = self.range(n)
        begun = one.after(one[0].store(UOp.const(0, core.dtype(dtype))))
        inside = begun.after(i)
        return one.after(inside[0].store(inside[0].load() + regs[i].load()).end(i))[0].load()

    def finish(self, *stores: Any) -> Any:
        from tinygrad.uop.ops import KernelInfo, UOp

        info = KernelInfo(name=self.name, opts_to_apply=())
        tag = None if self.shape.rows_form else 1
        return UOp.group(*stores).sink(arg=info, tag=tag)


def _launch(
    name: str, shape: Shape, ins: tuple[Buf, ...], body: Callable[..., Any], dtype: str = "f32"
) -> Launch:
    """A launch in which every thread stores the result of `body` into its own element."""

    def build(out: Any, *inputs: Any) -> Any:
        k = _Kernel(shape, name)
        value = body(k, *inputs)
        return k.finish(out[k.thread].store(value) if shape.total > 1 else out[0].store(value))

    return Launch(name, (Buf("out", shape.total, dtype),), ins, build)


def read(shape: Shape, n: int) -> Launch:
    """Sum of n floats; n must be a multiple of threads × lanes."""

    def body(k: _Kernel, x: Any) -> Any:
        def step(a: Any, r: Any, i: Any) -> Any:
            return a + x[shape.element(k.thread, r, i, n)].load()

        return k.loop((shape.trips(n),), step)

    return _launch("probe_read", shape, (Buf("x", n, "f32"),), body)


def copy(shape: Shape, n: int) -> Launch:
    """y = x over n floats; n must be a multiple of threads × lanes."""

    def build(y: Any, x: Any) -> Any:
        k = _Kernel(shape, "probe_copy")
        if shape.rows_form:
            i = k.range(n)
            return k.finish(y[i].store(x[i].load()).end(i))
        from tinygrad.uop.ops import UOp

        r = k.range(shape.trips(n))
        at = [shape.element(k.thread, r, i, n) for i in range(shape.lanes)]
        return k.finish(UOp.group(*[y[j].store(x[j].load()) for j in at]).end(r))

    return Launch("probe_copy", (Buf("y", n, "f32"),), (Buf("x", n, "f32"),), build)


def chase(shape: Shape, n: int, steps: int) -> Launch:
    """`steps` loads of which each gives the index of the next, from where the last launch ended."""

    def build(at: Any, next_index: Any) -> Any:
        k = _Kernel(shape, "probe_chase")
        last = k.loop((steps,), lambda a, _r, _i: next_index[a].load(), "i32", at[0].load())
        return k.finish(at[0].store(last))

    return Launch("probe_chase", (Buf("at", 1, "i32"),), (Buf("next", n, "i32"),), build)


def multiply_add(shape: Shape, trips: int) -> Launch:
    """acc = acc × c + d in registers, `trips` times on every accumulator."""

    def body(k: _Kernel, cd: Any) -> Any:
        c, d = cd[0].load(), cd[1].load()
        return k.loop((trips,), lambda a, _r, _i: a * c + d)

    return _launch("probe_fma", shape, (Buf("cd", 2, "f32"),), body)


def unpack(shape: Shape, n: int, trips: int) -> Launch:
    """acc += float(byte) × x over n bytes that stay in the nearest cache, `trips` times."""
    width = shape.lanes * shape.threads

    def body(k: _Kernel, w: Any, x: Any) -> Any:
        def step(a: Any, b: Any, i: Any) -> Any:
            if shape.rows_form:
                at = b * shape.lanes + i
            else:
                at = (b * shape.lanes + i) * shape.threads + k.thread % shape.threads
            return a + w[at].load().cast(core.dtype("f32")) * x[at].load()

        return k.loop((trips, n // width), step)

    return _launch("probe_unpack", shape, (Buf("w", n, "u8"), Buf("x", n, "f32")), body)


def dot4(shape: Shape, trips: int) -> Launch:
    """acc = dp4a(word, word, acc) in registers (CUDA's intrinsic), `trips` times."""

    def body(k: _Kernel, words: Any) -> Any:
        from tinygrad.uop.ops import Ops, UOp

        one, two = words[0].load(), words[1].load()

        def step(a: Any, _r: Any, _i: Any) -> Any:
            return UOp(
                Ops.CUSTOM, core.dtype("i32"), src=(one, two, a), arg="__dp4a({0}, {1}, {2})"
            )

        return k.loop((trips,), step, "i32")

    return _launch("probe_dot4", shape, (Buf("words", 2, "i32"),), body, "i32")


def nothing(rows_form: bool) -> Launch:
    """One addition: what is left is the launch."""
    shape = Shape(1) if rows_form else Shape(1, 1, 1)

    def build(o: Any) -> Any:
        k = _Kernel(shape, "probe_nothing")
        return k.finish(o[0].store(o[0].load() + 1.0))

    return Launch("probe_nothing", (Buf("o", 1, "f32"),), (), build)
