"""The command line: parses, loads, calls one function, prints.

Takes argv, gives an exit code: 0 ok, 1 gate failed, 2 bad usage or input, 3 no such device, 130
interrupted (Ctrl-C or SIGTERM).
Heavy modules are imported inside the commands, so that `--help` starts fast.
"""

from __future__ import annotations

import os
import signal
import sys
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

app = typer.Typer(
    name="boltbeam",
    help="Make a GGUF model decode fast on this chip: search, prove, promote, run.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    add_completion=False,
)
chip_app = typer.Typer(help="Facts of chips: known ones and this one.", no_args_is_help=True)
registry_app = typer.Typer(
    help="What is possible: families, routes, formats.", no_args_is_help=True
)
ledger_app = typer.Typer(help="What happened: rows and decisions.", no_args_is_help=True)
app.add_typer(chip_app, name="chip")
app.add_typer(registry_app, name="registry")
app.add_typer(ledger_app, name="ledger")


class Fmt(StrEnum):
    md = "md"
    json = "json"
    jsonl = "jsonl"


Format = Annotated[Fmt, typer.Option("--format", help="How data is printed on stdout.")]
Model = Annotated[Path, typer.Option("--model", "-m", help="A GGUF file.")]
LedgerDir = Annotated[
    Path | None,
    typer.Option("--ledger", help="Read and write this ledger folder above all others."),
]
Context = Annotated[int, typer.Option("--context", help="Positions the KV cache holds.", min=1)]


Seed = Annotated[int, typer.Option("--seed", help="Seed of sample data and races.")]
Chip = Annotated[
    str,
    typer.Option(
        "--chip", help="The chip here: cpu, cl, nv, metal, amd. Without a device: any known id."
    ),
]


def print_version(wanted: bool) -> None:
    """Print boltbeam's version and the tinygrad it is made for, and end."""
    if wanted:
        from boltbeam import __version__

        print(f"boltbeam {__version__}")
        raise typer.Exit


@app.callback()
def options(
    version: Annotated[
        bool,
        typer.Option("--version", is_eager=True, callback=print_version, help="Say it and end."),
    ] = False,
) -> None:
    """Make a GGUF model decode fast on this chip: search, prove, promote, run."""


@app.command()
def inspect(
    model: Annotated[Path, typer.Argument(help="A GGUF file (any piece of a split one).")],
    fmt: Format = Fmt.md,
) -> None:
    """Parts of a model by role, shape and format; bytes per token; what is not covered."""
    from boltbeam import gguf_model, inspect_model, report

    seen = inspect_model.inspection(gguf_model.read(model))
    if fmt is Fmt.json:
        return report.record(seen.model_dump(mode="json"), fmt)
    named = "" if seen.layers_present >= seen.layers else f" of the {seen.layers} it names"
    notes = [
        f"{seen.architecture}, {seen.layers_present} layers{named}, {seen.parts} tensors, "
        f"{seen.bytes:,} bytes",
        f"one token reads {seen.bytes_per_token:,} matrix bytes",
        *([f"not complete: {seen.incomplete}"] if seen.incomplete else []),
        *(f"not covered: {u.name}: {u.reason}" for u in seen.uncovered_groups),
    ]
    return report.table([r.model_dump() for r in seen.rows], fmt, seen.name or model.name, notes)


@app.command()
def synth(
    name: Annotated[str, typer.Argument(help="A known model: qwen3-8b, smollm2-135m, …")],
    out: Annotated[Path, typer.Argument(help="The GGUF to write.")],
    seed: Seed = 0,
    layers: Annotated[int | None, typer.Option(help="Fewer layers than the real one.")] = None,
    force: Annotated[bool, typer.Option("--force", help="Overwrite an existing file.")] = False,
) -> None:
    """Write a GGUF with a known model's exact shapes and formats, and random blocks."""
    from boltbeam import report
    from boltbeam.synth import synth as write

    write(name, out, seed=seed, layers=layers, overwrite=force)
    report.say(f"wrote {out} ({out.stat().st_size:,} bytes)")


