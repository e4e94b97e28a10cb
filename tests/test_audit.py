"""Audit: the loss is that of the best kept candidate, and a bad filter is seen to be bad."""

from __future__ import annotations

import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from boltbeam.predict.audit import audit, rank_correlation, regret
from boltbeam.records.entries import Audit
from boltbeam.types import BoltbeamError, Outcome, Verdict

SLOW = Outcome(verdict=Verdict.pruned, reason="predicted-slow", number=1.7, limit=1.3)
Times = dict[str, float]


def case(predicted: list[float], measured: list[float | None]) -> tuple[Times, Times]:
    """Predicted and measured times of candidates a, b, c, …; None: it failed."""
    names = "abcdefghijklmnopqrstuvwxyz"[: len(predicted)]
    times = {n: t for n, t in zip(names, measured, strict=True) if t is not None}
    return dict(zip(names, predicted, strict=True)), times


def judged(predicted: list[float], measured: list[float | None], kept: str) -> Audit:
    expected, times = case(predicted, measured)
    pruned = {n: SLOW for n in expected if n not in kept}
    return audit(times, kept, expected, pruned, legal=len(expected), everything=True)


def test_a_good_filter_loses_nothing() -> None:
    done = judged([1.0, 2.0, 3.0, 4.0], [10.0, 20.0, 30.0, 40.0], "a")
    assert (done.distinct, done.kept, done.kept_share, done.sampled) == (4, 1, 0.25, 3)
    assert (done.regret, done.best_us, done.best_rank, done.worst) == (0.0, 10.0, 1, "")
    assert done.rank_correlation == pytest.approx(1.0)


def test_a_bad_filter_is_seen_with_reason_and_number() -> None:
    done = judged([4.0, 3.0, 2.0, 1.0], [10.0, 20.0, 30.0, 40.0], "d")
    assert done.regret == pytest.approx(3.0)
    assert (done.best_us, done.best_rank, done.worst) == (10.0, 4, "a")
    assert (done.worst_reason, done.worst_number, done.worst_limit) == ("predicted-slow", 1.7, 1.3)
    assert done.rank_correlation == pytest.approx(-1.0)


def test_failures_count_neither_way() -> None:
    done = judged([1.0, 2.0, 3.0], [None, 20.0, 30.0], "ab")
    assert (done.distinct, done.kept, done.regret) == (2, 1, 0.0)


def test_nothing_to_compare() -> None:
    for measured, kept in (([5.0], "a"), ([5.0, 6.0], "")):
        with pytest.raises(BoltbeamError, match="fewer than two"):
            judged([1.0] * len(measured), list(measured), kept)


def test_unpredicted_candidates_have_no_rank() -> None:
    done = audit({"a": 1.0, "b": 2.0}, "a", {}, {"b": SLOW}, legal=2, everything=True)
    assert (done.rank_correlation, done.best_rank, done.regret) == (None, None, 0.0)


many = st.lists(st.tuples(st.floats(1, 1e6), st.floats(1, 1e6)), min_size=2, max_size=20)


@settings(deadline=None)
@given(many, st.integers(1, 20))
def test_regret_falls_as_more_are_kept(pairs: list[tuple[float, float]], n: int) -> None:
    predicted, measured = [p for p, _ in pairs], [m for _, m in pairs]
    names = list(case(predicted, list(measured))[0])
    few, more = names[: min(n, len(names))], names[: n + 1]
    a = judged(predicted, list(measured), "".join(few))
    b = judged(predicted, list(measured), "".join(more))
    assert 0 <= b.regret <= a.regret
    assert judged(predicted, list(measured), "".join(names)).regret == 0
    assert (a.worst == "") == (a.regret == 0 or measured.index(min(measured)) < len(few))


def test_rank_correlation() -> None:
    assert rank_correlation([1, 2, 3], [10, 20, 30]) == pytest.approx(1.0)
    assert rank_correlation([1, 2, 3], [3, 2, 1]) == pytest.approx(-1.0)
    assert rank_correlation([1, 1, 1], [3, 2, 1]) == 0.0
    with pytest.raises(ValueError, match="two or more"):
        rank_correlation([1], [1])


@settings(deadline=None)
@given(st.lists(st.integers(0, 5), min_size=3, max_size=12))
def test_rank_correlation_like_scipy(values: list[int]) -> None:
    stats = pytest.importorskip("scipy.stats")
    other = [(v * 7 + i) % 5 for i, v in enumerate(values)]
    if len(set(values)) > 1 and len(set(other)) > 1:
        expected = stats.spearmanr(values, other).statistic
        assert rank_correlation(values, other) == pytest.approx(expected)


def test_regret() -> None:
    assert regret([10.3, 12.0], [10.0, 10.3, 12.0]) == pytest.approx(0.03)
    assert regret([], [10.0]) == math.inf
