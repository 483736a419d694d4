"""`python -m benchmarks.quality.small_blogs CORPORA… --questions QUESTIONS`: doubt on small blogs.

Each blog whose questions name their evidence is cut to a few posts, and these to their titles and
the paragraphs that answer: which share of the questions is answered with low confidence though the
right post is among the first five, and which share of other blogs' questions and everyday ones.
"""

from __future__ import annotations

import argparse
import os
import re
import sys
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from hashlib import sha256
from pathlib import Path

from benchmarks.options import cache_folder, count, folder, report_failure
from benchmarks.quality.blog import Embedding
from benchmarks.quality.corpora import Corpus, read_corpora
from benchmarks.quality.measure import measure
from benchmarks.quality.metrics import contain_evidence
from benchmarks.quality.report import format_share
from benchmarks.quality.types import Measurement, Query
from blog_search_mcp.index.errors import BlogSearchError
from blog_search_mcp.index.posts.document import Document
from blog_search_mcp.ingest.report import Progress

SIZES = (5, 10, 20, 40)
"""Posts."""

COLUMNS = ("blog", "posts", "questions", "hit@5", "false low", "everyday, low", "off topic, low")

_BLANK = re.compile(r"\n\s*\n")


def main() -> int:
    """Measure every blog at every size; return the exit status."""
    options = _parser().parse_args()
    sys.stdout.write(f"| {' | '.join(COLUMNS)} |\n|{' --- |' * len(COLUMNS)}\n")
    try:
        for row in _measure_all(options, Progress(sys.stderr)):
            sys.stdout.write(f"| {' | '.join(row)} |\n")
            sys.stdout.flush()
    except BlogSearchError as error:
        return report_failure(error)
    return 0


def _measure_all(options: argparse.Namespace, progress: Progress) -> Iterator[Sequence[str]]:
    corpora = read_corpora(options.corpora, options.questions, options.limit)
    for corpus in corpora:
        off_topic = [
            query for query in corpus.off_topic(corpora, options.limit) if "question" in query.parts
        ]
        for size in SIZES:
            small = cut_corpus(corpus, size, options.cache / "small")
            if small.queries:
                found = measure(small, off_topic, options.cache, Embedding(), progress)
                yield _row(small.name, found)


def cut_corpus(corpus: Corpus, posts: int, cache: Path) -> Corpus:
    """Write the first posts by hash to a folder below `cache`, of each what answers a question."""
    asked = [query for query in corpus.queries if query.kind.startswith("question")]
    by_source = {post.post.source: post for post in corpus.posts}
    sources = {query.source for query in asked if query.evidence and query.source in by_source}
    chosen = sorted(sources, key=lambda source: sha256(source.encode()).hexdigest())[:posts]
    content = cache / f"{corpus.name}-{posts}" / "posts"
    for source in chosen:
        path = (content / source).with_suffix(".md")
        path.parent.mkdir(parents=True, exist_ok=True)
        evidence = [query.evidence for query in asked if query.source == source]
        path.write_text(_cut(by_source[source], evidence), encoding="utf-8")
    queries = [_of_cut(query) for query in asked if query.source in chosen]
    everyday = [query for query in corpus.absent if query.kind == "everyday"]
    return replace(corpus, content=content, queries=queries, absent=everyday)


def _cut(post: Document, evidence: Iterable[str]) -> str:
    paragraphs = _BLANK.split(post.body.text)
    kept = [text for text in paragraphs if any(contain_evidence([text], each) for each in evidence)]
    return "\n\n".join([f"# {post.post.title}", *kept])


def _of_cut(query: Query) -> Query:
    source = str(Path(query.source).with_suffix(".md"))
    return replace(query, kind="question", source=source, also=(), evidence="", parts=())


def _row(name: str, found: Measurement) -> Sequence[str]:
    row = found.row("question")
    assert row is not None
    low = {each.kind: format_share(each.low) for each in found.absence}
    return (
        name,
        str(found.posts),
        str(row.queries),
        format_share(row.hit_at_5),
        format_share(row.false_low),
        low.get("everyday", "–"),
        low.get("off topic", "–"),
    )


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="benchmarks.quality.small_blogs", description=__doc__)
    add = parser.add_argument
    add("corpora", nargs="+", type=folder, metavar="CORPORA", help="a folder of blogs")
    add("--questions", type=folder, metavar="DIR", required=True, help="readers' questions by blog")
    add("--limit", type=count, default=100, metavar="N", help="other blogs' questions at most")
    parser.set_defaults(cache=cache_folder(os.environ))
    return parser


if __name__ == "__main__":
    sys.exit(main())
