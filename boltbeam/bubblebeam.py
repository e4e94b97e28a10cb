"""BubbleBeam: can this route, with this geometry, run this work on this chip at all?

Takes a work item, a route and a chip's facts, gives every geometry with None (legal) or an
Outcome that says why not. Never predicts a time, never asks a device, never guesses a fact.

Each rule has a stable reason code; `REASONS` documents them the way a linter documents its rules.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from boltbeam.plan import TABLES
from boltbeam.types import ChipFacts, Geometry, Outcome, Route, Table, Verdict, WorkItem


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

    def words_of(self, wanted: int) -> int:
        """Words of a load unit when a geometry asks for so many."""
        least = 4 * self.words // self.block if self.group == self.block else 1
        return max(least, min(wanted, self.most), 1)


LAYOUTS = {
    "Q4_0": Layout(16, 32, 18, 4, 4, 2, 32),
    "Q4_1": Layout(16, 32, 20, 4, 4, 4, 32, True),
    "Q5_0": Layout(16, 32, 22, 4, 4, 2, 32),
    "Q5_1": Layout(16, 32, 24, 4, 4, 8, 32, True),
    "Q8_0": Layout(32, 32, 34, 8, 8, 2, 32),
    "Q4_K": Layout(32, 256, 144, 32, 8, 16, 32, True),
    "Q5_K": Layout(32, 256, 176, 32, 8, 16, 32, True),
    "Q6_K": Layout(16, 256, 210, 16, 4, 2, 16),
    "F16": Layout(32, 32, 64, 16, 16, 16, 0),
    "BF16": Layout(32, 32, 64, 16, 16, 16, 0),
    "F32": Layout(32, 32, 128, 32, 16, 16, 0),
}


@dataclass(frozen=True)
class Reason:
    """One documented reason code."""

    what: str
    why: str
    example: str


REASONS = {
    "op-unsupported": Reason(
        "The route does not do this span of ops.",
        "An emitter writes exactly the spans its route lists.",
        "gemv_rows_f32 asked for `attention`",
    ),
    "format-unsupported": Reason(
        "A table's storage format is not among the route's formats.",
        "Reading a block with the wrong layout gives numbers that look like numbers.",
        "a Q2_K table",
    ),
    "tokens-unsupported": Reason(
        "The work has more than one token at once.",
        "These routes write one output vector.",
        "m = 2",
    ),
    "fact-undeclared": Reason(
        "The route needs a fact that nobody declared for this chip.",
        "A guessed SIMD width once cost a chip 35 times its speed.",
        "local_bytes of a chip listed without it",
    ),
    "fact-false": Reason(
        "The route needs a feature that the chip declares not to have.",
        "The instruction does not exist there.",
        "dot4 = false",
    ),
    "no-workgroups": Reason(
        "A route of form `lanes` on a chip without workgroups.",
        "Local memory and barriers do not exist there.",
        "gemv_lanes_f32 on a CPU",
    ),
    "one-thread": Reason(
        "One thread would work where many could.",
        "A norm on one thread took 231 us, on a workgroup 2.7 us, 73 times a token.",
        "a route of form `rows` on a GPU",
    ),
    "shape-divide": Reason(
        "A size of the model does not divide as this route's kernels need.",
        "Interfaces hand on blocks of 32; heads are halved for RoPE.",
        "d_model = 100",
    ),
    "rows-divide": Reason(
        "The rows of a table do not divide by the rows that one trip or workgroup takes.",
        "The last trip would read past the table, or leave half a block of outputs.",
        "rows=4 on a table of 49150 rows",
    ),
    "blocks-divide": Reason(
        "The storage blocks of a row do not divide by the blocks of a trip.",
        "There is no tail loop: a trip takes whole blocks.",
        "unroll=4 on 18 blocks",
    ),
    "lanes-idle": Reason(
        "A row has fewer load units than lanes x split x unroll.",
        "Some lanes, or some loads of every trip, would never have anything to do.",
        "lanes=32 words=4 unroll=4 on 576 columns of Q4_1",
    ),
    "split-exceeds": Reason(
        "More accumulators than blocks that could use them, or unevenly filled ones.",
        "It would render the same kernel again, or leave an accumulator idle.",
        "split=4 unroll=2",
    ),
    "body-size": Reason(
        "One trip would be written out as more than 64 vectors of weights (lanes: 384 products).",
        "Compilers take seconds for such a body, and it leaves the instruction cache.",
        "rows=4 unroll=4 on Q4_K, whose blocks hold 256 weights",
    ),
    "same-kernel": Reason(
        "Another geometry of this route writes the same kernel.",
        "Timing one kernel twice finds two speeds for it.",
        "share=1 with rows=1",
    ),
    "threads-limit": Reason(
        "More threads in a workgroup than the chip takes.",
        "The launch fails.",
        "lanes=32 groups=64 where 1024 is the limit",
    ),
    "threads-few": Reason(
        "Fewer threads in a workgroup than query heads that share one key head.",
        "Each of those heads needs a thread of its own for its softmax.",
        "threads=32 where 64 heads share keys",
    ),
    "local-memory": Reason(
        "More local memory than a workgroup may have.",
        "The launch fails, or spills to slow memory.",
        "a norm prologue of 16384 floats in 48 KiB",
    ),
    "simd-width": Reason(
        "Lanes that share a row do not fit into one SIMD group.",
        "Their reduction would cross SIMD groups, which shuffles cannot.",
        "lanes=32 on a chip 16 wide",
    ),
    "simd-partial": Reason(
        "A workgroup smaller than a SIMD group, or not a multiple of it.",
        "The remaining lanes idle for the whole kernel.",
        "lanes=8 groups=2 on a chip 32 wide",
    ),
    "load-alignment": Reason(
        "No table's format can cut its blocks into load units of that many words.",
        "Units must stay within one aligned run of a block; another value of the axis is the same.",
        "words=8 on Q4_1, whose blocks hold four words",
    ),
    "load-width": Reason(
        "A load wider than the chip's widest, more than twice over.",
        "It becomes several loads that hold registers for nothing.",
        "words=16 at 128 bits",
    ),
    "registers": Reason(
        "More live registers per thread than any supported chip has.",
        "The kernel spills every trip.",
        "rows=8 words=8 unroll=4",
    ),
    "epilogue-blocks": Reason(
        "A workgroup does not own whole blocks of 32 outputs.",
        "The sums and scales per 32 are made in its epilogue.",
        "groups=2 rows=2 for gate_up",
    ),
    "context-divide": Reason(
        "The context does not divide into that many splits of at least 16 positions.",
        "Splits walk equal shares of the cache.",
        "split=64 at a context of 512",
    ),
}

REGISTERS_MAX = 255
"""Addressable 32-bit registers per thread: CUDA 255, gfx11 256; nothing here has more."""

NO_AXES = Geometry()

BODY_MAX = 64
"""Vectors of weights written out per trip of a sequential loop."""
BODY_LANES_MAX = 384
"""Products written out per trip of a lane: rendering one such kernel takes about a second."""

Rule = Callable[["Case"], Outcome | None]


@dataclass(frozen=True)
class Case:
    """What a rule looks at."""

    work: WorkItem
    route: Route
    chip: ChipFacts
    geometry: Geometry = NO_AXES

    def axis(self, name: str, default: int = 1, op: str = "") -> int:
        """Value of an axis; a span's geometry may give one of its ops its own (`qkv.rows`)."""
        return self.geometry.get(f"{op}.{name}", self.geometry.get(name, default))

    @property
    def multiplied(self) -> Iterator[tuple[str, Table]]:
        """(op, table) of every table that is multiplied (the embedding is only looked up)."""
        for op in self.work.ops:
            if op != "embed":
                for table in self.work.tables:
                    if table.role in TABLES.get(op, ()):
                        yield op, table

    @property
    def matrices(self) -> tuple[Table, ...]:
        return tuple(t for _, t in self.multiplied)

    @property
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


