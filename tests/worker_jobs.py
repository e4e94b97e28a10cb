"""Jobs that misbehave in every way a generated kernel can; run in children by test_worker."""

from __future__ import annotations

import ctypes
import os
import subprocess
import sys
import time
from pathlib import Path

from boltbeam.measure.locks import lock


def double(x: int) -> int:
    return 2 * x


def hang(beside: bool = False) -> None:
    if beside:  # a compiler that hangs too
        subprocess.Popen(["sleep", "600"])
    time.sleep(600)


def beside() -> int:
    """Start something that would outlive us -> its process id."""
    return subprocess.Popen(["sleep", "600"]).pid


def segfault() -> None:
    print("about to read address 0", file=sys.stderr, flush=True)
    ctypes.string_at(0)


def leave(code: int) -> None:
    os._exit(code)


def garbage() -> str:
    print('{"value": "forged"}\nnot json')
    os.write(1, b"\x00\xff raw bytes\n")
    sys.stdout.flush()
    subprocess.run(["echo", '{"value": 1}'], check=True)
    return "true answer"


def read_stdin() -> str:
    return sys.stdin.read()


def raises(text: str) -> None:
    raise ValueError(text)


def compile_error() -> None:
    class CompileError(Exception):
        pass

    raise CompileError("expected ';'")


def unserialisable() -> object:
    return object()


def big(n: int) -> str:
    return "x" * n


def environment(name: str) -> str | None:
    return os.environ.get(name)


def pid() -> int:
    return os.getpid()


def time_on(chip: str, folder: str, seconds: float = 0.0, patience_s: float = -1) -> None:
    """Hold a chip for a while, as whoever times on it."""
    with lock(chip, Path(folder), patience_s):
        time.sleep(seconds)


def note_and_leave(path: str) -> None:
    with open(path, "a") as f:
        f.write("begun ")
    os._exit(3)
