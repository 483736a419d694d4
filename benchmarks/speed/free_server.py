"""`python -m benchmarks.speed.free_server INDEX DIMENSION TABLE [CONTENT]`: embedding is free.

All else is the server's own, over stdin and stdout. TABLE is where the embedder's words are kept,
or empty; with the DIMENSION `e5` queries are embedded by multilingual-e5-small. With CONTENT it
watches, and the ingests that it starts have a fixed embedder.
"""

from __future__ import annotations

import gc
import sys
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from blog_search_mcp.server.settings import Settings

if TYPE_CHECKING:
    from blog_search_mcp.index.embedders.base import Embedder
    from blog_search_mcp.index.types import EmbedderIdentity


def main() -> int:
    """Serve; the exit status."""
    from blog_search_mcp.index.embedders import registry as serving

    index, dimension, table, *content = sys.argv[1:]

    def free(identity: EmbedderIdentity, url: str) -> Embedder:
        from benchmarks.speed.free_embedder import FreeEmbedder

        del identity, url
        if dimension == "e5":
            from blog_search_mcp.index.embedders.packaged import E5, OnnxEmbedder

            return OnnxEmbedder(E5)
        return FreeEmbedder(int(dimension), Path(table) if table else None)

    serving.serve_embedder = free
    settings = Settings(Path(index), "")
    if content:
        from blog_search_mcp.server.watch import reingest

        program = ("benchmarks.speed.free_ingest", dimension, "0")
        vars(reingest)["run_ingest"] = partial(reingest.run_ingest, program=program)
        settings = replace(settings, watch=Path(content[0]))
    gc.disable()  # as the server's own command does
    from blog_search_mcp.server.stdio.transport import serve_stdio

    return serve_stdio(settings)


if __name__ == "__main__":
    sys.exit(main())
