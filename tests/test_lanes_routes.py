"""Every lanes route of the registry proves on SmolLM2's shapes: on PoCL, and on an NVIDIA chip."""

from __future__ import annotations

from typing import Any

import pytest

from boltbeam import registry
from boltbeam.emit.core import Target
from boltbeam.predict import bubblebeam
from boltbeam.proof import verify
from boltbeam.types import ChipFacts, Fact, Route, Table, WorkItem

D, FF = 576, 1536
SHAPES = {
    "qkv": (("attn_q", 576, D), ("attn_k", 192, D), ("attn_v", 192, D)),
    "o": (("attn_output", D, 576),),
    "gate_up": (("ffn_gate", FF, D), ("ffn_up", FF, D)),
    "down": (("ffn_down", D, FF),),
    "head": (("output", 4096, D),),
    "embed": (("token_embd", 4096, D),),
}
FACTS: dict[str, dict[str, Any]] = {
    "CL": {"simd_width": 8, "half": False, "shuffle": False, "dot4": False},
    "CUDA": {"simd_width": 32, "half": True, "shuffle": True, "dot4": True},
}


def chip(device: str) -> ChipFacts:
    values = {"load_bits": 128, "max_threads": 1024, "local_bytes": 49152, "workgroups": True}
    facts = {k: Fact(value=v, source="test") for k, v in (values | FACTS[device]).items()}
    return ChipFacts(id=f"test-{device.lower()}", name="test", device=device, **facts)


def work_item(op: str, route: Route) -> WorkItem:
    copied = route.weights == "planes"  # for blocks on half-words
    tables = tuple(
        Table(
            role=role,
            rows=rows,
            cols=cols,
            format="Q8_0" if rows == 4096 or copied else "Q4_1",
        )
        for part in op.split("+")
        for role, rows, cols in SHAPES.get(part, ())
    )
    return WorkItem(
        op=op,
        tables=tables,
        d_model=D,
        heads=9,
        kv_heads=3,
        head_dim=64,
        rope_dim=64,
        rope_interleaved=True,
        norm_eps=1e-5,
        vocab=4096,
        context=512,
    )


def lanes_routes() -> list[tuple[Route, str]]:
    found = registry.routes()
    routes = found.values() if isinstance(found, dict) else found
    return [(r, op) for r in routes if r.form == "lanes" for op in r.ops]


def prove_on(device: str, route: Route, op: str) -> None:
    """The middle one of the legal geometries is right on every element, every time."""
    work, facts = work_item(op, route), chip(device)
    legal = [g for g, bad in bubblebeam.candidates(work, route, facts) if bad is None]
    assert legal, f"{route.id} has no legal geometry for {work.key}"
    proof = verify.prove(work, route, legal[len(legal) // 2], Target(device, facts), 1, 1e-5)
    assert proof.ok, f"{route.id} {op} {legal[len(legal) // 2]}: {proof.reason} {proof.where}"


CASES = [pytest.param(r, op, id=f"{r.id}-{op}") for r, op in lanes_routes()]


@pytest.mark.cl
@pytest.mark.slow
@pytest.mark.parametrize(("route", "op"), CASES)
def test_route_proves_on_pocl(route: Route, op: str) -> None:
    prove_on("CL", route, op)


@pytest.mark.device
@pytest.mark.parametrize(("route", "op"), CASES)
def test_route_proves_on_nvidia(route: Route, op: str) -> None:
    prove_on("CUDA", route, op)
