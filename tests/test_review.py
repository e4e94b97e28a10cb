"""ledger diff: an honest branch has no red flags, every planted fault has one with its place."""

from __future__ import annotations

import ast
import hashlib
import json
import random
import re
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from review_cases import (
    CHIP,
    CLEAN,
    GATES,
    PROTOCOLS,
    Repo,
    commit,
    git,
    kernel,
    plan,
    repository,
    token,
)
from test_ledger import rewrite

from boltbeam import emit, registry
from boltbeam.commands import rerender
from boltbeam.emit.core import Target
from boltbeam.files import PACKAGE
from boltbeam.proof import verify
from boltbeam.records import ledger, ledger_check, ledger_touched, red_flags, review
from boltbeam.records.decisions import refute, rollback
from boltbeam.records.entries import Gate, Interval, LedgerRow
from boltbeam.records.ledger import sealed
from boltbeam.records.record import Environment, probe_row
from boltbeam.records.red_flags import Difference, Flag
from boltbeam.schedule import schedules
from boltbeam.types import BoltbeamError, Geometry, Measured, Verdict


@pytest.fixture
def repo(tmp_path: Path) -> Repo:
    return repository(tmp_path)


def found(repo: Repo, head: str | None = None) -> review.Review:
    return review.review(repo.ledger, "main", head, PROTOCOLS)


def honest(repo: Repo) -> Path:
    """A search and a promotion as the commands write them."""
    row, whole = kernel(0.5), token(0.8)
    return repo.add(row, whole, plan([row], whole, repo.old))


# ---- what is shown -----------------------------------------------------------------------------


def test_nothing_new(repo: Repo) -> None:
    assert review.markdown(found(repo), "main..here") == (
        "## Ledger main..here\n\nNo ledger line is new."
    )


def test_an_honest_branch_in_the_order_a_reviewer_asks(repo: Repo) -> None:
    path = honest(repo)
    r = found(repo)
    assert r.flags == () and r.blocking == 0
    assert r.counts == {"kernel faster": 1, "plan": 1, "token faster": 1}
    (decision,), (step,), (whole,) = r.decisions, r.members, r.tokens
    assert (decision["now"], decision["in place of"]) == ("promoted", repo.old.id)
    assert decision["line"] == f"{CHIP}/{path.name}:3"
    assert (step["old µs"], step["new µs"], step["before"]) == (24.0, 20.0, "gemv_rows")
    assert step["of stock's time"].startswith("0.5 [") and step["% of ceiling"] == 100.0
    assert "cold 2.2x, A/A 0.30%" in step["state"]
    assert (whole["old ms"], whole["new ms"]) == (6.0, 4.8)
    assert whole["tokens"] == "identical" and whole["model"] == "SmolLM2 135M"
    text = review.markdown(r, "main..here")
    order = ["new lines", "kernel faster", "Promoted", "What runs now", "whole token", "Red flags"]
    at = [text.index(word) for word in order]
    assert at == sorted(at) and "no red flags" in text


def test_a_revision_says_what_the_files_say(repo: Repo) -> None:
    honest(repo)
    here = found(repo)
    commit(repo.root, "faster")
    assert found(repo, "HEAD") == here == found(repo)
    git(repo.root, "checkout", "-q", "main")
    assert found(repo).lines == 0 and found(repo, "work") == here


def test_what_main_added_meanwhile_is_not_missing(repo: Repo) -> None:
    honest(repo)
    commit(repo.root, "faster")
    git(repo.root, "checkout", "-q", "main")
    repo.add(kernel(0.55, seed=9))
    commit(repo.root, "another search")
    git(repo.root, "checkout", "-q", "work")
    assert found(repo).flags == () and found(repo, "work").flags == ()


def test_two_branches_that_add_files_merge_and_pass(repo: Repo) -> None:
    """The name is the content's hash, so that two pull requests never write the same file."""
    honest(repo)
    commit(repo.root, "one")
    git(repo.root, "checkout", "-qb", "other", "main")
    slow = kernel(1.2, seed=5)
    repo.add(slow, refute([slow], reason="loses", reopen_if="tinygrad"))
    commit(repo.root, "two")
    git(repo.root, "merge", "-q", "--no-edit", "work")
    assert git(repo.root, "status", "--porcelain") == ""
    assert len(list(ledger.files(repo.ledger))) == 3
    assert ledger_check.check(repo.ledger, PROTOCOLS, "main").problems == []
    assert found(repo, "other").flags == () and found(repo).lines == 5


