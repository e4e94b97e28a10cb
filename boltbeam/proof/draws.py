"""Proof of the kernels that draw a token at a temperature, on the device they are to run on.

Takes the member of a plan that ends in argmax, gives a Proof by the same checks as any kernel's.
Never times anything.

A token says little of the keys that it is the largest of. So the logits of a case are levelled: one
key is ahead and all others stay behind by twice what float32 may be off by. Where any of them is
farther off upwards, or the first one downwards, another token is drawn. The first is another in
every case, so that every workgroup and every lane has it once.
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
"""Of the cases, over and over. At 0 there is no noise: the token is argmax's."""
POSITIONS = (1.0, 0.3, 0.0, 0.5, 0.7)
"""Likewise, as shares of the last one."""
SMALL = 512
"""Entries of a vocabulary of which each is ahead in a case."""
ENOUGH = 128
"""Of a larger one: entries at random that are ahead, at least."""


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
    rng = np.random.default_rng([seed, *work.key.encode()])
    first = places(work.vocab, *sample.shape(work, route, geometry), rng)
    cases = Cases(work, seed, sum_relative, first)
    return verify.prove_launches(
        [x for x in made if not _writes_logits(x)],
        cases.inputs,
        cases.reference,
        target.device,
        sum_relative,
        range(2, len(first)),
    )


def identity(work: WorkItem, route: Route, geometry: Geometry, target: Target) -> str:
    """What a proof holds for: these emitters, this chip, this member."""
    made = sample.launches(work, route, geometry, target)
    how = f"{work.key}|{route.id}|{geometry}"
    return f"{verify.emitter_hash(made)}/{target.chip.id}/{target.device}/{how}"


def _writes_logits(launch: Launch) -> bool:
    return "logits" in (b.name for b in launch.outs)


def places(vocab: int, groups: int, lanes: int, rng: np.random.Generator) -> tuple[int, ...]:
    """Entries that are ahead in turn, in any order: of every workgroup and every lane some.

    `groups` workgroups of `lanes` go through the entries side by side, trip by trip. First and last
    of a workgroup, a trip and all are among the entries.
    """
    if vocab <= SMALL:
        return tuple(rng.permutation(vocab).tolist())
    beside = groups * lanes
    starts = (0, lanes, beside, (vocab - 1) // beside * beside, vocab)
    edges = [e for start in starts for e in (start - 1, start)]
    n = np.arange(max(ENOUGH, groups, lanes))
    thread = rng.permutation(groups)[n % groups] * lanes + rng.permutation(lanes)[n % lanes]
    trips = np.maximum(1, -((thread - vocab) // beside))  # that a thread has
    found = {*edges, *(rng.integers(trips) * beside + thread).tolist()}
    return tuple(rng.permutation([e for e in sorted(found) if 0 <= e < vocab]).tolist())


@dataclass(frozen=True)
class Cases:
    """Levelled logits at several temperatures, positions and seeds, one case per place."""

    work: WorkItem
    seed: int
    relative: float
    places: tuple[int, ...]
    """The entry that is ahead."""

    def inputs(self, case: int) -> Arrays:
        """Contents of every buffer; the same arrays for the same case."""
        return _inputs(self, case)

    def reference(self, arrays: Arrays) -> Expected:
        """The token of float64 keys, its position and the ids with it."""
        state = (arrays[b.name][0] for b in sample.DRAWN_BY)
        temp, seed, at = float(next(state)), int(next(state)), int(next(state))
        keys = arrays["logits"] + _noises(self.work.vocab, temp, seed, at)
        ids = arrays["ids"].astype(np.float64)
        if ids[at + 1] < 0:
            ids[at + 1] = int(keys.argmax())
        values = {"tok": ids[at + 1 : at + 2], "pos": np.array([at + 1.0]), "ids": ids}
        return values, {n: np.zeros(v.shape) for n, v in values.items()}


@lru_cache(maxsize=8)
def _inputs(cases: Cases, case: int) -> Arrays:
    state, behind, ahead = _levels(cases, case % len(TEMPERATURES))
    logits, place = behind.copy(), cases.places[case]
    logits[place] = ahead[place]
    return {**state, "logits": logits}


@lru_cache(maxsize=len(TEMPERATURES))
def _levels(cases: Cases, which: int) -> tuple[Arrays, NDArray[Any], NDArray[Any]]:
    """What all cases at a temperature share, and the logits of keys behind and of keys ahead."""
    work, temp = cases.work, np.float32(TEMPERATURES[which])
    rng = np.random.default_rng([cases.seed, which, *work.key.encode()])
    at = round(POSITIONS[which] * (work.context - 1))
    seed = int(rng.integers(1 << 31, 1 << 32))  # with its top bit, so that signs do not matter
    ids = rng.integers(0, work.vocab, work.context + 1).astype(np.int32)
    ids[at + 1 :] = -1
    state = {
        "temp": np.array([temp], np.float32),
        "seed": np.array([seed], np.uint32),
        "pos": np.array([at], np.int32),
        "ids": ids,
    }
    level = float(rng.uniform(1, 4))
    behind, ahead = levelled(work.vocab, level, float(temp), seed, at, cases.relative)
    return state, behind, ahead


@lru_cache(maxsize=16)
def _noises(vocab: int, temp: float, seed: int, position: int) -> NDArray[Any]:
    return reference.keys(np.zeros(vocab, np.float32), temp, seed, position)[0]


def levelled(
    vocab: int, level: float, temp: float, seed: int, position: int, relative: float
) -> tuple[NDArray[Any], NDArray[Any]]:
    """Logits (f32, vocab) whose keys are all at `level` but for an error that a right kernel cannot
    make: those that stay behind by it, and those that are as much ahead."""
    noises = _noises(vocab, temp, seed, position)
    _, sizes = reference.keys((level - noises).astype(np.float32), temp, seed, position)
    behind, ahead = (level - noises + 2 * relative * by * sizes for by in (-1, 1))
    return behind.astype(np.float32), ahead.astype(np.float32)
