"""The search page's files: what they may do, and what they are served with."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING

import pytest
from starlette.testclient import TestClient

from blog_search_mcp.server.http.app import build_app
from blog_search_mcp.server.http.pages import ADDRESSES, FOLDER, TYPES
from blog_search_mcp.server.settings import ANYONE, Access, Address
from tests.support.server_fixtures import FixedSearcher

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

FILES = sorted(path for path in FOLDER.iterdir() if path.is_file())
SCRIPTS = [path for path in FILES if path.suffix == ".js"]


@pytest.fixture
def client() -> Iterator[TestClient]:
    app = build_app(FixedSearcher(), Address("127.0.0.1", 8765), ANYONE)
    with TestClient(app, "http://127.0.0.1:8765", client=("127.0.0.1", 50000)) as made:
        yield made


def test_every_file_of_the_page_is_served_as_what_it_is(client: TestClient) -> None:
    for path in FILES:
        answer = client.get(ADDRESSES.get(path.name, f"/page/{path.name}"))
        assert (answer.status_code, answer.content) == (200, path.read_bytes())
        assert answer.headers["content-type"] == TYPES[path.suffix]


def test_nothing_else_is_served_below_the_page(client: TestClient) -> None:
    paths = ("/page/", "/page/../http_page.py", "/page/%2e%2e/http_page.py", "/index.html")
    assert {path: client.get(path).status_code for path in paths} == dict.fromkeys(paths, 404)


def test_the_page_may_load_and_send_nothing_elsewhere(client: TestClient) -> None:
    policy = client.get("/").headers["content-security-policy"]
    rules = {rule.split()[0]: rule.split()[1:] for rule in policy.split("; ")}
    assert rules.pop("default-src") == ["'none'"]
    assert rules.pop("require-trusted-types-for") == ["'script'"]
    assert rules.pop("trusted-types") == ["passages"]
    assert {source for sources in rules.values() for source in sources} == {"'self'", "'none'"}
    assert {"base-uri", "form-action", "frame-ancestors"} <= set(rules)


def test_the_page_is_given_without_the_token_and_the_blog_is_not() -> None:
    app = build_app(FixedSearcher(), Address("127.0.0.1", 8765), Access("0123456789abcdef"))
    with TestClient(app, "http://127.0.0.1:8765") as client:
        pages = [client.get(path).status_code for path in ("/", "/page/page.js", "/page/page.css")]
        assert pages == [200, 200, 200]
        assert client.post("/api/posts", json={}).status_code == 401


def test_no_page_of_another_site_may_frame_it_or_take_its_files(client: TestClient) -> None:
    headers = client.get("/").headers
    assert headers["cross-origin-resource-policy"] == "same-origin"
    assert headers["x-content-type-options"] == "nosniff"
    assert headers["referrer-policy"] == "no-referrer"
    assert client.get("/", headers={"Host": "evil.example"}).status_code == 421


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
def test_no_file_of_the_page_names_another_host(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    hosts = re.findall(r"[\"'(]((?:https?:)?//[\w.-]+\.\w+)", text)
    assert [host for host in hosts if host != "http://www.w3.org"] == []


def test_only_the_html_of_passages_becomes_markup() -> None:
    text = "".join(path.read_text(encoding="utf-8") for path in SCRIPTS)
    makers = r"innerHTML|outerHTML|insertAdjacentHTML|document\.write|DOMParser|\beval\b|Function\("
    assert re.findall(rf"(?:{makers}).*", text) == ["innerHTML = cleaned.createHTML(html);"]


def words() -> dict[str, list[str]]:
    """What the page says, by its name: in each of its languages."""
    text = (FOLDER / "words.js").read_text(encoding="utf-8")
    table = text.partition("const WORDS = {")[2].partition("\n};")[0]
    rows = re.findall(r'^  "([\w-]+)": (\[.*?\]),$', table, re.M | re.S)
    assert len(rows) == len(re.findall(r'^  "', table, re.M))
    return {name: json.loads(re.sub(r",\s*\]$", "]", row)) for name, row in rows}


def test_everything_is_said_in_each_language_with_the_same_facts() -> None:
    code = (FOLDER / "words.js").read_text(encoding="utf-8")
    languages = json.loads(re.search(r"LANGUAGES = (\[.*?\]);", code)[1])  # type: ignore[index]
    assert {
        name: len(texts) for name, texts in words().items() if len(texts) != len(languages)
    } == {}
    for name, texts in words().items():
        facts = [set(re.findall(r"\{\w+\}", text)) for text in texts]
        assert facts == [facts[0]] * len(texts), name
        assert all(text.strip() for text in texts), name


def test_no_word_is_missing_and_none_is_left_over() -> None:
    code = "".join(path.read_text("utf-8") for path in FILES if path.name != "words.js")
    said = set(re.findall(r'\bsay\("([\w-]+)"', code))
    shown = set(re.findall(r'data-(?:say|hint|name)="([\w-]+)"', code))
    chosen = {name for name in words() if re.search(rf'"{name}"', code)}
    assert (said | shown) - set(words()) == set()
    assert set(words()) - chosen - {"high", "medium", "low"} == set()


def test_the_page_says_in_english_what_the_words_say() -> None:
    page = "".join((FOLDER / name).read_text(encoding="utf-8") for name in ADDRESSES)
    patterns = (
        r'data-(say)="([\w-]+)"[^>]*>([^<]*)<',
        r'data-(hint)="([\w-]+)" placeholder="([^"]*)"',
        r'data-(name)="([\w-]+)" aria-label="([^"]*)"',
    )
    found = [(name, text) for each in patterns for _, name, text in re.findall(each, page)]
    assert len(found) == len(re.findall(r"data-(?:say|hint|name)=", page))
    assert {name: text for name, text in found if words()[name][0] != text} == {}
