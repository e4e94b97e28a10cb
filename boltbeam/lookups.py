"""What the commands that only look things up do: chips, registry, ledger, kernels, doctor.

Takes parsed arguments, gives printed data. Never searches; writes only where it is told to.
"""

from __future__ import annotations

import importlib.util
import os
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from boltbeam import (
    case,
    gguf_model,
    ledger_review,
    legal_rules,
    machine,
    nvrtc,
    registry,
    report,
    standing,
)
from boltbeam.device_work import PROBE_S
from boltbeam.entries import LedgerRow
from boltbeam.ledger import Layers
from boltbeam.ledger_check import check as check_ledger
from boltbeam.types import BoltbeamError, ChipFacts, GateFailed, Measured, Route

if TYPE_CHECKING:
    from boltbeam.kernel_source import Kernel

FACTS = [
    n
    for n, f in ChipFacts.model_fields.items()
    if n not in ("id", "name", "device", "arch", "measured")
]


# ---- chips -----------------------------------------------------------------------------------


def chip_list(fmt: str) -> None:
    """Known chips, one line each."""
    rows = [
        {
            "id": c.id,
            "name": c.name,
            "device": c.device,
            "units": c.get("units"),
            "read GB/s": c.rate("read_gbps"),
            "sheet GB/s": c.get("sheet_gbps"),
            "cache": c.get("cache_bytes"),
        }
        for c in registry.chips().values()
    ]
    report.table(
        rows, fmt, "Known chips", ["read GB/s is measured; the sheet's never enters a floor"]
    )


def chip_show(name: str, fmt: str) -> None:
    """Every fact of a chip with its source; the chip here by its alias."""
    chip = machine.find_chip(name)
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
    report.table(rows, fmt, f"{chip.name} ({chip.id})")


def chip_probe(name: str, ledger_dir: Path | None, fmt: str) -> None:
    """Measure the chip here, print, and write one probe row."""
    from boltbeam import record, software, toolchain
    from boltbeam.worker import Pool

    layers = Layers.find(ledger_dir=ledger_dir, new=True)
    device, why = machine.open_device(name)
    report.say(f"probing {device} ({why})")
    with Pool(device, 1, toolchain.environment()) as pool:
        answer = pool.run("probe", {"device": device}, PROBE_S)
        chip = machine.answered(device, answer.failed or ChipFacts.model_validate(answer.value))
    env = record.Environment.here(
        chip.id, ["boltbeam", *sys.argv[1:]], **software.here(chip.device)
    )
    path = layers.write([record.probe_row(chip.measured, env)])
    rows = [
        {"measured": n, "value": m.value, "unit": m.unit, "spread": m.spread, "how": m.how}
        for n, m in sorted(chip.measured.items())
    ]
    report.table(rows, fmt, f"{chip.name} ({chip.id})")
    report.say(f"wrote {path}")


# ---- roofline --------------------------------------------------------------------------------


def roofline(path: Path, name: str, context: int, gbps: float | None, fmt: str) -> None:
    """Floor per work item and the limit."""
    from boltbeam import roofline as roof

    chip = machine.find_chip(name)
    if gbps is not None:
        given = Measured(value=gbps, unit="GB/s", how="given by --gbps", date="", source="the user")
        chip = chip.model_copy(update={"measured": {**chip.measured, "read_gbps": given}})
    result = roof.roofline(gguf_model.read(path), chip, context)
    rows = [
        {
            "work": r.work.key.removeprefix("decode/").removesuffix("/m1"),
            "a token": r.count,
            "bytes": r.bytes,
            "floor µs": r.floor_us,
            "token µs": r.token_us,
            "share": r.share,
            "bits/weight": r.bits_per_weight,
            "M*": r.m_star,
        }
        for r in result.rows
    ]
    if fmt == "json":
        whole = {k: v for k, v in vars(result).items() if k != "rows"}
        return report.record({**whole, "rows": rows}, fmt)
    mstar = "matrix rate not measured" if result.m_star is None else f"{result.m_star:.1f}"
    notes = [
        f"{result.bytes_per_token:,} bytes a token ({result.matrix_bytes:,} of matrices) at "
        f"{result.gbps:.1f} GB/s measured: floor {result.floor_us:.1f} µs, limit "
        f"{result.limit_tok_s:.1f} tok/s; M* {mstar}"
    ]
    return report.table(rows, fmt, f"{path.name} on {chip.name}, context {context}", notes)


