"""The GGUF reader: right about good files, one clear line for every bad one, fast on big ones."""

from __future__ import annotations

import errno
import json
import os
import struct
import subprocess
import sys
import tracemalloc
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from boltbeam.models import gguf_model, gguf_writer
from boltbeam.models.gguf_header import LongArray, read_header
from boltbeam.models.gguf_writer import Spec
from boltbeam.models.inspect_model import inspect_table, inspection
from boltbeam.registry import formats
from boltbeam.types import BoltbeamError

Make = Callable[..., Path]
F32 = formats()["F32"]


def small(
    tmp: Path, metadata: dict[str, Any] | None = None, name: str = "m.gguf", **more: Any
) -> Path:
    """A few-hundred-byte GGUF with two tensors, written without the model writer's checks."""
    keys = {"general.architecture": "llama", **(metadata or {})}
    tensors = more.get("tensors", [Spec("token_embd.weight", (4, 32), F32), Spec("a", (8,), F32)])
    head = gguf_writer.header(keys, tensors, more.get("version", 3))
    path = tmp / name
    path.write_bytes(head + bytes(sum(-(-t.bytes // 32) * 32 for t in tensors)))
    return path


# ---- good files ----------------------------------------------------------------------------------


@pytest.mark.parametrize("version", [2, 3])
def test_qwen3_8b_bytes_per_token(outline: Make, version: int) -> None:
    facts = gguf_model.read(outline("qwen3-8b", version=version))
    gguf_model.require_supported(facts)
    assert gguf_model.bytes_per_token(facts) == 4_670_533_632
    counts = {(r.role, r.format): (r.count, r.bytes) for r in inspect_table(facts)}
    assert counts["ffn_down", "Q6_K"] == (18, 18 * 41_287_680)
    assert counts["attn_v", "Q6_K"] == (18, 18 * 3_440_640)
    assert counts["output", "Q6_K"] == (1, 510_504_960)
    assert facts.qk_norm and not facts.tied_head and not facts.uncovered


@pytest.mark.model
def test_the_real_smollm2(smollm2: Path) -> None:
    facts = gguf_model.read(smollm2)
    gguf_model.require_supported(facts)
    assert (facts.layers, facts.d_model, facts.heads, facts.kv_heads) == (30, 576, 9, 3)
    assert facts.tied_head and facts.rope_interleaved and not facts.uncovered
    assert len(facts.parts) == 272 and facts.vocab == 49152
    last = max(facts.parts, key=lambda p: p.offset)
    assert last.offset + last.bytes == smollm2.stat().st_size


@pytest.mark.model
def test_offsets_are_those_of_the_gguf_package(smollm2: Path) -> None:
    from gguf import GGUFReader

    theirs = {t.name: (int(t.data_offset), int(t.n_bytes)) for t in GGUFReader(smollm2).tensors}
    assert {p.name: (p.offset, p.bytes) for p in gguf_model.read(smollm2).parts} == theirs


def test_five_gigabytes_in_under_a_second_and_200_mb(outline: Make) -> None:
    path = outline("qwen3-8b")
    assert path.stat().st_size > 5e9
    script = (
        "import json, pathlib, re, sys, time; start = time.perf_counter()\n"
        "from boltbeam.models.gguf_model import read\n"
        "from boltbeam.models.inspect_model import inspection\n"
        "table = inspection(read(sys.argv[1]))\n"
        "seconds = time.perf_counter() - start\n"
        "status = pathlib.Path('/proc/self/status')\n"
        "text = status.read_text() if status.exists() else 'VmHWM: 0 kB'\n"
        "peak = int(re.search(r'VmHWM:\\s+(\\d+) kB', text)[1])\n"
        "print(json.dumps([seconds, peak, sorted(sys.modules)]))"
    )
    done = subprocess.run([sys.executable, "-c", script, path], capture_output=True, check=True)
    seconds, peak_kib, modules = json.loads(done.stdout)
    assert seconds < 1.0 and peak_kib < 200 * 1024
    assert not {"tinygrad", "tokenizers", "gguf"} & set(modules)


def test_long_arrays_are_read_only_when_asked(tiny: Make, outline: Make) -> None:
    path = outline("smollm2-135m")
    assert gguf_model.read_metadata(path)["tokenizer.ggml.tokens"] == LongArray("string", 49152)
    assert gguf_model.read_metadata(path)["tokenizer.ggml.token_type"] == LongArray("i32", 49152)
    tokens = gguf_model.read_metadata(path, arrays=True)["tokenizer.ggml.tokens"]
    assert len(tokens) == 49152 and tokens[1] == "<|im_start|>"
    assert len(gguf_model.read_metadata(tiny())["tokenizer.ggml.tokens"]) == 512


def test_header_hash_sees_every_header_byte(tmp_path: Path) -> None:
    a = gguf_model.read(small(tmp_path)).header_hash
    path = small(tmp_path, {"general.name": "other"})
    assert a != gguf_model.read(path).header_hash
    before = gguf_model.read(path).header_hash
    with path.open("r+b") as f:
        f.seek(-8, 2)
        f.write(b"\1" * 8)
    assert gguf_model.read(path).header_hash == before


def test_alignment_is_respected(tmp_path: Path) -> None:
    path = small(tmp_path, {"general.alignment": 64}, tensors=[Spec("a", (16,), F32)])
    path.write_bytes(path.read_bytes() + bytes(64))
    (t,) = read_header(path).tensors
    assert t.offset % 64 == 0
    for value in (48, [7] * 1000):
        with pytest.raises(BoltbeamError, match=r"alignment is .{,60}, not a power of two") as e:
            read_header(small(tmp_path, {"general.alignment": value}))
        assert len(str(e.value)) < 300


def test_roles() -> None:
    assert gguf_model.role_of("blk.12.attn_q.weight") == ("attn_q", 12)
    assert gguf_model.role_of("blk.0.attn_q.bias") == ("attn_q.bias", 0)
    assert gguf_model.role_of("output.weight") == ("output", None)


def test_every_part_is_in_the_table(tiny: Make) -> None:
    for name in ("tiny-llama", "tiny-qwen2", "tiny-qwen3"):
        facts = gguf_model.read(tiny(name))
        table = inspection(facts)
        assert sum(r.count for r in table.rows) == len(facts.parts) == table.parts
        assert sum(r.bytes for r in table.rows) == table.bytes
        assert sum(r.uncovered for r in table.rows) == 0 == len(table.uncovered)


# ---- uncovered, unsupported ----------------------------------------------------------------------


def test_rope_freqs_are_uncovered_but_do_not_stop(outline: Make) -> None:
    facts = gguf_model.read(outline("llama-3.2-1b"))
    (only,) = facts.uncovered
    assert only.name == "rope_freqs.weight" and "tinygrad ignores" in only.reason
    gguf_model.require_supported(facts)


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"general.architecture": "gemma9"}, "architecture 'gemma9' is not supported"),
        ({"llama.attention.key_length": 64, "llama.attention.value_length": 7}, "keys have 64"),
        ({"llama.rope.scaling.type": "yarn", "llama.rope.scaling.factor": 4.0}, "RoPE scaling"),
        ({"llama.rope.scale_linear": 2.0}, "RoPE scaling"),
        ({"llama.rope.freq_base": None}, "freq_base"),
        ({"llama.attention.head_count": 8}, "attn_k|head"),
        ({"llama.attention.head_count_kv": None}, "head_count_kv: missing|KV heads|attn_k"),
        ({"llama.context_length": None}, "context_length: missing"),
        ({"tokenizer.ggml.tokens": None}, "tokens: missing"),
        ({"llama.rope.dimension_count": 32}, "RoPE over 32 of 64"),
        ({"llama.attention.head_count": None}, "heads is 0 in the metadata, or not given"),
        ({"llama.block_count": 0}, "layers is 0 in the metadata"),
        ({"llama.rope.freq_base": 0.0}, "freq_base is 0"),
        ({"llama.rope.scaling.factor": 4.0}, "RoPE scaling 'linear' by 4.0"),
        ({"llama.attention.layer_norm_rms_epsilon": None}, "epsilon"),
        ({"llama.block_count": 31}, "blk.30.attn_norm is missing"),
        ({"llama.block_count": 29}, "beyond the 29"),
        ({"llama.rope.dimension_count": 63}, "RoPE over 63"),
        ({"tokenizer.ggml.tokens": ["a", "b"]}, "2 tokens but 49152 rows"),
    ],
)
def test_unsupported_metadata_fails_closed(
    outline: Make, changes: dict[str, Any], words: str
) -> None:
    facts = gguf_model.read(outline("smollm2-135m", metadata=changes))
    assert inspection(facts).parts == 272
    with pytest.raises(BoltbeamError, match=words):
        gguf_model.require_supported(facts)


