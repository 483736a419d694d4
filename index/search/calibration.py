"""Calibrate a blog: how near its own headings and absent ones come to its passages.

A heading certainly has an answer and a packaged heading about other things hardly any, so what the
two reach is the blog's measure of similarity and of confidence. The sample is taken by hash, so
that a growing blog keeps most of it, and is searched again only when the blog has changed much: the
medians then stay what they were while posts come in one by one.
"""

from __future__ import annotations

import zlib
from collections.abc import Collection, Sequence
from pathlib import Path
from statistics import median

from blog_search_mcp.index.analysis.languages import join_words, primary_subtag
from blog_search_mcp.index.search.confidence import LEAST_QUERY_COVERAGE
from blog_search_mcp.index.search.snapshot import Snapshot
from blog_search_mcp.index.types import Calibration, Vectors

SAMPLE = 100
"""Headings searched for."""

ABSENT_LANGUAGES = ("en", "zh", "ja", "de")
"""Columns of the table of absent headings."""

_ABSENT = Path(__file__).parents[1] / "data" / "absent_headings.txt"

FEWEST = 8
"""Headings whose medians are trusted; those that a blog lacks reach what is usual.

Its titles cannot stand for them: every chunk is embedded with its post's title, so a title comes
.73 to .84 of the way to a cosine of 1, on six blogs with all-MiniLM-L6-v2."""

USUAL_REACH = 0.4
"""How far on the way from what absent headings reach to a cosine of 1 a blog's own usually come:
.30 to .48 on eight blogs, with either packaged model. In similarity they gain as much."""


def calibrate(snapshot: Snapshot, embedded: dict[str, Vectors]) -> Calibration:
    """Compute the calibration of a generation that is complete.

    `embedded` are queries with their vectors, of an earlier generation; those of this one are
    added. Raises EmbedderError.
    """
    sample = sample_queries(snapshot.catalog.headings(without=snapshot.waiting))
    headings = [join_words(heading) for heading in sample]
    absent = choose_absent(snapshot.languages[0])
    texts = [*dict.fromkeys((*headings, *absent))] if len(snapshot.vectors) else []
    shares = snapshot.embedder.vocabulary_coverage(texts)
    pairs = zip(texts, shares, strict=True)
    covered = {text for text, share in pairs if share >= LEAST_QUERY_COVERAGE}
    if unknown := [text for text in texts if text in covered and text not in embedded]:
        embedded |= zip(unknown, snapshot.embedder.embed_queries(unknown), strict=True)

    nearest = dict[str, float]()
    for text in covered:
        nearest[text] = max(snapshot.vectors.search(embedded[text], 1).values())
    near = [text for text in headings if text in covered]
    reached = [nearest[text] for text in absent if text in covered]
    absent_cosine = _median(reached)
    gain = [USUAL_REACH * (1.0 - absent_cosine)] if reached else []
    heading_cosine = _median_or_usual(
        [nearest[text] for text in near], [absent_cosine + more for more in gain]
    )
    mean = snapshot.vectors.mean()
    above_blog = [nearest[text] - float(mean @ embedded[text]) for text in near]
    return Calibration(
        heading_similarity=max(_median_or_usual(above_blog, gain), 0.0),
        heading_cosine=heading_cosine,
        absent_cosine=min(absent_cosine, heading_cosine),
        characters=snapshot.catalog.count_characters(),
        chunks=len(snapshot.table.chunks),
        last_chunk=int(snapshot.table.chunks.max(initial=-1)),
    )


def choose_absent(language: str) -> Sequence[str]:
    """Choose the absent headings for a blog in `language`."""
    rows = (row.split("\t") for row in _ABSENT.read_text(encoding="utf-8").splitlines())
    columns = dict(zip(ABSENT_LANGUAGES, zip(*rows, strict=True), strict=True))
    absent: Sequence[str] = columns.get(primary_subtag(language), columns["en"])
    return absent


def sample_queries(headings: Collection[str]) -> list[str]:
    """The headings to search for: the same ones for the same blog, in any order of its posts."""
    hashed = ((zlib.crc32(text.encode("utf-8", "replace")), text) for text in set(headings))
    return [text for _, text in sorted(hashed)[:SAMPLE]]


def _median_or_usual(values: list[float], usual: list[float]) -> float:
    """Their median, where those that FEWEST lacks are the `usual` one if it is known."""
    return _median(values + usual * (FEWEST - len(values)))


def _median(values: Sequence[float]) -> float:
    return median(values) if values else 0.0
