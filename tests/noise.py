"""Searches on synthetic noise: how often is something called faster that is not, or missed that is?

`python tests/noise.py` prints the table of docs/measuring.md. Thousands of searches at once, as
arrays; `tests/test_noise.py` shows that they decide as boltbeam's own code does, block by block.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from boltbeam import registry
from boltbeam.records import decide
from boltbeam.records.intervals import apart, bounds, error
from boltbeam.search import search
from boltbeam.search.search_items import EFFORTS
from boltbeam.types import Measurement, Protocol

Rng = np.random.Generator
Array = Any
BATCHES = 5
"""Batches of a block: ABTBA or BATAB."""


# ---- machines ------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Machine:
    """Noise of a machine: what is common to whatever runs, and what each batch adds (log of time).

    Both get (rng, runs, batches) and give [runs, batches]; `own` belongs to an engine: candidate,
    incumbent or twin.
    """

    common: Callable[[Rng, int, int], Array]
    own: Callable[[Rng, int, int], Array]


def calm(rng: Rng, runs: int, n: int) -> Array:
    return np.zeros((runs, n))


def white(sd: float) -> Callable[[Rng, int, int], Array]:
    return lambda rng, runs, n: sd * rng.standard_normal((runs, n))


def tails(sd: float) -> Callable[[Rng, int, int], Array]:
    """Student's t with 2 degrees of freedom: no variance."""
    return lambda rng, runs, n: sd * rng.standard_t(2, (runs, n))


def spikes(sd: float, share: float, height: float) -> Callable[[Rng, int, int], Array]:
    """A share of the batches is interrupted and takes that much longer."""

    def draw(rng: Rng, runs: int, n: int) -> Array:
        return sd * rng.standard_normal((runs, n)) + height * (rng.random((runs, n)) < share)

    return draw


def drift(size: float) -> Callable[[Rng, int, int], Array]:
    """The machine becomes that much slower, or faster, over the run."""

    def draw(rng: Rng, runs: int, n: int) -> Array:
        return rng.uniform(-size, size, (runs, 1)) * np.linspace(0, 1, n)

    return draw


def steps(share: float, height: float) -> Callable[[Rng, int, int], Array]:
    """At a share of the batches the machine jumps to another level."""

    def draw(rng: Rng, runs: int, n: int) -> Array:
        jumps = rng.random((runs, n)) < share
        levels = height * rng.standard_normal((runs, n))
        last = np.maximum.accumulate(np.where(jumps, np.arange(n), 0), axis=1)
        return np.take_along_axis(levels, last, axis=1)

    return draw


def wander(rho: float, sd: float) -> Callable[[Rng, int, int], Array]:
    """Autocorrelated: each value is rho times the one before and something new."""

    def draw(rng: Rng, runs: int, n: int) -> Array:
        new = sd * np.sqrt(1 - rho**2) * rng.standard_normal((runs, n))
        out = np.empty((runs, n))
        out[:, 0] = sd * rng.standard_normal(runs)
        for i in range(1, n):
            out[:, i] = rho * out[:, i - 1] + new[:, i]
        return out

    return draw


def beat(period: int, height: float) -> Callable[[Rng, int, int], Array]:
    """Every so many batches something else runs, from a random batch on."""

    def draw(rng: Rng, runs: int, n: int) -> Array:
        first = rng.integers(0, period, (runs, 1))
        return height * ((np.arange(n) + first) % period == 0)

    return draw


MACHINES = {
    "white 1 %": Machine(calm, white(0.01)),
    "white 4 %": Machine(calm, white(0.04)),
    "drift to ±30 %, white 1 %": Machine(drift(0.3), white(0.01)),
    "steps of 10 % at 3 % of the batches, white 1 %": Machine(steps(0.03, 0.1), white(0.01)),
    "heavy tails (t2) 1 %": Machine(calm, tails(0.01)),
    "interrupted: 5 % of the batches + 50 %, white 1 %": Machine(calm, spikes(0.01, 0.05, 0.5)),
    "wandering 5 %, rho 0.98, white 1 %": Machine(wander(0.98, 0.05), white(0.01)),
    "each engine wanders 1 %, rho 0.7": Machine(calm, wander(0.7, 0.01)),
    "each engine wanders 1 %, rho 0.9": Machine(calm, wander(0.9, 0.01)),
    "a beat of 5 % every 5th batch, white 0.5 %": Machine(beat(5, 0.05), white(0.005)),
}
"""rho is from one batch to the next in time."""


