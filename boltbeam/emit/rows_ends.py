"""The two ends of a token, rows form: embed at its start, argmax at its end.

Takes token id, position and logits from buffers, so that a replay needs no work on the host.
"""

from __future__ import annotations

from typing import Any

from boltbeam.emit.core import Buf, shared_buffers
from boltbeam.emit.rows import Rows, divisor, larger
from boltbeam.emit.rows_formats import UNPACK, Halves
from boltbeam.emit.rows_gemv import tables_of, weight_buffer
from boltbeam.types import Geometry, WorkItem


def embed_reads(work: WorkItem) -> tuple[Buf, ...]:
    return shared_buffers(work)["tok"], weight_buffer(tables_of(work, "embed")[0])


def embed_writes(work: WorkItem) -> tuple[Buf, ...]:
    return (shared_buffers(work)["x"],)


def embed_body(k: Rows, work: WorkItem, geometry: Geometry) -> None:
    """x = the table's row `tok`, dequantised, times the model's scale."""
    from tinygrad import dtypes
    from tinygrad.uop.ops import UOp

    table = tables_of(work, "embed")[0]
    unpack = UNPACK[table.format]
    blocks = table.cols // unpack.weights
    token = k["tok"][0].load()
    block = k.loop(blocks)
    at = (token * blocks + block) * unpack.bytes
    stores = []
    for group in unpack.groups(k[f"w.{table.role}"], at, Halves(k.exact_half)):
        lane = k.loop(group.size)
        value = group.code(lane).cast(dtypes.float32)
        value = value if group.scale is None else value * group.scale
        value = value if group.minimum is None else value + group.minimum
        value = value if work.embed_scale == 1.0 else value * work.embed_scale
        to = block * unpack.weights + group.start + lane
        stores.append(k["x"][to].store(value).end(lane))
    k.done(UOp.group(*stores).end(block))


def argmax_reads(work: WorkItem) -> tuple[Buf, ...]:
    return (shared_buffers(work)["logits"],)


def argmax_writes(work: WorkItem) -> tuple[Buf, ...]:
    shared = shared_buffers(work)
    return shared["tok"], shared["pos"], shared["ids"]


def argmax_body(k: Rows, work: WorkItem, geometry: Geometry) -> None:
    """The largest logit's lowest id follows, unless ids already holds the next token."""
    from tinygrad.uop.ops import UOp

    lanes = divisor(work.vocab, geometry["lanes"])
    best = _lowest(k, work.vocab, lanes, _largest(k, work.vocab, lanes))
    kept = k.array(3, "i32")
    place = k["pos"][0].load() + 1
    forced = k["ids"][place].load()
    here = kept.after(*k.before)
    state = kept.after(
        UOp.group(here[0].store(place), here[1].store((forced < 0).where(best, forced)))
    )
    place, token = state[0].load(), state[1].load()
    stores = [k["ids"][place].store(token), k["tok"][0].store(token), k["pos"][0].store(place)]
    k.done(*stores)


def _largest(k: Rows, n: int, lanes: int) -> Any:
    tops = k.array(lanes)
    low = k.filled(tops, -3e38)
    block, lane = k.reduce(n // lanes), k.loop(lanes)
    here = low.after(block)
    value = k["logits"][block * lanes + lane].load()
    end = here[lane].store(here[lane].load().maximum(value)).end(lane).end(block)
    top = k.fold(tops, lanes, larger, end)
    kept = k.array(1)
    return k.done(kept.after(*k.before)[0].store(top)), kept


def _lowest(k: Rows, n: int, lanes: int, largest: Any) -> Any:
    """The lowest index whose logit is the largest; n - 1 where none is (all NaN)."""
    from tinygrad import dtypes

    done, kept = largest
    top = kept.after(done)[0].load()
    firsts = k.array(lanes, "i32")
    none = k.filled(firsts, n - 1)
    block, lane = k.reduce(n // lanes), k.loop(lanes)
    here = none.after(block)
    at = block * lanes + lane
    found = (k["logits"][at].load() < top).where(n - 1, at.cast(dtypes.int32))
    end = here[lane].store(here[lane].load().minimum(found)).end(lane).end(block)
    return k.fold(firsts, lanes, lambda a, b: a.minimum(b), end, dtype="i32")