def test_two_branches_that_found_the_same_merge_too(repo: Repo) -> None:
    row = kernel(0.5, seed=5)
    repo.add(row)
    commit(repo.root, "one")
    git(repo.root, "checkout", "-qb", "other", "main")
    repo.add(row)
    commit(repo.root, "the same")
    git(repo.root, "merge", "-q", "--no-edit", "work")
    assert ledger_check.check(repo.ledger, PROTOCOLS, "main").problems == []


def test_demoted_and_refuted(repo: Repo) -> None:
    slow = kernel(1.2)
    repo.add(
        slow,
        rollback(repo.old, reason="slower at 4096"),
        refute([slow], reason="loses", reopen_if="tinygrad"),
    )
    r = found(repo)
    assert [d["now"] for d in r.decisions] == ["demoted", "refuted"]
    assert r.decisions[1]["why"] == "loses (1.2 against 1.005); reopen if tinygrad"
    assert r.blocking == 0


def test_a_rollback_says_what_runs_now(repo: Repo) -> None:
    repo.add(rollback(repo.old, reason="slower at 4096"))
    (step,) = found(repo).members
    assert (step["before"], step["now"]) == ("gemv_rows", "stock")
    assert (step["old µs"], step["new µs"], step["row"]) == (24.0, 40.0, "")
    assert "| stock |" in review.markdown(found(repo), "x")


def test_a_refutation_shows_the_rows_it_rests_on(repo: Repo) -> None:
    """Also those that stood in the ledger before; and what it took against its rival."""
    row, rival = kernel(0.6, seed=7), kernel(0.3, route="gemv_other")
    repo.add(row, rival)
    commit(repo.root, "a search")
    git(repo.root, "branch", "-qf", "main")
    repo.add(refute([row], reason="loses", reopen_if="tinygrad", against=rival))
    r = found(repo)
    assert r.blocking == 0 and [x["row"] for x in r.refuted] == [row.id, rival.id]
    assert r.decisions[0]["why"].startswith("loses; 2 times the time of gemv_other (2 against 1)")
    assert "### What was refuted, on these rows" in review.markdown(r, "x")


def test_the_whole_token_has_its_share_of_the_ceiling(repo: Repo) -> None:
    """The floors of its members, thirty times a token, by its time."""
    honest(repo)
    (whole,) = found(repo).tokens
    assert whole["% of ceiling"] == pytest.approx(100 * 20.0 * 30 / 4800)


def test_an_edited_line_says_which_fields(repo: Repo) -> None:
    path = next(ledger.files(repo.ledger))
    lines = path.read_text().splitlines()
    lines[1] = lines[1].replace('"tokens": "identical"', '"tokens": "diverged"')
    path.write_text("\n".join([*lines, lines[0]]) + "\n")
    said = [str(f.message) for f in found(repo).flags if f.code == "touched"]
    whole = json.loads(lines[1])["id"]
    assert said[0].startswith(f"token {whole} edited: tokens identical -> diverged since main")
    assert "inserted since main" in said[1]
    at = {f.line for f in found(repo).flags if f.code == "touched"}
    assert at == {2, 4}
    path.write_text("{}\n" * 40)
    many = [f for f in found(repo).flags if f.code == "touched"]
    assert len(many) == ledger_touched.LINES_MAX + 1 and many[0].line == 0


def test_what_an_edited_or_removed_file_held_may_still_be_cited(repo: Repo) -> None:
    """A plan is judged by the rows as they were: an edit hides none of its other faults."""
    path = next(ledger.files(repo.ledger))
    row = kernel(0.5)
    repo.add(row, token(1.1), plan([row], token(1.1), repo.old))
    for change in (path.read_text().replace('"seed": 1', '"seed": 2'), None):
        path.write_text(change) if change else path.unlink()
        codes = {f.code for f in found(repo).flags}
        assert {"touched", "worse"} <= codes and not codes & {"evidence", "replaces"}, codes


def test_a_search_alone_says_what_its_kernels_add_up_to(repo: Repo) -> None:
    repo.add(kernel(0.5, seed=2))
    (whole,) = found(repo).tokens
    assert (whole["old ms"], whole["new ms"], whole["tokens"]) == (1.2, 0.6, "untested")


def test_kernels_of_two_searches_are_not_one_token(repo: Repo) -> None:
    """Of two contexts, say: each search's file has a sum of its own."""
    paths = [repo.add(kernel(0.5, seed=2)), repo.add(kernel(0.25, seed=3))]
    sums = {x["whole token"].split(" of ")[-1]: x["new ms"] for x in found(repo).tokens}
    assert sums == {f"{CHIP}/{p.name}": ms for p, ms in zip(paths, (0.6, 0.3), strict=True)}


