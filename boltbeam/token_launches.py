"""Measures the launches of a captured token: each kind alone, empty, cut in part, and all at once.

Takes a model loaded in this process with a plan or without, gives a census Token. Never predicts a
time, never looks at what is computed: proofs are elsewhere, and the KV cache is spoiled by this.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from boltbeam import clocks, timing, tinygrad_lanes, tinygrad_model, tinygrad_weights
from boltbeam import plan as token_plan
from boltbeam.census import Kind, Token
from boltbeam.decode_plan import STATE, DecodePlan, Member
from boltbeam.emit.core import Buf, Launch, dtype
from boltbeam.rotation import ROTATED_CAP_BYTES, copies_for
from boltbeam.tinygrad_launches import Launched, Tape, copied, exchanged, rollout_inputs
from boltbeam.types import OPS, ChipFacts, ModelFacts

BATCH_US = 3000.0
ROUNDS = 9
ROUNDS_MIN = 3
SECONDS = 20.0
"""Rounds go on for so long at most, after ROUNDS_MIN."""
LAUNCHES_MIN = 64
"""In a graph of one kind on a GPU: replaying a short one would cost more than its launches."""
ROTATED_MIN = 1 << 20
"""Tables below this are not turned through copies: their floor is nothing beside a launch."""
OTHER = "other"


@dataclass(frozen=True)
class About:
    """What is known of one launch beside what was captured."""

    op: str
    bytes: int
    """That it must read."""
    tables: tuple[int, ...] = ()
    """Arguments that hold weights or KV cache."""
    moves: bool = False
    """It moves the token on: what is replayed after it stands elsewhere."""


@dataclass
class Source:
    """A captured token and what each of its launches is about."""

    engine: str
    tape: Tape
    about: tuple[About, ...]
    context: int
    position: int
    restore: Callable[[], None] | None = None
    """Puts the token back to `position`."""

    @property
    def room(self) -> int:
        """Tokens that fit behind the position."""
        return max(1, self.context - self.position - 1)


# ---- whose launch is it ------------------------------------------------------------------------


def of_plan(plan: DecodePlan, position: int) -> Source:
    """The token of a decode plan."""
    plan.reset_at(1, position)
    tape = Tape(plan.captured(), plan.device)
    left = list(zip(plan.calls, plan.owners, strict=True))
    about = []
    for launched in tape.launches:  # of equal names in order: each waits for the one before
        at = next(i for i, ((launch, _), _) in enumerate(left) if launch.name == launched.name)
        (launch, keys), member = left.pop(at)
        beside = [x for (x, _), m in zip(plan.calls, plan.owners, strict=True) if m is member]
        read = must_read(plan.facts, member, beside, launch, position)
        tables = tuple(i for i, key in enumerate(keys) if key.startswith(("w:", "cache@")))
        moves = any(b.name in STATE for b in launch.outs)
        about.append(About(member.work.op, read, tables, moves))
    return Source(
        engine="promoted",
        tape=tape,
        about=tuple(about),
        context=plan.context,
        position=position,
        restore=lambda: plan.reset_at(1, position),
    )


def must_read(
    facts: ModelFacts,
    member: Member,
    beside: Sequence[Launch],
    launch: Launch,
    position: int,
) -> int:
    """Bytes: its tables (of an embedding one row), norms, and keys and values up to `position`.

    `beside`: all launches of the member. Which of them reads the cache is the one that takes it as
    an input; where it is stored in the same launch, it stands among the outputs only.
    """
    rows = {t.role: t.rows for t in member.work.tables}
    total = 0
    for buf in (*launch.outs, *launch.ins):
        kind, _, role = buf.name.partition(".")
        if kind == "w":
            total += _bytes(buf) // (rows[role] if role == "token_embd" else 1)
        elif kind == "n":
            total += _bytes(buf)
    if "attention" in member.work.ops:
        apart = any(_has_cache(x.ins) for x in beside)
        if _has_cache(launch.ins if apart else launch.outs):
            total += kv_bytes(facts, position, member.work.window)
    return total


def _has_cache(bufs: Sequence[Buf]) -> bool:
    return any(b.name == "cache" for b in bufs)


def kv_bytes(facts: ModelFacts, position: int, window: int = 0) -> int:
    """Keys and values of one layer that a token at `position` reads."""
    seen = min(position + 1, window or position + 1)
    return token_plan.kv_bytes_per_position(facts) // facts.layers * seen


def _bytes(buf: Buf) -> int:
    return int(buf.size * dtype(buf.dtype).itemsize)


def of_stock(
    model: Any, facts: ModelFacts, files: Sequence[Path], device: str, position: int, engine: str
) -> Source:
    """The token of tinygrad's own runner, by which tensors its kernels touch."""
    held = tinygrad_weights.hold(model, facts, files)
    step, token = tinygrad_model.stock_step(model), tinygrad_model.token_tensor(1)
    for _ in range(2):  # the second call is captured
        step(token, position)
    inputs, values = rollout_inputs(model, position)
    tape = Tape(model.rollout_jit, device, inputs, values)
    roles = {id(t.uop.buffer.base): facts_role(name) for name, t in held.items()}
    caches = {
        id(b.cache_kv.uop.buffer.base): layer
        for layer, b in enumerate(model.blk)
        if hasattr(b, "cache_kv")
    }
    seen = [_touched(x, roles, caches) for x in tape.launches]
    readers = max(1, sum("attention" in ops for ops, _ in seen))
    whole = sum(kv_bytes(facts, position, _window(facts, i)) for i in caches.values())
    about, embedded = [], False
    for launched, (ops, tables) in zip(tape.launches, seen, strict=True):
        if "token_embd" in ops:  # a tied head reads it too, later
            ops = (ops - {"token_embd"}) | {"head" if embedded else "embed"}
            embedded = True
        read = sum(launched.buffers[i].nbytes for i in tables if _is(launched, i, roles))
        if "embed" in ops:
            part = facts.part("token_embd")
            read = part.bytes // part.rows if part else 0
        if "attention" in ops:
            read += whole // readers
        op = "+".join(o for o in (*OPS, *sorted(ops - set(OPS))) if o in ops)
        about.append(About(op or OTHER, read, tables))
    return Source(engine, tape, tuple(about), model.max_context, position)


