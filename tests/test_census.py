"""Flags of planted bad launches, the addresses of lanes, shares; and stock's token on the CPU."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from decode_cases import CHIP, CONTEXT, load
from token_cases import COLS, ROWS, chip, kind, planted, planted_kind, token

from boltbeam import emit, registry
from boltbeam.emit.core import Target, dtype
from boltbeam.models import plan
from boltbeam.models.synth import facts as model_facts
from boltbeam.predict import bubblebeam, census, roofline
from boltbeam.predict.census import Access, Flag, Kind, flags
from boltbeam.seam import tinygrad_render
from boltbeam.types import BoltbeamError, ChipFacts, Fact, Measured


def flagged(k: Kind, on: ChipFacts | None = None, *others: Kind) -> tuple[Flag, ...]:
    """Flags of a launch in a token of it and others."""
    return flags(k, on or chip(), token(k, *others))


def codes(k: Kind, on: ChipFacts | None = None, *others: Kind) -> list[str]:
    return [f.code for f in flagged(k, on, *others)]


# ---- planted launches --------------------------------------------------------------------------


def test_one_thread_is_flagged() -> None:
    k = planted_kind(lambda gid, lane, i: i, grid=1, lanes=1)
    assert (k.groups, k.threads, k.accesses) == (1, 1, ())
    assert codes(k) == ["one-thread"]


def test_less_than_a_wave_is_flagged() -> None:
    share = ROWS * COLS // 2
    few = planted_kind(lambda gid, lane, i: gid * share + i * 32 + lane, grid=2, lanes=32)
    assert (few.groups, few.threads) == (2, 64)
    (flag,) = flagged(few)
    assert (flag.code, flag.number, flag.limit) == ("below-wave", 2, 132)
    assert flag.detail == "2 workgroups on 132 units"
    narrow = kind(groups=132, threads=132 * 8)
    assert [f.detail for f in flagged(narrow)] == ["1,056 threads of 4,224"]


def test_one_thread_per_row_scatters_the_lanes() -> None:
    rows = planted_kind(lambda gid, lane, i: (gid * 32 + lane) * COLS + i, grid=2, lanes=32)
    assert rows.widest == Access(argument=1, load_bytes=1, stride_bytes=COLS)
    assert codes(rows) == ["below-wave", "scattered"]
    (_, flag) = flagged(rows)
    assert (flag.number, flag.limit) == (COLS, census.LINE_BYTES)


def test_lanes_side_by_side_are_not_flagged() -> None:
    k = planted_kind(lambda gid, lane, i: (gid * 8 + i) * 32 + lane, grid=1024, lanes=32)
    assert k.widest is not None and k.widest.stride_bytes == 1
    assert codes(k) == []


def test_an_index_that_is_loaded_by_each_lane_says_nothing() -> None:
    from boltbeam.seam.tinygrad_lanes import accesses

    program, nbytes = planted(lambda gid, lane, i: lane * COLS, grid=1, lanes=32)
    assert [a.stride_bytes for a in accesses(program, nbytes, 32)] == [COLS]
    assert [a.stride_bytes for a in accesses(program, nbytes, 8)] == [COLS]
    assert accesses(program, {0: 1 << 30, 1: nbytes[1]}, 32) != ()  # y is written, not read


def test_real_kernels_are_read_rightly() -> None:
    """Attention of one SIMD group per head takes one position a lane: 128 halves apart."""
    from boltbeam.seam.tinygrad_lanes import accesses

    on = registry.chips()["nv-sm90-132sm"]
    shape = model_facts("qwen3-0.6b")
    strides = {}
    for op, route in (("attention", "attention_lanes_f32"), ("o", "gemv_lanes_f32")):
        work = plan.occurrences(shape, 512, [op])[1][0].work
        how = registry.route(route)
        legal = (g for g, no in bubblebeam.candidates(work, how, on) if no is None)
        launch = emit.launches(work, how, next(legal), Target("CUDA", on))[0]
        program = tinygrad_render.program(launch, "CUDA:sm_90")
        bufs = enumerate((*launch.outs, *launch.ins))
        nbytes = {i: b.size * dtype(b.dtype).itemsize for i, b in bufs}
        strides[op] = accesses(program, nbytes, 32)[0].stride_bytes
    assert strides == {"attention": 2 * shape.head_dim, "o": 4}


# ---- rules -------------------------------------------------------------------------------------


def test_reads_far_below_the_rate() -> None:
    floor = 20_000_000 / 4000 / 1e3  # 5 us
    assert codes(kind(us=1 + 2.1 * floor)) == ["slow-read"]
    assert codes(kind(us=1 + 1.9 * floor)) == []
    slow, whole = kind(us=1 + 2.1 * floor, count=1), kind(us=1e4, op="head")
    assert codes(slow, None, whole) == []  # costs nothing
    norm = kind(us=200, bytes=16_384, count=73)
    assert codes(norm, None, whole) == []  # reads nothing
    assert codes(kind(us=100, bytes=0)) == []
    assert codes(kind(us=100, launch_us=99.0)) == []  # all of it is the launch


def test_where_width_is_not_judged() -> None:
    one = kind(groups=1, threads=1)
    assert codes(one) == ["one-thread"]
    assert codes(one, chip(workgroups=False)) == []
    assert codes(one, chip(units=None)) == []
    assert codes(kind(groups=None, threads=1 << 14)) == []  # the driver chooses


def test_a_cpu_that_imitates_workgroups_needs_one_a_unit() -> None:
    on, far = chip(imitated=True, units=2), Access(argument=0, load_bytes=4, stride_bytes=4096)
    assert codes(kind(groups=2, threads=2, accesses=(far,)), on) == []
    assert codes(kind(groups=1, threads=64), on) == ["below-wave"]


def test_rows_are_shares_of_what_the_launches_take() -> None:
    small, large = kind(us=3.0, count=1, op="argmax", bytes=0), kind(us=12.0)
    found = census.rows(token(small, large), chip())
    assert [r.kind.op for r in found] == ["down", "argmax"]
    assert sum(r.share for r in found) == pytest.approx(1)
    assert found[0].token_us == 36 * 12.0 and found[1].gbps is None
    assert found[0].gbps == pytest.approx(20_000_000 / 11 / 1e3)
    assert found[0].rate == pytest.approx(found[0].gbps / 4000)
    with pytest.raises(BoltbeamError, match="never measured"):
        census.rows(token(small), chip(None))


def test_notes_say_how_it_was_measured() -> None:
    cold, warm = kind(us=50.0, cold_ratio=2.5), kind(us=50.0, cold_ratio=0.5, op="o")
    text = "\n".join(census.notes(token(cold, warm), chip()))
    assert "Measured, not predicted" in text and "not 2 caches: o" in text
    assert text.count("slow-read: ") == 1 and "down 10% of the read rate" in text
    assert "at least 2 caches" in census.how(token(cold))
    assert "; code" not in census.how(token(cold))
    assert "; code turns" in census.how(token(cold, kind(code_copies=2)))
    assert "no workgroups" in census.notes(token(cold), chip(workgroups=False))[-1]


# ---- a real token ------------------------------------------------------------------------------


def test_launches_of_stock_on_the_cpu(tiny: Callable[..., Path]) -> None:
    """tinygrad's own kernels get the ops of the tensors they touch, and read each of them once."""
    from boltbeam.token import token_launches, token_sources

    model, facts, files = load(tiny("tiny-llama", layers=1))
    position = CONTEXT // 2
    source = token_sources.of_stock(model, facts, files, "CPU", position, "stock")
    ops = {op for a in source.about for op in a.op.split("+")}
    assert {"embed", "norm", "qkv", "rope_store", "attention", "o", "gate_up", "down"} <= ops
    assert "head" in ops and token_sources.OTHER in ops
    rate = Measured(value=10.0, unit="GB/s", how="test", date="2026-11-29")
    here = CHIP.model_copy(update={"measured": {"read_gbps": rate}})
    floor = roofline.roofline(facts, here, position + 1)
    assert sum(a.bytes for a in source.about) == pytest.approx(floor.bytes_per_token, rel=0.02)
    found = token_launches.measure(source, CHIP)
    assert found.launches == len(source.tape.launches) and found.timer == "thread"
    assert all(u > 0 for k in found.kinds for u in (*k.us, *k.hollow_us))
    head = next(k for k in found.kinds if "head" in k.op)
    assert (head.count, head.part) == (1, 0.5)
    assert head.launch_us < head.part_us[0] < head.alone_us
    assert 0.5 < sum(k.count * k.alone_us for k in found.kinds) / found.us < 2
    assert sum(found.hollow_us) < sum(found.token_us)


