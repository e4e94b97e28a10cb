"""What a fresh process need not do again: the schedule of a token, and rendering its kernels."""

from __future__ import annotations

import os
import sqlite3
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
import tinygrad.codegen as codegen
import tinygrad.engine.realize as realize
from decode_cases import CHIP, CONTEXT, load, whole_token
from tinygrad import TinyJit

from boltbeam.chip import probe
from boltbeam.models import gguf_model
from boltbeam.seam import tinygrad_adapter as tg
from boltbeam.seam import tinygrad_programs, toolchain
from boltbeam.search import machine
from boltbeam.token.decode_plan import DecodePlan
from boltbeam.token.token_process import Engine, Process
from boltbeam.worker import Pool


@pytest.fixture(scope="module")
def plan(tiny: Callable[..., Path]) -> DecodePlan:
    model, facts, files = load(tiny("tiny-qwen3"))
    made = DecodePlan(facts, files, whole_token(facts), "CPU", CONTEXT, CHIP, model)
    assert not made.fallbacks
    return made


def test_the_calls_are_those_that_tinygrad_would_schedule(plan: DecodePlan) -> None:
    heard: list[Any] = []

    def token() -> None:
        now = dict(plan.binder.tensors)
        for launch, keys in plan.calls:
            outs = tg.call(launch, [now[k] for k in keys])
            now.update(zip(keys, outs, strict=False))
        tg.realize([now[k] for launch, keys in plan.calls for k in keys[: len(launch.outs)]])

    jit = TinyJit(token)
    jit.cnt = 1
    jit.add_linear = lambda linear, values: heard.append((linear, values))
    jit._linears = []
    realize.capturing.append(jit)
    try:
        token()
    finally:
        realize.capturing.clear()
    ((linear, values),) = heard
    tensors = plan.binder.tensors
    mine = [tg.bound(launch, [tensors[k] for k in keys]) for launch, keys in plan.calls]
    assert values == {} and len(linear.src) == len(mine)
    assert all(a is b for a, b in zip(linear.src, mine, strict=True))


@pytest.fixture
def fresh() -> Iterator[Callable[[str], Any]]:
    """fresh(code) -> tinygrad's cache of programs as a new process of that code has it."""
    usual = codegen.to_program_cache

    def start(code: str) -> Any:
        kept = tinygrad_programs._Kept({}, code)
        codegen.to_program_cache = realize.to_program_cache = kept
        return kept

    yield start
    codegen.to_program_cache = realize.to_program_cache = usual


