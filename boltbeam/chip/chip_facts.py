"""The facts of the chip in this machine, as its drivers declare them.

Takes an alias (`cpu`, `cl`, `nv`, …), opens the device and gives ChipFacts without measurements.
Never guesses: what no driver tells stays None. Ids name silicon, never a host.
"""

from __future__ import annotations

import ctypes
import math
import os
import platform
import re
import sqlite3
import subprocess
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

from boltbeam.predict import chips
from boltbeam.seam import tinygrad_adapter as tg
from boltbeam.seam import tinygrad_cuda_graph
from boltbeam.types import ChipFacts, Fact, NoDevice


def open_device(alias: str) -> tuple[str, str]:
    """(tinygrad device that opened, why not a better one or ''). Raises NoDevice in one line."""
    reasons: list[str] = []
    for device in chips.resolve(alias) or (alias.upper(),):
        problem = _problem(device)
        if problem is None:
            return device, "; ".join(reasons)
        reasons.append(f"{device}: {problem}")
    hint = "; install pocl-opencl-icd for OpenCL on a CPU" if alias.lower() == "cl" else ""
    raise NoDevice(f"no {alias} device here ({'; '.join(reasons)}){hint}")


def require(device: str) -> None:
    """Open a tinygrad device. Raises NoDevice in one line."""
    problem = _problem(device)
    if problem is not None:
        raise NoDevice(f"{device} does not open: {problem}")


@cache
def _problem(device: str) -> str | None:
    """Why the device does not open, in a few words; None: it did."""
    try:
        tg.open_device(device)
    except (subprocess.CalledProcessError, sqlite3.Error):
        raise  # a compiler that fails, a full disk: the device may well be here
    except Exception as e:  # every runtime fails in its own way, StopIteration among them
        lines = str(e).strip().splitlines()
        return f"{type(e).__name__} {lines[0][:120]}".strip() if lines else type(e).__name__
    return None


def facts(device: str) -> ChipFacts:
    """Declared facts of an opened tinygrad device."""
    kinds: dict[str, Callable[[str], ChipFacts]] = {
        "CPU": _cpu,
        "CL": _cl,
        "CUDA": _cuda,
        "NV": _nv,
    }
    return kinds.get(device.split(":")[0], _renderer_only)(device)


def _fact(value: Any, source: str) -> Fact | None:
    return None if value is None else Fact(value=value, source=source)


def slug(text: str) -> str:
    """Lower-case words joined by hyphens: fit for an id."""
    return re.sub(r"[^a-z0-9]+", "-", text.lower()).strip("-")


# ---- CPU -------------------------------------------------------------------------------------

ISAS = (("avx512f", "avx512", 16), ("avx2", "avx2", 8), ("sse2", "sse2", 4))
"""Flag in /proc/cpuinfo -> name in the id, fp32 lanes of one vector."""
VENDORS = {"GenuineIntel": "intel", "AuthenticAMD": "amd", "0x41": "arm", "0x61": "apple"}


def _cpu(device: str) -> ChipFacts:
    info = cpu_info()
    machine = {"amd64": "x86_64", "aarch64": "arm64"}.get(m := platform.machine().lower(), m)
    flags = info.get("flags", info.get("Features", "")).split()
    name, lanes = next(((n, w) for flag, n, w in ISAS if flag in flags), (machine, None))
    if machine == "arm64":
        name, lanes = "neon", 4
    vendor = info.get("vendor_id") or info.get("CPU implementer") or platform.system()
    vendor = VENDORS.get(vendor, slug(vendor))
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    return ChipFacts(
        id=f"cpu-{vendor}-{name}-{cores}c",
        name=info.get("model name") or platform.processor() or machine,
        device=device,
        arch=machine,
        simd_width=_fact(lanes, f"{name}: fp32 lanes of a vector register"),
        load_bits=_fact(lanes and lanes * 32, f"{name}: width of a vector register"),
        cache_bytes=_fact(cache_bytes(), "sysfs: largest cache of core 0"),
        units=_fact(cores, "cores this process may use (tinygrad's CPU device uses one)"),
        memory_bytes=_fact(_memory_bytes(), "sysconf: physical pages"),
        workgroups=_fact(False, "tinygrad's CPU device runs one thread"),
        shuffle=_fact(False, "no SIMD groups in the rows form"),
        dot4=_fact(False, "clang makes no int8 dot product of tinygrad's C"),
        half=_fact(True, "clang converts halves exactly, subnormals included"),
    )


@cache
def cpu_info() -> dict[str, str]:
    """First processor of /proc/cpuinfo; empty on other systems."""
    out: dict[str, str] = {}
    try:
        text = Path("/proc/cpuinfo").read_text(encoding="utf-8")
    except OSError:
        return out
    for line in text.split("\n\n")[0].splitlines():
        key, _, value = line.partition(":")
        out[key.strip()] = value.strip()
    return out


