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
from boltbeam.seam import tinygrad_adapter as tg
from boltbeam.seam import tinygrad_render
from boltbeam.search import jobs
from boltbeam.types import ChipFacts, Measured, Measurement, Proof, WorkItem
from boltbeam.worker import Pool

CPU = probe.local_chip("CPU")


def legal(work: WorkItem, route: str, chip: ChipFacts, n: int) -> list[list[str]]:
    """The first n legal [route, geometry]."""
    found = bubblebeam.candidates(work, registry.route(route), chip)
    return [[route, str(g)] for g, out in found if out is None][:n]


def as_job(work: WorkItem, chip: ChipFacts = CPU) -> dict[str, object]:
    return {
        "work": work.whole(),
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


# ---- kernels that another worker has made ------------------------------------------------------


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("BOLTBEAM_PROGRAMS", str(tmp_path))
    return tmp_path


def forget(monkeypatch: pytest.MonkeyPatch, builds: list[str]) -> None:
    """As a worker that has made nothing yet; counts the kernels that it builds."""
    monkeypatch.setattr(tinygrad_render, "_PREPARED", {})
    monkeypatch.setattr(tg, "_SINKS", {})
    build = tg.sink
    counted = lambda launch: builds.append(launch.name) or build(launch)  # noqa: E731
    monkeypatch.setattr(tinygrad_render, "sink", counted)
    monkeypatch.setattr(tg, "sink", counted)


def raced(work: WorkItem, how: list[str]) -> float:
    return jobs.race(entrants=[how], seed=0, **as_job(work))[0][1]


def test_who_races_a_proved_kernel_does_not_build_it_again(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    work = work_item("o")
    first, second = legal(work, "gemv_rows_f32", CPU, 2)
    for route, geometry in (first, second):
        assert jobs.prove(route=route, geometry=geometry, seed=1, **as_job(work))["ok"]
    names = {f.name: f.read_bytes() for f in folder.glob("*.name")}
    assert len(names) == 2 and len(set(names.values())) == 2
    builds: list[str] = []
    forget(monkeypatch, builds)
    assert raced(work, first) > 0 and builds == []
    text = jobs.source(route=first[0], geometry=first[1], **as_job(work))
    assert text != jobs.source(route=second[0], geometry=second[1], **as_job(work))
    assert builds == []


def test_a_kernel_of_other_code_or_a_damaged_one_is_built_again(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    work = work_item("o")
    ((route, geometry),) = legal(work, "gemv_rows_f32", CPU, 1)
    text = jobs.source(route=route, geometry=geometry, **as_job(work))
    for spoil in (
        lambda: monkeypatch.setattr(jobs, "CODE", "other"),
        lambda: [f.write_bytes(b"\x80\x05no") for f in folder.glob("*.pickle")],
        lambda: [f.write_bytes(b"\xff") for f in folder.glob("*.name")],
        lambda: [f.unlink() for f in folder.glob("*.pickle")],
    ):
        spoil()
        builds: list[str] = []
        with monkeypatch.context() as patch:
            forget(patch, builds)
            assert jobs.source(route=route, geometry=geometry, **as_job(work)) == text
        assert len(set(builds)) == 1


def test_probed_rates_are_no_part_of_a_kernel(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Proofs are asked without them, races with them."""
    work = work_item("o")
    ((route, geometry),) = legal(work, "gemv_rows_f32", CPU, 1)
    jobs.source(route=route, geometry=geometry, **as_job(work))
    rate = Measured(value=10.0, unit="GB/s", how="a test", date="2026-11-30", source="here")
    probed = CPU.model_copy(update={"measured": {"read_gbps": rate}})
    builds: list[str] = []
    forget(monkeypatch, builds)
    jobs.source(route=route, geometry=geometry, **as_job(work, probed))
    assert builds == []


def test_a_proof_sets_a_wrong_name_right(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Else a row would have the proof of one kernel and the time of another."""
    work = work_item("o")
    first, second = legal(work, "gemv_rows_f32", CPU, 2)
    for route, geometry in (first, second):
        assert jobs.prove(route=route, geometry=geometry, seed=1, **as_job(work))["ok"]
    right = {f: f.read_bytes() for f in folder.glob("*.name")}
    texts = [jobs.source(route=r, geometry=g, **as_job(work)) for r, g in (first, second)]
    for link, other in zip(right, reversed(right.values()), strict=True):
        link.write_bytes(other)
    forget(monkeypatch, [])
    proof = jobs.prove(route=first[0], geometry=first[1], seed=1, **as_job(work))
    assert proof["source_hash"] == verify.digest(texts[0])
    assert sum(f.read_bytes() == data for f, data in right.items()) == 1
    forget(monkeypatch, [])
    assert jobs.source(route=first[0], geometry=first[1], **as_job(work)) == texts[0]


def test_a_flipped_bit_is_not_run(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    work = work_item("o")
    ((route, geometry),) = legal(work, "gemv_rows_f32", CPU, 1)
    text = jobs.source(route=route, geometry=geometry, **as_job(work))
    (file,) = folder.glob("*.pickle")
    whole = file.read_bytes()
    for at in range(0, len(whole), len(whole) // 40):
        file.write_bytes(whole[:at] + bytes([whole[at] ^ 4]) + whole[at + 1 :])
        with monkeypatch.context() as patch:
            forget(patch, builds := [])
            patch.setattr("tinygrad.codegen.to_program_cache", {})
            assert jobs.source(route=route, geometry=geometry, **as_job(work)) == text
        assert builds and file.read_bytes()[:32] == whole[:32]


@pytest.mark.cl
@pytest.mark.parametrize(
    ("op", "route"),
    [("rope_store+attention", "chain_lanes_attention_f32"), ("down", "gemv_lanes_f32")],
)
def test_a_kernel_with_loops_is_raced_as_it_was_handed_on(
    op: str, route: str, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    chip, work = probe.local_chip("CL"), work_item(op)
    (how,) = legal(work, route, chip, 1)
    assert jobs.prove(route=route, geometry=how[1], seed=1, **as_job(work, chip))["ok"]
    forget(monkeypatch, builds := [])
    ((index, us, _),) = jobs.race(entrants=[how], seed=0, **as_job(work, chip))
    assert index == 0 and us > 0 and builds == []
