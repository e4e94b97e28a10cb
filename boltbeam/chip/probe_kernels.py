"""The kernels whose speed a probe measures: reads, copies, dependent loads, nothing at all.

Takes a Shape (how many threads, what each has on its way), gives launches in the rows form (one
thread, rolled lane loops) or the lanes form (workgroups). Never runs anything.

How long a kernel runs is in its buffer `bounds` = [trips, passes, start], so one compiled kernel
gives a whole curve, and two lengths of it give a slope: the time per trip without the launch. A
kernel with a window begins `start` trips' worth of words after the first.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from boltbeam.emit import core
from boltbeam.emit.core import Buf, Launch

BOUNDS = Buf("bounds", 3, "i32")
LONGEST = 1 << 24
"""Most trips or passes that a buffer of bounds may ask for (more are cut to this)."""


@dataclass(frozen=True)
class Shape:
    """`groups` × `threads` threads with `lanes` accumulators each; rows form: one thread.

    A read takes `words` neighbouring 32-bit words per load and sends `lanes` loads before it needs
    the first. `order`: `strided` (the whole grid side by side, once per load), `tile` (workgroups
    side by side, all loads of one next to each other), `group` (every workgroup has a stretch of
    its own) or `thread` (every thread has one: OpenCL on a CPU).
    """

    lanes: int
    groups: int = 0
    threads: int = 1
    words: int = 1
    order: str = "strided"

    @property
    def rows_form(self) -> bool:
        return self.groups == 0

    @property
    def total(self) -> int:
        """Threads of the launch."""
        return max(1, self.groups) * self.threads

    @property
    def step(self) -> int:
        """32-bit words that all threads read in one trip."""
        return self.total * self.lanes * self.words

    @property
    def in_flight(self) -> float | None:
        """Bytes of the loads that all threads send before they wait, if the chip holds them all.

        None in the rows form: how far ahead a core looks is not written in the kernel.
        """
        return None if self.rows_form else 4.0 * self.step

    @classmethod
    def parse(cls, text: str) -> Shape:
        """The shape whose text this is. ValueError: it is none."""
        pairs = dict(word.split("=", 1) for word in text.split())
        order = pairs.pop("order", "strided")
        return cls(**{k: int(v) for k, v in pairs.items()}, order=order)

    def __str__(self) -> str:
        if self.rows_form:
            return f"lanes={self.lanes}"
        text = f"groups={self.groups} lanes={self.lanes} threads={self.threads}"
        text += f" words={self.words}" if self.words > 1 else ""
        return text + (f" order={self.order}" if self.order != "strided" else "")


Step = Callable[[Any, Any, int | Any], Any]
"""(accumulator, trip counter, index of the accumulator) -> its new value."""


class Kernel:
    """One kernel being built: its ids, its bounds, and loops over a register array."""

    def __init__(self, shape: Shape, name: str, bounds: Any = None) -> None:
        from tinygrad.uop.ops import UOp

        self.shape, self.name, self._ids, self._bounds = shape, name, 0, bounds
        self.group: Any = 0
        self.local: Any = 0
        if not shape.rows_form:
            self.group = UOp.special(shape.groups, "gidx0")
            self.local = UOp.special(shape.threads, "lidx0")

    @property
    def thread(self) -> Any:
        return self.group * self.shape.threads + self.local

    def bound(self, i: int, most: int = LONGEST) -> Any:
        """An element of `bounds`, from 0 to `most` (so that indices stay 32 bits wide)."""
        from tinygrad import dtypes
        from tinygrad.uop.ops import UOp

        value = self._bounds[UOp.const(i)].load().cast(dtypes.weakint)
        return value.minimum(UOp.const(most)).maximum(UOp.const(0))

    def range(self, n: Any) -> Any:
        from tinygrad.uop.ops import AxisType, UOp

        return UOp.range(n, self._next(), AxisType.LOOP)

    def registers(self, n: int, dtype: str) -> Any:
        from tinygrad.dtype import AddrSpace
        from tinygrad.uop.ops import UOp

        return UOp.placeholder((n,), core.dtype(dtype), slot=self._next(), addrspace=AddrSpace.REG)

    def _next(self) -> int:
        self._ids += 1
        return self._ids

    def first(self, trips: Any, again: Any) -> Any:
        """The word that a thread reads first; `again` moves every workgroup on by so many."""
        s = self.shape
        if s.rows_form:
            return 0
        group = self.group if again is None else (self.group + again) % s.groups
        if s.order == "group":
            return (group * trips * s.lanes * s.threads + self.local) * s.words
        if s.order == "thread":
            return (group * s.threads + self.local) * trips * s.lanes * s.words
        if s.order == "tile":
            return (group * s.lanes * s.threads + self.local) * s.words
        return (group * s.threads + self.local) * s.words

    def start(self, n: int) -> Any:
        """The first word of the launch among n."""
        return self.bound(2, n // self.shape.step) * self.shape.step

    def stride(self) -> int:
        """Words between two loads of one thread."""
        s = self.shape
        beside = {"strided": s.total, "tile": s.threads, "group": s.threads, "thread": 1}[s.order]
        return 1 if s.rows_form else beside * s.words

    def trip(self) -> int:
        """Words from a thread's first load of one trip to that of the next."""
        s = self.shape
        return s.step if s.order == "tile" else s.lanes * self.stride()

    def loop(
        self,
        ranges: tuple[Any, ...],
        step: Step,
        dtype: str = "f32",
        begin: Any = None,
        count: int | None = None,
    ) -> Any:
        """Run `step` on all accumulators, which begin as `begin`, in nested loops; their sum."""
        from tinygrad.uop.ops import UOp

        n = self.shape.lanes * self.shape.words if count is None else count
        regs = self.registers(n, dtype)
        begin = UOp.const(0, core.dtype(dtype)) if begin is None else begin
        start = regs.after(self._each(regs, n, lambda _old, _i: begin))
        inside = start.after(*ranges)
        work = self._each(inside, n, lambda old, i: step(old, ranges[-1], i))
        for r in reversed(ranges):
            work = work.end(r)
        return self._sum(regs.after(work), n, dtype)

    def _each(self, regs: Any, n: int, value: Callable[[Any, Any], Any]) -> Any:
        """Store value(register, index) into every register; rolled where one thread runs."""
        from tinygrad.uop.ops import UOp

        if self.shape.rows_form and n > 1:
            i = self.range(n)
            return regs[i].store(value(regs[i].load(), i)).end(i)
        return UOp.group(*[regs[i].store(value(regs[i].load(), i)) for i in range(n)])

    def _sum(self, regs: Any, n: int, dtype: str) -> Any:
        if n == 1 or not self.shape.rows_form:
            return sum((regs[i].load() for i in range(1, n)), regs[0].load())
        from tinygrad.uop.ops import UOp

        one = self.registers(1, dtype)
        i = self.range(n)
        begun = one.after(one[0].store(UOp.const(0, core.dtype(dtype))))
        inside = begun.after(i)
        return one.after(inside[0].store(inside[0].load() + regs[i].load()).end(i))[0].load()

    def finish(self, *stores: Any) -> Any:
        from tinygrad.renderer import Estimates
        from tinygrad.uop.ops import KernelInfo, UOp

        # tinygrad cannot estimate a loop whose bound is in a buffer
        info = KernelInfo(name=self.name, opts_to_apply=(), estimates=Estimates(1, 1, 1))
        return UOp.group(*stores).sink(arg=info, tag=1)


