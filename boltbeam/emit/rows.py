"""How a rows kernel is written: sequential loops, register arrays, buffers in order.

Takes UOp placeholders by buffer name, gives the pieces every rows emitter is made of. One thread
runs the kernel; clang turns the *rolled* lane loops into vectors. Never knows what it computes.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from boltbeam.emit import core
from boltbeam.emit.core import Buf, Launch

LOG2E = 1.4426950408889634
STACK_ELEMENTS = 1 << 14
"""Scratch of up to this many elements is kept on the kernel's stack."""


class Rows:
    """One kernel being written: numbers its ranges and registers, orders ops one after another.

    A buffer taken through `[name]` is ordered after every op that was passed to `done`, so that
    ops written one after another run one after another, whatever they share.
    """

    def __init__(self, buffers: Mapping[str, Any], exact_half: bool = True):
        """`exact_half`: the device converts 16-bit floats itself, subnormals included."""
        self.buffers, self.exact_half = dict(buffers), exact_half
        self.before: tuple[Any, ...] = ()
        self._ids = itertools.count(1)

    def __getitem__(self, name: str) -> Any:
        buf = self.buffers[name]
        return buf.after(*self.before) if self.before else buf

    def done(self, *stores: Any) -> Any:
        """All later uses of any buffer come after these stores."""
        from tinygrad.uop.ops import UOp

        self.before = (UOp.group(*stores),)
        return self.before[0]

    def loop(self, n: Any) -> Any:
        """A loop of n trips (a UOp where a buffer holds the bound), run in order."""
        return self._range(n, "LOOP")

    def reduce(self, n: Any) -> Any:
        """A loop that carries an accumulator."""
        return self._range(n, "REDUCE")

    def _range(self, n: Any, kind: str) -> Any:
        from tinygrad.uop.ops import AxisType, UOp

        return UOp.range(n, next(self._ids), getattr(AxisType, kind))

    def array(self, n: int, dtype: str = "f32") -> Any:
        """n register (or stack) elements; what they hold at first is undefined."""
        from tinygrad.dtype import AddrSpace
        from tinygrad.uop.ops import UOp

        return UOp.placeholder(
            (n,), core.dtype(dtype), slot=next(self._ids), addrspace=AddrSpace.REG
        )

    def filled(self, array: Any, value: Any, *after: Any) -> Any:
        """`array` with every element set, once `after` (enclosing ranges, earlier stores) holds."""
        after = (*after, *self.before)
        here = array.after(*after) if after else array
        lane = self.loop(array.shape[0])
        return array.after(here[lane].store(value).end(lane))

    def fold(
        self,
        array: Any,
        n: int,
        combine: Callable[[Any, Any], Any],
        *after: Any,
        dtype: str = "f32",
    ) -> Any:
        """One value from the first n (a power of two) elements: a tree of rolled loops.

        A tree written out in Python is flattened to a serial chain by tinygrad.
        """
        source = array.after(*after) if after else array
        while n > 2:
            n //= 2
            half, lane = self.array(n, dtype), self.loop(n)
            pair = combine(source[lane].load(), source[lane + n].load())
            here = half.after(*after) if after else half
            source = half.after(here[lane].store(pair).end(lane))
        if n == 1:
            return source[0].load()
        return combine(source[0].load(), source[1].load())


def add(a: Any, b: Any) -> Any:
    return a + b


def larger(a: Any, b: Any) -> Any:
    return a.maximum(b)


def sums32(k: Rows, source: str, target: str, n: int) -> None:
    """target[b] = sum of source[32 b .. 32 b + 32)."""
    block = k.loop(n // 32)
    lane = k.loop(16)
    part = k.array(16)
    x = k[source]
    store = part.after(block, *k.before)[lane].store(
        x[block * 32 + lane].load() + x[block * 32 + 16 + lane].load()
    )
    total = k.fold(part, 16, add, store.end(lane))
    k.done(k[target][block].store(total).end(block))


def divisor(n: int, at_most: int) -> int:
    """The largest power of two that divides n and is not above `at_most`."""
    while n % at_most:
        at_most //= 2
    return at_most


def kernel(
    name: str,
    outs: Sequence[Buf],
    ins: Sequence[Buf],
    body: Callable[[Rows], None],
    scratch: Sequence[Buf] = (),
    exact_half: bool = True,
) -> Launch:
    """A launch that runs `body`; `scratch` buffers live on the kernel's stack."""

    def build(*placeholders: Any) -> Any:
        from tinygrad.renderer import Estimates
        from tinygrad.uop.ops import KernelInfo, UOp

        names = [b.name for b in (*outs, *ins)]
        k = Rows(dict(zip(names, placeholders, strict=True)), exact_half)
        k.buffers |= {b.name: k.array(b.size, b.dtype) for b in scratch}
        body(k)
        read = sum(_bytes(b) for b in (*outs, *ins))
        info = KernelInfo(name=name, opts_to_apply=(), estimates=Estimates(mem=read, lds=read))
        return UOp.sink(*k.before, arg=info, tag=1)

    return Launch(name, tuple(outs), tuple(ins), build)


def _bytes(buf: Buf) -> int:
    return buf.size * {"u8": 1, "i8": 1, "f16": 2, "h16": 2, "u16": 2}.get(buf.dtype, 4)
