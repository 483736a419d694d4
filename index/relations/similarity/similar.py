"""Find the posts that cover the same ground as a text, and which passages of both meet.

A passage of the text meets one of a post in one of two ways. In the same words: at least half of
its runs of four words stand in the post. Or by meaning: each is nearer to the other than to any
passage of another post of this blog, by a margin, and where both are in one language they share
rare words too. Both compare with the blog itself, and neither calls anything a duplicate: no
cosine separates a duplicate from a relative.
"""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal, NamedTuple

import numpy as np

from blog_search_mcp.index.errors import EmbedderError
from blog_search_mcp.index.relations.draft import Draft, embed_passages
from blog_search_mcp.index.relations.similarity.passages import NOWHERE
from blog_search_mcp.index.relations.similarity.wording import (
    Rarity,
    Wording,
    join_wordings,
    read_wording,
    share_runs,
)
from blog_search_mcp.index.store.translations import find_translations

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Sequence

    from blog_search_mcp.index.relations.corpus import Corpus
    from blog_search_mcp.index.types import Chunk, Ids, Post, Vectors

Kind = Literal["translation", "same text", "same ground"]
"""What a post is to a text: the same in another language; mostly its words, such as a post
published twice or the post that the text was cut from; or neither."""

REPEATED = 0.5
"""Share of a passage's runs of words that stand in a post from which on it says the same words.
Of posts re-published with a quarter of their sentences left out, .82 to .95 of the passages reach
it; of other posts' passages .02 to .17, which are those that a blog does repeat."""
SHARED = 0.4
"""Share of a passage's words, by rarity, that a passage which meets it by meaning has too."""
MARGIN = 0.8
"""How much farther the next post must be (a distance is 1 less the cosine) for two passages to
meet by meaning. Without it a third of all passages are mutually nearest to one of another post;
with it and SHARED .04 to .07."""
MOST = 0.7
"""Share of a text's runs of words that makes it the same text as a post, and of its passages, in
order, that makes it a translation."""
TIE = 0.02
"""Scores that differ by no more are equal, if the same passages meet: the newer post is first."""
SHORTEST = 8
"""Words of a passage that can be said to be said already, and of a text that can be the same."""
PROPOSED = 15
"""Posts that each way of searching proposes: all passages together, each passage, rare words."""
NEAREST = 3
"""Posts named where none covers the same ground."""

_DRAFT = -1
"""No post's id."""


@dataclass(frozen=True, slots=True)
class Meeting:
    """A passage of the text and the passage of a post that says the same."""

    passage: int
    """Its place in the text."""
    chunk: Chunk
    same_words: float
    """Share of the passage's runs of four words that stand in the post, in [0, 1]."""
    sentence: str
    """Of the chunk: the one that meets."""


@dataclass(frozen=True, slots=True)
class SimilarPost:
    """A post that covers the same ground."""

    post: Post
    kind: Kind
    score: float
    """Mean over the passages of how near the post comes in meaning and words, in [0, 1]; to rank
    by, and no measure of duplication."""
    share: float
    """Share of the passages that meet it, in [0, 1]."""
    meetings: tuple[Meeting, ...]
    """In the order of the text."""
    is_linked: bool
    """Whether the text links to it."""
    translations: tuple[tuple[str, str], ...]
    """Language and source of each translation of the post; none of them is listed itself."""


@dataclass(frozen=True, slots=True)
class Similarity:
    """What a blog has said already of what a text says."""

    posts: tuple[SimilarPost, ...]
    """Best first."""
    nearest: tuple[Post, ...]
    """If there are none: the posts that come nearest all the same."""
    passages: tuple[Chunk, ...]
    """Of the text; those that are too short to be judged are left out."""
    said: int
    """How many of them meet any post, listed or not."""
    translations: tuple[Post, ...]
    """Posts that are known to be the text in other languages."""
    notice: str | None = None
    """One sentence the reader must see (meaning is not compared), else `None`."""


class _Nearness(NamedTuple):
    """How near a post is to each passage in meaning."""

    cosines: Vectors
    chunks: Ids | None
    """By passage, the post's nearest chunk; `None` if the post has no vectors."""
    met: frozenset[int]
    """The passages that it or a translation of it meets."""


def find_similar(corpus: Corpus, draft: Draft, limit: int) -> Similarity:
    """Find the `limit` posts that meet most of the draft, by words alone if need be.

    Neither the draft itself nor its translations are listed. Raises IndexBroken.
    """
    try:
        return rank_similar(corpus, draft, _embed_readable(corpus, draft), limit)
    except EmbedderError as error:
        notice = f"By words alone, without comparing meaning: {error.for_clients}"
        return replace(rank_similar(corpus, draft, None, limit), notice=notice)


def _embed_readable(corpus: Corpus, draft: Draft) -> Vectors:
    """Embed the passages, with zeros for those that the embedder cannot read."""
    readable = corpus.snapshot.embedder.vocabulary_coverage([p.plain for p in draft.passages])
    vectors = embed_passages(corpus, draft)
    return np.where(np.array(readable)[:, np.newaxis] > 0, vectors, np.float32(0))


