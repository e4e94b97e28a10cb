"""Runs launches on a device with given arrays; blocks and work items for the lanes tests."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from boltbeam import registry
from boltbeam.emit import planes
from boltbeam.emit.core import Buf, Launch, Target
from boltbeam.types import ChipFacts, Fact, Route, Table, WorkItem

NUMPY = {
    "f32": np.float32,
    "f16": np.float16,
    "h16": np.float16,
    "i32": np.int32,
    "u32": np.uint32,
    "u16": np.uint16,
    "u8": np.uint8,
    "i8": np.int8,
}
HALF_AT = {
    "Q4_0": (0,),
    "Q4_1": (0, 2),
    "Q5_0": (0,),
    "Q5_1": (0, 2),
    "Q8_0": (0,),
    "Q4_K": (0, 2),
    "Q5_K": (0, 2),
    "Q6_K": (208,),
}
"""Byte offsets of the half floats in a block."""


def work_item(op: str, tables: tuple[Table, ...] = (), **fields: Any) -> WorkItem:
    base = dict(
        d_model=576,
        heads=9,
        kv_heads=3,
        head_dim=64,
        rope_dim=64,
        norm_eps=1e-5,
        vocab=512,
        context=128,
    )
    return WorkItem(op=op, tables=tables, **{**base, **fields})


def route(
    work: WorkItem,
    takes: str = "f32",
    gives: str = "f32",
    q8: bool = False,
    weights: str = "file",
) -> Route:
    exact = not q8 and "q8" not in (takes, gives)
    return Route(
        id=f"lanes_{takes}_{gives}",
        family="gemv",
        ops=(work.op,),
        form="lanes",
        takes=takes,
        gives=gives,
        weights=weights,
        numerics="exact" if exact else "q8_activations",
    )


def target(device: str = "CL", **flags: bool) -> Target:
    facts = {k: Fact(value=v, source="test") for k, v in flags.items()}
    return Target(device, ChipFacts(id="test", name="test", device=device, **facts))


def blocks(table: Table, rng: np.random.Generator, extreme: bool = False) -> np.ndarray[Any, Any]:
    """Random blocks; `extreme` ones hold the largest, zero and subnormal scales and full codes."""
    f = registry.formats()[table.format]
    n = table.rows * table.cols // f.block_weights
    if table.format in ("F16", "BF16", "F32"):
        values = rng.standard_normal(n).astype(np.float32)
        if table.format == "F32":
            return values.view(np.uint8)
        if table.format == "BF16":
            return np.ascontiguousarray((values.view(np.uint32) >> 16).astype(np.uint16)).view(
                np.uint8
            )
        halves = values.astype(np.float16)
        if extreme:
            halves[::7], halves[1::7], halves[2::7] = 65504.0, 6e-8, -3e-5
        return halves.view(np.uint8)
    raw = rng.integers(0, 256, (n, f.block_bytes), dtype=np.uint8)
    for at in HALF_AT[table.format]:
        scale = rng.uniform(0.5, 2, n) * rng.choice([-1, 1], n) / 64
        if extreme:
            special = np.array([65504.0, 0.0, 6e-8, -3e-5, -65504.0, 1.0])
            scale = special[rng.integers(0, len(special), n)]
            raw[:, at + 2 :][rng.integers(0, 4, n) == 0] = 255
        raw[:, at : at + 2] = scale.astype(np.float16).view(np.uint8).reshape(n, 2)
    return raw.reshape(-1)


def natural(buf: Buf, array: Any) -> np.ndarray[Any, Any]:
    kind = NUMPY.get(buf.dtype, np.uint32)
    array = np.asarray(array).reshape(-1)
    if buf.name.startswith("w."):
        return np.ascontiguousarray(planes.repacked(buf.dtype, array)).view(kind)
    return np.ascontiguousarray(array).astype(kind)


def poison(buf: Buf) -> np.ndarray[Any, Any]:
    kind = NUMPY[buf.dtype]
    return np.full(buf.size, np.nan if kind in (np.float32, np.float16) else 77, dtype=kind)


def execute(
    launches: tuple[Launch, ...], arrays: Mapping[str, Any], device: str = "CL"
) -> dict[str, np.ndarray[Any, Any]]:
    """All outputs by buffer name; buffers that `arrays` does not hold start poisoned."""
    from tinygrad import Tensor

    from boltbeam.seam.tinygrad_adapter import call

    held: dict[str, Any] = {}
    for launch in launches:
        for b in (*launch.outs, *launch.ins):
            if b.name not in held:
                a = natural(b, arrays[b.name]) if b.name in arrays else poison(b)
                assert a.size == b.size, (b, a.size)
                a = a.view(np.uint16) if b.dtype == "h16" else a
                held[b.name] = Tensor(a, device=device).realize()
        outs = call(launch, [held[b.name] for b in (*launch.outs, *launch.ins)])
        held.update(zip((b.name for b in launch.outs), outs, strict=True))
    written = {b.name: b for launch in launches for b in launch.outs}
    Tensor.realize(*(held[n] for n in written))
    return {n: held[n].numpy().view(NUMPY[b.dtype]) for n, b in written.items()}


def arrays_for(
    work: WorkItem,
    launches: tuple[Launch, ...],
    rng: np.random.Generator,
    extreme: bool = False,
    position: int = 37,
) -> dict[str, Any]:
    """Natural arrays for everything that the launches read."""
    from boltbeam.emit import reference

    out: dict[str, Any] = {"pos": np.array([position]), "tok": np.array([3])}
    out |= {f"w.{t.role}": blocks(t, rng, extreme) for t in work.tables}
    written: set[str] = set()
    for launch in launches:
        for b in launch.ins:
            if b.name in out or b.name in written:
                continue
            if b.name.endswith((".f32", ".q8")):
                prefix, n = b.name[:-4], b.size
                n = b.size if b.name.endswith(".f32") else b.size * 4
                prefix = b.name.rsplit(".", 1)[0]
                x = rng.standard_normal(n).astype(np.float32)
                x[32:64] *= 0
                if b.name.endswith(".f32"):
                    out |= {f"{prefix}.f32": x, f"{prefix}.s32": x.reshape(-1, 32).sum(1)}
                else:
                    words = reference.quantise(x)
                    out |= dict(
                        zip((f"{prefix}.q8", f"{prefix}.d", f"{prefix}.s16"), words, strict=True)
                    )
            elif b.name == "rope":
                angle = rng.uniform(-np.pi, np.pi, (work.context, work.rope_dim // 2))
                out["rope"] = np.concatenate([np.cos(angle), np.sin(angle)], 1).astype(np.float32)
            else:
                out[b.name] = rng.standard_normal(b.size).astype(np.float32)
        written |= {b.name for b in launch.outs}
    if any(op in work.ops for op in ("o", "down")):
        out["x"] = rng.standard_normal(work.rows).astype(np.float32)
    if "post_norm" in work.ops:
        out["x"] = rng.standard_normal(work.d_model).astype(np.float32)
    if any(op in work.ops for op in ("rope_store", "attention")):
        cache = rng.standard_normal((2, work.kv_heads, work.context, work.head_dim))
        live = position if "rope_store" in work.ops else position + 1
        cache[:, :, live:] = np.nan
        out["cache"] = cache.astype(np.float16).reshape(-1)
    if "argmax" in work.ops:
        ids = np.full(work.context + 1, -1)
        out["ids"] = ids
    return out


def worst(
    work: WorkItem,
    outs: Mapping[str, np.ndarray[Any, Any]],
    arrays: Mapping[str, Any],
    bound: float = 1e-5,
) -> dict[str, float]:
    """Per output of the span: largest |y − y64| ÷ (bound · magnitude + output rounding)."""
    from boltbeam.emit import reference

    values, sizes = reference.run(work, arrays)
    got = dict(outs)
    rounding: dict[str, Any] = {}
    for prefix in ("xn", "att", "act"):
        if f"{prefix}.q8" in outs:
            d = got[f"{prefix}.d"]
            got[f"{prefix}.f32"] = reference.decode(got[f"{prefix}.q8"], d)
            rounding[f"{prefix}.f32"] = 0.5001 * np.repeat(d, 32)
            codes = got[f"{prefix}.q8"].view(np.int8).astype(np.float64)
            sums = codes.reshape(-1, 16).sum(1) * np.repeat(d, 2)
            assert np.allclose(got[f"{prefix}.s16"], sums, rtol=1e-5, atol=1e-6)
    ratios = {}
    for name, value in values.items():
        if name not in got:
            continue
        y = got[name].astype(np.float64)
        extra = rounding.get(name, 0.0)
        if name == "cache":
            extra = np.abs(np.nan_to_num(value)) * 2.0**-11 + 2.0**-25
        error = np.abs(np.nan_to_num(y, nan=1e30) - np.nan_to_num(value, nan=1e30))
        if name == "cache":  # of a tie both halves are right
            error[(y >= values["cache.low"]) & (y <= values["cache.high"])] = 0.0
        limit = bound * np.nan_to_num(sizes[name]) + extra + 1e-30
        ratios[name] = float((error / limit).max())
    return ratios
