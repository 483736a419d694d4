"""`python -m benchmarks.quality.order_checks POSTS...`: how many mixed up batches are found.

Each folder is ingested with the packaged embedder, and in each batch that it got two vectors drawn
at random are exchanged, one batch at a time: how often the text that would be embedded alone is one
of the two, if it is embedded of every batch and if of those that an ingest checks.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import date
from pathlib import Path

import numpy as np

from benchmarks.options import count, folder, report_failure
from benchmarks.quality.report import format_share
from blog_search_mcp.index.embedders.packaged import OnnxEmbedder, PackagedModel
from blog_search_mcp.index.embedders.registry import Choice, CountLanguages, choose_embedder
from blog_search_mcp.index.embedders.remote.batching import OrderChecks, find_doubtful
from blog_search_mcp.index.errors import BlogSearchError
from blog_search_mcp.index.types import EmbedderIdentity, Vectors
from blog_search_mcp.ingest.embedding import BATCH
from blog_search_mcp.ingest.pipeline import ingest
from blog_search_mcp.ingest.plan import Job
from blog_search_mcp.ingest.report import Progress, progress_on

COLUMNS = ("blog", "batches", "found, every batch", "found", "texts twice, every batch", "twice")


@dataclass(frozen=True, slots=True, eq=False)
class Batch:
    """What an embedder was asked for at once, and its answer."""

    texts: Sequence[str]
    rows: Vectors


@dataclass(frozen=True, slots=True)
class Found:
    """What the checks find of one blog's batches."""

    batches: int
    of_every: float
    """Share of the exchanges that are found if every batch is checked."""
    of_checked: float
    """The same if those are checked that an ingest checks."""
    checked: float
    """Share of the batches that are checked."""


class _Keeping(OnnxEmbedder):
    """Keeps full batches."""

    def __init__(self, model: PackagedModel) -> None:
        super().__init__(model)
        self.batches: list[Batch] = []

    def embed_documents(self, texts: Sequence[str]) -> Vectors:
        rows = super().embed_documents(texts)
        self.batches += [Batch(list(texts), rows)] if len(texts) == BATCH else []
        return rows


def main() -> int:
    """Measure every folder; return the exit status."""
    options = _parser().parse_args()
    sys.stdout.write(f"| {' | '.join(COLUMNS)} |\n|{' --- |' * len(COLUMNS)}\n")
    try:
        with progress_on(sys.stderr) as progress:
            for content in options.posts:
                found = measure(embed_batches(content, progress), options.runs)
                sys.stdout.write(f"| {' | '.join(_row(content, found))} |\n")
                sys.stdout.flush()
    except BlogSearchError as error:
        return report_failure(error)
    return 0


def embed_batches(content: Path, progress: Progress) -> list[Batch]:
    """Ingest a folder; return the full batches in the order sent. Raises BlogSearchError."""
    keeping: list[_Keeping] = []

    def choose(existing: EmbedderIdentity | None, languages: CountLanguages) -> Choice:
        choice = choose_embedder("embedded", None, "", existing, languages)
        assert isinstance(choice.embedder, OnnxEmbedder)
        keeping.append(_Keeping(choice.embedder.model))
        return replace(choice, embedder=keeping[0])

    with tempfile.TemporaryDirectory() as made:
        ingest(Job(content, Path(made), choose, date.today()), progress)
    return keeping[0].batches


def measure(batches: Sequence[Batch], runs: int) -> Found:
    """Exchange two rows of each batch, `runs` times with another two."""
    rng = np.random.default_rng(0)
    doubts = [find_doubtful(each.texts, each.rows).doubt for each in batches]
    seen = of_checked = 0
    for place, batch in enumerate(batches):
        for _ in range(runs):
            pair = rng.choice(len(batch.texts), 2, replace=False)
            rows = batch.rows.copy()
            rows[pair] = rows[pair[::-1]]
            doubtful = find_doubtful(batch.texts, rows)
            is_seen = doubtful.place in pair
            seen += is_seen
            of_checked += is_seen and _are_due([*doubts[:place], doubtful.doubt])[-1]
    trials = max(len(batches) * runs, 1)
    checked = sum(_are_due(doubts)) / max(len(batches), 1)
    return Found(len(batches), seen / trials, of_checked / trials, checked)


def _are_due(doubts: Sequence[float]) -> list[bool]:
    checks = OrderChecks()
    return [checks.are_due(doubt) for doubt in doubts]


def _row(content: Path, found: Found) -> Sequence[str]:
    return (
        content.parent.name,
        str(found.batches),
        format_share(found.of_every),
        format_share(found.of_checked),
        format_share(1 / BATCH),
        format_share(found.checked / BATCH),
    )


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="benchmarks.quality.order_checks", description=__doc__)
    parser.add_argument("posts", nargs="+", type=folder, metavar="POSTS", help="folders of posts")
    parser.add_argument("--runs", type=count, default=20, help="exchanges in each batch")
    return parser


if __name__ == "__main__":
    sys.exit(main())
