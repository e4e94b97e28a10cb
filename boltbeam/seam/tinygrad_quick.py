"""Two questions that tinygrad asks of a kernel thousands of times, answered without detours.

Takes kernels, gives a context in which tinygrad renders them to the same text in less time. Never
answers for a kernel in whose instructions, as they were given, tinygrad itself has not found all
loads in bounds; of those that only arise while it renders, what their intervals show is refused.

Once loops follow each other, every loop variable holds all that runs before it. A load of several
words has its bounds proven by simplifying its index, so that each load of a long kernel walks
through most of it, at every pass anew; and to see that a condition reads no memory, tinygrad lists
all that the condition depends on.
"""

from __future__ import annotations

import threading
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Any

_LOCK = threading.RLock()


@contextmanager
def quick(kernels: Iterable[Any]) -> Iterator[None]:
    """In here tinygrad answers sooner, whoever asks; a thread that comes later waits.

    `kernels`: the SINKs that are to be rendered. ValueError where a load of one is out of bounds.
    """
    from tinygrad.uop.ops import UOp

    shapes = vars(UOp)["_shape"]
    with _LOCK:
        for kernel in kernels:
            _ = kernel._shape  # of every node in it, with all of tinygrad's checks
        found, listed = shapes.fxn, UOp.op_in_backward_slice_with_self

        def shape(node: Any) -> Any:
            width = _width(node)
            return found(node) if width is None else (width,)

        shapes.fxn, UOp.op_in_backward_slice_with_self = shape, _depends_on
        try:
            yield
        finally:
            shapes.fxn, UOp.op_in_backward_slice_with_self = found, listed


def _width(node: Any) -> int | None:
    """Elements of a load of neighbours, where nothing speaks against its bounds; else None."""
    from tinygrad.uop.ops import Ops

    if node.op is not Ops.SHRINK:
        return None
    buffer, start, size = node.src
    size = size.src[0] if size.op is Ops.CAST else size
    held = buffer._shape
    if size.op is not Ops.CONST or start.op is Ops.STACK or held is None or len(held) != 1:
        return None
    width = int(size.val)
    inside = width > 0 and start.vmax >= 0 and start.vmin + width <= held[0]
    return width if isinstance(held[0], int) and inside else None


def _depends_on(self: Any, *ops: Any) -> bool:
    """Whether the node or one before it is of these kinds; looks no further than the first."""
    stack, seen = [self], set()
    while stack:
        node = stack.pop()
        if node.op in ops:
            return True
        if node not in seen:
            seen.add(node)
            stack.extend(node.src)
    return False