def test_many_rows_are_counted_not_listed(repo: Repo) -> None:
    repo.add(*(kernel(0.5, seed=i) for i in range(40)))
    r = found(repo)
    assert len(r.rows) == review.ROWS_MAX and r.rows_left_out == 15
    assert "… and 15 more." in review.markdown(r, "x")


def test_many_flags_of_a_kind_are_counted_but_for_those_that_block(repo: Repo) -> None:
    repo.add(*(kernel(0.5 + i / 1000, seed=i, load=3.0) for i in range(9)))
    r = found(repo)
    text = review.markdown(r, "x")
    assert len(r.flags) == 9 and text.count("| unrested ") == review.SAME_MAX + 1
    assert "… and 6 more lines of this file" in text
    repo.add(*(kernel(0.5 + i / 1000, seed=i, pct_of_floor=9.0) for i in range(20, 29)))
    assert review.markdown(found(repo), "x").count("| floor ") == 9


def test_a_cell_cannot_break_the_table(repo: Repo) -> None:
    slow = kernel(1.2)
    repo.add(slow, refute([slow], reason="a | b", reopen_if="tinygrad"))
    assert "a \\| b" in review.markdown(found(repo), "x")


# ---- red flags ---------------------------------------------------------------------------------

Plant = Callable[[Repo], Path]
PLANTED: dict[str, tuple[Plant, str, bool, int]] = {}
"""Name -> (what plants it, code, whether it blocks, line)."""


def planted(code: str, blocks: bool, line: int) -> Callable[[Plant], Plant]:
    def note(plant: Plant) -> Plant:
        PLANTED[plant.__name__] = (plant, code, blocks, line)
        return plant

    return note


@planted("touched", True, 1)
def an_existing_file_is_changed(repo: Repo) -> Path:
    path = next(ledger.files(repo.ledger))
    path.write_text(path.read_text().replace('"seed": 1', '"seed": 2'))
    return path


@planted("touched", True, 2)
def a_line_of_an_existing_file_is_removed(repo: Repo) -> Path:
    path = next(ledger.files(repo.ledger))
    first, _, third = path.read_text().splitlines(keepends=True)
    path.write_text(first + third)
    return path


@planted("touched", True, 0)
def an_existing_file_is_removed(repo: Repo) -> Path:
    path = next(ledger.files(repo.ledger))
    path.unlink()
    return path


@planted("verdict", True, 1)
def a_verdict_that_its_blocks_do_not_give(repo: Repo) -> Path:
    iv = Interval(low=0.5, mid=0.5, high=0.5)
    return repo.add(kernel(1.0, verdict="faster", timing="faster", interval=iv))


@planted("interval", True, 1)
def an_interval_that_its_blocks_do_not_give(repo: Repo) -> Path:
    return repo.add(kernel(0.5, interval=Interval(low=0.3, mid=0.4, high=0.45)))


@planted("line", True, 1)
def a_line_that_is_no_row(repo: Repo) -> Path:
    path = repo.add(kernel(0.5))
    text = path.read_text().replace('"timing": "faster"', '"timing": "untimed"')
    path.unlink()
    path = path.with_name(ledger.file_name(text, path.name[:10]))
    path.write_text(text)
    return path


@planted("line", True, 4)
def a_line_that_is_no_json(repo: Repo) -> Path:
    path = honest(repo)
    path.write_text(path.read_text() + '{"schema_version": 1, "id": "0123456789\n')
    return path.rename(path.with_name(ledger.file_name(path.read_text(), path.name[:10])))


@planted("text", True, 4)
def a_line_that_is_no_text(repo: Repo) -> Path:
    path = honest(repo)
    path.write_bytes(path.read_bytes() + b"\xff\xfe\n")
    return path


@planted("id", True, 1)
def an_edited_line(repo: Repo) -> Path:
    path = repo.add(kernel(0.5))
    path.write_text(path.read_text().replace('"seed": 1', '"seed": 2'))
    return path


@planted("duplicate", True, 1)
def a_line_that_stands_elsewhere(repo: Repo) -> Path:
    old = next(ledger.files(repo.ledger)).read_text().splitlines()[0]
    return repo.add(ledger.load(old))


@planted("duplicate", True, 1)
def a_measurement_with_another_seed(repo: Repo) -> Path:
    folder = next(ledger.files(repo.ledger))
    rows = [e for e in map(ledger.load, folder.read_text().splitlines()) if e.kind != "plan"]
    old = next(r for r in rows if isinstance(r, LedgerRow) and r.candidate_us)
    return repo.add(sealed(old.model_copy(update={"seed": 99})))