def illegal(reason: str, number: float, limit: float | None, detail: str) -> Outcome:
    """An Outcome with a code that `REASONS` documents."""
    assert reason in REASONS, reason
    return Outcome(
        verdict=Verdict.illegal, reason=reason, number=number, limit=limit, detail=detail
    )


# ---- API ---------------------------------------------------------------------------------------


def route_legal(work: WorkItem, route: Route, chip: ChipFacts) -> Outcome | None:
    """None where the route may do this work on this chip with some geometry; else why not."""
    case = Case(work, route, chip)
    return next((o for rule in ROUTE_RULES if (o := rule(case)) is not None), None)


def geometry_legal(
    work: WorkItem, route: Route, geometry: Geometry, chip: ChipFacts
) -> Outcome | None:
    """None where this geometry of a legal route is legal; else the first rule it breaks."""
    case = Case(work, route, chip, geometry)
    return next((o for rule in rules_of(route) if (o := rule(case)) is not None), None)


def candidates(
    work: WorkItem, route: Route, chip: ChipFacts
) -> Iterator[tuple[Geometry, Outcome | None]]:
    """Every geometry of the route, with None where it is legal. None at all for an illegal route.

    Order: the axes by name, values ascending, so that runs and prints agree.
    """
    if route_legal(work, route, chip) is not None:
        return
    names = sorted(route.axes)
    for values in itertools.product(*(route.axes[n] for n in names)):
        geometry = Geometry(axes=tuple(zip(names, values, strict=True)))
        yield geometry, geometry_legal(work, route, geometry, chip)


