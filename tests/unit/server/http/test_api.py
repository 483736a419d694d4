"""What the search page is answered over HTTP."""

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from starlette.testclient import TestClient

from blog_search_mcp.server.engine import engine_for
from blog_search_mcp.server.http.serve import build_app
from blog_search_mcp.server.settings import Address, Settings
from tests.support.front import Blog, made
from tests.support.server_fixtures import FixedSearcher

HERE = Address("127.0.0.1", 8765)
POSTS = {
    "sea/walrus.md": (
        "---\ntitle: Tusks\ndate: 2025-03-04\ntags: [sea]\ndescription: Where it rests.\n---\n"
        "A walrus rests on the ice. 🦭 Walruses rest.\n\n## Food\n\nClams are what it eats.\n"
    ),
    "zebra.md": "---\ntitle: Stripes\n---\nA zebra has caught the eye of a lion.\n",
    "快取.md": "---\ntitle: 鍵值快取\nlang: zh\n---\n模型會把鍵與值保留在記憶體之中。\n",
}
LINKED = {
    "start.md": (
        "---\ntitle: Start\n---\n# Start\n\nSee [the *goal*][1], [its end](goal.md#end), "
        "[nothing](x.md), [evil](javascript:1).\n\n" + "Words. " * 700 + "\n\n[1]: goal.md\n"
    ),
    "goal.md": "---\ntitle: Goal\n---\n# Goal\n\nBegin.\n\n## End\n\nThe end.\n",
}


@pytest.fixture(scope="module")
def blog(tmp_path_factory: pytest.TempPathFactory) -> Blog:
    return made(tmp_path_factory.mktemp("blog"), {**POSTS, **LINKED})


@pytest.fixture
def client(blog: Blog) -> Iterator[TestClient]:
    app = build_app(engine_for(Settings(blog.index)), HERE)
    with TestClient(app, "http://127.0.0.1:8765", client=("127.0.0.1", 50000)) as made:
        yield made


def ask(client: TestClient, question: str, **given: Any) -> Any:
    answer = client.post(f"/api/{question}", json=given)
    assert answer.status_code == 200, answer.text
    return answer.json()


def bracketed(text: str, marks: list[list[int]]) -> str:
    for start, end in reversed(marks):
        text = f"{text[:start]}[{text[start:end]}]{text[end:]}"
    return text


def test_a_hit_tells_where_it_is_what_matched_and_why_it_is_here(client: TestClient) -> None:
    page = ask(client, "search", query="is a walrus resting", top_k=1)
    [hit] = page["hits"]
    assert (page["offset"], page["notice"], page["confidence"]) == (0, None, "normal")
    assert page["next_offset"] == (1 if page["total"] > 1 else None)
    assert bracketed(hit["preview"], hit["marks"]).startswith("A [walrus] [rests] on the ice.")
    assert (hit["source"], hit["section"], hit["language"]) == ("sea/walrus.md", "sea", "en")
    [hit, *_] = ask(client, "search", query="记忆体")["hits"]
    assert bracketed(hit["preview"], hit["marks"]) == "模型會把鍵與值保留在[記憶體]之中。"
    assert hit["language"] == "zh-Hant"


@pytest.mark.parametrize(
    ("query", "marked"),
    [
        ("the walrsu rests", ["walrus", "rests", "Walruses", "rest"]),
        *(("wal rus", ["walrus", "Walruses"]), ("内存", ["記憶體"])),
    ],
)
def test_marks_are_of_what_was_searched_for(
    client: TestClient, blog: Blog, query: str, marked: list[str]
) -> None:
    [hit, *_] = ask(client, "search", query=query)["hits"]
    place = {name: hit[name] for name in ("source", "chunk_index")}
    chunks = ask(client, "passage", **place, query=query)["chunks"]
    html = "".join(chunk["html"] for chunk in chunks)
    assert re.findall("<mark>(.*?)</mark>", html) == marked
    [told, *_] = json.loads(blog.command("search", "--json", "--", query).out)["hits"]
    for each in (hit, told):
        assert [each["preview"][start:end] for start, end in each["marks"]] == marked


