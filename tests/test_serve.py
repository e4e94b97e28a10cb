"""The OpenAI-compatible server: what it says is what the plan generates, whatever clients do.

Answers are computed in the test's own thread; clients and readers of requests have others.
"""

from __future__ import annotations

import contextlib
import http.client
import itertools
import json
import queue
import signal
import socket
import socketserver
import struct
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from cli_cases import Shell, listening, post, refused
from decode_cases import CHIP, load, whole_token
from hypothesis import given
from hypothesis import strategies as st

from boltbeam.commands.serving import Served
from boltbeam.models.tokenizer import Tokenizer
from boltbeam.seam import tinygrad_server
from boltbeam.token import install as installer

Tiny = Callable[..., Path]
ASK = "abcd efgh"
CONTEXT = 128


@dataclass
class World:
    """A server on a free port, its model decoding by a plan."""

    server: Any
    served: Served
    tokenizer: Tokenizer

    @property
    def port(self) -> int:
        return int(self.server.server_address[1])

    def want(self, n: int, text: str = ASK) -> str:
        """What the plan's own loop says in n tokens, from an empty cache."""
        self.served.installed.model._cached_tokens = []
        chat = self.tokenizer.chat([{"role": "user", "content": text}])
        ids = list(
            installer.generate(
                self.served.installed, self.tokenizer.encode(chat), n, tuple(self.tokenizer.end_ids)
            )
        )
        self.served.installed.model._cached_tokens = []
        return self.tokenizer.decode(i for i in ids if i not in self.tokenizer.end_ids)

    def during(self, client: Callable[[], Any]) -> Any:
        """What `client` returns while the server answers."""
        got: list[Any] = []
        thread = threading.Thread(target=lambda: got.append(client()))
        thread.start()
        while thread.is_alive():
            with contextlib.suppress(queue.Empty):
                self.server.answer_next(timeout=0.02)
        assert got, "the client failed"
        return got[0]

    def ask(self, body: Any, path: str = "/v1/chat/completions") -> tuple[int, Any]:
        return self.during(lambda: post(self.port, body, path))  # type: ignore[no-any-return]


def get(port: int, path: str) -> tuple[int, Any]:
    link = http.client.HTTPConnection("127.0.0.1", port, timeout=120)
    link.request("GET", path)
    reply = link.getresponse()
    return reply.status, json.loads(reply.read())


def streamed(port: int, body: dict[str, Any]) -> list[dict[str, Any]]:
    """The events of a streamed answer, without the last, [DONE]."""
    link = http.client.HTTPConnection("127.0.0.1", port, timeout=120)
    link.request("POST", "/v1/chat/completions", json.dumps({**body, "stream": True}))
    reply = link.getresponse()
    assert reply.status == 200 and reply.headers["Content-Type"] == "text/event-stream"
    lines = [x for x in reply.read().decode().splitlines() if x]
    assert lines[-1] == "data: [DONE]"
    return [json.loads(x.removeprefix("data: ")) for x in lines[:-1]]


def chat(n: int, text: str = ASK, **more: Any) -> dict[str, Any]:
    return {"model": "m", "messages": [{"role": "user", "content": text}], "max_tokens": n, **more}


def until(true: Callable[[], bool]) -> None:
    """Wait for another thread's work."""
    end = time.monotonic() + 60
    while not true():
        assert time.monotonic() < end
        time.sleep(0.01)


def said(message: dict[str, Any]) -> dict[str, Any]:
    """A request in which this message comes second."""
    return {"model": "m", "messages": [*chat(4)["messages"], message], "max_tokens": 4}


def raw(body: dict[str, Any]) -> bytes:
    """The bytes of a chat request."""
    said = json.dumps(body).encode()
    head = f"POST /v1/chat/completions HTTP/1.0\r\nContent-Length: {len(said)}\r\n\r\n"
    return head.encode() + said


def text_of(events: list[dict[str, Any]]) -> str:
    deltas = [e["choices"][0]["delta"] for e in events if e["choices"]]
    return "".join(d.get("content") or "" for d in deltas)


