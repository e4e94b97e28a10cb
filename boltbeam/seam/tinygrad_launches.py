"""The launches of a captured token one by one, and graphs made of some of them, or of none.

Takes a TinyJit that has captured a token, gives its launches, functions that replay any of them,
the same launches empty, and cut to a part of their work. Never compiles a kernel that the token
has, and never times anything.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

import numpy as np

from boltbeam.seam import tinygrad_adapter as tg
from boltbeam.seam import tinygrad_cuda_graph


@dataclass(frozen=True)
class Launched:
    """One launch of a captured token."""

    call: Any = field(repr=False)
    name: str
    groups: int | None
    """Workgroups; None: the driver chooses how many."""
    threads: int
    """Of all workgroups together."""
    buffers: tuple[Any, ...] = field(repr=False)
    """tinygrad's Buffers, by argument."""
    outs: tuple[int, ...]
    """Arguments that it writes."""

    @property
    def program(self) -> Any:
        return self.call.src[0]

    @property
    def is_kernel(self) -> bool:
        """False for a copy."""
        from tinygrad.uop.ops import Ops

        return self.program.op is Ops.PROGRAM


class Tape:
    """A captured token: its launches in order, and what replays them."""

    def __init__(
        self,
        jit: Any,
        device: str,
        inputs: Sequence[Any] = (),
        values: dict[str, int] | None = None,
    ) -> None:
        """`inputs`, `values`: buffers and variables that the captured function was called with."""
        self.device, self.inputs, self.values = device, list(inputs), values or {}
        self._captured = jit.captured
        self._nothing = tg.upload(np.zeros(1, np.int32), device).uop.base
        self.launches = tuple(self._launched(c) for c in _flat(self._captured._linear))
        self._written = {id(x.buffers[i].base) for x in self.launches for i in x.outs}

    def _launched(self, call: Any) -> Launched:
        from tinygrad.engine.realize import get_call_name, resolve_params
        from tinygrad.uop.ops import Ops

        buffers = tuple(u.buffer for u in resolve_params(call, tuple(self.inputs)))
        program = call.src[0]
        if program.op is not Ops.PROGRAM:  # a copy
            return Launched(call, _plain(get_call_name(call, buffers)), None, 1, buffers, (0,))
        shape, outs = grid(program, self.values), tuple(program.arg.outs)
        return Launched(call, _plain(program.arg.name), *shape, buffers, outs)

    @property
    def has_graphs(self) -> bool:
        """True where the device replays many launches at once; else each costs host work."""
        return tg.open_device(self.device).graph is not None

    @property
    def starts_early(self) -> bool:
        """True where kernels of a graph start while the one before them runs."""
        return self.has_graphs and any(
            x.is_kernel and tinygrad_cuda_graph.waits(x.program) for x in self.launches
        )

    # ---- what replays them -------------------------------------------------------------------

    def whole(self) -> Callable[[], Any]:
        """The token exactly as it was captured."""
        return lambda: self._captured(self.inputs, self.values)

    def graph(self, calls: Sequence[Any], late: bool = False) -> Callable[[], Any]:
        """These calls in one graph, where the device has graphs; `late`: none starts early."""
        from tinygrad.engine import jit as engine
        from tinygrad.helpers import JIT, JIT_BATCH_SIZE
        from tinygrad.uop.ops import Ops, UOp

        linear = UOp(Ops.LINEAR, src=tuple(calls))
        if JIT.value < 2:
            batch = max(JIT_BATCH_SIZE.value, 1 << 14)
            linear = engine.graph_split_rewrite(linear, max_batch_size=batch)
        if late:
            linear = tinygrad_cuda_graph.late(linear)
        captured = engine.CapturedJit(None, linear, [], [])
        return partial(captured, self.inputs, self.values)

    # ---- other calls -------------------------------------------------------------------------

    def chained(self, launches: Sequence[Launched]) -> list[Any]:
        """Calls of one program that wait for each other, as they share an output.

        In the token they are apart; a graph of them alone would run those side by side that do not.
        """
        first = launches[0]
        shared = [
            i
            for i in first.outs
            if all(_place(x.buffers[i]) == _place(first.buffers[i]) for x in launches)
        ]
        if shared or not first.outs:
            return [x.call for x in launches]
        outs = {i: _arguments(first.call)[i] for i in first.outs}
        return [exchanged(x.call, outs) for x in launches]

    def hollow(self, launched: Launched) -> Any:
        """A call of a kernel on the same buffers that does nothing with any of them.

        It needs a buffer of its own. That takes the place of one that no launch writes: as many
        arguments, and no hazard less.
        """
        arguments, buffers = list(_arguments(launched.call)), list(launched.buffers)
        constant = (i for i, b in enumerate(buffers) if id(b.base) not in self._written)
        spare = next(constant, len(arguments))
        arguments[spare : spare + 1] = [self._nothing]
        buffers[spare : spare + 1] = [self._nothing.buffer]
        waits = launched.is_kernel and tinygrad_cuda_graph.waits(launched.program)
        nothing = _nothing_on(buffers, launched.outs, spare, waits)
        return _compiled(nothing.call(*arguments))

    def part(self, launched: Launched, tables: Sequence[int]) -> tuple[Any, float] | None:
        """(its program cut to about half of what it reads, that share). None: it cannot be cut.

        Half of the workgroups; where it has but one, and that of one thread, half of every outer
        loop over `tables` (arguments). What it leaves is wrong, its time is not.
        """
        if not launched.is_kernel:
            return None
        program = launched.program
        size = program.arg.launch_dims(self.values)[0]
        axis = max(range(len(size)), key=lambda i: size[i])
        n = size[axis]
        if isinstance(n, int) and n > 1:
            cut = (*size[:axis], n // 2, *size[axis + 1 :])
            return program.replace(arg=replace(program.arg, global_size=cut)), n // 2 / n
        if launched.threads > 1:
            return None  # the loops of a workgroup are strides over its threads
        loops = outer_loops(program.src[0], tables)
        if not loops:
            return None
        nbytes = {i: launched.buffers[i].nbytes for i in tables}
        share = {i: n // 2 / n for n, inside in loops.values() for i in inside}
        left = sum(n * share.get(i, 1.0) for i, n in nbytes.items()) / sum(nbytes.values())
        halves = [(loop, n) for loop, (n, _) in loops.items()]
        return _halved(program, halves, self.device), left


def grid(program: Any, values: dict[str, int]) -> tuple[int | None, int]:
    """(workgroups, or None where the driver chooses them; threads of all of them)."""
    size, local = program.arg.launch_dims(values)
    groups = None if local is None else math.ceil(math.prod(size))
    return groups, math.ceil(math.prod(size) * math.prod(local or (1,)))


def rollout_inputs(model: Any, position: int) -> tuple[list[Any], dict[str, int]]:
    """(buffers, variables) that stock's captured decode token is replayed with."""
    from tinygrad import Tensor
    from tinygrad.engine.jit import _prepare_jit_inputs

    from boltbeam.seam.tinygrad_model import start_position, token_tensor

    start, greedy = start_position(position, model.max_context), Tensor([0.0]).realize()
    asked = (token_tensor(1).contiguous(), start, greedy)
    buffers, values, *_ = _prepare_jit_inputs(asked, {})
    return list(buffers), dict(values)


def copied(buffer: Any) -> Any:
    """An argument like this one elsewhere in memory, with its contents."""
    from tinygrad.device import Buffer
    from tinygrad.uop.ops import UOp

    made = Buffer(buffer.device, buffer.size, buffer.dtype, preallocate=True)
    made.copy_from(buffer)
    return UOp.from_buffer(made)


def exchanged(call: Any, others: dict[int, Any]) -> Any:
    """The call with other arguments, by their number."""
    count, source = 0, [call.src[0]]
    for u in call.src[1:]:
        if u.is_bound_var:
            source.append(u)
        else:
            source.append(others.get(count, u))
            count += 1
    return call.replace(src=tuple(source))


def outer_loops(sink: Any, arguments: Sequence[int]) -> dict[Any, tuple[int, set[int]]]:
    """Outermost loops in which these arguments are read -> (trips, which of them).

    {} where one of them has no fixed number of trips above one: then nothing is known of the rest.
    """
    from tinygrad.uop.ops import Ops

    found: dict[Any, tuple[int, set[int]]] = {}
    nodes = sink.toposort()
    reads = [(s, u) for u in nodes if (s := _reads(u)) is not None and s in arguments]
    for end in nodes:
        if end.op is not Ops.END or end.ranges:
            continue
        for loop in (r for r in end.src[1:] if r.op is Ops.RANGE):
            inside = {slot for slot, u in reads if loop in u.ranges}
            if inside and not 1 < loop.src[0].vmin == loop.src[0].vmax:
                return {}
            if inside:
                found[loop] = int(loop.src[0].vmax), inside
    return found


def _reads(u: Any) -> int | None:
    """The argument that a LOAD reads from."""
    from tinygrad.uop.ops import Ops

    if u.op is not Ops.LOAD:
        return None
    return argument(u.src[0].src[0] if u.src[0].op is Ops.CAST else u.src[0])


def argument(index: Any) -> int | None:
    """Number of the argument that an index expression reads from; None: other memory."""
    from tinygrad.uop.ops import Ops

    if index.op not in (Ops.INDEX, Ops.SHRINK):
        return None
    buffer = index.src[0].buf_uop
    return int(buffer.arg.slot) if buffer.op is Ops.PARAM else None


def _halved(program: Any, loops: Iterable[tuple[Any, int]], device: str) -> Any:
    """The program of one thread with these loops run half as often.

    Before: for row in 1536: …      After: for row in 768: …
    Memory of its own that it then leaves unwritten begins as zeros: whatever lies on the stack may
    be numbers so small that arithmetic takes a hundred times as long.
    """
    from tinygrad.codegen import do_to_program
    from tinygrad.uop.ops import Ops, UOp

    half = {}
    for loop, trips in loops:
        bound = loop.src[0]  # CAST(CONST) where it is spelled out for a renderer
        number = bound if bound.op is Ops.CONST else bound.src[0]
        less = UOp.const(trips // 2, number.dtype)
        bound = less if bound is number else bound.replace(src=(less,))
        half[loop] = loop.replace(src=(bound, *loop.src[1:]))
    renderer = tg.open_device(device).renderer
    sink = program.src[0].substitute(half)
    made = do_to_program(UOp(Ops.PROGRAM, src=(sink,), arg=program.arg), renderer)
    text = re.sub(r"(?m)^( +\w[\w ]* buf\d+\[\d+\]);$", r"\1 = {0};", str(made.src[2].arg))
    source = UOp(Ops.SOURCE, arg=text)
    return do_to_program(made.replace(src=(*made.src[:2], source)), renderer)


def _flat(linear: Any) -> Iterator[Any]:
    """Calls of kernels and copies, out of their graphs."""
    from tinygrad.uop.ops import Ops

    for call in linear.src:
        head = call.src[0]
        if head.op is Ops.CUSTOM_FUNCTION and head.arg == "graph":
            yield from head.src[0].src
        else:
            yield call


def _plain(name: str) -> str:
    from tinygrad.helpers import ansistrip

    return str(ansistrip(name))


def _place(buffer: Any) -> tuple[int, int]:
    return id(buffer.base), buffer.offset


def _arguments(call: Any) -> tuple[Any, ...]:
    from tinygrad.engine.realize import get_call_arg_uops

    return tuple(get_call_arg_uops(call))


def _compiled(call: Any) -> Any:
    from tinygrad.engine.realize import lower_and_compile
    from tinygrad.uop.ops import Ops, UOp

    return lower_and_compile(UOp(Ops.LINEAR, src=(call,))).src[0]


def _nothing_on(buffers: Sequence[Any], outs: Sequence[int], bound: int, waits: bool) -> Any:
    """A kernel with these arguments whose loop runs as often as argument `bound` says: never.

    `waits`: it starts early and waits for the kernel before it, as emit.dependent's do.

    Every argument is used in the loop (replays of a CUDA graph need that), none is touched.
    """
    from tinygrad.dtype import dtypes
    from tinygrad.renderer import Estimates
    from tinygrad.uop.ops import AxisType, KernelInfo, UOp

    from boltbeam.emit import dependent

    held = [UOp.placeholder((b.size,), b.dtype, slot=i) for i, b in enumerate(buffers)]
    if waits:
        now = dependent.waited()
        held = [b.after(now) for b in held]
    trips = held[bound][UOp.const(0)].load().cast(dtypes.weakint)
    most = UOp.const(min(b.size for i, b in enumerate(buffers) if i != bound))
    i = UOp.range(trips.minimum(most).maximum(UOp.const(0)), 1, AxisType.LOOP)
    ins = [b[i].load().cast(dtypes.float32) for n, b in enumerate(held) if n not in (*outs, bound)]
    total = sum(ins, UOp.const(1.0, dtypes.float32))
    stores = [held[n][i].store(total.cast(held[n].dtype)) for n in outs]
    info = KernelInfo(name="nothing", opts_to_apply=(), estimates=Estimates(1, 1, 1))
    return UOp.group(*stores).end(i).sink(arg=info, tag=1)
