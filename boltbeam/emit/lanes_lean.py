"""Streaming attention with few instructions behind the wait for the launch before (axis `lean`).

Takes the places, rows and states of `lanes_stream`, gives the same with other arithmetic. A SIMD
group normalises and turns one head, so no barrier stands in front of RoPE. Dot products are added
up by a butterfly in which each lane keeps a part that halves at every step, so that a part of the
lanes weighs each head, and the others get its weights. All lane groups of a SIMD group share their
running maximum, so their states are sums, added up by such a butterfly too. A SIMD group leaves one
state in local memory, and behind one barrier each thread adds up these for elements of one head.

Scores are powers of two: queries are scaled by log2(e) too. Never reads the cache, never waits.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import reduce
from typing import TYPE_CHECKING, Any

from tinygrad.uop.ops import Ops, UOp

from boltbeam.emit.halves import half_bits, half_value
from boltbeam.emit.lanes_attention import gated
from boltbeam.emit.lanes_core import (
    F16,
    F32,
    LOWEST,
    SHUFFLE,
    SIMD,
    U16,
    Kernel,
    Pair,
    add,
    const,
    larger,
    total,
    vector,
)
from boltbeam.types import WorkItem

if TYPE_CHECKING:
    from boltbeam.emit.lanes_stream import Place, Plan

EXP2 = (
    '[](float x) {{ float y; asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x)); return y; }}'
    "({0})"
)
"""As exp2f, but what is below 2^-126 is 0: exp2f is that instruction and three around it."""
ROUNDED = "((float)((half)({0})))"
"""To half and back, which tinygrad leaves out where it sees it."""
RSQRT = "rsqrtf({0})"
LARGER = "fmaxf({0}, {1})"
NOWHERE = 2 * LOWEST
"""Score of a position that is not there: 0 beside an empty state's maximum too, which is LOWEST."""


def _intrinsic(c: Kernel, text: str, *values: Any) -> Any | None:
    return UOp(Ops.CUSTOM, F32, src=values, arg=text) if c.dialect == "CUDA" else None


def _exp2(c: Kernel, x: Any) -> Any:
    made = _intrinsic(c, EXP2, x)
    return x.exp2() if made is None else made


def _rsqrt(c: Kernel, x: Any) -> Any:
    made = _intrinsic(c, RSQRT, x)
    return x.sqrt().reciprocal() if made is None else made


def _larger(c: Kernel) -> Pair:
    def of(a: Any, b: Any) -> Any:
        made = _intrinsic(c, LARGER, a, b)
        return larger(a, b) if made is None else made

    return of


def rounded(c: Kernel, value: Any) -> Any:
    """An f32 as the cache will hold it."""
    made = _intrinsic(c, ROUNDED, value)
    return half_value(half_bits(value)) if made is None else made


def scale(p: Plan) -> float:
    """Of queries, so that exp2 of a score is its weight."""
    return math.log2(math.e) / math.sqrt(p.hd)


def uneven(sums: int) -> int:
    """What is left over where the lanes of a SIMD group share a key's sums; it must be 0."""
    return sums % SIMD


# ---- heads -------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Turn:
    """Two dimensions of a head that RoPE turns together, and who holds them."""

    ok: Any
    """None: this lane has such a pair in every head."""
    places: tuple[Any, Any]
    """In half-split layout."""
    own: tuple[Any, Any]
    """In the file's order."""
    cos: Any
    sin: Any


@dataclass(frozen=True)
class Heads:
    """One head of a SIMD group: a query head of the key, or behind those the key itself."""

    head: Any
    ok: Any
    """None: every SIMD group has a head."""
    is_key: Any


def heads_of(c: Kernel, p: Plan) -> list[Heads]:
    """Heads of this SIMD group, one after the other; the last one again where it has none."""
    beside, out = c.threads // SIMD, []
    for start in range(0, p.rep + 1, beside):
        head, ok = c.tid // SIMD + start, None
        if start + beside > p.rep + 1:
            ok = head < p.rep + 1
            head = ok.where(head, UOp.const(p.rep))
        out.append(Heads(head, ok, head.eq(p.rep)))
    return out


