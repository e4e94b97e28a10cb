"""What the ledger says is worth racing again."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from review_cases import kernel, token
from review_cases import plan as plan_of
from test_ledger import CHIP, WORK, layers

from boltbeam.records import ledger, standing
from boltbeam.records.entries import Funnel, LedgerRow, Racer
from boltbeam.records.record import Environment, funnel_row
from boltbeam.types import Verdict


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


def test_times_that_cannot_be_true_are_not_the_fastest(tmp_path: Path) -> None:
    """Impossible, throttled, or below the floor: none of them keeps a slower one from a race."""
    route = "gemv_lanes_f32"

    def fast(lanes: int, us: float, **changes: Any) -> LedgerRow:
        times: dict[str, Any] = {
            "candidate_us": (us,) * 12,
            "geometry": f"lanes={lanes}",
            "route": route,
        }
        return kernel(0.6, **times, **changes)

    slow = kernel(0.7, route=route)
    found = {WORK.key: frozenset({(route, slow.geometry)})}
    odd = [
        fast(8, 15.0, verdict=Verdict.impossible, timing="impossible", reason="below-floor"),
        fast(32, 21.0, verdict=Verdict.ambiguous, timing="ambiguous", throttled=True),
        fast(64, 19.5),
    ]
    for i, r in enumerate(odd):
        one = layers(tmp_path / str(i))
        one.write([slow, r])
        assert standing.fastest(one, CHIP) == found
    racers = tuple(
        Racer(route=route, geometry=f"lanes={n}", takes="f32", gives="f32", us=us)
        for n, us in ((8, 15.0), (4, 20.0))
    )
    funnel = funnel_row(WORK.key, WORK.op, 3, Funnel(legal=2, race=racers), Environment(CHIP))
    layers(tmp_path).write([funnel, *odd, slow])
    assert standing.fastest(layers(tmp_path), CHIP) == {WORK.key: frozenset({(route, "lanes=4")})}
