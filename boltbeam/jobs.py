"""What workers do: prove, race, compare, probe and render, from JSON arguments to JSON values.

Takes work items, routes and chip facts as plain data, gives plain data. Never talks to a store or a
ledger; what it remembers is only there to be faster.
"""

from __future__ import annotations

import hashlib
from functools import lru_cache
from typing import Any

from boltbeam import emit, registry, timing, verify
from boltbeam import tinygrad_adapter as tg
from boltbeam.decide import enough
from boltbeam.emit.core import Buf, Launch, Target, shared_buffers
from boltbeam.plan import TABLES
from boltbeam.types import ChipFacts, Geometry, Table, WorkItem

Json = dict[str, Any]

RACE_BATCH_US = 1000.0
RACE_KEEP = 2


def prove(work: Json, route: str, geometry: str, chip: Json, seed: int) -> Json:
    """The Proof of one candidate on its full shape."""
    item, target = WorkItem.model_validate(work), _target(chip)
    relative = registry.tolerances().kernel_relative
    shape = Geometry.parse(geometry)
    found = verify.prove(item, registry.route(route), shape, target, seed, relative)
    return found.model_dump(mode="json")


def race(work: Json, chip: Json, entrants: list[list[str]], seed: int) -> list[list[float]]:
    """[index, microseconds per run, rounds survived] of each [route, geometry], fastest first."""
    item, target = WorkItem.model_validate(work), _target(chip)
    operands = _operands(item.model_dump_json(), target.device, _copies(item, target.chip))
    runs = [
        timing.deploy(_launches(item, route, geometry, target), operands)
        for route, geometry in entrants
    ]
    ranked = timing.race(runs, target.chip, RACE_BATCH_US, keep=RACE_KEEP, seed=seed)
    return [[r.index, r.us, r.rounds] for r in ranked]


def compare(
    work: Json,
    route: str,
    geometry: str,
    chip: Json,
    protocol: str,
    comparisons: int = 1,
    incumbent: list[str] | None = None,
) -> Json:
    """Measurement against stock's schedule of the same work, or against [route, geometry]."""
    item, target = WorkItem.model_validate(work), _target(chip)
    rules = registry.protocols()[protocol]
    copies = _copies(item, target.chip)
    operands = _operands(item.model_dump_json(), target.device, copies)
    candidate = timing.deploy(_launches(item, route, geometry, target), operands)
    if incumbent is None:
        other = _stock(item.model_dump_json(), target.device, copies)
    else:
        other_route, other_geometry = incumbent
        other = timing.deploy(_launches(item, other_route, other_geometry, target), operands)
    found = timing.compare(
        candidate, other, rules, lambda m: enough(m, rules, None, comparisons), target.chip
    )
    return found.model_dump(mode="json")


def probe(device: str) -> Json:
    """Declared and measured facts of the device."""
    from boltbeam import probe as prober

    return prober.measured_chip(device).model_dump(mode="json", exclude_none=True)


def render(work: Json, route: str, geometry: str, chip: Json) -> Json:
    """Source of a candidate as tinygrad renders it for the device, and its hash."""
    item, target = WorkItem.model_validate(work), _target(chip)
    launches = _launches(item, route, geometry, target)
    source = "\n".join(tg.source(launch, target.device) for launch in launches)
    digest = hashlib.sha256(source.encode()).hexdigest()[:16]
    return {"source": source, "source_hash": digest}


def _target(chip: Json) -> Target:
    facts = ChipFacts.model_validate(chip)
    return Target(facts.device, facts)


def _launches(work: WorkItem, route: str, geometry: str, target: Target) -> tuple[Launch, ...]:
    return emit.launches(work, registry.route(route), Geometry.parse(geometry), target)


def _copies(work: WorkItem, chip: ChipFacts) -> int:
    return timing.copies_for(_rotated_bytes(work), chip.get("cache_bytes"))


def _rotated_bytes(work: WorkItem) -> int:
    """Bytes of packed weights and cache that one run may touch."""
    formats = registry.formats()
    weights = sum(formats[t.format].bytes_for(t.rows * t.cols) for t in work.tables)
    cache = 4 * work.kv_heads * work.head_dim * work.context if "attention" in work.ops else 0
    return weights + cache


@lru_cache(maxsize=1)
def _operands(work: str, device: str, copies: int) -> timing.Operands:
    """Operands of the work item in hand; the next one takes their place."""
    return timing.Operands(WorkItem.model_validate_json(work), device, copies)


@lru_cache(maxsize=1)
def _stock(work: str, device: str, copies: int) -> timing.Deployed:
    tg.supply_missing_llm_module()
    operands = _operands(work, device, copies)
    return timing.deploy_stock(operands, natural_inputs(operands.work), tg.has_half(device))


def natural_inputs(work: WorkItem) -> tuple[Buf, ...]:
    """What a span reads from outside, activations as f32 and weights as bytes."""
    shared = shared_buffers(work)
    written: set[str] = set()
    needed: dict[str, Buf] = {}
    norms = 0
    for op in work.ops:
        norms += op == "norm"
        for buf in _reads(work, op, norms, shared):
            if buf.name not in written:
                needed[buf.name] = buf
        written |= set(WRITES[op])
    return tuple(needed.values())


WRITES = {
    "embed": ("x",),
    "norm": ("xn.f32",),
    "qkv": ("qkv",),
    "rope_store": ("q", "cache"),
    "attention": ("att.f32",),
    "o": ("x",),
    "gate_up": ("act.f32",),
    "down": ("x",),
    "head": ("logits",),
    "argmax": ("tok", "pos", "ids"),
}


def _reads(work: WorkItem, op: str, norms: int, shared: dict[str, Buf]) -> list[Buf]:
    tables = [t for t in work.tables if t.role in TABLES.get(op, ())]
    names = {
        "embed": ["tok"],
        "norm": ["x"],
        "rope_store": ["qkv", "rope", "pos", "cache"],
        "attention": ["q", "cache", "pos"],
        "o": ["x"],
        "down": ["x"],
        "argmax": ["logits", "ids", "pos"],
    }.get(op, [])
    if op == "rope_store" and work.qk_norm:
        names += ["n.attn_q_norm", "n.attn_k_norm"]
    bufs = [shared[n] for n in names]
    if op == "norm":
        bufs.append(Buf("n.norm" if norms == 1 else f"n.norm{norms}", work.d_model, "f32"))
    if op in ACTIVATIONS:
        bufs.append(Buf(f"{ACTIVATIONS[op]}.f32", tables[0].cols, "f32"))
    for t in tables:
        bufs.append(Buf(f"w.{t.role}", _bytes(t), "u8"))
        if op == "qkv" and work.qkv_bias:
            bufs.append(Buf(f"b.{t.role}", t.rows, "f32"))
    return bufs


ACTIVATIONS = {"qkv": "xn", "gate_up": "xn", "head": "xn", "o": "att", "down": "act"}


def _bytes(table: Table) -> int:
    return registry.formats()[table.format].bytes_for(table.rows * table.cols)