def replaced(name: str, *new: Spec) -> Callable[[list[Spec]], list[Spec]]:
    return lambda tensors: [t for t in tensors if t.name != name] + list(new)


@pytest.mark.parametrize(
    ("tensors", "words"),
    [
        (
            replaced("", Spec("blk.3.ffn_gate_inp.weight", (8, 576), F32)),
            "ffn_gate_inp is not part",
        ),
        (
            replaced("", Spec("blk.0.attn_q.bias", (576,), F32)),
            "attn_q.bias is not part of the llama",
        ),
        (replaced("", Spec("blk.0.ffn_up_exps.weight", (4, 64, 64), F32)), "ffn_up_exps"),
        (replaced("", Spec("attn_q.weight", (64, 64), F32)), "unexpected place"),
        (replaced("blk.7.ffn_up.weight"), "blk.7.ffn_up is missing"),
        (replaced("output_norm.weight"), "output_norm is missing"),
        (
            replaced("blk.7.ffn_up.weight", Spec("blk.7.ffn_up.weight", (576, 1536), F32)),
            r"\(576, 1536\), the metadata asks for \(1536, 576\)",
        ),
        (
            replaced(
                "blk.2.attn_k.weight", Spec("blk.2.attn_k.weight", (192, 768), formats()["Q3_K"])
            ),
            "blk.2.attn_k",
        ),
    ],
)
def test_unsupported_tensors_fail_closed(outline: Make, tensors: Any, words: str) -> None:
    facts = gguf_model.read(outline("smollm2-135m", tensors=tensors))
    with pytest.raises(BoltbeamError, match=words):
        gguf_model.require_supported(facts)


