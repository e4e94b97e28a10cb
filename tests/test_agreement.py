"""The verdict on tokens: ties, divergences, and answers that only look right."""

from __future__ import annotations

import numpy as np
import pytest

from boltbeam.token.agreement import GateResult, Reply, Trace, judge, kl


def trace(steps: int = 64, seed: int = 0) -> Trace:
    """A reference over 20 tokens whose choice is ahead by 1.0 at each step."""
    rng = np.random.default_rng(seed)
    logits = rng.uniform(0, 1, (steps, 20)).astype(np.float32)
    best = rng.integers(0, 20, steps)
    logits[np.arange(steps), best] = logits.max(axis=1) + 1
    return Trace((1, 2), tuple(int(b) for b in best), logits)


def swapped(t: Trace, steps: list[int], gap: float) -> tuple[Trace, Reply]:
    """At `steps` the reference leads by `gap` only, and the candidate takes the second."""
    assert t.logits is not None
    ours, theirs = t.logits.copy(), t.logits.copy()
    for s in steps:
        other = (t.ids[s] + 1) % 20
        theirs[s, other] = theirs[s, t.ids[s]] - gap
        ours[s, other], ours[s, t.ids[s]] = theirs[s, t.ids[s]], theirs[s, other]
    return Trace(t.prompt, t.ids, theirs), Reply(ours, ())


def verdict(t: Trace, reply: Reply, numerics: str = "exact") -> GateResult:
    return judge([t], [reply], numerics)


def test_same_logits_are_identical() -> None:
    t = trace()
    assert t.logits is not None
    result = verdict(t, Reply(t.logits, t.ids))
    assert (result.verdict, result.kl, result.logit_error) == ("identical", 0.0, 0.0)
    assert result.ok and result.positions == 64


def test_a_hair_is_a_tie_and_is_printed() -> None:
    result = verdict(*swapped(trace(), [5, 9], 0.02))
    assert result.verdict == "tie-break"
    assert [m.position for m in result.mismatches] == [7, 11]
    assert "0.02 at 7" in result.line()


@pytest.mark.parametrize(
    ("steps", "gap", "numerics", "why"),
    [
        ([5], 0.06, "exact", "gaps above 0.05"),
        ([5], 0.6, "q8_activations", "gaps above 0.5"),
        ([1, 2, 3, 4], 0.001, "exact", "4 mismatches, allowed 3"),
    ],
)
def test_more_than_a_tie_is_diverged(steps: list[int], gap: float, numerics: str, why: str) -> None:
    result = verdict(*swapped(trace(), steps, gap), numerics)
    assert not result.ok and why in result.reason


def test_q8_may_break_wider_ties() -> None:
    assert verdict(*swapped(trace(), [5], 0.4), "q8_activations").verdict == "tie-break"


def test_ties_are_counted_per_prompt() -> None:
    many, few = swapped(trace(), [1, 2, 3, 4], 0.01), swapped(trace(seed=1), [], 0.01)
    result = judge([many[0], few[0]], [many[1], few[1]])
    assert not result.ok and result.positions == 128


def test_nan_is_diverged() -> None:
    t = trace()
    assert t.logits is not None
    bad = t.logits.copy()
    bad[3, 3] = np.nan
    assert "not finite" in verdict(t, Reply(bad, ())).reason


def test_equal_choices_with_other_logits_are_diverged() -> None:
    t = trace()
    assert t.logits is not None
    result = verdict(t, Reply(t.logits * 1.2, ()))
    assert not result.mismatches and "logits differ" in result.reason


def test_an_argmax_kernel_that_picks_another_token_is_caught() -> None:
    t = trace()
    assert t.logits is not None
    free = (*t.ids[:10], (t.ids[10] + 1) % 20, *t.ids[11:])
    assert "free-running token 10" in verdict(t, Reply(t.logits, free)).reason


def test_a_free_run_may_leave_at_a_tie() -> None:
    t, reply = swapped(trace(), [10], 0.01)
    free = (*t.ids[:10], (t.ids[10] + 1) % 20, *(0,) * 53)
    assert verdict(t, Reply(reply.logits, free)).verdict == "tie-break"


def test_recorded_gaps_stand_in_for_logits() -> None:
    t = trace(8)
    assert t.logits is not None
    recorded = Trace(t.prompt, t.ids, gaps=(1.0, 0.01, *(1.0,) * 6))
    other = t.logits.copy()
    other[1, (t.ids[1] + 1) % 20] = 9
    result = judge([recorded], [Reply(other, ())])
    assert (result.verdict, result.kl) == ("tie-break", None)


def test_the_prompt_is_no_part_of_the_answer() -> None:
    t = trace(8)
    assert t.logits is not None
    longer = np.concatenate([np.zeros((1, 20), np.float32), t.logits])
    assert verdict(t, Reply(longer, ())).verdict == "identical"


def test_kl_of_known_distributions() -> None:
    p, q = np.array([[0.5, 0.5]]), np.array([[0.9, 0.1]])
    want = 0.5 * np.log(0.5 / 0.9) + 0.5 * np.log(0.5 / 0.1)
    assert kl(np.log(p), np.log(q) + 3) == pytest.approx(want)
