"""What the machine says about itself while it is timed: clock, heat, power, throttling, pressure.

Takes a tinygrad device name, gives a State; None or '' stands for everything that nobody tells: a
GPU's state needs nvidia-ml-py, a processor's the files of Linux that a virtual machine often lacks.
Never sets anything, never guesses.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

IDLE, SETTING = 0x1, 0x2
"""Reasons NVML reports for a lower clock that are no throttling: idle, the user's own setting."""
HOST = Path("/")
"""Root of the files that Linux tells its state in."""
TOO_WARM = ("passive", "hot", "critical")
"""Kinds of a thermal zone's trip points from which on the processor is slowed down."""


@dataclass(frozen=True)
class State:
    """The machine at one moment; counters only mean something between two."""

    clock_mhz: float | None = None
    throttled: bool | None = None
    """Something holds the clock down now."""
    power_w: float | None = None
    temperature_c: float | None = None
    throttle_count: int | None = None
    """How often the processor was too warm since it started."""
    waiting_us: int | None = None
    """Microseconds since the start in which some task waited for a core …"""
    stalled_us: int | None = None
    """… and in which some task waited for memory."""
    at_us: int = 0


UNKNOWN = State()


def state(device: str) -> State:
    """The device at this moment, and the host's pressure."""
    pressure = (_pressure("cpu"), _pressure("memory"), time.monotonic_ns() // 1000)
    if device.partition(":")[0] == "CPU":
        warmth, too_warm = _zones()
        return State(None, too_warm, None, warmth, _throttle_count(), *pressure)
    handle = _handle(device)
    if handle is None:
        return State(None, None, None, None, None, *pressure)
    import pynvml as nvml

    def ask(question: Callable[..., Any], *words: Any) -> float | None:
        try:
            return float(question(handle, *words))
        except nvml.NVMLError:
            return None

    clock = ask(nvml.nvmlDeviceGetClockInfo, nvml.NVML_CLOCK_SM)
    reasons = ask(nvml.nvmlDeviceGetCurrentClocksThrottleReasons)
    milliwatts = ask(nvml.nvmlDeviceGetPowerUsage)
    return State(
        clock,
        None if reasons is None else bool(int(reasons) & ~(IDLE | SETTING)),
        None if milliwatts is None else milliwatts / 1000,
        ask(nvml.nvmlDeviceGetTemperature, nvml.NVML_TEMPERATURE_GPU),
        None,
        *pressure,
    )


# ---- between two moments -------------------------------------------------------------------------


def throttled(before: State, after: State) -> bool | None:
    """Was the clock held down between the two? None: nobody tells."""
    said = [s.throttled for s in (before, after) if s.throttled is not None]
    if before.throttle_count is not None and after.throttle_count is not None:
        said.append(after.throttle_count > before.throttle_count)
    return any(said) if said else None


def waiting(before: State, after: State) -> float | None:
    """Share of the time in which some task of the host waited for a core; None: nobody tells."""
    return _share(before, after, before.waiting_us, after.waiting_us)


def stalled(before: State, after: State) -> float | None:
    """Share of the time in which some task of the host waited for memory; None: nobody tells."""
    return _share(before, after, before.stalled_us, after.stalled_us)


def _share(before: State, after: State, then: int | None, now: int | None) -> float | None:
    took = after.at_us - before.at_us
    if then is None or now is None or took <= 0:
        return None
    return min(1.0, max(0.0, (now - then) / took))


# ---- a Linux host --------------------------------------------------------------------------------


def _read(path: Path) -> str | None:
    try:
        return path.read_text(encoding="ascii").strip()
    except (OSError, ValueError):
        return None


def _pressure(what: str) -> int | None:
    """Microseconds of `some` pressure since the start: `some avg10=0.00 … total=1234`."""
    text = _read(HOST / "proc/pressure" / what)
    for line in (text or "").splitlines():
        kind, _, rest = line.partition(" ")
        total = rest.rpartition("total=")[2]
        if kind == "some" and total.isdecimal():
            return int(total)
    return None


def _throttle_count() -> int | None:
    """How often cores or packages were slowed because of heat; None: not told (virtual machine)."""
    counts = [int(text) for f in _counters(HOST) if (text := _read(f)) and text.isdecimal()]
    return sum(counts) if counts else None


@cache
def _counters(host: Path) -> tuple[Path, ...]:
    return tuple(sorted(host.glob("sys/devices/system/cpu/cpu[0-9]*/thermal_throttle/*_count")))


def _zones() -> tuple[float | None, bool | None]:
    """(warmest zone in degrees Celsius, whether one is at a trip point that slows it down)."""
    warmth, trips = [], []
    for zone, limit in _trip_points(HOST):
        text = _read(zone / "temp")
        if text is None or not text.lstrip("-").isdecimal():
            continue
        warmth.append(int(text) / 1000)
        if limit is not None:
            trips.append(int(text) >= limit)
    return max(warmth, default=None), any(trips) if trips else None


@cache
def _trip_points(host: Path) -> tuple[tuple[Path, int | None], ...]:
    """Thermal zones, each with the lowest trip point (in 1/1000 degree) that slows it down."""
    found = []
    for zone in sorted(host.glob("sys/class/thermal/thermal_zone*")):
        limits = []
        for kind in zone.glob("trip_point_*_type"):
            at = _read(kind.with_name(kind.name.replace("_type", "_temp")))
            if _read(kind) in TOO_WARM and at and at.isdecimal() and int(at) > 0:
                limits.append(int(at))
        found.append((zone, min(limits, default=None)))
    return tuple(found)


# ---- labels --------------------------------------------------------------------------------------


def label(device: str) -> str:
    """Memory and power limit of the device, such as `141GB-700W`, or ''."""
    handle = _handle(device)
    if handle is None:
        return ""
    import pynvml

    try:
        total = int(pynvml.nvmlDeviceGetMemoryInfo(handle).total)
        watts = int(pynvml.nvmlDeviceGetEnforcedPowerLimit(handle)) / 1000
    except pynvml.NVMLError:
        return ""
    return f"{total / 1e9:.0f}GB-{watts:.0f}W"


@cache
def _handle(device: str) -> Any:
    name, _, index = device.partition(":")
    if name not in ("CUDA", "NV"):
        return None
    try:
        import pynvml

        pynvml.nvmlInit()
        bus = _bus_id(int(index or 0)) if name == "CUDA" else None
        if bus is None:
            return pynvml.nvmlDeviceGetHandleByIndex(int(index or 0))
        return pynvml.nvmlDeviceGetHandleByPciBusId(bus)
    except Exception:  # no library, no driver, no permission: all mean that nobody tells
        return None


def _bus_id(index: int) -> bytes | None:
    """PCI bus id of CUDA's device: CUDA_VISIBLE_DEVICES renumbers them, and NVML does not care."""
    import ctypes

    try:
        cuda = ctypes.CDLL("libcuda.so.1")
    except OSError:
        return None
    device, text = ctypes.c_int(), ctypes.create_string_buffer(32)
    failed = (
        cuda.cuInit(0)
        or cuda.cuDeviceGet(ctypes.byref(device), index)
        or cuda.cuDeviceGetPCIBusId(text, len(text), device)
    )
    return None if failed else text.value
