"""registry list, show and check as a person reads them."""

from __future__ import annotations

import json
import random
import re
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from cli_cases import Done, Shell, refused
from review_cases import CLEAN
from test_ledger import PROVED, ROUTE, WORK

from boltbeam import registry
from boltbeam.commands import registry_views, rerender
from boltbeam.emit import reference
from boltbeam.predict import bubblebeam, legal_rules
from boltbeam.records import decide, intervals, ledger, ledger_check
from boltbeam.records.decisions import refute
from boltbeam.records.entries import LedgerRow
from boltbeam.records.ledger import Layer, Layers, sealed
from boltbeam.records.record import Known, kernel_row
from boltbeam.types import Candidate, ChipFacts, Geometry, Measurement, Outcome, Verdict

Cli = Callable[..., Done]
H200 = "nv-sm90-132sm"


def real_row(route: str) -> LedgerRow:
    """A timed row of the repository's own ledger."""
    folder = registry.registry_dir().parent / "ledgers"
    lines = [x for path in ledger.files(folder) for x in path.read_text().splitlines()]
    rows = [e for e in map(ledger.load, lines) if isinstance(e, LedgerRow)]
    return next(r for r in rows if r.route == route and r.pct_of_floor)


NORM, ATTENTION = "decode/norm/4096/m1", "decode/attention/4096/h32k8d128-c512-qknorm/m1"


def lost(route: str, chip: str = H200, work: str = NORM) -> LedgerRow:
    env = replace(CLEAN, chip=chip)
    item = next(rerender.works(work))
    outcome = Outcome(verdict=Verdict.failed, reason="timeout", number=60.0)
    candidate = Candidate(work=item, route=route, geometry=next(geometries(route, work)))
    return kernel_row(candidate, registry.route(route), outcome, env)


def geometries(route: str, work: str = NORM):  # type: ignore[no-untyped-def]
    item = next(rerender.works(work))
    chip = registry.chips()[H200]
    return (g for g, no in bubblebeam.candidates(item, registry.route(route), chip) if no is None)


def table(text: str) -> list[list[str]]:
    rows = [x for x in text.splitlines() if x.startswith("| ")]
    return [[c.strip() for c in x.strip("|").split("|")] for x in rows[2:]]


# ---- list --------------------------------------------------------------------------------------


@pytest.mark.parametrize("chip", [[], ["--chip", "rx-7900-xtx"], ["--chip", "h200"]])
def test_the_list_fits_80_columns(chip: list[str], cli: Cli, shell: Shell) -> None:
    bad = lost("norm_lanes_q8")
    ledger.write_file(shell.ledger, [bad, refute([bad], reason="hangs", reopen_if="driver")])
    done = cli("registry", "list", *chip, "--ledger", shell.ledger)
    assert done.code == 0 and not [x for x in done.out.splitlines() if len(x) > 80]
    assert len(table(done.out)) == len(registry.routes())


def test_what_matters_comes_first(cli: Cli, shell: Shell) -> None:
    bad, good = lost("solo_lanes_f32", work=ATTENTION), real_row("gemv_lanes_q8")
    ledger.write_file(shell.ledger, [bad, refute([bad], reason="hangs", reopen_if="driver"), good])
    rows = table(cli("registry", "list", "--chip", "h200", "--ledger", shell.ledger).out)
    states = [r[4].rstrip("*") for r in rows]
    order = ["promoted", "refuted", "withdrawn", "nominated", "candidate", "illegal"]
    assert states == sorted(states, key=order.index)
    assert rows[states.index("refuted")][1] == "solo_lanes_f32"
    assert states[-1] == "illegal" == states[-5]
    shares = [int(r[5]) for r in rows if r[4] == "nominated" and r[5]]
    assert shares == sorted(shares, reverse=True) and shares
    assert {r[0] for r in rows} == set(registry.families())
    assert all(r[4] == "illegal" for r in rows if "rows" in r[1])


def test_public_priors_are_marked_with_their_source(cli: Cli) -> None:
    done = cli("registry", "list", "--chip", "rx-7900-xtx")
    marked = {r[1] for r in table(done.out) if r[4].endswith("*")}
    assert "gemv_lanes_q8" in marked and "argmax_lanes" not in marked
    assert "[public tinygrad-arkey records]" in " ".join(done.out.split())
    other = cli("registry", "list", "--chip", "h200")
    assert not [r for r in table(other.out) if r[4].endswith("*")]
    assert "18 public priors are of other chips" in other.out


