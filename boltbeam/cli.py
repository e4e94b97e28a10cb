"""The command line: parses, loads, calls one function, prints.

Takes argv, gives an exit code: 0 ok, 1 gate failed, 2 bad usage or input, 3 no such device, 130
interrupted (Ctrl-C or SIGTERM), 141 nobody reads the output any more.
Heavy modules are imported inside the commands, so that `--help` starts fast; annotations are no
strings here (`from __future__`), because typer compiles every string when it starts.
"""

import codecs
import contextlib
import gc
import io
import os
import re
import signal
import sys
from collections.abc import Callable, Iterator
from enum import StrEnum
from pathlib import Path
from types import FrameType
from typing import Annotated, NoReturn, TextIO

import typer

from boltbeam.seam import tinygrad_workers

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


def folder(text: str) -> Path:
    """What --ledger names; an unset variable of a shell names nothing."""
    from boltbeam.types import BoltbeamError

    if not text:
        raise BoltbeamError("--ledger '': it names no folder")
    return Path(text)


LedgerDir = Annotated[
    Path | None,
    typer.Option(
        "--ledger",
        parser=folder,
        metavar="PATH",
        help="A ledger folder to read and write above all others (default: that of the checkout "
        "here, else the user's).",
    ),
]
Context = Annotated[int, typer.Option("--context", help="Positions the KV cache holds.", min=1)]
Nominated = Annotated[
    bool,
    typer.Option(
        "--nominated/--promoted", help="The last search's plan instead, which no gate passed."
    ),
]


