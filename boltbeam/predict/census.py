"""One decode token as its launches: what each costs alone, and which are shaped wrongly for a chip.

Takes what was measured of a token's launches and chip facts, gives shares, rates and flags. Never
touches a device, and never puts a prediction where a time belongs.
"""

from __future__ import annotations

from collections.abc import Iterator
from statistics import median
from typing import Any

from boltbeam.predict.futuresight import LINE_BYTES
from boltbeam.predict.roofline import bandwidth, floor_us
from boltbeam.records.decide import COLD_FACTOR
from boltbeam.types import ChipFacts, Frozen

FAR_BELOW = 0.5
"""Share of the measured read rate below which a kernel reads far below it …"""
WORTH = 0.01
"""… where it reads, and that costs, at least this share of the token."""

FLAGS = {
    "one-thread": "one thread works where many could: a cooperative kernel shares the row",
    "below-wave": "units of the chip stand idle: split rows or columns over more workgroups",
    "scattered": "neighbouring lanes read lines of their own: let them read neighbouring chunks",
    "slow-read": "reads far below the measured rate: more bytes in flight, or less work per byte",
}
"""Code -> what is wrong with a launch, and what mends it."""


class Access(Frozen):
    """How neighbouring lanes read at one load, by the kernel's own index expressions."""

    argument: int
    """Which buffer of the kernel."""
    load_bytes: int
    """What one lane loads at once."""
    stride_bytes: int
    """From one lane to the next: the median over a SIMD group. 0: all read the same."""


class Kind(Frozen):
    """Launches of a token that run one program for one op. Times are one per round, each a mean
    over launches of this kind alone, in one captured graph in which each starts when the one before
    has ended, the gap to the next included."""

    op: str
    """Ops of the work item; for tinygrad's own kernels, of the tensors they touch; or `other`."""
    kernel: str
    count: int
    bytes: int
    """Bytes that one launch must read: packed weights, norms, KV cache. Mean over the token."""
    groups: int | None
    """Workgroups; None: the driver chooses how many."""
    threads: int
    """Of all workgroups together."""
    us: tuple[float, ...]
    hollow_us: tuple[float, ...]
    """An empty launch on the same buffers, in a graph of its own kind: what launching costs."""
    without_us: tuple[float, ...] = ()
    """The rebuilt token with the launches of this kind empty; none where the host launches every
    kernel by itself: there they run one after the other."""
    part: float | None = None
    """Share of the work that `part_us` ran (about a half); None: the kernel cannot be cut."""
    part_us: tuple[float, ...] = ()
    copies: int = 1
    """Sets of its tables that the launches turned through."""
    code_copies: int = 1
    """Copies of its machine code that they turned through."""
    cold_ratio: float | None = None
    """Table bytes turned through ÷ last-level cache; None: it reads none, or no known cache."""
    accesses: tuple[Access, ...] = ()
    """Of its large buffers, one for each distinct load."""

    @property
    def alone_us(self) -> float:
        """One launch, the gap included."""
        return median(self.us)

    @property
    def launch_us(self) -> float:
        """What launching it costs."""
        return median(self.hollow_us)

    @property
    def kernel_us(self) -> float:
        """One launch without what launching costs."""
        return self.alone_us - self.launch_us

    @property
    def widest(self) -> Access | None:
        """The load whose lanes are farthest apart."""
        return max(self.accesses, key=lambda a: a.stride_bytes, default=None)


class Token(Frozen):
    """The launches of one decode token as they were captured, and what was measured of them."""

    engine: str
    """`promoted`, `nominated`, `schedules` or `stock`."""
    context: int
    position: int
    """Positions in the KV cache while it was measured."""
    kinds: tuple[Kind, ...]
    token_us: tuple[float, ...]
    """Whole tokens: the captured graph replayed, a mean per round."""
    rebuilt_us: tuple[float, ...] = ()
    """The same launches put together as `without_us` is: each starts when the one before has
    ended."""
    early_us: tuple[float, ...] = ()
    """The same, as they start in the token; () where none starts early."""
    hollow_us: tuple[float, ...]
    """The same launches on the same buffers, all of them empty: the gaps, a mean per round."""
    timer: str
    load: float | None = None
    clock_mhz: float | None = None

    @property
    def us(self) -> float:
        return median(self.token_us)

    @property
    def launches(self) -> int:
        return sum(k.count for k in self.kinds)

    @property
    def bytes(self) -> int:
        """Bytes that the token must read."""
        return sum(k.count * k.bytes for k in self.kinds)


