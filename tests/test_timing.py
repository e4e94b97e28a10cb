"""Timing as deployed: rotation, chaining, blocks, ranking and the lock, on real CPU kernels."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from itertools import count, islice
from pathlib import Path
from statistics import median
from typing import Any

import numpy as np
import pytest

from boltbeam.emit import reference
from boltbeam.emit.core import Buf, Launch
from boltbeam.measure import locks, rotation, timing
from boltbeam.measure.clocks import UNKNOWN, State
from boltbeam.measure.rotation import Operands
from boltbeam.measure.timing import Deployed, compare, deploy, race
from boltbeam.models.plan import timed_position
from boltbeam.records import decide
from boltbeam.seam import tinygrad_adapter as tg
from boltbeam.types import ChipFacts, Fact, Measurement, Protocol, Table, WorkItem

CHIP = ChipFacts(
    id="cpu-test", name="test", device="CPU", cache_bytes=Fact(value=1 << 20, source="test")
)
QUICK = Protocol(
    id="test",
    order="ABBA",
    cold="rotate",
    blocks_min=3,
    blocks_max=6,
    noise_band=0.005,
    confidence=0.95,
    batch_us=1000.0,
    stop="blocks",
)
WORK = WorkItem(
    op="o",
    tables=(Table(role="attn_output", rows=64, cols=64, format="F32"),),
    d_model=64,
    heads=1,
    kv_heads=1,
    head_dim=64,
    rope_dim=64,
    norm_eps=1e-5,
    vocab=256,
    context=64,
)
X, W = Buf("x", 64, "f32"), Buf("w.attn_output", 64 * 64, "f32")
POS = Buf("pos", 1, "i32")


def adds(times: int) -> Launch:
    """x += 1 + 1e-30·Σw, with the sum over the table taken `times` times."""

    def build(x: Any, w: Any) -> Any:
        from tinygrad.dtype import AddrSpace
        from tinygrad.uop.ops import AxisType, KernelInfo, UOp

        acc = UOp.placeholder((1,), tg.dtype("f32"), slot=9, addrspace=AddrSpace.REG)
        zero = acc.after(acc[0].store(0.0))
        r = UOp.range(times, 1, AxisType.REDUCE)
        j = UOp.range(64 * 64, 2, AxisType.REDUCE)
        a = zero.after(r, j)
        total = acc.after(a[0].store(a[0].load() * 0.5 + w[j].load()).end(r, j))[0].load()
        i = UOp.range(64, 3, AxisType.LOOP)
        store = x[i].store(x[i].load() + 1.0 + total * 1e-30)
        return store.end(i).sink(arg=KernelInfo(f"adds{times}", opts_to_apply=()))

    return Launch(f"adds{times}", (X,), (W,), build)


def next_position() -> Launch:
    def build(pos: Any) -> Any:
        from tinygrad.uop.ops import KernelInfo

        store = pos[0].store(pos[0].load() + 1)
        return store.sink(arg=KernelInfo("next", opts_to_apply=()))

    return Launch("next", (POS,), (), build)


def stop_after(n: int) -> Callable[[Measurement], str | None]:
    return lambda m: "enough seen" if len(m.ratios) >= n else None


def test_copies_reach_twice_the_cache_within_the_caps() -> None:
    assert rotation.copies_for(1 << 20, 32 << 20) == 64
    assert rotation.copies_for(3 << 20, 32 << 20) == 22
    assert rotation.copies_for(1 << 30, 32 << 20) == 1
    assert rotation.copies_for(1 << 10, 32 << 20) == decide.COPIES_MAX
    assert rotation.copies_for(64 << 20, 60 << 20, cap=100 << 20) == 1
    assert rotation.copies_for(0, 32 << 20) == rotation.copies_for(1 << 20, None) == 1


@pytest.fixture
def once(monkeypatch: pytest.MonkeyPatch) -> None:
    """A graph goes through its copies once."""
    monkeypatch.setattr(timing, "GRAPH_US", 0.0)


@pytest.mark.usefixtures("once")
def test_every_copy_runs_in_every_replay_on_its_own_memory() -> None:
    operands = Operands(WORK, "CPU", copies=5)
    deployed = deploy((adds(1),), operands)
    addresses = {id(tg.buffer(operands.tensor(W, c))) for c in range(5)}
    assert len(addresses) == 5 and deployed.works == 5
    assert deployed.rotated_bytes == 5 * 64 * 64 * 4
    before = operands.tensor(X, 0).numpy().copy()
    deployed.batch_us(7)
    assert operands.tensor(X, 0).numpy() == pytest.approx(before + 35, abs=1e-3)


def runs_of(launch: Launch, copies: int, once_us: float, patch: pytest.MonkeyPatch) -> Deployed:
    """As it is deployed where one run takes so long."""
    patch.setattr(timing._Captured, "once_us", lambda self, runs: once_us)
    return deploy((launch,), Operands(WORK, "CPU", copies=copies))


@pytest.mark.parametrize(
    ("once_us", "works"),
    [(1.0, 128), (10.0, 50), (100.0, 6), (300.0, 2), (4000.0, 2)],
)
def test_few_copies_are_turned_through_again_in_one_graph(
    once_us: float, works: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """For half a millisecond, so that the launch of the graph does not count as the kernel's."""
    assert runs_of(adds(1), 2, once_us, monkeypatch).works == works


