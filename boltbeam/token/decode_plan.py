"""One decode token as one captured graph of proved launches, bound to a loaded model.

Takes model facts, plan members and tinygrad's Transformer, gives a DecodePlan that makes one token
per call. Never chooses a route, and never runs a token of which a step is missing.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from pydantic import field_serializer

from boltbeam.emit import noise
from boltbeam.emit.core import Launch, Target
from boltbeam.models import gguf_model
from boltbeam.models import plan as token_plan
from boltbeam.seam import tinygrad_adapter as tg
from boltbeam.seam import tinygrad_graph, tinygrad_model
from boltbeam.token.bindings import Binder, Unbound
from boltbeam.types import (
    BoltbeamError,
    ChipFacts,
    Frozen,
    Geometry,
    ModelFacts,
    Step,
    Uncovered,
    WorkItem,
)

Lower = Callable[["Member", Target], tuple[Launch, ...]]
"""How a member becomes launches."""
STATE = ("tok", "pos", "ids")
"""Buffers that the host sets before the first token."""
Call = tuple[Launch, tuple[str, ...]]
"""A launch and the keys of its buffers."""
GREEDY = (0.0, 0)
"""Temperature and seed of tokens that are not drawn."""


class Member(Frozen):
    """A promoted route at its place in the token."""

    step_start: int
    """Index of its first step in plan.steps()."""
    work: WorkItem
    route: str
    geometry: Geometry

    @field_serializer("work")
    def _whole(self, work: WorkItem) -> dict[str, Any]:
        return work.whole()

    @property
    def steps(self) -> range:
        return range(self.step_start, self.step_start + len(self.work.ops))


def lower(member: Member, target: Target) -> tuple[Launch, ...]:
    """Launches of the member's route from its emitter. Raises Unbound where there are none."""
    from boltbeam import emit, registry

    try:
        route = registry.route(member.route)
        return emit.launches(member.work, route, member.geometry, target)
    except (BoltbeamError, IndexError, KeyError, ValueError) as e:
        raise Unbound(f"no launches for {member.work.key} {member.geometry}: {e}") from e


def lower_drawn(member: Member, target: Target) -> tuple[Launch, ...]:
    """As lower, of the member that ends in argmax: it draws the token instead."""
    from boltbeam import registry
    from boltbeam.emit import sample

    route = registry.route(member.route)
    return sample.launches(member.work, route, member.geometry, target)


def place(
    facts: ModelFacts, context: int, options: Iterable[token_plan.Option]
) -> tuple[Member, ...]:
    """Members that cover the token with the given options, cheapest path; () when none does."""
    options = tuple(options)
    token, found = token_plan.occurrences(facts, context, _spans(options))
    choice = token_plan.shortest(token, found, options)
    if choice is None:
        return ()
    works = {o.work.key: o.work for o in found}
    return tuple(
        Member(
            step_start=i,
            work=works[o.work_key],
            route=o.route,
            geometry=Geometry.parse(o.geometry),
        )
        for i, o in choice.members
    )


def _spans(options: Iterable[token_plan.Option]) -> tuple[str, ...]:
    """Ops of work keys, each once: `decode/norm+qkv/...` -> `norm+qkv`."""
    return tuple(dict.fromkeys("".join(o.work_key.split("/")[1:2]) for o in options))


def uncovered(facts: ModelFacts, members: Sequence[Member], context: int) -> tuple[Uncovered, ...]:
    """Why these members are not a whole token of this model: one reason per step or member."""
    harmless = gguf_model.HARMLESS.values()
    out = [u for u in facts.uncovered if u.reason not in harmless]
    if out:
        return tuple(out)
    token = token_plan.steps(facts)
    owner: dict[int, Member] = {}
    for m in members:
        name = f"{m.work.op} at step {m.step_start}"
        span = token[m.step_start : m.step_start + len(m.work.ops)]
        if tuple(s.op for s in span) != m.work.ops:
            out.append(Uncovered(name=name, reason="the token has other steps there"))
            continue
        want = token_plan.work_item(facts, span, context)
        if want.key != m.work.key:
            out.append(Uncovered(name=name, reason=f"is for {m.work.key}, needed {want.key}"))
        for i in m.steps:
            if i in owner:
                out.append(Uncovered(name=step_name(token[i]), reason="covered twice"))
            owner[i] = m
    out += [
        Uncovered(name=step_name(s), reason="no promoted route")
        for i, s in enumerate(token)
        if i not in owner
    ]
    return tuple(out)


