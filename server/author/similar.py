"""Find the posts that cover the same ground as a text, and which passages of both meet.

A passage of the text meets one of a post in one of two ways. In the same words: at least half of
its runs of four words stand in the post. Or by meaning: it is nearer to it than to any passage of
another post of this blog, by a margin, and where both are in one language they share rare words
too. Both compare with the blog itself, and neither calls anything a duplicate: no cosine separates
a duplicate from a relative.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np

from blog_search_mcp.index.search.previews import make_snippet
from blog_search_mcp.index.text.query import analyse_query
from blog_search_mcp.index.types import Chunk, Post, Vectors
from blog_search_mcp.server.author.corpus import Corpus
from blog_search_mcp.server.author.draft import Draft, embed_passages
from blog_search_mcp.server.author.neighbors import NOWHERE
from blog_search_mcp.server.author.overlap import Rarity, read_wording, share_runs

Kind = Literal["translation", "same text", "same ground"]
"""What a post is to a text: the same in another language; mostly its words, such as a post
published twice or the post that the text was cut from; or neither."""

MIN_SAME_RUNS = 0.5
"""Share of a passage's runs of words that stand in a post from which on it says the same words.
Of posts re-published with a quarter of their sentences left out, .82 to .95 of the passages reach
it; of other posts' passages .02 to .17, which are those that a blog does repeat."""
MIN_SHARED_WORDS = 0.4
"""Share of a passage's words, by rarity, that a passage which meets it by meaning has too."""
MAX_DISTANCE_RATIO = 0.8
"""How much farther the next post must be (a distance is 1 less the cosine) for two passages to
meet by meaning."""
MIN_TEXT_SHARE = 0.7
"""Share of a text's runs of words that makes it the same text as a post, and of its passages that
makes it a translation."""
MIN_WORDS = 8
"""Words of a passage that can be said to be said already."""
MIN_RUNS = 5
"""Runs of words of a text that can be the same."""
PROPOSALS = 15
"""Posts that each way of searching proposes: all passages together, each passage, rare words."""
RARE_WORDS = 30
"""Words that posts are searched for by."""
NEAREST_POSTS = 3
"""Posts named where none covers the same ground."""
SNIPPET_COLUMNS = 120
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
    notice: str = ""
    """One sentence the reader must see (meaning is not compared), if there is any."""


def find_similar(corpus: Corpus, draft: Draft, limit: int) -> Similarity:
    """Find the `limit` posts that meet most of the draft, by words alone if need be.

    Of posts that come as near the newer is first. Neither the draft itself nor its translations are
    listed. Raises IndexBroken.
    """
    lengths = [read_wording(part.plain, draft.post.language).length for part in draft.passages]
    judged = [n for n, length in enumerate(lengths) if length >= MIN_WORDS] or range(len(lengths))
    vectors, notice = embed_passages(corpus, draft)
    draft = replace(draft, passages=tuple(draft.passages[n] for n in judged))
    own = {n for n, post in corpus.posts.items() if post.source == draft.post.source}
    translations = frozenset[int]().union(*map(corpus.translations_of, own))
    best = sorted(
        _Search(corpus, draft, vectors[list(judged)], own | translations).judge(),
        key=lambda it: it.post.source,
    )
    best.sort(key=lambda it: (round(it.score, 2), it.post.date or ""), reverse=True)
    families = [{it.post.source, *(source for _, source in it.translations)} for it in best]
    best = [it for n, it in enumerate(best) if it.post.source not in set().union(*families[:n])]
    listed = [it for it in best if it.meetings]
    return Similarity(
        posts=tuple(listed[:limit]),
        nearest=() if listed else tuple(it.post for it in best[: min(limit, NEAREST_POSTS)]),
        passages=draft.passages,
        said=len({meeting.passage for it in listed for meeting in it.meetings}),
        translations=tuple(corpus.posts[post] for post in sorted(translations)),
        notice=notice,
    )


