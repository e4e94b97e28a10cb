"""Every internal of tinygrad 0.14.0 that boltbeam touches lives here.

Takes launches and paths, gives tensors, programs and models. Never decides anything.
"""

from __future__ import annotations

import importlib.util
import os
import sys
import types
from collections.abc import Callable, Sequence
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from boltbeam.emit.core import Buf, Launch

PINNED = "0.14.0"


def supply_missing_llm_module() -> bool:
    """Register `tinygrad.llm.kernels`, which the 0.14.0 wheel lacks; True when it was needed.

    Must run before the first import of `tinygrad.llm.model`. A release that has it is left alone.
    """
    if "tinygrad.llm.kernels" in sys.modules:
        return True
    if importlib.util.find_spec("tinygrad.llm.kernels") is not None:
        return False
    from tinygrad import nn

    def missing(*_: Any, **__: Any) -> Any:
        raise RuntimeError("tinygrad 0.14.0 ships without its AMD kernels")

    package = types.ModuleType("tinygrad.llm.kernels")
    package.__path__ = []
    amd = types.ModuleType("tinygrad.llm.kernels.amd")
    amd.Linear = nn.Linear  # type: ignore[attr-defined]
    amd.amd_custom_kernels_supported = lambda _device: False  # type: ignore[attr-defined]
    amd.flash_attention = amd.gated_delta_prefill = missing  # type: ignore[attr-defined]
    package.amd = amd  # type: ignore[attr-defined]
    sys.modules["tinygrad.llm.kernels"] = package
    sys.modules["tinygrad.llm.kernels.amd"] = amd
    return True


@cache
def dtype(name: str) -> Any:
    """tinygrad's dtype of a Buf dtype name."""
    from tinygrad import dtypes

    return {
        "f32": dtypes.float32,
        "f16": dtypes.half,
        "i32": dtypes.int32,
        "u32": dtypes.uint32,
        "u16": dtypes.uint16,
        "u8": dtypes.uint8,
        "i8": dtypes.int8,
    }[name]


def empty(buf: Buf, device: str) -> Any:
    """A realised zero tensor for a buffer."""
    from tinygrad import Tensor

    return Tensor.zeros(buf.size, dtype=dtype(buf.dtype), device=device).contiguous().realize()


_SINKS: dict[Any, Any] = {}


def call(launch: Launch, tensors: Sequence[Any]) -> list[Any]:
    """Queue one launch on `tensors` (outs, then ins, in order) -> the outs *after* it.

    Later launches must read the returned tensors, and the last ones must be realised. The SINK is
    built once per build function and shapes, so capturing a token of hundreds of launches is fast.
    """
    from tinygrad import Tensor

    key = (launch.build, tuple((b.size, b.dtype) for b in (*launch.outs, *launch.ins)))

    def build(*placeholders: Any) -> Any:
        if key not in _SINKS:
            sink = launch.build(*placeholders)
            used = set(sink.toposort())
            for buf, ph in zip((*launch.outs, *launch.ins), placeholders, strict=True):
                if ph not in used:
                    raise ValueError(f"launch {launch.name} does not use its argument {buf.name}")
            _SINKS[key] = sink
        return _SINKS[key]

    return list(Tensor.custom_kernel(*tensors, fxn=build)[: len(launch.outs)])


def jit(fn: Callable[..., Any]) -> Any:
    """tinygrad's TinyJit: first call runs, second captures, later calls replay the graph."""
    from tinygrad import TinyJit

    return TinyJit(fn)


def synchronize(device: str) -> None:
    from tinygrad import Device

    Device[device].synchronize()


def open_device(device: str) -> Any:
    """tinygrad's runtime of a device. Fails in as many ways as there are runtimes."""
    from tinygrad import Device

    return Device[device]


def is_cuda_source(device: str) -> bool:
    """True where kernels are rendered as CUDA C++, so that its intrinsics may stand in them."""
    return type(open_device(device).renderer).__name__ in ("CUDARenderer", "NVCCRenderer")


def realize(tensors: Sequence[Any]) -> None:
    """Queue everything these tensors stand for; inside a captured function: record it."""
    from tinygrad import Tensor

    Tensor.realize(*tensors)


def from_numpy(values: NDArray[Any], device: str) -> Any:
    """A realised tensor with a copy of the values."""
    from tinygrad import Tensor

    return Tensor(np.ascontiguousarray(values), device=device).clone().realize()


def buffer(tensor: Any) -> Any:
    """The tinygrad Buffer behind a realised tensor."""
    return tensor.uop.base.realized


def runs_on_caller(device: str) -> bool:
    """True where a launch runs on the thread that calls it: tinygrad's CPU without HCQ2."""
    return device.split(":")[0] == "CPU" and os.environ.get("HCQ2", "0") == "0"


def copy_in(buffer: Any, image: NDArray[np.uint8]) -> None:
    """Overwrite a tinygrad Buffer with exactly its bytes; returns when the device has them."""
    buffer.allocator._copyin(buffer._buf, image.data)
    synchronize(buffer.device)


def copy_out(buffer: Any) -> NDArray[np.uint8]:
    """A copy of a tinygrad Buffer's bytes, after everything queued has run."""
    synchronize(buffer.device)
    image = np.empty(buffer.nbytes, dtype=np.uint8)
    buffer.allocator._copyout(image.data, buffer._buf)
    return image


def sink(launch: Launch) -> Any:
    """The launch's SINK on its own placeholders, for rendering and inspection."""
    from tinygrad.uop.ops import UOp

    bufs = (*launch.outs, *launch.ins)
    likes = (UOp.new_buffer("NULL", b.size, dtype(b.dtype)) for b in bufs)
    return launch.build(*(UOp.placeholder_like(u, slot=i) for i, u in enumerate(likes)))


def source(launch: Launch, device: str) -> str:
    """The text tinygrad renders for the launch on an opened device; compiles nothing twice."""
    from tinygrad import Device
    from tinygrad.codegen import to_program
    from tinygrad.uop.ops import Ops

    program = to_program(sink(launch), Device[device].renderer)
    return str(next(u.arg for u in program.src if u.op is Ops.SOURCE))


def intrinsics(launch: Launch) -> tuple[str, ...]:
    """Text of every CUSTOM op in the launch, sorted: what no tinygrad Op expresses."""
    from tinygrad.uop.ops import Ops

    nodes = sink(launch).toposort()
    return tuple(sorted({str(u.arg) for u in nodes if u.op in (Ops.CUSTOM, Ops.CUSTOMI)}))
