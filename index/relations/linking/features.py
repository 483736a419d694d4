"""What speaks for a link from a text to each post of a blog, as numbers.

Cosines are standardised over the blog's posts, because embedders spread them differently.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from operator import attrgetter
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from blog_search_mcp.index.relations.linking.names import Mention, Names, TitleTable, title_stems

if TYPE_CHECKING:
    from blog_search_mcp.index.relations.corpus import Corpus
    from blog_search_mcp.index.relations.draft import Draft
    from blog_search_mcp.index.relations.linking.prose import Prose
    from blog_search_mcp.index.types import Ids, Vectors

FEATURES = (
    "named",
    "used",
    "share",
    "rare",
    "text_share",
    "text_rare",
    "post",
    "chunk",
    "passage",
    "tags",
    "popular",
    "recent",
    "titles",
    "cited",
)
NEIGHBORS = 10
"""Posts most like the text whose links count."""

Floats = npt.NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class Evidence:
    """What a text has in common with posts."""

    posts: Ids
    features: Floats
    """Of shape (posts, FEATURES)."""
    mentions: dict[int, list[Mention]]
    """By post, where the text names it."""


def find_evidence(
    corpus: Corpus,
    draft: Draft,
    prose: Prose,
    vectors: Vectors | None,
    among: Collection[int],
) -> Evidence:
    """Compare a text with the posts `among`, whose links alone count."""
    posts = np.array(sorted(among), dtype=np.int64)
    mentions = _find_mentions(corpus.names, prose, frozenset(among))
    table = corpus.names.table.of(posts)
    columns = _compare_posts(corpus, draft, vectors, posts)
    columns |= _compare_words(corpus, table, prose, [mentions.get(int(post), []) for post in posts])
    columns |= _count_links(corpus, posts, columns["post"])
    return Evidence(posts, _stack(columns, len(posts)), mentions)


def find_backward_evidence(
    corpus: Corpus,
    draft: Draft,
    names: Names,
    texts: Mapping[int, Prose],
    vectors: Vectors | None,
    among: Collection[int],
) -> Evidence:
    """Compare posts, given by their `texts`, with a draft that they are to link to.

    `names` are those of the draft alone, as post 0. Cosines are standardised over the posts
    `among`.
    """
    everyone = np.array(sorted(among), dtype=np.int64)
    posts = np.array(sorted(texts), dtype=np.int64)
    places = np.searchsorted(everyone, posts)
    columns = {
        name: values[places]
        for name, values in _compare_posts(corpus, draft, vectors, everyone).items()
    }
    table = names.table
    mentions = {
        int(post): _find_mentions(names, texts[int(post)], frozenset()).get(0, []) for post in posts
    }
    words = [
        _compare_words(corpus, table, texts[int(post)], [mentions[int(post)]]) for post in posts
    ]
    for name in words[0] if words else ():
        columns[name] = np.array([each[name][0] for each in words], dtype=np.float32)
    return Evidence(posts, _stack(columns, len(posts)), mentions)


def _stack(columns: Mapping[str, Floats], count: int) -> Floats:
    nothing = np.zeros(count, dtype=np.float32)
    return np.stack([columns.get(name, nothing) for name in FEATURES], axis=1)


def _compare_words(
    corpus: Corpus, table: TitleTable, prose: Prose, mentions: Sequence[Sequence[Mention]]
) -> dict[str, Floats]:
    """Compare a text's words with the titles of `table`, each of which has its mentions."""
    highest = corpus.snapshot.lexical.posts.max_idf or 1.0
    rows = [[term.stem for term in each.terms] for each in prose.sentences]
    rarity = np.minimum(table.totals / highest, 3.0) / 3.0
    share = table.best_shares(rows)
    text_share = table.best_shares([[stem for row in rows for stem in row]])
    certainty = [[min(each.weight / highest, 1.0) for each in found] for found in mentions]
    named, used = (
        np.array(
            [
                max((value(m) * sure for m, sure in zip(*pair, strict=True)), default=0.0)
                for pair in zip(mentions, certainty, strict=True)
            ],
            dtype=np.float32,
        )
        for value in (attrgetter("share"), attrgetter("used"))
    )
    return {
        "named": named,
        "used": used,
        "share": share,
        "rare": share * rarity,
        "text_share": text_share,
        "text_rare": text_share * rarity,
    }


