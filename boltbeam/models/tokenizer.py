"""Text to token ids and back, from the vocabulary inside a GGUF.

Takes a GGUF's metadata (read with its arrays), gives ids equal to llama.cpp's. Never guesses: an
unknown vocabulary, pre-tokenizer or chat template is an error that says so.
"""

from __future__ import annotations

import codecs
import os
import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from boltbeam.models.gguf_model import read_metadata
from boltbeam.types import BoltbeamError

_GPT2 = r"'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)"
_CASELESS = r"(?:'[sS]|'[tT]|'[rR][eE]|'[vV][eE]|'[mM]|'[lL][lL]|'[dD])"
_QWEN2 = (
    _CASELESS + r"|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}"
    r"| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+"
)
_LLAMA3 = _QWEN2.replace(r"|\p{N}|", r"|\p{N}{1,3}|")
PRE = {
    "default": (r"[\p{P}\$\+<=>\^~\|]+", _GPT2, r"\p{N}+", "[0-9][0-9][0-9]"),
    "gpt-2": (_GPT2,),
    "smollm": (r"\p{N}", _GPT2),
    "qwen2": (_QWEN2,),
    "deepseek-r1-qwen": (_QWEN2,),
    "llama-bpe": (_LLAMA3,),
    "llama-v3": (_LLAMA3,),
    "llama3": (_LLAMA3,),
}
"""Pre-tokenizer name -> the patterns that cut a text into words, one after the other."""
LLAMA3 = frozenset(("llama-bpe", "llama-v3", "llama3"))
"""Pre-tokenizers that take a whole word that is a token as it is, and begin with bos."""
NORMAL, UNKNOWN, CONTROL, USER_DEFINED, BYTE = 1, 2, 3, 4, 6
SPACE = "\u2581"
"""How a SentencePiece vocabulary writes a space."""
END_TOKENS = frozenset(
    (
        "<|im_end|>",
        "<|eot_id|>",
        "<|eom_id|>",
        "<|endoftext|>",
        "<|end_of_text|>",
        "<|end|>",
        "<end_of_turn>",
    )
)
"""Control tokens that end a generation wherever they are in the vocabulary."""


def byte_alphabet() -> list[str]:
    """GPT-2's printable character for each byte value."""
    plain = {*range(33, 127), *range(161, 173), *range(174, 256)}
    moved = iter(range(256, 512))
    return [chr(b) if b in plain else chr(next(moved)) for b in range(256)]


BYTE_OF = {c: bytes([b]) for b, c in enumerate(byte_alphabet())}


