"""The token as ordered steps, the work items of its spans, and the cheapest way through them.

Takes model facts and measured options, gives work items and a chosen path. Never touches a device.
"""

from __future__ import annotations

import hashlib
import math
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from boltbeam.registry import formats
from boltbeam.types import GATES, INTERFACES, OPS, ModelFacts, Step, Table, WorkItem

TABLES = {
    "embed": ("token_embd",),
    "qkv": ("attn_q", "attn_k", "attn_v"),
    "o": ("attn_output",),
    "gate_up": ("ffn_gate", "ffn_up"),
    "down": ("ffn_down",),
    "head": ("output",),
}
"""Roles of the packed tables each op reads (a tied head reads token_embd)."""
TAKES_ACTIVATION = frozenset({"qkv", "o", "gate_up", "down", "head"})
"""Ops whose input may come in any interface."""
NORMS = frozenset({"norm", "post_norm"})
"""Ops that read a norm weight of the width of the residual stream."""
GIVES_ACTIVATION = frozenset({"norm", "attention", "gate_up"})
"""Ops whose output may be given in any interface."""


def steps(model: ModelFacts) -> tuple[Step, ...]:
    """The primitive ops of one decode token, in order."""
    out = [Step(op="embed")]
    for layer in range(model.layers):
        out.append(Step(op="norm", layer=layer, norm="attn_norm"))
        out += [Step(op=op, layer=layer) for op in ("qkv", "rope_store", "attention", "o")]
        if model.post_norms:
            out.append(Step(op="post_norm", layer=layer, norm="post_attention_norm"))
        out.append(Step(op="norm", layer=layer, norm="ffn_norm"))
        out += [Step(op=op, layer=layer) for op in ("gate_up", "down")]
        if model.post_norms:
            out.append(Step(op="post_norm", layer=layer, norm="post_ffw_norm"))
    out.append(Step(op="norm", norm="output_norm"))
    return (*out, Step(op="head"), Step(op="argmax"))


def tables(model: ModelFacts, op: str, layer: int | None) -> tuple[Table, ...]:
    """The packed tables of one step, in the order the kernel reads them."""
    out = []
    for role in TABLES.get(op, ()):
        actual = "token_embd" if role == "output" and model.tied_head else role
        part = model.part(actual, layer)
        if part is None:
            raise KeyError(f"{actual} of layer {layer}")
        out.append(Table(role=role, rows=part.rows, cols=part.cols, format=part.format))
    return tuple(out)


def work_item(model: ModelFacts, span: Sequence[Step], context: int) -> WorkItem:
    """The work item of a span of consecutive steps."""
    read = tuple(t for s in span for t in tables(model, s.op, s.layer))
    ops = [s.op for s in span]
    return WorkItem(
        op="+".join(ops),
        tables=read,
        d_model=model.d_model,
        heads=model.heads,
        kv_heads=model.kv_heads,
        head_dim=model.head_dim,
        rope_dim=model.rope_dim,
        rope_interleaved=model.rope_interleaved,
        qk_norm=model.qk_norm,
        qkv_bias=model.qkv_bias,
        norm_eps=model.norm_eps,
        embed_scale=model.embed_scale,
        gate=model.gate,
        post_norms=model.post_norms,
        window=window(model, span, context),
        vocab=model.vocab,
        context=context,
        bytes=_bytes(model, span, context),
    )


def timed_position(context: int) -> int:
    """Where the token stands whose kernels are timed: just past half of the context.

    In a context of eight or fewer it is half itself: a turn of four tokens must fit behind it.

    Not half itself: kernels deal positions out in powers of two. There the cached positions fill
    every such stride, and a kernel that finds the token itself in the cache makes a trip more than
    one that sees it apart. A position later both make as many, as they do for a while behind it:
    up to one half of a trip more than on average over all positions, for strides up to half.
    """
    return context // 2 + (context > 8)


def cached_positions(context: int, window: int = 0) -> int:
    """Positions that a token at `timed_position` sees beside itself."""
    return min(timed_position(context), (window or context) - 1)


def window(model: ModelFacts, span: Sequence[Step], context: int) -> int:
    """Positions that the span's attention sees; 0: all of the context, or no attention."""
    local = any(
        s.op == "attention" and s.layer is not None and model.is_local(s.layer) for s in span
    )
    return model.window if local and model.window < context else 0


