"""`python -m benchmarks.quality.same_answers SERVER BLOG…`: a folder's answers beside Milvus's.

Each blog, a folder with `posts`, is ingested into a folder and into the Milvus server at SERVER,
such as milvus://127.0.0.1:19530, with the same vectors, and asked the same. Questions are those of
the files `*.jsonl` beside its posts, and of the files of its name in the folder `--questions`.
"""

from __future__ import annotations

import argparse
import os
import re
import sqlite3
import sys
from collections.abc import Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from benchmarks.options import cache_folder, count, folder, report_failure, wait_for_milvus
from benchmarks.quality.blog import Embedding, build_index, build_indexes, open_index
from benchmarks.quality.corpora import read_queries
from benchmarks.quality.types import Query
from blog_search_mcp.index.errors import BlogSearchError
from blog_search_mcp.index.milvus.client import Milvus
from blog_search_mcp.index.milvus.schema import (
    CHECKSUM,
    KEY,
    VECTOR,
    CollectionNames,
    Row,
    embeddings_fields,
)
from blog_search_mcp.index.reader import IndexReader
from blog_search_mcp.index.store.disk import Layout
from blog_search_mcp.index.stores import IndexAddress, parse_index_address
from blog_search_mcp.index.types import Answer, Filters
from blog_search_mcp.ingest.report import Progress

FIRST = 5
"""Hits that are compared: what an assistant gets by default."""


@dataclass(frozen=True, slots=True)
class Comparison:
    """How alike two indexes answer."""

    queries: int
    same: int
    """Queries with the same FIRST passages in the same order."""
    difference: float
    """The largest of one passage's two scores."""
    certainty: float
    """The largest of one query's two certainties."""


def main() -> int:
    """Compare every blog; return the exit status."""
    options = _parser().parse_args()
    wait_for_milvus()
    sys.stdout.write("| blog | queries | same first five | scores differ by | certainties |\n")
    sys.stdout.write("| --- | --: | --: | --: | --: |\n")
    try:
        for blog in options.blogs:
            found = _compare(options, blog, Progress(sys.stderr))
            sys.stdout.write(
                f"| {blog.name} | {found.queries} | {found.same / found.queries:.3f} | "
                f"{found.difference:.5f} | {found.certainty:.5f} |\n"
            )
            sys.stdout.flush()
    except BlogSearchError as error:
        return report_failure(error)
    return 0


def _compare(options: argparse.Namespace, blog: Path, progress: Progress) -> Comparison:
    """Make both indexes and ask both. Raises BlogSearchError."""
    embedding, content = Embedding(), blog / "posts"
    asked = read_questions(blog, options.questions)[: options.limit]
    indexes = build_indexes(content, asked, options.cache, embedding, progress)
    assert indexes.whole is not None
    name = f"of_{re.sub('[^a-zA-Z0-9]', '_', blog.name)}"
    address = parse_index_address(f"{options.server}/{name}")
    assert address is not None
    reader = open_index(indexes.whole, embedding)
    send_embeddings(Layout(indexes.whole).cache, address, reader.manifest.embedder.dimension)
    build_index(content, address, embedding, progress, rebuild=True)
    return compare(reader, open_index(address, embedding), asked)


def send_embeddings(cache: Path, address: IndexAddress, dimension: int) -> None:
    """Give an index on a server the vectors of one in a folder. Raises IndexProblem."""
    milvus = Milvus(f"http://{address.server}")
    name, fields = CollectionNames(address.name).embeddings(dimension), embeddings_fields(dimension)
    if name not in milvus.collections():
        milvus.create(name, fields)
        milvus.load(name)
    with closing(sqlite3.connect(cache)) as connection:
        rows = connection.execute("SELECT key, vector, seal FROM embeddings").fetchall()
    made: list[Row] = [
        {KEY: key.hex(), CHECKSUM: checksum.hex(), VECTOR: np.frombuffer(vector, dtype="<f4")}
        for key, vector, checksum in rows
        if len(vector) == 4 * dimension
    ]
    milvus.insert(name, fields, made, replace=True)
    milvus.close()


def read_questions(blog: Path, questions: Path | None) -> list[Query]:
    """Read what a blog is asked, without repeats. Raises UsageError."""
    files = sorted(blog.glob("*.jsonl"))
    files += sorted(questions.glob(f"{blog.name}*.jsonl")) if questions else []
    asked = [query for file in files for query in read_queries(file, "question")]
    return list({query.text: query for query in asked}.values())


def compare(before: IndexReader, after: IndexReader, queries: Sequence[Query]) -> Comparison:
    """Ask both indexes the same. Raises BlogSearchError."""
    same, difference, certainty = 0, 0.0, 0.0
    for query in queries:
        answers = [
            each.search(query.text, Filters(), limit=FIRST, offset=0) for each in (before, after)
        ]
        ours, theirs = (_scores(answer) for answer in answers)
        if list(ours) == list(theirs):
            same += 1
        else:
            sys.stderr.write(f"{query.text!r}\n  {list(ours.items())}\n  {list(theirs.items())}\n")
        both = ours.keys() & theirs.keys()
        difference = max([difference, *(abs(ours[name] - theirs[name]) for name in both)])
        certainty = max(certainty, abs(answers[0].certainty - answers[1].certainty))
    return Comparison(len(queries), same, difference, certainty)


def _scores(answer: Answer) -> dict[tuple[str, int], float]:
    return {(hit.post.source, hit.chunk.index): hit.score for hit in answer.hits}


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="benchmarks.quality.same_answers", description=__doc__)
    parser.add_argument("server", metavar="SERVER")
    parser.add_argument("blogs", type=folder, nargs="+", metavar="BLOG")
    parser.add_argument("--questions", type=folder, metavar="FOLDER")
    parser.add_argument("--limit", type=count, default=100, metavar="N", help="queries of a blog")
    parser.add_argument("--cache", type=Path, default=cache_folder(os.environ), metavar="FOLDER")
    return parser


if __name__ == "__main__":
    sys.exit(main())
