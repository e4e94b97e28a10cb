"""Attention in which every few lanes stream positions of their own, in the lanes form.

Takes an attention work item (or rope_store+attention), gives two launches. `lanes` neighbours hold
a key together, for all q heads that share it, with a running maximum of their own: each key and
value is read once, no barrier stands in the loop where lanes can shuffle, and positions are dealt
out in turns, so that every workgroup has its share at any length of text. Then the workgroup's
groups meet in local memory, and a second launch merges the splits.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import reduce
from typing import Any

from tinygrad.uop.ops import UOp

from boltbeam.emit.core import Buf, Launch, Target, shared_buffers
from boltbeam.emit.halves import half_bits, half_value
from boltbeam.emit.lanes_attention import gated, loader, merge
from boltbeam.emit.lanes_core import (
    F16,
    F32,
    LOWEST,
    U16,
    Kernel,
    add,
    build_launch,
    const,
    exp,
    larger,
    refuse,
    scalar,
    total,
    vector,
)
from boltbeam.emit.lanes_rope import elements, norm_weights, rotated
from boltbeam.types import Geometry, Route, WorkItem


@dataclass(frozen=True)
class Plan:
    """How the threads of a workgroup share the positions."""

    rep: int
    """q heads per kv head."""
    hd: int
    context: int
    splits: int
    threads: int
    lanes: int
    """Lanes that hold a position together."""
    unroll: int
    """Positions of a group per trip."""
    ahead: int
    """1: the first trip is written out in front, so that its reads precede the token's own k."""

    @classmethod
    def of(cls, work: WorkItem, geometry: Geometry) -> Plan:
        lanes, threads = geometry.get("lanes", 16), geometry.get("threads", 128)
        hd = work.head_dim
        if lanes & (lanes - 1) or lanes > 32 or hd % (4 * lanes) or threads % 32:
            raise refuse("attention", f"heads of {hd} by {lanes} lanes of {threads} threads")
        return cls(
            work.heads // work.kv_heads,
            hd,
            work.context,
            geometry.get("split", 1),
            threads,
            lanes,
            geometry.get("unroll", 1),
            geometry.get("ahead", 0),
        )

    @property
    def size(self) -> int:
        """Dimensions of a lane."""
        return self.hd // self.lanes

    @property
    def groups(self) -> int:
        return self.threads // self.lanes

    @property
    def stride(self) -> int:
        """Positions that all groups of a kv head take side by side."""
        return self.groups * self.splits


