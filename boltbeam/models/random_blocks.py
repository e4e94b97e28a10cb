"""Random raw blocks of every format that a generated kernel reads: as in real files, or edges.

Takes a format, a shape, a generator and a kind, gives bytes whose weights are finite. Never
quantises anything.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from boltbeam.registry import formats

Bytes = NDArray[np.uint8]
Values = NDArray[np.floating[Any]]
KINDS = ("random", "normal", "wide", "extreme")
"""`random`: weights centred and about 1/√cols; `normal`: the same, but no scale is a subnormal half
(a device without halves takes those for zero in stock's expressions); `wide`: scales from 0 over
subnormal to 8 and all-ones quants among them; `extreme`: the same up to the largest scale that 16
bits hold."""
EDGES = ("wide", "extreme")
LEAST_NORMAL = 2.0**-14
"""Smallest half that is not subnormal."""
RANDOM: dict[str, tuple[int, int | None, float, float]] = {
    "F32": (0, None, 0, 1),
    "F16": (0, None, 0, 1),
    "BF16": (0, None, 0, 1),
    "Q4_0": (0, None, 0, 4.6),
    "Q4_1": (0, 2, -7.5, 4.6),
    "Q5_0": (0, None, 0, 9.2),
    "Q5_1": (0, 2, -15.5, 9.2),
    "Q8_0": (0, None, 0, 74),
    "Q4_K": (0, 2, 7.5, 168),
    "Q5_K": (0, 2, 15.5, 336),
    "Q6_K": (208, None, 0, 1370),
}
"""Where a block keeps its scale and its minimum, minimum ÷ scale that centres the weights, and
the standard deviation of the weights ÷ scale when all other bits are random."""


def blocks(
    name: str, rows: int, cols: int, rng: np.random.Generator, kind: str = "random"
) -> Bytes:
    """Random raw blocks of (rows, cols) weights, uint8[rows, bytes]; `kind` is one of KINDS."""
    if kind not in KINDS:
        raise ValueError(f"kind {kind!r} is none of {KINDS}")
    form, (d_at, m_at, centre, spread) = formats()[name], RANDOM[name]
    if form.block_weights == 1:
        values = rng.standard_normal((rows, cols), np.float32) / math.sqrt(cols)
        if kind == "normal":
            values = np.copysign(np.maximum(np.abs(values), LEAST_NORMAL), values)
        return _floats(name, _edges(values, rng, kind))
    n = rows * cols // form.block_weights
    words = -(-n * form.block_bytes // 8)
    raw = rng.integers(0, 1 << 64, words, np.uint64).view(np.uint8)[: n * form.block_bytes]
    out = raw.reshape(n, form.block_bytes)
    if kind in EDGES:
        out[rng.integers(0, 8, n) == 0] = 0xFF
        out[rng.integers(0, 8, n) == 0] = 0x00
    size = 1 / (spread * math.sqrt(cols))
    if kind == "normal":
        size = max(size, 2 * LEAST_NORMAL)
    d = (rng.uniform(0.5, 1.5, (n, 1)) * size).astype("<f2")
    out[:, d_at : d_at + 2] = _edges(d, rng, kind).view(np.uint8)
    if m_at is not None:
        m = (d * centre * rng.uniform(0.9, 1.1, (n, 1))).astype("<f2")
        out[:, m_at : m_at + 2] = _edges(m, rng, kind).view(np.uint8)
    if name in ("Q4_K", "Q5_K") and kind not in EDGES:
        out[:, 4:16] = _packed_scales(n, rng)
    return out.reshape(rows, -1)


def _edges(values: Values, rng: np.random.Generator, kind: str) -> Values:
    """A third of the values becomes zero, a subnormal half, or plus or minus the kind's largest."""
    if kind not in EDGES:
        return values
    largest = 65504.0 if kind == "extreme" else 8.0
    pick = rng.integers(0, 12, values.shape)
    out = values.copy()
    out[pick == 0] = 0.0
    out[pick == 1] = 2.0**-24 * rng.integers(1, 1024, int((pick == 1).sum()))
    out[pick == 2] = -largest
    out[pick == 3] = largest
    return out


def _floats(name: str, values: NDArray[np.float32]) -> Bytes:
    if name == "BF16":
        return (values.view("<u4") >> 16).astype("<u2").view(np.uint8)
    return values.astype({"F32": "<f4", "F16": "<f2"}[name]).view(np.uint8)


def _packed_scales(n: int, rng: np.random.Generator) -> Bytes:
    """12 bytes per block: eight 6-bit scales and eight 6-bit minima close to them."""
    s = rng.integers(0, 64, (n, 8), np.uint8)
    m = np.clip(s.astype(np.int8) + rng.integers(-4, 5, (n, 8), np.int8), 0, 63).astype(np.uint8)
    low = [v[:, :4] | v[:, 4:] >> 4 << 6 for v in (s, m)]
    return np.concatenate([*low, s[:, 4:] & 15 | (m[:, 4:] & 15) << 4], axis=1)
