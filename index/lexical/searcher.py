"""Search the lexical index in tantivy.

tantivy is given terms that `index.analysis.tokenizer` made, so its own tokenizers and query syntax
are never reached; nothing outside this folder imports it.
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator, Mapping, Sequence
from itertools import islice
from pathlib import Path
from tempfile import TemporaryDirectory

import tantivy
from tantivy import Occur

from blog_search_mcp.index.analysis.query import Word
from blog_search_mcp.index.lexical.level import EXACT, LexicalLevel, Prepared, bm25_idf

KNOWN_TERMS = 10_000
"""Whose documents are counted once a generation, where some are deleted; a query has some 20."""

FEW_POSTS = 1_000
"""Posts up to which all that a query matches are read once, and those asked for taken of them: to
search among some takes tantivy several times as long as to search among a few hundred."""


def _count_deleted(folder: Path) -> int:
    """Count the documents that tantivy keeps in its statistics until their segment is merged."""
    meta = json.loads((folder / "meta.json").read_text(encoding="utf-8"))
    deletes = (segment["deletes"] for segment in meta["segments"])
    return sum(each["num_deleted_docs"] for each in deletes if each)


class TantivyLevel(LexicalLevel):
    """One opened tantivy index, of posts or chunks."""

    def __init__(self, folder: Path, id_field: str) -> None:
        """Open `folder`, whose documents are known by `id_field`. The caller has verified it."""
        index = tantivy.Index.open(str(folder))
        self._deleted = _count_deleted(folder)
        self._known: dict[tuple[str, str], int] = {}
        self._schema = index.schema
        self._searcher = index.searcher()
        self._id_field = id_field

    @property
    def documents(self) -> int:
        """As LexicalLevel."""
        return self._searcher.num_docs

    def _documents_with(self, field: str, term: str) -> int:
        """In how many documents a term is; tantivy's own figure has the deleted ones too."""
        counted = self._searcher.doc_freq(field, term)
        if not (self._deleted and counted):
            return counted
        if (field, term) not in self._known:
            if len(self._known) >= KNOWN_TERMS:
                self._known.clear()
            self._known[field, term] = self._count(self._term(field, term))
        return self._known[field, term]

    def _documents_with_character(self, word: Word) -> int:
        return self._count(self._anywhere(word))

    def _count(self, wanted: tantivy.Query) -> int:
        found = self._searcher.search(wanted, 1, count=True)
        return int(found.count)  # type: ignore[attr-defined]  # its stubs do not know it

    def _score(
        self, prepared: Prepared, prefix: str, limit: int, among: Sequence[int] | None
    ) -> Mapping[int, float]:
        made, are_few = prepared.made, self._id_field == "post" and self.documents <= FEW_POSTS
        if prefix not in made:
            clauses = [
                clause
                for word, (weight, idf) in prepared.words.items()
                for clause in self._clauses(word, weight, idf, prefix)
            ]
            wanted = tantivy.Query.boolean_query(clauses)
            made[prefix] = self._search(wanted, FEW_POSTS, None) if are_few else wanted
        if not are_few:
            return self._search(made[prefix], limit, among)
        allowed = made[prefix].keys() if among is None else set(among)
        found = ((post, score) for post, score in made[prefix].items() if post in allowed)
        return dict(islice(found, limit))

    def _present(
        self, worth: Mapping[Word, float], limit: int, among: Sequence[int] | None
    ) -> Mapping[int, float]:
        clauses = [
            (Occur.Should, tantivy.Query.const_score_query(self._anywhere(word), idf))
            for word, idf in worth.items()
        ]
        return self._search(tantivy.Query.boolean_query(clauses), limit, among)

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
        documents = self.documents
        right = bm25_idf(self._documents_with(field, term), documents)
        return tantivy.Query.boost_query(
            query, right / bm25_idf(counted, documents + self._deleted)
        )

    def _term(self, field: str, term: str) -> tantivy.Query:
        return tantivy.Query.term_query(self._schema, field, term, "freq")


class TantivySearcher:
    """Both levels of one generation; implements LexicalSearcher."""

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
        self.posts: LexicalLevel = TantivyLevel(folder / "posts", "post")
        self.chunks: LexicalLevel = TantivyLevel(folder / "chunks", "chunk")
