"""What the decode step of a supported architecture is made of, and what stands in its way.

Takes parts and facts, gives reasons as text. Never reads a file; fails closed: a part that is not
part of the known decode is an obstacle, not something to leave out.
"""

from __future__ import annotations

from collections.abc import Iterator

from boltbeam.types import BoltbeamError, ModelFacts, Part

SUPPORTED = ("llama", "qwen2", "qwen3", "gemma3")
"""Architectures whose decode step is known; anything else fails closed."""
STOCK_ARCHITECTURES = frozenset(
    [
        *SUPPORTED,
        "qwen3moe",
        "qwen35",
        "qwen35moe",
        "olmoe",
        "glm4moe",
        "deepseek2",
        "kimi-linear",
    ]
)
"""Architectures that can be run as stock; others load in tinygrad 0.14.0 and talk nonsense.
gemma3's layers are not tinygrad's but boltbeam's (`stock_gemma3`), in tinygrad's operations."""
LAYER_ROLES = (
    "attn_norm",
    "attn_q",
    "attn_k",
    "attn_v",
    "attn_output",
    "ffn_norm",
    "ffn_gate",
    "ffn_up",
    "ffn_down",
)
QK_NORMS = ("attn_q_norm", "attn_k_norm")
QKV_BIASES = ("attn_q.bias", "attn_k.bias", "attn_v.bias")
POST_NORMS = ("post_attention_norm", "post_ffw_norm")
EXTRA_ROLES = {
    "llama": (),
    "qwen2": QKV_BIASES,
    "qwen3": QK_NORMS,
    "gemma3": (*QK_NORMS, *POST_NORMS),
}
"""Roles of every layer beside LAYER_ROLES, per architecture."""
HARMLESS = {"rope_freqs": "llama 3 frequency factors: stock tinygrad ignores them, so do we"}
"""Uncovered roles that do not stop a decode."""
EMITTED = frozenset(
    ("F32", "F16", "BF16", "Q4_0", "Q4_1", "Q5_0", "Q5_1", "Q8_0", "Q4_K", "Q5_K", "Q6_K")
)
"""Formats of matrices that a generated kernel may read."""
STOCK = EMITTED | {"IQ2_S", "IQ3_XXS", "IQ3_S", "IQ4_XS", "MXFP4", "Q1_0"}
"""Formats of matrices that tinygrad 0.14.0 can read at all."""
NEEDED = (
    "block_count",
    "context_length",
    "embedding_length",
    "attention.head_count",
    "attention.head_count_kv",
    "attention.layer_norm_rms_epsilon",
    "rope.freq_base",
)
"""Metadata keys without which tinygrad's runner cannot load a supported architecture."""
NEEDED_BY = {"gemma3": ("attention.sliding_window",)}
"""Further keys that an architecture cannot do without."""
SOFT_CAPS = ("attn_logit_softcapping", "final_logit_softcapping")
"""Keys of numbers that must be 0: no decode squeezes its scores or logits."""
GEMMA3_PERIOD, GEMMA3_LOCAL_THETA, GEMMA3_27B_LAYERS = 6, 10000.0, 62
"""What a gemma3 file need not say: every 6th layer is global, local ones turn by base 10,000; and
the model of 62 layers, alone, scales its scores by another size than the heads'."""


def _covered(architecture: str) -> frozenset[str]:
    extra = EXTRA_ROLES.get(architecture, ())
    return frozenset((*LAYER_ROLES, *extra, "token_embd", "output", "output_norm"))


def obstacle(part: Part, architecture: str, layers: int) -> str | None:
    """Why a decode without this part would not be the model's, or None."""
    if part.role in HARMLESS:
        return None
    if part.role not in _covered(architecture):
        return f"role {part.role} is not part of the {architecture} decode"
    if (part.layer is None) != (part.role in ("token_embd", "output", "output_norm")):
        return f"{part.role} stands at an unexpected place"
    if part.layer is not None and part.layer >= layers:
        return f"its layer is beyond the {layers} of the model"
    if part.is_matrix and part.format not in STOCK:
        return f"tinygrad 0.14.0 cannot read {part.format}"
    return None


def gap(part: Part) -> str | None:
    """Why no generated kernel handles this part though stock tinygrad goes on, or None."""
    if part.is_matrix and part.format not in EMITTED:
        return f"no generated kernel reads {part.format}"
    return HARMLESS.get(part.role)


def require_supported(facts: ModelFacts) -> None:
    """Raise BoltbeamError, naming the reason, unless this model's decode step is known."""
    if facts.architecture not in SUPPORTED:
        raise BoltbeamError(
            f"architecture '{facts.architecture}' is not supported; "
            f"supported are {', '.join(SUPPORTED)} (`boltbeam inspect` lists the parts)"
        )
    problem = next(_problems(facts), None)
    if problem:
        raise BoltbeamError(f"{facts.architecture} model: {problem}; use another file of the model")


