from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import pytest
from starlette.testclient import TestClient

from blog_search_mcp.index.errors import IndexMissing
from blog_search_mcp.server.http.app import build_app
from blog_search_mcp.server.http.guards import BURST, RATE, rate_check
from blog_search_mcp.server.settings import ANYONE, MESSAGE_BYTES, Access, Address
from tests.support.server_fixtures import FixedSearcher

if TYPE_CHECKING:
    from collections.abc import Iterator

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
def client_of(address: Address = HERE, access: Access = ANYONE) -> Iterator[TestClient]:
    app = build_app(FixedSearcher(), address, access)
    with TestClient(app, f"http://{address.host}:8765") as made:
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


def test_a_second_origin_is_refused_whatever_the_first_is() -> None:
    own = ("Origin", "http://localhost")
    with client_of() as client:
        answers = [
            client.get("/health", headers=[("Host", "localhost"), *origins])
            for origins in ([own], [own, own], [own, ("Origin", "https://notes.example")])
        ]
    assert [answer.status_code for answer in answers] == [200, 403, 403]


def test_other_pages_cannot_read_unless_they_were_named() -> None:
    preflight = {"Origin": "https://notes.example", "Access-Control-Request-Method": "POST"}
    with client_of() as client:
        refused = client.options("/mcp", headers=preflight)
    assert refused.status_code == 403
    assert "access-control-allow-origin" not in refused.headers
    with client_of(access=Access(origins=("https://notes.example",))) as client:
        allowed = client.options("/mcp", headers=preflight)
        other = client.options("/mcp", headers={**preflight, "Origin": "https://other.example"})
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
def test_a_wrong_token_is_refused(given: str) -> None:
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


def test_health_names_the_generation_and_nothing_of_the_machine() -> None:
    with client_of() as client:
        answer = client.get("/health")
    assert answer.json() == {"status": "ok", "generation": 7, "posts": 2}
    assert "server" not in answer.headers


class Empty(FixedSearcher):
    @property
    def overview(self) -> Overview:
        raise IndexMissing("There is no index in /home/me/secret yet.")


def test_health_without_an_index_is_503() -> None:
    with TestClient(build_app(Empty(), HERE, ANYONE), "http://localhost") as client:
        answer = client.get("/health")
    assert answer.status_code == 503
    assert answer.json() == {"status": "no index", "generation": None, "posts": None}


@pytest.mark.parametrize("chunked", [False, True])
@pytest.mark.parametrize("path", ["/mcp", "/api/search"])
def test_a_body_above_the_bound_is_refused(path: str, chunked: bool) -> None:
    body = b" " * (MESSAGE_BYTES + 1)
    with client_of() as client:
        answer = client.post(path, content=iter([body]) if chunked else body)
    assert answer.status_code == 413


def test_who_asks_too_fast_is_told_when_to_come_again() -> None:
    times = iter([0.0] * (int(BURST) + 2) + [1 / RATE, 1 / RATE])
    check = rate_check(lambda: next(times))
    answers = [check({}) for _ in range(int(BURST) + 3)]
    assert [answer is None for answer in answers] == [*[True] * int(BURST), False, True, False]
    refused = answers[-1]
    assert refused is not None
    assert (refused.status_code, refused.headers["retry-after"]) == (429, "1")
