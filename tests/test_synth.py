"""Synthetic models: the real shapes and formats, sane weights, written whole or not at all."""

from __future__ import annotations

import subprocess
import sys
import tracemalloc
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from boltbeam.models import gguf_model, random_blocks, synth
from boltbeam.models.gguf_header import read_header
from boltbeam.models.gguf_writer import Spec, write
from boltbeam.registry import formats
from boltbeam.types import BoltbeamError

Make = Callable[..., Path]


@pytest.mark.model
def test_smollm2_is_exactly_the_real_header(smollm2: Path, tmp_path: Path) -> None:
    made = read_header(synth.synth("smollm2-135m", tmp_path / "s.gguf", layers=None))
    real = read_header(smollm2)
    shape = [(t.name, t.shape, t.format.name, t.bytes) for t in real.tensors]
    assert [(t.name, t.shape, t.format.name, t.bytes) for t in made.tensors] == shape
    theirs = {k: v for k, v in real.metadata.items() if k.startswith("llama.")}
    assert {k: v for k, v in made.metadata.items() if k.startswith("llama.")} == theirs


@pytest.mark.parametrize("name", synth.MODELS)
def test_every_model_has_a_supported_decode(name: str, outline: Make) -> None:
    facts = gguf_model.read(outline(name))
    gguf_model.require_supported(facts)
    assert {p.role for p in facts.parts if p.name in {u.name for u in facts.uncovered}} <= {
        "rope_freqs"
    }
    assert facts.tied_head == synth.MODELS[name].tied


def test_tiny_models_are_tiny(tiny: Make) -> None:
    assert all(tiny(n).stat().st_size < 2 << 20 for n in synth.MODELS if n.startswith("tiny"))


def test_q4_k_m_follows_llama_cpp() -> None:
    specs = {s.name: s.format.name for s in synth.tensor_specs(synth.MODELS["qwen3-8b"], {})}
    fine = [i for i in range(36) if specs[f"blk.{i}.ffn_down.weight"] == "Q6_K"]
    assert fine == [0, 1, 2, 3, 6, 9, 12, 15, 18, 21, 24, 27, 30, 31, 32, 33, 34, 35]
    assert fine == [i for i in range(36) if specs[f"blk.{i}.attn_v.weight"] == "Q6_K"]
    assert (specs["token_embd.weight"], specs["output.weight"]) == ("Q4_K", "Q6_K")
    tied = {s.name: s.format.name for s in synth.tensor_specs(synth.MODELS["llama-3.2-1b"], {})}
    assert tied["token_embd.weight"] == "Q6_K" and tied["rope_freqs.weight"] == "F32"
    narrow = {s.name: s.format.name for s in synth.tensor_specs(synth.MODELS["qwen2.5-0.5b"], {})}
    assert narrow["blk.1.attn_q.weight"] == "Q5_0" and narrow["token_embd.weight"] == "Q8_0"
    assert narrow["blk.5.ffn_down.weight"] == "Q6_K"


@settings(max_examples=25, deadline=None, suppress_health_check=list(HealthCheck))
@given(
    name=st.sampled_from(["tiny-llama", "tiny-qwen2", "tiny-qwen3"]),
    form=st.sampled_from(sorted(random_blocks.RANDOM)),
    layers=st.integers(1, 2),
    seed=st.integers(0, 2**32),
)
def test_round_trip(tmp_path: Path, name: str, form: str, layers: int, seed: int) -> None:
    path = synth.synth(name, tmp_path / "m.gguf", seed, layers, {"*": form}, overwrite=True)
    facts = gguf_model.read(path)
    gguf_model.require_supported(facts)
    shapes = gguf_model.expected_shapes(facts)
    assert facts.layers == layers and all(p.shape == shapes[p.role] for p in facts.parts)
    assert {p.format for p in facts.parts if p.is_matrix} == {form}
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.parametrize("form", sorted(random_blocks.RANDOM))
@pytest.mark.parametrize("cols", [256, 4096])
def test_blocks_are_finite_centred_and_sane(form: str, cols: int) -> None:
    from gguf import GGMLQuantizationType
    from gguf.quants import dequantize

    raw = random_blocks.blocks(form, 64, cols, np.random.default_rng(1))
    assert raw.shape == (64, formats()[form].bytes_for(cols))
    values = dequantize(raw, GGMLQuantizationType[form])
    assert values.shape == (64, cols) and np.isfinite(values).all()
    assert 0.5 < values.std() * np.sqrt(cols) < 2
    assert abs(values.mean()) < 0.2 * values.std()
    if form not in ("F32", "F16", "BF16"):
        scales = raw.reshape(-1, formats()[form].block_bytes)[:, :4]
        assert len(np.unique(scales, axis=0)) > 8


