"""Search the lexical index by BM25, normalised so that scores of different queries compare.

tantivy is given terms that `index.analysis.tokenizer` made, so its own tokenizers and query syntax
are never reached; nothing outside this folder imports it. Terms are ORed: assistants ask questions,
and requiring all of a question's words finds nothing. A BM25 score is divided by that of a text
full of every term of the query.
"""

from __future__ import annotations

import json
import math
import shutil
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

import tantivy
from tantivy import Occur

from blog_search_mcp.index.analysis.query import Query, Word, is_bigram


def bm25_idf(having: int, documents: int) -> float:
    """BM25's inverse document frequency, as tantivy computes it."""
    return math.log1p((max(documents - having, 0) + 0.5) / (having + 0.5))


def limit_bigram_idf(words: Sequence[Word], idf: Sequence[float]) -> list[float]:
    """Limit the IDF of bigrams of Han characters that span two words.

    Running text has as many bigrams across the bounds of words as inside them, and those are rarer
    than any word: one that overlaps two others counts no more than the rarer of these.
    """
    limited = list(idf)
    for place in range(1, len(words) - 1):
        left, word, right = (words[place + step].exact for step in (-1, 0, 1))
        spans = is_bigram(word) and left[-1:] + right[:1] == word
        if spans and is_bigram(left) and is_bigram(right):
            limited[place] = min(idf[place], max(idf[place - 1], idf[place + 1]))
    return limited


KNOWN_TERMS = 10_000
"""Whose documents are counted once a generation, where some are deleted; a query has some 20."""


def _count_deleted(folder: Path) -> int:
    """Count the documents that tantivy keeps in its statistics until their segment is merged."""
    meta = json.loads((folder / "meta.json").read_text(encoding="utf-8"))
    deletes = (segment["deletes"] for segment in meta["segments"])
    return sum(each["num_deleted_docs"] for each in deletes if each)


class _Prepared(NamedTuple):
    """What the calls of one search share."""

    query: Query
    words: Mapping[Word, tuple[float, float]]
    """Weight and inverse document frequency of each word."""
    any_word: dict[str, tantivy.Query]
    """By prefix of the fields, the query for any of the words."""


K1 = 1.2
"""BM25's saturation of repeated terms, fixed in tantivy, as is b = .75."""

EXACT = 0.5
"""Weight of an exact spelling beside its stem: it distinguishes identifiers and titles, and
questions, which are found by stems, hardly change."""


