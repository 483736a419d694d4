"""Write the next generation of an index: the live one with posts removed and added.

Posts are added one by one and vectors in blocks, and each is written as it comes, so that memory
stays bounded whatever the size of the blog. No reader sees anything of it before `commit` makes it
the current one; what a run that dies before leaves is deleted by the next.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, TypeAlias, TypeVar

from blog_search_mcp.index.errors import (
    BlogSearchError,
    describe_unexpected,
    refuse_post,
)
from blog_search_mcp.index.lexical.documents import PostTerms, RefusedPost, post_terms
from blog_search_mcp.index.relations.addresses import Addresses
from blog_search_mcp.index.relations.series import find_series
from blog_search_mcp.index.relations.translations import find_translations
from blog_search_mcp.index.store.catalog import write_chunk_table
from blog_search_mcp.index.store.disk import translate_disk_errors
from blog_search_mcp.index.store.manifest import BuildFingerprint, Manifest, PendingPost
from blog_search_mcp.index.store.statistics import count_posts, dump_overview
from blog_search_mcp.index.types import (
    Calibration,
    Chunk,
    Contradiction,
    EmbedderIdentity,
    Ids,
    Link,
    Post,
    Vectors,
)

if TYPE_CHECKING:
    from blog_search_mcp.index.embedders.base import Embedder
    from blog_search_mcp.index.folder import FolderStore, NextGeneration
    from blog_search_mcp.index.search.snapshot import Snapshot

Terms: TypeAlias = PostTerms | RefusedPost
MapPosts: TypeAlias = Callable[
    [Callable[[int], Terms], Sequence[int], Callable[[int, str], Terms]], Iterable[Terms]
]
"""Applies a function to post ids, as `WorkerPool.map` does."""

Found = TypeVar("Found")
_Posts: TypeAlias = Mapping[int, Post]
_Links: TypeAlias = Mapping[int, Sequence[Link]]

_OF_SQLITE = (sqlite3.OperationalError, sqlite3.InternalError)
"""What SQLite raises that no post is the reason of."""
_OF_NO_POST = (BlogSearchError, OSError, MemoryError, *_OF_SQLITE)


SUPERSEDED_SHARE = 0.2
"""tantivy counts deleted chunks in its statistics until their segment is merged; beyond this
share of the index the lexical index is written whole instead of incrementally."""


class IndexWriter:
    """An unfinished generation; use `open_index_writer`.

    Call `add` and `remove` for posts and `add_vectors` for their vectors, then `write_lexical`,
    `complete` and `commit`, each once. Every call raises IndexProblem if the disk refuses.
    """

    def __init__(
        self, store: FolderStore, generation: NextGeneration, embedder: EmbedderIdentity
    ) -> None:
        self._store = store
        self._generation = generation
        self._base = base = generation.base
        self._embedder = embedder
        self._catalog = generation.catalog
        self._vectors = generation.vectors
        self._posts = dict(base.posts) if base else {}
        self._added_posts: list[int] = []
        self._removed_posts: list[int] = []
        self._removed_chunks: list[int] = []
        self._superseded = 0
        self._read_back: tuple[_Posts, _Links] | None = None
        """All posts by id, and their links, unless one was added or removed since."""
        self._addresses: Addresses | None = None
        """Of what was read back."""
        self.unrelated = ""
        """Why posts are not related to others; empty if they are."""
        self.contradiction: Contradiction | None = None
        """Of the addresses of posts, if most posts were added."""

    @property
    def chunks(self) -> int:
        """Number of chunks in the new generation."""
        return sum(post.chunks for post in self._posts.values())

    def remove(self, sources: Iterable[str]) -> None:
        """Remove those of these posts that are in."""
        with translate_disk_errors():
            for source in [each for each in sources if each in self._posts]:
                del self._posts[source]
                self._read_back = self._addresses = None
                post_id, chunk_ids = self._catalog.remove(source)
                self._removed_posts.append(post_id)
                self._removed_chunks += chunk_ids

    def add(self, pending: PendingPost) -> tuple[int, ...]:
        """Add a post, or replace it; return its chunks' ids, which exceed all earlier ids.

        Raises UnreadablePost if the catalog does not take it; what was there of it is removed.
        """
        source = pending.post.source
        self.remove([source])
        self._read_back = self._addresses = None
        with refuse_post("writing it into the index", *_OF_SQLITE), translate_disk_errors():
            post_id, ids = self._catalog.add(pending)
        self._posts[source] = pending.indexed
        self._added_posts.append(post_id)
        return ids

    def add_vectors(self, ids: Ids, rows: Vectors) -> None:
        """Append float32 unit rows of shape (len(ids), dimension), in the order of chunk ids."""
        with translate_disk_errors():
            self._vectors.add(ids, rows)

    def record_unembedded(self, source: str, windows: int) -> None:
        """Record how many windows of an added post have no vector."""
        if self.has(source):
            self._posts[source] = replace(self._posts[source], unembedded=windows)

    def record_waiting(self, source: str, windows: int) -> None:
        """Record how many windows of a post wait for a later generation to have their vectors."""
        if self.has(source):
            self._posts[source] = replace(self._posts[source], waiting=windows)

    def has(self, source: str) -> bool:
        """Whether a post is in: one that was may have been refused since."""
        return source in self._posts

    def backlog(self) -> dict[str, int]:
        """Return by source how many windows wait, the newest post first and undated ones last."""
        if not any(post.waiting for post in self._posts.values()):
            return {}
        posts = self._catalog.catalog.every_post().values()
        by_source = sorted(posts, key=lambda post: post.source)
        newest_first = sorted(by_source, key=lambda post: post.date or "", reverse=True)
        waiting = ((post.source, self._posts[post.source].waiting) for post in newest_first)
        return {source: windows for source, windows in waiting if windows}

    def read(self, sources: Iterable[str]) -> list[tuple[PendingPost, tuple[int, ...]]]:
        """Read back those of these posts that are in, each with its chunks' ids, at once.

        The chunks have the text that is searched and embedded.
        """
        catalog = self._catalog.catalog
        found = [catalog.require_post(source) for source in sources if self.has(source)]
        chunks: dict[str, dict[int, Chunk]] = {post.source: {} for _, post in found}
        for chunk_id, chunk in catalog.chunks_of(*(post_id for post_id, _ in found)).items():
            chunks[chunk.source][chunk_id] = chunk
        read = []
        for post_id, post in found:
            own, coverage = chunks[post.source], catalog.vocabulary_coverage(post_id)
            pending = PendingPost(post, tuple(own.values()), coverage, self._posts[post.source])
            read.append((pending, tuple(own)))
        return read

    def write_lexical(self, map_posts: MapPosts) -> dict[str, str]:
        """Write what depends on the posts and not on vectors; no post may change after it.

        Returns why posts are removed, by source: those whose words cannot be indexed.
        """
        with translate_disk_errors():
            posts = self._write_relations()
            self._superseded, refused = self._write_terms(map_posts, posts)
            reasons = {posts[each.post_id].source: each.reason for each in refused}
            if reasons:
                self.remove(reasons)
                self._write_relations()
        return reasons

    def complete(self) -> None:
        """Complete vectors and texts; the generation can be searched after it, before `commit`."""
        with translate_disk_errors():
            self._catalog.complete_texts()
            self._catalog.commit()
            write_chunk_table(self._generation.files.table, self._catalog.catalog.chunk_table())
            self._vectors.commit(self._removed_chunks)
        self._read_back = self._addresses = None

    def chunk_ids(self) -> Ids:
        """Return the chunks' ids, ascending."""
        return self._catalog.catalog.chunk_table().chunks

    def open_snapshot(self, embedder: Embedder) -> Snapshot:
        """Open the completed generation, for the searches of its calibration."""
        return self._store.open_snapshot(self._generation.files, embedder)

    def commit(
        self, created: str, build: BuildFingerprint, calibration: Calibration | None
    ) -> Manifest:
        """Write the manifest and make this generation the live one.

        `created` is when the content folder was walked: UTC, ISO 8601 to the second.
        """
        with translate_disk_errors():
            overview = count_posts(
                tuple(self._read_posts()[0].values()),
                generation=self._generation.number,
                created=created,
                embedder=self._embedder.name,
                chunks=self.chunks,
                waiting=sum(post.waiting > 0 for post in self._posts.values()),
            )
            manifest = Manifest(
                generation=self._generation.number,
                created=created,
                embedder=self._embedder,
                build=build,
                posts=dict(sorted(self._posts.items())),
                calibration=calibration,
                superseded=self._superseded,
                files={},
            )
            self._generation.files.overview.write_bytes(dump_overview(overview))
            return self._store.publish(self._generation, manifest)

    def _write_relations(self) -> _Posts:
        """Write what posts are to each other; return them all by id."""
        self._catalog.write_translations(self._relate(lambda posts, _: find_translations(posts)))
        self._catalog.write_series(
            self._relate(lambda posts, addresses: find_series(posts, addresses.resolved))
        )
        self._catalog.commit()
        posts, _ = self._read_posts()
        if 2 * len(self._added_posts) > len(posts):
            self.contradiction = self._relate(lambda _, addresses: addresses.contradiction)
            self._read_back = self._addresses = None
        return posts

    def _read_posts(self) -> tuple[_Posts, _Links]:
        if self._read_back is None:
            self._read_back = self._catalog.catalog.every_post(), self._catalog.catalog.links()
        return self._read_back

    def _relate(self, find: Callable[[_Posts, Addresses], Found]) -> Found:
        """Return what `find` finds of all posts by id and their addresses.

        Where it fails that is noted, and what it finds of no posts is returned.
        """
        posts, links = self._read_posts()
        try:
            self._addresses = self._addresses or Addresses(posts, links)
            return find(posts, self._addresses)
        except _OF_NO_POST:
            raise
        except Exception as error:
            self.unrelated = (
                f"looking for series and translations fails ({describe_unexpected(error)}), so "
                "that posts have none; the next ingest of a change looks again"
            )
        return find({}, Addresses({}))

    def _write_terms(
        self, map_posts: MapPosts, posts: Mapping[int, Post]
    ) -> tuple[int, list[RefusedPost]]:
        """Write the lexical index; return how many chunks are superseded, and what is not in."""
        base, refused = self._base, list[RefusedPost]()
        superseded = (base.superseded if base else 0) + len(self._removed_chunks)
        anew = base is None or superseded > SUPERSEDED_SHARE * base.chunks
        ids = sorted(posts if anew else posts.keys() & self._added_posts)

        def terms() -> Iterator[PostTerms]:
            make_terms = partial(post_terms, self._generation.files)
            for entry in map_posts(make_terms, ids, RefusedPost):
                if isinstance(entry, RefusedPost):
                    refused.append(entry)
                else:
                    yield entry

        self._store.write_words(self._generation, terms(), self._removed_posts, anew=anew)
        return 0 if anew else superseded, refused


@contextmanager
def open_index_writer(
    store: FolderStore, base: Manifest | None, embedder: EmbedderIdentity
) -> Iterator[IndexWriter]:
    """Begin a generation on top of `base`; without a commit in the block nothing is left of it.

    `base` is the current generation, or `None` for an index made anew. The caller holds the writer
    lock. Raises IndexBroken if `base` is damaged, IndexProblem if the disk refuses.
    """
    with store.begin(base, embedder) as generation:
        yield IndexWriter(store, generation, embedder)
