"""Every command, and every bad input: one line that says what, where and what to do; exit code."""

from __future__ import annotations

import json
import os
import re
import resource
import shutil
import struct
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from cli_cases import COMMAND, ROOT, Done, Shell, litter, refused
from kernel_cases import work_item
from review_cases import commit, git, kernel, plan, repository, token

from boltbeam.records import ledger, record, reopening
from boltbeam.records.entries import STOCK, Decision, Scope
from boltbeam.types import Candidate, Geometry, Measured, Outcome, Verdict

Cli = Callable[..., Done]
Make = Callable[..., Path]
CHIP = "cpu-test"


def slow_row() -> ledger.LedgerRow:
    """A row of a route that failed on its chip."""
    from boltbeam import registry

    candidate = Candidate(
        work=work_item("o"), route="gemv_rows_f32", geometry=Geometry.parse("rows=1")
    )
    outcome = Outcome(verdict=Verdict.failed, reason="timeout", number=60.0, detail="no answer")
    return record.kernel_row(
        candidate, registry.route("gemv_rows_f32"), outcome, record.Environment(CHIP)
    )


# ---- light -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "args", [["--help"], ["search", "--help"], ["inspect"], ["ledger", "show"]]
)
def test_light_commands_are_quick_and_never_load_tinygrad(
    args: list[str], shell: Shell, tiny: Make
) -> None:
    code = "import sys, boltbeam.cli; sys.argv = ['boltbeam', *sys.argv[1:]]\n"
    code += "try: boltbeam.cli.main()\n"
    code += (
        "finally: print([m for m in sys.modules if m in ('tinygrad', 'numpy')], file=sys.stderr)"
    )
    more = [str(tiny())] if args == ["inspect"] else []
    done = shell.run(*args, *more, command=(sys.executable, "-c", code))
    assert (done.code, done.err) == (0, "[]\n") and done.out


def test_help_takes_under_half_a_second(shell: Shell) -> None:
    seconds = []
    for _ in range(5):
        begun = resource.getrusage(resource.RUSAGE_CHILDREN)
        assert shell.run("--help").code == 0
        ended = resource.getrusage(resource.RUSAGE_CHILDREN)
        seconds.append(ended.ru_utime + ended.ru_stime - begun.ru_utime - begun.ru_stime)
    assert min(seconds) < 0.5


def test_every_command_has_help(cli: Cli) -> None:
    import typer.main

    from boltbeam.cli import app

    commands = [[n, *m] for n, c in typer.main.get_command(app).commands.items()  # type: ignore[attr-defined]
                for m in ([[k] for k in getattr(c, "commands", {})] or [[]])]  # fmt: skip
    assert ["search"] in commands and ["ledger", "check"] in commands and len(commands) >= 18
    for words in commands:
        done = cli(*words, "--help")
        assert done.code == 0 and "Usage" in done.out and not done.err


def test_no_words_give_help_and_two(cli: Cli) -> None:
    done = cli()
    assert done.code == 2 and "Usage" in done.out


@pytest.mark.parametrize(
    "args",
    [
        ["inspect", "{model}"],
        ["chip", "list"],
        ["chip", "show", "rtx-5090"],
        ["roofline", "{model}", "--chip", "rtx-5090"],
        ["registry", "list"],
        ["registry", "show", "gemv_rows_f32"],
        ["ledger", "show"],
    ],
)
def test_data_in_three_formats(args: list[str], cli: Cli, tiny: Make) -> None:
    words = [a.format(model=tiny()) for a in args]
    assert cli(*words).out.startswith("## ")
    assert json.loads(cli(*words, "--format", "json").out) is not None
    assert all(json.loads(x) for x in cli(*words, "--format", "jsonl").out.splitlines())


def test_the_doctor_says_what_to_do_where_something_is_not_ok(cli: Cli) -> None:
    rows = json.loads(cli("doctor", "--format", "json").out)
    assert [r for r in rows if (r["state"] == "ok") != (r["to do"] == "")] == []
    assert any(r["what"] == "--chip cpu: CPU" for r in rows)


def test_checks_of_the_checkout_pass(cli: Cli) -> None:
    for words in (["registry", "check"], ["ledger", "check"], ["doctor"]):
        done = cli(*words)
        assert done.code == 0, (done.out, done.err)


