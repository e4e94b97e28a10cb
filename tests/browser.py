"""A headless Chromium for tests, driven over its own pipe: no driver, no port, no download."""

from __future__ import annotations

import base64
import contextlib
import fcntl
import json
import os
import select
import shutil
import signal
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

NAMES = ("chromium", "chromium-browser", "google-chrome", "chrome")
TIMEOUT_S = 60


class Browser:
    """One page; `events` is everything the browser said meanwhile."""

    def __init__(self, to: int, out: int) -> None:
        self.to, self.out, self.buffer, self.number = to, out, b"", 0
        self.events: list[dict[str, Any]] = []
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        attached = self.call("Target.attachToTarget", targetId=target, flatten=True)
        self.session = attached["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.call(f"{domain}.enable")

    session = ""

    def call(self, method: str, **params: Any) -> dict[str, Any]:
        """One command and its answer."""
        self.number += 1
        asked = {"id": self.number, "method": method, "params": params}
        asked |= {"sessionId": self.session} if self.session else {}
        os.write(self.to, json.dumps(asked).encode() + b"\0")
        while (said := self._next()).get("id") != self.number:
            self.events.append(said)
        assert "error" not in said, said
        return dict(said["result"])

    def _next(self) -> dict[str, Any]:
        while b"\0" not in self.buffer:
            ready, _, _ = select.select([self.out], [], [], TIMEOUT_S)
            assert ready, "the browser does not answer"
            more = os.read(self.out, 1 << 20)
            assert more, "the browser ended"
            self.buffer += more
        line, _, self.buffer = self.buffer.partition(b"\0")
        return dict(json.loads(line))

    def open(self, path: Path, width: int, height: int = 900) -> None:
        """Show a file at a width in CSS pixels, wholly loaded."""
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=height,
                  deviceScaleFactor=1, mobile=width < 600)  # fmt: skip
        seen = len(self.events)
        self.call("Page.navigate", url=path.as_uri())
        while not any(e.get("method") == "Page.loadEventFired" for e in self.events[seen:]):
            self.events.append(self._next())

    def ask(self, expression: str) -> Any:
        """The value of a JavaScript expression in the page."""
        found = self.call("Runtime.evaluate", expression=expression, returnByValue=True)
        assert "exceptionDetails" not in found, found
        return found["result"].get("value")

    def screenshot(self, path: Path, whole: bool = True) -> None:
        """The whole page, or what is in view, as PNG."""
        shot = self.call("Page.captureScreenshot", captureBeyondViewport=whole, format="png")
        path.write_bytes(base64.b64decode(shot["data"]))

    def said(self, *methods: str) -> list[dict[str, Any]]:
        """Parameters of what it reported by these names."""
        return [e["params"] for e in self.events if e.get("method") in methods]


@contextmanager
def browser(profile: Path) -> Iterator[Browser]:
    """Start one, or skip with how to get it; ends it however the test ends."""
    binary = next((b for n in NAMES if (b := shutil.which(n))), None)
    if binary is None:
        pytest.skip("no Chromium: `apt-get install --no-install-recommends chromium`")
    to_read, to_write = os.pipe()
    out_read, out_write = os.pipe()
    words = "--headless=new --no-sandbox --disable-gpu --disable-dev-shm-usage --no-first-run "
    words += "--disable-extensions --disable-background-networking --hide-scrollbars"
    quiet = (*words.split(), f"--user-data-dir={profile}", "--remote-debugging-pipe")

    def plumb() -> None:  # the browser reads commands from 3 and answers on 4
        ends = [fcntl.fcntl(fd, fcntl.F_DUPFD, 10) for fd in (to_read, out_write)]
        os.dup2(ends[0], 3)
        os.dup2(ends[1], 4)

    child = subprocess.Popen(
        [binary, *quiet],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        preexec_fn=plumb,
        pass_fds=(3, 4),
        start_new_session=True,
        env={**os.environ, "HOME": str(profile)},
    )
    os.close(to_read)
    os.close(out_write)
    try:
        yield Browser(to_write, out_read)
    finally:
        os.close(to_write)  # the end of its commands ends it
        with contextlib.suppress(subprocess.TimeoutExpired):
            child.wait(10)
        with contextlib.suppress(ProcessLookupError):
            os.killpg(child.pid, signal.SIGKILL)
        child.wait()
        os.close(out_read)
