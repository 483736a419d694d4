"""The lexical leg over a real tantivy index: what is found, and its share of the query."""

from collections.abc import Callable, Iterable, Sequence
from contextlib import closing
from pathlib import Path

import pytest

from blog_search_mcp.index.text.query import analyze_query
from blog_search_mcp.index.types import Chunk, Post, PostTerms
from blog_search_mcp.index.words import writer as lexical_writer
from blog_search_mcp.index.words.documents import terms_of
from blog_search_mcp.index.words.searcher import LexicalSearcher
from blog_search_mcp.index.words.writer import WordsWriter

Entry = tuple[int, tuple[int, ...], PostTerms]
"""A post's id, its chunks' and its terms."""
Write = Callable[[Iterable[Entry]], LexicalSearcher]


def write(
    folder: Path, previous: Path | None, removed: Sequence[int], entries: Iterable[Entry]
) -> None:
    with closing(WordsWriter(folder, previous)) as words:
        for entry in entries:
            words.add(*entry)
        words.commit(removed)


def entry(
    number: int, *bodies: str, title: str = "", headings: tuple[str, ...] = (), source: str = "_.md"
) -> Entry:
    """The terms of a post with chunks `10 * number`, …; `_` is punctuation, and no name."""
    chunks = [Chunk(source, n, body, body, headings, 1, 1) for n, body in enumerate(bodies)]
    terms = terms_of(Post(source, title, language="en"), chunks)
    return number, tuple(range(10 * number, 10 * number + len(chunks))), terms


@pytest.fixture
def written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Write:
    """Chunks are as long as they are: what padding adds is tested by itself."""
    monkeypatch.setattr(lexical_writer, "PADDING", 0)

    def index(posts: Iterable[Entry]) -> LexicalSearcher:
        write(tmp_path / "lexical", None, (), posts)
        return LexicalSearcher(tmp_path / "lexical")

    return index


def test_among_restricts_before_ranking_and_changes_no_share(written: Write) -> None:
    searcher = written(entry(n, "zebra " * n + "kelp", "kelp zebra") for n in range(1, 9))
    for level in (searcher.chunks, searcher.posts):
        everything = level.normalized_bm25(analyze_query("zebra"), 100)
        few = level.normalized_bm25(analyze_query("zebra"), 100, [1, 3])
        assert {number // 10 or number for number in few} == {1, 3}
        assert few == pytest.approx({number: everything[number] for number in few})
        assert level.normalized_bm25(analyze_query("zebra"), 1, [1]) != {}
        assert level.normalized_bm25(analyze_query("zebra"), 9, []) == {}
        assert level.normalized_bm25(analyze_query("zebra"), 9, [77]) == {}


@pytest.mark.parametrize(("query", "expected"), [("型", [10, 20, 30]), ("鍵", [30]), ("の", [])])
def test_a_single_character_is_found_inside_words(
    written: Write, query: str, expected: list[int]
) -> None:
    """Posts hold a character in pairs; one of grammar alone is looked up as it stands."""
    chunks = written(
        [entry(1, "型ヒント"), entry(2, "データの型"), entry(3, "鍵の型"), entry(4, "関数")]
    ).chunks
    asked = analyze_query(query, ("ja",))
    assert sorted(chunks.normalized_bm25(asked, 10)) == expected
