"""BubbleBeam: can this route, with this geometry, run this work on this chip at all?

Takes a work item, a route and a chip's facts, gives every geometry with None (legal) or an
Outcome that says why not. Never predicts a time, never asks a device.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence

from boltbeam.predict.case import Case
from boltbeam.predict.legal_rules import (
    CHIP_RULES,
    LANES_RULES,
    ROUTE_RULES,
    ROWS_RULES,
    RULES,
    Rule,
)
from boltbeam.types import ChipFacts, Geometry, Outcome, Route, WorkItem


def route_legal(work: WorkItem, route: Route, chip: ChipFacts) -> Outcome | None:
    """None where the route may do this work on this chip with some geometry; else why not."""
    return first_broken(ROUTE_RULES, Case(work, route, chip))


def chip_legal(route: Route, chip: ChipFacts) -> Outcome | None:
    """None where the route may run on this chip with some work; else why with none at all."""
    return first_broken(CHIP_RULES, Case(_NO_WORK, route, chip))


_NO_WORK = WorkItem(
    op="norm",
    d_model=0,
    heads=0,
    kv_heads=0,
    head_dim=0,
    rope_dim=0,
    norm_eps=0,
    vocab=0,
    context=0,
)


def geometry_legal(
    work: WorkItem, route: Route, geometry: Geometry, chip: ChipFacts
) -> Outcome | None:
    """None where this geometry of a legal route is legal; else the first rule it breaks."""
    return first_broken(rules_of(route), Case(work, route, chip, geometry))


def candidates(
    work: WorkItem, route: Route, chip: ChipFacts
) -> Iterator[tuple[Geometry, Outcome | None]]:
    """Every geometry of the route, with None where it is legal. None at all for an illegal route.

    Order: the axes by name, values ascending, so that runs and prints agree.
    """
    if route_legal(work, route, chip) is not None:
        return
    names, rules, case = sorted(route.axes), rules_of(route), Case(work, route, chip)
    for values in itertools.product(*(route.axes[n] for n in names)):
        geometry = Geometry(axes=tuple(zip(names, values, strict=True)))
        yield geometry, first_broken(rules, case.at(geometry))


def first_broken(rules: Sequence[Rule], case: Case) -> Outcome | None:
    """What the first rule says that a case breaks; None: it breaks none."""
    for rule in rules:
        broken = rule(case)
        if broken is not None:
            return broken
    return None


def rules_of(route: Route) -> tuple[Rule, ...]:
    """The geometry rules of a route: those of its form, then the ones it names."""
    form = LANES_RULES if route.form == "lanes" else ROWS_RULES
    return (*form, *(RULES[name] for name in route.rules))
