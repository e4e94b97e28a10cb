"""Device buffers with guard bands: the half of the tinygrad adapter that proofs stand on.

Takes a Buf and a device, gives a tensor whose memory lies between two bands of known bytes. Writes
of a kernel past either end, and what it reads there, become visible. Never runs a kernel.
"""

from __future__ import annotations

import ctypes
from collections.abc import Iterator
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from boltbeam.emit import core, planes
from boltbeam.emit.core import Buf
from boltbeam.proof import shared_arrays
from boltbeam.seam import tinygrad_adapter as tg

Bytes = NDArray[np.uint8]

LARGE_BYTES = 32 << 20
"""Contents of this size are written apart from their bands, so that neither is copied first."""
PIECE = 8 << 20
"""… and moved in pieces that stay in a processor's cache, through the same few pages."""
GUARD = 4096
"""Bytes of each band; also the alignment at which the content starts."""
PLANES_KEPT = 2
_PLANES: dict[tuple[str, int], tuple[NDArray[Any], Bytes]] = {}
"""(type, content's id) -> the content, which so keeps its id, and its bytes in planes."""


class Guarded:
    """`buf` on `device` between two bands; `tensor` is what launches take."""

    def __init__(self, buf: Buf, device: str) -> None:
        from tinygrad import Tensor, dtypes
        from tinygrad.device import Buffer
        from tinygrad.uop.ops import UOp

        self.buf, self.device = buf, device
        self.nbytes = buf.size * core.dtype(buf.dtype).itemsize
        self._base = Buffer(device, self.nbytes + 2 * GUARD, dtypes.uint8, preallocate=True)
        self._view = _view(self._base, buf)
        self._band = -1
        self.tensor = Tensor(UOp.from_buffer(self._view))

    def load(self, content: NDArray[Any] | int, band: int) -> None:
        """Write the content (an array, or one byte value everywhere) and both bands."""
        if isinstance(content, int):
            image = np.full(self.nbytes + 2 * GUARD, band, dtype=np.uint8)
            image[GUARD : GUARD + self.nbytes] = content
        else:
            raw = self.held(content)
            if raw.size != self.nbytes:
                raise ValueError(f"{self.buf.name}: {raw.size} bytes given, {self.nbytes} needed")
            if self.large:
                for at, size in _pieces(self.nbytes, PIECE):
                    tg.copy_in(self._part(size, GUARD + at), raw[at : at + size])
                self.load_bands(band)
                return
            image = np.full(self.nbytes + 2 * GUARD, band, dtype=np.uint8)
            image[GUARD : GUARD + self.nbytes] = raw
        self._band = band
        tg.copy_in(self._base, image)

    def held(self, content: NDArray[Any]) -> Bytes:
        """The bytes of a content as this buffer holds them: a table in planes has another order.

        The last contents in planes are remembered: candidates of a work item share theirs.
        """
        if not self.buf.dtype.startswith(planes.PREFIX):
            return as_bytes(content)
        key = (self.buf.dtype, id(content))
        if key not in _PLANES:
            while len(_PLANES) >= PLANES_KEPT:
                _PLANES.pop(next(iter(_PLANES)))
            made = shared_arrays.derived(
                content,
                self.buf.dtype,
                lambda: as_bytes(planes.repacked(self.buf.dtype, content)),
            )
            _PLANES[key] = content, as_bytes(made)
        return _PLANES[key][1]

    def load_bands(self, band: int) -> None:
        """Write both bands and leave the content as it is (`large` buffers only)."""
        self._band = band
        image = np.full(GUARD, band, dtype=np.uint8)
        for start in (0, GUARD + self.nbytes):
            tg.copy_in(self._part(GUARD, start), image)

    @property
    def large(self) -> bool:
        """Content and bands are written apart (OpenCL has no pointers to offset)."""
        return self.nbytes >= LARGE_BYTES and not self.device.startswith("CL")

    def _part(self, nbytes: int, start: int) -> Any:
        from tinygrad import dtypes

        return self._base.view(nbytes, dtypes.uint8, start).ensure_allocated()

    def read(self) -> tuple[Bytes, str | None]:
        """The content's bytes now, and where a band was hit: `x[-1]`, `x[576]` (None: intact)."""
        image = tg.copy_out(self._base)
        end = GUARD + self.nbytes
        return image[GUARD:end], self._hit(image[:GUARD], -GUARD) or self._hit(
            image[end:], self.nbytes
        )

    def changed(self, content: NDArray[Any]) -> tuple[int | None, str | None]:
        """The first byte that is no longer the content's (None: all are), and where a band was hit.

        Every byte is read back and compared.
        """
        want = self.held(content)
        if not self.large:
            got, hit = self.read()
            return first_difference(got, want), hit
        ends = (0, -GUARD), (GUARD + self.nbytes, self.nbytes)
        hits = [self._hit(tg.copy_out(self._part(GUARD, at)), start) for at, start in ends]
        scratch, found = np.empty(PIECE, np.uint8), None
        for at, size in _pieces(self.nbytes, PIECE):
            got = tg.copy_out(self._part(size, GUARD + at), scratch[:size])
            found = first_difference(got, want[at : at + size])
            if found is not None:
                found += at
                break
        return found, hits[0] or hits[1]

    def _hit(self, band: Bytes, start: int) -> str | None:
        wrong = np.flatnonzero(band != self._band)
        if not wrong.size:
            return None
        itemsize = self.nbytes // self.buf.size
        return f"{self.buf.name}[{(start + int(wrong[0])) // itemsize}]"