def step_name(step: Step) -> str:
    """`blk.3 qkv`, `blk.3 ffn_norm`, `head`."""
    name = step.norm or step.op
    return name if step.layer is None else f"blk.{step.layer} {name}"


class DecodePlan:
    """A whole decode token bound to a model: one call, one token, nothing done per kernel.

    `position` is where the next token to embed stands. The KV cache is stock's own.
    """

    def __init__(
        self,
        facts: ModelFacts,
        files: Sequence[Path],
        members: Sequence[Member],
        device: str,
        context: int,
        chip: ChipFacts,
        model: Any,
        lower: Lower = lower,
        binder: type[Binder] = Binder,
    ) -> None:
        """Bind every launch. `fallbacks` is not empty when it cannot: then do not call step()."""
        self.facts, self.context, self.members = facts, context, tuple(members)
        self.device, self.position = device, 0
        self.target = Target(device=device, chip=chip)
        self.calls: list[Call] = []
        self.owners: list[Member] = []
        """Of each call, the member it belongs to."""
        self.drawing = GREEDY
        """Temperature and seed of the tokens to come."""
        self.undrawn = ""
        """Why this plan must not draw here: its kernels failed their proof."""
        self._graphs: dict[bool, Any] = {}
        """The captured token; True: the one that draws."""
        self.fallbacks = uncovered(facts, members, context)
        if model.max_context != context:
            reason = f"made for {context} positions, the model was loaded with {model.max_context}"
            self.fallbacks = (*self.fallbacks, Uncovered(name="context", reason=reason))
        if not self.fallbacks:
            tinygrad_model.allocate_state(model)
            self.binder = binder(facts, files, model, device, context)
            self.fallbacks = self._bind(lower)

    def _bind(self, lower: Lower) -> tuple[Uncovered, ...]:
        token, out = token_plan.steps(self.facts), []
        ready = set(STATE)
        for m in sorted(self.members, key=lambda m: m.step_start):
            span = [token[i] for i in m.steps]
            try:
                for launch in lower(m, self.target):
                    self.calls.append(self._call(launch, span, ready))
                    self.owners.append(m)
            except Unbound as e:
                out.append(Uncovered(name=f"{step_name(span[0])} ({m.route})", reason=str(e)))
        # launches may read the position, and rows of the cache before it, before others have ended
        for launch, keys in self.calls[:-1]:
            if "pos" in keys[: len(launch.outs)]:
                reason = "it moves the position on, and other launches follow"
                out.append(Uncovered(name=launch.name, reason=reason))
        return tuple(out)

    def _call(self, launch: Launch, span: Sequence[Step], ready: set[str]) -> Call:
        keys = tuple(self.binder.key(b, span) for b in (*launch.outs, *launch.ins))
        self._check_order(launch, keys, ready)
        return launch, keys

    def _drawn_calls(self) -> list[Call]:
        """The token's calls, with those of its last member drawing the token instead."""
        last = self.owners[-1]
        out = [c for c, m in zip(self.calls, self.owners, strict=True) if m is not last]
        ready = {*STATE, *(b.name for b in noise.HOST)}
        ready.update(k for launch, keys in out for k in keys[: len(launch.outs)])
        token = token_plan.steps(self.facts)
        span = [token[i] for i in last.steps]
        return out + [self._call(x, span, ready) for x in lower_drawn(last, self.target)]

    def _check_order(self, launch: Launch, keys: tuple[str, ...], ready: set[str]) -> None:
        """Every activation that a launch reads must have been written earlier in the token."""
        outs = len(launch.outs)
        for key in keys[outs:]:
            if (
                key not in ready
                and key[:2] not in ("w:", "n:", "b:")
                and key[:5] not in ("cache", "rope@")
            ):
                raise Unbound(f"{launch.name} reads {key}, which nothing before it writes")
        ready.update(keys[:outs])

    def _captured(self, calls: Sequence[Call]) -> Any:
        """The graph of a token's calls, which runs once."""
        tensors = self.binder.tensors
        bound = [tg.bound(launch, [tensors[k] for k in keys]) for launch, keys in calls]
        return tinygrad_graph.capture_calls(bound, tensors["ids"])

    def step(self) -> None:
        """Queue one token: embeds ids[position], decides ids[position + 1]; does not wait."""
        if self.position >= self.context:
            raise IndexError(f"the cache holds {self.context} positions")
        draws = self.drawing[0] > 0
        if draws not in self._graphs:
            self._graphs[draws] = self._captured(self._drawn_calls() if draws else self.calls)
        else:
            self._graphs[draws]()
        self.position += 1

    def captured(self) -> Any:
        """The TinyJit that holds the captured token; a token is run where there was none yet."""
        if False not in self._graphs:
            self.drawing = GREEDY
            self.step()
        return self._graphs[False]

    def draw(self, temperature: float, seed: int) -> None:
        """Draw the tokens to come from softmax(logits / temperature), until the next reset.

        A token depends on logits, temperature, seed (modulo 2^32) and its position alone. At
        temperature 0 it is the best, as after a reset. BoltbeamError: the plan must not draw.
        """
        if (temperature, seed) == self.drawing:
            return
        if temperature > 0 and self.undrawn:
            raise BoltbeamError(f"the plan draws no token here: {self.undrawn}; use temperature 0")
        if temperature > 0:
            values = (np.array([temperature], np.float32), np.array([seed % 2**32], np.uint32))
            for buf, value in zip(noise.HOST, values, strict=True):
                tg.write(self.binder.tensors[self.binder.key(buf, ())], value)
        self.drawing = (temperature, seed)

    def reset(self, ids: Sequence[int], start: int = 0) -> None:
        """Continue at `start`, with ids[start:] forced and everything after them free.

        The cache must hold positions before `start`. ids[i] is the token at position i.
        """
        if not 0 <= start < len(ids) <= self.context:
            raise ValueError(f"start {start} of {len(ids)} ids, context {self.context}")
        row = np.full(self.context + 1, -1, np.int32)
        row[: len(ids)] = ids
        self._put(row, start)

    def reset_at(self, token: int, position: int) -> None:
        """Continue freely with `token` at `position`; earlier ids are not known here."""
        row = np.full(self.context + 1, -1, np.int32)
        row[position] = token
        self._put(row, position)

    def _put(self, row: np.ndarray, start: int) -> None:
        values = (row[start : start + 1], np.array([start], np.int32), row)
        for name, value in zip(STATE, values, strict=True):
            tg.write(self.binder.tensors[name], value)
        self.position, self.drawing = start, GREEDY

    @property
    def copies(self) -> dict[str, int]:
        """Bytes of every weight that the plan holds beside stock's, by name and type."""
        return dict(self.binder.copies)

    @property
    def token(self) -> Any:
        """The device's current token, a (1, 1) view that the next step() overwrites."""
        return self.binder.tensors["tok"].reshape(1, 1)

    def ids(self, n: int | None = None) -> tuple[int, ...]:
        """The first n ids (default: all decided ones); waits for the device."""
        row = tg.read(self.binder.tensors["ids"])
        return tuple(int(i) for i in row[: self.position + 1 if n is None else n])

    def logits(self) -> np.ndarray:
        """Logits of the last step, float32 (vocab,); waits for the device."""
        return tg.read(self.binder.tensors["logits"])

    def forced(self, ids: Sequence[int], first: int = 0) -> Iterator[np.ndarray]:
        """Feed ids from position 0, whatever the plan would choose; logits from `first` on."""
        self.reset(ids)
        for i in range(len(ids)):
            self.step()
            if i >= first:
                yield self.logits()

    def backwards(self, ids: Sequence[int], first: int = 0) -> np.ndarray:
        """As forced(), but each position reads the KV cache as another engine left it.

        The cache must hold all of `ids`. Last position first: a step overwrites only its own
        position, so the ones before it are still the other engine's. (steps, vocab) in text order.
        """
        rows = []
        for i in reversed(range(first, len(ids))):
            self.reset_at(ids[i], i)
            self.step()
            rows.append(self.logits())
        return np.stack(rows[::-1])

    def greedy(self, prompt: Sequence[int], n: int) -> tuple[int, ...]:
        """The plan's own n tokens after a prompt from position 0."""
        self.reset(prompt)
        for _ in range(len(prompt) + n - 1):
            self.step()
        return self.ids(len(prompt) + n)[len(prompt) :]
