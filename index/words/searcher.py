"""Search the posts or the chunks of one generation by their terms, in tantivy.

A word counts by its weight and its IDF, which depends only on counts of documents. Terms are ORed:
assistants ask questions, and a search for all words of a question finds nothing. A BM25 score is
divided by the query's maximum. `index.text.tokenizer` makes the terms, so tantivy's own tokenizers
and query syntax are never used.
"""

import math
import shutil
import weakref
from collections.abc import Sequence
from functools import lru_cache, partial
from pathlib import Path
from tempfile import TemporaryDirectory

import tantivy
from tantivy import Occur

from blog_search_mcp.index.text.query import Query, Word

K1 = 1.2
"""BM25's saturation of repeated terms, fixed in tantivy, like b = .75."""


def bm25_idf(document_frequency: int, documents: int) -> float:
    """Return BM25's inverse document frequency, as tantivy computes it."""
    return math.log1p((max(documents - document_frequency, 0) + 0.5) / (document_frequency + 0.5))


class LexicalLevel:
    """The posts or the chunks of a generation, by an id field; safe for concurrent searches."""

    def __init__(self, folder: Path, id_field: str) -> None:
        index = tantivy.Index.open(str(folder))
        self._schema = index.schema
        self._searcher = index.searcher()
        self._id_field = id_field
        self.documents = self._searcher.num_docs
        self.max_idf = bm25_idf(0, self.documents)
        """Inverse document frequency of a word that no document has."""
        count = partial(LexicalLevel._count_documents, weakref.proxy(self))
        self.frequency_of = lru_cache(maxsize=1024)(count)
        """Function that counts the documents with a word: with its commonest stem, or if it has a
        pattern, with any stem or the pattern.

        Its reference to the level is weak: a cycle would keep files open until it is collected."""

    def document_frequency(self, stem: str) -> int:
        """Count the documents with a stem; deleted ones count until their segment is merged."""
        return self._searcher.doc_freq("stem", stem)

    def idf(self, query: Query) -> dict[Word, float]:
        """Return the inverse document frequency of the query's words, times their weight.

        A word whose parts count (EXTRA; WHOLE if a document has it) has 0. So has a function word
        that no document has: a blog in another language, or a small one, must not seem to lack it.
        """
        document_frequencies = {word: self.frequency_of(word) for word in query.words}
        return {
            word: word.weight
            * bm25_idf(count, self.documents)
            * bool(not word.role if count else word.is_needed)
            for word, count in document_frequencies.items()
        }

    def normalized_bm25(
        self, query: Query, limit: int, among: Sequence[int] | None = None
    ) -> dict[int, float]:
        """Return the best `limit` ids with their normalized BM25 in [0, 1], best first.

        A word counts by its best stem, plus weight times IDF for a match of its pattern. `among`
        limits the search to these post ids before ranking.
        """
        idf, clauses = self.idf(query), []
        for word, worth in idf.items():
            clauses.append(tantivy.Query.boost_query(self._match_stems(word), word.weight))
            if word.pattern:
                clauses.append(self._match_pattern(word, worth))
        return self._search(clauses, (1 + K1) * sum(idf.values()), limit, among)

    def coverage(
        self, query: Query, limit: int = 1, among: Sequence[int] | None = None
    ) -> dict[int, float]:
        """Return up to `limit` ids, best first, each with its IDF-weighted share of the query."""
        idf = self.idf(query)
        clauses = [self._match_word(word, worth) for word, worth in idf.items()]
        return self._search(clauses, sum(idf.values()), limit, among)

    def count_with_all(self, query: Query, among: Sequence[int] | None = None) -> int:
        """Count the documents with all words of weight 1 and no role; 0 if the query has none."""
        needed = (word for word in query.content if word.is_needed and not word.role)
        clauses = [*map(self._match_word, needed)]
        if not clauses:
            return 0
        if among is not None:
            clauses.append(tantivy.Query.term_set_query(self._schema, "post", list(among)))
        wanted = tantivy.Query.boolean_query([(Occur.Must, clause) for clause in clauses])
        return int(self._searcher.search(wanted, 1, count=True).count)  # type: ignore[attr-defined]

    def _count_documents(self, word: Word) -> int:
        if not word.pattern:
            return max(map(self.document_frequency, word.stems))
        hits = self._searcher.search(self._match_word(word), 1, count=True)
        return int(hits.count)  # type: ignore[attr-defined]  # its stubs do not know it

    def _match_word(self, word: Word, worth: float = 1.0) -> tantivy.Query:
        """Match any of the word's stems for `worth`, or its pattern."""
        stems = tantivy.Query.const_score_query(self._match_stems(word), worth)
        holders = [self._match_pattern(word, worth)] if word.pattern else []
        return tantivy.Query.disjunction_max_query([stems, *holders])

    def _match_pattern(self, word: Word, worth: float) -> tantivy.Query:
        """Match the pattern for `worth`; for .8 of it unless the word is a single character."""
        holders = tantivy.Query.regex_query(self._schema, "stem", word.pattern)
        share = 1.0 if len(word.exact) == 1 else 0.8
        return tantivy.Query.const_score_query(holders, worth * share)

    def _match_stems(self, word: Word) -> tantivy.Query:
        stems = [
            tantivy.Query.term_query(self._schema, "stem", stem, "freq") for stem in word.stems
        ]
        return stems[0] if len(stems) == 1 else tantivy.Query.disjunction_max_query(stems)

    def _search(
        self, clauses: Sequence[tantivy.Query], most: float, limit: int, among: Sequence[int] | None
    ) -> dict[int, float]:
        if not most or not limit:
            return {}
        wanted = tantivy.Query.boolean_query([(Occur.Should, clause) for clause in clauses])
        if among is not None:
            allowed = tantivy.Query.term_set_query(self._schema, "post", list(among))
            filtered = (Occur.Must, tantivy.Query.const_score_query(allowed, 0.0))
            wanted = tantivy.Query.boolean_query([(Occur.Must, wanted), filtered])
        hits = self._searcher.search(wanted, limit, count=False).hits
        ids = self._searcher.fast_field_values(self._id_field, [address for _, address in hits])
        scored = zip(ids, hits, strict=True)
        return {int(i or 0): min(float(score) / most, 1.0) for i, (score, _) in scored}


class LexicalSearcher:
    """Both levels of one generation."""

    posts: LexicalLevel
    """Whole posts, by post id."""
    chunks: LexicalLevel
    """Single chunks, by chunk id."""

    def __init__(self, folder: Path) -> None:
        """Open `folder`, or a temporary copy if it is read-only: tantivy writes a lock file."""
        try:
            self._open(folder)
        except ValueError as error:
            if "Lockfile" not in str(error):
                raise
            temporary = TemporaryDirectory(ignore_cleanup_errors=True)
            copy = Path(temporary.name) / folder.name
            shutil.copytree(folder, copy, copy_function=shutil.copyfile)
            for level in (copy, *copy.iterdir()):
                level.chmod(0o700)  # a copied folder is read-only too
            self._open(copy)
            self._copy = temporary  # deleted after the levels that map its files

    def _open(self, folder: Path) -> None:
        self.posts = LexicalLevel(folder / "posts", "post")
        self.chunks = LexicalLevel(folder / "chunks", "chunk")
