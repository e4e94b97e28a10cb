"""Times a plain step and stock's forward of several tokens at once: what speculation is made of.

Takes a model loaded in this process, with a plan or without, gives microseconds by tokens at once.
Never drafts anything, and never says whether speculating pays.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from statistics import median
from typing import Any

from boltbeam.measure import timing
from boltbeam.seam import tinygrad_adapter as tg
from boltbeam.seam import tinygrad_model
from boltbeam.token.decode_plan import DecodePlan
from boltbeam.types import ChipFacts

ROUNDS = 5
ROUNDS_MIN = 2
SECONDS = 20.0
"""Rounds go on for so long at most, after ROUNDS_MIN."""
WARMING = 0.8
"""Share of the progress until all of it is compiled: that takes longest."""
PLAIN_STEPS = 4
"""Plain steps in a batch, if they fit: a GPU is not to wait for the host between two of them."""


def measure(
    model: Any,
    plan: DecodePlan | None,
    chip: ChipFacts,
    tokens: Sequence[int],
    position: int,
    progress: Callable[[str, float], None],
) -> dict[str, Any]:
    """{plain_us, check_us: {m: us}, timer}: medians over rounds in which all of them take turns.

    A check of m gives a choice after each of its tokens, from `position` on, as a verifier needs.
    """
    device, steps = chip.device, min(PLAIN_STEPS, model.max_context - position)
    works = {1: steps} | dict.fromkeys(tokens, 1)
    runs: dict[int, Callable[[], None]] = {1: _plain(model, plan, position, steps)}
    runs |= {m: _check(model, m, position) for m in tokens}
    for done, (m, run) in enumerate(runs.items()):
        what = f"a check of {m} tokens at once" if m > 1 else "the plain step"
        progress(f"first runs of {what}", WARMING * done / len(runs))
        for _ in range(3):  # runs, captures, replays
            run()
        tg.synchronize(device)
    us: dict[int, list[float]] = {m: [] for m in runs}
    now_ns = timing.TIMERS[timing.timer(device)]
    for n in timing.rounds(ROUNDS, ROUNDS_MIN, SECONDS):
        progress(
            f"timing in turns, round {n + 1} of {ROUNDS}", WARMING + (1 - WARMING) * n / ROUNDS
        )
        for m, run in runs.items():
            start = now_ns()
            run()
            tg.synchronize(device)
            us[m].append((now_ns() - start) / 1e3 / works[m])
    found = {m: median(u) for m, u in us.items()}
    return {"plain_us": found.pop(1), "check_us": found, "timer": timing.timer(device)}


def _plain(model: Any, plan: DecodePlan | None, position: int, steps: int) -> Callable[[], None]:
    """So many tokens from `position` on, by the plan or by stock's rollout."""
    if plan is not None:

        def by_plan() -> None:
            plan.reset_at(1, position)
            for _ in range(steps):
                plan.step()

        return by_plan
    step, token = tinygrad_model.stock_step(model), tinygrad_model.token_tensor(1)

    def by_stock() -> None:
        for i in range(steps):
            step(token, position + i)

    return by_stock


def _check(model: Any, m: int, position: int) -> Callable[[], None]:
    check = tinygrad_model.stock_checker(model, m)
    return lambda: check(position)
