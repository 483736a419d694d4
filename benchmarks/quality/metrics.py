"""Ask queries, measure the answers, and average the measures by kind of query.

Relevance is binary, so a ranking is the ranks of its right posts. The other benchmarks use the same
measures of a ranking.
"""

import math
from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from statistics import fmean

from benchmarks.quality.blogs import JUDGED
from benchmarks.quality.queries import Query, fold
from blog_search_mcp import Filters, Hit
from blog_search_mcp.server.engine import Engine
from blog_search_mcp.server.mcp.read_chunk import READ_CHUNK
from blog_search_mcp.server.mcp.search_blog import SEARCH_BLOG
from examples.agent.loop import tokens_of

DEPTH, READ = 10, 5
"""Number of posts in nDCG, and number of hits that are read: the default of `search_blog`."""
PASSAGES = 3
"""Maximum hits of a post. In judged collections each post counts once, so PASSAGES times DEPTH hits
are requested."""
MEASURES = (
    *("hit@1", "hit@5", "nDCG@10", "in first", "in any", "low"),
    *("in right", "first preview", "any preview", "answer", "read"),
)
"""Names of the measures (docs/quality.md): true or false, a gain (nDCG@10), or tokens."""


def rank_of(right: Collection[str], sources: Iterable[str]) -> float:
    """Return the rank of the first right source, from 1; infinity if there is none."""
    return next((rank for rank, source in enumerate(sources, 1) if source in right), math.inf)


def gain(rank: float) -> float:
    """Return the gain of a right post at a rank (Järvelin and Kekäläinen 2002), 0 after DEPTH."""
    return 1 / math.log2(1 + rank) if rank <= DEPTH else 0.0


def ndcg(ranks: Iterable[float], wanted: int) -> float:
    """Return the sum of gains of these ranks, divided by that of the first `wanted` ranks."""
    return sum(map(gain, ranks)) / sum(map(gain, range(1, wanted + 1)))


def measure(engine: Engine, queries: Iterable[Query]) -> Mapping[str, list[Mapping[str, float]]]:
    """Ask every query; return the measures of its answers by kind, in order of first appearance."""
    measured = defaultdict[str, list[Mapping[str, float]]](list)
    for query in queries:
        measured[query.kind].append(ask(engine, query))
    return measured


def average(measured: Sequence[Mapping[str, float]]) -> list[float | None]:
    """Return the mean of each of MEASURES over the answers that have it; `None` if none has."""
    columns = ([each[name] for each in measured if name in each] for name in MEASURES)
    return [fmean(column) if column else None for column in columns]


def ask(engine: Engine, query: Query) -> dict[str, float]:
    """Search for a query and read its hits; return the MEASURES that apply to it.

    Raises BlogSearchError.
    """
    is_judged = query.kind == JUDGED
    depth = DEPTH * (PASSAGES if is_judged else 1)
    answer = engine.search(query.text, Filters(), limit=depth, offset=0)
    low = {"low": answer.confidence == "low"}
    if not query.right:
        return {**low}
    sources = [_count_as(hit, query) for hit in answer.hits]
    if is_judged:
        sources = list(dict.fromkeys(sources))[:DEPTH]
    rank = rank_of(query.right, sources)
    ranks = [at for at, source in enumerate(sources, 1) if source in query.right]
    share = ndcg(ranks, len(query.right)) if is_judged else gain(rank)
    found = {"hit@1": rank <= 1, "hit@5": rank <= READ, "nDCG@10": share}
    found |= low if rank <= READ else {}
    return found | _look_for_evidence(engine, query, answer.hits[:READ], rank)


def _look_for_evidence(
    engine: Engine, query: Query, hits: Sequence[Hit], rank: float
) -> dict[str, float]:
    """Return measures of evidence in the texts of the tools, `{}` if the query has no evidence."""
    if not query.evidence:
        return {}
    places = [{"source": hit.post.source, "chunk_index": hit.chunk.index} for hit in hits]
    reads = ["\n".join(READ_CHUNK.call(engine, place).texts) for place in places]
    wanted = " ".join(query.evidence.split())
    shown = [wanted in " ".join(text.split()) for text in reads]
    told = SEARCH_BLOG.call(engine, {"query": query.text})
    facts = SEARCH_BLOG.call(engine, {"query": query.text, "response_format": "json"}).facts or {}
    previews = [fold(wanted) in fold(hit["preview"]) for hit in facts["results"]]
    return {
        "in first": any(shown[:1]),
        "in any": any(shown),
        "in right": rank <= READ and shown[int(rank) - 1],
        "first preview": any(previews[:1]),
        "any preview": any(previews),
        "answer": tokens_of(told.texts[0]),
        **({"read": tokens_of(reads[0])} if reads else {}),
    }


def _count_as(hit: Hit, query: Query) -> str:
    """Return the right source among a hit's post and its translations, else the post's source."""
    sources = (hit.post.source, *(source for _, source in hit.translations))
    return next((source for source in sources if source in query.right), sources[0])
