"""Arrays shared by the processes of a search: the same bits, made once, and nothing left behind."""

from __future__ import annotations

import os
import resource
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from kernel_cases import TARGET, work_item

from boltbeam import emit, registry
from boltbeam.emit import planes, reference
from boltbeam.models import random_blocks
from boltbeam.proof import oracle, sample_data, shared_arrays, verify
from boltbeam.types import Geometry

Arrays = Mapping[str, np.ndarray[Any, Any]]
SOME = {
    "a": np.arange(1000, dtype=np.float32).reshape(10, 100),
    "b": np.array([7], np.int64),
    "none": np.zeros(0, np.uint8),
    "scalar": np.array(1.5),
}


@pytest.fixture
def place(monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A folder that this process shares, as a worker's environment says."""
    with shared_arrays.folder() as env:
        for name, value in env.items():
            monkeypatch.setenv(name, value)
        yield Path(env[shared_arrays.FOLDER])


def made(calls: list[int], of: str = "some") -> Arrays:
    def make() -> Arrays:
        calls.append(1)
        return SOME

    return shared_arrays.made((of,), make)


def files(place: Path) -> list[Path]:
    return [f for f in place.iterdir() if f.suffix != ".lock"]


def same(a: Arrays, b: Arrays) -> bool:
    return a.keys() == b.keys() and all(
        (a[n].dtype, a[n].shape, a[n].tobytes()) == (b[n].dtype, b[n].shape, b[n].tobytes())
        for n in a
    )


# ---- the same bits ---------------------------------------------------------------------------


def contents(work: Any, route: str) -> list[Arrays]:
    """Contents and references of all cases of a route, by the proof's own functions."""
    how = registry.route(route)
    launches = emit.launches(work, how, Geometry.of(), TARGET)
    inputs, _ = verify.external(launches)
    names = sorted({b.name for b in inputs} | verify.state_names(work, launches))
    bufs = {b.name: b for x in launches for b in (*x.outs, *x.ins)}
    cases = oracle.Cases.of(work, how, tuple(bufs[n] for n in names), 3)
    oracle._inputs.cache_clear()
    oracle._expected.cache_clear()
    out: list[Arrays] = []
    for case in (0, 1, *cases.extra):
        out += [cases.inputs(case), *cases.reference(cases.inputs(case))]
    return out


@pytest.mark.parametrize(
    ("op", "format", "route"),
    [
        ("head", "Q6_K", "gemv_rows_q8"),
        ("gate_up", "Q4_K", "gate_up_rows_f32_f32"),
        ("norm+qkv+rope_store+attention+o", "Q8_0", "chain_rows"),
        ("norm+head+argmax", "Q8_0", "chain_rows"),
    ],
)
def test_contents_and_references_are_those_made_directly(
    op: str, format: str, route: str, place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    work = work_item(op, format)
    direct = contents(work, route)
    assert not files(place)  # tables this small are not worth it
    monkeypatch.setattr(shared_arrays, "WORTH_WEIGHTS", 0)
    first = contents(work, route)
    assert files(place)
    monkeypatch.setattr(random_blocks, "blocks", None)
    monkeypatch.setattr("boltbeam.proof.sample_data.blocks", None)
    second = contents(work, route)
    assert all(same(a, b) and same(a, c) for a, b, c in zip(direct, first, second, strict=True))
    for f in files(place):
        f.unlink()
    with pytest.raises(TypeError):
        contents(work, route)


@pytest.mark.parametrize(
    ("op", "format", "route"),
    [
        ("head", "Q6_K", "gemv_rows_q8"),
        ("embed", "Q4_K", "embed_rows"),
        ("norm+head+argmax", "Q8_0", "chain_rows"),
    ],
)
def test_rows_of_a_large_table_repeat_and_the_reference_is_that_of_all(
    op: str, format: str, route: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    work = work_item(op, format)
    monkeypatch.setattr(shared_arrays, "WORTH_WEIGHTS", 0)
    monkeypatch.setattr(sample_data, "UNIQUE_WEIGHTS", 20 * 256)
    contents_and_references = contents(work, route)
    for i in range(0, len(contents_and_references), 3):
        arrays, *found = contents_and_references[i : i + 3]
        ((name, raw),) = ((n, a) for n, a in arrays.items() if n.startswith("w."))
        assert same({name: raw}, {name: np.resize(raw[:21], raw.shape)})
        assert len({row.tobytes() for row in raw}) == 21 < len(raw)
        for a, b in zip(found, reference.run(work, arrays), strict=True):
            assert a.keys() == b.keys()
            assert all(np.allclose(a[n], b[n], rtol=1e-12, atol=1e-14) for n in a), a.keys()


def test_a_table_in_planes_is_that_of_its_contents(place: Path) -> None:
    calls = []

    def rows() -> Arrays:
        rng = np.random.default_rng(1)
        return {"raw": random_blocks.blocks("Q6_K", 16, 256, rng)}

    def repacked() -> np.ndarray[Any, Any]:
        calls.append(1)
        return planes.repacked("planes.Q6_K", raw)

    raw = shared_arrays.made(("raw",), rows)["raw"]
    for _ in range(2):
        found = shared_arrays.derived(raw, "planes.Q6_K", repacked)
        assert np.array_equal(found, planes.repacked("planes.Q6_K", rows()["raw"]))
    assert len(calls) == 1
    raw = rows()["raw"]
    shared_arrays.derived(raw, "planes.Q6_K", repacked)
    assert len(calls) == 2  # another array: nothing is known of it


def test_every_array_comes_back_and_may_be_written_to(place: Path) -> None:
    calls: list[int] = []
    assert same(made(calls), SOME) and same(made(calls), SOME) and calls == [1]
    made(calls)["a"][:] = 0
    assert same(made(calls), SOME) and calls == [1]
    assert same(made(calls, "other"), SOME) and calls == [1, 1]


# ---- once, by whoever comes first ------------------------------------------------------------

ASK = """
import sys, time
import numpy as np
from boltbeam.proof import shared_arrays
def make():
    print("makes", flush=True)
    time.sleep(float(sys.argv[1]))
    return {"a": np.arange(5)}
print(shared_arrays.made(("slow",), make)["a"].tolist(), flush=True)
"""


def ask(seconds: float) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-c", ASK, str(seconds)], stdout=subprocess.PIPE, text=True
    )


def test_of_two_processes_one_makes_it_and_the_other_waits(place: Path) -> None:
    said = [p.communicate(timeout=20)[0] for p in (ask(1), ask(1))]
    assert sorted("".join(said).splitlines()) == ["[0, 1, 2, 3, 4]", "[0, 1, 2, 3, 4]", "makes"]


def test_who_waits_for_a_killed_process_makes_it(place: Path) -> None:
    first = ask(60)
    assert first.stdout is not None and first.stdout.readline() == "makes\n"
    second = ask(0)
    time.sleep(0.3)
    first.kill()
    first.communicate()
    assert second.communicate(timeout=20)[0].splitlines() == ["makes", "[0, 1, 2, 3, 4]"]


# ---- whatever is wrong with the folder --------------------------------------------------------


def cut(f: Path) -> None:
    f.write_bytes(f.read_bytes()[:-64])


def emptied(f: Path) -> None:
    f.write_bytes(b"")


def changed(f: Path) -> None:
    data = bytearray(f.read_bytes())
    data[len(data) // 2] ^= 1
    f.write_bytes(data)


def garbage(f: Path) -> None:
    f.write_bytes(np.random.default_rng(0).bytes(4096))


@pytest.mark.parametrize("damage", [cut, emptied, changed, garbage])
def test_a_damaged_file_is_made_again(damage: Any, place: Path) -> None:
    calls: list[int] = []
    made(calls)
    [file] = files(place)
    damage(file)
    assert same(made(calls), SOME) and same(made(calls), SOME) and calls == [1, 1]


def test_a_full_disk_leaves_no_part_of_a_file(place: Path) -> None:
    calls: list[int] = []
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (1000, hard))  # writing beyond is an OSError
    try:
        assert same(made(calls), SOME) and same(made(calls), SOME) and calls == [1, 1]
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
    assert files(place) == []


def test_no_folder_or_one_that_is_gone(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    calls: list[int] = []
    monkeypatch.setenv(shared_arrays.FOLDER, str(place / "gone"))
    assert same(made(calls), SOME) and not (place / "gone").exists()
    (place / "file").write_text("")
    monkeypatch.setenv(shared_arrays.FOLDER, str(place / "file"))
    assert same(made(calls), SOME)
    monkeypatch.delenv(shared_arrays.FOLDER)
    assert same(made(calls), SOME) and len(calls) == 3


def test_the_oldest_make_room(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    calls: list[int] = []
    made(calls, "first")
    [first] = files(place)
    monkeypatch.setenv(shared_arrays.ROOM, str(int(first.stat().st_size * 2.5)))
    made(calls, "second")
    os.utime(first, (1, 1))
    made(calls, "first")  # read: now the second is the oldest
    made(calls, "third")
    made(calls, "first")
    assert len(calls) == 3 and len(files(place)) == 2
    monkeypatch.setenv(shared_arrays.ROOM, "10")
    assert same(made(calls, "fourth"), SOME) and len(calls) == 4


# ---- nothing is left -------------------------------------------------------------------------


def test_no_place_has_room(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with shared_arrays.folder([tmp_path / "nowhere"]) as env:
        assert env == {}
    monkeypatch.setattr(shared_arrays, "LEAST_ROOM", 1 << 60)
    with shared_arrays.folder([tmp_path]) as env:
        assert env == {}
    assert list(tmp_path.iterdir()) == []


def test_the_folder_goes_with_an_exception(tmp_path: Path) -> None:
    with pytest.raises(KeyboardInterrupt), shared_arrays.folder([tmp_path]) as env:
        (Path(env[shared_arrays.FOLDER]) / "x").write_text("some")
        raise KeyboardInterrupt
    assert list(tmp_path.iterdir()) == []


OWNER = """
import subprocess, sys, time
from pathlib import Path
from boltbeam.proof import shared_arrays
with shared_arrays.folder([Path(sys.argv[1])]) as env:
    Path(env[shared_arrays.FOLDER], "x").write_text("some")
    print("ready", flush=True)
    time.sleep(60)
"""


@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGINT, signal.SIGTERM])
def test_the_folder_goes_however_its_owner_ends(how: signal.Signals, tmp_path: Path) -> None:
    owner = subprocess.Popen(
        [sys.executable, "-c", OWNER, str(tmp_path)],
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    )
    assert owner.stdout is not None and owner.stdout.readline() == "ready\n"
    assert len(list(tmp_path.iterdir())) == 1
    owner.send_signal(how)
    owner.communicate()
    end = time.monotonic() + 10
    while list(tmp_path.iterdir()) and time.monotonic() < end:
        time.sleep(0.05)
    assert list(tmp_path.iterdir()) == []
