"""`python -m benchmarks.speed.milvus SERVER`: an index on a Milvus server beside one in a folder.

A made blog is ingested into both with the embedder that costs nothing, one of its posts is edited,
and both are searched. SERVER is an address such as milvus://127.0.0.1:19530.
"""

from __future__ import annotations

import argparse
import os
import statistics
import sys
import tempfile
from functools import partial
from pathlib import Path

from benchmarks.options import cache_folder, count, folder, report_failure, wait_for_milvus
from benchmarks.speed.figure import timed
from benchmarks.speed.free_embedder import FreeEmbedder
from benchmarks.speed.stage import Stage
from blog_search_mcp.index.errors import BlogSearchError
from blog_search_mcp.index.reader import Index
from blog_search_mcp.index.stores import Location, parse_index_address
from blog_search_mcp.index.types import Filters

NAME = "benchmark"
"""Of the index on the server."""


def main() -> int:
    """Measure both; return the exit status."""
    options = _parser().parse_args()
    wait_for_milvus()
    with tempfile.TemporaryDirectory() as work:
        blog = Stage(options.blog, options.cache, Path(work), options.chunks, options.dim)
        where: dict[str, Location] = {"folder": Path(work) / "index"}
        address = parse_index_address(f"{options.server}/{NAME}")
        where |= {"Milvus": address} if address else {}
        sys.stdout.write("| | ingest s | edit s | nothing changed s | open s | search ms |\n")
        sys.stdout.write("| --- | --: | --: | --: | --: | --: |\n")
        try:
            for name, location in where.items():
                figures = " | ".join(f"{figure:.4g}" for figure in _measure(blog, location))
                sys.stdout.write(f"| {name} | {figures} |\n")
                sys.stdout.flush()
        except BlogSearchError as error:
            return report_failure(error)
    return 0


def _measure(blog: Stage, location: Location) -> tuple[float, ...]:
    """Return seconds of an ingest, an edit, a look and an opening; milliseconds of a search."""
    bring_up_to_date = partial(blog.ingest, location, blog.dimension)
    whole = timed(partial(bring_up_to_date, rebuild=True)) / 1000.0
    edited = min(blog.content.rglob("*.md"))
    before = edited.read_text(encoding="utf-8")
    edited.write_text(f"{before}\n\nOne more paragraph.\n", encoding="utf-8")
    try:
        edit = timed(bring_up_to_date) / 1000.0
        look = timed(bring_up_to_date) / 1000.0
    finally:
        edited.write_text(before, encoding="utf-8")
    index = Index(location, lambda _identity: FreeEmbedder(blog.dimension))
    opening = timed(index.reader) / 1000.0
    search = partial(index.reader().search, filters=Filters(), limit=5, offset=0)
    times = [timed(search, query) for query in blog.queries(blog.runs)]
    index.close()
    return whole, edit, look, opening, statistics.median(times)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="benchmarks.speed.milvus", description=__doc__)
    parser.add_argument("server", metavar="SERVER")
    parser.add_argument("--blog", type=folder, default=Path("content"), metavar="FOLDER")
    parser.add_argument("--chunks", type=count, default=20_000, metavar="N", help="(default 20000)")
    parser.add_argument(
        "--dim", type=int, choices=(64, 384, 768), default=384, help="(default 384)"
    )
    parser.add_argument("--cache", type=Path, default=cache_folder(os.environ), metavar="FOLDER")
    return parser


if __name__ == "__main__":
    sys.exit(main())
