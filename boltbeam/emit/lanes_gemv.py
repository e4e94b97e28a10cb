"""Packed matrix × vector in the lanes form: qkv, o, gate_up, down, head, perhaps after a norm.

Takes a gemv work item, gives one launch (`head+argmax`: the launches of the argmax follow). Weights
stay packed; nothing is dequantised to memory.

A workgroup has `groups` × `split` groups of `lanes`. A group owns `rows` rows of one table and
walks over their units (`words` u32 words of a block), `unroll` at a time; `split` groups share
rows and meet in local memory. Tables of a qkv launch keep their own formats: each table is a loop
that runs only in the workgroups that own its rows. With a norm in front every workgroup normalises
(and quantises) the residual stream into its own local memory first. With a norm behind `o` or
`down` each quantises the rows it has made; the next GEMV divides by their rms (`lanes_unscaled`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import reduce
from typing import Any

from tinygrad.uop.ops import UOp

from boltbeam.emit.core import Buf, Launch, Target, activation, activation_of, steepness, stream
from boltbeam.emit.lanes_core import (
    F32,
    I32,
    U32,
    Activation,
    Kernel,
    Quad,
    activation_from,
    add,
    build_launch,
    const,
    exp,
    give,
    local_activation,
    quads_of,
    refuse,
    total,
    vector,
)
from boltbeam.emit.lanes_formats import Packed, Strip, packed
from boltbeam.emit.lanes_norm import norm_quads
from boltbeam.emit.lanes_unscaled import give_squares, inverse_rms, share_of_squares
from boltbeam.types import UNSCALED, Geometry, Route, Table, WorkItem


@dataclass(frozen=True)
class Shape:
    """The axes of a route's geometry."""

    lanes: int
    groups: int
    rows: int
    words: int
    unroll: int
    split: int
    wide: int = 0
    ahead: int = 0
    copied: bool = False
    """Tables whose blocks lie on half-words were copied into planes."""

    @classmethod
    def of(cls, g: Geometry, route: Route) -> Shape:
        return cls(
            g.get("lanes", 32),
            g.get("groups", 4),
            g.get("rows", 1),
            g.get("words", 4),
            g.get("unroll", 1),
            g.get("split", 1),
            g.get("wide", 0),
            g.get("ahead", 0),
            route.weights == "planes",
        )

    def packed(self, table: Table) -> Packed:
        """How a table is read."""
        return packed(table, self.wide, self.copied)

    @property
    def span(self) -> int:
        """Rows of one workgroup."""
        return self.groups * self.rows


@dataclass(frozen=True)
class Job:
    """One table in one thread: which rows, and whether this workgroup has any."""

    table: Table
    packed: Packed
    weights: Any
    rows: tuple[Any, ...]
    mine: Any = None
    """None: always."""


# ---- dot products ----------------------------------------------------------------------------


