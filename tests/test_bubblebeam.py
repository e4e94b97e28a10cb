"""BubbleBeam: one test per reason code, and the spaces it leaves."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from known_shapes import DOWN, HEAD, cpu, declared, table, work

from boltbeam import registry
from boltbeam.predict import chips
from boltbeam.predict.bubblebeam import candidates, geometry_legal, route_legal
from boltbeam.predict.case import Case
from boltbeam.predict.reason_codes import REASONS
from boltbeam.types import ChipFacts, Geometry, Outcome, Verdict, WorkItem

GPU = chips.get("h200")
GATE_UP = work("gate_up", table("ffn_gate", 1536, 576, "Q4_1"), table("ffn_up", 1536, 576, "Q4_1"))
ROWS = "rows=1 lanes=16 unroll=1 scale=0 split=1 share=0"
LANES = "lanes=32 groups=4 rows=1 words=1 unroll=1 split=1"


def on_route(route: str, item: WorkItem, chip: ChipFacts) -> Outcome | None:
    return route_legal(item, registry.route(route), chip)


def at(route: str, item: WorkItem, chip: ChipFacts, axes: str, base: str = "") -> Outcome | None:
    given = dict(w.split("=") for w in f"{base} {axes}".split())
    geometry = Geometry.of(**{k: int(v) for k, v in given.items()})
    return geometry_legal(item, registry.route(route), geometry, chip)


def lanes(axes: str, item: WorkItem = DOWN, route: str = "gemv_lanes_f32") -> Outcome | None:
    return at(route, item, GPU, axes, LANES)


def rows(axes: str, item: WorkItem = DOWN) -> Outcome | None:
    return at("gemv_rows_f32", item, cpu(), axes, ROWS)


def gpu(**facts: object) -> ChipFacts:
    return GPU.model_copy(update={k: None if v is None else declared(v) for k, v in facts.items()})


def odd(rows: int, cols: int = 576, fmt: str = "Q8_0") -> WorkItem:
    return work("head", table("output", rows, cols, fmt))


BROKEN: dict[str, Callable[[], Outcome | None]] = {
    "op-unsupported": lambda: on_route("gemv_rows_f32", GATE_UP, cpu()),
    "format-unsupported": lambda: on_route("gemv_rows_f32", odd(64, 512, "Q2_K"), cpu()),
    "tokens-unsupported": lambda: on_route(
        "gemv_rows_f32", DOWN.model_copy(update={"m": 2}), cpu()
    ),
    "fact-undeclared": lambda: on_route("gemv_lanes_f32", DOWN, gpu(local_bytes=None)),
    "fact-false": lambda: route_legal(
        DOWN,
        registry.route("gemv_lanes_f32").model_copy(update={"needs": ("dot4",)}),
        gpu(dot4=False),
    ),
    "no-workgroups": lambda: on_route("gemv_lanes_f32", DOWN, cpu()),
    "one-thread": lambda: on_route("gemv_rows_f32", DOWN, GPU),
    "shape-divide": lambda: on_route(
        "gemv_rows_f32", work("down", table("ffn_down", 576, 1500, "F16")), cpu()
    ),
    "post-norms": lambda: on_route(
        "chain_lanes_behind_q8",
        work("o+norm", table("attn_output", 576, 576, "Q4_1"), post_norms=True),
        GPU,
    ),
    "rows-divide": lambda: rows("rows=4", odd(49150)),
    "blocks-divide": lambda: rows("unroll=4", HEAD),
    "split-exceeds": lambda: rows("split=2"),
    "body-size": lambda: rows(
        "rows=4 unroll=4", work("down", table("ffn_down", 512, 2048, "Q4_K"))
    ),
    "same-kernel": lambda: rows("share=1"),
    "dominated": lambda: at(
        "gemv_lanes_q8",
        work("down", table("ffn_down", 4096, 12288, "Q6_K")),
        GPU,
        "wide=8 lanes=8 words=2",
        LANES,
    ),
    "lanes-idle": lambda: lanes("words=4 unroll=4"),
    "threads-limit": lambda: lanes("groups=64"),
    "simd-width": lambda: at("gemv_lanes_f32", DOWN, gpu(simd_width=16), "", LANES),
    "simd-partial": lambda: lanes("lanes=8 groups=2"),
    "load-alignment": lambda: lanes("words=8"),
    "load-width": lambda: lanes("words=16"),
    "registers": lambda: lanes(
        "rows=8 words=8 unroll=4", work("down", table("ffn_down", 4096, 12288, "Q4_K"))
    ),
    "local-memory": lambda: at(
        "chain_lanes_qkv",
        work("norm+qkv", table("attn_q", 64, 16384, "Q4_K"), d_model=16384),
        GPU,
        "groups=8",
        LANES,
    ),
    "epilogue-blocks": lambda: lanes("groups=4 rows=1", GATE_UP, "gate_up_lanes_f32_f32"),
    "threads-few": lambda: at(
        "attention_lanes_f32", work("attention", heads=64, kv_heads=1), GPU, "split=1 threads=32"
    ),
    "context-divide": lambda: at(
        "attention_lanes_f32", work("attention"), GPU, "split=64 threads=64"
    ),
}


@pytest.mark.parametrize("code", sorted(REASONS))
def test_reason(code: str) -> None:
    outcome = BROKEN[code]()
    assert outcome is not None
    assert (outcome.verdict, outcome.reason) == (Verdict.illegal, code)
    assert outcome.number is not None
    assert REASONS[code].what and REASONS[code].why and REASONS[code].example


def test_every_broken_case_is_a_documented_reason() -> None:
    assert set(BROKEN) == set(REASONS)


def test_a_norm_is_shared_by_enough_threads_to_hold_it() -> None:
    """ptxas spills at 128 values a thread and not at 64 (test_cuda_resources)."""
    span = work("norm+qkv", table("attn_q", 4096, 4096, "Q4_K"), d_model=4096)

    def groups(n: int, chip: ChipFacts = GPU) -> Outcome | None:
        return at("chain_lanes_qkv", span, chip, f"lanes=16 groups={n}", LANES)

    refused = groups(2)
    assert refused is not None and (refused.reason, refused.number) == ("registers", 272)
    assert groups(4) is None
    assert groups(2, gpu(imitated=True)) is None
    assert at("norm_lanes_q8", work("norm", d_model=8192), GPU, "threads=64") is not None
    assert at("norm_lanes_q8", work("norm", d_model=8192), GPU, "threads=128") is None


def test_the_base_geometries_are_legal() -> None:
    assert rows("") is None
    assert lanes("") is None


def test_a_cooperative_kernel_needs_threads() -> None:
    one = at("norm_lanes_f32", work("norm"), GPU, "threads=1")
    assert one is not None and one.reason in ("one-thread", "simd-partial")


@pytest.mark.parametrize(
    ("axes", "reason"),
    [
        ("wide=8 words=4 lanes=8", None),
        ("wide=8 words=4 lanes=32", "lanes-idle"),
        ("wide=8 words=4 lanes=8 unroll=2", "same-kernel"),
        ("wide=1 words=4 lanes=8 ahead=1", None),
        ("wide=8 words=4 lanes=8 rows=4", "registers"),
        ("wide=8 words=4 lanes=8 ahead=1", "same-kernel"),
        ("wide=4 words=4 lanes=8 ahead=1", None),
    ],
)
def test_blocks_on_half_words(axes: str, reason: str | None) -> None:
    """4096 columns of Q6_K: two groups of eight blocks, four units in each."""
    item = work("head", table("output", 151936, 4096, "Q6_K"), d_model=4096)
    no = at("gemv_lanes_q8", item, GPU, axes, LANES)
    assert (no.reason if no else None) == reason, no


def test_a_large_workgroup_leaves_each_thread_fewer_registers() -> None:
    """ptxas spilled 684 bytes of the second at 128 registers, nothing of the first at 223."""
    kinds = zip("qkv", (4096, 1024, 1024), ("Q4_K", "Q4_K", "Q6_K"), strict=True)
    tables = [table(f"attn_{k}", rows, 4096, fmt) for k, rows, fmt in kinds]
    item = work("norm+qkv", *tables, d_model=4096)
    axes = "groups=16 rows=4 words=4 unroll=1 wide=1 ahead=1"
    assert at("chain_lanes_qkv_q8", item, GPU, f"{axes} lanes=16") is None
    no = at("chain_lanes_qkv_q8", item, GPU, f"{axes} lanes=32")
    assert no is not None and (no.reason, no.limit) == ("registers", 128)


def test_words_on_words_have_no_wide_and_one_trip_no_ahead() -> None:
    q4 = work("down", table("ffn_down", 4096, 12288, "Q4_K"))
    no = at("gemv_lanes_q8", q4, GPU, "wide=8 words=8", LANES)
    assert no is not None and no.reason == "same-kernel"
    one_trip = work("o", table("attn_output", 64, 256, "Q4_K"), d_model=256)
    no = at("gemv_lanes_q8", one_trip, GPU, "ahead=1 words=1", LANES)
    assert no is not None and (no.reason, no.number) == ("same-kernel", 1)
    qkv = work("qkv", *(table(f"attn_{k}", 1024, 256, "Q4_K") for k in "qkv"), d_model=256)
    assert at("gemv_lanes_q8", qkv, GPU, "ahead=1 words=1", LANES) is None


def test_a_copy_in_planes_is_for_blocks_on_half_words() -> None:
    def planes(fmt: str, cols: int, rows: int = 4096) -> str | None:
        item = work("down", table("ffn_down", rows, cols, fmt))
        no = at("gemv_lanes_planes_q8", item, GPU, "lanes=8 words=4", LANES)
        return no.reason if no else None

    assert planes("Q6_K", 12288) is None
    assert planes("Q4_K", 12288) == "same-kernel"
    assert planes("Q6_K", 9 * 256) is None
    assert planes("Q6_K", 9 * 256, rows=4095) == "blocks-divide"


def test_streaming_heads_fit_into_registers_and_lanes() -> None:
    item = work("attention", heads=32, kv_heads=8, head_dim=128, context=4096)

    def stream(axes: str) -> str | None:
        no = at("stream_lanes_q8", item, GPU, axes, "threads=128 split=16 unroll=1")
        return no.reason if no else None

    assert stream("lanes=16") is None
    assert stream("lanes=4 threads=64 split=4") == "registers"
    assert stream("lanes=8 threads=256") == "local-memory"
    assert stream("lanes=8 threads=256 lean=1") is None


def test_lean_streams_share_a_keys_sums_by_shuffles() -> None:
    def lean(chip: ChipFacts, heads: int, head_dim: int) -> str | None:
        item = work("attention", heads=heads, kv_heads=2, head_dim=head_dim, context=512)
        no = at("stream_lanes_q8", item, chip, "lanes=4 lean=1", "threads=64 split=4 unroll=1")
        return no.reason if no else None

    assert lean(GPU, 4, 80) is None
    assert lean(GPU, 2, 80) == "shape-divide"
    assert lean(GPU.model_copy(update={"shuffle": None}), 4, 80) == "dominated"


def test_a_head_to_itself_fits_into_registers_and_the_context() -> None:
    item = work("attention", heads=32, kv_heads=8, head_dim=128, context=512)

    def solo(axes: str) -> str | None:
        no = at("solo_lanes_q8", item, GPU, axes, "threads=512 unroll=2")
        return no.reason if no else None

    assert solo("lanes=8") is None
    assert solo("lanes=16 threads=1024") is None
    assert solo("lanes=8 threads=1024") == "registers"
    assert solo("lanes=4 unroll=8") == "lanes-idle"


def test_a_launch_smaller_than_a_simd_group() -> None:
    tiny = at("gemv_lanes_f32", odd(1, 576), GPU, "lanes=8 groups=4", LANES)
    assert tiny is not None and tiny.reason == "one-thread"


def test_an_illegal_route_has_no_candidates() -> None:
    assert list(candidates(DOWN, registry.route("gemv_lanes_f32"), cpu())) == []


@pytest.mark.parametrize("item", [DOWN, HEAD])
def test_two_hundred_legal_candidates_on_a_cpu(item: WorkItem) -> None:
    legal = {
        (r.id, str(g))
        for r in registry.routes().values()
        for g, no in candidates(item, r, cpu())
        if no is None
    }
    assert len(legal) >= 200


def test_every_op_of_the_token_has_a_legal_candidate() -> None:
    items = [
        work("embed", table("token_embd", 49152, 576, "Q8_0")),
        work("norm"),
        work(
            "qkv",
            table("attn_q", 576, 576, "Q4_1"),
            table("attn_k", 192, 576, "Q4_1"),
            table("attn_v", 192, 576, "Q4_1"),
        ),
        work("rope_store"),
        work("attention"),
        work("o", table("attn_output", 576, 576, "Q4_1")),
        GATE_UP,
        DOWN,
        HEAD,
        work("argmax"),
    ]
    for chip in (cpu(), GPU, chips.get("m3"), chips.get("rx-7900-xtx").model_copy()):
        missing_load = chip.get("load_bits") is None
        for item in items:
            found = [
                r.id
                for r in registry.routes().values()
                if any(no is None for _, no in candidates(item, r, chip))
            ]
            assert found or missing_load, (chip.id, item.op)


def test_routes_by_chip_facts() -> None:
    """load_bits of the 7900 XTX is not declared, so no packed GEMV is legal there."""
    outcome = on_route("gemv_lanes_q8", DOWN, chips.get("rx-7900-xtx"))
    assert outcome is not None and (outcome.reason, outcome.detail) == (
        "fact-undeclared",
        "load_bits",
    )


def test_a_span_may_give_each_op_its_own_axes() -> None:
    span = work(
        "norm+gate_up+down",
        table("ffn_gate", 1536, 576, "Q4_1"),
        table("ffn_up", 1536, 576, "Q4_1"),
        table("ffn_down", 576, 1536, "Q4_1"),
    )
    assert at("chain_rows", span, cpu(), "unroll=1 down.unroll=4", ROWS) is None
    no = at("chain_rows", span, cpu(), "unroll=1 gate_up.unroll=4", ROWS)
    assert no is not None and no.reason == "blocks-divide" and "ffn_gate" in no.detail


@pytest.mark.parametrize("route", ["gemv_lanes_q8", "gemv_rows_f32"])
def test_a_geometry_among_others_is_judged_as_if_it_were_alone(route: str) -> None:
    how, chip = registry.route(route), GPU if "lanes" in route else cpu()
    found = list(candidates(DOWN, how, chip))
    assert len({no.reason for _, no in found if no}) > 2
    assert all(no == geometry_legal(DOWN, how, geometry, chip) for geometry, no in found)


def test_what_a_case_counted_does_not_stay_with_another_geometry() -> None:
    case = Case(DOWN, registry.route("gemv_lanes_q8"), GPU, Geometry.of(lanes=16, groups=4))
    assert (case.threads, case.at(Geometry.of(lanes=32, groups=8)).threads) == (64, 256)


def test_candidates_come_in_a_fixed_order() -> None:
    route = registry.route("gemv_rows_f32")
    first, again = (list(candidates(DOWN, route, cpu())) for _ in range(2))
    assert first == again
    texts = [str(g) for g, _ in first]
    assert len(set(texts)) == len(texts)
