"""qk-norm, RoPE, the store of k and v, and attention over the live positions, rows form.

Takes the raw projections and the KV cache, gives q, the cache and the activation `att`. Positions
beyond the token's are never read, so whatever they hold cannot spread.
"""

from __future__ import annotations

from typing import Any

from boltbeam.emit.core import Buf, activation, shared_buffers
from boltbeam.emit.rows import LOG2E, STACK_ELEMENTS, Rows, add, divisor, sums32
from boltbeam.emit.rows_norm import inverse_rms, quantise
from boltbeam.types import Geometry, WorkItem


def rope_reads(work: WorkItem) -> tuple[Buf, ...]:
    names = ["qkv", "pos", "rope"]
    names += ["n.attn_q_norm", "n.attn_k_norm"] if work.qk_norm else []
    return tuple(shared_buffers(work)[n] for n in names)


def rope_writes(work: WorkItem) -> tuple[Buf, ...]:
    shared = shared_buffers(work)
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


def scores_on_stack(work: WorkItem) -> bool:
    return work.context <= STACK_ELEMENTS


def attention_reads(work: WorkItem) -> tuple[Buf, ...]:
    shared = shared_buffers(work)
    return shared["q"], shared["cache"], shared["pos"]


def attention_writes(work: WorkItem, gives: str) -> tuple[Buf, ...]:
    out = activation("att", work.heads * work.head_dim, gives)
    scores = () if scores_on_stack(work) else (Buf("t.scores", work.context, "f32"),)
    return (*out, *scores)


def attention_body(k: Rows, work: WorkItem, geometry: Geometry, gives: str) -> None:
    """softmax(q·k / sqrt(head_dim)) v of each head over positions 0 .. pos, in two passes."""
    n = work.heads * work.head_dim
    if gives == "q8":
        k.buffers["att.f32"] = k.array(n)
    if scores_on_stack(work):
        k.buffers["t.scores"] = k.array(work.context)
    _heads(k, work, divisor(work.head_dim, geometry["lanes"]))
    if gives == "q8":
        quantise(k, "att", n)
    else:
        sums32(k, "att.f32", "att.s32", n)


def _heads(k: Rows, work: WorkItem, lanes: int) -> None:
    hd, context = work.head_dim, work.context
    live = k["pos"][0].load() + 1
    head = k.loop(work.heads)
    kv_head = head // (work.heads // work.kv_heads)
    top, scored = _scores(k, work, lanes, live, head, kv_head * context * hd)
    weights = k["t.scores"].after(scored)
    p = k.loop(live)
    exps = weights[p].store(((weights[p].load() - top) * LOG2E).exp2()).end(p)
    weights = k["t.scores"].after(exps)
    sums = k.array(1)
    p, zero = k.reduce(live), k.filled(sums, 0.0, head)
    here = zero.after(p, exps)
    summed = here[0].store(here[0].load() + weights[p].load()).end(p)
    total = sums.after(summed)[0].load()
    stored = _mix(k, work, lanes, live, head, (work.kv_heads + kv_head) * context * hd, exps, total)
    k.done(stored.end(head))


def _scores(
    k: Rows, work: WorkItem, lanes: int, live: Any, head: Any, first: Any
) -> tuple[Any, Any]:
    """Scaled scores of all live positions -> (their maximum, the store)."""
    from tinygrad import dtypes
    from tinygrad.uop.ops import UOp

    hd = work.head_dim
    top = k.array(1)
    low = k.filled(top, -1e30, head)
    p = k.reduce(live)
    products = k.array(lanes)
    zero = k.filled(products, 0.0, p)
    part, lane = k.reduce(hd // lanes), k.loop(lanes)
    here = zero.after(part)
    dim = part * lanes + lane
    key = k["cache"][first + p * hd + dim].load().cast(dtypes.float32)
    query = k["q"][head * hd + dim].load()
    end = here[lane].store(here[lane].load() + query * key).end(lane).end(part)
    score = k.fold(products, lanes, add, end) * hd**-0.5
    kept = k.array(1)
    score = kept.after(kept.after(p)[0].store(score))[0].load()
    here = low.after(p)
    both = UOp.group(
        k["t.scores"].after(head)[p].store(score), here[0].store(here[0].load().maximum(score))
    )
    done = both.end(p)
    return top.after(done)[0].load(), done


def _mix(
    k: Rows,
    work: WorkItem,
    lanes: int,
    live: Any,
    head: Any,
    first: Any,
    ready: Any,
    total: Any,
) -> Any:
    """att = Σ weight · v / total, `lanes` dimensions at a time."""
    from tinygrad import dtypes

    hd = work.head_dim
    part = k.loop(hd // lanes)
    sums = k.array(lanes)
    zero = k.filled(sums, 0.0, head, part)
    p, lane = k.reduce(live), k.loop(lanes)
    here = zero.after(p, ready)
    weight = k["t.scores"].after(ready)[p].load()
    value = k["cache"][first + p * hd + part * lanes + lane].load().cast(dtypes.float32)
    end = here[lane].store(here[lane].load() + weight * value).end(lane).end(p)
    lane = k.loop(lanes)
    mixed = sums.after(end)[lane].load() / total
    return k["att.f32"][head * hd + part * lanes + lane].store(mixed).end(lane).end(part)
