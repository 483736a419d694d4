"""Turn a folder of posts into the next generation of its index: plan, prepare, embed, write.

This package knows Markdown and the file system. It does not search, and never imports `server`.
"""

GC_THRESHOLD = 20_000
"""Number of new objects that starts a garbage collection, in the command and its worker processes.
A page has tens of thousands of tokens until it is chunked. With 700, the default of Python 3.11, a
sixth of the time goes to collections."""
STOPPED = "Stopped; the index is whole and finished embeddings are kept. Run again to go on."
"""Message when a signal ends an ingest."""
