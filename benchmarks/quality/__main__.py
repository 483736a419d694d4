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
from benchmarks.provenance import as_json, command_line, read_commit
from benchmarks.quality.blog import Embedding, read_posts
from benchmarks.quality.corpora import Corpus, as_off_topic, read_queries
from benchmarks.quality.measure import measure
from benchmarks.quality.queries import KINDS, Posts, derive_queries
from benchmarks.quality.report import Report, format_measurement
from benchmarks.quality.types import Measurement, Query
from blog_search_mcp.index.errors import BlogSearchError, UsageError
from blog_search_mcp.ingest.report import Progress

LIMIT = 200
"""Queries of a kind: the interval of a hit rate of .9 is then about .04 to each side."""


def main() -> int:
    """Measure one blog; return the exit status."""
    options = _parser(os.environ).parse_args()
    try:
        measurement = _measure(options, Progress(sys.stderr))
    except BlogSearchError as error:
        return report_failure(error)
    command = command_line("benchmarks.quality", sys.argv[1:])
    report = Report(read_commit(), command, {options.content.name: measurement})
    sys.stdout.write(as_json(report) + "\n" if options.json else format_measurement(measurement))
    return 0


def _measure(options: argparse.Namespace, progress: Progress) -> Measurement:
    posts = read_posts(options.content)
    corpus = Corpus(options.content.name, options.content, _choose_queries(options, posts))
    return measure(
        corpus,
        _choose_off_topic(options.off_topic, posts, options.limit),
        options.cache,
        Embedding(options.embedder, options.model, options.embedder_url),
        progress,
    )


def _choose_queries(options: argparse.Namespace, posts: Posts) -> list[Query]:
    kinds = options.kinds if options.kinds is not None else [] if options.queries else [*KINDS]
    written = [query for name, path in options.queries for query in read_queries(path, name)]
    known = {post.post.source for post in posts}
    queries = [*written, *derive_queries(posts, kinds, options.limit)]
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
    queries = as_off_topic(given, posts, limit)
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
    kinds = ("auto", "ollama", "embedded")
    add("--embedder", choices=kinds, default="embedded", help="(default embedded)")
    add("--model", metavar="NAME", help="a packaged model, or one of Ollama's")
    add(
        "--embedder-url",
        default=environment.get("OLLAMA_HOST", ""),
        metavar="URL",
        help="where Ollama answers (OLLAMA_HOST)",
    )
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
    add("--limit", type=count, default=LIMIT, metavar="N", help="queries of a kind at most")
    add("--off-topic", type=folder, metavar="CONTENT2", help="another blog, or a file of queries")
    parser.set_defaults(cache=cache_folder(environment))
    return parser


if __name__ == "__main__":
    sys.exit(main())
