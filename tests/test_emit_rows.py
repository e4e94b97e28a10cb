"""Rows-form emitters: every op and format against float64; wrong ones must be caught."""

from __future__ import annotations

import numpy as np
import pytest
from kernel_cases import FORMATS, TARGET, execute, operands, route, work_item, worst

from boltbeam.emit import launches, rows_attention, rows_formats, rows_gemv, rows_norm
from boltbeam.emit.core import Launch
from boltbeam.registry import formats
from boltbeam.types import Geometry

QUANTISED = tuple(f for f in FORMATS if f not in ("F16", "BF16", "F32"))
LAYER = "norm+qkv+rope_store+attention+o+norm+gate_up+down"
SPANS = ("norm+qkv", "norm+gate_up+down", "norm+qkv+rope_store+attention+o", LAYER)


def error(
    op: str,
    family: str,
    kind: object = "Q4_1",
    takes: str = "f32",
    gives: str = "f32",
    geometry: str = "",
    pos: int = 7,
    **given: object,
) -> float:
    """|y - y64| ÷ tolerance of one candidate on random operands."""
    work = work_item(op, kind, **given)  # type: ignore[arg-type]
    arrays = operands(work, np.random.default_rng(0), pos)
    got = execute(work, route(family, takes, gives), Geometry.parse(geometry), arrays)
    return worst(work, arrays, got, takes)


def source(launch: Launch) -> str:
    """The C that tinygrad renders for this launch."""
    from tinygrad import Device
    from tinygrad.codegen import to_program
    from tinygrad.uop.ops import Ops, UOp

    from boltbeam.seam.tinygrad_adapter import dtype

    bufs = (*launch.outs, *launch.ins)
    marks = [UOp.placeholder((b.size,), dtype(b.dtype), slot=i) for i, b in enumerate(bufs)]
    program = to_program(launch.build(*marks), Device["CPU"].renderer)
    return next(u.arg for u in program.toposort() if u.op is Ops.SOURCE)


@pytest.mark.parametrize("kind", FORMATS)
def test_gemv_f32(kind: str) -> None:
    assert error("down", "gemv", kind, geometry="rows=1 lanes=16 unroll=2 split=2") <= 1


@pytest.mark.parametrize("kind", QUANTISED)
def test_gemv_q8(kind: str) -> None:
    assert error("down", "gemv", kind, "q8", geometry="rows=2 lanes=16") <= 1


@pytest.mark.parametrize("kind", ["Q4_1", "Q8_0"])
@pytest.mark.parametrize(
    "geometry",
    [
        "rows=2 lanes=32 scale=0",
        "rows=4 lanes=8 unroll=2 split=2 share=1",
        "rows=2 lanes=4 share=1 scale=0",
        "lanes=64 unroll=2",
    ],
)
def test_gemv_geometries(kind: str, geometry: str) -> None:
    assert error("down", "gemv", kind, geometry=geometry) <= 1


