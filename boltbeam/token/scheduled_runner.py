"""tinygrad's stock runner with a table of Opts, asked the way a decode plan is asked.

Takes a loaded Transformer and a table, gives logits and tokens of the runner with the searched
schedules. Never computes anything itself, and never hides an entry that could not be used.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from boltbeam.schedule import schedules
from boltbeam.schedule.schedules import Table
from boltbeam.seam import tinygrad_adapter as tg
from boltbeam.seam import tinygrad_model

TOKENS_TO_CAPTURE = 2
"""The first token runs tinygrad's own kernels, the second is captured with the table's."""


class ScheduledRunner:
    """A model whose rollout replays the table's schedules from its third token on."""

    def __init__(self, model: Any, table: Table) -> None:
        self.model = model
        self.seeded = schedules.attach(model, table)
        self._decode: Any = None
        self.captured = False

    @property
    def refused(self) -> dict[str, str]:
        """Key -> why it is not in use; complete once the token is captured."""
        return self.seeded.refused

    def capture(self) -> None:
        """Let the rollout capture its token, once; positions 0 and 1 of the KV cache are lost."""
        if self.captured:
            return
        step, token = tinygrad_model.stock_step(self.model), tinygrad_model.token_tensor(0)
        for position in range(TOKENS_TO_CAPTURE):
            step(token, position)
        self.captured = True

    def greedy(self, prompt: Sequence[int], n: int) -> tuple[int, ...]:
        """n tokens after a prompt, each by the rollout itself, from position 0."""
        step, ids = tinygrad_model.stock_step(self.model), list(prompt)
        for position in range(len(prompt) + n - 1):
            following = int(tg.scalar(step(tinygrad_model.token_tensor(ids[position]), position)))
            if position + 1 == len(ids):
                ids.append(following)
        self.captured = self.captured or len(ids) > TOKENS_TO_CAPTURE
        return tuple(ids[len(prompt) :])

    def forced(self, ids: Sequence[int], first: int = 0) -> Iterator[np.ndarray]:
        """Feed ids from position 0, whatever would be chosen; logits from `first` on."""
        for position, token in enumerate(ids):
            logits = self._logits(token, position)
            if position >= first:
                yield logits

    def backwards(self, ids: Sequence[int], first: int = 0) -> np.ndarray:
        """As forced(), each position on the KV cache as another engine left it; text order."""
        rows = [self._logits(ids[i], i) for i in reversed(range(first, len(ids)))]
        return np.stack(rows[::-1])

    def _logits(self, token: int, position: int) -> np.ndarray:
        """By stock's decode step with the logits kept: its kernels are compiled after seeding."""
        if self._decode is None:
            self.capture()
            self._decode = tinygrad_model.stock_decoder(self.model)
        logits: np.ndarray = self._decode(token, position)
        return logits
