"""The kernel of a ledger row, rendered again without its device: the very source that was measured.

Takes a row and the chip's facts, gives the source of every launch; compiled bytes for NVIDIA chips.
Never gives a source whose hash is not the row's, and never runs one.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from boltbeam import registry
from boltbeam.commands import rerender
from boltbeam.commands.rerender import Kernel
from boltbeam.models import gguf_model, plan
from boltbeam.records.entries import LedgerRow
from boltbeam.seam import nvrtc
from boltbeam.seam import tinygrad_adapter as tg
from boltbeam.types import BoltbeamError, GateFailed, WorkItem


def kernels(row: LedgerRow, model: Path | None = None) -> tuple[Kernel, ...]:
    """The launches of a row in order; their texts together have the row's hash.

    `model`: the GGUF file of the row, for a work item whose key does not say all of it.
    GateFailed: emitter or registry changed since. BoltbeamError: it cannot be told here.
    """
    _require_generated(row)
    found = rerender.render(row, _items(row, model) if model else ())
    if found is not None and found.fits:
        return found.kernels
    if found is not None and found.emitters_fit:
        why = "another model's shape (give its file with --model FILE) or renderer"
    else:
        why = "emitter changed since"
    raise GateFailed(
        f"{why}, row {row.id} of commit {row.commit or 'unknown'}: its source {row.source_hash} "
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
    if row.tinygrad and row.tinygrad != tg.version():
        raise GateFailed(
            f"tinygrad changed since ({row.tinygrad}, here {tg.version()}), row {row.id} of commit "
            f"{row.commit or 'unknown'}"
        )
    if route.kind != "search":
        raise BoltbeamError(
            f"show {row.id}: {row.route} schedules tinygrad's own kernels; no emitter made it"
        )


def _items(row: LedgerRow, model: Path) -> tuple[WorkItem, ...]:
    """Work items of the file that have the row's key. BoltbeamError: there is none."""
    try:
        _, found = plan.occurrences(gguf_model.read(model), rerender.context_of(row), [row.op])
    except KeyError:  # a model without one of the tables
        found = ()
    items = tuple(o.work for o in found if o.work.key == row.work)
    if not items:
        raise BoltbeamError(f"show {row.id}: {row.work} is no work item of {model.name}")
    return items


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
    chip, renderer = rerender.targets(row.chip)[0]
    if not renderer.startswith("CUDA") or chip.arch is None:
        raise BoltbeamError(f"show {row.id}: --cubin is for NVIDIA chips, and this is {row.chip}")
    compiler, arch = nvrtc.require(), chip.arch
    return (
        compiler.version,
        arch,
        tuple(_compile(compiler, k, arch) for k in found),
    )


def _compile(compiler: nvrtc.Nvrtc, kernel: Kernel, arch: str) -> Compiled:
    """Compiled twice: asked for its report as well, ptxas lays out other bytes."""
    cubin, needs = compiler.cubin(kernel.source, arch), compiler.resources(kernel.source, arch)
    return Compiled(kernel.name, cubin, needs)


def paths(file: Path, n: int) -> tuple[Path, ...]:
    """FILE for one launch; FILE with .1, .2, … before its suffix for more."""
    if n == 1:
        return (file,)
    return tuple(file.with_name(f"{file.stem}.{i}{file.suffix}") for i in range(1, n + 1))
