"""`python -m benchmarks.dev_blogs CORPORA --questions DIR`: the numbers in docs/quality.md.

Every blog below CORPORA is measured by every kind of query there is for it, its
neighbour's queries standing in for questions it cannot answer. Markdown goes to
stdout, or into the document that `--write` names.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Mapping
from pathlib import Path
from statistics import fmean

from benchmarks.blog import Embedding, index_folder
from benchmarks.corpora import Corpus, corpora_in, off_topic_for
from benchmarks.dev_report import Report, as_markdown
from benchmarks.floor import ask_floor
from benchmarks.markdown import inserted
from benchmarks.measure import Asked, Bench, measure
from benchmarks.metrics import hit
from benchmarks.options import cache_folder, count, failure
from benchmarks.provenance import commit
from benchmarks.queries import foreign
from benchmarks.run import READ
from benchmarks.table import as_json
from benchmarks.targets import Floor, reached
from benchmarks.types import Measurement
from blog_search_mcp.index.errors import BlogSearchError
from blog_search_mcp.ingest.report import Progress, progress_on

LIMIT = 100
"""Queries of a derived kind."""


def main() -> int:
    """Measure every blog; the exit status."""
    options = _parser(os.environ).parse_args()
    try:
        with progress_on(sys.stderr) as progress:
            report = measured(options, progress)
        _print(report, options)
    except BlogSearchError as error:
        return failure(error)
    return 0


def measured(options: argparse.Namespace, progress: Progress) -> Report:
    """Measure all blogs below the folder. Raises BlogSearchError."""
    corpora = corpora_in(options.corpora, options.questions, options.limit)
    others = {corpus.name: off_topic_for(corpus, corpora) for corpus in corpora}
    called = _command(options)
    blogs = {
        corpus.name: _measured(corpus, others[corpus.name], options, called, progress)
        for corpus in corpora
    }
    floors = {pair: floor for corpus in corpora for pair, floor in _floors(corpus).items()}
    against = {name: other.name for name, other in others.items() if other is not None}
    return Report(commit(), called, blogs, against, reached(blogs, floors))


def _measured(
    corpus: Corpus,
    other: Corpus | None,
    options: argparse.Namespace,
    called: str,
    progress: Progress,
) -> Measurement:
    embedding = Embedding()
    index = index_folder(options.cache, corpus.content, embedding)
    asked = Asked(
        queries=corpus.queries,
        off_topic=foreign(other.queries, corpus.posts) if other else (),
    )
    bench = Bench(corpus.content, index, embedding, options.rebuild)
    return measure(bench, asked, progress, called)


def _floors(corpus: Corpus) -> dict[tuple[str, str], Floor]:
    """By blog and kind, for the kinds somebody wrote down."""
    floors = {}
    for kind in corpus.written:
        queries = [query for query in corpus.queries if query.kind == kind]
        ranks = ask_floor(corpus.posts, queries, READ)
        first, any_of = (fmean(hit(rank, cutoff) for rank in ranks) for cutoff in (1, READ))
        floors[corpus.name, kind] = Floor(first, any_of)
    return floors


def _command(options: argparse.Namespace) -> str:
    """How to have these numbers again, with names for the folders of one machine."""
    parts = ["python -m benchmarks.dev_blogs CORPORA"]
    if options.questions:
        parts.append("--questions QUESTIONS")
    if options.limit != LIMIT:
        parts.append(f"--limit {options.limit}")
    return " ".join(parts)


def _print(report: Report, options: argparse.Namespace) -> None:
    if options.write is not None:
        document = options.write.read_text(encoding="utf-8")
        options.write.write_text(inserted(document, as_markdown(report)), encoding="utf-8")
    sys.stdout.write(as_json(report) + "\n" if options.json else as_markdown(report))


def _parser(environment: Mapping[str, str]) -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="benchmarks.dev_blogs", description=__doc__)
    parser.add_argument("corpora", type=Path, metavar="CORPORA", help="a folder of blogs")
    parser.add_argument("--questions", type=Path, metavar="DIR", help="readers' questions by blog")
    parser.add_argument(
        "--limit", type=count, default=LIMIT, metavar="N", help="queries of a derived kind at most"
    )
    parser.add_argument("--rebuild", action="store_true", help="make the indexes anew")
    parser.add_argument("--write", type=Path, metavar="FILE", help="renew the numbers in FILE too")
    parser.add_argument("--json", action="store_true", help="print JSON instead of Markdown")
    parser.set_defaults(cache=cache_folder(environment))
    return parser


if __name__ == "__main__":
    sys.exit(main())
