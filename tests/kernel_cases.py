"""Work items and random operands that several emitter tests share."""

from __future__ import annotations

import numpy as np

from boltbeam.emit import launches, reference
from boltbeam.emit.core import Target, dtype
from boltbeam.registry import formats
from boltbeam.seam.tinygrad_adapter import call
from boltbeam.types import ChipFacts, Geometry, Route, Table, WorkItem

TARGET = Target("CPU", ChipFacts(id="cpu-test", name="test", device="CPU"))
FORMATS = ("Q4_0", "Q4_1", "Q5_0", "Q5_1", "Q8_0", "Q4_K", "Q5_K", "Q6_K", "F16", "BF16", "F32")
NUMPY = {"f32": "f4", "f16": "f2", "i32": "i4", "u32": "u4", "u16": "u2", "u8": "u1", "i8": "i1"}
HALVES = {
    "Q4_0": (0,), "Q4_1": (0, 2), "Q5_0": (0,), "Q5_1": (0, 2), "Q8_0": (0,),
    "Q4_K": (0, 2), "Q5_K": (0, 2), "Q6_K": (208,),
}  # fmt: skip
SHAPES = {
    "qkv": (("attn_q", 1.0), ("attn_k", 0.5), ("attn_v", 0.5)),
    "o": (("attn_output", 1.0),),
    "gate_up": (("ffn_gate", 1.0), ("ffn_up", 1.0)),
    "down": (("ffn_down", 1.0),),
    "head": (("output", 1.0),),
    "embed": (("token_embd", 1.0),),
}


def work_item(op: str, kinds: str | dict[str, str] = "Q4_1", **given: object) -> WorkItem:
    """A small span: d_model 256, 4 heads and 2 kv heads of 64, d_ff 512, vocabulary 96."""
    d, ff = 256, 512
    sizes = {"qkv": (256, d), "o": (d, 256), "gate_up": (ff, d), "down": (d, ff)}
    sizes |= {"head": (96, d), "embed": (96, d)}
    tables = []
    for name in op.split("+"):
        for role, share in SHAPES.get(name, ()):
            kind = kinds if isinstance(kinds, str) else kinds.get(role, "Q4_1")
            rows, cols = sizes[name]
            tables.append(Table(role=role, rows=int(rows * share), cols=cols, format=kind))
    fields = {
        "op": op, "tables": tuple(tables), "d_model": d, "heads": 4, "kv_heads": 2,
        "head_dim": 64, "rope_dim": 64, "norm_eps": 1e-5, "vocab": 96, "context": 40,
    }  # fmt: skip
    return WorkItem(**(fields | given))  # type: ignore[arg-type]


