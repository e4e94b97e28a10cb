"""Turns results into ledger rows: the one place where a row is put together.

Takes a candidate with its proof, measurement and outcome, gives a sealed LedgerRow. Never decides,
and never imports tinygrad: its version is read from the installed package's metadata.
"""

from __future__ import annotations

import platform
import re
import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from statistics import median
from typing import Any, TypedDict, Unpack

from boltbeam.files import PACKAGE
from boltbeam.records.decide import below_clock, blocks_planned, interval, recorded
from boltbeam.records.decisions import now
from boltbeam.records.entries import SCHEMA_VERSION, SOFTWARE, Funnel, LedgerRow, Scope
from boltbeam.records.ledger import sealed
from boltbeam.types import (
    TIMED,
    Candidate,
    Measured,
    Measurement,
    Outcome,
    Proof,
    Protocol,
    Route,
    WorkItem,
    significant,
)

STATE = (
    "clock_mhz",
    "power_w",
    "temperature_c",
    "throttled",
    "load",
    "waiting_share",
    "stalled_share",
)
"""What a row says of the machine while it was timed, as the measurement does."""


@dataclass(frozen=True)
class Environment:
    """What a row says about the program and machine that made it; '' and None: not known."""

    chip: str
    command: str = ""
    commit: str = ""
    dirty: bool | None = None
    tinygrad: str = ""
    driver: str = ""
    compiler: str = ""
    memory: str = ""
    python: str = ""
    model: str = ""
    header_hash: str = ""
    probe: str = ""
    seed: int | None = None

    @classmethod
    def here(cls, chip: str, argv: Sequence[str] = (), **known: Any) -> Environment:
        """This process: versions, boltbeam's commit (of a checkout) and the command line."""
        commit, dirty = _own_commit()
        return cls(
            chip=chip,
            command=" ".join(argv),
            commit=commit,
            dirty=dirty,
            tinygrad=_version("tinygrad"),
            python=platform.python_version(),
            **known,
        )

    def scope(self, plan_key: str = "") -> Scope:
        """Where a decision made now would hold."""
        return Scope(
            chip=self.chip, plan_key=plan_key, **{name: getattr(self, name) for name in SOFTWARE}
        )

    def fields(self) -> dict[str, Any]:
        """As keyword arguments of a LedgerRow, with schema version and date."""
        return {"schema_version": SCHEMA_VERSION, "date": now(), **vars(self)}


def _version(package: str) -> str:
    try:
        return version(package)
    except PackageNotFoundError:
        return ""


def _own_commit() -> tuple[str, bool | None]:
    """Commit of the checkout that this package lies in, and whether tracked files differ.

    A tree written by `git archive` names its commit in a file; nobody can tell whether it was
    edited afterwards.
    """
    archived = PACKAGE / "_commit.txt"
    if archived.is_file() and re.fullmatch(r"[0-9a-f]{7,40}", said := archived.read_text().strip()):
        return said[:12], None
    if not (PACKAGE.parent / "pyproject.toml").is_file():
        return "", None

    def git(*args: str) -> str:
        command = ["git", "-C", str(PACKAGE), *args]
        done = subprocess.run(command, capture_output=True, text=True, timeout=20, check=True)
        return done.stdout.strip()

    try:
        return git("rev-parse", "--short=12", "HEAD"), bool(git("status", "--porcelain", "-uno"))
    except (OSError, subprocess.SubprocessError):
        return "", None


class Known(TypedDict, total=False):
    """What else is known of a kernel, as `route_row` takes it."""

    proof: Proof | None
    measurement: Measurement | None
    protocol: Protocol | None
    incumbent: str
    floor_us: float | None
    comparisons: int
    decision: str


def kernel_row(
    candidate: Candidate,
    route: Route,
    outcome: Outcome,
    env: Environment,
    **known: Unpack[Known],
) -> LedgerRow:
    """One candidate that reached the device: timed, or failed, or proved wrong."""
    return route_row(candidate.work, str(candidate.geometry), route, outcome, env, **known)


