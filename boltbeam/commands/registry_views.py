"""What the `registry` commands print: routes and where they stand, one route whole, the check.

Takes parsed arguments, gives printed data. Never writes, and opens a device only for `--chip` of
one that is here (not for cpu, whose facts need none).
"""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from boltbeam import registry, report
from boltbeam.models.plan import short
from boltbeam.predict import bubblebeam, case, legal_rules
from boltbeam.records import ledger, ledger_review, priors, standing
from boltbeam.records.benches import Bench
from boltbeam.records.entries import Decision, LedgerRow
from boltbeam.records.ledger import Layers, Stored
from boltbeam.records.priors import WIDTH
from boltbeam.types import ChipFacts, GateFailed, Route

HISTORY = 12
"""Lines of history that `show` prints per chip; the rest is counted."""
STATES = {"rolled back": "withdrawn"}
"""Words of the table where the state's own are too long for it."""


# ---- list --------------------------------------------------------------------------------------


def list_routes(name: str | None, ledger_dir: Path | None, fmt: str) -> None:
    """Every route, those that matter most on the chip first."""
    layers = Layers.find(ledger_dir=ledger_dir)
    with ledger.uncollected():
        chip, facts, why = _chip(name, layers)
        rows = [_cells(r, chip, facts, layers) for r in registry.routes().values()]
    rows.sort(key=_order)
    if fmt != "md":
        return report.table(rows, fmt)
    title = f"Routes, and where they stand on {chip}" if chip else "Routes"
    return report.table([_short(r) for r in rows], fmt, title, [*_legend(why), *_priors(chip)])


def _chip(name: str | None, layers: Layers) -> tuple[str, ChipFacts | None, str]:
    """Id and facts of the chip to look at, and how it was chosen: named, or the ledger's latest."""
    if name is None:
        last = max(layers.stored(), key=lambda s: s.date, default=None)
        known = registry.chips().get(last.chip) if last else None
        return last.chip if last else "", known, "the chip of its last line; --chip names another"
    if name.lower() == "cpu":
        from boltbeam.chip import chip_facts

        facts = chip_facts.facts("CPU")
    else:
        from boltbeam.search import machine

        facts = machine.find_chip(name, layers)
    return facts.id, facts, ""


def _cells(r: Route, chip: str, facts: ChipFacts | None, layers: Layers) -> dict[str, Any]:
    status = standing.status(layers, r.id, chip)
    no = bubblebeam.chip_legal(r, facts) if facts else None
    return {
        "family": r.family,
        "route": r.id,
        "ops": list(r.ops),
        "formats": list(r.formats),
        "on": legal_devices(r),
        "here": status.state,
        "best_pct": _best(layers, chip, r.id) if chip else None,
        "number": status.number,
        "reason": status.reason,
        "reopen_if": status.reopen_if,
        "illegal": f"{no.reason}: {no.detail}" if no else "",
        "priors": [
            f"{p.verdict}: {p.title} ({p.source})" for p in priors.of_route(r) if p.chip == chip
        ],
    }


def _best(layers: Layers, chip: str, route: str) -> float | None:
    """Highest share of the measured read rate, from the row that has it."""
    some = layers.lines(chip=chip, kind="kernel", route=route)
    best = max(some, key=lambda s: s.pct_of_floor or 0.0, default=None)
    return best.row.pct_of_floor if best else None


def _order(row: Mapping[str, Any]) -> tuple[Any, ...]:
    strength = standing.STRENGTH.index(row["here"])
    done = (bool(row["illegal"]), -strength, -(row["best_pct"] or 0.0))
    return (*done, row["family"], row["route"])


def _short(row: Mapping[str, Any]) -> dict[str, Any]:
    """The row in 80 columns."""
    here = STATES.get(row["here"], row["here"])
    if row["illegal"] and here == "candidate":
        here = "illegal"
    pct = row["best_pct"]
    return {
        "family": row["family"],
        "route": row["route"],
        "formats": _formats(row["formats"]),
        "on": row["on"],
        "here": here + ("*" if row["priors"] else ""),
        "best": "" if pct is None else f"{pct:.0f}",
    }


def _formats(names: Sequence[str]) -> str:
    every, packed = set(case.LAYOUTS), {n for n in case.LAYOUTS if n.startswith("Q")}
    halves = {n for n, shape in case.LAYOUTS.items() if shape.align == 2}
    known = {frozenset(): "–", frozenset(every): "all", frozenset(packed): "packed"}
    known[frozenset(halves)] = "halves"
    return known.get(frozenset(names), ", ".join(names))


def legal_devices(r: Route) -> str:
    """Kinds of chips whose form the route has: sequential loops, or workgroups."""
    return "any" if r.kind == "scheduler" else "cpu cl" if r.form == "rows" else "gpu cl"


