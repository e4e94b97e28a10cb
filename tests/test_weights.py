"""Weights lie on the device once, for stock and plan; both compute what they computed before."""

from __future__ import annotations

import gc
from collections.abc import Callable, Iterator
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from decode_cases import CHIP, CL, CONTEXT, PROMPT, whole_token
from tinygrad.helpers import GlobalCounters
from tinygrad.nn.state import get_state_dict

from boltbeam.models import gguf_model, gguf_writer
from boltbeam.models.gguf_writer import Spec
from boltbeam.models.synth import MODELS, contents, metadata, tensor_specs
from boltbeam.seam import tinygrad_adapter as tg
from boltbeam.seam import tinygrad_model, tinygrad_weights
from boltbeam.token.install import generate, install
from boltbeam.types import BoltbeamError

Tiny = Callable[..., Path]
CASES = (
    ("tiny-llama", CHIP, True),
    pytest.param("tiny-llama", CL, False, marks=pytest.mark.cl),
    pytest.param("tiny-llama", CL, True, marks=(pytest.mark.cl, pytest.mark.slow)),
    pytest.param("tiny-qwen2", CHIP, False, marks=pytest.mark.slow),
    pytest.param("tiny-qwen3", CHIP, False, marks=pytest.mark.slow),
)
"""Model, chip, whether stock ran before the plan came."""


def by_stock(model: Any, n: int) -> list[int]:
    """n tokens of tinygrad's own generate(), from an empty cache."""
    model._cached_tokens = []
    return list(islice(model.generate(list(PROMPT)), n))


def cache_bytes(model: Any) -> int:
    tensors = (tinygrad_model.cache_tensor(model, i) for i in range(len(model.blk)))
    return sum(t.uop.buffer.nbytes for t in tensors)


@pytest.mark.parametrize(("name", "chip", "ran"), CASES)
def test_weights_are_on_the_device_once(tiny: Tiny, name: str, chip: Any, ran: bool) -> None:
    path, device = tiny(name), chip.device
    facts, files = gguf_model.read(path), gguf_model.files(path)
    gc.collect()
    before, size = GlobalCounters.mem_used, path.stat().st_size
    model, _ = tinygrad_model.load_model(path, CONTEXT, device)
    want = by_stock(model, 8) if ran else []
    made = install(model, facts, files, whole_token(facts, chip=chip), chip, check=False)
    assert made.active and made.plan is not None and made.plan.copies == {}, made.fallbacks
    mine = list(generate(made, PROMPT, 8, prompt_by="plan"))
    cache = sum(
        tinygrad_model.cache_tensor(model, i).uop.buffer.nbytes for i in range(facts.layers)
    )
    assert GlobalCounters.mem_used - before - cache < 1.1 * size
    made.uninstall()
    stock = by_stock(model, 8)
    assert GlobalCounters.mem_used - before - cache < 1.2 * size
    if chip.exact_stock:
        assert mine == stock and (not ran or stock == want)
    tg.use_device("CPU")


def test_the_first_use_check_needs_no_second_copy(tiny: Tiny) -> None:
    path = tiny()
    facts, files = gguf_model.read(path), gguf_model.files(path)
    gc.collect()
    before = GlobalCounters.mem_used
    model, _ = tinygrad_model.load_model(path, CONTEXT, "CPU")
    made = install(model, facts, files, whole_token(facts), CHIP)
    assert made.active
    cache = sum(
        tinygrad_model.cache_tensor(model, i).uop.buffer.nbytes for i in range(facts.layers)
    )
    prefill = 0.4 * path.stat().st_size  # what stock's 32 positions at once take in a tiny model
    assert GlobalCounters.mem_used - before - cache - prefill < 1.1 * path.stat().st_size


@pytest.mark.parametrize("device", ["CPU", pytest.param("CL", marks=pytest.mark.cl)])
def test_every_tensor_is_the_files(tiny: Tiny, device: str) -> None:
    path = tiny()
    facts, files = gguf_model.read(path), gguf_model.files(path)
    model, _ = tinygrad_model.load_model(path, CONTEXT, device)
    held = tinygrad_weights.hold(model, facts, files)
    assert set(held) == {p.name for p in facts.parts}
    assert tinygrad_weights.hold(model, facts, files) is held
    data = np.fromfile(path, np.uint8)
    for part in facts.parts:
        want = data[part.offset : part.offset + part.bytes]
        assert (tg.read(held[part.name]) == want).all()
        if part.bytes % 4 == 0:
            words = tg.viewed(held[part.name], "u32")
            assert (tg.read(words).view(np.uint8) == want).all()
    tg.write(tg.viewed(held["output_norm.weight"], "f32"), np.full(facts.d_model, 2, np.float32))
    assert (tg.read(held["output_norm.weight"]).view(np.float32) == 2).all()
    assert (model.output_norm.weight.float().numpy() == 2).all()
    tg.use_device("CPU")


