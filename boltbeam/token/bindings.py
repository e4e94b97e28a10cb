"""Which tensor stands behind each buffer name of a launch, for a loaded model.

Takes a Buf and the steps its launch covers, gives a key and a tensor. Never copies what stock holds
in the same form already: weights, KV cache and RoPE table are the model's own.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from boltbeam.emit import core, planes
from boltbeam.emit.core import Buf
from boltbeam.models import plan as token_plan
from boltbeam.seam import tinygrad_adapter as tg
from boltbeam.seam import tinygrad_model, tinygrad_weights
from boltbeam.types import ModelFacts, Part, Step


class Unbound(Exception):
    """A launch names a buffer that this model has no value for."""


class Binder:
    """Finds the tensor behind every buffer name of a launch; each is made once.

    Keys say whose buffer it is: `cache@3`, `rope@10000` (RoPE's base), `w:blk.3.attn_q.weight:u8`,
    `t.part:64:f32`, `x`.
    """

    def __init__(
        self, facts: ModelFacts, files: Sequence[Path], model: Any, device: str, context: int
    ) -> None:
        self.facts, self.files, self.model = facts, files, model
        self.device, self.context = device, context
        self.tensors: dict[str, Any] = {}
        self.held = tinygrad_weights.hold(model, facts, files)
        self.copies: dict[str, int] = {}
        """Bytes of weights that stock does not share, by name."""

    def key(self, buf: Buf, span: Sequence[Step]) -> str:
        """Bind a buffer of a launch that covers `span`. Raises Unbound."""
        kind, _, role = buf.name.partition(".")
        if kind == "w":
            part = self.part(role, _layer_of(span, role))
            return self._add(f"w:{part.name}:{buf.dtype}", buf, lambda: self.weight(part, buf))
        if kind in ("n", "b"):
            part = self.part(*_vector_of(span, kind, role))
            return self._add(f"{kind}:{part.name}", buf, lambda: self.vector(part))
        if buf.name == "cache":
            layer = _layer(span, ("rope_store", "attention"))
            find = tinygrad_model.cache_bits if buf.dtype == "h16" else tinygrad_model.cache_tensor
            return self._add(f"cache@{layer}", buf, lambda: find(self.model, layer))
        if buf.name == "rope":
            layer = _layer(span, ("rope_store",))
            key = f"rope@{self.facts.theta_of(layer):g}"
            return self._add(key, buf, lambda: self.rope(layer))
        key = f"{buf.name}:{buf.size}:{buf.dtype}" if kind == "t" else buf.name
        return self._add(key, buf, lambda: tg.empty(buf, self.device))

    def _add(self, key: str, buf: Buf, make: Callable[[], Any]) -> str:
        if key not in self.tensors:
            self.tensors[key] = make()
        have = self.tensors[key]
        if have.numel() != buf.size or have.dtype != core.dtype(buf.dtype):
            raise Unbound(
                f"{buf.name} wants {buf.size} {buf.dtype}, {key} has {have.numel()} {have.dtype}"
            )
        return key

    def part(self, role: str, layer: int | None) -> Part:
        """The file's tensor for a role; a tied head reads the embedding."""
        if role == "output" and self.facts.tied_head:
            role = "token_embd"
        part = self.facts.part(role, layer)
        if part is None:
            raise Unbound(f"the file has no {role}" + ("" if layer is None else f" in blk.{layer}"))
        return part

    def rope(self, layer: int) -> Any:
        """Stock's own table of a layer, so that both turn by the same angles."""
        return tinygrad_model.rope_tensor(self.model, layer)

    def weight(self, part: Part, buf: Buf) -> Any:
        """The raw blocks of a table: stock's own memory; or a copy in planes."""
        if buf.dtype.startswith(planes.PREFIX):
            self.copies[f"{part.name} {buf.dtype}"] = part.bytes
            made = planes.repacked(buf.dtype, self._bytes(part))
            return tg.upload(made.view(np.uint32), self.device)
        if part.name in self.held:
            return tg.viewed(self.held[part.name], buf.dtype)
        self.copies[f"{part.name} {buf.dtype}"] = part.bytes
        return tg.upload(self._bytes(part).view(tg.NUMPY[buf.dtype]), self.device)

    def vector(self, part: Part) -> Any:
        """A norm weight or bias as f32."""
        kinds: dict[str, Any] = {"F32": np.float32, "F16": np.float16}
        if part.format not in kinds:
            raise Unbound(f"{part.name} is {part.format}, expected F32 or F16")
        if part.format == "F32" and part.name in self.held:
            return tg.viewed(self.held[part.name], "f32")
        return tg.upload(self._bytes(part).view(kinds[part.format]).astype(np.float32), self.device)

    def _bytes(self, part: Part) -> NDArray[np.uint8]:
        return tg.file_bytes(self.files[part.file], part.offset, part.bytes)


def _layer(span: Sequence[Step], ops: Sequence[str]) -> int:
    layers = {s.layer for s in span if s.op in ops and s.layer is not None}
    if len(layers) != 1:
        raise Unbound(f"{'/'.join(ops)} of {len(layers)} layers in one span")
    return layers.pop()


def _layer_of(span: Sequence[Step], role: str) -> int | None:
    """Layer of the step that reads a table."""
    layers = [s.layer for s in span if role in token_plan.TABLES.get(s.op, ())]
    if len(set(layers)) != 1:
        raise Unbound(f"w.{role} is read by {len(set(layers))} layers of one span")
    return layers[0]


def _vector_of(span: Sequence[Step], kind: str, name: str) -> tuple[str, int | None]:
    """Role and layer of a norm weight or bias: `n.norm2` is the second norm of the span."""
    if kind == "b":
        return f"{name}.bias", _layer_of(span, name)
    if name in ("attn_q_norm", "attn_k_norm"):
        return name, _layer(span, ("qkv", "rope_store"))
    norms = [s for s in span if s.op in token_plan.NORMS]
    index = int(name.removeprefix("norm") or 1) - 1
    if index >= len(norms):
        raise Unbound(f"n.{name} in a span of {len(norms)} norms")
    return str(norms[index].norm), norms[index].layer
