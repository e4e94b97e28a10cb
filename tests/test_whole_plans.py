"""Whole tokens choose among a few cheap paths: which ones, by what, and on this machine's CPU."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from statistics import median
from types import SimpleNamespace
from typing import Any

import pytest
from decode_cases import CHIP, CONTEXT, whole_token

from boltbeam import registry
from boltbeam.models import gguf_model, plan
from boltbeam.predict import bubblebeam
from boltbeam.search import search, search_session, whole_plans
from boltbeam.search.search_items import Considered, ItemResult, Request
from boltbeam.search.whole_plans import Whole
from boltbeam.token import plans_in_turns
from boltbeam.token.plans_in_turns import Seconds
from boltbeam.token.token_process import Engine
from boltbeam.types import (
    BoltbeamError,
    Candidate,
    Geometry,
    Measurement,
    ModelFacts,
    Outcome,
    Proof,
    Protocol,
    Verdict,
    WorkItem,
)

LAYER = "norm+qkv+rope_store+attention+o+norm+gate_up+down"
ROPE = "rope_store+attention"
BROKEN = "head+argmax"


@dataclass
class Device:
    """Compares at once, and remembers."""

    wrong: str = ""
    """A work item whose kernels fail beside stock."""
    resume: bool = False
    reused: int = 0
    memory: Any = field(default_factory=lambda: Store())
    compared: list[str] = field(default_factory=list)

    def compare(self, c: Candidate, protocol: Protocol, _comparisons: int) -> Any:
        self.compared.append(c.work.op)
        if c.work.op == self.wrong:
            return Outcome(verdict=Verdict.wrong, reason="timed-output")
        return Measurement(
            protocol=protocol.id,
            candidate_us=(1.0,) * 9,
            incumbent_us=(2.0,) * 9,
            aa_spread=0.001,
            stop_reason="a formula",
            copies=1,
        )


class Store(dict[str, Any]):
    put = dict.__setitem__


@pytest.fixture(scope="module")
def path(tiny: Callable[..., Path]) -> Path:
    return tiny()


@pytest.fixture(scope="module")
def facts(path: Path) -> ModelFacts:
    return gguf_model.read(path)


def quietly(_what: str, _share: float) -> None:
    pass


def searched(facts: ModelFacts, spans: Mapping[str, float], **more: Any) -> search.Found:
    """A search in which every op took 10 us, and these spans so long."""
    request = Request(model=facts, chip=CHIP, context=CONTEXT, **more)
    single = {m.work.key: (m.route, m.geometry) for m in whole_token(facts)}
    ops = dict.fromkeys(s.op for s in plan.steps(facts))
    token, found = plan.occurrences(facts, CONTEXT, [*ops, *spans])
    items = []
    for occ in found:
        route, geometry = single.get(occ.work.key) or fused(occ.work)
        c = Candidate(work=occ.work, route=route, geometry=geometry)
        item = ItemResult(occ.work, occ.starts, kept=[Considered(c, registry.route(route), None)])
        item.proofs[c.key] = Proof(ok=True, reason="ok", source_hash=c.key)
        item.raced_us[c.key] = spans.get(occ.work.op, 10.0)
        items.append(item)
    choice, request = search.settle(token, items, request, Device(), quietly)  # type: ignore[arg-type]
    return search.Found(request, token, tuple(items), choice)


def fused(work: WorkItem) -> tuple[str, Geometry]:
    """A route of a span; one that the CPU has none of borrows a name, and cannot be built."""
    route = registry.route("schedule_opts" if work.op == BROKEN else "chain_rows")
    legal = (g for g, no in bubblebeam.candidates(work, route, CHIP) if no is None)
    return route.id, next(legal, Geometry())


# ---- which paths --------------------------------------------------------------------------------


def names(found: search.Found) -> list[str]:
    return [w.name for w in whole_plans.ways(found)]


def test_the_paths_differ_in_what_they_fuse(facts: ModelFacts) -> None:
    spans = {"norm+qkv": 18.0, "norm+gate_up": 18.0, ROPE: 19.0}
    found = searched(facts, spans)
    assert names(found) == [
        "cheapest", f"no {ROPE}", "no norm+qkv", "no norm fused", "nothing fused"
    ]  # fmt: skip
    for way in whole_plans.ways(found):
        ops = {plan.short(o.work_key).split("/")[0] for _, o in way.choice.members}
        assert not ops & way.without and way.choice.us >= whole_plans.ways(found)[0].choice.us


def test_paths_that_are_the_same_or_far_off_are_left_out(facts: ModelFacts) -> None:
    assert names(searched(facts, {})) == ["cheapest"]
    assert names(searched(facts, {ROPE: 25.0})) == ["cheapest"]  # nobody uses it
    assert names(searched(facts, {ROPE: 19.0})) == ["cheapest", f"no {ROPE}"]
    assert names(searched(facts, {ROPE: 1.0})) == ["cheapest"]  # without it 1.15 times as long


def test_no_plan_no_paths(facts: ModelFacts) -> None:
    found = searched(facts, {ROPE: 19.0})
    assert whole_plans.ways(replace(found, choice=None)) == ()


# ---- who is chosen ------------------------------------------------------------------------------


def whole(found: search.Found, **ms: Sequence[float]) -> Whole:
    ways = whole_plans.ways(found)
    seconds = dict(zip([w.name for w in ways], [tuple(s) for s in ms.values()], strict=False))
    return Whole(ways, 32, {n: tuple(v * 1e-3 for v in s) for n, s in seconds.items()})


def test_only_a_token_that_is_plainly_faster_is_chosen(facts: ModelFacts) -> None:
    found = searched(facts, {"norm+qkv": 18.0, ROPE: 19.0})
    base = (1.853, 1.851, 1.856, 1.852, 1.854, 1.853)
    near, less = tuple(v * 0.997 for v in base), tuple(v * 0.98 for v in base)
    least = tuple(v * 0.97 for v in base)
    doubt = (1.9, 1.7, 1.9, 1.7, 1.9, 1.7)
    chosen = whole(found, a=base, b=near, c=less, d=least)
    assert chosen.chosen == chosen.ways[3]
    assert whole(found, a=base, b=near, c=doubt).chosen.name == "cheapest"
    line = whole(found, a=base, b=less).line()
    second = chosen.ways[1].name
    assert line.startswith("whole tokens from position 32: cheapest 1.853 ms (sum 0.")
    assert line.endswith(f": {second} chosen") and f"{second} 1.816 ms (sum" in line


def test_a_path_that_cannot_run_is_left_out_with_its_reason(facts: ModelFacts) -> None:
    found = searched(facts, {ROPE: 19.0})
    ways = whole_plans.ways(found)
    one = Whole(ways, 32, {ways[1].name: (1e-3,) * 6}, {"cheapest": "no memory"})
    assert one.chosen == ways[1] and "cheapest left out: no memory" in one.line()
    none = Whole(ways, 32, {}, {w.name: "no memory" for w in ways})
    assert none.chosen == ways[0] and "no memory" in none.line()
    assert none.summary()["ways"][1]["left_out"] == "no memory"


def decided(
    found: search.Found, device: Device, answer: Any, monkeypatch: pytest.MonkeyPatch
) -> tuple[search.Found, Whole | None]:
    """by_whole_tokens, where the device's whole tokens are `answer`."""

    def timed(*_: Any) -> Any:
        if isinstance(answer, BoltbeamError):
            raise answer
        return answer, {}

    monkeypatch.setattr(whole_plans, "timed", timed)
    return search_session.by_whole_tokens(found, Path("m"), "", device, 0.0, quietly)  # type: ignore[arg-type]


