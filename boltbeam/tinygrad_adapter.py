"""Every internal of tinygrad 0.14.0 that boltbeam touches lives here.

Takes launches and paths, gives tensors, programs and models. Never decides anything.
"""

from __future__ import annotations

import contextlib
import functools
import hashlib
import importlib
import importlib.util
import os
import pickle
import sys
import types
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from boltbeam import gguf_model
from boltbeam.decode_support import STOCK_ARCHITECTURES
from boltbeam.emit.core import Buf, Launch, dtype
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


# ---- host and device memory ------------------------------------------------------------------


def upload(array: np.ndarray, device: str) -> Any:
    """A realised flat tensor holding a host array (any of NUMPY's dtypes), copied once."""
    from tinygrad import Tensor

    name = next(n for n, t in NUMPY.items() if array.dtype == t)
    t = Tensor.empty(array.size, dtype=dtype(name), device=device).contiguous().realize()
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


def read(tensor: Any) -> np.ndarray:
    """Contents of a realised tensor as a flat host copy; waits for the work queued before."""
    return np.array(tensor.uop.buffer.numpy()).reshape(-1)


def numpy_kind(tensor: Any) -> Any:
    """numpy's type of a tensor's elements."""
    from tinygrad.dtype import _to_np_dtype

    return _to_np_dtype(tensor.dtype)


def same_buffer(a: Any, b: Any) -> bool:
    """True when two realised tensors are views of one buffer."""
    return a.uop.base is b.uop.base


def file_tensor(path: Path, offset: int, nbytes: int, buf_dtype: str, device: str) -> Any:
    """Raw bytes of a file as a flat tensor of a Buf dtype. Raises BoltbeamError when cut short."""
    if offset + nbytes > path.stat().st_size:
        raise BoltbeamError(f"{path.name}: ends before byte {offset + nbytes}; fetch it again")
    raw = np.memmap(path, dtype=np.uint8, mode="r", offset=offset, shape=(nbytes,))
    return upload(np.array(raw).view(NUMPY[buf_dtype]), device)


# ---- the stock model -------------------------------------------------------------------------


def use_device(device: str) -> None:
    """Make `device` tinygrad's default. Raises BoltbeamError when it cannot be opened."""
    os.environ["DEV"] = device
    from tinygrad import Device
    from tinygrad.helpers import DEV

    if Device.canonicalize(device).split(":")[0] != Device.DEFAULT:
        DEV.value = device
    try:
        Device[Device.DEFAULT]
    except Exception as e:
        why = (str(e).splitlines() or [type(e).__name__])[0]
        raise BoltbeamError(f"tinygrad cannot open {device}: {why}; see `boltbeam doctor`") from e


def has_half(device: str) -> bool:
    """True where kernels on `device` may use 16-bit floats."""
    from tinygrad import Device, dtypes

    return dtypes.half in Device[device].renderer.supported_dtypes()


def load_model(path: Path, max_context: int, device: str) -> tuple[Any, dict[str, Any]]:
    """tinygrad's own Transformer of a GGUF, and its metadata; the KV cache is allocated.

    Raises BoltbeamError for an architecture that tinygrad would load and compute wrongly.
    """
    use_device(device)
    supply_missing_llm_module()
    from tinygrad.helpers import getenv
    from tinygrad.llm.model import Transformer

    arch = gguf_model.read_metadata(path).get("general.architecture")
    if arch not in STOCK_ARCHITECTURES:
        raise BoltbeamError(
            f"{path.name}: architecture '{arch}' is unknown to tinygrad {PINNED}'s runner; "
            f"it has {', '.join(sorted(STOCK_ARCHITECTURES))}"
        )
    before = os.environ.get("HALF")
    if not has_half(device):
        os.environ["HALF"] = "0"
    getenv.cache_clear()
    try:
        model, meta = Transformer.from_gguf(gguf_model.files(path)[0], max_context=max_context)
    finally:  # the setting is this model's alone: another device in this process may have halves
        if before is None:
            os.environ.pop("HALF", None)
        else:
            os.environ["HALF"] = before
        getenv.cache_clear()
    return model, meta


