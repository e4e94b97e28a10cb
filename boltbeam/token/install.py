"""Puts a decode plan into tinygrad's own runner, and generates with it.

Takes a loaded Transformer and plan members, gives an Installation. Never edits tinygrad, never uses
a plan that did not agree with stock on this very file, nor draws by kernels that were not proved.
"""

from __future__ import annotations

import os
import secrets
import time
import zlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal, Protocol

import numpy as np
from pydantic import ValidationError

from boltbeam import registry
from boltbeam.measure import software
from boltbeam.measure.locks import lock
from boltbeam.models import gguf_model
from boltbeam.models.plan import plan_key
from boltbeam.proof import draws
from boltbeam.schedule.schedules import Seeded
from boltbeam.seam import tinygrad_adapter as tg
from boltbeam.seam import tinygrad_model
from boltbeam.token.agreement import GateResult, Reply, Trace, judge
from boltbeam.token.decode_plan import DecodePlan, Lower, Member, lower
from boltbeam.types import BoltbeamError, ChipFacts, Frozen, ModelFacts, Uncovered

CHECKED_POSITIONS = 64
HOTTEST = 1e6
"""Temperature at most: all logits are as good as equal long before."""
PROBED_TOKENS = 32
"""Prompt tokens per sample when the two ways through a prompt are timed: stock's own chunk."""

HOPELESS = 3.0
"""A way through a prompt that takes so many times as long as the other is timed once."""


class Memory(Protocol):
    """Where first-use checks are remembered: string keys, JSON values."""

    def get(self, key: str) -> dict[str, Any] | None: ...

    def put(self, key: str, value: dict[str, Any]) -> None: ...


Referee = Callable[[Sequence[int], int], tuple[Trace, np.ndarray]]
"""(prompt, n) -> stock's n greedy choices after it, and the KV caches (layer by layer) it left."""


class PromptRates(Frozen):
    """Microseconds per prompt token, measured on this machine."""

    plan_us: float
    stock_us: float

    @property
    def faster(self) -> Literal["plan", "stock"]:
        return "plan" if self.plan_us <= self.stock_us else "stock"


class FirstUse(Frozen):
    """What the first run of a file with a plan found."""

    result: GateResult
    prompt_rates: PromptRates | None = None

    @classmethod
    def remembered(cls, memory: Memory | None, key: str) -> FirstUse | None:
        """What was found before; None where that is nothing, or cannot be read."""
        known = memory.get(key) if memory is not None else None
        with suppress(ValidationError):
            return None if known is None else cls.model_validate(known)
        return None


@dataclass
class Installation:
    """The state of the plugin on one model."""

    model: Any
    plan: DecodePlan | None
    fallbacks: tuple[Uncovered, ...] = ()
    """Why stock runs, when it does."""
    check: FirstUse | None = None
    remembered: bool = False
    """True when the check was made by an earlier run."""
    stock_rollout: Any = None
    seeded: Seeded | None = None
    """Schedules of tinygrad's own kernels in the stock runner, where a table is in use."""
    prompt_by: str = field(default="", init=False)
    """Which way the last generate() took its prompt, and why."""

    @property
    def active(self) -> bool:
        """True where the rollout is not plain stock's; a table counts once it was captured."""
        plan = self.plan is not None and isinstance(self.model.rollout_jit, Rollout)
        return plan or (self.seeded is not None and bool(self.seeded.used))

    @property
    def refused(self) -> tuple[Uncovered, ...]:
        """Entries of the table that stock's own schedule does instead, as far as is known now."""
        found = self.seeded.refused if self.seeded else {}
        return tuple(Uncovered(name=f"kernel {k}", reason=why) for k, why in found.items())

    def replays(self, temperature: float = 0.0) -> bool:
        """True where the next token at this temperature compiles and captures nothing."""
        rollout = self.model.rollout_jit
        if isinstance(rollout, Rollout):
            return not (temperature > 0 and rollout.plan.undrawn) or tg.replays(rollout.stock)
        return tg.replays(rollout)

    def uninstall(self) -> None:
        """Give stock its rollout back; the KV cache stays valid."""
        if self.seeded is not None:
            self.seeded.undo()
            self.model.rollout_jit, self.seeded = self.stock_rollout, None
        elif self.active:
            self.model.rollout_jit = self.stock_rollout