def facts_role(name: str) -> str:
    """Op that a tensor of the file belongs to: `blk.0.ffn_gate.weight` -> gate_up."""
    words = name.removesuffix(".weight").split(".")
    role = words[2] if words[0] == "blk" else words[0]
    if role == "token_embd":
        return role
    op = next((op for op, roles in token_plan.TABLES.items() if role in roles), None)
    if op is None and "norm" in role:
        qk = role in ("attn_q_norm", "attn_k_norm")
        return "rope_store" if qk else "post_norm" if role.startswith("post_") else "norm"
    return op or OTHER


def _touched(
    launched: Launched, roles: dict[int, str], caches: dict[int, int]
) -> tuple[set[str], tuple[int, ...]]:
    """(ops by the tensors that it touches, arguments that are such tensors)."""
    ops, at = set(), []
    for i, buffer in enumerate(launched.buffers):
        base = id(buffer.base)
        if base in roles:
            ops.add(roles[base])
            at.append(i)
        elif base in caches:
            ops.add("rope_store" if i in launched.outs else "attention")
            at.append(i)
    return ops - {OTHER}, tuple(at)


def _is(launched: Launched, argument: int, roles: dict[int, str]) -> bool:
    return id(launched.buffers[argument].base) in roles


def _window(facts: ModelFacts, layer: int) -> int:
    return facts.window if facts.is_local(layer) else 0


# ---- measurement -------------------------------------------------------------------------------


@dataclass
class _Kind:
    """Launches of one program for one op, ready to be timed."""

    launches: list[Launched]
    about: list[About]
    alone: timing.Deployed
    hollow: timing.Deployed
    cut: timing.Deployed | None
    part: float | None
    copies: int
    turned_bytes: int
    """That the launches read, over all copies."""


def measure(source: Source, chip: ChipFacts) -> Token:
    """Time everything in turns, round by round. Nothing else may use the chip meanwhile."""
    kinds, tape = list(_kinds(source, chip)), source.tape
    whole = _deployed(source, tape.whole(), 1)
    empty = _deployed(source, tape.graph([tape.hollow(x) for x in tape.launches]), 1)
    benches: dict[tuple[int, str], timing.Deployed] = {(-1, "us"): whole, (-1, "hollow"): empty}
    for i, k in enumerate(kinds):
        benches |= {(i, "us"): k.alone, (i, "hollow"): k.hollow}
        if k.cut is not None:
            benches[i, "part"] = k.cut
    us = _rounds(benches)
    return Token(
        engine=source.engine,
        context=source.context,
        position=source.position,
        kinds=tuple(_found(i, k, us, chip, source) for i, k in enumerate(kinds)),
        token_us=us[-1, "us"],
        hollow_us=us[-1, "hollow"],
        timer=timing.timer(tape.device),
        load=timing.host_load(),
        clock_mhz=clocks.state(tape.device).clock_mhz,
    )


