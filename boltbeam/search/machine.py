"""This machine as the commands see it: the device behind `--chip`, its facts, workers and store.

Takes what the user typed, gives facts and open things. Never measures in this process.
"""

from __future__ import annotations

import hashlib
import os
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING

from boltbeam import registry, report
from boltbeam.predict import chips
from boltbeam.records import ledger, standing
from boltbeam.records.ledger import Layers, user_data
from boltbeam.records.store import Store
from boltbeam.seam import toolchain
from boltbeam.types import BoltbeamError, ChipFacts, Measured, NoDevice, Outcome

if TYPE_CHECKING:
    from boltbeam.worker import Pool


CACHE = "compile-cache.db"
"""tinygrad's compiled kernels (CACHEDB) in the user's data folder, as the command line sets it."""
UNUSED_DAYS, ROOM_BYTES = 14, 2 << 30
"""Programs are kept so long after somebody used them, and so many bytes of them."""


def open_store() -> Store:
    """The user's run store; says so when a corrupt one was moved aside."""
    store = Store.open()
    if store.notice:
        report.say(f"boltbeam: {store.notice}")
    return store


@contextmanager
def somewhere() -> Iterator[Path]:
    """The user's data folder. Where it takes no file, a folder that goes afterwards takes what is
    made meanwhile (compiled kernels, the run store); says so. Before tinygrad is imported."""
    own = user_data()
    try:
        ledger.require_room(own)
    except OSError as e:
        with tempfile.TemporaryDirectory(prefix="boltbeam-", ignore_cleanup_errors=True) as folder:
            report.say(f"boltbeam: {own}: {e.strerror}: nothing of this run is kept there")
            os.environ["XDG_DATA_HOME"] = folder
            if os.environ.get("CACHEDB") == str(own / CACHE):
                os.environ["CACHEDB"] = str(Path(folder) / CACHE)
            yield own
        return
    yield own


def require_cache() -> None:
    """BoltbeamError: tinygrad's compile cache (CACHEDB, which the command line sets) has no place.

    Without this check it would be the device that fails to open.
    """
    place = Path(os.environ.get("CACHEDB") or user_data() / CACHE).parent
    try:
        place.mkdir(parents=True, exist_ok=True)
    except OSError as e:
        raise BoltbeamError(
            f"compile cache in {place}: {e.strerror}; set XDG_DATA_HOME to a writable folder"
        ) from None


def worker_env(store: Store, device: str) -> dict[str, str]:
    """Environment of workers: programs they hand each other (those of the same compiler and driver
    only: they hold machine code), a compiler, one thread of BLAS each.

    tinygrad would start a pool of its own in every worker: PARALLEL=0.
    """
    from boltbeam.measure import software

    one = dict.fromkeys(("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS"), "1")
    shared = str(programs(store) / software.identity(device))
    return {"BOLTBEAM_PROGRAMS": shared, "PARALLEL": "0", **one, **toolchain.environment()}


def programs(store: Store) -> Path:
    """Where workers leave finished programs."""
    return store.path.parent / "programs"


def prune(folder: Path) -> None:
    """Throw away the files below that nobody used for UNUSED_DAYS, and the longest unused where
    they are more than ROOM_BYTES. What is lost is made again."""
    files = []
    for path in folder.rglob("*"):
        with suppress(OSError):
            if path.is_file():
                about = path.stat()
                files.append((max(about.st_atime, about.st_mtime), about.st_size, path))
    oldest, room = time.time() - UNUSED_DAYS * 24 * 3600, ROOM_BYTES
    for used, size, path in sorted(files, reverse=True):
        room -= size
        if room < 0 or used < oldest:
            with suppress(OSError):
                path.unlink()