Seed = Annotated[
    int,
    typer.Option(
        "--seed", help="Seed of random weights, sample data and races.", min=0, max=2**32 - 1
    ),
]
Chip = Annotated[
    str,
    typer.Option(
        "--chip",
        help="The chip here: cpu, cl, nv, metal, amd. What needs no device also takes any id or "
        "name of `boltbeam chip list`.",
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
    from boltbeam.types import BoltbeamError
    from boltbeam.worker import TINYGRAD_NUMBERS

    for name in sorted(TINYGRAD_NUMBERS):
        if not re.fullmatch(r"-?\d+|", os.environ.get(name, "")):
            raise BoltbeamError(f"{name}={os.environ[name]}: tinygrad wants a number; unset it")


@app.command()
def inspect(
    model: Annotated[Path, typer.Argument(help="A GGUF file (any piece of a split one).")],
    fmt: Format = Fmt.md,
) -> None:
    """Parts of a model by role, shape and format; bytes per token; what is not covered."""
    from boltbeam import report
    from boltbeam.models import gguf_model, inspect_model

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
    layers: Annotated[
        int | None, typer.Option(help="So many layers (default: as many as the real one).")
    ] = None,
    store: Annotated[
        list[str] | None,
        typer.Option(
            metavar="ROLE=FORMAT",
            help="Store a matrix in another format: output=Q4_K (`*`: every matrix).",
        ),
    ] = None,
    force: Annotated[bool, typer.Option("--force", help="Overwrite an existing file.")] = False,
) -> None:
    """Write a GGUF with a known model's exact shapes and formats, and random blocks."""
    from boltbeam import report
    from boltbeam.models.synth import synth as write
    from boltbeam.types import BoltbeamError

    formats: dict[str, str] = {}
    for text in store or []:
        role, _, wanted = text.partition("=")
        if not wanted or role in formats:
            raise BoltbeamError(f"synth --store {text}: ROLE=FORMAT, each role once")
        formats[role] = wanted
    write(name, out, seed=seed, layers=layers, formats_by_role=formats, overwrite=force)
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
    """Floor per work item and the limit in tokens per second, for chips of known rate."""
    from boltbeam.commands import lookups

    lookups.roofline(model, chip, context, gbps, ledger, fmt)


@app.command()
def search(
    model: Model,
    chip: Chip = "cpu",
    context: Context = 512,
    op: Annotated[
        list[str] | None, typer.Option(help="Only work items with this op (default: all).")
    ] = None,
    fused: Annotated[
        bool, typer.Option("--fused/--no-fused", help="Also spans of several ops in one launch.")
    ] = True,
    effort: Annotated[
        str,
        typer.Option(
            help="quick: minutes; full: more candidates, longer comparisons, and tinygrad's "
            "own schedules too."
        ),
    ] = "quick",
    budget_seconds: Annotated[
        float | None,
        typer.Option(
            help="Seconds to aim at; one way to do every step is proved and compared all the same.",
            min=0,
        ),
    ] = None,
    dry_run: Annotated[
        bool,
        typer.Option("--dry-run", help="Only the verdicts of the filters; no device, no file."),
    ] = False,
    resume: Annotated[
        bool,
        typer.Option("--resume", help="Take over what an earlier run of this search measured."),
    ] = False,
    seed: Seed = 0,
    pin: Annotated[
        list[str] | None,
        typer.Option(
            metavar="OP=ROUTE",
            help="This route must do that op. Several for an op: each of its work items is done by "
            "one of those that can do it.",
        ),
    ] = None,
    reopen: Annotated[
        list[str] | None,
        typer.Option(metavar="ROUTE", help="Search it although the ledger refutes it; recorded."),
    ] = None,
    numerics: Annotated[
        str,
        typer.Option(help="exact; q8: int8 activations too; auto: q8 where the chip has dot4."),
    ] = "auto",
    record: Annotated[
        bool, typer.Option("--record", help="Write rows even where they only confirm earlier ones.")
    ] = False,
    fresh: Annotated[
        bool,
        typer.Option(
            "--fresh", help="As if the ledger knew no kernel: what was fastest is not raced again."
        ),
    ] = False,
    jobs: Annotated[
        int | None,
        typer.Option(help="Worker processes (default: one per core, at most 16).", min=1),
    ] = None,
    audit: Annotated[
        str,
        typer.Option(
            metavar="N|all", help="Time so many of the pruned too, per work item: were they slower?"
        ),
    ] = "0",
    predict: Annotated[
        list[str] | None,
        typer.Option(
            metavar="'OP >= N%'",
            help="Say what the gain will be over what is in force: on the record before the run, "
            "closed by it.",
        ),
    ] = None,
    kill: Annotated[
        str | None, typer.Option(metavar="'OP < N%'", help="… and which gain ends the idea.")
    ] = None,
    ledger: LedgerDir = None,
    fmt: Format = Fmt.md,
) -> None:
    """Search kernels for a model on this chip: one plan, one new ledger file.

    Filters, proofs, races, comparisons with stock. What earlier searches found fastest on this chip
    is raced again. A repeated search that finds nothing new writes nothing and says what it
    confirmed.
    """
    from boltbeam.commands import commands
    from boltbeam.search.search_session import Options

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
        pins=commands.pins(pin or []),
        numerics=numerics,
        record=record,
        jobs=jobs,
        audit=commands.sample_size(audit),
        fresh=fresh,
        reopen=tuple(reopen or ()),
        predict=commands.claim(predict or [], kill),
        command=["boltbeam", *sys.argv[1:]],
    )
    commands.search(options, ledger, dry_run, fmt)


@app.command()
def promote(
    yes: Annotated[bool, typer.Option("--yes", help="Do not ask.")] = False,
    chip: Chip = "cpu",
    reason: Annotated[str, typer.Option(help="Why, for the ledger.")] = "passed all gates",
    schedules: Annotated[
        bool,
        typer.Option(
            "--schedules",
            help="The table of Opts for tinygrad's own kernels, not the plan of generated ones.",
        ),
    ] = False,
    synthetic: Annotated[
        bool,
        typer.Option(
            "--synthetic",
            help="Even a model of random weights: for tests of the machinery; the decision says "
            "so.",
        ),
    ] = False,
    nominate: Annotated[
        bool,
        typer.Option(
            "--nominate",
            help="Promote nothing: time the whole token beside stock and record it. For random "
            "weights, which prove no tokens.",
        ),
    ] = False,
    model: Annotated[
        Path | None,
        typer.Option("--model", "-m", help="The last search of this GGUF file (default: of any)."),
    ] = None,
    context: Annotated[
        int | None,
        typer.Option("--context", help="The last search at this context (default: at any).", min=1),
    ] = None,
    ledger: LedgerDir = None,
    fmt: Format = Fmt.md,
) -> None:
    """Take the last search's plan through its gates and put it into use: one ledger line.

    Proofs, tokens of stock and of a recorded engine, the whole token's time in fresh processes.
    Where one gate says no, the measured tokens are written and no plan.
    """
    from boltbeam.commands import commands

    commands.promote(chip, yes, reason, ledger, fmt, schedules, synthetic, nominate, model, context)


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
    against: Annotated[
        str | None,
        typer.Option(
            metavar="ROW",
            help="Row of a faster route for the same work: the number is how many times its time "
            "the last row took.",
        ),
    ] = None,
    ledger: LedgerDir = None,
) -> None:
    """Close a route on a chip, with its number and the condition that reopens it.

    Searches skip it until the condition holds. A row that says `faster` refutes only with --number
    or --against.
    """
    from boltbeam.commands import commands

    commands.refute(rows, reason, reopen_if, number, ledger, against)


