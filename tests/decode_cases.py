"""Whole-token plans of first legal geometries, and planted wrong ones, for several test modules."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from boltbeam import bubblebeam, gguf_model, plan, registry
from boltbeam import tinygrad_adapter as tg
from boltbeam.decode_plan import Binder, Member, place
from boltbeam.emit.core import Buf
from boltbeam.types import ChipFacts, Fact, ModelFacts, Part, Route

NO_GROUPS = Fact(value=False, source="tinygrad's CPU device runs one thread")
CHIP = ChipFacts(id="cpu-test", name="test", device="CPU", workgroups=NO_GROUPS)
CONTEXT = 64
PROMPT = (7, 300, 21, 450, 33)


def whole_token(facts: ModelFacts, context: int = CONTEXT, q8: bool = False) -> tuple[Member, ...]:
    """A plan of single steps, each with the first legal geometry of a route in rows form."""
    kinds = ("exact", "q8_activations") if q8 else ("exact",)
    routes = [r for r in registry.routes().values() if r.form == "rows" and r.numerics in kinds]
    options = [o for r in routes if r.kind == "search" for o in _options(facts, context, r)]
    return place(facts, context, options)


def _options(facts: ModelFacts, context: int, route: Route) -> list[plan.Option]:
    out = []
    for occ in plan.occurrences(facts, context, [o for o in route.ops if "+" not in o])[1]:
        legal = (g for g, no in bubblebeam.candidates(occ.work, route, CHIP) if no is None)
        geometry = next(legal, None)
        if geometry is not None:
            cost = 0.5 if route.numerics != "exact" else 1.0
            key, name = occ.work.key, str(geometry)
            out.append(plan.Option(key, route.id, name, route.takes, route.gives, cost))
    return out


def load(path: Path, context: int = CONTEXT) -> tuple[object, ModelFacts, tuple[Path, ...]]:
    model, _ = tg.load_model(path, context, "CPU")
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

    def rope(self) -> object:
        table = tg.read(super().rope()).reshape(self.context, -1)
        return tg.upload(np.roll(table, -1, axis=0), self.device)


WRONG = (WrongLayer, ZeroedTable, LateRope)
