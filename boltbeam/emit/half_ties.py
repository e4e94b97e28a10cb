"""Where float32 may round a key or value to the other half: how far a right kernel may then differ.

Takes float64 values with the error that float32 may have made in them, gives the halves that may be
stored and what they change in the attention output. Never touches a value that is not near a tie.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[Any]

UNIT = 2.0**-24
"""Largest relative error of one float32 operation."""
DEVIATIONS = 3.0
"""Of a sum of many errors whose signs do not depend on each other."""
ROTATION = 4 * UNIT
"""Of |x cos| + |y sin|: two products and a sum, twice over."""


def total(sizes: Array, error: Array) -> Array:
    """Bound of a sum of errors (n) with weights of these sizes (…, n).

    Up to DEVIATIONS² errors of a size are added as if all signs agreed. Of more it is DEVIATIONS
    times the root of the sum of squares, for signs that do not depend on each other: added up
    through a whole layer the former would allow a kernel anything.
    """
    peak = max(float(error.max()), 1e-300)
    share = error / peak
    squares = np.square(sizes) @ np.square(share)
    return np.asarray(np.minimum(sizes @ share, DEVIATIONS * np.sqrt(squares)) * peak)


def norm_error(x: Array, error: Array, weight: Array, eps: float) -> Array:
    """Error of an RMS norm of each row of x (rows, n), given the error of x.

    A sum of n squares in any order is off by n units at most, its root by half of that; 8 more are
    for the root, the division and the products.
    """
    n = x.shape[-1]
    squares = np.sum(x * x, axis=-1, keepdims=True) + n * eps
    scale = np.abs(weight) * np.sqrt(n / squares)
    sums = np.stack(
        [total(np.abs(a), e) for a, e in zip(x.reshape(-1, n), error.reshape(-1, n), strict=True)]
    )
    carried = error + np.abs(x) * sums.reshape(squares.shape) / squares
    return np.asarray(scale * (carried + np.abs(x) * (n / 2 + 8) * UNIT))


def ends(value: Array, error: Array) -> tuple[Array, Array]:
    """(lowest, highest) half (float16) that value may be rounded to; equal where no tie is near."""
    with np.errstate(over="ignore"):
        return (value - error).astype(np.float16), (value + error).astype(np.float16)


def span(stored: Array, low: Array, high: Array) -> Array:
    """float64: how far the other half is from the one the reference stored; 0 without a tie."""
    with np.errstate(invalid="ignore"):
        away = np.maximum(high.astype(np.float64) - stored, stored - low.astype(np.float64))
    return np.asarray(np.nan_to_num(away, posinf=0.0))


def attention_slack(
    q: Array, weights: Array, out: Array, v: Array, k_span: Array, v_span: Array
) -> Array:
    """What other halves of the newest k and v may change in the output: (groups, heads, head_dim).

    q (groups, heads, head_dim), softmax weights (groups, heads, positions) and out belong to the
    stored halves; v, k_span and v_span (groups, head_dim) to the newest position. Exact, not first
    order: only one score of a softmax moves, and by no more than sum |q| k_span / sqrt(head_dim).
    """
    score = np.einsum("ghd,gd->gh", np.abs(q), k_span) * q.shape[-1] ** -0.5
    p = weights[..., -1]
    up = 1 - 1 / (1 + p * np.expm1(np.minimum(score, 700.0)))
    with np.errstate(divide="ignore"):
        down = p * -np.expm1(-score) / (1 - p * -np.expm1(-score))
    moved = np.maximum(up, down)[..., None]
    largest = p[..., None] + (1 - p[..., None]) * up[..., None]
    with np.errstate(invalid="ignore"):
        return np.asarray(moved * np.abs(v[:, None] - out) + largest * v_span[:, None])


def within_values(slack: Array, v: Array, v_span: Array) -> Array:
    """A slack of the output, no larger than v (groups, positions, head_dim) lets it be: an average.

    Where one position has all the weight in float64, what the others may get is not known: nan.
    """
    most = (v.max(axis=1) - v.min(axis=1) + v_span)[:, None]
    return np.asarray(np.fmin(slack, most))


def query_slack(
    q: Array, moved: Array, weights: Array, k: Array, v: Array, k_span: Array, v_span: Array
) -> Array:
    """As `attention_slack`, where q may be off by `moved` as well, so that every score moves.

    k and v (groups, positions, head_dim). Every weight changes by e^2r at most, r being the most
    that any score moves.
    """
    reach = np.einsum("ghd,gpd->ghp", moved, np.abs(k))
    reach[..., -1] += np.einsum("ghd,gd->gh", np.abs(q) + moved, k_span)
    most = np.minimum(2 * reach.max(axis=-1) * q.shape[-1] ** -0.5, 700.0)[..., None]
    terms = np.einsum("ghp,gpd->ghd", weights, np.abs(v))
    newest = np.minimum(1.0, weights[..., -1:] * np.exp(most))
    return np.asarray(np.expm1(most) * 2 * terms + newest * v_span[:, None])
