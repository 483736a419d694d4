from __future__ import annotations

import pytest

from blog_search_mcp.index.errors import EmbedderUnavailable, UnknownPost, UsageError
from blog_search_mcp.server.format.results import to_json
from blog_search_mcp.server.tools.suggest_links import SUGGEST_LINKS
from tests.support.blog import Blog, MakeBlog

POSTS = {
    "soup.md": "---\ntitle: Onion soup\ndate: 2024-01-02\n---\nBoil the onion.\n",
    "tea.md": "---\ntitle: Tea\n---\nSee [bread](bread.md). After onion soup comes it.\n",
    "bread.md": "---\ntitle: Bread\n---\nBake it.\n",
}
SOUP = {
    "words": "onion soup",
    "href": "soup.md",
    "reason": "words of its title",
    "source": "soup.md",
    "title": "Onion soup",
    "date": "2024-01-02",
}


@pytest.fixture
def made(blog: MakeBlog) -> Blog:
    return blog(POSTS)


def test_links_are_suggested_for_a_draft(made: Blog) -> None:
    text = "# Lunch\n\nIt was onion soup.\n"
    reply = SUGGEST_LINKS.call(made.engine(), {"text": text})
    soup = {"line": 3, **SOUP, "chunk_index": 0, "sentence": "It was onion soup."}
    assert reply.facts == {"links": [soup]}
    assert reply.texts == (to_json(reply.facts),)


def test_links_are_suggested_for_a_post(made: Blog) -> None:
    reply = SUGGEST_LINKS.call(made.engine(), {"source": "tea.md", "top_k": 1})
    assert reply.facts is not None
    [link] = reply.facts["links"]
    assert (link["line"], link["words"], link["source"]) == (4, "onion soup", "soup.md")


def test_posts_that_should_link_to_a_post_are_suggested(made: Blog) -> None:
    reply = SUGGEST_LINKS.call(made.engine(), {"source": "soup.md", "reverse": True})
    tea = {"from": "tea.md", "line": 4, "words": "onion soup", "href": "soup.md", "title": "Tea"}
    assert reply.facts == {"links": [{**tea, "sentence": "After onion soup comes it."}]}


def test_a_text_has_no_address_and_no_title_but_its_own(blog: MakeBlog) -> None:
    engine = blog({"a.md": "# A\n\nA draft of a soup.\n", "b.md": "# B\n\nText.\n"}).engine()
    reply = SUGGEST_LINKS.call(engine, {"text": "# Soup\n\nOn Mondays.", "reverse": True})
    found = {"from": "a.md", "line": 3, "words": "soup", "title": "A"}
    assert reply.facts == {"links": [{**found, "sentence": "A draft of a soup."}]}
    reply = SUGGEST_LINKS.call(engine, {"text": "On Mondays.", "reverse": True})
    assert reply.facts is not None
    assert reply.facts["links"] == []


def test_a_draft_that_no_post_speaks_of_gets_a_notice(made: Blog) -> None:
    reply = SUGGEST_LINKS.call(made.engine(), {"text": "# Granite\n\nIt rises.", "reverse": True})
    notice = "No other post names or describes it without linking to it."
    assert reply.facts == {"links": [], "notice": notice}


def test_a_text_about_something_else_gets_a_notice(made: Blog) -> None:
    reply = SUGGEST_LINKS.call(made.engine(), {"text": "Granite rises."})
    notice = "No words of the text name or describe another post that it does not link to."
    assert reply.facts == {"links": [], "notice": notice}


def test_a_draft_is_compared_by_words_where_nothing_embeds_it(made: Blog) -> None:
    made.embedder.failure = EmbedderUnavailable("Nobody answers.")
    reply = SUGGEST_LINKS.call(made.engine(), {"text": "# Lunch\n\nIt was onion soup.\n"})
    assert reply.facts == {
        "links": [{"line": 3, **SOUP, "sentence": "It was onion soup."}],
        "notice": "Compared by words alone, since there is no embedding: Nobody answers.",
    }


@pytest.mark.parametrize("given", [{}, {"text": "a", "source": "tea.md"}])
def test_either_a_draft_or_a_post_is_needed(given: dict[str, str], made: Blog) -> None:
    with pytest.raises(UsageError, match="Give either text or source"):
        SUGGEST_LINKS.call(made.engine(), given)


def test_an_unknown_post_is_told(made: Blog) -> None:
    with pytest.raises(UnknownPost):
        SUGGEST_LINKS.call(made.engine(), {"source": "no.md"})


def test_an_answer_of_five_stays_small(blog: MakeBlog) -> None:
    long = "word " * 40
    posts = {
        f"a-folder/of-a-year/post-number-{number}.md": f"# Walrus {number} {long}\n\nText.\n"
        for number in range(9)
    }
    made = blog(posts)
    text = "\n\n".join(f"A walrus {number} {long}." for number in range(9))
    reply = SUGGEST_LINKS.call(made.engine(), {"text": text})
    assert len(reply.texts[0].encode()) < 2_500
