"""The words of posts and chunks as sparse vectors, which Milvus searches by inner product.

A row's vector has BM25's weight of each of its terms but for their rarity, which the query's has.
Terms are numbered, and counted, in a file of the generation. Milvus finds the candidates; of them
each word counts by the best of its stems, as in a folder.
"""

from __future__ import annotations

import json
import shutil
import sqlite3
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from functools import lru_cache
from itertools import chain, islice
from pathlib import Path

from blog_search_mcp.index.analysis.query import Word
from blog_search_mcp.index.lexical.documents import PADDING, PostTerms
from blog_search_mcp.index.lexical.searcher import K1, LexicalLevel, LexicalSearcher
from blog_search_mcp.index.milvus.client import BATCH, Hit, Milvus, Row, Sparse
from blog_search_mcp.index.milvus.files import Rows, Server, among
from blog_search_mcp.index.store.catalog import OF_LIST, Catalog, immutable

B = 0.75
"""BM25's correction by length, as in tantivy."""

PADDINGS = {"posts": 0, "chunks": PADDING}
"""By level, how many words a text counts as longer than it is."""

FEWEST = 200
"""Candidates at least, of which the best are returned."""

MOST_PAIRS = 100
"""Pairs of characters, the commonest, that a query of one character is looked for in."""

ASKED_AGAIN = 4
"""Requests whose answers are kept: a search asks for the BM25 and the coverage of the same rows."""

NO_TERM = 0
"""The dimension of a row without terms, since servers refuse empty ones; no query has it."""

FIELDS: dict[str, str | int] = {"row": "int", "post": "int", "terms": "sparse"}

_SCHEMA = """
CREATE TABLE terms (
    id INTEGER PRIMARY KEY, stem TEXT NOT NULL UNIQUE,
    posts INTEGER NOT NULL, chunks INTEGER NOT NULL
);
CREATE TABLE levels (name TEXT PRIMARY KEY, documents INTEGER NOT NULL, length REAL NOT NULL);
"""
"""In how many posts and chunks a stem is; the documents of each level and their mean length, which
stays what it was when the terms were counted anew."""


def write_words(
    server: Server, folder: Path, base: Path | None, posts: Iterable[PostTerms], *, anew: bool
) -> None:
    """Write the words of `posts`, into `folder` what is counted beside what `base` has.

    With `anew` they are all posts of the generation. A term keeps its number as long as there are
    rows with it. Raises IndexProblem or OSError.
    """
    milvus, rows, check = server
    folder.mkdir()
    path = folder / "terms.db"
    if base is not None:
        shutil.copyfile(base / path.name, path)
    with closing(sqlite3.connect(path)) as terms:
        terms.execute("PRAGMA journal_mode = OFF")
        terms.execute("PRAGMA synchronous = OFF")
        if base is None:
            terms.executescript(_SCHEMA)
        elif anew:
            terms.execute("UPDATE terms SET posts = 0, chunks = 0")
            terms.execute("UPDATE levels SET documents = 0")
        lengths = dict(terms.execute("SELECT name, length FROM levels").fetchall())
        searched = (post for post in posts if post.chunks)
        while some := list(islice(searched, BATCH)):
            check()
            lengths = lengths or _measure(terms, some)
            numbered = [(post, _count(terms, post)) for post in some]
            for level, length in lengths.items():
                milvus.upsert(rows.collection(level), _rows_of(level, length, numbered))
        for level in PADDINGS:
            milvus.flush(rows.collection(level))
        terms.commit()


def _measure(terms: sqlite3.Connection, posts: Sequence[PostTerms]) -> dict[str, float]:
    """Take the mean lengths of these posts and their chunks for those of all."""
    lengths = dict[str, float]()
    for level, padding in PADDINGS.items():
        texts = [text for post in posts for text in _texts_of(post, level).values()]
        lengths[level] = sum(len(text.split()) for text in texts) / len(texts) + padding
        terms.execute("INSERT INTO levels VALUES (?, 0, ?)", [level, lengths[level]])
    return lengths


def _count(terms: sqlite3.Connection, post: PostTerms) -> dict[str, int]:
    """Count the terms of a post; return their numbers."""
    counts = dict.fromkeys(post.whole.split(), 0)
    counts |= Counter(chain.from_iterable(set(text.split()) for text in post.chunks.values()))
    terms.executemany(
        "INSERT INTO terms (stem, posts, chunks) VALUES (?, 1, ?) ON CONFLICT (stem) "
        "DO UPDATE SET posts = posts + 1, chunks = chunks + excluded.chunks",
        counts.items(),
    )
    for level in PADDINGS:
        query = "UPDATE levels SET documents = documents + ? WHERE name = ?"
        terms.execute(query, [len(_texts_of(post, level)), level])
    query = f"SELECT stem, id FROM terms WHERE stem {OF_LIST}"
    return dict(terms.execute(query, [json.dumps(list(counts))]).fetchall())


