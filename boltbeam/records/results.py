"""The README's table of results, made from the benches in the ledger: what lost stands in it too.

Takes ledger files, gives Markdown. `scripts/results` writes it, a test compares it. Never rounds a
loss away, and no newer bench that left a peer out takes the place of one that had it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path

from boltbeam import report
from boltbeam.records.benches import LLAMA, PEERS, Bench
from boltbeam.records.ledger import files, read_stored
from boltbeam.records.red_flags import SPREAD_MAX

BEGIN = "<!-- scripts/results writes this -->"
END = "<!-- results end -->"
NONE = "No bench is in the ledger yet: `boltbeam bench --record` writes one."
HEAD = (
    "In turns, tok/s; × is ours ÷ theirs, bold where ours lost, unsteady: turns spread by over 5 %."
)


def benches(folder: Path) -> list[Bench]:
    """Every bench below a ledger folder. BoltbeamError on a line whose id does not fit it."""
    stored = [s for path in files(folder) for s in read_stored(path, 0, str(path))]
    entries = (s.entry for s in stored if s.kind == "bench")
    return [e for e in entries if isinstance(e, Bench)]


def newest(found: Iterable[Bench]) -> list[Bench]:
    """The last bench of a plan for each chip, model, positions and kind of plan; an older one
    stays while it has a peer that no newer one has."""
    kept: list[Bench] = []
    for b in sorted(found, key=lambda b: (b.date, b.id), reverse=True):
        newer = (k for k in kept if k.setting == b.setting)
        if b.ours is not None and not any(_peers(b) <= _peers(k) for k in newer):
            kept.append(b)
    return sorted(kept, key=lambda b: (b.chip, b.model, b.context, b.depth, b.setting, b.date))


def _peers(b: Bench) -> set[str]:
    return {e.engine for e in b.engines} & PEERS.keys()


def block(folder: Path) -> str:
    """What stands between the marks: one sentence where no plan was benched."""
    rows = [dict(_cells(b)) for b in newest(benches(folder))]
    return f"{HEAD}\n\n{report.markdown(rows)}" if rows else NONE


def _cells(b: Bench) -> Iterator[tuple[str, object]]:
    assert b.ours is not None
    yield "chip", b.chip
    yield "model", f"{b.model}, {'+'.join(b.formats)}"
    yield "positions", f"{b.depth} to {b.depth + b.n_gen} of {b.context}"
    yield "plan", b.ours.engine
    yield "tok/s", b.tok_s(b.ours)
    for peer, called in PEERS.items():
        yield called, _against(b, peer)
    yield "% of read rate", b.pct_of_floor
    yield "bench", f"`{b.id}` {b.date[:10]}"


def _against(b: Bench, peer: str) -> str | None:
    """`163.6, 0.8191 ×`, in bold where the peer is the faster one."""
    other, ratio = b.turns_of(peer), b.ratio(peer)
    if other is None or ratio is None:
        return None
    said = f"{report.cell(b.tok_s(other))}, {report.cell(ratio)} ×"
    if max(other.spread or 0.0, b.ours.spread or 0.0 if b.ours else 0.0) > SPREAD_MAX:
        said += " (unsteady)"
    if peer != LLAMA and b.ours is not None and other.backends != b.ours.backends:
        said += f" on {other.backends}"  # where stock is not exact on the chip itself
    return f"**{said}**" if ratio < 1 else said


def in_readme(text: str, folder: Path) -> str:
    """The README with its results written anew from a ledger folder."""
    return report.between(text, BEGIN, END, block(folder))


def write(root: Path) -> None:
    """Write the README of a checkout."""
    readme = root / "README.md"
    text = readme.read_text(encoding="utf-8")
    readme.write_text(in_readme(text, root / "ledgers"), encoding="utf-8")
