"""scripts/fetch-model: prints the path of what is there, refuses to keep anything else."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

SCRIPT = Path(__file__).parent.parent / "scripts" / "fetch-model"


def fetch(folder: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, SCRIPT, folder], capture_output=True, text=True)


@pytest.mark.model
def test_a_cached_model_is_kept(smollm2: Path, tmp_path: Path) -> None:
    link = tmp_path / "SmolLM2-135M-Instruct.Q4_1.gguf"
    link.symlink_to(smollm2.resolve())
    done = fetch(tmp_path)
    assert done.returncode == 0 and done.stdout.strip() == str(link)
    assert list(tmp_path.iterdir()) == [link]


def test_a_folder_that_cannot_be_made(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    done = fetch(tmp_path / "file" / "models")
    assert done.returncode == 1 and done.stdout == ""
    assert done.stderr.startswith("fetch-model: ") and "Traceback" not in done.stderr
