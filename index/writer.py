"""The next generation: the live one and what changes in it in, a complete generation on disk out.

Posts go in one by one and vectors in blocks, each written as it comes, so that an ingest holds
little of a blog at once. Nothing here is visible to a reader until `finish` switches CURRENT; a
run that dies before it leaves a folder which the next run throws away.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, TypeAlias

from blog_search_mcp.index.lexical import writer as lexical_writer
from blog_search_mcp.index.lexical.documents import PostTerms, post_terms
from blog_search_mcp.index.search.calibration import calibrated
from blog_search_mcp.index.store.catalog_writer import CatalogWriter, open_writer
from blog_search_mcp.index.store.checksums import verify_unless_untouched
from blog_search_mcp.index.store.disk import refusals_told
from blog_search_mcp.index.store.generations import next_folder, seal_files, switch
from blog_search_mcp.index.store.hard_links import WRITTEN_ANEW, Taken, taking_over
from blog_search_mcp.index.store.layout import Layout
from blog_search_mcp.index.store.manifest import Manifest, NewPost
from blog_search_mcp.index.store.statistics import summarised
from blog_search_mcp.index.vectors import precompute as worked_out
from blog_search_mcp.index.vectors.writer import (
    VectorFile,
    gone_after,
    new_vectors,
    write_anew,
    write_newer,
    write_none_newer,
)

if TYPE_CHECKING:
    from blog_search_mcp.index.embedders.base import Embedder
    from blog_search_mcp.index.types import Calibration, Ids, Post, Vectors


@dataclass(frozen=True, slots=True)
class Start:
    """All of it, before a post is read."""

    base: Manifest | None
    """The live generation to start from; `None` starts from nothing."""
    embedder: Embedder
    recipe: dict[str, int | bool | str]
    created: str
    """When the posts were looked at: UTC, ISO 8601 to the second."""


SUPERSEDED_SHARE = 0.2
"""tantivy counts deleted chunks in its statistics until their segment is merged; beyond this
share of the index the lexical index is written whole instead of incrementally."""

Spread: TypeAlias = Callable[[Callable[[int], PostTerms], Sequence[int]], Iterable[PostTerms]]
"""How the terms of many posts are found: `map`, or one that has help."""


class Building:
    """A generation that is not complete yet; use `building`. Its calls raise IndexProblem."""

    def __init__(
        self,
        layout: Layout,
        number: int,
        start: Start,
        catalog: CatalogWriter,
        rows: VectorFile,
        taken: Taken,
    ) -> None:
        self._files = layout.generation(number)
        self._layout = layout
        self._number = number
        self._start = start
        self._before = layout.generation(start.base.generation) if start.base else None
        self._catalog = catalog
        self._rows = rows
        self._taken = taken
        self._posts = dict(start.base.posts) if start.base else {}
        self._gone_posts: list[int] = []
        self._gone_chunks: list[int] = []
        self._new: list[int] = []
        self._superseded = 0

    def remove(self, sources: Iterable[str]) -> None:
        """Take posts out: deleted ones, and changed ones before they come in again."""
        with refusals_told():
            gone = self._catalog.remove(sources)
        for source in gone.sources:
            del self._posts[source]
        self._gone_posts += gone.posts
        self._gone_chunks += gone.chunks

    def add(self, new: NewPost) -> tuple[int, ...]:
        """Put a post in, instead of what it was; the ids of its chunks, greater than any before."""
        source = new.post.source
        if source in self._posts:
            self.remove([source])
        with refusals_told():
            added = self._catalog.add(new.post, new.chunks, new.readable, new.mentions)
        self._posts[source] = new.indexed
        self._new.append(added.post_id)
        return added.chunk_ids

    def add_vectors(self, ids: Ids, rows: Vectors) -> None:
        """Put in float32 unit rows of shape (len(ids), dimension), in the order of chunk ids."""
        with refusals_told():
            self._rows.append(ids, rows)

    def count_unembedded(self, source: str, windows: int) -> None:
        """Note how many windows of a new post have no vector."""
        update = {"unembedded": windows}
        self._posts[source] = self._posts[source].model_copy(update=update)

    def write_words(self, spread: Spread) -> None:
        """Write what depends on all posts and on no vector; no post may come or go after it."""
        with refusals_told():
            posts = self._catalog.posts()
            self._superseded = self._write_lexical(spread, posts)
            summary = summarised(tuple(posts.values()))
            self._files.summary.write_text(summary.model_dump_json(), encoding="utf-8")
            self._catalog.commit()

    def finish(self) -> Manifest:
        """Write what depends on all vectors, and make the generation the live one.

        Raises EmbedderError if confidence cannot be calibrated.
        """
        with refusals_told():
            self._write_shared()
            self._catalog.commit()
            worked_out.write(self._files, self._before, self._gone_chunks)
            manifest = Manifest(
                generation=self._number,
                created=self._start.created,
                embedder=self._start.embedder.identity,
                recipe=self._start.recipe,
                posts=dict(sorted(self._posts.items())),
                calibration=self._calibration(),
                superseded=self._superseded,
                files=seal_files(self._files, self._taken.seals),
            )
            self._taken.is_whole()
            switch(self._layout, manifest)
        return manifest

    def _calibration(self) -> Calibration | None:
        return calibrated(self._files, self._start.embedder, self._start.base, self._chunks())

    def _chunks(self) -> int:
        return sum(post.chunks for post in self._posts.values())

    def _write_lexical(self, spread: Spread, posts: Mapping[int, Post]) -> int:
        """Write the lexical index; how many of its chunks are superseded."""
        base, catalog = self._start.base, self._catalog
        relinked = set(catalog.follow_links(posts)) - set(self._new)
        again = [*self._gone_chunks, *catalog.chunk_ids(relinked)]
        superseded = (base.superseded if base else 0) + len(again)
        catalog.commit()
        found = partial(post_terms, self._files)
        if base is None or self._before is None or superseded > SUPERSEDED_SHARE * base.chunks:
            lexical_writer.write(self._files.lexical, None, (), spread(found, catalog.post_ids()))
            return 0
        fresh = sorted({*relinked, *self._new})
        gone = [*self._gone_posts, *relinked]
        before = self._before.lexical
        lexical_writer.write(self._files.lexical, before, gone, spread(found, fresh))
        return superseded

    def _write_shared(self) -> None:
        """Complete the vectors, and write the shared files anew once they have little in common."""
        self._rows.finish()
        dimension = self._start.embedder.identity.dimension
        if self._before is None:
            write_none_newer(self._files, dimension)
            return
        gone = gone_after(self._before, self._gone_chunks)
        if max(len(gone), self._catalog.newer()) > WRITTEN_ANEW * self._chunks():
            self._taken.verify_shared()
            write_anew(self._files, self._before, dimension, gone)
            self._catalog.share_texts(self._files)
        else:
            write_newer(self._files, self._before, dimension, gone)


@contextmanager
def building(layout: Layout, start: Start) -> Iterator[Building]:
    """The next generation; unless it was finished when the block ends, nothing is left of it.

    The caller holds the writer lock. Raises IndexBroken if the generation to start from is
    damaged, IndexProblem if the next one cannot be written.
    """
    before = layout.generation(start.base.generation) if start.base else None
    dimension = start.embedder.identity.dimension
    with ExitStack() as opened:
        if before is not None and start.base is not None:
            verify_unless_untouched(before, start.base)
        with refusals_told():
            number = opened.enter_context(next_folder(layout))
            files = layout.generation(number)
            taken = opened.enter_context(taking_over(before, files, start.base))
            catalog = opened.enter_context(open_writer(files, before))
            place = files.vectors if before is None else files.new_vectors
            rows = opened.enter_context(new_vectors(place, dimension))
        yield Building(layout, number, start, catalog, rows, taken)
