"""Operands of one work item on a device, shared by all who are timed on it, and what they give.

Takes a work item, a device and a number of copies, gives tensors by buffer and copy, and the
float64 reference of their contents. Never runs a kernel.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

import numpy as np
from numpy.typing import NDArray

from boltbeam import sample_data
from boltbeam import tinygrad_adapter as tg
from boltbeam.compare_outputs import Expected
from boltbeam.emit import reference
from boltbeam.emit.core import Buf
from boltbeam.registry import formats
from boltbeam.types import WorkItem

ROTATED_CAP_BYTES = 512 << 20
"""Memory that copies may take on any chip; below twice the cache the measurement says so."""
UNIQUE_WEIGHTS = 1 << 22
"""A larger table repeats its rows after so many weights, an odd number of rows: the reference of
every row is then known at the price of these. Timing does not see it, memory knows no contents."""


class Operands:
    """Device tensors of one work item, shared by every candidate that is compared on it.

    Weights and the KV cache exist `copies` times (equal contents, other addresses), so do the
    words that a run changes for the next one (pos, ids); everything else once. `kind`: of contents,
    as in sample_data.
    """

    def __init__(
        self, work: WorkItem, device: str, copies: int, seed: int = 0, kind: str = "random"
    ) -> None:
        whole = sum(formats()[t.format].bytes_for(t.rows * t.cols) for t in work.tables)
        self.work, self.device, self.seed, self.kind = work, device, seed, kind
        self.copies = max(1, min(copies, ROTATED_CAP_BYTES // max(1, whole)))
        self.contents: dict[str, NDArray[Any]] = {}
        """By buffer name; of a large table the rows before they repeat."""
        self.changed: set[str] = set()
        """Buffers that a run leaves with other contents than it found."""
        self._tensors: dict[tuple[str, str, int], Any] = {}
        self._expected: dict[tuple[bool, str], Expected] = {}

    def tensor(self, buf: Buf, copy: int) -> Any:
        """The tensor of a buffer for the `copy`-th run of the rotation."""
        key = (buf.name, buf.dtype, copy % self.copies if rotates(buf.name) else 0)
        if key not in self._tensors:
            self._tensors[key] = tg.copy_of(self._content(buf), self.device)
        return self._tensors[key]

    def restore(self, names: Collection[str], copy: int | None = None) -> None:
        """Write the first contents of these buffers again, in every copy or in one."""
        for (name, _, at), tensor in self._tensors.items():
            if name in names and (copy is None or at == copy or not rotates(name)):
                tg.write(tensor, self.contents[name])

    def expected(self, takes: str, inner: str) -> Expected:
        """(values, magnitudes) of one run on the first contents; each is computed once.

        `takes`: interface of the activation that the span reads; `inner`: that in which its ops
        hand theirs to each other. Every buffer the span reads must have been asked for before.
        """
        if (takes == "q8", inner) not in self._expected:
            of_q8 = (".q8", ".d", ".s16")
            given = {
                n: a for n, a in self.contents.items() if takes == "q8" or not n.endswith(of_q8)
            }
            self._expected[takes == "q8", inner] = reference.run(self.work, given, inner)
        return self._expected[takes == "q8", inner]

    def _content(self, buf: Buf) -> NDArray[Any]:
        if buf.name not in self.contents:
            self.contents |= self._made(buf)
        kind = np.uint16 if buf.dtype == "h16" else tg.NUMPY[buf.dtype]
        raw = self.contents[buf.name].reshape(-1).view(np.uint8)
        nbytes = buf.size * np.dtype(kind).itemsize
        if buf.name.startswith("w.") and raw.size < nbytes:
            raw = np.resize(raw, nbytes)
        return raw.view(kind)

    def _made(self, buf: Buf) -> dict[str, NDArray[Any]]:
        """Contents of a buffer, with those that belong to the same activation."""
        prefix = buf.name.split(".")[0]
        same = prefix if prefix in ("xn", "att", "act") else buf.name  # f32 and q8 must agree
        rng = np.random.default_rng([self.seed, *same.encode()])
        if buf.name in ("pos", "ids"):
            return self._middle()
        work = self.work.model_copy(update={"tables": tuple(map(_repeating, self.work.tables))})
        made = sample_data.arrays(work, (buf,), rng, self.kind)
        return {n: a for n, a in made.items() if n not in self.contents}

    def _middle(self) -> dict[str, NDArray[Any]]:
        """Half the context is filled: what a token costs on average."""
        half = self.work.context // 2
        ids = np.where(np.arange(self.work.context + 1) <= half, 1, -1).astype(np.int32)
        return {"pos": np.array([half], np.int32), "ids": ids}


def rotates(name: str) -> bool:
    """Whether every copy of the operands has its own buffer of this name."""
    return name.startswith("w.") or name in ("cache", "pos", "ids")


def _repeating(table: Any) -> Any:
    rows = UNIQUE_WEIGHTS // table.cols | 1
    return table if rows >= table.rows else table.model_copy(update={"rows": rows})
