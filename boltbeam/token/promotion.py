"""The gates between a searched plan and the plan in use, and the line that records the answer.

Takes the summary of a search, gives gates, whole-token rows and a decision. Never promotes what a
gate refused, never trusts a kernel window: whole tokens in fresh processes decide.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import Any

from boltbeam import emit, registry
from boltbeam.emit.core import Launch, Target
from boltbeam.measure import software
from boltbeam.models import gguf_model, plan
from boltbeam.proof import verify
from boltbeam.records import decisions, record, standing, verified
from boltbeam.records.decide import COLD_FACTOR, decide
from boltbeam.records.entries import Decision, Gate, LedgerRow, Member, Scope
from boltbeam.records.ledger import Layers
from boltbeam.schedule import schedules
from boltbeam.token import quality, token_gate
from boltbeam.token.agreement import GateResult
from boltbeam.token.decode_plan import Member as Placed
from boltbeam.token.decode_plan import place
from boltbeam.token.install import FirstUse, Memory, PromptRates, memory_key, numerics
from boltbeam.token.schedule_install import table_key
from boltbeam.token.token_gate import Engine, TokenTimes
from boltbeam.types import (
    OPS,
    BoltbeamError,
    ChipFacts,
    GateFailed,
    Measurement,
    ModelFacts,
    Outcome,
    Uncovered,
    Verdict,
)

Say = Callable[[str], None]
How = tuple[str, str, str]
"""Work key, route, geometry."""
PROMPTS = (
    "<|im_start|>user\nWhat is the capital of France?<|im_end|>\n<|im_start|>assistant\n",
    "Once upon a time, in a small village by the sea,",
    "def fibonacci(n):\n",
)
"""Texts of the token gate, where the model brings a tokenizer."""
AA_ROUNDS = 6
"""Turns per engine; A B B A, so that drift hits all alike."""
CONTEXT_ENOUGH = max(len(p.encode()) for p in PROMPTS) + 1 + token_gate.TOKENS
"""Context that the token gate never exceeds: no prompt has more tokens than bytes and a begin."""
TIMED_TOKENS = 24
INEXACT_TOKENS = 6
"""Tokens per turn of a stock whose answers nobody can use: few, because it is slow as well."""


@dataclass(frozen=True)
class Gates:
    """Everything the gates found, for a person to read before saying yes."""

    engine: Engine
    gates: dict[str, Gate]
    tokens: tuple[GateResult, ...]
    times: TokenTimes
    """At the first position."""
    rows: tuple[LedgerRow, ...]
    """The whole token, one row per position measured."""
    replaces: Decision | None
    prompt_rates: PromptRates | None
    """How fast the plan and stock take a prompt; not measured where a gate failed."""

    @property
    def failed(self) -> tuple[str, ...]:
        return tuple(n for n, g in self.gates.items() if not g.passed)


def run_gates(
    found: Mapping[str, Any],
    layers: Layers,
    env: record.Environment,
    cache: Path | None,
    recorded: Path | None,
    say: Say,
) -> Gates:
    """All gates of a search's plan, cheapest first.

    `found` is search_session.summary. Raises BoltbeamError where there is no plan or no model file,
    GateFailed where proofs or scope say no: nothing has run then.
    """
    model, facts, chip, context, engine, gates = _ready(found, layers)
    incumbent = standing.active_plan(layers, chip.id, found["plan_key"])
    stock = token_gate.referee_name(engine)
    if not chip.exact_stock:
        say(f"stock is not exact on {chip.device}: reference and stock's time are {stock}'s")
    say(f"reference token: {stock} in a fresh process, then the plan")
    ids = _prompts(model)
    tokens = token_gate.gate(engine, ids, cache=cache, recorded=recorded)
    for result in tokens:
        gates[f"tokens, {result.against}"] = Gate(
            passed=result.ok, number=len(result.mismatches), detail=result.line()
        )
    gates["quality"] = _quality_gate(engine, tokens)
    say("whole token: stock, incumbent and candidate in fresh processes, in turns")
    engines = {"candidate": engine, stock: token_gate.referee_of(engine)}
    if incumbent is not None:
        engines["incumbent"] = engine_of(incumbent, model, facts, chip, context, layers)
    against = "incumbent" if incumbent is not None else stock
    times = _times(engines, context)
    if not chip.exact_stock:
        say(_own_stock(engine))
    floor = token_floor_us(facts, chip, context) if engine.members else None
    wrong = diverged(tokens, gates["quality"])
    token_rows = tuple(
        _token_row(found, t, against, tokens, engine, env, floor, wrong=wrong) for t in times
    )
    gates |= decisions.token_gates(token_rows)
    passed = all(g.passed for g in gates.values())
    rates = None
    if passed and engine.members and chip.exact_stock:
        say("prompt: by the plan and by stock's prefill, in turns")
        rates = token_gate.prompt_rates(engine)
    return Gates(engine, gates, tokens, times[0], token_rows, incumbent, rates)


def _ready(
    found: Mapping[str, Any], layers: Layers
) -> tuple[Path, ModelFacts, ChipFacts, int, Engine, dict[str, Gate]]:
    """(file, model, chip, context, engine, gates passed before anything runs) of a search's plan.

    Raises as run_gates.
    """
    if not found["members"]:
        raise BoltbeamError("promote: the last search found no whole plan; search again")
    model = Path(found["model"])
    facts = gguf_model.read(model)
    if facts.header_hash != found["header_hash"]:
        raise BoltbeamError(f"promote: {model.name} is not the file that was searched; search it")
    chip, context = ChipFacts.model_validate(found["chip"]), int(found["context"])
    engine = engine_found(found["members"], model, facts, chip, context)
    rows = {r.id: r for r in layers.rows(chip=chip.id)}
    gates = {"proof": _proof_gate([m["row"] for m in found["members"]], rows)}
    cited = [rows[m["row"]] for m in found["members"] if m["row"] in rows]
    if engine.members and cited:
        differ = differences(cited[0].scope, cited, engine.members, chip, cited)
        gates["scope"] = Gate(
            passed=not any(d.hard for d in differ),
            detail="; ".join(map(str, differ)) or "software and emitters are those of the rows",
        )
    for name, gate in gates.items():
        if not gate.passed:
            raise GateFailed(f"promote: refused by {name}: {gate.detail}")
    return model, facts, chip, context, engine, gates


def nominate(
    found: Mapping[str, Any], layers: Layers, env: record.Environment, say: Say
) -> tuple[dict[str, Gate], tuple[TokenTimes, ...], tuple[LedgerRow, ...]]:
    """(gates, times, rows) of a plan whose tokens nothing can be held against: random weights.

    Its kernels are proved, its whole token is timed beside stock; each row says on which real model
    its routes were verified. Raises as run_gates.
    """
    _, facts, chip, context, engine, gates = _ready(found, layers)
    say("whole token: stock and candidate in fresh processes, in turns")
    times = _times({"candidate": engine, "stock": token_gate.referee_of(engine)}, context)
    floor = token_floor_us(facts, chip, context) if engine.members else None
    ways = ((m["route"], m["work_key"]) for m in found["members"])
    where = verified.verified_on(ways, layers, chip.id)
    rows = tuple(_token_row(found, t, "stock", (), engine, env, floor, where) for t in times)
    return gates, times, rows


def _times(engines: Mapping[str, Engine], context: int) -> tuple[TokenTimes, ...]:
    """Whole tokens of the engines at the first position and near the last."""
    starts = sorted({0, max(0, context - TIMED_TOKENS - 8)})
    return token_gate.timing(engines, TIMED_TOKENS, starts, AA_ROUNDS // 2)


def engine_found(
    found: Sequence[Mapping[str, Any]],
    model: Path,
    facts: ModelFacts,
    chip: ChipFacts,
    context: int,
) -> Engine:
    """What runs the members of a search's summary: a plan, or stock with a table of Opts."""
    engine = Engine(model=str(model), chip=chip, context=context)
    if all(m["route"] == schedules.ROUTE for m in found):
        table = {m["work_key"].split("/")[2]: m["geometry"] for m in found}
        return engine.model_copy(update={"table": table})
    options = [plan.Option(**{k: v for k, v in m.items() if k != "row"}) for m in found]
    return engine.model_copy(update={"members": place(facts, context, options)})


