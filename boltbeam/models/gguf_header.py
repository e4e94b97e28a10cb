"""Reads the header of one GGUF file: metadata and where each tensor lies.

Takes a path, gives a Header. Never reads a weight, never trusts a length: every count is checked
against the bytes that are left before anything is allocated or skipped.
"""

from __future__ import annotations

import os
import stat
import struct
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, BinaryIO, NoReturn

from boltbeam.registry import formats
from boltbeam.types import BoltbeamError, Format

MAX_HEADER_BYTES = 64 << 20
MAX_STRING_BYTES = 16 << 20
MAX_NAME_BYTES = 65_535
MAX_ARRAY = 4 << 20
MAX_KEYS = 65_536
MAX_TENSORS = 262_144
MAX_DIMS = 4
MAX_NESTING = 4
MAX_ALIGNMENT = 1 << 20
SHORT_ARRAY = 1024
"""Arrays up to this length are always read; longer ones only when asked for."""
DAMAGED = "the file is damaged: get it again"

SCALARS = {
    0: ("u8", struct.Struct("<B")),
    1: ("i8", struct.Struct("<b")),
    2: ("u16", struct.Struct("<H")),
    3: ("i16", struct.Struct("<h")),
    4: ("u32", struct.Struct("<I")),
    5: ("i32", struct.Struct("<i")),
    6: ("f32", struct.Struct("<f")),
    7: ("bool", struct.Struct("<?")),
    10: ("u64", struct.Struct("<Q")),
    11: ("i64", struct.Struct("<q")),
    12: ("f64", struct.Struct("<d")),
}
STRING, ARRAY = 8, 9
U32, U64 = SCALARS[4][1], SCALARS[10][1]


@dataclass(frozen=True)
class LongArray:
    """Stands in the metadata for an array that was skipped: its element type and length."""

    kind: str
    count: int


@dataclass(frozen=True)
class TensorInfo:
    """One tensor as the header declares it, checked against the file."""

    name: str
    shape: tuple[int, ...]
    """Outermost first."""
    format: Format
    offset: int
    """Absolute byte offset in the file."""
    bytes: int


@dataclass(frozen=True)
class Header:
    path: Path
    version: int
    metadata: dict[str, Any]
    tensors: tuple[TensorInfo, ...]
    raw: bytes
    """Every byte from the magic to the last tensor's entry."""


def bad(path: Path, what: str, do: str = DAMAGED) -> NoReturn:
    """Raise the one-line error for a file."""
    raise BoltbeamError(f"{path}: {what}; {do}")


def read_header(path: str | os.PathLike[str], arrays: bool = False) -> Header:
    """Header of one GGUF file (v2 or v3, little endian).

    With `arrays` long arrays (the vocabulary) are read too, otherwise a LongArray stands for each.
    Raises BoltbeamError for anything that is not a readable, self-consistent GGUF file.
    """
    path = Path(path)
    with _opened(path) as (file, size):
        cursor = _Cursor(path, file, size)
        version, n_tensors, n_keys = _preamble(cursor)
        metadata = _metadata(cursor, n_keys, arrays)
        entries = [_entry(cursor) for _ in range(n_tensors)]
        raw = cursor.passed()
    tensors = _placed(path, entries, _alignment(path, metadata), len(raw), size)
    return Header(path, version, metadata, tensors, raw)


@contextmanager
def _opened(path: Path) -> Iterator[tuple[BinaryIO, int]]:
    if "\0" in str(path):
        bad(Path(repr(str(path))), "cannot be a path", "name a .gguf file")
    try:
        mode = path.stat().st_mode
        if stat.S_ISDIR(mode):
            bad(path, "is a directory", "name a .gguf file")
        if not stat.S_ISREG(mode):
            bad(path, "is not a regular file", "name a .gguf file")
        with path.open("rb") as file:
            yield file, os.fstat(file.fileno()).st_size
    except OSError as e:
        bad(path, f"cannot be read ({e.strerror or e})", "check the path and its permissions")


