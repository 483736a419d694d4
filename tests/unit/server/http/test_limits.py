from __future__ import annotations

from typing import TYPE_CHECKING

import anyio
import pytest
from starlette.testclient import TestClient

from blog_search_mcp.server.http import limits
from blog_search_mcp.server.http.app import build_app
from blog_search_mcp.server.http.limits import (
    AT_A_TIME,
    BURST,
    CLIENT_SESSIONS,
    LOCAL_CLIENTS,
    RATE,
    REMEMBERED,
    RateLimit,
    limit_bodies,
    share_threads,
)
from blog_search_mcp.server.settings import ANYONE, MESSAGE_BYTES, Access, Address
from tests.support.server_fixtures import FixedSearcher

if TYPE_CHECKING:
    from starlette.types import Message, Receive, Scope, Send

HERE = Address("127.0.0.1", 8765)


@pytest.mark.parametrize("chunked", [False, True])
def test_a_body_above_the_bound_is_refused(chunked: bool) -> None:
    body = b" " * (MESSAGE_BYTES + 1)
    with TestClient(build_app(FixedSearcher(), HERE, ANYONE), "http://localhost") as client:
        answer = client.post("/mcp", content=iter([body]) if chunked else body)
    assert answer.status_code == 413
    assert answer.json() == {"error": "A message may have at most 1,048,576 bytes."}


INITIALIZE = {
    "jsonrpc": "2.0",
    "id": 1,
    "method": "initialize",
    "params": {
        "protocolVersion": "2025-06-18",
        "capabilities": {},
        "clientInfo": {"name": "many", "version": "1"},
    },
}
PING = {"jsonrpc": "2.0", "id": 2, "method": "ping"}


@pytest.mark.parametrize(("address", "is_ended"), [("203.0.113.9", True), ("127.0.0.1", False)])
def test_a_client_with_too_many_sessions_loses_the_one_it_used_least_lately(
    address: str, is_ended: bool
) -> None:
    app = build_app(FixedSearcher(), HERE, ANYONE)
    with TestClient(app, "http://localhost", client=(address, 1)) as client:
        client.headers["accept"] = "application/json, text/event-stream"

        def ping(session: str) -> int:
            return client.post("/mcp", json=PING, headers={"mcp-session-id": session}).status_code

        def begin() -> str:
            return str(client.post("/mcp", json=INITIALIZE).headers["mcp-session-id"])

        sessions = [begin() for _ in range(CLIENT_SESSIONS)]
        assert ping(sessions[0]) == 200
        sessions.append(begin())
        assert [ping(session) for session in sessions[:3]] == [200, 404 if is_ended else 200, 200]
        assert ping(sessions[-1]) == 200


@pytest.mark.anyio
async def test_a_body_that_does_not_come_is_not_waited_for() -> None:
    async def never() -> Message:
        await anyio.sleep_forever()
        raise AssertionError

    sent: list[Message] = []

    async def send(message: Message) -> None:
        sent.append(message)

    async def app(_scope: Scope, _receive: Receive, _send: Send) -> None:
        raise AssertionError

    await limit_bodies(app, seconds=0.0)({"type": "http", "headers": []}, never, send)
    assert sent[0]["status"] == 408


@pytest.mark.anyio
async def test_a_client_that_left_while_it_sent_is_let_go_of() -> None:
    coming: list[Message] = [
        {"type": "http.request", "body": b"half", "more_body": True},
        {"type": "http.disconnect"},
    ]

    async def receive() -> Message:
        return coming.pop(0)

    async def app(_scope: Scope, _receive: Receive, _send: Send) -> None:
        raise AssertionError

    async def send(_message: Message) -> None:
        raise AssertionError

    await limit_bodies(app)({"type": "http", "headers": []}, receive, send)
    assert coming == []


class Clock:
    """A time that passes when the test says so."""

    def __init__(self) -> None:
        self.now = 1000.0

    def __call__(self) -> float:
        return self.now


def limited(monkeypatch: pytest.MonkeyPatch, rate: float, burst: float) -> tuple[Clock, RateLimit]:
    monkeypatch.setattr(limits, "RATE", rate)
    monkeypatch.setattr(limits, "BURST", burst)
    clock = Clock()
    return clock, RateLimit(clock)


