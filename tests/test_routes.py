"""Every route of the registry: a golden rendering without a device, and a proof where one is."""

from __future__ import annotations

import os
from collections.abc import Callable

import cuda_kernels
import pytest
from kernel_cases import work_item

from boltbeam import emit, registry
from boltbeam.commands import rerender
from boltbeam.emit.core import Target
from boltbeam.models import plan, synth
from boltbeam.predict import bubblebeam
from boltbeam.proof import verify
from boltbeam.seam import tinygrad_render as tg
from boltbeam.seam.tinygrad_adapter import sink
from boltbeam.types import ChipFacts, Geometry, Route, WorkItem

SEARCHED = [r for r in registry.routes().values() if r.kind == "search"]
SUFFIX = {"rows": "c", "lanes": "cu"}


def target_of(r: Route) -> tuple[ChipFacts, str]:
    """A CPU for sequential loops, an H200 for lanes: facts and renderer."""
    return rerender.targets("cpu-any" if r.form == "rows" else "nv-sm90-132sm")[0]


def sample(r: Route) -> WorkItem:
    """The first span that the route does, small, in a format of blocks where it reads any."""
    kind = "Q4_K" if "Q4_K" in r.formats else "Q4_1"
    kind = "Q8_0" if r.weights == "planes" else kind
    return work_item(r.ops[0], kind, context=64)


def first_legal(r: Route, work: WorkItem, chip: ChipFacts) -> Geometry:
    found = (g for g, no in bubblebeam.candidates(work, r, chip) if no is None)
    geometry = next(found, None)
    assert geometry is not None, f"{r.id} has no legal geometry for {work.key} on {chip.id}"
    return geometry


@pytest.mark.parametrize("r", SEARCHED, ids=lambda r: r.id)
def test_golden_of_every_route(r: Route, golden: Callable[[str, str], None]) -> None:
    work, (chip, name) = sample(r), target_of(r)
    geometry = first_legal(r, work, chip)
    launches = emit.launches(work, r, geometry, Target(chip.device, chip))
    text = "\n".join(tg.render(launch, name) for launch in launches)
    golden(f"routes/{r.id}.{SUFFIX[r.form]}", f"// {work.key} {geometry}\n{text}\n")


def test_no_golden_is_left_of_a_route_that_is_gone() -> None:
    folder = registry.registry_dir().parent / "tests/golden/routes"
    assert {p.stem for p in folder.glob("*")} == {r.id for r in SEARCHED}


@pytest.mark.slow
@pytest.mark.parametrize("r", [r for r in SEARCHED if r.form == "rows"], ids=lambda r: r.id)
def test_every_route_of_rows_proves_on_this_cpu(r: Route) -> None:
    """Against float64, on every element; the lanes routes are proved in test_lanes_routes."""
    os.environ["DEV"] = "CPU"
    work, (chip, _) = sample(r), target_of(r)
    geometry = first_legal(r, work, chip)
    bound = registry.tolerances().kernel_relative
    proof = verify.prove(work, r, geometry, Target("CPU", chip), 1, bound)
    assert proof.ok, f"{r.id} {geometry}: {proof.reason} {proof.where}"


QUICK = ("argmax_rows", "argmax_lanes", "embed_lanes", "norm_lanes_q8", "rope_lanes", "rope_rows")


@pytest.mark.parametrize(
    "r",
    [r if r.id in QUICK else pytest.param(r, marks=pytest.mark.slow) for r in SEARCHED],
    ids=lambda r: r.id,
)
def test_a_work_key_says_all_that_a_kernel_depends_on(r: Route) -> None:
    """But for the norm's epsilon, which is tried: so that a ledger row can be rendered again."""
    work, (chip, name) = sample(r), target_of(r)
    if r.form == "rows" and len(work.ops) > 1:
        pytest.skip("same emitters as its parts")
    geometry = first_legal(r, work, chip)
    texts = []
    for item in (work, *rerender.works(work.key, work.context)):
        launches = emit.launches(item, r, geometry, Target(chip.device, chip))
        texts.append("\n".join(tg.render(launch, name) for launch in launches))
    assert texts[0] in texts[1:]


@pytest.mark.parametrize("r", SEARCHED, ids=lambda r: r.id)
def test_every_epsilon_that_a_kernel_may_hold_is_tried(r: Route) -> None:
    """Whatever the op: its instructions with each of them are those of a work item of its key."""
    chip, _ = target_of(r)
    for op in r.ops:
        ops = set(op.split("+"))
        norms = {"qk_norm": bool(ops & {"rope_store", "attention"})}
        norms["post_norms"] = "post_norm" in ops
        work = work_item(op, sample(r).formats[0] if r.formats else "Q4_1", context=64, **norms)
        geometry = first_legal(r, work, chip)

        def built(item: WorkItem, how: Geometry = geometry) -> tuple[bytes, ...]:
            found = emit.launches(item, r, how, Target(chip.device, chip))
            return tuple(sink(launch).key for launch in found)

        tried = {built(item) for item in rerender.works(work.key, 64, r.takes)}
        for eps in rerender.EPSILONS:
            assert built(work.model_copy(update={"norm_eps": eps})) in tried, (op, eps)


def test_keys_of_every_known_model_can_be_read_back() -> None:
    """Gemma's with its post-norms, gate, embedding scale and window among them."""
    for name in synth.MODELS:
        spans = sorted({op for r in SEARCHED for op in r.ops})
        _, found = plan.occurrences(synth.facts(name), 512, spans)
        for work in (o.work for o in found):
            again = plan.work_of_key(work.key, 512)
            assert again is not None, work.key
            assert again.embed_scale == work.embed_scale or "embed" not in work.ops
            assert again.gate == work.gate or "gate_up" not in work.ops
            assert again.window == work.window or "attention" not in work.ops
            assert again.post_norms == work.post_norms or not {"o", "down"} & set(work.ops)


@pytest.mark.parametrize("name", ["gemv_rows_f32", "norm_rows_q8"])
def test_without_a_device_the_text_is_the_same(name: str) -> None:
    r = registry.route(name)
    work, (chip, renderer) = sample(r), target_of(r)
    launches = emit.launches(work, r, first_legal(r, work, chip), Target("CPU", chip))
    for launch in launches:
        assert tg.render(launch, renderer) == tg.source(launch, "CPU")


def test_launches_are_those_of_the_chips_facts() -> None:
    """A candidate of one chip is not taken for another's that has no shuffle or early start."""
    words = ("attention_lanes_q8", "attention", "", "split=1 threads=32")
    with_all = [x for _, x in cuda_kernels.launches(*words)]
    for fact in ("shuffle", "dependent_launch", "half"):
        chip = cuda_kernels.CHIP.model_copy(update={fact: None})
        without = [x for _, x in cuda_kernels.launches(*words, chip)]
        assert without[0] is not with_all[0], fact
    assert [x for _, x in cuda_kernels.launches(*words)] == with_all
