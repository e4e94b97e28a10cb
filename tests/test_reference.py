"""The float64 oracle against gguf, against stock Tensor expressions, and its int8 rounding."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from kernel_cases import FORMATS, NUMPY, blocks, operands, work_item

from boltbeam.emit import reference, stock
from boltbeam.emit.core import shared_buffers
from boltbeam.types import Table, WorkItem

LAYER = "norm+qkv+rope_store+attention+o+norm+gate_up+down"


def run_stock(
    work: WorkItem, arrays: dict[str, np.ndarray], half: bool = True
) -> dict[str, np.ndarray]:
    from tinygrad import Tensor

    shapes = shared_buffers(work)
    tensors = {}
    for name, a in arrays.items():
        kind = NUMPY[shapes[name].dtype] if name in shapes else a.dtype
        tensors[name] = Tensor(a.astype(kind), device="CPU")
    made = stock.deployed(work, tensors, half)
    return {n: np.concatenate([t.numpy() for t in parts]) for n, parts in made.items()}


def exact(arrays: dict[str, np.ndarray]) -> dict[str, np.ndarray]:
    return {n: a for n, a in arrays.items() if not n.endswith((".q8", ".d", ".s16"))}


@pytest.mark.parametrize(
    "op",
    ["embed", "norm", "qkv", "rope_store", "attention", "o", "gate_up", "down", "head", "argmax"],
)
@pytest.mark.parametrize("half", [True, False])
def test_reference_agrees_with_stock(op: str, half: bool) -> None:
    work = work_item(op, "Q4_1")
    arrays = exact(operands(work, np.random.default_rng(3)))
    got = run_stock(work, arrays, half)
    values, sizes = reference.run(work, arrays)
    band = 1e-3 if half else 2e-5
    for name, y in got.items():
        live = ~np.isnan(values[name])
        limit = band * sizes[name] + np.abs(values[name]) * (2**-11 if name == "cache" else 2**-22)
        assert (np.abs(y - values[name])[live] <= limit[live] + 1e-12).all(), name


@pytest.mark.parametrize("given", [{"rope_interleaved": True}, {"qk_norm": True}])
def test_a_layer_agrees_with_stock(given: dict[str, bool]) -> None:
    work = work_item(LAYER, "Q4_1", **given)
    arrays = exact(operands(work, np.random.default_rng(4)))
    got = run_stock(work, arrays)["x"]
    want = reference.run(work, arrays)[0]["x"]
    assert np.abs(got - want).max() <= 2e-3 * np.abs(want).max()


def test_qkv_biases_agree_with_stock() -> None:
    work = work_item("qkv", "Q8_0", qkv_bias=True)
    arrays = exact(operands(work, np.random.default_rng(5)))
    values, sizes = reference.run(work, arrays)
    assert (np.abs(run_stock(work, arrays)["qkv"] - values["qkv"]) <= 1e-3 * sizes["qkv"]).all()


@pytest.mark.parametrize("kind", FORMATS)
def test_every_format_agrees_with_stock(kind: str) -> None:
    table = Table(role="ffn_down", rows=8, cols=256, format=kind)
    raw = blocks(kind, 8 * 256, np.random.default_rng(6))
    want = reference.dequantise(table, raw)
    from tinygrad import Tensor

    got = stock._weights(table, Tensor(raw, device="CPU")).float().numpy()
    size = reference.weight_magnitudes(table, raw)
    assert (np.abs(got - want) <= 1e-6 * size).all()
    assert (size >= np.abs(want) * (1 - 1e-6)).all()


def test_a_forced_token_and_a_free_one() -> None:
    work = work_item("argmax")
    arrays = operands(work, np.random.default_rng(7))
    free = reference.run(work, arrays)[0]
    assert free["tok"][0] == arrays["logits"].argmax() and free["pos"][0] == 8
    arrays["ids"][8] = 4
    assert reference.run(work, arrays)[0]["tok"][0] == 4


def test_positions_beyond_the_token_do_not_count() -> None:
    work = work_item("attention")
    arrays = operands(work, np.random.default_rng(8))
    assert np.isfinite(reference.run(work, arrays)[0]["att.f32"]).all()


@settings(max_examples=60, deadline=None)
@given(st.lists(st.floats(-1e4, 1e4, width=32), min_size=32, max_size=32))
def test_int8_rounding_is_within_half_a_step(values: list[float]) -> None:
    x = np.array(values, "f4")
    words, d, s16 = reference.quantise(x)
    back = reference.decode(words, d)
    assert (np.abs(back - x) <= 0.501 * d[0] + 1e-30).all()
    assert np.allclose(s16, back.reshape(2, 16).sum(axis=1), rtol=1e-5, atol=1e-4 * d[0] + 1e-30)
    assert np.abs(words.view("i1")).max(initial=0) <= 127


def test_int8_rounding_is_away_from_zero() -> None:
    x = np.zeros(32, "f4")
    x[:4] = [127.0, 0.5, -0.5, 1.5]
    words, _, _ = reference.quantise(x)
    assert words.view("i1")[:4].tolist() == [127, 1, -1, 2]
