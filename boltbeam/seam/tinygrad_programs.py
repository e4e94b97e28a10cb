"""Programs that tinygrad rendered before, kept beside the machine code that it keeps itself.

Takes nothing, gives tinygrad's cache of programs a memory on disk. Never keeps machine code, and
never hands out what other code, another tinygrad or another renderer has rendered.
"""

from __future__ import annotations

import contextlib
import hashlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from boltbeam.seam.tinygrad_adapter import version

TABLE = "boltbeam_programs"
"""In tinygrad's own cache file (CACHEDB; CACHELEVEL=0 switches it off)."""
RENDERING = ("codegen", "renderer", "uop", "dtype.py", "helpers.py")
"""Parts of tinygrad that a rendering depends on."""
RENDERED = 3
"""Sources of a PROGRAM without its machine code: the kernel, its instructions, their text."""


def keep() -> None:
    """From now on this process renders no kernel that an earlier one rendered; harmless twice.

    A kernel of a plan takes Python one to two seconds to render and milliseconds to read. Where
    tinygrad shall search (BEAM, JITBEAM) nothing is kept: its answer may change.
    """
    import tinygrad.codegen as codegen
    import tinygrad.engine.realize as realize
    from tinygrad.helpers import BEAM, getenv

    if BEAM.value or getenv("JITBEAM") or isinstance(codegen.to_program_cache, _Kept):
        return
    kept = _Kept(codegen.to_program_cache, code())
    codegen.to_program_cache = realize.to_program_cache = kept


class _Kept(dict[tuple[Any, ...], Any]):
    """tinygrad's `to_program_cache`, which also knows what earlier processes put into it."""

    def __init__(self, known: dict[tuple[Any, ...], Any], code: str) -> None:
        super().__init__(known)
        self.code = code

    def __missing__(self, key: tuple[Any, ...]) -> Any:
        from tinygrad import Device
        from tinygrad.codegen import do_to_program

        if (rendered := self._rendered(key)) is None:
            raise KeyError(key)
        renderer: Any = Device[key[2].device].renderer
        if (type(renderer), renderer.target) != key[1:3]:
            raise KeyError(key)
        program = do_to_program(rendered, renderer)  # its text compiled: tinygrad keeps that
        super().__setitem__(key, program)
        return program

    def __contains__(self, key: object) -> bool:
        return self.get(key) is not None

    def get(self, key: Any, default: Any = None) -> Any:
        try:
            return self[key]
        except KeyError:
            return default

    def __setitem__(self, key: tuple[Any, ...], program: Any) -> None:
        from tinygrad.helpers import diskcache_put

        super().__setitem__(key, program)
        diskcache_put(TABLE, self._name(key), program.replace(src=program.src[:RENDERED]))

    def _rendered(self, key: tuple[Any, ...]) -> Any:
        """The PROGRAM without machine code; None where there is none that can be read."""
        from tinygrad.helpers import diskcache_get
        from tinygrad.uop.ops import Ops

        with contextlib.suppress(Exception):  # what does not load was never kept
            found = diskcache_get(TABLE, self._name(key))
            if found.op is Ops.PROGRAM and found.src[-1].op is Ops.SOURCE:
                return found
        return None

    def _name(self, key: tuple[Any, ...]) -> str:
        ast, renderer, *rest = key
        text = f"{self.code} {ast.hex()} {renderer.__module__}.{renderer.__qualname__} {rest!r}"
        return hashlib.sha256(text.encode()).hexdigest()


def code() -> str:
    """Identity of everything that renders: tinygrad's version and files, and this folder's."""
    digest = hashlib.sha256(version().encode())
    for file in _files():
        about = file.stat()
        digest.update(f"{file} {about.st_size} {about.st_mtime_ns}\n".encode())
    return digest.hexdigest()


def _files() -> Iterator[Path]:
    import tinygrad

    whole = Path(tinygrad.__file__).parent
    for part in (*(whole / name for name in RENDERING), Path(__file__).parent):
        yield from sorted(part.rglob("*.py")) if part.is_dir() else (part,)
