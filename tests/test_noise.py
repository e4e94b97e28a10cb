"""Whole searches on synthetic noise: how often they believe it, and what they miss.

`tests/noise.py` decides thousands of comparisons at once; the first tests here show that it comes
to what `decide` says block by block, and that `timing` runs the same protocol on a simulated clock.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

import noise
import numpy as np
import pytest
from noise import MACHINES, Machine
from test_ledger import ENV, PROVED, ROUTE, WORK

from boltbeam import registry
from boltbeam.measure import clocks, timing
from boltbeam.measure.timing import Deployed
from boltbeam.models import plan
from boltbeam.models.gguf_model import read
from boltbeam.records import decide, ledger, ledger_check, red_flags
from boltbeam.records.entries import LedgerRow
from boltbeam.records.ledger import sealed
from boltbeam.records.record import kernel_row
from boltbeam.search import search
from boltbeam.search.search_items import EFFORTS
from boltbeam.types import OPS, Candidate, ChipFacts, Geometry, Measurement, Verdict

QUICK = registry.protocols()[EFFORTS["quick"].protocol]
CHIP = ChipFacts(id="cpu-simulated", name="a clock of random numbers", device="CPU")
FALSE_MAX, POWER_MIN = 0.01, 0.9
VERDICTS = {-1: Verdict.slower, 0: Verdict.ambiguous, 1: Verdict.faster}


@pytest.fixture(scope="module")
def items(outline: Callable[..., Path]) -> int:
    """Work items of a real token, fused spans among them: a search compares no more at first."""
    facts = read(outline("smollm2-135m"))
    spans = dict.fromkeys(
        op for r in registry.routes().values() if r.kind == "search" for op in r.ops
    )
    _, found = plan.occurrences(facts, 512, spans)
    assert len(found) > len(OPS)
    return len(found)


# ---- the simulation is the product's own ---------------------------------------------------------


def step_by_step(c: list[float], i: list[float], again: list[float], shared: int) -> Measurement:
    """Blocks arrive one by one and `enough` stops them, as in `timing.compare`."""
    for n in range(1, QUICK.blocks_max + 1):
        rows = (np.array(x[:n]) for x in (c, i, again))
        m = noise.measurement(*rows, QUICK)
        if decide.enough(m, QUICK, None, shared):
            return m
    raise AssertionError("never stopped")


@pytest.mark.parametrize("name", ["white 1 %", "heavy tails (t2) 1 %"])
def test_arrays_decide_as_blocks_do(name: str) -> None:
    rng, shared = np.random.default_rng(1), search.shares(0, 24)
    for gain in (0.0, 0.02, 0.3):
        c, i, again = noise.blocks(MACHINES[name], rng, 12, QUICK.blocks_max, 1 - gain)
        found = noise.decided(c, i, again, QUICK, shared)
        for row, (verdict, n) in enumerate(zip(found.verdict, found.n, strict=True)):
            m = step_by_step(list(c[row]), list(i[row]), list(again[row]), shared)
            assert len(m.ratios) == n
            assert decide.decide(m, QUICK, None, shared).verdict is VERDICTS[int(verdict)]


def clock(machine: Machine, rng: np.random.Generator, us: float) -> Iterator[float]:
    """Times of an engine's batches, one after the other."""
    while True:
        yield from us * np.exp(machine.own(rng, 1, 64)[0])


def engine(machine: Machine, rng: np.random.Generator, us: float) -> Deployed:
    """What `timing` can time, on a simulated clock."""
    times = clock(machine, rng, us)

    class Simulated(Deployed):
        def batch_us(self, replays: int) -> float:
            return next(times)

    return Simulated(replay=lambda: None, device="CPU", works=1, copies=1, rotated_bytes=0)


def simulated_search(
    machine: Machine, rng: np.random.Generator, items: int, gain: float = 0.0
) -> list[Verdict]:
    """Race five entrants of every work item, compare the winner with the incumbent."""
    verdicts, shared = [], search.shares(0, items)
    stop = partial(decide.enough, protocol=QUICK, comparisons=shared)
    for _ in range(items):
        entrants = [engine(machine, rng, 100 * (1 - gain)) for _ in range(5)]
        winner = timing.race(entrants, CHIP, 1500.0)[0].index
        blocks = timing.compare(
            entrants[winner], engine(machine, rng, 100.0), QUICK, stop, CHIP,
            twin=engine(machine, rng, 100.0),
        )  # fmt: skip
        verdicts.append(decide.decide(blocks, QUICK, None, shared).verdict)
    return verdicts


