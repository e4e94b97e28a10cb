"""The plugin for your own tinygrad program: one call after `Transformer.from_gguf`.

Takes a loaded model and its file, gives an Installation. Never searches, never promotes.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from boltbeam import gguf_model, machine, promotion, report
from boltbeam import install as installer
from boltbeam import tinygrad_adapter as tg
from boltbeam.ledger import Layers
from boltbeam.plan_in_use import plan_here
from boltbeam.search_session import Memory
from boltbeam.types import Uncovered

tg.supply_missing_llm_module()  # so that `tinygrad.llm.model` can be imported after this module


def install(
    model: Any, path: Path | str, chip: str = "cpu", ledger: Path | None = None
) -> installer.Installation:
    """Let a Transformer decode by the plan that is promoted for this file, chip and max_context.

    `generate()` and tinygrad's server use it from then on; `uninstall()` gives stock back. Where
    nothing fits, stock stays and `fallbacks` says why. Raises BoltbeamError for a bad file.
    """
    path = Path(path)
    facts = gguf_model.read(path)
    device, _ = machine.open_device(chip)
    here = machine.local_chip(device)
    layers = Layers.find(ledger_dir=ledger)
    decision, _, why = plan_here(layers, here, facts, 1, model.max_context)
    if decision is None:
        return installer.Installation(model, None, (Uncovered(name="plan", reason=why),))
    members = promotion.placed(facts, model.max_context, decision, layers)
    if no := promotion.unusable(decision, members, here, report.say):
        return installer.Installation(model, None, (no,))
    with machine.open_store() as store:
        return installer.install(
            model, facts, gguf_model.files(path), members, here, Memory(store, "first-use")
        )