class Rollout:
    """Stands in for stock's rollout_jit: one token by the plan."""

    def __init__(self, plan: DecodePlan, stock: Any) -> None:
        self.plan, self.stock = plan, stock
        self._drawing: tuple[Any, float, int] | None = None

    def __call__(self, tokens: Any, start_pos: Any, temperature: Any) -> Any:
        """(1, 1) tokens at `start_pos` -> (1, 1) next token, overwritten by the next call."""
        if tuple(tokens.shape) != (1, 1):
            return self.stock(tokens, start_pos, temperature)
        drawing = self._drawn_by(temperature)
        if drawing[0] > 0 and self.plan.undrawn:
            return self.stock(tokens, start_pos, temperature)
        position = tinygrad_model.position_of(start_pos)
        mine = tg.same_buffer(tokens, self.plan.token)
        if not (mine and position == self.plan.position):
            self.plan.reset_at(int(tg.scalar(tokens)), position)
        self.plan.draw(*drawing)
        self.plan.step()
        return self.plan.token

    def _drawn_by(self, temperature: Any) -> tuple[float, int]:
        """Temperature and seed, found once per tensor: generate() passes one for all its tokens."""
        if self._drawing is None or self._drawing[0] is not temperature:
            value = tg.scalar(temperature)
            self._drawing = (temperature, value, tg.random_seed() if value > 0 else 0)
        return self._drawing[1:]


def switched_off() -> bool:
    """BOLTBEAM=0 switches the plugin off."""
    return os.environ.get("BOLTBEAM") == "0"


def install(
    model: Any,
    facts: ModelFacts,
    files: Sequence[Path],
    members: Sequence[Member],
    chip: ChipFacts,
    memory: Memory | None = None,
    check_prompt: Sequence[int] = (),
    check: bool = True,
    lower: Lower = lower,
    say: Callable[[str], None] = lambda _text: None,
    referee: Referee | None = None,
) -> Installation:
    """Let `model` decode by the plan: generate() and the server of tinygrad use it from now on.

    The whole plan or nothing: when a step is not covered, or the file's first-use check fails,
    stock keeps running and `fallbacks` says why. `files` are the parts of the GGUF, in order. `say`
    is told before the check, which stock makes slow. Where stock is not exact on the chip, the
    check needs a `referee`: stock on a device where it is. What draws is proved with the check,
    once on a chip; where that fails stock draws.
    """
    stock = model.rollout_jit
    if isinstance(stock, Rollout):
        raise BoltbeamError("install: this model already has a plan; uninstall it first")
    if switched_off():
        return Installation(model, None, (Uncovered(name="plugin", reason="BOLTBEAM=0"),))
    plan = DecodePlan(facts, files, members, chip.device, model.max_context, chip, model, lower)
    fallbacks = plan.fallbacks or _trial(plan)
    if fallbacks:
        return Installation(model, None, fallbacks)
    model._cached_tokens = []
    if plan.copies:
        say(
            f"the plan holds {sum(plan.copies.values()):,} bytes of weights beside stock's: "
            f"{', '.join(sorted(plan.copies))}"
        )
    out = Installation(model, plan, stock_rollout=stock)
    if check:
        try:
            found = _checked(
                model,
                plan,
                gguf_model.fingerprint(files[0]),
                chip,
                memory,
                check_prompt,
                say,
                referee,
            )
        except BoltbeamError as e:
            return Installation(model, None, (Uncovered(name="plan", reason=f"first use: {e}"),))
        out.check, out.remembered = found
        if not out.check.result.ok:
            reason = f"first use: {out.check.result.line()}"
            return Installation(
                model, None, (Uncovered(name="plan", reason=reason),), out.check, out.remembered
            )
        plan.undrawn = _undrawn(plan, memory)
        if plan.undrawn:
            say(f"above temperature 0 stock draws: {plan.undrawn}")
    model.rollout_jit = Rollout(plan, stock)
    return out


def _trial(plan: DecodePlan) -> tuple[Uncovered, ...]:
    """Capture the plan by one token; why it cannot run here, if so (compiler, driver, memory)."""
    try:
        plan.reset([0])
        plan.step()
        plan.ids(1)
    except Exception as e:
        first = (str(e).splitlines() or [""])[0]
        why = f"does not run here: {type(e).__name__}: {first}"
        return (Uncovered(name="plan", reason=why),)
    return ()


def memory_key(fingerprint: str, members: Sequence[Member], device: str) -> str:
    """Identity of a first-use check: file, plan with its routes, device and its software."""
    routes = plan_key((f"{m.work.key}|{m.route}|{m.geometry}", 1) for m in members)
    return f"first-use/{fingerprint}/{routes}/{device}/{software.identity(device)}"


def _undrawn(plan: DecodePlan, memory: Memory | None) -> str:
    """Why the plan must not draw on this device; empty where its kernels are proved."""
    member = max(plan.members, key=lambda m: m.step_start)
    about = member.work, registry.route(member.route), member.geometry, plan.target
    key = f"drawing/{draws.identity(*about)}/{software.identity(plan.device)}"
    if memory is not None and (memory.get(key) or {}).get("ok") is True:
        return ""
    # of the key, so that other chips, members and software try other entries
    proof = draws.prove(*about, seed=zlib.crc32(key.encode()))
    if proof.ok and memory is not None:
        memory.put(key, proof.model_dump(mode="json"))
    return "" if proof.ok else f"proof of its kernels: {proof.reason} {proof.where}".strip()


