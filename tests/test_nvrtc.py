"""NVRTC from PyPI compiles without a GPU: the bytes tinygrad would load, and what ptxas says."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from boltbeam.seam import nvrtc, toolchain
from boltbeam.types import BoltbeamError

HALVES = """#include <cuda_fp16.h>
extern "C" __global__ void __launch_bounds__(32) widen(float* y, half* x) {
  __shared__ float all[32];
  all[threadIdx.x] = __half2float(x[threadIdx.x]);
  __syncthreads();
  y[threadIdx.x] = all[31 - threadIdx.x];
}"""
SPILLS = """extern "C" __global__ void __launch_bounds__(1024) sums(float* y, float* x, int n) {
  float s[96];
  #pragma unroll
  for (int k = 0; k < 96; k++) s[k] = x[k * 1024 + threadIdx.x];
  for (int i = 0; i < n; i++) {
    #pragma unroll
    for (int k = 0; k < 96; k++) s[k] = s[k] * s[(k + 7) % 96] + x[i];
  }
  #pragma unroll
  for (int k = 0; k < 96; k++) y[k * 1024 + threadIdx.x] = s[k];
}"""
LOG = """ptxas info    : 0 bytes gmem
ptxas info    : Compiling entry function 'down' for 'sm_80'
ptxas info    : Function properties for down
ptxas         .     40 bytes stack frame, 24 bytes spill stores, 28 bytes spill loads
ptxas info    : Used 70 registers, used 1 barriers, 3232 bytes smem, 424 bytes cmem[0]
ptxas info    : Compile time = 84.306 ms
"""


@pytest.fixture(scope="module")
def compiler() -> nvrtc.Nvrtc:
    library = nvrtc.wheel()
    if library is None:
        pytest.skip("no NVRTC of PyPI: pip install 'boltbeam[cuda-compile]'")
    return nvrtc.Nvrtc(library)


def test_what_ptxas_says_is_read() -> None:
    found = nvrtc.parse_resources(LOG)
    assert found.model_dump() == {
        "registers": 70,
        "stack_bytes": 40,
        "spill_store_bytes": 24,
        "spill_load_bytes": 28,
        "shared_bytes": 3232,
    }
    assert nvrtc.parse_resources(LOG.replace(", 3232 bytes smem", "")).shared_bytes == 0


@pytest.mark.parametrize(
    "log",
    ["", LOG.replace("registers", "units"), LOG.replace("spill", "moved"), LOG + LOG],
    ids=["empty", "no registers", "no spills", "two kernels"],
)
def test_a_log_that_says_anything_else_is_refused(log: str) -> None:
    with pytest.raises(BoltbeamError, match="ptxas -v names"):
        nvrtc.parse_resources(log)


@given(st.lists(st.sampled_from(LOG.splitlines()), max_size=8))
def test_a_torn_log_is_refused_or_says_the_same(lines: list[str]) -> None:
    try:
        found = nvrtc.parse_resources("\n".join(lines))
    except BoltbeamError:
        return
    assert found == nvrtc.parse_resources(LOG)


def test_a_kernel_compiles_for_every_architecture(compiler: nvrtc.Nvrtc) -> None:
    archs = compiler.archs()
    assert {"sm_75", "sm_80", "sm_90", "sm_120"} <= set(archs)
    for arch in archs:
        assert compiler.cubin(HALVES, arch).startswith(b"\x7fELF")
    found = compiler.resources(HALVES, "sm_90")
    assert found.registers > 0
    assert (found.shared_bytes, found.stack_bytes, found.spill_store_bytes) == (128, 0, 0)


def test_the_same_source_gives_the_same_bytes_and_those_of_tinygrad(
    compiler: nvrtc.Nvrtc,
) -> None:
    from tinygrad.runtime.support.compiler_cuda import NVRTCCompiler

    toolchain.require_compiler("CUDA")
    assert compiler.cubin(HALVES, "sm_90") == compiler.cubin(HALVES, "sm_90")
    if nvrtc.find() != compiler.library:
        pytest.skip("tinygrad uses another NVRTC here than the one from PyPI")
    assert NVRTCCompiler("sm_90", ptx=False).compile(HALVES) == compiler.cubin(HALVES, "sm_90")


def test_a_spill_is_seen(compiler: nvrtc.Nvrtc) -> None:
    found = compiler.resources(SPILLS, "sm_90")
    assert found.registers <= 64
    assert min(found.spill_store_bytes, found.spill_load_bytes, found.stack_bytes) > 0


def test_a_bad_source_and_a_bad_architecture_are_one_line(compiler: nvrtc.Nvrtc) -> None:
    with pytest.raises(BoltbeamError, match=r"sm_90: .*COMPILATION.*error"):
        compiler.cubin("hello", "sm_90")
    with pytest.raises(BoltbeamError, match="sm_13"):
        compiler.cubin(HALVES, "sm_13")


def test_a_library_that_is_none_is_one_line(tmp_path: Path) -> None:
    path = tmp_path / "libnvrtc.so.13"
    path.write_text("not a library")
    with pytest.raises(BoltbeamError, match=r"libnvrtc\.so\.13 does not load"):
        nvrtc.Nvrtc(nvrtc.Library(path))


def test_the_systems_library_comes_before_pypis(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What tinygrad finds by itself is left alone; NVRTC_PATH is the user's word."""
    path = tmp_path / "libnvrtc.so.12"
    path.write_bytes(b"\x7fELF")
    monkeypatch.delenv("NVRTC_PATH", raising=False)
    monkeypatch.setenv("LD_LIBRARY_PATH", str(tmp_path))
    assert nvrtc.find() == nvrtc.Library(path)
    assert nvrtc.environment() == {}
    named = tmp_path / "mine.so"
    named.touch()
    monkeypatch.setenv("NVRTC_PATH", str(named))
    assert nvrtc.find() == nvrtc.Library(named)
    assert nvrtc.environment() == {}
    (tmp_path / "folder").mkdir()
    (tmp_path / "folder" / "libnvrtc.so").write_text("INPUT(-lnvrtc)")  # a linker's script
    (tmp_path / "folder" / "libnvrtc.so.13").write_bytes(b"\x7fELF")
    monkeypatch.setenv("NVRTC_PATH", str(tmp_path / "folder"))
    assert nvrtc.find() == nvrtc.Library(tmp_path / "folder" / "libnvrtc.so.13")


def test_tinygrad_compiles_with_pypis_in_a_fresh_process(compiler: nvrtc.Nvrtc) -> None:
    """Without a toolkit: library, builtins and headers are found through `toolchain` alone."""
    code = (
        "from boltbeam.seam import toolchain; toolchain.require_compiler('CUDA'); "
        "from tinygrad import Tensor, Device; "
        "Tensor.ones(64, device='NULL').cast('half').exp().contiguous().realize(); "
        "print(Device['NULL'].renderer.target.arch)"
    )
    bare = {"PATH": os.environ["PATH"], "PYTHONPATH": os.pathsep.join(p for p in sys.path if p)}
    done = subprocess.run(
        [sys.executable, "-c", code],
        env={**bare, "DEV": "NULL:CUDA:sm_90", "CCACHE": "0", "CACHELEVEL": "0"},
        capture_output=True,
        text=True,
    )
    assert (done.returncode, done.stdout.strip()) == (0, "sm_90"), done.stderr[-2000:]
