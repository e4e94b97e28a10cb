"""Sweeps end at a plateau and say so; the steps of a curve are found where they are."""

from __future__ import annotations

import numpy as np
import pytest

from boltbeam.chip.sweeps import climb, grow, levels
from boltbeam.types import Point


def near(n: int) -> list[int]:
    return [m for m in (n - 1, n + 1) if 0 <= m <= 20]


def test_a_climb_ends_where_no_neighbour_gains() -> None:
    asked: list[int] = []

    def rate(n: int) -> Point:
        asked.append(n)
        return Point(at=str(n), value=100 - abs(n - 7))

    sweep = climb([3], near, rate, 30)
    assert sweep is not None and sweep.best == 7 and sweep.stop.startswith("plateau")
    assert [p.at for p in sweep.points] == [str(n) for n in asked] == list("3245678")
    short = climb([3], near, rate, 4)
    assert short is not None and short.best == 5 and "4 points before a plateau" in short.stop


def test_a_climb_goes_around_what_cannot_be_measured() -> None:
    sweep = climb([1, 5], near, lambda n: None if n < 5 else Point(at=str(n), value=10), 30)
    assert sweep is not None and sweep.best == 5 and len(sweep.points) == 2
    assert climb([1], near, lambda _n: None, 30) is None


def test_growing_sets_stop_when_the_rate_is_flat() -> None:
    rates = {1: 50.0, 2: 80.0, 4: 95.0, 8: 95.5, 16: 200.0}
    sweep = grow(list(rates), lambda n: Point(at=str(n), value=rates[n]))
    assert sweep is not None and (sweep.best, len(sweep.points)) == (8, 4)
    assert "plateau" in sweep.stop and "+0.5%" in sweep.stop
    steep = grow([1, 2], lambda n: Point(at=str(n), value=rates[n]))
    assert steep is not None and steep.stop == "no larger set fits"
    assert grow([1], lambda _n: None) is None


def curve(noise: float, seed: int) -> tuple[list[float], list[float]]:
    """Caches of 48 kB, 1 MB and 32 MB, sizes half an octave apart."""
    rng = np.random.default_rng(seed)
    sizes = [8192 * 2 ** (i / 2) for i in range(29)]
    true = [500 if s < 48e3 else 190 if s < 1e6 else 100 if s < 32e6 else 38 for s in sizes]
    return sizes, [float(t * np.exp(noise * rng.standard_normal())) for t in true]


@pytest.mark.parametrize("noise", [0.0, 0.02, 0.05])
def test_the_steps_of_a_curve_are_found(noise: float) -> None:
    for seed in range(10):
        found = levels(*curve(noise, seed))
        assert [round(x.rate, -1) for x in found] == pytest.approx([500, 190, 100, 40], rel=0.1)
        assert [x.high for x in found][:3] == pytest.approx([46341, 741455, 23726566], rel=0.01)
        assert sum(x.points for x in found) == 29


def test_a_flat_curve_has_one_level_and_a_short_one_none() -> None:
    rng = np.random.default_rng(0)
    rates = [float(100 * np.exp(0.05 * rng.standard_normal())) for _ in range(20)]
    (only,) = levels([2.0**i for i in range(20)], rates)
    assert only.rate == pytest.approx(100, rel=0.05) and only.points == 20
    assert levels([1.0, 2.0], [5.0, 5.0]) == ()


def test_the_way_between_two_levels_is_no_level() -> None:
    rates = [100.0] * 6 + [70.0, 45.0, 30.0] + [20.0] * 6
    found = levels([2.0**i for i in range(15)], rates)
    assert [round(x.rate) for x in found] == [100, 20]