def _bytes(model: ModelFacts, span: Sequence[Step], context: int) -> int:
    total = 0
    for s in span:
        for role in TABLES.get(s.op, ()):
            part = model.part(
                "token_embd" if role == "output" and model.tied_head else role, s.layer
            )
            assert part is not None
            total += part.bytes // part.rows if s.op == "embed" else part.bytes
        if s.op == "attention":
            seen = cached_positions(context, window(model, [s], context))
            total += kv_bytes_per_position(model) // model.layers * seen
    return total


PLANES_GROUP = 8
"""Blocks whose fields a copy in planes keeps together: the fewest that make every plane a multiple
of 16 bytes."""


def copied_bytes(work: WorkItem, weights: str) -> int:
    """Bytes that a run's tables take in the memory beside stock's, for a route with these weights.

    A copy in planes is as large as the table in the file; nothing more is read per token.
    """
    if weights != "planes":
        return 0
    known = formats()
    halves = [t for t in work.tables if known[t.format].block_bytes % 4]
    return sum(known[t.format].bytes_for(t.rows * t.cols) for t in halves)


def kv_bytes_per_position(model: ModelFacts) -> int:
    """Bytes of fp16 K and V of one position over all layers."""
    return 2 * 2 * model.kv_heads * model.head_dim * model.layers


@dataclass(frozen=True)
class Occurrence:
    """A distinct work item and where in the token it starts."""

    work: WorkItem
    starts: tuple[int, ...]


def occurrences(
    model: ModelFacts, context: int, spans: Iterable[str]
) -> tuple[tuple[Step, ...], tuple[Occurrence, ...]]:
    """All places where one of `spans` (ops joined by `+`) matches, as distinct work items."""
    token = steps(model)
    found: dict[str, tuple[WorkItem, list[int]]] = {}
    for span in spans:
        ops = span.split("+")
        for i in range(len(token) - len(ops) + 1):
            part = token[i : i + len(ops)]
            if [s.op for s in part] == ops:
                work = work_item(model, part, context)
                found.setdefault(work.key, (work, []))[1].append(i)
    return token, tuple(
        Occurrence(w.model_copy(update={"count": len(at)}), tuple(at)) for w, at in found.values()
    )


@dataclass(frozen=True)
class Option:
    """A way to do one work item, with its measured time per run in microseconds."""

    work_key: str
    route: str
    geometry: str
    takes: str
    gives: str
    us: float
    evidence: str = ""


@dataclass(frozen=True)
class Choice:
    """The cheapest path: (step index, option) in order, and its predicted microseconds."""

    members: tuple[tuple[int, Option], ...]
    us: float


def shortest(
    token: Sequence[Step], occ: Sequence[Occurrence], options: Iterable[Option]
) -> Choice | None:
    """Cheapest sequence of options that covers every step with matching interfaces.

    State is (step index, interface of the activation on its way). None: some step has no option.
    """
    starts = {o.work.key: o for o in occ}
    edges: dict[int, list[tuple[int, Option]]] = {}
    for opt in options:
        o = starts.get(opt.work_key)
        for i in o.starts if o else ():
            edges.setdefault(i, []).append((i + len(o.work.ops) if o else i, opt))
    best: dict[tuple[int, str], tuple[float, tuple[tuple[int, str], int, Option] | None]]
    best = {(0, "f32"): (0.0, None)}
    for i in range(len(token)):
        for face in INTERFACES:
            here = best.get((i, face))
            if here is None:
                continue
            for j, opt in edges.get(i, ()):
                if opt.takes != face:
                    continue
                cost = here[0] + opt.us
                old = best.get((j, opt.gives))
                if old is None or cost < old[0]:
                    best[(j, opt.gives)] = (cost, ((i, face), i, opt))
    end = best.get((len(token), "f32"))
    if end is None:
        return None
    members: list[tuple[int, Option]] = []
    link = end[1]
    while link is not None:
        members.append((link[1], link[2]))
        link = best[link[0]][1]
    return Choice(tuple(reversed(members)), end[0])


