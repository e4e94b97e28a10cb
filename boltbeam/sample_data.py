"""Made-up contents for every buffer of the token's namespace: what proofs and timings run on.

Takes a work item and its buffers, gives numpy arrays: plausible, or at the edges of each storage
format. Never reads a model, never touches a device.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from boltbeam.emit.core import Buf
from boltbeam.registry import formats
from boltbeam.types import Table, WorkItem

Array = NDArray[Any]

KINDS = ("random", "normal", "wide", "extreme")
"""`random`: weights of about 1/sqrt(cols); `normal`: the same, but no scale is a subnormal half (a
device without halves takes those for zero in stock's expressions); `wide`: scales from 0 over
subnormal to 8 and all-ones quants among them; `extreme`: the same up to the largest scale that 16
bits hold."""
EDGES = ("wide", "extreme")
LEAST_NORMAL = 2.0**-14
"""Smallest half that is not subnormal."""

HALVES: dict[str, tuple[tuple[int, float], ...]] = {
    "Q4_0": ((0, 1 / 4.6),),
    "Q4_1": ((0, 1 / 4.6), (2, -7.5 / 4.6)),
    "Q5_0": ((0, 1 / 9.2),),
    "Q5_1": ((0, 1 / 9.2), (2, -15.5 / 9.2)),
    "Q8_0": ((0, 1 / 74.0),),
    "Q2_K": ((80, 1 / 9.0), (82, 1 / 6.0)),
    "Q3_K": ((108, 1 / 43.0),),
    "Q4_K": ((0, 1 / 150.0), (2, 1 / 32.0)),
    "Q5_K": ((0, 1 / 300.0), (2, 1 / 32.0)),
    "Q6_K": ((208, 1 / 1400.0),),
}
"""Per format: byte offset of each 16-bit scale in a block, and its size for weights of about 1."""


def blocks(fmt: str, rows: int, cols: int, rng: Generator, kind: str = "random") -> Array:
    """Raw bytes (uint8, flat) of a rows × cols table in a GGUF format; every value is finite."""
    if kind not in KINDS:
        raise ValueError(f"kind {kind!r} is none of {KINDS}")
    if fmt in ("F32", "F16", "BF16"):
        return _plain(fmt, rows * cols, cols, rng, kind)
    layout = formats()[fmt]
    count = rows * cols // layout.block_weights
    raw = rng.integers(0, 256, (count, layout.block_bytes), dtype=np.uint8)
    if kind in EDGES:
        pick = rng.integers(0, 8, count)
        raw[pick == 0] = 0xFF
        raw[pick == 1] = 0x00
    for offset, size in HALVES[fmt]:
        size /= np.sqrt(cols)
        if kind == "normal":
            size = np.copysign(max(abs(size), 2 * LEAST_NORMAL), size)
        scale = (rng.random(count) + 0.5) * size
        if kind in EDGES:
            scale = _edges(scale, rng, 65504.0 if kind == "extreme" else 8.0)
        raw[:, offset : offset + 2] = scale.astype(np.float16).view(np.uint8).reshape(count, 2)
    return raw.reshape(-1)


def _edges(scale: Array, rng: Generator, largest: float) -> Array:
    """A third of the scales becomes zero, a subnormal half, or plus or minus `largest`."""
    pick = rng.integers(0, 12, scale.size)
    out = scale.copy()
    out[pick == 0] = 0.0
    out[pick == 1] = 2.0**-24 * rng.integers(1, 1024, int((pick == 1).sum()))
    out[pick == 2] = -largest
    out[pick == 3] = largest
    return out


def _plain(fmt: str, n: int, cols: int, rng: Generator, kind: str) -> Array:
    values = rng.standard_normal(n, dtype=np.float32) / np.float32(np.sqrt(cols))
    if kind in EDGES:
        values = _edges(values, rng, 65504.0 if kind == "extreme" else 8.0).astype(np.float32)
    if fmt == "F16":
        return values.astype(np.float16).view(np.uint8)
    words = values.view(np.uint32)
    return words.view(np.uint8) if fmt == "F32" else (words >> 16).astype(np.uint16).view(np.uint8)


def quantise(values: Array) -> tuple[Array, Array, Array]:
    """Values (n) -> int8 words (u32, n/4), scale per 32 (f32), scale × sum of q per 16 (f32)."""
    v = np.asarray(values, dtype=np.float32).reshape(-1, 32)
    d = (np.abs(v).max(axis=1) / np.float32(127)).astype(np.float32)
    inverse = np.divide(1, d, out=np.zeros_like(d), where=d > 0)
    scaled = v * inverse[:, None]
    q = np.clip(np.trunc(scaled + np.copysign(np.float32(0.5), scaled)), -127, 127).astype(np.int8)
    sums = q.reshape(-1, 2, 16).sum(axis=2, dtype=np.int32).astype(np.float32)
    return q.reshape(-1).view(np.uint32), d, (d[:, None] * sums).reshape(-1)


def arrays(
    work: WorkItem, bufs: Iterable[Buf], rng: Generator, kind: str, position: int | None = None
) -> dict[str, Array]:
    """Contents for `bufs` (inputs and in-place state of one work item), by buffer name.

    `position`: of the token, 0 to context - 1; None: somewhere.
    """
    tables = {f"w.{t.role}": t for t in work.tables}
    drawn = int(rng.integers(1, max(2, work.context - 1)))
    position = drawn if position is None else position
    out: dict[str, Array] = {}
    for buf in sorted(bufs, key=lambda b: b.name):
        prefix, _, part = buf.name.partition(".")
        if prefix in ("xn", "att", "act"):
            if buf.name not in out:
                out |= _activation(prefix, buf, part, rng)
        else:
            out[buf.name] = _named(buf, tables, work, position, rng, kind)
    return out


def _activation(prefix: str, buf: Buf, part: str, rng: Generator) -> dict[str, Array]:
    """All members of the interface that `buf` belongs to, so that they agree with each other."""
    n = buf.size * {"f32": 1, "s32": 32, "q8": 4, "d": 32, "s16": 16}[part]
    values = rng.standard_normal(n, dtype=np.float32)
    if part in ("f32", "s32"):
        sums = values.reshape(-1, 32).sum(axis=1, dtype=np.float64).astype(np.float32)
        return {f"{prefix}.f32": values, f"{prefix}.s32": sums}
    return dict(
        zip((f"{prefix}.q8", f"{prefix}.d", f"{prefix}.s16"), quantise(values), strict=True)
    )


def _named(
    buf: Buf, tables: dict[str, Table], work: WorkItem, position: int, rng: Generator, kind: str
) -> Array:
    if buf.name in tables:
        t = tables[buf.name]
        return blocks(t.format, t.rows, t.cols, rng, kind)
    match buf.name:
        case "tok":
            return rng.integers(0, work.vocab, 1).astype(np.int32)
        case "pos":
            return np.array([position], dtype=np.int32)
        case "ids":
            ids = rng.integers(0, work.vocab, buf.size).astype(np.int32)
            ids[position + 1 :] = -1
            return ids
        case "rope":
            return rope_table(work.context, work.rope_dim)
        case "best.i":
            return np.sort(rng.permutation(work.vocab)[: buf.size]).astype(np.int32)
    noise = rng.standard_normal(buf.size, dtype=np.float32)
    if buf.name.startswith("n."):
        noise = 1 + noise / np.float32(10)
    return noise.astype(np.float16) if buf.dtype in ("f16", "h16") else noise


def rope_table(context: int, rope_dim: int, theta: float = 10000.0) -> Array:
    """f32, context × rope_dim: row p is cos (rope_dim/2), then sin."""
    frequency = theta ** (-np.arange(0, rope_dim, 2, dtype=np.float64) / rope_dim)
    angle = np.arange(context, dtype=np.float64)[:, None] * frequency
    return np.concatenate([np.cos(angle), np.sin(angle)], axis=1).astype(np.float32).reshape(-1)
