"""Find the posts that cover the same ground as a text, and which passages of both meet.

A passage of the text meets one of a post in one of two ways. In the same words: at least half of
its runs of four words stand in the post. Or by meaning: each is nearer to the other than to any
passage of another post of this blog, by a margin, and where both are in one language they share
rare words too. Both compare with the blog itself, and neither calls anything a duplicate: no
cosine separates a duplicate from a relative.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np

from blog_search_mcp.index.analysis.query import analyse_query
from blog_search_mcp.index.errors import EmbedderError
from blog_search_mcp.index.relations.corpus import Corpus
from blog_search_mcp.index.relations.draft import Draft, embed_passages
from blog_search_mcp.index.relations.passages import NOWHERE
from blog_search_mcp.index.relations.similarity.wording import (
    Rarity,
    join_runs,
    read_wording,
    share_runs,
)
from blog_search_mcp.index.search.snippets import make_snippet
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
"""Share of a text's runs of words that makes it the same text as a post, and of its passages that
makes it a translation."""
SHORTEST = 8
"""Words of a passage that can be said to be said already."""
FEWEST = 5
"""Runs of words of a text that can be the same."""
PROPOSED = 15
"""Posts that each way of searching proposes: all passages together, each passage, rare words."""
RAREST = 30
"""Words that posts are searched for by."""
NEAREST = 3
"""Posts named where none covers the same ground."""
SAYS = 120
"""Columns of what a passage says."""


@dataclass(frozen=True, slots=True)
class Meeting:
    """A passage of the text and the passage of a post that says the same."""

    passage: int
    """Its place in the text."""
    chunk: Chunk
    same_words: float
    """Share of the passage's runs of words that stand in the post, in [0, 1]."""
    says: str
    """What of the chunk meets the passage, on a line."""


