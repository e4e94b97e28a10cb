"""Kernels that start early: which chips have them, what their graph is made of, and on a GPU that
they give what the same kernels give one after the other."""

from __future__ import annotations

import re
from types import SimpleNamespace

import cuda_kernels
import hazards
import lanes_bench
import numpy as np
import pytest
import token_replays

from boltbeam import registry
from boltbeam.chip import chip_facts
from boltbeam.emit import dependent, lanes_stream
from boltbeam.emit.core import Launch, Target
from boltbeam.measure import timing
from boltbeam.measure.rotation import Operands
from boltbeam.seam import (
    nvrtc,
    tinygrad_cuda_graph,
    tinygrad_launches,
    tinygrad_render,
    toolchain,
)
from boltbeam.seam import tinygrad_adapter as tg
from boltbeam.types import ChipFacts, Geometry, NoDevice


@pytest.mark.parametrize(
    ("chip", "early"),
    [("nv-sm80-108sm", False), ("nv-sm89-128sm", False), ("nv-sm90-132sm", True)],
)
def test_from_sm_90_on(chip: str, early: bool) -> None:
    facts = chip_facts.nvidia_by_id(chip)
    assert facts is not None and facts.get("dependent_launch") is early
    assert Target("CUDA", facts).dependent is early


def test_tinygrads_own_queue_starts_nothing_early() -> None:
    assert not registry.chips()["nv-sm120-170sm"].get("dependent_launch")


def test_the_wait_is_found_in_a_program() -> None:
    """By its text: a graph chains kernels that wait, and leaves all others to tinygrad."""
    case = ("norm_lanes_f32", "norm", "", "threads=256")
    old = cuda_kernels.CHIP.model_copy(update={"dependent_launch": None})
    for chip, waits in ((cuda_kernels.CHIP, True), (old, False)):
        ((_, launch),) = cuda_kernels.launches(*case, chip=chip)
        program = tinygrad_render.program(launch, "CUDA:sm_90")
        assert tinygrad_cuda_graph.waits(program) is waits


@pytest.mark.cl
def test_a_grid_of_variables_is_as_large_as_they_let_it_be() -> None:
    """tinygrad would make such a node with no workgroup, which CUDA refuses."""
    from tinygrad import Tensor, UOp
    from tinygrad.engine.realize import lower_and_compile
    from tinygrad.uop.ops import Ops

    n = UOp.variable("n", 1, 640)
    x = Tensor.empty(640, device="CL").shrink(((0, n.bind(300)),)) + 1
    linear, _ = x.contiguous().linear_with_vars()
    programs = [c.src[0] for c in lower_and_compile(linear).src if c.src[0].op is Ops.PROGRAM]
    assert programs
    for program in programs:
        grid = tinygrad_cuda_graph.with_largest_grid(program).arg
        assert 0 in program.arg.launch_dims({"n": 0})[0]
        assert grid.launch_dims({"n": 0}) == program.arg.launch_dims({"n": 640})


# ---- hazards -----------------------------------------------------------------------------------


@pytest.mark.cl
@pytest.mark.parametrize("name", hazards.HAZARDS)
def test_a_chain_is_what_is_expected_of_it(name: str) -> None:
    """Where nothing starts early: the same kernels without a wait, on a CPU's OpenCL."""
    assert hazards.Chain(hazards.HAZARDS[name].launches, "CL").wrong(range(3), trips=50) == []


@pytest.mark.cl
@pytest.mark.parametrize("name", hazards.HAZARDS)
def test_stale_data_are_seen(name: str) -> None:
    """As of a kernel that starts too early: it runs before the one that it must wait for."""
    launches = hazards.HAZARDS[name].launches
    chain = hazards.Chain(launches[::-1], "CL")
    chain.launches = launches
    assert chain.wrong(range(3), trips=50) == [0, 1, 2]


@pytest.mark.cl
def test_a_graph_that_starts_nothing_early_is_told() -> None:
    """There the hazards prove nothing: no test of them passes or is skipped."""
    chain = hazards.Chain(hazards.HAZARDS["read after write"].launches, "CL")
    with pytest.raises(AssertionError, match="0 of 31 edges"):
        chain.require_early_starts()
    assert len(tinygrad_launches.Tape(chain.graph, "CL").launches) == 32


