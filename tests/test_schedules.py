"""The scheduler route: listing, Opts, proof, search and seeding of tinygrad's own kernels."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from schedule_jobs import search_token

from boltbeam import registry
from boltbeam.models import synth
from boltbeam.schedule import schedule_beam as beam
from boltbeam.schedule import schedules as sc
from boltbeam.schedule.private_buffers import POISON, Arena, content
from boltbeam.schedule.schedule_proof import Oracle
from boltbeam.seam import tinygrad_schedule as ts
from boltbeam.seam.tinygrad_adapter import supply_missing_llm_module
from boltbeam.types import BoltbeamError, ChipFacts, Outcome, Verdict

supply_missing_llm_module()
CONTEXT = 32
PATIENCE_S = 600
"""A search in a process of its own may take so long on a loaded machine."""
CPU = ChipFacts(id="cpu-test-schedules", name="test", device="CPU")
QUICKEST = beam.Effort(per_level=2, width=1, levels=1, cold_bytes=1 << 20, min_slice_s=0.1)


def load(path: Path) -> Any:
    from tinygrad.llm.model import Transformer

    return Transformer.from_gguf(path, max_context=CONTEXT)[0]


@pytest.fixture(scope="module")
def listed(tiny: Callable[..., Path]) -> tuple[ts.Kernel, ...]:
    return ts.token_kernels(load(tiny()), "CPU")


@pytest.fixture(scope="module")
def gemv(listed: tuple[ts.Kernel, ...]) -> ts.Kernel:
    """The kernel with the most bytes: a packed matrix times a vector."""
    return max(listed, key=lambda k: k.nbytes)


@pytest.fixture(scope="module")
def renderer() -> Any:
    return ts.renderer_of("CPU")


def built(kernel: ts.Kernel, opts: str | None) -> ts.Program:
    program = ts.build(kernel.ast, ts.renderer_of("CPU"), opts)
    assert isinstance(program, ts.Program), program
    return program


def oracle(kernel: ts.Kernel) -> Oracle:
    return Oracle(kernel, built(kernel, ""), ts.renderer_of("CPU"), Arena(kernel, "CPU"), 0)


# ---- text of Opts ----------------------------------------------------------------------------

WORDS = st.one_of(
    st.builds(
        "{}:{}:{}".format,
        st.sampled_from(["UPCAST", "UNROLL", "LOCAL", "THREAD", "GROUP", "GROUPTOP", "SWAP"]),
        st.integers(0, 7),
        st.integers(0, 64),
    ),
    st.just("NOLOCALS"),
    st.builds("TC:{}:{},{},{}".format, st.integers(0, 8), st.integers(-1, 3), *[st.just(1)] * 2),
)


@given(st.lists(WORDS, max_size=6).map(" ".join))
def test_opts_round_trip(text: str) -> None:
    assert ts.opts_text(ts.parse_opts(text)) == text


@given(st.text(alphabet="UPCASTLO:0123,- x\u0661", min_size=1).filter(str.strip))
def test_hostile_opts_are_one_clear_error(text: str) -> None:
    try:
        opts = ts.parse_opts(text)
    except BoltbeamError as e:
        assert "\n" not in str(e)
    else:
        assert ts.opts_text(opts) == " ".join(text.split())


# ---- listing ---------------------------------------------------------------------------------


def test_listing_runs_nothing(tiny: Callable[..., Path]) -> None:
    from tinygrad.helpers import GlobalCounters

    model = load(tiny())
    before = GlobalCounters.kernel_count
    kernels = ts.token_kernels(model, "CPU")
    assert GlobalCounters.kernel_count == before
    from tinygrad.llm.model import precompute_freqs_cis

    assert precompute_freqs_cis.cache_info().currsize == 0  # the next model must compute its own
    assert len({k.key for k in kernels}) == len(kernels) > 10
    assert any(content(b) is None for k in kernels for b in k.buffers)


def test_counting_equal_blocks_once_gives_the_whole_token(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Three blocks of two kinds: with Q4_K_M some layers hold other formats than the rest."""
    deep = replace(synth.MODELS["tiny-llama"], layers=3, mix="Q4_K_M")
    monkeypatch.setitem(synth.MODELS, "tiny-deep", deep)
    path = synth.synth("tiny-deep", tmp_path / "deep.gguf")
    model = load(path)
    assert len({ts._make(b) for b in model.blk}) == 2
    counted = {k.key: k.count for k in ts.token_kernels(model, "CPU")}
    model = load(path)
    ts._listing(model, "CPU", model.blk)
    whole = ts._listing(model, "CPU", model.blk)
    renderer = ts.renderer_of("CPU")
    assert counted == {ts.stable_key(ast, renderer): n for ast, (_, n) in whole.items()}


