"""Entries of the ledger: rows that say what happened, decisions that say what follows from it.

Takes field values, gives frozen entries. Never makes one that a reviewer could not judge: a verdict
without its numbers or a promotion without its gates cannot be constructed.
"""

from __future__ import annotations

import operator
import re
from functools import cache
from typing import Annotated, Literal, Self, TypeVar

from pydantic import AfterValidator, Field, field_validator, model_validator

from boltbeam.types import (
    TIMED,
    Frozen,
    Measured,
    Point,
    Verdict,
    rate_problem,
    ratios_of,
    significant,
    without_paths,
)

SCHEMA_VERSION = 1
M = TypeVar("M", Measured, Point)
Number = Annotated[
    float, Field(allow_inf_nan=False, ge=-1e300, le=1e300), AfterValidator(significant)
]
"""A float of the ledger: four significant digits from the moment it is constructed."""
Amount = Annotated[
    float, Field(allow_inf_nan=False, ge=-1e15, le=1e15), AfterValidator(significant)
]
"""A Number that is reckoned with: its sums and squares are numbers too."""
Time = Annotated[float, Field(allow_inf_nan=False, ge=1e-6, le=1e12), AfterValidator(significant)]
"""Microseconds of what was timed."""


def _all_significant(values: tuple[float, ...]) -> tuple[float, ...]:
    return tuple([float(f"{v:.4g}") for v in values])  # `significant`, without a call for each


Times = Annotated[
    tuple[Annotated[float, Field(allow_inf_nan=False, ge=1e-6, le=1e12)], ...],
    AfterValidator(_all_significant),
]
"""A Time of every block."""
Count = Annotated[int, Field(ge=0, le=2**53)]
BLOCKS_MOST = 1000
"""More blocks has no comparison."""


@cache
def _chip_id(name: str) -> str:
    if not re.fullmatch(r"[a-z0-9][\w.-]*", name):
        raise ValueError(f"'{name[:40]}' is no id of a chip")
    return name


ChipId = Annotated[str, AfterValidator(_chip_id)]
"""It names a folder of ledger files, too."""


def bare_words(command: str) -> str:
    """A command line without the folders of its files."""
    if "/" not in command and "\\" not in command:
        return command
    return re.sub(r"[^\s='\"]*[/\\]", "", command)


class Interval(Frozen):
    """Confidence interval of the median block ratio; below 1 is faster."""

    low: Number
    mid: Number
    high: Number


class Audit(Frozen):
    """What it cost one work item that only the kept candidates were timed: all were raced at once,
    the kept ones with `sampled` of those that FutureSight had pruned."""

    sampled: Count
    """Pruned candidates that were proved and raced anyway, picked at random."""
    everything: bool
    """Nothing legal was left out of the sample."""
    distinct: Count
    """Different rendered sources among all that were raced."""
    kept: Count
    """Different sources that the search itself had timed."""
    kept_share: Amount
    """`kept` ÷ the work item's legal candidates."""
    regret: Amount
    """Best kept ÷ best of all, less 1: 0.03 = 3 % lost."""
    rank_correlation: Amount | None = None
    """Spearman's rho of prediction and measurement; missing where too few were predicted."""
    best_us: Time
    """Fastest of all, and where the prediction had placed it (1 = first)."""
    best_rank: Count | None = None
    worst: str = ""
    """Route and geometry of the fastest pruned candidate that beat every kept one, the reason it
    was pruned for, and the number that failed against its limit."""
    worst_reason: str = ""
    worst_number: Number | None = None
    worst_limit: Number | None = None


class Cut(Frozen):
    """The pruned candidate of one reason that came nearest to being kept."""

    number: Number | None = None
    limit: Number | None = None
    detail: str = ""


class Racer(Frozen):
    """One that ran the race of a work item: its time beside the others', not against stock."""

    route: str
    geometry: str
    takes: str
    gives: str
    us: Time


