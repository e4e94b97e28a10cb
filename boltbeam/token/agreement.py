"""Do two engines agree on the tokens of a text? Ids, gaps, and the verdict.

Takes logits or recorded ids, gives an Agreement. Never runs a model.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import Literal

import numpy as np

from boltbeam import registry
from boltbeam.types import Frozen


@cache
def limits(numerics: str) -> tuple[float, float]:
    """(largest tie gap, largest median logit error) of the registry, by numerics.

    The gap is the reference's own, between its two tokens. The logit error sees what tokens alone
    cannot: a whole zeroed table can leave most tokens of a model equal, but not its logits.
    """
    t = registry.tolerances()
    if numerics == "exact":
        return t.tie_gap_exact, t.logit_error_exact
    return t.tie_gap_q8, t.logit_error_q8


@dataclass(frozen=True)
class Trace:
    """A reference: the tokens it chose, and how far its choice was ahead at each step."""

    prompt: tuple[int, ...]
    ids: tuple[int, ...]
    """Its choice after the prompt and after each further token fed."""
    logits: np.ndarray | None = None
    """(len(ids), vocab): what it saw before choosing each id; None for a recorded engine."""
    gaps: tuple[float, ...] = ()
    """First choice over second, at each step; used where there are no logits."""
    fed: tuple[int, ...] = ()
    """The text it was asked about, where that was not its own choices."""

    def gap(self, step: int, token: int) -> float:
        """How much the reference preferred its own token to `token` (≥ 0)."""
        if self.logits is None:
            return self.gaps[step]
        return float(self.logits[step, self.ids[step]] - self.logits[step, token])

    @property
    def text(self) -> tuple[int, ...]:
        """Ids to feed so that every choice can be seen: all but the last one chosen."""
        return self.fed or (*self.prompt, *self.ids[:-1])


@dataclass(frozen=True)
class Reply:
    """What a candidate said to a trace's text: logits (steps, vocab), and its free tokens."""

    logits: np.ndarray
    free: tuple[int, ...]
    """Its own greedy ids after the prompt, as its own argmax kernel chose them; may be empty."""


class Mismatch(Frozen):
    """A step at which the candidate would have chosen another token."""

    trace: int
    step: int
    position: int
    """Position in the text of the token that was decided."""
    reference: int
    candidate: int
    gap: float
    """The reference's own gap between the two."""


class GateResult(Frozen):
    """Verdict of a token gate, with everything a person needs to doubt it."""

    verdict: Literal["identical", "tie-break", "diverged"]
    reason: str
    positions: int
    mismatches: tuple[Mismatch, ...] = ()
    allowed_gap: float
    logit_error: float | None = None
    """Median over steps of max |difference| ÷ max |reference logit|."""
    kl: float | None = None
    """Mean KL divergence from the reference's distribution, nats per token."""
    against: str = "stock"

    @property
    def ok(self) -> bool:
        return self.verdict != "diverged"

    def line(self) -> str:
        """`tie-break: 2 of 192 positions, gaps 0.013 at 40, 0.002 at 71 (allowed 0.05)`."""
        shown = ", ".join(f"{m.gap:.3g} at {m.position}" for m in self.mismatches[:8])
        gaps = f", gaps {shown} (allowed {self.allowed_gap:g})" if shown else ""
        head = f"{self.verdict} with {self.against}: {len(self.mismatches)} of {self.positions}"
        return f"{head} positions differ{gaps}" + (f"; {self.reason}" if self.reason else "")


def judge(
    traces: Sequence[Trace],
    replies: Sequence[Reply],
    numerics: str = "exact",
    allowed_gap: float | None = None,
    ties: int | None = None,
    against: str = "stock",
) -> GateResult:
    """Compare teacher-forced choices: each step starts again from the reference's own tokens.

    A mismatch is a tie where the reference itself hardly preferred its token (`allowed_gap`,
    default by numerics), and at most `ties` (default ties_max) per ties_positions begun. Free
    tokens, where given, must equal the reference's up to the first mismatch, and logits must be
    close (`limits`).
    """
    gap, error_max = limits(numerics)
    limit = gap if allowed_gap is None else allowed_gap
    bounds = registry.tolerances()
    ties = bounds.ties_max if ties is None else ties
    found, reasons, errors, divergences = [], [], [], []
    for i, (trace, reply) in enumerate(zip(traces, replies, strict=True)):
        said = reply.logits[-len(trace.ids) :]
        if not np.isfinite(said).all():
            reasons.append(f"prompt {i}: logits are not finite")
            continue
        mine = _mismatches(i, trace, said)
        found += mine
        allowed = ties * math.ceil(len(trace.ids) / bounds.ties_positions)
        if len(mine) > allowed:
            reasons.append(f"prompt {i}: {len(mine)} mismatches, allowed {allowed}")
        if (where := _free_error(trace, reply.free, mine)) is not None:
            reasons.append(f"prompt {i}: free-running token {where} is not the largest logit's")
        if trace.logits is not None:
            errors += list(_logit_errors(trace.logits, said))
            divergences.append(kl(trace.logits, said))
    wide = [m for m in found if not m.gap <= limit]
    if wide:
        reasons.append(f"{len(wide)} gaps above {limit:g}")
    error = float(np.median(errors)) if errors else None
    if error is not None and not error <= error_max:
        reasons.append(f"logits differ by {error:.2g}, allowed {error_max:g}")
    verdict = "diverged" if reasons else "tie-break" if found else "identical"
    return GateResult(
        verdict=verdict,
        reason="; ".join(reasons),
        positions=sum(len(t.ids) for t in traces),
        mismatches=tuple(found),
        allowed_gap=limit,
        logit_error=error,
        kl=float(np.mean(divergences)) if divergences else None,
        against=against,
    )


def _mismatches(i: int, trace: Trace, said: np.ndarray) -> list[Mismatch]:
    picks = said.argmax(axis=1)
    return [
        Mismatch(
            trace=i,
            step=s,
            position=len(trace.prompt) + s,
            reference=want,
            candidate=int(got),
            gap=trace.gap(s, int(got)),
        )
        for s, (want, got) in enumerate(zip(trace.ids, picks, strict=True))
        if want != got
    ]


def _free_error(trace: Trace, free: Sequence[int], mine: Sequence[Mismatch]) -> int | None:
    """First step at which the free run disagrees with what the logits say it should choose."""
    for s, (want, got) in enumerate(zip(trace.ids, free, strict=False)):
        if want != got:
            explained = any(m.step == s and m.candidate == got for m in mine)
            return None if explained else s
    return None


def _logit_errors(want: np.ndarray, got: np.ndarray) -> np.ndarray:
    error: np.ndarray = np.abs(got - want).max(axis=1) / np.maximum(np.abs(want).max(axis=1), 1e-9)
    return error


def kl(reference: np.ndarray, candidate: np.ndarray) -> float:
    """Mean over rows of KL(softmax(reference) ‖ softmax(candidate)) in nats; (n, vocab) each."""
    p, q = _log_softmax(reference), _log_softmax(candidate)
    return float(np.mean(np.sum(np.exp(p) * (p - q), axis=1)))


def _log_softmax(logits: np.ndarray) -> np.ndarray:
    x = logits.astype(np.float64)
    x = x - x.max(axis=1, keepdims=True)
    out: np.ndarray = x - np.log(np.exp(x).sum(axis=1, keepdims=True))
    return out
