"""Find posts that cover the same ground as a text, and the passages of both that meet.

A passage of the text meets a passage of a post in one of two ways. In words: the post has at least
half of the text passage's runs of four words. In meaning: the text passage is nearer, by a margin,
to the post or its translations than to any other; in one language, they also share rare words. No
fixed cosine decides, since none separates duplicates from related passages.

Related posts are compared by vectors only. On five blogs, .24 to .55 of a post's links to posts
lead to one of its five related posts.
"""

from collections import Counter
from collections.abc import Collection, Iterator
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np

from blog_search_mcp.index.search.previews import make_snippet
from blog_search_mcp.index.text.query import analyze_query
from blog_search_mcp.index.types import Chunk, Post, Vectors
from blog_search_mcp.server.author.corpus import Corpus
from blog_search_mcp.server.author.draft import Draft, embed_passages
from blog_search_mcp.server.author.neighbors import NOWHERE, find_nearest_rows
from blog_search_mcp.server.author.overlap import Rarity, read_wording, share_runs

Kind = Literal["translation", "same text", "same ground"]
"""Relation of a post to a text: a translation; a post with most of the text's runs, since it was
published twice or includes the text; or neither (`same ground`)."""
MIN_SAME_RUNS = 0.5
"""Minimum share of a passage's runs that a post must contain for the two to meet in words. Most of
the passages of a post that is published again, less a quarter of its sentences, have this share."""
MIN_SHARED_WORDS = 0.4
"""Minimum IDF-weighted share of a passage's words in the one that it meets in meaning, unless the
languages differ."""
MAX_DISTANCE_RATIO = 0.8
"""Ratio of the distances (1 − cosine) of a passage to the nearest post and to the next one that is
no translation of it, below which the passage meets the nearest in meaning."""
MIN_TEXT_SHARE = 0.7
"""Minimum share of a text's runs in a post for `same text`, and of its passages that meet the post
for `translation`. A text with fewer than 5 runs is never `same text`."""
PROPOSALS = 15
"""Maximum posts that each search proposes: by all passages, by single passages, by rare words."""


@dataclass(frozen=True, slots=True)
class Meeting:
    """A passage of the text and the passage of a post that says the same."""

    passage: int
    """Index of the passage in `Similarity.passages`."""
    chunk: Chunk
    same_words: float
    """Share of the passage's runs that the post contains, in [0, 1]."""
    says: str
    """Snippet of the chunk with words of the passage, one line of at most 120 columns."""


@dataclass(frozen=True, slots=True)
class SimilarPost:
    """A compared post, with its meetings in the order of the text. It is similar if it has any."""

    post: Post
    kind: Kind
    score: float
    """Similarity in meaning and, in one language, in words; in [0, 1], only for ranking."""
    meetings: tuple[Meeting, ...]
    is_linked: bool
    translations: tuple[tuple[str, str], ...]
    """Language and source of each translation. Of translations only the most similar is listed."""


@dataclass(frozen=True, slots=True)
class Similarity:
    """The posts of a blog that cover the same ground as a text, best first."""

    posts: tuple[SimilarPost, ...]
    nearest: tuple[Post, ...]
    """Nearest posts, at most three, if no post covers the same ground."""
    passages: tuple[Chunk, ...]
    """Judged passages of the text: those of 8 words or more, or all if none has as many."""
    said: int
    """Number of passages that meet a post of `posts`, or one that `limit` leaves out."""
    translations: tuple[Post, ...]
    """Declared translations of the text."""
    notice: str = ""
    """Sentence that says why only words are compared; `""` if meaning is compared too."""


def find_similar(corpus: Corpus, draft: Draft, limit: int) -> Similarity:
    """Find at most `limit` posts that meet the draft, best first; without vectors only in words.

    The newer of equals is first. The draft and its translations are left out. Raises IndexBroken.
    """
    lengths = [read_wording(part.plain, draft.post.language).length for part in draft.passages]
    judged = [n for n, length in enumerate(lengths) if length >= 8] or range(len(lengths))
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
        nearest=() if listed else tuple(it.post for it in best[: min(limit, 3)]),
        passages=draft.passages,
        said=len({meeting.passage for it in listed for meeting in it.meetings}),
        translations=tuple(corpus.posts[post] for post in sorted(translations)),
        notice=notice,
    )


