"""Fused spans in the lanes form: which emitter does which.

Takes a chain work item, gives its launches. There is no barrier across workgroups, so a span is
fused only where one workgroup can repeat the first op (a norm) or the second launch exists anyway.
"""

from __future__ import annotations

from boltbeam.emit import lanes_attention, lanes_gemv, lanes_norm
from boltbeam.emit.core import Launch, Target
from boltbeam.types import Geometry, Route, WorkItem

SPANS = {
    "norm+qkv": lanes_gemv.emit,
    "norm+gate_up": lanes_gemv.emit,
    "norm+head": lanes_gemv.emit,
    "o+norm": lanes_gemv.emit,
    "down+norm": lanes_gemv.emit,
    "head+argmax": lanes_gemv.emit,
    "norm+head+argmax": lanes_gemv.emit,
    "rope_store+attention": lanes_attention.emit,
    "post_norm+norm": lanes_norm.emit,
}


def emit(work: WorkItem, route: Route, geometry: Geometry, target: Target) -> tuple[Launch, ...]:
    """The launches of a span. Raises ValueError for a span that no lanes kernel fuses."""
    if work.op not in SPANS:
        raise ValueError(f"{work.op}: lanes kernels fuse {', '.join(SPANS)}")
    return SPANS[work.op](work, route, geometry, target)
