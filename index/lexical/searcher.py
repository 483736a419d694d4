"""The lexical leg: an analysed query in, shares of it found in posts and chunks out.

tantivy is given terms that `index.analysis.tokenizer` made, so its own tokenizers and
query syntax are never reached. Terms are ORed: assistants ask questions, and
asking for all of a question's words finds nothing. A BM25 score is divided by
what a text full of every term would get, which makes scores of different
queries comparable.
"""

from __future__ import annotations

import math
import shutil
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TypeAlias

import tantivy
from tantivy import Occur

from blog_search_mcp.index.analysis.query import Query, Word, is_bigram


def idf(having: int, documents: int) -> float:
    """BM25's inverse document frequency, as tantivy computes it."""
    return math.log1p((max(documents - having, 0) + 0.5) / (having + 0.5))


def limit_bigram_idf(words: Sequence[Word], rarities: Sequence[float]) -> list[float]:
    """The rarities of a query's words, where a pair of Han characters may be no word at all.

    Running text has as many pairs across the bounds of words as inside them, and those
    are rarer than any word: one that laps over two others says no more than the rarer of these.
    """
    limits = list(rarities)
    for place in range(1, len(words) - 1):
        left, word, right = (words[place + step].exact for step in (-1, 0, 1))
        if (
            is_bigram(word)
            and left[-1:] + right[:1] == word
            and is_bigram(left)
            and is_bigram(right)
        ):
            limits[place] = min(rarities[place], max(rarities[place - 1], rarities[place + 1]))
    return limits


Weighed: TypeAlias = Mapping[Word, tuple[float, float]]
"""A query's words with what each weighs and its inverse document frequency."""

K1 = 1.2
"""BM25's saturation of repeated terms, fixed in tantivy, as is b = .75."""

EXACT = 0.5
"""What an exact spelling adds to a stem: identifiers and titles are told apart by it, and
questions, which are found by stems, hardly change."""


class LexicalLevel:
    """One opened tantivy index, of posts or chunks; safe for concurrent searches."""

    def __init__(self, folder: Path, id_field: str) -> None:
        """Open `folder`, whose documents are known by `id_field`. The caller has verified it."""
        index = tantivy.Index.open(str(folder))
        self._schema = index.schema
        self._searcher = index.searcher()
        self._id_field = id_field
        self._last: tuple[Query, Weighed] | None = None
        self._wanted: tuple[Query, dict[str, tantivy.Query]] | None = None

    def idf(self, query: Query) -> dict[Word, float]:
        """The query's words by inverse document frequency, times their own weight.

        A stop word that no document has is worth nothing: that the blog is in another
        language, or small, must not look like a word it lacks.
        """
        return {word: weight * rarity for word, (weight, rarity) in self._weighed(query).items()}

    def _weighed(self, query: Query) -> Weighed:
        """The same for every question that one search asks of this level."""
        last = self._last
        if last is None or last[0] is not query:
            last = self._last = (query, self._weigh(query))
        return last[1]

    def _weigh(self, query: Query) -> Weighed:
        rarities = [self._rarity(word) for word in query.words]
        limits = limit_bigram_idf(query.words, rarities) if query.is_prose else rarities
        return {
            word: (word.weight * limit / rarity if rarity else 0.0, rarity)
            for word, rarity, limit in zip(query.words, rarities, limits, strict=True)
        }

    def _rarity(self, word: Word) -> float:
        found = self._having(word)
        if not found and word.weight < 1.0:
            return 0.0
        return idf(found, self._searcher.num_docs)

    def having(self, stem: str) -> int:
        """In how many documents a stem is."""
        return self._searcher.doc_freq("stem", stem)

    def _having(self, word: Word) -> int:
        if word.is_character:
            found = self._searcher.search(self._anywhere(word), 1, count=True)
            return int(found.count)  # type: ignore[attr-defined]  # its stubs do not know it
        return max(map(self.having, word.stems))

    @property
    def max_idf(self) -> float:
        """The inverse document frequency of a word that no document has."""
        return idf(0, self._searcher.num_docs)

    def normalised_bm25(
        self, query: Query, limit: int, among: Sequence[int] | None = None, prefix: str = ""
    ) -> dict[int, float]:
        """The best `limit` ids, each with its share of the query in [0, 1], best first.

        `among` restricts the search to these post ids before ranking; `prefix`
        chooses the fields (`lead_` for how posts begin, `about_` for their descriptions).
        """
        weighed = self._weighed(query)
        ideal = (1 + K1) * (1 + EXACT) * sum(weight * rarity for weight, rarity in weighed.values())
        found = self._search(self._any_word(query, prefix), limit, among) if ideal else {}
        return {number: min(score / ideal, 1.0) for number, score in found.items()}

    def _any_word(self, query: Query, prefix: str) -> tantivy.Query:
        """Any of the query's words, by weight; made once for all questions of one search."""
        last = self._wanted
        if last is None or last[0] is not query:
            last = self._wanted = (query, {})
        if prefix not in last[1]:
            weighed = self._weighed(query)
            last[1][prefix] = tantivy.Query.boolean_query(
                [
                    clause
                    for word, (weight, rarity) in weighed.items()
                    for clause in self._clauses(word, weight, rarity, prefix)
                ]
            )
        return last[1][prefix]

    def coverage(self, query: Query, among: Sequence[int] | None = None) -> float:
        """The largest share, by rarity, of the query's words that one document holds together.

        `among` restricts the documents to those of these post ids.
        """
        rarities = self.idf(query)
        full = sum(rarities.values())
        clauses = [
            (Occur.Should, tantivy.Query.const_score_query(self._anywhere(word), rarity))
            for word, rarity in rarities.items()
        ]
        wanted = tantivy.Query.boolean_query(clauses)
        best = max(self._search(wanted, 1, among).values(), default=0.0)
        return min(best / full, 1.0) if full else 0.0

    def _clauses(
        self, word: Word, weight: float, rarity: float, prefix: str
    ) -> Iterator[tuple[Occur, tantivy.Query]]:
        stems = self._stems(f"{prefix}stem", word)
        exact = self._term(f"{prefix}exact", word.exact)
        yield Occur.Should, tantivy.Query.boost_query(stems, weight)
        yield Occur.Should, tantivy.Query.boost_query(exact, weight * EXACT)
        if word.is_character:
            yield Occur.Should, self._pairs(f"{prefix}stem", word, weight * rarity)

    def _anywhere(self, word: Word) -> tantivy.Query:
        """Any of the word's stems, or for a character a pair it is in."""
        pairs = [self._pairs("stem", word, 1.0)] if word.is_character else []
        return tantivy.Query.disjunction_max_query([self._stems("stem", word), *pairs])

    def _pairs(self, field: str, word: Word, score: float) -> tantivy.Query:
        pairs = tantivy.Query.regex_query(self._schema, field, f"{word.exact}.|.{word.exact}")
        return tantivy.Query.const_score_query(pairs, score)

    def _stems(self, field: str, word: Word) -> tantivy.Query:
        """Any of the word's stems, counted once."""
        found = [self._term(field, stem) for stem in word.stems]
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
                self._open(shutil.copytree(folder, Path(copy) / folder.name))

    def _open(self, folder: Path) -> None:
        self.posts = LexicalLevel(folder / "posts", "post")
        self.chunks = LexicalLevel(folder / "chunks", "chunk")