# ---- usage -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("args", "words"),
    [
        ("serch", "Did you mean 'search'"),
        ("ledger chek", "Did you mean 'check'"),
        ("search", "--model"),
        ("search --model {model} --modle x", "--model"),
        ("search --model {model} --format xml", "'md', 'json', 'jsonl'"),
        ("search --model {model} --effort slow", "quick or full"),
        ("search --model {model} --op dwn --dry-run", "did you mean 'down'"),
        ("search --model {model} --pin down --dry-run", "op=route"),
        ("search --model {model} --pin down=gemv_rows_f33 --dry-run", "'gemv_rows_f32'"),
        ("search --model {model} --pin dwn=gemv_rows_f32 --dry-run", "did you mean 'down'"),
        ("search --model {model} --pin norm=gemv_rows_f32 --dry-run", "not norm"),
        (
            "search --model {model} --chip h200 --numerics q8 --pin down=gemv_lanes_planes_q8 "
            "--dry-run",
            "down/256x512/Q4_1 is left without a route",
        ),
        ("search --model {model} --chip rtx5091 --dry-run", "did you mean 'rtx-5090'"),
        ("search --model {model} --chip cpuu --dry-run", "did you mean 'cpu'"),
        ("search --model {model} --context 0", "--context"),
        ("search --model {model} --budget-seconds -1", "--budget-seconds"),
        ("search --model {model} --seed -1", "--seed"),
        ("search --model {model} --seed 4294967296", "--seed"),
        ("search --model {model} --predict down>=5% --predict o>=5%", "say one"),
        ("report --model {model} --out {model}", "no page"),
        ("ledger export {model} --force", "no database"),
        ("speculate --model {model} --draft-cost 0 --accept 1 --check-cost 1=1,5000=2", "4096"),
        ("roofline {model} --chip rtx-509", "did you mean 'rtx-5090'"),
        ("chip show m44", "did you mean 'm4'"),
        ("registry show gemv_row_f32", "did you mean 'gemv_rows_f32'"),
        ("ledger show 123456", "123456"),
        ("ledger check --ledger nowhere", "nowhere"),
        ("ledger diff HEAD --ledger {folder}", "git"),
        ("ledger export --to {folder}", "not a checkout"),
        ("ledger export", "db.sqlite"),
        ("ledger export {folder}/x.db --to {folder}", "one of the two"),
        ("ledger export {folder}", "is a folder"),
        ("ledger export {folder}/no/x.db", "no folder"),
        ("ledger export {model}", "--force"),
        ("report --model {model} --chip m3 --out {folder}", "is a folder"),
        ("report --model {model} --chip m3 --out {folder}/no/x.html", "no folder"),
        ("report --model {model} --chip m44 --out {folder}/x.html", "did you mean 'm4'"),
        ("report --model {model} --chip m3 --context 99999 --out {folder}/x.html", "context is"),
        ("synth tiny-lama {folder}/x.gguf", "tiny-llama"),
        ("synth tiny-llama {model}", "exists"),
        ("synth tiny-llama {folder}/no/x.gguf", "folder"),
        ("synth tiny-llama {folder}/x.gguf --layers 9", "1 to"),
        ("synth tiny-llama {folder}/x.gguf --store output_norm=Q4_K", "no matrix 'output_norm'"),
        ("synth tiny-llama {folder}/x.gguf --store token_embd", "ROLE=FORMAT"),
        ("run --model {model} --raw {empty}", "prompt is empty"),
        ("run --model {model} hello -n 999999", "exceed"),
        ("run --model {model} hello -n 0", "-n"),
        ("run --model {model} hello --context 3", "--context"),
        ("run --model {model} hello --context 99999", "model's context is 512"),
        ("serve --model {model} --context 99999", "model's context is 512"),
        ("bench --model {model} --context 99999", "model's context is 512"),
        ("bench --model {model} -d -1", "-d"),
        ("explain --model {model} --chip m3 --context 99999", "model's context is 512"),
        ("explain --model {model} --chip m3 --op foo", "there are embed, norm"),
        ("search --model {model} --context 99999 --dry-run", "model's context is 512"),
        ("search --model {model} --numerics q4", "auto, exact or q8"),
        ("search --model {model} --op nope", "there are embed, norm"),
        ("search --model {model} --pin nope=gemv_rows_f32", "no such op"),
        ("search --model {model} --reopen nope", "registry list"),
        ("roofline {model} --chip m3 --context 99999", "model's context is 512"),
        ("run --model {model} hi --temperature nan", "--temperature nan: it is a number from 0 to"),
        ("run --model {model} hi --temperature inf", "--temperature inf: it is a number from 0 to"),
        ("run --model {model} hi --temperature=-1", "--temperature -1: it is a number from 0 to"),
        ("run --model {model} hi --temperature 101", "--temperature 101: it is a number from 0 to"),
        ("roofline {model} --chip m3 --gbps nan", "more than 0"),
        ("roofline {model} --chip m3 --gbps inf", "more than 0"),
        ("roofline {model} --chip m3 --gbps 0", "more than 0"),
        ("roofline {model} --chip m3 --gbps=-1", "more than 0"),
        ("roofline {model} --chip rx-7900-xtx", "--ledger"),
        ("registry show nope", "registry list"),
        ("ledger diff nosuch", "no revision 'nosuch'"),
        ("ledger diff HEAD --ledger {folder}", "--ledger"),
        ("refute 123456 --reason slow --reopen-if never", "boltbeam: refute: no id starts"),
        ("show 123456", "boltbeam: show: no id starts"),
        ("promote", "boltbeam search"),
        ("rollback --reason slow", "no plan in force is on cpu-"),
    ],
)
def test_a_mistake_is_one_line_and_exit_two(
    args: str, words: str, cli: Cli, tiny: Make, tmp_path: Path
) -> None:
    here = {"model": tiny(), "folder": tmp_path, "empty": ""}
    refused(cli(*(a.format(**here) for a in args.split())), 2, words)
    assert not litter(tmp_path) and not list(tmp_path.glob("*.gguf"))