@app.command()
def rollback(
    reason: Annotated[str, typer.Option(help="Why, for the ledger.")],
    plan: Annotated[
        str | None, typer.Argument(help="Id of the plan, or prefix (default: the one in force).")
    ] = None,
    chip: Chip = "cpu",
    ledger: LedgerDir = None,
) -> None:
    """Take a promoted plan back: to the one before it, or to stock."""
    from boltbeam.commands import commands

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
    stock: Annotated[
        bool, typer.Option("--stock", help="tinygrad alone, without the promoted plan.")
    ] = False,
    context: Annotated[
        int | None,
        typer.Option(
            help="Positions the KV cache holds (default: the smallest promoted that is enough; of "
            "stock 512, 1024, 2048 and so on).",
            min=1,
        ),
    ] = None,
    temperature: Annotated[
        float, typer.Option(help="0: the likeliest tokens; above, up to 100: drawn ones.")
    ] = 0.0,
    seed: Annotated[
        int | None,
        typer.Option(
            help="Seed of a plan's draws (default: another each time).", min=0, max=2**32 - 1
        ),
    ] = None,
    ledger: LedgerDir = None,
    fmt: Format = Fmt.md,
) -> None:
    """Stream text through tinygrad's runner with the promoted plan.

    Its tok/s is of the tokens that only replay: those that compile or capture are left out.
    """
    from boltbeam.search import machine

    how = (prompt, n, chip, raw, ignore_eos, stock, context, ledger, fmt, temperature, seed)
    with machine.somewhere() as data:
        from boltbeam.commands import running

        running.run(model, *how, data)


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
        typer.Option(
            help="Positions the KV cache holds (default: the largest promoted; of stock 4096).",
            min=2,
        ),
    ] = None,
    stock: Annotated[
        bool, typer.Option("--stock", help="tinygrad alone, without the promoted plan.")
    ] = False,
    ledger: LedgerDir = None,
) -> None:
    """Serve a model: tinygrad's OpenAI-compatible server with the promoted plan."""
    from boltbeam.search import machine

    with machine.somewhere() as data:
        from boltbeam.commands import serving

        serving.serve(model, chip, host, port, context, stock, ledger, data)


@app.command()
def bench(
    model: Model,
    chip: Chip = "cpu",
    n_gen: Annotated[int, typer.Option("-n", help="Tokens per sample.", min=1)] = 32,
    depth: Annotated[
        list[int] | None,
        typer.Option(
            "-d",
            help="Positions already in the KV cache (default: 0); repeat it for several.",
            min=0,
        ),
    ] = None,
    rounds: Annotated[
        int, typer.Option("-r", help="Rounds, each of the turns A B B A.", min=1)
    ] = 3,
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
        int,
        typer.Option(
            "-p", help="Prompt tokens before the first token is timed (0: it is not).", min=0
        ),
    ] = 32,
    peer_llama_bench: Annotated[
        Path | None, typer.Option(help="A llama-bench binary to time in the same turns.")
    ] = None,
    threads: Annotated[
        int | None, typer.Option("-t", help="Threads of llama.cpp (default: its own).", min=1)
    ] = None,
    nominated: Nominated = False,
    stock: Annotated[
        bool,
        typer.Option(
            "--stock/--no-stock",
            help="Stock tinygrad too, which may take minutes on a large model.",
        ),
    ] = True,
    record: Annotated[
        bool,
        typer.Option("--record", help="Write what every turn took into one new ledger file."),
    ] = False,
    ledger: LedgerDir = None,
    fmt: Format = Fmt.md,
) -> None:
    """Whole tokens of the promoted plan beside its peers, interleaved in one run."""
    from boltbeam.commands import running

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
        nominated,
        stock,
        ledger,
        fmt,
        record,
    )


