"""The command line as a person uses it: a process of its own, with folders of its own."""

from __future__ import annotations

import http.client
import json
import os
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
COMMAND = (sys.executable, "-m", "boltbeam.cli")


@dataclass(frozen=True)
class Done:
    """What a command ended with."""

    code: int
    out: str
    err: str


@dataclass(frozen=True)
class Shell:
    """A folder to stand in and where boltbeam keeps its things: nothing of the user is touched."""

    folder: Path

    @property
    def data(self) -> Path:
        return self.folder / "data" / "boltbeam"

    @property
    def ledger(self) -> Path:
        return self.folder / "ledger"

    def env(self, **changes: str | None) -> dict[str, str]:
        here = {**os.environ, "XDG_DATA_HOME": str(self.folder / "data"), "COLUMNS": "200"}
        here["PYTHONPATH"] = str(ROOT)
        here.pop("CACHEDB", None)
        wanted: Mapping[str, str | None] = {**here, **changes}
        return {k: v for k, v in wanted.items() if v is not None}

    def start(self, *args: str | Path, **changes: str | None) -> subprocess.Popen[str]:
        """The command, running."""
        return subprocess.Popen(
            [*COMMAND, *map(str, args)],
            cwd=self.folder,
            env=self.env(**changes),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )

    def run(
        self,
        *args: str | Path,
        before: Callable[[], object] | None = None,
        command: Sequence[str] = COMMAND,
        **changes: str | None,
    ) -> Done:
        """The command, ended; `before` runs in the new process first (limits)."""
        done = subprocess.run(
            [*command, *map(str, args)],
            cwd=self.folder,
            env=self.env(**changes),
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=300,
            preexec_fn=before,
        )
        return Done(done.returncode, done.stdout, done.stderr)


def refused(done: Done, code: int, *words: str, said_before: bool = False) -> None:
    """One clear line on stderr (the last one, where progress was shown before), and the code."""
    lines = done.err.splitlines()
    assert "Traceback" not in done.err and done.code == code, (done.code, done.err, done.out)
    assert lines and (said_before or len(lines) == 1), done.err
    assert lines[-1].startswith("boltbeam"), lines[-1]
    for word in words:
        assert word in lines[-1], f"{word!r} is not in: {lines[-1]}"
    assert len(lines[-1]) < 500, lines[-1]


def listening(child: subprocess.Popen[str]) -> tuple[str, int]:
    """The line with which `serve` says that it answers now, and its port."""
    assert child.stderr is not None
    line = next((x for x in child.stderr if "/v1 serves" in x), None)
    assert line is not None, "it ended before it listened"
    return line, int(line.split("/v1")[0].rsplit(":", 1)[1])


def post(port: int, body: Any, path: str = "/v1/chat/completions") -> tuple[int, Any]:
    """(status, JSON) of a request to a server here."""
    link = http.client.HTTPConnection("127.0.0.1", port, timeout=120)
    link.request("POST", path, body if isinstance(body, bytes) else json.dumps(body))
    reply = link.getresponse()
    return reply.status, json.loads(reply.read())


def litter(folder: Path) -> list[str]:
    """Half-written files below a folder."""
    return [str(p) for p in folder.rglob("*") if p.suffix in (".tmp", ".part")]
