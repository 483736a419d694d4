from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest

from blog_search_mcp.index.types import Answer, Chunk, Filters, Hit, Post
from blog_search_mcp.server.format.results import HIT_BYTES
from blog_search_mcp.server.tools.base import ANSWER
from blog_search_mcp.server.tools.search_blog import SEARCH_BLOG
from tests.support.server_fixtures import ALL_HITS, CACHE, CHUNKS, FixedSearcher, hit

FIVE_HITS_BYTES = 2_500


class OneAnswer(FixedSearcher):
    """Answers every query with the same page."""

    def __init__(self, answer: Answer | None = None) -> None:
        super().__init__()
        self.answer = answer

    def search(self, query: str, filters: Filters, *, limit: int, offset: int) -> Answer:
        return self.answer or super().search(query, filters, limit=limit, offset=offset)


def test_a_page_of_hits_has_every_fact_once_and_no_empty_ones() -> None:
    result = SEARCH_BLOG.call(FixedSearcher(), {"query": "cache", "top_k": 2})
    assert result.facts == {
        "results": [
            {
                "source": "inference/kv-cache.md",
                "chunk_index": 0,
                "score": 0.812,
                "preview": "A KV cache keeps keys and values.",
                "title": "What is a KV cache?",
                "date": "2025-03-04",
                "lines": "6-7",
            },
            {
                "source": "notes.md",
                "chunk_index": 0,
                "score": 0.5,
                "preview": "快取會保留鍵與值。",
                "title": "鍵值快取筆記",
                "lines": "1-1",
            },
        ],
        "confidence": "medium",
        "total": 3,
        "offset": 0,
        "has_more": True,
        "next_offset": 2,
    }
    assert list(result.facts)[:2] == ["results", "confidence"]
    assert not result.is_error


def test_the_text_says_the_same_as_the_structured_content_without_a_needless_byte() -> None:
    result = SEARCH_BLOG.call(FixedSearcher(), {"query": "cache"})
    [text] = result.texts
    assert json.loads(text) == result.facts
    assert text == json.dumps(json.loads(text), ensure_ascii=False, separators=(",", ":"))
    assert "快取會保留鍵與值。" in text


def test_the_last_page_has_no_next_offset() -> None:
    result = SEARCH_BLOG.call(FixedSearcher(), {"query": "cache", "offset": 2})
    assert result.facts is not None
    assert result.facts["results"][0]["heading"] == "Memory"
    del result.facts["results"]
    assert result.facts == {
        "confidence": "medium",
        "total": 3,
        "offset": 2,
        "has_more": False,
        "next_offset": None,
    }


def test_the_searcher_gets_filters_and_page_as_asked() -> None:
    searcher = FixedSearcher()
    given = {"query": "q", "top_k": 7, "offset": 1, "tag": "llm", "before": "2024"}
    SEARCH_BLOG.call(searcher, given)
    assert searcher.asked == [("q", Filters(tag="llm", before="2024-12-31"), 7, 1)]


def notice(searcher: FixedSearcher, **given: Any) -> str:
    result = SEARCH_BLOG.call(searcher, given)
    assert result.facts is not None
    return str(result.facts["notice"])


def test_an_empty_page_says_why() -> None:
    searcher = FixedSearcher()
    assert notice(searcher, query="nothing") == (
        "No post matches this query. Try other words, or fewer and plainer ones."
    )
    assert notice(searcher, query="nothing", tag="Inference", after="2024") == (
        "No post matches this query within tag='Inference', after='2024-01-01'. "
        "Leave filters out, or try other words."
    )
    assert notice(searcher, query="cache", offset=10) == (
        "offset 10 is past the last hit: 3 in all, from 0."
    )


def test_a_filter_that_names_nothing_is_told_with_what_there_is() -> None:
    assert notice(FixedSearcher(), query="nothing", tag="inferense", section="soups") == (
        "No post has the tag 'inferense'. Nearest: inference (1). The tags: inference (1). "
        "No post has the section 'soups'. The sections: inference (1)."
    )


def test_the_newest_come_first_of_what_fits_about_as_well_as_the_best() -> None:
    dates = {"old": "2019-01-01", "new": "2024-05-05", "weak": "2025-01-01", "undated": None}
    scores = [("old", 0.8), ("undated", 0.7), ("new", 0.6), ("new", 0.5), ("weak", 0.1)]
    hits = tuple(
        replace(
            hit(CHUNKS[CACHE.source][0], score), post=replace(CACHE, source=name, date=dates[name])
        )
        for name, score in scores
    )
    searcher = OneAnswer(Answer(hits=hits, total=len(hits), offset=0))
    facts = SEARCH_BLOG.call(searcher, {"query": "q", "sort": "newest", "top_k": 2}).facts
    assert facts is not None
    assert [(each["source"], each["score"]) for each in facts["results"]] == [
        ("new", 0.6),
        ("old", 0.8),
    ]
    assert (facts["total"], facts["next_offset"]) == (3, 2)
    rest = SEARCH_BLOG.call(searcher, {"query": "q", "sort": "newest", "offset": 2}).facts
    assert rest is not None
    assert [each["source"] for each in rest["results"]] == ["undated"]