def _rows_of(
    level: str, length: float, posts: Sequence[tuple[PostTerms, dict[str, int]]]
) -> Iterator[Row]:
    for post, ids in posts:
        for row, words in _texts_of(post, level).items():
            terms = _weigh(words, ids, length, PADDINGS[level])
            yield {"row": row, "post": post.post_id, "terms": terms}


def _texts_of(post: PostTerms, level: str) -> Mapping[int, str]:
    return post.chunks if level == "chunks" else {post.post_id: post.whole}


def _weigh(words: str, ids: Mapping[str, int], mean: float, padding: int) -> Sparse:
    """BM25's weights of a text's terms, by their numbers, without their rarity."""
    counts = Counter(words.split())
    norm = K1 * (1 - B + B * (counts.total() + padding) / mean)
    weights = {ids[stem]: n * (1 + K1) / (n + norm) for stem, n in counts.items()}
    return weights or {NO_TERM: 1.0}


class MilvusLevel(LexicalLevel):
    """The posts or the chunks of a generation. Raises IndexProblem."""

    def __init__(self, milvus: Milvus, rows: Rows, terms: Catalog, name: str) -> None:
        """Take the `terms` as `write_words` counted them; `name` is `posts` or `chunks`."""
        self._milvus = milvus
        self._rows = rows
        self._terms = terms
        self._name = name
        self._find = lru_cache(ASKED_AGAIN)(self._ask)
        counted = terms.rows("SELECT documents FROM levels WHERE name = ?", [name])
        self.documents = counted[0][0] if counted else 0

    def having(self, stem: str) -> int:
        """In how many documents a stem is; deleted ones count until terms are counted anew."""
        rows = self._terms.rows(f"SELECT {self._name} FROM terms WHERE stem = ?", [stem])
        return rows[0][0] if rows else 0

    def _having_any(self, word: Word) -> int:
        counts = [count for _, count in self._find_terms(word)]
        return min(sum(counts) if word.is_character else max(counts, default=0), self.documents)

    def _find_terms(self, word: Word) -> list[tuple[int, int]]:
        """The numbers of the word's stems, of a character's pairs too, and how many have each."""
        stems, values = f"stem {OF_LIST}", [json.dumps(word.stems)]
        if word.is_character:
            stems += " OR (length(stem) = 2 AND instr(stem, ?) > 0)"
            values.append(word.exact)
        query = f"SELECT id, {self._name} FROM terms WHERE {stems} ORDER BY 2 DESC LIMIT ?"
        return self._terms.rows(query, [*values, MOST_PAIRS])

    def _score(
        self, idf: Mapping[Word, float], limit: int, among: Sequence[int] | None
    ) -> dict[int, float]:
        return self._rank(idf, limit, among, lambda weights: max(weights, default=0.0))

    def _present(
        self, idf: Mapping[Word, float], limit: int, among: Sequence[int] | None
    ) -> dict[int, float]:
        return self._rank(idf, limit, among, lambda weights: float(bool(weights)))

    def _rank(
        self,
        idf: Mapping[Word, float],
        limit: int,
        among_posts: Sequence[int] | None,
        count: Callable[[list[float]], float],
    ) -> dict[int, float]:
        """Find documents with the sum of each word's worth times what its stems' weights `count`.

        The best of the candidates, best first.
        """
        stems = {
            word: {term for term, _ in self._find_terms(word)}
            for word, worth in idf.items()
            if worth
        }
        query: dict[int, float] = {}
        for word, terms in stems.items():
            query |= {term: max(query.get(term, 0.0), idf[word]) for term in terms}
        if not query:
            return {}
        wanted = self._rows.alive if among_posts is None else among("post", among_posts)
        scores: dict[int, float] = {}
        for hit in self._find(tuple(query.items()), max(limit, FEWEST), wanted):
            weights = hit.row["terms"]
            scores[hit.key] = sum(
                idf[word] * count([weights[term] for term in terms & weights.keys()])
                for word, terms in stems.items()
            )
        best = sorted(scores, key=lambda key: (-scores[key], key))[:limit]
        return {key: scores[key] for key in best if scores[key]}

    def _ask(self, query: tuple[tuple[int, float], ...], limit: int, expression: str) -> list[Hit]:
        collection = self._rows.collection(self._name)
        return self._milvus.search(collection, dict(query), limit, expression, ["terms"])


class MilvusSearcher(LexicalSearcher):
    """Both levels of one generation."""

    def __init__(self, milvus: Milvus, rows: Rows, folder: Path) -> None:
        """Open the terms in `folder`. Raises sqlite3.Error."""
        path = immutable(folder / "terms.db")
        terms = Catalog(sqlite3.connect(path, uri=True, check_same_thread=False))
        self.posts = MilvusLevel(milvus, rows, terms, "posts")
        self.chunks = MilvusLevel(milvus, rows, terms, "chunks")