LIST = """
import sys
from boltbeam.seam.tinygrad_adapter import supply_missing_llm_module
supply_missing_llm_module()
from tinygrad.llm.model import Transformer
from boltbeam.seam import tinygrad_schedule as ts
model, _ = Transformer.from_gguf(sys.argv[1], max_context=int(sys.argv[2]))
print(*sorted(k.key for k in ts.token_kernels(model, "CPU")))
"""


def test_keys_are_stable_between_processes(
    tiny: Callable[..., Path], listed: tuple[ts.Kernel, ...]
) -> None:
    command = [sys.executable, "-c", LIST, str(tiny()), str(CONTEXT)]
    env = {**os.environ, "PYTHONHASHSEED": "123"}
    out = subprocess.run(command, env=env, capture_output=True, text=True, check=True)
    assert out.stdout.split() == sorted(k.key for k in listed)


def test_key_leaves_out_the_extensions(gemv: ts.Kernel, renderer: Any) -> None:
    class Other:
        def __init__(self, arch: str) -> None:
            self.target = replace(renderer.target, arch=arch)

    keys = [ts.stable_key(gemv.ast, Other(a)) for a in ("sm_90", "sm_90,x,y", "sm_80")]
    assert keys[0] == keys[1] != keys[2]
    cl = {ts.stable_key(gemv.ast, Other(a)) for a in ("cl_khr_fp16,cl_b", "cl_khr_fp64")}
    assert len(cl) == 1


def test_work_item_names_kernel_and_context(gemv: ts.Kernel) -> None:
    work = beam.work_item(gemv, CONTEXT)
    assert work.key == f"decode/ast/{gemv.key[:12]}/c{CONTEXT}"
    assert (work.count, work.bytes) == (gemv.count, gemv.nbytes)


# ---- legality and prediction -----------------------------------------------------------------


def test_actions_are_legal_and_replayable(gemv: ts.Kernel, renderer: Any) -> None:
    start = ts.unscheduled(gemv.ast, renderer)
    children = list(start.actions())
    assert children
    for child in children:
        replayed = ts.apply(start, child.opts)
        assert replayed is not None and replayed.dims == child.dims
        assert child.opts.split(":")[0] not in ("LOCAL", "GROUP", "GROUPTOP")  # CPU has no locals
    assert ts.apply(start, "LOCAL:0:2") is None
    assert ts.apply(start, "UPCAST:0:7919") is None


def test_illegal_opts_do_not_build(gemv: ts.Kernel, renderer: Any) -> None:
    program = ts.build(gemv.ast, renderer, "LOCAL:0:2")
    assert isinstance(program, str) and program.startswith("illegal")


def test_prediction_ranks_independent_sums_and_spills() -> None:
    def cost(**loops: int) -> float:
        schedule = ts.Schedule("", tuple(loops.items()), None)
        return beam.predict(schedule, CPU, beam.Effort())

    plain = cost(weak=1536, reduce=576)
    assert cost(weak=384, upcast=4, reduce=576) < plain / 3
    assert cost(weak=96, upcast=16, reduce=576) < cost(weak=384, upcast=4, reduce=576)
    assert cost(weak=24, upcast=64, reduce=576) > cost(weak=96, upcast=16, reduce=576)
    assert cost(weak=1536, reduce=144, unroll=4) < plain


# ---- proof -----------------------------------------------------------------------------------


