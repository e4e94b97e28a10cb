"""tinygrad's OpenAI-compatible server, with requests checked before it sees them.

Takes an engine, a vocabulary and a chat template in the form that tinygrad asks for, gives a
listening socket and answers. Requests are read side by side and answered one at a time, by the
thread that serves. Never computes a token; a bad request is an answer, not a traceback.
"""

from __future__ import annotations

import contextlib
import io
import json
import math
import queue
import select
import socket
import socketserver
import sys
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from typing import Any, Protocol

from boltbeam.types import BoltbeamError

SILENCE_S = 60
"""A client that neither sends nor reads for so long is dropped."""
LONGEST_BODY_BYTES = 8 << 20
"""A longer request is refused unread; no model's context holds so much text."""
LINGER_S = 2
"""So long what a refused client still sends is thrown away, that it comes to read the answer."""
MOMENT_S = 0.05
"""So long one who is turned away is heard, or waited for."""
MOST_WAITING, MOST_CLIENTS = 128, 256
"""Requests that wait for their turn, and connections: one more is told 503 at once."""
CROWDED = "too many clients wait; try again later"
TO_GET = "/v1/models, /health and the page /"
MOST_STOPS, LONGEST_STOP = 16, 1000
"""Stop strings of a request, and characters of one: all are sought after each token."""

REFUSED: dict[str, tuple[Any, ...]] = {
    "n": (1,),
    "tools": ([],),
    "tool_choice": ("none", "auto"),
    "functions": ([],),
    "logprobs": (False,),
    "top_logprobs": (0,),
    "response_format": ({"type": "text"},),
    "frequency_penalty": (0,),
    "presence_penalty": (0,),
    "repetition_penalty": (1,),
    "repeat_penalty": (1,),
    "logit_bias": ({},),
}
"""Fields that change the answer and are not supported: values that do not (nor does null)."""
IGNORED: dict[str, tuple[Any, ...]] = {"top_p": (1,), "top_k": (0, -1), "min_p": (0,)}
"""Fields that only narrow what is drawn: clients send them unasked, so the log alone says it."""


class Engine(Protocol):
    """What tinygrad's server asks of a model."""

    max_context: int
    wanted: Callable[[], bool]
    """False when nobody waits for the answer any more; the server sets it for each request."""
    seed: int | None
    """By which the answer is drawn, as the request says; None: another one each time."""
    enough: Callable[[], bool]
    """True when the text is complete and no further token is wanted; set like `wanted`."""

    def get_start_pos(self, ids: list[int]) -> int: ...

    def generate(self, ids: list[int], temperature: float = 0.0) -> Iterator[int]: ...


class Turns(socketserver.ThreadingMixIn, socketserver.TCPServer):
    """Reads each request in a thread of its own, so that one that never ends keeps nobody waiting.

    The model belongs to the thread that serves: what needs it is queued for `answer_next`.
    """

    daemon_threads = True
    request_queue_size = MOST_CLIENTS  # Python has 5: of a burst the rest would try again after 1 s
    block_on_close = False

    def __init__(self, *args: Any) -> None:
        self._waiting: queue.SimpleQueue[tuple[Callable[[], None], threading.Event]]
        self._waiting = queue.SimpleQueue()
        self._places = threading.BoundedSemaphore(MOST_CLIENTS)
        self.ignored: set[str] = set()
        """Fields of requests that are ignored, and of which the log says so by now."""
        super().__init__(*args)

    def process_request(self, request: Any, client_address: Any) -> None:
        if not self._places.acquire(blocking=False):
            return self.turn_away(request)
        try:
            super().process_request(request, client_address)
        except RuntimeError:  # the system has no thread more
            self._places.release()
            raise

    def turn_away(self, request: Any) -> None:
        """Say 503 without a thread. What has come by then is read: a connection that is closed over
        unread bytes is reset, and its client never sees why."""
        said = json.dumps(refusal(CROWDED, "server_error")).encode()
        with contextlib.suppress(OSError):
            request.settimeout(MOMENT_S)
            request.sendall(b"HTTP/1.0 503 \r\nContent-Type: application/json\r\n\r\n" + said)
            request.shutdown(socket.SHUT_WR)
            until = time.monotonic() + MOMENT_S
            while request.recv(1 << 16) and time.monotonic() < until:
                pass
        self.shutdown_request(request)

    def process_request_thread(self, request: Any, client_address: Any) -> None:
        try:
            super().process_request_thread(request, client_address)
        finally:
            self._places.release()

    def handle_error(self, request: Any, client_address: Any) -> None:
        if not isinstance(sys.exc_info()[1], ConnectionError):  # a client that left is no bug
            super().handle_error(request, client_address)

    def in_turn(self, answer: Callable[[], None]) -> bool:
        """Have the serving thread call this, after those that came before; return when it did.

        False, and at once, when too many wait.
        """
        if self._waiting.qsize() >= MOST_WAITING:
            return False
        done = threading.Event()
        self._waiting.put((answer, done))
        return done.wait()

    def answer_next(self, timeout: float | None = None) -> None:
        """Give one answer. Raises queue.Empty when none is asked for in so many seconds."""
        answer, done = self._waiting.get(timeout=timeout)
        try:
            answer()
        except Exception:  # a bug: its traceback is shown, the next client is served
            self.handle_error(None, None)
        finally:
            done.set()

    def serve_forever(self, poll_interval: float = 0.5) -> None:
        """Answer until interrupted."""
        accept = super().serve_forever
        threading.Thread(target=accept, args=(poll_interval,), daemon=True).start()
        try:
            while True:
                self.answer_next()
        finally:
            self.shutdown()