def rank_similar(
    corpus: Corpus,
    draft: Draft,
    vectors: Vectors | None,
    limit: int,
    hidden: Collection[int] = (),
) -> Similarity:
    """Find them with the vectors of `embed_passages`, or by words alone; none of `hidden`.

    Raises IndexBroken.
    """
    search = _Search(corpus, draft, vectors, hidden)
    found = sorted(search.judge(), key=lambda each: (-each.score, each.post.source))
    distinct = _one_of_each_family(found)
    listed = [each for each in distinct if each.meetings or each.kind == "same text"]
    meeting = _newer_first(listed)
    met = {each.passage for post in meeting for each in post.meetings}
    return Similarity(
        posts=tuple(meeting[:limit]),
        nearest=() if meeting else tuple(each.post for each in distinct[: min(limit, NEAREST)]),
        passages=search.judged,
        said=len(met),
        translations=tuple(
            corpus.posts[post] for post in sorted(search.translations) if post not in hidden
        ),
    )


class _Search:
    """One text, compared with one blog."""

    def __init__(
        self, corpus: Corpus, draft: Draft, vectors: Vectors | None, hidden: Collection[int]
    ) -> None:
        self._corpus = corpus
        self._draft = draft
        self._language = draft.post.language
        own = {post for post, each in corpus.posts.items() if each.source == draft.post.source}
        self.translations = _find_translations(corpus, draft.post) - own
        self._hidden = {*hidden, *self.translations, *own}
        wordings = [read_wording(each.plain, self._language) for each in draft.passages]
        judged = [n for n, each in enumerate(wordings) if len(each.stems) >= SHORTEST]
        judged = judged or list(range(len(wordings)))
        self.judged = tuple(draft.passages[number] for number in judged)
        self._wordings = [wordings[number] for number in judged]
        self._vectors = None if vectors is None else vectors[judged]
        self._rarity = Rarity(corpus.snapshot)
        self._blog = corpus.passages

        targets = (
            corpus.addresses.find_target(link.href, draft.post.source) for link in draft.links
        )
        self._linked = {target.post for target in targets if target}
        self._whole = join_wordings(self._wordings)
        self._weights = [self._rarity.sum(each.words) for each in self._wordings]

    def judge(self) -> Iterator[SimilarPost]:
        """Yield every post that some way of searching proposes, with what meets."""
        if not self.judged:
            return
        cosines = self._compare()
        by_post = self._blog.by_post(cosines)
        self._blog.hide(by_post, self._hidden)
        mutual = self._find_mutual(cosines, by_post)
        places = {post: place for place, post in enumerate(self._blog.posts.tolist())}
        for post in sorted(self._propose(by_post)):
            near = _Nearness(np.zeros(len(self.judged), dtype=np.float32), None, frozenset())
            if (place := places.get(post)) is not None:
                own = self._blog.windows_of(place)
                chunks = self._blog.chunks[cosines[:, own].argmax(axis=1) + own.start]
                family = int(self._blog.families[place])
                near = _Nearness(by_post[:, place], chunks, mutual.get(family, frozenset()))
            yield self._judge_post(post, near)

    def _compare(self) -> Vectors:
        if self._vectors is None:
            return np.zeros((len(self.judged), len(self._blog.chunks)), dtype=np.float32)
        return self._blog.compare(self._vectors, self._language)

    def _find_mutual(self, cosines: Vectors, by_post: Vectors) -> dict[int, frozenset[int]]:
        """Return by family the passages that one of its posts meets by meaning, words aside."""
        if self._vectors is None or not len(self._blog.posts):
            return {}
        blog = self._blog
        places = by_post.argmax(axis=1)
        nearest = by_post[np.arange(len(by_post)), places]
        windows = np.array(
            [
                row[blog.windows_of(place)].argmax() + blog.starts[place]
                for row, place in zip(cosines, places.tolist(), strict=True)
            ]
        )
        theirs = blog.by_post(blog.compare_windows(windows))
        blog.hide(theirs, self._hidden)
        other = np.maximum(
            blog.best_elsewhere(by_post, places), blog.best_elsewhere(theirs, places)
        )
        meets = 1.0 - nearest < MARGIN * (1.0 - other)
        families = blog.families[places]
        return {
            family: frozenset(np.flatnonzero(meets & (families == family)).tolist())
            for family in np.unique(families[meets]).tolist()
        }

    def _propose(self, by_post: Vectors) -> set[int]:
        """Return the posts to look at."""
        words = self._rarity.prominent_words(self._wordings)
        lexical = self._corpus.snapshot.lexical.posts
        found = list(lexical.normalised_bm25(words, PROPOSED + len(self._hidden)))
        proposed = set([post for post in found if post not in self._hidden][:PROPOSED])
        proposed |= {post for post, each in self._corpus.posts.items() if self._is_copy(each)}
        if self._vectors is not None and by_post.size:
            means = by_post.mean(axis=0)
            near = np.argsort(-means, kind="stable")[:PROPOSED]
            singles, counts = np.unique(by_post.argmax(axis=1), return_counts=True)
            commonest = singles[np.argsort(-counts, kind="stable")][:PROPOSED]
            places = {*near[means[near] > NOWHERE].tolist(), *commonest.tolist()}
            proposed |= {int(self._blog.posts[place]) for place in places}
        return proposed - self._hidden

    def _judge_post(self, post_id: int, near: _Nearness) -> SimilarPost:
        post = self._corpus.posts[post_id]
        chunks = self._corpus.snapshot.catalog.chunks_of(post_id)
        theirs = {
            number: read_wording(chunk.plain, post.language) for number, chunk in chunks.items()
        }
        runs = frozenset[tuple[str, ...]]().union(*(each.runs for each in theirs.values()))
        is_foreign = _differ(self._language, post.language)
        meetings: list[Meeting] = []
        words: list[float] = []
        for passage, mine in enumerate(self._wordings):
            shares = {number: self._share(passage, each) for number, each in theirs.items()}
            words.append(max(shares.values(), default=0.0))
            repeated = share_runs(mine, runs)
            chunk = None
            if repeated >= REPEATED:
                chunk = max(theirs, key=lambda number: len(theirs[number].runs & mine.runs))
            elif passage in near.met and near.chunks is not None:
                nearest = int(near.chunks[passage])
                chunk = nearest if is_foreign or shares.get(nearest, 0.0) >= SHARED else None
            if chunk is not None:
                sentence = self._rarity.find_sentence(chunks[chunk].plain, post.language, mine)
                meetings.append(Meeting(passage, chunks[chunk], repeated, sentence))
        meaning = np.maximum(near.cosines, 0.0)
        score = meaning if is_foreign else (meaning + np.array(words)) / 2
        return SimilarPost(
            post,
            self._name_kind(post, meetings, share_runs(self._whole, runs), is_foreign),
            min(float(score.mean()), 1.0),
            len(meetings) / len(self.judged),
            tuple(meetings),
            post_id in self._linked,
            self._corpus.snapshot.translations.others.get(post_id, ()),
        )

    def _share(self, passage: int, theirs: Wording) -> float:
        shared = self._rarity.sum(self._wordings[passage].words & theirs.words)
        return shared / self._weights[passage] if shared else 0.0

    def _name_kind(
        self, post: Post, meetings: Sequence[Meeting], same_words: float, is_foreign: bool
    ) -> Kind:
        if is_foreign:
            ordered = _longest_ascent([each.chunk.index for each in meetings])
            return "translation" if ordered >= MOST * len(self.judged) else "same ground"
        repeated = same_words >= MOST and len(self._whole.stems) >= SHORTEST
        repeated = repeated or self._is_copy(post)
        return "same text" if repeated else "same ground"

    def _is_copy(self, post: Post) -> bool:
        """Whether one of both names the other as where it was first published."""
        mine = self._draft.post
        first = {mine.canonical_url, mine.url} & {post.canonical_url, post.url}
        return bool(first - {"", None})


