"""Measures the chip in this machine with generated kernels: the constants that predictions need.

Takes a device, gives ChipFacts with `measured` filled. Never reports a published
figure, never a default: what could not be measured here is missing.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from statistics import median

from boltbeam.chip import chip_facts, probe_arithmetic, probe_cold, probe_memory
from boltbeam.chip import probe_kernels as kernels
from boltbeam.chip.probe_bench import BATCH_US, PAIRS_FINAL, Bench, quartiles, slope_of
from boltbeam.emit.dependent import dependent
from boltbeam.measure.locks import PATIENCE_S, lock
from boltbeam.types import ChipFacts, Measured

Found = Iterator[tuple[str, Measured]]


def open_device(alias: str) -> tuple[str, str]:
    """(tinygrad device of `cpu`, `cl`, `nv`, …; why not a better one). Raises NoDevice."""
    return chip_facts.open_device(alias)


def local_chip(device: str) -> ChipFacts:
    """Declared facts of tinygrad's `device`, nothing measured. Raises NoDevice in one line."""
    chip_facts.require(device)
    return chip_facts.facts(device)


def measured_chip(device: str) -> ChipFacts:
    """The facts with all rates measured now; takes under 20 s."""
    facts = local_chip(device)
    found: dict[str, Measured] = {}
    for part in NEEDED:
        found |= measure_part(part, facts.model_copy(update={"measured": found}))
    return facts.model_copy(update={"measured": found})


def measure_part(part: str, chip: ChipFacts, full: bool = False) -> dict[str, Measured]:
    """What one of PARTS measures of an opened chip, by the keys that FutureSight reads.

    `chip` carries what the parts before it found. `full`: more geometries and larger sets.
    """
    with lock(chip.id, timeout_s=PATIENCE_S):
        return dict(PARTS[part](Bench(chip, full)))


def _launches(b: Bench) -> Found:
    """What a launch costs when it does nothing."""
    launch = kernels.nothing(b.rows_form)
    one = b.deploy(launch, {}, 1)
    alone = [one.batch_us(1) for _ in range(60)][10:]
    how = f"one empty launch, submitted and waited for, median of {len(alone)}"
    yield "dispatch_us", b.measured(median(alone), "us", how, quartiles(alone))
    few, many = 32 * min(b.repeats, 4), 160 * min(b.repeats, 4)
    early = bool(b.chip.get("dependent_launch"))
    chained = dependent(launch) if early else launch
    short, long = b.deploy(chained, {}, few), b.deploy(chained, {}, many)
    counts = short.replays_for(BATCH_US), long.replays_for(BATCH_US)
    slope = slope_of(
        lambda: short.batch_us(counts[0]) * few,
        lambda: long.batch_us(counts[1]) * many,
        many - few,
        PAIRS_FINAL,
    )
    if slope is not None:
        how = f"captured graph of {many} against {few} chained empty launches, slope"
        how += ", each started while the one before it runs" if early else ""
        yield "toll_us", b.measured(slope.ns / 1e3, "us", how, slope.spread)


PARTS: dict[str, Callable[[Bench], Found]] = {
    "launches": _launches,
    "arithmetic": probe_arithmetic.measure,
    "memory": probe_memory.measure,
    "cold": probe_cold.measure,
    "matrix": probe_arithmetic.matrix,
}
"""The parts of a probe in their order; a later one may read what an earlier one found."""
NEEDED = ("launches", "arithmetic", "memory")
"""What predictions and floors need: the probe before a search."""
