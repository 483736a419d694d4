"""Read a blog's posts, and make and open an index of them.

The index is made by the same ingest as any other, but without the descriptions: queries are made
of them, and would find themselves in the index word for word.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import Literal

from blog_search_mcp.index.content.last_ingest import IngestOptions
from blog_search_mcp.index.content.walk import SourceFile, read_file, walk
from blog_search_mcp.index.embedders.registry import choose_embedder, open_embedder
from blog_search_mcp.index.errors import UnreadablePost
from blog_search_mcp.index.reader import Index, IndexReader
from blog_search_mcp.ingest.documents.base import SUFFIXES, Document, read_document
from blog_search_mcp.ingest.documents.metadata import check_visibility
from blog_search_mcp.ingest.pipeline import ingest
from blog_search_mcp.ingest.plan import Job
from blog_search_mcp.ingest.report import Progress


@dataclass(frozen=True, slots=True)
class Embedding:
    """Which embedder makes an index."""

    kind: Literal["auto", "ollama", "embedded"] = "embedded"
    model: str | None = None
    host: str = ""


def read_posts(content: Path) -> tuple[Document, ...]:
    """Read the posts of a folder that are published today and not empty. Raises ContentError.

    A post without a body is a forwarding address, and search leaves it out.
    """
    today = date.today()
    found = (_read_published(file, today) for file in walk(content, SUFFIXES).files)
    return tuple(post for post in found if post and post.body.text.strip())


def _read_published(file: SourceFile, today: date) -> Document | None:
    try:
        document = read_document(read_file(file.path), file.source)
    except UnreadablePost:
        return None
    hidden = check_visibility(document.fields, file.source, today).left_out
    return None if hidden else document


def index_folder(cache: Path, content: Path, embedding: Embedding) -> Path:
    """Return where the index of `content` lies below `cache`: one per folder and embedder."""
    path = content.resolve()
    key = hashlib.sha256(f"{path}\n{embedding.kind}\n{embedding.model}".encode()).hexdigest()
    return cache / f"{path.parent.name}-{path.name}-{key[:12]}"


def build_index(
    content: Path, index: Path, embedding: Embedding, progress: Progress, *, rebuild: bool = False
) -> None:
    """Bring the index at `index` up to date, without descriptions. Raises BlogSearchError."""
    job = Job(
        content=content,
        index=index,
        choose=lambda existing: choose_embedder(
            embedding.kind, embedding.model, embedding.host, existing
        ),
        today=date.today(),
        rebuild=rebuild,
        options=IngestOptions(index_descriptions=False),
    )
    ingest(job, progress)


def open_index(index: Path, embedding: Embedding) -> IndexReader:
    """Open the live generation at `index`. Raises IndexProblem."""
    return Index(index, lambda identity: open_embedder(identity, embedding.host)).reader()
