"""A token's time tied out: floor + loss in kernels + gaps = the measured token, residue shown.

Takes a measured token (its launches alone, empty, left out, and whole) and the chip's measured
read rate, gives the sum, its rows and what to do about them. Never fills a gap with a difference:
what is left over is the residue. What launches cost in their places is no term of it: that says
where in the token the residue is.

Where kernels start early, what is tied out is the same token with each started when the one before
has ended: kernels that overlap have no times of their own. What early starts save is a term, the
difference of the two whole tokens, and nothing explains it kind by kind.
"""

from __future__ import annotations

from collections.abc import Sequence
from statistics import median, quantiles
from typing import Any, Literal

from boltbeam.predict.census import FLAGS, Kind, Token, flags
from boltbeam.predict.roofline import bandwidth, floor_us
from boltbeam.report import cell
from boltbeam.types import ChipFacts, Frozen

RESIDUE_MAX = 0.05
"""Share of the token that may stay unexplained …"""
HELD_TO = "nv-sm90-132sm"
"""… on the chip whose tie-outs are held to that; elsewhere it is printed."""
READS = 0.25
"""A kernel whose floor is at least this share of its time is about reading."""
LEAST = 0.005
"""Shares of the token below this are not worth a line of the to-do list."""

TERMS = (
    *("chip", "engine", "context", "position", "read_gbps", "token_us", "floor_us", "loss_us"),
    *("toll_us", "rate_us", "unknown_us", "gaps_us", "early_us", "residue_us", "place_us"),
    *("residue", "limit", "closes"),
)
"""Of a tie-out, what programs are given beside its rows."""

Loss = Literal["toll", "rate"]


class Tied(Frozen):
    """One kind of launch, per launch: kernel = floor + toll + rate."""

    kind: Kind
    floor_us: float
    """Bytes it must read ÷ the measured read rate."""
    loss_us: float
    """Time without the launch, less the floor; below 0: its reads hit a cache."""
    toll_us: float | None
    """What a launch loses however much it reads. None: nobody can tell, as it cannot be cut."""
    place_us: float | None
    """What the token, one launch after the other, gains where these launches are empty, less what
    they take alone. Below 0: they share the time with others. None: the host launches every kernel
    by itself."""
    doubt_us: float
    """Half of the middle half of the rounds' `place_us`."""

    @property
    def rate_us(self) -> float | None:
        """What it loses on every byte."""
        return None if self.toll_us is None else self.loss_us - self.toll_us

    @property
    def loss(self) -> Loss | None:
        """Which of the two is larger; None: no loss, or not known."""
        if self.toll_us is None or self.loss_us <= 0:
            return None
        return "toll" if self.toll_us >= self.loss_us / 2 else "rate"

    @property
    def count(self) -> int:
        return self.kind.count


class Todo(Frozen):
    """Where time of the token is, and what would mend it."""

    where: str
    us: float
    """Per token."""
    share: float
    """Of the measured token."""
    what: str
    mend: str


class TieOut(Frozen):
    """Microseconds per token; token = floor + loss + gaps − early + residue."""

    chip: str
    engine: str
    context: int
    position: int
    read_gbps: float
    token_us: float
    floor_us: float
    loss_us: float
    gaps_us: float
    early_us: float | None
    """What the token gains by kernels that start early, of two whole tokens; None: none does."""
    residue_us: float
    place_us: float | None
    """Of the residue: what the launches cost in their places, all kinds together."""
    rows: tuple[Tied, ...]
    todo: tuple[Todo, ...]

    @property
    def toll_us(self) -> float:
        """Of the loss: tolls, where they are known."""
        return sum(r.count * (r.toll_us or 0.0) for r in self.rows)

    @property
    def unknown_us(self) -> float:
        """Of the loss: nobody can tell which."""
        return sum(r.count * r.loss_us for r in self.rows if r.toll_us is None)

    @property
    def rate_us(self) -> float:
        """Of the loss: on every byte, where it is known."""
        return self.loss_us - self.toll_us - self.unknown_us

    @property
    def residue(self) -> float:
        """As a share of the token."""
        return self.residue_us / self.token_us

    @property
    def limit(self) -> float | None:
        """What the residue may be; None: it is printed only."""
        return RESIDUE_MAX if self.chip == HELD_TO else None

    @property
    def closes(self) -> bool:
        return self.limit is None or abs(self.residue) <= self.limit


