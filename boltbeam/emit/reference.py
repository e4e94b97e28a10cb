"""The numeric oracle: every span in float64 numpy, with the magnitudes that set its tolerance.

Takes named buffers in their natural form, gives named outputs. Never touches tinygrad.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from boltbeam.emit.core import activation_of
from boltbeam.plan import TABLES
from boltbeam.registry import formats
from boltbeam.types import Table, WorkItem

Array = NDArray[Any]
Arrays = Mapping[str, Array]

SIGNS = {
    "Q4_1": ((1, 0), (3, 0)),
    "Q5_1": ((1, 0), (3, 0)),
    "Q4_K": ((1, 0), (3, 1)),
    "Q5_K": ((1, 0), (3, 1)),
}
"""(byte, sign bit) of a block's scale and minimum that make both parts of every weight add up."""

CHUNK_WEIGHTS = 1 << 19
"""Weights that are unpacked at a time: 4 MB as float64."""

SUM_RELATIVE = 1e-5
"""Share of a magnitude that verification allows; a possible int8 step is written in its terms."""
TIE = 2e-4
"""Steps of int8 within which float32 may round a value to the other side."""


def run(
    work: WorkItem, arrays: Arrays, inner: str = "f32"
) -> tuple[dict[str, Array], dict[str, Array]]:
    """All outputs of a span in float64, and for each the magnitude Σ|w·x| of its terms.

    `arrays`: weights `w.ROLE` as uint8 blocks (fewer rows than the table has: they repeat);
    vectors, `cache`, `rope`, `ids`, `tok`, `pos` as numbers; an activation as `NAME.f32`, or as
    `NAME.q8` (words) and `NAME.d`. Outputs are named like buffers; an activation is `NAME.f32`
    whatever interface a route gives it in. `inner`: the interface in which the span's ops hand
    activations to each other; where a `q8` value stands so close to a rounding tie that float32 may
    take the other side, the step counts as magnitude.
    """
    state = {n: np.asarray(a) for n, a in arrays.items() if not n.startswith("w.")}
    tables = {n: a for n, a in arrays.items() if n.startswith("w.")}
    for prefix in ("xn", "att", "act"):
        if f"{prefix}.q8" in state:
            state[f"{prefix}.f32"] = decode(state[f"{prefix}.q8"], state[f"{prefix}.d"])
    token = _Token(work, state, tables, inner)
    for op in work.ops:
        getattr(token, op)()
    return token.values, token.magnitudes


def dequantise(table: Table, raw: Array) -> Array:
    """float64 (rows, cols) of a table's blocks, by the gguf package."""
    import gguf

    kind = gguf.GGMLQuantizationType[table.format]
    blocks = np.frombuffer(np.ascontiguousarray(raw).tobytes(), dtype=np.uint8)
    if table.format == "F32":
        return blocks.view(np.float32).reshape(table.rows, table.cols).astype(np.float64)
    if table.format == "F16":
        return blocks.view(np.float16).reshape(table.rows, table.cols).astype(np.float64)
    flat = gguf.dequantize(blocks.reshape(table.rows, -1), kind)
    return np.asarray(flat, dtype=np.float64).reshape(table.rows, table.cols)


def weight_magnitudes(table: Table, raw: Array) -> Array:
    """|scale · code| + |minimum| of every weight: what rounding errors are relative to."""
    signs = SIGNS.get(table.format)
    if signs is None:
        return np.abs(dequantise(table, raw))
    size = {"Q4_1": 20, "Q5_1": 24, "Q4_K": 144, "Q5_K": 176}[table.format]
    blocks = np.frombuffer(np.ascontiguousarray(raw).tobytes(), np.uint8).reshape(-1, size).copy()
    for byte, bit in signs:
        blocks[:, byte] = (blocks[:, byte] & 0x7F) | (bit << 7)
    return dequantise(table, blocks)


def quantise(values: Array) -> tuple[Array, Array, Array]:
    """float32 values -> (uint32 words of four int8, scale per 32, scale · Σcode per 16)."""
    x = np.asarray(values, dtype=np.float32).reshape(-1, 32)
    d = np.abs(x).max(axis=1) * np.float32(1 / 127)
    inverse = np.divide(np.float32(1), d, out=np.zeros_like(d), where=d > 0)
    scaled = x * inverse[:, None]
    codes = np.clip(np.trunc(scaled + np.where(scaled < 0, -0.5, 0.5)), -127, 127).astype(np.int8)
    sums = codes.reshape(-1, 16).astype(np.float32).sum(axis=1) * np.repeat(d, 2)
    return codes.reshape(-1).view(np.uint32), d, sums.astype(np.float32)