def test_a_format_only_stock_reads_is_uncovered_and_runs_on_stock(outline: Make) -> None:
    spec = Spec("blk.1.ffn_down.weight", (2048, 8192), formats()["IQ4_XS"])
    path = outline("llama-3.2-1b", tensors=replaced(spec.name, spec))
    facts = gguf_model.read(path)
    assert "no generated kernel reads IQ4_XS" in [u.reason for u in facts.uncovered]
    gguf_model.require_supported(facts)
    q3 = Spec(spec.name, spec.shape, formats()["Q3_K"])
    path = outline("llama-3.2-1b", tensors=replaced(spec.name, q3))
    with pytest.raises(BoltbeamError, match="cannot read Q3_K"):
        gguf_model.require_supported(gguf_model.read(path))


def test_uncovered_parts_are_grouped_for_reading_but_all_kept(outline: Make) -> None:
    norms = [Spec(f"blk.{i}.attn_q_norm.weight", (64,), F32) for i in range(30)]
    facts = gguf_model.read(outline("smollm2-135m", tensors=replaced("", *norms)))
    table = inspection(facts)
    (group,) = table.uncovered_groups
    assert group.name == "blk.0.attn_q_norm.weight and 29 more"
    assert group.count == len(table.uncovered) == 30
    assert [r.uncovered for r in table.rows if r.role == "attn_q_norm"] == [30]


def test_only_the_used_experts_count(tmp_path: Path) -> None:
    bank = Spec("blk.0.ffn_up_exps.weight", (8, 16, 32), F32)
    keys = {"general.architecture": "qwen3moe", "qwen3moe.expert_count": 8}
    keys |= {"qwen3moe.expert_used_count": 2}
    facts = gguf_model.read(small(tmp_path, keys, tensors=[bank]))
    assert gguf_model.bytes_per_token(facts) == bank.bytes // 4


# ---- split files ---------------------------------------------------------------------------------


def split(tmp: Path, count: int = 3) -> list[Path]:
    out = []
    for i in range(count):
        keys = {"split.no": i, "split.count": count, "split.tensors.count": count}
        tensors = [Spec(f"blk.{i}.attn_norm.weight", (8,), F32)]
        name = f"m-{i + 1:05d}-of-{count:05d}.gguf"
        out.append(small(tmp, keys, name, tensors=tensors))
    return out


