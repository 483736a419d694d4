"""`python -m benchmarks.quality.dev_blogs CORPORA…`: the numbers in docs/quality.md.

Every blog below the folders is measured by every kind of query there is for it, and every judged
collection; another blog's headings and questions stand in for what it cannot answer. Markdown goes
to stdout, or into the document that `--write` names.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Mapping
from pathlib import Path

from benchmarks.markdown import replace_marked
from benchmarks.options import cache_folder, count, folder, report_failure
from benchmarks.provenance import as_json, read_commit
from benchmarks.quality.blog import Embedding
from benchmarks.quality.corpora import read_collections, read_corpora
from benchmarks.quality.measure import measure
from benchmarks.quality.report import Report, format_report
from benchmarks.quality.types import Measurement
from blog_search_mcp.index.errors import BlogSearchError
from blog_search_mcp.ingest.report import Progress

LIMIT = 100
"""Queries of a kind that is made of the posts, but five times as many titles and definitions."""

JUDGED_LIMIT = 200
"""Queries of a judged collection."""


def main() -> int:
    """Measure every blog; return the exit status."""
    options = _parser(os.environ).parse_args()
    try:
        report = _measure_all(options, Progress(sys.stderr))
        document = format_report(report)
        if options.write is not None:
            before = options.write.read_text(encoding="utf-8")
            options.write.write_text(replace_marked(before, document), encoding="utf-8")
    except BlogSearchError as error:
        return report_failure(error)
    sys.stdout.write(as_json(report) + "\n" if options.json else document)
    return 0


def _measure_all(options: argparse.Namespace, progress: Progress) -> Report:
    """Measure all blogs and collections below the folders. Raises BlogSearchError."""
    corpora = read_corpora(options.corpora, options.questions, options.limit)
    collections = read_collections(options.corpora, options.cache / "judged", options.judged)
    embedding = Embedding(model=options.model)
    blogs: dict[str, Measurement] = {}
    for corpus in filter(lambda corpus: corpus.queries, (*corpora, *collections)):
        off_topic = corpus.off_topic(corpora, options.limit) if corpus.posts else ()
        blogs[corpus.name] = measure(corpus, off_topic, options.cache, embedding, progress)
    return Report(read_commit(), _command_line(options), blogs)


def _command_line(options: argparse.Namespace) -> str:
    """Return the command that measures again, with names for the folders of one machine."""
    parts = ["python -m benchmarks.quality.dev_blogs CORPORA"]
    parts += [f"CORPORA{number}" for number in range(2, len(options.corpora) + 1)]
    parts += ["--questions QUESTIONS"] if options.questions else []
    for name, usual in {"limit": LIMIT, "judged": JUDGED_LIMIT, "model": None}.items():
        given = getattr(options, name)
        parts += [f"--{name} {given}"] if given != usual else []
    return " ".join(parts)


def _parser(environment: Mapping[str, str]) -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="benchmarks.quality.dev_blogs", description=__doc__)
    add = parser.add_argument
    add("corpora", nargs="+", type=folder, metavar="CORPORA", help="a folder of blogs")
    add("--questions", type=folder, metavar="DIR", help="readers' questions by blog")
    add("--limit", type=count, default=LIMIT, metavar="N", help="queries of a derived kind at most")
    add(
        "--judged",
        type=count,
        default=JUDGED_LIMIT,
        metavar="N",
        help="queries of a judged collection at most",
    )
    add("--model", metavar="NAME", help="a packaged model for every blog, whatever its languages")
    add("--write", type=Path, metavar="FILE", help="renew the numbers in FILE too")
    add("--json", action="store_true", help="print JSON instead of Markdown")
    parser.set_defaults(cache=cache_folder(environment))
    return parser


if __name__ == "__main__":
    sys.exit(main())
