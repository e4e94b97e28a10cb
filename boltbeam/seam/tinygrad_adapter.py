"""tinygrad's devices and memory. Every internal that boltbeam touches lives in tinygrad_* modules.

Takes launches and paths, gives tensors, programs and models. Never decides anything.
"""

from __future__ import annotations

import importlib
import importlib.util
import os
import sys
import types
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from boltbeam.emit.core import Buf, Launch, dtype
from boltbeam.seam import tinygrad_cache
from boltbeam.types import BoltbeamError

PINNED = "0.14.0"
NUMPY = {
    "f32": np.float32,
    "f16": np.float16,
    "h16": np.float16,
    "i32": np.int32,
    "u32": np.uint32,
    "u16": np.uint16,
    "u8": np.uint8,
    "i8": np.int8,
}


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


def empty(buf: Buf, device: str) -> Any:
    """A realised zero tensor for a buffer; nothing is compiled."""
    made = reserve(buf, device)
    write(made, np.zeros(buf.size * itemsize(buf), np.uint8))
    return made


def itemsize(buf: Buf) -> int:
    """Bytes of one element of a buffer."""
    return int(dtype(buf.dtype).itemsize)


def reserve(buf: Buf, device: str) -> Any:
    """A realised tensor for a buffer, holding anything."""
    from tinygrad import Tensor

    made = Tensor.empty(buf.size, dtype=dtype(buf.dtype), device=device).contiguous().realize()
    made.uop.buffer.ensure_allocated()
    return made


SINKS_MAX = 256
"""Kernels whose instructions a process remembers: a token has some tens, a race hundreds."""
_SINKS: dict[Any, Any] = {}


def call(launch: Launch, tensors: Sequence[Any]) -> list[Any]:
    """Queue one launch on `tensors` (outs, then ins, in order) -> the outs *after* it.

    Later launches must read the returned tensors, and the last ones must be realised.
    """
    from tinygrad import Tensor

    _fit(launch, tensors)
    made = Tensor.custom_kernel(*tensors, fxn=lambda *_: sink(launch))
    return list(made[: len(launch.outs)])


def bound(launch: Launch, tensors: Sequence[Any], program: Any = None) -> Any:
    """The CALL that tinygrad schedules for one launch on realised tensors, as `call` has them; of
    its `program` where that was prepared."""
    if views := [t for t in tensors if t.uop.buf_uop.max_numel() != t.uop.max_numel()]:
        raise ValueError(f"{launch.name}: {len(views)} arguments are parts of buffers")
    _fit(launch, tensors)
    call = sink(launch).call if program is None else partial(_call_of, program)
    return call(*(t.uop.buf_uop for t in tensors))


def _call_of(program: Any, *buffers: Any) -> Any:
    """UOp.call counts the loops among a PROGRAM's instructions as if they were open."""
    from tinygrad.uop.ops import CallInfo, Ops, UOp

    return UOp(Ops.CALL, src=(program, *buffers), arg=CallInfo())


def _fit(launch: Launch, tensors: Sequence[Any]) -> None:
    """ValueError: an argument has another size or type than the kernel is made for."""
    for buf, t in zip((*launch.outs, *launch.ins), tensors, strict=True):
        if (t.uop.max_numel(), t.dtype) != (buf.size, dtype(buf.dtype)):
            raise ValueError(
                f"{launch.name}: {buf.name} is {buf.size} {buf.dtype}, given {t.numel()} {t.dtype}"
            )


def sink(launch: Launch) -> Any:
    """Its SINK on placeholders, which know no device; built once per build function and shapes.

    ValueError: it does not use one of its arguments.
    """
    from tinygrad.uop.ops import UOp

    bufs = (*launch.outs, *launch.ins)
    key = (launch.build, tuple((b.size, b.dtype) for b in bufs))
    if key not in _SINKS:
        places = [UOp.placeholder((b.size,), dtype(b.dtype), i) for i, b in enumerate(bufs)]
        made = launch.build(*places)
        used = set(made.toposort())
        for buf, place in zip(bufs, places, strict=True):
            if place not in used:
                raise ValueError(f"launch {launch.name} does not use its argument {buf.name}")
        if len(_SINKS) == SINKS_MAX:
            del _SINKS[next(iter(_SINKS))]
        _SINKS[key] = made
    return _SINKS[key]


def jit(fn: Callable[..., Any]) -> Any:
    """tinygrad's TinyJit: first call runs, second captures, later calls replay the graph."""
    from tinygrad import TinyJit

    return TinyJit(fn)


def replays(jit: Any) -> bool:
    """Whether the next call of a TinyJit replays: it has compiled and captured already."""
    return bool(jit.cnt >= 2)


def synchronize(device: str) -> None:
    from tinygrad import Device

    Device[device].synchronize()


