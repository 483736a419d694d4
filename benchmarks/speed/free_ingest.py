"""`python -m benchmarks.speed.free_ingest DIMENSION PACE …`: an ingest with a fixed embedder.

What follows, and all else, is `python -m ingest`'s own. PACE is in seconds a text.
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, NoReturn

if TYPE_CHECKING:
    from blog_search_mcp.index.embedders.registry import Choice


def main() -> NoReturn:
    """Ingest, and end the process."""
    from benchmarks.speed.free_embedder import FixedEmbedder
    from blog_search_mcp.index.embedders.registry import Choice
    from blog_search_mcp.ingest import __main__
    from blog_search_mcp.ingest import cli as command

    dimension, pace = int(sys.argv[1]), float(sys.argv[2])
    del sys.argv[1:3]

    def fixed(*_asked: object, **_prefixes: object) -> Choice:
        return Choice(FixedEmbedder(dimension, pace), "as the benchmark wants")

    vars(command)["choose_embedder"] = fixed
    __main__.main_and_exit()


if __name__ == "__main__":
    main()
