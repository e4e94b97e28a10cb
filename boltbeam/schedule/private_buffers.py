"""Private buffers to run one scheduled kernel in: the running half of the scheduler adapter.

Takes a kernel and bytes, gives launchers and the bytes after a launch. Never runs anything on the
buffers of a model.
"""

from __future__ import annotations

import time
from typing import Any

import numpy as np
from numpy.typing import NDArray

from boltbeam.seam import tinygrad_adapter as tg
from boltbeam.seam.tinygrad_schedule import Kernel, Program

Bytes = NDArray[np.uint8]
GUARD = 256
"""Poisoned bytes behind each private buffer: a write past the end is seen there."""
POISON = 0xFF
"""What outputs hold before a launch: NaN as a float, -1 as an integer."""


def numpy_dtype(name: str) -> Any:
    """numpy's dtype for the name of one of tinygrad's; None where numpy has none (bfloat16)."""
    from tinygrad.dtype import _to_np_dtype, dtypes

    found = next((d for d in dtypes.all if d.name == name), None)
    kind = None if found is None or name == "__bf16" else _to_np_dtype(found)
    return None if kind is None else np.dtype(kind)


class Arena:
    """Private, guarded buffers for one kernel, in `copies` sets that launches rotate through."""

    def __init__(self, kernel: Kernel, device: str, copies: int = 1) -> None:
        from tinygrad.codegen.opt.postrange import args_from_ast

        self.device, self.copies = device, copies
        templates, self.middle = args_from_ast(kernel.ast, device)
        self.variables = {v.expr: (int(v.vmin), int(v.vmax)) for v in kernel.ast.variables()}
        self.dtypes = tuple(t.dtype.name for t in templates)
        self.nbytes = tuple(t.nbytes for t in templates)
        self.sets = [[_guarded(device, n) for n in self.nbytes] for _ in range(copies)]

    def write(self, slot: int, data: Bytes) -> None:
        """Fill a buffer in every set; the guard behind it is poisoned."""
        image = np.full(self.nbytes[slot] + GUARD, POISON, dtype=np.uint8)
        image[: data.size] = data
        for buffers in self.sets:
            tg.copy_in(buffers[slot], image)

    def read(self, slot: int) -> Bytes:
        """A buffer of the first set, its guard included."""
        return tg.copy_out(self.sets[0][slot])

    def launcher(self, program: Program, values: dict[str, int]) -> Launcher:
        return Launcher(self.device, program, self.sets, values)


def _guarded(device: str, nbytes: int) -> Any:
    from tinygrad.device import Buffer
    from tinygrad.dtype import dtypes

    return Buffer(device, nbytes + GUARD, dtypes.uint8, preallocate=True)


class Launcher:
    """A program on private buffers: `launcher(n)` runs it n times, set after set -> seconds."""

    def __init__(
        self, device: str, program: Program, sets: list[list[Any]], values: dict[str, int]
    ) -> None:
        from tinygrad import UOp
        from tinygrad.engine.realize import get_runtime, optimize_local_size

        prg = program.uop
        call = prg.call(*[UOp.from_buffer(b) for b in sets[0]])
        with_local = optimize_local_size(call, prg)
        prg = prg if with_local is None else with_local.src[0]
        self.device, self.copies = device, len(sets)
        self.rotated_bytes = len(sets) * sum(b.nbytes - GUARD for b in sets[0])
        self._next = 0
        self._run = get_runtime(device, prg, cache=False)
        self._sets = [[s[i].get_buf(device) for i in prg.arg.globals] for s in sets]
        self._size, self._local = prg.arg.launch_dims(values)
        self._values = prg.arg.vals(values)

    def queue(self, n: int) -> None:
        """Launch n times without waiting."""
        for _ in range(n):
            buffers = self._sets[self._next]
            self._next = (self._next + 1) % self.copies
            self._run(*buffers, global_size=self._size, local_size=self._local, vals=self._values)

    def __call__(self, n: int) -> float:
        tg.synchronize(self.device)
        clock = time.thread_time if tg.runs_on_caller(self.device) else time.perf_counter
        begin = clock()
        self.queue(n)
        tg.synchronize(self.device)
        return clock() - begin


def content(buffer: Any) -> Bytes | None:
    """A copy of the bytes of one of the token's buffers; None where it holds no data yet."""
    if not buffer.is_allocated():
        return None
    return tg.copy_out(buffer.ensure_allocated())


def as_bytes(values: NDArray[Any]) -> Bytes:
    return np.asarray(values.view(np.uint8))
