"""The readers of posts, chosen by a file's suffix; another markup is one more line here."""

from __future__ import annotations

from blog_search_mcp.ingest.documents.base import Document, DocumentReader
from blog_search_mcp.ingest.markdown.reader import MarkdownReader

READERS: tuple[DocumentReader, ...] = (MarkdownReader(),)
SUFFIXES = tuple(suffix for reader in READERS for suffix in reader.suffixes)
"""What the name of a post ends in."""


def read_document(data: bytes, source: str) -> Document:
    """Parse a file whose name ends in one of `SUFFIXES`. Raises UnreadablePost."""
    name = source.lower()
    reader = next(reader for reader in READERS if name.endswith(reader.suffixes))
    return reader.read(data, source)
