"""RMSNorm of the residual stream and rounding of an activation to int8, rows form.

Takes the residual stream, gives the activation `xn` in an interface.
"""

from __future__ import annotations

from typing import Any

from boltbeam.emit.core import Buf, activation
from boltbeam.emit.rows import Rows, add, divisor, larger, sums32
from boltbeam.types import Geometry, WorkItem


def reads(work: WorkItem, weight: str = "norm") -> tuple[Buf, ...]:
    return Buf("x", work.d_model, "f32"), Buf(f"n.{weight}", work.d_model, "f32")


def writes(work: WorkItem, gives: str) -> tuple[Buf, ...]:
    return activation("xn", work.d_model, gives)


def body(k: Rows, work: WorkItem, geometry: Geometry, gives: str, weight: str = "norm") -> None:
    """xn = x / sqrt(mean(x²) + eps) · weight."""
    n = work.d_model
    if gives == "q8":
        k.buffers["xn.f32"] = k.array(n)
    scale = inverse_rms(k, "x", 0, n, work.norm_eps, divisor(n, geometry["lanes"]))
    i = k.loop(n)
    value = k["x"][i].load() * scale * k[f"n.{weight}"][i].load()
    k.done(k["xn.f32"][i].store(value).end(i))
    if gives == "q8":
        quantise(k, "xn", n)
    else:
        sums32(k, "xn.f32", "xn.s32", n)


def post_reads(work: WorkItem, weight: str = "norm") -> tuple[Buf, ...]:
    return Buf("y", work.d_model, "f32"), Buf(f"n.{weight}", work.d_model, "f32")


def post_writes(work: WorkItem) -> tuple[Buf, ...]:
    return (Buf("x", work.d_model, "f32"),)


def post_body(k: Rows, work: WorkItem, geometry: Geometry, weight: str = "norm") -> None:
    """x = x + y / sqrt(mean(y²) + eps) · weight."""
    n = work.d_model
    scale = inverse_rms(k, "y", 0, n, work.norm_eps, divisor(n, geometry["lanes"]))
    i = k.loop(n)
    value = k["y"][i].load() * scale * k[f"n.{weight}"][i].load()
    x = k["x"]
    k.done(x[i].store(x[i].load() + value).end(i))


def inverse_rms(
    k: Rows, source: str, start: Any, n: int, eps: float, lanes: int, *ranges: Any
) -> Any:
    """1 / sqrt(mean of squares + eps) of n elements of `source` from `start` on, as a value."""
    squares = k.array(lanes)
    zero = k.filled(squares, 0.0, *ranges)
    block, lane = k.reduce(n // lanes), k.loop(lanes)
    here = zero.after(block)
    value = k[source][start + block * lanes + lane].load()
    end = here[lane].store(here[lane].load() + value * value).end(lane).end(block)
    mean = k.fold(squares, lanes, add, end) * (1.0 / n)
    kept = k.array(1)
    inverse = (mean + eps).sqrt().reciprocal()
    return kept.after(kept.after(*ranges, *k.before)[0].store(inverse))[0].load()


def quantise(k: Rows, prefix: str, n: int) -> None:
    """`prefix`.q8, .d, .s16 from its f32 values: q = round-half-away(x / d), d = max|x| / 127."""
    from tinygrad import dtypes
    from tinygrad.uop.ops import UOp

    block = k.loop(n // 32)
    x = k[f"{prefix}.f32"]
    codes, sizes = k.array(32, "i32"), k.array(16)
    lane = k.loop(16)
    a, b = (_abs(x[block * 32 + h * 16 + lane].load()) for h in (0, 1))
    sized = sizes.after(block, *k.before)[lane].store(a.maximum(b)).end(lane)
    d = k.fold(sizes, 16, larger, sized) * (1.0 / 127.0)
    inverse = (d > 0.0).where(1.0 / (d > 0.0).where(d, 1.0), 0.0)
    lane = k.loop(32)
    scaled = x[block * 32 + lane].load() * inverse
    code = (scaled + (scaled < 0.0).where(-0.5, 0.5)).cast(dtypes.int32)
    code = code.maximum(-127).minimum(127)
    rounded = codes.after(block, sized)[lane].store(code).end(lane)
    done = codes.after(rounded)
    word = k.loop(8)
    packed = done[word * 4].load() & 255
    for i in (1, 2, 3):
        packed = packed | ((done[word * 4 + i].load() & 255) << (8 * i))
    out = k[f"{prefix}.q8"][block * 8 + word].store(packed.bitcast(dtypes.uint32)).end(word)
    stores = [out, k[f"{prefix}.d"][block].store(d)]
    for h in (0, 1):
        half = k.array(16, "i32")
        lane = k.loop(16)
        copied = half.after(block, rounded)[lane].store(done[h * 16 + lane].load()).end(lane)
        total = k.fold(half, 16, add, copied, dtype="i32").cast(dtypes.float32)
        stores.append(k[f"{prefix}.s16"][block * 2 + h].store(total * d))
    k.done(UOp.group(*stores).end(block))


def _abs(value: Any) -> Any:
    return (value < 0.0).where(-value, value)
