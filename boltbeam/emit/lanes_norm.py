"""RMSNorm in the lanes form: one workgroup, from the residual stream to an activation.

Takes a norm work item, gives one launch. Fused norms (in front of a gemv) use `norm_quads` too.
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


def norm_quads(c: Kernel, x: Any, weight: Any, n: int, eps: float) -> list[Quad]:
    """x / rms(x) · weight of n values, spread over the threads of the workgroup."""
    own = quads_of(c, n)
    raw = [vector(x, index * 4, 4) for index, _ in own]
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
    """The launch of one norm: axis `threads` (a multiple of 32)."""
    threads, n = geometry.get("threads", 256), work.d_model
    name = f"norm_{n}_{route.gives}"

    def kernel(named: dict[str, Any]) -> Any:
        c = Kernel(target, 1, min(32, threads), max(1, threads // 32))
        quads = norm_quads(c, named["x"], named["n.norm"], n, work.norm_eps)
        return c.sink(name, give(c, quads, activation_from(named, "xn", route.gives)), 8 * n)

    outs = activation("xn", n, route.gives)
    return (build_launch(name, outs, [Buf("x", n, "f32"), Buf("n.norm", n, "f32")], kernel),)
