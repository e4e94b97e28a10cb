"""Why this kernel: the whole chain, from the repository's own ledger and from a promoted plan."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

from cli_cases import Done, Shell, refused
from review_cases import CLEAN, kernel, token
from review_cases import plan as plan_of
from test_ledger import CHIP, WORK, layers

from boltbeam import explain, plan, synth
from boltbeam.decisions import refute, rollback
from boltbeam.entries import Funnel, LedgerRow, Scope
from boltbeam.ledger import sealed
from boltbeam.record import funnel_row
from boltbeam.types import OPS, ChipFacts

Cli = Callable[..., Done]
MODEL = synth.facts("smollm2-135m")
HERE = ChipFacts(id=CHIP, name="a test", device="CPU")
KEY = plan.plan_key((o.work.key, o.work.count) for o in plan.occurrences(MODEL, 512, OPS)[1])


def said(folder: Path, *ops: str, here: Scope | None = None, context: int = 512) -> str:
    e = explain.explain(MODEL, HERE, layers(folder), context, ops, here)
    return "\n".join(explain.sentences(e))


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
        "of 47 candidates 40 were legal, 7 illegal (rows-divide 7), 35 pruned (predicted-slow 35)",
        f"runner-up: gemv_rows (lanes=8) 32 µs, +60.0% against the chosen; row {slow.id}",
        f"cold 2.2x, A/A 0.30%; row {row.id}",
    ):
        assert words in text, (words, text)


def test_what_is_not_used_says_in_which_field_it_differs(tmp_path: Path) -> None:
    promoted(tmp_path)
    here = Scope(chip=CHIP, tinygrad="0.15.0", driver="2")
    text = said(tmp_path, here=here)
    assert "tinygrad: recorded 0.14.0, here 0.15.0 (not used)" in text
    assert "driver: recorded ?, here 2 (used after a local check)" in text
    other = said(tmp_path, context=1024)
    assert "No plan is promoted for exactly this token: stock runs." in other
    assert "is for a token with other steps, at 512 positions" in other
    e = explain.explain(MODEL, replace_chip("nv-sm90"), layers(tmp_path), 512)
    assert f"is for chip {CHIP}" in "\n".join(explain.sentences(e))
    elsewhere = explain.explain(synth.facts("qwen3-0.6b"), HERE, layers(tmp_path), 512)
    assert "has other shapes or formats: down/576x1536/Q4_1" in "\n".join(
        explain.sentences(elsewhere)
    )


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
    assert "row c19934c70958" in done.out and "read_gbps" in done.out
    one = json.loads(cli("explain", "--model", path, "--chip", "h200", "--op", "argmax",
                         "--format", "json").out)  # fmt: skip
    assert {s["work"].split("/")[1] for s in one["steps"]} == {"argmax", "head+argmax"}
    none = cli("explain", "--model", path, "--chip", "m3", "--ledger", shell.folder)
    assert "The ledger says nothing about this token on this chip" in none.out
    refused(cli("explain", "--model", path, "--op", "hed", "--chip", "m3"), 2, "'head'")


def test_fused_work_is_set_beside_its_parts(tmp_path: Path) -> None:
    keys = {o.work.op: o.work.key for o in plan.occurrences(MODEL, 512, ("norm+qkv", "qkv"))[1]}
    norm = next(o.work.key for o in plan.occurrences(MODEL, 512, ("norm",))[1])
    ls = layers(tmp_path)
    ls.write([kernel(0.1, work=norm), kernel(0.5, work=keys["qkv"]), kernel(0.4, work=keys["norm+qkv"])])  # fmt: skip # noqa: E501
    assert "fused: its ops one by one would take 24 µs" in said(tmp_path, "qkv")