def _legend(why: str) -> Iterator[str]:
    said = (
        "formats: all, packed (the quantised ones), halves (those of "
        "odd half-words: Q4_0, Q5_0, Q8_0, Q6_K), – (reads none). here: what the ledger says"
        + (f" ({why})" if why else "")
        + "; illegal: the chip lacks what it needs; *: a public prior speaks of it. best: highest "
        "share of the measured read rate, percent. boltbeam registry show ROUTE has the rest."
    )
    yield textwrap.fill(said, WIDTH)


def _priors(chip: str) -> Iterator[str]:
    """Of this chip in full; of others one line that counts them: they say nothing here."""
    here = [p for p in registry.priors() if p.chip == chip]
    if here:
        yield "Public priors on this chip (they warn, they decide nothing):"
        yield "\n".join(map(priors.paragraph, here))
    others = [p for p in registry.priors() if p.chip != chip]
    if others:
        names = ", ".join(sorted({p.chip for p in others}))
        said = f"{len(others)} public priors are of other chips ({names}): registry show ROUTE"
        yield textwrap.fill(said, WIDTH)


# ---- show --------------------------------------------------------------------------------------


def show_route(
    name: str, chip: str | None, ledger_dir: Path | None, source: bool, fmt: str
) -> None:
    """A route whole: axes, needs, interfaces, legality, standing, history, its winner's kernel."""
    from boltbeam.commands import ledger_views

    r = registry.route(name)
    layers = Layers.find(ledger_dir=ledger_dir)
    wanted, facts, _ = ("", None, "") if chip is None else _chip(chip, layers)
    if doubt := ledger_views.doubts(layers, wanted):
        report.say(f"boltbeam: {doubt}")
    best = winner(layers, r, wanted)
    data = {
        **r.model_dump(mode="json"),
        "legal": legality(r, facts),
        "standing": _standing(layers, r, wanted),
        "history": _history(layers, r, wanted),
        "priors": [p.model_dump(mode="json") for p in priors.of_route(r)],
        "winner": best.id if best else None,
    }
    if source and best is not None:
        data["source"] = _source(best)
    if fmt != "md":
        return report.record(data, fmt)
    return print("\n".join(_page(r, data, best)))


def legality(r: Route, asked: ChipFacts | None = None) -> list[dict[str, Any]]:
    """Each known chip, and the one asked for: may the route run there at all, and why not."""
    known = {c.id: c for c in (*([asked] if asked else []), *registry.chips().values())}
    found = [(c, bubblebeam.chip_legal(r, c)) for c in known.values()]
    return [
        {
            "chip": c.id,
            "name": c.name,
            "legal": no is None,
            "why": f"{no.reason}: {no.detail}" if no else "",
        }
        for c, no in found
    ]


def _chips(layers: Layers, wanted: str) -> list[str]:
    return [wanted] if wanted else sorted({s.chip for s in layers.stored()})


def _standing(layers: Layers, r: Route, wanted: str) -> list[dict[str, Any]]:
    return [
        {
            "chip": chip,
            "work": short(work) or "every work item",
            "state": s.state,
            "number": s.number,
            "why": s.reason + (f"; reopen if {s.reopen_if}" if s.reopen_if else ""),
            "line": s.evidence,
        }
        for chip in _chips(layers, wanted)
        for work, s in sorted(standing.statuses(layers, r.id, chip).items())
    ]


def _stands(s: Mapping[str, Any]) -> str:
    number = "" if s["number"] is None else f" ({s['number']:g})"
    return f"* {s['chip']}, {s['work']}: {s['state']}{number}, row {s['line']}"


def _history(layers: Layers, r: Route, wanted: str) -> dict[str, list[str]]:
    """Chip -> what happened there, latest first."""
    out: dict[str, list[str]] = {}
    for s in reversed(layers.stored()):
        if f'"{r.id}"' in s.text and wanted in ("", s.chip) and _speaks_of(s, r.id):
            out.setdefault(s.chip, []).append(f"{s.date[:10]} {ledger_review.in_words(s.entry)}")
    return dict(sorted(out.items()))


def _speaks_of(s: Stored, route: str) -> bool:
    e = s.entry
    if isinstance(e, Decision):
        return e.scope.route == route or any(m.route == route for m in e.members)
    return isinstance(e, LedgerRow) and e.route == route


def winner(layers: Layers, r: Route, chip: str = "") -> LedgerRow | None:
    """The row of the kernel that stands for the route: promoted, else nominated, else fastest."""
    rows = [x for x in layers.rows(chip=chip, kind="kernel", route=r.id) if x.source_hash]
    used = {m.row for d in standing.plans(layers, chip).values() for m in d.members}

    def rank(x: LedgerRow) -> tuple[bool, bool, bool, float, str]:
        share = x.pct_of_floor or 0.0
        return (x.id in used, x.decision == "nominated", x.verdict == "faster", share, x.date)

    return max((x for x in rows if x.proof == "ok"), key=rank, default=None)


