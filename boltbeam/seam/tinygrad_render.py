"""What tinygrad renders for a launch: source, program, intrinsics, on any renderer.

Takes launches, gives text and programs. Never runs one.
"""

from __future__ import annotations

import contextlib
import functools
import hashlib
import os
import pickle
from pathlib import Path
from typing import Any

from boltbeam.emit.core import Launch, dtype
from boltbeam.files import write_whole
from boltbeam.seam.tinygrad_adapter import open_device, version
from boltbeam.types import BoltbeamError


@functools.lru_cache(maxsize=64)
def sink(launch: Launch) -> Any:
    """The launch's SINK on its own placeholders, for rendering and inspection."""
    from tinygrad.uop.ops import UOp

    bufs = (*launch.outs, *launch.ins)
    likes = (UOp.new_buffer("NULL", b.size, dtype(b.dtype)) for b in bufs)
    return launch.build(*(UOp.placeholder_like(u, slot=i) for i, u in enumerate(likes)))


def source(launch: Launch, device: str) -> str:
    """The text tinygrad renders for the launch on an opened device; compiles nothing twice."""
    from tinygrad.uop.ops import Ops

    return str(next(u.arg for u in prepare(launch, device).src if u.op is Ops.SOURCE))


def prepare(launch: Launch, device: str) -> Any:
    """tinygrad's PROGRAM of a launch, so that running it renders and compiles nothing.

    Where BOLTBEAM_PROGRAMS names a folder, processes hand finished programs to each other there.
    """
    from tinygrad.codegen import to_program, to_program_cache, to_program_key

    ast, renderer = sink(launch), open_device(device).renderer
    key, folder = to_program_key(ast, renderer), os.environ.get("BOLTBEAM_PROGRAMS")
    if key in to_program_cache or not folder:
        return to_program(ast, renderer)
    name = hashlib.sha256(f"{version()} {key!r}".encode()).hexdigest()[:32]
    file = Path(folder) / f"{name}.pickle"
    with contextlib.suppress(OSError, EOFError, pickle.UnpicklingError):
        to_program_cache[key] = pickle.loads(file.read_bytes())
        return to_program_cache[key]
    program = to_program(ast, renderer)
    write_whole(file, pickle.dumps(program))
    return program


RENDERERS = {
    "CUDA": ("CUDARenderer", "sm_90"),
    "METAL": ("MetalRenderer", "Apple7"),
    "HIP": ("HIPRenderer", "gfx1100"),
    "CL": ("OpenCLRenderer", ""),
    "CPU": ("ClangRenderer", "x86_64,native"),
}
"""Name in a target -> tinygrad's C-style renderer and the architecture when none is named."""


def render(launch: Launch, target: str) -> str:
    """Source text for `CUDA:sm_90`, `METAL`, `HIP:gfx1100`, `CL` or `CPU`: no device, no compiler.

    Raises BoltbeamError for a renderer that is not in RENDERERS.
    """
    from tinygrad.uop.ops import Ops

    return str(next(u.arg for u in program(launch, target).src if u.op is Ops.SOURCE))


def program(launch: Launch, target: str) -> Any:
    """tinygrad's PROGRAM for a renderer as in `render`, without its machine code."""
    from tinygrad.codegen import to_program
    from tinygrad.device import Compiler
    from tinygrad.helpers import Target as TinygradTarget
    from tinygrad.renderer import cstyle

    name, _, arch = target.partition(":")
    if name not in RENDERERS:
        raise BoltbeamError(f"no renderer {name}; there are {', '.join(RENDERERS)}")
    kind, usual = RENDERERS[name]
    cls = getattr(cstyle, kind)
    renderer = cls.__new__(cls)
    cstyle.CStyleLanguage.__init__(renderer, TinygradTarget("NULL", name, arch or usual))
    renderer.compiler = Compiler()
    return to_program(sink(launch), renderer)


def intrinsics(launch: Launch) -> tuple[str, ...]:
    """Text of every CUSTOM op in the launch, sorted: what no tinygrad Op expresses."""
    from tinygrad.uop.ops import Ops

    nodes = sink(launch).toposort()
    return tuple(sorted({str(u.arg) for u in nodes if u.op in (Ops.CUSTOM, Ops.CUSTOMI)}))
