"""A bench as a ledger line: what is derived, what is refused, what a reviewer is told of it."""

from __future__ import annotations

import contextlib
import json
import resource
import subprocess
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any, cast

import pytest
from cli_cases import ROOT, Done, Shell, refused
from decode_cases import CHIP as CPU
from decode_cases import CONTEXT, whole_token
from pydantic import ValidationError
from review_cases import CLEAN, PLAN, PROTOCOLS, Repo, kernel, repository
from test_ledger import layers

from boltbeam.measure import clocks
from boltbeam.models import gguf_model
from boltbeam.records import ledger_check, ledger_query, ledger_review, results, review
from boltbeam.records.benches import Bench
from boltbeam.records.decisions import member
from boltbeam.records.entries import LedgerRow
from boltbeam.records.ledger import dump, file_name, load, sealed
from boltbeam.records.record import probe_row
from boltbeam.token import bench as benches
from boltbeam.token import bench_record
from boltbeam.token.token_process import Engine
from boltbeam.types import BoltbeamError, Fact, Measured

Cli = Callable[..., Done]
Make = Callable[..., Path]
RATE = Measured(value=20.0, unit="GB/s", how="a test", date="2026-11-29")
PROBE = probe_row({"read_gbps": RATE}, CLEAN)


def engine(name: str, *seconds: float, **known: Any) -> dict[str, Any]:
    version = "llama.cpp abc123" if name == "llama.cpp" else "tinygrad 0.14.0"
    return {"engine": name, "version": version, "backends": "CPU", "samples_s": seconds, **known}


LLAMA = engine("llama.cpp", 0.1, 0.105, 0.1, 0.105, 0.1, 0.105)
STOCK = engine("stock", 2.0, 2.01, 2.0, 2.01, 2.0, 2.01)


def bench(*peers: dict[str, Any], ours: float = 0.2, **changes: Any) -> Bench:
    """A promoted plan, 20 tokens a turn: 100 tok/s where a turn takes 0.2 s."""
    name = "nominated" if changes.get("members") else "promoted"
    known = {n: v for n, v in CLEAN.fields().items() if n in Bench.model_fields}
    mine = engine(name, *(ours * (1 + 0.01 * (i % 2)) for i in range(6)))
    about = {"plan": "" if name == "nominated" else "abc", "plan_key": PLAN, "header_hash": "f1"}
    turns = {"context": 64, "depth": 8, "n_gen": 20, "n_prompt": 5, "load": 0.5}
    fields = {**known, **about, **turns, "engines": (mine, *(peers or (STOCK, LLAMA)))}
    return sealed(Bench.model_validate({**fields, "date": "2027-01-01T00:00:00Z", **changes}))


# ---- a line ------------------------------------------------------------------------------------


def test_rates_and_ratios_follow_from_the_turns() -> None:
    b = bench(STOCK, LLAMA, engine("jitbeam", 0.4), token_bytes=10**8, floor_us=5000, probe="p")
    assert load(dump(b)) == b and '"tok_s"' not in dump(b)
    assert b.ours is not None and b.tok_s(b.ours) == 99.5
    assert (b.ratio("stock"), b.ratio("llama.cpp"), b.ratio("jitbeam")) == (9.975, 0.5097, 1.99)
    assert b.ratio("realized") is None and b.pct_of_floor == 49.75
    said = ledger_review.in_words(b)
    for words in ("promoted 99.5 tok/s (plan abc, 49.75 % of the", "9.975 times stock (9.975)",
                  "0.5097 times llama.cpp (195.2)", "8 of 64", "1 turns"):  # fmt: skip
        assert words in said
    alone = bench(plan="", engines=(STOCK,))
    assert alone.ours is None and "no plan ran" in ledger_review.in_words(alone)


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"engines": ()}, "needs engines"),
        ({"engines": (STOCK, STOCK), "plan": ""}, "each once"),
        ({"plan": ""}, "id of its plan"),
        ({"engines": (STOCK,)}, "id of its plan"),
        ({"engines": (STOCK | {"samples_s": ()},), "plan": ""}, "0 turns"),
        ({"engines": (STOCK | {"samples_s": (0.1, 0.0)},), "plan": ""}, "greater than"),
        ({"engines": (STOCK | {"samples_s": (0.1, -1.0)},), "plan": ""}, "greater than"),
        ({"engines": (STOCK | {"version": ""},), "plan": ""}, "version"),
        ({"engines": (STOCK | {"tok_s": 7.0},), "plan": ""}, "tok_s"),
        ({"context": 27}, "exceed the context"),
        ({"probe": "p"}, "floor_us"),
        ({"header_hash": ""}, "header_hash"),
        ({"ratio": 2.0}, "ratio"),
    ],
)
def test_what_cannot_be_judged_is_no_bench(changes: dict[str, Any], words: str) -> None:
    with pytest.raises(ValidationError, match=words):
        bench(**changes)


