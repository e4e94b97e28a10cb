"""The probe's kernels compute what they say, its facts name silicon, its rates are physical."""

from __future__ import annotations

import platform
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from boltbeam.chip import chip_facts, probe, probe_bench, probe_findings
from boltbeam.chip import probe_instructions as instructions
from boltbeam.chip import probe_kernels as kernels
from boltbeam.chip.probe_kernels import Shape
from boltbeam.emit.core import Launch
from boltbeam.seam import nvrtc, tinygrad_render, toolchain
from boltbeam.seam import tinygrad_adapter as tg
from boltbeam.types import ChipFacts, Fact, Measured, NoDevice, Point

SHAPES = [
    pytest.param("CPU", Shape(16), id="rows"),
    pytest.param("CL", Shape(4, 4, 8), id="lanes", marks=pytest.mark.cl),
    pytest.param("CL", Shape(2, 4, 8, 4), id="vectors", marks=pytest.mark.cl),
    pytest.param("CL", Shape(2, 4, 8, 2, "group"), id="chunks", marks=pytest.mark.cl),
    pytest.param("CL", Shape(2, 4, 8, 4, "tile"), id="tiles", marks=pytest.mark.cl),
    pytest.param("CL", Shape(16, 2, 1, order="thread"), id="threads", marks=pytest.mark.cl),
]
NEEDED = {
    "read_gbps",
    "copy_gbps",
    "cached_gbps",
    "latency_ns",
    "toll_us",
    "dispatch_us",
    "fp32_fma_tops",
    "fma_chain_ns",
    "unpack_gwps",
    "sum_chain_ns",
}
OTHERS = {"fp16_fma_tops", "dot4_tops", "convert_tops", "shift_tops", "level1_gbps"}
CHIP = ChipFacts(id="t", name="t", device="CPU")


def run(
    launch: Launch, device: str, bounds: tuple[int, ...], **arrays: np.ndarray[Any, Any]
) -> np.ndarray[Any, Any]:
    given = {**arrays, "bounds": np.array([*bounds, 1, 0][:3], np.int32)}
    outs = [tg.empty(b, device) for b in launch.outs]
    after = tg.call(launch, [*outs, *(tg.upload(given[b.name], device) for b in launch.ins)])
    tg.realize(after)
    return np.asarray(outs[0].numpy())


@pytest.mark.parametrize(("device", "shape"), SHAPES)
def test_read_sums_every_element_once_per_pass(device: str, shape: Shape) -> None:
    x = np.arange(1024, dtype=np.float32)
    trips = 1024 // shape.step
    assert run(kernels.read(shape, 1024), device, (trips, 1), x=x).sum() == x.sum()
    if not shape.rows_form:
        again = run(kernels.read(shape, 1024, rotate=True), device, (trips, 3), x=x)
        assert again.sum() == 3 * x.sum()


@pytest.mark.parametrize(("device", "shape"), SHAPES)
def test_a_window_begins_where_it_should_and_never_leaves_the_array(
    device: str, shape: Shape
) -> None:
    x = np.arange(1024, dtype=np.float32)
    launch = kernels.read(shape, 1024, window=True)
    part = x[shape.step : 2 * shape.step]
    assert run(launch, device, (1, 1, 1), x=x).sum() == part.sum()
    whole = kernels.read(shape, 1024)
    assert run(whole, device, (1 << 30, 1), x=x).sum() == x.sum()
    assert run(whole, device, (-5, 1), x=x).sum() == 0