@dataclass(frozen=True, slots=True)
class SimilarPost:
    """A post that covers the same ground."""

    post: Post
    kind: Kind
    score: float
    """How near the post comes in meaning and words, in [0, 1]; to rank by alone."""
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

    Of posts that come as near the newer is first. Neither the draft itself nor its translations are
    listed. Raises IndexBroken.
    """
    lengths = [read_wording(each.plain, draft.post.language).length for each in draft.passages]
    judged = [n for n, length in enumerate(lengths) if length >= SHORTEST] or range(len(lengths))
    passages = tuple(draft.passages[n] for n in judged)
    vectors, notice = None, None
    try:
        vectors = embed_passages(corpus, draft)[list(judged)]
    except EmbedderError as error:
        notice = f"By words alone, without comparing meaning: {error.for_clients}"
    own = {n for n, post in corpus.posts.items() if post.source == draft.post.source}
    translations = frozenset[int]().union(*map(corpus.translations_of, own))
    search = _Search(corpus, replace(draft, passages=passages), vectors, own | translations)
    best = sorted(search.judge(), key=lambda it: it.post.source)
    best.sort(key=lambda it: (round(it.score, 2), it.post.date or ""), reverse=True)
    named: set[str] = set()
    for each in best:
        if each.post.source not in named:
            named |= {source for _, source in each.translations}
    best = [each for each in best if each.post.source not in named]
    listed = [each for each in best if each.meetings]
    nearest = [each.post for each in best[: min(limit, NEAREST)]]
    return Similarity(
        posts=tuple(listed[:limit]),
        nearest=() if listed else tuple(nearest),
        passages=passages,
        said=len({meeting.passage for each in listed for meeting in each.meetings}),
        translations=tuple(corpus.posts[post] for post in sorted(translations)),
        notice=notice,
    )


class _Search:
    """One text, compared with one blog."""

    def __init__(
        self, corpus: Corpus, draft: Draft, vectors: Vectors | None, hidden: Collection[int]
    ) -> None:
        self._corpus, self._draft, self._hidden = corpus, draft, hidden
        self._language = draft.post.language
        self._wordings = [read_wording(each.plain, self._language) for each in draft.passages]
        level = corpus.snapshot.lexical.chunks
        self._rarity = Rarity(level.having, level.documents)
        self._cosines: Vectors | None = None
        if vectors is not None and len(vectors) and len(corpus.passages.posts):
            directions = corpus.passages.centre(vectors, self._language)
            self._cosines = corpus.passages.compare(directions)
        links = (corpus.addresses.find_target(link.href, draft.post.source) for link in draft.links)
        self._linked = {target.post for target in links if target}

    def judge(self) -> Iterator[SimilarPost]:
        """Yield every post that some way of searching proposes."""
        if not self._wordings:
            return
        proposed, mutual = self._search_words(), set[tuple[int, int]]()
        if self._cosines is not None:
            by_post = self._hide(self._corpus.passages.by_post(self._cosines))
            proposed |= self._search_meaning(by_post)
            mutual = set(self._find_mutual(self._cosines, by_post))
        for post in sorted(proposed.difference(self._hidden)):
            family = self._family(post)
            yield self._judge_post(post, {n for n, other in mutual if other == family})

    def _hide(self, by_post: Vectors) -> Vectors:
        """Let nothing be near to hidden posts."""
        by_post[:, np.isin(self._corpus.passages.posts, list(self._hidden))] = NOWHERE
        return by_post

    def _family(self, post: int) -> int:
        """Return the same number for a post and its translations."""
        return min({post, *self._corpus.translations_of(post)})

    def _search_words(self) -> set[int]:
        """Return the posts that share most of the rarest words."""
        level, languages = self._corpus.snapshot.lexical.posts, self._corpus.snapshot.languages
        words = filter(level.having, set().union(*(each.words for each in self._wordings)))
        rarest = sorted(words, key=lambda stem: (-self._rarity.of(stem), stem))[:RAREST]
        query = analyse_query(" ".join(rarest), languages)
        return set(level.normalised_bm25(query, PROPOSED + len(self._hidden)))

    def _search_meaning(self, by_post: Vectors) -> set[int]:
        """Return the posts nearest to all passages together, and to each."""
        near = np.argsort(-by_post.mean(axis=0), kind="stable")[:PROPOSED]
        commonest = Counter(by_post.argmax(axis=1).tolist()).most_common(PROPOSED)
        places = [*near, *(place for place, _ in commonest)]
        return set(self._corpus.passages.posts[places].tolist())

    def _find_mutual(self, cosines: Vectors, by_post: Vectors) -> Iterator[tuple[int, int]]:
        """Yield each passage that meets a post by meaning, words aside, and the post's family."""
        blog = self._corpus.passages
        families = np.array([self._family(post) for post in blog.posts.tolist()])
        places = by_post.argmax(axis=1)
        inside = [blog.windows_of(int(blog.posts[place])) for place in places]
        windows = [at.start + cosines[row, at].argmax() for row, at in enumerate(inside)]
        theirs = self._hide(blog.by_post(blog.compare(blog.directions_of(np.array(windows)))))
        is_elsewhere = families != families[places][:, np.newaxis]
        other = np.where(is_elsewhere, np.maximum(by_post, theirs), NOWHERE).max(axis=1)
        meets = 1.0 - by_post.max(axis=1) < MARGIN * (1.0 - other)
        for passage in np.flatnonzero(meets).tolist():
            yield passage, int(families[places[passage]])

    def _judge_post(self, number: int, mutual: Collection[int]) -> SimilarPost:
        snapshot, post = self._corpus.snapshot, self._corpus.posts[number]
        chunks = snapshot.catalog.chunks_of(number)
        theirs = [read_wording(chunk.plain, post.language) for chunk in chunks.values()]
        is_foreign = _differ(self._language, post.language)
        shape = len(self._wordings), len(chunks)
        near, words = np.zeros(shape), np.zeros(shape)
        if self._cosines is not None:
            ids = np.array([*chunks], dtype=np.int64)
            near = np.maximum(self._corpus.passages.by_chunk(self._cosines, number, ids), 0.0)
        if not is_foreign:
            words[:] = [
                [self._rarity.share(each.words, of=mine.words) for each in theirs]
                for mine in self._wordings
            ]
        runs, meetings = join_runs(theirs), list[Meeting]()
        for n, mine in enumerate(self._wordings):
            repeated = share_runs(mine.runs, runs)
            at = int(near[n].argmax()) if n in mutual else -1
            if repeated >= REPEATED:
                at = int(np.argmax([len(each.runs & mine.runs) for each in theirs]))
            elif at < 0 or not (is_foreign or words[n, at] >= SHARED):
                continue
            chunk = [*chunks.values()][at]
            weights = {stem: self._rarity.of(stem) for stem in mine.words}
            says = make_snippet(chunk.plain, weights, post.language, SAYS)
            meetings.append(Meeting(n, chunk, repeated, says))
        meaning, alike = near.max(axis=1, initial=0.0), words.max(axis=1, initial=0.0)
        scores = meaning if is_foreign else (meaning + alike) / 2
        all_runs = join_runs(self._wordings)
        kind: Kind = "same ground"
        if is_foreign and len(meetings) >= MOST * len(self._wordings):
            kind = "translation"
        elif len(all_runs) >= FEWEST and share_runs(all_runs, runs) >= MOST:
            kind = "same text"
        return SimilarPost(
            post,
            kind,
            min(float(scores.mean()), 1.0),
            tuple(meetings),
            number in self._linked,
            snapshot.translations.others.get(number, ()),
        )


def _differ(mine: str, theirs: str) -> bool:
    """Whether these are tags of two languages or of two scripts of one."""
    longer, shorter = sorted((mine, theirs), key=len, reverse=True)
    return bool(shorter) and not f"{longer}-".startswith(f"{shorter}-")