@pytest.mark.parametrize("copies", [1, 2])
def test_a_graph_of_many_rounds_leaves_no_context_either(
    copies: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    room = WORK.context - timed_position(WORK.context) - 2
    assert room < timing.GRAPH_RUNS_MAX // 2
    deployed = runs_of(next_position(), copies, 0.1, monkeypatch)
    assert deployed.works == room * copies and deployed.replays_max == 1
    few = runs_of(next_position(), copies, 500.0 / copies / 3, monkeypatch)
    rounds = few.works // copies
    assert rounds == 3 and few.replays_max == room // 3
    few.batch_us(few.replays_max)
    operands = Operands(WORK, "CPU", copies=copies)
    few = deploy((next_position(),), operands)
    few.batch_us(few.replays_max)
    moved = operands.tensor(POS, 0).numpy()[0] - timed_position(WORK.context)
    assert moved == rounds * few.replays_max <= room


def test_no_graph_that_is_tried_leaves_the_context(monkeypatch: pytest.MonkeyPatch) -> None:
    tried: list[int] = []
    of_runs = timing._Captured.of_runs

    def counted(self: timing._Captured, runs: int, first: int = 0) -> Deployed:
        tried.append(runs)
        return of_runs(self, runs, first)

    monkeypatch.setattr(timing._Captured, "of_runs", counted)
    work = WORK.model_copy(update={"context": 8})
    deploy((next_position(),), Operands(work, "CPU", copies=1))
    assert max(tried) <= 8 - timed_position(8) - 2


@pytest.mark.usefixtures("once")
def test_positions_are_restored_before_they_leave_the_context() -> None:
    operands = Operands(WORK, "CPU", copies=2)
    deployed = deploy((next_position(),), operands)
    replays = deployed.replays_for(10_000.0)
    position = timed_position(WORK.context)
    assert replays == deployed.replays_max == WORK.context - position - 2
    for _ in range(3):
        deployed.batch_us(replays)
        for copy in range(2):
            assert operands.tensor(POS, copy).numpy()[0] == position + replays


def test_compare_sees_more_work() -> None:
    operands = Operands(WORK, "CPU", copies=4)
    one, many = deploy((adds(1),), operands), deploy((adds(16),), operands)
    m = compare(many, one, QUICK, stop_after(4), CHIP)
    assert m.stop_reason == "enough seen" and len(m.ratios) == 4 and m.copies == 4
    assert m.runs == many.works >= 4
    assert median(m.ratios) > 1.5
    assert m.cold_ratio == pytest.approx(4 * 64 * 64 * 4 / (1 << 20))
    assert m.throttled is None and m.clock_mhz is None  # nobody tells on a CPU
    assert m.timer == "thread" and m.aa_spread >= 0 and m.protocol == "test"


def test_the_same_kernel_twice_is_no_difference() -> None:
    operands = Operands(WORK, "CPU", copies=4)
    first, second = deploy((adds(2),), operands), deploy((adds(2),), operands)
    m = compare(first, second, QUICK, lambda _: None, CHIP, twin=deploy((adds(2),), operands))
    assert m.stop_reason == "blocks_max" and len(m.ratios) == QUICK.blocks_max
    assert min(m.ratios) < 1.3 and max(m.ratios) > 0.75  # a busy host moves single blocks


def test_race_puts_the_fastest_first_and_drops_the_slow_early() -> None:
    operands = Operands(WORK, "CPU", copies=2)
    entrants = [deploy((adds(n),), operands) for n in (64, 1, 16, 256)]
    ranked = race(entrants, CHIP, batch_us=300.0)
    assert [r.index for r in ranked] == [1, 2, 0, 3]
    assert ranked[0].rounds > ranked[-1].rounds == 1


def test_race_lets_nobody_drop_out_who_must_stay() -> None:
    operands = Operands(WORK, "CPU", copies=2)
    entrants = [deploy((adds(n),), operands) for n in (64, 1, 16, 256)]
    for stay in ([3], [0, 1, 2, 3], [7]):
        rounds = {r.index: r.rounds for r in race(entrants, CHIP, batch_us=300.0, stay=stay)}
        assert all(rounds[i] == max(rounds.values()) for i in stay if i in rounds)
        assert sorted(rounds) == [0, 1, 2, 3]


def test_spread_of_the_incumbent_against_itself() -> None:
    assert timing.spread([1.0] * 5) == 0
    assert timing.spread([1.02] * 5) == pytest.approx(0.02)
    assert timing.spread([0.97, 1.0, 1.03]) > 0.02


def test_a_throttled_block_is_measured_again_then_marked() -> None:
    bad, good = State(1500.0, True), State(1980.0, False)
    blocks = timing._Blocks(states=[good])
    assert not timing._disturbed(good, blocks) and blocks.throttled is False
    assert all(timing._disturbed(bad, blocks) for _ in range(timing.REDONE_MAX))
    assert blocks.redone == timing.REDONE_MAX and blocks.throttled is False
    assert not timing._disturbed(good, blocks) and blocks.throttled is True  # bad when it began
    silent = timing._Blocks(states=[UNKNOWN])
    assert not timing._disturbed(UNKNOWN, silent) and silent.throttled is None


def test_a_block_in_which_memory_was_short_is_measured_again() -> None:
    start = State(stalled_us=0, at_us=0)
    blocks = timing._Blocks(states=[start])
    assert timing._disturbed(State(stalled_us=30_000, at_us=100_000), blocks)
    assert not timing._disturbed(State(stalled_us=31_000, at_us=200_000), blocks)
    assert blocks.redone == 1 and blocks.throttled is None  # nobody told about the clock


def test_orders_of_blocks_are_drawn_and_even_out() -> None:
    either = QUICK.model_copy(update={"order": timing.EITHER})
    drawn = list(islice(timing._orders(either), 80))
    assert set(drawn[::2]) == {"CITIC", "ICTCI"}
    assert all(a != b for a, b in zip(drawn[::2], drawn[1::2], strict=True))


@pytest.mark.parametrize("order", ["ABBA", timing.EITHER])
def test_a_drift_hits_both_alike(order: str) -> None:
    """Every batch takes 3 % longer than the one before; nothing is faster than anything else."""
    clock = count()

    class Tired(Deployed):
        def batch_us(self, replays: int) -> float:
            return 100.0 + 3.0 * next(clock)

    same = [Tired(lambda: None, "CPU", works=1, copies=1, rotated_bytes=0) for _ in range(3)]
    rules = QUICK.model_copy(update={"order": order, "batch_us": 1.0})
    m = timing._compare(same[0], same[1], rules, stop_after(6), CHIP, same[2])
    assert m.ratios == pytest.approx([1.0] * 6, abs=1e-12)
    assert m.aa_pct == pytest.approx([0.0] * 6, abs=1e-9)


HOLD = """
import sys
from filelock import FileLock
lock = FileLock(sys.argv[1]); lock.acquire(timeout=0.2)
"""


def test_lock_is_held_around_timing_only(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(locks, "user_data", lambda: tmp_path)
    path = tmp_path / "locks" / "host.lock"

    def other_process_gets_it() -> bool:
        done = subprocess.run([sys.executable, "-c", HOLD, str(path)], capture_output=True)
        return done.returncode == 0

    seen: list[bool] = []

    def look(_: Measurement) -> str:
        seen.append(other_process_gets_it())
        return "looked"

    operands = Operands(WORK, "CPU", copies=1)
    deployed = deploy((adds(1),), operands)
    assert not path.exists()
    compare(deployed, deployed, QUICK, look, CHIP)
    assert seen == [False] and other_process_gets_it()


@pytest.mark.cl
@pytest.mark.usefixtures("once")
def test_deployed_on_workgroups() -> None:
    def build(x: Any, w: Any) -> Any:
        from tinygrad.uop.ops import KernelInfo, UOp

        g = UOp.special(64, "gidx0")
        store = x[g].store(x[g].load() + 1.0 + w[g].load() * 1e-30)
        return store.sink(arg=KernelInfo("lanes", opts_to_apply=()), tag=1)

    operands = Operands(WORK, "CL", copies=3)
    deployed = deploy((Launch("lanes", (X,), (W,), build),), operands)
    before = operands.tensor(X, 0).numpy().copy()
    assert deployed.batch_us(4) > 0
    assert operands.tensor(X, 0).numpy() == pytest.approx(before + 12, abs=1e-3)


def test_a_batch_lasts_as_long_as_the_protocol_wants() -> None:
    calls: list[int] = []
    deployed = Deployed(
        replay=lambda: calls.append(sum(range(2000))), device="CPU", works=1, copies=1,
        rotated_bytes=0,
    )  # fmt: skip
    n = deployed.replays_for(2000.0)
    assert n * deployed.batch_us(n) > 500


ROWS = 48
EMBED = WORK.model_copy(
    update={
        "op": "embed",
        "tables": (Table(role="token_embd", rows=ROWS, cols=64, format="Q8_0"),),
        "bytes": 68,
    }
)


def rows_now(operands: Operands, runs: int) -> list[tuple[int, int]]:
    """(row, copy of the table) that each run of the rotation reads."""
    tok = Buf("tok", 1, "i32")
    return [
        (int(tg.read(operands.tensor(tok, run))[0]), run % operands.copies) for run in range(runs)
    ]


def test_an_embed_turns_through_the_bytes_of_its_whole_table() -> None:
    assert rotation.touched_bytes(EMBED) == ROWS * 68 and rotation.touched_bytes(WORK) == 1
    operands = Operands(EMBED, "CPU", copies=3)
    assert operands.copies == 3 and operands.runs_max == rotation.ROWS_MAX // 3 * 3
    big = EMBED.model_copy(update={"tables": (Table(**dict(EMBED.tables[0]) | {"rows": 1 << 23}),)})
    assert Operands(big, "CPU", copies=8).copies == 1  # and yet many runs to a graph
    assert Operands(big, "CPU", copies=8).runs_max == rotation.ROWS_MAX


@pytest.mark.parametrize("copies", [1, 3])
def test_a_row_comes_round_after_all_others_of_all_copies(copies: int) -> None:
    operands = Operands(EMBED, "CPU", copies)
    seen: list[tuple[int, int]] = []
    while len(seen) < ROWS * copies:
        operands.next_rows(12)
        seen += rows_now(operands, 12)
    assert len(set(seen)) == len(seen) == ROWS * copies


def test_every_run_of_an_embed_reads_another_row() -> None:
    from boltbeam import emit, registry
    from boltbeam.emit.core import Target
    from boltbeam.types import Geometry

    operands = Operands(EMBED, "CPU", copies=2)
    made = emit.launches(
        EMBED, registry.route("embed_rows"), Geometry.parse("lanes=16"), Target("CPU", CHIP)
    )
    deployed = deploy(made, operands)
    assert deployed.copies == 2 and deployed.works >= 2 and deployed.replays_for(1e6) == 1
    assert deployed.rotated_bytes == pytest.approx(2 * ROWS * 68, rel=0.01)
    deployed.batch_us(1)
    before = rows_now(operands, deployed.works)
    deployed.batch_us(1)
    after = rows_now(operands, deployed.works)
    read = [row for row, copy in (*before, *after) if copy == 0]
    turns = [read[i : i + ROWS] for i in range(len(read))]
    assert all(len(set(turn)) == len(turn) for turn in turns)  # again only after all others
    table = Table(role="token_embd", rows=ROWS, cols=64, format="Q8_0")
    want = reference.dequantise(table, operands.contents["w.token_embd"])[after[-1][0]]
    assert tg.read(operands.tensor(X, 0)) == pytest.approx(want, rel=1e-6)


def test_the_incumbent_of_an_embed_reads_the_row_its_word_names() -> None:
    from boltbeam.emit import stock

    tg.supply_missing_llm_module()
    operands = Operands(EMBED, "CPU", copies=1)
    deployed = timing.deploy_stock(operands, stock.takes(EMBED))
    assert deployed.works >= 2 and deployed.batch_us(1) > 0
    tensors = {b.name: operands.tensor(b, 0) for b in stock.takes(EMBED)}
    for row in (3, 41):
        tg.write(tensors["tok"], np.array([row], np.int32))
        ((x,),) = stock.deployed(EMBED, tensors).values()
        tg.realize([x])
        want = reference.dequantise(EMBED.tables[0], operands.contents["w.token_embd"])[row]
        assert tg.read(x) == pytest.approx(want, rel=1e-3, abs=1e-4)


def test_a_block_that_is_thrown_away_comes_again_in_its_order(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A disturbance that always meets the same order must not leave one-sided blocks."""
    rules = QUICK.model_copy(update={"order": timing.EITHER, "batch_us": 1.0})
    wanted, bad = list(islice(timing._orders(rules), 6)), iter([False, True, True, False])
    monkeypatch.setattr(timing, "_disturbed", lambda now, b: _noted(now, b) and next(bad, False))
    same = [Deployed(lambda: None, "CPU", works=1, copies=1, rotated_bytes=0) for _ in range(3)]
    m = timing._compare(same[0], same[1], rules, stop_after(6), CHIP, same[2])
    assert m.turns == tuple(wanted)


def _noted(now: State, blocks: timing._Blocks) -> bool:
    blocks.states.append(now)
    return True


@pytest.mark.parametrize(("cold", "passes"), [(0, 10), (15, 16), (1000, 100)])
def test_who_still_gets_faster_is_not_warm(
    cold: int, passes: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """At least 100 ms, then until a pass is no faster than the one before, a second at most."""

    class Cooling(Deployed):
        ran = 0

        def replays_for(self, batch_us: float) -> int:
            return 1

        def batch_us(self, replays: int) -> float:
            self.ran += 1
            return 100.0 * 0.99 ** min(self.ran, cold)

    mine = Cooling(lambda: None, "CPU", works=1, copies=1, rotated_bytes=0)
    clock = (10_000_000 * i for i in count())  # each pass takes 10 ms
    monkeypatch.setattr(timing.time, "perf_counter_ns", lambda: next(clock))
    timing._warm_up((mine,), 100.0)
    assert mine.ran == passes
