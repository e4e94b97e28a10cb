"""What workers do, on real routes of a small work item: prove, race, compare, render."""

from __future__ import annotations

from pathlib import Path

import pytest
from kernel_cases import work_item

from boltbeam import registry
from boltbeam.chip import probe
from boltbeam.emit.core import Target
from boltbeam.predict import bubblebeam
from boltbeam.proof import oracle, verify
from boltbeam.search import jobs
from boltbeam.types import ChipFacts, Measurement, Proof, WorkItem
from boltbeam.worker import Pool

CPU = probe.local_chip("CPU")


def legal(work: WorkItem, route: str, chip: ChipFacts, n: int) -> list[list[str]]:
    """The first n legal [route, geometry]."""
    found = bubblebeam.candidates(work, registry.route(route), chip)
    return [[route, str(g)] for g, out in found if out is None][:n]


def as_job(work: WorkItem, chip: ChipFacts = CPU) -> dict[str, object]:
    return {
        "work": work.model_dump() | {"count": work.count, "bytes": work.bytes},
        "chip": chip.model_dump(exclude_none=True),
    }


@pytest.mark.parametrize(
    ("op", "route"),
    [
        ("o", "gemv_rows_f32"),
        ("qkv", "gemv_rows_q8"),
        ("gate_up", "gate_up_rows_f32_q8"),
        ("rope_store", "rope_rows"),
        ("attention", "attention_rows_f32"),
        ("argmax", "argmax_rows"),
        ("norm+qkv", "chain_rows"),
    ],
)
def test_rows_routes_prove(op: str, route: str) -> None:
    work = work_item(op)
    ((_, geometry),) = legal(work, route, CPU, 1)
    proof = Proof.model_validate(jobs.prove(route=route, geometry=geometry, seed=1, **as_job(work)))
    assert (proof.ok, proof.reason) == (True, "ok"), proof
    assert proof.checks[-1] == "replay" and proof.worst is not None and proof.worst <= 1


@pytest.mark.cl
def test_lanes_route_that_quantises_inside_a_span_proves() -> None:
    chip = probe.local_chip("CL")
    work = work_item("norm+qkv", "Q8_0")
    ((_, geometry),) = legal(work, "chain_lanes_qkv_q8", chip, 1)
    job = as_job(work, chip)
    proof = jobs.prove(route="chain_lanes_qkv_q8", geometry=geometry, seed=2, **job)
    assert proof["ok"], proof


def test_wrong_weights_are_an_error_bound(monkeypatch: pytest.MonkeyPatch) -> None:
    """A reference of another table: the mistake of a pack cache keyed by shape."""
    work = work_item("gate_up")
    ((route, geometry),) = legal(work, "gate_up_rows_f32_f32", CPU, 1)
    honest = oracle.reference.run

    def swapped(work: WorkItem, arrays: oracle.Arrays, inner: str) -> object:
        return honest(work, {**arrays, "w.ffn_up": arrays["w.ffn_gate"]}, inner)

    monkeypatch.setattr(oracle.reference, "run", swapped)
    oracle._expected.cache_clear()
    proof = verify.prove(
        work,
        registry.route(route),
        bubblebeam.Geometry.parse(geometry),
        Target("CPU", CPU),
        5,
        1e-5,
    )
    oracle._expected.cache_clear()
    assert proof.reason == "error-bound" and proof.worst is not None and proof.worst > 100


def test_a_geometry_that_cannot_be_emitted_is_a_value() -> None:
    proof = jobs.prove(route="gemv_rows_f32", geometry="rows=7", seed=1, **as_job(work_item("o")))
    assert (proof["ok"], proof["reason"]) == (False, "compile-error")


def test_race_and_compare_with_stock_and_with_a_route() -> None:
    work = work_item("down", "Q8_0")
    entrants = legal(work, "gemv_rows_f32", CPU, 3)
    ranked = jobs.race(entrants=entrants, seed=0, **as_job(work))
    assert sorted(int(r[0]) for r in ranked) == [0, 1, 2] and all(r[1] > 0 for r in ranked)
    best = entrants[int(ranked[0][0])]
    for incumbent in ((), entrants[int(ranked[-1][0])]):
        found = jobs.compare(
            route=best[0], geometry=best[1], protocol="abba-v1", comparisons=1,
            incumbent=incumbent, **as_job(work),
        )  # fmt: skip
        m = Measurement.model_validate(found)
        assert len(m.ratios) >= 5 and m.stop_reason and m.aa_spread < 1


@pytest.mark.parametrize("op", ["embed", "rope_store", "attention", "argmax", "head"])
def test_stock_runs_as_incumbent(op: str) -> None:
    work = work_item(op, "Q8_0")
    jobs._KEPT.clear()
    assert jobs._stock(work, CPU).batch_us(1) > 0


def test_the_rendered_source_is_what_the_proof_hashed() -> None:
    work, target = work_item("o"), Target("CPU", CPU)
    ((route, geometry),) = legal(work, "gemv_rows_f32", CPU, 1)
    source = verify.rendered(jobs._launches(work, route, geometry, target), "CPU")
    proof = jobs.prove(route=route, geometry=geometry, seed=1, **as_job(work))
    assert verify.digest(source) == proof["source_hash"] and "void" in source


def test_a_worker_proves_in_its_own_process_and_cache(tmp_path: Path) -> None:
    work = work_item("o")
    ((route, geometry),) = legal(work, "gemv_rows_f32", CPU, 1)
    cache = tmp_path / "cache.db"
    with Pool("CPU", 1, {"CACHEDB": str(cache)}) as pool:
        args = {"route": route, "geometry": geometry, "seed": 1, **as_job(work)}
        answer = pool.run("prove", args, 60)
        assert answer.failed is None and Proof.model_validate(answer.value).ok
        unknown = pool.run("prove", {**args, "route": "gemv_rows_f23"}, 60)
    assert unknown.failed is not None and "gemv_rows_f32" in unknown.failed.detail
    assert cache.exists()
