"""How a thread of a lanes kernel reads packed weights: per format, one unit of a block as strips.

Takes a table's placeholder and a block index, gives strips of weights in registers. Never writes
and never repacks: the raw GGUF bytes are read as u32 where blocks are a multiple of 4 bytes and as
u16 otherwise.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

from boltbeam.emit import planes
from boltbeam.emit.core import Buf
from boltbeam.emit.lanes_core import F32, I8, I32, U32, Kernel, const, signed_byte, vector
from boltbeam.models.plan import PLANES_GROUP
from boltbeam.types import Table


@dataclass(frozen=True)
class Strip:
    """Neighbouring weights of one row inside one block of 32: scale · (q − zero) + minimum.

    `words` are u32 of four q each (`signed`: int8, else below 64); a float format has none and
    gives its weights in `floats`, four by four.
    """

    start: Any
    """First weight, counted from the beginning of the row's block; a multiple of 4."""
    words: tuple[Any, ...] = ()
    scale: Any = None
    minimum: Any = None
    zero: int = 0
    signed: bool = False
    floats: tuple[list[Any], ...] = ()

    @property
    def quads(self) -> int:
        return len(self.words) or len(self.floats)

    def values(self) -> list[list[Any]]:
        """q − zero (or the weights themselves) as f32, four by four."""
        return [list(f) for f in self.floats] or [
            [_byte(w, k, self.signed, self.zero) for k in range(4)] for w in self.words
        ]


def _byte(word: Any, k: int, signed: bool, zero: int) -> Any:
    if signed:
        return signed_byte(word, k).cast(F32)
    value = ((word >> (8 * k)) & 255).cast(F32)
    return value - float(zero) if zero else value


