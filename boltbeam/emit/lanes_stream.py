"""Attention in which every few lanes stream positions of their own, in the lanes form.

Takes an attention work item (or rope_store+attention), gives two launches. `lanes` neighbours hold
a key together, for all q heads that share it, with a running maximum of their own: each key and
value is read once, no barrier stands in the loop where lanes can shuffle, and positions are dealt
out in turns, so that every workgroup has its share at any length of text. Then the workgroup's
groups meet in local memory, and a second launch merges the splits.

With RoPE in the launch it stores the token's own row itself, and reads no row but those of earlier
tokens. With `ahead` it therefore reads the first trip in front of the wait for the launch before
(emit.dependent), and `pos` too, which only the last launch of a token writes: earlier tokens are
earlier replays of the graph, and these follow each other wholly. Where a trip holds the context,
that is all it reads; else a loop reads the others, with ahead=2 each one early. With `lean` the
arithmetic is that of `lanes_lean`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import reduce
from typing import Any

from tinygrad.uop.ops import Ops, UOp

from boltbeam.emit import lanes_lean
from boltbeam.emit.core import Buf, Launch, Target, shared_buffers
from boltbeam.emit.halves import half_bits, half_value
from boltbeam.emit.lanes_attention import gated, loader, merge
from boltbeam.emit.lanes_core import (
    F16,
    F32,
    LOWEST,
    U16,
    U32,
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
from boltbeam.emit.lanes_rope import Element, elements, norm_weights, rotated
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
    """1: a fused launch reads the first trip before it waits for the launch before; 2: and each
    other trip while the one before it is summed."""
    lean: int
    """1: fewer instructions behind that wait."""

    @classmethod
    def of(cls, work: WorkItem, geometry: Geometry) -> Plan:
        lanes, threads = geometry.get("lanes", 16), geometry.get("threads", 128)
        hd = work.head_dim
        if lanes & (lanes - 1) or lanes > 32 or hd % (4 * lanes) or threads % 32:
            raise refuse("attention", f"heads of {hd} by {lanes} lanes of {threads} threads")
        rep, lean = work.heads // work.kv_heads, geometry.get("lean", 0)
        if lean and lanes_lean.uneven(rep * hd):
            raise refuse("attention", f"{rep} heads of {hd} by a SIMD group")
        return cls(
            rep,
            hd,
            work.context,
            geometry.get("split", 1),
            threads,
            lanes,
            geometry.get("unroll", 1),
            geometry.get("ahead", 0),
            lean,
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


Rows = list[tuple[list[Any], list[Any]]]
"""Key and value of each position of a trip: this lane's dimensions."""


Itself = tuple[Any, list[Any], list[Any]]
"""The token: is it this group's to sum, this lane's part of its key and of its value."""


def _alone(itself: Itself) -> tuple[list[Any], Rows]:
    """As a trip of one position."""
    mine, key, value = itself
    return [mine], [(key, value)]


def _walk(
    c: Kernel,
    p: Plan,
    at: Place,
    cache: Any,
    q: list[list[Any]],
    state: State,
    held: Any = None,
    itself: Itself | None = None,
) -> State:
    """State of this lane's group after all of its positions; `held`: the first trip was read;
    `itself`: the token, which is not in the state yet."""
    beside, done = p.stride * p.unroll, 0
    trips = (at.live + (beside - 1)) // beside
    straight = held is not None and (p.ahead == 1 or p.context <= beside)
    if itself is not None and not straight:
        state = lanes_lean.added(c, p, q, *_alone(itself), None)
    if straight:
        first = _held(c, p, held)
        state = _added(c, p, at, q, UOp.const(0), state, first, sure=False, itself=itself)
        if p.context <= beside:
            return state
        trips, done = (trips > 1).where(trips - 1, UOp.const(0)), 1
    elif held is not None:
        return _pipeline(c, p, at, cache, q, state, held, trips)

    def trip(i: Any, old: State) -> State:
        return _added(c, p, at, q, i + done, old, _read(c, p, at, cache, i + done), sure=True)

    regs = c.loop(c.registers(state), len(state), trips, trip)
    return [regs[k].load() for k in range(len(state))]


