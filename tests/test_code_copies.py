"""Copies of a kernel's code: loaded each by itself, alike in what they give, and how many."""

from __future__ import annotations

import ctypes
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import cuda_kernels
import decode_cases
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from boltbeam.seam import nvrtc, tinygrad_code, tinygrad_cuda_graph, tinygrad_render, toolchain
from boltbeam.seam import tinygrad_adapter as tg
from boltbeam.seam.tinygrad_launches import Tape
from boltbeam.token import token_launches, token_sources
from boltbeam.token.token_launches import code_copies

DEVICES = ["CPU", pytest.param("CL", marks=pytest.mark.cl)]
SIZE = 256


class Squares:
    """A captured token of one kernel: squares of what its input holds."""

    def __init__(self, device: str) -> None:
        toolchain.require_compiler(device)
        self.device = device
        self.x = tg.upload(np.arange(SIZE, dtype=np.float32), device)
        self.y = tg.upload(np.zeros(SIZE, np.float32), device)
        graph = tg.jit(lambda: self.y.assign(self.x * self.x).realize())
        for _ in range(2):
            graph()
        self.tape = Tape(graph, device)
        (self.launched,) = self.tape.launches

    def turned(self, runs: int, copies: int) -> list[Any]:
        return tinygrad_code.turned([self.launched.call] * runs, copies)

    def given(self, calls: list[Any]) -> np.ndarray:
        """What these calls leave where nothing stood before."""
        tg.poison(self.y)
        self.tape.graph(calls)()
        tg.synchronize(self.device)
        return tg.read(self.y)


def loaded(calls: list[Any], device: str) -> list[Any]:
    """What tinygrad runs for each call."""
    from tinygrad.engine.realize import get_runtime

    return [get_runtime(device, call.src[0]) for call in calls]


def address(runtime: Any) -> int:
    """Where its code is: on the CPU the address, else the driver's handle of the function."""
    if hasattr(runtime, "addr"):
        return int(runtime.addr)
    handle = runtime.prg if hasattr(runtime, "prg") else runtime.kernel
    found = ctypes.cast(handle, ctypes.c_void_p).value
    assert found
    return found


# ---- copies are separate -----------------------------------------------------------------------


@pytest.mark.parametrize("device", [*DEVICES, pytest.param("CUDA", marks=pytest.mark.device)])
def test_every_copy_is_loaded_by_itself(device: str) -> None:
    token = Squares(device)
    calls = token.turned(6, 3)
    found = loaded(calls, device)
    assert calls[0] is token.launched.call
    assert loaded(token.turned(6, 3), device) == found  # once in a process
    assert len({address(r) for r in found}) == 3
    assert [address(r) for r in found[:3]] == [address(r) for r in found[3:]]
    alone = loaded(token.turned(6, 1), device)  # the control: one copy is one copy
    assert len({address(r) for r in alone}) == 1


@pytest.mark.parametrize("device", [*DEVICES, pytest.param("CUDA", marks=pytest.mark.device)])
def test_every_copy_gives_what_the_program_gives(device: str) -> None:
    token = Squares(device)
    wanted = np.arange(SIZE, dtype=np.float32) ** 2
    calls = token.turned(3, 3)
    assert np.isnan(token.given([])).all()
    assert len(set(calls)) == 3
    for some in ([calls[0]], [calls[1]], [calls[2]], calls):
        assert np.array_equal(token.given(some), wanted)


def test_in_a_graph_every_launch_runs_its_copy(monkeypatch: pytest.MonkeyPatch) -> None:
    """On the CPU, given a graph that runs its kernels in order."""
    from tinygrad.engine.jit import GraphRunner
    from tinygrad.engine.realize import get_graph_runtime

    class InOrder(GraphRunner):  # type: ignore[misc]
        def __call__(self, inputs: Any, values: Any, wait: bool = False) -> None:
            for (_, program, buffers, _), runtime in zip(self.calls, self.runtimes, strict=True):
                size, local = program.arg.launch_dims(values)
                runtime(*[b._buf for b in buffers], global_size=size, local_size=local)

    token = Squares("CPU")
    monkeypatch.setattr(tg.open_device("CPU"), "graph", InOrder)
    calls = token.turned(6, 3)
    graph = token.tape.graph(calls)
    graph()
    (call,) = graph.func.linear.src
    runtimes = get_graph_runtime(call.src[0]).runtimes
    assert runtimes == loaded(calls, "CPU") and len({address(r) for r in runtimes}) == 3
    assert np.array_equal(token.given(calls), np.arange(SIZE, dtype=np.float32) ** 2)