@pytest.mark.parametrize(
    "command",
    [
        "search --model {model}",
        "promote",
        "run --model {model} hello",
        "bench --model {model}",
        "census --model {model}",
        "refute 123456 --reason slow --reopen-if never",
        "rollback --reason slow",
        "chip probe",
        "registry list",
        "registry show gemv_rows_f32",
        "ledger show",
        "ledger check",
        "ledger diff HEAD",
        "ledger export --to {folder}",
        "ledger query",
    ],
)
def test_a_ledger_is_a_folder(command: str, cli: Cli, tiny: Make, tmp_path: Path) -> None:
    words = command.format(model=tiny(), folder=tmp_path).split()
    refused(cli(*words, "--ledger", tiny()), 2, "--ledger", "not a folder")
    refused(cli(*words, "--ledger", ""), 2, "--ledger", "names no folder")
    if words[0] in ("run", "bench", "census", "registry", "ledger"):  # the others write there
        refused(cli(*words, "--ledger", tmp_path / "no"), 2, "--ledger", "no such folder")


@pytest.mark.parametrize("chip", ["metal", "amd", "rtx-5090"])
@pytest.mark.parametrize("command", ["search --model {model}", "promote", "chip probe"])
def test_a_chip_that_is_not_here_is_exit_three(
    command: str, chip: str, cli: Cli, tiny: Make
) -> None:
    refused(cli(*command.format(model=tiny()).split(), "--chip", chip), 3, chip)


# ---- model files -------------------------------------------------------------------------------


def bad_models(folder: Path, good: bytes) -> dict[str, tuple[Path, str]]:
    """Name -> (file, word that its error must have)."""
    tensors = struct.unpack_from("<Q", good, 8)[0]
    made = {
        "text": (b"hello" * 100, "not a GGUF"),
        "empty": (b"", "not a GGUF"),
        "header cut": (good[:500], "past the end"),
        "data cut": (good[:-64], "past the end"),
        "counts": (good[:8] + struct.pack("<Q", 1 << 60) + good[16:], "absurd"),
        "one tensor too many": (good[:8] + struct.pack("<Q", tensors + 1) + good[16:], ""),
    }
    out = {}
    for name, (data, word) in made.items():
        path = folder / f"bad {name}.gguf"
        path.write_bytes(data)
        out[name] = (path, word)
    out["missing"] = (folder / "none.gguf", "No such file")
    out["folder"] = (folder, "is a directory")
    return out


COMMANDS = [
    "inspect {}",
    "roofline {} --chip rtx-5090",
    "report --model {} --chip rtx-5090 --out out.html",
    "search --model {}",
    "run --model {} hello",
    "serve --model {} --port 0",
    "bench --model {}",
    "census --model {}",
]


@pytest.mark.parametrize("command", COMMANDS)
def test_a_bad_model_file(command: str, cli: Cli, tiny: Make, tmp_path: Path) -> None:
    for path, word in bad_models(tmp_path, tiny().read_bytes()).values():
        args = [a.format(path) for a in command.split()]
        refused(cli(*args), 2, str(path), word)


@pytest.mark.parametrize("command", COMMANDS[2:])
def test_an_unknown_architecture_fails_closed(command: str, cli: Cli, outline: Make) -> None:
    path = outline("tiny-llama", metadata={"general.architecture": "lama5"})
    refused(cli(*(a.format(path) for a in command.split())), 2, "lama5")


