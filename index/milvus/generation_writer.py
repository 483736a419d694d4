"""Write the next generation of an index in Milvus: the changes alone, or now and then everything.

The catalog of the live generation is loaded into files of the system's temporary folder, where
posts are added and removed as in a folder's index. What a generation adds goes into collections of
its own; it is seen by nobody before the index's alias names it.
"""

from __future__ import annotations

import json
import secrets
import sqlite3
import time
from collections.abc import Iterable, Iterator, Sequence
from contextlib import ExitStack, closing, contextmanager, suppress
from dataclasses import dataclass, field
from functools import partial
from itertools import islice
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from blog_search_mcp.index.errors import IndexBusy, IndexProblem
from blog_search_mcp.index.lexical.documents import RefusedPost, post_terms
from blog_search_mcp.index.milvus.catalog import dump_post, dump_relations, fits_field
from blog_search_mcp.index.milvus.client import BATCH_KEYS
from blog_search_mcp.index.milvus.generations import (
    Record,
    Segment,
    StoredGeneration,
    Superseded,
    drop_all,
    dump_record,
    newest_number,
    own_rows,
    rows_of_post,
    state_arrays,
    terms_of_record,
    texts_of_record,
)
from blog_search_mcp.index.milvus.schema import (
    CHUNK,
    CHUNKS_FIELDS,
    NO_TERMS,
    PART,
    PLAIN,
    POST,
    POSTS_FIELDS,
    ROW,
    TERMS,
    TEXT,
    WHOLE,
    CollectionNames,
    among,
)
from blog_search_mcp.index.milvus.terms import (
    TermSpool,
    TermStatistics,
    WeighedPost,
    count_post,
    sum_statistics,
)
from blog_search_mcp.index.milvus.vectors import (
    MilvusVectors,
    MilvusVectorWriter,
    empty_directory,
)
from blog_search_mcp.index.store.catalog import open_catalog
from blog_search_mcp.index.store.catalog_writer import CatalogWriter, prepare_files
from blog_search_mcp.index.store.disk import GenerationFiles
from blog_search_mcp.index.store.generations import BUSY
from blog_search_mcp.index.store.manifest import Manifest, dumps
from blog_search_mcp.index.store.statistics import Overview, dump_overview

if TYPE_CHECKING:
    from blog_search_mcp.index.embedders.base import Embedder
    from blog_search_mcp.index.milvus.client import Milvus
    from blog_search_mcp.index.milvus.schema import Row
    from blog_search_mcp.index.milvus.state import WriterLock
    from blog_search_mcp.index.search.snapshot import Snapshot
    from blog_search_mcp.index.store.catalog import ChunkTable
    from blog_search_mcp.index.stores import MapPosts, PostChanges
    from blog_search_mcp.index.types import Ids

MOST_SEGMENTS: Final = 16
"""Generations whose rows are used; a search asks each, so beyond it all are written anew."""

DEAD_SHARE: Final = 0.2
"""Share of the chunks whose rows no longer count, beyond which all rows are written anew."""

POSTS_AT_ONCE: Final = 100
"""Posts whose rows are made at a time."""

GRACE: Final = 60.0
"""Seconds for which rows are kept that the live generation no longer uses: the longest request."""