def _find_translations(corpus: Corpus, post: Post) -> frozenset[int]:
    """Return the posts that are the same in other languages, by place or key."""
    posts = {number: each for number, each in corpus.posts.items() if each.source != post.source}
    found = find_translations({**posts, _DRAFT: post}) if post.source else []
    groups = (frozenset(each.post for each in group) for group in found)
    return next((group - {_DRAFT} for group in groups if _DRAFT in group), frozenset())


def _differ(mine: str, theirs: str) -> bool:
    """Whether these are tags of two languages or of two scripts of one."""
    longer, shorter = sorted((mine, theirs), key=len, reverse=True)
    return bool(shorter) and not f"{longer}-".startswith(f"{shorter}-")


def _longest_ascent(numbers: Sequence[int]) -> int:
    """Return how many of the numbers can be kept so that none is less than the one before."""
    ends: list[int] = []
    for number in numbers:
        place = bisect_right(ends, number)
        ends[place : place + 1] = [number]
    return len(ends)


def _one_of_each_family(found: Sequence[SimilarPost]) -> list[SimilarPost]:
    """Return the first post of those that are translations of one another."""
    kept: list[SimilarPost] = []
    named: set[str] = set()
    for each in found:
        if each.post.source not in named:
            kept.append(each)
            named |= {source for _, source in each.translations}
    return kept


def _newer_first(found: Sequence[SimilarPost]) -> list[SimilarPost]:
    """Put the newer first of posts that meet the same passages about as well; best first else."""
    ordered: list[SimilarPost] = []
    rest = list(found)
    while rest:
        best = rest[0]
        met = [each.passage for each in best.meetings]
        equal = [
            each
            for each in rest
            if best.score - each.score <= TIE and [one.passage for one in each.meetings] == met
        ]
        newest = max(equal, key=lambda each: (each.post.date or "", each.score))
        ordered.append(newest)
        rest.remove(newest)
    return ordered
