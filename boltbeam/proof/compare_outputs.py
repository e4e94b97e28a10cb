"""Numbers a kernel gave against float64: every element, with the tolerance of its interface.

Takes outputs by buffer name and the oracle's values and magnitudes, gives the worst error as a
share of what is allowed, or the first thing that is wrong. Never skips an output.

An int8 value is rounded, so half a step of it is no error. Its error is how far float64 lies beyond
the border of the step that the kernel chose; where that is more than nothing but within tolerance,
the value stood at a tie and is counted as excused.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[Any]
Expected = tuple[Mapping[str, Array], Mapping[str, Array]]
"""(values, magnitudes Σ|w·x|) by output name, float64; a magnitude may be missing (exact op)."""

ROUNDING = 2.0**-23
"""One unit in the last place of a fp32 output, relative."""


@dataclass(frozen=True)
class Mismatch:
    """The first output that fails: reason code, `name[index]`, error ÷ tolerance."""

    reason: str
    where: str
    ratio: float | None = None


@dataclass(frozen=True)
class Agreement:
    """Outputs that are right: how right."""

    worst: float = 0.0
    """Largest |y − y64| ÷ tolerance (≤ 1)."""
    excused: int | None = None
    """int8 values on the other side of a rounding tie than float64; None: no int8 was compared."""

    def __or__(self, other: Agreement) -> Agreement:
        """Both together."""
        counts = [n for n in (self.excused, other.excused) if n is not None]
        return Agreement(max(self.worst, other.worst), sum(counts) if counts else None)


def compare(
    outputs: Mapping[str, Array], expected: Expected, sum_relative: float
) -> Agreement | Mismatch:
    """All outputs against float64: how near they are, or the first one that is wrong."""
    total = Agreement()
    for name in sorted(outputs):
        found = _one(name, outputs, expected, sum_relative)
        if isinstance(found, Mismatch):
            return found
        total |= found if isinstance(found, Agreement) else Agreement(found)
    return total


def _one(
    name: str, outputs: Mapping[str, Array], expected: Expected, rel: float
) -> float | Agreement | Mismatch:
    got, values = outputs[name], expected[0]
    prefix, _, part = name.rpartition(".")
    if prefix == "best":
        return _best(part, outputs, values)
    if part in ("q8", "d", "s16") and prefix:
        return _quantised(prefix, part, outputs, expected, rel)
    if part == "s32" and name not in values and f"{prefix}.f32" in values:
        want = values[f"{prefix}.f32"].reshape(-1, 32).sum(axis=1)
        size = _magnitude(f"{prefix}.f32", expected).reshape(-1, 32).sum(axis=1)
        spread = np.abs(values[f"{prefix}.f32"]).reshape(-1, 32).sum(axis=1)
        return _within(name, got, want, rel * np.maximum(size, spread))
    if name not in values:
        return Mismatch("no-reference", name)
    want = np.asarray(values[name], dtype=np.float64).reshape(-1)
    if got.dtype.kind in "iu":
        return _exact(name, got, want)
    if got.dtype == np.float16:
        low, high = (values.get(f"{name}.{end}", want) for end in ("low", "high"))
        return _halves(name, got, want, np.asarray(low), np.asarray(high))
    return _within(name, got, want, rel * _magnitude(name, expected))


def _magnitude(name: str, expected: Expected) -> Array:
    values, magnitudes = expected
    want = np.asarray(values[name], dtype=np.float64).reshape(-1)
    given = magnitudes.get(name)
    if given is None:
        return np.abs(want)
    return np.broadcast_to(np.asarray(given, dtype=np.float64).reshape(-1), want.shape)


def _within(name: str, got: Array, want: Array, allowed: Array) -> float | Mismatch:
    if got.size != want.size:
        return Mismatch("error-bound", f"{name}: {got.size} elements, {want.size} expected")
    bad = np.flatnonzero(~np.isfinite(got) & np.isfinite(want))
    if bad.size:
        return Mismatch("nan", f"{name}[{int(bad[0])}]")
    tolerance = allowed + np.abs(want) * ROUNDING + 1e-37
    return _ratio(name, np.abs(got.astype(np.float64) - want) / tolerance)


def _ratio(name: str, ratios: Array) -> float | Mismatch:
    at = int(ratios.argmax())  # the first NaN, where there is one
    top = float(ratios[at])
    if not math.isfinite(top):
        return Mismatch("no-reference", f"{name}[{at}]: error over tolerance is {top}")
    return top if top <= 1 else Mismatch("error-bound", f"{name}[{at}]", top)


def _exact(name: str, got: Array, want: Array) -> float | Mismatch:
    wrong = np.flatnonzero(got.astype(np.float64) != want)
    return 0.0 if not wrong.size else Mismatch("error-bound", f"{name}[{int(wrong[0])}]")


def _halves(name: str, got: Array, want: Array, low: Array, high: Array) -> float | Mismatch:
    """Stored halves: the reference's own, or where float32 may stand at a tie one up to its ends.

    0 when right; a wrong one counts its distance in units of the last place, beginning with 2.
    """
    if got.size != want.size:
        return Mismatch("error-bound", f"{name}: {got.size} elements, {want.size} expected")
    bad = np.flatnonzero(np.isnan(got) & ~np.isnan(want))
    if bad.size:
        return Mismatch("nan", f"{name}[{int(bad[0])}]")
    wrong = np.flatnonzero((got < low) | (got > high) | (np.isnan(want) & ~np.isnan(got)))
    if wrong.size:
        at = int(wrong[0])
        nearest = high[at] if got[at] > high[at] else low[at]
        return Mismatch("error-bound", f"{name}[{at}]", 1 + abs(_place(got[at]) - _place(nearest)))
    return 0.0


def _place(half: Any) -> int:
    """Where a half stands among all halves in ascending order; both zeros are 0."""
    bits = int(np.float16(half).view(np.uint16))
    return -(bits & 0x7FFF) if bits & 0x8000 else bits


def _quantised(
    prefix: str, part: str, outputs: Mapping[str, Array], expected: Expected, rel: float
) -> float | Agreement | Mismatch:
    """int8 words stand within half a step of the value, and of what it may be off by; sums must
    match the words."""
    values, _ = expected
    source = f"{prefix}.f32"
    name = f"{prefix}.{part}"
    if source not in values or f"{prefix}.d" not in outputs or f"{prefix}.q8" not in outputs:
        return Mismatch("no-reference", name)
    want = np.asarray(values[source], dtype=np.float64).reshape(-1, 32)
    size = _magnitude(source, expected).reshape(-1, 32) * rel
    scale = outputs[f"{prefix}.d"].astype(np.float64)
    words = np.ascontiguousarray(outputs[f"{prefix}.q8"]).view(np.int8).reshape(-1, 32)
    if part == "d":
        peak = np.abs(want).max(axis=1)
        return _within(name, outputs[name], peak / 127, size.max(axis=1) / 127)
    if not np.isfinite(scale).all():
        return Mismatch("nan", f"{prefix}.d[{int(np.flatnonzero(~np.isfinite(scale))[0])}]")
    if part == "q8":
        beyond = np.abs(words * scale[:, None] - want) - 0.5 * scale[:, None]
        allowed = 0.5e-4 * scale[:, None] + size + 1e-37
        found = _ratio(name, (np.maximum(beyond, 0) / allowed).reshape(-1))
        crossed = int((beyond > 0).sum())
        return found if isinstance(found, Mismatch) else Agreement(found, crossed)
    sums = words.reshape(-1, 2, 16).sum(axis=2, dtype=np.int64)
    exact = (scale[:, None] * sums).reshape(-1)
    return _within(name, outputs[name], exact, np.abs(exact) * 1e-6)


def _best(part: str, outputs: Mapping[str, Array], values: Mapping[str, Array]) -> float | Mismatch:
    """Partial maxima: the best of them is the best logit, and each names where it stands."""
    if "logits" not in values or not {"best.v", "best.i", "logits"} <= set(outputs):
        return Mismatch("no-reference", f"best.{part}")
    v, i, logits = outputs["best.v"], outputs["best.i"].astype(np.int64), outputs["logits"]
    if i.min() < 0 or i.max() >= logits.size:
        return Mismatch("error-bound", "best.i: an index outside the logits")
    wrong = np.flatnonzero(logits[i] != v)
    if wrong.size:
        return Mismatch("error-bound", f"best.{part}[{int(wrong[0])}]")
    if v.max() != logits.max() or i[v == v.max()].min() != int(logits.argmax()):
        return Mismatch("error-bound", f"best.{part}: not the largest logit")
    return 0.0
