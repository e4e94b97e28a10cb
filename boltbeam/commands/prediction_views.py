"""What `boltbeam predictions` prints: how often we were right, per chip and route, and each line.

Takes parsed arguments, gives printed data. Never measures.
"""

from __future__ import annotations

from pathlib import Path

from boltbeam import report
from boltbeam.records.ledger import Layers
from boltbeam.search import machine, predictions


def show(chip: str | None, ledger_dir: Path | None, fmt: str) -> None:
    """The tally, then every prediction; as one JSON object, or every prediction as a line."""
    layers = Layers.find(ledger_dir=ledger_dir)
    wanted = "" if chip is None else machine.find_chip(chip, layers).id
    found = predictions.records(layers, wanted)
    each, tally = [r.cells for r in found], predictions.tally(found)
    if fmt == "json":
        return report.record({"tally": tally, "predictions": each}, fmt)
    if fmt == "jsonl":
        return report.table(each, fmt)
    right = sum(r.answer == "right" for r in found)
    decided = right + sum(r.answer == "wrong" for r in found)
    said = f"{right} of {decided} decided predictions were right" if decided else "none is decided"
    report.table(tally, fmt, "Predictions by chip and route", [said])
    if each:
        print()
        rows = [{k: v for k, v in r.items() if k != "why"} for r in each]
        why = [f"{r['id']}: {r['why']}" for r in each if r["why"]]
        report.table(rows, fmt, "Each of them", why, long=("route",))
    return None