def engine_of(
    decision: Decision,
    model: Path,
    facts: ModelFacts,
    chip: ChipFacts,
    context: int,
    layers: Layers,
) -> Engine:
    """What runs a promoted plan."""
    engine = Engine(model=str(model), chip=chip, context=context)
    if table := schedules.table_of(decision.members):
        return engine.model_copy(update={"table": table})
    return engine.model_copy(update={"members": placed(facts, context, decision, layers)})


def _own_stock(engine: Engine) -> str:
    """Speed of the device's own stock, which is no reference there: for a person to see."""
    both = {"candidate": engine, "stock": token_gate.stock_of(engine)}
    (times,) = token_gate.timing(both, INEXACT_TOKENS, [0], 1)
    speeds = ", ".join(f"{n} {1e3 / times.median_ms(n):.1f}" for n in both)
    return f"for the record, tok/s in turns on {engine.chip.device} itself: {speeds}"


def cited(decision: Decision, layers: Layers) -> tuple[LedgerRow, ...]:
    """Rows that the members of a plan cite, as far as these layers have them."""
    ids = {m.row for m in decision.members}
    return tuple(r for r in layers.rows(chip=decision.scope.chip) if r.id in ids)


def placed(
    facts: ModelFacts, context: int, decision: Decision, layers: Layers
) -> tuple[Placed, ...]:
    """The members of a promoted plan at their places in the token."""
    return place(facts, context, _options(decision, layers))


