"""A ledger in a git repository with a plan in force, and what an honest branch adds to it."""

from __future__ import annotations

import subprocess
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from test_ledger import CHIP, ENV, PROVED, ROUTE, WORK, layers, measured

from boltbeam import registry
from boltbeam.records.decide import decide
from boltbeam.records.decisions import SLOWEST, member, promote_plan, token_gates
from boltbeam.records.decisions import TOKEN as TOKEN_GATE
from boltbeam.records.entries import Decision, Gate, LedgerRow, Scope
from boltbeam.records.ledger import Layers, sealed
from boltbeam.records.record import Environment, kernel_row, token_row
from boltbeam.types import Candidate, Geometry, Measurement

PROTOCOLS = registry.protocols()
PLAN = "abcd"
CLEAN = replace(ENV, commit="c0ffee", dirty=False, model="SmolLM2 135M", driver="1", memory="8GB")
KERNEL, TOKEN = PROTOCOLS["abba-v1"], PROTOCOLS["token-abba-v1"]
GATES = {
    "tokens, stock": Gate(passed=True, number=0),
    "quality": Gate(passed=True, number=1e-7),
    "proof": Gate(passed=True, number=1, limit=1),
    "scope": Gate(passed=True),
    TOKEN_GATE: Gate(passed=True, number=0.5, limit=1),
    SLOWEST: Gate(passed=True, number=0.5, limit=1.01),
}
"""As `promote` writes them for a plan of exact routes."""


def git(folder: Path, *args: str) -> str:
    known = ["-c", "user.name=t", "-c", "user.email=t@t", "-c", "commit.gpgsign=false"]
    done = subprocess.run(["git", "-C", str(folder), *known, *args], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout


def commit(folder: Path, message: str) -> None:
    git(folder, "add", "-A")
    git(folder, "commit", "-qm", message)


def kernel(ratio: float = 0.5, env: Environment = CLEAN, **changes: Any) -> LedgerRow:
    """A timed row; `changes` are what a forger would change of it (its id fits again)."""
    m = measured(ratio).model_copy(update={"protocol": KERNEL.id})
    made = kernel_row(
        Candidate(work=WORK, route=ROUTE.id, geometry=Geometry.of(lanes=16)),
        ROUTE,
        decide(m, KERNEL, 20.0, 5),
        env,
        proof=PROVED,
        measurement=m,
        protocol=KERNEL,
        incumbent="stock",
        floor_us=20.0,
        comparisons=5,
        decision="nominated",
    )
    return sealed(LedgerRow.model_validate(dict(made) | changes)) if changes else made


def token(
    ratio: float = 0.5,
    incumbent: str = "incumbent",
    tokens: str = "identical",
    env: Environment = CLEAN,
    noise: float = 0.001,
    position: int = 0,
    members: tuple[str, ...] = (),
) -> LedgerRow:
    """A whole token of the plan, timed in six turns."""
    m = Measurement(
        protocol=TOKEN.id,
        candidate_us=tuple(6000 * ratio * (1 + noise * (i % 3 - 1)) for i in range(6)),
        incumbent_us=(6000.0,) * 6,
        aa_spread=0.002,
        stop_reason="6 turns",
        copies=1,
        load=0.5,
    )
    outcome = decide(m, TOKEN, None)
    return token_row(
        PLAN,
        outcome,
        env,
        tokens=tokens,
        position=position,
        measurement=m,
        protocol=TOKEN,
        incumbent=incumbent,
        members=members,
    )


def plan(
    kernels: list[LedgerRow],
    whole: LedgerRow | None,
    replaces: Decision | None = None,
    gates: dict[str, Gate] = GATES,
    **scope: str,
) -> Decision:
    if whole is not None:  # a forger says that they passed
        again = {n: g.model_copy(update={"passed": True}) for n, g in token_gates([whole]).items()}
        gates = {n: again.get(n, g) for n, g in gates.items()}
    return promote_plan(
        Scope(**{"chip": CHIP, "plan_key": PLAN, "tinygrad": "0.14.0", **scope}),  # type: ignore[arg-type]
        [member(k) for k in kernels],
        gates,
        [512],
        replaces=replaces,
        reason="passed all gates",
        evidence=[whole.id] if whole else [],
        by="Jo Doe",
        date="2026-11-30T10:00:00Z" if replaces else "2026-11-29T10:00:00Z",
    )


@dataclass(frozen=True)
class Repo:
    """A checkout with a `main` branch, and the ledger in it."""

    root: Path
    old: Decision
    """The plan in force on main."""

    @property
    def ledger(self) -> Path:
        return self.root / "ledgers"

    def add(self, *entries: LedgerRow | Decision) -> Path:
        """One new ledger file, not committed."""
        return layers(self.ledger).write(list(entries))


def repository(root: Path) -> Repo:
    """Main: a row and the plan that rests on it. We stand on the branch `work`, still equal."""
    ls = layers(root / "ledgers")
    first, whole = kernel(0.6), token(0.6, incumbent="stock")
    old = plan([first], whole)
    ls.write([first, whole, old])
    (root / "ledgers/.gitkeep").touch()
    (root / "registry").mkdir()  # as in a checkout of boltbeam, whose ledgers are a layer as well
    (root / "registry/.gitkeep").touch()
    (root / "pyproject.toml").write_text('[project]\nname = "boltbeam"\n')
    git(root, "init", "-q", "-b", "main")
    commit(root, "the first plan")
    git(root, "checkout", "-qb", "work")
    return Repo(root, old)


def newest(work: str = "", chip: str = "nv-sm90-132sm") -> str:
    """Id of the repository's newest row of a work item that a plan of its search has, on a chip;
    without one, of its probes."""
    kind, key = ("kernel", f"decode/{work}/m1") if work else ("probe", "")
    rows = [r for r in Layers.find().rows(chip=chip, kind=kind) if r.work == key]
    mine = [r for r in rows if not work or r.decision == "nominated"]
    return max(mine, key=lambda r: r.date).id
