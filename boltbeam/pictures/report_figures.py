"""Pictures as SVG text: what was measured, in shapes and colours that everybody can tell apart.

Takes Pictures, gives SVG to put into a page. Never computes a number that the page's tables lack,
and says nothing by colour alone (Okabe and Ito's colours, with shapes, hatches and labels).
"""

from __future__ import annotations

import io
import math
import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from boltbeam.models.plan import short
from boltbeam.pictures.report_data import Event, Item, Pictures

BLACK, ORANGE, SKY, GREEN = "#000000", "#E69F00", "#56B4E9", "#009E73"
BLUE, VERMILION, PURPLE, GREY = "#0072B2", "#D55E00", "#CC79A7", "#767676"
SERIES = ((BLUE, "o"), (VERMILION, "s"), (GREEN, "^"), (PURPLE, "D"), (ORANGE, "v"), (SKY, "P"))
"""Colour and marker of the first, second, … series."""
WIDTH = 6.0
"""Inches; the page scales a picture to its place. Text of 12 points is legible on a phone."""
STYLE = {
    "svg.fonttype": "none",
    "svg.hashsalt": "boltbeam",
    "font.size": 12,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.grid": True,
    "grid.color": "#dddddd",
    "grid.linewidth": 0.6,
    "axes.axisbelow": True,
    "legend.frameon": False,
    "legend.fontsize": 11,
    "lines.linewidth": 1.6,
    "hatch.linewidth": 0.7,
}
BACK = {"facecolor": "white", "edgecolor": "none", "pad": 1.0}
"""Behind words inside the axes: no line strikes them through."""
TOP = 7
"""Parts of a token with a bar of their own; the rest share one."""


class Canvas:
    """One picture on its way: `axes` to draw on, `svg` once it is done."""

    def __init__(self, height: float) -> None:
        from matplotlib.backends.backend_svg import FigureCanvasSVG
        from matplotlib.figure import Figure

        self.figure = Figure(figsize=(WIDTH, height), layout="constrained")
        FigureCanvasSVG(self.figure)
        self.axes: Any = self.figure.subplots()
        self.svg = ""

    def finish(self, name: str, title: str) -> None:
        text = io.StringIO()
        self.figure.savefig(text, format="svg", metadata={"Date": None, "Creator": None})
        self.svg = inline(text.getvalue(), name, title)


def inline(text: str, name: str, title: str) -> str:
    """An SVG file's element for a page: it grows with its place, and its ids are its own."""
    body = text[text.index("<svg") :]
    body = re.sub(r'(<svg[^>]*?) (?:width|height)="[^"]*"', r"\1", body, count=1)
    body = re.sub(r'(<svg[^>]*?) (?:width|height)="[^"]*"', r"\1", body, count=1)
    body = re.sub(r"<metadata>.*?</metadata>", "", body, flags=re.S)
    body = re.sub(r'\bid="', f'id="{name}-', body)
    body = re.sub(r'(href="#|url\(#)', rf"\1{name}-", body)
    named = f'<svg role="img" aria-labelledby="{name}-title"'
    label = f'<title id="{name}-title">{title}</title>'
    return body.replace("<svg", named, 1).replace(">", f">{label}", 1)


@contextmanager
def drawing(name: str, title: str, height: float) -> Iterator[Canvas]:
    """A canvas in the house's style, finished when the block ends."""
    import matplotlib

    with matplotlib.rc_context(STYLE):
        canvas = Canvas(height)
        yield canvas
        canvas.finish(name, title)


def time_text(us: float) -> str:
    """`12.3 µs` or `4.56 ms`."""
    return f"{us / 1e3:.4g} ms" if abs(us) >= 1000 else f"{us:.4g} µs"


