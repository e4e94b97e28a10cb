"""A bench as ledger lines: what was timed, what ran, on which machine in which state.

Takes rows of a bench, the plan that ran and the ledger it rests on, gives sealed entries. Never
times anything, and never records a plan whose lines are in no ledger.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from statistics import median
from typing import Any

from boltbeam.measure import clocks
from boltbeam.measure.timing import host_load
from boltbeam.models import decode_support
from boltbeam.models.plan import model_plan_key
from boltbeam.records import decisions, standing
from boltbeam.records.benches import Bench, EngineTurns
from boltbeam.records.entries import Decision, LedgerRow, Member
from boltbeam.records.ledger import Layers, sealed
from boltbeam.records.record import Environment
from boltbeam.token import promotable, promotion
from boltbeam.token.bench import BenchRow
from boltbeam.token.token_process import Engine
from boltbeam.types import ModelFacts

RATE = "read_gbps"


class Watch:
    """The machine while engines take turns: looked at before the first and after each."""

    def __init__(self, device: str) -> None:
        self.device = device
        self.states: list[clocks.State] = []

    def __call__(self) -> None:
        self.states.append(clocks.state(self.device))

    def told(self) -> dict[str, Any]:
        """As fields of a Bench. The clock before the first turn may be that of an idle chip, and
        is left out."""
        first, after = self.states[0], self.states[1:]
        pairs = zip(self.states, after, strict=False)
        throttled = [t for a, b in pairs if (t := clocks.throttled(a, b)) is not None]
        mhz, watts, warmth = (
            [v for s in after if (v := getattr(s, name)) is not None]
            for name in ("clock_mhz", "power_w", "temperature_c")
        )
        return {
            "clock_mhz": median(mhz) if mhz else None,
            "power_w": median(watts) if watts else None,
            "temperature_c": max(warmth, default=None),
            "throttled": any(throttled) if throttled else None,
            "load": host_load(),
            "waiting_share": clocks.waiting(first, after[-1]),
            "stalled_share": clocks.stalled(first, after[-1]),
        }


def nominated(search: Mapping[str, Any], engine: Engine, layers: Layers) -> tuple[Member, ...]:
    """The members of a search's plan (`Store.last_whole`) with the rows that speak for them, and
    the emitters that build them now. BoltbeamError: these layers lack a row."""
    found = search["summary"]
    promotable.require_rows(search["id"], found, layers, "bench --record")
    rows = {r.id: r for r in layers.rows(chip=engine.chip.id)}
    now = promotion.emitter_hashes(engine.members, engine.chip)

    def member(row: LedgerRow) -> Member:
        built = now[row.work, row.route, row.geometry]
        return decisions.member(row).model_copy(update={"emitter_hash": built})

    return tuple(member(rows[m["row"]]) for m in found["members"])


def about(
    engine: Engine,
    facts: ModelFacts,
    decision: Decision | None,
    members: Sequence[Member],
    layers: Layers,
    env: Environment,
) -> dict[str, Any]:
    """What every line of a bench has alike, as fields of a Bench."""
    sizes: Counter[str] = Counter()
    for p in facts.parts:
        sizes[p.format] += p.bytes * p.is_matrix
    plan_key = decision.scope.plan_key if decision else ""
    if not plan_key and not decode_support.no_generated_decode(facts):
        plan_key = model_plan_key(facts, engine.context)
    return {
        **{name: v for name, v in env.fields().items() if name in Bench.model_fields},
        "plan_key": plan_key,
        "plan": decision.id if decision else "",
        "context": engine.context,
        "members": tuple(members),
        "architecture": facts.architecture,
        "formats": tuple(name for name, size in sizes.most_common() if size),
        "model_bytes": sum(p.bytes for p in facts.parts),
        **(_floor(engine, facts, layers) if engine.members else {}),
    }


def _floor(engine: Engine, facts: ModelFacts, layers: Layers) -> dict[str, Any]:
    """Bytes of a token's matrices and what reading them takes, by the probe of the highest rate: a
    ceiling is what was ever reached."""
    chip, _ = standing.with_probes(layers, engine.chip)
    size = promotion.token_bytes(facts, chip, engine.context)
    probes = [r for r in layers.rows(chip=chip.id, kind="probe") if RATE in r.measured]
    if size is None or not probes:
        return {"token_bytes": size}
    best = max(probes, key=lambda r: r.measured[RATE].value)
    floor_us = size / (best.measured[RATE].value * 1e3)
    return {"token_bytes": size, "floor_us": floor_us, "probe": best.id}


def entry(rows: Sequence[BenchRow], known: Mapping[str, Any], state: Mapping[str, Any]) -> Bench:
    """The line of one depth: `known` is from `about`, `state` from the watch over its turns."""
    first = rows[0]
    engines = tuple(
        EngineTurns(
            engine=r.engine,
            version=r.build_commit,
            backends=r.backends,
            samples_s=tuple(ns * 1e-9 for ns in r.samples_ns),
            start_s=r.start_s,
            ttft_s=None if r.ttft_ns is None else r.ttft_ns * 1e-9,
        )
        for r in rows
    )
    turns = {"depth": first.n_depth, "n_gen": first.n_gen, "n_prompt": first.ttft_n_prompt}
    fields = {**known, **state, **turns, "date": decisions.now(), "engines": engines}
    return sealed(Bench.model_validate(fields))
