"""What a GGUF model is made of: facts, parts by role, and what no generated decode covers.

Takes the path of a file (any piece of a split one), gives ModelFacts. Never reads a weight, never
drops a part: what is not understood is listed as uncovered, and `require_supported` fails closed.
"""

from __future__ import annotations

import hashlib
import math
import os
import re
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, NoReturn

from boltbeam.models.decode_support import (
    GEMMA3_LOCAL_THETA,
    GEMMA3_PERIOD,
    NEEDED,
    NEEDED_BY,
    SOFT_CAPS,
    SUPPORTED,
    gap,
    obstacle,
)
from boltbeam.models.decode_support import HARMLESS as HARMLESS
from boltbeam.models.decode_support import expected_shapes as expected_shapes
from boltbeam.models.decode_support import require_supported as require_supported
from boltbeam.models.gguf_header import DAMAGED, Header, LongArray, bad, read_header
from boltbeam.types import ModelFacts, Part, Uncovered

MAX_COUNT = 1 << 31
_PIECE = re.compile(r"^(.*)-(\d{5})-of-(\d{5})\.gguf$")


def files(path: str | os.PathLike[str]) -> tuple[Path, ...]:
    """All files of a model in order, given any one of them; checked to exist."""
    path = Path(path)
    match = _PIECE.match(path.name)
    if match is None:
        return (path,)
    stem, number, total = match[1], int(match[2]), int(match[3])
    if not 1 <= number <= total:
        bad(path, f"the name says piece {number} of {total}", "name the first piece")
    out = tuple(path.with_name(f"{stem}-{i:05d}-of-{total:05d}.gguf") for i in range(1, total + 1))
    missing = [p.name for p in out if not os.path.exists(p)]
    if missing:
        more = f" and {len(missing) - 1} more" if missing[1:] else ""
        bad(path, f"piece {missing[0]}{more} is missing", "put all pieces in one folder")
    return out


def read_metadata(path: str | os.PathLike[str], arrays: bool = False) -> dict[str, Any]:
    """Metadata of the model; long arrays are LongArray(kind, count) unless `arrays`."""
    return read_header(files(path)[0], arrays).metadata


def read(path: str | os.PathLike[str]) -> ModelFacts:
    """Facts of a GGUF model, from the headers of all its files.

    Raises BoltbeamError for a damaged or incomplete model; an unsupported one is still described.
    """
    headers = [read_header(p) for p in files(path)]
    _check_pieces(headers)
    return _facts(Path(path), headers)


def _check_pieces(headers: Sequence[Header]) -> None:
    for i, h in enumerate(headers):
        count, number = h.metadata.get("split.count", 1), h.metadata.get("split.no", 0)
        if type(count) is not int or type(number) is not int:
            bad(h.path, f"split.count {count!r:.40} or split.no {number!r:.40} is not a number")
        if count > 1 and len(headers) == 1:
            bad(h.path, f"is piece {number} of {count}", "keep the name NAME-0000x-of-0000N.gguf")
        if count != len(headers) or number != i:
            what = f"its header says piece {number} of {count}, its name {i} of {len(headers)}"
            bad(h.path, what, "put the pieces of one model together")
    total = sum(len(h.tensors) for h in headers)
    declared = headers[0].metadata.get("split.tensors.count", total)
    if declared != total:
        bad(headers[0].path, f"the pieces hold {total} tensors of {declared!r:.40}", DAMAGED)
    names = {t.name for h in headers for t in h.tensors}
    if len(names) != total:
        bad(headers[0].path, "two pieces hold the same tensor", "put the right pieces together")
    if not total:
        bad(headers[0].path, "holds no tensors (a vocabulary only)", "name a file with weights")


class _Keys:
    """Typed look-ups in the metadata of one architecture."""

    def __init__(self, path: Path, metadata: dict[str, Any]) -> None:
        self.path, self.metadata = path, metadata
        arch = metadata.get("general.architecture")
        if not isinstance(arch, str) or not re.fullmatch(r"[\w.+-]{1,64}", arch):
            bad(path, "no general.architecture in the metadata", "convert the model again")
        self.architecture = arch

    def raw(self, key: str) -> Any:
        return self.metadata.get(f"{self.architecture}.{key}")

    def count(self, key: str, default: int = 0) -> int:
        """A count; the largest of an array that has one per layer."""
        value = self.raw(key)
        if isinstance(value, tuple) and all(isinstance(v, int) for v in value):
            value = max(value, default=0)
        if value is None:
            return default
        if isinstance(value, bool) or not isinstance(value, int) or not 0 <= value < MAX_COUNT:
            self.refuse(key, value, f"a count from 0 to {MAX_COUNT - 1}")
        return int(value)

    def real(self, key: str, default: float) -> float:
        value = self.raw(key)
        if value is None:
            return default
        good = isinstance(value, float | int) and not isinstance(value, bool)
        if not good or not math.isfinite(value) or value < 0:
            self.refuse(key, value, "a number from 0 on")
        return float(value)

    def refuse(self, key: str, value: Any, want: str) -> NoReturn:
        bad(self.path, f"{self.architecture}.{key} is {value!r:.60}, not {want}")