@pytest.mark.parametrize("name", hazards.HAZARDS)
def test_a_chain_compiles_with_its_waits_and_without_one(name: str) -> None:
    """The wait stands before all but the key; the control differs by a comment, and its graph
    starts it early all the same. What is late is behind the loop."""
    hazard = hazards.HAZARDS[name]
    texts = {}
    for how in (hazards.waits, hazards.without_wait):
        programs = [tinygrad_render.program(x, "CUDA:sm_90") for x in hazard.kernels(how)]
        assert all(map(tinygrad_cuda_graph.waits, programs))
        texts[how] = [tinygrad_render.render(x, "CUDA:sm_90") for x in hazard.kernels(how)]
    right, spoiled = texts.values()
    wait = f"{dependent.INSTRUCTION};"
    for i, (launch, text) in enumerate(zip(hazard.launches, right, strict=True)):
        assert spoiled[i] == (text.replace(wait, f"/* {wait} */") if i == hazard.careful else text)
        before, _, behind = text.partition(wait)
        assert text.count(wait) == 1 and "for (" not in before
        bufs = (*launch.outs, *launch.ins)
        assert {bufs[int(n)].name for n in re.findall(r"\*\(data(\d+)_", before)} <= {"w.key"}
        loop, _, late = behind.partition("for (")
        if "late" in launch.name:
            slot = next(n for n, b in enumerate(bufs) if b in (hazards.MADE, hazards.X))
            assert f"data{slot}_" in late.partition("}")[2] and f"data{slot}_" not in loop
    library = nvrtc.wheel()
    if library is None or library.include is None:
        pytest.skip("no NVRTC of PyPI: pip install 'boltbeam[cuda-compile]'")
    for text in (*right, spoiled[hazard.careful]):
        assert nvrtc.Nvrtc(library).resources(text, "sm_90").registers < 64


@pytest.mark.device
@pytest.mark.parametrize("name", hazards.HAZARDS)
def test_no_hazard_is_lost(name: str) -> None:
    """On a GPU that starts kernels early: a late store is read, a late load not overtaken."""
    device = _gpu().device
    assert tg.open_device(device).graph is tinygrad_cuda_graph.graph_class()
    chain = hazards.Chain(hazards.HAZARDS[name].kernels(), device)
    chain.require_early_starts()
    assert chain.wrong(range(25)) == []


@pytest.mark.device
@pytest.mark.parametrize("name", hazards.HAZARDS)
def test_a_missing_wait_would_be_seen(name: str) -> None:
    """The control of the test before: the same chain, one wait commented out.

    No chip is known on which stale data must show, so that it fails only where they cannot.
    """
    spoiled = hazards.HAZARDS[name].kernels(hazards.without_wait)
    chain = hazards.Chain(spoiled, _gpu().device)
    chain.require_early_starts()
    if not chain.wrong(range(25)):
        pytest.skip("kernels start early, yet without a wait the data were right: none shows here")


# ---- real kernels ------------------------------------------------------------------------------


@pytest.mark.device
@pytest.mark.parametrize("op", ["qkv", "norm+gate_up"])
def test_early_starts_change_no_bit(op: str) -> None:
    """A rotation of a kernel on an NVIDIA GPU, with the edges of its graph and without."""
    chip = _gpu()
    route, split = ("gemv_lanes_q8", "split=1 ") if op == "qkv" else ("chain_lanes_gate_up_q8", "")
    geometry = f"ahead=1 groups=16 lanes=16 rows=2 {split}unroll=1 wide=0 words=4"
    outs = []
    for facts in (chip, chip.model_copy(update={"dependent_launch": None})):
        ((_, launch),) = cuda_kernels.launches(route, op, "Q4_K", geometry, facts)
        source = tinygrad_render.source(launch, chip.device)
        assert (dependent.INSTRUCTION in source) is (facts is chip)
        operands = Operands(cuda_kernels.work_item(op, "Q4_K"), chip.device, 4)
        timing.deploy((launch,), operands).batch_us(50)
        outs.append([tg.read(operands.tensor(b, 0)) for b in launch.outs])
    assert outs[0] and all(np.array_equal(a, b) for a, b in zip(*outs, strict=True))


# ---- attention that reads its cache early ------------------------------------------------------

