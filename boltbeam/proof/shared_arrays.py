"""Arrays that one process of a search makes and the others read: files in a folder of that search.

Takes what an array is made of and how to make it, gives the array. Never changes a bit of it, never
is in the way: without a folder, room, or a file that is whole, the array is made as without this.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import shutil
import subprocess
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from boltbeam.files import PACKAGE
from boltbeam.registry import registry_dir

Array = NDArray[Any]

FOLDER, ROOM = "BOLTBEAM_SHARED", "BOLTBEAM_SHARED_BYTES"
"""Environment: the folder that processes share, and how large it may become."""
PREFIX = "boltbeam-shared-"
"""Of a folder's name; the owner's process id follows."""
MEMORY = Path("/dev/shm")
"""Where Linux keeps files in memory."""
LEAST_ROOM = 256 << 20
"""A place with less is not used."""
PATIENCE_S = 30.0
"""So long a process waits for another one that makes the same; then it makes it itself."""
WORTH_WEIGHTS = 1 << 23
"""Tables below are made faster than they are asked for."""
_ALIGN = 64
"""Bytes of a line. A file is a line of words (the sum of all that follow, where the description
stands and how long it is), arrays that begin on lines, and the description."""


# ---- the folder ------------------------------------------------------------------------------


@contextlib.contextmanager
def folder(places: Sequence[Path] | None = None) -> Iterator[dict[str, str]]:
    """Environment of processes that share arrays; their folder is gone after the context.

    Also after kill -9: a shell waits for the end of this process, however it ends. The environment
    is empty, and everybody makes his own, where no place has room.
    """
    for place in places or (MEMORY, Path(tempfile.gettempdir())):
        with contextlib.suppress(OSError):
            room = _room(place)
            if room >= LEAST_ROOM:
                made = Path(tempfile.mkdtemp(prefix=f"{PREFIX}{os.getpid()}-", dir=place))
                break
    else:
        yield {}
        return
    heir = subprocess.Popen(
        ["sh", "-c", 'read _; sleep 1; rm -rf "$0"', str(made)],
        stdin=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        process_group=0,
    )
    try:
        yield {FOLDER: str(made), ROOM: str(room)}
    finally:
        shutil.rmtree(made, ignore_errors=True)
        heir.kill()
        heir.communicate()


def _room(place: Path) -> int:
    """Bytes that may be used there: half of what is free, and no more than a quarter of memory."""
    return min(shutil.disk_usage(place).free // 2, _memory() // 4)


def _memory() -> int:
    """Bytes of memory that are available here, no more than a container may have."""
    found = [os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")]
    with contextlib.suppress(OSError, ValueError, StopIteration):
        lines = Path("/proc/meminfo").read_text().splitlines()
        found.append(int(next(x for x in lines if x.startswith("MemAvailable")).split()[1]) << 10)
    with contextlib.suppress(OSError, ValueError):  # "max" where there is no limit
        found.append(int(Path("/sys/fs/cgroup/memory.max").read_text()))
    return min(found)


# ---- the arrays ------------------------------------------------------------------------------


def made(of: tuple[object, ...], make: Callable[[], Mapping[str, Array]]) -> Mapping[str, Array]:
    """What `make` gives, by this process or by another one that shares the folder.

    `of` says all that the arrays depend on, beside boltbeam's code. Who comes second waits until
    the first is done. Arrays that were read may be written to; nobody else sees it.
    """
    place = Path(os.environ.get(FOLDER, ""))
    if not os.environ.get(FOLDER) or not place.is_dir():
        return make()
    path = place / hashlib.sha256(f"{_code()}|{of!r}".encode()).hexdigest()[:32]
    found = _read(path)
    if found is not None:
        return found
    import filelock

    try:
        held = filelock.FileLock(f"{path}.lock").acquire(timeout=PATIENCE_S, poll_interval=0.02)
    except (OSError, filelock.Timeout):
        return make()
    with held:
        found = _read(path)
        if found is None:
            fresh = make()
            _write(path, fresh)
            found = _read(path) or fresh
        return found


def derived(source: Array, how: str, make: Callable[[], Array]) -> Array:
    """`make()`, shared where its source is one of the arrays here; it depends on nothing else."""
    file = Path(getattr(source, "filename", None) or "")
    if not file.parent.name.startswith(PREFIX):
        return make()
    whole = source
    while isinstance(whole.base, np.memmap):
        whole = whole.base
    at = source.__array_interface__["data"][0] - whole.__array_interface__["data"][0]
    return made((how, file.name, at, source.strides, source.shape), lambda: {"": make()})[""]


@cache
def _code() -> str:
    """Hash of all that makes arrays: boltbeam's code, its formats, numpy and gguf."""
    digest = hashlib.sha256(f"{version('numpy')}|{version('gguf')}".encode())
    for f in (*sorted(PACKAGE.rglob("*.py")), registry_dir() / "formats.toml"):
        digest.update(f.read_bytes())
    return digest.hexdigest()