def allocate_state(model: Any) -> None:
    """Allocate the KV cache and RoPE table of every block now, as stock does on first use."""
    from tinygrad import Tensor

    weight = model.token_embd.weight
    probe = Tensor.zeros(1, 1, weight.shape[1], device=weight.device)
    for block in model.blk:
        block._init_state(probe)
        block.cache_kv.realize()
        block.freqs_cis.realize()


def cache_tensor(model: Any, layer: int) -> Any:
    """The block's own KV cache, flat: writes through it reach stock, and the other way."""
    return model.blk[layer].cache_kv.reshape(-1)


def read_cache(model: Any) -> NDArray[Any]:
    """The KV cache of every block, (layers, …) flat; empty where a block keeps another state."""
    if not all(hasattr(block, "cache_kv") for block in model.blk):
        return np.empty((0, 0), np.float16)
    return np.stack([read(cache_tensor(model, layer)) for layer in range(len(model.blk))])


def cache_bits(model: Any, layer: int) -> Any:
    """The memory of cache_tensor as 16-bit words, for devices whose kernels know no halves."""
    from tinygrad import Tensor, dtypes
    from tinygrad.device import Buffer, BufferSpec
    from tinygrad.uop.ops import UOp

    own = cache_tensor(model, layer).uop.buffer.ensure_allocated()
    if not own.device.startswith("CL"):
        made = own.base.view(own.size, dtypes.uint16, own.offset).ensure_allocated()
    else:
        from tinygrad.runtime.autogen import opencl as cl

        cl.clRetainMemObject(own._buf)  # each of the two buffers releases it once
        spec = BufferSpec(nolru=True)
        made = Buffer(own.device, own.size, dtypes.uint16, opaque=own._buf, options=spec)
    return Tensor(UOp.from_buffer(made))


def rope_tensor(model: Any) -> Any:
    """Stock's RoPE table, flat: row p holds rope_dim/2 cosines, then as many sines."""
    return model.blk[0].freqs_cis.reshape(-1)


def position_of(start_pos: Any) -> int:
    """The integer in stock's `start_pos` argument (an int or a bound Variable)."""
    return start_pos if isinstance(start_pos, int) else int(start_pos.unbind()[1])


def scalar(tensor: Any) -> float:
    """The one number in a tensor; waits for it."""
    return float(tensor.item())


def stock_decoder(model: Any) -> Callable[[int, int], np.ndarray]:
    """Stock's own decode step with the logits kept: f(token, position) -> logits (vocab,)."""
    from tinygrad import Tensor, TinyJit, UOp

    variable = UOp.variable("start_pos", 0, model.max_context - 1)

    def forward(tokens: Any, start_pos: Any) -> Any:
        x = model.token_embd(tokens).float()
        for block in model.blk:
            x = block(x, start_pos)
        return model.output(model.output_norm(x[:, -1:]))[:, -1, :].float().contiguous().realize()

    step = TinyJit(forward)

    def decode(token: int, position: int) -> np.ndarray:
        tokens = Tensor([[token]], dtype="int32").realize()
        return read(step(tokens, variable.bind(position)))

    return decode


def stock_step(model: Any) -> Callable[[Any, int], Any]:
    """Stock's own greedy rollout as `generate` calls it: f(token tensor, position) -> tensor."""
    from tinygrad import Tensor, UOp

    variable = UOp.variable("start_pos", 0, model.max_context - 1)
    greedy = Tensor([0.0]).realize()
    return lambda tokens, position: model(tokens, variable.bind(position), greedy).realize()


def token_tensor(token: int) -> Any:
    """A (1, 1) int32 tensor on the default device."""
    from tinygrad import Tensor

    return Tensor([[token]], dtype="int32").realize()


