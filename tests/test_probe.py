"""The probe's kernels compute what they say, its facts name silicon, its rates are physical."""

from __future__ import annotations

import platform
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from boltbeam import chip_facts, probe
from boltbeam import probe_kernels as kernels
from boltbeam import tinygrad_adapter as tg
from boltbeam.emit.core import Launch
from boltbeam.probe_kernels import Shape
from boltbeam.types import NoDevice

SHAPES = [
    pytest.param("CPU", Shape(16), id="rows"),
    pytest.param("CL", Shape(4, 4, 8), id="lanes", marks=pytest.mark.cl),
    pytest.param("CL", Shape(16, 2, 1, True), id="blocked", marks=pytest.mark.cl),
]
KEYS = {
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


def run(launch: Launch, device: str, **arrays: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    outs = [tg.empty(b, device) for b in launch.outs]
    after = tg.call(launch, [*outs, *(tg.upload(arrays[b.name], device) for b in launch.ins)])
    tg.realize(after)
    return np.asarray(outs[0].numpy())


@pytest.mark.parametrize(("device", "shape"), SHAPES)
def test_read_sums_every_element_once(device: str, shape: Shape) -> None:
    x = np.arange(1024, dtype=np.float32)
    assert run(kernels.read(shape, 1024), device, x=x).sum() == x.sum()


@pytest.mark.parametrize(("device", "shape"), SHAPES)
def test_copy_copies_every_element(device: str, shape: Shape) -> None:
    x = np.random.default_rng(0).standard_normal(1024, dtype=np.float32)
    assert (run(kernels.copy(shape, 1024), device, x=x) == x).all()


@pytest.mark.parametrize(("device", "shape"), SHAPES)
def test_arithmetic_kernels_do_their_trips(device: str, shape: Shape) -> None:
    cd = np.array([1.0, 2.0], np.float32)
    got = run(kernels.multiply_add(shape, 50), device, cd=cd)
    assert (got == 100 * shape.lanes).all()
    n = 256
    w, x = np.arange(n, dtype=np.uint8), np.full(n, 0.5, np.float32)
    got = run(kernels.unpack(shape, n, 3), device, w=w, x=x)
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
    assert run(kernels.chase(shape, 64, 40), device, next=index)[0] == at


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


def test_probe_of_this_cpu_is_physical() -> None:
    facts = probe.measured_chip("CPU")
    assert set(facts.measured) == KEYS
    for key, m in facts.measured.items():
        assert m.value > 0 and m.how and m.unit and re.fullmatch(r"\d{4}-\d\d-\d\d", m.date), key
    rate = {k: m.value for k, m in facts.measured.items()}
    assert 0.5 < rate["read_gbps"] < 1000
    assert rate["cached_gbps"] > 0.8 * rate["read_gbps"]
    assert 0.1 < rate["fma_chain_ns"] < 20
    # one accumulator is slower than many: a multiply-add counts two
    assert rate["fp32_fma_tops"] > 2 * 2 / rate["fma_chain_ns"] / 1e3
    assert 1 < rate["latency_ns"] < 5000
    # a block of 32 weights, in a GEMV that is at most as fast as the best one
    assert rate["sum_chain_ns"] >= 0.9 * 32 / rate["unpack_gwps"]


def test_unmeasured_facts_have_no_rates() -> None:
    assert probe.local_chip("CPU").measured == {}
