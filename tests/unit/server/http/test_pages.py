"""The search page's files: what they may do, and what they are served with."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator

import pytest
from starlette.testclient import TestClient

from blog_search_mcp.server.http.app import build_app
from blog_search_mcp.server.http.pages import ADDRESSES, FOLDER, TYPES
from blog_search_mcp.server.settings import Access, Address
from tests.support.server_fixtures import FixedSearcher

FILES = {
    path.name: path.read_text(encoding="utf-8")
    for path in sorted(FOLDER.iterdir())
    if path.is_file()
}
CODE = "".join(text for name, text in FILES.items() if name != "words.js")


@pytest.fixture
def client() -> Iterator[TestClient]:
    """A server whose blog needs a token, which the page does not."""
    app = build_app(FixedSearcher(), Address("127.0.0.1", 8765), Access("0123456789abcdef"))
    with TestClient(app, "http://127.0.0.1:8765", client=("127.0.0.1", 50000)) as made:
        yield made


def test_every_file_of_the_page_and_nothing_else_is_served_without_the_token(
    client: TestClient,
) -> None:
    for name, text in FILES.items():
        answer = client.get(ADDRESSES.get(name, f"/page/{name}"))
        assert (answer.status_code, answer.text) == (200, text)
        assert answer.headers["content-type"] == TYPES[f".{name.rpartition('.')[2]}"]
    for path in ("/page/", "/page/%2e%2e/pages.py", "/index.html"):
        assert client.get(path).status_code == 401
    assert client.post("/api/posts", json={}).status_code == 401


def test_the_page_may_load_and_send_nothing_elsewhere_and_nobody_may_frame_it(
    client: TestClient,
) -> None:
    headers = client.get("/").headers
    rules = {rule.split()[0]: rule.split()[1:] for rule in headers[POLICY].split("; ")}
    assert rules.pop("default-src") == ["'none'"]
    assert rules.pop("require-trusted-types-for") == ["'script'"]
    assert rules.pop("trusted-types") == ["passages"]
    assert {source for sources in rules.values() for source in sources} == {"'self'", "'none'"}
    assert {"base-uri", "form-action", "frame-ancestors"} <= set(rules)
    assert headers["cross-origin-resource-policy"] == "same-origin"
    assert headers["x-content-type-options"] == "nosniff"
    assert headers["referrer-policy"] == "no-referrer"
    hosts = re.findall(r"[\"'(]((?:https?:)?//[\w.-]+\.\w+)", "".join(FILES.values()))
    assert [host for host in hosts if host != "http://www.w3.org"] == []


POLICY = "content-security-policy"


def test_only_the_html_of_passages_becomes_markup() -> None:
    makers = r"innerHTML|outerHTML|insertAdjacentHTML|document\.write|DOMParser|\beval\b|Function\("
    assert re.findall(rf"(?:{makers}).*", CODE) == ["innerHTML = cleaned.createHTML(html);"]


def words() -> dict[str, list[str]]:
    """What the page says, by its name: in each of its languages."""
    table = FILES["words.js"].partition("const WORDS = {")[2].partition("\n};")[0]
    rows = re.findall(r'^  "([\w-]+)": (\[.*?\]),$', table, re.M | re.S)
    assert len(rows) == len(re.findall(r'^  "', table, re.M))
    return {name: json.loads(re.sub(r",\s*\]$", "]", row)) for name, row in rows}


def test_everything_is_said_in_each_language_with_the_same_facts() -> None:
    for name, texts in words().items():
        facts = [set(re.findall(r"\{\w+\}", text)) for text in texts]
        assert facts == [facts[0]] * 3, name
        assert all(text.strip() for text in texts), name


def test_no_word_is_missing_none_is_left_over_and_the_page_has_the_english_ones() -> None:
    said = set(re.findall(r'\bsay\("([\w-]+)"', CODE))
    shown = set(re.findall(r'data-(?:say|hint|name)="([\w-]+)"', CODE))
    chosen = {name for name in words() if f'"{name}"' in CODE}
    assert (said | shown) - set(words()) == set()
    assert set(words()) - chosen - {"high", "medium", "low"} == set()
    patterns = (
        r'data-(say)="([\w-]+)"[^>]*>([^<]*)<',
        r'data-(hint)="([\w-]+)" placeholder="([^"]*)"',
        r'data-(name)="([\w-]+)" aria-label="([^"]*)"',
    )
    found = [(name, text) for each in patterns for _, name, text in re.findall(each, CODE)]
    assert len(found) == len(re.findall(r"data-(?:say|hint|name)=", FILES["index.html"]))
    assert {name: text for name, text in found if words()[name][0] != text} == {}
