"""Whole tokens in fresh processes: references, verdicts, times, and processes that misbehave."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from decode_cases import CHIP, CL, CONTEXT, PROMPT, whole_token

from boltbeam.models import gguf_model
from boltbeam.token import token_gate, token_process
from boltbeam.token.token_gate import (
    TokenTimes,
    gate,
    recorded_traces,
    referee_of,
    reference,
    stock_of,
    timing,
)
from boltbeam.token.token_process import Engine, Process, starting
from boltbeam.types import BoltbeamError, Fact

RECORDED = Path(__file__).parent / "data" / "smollm2-135m-q4_1.tokens.json"


@pytest.fixture(scope="module")
def engine(tiny: Callable[..., Path]) -> Engine:
    path = tiny("tiny-llama")
    members = whole_token(gguf_model.read(path))
    return Engine(model=str(path), chip=CHIP, context=CONTEXT, members=members)


def test_gate_and_cached_reference(
    engine: Engine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    prompts = [PROMPT, PROMPT[:2]]
    results = gate(engine, prompts, 12, tmp_path, RECORDED)
    assert [r.against for r in results] == ["stock", "stock, on its KV cache"]
    assert all(r.ok for r in results), [r.line() for r in results]
    assert [r.positions for r in results] == [24, 12]
    assert results[0].kl is not None and results[0].kl < 1e-4

    files = list(tmp_path.iterdir())
    assert len(files) == 1 and gguf_model.read(engine.model).header_hash in files[0].name
    monkeypatch.setattr(token_gate, "Process", None)
    traces = reference(engine, prompts, 12, tmp_path).traces
    assert [len(t.ids) for t in traces] == [12, 12]
    with pytest.raises(TypeError):
        reference(engine, prompts, 11, tmp_path)
    files[0].write_bytes(files[0].read_bytes()[:1000])
    with pytest.raises(TypeError):
        reference(engine, prompts, 12, tmp_path)


@pytest.mark.cl
@pytest.mark.slow
@pytest.mark.parametrize("q8", [False, True])
def test_gate_of_lanes_on_cl(engine: Engine, tmp_path: Path, q8: bool) -> None:
    members = whole_token(gguf_model.read(engine.model), q8=q8, chip=CL)
    lanes = engine.model_copy(update={"chip": CL, "members": members})
    results = gate(lanes, [PROMPT], 12, tmp_path)
    assert all(r.ok for r in results), [r.line() for r in results]
    assert results[0].logit_error is not None
    assert (results[0].logit_error > 1e-3) == q8


@pytest.mark.slow
def test_timing_takes_turns(engine: Engine) -> None:
    both = {"stock": stock_of(engine), "plan": engine}
    times, late = timing(both, tokens=4, starts=(0, 32), rounds=1)
    assert (times.start, late.start) == (0, 32) and times.seconds != late.seconds
    assert {n: len(s) for n, s in times.seconds.items()} == {"stock": 2, "plan": 2}
    assert times.fewer == {}  # a turn of four tokens has no fewer
    assert times.median_ms("plan") > 0 and len(times.ratios("plan", "stock")) == 2


def test_ratios_pair_turns() -> None:
    times = TokenTimes(tokens=1, start=0, seconds={"a": (2.0, 4.0, 9.0), "b": (1.0, 8.0, 3.0)})
    assert times.ratios("a", "b") == (2.0, 0.5, 3.0)
    assert times.median_ms("a") == 4000.0


def test_a_slow_engine_has_fewer_tokens_a_turn() -> None:
    tried = {"plan": 0.01, "near": 0.04, "slow": 0.08, "stock": 0.7}
    assert token_gate.tokens_a_turn(tried, 24) == {"plan": 24, "near": 24, "slow": 12, "stock": 4}
    assert token_gate.tokens_a_turn(tried, 2) == dict.fromkeys(tried, 2)


def test_processes_start_side_by_side_and_end_with_the_block(
    engine: Engine, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    fake = tmp_path / "python"
    fake.write_text("#!/bin/sh\nread line\nsleep 0.5\necho '{}'\nexec sleep 60\n")
    fake.chmod(0o755)
    monkeypatch.setattr(token_process.sys, "executable", str(fake))
    warm: list[Process] = []
    began = time.monotonic()
    with starting(engine, 10, warm.append) as one, starting(engine, 10) as other:
        children = [one(), other()]
        assert time.monotonic() - began < 0.95
        assert warm == children[:1] and all(c.child.poll() is None for c in children)
    assert all(c.child.poll() is not None for c in children)
    fake.write_text("#!/bin/sh\nexit 9\n")
    with starting(engine, 10) as gone, pytest.raises(BoltbeamError, match="ended with 9"):
        gone()


def test_the_referee_of_an_inexact_cl_is_the_cpu(engine: Engine) -> None:
    exact = Fact(value=True, source="declared")
    for half, device in ((None, "CPU"), (exact, "CL")):
        chip = CHIP.model_copy(update={"device": "CL", "half": half})
        asked = engine.model_copy(update={"chip": chip, "env": {"JITBEAM": "2"}})
        referee = referee_of(asked)
        assert (referee.chip.device, referee.members, referee.env) == (device, (), {})


def test_a_prompt_that_does_not_fit(engine: Engine) -> None:
    for prompts in ([], [()], [range(60)]):
        with pytest.raises(BoltbeamError, match=r"exceed the context of 64|empty prompt"):
            reference(engine, prompts, 12)


def test_an_incomplete_plan_is_refused_by_name(engine: Engine) -> None:
    less = engine.model_copy(update={"members": engine.members[:-1]})
    with pytest.raises(BoltbeamError, match="1 gaps; argmax: no promoted route"):
        Process(less)


def test_a_missing_model(engine: Engine, tmp_path: Path) -> None:
    gone = engine.model_copy(update={"model": str(tmp_path / "gone.gguf")})
    with pytest.raises(BoltbeamError, match=r"gone\.gguf"):
        Process(gone)


def test_a_process_that_hangs_is_ended(
    engine: Engine, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    wait = tmp_path / "python"
    wait.write_text("#!/bin/sh\nexec sleep 60\n")
    wait.chmod(0o755)
    monkeypatch.setattr(token_process.sys, "executable", str(wait))
    with pytest.raises(BoltbeamError, match="no answer in 0 s"):
        Process(engine, timeout_s=0.3)


def test_a_process_that_dies_says_its_last_words(
    engine: Engine, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    dead = tmp_path / "python"
    dead.write_text("#!/bin/sh\nread line\necho 'out of memory' >&2\nexit 9\n")
    dead.chmod(0o755)
    monkeypatch.setattr(token_process.sys, "executable", str(dead))
    with pytest.raises(BoltbeamError, match="ended with 9: out of memory"):
        Process(engine)


def test_recorded_tokens_are_for_one_file_only() -> None:
    header = json.loads(RECORDED.read_text())["header_hash"]
    traces = recorded_traces(RECORDED, header)
    assert [len(t.ids) for t in traces] == [len(t.gaps) for t in traces] == [8, 64, 64]
    assert recorded_traces(RECORDED, "another") == recorded_traces(None, header) == ()


@pytest.mark.model
@pytest.mark.slow
def test_gate_on_the_real_model(smollm2: Path, tmp_path: Path) -> None:
    facts = gguf_model.read(smollm2)
    prompts = [t.prompt for t in recorded_traces(RECORDED, facts.header_hash)]
    members = whole_token(facts, 128)
    engine = Engine(model=str(smollm2), chip=CHIP, context=128, members=members)
    results = gate(engine, prompts, 64, tmp_path, RECORDED)
    assert len(results) == 3 and all(r.ok for r in results), [r.line() for r in results]


PARENT = """
import sys, time
from boltbeam.token.token_process import Engine, Process
with Process(Engine.model_validate_json(sys.argv[1])) as process:
    print(process.child.pid, flush=True)
    time.sleep(600)
"""


def test_a_fresh_process_dies_with_its_parent(engine: Engine) -> None:
    words = [sys.executable, "-c", PARENT, stock_of(engine).model_dump_json()]
    with subprocess.Popen(words, stdout=subprocess.PIPE) as parent:
        assert parent.stdout is not None
        child = Path("/proc") / parent.stdout.readline().decode().strip()
        assert child.exists()
        parent.kill()
    end = time.monotonic() + 10
    while child.exists() and b") Z" not in (child / "stat").read_bytes():
        assert time.monotonic() < end
        time.sleep(0.05)