def _pipeline(
    c: Kernel,
    p: Plan,
    at: Place,
    cache: Any,
    q: list[list[Any]],
    state: State,
    held: Any,
    trips: Any,
) -> State:
    """As the loop, each trip read while the one before it is summed."""
    regs, i = c.registers(state), c.range(trips)
    inside, rows = regs.after(i), held.after(i)
    old = [inside[k].load() for k in range(len(state))]
    new = _added(c, p, at, q, i, old, _held(c, p, rows), sure=True)
    done = UOp.group(*[inside[k].store(v) for k, v in enumerate(new)])
    rows = rows.after(done)  # or the next rows would stand where these are still read
    following = _raw(p, at, cache, i + 1)
    done = UOp.group(*[rows[k].store(v) for k, v in enumerate(following)], done)
    regs = regs.after(done.end(i))
    return [regs[k].load() for k in range(len(state))]


def _positions(p: Plan, at: Place, trip: Any) -> list[tuple[Any, Any]]:
    """(is it there, row) of the group's positions of a trip; of one that is not, the first row."""
    out = []
    for u in range(p.unroll):
        mine = (trip * p.unroll + u) * p.stride + at.split * p.groups + at.group
        ok = mine < at.live
        out.append((ok, at.begin + ok.where(mine, UOp.const(0))))
    return out


def _bases(p: Plan, at: Place, cache: Any, trip: Any) -> list[Any]:
    """Rows of the cache that a trip reads: a key and a value for each position."""
    kv_heads = cache.shape[0] // (2 * p.context * p.hd)
    return [
        head * p.context + row
        for _, row in _positions(p, at, trip)
        for head in (at.kv, at.kv + kv_heads)
    ]


def _read(c: Kernel, p: Plan, at: Place, cache: Any, trip: Any) -> Rows:
    """Keys and values of a trip."""
    rows = [_row(c, p, at, cache, row) for row in _bases(p, at, cache, trip)]
    return list(zip(rows[::2], rows[1::2], strict=True))


def _added(
    c: Kernel,
    p: Plan,
    at: Place,
    q: list[list[Any]],
    trip: Any,
    old: State,
    rows: Rows,
    sure: bool,
    itself: Itself | None = None,
) -> State:
    """State after a trip. `sure`: there is a cached position, so none has read rubbish; `itself`:
    the token is summed with the trip, and nothing was before."""
    oks = [ok for ok, _ in _positions(p, at, trip)]
    keys, values = [k for k, _ in rows], [v for _, v in rows]
    if not sure:
        none = const(0.0, F32)
        values = [[ok.where(v, none) for v in vs] for ok, vs in zip(oks, values, strict=True)]
    if p.lean:
        rows = list(zip(keys, values, strict=True))
        if itself is None:
            return lanes_lean.added(c, p, q, oks, rows, old)
        mine, own = _alone(itself)
        return lanes_lean.added(c, p, q, [*mine, *oks], [*own, *rows], None)
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
    if p.lean:
        return lanes_lean.partials(c, p, named, at, state)
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
    """Two launches: axes `lanes`, `threads`, `split`, `unroll`, `ahead` and `lean` of the first."""
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
    make = (_lean if p.lean else _fused) if fused else _plain

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
        heads = [lanes_lean.head(p, at, r) if p.lean else r for r in range(p.rep)]
        q = [_query(p, at, named["q"], (at.kv * p.rep + r) * p.hd) for r in heads]
        if p.lean:
            q = [[v * lanes_lean.scale(p) for v in h] for h in q]
        empty = lanes_lean.empty(p) if p.lean else _constants(_empty(p))
        state = _walk(c, p, at, named["cache"], q, empty)
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
        position = scalar(_unwaited(named["pos"]) if p.ahead else named["pos"])
        at = _place(c, work, p, position, 0)
        own = elements(c, work, named["rope"], position)
        weights = [loader(named.get(f"n.attn_{k}_norm")) for k in ("q", "k")]
        first = None
        if p.ahead:
            first = _hold(c, p, at, _unwaited(named["cache"]))
            turns, own, weights = _hold_constants(c, work, own, weights)
            named = _behind(named, first, turns)
        qkv = named["qkv"]
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
        state = _walk(c, p, at, named["cache"], q, state, first)
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