@dataclass
class MilvusGenerationWriter:
    """The collections of an unfinished generation; implements GenerationWriter."""

    milvus: Milvus
    names: CollectionNames
    lock: WriterLock
    number: int
    live: StoredGeneration | None
    """The current generation, if it can be read."""
    base: StoredGeneration | None
    merges: bool
    """Whether it has everything in collections of its own."""
    connection: sqlite3.Connection
    files: GenerationFiles
    catalog: CatalogWriter
    vectors: MilvusVectorWriter
    spool: TermSpool
    _counted: set[int] = field(default_factory=set)
    _added: tuple[int, ...] = ()
    _dead: tuple[int, ...] = ()
    _segment: Segment | None = None

    @property
    def _builds_on(self) -> StoredGeneration | None:
        """The base, if its rows are used."""
        return None if self.merges else self.base

    def write_lexical(
        self, changes: PostChanges, map_posts: MapPosts
    ) -> tuple[int, list[RefusedPost]]:
        """As GenerationWriter; rows are made once all words are counted."""
        base = self._builds_on
        added = changes.every if base is None else set(changes.added) & set(changes.every)
        refused = []
        for found in map_posts(partial(post_terms, self.files), sorted(added), RefusedPost):
            if isinstance(found, RefusedPost):
                refused.append(found)
            elif (counted := count_post(found)) is not None:
                self.spool.add(counted)
                self._counted.add(found.post_id)
        self._added = tuple(sorted(set(added) - {each.post_id for each in refused}))
        if base is None:
            return 0, refused
        own = set(changes.added)
        removed = [post for post in changes.removed if post not in own]
        self._count_out(base, removed)
        self._dead = tuple(sorted({*base.dead, *removed}))
        return base.manifest.superseded + len(changes.removed_chunks), refused

    def _count_out(self, base: StoredGeneration, posts: Sequence[int]) -> None:
        """Take the words of posts that went out of the counts."""
        for segment in base.record.segments:
            if not segment.chunks or not posts:
                continue
            counted = set()
            name = self.names.chunks(segment.generation)
            for row in self._rows_of(name, posts, [CHUNK, POST, TERMS]):
                self.spool.remove(TERMS, row[TERMS])
                counted.add(row[POST])
            name = self.names.posts(segment.generation)
            for row in self._rows_of(name, sorted(counted), [ROW, PART, WHOLE]):
                if row[PART] == 0:
                    self.spool.remove(WHOLE, row[WHOLE])

    def _rows_of(self, name: str, posts: Sequence[int], output: Sequence[str]) -> Iterator[Row]:
        """Read all rows of posts, some posts and some rows at a time."""
        for start in range(0, len(posts), BATCH_KEYS):
            wanted = among(POST, posts[start : start + BATCH_KEYS])
            yield from self.milvus.iterate(name, wanted, output)

    def complete(self, table: ChunkTable, removed_chunks: Sequence[int]) -> None:
        """As GenerationWriter: write posts and chunks, and complete the vectors."""
        posts, chunks = self.names.posts(self.number), self.names.chunks(self.number)
        first, _ = table.of_posts(np.asarray(self._added, dtype=np.int64))
        self.milvus.create(posts, POSTS_FIELDS)
        if len(first):
            self.milvus.create(chunks, CHUNKS_FIELDS)
        count = written = 0
        weighed = self._weighed()
        while some := list(islice(weighed, POSTS_AT_ONCE)):
            count += self.milvus.insert(posts, POSTS_FIELDS, self._post_rows(some))
            written += self.milvus.insert(chunks, CHUNKS_FIELDS, self._chunk_rows(some))
        if len(first):
            self.milvus.complete(chunks, written)
        self.milvus.complete(posts, count)
        before = {each.collection for each in self.vectors.directory.segments}
        self.vectors.delete(removed_chunks)
        self.vectors.commit()
        segments = self.vectors.directory.segments
        own = [len(each.chunks) for each in segments if each.collection not in before]
        least = int(first.min()) if len(first) else 0
        key = secrets.token_hex(8)
        self._segment = Segment(self.number, count, written, least, sum(own), key)

    def _weighed(self) -> Iterator[WeighedPost]:
        yield from self.spool.rows()
        for post in self._added:
            if post not in self._counted:  # a title alone
                yield WeighedPost(post, NO_TERMS, NO_TERMS, {})

    def _post_rows(self, posts: Iterable[WeighedPost]) -> Iterator[Row]:
        for post in posts:
            text = dump_post(self.connection, post.post_id)
            yield from rows_of_post(post.post_id, text, post.whole)

    def _chunk_rows(self, posts: Iterable[WeighedPost]) -> Iterator[Row]:
        query = (
            "SELECT chunk_id, coalesce(newer.text, earlier.text), "
            "coalesce(newer.plain, earlier.plain) FROM chunks "
            "LEFT JOIN main.texts newer USING (chunk_id) "
            "LEFT JOIN shared.texts earlier USING (chunk_id) WHERE post_id = ?"
        )
        for post in posts:
            for chunk, text, plain in self.connection.execute(query, [post.post_id]):
                texts = (text, plain) if fits_field(text, plain) else ("", "")
                row = dict(zip((TEXT, PLAIN), texts, strict=True))
                row |= {CHUNK: chunk, POST: post.post_id, TERMS: post.chunks[chunk]}
                yield row

    @property
    def _record(self) -> Record:
        assert self._segment is not None
        before = self._builds_on.record.segments if self._builds_on else ()
        superseded: tuple[Superseded, ...] = ()
        if self.live is not None:
            now, record = time.time(), self.live.record
            superseded = (*superseded_lately(record, now), Superseded(record.generations, now))
        return Record((*before, self._segment), superseded)

    @property
    def _statistics(self) -> dict[str, TermStatistics]:
        own = self.spool.statistics()
        if self._builds_on is None:
            return own
        before = self._builds_on.statistics
        return {name: sum_statistics([before[name], own[name]]) for name in own}

    def open_snapshot(self, embedder: Embedder) -> Snapshot:
        """As GenerationWriter."""
        from blog_search_mcp.index.milvus.lexical import MilvusSearcher
        from blog_search_mcp.index.search.snapshot import make_snapshot

        record = self._record
        terms = terms_of_record(self.names, record, self._dead, self._statistics)
        catalog = open_catalog(self.files, texts_of_record(self.milvus, self.names, record))
        searcher = MilvusSearcher(self.milvus, terms)
        vectors = MilvusVectors(self.milvus, self.vectors.directory)
        return make_snapshot(catalog, searcher, vectors, embedder)

    def publish(self, manifest: Manifest, overview: Overview) -> Manifest:
        """As GenerationWriter. Raises IndexBusy if another ingest has taken the lock over."""
        assert self._segment is not None
        posts, directory = self.names.posts(self.number), self.vectors.directory
        own = {each.collection: each for each in directory.segments}
        vectors: dict[str, Any] = {}
        if (mine := own.get(self.names.vectors(self.number))) is not None:
            vectors["vectors"] = mine.arrays()
        counted = {name: each.arrays() for name, each in self.spool.statistics().items()}
        rows = own_rows(
            {
                "overview": dump_overview(overview).decode(),
                "record": dump_record(self._record),
                "relations": dump_relations(self.connection),
                "manifest": dumps(manifest),
            },
            {**counted, **vectors, "state": state_arrays(self._dead, directory)},
        )
        count = self._segment.posts + self.milvus.insert(posts, POSTS_FIELDS, rows)
        self.milvus.complete(posts, count)
        self.lock.check()
        if self.milvus.resolve(self.names.index) is not None:
            self.milvus.alter_alias(self.names.index, posts)
        elif not self.milvus.create_alias(self.names.index, posts):
            raise IndexBusy(f"{BUSY} It has made the index first; run again.")
        return manifest