def test_no_folder_is_told() -> None:
    b = bench(command="boltbeam bench --peer-llama-bench /home/me/llama-bench", compiler="/opt/cc")
    assert b.command == "boltbeam bench --peer-llama-bench llama-bench" and b.compiler == "cc"


# ---- ledger check, ledger diff -------------------------------------------------------------------


@pytest.fixture
def repo(tmp_path: Path) -> Repo:
    return repository(tmp_path)


def problems(repo: Repo) -> list[tuple[str, str]]:
    found = ledger_check.check(repo.ledger, PROTOCOLS, "main").problems
    return [(p.code, p.message) for p in found]


def test_an_honest_bench_passes_and_is_shown(repo: Repo) -> None:
    known = {"plan": repo.old.id, "token_bytes": 10**8, "floor_us": 5000.0, "probe": PROBE.id}
    repo.add(PROBE, bench(**known), bench(ours=0.15, date="2027-01-02T00:00:00Z", **known))
    assert problems(repo) == []
    r = review.review(repo.ledger, "main", None, PROTOCOLS)
    assert r.flags == () and r.counts == {"bench": 2, "probe": 1}
    assert [x["tok/s"] for x in r.benches] == [99.5, 132.7]
    first = r.benches[0]
    assert (first["÷ llama.cpp"], first["÷ stock"], first["÷ JITBEAM"]) == (0.5097, 9.975, None)
    assert first["% of ceiling"] == 49.75 and first["ran"] == f"promoted {repo.old.id}"
    assert "Whole engines, in turns" in review.markdown(r, "main..here")


def test_a_nominated_bench_cites_the_rows_of_its_members(repo: Repo) -> None:
    row = kernel(0.5)
    repo.add(row, bench(members=(member(row),)))
    assert problems(repo) == []
    assert review.review(repo.ledger, "main", None, PROTOCOLS).flags == ()


def wrong(name: str, repo: Repo) -> list[Any]:
    """Lines with one fault of that name."""
    row, known = kernel(0.5), {"plan": repo.old.id}
    mine, slow = member(row), kernel(0.6, geometry="lanes=8")
    floor = {"token_bytes": 10**8, "floor_us": 4000.0}
    return {
        "no such plan": [bench(plan="f" * 12)],
        "no plan": [row, bench(plan=row.id)],
        "another plan": [bench(plan=repo.old.id, plan_key="eeee")],
        "another chip": [bench(members=(mine,), chip="cpu-other"), row],
        "earlier": [bench(date="2026-01-01T00:00:00Z", **known)],
        "no such row": [bench(members=(mine.model_copy(update={"row": "f" * 12}),))],
        "another row": [slow, bench(members=(mine.model_copy(update={"row": slow.id}),))],
        "no probe": [row, bench(**known, **floor, probe=row.id)],
        "floor": [PROBE, bench(**known, **floor, probe=PROBE.id)],
    }[name]


@pytest.mark.parametrize(
    ("name", "code", "words"),
    [
        ("no such plan", "evidence", "which is nowhere"),
        ("no plan", "evidence", "which is a kernel"),
        ("another plan", "evidence", "of another model or context"),
        ("another chip", "evidence", "of another chip"),
        ("earlier", "evidence", "but ran 2026-01-01"),
        ("no such row", "evidence", "which is nowhere"),
        ("another row", "evidence", "is not what row"),
        ("no probe", "evidence", "measured no read rate"),
        ("floor", "floor", "floor_us is 4000"),
    ],
)
def test_ledger_check_finds_what_is_wrong(name: str, code: str, words: str, repo: Repo) -> None:
    for entry in wrong(name, repo):
        repo.add(entry)
    assert [c for c, m in problems(repo) if words in m] == [code], problems(repo)
    flags = review.review(repo.ledger, "main", None, PROTOCOLS).flags
    assert any(f.blocks and f.code == code and words in f.message for f in flags)


def test_a_line_of_no_known_kind_is_refused() -> None:
    with pytest.raises(BoltbeamError, match="kind"):
        load(dump(bench()).replace('"kind": "bench"', '"kind": "benches"'))