class Tokenizer:
    """Byte-level BPE (`gpt2`) or SentencePiece (`llama`) vocabulary of one model."""

    def __init__(self, metadata: Mapping[str, Any]) -> None:
        self._metadata = metadata
        tokens = self._array("tokens", str)
        types = (NORMAL,) * len(tokens)
        if self._get("token_type") is not None:
            types = self._array("token_type", int)
        if len(types) != len(tokens):
            raise BoltbeamError(f"vocabulary: {len(tokens)} tokens but {len(types)} token types")
        self._tokens, self._types = tokens, types
        self._sentence_piece, self._pre = self._kind()
        if self._sentence_piece:
            self._engine = _sentence_piece_engine(tokens, types, self._array("scores", float))
        else:
            self._engine = _byte_level_engine(self._pre, tokens, self._array("merges", str))
        self._prefix = " " if self._sentence_piece and self._get("add_space_prefix", True) else ""
        self._hidden = frozenset(i for i, t in enumerate(types) if t in (UNKNOWN, CONTROL))
        self._ids = {t: i for i, t in enumerate(tokens) if types[i] != NORMAL}
        self._control = _splitter(tokens, types, (UNKNOWN, CONTROL, USER_DEFINED))
        self._user = _splitter(tokens, types, (USER_DEFINED,))
        self.bos_id = self._id("bos_token_id")
        self.eos_id = self._id("eos_token_id")
        self.eot_id = self._id("eot_token_id")
        self.adds_bos: bool = bool(
            self._get("add_bos_token", self._sentence_piece or self._pre in LLAMA3)
        )
        named = {i for i in self._hidden if tokens[i] in END_TOKENS}
        ends = {self.eos_id, self.eot_id, *named}
        self.end_ids = frozenset(i for i in ends if i is not None)
        """Ids that end a generation."""

    @classmethod
    def from_gguf(cls, path: str | os.PathLike[str]) -> Tokenizer:
        """Tokenizer of a GGUF file. Raises BoltbeamError when it has none that we know."""
        return cls(read_metadata(path, arrays=True))

    def _get(self, key: str, default: Any = None) -> Any:
        return self._metadata.get(f"tokenizer.ggml.{key}", default)

    def _id(self, key: str) -> int | None:
        value = self._get(key)
        if value is None or (isinstance(value, int) and 0 <= value < len(self._tokens)):
            return value
        raise BoltbeamError(f"vocabulary: tokenizer.ggml.{key} is {value!r}, not a token")

    def _array(self, key: str, kind: type) -> tuple[Any, ...]:
        value = self._get(key)
        if not isinstance(value, tuple) or not all(isinstance(v, kind) for v in value):
            raise BoltbeamError(f"vocabulary: tokenizer.ggml.{key} is missing or damaged")
        return value

    def _kind(self) -> tuple[bool, str]:
        """Whether the vocabulary is a SentencePiece one, and its pre-tokenizer."""
        model, pre = self._get("model"), self._get("pre", "default")
        if model == "llama" or (model == "gpt2" and pre in PRE):
            return model == "llama", pre
        raise BoltbeamError(
            f"vocabulary: model {model!r} with pre-tokenizer {pre!r} is not supported; "
            f"supported are llama, and gpt2 with {', '.join(PRE)}"
        )

    def encode(self, text: str, special: bool = True, bos: bool | None = None) -> list[int]:
        """Ids of a text. With `special`, control tokens such as <|im_start|> are recognised.

        `bos` puts the begin token first; None: as the model asks, unless the text has it already.
        Raises BoltbeamError for half a character, which no token stands for.
        """
        try:
            text.encode()
        except UnicodeEncodeError as e:
            raise BoltbeamError(
                f"half a character in the text, U+{ord(text[e.start]):04X}: it is not valid Unicode"
            ) from None
        ids: list[int] = []
        for i, piece in enumerate((self._control if special else self._user).split(text)):
            if i % 2:
                ids.append(self._ids[piece])
            elif piece:
                ids += self._plain(piece)
        wanted = self.adds_bos if bos is None else bos
        if wanted and self.bos_id is not None and ids[:1] != [self.bos_id]:
            ids.insert(0, self.bos_id)
        return ids

    def _plain(self, text: str) -> list[int]:
        """Ids of a text without special tokens."""
        if self._sentence_piece:
            text = (self._prefix + text).replace(" ", SPACE)
        ids: list[int] = self._engine.encode(text, add_special_tokens=False).ids
        return ids

    def token_bytes(self, token: int, special: bool = False) -> bytes:
        """Bytes that a token stands for; control tokens only with `special`."""
        if not 0 <= token < len(self._tokens):
            raise BoltbeamError(
                f"token {token} is outside the vocabulary of {len(self._tokens)}: what the model "
                "computes are no numbers; is its file damaged?"
            )
        if token in self._hidden and not special:
            return b""
        of_kind = _piece_bytes if self._sentence_piece else _word_bytes
        return of_kind(self._tokens[token], self._types[token])

    def decode(self, ids: Iterable[int], special: bool = False) -> str:
        """Text of ids; bytes that are no UTF-8 become U+FFFD."""
        raw = b"".join(self.token_bytes(i, special) for i in ids)
        return raw.decode(errors="replace")

    def stream(self, special: bool = False) -> StreamDecoder:
        """A decoder to feed token by token."""
        return StreamDecoder(self, special)

    def chat(self, messages: Sequence[Mapping[str, str]]) -> str:
        """The prompt of a conversation ({"role", "content"} each) up to the assistant's turn.

        Raises BoltbeamError when the model has no chat template, or one of an unknown family.
        """
        template = self._metadata.get("tokenizer.chat_template")
        if not isinstance(template, str):
            raise BoltbeamError("the model has no chat template; use --raw")
        if "<|im_start|>" in template:
            return _chatml(template, messages)
        if "<|start_header_id|>" in template:
            return _llama3(template, messages)
        if "<start_of_turn>" in template:
            return _gemma(messages)
        raise BoltbeamError("the model's chat template is of an unknown family; use --raw")


class StreamDecoder:
    """Text of a growing list of ids; holds back an incomplete UTF-8 character."""

    def __init__(self, tokenizer: Tokenizer, special: bool = False) -> None:
        self._tokenizer, self._special = tokenizer, special
        self._utf8 = codecs.getincrementaldecoder("utf-8")("replace")

    def push(self, token: int) -> str:
        """Text that is complete after one more token (may be empty)."""
        return self._utf8.decode(self._tokenizer.token_bytes(token, self._special))

    def flush(self) -> str:
        """What is left at the end: U+FFFD for an incomplete character."""
        return self._utf8.decode(b"", final=True)


def _byte_level_engine(pre: str, tokens: Sequence[str], merges: Sequence[str]) -> Any:
    """Encoder of GPT-2's kind: words cut by patterns, then bytes merged by rank."""
    from tokenizers import Regex, pre_tokenizers

    engine = _merger(tokens, [_pair(m) for m in merges], ignore_merges=pre in LLAMA3)
    cuts = [pre_tokenizers.Split(Regex(p), "isolated") for p in PRE[pre]]
    to_bytes = pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)
    engine.pre_tokenizer = pre_tokenizers.Sequence([*cuts, to_bytes])
    return engine