@pytest.mark.parametrize("command", COMMANDS)
def test_an_unknown_format_fails_closed(command: str, cli: Cli, tiny: Make, tmp_path: Path) -> None:
    data = bytearray(tiny().read_bytes())
    at = data.index(b"blk.0.ffn_down.weight") + len("blk.0.ffn_down.weight") + 4 + 2 * 8
    data[at : at + 4] = struct.pack("<I", 99)
    path = tmp_path / "format.gguf"
    path.write_bytes(data)
    refused(cli(*(a.format(path) for a in command.split())), 2, "99", "blk.0.ffn_down.weight")


@pytest.mark.parametrize("layers", [3, (1 << 31) - 1])
def test_layers_without_tensors(layers: int, cli: Cli, outline: Make) -> None:
    path = outline("tiny-llama", metadata={"llama.block_count": layers})
    said = "tensor blk.2.attn_norm is missing"
    for command in ("roofline {} --chip m3", "explain --model {} --chip m3", *COMMANDS[2:]):
        refused(cli(*(a.format(path) for a in command.split())), 2, said)
    done = cli("inspect", path)
    assert done.code == 0 and said in done.out and f"2 layers of the {layers}" in done.out


# ---- ledger and registry -----------------------------------------------------------------------


def test_a_key_at_the_wrong_place_is_not_its_own_correction(shell: Shell) -> None:
    copy = shell.folder / "copy"
    for name in ("boltbeam", "registry"):
        shutil.copytree(ROOT / name, copy / name, ignore=shutil.ignore_patterns("__pycache__"))
    file = copy / "registry/families/gemv.toml"
    file.write_text(file.read_text().replace("[[route]]", '[[route]]\nname = "x"', 1))
    done = shell.run("registry", "list", PYTHONPATH=str(copy))
    refused(done, 2, "gemv.toml:", "name", "unknown key")
    assert "did you mean 'name'" not in done.err


def test_a_probe_of_the_ledger_takes_the_place_of_the_chips_file(cli: Cli, shell: Shell) -> None:
    rate = Measured(value=77.5, unit="GB/s", how="planted", date="2026-01-01", source="test")
    row = record.probe_row({"read_gbps": rate}, record.Environment("metal-m3-10core"))
    ledger.write_file(shell.ledger, [row])
    for words in (["chip", "show", "m3"], ["chip", "list"]):
        assert "77.5" in cli(*words, "--ledger", shell.ledger).out
        assert "77.5" not in cli(*words).out
    assert "| m3 " in cli("chip", "list").out


def test_roofline_takes_the_probe_of_a_named_ledger_or_the_rate_given(
    cli: Cli, shell: Shell, tiny: Make
) -> None:
    rate = Measured(value=77.5, unit="GB/s", how="planted", date="2026-01-01", source="test")
    row = record.probe_row({"read_gbps": rate}, record.Environment("amd-gfx1100-96cu"))
    ledger.write_file(shell.ledger, [row])
    words = ["roofline", tiny(), "--chip", "rx-7900-xtx"]
    assert "77.5 GB/s measured" in cli(*words, "--ledger", shell.ledger).out
    given = cli(*words, "--gbps", "800", "--context", "64").out
    assert "800.0 GB/s given" in given and " tok/s at 64 of 64 positions; M* " in given


def test_an_edited_ledger_line_is_named(cli: Cli, shell: Shell, tiny: Make) -> None:
    path = ledger.write_file(shell.ledger, [slow_row()])
    text = path.read_text()
    path.write_text(text.replace("60.0", "6.0"))
    where = f"{CHIP}/{path.name}:1"
    done = cli("ledger", "check", "--ledger", shell.ledger)
    assert done.code == 1 and where in done.out and "edited" in done.out
    refused(done, 1, "problem")
    for words in (["ledger", "show"], ["registry", "list", "--chip", "rtx-5090"],
                  ["search", "--model", tiny(), "--dry-run"]):  # fmt: skip
        refused(cli(*words, "--ledger", shell.ledger), 2, where, "never edited")
    path.write_text(text[:-20])
    refused(cli("ledger", "show", "--ledger", shell.ledger), 2, where, "cut off")