def tie_out(token: Token, chip: ChipFacts) -> TieOut:
    """The sum of a token. Raises BoltbeamError where the chip has no measured read rate."""
    gbps = bandwidth(chip)
    tied = [tied_kind(k, gbps, token.rebuilt_us) for k in token.kinds]
    floor = sum(t.count * t.floor_us for t in tied)
    loss = sum(t.count * t.loss_us for t in tied)
    placed = [t.count * t.place_us for t in tied if t.place_us is not None]
    gaps = median(token.hollow_us)
    early = median(token.rebuilt_us) - median(token.early_us) if token.early_us else None
    return TieOut(
        chip=chip.id,
        engine=token.engine,
        context=token.context,
        position=token.position,
        read_gbps=gbps,
        token_us=token.us,
        floor_us=floor,
        loss_us=loss,
        gaps_us=gaps,
        early_us=early,
        residue_us=token.us - floor - loss - gaps + (early or 0.0),
        place_us=sum(placed) if placed else None,
        rows=tuple(sorted(tied, key=lambda t: -t.count * t.kind.kernel_us)),
        todo=todo(tied, token, chip, gaps, early or 0.0),
    )


def tied_kind(kind: Kind, gbps: float, rebuilt_us: Sequence[float]) -> Tied:
    """A kind of launch, its loss split where the kernel was also run on a part of its work."""
    floor = floor_us(kind.bytes, gbps)
    loss = kind.kernel_us - floor
    place, doubt = None, 0.0
    if kind.without_us:
        gained = [a - b for a, b in zip(rebuilt_us, kind.without_us, strict=True)]  # round by round
        place = median(gained) / kind.count - kind.kernel_us
        if len(gained) > 1:
            low, _, high = quantiles(gained, n=4)
            doubt = (high - low) / 2 / kind.count
    toll = toll_us(kind, loss)
    return Tied(
        kind=kind, floor_us=floor, loss_us=loss, toll_us=toll, place_us=place, doubt_us=doubt
    )


def toll_us(kind: Kind, loss_us: float) -> float | None:
    """What does not shrink with the work: where the line through a part and the whole meets 0.

    A kernel that must read nothing loses all of its time by being launched at all. At most the
    whole loss, at least nothing.
    """
    if not kind.bytes:
        return max(0.0, loss_us)
    if kind.part is None:
        return None
    part = median(kind.part_us) - kind.launch_us
    at_zero = (part - kind.part * kind.kernel_us) / (1 - kind.part)
    return min(max(0.0, at_zero), max(0.0, loss_us))


# ---- what to do ------------------------------------------------------------------------------


def todo(
    tied: Sequence[Tied], token: Token, chip: ChipFacts, gaps_us: float, early_us: float
) -> tuple[Todo, ...]:
    """Losses and gaps, the biggest first; what is below LEAST of the token is left out. Of the gaps
    that which early starts do not save."""
    left_us = max(0.0, gaps_us - early_us)
    found = [_loss(t, token, chip) for t in tied]
    found += [_place(t, us, token) for t in tied if (us := t.place_us or 0.0) > t.doubt_us]
    found.append(
        Todo(
            where=f"gaps of {token.launches:,} launches",
            us=left_us,
            share=left_us / token.us,
            what=f"are {gaps_us / token.launches:.3g} µs each"
            + (f", of which early starts save {early_us:,.0f} µs" if early_us else ""),
            mend="fewer launches: fuse neighbours into spans (boltbeam search)",
        )
    )
    return tuple(sorted((f for f in found if f.share >= LEAST), key=lambda f: (-f.us, f.where)))


def _loss(t: Tied, token: Token, chip: ChipFacts) -> Todo:
    us = t.count * t.loss_us
    shape = [f for f in flags(t.kind, chip, token) if f.code != "slow-read"]
    if shape:
        mend = "; ".join(f"{f.code} ({f.detail}): {FLAGS[f.code]}" for f in shape)
    elif token.engine == "stock" and t.kind.bytes:
        mend = "a generated kernel (boltbeam search, promote)"
    elif t.loss == "toll" and t.floor_us >= READS * t.kind.kernel_us:
        mend = "half of it takes as long: more bytes in flight in each workgroup, or smaller ones"
    elif t.loss == "toll":
        mend = "fewer and larger launches: fuse it with its neighbours"
    elif t.loss == "rate":
        mend = "more bytes in flight, or less work per byte: other geometries, routes or formats"
    else:
        mend = "not known whether toll or rate: its loops cannot be cut"
    return Todo(
        where=f"{t.count} × {t.kind.op} ({t.kind.kernel})",
        us=us,
        share=us / token.us,
        what=f"{'lose' if t.count > 1 else 'loses'} {cell(t.loss_us)} µs a launch over a floor of "
        f"{cell(t.floor_us)}" + (f", a {t.loss}" if t.loss else ""),
        mend=mend,
    )