@pytest.mark.device
def test_copies_in_a_graph_of_a_gpu() -> None:
    from tinygrad.engine.realize import get_graph_runtime

    token = Squares("CUDA")
    tg.open_device("CUDA")
    calls = token.turned(6, 3)
    graph = token.tape.graph(calls)
    graph()
    (call,) = graph.func.linear.src
    made = get_graph_runtime(call.src[0])
    assert isinstance(made, tinygrad_cuda_graph.graph_class())
    assert len({address(r) for r in made.runtimes}) == 3
    assert np.array_equal(token.given(calls), np.arange(SIZE, dtype=np.float32) ** 2)


def test_a_copy_waits_where_its_program_does() -> None:
    """A graph tells kernels that wait by their text."""
    case = ("norm_lanes_f32", "norm", "", "threads=256")
    ((_, launch),) = cuda_kernels.launches(*case)
    program = tinygrad_render.program(launch, "CUDA:sm_90")
    copy = tinygrad_code.copied(program, 2)
    assert copy.key != program.key
    assert tinygrad_cuda_graph.waits(program) and tinygrad_cuda_graph.waits(copy)


@pytest.mark.parametrize("device", DEVICES)
def test_nothing_is_compiled_for_a_copy(device: str) -> None:
    """Its image is the program's own: only what tinygrad knows it by is another."""
    token = Squares(device)
    programs = [call.src[0] for call in token.turned(3, 3)]
    assert len({p.key for p in programs}) == 3
    assert len({p.src[-1] for p in programs}) == len({p.arg for p in programs}) == 1
    assert [p.src[2].arg.startswith(programs[0].src[2].arg) for p in programs] == [True] * 3


def test_a_copy_of_a_buffer_has_no_code() -> None:
    from tinygrad.uop.ops import Ops, UOp

    made = UOp(Ops.NOOP)
    assert tinygrad_code.copied(made, 3) is made
    assert tinygrad_code.nbytes(made, None) == 0


# ---- how long code is --------------------------------------------------------------------------


def test_machine_code_on_the_cpu() -> None:
    """Executable sections, as tinygrad's own loader finds them; not the whole image."""
    from tinygrad.runtime.support.elf import elf_loader

    token = Squares("CPU")
    program = token.launched.program
    image = program.src[-1].arg
    code = [s.header.sh_size for s in elf_loader(image)[1] if s.header.sh_flags & 4]
    renderer = tg.open_device("CPU").renderer
    assert 0 < tinygrad_code.nbytes(program, renderer) == sum(code) < len(image)


