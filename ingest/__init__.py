"""From a folder of posts to the next generation of its index: plan, read, embed, write, commit.

It knows Markdown and the file system, and never ranks. It imports `index` and never `server`.
"""

GC_THRESHOLD = 20_000
"""New objects between two garbage collections, here and in worker processes. A page is tens of
thousands of tokens that live until it is chunked; at Python's default of 700 collections take a
sixth of the time."""

STOPPED = "Stopped; the index is whole and finished embeddings are kept. Run again to go on."
"""What an ingest says that a signal ends."""
