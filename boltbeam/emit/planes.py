"""Weights in planes: a copy of a table whose blocks lie on half-words; every read is aligned.

Takes raw blocks, gives as many bytes in another order: of eight blocks first all codes, then all
upper bits, scales, halves. Never drops or pads a byte; the copy costs what the table costs.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from boltbeam.models.plan import PLANES_GROUP

FIELDS = {
    "Q4_0": ((2, 18), (0, 2)),
    "Q5_0": ((6, 22), (2, 6), (0, 2)),
    "Q8_0": ((2, 34), (0, 2)),
    "Q6_K": ((0, 128), (128, 192), (192, 208), (208, 210)),
}
"""First byte and end of each field of a block, in the order of the planes."""
PREFIX = "planes."
"""A Buf's dtype `planes.Q6_K` is u32 words of such a copy."""


def place(name: str, byte: int) -> tuple[int, int, int]:
    """(first byte of the plane in its group, bytes per block there, byte within the field)."""
    start = 0
    for first, end in FIELDS[name]:
        if first <= byte < end:
            return start, end - first, byte - first
        start += PLANES_GROUP * (end - first)
    raise ValueError(f"{name} blocks have no byte {byte}")


def repacked(dtype: str, raw: NDArray[Any]) -> NDArray[np.uint8]:
    """Raw blocks as a buffer of this dtype holds them: planes where it says so, else unchanged."""
    if not dtype.startswith(PREFIX):
        return raw
    fields = FIELDS[dtype.removeprefix(PREFIX)]
    size = max(end for _, end in fields)
    groups = np.ascontiguousarray(raw).view(np.uint8).reshape(-1, PLANES_GROUP, size)
    out = np.empty((len(groups), PLANES_GROUP * size), np.uint8)
    at = 0
    for first, end in fields:
        plane = groups[:, :, first:end].reshape(len(groups), -1)
        out[:, at : at + plane.shape[1]] = plane
        at += plane.shape[1]
    return out.reshape(-1)