def test_red_flags_of_a_bench(repo: Repo) -> None:
    row = kernel(0.5)
    older = member(row).model_copy(update={"emitter_hash": "0ther"})
    noisy = engine("stock", 1.0, 2.0, 1.0, 2.0)
    state = {"throttled": True, "waiting_share": 0.5, "commit": "", "floor_us": 3e5, "probe": "p"}
    b = bench(noisy, members=(older,), token_bytes=10**10, **state)
    copy = sealed(b.model_copy(update={"date": "2027-02-01T00:00:00Z"}))
    repo.add(row, b, copy)
    found = review.review(repo.ledger, "main", None, PROTOCOLS).flags
    mine = {f.code: f.blocks for f in found if f.line == 2}
    assert mine == {
        "dirty": True, "ceiling": True, "evidence": True, "throttled": False, "unrested": False,
        "turns": False, "spread": False, "emitters": False,
    }  # fmt: skip
    assert [f.code for f in found if f.line == 3 and "turns are those" in f.message] == [
        "duplicate"
    ]


def test_one_engines_turns_are_known_again_in_any_unit(repo: Repo) -> None:
    seconds = (0.1, 0.105, 0.102, 0.11, 0.101, 0.107)
    old = bench(STOCK, engine("llama.cpp", *seconds), date="2027-01-01T00:00:00Z")
    scaled = bench(STOCK, engine("llama.cpp", *(2 * s for s in seconds)), ours=0.17)
    turned = bench(STOCK, engine("llama.cpp", *reversed(seconds)), ours=0.18, depth=9)
    other = bench(
        STOCK, engine("llama.cpp", *(s + 0.001 * i for i, s in enumerate(seconds))), depth=7
    )
    repo.add(old, scaled, turned, other)
    found = review.review(repo.ledger, "main", None, PROTOCOLS).flags
    said = {f.line: f.message for f in found if f.code == "duplicate"}
    assert said.keys() == {2, 3} and "are 2 times those of bench" in said[2]


# ---- ledger query, the README --------------------------------------------------------------------


def test_sql_knows_benches(tmp_path: Path) -> None:
    b = bench(members=(member(kernel(0.5)),))
    ls = layers(tmp_path)
    ls.write([b])
    with contextlib.closing(ledger_query.database(ls, None)) as c:
        joined = "engines e join recorded_benches b on b.id = e.bench"
        asked = f"select b.tok_s, e.plan_ratio, samples_s from {joined} where engine = 'llama.cpp'"
        ((rate, ratio, turns),) = c.execute(asked).fetchall()
        assert (rate, ratio, json.loads(turns)) == (99.5, 0.5097, list(LLAMA["samples_s"]))
        assert c.execute("select row from bench_members").fetchone() == (b.members[0].row,)
        assert c.execute("select count(*) from rows").fetchone() == (0,)


def test_results_show_losses_and_the_newest(tmp_path: Path) -> None:
    assert results.block(tmp_path) == results.NONE
    days = [f"2027-01-0{n}T00:00:00Z" for n in range(1, 6)]
    cl = STOCK | {"backends": "CL"}
    found = [
        bench(date=days[0]),  # beaten by the next
        bench(ours=0.19, date=days[1]),
        bench(STOCK, ours=0.15, date=days[2]),  # leaves llama.cpp out: the one before it stays
        bench(cl, depth=0, date=days[3]),
        bench(engines=(STOCK,), plan="", date=days[4]),  # no plan: no result
    ]
    kept = results.newest(found)
    assert {b.id for b in kept} == {found[i].id for i in (1, 2, 3)}
    for b in found:
        layers(tmp_path).write([b])
    text = results.block(tmp_path)
    assert "**195.2, 0.5365 ×**" in text and "9.975 ×" in text and "× on CL" in text
    assert "unsteady)" not in text
    shaky = LLAMA | {"samples_s": (0.15, 0.17)}
    assert "× (unsteady)" in str(results._against(bench(STOCK, shaky), "llama.cpp"))
    assert all(f"`{b.id}`" in text for b in kept)
    page = f"a\n\n{results.BEGIN}\n\nold\n\n{results.END}\n\nb\n"
    new = results.in_readme(page, tmp_path)
    assert new == page.replace("old", text) and results.in_readme(new, tmp_path) == new


def test_the_results_are_fresh() -> None:
    readme = (ROOT / "README.md").read_text()
    assert results.in_readme(readme, ROOT / "ledgers") == readme, "run scripts/results"


# ---- bench --record ------------------------------------------------------------------------------


