"""boltbeam run: what it prints of its tokens' rate."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from types import SimpleNamespace
from typing import Any

import pytest

from boltbeam.commands import running
from boltbeam.commands.plan_in_use import Opened


class Clocked:
    """A stock model whose tokens take so many seconds each by a clock of its own; like tinygrad's
    its rollout compiles with the second token and captures with the third."""

    max_context = 64

    def __init__(self, seconds: Sequence[float]) -> None:
        self.now, self.seconds, self.rollout_jit = 1.0, seconds, SimpleNamespace(cnt=0)

    def generate(self, ids: list[int], temperature: float) -> Iterator[int]:
        for i, s in enumerate(self.seconds):
            self.now += s
            self.rollout_jit.cnt += i > 0
            yield i


class Letters:
    """A tokenizer: a letter an id."""

    def stream(self) -> Any:
        return SimpleNamespace(push=lambda i: "abcdefghij"[i], flush=lambda: "")

    def decode(self, ids: Sequence[int]) -> str:
        return "".join("abcdefghij"[i] for i in ids)


def told(monkeypatch: pytest.MonkeyPatch, seconds: Sequence[float], fmt: str) -> None:
    from boltbeam.token.install import Installation

    model = Clocked(seconds)
    monkeypatch.setattr(running.time, "perf_counter", lambda: model.now)
    found = Opened(Installation(model, None), None, ())
    running.stream(found, Letters(), [1, 2], len(seconds), (), fmt)


def test_tokens_that_compile_are_not_in_the_rate(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Two seconds of compiling beside four tokens of an eighth."""
    told(monkeypatch, [0.5, 1.5, 0.5, *[0.125] * 4], "json")
    said = json.loads(capsys.readouterr().out)
    assert (said["tok_s"], said["tok_s_tokens"], said["time_to_first_token_s"]) == (8.0, 4, 0.5)
    told(monkeypatch, [0.5, 1.5, 0.5, *[0.125] * 4], "md")
    printed = capsys.readouterr()
    assert printed.out == "abcdefg\n"
    assert "stock: 7 tokens, 8 tok/s (of the last 4: those before compiled), first" in printed.err


@pytest.mark.parametrize(
    ("n", "warm", "words"),
    [(1, 0, "stock: 1 token, too few for a rate, first"),
     (3, 0, "stock: 3 tokens, too few for a rate (the first ones compile), first"),
     (6, 3, "stock: 6 tokens, too few for a rate (the first ones compile), first")],
)  # fmt: skip
def test_too_few_tokens_have_no_rate(
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    n: int,
    warm: int,
    words: str,
) -> None:
    told(monkeypatch, [0.5, 1.5, *[0.5] * 4][:n], "json")
    said = json.loads(capsys.readouterr().out)
    assert (said["tok_s"], said["tok_s_tokens"]) == (None, warm)
    told(monkeypatch, [0.5, 1.5, *[0.5] * 4][:n], "md")
    assert words in capsys.readouterr().err