def _label(axes: Any, points: Sequence[tuple[float, float, str]]) -> None:
    """Words beside points (the axes' limits are set by now): those that lie on each other share
    one label, and none hides another; a line leads where it stands farther off."""
    axes.figure.draw_without_rendering()
    spots: list[tuple[float, float, list[str]]] = []
    for x, y, word in points:
        at = axes.transData.transform((x, y))
        near = next((s for s in spots if math.dist(s[:2], at) < 5), None)
        if near is not None:
            near[2].append(word)
        else:
            spots.append((at[0], at[1], [word]))
    taken = [(x, y, 7.0) for x, y, _ in spots]
    for x, y, words in spots:
        text = ", ".join(words)
        half = 4.5 * len(text) + 2
        dx, dy = next(
            ((dx, dy) for dx, dy in _around(half) if _free(axes, x + dx, y + dy, half, taken)),
            (half + 8, 8.0),
        )
        taken.append((x + dx, y + dy, half))
        line = {"arrowstyle": "-", "linewidth": 0.6, "color": GREY, "shrinkA": 0, "shrinkB": 3}
        axes.annotate(
            text, axes.transData.inverted().transform((x, y)), xytext=(dx * 0.72, dy * 0.72),
            textcoords="offset points", fontsize=10.5, ha="center", va="center", bbox=BACK,
            arrowprops=line if math.hypot(dx, dy) > half + 22 else None,
        )  # fmt: skip


def _around(half: float) -> Iterator[tuple[float, float]]:
    """Places round a point for a label, nearest first, in pixels."""
    for r in (11.0, 24.0, 40.0, 60.0, 85.0):
        for turn in (0, 7, 1, 4, 3, 5, 2, 6):
            angle = turn * math.pi / 4
            yield (half + r) * math.cos(angle), (r + 6) * math.sin(angle)


def _free(axes: Any, x: float, y: float, half: float, taken: Sequence[Sequence[float]]) -> bool:
    box = axes.get_window_extent()
    inside = box.x0 + half < x < box.x1 - half and box.y0 + 8 < y < box.y1 - 8
    return inside and all(abs(x - a) > half + w or abs(y - b) > 13 for a, b, w in taken)


# ---- roofline ----------------------------------------------------------------------------------

ROOFS = (
    ("fp32_fma_tops", "fp32 multiply-add", "--"),
    ("dot4_tops", "int8 dot of four", "-."),
    ("matrix_tops", "matrix unit", ":"),
)


def numbered(p: Pictures) -> dict[str, int]:
    """Work key -> its number in pictures and tables."""
    return {i.work.key: n for n, i in enumerate(p.items, 1)}


def roofline(p: Pictures) -> str:
    """Operations per second against operations per byte."""
    gbps = p.chip.rate("read_gbps")
    assert gbps is not None
    slope = gbps * 1e-3
    spots = [i for i in p.items if i.operations and i.work.bytes]
    peaks = [(v, name, line) for k, name, line in ROOFS if (v := p.chip.rate(k))]
    x = [i.operations / i.work.bytes for i in spots] or [1.0]
    left = min(x) / 2
    right = max([max(x) * 4, *(2 * v / slope for v, _, _ in peaks if v / slope < 16 * max(x))])
    title = "Roofline: operations per second over operations per byte"
    with drawing("roofline", title, 4.8) as c:
        ax = c.axes
        ax.plot([left, right], [left * slope, right * slope], color=BLACK,
                label=f"read rate, {gbps:,.4g} GB/s")  # fmt: skip
        for value, name, line in peaks:
            if value < right * slope:
                ax.plot([left, right], [value, value], line, color=BLACK, linewidth=1.1,
                        label=f"{name}, {value:.4g} Top/s")  # fmt: skip
        measured, unknown = [], []
        for i in spots:
            across = i.operations / i.work.bytes
            if i.us:
                measured.append((i, across, i.operations / i.us * 1e-6))
            else:
                unknown.append((i, across, across * slope))
        ax.set(xscale="log", yscale="log", xlim=(left, right))
        lowest = min([y for _, _, y in measured] + [left * slope])
        highest = max([y for _, _, y in measured] + [right * slope / 1.5])
        ax.set_ylim(lowest / 2, highest * 1.5)
        _plain_ticks(ax.xaxis)
        _plain_ticks(ax.yaxis)
        ax.set(xlabel="operations per byte read", ylabel="Top/s (10¹² operations a second)")
        _spots(ax, measured, unknown, numbered(p))
        _legend_below(ax)
    return c.svg