def timed(engine: Engine, n_gen: int, depth: int, *_: object, **known: Any) -> Any:
    """Recorded turns in place of minutes."""
    known["look"]()
    known["look"]()
    peers = (known["mine"], "stock") if engine.members else ("stock",)
    peer = benches.Peer("tinygrad 0.14.0", "CPU", lambda: 0.0, 1.5, lambda: 0.25)
    return tuple(
        benches.row(name, peer, "m.gguf", 9, n_gen, depth, (0.2, 0.21 + depth / 100), 5, 0.01)
        for name in peers
    )


def test_one_file_of_one_bench(
    cli: Cli, shell: Shell, tiny: Make, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(benches, "bench", timed)
    words = ["bench", "-m", tiny(), "-d", "0", "-d", "3", "-n", "4", "--context", "64"]
    assert cli(*words).code == 0 and not list(shell.folder.rglob("*.jsonl"))
    done = cli(*words, "--record", "--ledger", shell.ledger)
    assert done.code == 0 and "stock" in done.out
    (path,) = shell.folder.rglob("*.jsonl")
    assert f"wrote {path}" in done.err
    first, second = (load(line) for line in path.read_text().splitlines())
    assert isinstance(first, Bench) and isinstance(second, Bench)
    assert (first.depth, second.depth, first.context, first.turns) == (0, 3, 64, 2)
    assert first.command.startswith(f"boltbeam bench -m {Path(words[2]).name} ")
    assert str(shell.folder) not in dump(first)
    assert first.formats == ("Q4_1", "Q6_K") and first.plan_key and first.tinygrad == "0.14.0"
    assert cli("ledger", "check", "--ledger", shell.ledger).code == 0
    shown = cli("ledger", "show", first.id, "--ledger", shell.ledger).out
    assert "no plan ran" in shown and "| tinygrad 0.14.0 | CPU " in shown
    assert "| 0.2, 0.21" in shown and "engines" not in shown


def test_what_ends_early_or_has_no_room_leaves_no_part(
    cli: Cli, shell: Shell, tiny: Make, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupted(engine: Engine, n_gen: int, depth: int, *_: object, **known: Any) -> Any:
        if depth:
            raise KeyboardInterrupt
        return timed(engine, n_gen, depth, **known)

    words = ["bench", "-m", tiny(), "-d", "0", "-d", "3", "-n", "4", "--context", "64", "--record"]
    refused(cli(*words, "--ledger", "/proc/none"), 2, "/proc", "--ledger DIR")
    monkeypatch.setattr(benches, "bench", interrupted)
    done = cli(*words, "--ledger", shell.ledger)
    assert done.code == 130 and "stock" in done.out
    (path,) = (p for p in shell.folder.rglob("*") if ".jsonl" in p.name)
    (kept,) = (load(line) for line in path.read_text().splitlines())  # the depth that was done
    assert isinstance(kept, Bench) and kept.depth == 0
    path.unlink()
    words[4] = "1"
    monkeypatch.setattr(benches, "bench", lambda *a, **k: interrupted(a[0], a[1], 1))
    assert cli(*words, "--ledger", shell.ledger).code == 130
    assert not [p for p in shell.folder.rglob("*") if ".jsonl" in p.name]


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A file system of its own with room for some lines, or a skip."""
    place = tmp_path / "disk"
    place.mkdir()
    words = ["mount", "-t", "tmpfs", "-o", "size=64k", "tmpfs", str(place)]
    try:
        subprocess.run(words, check=True, capture_output=True)
    except (OSError, subprocess.CalledProcessError) as e:
        pytest.skip(f"a small file system needs root and mount: {e}")
    yield place
    subprocess.run(["umount", str(place)], check=True)


WORDS = ["-d", "0", "-d", "3", "-n", "4", "--context", "64", "--record", "--ledger"]


def saved(done: Done, at: Path) -> list[Bench]:
    """Put what the command printed where it says; that is a sound ledger then."""
    lines = done.err.splitlines()
    (n,) = (n for n, line in enumerate(lines) if "not written; save this as" in line)
    path = at / lines[n].split("save this as ")[1].split()[0]
    path.parent.mkdir(parents=True)
    path.write_text("".join(f"{line}\n" for line in lines[n + 1 : n + 3]))
    found = cast(list[Bench], [load(line) for line in path.read_text().splitlines()])
    assert path.name == file_name(path.read_text(), found[0].date)
    return found


def test_a_disk_that_fills_meanwhile_loses_no_bench(
    cli: Cli, shell: Shell, tiny: Make, small_disk: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def filling(*asked: Any, **known: Any) -> Any:
        with contextlib.suppress(OSError), (small_disk / "other").open("ab") as other:
            other.write(bytes(1 << 17))
        return timed(*asked, **known)

    monkeypatch.setattr(benches, "bench", filling)
    done = cli("bench", "-m", tiny(), *WORDS, small_disk / "ledger")
    refused(done, 2, str(small_disk), "No space left", said_before=True)
    assert "stock" in done.out and not list(small_disk.rglob("*.jsonl"))
    assert [b.depth for b in saved(done, shell.ledger)] == [0, 3]
    assert cli("ledger", "check", "--ledger", shell.ledger).code == 0


def test_no_room_for_anything_loses_no_bench(
    cli: Cli, shell: Shell, tiny: Make, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Neither ledger nor run store: no file may grow any more, as on a full disk."""
    was = resource.getrlimit(resource.RLIMIT_FSIZE)

    def filling(*asked: Any, **known: Any) -> Any:
        resource.setrlimit(resource.RLIMIT_FSIZE, (0, was[1]))
        return timed(*asked, **known)

    monkeypatch.setattr(benches, "bench", filling)
    try:
        done = cli("bench", "-m", tiny(), *WORDS, shell.folder / "full")
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, was)
    refused(done, 2, "ledger: cannot write", said_before=True)
    assert "stock" in done.out
    assert [b.depth for b in saved(done, shell.ledger)] == [0, 3]
    assert cli("ledger", "check", "--ledger", shell.ledger).code == 0


def test_a_search_whose_rows_are_elsewhere_is_not_recorded(tiny: Make, tmp_path: Path) -> None:
    path = tiny()
    members = whole_token(gguf_model.read(path))
    mine = Engine(model=str(path), chip=CPU, context=CONTEXT, members=members)
    rows = [of_member(m) for m in members]
    unique = {r.id: r for r in rows}
    summary = {"chip": {"id": CPU.id}, "members": [{"row": i} for i in unique], "ledger": "/led"}
    search = {"id": "5ea2c4", "summary": summary}
    with pytest.raises(BoltbeamError, match="bench --record: search 5ea2c4 was recorded in /led"):
        bench_record.nominated(search, mine, layers(tmp_path))
    ls = layers(tmp_path)
    ls.write(list(unique.values()))
    found = bench_record.nominated(search, mine, ls)
    assert [m.row for m in found] == list(unique)
    assert all(len(m.emitter_hash) == 16 for m in found)  # what builds them now, not the row's


def of_member(m: Any) -> LedgerRow:
    made = kernel(0.5, env=replace(CLEAN, chip=CPU.id))
    changes = {"work": m.work.key, "route": m.route, "geometry": str(m.geometry)}
    return sealed(LedgerRow.model_validate(dict(made) | changes))


def test_the_machine_is_looked_at_after_every_turn(monkeypatch: pytest.MonkeyPatch) -> None:
    us = {"waiting_us": 0, "stalled_us": 0}
    states = [
        clocks.State(345.0, False, 90.0, 35.0, at_us=0, **us),  # idle: no turn was before it
        clocks.State(1980.0, False, 500.0, 50.0, at_us=10, **us),
        clocks.State(1950.0, True, 600.0, 55.0, at_us=20, **us),
        clocks.State(1980.0, False, 550.0, 54.0, at_us=30, waiting_us=3, stalled_us=0),
    ]
    monkeypatch.setattr(clocks, "state", lambda _device: states.pop(0))
    watch = bench_record.Watch("CUDA")
    turn = {"a": lambda: 1.0}
    assert benches.take_turns(turn, 1, look=watch) == {"a": (1.0, 1.0)}
    watch()
    told = watch.told()
    assert (told["clock_mhz"], told["power_w"], told["temperature_c"]) == (1980.0, 550.0, 55.0)
    assert told["throttled"] is True and told["waiting_share"] == pytest.approx(0.1)


def test_the_floor_is_that_of_the_newest_probe(tiny: Make, tmp_path: Path) -> None:
    path = tiny()
    facts = gguf_model.read(path)
    small = CPU.model_copy(update={"cache_bytes": Fact(value=4096, source="a test")})
    mine = Engine(model=str(path), chip=small, context=CONTEXT, members=whole_token(facts))
    ls, env = layers(tmp_path), replace(CLEAN, chip=CPU.id)
    assert not bench_record.about(mine, facts, None, (), ls, env)["probe"]
    probe = probe_row({"read_gbps": RATE}, env)
    ls.write([probe])
    known = bench_record.about(mine, facts, None, (), ls, env)
    assert known["probe"] == probe.id and known["token_bytes"] > 4096
    assert known["floor_us"] == pytest.approx(known["token_bytes"] / 20e3)
    assert known["architecture"] == "llama"
