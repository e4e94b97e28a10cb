"""Searching tinygrad's own kernels through the product: workers, store, rows, gates, run."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from boltbeam.commands import commands, plan_in_use
from boltbeam.models import decode_support, gguf_model
from boltbeam.records import record
from boltbeam.records.ledger import Layers
from boltbeam.records.ledger_check import check
from boltbeam.registry import protocols
from boltbeam.schedule import schedules as sc
from boltbeam.schedule.schedule_beam import Effort
from boltbeam.seam import tinygrad_model
from boltbeam.seam import tinygrad_schedule as ts
from boltbeam.search import machine, search_session
from boltbeam.search import schedule_search as ss
from boltbeam.search.device_work import DeviceWork
from boltbeam.token import token_gate
from boltbeam.token.schedule_install import first_use_check, install, table_key
from boltbeam.token.token_gate import Engine, TokenTimes
from boltbeam.types import BoltbeamError, ChipFacts, GateFailed, Outcome
from boltbeam.worker import Pool

CONTEXT = 32
CPU = ChipFacts(id="cpu-test-schedules", name="test", device="CPU")
QUICKEST = Effort(
    per_level=2, width=1, levels=1, cold_bytes=1 << 20, min_slice_s=0.1, min_share=0.15
)
PROMPT = [7, 300, 21]


class Shelf:
    """A memory that counts what it is asked to keep."""

    def __init__(self) -> None:
        self.kept: dict[str, dict[str, Any]] = {}

    def get(self, key: str) -> dict[str, Any] | None:
        return self.kept.get(key)

    def put(self, key: str, value: dict[str, Any]) -> None:
        self.kept[key] = json.loads(json.dumps(value))


# ---- workers that misbehave ------------------------------------------------------------------


@pytest.fixture
def broken(monkeypatch: pytest.MonkeyPatch) -> Iterator[Pool]:
    monkeypatch.setattr(ss, "EXTRA_S", 0.5)
    path = [str(Path(__file__).parent), os.environ.get("PYTHONPATH", "")]
    env = {"PYTHONPATH": os.pathsep.join(path)}
    with Pool("CPU", 1, env, jobs="schedule_jobs") as pool:
        yield pool


def request(**more: Any) -> ss.Request:
    return ss.Request(Path("m.gguf"), CPU, CONTEXT, budget_s=3.0, **more)


def quiet(*_: object) -> None:
    pass


def test_a_crash_and_a_hang_lose_nothing(broken: Pool) -> None:
    shelf = Shelf()
    found = ss.search(request(), DeviceWork(broken, CPU, shelf), quiet)
    fates = [(r.outcome.verdict, r.outcome.reason) for r in found.results]
    assert [f"{v} {why}" for v, why in fates] == [
        "faster clears-band",
        "failed crash",
        "failed timeout",
        "pruned small-share",
    ]
    assert found.table == {"a" * 12: "UPCAST:0:4"}
    assert [r.work.count for r in found.results] == [2, 2, 2, 2]

    kept = len(shelf.kept)
    device = DeviceWork(broken, CPU, shelf, resume=True)
    again = ss.search(request(), device, quiet)
    assert (device.asked, device.reused, len(shelf.kept)) == (0, kept, kept)
    assert again.table == found.table


def test_rows_summary_and_table(broken: Pool, tmp_path: Path) -> None:
    found = ss.search(request(), DeviceWork(broken, CPU, Shelf()), quiet)
    env = record.Environment.here(CPU.id)
    rows = list(ss.rows(found, env))
    said = [(r.kind, r.work.split("/")[2][:1], str(r.verdict or ""), r.geometry) for r in rows]
    assert said == [
        ("funnel", "a", "", ""),
        ("kernel", "a", "wrong", "UPCAST:0:8"),
        ("kernel", "a", "faster", "UPCAST:0:4"),
        ("funnel", "b", "", ""),
        ("kernel", "b", "failed", ""),
        ("funnel", "c", "", ""),
        ("kernel", "c", "failed", ""),
    ]
    assert rows[2].decision == "nominated" and rows[1].worst == 7.0
    Layers.find(tmp_path, tmp_path / "led", tmp_path, new=True).write(rows)
    assert check(tmp_path / "led", protocols()).problems == []

    table = ss.summary(found, rows, {rows[2].id: "earlier"})
    assert table["plan_key"] == sc.token_key(r.work for r in found.results)
    (member,) = table["members"]
    assert (member["row"], member["geometry"]) == ("earlier", "UPCAST:0:4")
    generated = {"members": [{"route": "x"}], "plan_key": "k"}
    assert commands.plan_of_search({**generated, "table": table}, False)["plan_key"] == "k"
    assert commands.plan_of_search({**generated, "table": table}, True)["members"] == [member]
    assert commands.plan_of_search({"members": [], "table": table}, False)["members"] == [member]
    with pytest.raises(BoltbeamError, match="--op ast"):
        commands.plan_of_search(generated, True)


def test_refuted_kernels_are_left_alone(broken: Pool) -> None:
    no = Outcome(verdict="pruned", reason="refuted", number=1.2)
    asked = request(refused={(sc.ROUTE, ""): no})
    found = ss.search(asked, DeviceWork(broken, CPU, Shelf()), quiet)
    assert {r.outcome.reason for r in found.results} == {"refuted"} and not found.table


def test_when_tinygrads_own_kernels_are_searched(
    tiny: Callable[..., Path], outline: Callable[..., Path]
) -> None:
    facts = gguf_model.read(tiny())
    assert not ss.wanted(facts, "quick", ()) and not ss.wanted(facts, "full", ("down",))
    assert ss.wanted(facts, "full", ()) and ss.wanted(facts, "quick", ("down", "ast"))
    renamed = {"general.architecture": "qwen3moe"}
    moe = gguf_model.read(outline("qwen3-0.6b", metadata=renamed))
    decode_support.require_runnable(moe)
    assert ss.wanted(moe, "quick", ()) and "qwen3moe" in search_session.only_schedules(moe, ())
    assert search_session.only_schedules(facts, ("ast",))
    assert not search_session.only_schedules(facts, ("ast", "down"))
    nonsense = outline("qwen3-0.6b", metadata={"general.architecture": "gemma3"})
    with pytest.raises(BoltbeamError, match="gemma3"):
        decode_support.require_runnable(gguf_model.read(nonsense))


# ---- with real kernels -----------------------------------------------------------------------


@pytest.fixture(scope="module")
def one_layer(tiny: Callable[..., Path]) -> Path:
    return tiny(layers=1)


def keys(path: Path) -> dict[str, ts.Kernel]:
    """Short key -> kernel, the biggest first."""
    kernels = ts.token_kernels(tinygrad_model.load_model(path, CONTEXT, "CPU")[0], "CPU")
    return {sc.short(k.key): k for k in sorted(kernels, key=lambda k: -k.nbytes)}


def test_worker_search_to_gated_tokens(
    one_layer: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """Searched in a worker, gated in a fresh process; what cannot be used is refused by name."""
    monkeypatch.setitem(ss.EFFORTS, "quick", QUICKEST)
    asked = ss.Request(one_layer, CPU, CONTEXT, budget_s=60.0)
    with Pool("CPU") as pool:
        found = ss.search(asked, DeviceWork(pool, CPU, Shelf()), quiet)
    searched = [r for r in found.results if r.tried]
    assert searched and all(r.proof is not None and r.proof.ok for r in searched)
    table = {sc.short(r.work.ast): r.opts for r in searched if r.measurement is not None}
    assert table
    engine = Engine(model=str(one_layer), chip=CPU, context=CONTEXT, table=table)
    results = token_gate.gate(engine, [PROMPT], 8, tmp_path)
    assert [r.against for r in results] == ["stock", "stock, on its KV cache"]
    assert all(r.ok for r in results), [r.line() for r in results]

    key = next(iter(table))
    engine = engine.model_copy(update={"table": {key: "LOCAL:0:4", "f" * 12: "UPCAST:0:4"}})
    with pytest.raises(GateFailed, match="2 of 2 schedules cannot be used"):
        token_gate.gate(engine, [PROMPT], 8, tmp_path)


def negated(ast: Any) -> Any:
    """The kernel with the sign of what it stores turned."""
    from tinygrad.uop.ops import Ops

    (store,) = (u for u in ast.toposort() if u.op is Ops.STORE)
    return ast.substitute({store: store.replace(src=(store.src[0], store.src[1] * -1))})


def test_first_use_catches_a_wrong_program_and_stock_goes_on(
    one_layer: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    key = next(iter(keys(one_layer)))
    stock = tinygrad_model.load_model(one_layer, CONTEXT, "CPU")[0].generate(list(PROMPT))
    want = [next(stock) for _ in range(5)]

    def planted(ast: Any, renderer: Any, opts: str) -> ts.Program | str:
        return ts.build(negated(ast), renderer, opts)

    facts = gguf_model.read(one_layer)
    model, _ = tinygrad_model.load_model(one_layer, CONTEXT, "CPU")
    monkeypatch.setattr(sc, "_built", planted)
    shelf = Shelf()
    files = gguf_model.files(one_layer)
    installed = install(model, facts, files, {key: ""}, CPU, shelf)
    assert not installed.active and installed.check is not None
    assert [f.name for f in installed.fallbacks] == ["schedules"]
    assert installed.check.result.verdict == "diverged", installed.check
    stream = model.generate(list(PROMPT))
    assert [next(stream) for _ in range(5)] == want
    again = install(model, facts, files, {key: ""}, CPU, shelf)
    assert not again.active and again.remembered
    tuned = tmp_path / "tuned.gguf"
    tuned.write_bytes(one_layer.read_bytes()[:-64] + bytes(64))  # the header is the same
    names = {table_key(gguf_model.fingerprint(p), {key: ""}, CPU) for p in (one_layer, tuned)}
    assert len(names) == 2


def test_first_use_passes_other_orders_of_the_same_sums(one_layer: Path) -> None:
    table = dict.fromkeys(list(keys(one_layer))[:3], "UNROLL:0:2")
    model, _ = tinygrad_model.load_model(one_layer, CONTEXT, "CPU")
    runner, result = first_use_check(model, gguf_model.read(one_layer), table, 12)
    runner.seeded.undo()
    assert result.ok and runner.seeded.used, (result.line(), runner.refused)
    assert result.logit_error is not None and result.logit_error > 0  # they did run


# ---- the commands ----------------------------------------------------------------------------


def quick_turns(
    engines: dict[str, Engine], tokens: int, starts: list[int], rounds: int
) -> tuple[TokenTimes, ...]:
    """Planted turns: on a loaded machine the gate rightly refuses so small a model."""
    ms = {"candidate": 1.6, "stock": 2.4, "incumbent": 2.4}
    turns = [1.0, 1.01, 0.99, 1.0, 1.01, 0.99]
    seconds = {name: tuple(ms[name] * 1e-3 * t for t in turns) for name in engines}
    return tuple(TokenTimes(tokens=tokens, start=start, seconds=seconds) for start in starts)


@pytest.mark.slow
def test_search_promote_run(
    one_layer: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Any
) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    monkeypatch.setitem(ss.EFFORTS, "quick", QUICKEST)
    monkeypatch.setattr(token_gate, "timing", quick_turns)
    led = tmp_path / "led"
    asked = search_session.Options(one_layer, "cpu", context=128, ops=("ast",), budget_s=60.0)
    commands.search(asked, led, False, "md")
    out, err = capsys.readouterr()
    assert "schedule_opts" in out and "faster with other Opts" in err
    commands.promote("cpu", True, "passed all gates", led, "md", synthetic=True)
    layers = Layers.find(ledger_dir=led)
    chip = machine.local_chip("CPU")
    (plan,) = [d for d in layers.decisions(chip=chip.id) if d.kind == "plan"]
    assert plan.contexts == (128,) and sc.table_of(plan.members)
    assert check(led, protocols()).problems == []
    assert plan_in_use.largest_here(one_layer, gguf_model.read(one_layer), chip, layers) == 128
    said = {}
    for words in ((), ("--stock", "--context", "128")):
        command = ["run", "--model", str(one_layer), "Hello", "-n", "8", "--format", "json", *words]
        command = [sys.executable, "-m", "boltbeam.cli", *command, "--ledger", str(led)]
        done = subprocess.run(command, capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
        assert "first use" not in done.stderr  # the gates were it
        said[words[:1]] = json.loads(done.stdout.splitlines()[-1])
    mine, stock = said[()], said[("--stock",)]
    assert mine["generated_ids"] == stock["generated_ids"]
    assert (mine["engine"], mine["plan"], mine["fell_back"]) == ("promoted", plan.id, [])
    assert (stock["engine"], stock["plan"]) == ("stock", None)
