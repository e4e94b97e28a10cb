"""The command line as pages: the README's table and docs/commands.md, from the commands' own help.

Takes the typer app, gives Markdown. `scripts/command-reference` writes it, a test compares it. Only
functions and annotations are looked at: versions of typer store and print them in different ways.
"""

from __future__ import annotations

import inspect
import re
import types
import typing
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from enum import Enum, EnumType
from pathlib import Path
from typing import Any

import typer
from typer.models import ArgumentInfo, OptionInfo

from boltbeam import report
from boltbeam.cli import app

BEGIN = "<!-- scripts/command-reference writes this table -->"
END = "<!-- end of the table -->"
HEAD = """\
# Every command and option

Written by `scripts/command-reference` from the commands' own help: change that, not this page.
[glossary.md](glossary.md) explains the words. Data goes to stdout, everything else to stderr. Exit
codes: 0 ok, 1 a gate said no, 2 bad usage or input (one line says what, where and what to do), 3 no
such device, 130 interrupted, 141 nobody reads the output any more.
"""
KINDS = {int: "N", float: "X", Path: "PATH", str: "TEXT"}


@dataclass(frozen=True)
class Param:
    """One argument or option as it is typed."""

    names: tuple[str, ...]
    """`--audit`; of an argument the one word that stands for it."""
    kind: str
    """What is given: `N`, `md|json|jsonl`; empty for a flag."""
    help: str
    default: Any
    required: bool
    argument: bool


@dataclass(frozen=True)
class Command:
    """`boltbeam chip list`, its help in paragraphs, and what it takes."""

    name: str
    paragraphs: tuple[str, ...]
    params: tuple[Param, ...]

    @property
    def usage(self) -> str:
        """With what must be given: `boltbeam refute ROWS… --reason REASON`."""
        words = [self.name]
        for p in self.params:
            if p.argument:
                words.append(p.names[0] if p.required else f"[{p.names[0]}]")
            elif p.required:
                words += [p.names[0], p.names[0].lstrip("-").replace("-", "_").upper()]
        return " ".join(words)

    @property
    def anchor(self) -> str:
        return re.sub(r"[^a-z0-9 -]", "", self.name).replace(" ", "-")


def commands() -> list[Command]:
    """Every command, those of the top first."""
    return list(_commands("boltbeam", app))


def _commands(name: str, group: typer.Typer) -> Iterator[Command]:
    for info in group.registered_commands:
        if info.hidden or info.callback is None:
            continue
        word = info.name or info.callback.__name__.replace("_", "-")
        said = inspect.getdoc(info.callback) or ""
        paragraphs = tuple(" ".join(x.split()) for x in said.split("\n\n") if x.strip())
        yield Command(f"{name} {word}", paragraphs, tuple(_params(info.callback)))
    for below in group.registered_groups:
        if below.typer_instance is not None:
            yield from _commands(f"{name} {below.name}", below.typer_instance)


def _params(callback: Callable[..., Any]) -> Iterator[Param]:
    hints = typing.get_type_hints(callback, include_extras=True)
    for name, given in inspect.signature(callback).parameters.items():
        hint, *about = typing.get_args(hints[name])
        info = next(x for x in about if isinstance(x, (ArgumentInfo, OptionInfo)))
        required = given.default is inspect.Parameter.empty
        default = None if required else given.default
        several, plain = _plain(hint)
        word = str(info.metavar or name.upper()) + ("…" if several else "")
        if isinstance(info, ArgumentInfo):
            yield Param((word,), "", info.help or "", default, required, True)
            continue
        decls = [d for d in (info.default, *(info.param_decls or ())) if isinstance(d, str)]
        decls = decls or [f"--{name.replace('_', '-')}"]  # an annotation's first word is `default`
        names = tuple(x for d in decls for x in d.split("/") if x.startswith("-"))
        kind = "" if plain is bool else str(info.metavar or _kind(plain))
        kind += " (repeatable)" if several else ""
        yield Param(names, kind, info.help or "", default, required, False)


def _plain(hint: Any) -> tuple[bool, Any]:
    """(may be given several times, type of one value) without `| None`."""
    args = [a for a in typing.get_args(hint) if a is not types.NoneType]
    if isinstance(hint, types.UnionType) or typing.get_origin(hint) is typing.Union:
        return _plain(args[0])
    return (True, args[0]) if typing.get_origin(hint) is list else (False, hint)


def _kind(plain: Any) -> str:
    if isinstance(plain, EnumType):
        return "|".join(str(x.value) for x in plain)  # type: ignore[var-annotated]
    return KINDS.get(plain, "TEXT")


def missing() -> list[str]:
    """What has no help: a command, an argument or an option."""
    out = []
    for c in commands():
        out += [] if c.paragraphs else [c.name]
        out += [f"{c.name} {p.names[0]}" for p in c.params if not p.help.strip()]
    return out


# ---- pages -------------------------------------------------------------------------------------


def table() -> str:
    """One row per command: how it is typed, and the first paragraph of its help."""
    rows = ["| command | does |", "|---|---|"]
    for c in commands():
        words = c.usage.removeprefix("boltbeam ")
        rows.append(f"| [`{words}`](docs/commands.md#{c.anchor}) | {_cell(c.paragraphs[0])} |")
    return "\n".join(rows)


def reference() -> str:
    """The whole of docs/commands.md."""
    parts = [HEAD]
    for c in commands():
        parts.append("\n\n".join([f"## {c.name}", f"    {c.usage}", *c.paragraphs]) + "\n")
        rows = [_row(p) for p in c.params]
        parts.append("\n".join(["| option | meaning |", "|---|---|", *rows]) + "\n")
    return "\n".join(parts)


def _row(p: Param) -> str:
    names = ", ".join(f"`{n}`" for n in p.names) + (f" {_cell(p.kind)}" if p.kind else "")
    return f"| {names} | {_cell(p.help)}{_default(p)} |"


def _default(p: Param) -> str:
    if p.required:
        return " *Required.*"
    value = p.default.value if isinstance(p.default, Enum) else p.default
    if value is True and len(p.names) > 1:
        return f" Default: `{p.names[0]}`."
    return "" if value in (None, False, "") else f" Default: `{value}`."


def _cell(text: str) -> str:
    return " ".join(text.split()).replace("|", "\\|")


def in_readme(text: str) -> str:
    """The README with its table written anew."""
    return report.between(text, BEGIN, END, table())


def write(root: Path) -> None:
    """Write both pages of a checkout."""
    readme, page = root / "README.md", root / "docs" / "commands.md"
    readme.write_text(in_readme(readme.read_text(encoding="utf-8")), encoding="utf-8")
    page.write_text(reference(), encoding="utf-8")
