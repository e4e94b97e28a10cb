"""Facts of two models and two chips, written by hand for tests: no GGUF, no device needed."""

from __future__ import annotations

from boltbeam.registry import formats
from boltbeam.types import ChipFacts, Fact, Measured, ModelFacts, Part, Table, WorkItem


def part(role: str, layer: int | None, shape: tuple[int, ...], fmt: str) -> Part:
    weights = 1
    for n in shape:
        weights *= n
    prefix = "" if layer is None else f"blk.{layer}."
    size = formats()[fmt].bytes_for(weights)
    return Part(
        name=f"{prefix}{role}.weight",
        role=role,
        layer=layer,
        shape=shape,
        format=fmt,
        bytes=size,
        file=0,
        offset=0,
    )


def smollm2() -> ModelFacts:
    """SmolLM2-135M-Instruct Q4_1: tied Q8_0 head, llama architecture."""
    d, ff, kv = 576, 1536, 192
    parts = [part("token_embd", None, (49152, d), "Q8_0"), part("output_norm", None, (d,), "F32")]
    for i in range(30):
        parts += [
            part("attn_norm", i, (d,), "F32"),
            part("attn_q", i, (d, d), "Q4_1"),
            part("attn_k", i, (kv, d), "Q4_1"),
            part("attn_v", i, (kv, d), "Q4_1"),
            part("attn_output", i, (d, d), "Q4_1"),
            part("ffn_norm", i, (d,), "F32"),
            part("ffn_gate", i, (ff, d), "Q4_1"),
            part("ffn_up", i, (ff, d), "Q4_1"),
            part("ffn_down", i, (d, ff), "Q4_1"),
        ]
    return ModelFacts(
        architecture="llama",
        name="SmolLM2 135M",
        layers=30,
        d_model=d,
        d_ff=ff,
        heads=9,
        kv_heads=3,
        head_dim=64,
        rope_dim=64,
        rope_theta=100000.0,
        rope_interleaved=True,
        qk_norm=False,
        qkv_bias=False,
        norm_eps=1e-5,
        vocab=49152,
        context_length=8192,
        tied_head=True,
        parts=tuple(parts),
        header_hash="0" * 16,
    )


def qwen3_8b() -> ModelFacts:
    """Qwen3-8B Q4_K_M: half of v and down in Q6_K, untied Q6_K head."""
    d, ff, kv = 4096, 12288, 1024
    parts = [
        part("token_embd", None, (151936, d), "Q4_K"),
        part("output", None, (151936, d), "Q6_K"),
        part("output_norm", None, (d,), "F32"),
    ]
    for i in range(36):
        more = "Q6_K" if i % 2 else "Q4_K"
        parts += [
            part("attn_norm", i, (d,), "F32"),
            part("attn_q", i, (d, d), "Q4_K"),
            part("attn_k", i, (kv, d), "Q4_K"),
            part("attn_v", i, (kv, d), more),
            part("attn_output", i, (d, d), "Q4_K"),
            part("ffn_norm", i, (d,), "F32"),
            part("ffn_gate", i, (ff, d), "Q4_K"),
            part("ffn_up", i, (ff, d), "Q4_K"),
            part("ffn_down", i, (d, ff), more),
        ]
    return ModelFacts(
        architecture="qwen3",
        name="Qwen3 8B",
        layers=36,
        d_model=d,
        d_ff=ff,
        heads=32,
        kv_heads=8,
        head_dim=128,
        rope_dim=128,
        rope_theta=1e6,
        rope_interleaved=False,
        qk_norm=True,
        qkv_bias=False,
        norm_eps=1e-6,
        vocab=151936,
        context_length=40960,
        tied_head=False,
        parts=tuple(parts),
        header_hash="1" * 16,
    )


def work(op: str, *tables: Table, **changes: object) -> WorkItem:
    """A SmolLM2-shaped work item with these tables."""
    base = {
        "op": op,
        "tables": tables,
        "d_model": 576,
        "heads": 9,
        "kv_heads": 3,
        "head_dim": 64,
        "rope_dim": 64,
        "norm_eps": 1e-5,
        "vocab": 49152,
        "context": 512,
    }
    return WorkItem.model_validate({**base, **changes})


def table(role: str, rows: int, cols: int, fmt: str) -> Table:
    return Table(role=role, rows=rows, cols=cols, format=fmt)


DOWN = work("down", table("ffn_down", 576, 1536, "Q4_1"))
HEAD = work("head", table("output", 49152, 576, "Q8_0"))


def rate(value: float) -> Measured:
    return Measured(value=value, unit="", how="written for a test", date="2026-11-29")


def declared(value: object) -> Fact:
    return Fact(value=value, source="written for a test")


def cpu(**changes: object) -> ChipFacts:
    """A CPU with 16-lane vectors, rates of the order of one AVX-512 core's."""
    rates = {
        "read_gbps": 30.0,
        "cached_gbps": 119.0,
        "latency_ns": 130.0,
        "fma_chain_ns": 0.9,
        "unpack_gwps": 66.0,
        "toll_us": 5.0,
    }
    base = ChipFacts(
        id="cpu-test",
        name="a CPU",
        device="CPU",
        workgroups=declared(False),
        simd_width=declared(16),
        measured={k: rate(v) for k, v in rates.items()},
    )
    return base.model_copy(update=changes)
