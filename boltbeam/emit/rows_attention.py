"""qk-norm, RoPE, the store of k and v, and attention over the live positions, rows form.

Takes the raw projections and the KV cache, gives q, the cache and the activation `att`. Positions
beyond the token's are never read, so whatever they hold cannot spread.
"""

from __future__ import annotations

from typing import Any

from boltbeam.emit.core import Buf, activation, shared_buffers
from boltbeam.emit.halves import half_bits, half_value
from boltbeam.emit.rows import LOG2E, STACK_ELEMENTS, Rows, add, divisor, sums32
from boltbeam.emit.rows_norm import inverse_rms, quantise
from boltbeam.types import Geometry, WorkItem


def rope_reads(work: WorkItem) -> tuple[Buf, ...]:
    names = ["qkv", "pos", "rope"]
    names += ["n.attn_q_norm", "n.attn_k_norm"] if work.qk_norm else []
    return tuple(shared_buffers(work)[n] for n in names)


def rope_writes(work: WorkItem, exact_half: bool) -> tuple[Buf, ...]:
    shared = shared_buffers(work, exact_half)
    return shared["q"], shared["cache"]


def rope_body(k: Rows, work: WorkItem, geometry: Geometry) -> None:
    """q and k after qk-norm and RoPE, half-split; k and v rounded to half at this position."""
    h, kv, hd = work.heads, work.kv_heads, work.head_dim
    lanes = divisor(hd, geometry["lanes"])

    def put_q(head: Any, dim: Any, value: Any) -> Any:
        return k["q"][head * hd + dim].store(value)

    def put_k(head: Any, dim: Any, value: Any) -> Any:
        return _cache_store(k, work, head, dim, value)

    _rotate(k, work, h, 0, "n.attn_q_norm", lanes, put_q)
    _rotate(k, work, kv, h * hd, "n.attn_k_norm", lanes, put_k)
    head, dim = k.loop(kv), k.loop(hd)
    value = k["qkv"][(h + kv + head) * hd + dim].load()
    k.done(_cache_store(k, work, kv + head, dim, value).end(dim).end(head))


def _cache_store(k: Rows, work: WorkItem, head: Any, dim: Any, value: Any) -> Any:
    """Store into the cache at this position; head counts k heads, then v heads."""
    from tinygrad import dtypes

    at = (head * work.context + k["pos"][0].load()) * work.head_dim + dim
    if not k.exact_half:
        return k["cache"][at].store(half_bits(value).cast(dtypes.uint16))
    return k["cache"][at].store(value.cast(dtypes.half))


def _rotate(
    k: Rows, work: WorkItem, heads: int, start: int, norm: str, lanes: int, put: Any
) -> None:
    """put(head, dim, value) for every head that begins at qkv[start + head · head_dim]."""
    from tinygrad.uop.ops import UOp

    hd, half = work.head_dim, work.rope_dim // 2
    head = k.loop(heads)
    base = start + head * hd
    scale = inverse_rms(k, "qkv", base, hd, work.norm_eps, lanes, head) if work.qk_norm else None

    def raw(dim: Any) -> Any:
        value = k["qkv"][base + dim].load()
        return value if scale is None else value * scale * k[norm][dim].load()

    i = k.loop(half)
    a, b = (2 * i, 2 * i + 1) if work.rope_interleaved else (i, i + half)
    row = k["pos"][0].load() * work.rope_dim
    cos, sin = k["rope"][row + i].load(), k["rope"][row + half + i].load()
    x, y = raw(a), raw(b)
    stores = [
        UOp.group(put(head, i, x * cos - y * sin), put(head, i + half, y * cos + x * sin)).end(i)
    ]
    if work.rope_dim < hd:
        rest = k.loop(hd - work.rope_dim)
        stores.append(put(head, rest + work.rope_dim, raw(rest + work.rope_dim)).end(rest))
    k.done(UOp.group(*stores).end(head))


def scores_buffer(work: WorkItem, geometry: Geometry) -> Buf:
    """Scores of one head over the context; of a whole group where its heads share loads."""
    return Buf("t.scores", _seen(work) * _sharing(work, geometry), "f32")


def _seen(work: WorkItem) -> int:
    """Positions that one token attends to at most."""
    return work.window or work.context


def _sharing(work: WorkItem, geometry: Geometry) -> int:
    """Heads that are done together because they read the same k and v."""
    return work.heads // work.kv_heads if geometry["share"] else 1


def attention_reads(work: WorkItem, exact_half: bool) -> tuple[Buf, ...]:
    shared = shared_buffers(work, exact_half)
    return shared["q"], shared["cache"], shared["pos"]


def attention_writes(work: WorkItem, geometry: Geometry, gives: str) -> tuple[Buf, ...]:
    out = activation("att", work.heads * work.head_dim, gives)
    scores = scores_buffer(work, geometry)
    return out if scores.size <= STACK_ELEMENTS else (*out, scores)


def attention_body(k: Rows, work: WorkItem, geometry: Geometry, gives: str) -> None:
    """softmax(q·k / sqrt(head_dim)) v of each head over positions 0 .. pos, in two passes.

    With a window only over the last so many of them.
    """
    n = work.heads * work.head_dim
    if gives == "q8":
        k.buffers["att.f32"] = k.array(n)
    scores = scores_buffer(work, geometry)
    if scores.size <= STACK_ELEMENTS:
        k.buffers["t.scores"] = k.array(scores.size)
    _Attention(k, work, geometry).write()
    if gives == "q8":
        quantise(k, "att", n)
    else:
        sums32(k, "att.f32", "att.s32", n)


