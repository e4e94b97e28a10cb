"""Tokens drawn at a temperature: every key against float64, what is drawn against the softmax."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from pathlib import Path
from typing import Any

import kernel_cases
import lanes_bench
import numpy as np
import pytest
from decode_cases import CHIP, CL, CONTEXT, PROMPT, load, plan_with
from scipy import stats

from boltbeam import registry
from boltbeam.chip import chip_facts
from boltbeam.emit import launches as greedy
from boltbeam.emit import noise, reference, sample
from boltbeam.emit.core import Launch, Target
from boltbeam.emit.dependent import INSTRUCTION
from boltbeam.predict.bubblebeam import candidates
from boltbeam.proof import draws, verify
from boltbeam.seam import tinygrad_adapter as tg
from boltbeam.seam import tinygrad_graph, tinygrad_model, tinygrad_render, toolchain
from boltbeam.token.decode_plan import DecodePlan
from boltbeam.types import Geometry, Proof, Table

FORMS = ["rows", pytest.param("lanes", marks=pytest.mark.cl)]
ROOM = 4096
"""Positions of the argmax that is tried alone."""


def drawing(form: str, vocab: int, geometry: str = "") -> tuple[Launch, ...]:
    """What draws one of `vocab` entries, on the form's device."""
    work = kernel_cases.work_item("argmax", vocab=vocab, context=ROOM)
    route = kernel_cases.route("argmax", form=form)
    target = kernel_cases.TARGET if form == "rows" else lanes_bench.target()
    usual = "lanes=16" if form == "rows" else "threads=64 split=4"
    return sample.launches(work, route, Geometry.parse(geometry or usual), target)


class Drawer:
    """Launches that draw, captured once: a replay per token, as in a plan."""

    def __init__(self, form: str, vocab: int, geometry: str = "") -> None:
        self.launches, self.device = drawing(form, vocab, geometry), DEVICES[form]
        bufs = {b.name: b for x in self.launches for b in (*x.outs, *x.ins)}
        self.held = {n: tg.empty(b, self.device) for n, b in bufs.items()}
        self.graph: Any = None

    def start(self, logits: Any, temp: float, seed: int, pos: int, forced: int = -1) -> None:
        ids = np.full(ROOM + 1, -1, np.int32)
        ids[pos + 1] = forced
        state = {"logits": np.float32(logits), "temp": np.float32([temp]), "ids": ids}
        state |= {"seed": np.array([seed], np.uint32), "pos": np.array([pos], np.int32)}
        for name, value in state.items():
            tg.write(self.held[name], value)

    def step(self) -> None:
        if self.graph is None:
            self.graph = tinygrad_graph.capture(self._token)
        else:
            self.graph()

    def _token(self) -> None:
        now = dict(self.held)
        for x in self.launches:
            outs = tg.call(x, [now[b.name] for b in (*x.outs, *x.ins)])
            now.update(zip((b.name for b in x.outs), outs, strict=True))
        tg.realize([now[b.name] for x in self.launches for b in x.outs])

    def one(self, *state: Any, **more: Any) -> dict[str, np.ndarray]:
        """All buffers after one token."""
        self.start(*state, **more)
        self.step()
        return {n: tg.read(t) for n, t in self.held.items()}

    def text(self, logits: Any, temp: float, seed: int, n: int, pos: int = 0) -> np.ndarray:
        """n tokens, all of the same logits."""
        self.start(logits, temp, seed, pos)
        for _ in range(n):
            self.step()
        return tg.read(self.held["ids"])[pos + 1 : pos + 1 + n]


DEVICES = {"rows": "CPU", "lanes": "CL"}


@pytest.fixture(scope="module")
def drawer() -> Callable[..., Drawer]:
    made: dict[tuple[Any, ...], Drawer] = {}

    def make(*of: Any) -> Drawer:
        if of not in made:
            made[of] = Drawer(*of)
        return made[of]

    return make


def worst(got: dict[str, np.ndarray], logits: Any, temp: float, seed: int, pos: int) -> float:
    """Largest error ÷ tolerance of every key that is left, and of the key that was chosen."""
    keys, sizes = reference.keys(np.float32(logits), temp, seed, pos)
    limit = reference.SUM_RELATIVE * sizes + 1e-30
    token, best = int(got["tok"][0]), int(keys.argmax())
    assert got["pos"][0] == pos + 1 and got["ids"][pos + 1] == token
    ratios = [(keys[best] - keys[token]) / (limit[best] + limit[token]) if token != best else 0]
    index, left = np.arange(keys.size), got.get("t.keys")
    if left is None:
        index, left = got.get("t.few.i", index[:0]), got.get("t.few.v", keys[:0])
    live = np.isfinite(keys[index])
    assert not np.isfinite(left[~live]).any()
    ratios += list(np.abs(left - keys[index])[live] / limit[index][live])
    return float(max(ratios))


