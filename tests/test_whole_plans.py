"""Whole tokens choose among a few cheap paths: which ones, by what, and on this machine's CPU."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import chain, repeat
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
from boltbeam.search.whole_plans import Round, Whole
from boltbeam.token import plans_in_turns
from boltbeam.token.plans_in_turns import InTurns, Seconds
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
    return Whole((Round(ways, {n: tuple(v * 1e-3 for v in s) for n, s in seconds.items()}),), 32)


def test_only_a_token_that_is_plainly_faster_is_chosen(facts: ModelFacts) -> None:
    found = searched(facts, {"norm+qkv": 18.0, ROPE: 19.0})
    base = (1.853, 1.851, 1.856, 1.852, 1.854, 1.853)
    near, less = tuple(v * 0.997 for v in base), tuple(v * 0.98 for v in base)
    least = tuple(v * 0.97 for v in base)
    doubt = (1.9, 1.7, 1.9, 1.7, 1.9, 1.7)
    chosen = whole(found, a=base, b=near, c=less, d=least)
    assert chosen.chosen == chosen.rounds[0].ways[3]
    assert whole(found, a=base, b=near, c=doubt).chosen.name == "cheapest"
    line = whole(found, a=base, b=less).line()
    second = chosen.rounds[0].ways[1].name
    assert line.startswith("whole tokens from position 32: cheapest 1.853 ms (sum 0.")
    assert line.endswith(f": {second} chosen") and f"{second} 1.816 ms (sum" in line


def test_a_path_that_cannot_run_is_left_out_with_its_reason(facts: ModelFacts) -> None:
    found = searched(facts, {ROPE: 19.0})
    ways = whole_plans.ways(found)
    one = Whole((Round(ways, {ways[1].name: (1e-3,) * 6}, {"cheapest": "no memory"}),), 32)
    assert one.chosen == ways[1] and "cheapest left out: no memory" in one.line()
    none = Whole((Round(ways, {}, {w.name: "no memory" for w in ways}),), 32)
    assert none.chosen == ways[0] and "no memory" in none.line()
    assert none.summary()["rounds"][0][1]["left_out"] == "no memory"


def decided(
    found: search.Found, device: Device, answer: Any, monkeypatch: pytest.MonkeyPatch
) -> tuple[search.Found, Whole | None]:
    """by_whole_tokens, where the seconds of whole tokens are `answer` by the way's name."""

    class Turns(ExitStack):
        def __init__(self, *_: object) -> None:
            super().__init__()

        def timed(self, plans: Mapping[str, Any]) -> Any:
            if isinstance(answer, BoltbeamError):
                raise answer
            said = {n: answer(n) if callable(answer) else answer[n] for n in plans}
            return said, {}

    monkeypatch.setattr(whole_plans, "InTurns", Turns)
    return search_session.by_whole_tokens(found, Path("m"), "", device, 0.0, quietly)  # type: ignore[arg-type]


def test_the_chosen_plan_is_compared_with_stock(
    facts: ModelFacts, monkeypatch: pytest.MonkeyPatch
) -> None:
    found, device = searched(facts, {ROPE: 19.0}), Device()
    answer = {"cheapest": (2e-3,) * 6, f"no {ROPE}": (1e-3,) * 6}
    then, said = decided(found, device, answer, monkeypatch)
    assert sorted(device.compared) == ["attention", "rope_store"]
    assert said is not None and then.plan == said.rounds[0].ways[1].choice != found.plan
    # what was measured is taken over
    again = replace(device, resume=True, compared=[])
    later, known = decided(found, again, BoltbeamError("asked again"), monkeypatch)
    assert known == said and later.plan == then.plan
    for shape in ({}, {"seconds": 5}, {"seconds": {"cheapest": []}, "left_out": {}}):
        device.memory.update(dict.fromkeys(device.memory, shape))
        _, asked = decided(found, again, answer, monkeypatch)  # no such answer: asked again
        assert asked == said


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

    class Child(ExitStack):
        def __init__(self, *_: object) -> None:
            super().__init__()

        def ask(self, job: dict[str, Any], timeout_s: float, *_: object) -> dict[str, Any]:
            assert timeout_s >= plans_in_turns.BUILD_S
            asked.append(f"{job['do']} {job.get('plan', job.get('name'))}")
            return {"seconds": 1.0}

    monkeypatch.setattr(plans_in_turns, "Process", Child)
    engine = Engine(model="m", chip=CHIP, context=CONTEXT)
    plans: dict[str, Any] = {"a": (), "b": (), "c": ()}

    def timed(left_s: float) -> Any:
        with InTurns(engine, 1, left_s, lambda _: None) as turns:
            return turns.timed(plans)

    seconds, left_out = timed(0.0)
    assert asked[:4] == ["plan a", "time a", "plan b", "time b"]
    assert list(seconds) == ["a", "b"] and left_out == {"c": plans_in_turns.NO_TIME}
    seconds, left_out = timed(60.0)
    assert list(seconds) == ["a", "b", "c"] and not left_out
    for left_s, fits in ((40.0, False), (62.5, False), (63.5, True)):
        # the first takes 5 s, the second 20; a third as many, and all have six turns of a second
        clock = chain([0.0, 0.0, 5.0], repeat(25.0))
        mine = SimpleNamespace(monotonic=partial(next, clock))
        monkeypatch.setattr(plans_in_turns, "time", mine)
        assert timed(left_s)[1] == ({} if fits else {"c": plans_in_turns.NO_TIME})
    monkeypatch.undo()
    monkeypatch.setattr(plans_in_turns, "Process", Child)
    asked.clear()
    with InTurns(engine, 1, 60.0, lambda _: None) as turns:
        turns.timed({"a": (), "b": ()})
        turns.timed({"a": (), "c": ()})
    assert [a for a in asked if a.startswith("plan")] == ["plan a", "plan b", "plan c"]


