"""The next generation: the live one, a plan and new vectors in, a complete generation on disk out.

Nothing here is visible to a reader until the last line switches CURRENT; a run
that dies before it leaves a folder which the next run throws away.
"""

from __future__ import annotations

import shutil
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from index import lexical_writer, vectors, worked_out
from index.calibration import calibrate, is_stale, sample
from index.catalog_writer import open_writer
from index.errors import IndexBroken, IndexMissing
from index.find import find_by_both
from index.generations import (
    collect,
    live_number,
    newest_number,
    seal_files,
    switch,
)
from index.layout import GenerationFiles, Layout
from index.legs import open_legs
from index.manifest import IndexedPost, Manifest
from index.seals import verify
from index.summary import summarised
from index.unwritable import unwritable

if TYPE_CHECKING:
    from index.confidence import Calibration
    from index.embedder.base import Embedder, Vectors
    from index.types import Chunk, Mention, Post
    from index.vectors import Ids

SAMPLE_CHARACTERS = 100_000
"""Of the blog's text, by which its script is told."""

SUPERSEDED_SHARE = 0.2
"""tantivy counts deleted chunks in its statistics until their segment is merged; beyond this
share of the index the lexical index is written whole instead of incrementally."""


@dataclass(frozen=True, slots=True)
class NewPost:
    """A post to put in, with what the manifest will remember of it."""

    post: Post
    chunks: tuple[Chunk, ...]
    readable: tuple[float, ...]
    """For each chunk how well the embedder reads it, in [0, 1]."""
    mentions: tuple[Mention, ...]
    """What it says of other posts."""
    indexed: IndexedPost


@dataclass(frozen=True, slots=True)
class NewVectors:
    """Vectors of new chunks."""

    rows: Ids
    """Which of the new chunks, counted through all new posts in order, have a vector."""
    vectors: Vectors
    """Float32 unit rows of shape (len(rows), dimension)."""


@dataclass(frozen=True, slots=True)
class NextGeneration:
    """Everything that decides what the next generation holds."""

    base: Manifest | None
    """The live generation to start from; `None` starts from nothing."""
    removed: Sequence[str]
    """Sources to take out: deleted posts, and changed ones before they come in again."""
    added: Sequence[NewPost]
    vectors: NewVectors
    embedder: Embedder
    recipe: dict[str, int | bool | str]
    created: str
    """When the posts were looked at, as in the manifest."""


def build(layout: Layout, following: NextGeneration) -> Manifest:
    """Write the next generation and make it the live one. The caller holds the writer lock.

    Raises IndexBroken if the generation to start from is damaged, IndexProblem if the
    next one cannot be written, EmbedderError if confidence cannot be calibrated.
    """
    if following.base is not None:
        verify(layout.generation(following.base.generation), following.base)
    try:
        return _build(layout, following)
    except OSError as error:
        raise unwritable(error) from error


def _build(layout: Layout, following: NextGeneration) -> Manifest:
    live = _live_number(layout)
    number = newest_number(layout) + 1
    collect(layout, live)
    with _live_or_gone(layout, number) as files:
        superseded = _write(files, layout, following)
        manifest = Manifest(
            generation=number,
            created=following.created,
            embedder=following.embedder.identity,
            recipe=following.recipe,
            posts=_posts(following),
            calibration=_calibrated(files, following),
            superseded=superseded,
            files=seal_files(files),
        )
        switch(layout, manifest)
    collect(layout, number, keep=live)
    return manifest


@contextmanager
def _live_or_gone(layout: Layout, number: int) -> Iterator[GenerationFiles]:
    """A new generation's files; if it does not become the live one, their room is given back."""
    files = layout.generation(number)
    try:
        files.folder.mkdir(parents=True)
        yield files
    finally:
        if _live_number(layout) != number:
            shutil.rmtree(files.folder, ignore_errors=True)


def _calibrated(files: GenerationFiles, following: NextGeneration) -> Calibration | None:
    """The base's calibration while the blog is much the same, else a new one."""
    try:
        legs = open_legs(files, following.embedder)
    except IndexBroken as error:  # just written, and not as it was meant
        raise unwritable(error) from error
    try:
        chunks = legs.catalog.count()
        known = following.base.calibration if following.base else None
        if known is not None and not is_stale(known, chunks):
            return known
        titles = [post.title for post in legs.catalog.every_post().values()]
        asked = sample(legs.catalog.headings(), titles)
        blog = legs.catalog.sample(SAMPLE_CHARACTERS)
        return calibrate(asked, lambda text: find_by_both(legs, text), blog, chunks)
    finally:
        legs.close()


def _write(files: GenerationFiles, layout: Layout, following: NextGeneration) -> int:
    """Write all files but the manifest; how many chunks the lexical index has superseded."""
    base = following.base
    before = layout.generation(base.generation) if base else None
    with open_writer(files.catalog, before.catalog if before else None) as catalog:
        gone = catalog.remove(following.removed)
        new = [
            catalog.add(entry.post, entry.chunks, entry.readable, entry.mentions)
            for entry in following.added
        ]
        relinked = set(catalog.follow_links()) - {post.post_id for post in new}
        again = [*gone.chunks, *catalog.chunk_ids(relinked)]
        superseded = (base.superseded if base else 0) + len(again)
        if before is None or base is None or superseded > SUPERSEDED_SHARE * base.chunks:
            superseded = 0
            lexical_writer.write(files.lexical, None, (), catalog.lexical_posts())
        else:
            fresh = catalog.lexical_posts({*relinked, *(post.post_id for post in new)})
            lexical_writer.write(files.lexical, before.lexical, [*gone.posts, *relinked], fresh)
        summary = summarised(catalog.posts())
    files.summary.write_text(summary.model_dump_json(), encoding="utf-8")
    ids = [chunk_id for post in new for chunk_id in post.chunk_ids]
    _write_vectors(files, before, gone.chunks, np.asarray(ids, dtype=np.int64), following)
    worked_out.write(files, before)
    return superseded


def _write_vectors(
    files: GenerationFiles,
    before: GenerationFiles | None,
    gone: Sequence[int],
    new: Ids,
    following: NextGeneration,
) -> None:
    ids, rows = new[following.vectors.rows], following.vectors.vectors
    if before is not None:
        earlier = vectors.VectorSearcher(before.vectors)
        kept = ~np.isin(earlier.ids, gone)
        ids = np.concatenate([earlier.ids[kept], ids])
        rows = np.concatenate([earlier.rows[kept], rows])
    vectors.write(files.vectors, ids, rows)


def _posts(following: NextGeneration) -> dict[str, IndexedPost]:
    removed = set(following.removed)
    kept = following.base.posts if following.base else {}
    posts = {source: post for source, post in kept.items() if source not in removed}
    posts |= {entry.post.source: entry.indexed for entry in following.added}
    return dict(sorted(posts.items()))


def _live_number(layout: Layout) -> int | None:
    try:
        return live_number(layout)
    except (IndexMissing, IndexBroken):
        return None
