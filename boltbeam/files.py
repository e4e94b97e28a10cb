"""Files that are there whole or not at all.

Takes a path and bytes. Never leaves a part behind, never lets anybody read half a file.
"""

from __future__ import annotations

import errno
import secrets
from pathlib import Path

PACKAGE = Path(__file__).resolve().parent
"""The folder of boltbeam itself; a checkout is the one above it."""


def write_whole(path: Path, data: bytes, mode: int | None = None) -> None:
    """Put data where `path` says, in place of what was there; a link leads to its file.

    OSError: it cannot be written, or what is there is a device, a pipe or a folder.
    """
    path = path.resolve()
    if path.exists() and not path.is_file():
        raise OSError(errno.EINVAL, "no regular file", str(path))
    path.parent.mkdir(parents=True, exist_ok=True)
    part = path.with_name(f".{path.name}.{secrets.token_hex(4)}.part")
    try:
        part.write_bytes(data)
        if mode is not None:
            part.chmod(mode)
        part.replace(path)
    finally:
        part.unlink(missing_ok=True)
