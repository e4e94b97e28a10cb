"""tinygrad's own runner of a model: loaded, its caches, its decode step.

Takes the path of a GGUF or a loaded Transformer, gives tensors and steps. Never decides anything.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from boltbeam.models import gguf_model
from boltbeam.models.decode_support import STOCK_ARCHITECTURES
from boltbeam.seam.tinygrad_adapter import (
    PINNED,
    has_half,
    read,
    supply_missing_llm_module,
    use_device,
    viewed,
)
from boltbeam.types import BoltbeamError, ModelFacts


def load_model(
    path: Path, max_context: int, device: str, whole: Any = None
) -> tuple[Any, dict[str, Any]]:
    """tinygrad's own Transformer of a GGUF, and its metadata; the KV cache is allocated.

    Gemma 3 gets the blocks that tinygrad lacks (`stock_gemma3`). `whole`: a tensor that stands for
    the file's bytes, in place of the file. Raises BoltbeamError for an architecture that tinygrad
    would load and compute wrongly.
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
        model, meta = _load(path, arch, max_context, Transformer, whole)
    finally:  # the setting is this model's alone: another device in this process may have halves
        if before is None:
            os.environ.pop("HALF", None)
        else:
            os.environ["HALF"] = before
        getenv.cache_clear()
    return model, meta


def _load(
    path: Path, arch: str, max_context: int, transformer: Any, whole: Any
) -> tuple[Any, dict[str, Any]]:
    first = gguf_model.files(path)[0] if whole is None else whole
    if arch != "gemma3":
        model, meta = transformer.from_gguf(first, max_context=max_context)
        return model, meta
    from boltbeam.seam import stock_gemma3

    facts = gguf_model.read(path)
    gguf_model.require_supported(facts)
    return stock_gemma3.load(first, facts, max_context)


def require_right_model(model: Any, facts: ModelFacts) -> None:
    """Raise BoltbeamError for a model that tinygrad loaded though it has no such architecture."""
    if facts.architecture != "gemma3":
        return
    from boltbeam.seam.stock_gemma3 import Gemma3

    if not isinstance(model, Gemma3):
        raise BoltbeamError(
            f"install: tinygrad {PINNED} has no block of {facts.architecture}, so this model talks "
            "nonsense; load it with boltbeam.plugin.load"
        )


def allocate_state(model: Any) -> None:
    """Allocate the KV cache and RoPE table of every block now, as stock does on first use."""
    from tinygrad import Tensor

    weight = model.token_embd.weight
    probe = Tensor.zeros(1, 1, weight.shape[1], device=weight.device)
    for block in model.blk:
        block._init_state(probe)
    Tensor.realize(*(t for block in model.blk for t in (block.cache_kv, block.freqs_cis)))


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
    return viewed(cache_tensor(model, layer), "h16")


def rope_tensor(model: Any, layer: int = 0) -> Any:
    """Stock's RoPE table of a layer, flat: row p holds rope_dim/2 cosines, then as many sines."""
    return model.blk[layer].freqs_cis.reshape(-1)


def start_position(position: int, context: int) -> Any:
    """The bound Variable that stock's `generate` passes as `start_pos`."""
    from tinygrad import UOp

    return UOp.variable("start_pos", 0, context - 1).bind(position)


def position_of(start_pos: Any) -> int:
    """The integer in stock's `start_pos` argument (an int or a bound Variable)."""
    return start_pos if isinstance(start_pos, int) else int(start_pos.unbind()[1])


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


def stock_checker(model: Any, m: int) -> Callable[[int], Any]:
    """Stock's forward of m tokens at once, with a choice after each: f(position) -> (1, m) ids."""
    from tinygrad import Tensor, TinyJit, UOp

    variable = UOp.variable("start_pos", 0, model.max_context - m)
    tokens = Tensor([[1] * m], dtype="int32").realize()

    def forward(tokens: Any, start_pos: Any) -> Any:
        x = model.token_embd(tokens).float()
        for block in model.blk:
            x = block(x, start_pos)
        return model.output(model.output_norm(x)).argmax(-1).realize()

    check = TinyJit(forward)
    return lambda position: check(tokens, variable.bind(position))


def token_tensor(token: int) -> Any:
    """A (1, 1) int32 tensor on the default device."""
    from tinygrad import Tensor

    return Tensor([[token]], dtype="int32").realize()