@app.command()
def census(
    model: Model,
    chip: Chip = "cpu",
    context: Context = 512,
    stock: Annotated[bool, typer.Option("--stock", help="Stock's token as well.")] = False,
    nominated: Nominated = False,
    ledger: LedgerDir = None,
    fmt: Format = Fmt.md,
) -> None:
    """One token's launches as captured: count, bytes, grid, µs alone, share, what is wrong."""
    from boltbeam.commands import token_views

    token_views.launches(model, chip, context, stock, nominated, ledger, fmt)


@app.command()
def tieout(
    model: Model,
    chip: Chip = "cpu",
    context: Context = 512,
    nominated: Nominated = False,
    ledger: LedgerDir = None,
    fmt: Format = Fmt.md,
) -> None:
    """Floor + loss in kernels + gaps - early starts = token, the residue, and where the time is."""
    from boltbeam.commands import token_views

    token_views.tie_out(model, chip, context, nominated, ledger, fmt)


@app.command()
def speculate(
    model: Model,
    draft_cost: Annotated[float, typer.Option(help="Microseconds to draft one token.")],
    accept: Annotated[
        str, typer.Option(help="Chance that the first, second, … draft is right: 0.8,0.4.")
    ],
    chip: Chip = "cpu",
    bar: Annotated[
        float | None,
        typer.Option(
            help="Gain in tokens per second to reach, as a factor; below it: close, exit 1."
        ),
    ] = None,
    check_cost: Annotated[
        str | None,
        typer.Option(
            metavar="m=µs,...", help="Typed in place of measured: 1=43000,2=363000 (1: plain step)."
        ),
    ] = None,
    context: Context = 512,
    ledger: LedgerDir = None,
    fmt: Format = Fmt.md,
) -> None:
    """The ceiling of speculative decoding from the measured cost of checking 2 to 64 at once."""
    from boltbeam.commands import token_views

    token_views.speculation(model, chip, draft_cost, accept, bar, check_cost, context, ledger, fmt)


@app.command()
def show(
    entry: Annotated[str, typer.Argument(metavar="ROW", help="Id of a ledger row, or prefix.")],
    source: Annotated[
        bool, typer.Option("--source", help="The kernel's text, if it is still the row's.")
    ] = False,
    cubin: Annotated[
        Path | None,
        typer.Option(help="Compile it for the row's NVIDIA chip and write the machine code here."),
    ] = None,
    model: Annotated[
        Path | None, typer.Option(help="The row's GGUF, if it has no shape that synth knows.")
    ] = None,
    ledger: LedgerDir = None,
    fmt: Format = Fmt.md,
) -> None:
    """A row in words; its kernel rendered again, and compiled without its chip."""
    from boltbeam.commands import ledger_views

    ledger_views.show_kernel(entry, source, cubin, model, ledger, fmt)


@app.command()
def explain(
    model: Model,
    chip: Chip = "cpu",
    op: Annotated[
        list[str] | None, typer.Option(help="Only steps with this op (default: all).")
    ] = None,
    context: Context = 512,
    ledger: LedgerDir = None,
    fmt: Format = Fmt.md,
) -> None:
    """Why these kernels: facts, candidates, runner-up, plan, machine, tokens, who decided.

    It uses ledger lines that `ledger check` refuses, as `run` does, and says how many of which
    file.
    """
    from boltbeam.commands import lookups

    lookups.why(model, chip, context, op or (), ledger, fmt)


@app.command("report")
def report_command(
    model: Model,
    chip: Chip = "cpu",
    out: Annotated[Path, typer.Option("--out", help="The HTML file to write.")] = Path(
        "report.html"
    ),
    context: Context = 512,
    ledger: LedgerDir = None,
) -> None:
    """Pictures of a model on a chip, one HTML file; needs the extra `report`."""
    from boltbeam.commands import report_page

    report_page.write(model, chip, context, ledger, out)


