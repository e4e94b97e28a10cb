"""The sections of the page of pictures: captions, pictures, and the same numbers as tables.

Takes Pictures, gives Sections. Never computes what its tables do not show, and a section without
numbers says what to run.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from statistics import median
from typing import Any

from boltbeam.models.plan import short
from boltbeam.pictures import report_figures
from boltbeam.pictures.report_data import Pictures, TokenTime
from boltbeam.pictures.report_figures import numbered
from boltbeam.records.decide import below_clock
from boltbeam.records.entries import LedgerRow
from boltbeam.records.review import ratio, state

Row = dict[str, Any]
CANDIDATES = 300
"""Candidates that the table lists, those of a race first."""
REASONS = 14
"""Reasons that have a bar; the table has them all."""
IDS = ("row", "line", "source")
"""Columns that hold ids."""


# ---- what a page is made of --------------------------------------------------------------------


@dataclass(frozen=True)
class Column:
    name: str
    right: bool
    code: bool

    @property
    def kind(self) -> str:
        """Class of its cells: numbers, or words that need width."""
        wide = self.name in ("work", "candidate", "what", "why", "state", "reason")
        return "n" if self.right else "w" if wide else ""


@dataclass(frozen=True)
class Table:
    title: str
    rows: Sequence[Row]

    @property
    def columns(self) -> list[Column]:
        return [
            Column(name, all(_number(r[name]) for r in self.rows), name in IDS)
            for name in self.rows[0]
        ]


def _number(value: Any) -> bool:
    return value is None or (isinstance(value, (int, float)) and not isinstance(value, bool))


@dataclass(frozen=True)
class Section:
    """One heading: pictures with a caption, the same numbers as tables, or what to run."""

    key: str
    title: str
    caption: str = ""
    pictures: tuple[str, ...] = ()
    tables: tuple[Table, ...] = ()
    missing: str = ""


def tables(*named: tuple[str, Sequence[Row]]) -> tuple[Table, ...]:
    """Those that have rows."""
    return tuple(Table(title, rows) for title, rows in named if rows)


# ---- the sections ------------------------------------------------------------------------------

SEARCH = (
    "No plan is in force and no kernels are nominated for this token on this chip: `boltbeam "
    "search --model M --chip C`."
)
PROBE = "The chip's read rate was never measured: `boltbeam chip probe` there."


def roofline(p: Pictures) -> Section:
    number = numbered(p)
    gbps, toll = p.chip.rate("read_gbps"), p.chip.rate("toll_us")
    rows = [
        {
            "no.": number[i.work.key],
            "work": short(i.work.key),
            "a token": i.times or None,
            "bytes": i.work.bytes,
            "operations": i.operations,
            "op/byte": i.operations / i.work.bytes if i.work.bytes else None,
            "floor µs": None if below_clock(i.floor_us) else i.floor_us,
            "µs": i.us,
            "% of read rate": i.row.pct_of_floor if i.row else None,
            "Top/s": i.operations / i.us * 1e-6 if i.us and i.operations else None,
            "row": i.row.id if i.row else None,
        }
        for i in p.items
    ]
    drawn = () if gbps is None else (report_figures.roofline(p), report_figures.time_roofline(p))
    caption = (
        "First: operations per second (10¹²/s) over operations per byte read; the slanted roof is "
        "the measured read rate, the flat ones are measured arithmetic. An operation is a "
        "multiplication or an addition of a matrix or of attention; what multiplies nothing is on "
        "the second picture only. Second: microseconds of one run over the bytes it must read "
        f"(packed weights, and keys and values of {p.kernels_at:,} positions); the line is bytes ÷ "
        "read rate"
        + (f", at least {toll:.3g} µs, the toll of a launch" if toll else "")
        + ". Numbers are those of the table; the distance to the line is what is lost. "
        + f"Rates: probe row {p.probe or 'none, the chip file'}."
    )
    title = "Work items: a run each, cold, launch and gap included"
    return Section(
        "roofline", "Roofline", caption, drawn, tables((title, rows)), PROBE if not drawn else ""
    )


def token(p: Pictures) -> Section:
    number = numbered(p)
    rows = [
        {
            "no.": number[i.work.key],
            "work": short(i.work.key),
            "a token": i.times,
            "floor µs a token": i.times * i.floor_us if i.floor_us is not None else None,
            "loss µs a token": None if i.floor_us is None else i.token_us - i.times * i.floor_us,
            "µs a token": i.token_us,
            "share": i.token_us / p.kernels_us if p.kernels_us else None,
            "row": i.row.id if i.row else None,
        }
        for i in p.in_token
    ]
    whole: list[Row] = []
    for name, us in sums(p):
        whole.append(
            {"engine": name, "position": p.kernels_at, "ms": us / 1e3, "tok/s": 1e6 / us,
             "gaps ms": None, "difference ms": None, "source": "rows above"}
        )  # fmt: skip
    for t in p.tokens:
        whole.append({"engine": t.who, "position": t.position, "ms": t.us / 1e3,
                      "tok/s": 1e6 / t.us, **left_over(p, t), "source": t.source})  # fmt: skip
    drawn = []
    if p.floor_us is not None:
        drawn.append(report_figures.waterfall(p))
    if drawn or p.tokens:
        drawn.append(report_figures.peers(peers(p)))
    caption = (
        "First: one token in milliseconds. The floor is the bytes of every member ÷ the measured "
        "read rate; each part then loses what it takes beyond its floor; what is left is the "
        f"measured token less the sum of its kernels, which ran at {p.kernels_at:,} positions: "
        "gaps, where the token ran near there (negative where launches overlap), else the "
        f"difference to the kernels at {p.kernels_at:,} positions. Second: whole "
        "engines beside it, at the lowest position measured; engines marked bench ran in turns of "
        "their own, and a sum is of kernels timed one by one, those of stock beside the plan's. "
        + ("" if p.tokens else "No whole token was measured, so the gaps are not known.")
    )
    none = SEARCH
    if p.members and p.uncovered:
        none = f"No kernel yet for {', '.join(p.uncovered)}: no sum, no gaps (`boltbeam search`)."
    elif p.members:
        none = PROBE
    return Section(
        "token",
        "One token",
        caption,
        tuple(drawn),
        tables(("Members of the token", rows), ("Whole tokens", whole)),
        "" if p.floor_us is not None else none,
    )


def left_over(p: Pictures, t: TokenTime) -> Row:
    """What a token of the plan takes beyond its kernels, as gaps or as a difference."""
    ms = (t.us - p.kernels_us) / 1e3 if p.kernels_us and t.who == "this plan" else None
    near = p.near_kernels(t)
    return {"gaps ms": ms if near else None, "difference ms": None if near else ms}


def sums(p: Pictures) -> list[tuple[str, float]]:
    """What the kernels of a token take one by one, the plan's and stock's of the same steps."""
    named = (("sum of its kernels", p.kernels_us), ("sum of stock's kernels", p.stock_us))
    return [(name, us) for name, us in named if us]


def peers(p: Pictures) -> list[tuple[str, float | None]]:
    """Engines with a time or without one."""
    first: dict[str, float] = {}
    for t in sorted(p.tokens, key=lambda t: t.position):
        first.setdefault(t.who, t.us)
    rows: list[tuple[str, float | None]] = [("this plan", first.pop("this plan", None))]
    rows += sums(p)
    rows += sorted(first.items(), key=lambda kv: first[kv[0]])
    for name, said in (("stock", "stock"), ("jitbeam", "stock, JITBEAM=2"), ("llama", "llama.cpp")):
        if not any(name in n and not n.startswith("sum") for n, _ in rows):
            rows.append((said, None))
    return rows


def funnel(p: Pictures) -> Section:
    rows: list[Row] = []
    reasons: dict[tuple[str, str], int] = {}
    totals = dict.fromkeys(("considered", "legal", "kept", "proved", "raced"), 0)
    for r in p.funnels:
        f = r.funnel
        assert f is not None
        no, cut = sum(f.illegal.values()), sum(f.pruned.values())
        steps = (f.legal + no, f.legal, max(0, f.legal - cut), f.proved, f.timed)
        for name, n in zip(totals, steps, strict=True):
            totals[name] += n
        for stage, some in (("illegal", f.illegal), ("pruned", f.pruned)):
            for reason, n in some.items():
                reasons[stage, reason] = reasons.get((stage, reason), 0) + n
        cells = dict(zip(totals, steps, strict=True))
        rows.append({"work": short(r.work), "a token": r.count, **cells,
                     "stopped": f.stopped, "row": r.id})  # fmt: skip
    if not rows:
        return Section(
            "funnel", "The search", missing="No funnel is in the ledger: `boltbeam search`."
        )
    timed = [r for r in p.compared if r.candidate_us]
    bars = [
        (f"{n}: {said}", totals[n], "")
        for n, said in zip(
            totals, ("all geometries", "BubbleBeam", "FutureSight", "right", "timed"), strict=True
        )
    ]
    bars.append(("compared with stock", len(timed), ""))
    bars.append(("faster", sum(r.verdict == "faster" for r in timed), ""))
    bars.append(("in the token", len(p.in_token), ""))
    order = sorted(reasons.items(), key=lambda kv: (-kv[1], kv[0]))
    why = [(reason, n, stage) for (stage, reason), n in order]
    drawn = (
        report_figures.counts("funnel", "Funnel of the search", bars, "candidates, logarithmic"),
        report_figures.counts(
            "reasons", "Why candidates were left out", why[:REASONS], "candidates, logarithmic"
        ),
    )
    caption = (
        f"First: how far how many candidates went, of {len(rows)} work item(s). Second: why the "
        "others went no further (illegal: they cannot run or would be wrong on this chip; pruned: "
        "predicted or told not to be worth a race). Where a search climbs to neighbours of its "
        "fastest, more are proved than were kept at first."
    )
    table = [{"stage": s, "reason": r, "candidates": n} for (s, r), n in order]
    return Section(
        "funnel",
        "The search",
        caption,
        drawn,
        tables(("By work item", rows), ("Reasons", table), ("Compared", [_compared(r) for r in
               sorted(timed, key=lambda r: (r.work, median(r.candidate_us)))])),
    )  # fmt: skip


def _compared(r: LedgerRow) -> Row:
    return {
        "work": short(r.work),
        "candidate": f"{r.route} {r.geometry}",
        "µs": median(r.candidate_us),
        "against": r.incumbent,
        "its µs": median(r.incumbent_us),
        "ratio": ratio(r),
        "verdict": str(r.verdict),
        "state": state(r),
        "row": r.id,
    }


def predictions(p: Pictures) -> Section:
    dots = [
        {
            "work": short(d.work),
            "candidate": f"{d.route} {d.geometry}",
            "predicted µs": d.predicted_us,
            "measured µs": d.measured_us,
            "÷": d.predicted_us / d.measured_us,
            "": {"kept": "kept", "pruned": "pruned", "compared": "ledger"}[d.kind],
            "why": d.why,
            "source": d.source,
        }
        for d in sorted(p.dots, key=lambda d: (d.kind == "compared", d.work, d.measured_us))
    ]
    audits = [
        {
            "work": short(work),
            "pruned, raced": a.sampled,
            "all": a.everything,
            "kept": a.kept,
            "kept ÷ legal": a.kept_share,
            "lost": a.regret,
            "rank correlation": a.rank_correlation,
            "best µs": a.best_us,
            "best predicted as": a.best_rank,
            "wrongly pruned": a.worst or "none",
            "row": row,
        }
        for work, a, row in p.audits
    ]
    if not dots and not audits:
        said = "Nothing to compare: predictions need a probe of the chip and rows of a search."
        return Section("predictions", "Predicted against measured", missing=said)
    caption = (
        "Microseconds of one run as FutureSight predicted them (upright) and as they were measured "
        "(across): on the line they are equal, between the dotted lines within a factor of two. "
        "Circles: candidates that the filters kept; triangles: a sample of what they had pruned, "
        "raced by an audit (both of this machine's run store); diamonds: rows of the ledger, "
        f"predicted again with what probe {p.probe or 'rows'} measured."
    )
    title = "Candidates"
    if len(dots) > CANDIDATES:
        title += f", {CANDIDATES} of {len(dots):,} (ledger query has all: select * from candidates)"
    pruned = any(d.kind == "pruned" for d in p.dots)
    none = (
        ""
        if pruned
        else "The run store here holds no pruned candidate: `boltbeam search --audit 40`."
    )
    drawn = (report_figures.scatter(p),) if p.dots else ()
    return Section("predictions", "Predicted against measured", caption, drawn,
                   tables(("Audits: what pruning lost", audits), (title, dots[:CANDIDATES])),
                   none)  # fmt: skip


def over_context(p: Pictures) -> Section:
    rows: list[Row] = [
        {"engine": t.who, "positions": t.position, "tok/s": 1e6 / t.us, "source": t.source}
        for t in sorted(p.tokens, key=lambda t: (t.who, t.position))
    ]
    if p.kernels_us:
        rows.append({"engine": "sum of kernels, no gaps", "positions": p.kernels_at,
                     "tok/s": 1e6 / p.kernels_us, "source": "rows of the token"})  # fmt: skip
    said = f"probe {p.probe}" if p.probe else "the chip's file"
    limits: list[Row] = [
        {"engine": "limit", "positions": c, "tok/s": v, "source": said} for c, v in p.limits
    ]
    if not rows and not limits:
        return Section("contexts", "Speed over context", missing=PROBE)
    caption = (
        "Tokens per second over the positions in the KV cache (both logarithmic). The limit is the "
        "measured read rate ÷ all bytes of a token with so many positions; whole tokens stand at "
        "the position from which they were timed."
    )
    none = "" if p.tokens else "No whole token was measured: `boltbeam promote`, `boltbeam bench`."
    drawn = (report_figures.contexts(p),)
    return Section("contexts", "Speed over context", caption, drawn,
                   tables(("Tokens per second", [*rows, *limits])), none)  # fmt: skip


def history(p: Pictures) -> Section:
    if not p.histories:
        none = "No kernel of this token was compared on this chip: `boltbeam search`."
        return Section("history", "History of work items", missing=none)
    rows = [
        {
            "work": short(work),
            "date": e.date[:16].replace("T", " "),
            "what": e.what,
            "µs": e.us,
            "against": e.incumbent,
            "its µs": e.incumbent_us,
            "verdict": e.verdict,
            "line": e.source,
        }
        for work, events in p.histories
        for e in events
    ]
    caption = (
        "Microseconds of one run (logarithmic) in the order in which the ledger learned them, of "
        "the work items that take most of the token: filled marks are candidates by their route, "
        "open squares what each was compared with in the same blocks, dashed lines decisions."
    )
    drawn = tuple(report_figures.history(n, *h) for n, h in enumerate(p.histories, 1))
    lines = tables(("Ledger lines", rows))
    return Section("history", "History of work items", caption, drawn, lines)


SECTIONS: tuple[Callable[[Pictures], Section], ...] = (
    roofline,
    token,
    funnel,
    predictions,
    over_context,
    history,
)
