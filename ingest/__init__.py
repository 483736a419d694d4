"""Turn a folder of posts into the next generation of its index: plan, read, embed, write, commit.

This room knows Markdown and the file system and never ranks. It imports `index`, never `server`.
"""

GC_THRESHOLD = 20_000
"""New objects between two garbage collections, here and in worker processes. A page is tens of
thousands of tokens that live until it is chunked; at Python's default of 700 collections take a
sixth of the time."""
STOPPED = "Stopped; the index is whole and finished embeddings are kept. Run again to go on."
"""Message of an ingest that a signal ends."""