def blocks(
    machine: Machine, rng: Rng, runs: int, n: int, ratio: float = 1.0
) -> tuple[Array, Array, Array]:
    """(candidate, incumbent, A/A ratio) of n blocks, each [runs, n], times around 100."""
    at = machine.common(rng, runs, n * BATCHES).reshape(runs, n, BATCHES)
    mine, other, twin = (machine.own(rng, runs, n * BATCHES).reshape(at.shape) for _ in range(3))
    half = rng.random((runs, (n + 1) // 2)) < 0.5
    swap = np.stack([half, ~half], axis=-1).reshape(runs, -1)[:, :n, None]
    mine, other, twin = (np.exp(at + own) for own in (mine, other, twin))
    outer, inner = [0, 4], [1, 3]
    c = np.where(swap, mine[..., inner], mine[..., outer]).mean(axis=-1)
    i = np.where(swap, other[..., outer], other[..., inner]).mean(axis=-1)
    return 100 * ratio * c, 100 * i, twin[..., 2] / i


# ---- the protocol, for many comparisons at once --------------------------------------------------


def digits(x: Array) -> Array:
    """Four significant digits, as the ledger keeps them."""
    scale = 10.0 ** (3 - np.floor(np.log10(np.abs(np.where(x == 0, 1, x)))))
    return np.round(x * scale) / scale


@dataclass(frozen=True)
class Decided:
    """What came out of each comparison."""

    verdict: Array
    """-1 slower, 0 ambiguous, 1 faster."""
    n: Array
    """Blocks that it took."""


def decided(c: Array, i: Array, again: Array, protocol: Protocol, comparisons: int) -> Decided:
    """Pilot, plan, look: what `decide.enough` and `decide.decide` do."""
    chance, first = decide.error_chance(protocol, comparisons), protocol.blocks_min
    ratios, kept = digits(c) / digits(i), 1 + digits(100 * (again - 1)) / 100
    verdict = look(ratios[:, :first], kept[:, :first], protocol, chance)
    n = np.full(len(ratios), first)
    table = decide.errors_bearable(protocol, comparisons)
    pilot = np.maximum(error(kept[:, :first]) / decide.TWIN_ERROR, error(ratios[:, :first]))
    places = np.searchsorted([most for _, most in table], pilot)
    counts = np.array([k for k, _ in table] + [protocol.blocks_max])
    planned = counts[places]
    for k in np.unique(planned[verdict == 0]):
        rows = np.flatnonzero((verdict == 0) & (n == first) & (planned == k) & (k > first))
        if len(rows):
            verdict[rows] = look(ratios[rows, :k], kept[rows, :k], protocol, chance)
            n[rows] = k
    return Decided(verdict, n)


def look(ratios: Array, again: Array, protocol: Protocol, chance: float) -> Array:
    low, _, high = (digits(b) for b in bounds(ratios, chance, again))
    width = np.maximum(protocol.noise_band, digits(apart(again)))
    n = ratios.shape[-1]
    needed = decide.sign_count(n, 1 - protocol.confidence)
    faster = (high < digits(1 - width)) & ((ratios < 1).sum(axis=-1) >= needed)
    slower = (low > digits(1 + width)) & ((ratios > 1).sum(axis=-1) >= needed)
    return faster.astype(int) - slower.astype(int)


def measurement(c: Array, i: Array, again: Array, protocol: Protocol) -> Measurement:
    """One comparison's blocks as `timing.compare` gives them."""
    return Measurement(
        protocol=protocol.id,
        candidate_us=tuple(map(float, c)),
        incumbent_us=tuple(map(float, i)),
        aa_spread=float(apart(again)),
        aa_pct=tuple(map(float, 100 * (again - 1))),
        stop_reason="",
        copies=4,
    )


# ---- whole searches ------------------------------------------------------------------------------


def false_searches(
    machine: Machine, rng: Rng, protocol: Protocol, items: int, searches: int
) -> float:
    """Share of searches over equal candidates that call one at least faster.

    Every work item has one comparison in the first round of `search.settle`. Who won its race makes
    no difference to equal candidates, and the comparison's blocks are new.
    """
    c, i, again = blocks(machine, rng, searches * items, protocol.blocks_max)
    shared = search.shares(0, items)
    found = decided(c, i, again, protocol, shared).verdict.reshape(searches, items)
    return float((found == 1).any(axis=1).mean())


def power(
    machine: Machine, rng: Rng, protocol: Protocol, items: int, gain: float, runs: int
) -> tuple[float, float]:
    """(share of true gains that are found as one comparison of a search, mean blocks it took)."""
    c, i, again = blocks(machine, rng, runs, protocol.blocks_max, 1 - gain)
    found = decided(c, i, again, protocol, search.shares(0, items))
    return float((found.verdict == 1).mean()), float(found.n.mean())


def main(searches: int, items: int = 24) -> None:
    """The table of docs/measuring.md."""
    rng = np.random.default_rng(4)
    protocol = registry.protocols()[EFFORTS["quick"].protocol]
    print(f"{protocol.id}, searches of {items} comparisons\n")
    print("| noise of a batch | searches with a false `faster` | 2 % found | blocks | 5 % found |")
    print("|---|--:|--:|--:|--:|")
    for name, machine in MACHINES.items():
        wrong, done = 0.0, 0
        while done < searches:
            some = min(400, searches - done)
            wrong += some * false_searches(machine, rng, protocol, items, some)
            done += some
        two, n = power(machine, rng, protocol, items, 0.02, 4000)
        five, _ = power(machine, rng, protocol, items, 0.05, 4000)
        print(
            f"| {name} | {wrong:.0f} of {done:,} | {two:.1%} | {n:.0f} | {five:.1%} |", flush=True
        )


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 10000)