class _Search:
    """One text, compared with one blog."""

    def __init__(
        self, corpus: Corpus, draft: Draft, vectors: Vectors, hidden: Collection[int]
    ) -> None:
        self._corpus, self._hidden, self._language = corpus, hidden, draft.post.language
        self._wordings = [read_wording(passage.plain, self._language) for passage in draft.passages]
        level = corpus.snapshot.lexical.chunks
        self._rarity = Rarity(level.having, level.documents)
        self._linked = corpus.targets_of(draft.links, draft.post.source)
        self._cosines = corpus.passages.compare(vectors, self._language)

    def judge(self) -> Iterator[SimilarPost]:
        """Yield every post that some way of searching proposes."""
        proposed, near = self._search_words(), dict[int, int]()
        if self._cosines.size:
            by_post = self._corpus.passages.by_post(self._cosines)
            by_post[:, np.isin(self._corpus.passages.posts, list(self._hidden))] = NOWHERE
            together = np.argsort(-by_post.mean(axis=0), kind="stable")[:PROPOSALS].tolist()
            commonest = Counter(by_post.argmax(axis=1).tolist()).most_common(PROPOSALS)
            places = [*together, *(place for place, _ in commonest)]
            proposed.update(self._corpus.passages.posts[places].tolist())
            near = dict(self._find_near(by_post))
        for post in sorted(proposed.difference(self._hidden)):
            family = self._family(post)
            yield self._judge_post(post, {n for n, other in near.items() if other == family})

    def _family(self, post: int) -> int:
        """Return the same number for a post and its translations."""
        return min({post, *self._corpus.translations_of(post)})

    def _search_words(self) -> set[int]:
        """Return the posts that share most of the rarest words."""
        level, languages = self._corpus.snapshot.lexical.posts, self._corpus.snapshot.languages
        words = filter(level.having, set().union(*(wording.words for wording in self._wordings)))
        rarest = sorted(words, key=lambda stem: (-self._rarity.of(stem), stem))[:RARE_WORDS]
        query = analyse_query(" ".join(rarest), languages)
        return set(level.normalised_bm25(query, PROPOSALS + len(self._hidden)))

    def _find_near(self, by_post: Vectors) -> Iterator[tuple[int, int]]:
        """Yield each passage that meets a post by meaning, words aside, and the post's family."""
        families = np.array([self._family(post) for post in self._corpus.passages.posts.tolist()])
        for passage, cosines in enumerate(by_post):
            family = families[cosines.argmax()]
            other = cosines.max(where=families != family, initial=NOWHERE)
            if 1.0 - cosines.max() < MAX_DISTANCE_RATIO * (1.0 - other):
                yield passage, int(family)

    def _judge_post(self, number: int, near: Collection[int]) -> SimilarPost:
        """Judge a post, to which the passages `near` are nearest in meaning."""
        post, chunks = self._corpus.posts[number], self._corpus.snapshot.catalog.chunks_of(number)
        theirs = [read_wording(chunk.plain, post.language) for chunk in chunks.values()]
        longer, shorter = sorted((self._language, post.language), key=len, reverse=True)
        # Of two languages, or of two scripts of one: zh-tw is no other language than zh.
        is_foreign = bool(shorter) and not f"{longer}-".startswith(f"{shorter}-")
        words = np.zeros((len(self._wordings), len(chunks)))
        compared = self._corpus.passages.by_chunk(self._cosines, number)
        cosines = np.maximum(compared, 0.0) if compared.size else words
        meetings = list[Meeting]()
        runs = frozenset[tuple[str, ...]]().union(*(wording.runs for wording in theirs))
        for n, mine in enumerate(self._wordings):
            words[n] = [self._rarity.share(wording.words, of=mine.words) for wording in theirs]
            repeated, at = share_runs(mine.runs, runs), int(cosines[n].argmax())
            if repeated >= MIN_SAME_RUNS:
                at = int(np.argmax([len(wording.runs & mine.runs) for wording in theirs]))
            elif n not in near or not (is_foreign or words[n, at] >= MIN_SHARED_WORDS):
                continue
            chunk = [*chunks.values()][at]
            weights = {stem: self._rarity.of(stem) for stem in mine.words}
            says = make_snippet(chunk.plain, weights, post.language, SNIPPET_COLUMNS)
            meetings.append(Meeting(n, chunk, repeated, says))
        meaning, alike = cosines.max(axis=1, initial=0.0), words.max(axis=1, initial=0.0)
        all_runs = frozenset[tuple[str, ...]]().union(*(wording.runs for wording in self._wordings))
        is_translation = is_foreign and len(meetings) >= MIN_TEXT_SHARE * len(self._wordings)
        is_same = len(all_runs) >= MIN_RUNS and share_runs(all_runs, runs) >= MIN_TEXT_SHARE
        kind: Kind = "same text" if is_same else "same ground"
        return SimilarPost(
            post,
            "translation" if is_translation else kind,
            float((meaning if is_foreign else (meaning + alike) / 2).mean()),
            tuple(meetings),
            number in self._linked,
            self._corpus.snapshot.translations_of(number),
        )
