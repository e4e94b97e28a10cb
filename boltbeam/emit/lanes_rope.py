"""qk-norm, rotary embedding and the store of k and v, in the lanes form: one workgroup per head.

Takes a rope_store work item, gives one launch. `rotated` is what the fused attention uses too.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from tinygrad.uop.ops import UOp

from boltbeam.emit.core import Buf, Launch, Target, shared_buffers
from boltbeam.emit.lanes_core import F32, Kernel, add, build_launch, const, scalar, total
from boltbeam.types import Geometry, Route, WorkItem


@dataclass(frozen=True)
class Element:
    """One dimension of a head that this thread owns, and its rotation."""

    d: Any
    """Dimension in half-split layout; clamped where `ok` is false."""
    ok: Any
    """None: always."""
    own: Any
    """Where the head's row holds it, and where it holds its partner."""
    partner: Any
    cos: Any
    sin: Any
    """Negative in the first half: value·cos + partner·sin."""


def elements(c: Kernel, work: WorkItem, rope: Any, position: Any) -> list[Element]:
    """The dimensions of a head, spread over the threads of the workgroup."""
    hd, rd = work.head_dim, work.rope_dim
    half, out = rd // 2, []
    for start in range(0, hd, c.threads):
        d, ok = c.tid + start, None
        if start + c.threads > hd:
            ok = d < hd
            d = ok.where(d, UOp.const(0))
        low, turns = d < half, (d < rd if rd < hd else None)
        other = low.where(d + half, d - half)
        pair = low.where(d, d - half)
        if turns is not None:
            other, pair = turns.where(other, d), turns.where(pair, UOp.const(0))
        cos = rope[position * rd + pair].load()
        sin = rope[position * rd + half + pair].load()
        sin = low.where(-sin, sin)
        if turns is not None:
            cos = turns.where(cos, const(1.0, F32))
            sin = turns.where(sin, const(0.0, F32))
        own, partner = (_in_file(work, i) for i in (d, other))
        out.append(Element(d, ok, own, partner, cos, sin))
    return out


def _in_file(work: WorkItem, d: Any) -> Any:
    """Place of half-split dimension d in the file's order of rows."""
    if not work.rope_interleaved:
        return d
    half = work.rope_dim // 2
    place = (d < half).where(d * 2, (d - half) * 2 + 1)
    return place if work.rope_dim == work.head_dim else (d < work.rope_dim).where(place, d)


def rotated(
    c: Kernel,
    work: WorkItem,
    qkv: Any,
    heads: Sequence[tuple[Any, Any]],
    own: Sequence[Element],
) -> list[list[Any]]:
    """Per head (first element in qkv, norm weights or None) the rotated values of `own`."""
    raw = [
        [(qkv[base + e.own].load(), qkv[base + e.partner].load()) for e in own] for base, _ in heads
    ]
    scale: list[Any] = [None] * len(heads)
    if work.qk_norm:
        squares = [
            total(
                [
                    v * v if e.ok is None else e.ok.where(v * v, const(0.0, F32))
                    for (v, _), e in zip(values, own, strict=True)
                ]
            )
            for values in raw
        ]
        means = c.workgroup_reduce(squares, add)
        scale = [(m * (1.0 / work.head_dim) + work.norm_eps).sqrt().reciprocal() for m in means]
    out = []
    for values, inverse, (_, weight) in zip(raw, scale, heads, strict=True):
        turned = []
        for (v, w), e in zip(values, own, strict=True):
            if inverse is not None:
                v, w = v * inverse * weight(e.own), w * inverse * weight(e.partner)
            turned.append(v * e.cos + w * e.sin)
        out.append(turned)
    return out


def norm_weights(work: WorkItem) -> list[Buf]:
    """Arguments that qk-norm needs."""
    bufs = shared_buffers(work)
    return [bufs["n.attn_q_norm"], bufs["n.attn_k_norm"]] if work.qk_norm else []


def emit(work: WorkItem, route: Route, geometry: Geometry, target: Target) -> tuple[Launch, ...]:
    """q, and k and v into the cache at `pos`: axis `threads` per head."""
    threads = geometry.get("threads", min(128, work.head_dim))
    h, kv, hd, context = work.heads, work.kv_heads, work.head_dim, work.context
    bufs = shared_buffers(work, target.exact_half)
    name = f"rope_store_{h}x{hd}_{context}"

    def kernel(named: dict[str, Any]) -> Any:
        c = Kernel(target, h + 2 * kv, min(32, threads), max(1, threads // 32))
        position, qkv = scalar(named["pos"]), named["qkv"]
        is_q, is_v = c.gid < h, c.gid >= h + kv
        weight = None
        if work.qk_norm:
            nq, nk = named["n.attn_q_norm"], named["n.attn_k_norm"]
            weight = lambda i: is_q.where(nq[i].load(), nk[i].load())  # noqa: E731
        own = elements(c, work, named["rope"], position)
        (values,) = rotated(c, work, qkv, [(c.gid * hd, weight)], own)
        place = ((c.gid - h) * context + position) * hd
        stores = []
        for e, value in zip(own, values, strict=True):
            value = is_v.where(qkv[c.gid * hd + e.d].load(), value)
            to_q, to_cache = (k if e.ok is None else k & e.ok for k in (is_q, c.gid >= h))
            stores += [
                named["q"][(c.gid * hd + e.d).valid(to_q)].store(value),
                named["cache"][(place + e.d).valid(to_cache)].store(c.to_half(value)),
            ]
        return c.sink(name, stores, 8 * (h + 2 * kv) * hd)

    ins = [bufs["qkv"], bufs["rope"], bufs["pos"], *norm_weights(work)]
    return (build_launch(name, [bufs["q"], bufs["cache"]], ins, kernel),)
