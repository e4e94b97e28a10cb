"""What `chip`, `roofline`, `explain` and `doctor` do.

Takes parsed arguments, gives printed data. Never searches; only `chip probe` measures, and writes a
row of it.
"""

from __future__ import annotations

import importlib.util
import os
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from boltbeam import registry, report
from boltbeam.chip import probe_findings
from boltbeam.models import decode_support, gguf_model
from boltbeam.models.plan import short
from boltbeam.predict import chips
from boltbeam.records import standing
from boltbeam.records.entries import Decision
from boltbeam.records.ledger import Layers
from boltbeam.records.standing import Mismatch
from boltbeam.seam import nvrtc
from boltbeam.search import machine
from boltbeam.types import (
    OPS,
    RATE_LEAST,
    RATE_MOST,
    BoltbeamError,
    ChipFacts,
    GateFailed,
    Measured,
)

FACTS = [
    n
    for n, f in ChipFacts.model_fields.items()
    if n not in ("id", "name", "device", "arch", "measured")
]


# ---- chips -----------------------------------------------------------------------------------


def chip_list(fmt: str, ledger_dir: Path | None = None) -> None:
    """Known chips, one line each."""
    layers, aliases = Layers.find(ledger_dir=ledger_dir), chips.aliases()
    rows = [
        {
            "id": c.id,
            "also": aliases[c.id],
            "name": c.name,
            "device": c.device,
            "units": c.get("units"),
            "read GB/s": c.rate("read_gbps"),
            "sheet GB/s": c.get("sheet_gbps"),
            "cache": c.get("cache_bytes"),
        }
        for known in registry.chips().values()
        for c in [standing.with_probes(layers, known)[0]]
    ]
    here = f"the chip here goes by {', '.join(chips.LOCAL)}"
    measured = "read GB/s is measured; the sheet's never enters a floor"
    report.table(rows, fmt, "Known chips", [measured, here])


def chip_show(name: str, fmt: str, points: bool = False, ledger_dir: Path | None = None) -> None:
    """Every fact of a chip with its source, or every point of its sweeps.

    The chip here goes by its alias. What probes in the ledger measured takes the place of what a
    chip's file says.
    """
    chip = machine.find_chip(name, Layers.find(ledger_dir=ledger_dir))
    if points:
        return report.table(probe_findings.points(chip), fmt, f"{chip.name} ({chip.id}), sweeps")
    rows: list[dict[str, Any]] = [
        {
            "fact": n,
            "value": None if f is None else f.value,
            "source": "not declared" if f is None else f.source,
        }
        for n in FACTS
        for f in [getattr(chip, n)]
    ]
    rows += [
        {"fact": n, "value": m.value, "source": f"{m.unit}, {m.how} ({m.source}, {m.date})"}
        for n, m in sorted(chip.measured.items())
    ]
    return report.table(rows, fmt, f"{chip.name} ({chip.id})", probe_findings.notes(chip))


def chip_probe(name: str, ledger_dir: Path | None, fmt: str, full: bool = False) -> None:
    """Measure the chip here part by part, print, and write one probe row."""
    from boltbeam.measure import software
    from boltbeam.records import record
    from boltbeam.seam import toolchain
    from boltbeam.worker import Pool

    layers = Layers.find(ledger_dir=ledger_dir, new=True)
    layers.require_writable()
    device, why = machine.open_device(name)
    report.say(f"probing {device}{f' ({why})' if why else ''}")
    with Pool(device, 1, toolchain.environment()) as pool:
        chip = machine.probed(pool, machine.declared_chip(pool, device), full, report.say)
    env = record.Environment.here(
        chip.id, ["boltbeam", *sys.argv[1:]], **software.here(chip.device)
    )
    path = layers.write([record.probe_row(chip.measured, env)])
    rows = [
        {"measured": n, "value": m.value, "unit": m.unit, "spread": m.spread, "how": m.how}
        for n, m in sorted(chip.measured.items())
    ]
    report.table(rows, fmt, f"{chip.name} ({chip.id})", probe_findings.notes(chip))
    if full and fmt == "md":
        report.table(probe_findings.points(chip), fmt, "\nPoints of the sweeps")
    report.say(f"wrote {path}")


# ---- roofline --------------------------------------------------------------------------------


PLANES = ("bytes in planes", "extra memory")
"""Columns that are left out where no route reads weights in planes."""


def roofline(
    path: Path, name: str, context: int, gbps: float | None, ledger_dir: Path | None, fmt: str
) -> None:
    """Floor per work item and the limit."""
    from boltbeam.predict import roofline as roof

    if gbps is not None and not RATE_LEAST <= gbps <= RATE_MOST:
        least = f"more than 0 ({RATE_LEAST:g}) and at most {RATE_MOST:g}"
        raise BoltbeamError(f"--gbps {gbps}: it is a read rate in GB/s, {least}")
    facts = gguf_model.read(path)
    decode_support.require_supported(facts)
    decode_support.require_context(facts, context)
    layers = Layers.find(ledger_dir=ledger_dir)
    chip = machine.find_chip(name, layers)
    if gbps is not None:
        given = Measured(value=gbps, unit="GB/s", how="given by --gbps", date="", source="the user")
        chip = chip.model_copy(update={"measured": {**chip.measured, "read_gbps": given}})
    result = roof.roofline(facts, chip, context)
    rows = [
        {
            "work": short(r.work.key),
            "a token": r.count,
            "bytes": r.bytes,
            "floor µs": r.floor_us,
            "token µs": r.token_us,
            "share": r.share,
            "bits/weight": r.bits_per_weight,
            "M*": r.m_star,
            "bytes in planes": r.planes.bytes if r.planes else None,
            "extra memory": r.planes.copy_bytes if r.planes else None,
        }
        for r in result.rows
    ]
    routes = sorted({name for r in result.rows if r.planes for name in r.planes.routes})
    if fmt == "json":
        whole = {k: v for k, v in vars(result).items() if k != "rows"}
        whole |= {"copy_bytes": result.copy_bytes, "planes_routes": routes}
        return report.record({**whole, "rows": rows}, fmt)
    if fmt == "md" and not routes:
        rows = [{k: v for k, v in row.items() if k not in PLANES} for row in rows]
    mstar = "matrix rate not measured" if result.m_star is None else f"{result.m_star:.1f}"
    notes = [
        f"{result.bytes_per_token:,} bytes a token ({result.matrix_bytes:,} of matrices) at "
        f"{result.gbps:.1f} GB/s {'measured' if gbps is None else 'given'}: floor "
        f"{result.floor_us:.1f} µs, {roof.limit_words(result.limit_tok_s, context, context)}; "
        f"M* {mstar}"
    ]
    if routes:
        notes.append(
            f"Planes: {', '.join(routes)} read a copy of tables whose blocks lie on half-words: as "
            "many bytes a token, so the same floors, for the extra memory beside the file's tables "
            f"({result.copy_bytes:,} bytes where all of them are copied)"
        )
    return report.table(rows, fmt, f"{path.name} on {chip.name}, context {context}", notes)


