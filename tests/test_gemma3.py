"""Gemma 3: what its file says, its steps against float64, its stock, its plan, the real model."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from decode_cases import CHIP, load, whole_token
from kernel_cases import TARGET, execute, operands, route, work_item, worst
from test_emit_rows import source
from test_reference import run_stock

from boltbeam import plugin
from boltbeam.emit import launches, reference, rows_gemv, rows_norm, stock
from boltbeam.models import gguf_model, plan, synth
from boltbeam.seam import stock_gemma3, tinygrad_model
from boltbeam.token.agreement import Reply, Trace, judge
from boltbeam.token.bindings import Binder
from boltbeam.token.decode_plan import DecodePlan
from boltbeam.token.install import stock_trace
from boltbeam.types import BoltbeamError, Geometry, Part, Step

Tiny = Callable[..., Path]
CONTEXT, PROMPT = 64, (7, 300, 21, 450, 33)
HALVES = ("norm+qkv+rope_store+attention+o+post_norm", "norm+gate_up+down+post_norm")
RECORDED = Path(__file__).parent / "data" / "gemma-3-270m-q4_k_m.tokens.json"

# ---- the file --------------------------------------------------------------------------------


def test_what_the_header_says(tiny: Tiny) -> None:
    facts = gguf_model.read(tiny("tiny-gemma3"))
    gguf_model.require_supported(facts)
    assert facts.uncovered == () and facts.tied_head and facts.qk_norm and facts.post_norms
    assert facts.embed_scale == math.sqrt(128) and facts.gate == "gelu" and facts.window == 24
    assert [facts.is_local(i) for i in range(6)] == [True] * 5 + [False]
    assert (facts.theta_of(4), facts.theta_of(5)) == (1e4, 1e6)
    found = {p.format for p in facts.parts if p.is_matrix}
    assert found == {"Q5_0", "Q8_0", "Q4_K", "Q6_K"}


def test_the_steps_of_a_layer(tiny: Tiny) -> None:
    facts = gguf_model.read(tiny("tiny-gemma3"))
    token = plan.steps(facts)
    assert "+".join(s.op for s in token[1:11]) == "+".join(HALVES)
    norms = [s.norm for s in token[1:11] if s.norm]
    assert norms == ["attn_norm", "post_attention_norm", "ffn_norm", "post_ffw_norm"]
    local, whole = (plan.work_item(facts, [Step(op="attention", layer=i)], CONTEXT) for i in (4, 5))
    assert (local.window, whole.window) == (24, 0) and local.key.endswith("-w24/m1")
    assert local.bytes < whole.bytes
    short = plan.work_item(facts, [Step(op="attention", layer=4)], 24)
    assert short.window == 0, "a window as wide as the context is none"


@pytest.mark.parametrize(
    ("metadata", "said"),
    [
        ({"gemma3.final_logit_softcapping": 30.0}, "final_logit_softcapping"),
        ({"gemma3.attn_logit_softcapping": 50.0}, "attn_logit_softcapping"),
        ({"gemma3.attention.sliding_window": None}, "sliding_window"),
        ({"gemma3.attention.sliding_window": 0}, "sliding_window is 0"),
        ({"gemma3.rope.freq_base_swa": 0.0}, "freq_base is 0"),
        ({"gemma3.attention.sliding_window_pattern": 2}, "sliding_window_pattern"),
        ({"gemma3.attention.sliding_window_pattern": [True] * 6}, "sliding_window_pattern"),
        ({"gemma3.rope.scaling.type": "linear", "gemma3.rope.scaling.factor": 8.0}, "scaling"),
        ({"gemma3.block_count": 62}, "62 layers"),
        ({"general.architecture": "gemma2"}, "gemma2"),
        ({"general.architecture": "gemma3n"}, "gemma3n"),
    ],
)
def test_other_gemmas_are_refused(
    outline: Callable[..., Path], metadata: dict[str, Any], said: str
) -> None:
    with pytest.raises(BoltbeamError, match=said):
        gguf_model.require_supported(gguf_model.read(outline("tiny-gemma3", metadata=metadata)))


def test_a_pattern_of_every_sixth_is_fine(outline: Callable[..., Path]) -> None:
    flags = [True] * 5 + [False]
    for pattern in (6, flags):
        keys = {"gemma3.attention.sliding_window_pattern": pattern}
        gguf_model.require_supported(gguf_model.read(outline("tiny-gemma3", metadata=keys)))


def test_a_missing_post_norm_is_refused(outline: Callable[..., Path]) -> None:
    def without(tensors: list[Any]) -> list[Any]:
        return [t for t in tensors if t.name != "blk.3.post_ffw_norm.weight"]

    with pytest.raises(BoltbeamError, match=r"blk\.3\.post_ffw_norm is missing"):
        gguf_model.require_supported(gguf_model.read(outline("tiny-gemma3", tensors=without)))


# ---- its steps, rows form --------------------------------------------------------------------

CASES: dict[str, tuple[str, dict[str, Any], int]] = {
    "embed": ("embed", {"embed_scale": math.sqrt(256)}, 7),
    "gelu": ("gate_up", {"gate": "gelu"}, 7),
    "o": ("o", {"post_norms": True}, 7),
    "down": ("down", {"post_norms": True}, 7),
    "post_norm": ("post_norm", {}, 7),
    "post_norm+norm": ("post_norm+norm", {}, 7),
    "window, not reached": ("attention", {"window": 16}, 14),
    "window, just full": ("attention", {"window": 16}, 15),
    "window, one left": ("attention", {"window": 16}, 16),
    "window, last": ("attention", {"window": 16}, 39),
}
"""Name -> (op, fields of the work item, position)."""
GEMMA = {"post_norms": True, "gate": "gelu", "window": 16, "qk_norm": True}


def error(op: str, fields: dict[str, Any], pos: int, geometry: str = "", name: str = "") -> float:
    """|y - y64| ÷ tolerance of the rows kernel of an op; `name`: another kernel than remembered."""
    work = work_item(op, "Q5_0", **fields)
    arrays = operands(work, np.random.default_rng(0), pos)
    chosen = route("chain").model_copy(update={"id": name or "chain"})
    return worst(work, arrays, execute(work, chosen, Geometry.parse(geometry), arrays))


@pytest.mark.parametrize("case", CASES)
def test_a_step_in_rows_form(case: str) -> None:
    assert error(*CASES[case]) <= 1


@pytest.mark.parametrize("share", [0, 1])
def test_a_window_whose_heads_share_keys(share: int) -> None:
    fields = {"window": 16, "heads": 4, "kv_heads": 1}
    assert error("attention", fields, 30, f"lanes=16 share={share}") <= 1


@pytest.mark.parametrize("pos", [15, 16, 33])
@pytest.mark.parametrize("op", HALVES)
def test_half_a_layer_in_one_launch(op: str, pos: int) -> None:
    assert error(op, GEMMA, pos) <= 1


@pytest.mark.parametrize("case", ["post_norm+norm", "window, last"])
def test_golden(case: str, golden: Callable[[str, str], None]) -> None:
    op, fields, _ = CASES[case]
    (launch,) = launches(work_item(op, **fields), route("chain"), Geometry(), TARGET)
    name = {"attention": "rows_attention_window.c"}.get(op, f"rows_{op.replace('+', '_')}.c")
    golden(name, source(launch))


@pytest.mark.parametrize("case", CASES)
def test_stock_computes_the_same_step(case: str) -> None:
    """The incumbent that every step is compared with, from the tensors that it says it takes."""
    op, fields, pos = CASES[case]
    work = work_item(op, "Q5_0", **fields)
    given = operands(work, np.random.default_rng(0), pos)
    arrays = {b.name: given[b.name] for b in stock.takes(work)}
    got, (values, sizes) = run_stock(work, arrays, half=False), reference.run(work, arrays)
    assert got.keys() >= {n for n in values if not n.endswith(".s32")}
    for name, y in got.items():
        assert (np.abs(y - values[name]) <= 2e-5 * sizes[name] + 1e-6).all(), name


# ---- its steps, lanes form -------------------------------------------------------------------


@pytest.mark.cl
@pytest.mark.parametrize(
    ("op", "fields", "geometry"),
    [
        ("embed", {"embed_scale": 25.3}, "threads=64"),
        ("gate_up", {"gate": "gelu"}, "lanes=4 groups=16 rows=2 words=4 unroll=1"),
        ("down", {"post_norms": True}, "lanes=8 groups=4 rows=2 words=4 unroll=1"),
        ("post_norm", {}, "threads=64"),
        ("post_norm+norm", {}, "threads=128"),
    ],
)
def test_a_step_in_lanes_form(op: str, fields: dict[str, Any], geometry: str) -> None:
    assert lanes_error(op, fields, geometry, 7) <= 1


@pytest.mark.cl
@pytest.mark.parametrize("op", ["attention", "rope_store+attention"])
@pytest.mark.parametrize(
    ("pos", "split"),
    [
        (16, 4),
        (127, 4),
        *(pytest.param(*p, marks=pytest.mark.slow) for p in ((5, 1), (15, 2), (17, 8), (100, 8))),
    ],
)
def test_a_window_in_lanes_form(op: str, pos: int, split: int) -> None:
    fields = {"window": 16, "context": 128, "qk_norm": True}
    assert lanes_error(op, fields, f"split={split} threads=64", pos) <= 1


def lanes_error(op: str, fields: dict[str, Any], geometry: str, pos: int) -> float:
    import lanes_bench as bench

    family = {"embed": "embed", "attention": "attention"}.get(op, "norm" if "norm" in op else "")
    family = family or ("chain" if "+" in op else "gemv")
    work = work_item(op, "Q5_0", **fields)
    chosen = bench.route(work).model_copy(update={"family": family})
    made = launches(work, chosen, Geometry.parse(geometry), bench.target())
    arrays = bench.arrays_for(work, made, np.random.default_rng(1), position=pos)
    ratios = bench.worst(work, bench.execute(made, arrays), arrays)
    assert ratios, "nothing was compared"
    return max(ratios.values())


# ---- wrong kernels are caught ----------------------------------------------------------------


def test_erf_gelu_is_caught() -> None:
    """The exact GELU is never further than 5e-4 from the one by tanh; that is enough."""
    work = work_item("gate_up", "Q5_0", gate="gelu")
    arrays = operands(work, np.random.default_rng(0))
    tables = {t.role: t for t in work.tables}
    gate, up = (
        reference.dequantise(tables[r], arrays[f"w.{r}"]) @ arrays["xn.f32"].astype(np.float64)
        for r in ("ffn_gate", "ffn_up")
    )
    exact = np.array([g * (1 + math.erf(g / math.sqrt(2))) / 2 for g in gate]) * up
    by_tanh = reference.gelu(gate) * up
    assert worst(work, arrays, {"act.f32": by_tanh}) <= 1
    assert worst(work, arrays, {"act.f32": exact}) > 1


def test_silu_for_gelu_is_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rows_gemv, "steepness", lambda gate, _kind: gate)
    assert error(*CASES["gelu"], name="planted_silu") > 100


@pytest.mark.parametrize("wrong", [15, 17])
def test_a_window_off_by_one_is_caught(wrong: int) -> None:
    op, fields, pos = CASES["window, last"]
    work = work_item(op, **fields)
    arrays = operands(work, np.random.default_rng(0), pos)
    other = work.model_copy(update={"window": wrong})
    got = execute(other, route("chain"), Geometry(), arrays)
    assert worst(other, arrays, got) <= 1 and worst(work, arrays, got) > 10


def test_a_norm_weight_with_another_one_added_is_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    right = rows_norm.inverse_rms
    monkeypatch.setattr(rows_norm, "inverse_rms", lambda *a, **k: right(*a, **k) * 2)
    assert error(*CASES["post_norm"], name="planted_one") > 100


def test_a_forgotten_scale_of_the_embedding_is_caught() -> None:
    work = work_item("embed", "Q8_0", embed_scale=16.0)
    arrays = operands(work, np.random.default_rng(0))
    plain = work.model_copy(update={"embed_scale": 1.0})
    got = execute(plain, route("embed"), Geometry(), arrays)
    assert worst(plain, arrays, got) <= 1 < worst(work, arrays, got)


def test_a_skipped_post_norm_is_caught() -> None:
    work = work_item("norm+gate_up+down+post_norm", "Q5_0", **GEMMA)
    arrays = operands(work, np.random.default_rng(0))
    op = "norm+gate_up+down"
    without = work.model_copy(update={"op": op, "post_norms": False})
    got = execute(without, route("chain"), Geometry(), arrays)
    assert worst(work, arrays, {"x": got["x"]}) > 100


# ---- stock and the plan ----------------------------------------------------------------------


class Case:
    """The tiny model: stock, its trace past the window, and a plan that shares its KV cache."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.model, self.facts, self.files = load(path, CONTEXT)
        self.trace = stock_trace(
            tinygrad_model.stock_decoder(self.model), PROMPT, CONTEXT - len(PROMPT)
        )
        self.plan = self.bind(Binder)

    def bind(self, binder: type[Binder]) -> DecodePlan:
        members = whole_token(self.facts, CONTEXT)
        made = DecodePlan(
            self.facts, self.files, members, "CPU", CONTEXT, CHIP, self.model, binder=binder
        )
        assert made.fallbacks == ()
        return made

    def verdict(self, binder: type[Binder]) -> str:
        rows = self.bind(binder).forced(self.trace.text, len(PROMPT) - 1)
        return judge([self.trace], [Reply(np.stack(list(rows)), ())]).verdict