def test_default_of_every_kernel_is_proved(listed: tuple[ts.Kernel, ...]) -> None:
    for kernel in listed[:8]:
        check = oracle(kernel)
        assert check.usable
        proof = check.prove(built(kernel, None))
        assert proof.ok, (proof, kernel)


def vector_load_kernel() -> ts.Kernel:
    """A kernel whose explicit vector loads tinygrad widens wrongly under UPCAST."""
    from tinygrad import Tensor, UOp
    from tinygrad.engine.realize import capturing
    from tinygrad.uop.ops import AxisType, KernelInfo, Ops

    def build(out: Any, x: Any, w: Any) -> Any:
        row, step = UOp.range(16, 0, AxisType.WEAK), UOp.range(8, 1, AxisType.REDUCE)
        four = UOp.const(4)
        a = UOp(Ops.SHRINK, src=(x, step * 4, four)).load()
        b = UOp(Ops.SHRINK, src=(w, row * 32 + step * 4, four)).load()
        p = [(a * b).index(UOp.const(i)) for i in range(4)]
        total = (p[0] + p[1] + p[2] + p[3]).reduce(step, arg=Ops.ADD)
        return out[row].store(total).end(row).sink(arg=KernelInfo(name="vectors"))

    tensors = [Tensor(np.ones(n, dtype=np.float32)).realize() for n in (16, 32, 512)]
    listener = ts._Listener()
    capturing.append(listener)
    try:
        Tensor.custom_kernel(*tensors, fxn=build)[0].realize()
    finally:
        capturing.clear()
    ((ast, (call, n)),) = ts._distinct(listener.calls).items()
    return ts._kernel(ast, n, call, ts.renderer_of("CPU"))


def test_opts_that_give_wrong_numbers_are_caught() -> None:
    kernel = vector_load_kernel()
    kernel = replace(kernel, buffers=())  # random inputs, not the ones above
    check = oracle(kernel)
    assert check.prove(built(kernel, "THREAD:0:2")).ok
    for opts in ("UPCAST:0:2", "UPCAST:0:4", "UPCAST:0:0"):
        proof = check.prove(built(kernel, opts))
        assert (proof.ok, proof.reason) == (False, "error-bound")
        assert proof.worst is not None and proof.worst > 1


def test_search_reports_wrong_opts_and_never_times_them() -> None:
    kernel = replace(vector_load_kernel(), buffers=())
    renderer = ts.renderer_of("CPU")
    default = beam.Default(built(kernel, ""), 1.0)
    state = beam._prepare(kernel, CPU, default, 0, QUICKEST)
    assert isinstance(state, beam._Beam)
    start = ts.unscheduled(kernel.ast, renderer)
    bad = ts.apply(start, "UPCAST:0:4")
    assert bad is not None
    state.attempt(bad, built(kernel, bad.opts))
    (tried,) = state.tried
    assert tried.outcome is not None and tried.us is None and not state.timed
    assert (tried.outcome.verdict, tried.outcome.reason) == (Verdict.wrong, "error-bound")


def other(kernel: ts.Kernel, change: Callable[[Any], Any]) -> ts.Program:
    """A program that pretends to be a schedule of `kernel` but computes something else."""
    program = ts.build(change(kernel.ast), ts.renderer_of("CPU"), "")
    assert isinstance(program, ts.Program), program
    return program


def test_unwritten_stray_and_overrunning_stores_are_caught(gemv: ts.Kernel) -> None:
    from tinygrad.uop.ops import Ops

    def rows(ast: Any, delta: int) -> Any:
        (end,) = (u for u in ast.toposort() if u.op is Ops.END)
        row = next(u for u in end.src[1:] if u.op is Ops.RANGE)
        return ast.substitute({row: row.replace(src=(row.src[0] + delta,))})

    check = oracle(gemv)
    short = check.prove(other(gemv, lambda ast: rows(ast, -1)))
    assert (short.ok, short.reason) == (False, "unwritten")
    long = check.prove(other(gemv, lambda ast: rows(ast, 1)))
    assert (long.ok, long.reason) == (False, "guard")


