"""A query that is a post's title puts that post first, whatever others say of its subject."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from blog_search_mcp.index.search.ranking import CEILING, promote_named_posts
from blog_search_mcp.index.types import Filters

if TYPE_CHECKING:
    from tests.support.blog import MakeBlog


def test_named_posts_come_first_in_their_own_order_and_no_score_leaves_its_range() -> None:
    assert promote_named_posts({1: 1.0, 2: 0.5, 3: 1.0}, (2, 3, 9)) == {
        1: CEILING,
        2: pytest.approx(0.975),
        3: 1.0,
    }
    assert promote_named_posts({1: 0.4}, (9,)) == {1: 0.4}
    assert promote_named_posts({}, (9,)) == {}


def test_a_term_card_is_found_by_its_name_before_those_that_repeat_it(blog: MakeBlog) -> None:
    posts = {f"{n}.md": f"# Post {n}\n\nRAG, RAG and RAG: all about RAG {n}.\n" for n in range(4)}
    made = blog({**posts, "rag.md": "# RAG\n\nRetrieval before generation.\n"})
    reader = made.reader()
    for query in ("RAG", "什麼是 RAG？", "what is RAG?"):
        answer = reader.search(query, Filters(), limit=1, offset=0)
        assert [(hit.post.source, answer.confidence) for hit in answer.hits] == [("rag.md", "high")]
    filtered = reader.search("RAG", Filters(section="none"), limit=1, offset=0)
    assert filtered.hits == ()