def on_main(repo: Repo, *rows: LedgerRow) -> None:
    repo.add(*rows)
    commit(repo.root, "rows")
    git(repo.root, "branch", "-qf", "main")


def noisy(draw: int, factor: float = 1.0, blocks: int = 9, **changes: object) -> LedgerRow:
    """A row whose blocks are apart by half a percent, all its times multiplied by a factor."""
    rng = random.Random(draw)
    a, b = ([us * rng.gauss(1, 0.005) * factor for _ in range(blocks)] for us in (20, 40))
    return kernel(0.5, candidate_us=a, incumbent_us=b, **changes)


@planted("duplicate", True, 1)
def a_measurement_in_other_units(repo: Repo) -> Path:
    on_main(repo, noisy(1), noisy(2))
    return repo.add(noisy(1, 1.0731, seed=99))


@planted("duplicate", True, 1)
def a_quiet_measurement_in_other_units_with_its_aa_pairs(repo: Repo) -> Path:
    pairs = [0.1, -0.2, 0.3, 0.05] * 3
    on_main(repo, kernel(0.5, aa_pct=pairs))
    old = kernel(0.5, aa_pct=pairs, seed=99)
    return repo.add(
        kernel(
            0.5,
            aa_pct=pairs,
            candidate_us=[1.7 * x for x in old.candidate_us],
            incumbent_us=[1.7 * x for x in old.incumbent_us],
        )
    )


@planted("evidence", True, 2)
def a_plan_that_cites_a_row_nobody_has(repo: Repo) -> Path:
    row, whole = kernel(0.5), token(0.8)
    return repo.add(whole, plan([row], whole, repo.old))


@planted("evidence", True, 1)
def a_whole_token_of_a_kernel_that_nobody_has(repo: Repo) -> Path:
    return repo.add(token(1.1, members=("0123456789ab",)))


def test_a_refused_token_may_rest_on_kernels_of_older_files(repo: Repo) -> None:
    repo.add(token(1.1, members=(repo.old.members[0].row,)))
    assert found(repo).lines == 1 and found(repo).blocking == 0


@planted("version", False, 1)
def another_tinygrad(repo: Repo) -> Path:
    return repo.add(kernel(0.5, env=replace(CLEAN, tinygrad="0.15.0")))


@planted("version", False, 1)
def another_driver(repo: Repo) -> Path:
    return repo.add(kernel(0.5, env=replace(CLEAN, driver="2")))


@planted("version", True, 3)
def a_plan_of_another_tinygrad_than_its_rows(repo: Repo) -> Path:
    row, whole = kernel(0.5), token(0.8)
    return repo.add(row, whole, plan([row], whole, repo.old, tinygrad="0.15.0"))


@planted("chip", False, 1)
def a_chip_with_another_read_rate(repo: Repo) -> Path:
    def probe(rate: float, env: Environment) -> LedgerRow:
        m = Measured(value=rate, unit="GB/s", how="sum", date="2026-11-29")
        return probe_row({"read_gbps": m}, env)

    repo.add(probe(40, CLEAN))
    commit(repo.root, "a probe")
    git(repo.root, "branch", "-qf", "main")
    return repo.add(probe(30, replace(CLEAN, seed=2)))


@planted("chip", True, 3)
def a_plan_that_replaces_one_of_another_chip(repo: Repo) -> Path:
    row, whole = kernel(0.5), token(0.8)
    scope = repo.old.scope.model_copy(update={"chip": "nv-sm90"})
    other = sealed(repo.old.model_copy(update={"scope": scope, "id": ""}))
    repo.add(other)
    return repo.add(row, whole, plan([row], whole, other))


@planted("throttled", False, 1)
def a_throttled_row(repo: Repo) -> Path:
    return repo.add(
        kernel(0.5, throttled=True, verdict="ambiguous", reason="throttled", timing="ambiguous")
    )


@planted("throttled", True, 1)
def a_throttled_row_in_a_plan(repo: Repo) -> Path:
    how = {"verdict": "ambiguous", "reason": "throttled", "timing": "ambiguous"}
    row, whole = kernel(0.5, throttled=True, **how), token(0.8)
    return repo.add(row, whole, plan([row], whole, repo.old))


@planted("unrested", False, 1)
def a_busy_machine(repo: Repo) -> Path:
    return repo.add(kernel(0.5, load=3.0))


@planted("unrested", False, 1)
def warm_operands(repo: Repo) -> Path:
    return repo.add(kernel(0.5, cold_ratio=0.5))