def test_the_list_as_data(cli: Cli) -> None:
    rows = json.loads(cli("registry", "list", "--chip", "m3", "--format", "json").out)
    one = next(r for r in rows if r["route"] == "gemv_rows_f32")
    assert one["illegal"].startswith("one-thread: ") and "Q4_K" in one["formats"]


# ---- show --------------------------------------------------------------------------------------


def test_show_has_it_all(cli: Cli, shell: Shell) -> None:
    good = real_row("embed_lanes")
    ledger.write_file(shell.ledger, [good])
    done = cli("registry", "show", "embed_lanes", "--ledger", shell.ledger)
    assert done.code == 0
    prose, _, code = done.out.partition("```c")
    assert not [x for x in prose.splitlines() if len(x) > 80]
    for words in ("takes, gives  f32 -> f32", "needs", "### Axes", "threads", "one row of"):
        assert words.lower() in prose.lower(), words
    for chip in registry.chips():
        assert chip in prose
    assert "### History" in prose and good.id in prose
    assert "__global__" in code and "as timed" in code


def test_show_says_why_a_route_is_illegal(cli: Cli) -> None:
    done = cli("registry", "show", "gemv_rows_q8", "--no-source")
    assert f"{H200:18} one-thread: a sequential kernel on a chip with workgroups" in done.out
    assert "### Kernel" not in done.out
    heads = re.findall(r"^### (\w+)", done.out, re.M)  # what counts on this chip comes first
    assert heads == ["Where", "Axes", "Legal", "Public", "History"]
    data = json.loads(cli("registry", "show", "gemv_rows_q8", "--format", "json").out)
    assert not any(c["legal"] for c in data["legal"]) and data["winner"] is None


def test_the_chip_here_is_among_those_it_is_legal_on(cli: Cli) -> None:
    done = cli("registry", "show", "gemv_rows_q8", "--no-source", "--chip", "cpu")
    assert re.search(r"^cpu-\S+ +yes$", done.out, re.M), done.out


def test_a_winner_that_renders_otherwise_now_says_so(cli: Cli, shell: Shell) -> None:
    made = sealed(real_row("chain_lanes_gate_up_q8").model_copy(update={"source_hash": "0" * 16}))
    ledger.write_file(shell.ledger, [sealed(made.model_copy(update={"date": "2099-01-01T00:00:00Z", "pct_of_floor": 99.0}))])  # fmt: skip # noqa: E501
    done = cli("registry", "show", "chain_lanes_gate_up_q8", "--ledger", shell.ledger)
    assert "NOT the kernel that was timed" in done.out


def test_facts_decide_where_a_route_is_legal() -> None:
    route = registry.route("gemv_lanes_f32")
    assert bubblebeam.chip_legal(route, registry.chips()[H200]) is None
    bare = ChipFacts(id="x", name="x", device="CL")
    no = bubblebeam.chip_legal(route, bare)
    assert no is not None and (no.reason, no.detail) == ("fact-undeclared", "workgroups")


# ---- check -------------------------------------------------------------------------------------


def test_an_orphan_in_the_ledger_is_named(cli: Cli, shell: Shell) -> None:
    row = sealed(lost("norm_lanes_q8").model_copy(update={"route": "norm_lane_q8", "id": ""}))
    path = ledger.write_file(shell.ledger, [row])
    done = cli("registry", "check", "--ledger", shell.ledger)
    refused(done, 1, "1 problem")
    assert f"given/{H200}/{path.name}:1: row {row.id} is of route 'norm_lane_q8'" in done.out
    assert "did you mean 'norm_lanes_q8'" in done.out


def test_a_decision_about_a_route_that_is_gone_is_an_orphan_too(cli: Cli, shell: Shell) -> None:
    bad = lost("norm_lanes_q8")
    no = refute([bad], reason="hangs", reopen_if="driver")
    scope = no.scope.model_copy(update={"route": "norm_gone"})
    no = sealed(no.model_copy(update={"scope": scope, "id": ""}))
    ledger.write_file(shell.ledger, [bad, no])
    done = cli("registry", "check", "--ledger", shell.ledger)
    refused(done, 1, "1 problem")
    assert f":2: refute {no.id} is of route 'norm_gone', which the registry lacks" in done.out


def test_every_route_has_all_it_needs() -> None:
    known = registry.Known(
        references=reference.ops(),
        goldens=registry_views.goldens(),
        rules=frozenset(legal_rules.RULES),
    )
    assert known.goldens and registry.check(known) == ()


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"goldens": frozenset({"norm_lanes_f32"})}, "route 'norm_lanes_q8': no golden rendering"),
        ({"references": frozenset({"head"})}, "no float64 reference for op 'norm'"),
        ({"emitters": frozenset({("rows", "norm")})}, "no emitter for family 'norm', form 'lanes'"),
    ],
)
def test_what_a_route_lacks_is_named(change: dict[str, object], message: str) -> None:
    found = registry.check(registry.Known.model_validate(change))
    assert any(message in p and p.startswith("families/norm.toml: ") for p in found), found