def _legend_below(ax: Any) -> None:
    """Under the axes, where it hides nothing."""
    handles, names = ax.get_legend_handles_labels()
    columns = 2 if sum(sorted(map(len, names))[-2:]) < 54 else 1
    ax.figure.legend(
        handles, names, loc="outside lower center", ncols=columns, columnspacing=1.2,
        handlelength=1.7, borderaxespad=0.2,
    )  # fmt: skip


Spot = tuple[Item, float, float]


def _spots(ax: Any, measured: Sequence[Spot], unknown: Sequence[Spot], number: Any) -> None:
    for some, colour, marker, name in (
        ([s for s in measured if s[0].times], BLUE, "o", "in the token"),
        ([s for s in measured if not s[0].times], ORANGE, "^", "measured, not in it"),
    ):
        if some:
            ax.plot([s[1] for s in some], [s[2] for s in some], marker, color=colour, label=name,
                    markeredgecolor=BLACK, markeredgewidth=0.6)  # fmt: skip
    if unknown:
        ax.plot([s[1] for s in unknown], [s[2] for s in unknown], "s", color="white", label="not "
                "measured: its floor", markeredgecolor=GREY, markeredgewidth=1.2)  # fmt: skip
    everyone = [*measured, *unknown]
    _label(ax, [(x, y, str(number[i.work.key])) for i, x, y in everyone])


def time_roofline(p: Pictures) -> str:
    """Microseconds per run against bytes per run: the floor is bytes ÷ read rate, and the toll."""
    gbps, toll = p.chip.rate("read_gbps"), p.chip.rate("toll_us")
    assert gbps is not None
    title = "Time of one run over the bytes it must read"
    with drawing("timeroof", title, 4.8) as c:
        ax = c.axes
        sizes = [i.work.bytes for i in p.items if i.work.bytes] or [1024]
        none, right = min(sizes) / 12, max(sizes) * 3
        steps = [none * 2.5 * (right / none / 2.5) ** (k / 60) for k in range(61)]
        said = f"bytes ÷ {gbps:,.4g} GB/s" + (f", or the toll, {toll:.3g} µs" if toll else "")
        ax.plot(steps, [roof_us(s, gbps, toll) for s in steps], color=BLACK, label=said)
        measured = [(i, i.work.bytes or none, i.us) for i in p.items if i.us]
        unknown = [
            (i, i.work.bytes or none, roof_us(i.work.bytes, gbps, toll))
            for i in p.items
            if not i.us and (i.work.bytes or toll)
        ]
        values = [y for _, _, y in (*measured, *unknown)] or [1.0]
        ax.set(xscale="log", yscale="log", xlim=(none / 2.5, right))
        ax.set_ylim(min(values) / 2, max(values) * 3)
        ax.set(xlabel="bytes that one run must read", ylabel="µs for one run")
        ticks = [10.0**k for k in range(math.ceil(math.log10(none * 2)), 13) if 10.0**k < right]
        ax.set_xticks([none, *ticks[::-2][::-1]], ["none", *map(_bytes, ticks[::-2][::-1])])
        ax.minorticks_off()
        _plain_ticks(ax.yaxis)
        _spots(ax, measured, unknown, numbered(p))
        _legend_below(ax)
    return c.svg


def roof_us(size: float, gbps: float, toll: float | None) -> float:
    """Least time of one run."""
    return max(size / gbps / 1e3, toll or 0.0)


def _bytes(n: float) -> str:
    for unit, name in ((1e9, "GB"), (1e6, "MB"), (1e3, "kB")):
        if n >= unit:
            return f"{n / unit:.0f} {name}"
    return f"{n:.0f} B"


# ---- one token ---------------------------------------------------------------------------------


