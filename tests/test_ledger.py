"""Ledger files: round trips, layers, what counts as news, and planted edits that must be found."""

from __future__ import annotations

import itertools
import json
import os
import re
import resource
import subprocess
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from boltbeam.commands import ledger_views
from boltbeam.records import ledger, ledger_check, ledger_review, standing
from boltbeam.records.decide import decide
from boltbeam.records.decisions import (
    SLOWEST,
    TOKEN,
    member,
    promote_plan,
    record,
    refute,
    rollback,
    token_gates,
)
from boltbeam.records.entries import (
    SCHEMA_VERSION,
    Audit,
    Cut,
    Decision,
    Funnel,
    Gate,
    Interval,
    LedgerRow,
    Racer,
    Scope,
)
from boltbeam.records.ledger import Layer, Layers, dump, load, new_rows, sealed
from boltbeam.records.ledger_review import _verdict_in_words
from boltbeam.records.record import (
    Environment,
    funnel_row,
    kernel_row,
    pct_of_floor,
    probe_row,
    token_row,
)
from boltbeam.types import (
    BoltbeamError,
    Candidate,
    Geometry,
    Measured,
    Measurement,
    Outcome,
    Point,
    Proof,
    Protocol,
    Route,
    Table,
    Verdict,
    WorkItem,
    significant,
    without_paths,
)

CHIP = "cpu-x86_64-test"
PROTOCOL = Protocol(
    id="abba-1",
    order="ABBA",
    cold="rotate",
    blocks_min=8,
    blocks_max=40,
    noise_band=0.005,
    confidence=0.99,
    batch_us=500,
    stop="adaptive",
)
PROTOCOLS = {PROTOCOL.id: PROTOCOL}
WORK = WorkItem(
    op="down",
    tables=(Table(role="ffn_down", rows=576, cols=1536, format="Q4_1"),),
    d_model=576,
    heads=9,
    kv_heads=3,
    head_dim=64,
    rope_dim=64,
    norm_eps=1e-5,
    vocab=49152,
    context=512,
    count=30,
)
ROUTE = Route(id="gemv_rows", family="gemv", ops=("down",), formats=("Q4_1",))
ENV = Environment(chip=CHIP, command="boltbeam search --chip cpu", tinygrad="0.14.0", seed=1)
PROVED = Proof(ok=True, reason="ok", worst=0.2, source_hash="5e", emitter_hash="e1")


def measured(ratio: float, blocks: int = 12) -> Measurement:
    wobble = [1 + 0.001 * (i % 3 - 1) for i in range(blocks)]
    return Measurement(
        protocol=PROTOCOL.id,
        candidate_us=tuple(40 * ratio * w for w in wobble),
        incumbent_us=(40.0,) * blocks,
        aa_spread=0.003,
        stop_reason="decided: faster",
        copies=8,
        cold_ratio=2.2,
    )


def row(ratio: float = 0.7, lanes: int = 16, env: Environment = ENV, **known: str) -> LedgerRow:
    m = measured(ratio)
    return kernel_row(
        Candidate(work=WORK, route=ROUTE.id, geometry=Geometry.of(lanes=lanes)),
        ROUTE,
        decide(m, PROTOCOL, 20.0, 5),
        env,
        proof=PROVED,
        measurement=m,
        protocol=PROTOCOL,
        incumbent=known.get("incumbent", "stock"),
        floor_us=20.0,
        comparisons=5,
        decision=known.get("decision", "nominated"),
    )


def plan(evidence: LedgerRow, replaces: Decision | None = None, date: str = "") -> Decision:
    return promote_plan(
        Scope(chip=CHIP, plan_key="abcd", tinygrad="0.14.0"),
        [member(evidence)],
        {"token": Gate(passed=True, number=0.8, limit=0.995)},
        [512],
        replaces=replaces,
        reason="won the whole token",
        by="Jo Doe",
        date=date,
    )


def layers(*folders: Path) -> Layers:
    return Layers(tuple(Layer(f"l{i}", f) for i, f in enumerate(folders)))


# ---- one line ------------------------------------------------------------------------------------

numbers = st.floats(min_value=1e-9, max_value=1e9)
texts = st.text(max_size=30)


@given(
    ratio=st.floats(min_value=0.55, max_value=3),
    text=texts,
    value=st.floats(allow_nan=False, allow_infinity=False, min_value=0, max_value=1e15),
    counts=st.dictionaries(texts, st.integers(min_value=0, max_value=10**9)),
)
def test_dump_load_dump_is_identical(
    ratio: float, text: str, value: float, counts: dict[str, int]
) -> None:
    env = Environment(chip=CHIP, command=text, driver=text, model=text, commit="c0ffee")
    rows = [
        row(ratio, env=env),
        funnel_row(WORK.key, WORK.op, 3, Funnel(legal=1, illegal=counts), env),
        probe_row({text: Measured(value=value, unit=text, how=text, date="2026-11-29")}, env),
    ]
    for r in rows:
        line = dump(r)
        assert "\n" not in line
        again = load(line)
        assert again == r and dump(again) == line


FUNNEL = Funnel(
    legal=3,
    illegal={"axis": 1, "threads": 2},
    pruned={"margin": 4, "rank": 5},
    nearest={"margin": Cut(number=1.5, limit=1.3), "rank": Cut(number=9)},
    proved=2,
    timed=1,
)
NAMED = ("illegal", "pruned", "nearest")
"""What of a funnel has names of its own, which stand in their order."""


def turned(line: str, key: str) -> str:
    """The line with the names below `key`, if it has any, the other way round."""
    data = json.loads(line)
    holder = data.get("funnel", data)
    if key in holder:
        holder[key] = dict(reversed(holder[key].items()))
    return json.dumps(data, ensure_ascii=False)