class _Search:
    """The comparison of one text with one blog."""

    def __init__(
        self, corpus: Corpus, draft: Draft, vectors: Vectors, hidden: Collection[int]
    ) -> None:
        self._corpus, self._hidden, self._language = corpus, hidden, draft.post.language
        self._wordings = [read_wording(passage.plain, self._language) for passage in draft.passages]
        level = corpus.snapshot.lexical.chunks
        self._rarity = Rarity(level.document_frequency, level.documents)
        self._linked = corpus.targets_of(draft.links, draft.post.source)
        self._cosines = corpus.passages.compare(vectors, self._language)

    def judge(self) -> Iterator[SimilarPost]:
        """Yield a judgment of every post that one of the searches proposes."""
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
        """Return the lowest ID of a post and its translations, which identifies the group."""
        return min({post, *self._corpus.translations_of(post)})

    def _search_words(self) -> set[int]:
        """Return the posts with the highest BM25 for the text's 30 rarest words that posts have."""
        level, languages = self._corpus.snapshot.lexical.posts, self._corpus.snapshot.languages
        words = filter(
            level.document_frequency, set().union(*(wording.words for wording in self._wordings))
        )
        rarest = sorted(words, key=lambda stem: (-self._rarity.of(stem), stem))[:30]
        query = analyze_query(" ".join(rarest), languages)
        return set(level.normalized_bm25(query, PROPOSALS + len(self._hidden)))

    def _find_near(self, by_post: Vectors) -> Iterator[tuple[int, int]]:
        """Yield each passage that is nearest to one post by the margin, and that post's family."""
        families = np.array([self._family(post) for post in self._corpus.passages.posts.tolist()])
        for passage, cosines in enumerate(by_post):
            family = families[cosines.argmax()]
            other = cosines.max(where=families != family, initial=NOWHERE)
            if 1.0 - cosines.max() < MAX_DISTANCE_RATIO * (1.0 - other):
                yield passage, int(family)

    def _judge_post(self, number: int, near: Collection[int]) -> SimilarPost:
        """Judge a post; the passages `near` are nearest in meaning to it or its translations."""
        post, chunks = self._corpus.posts[number], self._corpus.snapshot.catalog.chunks_of(number)
        theirs = [read_wording(chunk.plain, post.language) for chunk in chunks.values()]
        longer, shorter = sorted((self._language, post.language), key=len, reverse=True)
        # Foreign if no tag begins the other: zh-hant to zh-hans, en-us to en-gb, not zh-tw to zh.
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
            says = make_snippet(chunk.plain, weights, post.language, 120)
            meetings.append(Meeting(n, chunk, repeated, says))
        meaning, alike = cosines.max(axis=1, initial=0.0), words.max(axis=1, initial=0.0)
        all_runs = frozenset[tuple[str, ...]]().union(*(wording.runs for wording in self._wordings))
        is_translation = is_foreign and len(meetings) >= MIN_TEXT_SHARE * len(self._wordings)
        is_same = len(all_runs) >= 5 and share_runs(all_runs, runs) >= MIN_TEXT_SHARE
        kind: Kind = "same text" if is_same else "same ground"
        return SimilarPost(
            post,
            "translation" if is_translation else kind,
            float((meaning if is_foreign else (meaning + alike) / 2).mean()),
            tuple(meetings),
            number in self._linked,
            self._corpus.snapshot.translations_of(number),
        )


def find_related(corpus: Corpus, limit: int) -> dict[int, tuple[int, ...]]:
    """Return the IDs of at most `limit` related posts by ID of the post, best first.

    They have the post's language and a positive cosine of `Passages.directions`, and are not its
    translations, parts of its series or targets of its links. A post without vectors has none.
    """
    related: dict[int, tuple[int, ...]] = dict.fromkeys(corpus.posts, ())
    posts = corpus.passages.posts.tolist()
    languages = [corpus.posts[post].language for post in posts]
    for language in set(languages):
        newest_first = sorted(
            (place for place, each in enumerate(languages) if each == language),
            key=lambda place: (corpus.posts[posts[place]].date or "", -place),
            reverse=True,
        )
        excluded = {posts[place]: _find_excluded(corpus, posts[place]) for place in newest_first}
        most = limit + max(map(len, excluded.values()))
        near, products = find_nearest_rows(corpus.passages.directions[newest_first], most)
        for post, others, likeness in zip(excluded, near, products, strict=True):
            ids = [posts[newest_first[place]] for place in others[likeness > 0].tolist()]
            related[post] = tuple(other for other in ids if other not in excluded[post])[:limit]
    return related


def _find_excluded(corpus: Corpus, post: int) -> frozenset[int]:
    series = corpus.snapshot.series.get(post)
    parts = {part.post for part in series.parts} if series else set()
    return corpus.translations_of(post) | parts | corpus.linked.get(post, frozenset())