def _lean(name: str, work: WorkItem, p: Plan, target: Target, partials: list[Buf]) -> Launch:
    """As _fused, with RoPE and the token itself as lanes_lean has them."""
    bufs, h, hd = shared_buffers(work, target.exact_half), work.heads, p.hd

    def kernel(named: dict[str, Any]) -> Any:
        c = Kernel(target, work.kv_heads * p.splits, 32, p.threads // 32)
        position = scalar(_unwaited(named["pos"]) if p.ahead else named["pos"])
        at = _place(c, work, p, position, 0)
        heads, pairs = lanes_lean.heads_of(c, p), lanes_lean.turns(c, work, named["rope"], position)
        weights = lanes_lean.weights_of(named, heads, pairs)
        first = None
        if p.ahead:
            first = _hold(c, p, at, _unwaited(named["cache"]))
            constants = c.registers(values := lanes_lean.flat(pairs, weights))
            now = [constants[k].load() for k in range(len(values))]
            pairs, weights = lanes_lean.unflat(now, pairs, weights)
            named = _behind(named, first, constants)
        qkv = named["qkv"]
        first_v = (at.kv + (h + work.kv_heads)) * hd
        raw = [v for d in at.dims(p) for v in vector(qkv, first_v + d, 4)]
        held, keys = lanes_lean.turned(c, work, p, at.kv, qkv, heads, pairs, weights)
        q = [_query(p, at, held, lanes_lean.head(p, at, r) * hd) for r in range(p.rep)]
        key = _query(p, at, held, UOp.const(p.rep * hd))
        value = [lanes_lean.rounded(c, v) for v in raw]
        itself = at.split.eq(0) & at.group.eq(0), key, value
        state = _walk(c, p, at, named["cache"], q, [], first, itself)
        stores = _partials(c, p, named, at, state)
        stores += lanes_lean.stored(c, work, p, at, position, named, keys)
        return c.sink(name, stores, work.bytes or 1)

    ins = [bufs["qkv"], bufs["rope"], bufs["pos"], *norm_weights(work)]
    return build_launch(name, [*partials, bufs["cache"]], ins, kernel)


# ---- what is read before the wait --------------------------------------------------------------


def _unwaited(buf: Any) -> Any:
    """A buffer in front of the wait for the launch before (emit.dependent).

    Only for what no launch of the same token has written yet: of the cache the rows before `pos`,
    and `pos`, which the last launch of a token writes.
    """
    return buf.src[0] if buf.op is Ops.AFTER else buf


def _behind(named: dict[str, Any], *held: Any) -> dict[str, Any]:
    """The buffers; where some stand behind a wait, the wait stands behind the held registers."""

    def later(buf: Any) -> Any:
        if buf.op is not Ops.AFTER:
            return buf
        waited = buf.src[1]
        place, instruction = waited.src
        # an operand that its text does not name: it only must have been made before
        ordered = instruction.replace(src=(*instruction.src, *(h[0].load() for h in held)))
        return buf.src[0].after(place.store(ordered))

    return {name: later(buf) for name, buf in named.items()}


def _raw(p: Plan, at: Place, cache: Any, trip: Any) -> list[Any]:
    """Keys and values of a trip, as the cache holds them."""
    rows = _bases(p, at, cache, trip)
    return [v for row in rows for d in at.dims(p) for v in vector(cache, row * p.hd + d, 4)]


def _hold(c: Kernel, p: Plan, at: Place, cache: Any) -> Any:
    """Registers with the first trip."""
    return c.registers(_raw(p, at, cache, UOp.const(0)), F16 if c.target.exact_half else U16)


def _held(c: Kernel, p: Plan, held: Any) -> Rows:
    """What such registers hold."""
    raw = [held[k].load() for k in range(2 * p.size * p.unroll)]
    flat = [v.cast(F32) if c.target.exact_half else half_value(v.cast(U32)) for v in raw]
    rows = [flat[i : i + p.size] for i in range(0, len(flat), p.size)]
    return list(zip(rows[::2], rows[1::2], strict=True))


Loader = Callable[[Any], Any]


def _hold_constants(
    c: Kernel, work: WorkItem, own: Sequence[Element], weights: Sequence[Loader]
) -> tuple[Any, list[Element], list[Loader]]:
    """Registers with the rotation of `own` and its norm weights, and what reads them instead."""
    places = [i for e in own for i in (e.own, e.partner)] if work.qk_norm else []
    values = [v for e in own for v in (e.cos, e.sin)]
    held = c.registers([*values, *(w(i) for w in weights for i in places)])
    now = [held[k].load() for k in range(len(values) + len(weights) * len(places))]
    turned = [replace(e, cos=now[2 * k], sin=now[2 * k + 1]) for k, e in enumerate(own)]
    loaders: list[Loader] = []
    for k in range(len(weights)):
        start = len(values) + k * len(places)
        loaders.append(dict(zip(places, now[start:], strict=False)).__getitem__)
    return held, turned, loaders


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