def _read(path: Path) -> Mapping[str, Array] | None:
    """The arrays of a file; None: there is none, or it is not as it was written."""
    try:
        whole = np.memmap(path, np.uint8, "c")
        total, at, size = (int(n) for n in whole[:24].view(np.uint64))
        if total != _sum(whole[8:]):
            return None
        arrays = {
            name: whole[start : start + nbytes].view(dtype).reshape(shape)
            for name, dtype, shape, start, nbytes in json.loads(bytes(whole[at : at + size]))
        }
        os.utime(path)  # what was read last is thrown out last
    except (OSError, ValueError, TypeError):
        return None
    return arrays


def _write(path: Path, arrays: Mapping[str, Array]) -> None:
    """Put arrays into a file that is there whole or not at all; none where there is no room."""
    about: list[tuple[Any, ...]] = []
    pieces: list[Array] = []
    at = _ALIGN
    for name, array in arrays.items():
        raw = np.ascontiguousarray(array).reshape(-1).view(np.uint8)
        about.append((name, array.dtype.str, array.shape, at, raw.size))
        pieces += _padded(raw)
        at += -(-raw.size // _ALIGN) * _ALIGN
    text = np.frombuffer(json.dumps(about).encode(), np.uint8)
    pieces += _padded(text)
    head = np.zeros(_ALIGN // 8, np.uint64)
    head[1:3] = at, text.size
    head[0] = sum(_sum(piece) for piece in (head, *pieces)) % (1 << 64)
    part = path.with_name(f"{path.name}.{os.getpid()}.part")
    with contextlib.suppress(OSError):
        if _make_room(path.parent, at + text.size):
            try:
                with part.open("wb") as f:
                    for piece in (head, *pieces):
                        f.write(piece.data)
                part.replace(path)
            finally:
                part.unlink(missing_ok=True)


def _padded(raw: Array) -> tuple[Array, Array]:
    """Bytes in two pieces, the second one filled up with zeros to whole lines."""
    whole = raw.size // _ALIGN * _ALIGN
    return raw[:whole], np.pad(raw[whole:], (0, -raw.size % _ALIGN))


def _sum(raw: Array) -> int:
    """Sum of the 64-bit words: of a file that was cut or changed it is another one."""
    return int(np.add.reduce(raw.view(np.uint64), dtype=np.uint64))


def _make_room(place: Path, nbytes: int) -> bool:
    """Whether a file of this size may be written now that the oldest ones are gone."""
    room = int(os.environ.get(ROOM, "0")) - nbytes
    files = [(f.stat().st_mtime, f.stat().st_size, f) for f in _files(place)]
    taken = sum(size for _, size, _ in files)
    for _, size, file in sorted(files):
        if taken > room >= 0:
            file.unlink(missing_ok=True)
            taken -= size
    return taken <= room


def _files(place: Path) -> Iterator[Path]:
    return (f for f in place.iterdir() if f.suffix != ".lock")
