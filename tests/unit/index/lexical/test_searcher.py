"""The lexical leg over a real tantivy index: what is found, and its share of the query."""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Iterable
from pathlib import Path

import pytest

from blog_search_mcp.index.analysis.query import STOPWORD_WEIGHT, Word, analyse_query
from blog_search_mcp.index.lexical import writer as lexical_writer
from blog_search_mcp.index.lexical.documents import (
    HEADING_TIMES,
    NAME_TIMES,
    PADDING,
    TITLE_TIMES,
    PostTerms,
    terms_of,
)
from blog_search_mcp.index.lexical.searcher import TantivySearcher
from blog_search_mcp.index.lexical.writer import write
from blog_search_mcp.index.types import Chunk, Post

B = 0.75
"""BM25's normalisation by length, fixed in tantivy."""

WORDS = ["zebra", "walrus", "onion", "kelp", "moth", "newt"]
"""English stemming leaves them as they are."""

Write = Callable[[Iterable[PostTerms]], TantivySearcher]


def entry(
    number: int,
    *bodies: str,
    title: str = "",
    headings: tuple[str, ...] = (),
    source: str = "_.md",
) -> PostTerms:
    """The terms of a post with chunks `10 * number`, …; `_` is punctuation, and no name."""
    chunks = {
        10 * number + place: Chunk(source, place, body, body, headings, 1, 1)
        for place, body in enumerate(bodies)
    }
    return terms_of(number, Post(source, title, language="en"), chunks)


@pytest.fixture
def written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Write:
    """Chunks are as long as they are: what padding adds is tested by itself."""
    monkeypatch.setattr(lexical_writer, "PADDING", 0)

    def index(posts: Iterable[PostTerms]) -> TantivySearcher:
        write(tmp_path / "lexical", None, (), posts)
        return TantivySearcher(tmp_path / "lexical")

    return index


def bm25(query: list[str], documents: dict[int, list[str]]) -> dict[int, float]:
    """A second implementation, for words without stems and lengths of at most 40.

    Up to that tantivy stores a length exactly, beyond as the next of its 256 steps.
    """
    mean = sum(map(len, documents.values())) / len(documents)
    scores = dict.fromkeys(documents, 0.0)
    for word in query:
        having = sum(word in words for words in documents.values())
        idf = math.log(1 + (len(documents) - having + 0.5) / (having + 0.5))
        for number, words in documents.items():
            count, length = words.count(word), len(words)
            scores[number] += idf * count * 2.2 / (count + 1.2 * (1 - B + B * length / mean))
    return {number: score for number, score in scores.items() if score}


def ideal(query: list[str], documents: dict[int, list[str]]) -> float:
    """What a text that is full of every word approaches."""
    having = [sum(word in words for words in documents.values()) for word in query]
    return 2.2 * sum(math.log(1 + (len(documents) - n + 0.5) / (n + 0.5)) for n in having)


@pytest.mark.parametrize("seed", range(4))
def test_a_share_is_bm25_by_the_most_it_could_be(seed: int, written: Write) -> None:
    rng = random.Random(seed)
    bodies = [rng.choices(WORDS[:5], k=rng.randint(1, 40)) for _ in range(12)]
    level = written(entry(n, " ".join(body)) for n, body in enumerate(bodies)).chunks
    documents = {10 * n: body for n, body in enumerate(bodies)}
    for query in (["zebra"], ["walrus", "onion"], ["newt", "kelp"]):
        expected = {
            chunk: score / ideal(query, documents)
            for chunk, score in bm25(query, documents).items()
        }
        assert level.normalised_bm25(analyse_query(" ".join(query)), 100) == pytest.approx(
            expected, rel=1e-5
        )


