"""Decision lines: each needs what makes it reviewable, and one call writes one line."""

from __future__ import annotations

from pathlib import Path

import pytest

from boltbeam.records import decisions, standing
from boltbeam.records.decisions import (
    member,
    promote_plan,
    record,
    refute,
    reopen,
    rollback,
)
from boltbeam.records.entries import (
    SCHEMA_VERSION,
    Decision,
    Gate,
    Interval,
    LedgerRow,
    Member,
    Scope,
)
from boltbeam.records.ledger import Layer, Layers, load, sealed
from boltbeam.token import promotable
from boltbeam.types import BoltbeamError, GateFailed, Verdict

CHIP = "cpu-x86_64-test"
SCOPE = Scope(chip=CHIP, plan_key="abcd", tinygrad="0.14.0")
GATES = {"token": Gate(passed=True, number=0.8, limit=0.995)}


def row(
    work: str = "decode/down", route: str = "gemv", mid: float = 0.7, **known: str
) -> LedgerRow:
    verdict = Verdict.faster if mid < 1 else Verdict.slower
    return sealed(
        LedgerRow(
            schema_version=SCHEMA_VERSION,
            kind="kernel",
            date="2026-11-29T10:00:00Z",
            chip=CHIP,
            work=work,
            count=30,
            route=route,
            verdict=verdict,
            reason="clears-band",
            limit=0.995,
            timing=verdict.value,  # type: ignore[arg-type]
            proof="ok",
            protocol="p",
            candidate_us=(mid,),
            incumbent_us=(1.0,),
            aa_spread=0.0,
            interval=Interval(low=mid, mid=mid, high=mid),
            tinygrad="0.14.0",
            takes=known.get("takes", "f32"),
            gives=known.get("gives", "f32"),
        )
    )


def plan(*rows: LedgerRow, replaces: Decision | None = None, date: str = "") -> Decision:
    return promote_plan(
        SCOPE,
        [member(r) for r in rows],
        GATES,
        [512],
        replaces=replaces,
        reason="won",
        by="Jo Doe",
        date=date,
    )


@pytest.fixture
def layers(tmp_path: Path) -> Layers:
    return Layers((Layer("given", tmp_path),))


def test_each_call_writes_exactly_one_line(layers: Layers) -> None:
    r = row()
    p = plan(r)
    refutation = refute([r], reason="loses", reopen_if="new clang")
    lines = [
        p,
        refutation,
        reopen(refutation, reason="new clang is here"),
        rollback(p, reason="slower"),
    ]
    for d in lines:
        path = record(layers, d)
        text = path.read_text()
        assert text.count("\n") == 1 and load(text.rstrip("\n")) == d
    assert len({d.id for d in lines}) == 4


def test_a_failed_gate_stops_the_promotion_with_its_number() -> None:
    gates = GATES | {"kl": Gate(passed=False, number=1.31, limit=1.2, detail="mean KL ratio")}
    with pytest.raises(GateFailed, match=r"kl \(1.31 against 1.2: mean KL ratio\)") as e:
        promote_plan(SCOPE, [member(row())], gates, [512], replaces=None, reason="won")
    assert e.value.exit_code == 1


@pytest.mark.parametrize(
    "broken",
    [{"gates": {}}, {"members": []}, {"reason": ""}, {"scope": Scope(chip=CHIP)}],
)
def test_a_promotion_lacks_nothing(broken: dict[str, object]) -> None:
    args = {"scope": SCOPE, "members": [member(row())], "gates": GATES, "contexts": [512]}
    with pytest.raises(BoltbeamError, match=r"^plan: a plan needs") as e:
        promote_plan(**{**args, "replaces": None, "reason": "won", **broken})  # type: ignore[arg-type]
    assert "\n" not in str(e.value)


def test_only_a_proved_and_timed_row_is_a_member() -> None:
    assert member(row(mid=1.2)).route == "gemv"
    wrong = row().model_copy(update={"verdict": Verdict.wrong, "proof": "error-bound"})
    with pytest.raises(BoltbeamError, match="only a proved and timed"):
        member(wrong)


def test_the_rollback_target_is_what_was_in_force(layers: Layers) -> None:
    first, second = row(), row(mid=0.6)
    p1 = plan(first, date="2026-11-29T10:00:00Z")
    assert p1.replaces == "stock" and p1.evidence == (first.id,)
    record(layers, p1)
    p2 = plan(second, replaces=standing.active_plan(layers, CHIP, "abcd"), date=p1.date)
    assert p2.replaces == p1.id
    record(layers, p2)
    assert standing.active_plan(layers, CHIP, "abcd") == p2  # same second: the chain orders them
    back = rollback(p2, restores=p1, reason="slower at 4096", date=p1.date)
    record(layers, back)
    assert standing.active_plan(layers, CHIP, "abcd") == p1
    record(layers, rollback(back, reason="both", date=p1.date))
    assert standing.active_plan(layers, CHIP, "abcd") is None