@pytest.mark.parametrize(("device", "shape"), SHAPES)
def test_copy_and_fill_touch_every_element(device: str, shape: Shape) -> None:
    x = np.random.default_rng(0).standard_normal(1024, dtype=np.float32)
    trips = (1024 // shape.step,)
    assert (run(kernels.copy(shape, 1024), device, trips, x=x) == x).all()
    filled = run(kernels.fill(shape, 1024), device, trips)
    np.testing.assert_allclose(filled, np.arange(1024) * 1e-3, rtol=1e-6)


@pytest.mark.parametrize(("device", "shape"), SHAPES)
def test_arithmetic_kernels_do_their_trips(device: str, shape: Shape) -> None:
    cd = np.array([1.0, 2.0], np.float32)
    each = shape.lanes * shape.words
    got = run(instructions.multiply_add(shape), device, (50,), cd=cd)
    assert (got == 100 * each).all()
    word = np.array([0x01020304], np.int32)
    got = run(instructions.dot4(shape, intrinsic=False), device, (2,), word=word)
    assert (got == 25 * each).all()  # 1 + 4 * 1 = 5, then 5 + 4 * 5
    first = np.array([1.0], np.float32)
    bits = np.float32(np.float32(1.0).view(np.int32))
    got = run(instructions.convert(shape), device, (1,), first=first)
    np.testing.assert_allclose(got, float(bits) * each, rtol=1e-6)
    words = np.array([1 << 20, 2], np.uint32)
    assert (run(instructions.shift(shape), device, (3,), words=words) == (1 << 14) * each).all()
    if tg.has_half(device):
        halves = np.array([1.0, 2.0], np.float16)
        got = run(instructions.multiply_add(shape, "f16"), device, (5,), cd=halves)
        assert (got == 10 * each).all()


@pytest.mark.parametrize(("device", "shape"), [p for p in SHAPES if p.id in ("rows", "lanes")])
def test_unpack_multiplies_every_byte(device: str, shape: Shape) -> None:
    n = 256
    w, x = np.arange(n, dtype=np.uint8), np.full(n, 0.5, np.float32)
    width = n // (shape.lanes * shape.threads)
    got = run(instructions.unpack(shape, n), device, (width, 3), w=w, x=x)
    assert got.sum() == 3 * 0.5 * w.sum() * max(1, shape.groups)


@pytest.mark.parametrize("device", ["CPU", pytest.param("CL", marks=pytest.mark.cl)])
def test_chase_follows_the_chain(device: str) -> None:
    order = np.random.default_rng(1).permutation(64)
    index = np.zeros(64, np.int32)
    index[order] = np.roll(order, -1)
    at = 0
    for _ in range(40):
        at = int(index[at])
    shape = Shape(1) if device == "CPU" else Shape(1, 1, 1)
    assert run(kernels.chase(shape, 64), device, (40,), next=index)[0] == at


@pytest.mark.parametrize("target", ["CUDA:sm_90", "METAL", "HIP:gfx1100"])
@pytest.mark.parametrize("order", ["strided", "tile", "group"])
def test_every_kernel_renders_for_gpus(target: str, order: str) -> None:
    """32-bit indices over 4 GB, and loads as wide as the shape says."""
    shape, n = Shape(4, 528, 256, 4, order), 1 << 30
    text = tinygrad_render.render(kernels.read(shape, n), target)
    assert "float4" in text and "(long)" not in text
    for launch in (
        kernels.read(shape, n, rotate=True),
        kernels.copy(shape, n),
        kernels.fill(shape, n),
        kernels.chase(Shape(1, 1, 1), 1 << 24),
        instructions.multiply_add(shape),
        instructions.multiply_add(shape, "f16"),
        instructions.unpack(shape, 4096),
        instructions.dot4(shape, intrinsic=target.startswith("CUDA")),
        instructions.convert(shape),
        instructions.shift(shape),
    ):
        assert launch.name in tinygrad_render.render(launch, target)


def test_a_shape_reads_its_own_text() -> None:
    for shape in (Shape(16), Shape(4, 8, 32), Shape(2, 8, 32, 4, "group")):
        assert Shape.parse(str(shape)) == shape
    assert Shape(4, 8, 32, 4).in_flight == 4 * 8 * 32 * 4 * 4 and Shape(16).in_flight is None


def test_a_slope_leaves_the_launch_out_and_outlasts_disturbance() -> None:
    """A launch of 50 us and 2 us per unit; every third batch is held up."""
    rng = np.random.default_rng(0)

    def batch(units: int) -> float:
        held_up = 400.0 if rng.random() < 0.5 else 0.0
        return 50 + 2 * units + held_up * rng.random()

    slope = probe_bench.slope_of(lambda: batch(10), lambda: batch(110), 100, 5)
    assert slope is not None and slope.ns == pytest.approx(2000, rel=0.1)
    assert probe_bench.slope_of(lambda: 50.0, lambda: 50.0, 100, 5) is None


def test_cpu_facts_name_silicon_not_the_host() -> None:
    facts = chip_facts.facts("CPU")
    assert re.fullmatch(r"cpu-[a-z0-9-]+-[a-z0-9_]+-\d+c", facts.id)
    host = platform.node().lower()
    assert not host or (host not in facts.id and host not in facts.name.lower())
    assert facts.get("workgroups") is False and facts.get("simd_width") in (4, 8, 16)
    assert all(
        f.source for name in type(facts).model_fields if (f := getattr(facts, name, None))
        and hasattr(f, "source")
    )  # fmt: skip
    assert facts.measured == {} and facts.rate("read_gbps") is None


@pytest.mark.cl
def test_cl_facts_are_read_from_the_driver() -> None:
    device, why = chip_facts.open_device("cl")
    facts = chip_facts.facts(device)
    assert (device, why) == ("CL", "") and facts.id.startswith("cl-")
    for name in ("max_threads", "local_bytes", "units", "memory_bytes", "cache_bytes"):
        assert facts.get(name) > 0
    assert facts.get("workgroups") is True


def test_last_level_cache_from_sysfs(tmp_path: Path) -> None:
    for i, (kind, level, size) in enumerate(
        [("Data", 1, "48K"), ("Instruction", 1, "32K"), ("Unified", 3, "32768K"), ("x", 2, "??")]
    ):
        index = tmp_path / f"index{i}"
        index.mkdir()
        for name, value in (("type", kind), ("level", level), ("size", size)):
            (index / name).write_text(f"{value}\n")
    (tmp_path / "index9").mkdir()
    assert chip_facts.cache_bytes(tmp_path) == 32 << 20
    assert chip_facts.cache_bytes(tmp_path / "nothing") is None


def test_a_missing_device_is_one_line(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(device: str) -> Any:
        raise {"NV": StopIteration(), "CUDA": RuntimeError("no driver\nlong story")}[device]

    monkeypatch.setattr(tg, "open_device", broken)
    chip_facts._problem.cache_clear()
    with pytest.raises(NoDevice) as e:
        chip_facts.open_device("nv")
    assert e.value.exit_code == 3 and "\n" not in str(e.value)
    assert "NV: StopIteration" in str(e.value) and "CUDA: RuntimeError no driver" in str(e.value)
    chip_facts._problem.cache_clear()


def test_nv_falls_back_to_cuda_and_says_why(monkeypatch: pytest.MonkeyPatch) -> None:
    def only_cuda(device: str) -> Any:
        if device == "NV":
            raise StopIteration

    monkeypatch.setattr(tg, "open_device", only_cuda)
    chip_facts._problem.cache_clear()
    assert chip_facts.open_device("nv") == ("CUDA", "NV: StopIteration")
    chip_facts._problem.cache_clear()


@pytest.fixture(scope="module")
def here() -> ChipFacts:
    """This CPU, probed as before a search."""
    return probe.measured_chip("CPU")


def test_probe_of_this_cpu_is_physical(here: ChipFacts) -> None:
    assert set(here.measured) >= NEEDED | OTHERS
    for key, m in here.measured.items():
        assert m.value > 0 and m.how and m.unit and re.fullmatch(r"\d{4}-\d\d-\d\d", m.date), key
        assert "slope" in m.how or "change point" in m.how or key == "dispatch_us", key
    rate = {k: m.value for k, m in here.measured.items()}
    assert 0.5 < rate["read_gbps"] < 1000
    assert rate["cached_gbps"] > 0.8 * rate["read_gbps"]
    assert 0.1 < rate["fma_chain_ns"] < 20
    # one accumulator is slower than many: a multiply-add counts two
    assert rate["fp32_fma_tops"] > 2 * 2 / rate["fma_chain_ns"] / 1e3
    assert 1 < rate["latency_ns"] < 5000
    # a block of 32 weights, in a GEMV that is at most as fast as the best one
    assert rate["sum_chain_ns"] >= 0.9 * 32 / rate["unpack_gwps"]


def test_sweeps_say_why_they_ended_and_keep_their_points(here: ChipFacts) -> None:
    read = here.measured["read_gbps"]
    assert "plateau" in read.how or "before a plateau" in read.how
    geometries = [p for p in read.points if ", " not in p.at]
    assert len(geometries) >= 2 and len({p.at for p in geometries}) == len(geometries)
    assert all(p.value > 0 and p.spread is not None for p in read.points)
    curve = here.measured["level1_gbps"].points
    assert len(curve) > 15


def test_the_cold_part_measures_both_ways(here: ChipFacts) -> None:
    found = probe.measure_part("cold", here)
    assert {"cold_gbps", "warm_gbps"} <= set(found)
    assert found["warm_gbps"].value > 0.8 * found["cold_gbps"].value
    notes = probe_findings.notes(here.model_copy(update={"measured": {**here.measured, **found}}))
    assert any(n.startswith("Cold is ") for n in notes)


# ---- what the numbers say ----------------------------------------------------------------------


def m(value: float, spread: float = 0.01, points: tuple[Point, ...] = ()) -> Measured:
    return Measured(value=value, unit="u", how="h", spread=spread, date="2026-11-29", points=points)


def with_rates(**rates: Measured) -> ChipFacts:
    return CHIP.model_copy(update={"measured": rates})


def test_littles_law_counts_what_geometries_supply() -> None:
    points = (
        Point(at="lanes=1", value=900, in_flight=1e6),
        Point(at="lanes=8", value=4400, in_flight=8e6),
        Point(at="1 to 2 MB, lanes=8", value=4450, in_flight=8e6),
    )
    chip = with_rates(read_gbps=m(4400, points=points), latency_ns=m(500))
    assert probe_findings.bytes_needed(chip) == pytest.approx(2.2e6)
    note, *rest = probe_findings.notes(chip)
    assert rest == [
        "Cold is undecided: the cache's size is not known.",
        "Dirty lines are undecided: reads behind sweeps were not timed.",
    ]
    assert "2.2 MB must be in flight" in note
    assert "2 geometries (lanes=8) supplies at most 8 MB" in note and "1 supply less" in note
    rows = probe_findings.points(chip)
    assert [r["Little GB/s"] for r in rows] == [2000, 4400, 4400]
    assert probe_findings.notes(CHIP) == ()


@pytest.mark.parametrize(
    ("share", "spread", "proven", "says"),
    [
        (0.97, 0.01, True, "Cold is proven"),
        (1.03, 0.01, True, "Cold is proven"),
        (1.3, 0.01, False, "Cold is NOT proven"),
        (1.3, 0.2, None, "Cold is undecided (disturbed by 40%)"),
    ],
)
def test_a_rotation_that_beats_the_memory_is_not_cold(
    share: float, spread: float, proven: bool | None, says: str
) -> None:
    chip = with_rates(read_gbps=m(100, spread), cold_gbps=m(100 * share, spread), warm_gbps=m(300))
    found = probe_findings.cold(chip)
    assert found is not None and found.proven is proven
    note = probe_findings.notes(chip)[0]
    assert says in note and "300 GB/s" in note
    same = chip.model_copy(update={"measured": {**chip.measured, "warm_gbps": m(101)}})
    blind = probe_findings.cold(same)
    assert blind is not None and blind.proven is None


def test_a_machine_that_was_not_rested_is_said_so() -> None:
    *_, note = probe_findings.notes(with_rates(read_gbps=m(40, 0.3), copy_gbps=m(40, 0.1)))
    assert note.startswith("Not rested: the spread of read_gbps is above 15%")


def test_dirty_lines_are_said_with_their_cost() -> None:
    def says(reads: float, stores: float, spread: float = 0.01, turned: float = 0.0) -> str:
        rates = {"after_reads_gbps": m(reads, spread), "after_stores_gbps": m(stores, spread)}
        rates |= {"cold_gbps": m(turned, spread)} if turned else {}
        said = probe_findings.notes(with_rates(read_gbps=m(40, spread), **rates))
        return next(n for n in said if n.startswith("Dirty lines"))

    assert "ours leaves none. Behind" in says(40, 20) and "GB/s: 2 times as long" in says(40, 20)
    assert "no difference within the spread" in says(40, 39.5)
    assert "whether reads leave any is undecided. Behind" in says(30, 20)
    assert "as fast as the rotation, in which nothing stores (30.5 GB/s), so ours leaves none" in (
        says(30, 20, turned=30.5)
    )
    assert "whether reads leave any is undecided. Behind" in says(30, 20, turned=31)
    rates = {"after_reads_gbps": m(20), "after_stores_gbps": m(20), "cold_gbps": m(39, 0.6)}
    said = probe_findings.notes(with_rates(read_gbps=m(40), **rates))
    assert "whether reads leave any is undecided" in next(n for n in said if "Dirty" in n)
    assert "undecided (disturbed by 60%)" in says(40, 20, 0.3)


def test_a_cache_is_as_large_as_a_probe_found_it() -> None:
    assert with_rates(read_gbps=m(40)).cold_cache_bytes == CHIP.cold_cache_bytes
    declared = CHIP.model_copy(update={"cache_bytes": Fact(value=32 << 20, source="test")})
    assert declared.cold_cache_bytes == 32 << 20

    def found(size: float) -> int | None:
        edges = {"level1_bytes": m(50e3, 0.2), "level4_bytes": m(size, 0.2)}
        return declared.model_copy(update={"measured": edges}).cold_cache_bytes

    assert found(56e6) == int(56e6 * 1.2) and found(20e6) == 32 << 20


def test_unmeasured_facts_have_no_rates() -> None:
    assert probe.local_chip("CPU").measured == {}


def test_the_matrix_unit_is_fed_from_registers() -> None:
    """As many products in a trip as accumulators, no spills; no device of CI has one to run it."""
    from tinygrad import dtypes
    from tinygrad.codegen.opt import tc

    units = tc.get_cuda("sm_90")
    unit = next(u for u in units if (u.dtype_in, u.dtype_out) == (dtypes.half, dtypes.float))
    texts = {
        lanes: tinygrad_render.render(instructions.matrix(Shape(lanes, 264, 256), unit), "CUDA")
        for lanes in (4, 16)
    }
    for lanes, text in texts.items():
        before, _, trip = text.partition("for (")
        assert trip.count("= __WMMA_8_16_16_half_float(") == lanes
        assert "mma.sync.aligned.m16n8k16" in text
        # words of its own for each thread of a SIMD group; no two accumulators begin as one
        assert "(lidx0&31)*12" in before and "data2" not in trip
        begin = re.findall(r"\*\(buf0\+\d+\) = (\d+)\.0f", before)
        assert len(set(begin)) == len(begin) == 4 * lanes
    library = nvrtc.wheel()
    if library is None or library.include is None:
        pytest.skip("no NVRTC of PyPI: pip install 'boltbeam[cuda-compile]'")
    for lanes, text in texts.items():
        needs = nvrtc.Nvrtc(library).resources(text, "sm_90")
        assert needs.spill_store_bytes == 0 and 4 * lanes + 6 <= needs.registers < 4 * lanes + 32


def fragments(ab: np.ndarray[Any, Any]) -> tuple[np.ndarray[Any, Any], np.ndarray[Any, Any]]:
    """A (16 x 16) and B (16 x 8) of mma.m16n8k16 from the 8 and 4 words of each of 32 lanes."""
    a, b = np.zeros((16, 16)), np.zeros((16, 8))
    for lane, words in enumerate(ab.reshape(32, 12)):
        group, first = lane // 4, lane % 4 * 2
        for i, word in enumerate(words[:8]):
            a[group + 8 * (i // 2 % 2), first + i % 2 + 8 * (i // 4)] = word
        for i, word in enumerate(words[8:]):
            b[first + i % 2 + 8 * (i // 2), group] = word
    return a, b


def test_fragments_fill_both_matrices() -> None:
    a, b = fragments(np.arange(1, 385))
    assert sorted([*a.reshape(-1), *b.reshape(-1)]) == list(range(1, 385))


@pytest.mark.device
def test_the_matrix_unit_multiplies_and_has_a_rate() -> None:
    """What a SIMD group leaves is the sum of its products; the rate is that of a matrix unit."""
    toolchain.require_compiler("CUDA")
    device, shape, trips = "CUDA", Shape(4, 8, 64), 5
    chip_facts.require(device)
    unit = tg.matrix_unit(device)
    assert unit is not None
    ab = np.random.default_rng(0).integers(-2, 3, 384).astype(np.float16)
    got = run(instructions.matrix(shape, unit), device, (trips,), ab=ab)
    a, b = fragments(ab)
    want = shape.lanes * trips * (a @ b).sum() + 32 * sum(range(4 * shape.lanes))
    assert (got.reshape(-1, 32).sum(axis=1) == want).all()
    chip = probe.local_chip(device)
    found = probe.measure_part("arithmetic", chip) | probe.measure_part("matrix", chip)
    rate = {k: m.value for k, m in found.items()}
    assert 1.2 < rate["matrix_tops"] / rate["fp32_fma_tops"] < 64


@pytest.mark.parametrize("device", ["CPU", pytest.param("CL", marks=pytest.mark.cl)])
def test_no_matrix_unit_here(device: str) -> None:
    assert tg.matrix_unit(device) is None
