"""y = W x on packed tables, rows form: qkv, o, gate_up, down, head.

Takes a work item and a geometry, gives the stores of one op. Weights stay packed; each is unpacked
once, in a rolled loop of `lanes`. Never chooses a geometry.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from boltbeam.emit.core import Buf, activation, activation_of
from boltbeam.emit.rows import LOG2E, Rows, add, divisor, sums32
from boltbeam.emit.rows_formats import UNPACK, Group
from boltbeam.emit.rows_norm import quantise
from boltbeam.types import Geometry, Table, WorkItem

OPS = ("qkv", "o", "gate_up", "down", "head")
BIASED = ("attn_q", "attn_k", "attn_v")


def tables_of(work: WorkItem, op: str) -> tuple[Table, ...]:
    """The tables that one op of a span reads."""
    from boltbeam.plan import TABLES

    roles = TABLES[op]
    return tuple(t for t in work.tables if t.role in roles)


def weight_buffer(table: Table) -> Buf:
    """The raw bytes of a table, as the rows form reads them."""
    unpack = UNPACK[table.format]
    return Buf(f"w.{table.role}", table.rows * table.cols // unpack.weights * unpack.bytes, "u8")


def reads(work: WorkItem, op: str, takes: str) -> tuple[Buf, ...]:
    """Buffers the op reads and does not write: activation, tables, biases."""
    tables = tables_of(work, op)
    minimum = any(UNPACK[t.format].has_minimum for t in tables)
    bufs = activation(activation_of(op), tables[0].cols, takes)
    bufs = bufs if minimum else bufs[:-1]
    biases: tuple[Buf, ...] = ()
    if op == "qkv" and work.qkv_bias:
        biases = tuple(Buf(f"b.{t.role}", t.rows, "f32") for t in tables)
    return (*bufs, *(weight_buffer(t) for t in tables), *biases)


def writes(work: WorkItem, op: str, gives: str) -> tuple[Buf, ...]:
    """Buffers the op writes."""
    tables = tables_of(work, op)
    if op == "gate_up":
        return activation("act", tables[0].rows, gives)
    if op == "qkv":
        return (Buf("qkv", sum(t.rows for t in tables), "f32"),)
    return (Buf("x" if op in ("o", "down") else "logits", tables[0].rows, "f32"),)


def body(k: Rows, work: WorkItem, op: str, geometry: Geometry, takes: str, gives: str) -> None:
    """Write the op into kernel k."""
    tables = tables_of(work, op)
    x = _Operand(k, activation_of(op), tables[0].cols, takes)
    if op == "gate_up":
        _gate_up(k, tables, x, geometry, gives)
    elif op == "qkv":
        _qkv(k, work, tables, x, geometry)
    elif op == "head":
        _walk(k, tables, x, geometry, lambda row, y: k["logits"][row].store(y[0]))
    else:
        out = k["x"]
        _walk(k, tables, x, geometry, lambda row, y: out[row].store(out[row].load() + y[0]))


def _qkv(
    k: Rows, work: WorkItem, tables: tuple[Table, ...], x: _Operand, geometry: Geometry
) -> None:
    offset = 0
    for table in tables:

        def put(row: Any, y: list[Any], role: str = table.role, offset: int = offset) -> Any:
            value = y[0] + k[f"b.{role}"][row].load() if work.qkv_bias else y[0]
            return k["qkv"][row + offset].store(value)

        _walk(k, (table,), x, geometry, put)
        offset += table.rows


def _gate_up(
    k: Rows, tables: tuple[Table, ...], x: _Operand, geometry: Geometry, gives: str
) -> None:
    n = tables[0].rows
    if gives == "q8":
        k.buffers["act.f32"] = k.array(n)

    def put(row: Any, y: list[Any]) -> Any:
        gate, up = y
        silu = gate / ((gate * -LOG2E).exp2() + 1.0)
        return k["act.f32"][row].store(silu * up)

    _walk(k, tables, x, geometry, put)
    if gives == "q8":
        quantise(k, "act", n)
    else:
        sums32(k, "act.f32", "act.s32", n)


class _Operand:
    """The activation of one op, in its interface; int8 words are spread into bytes once."""

    def __init__(self, k: Rows, prefix: str, n: int, takes: str):
        self.k, self.prefix, self.n, self.q8 = k, prefix, n, takes == "q8"
        if self.q8:
            self._spread()

    def _spread(self) -> None:
        from tinygrad import dtypes

        k = self.k
        codes = k.array(self.n, "i8")
        word = k.loop(self.n // 4)
        packed = k[f"{self.prefix}.q8"][word].load()
        codes = codes.after(*k.before)
        stores = [
            codes[word * 4 + i].store((packed >> (8 * i)).cast(dtypes.uint8).bitcast(dtypes.int8))
            for i in range(4)
        ]
        k.buffers["t.codes"] = self.codes = codes
        from tinygrad.uop.ops import UOp

        k.done(UOp.group(*stores).end(word))

    def value(self, at: Any) -> Any:
        """Element `at` as a float (f32) or an int (q8)."""
        from tinygrad import dtypes

        if self.q8:
            return self.k["t.codes"][at].load().cast(dtypes.int32)
        return self.k[f"{self.prefix}.f32"][at].load()

    def scale(self, at: Any) -> Any:
        """Scale of the 32 elements that start at `at`."""
        return self.k[f"{self.prefix}.d"][at // 32].load()

    def total(self, at: Any, size: int) -> Any:
        """Sum of the `size` (16 or 32) elements from `at` on."""
        if not self.q8:
            if size != 32:
                raise ValueError("sums of f32 activations come per 32")
            return self.k[f"{self.prefix}.s32"][at // 32].load()
        sums = self.k[f"{self.prefix}.s16"]
        parts = [sums[at // 16 + i].load() for i in range(size // 16)]
        return parts[0] if size == 16 else parts[0] + parts[1]


def _walk(
    k: Rows,
    tables: tuple[Table, ...],
    x: _Operand,
    geometry: Geometry,
    put: Callable[[Any, list[Any]], Any],
) -> None:
    """One pass over the rows of `tables` (equal shapes); put(row, [y of each table]) stores."""
    from tinygrad.uop.ops import UOp

    rows, unroll = geometry["rows"], geometry["unroll"]
    n, cols = tables[0].rows, tables[0].cols
    if n % rows:
        raise ValueError(f"{n} rows are not a multiple of rows={rows}")
    trip = k.loop(n // rows)
    dots = [_Dot(k, t, trip * rows + r, x, geometry, trip) for r in range(rows) for t in tables]
    blocks = cols // UNPACK[tables[0].format].weights
    if blocks % unroll:
        raise ValueError(f"{blocks} blocks are not a multiple of unroll={unroll}")
    block = k.reduce(blocks // unroll)
    if geometry.get("share", 0):
        end = UOp.group(*_Dot.shared(k, dots, block)).end(block)
    else:
        end = UOp.group(*(s for d in dots for s in d.step(block))).end(block)
    each = len(tables)
    stores = []
    for r in range(rows):
        y = [d.result(end) for d in dots[r * each : (r + 1) * each]]
        stores.append(put(trip * rows + r, y))
    k.done(UOp.group(*stores).end(trip))


class _Dot:
    """The dot product of one row with the activation, while it is being written."""

    def __init__(self, k: Rows, table: Table, row: Any, x: _Operand, geometry: Geometry, trip: Any):
        self.k, self.x, self.geometry = k, x, geometry
        self.unpack = UNPACK[table.format]
        self.weights = k[f"w.{table.role}"]
        self.first = row * (table.cols // self.unpack.weights)
        self.unroll = geometry["unroll"]
        self.split = min(geometry["split"], self.unroll)
        self.lanes = geometry["lanes"]
        self.arrays = [k.array(self.lanes) for _ in range(self.split)]
        self.sums = [k.filled(a, 0.0, trip) for a in self.arrays]
        if self.unpack.has_minimum:
            self.offset_array = k.array(self.split)
            self.offsets = k.filled(self.offset_array, 0.0, trip)

    def groups(self, block: Any, u: int) -> list[tuple[Any, Group]]:
        """The groups of block number block · unroll + u, with where each begins in x."""
        b = block * self.unroll + u
        at = (self.first + b) * self.unpack.bytes
        return [
            (b * self.unpack.weights + g.start, g) for g in self.unpack.groups(self.weights, at)
        ]

    def width(self) -> int:
        """Trips of the lane loop: `lanes`, but no more than share a scale."""
        return min(self.lanes, 16 if self.unpack.groups is not UNPACK["Q8_0"].groups else 32)

    def step(self, block: Any) -> list[Any]:
        """The stores that add one trip's blocks to the accumulators."""
        stores = []
        for s in range(self.split):
            lane = self.k.loop(self.width())
            stores.append(_group(self.lane_stores(block, s, lane)).end(lane))
        return stores + self.offset_stores(block)

    @staticmethod
    def shared(k: Rows, dots: list[_Dot], block: Any) -> list[Any]:
        """As step, for all dots in one lane loop: each activation is loaded once for all rows."""
        stores = []
        for s in range(dots[0].split):
            lane = k.loop(dots[0].width())
            stores.append(
                _group([x for d in dots for x in d.lane_stores(block, s, lane)]).end(lane)
            )
        return stores + [x for d in dots for x in d.offset_stores(block)]

    def lane_stores(self, block: Any, s: int, lane: Any) -> list[Any]:
        """What one lane adds to accumulator set s."""
        sets = self.lanes // self.width()
        added: list[Any] = [None] * sets
        turn = 0
        for u in range(s, self.unroll, self.split):
            for start, group in self.groups(block, u):
                pieces = range(0, group.size, self.width())
                for i in range(min(sets, len(pieces))):
                    term = self.scaled(group, start, [lane + p for p in pieces[i::sets]])
                    to = (turn + i) % sets
                    added[to] = term if added[to] is None else added[to] + term
                turn += len(pieces)
        here = self.sums[s].after(block)
        return [
            here[lane + i * self.width()].store(here[lane + i * self.width()].load() + a)
            for i, a in enumerate(added)
            if a is not None
        ]

    def scaled(self, group: Group, start: Any, lanes: list[Any]) -> Any:
        """Sum over lanes of scale · code · x."""
        from tinygrad import dtypes

        if self.x.q8:
            whole = _sum([group.code(i) * self.x.value(start + i) for i in lanes])
            return whole.cast(dtypes.float32) * (group.scale * self.x.scale(start))
        codes = [group.code(i).cast(dtypes.float32) for i in lanes]
        values = [self.x.value(start + i) for i in lanes]
        if group.scale is None:
            return _sum([c * v for c, v in zip(codes, values, strict=True)])
        if self.geometry["scale"]:
            return group.scale * _sum([c * v for c, v in zip(codes, values, strict=True)])
        return _sum([group.scale * c * v for c, v in zip(codes, values, strict=True)])

    def offset_stores(self, block: Any) -> list[Any]:
        """Minimum times the sum of the activations it belongs to."""
        if not self.unpack.has_minimum:
            return []
        here = self.offsets.after(block)
        stores = []
        for s in range(self.split):
            terms = []
            for u in range(s, self.unroll, self.split):
                for start, size, minimum in _minima(self.groups(block, u)):
                    terms.append(minimum * self.x.total(start, size))
            stores.append(here[s].store(here[s].load() + _sum(terms)))
        return stores

    def result(self, end: Any) -> Any:
        """The finished dot product, once the column loop has ended."""
        total = _sum([self.k.fold(a, self.lanes, add, end) for a in self.arrays])
        if self.unpack.has_minimum:
            offsets = self.offset_array.after(end)
            total = total + _sum([offsets[s].load() for s in range(self.split)])
        return total


def _minima(groups: list[tuple[Any, Group]]) -> list[tuple[Any, int, Any]]:
    """(start, 32, minimum): two groups of 16 that share a minimum are one."""
    out = []
    i = 0
    while i < len(groups):
        start, group = groups[i]
        i += 32 // group.size
        out.append((start, 32, group.minimum))
    return out


def _sum(terms: list[Any]) -> Any:
    total = terms[0]
    for term in terms[1:]:
        total = total + term
    return total


def _group(stores: list[Any]) -> Any:
    from tinygrad.uop.ops import UOp

    return stores[0] if len(stores) == 1 else UOp.group(*stores)


def legal_divisor(rows: int, wanted: int) -> int:
    """The largest divisor of `rows` up to `wanted` that is a power of two."""
    return divisor(rows, wanted)
