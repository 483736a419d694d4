"""Write the lexical index of a generation: the previous one with posts removed and added."""

from __future__ import annotations

import re
import shutil
from collections.abc import Iterable, Iterator, Mapping
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


def write(
    folder: Path, previous: Path | None, removed: Iterable[int], added: Iterable[PostTerms]
) -> None:
    """Write the lexical index at `folder`: the one at `previous` less and plus these posts.

    `removed` are post ids. Raises OSError, or IndexProblem for what tantivy could not write.
    """
    try:
        if previous is None:
            levels = {name: _empty(folder / name, fields) for name, fields in LEVELS.items()}
        else:
            levels = _copied(folder, previous)
        _update(levels, list(removed), added)
    except ValueError as error:
        if not _IO.search(str(error)):
            raise
        raise make_disk_error(error) from error
    for name in LEVELS:
        for private in _PRIVATE:
            shutil.copymode(folder / name / _LOCK, folder / name / private)


def _update(
    levels: Mapping[str, tantivy.Index], removed: list[int], added: Iterable[PostTerms]
) -> None:
    writers = {name: level.writer(_HEAP, 1) for name, level in levels.items()}
    for name, writer in writers.items():
        # delete_documents_by_term takes an int as signed and finds nothing in an unsigned field.
        writer.delete_documents_by_query(Query.term_set_query(levels[name].schema, "post", removed))
    for post in added:
        for name, document in _documents(post):
            writers[name].add_document(document)
    for writer in writers.values():
        writer.commit()
        writer.wait_merging_threads()


def _empty(folder: Path, numbers: Iterable[str]) -> tantivy.Index:
    folder.mkdir(parents=True)
    builder = tantivy.SchemaBuilder()
    builder.add_text_field("stem", tokenizer_name="whitespace", index_option="freq")
    for field in numbers:
        builder.add_unsigned_field(field, indexed=True, fast=True)
    return tantivy.Index(builder.build(), str(folder))


def _copied(folder: Path, previous: Path) -> dict[str, tantivy.Index]:
    """Link tantivy's segments, which never change, and copy its lists of them, which do."""
    for name in LEVELS:
        (folder / name).mkdir(parents=True)
        for path in (previous / name).iterdir():
            if path.suffix == ".json":
                shutil.copyfile(path, folder / name / path.name)
            elif path.is_file() and path.suffix != ".lock":
                link_or_copy(path, folder / name / path.name)
    return {name: tantivy.Index.open(str(folder / name)) for name in LEVELS}


def _documents(post: PostTerms) -> Iterator[tuple[str, Document]]:
    """Everything of one post, each with the level it belongs to; nothing of a title alone."""
    if not post.chunk_ids:
        return
    for chunk_id, words in zip(post.chunk_ids, post.chunks, strict=True):
        padding = f" {_NO_WORD}" * PADDING
        yield "chunks", _document(words + padding, chunk=chunk_id, post=post.post_id)
    yield "posts", _document(post.whole, post=post.post_id)


def _document(words: str, **numbers: int) -> Document:
    document = Document()
    for name, number in numbers.items():
        document.add_unsigned(name, number)
    document.add_text("stem", words)
    return document
