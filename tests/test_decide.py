"""The decider against synthetic noise, and wrong deciders against the same checks."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from boltbeam import registry
from boltbeam.records.decide import (
    blocks_planned,
    checkpoints,
    decide,
    derived,
    enough,
    interval,
    recorded,
)
from boltbeam.records.intervals import _medians, _resamples, student_t
from boltbeam.types import Measurement, Outcome, Protocol, Verdict

PROTOCOL = Protocol(
    id="test",
    order="ABBA",
    cold="rotate",
    blocks_min=8,
    blocks_max=40,
    noise_band=0.005,
    confidence=0.99,
    batch_us=500,
    stop="adaptive",
)
Decider = Callable[[Measurement, int], Verdict]


def blocks(candidate: np.ndarray, incumbent: np.ndarray, **known: object) -> Measurement:
    base = {
        "protocol": "test",
        "candidate_us": tuple(float(v) for v in candidate),
        "incumbent_us": tuple(float(v) for v in incumbent),
        "aa_spread": 0.004,
        "stop_reason": "",
        "copies": 4,
    }
    return Measurement.model_validate(base | known)


def noise(rng: np.random.Generator, n: int, sd: float, tails: bool) -> np.ndarray:
    draw = rng.standard_t(2, n) if tails else rng.standard_normal(n)
    return np.exp(sd * draw)


def comparison(
    rng: np.random.Generator,
    ratio: float,
    sd: float,
    *,
    n: int = 40,
    tails: bool = False,
    drift: float = 0.0,
) -> Measurement:
    """n blocks with noise sd of the block ratio; `drift` is the growth of both over the run."""
    trend = 100 * np.linspace(1, 1 + drift, n)
    each = sd / np.sqrt(2)
    return blocks(ratio * trend * noise(rng, n, each, tails), trend * noise(rng, n, each, tails))


def first(m: Measurement, n: int) -> Measurement:
    return m.model_copy(
        update={"candidate_us": m.candidate_us[:n], "incumbent_us": m.incumbent_us[:n]}
    )


def ours(m: Measurement, comparisons: int) -> Verdict:
    """The way a search uses it: blocks arrive, `enough` stops, `decide` decides."""
    for n in range(PROTOCOL.blocks_min, PROTOCOL.blocks_max + 1):
        if enough(first(m, n), PROTOCOL, None, comparisons):
            return decide(first(m, n), PROTOCOL, None, comparisons).verdict
    raise AssertionError("never stopped")


# ---- deciders that are wrong, each in a way that tuners are -------------------------------------


def peeking(m: Measurement, comparisons: int) -> Verdict:
    """Looks after every block and stops when three of four blocks so far beat the band."""
    for n in range(5, len(m.ratios) + 1):
        if np.quantile(m.ratios[:n], 0.75) < 1 - 0.005:
            return Verdict.faster
    return Verdict.ambiguous


def fastest_sample(m: Measurement, comparisons: int) -> Verdict:
    return (
        Verdict.faster if min(m.candidate_us) < min(m.incumbent_us) * 0.995 else Verdict.ambiguous
    )


def plain_median(m: Measurement, comparisons: int) -> Verdict:
    return Verdict.faster if np.median(m.ratios) < 0.995 else Verdict.ambiguous


def mean_of_all(m: Measurement, comparisons: int) -> Verdict:
    """Student's interval of the mean time, pooled: no pairs, so drift and tails blind it."""
    c, i = np.array(m.candidate_us), np.array(m.incumbent_us)
    error = np.sqrt(c.var(ddof=1) / len(c) + i.var(ddof=1) / len(i))
    return Verdict.faster if c.mean() + 2.7 * error < 0.995 * i.mean() else Verdict.ambiguous


def never(m: Measurement, comparisons: int) -> Verdict:
    return Verdict.ambiguous


# ---- the two checks ------------------------------------------------------------------------------

CANDIDATES = 12


def false_searches(decider: Decider, sd: float, tails: bool, searches: int = 30) -> float:
    """Share of searches over equal candidates in which one at least is called faster."""
    rng = np.random.default_rng(11)
    wrong = 0
    for _ in range(searches):
        verdicts = [
            decider(comparison(rng, 1.0, sd, tails=tails), CANDIDATES) for _ in range(CANDIDATES)
        ]
        wrong += Verdict.faster in verdicts
    return wrong / searches


