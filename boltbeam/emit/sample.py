"""The last step of a token at a temperature: argmax of the logits with noise on them.

Takes a candidate that ends in argmax, gives its launches with the token drawn instead: what draws
reads two more buffers, `temp` and `seed` (noise.HOST). At temperature 0 the token is argmax's.
Nothing is searched: geometry and kernels are argmax's own, read through noise. Its emitters do not
know of that, so that they keep the hash that the ledger's rows cite.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from boltbeam import emit
from boltbeam.emit import noise, rows_ends
from boltbeam.emit.core import Buf, Launch, Target
from boltbeam.emit.dependent import dependent
from boltbeam.emit.rows import Rows, divisor, kernel
from boltbeam.emit.rows_chain import axes_of
from boltbeam.types import Geometry, Route, WorkItem

DRAWN_BY = (*noise.HOST, Buf("pos", 1, "i32"))
BEHIND_HEAD = Geometry.of(threads=256, split=128)
"""Of argmax over all logits, in the lanes form, where the plan's own reads the head's maxima."""


def launches(
    work: WorkItem, route: Route, geometry: Geometry, target: Target
) -> tuple[Launch, ...]:
    """As emit.launches, of a candidate whose last op is argmax.

    A head keeps its kernel. Where it is one with argmax, as in the rows form, its route makes it
    again without.
    """
    head = tuple(x for x in emit.launches(work, route, geometry, target) if _writes(x, "logits"))
    if any(_writes(x, "ids") for x in head):
        alone = work.model_copy(update={"op": work.op.removesuffix("+argmax")})
        head = emit.launches(alone, route, geometry, target)
    if route.form == "rows":
        return (*head, _rows(work, geometry))
    last = _lanes(work, _lanes_geometry(work, geometry), target)
    return (*head, *(map(dependent, last) if target.dependent else last))


def shape(work: WorkItem, route: Route, geometry: Geometry) -> tuple[int, int]:
    """(workgroups, lanes of each): entries go to them in turn, to all of a workgroup first."""
    if route.form == "rows":
        return 1, divisor(work.vocab, axes_of(geometry, "argmax")["lanes"])
    own = _lanes_geometry(work, geometry)
    threads, groups = own.get("threads", 256), own.get("split", 1)
    return (groups if work.vocab >= groups * threads else 1), threads


def _lanes_geometry(work: WorkItem, geometry: Geometry) -> Geometry:
    return geometry if work.op == "argmax" else BEHIND_HEAD


def _writes(launch: Launch, name: str) -> bool:
    return name in (b.name for b in launch.outs)


def noisy(logit: Any, index: Any, temp: Any, seed: Any, pos: Any) -> Any:
    """logit + temp · g of entry `index` at a position; UOps."""
    from tinygrad import dtypes

    words = (x.cast(dtypes.uint32) for x in (seed, pos, index))
    return logit + temp * noise.gumbel(noise.bits(*words))


# ---- rows --------------------------------------------------------------------------------------


def _rows(work: WorkItem, geometry: Geometry) -> Launch:
    """One launch: keys of all logits, then argmax over them as it is."""
    axes = axes_of(geometry, "argmax")
    keys = Buf("t.keys", work.vocab, "f32")

    def body(k: Rows) -> None:
        drawn_by = [k[b.name][0].load() for b in DRAWN_BY]
        lanes = divisor(work.vocab, axes["lanes"])
        block, lane = k.loop(work.vocab // lanes), k.loop(lanes)
        at = block * lanes + lane
        key = noisy(k["logits"][at].load(), at, *drawn_by)
        k.done(k[keys.name][at].store(key).end(lane).end(block))
        k.buffers["logits"] = k.buffers[keys.name]
        rows_ends.argmax_body(k, work, axes)

    outs = (*rows_ends.argmax_writes(work), keys)
    return kernel("sample_rows", outs, (*rows_ends.argmax_reads(work), *noise.HOST), body)


# ---- lanes -------------------------------------------------------------------------------------


@dataclass(frozen=True)
class _Noisy:
    """The logits as argmax's kernel reads them, `buffer[index].load()`: with noise on them."""

    buffer: Any
    drawn_by: tuple[Any, ...]
    index: Any = None

    def __getitem__(self, index: Any) -> _Noisy:
        return replace(self, index=index)

    def load(self) -> Any:
        return noisy(self.buffer[self.index].load(), self.index, *self.drawn_by)


def _lanes(work: WorkItem, geometry: Geometry, target: Target) -> tuple[Launch, ...]:
    """argmax's launches; the one that reads the logits reads them with noise."""
    from boltbeam.emit.lanes_misc import argmax_launches

    made = argmax_launches(work, geometry, target, work.vocab, partials=False)
    return (_with_noise(made[0]), *made[1:])


def _with_noise(launch: Launch) -> Launch:
    known = {b.name for b in (*launch.outs, *launch.ins)}
    more = tuple(b for b in DRAWN_BY if b.name not in known)
    names = [b.name for b in (*launch.outs, *launch.ins, *more)]
    name = launch.name.replace("argmax", "sample")

    def build(*placeholders: Any) -> Any:
        named = dict(zip(names, placeholders, strict=True))
        drawn_by = tuple(named[b.name][0].load() for b in DRAWN_BY)
        named["logits"] = _Noisy(named["logits"], drawn_by)
        sink = launch.build(*(named[n] for n in names[: len(known)]))
        return sink.replace(arg=replace(sink.arg, name=name))

    return replace(launch, name=name, ins=(*launch.ins, *more), build=build)