def cache_bytes(root: Path = Path("/sys/devices/system/cpu/cpu0/cache")) -> int | None:
    """Size of the last-level cache; None where the system does not tell."""
    found: list[tuple[int, int]] = []
    for index in sorted(root.glob("index*")):
        try:
            kind, level, size = ((index / f).read_text().strip() for f in ("type", "level", "size"))
        except OSError:
            continue
        unit = {"K": 1 << 10, "M": 1 << 20, "G": 1 << 30}.get(size[-1:], 0)
        if kind != "Instruction" and unit:
            found.append((int(level), int(size[:-1]) * unit))
    return max(found)[1] if found else None


def _memory_bytes() -> int | None:
    try:
        return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (AttributeError, OSError, ValueError):
        return None


# ---- GPUs and OpenCL ---------------------------------------------------------------------------


def _cl(device: str) -> ChipFacts:
    from tinygrad.runtime.autogen import opencl as cl

    dev = tg.open_device(device)

    def text(key: int) -> str:
        buf = ctypes.create_string_buffer(1024)
        cl.clGetDeviceInfo(dev.cl_dev, key, 1024, buf, None)
        return buf.value.decode(errors="replace")

    def number(key: int, kind: type[Any]) -> int | None:
        value = kind()
        status = cl.clGetDeviceInfo(
            dev.cl_dev, key, ctypes.sizeof(value), ctypes.byref(value), None
        )
        return int(value.value) or None if status == 0 else None

    u32, u64, size = ctypes.c_uint32, ctypes.c_uint64, ctypes.c_size_t
    on_cpu = bool((number(cl.CL_DEVICE_TYPE, u64) or 0) & cl.CL_DEVICE_TYPE_CPU)
    is_pocl = "pocl" in text(cl.CL_DEVICE_VERSION).lower()
    units = number(cl.CL_DEVICE_MAX_COMPUTE_UNITS, u32)
    cache_size = number(cl.CL_DEVICE_GLOBAL_MEM_CACHE_SIZE, u64)
    if on_cpu:
        cache_size = cache_bytes() or cache_size
    width = _cl_width(dev) if not on_cpu else number(cl.CL_DEVICE_NATIVE_VECTOR_WIDTH_FLOAT, u32)
    platform_name = "pocl" if is_pocl else slug(text(cl.CL_DEVICE_VENDOR))
    name = re.sub(r"^(cpu-)?(pthread-)?", "", text(cl.CL_DEVICE_NAME))
    return ChipFacts(
        id=f"cl-{platform_name}-{slug(name)}-{units}cu",
        name=text(cl.CL_DEVICE_NAME),
        device=device,
        simd_width=_fact(width, "OpenCL: native vector width or preferred multiple"),
        load_bits=_fact(128, "OpenCL: vectors of four 32-bit words"),
        max_threads=_fact(number(cl.CL_DEVICE_MAX_WORK_GROUP_SIZE, size), "clGetDeviceInfo"),
        local_bytes=_fact(number(cl.CL_DEVICE_LOCAL_MEM_SIZE, u64), "clGetDeviceInfo"),
        cache_bytes=_fact(cache_size, "sysfs" if on_cpu else "clGetDeviceInfo"),
        units=_fact(units, "clGetDeviceInfo: compute units"),
        memory_bytes=_fact(number(cl.CL_DEVICE_GLOBAL_MEM_SIZE, u64), "clGetDeviceInfo"),
        workgroups=_fact(True, "OpenCL execution model"),
        imitated=_fact(on_cpu, "CL_DEVICE_TYPE: a CPU runs the threads of a workgroup in turn"),
        shuffle=_fact(False, "no sub-group shuffle through tinygrad's OpenCL renderer"),
        dot4=_fact(False, "no integer dot product through tinygrad's OpenCL renderer"),
        half=_fact("cl_khr_fp16" in dev.device_exts, "cl_khr_fp16 (tinygrad flushes without it)"),
    )


def _cl_width(dev: Any) -> int | None:
    """CL_DEVICE_PREFERRED_WORK_GROUP_SIZE_MULTIPLE (OpenCL 3.0); None before."""
    from tinygrad.runtime.autogen import opencl as cl

    value = ctypes.c_size_t()
    status = cl.clGetDeviceInfo(dev.cl_dev, 0x1067, 8, ctypes.byref(value), None)
    return int(value.value) or None if status == 0 else None


