"""The lanes emitters on CL (PoCL): every op, format and interface against float64."""

from __future__ import annotations

import itertools
from typing import Any

import lanes_bench as bench
import numpy as np
import pytest

from boltbeam.emit import (
    lanes_attention,
    lanes_gemv,
    lanes_misc,
    lanes_norm,
    lanes_rope,
)
from boltbeam.types import BoltbeamError, Geometry, Table

FORMATS = ("Q4_0", "Q4_1", "Q5_0", "Q5_1", "Q8_0", "Q4_K", "Q5_K", "Q6_K", "F16", "BF16", "F32")
QUANTISED = FORMATS[:8]
INTERFACES = ("f32", "q8")


def cols_for(fmt: str) -> int:
    return 512 if fmt.endswith("_K") else 576


def check(emit: Any, work: Any, route: Any, geometry: str, **fill: Any) -> dict[str, Any]:
    """Runs a candidate on CL and holds every output against float64."""
    launches = emit(work, route, Geometry.parse(geometry), bench.target())
    arrays = bench.arrays_for(work, launches, np.random.default_rng(1), **fill)
    with np.errstate(all="ignore"):
        outs = bench.execute(launches, arrays)
        ratios = bench.worst(work, outs, arrays)
    assert ratios and max(ratios.values()) <= 1, ratios
    return outs


@pytest.mark.cl
@pytest.mark.parametrize(
    ("fmt", "takes"),
    [(f, i) for f, i in itertools.product(FORMATS, INTERFACES) if i == "f32" or f in QUANTISED],
)
def test_residual_gemv_in_every_format(fmt: str, takes: str) -> None:
    table = Table(role="ffn_down", rows=24, cols=cols_for(fmt), format=fmt)
    work = bench.work_item("down", (table,), d_model=24)
    route = bench.route(work, takes=takes)
    check(lanes_gemv.emit, work, route, "lanes=8 groups=4 rows=2 words=4 unroll=1 split=1")
    check(
        lanes_gemv.emit,
        work,
        route,
        "lanes=16 groups=1 rows=3 words=1 unroll=2 split=2",
        extreme=True,
    )