def waterfall(p: Pictures) -> str:
    """Floor, what each part loses against it, what is left, and the token as it was measured."""
    floor, kernels = p.floor_us, p.kernels_us
    assert floor is not None and kernels is not None
    parts = [(i, i.token_us - i.times * (i.floor_us or 0.0)) for i in p.in_token]
    parts.sort(key=lambda part: -part[1])
    token = p.token
    bars: list[tuple[str, float, float, str]] = [("floor: bytes ÷ read rate", 0.0, floor, "floor")]
    at = floor
    number = numbered(p)
    for i, loss in parts[:TOP]:
        bars.append((f"{number[i.work.key]} {_op(i)}", at, loss, "loss"))
        at += loss
    rest = sum(loss for _, loss in parts[TOP:])
    if parts[TOP:]:
        bars.append((f"{len(parts) - TOP} more", at, rest, "loss"))
    bars.append(("sum of kernels", 0.0, kernels, "sum"))
    if token is not None:
        other = f"difference to the\nkernels at {p.kernels_at} positions"
        left = "gaps between them" if p.near_kernels(token) else other
        bars.append((left, kernels, token.us - kernels, "gap"))
        bars.append((f"measured, position {token.position}", 0.0, token.us, "token"))
    looks = {
        "floor": (BLACK, ""), "loss": (ORANGE, "///"), "sum": (SKY, ""),
        "gap": (PURPLE, "..."), "token": (BLUE, ""),
    }  # fmt: skip
    with drawing("waterfall", "One token: floor, losses, the rest", 0.9 + 0.34 * len(bars)) as c:
        ax = c.axes
        for y, (_, start, size, kind) in enumerate(bars):
            colour, hatch = looks[kind]
            ax.barh(y, size / 1e3, left=start / 1e3, color=colour, hatch=hatch, height=0.66,
                    edgecolor=BLACK, linewidth=0.5)  # fmt: skip
            end = max(start, start + size) / 1e3
            sign = "+" if kind in ("loss", "gap") and size >= 0 else ""
            ax.annotate(sign + time_text(size), (end, y), xytext=(4, 0), va="center", fontsize=11,
                        textcoords="offset points", bbox=BACK)  # fmt: skip
        _rows(ax, [b[0] for b in bars])
        ax.set(xlabel="ms per token")
        ax.margins(x=0.17)
    return c.svg


def _op(i: Item) -> str:
    words = short(i.work.key).split("/")
    name = words[0] if len(words[0]) < 22 else words[0][:20] + "…"
    return f"{name} × {i.times}"


def _rows(ax: Any, names: Sequence[str]) -> None:
    """Bars from the top down with their names."""
    ax.set_yticks(range(len(names)), names)
    ax.set_ylim(len(names) - 0.4, -0.6)
    ax.grid(visible=False, axis="y")
    ax.tick_params(axis="y", length=0)


def peers(rows: Sequence[tuple[str, float | None]]) -> str:
    """Milliseconds per token of engines; what nobody measured has its name and no bar."""
    with drawing("peers", "Milliseconds per token of whole engines", 0.9 + 0.36 * len(rows)) as c:
        ax = c.axes
        for y, (name, us) in enumerate(rows):
            if us is None:
                ax.annotate("not measured", (0, y), xytext=(4, 0), va="center", fontsize=11,
                            textcoords="offset points", color=GREY, style="italic",
                            bbox=BACK)  # fmt: skip
                continue
            mine = name == "this plan" or name.startswith("sum of its")
            ax.barh(y, us / 1e3, color=BLUE if mine else GREY, hatch="" if mine else "//",
                    edgecolor=BLACK, linewidth=0.5, height=0.66)  # fmt: skip
            said = f"{us / 1e3:.4g} ms, {1e6 / us:,.4g} tok/s"
            ax.annotate(said, (us / 1e3, y), xytext=(4, 0), va="center", fontsize=11,
                        textcoords="offset points", bbox=BACK)  # fmt: skip
        _rows(ax, [name for name, _ in rows])
        known = [us for _, us in rows if us]
        ax.set_xlim(0, max([*known, 1.0]) / 1e3 * 1.8)
        ax.set(xlabel="ms per token")
    return c.svg


