"""Whole tokens of several plans on one loaded model, in turns.

Takes an engine without members and plans by name, gives seconds per token. Never loads a model
twice, and never times a plan beside one that could not be built: that one is left out, with why.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from functools import partial

from boltbeam.measure.locks import lock
from boltbeam.token.bench import take_turns
from boltbeam.token.decode_plan import Member
from boltbeam.token.token_process import Engine, Process, Progress
from boltbeam.types import BoltbeamError

ROUNDS = 3
"""Times that every plan has two turns: A B C C B A."""
TOKENS, TOKENS_MIN, TURN_S = 64, 4, 0.25
"""Tokens of a turn, and fewer (so many at least) where it would last more than so many seconds."""
TRIED_TOKENS = 4
BUILD_S, TIMEOUT_S = 120.0, 600.0
"""Seconds after which the build of a plan, or a turn, hangs."""
NO_TIME = "no time left"
Seconds = dict[str, tuple[float, ...]]
"""Plan -> seconds per token of its turns."""


def timed(
    engine: Engine,
    plans: Mapping[str, Sequence[Member]],
    start: int,
    left_s: float,
    say: Callable[[str], None],
) -> tuple[Seconds, dict[str, str]]:
    """(turns of every plan from position `start`, plan -> why it was left out).

    Two plans at least are built, whatever that takes; another one only where `left_s` lasts for as
    long a build as any before it. BoltbeamError: no model, or the process died or hung.
    """
    deadline, longest = time.monotonic() + left_s, 0.0
    tried: dict[str, float] = {}
    left_out: dict[str, str] = {}
    say("load the model")
    with Process(engine.model_copy(update={"several": True})) as child:
        for name, members in plans.items():
            now = time.monotonic()
            if len(tried) > 1 and now + longest > deadline:
                left_out[name] = NO_TIME
                continue
            job = {
                "do": "plan",
                "name": name,
                "members": [m.model_dump(mode="json") for m in members],
            }
            try:
                child.ask(job, BUILD_S, _naming(name, say))
                tried[name] = _turn(child, name, start, TRIED_TOKENS)
            except BoltbeamError as e:
                if child.child.poll() is not None:
                    raise
                left_out[name] = str(e).removeprefix("token gate: ")
            if name != next(iter(plans)):  # the first one compiles what all of them share
                longest = max(longest, time.monotonic() - now)
        if not tried:
            return {}, left_out
        most = min(TOKENS, engine.context - start)
        n = max(TOKENS_MIN, min(most, int(TURN_S / min(tried.values()))))
        say(f"{len(tried)} plans in turns of {n} tokens")
        with lock(engine.chip.id):
            turns = {name: partial(_turn, child, name, start, n) for name in tried}
            return take_turns(turns, ROUNDS), left_out


def _naming(plan: str, say: Callable[[str], None]) -> Progress:
    return lambda what, _share: say(f"{plan}: {what}")


def _turn(child: Process, name: str, start: int, tokens: int) -> float:
    job = {"do": "time", "plan": name, "tokens": tokens, "start": start}
    return float(child.ask(job, TIMEOUT_S)["seconds"]) / tokens