@dataclass(frozen=True)
class Block:
    """One storage block of a table, seen through one of the ways to read it.

    Formats ask for words at `k` half-words (an int) and `part` words (what the lane adds).
    """

    buf: Any
    base: Any
    """First element of the block; where `off` is not None, words before its group of blocks."""
    off: int | None = None
    """Half-words from `base` on, known when the kernel is written."""
    kernel: Any = None

    def words(self, k: int, part: Any, n: int) -> list[Any]:
        """n u32 words: aligned words where the element is one, else put together of half-words."""
        if self.off is not None:
            first, odd = self.base + part + (self.off + k) // 2, (self.off + k) % 2
            held = [self.buf[first + i].load() for i in range(n + odd)]
            return [(held[i] >> 16) | (held[i + 1] << 16) for i in range(n)] if odd else held
        start = self.base + k + part * 2
        if self.buf.dtype != U32:
            half = [self.buf[start + i].load().cast(U32) for i in range(2 * n)]
            return [half[2 * i] | (half[2 * i + 1] << 16) for i in range(n)]
        odd = ((self.base + k) % 2).ne(0)
        first = start // 2
        last = odd.where(first + n, first + (n - 1))  # no word beyond the run
        held = [self.buf[first + i].load() for i in range(n)] + [self.buf[last].load()]
        shift = odd.where(const(16, U32), const(0, U32))
        return [self.kernel.funnel(held[i], held[i + 1], shift) for i in range(n)]

    def half(self, k: int, part: Any = 0) -> Any:
        """One half-word as a u32."""
        if self.off is not None:
            word = self.buf[self.base + part + (self.off + k) // 2].load()
            return word >> 16 if (self.off + k) % 2 else word & 0xFFFF
        at = self.base + k + part * 2
        if self.buf.dtype != U32:
            return self.buf[at].load().cast(U32)
        word = self.buf[at // 2].load()
        return (at % 2).ne(0).where(word >> 16, word & 0xFFFF)

    def vector(self, k: int, part: Any, n: int, width: int = 4) -> list[Any]:
        """n elements of a table of whole words, `k` and `part` in words."""
        return vector(self.buf, self.base + k + part, n, width)


@dataclass(frozen=True)
class PlaneBlock:
    """One block of a table in planes; `k` and `part` are those of the block in the file."""

    buf: Any
    base: Any
    """First word of its group."""
    turn: Any
    """Which block of the group it is."""
    format: str

    def words(self, k: int, part: Any, n: int) -> list[Any]:
        """n u32 words, by loads as wide as they are."""
        start, size, byte = planes.place(self.format, 2 * k)
        at = self.base + self.turn * (size // 4) + part + (start + byte) // 4
        return vector(self.buf, at, n)

    def half(self, k: int, part: Any = 0) -> Any:
        """One half-word as a u32."""
        start, size, _ = planes.place(self.format, 2 * k)
        if size > 2:
            word = self.words(k - k % 2, part, 1)[0]
            return word >> 16 if k % 2 else word & 0xFFFF
        word = self.buf[self.base + start // 4 + self.turn // 2].load()
        return (word >> ((self.turn % 2) * 16).cast(U32)) & 0xFFFF

    def vector(self, k: int, part: Any, n: int, width: int = 4) -> list[Any]:
        raise ValueError(f"{self.format} has no table of whole words")


Read = Callable[[Block | PlaneBlock, Any, int], list[Any]]
"""(block, unit in it, words per unit) -> the u32 words of the unit, scales last"""
Unpack = Callable[[Kernel, list[Any], Any, int], list[Strip]]
"""(kernel, what Read gave, unit in the block, words per unit) -> strips"""


@dataclass(frozen=True)
class Packed:
    """A format as lanes kernels read it."""

    dtype: str
    """Element of the table's buffer."""
    items: int
    """Elements per block."""
    weights: int
    """Weights per block."""
    words: int
    """u32 words of the plane that units are cut from, per block."""
    most: int
    """Most words per unit (a power of two)."""
    read: Read
    unpack: Unpack
    minimum: bool = False
    """Weights have an additive minimum, so sums of the activation are of use."""
    floats: bool = False
    wide: int = 0
    """Tables of half-words: 0: read so; 1: as aligned u32 words, shifted together when it runs;
    more: so many blocks are written out per trip, each at a place in 2 x so many bytes that is
    known, so that words are read as wide as they lie. `items` stay half-words."""
    planes: str = ""
    """The format, where the table was copied into planes."""

    def unit_words(self, wanted: int) -> int:
        """Words per unit: what the geometry wants, as far as the format allows (whole quads)."""
        least = max(1, 4 * self.words // self.weights) if self.floats else 1
        return max(least, min(wanted, self.most))

    @property
    def period(self) -> int:
        """Blocks that are written out per trip."""
        return max(1, self.wide)

    def units(self, cols: int, words: int) -> int:
        """Units of one row, those of the blocks of a period counted once."""
        return cols // self.weights // self.period * (self.words // words)

    def block(
        self, c: Kernel, buf: Any, row: Any, blocks: int, index: Any, turn: int
    ) -> Block | PlaneBlock:
        """Block `index` x period + `turn` of a row of so many blocks."""
        if self.planes:
            at, words = row * blocks + index, PLANES_GROUP * self.items // 2
            return PlaneBlock(buf, at // PLANES_GROUP * words, at % PLANES_GROUP, self.planes)
        if self.wide > 1:
            words = self.period * self.items // 2
            base = row * (blocks // self.period * words) + index * words
            return Block(buf, base, turn * self.items)
        return Block(buf, (row * blocks + index) * self.items, kernel=c)

    def buffer(self, name: str, rows: int, cols: int) -> Buf:
        items = rows * cols // self.weights * self.items
        if self.planes:
            return Buf(name, items // 2, planes.PREFIX + self.planes)
        return Buf(name, items // 2, "u32") if self.wide else Buf(name, items, self.dtype)


def _nibbles(words: list[Any], high: int) -> list[Any]:
    return [(w >> 4 if high else w) & 0x0F0F0F0F for w in words]


def _fifth(bits: Any, word: Any) -> Any:
    """Bits 4·word … 4·word+3 of a u32, each at bit 4 of its byte."""
    four = (bits >> (word * 4).cast(U32)) & 15
    return ((four * 0x00204081) & 0x01010101) << 4


def _legacy(bits: int, minimum: bool) -> tuple[Read, Unpack]:
    """Q4_0, Q4_1, Q5_0, Q5_1: 32 weights, low nibbles the first 16, high nibbles the rest."""

    def read(b: Block | PlaneBlock, unit: Any, n: int) -> list[Any]:
        if minimum:
            codes = b.vector(bits - 3, unit * n, n, 2 if bits == 5 else 1)
            return codes + b.vector(0, 0, bits - 3, 1)
        codes = b.words(3 if bits == 5 else 1, unit * n, n)
        return codes + (b.words(1, 0, 1) if bits == 5 else []) + [b.half(0)]

    def unpack(c: Kernel, raw: list[Any], unit: Any, n: int) -> list[Strip]:
        words, low, fifths = raw[:n], None, None
        if minimum:
            scale, low = c.half(raw[n] & 0xFFFF), c.half(raw[n] >> 16)
            fifths = raw[n + 1] if bits == 5 else None
        else:
            scale = c.half(raw[-1])
            fifths = raw[n] if bits == 5 else None
        strips = []
        for high in (0, 1):
            quads = _nibbles(words, high)
            if fifths is not None:
                quads = [q | _fifth(fifths, unit * n + i + 4 * high) for i, q in enumerate(quads)]
            zero = 0 if minimum else 1 << (bits - 1)
            strips.append(Strip(unit * (4 * n) + 16 * high, tuple(quads), scale, low, zero))
        return strips

    return read, unpack


def _read_q8_0(b: Block | PlaneBlock, unit: Any, n: int) -> list[Any]:
    return [*b.words(1, unit * n, n), b.half(0)]


def _q8_0(c: Kernel, raw: list[Any], unit: Any, n: int) -> list[Strip]:
    return [Strip(unit * (4 * n), tuple(raw[:n]), c.half(raw[n]), signed=True)]


def scale_minimum(words: list[Any], chunk: Any) -> list[tuple[Any, Any]]:
    """6-bit scale and minimum of the two sub-blocks of a chunk (0 … 3), from the three scale words
    of a K block: both at once, a byte each."""
    shift = ((chunk & 1) * 16).cast(U32)
    a, b, c = (w >> shift for w in words)
    low = chunk < 2
    scales = low.where(a & 0x3F3F, (c & 0x0F0F) | ((a >> 2) & 0x3030))
    minima = low.where(b & 0x3F3F, ((c >> 4) & 0x0F0F) | ((b >> 2) & 0x3030))
    return [(scales & 255, minima & 255), (scales >> 8, minima >> 8)]


def _k45(bits: int) -> tuple[Read, Unpack]:
    """Q4_K and Q5_K: four chunks of 64 weights; low nibbles its first 32, high nibbles the rest."""

    def place(unit: Any, n: int) -> tuple[Any, Any]:
        return unit // (8 // n), (unit % (8 // n)) * n

    def read(b: Block | PlaneBlock, unit: Any, n: int) -> list[Any]:
        chunk, first = place(unit, n)
        codes = b.vector(12 if bits == 5 else 4, chunk * 8 + first, n)
        return codes + (b.vector(4, first, n) if bits == 5 else []) + b.vector(0, 0, 4)

    def unpack(c: Kernel, raw: list[Any], unit: Any, n: int) -> list[Strip]:
        chunk, first = place(unit, n)
        words, fifths, head = raw[:n], raw[n:-4], raw[-4:]
        scale, low = c.half(head[0] & 0xFFFF), c.half(head[0] >> 16)
        strips = []
        for high, (s, m) in enumerate(scale_minimum(head[1:], chunk)):
            quads = _nibbles(words, high)
            shift = (chunk * 2 + high).cast(U32)
            for i, f in enumerate(fifths):
                quads[i] = quads[i] | (((f >> shift) & 0x01010101) << 4)
            start = chunk * 64 + high * 32 + first * 4
            strips.append(Strip(start, tuple(quads), scale * s.cast(F32), -(low * m.cast(F32))))
        return strips

    return read, unpack


def _read_q6_k(b: Block | PlaneBlock, unit: Any, n: int) -> list[Any]:
    """Two halves of 128 weights: 64 bytes of nibbles, 32 of upper bit pairs, 8 int8 scales each."""
    half, first = unit // (8 // n), (unit % (8 // n)) * n
    low = [w for h in (0, 1) for w in b.words(h * 16, half * 16 + first, n)]
    upper = b.words(64, half * 8 + first, n)
    return [*low, *upper, *(b.half(96 + g, half * 2) for g in range(4)), b.half(104)]


def _q6_k(c: Kernel, raw: list[Any], unit: Any, n: int) -> list[Strip]:
    half, first = unit // (8 // n), (unit % (8 // n)) * n
    low, upper, scales = (raw[:n], raw[n : 2 * n]), raw[2 * n : 3 * n], raw[3 * n : 3 * n + 4]
    d, byte = c.half(raw[-1]), ((first // 4) * 8).cast(U32)
    strips = []
    for g in range(4):
        quads = [
            q | ((_moved(u, 4 - 2 * g)) & 0x30303030)
            for q, u in zip(_nibbles(low[g % 2], g // 2), upper, strict=True)
        ]
        s = (scales[g] >> byte).cast(I8).cast(I32).cast(F32)
        strips.append(Strip(half * 128 + g * 32 + first * 4, tuple(quads), d * s, zero=32))
    return strips


def _moved(word: Any, left: int) -> Any:
    return word << left if left > 0 else word >> -left if left else word


def _halves(brain: bool) -> tuple[Read, Unpack]:
    """F16 and BF16: a word holds two weights."""

    def value(c: Kernel, word: Any, upper: int) -> Any:
        if brain:
            return (word & 0xFFFF0000 if upper else word << 16).bitcast(F32)
        return c.half(word >> 16 if upper else word & 0xFFFF)

    def unpack(c: Kernel, raw: list[Any], unit: Any, n: int) -> list[Strip]:
        floats = [value(c, x, h) for x in raw for h in (0, 1)]
        quads = tuple(floats[i : i + 4] for i in range(0, len(floats), 4))
        return [Strip(unit * (2 * n), floats=quads)]

    return _plain, unpack


def _plain(b: Block | PlaneBlock, unit: Any, n: int) -> list[Any]:
    return b.vector(0, unit * n, n)


def _f32(c: Kernel, raw: list[Any], unit: Any, n: int) -> list[Strip]:
    floats = [x.bitcast(F32) for x in raw]
    return [Strip(unit * n, floats=tuple(floats[i : i + 4] for i in range(0, n, 4)))]


PACKED = {
    "Q4_0": Packed("u16", 9, 32, 4, 4, *_legacy(4, False)),
    "Q4_1": Packed("u32", 5, 32, 4, 4, *_legacy(4, True), minimum=True),
    "Q5_0": Packed("u16", 11, 32, 4, 4, *_legacy(5, False)),
    "Q5_1": Packed("u32", 6, 32, 4, 4, *_legacy(5, True), minimum=True),
    "Q8_0": Packed("u16", 17, 32, 8, 8, _read_q8_0, _q8_0),
    "Q4_K": Packed("u32", 36, 256, 32, 8, *_k45(4), minimum=True),
    "Q5_K": Packed("u32", 44, 256, 32, 8, *_k45(5), minimum=True),
    "Q6_K": Packed("u16", 105, 256, 16, 4, _read_q6_k, _q6_k),
    "F16": Packed("u32", 16, 32, 16, 16, *_halves(False), floats=True),
    "BF16": Packed("u32", 16, 32, 16, 16, *_halves(True), floats=True),
    "F32": Packed("u32", 32, 32, 32, 16, _plain, _f32, floats=True),
}
"""Float formats are read in blocks of 32 weights, so that all formats are alike."""


def packed(table: Table, wide: int = 0, copied: bool = False) -> Packed:
    """How to read a table; `wide`: as in Packed, where its blocks lie on half-words; `copied`: they
    were put into planes.

    Raises ValueError where no lanes kernel can.
    """
    found = PACKED.get(table.format)
    if found is None:
        raise ValueError(f"{table.role}: lanes kernels do not read {table.format}")
    if table.cols % max(found.weights, 32):
        raise ValueError(f"{table.role}: {table.cols} columns do not fill {table.format} blocks")
    blocks = table.cols // found.weights
    if copied and table.format in planes.FIELDS:
        if table.rows * blocks % PLANES_GROUP:
            raise ValueError(f"{table.role}: {table.rows * blocks} blocks make no whole planes")
        return replace(found, planes=table.format)
    if wide == 1 and found.dtype == "u16" and table.rows * blocks % 2 == 0:
        return replace(found, wide=1)
    if wide > 1 and found.dtype == "u16" and blocks % wide == 0:
        return replace(found, wide=wide)
    return found
