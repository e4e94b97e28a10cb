"""Whole-token plans of first legal geometries, and planted wrong ones, for several test modules."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from boltbeam import registry
from boltbeam.emit.core import Buf
from boltbeam.models import gguf_model, plan
from boltbeam.predict import bubblebeam
from boltbeam.seam import tinygrad_adapter as tg
from boltbeam.seam import tinygrad_model
from boltbeam.token.bindings import Binder
from boltbeam.token.decode_plan import Member, place
from boltbeam.types import ChipFacts, Fact, Geometry, ModelFacts, Part, Route

NO_GROUPS = Fact(value=False, source="tinygrad's CPU device runs one thread")
CHIP = ChipFacts(id="cpu-test", name="test", device="CPU", workgroups=NO_GROUPS)
GROUPS = {
    "workgroups": True,
    "simd_width": 8,
    "load_bits": 128,
    "max_threads": 256,
    "local_bytes": 32768,
    "half": False,
    "shuffle": False,
    "dot4": False,
}
CL = ChipFacts(
    id="cl-test",
    name="test",
    device="CL",
    **{k: Fact(value=v, source="any OpenCL device") for k, v in GROUPS.items()},
)
CONTEXT = 64
PROMPT = (7, 300, 21, 450, 33)


def whole_token(
    facts: ModelFacts,
    context: int = CONTEXT,
    q8: bool = False,
    chip: ChipFacts = CHIP,
    spans: tuple[str, ...] = (),
) -> tuple[Member, ...]:
    """A plan of single steps (and of `spans`, which cost what one step does), each with the first
    legal geometry of a route of the chip's form."""
    kinds = ("exact", "q8_activations") if q8 else ("exact",)
    form = "lanes" if chip.get("workgroups") else "rows"
    routes = [r for r in registry.routes().values() if r.form == form and r.numerics in kinds]
    options = [
        o for r in routes if r.kind == "search" for o in _options(facts, context, r, chip, spans)
    ]
    return place(facts, context, options)


def _options(
    facts: ModelFacts, context: int, route: Route, chip: ChipFacts, spans: tuple[str, ...]
) -> list[plan.Option]:
    out, ops = [], [o for o in route.ops if "+" not in o or o in spans]
    for occ in plan.occurrences(facts, context, ops)[1]:
        legal = (g for g, no in bubblebeam.candidates(occ.work, route, chip) if no is None)
        geometry = next(legal, None)
        if geometry is not None:
            cost = 0.5 if route.numerics != "exact" else 1.0
            key, name = occ.work.key, str(geometry)
            out.append(plan.Option(key, route.id, name, route.takes, route.gives, cost))
    return out


def plan_with(
    facts: ModelFacts, context: int, chip: ChipFacts, span: str, route: str
) -> tuple[Member, ...]:
    """A whole token in which `span` goes by the last legal geometry of a route, the most shared, or
    by the one that stands behind its name."""
    name, _, geometry = route.partition(" ")
    found = registry.route(name)
    _, (occurrence,) = plan.occurrences(facts, context, [span])
    work = occurrence.work
    legal = [g for g, no in bubblebeam.candidates(work, found, chip) if no is None]
    chosen = Geometry.parse(geometry) if geometry else legal[-1]
    assert chosen in legal
    mine = [
        Member(step_start=at, work=work, route=name, geometry=chosen) for at in occurrence.starts
    ]
    taken = {i for m in mine for i in m.steps}
    rest = [m for m in whole_token(facts, context, chip=chip) if m.step_start not in taken]
    return tuple(sorted((*mine, *rest), key=lambda m: m.step_start))


def load(path: Path, context: int = CONTEXT) -> tuple[object, ModelFacts, tuple[Path, ...]]:
    model, _ = tinygrad_model.load_model(path, context, "CPU")
    return model, gguf_model.read(path), gguf_model.files(path)


class WrongLayer(Binder):
    """Layer 1's ffn_down is layer 0's."""

    def part(self, role: str, layer: int | None) -> Part:
        return super().part(role, 0 if (role, layer) == ("ffn_down", 1) else layer)


class ZeroedTable(Binder):
    """Layer 1's attn_output is nothing but zeros."""

    def weight(self, part: Part, buf: Buf) -> object:
        if (part.role, part.layer) == ("attn_output", 1):
            return tg.empty(buf, self.device)
        return super().weight(part, buf)


class LateRope(Binder):
    """RoPE turns by one position too many: unseen until the cache is shared with stock."""

    def rope(self, layer: int) -> object:
        table = tg.read(super().rope(layer)).reshape(self.context, -1)
        return tg.upload(np.roll(table, -1, axis=0), self.device)


WRONG = (WrongLayer, ZeroedTable, LateRope)
