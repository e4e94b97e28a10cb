"""A norm without a kernel of its own: one factor for a whole vector can be multiplied later.

RMSNorm is x · w / rms(x), and int8 codes per 32 are the same with and without the division. So the
workgroup that has made 32 values of x leaves codes of x · w and the sum of x² (`give_squares`), and
who multiplies by those codes divides its finished sums by rms(x) (`share_of_squares` at its
beginning, `inverse_rms` at its end). Takes and gives UOps; never chooses a geometry.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from tinygrad.uop.ops import UOp

from boltbeam.emit.lanes_core import F32, SIMD, Kernel, Quad, add, const, total


def give_squares(c: Kernel, quads: Sequence[Quad], to: Any, base: Any) -> list[Any]:
    """Stores of the sum of squares of each 32 values, at quad `base`."""
    sums = c.group_reduce([total([v * v for v in q.values]) for q in quads], 8, add)
    stores = []
    for q, s in zip(quads, sums, strict=True):
        first = (q.index % 8).eq(0)
        ok = first if q.ok is None else q.ok & first
        stores.append(to[((q.index + base) // 8).valid(ok)].store(s))
    return stores


def share_of_squares(c: Kernel, squares: Any, n: int) -> Any:
    """What this thread reads of the squares of n values: each SIMD group reads all of them, so that
    nobody waits for a barrier."""
    width, blocks = math.gcd(SIMD, c.threads), n // 32
    parts = []
    for start in range(0, blocks, width):
        at = c.tid % width + start
        if start + width <= blocks:
            parts.append(squares[at].load())
        else:
            ok = at < blocks
            value = squares[ok.where(at, UOp.const(0))].load()
            parts.append(ok.where(value, const(0.0, F32)))
    return total(parts)


def inverse_rms(c: Kernel, share: Any, n: int, eps: float) -> Any:
    """1 / rms of n values, from what the threads of each SIMD group have read."""
    squares = c.group_reduce([share], math.gcd(SIMD, c.threads), add)[0]
    return (squares * (1.0 / n) + eps).sqrt().reciprocal()