def test_a_chunk_gains_less_by_being_short_than_a_post(tmp_path: Path) -> None:
    """152 and 168 are lengths that tantivy stores exactly."""
    short, long = ["zebra", "kelp"], ["zebra"] + ["moth"] * 17
    bodies = {10: short, 20: long, 30: ["newt"]}
    write(tmp_path, None, (), (entry(n // 10, " ".join(bodies[n])) for n in bodies))
    searcher = TantivySearcher(tmp_path)
    padded = {n: [*body, *["·"] * PADDING] for n, body in bodies.items()}
    expected = {n: s / ideal(["zebra"], padded) for n, s in bm25(["zebra"], padded).items()}
    found = searcher.chunks.normalised_bm25(analyse_query("zebra"), 9)
    assert found == pytest.approx(expected, rel=1e-5)
    whole = searcher.posts.normalised_bm25(analyse_query("zebra"), 9)
    assert 1.0 < found[10] / found[20] < whole[1] / whole[2]
    assert PADDING == 150


def test_posts_are_ranked_by_all_of_their_chunks(written: Write) -> None:
    searcher = written(
        [entry(1, "zebra moth", "walrus moth"), entry(2, "zebra kelp kelp", "onion")]
    )
    documents = {1: ["zebra", "moth", "walrus", "moth"], 2: ["zebra", "kelp", "kelp", "onion"]}
    query = ["zebra", "walrus"]
    assert searcher.posts.normalised_bm25(analyse_query("zebra walrus"), 9) == pytest.approx(
        {n: score / ideal(query, documents) for n, score in bm25(query, documents).items()}
    )


def test_a_title_counts_as_if_written_three_times_and_a_heading_twice(written: Write) -> None:
    level = written(
        [entry(1, "moth", title="zebra", headings=("walrus",)), entry(2, "kelp", title="newt")]
    ).chunks
    documents = {
        10: ["zebra"] * 3 + ["walrus"] * 2 + ["moth"],
        20: ["newt"] * 3 + ["kelp"],
    }
    assert (TITLE_TIMES, HEADING_TIMES) == (3, 2)
    for word in ("zebra", "walrus", "moth", "newt", "kelp"):
        assert level.normalised_bm25(analyse_query(word), 9) == pytest.approx(
            {n: s / ideal([word], documents) for n, s in bm25([word], documents).items()}
        )


def test_a_file_name_counts_as_if_written_twice(written: Write) -> None:
    named = entry(1, "moth", source="zebra.md")
    level = written([named, entry(2, "kelp kelp kelp kelp")]).chunks
    documents = {10: ["zebra"] * 2 + ["moth"], 20: ["kelp"] * 4}
    assert NAME_TIMES == 2
    for word in ("zebra", "moth"):
        assert level.normalised_bm25(analyse_query(word), 9) == pytest.approx(
            {n: s / ideal([word], documents) for n, s in bm25([word], documents).items()}
        )


def test_a_function_word_counts_by_its_weight(written: Write) -> None:
    level = written([entry(1, "the"), entry(2, "zebra"), entry(3, "moth")]).chunks
    idf = math.log(1 + 2.5 / 1.5)
    most = 2.2 * (STOPWORD_WEIGHT + 1.0) * idf
    assert level.normalised_bm25(analyse_query("the zebra"), 9) == pytest.approx(
        {20: idf / most, 10: STOPWORD_WEIGHT * idf / most}
    )


def test_shares_are_best_first_and_between_zero_and_one(written: Write) -> None:
    level = written(
        [*(entry(n, "zebra " * n + "kelp") for n in range(1, 30)), entry(30, "zebra " * 500)]
    ).chunks
    shares = list(level.normalised_bm25(analyse_query("zebra"), 100).values())
    assert shares == sorted(shares, reverse=True)
    assert 0.0 < shares[-1] < shares[0] <= 1.0
    assert len(shares) == 30


def test_at_most_as_many_as_asked_for_and_the_best(written: Write) -> None:
    level = written(entry(n, "zebra " * n + "kelp") for n in range(1, 9)).chunks
    best = level.normalised_bm25(analyse_query("zebra"), 3)
    assert list(best) == [80, 70, 60]
    assert level.normalised_bm25(analyse_query("zebra"), 0) == {}


def test_among_restricts_before_ranking_and_changes_no_share(written: Write) -> None:
    searcher = written(entry(n, "zebra " * n + "kelp", "kelp zebra") for n in range(1, 9))
    for level in (searcher.chunks, searcher.posts):
        everything = level.normalised_bm25(analyse_query("zebra"), 100)
        few = level.normalised_bm25(analyse_query("zebra"), 100, [1, 3])
        assert {number // 10 or number for number in few} == {1, 3}
        assert few == pytest.approx({number: everything[number] for number in few})
        assert level.normalised_bm25(analyse_query("zebra"), 1, [1]) != {}
        assert level.normalised_bm25(analyse_query("zebra"), 9, []) == {}
        assert level.normalised_bm25(analyse_query("zebra"), 9, [77]) == {}


def test_words_are_ored(written: Write) -> None:
    level = written([entry(1, "zebra"), entry(2, "walrus"), entry(3, "moth")]).chunks
    assert set(level.normalised_bm25(analyse_query("zebra walrus onion"), 9)) == {10, 20}


def test_a_word_that_matches_by_several_stems_counts_once(written: Write) -> None:
    """The post's language decides how it was stemmed, so a query offers both stems."""
    level = written([entry(1, "funktion"), entry(2, "moth")]).chunks
    both = analyse_query("funktionen", ("en", "de"))
    assert both.words[0].stems == ("funktion", "funktionen")
    only = Word("funktionen", ("funktion",), 1.0)
    assert level.idf(both)[both.words[0]] == pytest.approx(math.log(1 + 1.5 / 1.5))
    single = level.normalised_bm25(analyse_query("funktionen", ("de",)), 9)
    assert analyse_query("funktionen", ("de",)).words == (only,)
    assert level.normalised_bm25(both, 9) == pytest.approx(single)


def test_a_text_with_two_stems_of_a_word_has_it_once(written: Write) -> None:
    level = written([entry(1, "funktion funktionen"), entry(2, "moth")]).chunks
    length = 1 - B + B * 2 / 1.5
    assert level.normalised_bm25(analyse_query("funktionen", ("en", "de")), 9) == pytest.approx(
        {10: 1 / (1 + 1.2 * length)}
    )


def test_a_rarity_is_the_inverse_document_frequency_by_weight(written: Write) -> None:
    level = written([entry(1, "the zebra"), entry(2, "the walrus"), entry(3, "zebra")]).chunks
    found = {
        word.exact: rarity for word, rarity in level.idf(analyse_query("the zebra of newt")).items()
    }
    assert found == pytest.approx(
        {
            "the": STOPWORD_WEIGHT * math.log(1 + 1.5 / 2.5),
            "zebra": math.log(1 + 1.5 / 2.5),
            "of": 0.0,
            "newt": math.log(1 + 3.5 / 0.5),
        }
    )
    assert level.max_idf == found["newt"]


def test_a_stop_word_the_blog_lacks_changes_no_share(written: Write) -> None:
    level = written([entry(1, "鍵值快取"), entry(2, "zebra")]).chunks
    assert level.normalised_bm25(analyse_query("what is zebra"), 9) == level.normalised_bm25(
        analyse_query("zebra"), 9
    )


def test_a_word_the_blog_lacks_leaves_less_of_the_query_found(written: Write) -> None:
    level = written([entry(1, "zebra"), entry(2, "walrus")]).chunks
    [alone], [partly] = (
        level.normalised_bm25(analyse_query(q), 9).values() for q in ("zebra", "zebra newt")
    )
    having, lacking = math.log(1 + 1.5 / 1.5), math.log(1 + 2.5 / 0.5)
    assert partly == pytest.approx(alone * having / (having + lacking))


def test_coverage_is_how_much_of_the_words_a_chunk_holds_together(written: Write) -> None:
    level = written(
        [entry(1, "zebra walrus moth"), entry(2, "zebra onion"), entry(3, "kelp")]
    ).chunks
    two, one = math.log(1 + 1.5 / 2.5), math.log(1 + 2.5 / 1.5)
    lacking = math.log(1 + 3.5 / 0.5)
    both = level.coverage(analyse_query("zebra walrus"), 9)
    assert list(both) == [10, 20]
    assert both == pytest.approx({10: 1.0, 20: two / (two + one)})
    assert level.coverage(analyse_query("walrus onion"), 9) == pytest.approx({10: 0.5, 20: 0.5})
    assert level.coverage(analyse_query("zebra walrus onion")) == pytest.approx(
        {10: (two + one) / (two + 2 * one)}
    )
    assert level.coverage(analyse_query("zebra newt")) == pytest.approx({10: two / (two + lacking)})
    assert level.coverage(analyse_query("zebra walrus"), 9, [2, 3]) == pytest.approx(
        {20: two / (two + one)}
    )
    assert level.coverage(analyse_query("newt")) == level.coverage(analyse_query("?")) == {}


def test_a_post_of_a_title_alone_is_not_found(written: Write) -> None:
    searcher = written([entry(1, title="zebra"), entry(2, "walrus")])
    assert searcher.posts.normalised_bm25(analyse_query("zebra"), 9) == {}


def test_an_index_without_posts_answers(written: Write) -> None:
    searcher = written([])
    query = analyse_query("zebra")
    assert (
        searcher.chunks.normalised_bm25(query, 9)
        == searcher.posts.normalised_bm25(query, 9, [1])
        == {}
    )
    assert searcher.chunks.coverage(query) == {}


def test_the_next_index_lacks_the_removed_holds_the_added_and_leaves_the_first_alone(
    tmp_path: Path,
) -> None:
    first, second = tmp_path / "1", tmp_path / "2"
    write(first, None, (), [entry(1, "zebra", "zebra"), entry(2, "walrus zebra")])
    write(second, first, [1], [entry(3, "onion zebra")])
    before, after = TantivySearcher(first), TantivySearcher(second)
    zebra = analyse_query("zebra")
    assert set(before.chunks.normalised_bm25(zebra, 9)) == {10, 11, 20}
    assert set(after.chunks.normalised_bm25(zebra, 9)) == {20, 30}
    assert set(after.posts.normalised_bm25(zebra, 9)) == {2, 3}
    assert all(0.0 < share <= 1.0 for share in after.chunks.normalised_bm25(zebra, 9).values())


@pytest.mark.parametrize(("query", "expected"), [("型", [10, 20, 30]), ("鍵", [30]), ("の", [])])
def test_a_single_character_is_found_inside_words(
    written: Write, query: str, expected: list[int]
) -> None:
    """Posts hold a character in pairs; one of grammar alone is looked up as it stands."""
    chunks = written(
        [entry(1, "型ヒント"), entry(2, "データの型"), entry(3, "鍵の型"), entry(4, "関数")]
    ).chunks
    asked = analyse_query(query, ("ja",))
    assert sorted(chunks.normalised_bm25(asked, 10)) == expected
    assert chunks.coverage(asked, 10) == pytest.approx(dict.fromkeys(expected, 1.0))
    rarity = math.log(1 + (4 - len(expected) + 0.5) / (len(expected) + 0.5))
    assert list(chunks.idf(asked).values()) == [pytest.approx(rarity if expected else 0.0)]


def test_a_single_character_beside_words_counts_as_one_of_them(written: Write) -> None:
    searcher = written(
        [entry(1, "walrus 型ヒント"), entry(2, "walrus kelp"), entry(3, "型の walrus")]
    )
    assert (
        list(searcher.chunks.normalised_bm25(analyse_query("walrus 型 onion", ("ja",)), 10))[-1]
        == 20
    )
