"""tinygrad's cache file (CACHEDB): what has rotted there, or is of another compiler, is made again.

Takes nothing, gives tinygrad other words to write and read a value with. Never keeps a tinygrad
alone from reading it: pickle passes over the seal, which stands behind the value's end. tinygrad
knows machine code by its text alone; here that of each compiler has a table of its own.
"""

from __future__ import annotations

import contextlib
import hashlib
import io
import os
import pickle
from functools import cache
from types import SimpleNamespace
from typing import Any

MARK = b"boltbeam"
"""Between a value's pickle and its sha256."""
COMPILER = "BOLTBEAM_COMPILER"
"""Environment of this process and its children: what makes machine code (a name of letters and
digits). Where it is not set, tables are tinygrad's own."""


@cache
def trust_nothing() -> None:
    """From now on this process, and those in which tinygrad compiles for it, take no machine code
    from the file that is not as it was written, or that another compiler made."""
    from tinygrad import device, helpers
    from tinygrad.engine import worker

    checked = {**vars(pickle), "dumps": sealed, "loads": whole}
    helpers.pickle = SimpleNamespace(**checked)
    device.diskcache_get = lambda t, key: helpers.diskcache_get(table(t), key)
    device.diskcache_put = lambda t, key, value: helpers.diskcache_put(table(t), key, value)
    worker._init_worker = begin_worker


def table(name: str) -> str:
    """Where machine code of this compiler is kept."""
    compiler = os.environ.get(COMPILER)
    return f"{name}_{compiler}" if compiler else name


def begin_worker() -> None:
    """How a process begins in which tinygrad compiles."""
    from tinygrad.engine.worker import _init_worker

    _init_worker()
    trust_nothing()


def sealed(value: Any) -> bytes:
    """The value's pickle, and behind it the mark and the hash."""
    data = pickle.dumps(value)
    return data + MARK + hashlib.sha256(data).digest()


def whole(data: bytes) -> Any:
    """The value; None, tinygrad's word for none, where it is not as it was written. One that
    nothing follows is of a tinygrad alone: it only has to load."""
    with contextlib.suppress(Exception):  # what does not load was never kept
        stream = io.BytesIO(data)
        value, behind = pickle.load(stream), stream.read()
        end = len(data) - len(behind)
        if behind in (b"", MARK + hashlib.sha256(data[:end]).digest()):
            return value
    return None
