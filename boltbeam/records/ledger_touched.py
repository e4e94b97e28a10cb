"""What was done to ledger files that stood already: which line, and which of its fields.

Takes a ledger folder and git revisions, gives problems with file and line. Never writes.
"""

from __future__ import annotations

import difflib
import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from boltbeam.records.ledger_review import parting, text_at

LINES_MAX = 5
"""Lines of one file that are told one by one; the rest is counted."""
FIELDS_MAX = 4
"""Fields of one line that are told."""
LONG = 40
"""Characters of a value that are shown."""
ADVICE = "ledger files are only added, restore it from git"


@dataclass(frozen=True)
class Problem:
    """Something that is not as it must be, and where."""

    file: str
    line: int
    """0: the file as a whole."""
    code: str
    message: str

    def __str__(self) -> str:
        return f"{self.file}{f':{self.line}' if self.line else ''}: {self.code}: {self.message}"


def touched(
    folder: Path, base: str, head: str | None, changed: Sequence[tuple[str, str]]
) -> list[Problem]:
    """Every existing ledger file that is not what it was where `base` and `head` parted.

    `changed` is what `ledger_review.changes` found. BoltbeamError: no git, no such revision.
    """
    found: list[Problem] = []
    for change, name in changed:
        if change == "added":
            continue
        was = text_at(folder, name, parting(folder, base, head)).splitlines()
        if change == "removed":
            held = f"removed since {base}, it held {_what(was)}; {ADVICE}"
            found.append(Problem(name, 0, "touched", held))
            continue
        told = list(_lines(was, text_at(folder, name, head).splitlines()))
        for at, said in told[:LINES_MAX] or [(0, "changed, but for no line of text")]:
            found.append(Problem(name, at, "touched", f"{said} since {base}; {ADVICE}"))
        if len(told) > LINES_MAX:
            more = f"{len(told) - LINES_MAX} more lines changed since {base}; {ADVICE}"
            found.append(Problem(name, 0, "touched", more))
    return found


def _lines(was: list[str], now: list[str]) -> Iterator[tuple[int, str]]:
    """(line as it is now, what was done to it)."""
    match = difflib.SequenceMatcher(None, was, now, autojunk=False)
    for how, a, a_end, b, b_end in match.get_opcodes():
        if how == "equal":
            continue
        for i in range(max(a_end - a, b_end - b)):
            old, new = a + i < a_end, b + i < b_end
            at = min(b + i, b_end - 1 if b_end > b else b, len(now) - 1) + 1
            if old and new:
                yield at, _fields(was[a + i], now[b + i])
            else:
                line = was[a + i] if old else now[b + i]
                yield max(at, 1), f"{_what([line])} {'removed' if old else 'inserted'}"


def _fields(was: str, now: str) -> str:
    """`verdict slower -> faster, id … -> …`: what differs between two lines."""
    a, b = _parsed(was), _parsed(now)
    names = [n for n in dict.fromkeys((*a, *b)) if a.get(n) != b.get(n)]
    if not names:
        return f"{_what([was])} rewritten"
    said = [f"{n} {_short(a.get(n))} -> {_short(b.get(n))}" for n in names[:FIELDS_MAX]]
    more = f", {len(names) - FIELDS_MAX} more fields" if len(names) > FIELDS_MAX else ""
    return f"{_what([was])} edited: {', '.join(said)}{more}"


def _what(lines: list[str]) -> str:
    """`kernel 0123456789ab` of one line; of several, how many of which kind."""
    parsed = [_parsed(x) for x in lines]
    if len(parsed) == 1:
        return f"{parsed[0].get('kind', 'line')} {parsed[0].get('id', '')}".strip()
    kinds = [str(p.get("kind", "line")) for p in parsed]
    return ", ".join(f"{kinds.count(k)} {k}" for k in sorted(set(kinds)))


def _parsed(line: str) -> dict[str, Any]:
    try:
        found = json.loads(line)
    except ValueError:
        return {}
    return found if isinstance(found, dict) else {}


def _short(value: Any) -> str:
    text = "nothing" if value is None else json.dumps(value, ensure_ascii=False).strip('"')
    return text if len(text) <= LONG else text[: LONG - 1] + "…"
