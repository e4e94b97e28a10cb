"""What whole engines took beside each other in one run: one kind of line, of `bench --record`.

Takes field values, gives frozen entries and what follows from them: rates, ratios, spreads. Never
holds a mean: every figure is derived from the seconds of each turn, which stand on the line.
"""

from __future__ import annotations

from datetime import datetime
from statistics import mean, stdev
from typing import Annotated, Literal, Self

from pydantic import Field, field_validator, model_validator

from boltbeam.records.entries import (
    BLOCKS_MOST,
    SCHEMA_VERSION,
    Amount,
    ChipId,
    Count,
    Member,
    Time,
    Times,
    bare_words,
)
from boltbeam.types import Frozen, significant, without_paths

Positive = Annotated[Amount, Field(ge=0)]
PROMOTED, NOMINATED = "promoted", "nominated"
"""Names of the engine that runs a plan: the one in force, or that of a search."""
LLAMA = "llama.cpp"
PEERS = {LLAMA: LLAMA, "stock": "stock", "jitbeam": "JITBEAM"}
"""Engines that a plan is held against, and how a table calls them."""


class EngineTurns(Frozen):
    """One engine, and what each of its turns took."""

    engine: str
    """`promoted`, `nominated`, `stock`, `jitbeam`, `llama.cpp`, …: as `bench` names its rows."""
    version: str
    """`tinygrad 0.14.0`, or llama.cpp's build commit."""
    backends: str
    samples_s: Times
    """Seconds of each turn of `n_gen` tokens, in the order they ran."""
    start_s: Positive | None = None
    """From starting its process to its first tokens, compiling included."""
    ttft_s: Positive | None = None
    """From a prompt of `n_prompt` tokens to the first token, warm: the best of two turns."""

    @field_validator("version", "backends")
    @classmethod
    def _no_paths(cls, text: str) -> str:
        return without_paths(text)

    @property
    def spread(self) -> float | None:
        """Standard deviation of the turns ÷ their mean; None: there was but one."""
        return stdev(self.samples_s) / mean(self.samples_s) if len(self.samples_s) > 1 else None


