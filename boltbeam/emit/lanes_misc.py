"""First and last step of a token in the lanes form: embedding row, argmax with its bookkeeping.

Takes an embed or argmax work item, gives its launches.
"""

from __future__ import annotations

from typing import Any

from tinygrad.uop.ops import UOp

from boltbeam.emit.core import Buf, Launch, Target
from boltbeam.emit.lanes_core import (
    F32,
    I32,
    LOWEST,
    Kernel,
    build_launch,
    const,
    refuse,
    scalar,
)
from boltbeam.emit.lanes_formats import packed
from boltbeam.types import Geometry, Route, WorkItem

NOBODY = 2**30
"""Index of no entry: loses every tie."""


def emit_embed(
    work: WorkItem, route: Route, geometry: Geometry, target: Target
) -> tuple[Launch, ...]:
    """x = row `tok` of the embedding: axis `threads` per workgroup; a thread unpacks one unit."""
    table = work.tables[0]
    p, threads = packed(table), geometry.get("threads", 64)
    words = p.unit_words(geometry.get("words", 1))
    units, blocks = p.units(table.cols, words), table.cols // p.weights
    name = f"embed_{table.cols}_{table.format.lower()}"

    def kernel(named: dict[str, Any]) -> Any:
        c = Kernel(target, -(-units // threads), threads)
        unit, ok = c.gid * threads + c.tid, None
        if units % threads:
            ok = unit < units
            unit = ok.where(unit, UOp.const(0))
        block = unit // (p.words // words)
        weights, at = named[f"w.{table.role}"], unit % (p.words // words)
        raw = p.read(p.block(c, weights, scalar(named["tok"]), blocks, block, 0), at, words)
        stores = []
        for s in p.unpack(c, raw, at, words):
            start = block * p.weights + s.start
            for i, value in enumerate(v for quad in s.values() for v in quad):
                if s.scale is not None:
                    value = s.scale * value
                if s.minimum is not None:
                    value = value + s.minimum
                if work.embed_scale != 1.0:
                    value = value * work.embed_scale
                at = start + i
                stores.append(named["x"][at if ok is None else at.valid(ok)].store(value))
        return c.sink(name, stores, work.bytes or 4 * table.cols)

    ins = [p.buffer(f"w.{table.role}", table.rows, table.cols), Buf("tok", 1, "i32")]
    return (build_launch(name, [Buf("x", table.cols, "f32")], ins, kernel),)


# ---- argmax ----------------------------------------------------------------------------------

Best = tuple[Any, Any]
"""(value, index) in registers."""


def better(a: Best, b: Best) -> Best:
    """The larger value; among equals the lower index."""
    take = (a[0] < b[0]) | (a[0].eq(b[0]) & (b[1] < a[1]))
    return take.where(b[0], a[0]), take.where(b[1], a[1])


def best_of_workgroup(c: Kernel, values: list[Any], indices: Any, writers: Any) -> Best:
    """Best of the rows of a workgroup, held by its row leaders (`writers`)."""
    best: Best = (const(LOWEST, F32), const(NOBODY, I32))
    for v, i, ok in zip(values, indices, writers, strict=True):
        valid = (ok.where(v, const(LOWEST, F32)), ok.where(i.cast(I32), const(NOBODY, I32)))
        best = better(best, valid)
    return tree(c, best)


def tree(c: Kernel, best: Best) -> Best:
    """Best of all threads, through local memory; every thread gets it."""
    n = c.threads
    while n > 1:
        step = next(k for k in (16, 8, 4, 2, n) if n % k == 0)
        best = _meet(c, best, n, step)
        n //= step
    return best


def _meet(c: Kernel, best: Best, n: int, step: int) -> Best:
    """n entries, held by all threads of tid % n, become n / step in the same manner."""
    me = c.tid % n if n < c.threads else c.tid
    stores = [(c.local(n), best[0]), (c.local(n, I32), best[1])]
    done = UOp.group(*[m[me].store(v) for m, v in stores])
    values, indices = (m.after(done) for m, _ in stores)
    base = (c.tid % (n // step)) * step
    out: Best = (values[base].load(), indices[base].load())
    for k in range(1, step):
        out = better(out, (values[base + k].load(), indices[base + k].load()))
    return out


def _scan(c: Kernel, n: int, groups: int, value: Any, index: Any) -> Best:
    """Best of this thread's entries among n: entries gid·threads + tid, then a grid further."""
    step = c.threads * groups
    regs_v, regs_i = c.registers([LOWEST]), c.registers([NOBODY], I32)
    i = c.range(-(-n // step))
    at = i * step + c.gid * c.threads + c.tid
    ok = at < n
    at = ok.where(at, UOp.const(0))
    old = (regs_v.after(i)[0].load(), regs_i.after(i)[0].load())
    held = index[at].load() if index is not None else at.cast(I32)
    new = better(
        old, (ok.where(value[at].load(), const(LOWEST, F32)), ok.where(held, const(NOBODY, I32)))
    )
    done = UOp.group(regs_v.after(i)[0].store(new[0]), regs_i.after(i)[0].store(new[1])).end(i)
    return regs_v.after(done)[0].load(), regs_i.after(done)[0].load()


def argmax_launches(
    work: WorkItem, geometry: Geometry, target: Target, n: int, partials: bool
) -> tuple[Launch, ...]:
    """Token, ids and position from n logits or n partial maxima `t.best.*`: one or two launches."""
    threads = geometry.get("threads", 256)
    if threads % 32:
        raise refuse("argmax", f"threads={threads} is not a multiple of 32")
    groups = geometry.get("split", 1)
    shape = (min(32, threads), threads // 32)
    name = "best" if partials else "logits"
    ins = [Buf("t.best.v", n, "f32"), Buf("t.best.i", n, "i32")]
    if not partials:
        ins = [Buf("logits", n, "f32")]
    first: tuple[Launch, ...] = ()
    if groups > 1 and n >= groups * threads:
        found = [Buf("t.few.v", groups, "f32"), Buf("t.few.i", groups, "i32")]

        def few(named: dict[str, Any]) -> Any:
            c = Kernel(target, groups, *shape)
            best = tree(c, _scan(c, n, groups, *(named.get(b.name) for b in _two(ins))))
            one = c.gid.valid(c.tid.eq(0))
            stores = [named[b.name][one].store(v) for b, v in zip(found, best, strict=True)]
            return c.sink(f"argmax_few_{n}_{name}", stores, 4 * n)

        first = (build_launch(f"argmax_few_{n}_{name}", found, ins, few),)
        last_ins, m = found, groups
    else:
        last_ins, m = ins, n

    def last(named: dict[str, Any]) -> Any:
        c = Kernel(target, 1, *shape)
        _, index = tree(c, _scan(c, m, 1, *(named.get(b.name) for b in _two(last_ins))))
        here = named["pos"][UOp.const(0)].load()
        forced = named["ids"][here + 1].load()
        token = (forced < 0).where(index, forced)
        lead = c.tid.eq(0)
        zero = UOp.const(0).valid(lead)
        stores = [
            named["tok"][zero].store(token),
            named["ids"][(here + 1).valid(lead)].store(token),
            named["pos"][zero].store(here + 1),
        ]
        return c.sink(f"argmax_{m}_{name}", stores, 4 * m)

    outs = [Buf("tok", 1, "i32"), Buf("ids", work.context + 1, "i32"), Buf("pos", 1, "i32")]
    return (*first, build_launch(f"argmax_{m}_{name}", outs, last_ins, last))


def _two(bufs: list[Buf]) -> tuple[Buf, Buf]:
    return bufs[0], (bufs[1] if len(bufs) > 1 else Buf("", 0, "i32"))


def emit_argmax(
    work: WorkItem, route: Route, geometry: Geometry, target: Target
) -> tuple[Launch, ...]:
    """The next token from the logits; `split` > 1 adds a launch of that many workgroups."""
    return argmax_launches(work, geometry, target, work.vocab, partials=False)
