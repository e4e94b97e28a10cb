"""What the GPU says about itself while it is timed: clock and throttling.

Takes a tinygrad device name, gives a State; None stands for everything that nobody tells (any chip
but NVIDIA's, or no nvidia-ml-py). Never sets anything.
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
