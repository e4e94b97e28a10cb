"""The search on a real, tiny model and this machine's CPU: funnel, ledger, plan, interruption."""

from __future__ import annotations

import contextlib
import json
import os
import re
import signal
import sqlite3
import subprocess
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import CancelledError
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from statistics import fmean
from typing import Any, cast

import pytest
from cli_cases import Done, Shell, listening, litter, post, refused
from kernel_cases import work_item
from test_modules import imports, sources

from boltbeam import registry
from boltbeam.commands import commands, search_display
from boltbeam.files import PACKAGE
from boltbeam.measure import locks, software
from boltbeam.models import gguf_model, synth
from boltbeam.models.plan import timed_position
from boltbeam.predict import chips
from boltbeam.proof import shared_arrays
from boltbeam.records import decisions, ledger, ledger_check, standing
from boltbeam.records.entries import Gate, LedgerRow
from boltbeam.records.ledger import Layers
from boltbeam.records.record import Environment
from boltbeam.records.store import Store
from boltbeam.seam import toolchain
from boltbeam.search import (
    device_work,
    filters,
    raw_samples,
    repeat,
    search,
    search_items,
    search_session,
)
from boltbeam.search.device_work import DeviceWork
from boltbeam.search.search import fitting
from boltbeam.search.search_items import EFFORTS, WRONG_INCUMBENT, ItemResult
from boltbeam.search.search_session import Memory, Options, Session
from boltbeam.types import BoltbeamError, Candidate, ChipFacts, Geometry, Outcome, Proof
from boltbeam.worker import Closed, JobResult, Pool

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
        return Layers.find(self.shell.folder, self.shell.ledger, new=True)

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
            layers = Layers.find(shell.folder, shell.ledger, new=True)
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
        assert not item.failures, item.failures
        assert len(item.proofs) == (0 if len(item.work.ops) > 1 else len(item.kept))
        if len(item.work.ops) == 1:
            assert f.legal == sum(f.pruned.values()) + len(item.kept)
            full = len(fully_kept(world, item.work.key).kept)
            assert f.pruned.get("budget", 0) == full - len(item.kept)  # no time was left for those


def fully_kept(world: World, key: str) -> ItemResult:
    _, items = filters.filter_all(world.session.found.request)
    return next(i for i in items if i.work.key == key)


def test_a_wave_takes_what_the_budget_has_time_for() -> None:
    """In the order of the items; a large one that does not fit leaves its time to smaller ones."""
    large, small, least = (cast(ItemResult, name) for name in ("large", "small", "least"))
    todo = [(large, {"a", "b", "c"}), (small, {"d", "e"}), (least, {"f"})]
    for left_s, fit in ((6.0, [0, 1, 2]), (5.9, [0, 1]), (4.0, [0, 2]), (3.0, [0]), (2.9, [1])):
        assert fitting(todo, left_s, 1.0) == [todo[i] for i in fit], left_s
    assert fitting(todo, 0.9, 1.0) == fitting(todo, -1.0, 1.0) == []


def test_a_budget_leaves_a_whole_plan(world: World) -> None:
    found = world.session.found
    assert found.stopped == "budget" and found.plan is not None
    covered = [step for at, o in found.plan.members for step in steps_of(found, at, o.work_key)]
    assert sorted(covered) == list(range(len(found.token)))
    for item in found.items:
        if len(item.work.ops) == 1:
            assert len({(c.route.takes, c.route.gives) for c in item.kept}) == len(item.kept)
        else:
            assert item.funnel.stopped == "budget" and not item.proofs


def steps_of(found: search.Found, at: int, key: str) -> range:
    ops = next(i.work.ops for i in found.items if i.work.key == key)
    return range(at, at + len(ops))


def test_the_limit_says_for_how_many_positions_it_holds(
    world: World, capsys: pytest.CaptureFixture[str]
) -> None:
    """That of the kernels beside it."""
    search_display.print_session(world.session, "md")
    (line,) = [x for x in capsys.readouterr().out.splitlines() if x.startswith("predicted token")]
    timed = timed_position(CONTEXT)
    assert re.search(rf"; limit [\d,.]+ tok/s at {timed} of {CONTEXT} positions \(", line)


def test_rows_pass_the_ledgers_check(world: World) -> None:
    assert ledger_check.check(world.shell.ledger, registry.protocols()).problems == []
    kinds = {r.kind for r in world.layers.rows(chip=world.session.found.request.chip.id)}
    assert kinds == {"probe", "funnel", "kernel"}
    assert not litter(world.shell.folder)


