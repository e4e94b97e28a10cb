"""Audit: the loss is that of the best kept candidate, and a bad model is seen to be bad."""

from __future__ import annotations

import pytest
from known_shapes import DOWN

from boltbeam.audit import audit
from boltbeam.futuresight import Prediction
from boltbeam.types import BoltbeamError, Candidate, Geometry


def case(
    predicted: list[float], measured: list[float | None]
) -> tuple[list[tuple[Candidate, Prediction]], dict[str, float]]:
    made = [
        Candidate(work=DOWN, route="gemv_rows_f32", geometry=Geometry.of(rows=i + 1))
        for i in range(len(predicted))
    ]
    times = {c.key: t for c, t in zip(made, measured, strict=True) if t is not None}
    return [(c, Prediction(p, {})) for c, p in zip(made, predicted, strict=True)], times


def test_a_good_model_loses_nothing() -> None:
    done = audit(*case([1.0, 2.0, 3.0, 4.0], [10.0, 20.0, 30.0, 40.0]), margin=9, at_most=1)
    assert (done.legal, done.timed, done.share, done.lost) == (4, 1, 0.25, 0.0)
    assert done.rank_correlation == pytest.approx(1.0)
    assert done.best_rank == 1


def test_a_bad_model_is_seen() -> None:
    done = audit(*case([4.0, 3.0, 2.0, 1.0], [10.0, 20.0, 30.0, 40.0]), margin=9, at_most=1)
    assert done.lost == pytest.approx(3.0)
    assert (done.best_rank, done.best_us) == (4, 10.0)
    assert done.rank_correlation == pytest.approx(-1.0)
    assert done.by_share[-1][1] == pytest.approx(3.0)


def test_failures_count_neither_way() -> None:
    done = audit(*case([1.0, 2.0, 3.0], [None, 20.0, 30.0]), margin=9, at_most=1)
    assert (done.legal, done.lost) == (2, 0.0)


def test_nothing_to_compare() -> None:
    with pytest.raises(BoltbeamError, match="fewer than two"):
        audit(*case([1.0], [5.0]), margin=2, at_most=1)
