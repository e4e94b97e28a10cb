"""The kernel of a ledger row, rendered again without its device: the very source that was measured.

Takes a row and the chip's facts, gives the source of every launch; compiled bytes for NVIDIA chips.
Never gives a source whose hash is not the row's, and never runs one.
"""

from __future__ import annotations

import re
import secrets
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from boltbeam import (
    chip_facts,
    emit,
    gguf_model,
    machine,
    nvrtc,
    plan,
    registry,
    synth,
    tinygrad_render,
    verify,
)
from boltbeam import tinygrad_adapter as tg
from boltbeam.emit.core import Launch, Target
from boltbeam.entries import LedgerRow
from boltbeam.types import (
    BoltbeamError,
    ChipFacts,
    GateFailed,
    Geometry,
    ModelFacts,
    NoDevice,
    WorkItem,
)

RENDERERS = {"CUDA": "CUDA", "NV": "CUDA", "METAL": "METAL", "AMD": "HIP"}
"""Devices whose chips may be known without being here -> the renderer whose text they compile."""
ANY_CONTEXT = 512
"""For work items whose key names no context: their kernels do not depend on it."""


@dataclass(frozen=True)
class Kernel:
    """One launch of a row: its name and the text that was compiled."""

    name: str
    source: str


def kernels(row: LedgerRow, model: Path | None = None) -> tuple[Kernel, ...]:
    """The launches of a row in order; their texts together have the row's hash.

    `model`: the GGUF file of the row, where its shape is none that boltbeam knows by name.
    GateFailed: emitter, registry or tinygrad changed since. NoDevice: nobody knows the row's chip.
    """
    _require_generated(row)
    chip = _chip(row)
    works = list(_works(row, model))
    if not works:
        where = f"of {model.name}" if model else f"of a model known by name ({row.model})"
        raise BoltbeamError(
            f"show {row.id}: {row.work} is no work item {where}; give its file with --model FILE"
        )
    seen = ""
    for work in works:
        found, why = _rendered(row, work, chip)
        if not why:
            return found
        seen = why
    raise GateFailed(
        f"{seen}, row {row.id} of commit {row.commit or 'unknown'}: its source {row.source_hash} "
        "is not what is rendered now; check that commit out to see it"
    )


def _require_generated(row: LedgerRow) -> None:
    """BoltbeamError where no emitter made what the row is about."""
    if row.kind != "kernel":
        raise BoltbeamError(f"show {row.id}: a {row.kind} row has no kernel of its own")
    if not row.source_hash:
        raise BoltbeamError(f"show {row.id}: {row.reason}: nothing was rendered")
    route = registry.routes().get(row.route)
    if route is None:
        raise GateFailed(
            f"registry changed since, row {row.id} of commit {row.commit or 'unknown'}: "
            f"no route {row.route}"
        )
    if route.kind != "search":
        raise BoltbeamError(
            f"show {row.id}: {row.route} schedules tinygrad's own kernels; no emitter made it"
        )


def _chip(row: LedgerRow) -> ChipFacts:
    """Facts of the row's chip: from the registry, from its id, or of the chip here."""
    known = known_chip(row.chip)
    if known is not None:
        return known
    here = machine.find_chip(row.chip.split("-")[0])
    if here.id != row.chip:
        raise NoDevice(f"show {row.id}: {row.chip} is not here (this is {here.id})")
    return here


def known_chip(chip_id: str) -> ChipFacts | None:
    """A chip whose facts need no device: of the registry, or an NVIDIA id such as nv-sm89-128sm."""
    return registry.chips().get(chip_id) or chip_facts.nvidia_by_id(chip_id)


def text(launch: Launch, chip: ChipFacts) -> str:
    """What the chip compiles of a launch; only a chip that is not known by its id is opened."""
    name = RENDERERS.get(chip.device.split(":")[0])
    if name is None or known_chip(chip.id) is None:
        return tinygrad_render.source(launch, chip.device)
    return tinygrad_render.render(launch, f"{name}:{chip.arch}" if chip.arch else name)


def _works(row: LedgerRow, model: Path | None) -> Iterator[WorkItem]:
    """Work items with the row's key: of the file, else of the models known by name."""
    named = re.search(r"-c(\d+)(?:-|/)", row.work)
    context = int(named[1]) if named else ANY_CONTEXT
    for facts in [gguf_model.read(model)] if model else _known(row.model):
        try:
            _, found = plan.occurrences(facts, context, [row.op])
        except KeyError:  # a model without one of the tables
            continue
        yield from (o.work for o in found if o.work.key == row.work)


def _known(name: str) -> Iterator[ModelFacts]:
    """The models that a row's name begins with; where it is none of them, all."""
    words = name.lower().replace(" ", "-")
    ours = [m for m in synth.MODELS if words.startswith(m)]
    return (synth.facts(m) for m in ours or synth.MODELS)


def _rendered(row: LedgerRow, work: WorkItem, chip: ChipFacts) -> tuple[tuple[Kernel, ...], str]:
    """The kernels of a work item, and what changed since the row ('' where nothing did)."""
    route, geometry = registry.route(row.route), Geometry.parse(row.geometry)
    try:
        launches = emit.launches(work, route, geometry, Target(chip.device, chip))
    except (ValueError, KeyError):
        return (), "emitter changed since"
    found = tuple(Kernel(x.name, text(x, chip)) for x in launches)
    if verify.digest("\n".join(k.source for k in found)) == row.source_hash:
        return found, ""
    return (), _changed(row, launches)


def _changed(row: LedgerRow, launches: tuple[Launch, ...]) -> str:
    """What differs from when the row was measured."""
    if row.emitter_hash != verify.emitter_hash(launches):
        return "emitter changed since"
    if row.tinygrad != tg.version():
        return f"tinygrad changed since ({row.tinygrad}, here {tg.version()})"
    return "another model's shape (give its file with --model FILE) or another chip's renderer"


# ---- compiled --------------------------------------------------------------------------------


@dataclass(frozen=True)
class Compiled:
    """What NVRTC made of one launch."""

    name: str
    cubin: bytes
    needs: nvrtc.Resources


def compiled(row: LedgerRow, found: tuple[Kernel, ...]) -> tuple[str, str, tuple[Compiled, ...]]:
    """(NVRTC's version, architecture, one cubin per launch). BoltbeamError: no NVIDIA chip, or no
    NVRTC here."""
    chip = _chip(row)
    if RENDERERS.get(chip.device.split(":")[0]) != "CUDA" or chip.arch is None:
        raise BoltbeamError(f"show {row.id}: --cubin is for NVIDIA chips, and this is {row.chip}")
    compiler, arch = nvrtc.require(), chip.arch
    return (
        compiler.version,
        arch,
        tuple(
            Compiled(k.name, compiler.cubin(k.source, arch), compiler.resources(k.source, arch))
            for k in found
        ),
    )


def paths(file: Path, n: int) -> tuple[Path, ...]:
    """FILE for one launch; FILE with .1, .2, … before its suffix for more."""
    if n == 1:
        return (file,)
    return tuple(file.with_name(f"{file.stem}.{i}{file.suffix}") for i in range(1, n + 1))


def write(file: Path, data: bytes) -> None:
    """Put a file there whole or not at all. OSError: it cannot be written."""
    part = file.with_name(f".{file.name}.{secrets.token_hex(4)}.part")
    try:
        part.write_bytes(data)
        part.replace(file)
    finally:
        part.unlink(missing_ok=True)
