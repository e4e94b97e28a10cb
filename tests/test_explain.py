"""Why this kernel: the whole chain, from the repository's own ledger and from a promoted plan."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from cli_cases import Done, Shell, refused
from review_cases import CLEAN, kernel, newest, token
from review_cases import plan as plan_of
from test_ledger import CHIP, WORK, layers
from test_registry_views import real_row

from boltbeam.models import plan, synth
from boltbeam.records import explain, explain_words, ledger
from boltbeam.records.decisions import refute, rollback
from boltbeam.records.entries import Cut, Funnel, LedgerRow, Racer, Scope
from boltbeam.records.ledger import sealed
from boltbeam.records.record import funnel_row
from boltbeam.types import OPS, ChipFacts

Cli = Callable[..., Done]
MODEL = synth.facts("smollm2-135m")
HERE = ChipFacts(id=CHIP, name="a test", device="CPU")
KEY = plan.plan_key((o.work.key, o.work.count) for o in plan.occurrences(MODEL, 512, OPS)[1])


def said(folder: Path, *ops: str, here: Scope | None = None, context: int = 512) -> str:
    e = explain.explain(MODEL, HERE, layers(folder), context, ops, here)
    return "\n".join(explain_words.sentences(e))


def promoted(folder: Path) -> tuple[LedgerRow, LedgerRow]:
    """A plan for exactly this token, its row and a slower one."""
    row, slow, whole = kernel(0.5), kernel(0.8, geometry="lanes=8"), token(0.5, "stock")
    whole = sealed(whole.model_copy(update={"plan_key": KEY, "id": ""}))
    funnel = Funnel(legal=40, illegal={"rows-divide": 7}, pruned={"predicted-slow": 35})
    about = funnel_row(WORK.key, "down", 30, funnel, CLEAN)
    ls = layers(folder)
    ls.write([row, slow, whole, about, plan_of([row], whole, plan_key=KEY)])
    return row, slow


def test_a_promoted_kernel_has_its_whole_chain(tmp_path: Path) -> None:
    row, slow = promoted(tmp_path)
    text = said(tmp_path)
    for words in (
        "decided by Jo Doe on 2026-11-29 in place of stock: passed all gates",
        "* gate whole token: passed 0.5, limit 1",
        "* whole token: 3 ms, 0.5 [",
        "tokens identical on SmolLM2 135M",
        "### down/576x1536/Q4_1, 30 times a token",
        "in the plan in force: 20 µs where stock took 40 (0.5 [",
        "of 47 candidates 40 were legal, 7 illegal (rows-divide 7), 35 pruned (predicted-slow 35); "
        "5 were kept; 0 were proved and 0 raced",
        f"runner-up: gemv_rows (lanes=8) 32 µs, +60.0% against the chosen; row {slow.id}",
        f"cold 2.2x, A/A 0.30%; row {row.id}",
    ):
        assert words in text, (words, text)


def test_a_nominated_plan_says_where_its_routes_were_verified_since(tmp_path: Path) -> None:
    """As the ledger knows today: its own row was written before another model passed."""
    row, random = kernel(0.5), replace(CLEAN, model="tiny (synthetic, seed 0)")
    whole = token(0.5, "stock", tokens="", env=random, members=(row.id,))
    nominated = {"plan_key": KEY, "decision": "nominated", "id": ""}
    layers(tmp_path).write([row, sealed(whole.model_copy(update=nominated))])
    text, how = said(tmp_path), f"{row.route} Q4_1"
    assert "* whole token of the plan nominated last: 3 ms, 0.5 [" in text
    assert "; tokens untested on tiny (synthetic, seed 0); " in text
    assert f"* its routes, verified on no real model yet: {how}\n" in text
    passed = token(1.2, "stock", members=(row.id,)).model_copy(update={"plan_key": "other"})
    layers(tmp_path).write([sealed(LedgerRow.model_validate(dict(passed)))])
    assert f"* its routes, verified on {row.model}: {how}\n" in said(tmp_path)


def test_what_climbing_took_up_is_counted_so_that_the_numbers_add_up(tmp_path: Path) -> None:
    funnel = Funnel(legal=40, pruned={"predicted-slow": 35}, proved=12, timed=9)
    layers(tmp_path).write([funnel_row(WORK.key, "down", 30, funnel, CLEAN)])
    text = said(tmp_path)
    assert "5 were kept, 7 or more of the pruned came back by climbing; 12 were proved" in text


def test_what_is_not_used_says_in_which_field_it_differs(tmp_path: Path) -> None:
    promoted(tmp_path)
    here = Scope(chip=CHIP, tinygrad="0.15.0", driver="2")
    text = said(tmp_path, here=here)
    assert "tinygrad: recorded 0.14.0, here 0.15.0 (not used)" in text
    assert "driver: recorded ?, here 2 (used after a local check)" in text
    assert "is NOT used here, stock runs instead" in text
    assert "in the plan that is not used here: 20 µs" in text
    soft = said(tmp_path, here=Scope(chip=CHIP, tinygrad="0.14.0", driver="2"))
    assert " runs, decided by" in soft and "not used" not in soft
    other = said(tmp_path, context=1024)
    assert "No plan is promoted for exactly this token: stock runs, tinygrad's own" in other
    assert ": context: recorded 512, here 1024 (not used)" in other
    e = explain.explain(MODEL, replace_chip("nv-sm90"), layers(tmp_path), 512)
    said_there = "\n".join(explain_words.sentences(e))
    assert f"chip: recorded {CHIP}, here nv-sm90 (not used)" in said_there
    elsewhere = explain.explain(synth.facts("qwen3-0.6b"), HERE, layers(tmp_path), 512)
    words = "\n".join(explain_words.sentences(elsewhere))
    for line in (
        "shape of down: recorded 576x1536, here 1024x3072 (not used)",
        "format of down: recorded Q4_1, here Q6_K (not used)",
    ):
        assert line in words, words


def test_a_table_for_tinygrads_own_kernels_is_named_as_one(tmp_path: Path) -> None:
    row, whole = kernel(0.5, work="decode/ast/0123456789abcdef/c512"), token(0.5, "stock")
    layers(tmp_path).write([row, whole, plan_of([row], whole)])
    assert "a table of Opts for tinygrad's own kernels" in said(tmp_path)


def test_what_an_older_search_did_not_record_is_said(tmp_path: Path) -> None:
    promoted(tmp_path)
    text = said(tmp_path)
    assert "the numbers that pruned were not recorded: boltbeam search --dry-run" in text
    assert "what other interfaces or spans would have cost: those searches did not" in text


def test_the_race_the_pruned_and_the_interfaces_have_their_numbers(tmp_path: Path) -> None:
    """What a search records in its funnels: by how much the others lost, and the free path."""

    def racer(route: str, us: float, takes: str = "f32", gives: str = "f32") -> Racer:
        return Racer(route=route, geometry="lanes=8", takes=takes, gives=gives, us=us)

    found = plan.occurrences(MODEL, 512, (*OPS, "norm+qkv"))[1]
    rows = []
    for o in found:
        race = [racer("a", 9.0), racer("b", 12.0)]
        if o.work.op == "norm+qkv":
            race = [racer("n", 12.0)]
        if o.work.op == "gate_up":
            race.append(racer("g", 5.0, gives="q8"))
        if o.work.op == "down":
            race = [racer("gemv_rows", 24.0), racer("d", 6.0, takes="q8")]
        cuts = {"predicted-slow": Cut(number=1.31, limit=1.3)}
        funnel = Funnel(
            legal=9, pruned={"predicted-slow": 5}, nearest=cuts, race=tuple(race), timed=2
        )
        rows.append(funnel_row(o.work.key, o.work.op, o.work.count, funnel, CLEAN))
    layers(tmp_path).write([kernel(0.6, geometry="lanes=8"), *rows])
    text = said(tmp_path, "down")
    assert "* pruned as predicted-slow: the nearest had 1.31, limit 1.3" in text
    assert "in the race: d (lanes=8, q8 -> f32) 6 µs, -75.0% against the chosen" in text
    steps = 8 * 30 + 4  # nine µs each, but 24 -> 5 + 6 - 9 with int8, and 12 for 18 when fused
    floats, free = 9 * steps + 15 * 30, 9 * steps - 7 * 30 - 6 * 30
    assert f"by the races: {free / 1e3:.4g} ms a token" in text
    ways = dict(explain.explain(MODEL, HERE, layers(tmp_path), 512).ways)
    assert ways["free"] == free
    assert ways["float activations between all launches"] == floats - 6 * 30
    assert ways["one op per launch"] == free + 6 * 30
    assert f"… with one op per launch: {(free + 180) / 1e3:.4g} ms, +" in text


def replace_chip(name: str) -> ChipFacts:
    return HERE.model_copy(update={"id": name})


def test_taken_back_and_refuted(tmp_path: Path) -> None:
    row, slow = promoted(tmp_path)
    ls = layers(tmp_path)
    (current,) = ls.decisions()
    real = sealed(slow.model_copy(update={"route": "gemv_rows_f32", "id": ""}))
    late = "2099-01-01T00:00:00Z"
    ls.write([real, rollback(current, reason="slower at 4096", date=late),
              refute([real], reason="loses", reopen_if="a new tinygrad", date=late)])  # fmt: skip
    text = said(tmp_path, "down")
    assert "stock runs" in text and "nominated by a search, not promoted" in text
    assert "gemv_rows_f32 is refuted: loses; reopen if a new tinygrad" in text
    assert row.id in text


def test_only_one_op(tmp_path: Path) -> None:
    promoted(tmp_path)
    assert "### down" in said(tmp_path, "down") and "### down" not in said(tmp_path, "head")


def test_no_such_op(cli: Cli, outline: Callable[..., Path]) -> None:
    path = outline("qwen3-8b")
    done = cli("explain", "--model", path, "--chip", "h200", "--op", "dwon")
    assert done.code == 2 and "--op dwon: no such op; did you mean 'down'?" in done.err


def test_the_repositorys_own_rows_without_a_device(
    cli: Cli, shell: Shell, outline: Callable[..., Path]
) -> None:
    path = outline("qwen3-8b")
    done = cli("explain", "--model", path, "--chip", "h200")
    assert done.code == 0 and "nominated by a search, not promoted" in done.out
    assert f"row {newest('gate_up/2x12288x4096/Q4_K')}" in done.out and "read_gbps" in done.out
    one = json.loads(cli("explain", "--model", path, "--chip", "h200", "--op", "argmax",
                         "--format", "json").out)  # fmt: skip
    assert {s["work"].split("/")[1] for s in one["steps"]} == {
        "argmax",
        "head+argmax",
        "norm+head+argmax",
    }
    none = cli("explain", "--model", path, "--chip", "m3", "--ledger", shell.folder)
    assert "The ledger says nothing about this token on this chip" in none.out
    refused(cli("explain", "--model", path, "--op", "hed", "--chip", "m3"), 2, "'head'")


@pytest.mark.parametrize("command", ["explain", "report", "registry"])
def test_lines_that_the_check_refuses_are_used_with_a_word(
    command: str, cli: Cli, shell: Shell, outline: Callable[..., Path]
) -> None:
    sound = real_row("gemv_lanes_q8")
    forged = sealed(sound.model_copy(update={"candidate_us": sound.incumbent_us, "id": ""}))
    path = ledger.write_file(shell.ledger, [sound, forged])
    ledger.write_file(shell.ledger, [real_row("embed_lanes")])
    if command == "registry":
        words: tuple[str | Path, ...] = ("registry", "show", "gemv_lanes_q8", "--no-source")
    else:
        words = (command, "--model", outline("qwen3-8b"), "--chip", "h200")
    words += ("--ledger", shell.ledger)
    if command == "report":
        words += ("--out", shell.folder / "page.html")
    done = cli(*words)
    file = f"given/{sound.chip}/{path.name}"
    told = [x for x in done.err.splitlines() if "not sound" in x]
    assert done.code == 0 and len(told) == 1 and "Traceback" not in done.err
    assert told[0].startswith(
        f"boltbeam: not sound, and used all the same: 1 line(s) of {file} (floor, interval, verdict"
    )
    if command == "report":
        assert f"1 line(s) of {file}" in (shell.folder / "page.html").read_text()
    path.unlink()
    assert "not sound" not in cli(*words).err


def test_fused_work_is_set_beside_its_parts(tmp_path: Path) -> None:
    keys = {o.work.op: o.work.key for o in plan.occurrences(MODEL, 512, ("norm+qkv", "qkv"))[1]}
    norm = next(o.work.key for o in plan.occurrences(MODEL, 512, ("norm",))[1])
    ls = layers(tmp_path)
    ls.write([kernel(0.1, work=norm), kernel(0.5, work=keys["qkv"]), kernel(0.4, work=keys["norm+qkv"])])  # fmt: skip # noqa: E501
    assert "fused: its ops one by one would take 24 µs" in said(tmp_path, "qkv")