def test_one_wrong_weight_in_a_row_is_caught(gemv: ts.Kernel) -> None:
    check = oracle(gemv)
    slot = next(i for i in check.inputs if check.arena.dtypes[i] == "unsigned char")
    kept = check.inputs[slot].copy()
    changed = kept.copy()
    changed[len(changed) // 2] ^= 0x0F
    check.arena.write(slot, changed)
    assert check.prove(built(gemv, "")).reason in ("error-bound", "input-changed")
    check.arena.write(slot, kept)
    assert check.prove(built(gemv, "")).ok


def test_buffers_of_the_token_are_not_touched(gemv: ts.Kernel) -> None:
    before = [content(b) for b in gemv.buffers]
    check = oracle(gemv)
    assert check.prove(built(gemv, None)).ok
    for old, buffer in zip(before, gemv.buffers, strict=True):
        new = content(buffer)
        assert (old is None) == (new is None)
        assert old is None or new is None or np.array_equal(old, new)


def test_guard_and_poison_of_an_arena(gemv: ts.Kernel) -> None:
    arena = Arena(gemv, "CPU", 2)
    arena.write(0, np.zeros(arena.nbytes[0], dtype=np.uint8))
    raw = arena.read(0)
    assert (raw[arena.nbytes[0] :] == POISON).all() and not raw[: arena.nbytes[0]].any()


# ---- search and seeding ----------------------------------------------------------------------


def test_search_of_one_kernel_gives_a_funnel_with_numbers(gemv: ts.Kernel) -> None:
    result = beam.search_kernel(gemv, CPU, CONTEXT, 3.0, effort=QUICKEST)
    assert result.funnel.timed >= 1
    assert result.funnel.legal == len(result.tried)
    assert result.proof is not None and result.proof.ok
    assert result.default and result.default_us
    for tried in result.tried:
        if tried.outcome is not None and tried.outcome.verdict is Verdict.pruned:
            assert tried.outcome.reason in ("same-source", "budget") or tried.outcome.number
    if result.measurement is not None:
        protocol = registry.protocols()[result.measurement.protocol]
        assert len(result.measurement.ratios) >= protocol.blocks_min


def test_only_decided_faster_enters_the_table(
    listed: tuple[ts.Kernel, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    verdicts = iter([Verdict.ambiguous, Verdict.faster])
    monkeypatch.setattr(
        beam.decide, "decide", lambda *_: Outcome(verdict=next(verdicts), reason="planted")
    )
    monkeypatch.setattr(beam.decide, "enough", lambda *_, **__: "planted")
    two = sorted(listed, key=lambda k: -k.nbytes)[:2]
    found = search_token(two, CPU, CONTEXT, 10.0, QUICKEST)
    compared = [r for r in found.results if r.measurement is not None]
    assert [sc.short(r.work.ast) for r in compared[1:]] == list(found.table)


def test_seed_is_used_and_strangers_are_listed(gemv: ts.Kernel, renderer: Any) -> None:
    from tinygrad.codegen import to_program

    key, stranger = sc.short(gemv.key), "f" * 12
    report = sc.seed({key: "UNROLL:0:2", stranger: "UPCAST:0:4"}, [(gemv.key, gemv.ast)], renderer)
    try:
        assert report.used == [key]
        assert list(report.refused) == [stranger] and "no kernel" in report.refused[stranger]
        assert ts.opts_text(to_program(gemv.ast, renderer).src[0].arg.applied_opts) == "UNROLL:0:2"
    finally:
        report.undo()
    assert ts.opts_text(to_program(gemv.ast, renderer).src[0].arg.applied_opts) != "UNROLL:0:2"


@pytest.mark.parametrize(
    ("opts", "why"), [("LOCAL:0:4", "illegal"), ("UPCAST", "TypeError"), ("NONSENSE:1", "opts: ")]
)
def test_seed_refuses_opts_that_do_not_apply(
    gemv: ts.Kernel, renderer: Any, opts: str, why: str
) -> None:
    key = sc.short(gemv.key)
    report = sc.seed({key: opts}, [(gemv.key, gemv.ast)], renderer)
    assert not report.used and report.refused[key].startswith(why), report.refused


def tokens(model: Any, n: int) -> list[int]:
    """Greedy tokens through rollout_jit alone: run once, captured once, then replayed."""
    from tinygrad import Tensor, UOp

    start, cold = UOp.variable("start_pos", 0, CONTEXT - 1), Tensor([0.0])
    out, ids = Tensor([[1]], dtype="int32"), []
    for i in range(n):
        out = model(out, start.bind(i), cold).realize()
        ids.append(int(out.item()))
    return ids


@pytest.mark.slow
def test_stock_runner_takes_the_table_and_says_the_same(
    tiny: Callable[..., Path], listed: tuple[ts.Kernel, ...], renderer: Any
) -> None:
    stock = tokens(load(tiny()), 6)
    table = {sc.short(k.key): "" for k in listed} | {"0" * 12: ""}
    model = load(tiny())
    report = sc.attach(model, table)
    try:
        assert tokens(model, 6) == stock
        assert sorted(report.used) == sorted(sc.short(k.key) for k in listed)
        assert list(report.refused) == ["0" * 12]
    finally:
        for kernel in listed:
            ts.unseed(kernel.ast, renderer)


SEARCH = """
import json, sys, time
from boltbeam.seam.tinygrad_adapter import supply_missing_llm_module
supply_missing_llm_module()
from tinygrad.llm.model import Transformer
from schedule_jobs import search_token
from boltbeam.schedule import schedules as sc
from boltbeam.seam import tinygrad_schedule as ts
from boltbeam.types import ChipFacts

path, device, context, budget, n, rounds = sys.argv[1], sys.argv[2], *map(int, sys.argv[3:])
load = lambda: Transformer.from_gguf(path, max_context=context)[0]

def generate(model, n):
    model._cached_tokens, stream, ids, took = [], model.generate([1, 5, 9]), [], []
    for _ in range(n):
        begin = time.perf_counter()
        ids.append(next(stream))
        took.append(time.perf_counter() - begin)
    stream.close()
    return ids, sorted(took[2:])[len(took[2:]) // 2]

stock = load()
want, _ = generate(stock, n)
chip = ChipFacts(id=f"{device.lower()}-test-schedules", name="test", device=device)
found = search_token(ts.token_kernels(load(), device), chip, context, budget)
fast = load()
report = sc.attach(fast, found.table)
got, _ = generate(fast, n)
ratios = []
for _ in range(rounds):
    a, b, c, d = (generate(m, 6)[1] for m in (stock, fast, fast, stock))
    ratios.append((a + d) / (b + c))
print(json.dumps({"same": got == want, "used": len(report.used), "refused": report.refused,
                  "table": found.table, "seconds": found.seconds,
                  "ratio": sorted(ratios)[rounds // 2] if ratios else None}))
"""


def searched(path: Path, device: str, *numbers: int) -> dict[str, Any]:
    """Search and use a table in a process of its own, where `device` is tinygrad's default.

    `numbers`: context, seconds of search, tokens to compare, rounds of stock against searched.
    """
    args = [str(path), device, *map(str, numbers)]
    paths = os.pathsep.join(p for p in sys.path if p)
    half = "0" if device == "CL" else "1"
    env = {**os.environ, "DEV": device, "HALF": half, "PYTHONPATH": paths}
    command = [sys.executable, "-c", SEARCH, *args]
    out = subprocess.run(command, env=env, capture_output=True, text=True, timeout=PATIENCE_S)
    assert out.returncode == 0, out.stderr[-2000:]
    result: dict[str, Any] = json.loads(out.stdout.splitlines()[-1])
    return result


@pytest.mark.cl
@pytest.mark.slow
def test_route_works_with_workgroups(tiny: Callable[..., Path]) -> None:
    result = searched(tiny(layers=1), "CL", CONTEXT, 4, 4, 0)
    assert result["same"] and result["used"] == len(result["table"]) and not result["refused"]


@pytest.mark.model
@pytest.mark.slow
def test_smollm2_is_faster_and_says_the_same(smollm2: Path) -> None:
    result = searched(smollm2, "CPU", 512, 24, 12, 3)
    assert result["same"] and result["used"] == len(result["table"]) >= 2
    assert result["ratio"] > 1.3, result
