"""The main job on OpenCL: search a tiny model, pass the gates, generate stock's own tokens.

Stock is not exact on a CL device without halves, so stock on the CPU is the judge throughout.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from decode_cases import CL, CONTEXT, PROMPT, whole_token

from boltbeam import registry
from boltbeam.commands import plan_in_use
from boltbeam.models import gguf_model
from boltbeam.records import decisions, record
from boltbeam.records.ledger import Layers, sealed
from boltbeam.records.store import Store
from boltbeam.seam import tinygrad_model
from boltbeam.search import search_session
from boltbeam.search.search_session import Memory, Options, request_for
from boltbeam.token import install, promotion
from boltbeam.types import BoltbeamError, ChipFacts, Outcome, Verdict

Tiny = Callable[..., Path]


@pytest.fixture
def layers(tmp_path: Path) -> Layers:
    return Layers.find(ledger_dir=tmp_path / "ledger", new=True)


@pytest.mark.cl
@pytest.mark.slow
def test_search_promote_run(
    tiny: Tiny, tmp_path: Path, layers: Layers, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(promotion, "TIMED_TOKENS", 6)
    path = tiny("tiny-llama")
    with Store.open(tmp_path / "store.db") as store:
        options = Options(model=path, chip="cl", context=128, budget_s=5, jobs=2)
        session = search_session.run(options, layers, store, lambda *_: None)
        assert session.found.choice is not None and session.file is not None
        assert {r.numerics for r in session.rows if r.kind == "kernel"} == {"exact"}

        found = search_session.summary(session.found, session.rows, {}, options)
        chip = ChipFacts.model_validate(found["chip"])
        env = record.Environment.here(chip.id, header_hash=found["header_hash"])
        said: list[str] = []
        gates = promotion.run_gates(found, layers, env, tmp_path, None, said.append)
        assert "reference and stock's time are stock on CPU's" in said[0]
        tokens = {n: g for n, g in gates.gates.items() if n.startswith("tokens")}
        assert set(tokens) == {
            "tokens, stock on CPU",
            "tokens, stock on CPU, on its KV cache",
        }
        assert all(g.passed for g in tokens.values()), tokens
        assert set(gates.times.seconds) == {"candidate", "stock on CPU"}
        assert any("on CL itself" in line for line in said)
        assert gates.prompt_rates is None
        cited = {m["row"] for m in found["members"]}
        assert cited and all(set(r.members) == cited for r in gates.rows)

        promotion.remember(gates, Memory(store, "first-use"))
        model, _ = tinygrad_model.load_model(path, 128, "CL")
        facts, files = gguf_model.read(path), gguf_model.files(path)
        made = install.install(
            model, facts, files, gates.engine.members, chip, Memory(store, "first-use")
        )
        assert made.active and made.remembered
        said_ids = tuple(install.generate(made, PROMPT, 24))
        assert made.prompt_by.startswith("plan")

    other = plan_in_use.right_stock(path, 128, chip)
    assert "not exact on CL" in other.fallbacks[0].reason
    assert said_ids == tuple(install.generate(other, PROMPT, 24))


@pytest.mark.cl
@pytest.mark.slow
def test_first_use_without_an_exact_stock(tiny: Tiny, tmp_path: Path) -> None:
    path = tiny("tiny-llama")
    facts, files = gguf_model.read(path), gguf_model.files(path)
    members = whole_token(facts, chip=CL)
    model, _ = tinygrad_model.load_model(path, CONTEXT, "CL")
    closed = install.install(model, facts, files, members, CL)
    assert not closed.active and "cannot check the plan" in closed.fallbacks[0].reason

    with Store.open(tmp_path / "store.db") as store:
        referee = plan_in_use.other_stock(path, CONTEXT, CL, store)
        made = install.install(model, facts, files, members, CL, referee=referee)
    assert made.active and made.check is not None, made.fallbacks
    assert made.check.result.positions == 2 * (CONTEXT - 7)
    assert made.check.prompt_rates is None


def test_exact_routes_unless_asked(tiny: Tiny, layers: Layers) -> None:
    from boltbeam.search.filters import filter_all

    path = tiny("tiny-llama")
    facts = gguf_model.read(path)
    for numerics, kinds in (("auto", {"exact"}), ("q8", {"exact", "q8_activations"})):
        options = Options(model=path, chip="cl", ops=("o",), numerics=numerics)
        _, items = filter_all(request_for(options, facts, CL, layers))
        routes = {c.route.id for i in items for c in i.kept}
        assert {registry.route(r).numerics for r in routes} == kinds
        assert all(("numerics" in i.pruned) == (numerics == "auto") for i in items)


def test_what_lost_against_int8_is_open_to_who_is_exact_and_to_who_pins_it(
    tiny: Tiny, layers: Layers
) -> None:
    from boltbeam.search.filters import filter_all

    path = tiny("tiny-llama")
    facts = gguf_model.read(path)

    def kept(**more: Any) -> set[str]:
        options = Options(model=path, chip="cl", ops=("down",), fused=False, **more)
        _, items = filter_all(request_for(options, facts, CL, layers))
        return {c.route.id for i in items for c in i.kept}

    assert {"gemv_lanes_f32", "gemv_lanes_q8"} <= kept(numerics="q8")
    options = Options(model=path, chip="cl", ops=("down",), fused=False, numerics="q8")
    _, items = filter_all(request_for(options, facts, CL, layers))
    env = record.Environment.here(CL.id)
    no = Outcome(verdict=Verdict.failed, reason="timeout", number=60.0)
    rows = {
        c.route.id: record.kernel_row(c.candidate, c.route, no, env)
        for c in items[0].kept
        if c.route.id in ("gemv_lanes_f32", "gemv_lanes_q8")
    }
    mine, rival = rows["gemv_lanes_f32"], rows["gemv_lanes_q8"]
    refuted = decisions.refute([mine], reason="slower", reopen_if="a new driver")
    evidence = (mine.id, rival.id)
    layers.write([mine, rival, sealed(refuted.model_copy(update={"evidence": evidence}))])
    assert "gemv_lanes_f32" not in kept(numerics="q8")
    assert "gemv_lanes_f32" in kept(numerics="exact")
    assert kept(numerics="q8", pins={"down": ("gemv_lanes_f32",)}) == {"gemv_lanes_f32"}


def test_numerics_mistyped(tiny: Tiny, layers: Layers) -> None:
    path = tiny("tiny-llama")
    facts = gguf_model.read(path)
    with pytest.raises(BoltbeamError, match="auto, exact or q8"):
        search_session.read_model(Options(model=path, chip="cl", numerics="int8"))
    pinned = Options(model=path, chip="cl", pins={"o": ("gemv_lanes_q8",)})
    with pytest.raises(BoltbeamError, match="say --numerics q8"):
        request_for(pinned, facts, CL, layers)
