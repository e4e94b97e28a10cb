"""A decode plan inside tinygrad's own runner, on tiny models and on the real one."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from decode_cases import CHIP, CONTEXT, PROMPT, WRONG, LateRope, load, whole_token

from boltbeam.emit import reference, sample
from boltbeam.emit.core import Launch, Target
from boltbeam.models import gguf_model
from boltbeam.proof import draws
from boltbeam.seam import tinygrad_adapter as tg
from boltbeam.seam import tinygrad_model
from boltbeam.token import decode_plan
from boltbeam.token.agreement import Reply, Trace, judge
from boltbeam.token.bindings import Binder
from boltbeam.token.decode_plan import DecodePlan, Member, uncovered
from boltbeam.token.install import (
    FirstUse,
    Installation,
    PromptRates,
    first_use_check,
    generate,
    install,
    measure_prompt,
    memory_key,
    stock_trace,
)
from boltbeam.types import BoltbeamError, Geometry, ModelFacts, Proof

Tiny = Callable[..., Path]
NAMES = (
    "tiny-llama",
    pytest.param("tiny-qwen2", marks=pytest.mark.slow),
    pytest.param("tiny-qwen3", marks=pytest.mark.slow),
)


class Case:
    """One tiny model: stock, its trace, and a plan that shares its KV cache."""

    def __init__(self, path: Path) -> None:
        self.model, self.facts, self.files = load(path)
        self.members = whole_token(self.facts)
        self.plan = self.bind(Binder)
        self.decode = tinygrad_model.stock_decoder(self.model)
        self.trace = stock_trace(self.decode, PROMPT, 16)

    def bind(self, binder: type[Binder]) -> DecodePlan:
        made = DecodePlan(
            self.facts,
            self.files,
            self.members,
            "CPU",
            CONTEXT,
            CHIP,
            self.model,
            binder=binder,
        )
        assert made.fallbacks == ()
        return made

    def install(self, **more: Any) -> Installation:
        return install(self.model, self.facts, self.files, self.members, CHIP, **more)


@pytest.fixture(scope="module")
def cases(tiny: Tiny) -> Callable[[str], Case]:
    made: dict[str, Case] = {}

    def case(name: str = "tiny-llama") -> Case:
        if name not in made:
            made[name] = Case(tiny(name))
        made[name].model._cached_tokens = []
        return made[name]

    return case


@pytest.fixture
def installed(cases: Callable[[str], Case]) -> Any:
    out = cases("tiny-llama").install(check=False)
    yield out
    out.uninstall()


def agrees(trace: Trace, ids: Sequence[int]) -> bool:
    """Ids equal stock's up to a step at which stock itself hardly chose."""
    assert trace.logits is not None
    for s, (want, got) in enumerate(zip(trace.ids, ids, strict=False)):
        if want != got:
            return trace.gap(s, got) < 0.01
    return True


@pytest.mark.parametrize("name", NAMES)
def test_logits_and_tokens_equal_stock(cases: Callable[[str], Case], name: str) -> None:
    case = cases(name)
    logits = np.stack(list(case.plan.forced(case.trace.text, len(PROMPT) - 1)))
    result = judge([case.trace], [Reply(logits, case.plan.greedy(PROMPT, 16))])
    assert result.ok, result.line()
    assert result.logit_error is not None and result.logit_error < 2e-3


@pytest.mark.parametrize("wrong", WRONG)
def test_planted_wrong_plans_are_diverged(
    cases: Callable[[str], Case], wrong: type[Binder]
) -> None:
    case = cases("tiny-llama")
    plan = case.bind(wrong)
    alone = np.stack(list(plan.forced(case.trace.text, len(PROMPT) - 1)))
    assert judge([case.trace], [Reply(alone, ())]).ok == (wrong is LateRope)
    for i, token in enumerate(case.trace.text):
        case.decode(token, i)
    shared = plan.backwards(case.trace.text, len(PROMPT) - 1)
    assert not judge([case.trace], [Reply(shared, ())]).ok


def key_of(case: Case) -> str:
    plan = case.plan
    return memory_key(gguf_model.fingerprint(case.files[0]), plan.members, plan.device)


def test_one_kv_cache_for_both(cases: Callable[[str], Case]) -> None:
    """Positions go alternately through stock and plan; the logits stay stock's."""
    case, got = cases("tiny-llama"), []
    for i, token in enumerate(case.trace.text):
        if i // 3 % 2:
            got.append(case.decode(token, i))
        else:
            case.plan.reset_at(token, i)
            case.plan.step()
            got.append(case.plan.logits())
    assert judge([case.trace], [Reply(np.stack(got), ())]).ok