@pytest.fixture(scope="module")
def world(tiny: Tiny) -> Iterator[World]:
    path = tiny()
    model, facts, files = load(path, CONTEXT)
    members = whole_token(facts, CONTEXT)
    made = installer.install(model, facts, files, members, CHIP, check=False)
    assert made.active
    server = tinygrad_server.listen("127.0.0.1", 0)
    served, tokenizer = Served(made), Tokenizer.from_gguf(path)
    tinygrad_server.equip(server, served, "tiny", tokenizer)
    accepting = threading.Thread(target=socketserver.TCPServer.serve_forever, args=(server, 0.05))
    accepting.start()
    with server:
        yield World(server, served, tokenizer)
        server.shutdown()
    accepting.join()


# ---- ready ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("query", ["", "?from=balancer"])
def test_health_and_models_are_told_while_nobody_answers_chats(world: World, query: str) -> None:
    assert get(world.port, f"/health{query}") == (200, {"status": "ok"})
    code, said = get(world.port, f"/v1/models{query}")
    assert code == 200 and [m["id"] for m in said["data"]] == ["tiny"]


def test_the_page_is_at_the_root(world: World) -> None:
    link = http.client.HTTPConnection("127.0.0.1", world.port, timeout=120)
    link.request("GET", "/?")
    reply = link.getresponse()
    assert reply.status == 200 and reply.headers["Content-Type"] == "text/html"
    assert b"/v1/chat/completions" in reply.read()


# ---- answers -----------------------------------------------------------------------------------


def test_a_whole_answer(world: World) -> None:
    want = world.want(12)
    code, said = world.ask(chat(12))
    (choice,) = said["choices"]
    assert code == 200 and choice["message"]["content"] == want
    assert choice["finish_reason"] == "length" and said["usage"]["completion_tokens"] == 12
    assert world.served.installed.plan.position >= said["usage"]["total_tokens"] - 1


def test_a_streamed_answer(world: World) -> None:
    want = world.want(12)
    events = world.during(lambda: streamed(world.port, chat(12)))
    assert text_of(events) == want and len(events) > 8
    assert events[-1]["choices"][0]["finish_reason"] == "length"


def test_the_usage_of_a_streamed_answer(world: World) -> None:
    _, said = world.ask(chat(12))
    assert said["usage"]["completion_tokens"] == 12
    for options in (None, {}, {"include_usage": False}):
        events = world.during(lambda o=options: streamed(world.port, chat(12, stream_options=o)))
        assert not [e for e in events if "usage" in e] and all(e["choices"] for e in events)
    options = {"include_usage": True}
    *rest, last = world.during(lambda: streamed(world.port, chat(12, stream_options=options)))
    assert last["choices"] == [] and last["usage"] == said["usage"]
    assert rest[-1]["choices"][0]["finish_reason"] == "length"


@pytest.mark.parametrize("stream", [True, False])
def test_an_end_token_is_a_stop_and_no_text(world: World, stream: bool) -> None:
    want, generate = world.want(3), world.served.generate

    def ended(*args: Any, **more: Any) -> Iterator[int]:
        yield from itertools.islice(generate(*args, **more), 3)
        yield min(world.tokenizer.end_ids)

    world.served.generate = ended  # type: ignore[method-assign]
    try:
        if stream:
            events = world.during(lambda: streamed(world.port, chat(12)))
            assert text_of(events) == want
            (choice,) = events[-1]["choices"]
        else:
            _, said = world.ask(chat(12))
            (choice,) = said["choices"]
            assert choice["message"]["content"] == want and said["usage"]["completion_tokens"] == 3
    finally:
        del world.served.generate
    assert choice["finish_reason"] == "stop"


def test_an_error_in_a_stream_is_its_last_event(world: World) -> None:
    def damaged(*_: Any, **__: Any) -> Iterator[int]:
        yield from (5, 1 << 20)

    def events() -> list[str]:
        link = http.client.HTTPConnection("127.0.0.1", world.port, timeout=120)
        link.request("POST", "/v1/chat/completions", json.dumps(chat(12, stream=True)))
        return link.getresponse().read().decode().split("\n\n")

    world.served.generate = damaged  # type: ignore[method-assign]
    try:
        *_, last, end = world.during(events)
    finally:
        del world.served.generate
    error = json.loads(last.removeprefix("data: "))["error"]
    assert "outside the vocabulary" in error["message"] and end == ""


