"""Public priors: they warn and order on their chip, and do nothing anywhere."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from cli_cases import Done

from boltbeam import registry
from boltbeam.models import synth
from boltbeam.records import priors
from boltbeam.search import filters, search
from boltbeam.search.search_items import Request

Cli = Callable[..., Done]
AMD, H200 = "amd-gfx1100-96cu", "nv-sm90-132sm"


def request(chip: str) -> Request:
    return Request(model=synth.facts("smollm2-135m"), chip=registry.chips()[chip])


def test_a_span_holds_what_it_contains() -> None:
    titles = {p.title for p in priors.on_chip(AMD, "norm+qkv", ["Q4_K"])}
    assert "all elementwise kernels fused" in titles and "split-K for k and v" in titles
    assert "Q6_K direct half-warp" not in titles
    other = {p.title for p in priors.on_chip("nv-sm120-170sm", "down+norm", [])}
    assert other == {"reduce + residual + RMSNorm fused into the GEMV"}
    assert priors.on_chip("nv-sm120-170sm", "norm+qkv", []) == []


def test_only_what_was_wholly_refuted_comes_later() -> None:
    assert priors.discouraged(AMD, "norm", ()) and not priors.discouraged(H200, "norm", ())
    assert not priors.discouraged(AMD, "attention", ())  # promoted, too


def test_they_order_a_search_and_leave_out_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    items = [i for i in filters.filter_all(request(H200))[1] if len(i.work.ops) == 1]

    def order() -> list[str]:
        return [i.work.op for i in sorted(items, key=lambda i: search.turn(H200, i))]

    before = order()
    assert before.index("down") < before.index("o")
    about = {"verdict": "refuted", "title": "t", "chip": H200, "reason": "r", "source": "s"}
    monkeypatch.setattr(registry, "priors", lambda: (registry.Prior(ops=("down",), **about),))
    assert order() == [op for op in before if op != "down"] + ["down"]


def test_the_filters_do_not_know_them(monkeypatch: pytest.MonkeyPatch) -> None:
    """On their own chip, too: the same candidates are legal and kept."""
    asked = replace(request(AMD), ops=("norm",), fused=False)
    known = [(i.legal, len(i.kept)) for i in filters.filter_all(asked)[1]]
    monkeypatch.setattr(registry, "priors", lambda: ())
    assert [(i.legal, len(i.kept)) for i in filters.filter_all(asked)[1]] == known


def test_a_search_warns_on_their_chip_only(cli: Cli, outline: Callable[..., Path]) -> None:
    words = ["search", "--model", outline("qwen3-8b"), "--dry-run", "--op", "down", "--no-fused"]
    here = cli(*words, "--chip", "rx-7900-xtx", "--format", "json")
    said = [x for x in here.err.splitlines() if "public prior" in x]
    assert any("split-K for ffn_down" in x and "(7 times slower)" in x for x in said)
    assert all(x.endswith("[public tinygrad-arkey records]") for x in said)
    assert "public prior" not in cli(*words, "--chip", "rtx-5090", "--format", "json").err
