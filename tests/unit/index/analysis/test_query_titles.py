"""Which posts a query names by their title."""

from __future__ import annotations

import pytest

from blog_search_mcp.index.analysis.query import (
    find_named_posts,
    index_titles,
)

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
