"""Write the lexical index of a generation: the previous one with posts removed and added."""

from __future__ import annotations

import re
import shutil
from collections.abc import Iterable, Sequence
from pathlib import Path

import tantivy
from tantivy import Document, Query

from blog_search_mcp.index.lexical.documents import PADDING, PostTerms
from blog_search_mcp.index.store.disk import link_or_copy, make_disk_error

_HEAP = 30_000_000
"""Bytes tantivy gathers before it writes a segment; its own minimum is 15 MB a thread."""

_NO_WORD = "·"
"""What chunks are padded with: no query has it."""

_IO = re.compile(r"os error \d|IoError|io::Error|IO error")
"""tantivy raises ValueError for everything; these are its words for what the disk refused."""

_PRIVATE, _LOCK = ("meta.json", ".managed.json"), ".tantivy-writer.lock"
"""Files that tantivy closes to other accounts, whatever the umask, though their servers read them
too, and one that it leaves as it is made."""

LEVELS = {"chunks": ("chunk", "post"), "posts": ("post",)}
"""By folder, the names of the numbers; `post` is the post that is taken out with the document."""


def write_words(
    folder: Path, previous: Path | None, removed: Sequence[int], added: Iterable[PostTerms]
) -> dict[int, str]:
    """Write the lexical index at `folder`: the one at `previous` less and plus these posts.

    `removed` are post ids. Returns why those that were refused are not in, by id. Raises OSError,
    or IndexProblem for what tantivy could not write.
    """
    try:
        chunks, posts = (_begin(folder, previous, name) for name in LEVELS)
        refused = _update(chunks, posts, removed, added)
    except ValueError as error:
        if not _IO.search(str(error)):
            raise
        raise make_disk_error(error) from error
    for name in LEVELS:
        for private in _PRIVATE:
            shutil.copymode(folder / name / _LOCK, folder / name / private)
    return refused


def _begin(folder: Path, previous: Path | None, level: str) -> tantivy.Index:
    """Link tantivy's segments, which never change, and copy its lists of them, which do."""
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


def _update(
    chunks: tantivy.Index,
    posts: tantivy.Index,
    removed: Sequence[int],
    added: Iterable[PostTerms],
) -> dict[int, str]:
    refused = dict[int, str]()
    writers = of_chunks, of_posts = chunks.writer(_HEAP, 1), posts.writer(_HEAP, 1)
    for level, writer in zip((chunks, posts), writers, strict=True):
        # delete_documents_by_term takes an int as signed and finds nothing in an unsigned field.
        writer.delete_documents_by_query(Query.term_set_query(level.schema, "post", list(removed)))
    for post in added:
        if post.refused:
            refused[post.post_id] = post.refused
        for chunk_id, words in post.chunks.items():
            padded = words + f" {_NO_WORD}" * PADDING
            row = {"stem": padded, "chunk": chunk_id, "post": post.post_id}
            of_chunks.add_document(Document.from_dict(row, chunks.schema))
        if post.chunks:
            row = {"stem": post.whole, "post": post.post_id}
            of_posts.add_document(Document.from_dict(row, posts.schema))
    for writer in writers:
        writer.commit()
        writer.wait_merging_threads()
    return refused
