"""Refutations: skipped until their condition holds, then lifted with the reason, or by --reopen."""

from __future__ import annotations

from pathlib import Path

import pytest
from test_ledger import CHIP, layers

from boltbeam.records import reopening, standing
from boltbeam.records.decisions import record, refute, reopen
from boltbeam.records.entries import Decision, LedgerRow, Scope
from boltbeam.records.ledger import Layers, sealed
from boltbeam.records.record import Environment, kernel_row
from boltbeam.registry import routes
from boltbeam.types import BoltbeamError, Candidate, Geometry, Outcome, Table, Verdict, WorkItem

ROUTE = "gemv_rows_q8"
HERE = Scope(chip=CHIP, tinygrad="0.14.0", driver="580", compiler="clang 22", memory="16GB")


def work(rows: int = 576) -> WorkItem:
    table = Table(role="ffn_down", rows=rows, cols=1536, format="Q4_1")
    sizes = {"d_model": rows, "heads": 9, "kv_heads": 3, "head_dim": 64, "rope_dim": 64}
    return WorkItem(op="down", tables=(table,), norm_eps=1e-5, vocab=1, context=512, **sizes)


def lost(item: WorkItem, route: str = ROUTE) -> LedgerRow:
    env = Environment(**HERE.model_dump(include={*reopening.WORDS, "chip"}))
    outcome = Outcome(verdict=Verdict.failed, reason="timeout", number=60.0)
    candidate = Candidate(work=item, route=route, geometry=Geometry.of(rows=1))
    return kernel_row(candidate, routes()[route], outcome, env)


def refuted(folder: Path, reopen_if: str, *items: WorkItem) -> tuple[Layers, Decision]:
    ls, rows = layers(folder), [lost(i) for i in items or (work(),)]
    ls.write(rows)
    d = refute(rows, reason="too slow", reopen_if=reopen_if)
    record(ls, d)
    return ls, d


@pytest.mark.parametrize(
    ("reopen_if", "fields"),
    [
        ("a new tinygrad", ("tinygrad",)),
        ("clang emits vpdpbusd", ("compiler",)),
        ("new driver or nvrtc", ("driver", "compiler")),
        ("more memory, more power", ("memory",)),
        ("better scales", ()),
        ("drivetrain", ()),
    ],
)
def test_what_a_condition_names(reopen_if: str, fields: tuple[str, ...]) -> None:
    assert reopening.named(reopen_if) == fields


@pytest.mark.parametrize("field", reopening.WORDS)
def test_it_reopens_when_what_it_names_is_another(field: str, tmp_path: Path) -> None:
    ls, d = refuted(tmp_path, f"a new {field}")
    scope = (ROUTE, work().key)
    assert reopening.lifted(ls, HERE) == () and scope in reopening.refused(ls, CHIP)
    other = HERE.model_copy(update={field: "new"})
    (gone,) = reopening.lifted(ls, other)
    assert gone.refutation == d and gone.why == f"{field} {getattr(HERE, field)} -> new"
    assert reopening.refused(ls, CHIP, [gone]) == {}
    unknown = HERE.model_copy(update={field: ""})
    assert reopening.lifted(ls, unknown) == ()
    for name in set(reopening.WORDS) - {field}:
        assert reopening.lifted(ls, HERE.model_copy(update={name: "new"})) == ()


@pytest.mark.parametrize(("rival", "open_to_exact"), [(ROUTE, True), ("gemv_lanes_f32", False)])
def test_what_lost_against_rounded_activations_is_open_to_an_exact_search(
    rival: str, open_to_exact: bool, tmp_path: Path
) -> None:
    """Nothing else may do that step there."""
    mine, other = lost(work(), "gemv_rows_f32"), lost(work(), rival)
    ls = layers(tmp_path)
    ls.write([mine, other])
    d = refute([mine], reason="slower", reopen_if="a new driver")
    record(ls, sealed(d.model_copy(update={"evidence": (mine.id, other.id)})))
    scope = ("gemv_rows_f32", work().key)
    assert scope in reopening.refused(ls, CHIP)
    assert (scope not in reopening.refused(ls, CHIP, numerics="exact")) == open_to_exact


def test_what_was_lifted_is_recorded_and_stays_lifted(tmp_path: Path) -> None:
    ls, _ = refuted(tmp_path, "a new tinygrad")
    newer = HERE.model_copy(update={"tinygrad": "0.15.0"})
    (gone,) = reopening.lifted(ls, newer)
    record(ls, reopen(gone.refutation, reason=gone.why))
    assert standing.status(ls, ROUTE, CHIP, work().key).state == "candidate"
    assert reopening.lifted(ls, newer) == () and reopening.refused(ls, CHIP) == {}
    assert "tinygrad 0.14.0 -> 0.15.0" in str(gone) and gone.refutation.id in str(gone)


def test_a_word_that_nobody_can_check_needs_a_person(tmp_path: Path) -> None:
    ls, d = refuted(tmp_path, "better scales")
    elsewhere = Scope(chip=CHIP, tinygrad="9", driver="9", compiler="9", memory="9")
    assert reopening.lifted(ls, elsewhere) == ()
    (gone,) = reopening.lifted(ls, HERE, [ROUTE])
    assert gone.refutation == d and "--reopen" in gone.why


def test_another_chip_was_never_refuted(tmp_path: Path) -> None:
    ls, _ = refuted(tmp_path, "another chip")
    assert reopening.refused(ls, "nv-sm90-132sm") == {}


def test_another_shape_is_another_question(tmp_path: Path) -> None:
    """One work item refutes that item; several refute the route, but for where shapes are named."""
    one, _ = refuted(tmp_path / "one", "a new tinygrad")
    assert set(reopening.refused(one, CHIP)) == {(ROUTE, work().key)}
    both = (work(), work(1152))
    keys = {(ROUTE, w.key) for w in both}
    every, _ = refuted(tmp_path / "all", "a new tinygrad", *both)
    assert set(reopening.refused(every, CHIP)) == keys | {(ROUTE, "")}
    shape, _ = refuted(tmp_path / "shape", "a new tinygrad, or another shape", *both)
    third = lost(work(2304))
    shape.write([sealed(third)])
    assert set(reopening.refused(shape, CHIP)) == keys


def test_forcing_what_is_not_refuted_is_a_mistake(tmp_path: Path) -> None:
    ls, _ = refuted(tmp_path, "a new tinygrad")
    with pytest.raises(BoltbeamError, match="does not refute it on cpu-x86_64-test"):
        reopening.lifted(ls, HERE, ["gemv_rows_f32"])
    with pytest.raises(BoltbeamError, match="did you mean 'gemv_rows_q8'"):
        reopening.lifted(ls, HERE, ["gemv_rows_q9"])