def test_a_conversation_goes_on_from_the_cache(world: World) -> None:
    first = world.want(6)
    talk = chat(6)
    talk["messages"] += [
        {"role": "assistant", "content": first},
        {"role": "user", "content": [{"type": "text", "text": "mnop"}]},
    ]
    _, fresh = world.ask(talk)
    world.served.installed.model._cached_tokens = []
    _, again = world.ask(chat(6))
    assert again["choices"][0]["message"]["content"] == first
    _, warm = world.ask(talk)
    assert warm["choices"] == fresh["choices"]


def test_content_in_parts_and_an_assistant_that_said_nothing(world: World) -> None:
    def ask(*messages: dict[str, Any]) -> Any:
        code, said = world.ask({**chat(6), "messages": messages})
        assert code == 200
        return said["choices"][0]["message"]["content"], said["usage"]["prompt_tokens"]

    parts = [{"type": "text", "text": t} for t in (ASK[:3], "", ASK[3:])]
    whole = ask({"role": "user", "content": ASK})
    assert whole[0] == world.want(6) and ask({"role": "user", "content": parts}) == whole
    user, nothing = chat(6)["messages"][0], {"role": "assistant", "content": ""}
    want = ask(user, nothing, user)
    assert ask(user, {"role": "assistant", "content": None}, user) == want
    assert ask(user, {"role": "assistant"}, user) == want


def test_until_the_context_is_full(world: World) -> None:
    body = chat(1)
    del body["max_tokens"]
    for more in ({}, {"max_tokens": 1000}):
        _, said = world.ask({**body, **more})
        full = said["usage"]["total_tokens"] == CONTEXT
        assert said["choices"][0]["finish_reason"] == ("length" if full else "stop")
        assert said["usage"]["completion_tokens"] > 0 and said["usage"]["total_tokens"] <= CONTEXT


def test_sampling(world: World) -> None:
    want = world.want(12)
    cold = world.ask(chat(12, temperature=1e-4))[1]["choices"][0]["message"]["content"]
    assert cold == want
    hot = {
        world.ask(chat(12, temperature=2.0))[1]["choices"][0]["message"]["content"]
        for _ in range(3)
    }
    assert len(hot) > 1
    seeded = [
        world.ask(chat(12, temperature=2.0, seed=s))[1]["choices"][0]["message"]["content"]
        for s in (7, 8, 7)
    ]
    assert seeded[0] == seeded[2] != seeded[1]
    assert world.ask(chat(12))[1]["choices"][0]["message"]["content"] == want


def test_what_is_ignored_is_said_once(world: World, capfd: pytest.CaptureFixture[str]) -> None:
    for more in ({"top_p": 0.5}, {"temperature": 1.0, "top_p": 1}, {"temperature": 1.0}):
        assert world.ask(chat(2, **more))[0] == 200
    assert "ignored" not in capfd.readouterr().err
    for more in ({"top_p": 0.95}, {"top_p": 0.5}, {"top_k": 40, "min_p": 0}):
        assert world.ask(chat(2, temperature=1.0, **more))[0] == 200
    lines = [x for x in capfd.readouterr().err.splitlines() if "ignored" in x]
    said = "is ignored: tokens are drawn from the whole vocabulary"
    assert lines == [f"boltbeam: top_p {said}", f"boltbeam: top_k {said}"]


def test_the_text_ends_before_a_stop_string(world: World) -> None:
    whole = world.want(12)
    pieces = [text_of([e]) for e in world.during(lambda: streamed(world.port, chat(12)))]
    pieces = [p for p in pieces if p]
    for at in (0, 3, len(pieces) - 2):  # across a border of tokens each
        before = "".join(pieces[:at])
        stop = pieces[at] + pieces[at + 1][:1]
        want = whole[: whole.index(stop)]
        world.served.installed.model._cached_tokens = []
        _, said = world.ask(chat(12, stop=stop))
        (choice,) = said["choices"]
        assert (choice["message"]["content"] or "") == want and len(want) <= len(before)
        assert choice["finish_reason"] == "stop"
        assert said["usage"]["completion_tokens"] < 12 or at > 3
        events = world.during(lambda s=stop: streamed(world.port, chat(12, stop=["\0", s])))
        assert text_of(events) == want and events[-1]["choices"][0]["finish_reason"] == "stop"


