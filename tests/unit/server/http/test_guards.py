"""Who is answered over HTTP, and who is refused with which status."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from starlette.testclient import TestClient

from blog_search_mcp.index.errors import IndexMissing
from blog_search_mcp.index.store.statistics import Overview
from blog_search_mcp.server.http.app import build_app
from blog_search_mcp.server.http.guards import BURST, RATE, rate_check
from blog_search_mcp.server.settings import ANYONE, MESSAGE_BYTES, Access, Address
from tests.support.faults.server_process import META, MODERN
from tests.support.server_fixtures import FixedSearcher

HERE = Address("127.0.0.1", 8765)
EVERYWHERE = Address("0.0.0.0", 8765)
TOKEN = "0123456789abcdef"
HEADERS = {
    "Accept": "application/json, text/event-stream",
    "MCP-Protocol-Version": MODERN,
    "Mcp-Method": "tools/list",
}
LIST = {"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": {"_meta": META}}


@contextmanager
def client_of(address: Address = HERE, access: Access = ANYONE) -> Iterator[TestClient]:
    app = build_app(FixedSearcher(), address, access)
    with TestClient(app, f"http://{address.host}:8765") as made:
        yield made


def listed(client: TestClient, **headers: str) -> tuple[int, dict[str, Any]]:
    answer = client.post("/mcp", json=LIST, headers={**HEADERS, **headers})
    return answer.status_code, answer.json()


@pytest.mark.parametrize(
    "host", ["127.0.0.1:8765", "localhost", "LOCALHOST:8765", "[::1]:8765", "[::1]"]
)
def test_every_name_of_this_machine_is_answered(host: str) -> None:
    with client_of() as client:
        status, answer = listed(client, Host=host)
    assert status == 200
    assert len(answer["result"]["tools"]) == 2


@pytest.mark.parametrize("host", ["evil.example:8765", "127.0.0.1.evil.example", "10.0.0.1", "a b"])
@pytest.mark.parametrize("path", ["/health", "/mcp", "/api/search", "/nowhere"])
def test_a_rebound_name_is_refused_everywhere(host: str, path: str) -> None:
    with client_of() as client:
        assert client.get(path, headers={"Host": host}).status_code == 400


def test_a_name_is_answered_that_was_given_and_none_without_the_token() -> None:
    access = Access(TOKEN, names=("blog.example.org",))
    with client_of(Address("192.0.2.7", 8765), access) as client:
        for host, status in (("blog.example.org", 200), ("192.0.2.7", 200), ("evil.example", 400)):
            assert client.get("/health", headers={"Host": host}).status_code == status
    with client_of(EVERYWHERE, access) as client:
        assert client.get("/health", headers={"Host": "192.0.2.9:8765"}).status_code == 200
        assert client.get("/mcp", headers={"Host": "evil.example"}).status_code == 401


@pytest.mark.parametrize(
    ("origins", "host", "status"),
    [
        (["http://127.0.0.1:8765"], "127.0.0.1:8765", 200),
        (["https://localhost"], "localhost", 200),
        (["http://localhost:3000"], "localhost:8765", 403),
        (["http://evil.example"], "localhost", 403),
        (["file://localhost"], "localhost", 403),
        (["null"], "localhost", 403),
        ([""], "localhost", 403),
        (["http://localhost", "http://evil.example"], "localhost", 403),
    ],
)
def test_only_pages_of_this_server_are_answered(origins: list[str], host: str, status: int) -> None:
    headers = [("Host", host), *(("Origin", origin) for origin in origins)]
    with client_of() as client:
        assert client.get("/health", headers=headers).status_code == status


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
    ("given", "status"),
    [
        (f"Bearer {TOKEN}", 200),
        (f"bearer  {TOKEN} ", 200),
        (f"Bearer {TOKEN}0", 401),
        (f"Bearer {TOKEN[:-1]}", 401),
        (f"Basic {TOKEN}", 401),
        (TOKEN, 401),
        ("ä", 401),
    ],
)
def test_the_token_opens_and_no_other(given: str, status: int) -> None:
    with client_of(EVERYWHERE, Access(TOKEN)) as client:
        headers = {**HEADERS, "Authorization": given}
        sent = [(name.encode(), value.encode()) for name, value in headers.items()]
        answer = client.post("/mcp", json=LIST, headers=sent)
    assert answer.status_code == status
    assert ("invalid_token" in answer.headers.get("www-authenticate", "")) is (status == 401)


def test_without_a_token_nothing_but_health_is_given() -> None:
    with client_of(access=Access(TOKEN)) as client:
        answers = {path: client.get(path) for path in ("/mcp", "/nowhere", "/health")}
    assert [answer.status_code for answer in answers.values()] == [401, 401, 200]
    assert answers["/mcp"].headers["www-authenticate"] == 'Bearer realm="blog"'


class Empty(FixedSearcher):
    @property
    def overview(self) -> Overview:
        raise IndexMissing("There is no index in /home/me/secret yet.")


def test_health_names_the_generation_and_nothing_of_the_machine() -> None:
    with client_of() as client:
        answer = client.get("/health")
    assert answer.json() == {"status": "ok", "generation": 7, "posts": 2}
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