class _Cursor:
    """A position in a header that is read on demand, never beyond the file or the limit."""

    def __init__(self, path: Path, file: BinaryIO, size: int) -> None:
        self.path, self.file, self.size = path, file, size
        self.data = bytearray()
        self.pos = 0

    def fill(self, end: int) -> None:
        """Make bytes up to `end` available."""
        if end > self.size:
            bad(self.path, f"the header goes on past the end of the file ({self.size} bytes)")
        if end > MAX_HEADER_BYTES:
            bad(self.path, f"the header is larger than {MAX_HEADER_BYTES >> 20} MiB")
        while len(self.data) < end:
            want = max(1 << 20, end - len(self.data))
            chunk = self.file.read(min(want, self.size - len(self.data)))
            if not chunk:
                bad(self.path, f"the file ends at byte {len(self.data)} while it is read")
            self.data += chunk

    def scalar(self, form: struct.Struct) -> Any:
        end = self.pos + form.size
        if end > len(self.data):
            self.fill(end)
        (value,) = form.unpack_from(self.data, self.pos)
        self.pos = end
        return value

    def take(self, n: int) -> bytes:
        end = self.pos + n
        self.fill(end)
        out = bytes(self.data[self.pos : end])
        self.pos = end
        return out

    def left(self) -> int:
        return self.size - self.pos

    def count(self, what: str, limit: int, least_bytes: int) -> int:
        """A 64-bit count of things that take at least `least_bytes` each."""
        n: int = self.scalar(U64)
        if n > limit or n * least_bytes > self.left():
            self.absurd(f"count of {what}: {n}", limit)
        return n

    def absurd(self, said: str, limit: int) -> NoReturn:
        room = f"{limit} at most, and {self.left()} bytes are left in the file"
        bad(self.path, f"absurd {said} at byte {self.pos - U64.size} ({room})")

    def text(self, what: str, limit: int) -> bytes:
        n = self.scalar(U64)
        if n > limit or n > self.left():
            self.absurd(f"length of {what}: {n} bytes", limit)
        return self.take(n)

    def name(self, what: str) -> str:
        raw = self.text(what, MAX_NAME_BYTES)
        text = raw.decode(errors="replace")
        if not text.isprintable() or "\ufffd" in text:
            bad(self.path, f"{what} is not printable UTF-8: {raw[:40]!r}")
        return text

    def skip_strings(self, n: int) -> None:
        """Pass over n strings; lengths are checked by `fill` before the next one is looked at."""
        data, pos, unpack = self.data, self.pos, U64.unpack_from
        have = len(data)
        for _ in range(n):
            if pos + 8 > have:
                self.fill(pos + 8)
                have = len(data)
            pos += 8 + unpack(data, pos)[0]
        self.fill(pos)
        self.pos = pos

    def passed(self) -> bytes:
        return bytes(self.data[: self.pos])


def _preamble(cursor: _Cursor) -> tuple[int, int, int]:
    """Magic, version and counts -> version, tensors, keys."""
    path = cursor.path
    if cursor.size < 24:
        bad(path, f"not a GGUF file ({cursor.size} bytes)")
    magic = cursor.take(4)
    if magic != b"GGUF":
        is_pointer = magic + cursor.take(8) == b"version http"
        what = "a Git LFS pointer, not the model" if is_pointer else f"begins with {magic!r}"
        bad(path, f"not a GGUF file ({what})", "name a .gguf file or get it again")
    version = cursor.scalar(U32)
    if version & 0xFFFF == 0 and version:
        bad(path, "big-endian GGUF is not supported", "convert it to little endian")
    if version not in (2, 3):
        bad(path, f"GGUF version {version} is not supported (2 and 3 are)", "convert it again")
    n_tensors = cursor.count("tensors", MAX_TENSORS, 24)
    return version, n_tensors, cursor.count("metadata keys", MAX_KEYS, 13)


def _metadata(cursor: _Cursor, n_keys: int, arrays: bool) -> dict[str, Any]:
    out: dict[str, Any] = {}
    for _ in range(n_keys):
        key = cursor.name("a metadata key")
        if key in out:
            bad(cursor.path, f"metadata key {key!r} stands twice")
        out[key] = _value(cursor, key, cursor.scalar(U32), arrays)
    return out


