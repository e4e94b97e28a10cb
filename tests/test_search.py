"""The search on a real, tiny model and this machine's CPU: funnel, ledger, plan, interruption."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path

import pytest
from cli_cases import Shell, litter, refused

from boltbeam import (
    decisions,
    device_work,
    gguf_model,
    ledger,
    ledger_check,
    locks,
    machine,
    registry,
    search,
    search_session,
    toolchain,
)
from boltbeam.device_work import DeviceWork
from boltbeam.ledger import Layers
from boltbeam.search_session import Memory, Options, Session
from boltbeam.store import Store
from boltbeam.types import Candidate, Decision, Outcome, Proof
from boltbeam.worker import Pool

Make = Callable[..., Path]
CONTEXT = 128


@dataclass(frozen=True)
class World:
    """One model, one data folder, one ledger, and what a first search found in them."""

    shell: Shell
    options: Options
    session: Session

    @property
    def layers(self) -> Layers:
        return Layers.find(self.shell.folder, self.shell.ledger)

    @property
    def search(self) -> list[str | Path]:
        """The same search as a command, but for the budget."""
        words = ["search", "--model", self.options.model, "--context", str(CONTEXT)]
        return [*words, "--jobs", "2", "--ledger", self.shell.ledger]

    @property
    def again(self) -> list[str | Path]:
        return [*self.search, "--budget-seconds", "0", "--resume"]


def quietly(_what: str, _share: float) -> None:
    pass


@pytest.fixture(scope="module")
def world(tiny: Make, tmp_path_factory: pytest.TempPathFactory) -> Iterator[World]:
    """A search whose budget is over at once: one candidate per step and interface pair."""
    shell = Shell(tmp_path_factory.mktemp("world"))
    with pytest.MonkeyPatch.context() as patch:
        for name in ("XDG_DATA_HOME", "PYTHONPATH"):
            patch.setenv(name, shell.env()[name])
        patch.setenv("CACHEDB", str(shell.data / "compile-cache.db"))
        options = Options(tiny(), "cpu", context=CONTEXT, budget_s=0, jobs=2)
        with Store.open() as store:
            layers = Layers.find(shell.folder, shell.ledger)
            session = search_session.run(options, layers, store, quietly)
        yield World(shell, options, session)


# ---- what a search finds -----------------------------------------------------------------------


def test_the_funnel_adds_up(world: World) -> None:
    rows = {r.work: r.funnel for r in world.session.rows if r.funnel}
    assert len(rows) == len([i for i in world.session.found.items if i.proofs]) >= 10
    for item in world.session.found.items:
        f = item.funnel
        assert rows.get(item.work.key, f) == f
        assert f.legal >= len(item.kept) >= f.proved >= f.timed
        assert len(item.proofs) + len([k for k in item.failures if k not in item.proofs]) == len(
            item.kept
        )
        assert not item.failures, item.failures
        if len(item.work.ops) == 1:
            filtered = sum(f.pruned.values())
            assert f.legal == filtered + len(fully_kept(world, item.work.key).kept)


def fully_kept(world: World, key: str) -> search.ItemResult:
    _, items = search.filter_all(world.session.found.request)
    return next(i for i in items if i.work.key == key)


def test_a_budget_leaves_a_whole_plan(world: World) -> None:
    found = world.session.found
    assert found.stopped == "budget" and found.plan is not None
    covered = [step for at, o in found.plan.members for step in steps_of(found, at, o.work_key)]
    assert sorted(covered) == list(range(len(found.token)))
    for item in found.items:
        if len(item.work.ops) == 1:
            assert len({(c.route.takes, c.route.gives) for c in item.kept}) == len(item.kept)
        else:
            assert item.skipped == "budget" and not item.proofs


def steps_of(found: search.Found, at: int, key: str) -> range:
    ops = next(i.work.ops for i in found.items if i.work.key == key)
    return range(at, at + len(ops))


def test_rows_pass_the_ledgers_check(world: World) -> None:
    assert ledger_check.check(world.shell.ledger, registry.protocols()) == []
    kinds = {r.kind for r in world.layers.rows(chip=world.session.found.request.chip.id)}
    assert kinds == {"probe", "funnel", "kernel"}
    assert not litter(world.shell.folder)


def test_the_same_seed_keeps_the_same_candidates(world: World) -> None:
    request = world.session.found.request
    one, two = (search.filter_all(request)[1] for _ in range(2))
    assert [[c.candidate.key for c in i.kept] for i in one] == [
        [c.candidate.key for c in i.kept] for i in two
    ]


def test_a_dry_run_counts_what_the_search_counted(world: World) -> None:
    """From the ledger's probe; spans are filtered with what their parts won, so not these."""
    dry = search_session.dry_run(world.options, world.layers)
    real = {i.work.key: i for i in world.session.found.items if len(i.work.ops) == 1}
    seen = {i.work.key: i for i in dry.items if len(i.work.ops) == 1}
    assert seen.keys() == real.keys() and dry.choice is None
    for key, item in seen.items():
        assert (item.legal, item.illegal) == (real[key].legal, real[key].illegal)
        assert item.pruned.keys() == real[key].pruned.keys()