@app.command()
def repeat(
    model: Model,
    chip: Chip = "cpu",
    context: Context = 512,
    op: Annotated[list[str] | None, typer.Option(help="Only work items with this op.")] = None,
    fused: Annotated[
        bool, typer.Option("--fused/--no-fused", help="Also spans of several ops in one launch.")
    ] = True,
    effort: Annotated[str, typer.Option(help="quick or full.")] = "quick",
    budget_seconds: Annotated[
        float | None, typer.Option(help="Seconds of each search.", min=0)
    ] = None,
    seed: Seed = 0,
    numerics: Annotated[
        str,
        typer.Option(help="exact; q8: int8 activations too; auto: q8 where the chip has dot4."),
    ] = "auto",
    jobs: Annotated[int | None, typer.Option(help="Worker processes.", min=1)] = None,
    ledger: LedgerDir = None,
    fmt: Format = Fmt.md,
) -> None:
    """Search twice from nothing, time the winners beside each other; exit 1 outside the band."""
    from boltbeam.commands.search_display import print_repeat, progress_display
    from boltbeam.search import repeat as repeating
    from boltbeam.search.search_session import Options

    options = Options(
        model=model,
        chip=chip,
        context=context,
        ops=tuple(op or ()),
        fused=fused,
        effort=effort,
        budget_s=budget_seconds,
        seed=seed,
        numerics=numerics,
        jobs=jobs,
        command=["boltbeam", *sys.argv[1:]],
    )
    with progress_display() as progress:
        found = repeating.repeat(options, ledger, progress)
    print_repeat(found, fmt)


@app.command("predictions")
def predictions_list(
    chip: Annotated[str | None, typer.Option("--chip", help="Only this chip's.")] = None,
    ledger: LedgerDir = None,
    fmt: Format = Fmt.md,
) -> None:
    """How often `search --predict` was right, per chip and route, and every prediction."""
    from boltbeam.commands import prediction_views

    prediction_views.show(chip, ledger, fmt)


@app.command()
def doctor(fmt: Format = Fmt.md) -> None:
    """What is usable here, what is missing and what to type; a canary of tinygrad's seams."""
    from boltbeam.commands import lookups

    lookups.doctor(fmt)


@chip_app.command("list")
def chip_list(ledger: LedgerDir = None, fmt: Format = Fmt.md) -> None:
    """Known chips: ids and names, what was measured and what their sheets say."""
    from boltbeam.commands import lookups

    lookups.chip_list(fmt, ledger)


@chip_app.command("show")
def chip_show(
    chip: Annotated[
        str, typer.Argument(help="An id or name of `boltbeam chip list`, or an alias.")
    ],
    points: Annotated[
        bool, typer.Option("--points", help="Every point of its sweeps instead.")
    ] = False,
    ledger: LedgerDir = None,
    fmt: Format = Fmt.md,
) -> None:
    """Facts of a chip, each with its source, and what its probe proves.

    What probes in the ledger measured comes before a chip file's figures.
    """
    from boltbeam.commands import lookups

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
    """Read and measure the chip that is here, by generated kernels; one ledger row."""
    from boltbeam.commands import lookups

    lookups.chip_probe(chip, ledger, fmt, full)


OnChip = Annotated[
    str | None, typer.Option("--chip", help="Of this chip; default: the ledger's latest.")
]


@registry_app.command("list")
def registry_list(chip: OnChip = None, ledger: LedgerDir = None, fmt: Format = Fmt.md) -> None:
    """Routes and where they stand on a chip by the ledger, what matters most first."""
    from boltbeam.commands import registry_views

    registry_views.list_routes(chip, ledger, fmt)


@registry_app.command("show")
def registry_show(
    route: Annotated[str, typer.Argument(help="A route of `boltbeam registry list`.")],
    chip: Annotated[
        str | None,
        typer.Option("--chip", help="Only what happened on this chip (default: on all)."),
    ] = None,
    source: Annotated[
        bool, typer.Option("--source/--no-source", help="With the kernel of its winner.")
    ] = True,
    ledger: LedgerDir = None,
    fmt: Format = Fmt.md,
) -> None:
    """One route: axes, needs, interfaces, where it is legal and why, history, its kernel."""
    from boltbeam.commands import registry_views

    registry_views.show_route(route, chip, ledger, source, fmt)


@registry_app.command("check")
def registry_check(ledger: LedgerDir = None) -> None:
    """Every route has emitter, reference, golden rendering, test, note; the ledger no orphan."""
    from boltbeam.commands import registry_views

    registry_views.check(ledger)


Render = Annotated[
    bool,
    typer.Option("--render/--no-render", help="Render every kernel again and compare its hash."),
]