def _value(cursor: _Cursor, key: str, kind: int, arrays: bool, depth: int = 0) -> Any:
    if kind in SCALARS:
        return cursor.scalar(SCALARS[kind][1])
    if kind == STRING:
        return cursor.text(f"the string {key!r}", MAX_STRING_BYTES).decode(errors="replace")
    if kind == ARRAY and depth < MAX_NESTING:
        return _array(cursor, key, arrays, depth + 1)
    return bad(cursor.path, f"metadata key {key!r} has the unknown type {kind}")


def _array(cursor: _Cursor, key: str, arrays: bool, depth: int) -> tuple[Any, ...] | LongArray:
    kind: int = cursor.scalar(U32)
    what = f"elements of {key!r}"
    if kind in SCALARS:
        name, form = SCALARS[kind]
        n = cursor.count(what, MAX_ARRAY, form.size)
        if n > SHORT_ARRAY and not arrays:
            cursor.fill(cursor.pos + n * form.size)
            cursor.pos += n * form.size
            return LongArray(name, n)
        return struct.unpack(f"<{n}{form.format[-1]}", cursor.take(n * form.size))
    if kind == STRING:
        n = cursor.count(what, MAX_ARRAY, 8)
        if n > SHORT_ARRAY and not arrays:
            cursor.skip_strings(n)
            return LongArray("string", n)
        return tuple(_value(cursor, key, STRING, arrays) for _ in range(n))
    n = cursor.count(what, SHORT_ARRAY, 12)
    return tuple(_value(cursor, key, kind, arrays, depth) for _ in range(n))


def _alignment(path: Path, metadata: dict[str, Any]) -> int:
    value = metadata.get("general.alignment", 32)
    if type(value) is not int or not 0 < value <= MAX_ALIGNMENT or value & (value - 1):
        bad(path, f"general.alignment is {value!r:.60}, not a power of two to {MAX_ALIGNMENT}")
    return value


@cache
def _format_numbers() -> dict[int, Format]:
    return {f.ggml_type: f for f in formats().values()}


def _entry(cursor: _Cursor) -> tuple[str, tuple[int, ...], Format, int]:
    """One tensor entry -> name, shape (outermost first), format, offset in the data section."""
    name = cursor.name("a tensor name")
    n_dims = cursor.scalar(U32)
    if n_dims > MAX_DIMS:
        bad(cursor.path, f"tensor {name!r} has {n_dims} dimensions (at most {MAX_DIMS})")
    dims = [cursor.scalar(U64) for _ in range(n_dims)]
    number = cursor.scalar(U32)
    form = _format_numbers().get(number)
    if form is None:
        bad(
            cursor.path,
            f"tensor {name!r} has the unknown format number {number}",
            "get the file again, or add the format to registry/formats.toml if it is new",
        )
    return name, tuple(reversed(dims)), form, cursor.scalar(U64)


def _placed(
    path: Path,
    entries: list[tuple[str, tuple[int, ...], Format, int]],
    alignment: int,
    header_bytes: int,
    size: int,
) -> tuple[TensorInfo, ...]:
    """Entries with absolute offsets; refuses what lies outside the file or on another tensor."""
    start = -(-header_bytes // alignment) * alignment
    out = []
    for name, shape, form, offset in entries:
        weights = 1
        for d in shape:
            weights *= d
            if not 0 < weights <= size * 32:
                bad(path, f"tensor {name!r} has absurd dimensions {shape}")
        if shape and shape[-1] % form.block_weights:
            bad(path, f"tensor {name!r}: rows of {shape[-1]} do not fill {form.name} blocks")
        if offset % alignment:
            bad(path, f"tensor {name!r} is misaligned (offset {offset}, alignment {alignment})")
        nbytes = -(-weights // form.block_weights) * form.block_bytes
        if start + offset + nbytes > size:
            bad(path, f"tensor {name!r} ends {start + offset + nbytes - size} bytes past the end")
        out.append(TensorInfo(name, shape, form, start + offset, nbytes))
    _check_apart(path, out)
    return tuple(out)


def _check_apart(path: Path, tensors: list[TensorInfo]) -> None:
    seen: set[str] = set()
    end, before = 0, ""
    for t in sorted(tensors, key=lambda t: t.offset):
        if t.name in seen:
            bad(path, f"tensor {t.name!r} stands twice")
        if t.offset < end:
            bad(path, f"tensors {before!r} and {t.name!r} overlap")
        seen.add(t.name)
        end, before = t.offset + t.bytes, t.name
