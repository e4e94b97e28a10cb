"""The rules of BubbleBeam: of a route, of a geometry in rows or lanes form, and those routes name.

Takes a Case, gives None or the Outcome that says why not. Never guesses a fact of a chip.
"""

from __future__ import annotations

import math
from collections.abc import Callable

from boltbeam.models.plan import PLANES_GROUP
from boltbeam.predict.case import (
    LAYOUTS,
    SIMD,
    Case,
    local_bytes,
    multiplies_int8,
    norm_behind,
    period,
    registers,
    stream_registers,
    trips,
)
from boltbeam.predict.reason_codes import illegal
from boltbeam.types import Outcome

REGISTERS_MAX = 255
"""Addressable 32-bit registers per thread: CUDA 255, gfx11 256; nothing here has more."""
THREAD_REGISTERS = 64
"""Of each thread of the largest workgroup: CUDA 65,536 for 1,024; ptxas spills beyond."""
BODY_MAX = 64
"""Vectors of weights written out per trip of a sequential loop."""
BODY_LANES_MAX = 384
"""Products written out per trip of a lane: rendering one such kernel takes about a second."""

Rule = Callable[[Case], Outcome | None]


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


def _post_norms(c: Case) -> Outcome | None:
    """Behind `o` and `down` the residual stream is not whole where a post_norm adds to it."""
    if c.work.post_norms and norm_behind(c.work):
        return illegal("post-norms", 1, 0, f"{c.work.op} before a post_norm")
    return None


ROUTE_RULES: tuple[Rule, ...] = (_op, _format, _tokens, _form, _needs, _shape, _post_norms)
CHIP_RULES: tuple[Rule, ...] = (_form, _needs)
"""Those of them that look at the chip alone."""


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
        layout, blocks = LAYOUTS[t.format], t.cols // LAYOUTS[t.format].block // period(c, t)
        units = blocks * layout.words // layout.words_of(c.axis("words"))
        if units < per * c.axis("unroll"):
            detail = f"{t.role}: {units} units, {per} lanes x unroll {c.axis('unroll')}"
            return illegal("lanes-idle", units, per * c.axis("unroll"), detail)
    return None


def norm_registers(c: Case) -> int:
    """Registers of a thread in a cooperative norm, which holds its share of x and of the weights.

    What ptxas gives for 8, 16, 32 and 64 values a thread, within 3 (sm_80 and sm_120, CUDA 13.0).
    """
    return 16 + 2 * math.ceil(c.work.d_model / c.threads)


def _registers(c: Case) -> Outcome | None:
    limit = _registers_max(c)
    held = norm_registers(c) if "norm" in c.work.ops and not norm_behind(c.work) else 0
    if held > limit and not c.chip.get("imitated"):
        detail = f"d_model {c.work.d_model} normalised by {c.threads} threads"
        return illegal("registers", held, limit, detail)
    if "words" not in c.route.axes or not c.matrices:
        return None
    need = registers(c)
    if need > limit:
        return illegal("registers", need, limit, f"live registers of {c.threads} threads each")
    return None


