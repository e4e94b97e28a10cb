"""Made-up contents for every buffer of the token's namespace: what proofs and timings run on.

Takes a work item and its buffers, gives numpy arrays: plausible, or at the edges of each storage
format. Never reads a model, never touches a device.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from boltbeam.emit.core import Buf
from boltbeam.emit.reference import quantise
from boltbeam.models.random_blocks import blocks
from boltbeam.proof import shared_arrays
from boltbeam.types import Table, WorkItem

Array = NDArray[Any]
ACTIVATIONS = ("xn", "xw", "att", "act")
"""Prefixes whose buffers belong together."""
UNIQUE_WEIGHTS = 1 << 26
"""A larger table repeats its rows after so many weights: the reference of a head of 600 million
kept the workers of a search waiting for half of its first wave."""


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
        if prefix in ACTIVATIONS:
            if buf.name not in out:
                out |= _activation(prefix, buf, part, rng)
        else:
            out[buf.name] = _named(buf, tables, work, position, rng, kind)
    return out


def _activation(prefix: str, buf: Buf, part: str, rng: Generator) -> dict[str, Array]:
    """All members of the interface that `buf` belongs to, so that they agree with each other."""
    n = buf.size * {"f32": 1, "s32": 32, "q8": 4, "d": 32, "s16": 16, "sq32": 32}[part]
    values = rng.standard_normal(n, dtype=np.float32)
    if part in ("f32", "s32"):
        sums = values.reshape(-1, 32).sum(axis=1, dtype=np.float64).astype(np.float32)
        return {f"{prefix}.f32": values, f"{prefix}.s32": sums}
    names = (f"{prefix}.q8", f"{prefix}.d", f"{prefix}.s16")
    made: dict[str, Array] = dict(zip(names, quantise(values), strict=True))
    if prefix == "xw":  # of a stream that has nothing to do with the codes
        squares = rng.chisquare(32, n // 32) * rng.uniform(0.25, 4)
        made["xw.sq32"] = squares.astype(np.float32)
    return made


def _named(
    buf: Buf, tables: dict[str, Table], work: WorkItem, position: int, rng: Generator, kind: str
) -> Array:
    if buf.name in tables:
        return _table(tables[buf.name], rng, kind)
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


def unique(t: Table, weights: int) -> Table:
    """The rows of a table that repeats them after so many weights; all where it has no more.

    An odd number, so that no power of two leads from a row to its copy.
    """
    rows = weights // t.cols | 1
    return t if rows >= t.rows else t.model_copy(update={"rows": rows})


def _table(t: Table, rng: Generator, kind: str) -> Array:
    """Blocks of a table; those of a large one are made once per search. `rng` moves on as ever."""

    def drawn() -> Mapping[str, Array]:
        raw = blocks(t.format, unique(t, UNIQUE_WEIGHTS).rows, t.cols, rng, kind)
        after = json.dumps(rng.bit_generator.state).encode()
        whole = np.resize(raw, (t.rows, raw.shape[1]))
        return {"raw": whole, "after": np.frombuffer(after, np.uint8)}

    if t.rows * t.cols < shared_arrays.WORTH_WEIGHTS:
        return blocks(t.format, t.rows, t.cols, rng, kind)
    of = ("blocks", t.format, t.rows, t.cols, kind, rng.bit_generator.state)
    found = shared_arrays.made(of, drawn)
    rng.bit_generator.state = json.loads(bytes(found["after"]))
    return found["raw"]


def rope_table(context: int, rope_dim: int, theta: float = 10000.0) -> Array:
    """f32, context × rope_dim: row p is cos (rope_dim/2), then sin."""
    frequency = theta ** (-np.arange(0, rope_dim, 2, dtype=np.float64) / rope_dim)
    angle = np.arange(context, dtype=np.float64)[:, None] * frequency
    return np.concatenate([np.cos(angle), np.sin(angle)], axis=1).astype(np.float32).reshape(-1)