class Bench(Frozen):
    """Whole tokens of a plan and of its peers, in turns: one line for each depth."""

    schema_version: int = Field(ge=1, le=SCHEMA_VERSION)
    id: str = ""
    kind: Literal["bench"] = "bench"
    date: str
    chip: ChipId
    plan_key: str = ""
    """Of the model at this context; empty where it has no generated decode."""
    plan: str = ""
    """Id of the decision in force that ran, where it was a promoted plan."""
    context: int = Field(ge=2, le=2**53)
    depth: Count
    """Position of the first token timed."""
    n_gen: int = Field(ge=1, le=2**53)
    """Tokens per turn."""
    n_prompt: int = Field(ge=0, le=2**53)
    engines: tuple[EngineTurns, ...]
    members: tuple[Member, ...] = ()
    """What ran where it was a search's plan: each cites its row; `emitter_hash` is that of the
    emitters that ran, which may not be the row's any more."""
    token_bytes: Count | None = None
    """Of the matrices that one token reads; missing where twice the cache holds them."""
    floor_us: Time | None = None
    """`token_bytes` ÷ the read rate that `probe` measured."""
    clock_mhz: Amount | None = None
    """Median after each turn; so is `power_w`."""
    power_w: Amount | None = None
    temperature_c: Amount | None = None
    """Highest after any turn."""
    throttled: bool | None = None
    load: Amount | None = None
    waiting_share: Positive | None = None
    stalled_share: Positive | None = None
    command: str = ""
    commit: str = ""
    dirty: bool | None = None
    tinygrad: str = ""
    driver: str = ""
    compiler: str = ""
    memory: str = ""
    python: str = ""
    model: str = ""
    architecture: str = ""
    formats: tuple[str, ...] = ()
    """Of the model's matrices, the one with most bytes first."""
    model_bytes: Count | None = None
    """Of all its tensors."""
    header_hash: str = ""
    probe: str = ""
    """Id of the probe row whose read rate was used."""

    @field_validator("date")
    @classmethod
    def _a_day(cls, text: str) -> str:
        datetime.strptime(text, "%Y-%m-%dT%H:%M:%SZ")
        return text

    @field_validator("command")
    @classmethod
    def _bare_words(cls, command: str) -> str:
        return bare_words(command)

    @field_validator("driver", "compiler")
    @classmethod
    def _no_paths(cls, text: str) -> str:
        return without_paths(text)

    @model_validator(mode="after")
    def _complete(self) -> Self:
        if problem := _problem(self):
            raise ValueError(problem)
        return self

    # ---- what follows ----------------------------------------------------------------------

    def turns_of(self, engine: str) -> EngineTurns | None:
        """The engine of that name, if it took part."""
        return next((e for e in self.engines if e.engine == engine), None)

    @property
    def ours(self) -> EngineTurns | None:
        """The engine with the plan; None where stock alone was timed."""
        return self.turns_of(PROMOTED) or self.turns_of(NOMINATED)

    def tok_s(self, engine: EngineTurns) -> float:
        """Tokens per second: the mean of its turns, as llama-bench has it."""
        return significant(self._rate(engine))

    def ratio(self, peer: str) -> float | None:
        """The plan's tokens per second ÷ the peer's, above 1 is faster; None: one was not timed."""
        ours, other = self.ours, self.turns_of(peer)
        if ours is None or other is None:
            return None
        return significant(self._rate(ours) / self._rate(other))

    def _rate(self, engine: EngineTurns) -> float:
        return mean(self.n_gen / s for s in engine.samples_s)

    @property
    def turns(self) -> int:
        """Of the engine that had the fewest."""
        return min(len(e.samples_s) for e in self.engines)

    @property
    def spread(self) -> float:
        """Of the engine whose turns differ most."""
        return max(e.spread or 0.0 for e in self.engines)

    @property
    def pct_of_floor(self) -> float | None:
        """Percent of the measured read rate at which the plan reads its matrices."""
        if self.ours is None or self.floor_us is None:
            return None
        return significant(self.floor_us * self.tok_s(self.ours) / 1e4)

    @property
    def cited(self) -> tuple[str, ...]:
        """Ids of the lines that it rests on."""
        return tuple(filter(None, (self.plan, *(m.row for m in self.members), self.probe)))

    @property
    def setting(self) -> tuple[str, ...]:
        """Benches that differ in nothing of this are of one thing at two times."""
        how = self.ours.engine if self.ours else ""
        return (self.chip, self.header_hash, str(self.context), str(self.depth), how)


def _problem(b: Bench) -> str:
    """Why this bench cannot exist, or ''."""
    names = [e.engine for e in b.engines]
    if not names or len(set(names)) != len(names):
        return "a bench needs engines, each once"
    for e in b.engines:
        if not (e.engine and e.version and e.backends):
            return f"engine '{e.engine}' needs a name, version and backends"
        if not 0 < len(e.samples_s) <= BLOCKS_MOST:
            return f"engine '{e.engine}' has {len(e.samples_s)} turns, not 1 to {BLOCKS_MOST}"
    if b.depth + b.n_gen > b.context:
        return f"{b.depth} + {b.n_gen} tokens exceed the context of {b.context}"
    if (PROMOTED in names) != bool(b.plan):
        return f"an engine '{PROMOTED}' and the id of its plan go together"
    if (NOMINATED in names) != bool(b.members) or (b.plan and b.members):
        return f"an engine '{NOMINATED}' and its members go together, without a plan"
    if (b.floor_us is None) != (not b.probe) or (b.floor_us and not b.token_bytes):
        return "floor_us needs token_bytes and probe, which goes with nothing else"
    return "" if b.header_hash and b.model else "a bench needs model and header_hash"
