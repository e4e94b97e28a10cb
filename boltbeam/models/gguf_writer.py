"""Writes a GGUF file as a stream: header first, then each tensor's bytes as they are made.

Takes metadata, tensor shapes and an iterator of bytes per tensor, gives a complete file or none:
it is written under a temporary name and renamed at the end. Never holds a tensor in memory.
"""

from __future__ import annotations

import os
import secrets
import shutil
import struct
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from boltbeam.types import BoltbeamError, Format

ALIGNMENT = 32


@dataclass(frozen=True)
class Spec:
    """A tensor to write; shape outermost first."""

    name: str
    shape: tuple[int, ...]
    format: Format

    @property
    def bytes(self) -> int:
        weights = 1
        for d in self.shape:
            weights *= d
        return self.format.bytes_for(weights)


Contents = Callable[[int, Spec], Iterable[bytes]]
"""(index, tensor) -> its bytes in pieces."""


def header(metadata: Mapping[str, Any], tensors: Sequence[Spec], version: int = 3) -> bytes:
    """Header bytes up to the aligned start of the data. ints are u32, floats f32, lists arrays."""
    out = [b"GGUF", struct.pack("<IQQ", version, len(tensors), len(metadata))]
    for key, value in metadata.items():
        out.append(_string(key) + _value(value))
    offset = 0
    for t in tensors:
        dims = struct.pack(f"<I{len(t.shape)}Q", len(t.shape), *reversed(t.shape))
        out.append(_string(t.name) + dims + struct.pack("<IQ", t.format.ggml_type, offset))
        offset += _aligned(t.bytes)
    raw = b"".join(out)
    return raw + bytes(_aligned(len(raw)) - len(raw))


def write(
    path: Path,
    metadata: Mapping[str, Any],
    tensors: Sequence[Spec],
    contents: Contents,
    overwrite: bool = False,
    progress: Callable[[int, int], None] | None = None,
) -> Path:
    """Write the file atomically; BoltbeamError when it exists, cannot be written, or disk is full.

    `progress` is called with (bytes written, bytes in all) after each tensor.
    """
    head = header(metadata, tensors)
    total = len(head) + sum(_aligned(t.bytes) for t in tensors)
    if os.path.isdir(path) or (os.path.exists(path) and not overwrite):
        raise BoltbeamError(f"{path}: exists already; choose another name or use --force")
    part = path.with_name(f".{path.name}.{secrets.token_hex(4)}.part")
    try:
        if shutil.disk_usage(path.parent).free < total:
            raise BoltbeamError(f"{path}: needs {total:,} bytes, more than the disk has free")
        with part.open("xb") as file:
            file.write(head)
            for i, t in enumerate(tensors):
                written = sum(file.write(piece) for piece in contents(i, t))
                if written != t.bytes:
                    raise ValueError(f"{t.name}: {written} bytes made, {t.bytes} declared")
                file.write(bytes(_aligned(written) - written))
                if progress:
                    progress(file.tell(), total)
        part.replace(path)
    except OSError as e:
        do = "choose a folder that is writable and has room"
        raise BoltbeamError(f"{path}: cannot be written ({e.strerror or e}); {do}") from None
    finally:
        part.unlink(missing_ok=True)
    return path


def _aligned(n: int) -> int:
    return -(-n // ALIGNMENT) * ALIGNMENT


def _string(text: str) -> bytes:
    raw = text.encode()
    return struct.pack("<Q", len(raw)) + raw


def _value(value: Any) -> bytes:
    """Type number and bytes of a metadata value."""
    if isinstance(value, bool):
        return struct.pack("<I?", 7, value)
    if isinstance(value, int):
        return struct.pack("<II", 4, value)
    if isinstance(value, float):
        return struct.pack("<If", 6, value)
    if isinstance(value, str):
        return struct.pack("<I", 8) + _string(value)
    if value and isinstance(value[0], str):
        return struct.pack("<IIQ", 9, 8, len(value)) + b"".join(map(_string, value))
    return struct.pack(f"<IIQ{len(value)}i", 9, 5, len(value), *value)
