"""The compilers that tinygrad's devices need, clang and NVRTC: those that are here, or PyPI's.

Takes nothing, gives environment variables for tinygrad. Never compiles anything.
"""

from __future__ import annotations

import importlib.util
import os
import shutil
import sqlite3
import subprocess
from pathlib import Path

from boltbeam.files import write_whole
from boltbeam.seam import nvrtc
from boltbeam.types import BoltbeamError

HINT = "install one with: pip install 'boltbeam[cpu]', or apt install clang"


def environment() -> dict[str, str]:
    """For each compiler that tinygrad does not find by itself what names PyPI's, if that is there.

    Call `require_compiler` in the process itself where a kernel is going to be compiled.
    """
    return {**_clang(), **nvrtc.environment()}


def _clang() -> dict[str, str]:
    """{} where tinygrad finds a clang by itself, else CC naming a wrapper; {} too where none is."""
    if shutil.which(os.environ.get("CC", "clang")):
        return {}
    zig = _zig()
    return {} if zig is None else {"CC": str(_wrapper(zig))}


def compiler() -> str | None:
    """Path of the compiler that would be used, or None."""
    return shutil.which({**os.environ, **_clang()}.get("CC", "clang"))


def require_compiler(device: str) -> None:
    """Set up compilers for this process. BoltbeamError: `device` has none, and how to get one.

    CL needs clang too: the stock engine that it is held against runs on the CPU.
    """
    if device.startswith(("CUDA", "NV")):
        os.environ.update(nvrtc.environment())
        library = nvrtc.find()
        if library is not None:
            nvrtc.preload(library)
    if not device.startswith(("CPU", "CL")):
        return
    named = os.environ.get("CC")
    if named and not shutil.which(named):
        raise BoltbeamError(f"CC={named}: no such compiler; unset CC or {HINT}")
    os.environ.update(_clang())
    if compiler() is None:
        raise BoltbeamError(f"no C compiler for the CPU's kernels; {HINT}")


def mistake(e: BaseException) -> BoltbeamError | None:
    """What tinygrad raised when its compiler or the disk failed it, in one line; None: a bug."""
    if isinstance(e, subprocess.CalledProcessError) and isinstance(e.cmd, list):
        named = f"CC={e.cmd[0]}" if os.environ.get("CC") == e.cmd[0] else str(e.cmd[0])
        return BoltbeamError(
            f"{named}: it compiled no kernel (exit status {e.returncode}); name a clang in CC, "
            f"or unset it and {HINT}"
        )
    if isinstance(e, sqlite3.Error):
        do = "free space, or set XDG_DATA_HOME to another folder"
        if "disk full" in str(e) or "disk I/O" in str(e):
            do = f"disk full? {do}"
        elif isinstance(e, sqlite3.DatabaseError) and not isinstance(e, sqlite3.OperationalError):
            do = "remove it: it holds nothing but compiled kernels"
        return BoltbeamError(f"compile cache {os.environ.get('CACHEDB', 'of tinygrad')}: {e}; {do}")
    return None


def _zig() -> Path | None:
    """The zig binary of PyPI's ziglang (its `zig clang` is a clang)."""
    spec = importlib.util.find_spec("ziglang")
    if spec is None or spec.origin is None:
        return None
    zig = Path(spec.origin).parent / "zig"
    return zig if zig.is_file() else None


def _wrapper(zig: Path) -> Path:
    """A script that tinygrad can call as one word; written once, and anew when zig moved."""
    from platformdirs import user_cache_dir

    script = Path(user_cache_dir("boltbeam")) / "zig-clang"
    text = f'#!/bin/sh\nexec "{zig}" clang "$@"\n'
    try:
        if not script.is_file() or script.read_text(encoding="utf-8") != text:
            write_whole(script, text.encode(), mode=0o755)
    except OSError as e:
        raise BoltbeamError(
            f"compiler wrapper {script}: {e.strerror}; set XDG_CACHE_HOME to a writable folder"
        ) from None
    return script
