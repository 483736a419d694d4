"""What a query goes through: analysed, embedded if it can be, asked of both legs, answered."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from blog_search_mcp.index.embedders.packaged import english_coverage
from blog_search_mcp.index.errors import NotInIndex
from blog_search_mcp.index.search.confidence import NOTICE
from blog_search_mcp.index.search.retrieval import analyze, retrieve
from blog_search_mcp.index.search.search import NO_WORDS
from blog_search_mcp.index.types import KEYWORDS_ONLY, Answer, Filters
from tests.support.fakes import FakeEmbedder

if TYPE_CHECKING:
    from blog_search_mcp.index.types import Vectors
    from tests.support.blog import Blog, MakeBlog

pytestmark = pytest.mark.usefixtures("round_model")

POSTS = {
    "zebra.md": (
        "---\ntitle: Stripes\ntags: [savannah life]\nslug: on-hooves\n"
        "description: Wanderlust of a naturalist\n---\n"
        "A zebra has caught the eye of a lion, and the title of this post is wrong.\n"
    ),
    "walrus.md": "---\ntitle: Tusks\ntags: [sea]\n---\nA walrus rests on the ice and the stem.\n",
    "快取.md": "---\ntitle: 鍵值快取\n---\n模型會把鍵與值保留在記憶體之中。\n",
    "deutsch.md": "---\ntitle: Häuser\nlang: de\n---\nDie Häuser stehen nicht weit vom Fluss.\n",
}
ABOUT_MEMORY = "# Memory\n\nThe cache takes memory and adds latency to what it does for us.\n"


class Counting(FakeEmbedder):
    """Remembers which queries it was asked to embed."""

    def __init__(self) -> None:
        super().__init__()
        self.queries: list[str] = []

    def embed_query(self, text: str) -> Vectors:
        self.queries.append(text)
        return super().embed_query(text)


@pytest.fixture
def made(kept_blog: MakeBlog) -> Blog:
    return kept_blog(POSTS)


def ask(made: Blog, query: str, *, by_words: bool = False) -> Answer:
    answer = made.reader(by_words=by_words).search(query, Filters(), limit=20, offset=0)
    if not by_words:
        return answer
    return replace(answer, notice=(answer.notice or "").removeprefix(KEYWORDS_ONLY).strip() or None)


def sources(answer: Answer) -> list[str]:
    return [hit.post.source for hit in answer.hits]


@pytest.mark.parametrize(
    ("query", "embedded"),
    [
        ("A Zebra?", "A Zebra?"),
        ("KV cache 記憶體　優化 逾時", "KV cache 記憶體優化逾時"),
        ("接続 プール の設定", "接続プールの設定"),
        ("연결 풀 설정", "연결 풀 설정"),
    ],
)
def test_a_query_is_embedded_once_without_blanks_that_its_script_has_not(
    made: Blog, query: str, embedded: str
) -> None:
    snapshot = made.snapshot(embedder := Counting())
    assert retrieve(snapshot, analyze(snapshot, query)).query.text == query
    assert embedder.queries == [embedded]


class OfEnglish(Counting):
    """Reads English alone."""

    def vocabulary_coverage(self, texts: Sequence[str]) -> list[float]:
        return english_coverage(texts)


@pytest.mark.parametrize(
    ("post", "query", "embedded"),
    [
        (ABOUT_MEMORY, "如何減少記憶體的延遲", ["reduce memory delay"]),
        (ABOUT_MEMORY, "memory latency on this machine", ["memory latency on this machine"]),
        (ABOUT_MEMORY, "記憶體", []),
        (ABOUT_MEMORY, "kqxz_pmr vdblq_trw", []),
        ("# 記憶體\n\n快取佔用記憶體，也有延遲。\n", "如何減少記憶體的延遲", []),
    ],
)
def test_a_blog_that_the_embedder_reads_is_asked_in_the_english_words_of_a_query(
    post: str, query: str, embedded: list[str], blog: MakeBlog
) -> None:
    made = blog({"a.md": post})
    made.embedder = embedder = OfEnglish()
    made.ingest(rebuild=True)
    embedder.queries.clear()
    snapshot = made.snapshot(embedder)
    assert retrieve(snapshot, analyze(snapshot, query)).notice is None
    assert embedder.queries == embedded


@pytest.mark.parametrize(
    ("query", "source"),
    [
        *[(query, "zebra.md") for query in ("savannahs", "hooves", "stripes", "zebra")],
        *[(query, "deutsch.md") for query in ("Haus", "HAUSER")],
        ("wanderlust", "zebra.md"),
        ("deutsch", "deutsch.md"),
        ("内存", "快取.md"),
        ("企鹅", ""),
    ],
)
def test_name_title_tags_slug_description_and_text_are_searched_by_the_rules_of_their_language(
    query: str, source: str, made: Blog
) -> None:
    answer = ask(made, query, by_words=True)
    assert sources(answer) == ([source] if source else [])
    assert not any("anderlust" in hit.preview + hit.chunk.text for hit in answer.hits)


@pytest.mark.parametrize(
    ("query", "words"),
    [
        ("path:zebra AND (walrus", "path zebra and walrus"),
        ('"walrus zebra"', "walrus zebra"),
        ("- zebra +walrus", "zebra walrus"),
        ("zebra~2 walrus^9", "zebra 2 walrus 9"),
        ("[walrus TO zebra]", "walrus to zebra"),
        ("'); DROP TABLE posts; -- zebra", "drop table posts zebra"),
        ("zebra\x00walrus", "zebra walrus"),
    ],
)
def test_no_query_syntax_is_reachable(query: str, words: str, made: Blog) -> None:
    """What looks like the syntax of a search engine finds what its words find."""
    found, plain = ask(made, query, by_words=True), ask(made, words, by_words=True)
    assert sources(found) == sources(plain)


@pytest.mark.parametrize("hostile", ["' OR 1=1 --", '"', "%", "\x00", "a') OR ('1'='1"])
def test_no_syntax_of_sqlite_is_reachable_through_filters_or_sources(
    hostile: str, made: Blog
) -> None:
    reader = made.reader()
    for filters in (Filters(section=hostile), Filters(tag=hostile)):
        assert reader.search("zebra", filters, limit=5, offset=0).hits == ()
    with pytest.raises(NotInIndex):
        reader.read(hostile, 0, 0)


@settings(
    max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(query=st.text(alphabet=st.characters(), max_size=60), by_words=st.booleans())
def test_any_query_has_an_answer_within_bounds(query: str, by_words: bool, made: Blog) -> None:
    answer = made.reader(by_words=by_words).search(query, Filters(), limit=3, offset=0)
    assert len(answer.hits) == min(answer.total, 3)
    assert all(0.0 < hit.score <= 1.0 for hit in answer.hits)
    assert answer.confidence in {"normal", "low"}
    assert 0.0 <= answer.certainty <= 1.0


def test_a_low_confidence_is_told_with_hits_and_not_without(made: Blog) -> None:
    far = ask(made, "zebra xylophone orchestra quartet recital", by_words=True)
    assert (far.confidence, (far.notice or "").endswith(NOTICE)) == ("low", True)
    none = ask(made, "xylophone", by_words=True)
    assert (none.hits, none.confidence, none.certainty) == ((), "low", 0.0)
    assert NOTICE not in (none.notice or "")
    signs = ask(made, "?! …", by_words=True)
    assert (signs.hits, signs.confidence, signs.notice) == ((), "low", NO_WORDS)