@contextmanager
def begin_generation(
    milvus: Milvus,
    names: CollectionNames,
    lock: WriterLock,
    base: StoredGeneration | None,
    live: StoredGeneration | None,
    dimension: int,
) -> Iterator[MilvusGenerationWriter]:
    """Begin a generation on top of `base`; `live` is the current one, if it can be read.

    What is no longer used is dropped first, and without `publish` what the block wrote.
    """
    number = newest_number(milvus, names) + 1
    collect(milvus, names, live)
    merges = base is not None and needs_merge(base)
    before = base.vectors if base else empty_directory(dimension)
    means = None
    if base is not None and not merges:
        means = {name: each.mean for name, each in base.statistics.items()}
    with ExitStack() as stack:
        folder = Path(stack.enter_context(TemporaryDirectory(prefix="blog-index-")))
        files = GenerationFiles(folder)
        connection = stack.enter_context(closing(_fill_catalog(files, base, copies_texts=merges)))
        texts = base.texts() if base else None
        catalog = CatalogWriter(connection, files, is_new=True, texts=texts)
        find_posts = partial(_find_posts, catalog)
        vectors = MilvusVectorWriter(
            milvus, names.vectors(number), before, find_posts, merge=merges
        )
        spool = stack.enter_context(closing(TermSpool(means)))
        generation = MilvusGenerationWriter(
            milvus, names, lock, number, live, base, merges, connection, files, catalog, vectors,
            spool,
        )  # fmt: skip
        try:
            yield generation
        finally:
            with suppress(IndexProblem):
                if milvus.resolve(names.index) != names.posts(number):
                    drop_all(milvus, names, lambda each: each == number)