def _sentence_piece_engine(
    tokens: Sequence[str], types: Sequence[int], scores: Sequence[float]
) -> Any:
    """Encoder of SentencePiece's kind: the pair whose union scores highest is merged first."""
    if len(scores) != len(tokens):
        raise BoltbeamError(f"vocabulary: {len(tokens)} tokens but {len(scores)} scores")
    known = {t for t, kind in zip(tokens, types, strict=True) if kind == NORMAL}
    ranked = sorted(range(len(tokens)), key=lambda i: -scores[i])
    merges = [
        (t[:cut], t[cut:])
        for t in (tokens[i] for i in ranked if types[i] == NORMAL)
        for cut in range(1, len(t))
        if t[:cut] in known and t[cut:] in known
    ]
    unknown = next((t for t, kind in zip(tokens, types, strict=True) if kind == UNKNOWN), None)
    return _merger(tokens, merges, byte_fallback=True, fuse_unk=True, unk_token=unknown)


def _merger(tokens: Sequence[str], merges: list[tuple[str, str]], **options: Any) -> Any:
    from tokenizers import Tokenizer as Engine
    from tokenizers import models

    try:
        return Engine(models.BPE({t: i for i, t in enumerate(tokens)}, merges, **options))
    except Exception as e:  # the engine raises nothing narrower
        raise BoltbeamError(f"vocabulary: the merges do not fit the tokens ({e})") from None


def _pair(merge: str) -> tuple[str, str]:
    left, _, right = merge[1:].partition(" ")
    if not right:
        raise BoltbeamError(f"vocabulary: merge {merge!r} is not two tokens")
    return merge[:1] + left, right


def _word_bytes(token: str, kind: int) -> bytes:
    if kind != NORMAL:
        return token.encode()
    return b"".join(BYTE_OF.get(c) or c.encode() for c in token)


def _piece_bytes(token: str, kind: int) -> bytes:
    if kind != BYTE:
        return token.replace(SPACE, " ").encode()
    if not re.fullmatch("<0x[0-9A-Fa-f]{2}>", token):
        raise BoltbeamError(f"vocabulary: byte token {token!r} is not like <0x41>")
    return bytes([int(token[3:5], 16)])


def _splitter(tokens: Sequence[str], types: Sequence[int], kinds: Sequence[int]) -> re.Pattern[str]:
    """Splits a text at tokens of these kinds, longest first; the token is every second piece."""
    chosen = [t for t, kind in zip(tokens, types, strict=True) if kind in kinds and t]
    chosen.sort(key=len, reverse=True)
    return re.compile("(" + "|".join(map(re.escape, chosen)) + ")" if chosen else r"((?!))")


def _chatml(template: str, messages: Sequence[Mapping[str, str]]) -> str:
    default = re.search(r"<\|im_start\|>system(?:\\n|\n)([^'\"{}<]+)<\|im_end\|>", template)
    turns = [(m["role"], m["content"]) for m in messages]
    if default and (not turns or turns[0][0] != "system"):
        turns.insert(0, ("system", default[1].replace("\\n", "\n")))
    if "</think>" in template:
        turns = [
            (r, c.split("</think>")[-1].lstrip("\n") if r == "assistant" else c) for r, c in turns
        ]
    body = "".join(f"<|im_start|>{role}\n{content}<|im_end|>\n" for role, content in turns)
    return body + "<|im_start|>assistant\n"


def _llama3(template: str, messages: Sequence[Mapping[str, str]]) -> str:
    turns = [(m["role"], m["content"].strip()) for m in messages]
    if "Cutting Knowledge Date" in template:
        given = turns.pop(0)[1] if turns and turns[0][0] == "system" else ""
        dates = "Cutting Knowledge Date: December 2023\nToday Date: 26 Jul 2024\n\n"
        turns.insert(0, ("system", dates + given))
    head = "<|start_header_id|>{}<|end_header_id|>\n\n"
    body = "".join(head.format(role) + content + "<|eot_id|>" for role, content in turns)
    return "<|begin_of_text|>" + body + head.format("assistant")


def _gemma(messages: Sequence[Mapping[str, str]]) -> str:
    """Gemma knows no system turn: what one says stands in front of the next question."""
    out, before = "", ""
    for m in messages:
        content = m["content"].strip()
        if m["role"] == "system":
            before += content + "\n\n"
            continue
        role = "model" if m["role"] == "assistant" else m["role"]
        if role != "model":
            content, before = before + content, ""
        out += f"<start_of_turn>{role}\n{content}<end_of_turn>\n"
    return out + "<start_of_turn>model\n"
