"""Whole tokens of several plans on one loaded model, in turns.

Takes an engine without members and plans by name, gives seconds per token. Never loads a model
twice, and never times a plan beside one that could not be built: that one is left out, with why.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import ExitStack
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


class InTurns(ExitStack):
    """Plans of one model in one process, which is started for the first of them and then stays."""

    def __init__(
        self, engine: Engine, start: int, left_s: float, say: Callable[[str], None]
    ) -> None:
        """`start`: position of a turn's first token; `left_s`: seconds for building plans, and for
        the turns of those."""
        super().__init__()
        self.engine = engine.model_copy(update={"several": True})
        self.start, self.say = start, say
        self.deadline = time.monotonic() + left_s
        self._child: Process | None = None
        self._tried: dict[str, float] = {}
        """Plan -> seconds of a token in its first turn."""
        self._told: set[str] = set()
        """Plans that had turns."""
        self._longest = 0.0
        """Seconds that the longest build took, the first one left out."""

    def timed(self, plans: Mapping[str, Sequence[Member]]) -> tuple[Seconds, dict[str, str]]:
        """(turns of every plan, plan -> why it was left out); what was built is not built again.

        Two plans at least are built, whatever that takes; another one only where the seconds last
        for as long a build as any before it, and for the turns. BoltbeamError: no model, or the
        process died or hung.
        """
        left_out: dict[str, str] = {}
        for name, members in plans.items():
            if name in self._tried:
                continue
            if len(self._tried) > 1:
                mine = [s for n, s in self._tried.items() if n in plans]
                turn_s = self._tokens(mine) * max(mine)
                turns_s = 2 * ROUNDS * turn_s * (len(mine) + 1)
                if time.monotonic() + self._longest + turns_s > self.deadline:
                    left_out[name] = NO_TIME
                    continue
            try:
                self._build(name, members)
            except BoltbeamError as e:
                if self._child is None or self._child.child.poll() is not None:
                    raise
                left_out[name] = str(e).removeprefix("token gate: ")
        tried = {name: self._tried[name] for name in plans if name in self._tried}
        if not tried or (len(tried) == 1 and self._told.issuperset(tried)):
            return {}, left_out  # nobody new
        self._told.update(tried)
        n = self._tokens(tried.values())
        self.say(f"{len(tried)} plans in turns of {n} tokens")
        with lock(self.engine.chip.id):
            turns = {name: partial(self._turn, name, n) for name in tried}
            return take_turns(turns, ROUNDS), left_out

    def _tokens(self, seconds: Iterable[float]) -> int:
        """Tokens of a turn of plans whose token takes so many seconds."""
        most = min(TOKENS, self.engine.context - self.start)
        return max(TOKENS_MIN, min(most, int(TURN_S / min(seconds))))

    def _build(self, name: str, members: Sequence[Member]) -> None:
        if first := self._child is None:
            self.say("load the model")
            self._child = self.enter_context(Process(self.engine))
        assert self._child is not None
        began = time.monotonic()
        job = {
            "do": "plan",
            "name": name,
            "members": [m.model_dump(mode="json") for m in members],
        }
        try:
            self._child.ask(job, BUILD_S, _naming(name, self.say))
            self._tried[name] = self._turn(name, TRIED_TOKENS)
        finally:
            if not first:  # the first one compiles what all of them share
                self._longest = max(self._longest, time.monotonic() - began)

    def _turn(self, name: str, tokens: int) -> float:
        assert self._child is not None
        job = {"do": "time", "plan": name, "tokens": tokens, "start": self.start}
        return float(self._child.ask(job, TIMEOUT_S)["seconds"]) / tokens


def _naming(plan: str, say: Callable[[str], None]) -> Progress:
    return lambda what, _share: say(f"{plan}: {what}")