def test_cold_is_beyond_the_cache_that_the_probe_found(
    tiny: Callable[..., Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Tables turn through copies worth the larger cache, and `cold_ratio` is told against it."""
    from boltbeam.token import token_launches, token_sources

    monkeypatch.setattr(token_launches, "ROTATED_MIN", 1)
    model, facts, files = load(tiny("tiny-llama", layers=1))
    source = token_sources.of_stock(model, facts, files, "CPU", CONTEXT // 2, "stock")
    edge = Measured(value=1 << 30, unit="B", how="test", date="2026-11-29")
    declared = CHIP.model_copy(update={"cache_bytes": Fact(value=1024, source="test")})
    probed = declared.model_copy(update={"measured": {"level3_bytes": edge}})

    hollow = [source.tape.hollow(x) for x in source.tape.launches]

    def head(on: ChipFacts) -> Kind:
        kinds = token_launches._kinds(source, on, hollow)
        k = next(k for k in kinds if "head" in k.about[0].op)
        us = {(0, name): (1.0,) for name in ("us", "hollow", "part")}
        return token_launches._found(0, k, us, on, source)

    small, large = head(declared), head(probed)
    assert small.copies == 1 and small.cold_ratio == small.bytes / 1024
    assert large.copies > 1 and large.cold_ratio == large.copies * large.bytes / (1 << 30)
