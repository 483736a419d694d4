"""`python -m benchmarks.quality CONTENT`: how well each kind of query is answered.

Without `--queries` the queries are the blog's own, by kind; with it, those of
the files, and the kinds that `--kinds` names beside them. `make eval` is this,
on the posts in CONTENT.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Mapping
from pathlib import Path

from benchmarks.blog import posts_of
from benchmarks.labels import read_queries
from benchmarks.measure import Asked, Bench, measure
from benchmarks.options import add_shared, count, embedding_of, failure, folder, index_of
from benchmarks.provenance import command
from benchmarks.queries import KINDS, Posts, derive, foreign
from benchmarks.table import as_json, as_tables, terminal
from benchmarks.types import Measurement, Query
from blog_search_mcp.index.errors import BlogSearchError, UsageError
from blog_search_mcp.ingest.report import Progress, progress_on

LIMIT = 200
"""Queries of a kind: the interval of a hit rate of .9 is then about .04 to each side."""


def main() -> int:
    """Measure one blog; the exit status."""
    options = _parser(os.environ).parse_args()
    try:
        with progress_on(sys.stderr) as progress:
            measurement = _measured(options, progress)
    except BlogSearchError as error:
        return failure(error)
    if options.json:
        sys.stdout.write(as_json(measurement) + "\n")
    else:
        terminal().print(as_tables(measurement))
    return 0


def _measured(options: argparse.Namespace, progress: Progress) -> Measurement:
    posts = posts_of(options.content)
    asked = Asked(
        queries=_queries(options, posts),
        off_topic=_off_topic(options.off_topic, posts, options.limit),
    )
    index, embedding = index_of(options), embedding_of(options)
    bench = Bench(options.content, index, embedding, options.rebuild)
    called = command("benchmarks.quality", sys.argv[1:])
    return measure(bench, asked, progress, called)


def _queries(options: argparse.Namespace, posts: Posts) -> list[Query]:
    kinds = options.kinds if options.kinds is not None else [] if options.queries else [*KINDS]
    written = [query for name, path in options.queries for query in read_queries(path, name)]
    known = {post.post.source for post in posts}
    other = posts_of(options.asked_in) if options.asked_in else posts
    told = [post for post in other if post.post.source in known]
    queries = [*written, *derive(told, kinds, options.limit)]
    if not queries:
        raise UsageError("The posts give no query of these kinds. Name others, or use --queries.")
    if unknown := [query.source for query in queries if query.source not in known]:
        sys.stderr.write(
            f"{len(unknown)} queries ask for posts that are not there and count as missed: "
            f"{', '.join(unknown[:3])}.\n"
        )
    return queries


def _off_topic(other: Path | None, posts: Posts, limit: int) -> list[Query]:
    """Queries of another blog, from its posts or a file of them, that this one does not hold."""
    if other is None:
        return []
    named = (
        read_queries(other, "file") if other.is_file() else derive(posts_of(other), KINDS, limit)
    )
    queries = foreign(named, posts)
    if not queries:
        raise UsageError(f"{other} gives no query that is off topic. Name another blog.")
    return queries


def _named_file(value: str) -> tuple[str, Path]:
    name, _, path = value.rpartition("=")
    return name or Path(path).stem, folder(path)


def _parser(environment: Mapping[str, str]) -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="benchmarks.quality", description=__doc__)
    add_shared(parser, environment)
    parser.add_argument(
        "--queries",
        action="extend",
        nargs="+",
        default=[],
        type=_named_file,
        metavar="[NAME=]FILE",
        help="JSON lines of query and source, perhaps also, evidence and type",
    )
    parser.add_argument("--kinds", nargs="*", choices=[*KINDS], help="kinds made of the posts")
    parser.add_argument(
        "--asked-in",
        type=folder,
        metavar="CONTENT2",
        help="the same posts, by path, in another language, of which the queries are made",
    )
    parser.add_argument(
        "--limit", type=count, default=LIMIT, metavar="N", help="queries of a kind at most"
    )
    parser.add_argument(
        "--off-topic", type=folder, metavar="CONTENT2", help="another blog, or a file of queries"
    )
    return parser


if __name__ == "__main__":
    sys.exit(main())
