"""One route with one geometry for one work item on one chip, and what can be counted of it.

Takes a format's layout and a geometry, gives threads, words, registers and local memory. Never says
what is legal, never predicts a time.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cached_property

from boltbeam.models.plan import TABLES
from boltbeam.types import ChipFacts, Geometry, Route, Table, WorkItem


@dataclass(frozen=True)
class Layout:
    """How a format's blocks lie in memory, as far as legality and cost need it."""

    group: int
    """Neighbouring weights that share a scale and lie in a row of the block."""
    block: int
    """Weights per step of the column loop (plain floats: 32 at a time)."""
    bytes: int
    """Bytes of such a step."""
    words: int
    """32-bit words of the plane that lanes cut into load units, per block."""
    most: int
    """Most words per unit that stay within one run of that plane."""
    align: int
    """Alignment of the words within the tensor, bytes, at most 16; 2: read as half-words."""
    scaled: int
    """Neighbouring weights that share a scale value; 0: there are no scales."""
    minimum: bool = False
    """Weights have an additive minimum beside the scale."""
    beside: tuple[int, int] = (1, 0)
    """What a load unit of n words is read as: the first times n, and the second more for scales."""

    def words_of(self, wanted: int) -> int:
        """Words of a load unit when a geometry asks for so many."""
        least = 4 * self.words // self.block if self.group == self.block else 1
        return max(least, min(wanted, self.most), 1)

    def read_of(self, words: int) -> int:
        """u32 words that a load unit of so many words is read as, scales included."""
        return self.beside[0] * words + self.beside[1]


LAYOUTS = {
    "Q4_0": Layout(16, 32, 18, 4, 4, 2, 32, beside=(1, 1)),
    "Q4_1": Layout(16, 32, 20, 4, 4, 4, 32, True, (1, 1)),
    "Q5_0": Layout(16, 32, 22, 4, 4, 2, 32, beside=(1, 2)),
    "Q5_1": Layout(16, 32, 24, 4, 4, 8, 32, True, (1, 2)),
    "Q8_0": Layout(32, 32, 34, 8, 8, 2, 32, beside=(1, 1)),
    "Q4_K": Layout(32, 256, 144, 32, 8, 16, 32, True, (1, 4)),
    "Q5_K": Layout(32, 256, 176, 32, 8, 16, 32, True, (2, 4)),
    "Q6_K": Layout(16, 256, 210, 16, 4, 2, 16, beside=(3, 5)),
    "F16": Layout(32, 32, 64, 16, 16, 16, 0),
    "BF16": Layout(32, 32, 64, 16, 16, 16, 0),
    "F32": Layout(32, 32, 128, 32, 16, 16, 0),
}


NO_AXES = Geometry()
SIMD = 32
"""Lanes that exchange values on every chip that shuffles."""


@dataclass(frozen=True)
class Case:
    """What a rule looks at."""

    work: WorkItem
    route: Route
    chip: ChipFacts
    geometry: Geometry = NO_AXES
    multiplied: tuple[tuple[str, Table], ...] = field(init=False, compare=False)
    """(op, table) of every table that is multiplied (the embedding is only looked up)."""
    matrices: tuple[Table, ...] = field(init=False, compare=False)
    """Those tables."""
    halves: tuple[Table, ...] = field(init=False, compare=False)
    """Those of them whose blocks lie on half-words."""
    _axes: dict[str, int] = field(init=False, compare=False)

    def __post_init__(self) -> None:
        multiplied = tuple(
            (op, table)
            for op in self.work.ops
            if op != "embed"
            for table in self.work.tables
            if table.role in TABLES.get(op, ())
        )
        matrices = tuple(t for _, t in multiplied)
        halves = tuple(t for t in matrices if t.format in LAYOUTS and LAYOUTS[t.format].align == 2)
        axes = dict(self.geometry.axes)
        self.__dict__.update(multiplied=multiplied, matrices=matrices, halves=halves, _axes=axes)

    def at(self, geometry: Geometry) -> Case:
        """The same with another geometry: what only the others decide is not looked up again."""
        other = object.__new__(Case)
        other.__dict__.update(self.__dict__, geometry=geometry, _axes=dict(geometry.axes))
        other.__dict__.pop("threads", None)
        return other

    def axis(self, name: str, default: int = 1, op: str = "") -> int:
        """Value of an axis; a span's geometry may give one of its ops its own (`qkv.rows`)."""
        whole = self._axes.get(name, default)
        return self._axes.get(f"{op}.{name}", whole) if op else whole

    @cached_property
    def threads(self) -> int:
        """Threads of a workgroup."""
        if "threads" in self.route.axes:
            return self.axis("threads")
        return self.axis("lanes") * self.axis("groups") * self.axis("split")

    @property
    def unit_weights(self) -> int:
        """Weights that one lane unpacks per load unit (first table)."""
        layout = LAYOUTS[self.matrices[0].format]
        return layout.block * layout.words_of(self.axis("words")) // layout.words


def layout(c: Case, table: Table) -> Layout:
    """A table as the route reads it: a copy in planes is aligned whatever its blocks are."""
    found = LAYOUTS[table.format]
    return replace(found, align=16) if c.route.weights == "planes" and found.align == 2 else found


def multiplies_int8(c: Case) -> bool:
    """The route's products are of int8: it takes such activations, or makes them in front."""
    fused = c.work.ops[0] == "norm" and c.route.numerics == "q8_activations"
    return c.route.takes != "f32" or fused


def norm_behind(work: WorkItem) -> bool:
    """A norm of what `o` or `down` adds to, in their own launch: it costs next to nothing."""
    return work.ops[0] in ("o", "down") and work.ops[-1] == "norm"


