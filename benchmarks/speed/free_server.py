"""`python -m benchmarks.speed.free_server INDEX DIMENSION`: the server with a free embedder.

All else is the server's own, over stdin and stdout.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

from server.settings import Settings
from server.stdio import serve_stdio

if TYPE_CHECKING:
    from index.embedder.base import Embedder, EmbedderIdentity


def main() -> int:
    """Serve; the exit status."""
    from benchmarks.speed.free_embedder import FreeEmbedder
    from index.embedder import serving

    index, dimension = sys.argv[1:]

    def free(identity: EmbedderIdentity, host: str | None) -> Embedder:
        del identity, host
        return FreeEmbedder(int(dimension))

    serving.serving_embedder = free
    return serve_stdio(Settings(Path(index), ""))


if __name__ == "__main__":
    sys.exit(main())
