"""RMSNorm in the lanes form: one workgroup, from the residual stream to an activation.

Takes a norm, post_norm or post_norm+norm work item, gives one launch. Fused norms (in front of a
gemv) use `norm_quads` too.
"""

from __future__ import annotations

from typing import Any

from boltbeam.emit.core import Buf, Launch, Target, activation
from boltbeam.emit.lanes_core import (
    F32,
    Kernel,
    Quad,
    activation_from,
    add,
    build_launch,
    const,
    give,
    quads_of,
    total,
    vector,
)
from boltbeam.types import Geometry, Route, WorkItem

Own = list[tuple[Any, Any]]
"""(quad index, exists or None) of this thread's quads."""


def norm_quads(c: Kernel, x: Any, weight: Any, n: int, eps: float) -> list[Quad]:
    """x / rms(x) · weight of n values, spread over the threads of the workgroup."""
    own = quads_of(c, n)
    raw = [vector(x, index * 4, 4) for index, _ in own]
    return normed(c, own, raw, weight, n, eps)


def normed(
    c: Kernel, own: Own, raw: list[list[Any]], weight: Any, n: int, eps: float
) -> list[Quad]:
    """As norm_quads, of values that the threads hold already."""
    squares = []
    for values, (_, ok) in zip(raw, own, strict=True):
        s = total([v * v for v in values])
        squares.append(s if ok is None else ok.where(s, const(0.0, F32)))
    mean = c.workgroup_reduce([total(squares)], add)[0] * (1.0 / n)
    inverse = (mean + eps).sqrt().reciprocal()
    out = []
    for values, (index, ok) in zip(raw, own, strict=True):
        scale = vector(weight, index * 4, 4)
        out.append(Quad(index, [v * inverse * w for v, w in zip(values, scale, strict=True)], ok))
    return out


def emit(work: WorkItem, route: Route, geometry: Geometry, target: Target) -> tuple[Launch, ...]:
    """The launch of a norm, a post_norm or both in turn: axis `threads` (a multiple of 32)."""
    if work.ops[0] == "post_norm":
        return (_post_norm(work, route, geometry, target),)
    threads, n = geometry.get("threads", 256), work.d_model
    name = f"norm_{n}_{route.gives}"

    def kernel(named: dict[str, Any]) -> Any:
        c = _workgroup(target, threads)
        quads = norm_quads(c, named["x"], named["n.norm"], n, work.norm_eps)
        return c.sink(name, give(c, quads, activation_from(named, "xn", route.gives)), 8 * n)

    outs = activation("xn", n, route.gives)
    return (build_launch(name, outs, [Buf("x", n, "f32"), Buf("n.norm", n, "f32")], kernel),)


def _workgroup(target: Target, threads: int) -> Kernel:
    return Kernel(target, 1, min(32, threads), max(1, threads // 32))


def _post_norm(work: WorkItem, route: Route, geometry: Geometry, target: Target) -> Launch:
    """x + norm(y), and the norm of that sum where one follows: the sums stay in registers."""
    threads, n, eps = geometry.get("threads", 256), work.d_model, work.norm_eps
    goes_on = work.ops[1:] == ("norm",)
    name = f"post_norm_{n}" + (f"_norm_{route.gives}" if goes_on else "")

    def kernel(named: dict[str, Any]) -> Any:
        c = _workgroup(target, threads)
        own = quads_of(c, n)
        added = norm_quads(c, named["y"], named["n.norm"], n, eps)
        held = [vector(named["x"], index * 4, 4) for index, _ in own]
        sums = [
            [a + b for a, b in zip(old, q.values, strict=True)]
            for old, q in zip(held, added, strict=True)
        ]
        stores = [
            named["x"][at if ok is None else at.valid(ok)].store(v)
            for values, (index, ok) in zip(sums, own, strict=True)
            for at, v in ((index * 4 + k, v) for k, v in enumerate(values))
        ]
        if goes_on:
            quads = normed(c, own, sums, named["n.norm2"], n, eps)
            stores += give(c, quads, activation_from(named, "xn", route.gives))
        return c.sink(name, stores, 16 * n)

    outs = [Buf("x", n, "f32"), *(activation("xn", n, route.gives) if goes_on else ())]
    ins = [Buf("y", n, "f32"), Buf("n.norm", n, "f32")]
    ins += [Buf("n.norm2", n, "f32")] if goes_on else []
    return build_launch(name, outs, ins, kernel)
