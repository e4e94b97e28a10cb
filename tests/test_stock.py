"""The incumbent does what tinygrad.llm does and no more: one position stored, nothing copied."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from kernel_cases import operands, work_item

from boltbeam.emit import reference, stock
from boltbeam.measure import timing
from boltbeam.measure.rotation import Operands
from boltbeam.models.plan import timed_position
from boltbeam.seam import tinygrad_adapter as tg
from boltbeam.seam import tinygrad_graph, tinygrad_model
from boltbeam.types import WorkItem

Arrays = dict[str, np.ndarray]
LAYER = "norm+qkv+rope_store+attention+o+norm+gate_up+down"


@pytest.fixture(autouse=True)
def llm() -> None:
    tg.supply_missing_llm_module()


def given(work: WorkItem) -> tuple[Arrays, dict[str, Any]]:
    """Random operands and their tensors."""
    made = operands(work, np.random.default_rng(9))
    a = {n: v for n, v in made.items() if not n.endswith((".q8", ".d", ".s16"))}
    a["cache"] = np.nan_to_num(a["cache"])
    return a, {b.name: tg.copy_of(a[b.name], "CPU") for b in stock.takes(work)}


def deployed(work: WorkItem, tensors: dict[str, Any], position: Any = None) -> list[Any]:
    """Every tensor that the incumbent's outputs are in, realised."""
    made = stock.deployed(work, tensors, position=position)
    parts = [t for tensors in made.values() for t in tensors]
    tg.realize(parts)
    return parts


def launches(work: WorkItem) -> list[list[int]]:
    """Elements of every buffer of every kernel that the incumbent runs."""
    a, tensors = given(work)
    at = tinygrad_model.start_position(int(a["pos"][0]), work.context)
    recording = tinygrad_graph.Recording.of(lambda: deployed(work, tensors, at))
    return [[int(np.prod(b.shape)) for b in call.src[1:]] for call in recording._calls]


@pytest.mark.parametrize("op", ["rope_store", "rope_store+attention"])
def test_one_position_is_stored_in_place(op: str) -> None:
    work = work_item(op)
    a, tensors = given(work)
    deployed(work, tensors)
    want = reference.run(work, a)[0]["cache"]
    got = tg.read(tensors["cache"])
    changed = (got != a["cache"]).reshape(2, work.kv_heads, work.context, work.head_dim)
    assert set(np.flatnonzero(changed.any(axis=(0, 1, 3)))) == {7}
    assert np.abs(got - want).max() <= 2**-9 * np.abs(want).max()
    assert (got != want).sum() <= 2


def test_the_cache_is_never_copied() -> None:
    work = work_item("rope_store+attention")
    size = 2 * work.kv_heads * work.context * work.head_dim
    assert all(sum(n >= size for n in kernel) <= 1 for kernel in launches(work))
    assert len(launches(work_item("rope_store"))) == 2


def test_a_store_can_be_run_again() -> None:
    work = work_item("rope_store+attention")
    _, tensors = given(work)
    once = [tg.read(t) for t in deployed(work, tensors)[1:]]
    again = [tg.read(t) for t in deployed(work, tensors)[1:]]
    assert all(np.array_equal(x, y) for x, y in zip(once, again, strict=True))


def test_projections_are_three_products() -> None:
    """One tensor of all three would run every product over every row."""
    work = work_item("qkv")
    a, tensors = given(work)
    assert len(launches(work)) == 3
    parts = deployed(work, tensors)
    got = np.concatenate([tg.read(t) for t in parts])
    values, sizes = reference.run(work, a)
    assert (np.abs(got - values["qkv"]) <= 1e-3 * sizes["qkv"]).all()


def test_inner_values_of_a_span_are_not_forced() -> None:
    work = work_item(LAYER)
    a, tensors = given(work)
    _, x = deployed(work, tensors)
    want = reference.run(work, a)[0]["x"]
    assert np.abs(tg.read(x) - want).max() <= 2e-3 * np.abs(want).max()
    assert len(launches(work)) == 14  # as tinygrad.llm's own block


@pytest.mark.parametrize("device", ["CPU", pytest.param("CL", marks=pytest.mark.cl)])
def test_the_deployed_incumbent_stores_in_every_copy_of_the_cache(
    device: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(timing, "GRAPH_US", 0.0)  # a graph goes through its copies once
    work = work_item("rope_store+attention")
    run = Operands(work, device, 3)
    takes = stock.takes(work)
    ready = timing.deploy_stock(run, takes, tg.has_half(device))
    cache = next(b for b in takes if b.name == "cache")
    for copy in range(3):
        tg.write(run.tensor(cache, copy), run.contents["cache"])
    assert ready.batch_us(1) > 0 and ready.works in (2, 3)  # 2 on a busy host
    want = reference.run(work, run.contents)[0]["cache"]
    where = timed_position(work.context)
    for copy in range(ready.works):
        got = tg.read(run.tensor(cache, copy)).astype(np.float64)
        moved = (got != run.contents["cache"]).reshape(2, -1, work.context, work.head_dim)
        assert set(np.flatnonzero(moved.any(axis=(0, 1, 3)))) == {where}
        assert np.abs(got - want).max() <= 2**-9 * np.abs(want).max()


def test_argmax_gives_the_token_only() -> None:
    work = work_item("argmax")
    run = Operands(work, "CPU", 2)
    assert timing.deploy_stock(run, stock.takes(work)).batch_us(1) > 0
    _, tensors = given(work)
    at = tinygrad_model.start_position(7, work.context)
    (token,) = deployed(work, tensors, at)
    assert tg.read(token)[0] == tg.read(tensors["logits"]).argmax()