def test_the_store_keeps_what_the_ledger_has_no_room_for(world: World) -> None:
    """Per row the raw batches, of which its blocks are the means, and the kernel's very text."""
    session = world.session
    rows = {r.id: r for r in session.rows if r.candidate_us}
    with Store.open() as store:
        assert {s["row"] for s in store.find("samples", search=session.id)} == set(rows)
        for row in rows.values():
            (sample,) = raw_samples.of_row(store, row.id)
            m = sample["measurement"]
            means = [
                fmean(us for who, us in zip(turns, block, strict=True) if who == "C")
                for turns, block in zip(m["turns"], m["batches_us"], strict=True)
            ]
            assert means == pytest.approx(row.candidate_us, rel=1e-3)
            text = raw_samples.source(store, row.source_hash)
            assert text and raw_samples.fits(text, row.source_hash)
        raced = store.find("candidates", search=session.id)
    assert len(raced) == sum(len(i.raced_us) for i in session.found.items)


def test_all_comparisons_of_a_search_share_one_chance(world: World) -> None:
    """… and each row says the plan of its blocks, which `ledger check` derives again."""
    rows = [r for r in world.session.rows if r.candidate_us]
    assert {r.comparisons for r in rows} == {2 * len(rows)}
    for r in rows:
        assert r.blocks_planned is not None and len(r.aa_pct) == len(r.candidate_us)
        assert r.runs is not None and r.runs >= 1
        assert r.stop_reason.startswith(("decided", "as planned", "blocks_max", "seconds_max"))


