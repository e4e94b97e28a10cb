"""Renders the kernel of a ledger row again, without a device, to compare its source hash.

Takes rows, gives source text and differences. What a row does not say (the epsilon of a norm) is
tried: a hash that fits proves the guess. Never runs a kernel.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from boltbeam import emit, registry
from boltbeam.chip import chip_facts
from boltbeam.emit.core import Target
from boltbeam.models import plan
from boltbeam.proof import verify
from boltbeam.records.entries import LedgerRow
from boltbeam.records.red_flags import Difference
from boltbeam.seam import tinygrad_adapter as tg
from boltbeam.seam import tinygrad_render
from boltbeam.types import UNSCALED, BoltbeamError, ChipFacts, Fact, Geometry, WorkItem

EPSILONS = (1e-5, 1e-6, 1e-12)
"""Norm epsilons of the models people run, the usual ones first."""

NORMS = frozenset({"norm", "post_norm"})
"""Ops whose kernels hold an epsilon; so do heads with a norm, and who takes a stream unscaled."""

CONTEXT = 512
"""Positions of a search that names none."""


@dataclass(frozen=True)
class Kernel:
    """One launch of a row: its name and the text that is compiled."""

    name: str
    source: str


@dataclass(frozen=True)
class Rendered:
    """A row's kernels in order; `fits` where their texts together have the row's hash."""

    kernels: tuple[Kernel, ...]
    fits: bool
    emitters_fit: bool
    """The emitters here are those that the row was made with."""

    @property
    def source(self) -> str:
        return "\n".join(k.source for k in self.kernels)


def differences(rows: Sequence[LedgerRow]) -> dict[str, Difference]:
    """Row id -> what is wrong with its source hash; rows that fit are left out.

    A kernel that the same emitters render otherwise is a forgery or a bug. Where the emitters have
    changed since, the row is history: only a plan must not rest on it.
    """
    found = {}
    for row in rows:
        try:
            again = render(row)
        except BoltbeamError as e:
            found[row.id] = Difference("unrendered", str(e), False)
            continue
        if again is None:
            said = f"{row.route} {row.geometry} does not render on {row.work}"
            found[row.id] = Difference("source", said, True)
        elif not again.fits:
            here = "the same emitters" if again.emitters_fit else "emitters that have changed since"
            said = f"{row.source_hash} cited, {verify.digest(again.source)} rendered by {here}"
            found[row.id] = Difference("source", said, again.emitters_fit)
    return found


def render(row: LedgerRow, items: Iterable[WorkItem] = ()) -> Rendered | None:
    """The row's kernel as tinygrad renders it now; None: its route does not emit it.

    `items`: the work items it may be of; without them its key says it. BoltbeamError where this
    cannot be told here: another tinygrad, a chip or a work item that cannot be rebuilt from its
    name.
    """
    if row.tinygrad and row.tinygrad != tg.version():
        raise BoltbeamError(f"made with tinygrad {row.tinygrad}, here is {tg.version()}")
    route = registry.routes().get(row.route)
    if route is None:
        raise BoltbeamError(f"no route {row.route} here")
    if route.kind != "search":
        raise BoltbeamError("tinygrad's own kernel of a model, which is not here")
    last: Rendered | None = None
    likely = tuple(items) or works(row.work, context_of(row), route.takes)
    for work, (chip, name) in itertools.product(likely, targets(row.chip)):
        try:
            geometry = Geometry.parse(row.geometry)
            launches = emit.launches(work, route, geometry, Target(chip.device, chip))
            made = tuple(Kernel(x.name, tinygrad_render.render(x, name)) for x in launches)
        except (ValueError, KeyError):
            continue
        text = "\n".join(k.source for k in made)
        emitters = verify.emitter_hash(launches) == row.emitter_hash
        again = Rendered(made, verify.digest(text) == row.source_hash, emitters)
        if again.fits:
            return again
        if last is None or again.emitters_fit:
            last = again
    return last


def context_of(row: LedgerRow) -> int:
    """Positions that the search of a row was for, by its command."""
    found = re.search(r"--context[ =](\d+)", row.command)
    return int(found[1]) if found else CONTEXT


def works(key: str, context: int = CONTEXT, takes: str = "f32") -> Iterator[WorkItem]:
    """Work items that a key may stand for, done by a route that takes its activation in this
    interface. BoltbeamError where it cannot be read."""
    work = plan.work_of_key(key, context)
    if work is None:
        raise BoltbeamError(f"work key {key} cannot be read back")
    normed = bool(NORMS & set(work.ops)) or work.qk_norm or takes == UNSCALED
    for eps in EPSILONS if normed else EPSILONS[:1]:
        yield work.model_copy(update={"norm_eps": eps})


def targets(chip: str) -> list[tuple[ChipFacts, str]]:
    """(facts that emitters look at, renderer) of a chip by its id; two where one fact is unknown.

    BoltbeamError for an id that names no chip that kernels are rendered for.
    """
    kind, _, rest = chip.partition("-")
    known = registry.chips().get(chip) or chip_facts.nvidia_by_id(chip)
    if kind == "nv" and known is not None:
        early = known.get("dependent_launch")
        other = None if early else Fact(value=True, source="through another of its devices")
        facts = (known, known.model_copy(update={"dependent_launch": other}))
        capable = int(re.sub(r"\D", "", str(known.arch)) or 0) >= 90
        return [(f, f"CUDA:{known.arch}") for f in facts[: 1 + capable]]
    if kind == "cpu":
        return [
            (_facts(chip, "CPU", workgroups=False, shuffle=False, dot4=False, half=True), "CPU")
        ]
    if kind == "cl":
        plain = {"workgroups": True, "shuffle": False, "dot4": False}
        return [(_facts(chip, "CL", half=half, **plain), "CL") for half in (False, True)]
    if kind == "metal":
        return [(known or _gpu(chip, "METAL"), "METAL")]
    if kind == "amd" and (found := re.match(r"(gfx\w+)", rest)):
        return [(known or _gpu(chip, "AMD"), f"HIP:{found[1]}")]
    raise BoltbeamError(f"no renderer is known for chip {chip}")


def _gpu(chip: str, device: str) -> ChipFacts:
    return _facts(chip, device, workgroups=True, shuffle=True, dot4=False, half=True, simd_width=32)


def _facts(chip: str, device: str, **values: bool | int) -> ChipFacts:
    facts = {k: Fact(value=v, source="the chip's id") for k, v in values.items()}
    return ChipFacts.model_validate({"id": chip, "name": chip, "device": device, **facts})
