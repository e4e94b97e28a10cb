"""Every span as plain Tensor expressions, the way tinygrad.llm computes it: the first incumbent.

Takes named tensors, gives named lazy tensors. Never decides a schedule.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from boltbeam.emit.core import Buf, shared_buffers
from boltbeam.plan import NORMS, TABLES
from boltbeam.registry import formats
from boltbeam.types import Table, WorkItem


def run(work: WorkItem, tensors: Mapping[str, Any], half: bool = True) -> dict[str, Any]:
    """Outputs of a span by buffer name; tensors hold buffers as in `reference.run`, on one device.

    `pos` and `tok` are tensors of one int32, read on the host where they choose a slice (as
    tinygrad.llm's start_pos does). `cache` is given back as a new value.
    `half`: weights, norms and biases are rounded to half after unpacking, as HALF=1 does.
    """
    token = _Token(work, dict(tensors), half)
    for op in work.ops:
        getattr(token, op)()
    return token.outputs


READS = {
    "embed": ("tok",),
    "norm": ("x",),
    "qkv": ("xn.f32",),
    "rope_store": ("qkv", "pos", "rope", "cache"),
    "attention": ("q", "pos", "cache"),
    "o": ("att.f32", "x"),
    "gate_up": ("xn.f32",),
    "down": ("act.f32", "x"),
    "head": ("xn.f32",),
    "argmax": ("logits", "pos", "ids", "tok"),
    "post_norm": ("y", "x"),
}
"""Buffers that an op of stock reads, beside its tables, norms and biases."""
WRITES = {
    "embed": ("x",),
    "norm": ("xn.f32",),
    "qkv": ("qkv",),
    "rope_store": ("q", "cache"),
    "attention": ("att.f32",),
    "gate_up": ("act.f32",),
    "head": ("logits",),
}
"""Buffers that later ops of the same span then find ready."""


def takes(work: WorkItem) -> tuple[Buf, ...]:
    """The buffers `run` must be given for a span; packed tables as bytes."""
    sizes = shared_buffers(work) | _activations(work)
    names: dict[str, Buf] = {}
    made: set[str] = set()
    norms = 0
    for op in work.ops:
        reads = READS[op]
        if work.post_norms and op in ("o", "down"):
            reads = reads[:1]
        wanted = [sizes[n] for n in reads if n not in made]
        for table in (t for t in work.tables if t.role in TABLES.get(op, ())):
            size = formats()[table.format].bytes_for(table.rows * table.cols)
            wanted.append(Buf(f"w.{table.role}", size, "u8"))
            if op == "qkv" and work.qkv_bias:
                wanted.append(Buf(f"b.{table.role}", table.rows, "f32"))
        if op in NORMS:
            norms += 1
            name = "n.norm" if norms == 1 else f"n.norm{norms}"
            wanted.append(Buf(name, work.d_model, "f32"))
        if op == "rope_store" and work.qk_norm:
            wanted += [sizes["n.attn_q_norm"], sizes["n.attn_k_norm"]]
        names |= {b.name: b for b in wanted}
        made |= set(WRITES.get(op, ()))
        made |= {"y"} if work.post_norms and op in ("o", "down") else set()
    return tuple(names.values())


def _activations(work: WorkItem) -> dict[str, Buf]:
    """The f32 activations a span may read, with their sizes."""
    hidden = next((t.cols for t in work.tables if t.role == "ffn_down"), 0)
    sizes = {"xn.f32": work.d_model, "att.f32": work.heads * work.head_dim, "act.f32": hidden}
    return {n: Buf(n, size, "f32") for n, size in sizes.items()}


class _Token:
    """The tensors of one token while the ops of a span pass over them."""

    def __init__(self, work: WorkItem, state: dict[str, Any], half: bool):
        self.work, self.state, self.half = work, state, half
        self.outputs: dict[str, Any] = {}
        self.norms = 0

    def give(self, name: str, value: Any) -> None:
        self.state[name] = self.outputs[name] = value

    def tables(self, op: str) -> list[tuple[Table, Any]]:
        return [
            (t, self.rounded(_weights(t, self.state[f"w.{t.role}"])))
            for t in self.work.tables
            if t.role in TABLES[op]
        ]

    def rounded(self, parameter: Any) -> Any:
        from tinygrad import dtypes

        return parameter.cast(dtypes.half) if self.half else parameter

    def position(self) -> int:
        return int(self.state["pos"].item())

    def embed(self) -> None:
        ((_, weights),) = self.tables("embed")
        row = weights[int(self.state["tok"].item())].float()
        row = row if self.work.embed_scale == 1.0 else row * self.work.embed_scale
        self.give("x", row.contiguous())

    def normed(self, name: str) -> Any:
        self.norms += 1
        weight = self.rounded(self.state["n.norm" if self.norms == 1 else f"n.norm{self.norms}"])
        return _rms_norm(self.state[name], self.work.norm_eps) * weight

    def norm(self) -> None:
        self.give("xn.f32", self.normed("x"))

    def post_norm(self) -> None:
        self.give("x", (self.state["x"] + self.normed("y")).contiguous())

    def qkv(self) -> None:
        from tinygrad import Tensor

        parts = []
        for table, weights in self.tables("qkv"):
            y = _linear(weights, self.state["xn.f32"])
            if self.work.qkv_bias:
                y = y + self.rounded(self.state[f"b.{table.role}"])
            parts.append(y)
        self.give("qkv", Tensor.cat(*parts))

    def rope_store(self) -> None:
        from tinygrad import Tensor, dtypes

        w, pos = self.work, self.position()
        h, kv, hd = w.heads, w.kv_heads, w.head_dim
        heads = self.state["qkv"].reshape(h + 2 * kv, hd)
        row = self.state["rope"].reshape(w.context, w.rope_dim)[pos]
        q = self._rotate(heads[:h], row, "n.attn_q_norm")
        k = self._rotate(heads[h : h + kv], row, "n.attn_k_norm")
        self.give("q", q.reshape(-1))
        new = Tensor.stack(k, heads[h + kv :]).cast(dtypes.half).reshape(2, kv, 1, hd)
        cache = self.state["cache"].reshape(2, kv, w.context, hd)
        cache = Tensor.cat(cache[:, :, :pos], new, cache[:, :, pos + 1 :], dim=2)
        self.give("cache", cache.contiguous().reshape(-1))

    def _rotate(self, heads: Any, row: Any, norm: str) -> Any:
        from tinygrad import Tensor

        w = self.work
        half = w.rope_dim // 2
        if w.qk_norm:
            heads = _rms_norm(heads, w.norm_eps) * self.rounded(self.state[norm])
        pairs = heads[:, : w.rope_dim]
        if w.rope_interleaved:
            pairs = pairs.reshape(-1, half, 2).transpose(1, 2).reshape(-1, w.rope_dim)
        x, y = pairs[:, :half], pairs[:, half:]
        cos, sin = row[:half], row[half:]
        return Tensor.cat(x * cos - y * sin, y * cos + x * sin, heads[:, w.rope_dim :], dim=-1)

    def attention(self) -> None:
        w = self.work
        live = self.position() + 1
        cache = self.state["cache"].reshape(2, 1, w.kv_heads, w.context, w.head_dim)
        q = self.state["q"].reshape(1, w.heads, 1, w.head_dim)
        first = max(0, live - w.window) if w.window else 0
        k, v = cache[0, :, :, first:live], cache[1, :, :, first:live]
        out = q.scaled_dot_product_attention(k, v, enable_gqa=True)
        self.give("att.f32", out.reshape(-1))

    def o(self) -> None:
        self._joined("o", "att.f32")

    def gate_up(self) -> None:
        (_, gate), (_, up) = self.tables("gate_up")
        x = self.state["xn.f32"]
        gated = _linear(gate, x)
        gated = gated.gelu() if self.work.gate == "gelu" else gated.silu()
        self.give("act.f32", gated.contiguous() * _linear(up, x))

    def down(self) -> None:
        self._joined("down", "act.f32")

    def _joined(self, op: str, activation: str) -> None:
        """Onto the residual stream, or by itself where a post_norm does that."""
        ((_, weights),) = self.tables(op)
        y = _linear(weights, self.state[activation])
        if self.work.post_norms:
            self.give("y", y.contiguous())
        else:
            x = self.state["x"] + y
            self.give("x", x.contiguous() if op == "down" else x)

    def head(self) -> None:
        ((_, weights),) = self.tables("head")
        self.give("logits", _linear(weights, self.state["xn.f32"]))

    def argmax(self) -> None:
        from tinygrad import Tensor, dtypes

        place = self.position() + 1
        ids = self.state["ids"]
        best = self.state["logits"].argmax().cast(dtypes.int32).reshape(1)
        forced = ids[place : place + 1]
        token = (forced < 0).where(best, forced)
        self.give("tok", token)
        self.give("pos", self.state["pos"] + 1)
        self.give("ids", Tensor.cat(ids[:place], token, ids[place + 1 :]))


def _weights(table: Table, raw: Any) -> Any:
    """Lazily dequantised (rows, cols), as `tinygrad.llm.gguf` does it from the file's bytes."""
    from tinygrad.llm.gguf import ggml_data_to_tensor

    kind = formats()[table.format].ggml_type
    return ggml_data_to_tensor(raw, table.rows * table.cols, kind).reshape(table.rows, table.cols)


def _linear(weights: Any, x: Any) -> Any:
    return x.reshape(1, -1).linear(weights.transpose()).reshape(-1)


def _rms_norm(x: Any, eps: float) -> Any:
    return x * (x.square().mean(axis=-1, keepdim=True) + eps).rsqrt()
