"""Runs generated CUDA on this CPU, so that a kernel that shuffles is proved without a GPU.

Takes launches and arrays, gives all outputs. Each thread of a workgroup is a fiber; they take turns
in lockstep: a shuffle or a barrier lets all others get there first, so it must stand where all
threads of the workgroup come by, and one that reads what another has not yet stored reads rubbish.
"""

from __future__ import annotations

import ctypes
import re
import shutil
import subprocess
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from lanes_bench import NUMPY, natural, poison

from boltbeam.emit.core import Launch
from boltbeam.seam import tinygrad_render

COMPILER = shutil.which("g++") or shutil.which("clang++")
RENDERER = "CUDA:sm_90"
PRELUDE = r"""
#include <cmath>
#include <ucontext.h>
#include <vector>
struct half {  // a _Float16 that compilers do not keep as a float
  _Float16 v;
  half() = default;
  half(float f) { volatile _Float16 h = f; v = h; }
  operator float() const { return v; }
};
struct __attribute__((aligned(4))) half2 { half x, y; };
static half2 make_half2(half x, half y) { return {x, y}; }
struct __attribute__((aligned(8))) float2 { float x, y; };
struct __attribute__((aligned(16))) float4 { float x, y, z, w; };
static float2 make_float2(float x, float y) { return {x, y}; }
static float4 make_float4(float x, float y, float z, float w) { return {x, y, z, w}; }
static float __int_as_float(int i) { float f; __builtin_memcpy(&f, &i, 4); return f; }
static float rsqrtf(float x) { return 1.0f / sqrtf(x); }
struct Id { int x, y, z; };
static Id blockIdx, threadIdx;
static int now, threads, turn_no[1024];
static ucontext_t back, fiber[1024];
static void turn() { int me = now; swapcontext(&fiber[me], &back); }
static void __syncthreads() { turn(); }
static char lane_values[2][1024][4];
template <class T> T __shfl_xor_sync(unsigned, T value, int off) {
  int side = turn_no[now]++ & 1, me = now;
  __builtin_memcpy(lane_values[side][me], &value, 4);
  turn();
  T out; __builtin_memcpy(&out, lane_values[side][me ^ off], 4);
  return out;
}
#define __device__ static
#define __forceinline__ inline
#define __global__
#define __launch_bounds__(n)
#define __shared__ static
#define __align__(n) __attribute__((aligned(n)))
"""
DRIVER = r"""
static void **given;
static void body() {
  NAME(ARGUMENTS);
  threads--;
  turn_no[now] = -1;
  swapcontext(&fiber[now], &back);
}
extern "C" void run(void **arguments, int grid, int lanes, int groups) {
  given = arguments;
  std::vector<std::vector<char>> stacks(lanes * groups, std::vector<char>(1 << 16));
  for (int b = 0; b < grid; b++) {
    blockIdx = {b, 0, 0};
    threads = lanes * groups;
    for (int t = 0; t < lanes * groups; t++) {
      turn_no[t] = 0;
      getcontext(&fiber[t]);
      fiber[t].uc_stack.ss_sp = stacks[t].data();
      fiber[t].uc_stack.ss_size = stacks[t].size();
      fiber[t].uc_link = &back;
      makecontext(&fiber[t], body, 0);
    }
    while (threads)
      for (now = 0; now < lanes * groups; now++)
        if (turn_no[now] >= 0) {
          threadIdx = {now % lanes, now / lanes, 0};
          swapcontext(&back, &fiber[now]);
        }
  }
}
"""


def execute(
    launches: tuple[Launch, ...], arrays: Mapping[str, Any], folder: Path
) -> dict[str, np.ndarray[Any, Any]]:
    """All outputs by buffer name; buffers that `arrays` does not hold start poisoned."""
    held: dict[str, np.ndarray[Any, Any]] = {}
    for n, launch in enumerate(launches):
        bufs = (*launch.outs, *launch.ins)
        for b in bufs:
            if b.name not in held:
                a = natural(b, arrays[b.name]) if b.name in arrays else poison(b)
                assert a.size == b.size, (b, a.size)
                held[b.name] = _aligned(a)
        _run(launch, [held[b.name] for b in bufs], folder / f"launch{n}")
    return {b.name: held[b.name].view(NUMPY[b.dtype]) for x in launches for b in x.outs}


def _aligned(a: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    room = np.zeros(a.nbytes + 256, np.uint8)
    at = -room.ctypes.data % 256
    room[at : at + a.nbytes] = a.view(np.uint8)
    return room[at : at + a.nbytes].view(a.dtype)


def _run(launch: Launch, buffers: list[np.ndarray[Any, Any]], stem: Path) -> None:
    assert COMPILER
    text = tinygrad_render.render(launch, RENDERER)
    found = dict(re.findall(r"(\w+Idx\.[xy]); /\* (\d+) \*/", text))
    grid, lanes, groups = (
        int(found.get(k, 1)) for k in ("blockIdx.x", "threadIdx.x", "threadIdx.y")
    )
    name, kinds = re.findall(r"(\w+)\(((?:\w+\* \w+(?:, )?)+)\) \{", text)[-1]
    types = [k.split("*")[0] for k in kinds.split(", ")]
    given = ", ".join(f"({t}*)given[{i}]" for i, t in enumerate(types))
    text = re.sub(r'asm volatile\("griddep.*?;" ::: "memory"\);', "", text)
    text = re.sub(r'float y; asm\("ex2.*?\); return y;', "return exp2f(x);", text)
    text = text.replace("#include <cuda_fp16.h>", "")
    assert "asm" not in text
    driver = DRIVER.replace("NAME", name).replace("ARGUMENTS", given)
    source, library = stem.with_suffix(".cpp"), stem.with_suffix(".so")
    source.write_text(PRELUDE + text + driver, encoding="utf-8")
    subprocess.run(
        [COMPILER, "-std=c++17", "-O1", "-w", "-shared", "-fPIC", "-o", library, source], check=True
    )
    pointers = (ctypes.c_void_p * len(buffers))(*(b.ctypes.data for b in buffers))
    ctypes.CDLL(str(library)).run(pointers, grid, lanes, groups)
