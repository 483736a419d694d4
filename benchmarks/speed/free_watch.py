"""`python -m benchmarks.speed.free_watch INDEX DIMENSION CONTENT`: as `free_server`, watching.

The ingests that it starts have a fixed embedder.
"""

from __future__ import annotations

import sys
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from server import reingest
from server.settings import Settings
from server.stdio import serve_stdio

if TYPE_CHECKING:
    from index.embedder.base import Embedder, EmbedderIdentity


def main() -> int:
    """Serve; the exit status."""
    from benchmarks.speed.free_embedder import FreeEmbedder
    from index.embedder import serving

    index, dimension, content = sys.argv[1:]

    def free(identity: EmbedderIdentity, host: str | None) -> Embedder:
        del identity, host
        return FreeEmbedder(int(dimension))

    serving.serving_embedder = free
    program = ("benchmarks.speed.free_ingest", dimension, "0")
    vars(reingest)["Reingest"] = partial(
        reingest.Reingest, program=program, waiting=(*program, "standby")
    )
    return serve_stdio(Settings(Path(index), "", watch=Path(content)))


if __name__ == "__main__":
    sys.exit(main())
