"""Is a new line one that stands in the ledger already, or its measurement under another name?

Takes the new lines and all lines of a ledger, gives problems. Never takes two quiet rows for one:
times that hardly differ from block to block are alike by themselves.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from boltbeam.records.ledger import Stored
from boltbeam.records.ledger_touched import Problem

TURNS_MIN = 4
"""Turns of an engine by which it is known again."""
ROUNDING = 1.2e-3
"""Times that were multiplied and rounded to four digits again are apart by less, relatively."""
VALUES_MIN = 3
"""An A/A list of fewer different values is that of a coarse clock, and no mark of its row."""


def duplicates(new: Sequence[Stored], stored: Sequence[Stored]) -> Iterator[Problem]:
    """New lines that stand elsewhere too: whole, with another id, date or seed, or in other units.

    `stored` holds the new lines too.
    """
    count, fresh = Counter(s.id for s in stored), {id(s) for s in new}
    marks = [_marks(s) for s in new]
    asked = {m for ms in marks for m in ms}
    old = [s for s in stored if id(s) not in fresh] if asked else []
    first: dict[tuple[str, ...], str] = {}
    for s in old:
        for m in _marks(s):
            if m in asked:
                first.setdefault(m, s.id)
    multiples = dict(_multiples(new, old)) | dict(_turns_again(new, old))
    for s, mine in zip(new, marks, strict=True):
        same = [(m[0], i) for m in mine if (i := first.setdefault(m, s.id)) != s.id]
        if count[s.id] > 1:
            yield Problem(s.file, s.line, "duplicate", f"id {s.id} stands elsewhere too")
        elif same or s.id in multiples:
            said = "its {} are those of row {}".format(*same[0]) if same else multiples[s.id]
            yield Problem(s.file, s.line, "duplicate", f"{said}: a copy is no measurement")


def _marks(s: Stored) -> list[tuple[str, ...]]:
    """What no two measurements have alike, as the text has it, each behind its name."""
    found = [("blocks", *s.blocks)] if s.blocks else []
    found += [("turns", *s.turns)] if s.turns else []
    if len(set(s.aa_pairs.split(", "))) >= VALUES_MIN:
        found.append(("A/A pairs", s.aa_pairs))
    return found


def _multiples(new: Sequence[Stored], old: Sequence[Stored]) -> Iterator[tuple[str, str]]:
    """Id of a new line -> the row whose times, all multiplied by one factor, are its own."""
    groups: dict[int, tuple[list[str], list[list[float]]]] = {}
    sizes = {len(_times(s)) for s in new} - {0}
    for s in (*old, *new) if sizes else ():
        if len(times := _times(s)) in sizes:
            ids, rows = groups.setdefault(len(times), ([], []))
            ids.append(s.id)
            rows.append(times)
    known = {s.id for s in new}
    for ids, rows in groups.values():
        logs = np.log(rows)
        shapes = logs - logs.mean(axis=1, keepdims=True)
        halves = logs.reshape(len(ids), 2, -1)
        off = np.abs(halves - np.median(halves, axis=2, keepdims=True))
        loud = np.median(off, axis=(1, 2)) > ROUNDING
        for i in (i for i, name in enumerate(ids) if name in known and loud[i]):
            near = np.flatnonzero(np.abs(shapes[:i, 0] - shapes[i, 0]) <= ROUNDING)
            far = np.abs(shapes[near] - shapes[i]).max(axis=1)
            if len(near) and far.min() <= ROUNDING:
                j = near[far.argmin()]
                factor = np.exp((logs[i] - logs[j]).mean())
                yield ids[i], f"its times are {factor:.4g} times those of row {ids[j]}"


def _turns_again(new: Sequence[Stored], old: Sequence[Stored]) -> Iterator[tuple[str, str]]:
    """Id of a new bench -> the bench of which one engine's turns, in any unit or back to front, are
    an engine's of its own."""
    if not any(s.turns for s in new):
        return
    seen: list[tuple[str, NDArray[np.float64]]] = [(s.id, t) for s in old for t in _engines(s)]
    for s in new:
        for turns in _engines(s):
            shape = turns - turns.mean()
            for name, other in seen:
                if name == s.id or len(other) != len(turns):
                    continue
                ways = (other - other.mean(), (other - other.mean())[::-1])
                if min(np.abs(shape - way).max() for way in ways) <= ROUNDING:
                    factor = np.exp(turns.mean() - other.mean())
                    yield s.id, f"an engine's turns are {factor:.4g} times those of bench {name}"
        seen += [(s.id, t) for t in _engines(s)]


def _engines(s: Stored) -> Iterator[NDArray[np.float64]]:
    """Logarithms of each engine's turns, where they differ enough to be known again."""
    for text in s.turns:
        try:
            logs = np.log([float(x) for x in text.split(", ")])
        except ValueError:
            continue
        off = np.abs(logs - np.median(logs))
        known = len(set(logs)) >= TURNS_MIN and np.isfinite(logs).all()
        if known and np.median(off) > ROUNDING:
            yield logs


def _times(s: Stored) -> list[float]:
    """All blocks of the candidate and the incumbent; [] where the text has not as many of both."""
    try:
        a, b = ([float(x) for x in part.split(", ")] for part in s.blocks)
    except ValueError:  # none, or the text is no row
        return []
    return a + b if len(a) == len(b) and all(0 < x < 1e13 for x in a + b) else []
