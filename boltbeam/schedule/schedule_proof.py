"""Numeric proof that a schedule computes what the unoptimised schedule of the same AST computes.

Takes a kernel and its naive program, gives proofs of other programs. Never times anything, and
never writes to a buffer of the captured token: all launches run on private, guarded buffers.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from boltbeam.schedule.private_buffers import POISON, Arena, Bytes, as_bytes, content, numpy_dtype
from boltbeam.seam import tinygrad_schedule as ts
from boltbeam.types import Proof

TOLERANCE = 1e-5
"""Of Σ|terms|: the room that another order of the same float32 sum may take."""
FINITE = 0.9
"""Share of finite reference outputs below which the inputs prove nothing."""


@dataclass(frozen=True)
class _Case:
    """Values of the kernel's variables, and what the naive schedule gives for them."""

    values: dict[str, int]
    expected: dict[int, Bytes]
    magnitude: dict[int, Bytes]


class Oracle:
    """Reference outputs of one kernel on fixed random inputs."""

    def __init__(
        self, kernel: ts.Kernel, naive: ts.Program, renderer: Any, arena: Arena, seed: int
    ) -> None:
        self.arena, self._naive = arena, naive
        self._rng = np.random.default_rng(seed)
        self._given = {i: content(b) for i, b in enumerate(kernel.buffers)}
        sums = ts.build(ts.magnitude_ast(kernel.ast), renderer, "")
        self._magnitude = naive if isinstance(sums, str) else sums
        self.cases: tuple[_Case, ...] = ()
        self.usable = self._fill(-1.0) or self._fill(0.1)
        """False: even positive inputs give too few finite outputs to compare."""

    def _fill(self, low: float) -> bool:
        """Choose inputs (floats from `low` to 1) and compute every case."""
        self.inputs = {
            i: self._input(i, low)
            for i in range(len(self.arena.nbytes))
            if i not in self._naive.outs or i in self._naive.ins
        }
        for slot, data in self.inputs.items():
            self.arena.write(slot, data)
        self.cases = tuple(
            _Case(v, self._run(self._naive, v), self._run(self._magnitude, v))
            for v in _corners(self.arena)
        )
        return all(self._finite(case) >= FINITE for case in self.cases)

    def _input(self, slot: int, low: float) -> Bytes:
        given = self._given.get(slot)
        if given is not None:
            return given
        nbytes, kind = self.arena.nbytes[slot], numpy_dtype(self.arena.dtypes[slot])
        if kind is not None and kind.kind == "f":
            values = self._rng.uniform(low, 1.0, nbytes // kind.itemsize).astype(kind)
            return as_bytes(values)
        if kind is not None and kind.kind in "iu" and kind.itemsize > 1:
            return as_bytes(self._rng.integers(0, 100, nbytes // kind.itemsize).astype(kind))
        top = 2 if kind is not None and kind.kind == "b" else 0x40
        # packed blocks: with the top two bits clear any 16-bit float in them is finite, below 2
        return as_bytes(self._rng.integers(0, top, nbytes).astype(np.uint8))

    def _reset(self) -> None:
        for slot in self._naive.outs:
            data = self.inputs.get(slot)
            poison = np.full(self.arena.nbytes[slot], POISON, dtype=np.uint8)
            self.arena.write(slot, poison if data is None else data)

    def _run(self, program: ts.Program, values: dict[str, int]) -> dict[int, Bytes]:
        self._reset()
        self.arena.launcher(program, values)(1)
        return {slot: self.arena.read(slot) for slot in self._naive.outs}

    def _finite(self, case: _Case) -> float:
        shares = []
        for slot, raw in case.expected.items():
            values = _floats(raw[: self.arena.nbytes[slot]], self.arena.dtypes[slot])
            if values is not None:
                written = values[~_untouched(raw[: self.arena.nbytes[slot]], values.size)]
                shares.append(float(np.isfinite(written).mean()) if written.size else 1.0)
        return min(shares, default=1.0)

    def prove(self, program: ts.Program) -> Proof:
        """Check `program` at every case, twice each. Costs a few launches and copies."""
        worst = 0.0
        for case in self.cases:
            got = self._run(program, case.values)
            for slot, raw in got.items():
                reason, error = self._judge(slot, raw, case)
                worst = max(worst, error)
                if reason:
                    return self._proof(program, reason, worst, f"slot {slot} at {case.values}")
            again = self._run(program, case.values)
            if any(not np.array_equal(got[s], again[s]) for s in got):
                return self._proof(program, "nondeterministic", worst, str(case.values))
            for slot, data in self.inputs.items():
                if slot not in got and not np.array_equal(self.arena.read(slot)[: data.size], data):
                    return self._proof(program, "input-changed", worst, f"slot {slot}")
        return self._proof(program, "ok", worst, "")

    def _proof(self, program: ts.Program, reason: str, worst: float, where: str) -> Proof:
        return Proof(
            ok=reason == "ok",
            reason=reason,
            worst=worst if np.isfinite(worst) else None,
            where=where,
            source_hash=program.source_hash,
            checks=("poison", "guard", "repeat", "inputs", f"{len(self.cases)} cases"),
        )

    def _judge(self, slot: int, raw: Bytes, case: _Case) -> tuple[str, float]:
        """Reason code (empty when it passes) and the largest error ÷ tolerance."""
        n, name = self.arena.nbytes[slot], self.arena.dtypes[slot]
        if (raw[n:] != POISON).any():
            return "guard", 0.0
        got, want = raw[:n], case.expected[slot][:n]
        y, y0 = _floats(got, name), _floats(want, name)
        if y is None or y0 is None:
            return ("" if np.array_equal(got, want) else "not-equal"), 0.0
        hole, hole0 = _untouched(got, y.size), _untouched(want, y.size)
        if (hole & ~hole0).any():
            return "unwritten", 0.0
        if (hole0 & ~hole).any():
            return "stray-write", 0.0
        y, y0 = y[~hole], y0[~hole]
        m = _floats(case.magnitude[slot][:n], name)
        assert m is not None
        if (np.isfinite(y) != np.isfinite(y0)).any():
            return "nan", 0.0
        good = np.isfinite(y0)
        bound = np.where(np.isfinite(m[~hole]), np.abs(m[~hole]), 0.0) + np.abs(y0)
        tolerance = TOLERANCE * bound + _rounding(name) * np.abs(y0) + 1e-30
        worst = float((np.abs(y - y0)[good] / tolerance[good]).max(initial=0.0))
        return ("error-bound" if worst > 1 else ""), worst


def _corners(arena: Arena) -> list[dict[str, int]]:
    """Smallest, middle and largest value of the kernel's variables, all at once."""
    low = {name: v[0] for name, v in arena.variables.items()}
    high = {name: v[1] for name, v in arena.variables.items()}
    return [low, arena.middle, high] if arena.variables else [{}]


def _floats(raw: Bytes, name: str) -> NDArray[np.float64] | None:
    """Values of a float buffer; None where its dtype is not a float that numpy can read."""
    if name == "__bf16":
        return (raw.view(np.uint16).astype(np.uint32) << 16).view(np.float32).astype(np.float64)
    kind = numpy_dtype(name)
    return None if kind is None or kind.kind != "f" else raw.view(kind).astype(np.float64)


def _untouched(raw: Bytes, elements: int) -> NDArray[np.bool_]:
    """Which elements still hold the poison."""
    return np.asarray((raw.reshape(elements, -1) == POISON).all(axis=1))


def _rounding(name: str) -> float:
    return {"half": 2.0**-10, "__bf16": 2.0**-7}.get(name, 2.0**-22)