def test_a_bucket_empties_and_fills_by_the_rate(monkeypatch: pytest.MonkeyPatch) -> None:
    clock, rate_limit = limited(monkeypatch, rate=2.0, burst=3.0)
    assert [rate_limit.wait("192.0.2.1") for _ in range(4)] == [0.0, 0.0, 0.0, 0.5]
    assert rate_limit.wait("192.0.2.2") == 0.0
    clock.now += 0.5
    assert [rate_limit.wait("192.0.2.1") for _ in range(2)] == [0.0, 0.5]
    clock.now += 1000.0
    assert [rate_limit.wait("192.0.2.1") for _ in range(4)] == [0.0, 0.0, 0.0, 0.5]


def test_a_burst_is_as_large_as_it_is_documented() -> None:
    limit = RateLimit(Clock())
    assert [limit.wait("192.0.2.1") for _ in range(int(BURST) + 1)] == [0.0] * int(BURST) + [
        1 / RATE
    ]


def test_addresses_of_one_ipv6_network_share_a_bucket(monkeypatch: pytest.MonkeyPatch) -> None:
    _, rate_limit = limited(monkeypatch, rate=1.0, burst=1.0)
    taken = [rate_limit.wait(each) for each in ("2001:db8::1", "2001:db8::2", "2001:db8:0:1::1")]
    assert taken == [0.0, 1.0, 0.0]


def test_this_machine_counts_as_many_clients(monkeypatch: pytest.MonkeyPatch) -> None:
    _, rate_limit = limited(monkeypatch, rate=1.0, burst=1.0)
    local = [rate_limit.wait(each) for each in ["127.0.0.1", "::1"] * int(LOCAL_CLIENTS)]
    assert local.index(next(wait for wait in local if wait)) == LOCAL_CLIENTS


def test_the_oldest_rate_limit_are_forgotten(monkeypatch: pytest.MonkeyPatch) -> None:
    _, rate_limit = limited(monkeypatch, rate=1.0, burst=1.0)
    addresses = [f"10.0.{number // 256}.{number % 256}" for number in range(REMEMBERED + 1)]
    assert {rate_limit.wait(each) for each in addresses} == {0.0}
    assert [rate_limit.wait(each) for each in (addresses[0], addresses[-1])] == [0.0, 1.0]


def test_a_client_that_asks_too_fast_is_told_when_to_come_again() -> None:
    app = build_app(FixedSearcher(), HERE, Access("0123456789abcdef"))
    with TestClient(app, "http://localhost", client=("192.0.2.1", 50000)) as client:
        answers = [client.get("/mcp") for _ in range(int(BURST + 10 * RATE))]
    refused = [answer for answer in answers if answer.status_code == 429]
    assert [answer.status_code for answer in answers[: int(BURST)]] == [401] * int(BURST)
    assert refused[0].headers["retry-after"] == "1"
    assert refused[0].json() == {"error": "Too many requests from this client; ask more slowly."}


def count_begun(clients: list[str], *, answers_at_once: bool) -> tuple[list[str], int]:
    """Send a request of each client to an app that does not finish any until all have come.

    Returns the clients of those that it had begun by then, and how many it finished.
    """
    begun: list[str] = []
    finished = 0

    async def run() -> None:
        nonlocal finished
        everyone = anyio.Event()

        async def app(scope: Scope, _receive: Receive, send: Send) -> None:
            nonlocal finished
            begun.append(scope["client"][0])
            if answers_at_once:
                await send({"type": "http.response.start", "status": 200, "headers": []})
            await everyone.wait()
            await send({"type": "http.response.body", "body": b""})
            finished += 1

        async def receive() -> Message:
            return {"type": "http.request"}

        async def send(_message: Message) -> None:
            return

        shared = share_threads(app)

        async def ask(client: str) -> None:
            await shared({"type": "http", "client": (client, 1)}, receive, send)

        async with anyio.create_task_group() as group:
            for client in clients:
                group.start_soon(ask, client)
            await anyio.wait_all_tasks_blocked()
            seen[:] = begun
            everyone.set()

    seen: list[str] = []
    anyio.run(run)
    return seen, finished


OTHER = "203.0.113.8"


@pytest.mark.parametrize(
    ("client", "answers_at_once", "most"),
    [("203.0.113.9", False, AT_A_TIME), ("203.0.113.9", True, 20), ("127.0.0.1", False, 20)],
)
def test_a_client_leaves_threads_to_the_others(
    client: str, answers_at_once: bool, most: int
) -> None:
    sent = [*[client] * 20, OTHER]
    begun, finished = count_begun(sent, answers_at_once=answers_at_once)
    assert sorted(begun) == sorted([*[client] * most, OTHER])
    assert finished == len(sent)
