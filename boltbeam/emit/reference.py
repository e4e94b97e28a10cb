"""The numeric oracle: every span in float64 numpy, with the magnitudes that set its tolerance.

Takes named buffers in their natural form, gives named outputs. Never touches tinygrad.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
from numpy.typing import NDArray

from boltbeam.emit import half_ties, noise
from boltbeam.emit.core import activation_of, norm_name
from boltbeam.models.plan import TABLES
from boltbeam.registry import formats
from boltbeam.types import OPS, Table, WorkItem

Array = NDArray[Any]


def silu(x: Array) -> Array:
    return np.asarray(x / (1 + np.exp(-np.clip(x, -700, 700))))


def gelu(x: Array) -> Array:
    """GELU by tanh: what models mean by it when they were trained with `gelu_pytorch_tanh`."""
    return np.asarray(0.5 * x * (1 + np.tanh(math.sqrt(2 / math.pi) * (x + 0.044715 * x**3))))


GATE: dict[str, Callable[[Array], Array]] = {"silu": silu, "gelu": gelu}
"""What gate_up does to its gate, by name."""

Arrays = Mapping[str, Array]

SIGNS = {
    "Q4_1": ((1, 0), (3, 0)),
    "Q5_1": ((1, 0), (3, 0)),
    "Q4_K": ((1, 0), (3, 1)),
    "Q5_K": ((1, 0), (3, 1)),
}
"""(byte, sign bit) of a block's scale and minimum that make both parts of every weight add up."""

STEEPEST = {"silu": 1.1, "gelu": 1.13}
"""Largest slope of each gate: how far an error of the gate goes on."""

CHUNK_WEIGHTS = 1 << 17
"""Weights that are unpacked at a time: 1 MB as float64. Several such arrays stay in a core's caches
and in the memory that a process has; larger ones are asked of the system anew for every piece."""
MANY_PIECES, THREADS = 256, 4
"""So many pieces of a table are looked at by so many threads: numpy leaves them the processor."""

SMALLEST = np.float32(2.0**-126)
"""Scales below are subnormal: their reciprocal may overflow, their values count as zero."""
SUM_RELATIVE = 1e-5
"""Share of a magnitude that verification allows a float32 kernel."""
TIE = 2e-4
"""Steps of int8 within which float32 may round a value to the other side."""


def run(
    work: WorkItem, arrays: Arrays, inner: str = "f32", relative: float = SUM_RELATIVE
) -> tuple[dict[str, Array], dict[str, Array]]:
    """All outputs of a span in float64, and for each the magnitude Σ|w·x| of its terms.

    `arrays`: weights `w.ROLE` as uint8 blocks (fewer rows than the table has: they repeat);
    vectors, `cache`, `rope`, `ids`, `tok`, `pos` as numbers; an activation as `NAME.f32`, or as
    `NAME.q8` (words) and `NAME.d`; xw's with `xw.sq32` stand for xn. Outputs are named like
    buffers; an activation is `NAME.f32` whatever interface a route gives it in. `inner`: the
    interface in which the span's ops hand activations to each other. `relative`: share of a
    magnitude that the outputs may be off by.

    The cache is rounded to half; `cache.low` and `cache.high` (float16) are the halves that a right
    kernel may store. In float32 they differ only where its own error reaches a rounding tie; what
    the other half would change in later outputs of the span counts in their magnitudes. So does the
    step of an int8 value that stands so close to a tie that float32 may take the other side, up to
    where values are rounded to int8 again. `cache.stored` among the arrays is the cache that a
    kernel left: its newest halves are taken where they may be, and later outputs follow from them.
    """
    state = {n: np.asarray(a) for n, a in arrays.items() if not n.startswith("w.")}
    tables = {n: a for n, a in arrays.items() if n.startswith("w.")}
    for prefix in ("xn", "att", "act"):
        if f"{prefix}.q8" in state:
            state[f"{prefix}.f32"] = decode(state[f"{prefix}.q8"], state[f"{prefix}.d"])
    if "xw.q8" in state:
        mean = np.sum(state["xw.sq32"], dtype=np.float64) / work.d_model
        state["xn.f32"] = decode(state["xw.q8"], state["xw.d"]) / np.sqrt(mean + work.norm_eps)
    token = _Token(work, state, tables, inner, relative)
    for op in work.ops:
        getattr(token, op)()
    return token.values, token.magnitudes