@dataclass(frozen=True)
class Place:
    """Where a thread stands."""

    kv: Any
    split: Any
    group: Any
    lane: Any
    begin: Any
    """First cached position that the token sees, and how many it sees."""
    live: Any

    def dims(self, p: Plan) -> list[Any]:
        """First of each four dimensions of this lane."""
        return [(self.lane + j * p.lanes) * 4 for j in range(p.size // 4)]


def seen(work: WorkItem, position: Any, own: int) -> tuple[Any, Any]:
    """(first, how many) cached positions that the token at `position` sees; `own`: itself too."""
    if not work.window:
        return UOp.const(0), position + own
    first = position + 1 - work.window
    begin = (first > 0).where(first, UOp.const(0))
    return begin, position + own - begin


def live_splits(work: WorkItem, p: Plan, position: Any, own: int) -> Any:
    """Splits that hold any position; the first one always does."""
    _, live = seen(work, position, own)
    count = (live + (p.groups - 1)) // p.groups
    count = (count < p.splits).where(count, UOp.const(p.splits))
    return (count > 0).where(count, UOp.const(1))


State = list[Any]
"""Per q head: maximum, sum, then the weighted values of this lane's dimensions."""


def _walk(c: Kernel, p: Plan, at: Place, cache: Any, q: list[list[Any]], state: State) -> State:
    """State of this lane's group after all of its positions."""
    trips = (at.live + (p.stride * p.unroll - 1)) // (p.stride * p.unroll)
    if p.ahead:
        state = _trip(c, p, at, cache, q, UOp.const(0), state, sure=False)
        trips = (trips > 1).where(trips - 1, UOp.const(0))
    regs = c.loop(
        c.registers(state),
        len(state),
        trips,
        lambda i, old: _trip(c, p, at, cache, q, i + p.ahead, old, sure=True),
    )
    return [regs[k].load() for k in range(len(state))]


def _trip(
    c: Kernel,
    p: Plan,
    at: Place,
    cache: Any,
    q: list[list[Any]],
    trip: Any,
    old: State,
    sure: bool,
) -> State:
    """One trip: `unroll` positions. `sure`: there is a cached position, so none reads rubbish."""
    kv_heads = cache.shape[0] // (2 * p.context * p.hd)
    oks, keys, values = [], [], []
    for u in range(p.unroll):
        mine = (trip * p.unroll + u) * p.stride + at.split * p.groups + at.group
        ok = mine < at.live
        row = at.begin + ok.where(mine, UOp.const(0))
        keys.append(_row(c, p, at, cache, at.kv * p.context + row))
        held = _row(c, p, at, cache, (at.kv + kv_heads) * p.context + row)
        values.append(held if sure else [ok.where(v, const(0.0, F32)) for v in held])
        oks.append(ok)
    dots = [total([a * b for a, b in zip(k, h, strict=True)]) for h in q for k in keys]
    dots = c.group_reduce(dots, p.lanes, add)
    out: State = []
    for r in range(p.rep):
        mine_r = dots[r * p.unroll : (r + 1) * p.unroll]
        low = const(LOWEST, F32)
        scores = [ok.where(s * p.hd**-0.5, low) for ok, s in zip(oks, mine_r, strict=True)]
        top, norm, *sums = old[r * (2 + p.size) : (r + 1) * (2 + p.size)]
        peak = reduce(larger, scores).maximum(top)
        weights = [
            ok.where(exp(s - peak), const(0.0, F32)) for ok, s in zip(oks, scores, strict=True)
        ]
        factor = exp(top - peak)
        out += [peak, norm * factor + total(weights)]
        out += [
            reduce(add, [w * v[d] for w, v in zip(weights, values, strict=True)], s * factor)
            for d, s in enumerate(sums)
        ]
    return out


def _row(c: Kernel, p: Plan, at: Place, cache: Any, row: Any) -> list[Any]:
    """This lane's part of a key or value."""
    return [v for d in at.dims(p) for v in c.halves(cache, row * p.hd + d, 4)]


def _empty(p: Plan) -> State:
    return [v for _ in range(p.rep) for v in (LOWEST, 0.0, *[0.0] * p.size)]


def _partials(c: Kernel, p: Plan, named: dict[str, Any], at: Place, state: State) -> list[Any]:
    """Stores of this split: the workgroup's groups, merged through local memory."""
    each = 2 + p.size
    first = at.lane.eq(0)

    def put(rows: Any, ends: Any) -> list[Any]:
        out = []
        for r in range(p.rep):
            top, norm, *sums = state[r * each : (r + 1) * each]
            end = (at.group * p.rep + r) * 2
            out += [ends[end.valid(first)].store(top), ends[(end + 1).valid(first)].store(norm)]
            for j, d in enumerate(at.dims(p)):
                row = (at.group * p.rep + r) * p.hd + d
                out += [rows[row + k].store(sums[4 * j + k]) for k in range(4)]
        return out

    rows, ends = c.local(p.groups * p.rep * p.hd), c.local(p.groups * p.rep * 2)
    done = UOp.group(*put(rows, ends))
    rows, ends = rows.after(done), ends.after(done)
    stores: list[Any] = []
    size = p.rep * p.hd
    for start in range(0, size, p.threads):
        e, ok = c.tid + start, None
        if start + p.threads > size:
            ok = e < size
            e = ok.where(e, UOp.const(0))
        r, d = e // p.hd, e % p.hd
        held = [
            (
                ends[(g * p.rep + r) * 2].load(),
                ends[(g * p.rep + r) * 2 + 1].load(),
                rows[(g * p.rep + r) * p.hd + d].load(),
            )
            for g in range(p.groups)
        ]
        peak = reduce(larger, [t for t, _, _ in held])
        factors = [exp(t - peak) for t, _, _ in held]
        norm = total([n * f for (_, n, _), f in zip(held, factors, strict=True)])
        value = total([v * f for (_, _, v), f in zip(held, factors, strict=True)])
        head = (at.kv * p.rep + r) * p.splits + at.split
        stores.append(named["t.out"][gated(head * p.hd + d, ok)].store(value))
        one = d.eq(0) if ok is None else ok & d.eq(0)
        stores.append(named["t.top"][head.valid(one)].store(peak))
        stores.append(named["t.norm"][head.valid(one)].store(norm))
    return stores


def emit(work: WorkItem, route: Route, geometry: Geometry, target: Target) -> tuple[Launch, ...]:
    """Two launches: axes `lanes`, `threads`, `split`, `unroll` and `ahead` of the first."""
    p = Plan.of(work, geometry)
    n = work.heads * p.hd
    if n % 32:
        raise refuse("attention", f"{work.heads} heads of {p.hd} are no whole blocks of 32")
    partials = [
        Buf("t.out", n * p.splits, "f32"),
        Buf("t.top", work.heads * p.splits, "f32"),
        Buf("t.norm", work.heads * p.splits, "f32"),
    ]
    fused = "rope_store" in work.ops
    window = f"_w{work.window}" if work.window else ""
    name = f"{'rope_' if fused else ''}stream_{work.heads}x{p.hd}_{p.context}{window}_{p.splits}"
    make = _fused if fused else _plain

    def live(position: Any) -> Any:
        return live_splits(work, p, position, 0 if fused else 1)

    first = make(name, work, p, target, partials)
    return first, merge(work, p.splits, route.gives, target, partials, live)


def _place(c: Kernel, work: WorkItem, p: Plan, position: Any, own: int) -> Place:
    begin, live = seen(work, position, own)
    kv, split = c.gid // p.splits, c.gid % p.splits
    return Place(kv, split, c.tid // p.lanes, c.tid % p.lanes, begin, live)


def _plain(name: str, work: WorkItem, p: Plan, target: Target, partials: list[Buf]) -> Launch:
    bufs = shared_buffers(work, target.exact_half)

    def kernel(named: dict[str, Any]) -> Any:
        c = Kernel(target, work.kv_heads * p.splits, 32, p.threads // 32)
        at = _place(c, work, p, scalar(named["pos"]), 1)
        q = [_query(p, at, named["q"], (at.kv * p.rep + r) * p.hd) for r in range(p.rep)]
        state = _walk(c, p, at, named["cache"], q, _constants(_empty(p)))
        return c.sink(name, _partials(c, p, named, at, state), work.bytes or 1)

    return build_launch(name, partials, [bufs["q"], bufs["cache"], bufs["pos"]], kernel)


def _constants(state: State) -> State:
    return [const(v, F32) for v in state]


def _query(p: Plan, at: Place, q: Any, base: Any) -> list[Any]:
    """This lane's part of a q head."""
    return [v for d in at.dims(p) for v in vector(q, base + d, 4)]


def _fused(name: str, work: WorkItem, p: Plan, target: Target, partials: list[Buf]) -> Launch:
    bufs, h, hd = shared_buffers(work, target.exact_half), work.heads, p.hd

    def kernel(named: dict[str, Any]) -> Any:
        c = Kernel(target, work.kv_heads * p.splits, 32, p.threads // 32)
        position, qkv = scalar(named["pos"]), named["qkv"]
        at = _place(c, work, p, position, 0)
        own = elements(c, work, named["rope"], position)
        weights = [loader(named.get(f"n.attn_{k}_norm")) for k in ("q", "k")]
        heads = [((at.kv * p.rep + r) * hd, weights[0]) for r in range(p.rep)]
        turned = rotated(c, work, qkv, [*heads, ((at.kv + h) * hd, weights[1])], own)
        k16 = [half_bits(v) for v in turned[-1]]
        turned[-1] = [half_value(b) for b in k16]
        held = c.share(
            (p.rep + 1) * hd,
            lambda s: [
                s[gated(e.d + r * hd, e.ok)].store(v)
                for r, values in enumerate(turned)
                for e, v in zip(own, values, strict=True)
            ],
        )
        q = [_query(p, at, held, UOp.const(r * hd)) for r in range(p.rep)]
        key = [v for d in at.dims(p) for v in vector(held, d + p.rep * hd, 4)]
        first_v = (at.kv + (h + work.kv_heads)) * hd
        value = [half_value(half_bits(v)) for d in at.dims(p) for v in vector(qkv, first_v + d, 4)]
        state = _first(c, p, at, q, key, value)
        state = _walk(c, p, at, named["cache"], q, state)
        stores = _partials(c, p, named, at, state)
        for e, k in zip(own, k16, strict=True):
            ok = at.split.eq(0) if e.ok is None else at.split.eq(0) & e.ok
            where = (at.kv * p.context + position) * hd + e.d
            v = half_bits(qkv[first_v + e.d].load())
            for place, bits in ((where, k), (where + work.kv_heads * p.context * hd, v)):
                half = bits.cast(U16)
                half = half.bitcast(F16) if target.exact_half else half
                stores.append(named["cache"][place.valid(ok)].store(half))
        return c.sink(name, stores, work.bytes or 1)

    ins = [bufs["qkv"], bufs["rope"], bufs["pos"], *norm_weights(work)]
    return build_launch(name, [*partials, bufs["cache"]], ins, kernel)


def _first(
    c: Kernel, p: Plan, at: Place, q: list[list[Any]], key: list[Any], value: list[Any]
) -> State:
    """The token itself, in one group of the first split; nothing elsewhere."""
    scores = [total([a * b for a, b in zip(key, h, strict=True)]) for h in q]
    scores = c.group_reduce(scores, p.lanes, add)
    mine = at.split.eq(0) & at.group.eq(0)
    out: State = []
    for s in scores:
        pairs = [(s * p.hd**-0.5, LOWEST), (const(1.0, F32), 0.0), *((v, 0.0) for v in value)]
        out += [mine.where(here, const(there, F32)) for here, there in pairs]
    return out