@app.command()
def roofline(
    model: Annotated[Path, typer.Argument(help="A GGUF file.")],
    chip: Chip = "cpu",
    context: Context = 512,
    gbps: Annotated[
        float | None,
        typer.Option(help="A read rate of your own, GB/s, in place of the chip's."),
    ] = None,
    ledger: LedgerDir = None,
    fmt: Format = Fmt.md,
) -> None:
    """Floor per work item and the limit in tokens per second, for any known chip."""
    from boltbeam import lookups

    lookups.roofline(model, chip, context, gbps, ledger, fmt)


@app.command()
def search(
    model: Model,
    chip: Chip = "cpu",
    context: Context = 512,
    op: Annotated[list[str] | None, typer.Option(help="Only work items with this op.")] = None,
    fused: Annotated[
        bool, typer.Option("--fused/--no-fused", help="Also spans of several ops in one launch.")
    ] = True,
    effort: Annotated[str, typer.Option(help="quick or full.")] = "quick",
    budget_seconds: Annotated[
        float | None,
        typer.Option(
            help="Seconds to aim at; one way to do every step is proved and compared all the same.",
            min=0,
        ),
    ] = None,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="All filter verdicts, no device.")
    ] = False,
    resume: Annotated[
        bool,
        typer.Option("--resume", help="Take over what an earlier run of this search measured."),
    ] = False,
    seed: Seed = 0,
    pin: Annotated[list[str] | None, typer.Option(help="op=route: that route must do it.")] = None,
    reopen: Annotated[
        list[str] | None, typer.Option(help="Search this route although the ledger refutes it.")
    ] = None,
    numerics: Annotated[
        str,
        typer.Option(help="exact; q8: int8 activations too; auto: q8 where the chip has dot4."),
    ] = "auto",
    record: Annotated[
        bool, typer.Option("--record", help="Write rows even where nothing is new.")
    ] = False,
    jobs: Annotated[int | None, typer.Option(help="Worker processes.", min=1)] = None,
    audit: Annotated[
        str,
        typer.Option(
            metavar="N|all", help="Time so many of the pruned too, per work item: were they slower?"
        ),
    ] = "0",
    ledger: LedgerDir = None,
    fmt: Format = Fmt.md,
) -> None:
    """Search kernels for a model on this chip; one new ledger file, one plan."""
    from boltbeam import commands
    from boltbeam.search_session import Options

    options = Options(
        model=model,
        chip=chip,
        context=context,
        ops=tuple(op or ()),
        fused=fused,
        effort=effort,
        budget_s=budget_seconds,
        resume=resume,
        seed=seed,
        pins=commands.pairs(pin or [], "--pin"),
        numerics=numerics,
        record=record,
        jobs=jobs,
        audit=commands.sample_size(audit),
        reopen=tuple(reopen or ()),
        command=["boltbeam", *sys.argv[1:]],
    )
    commands.search(options, ledger, dry_run, fmt)


@app.command()
def promote(
    yes: Annotated[bool, typer.Option("--yes", help="Do not ask.")] = False,
    chip: Chip = "cpu",
    reason: Annotated[str, typer.Option(help="Why, for the ledger.")] = "passed all gates",
    schedules: Annotated[
        bool, typer.Option("--schedules", help="The table for tinygrad's own kernels.")
    ] = False,
    synthetic: Annotated[
        bool,
        typer.Option(
            "--synthetic",
            help="Even a model of random weights: for tests of the machinery; the decision says "
            "so.",
        ),
    ] = False,
    ledger: LedgerDir = None,
    fmt: Format = Fmt.md,
) -> None:
    """Take the last search's plan through its gates and put it into use: one ledger line."""
    from boltbeam import commands

    commands.promote(chip, yes, reason, ledger, fmt, schedules, synthetic)