# ---- registry --------------------------------------------------------------------------------


def registry_list(chip: str | None, ledger_dir: Path | None, fmt: str) -> None:
    """Routes; with a chip where each stands on it."""
    layers = Layers.find(ledger_dir=ledger_dir)
    here = None if chip is None else machine.find_chip(chip, layers)
    rows = []
    for family in sorted(registry.families().values(), key=lambda f: f.id):
        for r in family.routes:
            row: dict[str, Any] = {"family": family.id, "route": r.id, "ops": ", ".join(r.ops)}
            row["formats"] = _formats(r)
            row["legal on"] = ", ".join(legal_devices(r))
            if here is not None:
                s = standing.status(layers, r.id, here.id)
                row["here"] = s.state + (
                    f" ({s.number:.4g}; {s.reopen_if})" if s.reopen_if and s.number else ""
                )
            rows.append(row)
    notes = [f"public prior, {p.verdict}: {p.title} on {p.chip}" for p in registry.priors()]
    if fmt != "md":
        notes = []
    report.table(
        rows, fmt, "Routes" + (f", and where they stand on {here.id}" if here else ""), notes
    )


def _formats(r: Route) -> str:
    every = [f for f in case.LAYOUTS]
    return (
        "any"
        if not r.formats
        else "all packed and float"
        if len(r.formats) == len(every)
        else ", ".join(r.formats)
    )


def legal_devices(r: Route) -> tuple[str, ...]:
    """Kinds of chips whose form the route has."""
    if r.kind == "scheduler":
        return ("any",)
    return ("cpu",) if r.form == "rows" else ("cl", "nv", "metal", "amd")


def registry_show(name: str, ledger_dir: Path | None, fmt: str) -> None:
    """A route's axes, needs and history."""
    r = registry.route(name)
    layers = Layers.find(ledger_dir=ledger_dir)
    data = {**r.model_dump(), "axes": {k: list(v) for k, v in r.axes.items()}}
    history = [ledger_review.in_words(x) for x in layers.rows(route=name)]
    history += [
        ledger_review.in_words(d)
        for d in layers.decisions()
        if d.scope.route == name or any(m.route == name for m in d.members)
    ]
    if fmt != "md":
        return report.record({**data, "history": history}, fmt)
    report.record(data, fmt, name)
    print("\nHistory:" if history else "\nNo history yet.")
    print("\n".join(f"* {h}" for h in history))
    return None


def registry_check() -> None:
    """Problems of the registry, one per line. GateFailed when there are any."""
    from boltbeam import emit

    problems = registry.check(set(emit.emitters()), set(legal_rules.RULES))
    for p in problems:
        print(p)
    if problems:
        raise GateFailed(f"registry: {len(problems)} problem(s)")
    n = len(registry.routes()), len(registry.families())
    report.say(f"registry: {n[0]} routes in {n[1]} families, all well")


# ---- ledger ----------------------------------------------------------------------------------


def ledger_dirs(ledger_dir: Path | None) -> list[Path]:
    """The folder that was named, or every layer that exists."""
    layers = Layers.find(ledger_dir=ledger_dir).layers
    return [x.path for x in layers if x.path.is_dir() and ledger_dir in (None, x.path)]


def ledger_check(base: str | None, ledger_dir: Path | None) -> None:
    """Problems of ledger files, one per line. GateFailed when there are any."""
    folders = ledger_dirs(ledger_dir)
    problems = [
        p
        for f in folders
        for p in check_ledger(
            f, registry.protocols(), base if f == folders[-1] else None, known_ids(folders, f)
        )
    ]
    for p in problems:
        print(p)
    if problems:
        raise GateFailed(f"ledger: {len(problems)} problem(s)")
    report.say(f"ledger: {len(Layers.find(ledger_dir=ledger_dir).stored())} lines, all well")


def known_ids(folders: Sequence[Path], above: Path) -> set[str]:
    """Ids of entries in the layers below a folder."""
    from boltbeam.ledger import files, read_file

    lower = folders[: folders.index(above)]
    return {e.id for f in lower for path in files(f) for _, e in read_file(path, path.name)}