def launch(
    name: str, shape: Shape, ins: tuple[Buf, ...], body: Callable[..., Any], dtype: str = "f32"
) -> Launch:
    """A launch in which every thread stores the result of `body` into its own element."""

    def build(out: Any, bounds: Any, *inputs: Any) -> Any:
        k = Kernel(shape, name, bounds)
        value = body(k, *inputs)
        return k.finish(out[k.thread if shape.total > 1 else 0].store(value))

    return Launch(name, (Buf("out", shape.total, dtype),), (BOUNDS, *ins), build)


# ---- memory ------------------------------------------------------------------------------------


def read(shape: Shape, n: int, rotate: bool = False, window: bool = False) -> Launch:
    """Sum of trips × shape.step floats of n, `passes` times over; `window`: from `start` on.

    `rotate`: in every pass a workgroup reads what another one read before, so that no cache which
    belongs to one unit can serve it.
    """

    def body(k: Kernel, x: Any) -> Any:
        trips = k.bound(0, n // shape.step)
        p, r = k.range(k.bound(1)), k.range(trips)
        base = k.first(trips, p if rotate else None) + (k.start(n) if window else 0)
        per_trip, stride = k.trip(), k.stride()
        held: dict[int, Any] = {}

        def value(i: Any) -> Any:
            if shape.words == 1:
                return x[base + r * per_trip + i * stride].load()
            at = i // shape.words
            if at not in held:
                held[at] = _wide(x, base + r * per_trip + at * stride, shape.words)
            return held[at].index(i % shape.words)

        return k.loop((p, r), lambda a, _r, i: a + value(i))

    return launch("probe_read", shape, (Buf("x", n, "f32"),), body)


def _wide(buf: Any, at: Any, words: int) -> Any:
    from tinygrad.uop.ops import Ops, UOp

    return UOp(Ops.SHRINK, src=(buf, at, UOp.const(words))).load()


def copy(shape: Shape, n: int) -> Launch:
    """y = x over trips × shape.step floats."""

    def build(y: Any, bounds: Any, x: Any) -> Any:
        k = Kernel(shape, "probe_copy", bounds)
        return _each_element(k, n, lambda i: y[i].store(x[i].load()))

    return Launch("probe_copy", (Buf("y", n, "f32"),), (BOUNDS, Buf("x", n, "f32")), build)


def fill(shape: Shape, n: int) -> Launch:
    """y = small numbers, over trips × shape.step floats (all of them where n is a multiple)."""

    def build(y: Any, bounds: Any) -> Any:
        k = Kernel(shape, "probe_fill", bounds)
        return _each_element(k, n, lambda i: y[i].store((i & 1023).cast(core.dtype("f32")) * 1e-3))

    return Launch("probe_fill", (Buf("y", n, "f32"),), (BOUNDS,), build)


def _each_element(k: Kernel, n: int, store: Callable[[Any], Any]) -> Any:
    """A store for every element of the trips, one word at a time."""
    from tinygrad.uop.ops import UOp

    s = k.shape
    trips = k.bound(0, n // s.step)
    r = k.range(trips)
    base = k.first(trips, None) + r * k.trip()
    if s.rows_form:
        i = k.range(s.lanes)
        return k.finish(store(base + i).end(i).end(r))
    at = [base + i * k.stride() + w for i in range(s.lanes) for w in range(s.words)]
    return k.finish(UOp.group(*[store(i) for i in at]).end(r))


def chase(shape: Shape, n: int) -> Launch:
    """`trips` loads of which each gives the index of the next, from where the last launch ended."""

    def build(at: Any, bounds: Any, next_index: Any) -> Any:
        k = Kernel(shape, "probe_chase", bounds)
        trips = (k.range(k.bound(0)),)
        last = k.loop(trips, lambda a, _r, _i: next_index[a].load(), "i32", at[0].load(), 1)
        return k.finish(at[0].store(last))

    return Launch("probe_chase", (Buf("at", 1, "i32"),), (BOUNDS, Buf("next", n, "i32")), build)


def nothing(rows_form: bool) -> Launch:
    """One addition: what is left is the launch."""
    shape = Shape(1) if rows_form else Shape(1, 1, 1)

    def build(o: Any) -> Any:
        k = Kernel(shape, "probe_nothing")
        return k.finish(o[0].store(o[0].load() + 1.0))

    return Launch("probe_nothing", (Buf("o", 1, "f32"),), (), build)
