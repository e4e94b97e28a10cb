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
    assert "stock: 7 tokens, 8 tok/s (of the last 4), first" in printed.err


@pytest.mark.parametrize(
    ("n", "warm", "words"),
    [(1, 0, "stock: 1 token, too few for a rate, first"),
     (3, 0, "stock: 3 tokens, too few for a rate, first"),
     (6, 3, "stock: 6 tokens, too few for a rate, first")],
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


@pytest.mark.parametrize(
    ("by", "n", "warm"),
    [("plan", 4, 0), ("plan", 7, 3), ("plan", 8, 4), ("plan", 10, 6), ("plan", 64, 60),
     ("stock", 5, 4), ("stock", 8, 7), ("stock", 64, 63)],
)  # fmt: skip
def test_a_burst_counts_for_the_time_it_took(
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    by: str,
    n: int,
    warm: int,
) -> None:
    """A GPU's tokens, an eighth of a second each, are read four at a time; the first one stands
    alone where stock takes the prompt."""
    clock = SimpleNamespace(now=1.0)

    def generate(_: Any, ids: list[int], n: int, stop: Any, burst: int, **how: Any) -> Any:
        assert burst == 4
        for i in range(n):
            if by == "stock" and i == 0:
                clock.now += 2.0
            elif (i - (by == "stock")) % burst == 0:
                clock.now += 0.125 * min(burst, n - i)
            yield i % 10

    made = SimpleNamespace(
        plan=SimpleNamespace(device="CUDA"),
        active=True,
        prompt_by=f"{by} (measured)",
        replays=lambda _: True,
        refused=(),
    )
    monkeypatch.setattr(running.time, "perf_counter", lambda: clock.now)
    monkeypatch.setattr("boltbeam.token.install.generate", generate)
    running.stream(Opened(made, None, ()), Letters(), [1], n, (), "json")  # type: ignore[arg-type]
    said = json.loads(capsys.readouterr().out)
    assert said["tok_s_tokens"] == warm
    assert said["tok_s"] == (pytest.approx(8.0) if warm >= running.FEWEST_TOKENS else None)
