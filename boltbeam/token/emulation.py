"""A whole model in float64 over a text: exactly, or with int8 activations. What int8 may cost.

Takes a GGUF of a supported architecture and token ids, gives logits. Layer by layer and all
positions at once, so that only one layer's weights exist in float64. Never touches tinygrad.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from boltbeam.emit import reference
from boltbeam.models import gguf_model
from boltbeam.types import ModelFacts, Part, Table

Array = NDArray[Any]


def logits(path: Path, ids: Sequence[int], quantised: frozenset[str] = frozenset()) -> Array:
    """float64 (len(ids), vocab): what the model says after each id of the text.

    `quantised`: ops (qkv, o, gate_up, down, head) whose activation is rounded to int8 per 32 first.
    Keys and values are rounded to half, as every cache holds them. Raises BoltbeamError for an
    architecture whose decode is not known.
    """
    facts = gguf_model.read(path)
    gguf_model.require_supported(facts)
    model = _Weights(facts, gguf_model.files(path))
    x = model.matrix("token_embd", None, ids) * facts.embed_scale

    def given(op: str, value: Array) -> Array:
        return _rounded(value) if op in quantised else value

    def normed(role: str, layer: int | None, value: Array) -> Array:
        return _rms(value, facts.norm_eps) * model.vector(role, layer)

    def joined(role: str, layer: int, value: Array) -> Array:
        return x + (normed(role, layer, value) if facts.post_norms else value)

    for layer in range(facts.layers):
        h = given("qkv", normed("attn_norm", layer, x))
        mixed = given("o", _attention(model, layer, h)) @ model.matrix("attn_output", layer).T
        x = joined("post_attention_norm", layer, mixed)
        h = given("gate_up", normed("ffn_norm", layer, x))
        act = reference.GATE[facts.gate](h @ model.matrix("ffn_gate", layer).T)
        act = act * (h @ model.matrix("ffn_up", layer).T)
        out = given("down", act) @ model.matrix("ffn_down", layer).T
        x = joined("post_ffw_norm", layer, out)
    h = given("head", normed("output_norm", None, x))
    head = "token_embd" if facts.tied_head else "output"
    pieces = np.array_split(np.arange(facts.vocab), max(1, facts.vocab // 4096))
    return np.concatenate([h @ model.matrix(head, None, rows).T for rows in pieces], axis=1)


class _Weights:
    """Parts of the file, dequantised to float64 when they are asked for."""

    def __init__(self, facts: ModelFacts, files: Sequence[Path]) -> None:
        self.facts = facts
        self.files = [np.memmap(f, dtype=np.uint8, mode="r") for f in files]

    def _raw(self, part: Part) -> Array:
        return np.asarray(self.files[part.file][part.offset : part.offset + part.bytes])

    def part(self, role: str, layer: int | None) -> Part:
        found = self.facts.part(role, layer)
        assert found is not None, role
        return found

    def matrix(self, role: str, layer: int | None, rows: Sequence[int] | Array = ()) -> Array:
        """The whole matrix, or some of its rows."""
        part = self.part(role, layer)
        raw = self._raw(part).reshape(part.rows, -1)
        raw = raw[np.asarray(rows)] if len(rows) else raw
        return reference.dequantise(
            Table(role=role, rows=len(raw), cols=part.cols, format=part.format), raw
        )

    def vector(self, role: str, layer: int | None) -> Array:
        part = self.part(role, layer)
        table = Table(role=role, rows=1, cols=part.cols, format=part.format)
        values: Array = reference.dequantise(table, self._raw(part))[0]
        return values

    def bias(self, role: str, layer: int) -> Array | float:
        return self.vector(f"{role}.bias", layer) if self.facts.qkv_bias else 0.0


def _attention(model: _Weights, layer: int, h: Array) -> Array:
    """Causal attention of all positions: (positions, heads x head_dim)."""
    f, n = model.facts, len(h)
    turns = _turns(f, layer, n)
    q, k, v = (
        (h @ model.matrix(role, layer).T + model.bias(role, layer)).reshape(n, -1, f.head_dim)
        for role in ("attn_q", "attn_k", "attn_v")
    )
    if f.qk_norm:
        q = _rms(q, f.norm_eps) * model.vector("attn_q_norm", layer)
        k = _rms(k, f.norm_eps) * model.vector("attn_k_norm", layer)
    q, k = _turned(f, q, turns), _half(_turned(f, k, turns))
    groups = q.reshape(n, f.kv_heads, -1, f.head_dim)
    scores: Array = np.einsum("nghd,pgd->ghnp", groups, k) * f.head_dim**-0.5
    seen = np.tri(n, dtype=bool)
    if f.is_local(layer):
        seen &= ~np.tri(n, k=-f.window, dtype=bool)
    scores = np.where(seen, scores, -np.inf)
    weights = np.exp(scores - scores.max(axis=-1, keepdims=True))
    weights /= weights.sum(axis=-1, keepdims=True)
    mixed: Array = np.einsum("ghnp,pgd->nghd", weights, _half(v)).reshape(n, -1)
    return mixed


def _turns(facts: ModelFacts, layer: int, n: int) -> tuple[Array, Array]:
    """(cos, sin) of RoPE, each (positions, 1, rope_dim / 2)."""
    half = np.arange(0, facts.rope_dim, 2) / facts.rope_dim
    angle = np.arange(n)[:, None] * facts.theta_of(layer) ** -half
    return np.cos(angle)[:, None], np.sin(angle)[:, None]


def _turned(facts: ModelFacts, heads: Array, turns: tuple[Array, Array]) -> Array:
    """(positions, heads, head_dim) after RoPE, half-split."""
    rd, (cos, sin) = facts.rope_dim, turns
    pairs = heads[..., :rd]
    half = rd // 2
    if facts.rope_interleaved:
        x, y = pairs[..., 0::2], pairs[..., 1::2]
    else:
        x, y = pairs[..., :half], pairs[..., half:]
    return np.concatenate([x * cos - y * sin, y * cos + x * sin, heads[..., rd:]], axis=-1)


def _rms(x: Array, eps: float) -> Array:
    return np.asarray(x / np.sqrt(np.mean(x * x, axis=-1, keepdims=True) + eps))


def _half(x: Array) -> Array:
    return x.astype(np.float16).astype(np.float64)


def _rounded(x: Array) -> Array:
    """int8 per 32 values and back, as every q8 route rounds."""
    words, d, _ = reference.quantise(x.reshape(-1))
    return reference.decode(words, d).reshape(x.shape)
