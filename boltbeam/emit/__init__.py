"""Emitters: one file per family, found through the literal table in `emitters()`.

Takes a work item, a route and a geometry, gives launches. Never runs or compiles anything.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from boltbeam.emit.core import Launch, Target
from boltbeam.types import Geometry, Route, WorkItem

Emitter = Callable[[WorkItem, Route, Geometry, Target], tuple[Launch, ...]]


def emitters() -> dict[tuple[str, str], Emitter]:
    """(form, family) -> the function that emits its launches."""
    from boltbeam.emit import (
        lanes_attention,
        lanes_chain,
        lanes_gemv,
        lanes_misc,
        lanes_norm,
        lanes_rope,
        lanes_solo,
        lanes_stream,
        rows_chain,
    )

    return {
        ("rows", "gemv"): rows_chain.emit,
        ("rows", "norm"): rows_chain.emit,
        ("rows", "rope"): rows_chain.emit,
        ("rows", "attention"): rows_chain.emit,
        ("rows", "embed"): rows_chain.emit,
        ("rows", "argmax"): rows_chain.emit,
        ("rows", "chain"): rows_chain.emit,
        ("lanes", "gemv"): lanes_gemv.emit,
        ("lanes", "norm"): lanes_norm.emit,
        ("lanes", "rope"): lanes_rope.emit,
        ("lanes", "attention"): lanes_attention.emit,
        ("lanes", "stream"): lanes_stream.emit,
        ("lanes", "solo"): lanes_solo.emit,
        ("lanes", "embed"): lanes_misc.emit_embed,
        ("lanes", "argmax"): lanes_misc.emit_argmax,
        ("lanes", "chain"): lanes_chain.emit,
    }


_EMITTED: dict[tuple[Any, ...], tuple[Launch, ...]] = {}


def launches(
    work: WorkItem, route: Route, geometry: Geometry, target: Target
) -> tuple[Launch, ...]:
    """The launches of one candidate, in order; the same values for the same candidate.

    Raises ValueError for a geometry that is not legal on this work item, KeyError for a family that
    has no emitter in the route's form.
    """
    facts = (target.shuffle, target.dot4, target.dependent, target.chip.get("half"))
    key = (work.model_dump_json(), route.id, str(geometry), target.device, *facts)
    if key not in _EMITTED:
        from boltbeam.emit.dependent import dependent

        emit = emitters()[route.form, route.family]
        made = emit(work, route, geometry, target)
        _EMITTED[key] = tuple(map(dependent, made)) if target.dependent else made
    return _EMITTED[key]
