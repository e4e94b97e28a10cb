"""What `promote` refuses before anything is measured, and that it leaves nothing behind."""

from __future__ import annotations

import contextlib
import json
import sqlite3
import sys
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import decode_cases
import numpy as np
import pytest
from cli_cases import Done, Shell, refused
from review_cases import CLEAN, TOKEN, kernel, token
from review_cases import plan as plan_of
from test_ledger import measured

from boltbeam import emit, registry
from boltbeam.commands import commands, plan_in_use
from boltbeam.emit.core import Target
from boltbeam.measure import software
from boltbeam.models import gguf_model, plan
from boltbeam.predict import chips
from boltbeam.proof import verify
from boltbeam.records import ledger, ledger_check, record, standing, verified
from boltbeam.records.decide import decide
from boltbeam.records.decisions import member, promote_plan, rollback, token_gates
from boltbeam.records.entries import Decision, Gate, LedgerRow
from boltbeam.records.ledger import Layer, Layers, sealed
from boltbeam.records.record import Environment
from boltbeam.records.store import Store
from boltbeam.search import machine, search_session
from boltbeam.search.search_session import Options
from boltbeam.token import promotable, promotion, token_process
from boltbeam.token.agreement import Reply, Trace, judge
from boltbeam.token.token_gate import TokenTimes
from boltbeam.types import BoltbeamError, Measured, Outcome, Verdict

Cli = Callable[..., Done]
SYNTHETIC = "tiny-llama (synthetic, seed 0)"
RUN_GATES = promotion.run_gates
"""As it is: the fixture puts `no_gates` in its place."""


def no_gates(*_: Any) -> Any:
    raise AssertionError("a gate ran")


@dataclass(frozen=True)
class Searched:
    """A finished search of one row, by the store; the row is in the ledger folder."""

    cli: Cli
    shell: Shell
    row: LedgerRow
    env: Environment
    summary: dict[str, Any]

    def promote(self, *words: str, ledger: Path | None = None, **changes: Any) -> Done:
        with Store.open() as store:
            store.finish_search("s1", {**self.summary, **changes})
        return self.cli("promote", *words, "--ledger", ledger or self.shell.ledger)

    @property
    def files(self) -> list[Path]:
        return [*ledger.files(self.shell.ledger), *ledger.files(self.shell.data / "ledgers")]


@pytest.fixture
def searched(cli: Cli, shell: Shell, tiny: Any, monkeypatch: pytest.MonkeyPatch) -> Searched:
    """Of a name that is not synthetic, so that each test meets its own refusal."""
    monkeypatch.setattr(promotion, "run_gates", no_gates)
    chip = machine.local_chip("CPU")
    env = Environment.here(chip.id, model="real", **software.here("CPU"))
    row = kernel(0.5, env=env)
    ledger.write_file(shell.ledger, [row])
    found = {
        "model": str(tiny()),
        "name": "real",
        "header_hash": "",
        "chip": chip.model_dump(mode="json", exclude_none=True),
        "context": 512,
        "plan_key": "abcd",
        "us": 1.0,
        "members": [
            {"work_key": row.work, "route": row.route, "geometry": row.geometry, "us": 1.0}
            | {"takes": "f32", "gives": "f32", "evidence": "", "row": row.id}
        ],
        "stopped": "",
        "ledger": str(shell.ledger),
    }
    with Store.open() as store:
        store.begin_search("s1", chip.id, "")
    return Searched(cli, shell, row, env, found)


def test_a_plan_in_force_is_said_and_nothing_is_run_or_written(searched: Searched) -> None:
    whole = token(0.5, env=searched.env)
    plan = promote_plan(
        whole.scope,
        [member(searched.row)],
        {"proof": Gate(passed=True)},
        [512],
        replaces=None,
        reason="won",
        evidence=[whole.id],
    )
    ledger.write_file(searched.shell.ledger, [whole, plan])
    before = searched.files
    done = searched.promote()
    assert (done.code, done.out) == (0, "")
    assert done.err == f"this plan is already in force (decision {plan.id})\n"
    assert searched.files == before
    refused(searched.promote(context=256), 2, "--yes")  # another context is another question
    other = kernel(0.4, env=searched.env, geometry="lanes=8")
    ledger.write_file(searched.shell.ledger, [other])
    members = [{**searched.summary["members"][0], "row": other.id}]
    refused(searched.promote(members=members), 2, "--yes")