def _registers_max(c: Case) -> int:
    """Registers that a thread can have: a workgroup of the most threads has THREAD_REGISTERS each,
    and a smaller one shares as many."""
    most = c.chip.get("max_threads")
    if most is None or c.chip.get("imitated"):
        return REGISTERS_MAX
    return min(REGISTERS_MAX, THREAD_REGISTERS * int(most) // max(1, c.threads))


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
        turns = c.axis("rows") * c.axis("unroll") * period(c, t)
        size += weights * turns / (4 if multiplies_int8(c) else 1)
    if size > BODY_LANES_MAX:
        return illegal("body-size", size, BODY_LANES_MAX, "products written out per trip")
    return None


def _wide(c: Case) -> Outcome | None:
    """Aligned words matter only to formats whose blocks lie on half-words.

    Blocks that are written out fill the trip by themselves, each in units as long as they get.
    """
    wide = c.axis("wide", 0)
    if not wide:
        return None
    if not c.halves:
        return illegal("same-kernel", 1, None, f"wide={wide} where no table's blocks lie on halves")
    if wide == 1:
        if any(t.rows * t.cols // LAYOUTS[t.format].block % 2 == 0 for t in c.halves):
            return None
        return illegal("same-kernel", 1, None, "wide=1 where no table's blocks fill whole words")
    for t in c.halves:
        layout = LAYOUTS[t.format]
        blocks, words = t.cols // layout.block, c.axis("words")
        if blocks % wide:
            detail = f"{t.role}: {blocks} blocks % wide {wide}"
            return illegal("blocks-divide", blocks % wide, 0, detail)
        if layout.words_of(words) < min(4, layout.most):
            detail = f"{t.role}: units of {words} words in blocks that are written out"
            return illegal("dominated", words, layout.most, detail)
    if c.axis("unroll") > 1:
        return illegal("same-kernel", c.axis("unroll"), 1, f"wide={wide} writes out blocks already")
    return None


def _planes(c: Case) -> Outcome | None:
    """A copy in planes is for blocks that lie on half-words, eight by eight."""
    if c.route.weights != "planes":
        return None
    if not c.halves:
        return illegal("same-kernel", 1, None, "no table's blocks lie on half-words")
    for t in c.halves:
        blocks = t.rows * t.cols // LAYOUTS[t.format].block
        if blocks % PLANES_GROUP:
            detail = f"{t.role}: {blocks} blocks % {PLANES_GROUP} of a plane"
            return illegal("blocks-divide", blocks % PLANES_GROUP, 0, detail)
    return None


def _ahead(c: Case) -> Outcome | None:
    """Reading a trip early needs a second trip, or several tables: a workgroup has one of them, so
    that their loops are branches, in front of which nothing is read otherwise."""
    if not c.axis("ahead", 0) or "words" not in c.route.axes:
        return None
    if "qkv" in c.work.ops and len(c.matrices) > 1:
        return None
    most = max(trips(c, t) for t in c.matrices)
    if most < 2:
        return illegal("same-kernel", most, 2, "ahead=1 with one trip")
    return None


LANES_RULES: tuple[Rule, ...] = (
    _planes,
    _wide,
    _load,
    _rows_divide,
    _lanes_idle,
    _ahead,
    _threads,
    _simd,
    _registers,
    _body_lanes,
    _local,
    _occupied,
)


# ---- rules that routes name --------------------------------------------------------------------


def _block_epilogue(c: Case) -> Outcome | None:
    owned = c.axis("groups") * c.axis("rows")
    if owned % 32:
        return illegal("epilogue-blocks", owned, 32, f"{owned} outputs per workgroup")
    return None


def _norm_epilogue(c: Case) -> Outcome | None:
    """Who quantises what it has added to the residual stream owns whole blocks of it."""
    owned = c.axis("groups") * c.axis("rows")
    if c.work.d_model % owned:
        detail = f"d_model {c.work.d_model} % {owned} rows per workgroup"
        return illegal("rows-divide", c.work.d_model % owned, 0, detail)
    return _block_epilogue(c)


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


def _stream(c: Case) -> Outcome | None:
    """A lane group holds whole positions, of which a trip has enough for all groups."""
    w, lanes = c.work, c.axis("lanes")
    if w.head_dim % (4 * lanes):
        detail = f"head_dim {w.head_dim} in fours by {lanes} lanes"
        return illegal("shape-divide", w.head_dim, 4 * lanes, detail)
    beside = c.threads // lanes * c.axis("split") * c.axis("unroll")
    if beside > w.context:
        return illegal("lanes-idle", w.context, beside, f"{beside} positions per trip")
    if c.axis("ahead", 0) > 1 and beside == w.context:
        return illegal("same-kernel", 1, 2, "ahead=2 with one trip")
    if c.axis("lean", 0):
        if not c.chip.get("shuffle"):
            return illegal("dominated", 1, 0, "lean=1 where each exchange of lanes is a barrier")
        sums = w.heads // w.kv_heads * w.head_dim
        if sums % SIMD:
            return illegal("shape-divide", sums % SIMD, 0, f"{sums} sums of a key by {SIMD} lanes")
    need, most = stream_registers(c), _registers_max(c)
    if need > most:
        return illegal("registers", need, most, f"heads of {w.head_dim} by {lanes} lanes")
    return None


def _solo(c: Case) -> Outcome | None:
    """As stream, one query head a workgroup; what it gives is made in blocks of 32."""
    w = c.work
    if w.head_dim % 32 or c.threads < w.head_dim // 4:
        detail = f"head_dim {w.head_dim} by {c.threads} threads"
        return illegal("shape-divide", w.head_dim, 32, detail)
    return _stream(c)


RULES: dict[str, Rule] = {
    "block_epilogue": _block_epilogue,
    "norm_prologue": _norm_prologue,
    "norm_epilogue": _norm_epilogue,
    "cooperative": _cooperative,
    "head_threads": _head_threads,
    "splits": _splits,
    "stream": _stream,
    "solo": _solo,
}
"""Rules by the name under which a route asks for them."""
