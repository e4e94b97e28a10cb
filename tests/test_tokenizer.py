"""The tokenizer: an independent engine's ids, exact round trips, whole characters in streams."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from boltbeam.models import synth
from boltbeam.models.gguf_model import read_metadata
from boltbeam.models.tokenizer import Tokenizer
from boltbeam.types import BoltbeamError

REFERENCE = Path(__file__).parent / "data" / "smollm2-135m-q4_1.tokens.json"
Make = Callable[..., Path]
SMOLLM2_CHAT = (
    "<|im_start|>system\nYou are a helpful AI assistant named SmolLM, trained by Hugging Face"
    "<|im_end|>\n<|im_start|>user\nHi<|im_end|>\n<|im_start|>assistant\n"
)


@pytest.fixture(scope="module")
def words() -> dict[str, Any]:
    """Metadata of a model with the vocabulary of tiny-llama, arrays as the reader gives them."""
    meta = synth.metadata("tiny-llama", synth.MODELS["tiny-llama"], 0)
    return {k: tuple(v) if isinstance(v, list) else v for k, v in meta.items()}


@pytest.mark.model
def test_ids_are_those_of_llama_cpp(smollm2: Path) -> None:
    tokenizer = Tokenizer.from_gguf(smollm2)
    rows = json.loads(REFERENCE.read_text(encoding="utf-8"))["rows"]
    assert len(rows) == 3
    for row in rows:
        assert tokenizer.encode(row["prompt"]) == row["prompt_ids"]
        assert tokenizer.decode(row["prompt_ids"], special=True) == row["prompt"]
    assert tokenizer.decode(rows[0]["ids"]) == "The capital of France is Paris."
    assert rows[0]["ids"][-1] in tokenizer.end_ids


@pytest.mark.model
def test_ids_of_another_vocabulary_are_those_of_llama_cpp(qwen25: Path) -> None:
    tokenizer = Tokenizer.from_gguf(qwen25)
    recorded = REFERENCE.with_name("qwen2.5-coder-1.5b-instruct-q4_k_m.tokens.json")
    rows = json.loads(recorded.read_text(encoding="utf-8"))["rows"]
    assert len(rows) == 3
    for row in rows:
        assert tokenizer.encode(row["prompt"]) == row["prompt_ids"]
    assert tokenizer.decode(rows[0]["ids"]) == "The capital of France is Paris."
    assert rows[0]["ids"][-1] in tokenizer.end_ids


@pytest.mark.model
def test_hard_texts_of_the_real_vocabulary(smollm2: Path) -> None:
    tokenizer = Tokenizer.from_gguf(smollm2)
    assert tokenizer.encode("Hello world! 123") == [19556, 905, 17, 216, 33, 34, 35]
    assert tokenizer.encode("  multiple   spaces") == [216, 2701, 256, 5600]
    assert tokenizer.encode("Café déjà vu.") == [51, 1939, 2756, 32564, 90, 16739, 386, 101, 30]
    assert tokenizer.encode("<|im_end|>", special=False) != [2]
    for text in ("日本語 🤷🏽‍♀️ \x00\r\n\t", " trailing  \n\n", "a" * 300, "don't WE'LL 1234567"):
        assert tokenizer.decode(tokenizer.encode(text)) == text


@pytest.mark.model
def test_the_chat_of_the_real_model(smollm2: Path) -> None:
    tokenizer = Tokenizer.from_gguf(smollm2)
    assert tokenizer.chat([{"role": "user", "content": "Hi"}]) == SMOLLM2_CHAT
    own = tokenizer.chat([{"role": "system", "content": "S"}, {"role": "user", "content": "Hi"}])
    assert own == "<|im_start|>system\nS<|im_end|>\n" + SMOLLM2_CHAT.partition("<|im_end|>\n")[2]


@pytest.mark.parametrize("pre", ["default", "gpt-2", "smollm", "qwen2", "llama-bpe"])
def test_any_text_round_trips(words: dict[str, Any], pre: str) -> None:
    tokenizer = Tokenizer(words | {"tokenizer.ggml.pre": pre})

    @settings(max_examples=60, deadline=None, suppress_health_check=list(HealthCheck))
    @given(st.text(max_size=60))
    def check(text: str) -> None:
        ids = tokenizer.encode(text, bos=False)
        assert tokenizer.decode(ids, special=True) == text
        stream = tokenizer.stream(special=True)
        pieces = [stream.push(i) for i in ids]
        assert "".join([*pieces, stream.flush()]) == text
        assert "\ufffd" in text or not any("\ufffd" in p for p in pieces)

    check()


def test_streaming_holds_back_half_a_character(words: dict[str, Any]) -> None:
    tokenizer = Tokenizer(words)
    ids = tokenizer.encode("é😀")
    stream = tokenizer.stream()
    assert len(ids) == 6
    assert [stream.push(i) for i in ids] == ["", "é", "", "", "", "😀"]
    assert stream.push(ids[0]) == "" and stream.flush() == "\ufffd"


def test_pre_tokenizers_cut_numbers_their_own_way(words: dict[str, Any]) -> None:
    def merged(pre: str) -> list[int]:
        tokens = [*words["tokenizer.ggml.tokens"][:509], "12", "123", "1234"]
        merges = ("1 2", "12 3", "123 4")
        more = {"tokenizer.ggml.tokens": tuple(tokens), "tokenizer.ggml.merges": merges}
        return Tokenizer(words | more | {"tokenizer.ggml.pre": pre}).encode("1234", bos=False)

    one, _two, three, four = (words["tokenizer.ggml.tokens"].index(c) for c in "1234")
    assert merged("gpt-2") == [511]
    assert merged("llama-bpe") == [510, four]
    assert merged("default") == [510, four]
    assert merged("smollm")[0] == merged("qwen2")[0] == one and merged("qwen2")[2] == three


def test_control_tokens_are_parsed_only_when_special(words: dict[str, Any]) -> None:
    tokenizer = Tokenizer(words)
    ids = tokenizer.encode("a<|im_start|>b<|im_end|>")
    assert ids.count(1) == ids.count(2) == 1 and len(ids) == 4
    assert tokenizer.decode(ids) == "ab"
    assert tokenizer.decode(ids, special=True) == "a<|im_start|>b<|im_end|>"
    assert not {1, 2} & set(tokenizer.encode("a<|im_start|>b", special=False))
    assert tokenizer.end_ids == {0, 2}


def test_half_a_character_is_refused(words: dict[str, Any]) -> None:
    with pytest.raises(BoltbeamError, match="half a character in the text, U\\+DCFF"):
        Tokenizer(words).encode("a\udcff")  # a byte of the command line that is no UTF-8


def test_bos_is_added_once(words: dict[str, Any]) -> None:
    tokenizer = Tokenizer(words | {"tokenizer.ggml.add_bos_token": True})
    assert tokenizer.encode("a")[0] == 1 == tokenizer.encode("<|im_start|>a")[0]
    assert tokenizer.encode("<|im_start|>a").count(1) == 1
    assert 1 not in tokenizer.encode("a", bos=False)


def test_chat_families(words: dict[str, Any]) -> None:
    turns = [
        {"role": "user", "content": "Hi "},
        {"role": "assistant", "content": "<think>\nhm\n</think>\n\nHello"},
        {"role": "user", "content": "More"},
    ]
    key = "tokenizer.chat_template"
    chatml = Tokenizer(words | {key: "…<|im_start|>… </think> …"}).chat(turns)
    assert chatml == (
        "<|im_start|>user\nHi <|im_end|>\n<|im_start|>assistant\nHello<|im_end|>\n"
        "<|im_start|>user\nMore<|im_end|>\n<|im_start|>assistant\n"
    )
    head = "<|start_header_id|>{}<|end_header_id|>\n\n"
    llama3 = Tokenizer(words | {key: "<|start_header_id|> …"}).chat(turns[:1])
    begin, user = "<|begin_of_text|>", head.format("user") + "Hi<|eot_id|>"
    assert llama3 == begin + user + head.format("assistant")
    gemma = Tokenizer(words | {key: "… <start_of_turn> …"}).chat(
        [
            {"role": "system", "content": "Be brief"},
            *turns[:1],
            {"role": "assistant", "content": "O"},
        ]
    )
    assert gemma == (
        "<start_of_turn>user\nBe brief\n\nHi<end_of_turn>\n"
        "<start_of_turn>model\nO<end_of_turn>\n<start_of_turn>model\n"
    )
    dated = Tokenizer(words | {key: "<|start_header_id|> Cutting Knowledge Date"}).chat(turns[:1])
    assert dated.startswith(begin + head.format("system") + "Cutting Knowledge Date: December 2023")
    for template in (None, "[INST]"):
        with pytest.raises(BoltbeamError, match="--raw"):
            Tokenizer(words | {key: template}).chat(turns)


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"model": "bert"}, "model 'bert'"),
        ({"pre": "mystery"}, "pre-tokenizer 'mystery'"),
        ({"tokens": None}, "tokens is missing"),
        ({"token_type": (1, 1)}, "2 token types"),
        ({"merges": ("zz qq",)}, "merges do not fit"),
        ({"merges": ("zz",)}, "not two tokens"),
        ({"eos_token_id": 512}, "not a token"),
    ],
)
def test_bad_vocabularies(words: dict[str, Any], change: dict[str, Any], said: str) -> None:
    with pytest.raises(BoltbeamError, match=said):
        Tokenizer(words | {f"tokenizer.ggml.{k}": v for k, v in change.items()})


def test_a_token_outside_the_vocabulary(words: dict[str, Any]) -> None:
    with pytest.raises(BoltbeamError, match="token 512 is outside"):
        Tokenizer(words).decode([512])


def pieces(*words: str, **changes: Any) -> Tokenizer:
    """A SentencePiece vocabulary: control tokens, 256 bytes, letters, then words, best first."""
    fixed = ["<unk>", "<s>", "</s>", *(f"<0x{b:02X}>" for b in range(256)), *"\u2581abcde"]
    scores = [0.0] * len(fixed) + [-1.0 - i for i in range(len(words))]
    keys = {
        "model": "llama",
        "tokens": (*fixed, *words),
        "token_type": (2, 3, 3, *(6,) * 256, *(1,) * (6 + len(words))),
        "scores": tuple(scores),
        "bos_token_id": 1,
        "eos_token_id": 2,
    }
    return Tokenizer({f"tokenizer.ggml.{k}": v for k, v in (keys | changes).items()})


def test_sentence_pieces_merge_by_score() -> None:
    left, right = pieces("ab", "bc"), pieces("bc", "ab")
    assert left.decode(left.encode("abc")) == " abc" and left.adds_bos
    first = [left.decode([i]) for i in left.encode("abc")]
    other = [right.decode([i]) for i in right.encode("abc")]
    assert first == ["", " ", "ab", "c"] and other == ["", " ", "a", "bc"]


@settings(max_examples=100, deadline=None)
@given(st.text(max_size=40), st.booleans())
def test_sentence_pieces_round_trip(text: str, prefix: bool) -> None:
    tokenizer = pieces("ab", "\u2581a", "\u2581ab", add_space_prefix=prefix)
    text = text.replace("\u2581", "")
    ids = tokenizer.encode(text, special=False, bos=False)
    assert tokenizer.decode(ids) == (" " + text if prefix and text else text)
    assert 0 not in ids


def test_bad_sentence_pieces() -> None:
    with pytest.raises(BoltbeamError, match="2 scores"):
        pieces(scores=(1.0, 2.0))
    with pytest.raises(BoltbeamError, match="scores is missing"):
        pieces(scores=None)


def test_from_a_file(tiny: Make) -> None:
    tokenizer = Tokenizer.from_gguf(tiny("tiny-qwen3"))
    assert tokenizer.decode(tokenizer.encode("Hello ü")) == "Hello ü"
    with pytest.raises(BoltbeamError, match="missing or damaged"):
        Tokenizer({k: v for k, v in read_metadata(tiny()).items() if "tokens" not in k})
