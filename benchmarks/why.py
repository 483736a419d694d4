"""`python -m benchmarks.why QUESTION`: the shares behind the first posts' scores, in numbers.

A question and an index come in, a table goes out: what each share says of a post, what it
weighs for this question, and how sure the answer is. docs/how-search-works.md shows two.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import get_args

from benchmarks.options import failure
from blog_search_mcp.index.analysis.query import Query
from blog_search_mcp.index.embedders.registry import embedder_of
from blog_search_mcp.index.errors import BlogSearchError
from blog_search_mcp.index.search.candidates import Findings
from blog_search_mcp.index.search.confidence import judged
from blog_search_mcp.index.search.ranking import counted, openness, reasons, score_posts
from blog_search_mcp.index.search.search import find
from blog_search_mcp.index.search.snapshot import open_legs
from blog_search_mcp.index.store.generations import live_number, load_manifest
from blog_search_mcp.index.store.layout import DEFAULT_FOLDER, Layout
from blog_search_mcp.index.types import Kind

SHARES: tuple[Kind, ...] = get_args(Kind)
POSTS = 4
"""Posts that are shown."""


@dataclass(frozen=True, slots=True)
class Why:
    """What decides the order of one question's posts."""

    gate: float
    """What the words leave open for meaning, in [0, 1]."""
    weights: dict[Kind, float]
    """Of each kind of evidence, for this question."""
    shares: dict[int, dict[Kind, float]]
    """By post id, best post first; what weighs nothing is not here."""
    scores: dict[int, float]
    """By post id."""


def why(findings: Findings, query: Query) -> Why:
    """Take a ranking apart into what it was made of."""
    weights = counted(findings, query)
    scores = score_posts(findings, query)
    order = sorted(scores, key=lambda post: (-scores[post], post))
    shares = {
        post: {each.kind: each.value for each in given}
        for post, given in reasons(findings, order, weights).items()
    }
    gate = openness(findings, query.is_prose)
    return Why(gate, weights, shares, {post: scores[post] for post in order})


def table(found: Why, sources: dict[int, str]) -> list[str]:
    """Write a row for the weights and one for each of the first posts."""
    head = "".join(f"{name:>11}" for name in SHARES)
    weights = "".join(f"{found.weights[name]:>11.2f}" for name in SHARES)
    rows = [f"{'':<40}{head}{'score':>11}", f"{'weight':<40}{weights}"]
    for post, shares in list(found.shares.items())[:POSTS]:
        cells = (f"{shares[name]:.3f}" if name in shares else "–" for name in SHARES)
        numbers = "".join(f"{cell:>11}" for cell in (*cells, f"{found.scores[post]:.3f}"))
        rows.append(f"{sources[post]:<40}{numbers}")
    return rows


def explained(index: Path, text: str, embedder_url: str) -> list[str]:
    """Ask one question of the live generation. Raises BlogSearchError."""
    layout = Layout(index)
    number = live_number(layout)
    manifest = load_manifest(layout, number)
    embedder = embedder_of(manifest.embedder, embedder_url)
    with closing(open_legs(layout.generation(number), embedder)) as legs:
        found = find(legs, text)
        posts = {post: each.source for post, each in legs.catalog.every_post().items()}
    sure = judged(found.findings, text, manifest.calibration)
    taken = why(found.findings, found.query)
    return [
        f"Words held together by one passage: {found.findings.coverage:.2f}. "
        f"Left open for meaning: {taken.gate:.2f}. Read by the embedder: "
        f"{found.findings.readable:.2f}.",
        f"Confidence: {sure.word}, {sure.certainty:.2f} of what the blog's own headings reach.",
        "",
        *table(taken, posts),
    ]


def main(arguments: Sequence[str] | None = None) -> int:
    """Print what decides; returns the exit status."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.why")
    parser.add_argument("question")
    default = os.environ.get("BLOG_INDEX") or DEFAULT_FOLDER
    parser.add_argument("--index", type=Path, default=Path(default), metavar="DIR")
    parser.add_argument("--embedder-url", default=os.environ.get("OLLAMA_HOST", ""), metavar="URL")
    options = parser.parse_args(arguments)
    try:
        lines = explained(options.index, options.question, options.embedder_url)
    except BlogSearchError as error:
        return failure(error)
    sys.stdout.write("\n".join(lines) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
