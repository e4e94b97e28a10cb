"""What a worker does for a search: one function per kind of job.

Takes JSON arguments, gives JSON values. Never decides, never keeps a result: the parent does both.
Operands of the last work item stay on the device, so that its candidates share them.
"""

from __future__ import annotations

import contextlib
import hashlib
from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from boltbeam import emit, registry
from boltbeam.emit.core import Launch, Target
from boltbeam.files import PACKAGE
from boltbeam.measure import timing
from boltbeam.measure.rotation import Operands, copies_for, touched_bytes
from boltbeam.proof import verify
from boltbeam.proof.oracle import inner
from boltbeam.records import decide
from boltbeam.seam import tinygrad_adapter as tg
from boltbeam.seam import tinygrad_cache, tinygrad_model, tinygrad_programs, tinygrad_render
from boltbeam.types import ChipFacts, Geometry, WorkItem

RACE_BATCH_US = 1500.0
RACE_KEEP = 3
Json = Mapping[str, Any]

tinygrad_cache.trust_nothing()  # before a job moves operands to a device, which opens it


def declared(device: str) -> dict[str, Any]:
    """Declared facts of a device."""
    from boltbeam.chip import probe as prober

    return prober.local_chip(device).model_dump(mode="json", exclude_none=True)


def probe(device: str, again: int = 0) -> dict[str, Any]:
    """Declared and measured facts of a device; `again` only tells one probe from the next."""
    from boltbeam.chip import probe as prober

    return prober.measured_chip(device).model_dump(mode="json", exclude_none=True)


def probe_part(part: str, chip: Json, full: bool) -> dict[str, Any]:
    """What one part of a probe measures; `chip` holds what those before it found."""
    from boltbeam.chip import probe as prober

    found = prober.measure_part(part, ChipFacts.model_validate(chip), full)
    return {k: m.model_dump(mode="json", exclude_none=True) for k, m in found.items()}


def prove(work: Json, route: str, geometry: str, chip: Json, seed: int) -> dict[str, Any]:
    """Proof of one candidate."""
    item, target = _item(work), _target(chip)
    bound = registry.tolerances().kernel_relative
    proof = verify.prove(item, registry.route(route), Geometry.parse(geometry), target, seed, bound)
    if proof.ok:
        with contextlib.suppress(OSError):  # who times it makes it again then
            _launches(item, route, geometry, target, again=True)
    return proof.model_dump(mode="json")


def race(
    work: Json,
    entrants: Sequence[Sequence[str]],
    chip: Json,
    seed: int,
    stay: Sequence[int] = (),
) -> list[list[float]]:
    """[index, microseconds per run, rounds survived] of candidates in one race, fastest first.

    `stay`: indexes of entrants that run to the end however slow they are.
    """
    item, target = _item(work), _target(chip)
    operands = _operands(item, target.chip)
    ready = [timing.deploy(_launches(item, r, g, target), operands) for r, g in entrants]
    ranked = timing.race(ready, target.chip, RACE_BATCH_US, keep=RACE_KEEP, seed=seed, stay=stay)
    return [[r.index, r.us, r.rounds] for r in ranked]


def compare(
    work: Json,
    route: str,
    geometry: str,
    chip: Json,
    protocol: str,
    comparisons: int,
    incumbent: Sequence[str] = (),
) -> dict[str, Any]:
    """Interleaved blocks of one candidate against stock's schedule of the same work.

    `incumbent`: [route, geometry] to compare with instead. An Outcome (it has a verdict) in place
    of the Measurement where one of the two computes something else while it is timed.
    """
    item, target = _item(work), _target(chip)
    candidate = _deployed(item, route, geometry, target)
    if incumbent:
        other = _deployed(item, incumbent[0], incumbent[1], target)
    else:
        other = _stock(item, target.chip)
    rules = registry.protocols()[protocol]
    enough = partial(decide.enough, protocol=rules, comparisons=comparisons)
    try:
        blocks = timing.compare(candidate, other, rules, enough, target.chip)
    except timing.TimedWrong as e:
        return e.outcome.model_dump(mode="json")
    return blocks.model_dump(mode="json")


def source(work: Json, route: str, geometry: str, chip: Json) -> str:
    """The text of a candidate's kernels: its sha256 begins with the row's `source_hash`."""
    target = _target(chip)
    return verify.rendered(_launches(_item(work), route, geometry, target), target.device)


def schedule_list(model: str, context: int, chip: Json) -> list[dict[str, Any]]:
    """{kernel, count, bytes} of every kernel of the token, with tinygrad's own choice timed."""
    from boltbeam.schedule import schedule_beam, schedules

    facts = ChipFacts.model_validate(chip)
    out = []
    for kernel in _token(model, context, facts).values():
        default = schedule_beam.measure_default(kernel, facts)
        seen = schedules.listed(kernel, context, default).model_dump(mode="json")
        out.append({"kernel": seen, "count": kernel.count, "bytes": kernel.nbytes})
    return out


