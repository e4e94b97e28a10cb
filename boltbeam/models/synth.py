"""Makes a GGUF with a known model's exact shapes and formats and random blocks of sane scale.

Takes a model name, gives a file: enough to search and time kernels without the model. Never proves
tokens: the text of a random model means nothing (`general.name` says that it is synthetic).
"""

from __future__ import annotations

import difflib
import math
import os
import tempfile
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cache, partial
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from boltbeam.models import gguf_model
from boltbeam.models.gguf_writer import ALIGNMENT, Spec, header, write
from boltbeam.models.random_blocks import RANDOM, blocks
from boltbeam.models.tokenizer import byte_alphabet
from boltbeam.registry import formats
from boltbeam.types import BoltbeamError, ModelFacts

CHUNK_BYTES = 4 << 20


@dataclass(frozen=True)
class Shape:
    """The dimensions of a known model and how its file is usually quantised."""

    architecture: str
    layers: int
    d_model: int
    d_ff: int
    heads: int
    kv_heads: int
    head_dim: int
    vocab: int
    context: int
    rope_theta: float
    norm_eps: float
    tied: bool
    pre: str
    """Pre-tokenizer name."""
    mix: str = "Q4_K_M"
    rope_factor: float = 0.0
    """llama 3 frequency scaling, written as rope_freqs.weight; 0: none."""
    window: int = 0
    """Positions that a local layer of Gemma 3 sees."""


_qwen3 = partial(
    Shape,
    "qwen3",
    head_dim=128,
    vocab=151936,
    context=40960,
    rope_theta=1e6,
    norm_eps=1e-6,
    pre="qwen2",
)
_llama3 = partial(
    Shape,
    "llama",
    vocab=128256,
    context=131072,
    rope_theta=5e5,
    norm_eps=1e-5,
    pre="llama-bpe",
)
_gemma3 = partial(Shape, "gemma3", rope_theta=1e6, norm_eps=1e-6, tied=True, pre="smollm")
_tiny = partial(Shape, layers=2, d_model=256, d_ff=512, heads=4, kv_heads=2, head_dim=64)
_tiny = partial(_tiny, vocab=512, context=512)

MODELS: dict[str, Shape] = {
    "qwen3-0.6b": _qwen3(28, 1024, 3072, 16, 8, tied=True),
    "qwen3-1.7b": _qwen3(28, 2048, 6144, 16, 8, tied=True),
    "qwen3-4b": _qwen3(36, 2560, 9728, 32, 8, tied=True),
    "qwen3-8b": _qwen3(36, 4096, 12288, 32, 8, tied=False),
    "qwen2.5-0.5b": Shape(
        "qwen2", 24, 896, 4864, 14, 2, 64, 151936, 32768, 1e6, 1e-6, True, "qwen2"
    ),
    "llama-3.2-1b": _llama3(16, 2048, 8192, 32, 8, 64, tied=True, rope_factor=32.0),
    "llama-3.2-3b": _llama3(28, 3072, 8192, 24, 8, 128, tied=True, rope_factor=32.0),
    "llama-3.1-8b": _llama3(32, 4096, 14336, 32, 8, 128, tied=False, rope_factor=8.0),
    "smollm2-135m": Shape(
        "llama", 30, 576, 1536, 9, 3, 64, 49152, 8192, 1e5, 1e-5, True, "smollm", "Q4_1"
    ),
    "gemma-3-270m": _gemma3(18, 640, 2048, 4, 1, 256, 262144, 32768, window=512),
    "tiny-llama": _tiny(
        "llama", rope_theta=1e5, norm_eps=1e-5, tied=True, pre="smollm", mix="Q4_1"
    ),
    "tiny-qwen2": _tiny("qwen2", rope_theta=1e6, norm_eps=1e-6, tied=True, pre="qwen2"),
    "tiny-qwen3": _tiny("qwen3", rope_theta=1e6, norm_eps=1e-6, tied=False, pre="qwen2"),
    "tiny-gemma3": _gemma3(6, 128, 256, 4, 1, 64, 512, 512, window=24),
}
FILE_TYPES = {"Q4_1": 3, "Q4_K_M": 15}
NARROW = {"Q4_K": "Q5_0", "Q5_K": "Q5_1", "Q6_K": "Q8_0"}
"""What llama.cpp takes instead where a row is not a multiple of 256 weights."""
SPECIALS = {
    "smollm": ("<|endoftext|>", "<|im_start|>", "<|im_end|>"),
    "qwen2": ("<|endoftext|>", "<|im_start|>", "<|im_end|>"),
    "llama-bpe": (
        "<|end_of_text|>",
        "<|begin_of_text|>",
        "<|eot_id|>",
        "<|start_header_id|>",
        "<|end_header_id|>",
    ),
}
"""Control tokens by pre-tokenizer: end of text, begin, end of turn, others."""
CHATML = (
    "{% for message in messages %}{{'<|im_start|>' + message['role'] + '\n' + message['content']"
    " + '<|im_end|>' + '\n'}}{% endfor %}"
    "{% if add_generation_prompt %}{{ '<|im_start|>assistant\n' }}{% endif %}"
)
LLAMA3 = (
    "{{ bos_token }}{% for message in messages %}{{ '<|start_header_id|>' + message['role'] + "
    "'<|end_header_id|>\n\n' + message['content'] | trim + '<|eot_id|>' }}{% endfor %}"
    "{% if add_generation_prompt %}"
    "{{ '<|start_header_id|>assistant<|end_header_id|>\n\n' }}{% endif %}"
)