def test_a_passage_comes_verbatim_with_marks(client: TestClient) -> None:
    given = {"source": "sea/walrus.md", "chunk_index": 0, "neighbors": 1}
    passage = ask(client, "passage", **given, query="walruses rest")
    assert (passage["title"], passage["asked"], passage["count"]) == ("Tusks", 0, 1)
    [first], [unmarked] = passage["chunks"], ask(client, "passage", **given)["chunks"]
    assert first["text"].startswith("A walrus rests on the ice. 🦭 Walruses rest.")
    assert "<mark>walrus</mark> <mark>rests</mark> on the ice." in first["html"]
    assert "<mark>" not in unmarked["html"]
    [whole] = ask(client, "passage", source="sea/walrus.md", whole=True)["chunks"]
    assert (whole["text"], "html" in whole) == (first["text"], False)


def test_a_passage_comes_rendered_with_its_links_resolved(client: TestClient) -> None:
    found = ask(client, "passage", source="start.md", chunk_index=0, query="goal")
    assert (found["count"] > 1, "[1]:" in found["chunks"][0]["text"]) == (True, False)
    assert found["chunks"][0]["html"].partition("\n")[0] == (
        '<p>See <a href="?source=goal.md&amp;chunk=0" rel="noreferrer">the '
        '<em><mark>goal</mark></em></a>, <a href="?source=goal.md&amp;chunk=0" rel="noreferrer">'
        'its end</a>, <a rel="noreferrer">nothing</a>, [evil](javascript:1).</p>'
    )


def test_posts_and_the_index_tell_what_there_is(client: TestClient) -> None:
    listed = ask(client, "posts", limit=1)
    assert [(post["title"], post["description"]) for post in listed["posts"]] == [
        ("Tusks", "Where it rests.")
    ]
    assert (listed["total"], listed["next_offset"]) == (5, 1)
    reply = ask(client, "index")
    assert (reply["generation"], reply["posts"], reply["waiting"]) == (1, 5, 0)
    names = {"sections": [["sea", 1]], "tags": [["sea", 1]], "years": [[2025, 1]]}
    assert {name: reply[name] for name in names} == names


@pytest.mark.parametrize(
    ("question", "body", "status", "named"),
    [
        ("search", b'{"query": " "}', 400, "query"),
        ("search", b"[]", 400, "JSON object"),
        ("search", b"[" * 100_000, 400, "JSON object"),
        ("passage", b'{"source": "a.md", "chunk_index": 0}', 404, "'a.md'"),
        ("passage", b'{"source": "zebra.md", "chunk_index": 0, "query": {"a": 8}}', 400, "query"),
        ("posts", b'{"order": "best"}', 400, "order"),
        ("nothing", b"{}", 400, "passage"),
    ],
)
def test_a_question_that_cannot_be_answered_gets_a_sentence(
    client: TestClient, question: str, body: bytes, status: int, named: str
) -> None:
    answer = client.post(f"/api/{question}", content=body)
    assert (answer.status_code, named in answer.json()["error"]) == (status, True)


def test_a_failure_of_this_machine_names_none_of_its_paths(tmp_path: Path) -> None:
    app = build_app(engine_for(Settings(tmp_path / "none")), HERE)
    with TestClient(app, "http://127.0.0.1:8765") as client:
        answer, health = client.post("/api/index", json={}), client.get("/health")
    assert (answer.status_code, str(tmp_path) in answer.text + health.text) == (503, False)
    assert (health.status_code, health.json()["generation"]) == (503, None)
    with TestClient(build_app(FixedSearcher(), HERE), "http://localhost") as client:
        answer, health = client.post("/api/search", json={"query": "crash"}), client.get("/health")
    assert (answer.status_code, "swordfish" in answer.text) == (500, False)
    assert health.json() == {"status": "ok", "generation": 7, "posts": 2}


def test_answers_are_by_post_alone_kept_by_nobody_and_read_as_nothing_else(
    client: TestClient,
) -> None:
    assert client.get("/api/search", params={"query": "keys"}).status_code == 405
    for body in (b'{"query": "keys"}', b""):
        headers = client.post("/api/search", content=body).headers
        assert headers["cache-control"] == "no-store"
        assert headers["x-content-type-options"] == "nosniff"
