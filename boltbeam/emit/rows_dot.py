"""Dot products of packed rows with one activation, rows form.

Takes a table, an activation and a geometry, gives finished values row by row. Weights stay packed;
each is unpacked once, in a rolled loop of lanes. Never knows which op it works for.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from boltbeam.emit.rows import Rows, add
from boltbeam.emit.rows_formats import UNPACK, Group, Halves, half
from boltbeam.types import Geometry, Table


class Operand:
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


def walk(
    k: Rows, table: Table, x: Operand, geometry: Geometry, put: Callable[[Any, Any], Any]
) -> None:
    """One pass over a table: put(row, y) stores y = W[row] · x.

    Raises ValueError where the rows or blocks do not divide by the geometry.
    """
    rows, unroll = geometry["rows"], geometry["unroll"]
    blocks = table.cols // UNPACK[table.format].weights
    if table.rows % rows:
        raise ValueError(f"{table.rows} rows are not a multiple of rows={rows}")
    if blocks % unroll:
        raise ValueError(f"{blocks} blocks are not a multiple of unroll={unroll}")
    trip = k.loop(table.rows // rows)
    dots = [_Dot(k, table, trip * rows + r, x, geometry, trip) for r in range(rows)]
    block = k.reduce(blocks // unroll)
    if geometry["share"]:
        stores = _Dot.shared(k, dots, block)
    else:
        stores = [s for d in dots for s in d.step(block)]
    end = _group(stores).end(block)
    k.done(_group([put(trip * rows + r, d.result(end)) for r, d in enumerate(dots)]).end(trip))


class _Dot:
    """The dot product of one row with the activation, while it is being written."""

    def __init__(self, k: Rows, table: Table, row: Any, x: Operand, geometry: Geometry, trip: Any):
        self.k, self.x, self.geometry = k, x, geometry
        self.table, self.unpack = table, UNPACK[table.format]
        self.weights = k[f"w.{table.role}"]
        self.first = row * (table.cols // self.unpack.weights)
        self.unroll = geometry["unroll"]
        self.split = min(geometry["split"], self.unroll)
        self.lanes = geometry["lanes"]
        self._groups: dict[int, list[tuple[Any, Group]]] = {}
        self.arrays = [k.array(self.lanes) for _ in range(self.split)]
        self.sums = [k.filled(a, 0.0, trip) for a in self.arrays]
        if self.unpack.has_minimum:
            self.offset_array = k.array(self.split)
            self.offsets = k.filled(self.offset_array, 0.0, trip)

    def groups(self, block: Any, u: int) -> list[tuple[Any, Group]]:
        """The groups of block number block · unroll + u, with where each begins in x."""
        if u not in self._groups:
            b = block * self.unroll + u
            at = (self.first + b) * self.unpack.bytes
            read = Halves(self.k.exact_half, self.both_halves if self.geometry["header"] else None)
            self._groups[u] = [
                (b * self.unpack.weights + g.start, g)
                for g in self.unpack.groups(self.weights, at, read)
            ]
        return self._groups[u]

    def both_halves(self, table: Any, at: Any) -> tuple[Any, Any]:
        """Scale and minimum read by one loop of two, which clang turns into one conversion."""
        pair, i = self.k.array(2), self.k.loop(2)
        here = pair.after(*self.k.before) if self.k.before else pair
        read = pair.after(here[i].store(half(table, at + 2 * i, self.k.exact_half)).end(i))
        return read[0].load(), read[1].load()

    def width(self) -> int:
        """Trips of the lane loop; more lanes than that are further accumulators."""
        return min(self.lanes, 32 if self.table.format == "Q8_0" else 16)

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
        width = self.width()
        sets = self.lanes // width
        parts: list[dict[Any, list[Any]]] = [{} for _ in range(sets)]
        scales: dict[Any, Any] = {}
        turn = 0
        for u in range(s, self.unroll, self.split):
            for start, group in self.groups(block, u):
                key = (group.scale, u, group.start // 32 if self.x.q8 else 0)
                if key not in scales:
                    scales[key] = self.scale(block, group, start)
                for p in range(0, group.size, width):
                    product = self.product(group, start, lane + p)
                    parts[turn % sets].setdefault(key, []).append(product)
                    turn += 1
        here = self.sums[s].after(block)
        stores = []
        for i, part in enumerate(parts):
            if part:
                terms = [self.scaled(scales[key], products, lane) for key, products in part.items()]
                at = lane + i * width
                stores.append(here[at].store(here[at].load() + _sum(terms)))
        return stores

    def product(self, group: Group, start: Any, lane: Any) -> Any:
        """code · x of one weight: a float, or an int where both are ints."""
        from tinygrad import dtypes

        code = group.code(lane)
        code = code if self.x.q8 else code.cast(dtypes.float32)
        return code * self.x.value(start + lane)

    def scale(self, block: Any, group: Group, start: Any) -> Any:
        """What every product of the group is multiplied with; None: 1.

        A product of scales passes through an array, or every lane would multiply by both.
        """
        if group.scale is None or not (self.x.q8 or self.unpack.weights > 32):
            return group.scale
        scale = group.scale * self.x.scale(start) if self.x.q8 else group.scale
        kept = self.k.array(1)
        here = kept.after(block, *self.k.before)
        return kept.after(here[0].store(scale))[0].load()

    def scaled(self, scale: Any, products: list[Any], lane: Any) -> Any:
        """scale · Σ products: one by one (`scale=0`), or their sum once (`scale=1`).

        The sum passes through an array, or tinygrad would multiply it out again.
        """
        from tinygrad import dtypes

        if scale is None:
            return _sum(products)
        if self.x.q8:
            return _sum(products).cast(dtypes.float32) * scale
        if not self.geometry["scale"] or len(products) == 1:
            return _sum([scale * p for p in products])
        kept = self.k.array(self.width())
        here = kept.after(*self.k.before) if self.k.before else kept
        kept = kept.after(here[lane].store(_sum(products)))
        return kept[lane].load() * scale

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
        array, after = self.arrays[0], end
        if self.split > 1:
            array, lane = self.k.array(self.lanes), self.k.loop(self.lanes)
            joined = _sum([a.after(end)[lane].load() for a in self.arrays])
            after = array.after(end)[lane].store(joined).end(lane)
        total = self.k.fold(array, self.lanes, add, after)
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
