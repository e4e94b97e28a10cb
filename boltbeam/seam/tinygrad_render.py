"""What tinygrad renders for a launch: source, program, intrinsics, on any renderer.

Takes launches, gives text and programs. Never runs one.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import pickle
from pathlib import Path
from typing import Any

from boltbeam.emit.core import Launch
from boltbeam.files import write_whole
from boltbeam.seam.tinygrad_adapter import open_device, sink, version
from boltbeam.seam.tinygrad_quick import quick
from boltbeam.types import BoltbeamError


def source(launch: Launch, device: str) -> str:
    """The text tinygrad renders for the launch on an opened device; compiles nothing twice."""
    from tinygrad.uop.ops import Ops

    return str(next(u.arg for u in prepare(launch, device).src if u.op is Ops.SOURCE))


PREPARED_MAX = 64
"""PROGRAMs that a process remembers by their launch."""
_PREPARED: dict[tuple[Launch, str], Any] = {}


def prepare(launch: Launch, device: str, name: str = "", again: bool = False) -> Any:
    """tinygrad's PROGRAM of a launch, so that running it renders and compiles nothing.

    Where BOLTBEAM_PROGRAMS names a folder, processes hand finished programs to each other there: by
    their instructions, and by a `name` that says all of boltbeam's that these depend on, for which
    not even the instructions are built. `again`: they are, and the name is set right.
    """
    folder = os.environ.get("BOLTBEAM_PROGRAMS", "")
    link = Path(folder) / f"{_full(name, device)}.name" if folder and name else None
    if again and link:
        link.unlink(missing_ok=True)
        _PREPARED.pop((launch, device), None)
    if (launch, device) not in _PREPARED:
        known = _linked(link) if link else None
        if known is None:
            known = _handed(launch, device, Path(folder)) if folder else _made(launch, device)
        if len(_PREPARED) == PREPARED_MAX:
            del _PREPARED[next(iter(_PREPARED))]
        _PREPARED[launch, device] = known
    program = _PREPARED[launch, device]
    if link and not link.exists():
        file = _place(launch, device, link.parent)[1]
        _hand_on(file, program)
        write_whole(link, file.name.encode())
    return program


def _made(launch: Launch, device: str) -> Any:
    return _rendered(launch, open_device(device).renderer)


def _rendered(launch: Launch, renderer: Any) -> Any:
    from tinygrad.codegen import to_program

    kernel = sink(launch)
    with quick([kernel]):
        return to_program(kernel, renderer)


def _full(name: str, device: str) -> str:
    """The name with what tinygrad's rendering depends on beside the instructions."""
    from tinygrad.codegen import to_program_config

    renderer = open_device(device).renderer
    about = (
        name,
        type(renderer).__qualname__,
        renderer.target,
        [x.value for x in to_program_config],
    )
    return hashlib.sha256(f"{version()} {about!r}".encode()).hexdigest()[:32]


def _linked(link: Path) -> Any:
    """The PROGRAM of that name; None where there is none that is whole, and no name then."""
    with contextlib.suppress(OSError, ValueError):
        found = _read(link.parent / link.read_text(encoding="ascii"))
        if found is not None:
            return found
    link.unlink(missing_ok=True)
    return None


def _read(file: Path) -> Any:
    """A PROGRAM that was handed on; None where it is not as it was written, and no file then."""
    with contextlib.suppress(Exception):  # what does not load was never handed on
        data = file.read_bytes()
        if hashlib.sha256(data[DIGEST:]).digest() == data[:DIGEST]:
            return pickle.loads(data[DIGEST:])
    file.unlink(missing_ok=True)
    return None


DIGEST = 32
"""Bytes of the sha256 in front of a PROGRAM's pickle."""


def _handed(launch: Launch, device: str, folder: Path) -> Any:
    from tinygrad.codegen import to_program_cache

    key, file = _place(launch, device, folder)
    if key not in to_program_cache and (found := _read(file)) is not None:
        to_program_cache[key] = found
        return found
    program = _made(launch, device)
    _hand_on(file, program)
    return program


def _hand_on(file: Path, program: Any) -> None:
    if not file.exists():
        data = pickle.dumps(program)
        write_whole(file, hashlib.sha256(data).digest() + data)


def _place(launch: Launch, device: str, folder: Path) -> tuple[Any, Path]:
    """tinygrad's key of a launch's PROGRAM, and the file in which it is handed on."""
    from tinygrad.codegen import to_program_key

    key = to_program_key(sink(launch), open_device(device).renderer)
    name = hashlib.sha256(f"{version()} {key!r}".encode()).hexdigest()[:32]
    return key, folder / f"{name}.pickle"


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
    return _rendered(launch, renderer(target))


def renderer(target: str) -> Any:
    """tinygrad's renderer of a target as in `render`, with a compiler that compiles nothing."""
    from tinygrad.device import Compiler
    from tinygrad.helpers import Target as TinygradTarget
    from tinygrad.renderer import cstyle

    name, _, arch = target.partition(":")
    if name not in RENDERERS:
        raise BoltbeamError(f"no renderer {name}; there are {', '.join(RENDERERS)}")
    kind, usual = RENDERERS[name]
    cls = getattr(cstyle, kind)
    made = cls.__new__(cls)
    cstyle.CStyleLanguage.__init__(made, TinygradTarget("NULL", name, arch or usual))
    made.compiler = Compiler()
    return made


def intrinsics(launch: Launch) -> tuple[str, ...]:
    """Text of every CUSTOM op in the launch, sorted: what no tinygrad Op expresses."""
    from tinygrad.uop.ops import Ops

    nodes = sink(launch).toposort()
    return tuple(sorted({str(u.arg) for u in nodes if u.op in (Ops.CUSTOM, Ops.CUSTOMI)}))
