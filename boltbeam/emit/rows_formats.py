"""How each GGUF block is unpacked byte by byte (rows form).

Takes a table's bytes and a block's offset, gives groups of weights that share a scale:
w = scale · code + minimum. Never multiplies by an activation.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from boltbeam.emit.halves import half_value


@dataclass(frozen=True)
class Group:
    """`size` neighbouring weights from `start` on within the block, w = scale · code + minimum."""

    start: int
    size: int
    scale: Any
    """Float UOp; None: 1."""
    minimum: Any
    """Float UOp; None: 0."""
    code: Callable[[Any], Any]
    """Lane (0 .. size-1) -> the code as an int UOp (a float UOp in unquantised formats)."""


def u8(table: Any, at: Any) -> Any:
    return table[at].load()


def u16(table: Any, at: Any) -> Any:
    from tinygrad import dtypes

    low = table[at].load().cast(dtypes.uint16)
    return low | (table[at + 1].load().cast(dtypes.uint16) << 8)


def u32(table: Any, at: Any) -> Any:
    from tinygrad import dtypes

    word = table[at].load().cast(dtypes.uint32)
    for i in (1, 2, 3):
        word = word | (table[at + i].load().cast(dtypes.uint32) << (8 * i))
    return word


def half(table: Any, at: Any, exact: bool = True) -> Any:
    """f32 of the half at byte `at`; `exact`: the device itself converts subnormals."""
    from tinygrad import dtypes

    bits = u16(table, at)
    if not exact:
        return half_value(bits.cast(dtypes.uint32))
    return bits.bitcast(dtypes.half).cast(dtypes.float32)


def i8(table: Any, at: Any) -> Any:
    from tinygrad import dtypes

    return table[at].load().bitcast(dtypes.int8).cast(dtypes.int32)


def _int(word: Any) -> Any:
    from tinygrad import dtypes

    return word.cast(dtypes.int32)


Pair = Callable[[Any, Any], tuple[Any, Any]]
"""Reads two neighbouring halves of a table: a block's scale and minimum."""


@dataclass(frozen=True)
class Halves:
    """How the halves of a table are read on this device."""

    exact: bool = True
    both: Pair | None = None
    """Another way to read two neighbours at once."""

    def one(self, table: Any, at: Any) -> Any:
        return half(table, at, self.exact)

    def pair(self, table: Any, at: Any) -> tuple[Any, Any]:
        if self.both is not None:
            return self.both(table, at)
        return self.one(table, at), self.one(table, at + 2)


def _q4_0(t: Any, at: Any, read: Halves) -> list[Group]:
    d = read.one(t, at)
    return [
        Group(0, 16, d, None, lambda i: _int(u8(t, at + 2 + i) & 15) - 8),
        Group(16, 16, d, None, lambda i: _int(u8(t, at + 2 + i) >> 4) - 8),
    ]


def _q4_1(t: Any, at: Any, read: Halves) -> list[Group]:
    d, m = read.pair(t, at)
    return [
        Group(0, 16, d, m, lambda i: _int(u8(t, at + 4 + i) & 15)),
        Group(16, 16, d, m, lambda i: _int(u8(t, at + 4 + i) >> 4)),
    ]


def _fifth(word: Any, bit: Any) -> Any:
    """Bit number `bit` of a word, worth 16."""
    from tinygrad import dtypes

    return _int(((word >> bit.cast(dtypes.uint32)) & 1) << 4)


def _q5(t: Any, at: Any, offset: int, d: Any, minimum: Any) -> list[Group]:
    """`at`: where the fifth bits begin; the other four follow them."""
    high, qs = u32(t, at), at + 4

    def low(i: Any) -> Any:
        return (_int(u8(t, qs + i) & 15) | _fifth(high, i)) - offset

    def upper(i: Any) -> Any:
        return (_int(u8(t, qs + i) >> 4) | _fifth(high, i + 16)) - offset

    return [Group(0, 16, d, minimum, low), Group(16, 16, d, minimum, upper)]


def _q5_0(t: Any, at: Any, read: Halves) -> list[Group]:
    return _q5(t, at + 2, 16, read.one(t, at), None)


def _q5_1(t: Any, at: Any, read: Halves) -> list[Group]:
    d, m = read.pair(t, at)
    return _q5(t, at + 4, 0, d, m)