def test_a_diff_shows_flags_and_ends_with_one_where_they_block(cli: Cli, tmp_path: Path) -> None:
    repo = repository(tmp_path / "repo")
    old = next(ledger.files(repo.ledger))
    words = ("ledger", "diff", "main", "--ledger", repo.ledger)
    assert "No ledger line is new." in cli(*words).out
    repo.add(kernel(0.5, load=3.0))
    done = cli(*words)
    assert done.code == 0 and "| look" in done.out and not done.err
    assert "1 new line in 1 file; **0 red flags block**, 1 more to look at" in done.out
    commit(repo.root, "a row")
    old.unlink()
    refused(done := cli(*words), 1, "1 red flag blocks")
    assert "**1 red flag blocks**, " in done.out
    assert cli("ledger", "diff", "main", "HEAD", "--ledger", repo.ledger).code == 0
    data = json.loads(cli(*words, "--format", "json").out)
    assert "touched" in {f["code"] for f in data["flags"]}


def test_refute_needs_rows_and_writes_one_line(cli: Cli, shell: Shell) -> None:
    row = slow_row()
    ledger.write_file(shell.ledger, [row])
    why = ["--reason", "hangs", "--reopen-if", "a new compiler", "--ledger", shell.ledger]
    assert cli("refute", row.id[:8], *why).code == 0
    lines = [x for p in ledger.files(shell.ledger) for x in p.read_text().splitlines()]
    assert len(lines) == 2
    (decision,) = [d for d in map(ledger.load, lines) if isinstance(d, Decision)]
    assert (decision.kind, decision.reopen_if, decision.number) == ("refute", "a new compiler", 60)
    shown = cli("registry", "show", "gemv_rows_f32", "--ledger", shell.ledger).out
    assert "reopen if a new compiler" in " ".join(shown.split())
    refused(cli("refute", decision.id, *why), 2, "is a decision")
    refused(cli("refute", row.id, *why), 2, "refuted there already", decision.id)
    assert cli("ledger", "check", "--ledger", shell.ledger).code == 0


def test_a_row_that_says_faster_refutes_only_with_a_number(cli: Cli, shell: Shell) -> None:
    row = kernel(0.5)
    ledger.write_file(shell.ledger, [row])
    why = ["--reason", "coarse", "--reopen-if", "better scales", "--ledger", shell.ledger]
    refused(cli("refute", row.id, *why), 2, "says faster", "--number")
    assert len(list(ledger.files(shell.ledger))) == 1
    done = cli("refute", row.id, *why, "--number", "1.5")
    lines = done.err.splitlines()
    assert done.code == 0 and "'better scales' names no tinygrad" in lines[0]
    assert lines[-1].startswith("wrote") and "coarse (1.5)" in done.err


def test_the_help_of_refute_lists_what_reopens_by_itself(cli: Cli) -> None:
    said = set(re.findall(r"[a-z]+", cli("refute", "--help").out))
    assert said >= {word for words in reopening.WORDS.values() for word in words}


def test_a_rolled_back_plan_cannot_be_rolled_back_again(cli: Cli, shell: Shell) -> None:
    scope = Scope(chip=CHIP, plan_key="abc", tinygrad="0")
    ledger.write_file(shell.ledger, [ledger.sealed(Decision(
        schema_version=1, kind="rollback", date="2026-01-01T00:00:00Z", scope=scope,
        replaces="0123456789ab", restores=STOCK, reason="planted"))])  # fmt: skip
    words = ("rollback", "ab", "--reason", "slow", "--ledger", shell.ledger)
    refused(cli(*words), 2, "no plan in force begins with 'ab'; in force: ")
    assert len(list(ledger.files(shell.ledger))) == 1


def test_a_rollback_says_which_plans_are_in_force(cli: Cli, shell: Shell) -> None:
    whole = token()
    made = plan([row := kernel()], whole)
    ledger.write_file(shell.ledger, [row, whole, made])
    why = ("--reason", "slow", "--ledger", shell.ledger)
    said = f"in force: {made.id} on {made.scope.chip}"
    refused(cli("rollback", "deadbeef", *why), 2, f"begins with 'deadbeef'; {said}")
    refused(cli("rollback", *why), 2, "no plan in force is on cpu-", said)
    assert len(list(ledger.files(shell.ledger))) == 1
    assert cli("rollback", made.id[:6], *why).code == 0


def test_a_misspelt_registry_key_has_file_line_and_key(shell: Shell) -> None:
    copy = shell.folder / "copy"
    skip = shutil.ignore_patterns("__pycache__")
    for name in ("boltbeam", "registry"):
        shutil.copytree(ROOT / name, copy / name, ignore=skip)
    file = copy / "registry/families/gemv.toml"
    lines = file.read_text().splitlines()
    at = next(i for i, x in enumerate(lines) if x.startswith("numerics"))
    lines[at] = lines[at].replace("numerics", "numercis")
    file.write_text("\n".join(lines) + "\n")
    for words in (["registry", "list"], ["registry", "check"]):
        done = shell.run(*words, PYTHONPATH=str(copy))
        refused(done, 2, f"gemv.toml:{at + 1}", "numercis", "did you mean 'numerics'")