def kernels_us(facts: ModelFacts, context: int, decision: Decision, layers: Layers) -> float | None:
    """Microseconds of a promoted plan's kernels in one token, as its rows measured them; None:
    these layers lack some, or it has no place in today's token."""
    options = _options(decision, layers)
    us = {(o.work_key, o.route, o.geometry): o.us for o in options}
    if not all(us.values()) or not (made := place(facts, context, options)):
        return None
    return sum(us[p.work.key, p.route, str(p.geometry)] for p in made)


def _options(decision: Decision, layers: Layers) -> list[plan.Option]:
    """The members of a promoted plan, with what their rows measured; 0: no such row here."""
    rows = {r.id: r for r in layers.rows(chip=decision.scope.chip)}
    options = []
    for m in decision.members:
        row = rows.get(m.row)
        us = median(row.candidate_us) if row is not None and row.candidate_us else 0.0
        options.append(plan.Option(m.work, m.route, m.geometry, m.takes, m.gives, us, m.row))
    return options


def differences(
    scope: Scope,
    members: Iterable[Member | LedgerRow],
    placed: Sequence[Placed],
    chip: ChipFacts,
    rows: Iterable[LedgerRow] = (),
) -> tuple[standing.Mismatch, ...]:
    """What a plan was measured with and is otherwise here, hard differences first.

    Hard: another tinygrad, or an emitter that makes another text than `rows` (those that the
    members cite) measured, is another kernel, whose numbers and proofs do not hold. Soft (driver,
    compiler, memory; an emitter that makes the same text): used, after a first-use check with them.
    """
    here = software.scope(chip, scope.plan_key)
    whole = scope.model_copy(update={"work": "", "emitter_hash": ""})
    found = list(standing.mismatches(whole, here))
    recorded = {(m.work, m.route, m.geometry): m.emitter_hash for m in members}
    measured = {(r.work, r.route, r.geometry): r for r in rows}
    for how, launches in _built(placed, chip).items():
        was, now = recorded.get(how, ""), verify.emitter_hash(launches)
        if was and was != now:
            hard = not _renders(launches, chip.device, measured.get(how))
            found.append(standing.Mismatch("emitter_hash", was, now, hard))
    return tuple(sorted(dict.fromkeys(found), key=lambda m: not m.hard))


