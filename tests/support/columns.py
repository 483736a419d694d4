"""Evidence of single posts in, the columns of a search out."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING

import numpy as np

from blog_search_mcp.index.search.retrieval import Candidate, Candidates

if TYPE_CHECKING:
    from blog_search_mcp.index.search.retrieval import Numbers


def columns(posts: Mapping[int, Candidate]) -> Candidates:
    """The posts by id, in the order of the ids."""
    ids = sorted(posts)
    own = [posts[number] for number in ids]
    chunks = [(each, chunk) for each in own for chunk in each.chunks]
    return Candidates(
        ids=np.array(ids, dtype=np.int64),
        counts=np.array([len(each.chunks) for each in own], dtype=np.int64),
        chunks=np.array([chunk for _, chunk in chunks], dtype=np.int64),
        bm25=_numbers(each.bm25.get(chunk, 0.0) for each, chunk in chunks),
        cosines=_numbers(each.cosines.get(chunk, np.nan) for each, chunk in chunks),
        post_bm25=_numbers(each.post_bm25 for each in own),
        about_bm25=_numbers(each.about_bm25 for each in own),
    )


def _numbers(values: Iterable[float]) -> Numbers:
    return np.array(list(values), dtype=np.float64)
