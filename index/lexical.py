"""The lexical leg: an analysed query in, shares of it found in posts and chunks out.

tantivy is given terms that `index.analysis` made, so its own tokenizers and
query syntax are never reached. Terms are ORed: assistants ask questions, and
asking for all of a question's words finds nothing. A BM25 score is divided by
what a text full of every term would get, which makes scores of different
queries comparable.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from pathlib import Path

import tantivy
from tantivy import Occur

from index.query import Query

K1 = 1.2
"""BM25's saturation of repeated terms, fixed in tantivy, as is b = .75."""

EXACT = 0.5
"""What an exact spelling adds to a stem: +.01 to +.02 of nDCG@10 on identifiers and titles,
with questions as they are; exact spellings alone lose questions."""


class LexicalLevel:
    """One opened tantivy index, of posts or of chunks; safe for concurrent searches."""

    def __init__(self, folder: Path, id_field: str) -> None:
        """Open `folder`, whose documents are known by `id_field`. The caller has verified it."""
        index = tantivy.Index.open(str(folder))
        self._schema = index.schema
        self._searcher = index.searcher()
        self._id_field = id_field

    def rarities(self, query: Query) -> dict[str, float]:
        """The query's stems by inverse document frequency, times their own weight.

        A stop word that no document has is worth nothing: that the blog is in another
        language, or small, must not look like a word it lacks.
        """
        return {term: self._rarity(term, weight) for term, weight in query.stems.items()}

    def _rarity(self, term: str, weight: float) -> float:
        found, everything = self._searcher.doc_freq("stem", term), self._searcher.num_docs
        if not found and weight < 1.0:
            return 0.0
        return weight * math.log1p((max(everything - found, 0) + 0.5) / (found + 0.5))

    def shares(
        self, query: Query, limit: int, among: Sequence[int] | None = None, prefix: str = ""
    ) -> dict[int, float]:
        """The best `limit` ids, each with its share of the query in [0, 1], best first.

        `among` restricts the search to these post ids before ranking; `prefix`
        chooses the fields (`lead_` for how posts begin).
        """
        ideal = (1 + K1) * (1 + EXACT) * sum(self.rarities(query).values())
        fields = ((f"{prefix}stem", query.stems, 1.0), (f"{prefix}exact", query.exacts, EXACT))
        clauses = [
            (Occur.Should, tantivy.Query.boost_query(self._term(field, term), boost * weight))
            for field, words, boost in fields
            for term, weight in words.items()
        ]
        found = self._search(clauses, limit, among) if ideal else {}
        return {number: min(score / ideal, 1.0) for number, score in found.items()}

    def coverage(self, query: Query) -> float:
        """The largest share, by rarity, of the query's terms that one document holds together."""
        rarities = self.rarities(query)
        clauses = [
            (Occur.Should, tantivy.Query.const_score_query(self._term("stem", term), rarity))
            for term, rarity in rarities.items()
        ]
        best = max(self._search(clauses, 1, None).values(), default=0.0)
        full = sum(rarities.values())
        return min(best / full, 1.0) if full else 0.0

    def _search(
        self,
        clauses: list[tuple[Occur, tantivy.Query]],
        limit: int,
        among: Sequence[int] | None,
    ) -> Mapping[int, float]:
        if not clauses or not limit:
            return {}
        wanted = tantivy.Query.boolean_query(clauses)
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
        self.posts = LexicalLevel(folder / "posts", "post")
        self.chunks = LexicalLevel(folder / "chunks", "chunk")
