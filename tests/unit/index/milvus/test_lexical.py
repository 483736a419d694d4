"""Words in Milvus, judged by tantivy: the same scores, shares and rarities."""

from __future__ import annotations

import random
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from blog_search_mcp.index.analysis.query import Query, add_synonyms, analyse_query
from blog_search_mcp.index.lexical.documents import PostTerms, post_terms
from blog_search_mcp.index.lexical.searcher import TantivySearcher
from blog_search_mcp.index.lexical.writer import write
from blog_search_mcp.index.milvus import lexical as milvus_lexical
from blog_search_mcp.index.milvus.terms import sum_statistics
from blog_search_mcp.index.store.catalog import open_catalog
from tests.support.paths import ROOT
from tests.unit.index.milvus.words import (
    made_posts,
    read_rows,
    searcher,
    text,
    write_words,
)

if TYPE_CHECKING:
    from blog_search_mcp.index.lexical.level import LexicalLevel, LexicalSearcher
    from blog_search_mcp.index.milvus.client import Milvus
    from tests.support.blog import MakeBlog

LANGUAGES = ("en", "zh-tw", "ja")

ASKED = (
    "faiss.IndexFlatIP",
    "kv-cache",
    "why is the cache slow when it is running?",
    "快",
    "搜",
    "的",
    "快 取",
    "部署順序很重要",
    "快取 cache",
    "内存 memory サーバー",
    "C++ node.js",
    "the of and",
    "nothing-of-this-kind",
    "時",
    "",
)


def queries(level: LexicalLevel, drawn: int) -> list[Query]:
    """Queries of all kinds; every other with synonyms."""
    chance = random.Random(7)
    made = [text(chance, chance.choice(LANGUAGES), 9) for _ in range(drawn)]
    analysed = [analyse_query(each, LANGUAGES) for each in (*ASKED, *made)]
    return [
        add_synonyms(query, LANGUAGES, level.having) if number % 2 else query
        for number, query in enumerate(analysed)
    ]


def assert_equal(found: LexicalSearcher, expected: LexicalSearcher, posts: list[int]) -> None:
    """Both answer the same, to more queries the more posts there are."""
    asked = queries(expected.chunks, len(posts) // 3)
    for level, judge in ((found.chunks, expected.chunks), (found.posts, expected.posts)):
        each = [(judge.normalised_bm25(query, 20), judge.coverage(query)) for query in asked]
        for (ours, share), (theirs, other) in zip(level.reach(asked, 20), each, strict=True):
            assert list(ours.values()) == pytest.approx(list(theirs.values()), abs=1e-4)
            assert share == pytest.approx(max(other.values(), default=0.0), abs=1e-4)
    for query in asked:
        for level, judge, prefixes in (
            (found.chunks, expected.chunks, [""]),
            (found.posts, expected.posts, ["", "about_"]),
        ):
            assert (level.documents, level.max_idf) == (judge.documents, judge.max_idf)
            if not any(word.is_character and len(word.stems) > 1 for word in query.words):
                assert level.idf(query) == pytest.approx(judge.idf(query), abs=1e-6)
            stems = [stem for word in query.words for stem in word.stems]
            assert [*map(level.having, stems)] == [*map(judge.having, stems)]
            for among in (None, posts[::3], []):
                assert level.coverage(query, 2_000, among) == pytest.approx(
                    judge.coverage(query, 2_000, among), abs=1e-4
                )
                for prefix in prefixes:
                    ours = level.normalised_bm25(query, 2_000, among, prefix)
                    assert ours == pytest.approx(
                        judge.normalised_bm25(query, 2_000, among, prefix), abs=1e-4
                    )
            best = level.normalised_bm25(query, 7)
            every = judge.normalised_bm25(query, 2_000).values()
            assert list(best.values()) == pytest.approx(list(every)[:7], abs=1e-4)


@pytest.fixture
def posts(kept_blog: MakeBlog) -> list[PostTerms]:
    """The posts of the tree's own blog and made ones."""
    sources = sorted((ROOT / "content").rglob("*.md*"))
    blog = kept_blog(
        {
            each.relative_to(ROOT / "content").as_posix(): each.read_text(encoding="utf-8")
            for each in sources
        }
    )
    with closing(open_catalog(blog.files)) as catalog:
        numbers = sorted(catalog.every_post())
    real = [
        each for number in numbers if isinstance(each := post_terms(blog.files, number), PostTerms)
    ]
    return [*real, *made_posts(120, seed=1, first=1_000)]


def test_scores_shares_and_rarities_are_those_of_tantivy(
    posts: list[PostTerms], milvus: Milvus, tmp_path: Path
) -> None:
    statistics = write_words(milvus, 1, posts)
    write(tmp_path / "a", None, (), posts)
    numbers = [post.post_id for post in posts]
    assert_equal(searcher(milvus, [1], statistics), TantivySearcher(tmp_path / "a"), numbers)


def test_they_still_are_after_posts_went(
    posts: list[PostTerms], milvus: Milvus, tmp_path: Path
) -> None:
    numbers = [post.post_id for post in posts]
    gone = numbers[::4]
    first = write_words(milvus, 1, posts)
    change = write_words(milvus, 2, [], first, [read_rows(milvus, 1, gone)])
    after = {name: sum_statistics([each, change[name]]) for name, each in first.items()}
    write(tmp_path / "a", None, (), posts)
    write(tmp_path / "b", tmp_path / "a", gone, ())
    judge = TantivySearcher(tmp_path / "b")
    kept = [number for number in numbers if number not in gone]
    assert_equal(searcher(milvus, [1, 2], after, gone), judge, kept)


def test_a_later_generation_adds_its_own_rows_to_those_before(
    posts: list[PostTerms], milvus: Milvus, tmp_path: Path
) -> None:
    """Lengths are compared with the mean that the first generation had."""
    first = write_words(milvus, 1, posts[::2])
    change = write_words(milvus, 2, posts[1::2], first)
    after = {name: sum_statistics([each, change[name]]) for name, each in first.items()}
    write(tmp_path / "a", None, (), posts)
    found, judge = searcher(milvus, [1, 2], after), TantivySearcher(tmp_path / "a")
    for query in queries(judge.chunks, 20)[::3]:
        for level, other in ((found.chunks, judge.chunks), (found.posts, judge.posts)):
            assert level.idf(query) == pytest.approx(other.idf(query), abs=1e-6)
            ours, theirs = (each.normalised_bm25(query, 9_999) for each in (level, other))
            assert ours.keys() == theirs.keys()
            assert ours == pytest.approx(theirs, abs=0.03)


def test_candidates_are_looked_for_until_no_other_can_be_better(
    posts: list[PostTerms], milvus: Milvus, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(milvus_lexical, "FEW", 1)
    write(tmp_path / "a", None, (), posts)
    found = searcher(milvus, [1], write_words(milvus, 1, posts))
    judge = TantivySearcher(tmp_path / "a")
    for query in queries(judge.chunks, 20)[1::2]:
        ours, theirs = (each.chunks.normalised_bm25(query, 3) for each in (found, judge))
        assert list(ours.values()) == pytest.approx(list(theirs.values()), abs=1e-4)