@pytest.mark.parametrize("name", ["tiny-qwen3", "tiny-gemma3"])
def test_a_model_is_read_once(tiny: Tiny, name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """The file as a whole never lies on the device, and the model is the same."""
    path = tiny(name)
    facts = gguf_model.read(path)
    read: list[int] = []
    usual = tg.file_bytes
    monkeypatch.setattr(tg, "file_bytes", lambda *of: (read.append(of[2]), usual(*of))[1])
    gc.collect()
    before = GlobalCounters.mem_used
    model = tinygrad_weights.load(path, facts, CONTEXT, "CPU")
    assert read == [p.bytes for p in facts.parts]
    assert GlobalCounters.mem_used - before < path.stat().st_size
    usual_model, _ = tinygrad_model.load_model(path, CONTEXT, "CPU")
    state, want = get_state_dict(model), get_state_dict(usual_model)
    assert state.keys() == want.keys()
    for key in ("token_embd.weight", "blk.1.attn_q.weight", "output_norm.weight"):
        assert (state[key].numpy() == want[key].numpy()).all()


def test_a_model_that_cannot_be_taken_apart_is_read_whole(
    tiny: Tiny, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tinygrad_weights, "_redirect", lambda *_: {})
    path = tiny()
    model = tinygrad_weights.load(path, gguf_model.read(path), CONTEXT, "CPU")
    usual, _ = tinygrad_model.load_model(path, CONTEXT, "CPU")
    got, want = model.blk[0].attn_q.weight.numpy(), usual.blk[0].attn_q.weight.numpy()
    assert (got == want).all()


def pieces(folder: Path, name: str = "tiny-llama") -> Iterator[Path]:
    """The model as a split file of two pieces, tensors dealt out in turn."""
    shape = MODELS[name]
    specs = tensor_specs(shape, {})
    for i in (0, 1):
        path = folder / f"{name}-{i + 1:05d}-of-00002.gguf"
        mine: list[tuple[int, Spec]] = list(enumerate(specs))[i::2]
        keys = {"split.no": i, "split.count": 2, "split.tensors.count": len(specs)}
        keys |= metadata(name, shape, 0) if i == 0 else {}

        def fill(at: int, t: Spec, mine: list[tuple[int, Spec]] = mine) -> Iterator[bytes]:
            return contents(t, shape, np.random.default_rng([0, mine[at][0]]))

        yield gguf_writer.write(path, keys, [t for _, t in mine], fill)


def test_a_split_file(tiny: Tiny, tmp_path: Path) -> None:
    first, _ = pieces(tmp_path)
    whole, _ = tinygrad_model.load_model(tiny(), CONTEXT, "CPU")
    facts, files = gguf_model.read(first), gguf_model.files(first)
    model, _ = tinygrad_model.load_model(first, CONTEXT, "CPU")
    made = install(model, facts, files, whole_token(facts), CHIP, check=False)
    assert made.plan is not None and made.plan.copies == {}
    assert {p.file for p in facts.parts} == {0, 1}
    want = by_stock(whole, 8)
    assert list(generate(made, PROMPT, 8)) == want
    made.uninstall()
    assert by_stock(model, 8) == want


def test_a_model_loaded_in_another_way_is_copied_and_said(tiny: Tiny) -> None:
    from tinygrad.llm.model import Transformer

    path = tiny()
    facts, files = gguf_model.read(path), gguf_model.files(path)
    model, _ = Transformer.from_gguf(path, max_context=CONTEXT, realize=True)
    said: list[str] = []
    made = install(model, facts, files, whole_token(facts), CHIP, check=False, say=said.append)
    assert made.active and made.plan is not None
    matrices = sum(p.bytes for p in facts.parts if p.is_matrix)
    assert sum(made.plan.copies.values()) >= matrices
    assert f"{sum(made.plan.copies.values()):,} bytes of weights beside stock's" in said[0]
    mine = list(generate(made, PROMPT, 8, prompt_by="plan"))
    made.uninstall()
    assert by_stock(model, 8) == mine


def test_a_file_that_ends_early(tiny: Tiny, tmp_path: Path) -> None:
    path = tmp_path / "cut.gguf"
    path.write_bytes(tiny().read_bytes()[:-64])
    last = max(gguf_model.read(tiny()).parts, key=lambda p: p.offset)
    with pytest.raises(BoltbeamError, match="fetch it again"):
        tg.file_bytes(path, last.offset, last.bytes)