@given(
    value=st.floats(min_value=-1e15, max_value=1e15, allow_nan=False),
    text=texts,
    proved=st.integers(min_value=0, max_value=2),
    quirk=st.sampled_from(
        [
            lambda line: line,
            lambda line: line.replace(": ", ":", 1),
            lambda line: line.replace(", ", ",", 1),
            lambda line: line + " ",
            lambda line: line.replace('"work"', '"\\u0077ork"'),
            lambda line: line.replace(', "proved": 0', ""),
            lambda line: line.replace(', "source": "this machine"', ""),
            lambda line: line.replace(', "source": "this machine"', ', "spread": null'),
            lambda line: line.replace('"how": ', '"spread": null, "how": '),
            lambda line: line.replace('"source": "this machine"', '"source": "x", "points": []'),
            lambda line: line.replace('"measured": ', '"checks": [], "measured": '),
            lambda line: re.sub(r'"value": [^,}]*', '"value": 0.123456', line),
            lambda line: line.replace('"detail": ', '"detail": "x", "detail": ', 1),
            lambda line: line.replace(', "floor_us"', ', "blocks_planned": null, "floor_us"'),
            lambda line: line.replace('"reason": ', '"plan_key": "", "reason": ', 1),
            lambda line: re.sub(r"(\d)e-0(\d)", r"\1e-\2", line),
            lambda line: re.sub(r" (\d)\.(\d+)e-05", r" 0.0000\1\2", line),
            lambda line: re.sub(r'"floor_us": [^,}]*', '"floor_us": 20', line),
            lambda line: re.sub(r'"number": [^,}]*', '"number": 0.123456', line),
            *(partial(turned, key=key) for key in (*NAMED, "measured")),
        ]
    ),
)
def test_what_decides_first_about_a_text_says_what_dump_says(
    value: float, text: str, proved: int, quirk: Callable[[str], str]
) -> None:
    funnel = FUNNEL.model_copy(update={"proved": proved})
    point = Point(at=text, value=significant(value))
    probe = Measured(value=3.0, unit="GB/s", how="read", date="2026-11-29", points=(point,))
    rows = [
        row(),
        funnel_row(WORK.key, WORK.op, 3, funnel, ENV),
        probe_row({"x": probe, "y": probe}, ENV),
    ]
    for r, us in itertools.product(rows, (value, 1e-7, 8.3e-05)):
        odd = sealed(r.model_copy(update={"detail": text, "floor_us": significant(us)}))
        line = quirk(dump(odd))
        entry = ledger.parse(line, "")
        assert ledger.is_canonical(line, entry) == (dump(entry) == line)


@pytest.mark.parametrize("key", NAMED)
def test_names_out_of_order_are_not_canonical_whatever_the_id(key: str) -> None:
    odd = turned(dump(sealed(funnel_row(WORK.key, WORK.op, 3, FUNNEL, ENV))), key)
    head = ledger.HEAD.match(odd)
    assert head is not None
    odd = odd.replace(head["id"], ledger._text_id(odd, head), 1)
    assert ledger.faults(odd, ledger.parse(odd, "")) == ["id", "canonical"]


def test_only_these_defaults_stand_in_rows() -> None:
    """`ledger._quick` knows them by name."""
    parts = (LedgerRow, Funnel, Audit, Cut, Racer, Interval, Measured, Point)
    told = {
        (model, name)
        for model in parts
        for name, info in model.model_fields.items()
        if not info.is_required() and info.get_default(call_default_factory=True) not in EMPTY
    }
    assert told == {(Funnel, "proved"), (Funnel, "timed"), (Measured, "source")}


EMPTY: tuple[object, ...] = (None, "", (), {})


@pytest.mark.parametrize("word", ["NaN", "Infinity", "-Infinity"])
def test_no_field_takes_what_is_no_number(word: str) -> None:
    """pydantic reads these words as floats, so every float must refuse them."""
    data = json.loads(dump(row(lanes=8))) | {"interval": {"low": 1, "mid": 1, "high": 1}}
    for key in LedgerRow.model_fields:
        line = json.dumps(data | {key: "?"}).replace('"?"', word)
        with pytest.raises(BoltbeamError, match=f"not JSON .{word} is not a number"):
            load(line, "f:1")
    for key in ("candidate_us", "aa_pct"):
        with pytest.raises(BoltbeamError, match="is not a number"):
            load(json.dumps(data | {key: ["?"] * 12}).replace('"?"', word), "f:1")
    for part in ("low", "mid", "high"):
        made = json.dumps(data | {"interval": data["interval"] | {part: "?"}})
        with pytest.raises(BoltbeamError, match="is not a number"):
            load(made.replace('"?"', word), "f:1")


@given(st.text(max_size=200))
def test_any_line_loads_or_is_refused_in_one_line(text: str) -> None:
    with pytest.raises(BoltbeamError) as e:
        load(text, "file:3")
    assert str(e.value).startswith("file:3: ")


@given(
    st.recursive(
        st.none() | st.integers() | texts, lambda x: st.lists(x) | st.dictionaries(texts, x)
    )
)
def test_any_json_in_a_field_is_refused(value: object) -> None:
    data = json.loads(dump(row())) | {"candidate_us": value}
    with pytest.raises(BoltbeamError):
        load(json.dumps(data))


def test_keys_keep_the_models_order_and_digits_are_four() -> None:
    data = json.loads(dump(row(0.7123456)))
    order = list(LedgerRow.model_fields)
    assert list(data) == sorted(data, key=order.index)
    assert data["candidate_us"][1] == 28.49
    assert "clock_mhz" not in data and "throttled" not in data  # not known: no key


