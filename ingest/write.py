"""Write the next generation of an index: the live one with posts removed and added.

Chunks and blocks of vectors are written as they come, so that memory never holds all of them.
No reader sees the generation before `commit` makes it live. An uncommitted generation is deleted at
once, or after a crash by the next ingest.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from blog_search_mcp.index.store.catalog import open_catalog, translate_disk_errors
from blog_search_mcp.index.store.catalog_writer import CatalogWriter, open_writer
from blog_search_mcp.index.store.disk import GenerationFiles
from blog_search_mcp.index.store.manifest import BuildFingerprint, Manifest, PendingPost
from blog_search_mcp.index.store.statistics import OVERVIEW_JSON, About, count_posts
from blog_search_mcp.index.types import EmbedderIdentity
from blog_search_mcp.index.vectors.segment_writer import VectorWriter
from blog_search_mcp.index.words.documents import terms_of
from blog_search_mcp.index.words.writer import WordsWriter
from blog_search_mcp.ingest.relations.link_targets import LinkTargets
from blog_search_mcp.ingest.relations.replacements import find_replacements
from blog_search_mcp.ingest.relations.series import find_series
from blog_search_mcp.ingest.relations.translations import find_translations

if TYPE_CHECKING:
    from blog_search_mcp.index.folder import FolderStore

SUPERSEDED_SHARE = 0.2
"""Maximum chunks deleted since the lexical index was last rewritten, as a share of the live chunks.
With more it is rewritten: tantivy counts deleted chunks until their segment is merged."""


@dataclass
class IndexWriter:
    """Writer of an unfinished generation; make it with `open_index_writer`.

    Call `add` and `remove` for posts, then `write_lexical` once and `commit` once. Vectors may be
    added (`vectors.add`), and waiting windows recorded (`record`), at any time before `commit`.
    """

    _store: FolderStore
    _base: Manifest | None
    _embedder: EmbedderIdentity
    files: GenerationFiles
    _before: GenerationFiles | None
    """Files of the base generation."""
    _catalog: CatalogWriter
    _words: WordsWriter
    vectors: VectorWriter

    def __post_init__(self) -> None:
        self._posts = dict(self._base.posts) if self._base else {}
        self._added = 0
        self._removed_posts: list[int] = []
        self._removed_chunks: list[int] = []
        self._superseded = 0
        self._changed = set[str]()
        self.contradiction = ""
        """Sentences on links that contradict posts' URLs; `""` if none or if most posts are old."""

    def remove(self, sources: Iterable[str]) -> None:
        """Remove the posts with these sources, and ignore unknown sources."""
        for source in filter(self._posts.__contains__, sources):
            del self._posts[source]
            self._changed.add(source)
            post_id, chunk_ids = self._catalog.remove(source)
            self._removed_posts.append(post_id)
            self._removed_chunks += chunk_ids

    def add(self, pending: PendingPost) -> tuple[int, ...]:
        """Add or replace a post; return the ids of its chunks, greater than all earlier ids."""
        source = pending.post.source
        self.remove([source])
        post_id, ids = self._catalog.add(pending)
        self._posts[source] = pending.indexed
        self._changed.add(source)
        self._added += 1
        self._words.add(post_id, ids, pending.terms)
        return ids

    def record(self, source: str, waiting: int) -> None:
        """Record the number of a post's windows that wait for their vectors."""
        self._posts[source] = replace(self._posts[source], waiting=waiting)

    def backlog(self) -> dict[str, int]:
        """Return the number of waiting windows by source, newest post first, undated ones last."""
        waiting = {source: post.waiting for source, post in self._posts.items() if post.waiting}
        names = self._catalog.titles_by_source()
        return {source: waiting[source] for source, _ in names if source in waiting}

    def read(self, sources: Iterable[str]) -> Iterator[tuple[PendingPost, tuple[int, ...]]]:
        """Read posts back from the catalog, without links and terms, each with its chunks' ids."""
        for source in sources:
            post_id, post = self._catalog.require_post(source)
            chunks = self._catalog.chunks_of(post_id)
            yield PendingPost(post, tuple(chunks.values()), self._posts[source]), tuple(chunks)

    def write_lexical(self) -> None:
        """Commit the lexical index and write the relations of posts. Then no post may change."""
        base, removed = self._base, self._removed_posts
        superseded = (base.superseded if base else 0) + len(self._removed_chunks)
        if base and superseded > SUPERSEDED_SHARE * base.chunks:
            self._words.clear()
            superseded, removed = 0, []
            for post_id, post in self._catalog.every_post().items():
                chunks = self._catalog.chunks_of(post_id)
                self._words.add(post_id, [*chunks], terms_of(post, [*chunks.values()]))
        self._superseded = superseded
        self._words.commit(removed)
        self._write_relations()

    def commit(
        self, created: str, build: BuildFingerprint, about: About = ("", "", False)
    ) -> Manifest:
        """Commit catalog and vectors, write the manifest and make this generation the live one.

        `created` is the time of the walk: UTC, ISO 8601 to the second. `about` describes the blog.
        """
        self._catalog.commit()
        self.vectors.commit(self._removed_chunks)
        manifest = Manifest(
            generation=int(self.files.folder.name),
            created=created,
            embedder=self._embedder,
            build=build,
            posts=dict(sorted(self._posts.items())),
            superseded=self._superseded,
            files={},
        )
        overview = count_posts([*self._catalog.every_post().values()], manifest, about)
        self.files.overview.write_bytes(OVERVIEW_JSON.dump_json(overview))
        return self._store.publish(manifest, self._base.files if self._base else {})

    def _write_relations(self) -> None:
        """Write the relations if metadata or links changed, or if `add` got most of the posts."""
        are_most_new = 2 * self._added > len(self._posts)
        if self._before is not None and not are_most_new:
            before, now = open_catalog(self._before).post_with_links, self._catalog.post_with_links
            if all(before(source) == now(source) for source in self._changed):
                return
        posts = self._catalog.every_post()
        addresses = LinkTargets(posts, self._catalog.links())
        newer = find_replacements(posts, addresses.resolved)
        pairs = {(current, "newer", post) for post, current in newer.items()}
        for post, links in addresses.resolved.items():
            pairs |= {(to.post, "", post) for _, to in links if to and to.post != post}
        linked = sorted((posts[to].source, kind, posts[post].source) for to, kind, post in pairs)
        self._catalog.write_relations(find_translations(posts), find_series(posts), linked)
        contradiction = are_most_new and addresses.contradiction
        if contradiction:
            self.contradiction = (
                f"{contradiction}. Say with --permalink how the site makes its "
                "addresses, or leave --base-url out to have none."
            )


@contextmanager
def open_index_writer(
    store: FolderStore, base: Manifest | None, embedder: EmbedderIdentity
) -> Iterator[IndexWriter]:
    """Begin a generation on top of `base`. If the block does not commit it, its files are deleted.

    `base` is the live generation, or `None` for a rebuild. The caller holds the writer lock. Raises
    IndexBroken if `base` is damaged, and IndexProblem for disk errors.
    """
    before = store.layout.generation(base.generation) if base else None
    with (
        translate_disk_errors(),
        store.begin(base, embedder.dimension) as files,
        open_writer(files, before) as catalog,
        closing(WordsWriter(files.lexical, before.lexical if before else None)) as words,
    ):
        vectors = store.write_vectors(files, before, embedder.dimension)
        yield IndexWriter(store, base, embedder, files, before, catalog, words, vectors)