def _fill_catalog(
    files: GenerationFiles, base: StoredGeneration | None, *, copies_texts: bool
) -> sqlite3.Connection:
    """Make the catalog of a generation with the posts of `base`, and open it."""
    path = files.catalog.resolve().as_uri()
    with ExitStack() as opened:
        connection = opened.enter_context(
            closing(sqlite3.connect(path, uri=True, check_same_thread=False))
        )
        prepare_files(connection, files.texts.resolve().as_uri(), is_new=True)
        if base is not None:
            base.fill(connection, base.record.segments)
            if copies_texts:
                _copy_texts(base, connection)
        opened.pop_all()
    return connection


def _find_posts(catalog: CatalogWriter, chunks: Ids) -> Ids:
    """Return the post of each chunk; all are in the catalog."""
    query = (
        "SELECT chunk_id, post_id FROM chunks WHERE chunk_id IN (SELECT value FROM json_each(?))"
    )
    wanted = json.dumps(np.unique(chunks).tolist())
    posts = dict(catalog.catalog.rows(query, [wanted]))
    return np.asarray([posts[chunk] for chunk in chunks.tolist()], dtype=np.int64)


def needs_merge(base: StoredGeneration) -> bool:
    """Whether a generation's rows lie in too many places, or too many of them no longer count."""
    too_many = len(base.record.segments) >= MOST_SEGMENTS
    return too_many or base.manifest.superseded > DEAD_SHARE * base.manifest.chunks


def collect(milvus: Milvus, names: CollectionNames, live: StoredGeneration | None) -> None:
    """Drop what neither the live generation uses nor one that may still be read.

    Those are old generations, and what a killed ingest left.
    """
    kept: set[int] = set()
    if live is not None:
        kept = set(live.record.generations)
        for each in superseded_lately(live.record, time.time()):
            kept.update(each.generations)
    drop_all(milvus, names, lambda number: number not in kept)


def superseded_lately(record: Record, now: float) -> tuple[Superseded, ...]:
    """Return the generations whose rows are kept: those of the last GRACE, and the last one."""
    last = record.superseded[-1:]
    return (*(each for each in record.superseded[:-1] if now - each.at < GRACE), *last)


def _copy_texts(base: StoredGeneration, connection: sqlite3.Connection) -> None:
    """Copy the texts of all chunks from the server into the catalog."""
    for segment in base.record.segments:
        if segment.chunks:
            name = base.names.chunks(segment.generation)
            rows = base.milvus.iterate(name, "", [CHUNK, TEXT, PLAIN], 200)
            connection.executemany(
                "INSERT INTO shared.texts SELECT ?, ?, ? WHERE ? IN (SELECT chunk_id FROM "
                "chunks) AND ? NOT IN (SELECT chunk_id FROM main.texts)",
                ((row[CHUNK], row[TEXT], row[PLAIN], row[CHUNK], row[CHUNK]) for row in rows),
            )
    connection.commit()