def test_a_row_says_how_many_runs_its_graph_had_and_an_older_one_keeps_its_id() -> None:
    m = measured(0.7)
    outcome, known = decide(m, PROTOCOL, None), m.model_copy(update={"runs": 64})
    old, new = (
        token_row("p", outcome, ENV, tokens="identical", measurement=m, protocol=PROTOCOL)
        for m in (m, known)
    )
    assert '"copies": 8, "runs": 64, "cold_ratio"' in dump(new) and load(dump(new)) == new
    assert '"runs"' not in dump(old) and load(dump(old)).id == old.id != new.id


@given(numbers)
def test_significant_is_idempotent(value: float) -> None:
    once = significant(value)
    assert significant(once) == once and once == pytest.approx(value, rel=5.1e-4)


@given(st.text(alphabet="/\\~.: ='\"a,C(", max_size=30))
def test_removing_paths_twice_is_removing_them_once(text: str) -> None:
    assert without_paths(without_paths(text)) == without_paths(text)


def test_no_paths_reach_the_ledger() -> None:
    env = Environment(
        chip=CHIP, command="/opt/x/boltbeam search --model models/me/x.gguf --pin a=b"
    )
    assert row(env=env).command == "boltbeam search --model x.gguf --pin a=b"
    assert without_paths("clang at /usr/bin/clang, ~/x/y, C:\\a\\b") == "clang at clang, y, b"
    assert without_paths("decode/down at 3 MB/s") == "decode/down at 3 MB/s"


# ---- what cannot be constructed ------------------------------------------------------------------


@pytest.mark.parametrize(
    "change",
    [
        {"verdict": "pruned"},
        {"verdict": None},
        {"reason": ""},
        {"timing": "untimed"},
        {"proof": "error-bound"},
        {"interval": None},
        {"protocol": ""},
        {"candidate_us": (1.0,)},
        {"number": float("nan")},
        {"work": ""},
        {"surprise": 1},
    ],
)
def test_impossible_rows(change: dict[str, object]) -> None:
    good = {name: getattr(row(), name) for name in LedgerRow.model_fields}
    assert LedgerRow.model_validate(good)
    with pytest.raises(ValidationError):
        LedgerRow.model_validate(good | change)


@pytest.mark.parametrize(
    ("key", "value", "words"),
    [
        ("verdict", "fastest", "verdict: \"fastest\" is not one of 'illegal', 'pruned', "),
        ("kind", "kernels", "kind: \"kernels\" is not one of 'kernel', 'token', "),
        ("tokens", 3, "tokens: 3 is not one of '', 'untested', "),
        ("count", 1.5, "count: 1.5 is not a whole number"),
        ("seed", -1, "seed: -1 is below 0"),
        ("number", "much", 'number: "much" is not a number'),
        ("limit", 1e301, "limit: 1e+301 is above 1e+300"),
        ("interval", {"low": 1}, "interval.mid: is missing"),
        ("measured", [1], "measured: [1] is not an object"),
        ("candidate_us", "x" * 99, f'candidate_us: "{"x" * 38}… is not a list'),
        ("throttled", "maybe", 'throttled: "maybe" is not true or false'),
        ("work", 3, "work: 3 is not text"),
        ("verdicts", "faster", "verdicts: unknown key"),
        ("reason", "", "a kernel row needs verdict and reason"),
    ],
)
def test_a_wrong_value_is_told_in_words_of_ours(key: str, value: object, words: str) -> None:
    line = json.dumps(json.loads(dump(row())) | {key: value})
    with pytest.raises(BoltbeamError) as e:
        load(line, "f:1")
    assert str(e.value).startswith(f"f:1: {words}"), e.value
    assert "put should" not in str(e.value) and "error" not in str(e.value)


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ('{"schema_version": 1, "kind": []}', "kind"),
        ('{"schema_version": 1, "kind": {}}', "kind"),
        ('{"schema_version": 1, "id": "0123456789ab", "kind": "plan", "kind": "kernel"}', "twice"),
        ('{"schema_version": 1, "kind": "kernel", "python": "\\ud800"}', "half a character"),
    ],
)
def test_lines_that_are_two_things_or_none(line: str, said: str) -> None:
    with pytest.raises(BoltbeamError, match=rf"^f:1: .*{said}"):
        ledger.parse(line, "f:1")


def test_what_is_named_like_a_file_and_is_none(folder: Path) -> None:
    """A pipe is not waited for, and the check tells of it."""
    place = next(ledger.files(folder)).parent
    before = len(layers(folder).rows())
    os.mkfifo(place / "2026-11-30-aaaaaaaa.jsonl")
    (place / "2026-11-30-bbbbbbbb.jsonl").mkdir()
    (place / "2026-11-30-cccccccc.jsonl").symlink_to(place / "nowhere")
    assert len(layers(folder).rows()) == before
    assert [p.message for p in ledger_check.check(folder, PROTOCOLS).problems] == [
        "no regular file"
    ] * 3


def test_text_that_is_no_json_is_told_with_its_place() -> None:
    with pytest.raises(BoltbeamError, match=r"f:1: not JSON \(expecting ':' delimiter at"):
        load('{"schema_version"', "f:1")


@pytest.mark.parametrize("missing", ["gates", "replaces", "members", "evidence", "reason"])
def test_no_promotion_without(missing: str) -> None:
    d = plan(row())
    good = {name: getattr(d, name) for name in Decision.model_fields}
    assert Decision.model_validate(good)
    empty = {"gates": {}, "replaces": "", "members": (), "evidence": (), "reason": " "}[missing]
    with pytest.raises(ValidationError):
        Decision.model_validate(good | {missing: empty})


