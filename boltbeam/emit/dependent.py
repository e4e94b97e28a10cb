"""Kernels that start while the one before them runs (CUDA's programmatic dependent launch).

Takes a launch, gives the same kernel with a wait in it. What no launch of a token writes (weights,
norm weights, biases, the table of RoPE) may be read in front of the wait; all else stands behind
it. The wait ends when the kernel before has ended and its writes are seen, and as every kernel of a
graph waits, when all kernels before have. Without an edge that starts it early it costs nothing.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from tinygrad import dtypes
from tinygrad.dtype import AddrSpace
from tinygrad.uop.ops import Ops, UOp

from boltbeam.emit.core import Launch

INSTRUCTION = "griddepcontrol.wait"
"""By this a rendered kernel is known to wait."""
WAIT = (
    '[]{{ asm volatile("griddepcontrol.launch_dependents; griddepcontrol.wait;" ::: "memory");'
    " return {0}; }}()"
)
"""First allows the next kernel to start: its threads take what room this one leaves."""
CONSTANT = ("w.", "n.", "b.", "rope")
"""Beginnings of the names of buffers that no launch writes."""
WAITS = "waits"
"""Attribute of a launch's `build` that puts a wait into it: this module made its text too."""
SLOT = 1 << 10
"""Of the register that the wait pretends to write: above those that a kernel counts for itself."""


def dependent(launch: Launch) -> Launch:
    """The launch with a wait in front of whatever an earlier launch may write or still read."""
    names = [b.name for b in (*launch.outs, *launch.ins)]

    def build(*placeholders: Any) -> Any:
        now = waited()
        return launch.build(
            *(
                p if name.startswith(CONSTANT) else p.after(now)
                for p, name in zip(placeholders, names, strict=True)
            )
        )

    build.__module__ = launch.build.__module__
    setattr(build, WAITS, True)
    return replace(launch, build=build)


def waited() -> Any:
    """The wait, for buffers to stand behind: `buffer.after(waited())`."""
    # tinygrad orders memory accesses behind a STORE, not behind a CUSTOM of its own
    register = UOp.placeholder((1,), dtypes.int32, slot=SLOT, addrspace=AddrSpace.REG)
    zero = UOp.const(0, dtypes.int32)
    return register[0].store(UOp(Ops.CUSTOM, dtypes.int32, (zero,), WAIT))