def keys(logits: Array, temperature: float, seed: int, position: int) -> tuple[Array, Array]:
    """logits + temperature · Gumbel noise in float64, and what errors of each are relative to.

    The token drawn is their argmax; `temperature` counts as the float32 that a kernel reads.
    """
    index = np.arange(logits.size, dtype=np.uint32)
    place = np.full_like(index, position)
    words = noise.bits(np.full_like(index, seed), place, index).astype(np.float64)
    gumbel = -np.log(-np.log1p(-(words + 0.5) * 2.0**-32))
    t, values = float(np.float32(temperature)), logits.astype(np.float64)
    return values + t * gumbel, np.abs(values) + t * (np.abs(gumbel) + 1)


def ops() -> frozenset[str]:
    """Primitive ops that `run` computes."""
    return frozenset(op for op in OPS if hasattr(_Token, op))


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
    inverse = np.divide(np.float32(1), d, out=np.zeros_like(d), where=d >= SMALLEST)
    scaled = x * inverse[:, None]
    codes = np.clip(np.trunc(scaled + np.where(scaled < 0, -0.5, 0.5)), -127, 127).astype(np.int8)
    sums = codes.reshape(-1, 16).astype(np.float32).sum(axis=1) * np.repeat(d, 2)
    return codes.reshape(-1).view(np.uint32), d, sums.astype(np.float32)


def decode(words: Array, d: Array) -> Array:
    """float64 values of int8 words and their scales."""
    codes = np.ascontiguousarray(words).view(np.int8).astype(np.float64)
    return codes * np.repeat(np.asarray(d, dtype=np.float64), 32)


