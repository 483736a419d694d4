"""Our two programs with an embedder that costs nothing: `python -m benchmarks.speed.free …`.

`ingest DIMENSION …` is `python -m ingest` with fixed vectors; what follows is its own.
`server INDEX DIMENSION TABLE [CONTENT]` serves over stdin and stdout. TABLE is where the embedder's
words are kept, or empty; with the DIMENSION `e5` queries are embedded by multilingual-e5-small.
With CONTENT it watches, and the ingests that it starts have fixed vectors too.

Nothing is imported here that the programs themselves do not import at their start.
"""

from __future__ import annotations

import gc
import sys
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from blog_search_mcp.index.embedders.base import Embedder
    from blog_search_mcp.index.embedders.registry import Choice
    from blog_search_mcp.index.types import EmbedderIdentity


def ingest() -> None:
    """Ingest, and end the process."""
    from benchmarks.speed.free_embedder import FixedEmbedder
    from blog_search_mcp.index.embedders import registry
    from blog_search_mcp.ingest.__main__ import main

    dimension = int(sys.argv.pop(1))

    def fixed(*_asked: object, **_prefixes: object) -> Choice:
        return registry.Choice(FixedEmbedder(dimension), "as the benchmark wants")

    vars(registry)["choose_embedder"] = fixed
    main()


def serve(index: str, dimension: str, table: str, *content: str) -> int:
    """Serve; the exit status."""
    from blog_search_mcp.index.embedders import registry
    from blog_search_mcp.server.settings import Settings

    def free(identity: EmbedderIdentity, url: str) -> Embedder:
        del identity, url
        from benchmarks.speed.free_embedder import FreeEmbedder

        if dimension == "e5":
            from blog_search_mcp.index.embedders.packaged import E5, OnnxEmbedder

            return OnnxEmbedder(E5)
        return FreeEmbedder(int(dimension), Path(table) if table else None)

    registry.serve_embedder = free
    watch = Path(content[0]) if content else None
    if watch:
        from functools import partial

        from blog_search_mcp.server.watch import reingest

        program = ("benchmarks.speed.free", "ingest", dimension)
        vars(reingest)["run_ingest"] = partial(reingest.run_ingest, program=program)
    gc.disable()  # as the server's own command does
    from blog_search_mcp.server.stdio.transport import serve_stdio

    return serve_stdio(Settings(Path(index), "", watch=watch))


if __name__ == "__main__":
    if sys.argv.pop(1) == "ingest":
        ingest()
    sys.exit(serve(*sys.argv[1:]))