def test_any_piece_opens_the_whole(tmp_path: Path) -> None:
    pieces = split(tmp_path)
    assert all(gguf_model.files(p) == tuple(pieces) for p in pieces)
    read = [gguf_model.read(p) for p in pieces]
    assert read[0] == read[1] == read[2]
    assert [(p.layer, p.file) for p in read[0].parts] == [(0, 0), (1, 1), (2, 2)]


def test_incomplete_or_mixed_splits_are_refused(tmp_path: Path) -> None:
    a, b, c = split(tmp_path)
    content = b.read_bytes()
    b.unlink()
    with pytest.raises(BoltbeamError, match=r"m-00002-of-00003.gguf is missing"):
        gguf_model.read(a)
    b.write_bytes(c.read_bytes())
    with pytest.raises(BoltbeamError, match="its header says piece 2 of 3"):
        gguf_model.read(a)
    b.write_bytes(content)
    with pytest.raises(BoltbeamError, match="is piece 1 of 3"):
        gguf_model.read(b.rename(tmp_path / "other.gguf"))


def test_a_split_that_lacks_tensors_is_refused(tmp_path: Path) -> None:
    a, _, _ = split(tmp_path)
    keys = {"split.no": 0, "split.count": 3, "split.tensors.count": 9}
    small(tmp_path, keys, a.name, tensors=[Spec("blk.0.attn_norm.weight", (8,), F32)])
    with pytest.raises(BoltbeamError, match="3 tensors of 9"):
        gguf_model.read(a)


# ---- bad files -----------------------------------------------------------------------------------


def refused(path: Path, words: str) -> None:
    with pytest.raises(BoltbeamError, match=words) as e:
        gguf_model.read(path)
    assert "\n" not in str(e.value) and str(path) in str(e.value) and ";" in str(e.value)


def test_not_a_model_file(tmp_path: Path) -> None:
    refused(tmp_path, "is a directory")
    refused(tmp_path / "none.gguf", "No such file")
    empty = tmp_path / "empty.gguf"
    empty.touch()
    refused(empty, "not a GGUF")
    text = tmp_path / "text.gguf"
    text.write_bytes(b"<!DOCTYPE html>" + b" " * 100)
    refused(text, "not a GGUF")
    text.write_bytes(b"version https://git-lfs.github.com/spec/v1\noid sha256:1")
    refused(text, "Git LFS pointer")
    os.mkfifo(tmp_path / "pipe.gguf")
    refused(tmp_path / "pipe.gguf", "not a regular file")
    with pytest.raises(BoltbeamError):
        gguf_model.read("a\0b")


def test_an_unreadable_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = small(tmp_path)

    def deny(*_: Any, **__: Any) -> Any:
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))

    monkeypatch.setattr(Path, "open", deny)
    refused(path, "Permission denied")


def patched(path: Path, offset: int, form: str, value: Any) -> Path:
    with path.open("r+b") as f:
        f.seek(offset)
        f.write(struct.pack(form, value))
    return path


HUGE = (1 << 32, 1 << 40, (1 << 63) - 1, (1 << 64) - 1)


@pytest.mark.parametrize("huge", HUGE)
def test_absurd_counts_and_lengths(tmp_path: Path, huge: int) -> None:
    said = f"absurd count of tensors: {huge} at byte 8 .262144 at most, and [0-9]+ bytes are left"
    refused(patched(small(tmp_path), 8, "<Q", huge), said)
    refused(patched(small(tmp_path), 16, "<Q", huge), "absurd count of metadata keys")
    refused(patched(small(tmp_path), 24, "<Q", huge), "absurd length of a metadata key.*at byte 24")
    at = 24 + 8 + len("general.architecture") + 4
    refused(patched(small(tmp_path), at, "<Q", huge), "absurd length of the string")
    path = small(tmp_path, {"list": ["x"] * 3})
    at = path.read_bytes().index(b"list") + 4 + 4 + 4
    refused(patched(path, at, "<Q", huge), "absurd count of elements of 'list'")
    path = small(tmp_path)
    at = path.read_bytes().index(b"token_embd.weight") + 17 + 4
    refused(patched(path, at, "<Q", huge), "absurd dimensions")


