"""What a search leaves in the run store beside the ledger: predictions, raw samples, sources.

Takes a finished search and its rows, gives records of the store, and finds those of a row again.
Never holds anything that a verdict rests on: the ledger's line is enough for that.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from boltbeam import report
from boltbeam.records.decisions import now
from boltbeam.records.entries import LedgerRow
from boltbeam.records.store import DAMAGED, Store, raw_sample
from boltbeam.search.search_items import Considered, ItemResult
from boltbeam.types import WHO, Candidate, Outcome


def candidates(items: Sequence[ItemResult]) -> list[Candidate]:
    """Those that reached the device and were rendered there: their kernels are worth keeping."""
    return [
        c.candidate
        for item in items
        for c in item.kept
        if (key := c.candidate.key) in item.timed
        or (key in item.proofs and item.proofs[key].source_hash and not item.proofs[key].ok)
    ]


def keep(
    store: Store,
    search: str,
    items: Sequence[ItemResult],
    rows: Sequence[LedgerRow],
    confirmed: Mapping[str, str],
    sources: Mapping[str, str],
) -> None:
    """Put it all into the store. `confirmed`: id of a row that was not written -> the older one's.

    `sources`: candidate key -> text; what has another hash than the row's is not kept.
    """
    store.put_all("candidates", [{"search": search, **r} for i in items for r in _raced(i)])
    measured = {key: m for item in items for key, (m, _) in item.timed.items()}
    samples, texts = [], []
    for row in rows:
        key = f"{row.work}|{row.route}|{row.geometry}"
        if row.kind == "kernel" and key in measured:
            sample = {
                "row": confirmed.get(row.id, row.id),
                "search": search,
                "at": now(),
                "source_hash": row.source_hash,
                "measurement": json.dumps(measured[key].model_dump(mode="json")),
            }
            samples.append(sample)
        text = sources.get(key)
        if row.source_hash and text is not None and fits(text, row.source_hash):
            texts.append({"hash": row.source_hash, "source": text})
    store.put_all("samples", samples)
    store.put_all("sources", texts)


def _raced(item: ItemResult) -> Iterator[dict[str, Any]]:
    for c in item.kept:
        us = item.raced_us.get(c.candidate.key)
        if us is not None:
            yield _record(c, us, None, audit=0)
    for c, no, us in item.audited:
        yield _record(c, us, no, audit=1)


def _record(c: Considered, us: float, no: Outcome | None, audit: int) -> dict[str, Any]:
    return {
        "work": c.candidate.work.key,
        "route": c.route.id,
        "geometry": str(c.candidate.geometry),
        "audit": audit,
        "predicted_us": c.predicted_us,
        "measured_us": us,
        "pruned": no.reason if no else "",
        "number": no.number if no else None,
        "number_limit": no.limit if no else None,
    }


def fits(text: str, source_hash: str) -> bool:
    """Whether a kernel's text is the one that a row cites."""
    return hashlib.sha256(text.encode()).hexdigest().startswith(source_hash)


# ---- and back --------------------------------------------------------------------------------


def of_row(store: Store | None, row: str) -> list[dict[str, Any]]:
    """What was measured for a row: {search, at, source_hash, measurement}, one per search."""
    out = []
    for r in store.find("samples", row=row) if store else []:
        if (m := raw_sample(r)) is None:
            report.say(f"boltbeam: run store: {DAMAGED.format(row)}")
        else:
            out.append({**r, "measurement": m.model_dump(mode="json")})
    return out


def in_words(row: LedgerRow, samples: Sequence[Mapping[str, Any]], kernel: str | None) -> list[str]:
    """What this machine kept of a row: the raw samples of every block with their telemetry, and
    where its kernel is."""
    out = []
    for s in samples:
        m = s["measurement"]
        head = f"raw samples of search {s['search']}, {str(s['at'])[:10]}: {m['stop_reason']}"
        out.append(f"{head}, timer {m['timer']}, {m['redone']} blocks redone")
        out += [f"  {line}" for line in _blocks(m)]
    if not samples:
        out.append("raw samples: none are kept here; they stay with whoever measured")
    said = "not kept here, but may render again"
    if kernel is not None:
        said = f"kept as it was measured, {len(kernel.encode()):,} bytes"
    out.append(f"kernel {row.source_hash or 'none'}: {said}: boltbeam show {row.id} --source")
    return out if row.source_hash else out[:-1]


def _blocks(m: Mapping[str, Any]) -> Iterator[str]:
    """One line per block: its batches, the incumbent against itself, the clock."""
    for n, (turns, us) in enumerate(zip(m["turns"], m["batches_us"], strict=True)):
        clocks = m["clocks_mhz"][n] if m["clocks_mhz"] else ()
        said = f"; {clocks[0]:g}, {clocks[1]:g} MHz" if clocks else ""
        told: dict[str, list[str]] = {}
        for who, took in zip(turns, us, strict=True):
            told.setdefault(WHO[who], []).append(f"{took:.4g}")
        parts = "; ".join(f"{who} {', '.join(took)} µs" for who, took in told.items())
        yield f"block {n} ({turns}): {parts}; A/A {m['aa_pct'][n]:+.2f} %{said}"


def source(store: Store | None, source_hash: str) -> str | None:
    """The kernel of that hash as it was rendered when it was measured, where it was kept."""
    found = store.find("sources", hash=source_hash) if store and source_hash else []
    return str(found[0]["source"]) if found else None
