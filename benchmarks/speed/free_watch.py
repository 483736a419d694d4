"""`python -m benchmarks.speed.free_watch INDEX DIMENSION CONTENT`: as `free_server`, watching.

The ingests that it starts have a fixed embedder.
"""

from __future__ import annotations

import sys
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from blog_search_mcp.server.settings import Settings
from blog_search_mcp.server.stdio.transport import serve_stdio
from blog_search_mcp.server.watch import reingest

if TYPE_CHECKING:
    from blog_search_mcp.index.embedders.base import Embedder
    from blog_search_mcp.index.types import EmbedderIdentity


def main() -> int:
    """Serve; the exit status."""
    from benchmarks.speed.free_embedder import FreeEmbedder
    from blog_search_mcp.index.embedders import registry as serving

    index, dimension, content = sys.argv[1:]

    def free(identity: EmbedderIdentity, url: str) -> Embedder:
        del identity, url
        return FreeEmbedder(int(dimension))

    serving.serve_embedder = free
    program = ("benchmarks.speed.free_ingest", dimension, "0")
    vars(reingest)["run_ingest"] = partial(reingest.run_ingest, program=program)
    return serve_stdio(Settings(Path(index), "", watch=Path(content)))


if __name__ == "__main__":
    sys.exit(main())