class Flag(Frozen):
    """Something wrong with the shape of a launch: a code of FLAGS, the number and its limit."""

    code: str
    number: float
    limit: float
    detail: str


# ---- flags -----------------------------------------------------------------------------------


def wave(chip: ChipFacts) -> tuple[int, int] | None:
    """(workgroups, threads) that give every unit one SIMD group; None: no workgroups, or not known.

    Where a CPU imitates workgroups a unit runs the threads of one in turn: one is enough for it.
    """
    units, width = chip.get("units"), chip.get("simd_width")
    if not chip.get("workgroups") or not units:
        return None
    if chip.get("imitated"):
        return units, units
    return (units, units * width) if width else None


def flags(kind: Kind, chip: ChipFacts, token: Token) -> tuple[Flag, ...]:
    """What is wrong with a kind of launch of this token on this chip."""
    return (*_width(kind, chip), *_lanes(kind, chip), *_rate(kind, chip, token))


def _width(kind: Kind, chip: ChipFacts) -> Iterator[Flag]:
    least = wave(chip)
    if least is None:
        return
    groups, threads = least
    if kind.threads == 1:
        yield Flag(code="one-thread", number=1, limit=threads, detail=f"1 thread of {threads:,}")
    elif kind.groups is not None and kind.groups < groups:
        some = "1 workgroup" if kind.groups == 1 else f"{kind.groups:,} workgroups"
        detail = f"{some} on {groups:,} units"
        yield Flag(code="below-wave", number=kind.groups, limit=groups, detail=detail)
    elif kind.threads < threads:
        detail = f"{kind.threads:,} threads of {threads:,}"
        yield Flag(code="below-wave", number=kind.threads, limit=threads, detail=detail)


def _lanes(kind: Kind, chip: ChipFacts) -> Iterator[Flag]:
    """Not where a CPU imitates workgroups: its threads have no lanes beside them."""
    widest = kind.widest
    if widest is None or chip.get("imitated") or widest.stride_bytes <= LINE_BYTES:
        return
    yield Flag(
        code="scattered",
        number=widest.stride_bytes,
        limit=LINE_BYTES,
        detail=f"lanes {widest.stride_bytes:,} B apart, {widest.load_bytes} B each",
    )


def _rate(kind: Kind, chip: ChipFacts, token: Token) -> Iterator[Flag]:
    """Not where it reads next to nothing of what the token reads: its time is no reading."""
    floor = floor_us(kind.bytes, bandwidth(chip))
    loss_us = kind.count * (kind.kernel_us - floor)
    if loss_us < WORTH * token.us or kind.count * kind.bytes <= WORTH * token.bytes:
        return
    share = floor / kind.kernel_us
    if share < FAR_BELOW:
        detail = f"{share:.0%} of the read rate"
        yield Flag(code="slow-read", number=share, limit=FAR_BELOW, detail=detail)


# ---- the table -------------------------------------------------------------------------------


class Row(Frozen):
    """A kind of launch with what follows from its measurement."""

    kind: Kind
    token_us: float
    """All its launches in a token."""
    share: float
    """Of the sum over all kinds."""
    gbps: float | None
    """Bytes it must read ÷ its time without the launch; None: it must read none."""
    rate: float | None
    """That as a share of the measured read rate."""
    flags: tuple[Flag, ...]


def rows(token: Token, chip: ChipFacts) -> tuple[Row, ...]:
    """One row per kind, what takes most of the token first.

    Raises BoltbeamError where the chip has no measured read rate.
    """
    read_gbps = bandwidth(chip)
    total = sum(k.count * k.alone_us for k in token.kinds)
    out = []
    for kind in token.kinds:
        gbps = kind.bytes / kind.kernel_us / 1e3 if kind.bytes and kind.kernel_us > 0 else None
        out.append(
            Row(
                kind=kind,
                token_us=kind.count * kind.alone_us,
                share=kind.count * kind.alone_us / total,
                gbps=gbps,
                rate=None if gbps is None else gbps / read_gbps,
                flags=flags(kind, chip, token),
            )
        )
    return tuple(sorted(out, key=lambda r: -r.token_us))


