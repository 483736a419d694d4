"""`python -m benchmarks.known_items CONTENT FILE`: what a client of the real server finds.

The server runs as a process of its own over stdio, and the SDK's Client asks
search_blog; beside it stands the floor of whole-post BM25, from the same run.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import anyio
from mcp import Client, StdioServerParameters
from mcp.types import CallToolResult
from rich.table import Table

from benchmarks.blog import build_index, posts_of
from benchmarks.bootstrap import estimate_mean
from benchmarks.floor import ask_floor
from benchmarks.labels import read_queries
from benchmarks.metrics import first_rank, hit
from benchmarks.options import add_shared, embedding_of, failure, index_of
from benchmarks.run import counted
from benchmarks.table import shown, terminal
from benchmarks.types import Estimate, Query
from blog_search_mcp.index.errors import BlogSearchError
from blog_search_mcp.ingest.report import Progress, progress_on
from blog_search_mcp.server.cli.ask import server_command
from blog_search_mcp.server.settings import Settings

READ = 5
"""Hits asked for: what the server gives by default."""

Ranks = Sequence[int | None]


def main() -> int:
    """Measure one file of queries; the exit status."""
    options = _parser(os.environ).parse_args()
    try:
        with progress_on(sys.stderr) as progress:
            rows = measure(options, progress)
    except BlogSearchError as error:
        return failure(error)
    if options.json:
        sys.stdout.write(json.dumps(_facts(rows), indent=2) + "\n")
    else:
        terminal().print(_table(rows))
    return 0


def measure(options: argparse.Namespace, progress: Progress) -> dict[str, Ranks]:
    """Ranks by what gave them, in the order of the file. Raises BlogSearchError."""
    queries = read_queries(options.queries, "known item")
    index = index_of(options)
    build_index(options.content, index, embedding_of(options), progress, rebuild=options.rebuild)
    command = server_command(Settings(index, options.embedder_url))
    return {
        "server": anyio.run(ask_server, command, queries, progress),
        "whole-post BM25": ask_floor(posts_of(options.content), queries, READ),
    }


async def ask_server(
    command: StdioServerParameters, queries: Sequence[Query], progress: Progress
) -> list[int | None]:
    """The rank of each query's post among the server's first hits."""
    progress.start("asking the server", len(queries))
    ranks = []
    async with Client(command) as client:
        for query in queries:
            wanted = {"query": query.text, "top_k": READ}
            found = _found(await client.call_tool("search_blog", wanted), query)
            ranks.append(first_rank(found, query.acceptable))
            progress.advance(1)
    return ranks


def _found(result: CallToolResult, query: Query) -> list[str]:
    """The source each hit counts as; any translation of an acceptable post is as good as it."""
    if result.is_error or result.structured_content is None:
        raise BlogSearchError(f"The server did not answer: {result.content}. See its stderr.")
    hits = result.structured_content["results"]
    named = [(hit["source"], *hit.get("translations", {}).values()) for hit in hits]
    return [counted(sources, query) for sources in named]


def _hits(ranks: Ranks) -> dict[str, Estimate]:
    return {f"hit@{k}": estimate_mean([hit(rank, k) for rank in ranks]) for k in (1, READ)}


def _facts(rows: Mapping[str, Ranks]) -> dict[str, dict[str, Any]]:
    return {
        name: {
            "queries": len(ranks),
            **{key: round(mean.value, 4) for key, mean in _hits(ranks).items()},
        }
        for name, ranks in rows.items()
    }


def _table(rows: Mapping[str, Ranks]) -> Table:
    table = Table("", "queries", "hit@1", f"hit@{READ}")
    for name, ranks in rows.items():
        table.add_row(name, str(len(ranks)), *map(shown, _hits(ranks).values()))
    return table


def _parser(environment: Mapping[str, str]) -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="benchmarks.known_items", description=__doc__)
    add_shared(parser, environment)
    parser.add_argument("queries", type=Path, metavar="FILE", help="JSON lines: query, source")
    return parser


if __name__ == "__main__":
    sys.exit(main())