def test_the_flat_cache_is_the_models_own(cases: Callable[[str], Case]) -> None:
    case = cases("tiny-llama")
    case.plan.reset([9])
    tg.write(
        tinygrad_model.cache_tensor(case.model, 1), np.full(2 * 2 * CONTEXT * 64, 3, np.float16)
    )
    case.plan.step()
    cache = case.model.blk[1].cache_kv.numpy()
    assert (cache[:, 0, :, 1:] == 3).all() and not (cache[:, 0, :, 0] == 3).all()
    assert tg.same_buffer(case.model.blk[1].cache_kv, case.plan.binder.tensors["cache@1"])


def test_a_token_is_one_captured_graph_without_inputs(cases: Callable[[str], Case]) -> None:
    case = cases("tiny-llama")
    case.plan.reset([9])
    case.plan.step()
    graph = case.plan.captured().captured
    assert graph.expected_names == [] and graph.expected_input_info == []
    assert len(graph.linear.src) <= len(case.plan.calls)


def test_generate_of_tinygrad_uses_the_plan(
    cases: Callable[[str], Case], installed: Installation
) -> None:
    case, plan = cases("tiny-llama"), installed.plan
    assert plan is not None
    tokens = case.model.generate(list(PROMPT))
    ids = [next(tokens) for _ in range(12)]
    assert agrees(case.trace, ids)
    assert plan.position == len(PROMPT) + 11
    longer = [*PROMPT, *ids[:6], 77]
    again = case.model.generate(list(longer))
    mine = [next(again) for _ in range(6)]
    installed.uninstall()
    case.model._cached_tokens = []
    assert agrees(stock_trace(case.decode, longer, 6), mine)


def test_tinygrads_runner_draws_by_the_plan(
    cases: Callable[[str], Case], installed: Installation
) -> None:
    """Its own loop, in which stock takes the prompt, and its rollout alone, by tinygrad's seed."""
    case, plan = cases("tiny-llama"), installed.plan
    assert plan is not None
    tokens = case.model.generate(list(PROMPT), temperature=0.8)
    assert all(0 <= next(tokens) < case.facts.vocab for _ in range(4))
    assert plan.position == len(PROMPT) + 3 and plan.drawing[0] == pytest.approx(0.8)

    def drawn(seed: int) -> list[float]:
        tg.manual_seed(seed)
        out, temperature = tinygrad_model.token_tensor(9), tg.upload(np.float32([3.0]), "CPU")
        ids = []
        for position in range(6):
            start = tinygrad_model.start_position(position, CONTEXT)
            out = case.model(out, start, temperature).realize()
            ids.append(tg.scalar(out))
        return ids

    a, b, c = drawn(1), drawn(1), drawn(2)
    assert a == b != c


def drawn_ids(plan: DecodePlan, ids: Sequence[int], temperature: float, seed: int) -> list[int]:
    """The tokens that float64 draws from the plan's own logits after each of `ids`."""
    rows = plan.forced(ids)
    keys = (reference.keys(r, temperature, seed, pos)[0] for pos, r in enumerate(rows))
    return [int(k.argmax()) for k in keys]


def test_a_seed_is_a_text(cases: Callable[[str], Case], installed: Installation) -> None:
    """By whichever way the prompt goes, in bursts of any length, by another plan; not greedy's."""
    case, plan = cases("tiny-llama"), installed.plan
    assert plan is not None

    def text(seed: int | None, way: Any = "plan", burst: int = 1, t: float = 3.0) -> list[int]:
        case.model._cached_tokens = []
        more: dict[str, Any] = {"prompt_by": way, "burst": burst, "seed": seed}
        return list(generate(installed, PROMPT, 20, temperature=t, **more))

    greedy = text(None, t=0.0)
    graph = plan.captured()
    first = text(7)
    assert drawn_ids(plan, [*PROMPT, *first[:-1]], 3.0, 7)[len(PROMPT) - 1 :] == first
    assert text(7, "stock") == text(7, burst=4) == text(7 + 2**32) == first
    assert text(8) != first and text(None) != text(None)
    assert text(7, t=1e-6) == text(7, t=0.0) == greedy != first
    assert plan.captured() is graph
    installed.plan = case.plan
    assert text(7) == first
    stop = first[3]
    assert list(generate(installed, PROMPT, 20, [stop], temperature=3.0, seed=7)) == first[:4]
    for bad in (-1.0, float("nan"), 1e9):
        with pytest.raises(BoltbeamError, match="temperature"):
            text(7, t=bad)


