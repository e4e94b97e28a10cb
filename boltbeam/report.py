"""Data to stdout, all else to stderr: tables as md, json, jsonl or csv, readable numbers.

Takes rows of plain values, gives text. Never measures or decides.
"""

from __future__ import annotations

import csv
import json
import math
import sys
from collections.abc import Iterable, Mapping, Sequence
from itertools import chain
from typing import Any

from boltbeam.types import BoltbeamError

Row = Mapping[str, Any]


def say(text: str = "") -> None:
    """A line for the person at the terminal (stderr)."""
    print(text, file=sys.stderr, flush=True)


def count(n: int, noun: str) -> str:
    """`1 token`, `2 tokens`."""
    return f"{n:,} {noun}{'' if n == 1 else 's'}"


def as_json(value: Any, indent: int | None = None) -> str:
    """JSON that every program reads: what is no number, or none that ends, is null."""
    return json.dumps(_finite(value), default=str, indent=indent, allow_nan=False)


def _finite(value: Any) -> Any:
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, Mapping):
        return {k: _finite(v) for k, v in value.items()}
    return [_finite(v) for v in value] if isinstance(value, (list, tuple)) else value


def cell(value: Any) -> str:
    """One table cell: four significant digits, `–` for unknown."""
    if value is None:
        return "–"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float):
        return f"{value:,.0f}" if 1e4 <= abs(value) < 1e15 else f"{value:.4g}"
    if isinstance(value, int):
        return f"{value:,}"
    if isinstance(value, (list, tuple, set, frozenset)):
        return ", ".join(str(v) for v in value)
    return str(value)


def _md_cell(value: Any) -> str:
    return cell(value).replace("|", "\\|").replace("\n", " ")


def markdown(rows: Sequence[Row]) -> str:
    """A Markdown table, columns padded so that it reads in a terminal; numbers to the right."""
    if not rows:
        return "(nothing)"
    names = list(rows[0])
    body = [[_md_cell(r.get(n)) for n in names] for r in rows]
    widths = [max(2, len(n), *(len(b[i]) for b in body)) for i, n in enumerate(names)]
    right = [all(_numeric(r.get(n)) for r in rows) for n in names]
    line = "| {} |".format
    head = line(" | ".join(n.ljust(w) for n, w in zip(names, widths, strict=True)))
    rule = line(" | ".join("-" * (w - r) + ":" * r for w, r in zip(widths, right, strict=True)))
    out = [head, rule]
    for b in body:
        cells = (c.rjust(w) if r else c.ljust(w) for c, w, r in zip(b, widths, right, strict=True))
        out.append(line(" | ".join(cells)).rstrip())
    return "\n".join(out)


def between(text: str, begin: str, end: str, block: str) -> str:
    """A page in which the block stands between its two marks, in place of what stood there."""
    if text.count(begin) != 1 or text.count(end) != 1 or text.index(end) < text.index(begin):
        raise BoltbeamError(f"the page needs the marks {begin} and {end}, once each, in this order")
    before, rest = text.split(begin)
    return f"{before}{begin}\n\n{block}\n\n{end}{rest.split(end)[1]}"


CUT = 40
"""Characters of a cell that `cut` leaves, the ellipsis included."""


def cut(rows: Iterable[Row], names: Sequence[str]) -> tuple[list[Row], list[str]]:
    """The rows with long cells of these columns shortened, and a line of the whole cells for each.

    The number in front of the line is that of the row.
    """
    short: list[Row] = []
    whole = []
    for number, row in enumerate(rows, 1):
        long = [n for n in names if len(cell(row.get(n))) > CUT]
        short.append({**row, **{n: cell(row[n])[: CUT - 1] + "…" for n in long}})
        if long:
            whole.append(f"{number}. " + ": ".join(cell(row[n]) for n in names if row.get(n)))
    return short, whole


def _numeric(value: Any) -> bool:
    return value is None or (isinstance(value, (int, float)) and not isinstance(value, bool))


def table(
    rows: Iterable[Row],
    fmt: str = "md",
    title: str = "",
    notes: Sequence[str] = (),
    long: Sequence[str] = (),
    columns: Sequence[str] = (),
) -> None:
    """Print rows: Markdown with title and notes, or bare data for programs.

    Cells of the columns `long` are shortened in Markdown, and stand whole in a list below.
    `columns` are the names of a CSV without rows. JSONL and CSV are written as the rows come.
    """
    if fmt == "json":
        print(as_json([dict(r) for r in rows], indent=1))
    elif fmt == "jsonl":
        for r in rows:
            print(as_json(dict(r)))
    elif fmt == "csv":
        lines, rows = csv.writer(sys.stdout, lineterminator="\n"), iter(rows)
        first = next(rows, None)
        lines.writerow(columns if first is None else first)
        lines.writerows(r.values() for r in chain([first] if first else [], rows))
    else:
        if title:
            print(f"## {title}\n")
        rows, whole = cut(rows, long)
        print(markdown(rows))
        if whole:
            print("\nRows in full, by their place in the table:\n")
            print("\n".join(whole))
        for note in notes:
            print(f"\n{note}")
    sys.stdout.flush()


def record(data: Row, fmt: str = "md") -> None:
    """Print one record: `key: value` lines, or one JSON object."""
    if fmt in ("json", "jsonl"):
        print(as_json(dict(data), indent=1 if fmt == "json" else None))
    else:
        width = max((len(k) for k in data), default=0)
        for k, v in data.items():
            print(f"{k.ljust(width)}  {cell(v)}")
    sys.stdout.flush()
