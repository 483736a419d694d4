"""`find_similar` and `suggest_links`: what they answer with, and how long that is."""

import json
from typing import Any

import pytest

from blog_search_mcp.index.embedders.packaged import OnnxEmbedder
from blog_search_mcp.index.errors import EmbedderError
from tests.support.front import Blog, made

ANSWER_BYTES = 2_500
ICE = (
    "Walruses haul out on drifting ice in summer, and they rest there between long dives "
    "for clams on the sea floor."
)
POSTS = {
    "walrus.md": f"---\ntitle: Onion walrus\ndate: 2024-01-01\n---\n## On ice\n\n{ICE}\n",
    "tea.md": "---\ntitle: Tea\ndate: 2022-05-06\n---\nSee [bread](bread.md). No onion walrus.\n",
    "bread.md": "---\ntitle: Bread\n---\nFlour and water are baked until they are brown.\n",
}
REPEATED = "\n\n".join(
    f"## Part {n}\n\n" + " ".join(f"word{n}{chr(97 + k)} stone{n}{chr(97 + k)}" for k in range(20))
    for n in range(6)
)
RESTS = "The walrus rests on the ice, and on it. {0} on it."
MANY = {
    f"a-folder/of-a-year/post-number-{n}.md": (
        f"---\ntitle: {'Very ' * 9}walrus {n}\ndate: 20{n + 10}-01-02\n---\n"
        f"{REPEATED if n < 3 else RESTS.format(' '.join(f'on {n}.{i}' for i in range(20)))}\n"
    )
    for n in range(14)
}


@pytest.fixture(scope="module")
def blog(tmp_path_factory: pytest.TempPathFactory) -> Blog:
    return made(tmp_path_factory.mktemp("blog"), POSTS)


@pytest.fixture(scope="module")
def many(tmp_path_factory: pytest.TempPathFactory) -> Blog:
    return made(tmp_path_factory.mktemp("many"), MANY)


def test_a_draft_is_answered_with_where_it_meets_posts(blog: Blog) -> None:
    reply = blog.tool("find_similar", text=f"# Notes\n\n## Ice\n\n{ICE}\n")
    assert json.loads(reply.text) == reply.facts
    [post, *_] = reply.facts["posts"]
    assert (post["source"], post["date"]) == ("walrus.md", "2024-01-01")
    [meeting] = post["meetings"]
    assert meeting.pop("my_lines")
    assert meeting == {
        "my_heading": "Ice",
        "chunk_index": 0,
        "heading": "On ice",
        "says": ICE,
        "word_for_word": "100%",
    }


def test_links_are_suggested_for_a_draft_and_for_a_post(blog: Blog) -> None:
    [link] = blog.tool("suggest_links", text="# Lunch\n\nIt was onion walrus.\n").facts["links"]
    assert link.pop("reason")
    assert link == {
        "line": 3,
        "words": "onion walrus",
        "href": "walrus.md",
        "source": "walrus.md",
        "chunk_index": 0,
        "title": "Onion walrus",
        "date": "2024-01-01",
        "sentence": "It was onion walrus",
    }
    [link] = blog.tool("suggest_links", source="tea.md", top_k=1).facts["links"]
    assert (link["words"], link["source"]) == ("onion walrus", "walrus.md")
    [link] = blog.tool("suggest_links", source="walrus.md", reverse=True).facts["links"]
    assert (link["from"], link["href"], link["title"]) == ("tea.md", "walrus.md", "Tea")
    assert not {"source", "chunk_index", "reason"} & link.keys()
    draft = "# Flour\n\nIt is ground.\n"
    [link] = blog.tool("suggest_links", text=draft, reverse=True).facts["links"]
    assert (link["from"], link["line"], link["words"]) == ("bread.md", 4, "Flour")


@pytest.mark.parametrize(
    ("tool", "given", "name"),
    [
        ("find_similar", {"source": "bread.md"}, "posts"),
        ("suggest_links", {"text": "# Granite\n\nIt rises."}, "links"),
        ("suggest_links", {"text": "# Granite\n\nIt rises.", "reverse": True}, "links"),
    ],
)
def test_where_there_is_nothing_that_is_said(
    blog: Blog, tool: str, given: dict[str, Any], name: str
) -> None:
    facts = blog.tool(tool, **given).facts
    assert not facts[name]
    assert facts.get("notice") or facts["nearest"]


@pytest.mark.parametrize("tool", ["find_similar", "suggest_links"])
def test_a_draft_is_compared_by_words_where_nothing_embeds_it(
    blog: Blog, tool: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object) -> None:
        raise EmbedderError("It sleeps.", for_clients="It sleeps.")

    monkeypatch.setattr(OnnxEmbedder, "embed_documents", fail)
    facts = blog.tool(tool, text=f"# Lunch\n\nIt was onion walrus. {ICE}\n").facts
    assert "It sleeps." in facts["notice"]
    [found, *_] = facts.get("posts") or facts["links"]
    assert found["source"] == "walrus.md"


@pytest.mark.parametrize(
    ("tool", "given"),
    [
        ("find_similar", {"text": REPEATED, "top_k": 5}),
        ("suggest_links", {"text": "\n\n".join(f"A walrus {n}, very." for n in range(14))}),
    ],
)
def test_an_answer_stays_small(many: Blog, tool: str, given: dict[str, Any]) -> None:
    reply = many.tool(tool, **given)
    assert len(reply.text.encode()) <= ANSWER_BYTES
    posts = reply.facts.get("posts")
    if tool == "find_similar":
        assert [post["passages_met"] for post in posts] == [6] * 3
