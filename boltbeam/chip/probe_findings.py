"""What the numbers of a probe say together: Little's law, cache steps, whether cold was cold.

Takes ChipFacts with measured values, gives lines for people and rows of points. Never measures,
never says anything about a value that is missing but that it is.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from boltbeam.records.decide import CEILING_ERROR
from boltbeam.types import ChipFacts, Measured

DISTURBED = 0.15
"""Where spreads are larger, nothing is proven either way and the machine was not at rest."""


@dataclass(frozen=True)
class Cold:
    """A rotation's rate as a share of the memory's, the spread of both, and the control."""

    share: float
    spread: float
    warm: float | None
    """The same reads where they hit the cache, as a share of the memory's rate."""

    @property
    def limit(self) -> float:
        """What the share may be at most: a ceiling's error, beside both spreads."""
        return CEILING_ERROR + self.spread

    @property
    def proven(self) -> bool | None:
        """None: too disturbed, or reads that hit the cache would not have been seen either."""
        seen = self.warm is None or self.warm > self.limit
        return self.share <= self.limit if self.spread <= DISTURBED and seen else None


def bytes_needed(chip: ChipFacts) -> float | None:
    """Bytes that must be in flight for the full read rate: rate x latency. None: not measured."""
    gbps, latency = chip.rate("read_gbps"), chip.rate("latency_ns")
    return None if gbps is None or latency is None else gbps * latency


def little_gbps(chip: ChipFacts, in_flight: float) -> float | None:
    """The rate that so many bytes in flight can sustain at most; None: not measured."""
    gbps, latency = chip.rate("read_gbps"), chip.rate("latency_ns")
    return None if gbps is None or latency is None else min(gbps, in_flight / latency)


def cold(chip: ChipFacts) -> Cold | None:
    """Is a rotation through twice the cache as slow as the memory? None: not measured."""
    read, rotated = chip.measured.get("read_gbps"), chip.measured.get("cold_gbps")
    if read is None or rotated is None:
        return None
    warm = chip.rate("warm_gbps")
    return Cold(
        rotated.value / read.value,
        _doubt(read, rotated),
        None if warm is None else warm / read.value,
    )


def notes(chip: ChipFacts) -> tuple[str, ...]:
    """One line per finding."""
    parts = (_steps, _little, _cold, _stores, _disturbed)
    return tuple(n for part in parts for n in part(chip))


def points(chip: ChipFacts) -> list[dict[str, Any]]:
    """Every point of every sweep: what it reached, and what its bytes in flight would allow."""
    return [
        {
            "of": key,
            "at": p.at,
            "value": p.value,
            "spread": p.spread,
            "MHz": p.clock_mhz,
            "bytes in flight": p.in_flight,
            "Little GB/s": None if p.in_flight is None else little_gbps(chip, p.in_flight),
        }
        for key, m in sorted(chip.measured.items())
        for p in m.points
    ]


def _steps(chip: ChipFacts) -> Iterator[str]:
    parts, i = [], 1
    while (rate := chip.rate(f"level{i}_gbps")) is not None:
        edge = chip.rate(f"level{i}_bytes")
        parts.append(f"{rate:.4g} GB/s" + (f" up to {size(edge)}" if edge else " beyond"))
        i += 1
    if parts:
        yield f"Cache steps found in the read rate over the working set: {', '.join(parts)}."


def _little(chip: ChipFacts) -> Iterator[str]:
    needed = bytes_needed(chip)
    if needed is None:
        return
    gbps, latency = chip.rate("read_gbps"), chip.rate("latency_ns")
    text = f"Little's law: {gbps:.4g} GB/s x {latency:.4g} ns = {size(needed)} must be in flight"
    read = chip.measured["read_gbps"]
    counted = [p for p in read.points if p.in_flight is not None and ", " not in p.at]
    if not counted:
        yield f"{text}; what a kernel of one thread supplies is up to the core, not to its loops."
        return
    best = max(counted, key=lambda p: p.value)
    few = [p for p in counted if (p.in_flight or 0.0) < needed]
    yield (
        f"{text}; the fastest of {len(counted)} geometries ({best.at}) supplies at most "
        f"{size(best.in_flight or 0.0)}, and {len(few)} supply less than is needed."
    )