# ---- a prompt, and where text goes -------------------------------------------------------------


def ended(shell: Shell, *args: str | Path, **how: Any) -> Done:
    """A command with its standard files as `how` says."""
    done = subprocess.run(
        [*COMMAND, *map(str, args)], stderr=subprocess.PIPE, env=shell.env(), cwd=shell.folder,
        timeout=300, **how,
    )  # fmt: skip
    return Done(done.returncode, "", done.stderr.decode())


def test_a_prompt_that_is_not_text(shell: Shell, tiny: Make) -> None:
    words = ("run", "--model", tiny())
    refused(ended(shell, *words, "-", input=b"\xff\xfe"), 2, "not UTF-8")
    refused(ended(shell, *words, os.fsdecode(b"\xff\xfe")), 2, "not UTF-8")
    refused(ended(shell, *words, "-", preexec_fn=lambda: os.close(0)), 2, "input is closed")


@pytest.mark.parametrize("command", ["inspect {}", "chip list", "run --model {} hello", "--help"])
def test_a_closed_stdout(command: str, shell: Shell, tiny: Make) -> None:
    words = command.format(tiny()).split()
    refused(ended(shell, *words, preexec_fn=lambda: os.close(1)), 2, "output is closed")


@pytest.mark.parametrize(
    "command",
    ["registry list", "ledger check --ledger {0}", "ledger diff HEAD --ledger {0}",
     "ledger query SELECT --format jsonl", "--help", "inspect {1}"],
)  # fmt: skip
def test_output_that_nobody_reads_any_more_ends_quietly(
    command: str, shell: Shell, tiny: Make
) -> None:
    """Also where a gate says no: the ledger here has a line that is none."""
    (shell.ledger / CHIP).mkdir(parents=True)
    git(shell.folder, "init", "-q")
    git(shell.folder, "commit", "-qm", "nothing", "--allow-empty")
    (shell.ledger / CHIP / "x.jsonl").write_text("{}\n")
    words = command.format(shell.ledger, tiny()).split()
    select = "select * from rows, reasons limit 5000"  # more than a pipe holds
    reader, writer = os.pipe()
    os.close(reader)
    done = ended(shell, *(select if w == "SELECT" else w for w in words), stdout=writer)
    os.close(writer)
    assert done.code == 141 and "Traceback" not in done.err and done.err.count("\n") <= 1


NO_LETTERS = {
    "PYTHONIOENCODING": "ascii", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0", "LC_ALL": "C",
}  # fmt: skip


@pytest.mark.parametrize("names", [["PYTHONIOENCODING"], list(NO_LETTERS)[1:]])
@pytest.mark.parametrize(
    "command", ["chip show m4", "search --model {} --dry-run", "--help", "chip show µ"]
)
def test_what_the_terminal_has_no_letter_for(
    command: str, names: list[str], shell: Shell, tiny: Make
) -> None:
    """A question mark, and the rest of the table."""
    words = command.format(tiny()).split()
    whole, done = shell.run(*words), shell.run(*words, **{n: NO_LETTERS[n] for n in names})
    assert (done.code, "Traceback" in done.err) == (whole.code, False), done.err
    assert done.out.isascii() and done.err.isascii()
    assert len(done.out.splitlines()) == len(whole.out.splitlines()), done.out
    if "help" not in command:  # whose frame is drawn in other letters
        assert done.out == whole.out.encode("ascii", "replace").decode()


def test_letters_that_the_terminal_has_are_kept(shell: Shell) -> None:
    for encoding in ("utf-8", "utf8:strict"):
        assert "–" in shell.run("chip", "show", "m4", PYTHONIOENCODING=encoding).out


def test_the_version(cli: Cli) -> None:
    from boltbeam import __version__

    assert cli("--version") == Done(0, f"boltbeam {__version__}\n", "")


def test_long_cells_stand_whole_below_the_table(cli: Cli, tiny: Make) -> None:
    words = ("search", "--model", tiny(), "--dry-run", "--op", "down")
    done = cli(*words)
    (table, full) = done.out.split("\nRows in full")
    keys = [r["work"] for r in json.loads(cli(*words, "--format", "json").out)]
    longest = max(keys, key=len)
    assert max(map(len, table.splitlines())) < 200 and longest not in table
    assert longest in full and "…" not in longest


