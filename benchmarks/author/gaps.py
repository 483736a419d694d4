"""How surely a question without an answer is known as one, and its wordings as one question.

Posts are taken out of a copy of the blog, and their headings asked of the blog with them and
without. The wordings are of `rewordings.txt`: questions that a blog does not answer, each twice.
"""

from __future__ import annotations

import argparse
import random
import time
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from statistics import mean

import numpy as np

from benchmarks.author._blogs import changed_blog, measure_each, open_reader, say, say_command
from benchmarks.options import count, folder
from benchmarks.quality.metrics import auroc
from blog_search_mcp.index.reader import IndexReader
from blog_search_mcp.index.relations.corpus import Corpus
from blog_search_mcp.index.relations.questions import ALIKE, compare_questions, group_alike
from blog_search_mcp.index.types import Answer, Filters

LIMIT = 30
"""Posts that are taken out."""
PER_POST = 5
"""Headings of a post that are asked."""
LEASTS = (ALIKE / 2, ALIKE, ALIKE * 1.5)
"""What is tried instead of ALIKE, to show how much hangs on it."""


def main(arguments: Sequence[str]) -> int:
    """Measure each index and print what it reaches; returns the exit status."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.author gaps")
    parser.add_argument("indexes", nargs="+", type=folder, metavar="INDEX")
    parser.add_argument("--limit", type=count, default=LIMIT, help=f"posts taken out ({LIMIT})")
    options = parser.parse_args(arguments)
    say_command("gaps", arguments)
    return measure_each(options.indexes, lambda index: measure_blog(index, options.limit))


def measure_blog(path: Path, limit: int) -> None:
    """Print what one index reaches. Raises BlogSearchError."""
    reader = open_reader(path)
    corpus = reader.corpus()
    say(f"\n{path.name}: {len(corpus.posts)} posts, {corpus.snapshot.embedder.identity.model}")
    measure_wordings(corpus, path.name)
    headings = choose_headings(corpus, limit)
    asked = [heading for each in headings.values() for heading in each]

    def take_out(content: Path) -> None:
        for source in headings:
            (content / source).unlink()

    with changed_blog(path, corpus, take_out) as (without, _):
        before, after = ask_all(reader, asked), ask_all(without, asked)
    auc = auroc([1 - each.certainty for each in after], [1 - each.certainty for each in before])
    shares = {
        word: [mean(each.confidence == word for each in answers) for answers in (before, after)]
        for word in ("low", "high")
    }
    told = ", ".join(f"{word} {one:.2f} to {other:.2f}" for word, (one, other) in shares.items())
    asked_of = f"{len(headings)} posts taken out, {len(asked)} headings"
    say(f"  {asked_of}: AUC of weak {auc:.3f}; {told}")


def choose_headings(corpus: Corpus, limit: int) -> dict[str, list[str]]:
    """Choose by post headings of several words that no other post has and that are no title."""
    by_post: dict[str, list[str]] = {}
    for number, post in sorted(corpus.posts.items()):
        if corpus.translations_of(number):
            continue
        chunks = corpus.snapshot.catalog.chunks_of(number).values()
        found = dict.fromkeys(chunk.headings[-1] for chunk in chunks if chunk.headings)
        by_post[post.source] = [each for each in found if each != post.title and len(each) > 9]
    having = Counter(heading.casefold() for each in by_post.values() for heading in each)
    own = {
        source: [heading for heading in each if having[heading.casefold()] == 1][:PER_POST]
        for source, each in by_post.items()
    }
    sources = [source for source, each in own.items() if each]
    chosen = random.Random(1).sample(sources, min(limit, len(sources)))
    return {source: own[source] for source in sorted(chosen)}


def ask_all(reader: IndexReader, questions: Sequence[str]) -> list[Answer]:
    """Search for each."""
    return [reader.search(each, Filters(), limit=1, offset=0) for each in questions]


def measure_wordings(corpus: Corpus, name: str) -> None:
    """Print how many pairs of wordings are grouped, and how many of the groups' pairs are such."""
    lines = Path(__file__).with_name("rewordings.txt").read_text(encoding="utf-8").splitlines()
    rows = [line.split("\t") for line in lines if line.startswith(f"{name}\t")]
    questions = [question for _, *both in rows for question in both]
    if not questions:
        return
    begun = time.perf_counter()
    likeness = compare_questions(corpus, questions).values
    took = time.perf_counter() - begun
    for least in LEASTS:
        found = [
            {one, other}
            for group in group_alike(likeness, least)
            for one in group
            for other in group
            if one < other
        ]
        right = sum(min(pair) % 2 == 0 and max(pair) == min(pair) + 1 for pair in found)
        precision = right / len(found) if found else 1.0
        say(
            f"  {len(rows)} questions in two wordings, joined from {least:.2f}: precision "
            f"{precision:.2f}, recall {right / len(rows):.2f}"
        )
    many = np.tile(likeness, (10, 10))[:300, :300]
    begun = time.perf_counter()
    group_alike(many)
    say(f"  compared in {took:.1f} s; {len(many)} grouped in {time.perf_counter() - begun:.1f} s")