@pytest.fixture(scope="module")
def case(tiny: Tiny) -> Case:
    return Case(tiny("tiny-gemma3"))


def test_the_plan_speaks_as_stock_does(case: Case) -> None:
    shared = Reply(case.plan.backwards(case.trace.text, len(PROMPT) - 1), ())
    free = case.plan.greedy(PROMPT, len(case.trace.ids))
    alone = Reply(np.stack(list(case.plan.forced(case.trace.text, len(PROMPT) - 1))), free)
    result = judge([case.trace, case.trace], [shared, alone])
    assert result.verdict == "identical", result.line()


@pytest.mark.slow
def test_stock_prefill_sees_the_same_window(case: Case) -> None:
    """A prompt longer than the window, taken in chunks, leads to the tokens of one at a time."""
    text = case.trace.text
    case.model._cached_tokens = []
    found = [next(case.model.generate(list(text[:n]), chunk_size=16)) for n in (20, 41, 55)]
    assert found == [case.trace.ids[n - len(PROMPT)] for n in (20, 41, 55)]


def test_stock_is_the_model_in_float64(case: Case) -> None:
    from boltbeam.token import emulation

    exact = emulation.logits(case.path, case.trace.text)[len(PROMPT) - 1 :]
    assert case.trace.logits is not None
    assert np.abs(exact - case.trace.logits).max() < 2e-3 * np.abs(exact).max()