def test_a_dry_run_needs_no_device(world: World) -> None:
    words = ["search", "--model", world.options.model, "--dry-run", "--chip", "rtx-5090"]
    done = world.shell.run(*words, "--format", "json", CC="nothing", PATH="/nowhere")
    assert done.code == 0 and '"legal"' in done.out, done.err


def test_a_pinned_step_is_done_by_its_route_only(world: World) -> None:
    request = replace(world.session.found.request, pins={"o": "gemv_rows_q8"})
    _, items = search.filter_all(request)
    for item in items:
        if item.work.op == "o":
            assert {c.route.id for c in item.kept} == {"gemv_rows_q8"}
            assert item.pruned["pinned"] > 0
        assert item.work.op == "o" or "o" not in item.work.ops
    assert any(len(i.work.ops) > 1 for i in items)  # spans elsewhere stay


def test_a_refuted_route_is_skipped_with_its_number(world: World, tmp_path: Path) -> None:
    row = next(r for r in world.session.rows if r.op == "o" and r.route == "gemv_rows_q8")
    no = decisions.refute([row], reason="too coarse", reopen_if="better scales", number=1.5)
    ledger.write_file(tmp_path, [no])
    layers = Layers.find(tmp_path, tmp_path)
    found = search_session.dry_run(world.options, layers)
    item = next(i for i in found.items if i.work.op == "o")
    why = item.examples["refuted"]
    assert (why.number, item.pruned["refuted"]) == (1.5, 1)
    assert "too coarse" in why.detail and "better scales" in why.detail
    assert "gemv_rows_q8" not in {c.route.id for c in item.kept}


def test_every_module_that_decides_an_answer_is_hashed(world: World) -> None:
    """What a worker loads is either in the hash, or data and plumbing known to be neutral."""
    neutral = {"types", "registry", "ledger", "ledger_review", "locks", "plan", "record", "report"}
    neutral |= {"decisions", "bubblebeam", "gguf_header", "gguf_model", "decode_support", "chips"}
    code = "import sys, boltbeam.jobs; print(*(m for m in sys.modules if m[:9] == 'boltbeam.'))"
    done = world.shell.run(command=[*COMMAND_C, code])
    loaded = {m.split(".")[1] for m in done.out.split()} - {"emit"}
    assert loaded - neutral == set(search_session.WORKER_MODULES), done.err


COMMAND_C = ["python", "-c"]


# ---- again, promoted, rolled back ---------------------------------------------------------------


def test_an_identical_search_confirms_and_writes_nothing(world: World) -> None:
    before = list(ledger.files(world.shell.ledger))
    done = world.shell.run(*world.again)
    assert done.code == 0, done.err
    assert "nothing new to write" in done.err
    reused = re.search(r"(\d+) answers of an earlier run reused", done.err)
    assert reused and int(reused[1]) > 20
    confirmed = re.search(r"(\d+) earlier rows confirmed", done.err)
    assert confirmed and int(confirmed[1]) == len(world.session.rows)
    assert list(ledger.files(world.shell.ledger)) == before


def test_promote_run_and_roll_back(world: World) -> None:
    shell, ours = world.shell, ["--ledger", world.shell.ledger]
    said = shell.run("promote", *ours)
    assert said.code == 0 and "--yes" in said.err and not world.layers.decisions()
    done = shell.run("promote", "--yes", *ours)
    assert done.code == 0, done.err
    (plan,) = world.layers.decisions()
    assert plan.kind == "plan" and all(g.passed for g in plan.gates.values())
    run = ["run", "--model", world.options.model, "--raw", "ab", "-n", "4", "--format", "json"]
    used = shell.run(*run, *ours)
    assert f'"plan": "{plan.id}"' in used.out and '"fell_back": []' in used.out, used
    refused(shell.run("refute", plan.members[0].row, "--reason", "x", "--reopen-if", "y", *ours),
            2, "roll it back first")  # fmt: skip
    assert shell.run("rollback", "--reason", "test", *ours).code == 0
    assert [d.kind for d in world.layers.decisions()] == ["plan", "rollback"]
    back = shell.run(*run, *ours)
    assert back.code == 0 and '"plan": null' in back.out and "none promoted" in back.out
    ids = [re.search(r'"generated_ids": \[[^]]*\]', o.out) for o in (used, back)]
    assert ids[0] and ids[1] and ids[0][0] == ids[1][0]
    assert ledger_check.check(shell.ledger, registry.protocols()) == []
    refused(shell.run("rollback", "--reason", "again", *ours), 2, "none")