def power(decider: Decider, gain: float, sd: float, **kind: object) -> float:
    """Share of true gains that are found, as one of CANDIDATES comparisons."""
    rng = np.random.default_rng(12)
    found = [
        decider(comparison(rng, 1 - gain, sd, **kind), CANDIDATES)  # type: ignore[arg-type]
        for _ in range(200)
    ]
    return found.count(Verdict.faster) / len(found)


@pytest.mark.parametrize(("sd", "tails"), [(0.01, False), (0.04, False), (0.04, True)])
def test_equal_candidates_are_not_called_faster(sd: float, tails: bool) -> None:
    assert false_searches(ours, sd, tails) <= 0.01


@pytest.mark.parametrize("wrong", [peeking, fastest_sample, plain_median])
def test_the_check_catches_deciders_that_believe_noise(wrong: Decider) -> None:
    assert false_searches(wrong, 0.04, False, searches=40) > 0.01


def test_two_percent_is_found_in_one_percent_noise() -> None:
    assert power(ours, 0.02, 0.01) >= 0.9


def test_common_drift_does_not_hide_a_gain() -> None:
    assert power(ours, 0.02, 0.01, drift=0.3) >= 0.9


def test_heavy_tails_do_not_hide_a_larger_gain() -> None:
    assert power(ours, 0.05, 0.01, tails=True) >= 0.9


def test_the_checks_catch_deciders_that_find_nothing() -> None:
    assert power(never, 0.02, 0.01) < 0.9
    assert power(mean_of_all, 0.02, 0.01, drift=0.3) < 0.9


# ---- verdicts and their reasons ------------------------------------------------------------------


def steady(ratio: float, n: int = 12, **known: object) -> Measurement:
    wobble = 1 + 0.001 * np.cos(np.arange(n))
    return blocks(100 * ratio * wobble, np.full(n, 100.0), **known)


def said(m: Measurement, floor_us: float | None = None) -> tuple[Verdict, str]:
    outcome = decide(m, PROTOCOL, floor_us)
    return outcome.verdict, outcome.reason


def test_each_reason_code() -> None:
    rng = np.random.default_rng(3)
    assert said(steady(0.9)) == (Verdict.faster, "clears-band")
    assert said(steady(1.1)) == (Verdict.slower, "clears-band")
    assert said(steady(1.0)) == (Verdict.ambiguous, "within-band")
    assert said(comparison(rng, 0.99, 0.05, n=12)) == (Verdict.ambiguous, "noise")
    assert said(steady(0.9, n=5)) == (Verdict.ambiguous, "few-blocks")
    assert said(steady(0.9, n=1)) == (Verdict.ambiguous, "few-blocks")
    assert said(steady(0.9, n=0)) == (Verdict.ambiguous, "few-blocks")
    assert said(steady(0.9, throttled=True)) == (Verdict.ambiguous, "throttled")
    assert said(steady(0.9), floor_us=95) == (Verdict.impossible, "below-floor")
    assert said(blocks(np.array([0.0] * 9), np.ones(9))) == (Verdict.failed, "bad-time")
    assert said(blocks(np.array([np.nan] * 9), np.ones(9))) == (Verdict.failed, "bad-time")


def test_nine_of_ten_blocks_are_not_enough() -> None:
    """The bootstrap is content, but a fair coin falls like that in more than one of 100."""
    outcome = decide(blocks(np.array([97.0] * 9 + [100.1]), np.full(10, 100.0)), PROTOCOL, None)
    assert (outcome.verdict, outcome.reason) == (Verdict.ambiguous, "sign-count")
    assert (outcome.number, outcome.limit) == (9, 10)


def test_the_number_is_the_edge_that_decided() -> None:
    m = steady(0.9)
    outcome, iv = decide(m, PROTOCOL, None), interval(m, PROTOCOL)
    assert iv is not None and outcome == Outcome(
        verdict=Verdict.faster,
        reason="clears-band",
        number=iv.high,
        limit=0.995,
        detail=outcome.detail,
    )
    assert "12 of 12 blocks faster" in outcome.detail


