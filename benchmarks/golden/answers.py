"""Answers to judged questions by this program and by two baselines: only BM25, only the embedder.

The baselines use the chunks, terms and vectors of this program's index. They rank a post by its
best chunk and show the whole best chunks of the first five posts.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from benchmarks.golden.scores import Answer
from benchmarks.quality.blogs import Question
from benchmarks.quality.metrics import DEPTH, READ
from blog_search_mcp import Filters
from blog_search_mcp.index.text.query import analyze_query
from blog_search_mcp.server.engine import Engine
from blog_search_mcp.server.mcp.search_blog import SEARCH_BLOG

NEAREST = 100
"""Number of chunks that a baseline retrieves. They usually belong to ten posts or more."""


def ask_program(engine: Engine, query: str) -> tuple[Sequence[str], str, bool]:
    """Return the sources of ten hits, the text of `search_blog`, and if confidence is low."""
    answer = engine.search(query, Filters(), limit=DEPTH, offset=0)
    shown = SEARCH_BLOG.call(engine, {"query": query}).texts[0]
    return [hit.post.source for hit in answer.hits], shown, answer.confidence == "low"


def ask_words(engine: Engine, query: str) -> tuple[Sequence[str], str, bool]:
    """Answer by BM25 only; the confidence is never low."""
    snapshot = engine.reader().snapshot
    words = analyze_query(query, snapshot.languages)
    return _show(engine, snapshot.lexical.chunks.normalized_bm25(words, NEAREST))


def ask_meaning(engine: Engine, query: str) -> tuple[Sequence[str], str, bool]:
    """Answer by the cosines of vectors only; the confidence is never low."""
    snapshot = engine.reader().snapshot
    vector = snapshot.embedder.embed_query(query)
    return _show(engine, snapshot.vectors.search(vector, NEAREST))


def _show(engine: Engine, scores: Mapping[int, float]) -> tuple[Sequence[str], str, bool]:
    """Return the sources of the first posts with these ranked chunks, and five chunks' texts."""
    catalog, table = engine.reader().snapshot.catalog, engine.reader().snapshot.table
    posts = dict(zip(table.chunks.tolist(), table.posts.tolist(), strict=True))
    best: dict[int, int] = {}
    for chunk in scores:
        best.setdefault(posts[chunk], chunk)
    ranked, sources = [*best.items()][:DEPTH], catalog.posts(best)
    texts = catalog.chunks(chunk for _, chunk in ranked[:READ])
    shown = "\n\n".join(texts[chunk].text for _, chunk in ranked[:READ])
    return [sources[post].source for post, _ in ranked], shown, False


ASK: Mapping[str, Callable[[Engine, str], tuple[Sequence[str], str, bool]]] = {
    "program": ask_program,
    "words": ask_words,
    "meaning": ask_meaning,
}
"""Function that answers a query, by the name of the system."""


def answer(engine: Engine, question: Question, system: str) -> Answer:
    """Answer a question with one of the systems in ASK. Raises BlogSearchError."""
    sources, shown, low = ASK[system](engine, question.query)
    return Answer(
        blog=question.blog, query=question.query, sources=tuple(sources), shown=shown, low=low
    )
