"""docs/adding-a-route.md, step by step, in a fresh copy of this repository: its blocks are run."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest
from cli_cases import ROOT
from review_cases import commit, git

PAGE = ROOT / "docs/adding-a-route.md"
PARTS = ("boltbeam", "registry", "ledgers", "tests", "pyproject.toml", "README.md", "LICENSE")


@dataclass(frozen=True)
class Block:
    """A fenced block of the page: its language, the file it is (or ''), its text."""

    language: str
    file: str
    text: str


def blocks() -> list[Block]:
    found = re.findall(r"^```(\w+) ?(\S*)\n(.*?)^```$", PAGE.read_text(), re.M | re.S)
    return [Block(*x) for x in found]


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """A copy of the working tree as the branch of a contributor, and a PATH with this boltbeam."""
    copy, bin_ = tmp_path / "boltbeam", tmp_path / "bin"
    skip = shutil.ignore_patterns("__pycache__", ".*_cache", ".hypothesis", "_data")
    for name in PARTS:
        if (ROOT / name).is_dir():
            shutil.copytree(ROOT / name, copy / name, ignore=skip)
        else:
            shutil.copy(ROOT / name, copy / name)
    (copy / ".gitignore").write_text("__pycache__/\n.*_cache/\n*.gguf\n")
    git(copy, "init", "-q", "-b", "main")
    commit(copy, "as it was")
    git(copy, "switch", "-qc", "gemv-serial")
    bin_.mkdir()
    for name, words in {"boltbeam": "-m boltbeam.cli", "python": ""}.items():
        (bin_ / name).write_text(f'#!/bin/sh\nexec "{sys.executable}" {words} "$@"\n')
        (bin_ / name).chmod(0o755)
    return copy


def follow(block: Block, copy: Path) -> str:
    """Do what a reader does with a block -> what the commands printed."""
    if block.file:
        assert not (copy / block.file).exists()
        (copy / block.file).write_text(block.text)
        return ""
    words = (
        ["git", "apply", "-"] if block.language == "diff" else ["bash", "-euo", "pipefail", "-s"]
    )
    who = {f"GIT_{a}_{b}": "t@t" for a in ("AUTHOR", "COMMITTER") for b in ("NAME", "EMAIL")}
    env = {**os.environ, **who, "PATH": f"{copy.parent / 'bin'}:{os.environ['PATH']}"}
    env |= {"PYTHONPATH": str(copy), "XDG_DATA_HOME": str(copy.parent / "data"), "COLUMNS": "200"}
    env["GIT_CONFIG_GLOBAL"] = os.devnull
    done = subprocess.run(
        words, input=block.text, cwd=copy, env=env, capture_output=True, text=True, timeout=300
    )
    assert done.returncode == 0, f"{block.text}\n{done.stdout}\n{done.stderr}"
    assert "Traceback" not in done.stderr
    return done.stdout + done.stderr


def test_the_page_adds_a_route_from_nothing(checkout: Path) -> None:
    said = [follow(b, checkout) for b in blocks()]
    *files, proof, search, refute, review = said
    assert files == ["", "", ""]
    assert "all well" in proof and "failed" not in proof
    golden = (checkout / "tests/golden/routes/gemv_serial_f32.c").read_text()
    assert "gemv_serial_f32_o(" in golden and "Q4_1" in golden
    assert (
        "runner-up: gemv_serial_f32" in search and len(re.findall(r"wrote \S+\.jsonl", search)) == 2
    )
    assert "times the time of gemv_rows_f32" in refute
    assert re.search(r"skipped gemv_serial_f32 for down/\S+, refuted \([\d.]+, limit 1\)", refute)
    assert "all well" in review and "red flag" in review
    assert "| refuted" in review and "| blocks" not in review
    assert len(list((checkout / "ledgers").glob("cpu-*/*.jsonl"))) == 3


def test_the_page_names_what_there_is() -> None:
    """Files and options that the prose speaks of."""
    text = PAGE.read_text()
    for path in re.findall(r"`((?:boltbeam|emit|tests)/[\w/.]+\.py)`", text):
        assert (ROOT / path).exists() or (ROOT / "boltbeam" / path).exists(), path
    kinds = [(b.language, b.file) for b in blocks()]
    assert kinds == [
        ("toml", "registry/families/serial.toml"),
        ("python", "boltbeam/emit/rows_serial.py"),
        ("diff", ""),
        *[("sh", "")] * 4,
    ]