def test_the_floor_has_two_percent_of_grace() -> None:
    m = steady(0.9)  # about 90 us
    assert said(m, floor_us=91)[0] is Verdict.faster
    assert said(m, floor_us=93)[0] is Verdict.impossible


def test_the_band_is_the_larger_of_protocol_and_aa_spread() -> None:
    assert said(steady(0.98))[0] is Verdict.faster
    assert said(steady(0.98, aa_spread=0.03))[0] is Verdict.ambiguous


def test_more_comparisons_widen_the_interval() -> None:
    m = comparison(np.random.default_rng(5), 0.98, 0.01)
    one, many = interval(m, PROTOCOL, 1), interval(m, PROTOCOL, 500)
    assert one is not None and many is not None
    assert many.low < one.low < one.mid == many.mid < one.high < many.high


def test_same_data_same_verdict_and_rounding_changes_nothing() -> None:
    rng = np.random.default_rng(6)
    for _ in range(30):
        m = comparison(rng, 0.985, 0.01, n=18)
        assert decide(m, PROTOCOL, 50) == decide(m, PROTOCOL, 50)
        assert decide(recorded(m), PROTOCOL, 50) == decide(m, PROTOCOL, 50)


def test_many_at_once_are_what_each_is_alone() -> None:
    """Measurements of several protocols, lengths and shares of the chance, in any order."""
    planned = registry.protocols()["abba-planned-v1"]
    protocols, rng = {p.id: p for p in (PROTOCOL, planned)}, np.random.default_rng(7)
    many = []
    for i in range(40):
        n, protocol = int(rng.choice([1, 2, 8, 9, 13])), (PROTOCOL, planned)[i % 2]
        m = comparison(rng, 0.97, 0.01, n=n)
        aa = tuple(rng.normal(0, 0.1, n)) if protocol.planned and i % 3 else ()
        m = m.model_copy(update={"protocol": protocol.id, "aa_pct": aa})
        many.append((recorded(m), int(rng.choice([1, 5, 48]))))
    for (m, comparisons), found in zip(many, derived(many, protocols), strict=True):
        protocol = protocols[m.protocol]
        assert found.interval == interval(m, protocol, comparisons)
        assert found.planned == blocks_planned(m, protocol, comparisons)
        assert (found.aa_spread is None) == (not protocol.planned or not m.aa_pct)


# ---- stopping ------------------------------------------------------------------------------------


def test_stops_early_when_clear_and_late_when_not() -> None:
    assert enough(steady(0.5, n=7), PROTOCOL) is None
    assert enough(steady(0.5, n=8), PROTOCOL) == "decided: faster"
    assert enough(steady(2.0, n=8), PROTOCOL) == "decided: slower"
    assert enough(steady(1.0, n=12), PROTOCOL) == "decided: within the band"
    noisy = comparison(np.random.default_rng(3), 0.99, 0.2, n=40)
    assert enough(first(noisy, 27), PROTOCOL) is None
    assert enough(noisy, PROTOCOL) == "blocks_max (noise)"


def test_looks_only_at_checkpoints() -> None:
    assert checkpoints(PROTOCOL) == (8, 12, 18, 27, 40)
    assert enough(steady(0.5, n=9), PROTOCOL) is None
    fixed = PROTOCOL.model_copy(update={"blocks_min": 10, "blocks_max": 10})
    assert checkpoints(fixed) == (10,)


def test_a_time_below_the_floor_stops_at_once() -> None:
    assert enough(steady(0.5, n=8), PROTOCOL, floor_us=90) == "decided: impossible"


@pytest.mark.parametrize("n", [2, 3, 5, 8, 41, 300])
def test_the_bootstraps_medians_are_those_of_its_resamples(n: int) -> None:
    ratios = np.random.default_rng(n).normal(1, 0.05, n)
    found = _medians([ratios, 2 * ratios])
    want = np.median(ratios[_resamples(n)], axis=1)
    assert np.allclose(found, [want, 2 * want], rtol=1e-12)


def test_student_quantiles_are_scipys() -> None:
    stats = pytest.importorskip("scipy.stats")
    for df in (1, 2, 5, 8, 39):
        for p in (0.975, 0.9995, 1 - 1e-6):
            assert student_t(p, df) == pytest.approx(stats.t.ppf(p, df), rel=1e-8)
