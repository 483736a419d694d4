"""What shapes an index besides the posts' bytes: numbers and flags, compared at each run.

An index made by another recipe is made anew; the cache keeps that cheap.
"""

from index.analysis import ANALYSIS
from index.confidence import FORMULA

Recipe = dict[str, int | bool | str]

CHUNKING = 2
"""Raise it when the same post would come out in other chunks (`ingest.chunker`); an index of
another number is chunked anew by the next ingest."""

READING = 2
"""Raise it when the same file would give other metadata or another plain text."""


def recipe(include_drafts: bool, index_descriptions: bool, site: str) -> Recipe:
    """The recipe of this program under these settings; `site` tells links apart."""
    return {
        "analysis": ANALYSIS,
        "confidence": FORMULA,
        "chunking": CHUNKING,
        "reading": READING,
        "include_drafts": include_drafts,
        "index_descriptions": index_descriptions,
        "site": site,
    }
