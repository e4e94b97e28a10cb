"""scripts/offline-wheels: its folder alone installs a boltbeam that works, by the printed line."""

from __future__ import annotations

import os
import platform
import subprocess
import sys
from pathlib import Path

import pytest
from cli_cases import ROOT

SCRIPT = ROOT / "scripts" / "offline-wheels"
HERE = f"{sys.version_info[0]}.{sys.version_info[1]}"


def collect(*args: str | Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, SCRIPT, *args], capture_output=True, text=True)


@pytest.fixture(scope="module")
def collected(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, str]:
    """The folder without the large extras, and the line."""
    folder = tmp_path_factory.mktemp("offline") / "wheels"
    done = collect(folder, "--python", HERE, "--extras", "")
    if "is PyPI reachable?" in done.stderr:
        pytest.skip(f"no network: {done.stderr.splitlines()[-1]}")
    assert done.returncode == 0, done.stderr
    assert done.stdout.count("\n") == 1
    return folder, done.stdout.strip()


@pytest.mark.slow
def test_versions_and_hashes_are_exact(collected: tuple[Path, str]) -> None:
    folder, _ = collected
    lines = (folder / "requirements.txt").read_text().splitlines()
    assert len(lines) == len(list(folder.glob("*.whl"))) == len(list(folder.iterdir())) - 1
    assert all("==" in line and "--hash=sha256:" in line for line in lines)
    names = [line.partition("==")[0] for line in lines]
    assert {"boltbeam", "tinygrad", "numpy", "pydantic-core", "tokenizers"} <= set(names)
    assert not list(folder.parent.glob(".wheels-*"))


@pytest.mark.slow
@pytest.mark.skipif(
    sys.platform != "linux" or platform.machine() != "x86_64", reason="wheels of Linux x86_64"
)
def test_the_line_installs_it_without_a_network(
    collected: tuple[Path, str], tmp_path: Path
) -> None:
    folder, line = collected
    subprocess.run([sys.executable, "-m", "venv", tmp_path / "venv"], check=True)
    bin_dir = tmp_path / "venv" / "bin"
    closed = {"PATH": f"{bin_dir}:{os.environ['PATH']}", "PIP_INDEX_URL": "http://127.0.0.1:9"}
    closed |= {"HOME": str(tmp_path), "PIP_CONFIG_FILE": os.devnull}
    assert line.startswith(f"python{HERE} -m pip install --no-index ")
    done = subprocess.run(
        line.split(), cwd=folder.parent, env=closed, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    listed = subprocess.run(
        [bin_dir / "boltbeam", "chip", "list"],
        cwd=tmp_path,
        env=closed,
        capture_output=True,
        text=True,
    )
    assert listed.returncode == 0 and "nv-sm90-132sm" in listed.stdout


@pytest.mark.parametrize(
    ("args", "words"),
    [
        (("new", "--python", "3.10"), "3.11 or newer"),
        (("new", "--python", "python3.12"), "written as 3.12"),
        (("new", "--extras", "nvidea"), "no extra nvidea; there are "),
        (("full",), "not an empty folder"),
        (("full/file/new",), "choose a folder"),
    ],
)
def test_a_mistake_is_told_and_leaves_nothing(
    args: tuple[str, ...], words: str, tmp_path: Path
) -> None:
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "file").touch()
    done = collect(tmp_path / args[0], *args[1:])
    assert done.returncode in (1, 2) and done.stdout == ""
    assert words in done.stderr.splitlines()[-1] and "Traceback" not in done.stderr
    assert [p.name for p in tmp_path.iterdir()] == ["full"]
