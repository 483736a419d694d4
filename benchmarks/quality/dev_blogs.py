"""`python -m benchmarks.quality.dev_blogs CORPORA --questions DIR`: the numbers in docs/quality.md.

Every blog below CORPORA is measured by every kind of query there is for it; another blog's
queries stand in for questions it cannot answer. Markdown goes to stdout, or into the document
that `--write` names.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from statistics import fmean

from benchmarks.markdown import replace_marked
from benchmarks.options import cache_folder, count, folder, report_failure
from benchmarks.provenance import as_json, read_commit
from benchmarks.quality.blog import Embedding
from benchmarks.quality.bm25 import rank_whole_posts
from benchmarks.quality.corpora import Corpus, read_corpora
from benchmarks.quality.measure import Setup, measure
from benchmarks.quality.metrics import hit
from benchmarks.quality.report import Report, format_report
from benchmarks.quality.search import READ
from benchmarks.quality.targets import Floor, check_targets
from benchmarks.quality.types import Measurement, Query
from blog_search_mcp.index.errors import BlogSearchError
from blog_search_mcp.ingest.report import Progress, progress_on

LIMIT = 100
"""Queries of a derived kind."""


def main() -> int:
    """Measure every blog; return the exit status."""
    options = _parser(os.environ).parse_args()
    try:
        with progress_on(sys.stderr) as progress:
            report = _measure_all(options, progress)
        document = format_report(report)
        if options.write is not None:
            before = options.write.read_text(encoding="utf-8")
            options.write.write_text(replace_marked(before, document), encoding="utf-8")
    except BlogSearchError as error:
        return report_failure(error)
    sys.stdout.write(as_json(report) + "\n" if options.json else document)
    return 0


def _measure_all(options: argparse.Namespace, progress: Progress) -> Report:
    """Measure all blogs below the folder. Raises BlogSearchError."""
    corpora = read_corpora(options.corpora, options.questions, options.limit)
    command = _command_line(options)
    blogs = {
        corpus.name: _measure(
            corpus, corpus.off_topic(corpora, options.limit), options, command, progress
        )
        for corpus in corpora
    }
    floors = {pair: floor for corpus in corpora for pair, floor in _floors(corpus).items()}
    return Report(read_commit(), command, blogs, check_targets(blogs, floors))


def _measure(
    corpus: Corpus,
    off_topic: Sequence[Query],
    options: argparse.Namespace,
    command: str,
    progress: Progress,
) -> Measurement:
    embedding = Embedding(model=options.model)
    setup = Setup(
        content=corpus.content,
        cache=options.cache,
        embedding=embedding,
        queries=corpus.queries,
        off_topic=off_topic,
        rebuild=options.rebuild,
    )
    return measure(setup, progress, command)


def _floors(corpus: Corpus) -> dict[tuple[str, str], Floor]:
    """Measure whole-post BM25, by blog and kind, for the kinds somebody wrote down."""
    floors = {}
    for kind in ("description", "question"):
        queries = [query for query in corpus.queries if query.kind == kind]
        if not queries:
            continue
        ranks = rank_whole_posts(corpus.posts, queries, READ)
        first, any_of = (fmean(hit(rank, cutoff) for rank in ranks) for cutoff in (1, READ))
        floors[corpus.name, kind] = Floor(first, any_of)
    return floors


def _command_line(options: argparse.Namespace) -> str:
    """Return the command that measures again, with names for the folders of one machine."""
    parts = ["python -m benchmarks.quality.dev_blogs CORPORA"]
    if options.questions:
        parts.append("--questions QUESTIONS")
    if options.limit != LIMIT:
        parts.append(f"--limit {options.limit}")
    return " ".join(parts)


def _parser(environment: Mapping[str, str]) -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="benchmarks.quality.dev_blogs", description=__doc__)
    add = parser.add_argument
    add("corpora", nargs="+", type=folder, metavar="CORPORA", help="a folder of blogs")
    add("--questions", type=folder, metavar="DIR", help="readers' questions by blog")
    add("--limit", type=count, default=LIMIT, metavar="N", help="queries of a derived kind at most")
    add("--model", metavar="NAME", help="a packaged model for every blog, whatever its languages")
    add("--rebuild", action="store_true", help="make the indexes anew")
    add("--write", type=Path, metavar="FILE", help="renew the numbers in FILE too")
    add("--json", action="store_true", help="print JSON instead of Markdown")
    parser.set_defaults(cache=cache_folder(environment))
    return parser


if __name__ == "__main__":
    sys.exit(main())
