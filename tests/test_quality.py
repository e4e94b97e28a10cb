"""The float64 emulation is the model, and int8 plans are held against its own rounding."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from decode_cases import CHIP, CONTEXT, load, whole_token

from boltbeam.models import gguf_model
from boltbeam.seam import tinygrad_model
from boltbeam.token import emulation, promotion, quality
from boltbeam.token.agreement import kl
from boltbeam.token.install import stock_trace
from boltbeam.token.token_gate import Engine

Tiny = Callable[..., Path]
ALL = frozenset(("qkv", "o", "gate_up", "down", "head"))
NAMES = ("tiny-llama", pytest.param("tiny-qwen2", marks=pytest.mark.slow), "tiny-qwen3")


@pytest.mark.parametrize("name", NAMES)
def test_the_emulation_is_the_model(tiny: Tiny, name: str) -> None:
    path = tiny(name)
    ids = quality.text_ids(path, 12)
    model, _, _ = load(path)
    trace = stock_trace(tinygrad_model.stock_decoder(model), ids[:1], 12, ids[1:])
    exact = emulation.logits(path, ids)
    assert trace.logits is not None and exact.shape == trace.logits.shape
    error = np.abs(exact - trace.logits).max() / np.abs(exact).max()
    assert error < 2e-3
    rounded = emulation.logits(path, ids, ALL)
    assert kl(exact, rounded) > 10 * kl(exact, trace.logits)


def test_positions_do_not_see_what_follows(tiny: Tiny) -> None:
    path = tiny("tiny-llama")
    ids = quality.text_ids(path, 9)
    whole, part = emulation.logits(path, ids), emulation.logits(path, ids[:4])
    assert np.allclose(whole[:4], part, rtol=1e-12)


def test_which_activations_a_plan_rounds(tiny: Tiny) -> None:
    facts = gguf_model.read(tiny("tiny-llama"))
    assert quality.rounded_ops(whole_token(facts)) == frozenset()
    assert quality.rounded_ops(whole_token(facts, q8=True)) == ALL


@pytest.mark.slow
def test_an_int8_plan_rounds_as_its_emulation_does(tiny: Tiny) -> None:
    path = tiny("tiny-llama")
    members = whole_token(gguf_model.read(path), q8=True)
    engine = Engine(model=str(path), chip=CHIP, context=CONTEXT, members=members)
    found = quality.measure(engine, 40)
    assert found.positions == 40 and 0.5 < found.ratio < 1.2
    gate = promotion._quality_gate(engine, ())
    assert gate.passed and gate.number is not None and gate.limit == 1.2
    coarse = found.model_copy(update={"plan_kl": found.emulated_kl * 1.3})
    assert coarse.ratio > gate.limit
