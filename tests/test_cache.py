"""tinygrad's cache file: what rotted in it is compiled again, and never run."""

from __future__ import annotations

import contextlib
import pickle
import sqlite3
from collections.abc import Callable
from pathlib import Path

from cli_cases import Shell

from boltbeam.seam import tinygrad_cache


def flipped(data: bytes, byte: int, bit: int = 0) -> bytes:
    """The same with one bit turned over."""
    return data[:byte] + bytes([data[byte] ^ 1 << bit]) + data[byte + 1 :]


def test_no_bit_can_turn_over_unseen() -> None:
    code = bytes(range(64))
    stored = tinygrad_cache.sealed(code)
    assert tinygrad_cache.whole(stored) == pickle.loads(stored) == code  # without boltbeam, too
    assert tinygrad_cache.whole(pickle.dumps(code)) == code  # as tinygrad alone wrote it
    turned = [flipped(stored, byte, bit) for byte in range(len(stored)) for bit in range(8)]
    assert {tinygrad_cache.whole(t) for t in turned} <= {None}
    assert tinygrad_cache.whole(flipped(flipped(stored, 32), len(stored) - 35)) is None
    assert tinygrad_cache.whole(flipped(stored, 32)) is None
    assert tinygrad_cache.whole(stored[:40]) is None


def values(file: Path, change: Callable[[int, bytes], bytes] = lambda _, v: v) -> dict[str, bytes]:
    """Source -> machine code as it is stored; each changed (by its number) when it was read."""
    found = {}
    with contextlib.closing(sqlite3.connect(file)) as db:
        tables = [t for (t,) in db.execute("select name from sqlite_master where type = 'table'")]
        for table in tables:
            rows = db.execute(f"select rowid, key, val from '{table}'").fetchall()
            for n, (row, key, value) in enumerate(rows):
                found[f"{table} {key}"] = value
                db.execute(f"update '{table}' set val = ? where rowid = ?", (change(n, value), row))
        db.commit()
    return found


def test_a_command_compiles_what_rotted_again(shell: Shell, tiny: Callable[..., Path]) -> None:
    """Of some kernels the pickle cannot be read, in the machine code of others a bit turned over:
    the command finds them, and the processes in which tinygrad compiles."""
    words = ["run", "--model", tiny(), "--raw", "abc", "-n", "3", "--format", "json"]
    first = shell.run(*words, PARALLEL="2")
    file = shell.data / "compile-cache.db"
    before = values(file, lambda n, v: flipped(v, n % 2 * len(v) // 2))
    assert len(before) > 20
    again = shell.run(*words, PARALLEL="2")
    assert (again.code, "Traceback" in again.err) == (0, False), again.err
    assert '"generated_ids"' in again.out
    ids = [done.out.split('"generated_ids"')[1].split("]")[0] for done in (first, again)]
    assert ids[0] == ids[1]
    assert values(file) == before
