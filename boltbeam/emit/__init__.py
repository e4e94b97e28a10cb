"""Emitters: one file per family, found through the literal table in `emitters()`.

Takes a work item, a route and a geometry, gives launches. Never runs or compiles anything.
"""

from __future__ import annotations

from collections.abc import Callable

from boltbeam.emit.core import Launch, Target
from boltbeam.types import Geometry, Route, WorkItem

Emitter = Callable[[WorkItem, Route, Geometry, Target], tuple[Launch, ...]]


def emitters() -> dict[tuple[str, str], Emitter]:
    """(form, family) -> the function that emits its launches."""
    from boltbeam.emit import rows_chain

    return {
        ("rows", "gemv"): rows_chain.emit,
        ("rows", "norm"): rows_chain.emit,
        ("rows", "rope"): rows_chain.emit,
        ("rows", "attention"): rows_chain.emit,
        ("rows", "embed"): rows_chain.emit,
        ("rows", "argmax"): rows_chain.emit,
        ("rows", "chain"): rows_chain.emit,
    }


_EMITTED: dict[tuple[str, str, str, str], tuple[Launch, ...]] = {}


def launches(
    work: WorkItem, route: Route, geometry: Geometry, target: Target
) -> tuple[Launch, ...]:
    """The launches of one candidate, in order; the same values for the same candidate.

    Raises ValueError for a geometry that is not legal on this work item, KeyError for a family that
    has no emitter in the route's form.
    """
    key = (work.model_dump_json(), route.id, str(geometry), target.device)
    if key not in _EMITTED:
        emit = emitters()[route.form, route.family]
        _EMITTED[key] = emit(work, route, geometry, target)
    return _EMITTED[key]
