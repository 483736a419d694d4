"""Who is answered over HTTP, and how everyone else is refused."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import anyio
import pytest
from starlette.testclient import TestClient

from blog_search_mcp.index.errors import IndexMissing
from blog_search_mcp.server.http.app import build_app
from blog_search_mcp.server.http.body_limit import BodyGuard
from blog_search_mcp.server.http.rate_limit import (
    BURST,
    LOCAL_CLIENTS,
    RATE,
    REMEMBERED,
    Buckets,
    PlacesGuard,
)
from blog_search_mcp.server.settings import ANYONE, Access, Address
from blog_search_mcp.server.stdio.json_rpc import MESSAGE_BYTES
from tests.support.server_fixtures import FixedSearcher

if TYPE_CHECKING:
    from collections.abc import Iterator

    from starlette.types import Message, Receive, Scope, Send

    from blog_search_mcp.index.store.statistics import Overview

HERE = Address("127.0.0.1", 8765)
EVERYWHERE = Address("0.0.0.0", 8765)
TOKEN = "0123456789abcdef"
ACCEPT = {"Accept": "application/json, text/event-stream"}
LIST = {
    "jsonrpc": "2.0",
    "id": 1,
    "method": "tools/list",
    "params": {
        "_meta": {
            "io.modelcontextprotocol/protocolVersion": "2026-07-28",
            "io.modelcontextprotocol/clientCapabilities": {},
        }
    },
}


@contextmanager
def client_of(
    address: Address = HERE, access: Access = ANYONE, client: str = "127.0.0.1"
) -> Iterator[TestClient]:
    app = build_app(FixedSearcher(), address, access)
    with TestClient(app, f"http://{address.host}:8765", client=(client, 50000)) as made:
        yield made


def listed(client: TestClient, **headers: str) -> tuple[int, dict[str, Any]]:
    modern = {"MCP-Protocol-Version": "2026-07-28", "Mcp-Method": "tools/list"}
    answer = client.post("/mcp", json=LIST, headers={**ACCEPT, **modern, **headers})
    return answer.status_code, answer.json()


@pytest.mark.parametrize(
    "host", ["127.0.0.1:8765", "localhost", "LOCALHOST:8765", "localhost.", "[::1]:8765", "[::1]"]
)
def test_every_name_of_this_machine_is_answered(host: str) -> None:
    with client_of() as client:
        status, answer = listed(client, Host=host)
    assert status == 200
    assert len(answer["result"]["tools"]) == 2


@pytest.mark.parametrize(
    "host",
    ["evil.example:8765", "evil.example", "127.0.0.1.evil.example", "10.0.0.1:8765", "", "a b"],
)
@pytest.mark.parametrize("path", ["/health", "/mcp", "/nowhere"])
def test_a_rebound_name_is_refused_everywhere(host: str, path: str) -> None:
    with client_of() as client:
        answer = client.get(path, headers={"Host": host})
    assert answer.status_code == 421
    assert answer.json() == {"error": "This server does not go by that Host."}


@pytest.mark.parametrize(
    ("origin", "host", "status"),
    [
        ("http://127.0.0.1:8765", "127.0.0.1:8765", 200),
        ("http://localhost:8765", "127.0.0.1:8765", 200),
        ("http://localhost", "localhost", 200),
        ("https://localhost", "localhost", 200),
        ("http://localhost:3000", "localhost:8765", 403),
        ("http://evil.example", "localhost", 403),
        ("http://evil.example:8765", "localhost:8765", 403),
        ("file://localhost", "localhost", 403),
        ("null", "localhost", 403),
        ("", "localhost", 403),
    ],
)
def test_only_pages_of_this_server_are_answered(origin: str, host: str, status: int) -> None:
    with client_of() as client:
        answer = client.get("/health", headers={"Host": host, "Origin": origin})
    assert answer.status_code == status


def test_other_pages_cannot_read_unless_they_were_named() -> None:
    asked = {"Origin": "https://notes.example", "Access-Control-Request-Method": "POST"}
    with client_of() as client:
        refused = client.options("/mcp", headers=asked)
    assert refused.status_code == 403
    assert "access-control-allow-origin" not in refused.headers
    with client_of(access=Access(origins=("https://notes.example",))) as client:
        allowed = client.options("/mcp", headers=asked)
        other = client.options("/mcp", headers={**asked, "Origin": "https://other.example"})
        answer = client.get("/health", headers={"Origin": "https://notes.example"})
    assert allowed.headers["access-control-allow-origin"] == "https://notes.example"
    assert (allowed.status_code, other.status_code, answer.status_code) == (200, 403, 200)
    assert answer.headers["access-control-allow-origin"] == "https://notes.example"


@pytest.mark.parametrize(
    ("host", "status"),
    [
        ("192.0.2.7:8765", 200),
        ("[2001:db8::7]:8765", 200),
        ("blog.example.org", 200),
        ("localhost", 200),
        ("evil.example", 421),
    ],
)
def test_on_every_address_only_numbers_and_given_names_are_answered(host: str, status: int) -> None:
    with client_of(EVERYWHERE, Access(TOKEN, names=("blog.example.org",))) as client:
        assert client.get("/health", headers={"Host": host}).status_code == status


@pytest.mark.parametrize("given", [f"Bearer {TOKEN}", f"bearer {TOKEN}", f"Bearer  {TOKEN} "])
def test_the_token_opens(given: str) -> None:
    with client_of(EVERYWHERE, Access(TOKEN)) as client:
        status, _ = listed(client, Authorization=given)
    assert status == 200


@pytest.mark.parametrize(
    "given", [f"Bearer {TOKEN}0", f"Bearer {TOKEN[:-1]}", f"Basic {TOKEN}", TOKEN, "Bearer", "ä"]
)
def test_a_wrong_token_is_told_so(given: str) -> None:
    with client_of(EVERYWHERE, Access(TOKEN)) as client:
        answer = client.post("/mcp", json=LIST, headers={b"Authorization": given.encode()})
    assert answer.status_code == 401
    assert answer.headers["www-authenticate"] == 'Bearer realm="blog", error="invalid_token"'
    assert answer.json() == {"error": "The token is not this server's."}


def test_without_a_token_nothing_but_health_is_given() -> None:
    with client_of(access=Access(TOKEN)) as client:
        answers = {path: client.get(path) for path in ("/mcp", "/nowhere", "/health")}
    assert {path: answer.status_code for path, answer in answers.items()} == {
        "/mcp": 401,
        "/nowhere": 401,
        "/health": 200,
    }
    assert answers["/mcp"].headers["www-authenticate"] == 'Bearer realm="blog"'
    assert answers["/mcp"].json() == {
        "error": "This server needs a token: send it as Authorization: Bearer TOKEN."
    }


def test_health_tells_what_answers_and_nothing_of_the_machine() -> None:
    with client_of() as client:
        answer = client.get("/health")
    assert answer.json() == {"status": "ok", "generation": 7, "posts": 2}
    assert "server" not in answer.headers


class Empty(FixedSearcher):
    @property
    def overview(self) -> Overview:
        raise IndexMissing("There is no index in /home/me/secret yet.")


def test_health_without_an_index_says_that_nothing_can_be_answered() -> None:
    with TestClient(build_app(Empty(), HERE, ANYONE), "http://localhost") as client:
        answer = client.get("/health")
    assert answer.status_code == 503
    assert answer.json() == {"status": "no index", "generation": None, "posts": None}


@pytest.mark.parametrize("chunked", [False, True])
def test_a_body_above_the_bound_is_refused(chunked: bool) -> None:
    body = b" " * (MESSAGE_BYTES + 1)
    with client_of() as client:
        answer = client.post("/mcp", content=iter([body]) if chunked else body)
    assert answer.status_code == 413
    assert answer.json() == {"error": "A message may have at most 1,048,576 bytes."}


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

    await BodyGuard(app, seconds=0.0)({"type": "http", "headers": []}, never, send)
    assert sent[0]["status"] == 408


@pytest.mark.anyio
async def test_a_client_that_left_while_it_sent_is_told_to_the_application() -> None:
    coming: list[Message] = [
        {"type": "http.request", "body": b"half", "more_body": True},
        {"type": "http.disconnect"},
    ]
    got: list[Message] = []

    async def receive() -> Message:
        return coming.pop(0)

    async def app(_scope: Scope, received: Receive, _send: Send) -> None:
        got.append(await received())

    async def send(_message: Message) -> None:
        raise AssertionError

    await BodyGuard(app)({"type": "http", "headers": []}, receive, send)
    assert got == [{"type": "http.disconnect"}]


class Clock:
    """A time that passes when the test says so."""

    def __init__(self) -> None:
        self.now = 1000.0

    def __call__(self) -> float:
        return self.now


def test_a_bucket_empties_and_fills_by_the_rate() -> None:
    clock = Clock()
    buckets = Buckets(clock, rate=2.0, burst=3.0)
    assert [buckets.take("192.0.2.1") for _ in range(4)] == [0.0, 0.0, 0.0, 0.5]
    assert buckets.take("192.0.2.2") == 0.0
    clock.now += 0.5
    assert [buckets.take("192.0.2.1") for _ in range(2)] == [0.0, 0.5]
    clock.now += 1000.0
    assert [buckets.take("192.0.2.1") for _ in range(4)] == [0.0, 0.0, 0.0, 0.5]


def test_addresses_of_one_ipv6_network_share_a_bucket() -> None:
    buckets = Buckets(Clock(), rate=1.0, burst=1.0)
    taken = [buckets.take(each) for each in ("2001:db8::1", "2001:db8::2", "2001:db8:0:1::1")]
    assert taken == [0.0, 1.0, 0.0]


def test_this_machine_counts_as_many_clients() -> None:
    buckets = Buckets(Clock(), rate=1.0, burst=1.0)
    local = [buckets.take(each) for each in ["127.0.0.1", "::1"] * int(LOCAL_CLIENTS)]
    assert local.index(next(wait for wait in local if wait)) == LOCAL_CLIENTS


def test_the_oldest_buckets_are_forgotten() -> None:
    buckets = Buckets(Clock(), rate=1.0, burst=1.0)
    addresses = [f"10.0.{number // 256}.{number % 256}" for number in range(REMEMBERED + 1)]
    assert {buckets.take(each) for each in addresses} == {0.0}
    assert [buckets.take(each) for each in (addresses[0], addresses[-1])] == [0.0, 1.0]


def test_a_client_that_asks_too_fast_is_told_when_to_come_again() -> None:
    with client_of(EVERYWHERE, Access(TOKEN), client="192.0.2.1") as client:
        answers = [client.get("/mcp") for _ in range(int(BURST + 10 * RATE))]
    refused = [answer for answer in answers if answer.status_code == 429]
    assert [answer.status_code for answer in answers[: int(BURST)]] == [401] * int(BURST)
    assert refused[0].headers["retry-after"] == "1"
    assert refused[0].json() == {"error": "Too many requests from this client; ask more slowly."}


@pytest.mark.anyio
async def test_no_more_requests_are_worked_on_than_there_are_places() -> None:
    going, finish = anyio.Event(), anyio.Event()
    statuses: list[int] = []

    async def app(_scope: Scope, _receive: Receive, _send: Send) -> None:
        going.set()
        await finish.wait()

    async def receive() -> Message:
        raise AssertionError

    async def send(message: Message) -> None:
        if "status" in message:
            statuses.append(message["status"])

    guard = PlacesGuard(app, places=1)
    async with anyio.create_task_group() as requests:
        requests.start_soon(guard, {"type": "http"}, receive, send)
        await going.wait()
        await guard({"type": "http"}, receive, send)
        assert statuses == [503]
        finish.set()
    await guard({"type": "http"}, receive, send)
    assert statuses == [503]
