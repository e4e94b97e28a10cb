"""Sample contents: finite in every format, edges present; the comparison of interfaces."""

from __future__ import annotations

import numpy as np
import pytest

from boltbeam.emit import reference
from boltbeam.models import random_blocks
from boltbeam.proof import compare_outputs
from boltbeam.proof.compare_outputs import Agreement, Mismatch
from boltbeam.registry import formats
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
    if kind == "normal":
        raw = random_blocks.blocks(fmt, 16, 512, np.random.default_rng(0), kind)
        blocks = raw.reshape(-1, formats()[fmt].block_bytes)
        for at in random_blocks.RANDOM[fmt][:2] if formats()[fmt].block_weights > 1 else ():
            halves = blocks[:, at : at + 2].copy().view(np.float16) if at is not None else 1.0
            assert np.abs(halves).min() >= random_blocks.LEAST_NORMAL
    elif kind == "random":
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
    found = compare_outputs.compare(*quantised(), 1e-5)
    assert isinstance(found, Agreement) and found.worst <= 1 and found.excused is not None


def at_a_tie(beyond: float) -> tuple[float, int | None]:
    """(worst, excused) where one value lies `beyond` steps past the border of the step chosen."""
    words = np.arange(32, dtype=np.int8) + 96
    d = np.float32(0.01)
    want = words * np.float64(d)
    want[7] += (0.5 + beyond) * np.float64(d)
    sums = (words.reshape(2, 16).sum(axis=1) * d).astype(np.float32)
    outputs = {"xn.q8": words.view(np.uint32), "xn.d": np.array([d]), "xn.s16": sums}
    values = {"xn.f32": want}
    found = compare_outputs.compare(outputs, (values, {"xn.f32": np.ones(32)}), 1e-5)
    assert isinstance(found, Agreement)
    return found.worst, found.excused


def test_a_value_past_a_tie_is_counted_with_its_error() -> None:
    """The tolerance is 1e-5 (of magnitude 1) and 0.5e-4 of a step of 0.01: 1.05e-3 steps."""
    assert at_a_tie(-0.1) == (pytest.approx(0, abs=0.1), 0)
    assert at_a_tie(5.25e-4) == (pytest.approx(0.5, rel=1e-3), 1)
    with pytest.raises(AssertionError):
        at_a_tie(1.1e-3)


def test_exact_outputs_excuse_nothing() -> None:
    y = np.array([1.0, 2.0], np.float32)
    found = compare_outputs.compare({"q": y}, ({"q": y * (1 + 2e-6)}, {}), 1e-5)
    assert isinstance(found, Agreement) and found.excused is None and 0 < found.worst < 1
    assert (found | Agreement(0.9, 2)) == Agreement(0.9, 2)
    assert (Agreement(0.1, 1) | Agreement(0.2, 2)) == Agreement(0.2, 3)


@pytest.mark.parametrize("name", ["xn.q8", "xn.d", "xn.s16"])
def test_each_member_of_q8_is_compared(name: str) -> None:
    outputs, expected = quantised()
    wrong = outputs[name].copy()
    raw = wrong.view(np.int8) if name == "xn.q8" else wrong
    raw[1] = raw[1] + 2 if name == "xn.q8" else raw[1] * 1.01 + 0.01
    found = compare_outputs.compare({**outputs, name: wrong}, expected, 1e-5)
    assert isinstance(found, Mismatch) and found.where.startswith("xn.")


def test_partial_maxima_must_find_the_best_logit() -> None:
    logits = np.array([1, 5, 2, 7, 3, 7], np.float32)
    values = ({"logits": logits.astype(np.float64)}, {})
    good = {
        "logits": logits,
        "best.v": np.array([5, 7, 7], np.float32),
        "best.i": np.array([1, 3, 5], np.int32),
    }
    assert compare_outputs.compare(good, values, 1e-5) == Agreement()
    for change in (
        {"best.i": np.array([1, 2, 5], np.int32)},
        {"best.i": np.array([1, 3, 9], np.int32)},
        {"best.v": np.array([5, 2, 3], np.float32), "best.i": np.array([1, 2, 4], np.int32)},
    ):
        assert isinstance(compare_outputs.compare(good | change, values, 1e-5), Mismatch)
