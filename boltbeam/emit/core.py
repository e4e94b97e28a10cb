"""What an emitter gives: launches over named buffers. The one place that knows buffer names.

Takes a work item and the device it is for, gives Launch values. Never runs anything.

Buffer names are the token's namespace, so the numeric check (which fills them with random data) and
the decode plan (which binds them to the model) read the same launch:

| name | type, elements | meaning |
|---|---|---|
| tok, pos | i32, 1 | token id to embed; its position |
| ids | i32, context+1 | ids[p] is the token at p; -1: not decided yet |
| x | f32, d_model | residual stream, updated in place by `o` and `down`, or by `post_norm` |
| y | f32, d_model | what `o` and `down` give where a post_norm follows |
| xn.*, att.*, act.* | | activation after norm / attention / gate_up, in an interface |
| *.f32, *.s32 | f32, n; f32, n/32 | values; sums of each 32 of them |
| *.q8, *.d, *.s16 | u32, n/4; f32, n/32; f32, n/16 | int8 words; scale per 32; scale × sum per 16 |
| xw.* | | x · norm weight, what xn is before it is divided by rms(x): xw.q8, xw.d, xw.s16 |
| xw.sq32 | f32, n/32 | sum of x² of each 32 |
| qkv | f32, (H+2·KV)·hd | raw projections: q heads, then k, then v |
| q | f32, H·hd | after qk-norm and RoPE, half-split layout |
| cache | f16 (or h16), 2·KV·context·hd | stock's cache_kv: [k\\|v][kv head][position][dim] |
| rope | f32, context·rope_dim | row p: cos (rope_dim/2), then sin |
| w.ROLE | raw GGUF blocks | one packed table |
| n.ROLE, b.ROLE | f32 | norm weights (n.norm is a span's first, n.norm2 its second), biases |
| logits | f32, vocab | |
| best.v, best.i | f32 / i32 | partial maxima of the head, where a route makes them |
| t.NAME | any | scratch between launches of one emitter call |
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import Any

from boltbeam.emit.planes import PREFIX
from boltbeam.types import UNSCALED, ChipFacts, WorkItem


@dataclass(frozen=True)
class Buf:
    """A named buffer: `size` elements of `dtype`."""

    name: str
    size: int
    dtype: str
    """f32, f16, h16, i32, u32, u16, u8 or i8, or `planes.FORMAT`: u32 words of a table that was put
    into another order (emit.planes). `h16` is a f16 that kernels see as its 16 bits: on
    devices without halves tinygrad's stand-in flushes subnormal ones in every load and store."""


def norm_name(n: int) -> str:
    """Buffer of the nth norm weight of a span, from 1."""
    return "n.norm" if n == 1 else f"n.norm{n}"


def stream(work: WorkItem) -> str:
    """Where `o` and `down` leave their result: on the residual stream, or for a post_norm."""
    return "y" if work.post_norms else "x"


@dataclass(frozen=True)
class Launch:
    """One kernel. `build` gets one UOp placeholder per buffer (outs, then ins) and returns a SINK.

    A buffer that is read and written stands in `outs` only. Every buffer must be used: an argument
    that a kernel does not use corrupts replays of a CUDA graph.
    """

    name: str
    outs: tuple[Buf, ...]
    ins: tuple[Buf, ...]
    build: Callable[..., Any]


@dataclass(frozen=True)
class Target:
    """Where a kernel shall run: tinygrad's device and the chip's facts."""

    device: str
    chip: ChipFacts

    @property
    def shuffle(self) -> bool:
        return bool(self.chip.get("shuffle"))

    @property
    def dot4(self) -> bool:
        return bool(self.chip.get("dot4"))

    @property
    def dependent(self) -> bool:
        """Whether kernels wait for the one before them by themselves (emit.dependent)."""
        return bool(self.chip.get("dependent_launch"))

    @property
    def exact_half(self) -> bool:
        """False where 16-bit floats flush subnormals: convert scales with integers there."""
        return bool(self.chip.get("half"))


def steepness(gate: Any, kind: str) -> Any:
    """s(g) in g / (1 + exp(-s)): g for silu; for gelu by tanh 2·sqrt(2/pi)·(g + 0.044715 g³)."""
    if kind == "silu":
        return gate
    twice = 2 * math.sqrt(2 / math.pi)
    return gate * (gate * gate * (twice * 0.044715) + twice)


def activation_of(op: str) -> str:
    """Prefix of the activation that `op` takes (or gives, for norm, attention and gate_up)."""
    return {
        "norm": "xn",
        "qkv": "xn",
        "gate_up": "xn",
        "head": "xn",
        "attention": "att",
        "o": "att",
    }.get(op, "act")


def activation(prefix: str, n: int, interface: str) -> tuple[Buf, ...]:
    """The buffers of an activation of n values; what is not scaled yet has names of its own."""
    if interface == UNSCALED:
        return *activation("xw", n, "q8"), Buf("xw.sq32", n // 32, "f32")
    if interface == "f32":
        return Buf(f"{prefix}.f32", n, "f32"), Buf(f"{prefix}.s32", n // 32, "f32")
    return (
        Buf(f"{prefix}.q8", n // 4, "u32"),
        Buf(f"{prefix}.d", n // 32, "f32"),
        Buf(f"{prefix}.s16", n // 16, "f32"),
    )


def shared_buffers(work: WorkItem, exact_half: bool = True) -> dict[str, Buf]:
    """Buffers whose size follows from the work item alone, by name."""
    h, kv, hd = work.heads, work.kv_heads, work.head_dim
    bufs = [
        Buf("tok", 1, "i32"),
        Buf("pos", 1, "i32"),
        Buf("ids", work.context + 1, "i32"),
        Buf("x", work.d_model, "f32"),
        Buf("y", work.d_model, "f32"),
        Buf("qkv", (h + 2 * kv) * hd, "f32"),
        Buf("q", h * hd, "f32"),
        Buf("cache", 2 * kv * work.context * hd, "f16" if exact_half else "h16"),
        Buf("rope", work.context * work.rope_dim, "f32"),
        Buf("logits", work.vocab, "f32"),
        Buf("n.norm", work.d_model, "f32"),
        Buf("n.attn_q_norm", hd, "f32"),
        Buf("n.attn_k_norm", hd, "f32"),
    ]
    return {b.name: b for b in bufs}


@cache
def dtype(name: str) -> Any:
    """tinygrad's dtype of a Buf dtype name."""
    from tinygrad import dtypes

    if name.startswith(PREFIX):
        return dtypes.uint32
    return {
        "f32": dtypes.float32,
        "f16": dtypes.half,
        "h16": dtypes.uint16,
        "i32": dtypes.int32,
        "u32": dtypes.uint32,
        "u16": dtypes.uint16,
        "u8": dtypes.uint8,
        "i8": dtypes.int8,
    }[name]
