"""One lock per silicon, held around timing only, so that two searches do not time each other.

Takes a chip id, gives a context manager. Never held while compiling or proving. The system frees it
when its process dies, however it dies.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from boltbeam import report
from boltbeam.records.ledger import user_data
from boltbeam.types import BoltbeamError

HOST = "host"
"""Silicon of every chip id that is the processor of this machine: `cpu-…` and `cl-…`."""

PATIENCE_S = 10.0
"""So long a worker's job waits for its turn; then it answers `busy`, and whoever asked asks again,
so that waiting never counts as hanging."""


class SiliconBusy(BoltbeamError):
    """Another process was timing there for as long as we could wait."""

    reason = "busy"


def silicon(chip_id: str) -> str:
    """`cpu-x86_64-…` and `cl-pocl-…` -> `host`; other chips are their own silicon."""
    if chip_id.split("-")[0] in ("cpu", "cl"):
        return HOST
    return re.sub(r"[^\w.-]", "_", chip_id)


@contextmanager
def lock(
    chip_id: str,
    folder: Path | None = None,
    timeout_s: float = -1,
) -> Iterator[None]:
    """Hold the silicon; another holder is waited for: for ever by default, and then that is said.

    Not re-entrant. SiliconBusy: held longer than `timeout_s`. BoltbeamError: folder not writable.
    """
    import filelock

    place = (folder or user_data()) / "locks"
    try:
        place.mkdir(parents=True, exist_ok=True)
        held = filelock.FileLock(place / f"{silicon(chip_id)}.lock")
        try:
            held.acquire(timeout=0)
        except filelock.Timeout:
            if timeout_s < 0:
                report.say(f"boltbeam: another boltbeam is timing on {chip_id}; waiting for it")
            held.acquire(timeout=timeout_s, poll_interval=0.05)
    except filelock.Timeout:
        raise SiliconBusy(
            f"{chip_id}: another boltbeam has been timing on it for {timeout_s:g} s; try later"
        ) from None
    except OSError as e:
        raise BoltbeamError(f"lock of {chip_id}: {place}: {e.strerror}") from None
    try:
        yield
    finally:
        held.release()