def strip_dot(c: Kernel, s: Strip, act: Activation, start: Any) -> Any:
    """Dot product of a strip with the activation at `start` (a multiple of 4)."""
    if act.interface == "q8" and s.words:
        return _integer_dot(c, s, act, start)
    xs = _floats(act, start, s.quads)
    dot = total(
        [w * x for ws, q in zip(s.values(), xs, strict=True) for w, x in zip(ws, q, strict=True)]
    )
    if s.scale is not None:
        dot = s.scale * dot
    if s.minimum is None:
        return dot
    whole = s.quads == 8 and act.sums is not None
    return dot + s.minimum * (
        act.sums[start // 32].load() if whole else total([x for q in xs for x in q])
    )


def _floats(act: Activation, start: Any, quads: int) -> list[list[Any]]:
    if act.interface == "f32":
        flat = vector(act.values, start, 4 * quads)
        return [flat[i : i + 4] for i in range(0, 4 * quads, 4)]
    scale = act.scale[start // 32].load()
    words = [act.values[start // 4 + i].load() for i in range(quads)]
    return [[_int8(w, k) * scale for k in range(4)] for w in words]


def _int8(word: Any, k: int) -> Any:
    return ((word << (24 - 8 * k)).bitcast(I32) >> 24).cast(F32)


def _integer_dot(c: Kernel, s: Strip, act: Activation, start: Any) -> Any:
    words = vector(act.values, start // 4, s.quads, _width(s.quads))
    scale = act.scale[start // 32].load()
    zero = UOp.const(0, I32)
    by_sums = s.minimum is not None and s.quads % 4 == 0 and act.sums is not None
    ones: Any = None
    if s.zero or (s.minimum is not None and not by_sums):
        unit = const(0x01010101, U32)
        ones = reduce(lambda a, x: c.dot4(unit, x, a), words, zero)
    # all rows of a thread share `ones`, so the zero point costs a row nothing
    first = ones * -s.zero if s.zero else zero
    dot = reduce(lambda a, wx: c.dot4(wx[0], wx[1], a), zip(s.words, words, strict=True), first)
    out = s.scale * (dot.cast(F32) * scale)
    if s.minimum is None:
        return out
    if by_sums:
        return out + s.minimum * total(
            [act.sums[start // 16 + i].load() for i in range(s.quads // 4)]
        )
    return out + s.minimum * (ones.cast(F32) * scale)


def _width(quads: int) -> int:
    """Activation words start at a multiple of the strip, so they load as wide as it is."""
    return min(4, quads)


def uses_sums(tables: Sequence[Table], shape: Shape, interface: str) -> bool:
    """Whether any table reads the activation's sums (else they must not be an argument)."""
    need = 8 if interface == "f32" else 4
    ps = [packed(t) for t in tables]
    return any(p.minimum and p.unit_words(shape.words) % need == 0 for p in ps)


def read_unit(c: Kernel, job: Job, shape: Shape, unit: Any) -> list[list[Any]]:
    """u32 words of one unit, per row of the job and block of the period."""
    p, n = job.packed, job.packed.unit_words(shape.words)
    per_block, blocks = p.words // n, job.table.cols // p.weights
    return [
        p.read(p.block(c, job.weights, row, blocks, unit // per_block, k), unit % per_block, n)
        for row in job.rows
        for k in range(p.period)
    ]


def unit_dots(
    c: Kernel, job: Job, act: Activation, shape: Shape, unit: Any, ok: Any, raw: list[list[Any]]
) -> list[Any]:
    """Partial dot products of one unit that was read, per row of the job."""
    p, n = job.packed, job.packed.unit_words(shape.words)
    per_block, out = p.words // n, []
    first = unit // per_block * (p.period * p.weights)
    for r in range(len(job.rows)):
        dots = [
            strip_dot(c, s, act, first + (k * p.weights + s.start))
            for k in range(p.period)
            for s in p.unpack(c, raw[r * p.period + k], unit % per_block, n)
        ]
        out.append(total(dots) if ok is None else ok.where(total(dots), const(0.0, F32)))
    return out


def totals(c: Kernel, jobs: Sequence[Job], act: Activation, shape: Shape) -> list[Any]:
    """Sums over whole rows: `rows` values that every lane of the row's groups holds.

    Jobs with `mine` share accumulators (one of them runs); jobs without are summed each on its own.
    """
    shared = jobs[0].mine is not None
    n = len(jobs[0].rows)
    groups = [[j] for j in jobs]
    if not shared and len({(j.packed.wide, id(j.packed.unpack)) for j in jobs}) == 1:
        groups = [list(jobs)]
    walks = [Walk(c, group, act, shape) for group in groups]
    sums: list[Any] = []
    if shared:
        regs = c.registers([0.0] * n)
        if shape.ahead:
            # all of it before the first loop, or the words of later tables are read behind it
            held = [w.hold() for w in walks]
            regs = regs.after(*held)
        for k, w in enumerate(walks):
            regs = w.branch(regs, held[k]) if shape.ahead else w.loop(regs)
        sums = [regs[i].load() for i in range(n)]
    else:
        for w in walks:
            regs = c.registers([0.0] * w.count)
            regs = w.pipeline(regs) if shape.ahead and w.trips > 1 else w.loop(regs)
            sums += [regs[i].load() for i in range(w.count)]
    sums = c.group_reduce(sums, shape.lanes, add)
    return sums if shape.split == 1 else _across(c, sums, shape)


Words = list[list[list[list[Any]]]]
"""u32 words by unit of the trip, job, row with block of the period, and place in the unit."""


class Walk:
    """One loop over the units of jobs of the same format.

    With the axis `ahead` the words of a trip are read while the trip before is summed, and the
    first ones in front of everything else, a norm among it.
    """

    def __init__(self, c: Kernel, jobs: Sequence[Job], act: Activation, shape: Shape) -> None:
        self.c, self.jobs, self.act, self.shape = c, jobs, act, shape
        p = jobs[0].packed
        self.unroll = shape.unroll if p.period == 1 else 1
        self.units = p.units(jobs[0].table.cols, p.unit_words(shape.words))
        self.step = shape.lanes * shape.split
        self.trips = -(-self.units // (self.step * self.unroll))
        self.part = c.group % shape.split if shape.split > 1 else UOp.const(0)
        self.count = sum(len(j.rows) for j in jobs)

    def _unit(self, i: Any, k: int) -> tuple[Any, Any]:
        """(k-th unit of trip i, whether there is one)"""
        lane = self.part * self.shape.lanes + self.c.lane
        unit = (i * self.unroll + k) * self.step + lane
        if self.trips * self.step * self.unroll <= self.units:
            return unit, None
        ok = unit < self.units
        return ok.where(unit, UOp.const(self.units - 1)), ok

    def read(self, i: Any) -> Words:
        """The words of trip i."""
        return [
            [read_unit(self.c, j, self.shape, self._unit(i, k)[0]) for j in self.jobs]
            for k in range(self.unroll)
        ]

    def added(self, i: Any, values: list[Any], words: Words) -> list[Any]:
        """Sums after trip i."""
        for k, per_job in enumerate(words):
            unit, ok = self._unit(i, k)
            dots = [
                d
                for job, raw in zip(self.jobs, per_job, strict=True)
                for d in unit_dots(self.c, job, self.act, self.shape, unit, ok, raw)
            ]
            values = [v + d for v, d in zip(values, dots, strict=True)]
        return values

    def loop(self, regs: Any) -> Any:
        """Sums after all trips, each read when it is its turn."""
        mine = self.jobs[0].mine
        trips = self.trips if mine is None else self.c.when(mine, self.trips)
        return self.c.loop(
            regs, self.count, trips, lambda i, values: self.added(i, values, self.read(i))
        )

    def hold(self) -> Any:
        """Registers with the words of the first trip."""
        return self.c.registers(_flat(self.read(UOp.const(0))), U32)

    def _held(self, words: Any) -> Words:
        """What such registers hold, in the shape that was read."""
        like = self.read(UOp.const(0))
        left = iter([words[k].load() for k in range(len(_flat(like)))])
        return [[[[next(left) for _ in u] for u in rows] for rows in jobs] for jobs in like]

    def _body(self, regs: Any, held: Any, i: Any, following: Any) -> Any:
        """Stores of one trip: sums of the words that are held, then the words of `following`."""
        values, words = regs.after(i), held.after(i)
        old = [values[k].load() for k in range(self.count)]
        new = self.added(i, old, self._held(words))
        done = UOp.group(*[values[k].store(v) for k, v in enumerate(new)])
        if following is None:
            return done
        words = words.after(done)  # or the next words would stand where these are still read
        return UOp.group(
            *[words[k].store(w) for k, w in enumerate(_flat(self.read(following)))], done
        )

    def pipeline(self, regs: Any) -> Any:
        """As loop, each trip read one early; the last one stands behind the loop."""
        held, last = self.hold(), UOp.const(self.trips - 1)
        i = self.c.range(self.trips - 1)
        done = self._body(regs, held, i, i + 1).end(i)
        regs, held = regs.after(done), held.after(done)
        old = [regs[k].load() for k in range(self.count)]
        return self.c.registers(self.added(last, old, self._held(held)))

    def branch(self, regs: Any, held: Any) -> Any:
        """As pipeline, of one of several tables. Every workgroup has read the first words of each
        (row 0 of those it does not own: a line of the cache); the owner's last trip reads its own
        words again."""
        i = self.c.range(self.c.when(self.jobs[0].mine, self.trips))
        following = None
        if self.trips > 1:
            following = (i + 1 < self.trips).where(i + 1, UOp.const(self.trips - 1))
        return regs.after(self._body(regs, held, i, following).end(i))


def _flat(words: Words) -> list[Any]:
    return [w for jobs in words for rows in jobs for unit in rows for w in unit]


def _across(c: Kernel, sums: list[Any], shape: Shape) -> list[Any]:
    """Sums over the `split` groups that share rows."""
    m = len(sums)
    memory = c.share(
        c.groups * m,
        lambda s: [s[(c.group * m + i).valid(c.lane.eq(0))].store(v) for i, v in enumerate(sums)],
    )
    base = (c.group // shape.split) * shape.split
    return [
        total([memory[(base + k) * m + i].load() for k in range(shape.split)]) for i in range(m)
    ]


# ---- the kernel ------------------------------------------------------------------------------


@dataclass(frozen=True)
class Rows:
    """The rows of this thread's group: output index, and where it may be written."""

    index: tuple[Any, ...]
    writes: tuple[Any, ...]


def place(c: Kernel, work: WorkItem, shape: Shape, named: dict[str, Any]) -> tuple[list[Job], Rows]:
    """Which rows of which tables this thread works on."""
    group = c.group // shape.split if shape.split > 1 else c.group
    leader = c.lane.eq(0) if shape.split == 1 else c.lane.eq(0) & (c.group % shape.split).eq(0)
    if "gate_up" in work.ops:
        same = tuple(c.gid * shape.span + group * shape.rows + k for k in range(shape.rows))
        jobs = [Job(t, shape.packed(t), named[f"w.{t.role}"], same) for t in work.tables]
        return jobs, Rows(same, tuple(leader for _ in same))
    jobs = []
    index: list[Any] = [UOp.const(0)] * shape.rows
    ok: list[Any] = [None] * shape.rows
    first_group = first_row = 0
    for t in work.tables:
        count = -(-t.rows // shape.span)
        mine = None
        if len(work.tables) > 1:
            mine = (c.gid >= first_group) & (c.gid < first_group + count)
        rows = []
        for k in range(shape.rows):
            row = (c.gid - first_group) * shape.span + group * shape.rows + k
            inside = row < t.rows if t.rows % shape.span else None
            chosen = _both(mine, inside)
            row = row if chosen is None else chosen.where(row, UOp.const(0))
            rows.append(row)
            out = row + first_row
            index[k] = out if mine is None else mine.where(out, index[k])
            if inside is not None and mine is None:
                ok[k] = inside
            elif mine is not None:
                hit = mine if inside is None else mine & inside
                ok[k] = hit if ok[k] is None else ok[k] | hit
        jobs.append(Job(t, shape.packed(t), named[f"w.{t.role}"], tuple(rows), mine))
        first_group, first_row = first_group + count, first_row + t.rows
    return jobs, Rows(tuple(index), tuple(leader if o is None else leader & o for o in ok))


def _both(a: Any, b: Any) -> Any:
    return b if a is None else a if b is None else a & b


def workgroups(work: WorkItem, shape: Shape) -> int:
    if "gate_up" in work.ops:
        return -(-work.tables[0].rows // shape.span)
    return sum(-(-t.rows // shape.span) for t in work.tables)


def emit(work: WorkItem, route: Route, geometry: Geometry, target: Target) -> tuple[Launch, ...]:
    """Launches of one gemv span. Raises ValueError for a geometry that cannot be built."""
    shape = Shape.of(geometry, route)
    ops = list(work.ops)
    fused, behind = ops[0] == "norm", ops[-1] == "norm"
    op = ops[1] if fused else ops[0]
    inside = ("q8" if route.numerics == "q8_activations" else "f32") if fused else route.takes
    name = f"{'norm_' if fused else ''}{op}{'_norm' if behind else ''}"
    name += f"_{work.rows}x{work.tables[0].cols}_{inside}"
    _check(name, work, shape, op)
    sums = uses_sums(work.tables, shape, inside)
    outs = _outs(work, op, route.gives)
    if ops[-1] == "argmax":
        n = workgroups(work, shape)
        outs = (*outs, Buf("t.best.v", n, "f32"), Buf("t.best.i", n, "i32"))
    ins = [shape.packed(t).buffer(f"w.{t.role}", t.rows, t.cols) for t in work.tables]
    ins += [Buf(f"b.{t.role}", t.rows, "f32") for t in work.tables if work.qkv_bias and op == "qkv"]
    if fused:
        ins += [Buf("x", work.d_model, "f32"), Buf("n.norm", work.d_model, "f32")]
    else:
        bufs = activation(activation_of(op), work.tables[0].cols, inside)
        ins += [b for b in bufs if sums or not b.name.endswith((".s32", ".s16"))]
    ins += [Buf("n.norm", work.d_model, "f32")] if behind else []

    def kernel(named: dict[str, Any]) -> Any:
        c = Kernel(target, workgroups(work, shape), shape.lanes, shape.groups * shape.split)
        act = activation_from(named, activation_of(op), inside)
        if fused:
            act = normalised(c, named, work, inside, sums)
        jobs, rows = place(c, work, shape, named)
        if behind:
            early = c.registers([named[b][i].load() for b in ("x", "n.norm") for i in rows.index])
            values = totals(c, jobs, act.after(early), shape)
            stores = _norm_behind(c, shape, named, rows, values, early)
        elif inside == UNSCALED:
            early = c.registers([share_of_squares(c, named["xw.sq32"], work.d_model)])
            values = totals(c, jobs, act.after(early), shape)
            inverse = inverse_rms(c, early[0].load(), work.d_model, work.norm_eps)
            values = [v * inverse for v in values]
            stores = EPILOGUES[op](c, work, shape, named, rows, values, route.gives)
        else:
            values = totals(c, jobs, act, shape)
            stores = EPILOGUES[op](c, work, shape, named, rows, values, route.gives)
        return c.sink(name, stores, work.bytes or work.weights)

    first = build_launch(name, outs, ins, kernel)
    if ops[-1] != "argmax":
        return (first,)
    from boltbeam.emit.lanes_misc import argmax_launches

    return (first, *argmax_launches(work, geometry, target, workgroups(work, shape), partials=True))


def _check(name: str, work: WorkItem, shape: Shape, op: str) -> None:
    if shape.lanes & (shape.lanes - 1) or not 1 <= shape.lanes <= 32:
        raise refuse(name, f"lanes={shape.lanes} is not a power of two up to 32")
    whole = op == "gate_up" or work.ops[-1] == "norm"
    if whole and (shape.span % 32 or work.tables[0].rows % shape.span):
        raise refuse(name, f"{shape.span} rows a workgroup do not make whole blocks of 32")
    if shape.words & (shape.words - 1):
        raise refuse(name, f"words={shape.words} is not a power of two")


def normalised(
    c: Kernel, named: dict[str, Any], work: WorkItem, interface: str, sums: bool
) -> Activation:
    """The residual stream, normalised into this workgroup's local memory."""
    quads = norm_quads(c, named["x"], named["n.norm"], work.d_model, work.norm_eps)
    room = local_activation(c, work.d_model, interface, sums)
    return room.after(UOp.group(*give(c, quads, room)))


def _outs(work: WorkItem, op: str, gives: str) -> tuple[Buf, ...]:
    if op == "gate_up":
        return activation("act", work.tables[0].rows, gives)
    if op in ("o", "down"):
        behind = activation("xn", work.d_model, gives) if work.ops[-1] == "norm" else ()
        return (Buf(stream(work), work.rows, "f32"), *behind)
    return (Buf("qkv" if op == "qkv" else "logits", work.rows, "f32"),)


# ---- epilogues -------------------------------------------------------------------------------


def _qkv(
    c: Kernel, work: WorkItem, shape: Shape, named: dict[str, Any], rows: Rows, v: list[Any], _: str
) -> list[Any]:
    if work.qkv_bias:
        v = [x + _bias(work, named, i) for x, i in zip(v, rows.index, strict=True)]
    return _store(named["qkv"], rows, v)


def _bias(work: WorkItem, named: dict[str, Any], index: Any) -> Any:
    first, bias = 0, const(0.0, F32)
    for t in work.tables:
        mine = (index >= first) & (index < first + t.rows)
        value = named[f"b.{t.role}"][mine.where(index - first, UOp.const(0))].load()
        bias, first = mine.where(value, bias), first + t.rows
    return bias


def _store(buf: Any, rows: Rows, values: list[Any]) -> list[Any]:
    return [
        buf[i.valid(ok)].store(v) for i, ok, v in zip(rows.index, rows.writes, values, strict=True)
    ]


def _residual(
    c: Kernel, work: WorkItem, shape: Shape, named: dict[str, Any], rows: Rows, v: list[Any], _: str
) -> list[Any]:
    if work.post_norms:
        return _store(named["y"], rows, v)
    x = named["x"]
    return _store(x, rows, [x[i].load() + e for i, e in zip(rows.index, v, strict=True)])


def _gate_up(
    c: Kernel,
    work: WorkItem,
    shape: Shape,
    named: dict[str, Any],
    rows: Rows,
    v: list[Any],
    gives: str,
) -> list[Any]:
    gate, up = v[: shape.rows], v[shape.rows :]
    values = [
        g * (exp(-steepness(g, work.gate)) + 1.0).reciprocal() * u
        for g, u in zip(gate, up, strict=True)
    ]
    (quads,) = _quads(c, shape, rows, values)
    return give(c, quads, activation_from(named, "act", gives), c.gid * (shape.span // 4))


def _quads(c: Kernel, shape: Shape, rows: Rows, *vectors: list[Any]) -> list[list[Quad]]:
    """Values of all rows of the workgroup, from local memory, spread over its threads in fours."""
    base = c.gid * shape.span
    held = c.share(
        shape.span * len(vectors),
        lambda s: [
            s[(i - base + at * shape.span).valid(ok)].store(e)
            for at, values in enumerate(vectors)
            for i, ok, e in zip(rows.index, rows.writes, values, strict=True)
        ],
    )
    return [
        [
            Quad(i, [held[i * 4 + (at * shape.span + k)].load() for k in range(4)], ok)
            for i, ok in quads_of(c, shape.span)
        ]
        for at in range(len(vectors))
    ]


def _norm_behind(
    c: Kernel, shape: Shape, named: dict[str, Any], rows: Rows, v: list[Any], early: Any
) -> list[Any]:
    """x + v, with what a norm of it is before the division; `early`: the rows' x, then weights."""
    x = [early[k].load() + e for k, e in enumerate(v)]
    weighted = [early[len(v) + k].load() * e for k, e in enumerate(x)]
    plain, given = _quads(c, shape, rows, x, weighted)
    base = c.gid * (shape.span // 4)
    return [
        *_store(named["x"], rows, x),
        *give(c, given, activation_from(named, "xn", UNSCALED), base),
        *give_squares(c, plain, named["xw.sq32"], base),
    ]


def _head(
    c: Kernel, work: WorkItem, shape: Shape, named: dict[str, Any], rows: Rows, v: list[Any], _: str
) -> list[Any]:
    from boltbeam.emit.lanes_misc import best_of_workgroup

    stores = _store(named["logits"], rows, v)
    if "t.best.v" not in named:
        return stores
    value, index = best_of_workgroup(c, v, rows.index, rows.writes)
    one = c.gid.valid(c.tid.eq(0))
    return [*stores, named["t.best.v"][one].store(value), named["t.best.i"][one].store(index)]


EPILOGUES = {
    "qkv": _qkv,
    "o": _residual,
    "down": _residual,
    "gate_up": _gate_up,
    "head": _head,
}