def _product(
    table: Table, raw: Array, x: Array, slack: Array | None
) -> tuple[Array, Array, Array | None]:
    """(W x, Σ|w·x|, slack of W x) by pieces of rows: a head never exists whole in float64.

    Pieces of a large table are looked at side by side; none depends on another.
    """
    rows = _rows(table, raw)
    step = max(1, CHUNK_WEIGHTS // table.cols)

    def product(start: int) -> tuple[Array, ...]:
        piece = rows[start : start + step]
        part = table.model_copy(update={"rows": len(piece)})
        weights = dequantise(part, piece)
        bound = weight_magnitudes(part, piece) if table.format in SIGNS else np.abs(weights)
        both = (weights @ x, bound @ np.abs(x))
        return both if slack is None else (*both, half_ties.total(np.abs(weights), slack))

    starts = range(0, len(rows), step)
    if len(starts) < MANY_PIECES:
        pieces = [product(start) for start in starts]
    else:
        with ThreadPoolExecutor(THREADS) as threads:
            pieces = list(threads.map(product, starts))
    whole = [np.resize(np.concatenate(a), table.rows) for a in zip(*pieces, strict=True)]
    return whole[0], whole[1], whole[2] if len(whole) > 2 else None


def _rows(table: Table, raw: Array) -> Array:
    """Raw rows of a table: (rows, bytes of a row), as many as are given."""
    per_row = formats()[table.format].bytes_for(table.cols)
    return np.ascontiguousarray(raw).view(np.uint8).reshape(-1, per_row)


def _sum(*slacks: Array | None) -> Array | None:
    """Slacks together; None: there is none."""
    given = [s for s in slacks if s is not None]
    return np.asarray(sum(given)) if given else None


class _Token:
    """The buffers of one token while the ops of a span pass over them."""

    def __init__(
        self,
        work: WorkItem,
        state: dict[str, Array],
        tables: dict[str, Array],
        inner: str,
        relative: float,
    ) -> None:
        self.work, self.state, self.tables = work, state, tables
        self.inner, self.relative = inner, relative
        self.values: dict[str, Array] = {}
        self.magnitudes: dict[str, Array] = {}
        self.norms = 0
        self.slack: dict[str, Array] = {}
        """By buffer: what the other side of rounding ties may change in it, beyond its magnitude;
        of xn, att and act as the next op reads them. Those without are not in here."""
        self.qkv_error: Array | None = None
        """What a right float32 kernel of this span may be off by in qkv; None: qkv is given."""
        self.spans: Array | None = None
        """(2, kv heads, head_dim): distance of the other half of the newest k and v, mostly 0."""

    def vector(self, name: str) -> Array:
        return np.asarray(self.state[name], dtype=np.float64).reshape(-1)

    def number(self, name: str) -> int:
        return int(np.asarray(self.state[name]).reshape(-1)[0])

    def give(self, name: str, value: Array, magnitude: Array, slack: Array | None = None) -> None:
        """An output; its magnitude also allows its slack."""
        self.state[name] = self.values[name] = value
        self.magnitudes[name] = magnitude if slack is None else magnitude + slack / self.relative
        self.keep(name, slack)

    def keep(self, name: str, slack: Array | None) -> None:
        self.slack.pop(name, None)
        if slack is not None and slack.any():
            self.slack[name] = slack

    def activation(
        self, prefix: str, value: Array, magnitude: Array, slack: Array | None = None
    ) -> None:
        name = f"{prefix}.f32"
        self.give(name, value, magnitude, slack)
        pair = (value, np.abs(value) + self.magnitudes[name])
        self.give(f"{prefix}.s32", *(a.reshape(-1, 32).sum(axis=1) for a in pair))
        if self.inner == "q8":
            words, d, _ = quantise(value)
            self.state[name] = decode(words, d)
            step = np.repeat(d, 32).astype(np.float64)
            steps = np.abs(value) / np.maximum(step, 1e-37)
            self.keep(name, step * (np.abs(steps - np.floor(steps) - 0.5) < TIE))

    def products(self, op: str, x: Array) -> list[tuple[Table, Array, Array, Array | None]]:
        """(table, W x, Σ|w·x|, slack of W x) of each table of an op."""
        slack = self.slack.get(f"{activation_of(op)}.f32")
        return [
            (t, *_product(t, self.tables[f"w.{t.role}"], x, slack))
            for t in self.work.tables
            if t.role in TABLES[op]
        ]

    def embed(self) -> None:
        table = next(t for t in self.work.tables if t.role == "token_embd")
        token = self.number("tok")
        one = table.model_copy(update={"rows": 1})
        rows = _rows(table, self.tables["w.token_embd"])
        raw = rows[token % len(rows)]
        values = (dequantise(one, raw)[0], weight_magnitudes(one, raw)[0])
        self.give("x", *(v * self.work.embed_scale for v in values))

    def reach(self, name: str) -> Array:
        """What errors of a vector are relative to: its terms, where this span summed it up."""
        size, slack = self.magnitudes.get(name), self.slack.get(name)
        if size is None:
            return np.abs(self.vector(name))
        return size if slack is None else size - slack / self.relative

    def normed(self, name: str) -> tuple[Array, Array, Array | None]:
        """A vector through the span's next RMSNorm; its magnitude and slack through the same."""
        self.norms += 1
        weight = self.vector(norm_name(self.norms))
        x, eps = self.vector(name), self.work.norm_eps
        scale, slack = weight / np.sqrt(np.mean(x * x) + eps), self.slack.get(name)
        if slack is not None:
            slack = half_ties.norm_error(x, slack, weight, eps)
        return x * scale, self.reach(name) * np.abs(scale), slack

    def norm(self) -> None:
        self.activation("xn", *self.normed("x"))
        if self.work.ops[-1] == "norm" and "post_norm" not in self.work.ops:
            self._unscaled(self.vector(norm_name(self.norms)))

    def _unscaled(self, weight: Array) -> None:
        """What the last norm is before it is divided, and the squares that it is divided by."""
        x, size, slack = self.vector("x"), self.reach("x"), self.slack.get("x")
        moved = None if slack is None else slack * np.abs(weight)
        self.give("xw.f32", x * weight, size * np.abs(weight), moved)
        wide = (2 * np.abs(x) + self.relative * size) * size
        moved = None if slack is None else _by_32((2 * np.abs(x) + slack) * slack)
        self.give("xw.sq32", _by_32(x * x), _by_32(wide), moved)

    def post_norm(self) -> None:
        self._join(*self.normed("y"))

    def _join(self, value: Array, size: Array, moved: Array | None) -> None:
        """Onto the residual stream, with the value's magnitude and slack."""
        x = self.vector("x")
        self.give("x", x + value, np.abs(x) + size, _sum(self.slack.get("x"), moved))

    def qkv(self) -> None:
        values, sizes, slacks = [], [], []
        for table, y, size, moved in self.products("qkv", self.vector("xn.f32")):
            bias = self.vector(f"b.{table.role}") if self.work.qkv_bias else np.zeros_like(y)
            values.append(y + bias)
            sizes.append(size + np.abs(bias))
            slacks += [] if moved is None else [moved]
        size, slack = np.concatenate(sizes), np.concatenate(slacks) if slacks else None
        self.give("qkv", np.concatenate(values), size, slack)
        self.qkv_error = SUM_RELATIVE * size if slack is None else SUM_RELATIVE * size + slack

    def rope_store(self) -> None:
        w = self.work
        h, kv, hd, pos = w.heads, w.kv_heads, w.head_dim, self.number("pos")
        heads = self.vector("qkv").reshape(h + 2 * kv, hd)
        error = np.zeros_like(heads) if self.qkv_error is None else self.qkv_error.reshape(-1, hd)
        row = self.vector("rope").reshape(w.context, w.rope_dim)[pos]
        q, q_size, _ = self._rotate(heads[:h], error[:h], row, "n.attn_q_norm")
        k, k_size, k_error = self._rotate(
            heads[h : h + kv], error[h : h + kv], row, "n.attn_k_norm"
        )
        slack = None
        if "qkv" in self.slack:
            moved = self.slack["qkv"].reshape(-1, hd)[:h]
            slack = self._rotate(heads[:h], moved, row, "n.attn_q_norm")[2].reshape(-1)
        self.give("q", q.reshape(-1), q_size.reshape(-1), slack)
        new, size = np.stack([k, heads[h + kv :]]), np.stack([k_size, np.abs(heads[h + kv :])])
        self._store(new, np.stack([k_error, error[h + kv :]]), size)

    def _store(self, new: Array, error: Array, new_size: Array) -> None:
        """k and v (2, kv heads, head_dim) into the cache, with the halves they may become."""
        w, pos = self.work, self.number("pos")
        shape = (2, w.kv_heads, w.context, w.head_dim)
        cache = np.array(self.state["cache"], dtype=np.float64).reshape(shape)
        low, high = cache.astype(np.float16), cache.astype(np.float16)
        size = np.zeros_like(cache)
        cache[:, :, pos], size[:, :, pos] = _half(new), new_size
        more = max(self.relative / SUM_RELATIVE, 1.0)
        wide = error * more + new_size * SUM_RELATIVE * (more - 1)
        low[:, :, pos], high[:, :, pos] = half_ties.ends(new, wide)
        self.spans = half_ties.span(cache[:, :, pos], *half_ties.ends(new, error))
        if "cache.stored" in self.state:
            stored = self.state["cache.stored"].reshape(shape)[:, :, pos]
            may = (low[:, :, pos] <= stored) & (stored <= high[:, :, pos])
            cache[:, :, pos] = np.where(may, stored, cache[:, :, pos])
            self.spans[may] = 0
        self.give("cache", cache.reshape(-1), size.reshape(-1))
        self.values |= {"cache.low": low.reshape(-1), "cache.high": high.reshape(-1)}

    def _rotate(
        self, heads: Array, error: Array, row: Array, norm: str
    ) -> tuple[Array, Array, Array]:
        """(values, magnitudes, errors) of heads after qk-norm and RoPE."""
        w = self.work
        half = w.rope_dim // 2
        if w.qk_norm:
            weight = self.vector(norm)
            error = half_ties.norm_error(heads, error, weight, w.norm_eps)
            heads = np.stack([_rms_norm(h, w.norm_eps) for h in heads]) * weight
        cos, sin = row[:half], row[half:]

        def turned(a: Array, cos: Array, sin: Array, minus: float = 1.0) -> Array:
            x, y, rest = a[:, :half], a[:, half : w.rope_dim], a[:, w.rope_dim :]
            if w.rope_interleaved:
                x, y = a[:, 0 : w.rope_dim : 2], a[:, 1 : w.rope_dim : 2]
            return np.concatenate([x * cos + minus * y * sin, y * cos + x * sin, rest], axis=1)

        size, error = (turned(np.abs(a), np.abs(cos), np.abs(sin)) for a in (heads, error))
        error[:, : w.rope_dim] += half_ties.ROTATION * size[:, : w.rope_dim]
        return turned(heads, cos, sin, -1.0), size, error

    def attention(self) -> None:
        w = self.work
        live = self.number("pos") + 1
        cache = np.asarray(self.state["cache"], dtype=np.float64)
        first = max(0, live - w.window) if w.window else 0
        k, v = cache.reshape(2, w.kv_heads, w.context, w.head_dim)[:, :, first:live]
        q = self.vector("q").reshape(w.kv_heads, -1, w.head_dim)
        scores = np.einsum("ghd,gpd->ghp", q, k) * w.head_dim**-0.5
        size = np.einsum("ghd,gpd->ghp", np.abs(q), np.abs(k)) * w.head_dim**-0.5
        weights = np.exp(scores - scores.max(axis=-1, keepdims=True))
        weights /= weights.sum(axis=-1, keepdims=True)
        out = np.einsum("ghp,gpd->ghd", weights, v)
        reach = np.einsum("ghp,gpd->ghd", weights * (1 + size), np.abs(v))
        slack = None
        if self.spans is not None and "q" in self.slack:
            moved = self.slack["q"].reshape(q.shape)
            slack = half_ties.query_slack(q, moved, weights, k, v, *self.spans)
        elif self.spans is not None:
            slack = half_ties.attention_slack(q, weights, out, v[:, -1], *self.spans)
        if slack is not None and self.spans is not None:
            slack = half_ties.within_values(slack, v, self.spans[1]).reshape(-1)
        self.activation("att", out.reshape(-1), reach.reshape(-1), slack)

    def o(self) -> None:
        self._residual("o", "att")

    def down(self) -> None:
        self._residual("down", "act")

    def _residual(self, op: str, prefix: str) -> None:
        ((_, y, size, moved),) = self.products(op, self.vector(f"{prefix}.f32"))
        if self.work.post_norms:
            self.give("y", y, size, moved)
        else:
            self._join(y, size, moved)

    def gate_up(self) -> None:
        (_, gate, gate_size, gate_moved), (_, up, up_size, up_moved) = self.products(
            "gate_up", self.vector("xn.f32")
        )
        act, steepest = GATE[self.work.gate](gate), STEEPEST[self.work.gate]
        size = np.abs(act) * up_size + np.abs(up) * gate_size * steepest + np.abs(act * up)
        slack = None
        if gate_moved is not None and up_moved is not None:
            slack = np.abs(act) * up_moved + (np.abs(up) + up_moved) * gate_moved * steepest
        self.activation("act", act * up, size, slack)

    def head(self) -> None:
        ((_, y, size, moved),) = self.products("head", self.vector("xn.f32"))
        self.give("logits", y, size, moved)

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


def _by_32(x: Array) -> Array:
    return np.asarray(x.reshape(-1, 32).sum(axis=1))


def _half(x: Array) -> Array:
    return x.astype(np.float16).astype(np.float64)
