"""Verdicts that others published: which speak of a route, and which of a work item on a chip.

Takes registry/priors.toml, gives priors. A prior warns and lets a search begin elsewhere, on its
own chip; it never prunes, promotes or refutes, and says nothing about another chip.
"""

from __future__ import annotations

import textwrap
from collections.abc import Iterable, Sequence

from boltbeam import registry
from boltbeam.registry import Prior
from boltbeam.types import Route

WIDTH = 80


def of_route(r: Route) -> list[Prior]:
    """Those about ops and formats of a route, on whatever chip."""
    return [p for p in registry.priors() if any(_speaks(p, op, r.formats) for op in r.ops)]


def on_chip(chip: str, op: str, formats: Sequence[str]) -> list[Prior]:
    """Those found on this very chip about a span of ops with tables of these formats."""
    return [p for p in registry.priors() if p.chip == chip and _speaks(p, op, formats)]


def discouraged(chip: str, op: str, formats: Sequence[str]) -> bool:
    """All that is known of such work on this chip was refuted: a search looks at it last."""
    known = on_chip(chip, op, formats)
    return bool(known) and all(p.verdict == "refuted" for p in known)


def _speaks(p: Prior, op: str, formats: Sequence[str]) -> bool:
    """`norm+qkv` is within `norm+qkv+rope_store`, and `norm` within both."""
    inside = any(f"+{span}+" in f"+{op}+" for span in p.ops)
    return inside and (not p.formats or bool(set(p.formats) & set(formats)))


def warnings(chip: str, works: Iterable[str]) -> list[str]:
    """One line per prior of this chip about one of these work keys."""
    found: dict[str, Prior] = {}
    for key in works:
        words = key.split("/")
        formats = [f for word in words[2:] for f in word.split("+")]
        found |= {p.title: p for p in on_chip(chip, "".join(words[1:2]), formats)}
    return [f"public prior on this chip: {said(p)}" for p in found.values()]


def said(p: Prior) -> str:
    """`refuted: split-K for k and v on amd-…: flat … [source]`."""
    number = "" if p.number is None else f" ({p.number:g} {p.unit})"
    model = f", {p.model}" if p.model else ""
    line = f"{p.verdict}: {p.title} on {p.chip}{model}{number}: {p.reason}"
    line += f"; contradicted by {p.contradicted_by}" if p.contradicted_by else ""
    return f"{line} [{p.source}]"


def paragraph(p: Prior) -> str:
    """As a list item of 80 columns."""
    return textwrap.fill(f"* {said(p)}", WIDTH, subsequent_indent="  ")