def listen(host: str, port: int) -> Any:
    """tinygrad's server on an open port, without a model yet: clients wait from now on.

    Raises BoltbeamError when the address cannot be had.
    """
    if not host:  # which Python takes for every interface
        raise BoltbeamError(
            "serve: --host is empty; give 127.0.0.1, or 0.0.0.0 for every interface"
        )
    from tinygrad.llm.serve import LLMServer

    from boltbeam.seam import tinygrad_adapter as tg

    tg.supply_missing_llm_module()

    class Server(Turns, LLMServer):  # type: ignore[misc]
        pass

    try:
        with contextlib.redirect_stdout(io.StringIO()):  # it says "started" before it is
            server = Server((host, port), None, "", None, None)
    except (OSError, OverflowError) as e:
        why = getattr(e, "strerror", None) or str(e)
        raise BoltbeamError(
            f"serve: cannot listen on {host}:{port}: {why}; choose another --port or --host"
        ) from None
    server.RequestHandlerClass = _handler()
    return server


def equip(server: Any, engine: Engine, name: str, tokenizer: Any) -> None:
    """Give a listening server its model: from now on it can answer."""
    server.model, server.model_name = engine, name
    server.tok, server.template = Words(tokenizer), Template(tokenizer)


def checked(raw: bytes) -> dict[str, Any]:
    """The body of a chat request, completed and normalised. ValueError says what is wrong."""
    try:
        body = json.loads(raw)
    except ValueError as e:
        raise ValueError(f"the body is no JSON: {e}") from None
    if not isinstance(body, dict):
        raise ValueError("the body is not a JSON object")
    messages = body.get("messages")
    if not isinstance(messages, list) or not messages:
        raise ValueError("messages is missing or empty")
    body["messages"] = [_message(m, f"messages[{i}]") for i, m in enumerate(messages)]
    body.setdefault("model", "")
    for name, neutral in REFUSED.items():
        if (value := body.get(name)) is not None and value not in neutral:
            raise ValueError(f"{name} is {value!r:.60}, which is not supported; leave it out")
    body["stop"] = _stops(body.get("stop"))
    if not isinstance(body.get("stream_options") or {}, dict):
        raise ValueError("stream_options is not an object")
    body["stream_options"] = body.get("stream_options") or {}
    for key in ("max_tokens", "max_completion_tokens"):
        n = body.get(key)
        if n is not None and (not isinstance(n, int) or isinstance(n, bool) or n < 1):
            raise ValueError(f"{key} is {n!r}, not a number of tokens")
    t = body["temperature"] = 0.0 if (t := body.get("temperature")) is None else t
    if not isinstance(t, int | float) or not 0 <= t <= 100 or not math.isfinite(t):
        raise ValueError(f"temperature is {t!r}; it is 0 (greedy) or more")
    seed = body.get("seed")
    if seed is not None and (not isinstance(seed, int) or isinstance(seed, bool)):
        raise ValueError(f"seed is {seed!r}, not an integer")
    return body


