"""Who is answered over HTTP, and who is refused with which status."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import pytest
from starlette.testclient import TestClient

from blog_search_mcp.server.http.serve import build_app
from blog_search_mcp.server.settings import Address
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
def client_of(address: Address = HERE) -> Iterator[TestClient]:
    app = build_app(FixedSearcher(), address)
    with TestClient(app, f"http://{address.host}:8765") as client:
        yield client


@pytest.mark.parametrize(
    "host", ["127.0.0.1:8765", "localhost", "LOCALHOST:8765", "[::1]:8765", "[::1]"]
)
def test_every_name_of_this_machine_is_answered(host: str) -> None:
    with client_of() as client:
        answer = client.post("/mcp/", json=LIST, headers={**HEADERS, "Host": host})
    assert (answer.status_code, len(answer.json()["result"]["tools"])) == (200, 2)


@pytest.mark.parametrize("host", ["evil.example:8765", "127.0.0.1.evil.example", "10.0.0.1", "a b"])
@pytest.mark.parametrize("path", ["/health", "/mcp", "/api/search", "/nowhere"])
def test_a_rebound_name_is_refused_everywhere(host: str, path: str) -> None:
    with client_of() as client:
        assert client.get(path, headers={"Host": host}).status_code == 400


@pytest.mark.parametrize(
    ("address", "host", "path", "status"),
    [
        (Address("192.0.2.7", 8765), "blog.example.org", "/health", 200),
        (Address("192.0.2.7", 8765), "192.0.2.7", "/health", 200),
        (Address("192.0.2.7", 8765), "evil.example", "/health", 400),
        (EVERYWHERE, "192.0.2.9:8765", "/health", 200),
        (EVERYWHERE, "evil.example", "/mcp", 401),
    ],
)
def test_a_name_is_answered_that_was_given_and_none_without_the_token(
    address: Address, host: str, path: str, status: int
) -> None:
    with client_of(replace(address, token=TOKEN, names=("blog.example.org",))) as client:
        assert client.get(path, headers={"Host": host}).status_code == status


@pytest.mark.parametrize(
    ("origins", "host", "status"),
    [
        (["http://127.0.0.1:8765"], "127.0.0.1:8765", 200),
        (["https://localhost"], "localhost", 200),
        (["http://localhost:3000"], "localhost:8765", 403),
        (["https://evil.example"], "localhost", 403),
        (["file://localhost"], "localhost", 403),
        (["null"], "localhost", 403),
        ([""], "localhost", 403),
        (["http://localhost", "https://evil.example"], "localhost", 403),
    ],
)
def test_only_pages_of_this_server_are_answered(origins: list[str], host: str, status: int) -> None:
    headers = [("Host", host), *(("Origin", origin) for origin in origins)]
    with client_of() as client:
        sent = [*headers, *HEADERS.items()]
        assert client.post("/mcp", json=LIST, headers=sent).status_code == status
        assert client.get("/", headers=headers).status_code == 200  # no text of posts


def test_a_page_behind_a_proxy_that_sends_its_own_host_is_answered_by_name_or_token() -> None:
    headers = {**HEADERS, "Host": "127.0.0.1:8765", "Origin": "https://Blog.example.org"}
    for address, more, status in (
        (HERE, {}, 403),
        (replace(HERE, names=("blog.example.org",)), {}, 200),
        (replace(HERE, token=TOKEN), {}, 401),
        (replace(HERE, token=TOKEN), {"Authorization": f"Bearer {TOKEN}"}, 200),
    ):
        with client_of(address) as client:
            answer = client.post("/mcp", json=LIST, headers={**headers, **more})
            assert answer.status_code == status


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
        ("", 401),
    ],
)
def test_the_token_opens_and_no_other(given: str, status: int) -> None:
    with client_of(replace(EVERYWHERE, token=TOKEN)) as client:
        headers = {**HEADERS, "Authorization": given}
        sent = [(name.encode(), value.encode()) for name, value in headers.items()]
        answer = client.post("/mcp", json=LIST, headers=sent)
        paths = ("/health/", "//", "/page/page.js/", "/mcp/", "/api/search/", "/mcp/.well-known/a")
        others = [client.get(path, follow_redirects=False).status_code for path in paths]
    assert (answer.status_code, others) == (status, [200, 200, 200, 401, 401, 404])
    assert ("www-authenticate" in answer.headers) is (status == 401)


def test_a_new_token_in_the_file_counts_at_once_and_a_damaged_one_never(tmp_path: Path) -> None:
    file = tmp_path / "token"
    with client_of(replace(EVERYWHERE, token=TOKEN, token_file=file)) as client:
        for written, sent, status in (
            (None, TOKEN, 200),
            (TOKEN[::-1], TOKEN, 401),
            (TOKEN[::-1], TOKEN[::-1], 200),
            ("", TOKEN, 401),
            ("", "", 401),
            ("short", "short", 401),
        ):
            if written is not None:
                file.write_text(f"{written}\n")
            headers = {**HEADERS, "Authorization": f"Bearer {sent}"}
            assert client.post("/mcp", json=LIST, headers=headers).status_code == status


def test_a_refusal_is_a_line_in_the_log_and_a_flood_is_none(
    caplog: pytest.LogCaptureFixture,
) -> None:
    with client_of(replace(EVERYWHERE, token=TOKEN)) as client:
        for _ in range(20):
            client.post("/mcp", json=LIST, headers=HEADERS)
    lines = [each.getMessage() for each in caplog.records if " got 401: " in each.getMessage()]
    assert 1 <= len(lines) < 20
    assert TOKEN not in caplog.text