def _place(t: Tied, place_us: float, token: Token) -> Todo:
    us = t.count * place_us
    return Todo(
        where=f"{t.count} × {t.kind.op} ({t.kind.kernel}) in its place",
        us=us,
        share=us / token.us,
        what=f"{'cost' if t.count > 1 else 'costs'} {cell(place_us)} µs a launch more than alone",
        mend="a neighbour that ends sooner, or more that it reads before it waits for it",
    )


# ---- the table -------------------------------------------------------------------------------


def data(found: TieOut) -> dict[str, Any]:
    """The whole tie-out for programs."""
    return {n: getattr(found, n) for n in TERMS} | {
        "rows": [
            {
                "op": r.kind.op,
                "kernel": r.kind.kernel,
                "count": r.count,
                "bytes": r.kind.bytes,
                "floor_us": r.floor_us,
                "kernel_us": r.kind.kernel_us,
                "loss_us": r.loss_us,
                "toll_us": r.toll_us,
                "rate_us": r.rate_us,
                "loss": r.loss,
                "place_us": r.place_us,
                "place_doubt_us": r.doubt_us,
                "token_us": r.count * r.kind.kernel_us,
            }
            for r in found.rows
        ],
        "todo": [t.model_dump() for t in found.todo],
    }


def words(found: TieOut) -> list[dict[str, Any]]:
    """The rows for people: per launch, then all launches of a token."""
    return [
        {
            "op": r.kind.op,
            "kernel": r.kind.kernel,
            "a token": r.count,
            "floor µs": r.floor_us,
            "kernel µs": r.kind.kernel_us,
            "loss µs": r.loss_us,
            "of it toll": r.toll_us,
            "which": r.loss or "–",
            "in place": r.place_us,
            "token: floor": r.count * r.floor_us,
            "token: loss": r.count * r.loss_us,
        }
        for r in found.rows
    ]


def sums(found: TieOut) -> list[dict[str, Any]]:
    """The equation, one term a line."""
    unknown = f", {found.unknown_us:,.1f} not known which" if found.unknown_us else ""
    split = f"{found.toll_us:,.1f} toll, {found.rate_us:,.1f} rate{unknown}"
    held = "" if found.limit is None else f", at most {found.limit:.0%} here"
    placed = ""
    if found.place_us is not None:
        placed = f"; in their places the launches cost {found.place_us:+,.1f} beside alone"
    early = []
    if found.early_us is not None:
        text = "the same token with each started when the one before has ended, less as it is"
        early = [("- early starts", -found.early_us, text)]
    terms = (
        ("floor", found.floor_us, f"bytes ÷ {found.read_gbps:.4g} GB/s measured"),
        ("+ loss in kernels", found.loss_us, f"launches alone, less the floor: {split}"),
        ("+ gaps", found.gaps_us, "the same token with every launch empty"),
        *early,
        ("+ residue", found.residue_us, f"not explained{held}{placed}"),
        ("= token", found.token_us, f"the captured graph: {1e6 / found.token_us:.4g} tok/s"),
    )
    return [
        {"term": n, "µs": us, "share": f"{us / found.token_us:.1%}", "from": text}
        for n, us, text in terms
    ]


def doing(found: TieOut) -> list[str]:
    """The to-do list, one line an entry."""
    return [
        f"{n}. {t.us:,.0f} µs, {t.share:.1%}: {t.where} {t.what}. Mend: {t.mend}."
        for n, t in enumerate(found.todo, 1)
    ] or ["Nothing that is worth a line: the token is its floor."]


TOLL = (
    "A toll is what does not shrink where a launch reads about half: a line through its time on a "
    "part of the work and on the whole, at no work. The rest of a loss is a rate. Half a grid of "
    "one wave leaves half of the chip idle: its toll is what one workgroup takes. In place: what "
    "the whole token gains where the launches of this kind are empty, less what they take alone."
)
"""What the words of the table mean."""