@ledger_app.command("check")
def ledger_check(
    base: Annotated[
        str | None, typer.Option(help="A git revision: its ledger files must be untouched.")
    ] = None,
    render: Render = False,
    ledger: LedgerDir = None,
) -> None:
    """Is the ledger sound? Schema, verdicts derived again from their blocks, files untouched."""
    from boltbeam.commands import ledger_views

    ledger_views.check(base, ledger, render)


@ledger_app.command("show")
def ledger_show(
    entry: Annotated[str | None, typer.Argument(help="Id or prefix; without: a list.")] = None,
    chip: Annotated[
        str | None, typer.Option("--chip", help="Only lines of this chip's id (default: of all).")
    ] = None,
    ledger: LedgerDir = None,
    fmt: Format = Fmt.md,
) -> None:
    """One row or decision in words, or a list of all."""
    from boltbeam.commands import ledger_views

    ledger_views.show(entry, chip, ledger, fmt)


@ledger_app.command("diff")
def ledger_diff(
    base: Annotated[str, typer.Argument(help="The git revision to compare with.")],
    head: Annotated[
        str | None, typer.Argument(help="A git revision (default: the files here).")
    ] = None,
    render: Render = False,
    ledger: LedgerDir = None,
    fmt: Format = Fmt.md,
) -> None:
    """What a branch adds to the ledger since BASE, and its red flags; exit 1 if one blocks."""
    from boltbeam.commands import ledger_views

    ledger_views.diff(base, head, ledger, render, fmt)


class QueryFmt(StrEnum):
    md = "md"
    json = "json"
    jsonl = "jsonl"
    csv = "csv"


@ledger_app.command("query")
def ledger_query(
    sql: Annotated[
        str | None, typer.Argument(metavar="SELECT", help="One SELECT; without: the tables.")
    ] = None,
    ledger: LedgerDir = None,
    fmt: Annotated[
        QueryFmt, typer.Option("--format", help="How data is printed on stdout.")
    ] = QueryFmt.md,
) -> None:
    """Ask rows, decisions, blocks and this machine's raw samples in SQL; it only reads."""
    from boltbeam.records import ledger_query as asked

    asked.query(sql, ledger, fmt)


@ledger_app.command("export")
def ledger_export(
    database: Annotated[
        Path | None,
        typer.Argument(metavar="DB.sqlite", help="Write everything as one file, for Datasette."),
    ] = None,
    to: Annotated[
        Path | None,
        typer.Option("--to", help="Copy own ledger files into this checkout, for a pull request."),
    ] = None,
    force: Annotated[bool, typer.Option("--force", help="Overwrite the database.")] = False,
    ledger: LedgerDir = None,
) -> None:
    """Own ledger files into a checkout (--to), or all of the ledger into an SQLite file."""
    from boltbeam.commands import ledger_views

    ledger_views.export(to, database, force, ledger)


GC_AFTER = 20_000
"""What is imported lives: looking for garbage in it every 700 objects is a tenth of the start."""

SOON_S = 0.005
"""A finaliser takes less."""


def main() -> None:
    """Entry point of the console script: every mistake is one line on stderr and an exit code."""
    import platformdirs

    if sys.stdout is None:  # closed: the next file that is opened would get what is printed
        say_last("boltbeam: standard output is closed; send it to a terminal, file or /dev/null")
        sys.exit(2)
    for stream in (sys.stdout, sys.stderr):
        replace_what_has_no_code(stream)
    on_interrupt(interrupt)
    gc.set_threshold(GC_AFTER)
    own = platformdirs.user_data_path("boltbeam", appauthor=False) / "compile-cache.db"
    os.environ.setdefault("CACHEDB", str(own))  # tinygrad reads it when it is first imported
    os.environ.setdefault("PYDANTIC_DISABLE_PLUGINS", "__all__")  # looking for them takes time
    code = told(command)
    code = told(flush) or code
    on_interrupt(leave)
    tinygrad_workers.end()
    sys.exit(code)


def replace_what_has_no_code(stream: TextIO | None) -> None:
    """`µ` is `?` on a stream that is not UTF-8 and has no such letter: no table ends half-way."""
    if isinstance(stream, io.TextIOWrapper) and codecs.lookup(stream.encoding).name != "utf-8":
        stream.reconfigure(errors="replace")