class Funnel(Frozen):
    """How many candidates of one work item went how far."""

    legal: Count
    illegal: dict[str, Count] = Field(default_factory=dict)
    """Reason code -> how many BubbleBeam refused."""
    pruned: dict[str, Count] = Field(default_factory=dict)
    """Reason code -> how many FutureSight left out."""
    proved: Count = 0
    timed: Count = 0
    stopped: str = ""
    """Why the search left this work item early: `budget` or `interrupted`."""
    nearest: dict[str, Cut] = Field(default_factory=dict)
    """Reason code -> the number of the pruned candidate that came nearest to being kept."""
    race: tuple[Racer, ...] = ()
    """The fastest two, and the fastest of every interface pair; fastest first."""
    audit: Audit | None = None


SOFTWARE = ("tinygrad", "driver", "compiler", "memory")
"""What runs a kernel beside the chip: fields of a Scope and of a LedgerRow."""


class Scope(Frozen):
    """Where something holds. Empty: not part of this scope."""

    chip: ChipId
    plan_key: str = ""
    work: str = ""
    route: str = ""
    tinygrad: str = ""
    emitter_hash: str = ""
    driver: str = ""
    compiler: str = ""
    memory: str = ""
    """Label of memory and power: `64GB-700W`."""


class LedgerRow(Frozen):
    """One verdict that reached the device (or a probe, or one work item's funnel): one line.

    The order of the fields is the order of the keys. A key that is missing from a line means: not
    known, or not of this kind. `record` makes rows, `ledger.sealed` their ids.
    """

    schema_version: int = Field(ge=1, le=SCHEMA_VERSION)
    id: str = ""
    """First 12 hex digits of the sha256 of the line without its id."""
    kind: Literal["kernel", "token", "probe", "funnel"]
    date: str
    """UTC, `2026-11-29T14:40:38Z`."""
    chip: ChipId
    work: str = ""
    op: str = ""
    count: Count | None = None
    """How often it runs per token."""
    plan_key: str = ""
    position: Count | None = None
    """Of the first token timed; a token row without it is of position 0, and the only one."""
    members: tuple[str, ...] = ()
    """Of a token row: ids of the rows of the kernels that ran; an older one does not say."""
    route: str = ""
    geometry: str = ""
    formats: tuple[str, ...] = ()
    numerics: str = ""
    takes: str = ""
    gives: str = ""
    incumbent: str = ""
    verdict: Verdict | None = None
    reason: str = ""
    number: Number | None = None
    limit: Number | None = None
    detail: str = ""
    timing: Literal["", "untimed", "faster", "slower", "ambiguous", "impossible"] = ""
    tokens: Literal["", "untested", "identical", "tie-break", "diverged"] = ""
    decision: Literal["", "none", "nominated"] = ""
    """`nominated`: a member of this search's plan."""
    candidate_us: Times = ()
    incumbent_us: Times = ()
    aa_spread: Amount | None = None
    aa_pct: tuple[Amount, ...] = ()
    """Percent by which the incumbent was from itself in the A/A pair after each block, signed."""
    interval: Interval | None = None
    comparisons: int | None = Field(None, ge=1, le=10**6)
    """How many comparisons this one counts as: they share one chance of an error, so each widens
    the interval. With a planned protocol it divides the chance of the whole search and is at least
    twice the number of comparisons in its round (`search.shares`); else it is the item's number."""
    floor_us: Amount | None = None
    pct_of_floor: Amount | None = None
    """100 x floor / median candidate time."""
    protocol: str = ""
    blocks_planned: Count | None = None
    """Blocks that the spread of the first few asked for, where the protocol plans."""
    stop_reason: str = ""
    copies: Count | None = None
    runs: Count | None = None
    """Runs of the work item in the candidate's graph; of a token row: its tokens in a turn. An
    older one does not say."""
    cold_ratio: Amount | None = None
    clock_mhz: Amount | None = None
    power_w: Amount | None = None
    temperature_c: Amount | None = None
    throttled: bool | None = None
    redone: Count | None = None
    """Blocks thrown away and measured again: throttled, or the host short of memory."""
    load: Amount | None = None
    waiting_share: Amount | None = None
    """Share of the time in which some task of the host waited for a core."""
    stalled_share: Amount | None = None
    """Share of the time in which some task of the host waited for memory."""
    source_hash: str = ""
    emitter_hash: str = ""
    intrinsics: tuple[str, ...] = ()
    proof: str = ""
    """Reason of the Proof: `ok` or what failed."""
    checks: tuple[str, ...] = ()
    worst: Number | None = None
    """Largest |y − y64| ÷ tolerance. A row of an int8 output that has no `excused` is older, and
    counted the rounding itself: nearly 1, whatever the error."""
    excused: Count | None = None
    """int8 outputs on the other side of a rounding tie than float64."""
    funnel: Funnel | None = None
    measured: dict[str, Measured] = Field(default_factory=dict)
    seed: int | None = Field(None, ge=0, lt=2**63)
    command: str = ""
    commit: str = ""
    """boltbeam's own commit; empty in an installed wheel."""
    dirty: bool | None = None
    tinygrad: str = ""
    driver: str = ""
    compiler: str = ""
    memory: str = ""
    python: str = ""
    model: str = ""
    header_hash: str = ""
    probe: str = ""
    """Id of the probe row whose constants were used."""

    @field_validator("command")
    @classmethod
    def _bare_words(cls, command: str) -> str:
        return bare_words(command)

    @field_validator("detail", "driver", "compiler")
    @classmethod
    def _no_paths(cls, text: str) -> str:
        return without_paths(text)

    @field_validator("measured")
    @classmethod
    def _rounded(cls, measured: dict[str, Measured]) -> dict[str, Measured]:
        return {k: _rounded_measured(measured[k]) for k in sorted(measured)}

    @model_validator(mode="after")
    def _fields_of_kind(self) -> Self:
        if problem := _row_problem(self):
            raise ValueError(problem)
        return self

    @property
    def ratios(self) -> tuple[float, ...]:
        """As those of the Measurement that it records."""
        return ratios_of(self.candidate_us, self.incumbent_us)

    @property
    def tokens_passed(self) -> bool:
        """The reference tokens were those of the plan, but for near-ties."""
        return self.tokens in ("identical", "tie-break")

    @property
    def scope(self) -> Scope:
        """Where this row holds."""
        return Scope(**{name: getattr(self, name) for name in Scope.model_fields})


