"""Attention of a short context in one launch: a workgroup for each query head, in the lanes form.

Takes an attention work item (or rope_store+attention), gives one launch. Lane groups stream
positions as in `lanes_stream`, but no other workgroup shares a head, so nothing is left to merge:
the workgroup's groups meet in local memory and the output is written. The keys and values of the
first trip are read from where they would be, before anybody knows the token's position; what is
not there counts nothing.
"""

from __future__ import annotations

from dataclasses import replace
from functools import reduce
from typing import Any

from tinygrad.uop.ops import Ops, UOp

from boltbeam.emit.core import Launch, Target, activation, shared_buffers
from boltbeam.emit.halves import half_bits, half_value
from boltbeam.emit.lanes_attention import gated, loader
from boltbeam.emit.lanes_core import (
    F16,
    F32,
    LOWEST,
    SHUFFLE,
    SIMD,
    U16,
    U32,
    Kernel,
    Quad,
    activation_from,
    add,
    build_launch,
    const,
    exp,
    give,
    larger,
    quads_of,
    refuse,
    scalar,
    total,
    vector,
)
from boltbeam.emit.lanes_rope import elements, norm_weights, rotated
from boltbeam.emit.lanes_stream import Place, Plan, seen
from boltbeam.types import Geometry, Route, WorkItem

State = list[Any]
"""Maximum, sum, then the weighted values of this lane's dimensions."""
Rows = list[tuple[list[Any], list[Any]]]
"""Key and value of each position of a trip: this lane's dimensions, as the cache holds them."""
PARTS = 8
"""Pieces of a row that are summed in straight code; more are summed in a loop."""


def emit(work: WorkItem, route: Route, geometry: Geometry, target: Target) -> tuple[Launch, ...]:
    """One launch: axes `lanes`, `threads` and `unroll`."""
    p = replace(Plan.of(work, geometry), rep=1, splits=1)
    if p.hd % 32 or p.threads < p.hd // 4:
        raise refuse("attention", f"heads of {p.hd} in blocks of 32 by {p.threads} threads")
    if p.stride * p.unroll > p.context:
        raise refuse("attention", f"{p.stride * p.unroll} positions a trip of {p.context}")
    fused = "rope_store" in work.ops
    window = f"_w{work.window}" if work.window else ""
    name = f"{'rope_' if fused else ''}solo_{work.heads}x{p.hd}_{p.context}{window}_{route.gives}"
    make = _fused if fused else _plain
    return (make(name, work, p, target, route.gives),)