@app.command()
def refute(
    rows: Annotated[list[str], typer.Argument(help="Ids (or prefixes) of the rows that decided.")],
    reason: Annotated[str, typer.Option(help="What was seen.")],
    reopen_if: Annotated[
        str,
        typer.Option(
            help="What would change the verdict. A change of what these words name reopens by "
            "itself: tinygrad; driver, drivers, runtime; compiler, compilers, clang, gcc, nvrtc, "
            "ptxas; memory, power."
        ),
    ],
    number: Annotated[
        float | None, typer.Option(help="The number that decided (default: the last row's).")
    ] = None,
    ledger: LedgerDir = None,
) -> None:
    """Close a route on a chip, with its number and the condition that reopens it."""
    from boltbeam import commands

    commands.refute(rows, reason, reopen_if, number, ledger)


@app.command()
def rollback(
    reason: Annotated[str, typer.Option(help="Why.")],
    plan: Annotated[str | None, typer.Argument(help="Id of the plan (default: in force).")] = None,
    chip: Chip = "cpu",
    ledger: LedgerDir = None,
) -> None:
    """Take a promoted plan back: to the one before it, or to stock."""
    from boltbeam import commands

    commands.rollback(plan, chip, reason, ledger)


@app.command()
def run(
    model: Model,
    prompt: Annotated[str, typer.Argument(help="The text, or - for standard input.")],
    n: Annotated[int, typer.Option("-n", help="Tokens at most.", min=1)] = 128,
    chip: Chip = "cpu",
    raw: Annotated[bool, typer.Option("--raw", help="No chat template.")] = False,
    ignore_eos: Annotated[
        bool, typer.Option("--ignore-eos", help="Do not stop at the end.")
    ] = False,
    stock: Annotated[bool, typer.Option("--stock", help="Without the promoted plan.")] = False,
    context: Annotated[int | None, typer.Option(help="Positions of the KV cache.", min=1)] = None,
    ledger: LedgerDir = None,
    fmt: Format = Fmt.md,
) -> None:
    """Stream text through tinygrad's runner with the promoted plan."""
    from boltbeam import running

    running.run(model, prompt, n, chip, raw, ignore_eos, stock, context, ledger, fmt)


@app.command()
def serve(
    model: Model,
    chip: Chip = "cpu",
    port: Annotated[
        int, typer.Option("--port", help="0: any that is free.", min=0, max=65535)
    ] = 8000,
    host: Annotated[str, typer.Option("--host", help="Address to listen on.")] = "127.0.0.1",
    context: Annotated[
        int | None,
        typer.Option(help="Positions of the KV cache (default: the largest promoted).", min=2),
    ] = None,
    stock: Annotated[bool, typer.Option("--stock", help="Without the promoted plan.")] = False,
    ledger: LedgerDir = None,
) -> None:
    """tinygrad's OpenAI-compatible server with the promoted plan."""
    from boltbeam import serving

    serving.serve(model, chip, host, port, context, stock, ledger)


@app.command()
def bench(
    model: Model,
    chip: Chip = "cpu",
    n_gen: Annotated[int, typer.Option("-n", help="Tokens per sample.", min=1)] = 32,
    depth: Annotated[
        list[int] | None, typer.Option("-d", help="Positions already filled.", min=0)
    ] = None,
    rounds: Annotated[int, typer.Option("-r", help="Rounds of turns A B B A.", min=1)] = 3,
    context: Context = 512,
    jitbeam: Annotated[
        bool, typer.Option("--jitbeam/--no-jitbeam", help="Also tinygrad with JITBEAM=2.")
    ] = False,
    realized: Annotated[
        bool,
        typer.Option(
            "--realized/--no-realized", help="Also stock with unpacked weights (REALIZE=1)."
        ),
    ] = False,
    n_prompt: Annotated[
        int, typer.Option("-p", help="Prompt tokens before the first token is timed.", min=1)
    ] = 32,
    peer_llama_bench: Annotated[
        Path | None, typer.Option(help="A llama-bench binary to run in the same turns.")
    ] = None,
    threads: Annotated[int | None, typer.Option("-t", help="Threads of llama.cpp.", min=1)] = None,
    ledger: LedgerDir = None,
    fmt: Format = Fmt.md,
) -> None:
    """Whole tokens of the promoted plan beside its peers, interleaved in one run."""
    from boltbeam import running

    running.bench(
        model,
        chip,
        n_gen,
        depth or [0],
        rounds,
        context,
        jitbeam,
        realized,
        n_prompt,
        peer_llama_bench,
        threads,
        ledger,
        fmt,
    )


