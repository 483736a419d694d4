"""`python -m benchmarks.speed.free_server INDEX DIMENSION TABLE`: the server with a free embedder.

All else is the server's own, over stdin and stdout.
"""

from __future__ import annotations

import gc
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from blog_search_mcp.server.settings import Settings

if TYPE_CHECKING:
    from blog_search_mcp.index.embedders.base import Embedder
    from blog_search_mcp.index.types import EmbedderIdentity


def main() -> int:
    """Serve; the exit status."""
    from blog_search_mcp.index.embedders import registry as serving

    index, dimension, table = sys.argv[1:]

    def free(identity: EmbedderIdentity, url: str) -> Embedder:
        from benchmarks.speed.free_embedder import FreeEmbedder

        del identity, url
        return FreeEmbedder(int(dimension), Path(table))

    serving.serve_embedder = free
    gc.disable()  # as the server's own command does
    from blog_search_mcp.server.stdio.transport import serve_stdio

    return serve_stdio(Settings(Path(index), ""))


if __name__ == "__main__":
    sys.exit(main())