def emitter_hashes(placed: Iterable[Placed], chip: ChipFacts) -> dict[How, str]:
    """(work, route, geometry) of each member -> hash of the emitters that build it now."""
    return {how: verify.emitter_hash(made) for how, made in _built(placed, chip).items()}


def _built(placed: Iterable[Placed], chip: ChipFacts) -> dict[How, tuple[Launch, ...]]:
    target = Target(chip.device, chip)
    return {
        (p.work.key, p.route, str(p.geometry)): emit.launches(
            p.work, registry.route(p.route), p.geometry, target
        )
        for p in placed
    }


def _renders(launches: Sequence[Launch], device: str, row: LedgerRow | None) -> bool:
    """Whether today's emitters make the very text that a row measured."""
    if row is None or not row.source_hash:
        return False
    return verify.digest(verify.rendered(launches, device)) == row.source_hash


def unusable(
    decision: Decision, placed: Sequence[Placed], chip: ChipFacts, say: Say, layers: Layers
) -> Uncovered | None:
    """Why a promoted plan may not be used here; `say` is told of soft differences."""
    differ = differences(decision.scope, decision.members, placed, chip, cited(decision, layers))
    if hard := "; ".join(str(d) for d in differ if d.hard):
        reason = f"{decision.id} was measured otherwise: {hard}; search again"
        return Uncovered(name="plan", reason=reason)
    if differ:
        say(f"boltbeam: plan {decision.id} was measured otherwise: {'; '.join(map(str, differ))}")
    return None


def promote(found: Mapping[str, Any], gates: Gates, layers: Layers, reason: str) -> Decision:
    """The plan line of passed gates. GateFailed names every gate that said no."""
    chip = found["chip"]["id"]
    rows = {r.id: r for r in layers.rows(chip=chip)}
    members = [decisions.member(rows[m["row"]]) for m in found["members"]]
    return decisions.promote_plan(
        gates.rows[0].scope,
        members,
        gates.gates,
        [int(found["context"])],
        replaces=gates.replaces,
        reason=reason,
        evidence=[r.id for r in gates.rows],
        by=decisions.author(),
    )


def remember(gates: Gates, memory: Memory) -> None:
    """The gates were a first-use check of this very file: `run` need not make it again."""
    engine, file = gates.engine, gguf_model.fingerprint(gates.engine.model)
    if engine.table:
        key = table_key(file, engine.table, engine.chip)
    else:
        key = memory_key(file, engine.members, engine.chip.device)
    check = FirstUse(result=gates.tokens[0], prompt_rates=gates.prompt_rates)
    memory.put(key, check.model_dump(mode="json"))


def _proof_gate(ids: Sequence[str], rows: Mapping[str, LedgerRow]) -> Gate:
    unproved = [i for i in ids if i not in rows or rows[i].proof != "ok"]
    detail = (
        f"not proved or not in the ledger: {', '.join(unproved)}" if unproved else "all members"
    )
    return Gate(passed=not unproved, number=len(ids) - len(unproved), limit=len(ids), detail=detail)


def diverged(tokens: Sequence[GateResult], quality: Gate) -> Outcome | None:
    """What a plan is called whose tokens or logits are not the model's; None: they are."""
    if said := [t.line() for t in tokens if not t.ok]:
        return Outcome(verdict=Verdict.wrong, reason="tokens-diverged", detail="; ".join(said))
    if not quality.passed:
        return Outcome(
            verdict=Verdict.wrong,
            reason="quality",
            detail=quality.detail,
            number=quality.number,
            limit=quality.limit,
        )
    return None