def rules_of(route: Route) -> tuple[Rule, ...]:
    """The geometry rules of a route: those of its form, then the ones it names."""
    form = LANES_RULES if route.form == "lanes" else ROWS_RULES
    return (*form, *(RULES[name] for name in route.rules))


# ---- rules of a route --------------------------------------------------------------------------


def _op(c: Case) -> Outcome | None:
    if c.work.op in c.route.ops:
        return None
    return illegal("op-unsupported", 0, None, f"{c.route.id} does {', '.join(c.route.ops)}")


def _format(c: Case) -> Outcome | None:
    for t in c.work.tables:
        if t.format not in c.route.formats or t.format not in LAYOUTS:
            return illegal("format-unsupported", 0, None, f"{t.role} is {t.format}")
    return None


def _tokens(c: Case) -> Outcome | None:
    if c.work.m == 1:
        return None
    return illegal("tokens-unsupported", c.work.m, 1, f"m = {c.work.m}")


def _form(c: Case) -> Outcome | None:
    workgroups = c.chip.get("workgroups")
    if c.route.form == "lanes" and workgroups is None:
        return illegal("fact-undeclared", 0, None, "workgroups")
    if c.route.form == "lanes" and not workgroups:
        return illegal("no-workgroups", 0, 1, f"{c.chip.id} has no workgroups")
    alone = workgroups and not c.chip.get("imitated")
    if c.route.form == "rows" and alone and c.route.kind == "search":
        units = c.chip.get("units") or 1
        return illegal("one-thread", 1, units, "a sequential kernel on a chip with workgroups")
    return None


def _needs(c: Case) -> Outcome | None:
    for name in c.route.needs:
        value = c.chip.get(name)
        if value is None:
            return illegal("fact-undeclared", 0, None, name)
        if value is False:
            return illegal("fact-false", 0, 1, name)
    return None


def _shape(c: Case) -> Outcome | None:
    w, ops = c.work, set(c.work.ops)
    sizes = [(t.cols, LAYOUTS[t.format].block, f"columns of {t.role}") for t in w.tables]
    if {"norm", "post_norm", "head", "qkv", "gate_up", "embed"} & ops:
        sizes.append((w.d_model, 32, "d_model"))
    if {"attention", "rope_store"} & ops:
        sizes += [(w.head_dim, 32, "head_dim"), (w.heads, w.kv_heads, "heads by kv_heads")]
    if "gate_up" in ops:
        sizes += [(t.rows, 32, f"rows of {t.role}") for t in w.tables if t.role == "ffn_gate"]
    for size, by, name in sizes:
        if size % by:
            return illegal("shape-divide", size, by, f"{name}: {size} % {by} = {size % by}")
    return None


ROUTE_RULES: tuple[Rule, ...] = (_op, _format, _tokens, _form, _needs, _shape)


# ---- rules of a geometry: rows form ------------------------------------------------------------


def _rows_divide(c: Case) -> Outcome | None:
    for op, t in c.multiplied:
        lanes = c.route.form == "lanes"
        if lanes and op != "gate_up":
            continue  # the last workgroup masks its rows
        per = c.axis("rows", op=op) * (c.axis("groups") if lanes else 1)
        if t.rows % per:
            detail = f"{t.role}: {t.rows} rows % {per} = {t.rows % per}"
            return illegal("rows-divide", t.rows % per, 0, detail)
    return None


def _blocks_divide(c: Case) -> Outcome | None:
    for op, t in c.multiplied:
        blocks, unroll = t.cols // LAYOUTS[t.format].block, c.axis("unroll", op=op)
        if blocks % unroll:
            detail = f"{t.role}: {blocks} blocks % unroll {unroll}"
            return illegal("blocks-divide", blocks % unroll, 0, detail)
    return None


