"""The steps of .github/workflows/ledger.yml, run on a clone of a repository with planted faults."""

from __future__ import annotations

import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest
import yaml
from review_cases import Repo, commit, git, kernel, layers, repository
from test_review import PLANTED, honest, real_rows, verify_hash

from boltbeam.records.entries import LedgerRow
from boltbeam.records.ledger import sealed

ROOT = Path(__file__).resolve().parent.parent
WORKFLOW = ROOT / ".github/workflows/ledger.yml"


@dataclass(frozen=True)
class Ran:
    """What the job ended with, and what it showed."""

    failed: list[str]
    summary: str
    comment: str
    asked: str


def job() -> dict[str, object]:
    return yaml.safe_load(WORKFLOW.read_text())["jobs"]["review"]  # type: ignore[no-any-return]


def tools(folder: Path) -> str:
    """A PATH with this boltbeam and a `gh` that notes what it is asked."""
    folder.mkdir()
    scripts = {
        "boltbeam": f'exec "{sys.executable}" -m boltbeam.cli "$@"',
        "gh": f'echo "$@" > "{folder}/asked"; cp "$5" "{folder}/comment"; exit "${{GH_FAILS:-0}}"',
    }
    for name, text in scripts.items():
        (folder / name).write_text(f"#!/bin/sh\n{text}\n")
        (folder / name).chmod(0o755)
    return f"{folder}:{os.environ['PATH']}"


def run(repo: Repo, place: Path, **env: str) -> Ran:
    """Run the job as a runner does: bash -eo pipefail, later steps only where they say so."""
    clone = place / "clone"
    git(place, "clone", "-q", "-b", "work", str(repo.root), str(clone))
    known = {"BASE": "origin/main", "PR": "7", "GITHUB_STEP_SUMMARY": str(place / "summary.md")}
    known |= {"PATH": tools(place / "bin"), "PYTHONPATH": str(ROOT), "XDG_DATA_HOME": str(place)}
    failed = []
    for step in job()["steps"]:  # type: ignore[attr-defined]
        if "run" not in step or step["name"] == "Install":
            continue
        if failed and step.get("if") != "always()":
            continue
        shell = ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", step["run"]]
        done = subprocess.run(
            shell, cwd=clone, env={**os.environ, **known, **env}, capture_output=True, text=True
        )
        assert "Traceback" not in done.stderr, done.stderr
        failed += [step["name"]] if done.returncode else []
    shown = [(place / "bin" / name) for name in ("comment", "asked")]
    return Ran(failed, (place / "summary.md").read_text(), *(p.read_text() for p in shown))


@pytest.fixture
def repo(tmp_path: Path) -> Repo:
    return repository(tmp_path / "repo")


def test_an_honest_branch_passes_and_is_shown(repo: Repo, tmp_path: Path) -> None:
    honest(repo)
    commit(repo.root, "faster")
    ran = run(repo, tmp_path)
    assert ran.failed == []
    assert ran.asked.split() == "pr comment 7 --body-file short.md --edit-last --create-if-none".split()  # fmt: skip # noqa: E501, SIM905
    for text in (ran.summary, ran.comment):
        assert "no red flags" in text or "to look at" in text
        assert "| promoted |" in text and "**0 red flags block**" in text


def test_three_planted_faults_are_all_shown_and_fail_the_job(repo: Repo, tmp_path: Path) -> None:
    """What a reviewer must find: an edited file, a forged verdict, a plan without its token."""
    names = ("an_existing_file_is_changed", "a_verdict_that_its_blocks_do_not_give")
    places = {name: PLANTED[name][0](repo).name for name in (*names, "no_whole_token")}
    commit(repo.root, "faster, trust me")
    ran = run(repo, tmp_path)
    assert ran.failed == ["Check every line", "Review"]
    for text in (ran.summary, ran.comment):
        rows = [x for x in text.splitlines() if x.startswith("| blocks")]
        for name, file in places.items():
            code = PLANTED[name][1]
            assert any(file in x and f"| {code} " in x for x in rows), (name, text)
        check = text.split("### boltbeam ledger check")[1]
        assert all(file in check for file in places.values()), check


def test_a_source_hash_that_does_not_render_fails_the_job(repo: Repo, tmp_path: Path) -> None:
    good = real_rows()[0]
    fields = {"source_hash": "0" * 16, "emitter_hash": verify_hash(good)}
    forged = sealed(LedgerRow.model_validate(dict(good) | fields))
    layers(repo.ledger).write([good, forged])
    commit(repo.root, "a kernel nobody can render")
    ran = run(repo, tmp_path)
    assert ran.failed == ["Review"]
    copy, row = [x for x in ran.summary.splitlines() if x.startswith("| blocks")]
    assert ".jsonl:2 " in copy and "| duplicate " in copy  # a forger has only good's blocks
    assert ".jsonl:2 " in row and "| source " in row and "0000000000000000 cited" in row


def test_what_is_only_to_look_at_passes(repo: Repo, tmp_path: Path) -> None:
    repo.add(kernel(0.5, load=3.0))
    commit(repo.root, "on a busy machine")
    ran = run(repo, tmp_path, GH_FAILS="1")  # a fork's token may not comment
    assert ran.failed == [] and "| look " in ran.summary and "unrested" in ran.summary


@pytest.mark.slow
@pytest.mark.parametrize("name", [n for n, p in PLANTED.items() if p[2]])
def test_every_blocking_fault_fails_the_job(name: str, repo: Repo, tmp_path: Path) -> None:
    plant, code, _, _ = PLANTED[name]
    path = plant(repo)
    commit(repo.root, name)
    ran = run(repo, tmp_path)
    assert "Review" in ran.failed
    rows = [x for x in ran.summary.splitlines() if x.startswith("| blocks")]
    assert any(path.name in x and f"| {code} " in x for x in rows), ran.summary


def test_the_workflow_runs_its_steps_as_this_test_does() -> None:
    """Pipes that fail, actions with a version, and no expression inside a script."""
    whole = yaml.safe_load(WORKFLOW.read_text())
    assert whole["defaults"] == {"run": {"shell": "bash"}}
    assert whole["permissions"] == {"contents": "read", "pull-requests": "write"}
    steps = job()["steps"]
    assert [s["uses"] for s in steps if "uses" in s] == [
        "actions/checkout@v4",
        "actions/setup-python@v5",
    ]  # type: ignore[attr-defined]
    assert not any("${{" in s.get("run", "") for s in steps)  # type: ignore[attr-defined]