def test_the_chosen_plan_is_compared_with_stock(
    facts: ModelFacts, monkeypatch: pytest.MonkeyPatch
) -> None:
    found, device = searched(facts, {ROPE: 19.0}), Device()
    answer = {"cheapest": (2e-3,) * 6, f"no {ROPE}": (1e-3,) * 6}
    then, said = decided(found, device, answer, monkeypatch)
    assert sorted(device.compared) == ["attention", "rope_store"]
    assert said is not None and then.plan == said.ways[1].choice != found.plan
    # what was measured is taken over
    again = replace(device, resume=True, compared=[])
    later, known = decided(found, again, BoltbeamError("asked again"), monkeypatch)
    assert known == said and later.plan == then.plan


def test_a_member_that_fails_beside_stock_leaves_the_cheapest(
    facts: ModelFacts, monkeypatch: pytest.MonkeyPatch
) -> None:
    found, device = searched(facts, {ROPE: 19.0}), Device(wrong="attention")
    answer = {"cheapest": (2e-3,) * 6, f"no {ROPE}": (1e-3,) * 6}
    then, said = decided(found, device, answer, monkeypatch)
    assert said is not None and said.chosen.name == "cheapest" and then.plan == found.plan
    assert "failed beside stock" in said.line()


def test_without_whole_tokens_the_sum_decides_and_says_so(
    facts: ModelFacts, monkeypatch: pytest.MonkeyPatch
) -> None:
    found = searched(facts, {ROPE: 19.0})
    no = BoltbeamError("token gate: no memory on the device for blk.0")
    then, said = decided(found, Device(), no, monkeypatch)
    assert then == found and said is not None
    assert said.line() == (
        "whole tokens: not timed (no memory on the device for blk.0); the plan is the cheapest path"
    )
    none = decided(searched(facts, {ROPE: 19.0}, budget_s=0.0), Device(), no, monkeypatch)[1]
    assert none is not None and none.why == "no time left"
    assert (
        decided(searched(facts, {ROPE: 19.0}, ops=("down",)), Device(), no, monkeypatch)[1] is None
    )


