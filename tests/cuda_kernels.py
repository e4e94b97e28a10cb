"""Representative CUDA kernels of every lanes family and format, on the shapes of real models."""

from __future__ import annotations

import re
from collections.abc import Iterator

from known_shapes import qwen3_8b

from boltbeam import emit, registry
from boltbeam.emit import sample
from boltbeam.emit.core import Launch, Target
from boltbeam.models import plan, synth
from boltbeam.predict import bubblebeam
from boltbeam.seam import tinygrad_render
from boltbeam.types import ChipFacts, Geometry, WorkItem

CHIP = registry.chips()["nv-sm90-132sm"]
PACKED = ("Q4_0", "Q4_1", "Q5_0", "Q5_1", "Q8_0", "Q4_K", "Q5_K", "Q6_K")
EXACT = (*PACKED, "F16", "BF16")
TABLE = """
gemv_lanes_q8             down packed groups=4 lanes=8 rows=2 split=2 unroll=2 words=2
gemv_lanes_q8             down Q4_K groups=8 lanes=4 rows=2 split=4 unroll=4 words=8
gemv_lanes_q8             o Q4_K groups=4 lanes=4 rows=4 split=4 unroll=4 words=8
gemv_lanes_q8             qkv Q4_K+Q4_K+Q6_K groups=2 lanes=4 rows=1 split=4 unroll=1 words=4
gemv_lanes_q8             head Q6_K groups=8 lanes=16 rows=4 split=1 unroll=1 words=2
gemv_lanes_q8             down Q4_K groups=2 lanes=16 rows=4 split=4 unroll=2 words=4 ahead=1
gemv_lanes_q8             down Q6_K groups=2 lanes=4 rows=2 split=4 unroll=1 words=4 wide=4 ahead=1
gemv_lanes_q8             down Q6_K groups=4 lanes=8 rows=2 split=1 unroll=1 words=4 wide=8
gemv_lanes_q8             down Q8_0 groups=4 lanes=8 rows=2 split=1 unroll=1 words=8 wide=8
gemv_lanes_planes_q8      down halves groups=4 lanes=16 rows=2 split=1 unroll=1 words=4 ahead=1
gemv_lanes_f32            down exact groups=4 lanes=16 rows=2 split=1 unroll=1 words=2
gemv_lanes_f32            down F32 groups=4 lanes=16 rows=2 split=1 unroll=1 words=4
gemv_lanes_f32            head Q6_K groups=2 lanes=16 rows=4 split=1 unroll=2 words=2
gate_up_lanes_f32_f32     gate_up Q4_K groups=16 lanes=16 rows=2 unroll=1 words=2
gate_up_lanes_f32_q8      gate_up Q4_K groups=16 lanes=16 rows=2 unroll=1 words=2
gate_up_lanes_q8_f32      gate_up Q4_K groups=16 lanes=16 rows=2 unroll=1 words=8
gate_up_lanes_q8_q8       gate_up Q4_K groups=16 lanes=16 rows=2 unroll=1 words=8
chain_lanes_qkv           norm+qkv Q4_K groups=16 lanes=16 rows=2 unroll=1 words=2
chain_lanes_qkv_q8        norm+qkv Q4_K groups=16 lanes=16 rows=2 unroll=1 words=8
chain_lanes_gate_up       norm+gate_up Q4_K groups=16 lanes=16 rows=2 unroll=1 words=2
chain_lanes_gate_up_q8    norm+gate_up packed groups=16 lanes=16 rows=2 unroll=1 words=2
chain_lanes_gate_up_q8    norm+gate_up Q4_K groups=16 lanes=16 rows=2 unroll=1 words=8
chain_lanes_head_f32      head+argmax Q6_K groups=8 lanes=32 rows=4 unroll=1 words=1
chain_lanes_head_q8       head+argmax Q6_K groups=8 lanes=32 rows=4 unroll=1 words=2
chain_lanes_head_q8       head+argmax Q6_K groups=16 lanes=16 rows=4 unroll=1 words=4 wide=4
chain_lanes_gate_up_q8    norm+gate_up Q4_K groups=16 lanes=16 rows=4 unroll=1 words=4 ahead=1
chain_lanes_head_planes   head+argmax Q6_K groups=8 lanes=32 rows=2 unroll=1 words=4 ahead=1
chain_lanes_qkv_planes    norm+qkv Q4_K+Q4_K+Q6_K groups=16 lanes=16 rows=1 unroll=1 words=8 ahead=1
chain_lanes_behind_q8     o+norm Q4_K groups=16 lanes=8 rows=2 split=4 unroll=1 words=8 ahead=1
chain_behind_planes       down+norm Q6_K groups=8 lanes=32 rows=4 split=1 unroll=1 words=4 ahead=1
gemv_lanes_unscaled       qkv packed groups=4 lanes=8 rows=2 split=2 unroll=2 words=2
gemv_lanes_unscaled       qkv Q4_K+Q4_K+Q6_K groups=2 lanes=4 rows=1 split=4 unroll=1 words=4
gate_up_lanes_unscaled_q8 gate_up Q4_K groups=16 lanes=16 rows=2 unroll=1 words=8
chain_lanes_head_unscaled head+argmax Q6_K groups=8 lanes=32 rows=4 unroll=1 words=2
head_planes_unscaled      head+argmax Q6_K groups=8 lanes=32 rows=2 unroll=1 words=4 ahead=1
chain_lanes_norm_head_f32 norm+head Q6_K groups=8 lanes=32 rows=4 unroll=1 words=1
chain_lanes_norm_head_q8  norm+head+argmax Q6_K groups=8 lanes=32 rows=4 unroll=1 words=2
chain_lanes_attention_f32 rope_store+attention - split=16 threads=128
chain_lanes_attention_q8  rope_store+attention - split=32 threads=128
attention_lanes_f32       attention - split=16 threads=128
attention_lanes_q8        attention - split=1 threads=32
stream_lanes_rope_f32    rope_store+attention - ahead=0 lanes=16 split=16 threads=128 unroll=2
stream_lanes_rope_q8     rope_store+attention - ahead=1 lanes=16 split=16 threads=128 unroll=4
stream_lanes_rope_q8     rope_store+attention - ahead=1 lanes=16 split=16 threads=128 unroll=2
stream_lanes_rope_q8     rope_store+attention - ahead=2 lanes=16 split=8 threads=128 unroll=4
stream_lanes_rope_q8     rope_store+attention - ahead=1 lanes=16 lean=1 split=8 threads=256 unroll=4
stream_lanes_rope_f32    rope_store+attention - ahead=2 lanes=8 lean=1 split=8 threads=128 unroll=2
stream_lanes_q8 attention - lanes=8 lean=1 split=8 threads=256 unroll=1
stream_lanes_f32 attention - lanes=8 split=16 threads=128 unroll=1
stream_lanes_q8 attention - lanes=32 split=8 threads=256 unroll=4
solo_lanes_f32      attention - lanes=8 threads=512 unroll=2
solo_lanes_q8       attention - lanes=16 threads=1024 unroll=2
solo_lanes_rope_f32 rope_store+attention - lanes=8 threads=256 unroll=4
solo_lanes_rope_q8  rope_store+attention - lanes=16 threads=512 unroll=4
rope_lanes                rope_store - threads=64
chain_lanes_post_norm_f32 post_norm+norm - threads=128
chain_lanes_post_norm_q8  post_norm+norm - threads=128
norm_lanes_f32            norm - threads=256
norm_lanes_q8             norm - threads=512
embed_lanes               embed all threads=128
argmax_lanes              argmax - split=128 threads=512
"""
"""Route, op, formats, geometry: the last searches' winners, and what stands in for the rest."""
FORMATS = {
    "packed": PACKED,
    "halves": ("Q4_0", "Q5_0", "Q8_0", "Q6_K"),
    "exact": EXACT,
    "all": (*EXACT, "F32"),
    "-": ("",),
}