def open_device(device: str) -> Any:
    """tinygrad's runtime of a device; on CUDA with our graph. Fails in as many ways as there are
    runtimes."""
    from tinygrad import Device

    tinygrad_cache.trust_nothing()  # a CPU compiles when it is opened
    opened = Device[device]
    if device.partition(":")[0] == "CUDA":
        from boltbeam.seam import tinygrad_cuda_graph

        tinygrad_cuda_graph.install(opened)
    return opened


def is_cuda_source(device: str) -> bool:
    """True where kernels are rendered as CUDA C++, so that its intrinsics may stand in them."""
    return type(open_device(device).renderer).__name__ in ("CUDARenderer", "NVCCRenderer")


def matrix_unit(device: str) -> Any:
    """tinygrad's TensorCore for fp16 products into fp32 on CUDA; None where there is none."""
    from tinygrad import dtypes

    if not is_cuda_source(device):
        return None
    units = open_device(device).renderer.tensor_cores
    return next(
        (u for u in units if (u.dtype_in, u.dtype_out) == (dtypes.half, dtypes.float)), None
    )


# ---- host and device memory ------------------------------------------------------------------


def upload(array: np.ndarray, device: str) -> Any:
    """A realised flat tensor holding a host array (any of NUMPY's dtypes), copied once."""
    name = next(n for n, t in NUMPY.items() if array.dtype == t)
    t = reserve(Buf("", array.size, name), device)
    write(t, array)
    return t


def copy_of(array: NDArray[Any], device: str) -> Any:
    """A realised flat tensor with a copy of the array, as upload makes it, in microseconds."""
    from tinygrad import Tensor
    from tinygrad.device import Buffer
    from tinygrad.uop.ops import UOp

    flat = np.ascontiguousarray(array).reshape(-1)
    name = next(n for n, t in NUMPY.items() if flat.dtype == t)
    made = Buffer(device, flat.size, dtype(name), preallocate=True)
    copy_in(made, flat.view(np.uint8))
    return Tensor(UOp.from_buffer(made))


def write(tensor: Any, array: np.ndarray) -> None:
    """Overwrite a realised tensor from the host; nothing is compiled."""
    from tinygrad.device import Buffer

    flat = np.ascontiguousarray(array).reshape(-1)
    target = tensor.uop.buffer.ensure_allocated()
    source = Buffer("PYTHON", target.size, target.dtype, opaque=flat.data.cast("B"))
    target.copy_from(source)


def poison(tensor: Any) -> None:
    """Fill a realised tensor with 0xFF: NaN as a float, -1 as an integer."""
    buffer = tensor.uop.buffer.ensure_allocated()
    write(tensor, np.full(buffer.nbytes, 0xFF, np.uint8))


def numpy_kind(tensor: Any) -> Any:
    """numpy's type of a tensor's elements."""
    from tinygrad.dtype import _to_np_dtype

    return _to_np_dtype(tensor.dtype)


def read(tensor: Any) -> np.ndarray:
    """Contents of a realised tensor as a flat host copy; waits for the work queued before."""
    return np.array(tensor.uop.buffer.numpy()).reshape(-1)


def random_seed() -> int:
    """31 bits of tinygrad's own generator, so that `Tensor.manual_seed` decides over them."""
    from tinygrad import Tensor, dtypes

    return int(scalar(Tensor.randint(1, low=0, high=2**31 - 1, dtype=dtypes.int32)))


def manual_seed(seed: int) -> None:
    """What tinygrad's own generator draws next."""
    from tinygrad import Tensor

    Tensor.manual_seed(seed)


def same_buffer(a: Any, b: Any) -> bool:
    """True when two realised tensors are views of one buffer."""
    return a.uop.base is b.uop.base


def file_bytes(path: Path, offset: int, nbytes: int) -> NDArray[np.uint8]:
    """A part of a file, u8: read as it is used. Raises BoltbeamError when the file is cut short."""
    if offset + nbytes > path.stat().st_size:
        raise BoltbeamError(f"{path.name}: ends before byte {offset + nbytes}; fetch it again")
    return np.memmap(path, dtype=np.uint8, mode="c", offset=offset, shape=(nbytes,))


def viewed(tensor: Any, buf_dtype: str) -> Any:
    """The memory of a realised flat tensor as elements of another Buf dtype; nothing is copied."""
    from tinygrad import Tensor
    from tinygrad.device import Buffer, BufferSpec
    from tinygrad.uop.ops import UOp

    own, kind = tensor.uop.buffer.ensure_allocated(), dtype(buf_dtype)
    if own.dtype == kind:
        return tensor
    size = own.nbytes // kind.itemsize
    if not own.device.startswith("CL"):
        made = own.base.view(size, kind, own.offset).ensure_allocated()
    else:
        from tinygrad.runtime.autogen import opencl as cl

        cl.clRetainMemObject(own._buf)  # each of the two buffers releases it once
        spec = BufferSpec(nolru=True, external_ptr=0)  # so that its bytes are not counted twice
        made = Buffer(own.device, size, kind, opaque=own._buf, options=spec)
    return Tensor(UOp.from_buffer(made))