def on_interrupt(act: Callable[..., object]) -> None:
    """What SIGTERM and Ctrl-C do from now on; Ctrl-C that is ignored (nohup, `&`) stays so."""
    signal.setitimer(signal.ITIMER_REAL, 0)
    signal.signal(signal.SIGALRM, act)
    if signal.getsignal(signal.SIGINT) is not signal.SIG_IGN:
        signal.signal(signal.SIGINT, act)
    signal.signal(signal.SIGTERM, act)


def interrupt(_number: int, at: FrameType | None) -> None:
    """End what compiles, and then the command: nothing on its way out can hang on a worker.

    Python prints and drops what is raised in a finaliser, of which tinygrad has many: a moment
    later, then.
    """
    while at is not None:
        if at.f_code.co_name == "__del__" or at.f_globals.get("__name__") == "weakref":
            signal.setitimer(signal.ITIMER_REAL, SOON_S)
            return
        at = at.f_back
    tinygrad_workers.end()
    raise KeyboardInterrupt


def leave(*_: object) -> NoReturn:
    """The answer to a signal when the command has ended: nobody waits for what is left to write."""
    os._exit(130)


def command() -> int:
    """Run what was typed, and give its exit code."""
    for word in sys.argv[1:]:
        require_text(word)
    try:
        return int(app(prog_name="boltbeam", standalone_mode=False) or 0)
    except SystemExit:  # click's answer to a pipe that nobody reads
        raise BrokenPipeError from None


def flush() -> int:
    """Write what is left."""
    with quiet_end(sys.stdout):
        sys.stdout.flush()
    return 0


@contextlib.contextmanager
def quiet_end(stream: TextIO) -> Iterator[None]:
    """What cannot be written is gone, so that the end of Python does not try again."""
    try:
        yield
    except OSError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())
        raise


def told(run: Callable[[], int]) -> int:
    """The exit code, with one line on stderr for what went wrong."""
    interrupted = "boltbeam: interrupted"
    try:
        code = run()
        line = interrupted if code == 130 else ""  # typer's answer to Ctrl-C
    except (KeyboardInterrupt, typer.Abort):
        code, line = 130, interrupted
    except Exception as e:
        line, code = explained(e)
    if code == 130:
        on_interrupt(leave)
    if line:
        say_last(line)
    return code


def require_text(word: str) -> None:
    """BoltbeamError: bytes that are no UTF-8; no ledger line could hold them."""
    from boltbeam.types import BoltbeamError

    if any("\ud800" <= c <= "\udfff" for c in word):
        said = word.encode(errors="backslashreplace").decode()
        raise BoltbeamError(f"{said}: not UTF-8; rename the file, or type it anew")


def explained(e: Exception) -> tuple[str, int]:
    """The line for stderr and the exit code of a mistake; anything else is a bug and raised."""
    from boltbeam.seam import toolchain
    from boltbeam.types import BoltbeamError

    if isinstance(e, BrokenPipeError):  # whoever read what we say has enough: as after SIGPIPE
        return "", 141
    e = toolchain.mistake(e) or e
    if isinstance(e, BoltbeamError):
        return f"boltbeam: {e}", e.exit_code
    if isinstance(e, FileNotFoundError) and not e.filename and not folder_here():
        return "boltbeam: the folder that you stand in is gone; change to one that is there", 2
    if isinstance(e, OSError):
        where = f"{e.filename}: " if e.filename else ""
        return f"boltbeam: {where}{e.strerror or e}; free space or name another place", 2
    if not hasattr(e, "format_message"):  # not click's, of which typer may bring its own
        raise e
    said = e.format_message().replace("Value error, ", "").rstrip(".")
    path = getattr(getattr(e, "ctx", None), "command_path", "boltbeam")
    return f"{path}: {said}; see {path} --help" if said else "", 2  # empty: the help was printed


def folder_here() -> bool:
    """False where the working folder was deleted."""
    try:
        os.getcwd()
    except FileNotFoundError:
        return False
    return True


def say_last(line: str) -> None:
    """One line on stderr, whatever the message held; the exit code stands where it has no room."""
    if sys.stderr is not None:
        with contextlib.suppress(OSError), quiet_end(sys.stderr):
            print(" ".join(line.split()), file=sys.stderr, flush=True)


if __name__ == "__main__":
    main()