class LexicalLevel:
    """One opened tantivy index, of posts or chunks; safe for concurrent searches."""

    def __init__(self, folder: Path, id_field: str) -> None:
        """Open `folder`, whose documents are known by `id_field`. The caller has verified it."""
        index = tantivy.Index.open(str(folder))
        self._deleted = _count_deleted(folder)
        self._known: dict[tuple[str, str], int] = {}
        self._schema = index.schema
        self._searcher = index.searcher()
        self._id_field = id_field
        self._last: _Prepared | None = None

    def idf(self, query: Query) -> dict[Word, float]:
        """The query's words by inverse document frequency, times their own weight.

        A function word that no document has counts 0: a blog in another language, or a small
        one, must not look as if it lacked a word of the subject.
        """
        words = self._prepare(query).words
        return {word: weight * idf for word, (weight, idf) in words.items()}

    def _prepare(self, query: Query) -> _Prepared:
        """Weigh the words, once for all calls of one search."""
        last = self._last
        if last is None or last.query is not query:
            idfs = [self._idf_of(word) for word in query.words]
            limits = limit_bigram_idf(query.words, idfs) if query.is_prose else idfs
            words = {
                word: (word.weight * limit / idf if idf else 0.0, idf)
                for word, idf, limit in zip(query.words, idfs, limits, strict=True)
            }
            last = self._last = _Prepared(query, words, {})
        return last

    def _idf_of(self, word: Word) -> float:
        found = self._having(word)
        if not found and word.weight < 1.0:
            return 0.0
        return bm25_idf(found, self._searcher.num_docs)

    def having(self, stem: str) -> int:
        """In how many documents a stem is."""
        return self._documents_with("stem", stem)

    def _documents_with(self, field: str, term: str) -> int:
        """In how many documents a term is; tantivy's own figure has the deleted ones too."""
        if not self._deleted:
            return self._searcher.doc_freq(field, term)
        if (field, term) not in self._known:
            found = self._searcher.search(self._term(field, term), 1, count=True)
            if len(self._known) >= KNOWN_TERMS:
                self._known.clear()
            self._known[field, term] = int(found.count)  # type: ignore[attr-defined]
        return self._known[field, term]

    def _having(self, word: Word) -> int:
        if word.is_character:
            found = self._searcher.search(self._anywhere(word), 1, count=True)
            return int(found.count)  # type: ignore[attr-defined]  # its stubs do not know it
        return max(map(self.having, word.stems))

    @property
    def max_idf(self) -> float:
        """The inverse document frequency of a word that no document has."""
        return bm25_idf(0, self._searcher.num_docs)

    def normalised_bm25(
        self, query: Query, limit: int, among: Sequence[int] | None = None, prefix: str = ""
    ) -> dict[int, float]:
        """The best `limit` ids with their normalised BM25 in [0, 1], best first.

        `among` restricts the search to these post ids before ranking; `prefix`
        chooses the fields (`about_` for the posts' descriptions).
        """
        ideal = (1 + K1) * (1 + EXACT) * sum(self.idf(query).values())
        found = self._search(self._any_word(query, prefix), limit, among) if ideal else {}
        return {number: min(score / ideal, 1.0) for number, score in found.items()}

    def _any_word(self, query: Query, prefix: str) -> tantivy.Query:
        """Any of the query's words, by weight; made once for all calls of one search."""
        prepared = self._prepare(query)
        if prefix not in prepared.any_word:
            clauses = [
                clause
                for word, (weight, idf) in prepared.words.items()
                for clause in self._clauses(word, weight, idf, prefix)
            ]
            prepared.any_word[prefix] = tantivy.Query.boolean_query(clauses)
        return prepared.any_word[prefix]

    def coverage(self, query: Query, among: Sequence[int] | None = None) -> float:
        """The largest share, by idf, of the query's words that one document holds together.

        `among` restricts the documents to those of these post ids.
        """
        idfs = self.idf(query)
        full = sum(idfs.values())
        clauses = [
            (Occur.Should, tantivy.Query.const_score_query(self._anywhere(word), idf))
            for word, idf in idfs.items()
        ]
        wanted = tantivy.Query.boolean_query(clauses)
        best = max(self._search(wanted, 1, among).values(), default=0.0)
        return min(best / full, 1.0) if full else 0.0

    def _clauses(
        self, word: Word, weight: float, idf: float, prefix: str
    ) -> Iterator[tuple[Occur, tantivy.Query]]:
        stems = self._stems(f"{prefix}stem", word)
        exact = self._scored(f"{prefix}exact", word.exact)
        yield Occur.Should, tantivy.Query.boost_query(stems, weight)
        yield Occur.Should, tantivy.Query.boost_query(exact, weight * EXACT)
        if word.is_character:
            yield Occur.Should, self._pairs(f"{prefix}stem", word, weight * idf)

    def _anywhere(self, word: Word) -> tantivy.Query:
        """Any of the word's stems, or for a character a pair it is in."""
        pairs = [self._pairs("stem", word, 1.0)] if word.is_character else []
        return tantivy.Query.disjunction_max_query([self._stems("stem", word), *pairs])

    def _pairs(self, field: str, word: Word, score: float) -> tantivy.Query:
        pairs = tantivy.Query.regex_query(self._schema, field, f"{word.exact}.|.{word.exact}")
        return tantivy.Query.const_score_query(pairs, score)

    def _stems(self, field: str, word: Word) -> tantivy.Query:
        """Any of the word's stems, counted once."""
        found = [self._scored(field, stem) for stem in word.stems]
        return found[0] if len(found) == 1 else tantivy.Query.disjunction_max_query(found)

    def _search(
        self,
        wanted: tantivy.Query,
        limit: int,
        among: Sequence[int] | None,
    ) -> Mapping[int, float]:
        if not limit:
            return {}
        if among is not None:
            allowed = tantivy.Query.term_set_query(self._schema, "post", list(among))
            filtered = (Occur.Must, tantivy.Query.const_score_query(allowed, 0.0))
            wanted = tantivy.Query.boolean_query([(Occur.Must, wanted), filtered])
        hits = self._searcher.search(wanted, limit, count=False).hits
        ids = self._searcher.fast_field_values(self._id_field, [address for _, address in hits])
        return {int(i or 0): float(score) for i, (score, _) in zip(ids, hits, strict=True)}

    def _scored(self, field: str, term: str) -> tantivy.Query:
        """A term whose score has the frequency without deleted documents."""
        query, counted = self._term(field, term), self._searcher.doc_freq(field, term)
        if not (self._deleted and counted):
            return query
        documents = self._searcher.num_docs
        right = bm25_idf(self._documents_with(field, term), documents)
        return tantivy.Query.boost_query(
            query, right / bm25_idf(counted, documents + self._deleted)
        )

    def _term(self, field: str, term: str) -> tantivy.Query:
        return tantivy.Query.term_query(self._schema, field, term, "freq")


class LexicalSearcher:
    """Both levels of one generation."""

    def __init__(self, folder: Path) -> None:
        """Open `folder`; a copy of it where it cannot be written.

        tantivy opens no index without a lock file of its own beside it.
        """
        try:
            self._open(folder)
        except ValueError as error:
            if "Lockfile" not in str(error):
                raise
            with TemporaryDirectory(ignore_cleanup_errors=True) as copy:
                copied = shutil.copytree(
                    folder, Path(copy) / folder.name, copy_function=shutil.copyfile
                )
                for level in (copied, *copied.iterdir()):
                    level.chmod(0o700)  # copytree gives a folder its original's permissions
                self._open(copied)

    def _open(self, folder: Path) -> None:
        self.posts = LexicalLevel(folder / "posts", "post")
        self.chunks = LexicalLevel(folder / "chunks", "chunk")