def test_a_notice_of_the_search_is_passed_on_before_ours() -> None:
    down = "Ollama does not answer, so only words were compared."
    full = OneAnswer(Answer(hits=ALL_HITS, total=3, offset=0, notice=down))
    empty = OneAnswer(Answer(hits=(), total=0, offset=0, notice=down))
    assert notice(full, query="q") == down
    assert notice(empty, query="q") == (
        f"{down} No post matches this query. Try other words, or fewer and plainer ones."
    )


def test_markdown_is_text_alone() -> None:
    given = {"query": "cache", "response_format": "markdown", "offset": 1, "top_k": 1}
    result = SEARCH_BLOG.call(FixedSearcher(), given)
    assert result.facts is None
    assert list(result.texts) == [
        "Confidence: medium.\n\n"
        "2. **鍵值快取筆記**\n"
        "   `notes.md` chunk_index 0 · lines 1-1 · score 0.500\n"
        "   > 快取會保留鍵與值。\n\n"
        "Hits 2 to 2 of 3; more with offset=2."
    ]


def test_markdown_keeps_a_hit_in_its_lines() -> None:
    chunk = replace(CHUNKS[CACHE.source][1], plain="two\n\nlines")
    searcher = OneAnswer(Answer(hits=(hit(chunk, 1.0),), total=1, offset=0, notice="Note."))
    assert SEARCH_BLOG.call(searcher, {"query": "q", "response_format": "markdown"}).texts == (
        "Confidence: medium.\n\n"
        "1. **What is a KV cache?** › Memory\n"
        "   `inference/kv-cache.md` chunk_index 1 · lines 9-13 · 2025-03-04 · score 1.000\n"
        "   > two lines\n\n"
        "Note.",
    )


@pytest.mark.parametrize("word", ["high", "medium", "low"])
def test_the_confidence_of_the_search_is_passed_on(word: str) -> None:
    searcher = OneAnswer(Answer(hits=ALL_HITS, total=3, offset=0, confidence=word))
    facts = SEARCH_BLOG.call(searcher, {"query": "q"}).facts
    assert facts is not None
    assert facts["confidence"] == word
    [shown] = SEARCH_BLOG.call(searcher, {"query": "q", "response_format": "markdown"}).texts
    assert shown.startswith(f"Confidence: {word}.\n\n1. ")


def test_markdown_without_hits_is_the_notice() -> None:
    result = SEARCH_BLOG.call(FixedSearcher(), {"query": "nothing", "response_format": "markdown"})
    assert list(result.texts) == [
        "No post matches this query. Try other words, or fewer and plainer ones."
    ]


def typical_hit(number: int) -> Hit:
    """A hit whose every field is longer than most blogs have it."""
    source = f"posts/2024/2024-05-12-a-rather-long-slug-of-a-post-{number}/index.md"
    chunk = Chunk(
        source=source,
        index=12,
        text="",
        plain="",
        headings=("How it works", "Choosing the size of a page"),
        first_line=120,
        last_line=148,
        anchor="choosing-the-size-of-a-page",
    )
    post = Post(
        source=source,
        title="Serving long contexts on one small card",
        date="2024-05-12",
        url=f"https://blog.example.org/2024/05/a-rather-long-slug-of-a-post-{number}/",
    )
    return Hit(post=post, chunk=chunk, score=0.123456, preview="a word or " * 16)


def test_five_hits_stay_small() -> None:
    hits = tuple(typical_hit(number) for number in range(5))
    answer = Answer(hits=hits, total=50, offset=0)
    [text] = SEARCH_BLOG.call(OneAnswer(answer), {"query": "q"}).texts
    assert len(text.encode()) < FIVE_HITS_BYTES


def test_a_hit_that_is_too_large_is_shortened_but_not_in_what_is_called_or_cited() -> None:
    long = typical_hit(1)
    answer = Answer(hits=(long,), total=1, offset=0)
    facts = SEARCH_BLOG.call(OneAnswer(answer), {"query": "q"}).facts
    assert facts is not None
    [shown] = facts["results"]
    assert len(json.dumps(shown, separators=(",", ":"), ensure_ascii=False).encode()) <= HIT_BYTES
    assert long.preview.startswith(shown["preview"].removesuffix("…"))
    assert len(long.preview) - len(shown["preview"]) <= 40
    assert (shown["source"], shown["url"], shown["title"], shown["heading"]) == (
        long.post.source,
        f"{long.post.url}#choosing-the-size-of-a-page",
        long.post.title,
        "Choosing the size of a…",
    )


def test_hits_that_do_not_fit_are_left_for_the_next_page() -> None:
    hits = tuple(replace(typical_hit(n), preview="p" * 3_000) for n in range(20))
    answer = Answer(hits=hits, total=20, offset=0)
    result = SEARCH_BLOG.call(OneAnswer(answer), {"query": "q", "top_k": 20})
    facts = result.facts
    assert facts is not None
    assert len(result.texts[0]) <= ANSWER
    shown = len(facts["results"])
    assert 0 < shown < 20
    assert (facts["has_more"], facts["next_offset"], facts["total"]) == (True, shown, 20)
