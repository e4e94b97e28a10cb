"""A wheel brings its registry and ledgers with it; an editable install reads the checkout's."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
import sysconfig
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest
from cli_cases import ROOT, Done, Shell

from boltbeam.records import ledger
from boltbeam.records.entries import STOCK, Decision, Scope

PARTS = ("boltbeam", "registry", "ledgers", "pyproject.toml", "README.md", "LICENSE")
PIP = (sys.executable, "-m", "pip", "--disable-pip-version-check", "--quiet")


def planted() -> Decision:
    """A decision that only the copied checkout has."""
    scope = Scope(chip="cpu-test", route="gemv_rows_f32", work="decode/o/8x32/Q4_1/m1")
    return ledger.sealed(
        Decision(
            schema_version=1,
            kind="refute",
            date="2026-01-01T00:00:00Z",
            scope=scope,
            evidence=("0123456789ab",),
            replaces=STOCK,
            reason="planted",
            number=2.0,
            reopen_if="the test is over",
        )
    )


@pytest.fixture(scope="module")
def checkout(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of this checkout with one more decision in its ledgers."""
    copy = tmp_path_factory.mktemp("checkout")
    skip = shutil.ignore_patterns("__pycache__")
    for name in PARTS:
        if (ROOT / name).is_dir():
            shutil.copytree(ROOT / name, copy / name, ignore=skip)
        else:
            shutil.copy(ROOT / name, copy / name)
    ledger.write_file(copy / "ledgers", [planted()])
    return copy


def pip(*args: str | Path) -> None:
    done = subprocess.run([*PIP, *map(str, args)], capture_output=True, text=True)
    if "No matching distribution found for hatchling" in done.stderr:
        pytest.skip("the build backend cannot be fetched: no network")
    assert done.returncode == 0, done.stderr


def environment(folder: Path) -> Path:
    """An empty environment that sees this one's packages, but no boltbeam -> its interpreter."""
    command = [sys.executable, "-m", "venv", "--without-pip", str(folder)]
    subprocess.run(command, check=True)
    python = folder / "bin" / "python"
    (site,) = folder.glob("lib/python*/site-packages")
    (site / "borrowed.pth").write_text(sysconfig.get_path("purelib") + "\n")
    return python


def installed(what: tuple[str | Path, ...], shell: Shell) -> Callable[..., Done]:
    """boltbeam(*args) of a fresh environment, where nothing else of the checkout is in reach."""
    python = environment(shell.folder / "env")
    pip("--python", python, "install", "--no-deps", *what)
    script = str(python.with_name("boltbeam"))
    return lambda *args: shell.run(*args, command=(script,), PYTHONPATH=None)


def finds_everything(boltbeam: Callable[..., Done]) -> None:
    assert boltbeam("registry", "check").code == 0
    done = boltbeam("ledger", "show", "--chip", "cpu-test", "--format", "json")
    assert planted().id in [e["id"] for e in json.loads(done.out)], done.err
    assert "the test is over" in boltbeam("registry", "show", "gemv_rows_f32").out


def test_a_wheel_finds_what_it_brings(checkout: Path, shell: Shell) -> None:
    pip("wheel", "--no-deps", "-w", shell.folder, checkout)
    (wheel,) = shell.folder.glob("*.whl")
    assert "boltbeam/pictures/templates/report.html.jinja" in zipfile.ZipFile(wheel).namelist()
    boltbeam = installed((wheel,), shell)
    shutil.move(checkout, shell.folder / "moved")
    try:
        finds_everything(boltbeam)
    finally:
        shutil.move(shell.folder / "moved", checkout)


def test_an_editable_install_finds_the_checkouts(checkout: Path, shell: Shell) -> None:
    boltbeam = installed(("-e", checkout), shell)
    finds_everything(boltbeam)
    (file,) = (checkout / "ledgers" / "cpu-test").iterdir()
    file.rename(checkout / file.name)
    try:
        gone = boltbeam("ledger", "show", "--chip", "cpu-test", "--format", "json")
        assert (gone.code, gone.out, gone.err.count("\n")) == (2, "", 1)
        assert "no chip 'cpu-test'" in gone.err
    finally:
        (checkout / file.name).rename(file)
