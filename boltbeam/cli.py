"""The command line: parses, loads, calls one function, prints.

Takes argv, gives an exit code: 0 ok, 1 gate failed, 2 bad usage or input, 3 no such device.
Heavy modules are imported inside the commands, so that `--help` starts fast.
"""

from __future__ import annotations

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
registry_app = typer.Typer(help="What is possible: families, routes, formats.", no_args_is_help=True)
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
    Path | None, typer.Option("--ledger", help="Read and write this ledger folder above all others.")
]
Context = Annotated[int, typer.Option("--context", help="Positions the KV cache holds.", min=1)]


@app.command()
def inspect(
    model: Annotated[Path, typer.Argument(help="A GGUF file (any piece of a split one).")],
    fmt: Format = Fmt.md,
) -> None:
    """Parts of a model by role, shape and format; bytes per token; what is not covered."""
    from boltbeam import gguf_model, report

    facts = gguf_model.read(model)
    rows = gguf_model.inspect_rows(facts)
    total = gguf_model.bytes_per_token(facts)
    notes = [
        f"{facts.architecture}, {facts.layers} layers, context {facts.context_length}: "
        f"{total:,} matrix bytes per token",
        *(f"not covered: {u.name}: {u.reason}" for u in facts.uncovered),
    ]
    if fmt is Fmt.json:
        report.record(
            {
                "architecture": facts.architecture,
                "layers": facts.layers,
                "bytes_per_token": total,
                "header_hash": facts.header_hash,
                "uncovered": [u.model_dump() for u in facts.uncovered],
                "parts": rows,
            },
            fmt,
        )
    else:
        report.table(rows, fmt, f"{facts.name or model.name}", notes)


def main() -> None:
    """Entry point of the console script."""
    from boltbeam.types import BoltbeamError

    try:
        app()
    except BoltbeamError as e:
        print(f"boltbeam: {e}", file=sys.stderr)
        sys.exit(e.exit_code)
    except OSError as e:
        where = f" ({e.filename})" if e.filename else ""
        print(f"boltbeam: {e.strerror or e}{where}", file=sys.stderr)
        sys.exit(2)