def _split_rows(c: Case) -> Outcome | None:
    for op, _ in c.multiplied:
        split, unroll = c.axis("split", op=op), c.axis("unroll", op=op)
        if split > unroll or unroll % split:
            return illegal("split-exceeds", split, unroll, f"split {split} of unroll {unroll}")
    return None


def _body_size(c: Case) -> Outcome | None:
    for op, t in c.multiplied:
        layout = LAYOUTS[t.format]
        walked = min(c.axis("lanes", op=op), layout.group)
        size = c.axis("rows", op=op) * c.axis("unroll", op=op) * layout.block // walked
        if size > BODY_MAX:
            return illegal("body-size", size, BODY_MAX, f"{op}: vectors of weights per trip")
    return None


def _same_kernel(c: Case) -> Outcome | None:
    """Axes that change nothing in any op of the span: one representative is enough."""
    ops = dict.fromkeys(op for op, _ in c.multiplied)
    if not ops:
        return None
    alone = all(c.axis("rows", op=op) == 1 for op in ops) and "attention" not in c.work.ops
    if alone and c.geometry.get("share", 0):
        return illegal("same-kernel", 1, None, "share=1 with one row per trip")
    if len(c.route.axes.get("scale", ())) > 1 and c.geometry.get("scale", 0):
        sums = [LAYOUTS[t.format].scaled / c.axis("lanes", op=op) for op, t in c.multiplied]
        if max(sums) <= 1:
            return illegal("same-kernel", max(sums), 1, "scale=1 with one product per scale")
    return None


ROWS_RULES: tuple[Rule, ...] = (
    _rows_divide,
    _blocks_divide,
    _split_rows,
    _body_size,
    _same_kernel,
)


# ---- rules of a geometry: lanes form -----------------------------------------------------------


def _threads(c: Case) -> Outcome | None:
    limit = c.chip.get("max_threads")
    if limit is not None and c.threads > limit:
        return illegal("threads-limit", c.threads, limit, f"{c.threads} threads per workgroup")
    return None


def _simd(c: Case) -> Outcome | None:
    width = c.chip.get("simd_width")
    if width is None:
        return None
    if c.axis("lanes") > width and c.chip.get("shuffle"):
        return illegal("simd-width", c.axis("lanes"), width, "lanes that share a row")
    if c.threads % width:
        return illegal("simd-partial", c.threads, width, f"{c.threads} threads per workgroup")
    return None


def _load(c: Case) -> Outcome | None:
    if "words" not in c.route.axes:
        return None
    words, bits = c.axis("words"), c.chip.get("load_bits")
    if bits is not None and words * 32 > 2 * bits:
        return illegal("load-width", words * 32, 2 * bits, f"{words * 32} bits per unit")
    given = {t.format: LAYOUTS[t.format].words_of(words) for t in c.matrices}
    if words not in given.values():
        detail = ", ".join(f"{f} takes {n}" for f, n in given.items())
        return illegal("load-alignment", words, next(iter(given.values())), detail)
    return None


def _lanes_idle(c: Case) -> Outcome | None:
    if "words" not in c.route.axes:
        return None
    per = c.axis("lanes") * c.axis("split")
    for t in c.matrices:
        layout = LAYOUTS[t.format]
        units = t.cols // layout.block * layout.words // layout.words_of(c.axis("words"))
        if units < per * c.axis("unroll"):
            detail = f"{t.role}: {units} units, {per} lanes x unroll {c.axis('unroll')}"
            return illegal("lanes-idle", units, per * c.axis("unroll"), detail)
    return None


def registers(c: Case) -> int:
    """Live 32-bit registers per thread: accumulators, packed words, activations, addresses."""
    words, rows, unroll = c.axis("words"), c.axis("rows"), c.axis("unroll")
    weights = c.unit_weights
    activations = weights // 4 + 2 if multiplies_int8(c) else weights
    return 24 + rows * 2 + rows * unroll * words + unroll * activations


def _registers(c: Case) -> Outcome | None:
    if "words" not in c.route.axes or not c.matrices:
        return None
    need = registers(c)
    if need > REGISTERS_MAX:
        return illegal("registers", need, REGISTERS_MAX, "live registers per thread")
    return None