def cases() -> Iterator[tuple[str, str, str, str]]:
    """(route, op, format, geometry) one by one."""
    for line in TABLE.strip().splitlines():
        name, op, kinds, geometry = line.split(maxsplit=3)
        for kind in FORMATS.get(kinds, (kinds,)):
            yield name, op, kind, geometry


def work_item(op: str, formats: str) -> WorkItem:
    """Qwen3-8B's work item with all its tables in one format, or in those joined by `+`.

    What only Gemma 3 has is of its 270M.
    """
    model = synth.facts("gemma-3-270m") if "post_norm" in op else qwen3_8b()
    _, found = plan.occurrences(model, 512, [op])
    work = found[0].work
    kinds = formats.split("+")
    if len(kinds) == 1:
        kinds *= len(work.tables)
    tables = tuple(
        t.model_copy(update={"format": kind}) for t, kind in zip(work.tables, kinds, strict=True)
    )
    return work.model_copy(update={"tables": tables})


def launches(
    name: str, op: str, kind: str, text: str, chip: ChipFacts = CHIP
) -> Iterator[tuple[str, Launch]]:
    """(`route op format geometry`, launch) of each launch."""
    route, work, geometry = registry.route(name), work_item(op, kind), Geometry.parse(text)
    label = " ".join(filter(None, (name, op, kind, text)))
    for i, launch in enumerate(emit.launches(work, route, geometry, Target("CUDA", chip))):
        yield f"{label} #{i}" if i else label, launch


def rendered(
    name: str, op: str, kind: str, text: str, arch: str = "sm_90", chip: ChipFacts = CHIP
) -> Iterator[tuple[str, str]]:
    """(`route op format geometry`, source) of each launch."""
    for label, launch in launches(name, op, kind, text, chip):
        yield label, tinygrad_render.render(launch, f"CUDA:{arch}")


def before_sm_90(source: str) -> str:
    """A kernel's source for an architecture that starts no kernel early: without its wait."""
    plain, waits = re.subn(r"\[\]\{ asm volatile\(.*?\}\(\)", "0", source)
    assert waits == 1
    return plain


def all_launches() -> Iterator[tuple[str, Launch]]:
    """Label and launch of every kernel of the table; each must be legal on the H200."""
    for name, op, kind, text in cases():
        route, work, geometry = registry.route(name), work_item(op, kind), Geometry.parse(text)
        bad = bubblebeam.route_legal(work, route, CHIP) or bubblebeam.geometry_legal(
            work, route, geometry, CHIP
        )
        assert bad is None, f"{name} {kind} {text}: {bad}"
        yield from launches(name, op, kind, text)
    drawn = sample.launches(work, route, geometry, Target("CUDA", CHIP))  # the last is argmax's
    yield f"sample {op} {text}", drawn[0]


def sources() -> Iterator[tuple[str, str]]:
    """Label and source of every kernel of the table."""
    for label, launch in all_launches():
        yield label, tinygrad_render.render(launch, "CUDA:sm_90")