def _rounds(
    benches: dict[tuple[int, str], timing.Deployed],
) -> dict[tuple[int, str], tuple[float, ...]]:
    """Microseconds of each bench, one batch a round."""
    counts = {name: b.replays_for(BATCH_US) for name, b in benches.items()}
    us: dict[tuple[int, str], list[float]] = {name: [] for name in benches}
    begun = time.monotonic()
    for done in range(ROUNDS):
        if done >= ROUNDS_MIN and time.monotonic() - begun > SECONDS:
            break
        for name, bench in benches.items():
            us[name].append(bench.batch_us(counts[name]))
    return {name: tuple(u) for name, u in us.items()}


def _kinds(source: Source, chip: ChipFacts) -> Iterator[_Kind]:
    """Graphs of every kind, in order of first use."""
    groups: dict[tuple[Any, str], list[int]] = {}
    for i, (x, a) in enumerate(zip(source.tape.launches, source.about, strict=True)):
        groups.setdefault((x.program.key, a.op), []).append(i)
    total = sum(a.bytes for a in source.about)
    for at in groups.values():
        launches = [source.tape.launches[i] for i in at]
        yield _kind(source, chip, launches, [source.about[i] for i in at], total)


def _kind(
    source: Source,
    chip: ChipFacts,
    launches: list[Launched],
    about: list[About],
    token_bytes: int,
) -> _Kind:
    """As many copies of its tables as make the cache see what it sees in the whole token."""
    tape, first = source.tape, launches[0]
    read = sum(a.bytes for a in about)
    held = sum(x.buffers[i].nbytes for x, a in zip(launches, about, strict=True) for i in a.tables)
    copies, cache = 1, chip.get("cache_bytes")
    if read >= ROTATED_MIN and cache:
        enough = min(copies_for(read, cache), math.ceil(token_bytes / read))
        copies = max(1, min(enough, ROTATED_CAP_BYTES // held))
    chained = tape.chained(launches)
    elsewhere = [
        exchanged(call, {i: copied(x.buffers[i]) for i in a.tables})
        for _ in range(copies - 1)
        for call, x, a in zip(chained, launches, about, strict=True)
    ]
    calls = _enough([*chained, *elsewhere], source, about)
    cut = tape.part(first, about[0].tables) if read else None
    part = None
    if cut is not None:
        programs = [c.replace(src=(cut[0], *c.src[1:])) for c in calls]
        part = _deployed(source, tape.graph(programs), len(calls), about)
    hollow = _enough([tape.hollow(x) for x in launches], source, about)
    return _Kind(
        launches=launches,
        about=about,
        alone=_deployed(source, tape.graph(calls), len(calls), about),
        hollow=_deployed(source, tape.graph(hollow), len(hollow), about),
        cut=part,
        part=None if cut is None else cut[1],
        copies=copies,
        turned_bytes=read * copies,
    )


def _enough(calls: list[Any], source: Source, about: Sequence[About]) -> list[Any]:
    """The calls again and again until a graph of them is long enough, where there are graphs."""
    if not source.tape.has_graphs:
        return calls
    times = math.ceil(LAUNCHES_MIN / len(calls))
    if any(a.moves for a in about):
        times = max(1, min(times, source.room // len(calls)))
    return calls * times


def _deployed(
    source: Source, replay: Callable[[], Any], works: int, about: Sequence[About] | None = None
) -> timing.Deployed:
    moves = about is None or any(a.moves for a in about)
    return timing.Deployed(
        replay=replay,
        device=source.tape.device,
        works=works,
        copies=1,
        rotated_bytes=0,
        restore=source.restore,
        replays_max=max(1, source.room // works) if moves and source.restore else 1 << 30,
    )


def _found(
    i: int,
    k: _Kind,
    us: dict[tuple[int, str], tuple[float, ...]],
    chip: ChipFacts,
    source: Source,
) -> Kind:
    first, cache = k.launches[0], chip.get("cache_bytes")
    return Kind(
        op=k.about[0].op,
        kernel=first.name,
        count=len(k.launches),
        bytes=round(sum(a.bytes for a in k.about) / len(k.about)),
        groups=first.groups,
        threads=first.threads,
        us=us[i, "us"],
        hollow_us=us[i, "hollow"],
        part=k.part,
        part_us=us.get((i, "part"), ()),
        copies=k.copies,
        cold_ratio=k.turned_bytes / cache if cache and k.turned_bytes >= ROTATED_MIN else None,
        accesses=_accesses(first, chip, source),
    )


def _accesses(launched: Launched, chip: ChipFacts, source: Source) -> Any:
    simd = chip.get("simd_width")
    if not chip.get("workgroups") or not simd or not launched.is_kernel:
        return ()
    nbytes = {i: b.nbytes for i, b in enumerate(launched.buffers)}
    return tinygrad_lanes.accesses(launched.program, nbytes, simd, source.tape.values)[:4]