@planted("unrested", False, 1)
def another_clock(repo: Repo) -> Path:
    repo.add(kernel(0.5, clock_mhz=1980.0, date="2099-01-01T00:00:00Z"))
    commit(repo.root, "a row")
    git(repo.root, "branch", "-qf", "main")
    return repo.add(kernel(0.55, clock_mhz=1200.0))


@planted("ceiling", True, 1)
def above_the_ceiling(repo: Repo) -> Path:
    made = kernel(0.5, floor_us=20.2, pct_of_floor=101.0)
    assert made.verdict is Verdict.faster
    return repo.add(kernel(0.5, floor_us=20.9, pct_of_floor=104.5))


@planted("ceiling", False, 1)
def a_row_that_says_itself_that_it_is_impossible(repo: Repo) -> Path:
    return repo.add(
        kernel(
            0.5,
            floor_us=30.0,
            pct_of_floor=150.0,
            verdict="impossible",
            timing="impossible",
            reason="below-floor",
            decision="none",
        )
    )


@planted("ambiguous", True, 3)
def ambiguous_yet_promoted(repo: Repo) -> Path:
    row, whole = kernel(0.5), token(0.99, noise=0.05)
    assert whole.verdict is Verdict.ambiguous
    return repo.add(row, whole, plan([row], whole, repo.old))


@planted("ambiguous", False, 3)
def a_member_that_is_not_faster_alone(repo: Repo) -> Path:
    row, whole = kernel(1.0), token(0.8)
    assert row.verdict is Verdict.ambiguous
    return repo.add(row, whole, plan([row], whole, repo.old))


@planted("no-token-gate", True, 2)
def no_whole_token(repo: Repo) -> Path:
    row = kernel(0.5)
    return repo.add(row, plan([row], None, repo.old))


@planted("no-token-gate", True, 3)
def no_gate_of_reference_tokens(repo: Repo) -> Path:
    row, whole = kernel(0.5), token(0.8)
    gates = {k: g for k, g in GATES.items() if not k.startswith("tokens")}
    gates |= {f"tokens, {name}": Gate(passed=True) for name in ("recorded engine", "stocks")}
    return repo.add(row, whole, plan([row], whole, repo.old, gates))


@planted("no-token-gate", True, 3)
def int8_activations_without_the_gate_of_their_quality(repo: Repo) -> Path:
    row, whole = kernel(0.5, numerics="q8_activations"), token(0.8)
    return repo.add(row, whole, plan([row], whole, repo.old))


@planted("no-token-gate", True, 3)
def tokens_that_nobody_compared(repo: Repo) -> Path:
    row, whole = kernel(0.5), token(0.8, tokens="untested")
    return repo.add(row, whole, plan([row], whole, repo.old))


@planted("synthetic", True, 3)
def tokens_of_random_weights(repo: Repo) -> Path:
    random = replace(CLEAN, model="tiny-llama (synthetic, seed 0)")
    row, whole = kernel(0.5, env=random), token(0.8, env=random)
    return repo.add(row, whole, plan([row], whole, repo.old))


@planted("synthetic", True, 3)
def rows_of_random_weights_under_another_name(repo: Repo) -> Path:
    row = kernel(0.5, env=replace(CLEAN, model="tiny-llama (synthetic, seed 0)"))
    whole = token(0.8, env=replace(CLEAN, model="m.gguf"))
    return repo.add(row, whole, plan([row], whole, repo.old))


@planted("not-compared", True, 3)
def timed_against_stock_only(repo: Repo) -> Path:
    row, whole = kernel(0.5), token(0.5, incumbent="stock")
    return repo.add(row, whole, plan([row], whole, repo.old))


@planted("gates", True, 3)
def a_gate_that_its_token_row_does_not_give(repo: Repo) -> Path:
    row, whole = kernel(0.5), token(0.8)
    made = plan([row], whole, repo.old)
    better = made.gates["whole token"].model_copy(update={"number": 0.5})
    forged = made.model_copy(update={"gates": {**made.gates, "whole token": better}})
    return repo.add(row, whole, sealed(forged))


@planted("worse", True, 3)
def a_token_slower_than_what_it_replaces(repo: Repo) -> Path:
    row, whole = kernel(0.5), token(1.1)
    return repo.add(row, whole, plan([row], whole, repo.old))


@planted("worse", False, 3)
def a_member_slower_than_its_predecessor(repo: Repo) -> Path:
    row, whole = kernel(0.7), token(0.8)
    return repo.add(row, whole, plan([row], whole, repo.old))


