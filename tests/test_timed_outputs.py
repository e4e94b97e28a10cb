"""Kernels that are right in a proof's buffers and wrong where they are timed must be caught."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from kernel_cases import work_item
from test_timing import CHIP, QUICK, stop_after

from boltbeam import registry
from boltbeam.chip import probe
from boltbeam.emit import reference, stock
from boltbeam.emit.core import Buf, Launch
from boltbeam.measure import rotation
from boltbeam.measure.rotation import Operands
from boltbeam.measure.timed_outputs import Timed
from boltbeam.measure.timing import Deployed, Exact, TimedWrong, compare, deploy, deploy_stock
from boltbeam.predict import bubblebeam
from boltbeam.proof import oracle, verify
from boltbeam.seam import tinygrad_adapter as tg
from boltbeam.search import jobs
from boltbeam.types import Outcome, Verdict, WorkItem

EXACT = Exact(1e-5)
WORKS = {op: work_item(op, "F32") for op in ("head", "down", "embed")}
COUNT = Buf("t.count", 1, "i32")
READS = {
    "head": ("xn.f32", 256, "f32"),
    "down": ("act.f32", 512, "f32"),
    "embed": ("tok", 1, "i32"),
}
Factor = Callable[[Any, Any], Any]


def second_launch(_row: Any, count: Any) -> Any:
    """Wrong from the second launch on; the first of a proof finds poison in the scratch."""
    return ((count > 0) & (count < 1 << 24)).where(1.01, 1.0)


def every_third(row: Any, count: Any) -> Any:
    """Wrong in one row of the middle one of three copies."""
    return ((count >= 0) & (count < 1 << 24) & (count % 3).eq(1) & row.eq(7)).where(1.01, 1.0)


def kernel(op: str, factor: Factor | None = None) -> Launch:
    """y = W x, x += W a or x = W[tok], times a factor of (row, launches so far)."""
    work = WORKS[op]
    (table,) = work.tables
    out = Buf("logits" if op == "head" else "x", table.rows if op != "embed" else 256, "f32")
    ins = (Buf(f"w.{table.role}", table.rows * table.cols, "f32"), Buf(*READS[op]))

    def build(*bufs: Any) -> Any:
        from tinygrad.dtype import AddrSpace
        from tinygrad.uop.ops import AxisType, KernelInfo, UOp

        y, w, x = bufs[0], bufs[-2], bufs[-1]
        count = bufs[1][0].load() if factor else None
        i, j = UOp.range(out.size, 1, AxisType.LOOP), UOp.range(table.cols, 2, AxisType.REDUCE)
        if op == "embed":
            total = w[x[0].load() * table.cols + i].load()
        else:
            acc = UOp.placeholder((1,), tg.dtype("f32"), slot=9, addrspace=AddrSpace.REG)
            a = acc.after(acc.after(i)[0].store(0.0), j)
            product = w[i * table.cols + j].load() * x[j].load()
            total = acc.after(a[0].store(a[0].load() + product).end(j))[0].load()
        total = total if factor is None else total * factor(i, count)
        done = y[i].store(y[i].load() + total if op == "down" else total).end(i)
        if count is not None:
            done = bufs[1].after(done)[0].store(count + 1)
        return done.sink(arg=KernelInfo("planted", opts_to_apply=()))

    return Launch("planted", (out, COUNT) if factor else (out,), ins, build)


def proved(op: str, launch: Launch) -> bool:
    """The proof of verify, on its own buffers."""
    names = [b for b in (*launch.outs, *launch.ins) if b.name not in ("logits", "t.count")]
    cases = oracle.Cases(WORKS[op], tuple(names), 0)
    return verify.prove_launches((launch,), cases.inputs, cases.reference, "CPU", 1e-5).ok


def wrong(candidate: Deployed, incumbent: Deployed) -> Outcome:
    with pytest.raises(TimedWrong) as e:
        compare(candidate, incumbent, QUICK, stop_after(1), CHIP)
    return e.value.outcome


@pytest.mark.parametrize("op", WORKS)
def test_a_right_kernel_and_stock_pass(op: str) -> None:
    shared = Operands(WORKS[op], "CPU", copies=3)
    tg.supply_missing_llm_module()
    against = deploy_stock(shared, stock.takes(WORKS[op]), exact=Exact(1e-3))
    ready = deploy((kernel(op),), shared, EXACT)
    assert compare(ready, against, QUICK, stop_after(2), CHIP).ratios
    assert ready.timed is not None and ready.timed.accumulates == (op == "down")


@pytest.mark.parametrize("factor", [second_launch, every_third])
@pytest.mark.parametrize("op", WORKS)
def test_right_in_the_proof_and_wrong_when_timed(op: str, factor: Factor) -> None:
    launch = kernel(op, factor)
    assert proved(op, launch)
    shared = Operands(WORKS[op], "CPU", copies=3)
    found = wrong(deploy((launch,), shared, EXACT), deploy((kernel(op),), shared, EXACT))
    assert (found.verdict, found.reason) == (Verdict.wrong, "timed-output")
    assert found.number is not None and found.number > 1, found


@pytest.mark.parametrize("op", WORKS)
def test_wrong_on_the_operands_of_one_copy(op: str) -> None:
    """What a kernel does that takes another path for another address: one copy gives other bits."""
    shared, own = (Operands(WORKS[op], "CPU", copies=3) for _ in range(2))
    ready, against = deploy((kernel(op),), own, EXACT), deploy((kernel(op),), shared, EXACT)
    table = own.tensor(kernel(op).ins[0], 1)
    tg.write(table, tg.read(table) * np.float32(1.01))
    found = wrong(ready, against)
    where = ("copy 1 of 3", "before timing" if op == "embed" else "copy 1 of 3")
    assert found.reason == "timed-output" and any(w in found.detail for w in where)
    assert found.number is not None and found.number > 1


def test_a_graph_that_writes_nothing_is_seen() -> None:
    """The right numbers of an earlier run must not pass for those of this one."""
    shared = Operands(WORKS["head"], "CPU", copies=2)
    ready, against = (deploy((kernel("head"),), shared, EXACT) for _ in range(2))
    assert ready.timed is not None
    ready.timed.graph = lambda: None
    found = wrong(ready, against)
    assert (found.reason, found.verdict) == ("timed-output", Verdict.wrong)
    assert found.detail.startswith("nan logits[0]")


@pytest.mark.parametrize("op", WORKS)
def test_a_wrong_incumbent_is_no_incumbent(op: str) -> None:
    shared = Operands(WORKS[op], "CPU", copies=2)
    ready = deploy((kernel(op),), shared, EXACT)
    found = wrong(
        ready, deploy((kernel(op, lambda i, _: i.eq(3).where(1.01, 1.0)),), shared, EXACT)
    )
    assert (found.verdict, found.reason) == (Verdict.failed, "wrong-incumbent")
    assert found.number is not None and found.number > 1 and "[3]" in found.detail


def test_wrong_stock_ends_the_job_with_an_outcome(monkeypatch: pytest.MonkeyPatch) -> None:
    work, chip = work_item("head", "Q8_0"), probe.local_chip("CPU")
    honest = stock._linear
    monkeypatch.setattr(stock, "_linear", lambda w, x: honest(w, x) * 1.05)
    route = registry.route("gemv_rows_f32")
    geometry = next(g for g, no in bubblebeam.candidates(work, route, chip) if no is None)
    jobs._KEPT.clear()
    found = jobs.compare(
        work.model_dump(), route.id, str(geometry), chip.model_dump(), "abba-v1", 1
    )
    jobs._KEPT.clear()
    assert (found["verdict"], found["reason"]) == ("failed", "wrong-incumbent"), found


@pytest.mark.cl
@pytest.mark.parametrize("op", ["o", "head"])
def test_stock_without_halves_is_right_on_scales_that_are_normal(op: str) -> None:
    """Q6_K's scales are small: as subnormal halves stock on OpenCL takes them for zero."""
    work = work_item(op, "Q6_K")
    tg.supply_missing_llm_module()
    for kind in ("random", "normal"):
        shared = Operands(work, "CL", copies=2, kind=kind)
        ready = deploy_stock(shared, stock.takes(work), tg.has_half("CL"), Exact(1e-3))
        assert ready.timed is not None
        fault = ready.timed.before()
        assert (fault is None) == (kind == "normal" or tg.has_half("CL")), fault


