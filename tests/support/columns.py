"""Evidence of single posts in, the columns of a search out; and back."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from blog_search_mcp.index.search.retrieval import Candidates

if TYPE_CHECKING:
    from blog_search_mcp.index.search.retrieval import Numbers


@dataclass(frozen=True, slots=True)
class Candidate:
    """One post of `Candidates`."""

    post_bm25: float
    chunks: tuple[int, ...]
    """The post's chunk ids in order; at least one."""
    bm25: Mapping[int, float]
    """By chunk id; without chunks that hold no word of the query."""
    cosines: Mapping[int, float]
    """By chunk id; without chunks that have no vector."""
    coverage: Mapping[int, float] = field(default_factory=dict)
    """By chunk id; without chunks that hold no word of the query."""


def rows(posts: Candidates) -> dict[int, Candidate]:
    """The posts by id."""
    own, shares = (np.split(each, posts.starts[1:]) for each in (posts.chunks, posts.coverage))
    found = {}
    for place, post in enumerate(posts.ids.tolist()):
        chunks = own[place].tolist()
        evidence = {chunk: posts.of_chunk(chunk) for chunk in chunks}
        found[post] = Candidate(
            float(posts.post_bm25[place]),
            tuple(chunks),
            {chunk: bm25 for chunk, (_, bm25) in evidence.items() if bm25 is not None},
            {chunk: cosine for chunk, (cosine, _) in evidence.items() if cosine is not None},
            {n: share for n, share in zip(chunks, shares[place].tolist(), strict=True) if share},
        )
    return found


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
        coverage=_numbers(each.coverage.get(chunk, 0.0) for each, chunk in chunks),
        cosines=_numbers(each.cosines.get(chunk, np.nan) for each, chunk in chunks),
        post_bm25=_numbers(each.post_bm25 for each in own),
    )


def _numbers(values: Iterable[float]) -> Numbers:
    return np.array(list(values), dtype=np.float64)