def require_runnable(facts: ModelFacts) -> None:
    """Raise BoltbeamError unless tinygrad's runner computes this model, generated decode or not."""
    if facts.architecture in SUPPORTED or facts.architecture not in STOCK_ARCHITECTURES:
        return require_supported(facts)
    for p in facts.parts:
        if p.is_matrix and p.format not in STOCK:
            raise BoltbeamError(
                f"{facts.architecture} model: {p.name}: tinygrad 0.14.0 cannot read {p.format}; "
                "use another file of the model"
            )
    return None


def require_context(facts: ModelFacts, context: int | None) -> None:
    """Raise BoltbeamError where a KV cache of `context` positions is more than the model has."""
    if context is not None and context > facts.context_length:
        raise BoltbeamError(
            f"--context {context}: the model's context is {facts.context_length}; lower it"
        )


def incomplete(facts: ModelFacts) -> str:
    """Which tensor of a supported architecture's decode is missing, the first one; or ''."""
    if facts.architecture not in SUPPORTED:
        return ""
    return next((x for x in _shape_problems(facts) if x.endswith(_MISSING)), "")


def no_generated_decode(facts: ModelFacts) -> str:
    """Why generated kernels cannot do this model's whole token, or ''."""
    if facts.architecture not in SUPPORTED:
        return f"no generated decode of architecture {facts.architecture}"
    gaps = (f"{p.name}: {why}" for p in facts.parts if p.is_matrix and (why := gap(p)))
    return next(gaps, "")


def _problems(facts: ModelFacts) -> Iterator[str]:
    """Why the decode step of a supported architecture would not be this model's."""
    for name in ("layers", "d_model", "d_ff", "heads", "kv_heads", "head_dim", "rope_dim", "vocab"):
        if getattr(facts, name) < 1:
            yield f"{name} is 0 in the metadata, or not given"
    if facts.kv_heads < 1 or facts.heads % facts.kv_heads:
        yield f"{facts.heads} heads do not divide into {facts.kv_heads} KV heads"
    if not facts.norm_eps:
        yield "attention.layer_norm_rms_epsilon is 0 in the metadata, or not given"
    gemma3 = facts.architecture == "gemma3"
    if not facts.rope_theta or (gemma3 and not facts.rope_theta_local):
        yield "a rope.freq_base is 0 in the metadata"
    if gemma3 and not facts.window:
        yield "attention.sliding_window is 0 in the metadata, or not given"
    if facts.rope_dim % 2 or facts.rope_dim > facts.head_dim:
        yield f"RoPE over {facts.rope_dim} of {facts.head_dim} head dimensions"
    if gemma3 and facts.layers == GEMMA3_27B_LAYERS:
        yield f"{facts.layers} layers: the 27B model's attention scale is not known here"
    if facts.rope_interleaved and facts.rope_dim != facts.head_dim:
        yield f"RoPE over {facts.rope_dim} of {facts.head_dim} dimensions: tinygrad mixes up k"
    yield from _shape_problems(facts)
    for p in facts.parts:
        reason = obstacle(p, facts.architecture, facts.layers)
        if reason:
            yield f"{p.name}: {reason}"
    names = {p.name for p in facts.parts}
    for u in facts.uncovered:
        if u.name not in names:
            yield f"{u.name}: {u.reason}"


def expected_shapes(facts: ModelFacts) -> dict[str, tuple[int, ...]]:
    """The shape each role of the decode must have, by role."""
    d, ff, hd, vocab = facts.d_model, facts.d_ff, facts.head_dim, facts.vocab
    q, kv = facts.heads * hd, facts.kv_heads * hd
    return {
        "token_embd": (vocab, d),
        "output": (vocab, d),
        "output_norm": (d,),
        "attn_norm": (d,),
        "post_attention_norm": (d,),
        "post_ffw_norm": (d,),
        "ffn_norm": (d,),
        "attn_q": (q, d),
        "attn_k": (kv, d),
        "attn_v": (kv, d),
        "attn_output": (d, q),
        "ffn_gate": (ff, d),
        "ffn_up": (ff, d),
        "ffn_down": (d, ff),
        "attn_q_norm": (hd,),
        "attn_k_norm": (hd,),
        "attn_q.bias": (q,),
        "attn_k.bias": (kv,),
        "attn_v.bias": (kv,),
    }


_MISSING = "is missing"


def _shape_problems(facts: ModelFacts) -> Iterator[str]:
    shapes = expected_shapes(facts)
    extra: tuple[str, ...] = EXTRA_ROLES[facts.architecture]
    if facts.architecture == "qwen2" and not facts.qkv_bias:
        extra = ()
    wanted: list[tuple[str, int | None]] = [("token_embd", None), ("output_norm", None)]
    wanted += [] if facts.tied_head else [("output", None)]
    for n in range(min(facts.layers, len(facts.parts))):
        wanted += [(role, n) for role in (*LAYER_ROLES, *extra)]
    for role, layer in wanted:
        part = facts.part(role, layer)
        where = role if layer is None else f"blk.{layer}.{role}"
        if part is None:
            yield f"tensor {where} {_MISSING}"
        elif part.shape != shapes[role]:
            yield f"tensor {where} is {part.shape}, the metadata asks for {shapes[role]}"
    if facts.layers > len(facts.parts):
        yield f"{facts.layers} layers but {len(facts.parts)} tensors"