ONE_TRIP = "ahead=1 lanes=8 split=32 threads=32 unroll=4"
"""All 512 positions: nothing of the cache is read behind the wait."""
EDGES = [0, 1, 2, 127, 128, 129, 255, 256, 257, 383, 384, 511]
STREAMS = [
    "lanes=16 split=8 threads=256 unroll=4",
    "lanes=16 split=16 threads=128 unroll=2",
    "lanes=8 split=16 threads=128 unroll=2",
    "lanes=32 split=4 threads=256 unroll=1",
    "lanes=16 lean=1 split=8 threads=256 unroll=4",
    "lanes=8 lean=1 split=16 threads=128 unroll=2",
]
SMALL = {"heads": 2, "kv_heads": 1, "head_dim": 32, "rope_dim": 32}


def _replays(geometry: str, target: Target, **heads: int) -> token_replays.Replays:
    work = lanes_bench.work_item("rope_store+attention", context=512, qk_norm=True, **heads)
    return token_replays.Replays(work, registry.route("stream_lanes_rope_f32"), geometry, target)


@pytest.mark.cl
@pytest.mark.parametrize(
    "geometry",
    [
        ONE_TRIP,
        "ahead=1 lanes=8 split=32 threads=32 unroll=1",
        "ahead=2 lanes=8 split=8 threads=32 unroll=2",
        f"{ONE_TRIP} lean=1",
        "ahead=2 lanes=8 lean=1 split=8 threads=32 unroll=2",
    ],
)
def test_replays_at_all_positions(geometry: str) -> None:
    """Each reads what those before have stored, and no row that its own token stores or a later
    one: what these hold changes no bit."""
    chain = _replays(geometry, lanes_bench.target(), **SMALL)
    ratios = chain.worst(EDGES)
    assert max(ratios.values()) <= 1, ratios
    log, cache = chain.run(512)
    for rubbish in (0.0, 1000.0):
        again, left = chain.run(512, rubbish)
        assert np.array_equal(again, log) and np.array_equal(left, cache)


@pytest.mark.cl
def test_a_row_that_is_read_too_early_is_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    """The control of the test before: the token's own row, as the cache holds it by then."""
    seen = lanes_stream.seen
    monkeypatch.setattr(lanes_stream, "seen", lambda work, at, own: seen(work, at, own + 1))
    heads = SMALL | {"rope_dim": 16}  # launches of other heads were made already
    ratios = _replays(ONE_TRIP, lanes_bench.target(), **heads).worst([127, 300])
    assert min(ratios.values()) > 1, ratios


@pytest.mark.parametrize("geometry", STREAMS)
@pytest.mark.parametrize("ahead", [0, 1, 2])
def test_the_first_trip_is_read_in_front_of_the_wait(geometry: str, ahead: int) -> None:
    """All its keys and values, with RoPE and `ahead`; otherwise no row of the cache."""
    case = ("stream_lanes_rope_q8", "rope_store+attention", "", f"ahead={ahead} {geometry}")
    (launch, merge), (text, _) = (
        [x for _, x in found(*case)] for found in (cuda_kernels.launches, cuda_kernels.rendered)
    )
    assert "cache" not in {b.name for b in (*merge.outs, *merge.ins)}
    before, _, behind = text.partition(f"{dependent.INSTRUCTION};")
    early, late = (_vectors_read(launch, part, "cache") for part in (before, behind))
    axes = Geometry.parse(geometry)
    lanes, unroll = axes.get("lanes", 0), axes.get("unroll", 0)
    trip = 2 * unroll * 128 // lanes // 4
    beside = axes.get("threads", 0) // lanes * axes.get("split", 0) * unroll
    assert early == (trip if ahead else 0)
    assert late == (0 if ahead and beside == 512 else trip)
    reads = {"data" + str(i) for i in _arguments(launch, "pos")}
    assert all((f"*({r}_1+0)" in before) is bool(ahead) for r in reads)
    library = nvrtc.wheel()
    if library is None or library.include is None:
        pytest.skip("no NVRTC of PyPI: pip install 'boltbeam[cuda-compile]'")
    needs = nvrtc.Nvrtc(library).resources(text, "sm_90")
    assert needs.spill_store_bytes == needs.stack_bytes == 0