@pytest.mark.parametrize("missing", [{"reopen_if": ""}, {"number": None}, {"evidence": ()}])
def test_no_refutation_without(missing: dict[str, object]) -> None:
    d = refute([row(1.2)], reason="loses", reopen_if="clang emits vpdpbusd")
    good = {name: getattr(d, name) for name in Decision.model_fields}
    with pytest.raises(ValidationError):
        Decision.model_validate(good | missing)


# ---- files and layers ----------------------------------------------------------------------------


def test_write_then_read(tmp_path: Path) -> None:
    ls, rows = layers(tmp_path), [row(), row(1.2, lanes=8)]
    path = ls.write(rows)
    assert (
        path.parent.name == CHIP and ledger.file_name(path.read_text(), rows[0].date) == path.name
    )
    assert ls.rows() == rows and ls.rows(route="other") == []
    assert [p.name for p in path.parent.iterdir()] == [path.name]
    before = path.stat().st_mtime_ns
    assert ls.write(rows) == path and path.stat().st_mtime_ns == before


def test_layers_in_order(tmp_path: Path) -> None:
    root = tmp_path / "src"
    for name in ("registry", "ledgers", "deep/down"):
        (root / name).mkdir(parents=True)
    (root / "pyproject.toml").write_text('[project]\nname = "boltbeam"\n')
    found = Layers.find(root / "deep" / "down", tmp_path / "given", tmp_path / "data", new=True)
    assert [x.name for x in found.layers][-3:] == ["user", "checkout", "given"]
    assert found.write([row()]).is_relative_to(tmp_path / "given")
    assert Layers.find(root, None, tmp_path / "data").write([row()]).is_relative_to(root)
    (root / "pyproject.toml").write_text('[project]\nname = "other"\n')
    assert (
        Layers.find(root, None, tmp_path / "data").write([row()]).is_relative_to(tmp_path / "data")
    )


def test_one_file_holds_one_chip(tmp_path: Path) -> None:
    other = row(env=Environment(chip="nv-sm90"))
    with pytest.raises(ValueError, match="one chip"):
        layers(tmp_path).write([row(), other])
    with pytest.raises(ValueError, match="no id of a chip"):
        row(env=Environment(chip="../up"))


def test_a_folder_that_cannot_be_written_is_one_line(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(BoltbeamError, match=r"cannot write to .*--ledger DIR") as e:
        layers(tmp_path / "file").write([row()])
    assert "\n" not in str(e.value)


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
def test_a_read_only_checkout_falls_back_to_the_next_layer(tmp_path: Path) -> None:
    (tmp_path / "high").mkdir(mode=0o500)
    assert (
        layers(tmp_path / "low", tmp_path / "high").write([row()]).is_relative_to(tmp_path / "low")
    )


def test_a_full_disk_leaves_nothing(tmp_path: Path) -> None:
    """The system refuses to let a file grow (RLIMIT_FSIZE), as a full disk does."""
    ls, rows = layers(tmp_path), [row()]
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (100, hard))
    try:
        with pytest.raises(BoltbeamError, match="nothing was written"):
            ls.write(rows)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
    assert [p for p in tmp_path.rglob("*") if p.is_file()] == []


def test_an_edited_line_is_refused_with_its_place(tmp_path: Path) -> None:
    path = layers(tmp_path).write([row(), row(1.3)])
    path.write_text(path.read_text().replace('"seed": 1', '"seed": 2'))
    with pytest.raises(BoltbeamError, match=rf"l0/{CHIP}/{path.name}:1: id .* git"):
        layers(tmp_path).rows()
    path.write_text(path.read_text()[:-20])
    with pytest.raises(BoltbeamError, match="git"):
        layers(tmp_path).rows()


def test_a_newer_schema_says_upgrade() -> None:
    line = dump(row()).replace(f'"schema_version": {SCHEMA_VERSION}', '"schema_version": 99')
    with pytest.raises(BoltbeamError, match="upgrade"):
        load(line)


# ---- news ----------------------------------------------------------------------------------------


def test_the_same_verdict_is_confirmed() -> None:
    old = row(0.7)
    write, confirmed = new_rows([row(0.7002)], [old])
    assert write == () and confirmed[0].old == old


@pytest.mark.parametrize(
    "news",
    [
        row(1.3),
        row(0.6),
        row(0.8),
        row(0.7, decision="none"),
        row(0.7, incumbent="other"),
        row(0.7, lanes=8),
        row(0.7, env=Environment(chip=CHIP, tinygrad="0.15.0")),
        row(0.7, env=Environment(chip=CHIP, tinygrad="0.14.0", driver="9")),
    ],
)
def test_changes_are_news(news: LedgerRow) -> None:
    assert new_rows([news], [row(0.7)]) == ((news,), ())


def test_funnels_and_probes() -> None:
    def probe(value: float) -> LedgerRow:
        m = Measured(value=value, unit="GB/s", how="sum", spread=0.02, date="2026-11-29")
        return probe_row({"read_gbps": m}, ENV)

    assert new_rows([probe(40.5)], [probe(40)])[0] == ()
    assert new_rows([probe(45)], [probe(40)])[1] == ()
    few, many = (funnel_row(WORK.key, "down", 30, Funnel(legal=n), ENV) for n in (1, 2))
    assert new_rows([few], [few])[0] == () and new_rows([many], [few])[1] == ()


def test_an_audit_stands_in_its_funnel_until_the_next_one() -> None:
    def judged(lost: float) -> LedgerRow:
        audit = Audit(
            sampled=8,
            everything=False,
            distinct=9,
            kept=1,
            kept_share=0.1,
            regret=lost,
            best_us=9.0,
            worst="gemv_rows_f32 lanes=8",
            worst_reason="predicted-slow",
        )
        return funnel_row(WORK.key, "down", 30, Funnel(legal=10, audit=audit), ENV)

    plain = funnel_row(WORK.key, "down", 30, Funnel(legal=10), ENV)
    assert new_rows([judged(0.02)], [plain])[0] == (judged(0.02),)
    assert new_rows([judged(0.03)], [judged(0.02)])[1] == ()
    assert new_rows([plain], [judged(0.02)])[0] == ()
    said = ledger_review.in_words(judged(0.02))
    assert "audit with 8 of the pruned: lost 2.0%; best was gemv_rows_f32 lanes=8" in said