def synth(
    name: str,
    out_path: str | os.PathLike[str],
    seed: int = 0,
    layers: int | None = None,
    formats_by_role: Mapping[str, str] | None = None,
    overwrite: bool = False,
    progress: Callable[[int, int], None] | None = None,
) -> Path:
    """Write the model `name` (a key of MODELS) with random weights; equal seeds, equal bytes.

    `layers` cuts it short. `formats_by_role` overrides formats: role -> format name, `*` for every
    matrix. Raises BoltbeamError for an unknown name or format, and when the file cannot be written.
    """
    shape = _shape(name, layers)
    tensors = tensor_specs(shape, formats_by_role or {})
    return write(
        Path(out_path),
        metadata(name, shape, seed),
        tensors,
        lambda i, t: contents(t, shape, np.random.default_rng([seed, i])),
        overwrite,
        progress,
    )


@cache
def facts(name: str) -> ModelFacts:
    """What the header of `synth(name, …, seed=0)` says, without its weights."""
    shape = _shape(name, None)
    tensors = tensor_specs(shape, {})
    head = header(metadata(name, shape, 0), tensors)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / f"{name}.gguf"
        path.write_bytes(head)
        os.truncate(path, len(head) + sum(-(-t.bytes // ALIGNMENT) * ALIGNMENT for t in tensors))
        return gguf_model.read(path)


def _shape(name: str, layers: int | None) -> Shape:
    if name not in MODELS:
        near = difflib.get_close_matches(name, MODELS, 1)
        hint = f"did you mean {near[0]}?" if near else "known are " + ", ".join(MODELS)
        raise BoltbeamError(f"synth: no model '{name}'; {hint}")
    shape = MODELS[name]
    if layers is None:
        return shape
    if not 1 <= layers <= shape.layers:
        raise BoltbeamError(f"synth: {layers} layers asked, {name} has 1 to {shape.layers}")
    return replace(shape, layers=layers)


def tensor_specs(shape: Shape, chosen: Mapping[str, str]) -> list[Spec]:
    """Tensors in the order of converted files: layers sorted by name, norms among the matrices."""
    d, ff = shape.d_model, shape.d_ff
    q, kv = shape.heads * shape.head_dim, shape.kv_heads * shape.head_dim
    out: list[tuple[str, int | None, tuple[int, ...]]] = []
    out += [] if shape.tied else [("output", None, (shape.vocab, d))]
    out += [("token_embd", None, (shape.vocab, d))]
    if shape.rope_factor:
        out += [("rope_freqs", None, (shape.head_dim // 2,))]
    block: list[tuple[str, tuple[int, ...]]] = [
        ("attn_norm", (d,)),
        ("ffn_down", (d, ff)),
        ("ffn_gate", (ff, d)),
        ("ffn_up", (ff, d)),
        ("ffn_norm", (d,)),
        ("attn_k", (kv, d)),
        ("attn_output", (d, q)),
        ("attn_q", (q, d)),
        ("attn_v", (kv, d)),
    ]
    if shape.architecture in ("qwen3", "gemma3"):
        block += [("attn_q_norm", (shape.head_dim,)), ("attn_k_norm", (shape.head_dim,))]
    if shape.architecture == "gemma3":
        block += [("post_attention_norm", (d,)), ("post_ffw_norm", (d,))]
    if shape.architecture == "qwen2":
        block += [("attn_q.bias", (q,)), ("attn_k.bias", (kv,)), ("attn_v.bias", (kv,))]
    for layer in sorted(range(shape.layers), key=str):
        out += [(role, layer, dims) for role, dims in block]
    out += [("output_norm", None, (d,))]
    roles = {role for role, _, dims in out if len(dims) > 1}
    for role in chosen:
        if role != "*" and role not in roles:
            known = ", ".join(sorted(roles))
            raise BoltbeamError(f"synth: the model has no matrix '{role}'; it has {known}")
    return [_spec(shape, chosen, *t) for t in out]


def _spec(
    shape: Shape,
    chosen: Mapping[str, str],
    role: str,
    layer: int | None,
    dims: tuple[int, ...],
) -> Spec:
    name = role if role.endswith(".bias") else f"{role}.weight"
    name = name if layer is None else f"blk.{layer}.{name}"
    if len(dims) == 1:
        return Spec(name, dims, formats()["F32"])
    pick = chosen.get(role, chosen.get("*"))
    if pick is None:
        pick = _mixed(shape, role, layer)
        pick = NARROW.get(pick, pick) if dims[-1] % 256 else pick
    elif pick not in RANDOM:
        raise BoltbeamError(f"synth: format '{pick}' for {role}; known are {', '.join(RANDOM)}")
    elif dims[-1] % formats()[pick].block_weights:
        raise BoltbeamError(
            f"synth: rows of {role} have {dims[-1]} weights, not whole {pick} blocks"
        )
    return Spec(name, dims, formats()[pick])


def _mixed(shape: Shape, role: str, layer: int | None) -> str:
    """llama.cpp's choice: a finer head, and for Q4_K_M finer v and down in half of the layers."""
    if role == "output" or (role == "token_embd" and shape.tied):
        return "Q6_K"
    if shape.mix == "Q4_1":
        return "Q4_1"
    if role in ("attn_v", "ffn_down") and layer is not None:
        n, eighth = shape.layers, shape.layers // 8
        if layer < eighth or layer >= 7 * n // 8 or (layer - eighth) % 3 == 2:
            return "Q6_K"
    return "Q4_K"


def metadata(name: str, shape: Shape, seed: int) -> dict[str, Any]:
    """The header's keys, as a converter writes them, and a byte-level vocabulary."""
    arch = shape.architecture
    out: dict[str, Any] = {
        "general.architecture": arch,
        "general.type": "model",
        "general.name": f"{name} (synthetic, seed {seed})",
        f"{arch}.block_count": shape.layers,
        f"{arch}.context_length": shape.context,
        f"{arch}.embedding_length": shape.d_model,
        f"{arch}.feed_forward_length": shape.d_ff,
        f"{arch}.attention.head_count": shape.heads,
        f"{arch}.attention.head_count_kv": shape.kv_heads,
        f"{arch}.rope.freq_base": shape.rope_theta,
        f"{arch}.attention.layer_norm_rms_epsilon": shape.norm_eps,
        "general.file_type": FILE_TYPES[shape.mix],
        f"{arch}.vocab_size": shape.vocab,
        f"{arch}.rope.dimension_count": shape.head_dim,
    }
    if arch == "gemma3":
        out[f"{arch}.attention.sliding_window"] = shape.window
    if arch in ("qwen3", "gemma3"):
        out[f"{arch}.attention.key_length"] = shape.head_dim
        out[f"{arch}.attention.value_length"] = shape.head_dim
    out |= _tokenizer(shape)
    out["general.quantization_version"] = 2
    return out


def _tokenizer(shape: Shape) -> dict[str, Any]:
    specials = SPECIALS[shape.pre]
    words, merges = _words(shape.vocab - len(specials))
    return {
        "tokenizer.ggml.model": "gpt2",
        "tokenizer.ggml.pre": shape.pre,
        "tokenizer.ggml.tokens": [*specials, *words],
        "tokenizer.ggml.token_type": [3] * len(specials) + [1] * len(words),
        "tokenizer.ggml.merges": merges,
        "tokenizer.ggml.bos_token_id": 1,
        "tokenizer.ggml.eos_token_id": 2,
        "tokenizer.ggml.padding_token_id": 0,
        "tokenizer.ggml.add_bos_token": shape.pre == "llama-bpe",
        "tokenizer.chat_template": LLAMA3 if shape.pre == "llama-bpe" else CHATML,
    }


def _words(n: int) -> tuple[list[str], list[str]]:
    """n tokens (256 bytes, then pairs and quadruples of letters) and the merges that make them."""
    letters = "abcdefghijklmnopqrstuvwxyz"
    pairs = [(a, b) for a in letters for b in letters]
    halves = [a + b for a, b in pairs]
    made = pairs[: n - 256]
    made += [(a, b) for a in halves for b in halves[: 1 + n // len(halves)]][: n - 256 - len(made)]
    return byte_alphabet() + [a + b for a, b in made], [f"{a} {b}" for a, b in made]


def contents(tensor: Spec, shape: Shape, rng: np.random.Generator) -> Iterator[bytes]:
    """Random bytes of one tensor, in pieces of at most CHUNK_BYTES (or one row)."""
    if len(tensor.shape) == 1:
        yield _vector(tensor, shape, rng).astype("<f4").tobytes()
        return
    rows, cols = tensor.shape
    step = max(1, CHUNK_BYTES // tensor.format.bytes_for(cols))
    for i in range(0, rows, step):
        yield blocks(tensor.format.name, min(step, rows - i), cols, rng).tobytes()


def _vector(tensor: Spec, shape: Shape, rng: np.random.Generator) -> NDArray[np.float64]:
    (n,) = tensor.shape
    if tensor.name == "rope_freqs.weight":
        return _rope_factors(shape)
    noise = 0.1 * rng.standard_normal(n)
    return noise if tensor.name.endswith(".bias") else 1 + noise


def _rope_factors(shape: Shape) -> NDArray[np.float64]:
    """llama 3: long waves are stretched by rope_factor, short ones kept, between them blended."""
    wave = 2 * math.pi * shape.rope_theta ** (np.arange(0, shape.head_dim, 2) / shape.head_dim)
    keep = np.clip((8192 / wave - 1) / (4 - 1), 0, 1)
    return np.asarray(1 / ((1 - keep) / shape.rope_factor + keep))