# ---- speed -------------------------------------------------------------------------------------


def raced(seed: int, protocol: str, blocks: int) -> LedgerRow:
    """A timed row with blocks of its own, as a search writes it."""
    noise = random.Random(seed)
    m = Measurement(
        protocol=protocol,
        candidate_us=tuple(20 * noise.gauss(1, 0.004) for _ in range(blocks)),
        incumbent_us=tuple(40 * noise.gauss(1, 0.004) for _ in range(blocks)),
        aa_spread=0.003,
        stop_reason="decided: faster",
        copies=8,
        cold_ratio=2.2,
    )
    held = registry.protocols()[protocol]
    if held.planned:
        pct = tuple(noise.gauss(0, 0.1) for _ in range(blocks))
        m = m.model_copy(update={"aa_pct": pct})
        m = m.model_copy(update={"aa_spread": intervals.apart([1 + x / 100 for x in pct])})
    known: Known = {"proof": PROVED, "measurement": m, "protocol": held, "incumbent": "stock"}
    candidate = Candidate(work=WORK, route=ROUTE.id, geometry=Geometry.of(lanes=16))
    env = replace(CLEAN, chip=H200, seed=seed)
    outcome = decide.decide(m, held, None, 200)
    return kernel_row(candidate, ROUTE, outcome, env, comparisons=200, **known)


@pytest.fixture(scope="module")
def thousands(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """10,000 sound lines of one chip, in files of 100: most of them the repository's own with other
    seeds, four of ten timed rows of which no two have the same blocks."""
    folder = registry.registry_dir().parent / "ledgers"
    lines = [x for path in ledger.files(folder) for x in path.read_text().splitlines()]
    rows = [e for e in map(ledger.load, lines) if isinstance(e, LedgerRow) and e.chip == H200]
    # a hundred of those that share the chance of a search would spend more than one
    rows = [r for r in rows if not (r.protocol and registry.protocols()[r.protocol].planned)]
    # members: ids of kernels' rows, which are others here
    made = [
        sealed(rows[i % len(rows)].model_copy(update={"seed": i, "members": ()}))
        for i in range(6_000)
    ]
    made += [raced(i, *(("abba-planned-v1", 9), ("abba-v1", 12))[i % 2]) for i in range(4_000)]
    random.Random(0).shuffle(made)
    goal = tmp_path_factory.mktemp("thousands") / "ledgers"
    for at in range(0, len(made), 100):
        ledger.write_file(goal, made[at : at + 100])
    return goal


@pytest.mark.slow
@pytest.mark.parametrize(
    ("words", "limit_s"),
    [
        (("ledger", "check"), 1.0),
        (("registry", "list", "--chip", "h200"), 0.5),
        (("ledger", "diff", "HEAD"), 0.5),
    ],
)
def test_ten_thousand_rows_take_little_time(
    words: tuple[str, ...], limit_s: float, shell: Shell, thousands: Path
) -> None:
    """CPU seconds of the best of three; twice the goal, for machines slower than ours."""
    import resource

    from review_cases import commit, git

    if not (thousands.parent / ".git").exists():
        git(thousands.parent, "init", "-q")
        commit(thousands.parent, "rows")
    seconds = []
    for _ in range(3):
        begun = resource.getrusage(resource.RUSAGE_CHILDREN)
        done = shell.run(*words, "--ledger", thousands)
        ended = resource.getrusage(resource.RUSAGE_CHILDREN)
        assert done.code == 0, done.err
        seconds.append(ended.ru_utime + ended.ru_stime - begun.ru_utime - begun.ru_stime)
    assert min(seconds) < 2 * limit_s, seconds
    print(f"{' '.join(words)}: {min(seconds):.2f} s")


def test_the_check_of_many_rows_still_finds_one_fault(thousands: Path) -> None:
    layers = Layers((Layer("all", thousands),))
    row = next(r for r in layers.rows(kind="kernel") if r.verdict == "faster")
    bad = sealed(row.model_copy(update={"candidate_us": row.incumbent_us, "seed": 10_000_000}))
    path = ledger.write_file(thousands, [bad])
    try:
        found = ledger_check.check(thousands, registry.protocols()).problems
        assert {p.code for p in found} >= {"verdict", "interval"}
        assert {p.file for p in found} == {f"{H200}/{path.name}"}
    finally:
        path.unlink()
