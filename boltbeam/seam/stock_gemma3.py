"""Gemma 3 in tinygrad's own Transformer, which has no block for it: the stock of such files.

Takes model facts and a GGUF, gives a Transformer that generates, prefills and keeps its KV cache as
tinygrad's others do. Never generates a kernel: everything here is plain Tensor operations.

What is different from tinygrad's block, as llama.cpp computes it from the same file: the embedding
row times sqrt(d_model); norms after attention and after the FFN, before each joins the stream;
GELU (by tanh) on the gate; and five of six layers that see `window` positions only and turn by a
RoPE base of their own. Norm weights are stored ready to multiply.
"""

from __future__ import annotations

from typing import Any

from tinygrad import Tensor, UOp, function, getenv, nn
from tinygrad.dtype import dtypes
from tinygrad.llm.gguf import gguf_load
from tinygrad.llm.model import (
    Transformer,
    TransformerBlock,
    TransformerConfig,
    apply_rope,
    precompute_freqs_cis,
)
from tinygrad.uop.ops import resolve

from boltbeam.types import ModelFacts


def load(file: Any, facts: ModelFacts, max_context: int) -> tuple[Transformer, dict[str, Any]]:
    """The model of a GGUF (its path or a tensor of its bytes) and its metadata, as
    `Transformer.from_gguf` gives them."""
    metadata, state = gguf_load(file)
    state = {k: v.cast(dtypes.half) if getenv("HALF", 1) else v for k, v in state.items()}
    state.setdefault("output.weight", state["token_embd.weight"])
    model = Gemma3(facts, min(max_context, facts.context_length))
    nn.state.load_state_dict(model, state, verbose=False, consume=True, realize=False)
    if getenv("REALIZE", 0):
        parameters = nn.state.get_parameters(model)
        for p in parameters:
            p.replace(p.contiguous())
        Tensor.realize(*parameters)
    return model, metadata


class Gemma3(Transformer):  # type: ignore[misc]
    """tinygrad's Transformer with Gemma 3's embedding and blocks."""

    def __init__(self, facts: ModelFacts, max_context: int) -> None:
        config = TransformerConfig(
            num_blocks=facts.layers,
            dim=facts.d_model,
            hidden_dim=facts.d_ff,
            n_heads=facts.heads,
            n_kv_heads=facts.kv_heads,
            norm_eps=facts.norm_eps,
            vocab_size=facts.vocab,
            head_dim=facts.head_dim,
            rope_theta=facts.rope_theta,
            rope_dim=facts.rope_dim,
            v_head_dim=facts.head_dim,
            max_context=max_context,
            qk_norm=facts.head_dim,
        )
        super().__init__(config)
        self.token_embd = ScaledEmbedding(facts.vocab, facts.d_model, facts.embed_scale)
        self.blk = [
            Gemma3Block(
                config, facts.theta_of(layer), facts.window if facts.is_local(layer) else None
            )
            for layer in range(facts.layers)
        ]


class ScaledEmbedding(nn.Embedding):  # type: ignore[misc]
    """Rows of the table times a number."""

    def __init__(self, vocab: int, dim: int, scale: float) -> None:
        super().__init__(vocab, dim)
        self.scale = scale

    def __call__(self, ids: Tensor) -> Tensor:
        return super().__call__(ids).float() * self.scale


class Gemma3Block(TransformerBlock):  # type: ignore[misc]
    """One layer; `window`: positions it sees, the token's own among them (None: all)."""

    def __init__(self, config: TransformerConfig, theta: float, window: int | None) -> None:
        super().__init__(config)
        self.theta, self.window = theta, window
        self.post_attention_norm = nn.RMSNorm(config.dim, config.norm_eps)
        self.post_ffw_norm = nn.RMSNorm(config.dim, config.norm_eps)

    def __call__(self, x: Tensor, start_pos: int | UOp) -> Tensor:
        self._init_state(x)

        @function(precompile=True, allow_implicit=True)  # type: ignore[untyped-decorator]
        def run(x: Tensor, start_pos: int | UOp) -> Tensor:
            h = x + self.post_attention_norm(self._attention(self.attn_norm(x), start_pos))
            return (h + self.post_ffw_norm(self._feed_forward(self.ffn_norm(h)))).contiguous()

        return run(x, start_pos)

    def _init_state(self, x: Tensor) -> None:
        if not hasattr(self, "cache_kv"):
            c = self.config
            super()._init_state(x)
            self.freqs_cis = precompute_freqs_cis(
                c.rope_dim, c.max_context, self.theta, device=x.device
            )

    def _feed_forward(self, x: Tensor) -> Tensor:
        return self.ffn_down(self.ffn_gate(x).gelu().contiguous() * self.ffn_up(x))

    def _attention(self, x: Tensor, start_pos: int | UOp) -> Tensor:
        c = self.config
        b, t, _ = x.shape
        q, k, v = (
            project(x).reshape(b, t, heads, c.head_dim).transpose(1, 2)
            for project, heads in (
                (self.attn_q, c.n_heads),
                (self.attn_k, c.n_kv_heads),
                (self.attn_v, c.n_kv_heads),
            )
        )
        turns = self.freqs_cis[start_pos : start_pos + t]
        q, k = (
            apply_rope(h[..., : c.rope_dim], turns).cat(h[..., c.rope_dim :], dim=-1)
            for h in (self.attn_q_norm(q), self.attn_k_norm(k))
        )
        new = Tensor.stack(k, v).cast(dtypes.half)
        store = self.cache_kv[:, :, :, start_pos : start_pos + t, :].uop.store(new.uop)
        cache = Tensor(self.cache_kv.uop.after(store))
        k, v = (cache[half, :, :, : start_pos + t, :] for half in (0, 1))
        mask = self._mask(x, t, start_pos)
        out = q.scaled_dot_product_attention(k, v, attn_mask=mask, enable_gqa=True)
        return self.attn_output(out.transpose(1, 2).reshape(b, t, -1))

    def _mask(self, x: Tensor, t: int | UOp, start_pos: int | UOp) -> Tensor | None:
        """-inf where a token would see later ones, or ones that have left its window."""
        never = Tensor.full((1, 1, t, start_pos + t), float("-inf"), dtype=x.dtype, buffer=False)
        mask = never.triu(start_pos + 1) if resolve(t != 1) else None
        if self.window is None or self.window >= self.config.max_context:
            return mask
        left = never.tril(start_pos - self.window)
        return left if mask is None else mask + left
