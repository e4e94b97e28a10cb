"""`search --audit` on the CPU itself: the pruned are timed, counted, and were not much faster."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from boltbeam.commands import commands, search_display
from boltbeam.records.ledger import Layers
from boltbeam.records.store import Store
from boltbeam.seam import toolchain
from boltbeam.search import search_audit, search_session
from boltbeam.search.search_session import Options, Session
from boltbeam.types import BoltbeamError


def searched(
    model: Path, op: str, audit: int, folder: Path, budget_s: float | None = None
) -> Session:
    """A quick search of one op on the CPU here, with everything it writes below `folder`."""
    toolchain.require_compiler("CPU")
    options = Options(
        model=model, chip="cpu", ops=(op,), fused=False, audit=audit, budget_s=budget_s
    )
    with Store.open(folder / "runs.db") as store:
        layers = Layers.find(ledger_dir=folder / "ledgers", new=True)
        return search_session.run(options, layers, store, lambda *_: None)


def test_sample_size() -> None:
    assert commands.sample_size("all") == search_audit.EVERY
    assert commands.sample_size("12") == 12
    with pytest.raises(BoltbeamError, match="--audit some"):
        commands.sample_size("some")


@pytest.mark.slow
def test_audit_of_everything_is_in_the_ledger(tiny: Callable[..., Path], tmp_path: Path) -> None:
    session = searched(tiny(), "attention", search_audit.EVERY, tmp_path, budget_s=0.0)
    (item,) = session.found.items
    assert session.found.stopped == "budget"  # an audit that was asked for is made all the same
    # what had no time may be sampled as well
    assert item.legal == len(item.kept) + len(item.cut) + item.pruned["numerics"]
    assert any(no.reason == "budget" for _, no in item.cut)
    audit = item.audit
    assert audit is not None and audit.everything
    assert audit.kept == len(item.raced_us) and audit.sampled <= len(item.cut)
    assert audit.kept + audit.sampled >= audit.distinct > audit.kept
    assert audit.regret >= 0 and audit.best_us > 0
    assert session.file is not None
    rows = Layers.find(ledger_dir=tmp_path / "ledgers").rows(
        kind="funnel", chip=session.found.request.chip.id
    )
    assert [r.funnel.audit for r in rows if r.funnel] == [audit]
    assert search_display.audit_rows(session.found)[0]["kept"] == audit.kept
    with Store.open(tmp_path / "runs.db") as store:
        raced = store.find("candidates", search=session.id, audit=1)
    assert len(raced) == audit.distinct
    assert min(r["measured_us"] for r in raced) == pytest.approx(audit.best_us, rel=1e-3)
    assert sum(bool(r["pruned"]) for r in raced) == audit.distinct - audit.kept
    assert all(r["predicted_us"] for r in raced)


@pytest.mark.slow
@pytest.mark.model
def test_what_was_pruned_was_not_much_faster(smollm2: Path, tmp_path: Path) -> None:
    """576 x 576 Q4_1 on a busy machine: bounds with room, the figures are in the ledger row."""
    (item,) = searched(smollm2, "o", 24, tmp_path).found.items
    audit = item.audit
    assert audit is not None and item.legal >= 200
    assert audit.kept_share <= 0.15
    assert audit.regret <= 0.10
    assert audit.rank_correlation is not None and audit.rank_correlation >= 0.4