def test_the_latest_probe_of_each_value_counts(tmp_path: Path) -> None:
    def probe(date: str, **values: float) -> LedgerRow:
        m = {k: Measured(value=v, unit="GB/s", how="sum", date=date) for k, v in values.items()}
        return probe_row(m, ENV)

    low, high = layers(tmp_path / "a"), layers(tmp_path / "b")
    low.write([probe("2026-11-29", read_gbps=40, copy_gbps=20)])
    high.write([last := probe("2026-11-28", read_gbps=41)])
    found, row_id = standing.measured(layers(tmp_path / "a", tmp_path / "b"), CHIP)
    assert {k: m.value for k, m in found.items()} == {"read_gbps": 41, "copy_gbps": 20}
    assert row_id == last.id
    assert standing.measured(low, "nv-x") == ({}, "")


def test_rows_that_failed_need_no_times() -> None:
    outcome = Outcome(verdict=Verdict.wrong, reason="error-bound", number=7.5, limit=1)
    bad = Proof(ok=False, reason="error-bound", worst=7.5)
    candidate = Candidate(work=WORK, route=ROUTE.id, geometry=Geometry.of(lanes=4))
    r = kernel_row(candidate, ROUTE, outcome, ENV, proof=bad)
    assert (r.timing, r.verdict, r.interval) == ("untimed", "wrong", None)
    t = token_row("abcd", outcome, ENV, tokens="diverged")
    assert t.kind == "token" and load(dump(t)) == t
    with pytest.raises(ValueError, match="needs its measurement"):
        kernel_row(candidate, ROUTE, Outcome(verdict=Verdict.faster, reason="x"), ENV)


def test_excused_ties_stand_in_the_row_and_old_rows_read_as_before() -> None:
    candidate = Candidate(work=WORK, route=ROUTE.id, geometry=Geometry.of(lanes=4))
    no = Outcome(verdict=Verdict.failed, reason="timeout")
    kept = PROVED.model_copy(update={"excused": 3})
    new = kernel_row(candidate, ROUTE, no, ENV, proof=kept)
    assert new.excused == 3 and '"worst": 0.2, "excused": 3' in dump(new) and load(dump(new)) == new
    old = kernel_row(candidate, ROUTE, no, ENV, proof=PROVED)
    assert old.excused is None and "excused" not in dump(old)


def test_proved_right_and_wrong_while_it_was_timed(tmp_path: Path) -> None:
    candidate = Candidate(work=WORK, route=ROUTE.id, geometry=Geometry.of(lanes=4))
    for reason, problems in (("timed-output", 0), ("error-bound", 1)):
        no = Outcome(verdict=Verdict.wrong, reason=reason, number=7.5, limit=1)
        folder = tmp_path / reason
        layers(folder).write([kernel_row(candidate, ROUTE, no, ENV, proof=PROVED)])
        assert len(ledger_check.check(folder, PROTOCOLS).problems) == problems


# ---- status and the plan in force ----------------------------------------------------------------


def state(ls: Layers, work: str = "") -> str:
    return standing.status(ls, ROUTE.id, CHIP, work).state


def test_status_follows_the_ledger(tmp_path: Path) -> None:
    ls = layers(tmp_path)
    assert state(ls) == "candidate"
    r = row()
    ls.write([r])
    assert state(ls) == state(ls, WORK.key) == "nominated" and state(ls, "other") == "candidate"
    p = plan(r, date="2026-11-29T10:00:00Z")
    record(ls, p)
    assert state(ls) == "promoted" and standing.active_plan(ls, CHIP, "abcd") == p
    assert standing.active_plan(ls, CHIP, "other") is None
    record(ls, rollback(p, reason="slower at 4096", date="2026-11-29T10:00:00Z"))
    assert state(ls) == "rolled back" and standing.active_plan(ls, CHIP, "abcd") is None
    d = refute([r], reason="loses", reopen_if="clang 23", date="2026-11-29T11:00:00Z")
    record(ls, d)
    s = standing.status(ls, ROUTE.id, CHIP, WORK.key)
    assert (s.state, s.number, s.reopen_if) == (
        "refuted",
        r.interval and r.interval.mid,
        "clang 23",
    )
    again = plan(r, date="2026-11-29T12:00:00Z")
    record(ls, again)
    assert state(ls) == "promoted"
    assert standing.plans(ls) == {(CHIP, "abcd"): again}


def test_the_highest_layer_wins_over_a_later_line_below(tmp_path: Path) -> None:
    low, high = layers(tmp_path / "a"), layers(tmp_path / "b")
    both = layers(tmp_path / "a", tmp_path / "b")
    mine = plan(row(), date="2026-01-01T00:00:00Z")
    record(high, mine)
    record(low, plan(row(0.6), date="2026-06-01T00:00:00Z"))
    assert standing.active_plan(both, CHIP, "abcd") == mine
    record(high, rollback(mine, reason="no", date="2026-01-02T00:00:00Z"))
    assert standing.active_plan(layers(tmp_path / "a", tmp_path / "b"), CHIP, "abcd") is None


def test_a_line_that_two_layers_hold_counts_once_in_the_higher(tmp_path: Path) -> None:
    """An exported file, or the checkout's own folder named by --ledger."""
    mine = row()
    for folder in ("a", "b"):
        ledger.write_file(tmp_path / folder, [mine])
    both = layers(tmp_path / "a", tmp_path / "b")
    assert both.rows() == [mine] and both.stored()[0].layer == 1
    assert ledger_review.show(both, mine.id[:6]).entry == mine