def _rounded_measured(m: Measured) -> Measured:
    points = tuple([_four_digits(p) for p in m.points])
    same = all(map(operator.is_, points, m.points))
    return _four_digits(m if same else m.model_copy(update={"points": points}))


def _four_digits(m: M) -> M:
    """With four significant digits; itself where it has no more."""
    v, s, c = m.value, m.spread, m.clock_mhz
    if (
        float(f"{v:.4g}") == v
        and (s is None or float(f"{s:.4g}") == s)
        and (c is None or float(f"{c:.4g}") == c)
    ):  # `significant`, without a call for each: a probe has hundreds of them
        return m
    numbers = {"value": m.value, "spread": m.spread, "clock_mhz": m.clock_mhz}
    update = {k: None if v is None else significant(v) for k, v in numbers.items()}
    return m.model_copy(update=update)


def _row_problem(row: LedgerRow) -> str:
    """Why this row cannot exist, or ''."""
    if len(row.candidate_us) != len(row.incumbent_us):
        return "candidate_us and incumbent_us differ in length"
    if len(row.candidate_us) > BLOCKS_MOST:
        return f"{len(row.candidate_us)} blocks: a comparison has at most {BLOCKS_MOST}"
    if row.aa_pct and len(row.aa_pct) != len(row.candidate_us):
        return "aa_pct and candidate_us differ in length"
    if row.kind == "probe":
        return rate_problem(row.measured) if row.measured else "a probe needs measured values"
    if row.kind == "funnel":
        return "" if row.funnel and row.work else "a funnel needs work and counts"
    if row.verdict is None or not row.reason:
        return f"a {row.kind} row needs verdict and reason"
    if row.verdict in (Verdict.illegal, Verdict.pruned):
        return f"'{row.verdict}' never reached the device: count it in a funnel"
    timed = row.verdict in TIMED
    if timed and not (row.candidate_us and row.protocol and row.aa_spread is not None):
        return f"'{row.verdict}' needs block times, A/A spread and protocol"
    if row.verdict in (Verdict.faster, Verdict.slower) and row.interval is None:
        return f"'{row.verdict}' needs an interval"
    if row.timing != (row.verdict.value if timed else "untimed"):
        return f"timing '{row.timing}' contradicts verdict '{row.verdict}'"
    if row.interval is not None and row.interval.mid <= 0:
        return f"interval.mid {row.interval.mid:g} is no ratio of times"
    if timed and row.proof != "ok" and row.kind == "kernel":
        return "timed without a proof: correctness comes first"
    if row.kind == "kernel":
        return "" if row.work and row.route else "a kernel row needs work and route"
    return "" if row.plan_key else "a token row needs plan_key"


