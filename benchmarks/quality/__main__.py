"""`python -m benchmarks.quality CONTENT`: how well each kind of query finds its post.

Without `--queries` the queries are made of the blog's own posts, by kind; with it they are those
of the files, and of the kinds that `--kinds` names.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Mapping
from pathlib import Path

from benchmarks.options import cache_folder, count, folder, report_failure
from benchmarks.provenance import as_json, command_line
from benchmarks.quality.blog import Embedding, read_posts
from benchmarks.quality.corpora import read_queries
from benchmarks.quality.measure import Setup, measure
from benchmarks.quality.queries import KINDS, Posts, derive_queries, select_foreign
from benchmarks.quality.report import format_measurement
from benchmarks.quality.types import Measurement, Query
from blog_search_mcp.index.errors import BlogSearchError, UsageError
from blog_search_mcp.ingest.report import Progress, progress_on

LIMIT = 200
"""Queries of a kind: the interval of a hit rate of .9 is then about .04 to each side."""


def main() -> int:
    """Measure one blog; return the exit status."""
    options = _parser(os.environ).parse_args()
    try:
        with progress_on(sys.stderr) as progress:
            measurement = _measure(options, progress)
    except BlogSearchError as error:
        return report_failure(error)
    if options.json:
        sys.stdout.write(as_json(measurement) + "\n")
    else:
        sys.stdout.write(format_measurement(measurement))
    return 0


def _measure(options: argparse.Namespace, progress: Progress) -> Measurement:
    posts = read_posts(options.content)
    embedding = Embedding(options.embedder, options.model, options.embedder_url)
    setup = Setup(
        content=options.content,
        cache=options.index or options.cache,
        embedding=embedding,
        queries=_choose_queries(options, posts),
        off_topic=_choose_off_topic(options.off_topic, posts, options.limit),
        rebuild=options.rebuild,
    )
    return measure(setup, progress, command_line("benchmarks.quality", sys.argv[1:]))


def _choose_queries(options: argparse.Namespace, posts: Posts) -> list[Query]:
    kinds = options.kinds if options.kinds is not None else [] if options.queries else [*KINDS]
    written = [query for name, path in options.queries for query in read_queries(path, name)]
    known = {post.post.source for post in posts}
    other = read_posts(options.asked_in) if options.asked_in else posts
    shared = [post for post in other if post.post.source in known]
    queries = [*written, *derive_queries(shared, kinds, options.limit)]
    if not queries:
        raise UsageError("The posts give no query of these kinds. Name others, or use --queries.")
    if unknown := [query.source for query in queries if query.source not in known]:
        sys.stderr.write(
            f"{len(unknown)} queries ask for posts that are not there and count as missed: "
            f"{', '.join(unknown[:3])}.\n"
        )
    return queries


def _choose_off_topic(other: Path | None, posts: Posts, limit: int) -> list[Query]:
    """Take queries of another blog, from its posts or a file, that this one does not contain."""
    if other is None:
        return []
    given = (
        read_queries(other, "file")
        if other.is_file()
        else derive_queries(read_posts(other), KINDS, limit)
    )
    queries = select_foreign(given, posts)
    if not queries:
        raise UsageError(f"{other} gives no query that is off topic. Name another blog.")
    return queries


def _named_file(value: str) -> tuple[str, Path]:
    name, _, path = value.rpartition("=")
    return name or Path(path).stem, folder(path)


def _parser(environment: Mapping[str, str]) -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="benchmarks.quality", description=__doc__)
    add = parser.add_argument
    add("content", type=folder, metavar="CONTENT", help="the folder of posts")
    add(
        "--index",
        type=folder,
        metavar="DIR",
        help="where to make the indexes (default: in the user's cache)",
    )
    kinds = ("auto", "ollama", "embedded")
    add("--embedder", choices=kinds, default="embedded", help="(default embedded)")
    add("--model", metavar="NAME", help="a packaged model, or one of Ollama's")
    add(
        "--embedder-url",
        default=environment.get("OLLAMA_HOST", ""),
        metavar="URL",
        help="where Ollama answers (OLLAMA_HOST)",
    )
    add("--rebuild", action="store_true", help="make the index anew")
    add("--json", action="store_true", help="print JSON instead of tables")
    add(
        "--queries",
        action="extend",
        nargs="+",
        default=[],
        type=_named_file,
        metavar="[NAME=]FILE",
        help="JSON lines of query and source, perhaps also, evidence and type",
    )
    add("--kinds", nargs="*", choices=[*KINDS], help="kinds made of the posts")
    add(
        "--asked-in",
        type=folder,
        metavar="CONTENT2",
        help="the same posts, by path, in another language, of which the queries are made",
    )
    add("--limit", type=count, default=LIMIT, metavar="N", help="queries of a kind at most")
    add("--off-topic", type=folder, metavar="CONTENT2", help="another blog, or a file of queries")
    parser.set_defaults(cache=cache_folder(environment))
    return parser


if __name__ == "__main__":
    sys.exit(main())