def _quality_gate(engine: Engine, tokens: Sequence[GateResult]) -> Gate:
    """int8 activations round: how much more than a float64 emulation that rounds as they do."""
    kl = next((t.kl for t in tokens if t.kl is not None), None)
    if numerics(engine.members) == "exact":
        return Gate(passed=True, number=kl, detail="exact routes: mean KL to stock, for the record")
    found, limit = quality.measure(engine), registry.tolerances().kl_factor
    return Gate(
        passed=found.ratio <= limit,
        number=found.ratio,
        limit=limit,
        detail=f"mean KL to the exact model over {found.positions} positions {found.plan_kl:.3g}, "
        f"of a float64 emulation of q8 activations {found.emulated_kl:.3g}",
    )


def context_needed(model: Path) -> int:
    """Positions that the token gate fills: the longest prompt and the tokens after it."""
    return max(map(len, _prompts(model))) + token_gate.TOKENS


def _prompts(model: Path) -> list[list[int]]:
    """Token ids of PROMPTS; spread-out ids where the model has no usable tokenizer."""
    from boltbeam.models.tokenizer import Tokenizer

    try:
        tokenizer = Tokenizer.from_gguf(model)
    except BoltbeamError:
        vocab = gguf_model.read(model).vocab
        return [[(vocab * i * k // 11) % vocab for i in range(1, 6)] for k in (1, 2, 3)]
    return [tokenizer.encode(p) for p in PROMPTS]


def _token_row(
    found: Mapping[str, Any],
    times: TokenTimes,
    against: str,
    tokens: Sequence[GateResult],
    engine: Engine,
    env: record.Environment,
    floor_us: float | None,
    about: str = "",
    wrong: Outcome | None = None,
) -> LedgerRow:
    """`tokens`: () where nothing can be held against them; `about`: said in the row then. `wrong`:
    what stands in place of the verdict on its time."""
    from boltbeam.measure.timing import host_load
    from boltbeam.records.intervals import spread

    protocol = registry.protocols()["token-abba-v1"]
    old = times.seconds[against]
    pairs = [a / b for a, b in zip(old[::2], old[1::2], strict=True)]
    measurement = Measurement(
        protocol=protocol.id,
        candidate_us=tuple(s * 1e6 for s in times.seconds["candidate"]),
        incumbent_us=tuple(s * 1e6 for s in old),
        aa_spread=spread(pairs),
        stop_reason=f"{len(old)} turns",
        copies=1,
        runs=times.fewer.get("candidate", times.tokens),
        load=host_load(),
    )
    where = f"positions {times.start} to {times.start + times.tokens}"
    if slow := ", ".join(f"{n} {k}" for n, k in times.fewer.items()):
        where += f", but of {slow} tokens a turn"
    where += f"; {about}" if about else ""
    timed = decide(measurement, protocol, floor_us).model_copy(update={"detail": where})
    failed = next((t for t in tokens if not t.ok), None)
    return record.token_row(
        found["plan_key"],
        wrong or timed,
        env,
        tokens=(failed or tokens[0]).verdict if tokens else "",
        position=times.start,
        measurement=measurement,
        protocol=protocol,
        incumbent=against,
        floor_us=floor_us,
        numerics=numerics(engine.members),
        decision="none" if tokens else "nominated",
        members=[m["row"] for m in found["members"]],
    )


def token_bytes(facts: ModelFacts, chip: ChipFacts, context: int) -> int | None:
    """Bytes of every matrix of a token, each read once, whatever its position.

    None: they do not fill twice the cache and stay in it, or nobody knows how large that is.
    """
    cache = chip.cold_cache_bytes
    _, found = plan.occurrences(facts, context, OPS)
    matrices = [o.work for o in found if o.work.tables and o.work.op != "embed"]
    size = sum(w.bytes * w.count for w in matrices)
    return None if cache is None or size < COLD_FACTOR * cache else size


def token_floor_us(facts: ModelFacts, chip: ChipFacts, context: int) -> float | None:
    """Least microseconds to read `token_bytes`; None where the rate was never measured, too."""
    gbps, size = chip.rate("read_gbps"), token_bytes(facts, chip, context)
    return None if gbps is None or size is None else size / (gbps * 1e3)
