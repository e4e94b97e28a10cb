"""What every lanes kernel is written with: ids, local memory, reductions, exact halves, intrinsics.

Takes a target, a grid and a workgroup; gives UOps. Never chooses a geometry, never runs anything.

A kernel in the lanes form has one grid axis (`gidx0`), lanes side by side (`lidx0`) and groups of
lanes (`lidx1`). The ids are SPECIALs and the SINK is tagged, so tinygrad neither splits a range nor
masks a store: what is written here is what is rendered. Three idioms replace what UOps lack:

* a branch is a loop of 0 or `once` trips (its straight-line loads run anyway: clamp their indices);
* a barrier is a dependency: `lds.after(stores)`; every use of local memory gets a slot of its own;
* an intrinsic is a one-line `Ops.CUSTOM`, which the adapter's `intrinsics` finds again.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import reduce
from typing import Any

from tinygrad import dtypes
from tinygrad.dtype import AddrSpace
from tinygrad.renderer import Estimates
from tinygrad.uop.ops import AxisType, KernelInfo, Ops, UOp

from boltbeam.emit.core import Buf, Launch, Target
from boltbeam.emit.halves import half_bits, half_value
from boltbeam.types import UNSCALED

F32, F16, I32, U32, U16, I8 = (
    dtypes.float32,
    dtypes.half,
    dtypes.int32,
    dtypes.uint32,
    dtypes.uint16,
    dtypes.int8,
)
LOWEST = -1e30
SIMD = 32
"""Lanes that a shuffle crosses at most; aligned groups of 32 exist on every SIMD width we know."""

SHUFFLE = {
    "CUDA": "__shfl_xor_sync(0xffffffffu, {{0}}, {off})",
    "METAL": "simd_shuffle_xor({{0}}, (ushort){off})",
    "HIP": "__builtin_bit_cast({type}, __builtin_amdgcn_ds_swizzle("
    "__builtin_bit_cast(int, {{0}}), {swizzle}))",
}
"""Exchange with lane xor `off`, by dialect. tinygrad's HIP source includes no header that declares
`__shfl_xor`; the builtin does the same within 32 lanes."""
DIALECTS = {"CUDA": "CUDA", "NV": "CUDA", "METAL": "METAL", "AMD": "HIP"}

Pair = Callable[[Any, Any], Any]


def add(a: Any, b: Any) -> Any:
    return a + b


def larger(a: Any, b: Any) -> Any:
    return a.maximum(b)


def total(values: Sequence[Any]) -> Any:
    return reduce(add, values)


def const(value: float, dtype: Any) -> Any:
    return UOp.const(value, dtype)


def refuse(launch: str, what: str) -> ValueError:
    """A geometry that cannot be built; BubbleBeam's rules keep these away."""
    return ValueError(f"{launch}: {what}")


