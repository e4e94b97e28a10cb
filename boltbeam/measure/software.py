"""What runs kernels beside the chip itself: driver, compiler, label of memory and power.

Takes a tinygrad device that opened, gives the soft part of a Scope. Never guesses: what nobody
tells stays ''.
"""

from __future__ import annotations

import ctypes
import hashlib
import re
import subprocess
from functools import cache
from pathlib import Path

from boltbeam.measure import clocks
from boltbeam.records.entries import Scope
from boltbeam.seam import tinygrad_adapter as tg
from boltbeam.seam import toolchain
from boltbeam.types import ChipFacts

NVIDIA_VERSION = Path("/proc/driver/nvidia/version")


@cache
def here(device: str) -> dict[str, str]:
    """{driver, compiler, memory} of a device as fields of a Scope or a LedgerRow."""
    kind, built_by = device.partition(":")[0], compiler(device)
    driver = built_by if kind == "CL" else ""
    if kind in ("CUDA", "NV"):
        driver = nvidia_version()
    return {"driver": driver, "compiler": built_by, "memory": clocks.label(device)}


@cache
def compiler(device: str) -> str:
    """What makes machine code for a device."""
    kind = device.partition(":")[0]
    if kind == "CPU":
        return clang_version()
    if kind == "CL":
        return opencl_version(device)
    return nvrtc_version() if kind in ("CUDA", "NV") else ""


def scope(chip: ChipFacts, plan_key: str = "") -> Scope:
    """Where a decision on an opened chip would hold now."""
    return Scope(chip=chip.id, plan_key=plan_key, tinygrad=tg.version(), **here(chip.device))


def identity(device: str) -> str:
    """Hash of all software under a kernel: tinygrad and what `here` tells."""
    text = "|".join((tg.version(), *here(device).values()))
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def clang_version() -> str:
    """First line of `CC --version`, as tinygrad's CPU device would call it."""
    name = toolchain.compiler()
    if name is None:
        return ""
    try:
        done = subprocess.run(
            [name, "--version"], capture_output=True, text=True, timeout=20, check=True
        )
    except (OSError, subprocess.SubprocessError):
        return ""
    return (done.stdout.splitlines() or [""])[0].strip()


def opencl_version(device: str) -> str:
    """CL_DRIVER_VERSION: the driver holds the compiler."""
    from tinygrad.runtime.autogen import opencl as cl

    text = ctypes.create_string_buffer(256)
    opened = tg.open_device(device)
    status = cl.clGetDeviceInfo(opened.cl_dev, cl.CL_DRIVER_VERSION, len(text), text, None)
    return text.value.decode(errors="replace").strip() if status == 0 else ""


def nvidia_version(file: Path = NVIDIA_VERSION) -> str:
    """Version of NVIDIA's kernel driver: `580.159.03`."""
    try:
        found = re.search(r"\s(\d+(?:\.\d+)+)\s", file.read_text(encoding="utf-8"))
    except OSError:
        return ""
    return found[1] if found else ""


def nvrtc_version() -> str:
    """`NVRTC 13.0`."""
    major, minor = ctypes.c_int32(), ctypes.c_int32()
    try:
        from tinygrad.runtime.autogen import nvrtc

        status = nvrtc.nvrtcVersion(ctypes.byref(major), ctypes.byref(minor))
    except Exception:  # no library, or one that does not load: nobody tells
        return ""
    return f"NVRTC {major.value}.{minor.value}" if status == 0 else ""
