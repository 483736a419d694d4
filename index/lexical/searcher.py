"""Search the lexical index in tantivy.

tantivy is given terms that `index.analysis.tokenizer` made, so its own tokenizers and query syntax
are never reached; nothing outside this folder imports it.
"""

from __future__ import annotations

import shutil
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

import tantivy
from tantivy import Occur

from blog_search_mcp.index.analysis.query import Word
from blog_search_mcp.index.lexical.level import LexicalLevel, Prepared


class TantivyLevel(LexicalLevel):
    """One opened tantivy index, of posts or chunks."""

    def __init__(self, folder: Path, id_field: str) -> None:
        """Open `folder`, whose documents are known by `id_field`. The caller has verified it."""
        index = tantivy.Index.open(str(folder))
        self._schema = index.schema
        self._searcher = index.searcher()
        self._id_field = id_field

    @property
    def documents(self) -> int:
        """As LexicalLevel."""
        return self._searcher.num_docs

    def having(self, stem: str) -> int:
        """As LexicalLevel; deleted documents count until their segment is merged."""
        return self._searcher.doc_freq("stem", stem)

    def _documents_with_character(self, word: Word) -> int:
        return self._count(self._anywhere(word))

    def _count(self, wanted: tantivy.Query) -> int:
        found = self._searcher.search(wanted, 1, count=True)
        return int(found.count)  # type: ignore[attr-defined]  # its stubs do not know it

    def _score(
        self, prepared: Prepared, limit: int, among: Sequence[int] | None
    ) -> Mapping[int, float]:
        clauses = [
            (Occur.Should, clause)
            for word, worth in prepared.idf.items()
            for clause in self._clauses(word, worth)
        ]
        return self._search(tantivy.Query.boolean_query(clauses), limit, among)

    def _present(
        self, worth: Mapping[Word, float], limit: int, among: Sequence[int] | None
    ) -> Mapping[int, float]:
        clauses = [
            (Occur.Should, tantivy.Query.const_score_query(self._anywhere(word), idf))
            for word, idf in worth.items()
        ]
        return self._search(tantivy.Query.boolean_query(clauses), limit, among)

    def _clauses(self, word: Word, worth: float) -> Iterator[tantivy.Query]:
        yield tantivy.Query.boost_query(self._stems(word), word.weight)
        if word.is_character:
            yield self._pairs(word, worth)

    def _anywhere(self, word: Word) -> tantivy.Query:
        """Any of the word's stems, or for a character a pair it is in."""
        pairs = [self._pairs(word, 1.0)] if word.is_character else []
        return tantivy.Query.disjunction_max_query([self._stems(word), *pairs])

    def _pairs(self, word: Word, score: float) -> tantivy.Query:
        pairs = tantivy.Query.regex_query(self._schema, "stem", f"{word.exact}.|.{word.exact}")
        return tantivy.Query.const_score_query(pairs, score)

    def _stems(self, word: Word) -> tantivy.Query:
        """Any of the word's stems, counted once."""
        stems = [
            tantivy.Query.term_query(self._schema, "stem", stem, "freq") for stem in word.stems
        ]
        return stems[0] if len(stems) == 1 else tantivy.Query.disjunction_max_query(stems)

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
