"""The docs say what the program does: help of every command, its pages, the words, links."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import get_args

import pytest
from cli_cases import ROOT, Done

from boltbeam import command_reference
from boltbeam.records import entries, red_flags, standing
from boltbeam.types import INTERFACES, OPS, Verdict

Cli = Callable[..., Done]
COMMANDS = command_reference.commands()
PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").glob("*.md"))]
FRESH = "run scripts/command-reference"


def test_every_command_argument_and_option_has_help() -> None:
    assert command_reference.missing() == []
    assert len(COMMANDS) > 20 and {len(c.paragraphs) for c in COMMANDS} == {1, 2}


def test_what_lacks_help_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    bare = command_reference.Param(("--x",), "N", " ", None, False, False)
    made = command_reference.Command("boltbeam x", (), (bare,))
    monkeypatch.setattr(command_reference, "commands", lambda: [made])
    assert command_reference.missing() == ["boltbeam x", "boltbeam x --x"]


def test_the_pages_are_fresh() -> None:
    readme = (ROOT / "README.md").read_text()
    assert command_reference.in_readme(readme) == readme, FRESH
    assert command_reference.reference() == (ROOT / "docs/commands.md").read_text(), FRESH


@pytest.mark.parametrize("command", COMMANDS, ids=lambda c: c.name.removeprefix("boltbeam "))
def test_help_says_what_the_page_says(command: command_reference.Command, cli: Cli) -> None:
    """The reference reads annotations; typer must understand them in the same way."""
    done = cli(*command.name.split()[1:], "--help")
    assert done.code == 0
    words = set(re.findall(r"[\w-]+", done.out))
    for p in command.params:
        assert p.argument or set(p.names) <= words, p.names
        assert set(re.findall(r"\w{4,}", p.help)) <= set(re.findall(r"\w+", done.out)), p.help
    typed = set(re.findall(r"--[a-z][\w-]*", done.out)) - {"--help"}
    said = " ".join([*command.paragraphs, *(p.help for p in command.params)])
    assert typed <= {n for p in command.params for n in p.names} | set(
        re.findall(r"--[\w-]+", said)
    )


def test_units_stand_with_their_numbers() -> None:
    """A number is a count of something, or it has a unit."""
    units = (
        "GB/s|[Ss]econds|[Pp]ositions|[Tt]okens|[Rr]ounds|layers|processes|[Tt]hreads|[Ss]eed|any"
    )
    for c in COMMANDS:
        for p in c.params:
            if p.kind.split()[:1] in (["N"], ["X"]) and p.names[0] != "--number":
                assert re.search(units, p.help), f"{c.name} {p.names[0]}: {p.help}"


def test_the_glossary_has_the_words_of_the_ledger() -> None:
    text = (ROOT / "docs/glossary.md").read_text()
    told = {Verdict.illegal, Verdict.pruned, *(v for v in Verdict)}
    words = [*told, *INTERFACES, "plan", "refute", "rollback", "reopen"]
    words += [op for op in OPS if op not in ("embed", "post_norm")]
    assert [w for w in words if f"`{w}`" not in text] == []
    kinds = get_args(entries.LedgerRow.model_fields["kind"].annotation)
    assert [w for w in (*kinds, "nominated", "refuted") if w not in text] == []
    assert standing.STRENGTH and red_flags.CODES


@pytest.mark.parametrize("page", PAGES, ids=lambda p: p.name)
def test_links_lead_somewhere(page: object) -> None:
    """To files of the repository, and to headings in them."""
    text = page.read_text()  # type: ignore[attr-defined]
    for target in re.findall(r"\]\((?!https?:)([^)]+)\)", text):
        file, _, heading = target.partition("#")
        path = (page.parent / file) if file else page  # type: ignore[attr-defined]
        assert path.exists(), target
        if heading:
            titles = re.findall(r"^#+ (.*)$", path.read_text(), re.M)
            made = [re.sub(r"[^a-z0-9 -]", "", t.lower()).replace(" ", "-") for t in titles]
            assert heading in made, target


def test_the_whole_reads_in_ten_minutes() -> None:
    """The README without its transcripts and tables, and the page on adding a route without code:
    240 words a minute."""
    prose = 0
    for name in ("README.md", "docs/adding-a-route.md"):
        text = re.sub(r"^```.*?^```$", "", (ROOT / name).read_text(), flags=re.M | re.S)
        lines = [x for x in text.splitlines() if not x.startswith(("    ", "|"))]
        prose += len(" ".join(lines).split())
    assert prose <= 2400, prose
