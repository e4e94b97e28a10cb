"""The floor: what one decode token must cost on a chip, from bytes and measured rates alone.

Takes model facts, chip facts and a context, gives a row per work item and the limits. Never uses a
bandwidth that nobody measured: the data sheet's figure is shown, not divided by.

Floors are those of the tables as the file packs them. Where routes read a copy in planes, what that
copy reads and how much memory it takes stand beside.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass

from boltbeam.models import plan
from boltbeam.predict import bubblebeam
from boltbeam.registry import formats, routes
from boltbeam.types import BoltbeamError, ChipFacts, ModelFacts, Table, WorkItem


@dataclass(frozen=True)
class Row:
    """One distinct primitive work item of the token."""

    work: WorkItem
    count: int
    """Times per token."""
    bytes: int
    """Bytes it must read per run."""
    floor_us: float
    """Per run."""
    token_us: float
    """Per token: count x floor."""
    share: float
    """Of the token's floor."""
    bits_per_weight: float | None
    m_star: float | None
    """Tokens at once above which sums, not bytes, are this item's wall."""
    planes: Planes | None = None
    """None: no route reads a copy of its tables here."""


@dataclass(frozen=True)
class Planes:
    """A work item whose tables of half-words lie in planes; all other tables are as in the file."""

    bytes: int
    """Bytes it must read per run: those of the file's layout, in another order."""
    copy_bytes: int
    """Memory that the copies take beside the file's tables, over all layers."""
    routes: tuple[str, ...]
    """That read them so, alone or in a span, each with a legal geometry on this chip."""


@dataclass(frozen=True)
class Roofline:
    """The whole token on one chip."""

    chip: str
    context: int
    gbps: float
    bytes_per_token: int
    """Everything a token must read: packed weights, norms, KV cache of `context` positions."""
    matrix_bytes: int
    """Packed matrices that are multiplied, each read once."""
    floor_us: float
    limit_tok_s: float
    m_star: float | None
    """For the model's mean bits per weight; None where the chip has no measured matrix rate."""
    sheet_gbps: float | None
    rows: tuple[Row, ...]

    @property
    def copy_bytes(self) -> int:
        """Memory of all tables that could be copied into planes: the most that a plan would add."""
        return sum(r.planes.copy_bytes for r in self.rows if r.planes)


def roofline(model: ModelFacts, chip: ChipFacts, context: int) -> Roofline:
    """Floors of every primitive step at `context` positions in the cache.

    Raises BoltbeamError where the chip has no measured read bandwidth.
    """
    gbps = bandwidth(chip)
    token = plan.steps(model)
    _, found = plan.occurrences(model, context, dict.fromkeys(s.op for s in token))
    sized = [(o.work, o.work.count, step_bytes(model, o.work)) for o in found]
    total = sum(n * size for _, n, size in sized)
    readers = plane_readers(model, chip, context)
    rows = tuple(
        Row(
            work=work,
            count=n,
            bytes=size,
            floor_us=floor_us(size, gbps),
            token_us=n * floor_us(size, gbps),
            share=n * size / total,
            bits_per_weight=bits(work),
            m_star=m_star(bits(work), chip),
            planes=planes(work, n, size, readers),
        )
        for work, n, size in sized
    )
    matrices = [(w, n) for w, n, _ in sized if w.tables and w.op != "embed"]
    matrix = sum(n * w.bytes for w, n in matrices)
    weights = sum(n * w.weights for w, n in matrices)
    return Roofline(
        chip=chip.id,
        context=context,
        gbps=gbps,
        bytes_per_token=total,
        matrix_bytes=matrix,
        floor_us=floor_us(total, gbps),
        limit_tok_s=limit_tok_s(total, gbps),
        m_star=m_star(8 * matrix / weights, chip),
        sheet_gbps=chip.get("sheet_gbps"),
        rows=rows,
    )


def plane_readers(
    model: ModelFacts, chip: ChipFacts, context: int
) -> dict[tuple[str, Table], tuple[str, ...]]:
    """(op, table) -> the routes that read the table from a copy in planes on this chip."""
    found: defaultdict[tuple[str, Table], list[str]] = defaultdict(list)
    for route in routes().values():
        if route.weights != "planes":
            continue
        for o in plan.occurrences(model, context, route.ops)[1]:
            if any(bad is None for _, bad in bubblebeam.candidates(o.work, route, chip)):
                for op in o.work.ops:
                    for t in o.work.tables:
                        if t.role in plan.TABLES.get(op, ()) and route.id not in found[op, t]:
                            found[op, t].append(route.id)
    return {key: tuple(ids) for key, ids in found.items()}


def planes(
    work: WorkItem, count: int, size: int, readers: dict[tuple[str, Table], tuple[str, ...]]
) -> Planes | None:
    """What a step that reads `size` bytes, `count` times a token, reads and holds with copies."""
    ids = dict.fromkeys(r for t in work.tables for r in readers.get((work.op, t), ()))
    copied = plan.copied_bytes(work, "planes")
    if not ids or not copied:
        return None
    return Planes(size, count * copied, tuple(ids))


def bandwidth(chip: ChipFacts) -> float:
    """Measured read bandwidth, GB/s. Raises BoltbeamError where nobody measured it."""
    gbps = chip.rate("read_gbps")
    if gbps is None:
        sheet = chip.get("sheet_gbps")
        note = f" (the data sheet's {sheet} GB/s is not a measurement)" if sheet else ""
        raise BoltbeamError(
            f"chip '{chip.id}': read_gbps was never measured{note}; run `boltbeam chip probe` on "
            "it, or name the ledger that holds its probe: --ledger"
        )
    return gbps


def floor_us(size: float, gbps: float) -> float:
    """Least time to read so many bytes, microseconds."""
    return size / gbps / 1e3


def limit_tok_s(bytes_per_token: float, gbps: float) -> float:
    """Tokens per second that no program can pass: bandwidth ÷ bytes per token."""
    return gbps * 1e9 / bytes_per_token


def limit_words(tok_s: float, positions: int, context: int) -> str:
    """A limit holds for so many positions in the cache: the more there are, the lower it is."""
    return f"limit {tok_s:,.1f} tok/s at {positions:,} of {context:,} positions"


def m_star(bits_per_weight: float | None, chip: ChipFacts) -> float | None:
    """w/16 · R/BW: tokens at once where sums take as long as bytes; None: a rate is missing."""
    tops, gbps = chip.rate("matrix_tops"), chip.rate("read_gbps")
    if bits_per_weight is None or tops is None or gbps is None:
        return None
    return bits_per_weight / 16 * (tops * 1e12) / (gbps * 1e9)


def bits(work: WorkItem) -> float | None:
    """Mean bits per weight of the tables that are multiplied; None where there are none."""
    if not work.tables or work.op == "embed":
        return None
    stored = sum(formats()[t.format].bits_per_weight * t.rows * t.cols for t in work.tables)
    return stored / work.weights


def step_bytes(model: ModelFacts, work: WorkItem) -> int:
    """Bytes one run of a primitive step must read from memory.

    Its tables (one row for embed), its norm weights, and for attention the keys and values of
    `context` positions. Activations stay in caches and count nothing.
    """
    if work.op == "attention":
        positions = work.window or work.context
        return plan.kv_bytes_per_position(model) // model.layers * positions
    if work.op in plan.NORMS:
        return 4 * model.d_model
    if work.op == "rope_store":
        return 8 * model.head_dim if model.qk_norm else 0
    return work.bytes