def schedule_key(model: str, context: int, chip: Json) -> str:
    """Plan key of the token in tinygrad's own kernels; nothing is timed."""
    from boltbeam.schedule import schedule_beam, schedules

    kernels = _token(model, context, ChipFacts.model_validate(chip)).values()
    return schedules.token_key(schedule_beam.work_item(k, context) for k in kernels)


def schedule_kernel(
    model: str,
    context: int,
    key: str,
    effort: Json,
    seed: int,
    chip: Json,
    seconds: float,
    share: float,
    hints: Sequence[str],
    comparisons: int,
) -> dict[str, Any]:
    """KernelResult of one kernel of the token, by its stable key."""
    from boltbeam.schedule import schedule_beam

    facts = ChipFacts.model_validate(chip)
    found = schedule_beam.search_kernel(
        _token(model, context, facts)[key],
        facts,
        context,
        seconds,
        share=share,
        hints=hints,
        seed=seed,
        effort=schedule_beam.Effort.model_validate(effort),
        comparisons=comparisons,
    )
    return found.model_dump(mode="json")


# ---- kept between jobs -----------------------------------------------------------------------

_KEPT: dict[str, Any] = {}


def _code() -> str:
    """Identity of what makes kernels: boltbeam's code and formats, and tinygrad's rendering."""
    files = [*sorted(PACKAGE.rglob("*.py")), registry.registry_dir() / "formats.toml"]
    texts = (f.read_bytes() for f in files)
    return hashlib.sha256(b"".join(texts) + tinygrad_programs.code().encode()).hexdigest()


CODE = _code()
"""As this process began: a kernel of other code is made again."""


def _operands(work: WorkItem, chip: ChipFacts) -> Operands:
    """Operands of this work item, made once while jobs are about it."""
    if _KEPT.get("work") != work.key:
        _KEPT.clear()
        copies = copies_for(touched_bytes(work), chip.cold_cache_bytes)
        kind = "random" if chip.exact_stock else "normal"
        made = Operands(work, chip.device, copies, kind=kind)
        _KEPT.update(work=work.key, operands=made)
    operands: Operands = _KEPT["operands"]
    return operands


def _deployed(work: WorkItem, route: str, geometry: str, target: Target) -> timing.Deployed:
    """A candidate as it is timed, with what its outputs are held against."""
    how = registry.route(route)
    exact = timing.Exact(registry.tolerances().kernel_relative, how.takes, inner(work, how))
    launches = _launches(work, route, geometry, target)
    return timing.deploy(launches, _operands(work, target.chip), exact)


def _token(model: str, context: int, chip: ChipFacts) -> dict[str, Any]:
    """Stable key -> kernel of the model's token, listed once while jobs are about it."""
    from boltbeam.seam import tinygrad_schedule

    about = f"{model}|{context}"
    if _KEPT.get("work") != about:
        _KEPT.clear()
        loaded, _ = tinygrad_model.load_model(Path(model), context, chip.device)
        kernels = tinygrad_schedule.token_kernels(loaded, chip.device)
        _KEPT.update(work=about, kernels={k.key: k for k in kernels})
    found: dict[str, Any] = _KEPT["kernels"]
    return found


def _stock(work: WorkItem, chip: ChipFacts) -> timing.Deployed:
    """The incumbent of this work item, captured once while jobs are about it."""
    operands = _operands(work, chip)
    if "stock" not in _KEPT:
        from boltbeam.emit import stock

        tg.supply_missing_llm_module()
        half = tg.has_half(chip.device)
        exact = timing.Exact(registry.tolerances().stock_relative, flushes=not chip.exact_stock)
        _KEPT["stock"] = timing.deploy_stock(operands, stock.takes(work), half, exact)
    ready: timing.Deployed = _KEPT["stock"]
    return ready


def _item(work: Json) -> WorkItem:
    return WorkItem.model_validate(work)


def _target(chip: Json) -> Target:
    facts = ChipFacts.model_validate(chip)
    return Target(facts.device, facts)


def _launches(
    work: WorkItem, route: str, geometry: str, target: Target, again: bool = False
) -> tuple[Launch, ...]:
    """The candidate's launches, ready to be run; every worker finds what another has proved."""
    how = registry.route(route)
    launches = emit.launches(work, how, Geometry.parse(geometry), target)
    chip = target.chip.model_copy(update={"measured": {}})
    made_of = (work, how, chip)
    about = [CODE, geometry, *(x.model_dump_json(exclude_none=True) for x in made_of)]
    for i, launch in enumerate(launches):
        name = hashlib.sha256("\n".join((*about, str(i))).encode()).hexdigest()[:32]
        tinygrad_render.prepare(launch, target.device, name, again)
    return launches