def test_ptx_is_as_long_as_its_machine_code() -> None:
    """A loop that is unrolled is longer in a unit's caches, and hardly longer as PTX. No GPU."""
    library = nvrtc.wheel()
    if library is None or library.include is None:
        pytest.skip("no NVRTC of PyPI: pip install 'boltbeam[cuda-compile]'")
    code = """
from boltbeam.seam import toolchain; toolchain.require_compiler("CUDA")
from tinygrad.helpers import Target
from tinygrad.renderer.cstyle import CUDARenderer
from tinygrad.uop.ops import Ops, UOp
from boltbeam.seam import tinygrad_code
renderer = CUDARenderer(Target("CUDA", arch="sm_90"))
for trips in (1, 256):
    text = "extern \\"C\\" __global__ void f(float* x) {\\n#pragma unroll %d\\n" % trips
    text += "for (int i = 0; i < 256; i++) x[i] = x[i] * x[i + 1] + 1.0f; }"
    image = renderer.compiler.compile(text)
    assert not image.startswith(tinygrad_code.ELF)
    parts = (UOp(Ops.NOOP), UOp(Ops.SOURCE, arg=text), UOp(Ops.BINARY, arg=image))
    print(tinygrad_code.nbytes(UOp(Ops.PROGRAM, src=parts), renderer), len(image))
"""
    paths = [p for p in sys.path if p]
    bare = {"PATH": os.environ["PATH"], "PYTHONPATH": os.pathsep.join(paths), "DEV": "NULL"}
    done = subprocess.run(
        [sys.executable, "-c", code],
        env={**bare, "CCACHE": "0", "CACHELEVEL": "0"},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr[-2000:]
    (rolled, _), (unrolled, _) = (map(int, line.split()) for line in done.stdout.splitlines())
    assert rolled % 16 == unrolled % 16 == 0  # instructions of 16 bytes
    assert 128 <= rolled < 256 * 16 <= unrolled


# ---- how many copies, and in which order ---------------------------------------------------------


@given(st.integers(1, 300), st.integers(1, 100))
def test_runs_of_one_copy_are_apart(runs: int, copies: int) -> None:
    """From one replay to the next as well."""
    order = tinygrad_code.turns(runs, copies)
    assert len(order) == runs and order[0] == 0
    apart = min(copies, runs)
    assert apart <= len(set(order)) < max(2 * copies, 2)
    twice = order + order
    for at in range(runs):
        again = next(i for i in range(at + 1, 2 * runs + 1) if twice[i % (2 * runs)] == twice[at])
        assert len(set(twice[at + 1 : again])) >= apart - 1


def test_copies_are_as_much_code_as_runs_between() -> None:
    nbytes = {"embed": 500, "norm": 1000, "qkv": 4000, "o": 2000, "head": 6000}
    token = ["embed", *["norm", "qkv", "norm", "o"] * 5, "norm", "head"]
    found = dict(zip(token, code_copies(token, nbytes), strict=True))
    assert found == {
        "embed": 1 + 26,  # 13,000 bytes once a token
        "norm": 1 + 4,  # five times 2,000, five times 4,000, and 6,500 once
        "qkv": 1 + 1,
        "o": 1 + 3,
        "head": 1 + 2,
    }


@given(st.data(), st.integers(2, 8), st.integers(1, 5))
def test_a_program_of_every_layer_sees_the_layer(data: Any, kernels: int, layers: int) -> None:
    """Its copies are at least as much code as the others' of its layer, less one copy not."""
    nbytes = {n: data.draw(st.integers(1000, 9000)) for n in range(kernels)}
    found = code_copies([*range(kernels)] * layers, nbytes)
    for name, copies in zip([*range(kernels)] * layers, found, strict=True):
        others = sum(nbytes.values()) - nbytes[name]
        assert others <= (copies - 1) * nbytes[name] < others + nbytes[name]


def test_few_copies_and_none(monkeypatch: pytest.MonkeyPatch) -> None:
    nbytes = {"tiny": 16, "huge": 1 << 20, "copy": 0}
    token = ["tiny", "huge", "copy"]
    assert code_copies(token, nbytes) == [token_launches.CODE_COPIES_MAX, 2, 1]
    assert code_copies(["tiny"] * 3, nbytes) == [1, 1, 1]
    monkeypatch.setattr(token_launches, "CODE_COPIES_MAX", 1)
    assert code_copies(token, nbytes) == [1, 1, 1]


def test_a_graph_goes_through_its_copies_several_times() -> None:
    """On a GPU, as far as the token may move on; elsewhere every launch costs the host's work."""
    still, moving = token_sources.About("o", 0), token_sources.About("argmax", 0, moves=True)

    def launches(about: token_sources.About, copies: int, graphs: bool = True) -> int:
        source: Any = SimpleNamespace(tape=SimpleNamespace(has_graphs=graphs), room=100)
        return len(token_launches._enough([0] * 3, source, [about], copies))

    assert [launches(still, n) for n in (1, 16, 17, 64)] == [66, 66, 69, 258]
    assert launches(moving, 64) == 99 and launches(still, 64, graphs=False) == 3


# ---- a real token ------------------------------------------------------------------------------


def test_every_kind_of_a_token_turns_through_code(
    tiny: Callable[..., Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whole, in part and empty, where it is launched more than once; and none of it where code
    shall stay in its place."""
    model, facts, files = decode_cases.load(tiny("tiny-llama"))
    position = decode_cases.CONTEXT // 2
    source = token_sources.of_stock(model, facts, files, "CPU", position, "stock")
    hollow = [source.tape.hollow(x) for x in source.tape.launches]
    graph, graphs = source.tape.graph, []

    def heard(calls: list[Any], late: bool = False) -> Any:
        graphs.append(calls)
        return graph(calls, late)

    monkeypatch.setattr(source.tape, "graph", heard)

    def programs() -> list[tuple[int, int, int, int]]:
        """Of each kind: launches in its graph, programs in it, in the empty one, in the part."""
        graphs.clear()
        kinds = list(token_launches._kinds(source, decode_cases.CHIP, hollow))
        left, found = iter(graphs), []
        for k in kinds:
            cut = next(left) if k.cut is not None else []
            whole, empty = next(left), next(left)
            assert whole[0].src[0] is k.launches[0].program
            counts = [len({c.src[0] for c in calls}) for calls in (whole, empty, cut)]
            assert k.code_copies == counts[0]
            found.append((len(whole), *counts))
        assert list(left) == []
        return found

    found = programs()
    often = [counts for runs, *counts in found if runs > 1]
    assert often and all(whole > 1 and empty > 1 for whole, empty, _ in often)
    assert all(cut in (0, whole) for whole, _, cut in often) and any(cut for *_, cut in often)
    assert all(whole == empty == 1 for runs, whole, empty, _ in found if runs == 1)
    monkeypatch.setattr(token_launches, "CODE_COPIES_MAX", 1)
    assert {n for _, *counts in programs() for n in counts} <= {0, 1}