# ---- noise -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "words",
    [
        "00000000 00000000 00000000 00000000 9d1c5ec6 8bd50731",
        "ffffffff ffffffff ffffffff ffffffff fd36d048 2d17272c",
        "243f6a88 85a308d3 13198a2e 03707344 ba3e4725 f27d669e",
    ],
)
def test_the_words_are_those_of_random123(words: str) -> None:
    """Its known answers: counter, key, result."""
    c0, c1, k0, k1, *want = (np.array([int(w, 16)], np.uint32) for w in words.split())
    assert [int(w[0]) for w in noise.threefry((k0, k1), (c0, c1))] == [int(w[0]) for w in want]


def test_noise_is_finite_and_near_at_both_ends() -> None:
    """Words whose logarithms are hardest: the first and last, and around the series' border."""
    from tinygrad import Tensor

    border = int(noise.NEAR * 2**32)
    ends = [range(64), range(2**32 - 64, 2**32), range(border - 64, border + 64)]
    words = np.array([*itertools.chain(*ends), *(2**i for i in range(32))], np.uint32)
    got = Tensor(noise.gumbel(Tensor(words, device="CPU").uop)).numpy()
    want = -np.log(-np.log1p(-(words.astype(np.float64) + 0.5) * 2.0**-32))
    assert np.isfinite(got).all() and want.max() > 22 and want.min() < -3
    assert (np.abs(got - want) / (1 + np.abs(want))).max() < reference.SUM_RELATIVE / 5


# ---- kernels -----------------------------------------------------------------------------------

CASES = {"rows": [(50, ""), (1000, "lanes=32")], "lanes": [(333, ""), (50, "threads=32")]}
SHAPES = [(f.values[0] if hasattr(f, "values") else f) for f in FORMS]
EVERY = [
    pytest.param(form, *case, marks=[pytest.mark.cl] if form == "lanes" else [])
    for form in SHAPES
    for case in CASES[form]
]


@pytest.mark.parametrize(("form", "vocab", "geometry"), EVERY)
def test_every_key_is_float64s(
    drawer: Callable[..., Drawer], form: str, vocab: int, geometry: str
) -> None:
    """At the first and the last position too, cold and hot, seeds with any bits."""
    rng, draw = np.random.default_rng(1), drawer(form, vocab, geometry)
    for pos, seed, temp in itertools.product(
        (0, 7, ROOM - 1), (0, 2**31 + 5, 2**32 - 1), (1e-6, 0.7, 1e6)
    ):
        logits = rng.standard_normal(vocab) * 4
        assert worst(draw.one(logits, temp, seed, pos), logits, temp, seed, pos) <= 1


