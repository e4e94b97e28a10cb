"""This machine as the commands see it: the device behind `--chip`, its facts, workers and store.

Takes what the user typed, gives facts and open things. Never measures in this process.
"""

from __future__ import annotations

import os

from boltbeam import chips, report
from boltbeam.ledger import Layers
from boltbeam.store import Store
from boltbeam.types import ChipFacts, NoDevice
from boltbeam.worker import Pool

PROBE_S = 120.0


def open_store() -> Store:
    """The user's run store; says so when a corrupt one was moved aside."""
    store = Store.open()
    if store.notice:
        report.say(f"boltbeam: {store.notice}")
    return store


def worker_env(store: Store) -> dict[str, str]:
    """Environment of workers: a compile cache of our own, a compiler, one thread of BLAS each."""
    from boltbeam import toolchain

    cache = store.path.parent / "compile-cache.db"
    one = dict.fromkeys(("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS"), "1")
    shared = str(store.path.parent / "programs")
    return {
        "CACHEDB": str(cache),
        "BOLTBEAM_PROGRAMS": shared,
        "PARALLEL": "0",  # tinygrad would start a pool of its own in every worker
        **one,
        **toolchain.environment(),
    }


def open_device(chip: str) -> tuple[str, str]:
    """tinygrad's device for `cpu|cl|nv|metal|amd`, and why that one.

    NoDevice: not here. BoltbeamError: a name for analysis only, or none at all.
    """
    from boltbeam import probe

    if chips.resolve(chip) is None:
        known = chips.get(chip)  # raises with a suggestion for an unknown name
        raise NoDevice(
            f"--chip {chip}: {known.name} is not this machine's; here --chip is one of "
            "cpu, cl, nv, metal, amd (roofline works for any chip)"
        )
    return probe.open_device(chip)


def local_chip(device: str) -> ChipFacts:
    """Declared facts of the device here (this process opens it)."""
    os.environ["DEV"] = device
    from boltbeam import probe

    return probe.local_chip(device)


def find_chip(name: str, layers: Layers | None = None) -> ChipFacts:
    """A known chip, or the one here with what its last probe measured."""
    if chips.resolve(name) is None:
        return chips.get(name)
    device, _ = open_device(name)
    chip = local_chip(device)
    probes = (layers or Layers.find()).rows(chip=chip.id, kind="probe")
    return chip.model_copy(update={"measured": probes[-1].measured}) if probes else chip


def probed_chip(pool: Pool, device: str) -> ChipFacts:
    """Declared and measured facts of the device, from a worker, this minute."""
    answer = pool.run("probe", {"device": device}, PROBE_S)
    if answer.failed is not None:
        raise NoDevice(f"--chip: {device} did not answer the probe: {answer.failed.detail}")
    return ChipFacts.model_validate(answer.value)