def test_a_stop_string_at_the_last_token_that_is_allowed(world: World) -> None:
    whole = world.want(12)
    _, said = world.ask(chat(12, stop=whole[-1] + "\0"))  # begins, and is not completed
    assert said["choices"][0]["message"]["content"] == whole
    assert said["choices"][0]["finish_reason"] == "length"
    tokens = next(n for n in range(1, 13) if whole[0] in world.want(n))
    _, said = world.ask(chat(tokens, stop=whole[0]))
    assert said["choices"][0] == {
        "index": 0,
        "message": {"role": "assistant", "content": None},
        "finish_reason": "stop",
    }
    assert world.ask(chat(12))[1]["choices"][0]["message"]["content"] == whole  # only that request


def test_no_token_is_computed_after_the_text_is_complete(world: World) -> None:
    text = world.want(12)
    computed: list[int] = []
    generate = world.served.generate

    def counted(*args: Any, **more: Any) -> Iterator[int]:
        for token in generate(*args, **more):
            computed.append(token)
            yield token

    world.served.generate = counted  # type: ignore[method-assign]
    try:
        _, said = world.ask(chat(12, stop=text[1]))
    finally:
        del world.served.generate
    assert len(computed) == said["usage"]["completion_tokens"] < 12


@given(
    text=st.text("ab", max_size=12),
    stops=st.lists(st.text("ab", min_size=1, max_size=4), max_size=3),
    data=st.data(),
)
def test_stop_strings_do_not_depend_on_the_pieces(
    text: str, stops: list[str], data: st.DataObject
) -> None:
    cuts = sorted(data.draw(st.lists(st.integers(0, len(text)), max_size=6)))
    until = tinygrad_server.Until(stops)
    bounds = [0, *cuts, len(text)]
    got = "".join(until.push(text[a:b]) for a, b in itertools.pairwise(bounds))
    got += until.push("", last=True)
    ends = [(n, s) for n in range(len(text) + 1) for s in stops if text[:n].endswith(s)]
    first = [(n, s) for n, s in ends if n == ends[0][0]]
    want = text[: min(n - len(s) for n, s in first)] if first else text
    assert got == want and until.found == bool(first)


# ---- clients that leave, clients in turn -------------------------------------------------------


@pytest.mark.parametrize("stream", [True, False])
def test_a_client_that_leaves(world: World, stream: bool) -> None:
    want = world.want(10)
    asked: list[int] = []
    generate = world.served.generate

    def counted(*args: Any, **more: Any) -> Iterator[int]:
        for token in generate(*args, **more):
            asked.append(token)
            if len(asked) == 3:
                gone.set()
                left.wait(60)
            yield token

    gone, left = threading.Event(), threading.Event()

    def leave() -> bool:
        link = socket.create_connection(("127.0.0.1", world.port), timeout=60)
        link.sendall(raw({**chat(100), "stream": stream}))
        gone.wait(60)
        link.close()
        left.set()
        return True

    world.served.generate = counted  # type: ignore[method-assign]
    try:
        assert world.during(leave)
    finally:
        del world.served.generate
    assert len(asked) < 10
    code, said = world.ask(chat(10))
    assert code == 200 and said["choices"][0]["message"]["content"] == want


def test_a_client_that_says_nothing(world: World) -> None:
    world.server.RequestHandlerClass.timeout = 0.2
    try:
        with socket.create_connection(("127.0.0.1", world.port), timeout=60) as silent:
            assert silent.recv(1) == b""
    finally:
        world.server.RequestHandlerClass.timeout = tinygrad_server.SILENCE_S
    assert world.ask(chat(2))[0] == 200


