"""tinygrad's CUDA graph with edges along which a kernel starts before the one before it has ended.

Takes captured launches, gives a graph that replays them. A graph without waiting kernels
(emit.dependent) has tinygrad's own edges.
"""

from __future__ import annotations

import ctypes
from dataclasses import replace
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


LATE = "late"
"""Tag of a graph in which no kernel starts early."""


def late(linear: Any) -> Any:
    """The same graphs, in which each kernel starts when the one before it has ended."""
    from tinygrad.uop.ops import Ops

    def tagged(call: Any) -> Any:
        head = call.src[0]
        if head.op is not Ops.CUSTOM_FUNCTION or head.arg != "graph":
            return call
        return call.replace(src=(head.replace(tag=LATE), *call.src[1:]))

    return linear.replace(src=tuple(tagged(call) for call in linear.src))


def available() -> bool:
    """Whether the driver knows such edges (CUDA 12.3 on)."""
    import tinygrad.runtime.autogen.cuda as cuda

    return hasattr(cuda.dll, "cuGraphAddDependencies_v2")


def waits(program: Any) -> bool:
    """Whether a PROGRAM's source waits for the kernel before it."""
    from tinygrad.uop.ops import Ops

    from boltbeam.emit.dependent import INSTRUCTION

    return any(u.op is Ops.SOURCE and INSTRUCTION in u.arg for u in program.src)


def early_edges(graph: Any) -> int:
    """Edges of a captured TinyJit, once it has run, along which kernels start early."""
    from tinygrad.engine.realize import get_graph_runtime
    from tinygrad.uop.ops import Ops

    heads = [call.src[0] for call in graph.captured.linear.src]
    made = [get_graph_runtime(h) for h in heads if h.op is Ops.CUSTOM_FUNCTION and h.arg == "graph"]
    return sum(getattr(m, "early", 0) for m in made)


def with_largest_grid(program: Any) -> Any:
    """The PROGRAM with a grid that depends on variables as large as they let it be.

    tinygrad makes the nodes of a graph with all variables at zero, and CUDA refuses an empty grid;
    every replay then sets the grid it needs.
    """
    from tinygrad.uop.ops import Ops, UOp

    if program.op is not Ops.PROGRAM:
        return program
    size = (d.vmax if isinstance(d, UOp) else d for d in program.arg.global_size)
    return program.replace(arg=replace(program.arg, global_size=tuple(size)))


def install(device: Any) -> None:
    """Give an opened CUDA device this graph in place of tinygrad's."""
    from tinygrad.runtime.graph.cuda import CUDAGraph

    if device.graph is CUDAGraph:
        device.graph = graph_class()


@cache
def graph_class() -> Any:
    """The class, made once tinygrad's CUDA runtime could be loaded."""
    import tinygrad.runtime.autogen.cuda as cuda
    from tinygrad.engine.jit import MultiGraphRunner
    from tinygrad.runtime.graph.cuda import CUDAGraph
    from tinygrad.runtime.ops_cuda import check

    class Grids(MultiGraphRunner):  # type: ignore[misc]
        """What CUDAGraph makes its nodes of: no empty grids."""

        def __init__(self, *args: Any, **named: Any) -> None:
            super().__init__(*args, **named)
            calls: list[Any] = self.calls
            self.calls: list[Any] = [(i, with_largest_grid(p), *more) for i, p, *more in calls]

    class DependentGraph(CUDAGraph, Grids):  # type: ignore[misc]
        """One chain in the order of capture as soon as any kernel waits.

        Each kernel then follows the whole of what was captured before it, which is at least what
        tinygrad's own edges ask for.
        """

        early = 0
        """Edges of the executable graph along which a kernel starts early."""

        def __init__(self, ast: Any, *args: Any, **named: Any) -> None:
            self._waits: list[bool] | None = None
            self._late = ast.tag == LATE
            super().__init__(ast, *args, **named)
            if any(self.waits):
                self._chain()

        @property
        def waits(self) -> list[bool]:
            if self._waits is None:
                self._waits = [waits(call[1]) for call in self.calls]
            return self._waits

        def new_node(self, bufs: Any, write: Any) -> Any:
            if any(self.waits):
                return None, cuda.CUgraphNode()
            return super().new_node(bufs, write)

        def _chain(self) -> None:
            """All edges, and the executable graph made anew with them."""
            pairs = list(pairwise(node for node, *_ in self.nodes))
            early = [
                waiting and not was_copy and not self._late
                for (*_, was_copy), waiting in zip(self.nodes, self.waits[1:], strict=False)
            ]
            if any(early) and not available():
                raise RuntimeError("this driver's graphs start no kernel early: CUDA 12.3 does")
            edges = [EdgeData(PROGRAMMATIC, 0, PROGRAMMATIC) if e else EdgeData() for e in early]
            many = cuda.CUgraphNode * len(pairs)
            add = cuda.dll.cuGraphAddDependencies_v2
            add.argtypes = (*(ctypes.c_void_p,) * 4, ctypes.c_size_t)
            check(
                add(
                    ctypes.cast(self.graph, ctypes.c_void_p),
                    many(*(a for a, _ in pairs)),
                    many(*(b for _, b in pairs)),
                    (EdgeData * len(edges))(*edges),
                    len(edges),
                )
            )
            old: Any = self.instance
            made = cuda.CUgraphExec()
            check(cuda.cuGraphInstantiate_v2(ctypes.byref(made), self.graph, None, None, 0))
            self.instance: Any = made
            self.early = sum(e.type == PROGRAMMATIC for e in edges)
            check(cuda.cuGraphExecDestroy(old))

    return DependentGraph