def local_bytes(c: Case) -> int:
    """Local memory of a workgroup in bytes."""
    total = 4 * c.threads
    if "norm_prologue" in c.route.rules:
        q8 = c.route.numerics == "q8_activations"
        d = c.work.d_model
        total += d + d // 32 * 4 + d // 16 * 4 if q8 else d * 4 + d // 32 * 4
    if c.axis("split") > 1 and "words" in c.route.axes:
        total += 4 * c.axis("groups") * c.axis("rows") * c.axis("split")
    return total


def _local(c: Case) -> Outcome | None:
    limit, need = c.chip.get("local_bytes"), local_bytes(c)
    if limit is not None and need > limit:
        return illegal("local-memory", need, limit, f"{need} bytes per workgroup")
    return None


def _occupied(c: Case) -> Outcome | None:
    """All rows in fewer threads than one SIMD group: nobody should wait for that."""
    width = c.chip.get("simd_width")
    if width is None or not c.matrices or "words" not in c.route.axes:
        return None
    groups = sum(t.rows for t in c.matrices) // c.axis("rows")
    total = groups * c.axis("lanes") * c.axis("split")
    if total < width:
        return illegal("one-thread", total, width, "threads in the whole launch")
    return None


def _body_lanes(c: Case) -> Outcome | None:
    """Products that one trip of a lane writes out, over all tables (int8: four at a time)."""
    if "words" not in c.route.axes:
        return None
    size = 0.0
    for _, t in c.multiplied:
        layout = LAYOUTS[t.format]
        weights = layout.block * layout.words_of(c.axis("words")) / layout.words
        size += weights * c.axis("rows") * c.axis("unroll") / (4 if multiplies_int8(c) else 1)
    if size > BODY_LANES_MAX:
        return illegal("body-size", size, BODY_LANES_MAX, "products written out per trip")
    return None


def _wide(c: Case) -> Outcome | None:
    """Aligned words matter only to formats whose blocks lie on half-words."""
    if not c.axis("wide", 0):
        return None
    for _, t in c.multiplied:
        layout = LAYOUTS[t.format]
        if layout.align == 2 and t.rows * t.cols // layout.block % 2 == 0:
            return None
    return illegal("same-kernel", 1, None, "wide=1 where no table's blocks lie on half-words")


def multiplies_int8(c: Case) -> bool:
    """The route's products are of int8: it takes such activations, or makes them in front."""
    fused = c.work.ops[0] == "norm" and c.route.numerics == "q8_activations"
    return c.route.takes == "q8" or fused


LANES_RULES: tuple[Rule, ...] = (
    _load,
    _rows_divide,
    _lanes_idle,
    _threads,
    _simd,
    _registers,
    _body_lanes,
    _wide,
    _local,
    _occupied,
)


# ---- rules that routes name --------------------------------------------------------------------


def _block_epilogue(c: Case) -> Outcome | None:
    owned = c.axis("groups") * c.axis("rows")
    if owned % 32:
        return illegal("epilogue-blocks", owned, 32, f"{owned} outputs per workgroup")
    return None


def _norm_prologue(c: Case) -> Outcome | None:
    if c.work.d_model % math.lcm(32, 4):
        return illegal("shape-divide", c.work.d_model, 32, "d_model in the prologue")
    return None


def _cooperative(c: Case) -> Outcome | None:
    width = c.chip.get("simd_width") or 32
    if c.threads < min(width, c.work.d_model):
        return illegal("one-thread", c.threads, width, "threads that share the row")
    return None


def _head_threads(c: Case) -> Outcome | None:
    if c.work.head_dim % min(c.threads, c.work.head_dim):
        detail = f"head_dim {c.work.head_dim} by {c.threads} threads"
        return illegal("shape-divide", c.work.head_dim, c.threads, detail)
    return None


def _splits(c: Case) -> Outcome | None:
    split, context = c.axis("split"), c.work.context
    shared = c.work.heads // c.work.kv_heads
    if c.threads < shared:
        return illegal("threads-few", c.threads, shared, f"{shared} heads share keys")
    if context % split or context // split < 16:
        detail = f"context {context} in {split} splits"
        return illegal("context-divide", context / split, 16, detail)
    return None


RULES: dict[str, Rule] = {
    "block_epilogue": _block_epilogue,
    "norm_prologue": _norm_prologue,
    "cooperative": _cooperative,
    "head_threads": _head_threads,
    "splits": _splits,
}
"""Rules by the name under which a route asks for them."""