def _cold(chip: ChipFacts) -> Iterator[str]:
    found, warm = cold(chip), chip.rate("warm_gbps")
    if found is None:
        if "read_gbps" in chip.measured:
            known = chip.cold_cache_bytes is not None
            why = "the rotation was not timed" if known else "the cache's size is not known"
            yield f"Cold is undecided: {why}."
        return
    rotated = chip.measured["cold_gbps"]
    why = f"disturbed by {found.spread:.0%}" if found.spread > DISTURBED else "a hit would not show"
    said = {True: "proven", False: "NOT proven", None: f"undecided ({why})"}[found.proven]
    again = f"; one window read again and again: {warm:.4g} GB/s" if warm else ""
    yield (
        f"Cold is {said}: {rotated.how} reached {rotated.value:.4g} GB/s, {found.share:.1%} of the "
        f"memory's rate (at most {found.limit:.1%} is allowed){again}."
    )


def _stores(chip: ChipFacts) -> Iterator[str]:
    """What stores leave behind, and that reads leave nothing: what follows has the full rate."""
    reads, stores = (chip.measured.get(f"after_{n}_gbps") for n in ("reads", "stores"))
    memory = chip.measured.get("read_gbps")
    if reads is None or stores is None or memory is None:
        if memory is not None:
            yield "Dirty lines are undecided: reads behind sweeps were not timed."
        return
    share, doubt = reads.value / memory.value, _doubt(reads, memory)
    turned = chip.measured.get("cold_gbps")
    if doubt > DISTURBED:
        ours = f"whether reads leave any is undecided (disturbed by {doubt:.0%})"
    elif share >= 1 / CEILING_ERROR - doubt:
        ours = "nothing drains into it, so ours leaves none"
    elif (
        turned is not None
        and _doubt(reads, turned) <= DISTURBED
        and reads.value >= turned.value * (1 - _doubt(reads, turned))
    ):
        ours = f"as fast as the rotation, in which nothing stores ({turned.value:.4g} GB/s), so "
        ours += "ours leaves none"
    else:
        ours = "slower than the memory, so whether reads leave any is undecided"
    ratio, doubt = reads.value / stores.value, _doubt(reads, stores)
    if doubt > DISTURBED:
        theirs = f"undecided (disturbed by {doubt:.0%})"
    elif abs(ratio - 1) <= doubt:
        theirs = f"no difference within the spread of {doubt:.1%}"
    else:
        theirs = f"{ratio:.3g} times as long"
    yield (
        f"Dirty lines: a read behind a sweep of reads (how timing evicts) runs at "
        f"{reads.value:.4g} GB/s, {share:.1%} of the memory's rate: {ours}. Behind a sweep of "
        f"stores at {stores.value:.4g} GB/s: {theirs}."
    )


def _doubt(a: Measured, b: Measured) -> float:
    """By how much the ratio of the two may be off."""
    return (a.spread or 0.0) + (b.spread or 0.0)


def _disturbed(chip: ChipFacts) -> Iterator[str]:
    apart = [k for k, m in sorted(chip.measured.items()) if (m.spread or 0.0) > DISTURBED]
    apart = [k for k in apart if not k.startswith(("level", "after_", "cold_", "warm_"))]
    if apart:
        yield (
            f"Not rested: the spread of {', '.join(apart)} is above {DISTURBED:.0%}; probe again "
            "when nothing else runs."
        )


def size(n: float) -> str:
    """Bytes in three digits: `1.25 MB`."""
    for unit, scale in (("GB", 1e9), ("MB", 1e6), ("kB", 1e3)):
        if n >= scale:
            return f"{n / scale:.3g} {unit}"
    return f"{n:.3g} B"
