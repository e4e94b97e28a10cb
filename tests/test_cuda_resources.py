"""Generated CUDA compiles for sm_80, sm_90 and sm_120 without a GPU; registers and spills are held
in a golden file: `pytest tests/test_cuda_resources.py --update-golden` rewrites it."""

from __future__ import annotations

import json
import re
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from pathlib import Path
from typing import Any

import cuda_kernels
import pytest

from boltbeam import registry
from boltbeam.emit import dependent
from boltbeam.predict import legal_rules
from boltbeam.predict.case import Case
from boltbeam.seam import nvrtc
from boltbeam.types import Geometry

ARCHS = ("sm_80", "sm_90", "sm_120")
GOLDEN = Path(__file__).parent / "golden" / "cuda-resources.json"
PINNED = "pip install 'boltbeam[cuda-compile]'"
Row = dict[str, list[int]]
"""Architecture -> registers, spilled bytes (stores and loads), stack and shared bytes."""


@pytest.fixture(scope="module")
def compiler() -> nvrtc.Nvrtc:
    library = nvrtc.wheel()
    if library is None or library.include is None:
        pytest.skip(f"no NVRTC of PyPI: {PINNED}")
    return nvrtc.Nvrtc(library)


@cache
def sources() -> dict[str, str]:
    """Name of each kernel -> its source; filled while the first test runs."""
    return {}


@pytest.fixture(scope="module")
def measured(compiler: nvrtc.Nvrtc) -> dict[str, Row]:
    """Name of each kernel -> what it needs on each architecture; compiled beside the rendering."""
    with ThreadPoolExecutor(2) as pool:
        waiting = {}
        for name, source in cuda_kernels.sources():
            sources()[name] = source
            for arch in ARCHS:
                waiting[name, arch] = pool.submit(needs_of, compiler, source, arch)
        out: dict[str, Row] = {}
        for (name, arch), one in waiting.items():
            out.setdefault(name, {})[arch] = one.result()
        return out


def needs_of(compiler: nvrtc.Nvrtc, source: str, arch: str) -> list[int]:
    """Registers, spilled, stack and shared bytes of a kernel compiled for an architecture."""
    old = arch < "sm_90" and len(arch) == 5
    r = compiler.resources(cuda_kernels.before_sm_90(source) if old else source, arch)
    spilled = r.spill_store_bytes + r.spill_load_bytes
    return [r.registers, spilled, r.stack_bytes, r.shared_bytes]


def once_more(
    compiler: nvrtc.Nvrtc, measured: dict[str, Row], was: dict[str, Row]
) -> dict[str, Row]:
    """Those that differ compiled again, up to three times: ptxas does not give every text the same
    registers each time (attention_lanes_q8 for sm_80: 106 in 58 of 60 times, 110 in two)."""
    out = dict(measured)
    for name, archs in measured.items():
        for arch in archs:
            for _ in range(3):
                if not changes({name: was.get(name, {})}, {name: {arch: out[name][arch]}}):
                    break
                needs = needs_of(compiler, sources()[name], arch)
                out[name] = {**out[name], arch: needs}
    return out


@cache
def golden() -> dict[str, Any]:
    assert GOLDEN.is_file(), f"{GOLDEN.name} is missing: run pytest --update-golden"
    found: dict[str, Any] = json.loads(GOLDEN.read_text(encoding="utf-8"))
    return found


def text_of(version: str, kernels: dict[str, Row]) -> str:
    """One line per kernel, so that a change of one is a diff of one line."""
    lines = [f"  {json.dumps(k)}: {json.dumps(v)}" for k, v in kernels.items()]
    head = f'{{"nvrtc": "{version}",\n "columns": ["registers", "spilled bytes", "stack bytes", '
    return head + '"shared bytes"],\n "kernels": {\n' + ",\n".join(lines) + "\n }}\n"


def changes(was: dict[str, Row], now: dict[str, Row]) -> list[str]:
    """What differs, one line each; a spill that the golden file does not hold says so.

    A known spill may be up to twice as large: ptxas does not always spill the same bytes.
    """
    out = [f"{k}: gone" for k in was if k not in now] + [f"{k}: new" for k in now if k not in was]
    for name, archs in now.items():
        for arch, needs in archs.items():
            old = was.get(name, {}).get(arch)
            if needs[1] > (2 * old[1] if old else 0):
                out.append(f"{name} on {arch}: SPILLS {needs[1]} bytes")
            elif old is not None and old[1] and needs[1]:
                needs = [needs[0], *old[1:3], needs[3]]
            if old is not None and needs != old:
                out.append(f"{name} on {arch}: {old} -> {needs}")
    return out


def test_registers_and_spills_are_those_of_the_golden_file(
    compiler: nvrtc.Nvrtc, measured: dict[str, Row], pytestconfig: pytest.Config
) -> None:
    if pytestconfig.getoption("--update-golden"):
        GOLDEN.write_text(text_of(compiler.version, measured), encoding="utf-8")
        golden.cache_clear()
    if compiler.version != golden()["nvrtc"]:
        spills = [k for k, row in measured.items() for v in row.values() if v[1]]
        assert not set(spills) - {k for k, r in golden()["kernels"].items() if r["sm_90"][1]}
        pytest.skip(f"registers are NVRTC {golden()['nvrtc']}'s, here {compiler.version}: {PINNED}")
    was = golden()["kernels"]
    found = changes(was, measured)
    found = found and changes(was, once_more(compiler, measured, was))
    assert not found, "run pytest --update-golden and review:\n" + "\n".join(found)


