"""Data to stdout, all else to stderr: tables as md, json or jsonl, microseconds and bytes readable.

Takes rows of plain values, gives text. Never measures or decides.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

Row = Mapping[str, Any]


def say(text: str = "") -> None:
    """A line for the person at the terminal (stderr)."""
    print(text, file=sys.stderr, flush=True)


def cell(value: Any) -> str:
    """One table cell: four significant digits, `–` for unknown."""
    if value is None:
        return "–"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float):
        return f"{value:,.0f}" if abs(value) >= 10000 else f"{value:.4g}"
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
    widths = [max(len(n), *(len(b[i]) for b in body)) for i, n in enumerate(names)]
    right = [all(_numeric(r.get(n)) for r in rows) for n in names]
    line = "| {} |".format
    head = line(" | ".join(n.ljust(w) for n, w in zip(names, widths, strict=True)))
    rule = line(" | ".join("-" * (w - r) + ":" * r for w, r in zip(widths, right, strict=True)))
    out = [head, rule]
    for b in body:
        cells = (c.rjust(w) if r else c.ljust(w) for c, w, r in zip(b, widths, right, strict=True))
        out.append(line(" | ".join(cells)).rstrip())
    return "\n".join(out)


def _numeric(value: Any) -> bool:
    return value is None or (isinstance(value, (int, float)) and not isinstance(value, bool))


def table(rows: Iterable[Row], fmt: str = "md", title: str = "", notes: Sequence[str] = ()) -> None:
    """Print rows: Markdown with title and notes, or bare data for programs."""
    rows = list(rows)
    if fmt == "json":
        print(json.dumps([dict(r) for r in rows], default=str, indent=1))
    elif fmt == "jsonl":
        for r in rows:
            print(json.dumps(dict(r), default=str))
    else:
        if title:
            print(f"## {title}\n")
        print(markdown(rows))
        for note in notes:
            print(f"\n{note}")
    sys.stdout.flush()


def record(data: Row, fmt: str = "md", title: str = "") -> None:
    """Print one record: `key: value` lines, or one JSON object."""
    if fmt in ("json", "jsonl"):
        print(json.dumps(dict(data), default=str, indent=1 if fmt == "json" else None))
    else:
        if title:
            print(f"## {title}\n")
        width = max((len(k) for k in data), default=0)
        for k, v in data.items():
            print(f"{k.ljust(width)}  {cell(v)}")
    sys.stdout.flush()