def test_a_check_of_one_folder_knows_the_lines_below_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """A search may confirm a row of the user's folder, and its plan cites that."""
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    below, named = ledger.user_data() / "ledgers", tmp_path / "named"
    mine, other = row(), row(lanes=8)
    first = plan(mine)
    ledger.write_file(below, [mine, other, first])
    ledger.write_file(named, [plan(other, replaces=first, date="2099-01-01T00:00:00Z")])
    ledger_views.check(None, named, False)
    assert "1 lines, all well" in capsys.readouterr().err


def test_mismatches_are_told_field_by_field() -> None:
    was = Scope(chip=CHIP, tinygrad="0.14.0", emitter_hash="e1", driver="1", work="w")
    assert standing.mismatches(was, was) == ()
    here = Scope(chip=CHIP, tinygrad="0.15.0", emitter_hash="e1", driver="2", work="w")
    found = standing.mismatches(was, here)
    assert [m.field for m in found] == ["tinygrad", "driver"]
    assert str(found[0]) == "tinygrad: recorded 0.14.0, here 0.15.0 (not used)"
    assert [m.hard for m in found] == [True, False]
    for name in standing.HARD:
        other = was.model_copy(update={name: "x"})
        assert [m.hard for m in standing.mismatches(was, other)] == [True], name