def turns(c: Kernel, work: WorkItem, rope: Any, position: Any) -> list[Turn]:
    """Pairs of this lane: of the rd/2 that are turned, then of those that stay."""
    hd, rd, lane = work.head_dim, work.rope_dim, c.tid % SIMD
    half, out = rd // 2, []
    for start in range(0, hd // 2, SIMD):
        i, ok = lane + start, None
        if start + SIMD > hd // 2:
            ok = i < hd // 2
            i = ok.where(i, UOp.const(0))
        near = (i, i + half)
        file = (i * 2, i * 2 + 1) if work.rope_interleaved else near
        at = i
        if rd < hd:
            inside = i < half
            at = inside.where(i, UOp.const(0))
            near = (inside.where(i, i * 2), inside.where(i + half, i * 2 + 1))
            file = (i * 2, i * 2 + 1) if work.rope_interleaved else near
        cos, sin = (rope[position * rd + at + k * half].load() for k in (0, 1))
        if rd < hd:
            cos = inside.where(cos, const(1.0, F32))
            sin = inside.where(sin, const(0.0, F32))
        out.append(Turn(ok, near, file, cos, sin))
    return out


Weights = list[list[tuple[Any, Any]]]
"""Of qk-norm, per head of a SIMD group and pair."""


def weights_of(
    named: dict[str, Any], heads: Sequence[Heads], pairs: Sequence[Turn]
) -> Weights | None:
    if "n.attn_q_norm" not in named:
        return None
    q, k = named["n.attn_q_norm"], named["n.attn_k_norm"]

    def pick(h: Heads, i: Any) -> Any:
        return h.is_key.where(k[i].load(), q[i].load())

    return [[(pick(h, t.own[0]), pick(h, t.own[1])) for t in pairs] for h in heads]


def flat(pairs: Sequence[Turn], weights: Weights | None) -> list[Any]:
    """All numbers that no launch writes, to be held in registers."""
    out = [v for t in pairs for v in (t.cos, t.sin)]
    return [*out, *(v for head in weights or () for pair in head for v in pair)]


def unflat(
    values: Sequence[Any], pairs: Sequence[Turn], weights: Weights | None
) -> tuple[list[Turn], Weights | None]:
    """The pairs and weights with these numbers."""
    n = len(pairs)
    made = [
        Turn(t.ok, t.places, t.own, values[2 * i], values[2 * i + 1]) for i, t in enumerate(pairs)
    ]
    if weights is None:
        return made, None
    two = [(values[i], values[i + 1]) for i in range(2 * n, len(values), 2)]
    return made, [two[i * n : (i + 1) * n] for i in range(len(weights))]


def turned(
    c: Kernel,
    work: WorkItem,
    p: Plan,
    kv: Any,
    qkv: Any,
    heads: Sequence[Heads],
    pairs: Sequence[Turn],
    weights: Weights | None,
) -> tuple[Any, list[tuple[Any, Any, Any]]]:
    """Local memory with the scaled queries of all heads and then the key, as the cache will hold
    it; and (is it mine, dimension, f32) of the key."""
    done, keys = [], []
    for n, h in enumerate(heads):
        base = h.is_key.where(kv + work.heads, kv * p.rep + h.head) * p.hd
        raw = [(qkv[base + t.own[0]].load(), qkv[base + t.own[1]].load()) for t in pairs]
        if weights is not None:
            squares = [
                a * a + b * b if t.ok is None else t.ok.where(a * a + b * b, const(0.0, F32))
                for (a, b), t in zip(raw, pairs, strict=True)
            ]
            (square,) = c.group_reduce([total(squares)], SIMD, add)
            inverse = _rsqrt(c, square * (1.0 / p.hd) + work.norm_eps)
            raw = [
                (a * (inverse * u), b * (inverse * v))
                for (a, b), (u, v) in zip(raw, weights[n], strict=True)
            ]
        for (a, b), t in zip(raw, pairs, strict=True):
            ok = _both(h.ok, t.ok)
            made = (a * t.cos - b * t.sin, b * t.cos + a * t.sin)
            for d, v in zip(t.places, made, strict=True):
                held = h.is_key.where(rounded(c, v), v * scale(p))
                done.append((gated(h.head * p.hd + d, ok), held))
                keys.append((_both(h.is_key, ok), d, v))
    memory = c.share((p.rep + 1) * p.hd, lambda s: [s[i].store(v) for i, v in done])
    return memory, keys


def _both(a: Any, b: Any) -> Any:
    return b if a is None else a if b is None else a & b


def stored(
    c: Kernel, work: WorkItem, p: Plan, at: Place, position: Any, named: dict[str, Any], keys: Any
) -> list[Any]:
    """Stores of the token's own key and value, by the SIMD group that has turned the key."""
    out = []
    for mine, d, key in keys:
        ok = mine & at.split.eq(0)
        value = named["qkv"][(at.kv + (work.heads + work.kv_heads)) * p.hd + d].load()
        where = (at.kv * p.context + position) * p.hd + d
        for place, v in ((where, key), (where + work.kv_heads * p.context * p.hd, value)):
            half = v.cast(F16) if c.target.exact_half else half_bits(v).cast(U16)
            out.append(named["cache"][place.valid(ok)].store(half))
    return out


# ---- states ------------------------------------------------------------------------------------


def parts(p: Plan) -> int:
    """Parts of a lane group's lanes, each of which weighs heads of its own: a power of two."""
    return min(p.rep & -p.rep, p.lanes)


def head(p: Plan, at: Place, slot: Any) -> Any:
    """Query head that a lane has in a slot: its part's own ones first, then those of the lanes that
    a butterfly makes its partners, so that a step adds slots up and chooses nothing."""
    each = p.rep // parts(p)
    own, off = at.lane // (p.lanes // parts(p)), slot // each
    return (own ^ off) * each + slot % each


def empty(p: Plan) -> list[Any]:
    """The state of nothing: maxima and sums of the own heads, then weighted values of all slots."""
    each = p.rep // parts(p)
    return [const(v, F32) for v in [LOWEST] * each + [0.0] * (each + p.rep * p.size)]


def added(
    c: Kernel,
    p: Plan,
    q: Sequence[Sequence[Any]],
    oks: Sequence[Any],
    rows: Sequence[tuple[list[Any], list[Any]]],
    old: list[Any] | None,
) -> list[Any]:
    """State after some positions; `old` None: there was nothing before. `q` by slots."""
    n, most, each = len(rows), _larger(c), p.rep // parts(p)
    dots = [total([a * b for a, b in zip(k, h, strict=True)]) for h in q for k, _ in rows]
    beside = p.lanes // parts(p)
    off = p.lanes // 2
    while off >= beside:
        half = len(dots) // 2
        dots = [a + b for a, b in zip(dots[:half], _swapped(c, dots[half:], off), strict=True)]
        off //= 2
    dots = c.group_reduce(dots, beside, add)
    nowhere = const(NOWHERE, F32)
    scores = [
        [ok.where(s, nowhere) for ok, s in zip(oks, dots[k * n :], strict=False)]
        for k in range(each)
    ]
    tops = [const(LOWEST, F32)] * each if old is None else old[:each]
    peaks = [reduce(most, [*s, top]) for s, top in zip(scores, tops, strict=True)]
    peaks = _over_groups(c, p, peaks, most)
    weights = [[_exp2(c, s - peak) for s in x] for x, peak in zip(scores, peaks, strict=True)]
    norms = [total(w) for w in weights]
    if old is not None:
        factors = [_exp2(c, top - peak) for top, peak in zip(tops, peaks, strict=True)]
        norms = [b * f + m for b, f, m in zip(old[each:], factors, norms, strict=False)]
        weights = [[*w, f] for w, f in zip(weights, factors, strict=True)]
    own = [v for w in weights for v in w]
    by_slot = [own] + [_swapped(c, own, m * beside) for m in range(1, parts(p))]
    flat_weights, sums = [v for w in by_slot for v in w], []
    wide = len(weights[0])
    for slot in range(p.rep):
        mine = flat_weights[slot * wide : (slot + 1) * wide]
        for d in range(p.size):
            made = reduce(add, [w * v[d] for w, (_, v) in zip(mine, rows, strict=False)])
            if old is not None:
                made = old[2 * each + slot * p.size + d] * mine[n] + made
            sums.append(made)
    return [*peaks, *norms, *sums]


def _swapped(c: Kernel, values: Sequence[Any], off: int) -> list[Any]:
    """The values of thread xor `off`."""
    if c.shuffles:
        text = SHUFFLE[c.dialect].format(off=off, swizzle=off << 10 | 0x1F, type="float")
        return [UOp(Ops.CUSTOM, F32, src=(v,), arg=text) for v in values]
    m = len(values)
    memory = c.share(
        c.threads * m, lambda s: [s[c.tid * m + i].store(v) for i, v in enumerate(values)]
    )
    return [memory[(c.tid ^ off) * m + i].load() for i in range(m)]


def _over_groups(c: Kernel, p: Plan, values: Sequence[Any], f: Pair) -> list[Any]:
    """Each value reduced over the lane groups of a SIMD group, lane by lane."""
    now, off = list(values), SIMD // 2
    while off >= p.lanes:
        now = [f(a, b) for a, b in zip(now, _swapped(c, now, off), strict=True)]
        off //= 2
    return now


def _scattered(c: Kernel, p: Plan, values: Sequence[Any]) -> list[Any]:
    """Sums over the lane groups of a SIMD group: the n-th of those keeps the n-th part of them."""
    now, off = list(values), SIMD // 2
    while off >= p.lanes:
        upper, half = (c.tid // off % 2).eq(1), len(now) // 2
        low, high = now[:half], now[half:]
        give = [upper.where(a, b) for a, b in zip(low, high, strict=True)]
        keep = [upper.where(b, a) for a, b in zip(low, high, strict=True)]
        now = [a + b for a, b in zip(keep, _swapped(c, give, off), strict=True)]
        off //= 2
    return now


def partials(c: Kernel, p: Plan, named: dict[str, Any], at: Place, state: list[Any]) -> list[Any]:
    """Stores of this split: SIMD groups merged through local memory."""
    each, size, states = p.rep // parts(p), p.rep * p.hd, c.threads // SIMD
    tops, norms = state[:each], _over_groups(c, p, state[each : 2 * each], add)
    sums = _scattered(c, p, state[2 * each :])
    group, begin = c.tid // SIMD, at.group % (SIMD // p.lanes) * len(sums)
    first = (c.tid % SIMD < p.lanes) & (at.lane % (p.lanes // parts(p))).eq(0)

    def put(rows: Any, ends: Any) -> list[Any]:
        out = []
        for slot in range(each):
            for k, v in enumerate((tops[slot], norms[slot])):
                place = (head(p, at, slot) + k * p.rep) * states + group
                out.append(ends[place.valid(first)].store(v))
        beside = math.gcd(len(sums), 4)
        for t in range(0, len(sums), beside):
            i = begin + t
            slot, j = i // p.size, i % p.size
            d = (at.lane + j // 4 * p.lanes) * 4 + j % 4
            row = group * size + head(p, at, slot) * p.hd + d
            out += [rows[row + k].store(v) for k, v in enumerate(sums[t : t + beside])]
        return out

    rows, ends = c.local(states * size), c.local(2 * states * p.rep)
    done = UOp.group(*put(rows, ends))
    rows, ends = rows.after(done), ends.after(done)
    wide = math.gcd(max(1, size // c.threads), 4)
    stores: list[Any] = []
    for start in range(0, size // wide, c.threads):
        e, ok = c.tid + start, None
        if start + c.threads > size // wide:
            ok = e < size // wide
            e = ok.where(e, UOp.const(0))
        stores += _summed(c, p, named, at, (rows, ends), e * wide, wide, ok)
    return stores


def _summed(
    c: Kernel,
    p: Plan,
    named: dict[str, Any],
    at: Place,
    held: tuple[Any, Any],
    e: Any,
    wide: int,
    ok: Any,
) -> list[Any]:
    """Stores of `wide` neighbouring elements from `e` on, of all SIMD groups."""
    (rows, ends), states, size = held, c.threads // SIMD, p.rep * p.hd
    r, d = e // p.hd, e % p.hd
    tops, norms = (vector(ends, (r + k * p.rep) * states, states) for k in (0, 1))
    peak = reduce(_larger(c), tops)
    factors = [_exp2(c, t - peak) for t in tops]
    norm = total([n * f for n, f in zip(norms, factors, strict=True)])
    each = [vector(rows, e + g * size, wide) for g in range(states)]
    head = (at.kv * p.rep + r) * p.splits + at.split
    one = _both(ok, d.eq(0))
    out = [
        named["t.out"][gated(head * p.hd + d + k, ok)].store(
            total([v[k] * f for v, f in zip(each, factors, strict=True)])
        )
        for k in range(wide)
    ]
    return [
        *out,
        named["t.top"][head.valid(one)].store(peak * math.log(2)),
        named["t.norm"][head.valid(one)].store(norm),
    ]
