"""tinygrad's CUDA graph with edges along which a kernel starts before the one before it has ended.

Takes captured launches, gives a graph that replays them. A graph without waiting kernels
(emit.dependent) is tinygrad's own.
"""

from __future__ import annotations

import ctypes
from functools import cache
from itertools import pairwise
from typing import Any

PROGRAMMATIC = 1
"""CU_GRAPH_KERNEL_NODE_PORT_PROGRAMMATIC, and CU_GRAPH_DEPENDENCY_TYPE_PROGRAMMATIC."""


class EdgeData(ctypes.Structure):
    """CUgraphEdgeData of cuda.h."""

    _fields_ = (
        ("from_port", ctypes.c_ubyte),
        ("to_port", ctypes.c_ubyte),
        ("type", ctypes.c_ubyte),
        ("reserved", ctypes.c_ubyte * 5),
    )


def available() -> bool:
    """Whether the driver knows such edges (CUDA 12.3 on)."""
    import tinygrad.runtime.autogen.cuda as cuda

    return hasattr(cuda.dll, "cuGraphAddDependencies_v2")


def waits(program: Any) -> bool:
    """Whether a PROGRAM's source waits for the kernel before it."""
    from tinygrad.uop.ops import Ops

    from boltbeam.emit.dependent import INSTRUCTION

    return any(u.op is Ops.SOURCE and INSTRUCTION in u.arg for u in program.src)


def install(device: Any) -> None:
    """Give an opened CUDA device this graph in place of tinygrad's."""
    from tinygrad.runtime.graph.cuda import CUDAGraph

    if device.graph is CUDAGraph and available():
        device.graph = chained_graph()


@cache
def chained_graph() -> Any:
    """The class, made once tinygrad's CUDA runtime could be loaded."""
    import tinygrad.runtime.autogen.cuda as cuda
    from tinygrad.runtime.graph.cuda import CUDAGraph
    from tinygrad.runtime.ops_cuda import check

    class ChainedGraph(CUDAGraph):  # type: ignore[misc]
        """One chain in the order of capture as soon as any kernel waits.

        Each kernel then follows the whole of what was captured before it, which is at least what
        tinygrad's own edges ask for.
        """

        def __init__(self, linear: Any, input_uops: Any = ()) -> None:
            self._waiting: list[bool] | None = None
            super().__init__(linear, input_uops)
            if any(self._waits()):
                self._chain()

        def _waits(self) -> list[bool]:
            if self._waiting is None:
                self._waiting = [waits(call[1]) for call in self.calls]
            return self._waiting

        def new_node(self, bufs: Any, write: Any) -> Any:
            if any(self._waits()):
                return None, cuda.CUgraphNode()
            return super().new_node(bufs, write)

        def _chain(self) -> None:
            nodes = [node for node, *_ in self.nodes]
            edges = []
            for (*_, was_copy), waiting in zip(self.nodes, self._waits()[1:], strict=False):
                early = waiting and not was_copy
                edges.append(EdgeData(PROGRAMMATIC, 0, PROGRAMMATIC) if early else EdgeData())
            count, pairs = len(edges), list(pairwise(nodes))
            many = cuda.CUgraphNode * count
            add = cuda.dll.cuGraphAddDependencies_v2
            add.argtypes = (*(ctypes.c_void_p,) * 4, ctypes.c_size_t)
            check(
                add(
                    ctypes.cast(self.graph, ctypes.c_void_p),
                    many(*(a for a, _ in pairs)),
                    many(*(b for _, b in pairs)),
                    (EdgeData * count)(*edges),
                    count,
                )
            )
            check(cuda.cuGraphExecDestroy(self.instance))
            check(
                cuda.cuGraphInstantiate_v2(ctypes.byref(self.instance), self.graph, None, None, 0)
            )

    return ChainedGraph