def route_row(
    work: WorkItem,
    geometry: str,
    route: Route,
    outcome: Outcome,
    env: Environment,
    *,
    proof: Proof | None = None,
    measurement: Measurement | None = None,
    protocol: Protocol | None = None,
    incumbent: str = "",
    floor_us: float | None = None,
    comparisons: int = 1,
    decision: str = "none",
) -> LedgerRow:
    """As kernel_row, for a route whose geometry is text of its own (the Opts of schedule_opts)."""
    return _row(
        env,
        kind="kernel",
        work=work.key,
        op=work.op,
        count=work.count,
        route=route.id,
        geometry=geometry,
        formats=work.formats,
        numerics=route.numerics,
        takes=route.takes,
        gives=route.gives,
        incumbent=incumbent,
        tokens="untested",
        decision=decision,
        **_outcome(outcome),
        **_timing(outcome, measurement, protocol, floor_us, comparisons),
        **_proof(proof),
    )


def token_row(
    plan_key: str,
    outcome: Outcome,
    env: Environment,
    *,
    tokens: str,
    position: int | None = None,
    measurement: Measurement | None = None,
    protocol: Protocol | None = None,
    incumbent: str = "",
    floor_us: float | None = None,
    numerics: str = "",
    decision: str = "none",
    members: Sequence[str] = (),
) -> LedgerRow:
    """The whole token of a plan at one position, candidate against incumbent, fresh processes.

    `members`: ids of the rows of its kernels.
    """
    return _row(
        env,
        kind="token",
        plan_key=plan_key,
        position=position,
        members=tuple(dict.fromkeys(members)),
        numerics=numerics,
        incumbent=incumbent,
        tokens=tokens,
        decision=decision,
        **_outcome(outcome),
        **_timing(outcome, measurement, protocol, floor_us, 1),
    )


def funnel_row(work: str, op: str, count: int, funnel: Funnel, env: Environment) -> LedgerRow:
    """How many candidates of one work item went how far, one count per reason."""
    return _row(env, kind="funnel", work=work, op=op, count=count, funnel=funnel)


def probe_row(measured: Mapping[str, Measured], env: Environment) -> LedgerRow:
    """What was measured of the chip itself."""
    return _row(env, kind="probe", measured=dict(measured))


def _row(env: Environment, **fields: Any) -> LedgerRow:
    return sealed(LedgerRow.model_validate({**env.fields(), **fields}))


def _outcome(outcome: Outcome) -> dict[str, Any]:
    timed = outcome.verdict in TIMED
    return {
        "verdict": outcome.verdict,
        "reason": outcome.reason,
        "number": outcome.number,
        "limit": outcome.limit,
        "detail": outcome.detail,
        "timing": outcome.verdict.value if timed else "untimed",
    }


def _timing(
    outcome: Outcome,
    measurement: Measurement | None,
    protocol: Protocol | None,
    floor_us: float | None,
    comparisons: int,
) -> dict[str, Any]:
    if outcome.verdict not in TIMED:
        return {"floor_us": floor_us}
    if measurement is None or protocol is None:
        raise ValueError(f"a row '{outcome.verdict}' needs its measurement and protocol")
    m = recorded(measurement)
    copied = ("stop_reason", "copies", "runs", "cold_ratio", *STATE)
    return {
        "candidate_us": m.candidate_us,
        "incumbent_us": m.incumbent_us,
        "aa_spread": m.aa_spread,
        "aa_pct": m.aa_pct,
        "interval": interval(m, protocol, comparisons),
        "comparisons": comparisons,
        "floor_us": floor_us,
        "pct_of_floor": None if below_clock(floor_us) else pct_of_floor(m.candidate_us, floor_us),
        "protocol": protocol.id,
        "blocks_planned": blocks_planned(m, protocol, comparisons),
        "redone": m.redone or None,
        **{name: getattr(m, name) for name in copied},
    }


def pct_of_floor(candidate_us: Sequence[float], floor_us: float | None) -> float | None:
    """100 × floor ÷ median time, both as recorded."""
    if floor_us is None or not candidate_us:
        return None
    return significant(100 * significant(floor_us) / median(candidate_us))


def _proof(proof: Proof | None) -> dict[str, Any]:
    if proof is None:
        return {}
    copied = ("worst", "excused", "source_hash", "emitter_hash", "intrinsics", "checks")
    return {"proof": proof.reason, **{name: getattr(proof, name) for name in copied}}