@app.command()
def show(
    entry: Annotated[str, typer.Argument(metavar="ROW", help="Id of a ledger row, or prefix.")],
    source: Annotated[
        bool, typer.Option("--source", help="The kernel's text, if it is still the row's.")
    ] = False,
    cubin: Annotated[
        Path | None, typer.Option(help="Write its machine code for the row's NVIDIA chip here.")
    ] = None,
    model: Annotated[
        Path | None, typer.Option(help="The row's GGUF, if it has no shape that synth knows.")
    ] = None,
    ledger: LedgerDir = None,
    fmt: Format = Fmt.md,
) -> None:
    """A row in words; its kernel rendered again, and compiled without its chip."""
    from boltbeam import ledger_views

    ledger_views.show_kernel(entry, source, cubin, model, ledger, fmt)


@app.command()
def explain(
    model: Model,
    chip: Chip = "cpu",
    op: Annotated[list[str] | None, typer.Option(help="Only steps with this op.")] = None,
    context: Context = 512,
    ledger: LedgerDir = None,
    fmt: Format = Fmt.md,
) -> None:
    """Why these kernels: facts, candidates, runner-up, plan, machine, tokens, who decided."""
    from boltbeam import lookups

    lookups.why(model, chip, context, op or (), ledger, fmt)


@app.command()
def doctor(fmt: Format = Fmt.md) -> None:
    """What is usable here, what is missing and what to type; a canary of tinygrad's seams."""
    from boltbeam import lookups

    lookups.doctor(fmt)


@chip_app.command("list")
def chip_list(ledger: LedgerDir = None, fmt: Format = Fmt.md) -> None:
    """Known chips."""
    from boltbeam import lookups

    lookups.chip_list(fmt, ledger)


@chip_app.command("show")
def chip_show(
    chip: Annotated[str, typer.Argument()],
    points: Annotated[
        bool, typer.Option("--points", help="Every point of its sweeps instead.")
    ] = False,
    ledger: LedgerDir = None,
    fmt: Format = Fmt.md,
) -> None:
    """Facts of a chip, each with its source, and what its probe proves."""
    from boltbeam import lookups

    lookups.chip_show(chip, fmt, points, ledger)


@chip_app.command("probe")
def chip_probe(
    chip: Chip = "cpu",
    full: Annotated[
        bool, typer.Option("--full", help="More geometries, larger sets, a finer curve: minutes.")
    ] = False,
    ledger: LedgerDir = None,
    fmt: Format = Fmt.md,
) -> None:
    """Read and measure the chip that is here; one ledger row."""
    from boltbeam import lookups

    lookups.chip_probe(chip, ledger, fmt, full)


OnChip = Annotated[
    str | None, typer.Option("--chip", help="Of this chip; default: the ledger's latest.")
]


@registry_app.command("list")
def registry_list(chip: OnChip = None, ledger: LedgerDir = None, fmt: Format = Fmt.md) -> None:
    """Routes and where they stand on a chip by the ledger, what matters most first."""
    from boltbeam import registry_views

    registry_views.list_routes(chip, ledger, fmt)


@registry_app.command("show")
def registry_show(
    route: Annotated[str, typer.Argument()],
    chip: Annotated[str | None, typer.Option("--chip", help="Only this chip's history.")] = None,
    source: Annotated[
        bool, typer.Option("--source/--no-source", help="With the kernel of its winner.")
    ] = True,
    ledger: LedgerDir = None,
    fmt: Format = Fmt.md,
) -> None:
    """One route: axes, needs, interfaces, where it is legal and why, history, its kernel."""
    from boltbeam import registry_views

    registry_views.show_route(route, chip, ledger, source, fmt)