def _stops(given: Any) -> list[str]:
    """The strings before which an answer ends: of none, one or a list. An empty one ends none."""
    stops = [given] if isinstance(given, str) else [] if given is None else given
    if not isinstance(stops, list) or not all(isinstance(s, str) for s in stops):
        raise ValueError("stop is not a text or a list of texts")
    stops = [s for s in stops if s]
    if len(stops) > MOST_STOPS or any(len(s) > LONGEST_STOP for s in stops):
        raise ValueError(f"stop: at most {MOST_STOPS} texts of {LONGEST_STOP} characters")
    return stops


def _message(message: Any, where: str) -> dict[str, str]:
    """Role and text; of content in parts the texts, one after the other.

    Only the assistant may have said nothing: an answer without text has no content here either.
    """
    if not isinstance(message, dict) or not isinstance(message.get("role"), str):
        raise ValueError(f"{where} has no role")
    if message.get("tool_calls"):
        raise ValueError(f"{where} has tool_calls, which are not supported")
    content = message.get("content")
    if content is None and message["role"] == "assistant":
        content = ""
    if content is None:
        raise ValueError(f"{where} has no content; it is a text or a list of text parts")
    parts = content if isinstance(content, list) else [{"text": content}]
    written = (p for p in parts if isinstance(p, dict) and p.get("type", "text") == "text")
    texts = [p["text"] for p in written if isinstance(p.get("text"), str)]
    if len(texts) != len(parts) or not texts:
        raise ValueError(f'the content of {where} is not text, nor {{"type": "text"}} parts')
    return {"role": message["role"], "content": "".join(texts)}


def refusal(why: str, kind: str) -> dict[str, Any]:
    """What is answered instead, in OpenAI's form."""
    return {"error": {"message": why, "type": kind}}


def connected(client: socket.socket) -> bool:
    """False once the client has closed its end."""
    try:
        readable, _, _ = select.select([client], [], [], 0)
        return not readable or bool(client.recv(1, socket.MSG_PEEK))
    except OSError:
        return False


def _handler() -> Any:
    """tinygrad's request handler with checks around it."""
    from tinygrad.llm import serve as stock

    class Checked(stock.Handler):  # type: ignore[misc]
        rfile: Any
        path: str
        timeout = SILENCE_S

        def do_GET(self) -> None:
            self.path = self.path.partition("?")[0]
            if self.path == "/health":
                self.send({"status": "ok"})
            elif self.path in ("/", "/v1/models"):
                super().do_GET()
            else:
                self.refuse(404, f"no {self.path} to get here; there are {TO_GET}")

        def do_POST(self) -> None:
            try:
                length = int(self.headers.get("Content-Length") or 0)
                if length > LONGEST_BODY_BYTES:
                    self.refuse(413, f"a body of {length} bytes; at most {LONGEST_BODY_BYTES}")
                    return self.discard()
                raw = self.rfile.read(max(0, length))
                if self.path != "/v1/chat/completions":
                    return self.refuse(404, f"no {self.path} here; there is /v1/chat/completions")
                body = checked(raw)
                raw = json.dumps(body).encode()
            except (ValueError, RecursionError) as e:
                return self.refuse(400, str(e))
            except (ConnectionError, TimeoutError):
                return None
            self.rfile = io.BytesIO(raw)
            del self.headers["Content-Length"]
            self.headers["Content-Length"] = str(len(raw))
            if not self.server.in_turn(lambda: self.answer(body)):
                self.refuse(503, CROWDED, "server_error")
            return None

        def discard(self) -> None:
            """Read and forget: closed with bytes unread, the answer may never arrive."""
            end = time.monotonic() + LINGER_S
            with contextlib.suppress(OSError):
                self.connection.shutdown(socket.SHUT_WR)
                while (left := end - time.monotonic()) > 0:
                    self.connection.settimeout(left)
                    if not self.rfile.read1(1 << 16):
                        return

        def say_ignored(self, body: dict[str, Any]) -> None:
            """One line in the log for each field, at the first request that it would change."""
            for name, neutral in IGNORED.items() if body["temperature"] else ():
                value = body.get(name)
                if value is not None and value not in neutral and name not in self.server.ignored:
                    self.server.ignored.add(name)
                    what = "tokens are drawn from the whole vocabulary"
                    print(f"boltbeam: {name} is ignored: {what}", file=sys.stderr, flush=True)

        def answer(self, body: dict[str, Any]) -> None:
            self.say_ignored(body)
            client, model, until = self.connection, self.server.model, Until(body["stop"])
            model.seed, self.server.tok.until = body.get("seed"), until
            model.wanted, model.enough = lambda: connected(client), lambda: until.found
            try:
                if not connected(client):
                    raise ConnectionAbortedError("left before its turn")
                super().do_POST()
            except BoltbeamError as e:
                self.refuse(400, str(e))
            except (ConnectionError, TimeoutError):  # the client is gone: nobody to tell
                print("client left", file=sys.stderr, flush=True)
            except KeyboardInterrupt:  # tinygrad's own line about this answer is not ended
                print("interrupted", file=sys.stderr, flush=True)
                raise

        def run_model(self, ids: list[int], *args: Any, **options: Any) -> Iterator[dict[str, Any]]:
            room = self.server.model.max_context - len(ids)  # a full context ends by "length" too
            options["max_tokens"] = min(options.get("max_tokens") or room, room)
            for chunk in super().run_model(ids, *args, **options):
                for choice in chunk["choices"]:  # found with the last token allowed: no "length"
                    if choice["finish_reason"] == "length" and self.server.tok.until.found:
                        choice["finish_reason"] = "stop"
                yield chunk

        def send_error(self, code: int, message: str | None = None, *_: Any) -> None:
            """What Python's own server refuses (another method, say), as JSON too."""
            self.refuse(code, message or self.responses[code][0])

        def stream_json(self, source: Any) -> None:
            try:
                super().stream_json(source)
            except BoltbeamError as e:  # its head is sent: the error is the last event
                said = json.dumps(refusal(str(e), "server_error"))
                self.wfile.write(f"data: {said}\n\n".encode())

        def refuse(self, code: int, why: str, kind: str = "invalid_request_error") -> None:
            self.send(refusal(why, kind), code)

        def send(self, said: dict[str, Any], code: int = 200) -> None:
            with contextlib.suppress(ConnectionError, TimeoutError):
                self.send_data(json.dumps(said).encode(), status_code=code)

    return Checked