@pytest.mark.parametrize("geometry", STREAMS)
def test_without_rope_no_row_of_the_cache_is_read_early(geometry: str) -> None:
    """There the launch before stores the token's own row."""
    case = ("stream_lanes_f32", "attention", "", f"ahead=1 {geometry}")
    (launch, _), (text, _) = (
        [x for _, x in found(*case)] for found in (cuda_kernels.launches, cuda_kernels.rendered)
    )
    before, _, behind = text.partition(f"{dependent.INSTRUCTION};")
    assert not re.search(r"\*\(+(?:half4\*\)\()*data", before.partition(") {")[2])
    assert _vectors_read(launch, behind, "cache")


def _arguments(launch: Launch, name: str) -> list[int]:
    return [i for i, b in enumerate((*launch.outs, *launch.ins)) if b.name == name]


def _vectors_read(launch: Launch, text: str, name: str) -> int:
    (slot,) = _arguments(launch, name)
    return len(re.findall(rf"= \(\*\(\(half4\*\)\(+data{slot}_", text))


@pytest.mark.device
@pytest.mark.parametrize("ahead", [1, 2])
@pytest.mark.parametrize("geometry", STREAMS)
def test_early_reads_find_what_earlier_replays_have_stored(geometry: str, ahead: int) -> None:
    """On an NVIDIA GPU: replays queued one behind the other, at positions 0 to 511."""
    chip = _gpu()
    heads = {"heads": 32, "kv_heads": 8, "head_dim": 128, "rope_dim": 128}
    chain = _replays(f"ahead={ahead} {geometry}", Target(chip.device, chip), **heads)
    ratios = chain.worst(EDGES)
    assert tinygrad_cuda_graph.early_edges(chain.graph) == len(chain.launches) - 1
    assert max(ratios.values()) <= 1, ratios
    log, cache = chain.run(512)
    for rubbish in (np.nan, 0.0, 1000.0):
        again, left = chain.run(512, rubbish)
        assert np.array_equal(again, log) and np.array_equal(left, cache)


@pytest.mark.device
def test_a_late_graph_starts_nothing_early() -> None:
    """On an NVIDIA GPU: the same launches one after the other change no bit."""
    chip = _gpu()
    heads = {"heads": 32, "kv_heads": 8, "head_dim": 128, "rope_dim": 128}
    chain = _replays(f"ahead=1 {STREAMS[0]}", Target(chip.device, chip), **heads)
    log, cache = chain.run(64)
    tape = tinygrad_launches.Tape(chain.graph, chip.device)
    assert tape.starts_early
    calls = [x.call for x in tape.launches]
    for late in (False, True):
        chain.graph = tape.graph(calls, late)
        again, left = chain.run(64)
        # rows beyond the 64 hold NaN still: bits
        assert np.array_equal(again, log)
        assert np.array_equal(left.view(np.uint16), cache.view(np.uint16))
        edges = tinygrad_cuda_graph.early_edges(SimpleNamespace(captured=chain.graph.func))
        assert edges == (0 if late else len(chain.launches) - 1)


def test_a_late_graph_is_another_graph() -> None:
    """As tinygrad tells them apart: by the operation that stands for it."""
    from tinygrad import dtypes
    from tinygrad.uop.ops import Ops, UOp

    head = UOp(Ops.CUSTOM_FUNCTION, dtypes.void, (UOp(Ops.LINEAR, dtypes.void),), "graph")
    other = UOp(Ops.CUSTOM_FUNCTION, dtypes.void, (UOp(Ops.LINEAR, dtypes.void),), "hcq")
    linear = UOp(Ops.LINEAR, dtypes.void, (head.call(), other.call()))
    one, two = tinygrad_cuda_graph.late(linear).src
    assert one.src[0] is not head and one.src[0].tag == tinygrad_cuda_graph.LATE
    assert one.src[0].arg == "graph" and one.src[0].src == head.src and two is linear.src[1]


def _gpu() -> ChipFacts:
    toolchain.require_compiler("CUDA")
    try:
        chip_facts.require("CUDA")
    except NoDevice as e:
        pytest.skip(f"no CUDA device: {e}")
    facts = chip_facts.facts("CUDA")
    if not facts.get("dependent_launch"):
        pytest.skip(f"{facts.name} starts no kernel early")
    return facts