@registry_app.command("check")
def registry_check(ledger: LedgerDir = None) -> None:
    """Every route has emitter, reference, golden rendering, test, note; the ledger no orphan."""
    from boltbeam import registry_views

    registry_views.check(ledger)


Render = Annotated[
    bool,
    typer.Option("--render/--no-render", help="Render every kernel again and compare its hash."),
]


@ledger_app.command("check")
def ledger_check(
    base: Annotated[
        str | None, typer.Option(help="git revision: files of it must be untouched.")
    ] = None,
    render: Render = False,
    ledger: LedgerDir = None,
) -> None:
    """Schema, verdicts re-derived from their block ratios, files untouched."""
    from boltbeam import ledger_views

    ledger_views.check(base, ledger, render)


@ledger_app.command("show")
def ledger_show(
    entry: Annotated[str | None, typer.Argument(help="Id or prefix; without: a list.")] = None,
    chip: Annotated[str | None, typer.Option("--chip", help="Only this chip's.")] = None,
    ledger: LedgerDir = None,
    fmt: Format = Fmt.md,
) -> None:
    """One row or decision in words, or a list of all."""
    from boltbeam import ledger_views

    ledger_views.show(entry, chip, ledger, fmt)


@ledger_app.command("diff")
def ledger_diff(
    base: Annotated[str, typer.Argument(help="git revision.")],
    head: Annotated[
        str | None, typer.Argument(help="git revision (default: the files here).")
    ] = None,
    render: Render = False,
    ledger: LedgerDir = None,
    fmt: Format = Fmt.md,
) -> None:
    """What a branch adds to the ledger since BASE, and its red flags; exit 1 if one blocks."""
    from boltbeam import ledger_views

    ledger_views.diff(base, head, ledger, render, fmt)


@ledger_app.command("export")
def ledger_export(
    to: Annotated[Path, typer.Option("--to", help="A checkout of boltbeam.")],
    ledger: LedgerDir = None,
) -> None:
    """Copy own ledger files into a checkout, for a pull request."""
    from boltbeam import ledger_views

    ledger_views.export(to, ledger)


def main() -> None:
    """Entry point of the console script: every mistake is one line on stderr and an exit code."""
    import platformdirs

    if sys.stdout is None:  # closed: the next file that is opened would get what is printed
        say_last("boltbeam: standard output is closed; send it to a terminal, file or /dev/null")
        sys.exit(2)
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    own = platformdirs.user_data_path("boltbeam", appauthor=False) / "compile-cache.db"
    os.environ.setdefault("CACHEDB", str(own))  # tinygrad reads it when it is first imported
    try:
        code = app(prog_name="boltbeam", standalone_mode=False)
        sys.stdout.flush()
    except BrokenPipeError:  # whoever read our stdout has enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        code = 1
    except (KeyboardInterrupt, typer.Abort):
        code = 130
    except Exception as e:
        line, code = explained(e)
        if line:
            say_last(line)
        sys.exit(code)
    if code == 130:  # also typer's answer to Ctrl-C
        say_last("boltbeam: interrupted")
    sys.exit(code)


def explained(e: Exception) -> tuple[str, int]:
    """The line for stderr and the exit code of a mistake; anything else is a bug and raised."""
    from boltbeam import toolchain
    from boltbeam.types import BoltbeamError

    e = toolchain.mistake(e) or e
    if isinstance(e, BoltbeamError):
        return f"boltbeam: {e}", e.exit_code
    if isinstance(e, OSError):
        where = f"{e.filename}: " if e.filename else ""
        return f"boltbeam: {where}{e.strerror or e}; free space or name another place", 2
    if not hasattr(e, "format_message"):  # not click's, of which typer may bring its own
        raise e
    said = e.format_message().replace("Value error, ", "").rstrip(".")
    path = getattr(getattr(e, "ctx", None), "command_path", "boltbeam")
    return f"{path}: {said}; see {path} --help" if said else "", 2  # empty: the help was printed


def say_last(line: str) -> None:
    """One line on stderr, whatever the message held."""
    if sys.stderr is not None:
        print(" ".join(line.split()), file=sys.stderr)


if __name__ == "__main__":
    main()