def _source(row: LedgerRow) -> str:
    """Its kernel as tinygrad renders it here, or why that cannot be shown."""
    from boltbeam.commands import rerender
    from boltbeam.types import BoltbeamError

    try:
        found = rerender.render(row)
    except BoltbeamError as e:
        return f"// cannot be rendered here: {e}"
    if found is None:
        return "// this geometry does not render any more"
    note = "as timed" if found.fits else "NOT the kernel that was timed: the emitters have changed"
    return f"// row {row.id}, {row.work}, {row.geometry}: {note}\n{found.source}"


def _page(r: Route, data: Mapping[str, Any], best: LedgerRow | None) -> Iterator[str]:
    yield f"## {r.id}\n\n{textwrap.fill(r.note, WIDTH)}\n"
    about = {
        "family": f"{r.family}: {registry.families()[r.family].title}",
        "does": ", ".join(r.ops),
        "formats": ", ".join(r.formats) or "reads no table",
        "takes, gives": f"{r.takes} -> {r.gives} ({r.numerics})",
        "form": f"{r.form} ({legal_devices(r)})",
        "weights": {
            "file": "as the file has them, in stock's memory",
            "planes": "a copy in planes: as many bytes again, of tables whose blocks lie on halves",
        }[r.weights],
        "needs": ", ".join(r.needs) or "nothing of the chip",
        "rules": ", ".join(r.rules) or "those of its form",
    }
    for key, value in about.items():
        yield textwrap.fill(f"{key:13} {value}", WIDTH, subsequent_indent=" " * 14)
    yield "\n### Where it stands\n"
    for s in data["standing"] or ["never searched"]:
        yield textwrap.fill(s if isinstance(s, str) else _stands(s), WIDTH, subsequent_indent="  ")
    yield "\n### Axes\n"
    meaning = registry.families()[r.family].axes
    for axis, values in r.axes.items():
        line = f"{axis:8} {' '.join(map(str, values))}: {meaning.get(axis, '')}"
        yield textwrap.fill(line, WIDTH, subsequent_indent=" " * 9)
    yield "\n### Legal on known chips\n"
    for c in data["legal"]:
        yield textwrap.fill(f"{c['chip']:18} {'yes' if c['legal'] else c['why']}", WIDTH)
    if data["priors"]:
        yield "\n### Public priors (scoped to their chip; they warn, they decide nothing)\n"
        yield from map(priors.paragraph, priors.of_route(r))
    yield "\n### History"
    yield from _history_lines(data["history"]) if data["history"] else ["\nNone yet."]
    if "source" in data and best is not None:
        yield f"\n### Kernel of row {best.id}, on {best.chip}\n\n```c\n{data['source']}\n```"


def _history_lines(history: Mapping[str, Sequence[str]]) -> Iterator[str]:
    for chip, said in history.items():
        yield f"\n{chip}\n"
        for line in said[:HISTORY]:
            yield textwrap.fill(f"* {line}", WIDTH, subsequent_indent="  ")
        if len(said) > HISTORY:
            yield f"* … {len(said) - HISTORY} more: boltbeam ledger show"


# ---- check -------------------------------------------------------------------------------------


def check(ledger_dir: Path | None) -> None:
    """Problems of the registry, one per line. GateFailed when there are any."""
    from boltbeam import emit
    from boltbeam.emit import reference

    known = registry.Known(
        emitters=frozenset(emit.emitters()),
        rules=frozenset(legal_rules.RULES),
        references=reference.ops(),
        goldens=goldens(),
    )
    problems = [*registry.check(known), *orphans(Layers.find(ledger_dir=ledger_dir))]
    for p in problems:
        print(p)
    if problems:
        raise GateFailed(f"registry: {len(problems)} problem(s)")
    n = len(registry.routes()), len(registry.families())
    report.say(f"registry: {n[0]} routes in {n[1]} families, all well")


def goldens() -> frozenset[str] | None:
    """Routes with a golden rendering, which comes with a proof in tests/test_routes.py.

    None where there are no tests beside the registry: in an installed wheel.
    """
    tests = registry.registry_dir().parent / "tests"
    if not (tests / "test_routes.py").is_file():
        return None
    return frozenset(p.stem for p in (tests / "golden/routes").glob("*"))


def orphans(layers: Layers) -> list[str]:
    """Ledger lines, rows and decisions, about routes that the registry does not have."""
    known, found = registry.routes(), []
    for s in layers.stored():
        if s.kind == "kernel":
            names, what = [s.route], "row"
        elif s.is_decision:
            d, what = s.decision, s.kind
            names = [d.scope.route, *(m.route for m in d.members)]
        elif s.kind == "bench" and isinstance(s.entry, Bench):
            names, what = [m.route for m in s.entry.members], s.kind
        else:
            continue
        found += [
            f"{s.file}:{s.line}: {what} {s.id} is of route '{name}', which the registry lacks"
            + registry.did_you_mean(name, known)
            for name in dict.fromkeys(filter(None, names))
            if name not in known
        ]
    return found