def test_rows_that_are_elsewhere(searched: Searched, tmp_path: Path) -> None:
    done = searched.promote("--yes", ledger=tmp_path / "other")
    folder = searched.shell.ledger
    refused(done, 2, f"search s1 was recorded in {folder}: --ledger {folder}")
    for path in ledger.files(folder):
        path.unlink()
    refused(searched.promote("--yes"), 2, f"no longer in {folder}", "--record")
    assert searched.files == []


def test_random_weights_prove_no_tokens(searched: Searched) -> None:
    refused(searched.promote("--yes", name=SYNTHETIC), 1, SYNTHETIC, "nominated", "--synthetic")
    refused(searched.promote("--synthetic", name=SYNTHETIC), 2, "--yes")


def test_nobody_to_ask(searched: Searched, monkeypatch: pytest.MonkeyPatch) -> None:
    refused(searched.promote(), 2, "say --yes")
    monkeypatch.setattr(sys, "stdin", None)  # as Python has it where it was closed
    refused(searched.promote(), 2, "say --yes")
    assert len(searched.files) == 1


def test_a_context_too_small_for_the_reference_prompts(
    searched: Searched, capsys: pytest.CaptureFixture[str]
) -> None:
    model = Path(searched.summary["model"])
    needed = promotion.context_needed(model)
    assert 64 < needed < promotion.CONTEXT_ENOUGH
    refused(searched.promote("--yes", context=needed - 1), 2, f"--context {needed} or more")
    assert promotable.too_small(model, needed) == 0
    commands.warn_of_room(Options(model, "cpu", context=64))
    commands.warn_of_room(Options(model, "cpu", context=needed))
    (line,) = capsys.readouterr().err.splitlines()
    assert f"prompts need {needed}" in line


