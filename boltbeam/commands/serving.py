"""What `boltbeam serve` does: tinygrad's OpenAI-compatible server with the promoted plan.

Takes parsed arguments, gives answers until it is interrupted. Never serves a plan that `run` would
not use: the same look-up and the same first-use check.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from boltbeam import report
from boltbeam.commands import plan_in_use
from boltbeam.models import decode_support, gguf_model
from boltbeam.records.ledger import Layers
from boltbeam.search import machine
from boltbeam.types import BoltbeamError

STOCK_CONTEXT = 4096
"""Positions without a plan, as tinygrad's own server has them."""


class Served:
    """An installation as tinygrad's server asks for a model."""

    def __init__(self, installed: Any) -> None:
        self.installed = installed
        self.max_context: int = installed.model.max_context
        self.wanted: Callable[[], bool] = lambda: True
        self.seed: int | None = None
        self.enough: Callable[[], bool] = lambda: False

    def get_start_pos(self, ids: list[int]) -> int:
        """Positions at the beginning of `ids` that the KV cache holds already."""
        start: int = self.installed.model.get_start_pos(ids)
        return start

    def generate(self, ids: list[int], temperature: float = 0.0) -> Iterator[int]:
        """Ids after a prompt, until the text is complete, the context full or the client gone."""
        from boltbeam.token import install

        for token in install.generate(
            self.installed, ids, self.max_context, temperature=temperature, seed=self.seed
        ):
            if not self.wanted():
                raise ConnectionAbortedError("the client is gone")
            yield token
            if self.enough():
                return


def serve(
    path: Path,
    chip: str,
    host: str,
    port: int,
    context: int | None,
    stock: bool,
    ledger_dir: Path | None,
    data_dir: Path | None = None,
) -> None:
    """Answer requests until interrupted. The context is that of the largest promoted plan.

    `data_dir`: where the user's own ledger is (default: where everything is).
    """
    facts = gguf_model.read(path)
    decode_support.require_runnable(facts)
    decode_support.require_context(facts, context)
    from boltbeam.models.tokenizer import Tokenizer

    tokenizer = Tokenizer.from_gguf(path)
    try:
        tokenizer.chat([{"role": "user", "content": "?"}])
    except BoltbeamError as e:
        why = str(e).split(";")[0]
        raise BoltbeamError(f"serve: {why}; `boltbeam run --raw` continues plain text") from None
    device, _ = machine.open_device(chip)
    from boltbeam.seam import tinygrad_server

    server = tinygrad_server.listen(host, port)
    here = machine.local_chip(device)
    layers = Layers.find(ledger_dir=ledger_dir, data_dir=data_dir)
    size = context
    if size is None and not plan_in_use.without_plan(stock):
        size = plan_in_use.largest_here(path, facts, here, layers)
    size = size or min(STOCK_CONTEXT, facts.context_length)
    found = plan_in_use.opened(path, facts, here, layers, size, size, stock)
    name = facts.name or path.stem
    report.say(
        f"boltbeam: http://{host}:{server.server_address[1]}/v1 serves {name}, "
        f"{found.installed.model.max_context} positions, {engine_of(found)}; Ctrl-C ends it"
    )
    tinygrad_server.equip(server, Served(found.installed), name, tokenizer)
    with server:
        server.serve_forever()


def engine_of(found: plan_in_use.Opened) -> str:
    """`plan 0123…` or `stock`; a table of schedules counts once its token was captured."""
    if found.decision is None or not (found.installed.active or found.installed.seeded):
        return "stock"
    return f"plan {found.decision.id}"
