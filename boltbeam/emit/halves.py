"""16-bit floats by integers: exact where a device flushes subnormal halves, or has no halves.

Takes and gives UOps. Used by both forms; which kernels need it is the target's business.
"""

from __future__ import annotations

from typing import Any

from boltbeam.emit.core import dtype


def _f32() -> Any:
    return dtype("f32")


def _u32() -> Any:
    return dtype("u32")


def half_value(bits: Any) -> Any:
    """f32 of 16-bit float bits (in a u32), by integers: exact for subnormals too.

    No power of two is multiplied onto the result: tinygrad would move it through the products that
    follow, which then run in the subnormal range. Infinities and NaNs come out large and finite.
    """
    tiny = ((bits & 0x3FF).cast(_f32()) * 2.0**-24).bitcast(_u32())
    normal = ((bits & 0x7FFF) << 13) + (112 << 23)
    size = (bits & 0x7C00).eq(0).where(tiny, normal)
    return (size | ((bits & 0x8000) << 16)).bitcast(_f32())


def half_bits(value: Any) -> Any:
    """16-bit float bits (in a u32) of a f32, by integers: round to nearest even, subnormals kept.

    It is also how a value is rounded to half in a register: tinygrad removes cast(half).cast(f32).
    """
    from tinygrad.uop.ops import UOp

    word = value.bitcast(_u32())
    size = word & 0x7FFFFFFF
    normal = ((size + 0xFFF + ((size >> 13) & 1)) >> 13) - (112 << 10)
    normal = (normal > 0x7C00).where(UOp.const(0x7C00, _u32()), normal)
    scaled = size.bitcast(_f32()) * 2.0**24
    whole = scaled.trunc()
    odd = (whole.cast(_u32()) & 1).ne(0)
    up = (scaled - whole > 0.5) | ((scaled - whole).eq(0.5) & odd)
    tiny = whole.cast(_u32()) + up.where(UOp.const(1, _u32()), UOp.const(0, _u32()))
    return ((word >> 16) & 0x8000) | (size < 0x38800000).where(tiny, normal)