def _facts(path: Path, headers: Sequence[Header]) -> ModelFacts:
    keys = _Keys(path, headers[0].metadata)
    parts = tuple(_part(t, i) for i, h in enumerate(headers) for t in h.tensors)
    roles = {p.role: p for p in parts}
    heads, d_model = keys.count("attention.head_count"), keys.count("embedding_length")
    head_dim = keys.count("attention.key_length", d_model // heads if heads else 0)
    layers = keys.count("block_count") - keys.count("nextn_predict_layers")
    experts = keys.count("expert_count")
    return ModelFacts(
        architecture=keys.architecture,
        name=_printable(keys.metadata.get("general.name", "")),
        layers=max(layers, 0),
        d_model=d_model,
        d_ff=keys.count("feed_forward_length"),
        heads=heads,
        kv_heads=keys.count("attention.head_count_kv", heads),
        head_dim=head_dim,
        rope_dim=keys.count("rope.dimension_count", head_dim),
        rope_theta=keys.real("rope.freq_base", 10000.0),
        rope_interleaved=keys.architecture == "llama",
        qk_norm="attn_q_norm" in roles,
        qkv_bias="attn_q.bias" in roles,
        norm_eps=keys.real("attention.layer_norm_rms_epsilon", 0.0),
        vocab=roles["token_embd"].rows if "token_embd" in roles else _tokens(keys) or 0,
        context_length=keys.count("context_length"),
        experts=experts,
        experts_used=keys.count("expert_used_count"),
        tied_head="output" not in roles and "token_embd" in roles,
        **(_gemma3(keys, d_model) if keys.architecture == "gemma3" else {}),
        parts=parts,
        uncovered=tuple(_uncovered(keys, parts, max(layers, 0))),
        header_hash=hashlib.sha256(b"".join(h.raw for h in headers)).hexdigest()[:16],
    )


def _gemma3(keys: _Keys, d_model: int) -> dict[str, Any]:
    """What sets Gemma 3 apart; its norm weights are stored with the 1 that they lack elsewhere."""
    return {
        "embed_scale": math.sqrt(d_model),
        "gate": "gelu",
        "post_norms": True,
        "window": keys.count("attention.sliding_window"),
        "window_period": GEMMA3_PERIOD,
        "rope_theta_local": keys.real("rope.freq_base_swa", GEMMA3_LOCAL_THETA),
    }


def _printable(value: Any) -> str:
    return "".join(c for c in str(value)[:200] if c.isprintable())


def _part(tensor: Any, file: int) -> Part:
    role, layer = role_of(tensor.name)
    return Part(
        name=tensor.name,
        role=role,
        layer=layer,
        shape=tensor.shape,
        format=tensor.format.name,
        bytes=tensor.bytes,
        file=file,
        offset=tensor.offset,
    )


def role_of(name: str) -> tuple[str, int | None]:
    """`blk.3.attn_q.weight` -> ("attn_q", 3); a bias keeps its suffix."""
    match = re.match(r"^blk\.(\d{1,6})\.(.+)$", name)
    layer, rest = (int(match[1]), match[2]) if match else (None, name)
    return rest.removesuffix(".weight"), layer


def _tokens(keys: _Keys) -> int | None:
    tokens = keys.metadata.get("tokenizer.ggml.tokens")
    if isinstance(tokens, LongArray):
        return tokens.count
    return len(tokens) if isinstance(tokens, tuple) else keys.count("vocab_size") or None


def _uncovered(keys: _Keys, parts: Sequence[Part], layers: int) -> Iterator[Uncovered]:
    """Everything in the file that generated kernels would not take into account."""
    arch = keys.architecture
    if arch not in SUPPORTED:
        yield Uncovered(name=arch, reason=f"architecture not supported ({', '.join(SUPPORTED)})")
    yield from _uncovered_keys(keys, parts)
    for p in parts:
        reason = obstacle(p, arch, layers) or gap(p)
        if reason:
            yield Uncovered(name=p.name, reason=reason)


def _uncovered_keys(keys: _Keys, parts: Sequence[Part]) -> Iterator[Uncovered]:
    arch = keys.architecture
    scaling = keys.raw("rope.scaling.type")
    factor = keys.raw("rope.scaling.factor") or keys.raw("rope.scale_linear") or 1.0
    if factor != 1.0 and scaling != "none":  # a factor without a type scales linearly
        reason = f"RoPE scaling {scaling or 'linear'!r:.40} by {factor!r:.40}: tinygrad ignores it"
        yield Uncovered(name=f"{arch}.rope.scaling", reason=reason)
    if arch in SUPPORTED:
        wanted = [f"{arch}.{key}" for key in (*NEEDED, *NEEDED_BY.get(arch, ()))]
        for name in (*wanted, "tokenizer.ggml.tokens"):
            if keys.metadata.get(name) is None:
                yield Uncovered(name=name, reason="missing: tinygrad needs it")
        for key in SOFT_CAPS:
            if keys.raw(key):
                reason = f"{keys.raw(key)!r:.40}: no decode caps its scores or logits"
                yield Uncovered(name=f"{arch}.{key}", reason=reason)
        lengths = [keys.raw(f"attention.{n}_length") for n in ("key", "value")]
        if None not in lengths and lengths[0] != lengths[1]:
            reason = f"{lengths[1]!r:.40}, but keys have {lengths[0]!r:.40}: tinygrad refuses that"
            yield Uncovered(name=f"{arch}.attention.value_length", reason=reason)
        pattern = keys.raw("attention.sliding_window_pattern")
        if arch == "gemma3" and not _every_sixth(pattern):
            reason = f"{pattern!r:.40}: only every {GEMMA3_PERIOD}th layer may be global"
            yield Uncovered(name=f"{arch}.attention.sliding_window_pattern", reason=reason)
    tokens, embed = _tokens(keys), next((p for p in parts if p.role == "token_embd"), None)
    if tokens is not None and embed is not None and tokens != embed.rows:
        reason = f"{tokens} tokens but {embed.rows} rows of token_embd: tinygrad refuses that"
        yield Uncovered(name="tokenizer.ggml.tokens", reason=reason)


def _every_sixth(pattern: Any) -> bool:
    """Whether a sliding-window pattern (a period, or a flag per layer) is Gemma 3's usual one."""
    if isinstance(pattern, tuple):
        return all(bool(p) == ((i + 1) % GEMMA3_PERIOD != 0) for i, p in enumerate(pattern))
    return pattern in (None, GEMMA3_PERIOD)


def bytes_per_token(facts: ModelFacts) -> int:
    """Bytes of every matrix that one decode token reads once.

    Left out: the embedding (one row), norms, biases and the KV cache. A tied head counts once. Of
    a bank of experts only the used share counts.
    """
    total = 0
    for p in facts.parts:
        if not p.is_matrix or (p.role == "token_embd" and not facts.tied_head):
            continue
        if len(p.shape) > 2 and 0 < facts.experts_used < facts.experts:
            total += p.bytes // facts.experts * facts.experts_used
        else:
            total += p.bytes
    return total


WHOLE_FILE_BYTES, WHOLE_TENSOR_BYTES = 256 << 20, 1 << 20
"""Up to here every byte is hashed: of a model's files together, and of one tensor."""
SAMPLED_BLOCKS, BLOCK_BYTES = 6, 4096
"""Of a larger tensor: its first block, its last, and some between."""


def fingerprint(path: str | os.PathLike[str]) -> str:
    """Identity of a model's contents: the header's hash and one of the data, every tensor in it.

    The header alone does not tell a fine-tune from the model it came from, or a damaged file from
    a whole one. Small files are hashed whole; of larger ones every small tensor (norms, biases)
    is, and blocks of every other.
    """
    facts, pieces = read(path), files(path)
    sizes = [piece.stat().st_size for piece in pieces]
    digest = hashlib.sha256(repr(sizes).encode())
    for number, piece in enumerate(pieces):
        with piece.open("rb") as f:
            if sum(sizes) <= WHOLE_FILE_BYTES:
                while chunk := f.read(1 << 20):
                    digest.update(chunk)
                continue
            for start, length in _sampled(p for p in facts.parts if p.file == number):
                f.seek(start)
                digest.update(f.read(length))
    return f"{facts.header_hash}-{digest.hexdigest()[:16]}"


def _sampled(parts: Iterable[Part]) -> Iterator[tuple[int, int]]:
    """(offset, bytes) of what stands for each tensor of a large file."""
    for p in parts:
        if len(p.shape) == 1 or p.bytes <= WHOLE_TENSOR_BYTES:
            yield p.offset, p.bytes
            continue
        for i in range(SAMPLED_BLOCKS):
            yield p.offset + (p.bytes - BLOCK_BYTES) * i // (SAMPLED_BLOCKS - 1), BLOCK_BYTES