@pytest.fixture
def at_once(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """A simulated clock needs no warm-up, and the machine's state is not asked."""
    monkeypatch.setattr(timing, "WARM_UP_US", 0.0)
    monkeypatch.setattr(timing, "WARM_UP_MOST_US", 0.0)
    monkeypatch.setattr(clocks, "state", lambda _: clocks.UNKNOWN)
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))


@pytest.mark.usefixtures("at_once")
def test_races_and_comparisons_on_a_simulated_clock(items: int) -> None:
    """The whole way of a search, with the winner's curse: the race picks whoever was lucky."""
    rng, machine = np.random.default_rng(2), MACHINES["white 4 %"]
    for _ in range(2):
        assert Verdict.faster not in simulated_search(machine, rng, items)
    better = simulated_search(MACHINES["white 1 %"], rng, items, gain=0.02)
    assert better.count(Verdict.faster) >= POWER_MIN * items - 1


# ---- whole searches ------------------------------------------------------------------------------


@pytest.mark.parametrize("name", MACHINES)
def test_equal_candidates_are_called_faster_in_one_search_of_a_hundred_at_most(
    name: str, items: int
) -> None:
    rng = np.random.default_rng(3)
    assert noise.false_searches(MACHINES[name], rng, QUICK, items, 800) <= FALSE_MAX


@pytest.mark.parametrize(
    "name",
    ["white 1 %", "drift to ±30 %, white 1 %", "wandering 5 %, rho 0.98, white 1 %"],
)
def test_two_percent_is_found_in_one_percent_noise(name: str, items: int) -> None:
    found, _ = noise.power(MACHINES[name], np.random.default_rng(4), QUICK, items, 0.02, 1000)
    assert found >= POWER_MIN


@pytest.mark.parametrize("name", [n for n in MACHINES if "4 %" in n or "tails" in n or "+ 50" in n])
def test_larger_noise_hides_no_larger_gain(name: str, items: int) -> None:
    found, _ = noise.power(MACHINES[name], np.random.default_rng(5), QUICK, items, 0.05, 500)
    assert found >= POWER_MIN


def test_wrong_protocols_do_not_pass(items: int) -> None:
    """Each comparison as sure as if it were the only one, and no A/A pairs; or only a pilot."""
    rng, runs = np.random.default_rng(6), 200
    alone = QUICK.model_copy(update={"confidence": 1 - 0.05 * 2 * items})
    c, i, again = noise.blocks(MACHINES["white 4 %"], rng, runs * items, QUICK.blocks_max)
    shared = search.shares(0, items)
    found = noise.decided(c, i, np.ones_like(again), alone, shared).verdict.reshape(runs, items)
    assert (found == 1).any(axis=1).mean() > FALSE_MAX
    blind = QUICK.model_copy(update={"blocks_max": QUICK.blocks_min})
    power, _ = noise.power(MACHINES["white 1 %"], rng, blind, items, 0.02, 500)
    assert power < POWER_MIN


# ---- the plan ------------------------------------------------------------------------------------


def pilot(sd: float, seed: int = 7) -> Measurement:
    machine = Machine(noise.calm, noise.white(sd))
    c, i, again = noise.blocks(machine, np.random.default_rng(seed), 1, QUICK.blocks_min)
    return noise.measurement(c[0], i[0], again[0], QUICK)


def test_more_noise_plans_more_blocks() -> None:
    planned = [decide.blocks_planned(pilot(sd), QUICK, 48) for sd in (0.001, 0.006, 0.01, 0.05)]
    assert planned == sorted(planned) and planned[0] == QUICK.blocks_min
    assert planned[-1] == QUICK.blocks_max and len(set(planned)) == 4


def test_more_comparisons_plan_more_blocks() -> None:
    few, many = (decide.errors_bearable(QUICK, n) for n in (2, 2000))
    assert all(a[0] == b[0] and a[1] > b[1] for a, b in zip(few, many, strict=True))


def test_no_plan_without_a_whole_pilot_or_from_the_candidates_place() -> None:
    m = pilot(0.01)
    short = m.model_copy(update={"aa_pct": m.aa_pct[:-1]})
    assert decide.blocks_planned(short, QUICK) is None
    old = registry.protocols()["abba-v1"]
    assert decide.blocks_planned(m, old) is None
    faster = m.model_copy(update={"candidate_us": tuple(0.5 * c for c in m.candidate_us)})
    assert decide.pilot_error(faster, QUICK) == pytest.approx(decide.pilot_error(m, QUICK), rel=0.1)


