"""Launches recorded once and replayed as one graph, through tinygrad's JIT.

Takes functions that queue launches, gives functions that replay them. Never compiles twice.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from boltbeam.seam.tinygrad_quick import quick


def capture(fn: Callable[[], Any]) -> Any:
    """One graph of a function without arguments: its first call captures, later calls replay.

    Host work per kernel happens only where the device has no graphs (CPU without HCQ2).
    """
    from tinygrad import TinyJit
    from tinygrad.helpers import JIT_BATCH_SIZE, Context

    graph = TinyJit(fn)
    graph.cnt = 1
    with Context(JIT_BATCH_SIZE=max(JIT_BATCH_SIZE.value, 1 << 14)):
        graph()
    return graph


def capture_calls(calls: Sequence[Any], result: Any) -> Any:
    """As capture, of CALLs in the order in which they run; a replay gives the tensor `result`.

    tinygrad's scheduler would find the same calls in the same order, but looks at everything before
    a launch to place it; and its JIT would rewrite a kernel as often as it is launched.
    """
    from tinygrad.engine.realize import capturing
    from tinygrad.uop.ops import Ops, UOp

    linear = UOp(Ops.LINEAR, src=compiled(calls))

    def token() -> Any:
        capturing[0].add_linear(linear, {})
        return result

    return capture(token)


def compiled(calls: Sequence[Any]) -> tuple[Any, ...]:
    """The CALLs with machine code, every kernel of them compiled once."""
    from tinygrad.engine.realize import lower_and_compile
    from tinygrad.uop.ops import Ops, UOp

    firsts = {call.src[0]: call for call in calls}
    with quick([kernel for kernel in firsts if kernel.op is Ops.SINK]):
        ready = lower_and_compile(UOp(Ops.LINEAR, src=tuple(firsts.values())))
    programs = {kernel: call.src[0] for kernel, call in zip(firsts, ready.src, strict=True)}
    return tuple(call.replace(src=(programs[call.src[0]], *call.src[1:])) for call in calls)


class Recording:
    """Launches, compiled once, not run."""

    def __init__(self, calls: Sequence[Any], values: dict[str, int] | None = None) -> None:
        """CALLs in the order in which they run, and the variables that they depend on."""
        self._calls, self._values = compiled(calls), values or {}

    @classmethod
    def of(cls, step: Callable[[], Any]) -> Recording:
        """Those of a function without arguments, as tinygrad schedules them.

        Intermediate results share their memory in all repetitions of a graph, so each waits for the
        one before.
        """
        from tinygrad.engine.realize import capturing
        from tinygrad.schedule.memory import memory_plan_rewrite
        from tinygrad.tensor import all_tensors
        from tinygrad.uop.ops import Ops, UOp, buffers

        heard = _Listener()
        capturing.append(heard)
        try:
            step()
        finally:
            capturing.clear()
        alive = [t for ref in list(all_tensors) if (t := ref()) is not None]
        held = {u for t in alive for u in t.uop.toposort() if u.op is Ops.BUFFER} | set(buffers)
        planned = memory_plan_rewrite(UOp(Ops.LINEAR, src=tuple(heard.calls)), held)
        return cls(planned.src, heard.values)

    def plain(self) -> Callable[[], Any]:
        """The launches one by one, without a graph; each call runs them."""
        from tinygrad.engine.jit import CapturedJit
        from tinygrad.engine.realize import compile_linear
        from tinygrad.uop.ops import Ops, UOp

        ready = CapturedJit(None, compile_linear(UOp(Ops.LINEAR, src=self._calls), beam=0), [], [])
        return lambda: ready([], self._values)

    def graph(self, swaps: Sequence[Sequence[tuple[Any, Any]]]) -> Callable[[], Any]:
        """One graph with the launches once per swap; each call of it replays them.

        A swap is pairs of realised tensors: one that the function used, and the one to use instead.
        """
        from tinygrad.engine import jit as engine
        from tinygrad.engine.realize import compile_linear
        from tinygrad.helpers import JIT, JIT_BATCH_SIZE
        from tinygrad.uop.ops import Ops, UOp

        maps = [{a.uop.base: b.uop.base for a, b in swap if a is not b} for swap in swaps]
        calls = tuple(_exchanged(call, m) for m in maps for call in self._calls)
        linear = compile_linear(UOp(Ops.LINEAR, src=calls), beam=0)
        if JIT.value < 2:
            batch = max(JIT_BATCH_SIZE.value, 1 << 14)
            linear = engine.graph_split_rewrite(linear, max_batch_size=batch)
        captured = engine.CapturedJit(None, linear, [], [])
        return lambda: captured([], self._values)


class _Listener:
    """Collects what would have been run."""

    def __init__(self) -> None:
        self.calls: list[Any] = []
        self.values: dict[str, int] = {}
        """Of the variables that the launches depend on."""

    def add_linear(self, linear: Any, values: dict[str, int]) -> None:
        self.calls += linear.src
        self.values |= values


def _exchanged(call: Any, other: dict[Any, Any]) -> Any:
    """The call with other buffers; the kernel itself is not looked at."""
    from tinygrad.uop.ops import Ops

    if not other:
        return call
    args = [other.get(b, b) if b.op is Ops.BUFFER else b.substitute(other) for b in call.src[1:]]
    return call.replace(src=(call.src[0], *args))