# ---- the search --------------------------------------------------------------------------------


def counts(name: str, title: str, rows: Sequence[tuple[str, int, str]], unit: str) -> str:
    """Horizontal bars of counts on a logarithmic axis; the third of each row names its kind."""
    looks = {"": (BLUE, ""), "illegal": (VERMILION, ""), "pruned": (SKY, "///")}
    with drawing(name, title, 0.9 + 0.34 * len(rows)) as c:
        ax = c.axes
        seen = set()
        for y, (_, n, kind) in enumerate(rows):
            colour, hatch = looks[kind]
            label = kind if kind and kind not in seen else None
            seen.add(kind)
            ax.barh(y, n, color=colour, hatch=hatch, edgecolor=BLACK, linewidth=0.5, label=label,
                    height=0.66, left=0.5)  # fmt: skip
            ax.annotate(f"{n:,}", (0.5 + n, y), xytext=(4, 0), va="center", fontsize=11,
                        textcoords="offset points", bbox=BACK)  # fmt: skip
        _rows(ax, [r[0] for r in rows])
        most = max([n for _, n, _ in rows] + [1])
        ax.set(xscale="log", xlim=(0.5, most * 6), xlabel=unit)
        if seen - {""}:
            ax.legend(loc="lower right")
    return c.svg


def scatter(p: Pictures) -> str:
    """Predicted against measured microseconds; on the line the prediction was right."""
    looks = {
        "kept": (BLUE, "o", "kept, raced"),
        "pruned": (ORANGE, "^", "pruned, raced by an audit"),
        "compared": (GREEN, "D", "ledger row, predicted again"),
    }
    with drawing("scatter", "Predicted against measured time", 5.4) as c:
        ax = c.axes
        for kind, (colour, marker, name) in looks.items():
            some = [d for d in p.dots if d.kind == kind]
            if some:
                ax.plot([d.measured_us for d in some], [d.predicted_us for d in some], marker,
                        color=colour, label=f"{name} ({len(some)})", markersize=5.5,
                        markeredgecolor=BLACK, markeredgewidth=0.4, alpha=0.85)  # fmt: skip
        across, upright = [d.measured_us for d in p.dots], [d.predicted_us for d in p.dots]
        ends = [min(across + upright) / 2, max(across + upright) * 2]
        ax.plot(ends, ends, color=BLACK, linewidth=1, label="predicted right")
        for factor, name in ((2.0, "within a factor of two"), (0.5, "_")):
            ax.plot(ends, [e * factor for e in ends], ":", color=GREY, linewidth=1, label=name)
        ax.set(xscale="log", yscale="log")
        ax.set_xlim(min(across) / 1.6, max(across) * 1.6)
        ax.set_ylim(min(upright) / 1.6, max(upright) * 1.6)
        _plain_ticks(ax.xaxis)
        _plain_ticks(ax.yaxis)
        ax.set(xlabel="measured µs", ylabel="predicted µs")
        _legend_below(ax)
    return c.svg


# ---- over contexts and time --------------------------------------------------------------------


