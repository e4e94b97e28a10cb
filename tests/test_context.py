"""Long contexts: the plan's numbers are stock's at every border, and its tokens across them.

Stock on the CPU is the reference, for kernels in the lanes form on CL as well.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import cache
from itertools import islice
from pathlib import Path

import numpy as np
import pytest
from decode_cases import CHIP, CL, load, plan_with, whole_token

from boltbeam.models import synth
from boltbeam.seam import tinygrad_adapter as tg
from boltbeam.seam import tinygrad_model
from boltbeam.token.decode_plan import DecodePlan
from boltbeam.token.install import generate, install
from boltbeam.types import ChipFacts, ModelFacts

CONTEXT = 2048
BORDERS = (0, 1, 31, 32, 33, 510, 511, 512, 513, 1023, 1024, 1025)
"""Positions around which a bucket, a split, a tile or a chunk of stock's prefill ends."""
LAYER = "norm+qkv+rope_store+attention+o+norm+gate_up+down"
VARIANTS = (
    pytest.param(
        CL,
        4096,
        "rope_store+attention",
        "stream_lanes_rope_f32 ahead=1 lanes=16 lean=0 split=4 threads=64 unroll=1",
        id="lanes-stream-4096",
        marks=pytest.mark.cl,
    ),
    pytest.param(CHIP, CONTEXT, "attention", "attention_rows_f32", id="rows"),
    pytest.param(CHIP, CONTEXT, LAYER, "chain_rows", id="rows-layer"),
    pytest.param(CHIP, 16384, LAYER, "chain_rows", id="rows-16384", marks=pytest.mark.slow),
    pytest.param(
        CL,
        CONTEXT,
        "rope_store+attention",
        "chain_lanes_attention_f32",
        id="lanes-fused",
        marks=pytest.mark.cl,
    ),
    pytest.param(
        CL,
        CONTEXT,
        "attention",
        "attention_lanes_f32",
        id="lanes",
        marks=(pytest.mark.cl, pytest.mark.slow),
    ),
)


@pytest.fixture(scope="module")
def long(tmp_path_factory: pytest.TempPathFactory) -> Callable[[int], Path]:
    """A tiny model of so many positions."""
    folder = tmp_path_factory.mktemp("long")

    @cache
    def make(context: int) -> Path:
        with pytest.MonkeyPatch.context() as patch:
            shape = replace(synth.MODELS["tiny-llama"], context=context)
            patch.setitem(synth.MODELS, "tiny-long", shape)
            return synth.synth("tiny-long", folder / f"{context}.gguf")

    return make


def caches(facts: ModelFacts, context: int, live: int) -> list[np.ndarray]:
    """KV caches with random values at `live` positions, and nothing that may be read after them."""
    rng = np.random.default_rng(live)
    out = []
    for _ in range(facts.layers):
        values = rng.standard_normal((2, facts.kv_heads, context, facts.head_dim))
        values[:, :, live:] = np.nan
        out.append(values.astype(np.float16))
    return out


def fill(model: object, values: Sequence[np.ndarray]) -> None:
    for layer, each in enumerate(values):
        tg.write(tinygrad_model.cache_tensor(model, layer), each)


@pytest.mark.parametrize(("chip", "context", "span", "route"), VARIANTS)
def test_logits_at_every_border(
    long: Callable[[int], Path], chip: ChipFacts, context: int, span: str, route: str
) -> None:
    path = long(context)
    stock, facts, files = load(path, context)
    tinygrad_model.allocate_state(stock)
    decode = tinygrad_model.stock_decoder(stock)
    at = [p for p in (*BORDERS, context // 2, context - 2, context - 1) if p < context]
    want = []
    for position in at:
        fill(stock, caches(facts, context, position))
        want.append(decode(7 + position % 300, position))
    model, _ = tinygrad_model.load_model(path, context, chip.device)
    members = plan_with(facts, context, chip, span, route)
    plan = DecodePlan(facts, files, members, chip.device, context, chip, model)
    assert plan.fallbacks == ()
    for position, row in zip(at, want, strict=True):
        fill(model, caches(facts, context, position))
        plan.reset_at(7 + position % 300, position)
        plan.step()
        assert np.abs(plan.logits() - row).max() < 2e-3 * np.abs(row).max(), position
    tg.use_device("CPU")


@pytest.mark.slow
def test_tokens_across_the_borders(long: Callable[[int], Path]) -> None:
    """Prompts that end at a border, taken by plan or by stock, and to the end of the context."""
    model, facts, files = load(long(CONTEXT), CONTEXT)
    stock, _, _ = load(long(CONTEXT), CONTEXT)
    made = install(model, facts, files, whole_token(facts, CONTEXT), CHIP, check=False)
    text = [int(i) for i in np.random.default_rng(3).integers(0, facts.vocab, CONTEXT)]
    for n in (1, 511, 512, 513, CONTEXT - 3):
        stock._cached_tokens = []  # type: ignore[attr-defined]
        want = list(islice(stock.generate(text[:n]), 6))  # type: ignore[attr-defined]
        assert len(want) == min(6, CONTEXT - n)
        for way in ("plan", "stock"):
            model._cached_tokens = []  # type: ignore[attr-defined]
            got = list(generate(made, text[:n], 6, prompt_by=way))  # type: ignore[arg-type]
            assert got == want, (n, way)