def ledger_show(entry: str | None, chip: str | None, ledger_dir: Path | None, fmt: str) -> None:
    """One entry whole, or all in words."""
    layers = Layers.find(ledger_dir=ledger_dir)
    if entry is not None:
        stored = ledger_review.show(layers, entry)
        if fmt == "md":
            print(f"{ledger_review.in_words(stored.entry)}\n({stored.file} line {stored.line})\n")
        return report.record(stored.entry.model_dump(mode="json", exclude_defaults=True), fmt)
    rows = []
    for s in layers.stored():
        where = s.entry.chip if isinstance(s.entry, LedgerRow) else s.entry.scope.chip
        if chip is None or where == chip:
            rows.append(
                {"id": s.entry.id, "date": s.entry.date, "says": ledger_review.in_words(s.entry)}
            )
    return report.table(rows, fmt, "Ledger")


def ledger_diff(base: str, head: str | None, ledger_dir: Path | None) -> None:
    """Changes in words."""
    for line in ledger_review.diff(ledger_dirs(ledger_dir)[-1], base, head):
        print(line)


def ledger_export(to: Path, ledger_dir: Path | None) -> None:
    """Copy files into a checkout."""
    written = ledger_review.export(Layers.find(ledger_dir=ledger_dir), to)
    for path in written:
        print(path)
    report.say(f"{len(written)} file(s) copied; commit them and open a pull request")


# ---- kernels ---------------------------------------------------------------------------------


def show(
    entry: str,
    source: bool,
    cubin: Path | None,
    model: Path | None,
    ledger_dir: Path | None,
    fmt: str,
) -> None:
    """A row's kernel as it was measured: its text on stdout, its machine code in a file.

    The text has no byte more, so that its sha256 begins with the row's `source_hash`.
    """
    if not source and cubin is None:
        return ledger_show(entry, None, ledger_dir, fmt)
    from boltbeam import kernel_source

    row = ledger_review.show(Layers.find(ledger_dir=ledger_dir), entry).entry
    if not isinstance(row, LedgerRow):
        raise BoltbeamError(f"show {row.id}: a decision has no kernel; see the rows it cites")
    found = kernel_source.kernels(row, model)
    if cubin is not None:
        _write_cubins(row, found, cubin)
    if source and fmt != "md":
        texts = [{"name": k.name, "source": k.source} for k in found]
        return report.record({"id": row.id, "source_hash": row.source_hash, "kernels": texts}, fmt)
    if source:
        print("\n".join(k.source for k in found), end="", flush=True)
    return None


def _write_cubins(row: LedgerRow, found: tuple[Kernel, ...], cubin: Path) -> None:
    from boltbeam import kernel_source

    version, arch, made = kernel_source.compiled(row, found)
    for path, one in zip(kernel_source.paths(cubin, len(made)), made, strict=True):
        kernel_source.write(path, one.cubin)
        needs = one.needs
        report.say(
            f"wrote {path} ({len(one.cubin):,} bytes): {one.name} for {arch} by NVRTC {version}, "
            f"{needs.registers} registers, {needs.spill_store_bytes} bytes spilled, "
            f"{needs.shared_bytes:,} bytes shared"
        )


# ---- doctor ----------------------------------------------------------------------------------


def doctor(fmt: str) -> None:
    """What is here, what is missing, what to type."""
    rows = [dict(zip(("what", "state", "to do"), r, strict=True)) for r in findings()]
    report.table(rows, fmt, "boltbeam doctor")
    if any(r["state"] == "broken" for r in rows):
        raise GateFailed("doctor: something is broken")


def findings() -> Iterator[tuple[str, str, str]]:
    """(what, ok | missing | broken, what to do) one by one."""
    from boltbeam import toolchain

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
        yield (
            f"ledger layer {layer.name}",
            "ok",
            f"{layer.path} ({'writable' if writable else 'read only'})",
        )


def _existing(path: Path) -> Path:
    """The nearest folder of a path that exists."""
    return path if path.exists() or path == path.parent else _existing(path.parent)


def seams() -> Iterator[tuple[str, str, str]]:
    """tinygrad's version and a canary of every seam that boltbeam uses."""
    from boltbeam import tinygrad_adapter as tg

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
            yield f"--chip {alias}", "ok", f"{device}: {why}"
        except BoltbeamError as e:
            hint = " (PoCL: apt install pocl-opencl-icd)" if alias == "cl" else ""
            yield f"--chip {alias}", "missing", f"{e}{hint}"