def _compare_posts(
    corpus: Corpus, draft: Draft, vectors: Vectors | None, posts: Ids
) -> dict[str, Floats]:
    """Compare what a draft and posts are about, and what is known of them."""
    table = corpus.names.table.of(posts)
    columns = {
        "titles": table.best_shares([title_stems(draft.post)]),
        "tags": _share_tags(corpus, draft, posts),
        "recent": _recency(corpus, draft, posts),
        "post": np.zeros(len(posts), dtype=np.float32),
    }
    if vectors is not None and np.any(vectors) and len(posts):
        columns |= _cosines(corpus, vectors, posts)
    return columns


def _count_links(corpus: Corpus, posts: Ids, likeness: Floats) -> dict[str, Floats]:
    """Count the links among posts, and those of the posts that are most like the text."""
    places = {post: place for place, post in enumerate(posts.tolist())}
    popular, cited = np.zeros((2, len(posts)), dtype=np.float32)
    nearest = set(np.argsort(-likeness, kind="stable")[:NEIGHBORS].tolist())
    for of, tos in corpus.linked.items():
        if of not in places:
            continue
        alike = max(float(likeness[places[of]]), 0.0) if places[of] in nearest else 0.0
        for to in tos & places.keys():
            popular[places[to]] += 1.0
            cited[places[to]] += alike
    return {"popular": np.log1p(popular) / 3, "cited": np.log1p(cited)}


def _find_mentions(names: Names, prose: Prose, linking: frozenset[int]) -> dict[int, list[Mention]]:
    found: dict[int, list[Mention]] = {}
    for sentence in prose.sentences:
        for mention in names.find_mentions(sentence, linking):
            if prose.is_linkable(mention.start, mention.end):
                found.setdefault(mention.post, []).append(mention)
    return found


def _share_tags(corpus: Corpus, draft: Draft, posts: Ids) -> Floats:
    counts = Counter(tag.casefold() for post in corpus.posts.values() for tag in post.tags)
    own = {tag.casefold() for tag in draft.post.tags}
    total = max(len(corpus.posts), 2)
    return np.array(
        [
            sum(
                np.log(total / counts[tag]) / np.log(total)
                for tag in own & {t.casefold() for t in corpus.posts[int(post)].tags}
            )
            for post in posts
        ],
        dtype=np.float32,
    )


def _recency(corpus: Corpus, draft: Draft, posts: Ids) -> Floats:
    """Return how near in time each post is to the draft; one without a date as the mean of all."""
    dates = [corpus.posts[post].date for post in posts.tolist()]
    now = draft.post.date or max(filter(None, dates), default="")
    days = [date.fromisoformat(day).toordinal() if day else np.nan for day in dates]
    if not now or np.isnan(days).all():
        return np.zeros(len(posts), dtype=np.float32)
    recent = np.exp(-np.abs(date.fromisoformat(now).toordinal() - np.array(days)) / 365)
    neutral: Floats = np.nan_to_num(recent, nan=float(np.nanmean(recent))).astype(np.float32)
    return neutral


def _cosines(corpus: Corpus, vectors: Vectors, posts: Ids) -> dict[str, Floats]:
    centre = corpus.snapshot.vectors.mean()
    centred = vectors[np.any(vectors, axis=1)] - centre
    known = np.isin(corpus.post_vectors.posts, posts)
    ids = corpus.post_vectors.posts[known]
    if not len(ids):  # posts of a title alone have no vectors
        return {}
    places = np.searchsorted(posts, ids)
    mean = centred.mean(axis=0)
    mean /= max(float(np.linalg.norm(mean)), 1e-9)
    rows, counts = corpus.chunk_vectors
    owners = np.repeat(corpus.snapshot.table.posts, counts)
    firsts = np.flatnonzero(np.diff(owners, prepend=-1))
    nearest = (rows @ vectors.T).max(axis=1)
    chunk = np.maximum.reduceat(nearest, firsts)[known]
    norms = np.maximum(np.linalg.norm(centred, axis=1, keepdims=True), 1e-9)
    direction = corpus.post_vectors.rows[known]
    found = {
        "post": direction @ mean,
        "chunk": chunk,
        "passage": (direction @ (centred / norms).T).max(axis=1),
    }
    result: dict[str, Floats] = {}
    for name, values in found.items():
        full = np.zeros(len(posts), dtype=np.float32)
        full[places] = (values - values.mean()) / max(float(values.std()), 1e-9)
        result[name] = full
    return result
