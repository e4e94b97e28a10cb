"""Flash decode in the lanes form: splits of the context side by side, then a merge.

Takes an attention work item (or rope_store+attention), gives two launches. A workgroup owns one kv
head and one split; it walks over its live positions in tiles with a running maximum, so local
memory does not grow with the context. Fused, the new token starts the running sums from registers,
rounded to half as the cache will hold it, and the workgroup that owns `pos` writes the cache.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import reduce
from typing import Any

from tinygrad.uop.ops import UOp

from boltbeam.emit.core import Buf, Launch, Target, activation, shared_buffers
from boltbeam.emit.halves import half_bits, half_value
from boltbeam.emit.lanes_core import (
    F16,
    F32,
    LOWEST,
    U16,
    Kernel,
    Quad,
    activation_from,
    add,
    build_launch,
    clamp,
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
from boltbeam.types import Geometry, Route, WorkItem

TILE = 32
"""Positions of one step, at least where the context has them."""


@dataclass(frozen=True)
class Plan:
    """How the threads of a workgroup are used, three times over."""

    rep: int
    """q heads per kv head."""
    hd: int
    context: int
    splits: int
    threads: int
    parts: int
    """Scores: threads that share a position."""
    per_head: int
    """Softmax: threads that share a head."""
    dims: int
    """Values: dimensions per thread."""
    teams: int
    """Values: threads that share a dimension."""

    @classmethod
    def of(cls, work: WorkItem, geometry: Geometry) -> Plan:
        rep, hd = work.heads // work.kv_heads, work.head_dim
        threads, splits = geometry.get("threads", 64), geometry.get("split", 1)
        if threads & (threads - 1) or threads < rep or threads < 32:
            raise refuse(
                "attention", f"threads={threads} is no power of two from 32 that serves {rep} heads"
            )
        if work.context % splits or hd % 4:
            raise refuse("attention", f"context {work.context} in {splits} splits, heads of {hd}")
        parts = max(1, min(threads // min(TILE, work.context // splits), 32))
        while hd % (4 * parts):
            parts //= 2
        per_head = min(32, 1 << ((threads // rep).bit_length() - 1))
        return cls(
            rep,
            hd,
            work.context,
            splits,
            threads,
            parts,
            per_head,
            -(-hd // threads),
            max(1, threads // hd),
        )

    @property
    def size(self) -> int:
        """Positions of one split."""
        return self.context // self.splits

    @property
    def tile(self) -> int:
        return self.threads // self.parts


def _walk(
    c: Kernel, p: Plan, named: dict[str, Any], q: Any, start: Any, live: Any, new: Any, kv: Any
) -> tuple[Any, Any, list[list[Any]]]:
    """(maximum, sum) of this thread's softmax head, weighted values [head][dim] of all heads.

    `live` cached positions from `start` on; `new`: (owns, scores, values) of the token itself.
    """
    cache, kv_heads = named["cache"], named["cache"].shape[0] // (2 * p.context * p.hd)
    head = (c.tid // p.per_head) % p.rep
    first: list[Any] = [LOWEST, 0.0] + [0.0] * (p.rep * p.dims)
    if new is not None:
        owns, scores, values = new
        mine = reduce(lambda a, r: head.eq(r).where(scores[r], a), range(1, p.rep), scores[0])
        lead = owns if p.teams == 1 else owns & (c.tid < p.hd)
        zero = const(0.0, F32)
        first = [owns.where(mine, const(LOWEST, F32)), owns.where(const(1.0, F32), zero)]
        first += [lead.where(v, zero) for _ in range(p.rep) for v in values]

    def body(i: Any, state: list[Any]) -> list[Any]:
        at = start + i * p.tile
        left = live - i * p.tile
        scores = _scores(c, p, cache, q, at, left, kv, i)
        top, norm, weights = _softmax(c, p, scores, state[0], state[1], head)
        values = _values(c, p, cache, weights, state[2:], at, left, kv, kv_heads)
        return [top, norm, *values]

    count = 2 + p.rep * p.dims
    regs = c.loop(c.registers(first), count, (live + (p.tile - 1)) // p.tile, body)
    out = [regs[k].load() for k in range(count)]
    return out[0], out[1], [out[2 + r * p.dims : 2 + (r + 1) * p.dims] for r in range(p.rep)]


def _scores(c: Kernel, p: Plan, cache: Any, q: Any, at: Any, left: Any, kv: Any, trip: Any) -> Any:
    """Local memory [head][position of the tile]: scaled scores, LOWEST where nothing is."""
    position, part = c.tid // p.parts, c.tid % p.parts
    row = (kv * p.context + _inside(at + position, p.context)) * p.hd

    def chunk(i: Any, sums: list[Any]) -> list[Any]:
        d = (i * p.parts + part) * 4
        ks = c.halves(cache, row + d, 4)
        rows = [vector(q, d + r * p.hd, 4) for r in range(p.rep)]
        return [
            reduce(add, [a * b for a, b in zip(ks, qs, strict=True)], s)
            for s, qs in zip(sums, rows, strict=True)
        ]

    regs = c.registers([0.0] * p.rep, within=trip)
    regs = c.loop(regs, p.rep, p.hd // (4 * p.parts), chunk)
    sums = [regs[r].load() for r in range(p.rep)]
    sums = c.group_reduce(sums, p.parts, add)
    ok, low = position < left, const(LOWEST, F32)
    return c.share(
        p.rep * p.tile,
        lambda s: [
            s[position + r * p.tile].store(ok.where(v * p.hd**-0.5, low))
            for r, v in enumerate(sums)
        ],
    )


def _softmax(
    c: Kernel, p: Plan, scores: Any, top: Any, norm: Any, head: Any
) -> tuple[Any, Any, Any]:
    """New (maximum, sum) and local memory [head][tile weights, then the factor for old sums]."""
    lane, low = c.tid % p.per_head, const(LOWEST, F32)
    each = -(-p.tile // p.per_head)
    places = [lane + p.per_head * i for i in range(each)]
    fits = p.tile % p.per_head == 0
    oks = [None if fits else x < p.tile for x in places]
    own = [
        scores[head * p.tile + x].load()
        if ok is None
        else ok.where(scores[head * p.tile + ok.where(x, UOp.const(0))].load(), low)
        for x, ok in zip(places, oks, strict=True)
    ]
    peak = c.group_reduce([reduce(larger, own)], p.per_head, larger)[0].maximum(top)
    weights = [(s > LOWEST / 2).where(exp(s - peak), const(0.0, F32)) for s in own]
    part = c.group_reduce([total(weights)], p.per_head, add)[0]
    old = exp(top - peak)
    row = head * (p.tile + 1)
    held = c.share(
        p.rep * (p.tile + 1),
        lambda s: [
            *(
                s[(row + x) if ok is None else (row + x).valid(ok)].store(w)
                for x, ok, w in zip(places, oks, weights, strict=True)
            ),
            s[(row + p.tile).valid(lane.eq(0))].store(old),
        ],
    )
    return peak, norm * old + part, held


def _values(
    c: Kernel,
    p: Plan,
    cache: Any,
    weights: Any,
    old: list[Any],
    at: Any,
    left: Any,
    kv: Any,
    kv_heads: int,
) -> list[Any]:
    """Weighted values [head][dim] after the tile."""
    dims, team = _own_dims(c, p)
    olds = [weights[UOp.const(r * (p.tile + 1) + p.tile)].load() for r in range(p.rep)]
    each = -(-p.tile // p.teams)
    step = next(k for k in (8, 4, 2, 1) if each % k == 0)

    def few(i: Any, sums: list[Any]) -> list[Any]:
        for j in range(step):
            position = (i * step + j) * p.teams + team
            ok = position < left
            if p.teams > 1:
                ok = ok & (team < p.teams) & (position < p.tile)
            row = ((kv + kv_heads) * p.context + _inside(at + position, p.context)) * p.hd
            slot = _inside(position, p.tile) if p.teams > 1 else position
            xs = [ok.where(c.halves(cache, row + d, 1)[0], const(0.0, F32)) for d in dims]
            for r in range(p.rep):
                w = weights[slot + r * (p.tile + 1)].load()
                for k, x in enumerate(xs):
                    sums[r * p.dims + k] = sums[r * p.dims + k] + w * x
        return sums

    count = len(old)
    regs = c.registers([v * olds[k // p.dims] for k, v in enumerate(old)])
    regs = c.loop(regs, count, each // step, few)
    return [regs[k].load() for k in range(count)]


def _inside(position: Any, context: int) -> Any:
    return (position < context).where(position, UOp.const(0))


def _own_dims(c: Kernel, p: Plan) -> tuple[list[Any], Any]:
    """Dimensions this thread accumulates (clamped), and its team among those that share them."""
    if p.teams > 1 or p.threads >= p.hd:
        return [c.tid % p.hd], c.tid // p.hd
    return [_inside(c.tid + k * p.threads, p.hd) for k in range(p.dims)], UOp.const(0)


def _partials(
    c: Kernel, p: Plan, named: dict[str, Any], kv: Any, split: Any, state: Any
) -> list[Any]:
    """Stores of this split's maximum, sum and weighted values, per q head."""
    top, norm, values = state
    head, lane = (c.tid // p.per_head) % p.rep, c.tid % p.per_head
    one = lane.eq(0) & (c.tid < p.per_head * p.rep)
    at = ((kv * p.rep + head) * p.splits + split).valid(one)
    stores = [named["t.top"][at].store(top), named["t.norm"][at].store(norm)]
    if p.teams > 1:
        held = c.share(
            p.rep * p.threads,
            lambda s: [s[c.tid + r * p.threads].store(v[0]) for r, v in enumerate(values)],
        )
        d = c.tid % p.hd
        values = [
            [total([held[d + (r * p.threads + t * p.hd)].load() for t in range(p.teams)])]
            for r in range(p.rep)
        ]
    for r, per_dim in enumerate(values):
        row = ((kv * p.rep + r) * p.splits + split) * p.hd
        for k, v in enumerate(per_dim):
            d = c.tid + k * p.threads
            stores.append(named["t.out"][(row + d).valid(d < p.hd)].store(v))
    return stores


def merge(
    work: WorkItem,
    most: int,
    gives: str,
    target: Target,
    partials: list[Buf],
    live: Callable[[Any], Any],
) -> Launch:
    """Second launch: the `live(position)` of `most` splits become the attention output, 32 values
    a workgroup."""
    hd = work.head_dim
    n, teams = work.heads * hd, max(1, min(8, most // 4))
    teams = 1 << (teams.bit_length() - 1)
    name = f"attention_merge_{work.heads}x{hd}_{most}_{gives}"

    def kernel(named: dict[str, Any]) -> Any:
        c = Kernel(target, n // 32, 32, teams)
        index = c.gid * 32 + c.lane
        head, d = index // hd, index % hd
        splits = live(scalar(named["pos"]))

        def body(i: Any, state: list[Any]) -> list[Any]:
            s = i * teams + c.group
            ok = s < splits
            row = head * most + ok.where(s, UOp.const(0))
            top = ok.where(named["t.top"][row].load(), const(LOWEST, F32))
            peak = top.maximum(state[0])
            here = (top > LOWEST / 2).where(exp(top - peak), const(0.0, F32))
            old = exp(state[0] - peak)
            out = named["t.out"][row * hd + d].load()
            return [
                peak,
                state[1] * old + here * named["t.norm"][row].load(),
                state[2] * old + here * out,
            ]

        regs = c.loop(c.registers([LOWEST, 0.0, 0.0]), 3, (splits + (teams - 1)) // teams, body)
        value = _across(c, [regs[k].load() for k in range(3)])
        held = c.share(32, lambda s: [s[c.lane.valid(c.group.eq(0))].store(value)])
        quads = [
            Quad(i, [held[i * 4 + k].load() for k in range(4)], ok) for i, ok in quads_of(c, 32)
        ]
        stores = give(c, quads, activation_from(named, "att", gives), c.gid * 8)
        return c.sink(name, stores, 4 * n * (most + 1))

    ins = [*partials, Buf("pos", 1, "i32")]
    return build_launch(name, activation("att", n, gives), ins, kernel)


def _across(c: Kernel, state: list[Any]) -> Any:
    """Value of this lane from all groups of the workgroup."""
    if c.groups == 1:
        return state[2] * state[1].reciprocal()
    held = c.share(
        3 * c.threads, lambda s: [s[c.tid + k * c.threads].store(v) for k, v in enumerate(state)]
    )
    rows = [
        [held[c.lane + (g * c.lanes + k * c.threads)].load() for k in range(3)]
        for g in range(c.groups)
    ]
    peak = reduce(larger, [r[0] for r in rows])
    factors = [exp(r[0] - peak) for r in rows]
    norm = total([r[1] * f for r, f in zip(rows, factors, strict=True)])
    return total([r[2] * f for r, f in zip(rows, factors, strict=True)]) * norm.reciprocal()


def emit(work: WorkItem, route: Route, geometry: Geometry, target: Target) -> tuple[Launch, ...]:
    """Two launches: axes `threads` and `split` of the first; the second follows from them."""
    p = Plan.of(work, geometry)
    n = work.heads * p.hd
    if n % 32:
        raise refuse("attention", f"{work.heads} heads of {p.hd} are no whole blocks of 32")
    partials = [
        Buf("t.out", n * p.splits, "f32"),
        Buf("t.top", work.heads * p.splits, "f32"),
        Buf("t.norm", work.heads * p.splits, "f32"),
    ]
    make: Callable[..., Launch] = _fused if "rope_store" in work.ops else _plain
    first = make(work, p, target, partials)
    return first, merge(
        work, p.splits, route.gives, target, partials, lambda position: position // p.size + 1
    )


def _live(work: WorkItem, p: Plan, start: Any, stop: Any, own: int) -> tuple[Any, Any]:
    """(first position, how many) of the split from `start` on that the token sees before `stop`.

    `own`: 1 where `stop` lies behind the token itself, 0 where it is the token's position.
    """
    if not work.window:
        return start, clamp(stop - start, 0, p.size)
    first = stop - own + 1 - work.window
    begin = (first > start).where(first, start)
    end = (stop < start + p.size).where(stop, start + p.size)
    return begin, (end > begin).where(end - begin, UOp.const(0))


def _name(work: WorkItem, p: Plan, kind: str) -> str:
    window = f"_w{work.window}" if work.window else ""
    return f"{kind}_{work.heads}x{p.hd}_{p.context}{window}_{p.splits}"


def _plain(work: WorkItem, p: Plan, target: Target, partials: list[Buf]) -> Launch:
    name, bufs = _name(work, p, "attention"), shared_buffers(work, target.exact_half)

    def kernel(named: dict[str, Any]) -> Any:
        c = Kernel(target, work.kv_heads * p.splits, 32, p.threads // 32)
        kv, split = c.gid // p.splits, c.gid % p.splits
        size = p.rep * p.hd
        q = c.share(
            size,
            lambda s: [
                s[e.valid(e < size)].store(named["q"][kv * size + _inside(e, size)].load())
                for e in (c.tid + k for k in range(0, size, p.threads))
            ],
        )
        start = split * p.size
        start, live = _live(work, p, start, scalar(named["pos"]) + 1, 1)
        state = _walk(c, p, named, q, start, live, None, kv)
        return c.sink(name, _partials(c, p, named, kv, split, state), work.bytes or 1)

    return build_launch(name, partials, [bufs["q"], bufs["cache"], bufs["pos"]], kernel)


def _fused(work: WorkItem, p: Plan, target: Target, partials: list[Buf]) -> Launch:
    name, bufs = _name(work, p, "rope_attention"), shared_buffers(work, target.exact_half)
    h, hd = work.heads, p.hd

    def kernel(named: dict[str, Any]) -> Any:
        c = Kernel(target, work.kv_heads * p.splits, 32, p.threads // 32)
        kv, split = c.gid // p.splits, c.gid % p.splits
        position, qkv = scalar(named["pos"]), named["qkv"]
        start = split * p.size
        owns = (position >= start) & (position < start + p.size)
        own = elements(c, work, named["rope"], position)
        weights = [loader(named.get(f"n.attn_{k}_norm")) for k in ("q", "k")]
        heads = [((kv * p.rep + r) * hd, weights[0]) for r in range(p.rep)]
        turned = rotated(c, work, qkv, [*heads, ((kv + h) * hd, weights[1])], own)
        k16 = [half_bits(v) for v in turned[-1]]
        ks = [half_value(b) for b in k16]
        held = c.share(
            p.rep * hd,
            lambda s: [
                s[gated(e.d + r * hd, e.ok)].store(v)
                for r, values in enumerate(turned[:-1])
                for e, v in zip(own, values, strict=True)
            ],
        )
        dots = [
            total([_where(e.ok, a * b) for a, b, e in zip(values, ks, own, strict=True)])
            for values in turned[:-1]
        ]
        scores = [s * hd**-0.5 for s in c.workgroup_reduce(dots, add)]
        first_v = (kv + (h + work.kv_heads)) * hd
        dims, _ = _own_dims(c, p)
        values = [half_value(half_bits(qkv[first_v + d].load())) for d in dims]
        begin, live = _live(work, p, start, position, 0)
        state = _walk(c, p, named, held, begin, live, (owns, scores, values), kv)
        stores = _partials(c, p, named, kv, split, state)
        for e, k in zip(own, k16, strict=True):
            ok = owns if e.ok is None else owns & e.ok
            at = (kv * p.context + position) * hd + e.d
            v = half_bits(qkv[first_v + e.d].load())
            for place, bits in ((at, k), (at + work.kv_heads * p.context * hd, v)):
                half = bits.cast(U16)
                half = half.bitcast(F16) if target.exact_half else half
                stores.append(named["cache"][place.valid(ok)].store(half))
        return c.sink(name, stores, work.bytes or 1)

    ins = [bufs["qkv"], bufs["rope"], bufs["pos"], *norm_weights(work)]
    return build_launch(name, [*partials, bufs["cache"]], ins, kernel)


def loader(buf: Any) -> Callable[[Any], Any]:
    return lambda i: buf[i].load()


def gated(index: Any, ok: Any) -> Any:
    return index if ok is None else index.valid(ok)


def _where(ok: Any, value: Any) -> Any:
    return value if ok is None else ok.where(value, const(0.0, F32))
