"""The readers of posts, chosen by a file's suffix; another markup is one more entry here."""

from __future__ import annotations

from functools import cache
from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from blog_search_mcp.ingest.documents.base import Document, DocumentReader

MARKDOWN = "blog_search_mcp.ingest.markdown.reader:MarkdownReader"
READERS = {".md": MARKDOWN, ".markdown": MARKDOWN, ".mdx": MARKDOWN}
"""The class of each suffix's reader, imported at the first post: an ingest that finds nothing
changed needs no parser."""

SUFFIXES = tuple(READERS)
"""What the name of a post ends in."""


def read_document(data: bytes, source: str) -> Document:
    """Parse a file whose name ends in one of `SUFFIXES`. Raises UnreadablePost."""
    name = source.lower()
    place = next(place for suffix, place in READERS.items() if name.endswith(suffix))
    return _load_reader(place).read(data, source)


@cache
def _load_reader(place: str) -> DocumentReader:
    module, _, name = place.partition(":")
    reader: DocumentReader = getattr(import_module(module), name)()
    return reader
