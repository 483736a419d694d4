"""What posts are called, found in sentences."""

from __future__ import annotations

import tracemalloc

import numpy as np
import pytest

from blog_search_mcp.index.relations.linking.names import (
    LinkWords,
    Mention,
    Names,
)
from blog_search_mcp.index.relations.linking.prose import find_prose
from blog_search_mcp.index.types import Chunk, Post

POSTS = {
    1: Post("kv.md", "KV Cache", language="en"),
    2: Post("bpe.md", "2.3 BPE（Byte-Pair Encoding）", language="zh", aliases=("/old/", "merges")),
    3: Post("q.md", "快取的量化", language="zh"),
}
HAVING = {"kv": 1, "cach": 3, "here": 8}


def make_names(*links: LinkWords) -> Names:
    return Names(POSTS, lambda stem: HAVING.get(stem, 1), 10, links)


def find(
    names: Names, text: str, linking: frozenset[int] | None = None
) -> list[tuple[str, Mention]]:
    prose = find_prose([Chunk("a.md", 0, text, text, (), 1, 1)], "en")
    return [
        (prose.text[mention.start : mention.end], mention)
        for sentence in prose.sentences
        for mention in names.find_mentions(sentence, linking)
    ]


def test_titles_their_parts_and_aliases_are_names_in_any_spelling() -> None:
    found = find(make_names(), "The KV caches, byte-pair encoding (bpe), merges; 快取的量化。")
    assert [(words, mention.post) for words, mention in found] == [
        ("KV caches", 1),
        ("byte-pair encoding", 2),
        ("bpe", 2),
        ("merges", 2),
        ("快取的量化", 3),
    ]
    assert found[0][1].share == 1.0
    assert 0 < found[2][1].share < 1


def test_link_words_name_what_most_posts_with_them_link_to() -> None:
    names = make_names(LinkWords(("here",), 3, 1), LinkWords(("page", "key"), 3, 1))
    used = {words: mention.used for words, mention in find(names, "Paged keys are here.")}
    assert used == {"Paged keys": 1 / 2, "here": 1 / 9}
    assert find(names, "Paged keys.", frozenset({2})) == []


def test_a_table_of_titles_says_how_much_of_each_a_sentence_holds() -> None:
    names = make_names()
    table = names.table.of(np.array([1, 2]))
    kv = names.weigh(["kv"]) / names.weigh(["kv", "cach"])
    assert table.best_shares([["kv"], ["other"]]).tolist() == pytest.approx([kv, 0.0])
    assert table.best_shares([["kv"], ["kv", "cach"]]).tolist() == [1.0, 0.0]
    assert table.best_shares([]).tolist() == [0.0, 0.0]


def test_a_long_text_is_compared_with_titles_in_little_memory() -> None:
    posts = {n: Post(f"{n}.md", f"Word{n}") for n in range(2_000)}
    names = Names(posts, lambda _: 1, len(posts))
    table, sentences = names.table, [names.titles[n % 2_000] for n in range(5_000)]
    tracemalloc.start()
    best = table.best_shares(sentences)
    _, most = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert best.tolist() == pytest.approx([1.0] * 2_000)
    assert most < 20_000_000
