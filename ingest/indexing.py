"""Posts into the next generation: outcomes in, as they come, a manifest out.

Reading goes on in other processes, embedding in a thread, and writing here, side by side; the
lexical index, which needs every post and no vector, is written while the last texts are embedded.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from index.builder import Building, building
from index.cache import open_cache
from index.start import Start
from ingest.chunk_vectors import ChunkVectors, chunk_vectors
from ingest.embed import CachedEmbedder
from ingest.report import Embedding

if TYPE_CHECKING:
    from index.layout import Layout
    from index.manifest import Manifest
    from ingest.job import Job
    from ingest.outcome import Outcome
    from ingest.progress import Progress
    from ingest.run import Run
    from ingest.workers import Workers


def index_posts(
    job: Job, layout: Layout, run: Run, helpers: Workers, progress: Progress
) -> tuple[Manifest, Embedding]:
    """The generation that was written, and what was embedded for it."""
    look, embedder = run.look, run.look.choice.embedder
    progress.start("indexing", len(look.scan.unread))
    start = Start(look.base, embedder, look.recipe, look.began)
    with building(layout, start) as made, open_cache(layout.cache, embedder.identity) as cache:
        cached = CachedEmbedder(embedder, cache)
        with chunk_vectors(made, cached) as vectors:
            for outcome in run.outcomes:
                run.tally.count(outcome)
                progress.advance(_put(outcome, made, vectors))
            vectors.ask()
            run.tally.refuse_none(job)
            made.remove(run.tally.removed)
            made.write_words(helpers.map)
            for done in vectors.finish():
                progress.advance(done)
        progress.start("writing", 1)
        manifest = made.finish()
        progress.advance(1)
    return manifest, Embedding(cached.asked, vectors.without, cached.warnings)


def _put(outcome: Outcome, made: Building, vectors: ChunkVectors) -> int:
    """Put what is new of a file in; how many files are done by now."""
    if outcome.new is None:
        return 1
    return vectors.put(outcome.new, made.add(outcome.new), outcome.windows)
