"""Attention of one layer as the graph of a token that is replayed at position after position."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import lanes_bench as bench
import numpy as np

from boltbeam import emit
from boltbeam.emit import dependent
from boltbeam.emit.core import Buf, Launch, Target, shared_buffers
from boltbeam.emit.lanes_core import Kernel, build_launch, scalar
from boltbeam.seam import tinygrad_adapter as tg
from boltbeam.seam import tinygrad_graph
from boltbeam.types import Geometry, Route, WorkItem


def _moved(name: str, to: Buf, row_of: Buf, rows: int, out: bool, target: Target) -> Launch:
    """One row of `row_of`, that of the position, into `to`; `out`: the other way."""
    n = to.size
    big = Buf(row_of.name, rows * n, row_of.dtype)
    pos = Buf("pos", 1, "i32")

    def kernel(named: dict[str, Any]) -> Any:
        c = Kernel(target, n // 32, 32)
        i = c.gid * 32 + c.lane
        small, row = named[to.name][i], named[big.name][scalar(named["pos"]) * n + i]
        return c.sink(name, [row.store(small.load()) if out else small.store(row.load())])

    return build_launch(name, [big if out else to], [to if out else big, pos], kernel)


def _advanced(target: Target) -> Launch:
    """The position one on, as the last launch of a token leaves it."""

    def kernel(named: dict[str, Any]) -> Any:
        c = Kernel(target, 1, 32)
        pos = named["pos"]
        where = (c.lane * 0).valid(c.lane.eq(0))
        return c.sink("advance", [pos[where].store(pos[c.lane * 0].load() + 1)])

    return build_launch("advance", [Buf("pos", 1, "i32")], [], kernel)


class Replays:
    """A graph of four steps: this token's projections, attention, its output, the next position."""

    def __init__(self, work: WorkItem, route: Route, geometry: str, target: Target) -> None:
        assert route.gives == "f32"
        self.work, bufs = work, shared_buffers(work, target.exact_half)
        out = Buf("att.f32", work.heads * work.head_dim, "f32")
        rows = work.context
        ends = [
            _moved("project", bufs["qkv"], Buf("text", 0, "f32"), rows, False, target),
            _moved("note", out, Buf("log", 0, "f32"), rows, True, target),
            _advanced(target),
        ]
        if target.dependent:
            ends = [dependent.dependent(x) for x in ends]
        attention = emit.launches(work, route, Geometry.parse(geometry), target)
        self.launches = (ends[0], *attention, *ends[1:])
        every = {b.name: b for x in self.launches for b in (*x.outs, *x.ins)}
        self.held = {n: tg.empty(b, target.device) for n, b in every.items()}
        self.half = every["cache"]
        rng = np.random.default_rng(5)
        self.arrays = bench.arrays_for(work, attention, rng)
        self.text = rng.standard_normal((rows, bufs["qkv"].size)).astype(np.float32)
        self.graph = tinygrad_graph.capture(self._token)

    def _token(self) -> None:
        for x in self.launches:
            # one by one: their order is the one in which they are captured
            tg.realize(tg.call(x, [self.held[b.name] for b in (*x.outs, *x.ins)]))

    def run(
        self, positions: int, rubbish: float = np.nan
    ) -> tuple[np.ndarray[Any, Any], np.ndarray[Any, Any]]:
        """Output of each position, and the cache, after so many replays one behind the other from
        position 0; `rubbish` is what a row of the cache holds before its token has come."""
        cache = np.full(self.half.size, rubbish, np.float16)
        state = {**self.arrays, "text": self.text, "pos": np.zeros(1, np.int32)}
        state["cache"] = cache.view(np.uint16) if self.half.dtype == "h16" else cache
        for name in ("text", "pos", "rope", "cache", "n.attn_q_norm", "n.attn_k_norm"):
            if name in self.held:
                tg.write(self.held[name], np.ascontiguousarray(state[name]).reshape(-1))
        for _ in range(positions):
            self.graph()
        log = tg.read(self.held["log"]).reshape(self.work.context, -1)
        return log[:positions], tg.read(self.held["cache"]).view(np.float16)

    def worst(self, at: Sequence[int]) -> dict[int, float]:
        """By position: largest error ÷ tolerance, against float64 on the cache as it was then."""
        w, (log, cache) = self.work, self.run(max(at) + 1)
        rows = cache.reshape(2, w.kv_heads, w.context, w.head_dim)
        found = {}
        for position in at:
            before, behind = rows.copy(), rows.copy()
            before[:, :, position:], behind[:, :, position + 1 :] = np.nan, np.nan
            given = {**self.arrays, "qkv": self.text[position], "cache": before.reshape(-1)}
            given["pos"] = np.array([position])
            got = {"att.f32": log[position], "cache": behind.reshape(-1)}
            found[position] = max(bench.worst(w, got, given).values())
        return found
