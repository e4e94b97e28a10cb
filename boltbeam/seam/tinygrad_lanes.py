"""Where the lanes of a SIMD group read: addresses from a kernel's own index expressions.

Takes a program as tinygrad linearised it, gives for each distinct load how far neighbouring lanes
read apart. Never runs a kernel and never guesses: an index that depends on loaded data gives none.
"""

from __future__ import annotations

from collections.abc import Mapping
from itertools import pairwise
from statistics import median
from typing import Any

from boltbeam.predict.census import Access
from boltbeam.seam.tinygrad_launches import argument

LARGE = 1 / 8
"""Buffers of at least this share of the largest that is read count; the others stay in a cache."""


def accesses(
    program: Any, nbytes: Mapping[int, int], simd: int, values: Mapping[str, int] | None = None
) -> tuple[Access, ...]:
    """Distinct loads from the large buffers, those farthest apart first.

    `nbytes`: of the arguments. `values`: of variables. Loops stand at their first trip and the grid
    at its first workgroup; lanes are numbered as devices do, the first local axis fastest.
    """
    from tinygrad.uop.ops import Ops

    info = program.arg
    local = [int(n) for n in info.local_size or (1,)]
    lanes = _lanes(local, simd)
    if len(lanes) < 2:
        return ()
    least = LARGE * max((nbytes[i] for i in info.ins), default=0)
    found: dict[Access, None] = {}
    for load in program.src[1].src:
        if load.op is not Ops.LOAD:
            continue
        index = load.src[0].src[0] if load.src[0].op is Ops.CAST else load.src[0]
        slot = argument(index)
        if slot is None or nbytes[slot] < least:
            continue
        element = index.src[0].dtype.itemsize
        width = _width(index)
        try:
            at = [element * _Lane(lane, values or {}).value(index.src[1]) for lane in lanes]
        except _Unknown:
            continue
        stride = int(median(abs(b - a) for a, b in pairwise(at)))
        found[Access(argument=slot, load_bytes=element * width, stride_bytes=stride)] = None
    return tuple(sorted(found, key=lambda a: (-a.stride_bytes, a.argument, a.load_bytes)))


def _lanes(local: list[int], simd: int) -> list[dict[str, int]]:
    """Local ids of the first SIMD group."""
    total = 1
    for n in local:
        total *= n
    out = []
    for thread in range(min(simd, total)):
        ids = {}
        for axis, n in enumerate(local):
            ids[f"lidx{axis}"] = thread % n
            thread //= n
        out.append(ids)
    return out


def _width(index: Any) -> int:
    """Elements that one lane loads."""
    from tinygrad.uop.ops import Ops

    return int(index.src[2].ssimplify()) if index.op is Ops.SHRINK else 1


class _Unknown(Exception):
    """The index depends on something that is not written in the kernel."""


class _Lane:
    """Integers of one lane."""

    def __init__(self, ids: Mapping[str, int], values: Mapping[str, int]) -> None:
        self.ids, self.values = ids, values
        self.known: dict[Any, int] = {}

    def value(self, u: Any) -> int:
        if u not in self.known:
            self.known[u] = self._value(u)
        return self.known[u]

    def _value(self, u: Any) -> int:
        from tinygrad.uop.ops import GroupOp, Ops, exec_alu

        if u.op is Ops.CONST:
            return int(u.val)
        if u.op is Ops.SPECIAL:
            return self.ids.get(u.arg, 0)
        if u.op is Ops.RANGE:
            return 0
        if u.op is Ops.PARAM:
            return self.values.get(u.arg.name or "", 0)
        if u.op in (Ops.CAST, Ops.BITCAST, Ops.AFTER):
            return self.value(u.src[0])
        if u.op is Ops.LOAD and not _depends_on_lane(u):
            return 0  # a row, a position: the same for all lanes
        if u.op in GroupOp.ALU:
            return int(exec_alu(u.op, u.dtype, [self.value(s) for s in u.src]))
        raise _Unknown


def _depends_on_lane(u: Any) -> bool:
    from tinygrad.uop.ops import Ops

    return any(s.op is Ops.SPECIAL and s.arg.startswith("lidx") for s in u.toposort())
