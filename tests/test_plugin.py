"""The plugin call in somebody's own program."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from boltbeam import emit, plugin, registry
from boltbeam.emit.core import Target
from boltbeam.measure import software
from boltbeam.models import gguf_model
from boltbeam.models.plan import occurrences
from boltbeam.proof import verify
from boltbeam.records.entries import SCHEMA_VERSION, Decision, Gate, LedgerRow, Member, Scope
from boltbeam.records.ledger import Layers
from boltbeam.seam import tinygrad_adapter as tg
from boltbeam.seam import tinygrad_model
from boltbeam.token import promotion
from boltbeam.token.decode_plan import Member as Placed
from boltbeam.types import BoltbeamError, ChipFacts, Geometry


def test_without_a_plan_stock_stays(
    tiny: Callable[..., Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    model, _ = tinygrad_model.load_model(tiny(), 64, "CPU")
    stock = model.rollout_jit
    with pytest.raises(BoltbeamError, match="no such folder"):
        plugin.install(model, tiny(), "cpu", tmp_path / "ledger")
    made = plugin.install(model, tiny(), "cpu", tmp_path)
    assert not made.active and model.rollout_jit is stock
    assert "none promoted" in made.fallbacks[0].reason


@pytest.mark.parametrize(
    ("changed", "field"),
    [
        ({}, ""),
        ({"emitter_hash": "0" * 16}, "emitter_hash"),
        ({"tinygrad": "0.13.0"}, "tinygrad"),
        ({"chip": "cpu-of-somebody-else"}, "chip"),
        ({"compiler": "clang version 3"}, "compiler"),
    ],
)
def test_a_plan_measured_otherwise_is_not_used(
    tiny: Callable[..., Path], changed: dict[str, str], field: str
) -> None:
    chip = ChipFacts(id="cpu-test", name="test", device="CPU")
    facts = gguf_model.read(tiny())
    token, found = occurrences(facts, 64, ["norm"])
    work, at = found[0].work, found[0].starts[0]
    assert token[at].op == "norm"
    placed = Placed(step_start=at, work=work, route="norm_rows_f32", geometry=Geometry.of(lanes=16))
    launches = emit.launches(
        work, registry.route(placed.route), placed.geometry, Target("CPU", chip)
    )
    member = Member(
        work=work.key,
        count=1,
        route=placed.route,
        geometry=str(placed.geometry),
        row="0123456789ab",
        emitter_hash=changed.get("emitter_hash", verify.emitter_hash(launches)),
    )
    decision = Decision(
        schema_version=SCHEMA_VERSION,
        kind="plan",
        date="2026-11-29T12:00:00Z",
        scope=Scope(
            chip=changed.get("chip", chip.id),
            plan_key="k",
            tinygrad=changed.get("tinygrad", tg.PINNED),
            **(software.here("CPU") | {k: v for k, v in changed.items() if k == "compiler"}),
        ),
        members=(member,),
        gates={"proof": Gate(passed=True)},
        evidence=(member.row,),
        replaces="stock",
        reason="test",
    )
    differ = promotion.differences(decision.scope, decision.members, [placed], chip)
    assert [d.field for d in differ] == ([field] if field else [])
    said: list[str] = []
    no = promotion.unusable(decision, [placed], chip, said.append, Layers(()))
    hard = field not in ("", "compiler")
    assert (no is not None) == hard and bool(said) == (field == "compiler")
    assert field in (no.reason if no else " ".join(said))
    if field != "emitter_hash":
        return
    for text, hard in ((verify.digest(verify.rendered(launches, "CPU")), False), ("f" * 16, True)):
        row = LedgerRow.model_construct(
            work=work.key, route=placed.route, geometry=str(placed.geometry), source_hash=text
        )
        (one,) = promotion.differences(decision.scope, [member], [placed], chip, [row])
        assert (one.field, one.hard) == ("emitter_hash", hard)