# ---- devices ---------------------------------------------------------------------------------


def use_device(device: str) -> None:
    """Make `device` tinygrad's default. Raises BoltbeamError when it cannot be opened."""
    os.environ["DEV"] = device
    from tinygrad import Device
    from tinygrad.helpers import DEV

    if Device.canonicalize(device).split(":")[0] != Device.DEFAULT:
        DEV.value = device
        if llm := sys.modules.get("tinygrad.llm.model"):
            llm.precompute_freqs_cis.cache_clear()  # it keeps tensors of the device before
    try:
        open_device(Device.DEFAULT)
    except Exception as e:
        why = (str(e).splitlines() or [type(e).__name__])[0]
        raise BoltbeamError(f"tinygrad cannot open {device}: {why}; see `boltbeam doctor`") from e


def has_half(device: str) -> bool:
    """True where kernels on `device` may use 16-bit floats."""
    from tinygrad import dtypes

    return dtypes.half in open_device(device).renderer.supported_dtypes()


def scalar(tensor: Any) -> float:
    """The one number in a tensor; waits for it."""
    return float(tensor.item())


def realize(tensors: Sequence[Any]) -> None:
    """Queue everything these tensors stand for, in one schedule; inside a capture: record it."""
    from tinygrad import Tensor

    Tensor.realize(*tensors)


def version() -> str:
    """tinygrad's installed version."""
    from importlib.metadata import version as installed

    return installed("tinygrad")


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


def copy_out(buffer: Any, into: NDArray[np.uint8] | None = None) -> NDArray[np.uint8]:
    """A copy of a tinygrad Buffer's bytes (in `into`), after everything queued has run."""
    synchronize(buffer.device)
    image = np.empty(buffer.nbytes, dtype=np.uint8) if into is None else into
    buffer.allocator._copyout(image.data, buffer._buf)
    return image


def canary() -> Iterator[tuple[str, str]]:
    """(seam, what is wrong with it or '') for every internal of tinygrad that boltbeam uses."""

    def missing(module: str, *names: str) -> str:
        try:
            found = importlib.import_module(module)
        except Exception as e:
            return f"cannot import {module}: {e}"
        gone = [n for n in names if not hasattr(found, n)]
        return f"{module} has no {', '.join(gone)}" if gone else ""

    supply_missing_llm_module()
    yield "Tensor.custom_kernel", missing("tinygrad.tensor", "Tensor")
    yield "UOp ranges and specials", missing("tinygrad.uop.ops", "UOp", "AxisType", "KernelInfo")
    yield "address spaces", missing("tinygrad.dtype", "AddrSpace")
    yield "shapes", missing("tinygrad.uop.ops", "recursive_property")
    yield "to_program", missing("tinygrad.codegen", "to_program")
    yield "program cache", missing("tinygrad.codegen", "to_program_cache", "to_program_key")
    yield "capture listeners", missing("tinygrad.engine.realize", "capturing")
    yield "the runner", missing("tinygrad.llm.model", "Transformer", "TinyJit")
    yield "GGUF dequantisation", missing("tinygrad.llm.gguf", "ggml_data_to_tensor")
    used = ("Buffer", "Device", "diskcache_get", "diskcache_put")
    yield "device buffers", missing("tinygrad.device", *used)
    compiled = ("lower_and_compile", "compile_linear")
    yield "compiled schedules", missing("tinygrad.engine.realize", *compiled)
    graphs = ("CapturedJit", "graph_split_rewrite", "_prepare_jit_inputs")
    yield "graphs", missing("tinygrad.engine.jit", *graphs)
    calls = ("resolve_params", "get_call_arg_uops", "get_call_name")
    yield "launches of a graph", missing("tinygrad.engine.realize", *calls)
    yield "memory plan", missing("tinygrad.schedule.memory", "memory_plan_rewrite")
    yield "weights in place", missing("tinygrad.tensor", "all_tensors")
    yield "GGUF loading", missing("tinygrad.llm.gguf", "gguf_load", "TensorIO")
    yield "compiled before", missing("tinygrad.engine.realize", "to_program_cache")
    kept = ("diskcache_get", "diskcache_put", "pickle")
    yield "the cache on disk", missing("tinygrad.helpers", *kept)
    yield "its own compilers", missing("tinygrad.engine.worker", "worker_pool", "_init_worker")
    parts = ("TransformerBlock", "TransformerConfig", "apply_rope", "precompute_freqs_cis")
    yield "parts of the runner", missing("tinygrad.llm.model", *parts)