@pytest.mark.parametrize(("form", "vocab", "geometry"), EVERY)
def test_at_temperature_zero_it_is_argmax(
    drawer: Callable[..., Drawer], form: str, vocab: int, geometry: str
) -> None:
    draw, rng = drawer(form, vocab, geometry), np.random.default_rng(2)
    for seed in range(4):
        logits = np.round(rng.standard_normal(vocab), 1)
        logits[[vocab - 1, 3 + seed, vocab // 2]] = 5.0
        assert draw.one(logits, 0.0, seed, seed)["tok"] == 3 + seed
        assert draw.one(logits, 0.0, seed, seed, forced=7)["tok"] == 7
    assert draw.one(np.full(vocab, 2.5), 0.0, 1, 0)["tok"] == 0


@pytest.mark.parametrize("form", FORMS)
def test_what_is_forbidden_is_never_drawn(drawer: Callable[..., Drawer], form: str) -> None:
    vocab, geometry = CASES[form][0]
    draw = drawer(form, vocab, geometry)
    for low in (-np.inf, -3e38, -1e30):
        logits = np.full(vocab, low)
        logits[[11, vocab - 1]] = -2.0
        assert set(draw.text(logits, 100.0, 5, 40)) == {11, vocab - 1}


def without_position(logit: Any, index: Any, temp: Any, seed: Any, pos: Any) -> Any:
    return RIGHT(logit, index, temp, seed, (pos < 0).where(pos, 1))


def next_entry(logit: Any, index: Any, temp: Any, seed: Any, pos: Any) -> Any:
    return RIGHT(logit, index + 1, temp, seed, pos)


def at_one(logit: Any, index: Any, temp: Any, seed: Any, pos: Any) -> Any:
    return RIGHT(logit, index, (temp < 0).where(temp, 1.0), seed, pos)


def unseeded(logit: Any, index: Any, temp: Any, seed: Any, pos: Any) -> Any:
    return RIGHT(logit, index, temp, (seed < 1).where(seed, 1), pos)


RIGHT = sample.noisy


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("wrong", [without_position, next_entry, at_one, unseeded])
def test_a_wrong_kernel_is_caught(monkeypatch: pytest.MonkeyPatch, form: str, wrong: Any) -> None:
    monkeypatch.setattr(sample, "noisy", wrong)
    draw, logits = Drawer(form, 333), np.random.default_rng(3).standard_normal(333)
    assert worst(draw.one(logits, 0.7, 9, 5), logits, 0.7, 9, 5) > 100


# ---- their proof on a device -------------------------------------------------------------------


def one_too_near(logit: Any, index: Any, temp: Any, seed: Any, pos: Any) -> Any:
    """Right but for one key of 333, too large by ten times what float32 may be off by."""
    right = RIGHT(logit, index, temp, seed, pos)
    sizes = logit.maximum(-logit) + (right - logit).maximum(logit - right) + temp
    return index.eq(200).where(right + 10 * reference.SUM_RELATIVE * sizes, right)


def never(entries: Callable[[Any], Any]) -> Callable[..., Any]:
    """Right but for entries that can never be drawn."""

    def noisy(logit: Any, index: Any, *drawn_by: Any) -> Any:
        return entries(index).where(-1e9, RIGHT(logit, index, *drawn_by))

    return noisy


def proof_of(form: str, vocab: int = 333) -> Proof:
    work = kernel_cases.work_item("argmax", vocab=vocab, context=ROOM)
    target = kernel_cases.TARGET if form == "rows" else lanes_bench.target()
    geometry = Geometry.parse("lanes=16" if form == "rows" else "threads=64 split=4")
    return draws.prove(work, kernel_cases.route("argmax", form=form), geometry, target, seed=3)


@pytest.mark.parametrize("form", FORMS)
def test_what_draws_is_proved_as_any_kernel(form: str) -> None:
    proof = proof_of(form)
    assert proof.ok, f"{proof.reason} {proof.where}"
    assert {"repeat", "poison", "bands", "inputs", "replay", "case-4"} <= set(proof.checks)
    assert proof.source_hash and proof.emitter_hash


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("wrong", [without_position, next_entry, at_one, unseeded, one_too_near])
def test_a_wrong_kernel_is_refused(monkeypatch: pytest.MonkeyPatch, form: str, wrong: Any) -> None:
    monkeypatch.setattr(sample, "noisy", wrong)
    proof = proof_of(form)
    assert not proof.ok and proof.reason in ("error-bound", "ignored-input"), proof.reason


NEVER = {
    "one of 333": (333, lambda index: index.eq(200)),
    "the tail of 333": (333, lambda index: index >= 328),
    "a lane of 64": (4000, lambda index: (index % 64).eq(5)),
    "a workgroup of 4": (4000, lambda index: (index // 64 % 4).eq(2)),
    "the last of 4000": (4000, lambda index: index.eq(3999)),
}


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("which", NEVER)
def test_what_cannot_be_drawn_is_missed(
    monkeypatch: pytest.MonkeyPatch, form: str, which: str
) -> None:
    vocab, entries = NEVER[which]
    monkeypatch.setattr(sample, "noisy", never(entries))
    proof = proof_of(form, vocab)
    assert (proof.ok, proof.reason) == (False, "error-bound")


@pytest.mark.parametrize(
    ("form", "vocab", "geometry", "shape"),
    [
        ("lanes", 49_152, "threads=256 split=128", (128, 256)),
        ("lanes", 4000, "threads=1024 split=4", (1, 1024)),
        ("rows", 49_152, "lanes=16", (1, 16)),
        ("rows", 333, "lanes=16", (1, 1)),
    ],
)
def test_every_workgroup_and_every_lane_has_the_key_that_is_ahead(
    form: str, vocab: int, geometry: str, shape: tuple[int, int]
) -> None:
    work = kernel_cases.work_item("argmax", vocab=vocab, context=ROOM)
    case = kernel_cases.route("argmax", form=form), Geometry.parse(geometry)
    assert sample.shape(work, *case) == shape
    if form == "lanes":  # as its kernels have it: one launch more where there are several
        launches = sample.launches(work, *case, lanes_bench.target())
        few = [b.size for x in launches for b in x.outs if b.name == "t.few.v"]
        assert (few or [1]) == [shape[0]]
    found = draws.places(vocab, *shape, np.random.default_rng(1))
    assert found == draws.places(vocab, *shape, np.random.default_rng(1))
    assert len({*found}) == len(found) >= min(vocab, draws.ENOUGH)
    groups, lanes = shape
    assert {p // lanes % groups for p in found} == {*range(groups)}
    assert {p % lanes for p in found} == {*range(lanes)}
    beside = groups * lanes
    edges = {0, lanes - 1, lanes, beside - 1, beside, vocab // beside * beside - 1, vocab - 1}
    assert edges <= {*found} and (vocab > draws.SMALL or len(found) == vocab)


@pytest.mark.device
def test_what_draws_is_proved_on_a_gpu(monkeypatch: pytest.MonkeyPatch) -> None:
    """With the wait where the chip starts kernels early; a wrong one is refused there too."""
    toolchain.require_compiler("CUDA")
    chip_facts.require("CUDA")
    target = Target("CUDA", chip_facts.facts("CUDA"))
    work = kernel_cases.work_item("argmax", vocab=151_936, context=ROOM)
    case = work, registry.route("argmax_lanes"), Geometry.parse("threads=256 split=128"), target
    proof = draws.prove(*case, seed=1)
    assert proof.ok, f"{proof.reason} {proof.where}"
    for wrong in (next_entry, at_one):
        monkeypatch.setattr(sample, "noisy", wrong)
        assert draws.prove(*case, seed=1).reason == "error-bound"


def test_levelled_logits_leave_one_key_ahead() -> None:
    """By more than a right kernel can be off, by less than twice that of another."""
    for temp, seed in itertools.product((0.0, 1e-3, 0.8, 50.0), (5, 2**32 - 1)):
        logits, ahead = draws.levelled(1000, 2.5, temp, seed, 9, reference.SUM_RELATIVE)
        first = seed % 1000
        logits[first] = ahead[first]
        keys, sizes = reference.keys(logits, temp, seed, 9)
        limit, others = reference.SUM_RELATIVE * sizes, np.arange(keys.size) != first
        behind = keys[first] - keys
        assert (behind > 1.5 * (limit + limit[first]))[others].all()
        assert (behind < 2.5 * (limit + limit[first]))[others].all()


def test_a_head_of_its_own_is_proved_too(monkeypatch: pytest.MonkeyPatch) -> None:
    """In the rows form a fused head and argmax are parted, so the head is another kernel."""
    work, route = kernel_cases.work_item("norm+head+argmax", "Q8_0"), registry.route("chain_rows")
    geometry = next(g for g, no in candidates(work, route, CHIP) if no is None)
    prove, seen = verify.prove, []
    monkeypatch.setattr(verify, "prove", lambda w, *a: seen.append(w.op) or prove(w, *a))
    assert draws.prove(work, route, geometry, Target("CPU", CHIP), seed=1).ok
    assert seen == ["norm+head"]
    refused = Proof(ok=False, reason="guard", where="logits")
    monkeypatch.setattr(verify, "prove", lambda *_a: refused)
    assert draws.prove(work, route, geometry, Target("CPU", CHIP), seed=1) is refused


@pytest.mark.parametrize("form", FORMS)
def test_what_is_drawn_follows_the_softmax(drawer: Callable[..., Drawer], form: str) -> None:
    """Counts over many positions, and of neighbours together, by chi-square."""
    for vocab, temp, seed in ((8, 0.5, 3), (8, 3.0, 4), (64, 1.0, 5)):
        logits = np.random.default_rng(vocab).standard_normal(vocab)
        ids = drawer(form, vocab).text(logits, temp, seed, ROOM)
        chances = np.exp(logits / temp)
        chances /= chances.sum()
        assert fits(np.bincount(ids, minlength=vocab), chances)
        assert not fits(np.bincount(ids, minlength=vocab), np.roll(chances, 1))
        if vocab == 8:
            pairs = np.bincount(ids[::2] * 8 + ids[1::2], minlength=64)
            assert fits(pairs, np.outer(chances, chances).reshape(-1))


def fits(counts: np.ndarray, chances: np.ndarray) -> bool:
    """Whether such counts are likelier than one in a thousand; rare entries count together."""
    expected = chances * counts.sum()
    rare = expected < 5
    seen, wanted = (np.append(a[~rare], a[rare].sum()) for a in (counts, expected))
    keep = wanted > 0
    return bool(stats.chisquare(seen[keep], wanted[keep]).pvalue > 1e-3)


@pytest.mark.parametrize("form", FORMS)
def test_seeds_and_positions_give_other_tokens(drawer: Callable[..., Drawer], form: str) -> None:
    draw, logits = drawer(form, 64), np.zeros(64)
    text = draw.text(logits, 1.0, 1, 200)
    assert (text == draw.text(logits, 1.0, 1, 200)).all()
    assert (text[100:] == draw.text(logits, 1.0, 1, 100, pos=100)).all()
    for other in (draw.text(logits, 1.0, 2, 200), draw.text(logits, 1.0, 1, 200, pos=1)):
        assert (text == other).mean() < 0.1
    assert len(set(text)) > 50


# ---- in a token --------------------------------------------------------------------------------


def test_a_head_keeps_its_kernel() -> None:
    """Behind a fused head and argmax: the same first launch, then one that reads the logits."""
    head = Table(role="output", rows=201, cols=512, format="Q8_0")
    work = lanes_bench.work_item("head+argmax", (head,), vocab=201)
    route, geometry = registry.route("chain_lanes_head_f32"), Geometry.parse("lanes=8 groups=4")
    made = sample.launches(work, route, geometry, lanes_bench.target())
    assert made[0] is greedy(work, route, geometry, lanes_bench.target())[0]
    assert [b.name for b in made[1].ins] == ["logits", "temp", "seed"]


def test_every_new_kernel_waits_before_it_reads(golden: Callable[[str, str], None]) -> None:
    chip = registry.chips()["nv-sm90-132sm"]
    work = kernel_cases.work_item("argmax", vocab=4096)
    geometry = Geometry.parse("threads=128 split=16")
    made = sample.launches(work, registry.route("argmax_lanes"), geometry, Target("CUDA", chip))
    texts = [tinygrad_render.render(x, "CUDA:sm_90") for x in made]
    for text in texts:
        before, _, after = text.partition(INSTRUCTION)
        assert INSTRUCTION not in after and "*(data" not in before
    golden("lanes_sample.cu", "\n".join(texts) + "\n")


def test_golden_rows(golden: Callable[[str, str], None]) -> None:
    (launch,) = drawing("rows", 96)
    golden("rows_sample.c", tinygrad_render.render(launch, "CPU"))


PLANS = [
    pytest.param(CHIP, "norm+head+argmax", "chain_rows", id="rows-fused"),
    pytest.param(
        CL, "argmax", "argmax_lanes", id="lanes", marks=[pytest.mark.cl, pytest.mark.slow]
    ),
    pytest.param(CL, "head+argmax", "chain_lanes_head_f32", id="fused", marks=pytest.mark.cl),
]


@pytest.mark.parametrize(("chip", "span", "route"), PLANS)
def test_a_plan_draws_from_its_own_logits(
    tiny: Callable[..., Path], chip: Any, span: str, route: str
) -> None:
    _, facts, files = load(tiny())
    model, _ = tinygrad_model.load_model(tiny(), CONTEXT, chip.device)
    members = plan_with(facts, CONTEXT, chip, span, route)
    plan = DecodePlan(facts, files, members, chip.device, CONTEXT, chip, model)
    best = plan.greedy(PROMPT, 6)
    assert list(plan._graphs) == [False]
    plan.reset(PROMPT)
    plan.draw(1.5, 77)
    rows = []
    for _ in range(CONTEXT):
        plan.step()
        rows.append(plan.logits())
    ids = plan.ids()
    assert ids[: len(PROMPT)] == PROMPT
    for pos in range(len(PROMPT) - 1, CONTEXT):
        keys, sizes = reference.keys(rows[pos], 1.5, 77, pos)
        chosen, top = ids[pos + 1], int(keys.argmax())
        assert keys[top] - keys[chosen] <= reference.SUM_RELATIVE * (sizes[top] + sizes[chosen])
    assert plan.greedy(PROMPT, 6) == best != ids[len(PROMPT) : len(PROMPT) + 6]
