"""The kernels that a probe counts instructions with: loops in registers or in the nearest cache.

Takes a Shape, gives launches like those of `probe_kernels`. Never runs anything.
"""

from __future__ import annotations

from typing import Any

from boltbeam.chip.probe_kernels import BOUNDS, Kernel, Shape, launch
from boltbeam.emit import core
from boltbeam.emit.core import Buf, Launch


def multiply_add(shape: Shape, dtype: str = "f32") -> Launch:
    """acc = acc × c + d in registers, `trips` times on every accumulator."""

    def body(k: Kernel, cd: Any) -> Any:
        c, d = cd[0].load(), cd[1].load()
        return k.loop((k.range(k.bound(0)),), lambda a, _r, _i: a * c + d, dtype)

    return launch(f"probe_fma_{dtype}", shape, (Buf("cd", 2, dtype),), body, dtype)


def unpack(shape: Shape, n: int) -> Launch:
    """acc += float(byte) × x over n bytes that stay in the nearest cache, `passes` times."""
    width = shape.lanes * shape.threads

    def body(k: Kernel, w: Any, x: Any) -> Any:
        def step(a: Any, b: Any, i: Any) -> Any:
            at = (b * shape.lanes + i) * shape.threads + k.local
            return a + w[at].load().cast(core.dtype("f32")) * x[at].load()

        ranges = (k.range(k.bound(1)), k.range(k.bound(0, n // width)))
        return k.loop(ranges, step)

    return launch("probe_unpack", shape, (Buf("w", n, "u8"), Buf("x", n, "f32")), body)


def dot4(shape: Shape, intrinsic: bool) -> Launch:
    """acc += the dot product of four int8 of acc with four of a word, `trips` times.

    `intrinsic`: CUDA's dp4a; else shifts, multiplications and additions, as tinygrad can say it.
    """

    def body(k: Kernel, word: Any) -> Any:
        from tinygrad.uop.ops import Ops, UOp

        from boltbeam.emit.lanes_core import signed_byte

        w = word[0].load()
        i32, u32 = core.dtype("i32"), core.dtype("u32")

        def step(a: Any, _r: Any, _i: Any) -> Any:
            if intrinsic:
                return UOp(Ops.CUSTOM, i32, src=(w, a, a), arg="__dp4a({0}, {1}, {2})")
            ws, bits = w.bitcast(u32), a.bitcast(u32)
            return a + sum(
                (signed_byte(ws, j) * signed_byte(bits, j) for j in range(1, 4)),
                signed_byte(ws, 0) * signed_byte(bits, 0),
            )

        one = UOp.const(1, i32)
        return k.loop((k.range(k.bound(0)),), step, "i32", one)

    return launch("probe_dot4", shape, (Buf("word", 1, "i32"),), body, "i32")


def matrix(shape: Shape, unit: Any) -> Launch:
    """acc += A × B on the matrix unit, `trips` times on every accumulator of every SIMD group.

    `unit`: tinygrad's TensorCore. A and B stay in registers, for every thread of a SIMD group other
    words of `ab`. Every accumulator begins as another number: no compiler may take two for one.
    """
    of_a, of_b, held = unit.elements_per_thread
    each = of_a + of_b

    def build(out: Any, bounds: Any, ab: Any) -> Any:
        from tinygrad.uop.ops import UOp

        k = Kernel(shape, "probe_matrix", bounds)
        mine = k.local % unit.threads * each
        words = [ab[mine + i].load() for i in range(each)]
        a, b = UOp.stack(*words[:of_a]), UOp.stack(*words[of_a:])
        n = held * shape.lanes
        regs = k.registers(n, "f32")
        first = [UOp.const(float(i), core.dtype("f32")) for i in range(n)]
        regs = regs.after(UOp.group(*[regs[i].store(first[i]) for i in range(n)]))
        trip = k.range(k.bound(0))
        inside, stores = regs.after(trip), []
        for j in range(0, n, held):
            old = UOp.stack(*[inside[j + i].load() for i in range(held)])
            new = UOp.wmma(a, b, old, unit.dims, "CUDA", unit.threads)
            stores += [inside[j + i].store(new.index(UOp.const(i))) for i in range(held)]
        regs = regs.after(UOp.group(*stores).end(trip))
        total = sum((regs[i].load() for i in range(1, n)), regs[0].load())
        return k.finish(out[k.thread].store(total))

    ins = (BOUNDS, Buf("ab", unit.threads * each, "f16"))
    return Launch("probe_matrix", (Buf("out", shape.total, "f32"),), ins, build)


def convert(shape: Shape) -> Launch:
    """acc = float(the bits of acc as an int32), `trips` times on every accumulator."""

    def body(k: Kernel, first: Any) -> Any:
        f32, i32 = core.dtype("f32"), core.dtype("i32")
        trips = (k.range(k.bound(0)),)
        return k.loop(trips, lambda a, _r, _i: a.bitcast(i32).cast(f32), begin=first[0].load())

    return launch("probe_convert", shape, (Buf("first", 1, "f32"),), body)


def shift(shape: Shape) -> Launch:
    """acc = acc >> by, `trips` times on every accumulator; the words are [first value, by]."""

    def body(k: Kernel, words: Any) -> Any:
        by, trips = words[1].load(), (k.range(k.bound(0)),)
        return k.loop(trips, lambda a, _r, _i: a >> by, "u32", words[0].load())

    return launch("probe_shift", shape, (Buf("words", 2, "u32"),), body, "u32")