# ---- the machine -------------------------------------------------------------------------------

DEVICE = [
    "search --model {model}",
    "promote",
    "run --model {model} hello",
    "serve --model {model} --port 0",
    "bench --model {model}",
]


@pytest.mark.parametrize("command", DEVICE)
def test_no_compiler(command: str, shell: Shell, tiny: Make) -> None:
    (shell.folder / "without/ziglang").mkdir(parents=True)
    (shell.folder / "without/ziglang/__init__.py").touch()
    here = {"PYTHONPATH": f"{shell.folder}/without:{ROOT}", "PATH": "/nowhere", "CC": None}
    args = command.format(model=tiny()).split()
    refused(shell.run(*args, **here), 2, "compiler", "pip install")
    refused(shell.run(*args, **{**here, "CC": "gcc-99"}), 2, "gcc-99", "unset CC")


@pytest.mark.parametrize("command", ["search --model {model}", "run --model {model} hello"])
def test_a_compiler_that_fails(command: str, shell: Shell, tiny: Make) -> None:
    done = shell.run(*command.format(model=tiny()).split(), CC="/bin/false")
    refused(done, 2, "CC=/bin/false", "unset it", said_before=True)


@pytest.mark.parametrize("command", [c for c in DEVICE if not c.startswith(("run", "serve"))])
def test_a_data_folder_that_cannot_be_written(command: str, shell: Shell, tiny: Make) -> None:
    args = command.format(model=tiny()).split()
    done = shell.run(*args, XDG_DATA_HOME="/dev/null/x")
    refused(done, 2, "/dev/null/x", "writable")


def test_run_needs_no_data_folder(shell: Shell, tiny: Make) -> None:
    before = set(Path(tempfile.gettempdir()).glob("boltbeam-*"))
    words = ["run", "--model", tiny(), "hello", "-n", "3", "--format", "json"]
    done = shell.run(*words, "--stock", XDG_DATA_HOME="/dev/null/x")
    assert done.code == 0 and len(json.loads(done.out)["generated_ids"]) == 3
    said, *more = done.err.splitlines()
    assert "/dev/null/x/boltbeam: Not a directory: nothing of this run is kept there" in said
    assert more == ["boltbeam: stock runs: plan: --stock"]
    assert set(Path(tempfile.gettempdir()).glob("boltbeam-*")) <= before


@pytest.fixture
def read_only(shell: Shell) -> Iterator[Path]:
    """A file system of its own for the data folder, to be made read-only; or a skip."""
    place = shell.folder / "data"
    place.mkdir()
    try:
        subprocess.run(["mount", "-t", "tmpfs", "tmpfs", place], check=True, capture_output=True)
    except (OSError, subprocess.CalledProcessError) as e:
        pytest.skip(f"a read-only file system needs root and mount: {e}")
    yield place
    subprocess.run(["umount", place], check=True)


def test_run_reads_the_ledger_of_a_data_folder_that_it_cannot_write(
    shell: Shell, tiny: Make, read_only: Path
) -> None:
    place = shell.data / "ledgers" / CHIP
    place.mkdir(parents=True)
    (place / "2026-01-01-aaaaaaaa.jsonl").write_text("{}\n")
    subprocess.run(["mount", "-o", "remount,ro", read_only], check=True)
    done = shell.run("run", "--model", tiny(), "hello", "-n", "2")
    refused(done, 2, f"user/{CHIP}/2026-01-01-aaaaaaaa.jsonl:1", said_before=True)
    assert f"{shell.data}: Read-only file system: nothing of this run is kept there" in done.err


def test_run_names_ledger_files_without_lines_and_stock_reads_none(
    shell: Shell, tiny: Make
) -> None:
    """A broken line of it stops a plan, and stock needs none; a file without lines is named."""
    place = shell.data / "ledgers" / CHIP
    place.mkdir(parents=True)
    for name in ("2026-01-01-aaaaaaaa.jsonl", "2026-01-01-bbbbbbbb.jsonl"):
        (place / name).touch()
    (place / "2026-01-01-cccccccc.jsonl").mkdir()
    broken = place / "2026-01-01-dddddddd.jsonl"
    broken.write_text("{}\n")
    words = ["run", "--model", tiny(), "hello", "-n", "2"]
    done = shell.run(*words)
    refused(done, 2, f"user/{CHIP}/{broken.name}:1", said_before=True)
    named = f"ledger file user/{CHIP}/2026-01-01-aaaaaaaa.jsonl and 2 more: nothing in it"
    assert named in done.err
    done = shell.run(*words, BOLTBEAM="0")  # --stock goes the same way
    assert done.code == 0 and "tokens, too few" in done.err, done.err
    assert "ledger file" not in done.err
    broken.unlink()
    done = shell.run(*words)
    assert done.code == 0 and named in done.err and "stock runs: plan: none promoted" in done.err


