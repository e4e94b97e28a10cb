"""What the ledger says is worth racing again."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from review_cases import kernel, token
from review_cases import plan as plan_of
from test_ledger import CHIP, WORK, layers

from boltbeam.records import ledger, standing
from boltbeam.records.entries import Funnel, Racer
from boltbeam.records.record import Environment, funnel_row


def test_what_is_worth_racing_again(tmp_path: Path) -> None:
    """The fastest of each interface pair and numerics, of comparisons and races, and plans."""
    exact, int8 = "gemv_lanes_f32", "gemv_lanes_q8"
    face: dict[str, Any] = {"takes": "f32", "gives": "f32"}
    fast = kernel(0.5, route=exact, geometry="lanes=8", **face)
    slow = kernel(0.9, route=exact, **face)
    promoted = kernel(0.95, route=exact, geometry="lanes=4", **face)
    whole = token(0.5, "stock")
    raced = [(int8, "lanes=2", 22.0), (exact, "lanes=32", 1e6), ("gone", "lanes=1", 21.0)]
    race = tuple(Racer(route=r, geometry=g, us=us, **face) for r, g, us in raced)
    funnel = funnel_row(WORK.key, "down", 30, Funnel(legal=3, race=race), Environment(CHIP))
    ledger.write_file(tmp_path, [fast, slow, promoted, whole, funnel])
    found = standing.fastest(layers(tmp_path), CHIP)
    assert found == {WORK.key: {(exact, fast.geometry), (int8, "lanes=2")}}
    ledger.write_file(tmp_path, [plan_of([promoted], whole)])
    more = standing.fastest(layers(tmp_path), CHIP)
    assert more[WORK.key] == {*found[WORK.key], (exact, promoted.geometry)}
    assert standing.fastest(layers(tmp_path), "another-chip") == {}