@pytest.mark.parametrize(
    "sent",
    [b"", b"POST /v1/cha", b"POST /v1/chat/completions HTTP/1.0\r\nContent-Length: 9\r\n\r\n{"],
)
def test_a_client_that_stops_in_its_request_keeps_nobody_waiting(world: World, sent: bytes) -> None:
    with socket.create_connection(("127.0.0.1", world.port)) as silent:
        silent.sendall(sent)
        began = time.monotonic()
        assert world.ask(chat(2))[0] == 200
        assert time.monotonic() - began < tinygrad_server.SILENCE_S / 4


def test_more_requests_than_may_wait(world: World) -> None:
    with contextlib.ExitStack() as stack:
        for _ in range(tinygrad_server.MOST_WAITING):  # they leave before they are answered
            link = socket.create_connection(("127.0.0.1", world.port), timeout=60)
            stack.enter_context(link).sendall(raw(chat(4)))
        until(lambda: world.server._waiting.qsize() == tinygrad_server.MOST_WAITING)
        code, said = post(world.port, chat(4))
        assert code == 503 and "too many clients wait" in said["error"]["message"]
        assert get(world.port, "/health")[0] == 200
    world.during(lambda: until(world.server._waiting.empty) or True)
    assert world.ask(chat(2))[0] == 200


def test_more_clients_than_there_are_places(world: World) -> None:
    with contextlib.ExitStack() as stack:
        before = threading.active_count()
        for _ in range(tinygrad_server.MOST_CLIENTS + 10):
            link = socket.create_connection(("127.0.0.1", world.port), timeout=60)
            stack.enter_context(link)
        head, _, said = b"".join(iter(lambda: link.recv(4096), b"")).partition(b"\r\n\r\n")
        assert head.startswith(b"HTTP/1.0 503 ") and b"too many clients wait" in said
        for _ in range(10):  # one that speaks first is told as well
            code, answer = post(world.port, chat(4))
            assert code == 503 and "too many" in answer["error"]["message"]
        assert threading.active_count() <= before + tinygrad_server.MOST_CLIENTS
    until(lambda: threading.active_count() <= before)
    assert world.ask(chat(2))[0] == 200


@pytest.mark.parametrize("sent", [b"", b"GET", b"GET / HTTP/1.0\r\nHost:", raw(chat(4))[:-3]])
def test_a_client_that_breaks_off_leaves_no_traceback(
    world: World, sent: bytes, capfd: pytest.CaptureFixture[str]
) -> None:
    link = socket.create_connection(("127.0.0.1", world.port), timeout=60)
    until(lambda: world.server._places._value < tinygrad_server.MOST_CLIENTS)
    link.sendall(sent)
    link.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    link.close()  # which resets the connection
    until(lambda: world.server._places._value == tinygrad_server.MOST_CLIENTS)
    assert "Traceback" not in capfd.readouterr().err


def test_models_are_told_during_an_answer(world: World) -> None:
    def ask() -> bool:
        link = http.client.HTTPConnection("127.0.0.1", world.port, timeout=120)
        link.request("POST", "/v1/chat/completions", json.dumps(chat(4)))
        assert get(world.port, "/v1/models")[0] == 200  # nobody answers chats yet
        asked.set()
        return link.getresponse().status == 200

    asked = threading.Event()
    thread = threading.Thread(target=ask)
    thread.start()
    assert asked.wait(60)
    world.during(thread.join)


def test_a_slow_reader_gets_its_whole_stream(world: World) -> None:
    want = world.want(20)

    def slow() -> str:
        with socket.create_connection(("127.0.0.1", world.port), timeout=60) as link:
            link.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1024)
            link.sendall(raw(chat(20, stream=True)))
            got = b""
            while piece := link.recv(256):
                got += piece
                time.sleep(0.02)
        lines = got.decode().partition("\r\n\r\n")[2].splitlines()
        assert lines[-2:] == ["data: [DONE]", ""]
        return text_of([json.loads(x.removeprefix("data: ")) for x in lines[:-2] if x])

    assert world.during(slow) == want