def capture(fn: Callable[[], Any]) -> Any:
    """One graph of a function without arguments: its first call captures, later calls replay.

    Host work per kernel happens only where the device has no graphs (CPU without HCQ2).
    """
    from tinygrad import TinyJit
    from tinygrad.helpers import JIT_BATCH_SIZE, Context

    graph = TinyJit(fn)
    graph.cnt = 1
    with Context(JIT_BATCH_SIZE=max(JIT_BATCH_SIZE.value, 1 << 14)):
        graph()
    return graph


class Recording:
    """The launches of a function without arguments, scheduled and compiled once, not run.

    Intermediate results share their memory in all repetitions of a graph, so each waits for the one
    before.
    """

    def __init__(self, step: Callable[[], Any]) -> None:
        from tinygrad.engine.realize import capturing, lower_and_compile
        from tinygrad.schedule.memory import memory_plan_rewrite
        from tinygrad.tensor import all_tensors
        from tinygrad.uop.ops import Ops, UOp, buffers

        heard = _Listener()
        capturing.append(heard)
        try:
            step()
        finally:
            capturing.clear()
        alive = [t for ref in list(all_tensors) if (t := ref()) is not None]
        held = {u for t in alive for u in t.uop.toposort() if u.op is Ops.BUFFER} | set(buffers)
        planned = memory_plan_rewrite(UOp(Ops.LINEAR, src=tuple(heard.calls)), held)
        self._calls = lower_and_compile(planned).src

    def plain(self) -> Callable[[], Any]:
        """The launches one by one, without a graph; each call runs them."""
        from tinygrad.engine.jit import CapturedJit
        from tinygrad.engine.realize import compile_linear
        from tinygrad.uop.ops import Ops, UOp

        ready = CapturedJit(None, compile_linear(UOp(Ops.LINEAR, src=self._calls), beam=0), [], [])
        return lambda: ready([], {})

    def graph(self, swaps: Sequence[Sequence[tuple[Any, Any]]]) -> Callable[[], Any]:
        """One graph with the launches once per swap; each call of it replays them.

        A swap is pairs of realised tensors: one that the function used, and the one to use instead.
        """
        from tinygrad.engine import jit as engine
        from tinygrad.engine.realize import compile_linear
        from tinygrad.helpers import JIT, JIT_BATCH_SIZE
        from tinygrad.uop.ops import Ops, UOp

        maps = [{a.uop.base: b.uop.base for a, b in swap if a is not b} for swap in swaps]
        calls = tuple(_exchanged(call, m) for m in maps for call in self._calls)
        linear = compile_linear(UOp(Ops.LINEAR, src=calls), beam=0)
        if JIT.value < 2:
            batch = max(JIT_BATCH_SIZE.value, 1 << 14)
            linear = engine.graph_split_rewrite(linear, max_batch_size=batch)
        captured = engine.CapturedJit(None, linear, [], [])
        return lambda: captured([], {})


class _Listener:
    """Collects what would have been run."""

    def __init__(self) -> None:
        self.calls: list[Any] = []

    def add_linear(self, linear: Any, _variables: Any) -> None:
        self.calls += linear.src


def _exchanged(call: Any, other: dict[Any, Any]) -> Any:
    """The call with other buffers; the kernel itself is not looked at."""
    from tinygrad.uop.ops import Ops

    if not other:
        return call
    args = [other.get(b, b) if b.op is Ops.BUFFER else b.substitute(other) for b in call.src[1:]]
    return call.replace(src=(call.src[0], *args))


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


def copy_out(buffer: Any) -> NDArray[np.uint8]:
    """A copy of a tinygrad Buffer's bytes, after everything queued has run."""
    synchronize(buffer.device)
    image = np.empty(buffer.nbytes, dtype=np.uint8)
    buffer.allocator._copyout(image.data, buffer._buf)
    return image


@functools.lru_cache(maxsize=64)
def sink(launch: Launch) -> Any:
    """The launch's SINK on its own placeholders, for rendering and inspection."""
    from tinygrad.uop.ops import UOp

    bufs = (*launch.outs, *launch.ins)
    likes = (UOp.new_buffer("NULL", b.size, dtype(b.dtype)) for b in bufs)
    return launch.build(*(UOp.placeholder_like(u, slot=i) for i, u in enumerate(likes)))


