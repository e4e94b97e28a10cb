"""A row's kernel is rendered again to the very text that was measured, or it is said why not."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from cli_cases import Done

from boltbeam import emit, registry
from boltbeam.commands import kernel_source, rerender
from boltbeam.emit.core import Target
from boltbeam.models import plan, synth
from boltbeam.proof import verify
from boltbeam.records import record
from boltbeam.records.entries import LedgerRow
from boltbeam.records.ledger import Layers, sealed, write_file
from boltbeam.seam import nvrtc, tinygrad_render, toolchain
from boltbeam.search import machine
from boltbeam.types import (
    BoltbeamError,
    Candidate,
    GateFailed,
    Geometry,
    Outcome,
    Proof,
    Verdict,
)

Cli = Callable[..., Done]
H200 = registry.chips()["nv-sm90-132sm"]
GEOMETRY = Geometry.parse("groups=4 lanes=8 rows=2 split=2 unroll=1 words=4")


def row_of(model: str, op: str, route: str, geometry: Geometry, target: Target) -> LedgerRow:
    """An untimed row of a synthetic model, as a search that only proved would write it."""
    _, found = plan.occurrences(synth.facts(model), 512, [op])
    work, r = found[0].work, registry.route(route)
    launches = emit.launches(work, r, geometry, target)
    _, renderer = rerender.targets(target.chip.id)[0]
    text = "\n".join(tinygrad_render.render(x, renderer) for x in launches)
    proof = Proof(
        ok=True,
        reason="ok",
        source_hash=verify.digest(text),
        emitter_hash=verify.emitter_hash(launches),
    )
    name = f"{model} (synthetic, seed 0)"
    env = record.Environment.here(target.chip.id, ["boltbeam"], model=name)
    outcome = Outcome(verdict=Verdict.failed, reason="timeout")
    candidate = Candidate(work=work, route=route, geometry=geometry)
    return record.kernel_row(candidate, r, outcome, env, proof=proof)


@pytest.fixture(scope="module")
def down() -> LedgerRow:
    return row_of("tiny-llama", "down", "gemv_lanes_q8", GEOMETRY, Target("CUDA", H200))


@pytest.fixture
def ledger(tmp_path: Path, down: LedgerRow) -> Path:
    write_file(tmp_path / "led", [down])
    return tmp_path / "led"


@pytest.fixture
def compiler() -> None:
    if nvrtc.find() is None:
        pytest.skip("no NVRTC: pip install 'boltbeam[cuda-compile]'")


def changed(row: LedgerRow, **fields: Any) -> LedgerRow:
    return sealed(row.model_copy(update=fields))


# ---- rendered again --------------------------------------------------------------------------


def test_the_text_has_the_rows_hash(down: LedgerRow) -> None:
    (kernel,) = kernel_source.kernels(down)
    assert verify.digest(kernel.source) == down.source_hash
    assert f"void __launch_bounds__(64) {kernel.name}(" in kernel.source


def test_every_row_of_the_repository_is_what_it_was_or_says_what_changed() -> None:
    rows = Layers.find().rows(kind="kernel", chip=H200.id)
    searched = [r for r in rows if r.op in ("norm", "embed", "rope_store+attention")][:4]
    assert searched
    for row in searched:
        try:
            text = "\n".join(k.source for k in kernel_source.kernels(row))
        except GateFailed as e:
            assert "changed since" in str(e) and row.id in str(e) and row.commit in str(e)
        else:
            assert verify.digest(text) == row.source_hash


def test_a_chip_is_known_by_its_id_and_a_model_by_its_file(
    down: LedgerRow, tiny: Callable[..., Path]
) -> None:
    other = changed(down, chip="nv-sm90-1sm", model="somebody's own")
    assert kernel_source.kernels(other, tiny("tiny-llama"))  # a tiny-llama is all it needs
    assert kernel_source.kernels(other)  # and that shape is known by name as well
    with pytest.raises(BoltbeamError, match=r"is no work item of .*gguf"):
        kernel_source.kernels(other, tiny("tiny-qwen3", formats_by_role={"*": "Q8_0"}))


def test_a_row_of_the_chip_here_is_rendered_as_its_device_compiles_it() -> None:
    toolchain.require_compiler("CPU")
    chip = machine.find_chip("cpu")
    route, geometry = "gemv_rows_f32", Geometry.parse("lanes=16 rows=1 scale=1 share=1 unroll=1")
    target = Target("CPU", chip)
    _, found = plan.occurrences(synth.facts("tiny-llama"), 512, ["down"])
    launches = emit.launches(found[0].work, registry.route(route), geometry, target)
    text = verify.rendered(launches, "CPU")
    assert text == "\n".join(tinygrad_render.render(x, "CPU") for x in launches)
    row = row_of("tiny-llama", "down", route, geometry, target)
    assert "\n".join(k.source for k in kernel_source.kernels(row)) == text
    with pytest.raises(BoltbeamError, match="--cubin is for NVIDIA chips"):
        kernel_source.compiled(row, kernel_source.kernels(row))
    assert kernel_source.kernels(changed(row, chip="cpu-elsewhere"))  # the same text on any CPU
    with pytest.raises(BoltbeamError, match="no renderer is known for chip dsp-1"):
        kernel_source.kernels(changed(row, chip="dsp-1"))


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"work": "decode/down/1x2/Q4_1/m1"}, "emitter changed since, row "),
        ({"source_hash": "0" * 16, "emitter_hash": "1" * 16}, "emitter changed since, row "),
        ({"geometry": "lanes=24", "emitter_hash": "1" * 16}, "emitter changed since, row "),
        ({"source_hash": "0" * 16, "tinygrad": "0.13.0"}, "tinygrad changed since"),
        ({"geometry": "groups=4 lanes=8 rows=2 split=1 unroll=1 words=4"}, "another model's"),
        ({"route": "gemv_lanes_gone"}, "registry changed since, row "),
    ],
)
def test_what_is_no_longer_the_same_is_never_shown(
    down: LedgerRow, change: dict[str, Any], words: str
) -> None:
    row = changed(down, commit="abc123def456", **change)
    with pytest.raises(GateFailed, match=words) as e:
        kernel_source.kernels(row)
    assert f"row {row.id} of commit abc123def456" in str(e.value)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"source_hash": ""}, "nothing was rendered"),
        ({"route": "schedule_opts"}, "tinygrad's own kernels"),
        ({"work": "decode/down"}, "cannot be read back"),
        ({"chip": "zz-1"}, "no renderer is known for chip zz-1"),
    ],
)
def test_a_row_without_a_kernel_is_one_line(
    down: LedgerRow, change: dict[str, Any], words: str
) -> None:
    with pytest.raises(BoltbeamError, match=words):
        kernel_source.kernels(changed(down, **change))


# ---- the command -----------------------------------------------------------------------------


def test_show_prints_exactly_the_text(cli: Cli, ledger: Path, down: LedgerRow) -> None:
    plain = cli("show", down.id, "--source", "--ledger", ledger)
    assert plain.code == 0
    assert hashlib.sha256(plain.out.encode()).hexdigest().startswith(down.source_hash)
    told = cli("show", down.id[:6], "--source", "--ledger", ledger, "--format", "json")
    assert json.loads(told.out)["kernels"][0]["source"] == plain.out
    words = cli("show", down.id, "--ledger", ledger)
    line = cli("ledger", "show", down.id, "--ledger", ledger).out
    assert words.out.startswith(line) and "raw samples: none are kept here" in words.out


def test_show_writes_the_bytes_that_tinygrad_loads(
    cli: Cli, ledger: Path, down: LedgerRow, tmp_path: Path, compiler: None
) -> None:
    toolchain.require_compiler("CUDA")
    from tinygrad.runtime.support.compiler_cuda import NVRTCCompiler

    file = tmp_path / "down.cubin"
    file.write_text("old")
    done = cli("show", down.id, "--cubin", file, "--ledger", ledger)
    assert (done.code, done.out) == (0, "")
    assert "for sm_90 by NVRTC" in done.err and "registers, 0 bytes spilled" in done.err
    (kernel,) = kernel_source.kernels(down)
    assert file.read_bytes() == NVRTCCompiler("sm_90", ptx=False).compile(kernel.source)
    assert [p.name for p in tmp_path.iterdir() if "cubin" in p.name] == ["down.cubin"]


def test_a_row_of_two_launches_is_two_files(tmp_path: Path, compiler: None) -> None:
    geometry = Geometry.parse("split=4 threads=64")
    op, route = "rope_store+attention", "chain_lanes_attention_f32"
    row = row_of("tiny-llama", op, route, geometry, Target("CUDA", H200))
    found = kernel_source.kernels(row)
    _, _, made = kernel_source.compiled(row, found)
    names = kernel_source.paths(tmp_path / "k.cubin", len(made))
    assert [p.name for p in names] == ["k.1.cubin", "k.2.cubin"]
    assert all(m.name.encode() in m.cubin for m in made)


def test_show_without_nvrtc_is_one_line(
    cli: Cli, ledger: Path, down: LedgerRow, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(nvrtc, "find", lambda: None)
    done = cli("show", down.id, "--source", "--cubin", tmp_path / "x", "--ledger", ledger)
    assert (done.code, done.out, done.err.count("\n")) == (2, "", 1)
    assert "no NVRTC here" in done.err and "pip install" in done.err
    assert not (tmp_path / "x").exists()


def test_show_that_cannot_write_leaves_nothing(
    cli: Cli, ledger: Path, down: LedgerRow, tmp_path: Path, compiler: None
) -> None:
    done = cli("show", down.id, "--cubin", tmp_path / "no" / "x.cubin", "--ledger", ledger)
    assert (done.code, done.err.count("\n")) == (2, 1)
    done = cli("show", down.id, "--cubin", tmp_path, "--ledger", ledger)
    assert (done.code, done.err.count("\n")) == (2, 1)
    assert not list(tmp_path.parent.glob("*.part"))


def test_a_change_ends_with_one_and_names_the_commit(
    cli: Cli, down: LedgerRow, tmp_path: Path
) -> None:
    row = changed(down, source_hash="0" * 16, emitter_hash="1" * 16, commit="abc123def456")
    write_file(tmp_path / "led", [row])
    done = cli("show", row.id, "--source", "--ledger", tmp_path / "led")
    assert (done.code, done.out, done.err.count("\n")) == (1, "", 1)
    assert f"emitter changed since, row {row.id} of commit abc123def456" in done.err