def test_two_clients_in_turn(world: World) -> None:
    wants = [world.want(8, text) for text in ("abcd", "wxyz")]
    got: dict[int, list[str]] = {0: [], 1: []}

    def client(me: int) -> None:
        for _ in range(2):
            text = ("abcd", "wxyz")[me]
            got[me].append(text_of(streamed(world.port, chat(8, text))))

    def both() -> bool:
        threads = [threading.Thread(target=client, args=(i,)) for i in (0, 1)]
        [t.start() for t in threads]
        [t.join(60) for t in threads]
        return True

    assert world.during(both)
    assert got == {0: [wants[0]] * 2, 1: [wants[1]] * 2}


# ---- bad requests ------------------------------------------------------------------------------

BAD = [
    (b"{", 400, "property name"),
    (b"[]", 400, "not a JSON object"),
    (b"\xff", 400, "utf-8"),
    (b"", 400, ""),
    ({}, 400, "messages is missing"),
    ({"messages": []}, 400, "messages is missing"),
    ({"messages": ["hello"]}, 400, "messages[0] has no role"),
    (said({"role": "user", "content": 7}), 400, "the content of messages[1] is not text"),
    (said({"role": "user", "content": []}), 400, "is not text"),
    (said({"role": "user", "content": ["hello"]}), 400, "is not text"),
    (said({"role": "user", "content": [{"type": "text"}]}), 400, "is not text"),
    (said({"role": "user", "content": [{"type": "image_url", "text": ""}]}), 400, "is not text"),
    (said({"role": "user"}), 400, "messages[1] has no content"),
    (said({"role": "system", "content": None}), 400, "messages[1] has no content"),
    (said({"role": "assistant", "content": None, "tool_calls": [{}]}), 400, "has tool_calls"),
    (chat(0), 400, "max_tokens"),
    (chat(4, temperature="hot"), 400, "temperature"),
    (chat(4, temperature=-1), 400, "temperature"),
    (chat(4, seed="one"), 400, "seed"),
    (chat(4, tools=[{"type": "function"}]), 400, "tools is [{"),
    (chat(4, tool_choice="required"), 400, "tool_choice is 'required'"),
    (chat(4, functions=[{"name": "f"}]), 400, "functions"),
    (chat(4, frequency_penalty=0.5), 400, "frequency_penalty is 0.5, which is not supported"),
    (chat(4, presence_penalty=-1), 400, "presence_penalty is -1"),
    (chat(4, logit_bias={"7": -100}), 400, "logit_bias"),
    (chat(4, stop=7), 400, "stop is not"),
    (chat(4, stop=["a", 7]), 400, "stop is not"),
    (chat(4, stop=["a"] * 17), 400, "at most 16"),
    (chat(4, stop="a" * 1001), 400, "1000 characters"),
    ({**chat(4), "n": 2}, 400, "n is 2"),
    (chat(4, logprobs=True), 400, "logprobs"),
    (chat(4, top_logprobs=3), 400, "logprobs"),
    (chat(4, response_format={"type": "json_object"}), 400, "response_format"),
    (chat(4, "long " * 200), 400, "model context is 128"),
    (chat(4, "a\ud800b"), 400, "half a character in the text, U+D800"),
    (chat(4, stream=True, messages=[{"role": "\udfff", "content": ""}]), 400, "U+DFFF"),
]


NEUTRAL = [
    dict.fromkeys((*tinygrad_server.REFUSED, *tinygrad_server.IGNORED)),
    {"n": 1, "logprobs": False, "top_logprobs": 0, "response_format": {"type": "text"}},
    {"tools": [], "tool_choice": "auto", "frequency_penalty": 0.0, "presence_penalty": 0},
    {"user": "me", "store": False, "parallel_tool_calls": True, "metadata": {}, "top_p": 0.95},
    *({"stop": s} for s in (None, "", [], [""], ["\0", ""])),
]


@pytest.mark.parametrize("more", NEUTRAL)
def test_what_changes_nothing_is_accepted(world: World, more: dict[str, Any]) -> None:
    want = world.want(4)
    (choice,) = world.ask({**chat(4), **more})[1]["choices"]
    assert choice["message"]["content"] == want and choice["finish_reason"] == "length"


