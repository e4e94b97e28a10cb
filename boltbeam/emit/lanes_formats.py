"""How a thread of a lanes kernel reads packed weights: per format, one unit of a block as strips.

Takes a table's placeholder and a block index, gives strips of weights in registers. Never writes
and never repacks: the raw GGUF bytes are read as u32 where blocks are a multiple of 4 bytes and as
u16 otherwise.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

from boltbeam.emit.core import Buf
from boltbeam.emit.lanes_core import F32, I8, I32, U32, Kernel, signed_byte, vector
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


Unpack = Callable[[Kernel, Any, Any, Any, int], list[Strip]]
"""(kernel, table, first element of the block, unit in the block, words per unit) -> strips"""


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
    unpack: Unpack
    minimum: bool = False
    """Weights have an additive minimum, so sums of the activation are of use."""
    floats: bool = False
    wide: bool = False
    """Half-words are read as aligned u32 words and shifted together; `items` stay half-words."""

    def unit_words(self, wanted: int) -> int:
        """Words per unit: what the geometry wants, as far as the format allows (whole quads)."""
        least = max(1, 4 * self.words // self.weights) if self.floats else 1
        return max(least, min(wanted, self.most))

    def units(self, cols: int, words: int) -> int:
        """Units of one row."""
        return cols // self.weights * (self.words // words)

    def buffer(self, name: str, rows: int, cols: int) -> Buf:
        items = rows * cols // self.weights * self.items
        return Buf(name, items // 2, "u32") if self.wide else Buf(name, items, self.dtype)


def _pairs(buf: Any, start: Any, n: int) -> list[Any]:
    """n u32 words from half-word `start` on: two loads each, or aligned words shifted together."""
    if buf.dtype != U32:
        half = [buf[start + i].load().cast(U32) for i in range(2 * n)]
        return [half[2 * i] | (half[2 * i + 1] << 16) for i in range(n)]
    first, odd = start // 2, (start % 2).ne(0)
    last = odd.where(first + n, first + (n - 1))  # no word beyond the run
    words = [buf[first + i].load() for i in range(n)] + [buf[last].load()]
    return [odd.where((words[i] >> 16) | (words[i + 1] << 16), words[i]) for i in range(n)]


def _half(buf: Any, at: Any) -> Any:
    """Half-word `at` as a u32."""
    if buf.dtype != U32:
        return buf[at].load().cast(U32)
    word = buf[at // 2].load()
    return (at % 2).ne(0).where(word >> 16, word & 0xFFFF)


def _nibbles(words: list[Any], high: int) -> list[Any]:
    return [(w >> 4 if high else w) & 0x0F0F0F0F for w in words]


def _fifth(bits: Any, word: Any) -> Any:
    """Bits 4·word … 4·word+3 of a u32, each at bit 4 of its byte."""
    four = (bits >> (word * 4).cast(U32)) & 15
    return ((four * 0x00204081) & 0x01010101) << 4


def _legacy(bits: int, minimum: bool) -> Unpack:
    """Q4_0, Q4_1, Q5_0, Q5_1: 32 weights, low nibbles the first 16, high nibbles the rest."""

    def unpack(c: Kernel, w: Any, base: Any, unit: Any, n: int) -> list[Strip]:
        first = unit * n
        low = None
        if minimum:
            head = w[base].load()
            scale, low = c.half(head & 0xFFFF), c.half(head >> 16)
            fifths = w[base + 1].load() if bits == 5 else None
            start = base + (2 if bits == 5 else 1) + first
            words = vector(w, start, n, 2 if bits == 5 else 1)
        else:
            scale = c.half(_half(w, base))
            fifths = _pairs(w, base + 1, 1)[0] if bits == 5 else None
            words = _pairs(w, base + (3 if bits == 5 else 1) + first * 2, n)
        strips = []
        for high in (0, 1):
            quads = _nibbles(words, high)
            if fifths is not None:
                quads = [q | _fifth(fifths, first + i + 4 * high) for i, q in enumerate(quads)]
            zero = 0 if minimum else 1 << (bits - 1)
            strips.append(Strip(first * 4 + 16 * high, tuple(quads), scale, low, zero))
        return strips

    return unpack


def _q8_0(c: Kernel, w: Any, base: Any, unit: Any, n: int) -> list[Strip]:
    scale = c.half(_half(w, base))
    words = _pairs(w, base + 1 + unit * (2 * n), n)
    return [Strip(unit * (4 * n), tuple(words), scale, signed=True)]


def scale_minimum(words: list[Any], sub: Any) -> tuple[Any, Any]:
    """6-bit scale and minimum of sub-block `sub` (0 … 7), from the scale words of a K block."""
    shift = ((sub & 3) * 8).cast(U32)
    a, b, c = ((w >> shift) & 255 for w in words)
    low = sub < 4
    return (
        low.where(a & 63, (c & 15) | ((a >> 6) << 4)),
        low.where(b & 63, (c >> 4) | ((b >> 6) << 4)),
    )


def _k45(bits: int) -> Unpack:
    """Q4_K and Q5_K: four chunks of 64 weights; low nibbles its first 32, high nibbles the rest."""

    def unpack(c: Kernel, w: Any, base: Any, unit: Any, n: int) -> list[Strip]:
        chunk, first = unit // (8 // n), (unit % (8 // n)) * n
        head = vector(w, base, 4)
        scale, low = c.half(head[0] & 0xFFFF), c.half(head[0] >> 16)
        plane = base + 4 + (8 if bits == 5 else 0)
        words = vector(w, plane + chunk * 8 + first, n)
        fifths = vector(w, base + 4 + first, n) if bits == 5 else []
        strips = []
        for high in (0, 1):
            quads = _nibbles(words, high)
            shift = (chunk * 2 + high).cast(U32)
            for i, f in enumerate(fifths):
                quads[i] = quads[i] | (((f >> shift) & 0x01010101) << 4)
            s, m = scale_minimum(head[1:4], chunk * 2 + high)
            start = chunk * 64 + high * 32 + first * 4
            strips.append(Strip(start, tuple(quads), scale * s.cast(F32), -(low * m.cast(F32))))
        return strips

    return unpack


def _q6_k(c: Kernel, w: Any, base: Any, unit: Any, n: int) -> list[Strip]:
    """Two halves of 128 weights: 64 bytes of nibbles, 32 of upper bit pairs, 8 int8 scales each."""
    half, first = unit // (8 // n), (unit % (8 // n)) * n
    low = [_pairs(w, base + half * 32 + (h * 8 + first) * 2, n) for h in (0, 1)]
    upper = _pairs(w, base + 64 + half * 16 + first * 2, n)
    d = c.half(_half(w, base + 104))
    byte = ((first // 4) * 8).cast(U32)
    strips = []
    for g in range(4):
        quads = [
            q | (((u >> (2 * g)) & 0x03030303) << 4)
            for q, u in zip(_nibbles(low[g % 2], g // 2), upper, strict=True)
        ]
        s = (_half(w, base + 96 + half * 4 + g) >> byte).cast(I8).cast(I32).cast(F32)
        strips.append(Strip(half * 128 + g * 32 + first * 4, tuple(quads), d * s, zero=32))
    return strips


def _halves(brain: bool) -> Unpack:
    """F16 and BF16: a word holds two weights."""

    def value(c: Kernel, word: Any, upper: int) -> Any:
        if brain:
            return (word & 0xFFFF0000 if upper else word << 16).bitcast(F32)
        return c.half(word >> 16 if upper else word & 0xFFFF)

    def unpack(c: Kernel, w: Any, base: Any, unit: Any, n: int) -> list[Strip]:
        words = vector(w, base + unit * n, n)
        floats = [value(c, x, h) for x in words for h in (0, 1)]
        quads = tuple(floats[i : i + 4] for i in range(0, len(floats), 4))
        return [Strip(unit * (2 * n), floats=quads)]

    return unpack


def _f32(c: Kernel, w: Any, base: Any, unit: Any, n: int) -> list[Strip]:
    floats = [x.bitcast(F32) for x in vector(w, base + unit * n, n)]
    return [Strip(unit * n, floats=tuple(floats[i : i + 4] for i in range(0, n, 4)))]


PACKED = {
    "Q4_0": Packed("u16", 9, 32, 4, 4, _legacy(4, False)),
    "Q4_1": Packed("u32", 5, 32, 4, 4, _legacy(4, True), minimum=True),
    "Q5_0": Packed("u16", 11, 32, 4, 4, _legacy(5, False)),
    "Q5_1": Packed("u32", 6, 32, 4, 4, _legacy(5, True), minimum=True),
    "Q8_0": Packed("u16", 17, 32, 8, 8, _q8_0),
    "Q4_K": Packed("u32", 36, 256, 32, 8, _k45(4), minimum=True),
    "Q5_K": Packed("u32", 44, 256, 32, 8, _k45(5), minimum=True),
    "Q6_K": Packed("u16", 105, 256, 16, 4, _q6_k),
    "F16": Packed("u32", 16, 32, 16, 16, _halves(False), floats=True),
    "BF16": Packed("u32", 16, 32, 16, 16, _halves(True), floats=True),
    "F32": Packed("u32", 32, 32, 32, 16, _f32, floats=True),
}
"""Float formats are read in blocks of 32 weights, so that all formats are alike."""


def packed(table: Table, wide: bool = False) -> Packed:
    """How to read a table; `wide`: with aligned words where its blocks lie on half-words.

    Raises ValueError where no lanes kernel can.
    """
    found = PACKED.get(table.format)
    if found is None:
        raise ValueError(f"{table.role}: lanes kernels do not read {table.format}")
    if table.cols % max(found.weights, 32):
        raise ValueError(f"{table.role}: {table.cols} columns do not fill {table.format} blocks")
    if wide and found.dtype == "u16" and table.rows * table.cols // found.weights % 2 == 0:
        return replace(found, wide=True)
    return found