def source(launch: Launch, device: str) -> str:
    """The text tinygrad renders for the launch on an opened device; compiles nothing twice."""
    from tinygrad.uop.ops import Ops

    return str(next(u.arg for u in prepare(launch, device).src if u.op is Ops.SOURCE))


def prepare(launch: Launch, device: str) -> Any:
    """tinygrad's PROGRAM of a launch, so that running it renders and compiles nothing.

    Where BOLTBEAM_PROGRAMS names a folder, processes hand finished programs to each other there.
    """
    from tinygrad import Device
    from tinygrad.codegen import to_program, to_program_cache, to_program_key

    ast, renderer = sink(launch), Device[device].renderer
    key, folder = to_program_key(ast, renderer), os.environ.get("BOLTBEAM_PROGRAMS")
    if key in to_program_cache or not folder:
        return to_program(ast, renderer)
    name = hashlib.sha256(f"{version()} {key!r}".encode()).hexdigest()[:32]
    file = Path(folder) / f"{name}.pickle"
    with contextlib.suppress(OSError, EOFError, pickle.UnpicklingError):
        to_program_cache[key] = pickle.loads(file.read_bytes())
        return to_program_cache[key]
    program = to_program(ast, renderer)
    file.parent.mkdir(parents=True, exist_ok=True)
    part = file.with_suffix(f".{os.getpid()}.part")
    part.write_bytes(pickle.dumps(program))
    part.replace(file)
    return program


RENDERERS = {
    "CUDA": ("CUDARenderer", "sm_90"),
    "METAL": ("MetalRenderer", "Apple7"),
    "HIP": ("HIPRenderer", "gfx1100"),
    "CL": ("OpenCLRenderer", ""),
    "CPU": ("ClangJITRenderer", ""),
}
"""Name in a target -> tinygrad's C-style renderer and the architecture when none is named."""


def render(launch: Launch, target: str) -> str:
    """Source text for `CUDA:sm_90`, `METAL`, `HIP:gfx1100`, `CL` or `CPU`: no device, no compiler.

    Raises BoltbeamError for a renderer that is not in RENDERERS.
    """
    from tinygrad.codegen import to_program
    from tinygrad.device import Compiler
    from tinygrad.helpers import Target as TinygradTarget
    from tinygrad.renderer import cstyle
    from tinygrad.uop.ops import Ops

    name, _, arch = target.partition(":")
    if name not in RENDERERS:
        raise BoltbeamError(f"no renderer {name}; there are {', '.join(RENDERERS)}")
    kind, usual = RENDERERS[name]
    cls = getattr(cstyle, kind)
    renderer = cls.__new__(cls)
    cstyle.CStyleLanguage.__init__(renderer, TinygradTarget("NULL", name, arch or usual))
    renderer.compiler = Compiler()
    program = to_program(sink(launch), renderer)
    return str(next(u.arg for u in program.src if u.op is Ops.SOURCE))


def intrinsics(launch: Launch) -> tuple[str, ...]:
    """Text of every CUSTOM op in the launch, sorted: what no tinygrad Op expresses."""
    from tinygrad.uop.ops import Ops

    nodes = sink(launch).toposort()
    return tuple(sorted({str(u.arg) for u in nodes if u.op in (Ops.CUSTOM, Ops.CUSTOMI)}))


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
    yield "to_program", missing("tinygrad.codegen", "to_program")
    yield "program cache", missing("tinygrad.codegen", "to_program_cache", "to_program_key")
    yield "capture listeners", missing("tinygrad.engine.realize", "capturing")
    yield "the runner", missing("tinygrad.llm.model", "Transformer", "TinyJit")
    yield "GGUF dequantisation", missing("tinygrad.llm.gguf", "ggml_data_to_tensor")
    yield "device buffers", missing("tinygrad.device", "Buffer", "Device")