def _q8_0(t: Any, at: Any, read: Halves) -> list[Group]:
    return [Group(0, 32, read.one(t, at), None, lambda i: i8(t, at + 2 + i))]


def _scale_min(t: Any, at: Any, j: int) -> tuple[Any, Any]:
    """6-bit scale and minimum of sub-block j of a K block whose 12 scale bytes start at `at`."""
    if j < 4:
        return u8(t, at + j) & 63, u8(t, at + j + 4) & 63
    low, s, m = u8(t, at + j + 4), u8(t, at + j - 4), u8(t, at + j)
    return (low & 15) | ((s >> 6) << 4), (low >> 4) | ((m >> 6) << 4)


def _q45_k(t: Any, at: Any, read: Halves, qs: Any, qh: Any) -> list[Group]:
    from tinygrad import dtypes

    d, dmin = read.pair(t, at)
    groups = []
    for j in range(8):
        s, m = _scale_min(t, at + 4, j)
        scale = d * s.cast(dtypes.float32)
        minimum = -(dmin * m.cast(dtypes.float32))

        def code(i: Any, j: int = j) -> Any:
            byte = u8(t, qs + (j // 2) * 32 + i)
            low = byte >> 4 if j % 2 else byte & 15
            return _int(low if qh is None else low | (((u8(t, qh + i) >> j) & 1) << 4))

        groups.append(Group(32 * j, 32, scale, minimum, code))
    return groups


def _q4_k(t: Any, at: Any, read: Halves) -> list[Group]:
    return _q45_k(t, at, read, at + 16, None)


def _q5_k(t: Any, at: Any, read: Halves) -> list[Group]:
    return _q45_k(t, at, read, at + 48, at + 16)


def _q6_k(t: Any, at: Any, read: Halves) -> list[Group]:
    from tinygrad import dtypes

    d = read.one(t, at + 208)
    groups = []
    for g in range(16):
        big, quarter, sub = g // 8, g % 8 // 2, g % 2
        scale = d * i8(t, at + 192 + g).cast(dtypes.float32)

        def code(i: Any, big: int = big, quarter: int = quarter, sub: int = sub) -> Any:
            low = u8(t, at + 64 * big + 32 * (quarter % 2) + 16 * sub + i)
            high = u8(t, at + 128 + 32 * big + 16 * sub + i)
            low = low >> 4 if quarter > 1 else low & 15
            return _int(low | (((high >> (2 * quarter)) & 3) << 4)) - 32

        groups.append(Group(16 * g, 16, scale, None, code))
    return groups


def _f16(t: Any, at: Any, read: Halves) -> list[Group]:
    return [Group(0, 32, None, None, lambda i: read.one(t, at + 2 * i))]


def _bf16(t: Any, at: Any, read: Halves) -> list[Group]:
    from tinygrad import dtypes

    def code(i: Any) -> Any:
        return (u16(t, at + 2 * i).cast(dtypes.uint32) << 16).bitcast(dtypes.float32)

    return [Group(0, 32, None, None, code)]


def _f32(t: Any, at: Any, read: Halves) -> list[Group]:
    from tinygrad import dtypes

    return [Group(0, 32, None, None, lambda i: u32(t, at + 4 * i).bitcast(dtypes.float32))]


@dataclass(frozen=True)
class Unpack:
    """Blocks of `weights` weights in `bytes` bytes, and how to read one."""

    weights: int
    bytes: int
    groups: Callable[[Any, Any, Halves], list[Group]]
    has_minimum: bool = False


UNPACK = {
    "F32": Unpack(32, 128, _f32),
    "F16": Unpack(32, 64, _f16),
    "BF16": Unpack(32, 64, _bf16),
    "Q4_0": Unpack(32, 18, _q4_0),
    "Q4_1": Unpack(32, 20, _q4_1, True),
    "Q5_0": Unpack(32, 22, _q5_0),
    "Q5_1": Unpack(32, 24, _q5_1, True),
    "Q8_0": Unpack(32, 34, _q8_0),
    "Q4_K": Unpack(256, 144, _q4_k, True),
    "Q5_K": Unpack(256, 176, _q5_k, True),
    "Q6_K": Unpack(256, 210, _q6_k),
}
"""Every format the rows form reads."""