def test_the_stop_says_why() -> None:
    rng, shared = np.random.default_rng(8), search.shares(0, 24)
    said = {}
    for gain, sd in ((0.3, 0.01), (0.0, 0.0005), (0.004, 0.006), (0.0, 0.08)):
        machine = Machine(noise.calm, noise.white(sd))
        c, i, again = (
            list(x[0]) for x in noise.blocks(machine, rng, 1, QUICK.blocks_max, 1 - gain)
        )
        m = step_by_step(c, i, again, shared)
        said[gain, sd] = (len(m.ratios), decide.enough(m, QUICK, None, shared))
    assert said[0.3, 0.01] == (QUICK.blocks_min, "decided: faster")
    assert said[0.0, 0.0005] == (QUICK.blocks_min, "decided: within the band")
    n, why = said[0.004, 0.006]
    assert QUICK.blocks_min < n < QUICK.blocks_max and why == "as planned (noise)"
    n, why = said[0.0, 0.08]
    assert n == QUICK.blocks_max and why is not None
    assert why.startswith("blocks_max (noise; a gain of ") and why.endswith(
        "would have been found)"
    )


# ---- the plan on a ledger line -------------------------------------------------------------------


def planned_row(
    blocks: int = QUICK.blocks_max, shared: int = 8, seed: int = 9, **changes: object
) -> LedgerRow:
    """An undecided comparison as a row; `changes` are a forger's."""
    machine = Machine(noise.calm, noise.white(0.03))
    c, i, again = noise.blocks(machine, np.random.default_rng(seed), 1, blocks)
    m = noise.measurement(c[0], i[0], again[0], QUICK).model_copy(update={"stop_reason": "said"})
    row = kernel_row(
        Candidate(work=WORK, route=ROUTE.id, geometry=Geometry.of(lanes=16)), ROUTE,
        decide.decide(m, QUICK, None, shared), ENV, proof=PROVED, measurement=m, protocol=QUICK,
        incumbent="stock", comparisons=shared,
    )  # fmt: skip
    return sealed(LedgerRow.model_validate(dict(row) | changes)) if changes else row


def codes(folder: Path, *rows: LedgerRow) -> set[str]:
    ledger.write_file(folder, rows)
    return {p.code for p in ledger_check.check(folder, registry.protocols()).problems}


def test_a_line_gives_its_plan_again(tmp_path: Path) -> None:
    row = planned_row()
    assert row.blocks_planned == QUICK.blocks_max and row.verdict is Verdict.ambiguous
    assert codes(tmp_path, row) == set()


@pytest.mark.parametrize(
    ("blocks", "changes", "code"),
    [
        (QUICK.blocks_max, {"aa_spread": 0.001}, "aa"),
        (QUICK.blocks_max, {"aa_pct": ()}, "aa"),
        (QUICK.blocks_max, {"blocks_planned": QUICK.blocks_min}, "planned"),
        (20, {}, "planned"),
    ],
)
def test_a_line_that_hides_its_noise_or_stops_where_it_likes_is_found(
    tmp_path: Path, blocks: int, changes: dict[str, object], code: str
) -> None:
    assert code in codes(tmp_path, planned_row(blocks, **changes))


def test_a_file_spends_one_chance_of_an_error(tmp_path: Path) -> None:
    """Each line follows from its own divisor, so only the lines together show a false one."""

    def rows(shared: int) -> list[LedgerRow]:
        return [planned_row(shared=shared, seed=seed) for seed in range(3)]

    assert codes(tmp_path / "honest", *rows(search.shares(0, 3))) == set()
    assert codes(tmp_path / "just", *rows(3)) == set()
    assert codes(tmp_path / "alone", *rows(1)) == {"chance"}


def test_a_comparison_that_ran_out_of_time_may_stop(tmp_path: Path) -> None:
    assert codes(tmp_path, planned_row(20, stop_reason=ledger_check.CUT_SHORT)) == set()


def test_a_busy_machine_is_said_so() -> None:
    said = red_flags.unrest(planned_row(waiting_share=0.4, stalled_share=0.0, load=0.5))
    assert said == ["tasks waited for a core 40% of the time, limit 10%"]
    assert red_flags.unrest(planned_row()) == []  # nobody told
