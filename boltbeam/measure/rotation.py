"""Operands of a work item that timing turns through, so that every run reads them cold.

Takes a work item, a device and the size of the cache, gives tensors by buffer and run, and the
float64 reference of what a run must give. Never runs a kernel, never times anything.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Collection
from typing import Any

import numpy as np
from numpy.typing import NDArray

from boltbeam.emit import planes, reference
from boltbeam.emit.core import Buf, shared_buffers
from boltbeam.models.plan import timed_position
from boltbeam.proof import sample_data
from boltbeam.proof.compare_outputs import Expected
from boltbeam.records.decide import COLD_FACTOR, COPIES_MAX
from boltbeam.registry import formats
from boltbeam.seam import tinygrad_adapter as tg
from boltbeam.types import UNSCALED, WorkItem

ROTATED_CAP_BYTES = 512 << 20
"""Memory that copies may take on any chip; below COLD_FACTOR the measurement says by how much."""
ROWS_MAX = 1024
"""Runs of an embed in one graph: each reads another row, so that a batch is one replay."""
UNIQUE_WEIGHTS = 1 << 22
"""A larger table repeats its rows after so many weights, an odd number of rows: the reference of
every row is then known at the price of these. Timing does not see it, memory knows no contents."""


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
    and before each batch they move on to rows that were not read since all others were. `kind`: of
    contents, as in sample_data.
    """

    def __init__(
        self, work: WorkItem, device: str, copies: int, seed: int = 0, kind: str = "random"
    ) -> None:
        self.work, self.device, self.seed, self.kind = work, device, seed, kind
        self.copies = max(1, min(copies, ROTATED_CAP_BYTES // max(1, _table_bytes(work))))
        self.by_row = "embed" in work.ops
        self.runs_max = ROWS_MAX // self.copies * self.copies if self.by_row else self.copies
        self.contents: dict[str, NDArray[Any]] = {}
        """By buffer name; of a large table the rows before they repeat."""
        self.changed: set[str] = set()
        """Buffers that a run leaves with other contents than it found."""
        self._rows_read = 0
        self._rows = next((t.rows for t in work.tables if t.role == "token_embd"), 0)
        golden = int(self._rows * 0.618) | 1
        self._stride = next(s for s in itertools.count(golden) if math.gcd(s, self._rows) == 1)
        self._tensors: dict[tuple[str, str, int], Any] = {}
        self._expected: dict[tuple[str, str, float, int | None, bytes], Expected] = {}

    # ---- tensors -----------------------------------------------------------------------------

    def tensor(self, buf: Buf, run: int) -> Any:
        """The tensor of a buffer for a run of the rotation."""
        key = (buf.name, buf.dtype, self._turn(buf.name, run))
        if key not in self._tensors:
            self._tensors[key] = tg.copy_of(self._content(buf), self.device)
        return self._tensors[key]

    def restore(self, names: Collection[str], run: int | None = None) -> None:
        """Write the first contents of these buffers again, in every copy or in those of a run."""
        for (name, _, at), tensor in self._tensors.items():
            if name in names and (run is None or at == self._turn(name, run)):
                tg.write(tensor, self.contents[name])

    def turns(self, name: str) -> bool:
        """Whether the runs of a rotation have several buffers of this name."""
        return rotates(name) or self.chooses_row(name)

    def _turn(self, name: str, run: int) -> int:
        if self.chooses_row(name):
            return run % self.runs_max
        return run % self.copies if rotates(name) else 0

    # ---- rows of an embed --------------------------------------------------------------------

    def chooses_row(self, name: str) -> bool:
        """True for the word that says which row of its table a run reads."""
        return self.by_row and name == "tok"

    def next_rows(self, runs: int) -> None:
        """Point `runs` runs at rows that come round again only after every row of every copy."""
        self._point(self._rows_read, runs)
        self._rows_read += -(-runs // self.copies)

    def first_rows(self, runs: int) -> None:
        """Point `runs` runs at the rows that `expected` speaks of; the turns do not move on."""
        self._point(0, runs)

    def _point(self, first: int, runs: int) -> None:
        tok = shared_buffers(self.work)["tok"]
        for run in range(runs):
            word = np.array([self._row(first, run)], np.int32).view(np.uint8)
            tg.copy_in(tg.buffer(self.tensor(tok, run)), word)

    def row(self, run: int) -> int:
        """The row that a run reads once `first_rows` has pointed it there."""
        return self._row(0, run)

    def _row(self, first: int, run: int) -> int:
        """The copies of a table read one row in turn, then the next."""
        return self._stride * (first + run // self.copies) % self._rows

    # ---- what they must give -----------------------------------------------------------------

    def expected(
        self,
        takes: str,
        inner: str,
        relative: float,
        run: int = 0,
        stored: NDArray[Any] | None = None,
    ) -> Expected:
        """(values, magnitudes) of a run on the first contents and rows; each is computed once.

        `takes`: interface of the activation that the span reads; `inner`: that in which its ops
        hand theirs to each other; `relative`: share of a magnitude that outputs may be off by;
        `stored`: the cache that the run left, see reference.run. Every buffer the span reads must
        have been asked for before.
        """
        row = self._row(0, run) if self.by_row else None
        key = (takes, inner, relative, row, self._newest(stored))
        if key not in self._expected:
            given = {n: a for n, a in self.contents.items() if _handed(n, takes)}
            if row is not None:
                given["tok"] = np.array([row], np.int32)
            if stored is not None:
                given["cache.stored"] = stored
            self._expected[key] = reference.run(self.work, given, inner, relative)
        return self._expected[key]

    def _newest(self, cache: NDArray[Any] | None) -> bytes:
        """Contents of the cache at the position that a run writes."""
        if cache is None:
            return b""
        w, pos = self.work, int(self.contents["pos"][0])
        return cache.reshape(2, w.kv_heads, w.context, w.head_dim)[:, :, pos].tobytes()

    # ---- contents ----------------------------------------------------------------------------

    def _content(self, buf: Buf) -> NDArray[Any]:
        if buf.name not in self.contents:
            self.contents |= self._made(buf)
        kind: Any = np.uint16 if buf.dtype == "h16" else tg.NUMPY.get(buf.dtype, np.uint32)
        raw = self.contents[buf.name].reshape(-1).view(np.uint8)
        nbytes = buf.size * np.dtype(kind).itemsize
        if buf.name.startswith("w.") and raw.size < nbytes:
            raw = np.resize(raw, nbytes)
        return planes.repacked(buf.dtype, raw).view(kind)

    def _made(self, buf: Buf) -> dict[str, NDArray[Any]]:
        """Contents of a buffer, with those that belong to the same activation."""
        if buf.name in ("pos", "ids"):
            return self._at_position()
        prefix = buf.name.split(".")[0]
        same = prefix if prefix in sample_data.ACTIVATIONS else buf.name  # f32 and q8 must agree
        rng = np.random.default_rng([self.seed, *same.encode()])
        tables = tuple(sample_data.unique(t, UNIQUE_WEIGHTS) for t in self.work.tables)
        work = self.work.model_copy(update={"tables": tables})
        made = sample_data.arrays(work, (buf,), rng, self.kind)
        return {n: a for n, a in made.items() if n not in self.contents}

    def _at_position(self) -> dict[str, NDArray[Any]]:
        """A token at the position at which kernels are timed."""
        at = timed_position(self.work.context)
        ids = np.where(np.arange(self.work.context + 1) <= at, 1, -1).astype(np.int32)
        return {"pos": np.array([at], np.int32), "ids": ids}


def _handed(name: str, takes: str) -> bool:
    """Whether a span that takes its activation in this interface is given a buffer."""
    if name.startswith("xw."):
        return takes == UNSCALED
    return takes == "q8" or not name.endswith((".q8", ".d", ".s16"))


def rotates(name: str) -> bool:
    """Whether every copy of the operands has its own buffer of this name."""
    return name.startswith("w.") or name in ("cache", "pos", "ids")