def as_bytes(a: NDArray[Any]) -> Bytes:
    """The bytes of an array, flat."""
    return np.ascontiguousarray(a).reshape(-1).view(np.uint8)


def first_difference(a: Bytes, b: Bytes) -> int | None:
    """Where two byte arrays of the same size first differ; nothing as large as they are is made."""
    if a.size != b.size:
        raise ValueError(f"{a.size} bytes compared with {b.size}")
    for at, size in _pieces(a.size, 1 << 20):
        x, y = a[at : at + size], b[at : at + size]
        if not np.array_equal(x, y):
            return at + int(np.flatnonzero(x != y)[0])
    return None


def _pieces(total: int, most: int) -> Iterator[tuple[int, int]]:
    """(start, size) of pieces in order."""
    return ((at, min(most, total - at)) for at in range(0, total, most))


def _view(base: Any, buf: Buf) -> Any:
    """A tinygrad Buffer over the middle of `base`; kernels that write it write the base."""
    from tinygrad.device import Buffer, BufferSpec

    dtype = core.dtype(buf.dtype)
    if not base.device.startswith("CL"):
        return base.view(buf.size, dtype, GUARD).ensure_allocated()
    opaque = _sub_buffer(base._buf, buf.size * dtype.itemsize)
    # nolru: freeing must release the sub-buffer, not offer it to another tensor
    return Buffer(base.device, buf.size, dtype, opaque=opaque, options=BufferSpec(nolru=True))


def _sub_buffer(parent: Any, nbytes: int) -> Any:
    """OpenCL has no pointers to offset: a sub-buffer shares the parent's memory."""
    from tinygrad.runtime.autogen import opencl as cl

    region = _region_type()(GUARD, nbytes)
    status = ctypes.c_int32()
    sub = cl.clCreateSubBuffer(
        parent,
        cl.CL_MEM_READ_WRITE,
        cl.CL_BUFFER_CREATE_TYPE_REGION,
        ctypes.cast(ctypes.byref(region), ctypes.c_void_p),
        status,
    )
    if status.value != 0:
        raise RuntimeError(f"OpenCL refused a sub-buffer at byte {GUARD}: error {status.value}")
    return sub


@cache
def _region_type() -> Any:
    return type(
        "Region",
        (ctypes.Structure,),
        {"_fields_": [("origin", ctypes.c_size_t), ("size", ctypes.c_size_t)]},
    )
