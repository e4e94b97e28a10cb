"""The C compiler that tinygrad's CPU device needs: the one that is here, or PyPI's.

Takes nothing, gives environment variables for tinygrad. Never compiles anything.
"""

from __future__ import annotations

import importlib.util
import os
import shutil
from pathlib import Path

from boltbeam.types import BoltbeamError

HINT = "install one with: pip install 'boltbeam[cpu]', or apt install clang"


def environment() -> dict[str, str]:
    """{} where tinygrad finds a clang by itself, else CC naming a wrapper; {} too where none is.

    Call `require_compiler` where a CPU kernel is going to be compiled.
    """
    if shutil.which(os.environ.get("CC", "clang")):
        return {}
    zig = _zig()
    return {} if zig is None else {"CC": str(_wrapper(zig))}


def compiler() -> str | None:
    """Path of the compiler that would be used, or None."""
    return shutil.which({**os.environ, **environment()}.get("CC", "clang"))


def require_compiler(device: str) -> None:
    """Set CC for this process. BoltbeamError: `device` needs a compiler, and how to get one.

    CL needs it too: the stock engine that it is held against runs on the CPU.
    """
    if not device.startswith(("CPU", "CL")):
        return
    named = os.environ.get("CC")
    if named and not shutil.which(named):
        raise BoltbeamError(f"CC={named}: no such compiler; unset CC or {HINT}")
    os.environ.update(environment())
    if compiler() is None:
        raise BoltbeamError(f"no C compiler for the CPU's kernels; {HINT}")


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
            script.parent.mkdir(parents=True, exist_ok=True)
            part = script.with_name(f"zig-clang.{os.getpid()}")
            part.write_text(text, encoding="utf-8")
            part.chmod(0o755)
            part.replace(script)
    except OSError as e:
        raise BoltbeamError(
            f"compiler wrapper {script}: {e.strerror}; set XDG_CACHE_HOME to a writable folder"
        ) from None
    return script