@pytest.mark.parametrize("takes", ["f32", "q8"])
@pytest.mark.parametrize("kind", QUANTISED)
@pytest.mark.parametrize("fill", [0x00, 0xFF, 0x88])
def test_extreme_blocks(kind: str, fill: int, takes: str) -> None:
    """All codes equal, scales from subnormal to large, and rows of zero weights."""
    work = work_item("down", kind)
    arrays = operands(work, np.random.default_rng(1))
    layout = formats()[kind]
    raw = np.full((len(arrays["w.ffn_down"]) // layout.block_bytes, layout.block_bytes), fill, "u1")
    scales = np.array([6e-8, -3e-5, 0.0, 1.0, -2.5e3, 6e4], "f2")
    for at in {"Q6_K": (208,), "Q4_0": (0,), "Q5_0": (0,), "Q8_0": (0,)}.get(kind, (0, 2)):
        chosen = scales[np.arange(len(raw)) % len(scales)]
        raw[:, at : at + 2] = chosen.view("u1").reshape(-1, 2)
    arrays["w.ffn_down"] = raw.reshape(-1)
    got = execute(work, route("gemv", takes), Geometry.parse("unroll=2"), arrays)
    assert worst(work, arrays, got, takes) <= 1


@pytest.mark.parametrize("gives", ["f32", "q8"])
def test_gate_up_interfaces(gives: str) -> None:
    assert error("gate_up", "gemv", {"ffn_gate": "Q4_K", "ffn_up": "Q4_K"}, gives=gives) <= 1


def test_qkv_of_three_formats_with_biases() -> None:
    kinds = {"attn_q": "Q4_K", "attn_k": "Q6_K", "attn_v": "Q8_0"}
    assert error("qkv", "gemv", kinds, qkv_bias=True) <= 1


def test_head_and_o() -> None:
    assert error("head", "gemv", "Q8_0") <= 1
    assert error("o", "gemv", "Q5_1") <= 1


@pytest.mark.parametrize("gives", ["f32", "q8"])
@pytest.mark.parametrize("lanes", [8, 32])
def test_norm(gives: str, lanes: int) -> None:
    assert error("norm", "norm", gives=gives, geometry=f"lanes={lanes}") <= 1


@pytest.mark.parametrize("interleaved", [False, True])
@pytest.mark.parametrize("qk_norm", [False, True])
@pytest.mark.parametrize("rope_dim", [32, 64])
def test_rope_store(interleaved: bool, qk_norm: bool, rope_dim: int) -> None:
    given = {"rope_interleaved": interleaved, "qk_norm": qk_norm, "rope_dim": rope_dim}
    assert error("rope_store", "rope", **given) <= 1


@pytest.mark.parametrize("pos", [0, 1, 15, 16, 39])
def test_attention_reads_live_positions_only(pos: int) -> None:
    """Positions beyond `pos` hold NaN: none may spread."""
    assert error("attention", "attention", pos=pos) <= 1


@pytest.mark.parametrize("heads", [(4, 4), (6, 2)])
def test_attention_head_groups(heads: tuple[int, int]) -> None:
    given = {"heads": heads[0], "kv_heads": heads[1]}
    assert error("attention", "attention", gives="q8", geometry="lanes=32", **given) <= 1
    assert error("attention", "attention", geometry="lanes=16 share=1", **given) <= 1


def test_attention_beyond_the_stack() -> None:
    assert error("attention", "attention", context=(1 << 14) + 16) <= 1


@pytest.mark.parametrize("kind", FORMATS)
def test_embed(kind: str) -> None:
    assert error("embed", "embed", kind) <= 1


@pytest.mark.parametrize("vocab", [96, 50])
def test_argmax_takes_the_lowest_of_equals(vocab: int) -> None:
    work = work_item("argmax", vocab=vocab)
    arrays = operands(work, np.random.default_rng(0))
    arrays["logits"][[9, 33]] = 50.0
    got = execute(work, route("argmax"), Geometry.parse("lanes=32"), arrays)
    assert got["tok"] == 9 and got["pos"] == 8 and got["ids"][8] == 9
    assert worst(work, arrays, got) == 0


def test_argmax_keeps_a_forced_token() -> None:
    work = work_item("argmax")
    arrays = operands(work, np.random.default_rng(0))
    arrays["ids"][8] = 77
    got = execute(work, route("argmax"), Geometry(), arrays)
    assert got["tok"] == 77 and got["pos"] == 8 and worst(work, arrays, got) == 0


@pytest.mark.parametrize("span", SPANS)
def test_chains(span: str) -> None:
    geometry = "unroll=2 split=2 down.unroll=4 qkv.lanes=32 attention.lanes=8"
    assert error(span, "chain", geometry=geometry, rope_interleaved=True) <= 1


def test_chain_to_the_token() -> None:
    assert error("norm+head+argmax", "chain", "Q8_0") <= 1


def test_a_chain_keeps_inner_activations_to_itself() -> None:
    (launch,) = launches(work_item(LAYER), route("chain"), Geometry(), TARGET)
    assert [b.name for b in launch.outs] == ["cache", "x"]
    assert "n.norm2" in {b.name for b in launch.ins}


def test_equal_candidates_share_their_build() -> None:
    given = (work_item("down"), route("gemv"), Geometry.of(lanes=8), TARGET)
    assert launches(*given)[0].build is launches(*given)[0].build
    other = work_item("down", norm_eps=1e-6)
    assert launches(other, *given[1:])[0].build is not launches(*given)[0].build


@pytest.mark.parametrize("geometry", ["rows=3", "unroll=5"])
def test_an_illegal_geometry_is_refused(geometry: str) -> None:
    with pytest.raises(ValueError, match="not a multiple"):
        error("down", "gemv", geometry=geometry)


# ---- wrong emitters must be caught -------------------------------------------------------------


def planted(monkeypatch: pytest.MonkeyPatch, kind: str, groups: object) -> float:
    right = rows_formats.UNPACK[kind]
    wrong = rows_formats.Unpack(right.weights, right.bytes, groups, right.has_minimum)  # type: ignore[arg-type]
    monkeypatch.setitem(rows_formats.UNPACK, kind, wrong)
    work = work_item("down", kind)
    arrays = operands(work, np.random.default_rng(0))
    chosen = route("gemv").model_copy(update={"id": f"planted_{id(groups)}"})
    return worst(work, arrays, execute(work, chosen, Geometry(), arrays))


def test_swapped_nibbles_are_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    def groups(t: object, at: object, pair: object) -> list[rows_formats.Group]:
        low, high = rows_formats._q4_1(t, at, pair)  # type: ignore[arg-type]
        return [
            rows_formats.Group(0, 16, low.scale, low.minimum, high.code),
            rows_formats.Group(16, 16, low.scale, low.minimum, low.code),
        ]

    assert planted(monkeypatch, "Q4_1", groups) > 100


def test_a_scale_of_the_wrong_block_is_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    def groups(t: object, at: object, _: object) -> list[rows_formats.Group]:
        (right,) = rows_formats._q8_0(t, at, rows_formats.Halves())
        scale = rows_formats.half(t, (at - 34).maximum(0))  # type: ignore[operator]
        return [rows_formats.Group(0, 32, scale, None, right.code)]

    assert planted(monkeypatch, "Q8_0", groups) > 100


def test_a_wrong_sub_scale_is_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    def groups(t: object, at: object, pair: object) -> list[rows_formats.Group]:
        right = rows_formats._q6_k(t, at, pair)  # type: ignore[arg-type]
        last = right[-1]
        wrong = rows_formats.Group(last.start, last.size, right[-2].scale, None, last.code)
        return [*right[:-1], wrong]

    assert planted(monkeypatch, "Q6_K", groups) > 100


def test_a_position_too_many_is_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    right = rows_attention._Attention.live_positions
    monkeypatch.setattr(rows_attention._Attention, "live_positions", lambda self: right(self) + 1)
    work = work_item("attention")
    arrays = operands(work, np.random.default_rng(0))
    chosen = route("attention").model_copy(update={"id": "planted_position"})
    got = execute(work, chosen, Geometry(), arrays)
    with pytest.raises(AssertionError, match="NaN"):
        worst(work, arrays, got)


def test_a_forgotten_residual_is_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    right = rows_gemv.walk

    def wrong(k, table, x, geometry, _):  # type: ignore[no-untyped-def]
        right(k, table, x, geometry, lambda row, y: k["x"][row].store(y))

    monkeypatch.setattr(rows_gemv, "walk", wrong)
    work = work_item("down")
    arrays = operands(work, np.random.default_rng(0))
    chosen = route("gemv").model_copy(update={"id": "planted_residual"})
    assert worst(work, arrays, execute(work, chosen, Geometry(), arrays)) > 100


def test_a_wrong_epsilon_is_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    right = rows_norm.inverse_rms
    monkeypatch.setattr(
        rows_norm, "inverse_rms", lambda k, s, at, n, eps, *rest: right(k, s, at, n, 1e-3, *rest)
    )
    work = work_item("norm")
    arrays = operands(work, np.random.default_rng(0))
    chosen = route("norm").model_copy(update={"id": "planted_epsilon"})
    assert worst(work, arrays, execute(work, chosen, Geometry(), arrays)) > 10


# ---- what is generated -------------------------------------------------------------------------

GOLDEN = {
    "rows_down_q4_1.c": ("down", "gemv", "Q4_1", "lanes=16 rows=1 split=2 unroll=2"),
    "rows_down_q6_k.c": ("down", "gemv", "Q6_K", "lanes=16 rows=1"),
    "rows_attention.c": ("attention", "attention", "Q4_1", "lanes=16"),
    "rows_rope_store.c": ("rope_store", "rope", "Q4_1", ""),
    "rows_argmax.c": ("argmax", "argmax", "Q4_1", "lanes=32"),
}


@pytest.mark.parametrize("name", GOLDEN)
def test_golden(name: str, golden: object) -> None:
    op, family, kind, geometry = GOLDEN[name]
    (launch,) = launches(work_item(op, kind), route(family), Geometry.parse(geometry), TARGET)
    golden(name, source(launch))  # type: ignore[operator]


def test_axes_change_the_code() -> None:
    texts = set()
    for geometry in ("", "lanes=8", "lanes=32", "rows=2", "rows=2 share=1", "scale=0", "unroll=2"):
        (launch,) = launches(work_item("down"), route("gemv"), Geometry.parse(geometry), TARGET)
        texts.add(source(launch))
    assert len(texts) == 7
