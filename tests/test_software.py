"""The software under a kernel: told where something tells it, '' elsewhere."""

from __future__ import annotations

from pathlib import Path

import pytest

from boltbeam.measure import software
from boltbeam.records.standing import SOFT

PROC = """NVRM version: NVIDIA UNIX x86_64 Kernel Module  580.159.03  Tue Sep  1 00:00:00 UTC 2026
GCC version:  gcc version 13.3.0
"""


def test_the_soft_fields_of_a_scope_are_told() -> None:
    told = software.here("CPU")
    assert set(told) == set(SOFT) and told["compiler"] and not told["driver"]
    assert set(software.here("METAL").values()) == {""}


def test_the_version_of_nvidias_driver(tmp_path: Path) -> None:
    file = tmp_path / "version"
    assert software.nvidia_version(file) == ""
    file.write_text(PROC)
    assert software.nvidia_version(file) == "580.159.03"


def test_another_compiler_is_another_identity(monkeypatch: pytest.MonkeyPatch) -> None:
    before = software.identity("CPU")
    assert software.identity("CPU") == before
    told = {"driver": "", "compiler": "clang version 3", "memory": ""}
    monkeypatch.setattr(software, "here", lambda _device: told)
    assert software.identity("CPU") != before


@pytest.mark.cl
def test_opencl_tells_its_driver() -> None:
    told = software.here("CL")
    assert told["driver"] == told["compiler"] != ""