@planted("unfounded", False, 2)
def a_refutation_with_a_number_of_its_own(repo: Repo) -> Path:
    slow = kernel(1.2)
    return repo.add(slow, refute([slow], reason="loses", number=3.0, reopen_if="tinygrad"))


@planted("unfounded", False, 2)
def a_refutation_of_what_is_faster(repo: Repo) -> Path:
    fast = kernel(0.5)
    return repo.add(fast, refute([fast], reason="loses", reopen_if="tinygrad"))


@planted("unfounded", True, 3)
def a_refutation_that_its_rival_does_not_give(repo: Repo) -> Path:
    row, rival = kernel(0.5), kernel(0.3, route="gemv_other")
    no = refute([row], reason="loses", reopen_if="tinygrad", against=rival)
    return repo.add(row, rival, sealed(no.model_copy(update={"number": 4.0, "id": ""})))


@planted("dirty", False, 1)
def a_row_from_a_tree_with_changes(repo: Repo) -> Path:
    return repo.add(kernel(0.5, env=replace(CLEAN, dirty=True)))


@planted("dirty", True, 1)
def a_plan_on_rows_from_a_tree_with_changes(repo: Repo) -> Path:
    row, whole = kernel(0.5, env=replace(CLEAN, dirty=True)), token(0.8)
    return repo.add(row, whole, plan([row], whole, repo.old))


@planted("dirty", True, 1)
def a_plan_on_rows_of_an_unknown_commit(repo: Repo) -> Path:
    row, whole = kernel(0.5, env=replace(CLEAN, commit="")), token(0.8)
    return repo.add(row, whole, plan([row], whole, repo.old))


@pytest.mark.parametrize("name", PLANTED)
def test_a_planted_fault_is_flagged_with_its_place(name: str, repo: Repo) -> None:
    plant, code, blocks, line = PLANTED[name]
    path = plant(repo)
    r = found(repo)
    where = f"{CHIP}/{path.name}", line
    said = [f for f in r.flags if f.code == code and (f.file, f.line) == where]
    assert said and said[0].blocks == blocks and said[0].message, r.flags
    assert blocks or r.blocking == 0, r.flags
    shown = f"{where[0]}:{line}" if line else where[0]
    assert f"| {shown}" in review.markdown(r, "x")


@pytest.mark.parametrize("bad", [b"{", b'{"schema_version": 1, "kind": "kernel"}', b"\xff"])
def test_a_line_that_cannot_be_read_hides_none_of_its_file(bad: bytes, repo: Repo) -> None:
    """It is one flag; the plan behind it still rests on the rows before it."""
    path = honest(repo)
    first, rest = path.read_bytes().split(b"\n", 1)
    path.unlink()
    data = first + b"\n" + bad + b"\n" + rest
    named = f"{path.name[:10]}-{hashlib.sha256(data).hexdigest()[:8]}.jsonl"
    path.with_name(named).write_bytes(data)
    r = found(repo)
    (flag,) = r.flags
    assert flag.blocks and (flag.line, flag.code in ("line", "text")) == (2, True)
    assert r.counts == {"kernel faster": 1, "plan": 1, "token faster": 1}
    assert r.tokens and r.members and r.decisions


def no_entry(line: str) -> str:
    """The line with a word in place of a number, and the id of its text."""
    line = line.replace('"count": 30', '"count": "x"')
    again = hashlib.sha256(re.sub(r', "id": "\w+"', "", line, count=1).encode()).hexdigest()[:12]
    return re.sub(r'"id": "\w+"', f'"id": "{again}"', line, count=1)


def test_a_sealed_new_line_that_is_no_entry_is_a_flag(repo: Repo) -> None:
    path = honest(repo)
    text = path.read_text() + no_entry(ledger.dump(kernel(0.55))) + "\n"
    path.unlink()
    path.with_name(ledger.file_name(text, path.name[:10])).write_text(text)
    r = found(repo)
    (flag,) = r.flags
    assert (flag.code, flag.line, flag.blocks) == ("line", 4, True) and "count" in flag.message
    assert r.decisions and r.tokens


def test_a_sealed_line_of_main_that_is_no_entry_does_not_end_the_review(repo: Repo) -> None:
    """Its id fits its text, so that nobody reads its fields before the review asks for them."""
    path = next(ledger.files(repo.ledger))
    path.write_text(no_entry(path.read_text().splitlines()[0]) + "\n")
    commit(repo.root, "main is bad itself")
    git(repo.root, "branch", "-qf", "main")
    row = kernel(0.5, seed=3)
    repo.add(row, refute([row], reason="loses", number=0.5, reopen_if="tinygrad"))
    assert not found(repo).blocking


