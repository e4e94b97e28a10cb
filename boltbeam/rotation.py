"""Device tensors that timing turns through, so that every run reads its operands cold.

Takes a work item and the size of the cache, gives tensors by buffer and run. Never times anything.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from boltbeam import sample_data
from boltbeam import tinygrad_adapter as tg
from boltbeam.emit.core import Buf, shared_buffers
from boltbeam.registry import formats
from boltbeam.types import WorkItem

COLD_FACTOR = 2.0
"""Operands rotate through at least this many times the last-level cache."""
ROTATED_CAP_BYTES = 512 << 20
"""Memory that copies may take on any chip; below COLD_FACTOR the measurement says by how much."""
COPIES_MAX = 128
ROWS_MAX = 1024
"""Runs of an embed in one graph: each reads another row, so that a batch is one replay."""


def copies_for(bytes_per_run: int, cache_bytes: int | None, cap: int = ROTATED_CAP_BYTES) -> int:
    """Copies of the operands to rotate: twice the cache, within `cap` bytes and COPIES_MAX."""
    if not cache_bytes or bytes_per_run <= 0:
        return 1
    wanted = math.ceil(COLD_FACTOR * cache_bytes / bytes_per_run)
    return max(1, min(wanted, cap // bytes_per_run, COPIES_MAX))


def touched_bytes(work: WorkItem) -> int:
    """Bytes that runs of a work item read in their turns: of an embed, any row of its table."""
    return max(work.bytes, _table_bytes(work) if "embed" in work.ops else 1)


def _table_bytes(work: WorkItem) -> int:
    return sum(formats()[t.format].bytes_for(t.rows * t.cols) for t in work.tables)


class Operands:
    """Device tensors of one work item, shared by every candidate that is compared on it.

    Weights and the KV cache exist `copies` times (equal contents, other addresses), so do the
    words that a run changes for the next one (pos, ids); everything else once. An embed reads one
    row in a run: there the token rotates too, through ROWS_MAX words over the copies of its table,
    and before each batch they move on to rows that were not read since all others were.
    """

    def __init__(self, work: WorkItem, device: str, copies: int, seed: int = 0) -> None:
        self.work, self.device, self.seed = work, device, seed
        self.copies = max(1, min(copies, ROTATED_CAP_BYTES // max(1, _table_bytes(work))))
        self.by_row = "embed" in work.ops
        self.runs_max = ROWS_MAX // self.copies * self.copies if self.by_row else self.copies
        self._rows_read = 0
        self.contents: dict[str, NDArray[Any]] = {}
        self._tensors: dict[tuple[str, str, int], Any] = {}

    def tensor(self, buf: Buf, copy: int) -> Any:
        """The tensor of a buffer for the `copy`-th run of the rotation."""
        times = self.runs_max if self.chooses_row(buf.name) else self.copies
        turns = self.chooses_row(buf.name) or rotates(buf.name)
        key = (buf.name, buf.dtype, copy % times if turns else 0)
        if key not in self._tensors:
            self._tensors[key] = tg.copy_of(self._content(buf), self.device)
        return self._tensors[key]

    def restore(self, names: Sequence[str]) -> None:
        """Write the first contents of these small buffers again, in every copy."""
        for (name, _, _), tensor in self._tensors.items():
            if name in names:
                tg.write(tensor, self.contents[name])

    def chooses_row(self, name: str) -> bool:
        """True for the word that says which row of its table a run reads."""
        return self.by_row and name == "tok"

    def next_rows(self, runs: int) -> None:
        """Point `runs` runs at rows that come round again only after every row of every copy."""
        rows = next(t.rows for t in self.work.tables if t.role == "token_embd")
        stride = next(
            s for s in range(int(rows * 0.618) | 1, 2 * rows + 2) if math.gcd(s, rows) == 1
        )
        tok = shared_buffers(self.work)["tok"]
        for run in range(runs):
            row = stride * (self._rows_read + run // self.copies) % rows
            word = np.array([row], np.int32).view(np.uint8)
            tg.copy_in(tg.buffer(self.tensor(tok, run)), word)
        self._rows_read += -(-runs // self.copies)

    def _content(self, buf: Buf) -> NDArray[Any]:
        if buf.name not in self.contents:
            rng = np.random.default_rng(self.seed)
            made = sample_data.arrays(self.work, (buf,), rng, "random")
            if buf.name in ("pos", "ids"):
                made = self._middle(buf)
            self.contents |= {n: a for n, a in made.items() if n not in self.contents}
        raw = self.contents[buf.name]
        kind = np.uint16 if buf.dtype == "h16" else tg.NUMPY[buf.dtype]
        return raw.reshape(-1).view(np.uint8).view(kind)

    def _middle(self, buf: Buf) -> dict[str, NDArray[Any]]:
        """Half the context is filled: what a token costs on average."""
        half = self.work.context // 2
        ids = np.where(np.arange(self.work.context + 1) <= half, 1, -1).astype(np.int32)
        return {"pos": np.array([half], np.int32), "ids": ids}


def rotates(name: str) -> bool:
    return name.startswith("w.") or name in ("cache", "pos", "ids")