def decode(words: Array, d: Array) -> Array:
    """float64 values of int8 words and their scales."""
    codes = np.ascontiguousarray(words).view(np.int8).astype(np.float64)
    return codes * np.repeat(np.asarray(d, dtype=np.float64), 32)


def _product(table: Table, raw: Array, x: Array, reach: Array) -> tuple[Array, Array]:
    """(W x, Σ|w|·reach) in pieces of rows, so that a head never exists whole in float64."""
    rows = _rows(table, raw)
    step = max(1, CHUNK_WEIGHTS // table.cols)
    values, sizes = [], []
    for start in range(0, len(rows), step):
        piece = rows[start : start + step]
        part = table.model_copy(update={"rows": len(piece)})
        weights = dequantise(part, piece)
        bound = weight_magnitudes(part, piece) if table.format in SIGNS else np.abs(weights)
        values.append(weights @ x)
        sizes.append(bound @ reach)
    value, size = np.concatenate(values), np.concatenate(sizes)
    return np.resize(value, table.rows), np.resize(size, table.rows)


def _rows(table: Table, raw: Array) -> Array:
    """Raw rows of a table: (rows, bytes of a row), as many as are given."""
    per_row = formats()[table.format].bytes_for(table.cols)
    return np.ascontiguousarray(raw).view(np.uint8).reshape(-1, per_row)


class _Token:
    """The buffers of one token while the ops of a span pass over them."""

    def __init__(
        self, work: WorkItem, state: dict[str, Array], tables: dict[str, Array], inner: str
    ) -> None:
        self.inner = inner
        self.work, self.state, self.tables = work, state, tables
        self.values: dict[str, Array] = {}
        self.magnitudes: dict[str, Array] = {}
        self.norms = 0

    def vector(self, name: str) -> Array:
        return np.asarray(self.state[name], dtype=np.float64).reshape(-1)

    def number(self, name: str) -> int:
        return int(np.asarray(self.state[name]).reshape(-1)[0])

    def give(self, name: str, value: Array, magnitude: Array) -> None:
        self.state[name] = self.values[name] = value
        self.magnitudes[name] = magnitude

    def activation(self, prefix: str, value: Array, magnitude: Array) -> None:
        self.give(f"{prefix}.f32", value, magnitude)
        sums = (a.reshape(-1, 32).sum(axis=1) for a in (value, np.abs(value) + magnitude))
        self.give(f"{prefix}.s32", *sums)
        if self.inner == "q8":
            words, d, _ = quantise(value)
            self.state[f"{prefix}.f32"] = decode(words, d)
            steps = np.abs(value) / np.maximum(np.repeat(d, 32).astype(np.float64), 1e-37)
            tie = np.abs(steps - np.floor(steps) - 0.5) < TIE
            self.state[f"{prefix}.slack"] = np.repeat(d, 32) * tie / SUM_RELATIVE

    def products(self, op: str, x: Array) -> list[tuple[Table, Array, Array]]:
        """(table, W x, Σ|w·x|) of each table of an op."""
        reach = np.abs(x) + self.state.get(f"{activation_of(op)}.slack", np.zeros(1))
        return [
            (t, *_product(t, self.tables[f"w.{t.role}"], x, reach))
            for t in self.work.tables
            if t.role in TABLES[op]
        ]

    def embed(self) -> None:
        table = next(t for t in self.work.tables if t.role == "token_embd")
        token = self.number("tok")
        one = table.model_copy(update={"rows": 1})
        rows = _rows(table, self.tables["w.token_embd"])
        raw = rows[token % len(rows)]
        self.give("x", dequantise(one, raw)[0], weight_magnitudes(one, raw)[0])

    def norm(self) -> None:
        self.norms += 1
        weight = self.vector("n.norm" if self.norms == 1 else f"n.norm{self.norms}")
        value = _rms_norm(self.vector("x"), self.work.norm_eps) * weight
        self.activation("xn", value, np.abs(value))

    def qkv(self) -> None:
        values, sizes = [], []
        for table, y, size in self.products("qkv", self.vector("xn.f32")):
            bias = self.vector(f"b.{table.role}") if self.work.qkv_bias else np.zeros_like(y)
            values.append(y + bias)
            sizes.append(size + np.abs(bias))
        self.give("qkv", np.concatenate(values), np.concatenate(sizes))

    def rope_store(self) -> None:
        w = self.work
        h, kv, hd, pos = w.heads, w.kv_heads, w.head_dim, self.number("pos")
        heads = self.vector("qkv").reshape(h + 2 * kv, hd)
        row = self.vector("rope").reshape(w.context, w.rope_dim)[pos]
        q, q_size = self._rotate(heads[:h], row, "n.attn_q_norm")
        k, k_size = self._rotate(heads[h : h + kv], row, "n.attn_k_norm")
        self.give("q", q.reshape(-1), q_size.reshape(-1))
        cache = np.array(self.state["cache"], dtype=np.float64).reshape(2, kv, w.context, hd)
        size = np.zeros_like(cache)
        cache[0, :, pos], cache[1, :, pos] = _half(k), _half(heads[h + kv :])
        size[0, :, pos], size[1, :, pos] = k_size, np.abs(heads[h + kv :])
        self.give("cache", cache.reshape(-1), size.reshape(-1))

    def _rotate(self, heads: Array, row: Array, norm: str) -> tuple[Array, Array]:
        w = self.work
        half = w.rope_dim // 2
        if w.qk_norm:
            heads = np.stack([_rms_norm(h, w.norm_eps) for h in heads]) * self.vector(norm)
        pairs = heads[:, : w.rope_dim]
        x, y = (
            (pairs[:, 0::2], pairs[:, 1::2])
            if w.rope_interleaved
            else (pairs[:, :half], pairs[:, half:])
        )
        cos, sin = row[:half], row[half:]
        out, size = heads.copy(), np.abs(heads)
        out[:, :half], out[:, half : w.rope_dim] = x * cos - y * sin, y * cos + x * sin
        size[:, :half] = np.abs(x * cos) + np.abs(y * sin)
        size[:, half : w.rope_dim] = np.abs(y * cos) + np.abs(x * sin)
        return out, size

    def attention(self) -> None:
        w = self.work
        live = self.number("pos") + 1
        cache = np.asarray(self.state["cache"], dtype=np.float64)
        k, v = cache.reshape(2, w.kv_heads, w.context, w.head_dim)[:, :, :live]
        q = self.vector("q").reshape(w.kv_heads, -1, w.head_dim)
        scores = np.einsum("ghd,gpd->ghp", q, k) * w.head_dim**-0.5
        size = np.einsum("ghd,gpd->ghp", np.abs(q), np.abs(k)) * w.head_dim**-0.5
        weights = np.exp(scores - scores.max(axis=-1, keepdims=True))
        weights /= weights.sum(axis=-1, keepdims=True)
        out = np.einsum("ghp,gpd->ghd", weights, v)
        reach = np.einsum("ghp,gpd->ghd", weights * (1 + size), np.abs(v))
        self.activation("att", out.reshape(-1), reach.reshape(-1))

    def o(self) -> None:
        self._residual("o", "att")

    def down(self) -> None:
        self._residual("down", "act")

    def _residual(self, op: str, prefix: str) -> None:
        ((_, y, size),) = self.products(op, self.vector(f"{prefix}.f32"))
        x = self.vector("x")
        self.give("x", x + y, np.abs(x) + size)

    def gate_up(self) -> None:
        (_, gate, gate_size), (_, up, up_size) = self.products("gate_up", self.vector("xn.f32"))
        slope = 1 / (1 + np.exp(-np.clip(gate, -700, 700)))
        silu = gate * slope
        size = np.abs(silu) * up_size + np.abs(up) * gate_size * 1.1 + np.abs(silu * up)
        self.activation("act", silu * up, size)

    def head(self) -> None:
        ((_, y, size),) = self.products("head", self.vector("xn.f32"))
        self.give("logits", y, size)

    def argmax(self) -> None:
        """The next token (forced where ids already holds it), its position, and ids."""
        ids = np.array(self.state["ids"], dtype=np.int64).reshape(-1)
        place = self.number("pos") + 1
        if ids[place] < 0:
            ids[place] = int(np.argmax(self.vector("logits")))
        for name, value in (
            ("tok", ids[place : place + 1].copy()),
            ("pos", np.array([place])),
            ("ids", ids),
        ):
            self.give(name, value.astype(np.float64), np.zeros(value.shape))


def _rms_norm(x: Array, eps: float) -> Array:
    return np.asarray(x / np.sqrt(np.mean(x * x) + eps))


def _half(x: Array) -> Array:
    return x.astype(np.float16).astype(np.float64)