@pytest.mark.parametrize(("body", "code", "word"), BAD)
def test_bad_requests_are_answered(world: World, body: Any, code: int, word: str) -> None:
    got, said = world.ask(body)
    assert got == code and word in said["error"]["message"]


def test_another_path(world: World) -> None:
    code, said = world.ask(chat(4), "/v1/completions")
    assert code == 404 and "/v1/chat/completions" in said["error"]["message"]


@pytest.mark.parametrize("path", ["/v1", "/v1/chat/completions", "/index.html", "/health/x"])
def test_an_unknown_path_to_get(world: World, path: str) -> None:
    code, said = get(world.port, path)
    assert code == 404 and f"no {path} to get" in said["error"]["message"]


def test_another_method(world: World) -> None:
    link = http.client.HTTPConnection("127.0.0.1", world.port, timeout=120)
    link.request("PUT", "/v1/models", "{}")
    reply = link.getresponse()
    assert reply.status == 501 and "'PUT'" in json.loads(reply.read())["error"]["message"]


def test_a_body_too_long_is_not_read(world: World) -> None:
    def announce() -> bytes:
        with socket.create_connection(("127.0.0.1", world.port), timeout=60) as link:
            head = b"POST /v1/chat/completions HTTP/1.0\r\nContent-Length: 1000000000000\r\n\r\n"
            link.sendall(head)
            return b"".join(iter(lambda: link.recv(4096), b""))

    head, _, said = world.during(announce).partition(b"\r\n\r\n")
    assert head.split()[1] == b"413"
    assert "1000000000000 bytes" in json.loads(said)["error"]["message"]


def test_a_body_too_long_that_is_sent(world: World) -> None:
    code, said = world.ask(b" " * (tinygrad_server.LONGEST_BODY_BYTES + 1))
    assert code == 413 and "at most 8388608" in said["error"]["message"]
    assert world.ask(chat(2, "long"))[0] == 200


# ---- the command -------------------------------------------------------------------------------


def test_the_command_serves_stock_until_interrupted_in_an_answer(shell: Shell, tiny: Tiny) -> None:
    words = ("serve", "--model", tiny(), "--port", "0", "--context", "64")
    child = shell.start(*words, XDG_DATA_HOME="/dev/null/x")  # which takes no file: none is needed
    try:
        line, port = listening(child)
        assert "64 positions, stock; Ctrl-C" in line
        assert get(port, "/v1/models")[1]["data"][0]["id"].startswith("tiny-llama")
        code, said = post(port, chat(4))
        assert code == 200 and said["usage"]["completion_tokens"] >= 1
        busy = shell.run("serve", "--model", tiny(), "--port", str(port))
        refused(busy, 2, str(port), "in use", "--port")
        link = http.client.HTTPConnection("127.0.0.1", port, timeout=120)
        link.request("POST", "/v1/chat/completions", json.dumps(chat(60, stream=True)))
        assert link.getresponse().readline().startswith(b"data: ")
        with (  # one that says nothing, one that waits its turn
            socket.create_connection(("127.0.0.1", port)),
            socket.create_connection(("127.0.0.1", port)) as second,
        ):
            second.sendall(raw(chat(4)))
            child.send_signal(signal.SIGINT)
            _, err = child.communicate(timeout=60)
    finally:
        child.kill()
        child.wait()
    assert child.returncode == 130
    assert "Traceback" not in err and err.splitlines()[-1] == "boltbeam: interrupted"


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--port", "70000"], "--port"),
        (["--host", "no.such.host.invalid", "--port", "0"], "no.such.host.invalid"),
        (["--host", "", "--port", "0"], "--host is empty"),
        (["--context", "100000"], "--context"),
        (["--chip", "cpuu"], "did you mean 'cpu'"),
    ],
)
def test_what_cannot_be_served(shell: Shell, tiny: Tiny, words: list[str], said: str) -> None:
    refused(shell.run("serve", "--model", tiny(), *words), 2, said)


def test_a_model_without_a_chat_template(shell: Shell, outline: Tiny) -> None:
    path = outline("tiny-llama", metadata={"tokenizer.chat_template": None})
    refused(shell.run("serve", "--model", path), 2, "no chat template", "--raw")