def of(token: Token) -> dict[str, Any]:
    """Which token a row is of, for programs."""
    return {
        "engine": token.engine,
        "context": token.context,
        "position": token.position,
        "captured_token_us": token.us,
        "timer": token.timer,
    }


def data(row: Row) -> dict[str, Any]:
    """A row for programs."""
    kind, widest = row.kind, row.kind.widest
    return {
        "op": kind.op,
        "kernel": kind.kernel,
        "count": kind.count,
        "bytes": kind.bytes,
        "workgroups": kind.groups,
        "threads": kind.threads,
        "launch_us": kind.alone_us,
        "empty_launch_us": kind.launch_us,
        "kernel_us": kind.kernel_us,
        "token_us": row.token_us,
        "share": row.share,
        "read_gbps": row.gbps,
        "share_of_read_rate": row.rate,
        "lane_stride_bytes": None if widest is None else widest.stride_bytes,
        "lane_load_bytes": None if widest is None else widest.load_bytes,
        "copies": kind.copies,
        "code_copies": kind.code_copies,
        "cold_ratio": kind.cold_ratio,
        "flags": [f.model_dump() for f in row.flags],
    }


def words(row: Row) -> dict[str, Any]:
    """A row for people."""
    kind, widest = row.kind, row.kind.widest
    each = None if kind.groups is None else kind.threads // max(1, kind.groups)
    return {
        "op": kind.op,
        "kernel": kind.kernel,
        "a token": kind.count,
        "bytes": kind.bytes,
        "grid": kind.threads if each is None else f"{kind.groups:,} × {each:,}",
        "threads": kind.threads,
        "µs": kind.alone_us,
        "kernel µs": kind.kernel_us,
        "token µs": row.token_us,
        "share": f"{row.share:.1%}",
        "of the rate": None if row.rate is None else f"{row.rate:.0%}",
        "lanes apart": None if widest is None else widest.stride_bytes,
        "flags": ", ".join(f.code for f in row.flags),
    }


def notes(token: Token, chip: ChipFacts) -> list[str]:
    """How it was measured, and every flag in words."""
    total = sum(k.count * k.alone_us for k in token.kinds)
    out = [
        f"{token.launches:,} launches of {len(token.kinds)} kinds, {token.bytes:,} bytes a "
        f"token at position {token.position} of {token.context}; the captured token takes "
        f"{token.us:,.0f} µs, its launches one by one {total:,.0f} µs.",
        how(token),
    ]
    found = rows(token, chip)
    for code, means in FLAGS.items():
        where = [f"{r.kind.op} {f.detail}" for r in found for f in r.flags if f.code == code]
        out += [f"{code}: {means}: {'; '.join(where)}."] if where else []
    if wave(chip) is None:
        out.append(
            f"{chip.id} has no workgroups: a kernel is one thread there, and its width and lanes "
            "are not judged."
        )
    return out


def how(token: Token) -> str:
    """One sentence on the way the times were measured."""
    large = [k for k in token.kinds if k.cold_ratio is not None]
    warm = dict.fromkeys(k.op for k in large if (k.cold_ratio or 0) < COLD_FACTOR)
    if not large:
        cold = "no table is large enough to be read cold, or the cache is not known"
    elif warm:
        cold = f"tables as cold as in the token, which is not {COLD_FACTOR:g} caches: "
        cold += ", ".join(warm)
    else:
        cold = f"tables turn through at least {COLD_FACTOR:g} caches"
    if any(k.code_copies > 1 for k in token.kinds):
        cold += "; code turns through as much as the token runs from one such launch to the next"
    timer = {
        "thread": "CPU time of the launching thread, which runs the kernels",
        "wall": "wall time",
    }[token.timer]
    load = "" if token.load is None else f"; load {token.load:.2f} of the cores"
    return (
        f"Measured, not predicted: µs is one launch among launches of its own kind only, one after "
        f"the other in one captured graph on the token's own tensors, gap to the next included "
        f"({timer}, median of {len(token.token_us)} rounds in turn with the whole token; "
        f"{cold}{load}). kernel µs is that less an empty launch on the same buffers."
    )