def period(c: Case, table: Table) -> int:
    """Blocks of a table that are written out per trip because their places repeat (axis `wide`)."""
    return max(1, c.axis("wide", 0)) if LAYOUTS[table.format].align == 2 else 1


def trips(c: Case, table: Table) -> int:
    """Trips of the loop over a row (lanes form)."""
    layout, blocks = LAYOUTS[table.format], period(c, table)
    units = table.cols // layout.block // blocks * layout.words // layout.words_of(c.axis("words"))
    return -(-units // (c.axis("lanes", 32) * c.axis("split") * c.axis("unroll")))


def words_of_trip(c: Case) -> tuple[int, ...]:
    """u32 words that a thread reads in one trip, by table, scales and upper bits among them."""
    each, words = c.axis("rows") * c.axis("unroll"), c.axis("words")
    layouts = [(t, LAYOUTS[t.format]) for t in c.matrices]
    return tuple(each * period(c, t) * f.read_of(f.words_of(words)) for t, f in layouts)


APART = 1.4
"""Registers per word that is put together of half-words, its parts among them."""


def registers(c: Case) -> int:
    """Live 32-bit registers per thread: accumulators, packed words, activations, addresses.

    Three quarters of the words of a trip are live at once. Words that are read ahead stand beside
    those that are summed: about half of these still live. Of several tables one is summed at a
    time. Of 250 kernels that an H200 raced half are within 11 % of what ptxas gives, nine in ten
    within 30 % (sm_90, CUDA 13.0).
    """
    trip = words_of_trip(c)
    summed = max(trip) if "qkv" in c.work.ops else sum(trip)
    if not c.axis("ahead", 0):
        return max(_live(c), 28 + summed * 3 // 4)
    return max(_live(c), 40 + sum(trip) + summed // 2)


def _live(c: Case) -> int:
    """Registers while a unit is summed: accumulators, its words, activations, addresses."""
    words, rows, unroll = c.axis("words"), c.axis("rows"), c.axis("unroll")
    weights = c.unit_weights
    activations = weights // 4 + 2 if multiplies_int8(c) else weights
    return 24 + rows * 2 + rows * unroll * words + unroll * activations


def wanted_registers(c: Case) -> float:
    """Registers of a thread as ptxas would have them; those beyond what it can have are spilled.

    A loop holds about the words of a trip, twice as many where they become floats; straight code
    asks for all at once; words that are read ahead stand beside those that are summed. Of 500
    kernels of Qwen3-8B's shapes, half of them drawn by lot, half are within 10 % of what ptxas
    gives, nine in ten within 35 % (sm_90, CUDA 13.0).
    """
    held = [_held_words(c, t) for t in c.matrices]
    summed = max(held) if "qkv" in c.work.ops else sum(held)
    if c.axis("ahead", 0):
        return 26 + 1.5 * sum(held) + min(1.5 * summed, 80)
    if max(trips(c, t) for t in c.matrices) == 1:
        return 27 + 1.45 * summed
    return 32 + summed * (1.0 if multiplies_int8(c) else 1.7)


def _held_words(c: Case, table: Table) -> float:
    """u32 words of a trip as they are held: codes, upper bits that are soon merged, two for scales;
    words that are put together of half-words beside their parts."""
    found = LAYOUTS[table.format]
    words = found.words_of(c.axis("words"))
    each = words * (1 + 0.75 * (found.beside[0] - 1)) + 2
    apart = APART if c.route.weights != "planes" and period(c, table) > 1 else 1.0
    return apart * each * c.axis("rows") * c.axis("unroll") * period(c, table)


def stream_registers(c: Case) -> int:
    """Live registers of a thread that streams positions: queries and sums of its dimensions for all
    heads of a key, the keys and values of a trip, and scores; with ahead=2 the next trip too."""
    size, unroll = c.work.head_dim // c.axis("lanes"), c.axis("unroll")
    if c.route.family == "solo":
        return (32 if "rope_store" in c.work.ops else 12) + (2 + unroll) * size
    heads = c.work.heads // c.work.kv_heads
    following = unroll * size if c.axis("ahead", 0) > 1 else 0
    return 40 + heads * (2 * size + 2) + unroll * (size + heads) + following


def local_bytes(c: Case) -> int:
    """Local memory of a workgroup in bytes."""
    total = 4 * c.threads
    if c.route.family == "stream":
        heads, hd = c.work.heads // c.work.kv_heads, c.work.head_dim
        states = c.threads // (SIMD if c.axis("lean", 0) else c.axis("lanes"))
        total += 4 * states * heads * (hd + 2) + 4 * (heads + 1) * hd
        if not c.chip.get("shuffle"):
            trips = 1 + (c.axis("ahead", 0) == 1)  # that are written out, a loop's among them
            total += 4 * c.threads * heads * (c.axis("unroll") * trips + 1)
    if c.route.family == "solo":
        beside = (c.chip.get("simd_width") or 1) if c.chip.get("shuffle") else c.axis("lanes")
        total += 4 * (c.threads // beside * (c.work.head_dim + 1) + 2 * c.work.head_dim)
        if not c.chip.get("shuffle"):
            total += 4 * c.threads * 2 * c.axis("unroll")
    if "norm_prologue" in c.route.rules:
        q8 = c.route.numerics == "q8_activations"
        d = c.work.d_model
        total += d + d // 32 * 4 + d // 16 * 4 if q8 else d * 4 + d // 32 * 4
    if c.axis("split") > 1 and "words" in c.route.axes:
        total += 4 * c.axis("groups") * c.axis("rows") * c.axis("split")
    return total
