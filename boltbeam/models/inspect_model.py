"""What `boltbeam inspect` shows: a model's parts as a table, as plain data.

Takes ModelFacts, gives rows, totals and what is uncovered. Never prints, never opens a file.
"""

from __future__ import annotations

from collections.abc import Iterable

from boltbeam.models.decode_support import incomplete
from boltbeam.models.gguf_model import bytes_per_token
from boltbeam.types import Frozen, ModelFacts, Part, Uncovered

ORDER = (
    "token_embd",
    "rope_freqs",
    "attn_norm",
    "attn_q",
    "attn_q.bias",
    "attn_q_norm",
    "attn_k",
    "attn_k.bias",
    "attn_k_norm",
    "attn_v",
    "attn_v.bias",
    "attn_output",
    "post_attention_norm",
    "ffn_norm",
    "ffn_gate",
    "ffn_up",
    "ffn_down",
    "post_ffw_norm",
    "output_norm",
    "output",
)
"""Roles in the order a token meets them; others follow by name."""


class InspectRow(Frozen):
    """Parts that are alike."""

    role: str
    shape: tuple[int, ...]
    format: str
    count: int
    bytes: int
    """Of all of them together."""
    uncovered: int
    """How many of them no generated decode covers."""


class UncoveredGroup(Frozen):
    """Uncovered things with one reason."""

    name: str
    """The first of them, and how many more: `blk.0.attn_q_norm.weight and 17 more`."""
    reason: str
    count: int


class Inspection(Frozen):
    """The table and its totals; the rows hold every part of the file."""

    architecture: str
    name: str
    layers: int
    header_hash: str
    rows: tuple[InspectRow, ...]
    parts: int
    bytes: int
    """All tensors."""
    bytes_per_token: int
    """Every matrix read once; no norms, biases, embedding row or KV cache."""
    tied_head: bool
    files: int
    uncovered: tuple[Uncovered, ...]
    """Every one of them."""
    layers_present: int
    """Layers of which the file holds a tensor."""
    incomplete: str
    """The first tensor that the decode needs and the file lacks, in words; or ''."""
    uncovered_groups: tuple[UncoveredGroup, ...]
    """The same by reason, for reading."""


def inspect_table(facts: ModelFacts) -> tuple[InspectRow, ...]:
    """Parts grouped by role, shape and format, in the order a token meets them."""
    groups: dict[tuple[str, tuple[int, ...], str], list[Part]] = {}
    for p in facts.parts:
        groups.setdefault((p.role, p.shape, p.format), []).append(p)
    open_names = {u.name for u in facts.uncovered}
    rows = [_row(parts, open_names) for parts in groups.values()]
    return tuple(sorted(rows, key=_place))


def _row(parts: list[Part], open_names: Iterable[str]) -> InspectRow:
    first = parts[0]
    return InspectRow(
        role=first.role,
        shape=first.shape,
        format=first.format,
        count=len(parts),
        bytes=sum(p.bytes for p in parts),
        uncovered=sum(p.name in open_names for p in parts),
    )


def _place(row: InspectRow) -> tuple[int, str, int, str]:
    known = ORDER.index(row.role) if row.role in ORDER else len(ORDER)
    return known, row.role, -row.count, row.format


def inspection(facts: ModelFacts) -> Inspection:
    """Everything `boltbeam inspect` says about a model."""
    return Inspection(
        architecture=facts.architecture,
        name=facts.name,
        layers=facts.layers,
        header_hash=facts.header_hash,
        rows=inspect_table(facts),
        parts=len(facts.parts),
        bytes=sum(p.bytes for p in facts.parts),
        bytes_per_token=bytes_per_token(facts),
        tied_head=facts.tied_head,
        files=1 + max((p.file for p in facts.parts), default=0),
        uncovered=facts.uncovered,
        layers_present=len({p.layer for p in facts.parts if p.layer is not None}),
        incomplete=incomplete(facts),
        uncovered_groups=_groups(facts.uncovered),
    )


def _groups(uncovered: Iterable[Uncovered]) -> tuple[UncoveredGroup, ...]:
    names: dict[str, list[str]] = {}
    for u in uncovered:
        names.setdefault(u.reason, []).append(u.name)
    return tuple(
        UncoveredGroup(
            name=some[0] if len(some) == 1 else f"{some[0]} and {len(some) - 1} more",
            reason=reason,
            count=len(some),
        )
        for reason, some in names.items()
    )
