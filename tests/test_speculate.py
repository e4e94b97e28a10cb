"""The arithmetic of a speculative cycle, the essay's campaign, what a user types."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from cli_cases import Done, refused
from hypothesis import given
from hypothesis import strategies as st

from boltbeam.predict import speculate
from boltbeam.predict.speculate import CHECKED, Costs, ceiling, kept
from boltbeam.types import BoltbeamError

Cli = Callable[..., Done]
Make = Callable[..., Path]
PLAIN_US, CHECK_US = 43_000.0, 363_000.0
ESSAY = Costs(plain_us=PLAIN_US, check_us=dict.fromkeys(CHECKED, CHECK_US), source="the essay")
"""Its multiply works in blocks of 64: checking two tokens costs what checking 64 does."""
ACCEPT, NEED, BAR = 0.405, 0.5, 1.5


def costs(*check: float, plain: float = 1.0) -> Costs:
    return Costs(plain_us=plain, check_us=dict(zip(CHECKED, check, strict=False)), source="test")


# ---- the cycle ---------------------------------------------------------------------------------


def test_tokens_kept() -> None:
    assert kept(1, (0.9,)) == 1
    assert kept(2, (0.5,)) == 1.5
    assert kept(4, (0.5,)) == 1 + 0.5 + 0.25 + 0.125
    assert kept(4, (0.8, 0.5)) == pytest.approx(1 + 0.8 + 0.4 + 0.2)
    assert (kept(64, (1.0,)), kept(64, (0.0,))) == (64, 1)


def test_the_gain_is_tokens_over_plain_steps() -> None:
    found = ceiling(costs(1.5, 2.0), 0.25, (0.5,))
    assert [c.gain for c in found.cycles] == [1.5 / 1.75, 1.875 / 2.75]
    assert [c.granted for c in found.cycles] == [1.5 / 1.25, 1.875 / 1.75]
    assert found.best.m == 2 and found.ships is None


def test_the_essays_campaign_closes() -> None:
    """Check 363 ms for 2 to 64 tokens, step 43 ms, 0.405 accepted against a need of 0.5."""
    found = ceiling(ESSAY, 0.0, (ACCEPT,), BAR)
    assert found.costs.check_us[2] == found.costs.check_us[64]
    assert found.best.gain == pytest.approx(1 / (1 - ACCEPT) * PLAIN_US / CHECK_US)
    assert found.best.gain < 0.2 and found.ships is False
    assert kept(64, (NEED,)) == pytest.approx(2.0)  # about two tokens a cycle, three were wanted
    assert found.accept_needed == pytest.approx(0.925, abs=0.01)
    assert found.check_needed_us == pytest.approx(1 / (1 - ACCEPT) * PLAIN_US / BAR)


@pytest.mark.parametrize(("draft", "least", "most"), [(0.05, 1.40, 1.45), (0.27, 1.10, 1.11)])
def test_with_every_fix_granted_it_stays_below_the_bar(
    draft: float, least: float, most: float
) -> None:
    """The essay's 1.1 to 1.45: the check as cheap as a step, a draft 5 to 27 % of one."""
    found = ceiling(ESSAY, draft * PLAIN_US, (ACCEPT,), BAR)
    assert least <= found.granted <= most < BAR


def test_a_cheap_check_ships() -> None:
    found = ceiling(costs(1.05, 1.1, 1.2), 0.05, (0.8,), 1.5)
    assert found.ships and "Ship" in speculate.notes(found)[-1]
    assert speculate.verdict(found) == "ship"


@given(st.floats(0, 1), st.floats(0, 1), st.floats(0.01, 100), st.floats(0, 10))
def test_more_accepted_is_never_worse(a: float, b: float, check: float, draft: float) -> None:
    low, high = sorted((a, b))
    c = costs(check, check)
    assert speculate.best_gain(c, draft, (low,)) <= speculate.best_gain(c, draft, (high,)) + 1e-12


@given(st.floats(0.05, 0.95), st.floats(0.2, 3), st.floats(0, 0.5), st.floats(0.5, 3))
def test_what_is_needed_reaches_the_bar(
    accept: float, check: float, draft: float, bar: float
) -> None:
    c = costs(check, check * 1.5, check * 2)
    found = ceiling(c, draft, (accept,), bar)
    if found.accept_needed is None:
        assert speculate.best_gain(c, draft, (1.0,)) < bar
    else:
        assert speculate.best_gain(c, draft, (found.accept_needed,)) >= bar * (1 - 1e-3)
    if (us := found.check_needed_us) is not None:
        cheap = costs(us, us, us)
        assert speculate.best_gain(cheap, draft, (accept,)) == pytest.approx(bar)


# ---- what is typed -----------------------------------------------------------------------------


def test_typed_costs() -> None:
    found = speculate.typed("1=43000,64=363000,2=363000")
    assert (found.plain_us, found.check_us) == (43000, {64: 363000, 2: 363000})
    assert found.source.startswith("typed")


@pytest.mark.parametrize(
    "text", ["", "2=5", "1=5", "1=5,2", "1=5,2=x", "1=5,2=0", "1=0,2=5", "1=5,2=inf", "1=5,0=2"]
)
def test_typed_costs_that_are_none(text: str) -> None:
    with pytest.raises(BoltbeamError, match="write m=µs pairs"):
        speculate.typed(text)


def test_a_cost_typed_twice() -> None:
    with pytest.raises(BoltbeamError, match="2 stands twice"):
        speculate.typed("1=5,2=5,2=6")


@pytest.mark.parametrize("text", ["", "x", "1.5", "-0.1", "0.5,", "nan"])
def test_chances_that_are_none(text: str) -> None:
    with pytest.raises(BoltbeamError, match="chances from 0 to 1"):
        speculate.chances(text)


# ---- the command -------------------------------------------------------------------------------

TYPED = ("--check-cost", "1=43000,2=363000,64=363000")


def test_typed_costs_need_no_device(cli: Cli, tiny: Make) -> None:
    args = ("speculate", "--model", tiny(), "--chip", "m4", "--draft-cost", "0")
    done = cli(*args, "--accept", "0.405", *TYPED, "--format", "json")
    assert done.code == 0, done.err
    found = json.loads(done.out)
    assert found["source"].startswith("typed") and found["verdict"] is None
    assert found["ceiling_at_m"] == 64
    closed = cli(*args, "--accept", "0.405", *TYPED, "--bar", "1.5")
    refused(closed, 1, "close", "1.5")
    assert "Close: below the bar of 1.5" in closed.out and "typed by the user" in closed.out
    refused(cli(*args, "--accept", "2", *TYPED), 2, "--accept 2")
    refused(cli(*args, "--accept", "0.4", "--bar", "nan", *TYPED), 2, "--bar")
    refused(cli(*args, "--accept", "0.4", "--check-cost", "2=1"), 2, "--check-cost")