def test_programs_outlive_their_process(
    plan: DecodePlan, fresh: Callable[[str], Any], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    code, rendered = f"test {tmp_path}", []
    usual = codegen.full_rewrite_to_sink
    monkeypatch.setattr(
        codegen, "full_rewrite_to_sink", lambda *a, **k: (rendered.append(1), usual(*a, **k))[1]
    )
    launch, keys = plan.calls[-1]
    sink = tg.bound(launch, [plan.binder.tensors[k] for k in keys]).src[0]
    renderer = tg.open_device("CPU").renderer
    fresh(code)
    made = codegen.to_program(sink, renderer)
    assert len(rendered) == 1
    known = fresh(code)
    assert codegen.to_program_key(sink, renderer) in known
    again = codegen.to_program(sink, renderer)
    assert again is made and len(rendered) == 1  # kernel, text and machine code
    fresh(code + " another tinygrad")
    codegen.to_program(sink, renderer)
    assert len(rendered) == 2


def test_what_a_search_would_answer_is_not_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    from tinygrad.helpers import Context

    with Context(BEAM=2):
        tinygrad_programs.keep()
    assert type(codegen.to_program_cache) is dict


@pytest.mark.parametrize(
    "device",
    [
        pytest.param("CL", marks=pytest.mark.cl),
        pytest.param("CUDA", marks=pytest.mark.device),
    ],
)
def test_a_token_renders_no_kernel_that_workers_have_made(
    device: str, tiny: Callable[..., Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Else a search builds its plan's kernels once more before the first whole token."""
    path, folder = tiny("tiny-qwen3"), tmp_path / "programs"
    folder.mkdir()
    chip = probe.local_chip(device)
    members = whole_token(gguf_model.read(path), chip=chip)
    monkeypatch.setenv("BOLTBEAM_PROGRAMS", str(folder))
    with Pool(device, 1, {"CACHEDB": str(tmp_path / "workers.db")}) as pool:
        for work, route, geometry in {(m.work, m.route, m.geometry) for m in members}:
            job = {"work": work.whole(), "chip": chip.model_dump(exclude_none=True)}
            how = {"route": route, "geometry": str(geometry)}
            answer = pool.run("source", job | how, 120)
            assert answer.failed is None and answer.value, answer
    made = {f.name: f.stat().st_mtime_ns for f in folder.iterdir()}
    monkeypatch.delenv("BOLTBEAM_PROGRAMS")
    monkeypatch.setenv("CACHEDB", str(tmp_path / "token.db"))
    about = {"model": str(path), "chip": chip, "context": CONTEXT}
    with Process(Engine(**about, programs=str(folder), several=True)) as child:
        plan = [m.model_dump(mode="json") for m in members]
        child.ask({"do": "plan", "name": "a", "members": plan}, 120)
    assert len(made) >= 2 * len({m.work.op for m in members})
    assert {f.name: f.stat().st_mtime_ns for f in folder.iterdir()} == made


# ---- machine code of another compiler, and what nobody needs ------------------------------------

COMPILES = """
import sys
from pathlib import Path
from boltbeam.records.store import Store
from boltbeam.search import machine
device, _ = machine.open_device("cpu")
with Store.open(Path("runs.db")) as store:
    print(machine.worker_env(store, device)["BOLTBEAM_PROGRAMS"])
from tinygrad import Tensor
(Tensor.arange(int(sys.argv[1])).contiguous() * 3).tolist()
"""
SAYS_ANOTHER = """#!/bin/sh
if [ "$1" = --version ]; then echo another clang; else exec "{}" "$@"; fi
"""


def test_no_machine_code_of_another_compiler_is_run(tmp_path: Path) -> None:
    """A row says which one made what it timed: so nothing is taken from where another put it,
    be that tinygrad's cache or the workers' folder."""
    clang, other, cache = toolchain.compiler(), tmp_path / "clang", tmp_path / "cache.db"
    assert clang is not None
    other.write_text(SAYS_ANOTHER.format(clang))
    other.chmod(0o755)

    def compiled(size: int, compiler: str) -> tuple[str, list[set[str]]]:
        """The workers' folder, and by compiler the texts whose machine code is kept after this."""
        env = {"CC": compiler, "CACHEDB": str(cache), "PARALLEL": "0", "DEV": "CPU"}
        done = subprocess.run(
            [sys.executable, "-c", COMPILES, str(size)], env={**os.environ, **env}, cwd=tmp_path,
            capture_output=True, text=True,
        )  # fmt: skip
        assert done.returncode == 0, done.stderr
        with closing(sqlite3.connect(cache)) as link:
            named = "select name from sqlite_master where type = 'table' and name glob 'compile_*'"
            tables = [name for (name,) in link.execute(named)]
            texts = [{t for (t,) in link.execute(f'select key from "{name}"')} for name in tables]
            return done.stdout, sorted(texts, key=len)

    folder, (first,) = compiled(40, clang)
    same, (both,) = compiled(50, clang)
    assert same == folder and both > first
    another, (own, still) = compiled(40, str(other))
    assert another != folder and still == both
    assert own == first  # also what is compiled when the device is opened


def test_programs_that_nobody_used_for_long_go_and_the_oldest_beyond_the_room(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def left() -> set[str]:
        machine.prune(tmp_path)
        return {f.name for f in tmp_path.rglob("*") if f.is_file()}

    (tmp_path / "of-a-compiler").mkdir()
    for name, days in {"new.name": 1, "read.pickle": 5, "old.pickle": 15, ".a.part": 99}.items():
        file = tmp_path / ("of-a-compiler" if days > 1 else "") / name
        file.write_bytes(bytes(100))
        used = time.time() - days * 24 * 3600
        os.utime(file, (used, 0))  # it was read then, and made long ago
    assert left() == {"new.name", "read.pickle"}
    monkeypatch.setattr(machine, "ROOM_BYTES", 150)
    assert left() == {"new.name"}
    machine.prune(tmp_path / "that is not there")
