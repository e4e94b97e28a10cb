"""Every span as plain Tensor expressions, the way tinygrad.llm computes it: the first incumbent.

Takes named tensors, gives named lazy tensors. Never decides a schedule.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from boltbeam.emit.core import Buf, norm_name, shared_buffers, stream
from boltbeam.models.plan import NORMS, TABLES
from boltbeam.registry import formats
from boltbeam.types import Table, WorkItem


def deployed(
    work: WorkItem, tensors: Mapping[str, Any], half: bool = True, position: Any = None
) -> dict[str, tuple[Any, ...]]:
    """What realising does the span's work and no more: its last op's outputs, and its state.

    By buffer name, each in the tensors that its parts are in. `tensors` hold buffers as in
    `reference.run`, on one device; `pos` and `tok` are tensors of one int32. `cache` is the given
    buffer, stored in place when what is given back for it is realised: no copy of it may be asked
    for. `half`: weights, norms and biases are rounded to half after unpacking, as HALF=1 does.

    `position`: a bound Variable in place of what `pos` holds, as tinygrad.llm decodes; without one
    `pos` is read on the host. The next position and the list of ids tinygrad.llm keeps on the host,
    so here they are nobody's work.

    Values that only the span itself reads are left to tinygrad's schedule, as in its own model; q,
    k and v stay three tensors.
    """
    token = _Token(work, dict(tensors), half)
    token.host_position = position
    for op in work.ops:
        getattr(token, op)()
    last = work.ops[-1]
    named = {n: t for n, t in token.outputs.items() if n in writes(work, last) or n in STATE}
    made: dict[str, tuple[Any, ...]] = {}
    if "cache" in named:
        made["cache"] = (named.pop("cache"),)  # a copy would not be in place
    if "qkv" in named:
        del named["qkv"]
        made["qkv"] = tuple(t.contiguous() for t in token.projections)
    return made | {n: (t.contiguous(),) for n, t in named.items()}


STATE = frozenset({"x", "cache", "tok"})
"""Buffers that outlive any span and that tinygrad.llm keeps on the device."""
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
    "o": ("x",),
    "down": ("x",),
    "argmax": ("tok",),
    "post_norm": ("x",),
}
"""Buffers that later ops of the same span then find ready."""


def reads(work: WorkItem, op: str) -> tuple[str, ...]:
    """READS of an op of this work item; where a post_norm follows, `o` leaves x alone."""
    return READS[op][:1] if work.post_norms and op in ("o", "down") else READS[op]


def writes(work: WorkItem, op: str) -> tuple[str, ...]:
    """WRITES of an op of this work item."""
    return (stream(work),) if op in ("o", "down") else WRITES[op]


def takes(work: WorkItem) -> tuple[Buf, ...]:
    """The buffers `deployed` must be given for a span; packed tables as bytes."""
    sizes = shared_buffers(work) | _activations(work)
    names: dict[str, Buf] = {}
    made: set[str] = set()
    norms = 0
    for op in work.ops:
        wanted = [sizes[n] for n in reads(work, op) if n not in made]
        for table in (t for t in work.tables if t.role in TABLES.get(op, ())):
            size = formats()[table.format].bytes_for(table.rows * table.cols)
            wanted.append(Buf(f"w.{table.role}", size, "u8"))
            if op == "qkv" and work.qkv_bias:
                wanted.append(Buf(f"b.{table.role}", table.rows, "f32"))
        if op in NORMS:
            norms += 1
            wanted.append(Buf(norm_name(norms), work.d_model, "f32"))
        if op == "rope_store" and work.qk_norm:
            wanted += [sizes["n.attn_q_norm"], sizes["n.attn_k_norm"]]
        names |= {b.name: b for b in wanted}
        made |= set(writes(work, op))
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
        self.projections: list[Any] = []
        self.host_position: Any = None

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

    def position(self) -> Any:
        given = self.host_position
        return int(self.state["pos"].item()) if given is None else given

    def embed(self) -> None:
        from tinygrad import Tensor

        ((table, weights),) = self.tables("embed")
        token = self.state["tok"].reshape(1, 1)
        chosen = Tensor.arange(table.rows) == token
        row = chosen.unsqueeze(-1).where(weights, 0).sum(-2, dtype=weights.dtype)  # nn.Embedding
        row = row.float().reshape(-1)
        row = row if self.work.embed_scale == 1.0 else row * self.work.embed_scale
        self.give("x", row.contiguous())

    def normed(self, name: str) -> Any:
        self.norms += 1
        weight = self.rounded(self.state[norm_name(self.norms)])
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
        self.projections = parts
        self.give("qkv", Tensor.cat(*parts))

    def rope_store(self) -> None:
        from tinygrad import Tensor, dtypes

        w, pos = self.work, self.position()
        kv, hd = w.kv_heads, w.head_dim
        q, k, v = (p.reshape(-1, hd) for p in self.projections or self._given_projections())
        row = self.state["rope"].reshape(w.context, w.rope_dim)[pos : pos + 1].reshape(-1)
        q, k = self._rotate(q, row, "n.attn_q_norm"), self._rotate(k, row, "n.attn_k_norm")
        self.give("q", q.reshape(-1))
        new = Tensor.stack(k, v).cast(dtypes.half).reshape(2, 1, kv, 1, hd)
        cache = self.state["cache"].reshape(2, 1, kv, w.context, hd)
        store = cache[:, :, :, pos : pos + 1].uop.store(new.uop)
        self.give("cache", Tensor(cache.uop.after(store)).reshape(-1))

    def _given_projections(self) -> list[Any]:
        w = self.work
        h, kv = w.heads * w.head_dim, w.kv_heads * w.head_dim
        qkv = self.state["qkv"]
        return [qkv[:h], qkv[h : h + kv], qkv[h + kv :]]

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
        from tinygrad import Tensor

        w = self.work
        live = self.position() + 1
        cache = self.state["cache"].reshape(2, 1, w.kv_heads, w.context, w.head_dim)
        q = self.state["q"].reshape(1, w.heads, 1, w.head_dim)
        k, v = cache[0, :, :, :live], cache[1, :, :, :live]
        mask = None
        if w.window:
            never = Tensor.full((1, 1, 1, live), float("-inf"), dtype=q.dtype, buffer=False)
            mask = never.tril(live - 1 - w.window)
        out = q.scaled_dot_product_attention(k, v, attn_mask=mask, enable_gqa=True)
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
        from tinygrad import dtypes

        place = self.position() + 1
        ids = self.state["ids"]
        best = self.state["logits"].argmax().cast(dtypes.int32).reshape(1)
        forced = ids[place : place + 1]
        token = (forced < 0).where(best, forced)
        self.give("tok", token)


def _weights(table: Table, raw: Any) -> Any:
    """Lazily dequantised (rows, cols), as `tinygrad.llm.gguf` does it from the file's bytes."""
    from tinygrad.llm.gguf import ggml_data_to_tensor

    kind = formats()[table.format].ggml_type
    return ggml_data_to_tensor(raw, table.rows * table.cols, kind).reshape(table.rows, table.cols)


def _linear(weights: Any, x: Any) -> Any:
    return x.reshape(1, -1).linear(weights.transpose()).reshape(-1)


def _rms_norm(x: Any, eps: float) -> Any:
    return x * (x.square().mean(axis=-1, keepdim=True) + eps).rsqrt()
