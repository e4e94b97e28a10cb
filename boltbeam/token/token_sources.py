"""Whose launch is it: what every launch of a captured token is about, and what it must read.

Takes a model loaded in this process, with a decode plan or without, gives the captured token with
an op and bytes for each launch. Never times anything.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from boltbeam.emit.core import Buf, Launch, dtype
from boltbeam.models import plan as token_plan
from boltbeam.seam import tinygrad_model, tinygrad_weights
from boltbeam.seam.tinygrad_launches import Launched, Tape, rollout_inputs
from boltbeam.token.decode_plan import STATE, DecodePlan, Member
from boltbeam.types import OPS, ModelFacts, Part

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


# ---- a plan ------------------------------------------------------------------------------------


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


# ---- tinygrad's own runner ---------------------------------------------------------------------


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
    parts = {id(held[p.name].uop.buffer.base): p for p in facts.parts if p.name in held}
    caches = {
        id(block.cache_kv.uop.buffer.base): layer
        for layer, block in enumerate(model.blk)
        if hasattr(block, "cache_kv")
    }
    touched = [_touched(x, parts, caches) for x in tape.launches]
    readers = max(1, sum("attention" in t.ops for t in touched))
    windows = [facts.window if facts.is_local(i) else 0 for i in caches.values()]
    kv = sum(kv_bytes(facts, position, w) for w in windows) // readers
    about, embedded = [], False
    for t in touched:
        ops, read = t.ops, sum(_must_read(p, facts) for p in t.parts)
        if "token_embd" in ops:  # a tied head reads it too, later
            ops = ops - {"token_embd"} | {"head" if embedded else "embed"}
            embedded = True
        if "embed" in ops:
            read = sum(p.bytes // p.rows for p in t.parts)
        read += kv if "attention" in ops else 0
        op = "+".join(o for o in OPS if o in ops)
        about.append(About(op or OTHER, read, t.arguments))
    return Source(engine, tape, tuple(about), model.max_context, position)


def op_of(role: str) -> str:
    """Op that a tensor of the file belongs to: `ffn_gate` -> gate_up; '' where none is known."""
    if role == "token_embd":
        return role
    table = role.removesuffix(".bias").removesuffix("_exps")
    op = next((op for op, roles in token_plan.TABLES.items() if table in roles), "")
    if op or "norm" not in role:
        return op
    if role in ("attn_q_norm", "attn_k_norm"):
        return "rope_store"
    return "post_norm" if role.startswith("post_") else "norm"


def _must_read(part: Part, facts: ModelFacts) -> int:
    """Bytes of a tensor that one token needs: of experts those that are used."""
    if len(part.shape) > 2 and facts.experts:
        return part.bytes * facts.experts_used // facts.experts
    return part.bytes


@dataclass(frozen=True)
class _Touched:
    """What a launch has to do with tensors of the model."""

    ops: frozenset[str]
    parts: tuple[Part, ...]
    arguments: tuple[int, ...]
    """That are weights or KV cache."""


def _touched(launched: Launched, parts: dict[int, Part], caches: dict[int, int]) -> _Touched:
    ops, read, arguments = set(), [], []
    for i, buffer in enumerate(launched.buffers):
        base = id(buffer.base)
        if base in parts:
            ops.add(op_of(parts[base].role))
            read.append(parts[base])
        elif base in caches:
            ops.add("rope_store" if i in launched.outs else "attention")
        else:
            continue
        arguments.append(i)
    return _Touched(frozenset(ops - {""}), tuple(read), tuple(arguments))
