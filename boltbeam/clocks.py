"""What the GPU says about itself while it is timed: clock, throttling, memory, power limit.

Takes a tinygrad device name, gives a State; None or '' stands for everything that nobody tells
(any chip but NVIDIA's, or no nvidia-ml-py). Never sets anything.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import Any

IDLE, SETTING = 0x1, 0x2
"""Reasons NVML reports for a lower clock that are no throttling: idle, the user's own setting."""


@dataclass(frozen=True)
class State:
    """SM clock, and whether something held it down."""

    clock_mhz: float | None = None
    throttled: bool | None = None


UNKNOWN = State()


def state(device: str) -> State:
    """Clock and throttling of the device at this moment."""
    handle = _handle(device)
    if handle is None:
        return UNKNOWN
    import pynvml

    try:
        clock = float(pynvml.nvmlDeviceGetClockInfo(handle, pynvml.NVML_CLOCK_SM))
        reasons = int(pynvml.nvmlDeviceGetCurrentClocksThrottleReasons(handle))
    except pynvml.NVMLError:
        return UNKNOWN
    return State(clock, bool(reasons & ~(IDLE | SETTING)))


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
        return pynvml.nvmlDeviceGetHandleByIndex(int(index or 0))
    except Exception:  # no library, no driver, no permission: all mean that nobody tells
        return None
