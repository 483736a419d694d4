"""`python -m benchmarks.quality CONTENT`: how well each kind of query is answered.

Without `--queries` the queries are the blog's own, by kind; with it, those of
the files, and the kinds that `--kinds` names beside them.
"""

from __future__ import annotations

import argparse
import os
import shutil
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

from benchmarks.ablations import Ablation, ablated, read_ablation
from benchmarks.blog import build_index, open_index, posts_of
from benchmarks.labels import read_queries
from benchmarks.options import add_shared, embedding_of, failure, index_of
from benchmarks.queries import KINDS, Posts, derive, foreign
from benchmarks.run import ask_all, ask_leg
from benchmarks.summary import by_kind, fusion_rows, leg_rows, off_topic_rows
from benchmarks.table import as_json, as_tables, terminal
from benchmarks.types import Measurement, Outcome, Query
from index.errors import BlogSearchError, UsageError
from index.layout import Layout
from index.ranking import Use
from index.reader import Reader
from ingest.progress import Progress, progress_on

LIMIT = 200
"""Queries of a kind: the interval of a hit rate of .9 is then about .04 to each side."""


def main() -> int:
    """Measure one blog; the exit status."""
    options = _parser(os.environ).parse_args()
    try:
        ablations = [read_ablation(setting) for setting in options.ablate]
        with ablated(ablations), progress_on(sys.stderr) as progress:
            measurement = measure(options, ablations, progress)
    except BlogSearchError as error:
        return failure(error)
    if options.json:
        sys.stdout.write(as_json(measurement) + "\n")
    else:
        terminal().print(as_tables(measurement))
    return 0


def measure(
    options: argparse.Namespace, ablations: Sequence[Ablation], progress: Progress
) -> Measurement:
    """Make the index, ask every query, summarise. Raises BlogSearchError."""
    posts = posts_of(options.content)
    queries = _queries(options, posts)
    off_topic = _off_topic(options.off_topic, posts, options.limit)
    reader = _index(options, ablations, progress)
    kinds = by_kind(queries, ask_all(reader, queries, progress))
    return Measurement(
        posts=len(reader.manifest.posts),
        chunks=reader.manifest.chunks,
        embedder=reader.manifest.embedder.name,
        legs=leg_rows(kinds),
        fusion=fusion_rows(kinds),
        off_topic=off_topic_rows(kinds, _asked(reader, off_topic, progress)) if off_topic else (),
    )


def _queries(options: argparse.Namespace, posts: Posts) -> list[Query]:
    kinds = options.kinds if options.kinds is not None else [] if options.queries else [*KINDS]
    written = [query for name, path in options.queries for query in read_queries(path, name)]
    queries = [*written, *derive(posts, kinds, options.limit)]
    if not queries:
        raise UsageError("The posts give no query of these kinds. Name others, or use --queries.")
    known = {post.post.source for post in posts}
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


def _index(
    options: argparse.Namespace, ablations: Sequence[Ablation], progress: Progress
) -> Reader:
    index, embedding = index_of(options), embedding_of(options)
    reshaped = any(ablation.reshapes for ablation in ablations)
    if reshaped:
        index = _beside(index)
    build_index(options.content, index, embedding, progress, rebuild=options.rebuild or reshaped)
    return open_index(index, embedding)


def _beside(index: Path) -> Path:
    """A folder for ablated indexes, which starts with the embeddings of the ordinary one."""
    ablated_index = index.with_name(f"{index.name}-ablated")
    known, cache = Layout(index).cache, Layout(ablated_index).cache
    if known.is_file() and not cache.exists():
        ablated_index.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(known, cache)
    return ablated_index


def _asked(
    reader: Reader, queries: Sequence[Query], progress: Progress
) -> Mapping[str, Sequence[Outcome]]:
    progress.start("asking off topic", len(queries))
    outcomes = {Use.HYBRID: ask_leg(reader, queries, Use.HYBRID, progress)}
    return {kind: legs[Use.HYBRID] for kind, legs in by_kind(queries, outcomes).items()}


def _named_file(value: str) -> tuple[str, Path]:
    name, _, path = value.rpartition("=")
    return name or Path(path).stem, Path(path)


def _count(value: str) -> int:
    if not (value.isascii() and value.isdigit() and int(value)):
        raise argparse.ArgumentTypeError(f"{value!r} is not a whole number from 1.")
    return int(value)


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
        "--limit", type=_count, default=LIMIT, metavar="N", help="queries of a kind at most"
    )
    parser.add_argument(
        "--off-topic", type=Path, metavar="CONTENT2", help="another blog, or a file of queries"
    )
    parser.add_argument(
        "--ablate",
        action="append",
        default=[],
        metavar="NAME=VALUE",
        help="vary one thing: header=off, stemming=off, chunk_most=256, dense=0, …",
    )
    return parser


if __name__ == "__main__":
    sys.exit(main())
