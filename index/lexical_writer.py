"""Posts into the lexical index on disk: the previous one and a plan in, the next one out."""

from __future__ import annotations

import re
import shutil
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path

import tantivy
from tantivy import Document, Query

from index.analysis import Term
from index.lexical_documents import LexicalPost, terms_of
from index.unwritable import unwritable

_HEAP = 30_000_000
"""Bytes tantivy gathers before it writes a segment; its own minimum is 15 MB a thread."""

_IO = re.compile(r"os error \d|IoError|io::Error|IO error")
"""tantivy raises ValueError for everything; these are its words for what the disk refused."""


def write(
    folder: Path, previous: Path | None, removed: Iterable[int], added: Iterable[LexicalPost]
) -> None:
    """Write the lexical index at `folder`: the one at `previous` less and plus these posts.

    `removed` are post ids. Raises OSError, or IndexProblem for what tantivy could not write.
    """
    with _translated():
        chunks, posts = _new(folder) if previous is None else _copied(folder, previous)
        _update(chunks, posts, list(removed), added)


@contextmanager
def _translated() -> Iterator[None]:
    try:
        yield
    except ValueError as error:
        if not _IO.search(str(error)):
            raise
        raise unwritable(error) from error


def _update(
    chunks: tantivy.Index, posts: tantivy.Index, gone: list[int], added: Iterable[LexicalPost]
) -> None:
    chunk_writer, post_writer = chunks.writer(_HEAP, 1), posts.writer(_HEAP, 1)
    # delete_documents_by_term takes an int as signed and finds nothing in an unsigned field.
    chunk_writer.delete_documents_by_query(Query.term_set_query(chunks.schema, "post", gone))
    post_writer.delete_documents_by_query(Query.term_set_query(posts.schema, "post", gone))
    for entry in added:
        if entry.chunks:  # a post of a title alone holds nothing to read
            _add(entry, chunk_writer, post_writer)
    for writer in (chunk_writer, post_writer):
        writer.commit()
        writer.wait_merging_threads()


def _new(folder: Path) -> tuple[tantivy.Index, tantivy.Index]:
    chunks = _empty(folder / "chunks", ("",), ("chunk", "post"))
    return chunks, _empty(folder / "posts", ("", "lead_", "about_"), ("post",))


def _empty(folder: Path, prefixes: Iterable[str], numbers: Iterable[str]) -> tantivy.Index:
    folder.mkdir(parents=True)
    builder = tantivy.SchemaBuilder()
    for field in (f"{prefix}{spelling}" for prefix in prefixes for spelling in ("stem", "exact")):
        builder.add_text_field(field, tokenizer_name="whitespace", index_option="freq")
    for field in numbers:
        builder.add_unsigned_field(field, indexed=True, fast=True)
    return tantivy.Index(builder.build(), str(folder))


def _copied(folder: Path, previous: Path) -> tuple[tantivy.Index, tantivy.Index]:
    shutil.copytree(previous, folder, ignore=shutil.ignore_patterns("*.lock"))
    return tantivy.Index.open(str(folder / "chunks")), tantivy.Index.open(str(folder / "posts"))


def _add(
    entry: LexicalPost, chunk_writer: tantivy.IndexWriter, post_writer: tantivy.IndexWriter
) -> None:
    found = terms_of(entry)
    for chunk_id, words in zip(entry.chunk_ids, found.chunks, strict=True):
        chunk = _document(words)
        chunk.add_unsigned("chunk", chunk_id)
        chunk.add_unsigned("post", entry.post_id)
        chunk_writer.add_document(chunk)
    post = _document(found.whole)
    post.add_unsigned("post", entry.post_id)
    _fill(post, "lead_", found.lead)
    _fill(post, "about_", found.about)
    post_writer.add_document(post)


def _document(words: list[Term]) -> Document:
    document = Document()
    _fill(document, "", words)
    return document


def _fill(document: Document, prefix: str, words: list[Term]) -> None:
    document.add_text(f"{prefix}stem", " ".join(term.stem for term in words))
    document.add_text(f"{prefix}exact", " ".join(term.exact for term in words))
