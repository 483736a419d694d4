"""A whole blog for analyses: its posts, their directions and what leads where."""

from __future__ import annotations

import threading
import time
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import pytest

from blog_search_mcp.index.relations.corpus import Corpus
from blog_search_mcp.index.relations.draft import draft_of_post, embed_passages, read_draft
from blog_search_mcp.index.types import Link
from tests.support.blog import Blog, MakeBlog, load_rows

POSTS = {
    "cache.md": "# Cache\n\nThe cache keeps keys, see [tokens](tokens.md#first) and [x](x.md).\n",
    "tokens.md": "# Tokens\n\nTokens are pieces of words.\n\n## First\n\nThe first token. "
    "Back to [itself](#first) and [the cache](cache.md).\n",
    "tokens.zh.md": "# 詞元\n\n詞元是字的一部分。\n",
}


@pytest.fixture
def made(blog: MakeBlog) -> Blog:
    return blog(POSTS)


def corpus_of(made: Blog) -> Corpus:
    return made.reader().corpus()


def test_the_links_of_posts_are_resolved(made: Blog) -> None:
    corpus = corpus_of(made)
    sources = {number: post.source for number, post in corpus.posts.items()}
    linked = {
        sources[post]: {sources[other] for other in others}
        for post, others in corpus.linked.items()
    }
    assert linked == {"cache.md": {"tokens.md"}, "tokens.md": {"cache.md"}}
    cache = corpus.snapshot.catalog.require_post("cache.md")[0]
    assert [(each.link, bool(each.target)) for each in corpus.links[cache]] == [
        (Link("tokens.md#first", "tokens", 3), True),
        (Link("x.md", "x", 3), False),
    ]


def test_the_direction_of_a_post_is_the_mean_of_its_vectors_less_that_of_all(made: Blog) -> None:
    corpus = corpus_of(made)
    ids, rows = load_rows(made.files.vectors)
    posts = corpus.snapshot.table.posts_of(ids)
    for post in corpus.posts:
        mean = rows[posts == post].mean(axis=0) - rows.mean(axis=0)
        found = corpus.post_vectors.of(post)
        assert found is not None
        assert found == pytest.approx(mean / np.linalg.norm(mean), abs=1e-5)
    assert corpus.post_vectors.of(999) is None


def test_translations_are_known(made: Blog) -> None:
    corpus = corpus_of(made)
    english, chinese = (
        corpus.snapshot.catalog.require_post(source)[0] for source in ("tokens.md", "tokens.zh.md")
    )
    assert corpus.translations_of(english) == {chinese}
    assert corpus.translations_of(corpus.snapshot.catalog.require_post("cache.md")[0]) == set()


def test_a_post_as_a_draft_has_its_own_passages_links_and_vectors(made: Blog) -> None:
    corpus = corpus_of(made)
    draft = draft_of_post(corpus, "tokens.md")
    assert [each.headings for each in draft.passages] == [()]
    assert [link.href for link in draft.links] == ["#first", "cache.md"]
    made.embedder.documents.clear()
    vectors = embed_passages(corpus, draft)
    assert np.linalg.norm(vectors, axis=1) == pytest.approx(np.ones(1), abs=1e-6)
    assert made.embedder.documents == []


def test_a_draft_is_embedded_as_posts_are(made: Blog) -> None:
    corpus = corpus_of(made)
    draft = read_draft(b"# New\n\nSome words.\n\n## Second\n\nMore.\n", "new.md")
    made.embedder.documents.clear()
    assert embed_passages(corpus, draft).shape == (2, corpus.snapshot.vectors.dimension)
    assert made.embedder.documents == ["New\nSome words.", "New\nSecond\nMore."]


def test_a_corpus_outlives_its_reader(made: Blog) -> None:
    corpus = corpus_of(made)
    made.write({"more.md": "# More\n\nMore.\n"})
    made.ingest()
    assert len(corpus.posts) == 3
    assert len(corpus_of(made).posts) == 4


def test_two_that_ask_first_at_the_same_time_share_the_vectors(
    made: Blog, monkeypatch: pytest.MonkeyPatch
) -> None:
    engine, together = made.engine(), threading.Barrier(2, timeout=60)
    store = type(corpus_of(made).snapshot.vectors)
    read = store.vectors

    def read_slowly(self: Any, chunks: Any) -> Any:
        time.sleep(0.2)
        return read(self, chunks)

    def ask(_number: int) -> Any:
        together.wait()
        return engine.corpus().chunk_vectors

    monkeypatch.setattr(store, "vectors", read_slowly)
    with ThreadPoolExecutor(2) as threads:
        first, second = threads.map(ask, range(2))
    assert first is second