@pytest.mark.parametrize("way", ["plan", "stock"])
@pytest.mark.parametrize("burst", [1, 4])
def test_our_loop(
    cases: Callable[[str], Case], installed: Installation, way: Any, burst: int
) -> None:
    case = cases("tiny-llama")
    ids = list(generate(installed, PROMPT, 11, prompt_by=way, burst=burst))
    assert len(ids) == 11 and agrees(case.trace, ids)
    assert installed.prompt_by == f"{way} (asked for)"
    assert case.model._cached_tokens == [*PROMPT, *ids[:-1]]


def test_stock_replays_once_it_has_compiled_and_captured(
    cases: Callable[[str], Case], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The first token is the prompt's, the second compiles the rollout, the third captures it."""
    case = cases("tiny-llama")
    monkeypatch.setattr(case.model, "rollout_jit", tg.jit(case.model.forward))
    stock = Installation(case.model, None)
    assert [stock.replays() for _ in generate(stock, PROMPT, 5)] == [False, False, True, True, True]


@pytest.mark.parametrize("temperature", [0.0, 1.0])
def test_a_plan_replays_from_its_first_token(
    temperature: float, installed: Installation, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nothing is captured after a token of which `replays` is true."""
    captured: list[int] = []
    usual = DecodePlan._captured
    monkeypatch.setattr(
        DecodePlan, "_captured", lambda self, calls: captured.append(1) or usual(self, calls)
    )
    told = []
    for _ in generate(installed, PROMPT, 5, temperature=temperature, seed=1):
        told.append((installed.replays(temperature), len(captured)))
    assert [t for t, _ in told] == [True] * 5 and len({n for _, n in told}) == 1
    assert installed.plan is not None
    monkeypatch.setattr(installed.plan, "undrawn", "no proof")
    assert installed.replays(0.0) and installed.replays(1.0) == tg.replays(installed.stock_rollout)


def test_our_loop_stops_and_reuses_the_prefix(
    cases: Callable[[str], Case], installed: Installation
) -> None:
    case = cases("tiny-llama")
    first = list(generate(installed, PROMPT, 6))
    assert (
        list(generate(installed, PROMPT, 6, stop=[first[2]])) == first[: first.index(first[2]) + 1]
    )
    more = list(generate(installed, [*PROMPT, *first], 4))
    assert agrees(stock_trace(case.decode, [*PROMPT, *first], 4), more)
    assert len(list(generate(installed, PROMPT, 1000))) == CONTEXT - len(PROMPT)
    assert list(generate(installed, PROMPT, 0)) == []
    with pytest.raises(BoltbeamError, match="prompt is empty"):
        next(generate(installed, [], 1))


def test_the_prompt_goes_the_faster_way(installed: Installation) -> None:
    for plan_us, way in ((10.0, "plan"), (30.0, "stock")):
        rates = PromptRates(plan_us=plan_us, stock_us=20.0)
        result = judge([], [])
        installed.check = FirstUse(result=result, prompt_rates=rates)
        list(generate(installed, PROMPT, 2))
        assert installed.prompt_by.startswith(f"{way} (measured")


def test_without_a_plan_stock_generates(cases: Callable[[str], Case]) -> None:
    case = cases("tiny-llama")
    ids = list(generate(Installation(case.model, None), PROMPT, 5))
    assert agrees(case.trace, ids) and len(ids) == 5


def test_uninstall_gives_stock_back(cases: Callable[[str], Case]) -> None:
    case = cases("tiny-llama")
    stock = case.model.rollout_jit
    out = case.install(check=False)
    assert out.active and case.model.rollout_jit is not stock
    with pytest.raises(BoltbeamError, match="already has a plan"):
        case.install(check=False)
    out.uninstall()
    assert not out.active and case.model.rollout_jit is stock


def test_the_switch(cases: Callable[[str], Case], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BOLTBEAM", "0")
    out = cases("tiny-llama").install()
    assert not out.active and out.fallbacks[0].reason == "BOLTBEAM=0"


# ---- what is not covered -------------------------------------------------------------------------


def reasons(facts: ModelFacts, members: Sequence[Member], context: int = CONTEXT) -> str:
    return "; ".join(f"{u.name}: {u.reason}" for u in uncovered(facts, members, context))


def test_every_uncovered_step_is_listed(cases: Callable[[str], Case]) -> None:
    case = cases("tiny-llama")
    assert reasons(case.facts, case.members) == ""
    rest = [m for m in case.members if m.work.op != "attention"]
    want = "blk.0 attention: no promoted route; blk.1 attention: no promoted route"
    assert reasons(case.facts, rest) == want
    out = install(case.model, case.facts, case.files, rest, CHIP)
    assert not out.active and len(out.fallbacks) == 2
    assert not hasattr(case.model.rollout_jit, "plan")


def test_members_of_another_token_are_refused(cases: Callable[[str], Case]) -> None:
    case = cases("tiny-llama")
    twice = [*case.members, case.members[3]]
    assert "covered twice" in reasons(case.facts, twice)
    moved = [case.members[0].model_copy(update={"step_start": 1}), *case.members[1:]]
    assert "other steps there" in reasons(case.facts, moved)
    assert "needed decode/attention" in reasons(case.facts, case.members, 32)


def test_a_context_that_is_not_the_models(cases: Callable[[str], Case]) -> None:
    case = cases("tiny-llama")
    members = whole_token(case.facts, 32)
    plan = DecodePlan(case.facts, case.files, members, "CPU", 32, CHIP, case.model)
    assert "32 positions, the model was loaded with 64" in plan.fallbacks[0].reason


@pytest.mark.parametrize(
    ("change", "why"),
    [
        ({"route": "gemv_of_yore"}, "no launches for decode/o"),
        ({"geometry": Geometry.parse("lanes=16 rows=7")}, "does not run here"),
    ],
)
def test_a_plan_that_no_longer_builds_falls_back(
    cases: Callable[[str], Case], change: dict[str, Any], why: str
) -> None:
    case = cases("tiny-llama")
    gone = [m.model_copy(update=change) if m.work.op == "o" else m for m in case.members]
    out = install(case.model, case.facts, case.files, gone, CHIP)
    assert not out.active and out.fallbacks
    assert all(why in u.reason for u in out.fallbacks)


def test_interfaces_that_do_not_meet(cases: Callable[[str], Case]) -> None:
    case = cases("tiny-llama")
    eights = {m.step_start: m for m in whole_token(case.facts, q8=True)}
    mixed = [eights[m.step_start] if m.work.op == "attention" else m for m in case.members]
    assert mixed != list(case.members)
    plan = DecodePlan(case.facts, case.files, mixed, "CPU", CONTEXT, CHIP, case.model)
    assert any("att.f32, which nothing before it writes" in u.reason for u in plan.fallbacks)


def test_the_position_moves_last(cases: Callable[[str], Case]) -> None:
    """Launches before may read it early, while the token's others still run."""
    case = cases("tiny-llama")

    def twice(member: Member, target: Target) -> tuple[Launch, ...]:
        launches = decode_plan.lower(member, target)
        return launches * 2 if member is case.members[-1] else launches

    about = case.facts, case.files, case.members, "CPU", CONTEXT, CHIP, case.model
    assert not DecodePlan(*about).fallbacks
    (no,) = DecodePlan(*about, lower=twice).fallbacks
    assert "moves the position on, and other launches follow" in no.reason


def test_an_architecture_that_stock_would_compute_wrongly(tmp_path: Path) -> None:
    from boltbeam.models import gguf_writer

    head = gguf_writer.header({"general.architecture": "gemma2"}, [])
    (tmp_path / "m.gguf").write_bytes(head)
    with pytest.raises(BoltbeamError, match="architecture 'gemma2' is unknown"):
        tinygrad_model.load_model(tmp_path / "m.gguf", 64, "CPU")


# ---- first use -----------------------------------------------------------------------------------


class Notes(dict[str, dict[str, Any]]):
    def put(self, key: str, value: dict[str, Any]) -> None:
        self[key] = json.loads(json.dumps(value))


def test_first_use_is_checked_once(cases: Callable[[str], Case]) -> None:
    case, notes = cases("tiny-llama"), Notes()
    said: list[str] = []
    first = case.install(memory=notes, check_prompt=PROMPT, say=said.append)
    first.uninstall()
    again = case.install(memory=notes, check_prompt=PROMPT, say=said.append)
    again.uninstall()
    assert (first.remembered, again.remembered, len(said)) == (False, True, 1)
    assert first.check == again.check and first.check is not None
    assert first.check.result.positions == 2 * CONTEXT
    assert first.check.prompt_rates is not None and first.check.prompt_rates.plan_us > 0
    assert [k for k in notes if not k.startswith("drawing/")] == [key_of(case)]
    assert case.facts.header_hash in key_of(case)


def test_what_draws_is_proved_once(
    cases: Callable[[str], Case], monkeypatch: pytest.MonkeyPatch
) -> None:
    case, notes, proofs = cases("tiny-llama"), Notes(), []
    prove = draws.prove
    monkeypatch.setattr(draws, "prove", lambda *a, **k: proofs.append(prove(*a, **k)) or proofs[-1])
    for _ in range(2):
        out = case.install(memory=notes)
        assert out.plan is not None and out.plan.undrawn == ""
        out.uninstall()
    (key,) = (k for k in notes if k.startswith("drawing/"))
    assert [p.ok for p in proofs] == [True] and f"/{CHIP.id}/CPU/" in key
    assert proofs[0].emitter_hash in key and Proof.model_validate(notes[key]) == proofs[0]


def test_a_plan_whose_kernels_draw_wrongly_leaves_it_to_stock(
    cases: Callable[[str], Case], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Greedy tokens stay the plan's; at a temperature stock's own rollout runs, in both ways."""
    right, notes, said = sample.noisy, Notes(), []

    def next_entry(logit: Any, index: Any, *drawn_by: Any) -> Any:
        return right(logit, index + 1, *drawn_by)

    monkeypatch.setattr(sample, "noisy", next_entry)
    case = cases("tiny-llama")
    out = case.install(memory=notes, say=said.append)
    try:
        assert out.active and out.plan is not None and "error-bound" in out.plan.undrawn
        assert any("stock draws: proof of its kernels" in s for s in said)
        assert not any(k.startswith("drawing/") for k in notes)
        drawn = list(generate(out, PROMPT, 5, temperature=0.9, seed=3))
        assert len(drawn) == 5 and out.prompt_by == "stock (the plan may not draw)"
        assert list(out.plan._graphs) == [False]
        with pytest.raises(BoltbeamError, match="draws no token here"):
            out.plan.draw(0.9, 3)
        greedy = list(generate(out, PROMPT, 5))
        assert greedy == list(out.plan.greedy(PROMPT, 5)) and "plan" in out.prompt_by
    finally:
        out.uninstall()


@pytest.mark.parametrize("wrong", WRONG)
def test_first_use_refuses_a_wrong_plan(cases: Callable[[str], Case], wrong: type[Binder]) -> None:
    case = cases("tiny-llama")
    assert not first_use_check(case.model, case.bind(wrong), positions=12).ok


def test_a_remembered_failure_falls_back(cases: Callable[[str], Case]) -> None:
    case, notes = cases("tiny-llama"), Notes()
    t = Trace((1,), (2,), np.eye(8, dtype=np.float32)[2:3])
    failed = FirstUse(result=judge([t], [Reply(np.eye(8, dtype=np.float32)[3:4], ())]))
    notes.put(key_of(case), failed.model_dump(mode="json"))
    out = case.install(memory=notes)
    assert not out.active and "first use: diverged" in out.fallbacks[0].reason


def test_what_cannot_be_read_was_not_remembered(cases: Callable[[str], Case]) -> None:
    case, notes = cases("tiny-llama"), Notes()
    case.install(memory=notes).uninstall()
    kept = dict(notes)
    for name in kept:
        notes.put(name, {"result": 5})
    out = case.install(memory=notes)
    assert out.active and not out.remembered
    out.uninstall()
    assert {n: set(v) for n, v in notes.items()} == {n: set(v) for n, v in kept.items()}


# ---- the real model ------------------------------------------------------------------------------


@pytest.mark.model
@pytest.mark.slow
def test_real_model_tokens_equal_stock_and_wrong_plans_do_not(smollm2: Path) -> None:
    model, facts, files = load(smollm2)
    members = whole_token(facts)
    prompt = [6403, 1980, 253, 655, 28, 281, 253, 1165, 6560, 411, 260, 3426, 28]
    for binder in (Binder, *WRONG):
        plan = DecodePlan(facts, files, members, "CPU", CONTEXT, CHIP, model, binder=binder)
        result = first_use_check(model, plan, prompt, positions=12)
        assert result.ok == (binder is Binder), result.line()
    rates = measure_prompt(model, plan)
    assert rates.plan_us > 0 and rates.stock_us > 0