class Kernel:
    """One kernel being built: ids of grid, lane and group, and the target's switches."""

    def __init__(self, target: Target, grid: int, lanes: int, groups: int = 1) -> None:
        self.target, self.grid, self.lanes, self.groups = target, grid, lanes, groups
        self.threads = lanes * groups
        self.dialect = DIALECTS.get(target.device.split(":")[0], "")
        self.shuffles = target.shuffle and bool(self.dialect) and self.threads % SIMD == 0
        self.gid = UOp.special(grid, "gidx0")
        self.lane = UOp.special(lanes, "lidx0")
        self.group = UOp.special(groups, "lidx1") if groups > 1 else UOp.const(0)
        self.tid = self.group * lanes + self.lane if groups > 1 else self.lane
        self._slots = self._ranges = 0

    # ---- memory ------------------------------------------------------------------------------

    def local(self, size: int, dtype: Any = F32) -> Any:
        """A new piece of memory that the workgroup shares."""
        return UOp.placeholder((size,), dtype, slot=self._slot(), addrspace=AddrSpace.LOCAL)

    def share(self, size: int, stores: Callable[[Any], Sequence[Any]], dtype: Any = F32) -> Any:
        """Local memory after `stores(memory)` of all threads and a barrier."""
        memory = self.local(size, dtype)
        return memory.after(UOp.group(*stores(memory)))

    def registers(self, values: Sequence[Any], dtype: Any = F32, within: Any = None) -> Any:
        """Accumulators of one thread, initialised; again in each trip of the loop `within`."""
        regs = UOp.placeholder((len(values),), dtype, slot=self._slot(), addrspace=AddrSpace.REG)
        regs = regs if within is None else regs.after(within)
        first = [v if isinstance(v, UOp) else UOp.const(v, dtype) for v in values]
        return regs.after(UOp.group(*[regs[i].store(v) for i, v in enumerate(first)]))

    def _slot(self) -> int:
        self._slots += 1
        return self._slots - 1

    # ---- control -----------------------------------------------------------------------------

    @property
    def once(self) -> Any:
        """1, with an upper bound of 2: a loop of 0 or 1 trips that stays a loop.

        The linearizer takes a loop of at most one trip for straight-line code and then declares
        shared expressions inside the first of two such loops: C that does not compile.
        """
        return (self.gid & 1) + ((self.gid + 1) & 1)

    def when(self, condition: Any, trips: int) -> Any:
        """A trip count that is 0 where `condition` does not hold."""
        return condition.where(UOp.const(trips) if trips > 1 else self.once, UOp.const(0))

    def range(self, trips: Any) -> Any:
        """A new sequential loop variable."""
        self._ranges += 1
        return UOp.range(trips, self._ranges, AxisType.LOOP)

    def loop(
        self, regs: Any, count: int, trips: Any, body: Callable[[Any, list[Any]], list[Any]]
    ) -> Any:
        """Registers after `trips` runs of body(i, values) -> new values."""
        i = self.range(trips)
        inside = regs.after(i)
        new = body(i, [inside[k].load() for k in range(count)])
        return regs.after(UOp.group(*[inside[k].store(v) for k, v in enumerate(new)]).end(i))

    # ---- reductions --------------------------------------------------------------------------

    def group_reduce(self, values: Sequence[Any], n: int, f: Pair) -> list[Any]:
        """Each value reduced over aligned groups of `n` neighbouring threads; all get the result.

        `n` is a power of two and at most 32.
        """
        if n == 1:
            return list(values)
        if self.shuffles:
            return [self._shuffled(v, n, f) for v in values]
        m = len(values)
        memory = self.share(
            self.threads * m,
            lambda s: [s[self.tid * m + i].store(v) for i, v in enumerate(values)],
            values[0].dtype,
        )
        base = (self.tid // n) * n
        return [reduce(f, [memory[(base + j) * m + i].load() for j in range(n)]) for i in range(m)]

    def _shuffled(self, value: Any, n: int, f: Pair) -> Any:
        off = n // 2
        while off:
            text = SHUFFLE[self.dialect].format(
                off=off, swizzle=off << 10 | 0x1F, type="float" if value.dtype == F32 else "int"
            )
            value = f(value, UOp(Ops.CUSTOM, value.dtype, src=(value,), arg=text))
            off //= 2
        return value

    def workgroup_reduce(self, values: Sequence[Any], f: Pair) -> list[Any]:
        """Each value reduced over the whole workgroup, with one barrier for all of them."""
        n = math.gcd(SIMD, self.threads)
        values = self.group_reduce(values, n, f)
        m, parts = len(values), self.threads // n
        if parts == 1:
            return values
        first = (self.tid % n).eq(0)
        memory = self.share(
            parts * m,
            lambda s: [
                s[((self.tid // n) * m + i).valid(first)].store(v) for i, v in enumerate(values)
            ],
            values[0].dtype,
        )
        return [
            reduce(f, [memory[UOp.const(j * m + i)].load() for j in range(parts)]) for i in range(m)
        ]

    # ---- arithmetic --------------------------------------------------------------------------

    def dot4(self, a: Any, b: Any, acc: Any) -> Any:
        """acc + the dot product of four int8 in each of the u32 words a and b."""
        if self.target.dot4 and self.dialect == "CUDA":
            words = (a.bitcast(I32), b.bitcast(I32), acc)
            return UOp(Ops.CUSTOMI, I32, words, "__dp4a({0}, {1}, {2})")
        return acc + total([signed_byte(a, k) * signed_byte(b, k) for k in range(4)])

    def funnel(self, low: Any, high: Any, shift: Any) -> Any:
        """The u32 that begins `shift` bits (0 or 16) into the two words low, high."""
        if self.dialect == "CUDA":
            return UOp(Ops.CUSTOMI, U32, (low, high, shift), "__funnelshift_r({0}, {1}, {2})")
        return shift.ne(0).where((low >> 16) | (high << 16), low)

    def half(self, bits: Any) -> Any:
        """f32 of a 16-bit float in the low bits of a u32 (or of a u16)."""
        if self.target.exact_half:
            return bits.cast(U16).bitcast(F16).cast(F32)
        return half_value(bits.cast(U32))

    def halves(self, buf: Any, start: Any, n: int) -> list[Any]:
        """`n` neighbouring f16 as f32, subnormals kept; `start` is a multiple of n."""
        if self.target.exact_half:
            return [v.cast(F32) for v in vector(buf, start, n)]
        return [half_value(buf[start + i].load().cast(U32)) for i in range(n)]

    def to_half(self, value: Any) -> Any:
        """A f16 (or h16) to be stored, subnormals kept on every target."""
        if self.target.exact_half:
            return value.cast(F16)
        return half_bits(value).cast(U16)

    def sink(self, name: str, stores: Sequence[Any], traffic: int = 1) -> Any:
        """The finished kernel; `traffic` is the bytes it must move (a loaded loop bound would break
        tinygrad's own estimate)."""
        info = KernelInfo(
            name=name, opts_to_apply=(), estimates=Estimates(ops=1, lds=traffic, mem=traffic)
        )
        return UOp.group(*stores).sink(arg=info, tag=1)


def signed_byte(word: Any, k: int) -> Any:
    """Byte k of a u32 as a signed int32."""
    return (word << (24 - 8 * k)).bitcast(I32) >> 24 if k < 3 else word.bitcast(I32) >> 24


def exp(x: Any) -> Any:
    return (x * math.log2(math.e)).exp2()


def round_away(x: Any) -> Any:
    """Nearest integer as i32, halves away from zero."""
    return (x + (x < 0).where(const(-0.5, F32), const(0.5, F32))).trunc().cast(I32)


def magnitude(x: Any) -> Any:
    return (x < 0).where(-x, x)


def pack(bytes4: Sequence[Any]) -> Any:
    """Four int32 as the int8 bytes of one u32."""
    return reduce(
        lambda a, b: a | b, [(v.bitcast(U32) & 255) << (8 * i) for i, v in enumerate(bytes4)]
    )


def vector(buf: Any, start: Any, n: int, width: int = 4) -> list[Any]:
    """`n` neighbouring elements by loads of `width`; `start` must be a multiple of the width."""
    width = math.gcd(n, width)
    if width == 1:
        return [buf[start + i].load() for i in range(n)]
    loads = [
        UOp(Ops.SHRINK, src=(buf, start + i, UOp.const(width))).load() for i in range(0, n, width)
    ]
    return [v.index(i) for v in loads for i in range(width)]


def clamp(x: Any, low: int, high: int) -> Any:
    x = (x < low).where(UOp.const(low), x)
    return (x > high).where(UOp.const(high), x)


def scalar(buf: Any) -> Any:
    """The value of a buffer of one i32, as an index."""
    return buf[UOp.const(0)].load().cast(dtypes.weakint)


@dataclass(frozen=True)
class Activation:
    """A vector in an interface, in global or local memory; sums are None where nobody reads them.

    f32: `values` f32 and `sums` per 32. q8: `values` u32 words of four int8, `scale` per 32 and
    `sums` (scale × sum) per 16.
    """

    interface: str
    values: Any
    scale: Any = None
    sums: Any = None

    def after(self, done: Any) -> Activation:
        held = (b if b is None else b.after(done) for b in (self.values, self.scale, self.sums))
        return Activation(self.interface, *held)


def activation_from(named: dict[str, Any], prefix: str, interface: str) -> Activation:
    """The activation among a launch's placeholders; buffers that are not there are None.

    What is not scaled yet is int8 as any other here: its scale is the reader's business.
    """
    if interface == UNSCALED:
        return activation_from(named, "xw", "q8")
    names = ("f32", None, "s32") if interface == "f32" else ("q8", "d", "s16")
    held = [named.get(f"{prefix}.{n}") for n in names]
    return Activation(interface, *held)


@dataclass(frozen=True)
class Quad:
    """Four neighbouring values that one thread holds: elements 4·index … 4·index+3.

    Where `ok` is not None the quad exists only where it is true; eight neighbouring threads hold
    one block of 32 and exist together.
    """

    index: Any
    values: list[Any]
    ok: Any = None


def give(c: Kernel, quads: Sequence[Quad], to: Activation, base: Any = 0) -> list[Any]:
    """Stores of an activation from quads, at quad `base`; threads must be a multiple of 8."""

    def at(buf: Any, q: Quad, per: int) -> Any:
        """Element of `buf` that holds one number per `per` quads, written by the first thread."""
        index, ok = (q.index + base) // per, q.ok
        if per > 1:
            first = (q.index % per).eq(0)
            ok = first if ok is None else ok & first
        return buf[index if ok is None else index.valid(ok)]

    if to.interface == "f32":
        stores = []
        for q in quads:
            stores += [
                to.values[i if q.ok is None else i.valid(q.ok)].store(v)
                for i, v in ((((q.index + base) * 4 + k), v) for k, v in enumerate(q.values))
            ]
        if to.sums is not None:
            sums = c.group_reduce([total(q.values) for q in quads], 8, add)
            stores += [at(to.sums, q, 8).store(s) for q, s in zip(quads, sums, strict=True)]
        return stores
    peaks = c.group_reduce([reduce(larger, map(magnitude, q.values)) for q in quads], 8, larger)
    stores, sums = [], []
    for q, peak in zip(quads, peaks, strict=True):
        scale = peak * (1.0 / 127)
        inverse = (scale > 0).where(scale.reciprocal(), const(0.0, F32))
        ints = [round_away(v * inverse) for v in q.values]
        stores += [at(to.values, q, 1).store(pack(ints)), at(to.scale, q, 8).store(scale)]
        sums.append((total(ints), scale))
    if to.sums is not None:
        whole = c.group_reduce([s for s, _ in sums], 4, add)
        stores += [
            at(to.sums, q, 4).store(s.cast(F32) * scale)
            for q, s, (_, scale) in zip(quads, whole, sums, strict=True)
        ]
    return stores


def local_activation(c: Kernel, n: int, interface: str, sums: bool) -> Activation:
    """Room for an activation of n values in local memory."""
    if interface == "f32":
        return Activation("f32", c.local(n), None, c.local(n // 32) if sums else None)
    held = (c.local(n // 4, U32), c.local(n // 32), c.local(n // 16) if sums else None)
    return Activation("q8", *held)


def quads_of(c: Kernel, n: int) -> list[tuple[Any, Any]]:
    """(quad index, exists or None) that this thread owns of n values; clamped where it has none."""
    if n % 32 or c.threads % 8:
        raise refuse("activation", f"{n} values in blocks of 32 over {c.threads} threads")
    words, out = n // 4, []
    for start in range(0, words, c.threads):
        index = c.tid + start
        if start + c.threads <= words:
            out.append((index, None))
        else:
            ok = index < words
            out.append((ok.where(index, UOp.const(0)), ok))
    return out


def build_launch(
    name: str,
    outs: Sequence[Buf],
    ins: Sequence[Buf],
    kernel: Callable[[dict[str, Any]], Any],
) -> Launch:
    """A launch whose `kernel` gets its placeholders by buffer name."""
    names = [b.name for b in (*outs, *ins)]
    if len(set(names)) != len(names):
        raise ValueError(f"{name}: a buffer stands twice in {names}")

    def build(*placeholders: Any) -> Any:
        return kernel(dict(zip(names, placeholders, strict=True)))

    build.__module__ = kernel.__module__
    return Launch(name, tuple(outs), tuple(ins), build)