def _plain(name: str, work: WorkItem, p: Plan, target: Target, gives: str) -> Launch:
    bufs = shared_buffers(work, target.exact_half)

    def kernel(named: dict[str, Any]) -> Any:
        c = Kernel(target, work.heads, 32, p.threads // 32)
        at = _place(c, work, p, scalar(named["pos"]), 1)
        q = [v for d in at.dims(p) for v in vector(named["q"], c.gid * p.hd + d, 4)]
        empty = [const(v, F32) for v in (LOWEST, 0.0, *[0.0] * p.size)]
        first = _read(c, p, at, named["cache"], UOp.const(0), free=not work.window)
        state = _walk(c, p, at, named["cache"], q, empty, first)
        return c.sink(name, _given(c, p, named, at, state, gives), work.bytes or 1)

    outs = activation("att", work.heads * p.hd, gives)
    return build_launch(name, outs, [bufs["q"], bufs["cache"], bufs["pos"]], kernel)


def _fused(name: str, work: WorkItem, p: Plan, target: Target, gives: str) -> Launch:
    bufs, h, hd = shared_buffers(work, target.exact_half), work.heads, p.hd

    def kernel(named: dict[str, Any]) -> Any:
        c = Kernel(target, h, 32, p.threads // 32)
        position = scalar(named["pos"])
        at = _place(c, work, p, position, 0)
        first = _read(c, p, at, named["cache"], UOp.const(0), free=not work.window)
        # held, so that they are on their way before the barriers of the norm and of RoPE
        kind = F16 if target.exact_half else U16
        held = c.registers([v for pair in first for side in pair for v in side], kind)
        qkv = named["qkv"].after(held)
        own = elements(c, work, named["rope"], position)
        weights = [loader(named.get(f"n.attn_{k}_norm")) for k in ("q", "k")]
        heads = [(c.gid * hd, weights[0]), ((at.kv + h) * hd, weights[1])]
        q_own, k_own = rotated(c, work, qkv, heads, own)
        k16 = [half_bits(v) for v in k_own]
        both = c.share(
            2 * hd,
            lambda s: [
                s[gated(e.d + r * hd, e.ok)].store(v)
                for r, values in enumerate((q_own, [half_value(b) for b in k16]))
                for e, v in zip(own, values, strict=True)
            ],
        )
        q = [v for d in at.dims(p) for v in vector(both, d, 4)]
        key = [v for d in at.dims(p) for v in vector(both, d + hd, 4)]
        first_v = (at.kv + (h + work.kv_heads)) * hd
        value = [half_value(half_bits(v)) for d in at.dims(p) for v in vector(qkv, first_v + d, 4)]
        state = _itself(c, p, at, q, key, value)
        state = _walk(c, p, at, named["cache"], q, state, _held(p, held))
        stores = _given(c, p, named, at, state, gives)
        mine = (c.gid % (h // work.kv_heads)).eq(0)
        for e, k in zip(own, k16, strict=True):
            ok = mine if e.ok is None else mine & e.ok
            where = (at.kv * p.context + position) * hd + e.d
            v = half_bits(qkv[first_v + e.d].load())
            for place, bits in ((where, k), (where + work.kv_heads * p.context * hd, v)):
                half = bits.cast(U16)
                half = half.bitcast(F16) if target.exact_half else half
                stores.append(named["cache"][place.valid(ok)].store(half))
        return c.sink(name, stores, work.bytes or 1)

    ins = [bufs["qkv"], bufs["rope"], bufs["pos"], *norm_weights(work)]
    outs = [*activation("att", h * hd, gives), bufs["cache"]]
    return build_launch(name, outs, ins, kernel)


def _place(c: Kernel, work: WorkItem, p: Plan, position: Any, own: int) -> Place:
    begin, live = seen(work, position, own)
    kv = c.gid // (work.heads // work.kv_heads)
    return Place(kv, UOp.const(0), c.tid // p.lanes, c.tid % p.lanes, begin, live)


def _held(p: Plan, held: Any) -> Rows:
    """What registers with a trip's keys and values hold."""
    flat = [held[k].load() for k in range(2 * p.size * p.unroll)]
    each = [flat[i : i + p.size] for i in range(0, len(flat), p.size)]
    return list(zip(each[::2], each[1::2], strict=True))


# ---- the walk over positions -------------------------------------------------------------------


def _mine(p: Plan, at: Place, trip: Any) -> list[Any]:
    """The group's positions of a trip, counted from the first that the token sees."""
    return [(trip * p.unroll + u) * p.stride + at.group for u in range(p.unroll)]


def _read(c: Kernel, p: Plan, at: Place, cache: Any, trip: Any, free: bool = False) -> Rows:
    """Keys and values of a trip; `free`: of positions that may not be there, at their places."""
    kv_heads = cache.shape[0] // (2 * p.context * p.hd)
    out = []
    for mine in _mine(p, at, trip):
        row = mine if free else at.begin + (mine < at.live).where(mine, UOp.const(0))
        bases = ((at.kv + side * kv_heads) * p.context + row for side in (0, 1))
        key, value = (
            [v for d in at.dims(p) for v in vector(cache, base * p.hd + d, 4)] for base in bases
        )
        out.append((key, value))
    return out


def _floats(c: Kernel, raw: list[Any]) -> list[Any]:
    return [v.cast(F32) if c.target.exact_half else half_value(v.cast(U32)) for v in raw]


def _added(c: Kernel, p: Plan, at: Place, q: list[Any], trip: Any, old: State, rows: Rows) -> State:
    """State after a trip whose keys and values were read."""
    oks = [mine < at.live for mine in _mine(p, at, trip)]
    keys, values = ([_floats(c, pair[side]) for pair in rows] for side in (0, 1))
    dots = [total([a * b for a, b in zip(k, q, strict=True)]) for k in keys]
    dots = c.group_reduce(dots, p.lanes, add)
    low, none = const(LOWEST, F32), const(0.0, F32)
    scores = [ok.where(s * p.hd**-0.5, low) for ok, s in zip(oks, dots, strict=True)]
    top, norm, *sums = old
    peak = reduce(larger, scores).maximum(top)
    weights = [ok.where(exp(s - peak), none) for ok, s in zip(oks, scores, strict=True)]
    factor = exp(top - peak)
    values = [[ok.where(v, none) for v in vs] for ok, vs in zip(oks, values, strict=True)]
    return [
        peak,
        norm * factor + total(weights),
        *(
            reduce(add, [w * v[d] for w, v in zip(weights, values, strict=True)], s * factor)
            for d, s in enumerate(sums)
        ),
    ]


def _walk(
    c: Kernel, p: Plan, at: Place, cache: Any, q: list[Any], state: State, first: Rows
) -> State:
    """State of this lane's group after all of its positions; the first trip was read."""
    state = _added(c, p, at, q, UOp.const(0), state, first)
    beside = p.stride * p.unroll
    if p.context <= beside:
        return state
    more = at.live > beside
    trips = more.where((at.live - 1) // beside, UOp.const(0))
    regs = c.loop(
        c.registers(state),
        len(state),
        trips,
        lambda i, old: _added(c, p, at, q, i + 1, old, _read(c, p, at, cache, i + 1)),
    )
    return [regs[k].load() for k in range(len(state))]


def _itself(c: Kernel, p: Plan, at: Place, q: list[Any], key: list[Any], value: list[Any]) -> State:
    """The token's own position, in the first group; nothing in the others."""
    dot = total([a * b for a, b in zip(key, q, strict=True)])
    (score,) = c.group_reduce([dot], p.lanes, add)
    mine = at.group.eq(0)
    pairs = [(score * p.hd**-0.5, LOWEST), (const(1.0, F32), 0.0), *((v, 0.0) for v in value)]
    return [mine.where(here, const(there, F32)) for here, there in pairs]


# ---- the groups meet ---------------------------------------------------------------------------


def _given(
    c: Kernel, p: Plan, named: dict[str, Any], at: Place, state: State, gives: str
) -> list[Any]:
    """Stores of the head's output: all groups of the workgroup, merged."""
    (peak,) = c.workgroup_reduce(state[:1], larger)
    factor = exp(state[0] - peak)
    sums = [v * factor for v in state[1:]]
    beside = p.lanes
    if c.shuffles:
        sums, beside = [_over_groups(c, v, p.lanes) for v in sums], SIMD
    parts, part = p.threads // beside, c.tid // beside
    leads = (c.tid % beside) < p.lanes

    def put(rows: Any, norms: Any) -> list[Any]:
        out = [norms[part.valid((c.tid % beside).eq(0))].store(sums[0])]
        for j, d in enumerate(at.dims(p)):
            for k in range(4):
                out.append(rows[(part * p.hd + d + k).valid(leads)].store(sums[1 + 4 * j + k]))
        return out

    rows, norms = c.local(parts * p.hd), c.local(parts)
    done = UOp.group(*put(rows, norms))
    rows, norms = rows.after(done), norms.after(done)
    quads = []
    for i, ok in quads_of(c, p.hd):
        norm, *four = _summed(c, p, rows, norms, i, parts)
        quads.append(Quad(i, [v * norm.reciprocal() for v in four], ok))
    return give(c, quads, activation_from(named, "att", gives), c.gid * (p.hd // 4))


def _summed(c: Kernel, p: Plan, rows: Any, norms: Any, quad: Any, parts: int) -> list[Any]:
    """The norm, and four neighbouring sums, over all parts."""
    once = min(PARTS, parts)

    def added(i: Any, old: list[Any]) -> list[Any]:
        at = [i * once + g for g in range(once)]
        each = [[norms[g].load(), *vector(rows, quad * 4 + g * p.hd, 4)] for g in at]
        return [o + total([e[k] for e in each]) for k, o in enumerate(old)]

    zeros = [const(0.0, F32)] * 5
    if parts <= once:
        return added(UOp.const(0), zeros)
    regs = c.loop(c.registers(zeros), 5, parts // once, added)
    return [regs[k].load() for k in range(5)]


def _over_groups(c: Kernel, value: Any, lanes: int) -> Any:
    """Sum over the lane groups of a SIMD group, for each lane of a group its own."""
    off = lanes
    while off < SIMD:
        text = SHUFFLE[c.dialect].format(off=off, swizzle=off << 10 | 0x1F, type="float")
        value = value + UOp(Ops.CUSTOM, F32, src=(value,), arg=text)
        off *= 2
    return value