def test_a_large_table_repeats_and_every_row_is_known(monkeypatch: pytest.MonkeyPatch) -> None:
    work: WorkItem = WORKS["head"]
    monkeypatch.setattr(rotation, "UNIQUE_WEIGHTS", 20 * 256)
    shared = Operands(work, "CPU", copies=1)
    table, x = (tg.read(shared.tensor(b, 0)) for b in kernel("head").ins)
    assert shared.contents["w.output"].nbytes == 21 * 256 * 4 and table.size == 96 * 256
    values, sizes = shared.expected("f32", "f32", 1e-5)
    whole = reference.run(work, {"w.output": table.view(np.uint8), "xn.f32": x})
    assert np.array_equal(values["logits"], whole[0]["logits"])
    assert np.array_equal(sizes["logits"], whole[1]["logits"])
    assert shared.expected("f32", "f32", 1e-5)[0] is values


LAYER = "norm+qkv+rope_store+attention+o+norm+gate_up+down"
STORES = ("rope_store", "rope_store+attention", "norm+qkv+rope_store", LAYER)


def incumbent(work: WorkItem, device: str = "CPU", copies: int = 3) -> tuple[Timed, Deployed]:
    """Stock as jobs deploys it."""
    tg.supply_missing_llm_module()
    half = tg.has_half(device)
    shared = Operands(work, device, copies, kind="random" if half else "normal")
    exact = Exact(registry.tolerances().stock_relative, flushes=not half)
    ready = deploy_stock(shared, stock.takes(work), half, exact)
    assert ready.timed is not None
    return ready.timed, ready