def test_a_string_length_inside_a_skipped_array(tmp_path: Path) -> None:
    path = small(tmp_path, {"list": ["x"] * 5000})
    at = path.read_bytes().index(b"list") + 4 + 4 + 4 + 8 + 9 * 4321
    refused(patched(path, at, "<Q", (1 << 64) - 1), "past the end of the file")


def test_damaged_tensor_entries(tmp_path: Path) -> None:
    at = small(tmp_path).read_bytes().index(b"token_embd.weight") + 17
    refused(patched(small(tmp_path), at, "<I", 5), "5 dimensions")
    refused(patched(small(tmp_path), at + 4, "<Q", 0), "absurd dimensions")
    refused(patched(small(tmp_path), at + 20, "<I", 31), "unknown format number 31")
    refused(patched(small(tmp_path), at + 20, "<I", 12), "do not fill Q4_K blocks")
    refused(patched(small(tmp_path), at + 24, "<Q", 7), "misaligned")
    refused(patched(small(tmp_path), at + 24, "<Q", 1 << 20), "past the end")
    refused(patched(small(tmp_path), at + 24, "<Q", 32), "overlap|past the end")
    twice = [Spec("a", (8,), F32), Spec("a", (8,), F32)]
    refused(small(tmp_path, tensors=twice), "stands twice")
    one = small(tmp_path, tensors=[Spec("a", (8,), F32), Spec("b", (8,), F32)])
    refused(patched(one, one.read_bytes().index(b"b\1\0\0\0") + 17, "<Q", 0), "'a' and 'b' overlap")


def test_versions_byte_order_and_keys(tmp_path: Path) -> None:
    refused(patched(small(tmp_path), 4, "<I", 1), "version 1")
    refused(patched(small(tmp_path), 4, ">I", 3), "big-endian")
    path = small(tmp_path)
    refused(patched(path, 32 + len("general.architecture"), "<I", 77), "unknown type 77")
    refused(small(tmp_path, {"general.architecture": 3}), "no general.architecture")
    refused(small(tmp_path, {"llama.block_count": "many"}), "not a count")
    refused(small(tmp_path, {"llama.block_count": 1 << 31}), "not a count from 0 to 2147483647")
    for value in (float("nan"), -1.0, True, "1"):
        refused(small(tmp_path, {"llama.rope.freq_base": value}), "not a number from 0 on")
    refused(small(tmp_path, {"split.no": False}), "split.no False is not a number")
    refused(small(tmp_path, {"general.architecture": "a\nb"}), "no general.architecture")
    refused(small(tmp_path, tensors=[]), "no tensors")
    refused(small(tmp_path, tensors=[Spec("a\nb", (8,), F32)]), "not printable")
    refused(small(tmp_path, {"a\x1b[2J": 1}), "not printable")


def test_every_truncation_is_refused(tmp_path: Path) -> None:
    path = small(tmp_path, {"list": ["x"] * 3, "llama.block_count": 1})
    whole = path.read_bytes()
    for n in (*range(400), *range(400, len(whole), 37)):
        path.write_bytes(whole[:n])
        with pytest.raises(BoltbeamError):
            gguf_model.read(path)


GENERAL = ("general.architecture", "general.name", "general.alignment", "tokenizer.ggml.tokens")
SPLIT = ("split.count", "split.no", "split.tensors.count")
LLAMA = (
    *("block_count", "embedding_length", "feed_forward_length", "context_length", "vocab_size"),
    *("attention.head_count", "attention.head_count_kv", "attention.key_length"),
    *("attention.layer_norm_rms_epsilon", "rope.freq_base", "rope.dimension_count"),
    *("rope.scaling.type", "rope.scaling.factor", "rope.scale_linear"),
    *("expert_count", "expert_used_count", "nextn_predict_layers"),
)
KEYS = (*GENERAL, *SPLIT, *(f"llama.{k}" for k in LLAMA))
VALUES = st.one_of(
    st.integers(0, (1 << 32) - 1),
    st.sampled_from([0, 1, 2, 32, 64]),
    st.floats(width=32),
    st.booleans(),
    st.text(max_size=8),
    st.lists(st.integers(-5, 1 << 30), max_size=4),
    st.lists(st.text(max_size=3), min_size=1, max_size=4),
    st.just([7] * 1500),
)