def work_of_key(key: str, context: int) -> WorkItem | None:
    """The work item that a key names, as far as a kernel's text depends on it; None: unreadable.

    A key has no norm epsilon, and a context only where the cache is read (`context` stands for it
    elsewhere); heads that it does not name are one per row.
    """
    words = key.split("/")
    if len(words) < 4 or words[0] != "decode" or not set(words[1].split("+")) <= set(OPS):
        return None
    ops, rest = words[1].split("+"), words[2:-1]
    roles = [role for op in ops for role in TABLES.get(op, ())]
    read = _tables_of_key(roles, rest) if roles else ()
    if read is None:
        return None
    number = int(rest[0]) if not roles and rest[0].isdecimal() else 0
    heads = re.fullmatch(
        r"h(\d+)k(\d+)d(\d+)-c(\d+)((?:-\w+)*)", next(iter(rest[2 if roles else 1 :]), "")
    )
    by_role = {t.role: t for t in read}
    if heads:
        h, kv, hd, context = map(int, heads.groups()[:4])
    elif "attn_q" in by_role:
        h, kv, hd = by_role["attn_q"].rows, by_role["attn_k"].rows, 1
    else:
        h, kv, hd = 1, 1, 1
    flags = heads[5].split("-") if heads else []
    window = next((int(f[1:]) for f in flags if re.fullmatch(r"w\d+", f)), 0)
    wide = [by_role[r].rows for r in ("output", "token_embd") if r in by_role]
    deep = [getattr(by_role[r], side) for r, side in _MODEL_SIDE.items() if r in by_role]
    d_model = deep[0] if deep else number
    work = WorkItem(
        op=words[1],
        tables=read,
        d_model=d_model,
        heads=h,
        kv_heads=kv,
        head_dim=hd,
        rope_dim=hd,
        rope_interleaved="interleaved" in flags,
        qk_norm="qknorm" in flags,
        qkv_bias="bias" in rest,
        post_norms="postnorm" in rest or "post_norm" in ops,
        gate=next((w for w in rest if w in GATES), GATES[0]),
        window=window,
        embed_scale=_scale_of_key(rest, d_model),
        norm_eps=1e-5,
        vocab=wide[0] if wide else number if words[1] == "argmax" else 1,
        context=context,
        m=int(words[-1][1:]) if words[-1][1:].isdecimal() else 1,
    )
    return work if work.key == key else None


def _scale_of_key(rest: Sequence[str], d_model: int) -> float:
    """Factor of the embedding; where the key's six digits are those of sqrt(d_model), that."""
    said = next((w[5:] for w in rest if re.fullmatch(r"times[\d.e+-]+", w)), "1")
    root = math.sqrt(d_model)
    return root if f"{root:.6g}" == said else float(said)


_MODEL_SIDE = {
    "attn_q": "cols",
    "attn_output": "rows",
    "ffn_gate": "cols",
    "ffn_down": "rows",
    "output": "cols",
    "token_embd": "cols",
}
"""Side of a table that is as long as the residual stream."""


def _tables_of_key(roles: Sequence[str], rest: Sequence[str]) -> tuple[Table, ...] | None:
    shapes: list[tuple[int, int]] = []
    for word in rest[0].split("+"):
        numbers = word.split("x")
        if len(numbers) not in (2, 3) or not all(n.isdecimal() for n in numbers):
            return None
        times, rows, cols = [1, *map(int, numbers)][-3:]
        shapes += [(rows, cols)] * times
    formats = rest[1].split("+") if len(rest) > 1 else []
    formats = formats * len(roles) if len(formats) == 1 else formats
    if not len(shapes) == len(formats) == len(roles):
        return None
    return tuple(
        Table(role=role, rows=rows, cols=cols, format=fmt)
        for role, (rows, cols), fmt in zip(roles, shapes, formats, strict=True)
    )


def short(work: str) -> str:
    """A work key without what all of them share."""
    return work.removeprefix("decode/").removesuffix("/m1")


def plan_key(work_keys: Iterable[tuple[str, int]]) -> str:
    """Identity of a plan: hash of its ordered work keys and counts."""
    text = "\n".join(f"{k} {n}" for k, n in work_keys)
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def model_plan_key(facts: ModelFacts, context: int) -> str:
    """Identity of the token of a model at a context: its primitive work items and counts."""
    _, found = occurrences(facts, context, OPS)
    return plan_key((o.work.key, o.work.count) for o in found)