# ---- why -------------------------------------------------------------------------------------


def why(
    path: Path, name: str, context: int, ops: Sequence[str], ledger_dir: Path | None, fmt: str
) -> None:
    """The chain of reasons behind the kernels of a model on a chip."""
    from boltbeam.commands import ledger_views
    from boltbeam.records import explain, explain_words

    facts, layers = gguf_model.read(path), Layers.find(ledger_dir=ledger_dir)
    registry.require_ops(ops, OPS)
    decode_support.require_supported(facts)
    decode_support.require_context(facts, context)
    chip, here, differs = machine.find_chip(name, layers), None, None
    if chips.resolve(name) is not None:
        from boltbeam.measure import software
        from boltbeam.schedule import schedules
        from boltbeam.token import promotion

        here = software.scope(chip)

        def differs(d: Decision) -> Sequence[Mismatch]:
            table = schedules.table_of(d.members)
            at = () if table else promotion.placed(facts, context, d, layers)
            rows = promotion.cited(d, layers)
            return promotion.differences(d.scope, d.members, at, chip, rows)

    if doubt := ledger_views.doubts(layers, chip.id):
        report.say(f"boltbeam: {doubt}")
    found = explain.explain(facts, chip, layers, context, ops, here, differs)
    if fmt == "md":
        return print("\n".join(explain_words.sentences(found)))
    return report.record(explain_words.data(found), fmt)


# ---- doctor ----------------------------------------------------------------------------------


def doctor(fmt: str) -> None:
    """What is here, what is missing, what to type."""
    rows = [dict(zip(("what", "state", "to do"), r, strict=True)) for r in findings()]
    report.table(rows, fmt, "boltbeam doctor")
    if any(r["state"] == "broken" for r in rows):
        raise GateFailed("doctor: something is broken")


def findings() -> Iterator[tuple[str, str, str]]:
    """(what, ok | missing | broken, what to do, if it is not ok) one by one."""
    from boltbeam.seam import toolchain

    version = ".".join(map(str, sys.version_info[:3]))
    yield f"Python {version}", "ok", ""
    try:
        found, hint = toolchain.compiler(), toolchain.HINT
    except BoltbeamError as e:
        found, hint = None, str(e)
    yield (
        (f"C compiler {Path(found).name}", "ok", "") if found else ("C compiler", "missing", hint)
    )
    library = nvrtc.find()
    yield (
        "NVRTC" + (f" {library.version} of PyPI" if library and library.version else ""),
        "ok" if library else "missing",
        "" if library else f"for --chip nv and show --cubin: {nvrtc.HINT}",
    )
    for module, why in (
        ("tokenizers", "boltbeam run"),
        ("gguf", "proofs"),
        ("sqlite_utils", "search"),
        ("matplotlib", "report"),
        ("jinja2", "report"),
    ):
        there = importlib.util.find_spec(module) is not None
        yield (
            f"package {module}",
            "ok" if there else "missing",
            "" if there else f"for {why}: pip install {module}",
        )
    yield from seams()
    yield from devices()
    for layer in Layers.find().layers:
        writable = layer.writable and os.access(_existing(layer.path), os.W_OK)
        how = "writable" if writable else "read only"
        yield f"ledger layer {layer.name}: {layer.path} ({how})", "ok", ""


def _existing(path: Path) -> Path:
    """The nearest folder of a path that exists."""
    return path if path.exists() or path == path.parent else _existing(path.parent)


def seams() -> Iterator[tuple[str, str, str]]:
    """tinygrad's version and a canary of every seam that boltbeam uses."""
    from boltbeam.seam import tinygrad_adapter as tg

    have = tg.version()
    pinned = have == tg.PINNED
    todo = "" if pinned else f"pip install tinygrad=={tg.PINNED}"
    yield f"tinygrad {have}", "ok" if pinned else "broken", todo
    for name, problem in tg.canary():
        yield f"tinygrad seam {name}", "broken" if problem else "ok", problem


def devices() -> Iterator[tuple[str, str, str]]:
    """Which --chip would open here."""
    for alias in ("cpu", "cl", "nv", "metal", "amd"):
        try:
            device, why = machine.open_device(alias)
            yield f"--chip {alias}: {device}{f' ({why})' if why else ''}", "ok", ""
        except BoltbeamError as e:
            hint = " (PoCL: apt install pocl-opencl-icd)" if alias == "cl" else ""
            yield f"--chip {alias}", "missing", f"{e}{hint}"