def test_only_what_no_kernel_writes_is_read_before_the_wait(measured: dict[str, Row]) -> None:
    """Every kernel waits once, in all its threads; in front of it none stores, and each touches
    constants alone. But one reads the cache and the position too: streaming attention with RoPE,
    with `ahead`. It stores the token's own row itself, and no row before it is stored by the same
    token; its position is stored by the token's last launch alone, which is argmax's."""
    early, cached = set(), set()
    for name, launch in cuda_kernels.all_launches():
        before, _, after = sources()[name].partition(dependent.INSTRUCTION)
        assert dependent.INSTRUCTION not in after
        body = before.partition('extern "C"')[2].partition(") {")[2]
        assert "if (" not in body and "for (" not in body, name
        assert not re.search(r"^\s*\*\(.*\bdata", body, re.MULTILINE), name
        bufs = (*launch.outs, *launch.ins)
        touched = {bufs[int(i)].name for i in re.findall(r"\bdata(\d+)_", body)}
        others = {n for n in touched if not n.startswith(dependent.CONSTANT)}
        cached |= {name} if others else set()
        assert others in (set(), {"cache", "pos"}), (name, others)
        early |= {name} if touched else set()
        stored = {b.name for b in launch.outs} & {"cache", "pos"}
        assert "cache" not in stored or "rope_store" in name, name
        assert "pos" not in stored or "argmax" in launch.name, name
    assert any("ahead=1" in name for name in early - cached), "no weights are read early"
    assert cached == {
        name
        for name in sources()
        if name.startswith("stream_lanes_rope_") and "ahead=0" not in name and "#" not in name
    }
    assert cached, "no cache is read early"


def test_a_buffer_that_is_written_is_never_constant() -> None:
    """Over all launches of a token the names that may be read early are written by none."""
    for name, launch in cuda_kernels.all_launches():
        assert not [b.name for b in launch.outs if b.name.startswith(dependent.CONSTANT)], name


@pytest.mark.parametrize("groups", [4, 2])
def test_the_rule_for_norms_says_what_ptxas_says(compiler: nvrtc.Nvrtc, groups: int) -> None:
    """64 values a thread fit in the registers that BubbleBeam counts; 128 do not and spill."""
    name, geometry = "chain_lanes_qkv", f"groups={groups} lanes=16 rows=1 unroll=1 words=1"
    ((_, source),) = cuda_kernels.rendered(name, "norm+qkv", "Q4_K", geometry)
    case = Case(
        cuda_kernels.work_item("norm+qkv", "Q4_K"),
        registry.route(name),
        cuda_kernels.CHIP,
        Geometry.parse(geometry),
    )
    counted, found = legal_rules.norm_registers(case), compiler.resources(source, "sm_90")
    assert (counted > legal_rules.REGISTERS_MAX) == (found.spill_store_bytes > 0) == (groups == 2)
    assert abs(min(counted, 255) - found.registers) <= 8


@pytest.mark.parametrize("arch", ["sm_75", "sm_120"])
def test_one_text_serves_every_architecture(arch: str) -> None:
    """So rendering for sm_90 and compiling for another is what a device of that kind does; only
    the wait is not there before sm_90."""
    case = ("gemv_lanes_f32", "down", "BF16", "groups=4 lanes=16 rows=2 split=1 unroll=1 words=2")
    ((_, source),), ((_, other),) = (
        cuda_kernels.rendered(*case),
        cuda_kernels.rendered(*case, arch=arch),
    )
    assert source == other
    old = cuda_kernels.CHIP.model_copy(update={"dependent_launch": None})
    ((_, plain),) = cuda_kernels.rendered(*case, arch="sm_80", chip=old)
    assert "griddepcontrol" not in plain and "griddepcontrol" in source


def test_every_lanes_route_and_format_is_compiled() -> None:
    """A new route or format cannot be left out."""
    names = {(name, kind) for name, _, kind, _ in cuda_kernels.cases()}
    lanes = [r for r in registry.routes().values() if r.form == "lanes" and r.kind == "search"]
    assert {r.id for r in lanes} == {name for name, _ in names}
    for route in lanes:
        if route.family in ("gemv", "embed") and route.id.startswith(("gemv", "embed")):
            assert set(route.formats) <= {kind for name, kind in names if name == route.id}


@pytest.mark.parametrize(
    ("needs", "words"),
    [
        ([65, 0, 0, 128], r"\[64, 0, 0, 128\] -> \[65, 0, 0, 128\]"),
        ([64, 40, 24, 128], "SPILLS 40 bytes"),
        ([64, 0, 0, 256], "256"),
    ],
)
def test_a_change_is_told(needs: list[int], words: str) -> None:
    was: dict[str, Row] = {"down": {"sm_80": [64, 0, 0, 128], "sm_90": [70, 0, 0, 128]}}
    assert changes(was, was) == []
    now = {"down": {**was["down"], "sm_80": needs}}
    with pytest.raises(AssertionError, match=words):
        assert not changes(was, now), "\n".join(changes(was, now))
    assert changes(was, {}) == ["down: gone"]
    assert changes({}, {"new": {"sm_80": [1, 8, 0, 0]}}) == [
        "new: new",
        "new on sm_80: SPILLS 8 bytes",
    ]


def test_the_text_is_read_back() -> None:
    rows: dict[str, Row] = {"a": {"sm_80": [1, 2, 3, 4]}, "b": {"sm_80": [5, 6, 7, 8]}}
    assert json.loads(text_of("13.0.88", rows))["kernels"] == rows