class Gate(Frozen):
    """One gate of a promotion: the number, the limit it was held against, the answer."""

    passed: bool
    number: Number | None = None
    limit: Number | None = None
    detail: str = ""


class Member(Frozen):
    """One step of a plan: which route does which work item, and the row that says so."""

    work: str
    count: Count
    route: str
    geometry: str
    row: str
    takes: str = "f32"
    gives: str = "f32"
    numerics: str = "exact"
    emitter_hash: str = ""


STOCK = "stock"
"""Rollback target where nothing was promoted before: tinygrad's own decode."""
SCHEDULED = "schedule_opts"
"""The registry's route whose members are tinygrad's own kernels with other Opts."""
RECORDED = "recorded engine"
"""What the gate of the tokens that another engine recorded compares with."""


class Decision(Frozen):
    """What a person decided on the evidence of rows: one reviewed line.

    `plan` puts a whole plan into use: not without passed gates, evidence and what it replaces. No
    `refute` exists without the number that decided and the condition to `reopen`.
    """

    schema_version: int = Field(ge=1, le=SCHEMA_VERSION)
    id: str = ""
    kind: Literal["plan", "refute", "rollback", "reopen"]
    date: str
    scope: Scope
    members: tuple[Member, ...] = ()
    contexts: tuple[Count, ...] = ()
    gates: dict[str, Gate] = Field(default_factory=dict)
    evidence: tuple[str, ...] = ()
    """Ids of rows."""
    replaces: str = ""
    """Id of the decision that this one takes the place of, or `stock`."""
    restores: str = ""
    """For a rollback: the decision in force afterwards, or `stock`."""
    reason: str
    number: Number | None = None
    limit: Number | None = None
    reopen_if: str = ""
    author: str = ""
    """git's user.name, never an address."""

    @field_validator("author")
    @classmethod
    def _name_only(cls, author: str) -> str:
        name = re.sub(r"<[^>]*>", "", author).strip()
        if "@" in name:
            raise ValueError("author is a name, not an address")
        return name

    @field_validator("gates")
    @classmethod
    def _gates_in_order(cls, gates: dict[str, Gate]) -> dict[str, Gate]:
        return {name: gates[name] for name in sorted(gates)}

    @model_validator(mode="after")
    def _complete(self) -> Self:
        if problem := _decision_problem(self):
            raise ValueError(problem)
        return self


def _decision_problem(d: Decision) -> str:
    """Why this decision cannot exist, or ''."""
    if not d.reason.strip():
        return f"a {d.kind} needs a reason"
    if d.kind == "plan":
        failed = [name for name, g in d.gates.items() if not g.passed]
        missing = [
            name
            for name, there in (
                ("members", d.members),
                ("gates", d.gates),
                ("evidence", d.evidence),
                ("replaces (the rollback target)", d.replaces),
                ("scope.plan_key", d.scope.plan_key),
            )
            if not there
        ]
        if missing:
            return f"a plan needs {', '.join(missing)}"
        if failed:
            return f"a plan needs passed gates; failed: {', '.join(failed)}"
        uncited = [m.row for m in d.members if m.row not in d.evidence]
        return f"members without evidence: {', '.join(uncited)}" if uncited else ""
    if d.kind == "refute":
        if d.number is None or not d.reopen_if.strip():
            return "a refutation needs the number that decided and reopen_if"
        return "" if d.scope.route and d.evidence else "a refutation needs scope.route and evidence"
    if not d.replaces or d.replaces == STOCK:
        return f"a {d.kind} needs replaces: the decision it takes back"
    return "a rollback needs restores" if d.kind == "rollback" and not d.restores else ""