def blocks(kind: str, weights: int, rng: np.random.Generator, scale: float = 0.01) -> np.ndarray:
    """Random raw blocks whose halves are finite scales of either sign."""
    if kind == "F32":
        return (rng.standard_normal(weights) * scale).astype("f4").view("u1")
    if kind == "F16":
        return (rng.standard_normal(weights) * scale).astype("f2").view("u1")
    if kind == "BF16":
        wide = (rng.standard_normal(weights) * scale).astype("f4").view("u4")
        return (wide >> 16).astype("u2").view("u1")
    layout = formats()[kind]
    raw = rng.integers(0, 256, (weights // layout.block_weights, layout.block_bytes), dtype="u1")
    for at in HALVES[kind]:
        raw[:, at : at + 2] = (
            (rng.standard_normal(len(raw)) * scale).astype("f2").view("u1").reshape(-1, 2)
        )
    return raw.reshape(-1)


def operands(work: WorkItem, rng: np.random.Generator, pos: int = 7) -> dict[str, np.ndarray]:
    """Random contents of every buffer a span may read, in their natural form."""
    w = work
    n = rng.standard_normal
    arrays = {
        "tok": np.array([5], "i4"),
        "pos": np.array([pos], "i4"),
        "ids": np.where(np.arange(w.context + 1) <= pos, 3, -1).astype("i4"),
        "x": n(w.d_model).astype("f4"),
        "qkv": n((w.heads + 2 * w.kv_heads) * w.head_dim).astype("f4"),
        "q": n(w.heads * w.head_dim).astype("f4"),
        "logits": n(w.vocab).astype("f4"),
        "rope": n(w.context * w.rope_dim).astype("f4"),
        "cache": n(2 * w.kv_heads * w.context * w.head_dim).astype("f2"),
        "n.norm": n(w.d_model).astype("f4"),
        "y": n(w.d_model).astype("f4"),
        **{f"n.norm{i}": n(w.d_model).astype("f4") for i in (2, 3, 4)},
        "n.attn_q_norm": n(w.head_dim).astype("f4"),
        "n.attn_k_norm": n(w.head_dim).astype("f4"),
    }
    cache = arrays["cache"].reshape(2, w.kv_heads, w.context, w.head_dim)
    cache[:, :, pos + 1 :] = np.nan
    for t in w.tables:
        arrays[f"w.{t.role}"] = blocks(t.format, t.rows * t.cols, rng)
        arrays[f"b.{t.role}"] = n(t.rows).astype("f4")
    sizes = {"xn": w.d_model, "att": w.heads * w.head_dim, "act": 512}
    for prefix, size in sizes.items():
        arrays |= activation(prefix, n(size).astype("f4"))
    return arrays


def activation(prefix: str, values: np.ndarray) -> dict[str, np.ndarray]:
    words, d, s16 = reference.quantise(values)
    sums = values.reshape(-1, 32).sum(axis=1)
    names = (f"{prefix}.f32", f"{prefix}.s32", f"{prefix}.q8", f"{prefix}.d", f"{prefix}.s16")
    return dict(zip(names, (values, sums, words, d, s16), strict=True))


def route(family: str, takes: str = "f32", gives: str = "f32", form: str = "rows") -> Route:
    exact = takes == gives == "f32"
    return Route(
        id=f"{family}_{form}_{takes}_{gives}", family=family, ops=("any",), form=form,
        takes=takes, gives=gives, numerics="exact" if exact else "q8_activations",
    )  # fmt: skip


def execute(
    work: WorkItem,
    chosen: Route,
    geometry: Geometry,
    arrays: dict[str, np.ndarray],
    target: Target = TARGET,
) -> dict[str, np.ndarray]:
    """Runs the launches of a candidate and gives every buffer it wrote."""
    from tinygrad import Tensor

    tensors: dict[str, object] = {}
    written: list[str] = []
    for launch in launches(work, chosen, geometry, target):
        for buf in (*launch.outs, *launch.ins):
            if buf.name not in tensors:
                given = arrays.get(buf.name)
                poison = np.zeros(buf.size, NUMPY[buf.dtype])
                value = poison if given is None else given.astype(NUMPY[buf.dtype], copy=False)
                assert value.size == buf.size, f"{buf.name}: {value.size} is not {buf.size}"
                tensors[buf.name] = Tensor(value.copy(), device=target.device).realize()
                assert tensors[buf.name].dtype == dtype(buf.dtype)
        after = call(launch, [tensors[b.name] for b in (*launch.outs, *launch.ins)])
        tensors |= dict(zip((b.name for b in launch.outs), after, strict=True))
        written += [b.name for b in launch.outs]
    Tensor.realize(*(tensors[n] for n in written))
    return {n: tensors[n].numpy() for n in written}


def worst(
    work: WorkItem, arrays: dict[str, np.ndarray], got: dict[str, np.ndarray], takes: str = "f32"
) -> float:
    """Largest |y - y64| ÷ tolerance over all outputs."""
    given = {n: a for n, a in arrays.items() if not n.endswith((".q8", ".d", ".s16"))}
    if takes == "q8":
        given = {n: a for n, a in arrays.items() if not n.endswith((".f32", ".s32"))}
    values, sizes = reference.run(work, given)
    top = 0.0
    for name, y in got.items():
        if name.startswith("t.") or name.endswith((".d", ".s16")):
            continue
        if name.endswith(".q8"):
            prefix = name[:-3]
            y, d = reference.decode(y, got[f"{prefix}.d"]), np.repeat(got[f"{prefix}.d"], 32)
            expected, extra = values[f"{prefix}.f32"], d * 0.5001
            size = sizes[f"{prefix}.f32"]
            parts = (y.reshape(-1, 16)).sum(axis=1)
            assert np.allclose(parts, got[f"{prefix}.s16"], rtol=1e-5, atol=1e-6)
        else:
            expected, size = values[name], sizes[name]
            extra = np.abs(expected) * (2**-11 if name == "cache" else 2**-22)
        live = ~np.isnan(expected)
        assert (np.isnan(y) == ~live).all(), f"{name}: NaN where none belongs"
        error = np.abs(y - expected)[live] / (1e-5 * size + extra + 1e-30)[live]
        top = max(top, float(error.max(initial=0.0)))
    return top