@pytest.mark.parametrize("name", GATES)
def test_a_first_plan_without_a_gate_that_promote_writes(name: str, repo: Repo) -> None:
    row, whole = kernel(0.5), token(0.8, incumbent="stock")
    repo.add(row, whole, plan([row], whole, gates={k: g for k, g in GATES.items() if k != name}))
    said = [f.message for f in found(repo).flags if f.code == "no-token-gate" and f.blocks]
    assert len(said) == 1 and (name in said[0] or "reference" in said[0])


def test_tokens_of_another_engine_are_missed_where_they_are_known(repo: Repo) -> None:
    known = next(iter(registry.recorded_engines()))
    row, whole = kernel(0.5), token(0.8, env=replace(CLEAN, header_hash=known))
    path = repo.add(row, whole, plan([row], whole, repo.old))
    r = review.review(repo.ledger, "main", None, PROTOCOLS, recorded=[known])
    (flag,) = [f for f in r.flags if f.blocks]
    assert flag.code == "no-token-gate" and "'tokens, recorded engine'" in flag.message
    path.unlink()
    gates = GATES | {"tokens, recorded engine": Gate(passed=True, number=3)}
    repo.add(row, whole, plan([row], whole, repo.old, gates))
    assert not review.review(repo.ledger, "main", None, PROTOCOLS, recorded=[known]).blocking


def test_a_plan_of_tinygrads_own_kernels_has_no_gate_of_its_emitters(repo: Repo) -> None:
    assert red_flags.SCHEDULED == schedules.ROUTE
    row, whole = kernel(0.5, route=schedules.ROUTE), token(0.8)
    gates = {k: g for k, g in GATES.items() if k != "scope"}
    repo.add(row, whole, plan([row], whole, repo.old, gates))
    assert not found(repo).blocking


def test_measurements_that_are_alike_are_no_copies(repo: Repo) -> None:
    """Repeats of one kernel; quiet rows whose ratios are the same; A/A pairs of a coarse clock."""
    repo.add(*(noisy(i, seed=i) for i in range(40)))
    repo.add(kernel(0.5, seed=50, aa_pct=[0, 0.1] * 6))
    times = kernel(0.5).candidate_us, kernel(0.5).incumbent_us
    twice, later = [[2 * x for x in t] for t in times], [[x + 0.01 for x in t] for t in times]
    for i, (a, b) in enumerate((twice, later)):
        repo.add(kernel(0.5, seed=51 + i, candidate_us=a, incumbent_us=b, aa_pct=[0.1, 0] * 6))
    assert not [f for f in found(repo).flags if f.code == "duplicate"]


def test_an_edited_promotion_is_judged_all_the_same(repo: Repo) -> None:
    """That its id does not fit is one flag; that its gates are gone is another."""
    path = honest(repo)
    *rows, line = path.read_text().splitlines()
    data = json.loads(line)
    del data["gates"]["tokens, stock"]
    path.write_text("\n".join([*rows, json.dumps(data, ensure_ascii=False)]) + "\n")
    said = {(f.code, f.line) for f in found(repo).flags if f.blocks}
    assert said == {("name", 0), ("id", 3), ("no-token-gate", 3)}


def test_every_flag_of_a_reviewer_has_a_plant() -> None:
    """Those of `ledger check` alone are planted in test_ledger, those of benches in
    test_bench_record, the others here and below."""
    rendered = {"source", "unrendered", "turns", "spread", "emitters"}
    own = raised("records/red_flags.py") | raised("records/ledger_touched.py")
    assert {code for _, code, _, _ in PLANTED.values()} >= own - rendered


def raised(module: str) -> set[str]:
    """Codes that a module of boltbeam can raise, as its text has them."""
    found: list[ast.expr] = []
    for node in ast.walk(ast.parse((PACKAGE / module).read_text())):
        if isinstance(node, ast.Yield) and isinstance(node.value, ast.Tuple):
            found.append(node.value.elts[0])
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
            at = {"Problem": 2, "Flag": 2, "Difference": 0}.get(node.func.id, len(node.args))
            found += node.args[at : at + 1]
    return {str(e.value) for e in found if isinstance(e, ast.Constant)}


def test_the_readme_explains_every_flag_that_can_be_raised_and_no_other() -> None:
    modules = ("red_flags", "ledger_check", "ledger_touched", "review")
    codes = set[str]().union(*(raised(f"records/{m}.py") for m in modules))
    codes |= raised("commands/rerender.py") | ledger_check.FAULTS.keys()
    assert codes == red_flags.CODES.keys()
    text = (PACKAGE.parent / "README.md").read_text()
    table = text.split("| flag | what it means |")[1].split("\n\n")[0]
    first = [line.split("|")[1] for line in table.splitlines()[2:]]
    named = [code for cell in first for code in re.findall(r"`([a-z-]+)`", cell)]
    assert sorted(named) == sorted(codes)


