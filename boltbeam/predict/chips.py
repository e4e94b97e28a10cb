"""Chips we know by their silicon, and what people call them.

Takes names, gives ChipFacts from the registry. Never asks a device: the facts of the chip in this
machine are probed elsewhere and come in as data.
"""

from __future__ import annotations

from boltbeam import registry
from boltbeam.types import BoltbeamError, ChipFacts

LOCAL = {
    "cpu": ("CPU",),
    "cl": ("CL",),
    "nv": ("NV", "CUDA"),
    "cuda": ("CUDA",),
    "metal": ("METAL",),
    "amd": ("AMD",),
}
"""What `--chip` calls the device here -> tinygrad devices to try, in order."""


def get(name: str) -> ChipFacts:
    """A known chip by id, by file name (`rtx-5090`) or by product name.

    Raises BoltbeamError, with a suggestion, for any other name.
    """
    by_name = names()
    found = by_name.get(name.lower())
    if found is not None:
        return found
    if name.lower() in LOCAL:
        raise BoltbeamError(
            f"chip '{name}' is the device in this machine: its facts come from `chip probe`"
        )
    hint = registry.did_you_mean(name.lower(), [*by_name, *LOCAL]) or "; see `boltbeam chip list`"
    raise BoltbeamError(f"no chip '{name}'{hint}")


def resolve(alias: str) -> tuple[str, ...] | None:
    """tinygrad devices that a local alias stands for, best first; None for any other name."""
    return LOCAL.get(alias.lower())


def aliases() -> dict[str, tuple[str, ...]]:
    """Chip id -> the short names it answers to beside its id and its product's name."""
    return {
        chip.id: tuple(stem for stem, c in registry.chip_files().items() if c.id == chip.id != stem)
        for chip in registry.chips().values()
    }


def names() -> dict[str, ChipFacts]:
    """Every name a known chip answers to, in lower case."""
    out: dict[str, ChipFacts] = {}
    for stem, chip in registry.chip_files().items():
        for name in (chip.id, stem, chip.name):
            out[name.lower()] = chip
    return out