def test_a_refused_plan_leaves_its_rows_and_is_not_in_use(
    searched: Searched, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Tokens that are not the model's: verdict wrong, whatever the time; and what may pass."""
    trace = Trace((1,), tuple(range(64)), gaps=(0.3,) * 64)
    said = np.eye(64, dtype=np.float32)[[*range(1, 6), *range(5, 64)]]
    result = judge([trace], [Reply(said, ())], "q8_activations", against="recorded engine")
    assert not result.ok and len(result.mismatches) == 5
    fine = Gate(passed=True, number=1.0, limit=1.2)
    wrong = promotion.diverged([result], fine)
    assert wrong is not None and "5 mismatches, allowed 3" in wrong.detail
    assert promotion.diverged([], fine) is None
    noisy = promotion.diverged([], Gate(passed=False, number=1.5, limit=1.2))
    assert noisy is not None and (noisy.reason, noisy.number) == ("quality", 1.5)

    def refusal(why: Outcome, us: float, **more: Any) -> LedgerRow:
        return record.token_row(
            "abcd",
            why,
            searched.env,
            tokens=result.verdict,
            position=0,
            measurement=measured(us),
            protocol=registry.protocols()["token-abba-v1"],
            incumbent="stock",
            numerics="q8_activations",
            **more,
        )

    row = refusal(wrong, 0.5)
    failed = Gate(passed=False, number=5)
    gates = SimpleNamespace(
        gates={"tokens, recorded engine": failed},
        failed=("tokens, recorded engine",),
        times=SimpleNamespace(seconds={}),
        rows=(row,),
    )
    monkeypatch.setattr(promotion, "run_gates", lambda *_: gates)
    done = searched.promote("--yes")
    refused(done, 1, "refused by tokens, recorded engine", "--numerics exact", said_before=True)
    assert len(searched.files) == 2
    assert ledger_check.check(searched.shell.ledger, registry.protocols()).problems == []
    layers = Layers.find(ledger_dir=searched.shell.ledger)
    assert not standing.plans(layers, row.chip)
    gates.rows = (refusal(wrong, 0.6),)  # asked again: as wrong, in another time
    done = searched.promote("--yes")
    refused(done, 1, "refused by tokens, recorded engine", said_before=True)
    assert "nothing was written" in done.err and len(searched.files) == 2
    slower = Outcome(verdict=Verdict.slower, reason="interval", detail="positions 0 to 24")
    other = Outcome.model_validate(wrong.model_dump() | {"detail": "6 mismatches"})
    for n, new in enumerate(
        (
            refusal(wrong, 0.6, members=[searched.row.id]),  # of another plan
            refusal(other, 0.6),
            refusal(slower, 1.5),  # a time is evidence each time
            refusal(slower, 1.6),
        )
    ):
        gates.rows = (new,)
        assert "wrote" in searched.promote("--yes").err and len(searched.files) == 3 + n


def test_the_last_search_of_a_model(searched: Searched, tiny: Any, tmp_path: Path) -> None:
    other = tiny("tiny-qwen3")
    mine = {"fingerprint": gguf_model.fingerprint(tiny())}
    header = gguf_model.read(tiny()).header_hash
    with Store.open() as store:
        chip = searched.row.chip
        store.begin_search("s0", chip, header)
        store.finish_search("s0", {**searched.summary, **mine, "members": [], "stopped": "of s0"})
    theirs = {"members": [], "stopped": "of s1"}
    assert "of s1" in searched.promote("--nominate", **theirs).err  # the last of all
    moved = tmp_path / "moved.gguf"
    moved.write_bytes(tiny().read_bytes())
    for words in (("--model", str(moved)), ("--model", str(moved), "--context", "512")):
        assert "of s0" in searched.promote("--nominate", *words, **theirs).err
    none = searched.promote("--nominate", "--model", str(other), **theirs)
    assert none.code == 2 and f"no finished search of {other.name} with these weights" in none.err
    none = searched.promote("--nominate", "--context", "96", **theirs)
    assert none.code == 2 and "no finished search at a context of 96" in none.err


PLANTED = """#!{python}
import sys
sys.path.insert(0, {tests!r})
from decode_cases import WrongLayer
from boltbeam.token import token_process
token_process.sharing = lambda copies: WrongLayer
sys.exit(token_process.main())
"""
"""A fresh process of the gates, in which every plan takes a table from another layer."""


def test_rows_of_a_plan_that_its_tokens_refuse(
    searched: Searched, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One prompt to a small model; half of stock's time would be a win."""
    half = TokenTimes(tokens=8, start=0, seconds={"candidate": (0.01,) * 6, "stock": (0.02,) * 6})
    monkeypatch.setattr(promotion, "_times", lambda *_: (half,))
    monkeypatch.setattr(promotion, "PROMPTS", promotion.PROMPTS[-1:])
    monkeypatch.delenv("CACHEDB")  # of compiled kernels: theirs are those of other tests
    path = Path(searched.summary["model"])
    facts, chip = gguf_model.read(path), machine.local_chip("CPU")
    context = promotion.context_needed(path)
    members: dict[str, dict[str, Any]] = {}
    rows = []
    for m in decode_cases.whole_token(facts, context, chip=chip):
        route = registry.route(m.route)
        made = {"route": m.route, "geometry": str(m.geometry)}
        if m.work.key in members:
            continue
        launches = emit.launches(m.work, route, m.geometry, Target("CPU", chip))
        emitter = verify.emitter_hash(launches)
        rows.append(kernel(0.5, searched.env, work=m.work.key, emitter_hash=emitter, **made))
        members[m.work.key] = {"work_key": m.work.key, "us": 1.0, "row": rows[-1].id, **made}
        members[m.work.key] |= {"takes": route.takes, "gives": route.gives}
    ledger.write_file(searched.shell.ledger, rows)
    python = tmp_path / "python"
    python.write_text(PLANTED.format(python=sys.executable, tests=str(Path(__file__).parent)))
    python.chmod(0o755)
    monkeypatch.setattr(token_process.sys, "executable", str(python))
    found = {**searched.summary, "members": [*members.values()], "context": context}
    found["header_hash"] = facts.header_hash
    layers = Layers.find(ledger_dir=searched.shell.ledger)
    gates = RUN_GATES(found, layers, searched.env, None, None, lambda _: None)
    assert gates.failed[:2] == ("tokens, stock", "tokens, stock, on its KV cache")
    assert not gates.gates["whole token"].passed
    (row,) = gates.rows
    assert (row.verdict, row.reason) == (Verdict.wrong, "tokens-diverged")
    assert row.tokens == "diverged"


def test_what_to_type_next(tmp_path: Path) -> None:
    asked, led = Options(tmp_path, "cl"), tmp_path / "a b"
    given, default = Layers.find(tmp_path, led, new=True), Layers.find(tmp_path)
    words = f"boltbeam promote --chip cl --ledger '{led}'"
    assert search_session.next_step(asked, given, "real") == words
    assert search_session.next_step(asked, default, "real") == "boltbeam promote --chip cl"
    assert f"{words} --nominate; " in search_session.next_step(asked, given, SYNTHETIC)


def test_a_token_cannot_be_faster_than_its_matrices_are_read(outline: Callable[..., Path]) -> None:
    """4,670,533,632 bytes of Qwen3-8B in Q4_K_M; a model that stays in the cache has no floor."""
    chip = chips.get("h200")
    large, small = (gguf_model.read(outline(n)) for n in ("qwen3-8b", "tiny-llama"))
    rate = chip.rate("read_gbps")
    assert rate is not None
    floor = promotion.token_floor_us(large, chip, 512)
    assert floor == pytest.approx(4_670_533_632 / (rate * 1e3))
    assert promotion.token_floor_us(small, chip, 512) is None
    unknown = chip.model_copy(update={"measured": {}})
    assert promotion.token_floor_us(large, unknown, 512) is None
    m = measured(0.7)
    outcome = decide(m, TOKEN, 2 * max(m.candidate_us))
    row = record.token_row(
        "p", outcome, Environment("cpu-test"), tokens="identical", position=0, measurement=m,
        protocol=TOKEN, incumbent="stock", floor_us=2 * max(m.candidate_us),
    )  # fmt: skip
    gates = token_gates([row])
    assert not any(g.passed for g in gates.values())
    assert any("probe it again" in g.detail for g in gates.values())


def test_a_row_of_whole_tokens_says_how_many_its_turns_had(searched: Searched) -> None:
    seconds = {"candidate": (0.02,) * 6, "stock": (0.01,) * 6}
    engine = token_process.Engine(model="x", chip=machine.local_chip("CPU"), context=512)
    for fewer, runs in (({}, 8), ({"candidate": 4}, 4)):
        times = TokenTimes(tokens=8, start=0, seconds=seconds, fewer=fewer)
        made = promotion._token_row(
            searched.summary, times, "stock", (), engine, searched.env, None
        )
        assert made.runs == runs


def test_a_search_of_one_op_does_not_take_the_whole_plans_place(searched: Searched) -> None:
    said = "boltbeam: the search of down alone came later and is no whole plan"
    assert "no whole plan" not in searched.promote().err
    done = searched.promote(members=[], ops=["down"])  # with the same id: it may take over results
    refused(done, 2, "--yes", said_before=True)
    assert done.err.startswith(said) and "(search s1)" in done.err
    chip = searched.summary["chip"]["id"]
    with Store.open() as store:  # with another seed, another id
        store.finish_search("s1", searched.summary)
        store.begin_search("s2", chip, "")
        store.finish_search("s2", {**searched.summary, "members": [], "ops": ["down"]})
        done = searched.cli("promote", "--ledger", searched.shell.ledger)
        refused(done, 2, "--yes", said_before=True)
        assert done.err.startswith(said) and "(search s1)" in done.err
        store.finish_search(
            "s2", {**searched.summary, "members": [], "ops": ["down"], "context": 9}
        )
        done = searched.cli("promote", "--ledger", searched.shell.ledger)
        refused(done, 2, "search s2 ", "ended without a whole plan")  # of no such context
    done = searched.promote(members=[], stopped="interrupted")
    refused(done, 2, "--yes", said_before=True)
    assert "a later search ended early (interrupted)" in done.err


def test_a_search_that_was_interrupted_has_no_plan(searched: Searched) -> None:
    refused(searched.promote(members=[], stopped="interrupted"), 2, "without a whole plan (inter")


def test_an_interrupted_search_with_another_seed_hides_no_finished_one(searched: Searched) -> None:
    searched.promote()
    chip = searched.summary["chip"]["id"]
    with Store.open() as store:
        store.begin_search("s8", chip, "")
        store.finish_search("s8", {**searched.summary, "members": [], "stopped": "interrupted"})
    done = searched.cli("promote", "--ledger", searched.shell.ledger)
    refused(done, 2, "--yes", said_before=True)
    assert "a later search ended early (interrupted); this is the plan before it" in done.err


def test_a_nominated_plan_is_of_the_whole_file_and_of_its_weights(
    searched: Searched, tiny: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    path = Path(searched.summary["model"])
    facts, chip = gguf_model.read(path), machine.local_chip("CPU")
    mine = {**searched.summary, "fingerprint": gguf_model.fingerprint(path)}
    mine["members"] = [{**mine["members"][0], "route": "scheduler", "work_key": "decode/ast/x"}]
    with Store.open() as store:
        store.begin_search("n1", chip.id, facts.header_hash)
        with pytest.raises(BoltbeamError, match="found a whole plan of"):
            plan_in_use.engine_nominated(path, facts, chip, 512)
        store.finish_search("n1", mine)
        store.finish_search("n1", {**mine, "members": [], "ops": ["down"]})
    assert plan_in_use.engine_nominated(path, facts, chip, 512).model == str(path)
    assert capsys.readouterr().err == ""
    with pytest.raises(BoltbeamError, match="at a context of 64; search it first"):
        plan_in_use.engine_nominated(path, facts, chip, 64)
    other = path.with_name("other.gguf")
    data = path.read_bytes()
    other.write_bytes(data[:-64] + bytes(64))
    assert gguf_model.read(other).header_hash == facts.header_hash
    plan_in_use.engine_nominated(other, facts, chip, 512)
    said = capsys.readouterr().err
    assert (
        "search n1 was of" in said and "had other weights" in said and len(said.splitlines()) == 1
    )
    older = {k: v for k, v in mine.items() if k != "fingerprint"}
    with Store.open() as store:
        store.finish_search("n1", older)
    plan_in_use.engine_nominated(path, facts, chip, 512)
    assert "did not record its weights" in capsys.readouterr().err


def test_a_ledger_that_cannot_be_written_is_told_before_anything_runs(
    searched: Searched, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(machine, "open_device", no_gates)
    file = searched.shell.folder / "file"
    file.write_text("")
    model = searched.summary["model"]
    words = ("--ledger", file / "led")
    for command in (("search", "--model", model), ("promote", "--yes"), ("chip", "probe")):
        refused(searched.cli(*command, *words), 2, f"cannot write to {file}/led: Not a directory")
    dry = searched.cli("search", "--model", model, "--dry-run", "--chip", "h200", *words)
    assert (dry.code, file.read_text()) == (0, ""), dry.err


def test_a_look_whether_a_ledger_can_be_written_leaves_nothing(tmp_path: Path) -> None:
    Layers((Layer("given", tmp_path / "a" / "b"),)).require_writable()
    assert not list(tmp_path.iterdir())


def test_a_plan_for_fewer_positions_says_what_to_search(searched: Searched) -> None:
    facts, chip = gguf_model.read(searched.summary["model"]), machine.local_chip("CPU")
    key = plan.model_plan_key(facts, 512)
    whole = sealed(token(0.5, env=searched.env).model_copy(update={"plan_key": key, "id": ""}))
    gates = {"proof": Gate(passed=True)}
    made = promote_plan(
        whole.scope,
        [member(searched.row)],
        gates,
        [512],
        replaces=None,
        reason="won",
        evidence=[whole.id],
    )
    ledger.write_file(searched.shell.ledger, [whole, made])
    layers = Layers.find(ledger_dir=searched.shell.ledger)
    assert plan_in_use.plan_here(Path("a model.gguf"), facts, chip, layers, 500, None)[:2] == (
        made,
        512,
    )
    _, context, why = plan_in_use.plan_here(Path("a model.gguf"), facts, chip, layers, 600, None)
    assert context == 1024
    said = f"promoted for 512 positions only; needed 600 positions on {chip.id}: boltbeam search "
    assert why.startswith(f"{said}--model 'a model.gguf' --chip cpu --context 1024, then promote")


def test_a_doubt_is_no_comparative() -> None:
    assert token_gates([token(0.5, "stock")])["whole token"].detail.startswith("faster than stock:")
    doubt = token_gates([token(0.999, "stock")])["whole token"]
    assert doubt.detail.startswith("ambiguous against stock:")


def test_routes_are_verified_on_the_real_models_whose_tokens_they_passed(tmp_path: Path) -> None:
    """By plans in force, and by whole tokens that were refused for their time alone."""
    row, other = kernel(0.5), kernel(0.6, model="tiny (synthetic, seed 0)")
    asked = [(row.route, row.work)]
    how = f"{row.route} {row.work.split('/')[3]}"
    none, real = f"verified on no real model yet: {how}", f"verified on {row.model}: {how}"

    def said(*entries: LedgerRow | Decision) -> str:
        ls = Layers((Layer("given", tmp_path / str(len(list(tmp_path.iterdir())))),))
        ls.write([row, other, *entries])
        assert ledger_check.check(ls.top, registry.protocols()).problems == []
        return verified.verified_on(asked, ls, row.chip)

    slow = token(1.2, members=(row.id,))
    assert slow.verdict is Verdict.slower and said(slow) == real
    fake = token(0.5, env=replace(CLEAN, model=other.model), members=(other.id,))
    assert said() == said(token(1.2)) == said(fake) == none
    assert said(token(1.2, tokens="diverged", members=(row.id,))) == none
    wrong = slow.model_copy(update={"verdict": Verdict.wrong, "reason": "kl", "timing": "untimed"})
    assert said(sealed(LedgerRow.model_validate(dict(wrong)))) == none
    later = {"date": "2031-01-01T00:00:00Z"}
    turned = token(1.2, tokens="diverged", members=(row.id,)).model_copy(update=later)
    assert said(slow, sealed(LedgerRow.model_validate(dict(turned)))) == none
    second = slow.model_copy(update={**later, "model": "Another 1B"})
    assert said(slow, sealed(LedgerRow.model_validate(dict(second)))) == (
        f"verified on Another 1B: {how}"
    )
    fast = token(0.5, incumbent="stock", members=(row.id,))
    made = plan_of([row], fast)
    assert said(fast, made) == real
    assert said(fast, made, rollback(made, reason="wrong words")) == none
    # the same route on other formats has passed: that is said, and not that this one has
    asked[0] = (row.route, row.work.replace(row.work.split("/")[3], "Q5_1"))
    assert said(slow) == (
        f"verified on {row.model} in other formats: {row.route} Q5_1 (there {how.split()[-1]})"
    )
    assert said() == f"verified on no real model yet: {row.route} Q5_1"
    # unless on these it has failed
    failed = sealed(row.model_copy(update={"work": asked[0][1], "formats": ("Q5_1",)}))
    lost = token(1.2, tokens="diverged", members=(failed.id,))
    assert said(slow, failed, lost) == f"verified on no real model yet: {row.route} Q5_1"


@pytest.mark.parametrize("cited", ["nowhere", "a probe", "a wrong kernel"])
def test_a_whole_token_cites_kernels_that_may_stand_in_a_plan(tmp_path: Path, cited: str) -> None:
    ls = Layers((Layer("given", tmp_path / "ledgers"),))
    row, words = kernel(0.5), "which is nowhere"
    entries: list[LedgerRow] = []
    if cited == "a probe":
        rate = Measured(value=40, unit="GB/s", how="test", date="2026-11-29")
        row, words = record.probe_row({"read_gbps": rate}, CLEAN), "which is a probe"
        entries = [row]
    if cited == "a wrong kernel":
        no = {"verdict": Verdict.wrong, "reason": "error-bound", "timing": "untimed", "proof": "no"}
        row = sealed(LedgerRow.model_validate(dict(row) | no))
        words, entries = "which is a kernel, 'wrong'", [row]
    ls.write([*entries, token(0.5, members=(row.id,))])
    problems = ledger_check.check(ls.top, registry.protocols()).problems
    assert [p.code for p in problems] == ["evidence"] and words in problems[0].message


DAMAGED = [5, [], "a", {}, {"members": 5}, {"members": [5]}, {"members": [{}]}, {"chip": 1}]
DAMAGED += [{"chip": {"id": "x"}}, {"context": []}, {"table": 5}, {"model": None}]


@pytest.mark.parametrize("change", DAMAGED, ids=str)
def test_a_search_of_another_shape_is_one_line(searched: Searched, change: Any) -> None:
    """JSON all of it, but not what a search leaves."""
    assert searched.promote("--yes", stopped="x", members=[]).code == 2
    if isinstance(change, dict) and change:
        change = {**searched.summary, **change}
    with contextlib.closing(sqlite3.connect(searched.shell.data / "runs.db")) as db:
        db.execute("update searches set summary = ?", (json.dumps(change),))
        db.commit()
    refused(searched.cli("promote", "--yes"), 2, "search s1 is damaged; search again")
    whole = {"members": searched.summary["members"]}
    with Store.open() as store:  # what comes after it takes its place
        store.finish_search("s1", {**searched.summary, **whole})
        assert commands.last_search(store, machine.local_chip("CPU"))["id"] == "s1"
