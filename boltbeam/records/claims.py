"""What somebody said a search would find, before it ran, and how it came out: two kinds of lines.

Takes text and field values, gives frozen entries. Never makes one that could be read two ways: an
answer follows from the blocks that stand on its line.

A gain is the share of time saved: `down >= 5%` says that the search's best kernel for `down` takes
at most 95 % of the time of the one in force.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from statistics import median
from typing import Literal, Self

from pydantic import Field, field_validator, model_validator

from boltbeam.records.entries import (
    BLOCKS_MOST,
    SCHEMA_VERSION,
    Amount,
    ChipId,
    Count,
    Interval,
    Number,
    Time,
    bare_words,
)
from boltbeam.types import OPS, BoltbeamError, Frozen, ratios_of

STATED = re.compile(r"\s*([a-z_+]+)\s*(>=|≥|<)\s*(\d{1,2}(?:\.\d+)?)\s*%\s*")


class Prediction(Frozen):
    """Written before the run: what it will show, and which result would end the idea."""

    schema_version: int = Field(ge=1, le=SCHEMA_VERSION)
    id: str = ""
    kind: Literal["prediction"] = "prediction"
    date: str
    chip: ChipId
    op: str
    """A primitive op, or a span of them: what is searched as one work item."""
    gain: Number = Field(gt=0, lt=1)
    """Share of time saved, at least, over `incumbent`."""
    kill: Number | None = Field(None, ge=0, lt=1)
    """A gain below this ends the idea."""
    incumbent: str
    """Id of the plan in force, or `stock`."""
    plan_key: str = ""
    context: Count | None = None
    numerics: str = ""
    effort: str = ""
    seed: int | None = Field(None, ge=0, lt=2**63)
    command: str = ""
    commit: str = ""
    dirty: bool | None = None
    tinygrad: str = ""
    model: str = ""
    header_hash: str = ""
    author: str = ""

    @field_validator("command")
    @classmethod
    def _bare_words(cls, command: str) -> str:
        return bare_words(command)

    @model_validator(mode="after")
    def _can_fail(self) -> Self:
        if self.kill is not None and self.kill > self.gain:
            raise ValueError("kill lies above gain: a right prediction would end the idea")
        return self


class Compared(Frozen):
    """The search's best kernel for one work item beside the one in force, with its blocks."""

    work: str
    count: int = Field(ge=1, le=2**53)
    route: str
    geometry: str
    incumbent: str
    """`stock`, or route and geometry of the plan's member; the same kernel: `itself`, with nothing
    but its time in `incumbent_us`."""
    candidate_us: tuple[Time, ...] = ()
    incumbent_us: tuple[Time, ...] = ()
    aa_spread: Amount | None = None
    aa_pct: tuple[Amount, ...] = ()
    comparisons: int = Field(1, ge=1, le=10**6)
    protocol: str = ""
    stop_reason: str = ""
    throttled: bool | None = None

    @model_validator(mode="after")
    def _complete(self) -> Self:
        if self.incumbent == ITSELF:
            if len(self.incumbent_us) == 1 and not self.candidate_us:
                return self
            raise ValueError("what is compared with itself has one time and no blocks")
        if len(self.candidate_us) != len(self.incumbent_us) or len(self.candidate_us) < 2:
            raise ValueError("needs two or more blocks of both")
        if len(self.candidate_us) > BLOCKS_MOST:
            raise ValueError(f"has more than {BLOCKS_MOST} blocks")
        if len(self.aa_pct) != len(self.candidate_us):
            raise ValueError("needs the A/A ratio of every block in aa_pct")
        if not self.protocol or self.aa_spread is None:
            raise ValueError("needs protocol and A/A spread")
        return self

    @property
    def ratios(self) -> tuple[float, ...]:
        """Candidate ÷ incumbent, block by block."""
        return ratios_of(self.candidate_us, self.incumbent_us)