def open_device(chip: str) -> tuple[str, str]:
    """tinygrad's device for `cpu|cl|nv|metal|amd`, and why that one; sets CC where it is needed.

    NoDevice: not here, or a name for analysis only. BoltbeamError: no such name, or no compiler.
    """
    devices = chips.resolve(chip)
    if devices is None:
        known = chips.get(chip)  # raises with a suggestion for an unknown name
        raise NoDevice(
            f"--chip {chip}: {known.name} is not this machine's; here --chip is one of "
            "cpu, cl, nv, metal, amd (roofline works for any chip)"
        )
    require_cache()
    toolchain.require_compiler(devices[0])  # tinygrad compiles when it opens the CPU
    from boltbeam.chip import probe
    from boltbeam.measure import software
    from boltbeam.seam import tinygrad_cache

    def name_compiler(device: str) -> None:
        said = hashlib.sha256(software.compiler(device).encode()).hexdigest()[:12]
        os.environ[tinygrad_cache.COMPILER] = said

    try:
        if devices[0] != "CL":  # which only an open device tells; it compiles nothing before
            name_compiler(devices[0])
        device, why = probe.open_device(chip)
        name_compiler(device)
        return device, why
    except Exception as e:
        raise toolchain.mistake(e) or e from None


def local_chip(device: str) -> ChipFacts:
    """Declared facts of the device here (this process opens it)."""
    os.environ["DEV"] = device
    from boltbeam.chip import probe

    return probe.local_chip(device)


def find_chip(name: str, layers: Layers | None = None) -> ChipFacts:
    """A known chip or the one here, with what probes in the ledger last measured of it."""
    layers = layers or Layers.find()
    kind = name.split("-")[0] if any(s.chip == name for s in layers.stored()) else name
    if chips.resolve(kind) is None or name in registry.chips():
        chip = chips.get(name)
    else:
        device, _ = open_device(kind)
        chip = local_chip(device)
        if kind != name != chip.id:
            raise BoltbeamError(f"{name} is not the {kind} chip here, which is {chip.id}")
    return standing.with_probes(layers, chip)[0]


def declared_chip(pool: Pool, device: str) -> ChipFacts:
    """Declared facts of the device, from a worker."""
    from boltbeam.search.device_work import PROBE_S

    answer = pool.run("declared", {"device": device}, PROBE_S)
    return answered(device, answer.failed or ChipFacts.model_validate(answer.value))


def probed(
    pool: Pool,
    chip: ChipFacts,
    full: bool,
    say: Callable[[str], None],
    parts: Sequence[str] = (),
) -> ChipFacts:
    """The chip with what parts of a probe measured (none named: all); says what each took.

    A part that fails leaves its values out and says why; nothing else is lost by it.
    """
    from boltbeam.chip.probe import PARTS
    from boltbeam.search.device_work import PROBE_FULL_S, PROBE_S

    parts = parts or tuple(PARTS)
    for n, part in enumerate(parts, 1):
        args = {"part": part, "chip": chip.model_dump(exclude_none=True), "full": full}
        answer = pool.run("probe_part", args, PROBE_FULL_S if full else PROBE_S)
        if answer.failed is not None:
            say(f"{n} of {len(parts)}, {part}: not measured: {answer.failed.detail}")
            continue
        found = {k: Measured.model_validate(v) for k, v in answer.value.items()}
        chip = chip.model_copy(update={"measured": {**chip.measured, **found}})
        points = sum(len(m.points) for m in found.values())
        swept = f" from {points} points" if points else ""
        say(f"{n} of {len(parts)}, {part}: {len(found)} values{swept} in {answer.seconds:.1f} s")
    if not chip.measured:
        raise NoDevice(f"--chip: nothing could be measured on {chip.device}; see boltbeam doctor")
    return chip


def answered(device: str, answer: ChipFacts | Outcome) -> ChipFacts:
    """The chip's facts. NoDevice where a worker had none to give."""
    if isinstance(answer, Outcome):
        if answer.reason == "crash":
            said = f"a worker on {device} ended ({answer.detail}); try again"
            raise NoDevice(f"--chip: {said}, or see boltbeam doctor")
        raise NoDevice(f"--chip: {device} did not answer ({answer.detail}); see boltbeam doctor")
    return answer
