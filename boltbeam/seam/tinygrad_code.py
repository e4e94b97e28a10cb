"""A kernel's machine code: how long it is, and copies of it elsewhere in memory.

Takes compiled PROGRAMs and CALLs of them, gives bytes, and CALLs that turn through such copies.
Never compiles a kernel that runs, and never changes what one computes.
"""

from __future__ import annotations

import struct
from collections.abc import Sequence
from itertools import pairwise
from typing import Any

ELF = b"\x7fELF"
EXECUTABLE = 4
"""SHF_EXECINSTR of elf.h: a section with machine code."""


def nbytes(program: Any, renderer: Any) -> int:
    """Machine code of a PROGRAM; 0 of a copy. Of an image that is no ELF all of it (OpenCL's is
    text): only to be held against others of the same device.

    CUDA's driver is given PTX; its code is as long as that of the same text as a cubin.
    """
    from tinygrad.uop.ops import Ops

    if program.op is not Ops.PROGRAM:
        return 0
    *_, text, image = (u.arg for u in program.src)
    compiler = renderer.compiler
    if getattr(compiler, "ptx", False):
        kind = type(compiler)
        image = kind(compiler.arch, ptx=False, cache_key="nv").compile_cached(text)
    return executable(image) if image.startswith(ELF) else len(image)


def executable(image: bytes) -> int:
    """Bytes of a 64-bit ELF's sections with machine code."""
    (offset,) = struct.unpack_from("<Q", image, 0x28)
    size, count = struct.unpack_from("<HH", image, 0x3A)
    headers = (struct.unpack_from("<IIQQQQ", image, offset + size * i) for i in range(count))
    return sum(length for _, _, flags, _, _, length in headers if flags & EXECUTABLE)


def copied(program: Any, number: int) -> Any:
    """The PROGRAM with machine code of its own in memory; number 0 is the PROGRAM itself.

    tinygrad loads a PROGRAM once, and knows it by all that is in it. A comment behind the text,
    which was compiled already, makes it another with the same image.
    """
    from tinygrad.uop.ops import Ops

    if program.op is not Ops.PROGRAM or not number:
        return program
    *before, text, image = program.src
    text = text.replace(arg=f"{text.arg}\n// copy {number} of its code\n")
    return program.replace(src=(*before, text, image))


def turned(calls: Sequence[Any], copies: int) -> list[Any]:
    """CALLs of one program, replayed again and again, each with the copy of its code in `turns`."""
    return [
        call.replace(src=(copied(call.src[0], n), *call.src[1:]))
        for call, n in zip(calls, turns(len(calls), copies), strict=True)
    ]


def turns(runs: int, copies: int) -> list[int]:
    """Copy of each of `runs` runs: between two runs of one copy, from a replay to the next too, at
    least `copies` - 1 others run, or all where there are fewer runs."""
    rounds = max(1, runs // copies)
    edges = [n * runs // rounds for n in range(rounds + 1)]
    return [i for a, b in pairwise(edges) for i in range(b - a)]