ITSELF = "itself"
ANSWERS = ("right", "wrong", "undecided", "untested")


class Closing(Frozen):
    """Written after the run: the gain measured, whether the prediction held, whether it killed."""

    schema_version: int = Field(ge=1, le=SCHEMA_VERSION)
    id: str = ""
    kind: Literal["closing"] = "closing"
    date: str
    chip: ChipId
    prediction: str
    """Id of the line that it closes."""
    op: str
    routes: tuple[str, ...] = ()
    """Of the kernels that were compared, as often used first."""
    answer: Literal["right", "wrong", "undecided", "untested"]
    killed: bool | None = None
    """True: the gain is below the kill criterion; None: undecided, or there was none."""
    gain: Interval | None = None
    """Share of time saved, all work items of the op together."""
    reason: str = ""
    """Why nothing was compared, where nothing was."""
    compared: tuple[Compared, ...] = ()

    @model_validator(mode="after")
    def _follows(self) -> Self:
        if (self.answer == "untested") != (not self.compared):
            raise ValueError("untested means: nothing was compared")
        if not self.compared and not self.reason:
            raise ValueError("an untested prediction needs a reason")
        if bool(self.compared) != (self.gain is not None):
            raise ValueError("what was compared has a gain")
        return self


# ---- as typed ------------------------------------------------------------------------------------


def stated(predict: str, kill: str = "") -> tuple[str, float, float | None]:
    """(op, gain, kill) of `--predict "down >= 5%"` and `--kill "down < 1%"`.

    BoltbeamError on anything else.
    """
    op, gain = _one("--predict", predict, (">=", "≥"))
    if not 0 < gain < 1:
        raise BoltbeamError(f"--predict {predict}: a gain lies above 0 % and below 100 %")
    if not kill:
        return op, gain, None
    other, limit = _one("--kill", kill, ("<",))
    if other != op:
        raise BoltbeamError(f"--kill {kill}: it is about {other}, the prediction about {op}")
    if limit > gain:
        raise BoltbeamError(
            f"--kill {kill}: above the prediction of {gain:.4g}, which could then be right and "
            "killed; name a smaller number"
        )
    return op, gain, limit


def _one(option: str, text: str, signs: Sequence[str]) -> tuple[str, float]:
    found = STATED.fullmatch(text)
    known = found is not None and set(found[1].split("+")) <= set(OPS)
    if found is None or not known or found[2] not in signs:
        raise BoltbeamError(
            f'{option} {text}: write it as "OP {signs[0]} N%", such as "down {signs[0]} 5%"; '
            f"OP is one of {', '.join(OPS)}, or some joined by +"
        )
    return found[1], float(found[3]) / 100


# ---- how it came out -----------------------------------------------------------------------------


def gain_of(parts: Sequence[tuple[Compared, Interval]]) -> Interval:
    """Share of time saved by all work items together, each with the interval of its block ratio.

    Their ratios count by the time that the incumbent takes in a token.
    """
    known = [(c.count * median(c.incumbent_us), iv) for c, iv in parts]
    total = sum(weight for weight, _ in known)

    def saved(end: str) -> float:
        return 1 - sum(weight * float(getattr(iv, end)) for weight, iv in known) / total

    return Interval(low=saved("high"), mid=saved("mid"), high=saved("low"))


def answer(
    prediction: Prediction, gain: Interval, compared: Sequence[Compared]
) -> tuple[str, bool | None]:
    """(answer, killed) that a gain gives: only an interval that lies wholly on one side decides,
    and nothing that was measured on a throttled chip."""
    if any(c.throttled for c in compared):
        return "undecided", None
    if gain.low >= prediction.gain:
        said = "right"
    else:
        said = "wrong" if gain.high < prediction.gain else "undecided"
    if prediction.kill is None or gain.low < prediction.kill <= gain.high:
        return said, None
    return said, gain.high < prediction.kill
