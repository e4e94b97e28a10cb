"""What int8 activations cost a plan's answers, against what they must cost at best.

Takes an engine with a plan, gives its KL divergence and that of a float64 emulation which rounds
the same activations, on one text. Never compares with stock, whose own rounding would hide it.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from boltbeam import registry
from boltbeam.models import gguf_model
from boltbeam.models.plan import GIVES_ACTIVATION, TAKES_ACTIVATION
from boltbeam.token import emulation, token_gate
from boltbeam.token.agreement import Trace, kl
from boltbeam.token.decode_plan import Member
from boltbeam.token.token_gate import Engine
from boltbeam.token.token_process import starting
from boltbeam.types import BoltbeamError, Frozen

POSITIONS = 64
TEXT = """The harbour woke before the sun did. Gulls argued over the first boats, and a boy with a
lantern counted the nets as they came ashore: four, seven, then eleven in all. His father had told
him that 3 of every 10 would need mending, and that the price of fish follows the weather more
closely than it follows the market. So he wrote both numbers in his book, blew out the light and
walked home along the wall."""
"""Plain prose with a few numbers, written for this purpose; its first tokens are fed."""


class Quality(Frozen):
    """Mean KL to the exact model, nats per token."""

    plan_kl: float
    emulated_kl: float
    positions: int

    @property
    def ratio(self) -> float:
        return self.plan_kl / max(self.emulated_kl, 1e-12)


def rounded_ops(members: Sequence[Member]) -> frozenset[str]:
    """Ops of a plan whose activation reaches them as int8."""
    out = set()
    for m in members:
        route, ops = registry.route(m.route), m.work.ops
        inner = route.numerics == "q8_activations"
        for i, op in enumerate(ops):
            handed = inner and ops[i - 1] in GIVES_ACTIVATION if i else route.takes != "f32"
            if op in TAKES_ACTIVATION and handed:
                out.add(op)
    return frozenset(out)


def measure(engine: Engine, positions: int = POSITIONS, timeout_s: float = 600) -> Quality:
    """The plan in a fresh process and the model in float64, over the same text."""
    path = Path(engine.model)
    ids = text_ids(path, min(positions, engine.context - 1))
    trace = Trace(tuple(ids[:1]), tuple(ids), fed=tuple(ids))
    with starting(engine, timeout_s) as ready:
        exact = emulation.logits(path, ids)
        emulated = emulation.logits(path, ids, rounded_ops(engine.members))
        answer = token_gate.candidate(ready(), [trace], np.zeros((0,)), timeout_s)
    (reply,) = answer.replies
    return Quality(
        plan_kl=kl(exact, reply.logits), emulated_kl=kl(exact, emulated), positions=len(ids)
    )


def text_ids(path: Path, n: int) -> list[int]:
    """The first n tokens of TEXT; ids spread over the vocabulary where no tokenizer works."""
    from boltbeam.models.tokenizer import Tokenizer

    try:
        ids = list(Tokenizer.from_gguf(path).encode(TEXT))
    except BoltbeamError:
        vocab = gguf_model.read(path).vocab
        ids = [(vocab * i * 5 // 13 + i) % vocab for i in range(1, n + 1)]
    return ids[:n]
