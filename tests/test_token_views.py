"""census, tieout and speculate as typed, on the CPU with a tiny model and a plan."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from cli_cases import Done, Shell, refused
from decode_cases import whole_token
from token_cases import chip, kind, token

from boltbeam import emit, registry
from boltbeam.commands import token_views
from boltbeam.emit.core import Target
from boltbeam.measure import software
from boltbeam.models import gguf_model
from boltbeam.models.plan import model_plan_key, timed_position
from boltbeam.predict import roofline
from boltbeam.proof import verify
from boltbeam.records import ledger, record
from boltbeam.records.entries import STOCK, Decision, Gate, Member
from boltbeam.search import machine
from boltbeam.types import ChipFacts, Measured

Cli = Callable[..., Done]
Make = Callable[..., Path]
READ_GBPS = 12.5
ROW = "0123456789ab"


@pytest.fixture
def here(shell: Shell) -> ChipFacts:
    """The CPU, with a probe in the ledger, so that a test need not measure it."""
    found = machine.local_chip("CPU")
    rate = Measured(value=READ_GBPS, unit="GB/s", how="test", date="2026-11-29")
    row = record.probe_row({"read_gbps": rate}, record.Environment(found.id))
    ledger.write_file(shell.ledger, [row])
    return found.model_copy(update={"measured": {"read_gbps": rate}})


def promoted(shell: Shell, path: Path, context: int, here: ChipFacts) -> None:
    """A plan of first legal geometries, in force for this file's token."""
    facts, members = gguf_model.read(path), {}
    for m in whole_token(facts, context, chip=here):
        launches = emit.launches(m.work, registry.route(m.route), m.geometry, Target("CPU", here))
        members[m.work.key] = Member(
            work=m.work.key,
            count=m.work.count,
            route=m.route,
            geometry=str(m.geometry),
            row=ROW,
            emitter_hash=verify.emitter_hash(launches),
        )
    decision = Decision(
        schema_version=ledger.SCHEMA_VERSION,
        kind="plan",
        date="2026-11-29T12:00:00Z",
        scope=software.scope(here, model_plan_key(facts, context)),
        members=tuple(members.values()),
        contexts=(context,),
        gates={"proof": Gate(passed=True)},
        evidence=(ROW,),
        replaces=STOCK,
        reason="test",
    )
    ledger.write_file(shell.ledger, [ledger.sealed(decision)])


def test_a_token_of_a_plan_on_the_cpu(cli: Cli, shell: Shell, here: ChipFacts, tiny: Make) -> None:
    path, context = tiny("tiny-llama"), 64
    promoted(shell, path, context, here)
    model = ("--model", path, "--context", str(context), "--ledger", shell.ledger)
    done = cli("census", *model, "--format", "json")
    assert done.code == 0, done.err
    assert "stock" not in done.err and f"read rate {READ_GBPS} GB/s of probe" in done.err
    rows = json.loads(done.out)
    floor = roofline.roofline(gguf_model.read(path), here, timed_position(context) + 1)
    assert {r["op"] for r in rows} == {r.work.op for r in floor.rows}
    assert sum(r["count"] * r["bytes"] for r in rows) == pytest.approx(
        floor.bytes_per_token, rel=0.01
    )
    assert sum(r["share"] for r in rows) == pytest.approx(1)
    assert {(r["engine"], r["threads"]) for r in rows} == {("promoted", 1)}
    assert {r["position"] for r in rows} == {timed_position(context)}
    assert all(r["launch_us"] > 0 and r["lane_stride_bytes"] is None for r in rows)

    done = cli("tieout", *model, "--format", "json")
    assert done.code == 0, done.err
    found = json.loads(done.out)
    terms = sum(found[n] for n in ("floor_us", "loss_us", "gaps_us", "residue_us"))
    assert terms == pytest.approx(found["token_us"]) and found["limit"] is None
    assert found["floor_us"] == pytest.approx(floor.floor_us, rel=0.01)
    assert found["engine"] == "promoted" and abs(found["residue"]) < 0.5
    us = [t["us"] for t in found["todo"]]
    assert us and us == sorted(us, reverse=True)


def test_speculation_on_the_cpu(cli: Cli, shell: Shell, here: ChipFacts, tiny: Make) -> None:
    path = tiny("tiny-llama", layers=1)
    promoted(shell, path, 4, here)
    args = ("--model", path, "--draft-cost", "10", "--accept", "0.7", "--ledger", shell.ledger)
    done = cli("speculate", *args, "--context", "4", "--format", "json")
    assert done.code == 0, done.err
    found = json.loads(done.out)
    assert [c["m"] for c in found["cycles"]] == [2] and found["verdict"] is None
    assert 0 < found["plain_us"] < found["cycles"][0]["check_us"]
    assert "measured at position 2 of 4" in found["source"]
    assert "the plain step by the promoted plan" in found["source"]
    steps = [line.split("] ")[1] for line in done.err.splitlines() if line.startswith("[")]
    assert steps[:3] == ["loading the model", "first runs of the plain step",
                         "first runs of a check of 2 tokens at once"]  # fmt: skip
    assert steps[3:5] == [f"timing in turns, round {n} of 5" for n in (1, 2)]
    refused(cli("speculate", *args, "--context", "2"), 2, "--context 2")


# ---- what is printed -----------------------------------------------------------------------------


def test_a_residue_above_the_limit_is_a_gate(
    cli: Cli, shell: Shell, here: ChipFacts, tiny: Make, monkeypatch: pytest.MonkeyPatch
) -> None:
    off = token(kind(us=11.0), us=36 * 11 * 1.2)

    def tokens(*_: object) -> object:
        return [off], chip(id="nv-sm90-132sm")

    monkeypatch.setattr(token_views, "tokens", tokens)
    done = cli("tieout", "--model", tiny())
    refused(done, 1, "16.7% of the token is not explained", "at most 5%")
    for words in ("+ loss in kernels", "+ residue", "To do, the biggest first", "gemv"):
        assert words in done.out


def test_tables_of_two_engines(cli: Cli, tiny: Make, monkeypatch: pytest.MonkeyPatch) -> None:
    narrow = kind(us=50.0, groups=2, threads=64, op="o")
    both = [token(narrow), token(kind()).model_copy(update={"engine": "stock"})]
    monkeypatch.setattr(token_views, "tokens", lambda *_: (both, chip()))
    done = cli("census", "--model", tiny(), "--stock")
    assert done.code == 0 and done.out.count("## ") == 2
    assert "2 × 32" in done.out and "below-wave, slow-read" in done.out
    assert "2 workgroups on 132 units" in done.out


@pytest.mark.parametrize("command", ["census", "tieout"])
def test_a_token_has_a_middle(cli: Cli, tiny: Make, command: str) -> None:
    refused(cli(command, "--model", tiny(), "--context", "3"), 2, "--context 3")
    refused(cli(command, "--model", tiny(), "--context", "99999"), 2, "context is 512")
    refused(cli(command, "--model", tiny(), "--chip", "m3"), 3, "m3")