def test_flags_of_a_branch_do_not_blame_what_main_holds(repo: Repo) -> None:
    path = next(ledger.files(repo.ledger))
    rewrite(repo.ledger, path, {"aa_spread": 0.9})
    commit(repo.root, "main is bad itself")
    git(repo.root, "branch", "-qf", "main")
    repo.add(kernel(0.5, seed=3))
    assert found(repo).flags == ()


def test_a_folder_outside_git_is_one_line(tmp_path: Path) -> None:
    with pytest.raises(BoltbeamError, match="git"):
        review.review(tmp_path, "main", None, PROTOCOLS)


# ---- sources -----------------------------------------------------------------------------------


def real_rows() -> list[LedgerRow]:
    """Rows of the repository's own ledger by today's emitters whose kernels are quick to render."""
    folder = registry.registry_dir().parent / "ledgers"
    lines = [x for path in ledger.files(folder) for x in path.read_text().splitlines()]
    rows = [e for e in map(ledger.load, lines) if isinstance(e, LedgerRow) and e.source_hash]
    quick = [r for r in rows if r.route.startswith(("norm_lanes", "argmax_lanes", "rope_lanes"))]
    return [r for r in quick if (again := rerender.render(r)) and again.emitters_fit]


def test_kernels_of_the_ledger_render_again_without_a_device() -> None:
    """A lone post_norm of Gemma among them, whose epsilon is not the first that is tried."""
    rows = real_rows()
    assert len(rows) >= 3 and rerender.differences(rows) == {}


def test_a_source_hash_that_does_not_render_blocks() -> None:
    good = real_rows()[0]
    again = rerender.render(good)
    assert again is not None and again.fits

    def changed(**fields: object) -> LedgerRow:
        return sealed(LedgerRow.model_validate(dict(good) | fields))

    here = verify_hash(good)
    forged = changed(source_hash="0" * 16, emitter_hash=here)
    older = changed(source_hash="1" * 16, emitter_hash="e" * 16)
    other, strange = changed(tinygrad="0.15.0"), changed(chip="xyz-1")
    no_route, axes = changed(route="gone"), changed(geometry="threads=x")
    rows = [good, forged, older, other, strange, no_route, axes]
    said = rerender.differences(rows)
    assert good.id not in said and len(said) == len(rows) - 1
    expected = {
        forged.id: ("source", True, "0000000000000000 cited"),
        older.id: ("source", False, "emitters that have changed since"),
        other.id: ("unrendered", False, "made with tinygrad 0.15.0"),
        strange.id: ("unrendered", False, "xyz-1"),
        no_route.id: ("unrendered", False, "no route gone"),
        axes.id: ("unrendered", False, "threads=x"),
    }
    for name, (code, blocks, words) in expected.items():
        d = said[name]
        assert (d.code, d.blocks) == (code, blocks) and words in d.message, d


def verify_hash(row: LedgerRow) -> str:
    """Hash of the emitters that render the row's kernel now."""
    chip, _ = rerender.targets(row.chip)[0]
    work = next(iter(rerender.works(row.work)))
    route, geometry = registry.route(row.route), Geometry.parse(row.geometry)
    return verify.emitter_hash(emit.launches(work, route, geometry, Target(chip.device, chip)))


def test_what_was_rendered_becomes_a_flag(repo: Repo) -> None:
    path = repo.add(row := kernel(0.5))

    def wrong(rows: object) -> dict[str, Difference]:
        return {row.id: Difference("source", "another hash", False)}

    r = review.review(repo.ledger, "main", None, PROTOCOLS, wrong)
    flag = Flag(f"{CHIP}/{path.name}", 1, "source", "another hash", False)
    assert r.flags == (flag,) and r.unrendered == 0
    whole = token(0.8)
    repo.add(whole, plan([row], whole, repo.old))
    r = review.review(repo.ledger, "main", None, PROTOCOLS, wrong)
    assert r.flags == (replace(flag, blocks=True),)
    text = review.markdown(found(repo), "x")
    assert "source was not rendered again: 1; say `--render`" in text


def test_the_data_is_json(repo: Repo) -> None:
    honest(repo)
    assert json.loads(json.dumps(found(repo).data(), default=str))["counts"]["plan"] == 1
