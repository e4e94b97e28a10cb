"""One lock per silicon, held around timing only, so that two searches do not time each other.

Takes a chip id, gives a context manager. Never held while compiling or proving. The system frees it
when its process dies, however it dies.
"""

from __future__ import annotations

import os
import re
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from boltbeam import report
from boltbeam.records.ledger import user_data
from boltbeam.types import BoltbeamError

HOST = "host"
"""Silicon of every chip id that is the processor of this machine: `cpu-…` and `cl-…`."""

PATIENCE_S = 10.0
"""So long a worker's job waits for its turn; then it answers `busy`, and whoever asked asks again,
so that waiting never counts as hanging."""

TOLD_AFTER_S = 1.5
"""Whoever waits longer says so."""

OWNER = "BOLTBEAM_OWNER"
"""Variable of a worker: the process id of the command it works for."""

_waited_s = 0.0


def waited_s() -> float:
    """Seconds that this process has waited for other processes so far."""
    return _waited_s


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
    """Hold the silicon; another holder is waited for, by default for ever, and soon that is said.

    Not re-entrant. SiliconBusy: held longer than `timeout_s`. BoltbeamError: folder not writable.
    """
    import filelock

    global _waited_s
    place = (folder or user_data()) / "locks"
    holder = place / f"{silicon(chip_id)}.pid"  # whoever asks for the lock's own file empties it
    begun = time.monotonic()
    try:
        place.mkdir(parents=True, exist_ok=True)
        held = filelock.FileLock(place / f"{silicon(chip_id)}.lock")
        soon = TOLD_AFTER_S if timeout_s < 0 else min(TOLD_AFTER_S, timeout_s)
        try:
            held.acquire(timeout=soon, poll_interval=0.05)
        except filelock.Timeout:
            if soon == timeout_s:
                raise
            report.say(f"boltbeam: {_who(holder)} is timing on {chip_id}; waiting for it")
            rest_s = timeout_s if timeout_s < 0 else timeout_s - soon
            held.acquire(timeout=rest_s, poll_interval=0.05)
    except filelock.Timeout:
        raise SiliconBusy(
            f"{chip_id}: another boltbeam has been timing on it for {timeout_s:g} s; try later"
        ) from None
    except OSError as e:
        raise BoltbeamError(f"lock of {chip_id}: {place}: {e.strerror}") from None
    finally:
        _waited_s += time.monotonic() - begun
    try:
        with suppress(OSError):
            holder.write_text(os.environ.get(OWNER) or str(os.getpid()), encoding="ascii")
        yield
    finally:
        held.release()


def _who(holder: Path) -> str:
    with suppress(OSError, ValueError):
        return f"another boltbeam (pid {int(holder.read_text(encoding='ascii'))})"
    return "another boltbeam"
