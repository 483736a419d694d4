"""The search page's files: what they may do, and what they are served with."""

import json
import re

from starlette.testclient import TestClient

from blog_search_mcp.server.http.pages import FOLDER, TYPES
from blog_search_mcp.server.http.serve import build_app
from blog_search_mcp.server.settings import Address
from tests.support.server_fixtures import FixedSearcher

FILES = {path.name: path.read_text(encoding="utf-8") for path in sorted(FOLDER.iterdir())}
CODE = "".join(text for name, text in FILES.items() if not name.startswith("words."))


def test_the_files_are_served_without_the_token_and_may_load_nothing_from_elsewhere() -> None:
    app = build_app(FixedSearcher(), Address("127.0.0.1", 8765, "0123456789abcdef"))
    with TestClient(app, "http://127.0.0.1:8765") as client:
        for name, text in FILES.items():
            answer = client.get("/" if name == "index.html" else f"/page/{name}")
            assert (answer.status_code, answer.text) == (200, text)
            assert answer.headers["content-type"] == TYPES[f".{name.rpartition('.')[2]}"]
        for path in ("/page/", "/page/%2e%2e/pages.py", "/index.html"):
            assert client.get(path).status_code == 401
        assert client.post("/api/posts", json={}).status_code == 401
        headers = client.get("/").headers
    policy = headers["content-security-policy"].split("; ")
    rules = {rule.split()[0]: rule.split()[1:] for rule in policy}
    assert rules.pop("default-src") == ["'none'"]
    assert rules.pop("require-trusted-types-for") == ["'script'"]
    assert rules.pop("trusted-types") == ["passages"]
    assert {source for sources in rules.values() for source in sources} == {"'self'", "'none'"}
    assert {"base-uri", "form-action", "frame-ancestors"} <= set(rules)
    assert headers["cross-origin-resource-policy"] == "same-origin"
    assert headers["x-content-type-options"] == "nosniff"
    assert headers["referrer-policy"] == "no-referrer"


def test_only_the_html_of_passages_becomes_markup() -> None:
    makers = r"innerHTML|outerHTML|insertAdjacentHTML|document\.write|DOMParser|\beval\b|Function\("
    assert re.findall(rf"(?:{makers}).*", CODE) == ["innerHTML = cleaned.createHTML(html);"]


def test_everything_is_said_in_each_language_and_nothing_else_is() -> None:
    words = json.loads(FILES["words.json"])
    for name, texts in words.items():
        facts = [set(re.findall(r"\{\w+\}", text)) for text in texts]
        assert (facts, all(texts)) == ([facts[0]] * 3, True), name
    said = set(re.findall(r'\bsay\("([\w-]+)"', CODE))
    shown = re.findall(r'data-(?:say|hint)="([\w-]+)"[^>]*?(?:placeholder="|>)([^"<]*)', CODE)
    assert {name: text for name, text in shown if words[name][0] != text} == {}
    used = said | {name for name in words if f'"{name}"' in CODE}
    assert used == set(words)
