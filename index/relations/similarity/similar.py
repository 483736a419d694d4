"""Find the posts that cover the same ground as a text, and which passages of both meet.

A passage of the text meets one of a post in one of two ways. In the same words: at least half of
its runs of four words stand in the post. Or by meaning: each is nearer to the other than to any
passage of another post of this blog, by a margin, and where both are in one language they share
rare words too. Both compare with the blog itself, and neither calls anything a duplicate: no
cosine separates a duplicate from a relative.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import TYPE_CHECKING, Literal

import numpy as np

from blog_search_mcp.index.analysis.query import analyse_query
from blog_search_mcp.index.errors import EmbedderError
from blog_search_mcp.index.relations.draft import Draft, embed_passages
from blog_search_mcp.index.relations.passages import NOWHERE
from blog_search_mcp.index.relations.similarity.wording import (
    Rarity,
    Runs,
    Wording,
    read_wording,
    share_runs,
)
from blog_search_mcp.index.relations.translations import find_translations

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Sequence

    from blog_search_mcp.index.relations.corpus import Corpus
    from blog_search_mcp.index.types import Chunk, Post, Vectors

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


def find_similar(corpus: Corpus, draft: Draft, limit: int) -> Similarity:
    """Find the `limit` posts that meet most of the draft, by words alone if need be.

    Neither the draft itself nor its translations are listed. Raises IndexBroken.
    """
    wordings = [read_wording(each.plain, draft.post.language) for each in draft.passages]
    judged = [n for n, each in enumerate(wordings) if len(each.stems) >= SHORTEST]
    judged = judged or list(range(len(wordings)))
    vectors, notice = None, None
    try:
        readable = corpus.snapshot.embedder.vocabulary_coverage([p.plain for p in draft.passages])
        vectors = (embed_passages(corpus, draft) * (np.array(readable)[:, np.newaxis] > 0))[judged]
    except EmbedderError as error:
        notice = f"By words alone, without comparing meaning: {error.for_clients}"
    own = {n for n, post in corpus.posts.items() if post.source == draft.post.source}
    translations = _find_translations(corpus, draft.post) - own
    short = replace(draft, passages=tuple(draft.passages[n] for n in judged))
    search = _Search(corpus, short, [wordings[n] for n in judged], vectors, own | translations)
    best = sorted(search.judge(), key=lambda item: (-item[1].score, item[1].post.source))
    families: dict[int, SimilarPost] = {}
    for family, each in best:
        families.setdefault(family, each)
    listed = [each for each in families.values() if each.meetings or each.kind == "same text"]
    nearest = [each.post for each in families.values()][: min(limit, NEAREST)]
    return Similarity(
        posts=tuple(_newer_first(listed)[:limit]),
        nearest=() if listed else tuple(nearest),
        passages=short.passages,
        said=len({meeting.passage for each in listed for meeting in each.meetings}),
        translations=tuple(corpus.posts[post] for post in sorted(translations)),
        notice=notice,
    )


class _Search:
    """One text, compared with one blog."""

    def __init__(
        self,
        corpus: Corpus,
        draft: Draft,
        wordings: Sequence[Wording],
        vectors: Vectors | None,
        hidden: Collection[int],
    ) -> None:
        self._corpus, self._draft, self._wordings = corpus, draft, wordings
        self._language = draft.post.language
        self._hidden = hidden
        lexical = corpus.snapshot.lexical
        self._rarity = Rarity(lexical.chunks.having, len(corpus.snapshot.table.chunks))
        self._blog = corpus.passages
        self._cosines: Vectors | None = None
        if vectors is not None and wordings and len(self._blog.posts):
            directions = self._blog.centre(vectors.astype(np.float32), self._language)
            self._cosines = self._blog.compare(directions)
        links = (corpus.addresses.find_target(link.href, draft.post.source) for link in draft.links)
        self._linked = {target.post for target in links if target}

    def judge(self) -> Iterator[tuple[int, SimilarPost]]:
        """Yield every post that some way of searching proposes, with its family."""
        by_post = None if self._cosines is None else self._hide(self._blog.by_post(self._cosines))
        mutual = {} if by_post is None else self._find_mutual(by_post)
        for post in sorted(self._propose(by_post)) if self._wordings else ():
            family = self._family(post)
            yield family, self._judge_post(post, mutual.get(family, frozenset()))

    def _hide(self, by_post: Vectors) -> Vectors:
        """Let nothing be near to hidden posts."""
        by_post[:, np.isin(self._blog.posts, list(self._hidden))] = NOWHERE
        return by_post

    def _family(self, post: int) -> int:
        """Return the same number for a post and its translations."""
        return min({post, *self._corpus.translations_of(post)})

    def _find_mutual(self, by_post: Vectors) -> dict[int, frozenset[int]]:
        """Return by family the passages that one of its posts meets by meaning, words aside."""
        assert self._cosines is not None
        blog, rows = self._blog, np.arange(len(by_post))
        families = np.array([self._family(post) for post in blog.posts.tolist()])
        places = by_post.argmax(axis=1)
        inside = [blog.windows_of(int(blog.posts[place])) for place in places]
        windows = [at.start + self._cosines[row, at].argmax() for row, at in enumerate(inside)]
        theirs = self._hide(blog.by_post(blog.compare(blog.directions_of(np.array(windows)))))
        is_elsewhere = families != families[places][:, np.newaxis]
        other = np.where(is_elsewhere, np.maximum(by_post, theirs), NOWHERE).max(axis=1)
        meets = 1.0 - by_post[rows, places] < MARGIN * (1.0 - other)
        return {
            family: frozenset(np.flatnonzero(meets & (families[places] == family)).tolist())
            for family in np.unique(families[places][meets]).tolist()
        }

    def _propose(self, by_post: Vectors | None) -> set[int]:
        """Return the posts to look at."""
        snapshot, lexical = self._corpus.snapshot, self._corpus.snapshot.lexical.posts
        words = " ".join(self._rarity.find_prominent(self._wordings, lexical.having))
        query = analyse_query(words, snapshot.languages)
        alike = lexical.normalised_bm25(query, PROPOSED + len(self._hidden))
        proposed = set([post for post in alike if post not in self._hidden][:PROPOSED])
        proposed |= {post for post, each in self._corpus.posts.items() if self._is_copy(each)}
        if by_post is not None:
            near = np.argsort(-by_post.mean(axis=0), kind="stable")[:PROPOSED]
            commonest = Counter(by_post.argmax(axis=1).tolist()).most_common(PROPOSED)
            proposed |= set(self._blog.posts[[*near, *(place for place, _ in commonest)]].tolist())
        return proposed - {*self._hidden}

    def _judge_post(self, number: int, mutual: Collection[int]) -> SimilarPost:
        post, snapshot = self._corpus.posts[number], self._corpus.snapshot
        chunks = snapshot.catalog.chunks_of(number)
        theirs = {n: read_wording(chunk.plain, post.language) for n, chunk in chunks.items()}
        runs: Runs = frozenset().union(*(each.runs for each in theirs.values()))
        is_foreign = _differ(self._language, post.language)
        near = np.full((len(self._wordings), len(chunks)), NOWHERE, dtype=np.float32)
        if self._cosines is not None:
            near = self._blog.by_chunk(self._cosines, number, np.array([*chunks]))
        words = np.zeros(near.shape)
        meetings: list[Meeting] = []
        for n, mine in enumerate(self._wordings):
            full = self._rarity.sum(mine.words) or 1.0
            words[n] = [
                self._rarity.sum(mine.words & each.words) / full for each in theirs.values()
            ]
            repeated, at = share_runs(mine.runs, runs), None
            if repeated >= REPEATED:
                at = int(np.argmax([len(each.runs & mine.runs) for each in theirs.values()]))
            elif n in mutual:
                at = int(near[n].argmax())
                is_met = near[n, at] > NOWHERE and (is_foreign or words[n, at] >= SHARED)
                at = at if is_met else None
            if at is not None:
                chunk = [*chunks.values()][at]
                sentence = self._rarity.find_sentence(chunk.plain, post.language, mine)
                meetings.append(Meeting(n, chunk, repeated, sentence))
        meaning = np.maximum(near.max(axis=1, initial=0.0), 0.0)
        scores = meaning if is_foreign else (meaning + words.max(axis=1, initial=0.0)) / 2
        return SimilarPost(
            post,
            self._name_kind(post, meetings, runs, is_foreign),
            min(float(scores.mean()), 1.0),
            len(meetings) / len(self._wordings),
            tuple(meetings),
            number in self._linked,
            snapshot.translations.others.get(number, ()),
        )

    def _name_kind(
        self, post: Post, meetings: Sequence[Meeting], runs: Runs, is_foreign: bool
    ) -> Kind:
        if is_foreign:
            places = [each.chunk.index for each in meetings]
            ordered = len(places) and 1 + sum(one <= other for one, other in pairwise(places))
            return "translation" if ordered >= MOST * len(self._wordings) else "same ground"
        whole = Wording(tuple(stem for each in self._wordings for stem in each.stems))
        is_same = share_runs(whole.runs, runs) >= MOST and len(whole.stems) >= SHORTEST
        return "same text" if is_same or self._is_copy(post) else "same ground"

    def _is_copy(self, post: Post) -> bool:
        """Whether one of both names the other as where it was first published."""
        mine = self._draft.post
        return bool({mine.canonical_url, mine.url} & {post.canonical_url, post.url} - {"", None})


def _find_translations(corpus: Corpus, post: Post) -> frozenset[int]:
    """Return the posts that are the same in other languages, by place or key."""
    posts = {number: each for number, each in corpus.posts.items() if each.source != post.source}
    groups = find_translations({**posts, _DRAFT: post}) if post.source else []
    families = (frozenset(each.post for each in group) for group in groups)
    return next((family - {_DRAFT} for family in families if _DRAFT in family), frozenset())


def _differ(mine: str, theirs: str) -> bool:
    """Whether these are tags of two languages or of two scripts of one."""
    longer, shorter = sorted((mine, theirs), key=len, reverse=True)
    return bool(shorter) and not f"{longer}-".startswith(f"{shorter}-")


def _newer_first(rest: list[SimilarPost]) -> list[SimilarPost]:
    """Put the newer first of posts that meet the same passages about as well; best first else."""
    ordered: list[SimilarPost] = []
    while rest:
        met = [each.passage for each in rest[0].meetings]
        equal = [
            each
            for each in rest
            if rest[0].score - each.score <= TIE and [m.passage for m in each.meetings] == met
        ]
        ordered.append(max(equal, key=lambda each: (each.post.date or "", each.score)))
        rest = [each for each in rest if each is not ordered[-1]]
    return ordered
