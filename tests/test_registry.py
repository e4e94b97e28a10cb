"""Registry: it reads, it is consistent, and a mistake in it is one line with file, line and key."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from boltbeam import registry
from boltbeam.predict import chips, legal_rules
from boltbeam.registry import Known
from boltbeam.types import UNSCALED, BoltbeamError, ChipFacts, Route

RULES = Known(rules=frozenset(legal_rules.RULES))
Planted = Callable[[str, str, str], None]


@pytest.fixture
def planted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Planted:
    """A copy of the registry in which one piece of text is replaced by another."""
    copy = tmp_path / "registry"
    shutil.copytree(registry.registry_dir(), copy)
    cached = (
        registry.formats,
        registry.families,
        registry.routes,
        registry.chips,
        registry.chip_files,
        registry.protocols,
        registry.tolerances,
        registry.priors,
    )
    monkeypatch.setattr(registry, "registry_dir", lambda: copy)
    for f in cached:
        monkeypatch.setattr(registry, f.__name__, f.__wrapped__)

    def plant(file: str, old: str, new: str) -> None:
        text = (copy / file).read_text(encoding="utf-8")
        assert old in text
        (copy / file).write_text(text.replace(old, new, 1), encoding="utf-8")

    return plant


def test_the_registry_is_consistent() -> None:
    assert registry.check(RULES) == ()


def test_every_route_says_what_it_is() -> None:
    assert all(r.note.endswith(".") for r in registry.routes().values())
    assert registry.routes()["schedule_opts"].ops == ("ast",)


def test_every_op_has_a_route_in_both_forms() -> None:
    for form in ("rows", "lanes"):
        done = {op for r in registry.routes().values() if r.form == form for op in r.ops}
        assert {"embed", "norm", "qkv", "rope_store", "attention", "o", "gate_up"} <= done
        assert {"down", "head", "argmax"} <= done


def test_every_interface_has_producer_and_consumer() -> None:
    for form in ("rows", "lanes"):
        mine = [r for r in registry.routes().values() if r.form == form]
        for op in ("norm", "attention", "gate_up"):
            assert {r.gives for r in mine if op in r.ops} == {"f32", "q8"}
        for op in ("qkv", "o", "gate_up", "down", "head"):
            assert {r.takes for r in mine if op in r.ops} >= {"f32", "q8"}


def test_what_is_not_scaled_is_given_and_taken_by_spans_that_meet() -> None:
    made = {op for r in registry.routes().values() if r.gives == UNSCALED for op in r.ops}
    read = {op for r in registry.routes().values() if r.takes == UNSCALED for op in r.ops}
    assert made == {"o+norm", "down+norm"}
    assert read == {"qkv", "gate_up", "head", "head+argmax"}


def test_chips_have_sources() -> None:
    for chip in registry.chips().values():
        for name in ChipFacts.model_fields:
            fact = getattr(chip, name)
            if name not in ("id", "name", "device", "arch", "measured") and fact is not None:
                assert fact.source, (chip.id, name)
        assert all(m.source != "this machine" and m.how for m in chip.measured.values())


def test_facts_of_the_5090() -> None:
    chip = chips.get("rtx-5090")
    assert (chip.get("units"), chip.get("simd_width"), chip.get("cache_bytes")) == (
        170,
        32,
        96 * 2**20,
    )
    assert (chip.rate("read_gbps"), chip.rate("copy_gbps")) == (1693.3, 1493.9)
    assert chip.get("sheet_gbps") == 1792


def test_unknown_facts_stay_unknown() -> None:
    assert chips.get("rx-7900-xtx").rate("read_gbps") is None
    assert chips.get("m3").get("dot4") is None


def test_chip_names() -> None:
    assert chips.get("H200").id == chips.get("nv-sm90-132sm").id == chips.get("NVIDIA H200").id
    with pytest.raises(BoltbeamError, match="did you mean 'rtx-5090'"):
        chips.get("rtx5090")
    with pytest.raises(BoltbeamError, match="chip probe"):
        chips.get("cpu")
    assert chips.resolve("nv") == ("NV", "CUDA")
    assert chips.resolve("rtx-5090") is None


def test_priors_are_scoped_and_public() -> None:
    found = registry.priors()
    assert sum(p.verdict == "refuted" for p in found) == 13
    assert sum(p.verdict == "promoted" for p in found) == 5
    assert all(p.source and p.chip in registry.chips() for p in found)
    assert any("vdot4" in p.title and "H200" in p.contradicted_by for p in found)


def test_tolerances() -> None:
    t = registry.tolerances()
    assert (t.kernel_relative, t.tie_gap_exact, t.tie_gap_q8, t.kl_factor) == (1e-5, 0.05, 0.5, 1.2)
    assert (t.ties_max, t.ties_positions) == (3, 64)
    assert registry.protocols()["abba-v1"].order == "ABBA"


def test_a_mistyped_route_is_suggested() -> None:
    with pytest.raises(BoltbeamError, match="did you mean 'gemv_rows_f32'"):
        registry.route("gemv_row_f32")
    with pytest.raises(BoltbeamError, match=r"no route 'zzzz'; .boltbeam registry list"):
        registry.route("zzzz")


MISTAKES = [
    ("families/norm.toml", 'gives = "q8"', 'givs = "q8"', r"norm\.toml:\d+: key 'givs'.*'gives'"),
    ("families/norm.toml", "lanes = [8", 'lanes = ["x"', r"norm\.toml:\d+: key 'lanes'"),
    ("families/norm.toml", "norm_rows_q8", "norm_rows_f32", r"norm\.toml:\d+: .*norm_rows_f32"),
    ("families/norm.toml", 'id = "norm"', 'id = "rope"', r"family 'rope' exists"),
    ("families/norm.toml", "[axes]", "[axis]", r"norm\.toml:4: key 'axis'.*'axes'"),
    ("families/norm.toml", 'form = "rows"', 'family = "x"', r"that of its file"),
    ("families/norm.toml", "[[route]]", "[[route", r"norm\.toml: not TOML.*line 8"),
    ("families/norm.toml", 'title = "', 'title = 7 # "', r"norm\.toml:2: key 'title'"),
    ("chips/m3.toml", "simd_width", "simd_widht", r"m3\.toml:5: key 'simd_widht'.*'simd_width'"),
    ("chips/m3.toml", "value = 97.2", 'value = "fast"', r"m3\.toml:\d+: key 'value'"),
    ("chips/m3.toml", "metal-m3-10core", "metal-m4-10core", r"'metal-m4-10core' stands twice"),
    ("protocols.toml", "blocks_min = 5", "block_min = 5", r"protocols\.toml:8: key 'block_min'"),
    ("protocols.toml", "ties_max", "tie_max", r"protocols\.toml:\d+: key 'tie_max'.*'ties_max'"),
    ("formats.toml", "ggml_type = 1\n", "ggml_type = 'f'\n", r"formats\.toml:\d+: key 'ggml_type'"),
    ("formats.toml", 'name = "F16"', 'name = "F32"', r"format 'F32' stands twice"),
    ("priors.toml", 'verdict = "promoted"', 'verdict = "won"', r"priors\.toml:5: key 'verdict'"),
]


@pytest.mark.parametrize(("file", "old", "new", "message"), MISTAKES)
def test_a_mistake_is_one_line(
    planted: Planted, file: str, old: str, new: str, message: str
) -> None:
    planted(file, old, new)
    with pytest.raises(BoltbeamError, match=message) as e:
        registry.check()
    assert "\n" not in str(e.value)
    assert e.value.exit_code == 2


PROBLEMS = [
    ("families/norm.toml", 'ops = ["norm"]', 'ops = ["nrom"]', "'nrom' is unknown"),
    ("families/gemv.toml", '"Q4_1"', '"Q4_X"', "'Q4_X' is unknown"),
    ("families/norm.toml", 'form = "rows"', 'form = "row"', "did you mean 'rows'"),
    ("families/norm.toml", '"simd_width"', '"simd_widht"', "did you mean 'simd_width'"),
    ("families/norm.toml", '"cooperative"', '"coop"', "no rule 'coop'"),
    ("families/norm.toml", "lanes = [8", "lane = [8", "key 'axes': 'lane' is unknown"),
    ("families/norm.toml", "lanes = [8, 16", "lanes = [16, 8", "must ascend"),
    (
        "families/norm.toml",
        'numerics = "q8_activations"',
        'numerics = "exact"',
        "takes or gives q8",
    ),
    (
        "priors.toml",
        'chip = "amd-gfx1100-96cu"',
        'chip = "amd-gfx1100"',
        "'amd-gfx1100' is unknown",
    ),
]


@pytest.mark.parametrize(("file", "old", "new", "message"), PROBLEMS)
def test_check_finds_what_contradicts(
    planted: Planted, file: str, old: str, new: str, message: str
) -> None:
    planted(file, old, new)
    assert any(message in p for p in registry.check(RULES))


def test_a_route_without_an_emitter() -> None:
    pairs = frozenset((r.form, r.family) for r in registry.routes().values())
    assert registry.check(Known(emitters=pairs)) == ()
    lost = registry.check(Known(emitters=pairs - {("lanes", "norm")}))
    assert [p for p in lost if "norm_lanes_f32" in p and "no emitter" in p]


@settings(deadline=None)
@given(st.text(max_size=300))
def test_hostile_toml_never_escapes(text: str) -> None:
    import tempfile

    with tempfile.TemporaryDirectory() as d:
        file = Path(d) / "x.toml"
        file.write_text(text, encoding="utf-8", errors="replace")
        with pytest.raises(BoltbeamError):
            registry.load_family(file)


def test_line_of_the_nearest_table() -> None:
    text = 'id = "x"\n[[route]]\nid = "a"\n[route.axes]\nrows = [1]\n[[route]]\nid = "b"\n'
    assert registry.line_of(text, ("route", 0, "axes", "rows", 0)) == 5
    assert registry.line_of(text, ("route", 1, "id")) == 7
    assert registry.line_of(text, ("route", 1, "ops")) == 6
    assert registry.line_of(text, ("id",)) == 1


def test_values_are_frozen() -> None:
    route: Route = registry.route("gemv_rows_f32")
    with pytest.raises(ValueError, match="frozen"):
        route.note = "faster"
