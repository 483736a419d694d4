"""The next generation: the live one and what changes in it in, a complete generation on disk out.

Posts go in one by one and vectors in blocks, each written as it comes, so that an ingest holds
little of a blog at once. Nothing here is visible to a reader until `finish` switches CURRENT; a
run that dies before it leaves a folder which the next run throws away.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, TypeAlias

from index import lexical_writer, worked_out
from index.calibrated import calibrated
from index.catalog_writer import CatalogWriter, open_writer
from index.generations import next_folder, seal_files, switch
from index.layout import Layout
from index.lexical_documents import PostTerms
from index.manifest import Manifest
from index.new_post import NewPost
from index.post_terms import post_terms
from index.summary import summarised
from index.untouched import verifying
from index.unwritable import refusals_told
from index.vectors_writer import VectorFile, new_vectors

if TYPE_CHECKING:
    from index.confidence import Calibration
    from index.embedder.base import Embedder, Vectors
    from index.vectors import Ids

SUPERSEDED_SHARE = 0.2
"""tantivy counts deleted chunks in its statistics until their segment is merged; beyond this
share of the index the lexical index is written whole instead of incrementally."""

Spread: TypeAlias = Callable[[Callable[[int], PostTerms], Sequence[int]], Iterable[PostTerms]]
"""How the terms of many posts are found: `map`, or one that has help."""


@dataclass(frozen=True, slots=True)
class Start:
    """What the next generation begins with."""

    base: Manifest | None
    """The live generation to start from; `None` starts from nothing."""
    embedder: Embedder
    recipe: dict[str, int | bool | str]
    created: str
    """When the posts were looked at: UTC, ISO 8601 to the second."""


class Building:
    """A generation that is not complete yet; use `building`. Its calls raise IndexProblem."""

    def __init__(
        self,
        layout: Layout,
        number: int,
        start: Start,
        catalog: CatalogWriter,
        rows: VectorFile,
        base_is_whole: Callable[[], None],
    ) -> None:
        self._files = layout.generation(number)
        self._layout = layout
        self._number = number
        self._start = start
        self._before = layout.generation(start.base.generation) if start.base else None
        self._catalog = catalog
        self._rows = rows
        self._base_is_whole = base_is_whole
        self._posts = dict(start.base.posts) if start.base else {}
        self._gone_posts: list[int] = []
        self._gone_chunks: list[int] = []
        self._new: list[int] = []

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

    def finish(self, spread: Spread) -> Manifest:
        """Write what depends on all posts, and make the generation the live one.

        Raises EmbedderError if confidence cannot be calibrated.
        """
        with refusals_told():
            superseded = self._write_lexical(spread)
            summary = summarised(self._catalog.posts())
            self._files.summary.write_text(summary.model_dump_json(), encoding="utf-8")
            self._catalog.commit()
            self._write_vectors()
            worked_out.write(self._files, self._before)
            manifest = Manifest(
                generation=self._number,
                created=self._start.created,
                embedder=self._start.embedder.identity,
                recipe=self._start.recipe,
                posts=dict(sorted(self._posts.items())),
                calibration=self._calibration(),
                superseded=superseded,
                files=seal_files(self._files),
            )
            self._base_is_whole()
            switch(self._layout, manifest)
        return manifest

    def _calibration(self) -> Calibration | None:
        chunks = sum(post.chunks for post in self._posts.values())
        return calibrated(self._files, self._start.embedder, self._start.base, chunks)

    def _write_lexical(self, spread: Spread) -> int:
        """Write the lexical index; how many of its chunks are superseded."""
        base, catalog = self._start.base, self._catalog
        relinked = set(catalog.follow_links()) - set(self._new)
        again = [*self._gone_chunks, *catalog.chunk_ids(relinked)]
        superseded = (base.superseded if base else 0) + len(again)
        catalog.commit()
        found = partial(post_terms, self._files.catalog)
        if base is None or self._before is None or superseded > SUPERSEDED_SHARE * base.chunks:
            lexical_writer.write(self._files.lexical, None, (), spread(found, catalog.post_ids()))
            return 0
        fresh = sorted({*relinked, *self._new})
        gone = [*self._gone_posts, *relinked]
        before = self._before.lexical
        lexical_writer.write(self._files.lexical, before, gone, spread(found, fresh))
        return superseded

    def _write_vectors(self) -> None:
        """Write the kept vectors before the new ones, whose ids are greater."""
        self._rows.finish()
        if self._before is None:
            return
        dimension = self._start.embedder.identity.dimension
        with new_vectors(self._files.vectors, dimension) as rows:
            rows.append_from(self._before.vectors, self._gone_chunks)
            rows.append_from(self._files.new_vectors, ())
            rows.finish()
        self._files.new_vectors.unlink()


@contextmanager
def building(layout: Layout, start: Start) -> Iterator[Building]:
    """The next generation; unless it was finished when the block ends, nothing is left of it.

    The caller holds the writer lock. Raises IndexBroken if the generation to start from is
    damaged, IndexProblem if the next one cannot be written.
    """
    before = layout.generation(start.base.generation) if start.base else None
    dimension = start.embedder.identity.dimension
    with ExitStack() as opened:
        base_is_whole = opened.enter_context(verifying(before, start.base))
        with refusals_told():
            number = opened.enter_context(next_folder(layout))
            files = layout.generation(number)
            catalog = opened.enter_context(
                open_writer(files.catalog, before.catalog if before else None)
            )
            place = files.vectors if before is None else files.new_vectors
            rows = opened.enter_context(new_vectors(place, dimension))
        yield Building(layout, number, start, catalog, rows, base_is_whole)