def test_a_second_search_lies_beside_the_first(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Two searches of one step with what the chip's probe found before, on the real device."""
    chip = world.session.found.request.chip

    def known(device: DeviceWork, again: int = 0, meanwhile: object = None) -> ChipFacts:
        device.chip = chip
        return chip

    monkeypatch.setattr(DeviceWork, "probe", known)
    monkeypatch.setattr(repeat, "PROTOCOL", EFFORTS["quick"].protocol)
    options = replace(world.options, ops=("o",), fused=False)
    made = repeat.repeat(options, world.shell.ledger, quietly)
    assert len(made.pairs) == 1 and all(p.first and p.second for p in made.pairs)
    assert {p.within for p in made.pairs} <= {"yes", "no", "undecided"}
    for p in made.pairs:
        assert p.same or (p.ratio is not None and p.regret is not None and "blocks" in p.why)
    assert not litter(world.shell.folder)


def test_the_same_seed_keeps_the_same_candidates(world: World) -> None:
    request = world.session.found.request
    one, two = (filters.filter_all(request)[1] for _ in range(2))
    assert [[c.candidate.key for c in i.kept] for i in one] == [
        [c.candidate.key for c in i.kept] for i in two
    ]


def test_what_is_legal_is_known_before_the_probe(world: World) -> None:
    request = world.session.found.request
    bare = replace(request, chip=request.chip.model_copy(update={"measured": {}}))
    at_once = filters.filter_all(request)
    assert request.chip.measured and filters.filter_all(request, filters.legal_of(bare)) == at_once


def test_what_was_fastest_earlier_is_raced_again(world: World, tmp_path: Path) -> None:
    """From races and from comparisons, one of each interface pair; --fresh and audits forget it."""
    session = world.session
    known = standing.fastest(world.layers, session.found.request.chip.id)
    raced = {i.work.key: i for i in session.found.items if i.raced_us and len(i.work.ops) == 1}
    assert raced.keys() <= known.keys()
    for key, item in raced.items():
        first = min(item.raced_us, key=lambda k: item.raced_us[k])
        best = item.considered(first)
        assert (best.route.id, str(best.candidate.geometry)) in known[key]
    facts, chip = session.found.request.model, session.found.request.chip
    asked = partial(search_session.request_for, facts=facts, chip=chip, layers=world.layers)
    assert asked(world.options).earlier == known
    for forgetful in (replace(world.options, fresh=True), replace(world.options, audit=3)):
        assert not asked(forgetful).earlier
    (item,) = (i for i in filters.filter_all(session.found.request)[1] if i.work.op == "down")
    cut, no = item.cut[-1]
    how = (cut.route.id, str(cut.candidate.geometry))
    request = replace(session.found.request, earlier={item.work.key: frozenset({how})})
    (again,) = (i for i in filters.filter_all(request)[1] if i.work.op == "down")
    assert cut.candidate.key in {c.candidate.key for c in again.kept}
    assert len(again.kept) == len(item.kept) + 1
    assert again.pruned[no.reason] == item.pruned[no.reason] - 1


def test_a_composed_span_that_was_fastest_is_raced_again(world: World) -> None:
    """Its geometry is of its parts' winners, which no axis spells; other words are passed over."""
    request = world.session.found.request
    spans = [i for i in world.session.found.items if len(i.work.ops) > 1]
    spelt = {i.work.key: i for i in filters.filter_all(request)[1]}
    item = next(i for i in spelt.values() if i.work.key in {s.work.key for s in spans})
    first = item.kept[0]
    axes = {f"{op}.lanes": 32 for op in item.work.ops if op in ("qkv", "o", "gate_up", "down")}
    text = str(Geometry.of(**axes))
    wrong = {(first.route.id, t) for t in ("lanes", "lanes=x", "no.such=3", "")}
    earlier = {item.work.key: frozenset({(first.route.id, text), *wrong})}
    again = replace(request, earlier=earlier)
    (found,) = (i for i in filters.filter_all(again)[1] if i.work.key == item.work.key)
    hows = {filters.how(c) for c in found.kept}
    assert (first.route.id, text) in hows and not wrong & hows
    made = search_items.Considered(
        Candidate(work=item.work, route=first.route.id, geometry=Geometry.of(lanes=1)),
        first.route,
        None,
    )
    for _ in range(len(found.kept)):
        search._replace_last(found, made, again)
    assert (first.route.id, text) in {filters.how(c) for c in found.kept}


def test_a_span_that_was_fastest_is_raced_though_its_parts_are_predicted_faster() -> None:
    """On an H200's facts: whatever was cut stays once an earlier search found it the fastest."""
    chip = chips.get("h200")
    probes = Layers.find().rows(chip=chip.id, kind="probe")
    measured = max(probes, key=lambda r: (len(r.measured), r.date)).measured
    chip = chip.model_copy(update={"measured": measured, "device": "CUDA"})
    asked = search_items.Request(
        model=synth.facts("qwen3-8b"), chip=chip, numerics="q8", ops=("norm", "qkv", "gate_up")
    )

    def spans(**changes: Any) -> dict[str, ItemResult]:
        items = filters.filter_all(replace(asked, **changes))[1]
        return {i.work.key: i for i in items if len(i.work.ops) > 1}

    def how(c: search_items.Considered) -> tuple[str, str]:
        return c.route.id, str(c.candidate.geometry)

    plain = spans()
    dropped = {
        key: {(c.route.id, str(c.candidate.geometry)) for c, _ in item.cut}
        for key, item in plain.items()
    }
    assert any(dropped.values())
    again = spans(earlier={key: frozenset(hows) for key, hows in dropped.items()})
    for key, hows in dropped.items():
        assert hows <= {how(c) for c in again[key].kept}, key


def test_a_dry_run_counts_what_the_search_counted(world: World) -> None:
    """From the ledger's probe; spans are filtered with what their parts won, so not these."""
    dry = search_session.dry_run(world.options, world.layers)
    real = {i.work.key: i for i in world.session.found.items if len(i.work.ops) == 1}
    seen = {i.work.key: i for i in dry.items if len(i.work.ops) == 1}
    assert seen.keys() == real.keys() and dry.choice is None
    for key, item in seen.items():
        assert (item.legal, item.illegal) == (real[key].legal, real[key].illegal)
        assert item.pruned.keys() == real[key].pruned.keys() - {"budget"}


def test_a_dry_run_needs_no_device(world: World) -> None:
    words = ["search", "--model", world.options.model, "--dry-run", "--chip", "rtx-5090"]
    done = world.shell.run(*words, "--format", "json", CC="nothing", PATH="/nowhere")
    assert done.code == 0 and '"legal"' in done.out, done.err


def test_a_pinned_step_is_done_by_its_route_only(world: World) -> None:
    request = replace(world.session.found.request, pins={"o": ("gemv_rows_q8",)}, numerics="q8")
    _, items = filters.filter_all(request)
    for item in items:
        if item.work.op == "o":
            assert {c.route.id for c in item.kept} == {"gemv_rows_q8"}
            assert item.pruned["pinned"] > 0
        assert item.work.op == "o" or "o" not in item.work.ops
    assert any(len(i.work.ops) > 1 for i in items)  # spans elsewhere stay
    two = commands.pins(["o=gemv_rows_q8", "o=gemv_rows_f32"])
    _, items = filters.filter_all(replace(request, pins=two))
    item = next(i for i in items if i.work.op == "o")
    assert {c.route.id for c in item.kept} == {"gemv_rows_q8", "gemv_rows_f32"}


def test_a_refuted_route_is_skipped_with_its_number(world: World, tmp_path: Path) -> None:
    row = next(r for r in world.session.rows if r.op == "o" and r.kind == "kernel")
    no = decisions.refute([row], reason="too coarse", reopen_if="better scales", number=1.5)
    ledger.write_file(tmp_path, [no])
    layers = Layers.find(tmp_path, tmp_path)
    found = search_session.dry_run(world.options, layers)
    item = next(i for i in found.items if i.work.op == "o")
    why = item.examples["refuted"]
    assert why.number == 1.5 and item.pruned["refuted"] >= 1
    assert "too coarse" in why.detail and "better scales" in why.detail
    assert row.route not in {c.route.id for c in item.kept}
    (said,) = search_display.skipped(found)
    assert said.startswith(f"skipped {row.route} for o/") and "refuted (1.5" in said
    assert "too coarse; reopen if better scales" in said


def test_every_module_that_decides_an_answer_is_hashed() -> None:
    """What a worker may load is in the hash, or data and plumbing known to be neutral."""
    neutral = {
        "benches",
        "chips",
        "claims",
        "decode_support",
        "emit",
        "entries",
        "files",
        "gguf_header",
    }
    neutral |= {"gguf_model", "ledger", "locks", "registry", "report", "types"}
    files, reached, todo = sources(), set[str](), ["jobs"]
    while todo:
        if (module := todo.pop()) not in reached:
            reached.add(module)
            todo += [name for path in files[module] for name in imports(path)]
    hashed = {p for folder in search_session.ANSWERS for p in (PACKAGE / folder).glob("*.py")}
    hashed |= {PACKAGE / name for name in search_session.MORE_ANSWERS}
    assert [m for m in reached - neutral if not set(files[m]) <= hashed] == []


# ---- again, promoted, rolled back ---------------------------------------------------------------


def test_an_identical_search_confirms_and_writes_nothing(world: World) -> None:
    before = list(ledger.files(world.shell.ledger))
    done = world.shell.run(*world.again)
    assert done.code == 0, done.err
    assert "nothing new to write" in done.err
    assert "over its budget of 0 s" in done.err
    reused = re.search(r"(\d+) answers of an earlier run reused", done.err)
    assert reused and int(reused[1]) > 20
    confirmed = re.search(r"(\d+) earlier rows confirmed", done.err)
    assert confirmed and int(confirmed[1]) == len(world.session.rows)
    assert list(ledger.files(world.shell.ledger)) == before


def chatted(world: World, text: str, n: int) -> str:
    """What `run` says, drawn by seed 7."""
    words = ["run", "--model", world.options.model, text, "-n", str(n), "--format", "json"]
    words += ["--temperature", "2", "--seed", "7"]
    return str(json.loads(world.shell.run(*words, "--ledger", world.shell.ledger).out)["text"])


def served(world: World, text: str, n: int) -> tuple[str, str]:
    """The plan that `serve` says it has at the promoted context, and what it answers, likewise."""
    words = ["serve", "--model", world.options.model, "--port", "0"]
    child = world.shell.start(*words, "--ledger", world.shell.ledger)
    try:
        line, port = listening(child)
        body = {"messages": [{"role": "user", "content": text}], "max_tokens": n}
        body |= {"temperature": 2, "seed": 7}
        _, said = post(port, body)
        child.send_signal(signal.SIGINT)
        child.communicate(timeout=60)
    finally:
        child.kill()
        child.wait()
    assert child.returncode == 130 and f"{CONTEXT} positions" in line
    plan = re.search(r"plan ([0-9a-f]+);", line)
    return plan[1] if plan else "", said["choices"][0]["message"]["content"] or ""


def test_a_search_lifts_what_its_condition_frees_and_records_why(
    world: World, tmp_path: Path
) -> None:
    """Refuted with another tinygrad: this search reopens it, and then there is nothing to lift."""
    mine = replace(world, shell=Shell(tmp_path))
    row = next(r for r in world.session.rows if r.op == "o" and r.kind == "kernel")
    old = ledger.sealed(row.model_copy(update={"tinygrad": "0.13.0"}))
    no = decisions.refute([old], reason="coarse", number=1.5, reopen_if="a new tinygrad")
    ledger.write_file(mine.shell.ledger, [*world.session.rows, old, no])
    args, cache = [*mine.again, "--op", "o"], {"CACHEDB": os.environ["CACHEDB"]}
    done = mine.shell.run(*args, **cache)
    assert done.code == 0 and "* refuted" not in done.out, done
    assert f"reopened {row.route} for {row.work}: tinygrad 0.13.0 -> 0.14.0" in done.err
    (d,) = [d for d in mine.layers.decisions() if d.kind == "reopen"]
    assert d.reason == "tinygrad 0.13.0 -> 0.14.0"
    assert ledger_check.check(mine.shell.ledger, registry.protocols()).problems == []
    again = mine.shell.run(*args, "--reopen", row.route, **cache)
    refused(again, 2, "does not refute it", said_before=True)


@pytest.mark.parametrize(("times", "expected"), [(1, "nothing"), (0.5, "slower"), (2, "promote")])
def test_a_plan_that_is_not_faster_is_not_what_to_promote_next(
    times: float, expected: str, world: World, tmp_path: Path
) -> None:
    """Than the plan in force, whose rows say so many times what this search's do."""
    session, found = world.session, world.session.found
    assert found.plan is not None
    env = Environment.here(found.request.chip.id, **software.here("CPU"))
    about = search_session.summary(found, session.rows, {}, world.options)
    ids = {m["row"] for m in about["members"]}
    rows = [r for r in session.rows if r.id in ids]
    assert len(rows) == len(ids)

    def other(row: LedgerRow) -> LedgerRow:
        us = tuple(times * us for us in row.candidate_us)
        changes = {"candidate_us": us, "emitter_hash": "x"}
        return row if times == 1 else ledger.sealed(row.model_copy(update=changes))

    theirs = [other(r) for r in rows]
    plan = decisions.promote_plan(
        env.scope(about["plan_key"]), [decisions.member(r) for r in theirs],
        {"proof": Gate(passed=True)}, [CONTEXT], replaces=None, reason="won",
        evidence=[rows[0].id],
    )  # fmt: skip
    ledger.write_file(tmp_path, [*{r.id: r for r in (*rows, *theirs)}.values(), plan])
    layers = Layers.find(tmp_path, tmp_path, new=True)
    said = search_session.beside_plan_in_force(found, about, layers, env, "promote it")
    slower = "search on with --resume, for the kernels of the plan in force"
    words = {"nothing": "nothing, this plan is in force", "slower": slower, "promote": "promote it"}
    assert said.startswith(words[expected]) and (expected == "promote" or plan.id in said)
    elsewhere = Layers.find(tmp_path, tmp_path / "empty", new=True)
    assert search_session.beside_plan_in_force(found, about, elsewhere, env, "do") == "do"


@pytest.mark.slow
def test_promote_run_and_roll_back(world: World) -> None:
    shell, ours = world.shell, ["--ledger", world.shell.ledger]
    elsewhere = shell.run("promote", "--yes", "--synthetic")
    refused(elsewhere, 2, "was recorded in", f"--ledger {shell.ledger}")
    refused(shell.run("promote", "--yes", *ours), 1, "random weights", "--synthetic")
    done = shell.run("promote", "--yes", "--synthetic", *ours)
    assert done.code == 0, done.err
    chip = world.session.found.request.chip.id  # the checkout's own ledger has decisions too
    (plan,) = world.layers.decisions(chip=chip)
    assert plan.kind == "plan" and all(g.passed for g in plan.gates.values())
    assert "synthetic" in plan.reason
    again = shell.run("promote", *ours)
    assert (again.code, again.err) == (0, f"this plan is already in force (decision {plan.id})\n")
    searched = shell.run(*world.again)
    assert f"Next: nothing, this plan is in force (decision {plan.id})" in searched.err
    run = ["run", "--model", world.options.model, "--raw", "ab", "-n", "4", "--format", "json"]
    used = shell.run(*run, *ours)
    assert f'"plan": "{plan.id}"' in used.out and '"fell_back": []' in used.out, used
    assert served(world, "ab", 8) == (plan.id, chatted(world, "ab", 8))
    refused(shell.run("refute", plan.members[0].row, "--reason", "x", "--reopen-if", "y", *ours),
            2, "roll it back first")  # fmt: skip
    assert shell.run("rollback", "--reason", "test", *ours).code == 0
    assert [d.kind for d in world.layers.decisions(chip=chip)] == ["plan", "rollback"]
    back = shell.run(*run, *ours)
    assert back.code == 0 and '"plan": null' in back.out and "none promoted" in back.out
    ids = [re.search(r'"generated_ids": \[[^]]*\]', o.out) for o in (used, back)]
    assert ids[0] and ids[1] and ids[0][0] == ids[1][0]
    assert ledger_check.check(shell.ledger, registry.protocols()).problems == []
    refused(shell.run("rollback", "--reason", "again", *ours), 2, "no plan in force is on")


# ---- interrupted, killed, two at once ------------------------------------------------------------


@pytest.fixture
def apart(world: World, shell: Shell) -> World:
    """The same model with a data folder and ledger of its own; only compiled kernels are shared."""
    return replace(world, shell=shell)


def started(world: World, *more: str) -> subprocess.Popen[str]:
    cache = os.environ["CACHEDB"]
    return world.shell.start(*world.search, "--budget-seconds", "0", *more, CACHEDB=cache)


def wait_for(child: subprocess.Popen[str], words: str, times: int) -> str:
    """stderr up to the line that says it for that time."""
    assert child.stderr is not None
    said = ""
    for line in child.stderr:
        said += line
        times -= words in line
        if times == 0:
            return said
    raise AssertionError(f"ended before '{words}': {said}")


def shared_by(child: subprocess.Popen[str]) -> list[Path]:
    """Folders of arrays that a search's workers share."""
    places = (shared_arrays.MEMORY, Path(tempfile.gettempdir()))
    return [f for p in places for f in p.glob(f"{shared_arrays.PREFIX}{child.pid}-*")]


def left_over(shell: Shell, within_s: float = 10) -> list[str]:
    """Command lines of processes that still have this shell's data folder, after a while."""
    mark = f"XDG_DATA_HOME={shell.folder}/data".encode()
    end = time.monotonic() + within_s
    while True:
        alive = []
        for p in Path("/proc").glob("[0-9]*"):
            try:
                if mark in (p / "environ").read_bytes().split(b"\0"):
                    alive.append((p / "cmdline").read_text())
            except OSError:
                continue
        if not alive or time.monotonic() > end:
            return alive
        time.sleep(0.05)


def test_ctrl_c_ends_with_the_best_so_far(apart: World) -> None:
    shell = apart.shell
    child = started(apart)
    wait_for(child, "compare decode/", 2)
    child.send_signal(signal.SIGINT)
    out, err = child.communicate(timeout=60)
    assert child.returncode == 130 and "Traceback" not in err
    assert err.splitlines()[-1].startswith("boltbeam: search: interrupted")
    assert "not yet compared with stock" in err and "gemv_rows" in out
    assert not left_over(shell) and not litter(shell.folder) and not shared_by(child)
    rows = apart.layers.rows(kind="kernel", chip=apart.session.found.request.chip.id)
    assert rows and {r.decision for r in rows} == {"none"}
    assert ledger_check.check(shell.ledger, registry.protocols()).problems == []
    refused(shell.run("promote", "--ledger", shell.ledger), 2, "interrupted", "--resume")


def test_kill_9_loses_nothing_and_resume_goes_on(apart: World) -> None:
    child = started(apart)
    wait_for(child, "race decode/", 3)
    child.kill()
    child.communicate(timeout=60)
    assert not left_over(apart.shell) and not shared_by(child)
    with Store.open(apart.shell.data / "runs.db") as store:
        unfinished = store.last_search(finished=False)
        assert unfinished is not None
        kept = len(store.find("results", search=unfinished["id"]))
        assert kept >= 7  # the probe, and proofs and a race of three steps
        child = started(apart, "--resume")
        wait_for(child, "race decode/", 4)
        child.send_signal(signal.SIGTERM)
        _, err = child.communicate(timeout=60)
        assert child.returncode == 130 and "nothing right was found yet" in err
        found = re.search(r"(\d+) answers of an earlier run reused", err)
        assert found and int(found[1]) == kept
    assert not left_over(apart.shell)


@pytest.mark.slow
def test_two_searches_at_once(apart: World) -> None:
    both = [started(apart, "--op", "o", "--op", "argmax") for _ in range(2)]
    for child in both:
        _, err = child.communicate(timeout=200)
        assert child.returncode == 0, err
    assert ledger_check.check(apart.shell.ledger, registry.protocols()).problems == []
    assert not left_over(apart.shell) and not litter(apart.shell.folder)


# ---- the device of a search --------------------------------------------------------------------


def test_proofs_begin_with_one_of_each_work_item_and_interface() -> None:
    """It makes what the others of its item read; both parts have the longest first."""

    def candidate(op: str, route: str, rows: int) -> Candidate:
        work = work_item(op)
        return Candidate(work=work, route=route, geometry=Geometry.of(rows=rows))

    small, large = "o", "down"
    asked = [
        candidate(op, route, rows)
        for op in (small, large)
        for rows in (1, 2)
        for route in ("gemv_lanes_f32", "gemv_lanes_q8", "gemv_lanes_planes_q8")
    ]
    found = [(c.work.op, c.route[11:]) for c in device_work.in_turn(asked)]
    assert found[:4] == [(op, face) for op in (large, small) for face in ("f32", "q8")]
    assert [op for op, _ in found[4:]] == [large] * 4 + [small] * 4
    assert len(device_work.in_turn(asked)) == len(asked)


@pytest.fixture
def work(world: World, tmp_path: Path) -> Iterator[DeviceWork]:
    """Two workers and an empty memory."""
    env = toolchain.environment()
    with Store.open(tmp_path / "runs.db") as store, Pool("CPU", 2, env) as pool:
        chip = world.session.found.request.chip
        yield DeviceWork(pool, chip, Memory(store, "test"))


def test_no_answer_of_another_compiler_is_taken_over(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    request = world.session.found.request

    def name() -> str:
        return search_session.search_id(world.options, request.model, request.chip)

    assert name() == world.session.id
    told = {"driver": "", "compiler": "clang version 3", "memory": ""}
    monkeypatch.setattr(software, "here", lambda _device: told)
    assert name() != world.session.id


def test_each_work_item_of_a_pinned_op_has_those_of_its_routes_that_can_do_it(
    outline: Callable[..., Path], tmp_path: Path
) -> None:
    """Qwen3-8B's `down` is Q4_K in one half of the layers; planes are of Q6_K alone."""
    path, chip = outline("qwen3-8b"), chips.get("h200")
    facts, layers = gguf_model.read(path), Layers.find(tmp_path, tmp_path, new=True)
    options = Options(path, "h200", numerics="q8", ops=("down",), fused=False)

    def routes(*pinned: str) -> list[set[str]]:
        asked = replace(options, pins={"down": pinned})
        _, items = filters.filter_all(search_session.request_for(asked, facts, chip, layers))
        return [{c.route.id for c in i.kept} for i in items]

    planes, other = "gemv_lanes_planes_q8", "gemv_lanes_q8"
    assert sorted(routes(planes, other), key=len)[0] == {other}
    assert planes in set().union(*routes(planes, other))
    assert routes(other) == [{other}, {other}]
    with pytest.raises(BoltbeamError, match=f"down/.*/Q4_K is left without.*{planes} cannot"):
        routes(planes)
    options = replace(options, ops=("o",))
    assert all(routes(planes))  # of an op that is not searched


def some(world: World, op: str = "o") -> list[Candidate]:
    item = next(i for i in world.session.found.items if i.work.op == op)
    return [c.candidate for c in fully_kept(world, item.work.key).kept][:4]


def test_a_search_that_probed_anew_takes_proofs_over(world: World, tmp_path: Path) -> None:
    """They are of the code, the software and the declared chip, not of what a probe found."""
    first = world.session.found.request.chip
    assert first.measured
    other = first.model_copy(update={"measured": {}})
    with Store.open(tmp_path / "runs.db") as store, Pool("CPU", 1, toolchain.environment()) as pool:
        for n, chip in enumerate((first, other)):
            work = DeviceWork(
                pool, chip, Memory(store, f"search {n}"), False, Memory(store, "proofs/test")
            )
            assert all(isinstance(p, Proof) for p in work.prove(some(world), 0).values())
            assert (work.reused, work.asked) == ((0, 4), (4, 0))[n]


SHAPES = ["5", "[]", "[[1, 2]]", "null", "{}", '{"value": 1}', '{"failed": 3, "seconds": 1}'] + [
    f'{{"value": {value}, "failed": null, "seconds": 1}}'
    for value in ("5", "[]", "{}", "null", "[5]", '"a"', '[["a", 1.0, 1]]', '{"kernel": 1}')
]
"""JSON that is no answer to anything."""


def test_answers_of_another_shape_are_asked_again(
    world: World, work: DeviceWork, tmp_path: Path
) -> None:
    proved, raced = some(world)[:1], some(world)[:2]

    def asked() -> tuple[int, int]:
        work.reused = work.asked = 0
        assert all(isinstance(p, Proof) for p in work.prove(proved, 0).values())
        assert all(isinstance(us, float) for us in work.race(raced, 0).values())
        return work.reused, work.asked

    old = ""
    with contextlib.closing(sqlite3.connect(tmp_path / "runs.db")) as db:
        for shape in SHAPES:
            assert asked() == (0, 2), old
            while len(db.execute("select 1 from results where result != ?", (old,)).fetchall()) < 2:
                time.sleep(0.01)  # a worker's thread stores its answer when it is already here
            db.execute("update results set result = ?", (old := shape,))
            db.commit()
    assert asked() == (0, 2), old


def test_proofs_need_no_lock_and_races_wait_for_it(
    world: World, work: DeviceWork, capsys: pytest.CaptureFixture[str]
) -> None:
    """That is told once, and costs no budget."""
    candidates = some(world)
    begun, clock = time.monotonic(), work.clock()
    raced = threading.Event()
    with locks.lock(work.chip.id):
        assert all(isinstance(p, Proof) for p in work.prove(candidates, 0).values())
        thread = threading.Thread(target=lambda: work.race(candidates, 0) and raced.set())
        thread.start()
        assert not raced.wait(1.1 * locks.PATIENCE_S)  # longer than a job waits
    assert raced.wait(60)
    thread.join()
    passed_s, counted_s = time.monotonic() - begun, work.clock() - clock
    assert work.waited_s >= locks.PATIENCE_S
    assert passed_s - counted_s == pytest.approx(work.waited_s, abs=1)
    (said,) = capsys.readouterr().err.splitlines()
    assert f"(pid {os.getpid()}) is timing on {work.chip.id}; waiting" in said


def test_a_worker_that_dies_or_hangs_costs_one_answer(
    world: World, work: DeviceWork, monkeypatch: pytest.MonkeyPatch
) -> None:
    candidates = some(world)
    assert all(isinstance(p, Proof) for p in work.prove(candidates, 1).values())
    monkeypatch.setattr(device_work, "PROVE_S", 20.0)
    for sig, reason in ((signal.SIGSEGV, "crash"), (signal.SIGSTOP, "timeout")):
        victim = work.pool.pids()[0]
        os.kill(victim, sig)
        answers = work.prove(candidates, 2 if reason == "crash" else 3)
        failed = [a for a in answers.values() if isinstance(a, Outcome)]
        assert [f.reason for f in failed] in ([reason], [])  # idle ones are started anew
        assert len(answers) == len(candidates)


def test_a_race_that_breaks_is_run_in_halves(world: World, work: DeviceWork) -> None:
    """One that cannot be emitted breaks the race of all; the others still get their times."""
    good = some(world)[:3]
    bad = good[0].model_copy(update={"geometry": good[0].geometry.parse("rows=7")})
    answers = work.race([good[0], bad, *good[1:]], 0)
    assert isinstance(answers[bad.key], Outcome)
    assert all(isinstance(answers[c.key], float) for c in good)


def test_a_wrong_incumbent_leaves_nothing_to_compare(
    world: World, work: DeviceWork, monkeypatch: pytest.MonkeyPatch
) -> None:
    """No racer of the item may stand in a plan."""
    item = next(i for i in world.session.found.items if i.racers)
    item = replace(item, timed={}, failures={})
    no = {"verdict": "failed", "reason": WRONG_INCUMBENT, "number": 7.0, "limit": 1.0}
    monkeypatch.setattr(work, "_one", lambda *asked: JobResult(value=asked[-1](no)))
    search.compare(item, item.considered(item.racers[0]), world.session.found.request, work, 2)
    assert item.stopped == WRONG_INCUMBENT and not item.racers and not item.timed
    assert not search.options([item])
    assert [o.number for o in item.failures.values()] == [7.0]


def test_stopping_a_pool_at_work_stores_no_verdict(world: World, work: DeviceWork) -> None:
    thread = threading.Timer(0.3, work.pool.close)
    thread.start()
    with pytest.raises((Closed, CancelledError)):
        for seed in range(1000):
            work.prove(some(world), seed)
    thread.join()
    assert isinstance(work.memory, Memory)
    stored = work.memory.store.find("results", search="test")
    assert all(json.loads(s["result"])["failed"] is None for s in stored)


def test_a_worker_that_is_killed_at_a_probe_is_no_chip_without_an_answer(
    tiny: Make, shell: Shell
) -> None:
    child = shell.start("search", "--model", tiny(), "--context", str(CONTEXT), "--jobs", "1")
    try:
        while child.poll() is None:
            time.sleep(2)
            ps = ["ps", "-o", "pid=,args=", "--ppid", str(child.pid)]
            for line in subprocess.run(ps, capture_output=True, text=True).stdout.splitlines():
                pid, _, what = line.strip().partition(" ")
                if "boltbeam.worker" in what:
                    os.kill(int(pid), signal.SIGKILL)
        out, err = child.communicate()
    finally:
        child.kill()
    done = Done(child.returncode, out, err)
    refused(done, 3, "a worker on CPU ended (SIGKILL)", "try again", said_before=True)
