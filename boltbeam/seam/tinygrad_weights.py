"""One copy of a GGUF's tensors on the device, read by tinygrad's runner and by a plan alike.

Takes a loaded Transformer and the facts of its file, gives every tensor a buffer of its own. Never
changes a number that stock computes: only where its bytes lie.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from io import BytesIO
from pathlib import Path
from typing import Any
from weakref import WeakKeyDictionary

from boltbeam.models import gguf_model
from boltbeam.models.gguf_header import read_header
from boltbeam.seam import tinygrad_adapter as tg
from boltbeam.seam import tinygrad_model
from boltbeam.types import BoltbeamError, ModelFacts, Part

_HELD: WeakKeyDictionary[Any, dict[str, Any]] = WeakKeyDictionary()
"""Model -> its tensors by name, for those whose stock reads from them."""


def load(path: Path, facts: ModelFacts, max_context: int, device: str) -> Any:
    """tinygrad's Transformer of a GGUF as `hold` leaves it, each byte read once.

    tinygrad reads the whole file into one buffer, which `hold` would replace, and draws random
    weights, which the file's replace. Raises BoltbeamError as load_model and hold do.
    """
    files = gguf_model.files(path)
    if len(files) > 1:
        model, _ = tinygrad_model.load_model(path, max_context, device)
        hold(model, facts, files)
        return model
    tg.use_device(device)
    whole = _unread(files[0])
    with _header_alone(files[0]), _no_random_weights():
        model, _ = tinygrad_model.load_model(path, max_context, device, whole)
    if not hold(model, facts, files):
        tg.write(whole, tg.file_bytes(files[0], 0, whole.numel()))
    return model


def _unread(file: Path) -> Any:
    """A tensor for all bytes of a file, without memory so far."""
    from tinygrad import Device, Tensor, dtypes
    from tinygrad.device import Buffer
    from tinygrad.uop.ops import UOp

    return Tensor(UOp.from_buffer(Buffer(Device.DEFAULT, file.stat().st_size, dtypes.uint8)))


@contextmanager
def _header_alone(file: Path) -> Iterator[None]:
    """tinygrad parses the header from the file, in place of what the device holds of it."""
    import tinygrad.llm.gguf as gguf

    raw, usual = read_header(file).raw, gguf.TensorIO
    gguf.TensorIO = lambda _whole: BytesIO(raw)
    try:
        yield
    finally:
        gguf.TensorIO = usual


@contextmanager
def _no_random_weights() -> Iterator[None]:
    """Layers are made with zeros, until the file's weights take their place."""
    from tinygrad import Tensor

    usual = Tensor.__dict__.get("uniform")
    Tensor.uniform = staticmethod(lambda *shape, **_range: Tensor.zeros(*shape))
    try:
        yield
    finally:
        if usual is None:
            del Tensor.uniform  # tinygrad's is inherited
        else:
            Tensor.uniform = usual


def hold(model: Any, facts: ModelFacts, files: Sequence[Path]) -> dict[str, Any]:
    """Raw bytes of the model's tensors by name, u8 and flat: stock's only holder from now on.

    tinygrad keeps a file as one buffer, in which a tensor begins at any multiple of 32 bytes; some
    devices cannot look into a buffer at an offset, and kernels are measured on whole buffers. So
    that one is freed first, and the tensors that the model uses are read again from the file, each
    into a buffer of its own. {} where the model was not loaded in tinygrad's usual way. Raises
    BoltbeamError where memory is short: the model must be loaded again then.
    """
    if model not in _HELD:
        held = _apart(model, facts) or _redirect(model, facts, files)
        if held:
            _free_unused(model)
        for part in facts.parts:
            if part.name in held and not held[part.name].uop.buffer.is_allocated():
                _fill(held[part.name], part, files[part.file])
        _HELD[model] = held
    return _HELD[model]


def _apart(model: Any, facts: ModelFacts) -> dict[str, Any]:
    """The tensors of a model that already ran where stock has no views: it copied each one then."""
    from tinygrad import Tensor, dtypes
    from tinygrad.nn.state import get_state_dict
    from tinygrad.uop.ops import Ops

    state, held = get_state_dict(model), {}
    for part in facts.parts:
        if part.name in state:
            read = [u for u in state[part.name].uop.toposort() if u.op is Ops.BUFFER]
            if [(u.dtype, u.numel(), u.is_realized) for u in read] != [
                (dtypes.uint8, part.bytes, True)
            ]:
                return {}
            held[part.name] = Tensor(read[0])
    return held


def _redirect(model: Any, facts: ModelFacts, files: Sequence[Path]) -> dict[str, Any]:
    """Let stock's weights be computed from new buffers, not yet allocated, in place of the file.

    Stock asks for its slices of the file to be contiguous; a buffer is, and would be copied.
    """
    from tinygrad import Tensor, dtypes
    from tinygrad.device import Buffer
    from tinygrad.nn.state import get_state_dict
    from tinygrad.uop.ops import Ops, UOp

    state = get_state_dict(model)
    whole = dict(_file_buffers(state, facts, files))
    if len(whole) != len(files):
        return {}
    tensors = list({id(t): t for t in state.values()}.values())
    now = UOp.sink(*(t.uop for t in tensors))
    used, swaps, held = set(now.toposort()), {}, {}
    for part in facts.parts:
        old = Tensor(whole[part.file])[part.offset :][: part.bytes].uop
        if old in used:
            made = Buffer(old.device, part.bytes, dtypes.uint8)
            held[part.name] = Tensor(UOp.from_buffer(made))
            swaps[old] = held[part.name].uop
    then = now.substitute(swaps)
    bases = set(swaps.values())
    copies = (u for u in then.toposort() if u.op is Ops.CONTIGUOUS and u.src[0].base in bases)
    then = then.substitute({u: u.src[0] for u in copies})
    if set(whole.values()) & set(then.toposort()):
        return {}
    for tensor, uop in zip(tensors, then.src, strict=True):
        tensor.replace(Tensor(uop))
    return held


def _file_buffers(
    state: dict[str, Any], facts: ModelFacts, files: Sequence[Path]
) -> Iterator[tuple[int, Any]]:
    """(index of a piece, the buffer that holds the whole of it), as stock's tensors show it."""
    from tinygrad import dtypes
    from tinygrad.uop.ops import Ops

    for index, file in enumerate(files):
        own = (p.name for p in facts.parts if p.file == index and p.name in state)
        nodes = state[name].uop.toposort() if (name := next(own, None)) else ()
        for u in nodes:
            if u.op is Ops.BUFFER and u.dtype == dtypes.uint8 and u.numel() == file.stat().st_size:
                yield index, u


def _free_unused(model: Any) -> None:
    """Graphs that stock captured keep the old buffers; the allocator keeps freed ones for reuse."""
    for jit in (model.prefill_jit, model.rollout_jit):
        jit.reset()
    allocator = tg.open_device(model.token_embd.weight.device).allocator
    if hasattr(allocator, "free_cache"):
        allocator.free_cache()


def _fill(tensor: Any, part: Part, file: Path) -> None:
    """Allocate and read. Raises BoltbeamError where the file is cut short or memory is."""
    raw = tg.file_bytes(file, part.offset, part.bytes)
    try:
        tg.write(tensor, raw)
    except (MemoryError, RuntimeError) as e:
        why = (str(e).splitlines() or [type(e).__name__])[0]
        raise BoltbeamError(f"{file.name}: no memory on the device for {part.name}: {why}") from e