@settings(max_examples=200, deadline=2000, suppress_health_check=list(HealthCheck))
@given(keys=st.dictionaries(st.sampled_from(KEYS), VALUES), embed=st.booleans())
def test_metadata_of_any_type_raises_nothing_else(
    tmp_path: Path, keys: dict[str, Any], embed: bool
) -> None:
    name = "token_embd.weight" if embed else "blk.0.attn_q.weight"
    path = small(tmp_path, keys, tensors=[Spec(name, (4, 32), F32)])
    try:
        facts = gguf_model.read(path)
        assert inspection(facts).parts == 1
        gguf_model.require_supported(facts)
    except BoltbeamError as e:
        assert "\n" not in str(e)


INTERESTING = st.sampled_from(
    [0, 1, 8, 9, 32, 255, 65536, 1 << 31, 1 << 32, 1 << 63, (1 << 64) - 1]
)


@settings(max_examples=300, deadline=2000, suppress_health_check=list(HealthCheck))
@given(data=st.data())
def test_mutations_raise_nothing_else(tmp_path: Path, data: st.DataObject) -> None:
    keys = {
        "list": ["xyz"] * data.draw(st.sampled_from([3, 1500])),
        "n": [1, 2, 3],
        "llama.block_count": 1,
        "f": 1.0,
        "b": True,
    }
    raw = bytearray(small(tmp_path, keys).read_bytes())
    for _ in range(data.draw(st.integers(1, 4))):
        at = data.draw(st.integers(0, len(raw) - 1))
        form = data.draw(st.sampled_from(["<B", "<H", "<I", "<Q"]))
        value = data.draw(INTERESTING) % (1 << 8 * struct.calcsize(form))
        kind = data.draw(st.sampled_from(["write", "insert", "cut"]))
        piece = struct.pack(form, value)
        end = at + (len(piece) if kind == "write" else 0 if kind == "insert" else 3)
        raw[at:end] = b"" if kind == "cut" else piece
    path = tmp_path / "mutated.gguf"
    path.write_bytes(raw)
    tracemalloc.start()
    try:
        gguf_model.require_supported(gguf_model.read(path))
    except BoltbeamError as e:
        assert str(e)
    finally:
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
    assert peak < 16 << 20
    for arrays in (False, True):
        try:
            read_header(path, arrays)
        except BoltbeamError:
            continue


# ---- fingerprint ---------------------------------------------------------------------------------


@pytest.mark.parametrize("whole_bytes", [gguf_model.WHOLE_FILE_BYTES, 0])
def test_a_fingerprint_sees_a_damaged_norm(
    whole_bytes: int, tiny: Make, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(gguf_model, "WHOLE_FILE_BYTES", whole_bytes)
    good, copy = tiny(), tmp_path / "copy.gguf"
    data = good.read_bytes()
    copy.write_bytes(data)
    assert gguf_model.fingerprint(copy) == gguf_model.fingerprint(good)
    seen = {gguf_model.fingerprint(good)}
    for n, p in enumerate(gguf_model.read(good).parts, 1):
        nan = struct.pack("<f", float("nan")) if len(p.shape) == 1 else b"\xa5\x5a\xa5\x5a"
        end = p.offset + p.bytes
        copy.write_bytes(data[: end - 4] + nan + data[end:])
        seen.add(gguf_model.fingerprint(copy))
        assert len(seen) == n + 1, p.name


def test_of_a_large_file_every_tensor_is_in_the_fingerprint(outline: Make) -> None:
    path = outline("qwen3-8b")
    facts, before = gguf_model.read(path), gguf_model.fingerprint(path)
    large = next(p for p in facts.parts if p.name == "blk.17.ffn_up.weight")
    norm = next(p for p in facts.parts if p.name == "blk.35.attn_norm.weight")
    for at in (large.offset, large.offset + large.bytes - 1, norm.offset + 1000):
        with path.open("r+b") as f:
            f.seek(at)
            f.write(b"\x01")
        now = gguf_model.fingerprint(path)
        assert now != before
        before = now