def test_a_cache_folder_that_cannot_be_written(shell: Shell, tiny: Make) -> None:
    here = {"XDG_CACHE_HOME": "/dev/null/x", "PATH": "/usr/bin:/bin", "CC": None}
    if not shutil.which("clang", path=here["PATH"]):
        done = shell.run("run", "--model", tiny(), "hello", **here)
        refused(done, 2, "/dev/null/x", "writable")
    for changes in (here, {"XDG_DATA_HOME": "/dev/null/x"}):
        doctor = shell.run("doctor", **changes)
        assert "Traceback" not in doctor.err and "/dev/null/x" in doctor.out


def test_a_ledger_folder_that_cannot_be_written(cli: Cli, shell: Shell) -> None:
    row = slow_row()
    ledger.write_file(shell.ledger, [row])
    file = shell.folder / "file"
    file.touch()
    (shell.data).mkdir(parents=True)
    shutil.copytree(shell.ledger, shell.data / "ledgers")
    why = ["--reason", "hangs", "--reopen-if", "never"]
    done = cli("refute", row.id, *why, "--ledger", file / "x")
    refused(done, 2, str(file), "--ledger DIR", said_before=True)


def no_room() -> None:
    """No file may grow beyond 16 kB: what a full disk looks like."""
    resource.setrlimit(resource.RLIMIT_FSIZE, (1 << 14, 1 << 14))


def test_a_full_disk(shell: Shell, tiny: Make) -> None:
    out = shell.folder / "out.gguf"
    refused(shell.run("synth", "tiny-llama", out, before=no_room), 2, str(out), "room")
    assert not out.exists()
    done = shell.run("search", "--model", tiny(), before=no_room)
    refused(done, 2, "free space", said_before=True)
    done = shell.run("run", "--model", tiny(), "hello", before=no_room)
    refused(done, 2, "free space", said_before=True)
    assert not litter(shell.folder)


def test_a_full_disk_behind_stdout(shell: Shell, tiny: Make) -> None:
    with open("/dev/full", "w") as full:
        done = subprocess.run(
            [*COMMAND, "inspect", str(tiny())], stdout=full, stderr=subprocess.PIPE, text=True,
            env=shell.env(), cwd=shell.folder,
        )  # fmt: skip
    refused(Done(done.returncode, "", done.stderr), 2, "space")


@pytest.mark.parametrize("command", ["inspect none.gguf", "inspect", "search --modle x"])
def test_a_full_disk_behind_stderr(command: str, shell: Shell) -> None:
    with open("/dev/full", "w") as full:
        done = subprocess.run(
            [*COMMAND, *command.split()], stdout=subprocess.DEVNULL, stderr=full, env=shell.env(),
            cwd=shell.folder,
        )  # fmt: skip
    assert done.returncode == 2


@pytest.mark.parametrize("command", ["ledger show", "chip list", "search --model {} --dry-run"])
def test_a_working_folder_that_is_gone(command: str, shell: Shell, tiny: Make) -> None:
    words = command.format(tiny()).split()
    (shell.folder / "gone").mkdir()

    def leave() -> None:
        os.chdir("gone")
        os.rmdir(os.getcwd())

    refused(shell.run(*words, before=leave), 2, "folder that you stand in is gone")


def test_a_broken_run_store_is_moved_aside(shell: Shell, tiny: Make) -> None:
    shell.data.mkdir(parents=True)
    (shell.data / "runs.db").write_bytes(b"not a database" * 100)
    done = shell.run("promote")
    refused(done, 2, "boltbeam search", said_before=True)
    assert "moved to runs.db.corrupt" in done.err


def test_time_is_short_for_a_mistake(shell: Shell) -> None:
    """Nothing heavy is loaded to say that a file is not there."""
    begun = time.process_time(), resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
    refused(shell.run("search", "--model", "none.gguf"), 2, "none.gguf")
    assert resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - begun[1] < 1.5


@pytest.mark.parametrize("name", ["BEAM", "DEBUG", "NOOPT"])
def test_a_setting_of_tinygrads_that_is_no_number(
    cli: Cli, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(name, "x")
    refused(cli("doctor"), 2, f"{name}=x", "unset it")
    monkeypatch.setenv(name, "")
    assert cli("chip", "list").code == 0
