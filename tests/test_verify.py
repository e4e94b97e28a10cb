"""Every way in which a planted kernel is wrong must come out with its own reason code."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from kernel_cases import TARGET, work_item

from boltbeam import emit, registry
from boltbeam.emit.core import Buf, Launch
from boltbeam.proof import guarded, verify
from boltbeam.proof.oracle import Cases
from boltbeam.seam import tinygrad_graph
from boltbeam.types import Geometry, Proof

N, M = 960, 32
OUT, W, X = Buf("qkv", N, "f32"), Buf("w.attn_q", N, "f32"), Buf("xn.f32", M, "f32")
POS = Buf("pos", 1, "i32")
SCRATCH = Buf("t.partial", N, "f32")


def kernel(store: Callable[..., Any], n: int = N, device: str = "CPU") -> Callable[..., Any]:
    """One store per element: a LOOP on CPU, a workgroup each elsewhere."""

    def build(*bufs: Any) -> Any:
        from tinygrad.uop.ops import AxisType, KernelInfo, UOp

        info = KernelInfo("planted", opts_to_apply=())
        if device == "CPU":
            i = UOp.range(n, 0, AxisType.LOOP)
            return UOp.group(store(i, *bufs)).end(i).sink(arg=info)
        return UOp.group(store(UOp.special(n, "gidx0"), *bufs)).sink(arg=info, tag=1)

    return build


def right(i: Any, o: Any, w: Any, x: Any) -> Any:
    return o[i].store(w[i].load() * x[i % M].load())


def inputs(case: int) -> verify.Arrays:
    rng = np.random.default_rng(case)
    return {
        "w.attn_q": rng.standard_normal(N, dtype=np.float32),
        "xn.f32": rng.standard_normal(M, dtype=np.float32),
    }


def reference(arrays: verify.Arrays) -> tuple[verify.Arrays, verify.Arrays]:
    w, x = (arrays[k].astype(np.float64) for k in ("w.attn_q", "xn.f32"))
    y = w * np.resize(x, w.size)
    return {"qkv": y}, {"qkv": np.abs(y)}


def prove(
    store: Callable[..., Any],
    outs: tuple[Buf, ...] = (OUT,),
    ins: tuple[Buf, ...] = (W, X),
    device: str = "CPU",
    n: int = N,
) -> Proof:
    launch = Launch("planted", outs, ins, kernel(store, n, device))
    return verify.prove_launches((launch,), inputs, reference, device, 1e-5)


@pytest.fixture(params=["CPU", pytest.param("CL", marks=pytest.mark.cl)])
def device(request: pytest.FixtureRequest) -> str:
    return str(request.param)


def test_a_right_kernel_passes(device: str) -> None:
    proof = prove(right, device=device)
    assert proof.ok and proof.reason == "ok"
    assert proof.worst is not None and 0 <= proof.worst <= 1
    assert proof.checks == (
        "repeat",
        "poison",
        "bands",
        "numeric",
        "inputs",
        "fresh-inputs",
        "replay",
    )
    assert len(proof.source_hash) == 16 and len(proof.emitter_hash) == 16


def test_unwritten_element(device: str) -> None:
    proof = prove(right, device=device, n=N - 1)
    assert (proof.reason, proof.where) == ("unwritten", f"qkv[{N - 1}]")


def test_write_out_of_bounds(device: str) -> None:
    proof = prove(right, device=device, n=N + 1)
    assert (proof.reason, proof.where) == ("guard", f"qkv[{N}]")


def test_write_before_the_start(device: str) -> None:
    def store(i: Any, o: Any, w: Any, x: Any) -> Any:
        y = w[i].load() * x[i % M].load()
        return o[i].store(y), o[i * 0 - 1].store(y)

    assert prove(lambda *a: store(*a)[1], device=device).reason == "guard"


def test_read_out_of_bounds(device: str) -> None:
    def store(i: Any, o: Any, w: Any, x: Any) -> Any:
        beyond = w[i + 1].load()
        y = w[i].load() * x[i % M].load()
        return o[i].store(y * beyond.ne(0.0).where(1.0, 1.000002))

    assert prove(store, device=device).reason == "out-of-bounds-read"


def test_ignored_input(device: str) -> None:
    """Right for the first inputs to within the tolerance, but blind to one of them."""
    first = inputs(0)["xn.f32"]

    def frozen(case: int) -> verify.Arrays:
        return {**inputs(case), "xn.f32": np.ones(M, np.float32) * (1 + case)}

    def store(i: Any, o: Any, w: Any, x: Any) -> Any:
        return o[i].store(w[i].load() + x[i % M].load() * 0.0)

    launch = Launch("planted", (OUT,), (W, X), kernel(store, N, device))
    proof = verify.prove_launches((launch,), frozen, reference, device, 1e-5)
    assert (proof.reason, proof.where) == ("ignored-input", "xn.f32")
    assert first.size == M


@pytest.mark.parametrize("block", [0, 777_777, 999_999])
def test_one_wrong_block_in_a_million(block: int) -> None:
    n = 1_000_000

    def store(i: Any, o: Any, w: Any, x: Any) -> Any:
        wrong = i.eq(block).where(1.0001, 1.0)
        return o[i].store(w[i].load() * x[i % M].load() * wrong)

    def many(case: int) -> verify.Arrays:
        rng = np.random.default_rng(case)
        return {
            "w.attn_q": rng.standard_normal(n, dtype=np.float32),
            "xn.f32": rng.standard_normal(M, dtype=np.float32),
        }

    launch = Launch(
        "planted", (Buf("qkv", n, "f32"),), (Buf("w.attn_q", n, "f32"), X), kernel(store, n)
    )
    proof = verify.prove_launches((launch,), many, reference, "CPU", 1e-5)
    assert (proof.reason, proof.where) == ("error-bound", f"qkv[{block}]")
    assert proof.worst is not None and proof.worst > 1


def test_stale_output(device: str) -> None:
    """Computes with what the output happened to hold, too little for the tolerance to see."""

    def store(i: Any, o: Any, w: Any, x: Any) -> Any:
        old, y = o[i].load(), w[i].load() * x[i % M].load()
        return o[i].store(y * (old > 1.0).where(1.000002, 1.0))

    assert prove(store, device=device).reason == "stale-output"


def test_depends_on_old_scratch() -> None:
    def store(i: Any, o: Any, t: Any, w: Any, x: Any) -> Any:
        old, y = t[i].load(), w[i].load() * x[i % M].load()
        first = o[i].store(y * (old > 1.0).where(1.000002, 1.0))
        return t.after(first)[i].store(old)

    proof = prove(store, outs=(OUT, SCRATCH))
    assert proof.reason == "stale-output"


def test_wrong_number_is_an_error_bound(device: str) -> None:
    proof = prove(
        lambda i, o, w, x: o[i].store(w[i].load() * x[i % M].load() * 1.00005), device=device
    )
    assert proof.reason == "error-bound" and proof.worst is not None and 1 < proof.worst < 10


def test_nan_is_named() -> None:
    def store(i: Any, o: Any, w: Any, x: Any) -> Any:
        y = w[i].load() * x[i % M].load()
        return o[i].store(i.eq(17).where(float("nan"), y))

    assert (proof := prove(store)).reason == "nan" and proof.where == "qkv[17]"


def test_writing_an_input_is_caught() -> None:
    def store(i: Any, o: Any, w: Any, x: Any) -> Any:
        first = o[i].store(w[i].load() * x[i % M].load())
        return w.after(first)[i].store(0.5)

    assert prove(store).reason in ("input-changed", "nondeterministic")


@pytest.mark.parametrize("at", [0, 255, 256, 900, N - 1])
def test_a_large_input_is_compared_whole(at: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """It is moved and compared in pieces; what a kernel writes is found in any of them."""
    monkeypatch.setattr(guarded, "LARGE_BYTES", 4 * N)
    monkeypatch.setattr(verify, "LARGE_BYTES", 4 * N)
    monkeypatch.setattr(guarded, "PIECE", 1024)
    assert prove(right).ok

    def store(i: Any, o: Any, w: Any, x: Any) -> Any:
        first = o[i].store(w[i].load() * x[i % M].load())
        return w.after(first)[i].store(i.eq(at).where(w[i].load() + 1, w[i].load()))

    found = prove(store)
    assert (found.reason, found.where) == ("input-changed", f"w.attn_q[{at}]")

    def beyond(i: Any, o: Any, w: Any, x: Any) -> Any:
        first = o[i].store(w[i].load() * x[i % M].load())
        return w.after(first)[i * 0 + N].store(0.5)

    assert (found := prove(beyond)).reason == "guard" and found.where == f"w.attn_q[{N}]"


@pytest.mark.parametrize("at", [0, 1, (1 << 20) - 1, 1 << 20, (5 << 19) - 1, None])
def test_the_first_byte_that_differs(at: int | None) -> None:
    a = np.random.default_rng(0).integers(0, 256, 5 << 19, dtype=np.uint8)
    b = a.copy()
    if at is not None:
        b[at] ^= 1
        b[-1] ^= 2
    assert guarded.first_difference(a, b) == at
    with pytest.raises(ValueError, match="compared"):
        guarded.first_difference(a[:-1], b)


@pytest.mark.cl
def test_race_between_workgroups() -> None:
    """All workgroups add into one element: updates get lost, other ones each time."""

    def add(g: Any, o: Any, w: Any, x: Any) -> Any:
        return o[g * 0].store(o[g * 0].load() + w[g % N].load() * x[g % M].load())

    zero = kernel(lambda i, o, w, x: o[i].store(w[i].load() * x[i % M].load() * 0.0), N, "CL")
    launches = (
        Launch("zero", (OUT,), (W, X), zero),
        Launch("add", (OUT,), (W, X), kernel(add, 1 << 21, "CL")),
    )
    reasons = set()
    for _ in range(5):  # a busy host may run all workgroups on one thread: wrong, but stable
        reasons.add(verify.prove_launches(launches, inputs, reference, "CL", 1e-5).reason)
        if "nondeterministic" in reasons:
            break
    assert "nondeterministic" in reasons and "ok" not in reasons


def test_cached_result_under_replay(monkeypatch: pytest.MonkeyPatch) -> None:
    """A graph that replays nothing leaves the poison standing."""

    monkeypatch.setattr(tinygrad_graph.Recording, "graph", lambda _self, _swaps: lambda: None)
    assert prove(right).reason == "replay"


def test_an_output_without_reference_fails_closed() -> None:
    launch = Launch("planted", (Buf("q", N, "f32"),), (W, X), kernel(right))
    proof = verify.prove_launches((launch,), inputs, reference, "CPU", 1e-5)
    assert (proof.reason, proof.where) == ("no-reference", "q")


def test_a_kernel_that_does_not_compile() -> None:
    def store(i: Any, o: Any, w: Any, x: Any) -> Any:
        raise ValueError("no such lane")

    proof = prove(store)
    assert (proof.ok, proof.reason) == (False, "compile-error") and "no such lane" in proof.where


def test_unused_argument_is_refused() -> None:
    proof = prove(lambda i, o, w, x: o[i].store(w[i].load()))
    assert proof.reason == "compile-error" and "xn.f32" in proof.where


def test_residual_in_place_is_restored_between_runs() -> None:
    x = Buf("x", N, "f32")

    def store(i: Any, o: Any, w: Any) -> Any:
        return o[i].store(o[i].load() + w[i].load())

    def given(case: int) -> verify.Arrays:
        rng = np.random.default_rng(case)
        return {n: rng.standard_normal(N, dtype=np.float32) for n in ("x", "w.attn_output")}

    def total(a: verify.Arrays) -> tuple[verify.Arrays, verify.Arrays]:
        y = a["x"].astype(np.float64) + a["w.attn_output"]
        return {"x": y}, {"x": np.abs(a["x"]) + np.abs(a["w.attn_output"])}

    launch = Launch("residual", (x,), (Buf("w.attn_output", N, "f32"),), kernel(store))
    assert verify.prove_launches((launch,), given, total, "CPU", 1e-5).ok


def test_chain_of_launches_reads_what_the_first_wrote(device: str) -> None:
    first = Launch("first", (SCRATCH,), (W, X), kernel(right, N, device))
    second = Launch(
        "second",
        (OUT,),
        (SCRATCH,),
        kernel(lambda i, o, t: o[i].store(t[i].load() * 1.0 + 0.0), N, device),
    )
    assert verify.prove_launches((first, second), inputs, reference, device, 1e-5).ok
    blind = verify.prove_launches((second, first), inputs, reference, device, 1e-5)
    assert blind.reason == "compile-error" and "t.partial" in blind.where


def test_positions_of_the_cases_cover_the_whole_context() -> None:
    cases = Cases.of(work_item("attention"), registry.route("attention_rows_f32"), (POS,), 0)
    last = cases.work.context - 1
    found = [int(cases.inputs(c)["pos"][0]) for c in (0, 1, *cases.extra)]
    assert {0, last // 2, last} <= set(found) and 0 < found[1] < last
    free = Cases.of(work_item("down"), registry.route("gemv_rows_f32"), (X,), 0)
    assert free.extra == ()


def test_wrong_only_in_the_middle_of_the_context() -> None:
    """Right at the last position and at a low one: only a case of its own sees it."""

    def store(i: Any, o: Any, w: Any, x: Any, pos: Any) -> Any:
        p = pos[0].load()
        middle = (p > 100) & (p < 400)
        y = w[i].load() * x[i % M].load()
        return o[i].store(middle.where(y + 1, y))

    def at(case: int) -> verify.Arrays:
        position = {0: 511, 1: 7, 2: 0, 3: 255}[case]
        return inputs(case) | {"pos": np.array([position], np.int32)}

    def loose(arrays: verify.Arrays) -> tuple[verify.Arrays, verify.Arrays]:
        return reference(arrays)

    launch = Launch("planted", (OUT,), (W, X, POS), kernel(store))
    proof = verify.prove_launches((launch,), at, loose, "CPU", 1e-5, (2, 3))
    assert (proof.ok, proof.reason) == (False, "error-bound")


@pytest.mark.parametrize("format", ["Q4_K", "Q6_K", "Q4_1", "Q8_0"])
def test_cases_of_a_layer_stay_numbers(format: str) -> None:
    """Tables at their edges give keys and values that the cache's 16-bit floats can hold."""
    work = work_item("norm+qkv+rope_store+attention+o", format)
    launches = emit.launches(work, registry.route("chain_rows"), Geometry.of(), TARGET)
    inputs, _ = verify.external(launches)
    names = {b.name for b in inputs} | verify.state_names(work, launches)
    bufs = {b.name: b for x in launches for b in (*x.outs, *x.ins)}
    cases = Cases.of(work, registry.route("chain_rows"), tuple(bufs[n] for n in sorted(names)), 0)
    for case in (0, 1, *cases.extra):
        values, sizes = cases.reference(cases.inputs(case))
        assert all(np.isfinite(v).all() for v in (*values.values(), *sizes.values())), case
