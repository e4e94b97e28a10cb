"""`boltbeam report`: one HTML file of pictures and the tables behind them, with nothing to load.

Takes parsed arguments, gives a file. Never measures; a section without numbers says what to run.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from boltbeam import report
from boltbeam.files import PACKAGE, write_whole
from boltbeam.models import decode_support, gguf_model
from boltbeam.pictures import report_data, report_sections
from boltbeam.pictures.report_data import Pictures
from boltbeam.pictures.report_figures import time_text
from boltbeam.predict import chips
from boltbeam.records import standing
from boltbeam.records.ledger import Layers
from boltbeam.records.store import Store
from boltbeam.search import machine
from boltbeam.types import BoltbeamError, ChipFacts

# ---- the command -------------------------------------------------------------------------------


def write(path: Path, name: str, context: int, ledger_dir: Path | None, out: Path) -> None:
    """Write the page. BoltbeamError: bad model, chip or place, or the extra is not installed."""
    from boltbeam.commands import ledger_views

    require_extra()
    if out.is_dir() or not out.parent.is_dir():
        why = "is a folder" if out.is_dir() else f"there is no folder {out.parent}"
        raise BoltbeamError(f"report: --out {out}: {why}; name a file to write")
    if out.is_file() and b"<html" not in out.read_bytes()[:200].lower():
        raise BoltbeamError(f"report: --out {out} exists and is no page; name another file")
    facts, layers = gguf_model.read(path), Layers.find(ledger_dir=ledger_dir)
    decode_support.require_supported(facts)
    decode_support.require_context(facts, context)
    chip = find_chip(name, layers)
    with Store.existing() as store:
        candidates, benches = local(store, chip.id, facts.header_hash)
    found = report_data.gather(facts, chip, layers, context, candidates, benches)
    if doubt := ledger_views.doubts(layers, chip.id):
        report.say(f"boltbeam: {doubt}")
    text = page(found, facts.name or path.name, doubt)
    write_whole(out, text.encode())
    report.say(f"wrote {out} ({len(text.encode()):,} bytes); open it in a browser, or print it")


def require_extra() -> None:
    """BoltbeamError: matplotlib or jinja2 is not here."""
    import importlib.util

    missing = [m for m in ("matplotlib", "jinja2") if importlib.util.find_spec(m) is None]
    if missing:
        raise BoltbeamError(
            f"report: {' and '.join(missing)} missing; pip install 'boltbeam[report]'"
        )


def find_chip(name: str, layers: Layers) -> ChipFacts:
    """The chip here or a known one; else one that only the ledger knows, by its id."""
    try:
        return machine.find_chip(name, layers)
    except BoltbeamError:
        if chips.resolve(name) is not None or all(s.chip != name for s in layers.stored()):
            raise
    measured, _ = standing.measured(layers, name)
    return ChipFacts(id=name, name=name, device="", measured=measured)


def local(
    store: Store | None, chip: str, header_hash: str
) -> tuple[list[Mapping[str, Any]], list[Mapping[str, Any]]]:
    """What the run store holds of this file on this chip: candidates that raced, and benches."""
    if store is None:
        return [], []
    searches = store.find("searches", chip=chip, header_hash=header_hash)
    raced = [c for s in searches for c in store.find("candidates", search=s["id"])]
    benches = store.find("benches", chip=chip, header_hash=header_hash)
    candidates = [c for c in raced if _sound(c, "measured_us", *CANDIDATE)]
    timed = [b for b in benches if _sound(b, "avg_ts", "n_depth") and b["test_time"]]
    if gone := len(raced) + len(benches) - len(candidates) - len(timed):
        report.say(f"boltbeam: run store: {gone} damaged records are left out")
    return [*candidates], [*timed]


CANDIDATE = ("predicted_us", "number", "number_limit")
"""Numbers that a candidate may have."""


def _sound(record: Mapping[str, Any], time: str, *others: str) -> bool:
    """The time is above 0, and the other numbers are some where they are there."""
    known = [record[n] for n in (time, *others) if record[n] is not None]
    numbers = all(isinstance(v, (int, float)) and math.isfinite(v) for v in known)
    return numbers and (record[time] or 0) > 0


def page(p: Pictures, model: str, doubt: str = "") -> str:
    """The whole HTML; `doubt` says which lines of the ledger are not sound."""
    import jinja2
    from markupsafe import Markup

    sections = [build(p) for build in report_sections.SECTIONS]
    where = jinja2.FileSystemLoader(PACKAGE / "pictures" / "templates")
    env = jinja2.Environment(
        loader=where, autoescape=True, trim_blocks=True, undefined=jinja2.StrictUndefined
    )
    env.filters |= {"cell": report.cell, "commands": commands, "soft": soft}
    marked = [{**vars(s), "pictures": [Markup(svg) for svg in s.pictures]} for s in sections]
    template = env.get_template("report.html.jinja")
    text: str = template.render(
        title=f"{model} on {p.chip.name}",
        subtitle=f"{p.chip.id}, a KV cache of {p.context:,} positions",
        facts=list(summary(p)),
        doubt=doubt,
        todo=[line for line in missing(p) if line],
        sections=marked,
        made="Every number is of a ledger row, a decision or this machine's run store, or follows "
        "from them; `boltbeam show ROW` has the row whole. Made by `boltbeam report`.",
    )
    return text


def commands(text: str) -> Any:
    """Words between backticks as code; everything else as it is."""
    from markupsafe import Markup, escape

    pieces = re.split(r"`([^`]+)`", text)
    words = (Markup(f"<code>{escape(x)}</code>") if n % 2 else escape(x)
             for n, x in enumerate(pieces))  # fmt: skip
    return Markup("").join(words)


def soft(text: str) -> Any:
    """A long name may break after a slash or a plus."""
    from markupsafe import Markup, escape

    return Markup(re.sub(r"(?<=[/+])(?=.)", "<wbr>", escape(text)))


def summary(p: Pictures) -> Iterator[tuple[str, str]]:
    """The few numbers that come first."""
    gbps = p.chip.rate("read_gbps")
    probe = f" (row {p.probe})" if p.probe else ""
    yield "read rate, measured", f"{gbps:,.4g} GB/s{probe}" if gbps else "not measured"
    d = p.decision
    plan = f"in force: {d.id}, {d.author or 'no name'}, {d.date[:10]}" if d else ""
    yield "plan", plan or ("nominated, not promoted" if p.members else "none")
    limit = next((v for c, v in p.limits if c == p.context), None)
    at = f"limit at {p.context:,} of {p.context:,} positions"
    yield at, f"{limit:,.1f} tok/s" if limit else "not known"
    kernels = p.kernels_us
    yield "sum of its kernels", f"{time_text(kernels)} a token" if kernels else "not known"
    token = next((t for t in p.tokens if t.who == "this plan"), None)
    yield "whole token, measured", f"{1e6 / token.us:,.4g} tok/s" if token else "not measured"


def missing(p: Pictures) -> Iterator[str]:
    """What would fill the gaps, and how."""
    if p.chip.rate("read_gbps") is None:
        yield "the read rate of the chip: `boltbeam chip probe` there, or name its ledger: --ledger"
    if not p.members:
        yield "kernels of this token on this chip: `boltbeam search --model M --chip C`"
    elif p.uncovered:
        yield f"kernels for {', '.join(p.uncovered)}: `boltbeam search` without --op"
    if p.members and not any(t.who == "this plan" for t in p.tokens):
        yield "the whole token beside its kernels: `boltbeam promote` (a real model's weights)"
    if not any("llama" in t.who for t in p.tokens):
        yield "peers in turns on that chip: `boltbeam bench --jitbeam --peer-llama-bench PATH`"
    if not any(d.kind == "pruned" for d in p.dots):
        yield "what pruning lost, candidate by candidate: `boltbeam search --audit 40` (the run "\
            "store of the machine that searched keeps it)"  # fmt: skip
