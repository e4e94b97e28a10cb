"""The plugin for your own tinygrad program: one call after `Transformer.from_gguf`.

Takes a loaded model and its file, gives an Installation. Never searches, never promotes.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from boltbeam.commands.plan_in_use import decided, installation
from boltbeam.models import gguf_model
from boltbeam.records.ledger import Layers
from boltbeam.seam import tinygrad_adapter as tg
from boltbeam.seam import tinygrad_model
from boltbeam.search import machine
from boltbeam.token import install as installer
from boltbeam.types import Uncovered

tg.supply_missing_llm_module()  # so that `tinygrad.llm.model` can be imported after this module


def load(path: Path | str, max_context: int, chip: str = "cpu") -> tuple[Any, dict[str, Any]]:
    """A GGUF's Transformer and metadata, as `Transformer.from_gguf` gives them.

    Also for Gemma 3, which that would load and compute wrongly. Raises BoltbeamError for what
    cannot run here.
    """
    device, _ = machine.open_device(chip)
    return tinygrad_model.load_model(Path(path), max_context, device)


def install(
    model: Any, path: Path | str, chip: str = "cpu", ledger: Path | None = None
) -> installer.Installation:
    """Let a Transformer decode by the plan that is promoted for this file, chip and max_context.

    `generate()` and tinygrad's server use it from then on; `uninstall()` gives stock back. Where
    nothing fits, stock stays and `fallbacks` says why. Raises BoltbeamError for a bad file.
    """
    path = Path(path)
    facts = gguf_model.read(path)
    tinygrad_model.require_right_model(model, facts)
    device, _ = machine.open_device(chip)
    here = machine.local_chip(device)
    layers = Layers.find(ledger_dir=ledger)
    context = model.max_context
    with machine.open_store() as store:
        decision, _, why = decided(path, facts, here, layers, 1, context, store)
        if decision is None:
            return installer.Installation(model, None, (Uncovered(name="plan", reason=why),))
        made: installer.Installation = installation(
            path, facts, here, layers, decision, context, store, model
        )
    return made