def contexts(p: Pictures) -> str:
    """Tokens per second against positions in the cache."""
    from matplotlib.ticker import LogLocator

    with drawing("contexts", "Tokens per second over context", 3.9) as c:
        ax = c.axes
        values: list[float] = []
        if p.limits:
            at, most = zip(*p.limits, strict=True)
            ax.plot(at, most, color=BLACK, label="limit: read rate ÷ bytes")
            values += most
        names = dict.fromkeys(t.who for t in p.tokens)
        for (colour, marker), name in zip(SERIES * 3, names, strict=False):
            mine = sorted((t.position, 1e6 / t.us) for t in p.tokens if t.who == name)
            x, y = [max(a, 1) for a, _ in mine], [b for _, b in mine]
            ax.plot(x, y, marker + "-", color=colour, label=name, markeredgecolor=BLACK,
                    markeredgewidth=0.5)  # fmt: skip
            values += y
        if p.kernels_us:
            speed = 1e6 / p.kernels_us
            ax.plot([p.context / 2], [speed], "*", color=BLUE, markersize=13, label="sum of "
                    "kernels, no gaps", markeredgecolor=BLACK, markeredgewidth=0.5)  # fmt: skip
            values.append(speed)
        ax.set(xscale="log", yscale="log", xlabel="positions in the KV cache", ylabel="tok/s")
        ax.set_xscale("log", base=2)
        ax.xaxis.set_major_locator(LogLocator(base=2, numticks=7))
        _plain_ticks(ax.xaxis)
        _plain_ticks(ax.yaxis)
        ax.set_ylim(min(values) / 1.6, max(values) * 1.6)
        _legend_below(ax)
    return c.svg


def _plain_ticks(axis: Any) -> None:
    from matplotlib.ticker import FuncFormatter, LogLocator, NullFormatter

    axis.set_major_formatter(FuncFormatter(lambda v, _: f"{v:,.0f}" if v >= 1 else f"{v:.4g}"))
    low, high = axis.get_view_interval()
    if axis.get_transform().base == 10:
        axis.set_major_locator(LogLocator(subs=(1.0, 2.0, 5.0) if high < 500 * low else (1.0,)))
    axis.set_minor_formatter(NullFormatter())


def history(n: int, work: str, events: Sequence[Event]) -> str:
    """Microseconds of a work item in the order in which the ledger learned them."""
    routes = list(dict.fromkeys(e.what.split(" ")[0] for e in events if e.us))
    with drawing(f"history{n}", f"History of {short(work)}", 2.9 + 0.24 * len(routes)) as c:
        ax = c.axes
        for route, (colour, marker) in zip(routes, SERIES * len(routes), strict=False):
            mine = [(at, e.us) for at, e in enumerate(events, 1)
                    if e.us and e.what.split(" ")[0] == route]  # fmt: skip
            ax.plot(*zip(*mine, strict=True), marker, color=colour, markeredgecolor=BLACK,
                    markeredgewidth=0.5, label=route)  # fmt: skip
        old = [(at, e.incumbent_us) for at, e in enumerate(events, 1) if e.incumbent_us]
        if old:
            ax.plot(*zip(*old, strict=True), "s", markeredgecolor=GREY, markerfacecolor="white",
                    label="compared with")  # fmt: skip
        for at, e in enumerate(events, 1):
            if e.decided:
                ax.axvline(at, color=PURPLE, linestyle="--", linewidth=1)
                ax.annotate(e.verdict, (at, 0.98), xycoords=("data", "axes fraction"), bbox=BACK,
                            xytext=(-3, 0), textcoords="offset points", fontsize=10.5, rotation=90,
                            va="top", ha="right")  # fmt: skip
        ax.set_title(_cut(short(work), 46), fontsize=11, loc="left")
        ax.set(yscale="log", ylabel="µs for one run", xlim=(0.4, max(len(events), 3) + 0.6))
        values = [v for e in events for v in (e.us, e.incumbent_us) if v]
        if values:
            ax.set_ylim(min(values) / 2, max(values) * 2)
        _plain_ticks(ax.yaxis)
        ticks = [(at, day) for at, day in enumerate(_days([e.date[:10] for e in events]), 1) if day]
        ax.set_xticks([at for at, _ in ticks], [day for _, day in ticks])
        _legend_below(ax)
    return c.svg


def _cut(text: str, most: int) -> str:
    return text if len(text) <= most else text[: most - 1] + "…"


def _days(dates: Sequence[str]) -> list[str]:
    """Each day once, where it begins; not two closer than a third of the axis."""
    apart, last = max(1, len(dates) // 3), -len(dates)
    out = []
    for n, day in enumerate(dates):
        new = (n == 0 or dates[n - 1] != day) and n - last >= apart
        last = n if new else last
        out.append(day if new else "")
    return out
