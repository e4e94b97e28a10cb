"""A span of primitive ops in one launch, rows form; a single op is a span of one.

Takes a work item and a route, gives one Launch. Activations that only the span itself reads live on
the kernel's stack, which saves arguments as well as launches.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from boltbeam.emit import rows_attention, rows_ends, rows_gemv, rows_norm
from boltbeam.emit.core import Buf, Launch, Target
from boltbeam.emit.rows import Rows, kernel
from boltbeam.models.plan import NORMS
from boltbeam.types import Geometry, Route, WorkItem

DEFAULTS = {"rows": 1, "lanes": 16, "unroll": 1, "scale": 1, "split": 1, "share": 0, "header": 1}
"""Axes that a geometry may leave out."""
INTERNAL = frozenset(
    ["xn.f32", "xn.s32", "att.f32", "att.s32", "act.f32", "act.s32", "qkv", "q", "y"]
)
"""Buffers that stay on the stack where the span both writes and reads them."""


@dataclass(frozen=True)
class Op:
    """One primitive op within a span: its buffers and its body."""

    name: str
    reads: tuple[Buf, ...]
    writes: tuple[Buf, ...]
    body: Callable[[Rows], None]


def emit(work: WorkItem, route: Route, geometry: Geometry, target: Target) -> tuple[Launch, ...]:
    """The launch of a span; axes may be named per op (`qkv.rows=1`), or for all (`rows=1`)."""
    exact = target.chip.get("half") is not False
    ops = _ops(work, route, geometry, exact)
    written = {b.name: b for op in ops for b in op.writes}
    read = {b.name: b for op in ops for b in op.reads if b.name not in written}
    given = {b.name for b in ops[-1].writes}
    consumed = {b.name for op in ops for b in op.reads}
    inner = [b for n, b in written.items() if n in INTERNAL and n not in given and n in consumed]
    unread = [b for n, b in written.items() if n in INTERNAL and n not in given | consumed]
    hidden = {b.name for b in (*inner, *unread)}
    outs = [b for n, b in written.items() if n not in hidden]

    def body(k: Rows) -> None:
        for op in ops:
            op.body(k)

    name = f"{route.id}_{'_'.join(work.ops)}"
    return (kernel(name, outs, tuple(read.values()), body, (*inner, *unread), exact),)


def _ops(work: WorkItem, route: Route, geometry: Geometry, exact_half: bool) -> list[Op]:
    ops = []
    norms = 0
    for i, name in enumerate(work.ops):
        takes = route.takes if i == 0 else "f32"
        gives = route.gives if i == len(work.ops) - 1 else "f32"
        norms += name in NORMS
        weight = "norm" if norms < 2 else f"norm{norms}"
        ops.append(_op(work, name, axes_of(geometry, name), takes, gives, weight, exact_half))
    return ops


def axes_of(geometry: Geometry, op: str) -> Geometry:
    """The axes one op of a span uses: its own (`qkv.rows`), else the span's, else the default."""
    return Geometry.of(
        **{a: geometry.get(f"{op}.{a}", geometry.get(a, d)) for a, d in DEFAULTS.items()}
    )


def _op(
    work: WorkItem,
    name: str,
    geometry: Geometry,
    takes: str,
    gives: str,
    weight: str,
    exact_half: bool,
) -> Op:
    if name in rows_gemv.OPS:
        return Op(
            name,
            rows_gemv.reads(work, name, takes),
            rows_gemv.writes(work, name, gives),
            lambda k: rows_gemv.body(k, work, name, geometry, takes, gives),
        )
    if name == "norm":
        return Op(
            name,
            rows_norm.reads(work, weight),
            rows_norm.writes(work, gives),
            lambda k: rows_norm.body(k, work, geometry, gives, weight),
        )
    if name == "post_norm":
        return Op(
            name,
            rows_norm.post_reads(work, weight),
            rows_norm.post_writes(work),
            lambda k: rows_norm.post_body(k, work, geometry, weight),
        )
    if name == "rope_store":
        return Op(
            name,
            rows_attention.rope_reads(work),
            rows_attention.rope_writes(work, exact_half),
            lambda k: rows_attention.rope_body(k, work, geometry),
        )
    if name == "attention":
        return Op(
            name,
            rows_attention.attention_reads(work, exact_half),
            rows_attention.attention_writes(work, geometry, gives),
            lambda k: rows_attention.attention_body(k, work, geometry, gives),
        )
    if name == "embed":
        return Op(
            name,
            rows_ends.embed_reads(work),
            rows_ends.embed_writes(work),
            lambda k: rows_ends.embed_body(k, work, geometry),
        )
    return Op(
        name,
        rows_ends.argmax_reads(work),
        rows_ends.argmax_writes(work),
        lambda k: rows_ends.argmax_body(k, work, geometry),
    )