class GlobalRope(Binder):
    """Local layers turn by the global layers' base."""

    def rope(self, layer: int) -> object:
        return super().rope(5)


class PreForPost(Binder):
    """Post-norms multiply by the weights of the norms in front."""

    def part(self, role: str, layer: int | None) -> Part:
        return super().part(role.replace("post_ffw_norm", "ffn_norm"), layer)


@pytest.mark.parametrize("binder", [GlobalRope, PreForPost])
def test_a_wrong_plan_diverges(case: Case, binder: type[Binder]) -> None:
    assert case.verdict(binder) == "diverged"


def test_tinygrads_own_loader_is_not_trusted(case: Case, tmp_path: Path) -> None:
    from tinygrad.llm.model import Transformer

    model, _ = Transformer.from_gguf(case.path, max_context=CONTEXT)
    with pytest.raises(BoltbeamError, match=r"plugin\.load"):
        plugin.install(model, case.path, "cpu", tmp_path)
    mine, _ = plugin.load(case.path, CONTEXT, "cpu")
    assert isinstance(mine, stock_gemma3.Gemma3)


# ---- the real model --------------------------------------------------------------------------


def recorded() -> Sequence[dict[str, Any]]:
    rows: Sequence[dict[str, Any]] = json.loads(RECORDED.read_text(encoding="utf-8"))["rows"]
    return rows


