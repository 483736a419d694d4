"""Read a blog's posts, and make and open its two indexes.

Both are made by the same ingest as any other. The whole one is what a user has. The other one
lacks descriptions: queries are made of them, and would find themselves in it word for word.
"""

from __future__ import annotations

import hashlib
import sqlite3
from collections.abc import Collection
from contextlib import closing, suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cache, partial
from pathlib import Path
from typing import Literal

from benchmarks.quality.types import DESCRIPTION, Query
from blog_search_mcp import index as index_package
from blog_search_mcp import ingest as ingest_package
from blog_search_mcp.index.embedders.registry import choose_embedder, open_embedder
from blog_search_mcp.index.errors import UnreadablePost
from blog_search_mcp.index.posts.document import Document, read_document
from blog_search_mcp.index.posts.last_ingest import IngestOptions
from blog_search_mcp.index.posts.visibility import check_visibility
from blog_search_mcp.index.posts.walk import SUFFIXES, read_file, walk
from blog_search_mcp.index.reader import Index, IndexReader
from blog_search_mcp.index.store.disk import Layout
from blog_search_mcp.index.stores import Location
from blog_search_mcp.ingest.pipeline import ingest
from blog_search_mcp.ingest.plan import Job
from blog_search_mcp.ingest.report import Progress

CODE = ("*.py", "*.txt", "*.json")
"""Files of the packages that decide what an index holds, beside the models, whose digests stand
in the code."""


@dataclass(frozen=True, slots=True)
class Embedding:
    """Which embedder makes an index; by default the packaged one that suits the blog."""

    kind: Literal["auto", "ollama", "embedded"] = "embedded"
    model: str | None = None
    host: str = ""


@dataclass(frozen=True, slots=True)
class Indexes:
    """Where the indexes of one blog lie; one that no query needs is not made."""

    whole: Path | None
    """As a user has it."""
    undescribed: Path | None
    """Without descriptions."""

    def of(self, query: Query) -> Path:
        """Return the index that `query` is to be searched for in."""
        chosen = self.undescribed if query.kind == DESCRIPTION else self.whole
        assert chosen is not None
        return chosen


def read_posts(content: Path) -> tuple[Document, ...]:
    """Read the posts of a folder that are published today and not empty. Raises ContentError.

    A post without a body is a forwarding address, and search leaves it out.
    """
    now = datetime.now(UTC)
    posts = []
    for file in walk(content, SUFFIXES).files:
        with suppress(UnreadablePost):
            post = read_document(read_file(file.path), file.source)
            hidden = check_visibility(post.fields, file.source, now).left_out
            posts += [post] if post.body.text.strip() and not hidden else []
    return tuple(posts)


def build_indexes(
    content: Path,
    queries: Collection[Query],
    cache: Path,
    embedding: Embedding,
    progress: Progress,
) -> Indexes:
    """Bring the indexes below `cache` that `queries` need up to date. Raises BlogSearchError.

    Those that other code than this made are made anew, from the vectors they have.
    """
    made: dict[bool, Path] = {}
    for described in sorted({query.kind != DESCRIPTION for query in queries}, reverse=True):
        index = made[described] = index_folder(cache, content, embedding, described=described)
        stamp = index.with_name(f"{index.name}.code")
        is_foreign = not stamp.is_file() or stamp.read_text() != code_digest()
        if not Layout(index).cache.exists():
            copy_embeddings(index)
        build_index(content, index, embedding, progress, described=described, rebuild=is_foreign)
        stamp.write_text(code_digest())
    return Indexes(made.get(True), made.get(False))


def index_folder(cache: Path, content: Path, embedding: Embedding, *, described: bool) -> Path:
    """Return where an index of `content` lies: one for each checkout of the code that makes it."""
    path, code = content.resolve(), Path(__file__).parent
    parts = (code, path, embedding.kind, embedding.model, described)
    key = hashlib.sha256("\n".join(map(str, parts)).encode()).hexdigest()
    return cache / f"{path.parent.name}-{path.name}-{key[:12]}"


@cache
def code_digest() -> str:
    """Digest the code and data of the packages that make an index, search included: it calibrates.

    Versions in the code are raised when a change is finished; a measurement comes before that.
    """
    digest = hashlib.sha256()
    for package in (index_package, ingest_package):
        root = Path(package.__path__[0])
        for path in sorted(path for pattern in CODE for path in root.rglob(pattern)):
            digest.update(str(path.relative_to(root)).encode() + b"\0" + path.read_bytes())
    return digest.hexdigest()


def copy_embeddings(index: Path) -> None:
    """Give a new index the vectors of the fullest other one of the blog."""
    stem = index.name.rpartition("-")[0]
    caches = [Layout(folder).cache for folder in index.parent.glob(f"{stem}-????????????")]
    fullest = max(filter(Path.exists, caches), key=lambda path: path.stat().st_size, default=None)
    if fullest is not None:
        target = Layout(index).cache
        target.parent.mkdir(parents=True, exist_ok=True)
        with closing(sqlite3.connect(fullest)) as old, closing(sqlite3.connect(target)) as new:
            old.backup(new)


def build_index(
    content: Path,
    index: Location,
    embedding: Embedding,
    progress: Progress,
    *,
    described: bool = True,
    rebuild: bool = False,
) -> None:
    """Bring the index at `index` up to date, as an ingest does. Raises BlogSearchError."""
    job = Job(
        content=content,
        index=index,
        choose=partial(choose_embedder, embedding.kind, embedding.model, embedding.host),
        now=datetime.now(UTC),
        rebuild=rebuild,
        options=IngestOptions(index_descriptions=described),
    )
    ingest(job, progress)


def open_index(index: Location, embedding: Embedding) -> IndexReader:
    """Open the live generation at `index`. Raises IndexProblem."""
    return Index(index, lambda identity: open_embedder(identity, embedding.host)).reader()