@pytest.mark.parametrize("op", [*STORES, "embed", "qkv", "argmax"])
@pytest.mark.parametrize("device", ["CPU", pytest.param("CL", marks=pytest.mark.cl)])
def test_stock_is_right_as_it_is_deployed(op: str, device: str) -> None:
    for kind in ("F16", "Q8_0"):
        timed, ready = incumbent(work_item(op, kind), device)
        for _ in range(2):  # each look finds its own start, whatever was run before
            assert timed.before() is None
            ready.batch_us(2)
            assert timed.after() is None
        assert ("cache" in {o.name for o in timed.outputs}) == ("rope_store" in op)


@pytest.mark.parametrize("op", STORES)
def test_stock_that_stores_something_else_is_seen(op: str, monkeypatch: pytest.MonkeyPatch) -> None:
    honest = stock._Token._rotate
    monkeypatch.setattr(stock._Token, "_rotate", lambda *a: honest(*a) * 1.02)
    fault = incumbent(work_item(op, "Q8_0"))[0].before()
    assert fault is not None and fault.where.startswith(("cache[", "att.f32[")), fault


def test_stock_that_stores_nothing_is_seen() -> None:
    """The cache of an earlier run must not pass for that of this one."""
    timed, ready = incumbent(work_item("rope_store", "Q8_0"))
    ready.replay()
    timed.graph = lambda: [tg.write(t, tg.read(t)) for o in timed.outputs for t in o.parts(0)]
    timed.outputs = [o for o in timed.outputs if o.name == "cache"]
    fault = timed.before()
    assert fault is not None and fault.where.startswith("cache["), fault


def test_one_copy_of_the_cache_with_other_contents_is_seen() -> None:
    timed, _ = incumbent(work_item("rope_store", "Q8_0"))
    (part,) = next(o for o in timed.outputs if o.name == "cache").parts(1)
    assert timed.before() is None
    kept = timed.operands.restore

    def spoiled(names: Any, run: int | None = None) -> None:
        kept(names, run)
        cache = tg.read(part)
        cache[0] += 1
        tg.write(part, cache)

    timed.operands.restore = spoiled  # type: ignore[method-assign]
    fault = timed.before()
    assert fault is not None and fault.where.startswith("cache[0]"), fault


def test_a_layer_is_held_to_the_halves_it_stored() -> None:
    """Its own halves leave no slack: the tolerance is that of a layer without ties."""
    timed, _ = incumbent(work_item(LAYER, "Q8_0"), copies=1)
    seen = timed.run(timed.graph)[0]
    cache = seen["cache"].view(np.float16)
    loose, tight = (timed.operands.expected("f32", "f32", 1e-5, 0, c) for c in (None, cache))
    assert np.median(tight[1]["x"]) * 1e-5 < 2e-4 < np.median(loose[1]["x"]) * 1e-5 < 2e-2
    assert (
        np.array_equal(tight[0]["cache"].astype(np.float16), cache)
        or ((cache < tight[0]["cache.low"]) | (cache > tight[0]["cache.high"])).any()
    )  # stock rounds more than float32 does


@pytest.mark.parametrize("first", [0, 40])
def test_an_embed_that_reads_another_row_is_seen(first: int) -> None:
    """Right in the first runs, and from row `first` of the table on the row before."""
    work = WORKS["embed"]
    honest = kernel("embed")

    def build(*bufs: Any) -> Any:
        from tinygrad.uop.ops import AxisType, KernelInfo, UOp

        y, w, x = bufs
        i, row = UOp.range(256, 1, AxisType.LOOP), x[0].load()
        row = (row > first).where(row - 1, row)
        return (
            y[i]
            .store(w[row * 256 + i].load())
            .end(i)
            .sink(arg=KernelInfo("planted", opts_to_apply=()))
        )

    shared = Operands(work, "CPU", copies=2)
    ready = deploy((Launch("planted", honest.outs, honest.ins, build),), shared, EXACT)
    assert ready.timed is not None and ready.works > 2
    fault = ready.timed.before() or ready.timed.after()
    assert fault is not None and fault.where.startswith("x["), fault


def test_rows_are_looked_at_on_the_same_rows_before_and_after() -> None:
    shared = Operands(WORKS["embed"], "CPU", copies=2)
    ready = deploy((kernel("embed"),), shared, EXACT)
    assert ready.timed is not None and ready.timed.before() is None
    for _ in range(5):
        ready.batch_us(1)  # moves on to other rows
    assert ready.timed.after() is None
    left = tg.read(shared.tensor(kernel("embed").outs[0], 0))
    values, _ = shared.expected("f32", "f32", 1e-5, ready.works - 1)
    assert left == pytest.approx(values["x"], rel=1e-6)
    assert not np.array_equal(values["x"], shared.expected("f32", "f32", 1e-5, 0)[0]["x"])