# ---- review --------------------------------------------------------------------------------------


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A sound ledger folder in a git repository: rows, a plan, a refutation."""
    ls = layers(tmp_path / "ledgers")
    good, bad = row(), row(1.2, lanes=8)
    ls.write([good, bad, funnel_row(WORK.key, "down", 30, Funnel(legal=9, timed=2), ENV)])
    record(ls, plan(good))
    record(ls, refute([bad], reason="loses", reopen_if="clang 23"))
    git(tmp_path, "init", "-q")
    git(tmp_path, "add", "-A")
    git(tmp_path, "commit", "-qm", "rows")
    return tmp_path / "ledgers"


def git(folder: Path, *args: str) -> None:
    known = ["-c", "user.name=t", "-c", "user.email=t@t", "-c", "commit.gpgsign=false"]
    subprocess.run(["git", "-C", str(folder), *known, *args], check=True, capture_output=True)


def the_file(folder: Path, text: str) -> Path:
    return next(p for p in ledger.files(folder) if text in p.read_text())


def codes(folder: Path, base: str | None = None) -> set[str]:
    return {p.code for p in ledger_check.check(folder, PROTOCOLS, base).problems}


def rewrite(folder: Path, path: Path, change: dict[str, object], line: int = 0) -> None:
    """A careful forger: edits one line, then fixes id, canonical form and file name."""
    lines = path.read_text().splitlines()
    data = json.loads(lines[line]) | change
    model = Decision if "scope" in data else LedgerRow
    lines[line] = dump(sealed(model.model_validate(data)))  # type: ignore[type-var]
    text = "".join(x + "\n" for x in lines)
    path.unlink()
    (path.parent / ledger.file_name(text, path.name[:10])).write_text(text)


def test_a_sound_folder_passes(folder: Path) -> None:
    assert ledger_check.check(folder, PROTOCOLS, "HEAD").problems == []


@pytest.mark.parametrize(
    ("old", "new", "code"),
    [
        ('"seed": 1', '"seed": 2', "id"),
        ('"seed": 1', '"seed":  1', "canonical"),
        ('"number": ', '"numbre": ', "line"),
        ('"timing": "faster"', '"timing": "untimed"', "line"),
        ('"number": 0.', '"number": NaN0.', "line"),
        ("\n", "\r\n", "text"),
        ('"seed": 1', '"seed": 2', "name"),
    ],
)
def test_careless_edits(folder: Path, old: str, new: str, code: str) -> None:
    path = the_file(folder, '"kernel"')
    text = path.read_text()
    assert old in text
    path.write_bytes(text.replace(old, new, 1).encode())
    problems = ledger_check.check(folder, PROTOCOLS, "HEAD").problems
    assert {code, "name", "touched"} <= {p.code for p in problems}
    if code not in ("text", "name"):
        assert any(str(p).startswith(f"{CHIP}/{path.name}:1: {code}: ") for p in problems)


@pytest.mark.parametrize(
    ("change", "code"),
    [
        ({"verdict": "slower", "timing": "slower"}, "verdict"),
        ({"reason": "noise"}, "verdict"),
        ({"candidate_us": [40.0] * 12}, "verdict"),
        ({"incumbent_us": [80.0] * 12}, "interval"),
        ({"interval": {"low": 0.5, "mid": 0.6, "high": 0.7}}, "interval"),
        ({"aa_spread": 0.5}, "verdict"),
        ({"floor_us": 39.0}, "verdict"),
        ({"pct_of_floor": 99.0}, "floor"),
        ({"protocol": "mine"}, "protocol"),
        ({"worst": 3.0}, "proof"),
        ({"chip": "nv-sm90"}, "chip"),
        ({"geometry": "lanes=32"}, "evidence"),
    ],
)
def test_careful_edits_of_a_row(folder: Path, change: dict[str, object], code: str) -> None:
    rewrite(folder, the_file(folder, '"kernel"'), change)
    assert code in codes(folder)
    assert "touched" in codes(folder, "HEAD")


@pytest.mark.parametrize(
    ("change", "code"),
    [
        ({"evidence": ["0123456789ab"], "kind": "refute"}, "evidence"),
        ({"replaces": "0123456789ab"}, "replaces"),
    ],
)
def test_careful_edits_of_a_decision(folder: Path, change: dict[str, object], code: str) -> None:
    path = the_file(folder, '"refute"' if "kind" in change else '"plan_key"')
    if code == "replaces":
        path = the_file(folder, '"kind": "plan"')
    rewrite(folder, path, change)
    assert code in codes(folder)


def test_a_plan_that_rests_on_a_wrong_row(folder: Path) -> None:
    wrong = Outcome(verdict=Verdict.wrong, reason="error-bound", number=7.0, limit=1.0)
    one = Candidate(work=WORK, route=ROUTE.id, geometry=Geometry.of(lanes=32))
    bad = kernel_row(one, ROUTE, wrong, ENV, proof=Proof(ok=False, reason="error-bound"))
    layers(folder).write([bad])
    path = the_file(folder, '"kind": "plan"')
    data = json.loads(path.read_text())
    cited = data["members"][0] | {"row": bad.id, "geometry": bad.geometry}
    rewrite(folder, path, {"members": [cited], "evidence": [bad.id]})
    assert "evidence" in codes(folder)


# ---- the whole token of a plan -------------------------------------------------------------------


def token(ratio: float, position: int | None, plan_key: str = "abcd") -> LedgerRow:
    m = measured(ratio)
    found = decide(m, PROTOCOL, None)
    known = {"position": position, "measurement": m, "protocol": PROTOCOL, "incumbent": "stock"}
    return token_row(plan_key, found, ENV, tokens="identical", **known)  # type: ignore[arg-type]


def promoted(tmp_path: Path, *rows: LedgerRow) -> Path:
    """A ledger with a plan that cites these token rows; its gates are derived from them."""
    kernel = row()
    decision = promote_plan(
        Scope(chip=CHIP, plan_key="abcd", tinygrad="0.14.0"),
        [member(kernel)],
        {"tokens": Gate(passed=True, number=0, limit=3), **token_gates(rows)},
        [512],
        replaces=None,
        reason="won the whole token",
        evidence=[r.id for r in rows],
    )
    layers(tmp_path).write([kernel, *rows, decision])
    return tmp_path


def test_every_position_of_a_plan_is_derived_again(tmp_path: Path) -> None:
    folder = promoted(tmp_path, token(0.7, 0), token(0.9, 480))
    assert codes(folder) == set()
    plan_line = layers(folder).decisions()[0]
    assert plan_line.gates[TOKEN].number == 0.7 and plan_line.gates[SLOWEST].number == 0.9
    words = [ledger_review.in_words(r) for r in layers(folder).rows(kind="token")]
    assert any("plan abcd at position 480: faster: 0.9" in w for w in words)


@pytest.mark.parametrize(("line", "gate"), [(1, TOKEN), (2, SLOWEST)])
def test_a_position_that_says_something_else_is_found(tmp_path: Path, line: int, gate: str) -> None:
    """Edited blocks with an id, verdict and interval of their own: the gate no longer follows."""
    rows = [token(0.7, 0), token(0.9, 480)]
    forged = token(0.8 if line == 1 else 0.95, rows[line - 1].position)
    folder = promoted(tmp_path, *rows)
    path = the_file(folder, '"kind": "plan"')
    lines = path.read_text().splitlines()
    cited = json.loads(lines[3])
    cited["evidence"] = [forged.id if i == rows[line - 1].id else i for i in cited["evidence"]]
    lines[line], lines[3] = dump(forged), dump(sealed(Decision.model_validate(cited)))
    text = "".join(x + "\n" for x in lines)
    path.unlink()
    (path.parent / ledger.file_name(text, path.name[:10])).write_text(text)
    (problem,) = ledger_check.check(folder, PROTOCOLS).problems
    assert problem.code == "gates" and f"'{gate}' says" in problem.message


def test_a_gate_that_names_positions_without_a_row_is_found(tmp_path: Path) -> None:
    """Cites the first position only, and says that it was measured at the last one too."""
    rows, late = [token(0.7, 0)], token(0.7, 480)
    said = token_gates([*rows, late])[SLOWEST].detail
    folder = promoted(tmp_path, *rows)
    path = the_file(folder, '"kind": "plan"')
    lines = path.read_text().splitlines()
    claimed = json.loads(lines[-1])
    claimed["gates"][SLOWEST]["detail"] = said
    lines[-1] = dump(sealed(Decision.model_validate(claimed)))
    text = "".join(x + "\n" for x in lines)
    path.unlink()
    (path.parent / ledger.file_name(text, path.name[:10])).write_text(text)
    (problem,) = ledger_check.check(folder, PROTOCOLS).problems
    assert (problem.code, problem.line) == ("gates", 3)
    assert "names positions 0, 480; its rows are of 0" in problem.message


def test_a_plan_slower_at_one_position_has_no_gate_to_pass() -> None:
    gates = token_gates([token(0.7, 0), token(1.005, 256), token(1.03, 480)])
    assert gates[TOKEN].passed and not gates[SLOWEST].passed and gates[SLOWEST].number == 1.03
    assert gates[TOKEN].detail == "faster than stock: median candidate / stock from position 0 only"
    assert "the largest of those from positions 0, 256, 480" in gates[SLOWEST].detail
    assert token_gates([token(0.7, 0), token(1.0, 480)])[SLOWEST].passed
    assert not token_gates([token(1.0, 0), token(0.7, 480)])[TOKEN].passed
    wrong = token_row(
        "abcd", Outcome(verdict=Verdict.wrong, reason="tokens-diverged"), ENV, tokens="diverged"
    )
    assert not any(g.passed for g in token_gates([wrong, token(0.7, 480)]).values())


def test_claims_without_rows_and_rows_without_claims(tmp_path: Path) -> None:
    claimed = token_gates([token(0.7, 0)])
    kernel = row()
    for i, (gates, rows) in enumerate(
        [
            (claimed, []),
            ({"tokens": Gate(passed=True, number=0, limit=3)}, [token(0.7, 0)]),
            (claimed, [token(0.7, 0, "other")]),
        ]
    ):
        decision = promote_plan(
            Scope(chip=CHIP, plan_key="abcd"), [member(kernel)], gates, [512],
            replaces=None, reason="so", evidence=[r.id for r in rows],
        )  # fmt: skip
        folder = tmp_path / str(i)
        layers(folder).write([kernel, *rows, decision])
        assert codes(folder) == {"evidence" if i == 2 else "gates"}


def test_an_older_plan_whose_other_positions_have_no_row_passes(tmp_path: Path) -> None:
    old = token(0.7, None)
    assert "position" not in dump(old)
    decision = promote_plan(
        Scope(chip=CHIP, plan_key="abcd"), [member(kernel := row())],
        token_gates([old]) | {SLOWEST: Gate(passed=True, number=0.98, limit=1.01)}, [512],
        replaces=None, reason="so", evidence=[old.id],
    )  # fmt: skip
    layers(tmp_path).write([kernel, old, decision])
    assert codes(tmp_path) == set()


def test_a_promotion_stripped_of_its_gates_is_not_a_line(folder: Path) -> None:
    path = the_file(folder, '"kind": "plan"')
    data = json.loads(path.read_text())
    del data["gates"]
    path.write_text(json.dumps(data, ensure_ascii=False) + "\n")
    found = ledger_check.check(folder, PROTOCOLS).problems
    assert any("needs gates" in p.message and p.line == 1 for p in found)


def test_a_duplicate_and_a_stray_file(folder: Path) -> None:
    path = the_file(folder, '"kernel"')
    lines = path.read_text().splitlines()[:1] * 2
    text = "".join(x + "\n" for x in lines)
    (path.parent / ledger.file_name(text, path.name[:10])).write_text(text)
    (folder / "latest.json").write_text("{}\n")
    assert {"duplicate", "name"} <= codes(folder)


def test_a_removed_file_is_named(folder: Path) -> None:
    path = the_file(folder, '"refute"')
    path.unlink()
    (found,) = ledger_check.check(folder, PROTOCOLS, "HEAD").problems
    assert str(found).startswith(
        f"{CHIP}/{path.name}: touched: removed since HEAD, it held refute "
    )
    with pytest.raises(BoltbeamError, match="git knows no revision"):
        ledger_check.check(folder, PROTOCOLS, "nonsense")


def test_one_line_in_words() -> None:
    said = ledger_review.in_words(row(0.6))
    assert f"{WORK.key} by gemv_rows (lanes=16): faster: 0.6 [" in said
    assert "of the measured read rate" in said


def test_every_kind_of_line_in_words(folder: Path) -> None:
    words = [ledger_review.in_words(s.entry) for s in layers(folder).stored()]
    assert any("9 legal, 0 illegal, 0 pruned, 0 proved, 2 timed" in w for w in words)
    assert any("plan abcd with gemv_rows in place of stock; gates token 0.8" in w for w in words)
    assert any("loses (1.2); reopen if clang 23" in w for w in words)


def test_show_takes_a_prefix(folder: Path) -> None:
    ls = layers(folder)
    one = ls.rows()[0]
    assert ledger_review.show(ls, one.id[:8]).entry == one
    for wrong in ("", "zz"):
        with pytest.raises(BoltbeamError, match="no id starts"):
            ledger_review.show(ls, wrong)


def test_export_copies_what_is_missing(folder: Path, tmp_path: Path) -> None:
    with pytest.raises(BoltbeamError, match="not a checkout"):
        ledger_review.export(layers(folder), tmp_path / "nowhere")
    goal = tmp_path / "goal"
    for name in ("registry", "ledgers"):
        (goal / name).mkdir(parents=True)
    (goal / "pyproject.toml").write_text('[project]\nname = "boltbeam"\n')
    assert len(ledger_review.export(layers(folder), goal)) == 3
    assert ledger_review.export(layers(folder), goal) == []
    assert ledger_check.check(goal / "ledgers", PROTOCOLS).problems == []


def test_the_ledger_needs_no_tinygrad() -> None:
    records = "decide decisions ledger ledger_check ledger_review record standing store"
    names = ["measure.locks", *(f"records.{n}" for n in records.split())]
    code = f"import sys; import {', '.join('boltbeam.' + n for n in names)}\n"
    code += "sys.exit('tinygrad' in sys.modules)"
    subprocess.run([sys.executable, "-c", code], check=True)


def test_a_floor_below_the_clock_has_no_share() -> None:
    m = measured(0.7)
    made = kernel_row(
        Candidate(work=WORK, route=ROUTE.id, geometry=Geometry.of(lanes=16)),
        ROUTE,
        decide(m, PROTOCOL, 0.0005, 5),
        ENV,
        proof=PROVED,
        measurement=m,
        protocol=PROTOCOL,
        incumbent="stock",
        floor_us=0.0005,
        comparisons=5,
    )
    assert made.floor_us == 0.0005 and made.pct_of_floor is None
    assert "below the clock" in _verdict_in_words(made)
    older = made.model_copy(update={"pct_of_floor": pct_of_floor(made.candidate_us, 0.0005)})
    wrong = made.model_copy(update={"pct_of_floor": 3.0})
    unsaid = row().model_copy(update={"pct_of_floor": None})
    lines = [("f", n, r) for n, r in enumerate((made, older, wrong, unsaid))]
    found = ledger_check.check_entries(lines, PROTOCOLS, {})
    assert [(p.line, p.code) for p in found] == [(2, "floor"), (3, "floor")]