def _cuda(device: str) -> ChipFacts:
    from tinygrad.runtime.autogen import cuda

    dev = tg.open_device(device)
    index = int(device.partition(":")[2] or 0)

    def number(name: str) -> int | None:
        value = ctypes.c_int()
        key = getattr(cuda, f"CU_DEVICE_ATTRIBUTE_{name}")
        return (
            int(value.value)
            if cuda.cuDeviceGetAttribute(ctypes.byref(value), key, index) == 0
            else None
        )

    text = ctypes.create_string_buffer(256)
    cuda.cuDeviceGetName(text, 256, index)
    total = ctypes.c_size_t()
    cuda.cuDeviceTotalMem_v2(ctypes.byref(total), index)
    arch = str(dev.renderer.target.arch)
    found = _nvidia(
        device,
        text.value.decode(errors="replace"),
        arch,
        number("MULTIPROCESSOR_COUNT"),
        "CUDA driver",
        cache_bytes=_fact(number("L2_CACHE_SIZE"), "CUDA driver: L2"),
        max_threads=_fact(number("MAX_THREADS_PER_BLOCK"), "CUDA driver"),
        local_bytes=_fact(number("MAX_SHARED_MEMORY_PER_BLOCK"), "CUDA driver: static limit"),
        memory_bytes=_fact(int(total.value) or None, "CUDA driver"),
    )
    if tinygrad_cuda_graph.available():
        return found
    old = _fact(False, "CUDA driver: no programmatic edges in graphs (CUDA 12.3 on)")
    return found.model_copy(update={"dependent_launch": old})


def _nv(device: str) -> ChipFacts:
    """The NV runtime exposes little; where the CUDA driver is loadable as well, it tells more."""
    if _problem("CUDA") is None:
        found = _cuda(device.replace("NV", "CUDA", 1))
        early = _fact(False, "tinygrad's NV queue starts no kernel early")
        return found.model_copy(update={"device": device, "dependent_launch": early})
    dev = tg.open_device(device)
    counts = [getattr(dev, n, None) for n in ("num_gpcs", "num_tpc_per_gpc", "num_sm_per_tpc")]
    sms = math.prod(int(n) for n in counts if n) if all(counts) else None
    arch = str(dev.renderer.target.arch)
    return _nvidia(
        device,
        f"NVIDIA {arch}",
        arch,
        sms,
        "tinygrad NV runtime",
        max_threads=_fact(1024, "CUDA C++ Programming Guide"),
        local_bytes=_fact(49152, "CUDA C++ Programming Guide: static limit"),
    )


def nvidia_by_id(chip_id: str) -> ChipFacts | None:
    """What the architecture in an id such as `nv-sm89-128sm` says; None for other chips' ids."""
    match = re.fullmatch(r"nv-sm(\d+)-(\d+)sm", chip_id)
    if match is None:
        return None
    return _nvidia("CUDA", chip_id, f"sm_{match[1]}", int(match[2]), "the chip's id")


def _nvidia(
    device: str, name: str, arch: str, sms: int | None, source: str, **more: Fact | None
) -> ChipFacts:
    capability = int(re.sub(r"\D", "", arch) or 0)
    guide = "CUDA C++ Programming Guide"
    return ChipFacts(
        id=f"nv-sm{capability}-{sms}sm",
        name=name,
        device=device,
        arch=arch,
        units=_fact(sms, source),
        simd_width=_fact(32, f"{guide}: warp size"),
        load_bits=_fact(128, f"{guide}: 16-byte accesses"),
        workgroups=_fact(True, "CUDA programming model"),
        shuffle=_fact(capability >= 30, f"{guide}: warp shuffle, sm_30 on"),
        dot4=_fact(capability >= 61, f"{guide}: __dp4a, sm_61 on"),
        dependent_launch=_fact(
            device.startswith("CUDA") and capability >= 90,
            f"{guide}: programmatic dependent launch, sm_90 on; not in tinygrad's NV queue",
        ),
        half=_fact(True, "IEEE fp16 conversion in hardware, subnormals included"),
        **more,
    )


def _renderer_only(device: str) -> ChipFacts:
    """METAL, AMD and others: what tinygrad's renderer knows of them."""
    dev = tg.open_device(device)
    renderer, source = dev.renderer, "tinygrad renderer"
    arch = str(renderer.target.arch or "") or None
    name = device.split(":")[0]
    limit = renderer.local_max[0] if renderer.local_max else None
    return ChipFacts(
        id=slug(f"{name}-{arch or 'unknown'}"),
        name=f"{name} {arch or ''}".strip(),
        device=device,
        arch=arch,
        simd_width=_fact({"METAL": 32, "AMD": 32}.get(name), "Metal: SIMD group; RDNA: wave32"),
        load_bits=_fact(128, "four 32-bit words"),
        max_threads=_fact(limit if limit and limit <= 1024 else 1024, source),
        local_bytes=_fact(int(renderer.shared_max), source),
        workgroups=_fact(bool(renderer.has_local), source),
        shuffle=_fact(name in ("METAL", "AMD"), "Metal SIMD-group functions; HIP cross-lane"),
        half=_fact(True, "16-bit floats in hardware"),
    )
