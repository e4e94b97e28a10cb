"""tinygrad's cache file (CACHEDB): a value that has rotted there is none, and is made again.

Takes nothing, gives tinygrad other words to write and read a value with. Never keeps a tinygrad
alone from reading it: pickle passes over the seal, which stands behind the value's end.
"""

from __future__ import annotations

import contextlib
import hashlib
import pickle
from functools import cache
from types import SimpleNamespace
from typing import Any

MARK = b"boltbeam"
SEAL = len(MARK) + 32
"""Bytes of the mark and of the sha256 behind a value's pickle."""


@cache
def trust_nothing() -> None:
    """From now on this process, and those in which tinygrad compiles for it, run no machine code
    that is not as it was written."""
    from tinygrad import helpers
    from tinygrad.engine import worker

    checked = {**vars(pickle), "dumps": sealed, "loads": whole}
    helpers.pickle = SimpleNamespace(**checked)
    worker._init_worker = begin_worker


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
    """The value; None, tinygrad's word for none, where it is not as it was written. One without a
    seal is of a tinygrad alone: it only has to load."""
    with contextlib.suppress(Exception):  # what does not load was never kept
        seal = data[-SEAL:]
        if not seal.startswith(MARK) or seal[len(MARK) :] == hashlib.sha256(data[:-SEAL]).digest():
            return pickle.loads(data)
    return None
