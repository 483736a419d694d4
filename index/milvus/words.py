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
from typing import TYPE_CHECKING

from blog_search_mcp.index.lexical.documents import PADDING, PostTerms
from blog_search_mcp.index.lexical.searcher import K1, LexicalLevel, LexicalSearcher
from blog_search_mcp.index.milvus.client import BATCH, Hit, Milvus, Row, Sparse
from blog_search_mcp.index.milvus.rows import Rows, Server, among
from blog_search_mcp.index.store.catalog import Catalog, immutable

if TYPE_CHECKING:
    from blog_search_mcp.index.analysis.query import Word

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
    id INTEGER PRIMARY KEY,
    stem TEXT NOT NULL UNIQUE,
    posts INTEGER NOT NULL,
    chunks INTEGER NOT NULL
);
CREATE TABLE levels (name TEXT PRIMARY KEY, documents INTEGER NOT NULL, length REAL NOT NULL);
"""
"""In how many posts and chunks a stem is; the documents of each level and their mean length, which
stays what it was when the terms were counted anew."""


class WordsWriter:
    """The words of an unfinished generation."""

    def __init__(self, server: Server, connection: sqlite3.Connection) -> None:
        self._milvus, self._rows, self._check = server
        self._connection = connection

    def write(self, posts: Iterable[PostTerms]) -> None:
        """Write the rows of posts and count their terms. Raises IndexProblem."""
        self._length = dict(self._connection.execute("SELECT name, length FROM levels").fetchall())
        every = (post for post in posts if post.chunks)
        while some := list(islice(every, BATCH)):
            self._check()
            if not self._length:
                self._measure(some)
            numbered = [(post, self._count(post)) for post in some]
            for level in PADDINGS:
                self._milvus.upsert(self._rows.collection(level), self._rows_of(level, numbered))
        for level in PADDINGS:
            self._milvus.flush(self._rows.collection(level))

    def _measure(self, posts: Sequence[PostTerms]) -> None:
        """Take the mean lengths of these posts and their chunks for those of all."""
        chunks = [chunk for post in posts for chunk in post.chunks]
        for level, texts in (("posts", [post.whole for post in posts]), ("chunks", chunks)):
            words = sum(len(text.split()) for text in texts)
            self._length[level] = words / len(texts) + PADDINGS[level]
        rows = [(level, 0, length) for level, length in self._length.items()]
        self._connection.executemany("INSERT INTO levels VALUES (?, ?, ?)", rows)

    def _count(self, post: PostTerms) -> dict[str, int]:
        """Count the terms of a post; return their numbers."""
        counts = dict.fromkeys(post.whole.split(), 0)
        counts |= Counter(chain.from_iterable(set(chunk.split()) for chunk in post.chunks))
        self._connection.executemany(
            "INSERT INTO terms (stem, posts, chunks) VALUES (?, 1, ?) ON CONFLICT (stem) "
            "DO UPDATE SET posts = posts + 1, chunks = chunks + excluded.chunks",
            counts.items(),
        )
        for name, more in (("posts", 1), ("chunks", len(post.chunks))):
            query = "UPDATE levels SET documents = documents + ? WHERE name = ?"
            self._connection.execute(query, [more, name])
        query = "SELECT stem, id FROM terms WHERE stem IN (SELECT value FROM json_each(?))"
        return dict(self._connection.execute(query, [json.dumps(list(counts))]).fetchall())

    def _rows_of(
        self, level: str, posts: Sequence[tuple[PostTerms, dict[str, int]]]
    ) -> Iterator[Row]:
        padding, mean = PADDINGS[level], self._length[level]
        for post, ids in posts:
            texts = [(post.post_id, post.whole)]
            if level == "chunks":
                texts = list(zip(post.chunk_ids, post.chunks, strict=True))
            for row, words in texts:
                terms = _weigh(words, ids, mean, padding)
                yield {"row": row, "post": post.post_id, "terms": terms}


def write_words(
    server: Server, folders: tuple[Path, Path | None], posts: Iterable[PostTerms], *, anew: bool
) -> None:
    """Write the words of `posts`, into the first folder what is counted beside the second's.

    With `anew` they are all posts of the generation. A term keeps its number as long as there are
    rows with it. Raises IndexProblem or OSError.
    """
    folder, before = folders
    folder.mkdir()
    path = folder / "terms.db"
    if before is not None:
        shutil.copyfile(before / path.name, path)
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("PRAGMA journal_mode = OFF")
        connection.execute("PRAGMA synchronous = OFF")
        if before is None:
            connection.executescript(_SCHEMA)
        elif anew:
            connection.execute("UPDATE terms SET posts = 0, chunks = 0")
            connection.execute("UPDATE levels SET documents = 0")
        WordsWriter(server, connection).write(posts)
        connection.commit()


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
        self._documents = counted[0][0] if counted else 0

    @property
    def documents(self) -> int:
        """How many documents there are; deleted ones count until terms are counted anew."""
        return self._documents

    def having(self, stem: str) -> int:
        """In how many documents a stem is."""
        rows = self._terms.rows(f"SELECT {self._name} FROM terms WHERE stem = ?", [stem])
        return rows[0][0] if rows else 0

    def _having_any(self, word: Word) -> int:
        counts = [count for _, count in self._find_terms(word)]
        return min(sum(counts) if word.is_character else max(counts, default=0), self._documents)

    def _find_terms(self, word: Word) -> list[tuple[int, int]]:
        """The numbers of the word's stems, of a character's pairs too, and how many have each."""
        stems = "stem IN (SELECT value FROM json_each(?))"
        values = [json.dumps(word.stems)]
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

        def score(hit: Hit) -> float:
            weights = hit.row["terms"]
            return sum(
                idf[word] * count([weights[term] for term in terms & weights.keys()])
                for word, terms in stems.items()
            )

        wanted = self._rows.alive if among_posts is None else among("post", among_posts)
        hits = self._find(tuple(query.items()), max(limit, FEWEST), wanted)
        scores = {hit.key: score(hit) for hit in hits}
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
