"""Proof of the kernels that draw a token at a temperature, on the device they are to run on.

Takes the member of a plan that ends in argmax, gives a Proof by the same checks as any kernel's.
Never times anything.

A token says little of the keys that it is the largest of. So the logits of a case are levelled: one
key is ahead and all others stay behind by twice what float32 may be off by. Where any of them is
farther off upwards, or the first one downwards, another token is drawn.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from boltbeam import emit
from boltbeam.emit import reference, sample
from boltbeam.emit.core import Launch, Target
from boltbeam.proof import verify
from boltbeam.proof.compare_outputs import Expected
from boltbeam.proof.oracle import Arrays
from boltbeam.types import Geometry, Proof, Route, WorkItem

TEMPERATURES = (0.8, 1.7, 1e-3, 50.0, 0.0)
"""Of the cases. At 0 there is no noise: the token is argmax's."""
PLACES = (1.0, 0.3, 0.0, 0.5, 0.7)
"""Positions of the cases, as shares of the last one."""


def prove(
    work: WorkItem,
    route: Route,
    geometry: Geometry,
    target: Target,
    seed: int,
    sum_relative: float = reference.SUM_RELATIVE,
) -> Proof:
    """Prove what `sample.launches` gives on its full shape: what draws, and a head of its own.

    A head that is also the member's is proved with the member.
    """
    try:
        made = sample.launches(work, route, geometry, target)
        proved = emit.launches(work, route, geometry, target)
    except Exception as e:
        return Proof(ok=False, reason="compile-error", where=f"{type(e).__name__}: {e}"[:300])
    head = [x for x in made if _writes_logits(x)]
    if any(x not in proved for x in head):
        alone = work.model_copy(update={"op": work.op.removesuffix("+argmax")})
        found = verify.prove(alone, route, geometry, target, seed, sum_relative)
        if not found.ok:
            return found
    cases = Cases(work, seed, sum_relative)
    return verify.prove_launches(
        [x for x in made if not _writes_logits(x)],
        cases.inputs,
        cases.reference,
        target.device,
        sum_relative,
        range(2, len(TEMPERATURES)),
    )


def identity(work: WorkItem, route: Route, geometry: Geometry, target: Target) -> str:
    """What a proof holds for: these emitters, this chip, this member."""
    made = sample.launches(work, route, geometry, target)
    how = f"{work.key}|{route.id}|{geometry}"
    return f"{verify.emitter_hash(made)}/{target.chip.id}/{target.device}/{how}"


def _writes_logits(launch: Launch) -> bool:
    return "logits" in (b.name for b in launch.outs)


@dataclass(frozen=True)
class Cases:
    """Levelled logits at several temperatures, positions and seeds."""

    work: WorkItem
    seed: int
    relative: float

    def inputs(self, case: int) -> Arrays:
        """Contents of every buffer; the same arrays for the same case."""
        return _inputs(self, case)

    def reference(self, arrays: Arrays) -> Expected:
        """The token of float64 keys, its position and the ids with it."""
        state = (arrays[b.name][0] for b in sample.DRAWN_BY)
        temp, seed, at = float(next(state)), int(next(state)), int(next(state))
        keys, _ = reference.keys(arrays["logits"], temp, seed, at)
        ids = arrays["ids"].astype(np.float64)
        if ids[at + 1] < 0:
            ids[at + 1] = int(keys.argmax())
        values = {"tok": ids[at + 1 : at + 2], "pos": np.array([at + 1.0]), "ids": ids}
        return values, {n: np.zeros(v.shape) for n, v in values.items()}


@lru_cache(maxsize=8)
def _inputs(cases: Cases, case: int) -> Arrays:
    work, temp = cases.work, np.float32(TEMPERATURES[case])
    rng = np.random.default_rng([cases.seed, case, *work.key.encode()])
    at = round(PLACES[case] * (work.context - 1))
    seed = int(rng.integers(1 << 31, 1 << 32))  # with its top bit, so that signs do not matter
    ids = rng.integers(0, work.vocab, work.context + 1).astype(np.int32)
    ids[at + 1 :] = -1
    logits = levelled(work.vocab, float(temp), seed, at, cases.relative, rng)
    return {
        "logits": logits,
        "temp": np.array([temp], np.float32),
        "seed": np.array([seed], np.uint32),
        "pos": np.array([at], np.int32),
        "ids": ids,
    }


def levelled(
    vocab: int, temp: float, seed: int, position: int, relative: float, rng: np.random.Generator
) -> NDArray[Any]:
    """Logits (f32, vocab) whose keys are all the same but for an error that a right kernel cannot
    make, and for one key, as much ahead, at a place that `rng` says."""
    noises, _ = reference.keys(np.zeros(vocab, np.float32), temp, seed, position)
    level = float(rng.uniform(1, 4))
    _, sizes = reference.keys((level - noises).astype(np.float32), temp, seed, position)
    ahead = np.where(np.arange(vocab) == rng.integers(vocab), 1, -1)
    return (level - noises + 2 * relative * ahead * sizes).astype(np.float32)
