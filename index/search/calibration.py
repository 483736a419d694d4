"""Calibrate a blog: search for its own headings and for absent ones, and keep the medians.

A heading certainly has an answer and a packaged heading about other things hardly any, so what the
two reach is the blog's measure of similarity and of confidence. The sample is taken by hash, so
that a growing blog keeps most of it, and is searched again only when the blog has changed much: the
medians then stay what they were while posts come in one by one.
"""

from __future__ import annotations

import zlib
from collections.abc import Collection, Iterable, Sequence
from pathlib import Path
from statistics import median

from blog_search_mcp.index.analysis.languages import EAST_ASIAN, join_words, primary_subtag
from blog_search_mcp.index.search.confidence import found_words, has_similarity
from blog_search_mcp.index.search.retrieval import retrieve_reach
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

COVERED_SHARE = 0.2
"""Share of the headings that the embedder's vocabulary must cover for its cosines to count on this
blog: a blog in two languages has a third or more, one in another language with English terms a
twentieth."""

USUAL_REACH = 0.4
"""How far on the way from what absent headings reach to a cosine of 1 a blog's own usually come:
.30 to .48 on eight blogs, with either packaged model. In similarity they gain as much."""

USUAL_FOUND = 0.9
"""How much of the words of a heading is usually found: .88 to .97 on eight blogs."""


def calibrate(snapshot: Snapshot, embedded: dict[str, Vectors]) -> Calibration:
    """Compute the calibration of a generation that is complete.

    `embedded` are queries with their vectors, of an earlier generation; those of this one are
    added. Raises EmbedderError.
    """
    headings = sample_queries(snapshot.catalog.headings(without=snapshot.waiting))
    absent, foreign = choose_absent(snapshot.languages[0])
    embedder, texts = snapshot.embedder, [*dict.fromkeys((*headings, *absent, *foreign))]
    if len(snapshot.vectors):
        unknown = [text for text in dict.fromkeys(map(join_words, texts)) if text not in embedded]
        coverages = embedder.vocabulary_coverage(unknown)
        if known := [text for text, share in zip(unknown, coverages, strict=True) if share]:
            embedded |= zip(known, embedder.embed_queries(known), strict=True)

    def embed(text: str) -> Vectors:
        if text not in embedded:  # the English words of a heading that is not covered
            embedded[text] = embedder.embed_queries([text])[0]
        return embedded[text]

    reach = {text: retrieve_reach(snapshot, text, embed) for text in texts}
    covered = {text: each for text, each in reach.items() if has_similarity(each)}

    def cosines(sample: Iterable[str]) -> list[float]:
        """The nearest vector's cosine to each query that the embedder covers."""
        return [covered[text].max_cosine or 0.0 for text in sample if text in covered]

    near = [text for text in headings if text in covered]
    near = near if len(near) > COVERED_SHARE * len(headings) else []
    absent_cosine = _median(cosines(absent))
    gain = [USUAL_REACH * (1.0 - absent_cosine)] if cosines(absent) else []
    heading_cosine = _median_or_usual(cosines(near), [absent_cosine + more for more in gain])
    above_blog = [(covered[text].max_cosine or 0.0) - covered[text].blog_cosine for text in near]
    return Calibration(
        heading_found=_median_or_usual([found_words(reach[h]) for h in headings], [USUAL_FOUND]),
        absent_found=_median([found_words(reach[text]) for text in absent]),
        heading_similarity=max(_median_or_usual(above_blog, gain), 0.0),
        heading_cosine=heading_cosine,
        absent_cosine=min(absent_cosine, heading_cosine),
        foreign_cosine=_median(cosines(foreign)) or absent_cosine,
        characters=snapshot.catalog.count_characters(),
        chunks=len(snapshot.table.chunks),
        last_chunk=int(snapshot.table.chunks.max(initial=-1)),
    )


def choose_absent(language: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Choose absent headings for a blog in `language`, and the same ones in another script."""
    code = primary_subtag(language)
    rows = (row.split("\t") for row in _ABSENT.read_text(encoding="utf-8").splitlines())
    columns = dict(zip(ABSENT_LANGUAGES, zip(*rows, strict=True), strict=True))
    return columns.get(code, columns["en"]), columns["en" if code in EAST_ASIAN else "zh"]


def sample_queries(headings: Collection[str]) -> list[str]:
    """The headings to search for: the same ones for the same blog, in any order of its posts."""
    hashed = ((zlib.crc32(text.encode("utf-8", "replace")), text) for text in set(headings))
    return [text for _, text in sorted(hashed)[:SAMPLE]]


def _median_or_usual(values: list[float], usual: list[float]) -> float:
    """Their median, where those that FEWEST lacks are the `usual` one if it is known."""
    return _median(values + usual * (FEWEST - len(values)))


def _median(values: Sequence[float]) -> float:
    return median(values) if values else 0.0
