"""Rows in llama-bench's words, turns in the right order, and llama-bench that misbehaves."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from decode_cases import CHIP, CONTEXT, whole_token

from boltbeam.models import gguf_model
from boltbeam.records.ledger import Layers, dump, load
from boltbeam.records.record import Environment
from boltbeam.token.bench import LlamaBench, Peer, bench, row, take_turns, tinygrad_engines
from boltbeam.token.bench_record import Watch, about, entry
from boltbeam.token.token_process import Engine
from boltbeam.types import BoltbeamError

LLAMA_BENCH = {
    "build_commit": "abc123",
    "backends": "CPU",
    "n_prompt": 0,
    "n_gen": 4,
    "samples_ns": [2_000_000],
}


def llama(tmp_path: Path, script: str) -> LlamaBench:
    binary = tmp_path / "llama-bench"
    binary.write_text(f"#!/bin/sh\n{script}\n")
    binary.chmod(0o755)
    return LlamaBench(binary, tmp_path / "m.gguf", 4, 0, 2, 5.0)


def test_turns_go_there_and_back() -> None:
    seen: list[str] = []

    def sample(name: str) -> Callable[[], float]:
        return lambda: float(len(seen.append(name) or seen))  # type: ignore[func-returns-value]

    seconds = take_turns({n: sample(n) for n in "abc"}, 2)
    assert "".join(seen) == "abccbaabccba"
    assert seconds["a"] == (1.0, 6.0, 7.0, 12.0)


def test_a_row_speaks_llama_bench() -> None:
    peer = Peer("tinygrad 1", "CPU", lambda: 0.0, 1.5, lambda: 0.25)
    r = row("stock", peer, "m.gguf", 10, 4, 0, (0.002, 0.004), 32, 0.25)
    assert (r.start_s, r.ttft_n_prompt, r.ttft_ns) == (1.5, 32, 0.25e9)
    assert (r.samples_ns, r.avg_ns) == ((2_000_000, 4_000_000), 3_000_000)
    assert r.samples_ts == (2000.0, 1000.0) and r.avg_ts == 1500.0


def test_llama_bench_is_read(tmp_path: Path) -> None:
    other = {**LLAMA_BENCH, "n_gen": 0, "n_prompt": 512, "samples_ns": [7_000_000]}
    sample = llama(tmp_path, f"echo '{json.dumps([other, LLAMA_BENCH])}'")
    assert sample() == pytest.approx(0.002)
    assert (sample.commit, sample.backends) == ("llama.cpp abc123", "CPU")
    assert sample.prompt(512) == pytest.approx(0.007)
    assert sample.command[-2:] == ["-t", "2"]


@pytest.mark.parametrize(
    ("script", "message"),
    [
        ("echo 'no such model' >&2; exit 3", "ended with 3: no such model"),
        ("echo '[]'", "no JSON row for n_gen = 4"),
        ("echo hello", "no JSON row for n_gen = 4"),
        ("""echo '[{"n_gen": 4, "n_prompt": 0, "samples_ns": []}]'""", "no JSON row for n_gen = 4"),
        (
            """echo '[{"n_gen": 4, "n_prompt": 0, "samples_ns": [0]}]'""",
            "no JSON row for n_gen = 4",
        ),
        ("""echo '[{"n_gen": 4, "n_prompt": 0, "samples_ns": [1e400]}]'""", "no JSON row"),
    ],
)
def test_llama_bench_that_fails(tmp_path: Path, script: str, message: str) -> None:
    with pytest.raises(BoltbeamError, match=message):
        llama(tmp_path, script)()


def test_no_llama_bench(tmp_path: Path) -> None:
    sample = LlamaBench(tmp_path / "gone", tmp_path / "m.gguf", 4, 0, None, 5.0)
    with pytest.raises(BoltbeamError, match="is it llama-bench"):
        sample()


def test_beam_gets_a_private_cache(tiny: Callable[..., Path], tmp_path: Path) -> None:
    engine = Engine(model=str(tiny()), chip=CHIP, context=CONTEXT)
    assert list(tinygrad_engines(engine, None)) == ["stock"]
    beam = tinygrad_engines(engine, tmp_path / "beam.db")["jitbeam"]
    assert tinygrad_engines(engine, None, True)["realized"].env == {"REALIZE": "1"}
    assert beam.env == {"JITBEAM": "2", "CACHEDB": str(tmp_path / "beam.db")}
    assert beam.untouched and not beam.keeps_programs  # tinygrad's start is told as it is
    assert tinygrad_engines(engine, None, True, with_stock=False).keys() == {"realized"}
    with pytest.raises(BoltbeamError, match="exceed the context 64"):
        bench(engine, n_gen=65)
    with pytest.raises(BoltbeamError, match="no program that can be run"):
        bench(engine, llama_bench=tmp_path)
    with pytest.raises(BoltbeamError, match="nothing is left to time"):
        bench(engine, stock=False)


@pytest.mark.slow
def test_bench_of_a_tiny_model(tiny: Callable[..., Path], tmp_path: Path) -> None:
    path = tiny("tiny-llama")
    members = whole_token(gguf_model.read(path))
    engine = Engine(model=str(path), chip=CHIP, context=CONTEXT, members=members)
    prompt = {**LLAMA_BENCH, "n_gen": 0, "n_prompt": 5}
    binary = llama(tmp_path, f"echo '{json.dumps([LLAMA_BENCH, prompt])}'").command[0]
    said: list[str] = []
    watch = Watch("CPU")
    rows = bench(
        engine,
        4,
        8,
        1,
        llama_bench=Path(binary),
        say=said.append,
        realized=True,
        n_prompt=5,
        look=watch,
    )
    assert [r.engine for r in rows] == ["promoted", "stock", "realized", "llama.cpp"]
    assert all(r.start_s > 0 and r.ttft_ns > 0 for r in rows)
    assert all(len(r.samples_ns) == 2 and r.avg_ts > 0 and r.n_depth == 8 for r in rows)
    assert said[4] == "timing promoted, stock, realized, llama.cpp"
    assert said[5] == "tokens, turn 1 of 8: promoted"
    assert said[-1] == "first token, turn 8 of 8: promoted"
    facts, ls = gguf_model.read(path), Layers.find(tmp_path, tmp_path)
    env = Environment.here(CHIP.id, model="tiny", header_hash=facts.header_hash)
    known = about(engine, facts, None, (), ls, env) | {"plan": "abc"}
    line = entry(rows, known, watch.told())
    assert load(dump(line)) == line and line.turns == 2 and line.load is not None
    assert line.ratio("stock") == pytest.approx(rows[0].avg_ts / rows[1].avg_ts, rel=2e-3)