class Until:
    """A text that comes in pieces, up to the stop string that is complete first.

    What may be the beginning of one is held back: with "END", `a E`, `N`, `Q` -> `a `, ``, `ENQ`.
    """

    def __init__(self, stops: Sequence[str] = ()) -> None:
        self._stops, self._held, self.found = stops, "", False

    def push(self, piece: str, last: bool = False) -> str:
        """The text that is certain after one more piece (may be empty)."""
        if self.found:
            return ""
        text = self._held + piece
        starts = ((text.find(s), len(s)) for s in self._stops)
        ends = [(start + n, start) for start, n in starts if start >= 0]
        self.found = bool(ends)
        cut = min(ends)[1] if ends else len(text) if last else len(text) - self._open(text)
        self._held = text[cut:]
        return text[:cut]

    def _open(self, text: str) -> int:
        """Characters at the end of a text that are the beginning of a stop string."""
        lengths = (n for s in self._stops for n in range(1, len(s)) if text.endswith(s[:n]))
        return max(lengths, default=0)


class Words:
    """A tokenizer as tinygrad's server asks for one."""

    def __init__(self, tokenizer: Any) -> None:
        self._tokenizer = tokenizer
        self.until = Until()
        """Where the text ends; the server sets it for each request."""

    def encode(self, text: str) -> list[int]:
        ids: list[int] = self._tokenizer.encode(text)
        return ids

    def is_end(self, token: int) -> bool:
        return token in self._tokenizer.end_ids

    def stream_decoder(self) -> Callable[..., str]:
        """f(id) -> text that is complete with it; f() -> what is left."""
        decoder, until = self._tokenizer.stream(), self.until

        def text(token: int | None = None) -> str:
            if token is None:
                return until.push(decoder.flush(), last=True)
            return until.push(decoder.push(token))

        return text


class Template:
    """A tokenizer's chat template as tinygrad's server asks for one."""

    def __init__(self, tokenizer: Any) -> None:
        self._tokenizer = tokenizer

    def render(self, messages: Sequence[dict[str, str]], **_options: Any) -> str:
        text: str = self._tokenizer.chat(messages)
        return text
