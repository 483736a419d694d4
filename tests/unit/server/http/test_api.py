"""What the search page is answered over HTTP."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import pytest
from starlette.testclient import TestClient

from blog_search_mcp.index.errors import IndexMissing
from blog_search_mcp.index.types import Filters
from blog_search_mcp.server.http.app import build_app
from blog_search_mcp.server.settings import ANYONE, Access, Address
from tests.support.server_fixtures import FixedSearcher

if TYPE_CHECKING:
    from collections.abc import Iterator

    from blog_search_mcp.index.types import Answer
    from blog_search_mcp.server.engine import Engine
    from tests.support.blog import MakeBlog

HERE = Address("127.0.0.1", 8765)
TOKEN = "0123456789abcdef"
POSTS = {
    "sea/walrus.md": (
        "---\ntitle: Tusks\ndate: 2025-03-04\ntags: [sea]\ndescription: Where it rests.\n---\n"
        "A walrus rests on the ice. 🦭 Walruses rest.\n\n## Food\n\nClams are what it eats.\n"
    ),
    "zebra.md": "---\ntitle: Stripes\n---\nA zebra has caught the eye of a lion.\n",
    "快取.md": "---\ntitle: 鍵值快取\nlang: zh\n---\n模型會把鍵與值保留在記憶體之中。\n",
}


@contextmanager
def client_of(searcher: Engine, access: Access = ANYONE) -> Iterator[TestClient]:
    app = build_app(searcher, HERE, access)
    with TestClient(app, "http://127.0.0.1:8765", client=("127.0.0.1", 50000)) as client:
        yield client


@pytest.fixture
def fixed() -> Iterator[tuple[TestClient, FixedSearcher]]:
    searcher = FixedSearcher()
    with client_of(searcher) as client:
        yield client, searcher


@pytest.fixture
def real(kept_blog: MakeBlog) -> Iterator[TestClient]:
    made = kept_blog(POSTS)
    with client_of(made.engine()) as client:
        yield client


def ask(client: TestClient, question: str, **given: Any) -> dict[str, Any]:
    answer = client.post(f"/api/{question}", json=given)
    assert answer.status_code == 200, answer.text
    found: dict[str, Any] = answer.json()
    return found


def refused(answer: Any) -> tuple[int, str]:
    return answer.status_code, answer.json()["error"]


def bracketed(text: str, marks: list[list[int]]) -> str:
    """Mark runs of UTF-16 units as a browser counts them."""
    units = text.encode("utf-16-le")
    for start, end in reversed(marks):
        parts = units[: 2 * start], units[2 * start : 2 * end], units[2 * end :]
        units = parts[0] + "[".encode("utf-16-le") + parts[1] + "]".encode("utf-16-le") + parts[2]
    return units.decode("utf-16-le")


def test_a_hit_tells_where_it_is_what_matched_and_why_it_is_here(real: TestClient) -> None:
    [hit] = ask(real, "search", query="is a walrus resting", top_k=1)["hits"]
    reasons, score, own = hit.pop("reasons"), hit.pop("score"), hit.pop("own_score")
    assert bracketed(hit["preview"], hit.pop("marks")).startswith("A [walrus] [rests] on the ice.")
    assert bracketed("is a walrus resting", hit.pop("answered")) == "is a [walrus] [resting]"
    assert (hit.pop("lexical") > 0.0, hit.pop("dense") is None) == (True, False)
    del hit["preview"]
    assert hit == {
        "source": "sea/walrus.md",
        "title": "Tusks",
        "section": "sea",
        "date": "2025-03-04",
        "tags": ["sea"],
        "url": None,
        "language": "en",
        "chunk_index": 0,
        "headings": [],
        "heading": None,
        "lines": "7-11",
        "translations": {},
        "series": {},
    }
    total = sum(each["share"] * each["value"] for each in reasons)
    assert [score, own] == pytest.approx([total, total])
    assert {"passage", "post"} <= {each["kind"] for each in reasons}


def test_a_page_of_hits_says_how_sure_it_is_and_where_the_next_one_begins(
    real: TestClient,
) -> None:
    found = ask(real, "search", query="zebra", top_k=1)
    del found["hits"]
    assert found.pop("certainty") > 0.0
    assert found.pop("confidence") in {"high", "medium"}
    assert found["total"] >= 1
    assert found["next_offset"] == (1 if found["total"] > 1 else None)
    assert (found["offset"], found["notice"]) == (0, None)


def test_chinese_is_marked_in_either_script_and_told_by_its_own(real: TestClient) -> None:
    hit = ask(real, "search", query="记忆体")["hits"][0]
    assert bracketed(hit["preview"], hit["marks"]) == "模型會把鍵與值保留在[記憶體]之中。"
    assert hit["language"] == "zh-Hant"


def test_a_passage_comes_verbatim_with_its_neighbours_and_marks_in_units_of_a_browser(
    real: TestClient,
) -> None:
    outline = ask(
        real, "passage", source="sea/walrus.md", chunk_index=0, neighbors=1, query="walruses rest"
    )
    first = outline["chunks"][0]
    assert bracketed(first["text"], first["marks"]).startswith(
        "A [walrus] [rests] on the ice. 🦭 [Walruses] [rest]."
    )
    assert (outline["title"], outline["asked"], outline["count"]) == (
        "Tusks",
        0,
        len(outline["chunks"]),
    )
    unmarked = ask(real, "passage", source="sea/walrus.md", chunk_index=0)
    assert unmarked["chunks"][0]["marks"] == []


LINKED = {
    "start.md": (
        "---\ntitle: Start\n---\n# Start\n\nSee [the *goal*][1], [its end](goal.md#end), "
        "[nothing](x.md), [evil](javascript:1).\n\n" + "Words. " * 700 + "\n\n[1]: goal.md\n"
    ),
    "goal.md": "---\ntitle: Goal\n---\n# Goal\n\nBegin.\n\n## End\n\nThe end.\n",
}


def test_a_passage_comes_rendered_with_its_links_resolved(blog: MakeBlog) -> None:
    made = blog(LINKED)
    with client_of(made.engine()) as client:
        found = ask(client, "passage", source="start.md", chunk_index=0, query="goal")
    assert (found["count"] > 1, "[1]:" in found["chunks"][0]["text"]) == (True, False)
    assert found["chunks"][0]["html"].partition("\n")[0] == (
        '<p>See <a href="/?source=goal.md&amp;chunk=0" rel="noreferrer">the '
        '<em><mark>goal</mark></em></a>, <a href="/?source=goal.md&amp;chunk=0" rel="noreferrer">'
        'its end</a>, <a rel="noreferrer">nothing</a>, [evil](javascript:1).</p>'
    )


@pytest.mark.parametrize(
    ("posts", "language"),
    [
        ({"a.md": "---\nlang: zh\n---\n# 鍵值快取\n\n保留在記憶體之中。\n"}, "zh-Hant"),
        ({"a.md": "---\nlang: zh-TW\n---\n# 快取\n\n保留在。\n"}, "zh-Hant"),
        ({"a.md": "---\nlang: zh\n---\n# 键值缓存\n\n保留在内存之中。\n"}, "zh-Hans"),
        ({"a.md": "---\nlang: de-at\n---\n# Speicher\n\nEin Wort.\n"}, "de"),
        ({"a.md": "# KV\n\nKV KV\n"}, ""),
    ],
)
def test_the_index_tells_the_blogs_main_language(
    posts: dict[str, str], language: str, blog: MakeBlog
) -> None:
    made = blog(posts)
    with client_of(made.engine()) as client:
        assert ask(client, "index")["language"] == language


def test_posts_are_listed_newest_first_and_by_filter(real: TestClient) -> None:
    listed = ask(real, "posts")
    assert [post["title"] for post in listed["posts"]] == ["Tusks", "Stripes", "鍵值快取"]
    assert (listed["total"], listed["next_offset"]) == (3, None)
    assert [post["description"] for post in listed["posts"]] == ["Where it rests.", "", ""]
    assert [post["source"] for post in ask(real, "posts", tag="SEA")["posts"]] == ["sea/walrus.md"]
    assert ask(real, "posts", limit=1)["next_offset"] == 1


def test_the_index_tells_its_state_and_what_may_be_chosen_among(real: TestClient) -> None:
    reply = ask(real, "index")
    assert reply.pop("created").endswith("+00:00")
    assert reply == {
        "site": "",
        "generation": 1,
        "embedder": reply["embedder"],
        "posts": 3,
        "chunks": reply["chunks"],
        "languages": [["en", 2], ["zh", 1]],
        "sections": [["sea", 1]],
        "tags": [["sea", 1]],
        "years": [[2025, 1]],
        "language": "en",
        "first_day": "2025-03-04",
        "last_day": "2025-03-04",
        "waiting": 0,
        "notice": None,
    }


def test_arguments_reach_the_search_as_a_tools_do(
    fixed: tuple[TestClient, FixedSearcher],
) -> None:
    client, searcher = fixed
    filters = {"section": "/a/", "tag": " b ", "after": "2024", "before": "2025-02"}
    found = ask(client, "search", query="keys", top_k=2, offset=1, **filters)
    assert searcher.asked == [("keys", Filters("a", "b", "2024-01-01", "2025-02-28"), 2, 1)]
    assert (len(found["hits"]), found["total"], found["next_offset"]) == (2, 3, None)


def test_what_was_not_found_is_said_in_a_sentence(
    fixed: tuple[TestClient, FixedSearcher],
) -> None:
    found = ask(fixed[0], "search", query="nothing", tag="x")
    assert found["hits"] == []
    assert found["notice"] == ("No post has the tag 'x'. The tags: inference (1).")


@pytest.mark.parametrize(
    ("question", "body", "status", "sentence"),
    [
        ("search", b'{"query": " "}', 400, "query must not be blank, got ' '."),
        ("search", b"[]", 400, "The body must be a JSON object"),
        ("search", b"\xff", 400, "The body must be a JSON object"),
        ("search", b"", 400, "The body must be a JSON object"),
        ("search", b"[" * 100_000, 400, "The body must be a JSON object"),
        ("search", b'{"query": "crash"}', 500, "Internal error; the server's log has the"),
        ("passage", b'{"source": "a.md", "chunk_index": 0}', 404, "No post 'a.md' in the index."),
        ("passage", b'{"source": "notes.md", "chunk_index": 9}', 404, "notes.md has no chunk 9:"),
        ("passage", b'{"source": "notes.md", "chunk_index": 0, "query": 7}', 400, "query must be"),
        ("posts", b'{"order": "best"}', 400, "order must be 'newest', 'oldest' or 'title'"),
        ("posts", b"{}", 503, "There is no index yet."),
    ],
)
def test_a_question_that_cannot_be_answered_gets_a_sentence(
    fixed: tuple[TestClient, FixedSearcher], question: str, body: bytes, status: int, sentence: str
) -> None:
    code, message = refused(fixed[0].post(f"/api/{question}", content=body))
    assert (code, message[: len(sentence)]) == (status, sentence)
    assert "swordfish" not in message


def test_a_failure_of_this_machine_names_none_of_its_paths() -> None:
    class Empty(FixedSearcher):
        def search(self, *_given: object, **_named: object) -> Answer:
            raise IndexMissing("None in /home/me/secret.", for_clients="There is no index yet.")

    with client_of(Empty()) as client:
        answer = client.post("/api/search", json={"query": "keys"})
    assert refused(answer) == (503, "There is no index yet.")


@pytest.mark.parametrize("question", ["search", "passage", "posts", "index"])
def test_no_page_of_another_site_is_answered_and_nothing_by_get(
    fixed: tuple[TestClient, FixedSearcher], question: str
) -> None:
    path = f"/api/{question}"
    client, searcher = fixed
    foreign = client.post(path, content=b"{}", headers={"Origin": "http://evil.example"})
    assert foreign.status_code == 403
    assert client.get(path, params={"query": "keys"}).status_code == 405
    assert searcher.asked == []


def test_the_token_is_asked_for() -> None:
    with client_of(FixedSearcher(), Access(TOKEN)) as client:
        asked = {"query": "keys"}
        assert client.post("/api/search", json=asked).status_code == 401
        headers = {"Authorization": f"Bearer {TOKEN}"}
        allowed = client.post("/api/search", json=asked, headers=headers)
    assert allowed.json()["total"] == 3


def test_answers_are_kept_by_nobody_and_read_as_nothing_else(
    fixed: tuple[TestClient, FixedSearcher],
) -> None:
    for body in (b'{"query": "keys"}', b""):
        headers = fixed[0].post("/api/search", content=body).headers
        assert headers["cache-control"] == "no-store"
        assert headers["x-content-type-options"] == "nosniff"
        assert headers["content-type"] == "application/json"
