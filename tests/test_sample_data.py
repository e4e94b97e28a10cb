"""Sample contents: finite in every format, edges present; the comparison of interfaces."""

from __future__ import annotations

import numpy as np
import pytest

from boltbeam import compare_outputs, random_blocks
from boltbeam.compare_outputs import Mismatch
from boltbeam.emit import reference
from boltbeam.types import Table

FORMATS = sorted(random_blocks.RANDOM)


def unpacked(fmt: str, kind: str, seed: int = 0) -> np.ndarray:
    table = Table(role="t", rows=16, cols=512, format=fmt)
    raw = random_blocks.blocks(fmt, 16, 512, np.random.default_rng(seed), kind)
    return reference.dequantise(table, raw)


@pytest.mark.parametrize("fmt", FORMATS)
@pytest.mark.parametrize("kind", random_blocks.KINDS)
def test_blocks_are_finite_in_every_format(fmt: str, kind: str) -> None:
    w = unpacked(fmt, kind)
    assert np.isfinite(w).all() and w.std() > 0
    if kind == "random":
        assert 0.2 < w.std() * np.sqrt(512) < 5  # rows times a unit vector come out near 1
    else:
        assert np.abs(w).max() > (1e4 if kind == "extreme" else 4)
        assert (w == 0).any()


def test_extreme_scales_hold_zero_subnormal_and_largest() -> None:
    raw = random_blocks.blocks("Q8_0", 64, 512, np.random.default_rng(0), "extreme")
    scale = raw.reshape(-1, 34)[:, :2].copy().view(np.float16).reshape(-1).astype(np.float64)
    assert (scale == 0).any() and (np.abs(scale) == 65504).any()
    assert ((np.abs(scale) > 0) & (np.abs(scale) < 2.0**-14)).any()
    assert (raw.reshape(-1, 34)[:, 2:] == 0xFF).all(axis=1).any()


def test_unknown_kind_is_refused() -> None:
    with pytest.raises(ValueError, match="kind 'odd'"):
        random_blocks.blocks("Q8_0", 1, 32, np.random.default_rng(0), "odd")


def quantised() -> tuple[dict[str, np.ndarray], compare_outputs.Expected]:
    x = np.random.default_rng(3).standard_normal(64, dtype=np.float32)
    names = ("xn.q8", "xn.d", "xn.s16")
    outputs = dict(zip(names, reference.quantise(x), strict=True))
    values = {"xn.f32": x.astype(np.float64)}
    return outputs, (values, {"xn.f32": np.abs(values["xn.f32"])})


def test_a_right_q8_activation_passes() -> None:
    found = compare_outputs.worst(*quantised(), 1e-5)
    assert isinstance(found, float) and found <= 1


@pytest.mark.parametrize("name", ["xn.q8", "xn.d", "xn.s16"])
def test_each_member_of_q8_is_compared(name: str) -> None:
    outputs, expected = quantised()
    wrong = outputs[name].copy()
    raw = wrong.view(np.int8) if name == "xn.q8" else wrong
    raw[1] = raw[1] + 2 if name == "xn.q8" else raw[1] * 1.01 + 0.01
    found = compare_outputs.worst({**outputs, name: wrong}, expected, 1e-5)
    assert isinstance(found, Mismatch) and found.where.startswith("xn.")


def test_partial_maxima_must_find_the_best_logit() -> None:
    logits = np.array([1, 5, 2, 7, 3, 7], np.float32)
    values = ({"logits": logits.astype(np.float64)}, {})
    good = {
        "logits": logits,
        "best.v": np.array([5, 7, 7], np.float32),
        "best.i": np.array([1, 3, 5], np.int32),
    }
    assert compare_outputs.worst(good, values, 1e-5) == pytest.approx(0, abs=1)
    for change in (
        {"best.i": np.array([1, 2, 5], np.int32)},
        {"best.i": np.array([1, 3, 9], np.int32)},
        {"best.v": np.array([5, 2, 3], np.float32), "best.i": np.array([1, 2, 4], np.int32)},
    ):
        assert isinstance(compare_outputs.worst(good | change, values, 1e-5), Mismatch)
