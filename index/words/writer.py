"""Write the lexical index of a generation: the previous one without some posts, plus new ones."""

import shutil
from collections.abc import Sequence
from pathlib import Path

import tantivy
from tantivy import Document, Query

from blog_search_mcp.index.store.disk import link_or_copy
from blog_search_mcp.index.types import PostTerms
from blog_search_mcp.index.words.documents import PADDING

_PRIVATE = ("meta.json", ".managed.json")
"""Files that tantivy makes private; `commit` undoes it, as servers of other accounts read them."""
_LOCK = ".tantivy-writer.lock"
LEVELS = {"chunks": ("chunk", "post"), "posts": ("post",)}
"""Names of the integer fields by folder; documents are removed by the field `post`."""


class WordsWriter:
    """An unfinished lexical index, a changed copy of the one at `previous`; close it.

    Errors of the disk raise OSError or, from tantivy, ValueError (`translate_disk_errors`).
    """

    def __init__(self, folder: Path, previous: Path | None) -> None:
        self._folder, self._padding = folder, " ·" * PADDING  # a term that is in no query
        self._levels = [_begin(folder, previous, name) for name in LEVELS]
        # Bytes that tantivy gathers before it writes a segment: twice its minimum for a thread.
        self._writers = [level.writer(30_000_000, 1) for level in self._levels]

    def add(self, post_id: int, chunk_ids: Sequence[int], terms: PostTerms) -> None:
        """Add a post with its chunks."""
        chunks, posts = self._writers
        of_chunks, of_posts = (level.schema for level in self._levels)
        for chunk_id, words in zip(chunk_ids, terms.chunks, strict=True):
            row = {"stem": words + self._padding, "chunk": chunk_id, "post": post_id}
            chunks.add_document(Document.from_dict(row, of_chunks))
        posts.add_document(Document.from_dict({"stem": terms.whole, "post": post_id}, of_posts))

    def clear(self) -> None:
        """Remove all posts: those added and those of the previous index."""
        for writer in self._writers:
            writer.rollback()
            writer.delete_all_documents()

    def commit(self, removed: Sequence[int]) -> None:
        """Complete the index without these posts; nothing can be added afterwards."""
        for level, writer in zip(self._levels, self._writers, strict=True):
            # delete_documents_by_term takes an int as signed, and the field is unsigned.
            query = Query.term_set_query(level.schema, "post", list(removed))
            writer.delete_documents_by_query(query)
            writer.commit()
            writer.wait_merging_threads()
        for name in LEVELS:
            for private in _PRIVATE:
                shutil.copymode(self._folder / name / _LOCK, self._folder / name / private)

    def close(self) -> None:
        """End tantivy's threads, whether or not the index is complete."""
        self._writers, self._levels = [], []


def _begin(folder: Path, previous: Path | None, level: str) -> tantivy.Index:
    """Make an empty index, or link the previous segments, which never change, and copy the rest."""
    place = folder / level
    place.mkdir(parents=True)
    if previous is None:
        builder = tantivy.SchemaBuilder()
        builder.add_text_field("stem", tokenizer_name="whitespace", index_option="freq")
        for field in LEVELS[level]:
            builder.add_unsigned_field(field, indexed=True, fast=True)
        return tantivy.Index(builder.build(), str(place))
    for path in (previous / level).iterdir():
        if path.suffix == ".json":
            shutil.copyfile(path, place / path.name)
        elif path.is_file() and path.suffix != ".lock":
            link_or_copy(path, place / path.name)
    return tantivy.Index.open(str(place))
