"""The lanes emitters: every op, format and interface on CL against float64; their sources."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import lanes_bench as bench
import numpy as np
import pytest

from boltbeam.emit import (
    lanes_attention,
    lanes_chain,
    lanes_core,
    lanes_formats,
    lanes_gemv,
    lanes_misc,
    lanes_norm,
    lanes_rope,
)
from boltbeam.emit.core import Buf, Launch
from boltbeam.seam import tinygrad_render
from boltbeam.types import BoltbeamError, Geometry, Table

FORMATS = ("Q4_0", "Q4_1", "Q5_0", "Q5_1", "Q8_0", "Q4_K", "Q5_K", "Q6_K", "F16", "BF16", "F32")
QUANTISED = FORMATS[:8]
COMMON = ("Q4_1", "Q8_0", "Q4_K", "Q6_K")
"""Formats of the models most people run: tested at once, the others among the slow tests."""
READS = [(f, i) for f, i in itertools.product(FORMATS, ("f32", "q8")) if i == "f32" or f[0] == "Q"]


def some(values: Any, fast: Any) -> list[Any]:
    """Parameters of which only those that `fast` accepts are not marked slow."""
    return [v if fast(v) else pytest.param(*_tuple(v), marks=pytest.mark.slow) for v in values]


def _tuple(value: Any) -> tuple[Any, ...]:
    return value if isinstance(value, tuple) else (value,)


SOME_WIDE = (("Q6_K", 1, "q8"), ("Q6_K", 2, "q8"), ("Q8_0", 8, "q8"))
HEADS = {
    "thirds": {},
    "interleaved": {"rope_interleaved": True},
    "wide-qknorm": {
        "heads": 8,
        "kv_heads": 2,
        "head_dim": 128,
        "rope_dim": 128,
        "qk_norm": True,
    },
    "odd": {"heads": 2, "kv_heads": 2, "head_dim": 80, "rope_dim": 80},
    "partial": {"rope_dim": 32},
}


def table(role: str, rows: int, fmt: str) -> Table:
    cols = 512 if fmt.endswith("_K") else 576
    return Table(role=role, rows=rows, cols=cols, format=fmt)


def run(emit: Any, work: Any, route: Any, geometry: str, **fill: Any) -> tuple[Any, Any]:
    """(outputs, arrays) of a candidate on CL."""
    launches = emit(work, route, Geometry.parse(geometry), bench.target())
    arrays = bench.arrays_for(work, launches, np.random.default_rng(1), **fill)
    return bench.execute(launches, arrays), arrays


def check(emit: Any, work: Any, route: Any, geometry: str, **fill: Any) -> None:
    """Every output of a candidate within 1e-5 of its magnitude in float64, plus its rounding."""
    outs, arrays = run(emit, work, route, geometry, **fill)
    ratios = bench.worst(work, outs, arrays)
    assert ratios, "nothing was compared"
    assert max(ratios.values()) <= 1, ratios


# ---- gemv ------------------------------------------------------------------------------------


@pytest.mark.cl
@pytest.mark.parametrize(("fmt", "takes"), some(READS, lambda v: v[0] in COMMON))
def test_every_format_with_odd_columns_and_extreme_blocks(fmt: str, takes: str) -> None:
    work = bench.work_item("down", (table("ffn_down", 24, fmt),), d_model=24)
    route = bench.route(work, takes=takes)
    check(lanes_gemv.emit, work, route, "lanes=8 groups=4 rows=2 words=4 unroll=1 split=1")
    odd = "lanes=16 groups=1 rows=5 words=1 unroll=2 split=2"
    check(lanes_gemv.emit, work, route, odd, extreme=True)


@pytest.mark.cl
def test_qkv_reads_early_what_one_workgroup_owns() -> None:
    """Three tables, one with a single trip, each read in front of the branch that sums it."""
    parts = (("attn_q", 40, "Q4_1"), ("attn_k", 8, "Q8_0"), ("attn_v", 8, "Q4_1"))
    work = bench.work_item("norm+qkv", tuple(table(*p) for p in parts))
    geometry = "lanes=16 groups=4 rows=2 words=4 unroll=1 ahead=1 wide=2"
    check(lanes_chain.emit, work, bench.route(work), geometry)


@pytest.mark.cl
@pytest.mark.parametrize(
    ("takes", "bias"), some([("f32", True), ("q8", False), ("f32", False)], lambda v: v[1])
)
def test_qkv_reads_three_formats_in_one_launch(takes: str, bias: bool) -> None:
    parts = (("attn_q", 72, "Q4_1"), ("attn_k", 24, "Q8_0"), ("attn_v", 20, "Q4_0"))
    work = bench.work_item("qkv", tuple(table(*p) for p in parts), qkv_bias=bias)
    geometry = "lanes=8 groups=4 rows=2 words=4 unroll=1"
    check(lanes_gemv.emit, work, bench.route(work, takes=takes), geometry)


@pytest.mark.cl
@pytest.mark.parametrize(
    ("takes", "gives", "up"),
    some(
        itertools.product(("f32", "q8"), ("f32", "q8"), ("Q4_1", "Q5_1")),
        lambda v: v == ("q8", "q8", "Q4_1"),
    ),
)
def test_gate_up_in_and_out_of_both_interfaces(takes: str, gives: str, up: str) -> None:
    work = bench.work_item("gate_up", (table("ffn_gate", 64, "Q4_1"), table("ffn_up", 64, up)))
    geometry = "lanes=4 groups=16 rows=2 words=4 unroll=1 split=2"
    check(lanes_gemv.emit, work, bench.route(work, takes=takes, gives=gives), geometry)


@pytest.mark.cl
@pytest.mark.parametrize(
    ("fmt", "wide", "takes"),
    some(
        itertools.product(("Q4_0", "Q5_0", "Q8_0", "Q6_K"), (1, 2, 4, 8), ("f32", "q8")),
        lambda v: v in SOME_WIDE,
    ),
)
def test_half_words_read_as_aligned_words(fmt: str, wide: int, takes: str) -> None:
    """Blocks that begin in the middle of a word, the last one of the table among them."""
    cols = 2048 if fmt == "Q6_K" else 768
    one = Table(role="ffn_down", rows=6, cols=cols, format=fmt)
    work = bench.work_item("down", (one,), d_model=6)
    words = 8 if fmt == "Q8_0" and wide == 8 else 4
    geometry = f"lanes=2 groups=4 rows=1 words={words} unroll=1 wide={wide} ahead={wide // 8}"
    check(lanes_gemv.emit, work, bench.route(work, takes=takes), geometry, extreme=wide == 8)


@pytest.mark.cl
def test_a_place_that_is_off_by_a_half_word_is_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    whole = lanes_formats.Packed.block

    def shifted(*args: Any) -> lanes_formats.Block:
        block = whole(*args)
        return replace(block, off=(block.off or 0) ^ 1)

    monkeypatch.setattr(lanes_formats.Packed, "block", shifted)
    work = bench.work_item("down", (table("ffn_down", 8, "Q8_0"),), d_model=8)
    route = bench.route(work, takes="q8")
    outs, arrays = run(lanes_gemv.emit, work, route, "lanes=2 groups=4 words=8 wide=2")
    assert bench.worst(work, outs, arrays)["x"] > 1


@pytest.mark.cl
@pytest.mark.parametrize(
    ("op", "fmt", "geometry"),
    some(
        [
            ("down", "Q4_K", "lanes=4 groups=2 rows=2 words=4 unroll=2 ahead=1"),
            ("down", "Q5_K", "lanes=8 groups=2 rows=1 words=2 unroll=1 split=2 ahead=1"),
            ("gate_up", "Q4_K", "lanes=4 groups=16 rows=2 words=8 unroll=1 ahead=1"),
            ("norm+gate_up", "Q4_K", "lanes=4 groups=16 rows=2 words=8 unroll=1 ahead=1"),
            ("down", "Q5_1", "lanes=8 groups=2 rows=2 words=4 unroll=1 ahead=1"),
        ],
        lambda v: v[:2] == ("down", "Q5_K") or v[0] == "norm+gate_up",
    ),
)
def test_words_read_a_trip_ahead(op: str, fmt: str, geometry: str) -> None:
    """The last trip has fewer units than lanes, and is not read twice."""
    cols = 1280 if fmt.endswith("_K") else 1120
    roles = ("ffn_gate", "ffn_up") if "gate_up" in op else ("ffn_down",)
    tables = tuple(Table(role=r, rows=64, cols=cols, format=fmt) for r in roles)
    work = bench.work_item(op, tables, d_model=cols if "gate_up" in op else 64)
    takes = "f32" if op.startswith("norm") else "q8"
    fused = bench.route(work, takes=takes, gives="q8" if "gate_up" in op else "f32", q8=True)
    if not op.startswith("norm"):
        check(lanes_gemv.emit, work, fused, geometry)
        return
    exact = bench.route(work)
    check(lanes_chain.emit, work, exact, geometry.replace("words=8", "words=2"))


@pytest.mark.cl
def test_fused_norm_in_front() -> None:
    qkv = bench.work_item("norm+qkv", (table("attn_q", 40, "Q4_1"), table("attn_k", 24, "Q5_1")))
    geometry = "lanes=8 groups=4 rows=1 words=4 unroll=1"
    check(lanes_chain.emit, qkv, bench.route(qkv), geometry)
    pair = (table("ffn_gate", 64, "Q8_0"), table("ffn_up", 64, "Q8_0"))
    work = bench.work_item("norm+gate_up", pair)
    check(lanes_chain.emit, work, bench.route(work), "lanes=8 groups=8 rows=4 words=2 unroll=1")


@pytest.mark.cl
def test_fused_norm_quantises_as_the_norm_launch_does() -> None:
    work = bench.work_item("norm+qkv", (table("attn_q", 40, "Q4_1"), table("attn_k", 24, "Q4_0")))
    geometry = "lanes=8 groups=4 rows=1 words=4 unroll=1"
    outs, arrays = run(lanes_chain.emit, work, bench.route(work, q8=True), geometry)
    norm = bench.work_item("norm")
    launches = lanes_norm.emit(
        norm, bench.route(norm, gives="q8"), Geometry.of(threads=32), bench.target()
    )
    quantised = bench.execute(launches, arrays)
    alone = work.model_copy(update={"op": "qkv"})
    ratios = bench.worst(alone, outs, arrays | quantised)
    assert max(ratios.values()) <= 1, ratios


@pytest.mark.cl
@pytest.mark.parametrize(
    "op", some(["head", "head+argmax", "norm+head+argmax"], lambda v: v == "head+argmax")
)
def test_head_with_rows_that_do_not_divide(op: str) -> None:
    work = bench.work_item(op, (table("output", 201, "Q8_0"),), vocab=201)
    route = bench.route(work)
    check(
        lanes_chain.SPANS.get(op, lanes_gemv.emit), work, route, "lanes=8 groups=4 rows=2 words=8"
    )


@pytest.mark.cl
def test_a_wrong_kernel_is_seen() -> None:
    """One block's scale doubled, one element never written, one weight's zero point forgotten."""
    work = bench.work_item("down", (table("ffn_down", 24, "Q4_0"),), d_model=24)
    route = bench.route(work)
    outs, arrays = run(lanes_gemv.emit, work, route, "lanes=8 groups=4 rows=2 words=4")
    assert max(bench.worst(work, outs, arrays).values()) <= 1
    unwritten = {"x": outs["x"].copy()}
    unwritten["x"][17] = np.nan
    doubled = dict(arrays)
    doubled["w.ffn_down"] = arrays["w.ffn_down"].copy()
    doubled["w.ffn_down"][18 * 100 + 1] ^= 4
    shifted = dict(arrays)
    shifted["att.f32"] = shifted["act.f32"] = arrays["act.f32"] + np.float32(1e-3)
    assert bench.worst(work, unwritten, arrays)["x"] > 1
    assert bench.worst(work, outs, doubled)["x"] > 1
    assert bench.worst(work, outs, shifted)["x"] > 1


# ---- the small launches ----------------------------------------------------------------------


@pytest.mark.cl
@pytest.mark.parametrize(
    ("n", "threads", "gives"),
    some(
        [(576, 64, "f32"), (576, 256, "q8"), (64, 128, "q8"), (576, 64, "q8")],
        lambda v: v[1] != 64 or v[2] == "f32",
    ),
)
def test_norm(n: int, threads: int, gives: str) -> None:
    work = bench.work_item("norm", d_model=n)
    check(lanes_norm.emit, work, bench.route(work, gives=gives), f"threads={threads}")


@pytest.mark.cl
@pytest.mark.parametrize(
    ("heads", "threads"),
    some(
        itertools.product(HEADS, (32, 128)),
        lambda v: v[0] in ("thirds", "interleaved") and v[1] == 32,
    ),
)
def test_rope_store(heads: str, threads: int) -> None:
    work = bench.work_item("rope_store", **HEADS[heads])
    check(lanes_rope.emit, work, bench.route(work), f"threads={threads}")


@pytest.mark.cl
@pytest.mark.parametrize(
    ("op", "heads", "split", "threads", "position", "gives"),
    some(
        [
            (op, heads, *rest)
            for op in ("attention", "rope_store+attention")
            for heads in HEADS
            for rest in ((1, 64, 0, "f32"), (8, 128, 37, "q8"), (2, 256, 127, "f32"))
        ],
        lambda v: v[1] == "thirds" and v[2] == 8,
    ),
)
def test_attention(
    op: str, heads: str, split: int, threads: int, position: int, gives: str
) -> None:
    work = bench.work_item(op, **HEADS[heads])
    if work.heads * work.head_dim % 32:
        pytest.skip("no whole blocks of 32")
    route = bench.route(work, gives=gives)
    geometry = f"split={split} threads={threads}"
    check(lanes_attention.emit, work, route, geometry, position=position)


@pytest.mark.cl
@pytest.mark.parametrize("fmt", some(FORMATS, lambda v: v in ("Q8_0", "Q6_K")))
def test_embed(fmt: str) -> None:
    work = bench.work_item("embed", (table("token_embd", 8, fmt),))
    check(lanes_misc.emit_embed, work, bench.route(work), "threads=64", extreme=True)


@pytest.mark.cl
@pytest.mark.parametrize("geometry", ["threads=64 split=1", "threads=128 split=16"])
@pytest.mark.parametrize("forced", [-1, 7])
def test_argmax_takes_the_first_of_equals_and_obeys_forced_ids(geometry: str, forced: int) -> None:
    work = bench.work_item("argmax", vocab=5001)
    launches = lanes_misc.emit_argmax(
        work, bench.route(work), Geometry.parse(geometry), bench.target()
    )
    arrays = bench.arrays_for(work, launches, np.random.default_rng(1))
    logits = np.random.default_rng(2).standard_normal(5001).astype(np.float32)
    logits[[4711, 123, 5000]] = 9.0
    arrays["logits"] = logits
    arrays["ids"][38] = forced
    outs = bench.execute(launches, arrays)
    want = forced if forced >= 0 else 123
    assert (outs["tok"][0], outs["ids"][38], outs["pos"][0]) == (want, want, 38)
    assert max(bench.worst(work, outs, arrays).values()) == 0


@pytest.mark.cl
def test_half_bits_round_to_even_and_keep_subnormals() -> None:
    rng = np.random.default_rng(0)
    values = np.concatenate(
        [
            rng.standard_normal(64) * 10.0 ** rng.integers(-9, 5, 64),
            [0.0, -0.0, 65504.0, 65519.0, 65520.0, 1e9, 2**-24, 2**-25, 3 * 2**-25, 6.1e-5],
            1 + np.arange(54) / 4096,
        ]
    ).astype(np.float32)

    def kernel(named: dict[str, Any]) -> Any:
        c = lanes_core.Kernel(bench.target(), 1, len(values))
        bits = lanes_core.half_bits(named["x"][c.tid].load())
        back = lanes_core.half_value(bits)
        return c.sink("halves", [named["t.y"][c.tid].store(bits), named["t.z"][c.tid].store(back)])

    n = len(values)
    launch = lanes_core.build_launch(
        "halves", [Buf("t.y", n, "u32"), Buf("t.z", n, "f32")], [Buf("x", n, "f32")], kernel
    )
    outs = bench.execute((launch,), {"x": values})
    with np.errstate(over="ignore"):
        want = values.astype(np.float16)
    np.testing.assert_array_equal(outs["t.y"], want.view(np.uint16))
    finite = np.isfinite(want)
    np.testing.assert_array_equal(outs["t.z"][finite], want[finite].astype(np.float32))


def test_a_geometry_that_cannot_be_built_is_refused() -> None:
    work = bench.work_item("gate_up", (table("ffn_gate", 64, "Q4_1"), table("ffn_up", 64, "Q4_1")))
    with pytest.raises(ValueError, match="blocks of 32"):
        lanes_gemv.emit(work, bench.route(work), Geometry.of(groups=4, rows=2), bench.target())
    with pytest.raises(ValueError, match="power of two"):
        lanes_gemv.emit(work, bench.route(work), Geometry.of(lanes=24), bench.target())
    iq = bench.work_item("down", (Table(role="ffn_down", rows=8, cols=512, format="IQ4_NL"),))
    with pytest.raises(ValueError, match="do not read IQ4_NL"):
        lanes_gemv.emit(iq, bench.route(iq), Geometry.of(), bench.target())


# ---- sources ---------------------------------------------------------------------------------

GPUS = {
    "cu": ("CUDA:sm_90", "CUDA", True),
    "metal": ("METAL", "METAL", False),
    "hip": ("HIP:gfx1100", "AMD", False),
}


def samples(device: str, dot4: bool) -> dict[str, tuple[Launch, ...]]:
    """Representative kernels of a device, by name."""
    target = bench.target(device, shuffle=True, half=True, dot4=dot4)
    down = bench.work_item(
        "down", (Table(role="ffn_down", rows=64, cols=2048, format="Q4_K"),), d_model=64
    )
    pair = tuple(Table(role=r, rows=64, cols=512, format="Q6_K") for r in ("ffn_gate", "ffn_up"))
    gate_up = bench.work_item("norm+gate_up", pair, d_model=512)
    qkv = bench.work_item("qkv", (table("attn_q", 64, "Q4_1"), table("attn_k", 64, "Q8_0")))
    head = bench.work_item("head+argmax", (table("output", 256, "Q8_0"),), vocab=256)
    norm = bench.work_item("norm", d_model=1024)
    attention = bench.work_item("rope_store+attention", **HEADS["wide-qknorm"])
    of, g = bench.route, Geometry.parse
    return {
        "down": lanes_gemv.emit(down, of(down, takes="q8"), g("lanes=32 groups=2 words=8"), target),
        "norm_gate_up": lanes_chain.emit(
            gate_up, of(gate_up, gives="q8"), g("lanes=16 groups=16 rows=2 words=2"), target
        ),
        "qkv": lanes_gemv.emit(qkv, of(qkv), g("lanes=16 groups=4 rows=2 split=2"), target),
        "head": lanes_gemv.emit(head, of(head), g("lanes=8 groups=8 words=8"), target),
        "norm": lanes_norm.emit(norm, of(norm, gives="q8"), g("threads=256"), target),
        "attention": lanes_attention.emit(
            attention, of(attention, gives="q8"), g("threads=128 split=4"), target
        ),
    }


@pytest.mark.parametrize("suffix", GPUS)
@pytest.mark.parametrize("name", ["down", "norm", "attention"])
def test_golden_source(suffix: str, name: str, golden: Callable[[str, str], None]) -> None:
    renderer, device, dot4 = GPUS[suffix]
    launches = samples(device, dot4)[name]
    text = "\n".join(tinygrad_render.render(launch, renderer) for launch in launches) + "\n"
    golden(f"lanes_{name}.{suffix}", text)


@pytest.mark.parametrize(
    ("suffix", "words"),
    [
        ("cu", ["__dp4a(", "__shfl_xor_sync("]),
        ("metal", ["simd_shuffle_xor("]),
        ("hip", ["swizzle("]),
    ],
)
def test_intrinsics_are_found_in_the_graph(suffix: str, words: list[str]) -> None:
    _, device, dot4 = GPUS[suffix]
    (down,) = samples(device, dot4)["down"]
    found = tinygrad_render.intrinsics(down)
    assert all(any(w in text for text in found) for w in words)
    (plain,) = lanes_gemv.emit(
        bench.work_item("down", (table("ffn_down", 24, "Q4_0"),), d_model=24),
        bench.route(bench.work_item("down")),
        Geometry.of(lanes=8),
        bench.target("CL"),
    )
    assert tinygrad_render.intrinsics(plain) == ()


def test_an_unknown_renderer_is_refused() -> None:
    (launch,) = samples("CUDA", True)["down"]
    with pytest.raises(BoltbeamError, match="no renderer WEBGPU"):
        tinygrad_render.render(launch, "WEBGPU")