def test_a_plan_that_was_compared_with_another_is_not_written(layers: Layers) -> None:
    """Two promotes at once: the later one never met what the earlier one put in force."""
    found = {"chip": {"id": CHIP}, "plan_key": "abcd"}
    promotable.require_same(found, None, layers)
    first = plan(row(), date="2026-11-29T10:00:00Z")
    record(layers, first)
    with pytest.raises(GateFailed, match=f"{first.id} came into force meanwhile"):
        promotable.require_same(found, None, layers)
    promotable.require_same(found, first, layers)
    promotable.require_same(found | {"plan_key": "other"}, None, layers)
    record(layers, rollback(first, reason="slower"))
    promotable.require_same(found, first, layers)  # it was faster than that, and than stock


def test_a_refutation_carries_its_number_and_reopening(layers: Layers) -> None:
    r = row(mid=1.4)
    record(layers, d := refute([r], reason="clang emits vpmaddwd", reopen_if="vpdpbusd appears"))
    assert (d.number, d.limit, d.scope.work) == (1.4, 0.995, "decode/down")
    assert standing.status(layers, "gemv", CHIP, "decode/down").state == "refuted"
    assert standing.status(layers, "gemv", CHIP, "decode/o").state == "candidate"
    record(layers, reopen(d, reason="clang 23", date="2099-01-01T00:00:00Z"))
    assert standing.status(layers, "gemv", CHIP, "decode/down").state == "candidate"


def test_a_refutation_over_several_works_speaks_of_the_route(layers: Layers) -> None:
    record(layers, refute([row(mid=1.4), row("decode/o", mid=1.3)], reason="x", reopen_if="y"))
    assert standing.status(layers, "gemv", CHIP).state == "refuted"
    assert standing.status(layers, "gemv", CHIP, "decode/any").state == "refuted"


def test_a_refutation_against_a_rival_has_a_number_of_both_rows(layers: Layers) -> None:
    r, rival = row(mid=0.6), row(route="other", mid=0.4)
    record(layers, d := refute([r], reason="loses", reopen_if="clang", against=rival))
    assert (d.number, d.limit, d.evidence) == (1.5, 1.0, (r.id, rival.id))
    assert d.reason == "loses; 1.5 times the time of other"
    assert standing.status(layers, "other", CHIP, "decode/down").state == "candidate"
    for wrong, words in (
        (row(route="other", mid=0.9), "name a row of another route that is faster"),
        (row(mid=0.4), "another route"),
        (row("decode/o", route="other", mid=0.4), "work of row"),
    ):
        with pytest.raises(BoltbeamError, match=words):
            refute([r], reason="x", reopen_if="y", against=wrong)


def test_refutations_that_cannot_be() -> None:
    with pytest.raises(BoltbeamError, match="refute: a refutation needs the number"):
        refute([row(mid=1.4)], reason="x", reopen_if="")
    with pytest.raises(BoltbeamError, match="no row to cite"):
        refute([], reason="x", reopen_if="y")
    with pytest.raises(BoltbeamError, match="rows of one route"):
        refute([row(), row(route="other")], reason="x", reopen_if="y")
    p = plan(row())
    with pytest.raises(BoltbeamError, match="roll it back first"):
        refute([row()], reason="x", reopen_if="y", active=[p])


def test_other_things_that_cannot_be() -> None:
    p = plan(row())
    with pytest.raises(BoltbeamError, match="not a refutation"):
        reopen(p, reason="x")
    with pytest.raises(BoltbeamError, match="cannot restore itself"):
        rollback(p, restores=p, reason="x")
    with pytest.raises(BoltbeamError, match="needs a reason"):
        rollback(p, reason="")


def test_the_author_is_a_name() -> None:
    assert plan(row()).author == "Jo Doe" and "@" not in decisions.author()
    known = {name: getattr(plan(row()), name) for name in Decision.model_fields}
    named = Decision.model_validate(known | {"author": "Jo Doe <jo@example.org>"})
    assert named.author == "Jo Doe"
    with pytest.raises(ValueError, match="not an address"):
        Decision.model_validate(known | {"author": "jo@example.org"})


def test_members_must_be_cited() -> None:
    known = {name: getattr(plan(row()), name) for name in Decision.model_fields}
    stray = Member(work="w", count=1, route="r", geometry="", row="000000000000")
    with pytest.raises(ValueError, match="without evidence"):
        Decision.model_validate(known | {"members": (stray,)})
