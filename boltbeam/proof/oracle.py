"""Inputs of a proof and what they must give: sample contents with the float64 reference.

Takes a work item and the buffers a route reads, gives arrays by case number and expected values.
Never runs a kernel. Remembered per work item, so that all its candidates share them.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from boltbeam.emit import reference
from boltbeam.emit.core import Buf
from boltbeam.models.plan import GIVES_ACTIVATION, NORMS, TAKES_ACTIVATION
from boltbeam.proof import sample_data, shared_arrays
from boltbeam.proof.compare_outputs import Expected
from boltbeam.types import Route, WorkItem

Arrays = dict[str, NDArray[Any]]

SINGLE = frozenset({"embed", "qkv", "o", "down", "head"})
"""Ops that are linear in their table: the largest scales stay finite in fp32."""
PREFIX = {"norm": "xn", "attention": "att", "gate_up": "act"}
"""Activation that an op gives."""
HALF_ROOM = 2.0**14
"""Keys and values stay below this: a quarter of the largest 16-bit float."""
MARGIN = 1e-3
"""Share of a quantisation step that inputs stay away from a rounding border."""
POSITIONED = frozenset({"rope_store", "attention", "argmax"})
"""Ops whose work depends on the token's position."""


@dataclass(frozen=True)
class Cases:
    """Case 0 is plausible; case 1 has other values everywhere, and tables at their edges.

    Where the position matters case 0 stands at the last one, so that every split of the context is
    live, and there are two more cases, with the same tables: the first position and the middle.
    """

    work: WorkItem
    bufs: tuple[Buf, ...]
    """Inputs and in-place state of the launches, by name."""
    seed: int
    inner: str = "f32"
    """Interface in which the ops of the span hand activations to each other."""

    @classmethod
    def of(cls, work: WorkItem, route: Route, bufs: tuple[Buf, ...], seed: int) -> Cases:
        """The cases that prove a route's kernels."""
        return cls(work, bufs, seed, inner(work, route))

    @property
    def extra(self) -> tuple[int, ...]:
        """Further case numbers, beside 0 and 1."""
        return (2, 3) if POSITIONED & set(self.work.ops) else ()

    def position(self, case: int) -> int | None:
        """Position of a case; None: anywhere."""
        last = self.work.context - 1
        return {0: last, 2: 0, 3: last // 2}.get(case) if self.extra else None

    def inputs(self, case: int) -> Arrays:
        """Contents of every buffer; the same arrays for the same case."""
        return _inputs(self, case)

    def reference(self, arrays: Arrays) -> Expected:
        """(values, magnitudes) of these contents, remembered for the cases."""
        for case in (0, 1, *self.extra):
            if self.inputs(case) is arrays:
                return _expected(self, case)
        return reference.run(self.work, arrays, self.inner)


@lru_cache(maxsize=4)
def _inputs(cases: Cases, case: int) -> Arrays:
    work = cases.work
    kind = "random" if case != 1 else "extreme" if work.ops[-1] in SINGLE else "wide"
    if kind == "extreme" and len([op for op in work.ops if op not in NORMS]) > 1:
        kind = "wide"
    rng = np.random.default_rng([cases.seed, case, *work.key.encode()])
    first = {} if case < 2 else {n: a for n, a in _inputs(cases, 0).items() if n.startswith("w.")}
    bufs = tuple(b for b in cases.bufs if b.name not in first)
    arrays = first | sample_data.arrays(work, bufs, rng, kind, cases.position(case))
    if work.ops[:3] == ("norm", "qkv", "rope_store"):
        _fit_cache(cases, case, arrays)
    if cases.inner == "q8" and work.ops[0] == "norm":
        _avoid_borders(work, arrays)
    return arrays


@lru_cache(maxsize=4)
def _expected(cases: Cases, case: int) -> Expected:
    return _run(cases, case, cases.work, _inputs(cases, case), cases.inner)


def _run(cases: Cases, case: int, work: WorkItem, arrays: Arrays, inner: str) -> Expected:
    """The reference of what a case's contents say, made once per search for large tables."""

    def made() -> Arrays:
        kept = (sample_data.unique(t, sample_data.UNIQUE_WEIGHTS) for t in work.tables)
        rows = {f"w.{t.role}": t.rows for t in kept}
        once = {n: a[: rows.get(n)] for n, a in arrays.items()}
        found = zip("vm", reference.run(work, once, inner), strict=True)
        return {f"{kind}{name}": a for kind, part in found for name, a in part.items()}

    if work.weights < shared_arrays.WORTH_WEIGHTS:
        return reference.run(work, arrays, inner)
    bufs = [(b.name, *(() if b.name.startswith("w.") else (b.size, b.dtype))) for b in cases.bufs]
    about = (cases.work.model_dump_json(), bufs, cases.seed, cases.inner, case)
    found = shared_arrays.made(("reference", work.op, inner, *about), made)
    values, magnitudes = ({n[1:]: a for n, a in found.items() if n[0] == kind} for kind in "vm")
    return values, magnitudes


def inner(work: WorkItem, route: Route) -> str:
    """Interface in which the ops of a span hand activations to each other on this route."""
    any_inside = any(_hands_on(work.ops, i) for i in range(len(work.ops)))
    return "q8" if any_inside and route.numerics == "q8_activations" else "f32"


def _hands_on(ops: tuple[str, ...], i: int) -> bool:
    """True where op i gives an activation that a later op of the span reads."""
    return ops[i] in GIVES_ACTIVATION and any(op in TAKES_ACTIVATION for op in ops[i + 1 : i + 2])


def _fit_cache(cases: Cases, case: int, arrays: Arrays) -> None:
    """Shrink the norm's weights until keys and values are numbers in the cache's 16-bit floats."""
    before = cases.work.model_copy(update={"op": "norm+qkv"})
    peak = float(np.abs(_run(cases, case, before, arrays, "f32")[0]["qkv"]).max())
    if peak > HALF_ROOM:
        arrays["n.norm"] = arrays["n.norm"] * np.float32(
            2.0 ** -math.ceil(math.log2(peak / HALF_ROOM))
        )


def _avoid_borders(work: WorkItem, arrays: Arrays) -> None:
    """Move x until no element after the norm lies where fp32 and float64 could round apart."""
    norm = work.model_copy(update={"op": "norm"})
    arrays["x"] = arrays["x"].copy()
    for _ in range(100):
        y = reference.run(norm, arrays)[0]["xn.f32"].reshape(-1, 32)
        steps = np.abs(y) / np.abs(y).max(axis=1, keepdims=True) * 127
        near = (np.abs(steps - np.floor(steps) - 0.5) < MARGIN).reshape(-1)
        if not near.any():
            return
        arrays["x"][near] *= np.float32(0.995)
    raise ValueError(f"{work.key}: no inputs found that quantise the same in fp32 and float64")