def _checked(
    model: Any,
    plan: DecodePlan,
    fingerprint: str,
    chip: ChipFacts,
    memory: Memory | None,
    prompt: Sequence[int],
    say: Callable[[str], None],
    referee: Referee | None,
) -> tuple[FirstUse, bool]:
    key = memory_key(fingerprint, plan.members, plan.device)
    if known := FirstUse.remembered(memory, key):
        return known, True
    say(
        f"first use of this file with this plan: comparing {CHECKED_POSITIONS} positions with stock"
    )
    if referee is None and not chip.exact_stock:
        raise BoltbeamError(f"stock is not exact on {chip.device}, so it cannot check the plan")
    result = first_use_check(model, plan, prompt, referee=referee)
    rates = None
    if result.ok and chip.exact_stock:
        with lock(chip.id):
            rates = measure_prompt(model, plan)
    check = FirstUse(result=result, prompt_rates=rates)
    if memory is not None:
        memory.put(key, check.model_dump(mode="json"))
    return check, False


def first_use_check(
    model: Any,
    plan: DecodePlan,
    prompt: Sequence[int] = (),
    positions: int = CHECKED_POSITIONS,
    referee: Referee | None = None,
) -> GateResult:
    """Teacher-forced comparison with stock on this file over `positions` positions, twice.

    Once on the KV cache that stock wrote, once on the plan's own: a plan that turns RoPE by one
    position too many is right alone and wrong after stock's prefill. The text is the prompt
    (default: seven ids spread over the vocabulary), continued greedily by stock; a `referee` says
    what stock chose and left in the caches, where the model's own stock cannot.
    """
    positions = min(positions, plan.context)
    vocab = plan.facts.vocab
    text = list(prompt or (vocab * i // 8 for i in range(1, 8)))[:positions]
    if referee is None:
        trace = stock_trace(tinygrad_model.stock_decoder(model), text[:1], positions, text[1:])
    else:
        trace, caches = referee(text, min(positions, plan.context - len(text)))
        for layer, values in enumerate(caches):
            tg.write(tinygrad_model.cache_tensor(model, layer), values)
    first = len(trace.prompt) - 1
    shared = Reply(plan.backwards(trace.text, first), ())
    alone = Reply(np.stack(list(plan.forced(trace.text, first))), ())
    model._cached_tokens = []
    return judge([trace, trace], [shared, alone], numerics(plan.members))


def stock_trace(
    decode: Callable[[int, int], np.ndarray],
    prompt: Sequence[int],
    n: int,
    forced: Sequence[int] = (),
) -> Trace:
    """Stock's choice at n positions after a prompt; `forced` ids are fed in place of its first."""
    for i, token in enumerate(prompt[:-1]):
        decode(token, i)
    fed, chosen, rows = list(prompt), [], []
    for i in range(n):
        rows.append(decode(fed[-1], len(fed) - 1))
        chosen.append(int(rows[-1].argmax()))
        fed.append(int(forced[i]) if i < len(forced) else chosen[-1])
    return Trace(tuple(prompt), tuple(chosen), np.stack(rows), fed=tuple(fed[:-1]))


def numerics(members: Sequence[Member]) -> str:
    """`q8_activations` when any route rounds activations, else `exact`."""
    kinds = {registry.route(m.route).numerics for m in members}
    return "q8_activations" if "q8_activations" in kinds else "exact"


def measure_prompt(model: Any, plan: DecodePlan) -> PromptRates:
    """Time stock's prefill chunk and the plan's token-by-token way, in turns; best of rounds."""
    n = min(PROBED_TOKENS, plan.context - 1)
    best = first_token(model, plan, n, ("stock", "plan"))
    return PromptRates(plan_us=best["plan"] / n * 1e6, stock_us=best["stock"] / n * 1e6)


def first_token(
    model: Any,
    plan: DecodePlan | None,
    n: int,
    ways: Sequence[str],
    rounds: int = 3,
    warm: bool = False,
) -> dict[str, float]:
    """Seconds from a prompt of n tokens to the first id, warm, by each way; best of rounds.

    Ways are `stock` and `plan`; they take turns, and one that is hopelessly slow has had its last
    after the first round. `warm`: they ran before. The model's memory of its text is cleared.
    """
    vocab = model.token_embd.weight.shape[0]
    prompt = [vocab * i // (n + 1) for i in range(1, n + 1)]

    def by_stock() -> None:
        model._cached_tokens = []
        next(model.generate(list(prompt), chunk_size=PROBED_TOKENS))

    def by_plan() -> None:
        assert plan is not None
        plan.reset(prompt)
        for _ in prompt:
            plan.step()
        plan.ids(n + 1)

    runs = {"stock": by_stock, "plan": by_plan}
    best = dict.fromkeys(ways, float("inf"))
    for name in () if warm else ways:
        runs[name]()
        runs[name]()
    for turn in range(rounds):
        for name in ways if turn == 0 else in_question(best):
            start = time.perf_counter()
            runs[name]()
            best[name] = min(best[name], time.perf_counter() - start)
    model._cached_tokens = []
    return best


def in_question(best: Mapping[str, float]) -> list[str]:
    """The ways that may still be the quickest one."""
    quickest = min(best.values())
    return [name for name, seconds in best.items() if seconds <= HOPELESS * quickest]


def generate(
    installed: Installation,
    prompt: Sequence[int],
    n: int,
    stop: Sequence[int] = (),
    prompt_by: Literal["auto", "plan", "stock"] = "auto",
    burst: int | None = None,
    temperature: float = 0.0,
    seed: int | None = None,
) -> Iterator[int]:
    """Up to n ids after a prompt; ends after a `stop` id or when the context is full.

    Greedy at temperature 0; above it the plan draws on the device, by the `seed` (default: another
    one each time). The same plan, prompt, temperature and seed give the same text.

    `burst` tokens are queued between two reads of the ids, so that a GPU seldom waits for the host
    (default: 1 on a CPU, else 4). The prompt goes the way that was measured faster;
    `installed.prompt_by` says which. Without a plan stock generates.
    """
    model, plan = installed.model, installed.plan
    if not prompt:
        raise BoltbeamError("generate: the prompt is empty; give at least one token")
    if not 0 <= temperature <= HOTTEST:
        raise BoltbeamError(f"generate: temperature {temperature} is not from 0 to {HOTTEST:g}")
    last = min(len(prompt) + n, model.max_context)
    if last <= len(prompt):
        return
    undrawn = plan is not None and temperature > 0 and bool(plan.undrawn)
    if plan is None or not installed.active or undrawn:
        why = "the plan may not draw" if undrawn else "no plan"
        installed.prompt_by = f"stock ({'schedules' if installed.seeded else why})"
        tokens = model.generate(list(prompt), temperature=temperature)
        yield from _until(tokens, last - len(prompt), stop)
        return
    way, why = _prompt_way(installed, prompt_by)
    installed.prompt_by = f"{way} ({why})"
    drawing = (temperature, secrets.randbits(32) if seed is None else seed)
    burst = burst or burst_of(plan.device)
    tokens = _decode(model, plan, list(prompt), last, way, burst, drawing)
    yield from _until(tokens, last - len(prompt), stop)


def burst_of(device: str) -> int:
    """Tokens queued between two reads of the ids."""
    return 1 if device.startswith("CPU") else 4


def _until(tokens: Iterator[int], n: int, stop: Sequence[int]) -> Iterator[int]:
    for i, token in enumerate(tokens, start=1):
        yield token
        if i >= n or token in stop:
            return


def _decode(
    model: Any,
    plan: DecodePlan,
    ids: list[int],
    last: int,
    way: str,
    burst: int,
    drawing: tuple[float, int],
) -> Iterator[int]:
    """Ids up to position `last` - 1, by the plan; the first by stock if it takes the prompt, but
    for one that is drawn: stock then leaves the prompt's last position to the plan."""
    start = model.get_start_pos(list(ids))
    if way == "stock" and drawing[0] == 0:
        ids.append(next(model.generate(list(ids))))
        start = len(ids) - 1
        yield ids[-1]
    elif way == "stock" and start < len(ids) - 1:
        next(model.generate(ids[:-1]))
        start = len(ids) - 1
    plan.reset(ids, start)
    plan.draw(*drawing)
    while len(ids) < last:
        while plan.position < min(len(ids) - 1 + burst, last - 1):
            plan.step()
        for token in plan.ids()[len(ids) :]:
            ids.append(token)
            model._cached_tokens = ids[:-1]
            yield token


def _prompt_way(
    installed: Installation, wish: Literal["auto", "plan", "stock"]
) -> tuple[Literal["plan", "stock"], str]:
    rates = installed.check.prompt_rates if installed.check else None
    if wish != "auto":
        return wish, "asked for"
    if rates is None:
        return "plan", "not measured"
    return (
        rates.faster,
        f"measured {rates.plan_us:.0f} us a token by plan, {rates.stock_us:.0f} by stock",
    )