# ---- kernels in their places --------------------------------------------------------------------


def with_rivals(facts: ModelFacts, rivals: Mapping[str, Sequence[tuple[str, float]]]) -> Any:
    """A search in which some ops' races had more racers: (geometry, us)."""
    found = searched(facts, {})
    for item in found.items:
        old = item.kept[0]
        for geometry, us in rivals.get(item.work.op, ()):
            c = Candidate(work=item.work, route=old.route.id, geometry=Geometry.parse(geometry))
            item.kept.append(Considered(c, old.route, None))
            item.proofs[c.key] = Proof(ok=True, reason="ok", source_hash=c.key)
            item.raced_us[c.key] = us
    return found


RIVALS = {
    "down": [("lanes=9", 10.1), ("ahead=1 lanes=9", 10.5), ("lanes=7", 10.2), ("lanes=5", 13.0)],
    "o": [("lanes=9", 10.3)],
}


def test_one_kernel_is_exchanged_at_a_time(facts: ModelFacts) -> None:
    """First the nearest that reads ahead, then the fastest of the rest; none that is far slower."""
    found = with_rivals(facts, RIVALS)
    base = whole_plans.ways(found)[0]
    tried = whole_plans.swaps(found, base)
    short = [w.name.replace(plan.short(o.work_key), o.work_key.split("/")[1])
             for w in tried for o in [changed(base, w)[0]]]  # fmt: skip
    assert short == ["down ahead=1 lanes=9", "o lanes=9", "down lanes=9"]
    for way in tried:
        new = changed(base, way)
        assert len({o.evidence for o in new}) == 1 and len(new) == 2  # in both layers
        assert way.choice.us == pytest.approx(base.choice.us + 2 * (new[0].us - 10.0))


def changed(base: Any, way: Any) -> list[Any]:
    pairs = zip(base.choice.members, way.choice.members, strict=True)
    return [new for (_, old), (_, new) in pairs if old != new]


def test_what_gains_in_its_place_is_taken_together(
    facts: ModelFacts, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The sum says that each of them is slower; the token that both together are faster."""
    found, device = with_rivals(facts, RIVALS), Device()

    def token(name: str) -> tuple[float, ...]:
        gain = {"together (2)": 0.05}.get(name, 0.0)
        gain += (
            0.03 * ("ahead=1" in name)
            + 0.004 * name.startswith("o/")
            - 0.02 * (name.startswith("down") and "ahead=1" not in name)
        )
        return ((1 - gain) * 1e-3,) * 6

    then, said = decided(found, device, token, monkeypatch)
    assert said is not None and said.chosen.name == "together (2)"
    assert [len(r.ways) for r in said.rounds] == [1, 4, 3]
    new = {o.work_key.split("/")[1]: o.geometry for o in changed(said.cheapest, said.chosen)}
    assert new == {"down": "ahead=1 lanes=9", "o": "lanes=9"}
    assert then.plan == said.chosen.choice and sorted(device.compared) == ["down", "o"]
    assert "then cheapest 1 ms (sum" in said.line() and said.line().count("chosen") == 2
    # one of them fails beside stock: the other alone
    device = Device(wrong="o")
    then, said = decided(with_rivals(facts, RIVALS), device, token, monkeypatch)
    assert said is not None and "ahead=1" in said.chosen.name and then.plan == said.chosen.choice
    assert "together (2) left out: a kernel of it failed beside stock" in said.line()


def test_nothing_gains_nothing_changes(facts: ModelFacts, monkeypatch: pytest.MonkeyPatch) -> None:
    found, device = with_rivals(facts, RIVALS), Device()
    then, said = decided(found, device, lambda _: (1e-3,) * 6, monkeypatch)
    assert said is not None and said.chosen == said.cheapest and len(said.rounds) == 2
    assert then.plan == found.plan and device.compared == []


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
    (first,) = said.rounds
    assert {len(turns) for turns in first.seconds.values()} == {2 * plans_in_turns.ROUNDS}
    assert list(first.left_out) == ["no norm+head"]
    assert all("1 gaps; head (schedule_opts)" in why for why in first.left_out.values())
    assert then.plan == said.chosen.choice and device.compared == [LAYER]
    assert compared < {key for item in then.items for key in item.timed}
    assert "no norm+qkv chosen; no norm+head left out: plan:" in said.line(), said.line()
