"""Roofline: the essay's worked checks, and no floor without a measurement."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from known_shapes import cpu, qwen3_8b, rate, smollm2

from boltbeam import emit, registry
from boltbeam.emit.core import Target
from boltbeam.models import plan
from boltbeam.predict import chips
from boltbeam.predict.bubblebeam import candidates
from boltbeam.predict.roofline import floor_us, limit_tok_s, m_star, roofline
from boltbeam.seam.tinygrad_adapter import itemsize
from boltbeam.types import BoltbeamError, ChipFacts


def with_read(name: str, gbps: float) -> ChipFacts:
    chip = chips.get(name)
    return chip.model_copy(update={"measured": {**chip.measured, "read_gbps": rate(gbps)}})


def test_matrix_bytes_of_qwen3_8b() -> None:
    assert roofline(qwen3_8b(), chips.get("rtx-5090"), 512).matrix_bytes == 4_670_533_632


def test_limit_of_the_5090() -> None:
    assert round(limit_tok_s(4.68e9, 1700)) == 364 - 1  # 363.2 at 4.68, as below
    whole = roofline(qwen3_8b(), with_read("rtx-5090", 1700), 1)
    assert whole.matrix_bytes == 4_670_533_632
    assert round(1700e9 / whole.matrix_bytes) == 364


def test_vocabulary_floor() -> None:
    line = roofline(qwen3_8b(), with_read("rtx-5090", 1701.3), 1)
    head = next(r for r in line.rows if r.work.op == "head")
    assert head.bytes == 510_504_960
    assert head.floor_us == pytest.approx(300.06, abs=0.01)
    assert head.count == 1
    assert floor_us(510_504_960, 1700) == pytest.approx(300.3, abs=0.01)


def test_m_star() -> None:
    chip = with_read("rtx-5090", 1700)
    assert m_star(4.5, chip) == pytest.approx(42, abs=0.5)
    row = next(r for r in roofline(qwen3_8b(), chip, 1).rows if r.work.op == "gate_up")
    assert row.bits_per_weight == 4.5
    assert row.m_star == pytest.approx(42, abs=0.5)
    assert m_star(4.5, with_read("m4", 1000)) == pytest.approx(1063 / 1000, rel=1e-3)


def test_memories_are_18_9_times_apart() -> None:
    model = qwen3_8b()
    fast = roofline(model, with_read("rtx-5090", 1700), 1)
    slow = roofline(model, with_read("m3", 89.9), 1)
    assert fast.limit_tok_s / slow.limit_tok_s == pytest.approx(18.9, abs=0.05)
    assert slow.limit_tok_s == pytest.approx(19.2, abs=0.05)
    assert roofline(model, with_read("m3", 89.9), 512).limit_tok_s == pytest.approx(18.9, abs=0.05)


def test_m3_at_its_read_bandwidth() -> None:
    line = roofline(qwen3_8b(), chips.get("m3"), 1)
    assert line.limit_tok_s == pytest.approx(20.8, abs=0.05)


def test_cache_of_a_position() -> None:
    one, more = (roofline(qwen3_8b(), chips.get("rtx-5090"), n) for n in (1, 513))
    assert more.bytes_per_token - one.bytes_per_token == 512 * 147_456


def test_shares_and_counts_add_up() -> None:
    line = roofline(smollm2(), chips.get("h200"), 512)
    assert sum(r.share for r in line.rows) == pytest.approx(1.0)
    assert sum(r.count * r.bytes for r in line.rows) == line.bytes_per_token
    assert sum(r.token_us for r in line.rows) == pytest.approx(line.floor_us)
    ops = {r.work.op: r.count for r in line.rows}
    assert ops["norm"] == 61 and ops["down"] == 30 and ops["head"] == 1 and ops["embed"] == 1


def test_never_falls_back_on_the_sheet() -> None:
    with pytest.raises(BoltbeamError, match=r"never measured .*960.* not a measurement"):
        roofline(smollm2(), chips.get("rx-7900-xtx"), 512)


def test_unmeasured_sums_give_no_m_star() -> None:
    chip = chips.get("h200").model_copy(update={"measured": {"read_gbps": rate(4470.0)}})
    assert roofline(smollm2(), chip, 512).m_star is None


# ---- planes ------------------------------------------------------------------------------------


def test_planes_read_what_the_emitter_binds() -> None:
    """Bytes of the buffers of a kernel in planes; the copies' memory over all layers."""
    chip = chips.get("h200")
    line = roofline(qwen3_8b(), chip, 512)
    found = {r.work.key: r for r in line.rows if r.planes}
    assert [(r.work.op, r.count) for r in found.values()] == [
        ("qkv", 18),
        ("down", 18),
        ("head", 1),
    ]
    for row in found.values():
        assert row.planes is not None and row.planes.bytes == row.bytes
        route = registry.route(row.planes.routes[-1])
        span = next(s for s in route.ops if row.work.op in s.split("+"))
        _, whole = plan.occurrences(qwen3_8b(), 512, [span])
        work = next(o.work for o in whole if set(row.work.tables) <= set(o.work.tables))
        geometry = next(g for g, bad in candidates(work, route, chip) if bad is None)
        ins = emit.launches(work, route, geometry, Target("CUDA", chip))[0].ins
        weights = [b for b in ins if b.name.startswith("w.")]
        assert sum(b.size * itemsize(b) for b in weights) == row.planes.bytes
        copied = sum(b.size * itemsize(b) for b in weights if b.dtype.startswith("planes."))
        assert row.count * copied == row.planes.copy_bytes > 0
    head = next(r for r in found.values() if r.work.op == "head")
    assert head.planes is not None and head.planes.copy_bytes == 510_504_960
    names = ("chain_lanes_head_planes", "head_planes_unscaled", "gemv_lanes_planes_q8")
    assert head.planes.routes == names
    assert line.copy_bytes == sum(r.planes.copy_bytes for r in found.values() if r.planes)


def test_no_planes_where_no_route_reads_them() -> None:
    """On a CPU, and of tables whose blocks make no whole planes."""
    assert roofline(smollm2(), with_read("h200", 4000), 512).copy_bytes == 30_081_024
    assert roofline(smollm2(), cpu(), 512).copy_bytes == 0
    model = smollm2()
    odd = [p.model_copy(update={"shape": (49_153, 576)}) for p in model.parts if not p.layer][:1]
    uneven = model.model_copy(update={"parts": (*odd, *model.parts[1:]), "vocab": 49_153})
    assert 49_153 * 576 // 32 % plan.PLANES_GROUP
    assert roofline(uneven, chips.get("h200"), 512).copy_bytes == 0


@pytest.mark.parametrize(("chip", "shown"), [("h200", True), ("cpu", False)])
def test_the_command_shows_planes_where_there_are_some(
    chip: str, shown: bool, cli: Callable[..., Any], tiny: Callable[..., Path]
) -> None:
    words = ("roofline", tiny(), "--chip", chip, "--gbps", "1000")
    text, data = cli(*words).out, json.loads(cli(*words, "--format", "json").out)
    assert ("bytes in planes" in text and "extra memory" in text and "Planes: " in text) is shown
    rows = data["rows"]
    assert (
        data["copy_bytes"] == sum(r["extra memory"] or 0 for r in rows)
        and bool(data["planes_routes"]) is shown
    )
    for row in rows:
        assert row["bytes in planes"] in (None, row["bytes"])