def test_two_plans_are_built_whatever_that_takes(
    facts: ModelFacts, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A budget that is used up must not cost the comparison; a third plan is left out."""
    asked: list[str] = []

    class Child:
        def __init__(self, *_: object) -> None: ...

        def __enter__(self) -> Child:
            return self

        def __exit__(self, *_: object) -> None: ...

        def ask(self, job: dict[str, Any], timeout_s: float, *_: object) -> dict[str, Any]:
            assert timeout_s >= plans_in_turns.BUILD_S
            asked.append(f"{job['do']} {job.get('plan', job.get('name'))}")
            return {"seconds": 1.0}

    monkeypatch.setattr(plans_in_turns, "Process", Child)
    engine = Engine(model="m", chip=CHIP, context=CONTEXT)
    plans: dict[str, Any] = {"a": (), "b": (), "c": ()}
    seconds, left_out = plans_in_turns.timed(engine, plans, 1, 0.0, lambda _: None)
    assert asked[:4] == ["plan a", "time a", "plan b", "time b"]
    assert list(seconds) == ["a", "b"] and left_out == {"c": plans_in_turns.NO_TIME}
    seconds, left_out = plans_in_turns.timed(engine, plans, 1, 60.0, lambda _: None)
    assert list(seconds) == ["a", "b", "c"] and not left_out
    clock = iter([0.0, 0.0, 5.0, 25.0, 25.0])  # the first takes 5 s, the second 20
    mine = SimpleNamespace(monotonic=lambda: next(clock))
    monkeypatch.setattr(plans_in_turns, "time", mine)
    seconds, left_out = plans_in_turns.timed(engine, plans, 1, 40.0, lambda _: None)
    assert left_out == {"c": plans_in_turns.NO_TIME}  # 15 s are left, another would take 20


# ---- on the CPU ---------------------------------------------------------------------------------


@pytest.mark.slow
def test_whole_tokens_overrule_the_sum(
    facts: ModelFacts, path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """By the sum a layer of seven launches is the cheapest; one launch a layer is faster.

    Plans with a span that no kernel does are left out, with the reason.
    """
    spans = {"norm+qkv": 10.0, LAYER: 75.0, "norm+head": 1.0, BROKEN: 19.5}
    found, device = searched(facts, spans), Device()
    compared = {key for item in found.items for key in item.timed}

    def by_median(seconds: Seconds, name: str, base: str, _comparisons: int) -> bool:
        return median(seconds[name]) < median(seconds[base])

    monkeypatch.setattr(whole_plans, "faster", by_median)  # cores are shared with other tests
    then, said = search_session.by_whole_tokens(found, path, "", device, 0.0, quietly)  # type: ignore[arg-type]
    assert said is not None and said.chosen.name == "no norm+qkv", said
    assert {len(turns) for turns in said.seconds.values()} == {2 * plans_in_turns.ROUNDS}
    assert list(said.left_out) == ["no norm+head"]
    assert all("1 gaps; head (schedule_opts)" in why for why in said.left_out.values())
    assert then.plan == said.chosen.choice and device.compared == [LAYER]
    assert compared < {key for item in then.items for key in item.timed}
    assert "no norm+qkv chosen; no norm+head left out: plan:" in said.line(), said.line()
