"""A query that is a post's title puts that post first, whatever others say of its subject."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from blog_search_mcp.index.search.titles import (
    CEILING,
    find_named_posts,
    index_titles,
    promote_named_posts,
    title_key,
)
from blog_search_mcp.index.types import Filters

if TYPE_CHECKING:
    from tests.support.blog import MakeBlog

TITLES = index_titles(
    [
        (1, "RAG"),
        (2, "What is a KV cache?"),
        (3, "C++"),
        (4, "C"),
        (5, "rag"),
        (6, "記憶體"),
        (7, "…"),
    ]
)


@pytest.mark.parametrize(
    ("query", "posts"),
    [
        ("RAG", (1, 5)),
        (" rag. ", (1, 5)),
        ("ＲＡＧ", (1, 5)),
        ("什麼是 RAG？", (1, 5)),
        ("什么是RAG", (1, 5)),
        ("RAG 是什麼？", (1, 5)),
        ("RAGとは", (1, 5)),
        ("RAG とは何ですか？", (1, 5)),
        ("what is RAG?", (1, 5)),
        ("What's a RAG?", (1, 5)),
        ("Was ist RAG?", (1, 5)),
        ("¿Qué es RAG?", (1, 5)),
        ("Qu'est-ce que RAG ?", (1, 5)),
        ("what is a KV cache?", (2,)),
        ("C", (4,)),
        ("what is C++", (3,)),
        ("什麼是记忆体？", (6,)),
        ("RAG pipelines", ()),
        ("what is", ()),
        ("…", ()),
        ("", ()),
    ],
)
def test_a_title_is_known_alone_and_inside_a_question(query: str, posts: tuple[int, ...]) -> None:
    assert find_named_posts(TITLES, query) == posts


def test_marks_case_and_width_do_not_make_another_title() -> None:
    assert title_key("KV-Cache: Ｗhy?") == title_key("kv cache why") == "kvcachewhy"


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