@pytest.mark.model
def test_the_real_file(gemma3: Path) -> None:
    facts = gguf_model.read(gemma3)
    gguf_model.require_supported(facts)
    assert facts.uncovered == () and facts.header_hash == "734dc913752602ed"
    made = synth.tensor_specs(synth.MODELS["gemma-3-270m"], {})
    assert {(t.name, t.shape, t.format.name) for t in made} == {
        (p.name, p.shape, p.format) for p in facts.parts
    }


@pytest.mark.model
def test_the_real_tokenizer(gemma3: Path) -> None:
    from boltbeam.models.tokenizer import Tokenizer

    tokenizer = Tokenizer.from_gguf(gemma3)
    for row in recorded():
        assert tokenizer.encode(row["prompt"]) == row["prompt_ids"]
    assert tokenizer.decode(recorded()[0]["ids"][:4]) == " the capital of the"


@pytest.mark.model
@pytest.mark.slow
def test_the_real_stock_gives_the_recorded_tokens(gemma3: Path) -> None:
    model, _ = tinygrad_model.load_model(gemma3, 128, "CPU")
    decode = tinygrad_model.stock_decoder(model)
    traces, replies = [], []
    for row in recorded():
        prompt, ids = tuple(row["prompt_ids"]), tuple(row["ids"])
        seen = stock_trace(decode, prompt, len(ids), ids)
        assert seen.logits is not None
        traces.append(Trace(prompt, ids, gaps=tuple(row["top2_logprob_gap"])))
        replies.append(Reply(seen.logits, ()))
    result = judge(traces, replies, "q8_activations", against="recorded engine")
    assert result.ok, result.line()
