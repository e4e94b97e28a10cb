"""Fixtures shared by all tests: real and tiny models, and skips for what is not here."""

from __future__ import annotations

import ctypes.util
import os
import signal
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from cli_cases import Done, Shell

import boltbeam.cli
from boltbeam.models import gguf_writer
from boltbeam.models.synth import MODELS, metadata, synth, tensor_specs
from boltbeam.seam import toolchain

HOME = os.environ.setdefault("DEV", "CPU")
os.environ.update(toolchain.environment())

SMOLLM2 = "SmolLM2-135M-Instruct.Q4_1.gguf"
GEMMA3 = "gemma-3-270m-q4_k_m.gguf"
QWEN25 = "qwen2.5-coder-1.5b-instruct-q4_k_m.gguf"


def pytest_addoption(parser: pytest.Parser) -> None:
    """`--update-golden` rewrites tests/golden instead of comparing with it."""
    parser.addoption("--update-golden", action="store_true", default=False)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Skip tests marked `cl` or `device` where there is none, saying how to get it.

    Files with slow tests come first: at the end no core waits for the other.
    """
    slow = {item.path for item in items if item.get_closest_marker("slow")}
    items.sort(key=lambda item: item.path not in slow)
    has_icd = any(Path("/etc/OpenCL/vendors").glob("*.icd")) or "OCL_ICD_VENDORS" in os.environ
    has_cl = bool(ctypes.util.find_library("OpenCL")) and has_icd
    missing = {
        "cl": (has_cl, "no OpenCL device: `apt-get install pocl-opencl-icd`"),
        "device": (Path("/dev/nvidia0").exists(), "no NVIDIA GPU here"),
    }
    for item in items:
        for mark, (present, reason) in missing.items():
            if not present and item.get_closest_marker(mark):
                item.add_marker(pytest.mark.skip(reason=reason))


@pytest.fixture(autouse=True)
def same_device() -> Iterator[None]:
    """A test that goes to another device comes back: tinygrad has one default in a process."""
    yield
    if "boltbeam.seam.tinygrad_adapter" in sys.modules:
        from boltbeam.seam import tinygrad_adapter as tg

        tg.use_device(HOME)


def real_model(name: str, variable: str, how: str) -> Path:
    """A real GGUF that was fetched, or that a variable names; or a skip that says how to get it."""
    cached = Path(__file__).resolve().parent.parent / ".cache" / "models" / name
    path = Path(os.environ.get(variable) or cached)
    if not path.is_file():
        pytest.skip(f"{name} is not here: `{how}` fetches it")
    return path


@pytest.fixture(scope="session")
def smollm2() -> Path:
    """The real SmolLM2-135M-Instruct Q4_1, or a skip."""
    return real_model(SMOLLM2, "BOLTBEAM_TEST_MODEL", "./scripts/test")


@pytest.fixture(scope="session")
def gemma3() -> Path:
    """The real Gemma 3 270M Q4_K_M, or a skip."""
    return real_model(GEMMA3, "BOLTBEAM_TEST_GEMMA3", "scripts/fetch-model gemma3")


@pytest.fixture(scope="session")
def qwen25() -> Path:
    """The real Qwen2.5-Coder-1.5B-Instruct Q4_K_M, or a skip."""
    return real_model(QWEN25, "BOLTBEAM_TEST_QWEN25", "scripts/fetch-model qwen2.5-coder")


@pytest.fixture(scope="session")
def tiny(tmp_path_factory: pytest.TempPathFactory) -> Callable[..., Path]:
    """tiny(name="tiny-llama", **synth options) -> a GGUF of under 2 MB, made once per session."""
    folder = tmp_path_factory.mktemp("tiny")
    made: dict[str, Path] = {}

    def make(name: str = "tiny-llama", **options: object) -> Path:
        key = repr((name, sorted(options.items())))
        if key not in made:
            made[key] = synth(name, folder / f"{len(made)}-{name}.gguf", **options)  # type: ignore[arg-type]
        return made[key]

    return make


@pytest.fixture(scope="session")
def outline(tmp_path_factory: pytest.TempPathFactory) -> Callable[..., Path]:
    """outline("qwen3-8b") -> a file with the model's header, its data a hole: no disk is used.

    `metadata` changes keys (None removes one), `tensors` maps the list of tensors to another.
    """

    def make(name: str, **changes: Any) -> Path:
        shape = MODELS[name]
        tensors = changes.get("tensors", list)(tensor_specs(shape, {}))
        keys = metadata(name, shape, 0) | changes.get("metadata", {})
        keys = {k: v for k, v in keys.items() if v is not None}
        path = tmp_path_factory.mktemp("outline") / f"{name}.gguf"
        head = gguf_writer.header(keys, tensors, changes.get("version", 3))
        path.write_bytes(head)
        os.truncate(path, len(head) + sum(-(-t.bytes // 32) * 32 for t in tensors))
        return path

    return make


@pytest.fixture
def golden(request: pytest.FixtureRequest) -> Callable[[str, str], None]:
    """golden(name, text): text must equal tests/golden/<name>; `--update-golden` rewrites it."""

    def check(name: str, text: str) -> None:
        path = Path(__file__).resolve().parent / "golden" / name
        if request.config.getoption("--update-golden"):
            path.parent.mkdir(exist_ok=True)
            path.write_text(text, encoding="utf-8")
        assert path.is_file(), f"no tests/golden/{name}: run pytest with --update-golden"
        assert text == path.read_text(encoding="utf-8"), f"tests/golden/{name} differs"

    return check


@pytest.fixture
def shell(tmp_path: Path) -> Shell:
    """Runs boltbeam in processes, its data in the test's own folder."""
    return Shell(tmp_path)


@pytest.fixture
def cli(
    shell: Shell, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Iterator[Callable[..., Done]]:
    """cli(*args) -> Done: the same entry point in this process, where starting one is too slow."""
    monkeypatch.chdir(shell.folder)
    for name, value in shell.env().items():
        monkeypatch.setenv(name, value)
    monkeypatch.setenv("CACHEDB", str(shell.data / "compile-cache.db"))

    def run(*args: str | Path) -> Done:
        monkeypatch.setattr(sys, "argv", ["boltbeam", *map(str, args)])
        with pytest.raises(SystemExit) as ended:
            boltbeam.cli.main()
        captured = capsys.readouterr()
        return Done(int(ended.value.code or 0), captured.out, captured.err)

    was = {s: signal.getsignal(s) for s in (signal.SIGTERM, signal.SIGINT)}
    yield run
    for number, act in was.items():
        signal.signal(number, act)