class _Attention:
    """Attention of `each` neighbouring heads at a time, while it is being written."""

    def __init__(self, k: Rows, work: WorkItem, geometry: Geometry):
        self.k, self.work = k, work
        self.lanes = divisor(work.head_dim, geometry["lanes"])
        self.each = _sharing(work, geometry)
        self.live = self.live_positions()
        self.outer = k.loop(work.heads // self.each)
        self.heads = [self.outer * self.each + g for g in range(self.each)]
        self.kv_head = self.outer * self.each // (work.heads // work.kv_heads)

    def live_positions(self) -> Any:
        live = self.k["pos"][0].load() + 1
        return live.minimum(self.work.window) if self.work.window else live

    def write(self) -> None:
        tops, scored = self.scores()
        totals, weighted = self.weights(tops, scored)
        self.k.done(self.mix(totals, weighted).end(self.outer))

    def cached(self, half: int, position: Any, dim: Any) -> Any:
        """One element of k (half 0) or v (half 1) of these heads."""
        from tinygrad import dtypes

        if self.work.window:
            position = position + (self.k["pos"][0].load() + 1 - self.live)
        row = (half * self.work.kv_heads + self.kv_head) * self.work.context + position
        value = self.k["cache"][row * self.work.head_dim + dim].load()
        if not self.k.exact_half:
            return half_value(value.cast(dtypes.uint32))
        return value.cast(dtypes.float32)

    def scores(self) -> tuple[list[Any], Any]:
        """Scaled scores of all live positions -> (their maximum per head, the stores)."""
        from tinygrad.uop.ops import UOp

        k, hd, lanes = self.k, self.work.head_dim, self.lanes
        tops = [k.array(1) for _ in self.heads]
        lows = [k.filled(t, -1e30, self.outer) for t in tops]
        p = k.reduce(self.live)
        products = [k.array(lanes) for _ in self.heads]
        zeros = [k.filled(a, 0.0, p) for a in products]
        part, lane = k.reduce(hd // lanes), k.loop(lanes)
        dim = part * lanes + lane
        key = self.cached(0, p, dim)
        added = []
        for head, zero in zip(self.heads, zeros, strict=True):
            here = zero.after(part)
            query = k["q"][head * hd + dim].load()
            added.append(here[lane].store(here[lane].load() + query * key))
        end = UOp.group(*added).end(lane).end(part)
        stores = []
        for g, (array, low) in enumerate(zip(products, lows, strict=True)):
            kept = k.array(1)
            score = k.fold(array, lanes, add, end) * hd**-0.5
            score = kept.after(kept.after(p)[0].store(score))[0].load()
            stores.append(self.place(p, g, self.outer).store(score))
            here = low.after(p)
            stores.append(here[0].store(here[0].load().maximum(score)))
        done = UOp.group(*stores).end(p)
        return [t.after(done)[0].load() for t in tops], done

    def place(self, position: Any, g: int, *after: Any) -> Any:
        """Where the score of head number g of these stands."""
        return self.k["t.scores"].after(*after)[position + g * _seen(self.work)]

    def weights(self, tops: list[Any], scored: Any) -> tuple[list[Any], Any]:
        """exp(score - maximum) in place -> (their sum per head, the stores)."""
        from tinygrad.uop.ops import UOp

        k = self.k
        exps = []
        for g, top in enumerate(tops):
            p = k.loop(self.live)
            at = self.place(p, g, scored)
            exps.append(at.store(((at.load() - top) * LOG2E).exp2()).end(p))
        done = UOp.group(*exps)
        sums = [k.array(1) for _ in self.heads]
        p = k.reduce(self.live)
        added = []
        for g, total in enumerate(sums):
            here = k.filled(total, 0.0, self.outer).after(p, done)
            added.append(here[0].store(here[0].load() + self.place(p, g, done).load()))
        end = UOp.group(*added).end(p)
        return [s.after(end)[0].load() for s in sums], end

    def mix(self, totals: list[Any], weighted: Any) -> Any:
        """att = Σ weight · v / total, `lanes` dimensions at a time."""
        from tinygrad.uop.ops import UOp

        k, hd, lanes = self.k, self.work.head_dim, self.lanes
        part = k.loop(hd // lanes)
        sums = [k.array(lanes) for _ in self.heads]
        zeros = [k.filled(a, 0.0, self.outer, part) for a in sums]
        p, lane = k.reduce(self.live), k.loop(lanes)
        value = self.cached(1, p, part * lanes + lane)
        added = []
        for g, zero in enumerate(zeros):
            here = zero.after(p, weighted)
            weight = self.place(p, g, weighted).load()
            added.append(here[lane].store(here[lane].load() + weight * value))
        end = UOp.group(*added).end(lane).end(p)
        lane = k.loop(lanes)
        stores = [
            k["att.f32"][head * hd + part * lanes + lane].store(a.after(end)[lane].load() / total)
            for head, a, total in zip(self.heads, sums, totals, strict=True)
        ]
        return UOp.group(*stores).end(lane).end(part)