def test_equal_seeds_give_equal_bytes(tiny: Make, tmp_path: Path) -> None:
    a = synth.synth("tiny-qwen3", tmp_path / "a.gguf", seed=3).read_bytes()
    assert a == synth.synth("tiny-qwen3", tmp_path / "b.gguf", seed=3).read_bytes()
    assert a != synth.synth("tiny-qwen3", tmp_path / "c.gguf", seed=4).read_bytes()


def test_the_gguf_package_reads_it(tiny: Make) -> None:
    from gguf import GGUFReader

    theirs = {t.name: (int(t.data_offset), int(t.n_bytes)) for t in GGUFReader(tiny()).tensors}
    assert {p.name: (p.offset, p.bytes) for p in gguf_model.read(tiny()).parts} == theirs


@pytest.mark.parametrize(
    ("name", "options", "words"),
    [
        ("qwen3-0.6", {}, "did you mean qwen3-0.6b"),
        ("nonsense", {}, "known are"),
        ("tiny-llama", {"layers": 3}, "1 to 2"),
        ("tiny-llama", {"formats_by_role": {"*": "Q9"}}, "format 'Q9'"),
        ("smollm2-135m", {"formats_by_role": {"attn_q": "Q4_K"}}, "not whole Q4_K blocks"),
        ("tiny-llama", {"formats_by_role": {"attn_qq": "Q8_0"}}, "no matrix 'attn_qq'"),
    ],
)
def test_bad_requests(tmp_path: Path, name: str, options: dict[str, object], words: str) -> None:
    with pytest.raises(BoltbeamError, match=words):
        synth.synth(name, tmp_path / "m.gguf", **options)  # type: ignore[arg-type]
    assert not list(tmp_path.iterdir())


def test_never_overwrites_unasked(tmp_path: Path) -> None:
    path = tmp_path / "m.gguf"
    path.write_text("mine")
    with pytest.raises(BoltbeamError, match="exists already"):
        synth.synth("tiny-llama", path)
    assert path.read_text() == "mine"
    synth.synth("tiny-llama", path, overwrite=True)
    assert gguf_model.read(path).layers == 2


def test_no_such_folder(tmp_path: Path) -> None:
    with pytest.raises(BoltbeamError, match="cannot be written"):
        synth.synth("tiny-llama", tmp_path / "none" / "m.gguf")


def test_more_than_the_disk_has(tmp_path: Path) -> None:
    spec = Spec("a", (1 << 50,), formats()["F32"])
    with pytest.raises(BoltbeamError, match="more than the disk has free"):
        write(tmp_path / "m.gguf", {}, [spec], lambda _i, _t: iter(()))
    assert not list(tmp_path.iterdir())


def test_a_write_that_fails_half_way_leaves_nothing(tmp_path: Path) -> None:
    script = (
        "import resource, signal, sys; signal.signal(signal.SIGXFSZ, signal.SIG_IGN)\n"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (300000, 300000))\n"
        "from boltbeam.models.synth import synth; synth('tiny-llama', sys.argv[1])"
    )
    done = subprocess.run(
        [sys.executable, "-c", script, tmp_path / "m.gguf"], capture_output=True, text=True
    )
    assert "BoltbeamError" in done.stderr and "cannot be written" in done.stderr
    assert not list(tmp_path.iterdir())


def test_an_interrupt_leaves_nothing(tmp_path: Path) -> None:
    def interrupt(done: int, total: int) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        synth.synth("tiny-llama", tmp_path / "m.gguf", progress=interrupt)
    assert not list(tmp_path.iterdir())


def test_large_tensors_are_written_in_small_pieces(tmp_path: Path) -> None:
    shape = synth.MODELS["llama-3.2-3b"]
    (head,) = [s for s in synth.tensor_specs(shape, {}) if s.name == "token_embd.weight"]
    tracemalloc.start()
    pieces = synth.contents(head, shape, np.random.default_rng(0))
    sizes = [len(piece) for piece, _ in zip(pieces, range(8), strict=False)]
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert len(sizes) == 8 and max(sizes) <= synth.CHUNK_BYTES and peak < 64 << 20


def test_vocabulary_is_whole() -> None:
    for name in ("tiny-llama", "qwen3-8b", "llama-3.2-1b"):
        shape = synth.MODELS[name]
        meta = synth.metadata(name, shape, 0)
        tokens = meta["tokenizer.ggml.tokens"]
        assert (
            len(tokens) == len(set(tokens)) == shape.vocab == len(meta["tokenizer.ggml.token_type"])
        )
