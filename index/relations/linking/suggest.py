"""Suggest links: from a text to posts, and from posts to a text; best first, none written.

Which post a link should lead to is a weighted sum of `index.relations.linking.features`; the words
to put it on are then looked for where the text meets the post.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from blog_search_mcp.index.analysis.languages import UNDETERMINED, primary_subtag
from blog_search_mcp.index.analysis.query import analyse_query
from blog_search_mcp.index.analysis.tokenizer import name_key
from blog_search_mcp.index.relations.draft import Draft, draft_of_post, embed_passages
from blog_search_mcp.index.relations.linking.features import (
    FEATURES,
    Evidence,
    find_backward_evidence,
    find_evidence,
)
from blog_search_mcp.index.relations.linking.names import Mention, Names, stems_of
from blog_search_mcp.index.relations.linking.prose import Sentence, find_prose
from blog_search_mcp.index.relations.linking.words import LEAST_SHARE, Place, find_name, find_part

if TYPE_CHECKING:
    from blog_search_mcp.index.relations.corpus import Corpus
    from blog_search_mcp.index.types import Chunk, Post, Vectors

WEIGHTS: Mapping[str, float] = {
    "named": 0.86,
    "used": 0.51,
    "share": 1.60,
    "rare": 0.75,
    "text_share": 1.00,
    "text_rare": 0.75,
    "post": -0.06,
    "chunk": 0.45,
    "passage": 0.48,
    "tags": 1.34,
    "popular": 0.69,
    "recent": 2.49,
    "titles": -0.64,
    "cited": 0.75,
}
"""By feature, fitted to links that posts of golang-blog, 18f-blog and tarrragon-zhtw have, by a
softmax over a target and all posts that are none; `benchmarks.author links --fit --limit 100` with
the commit after e188279."""

NEAR = 40
"""Chunks by meaning and by words that are read to find the posts to link from."""

RARE = 0.6
"""Weight of a post's own word, of one that no post has: that of a word of 8 posts in 750. With .5,
and words that are said three times, one of two is of the subject."""
REPEATED = 5
"""How often a post says such a word."""

TRIED = 6
"""Posts that words are looked for, for each suggestion."""


@dataclass(frozen=True, slots=True)
class Suggestion:
    """A link to put into a text."""

    post: Post
    """The text to put it into."""
    line: int
    """Of the file, from 1, on which the words begin."""
    words: str
    """What to put it on, as it stands in the text."""
    sentence: str
    """The one that holds the words, as it stands in the text."""
    why: str
    """As of `Words`."""
    target: Post
    chunk: Chunk | None
    """Of the target, what meets the text; `None` where that is not known."""

    @property
    def anchor(self) -> str:
        """Where in the target the link leads: to the heading whose words it is put on."""
        return self.chunk.anchor if self.chunk and self.why == "heading" else ""


class _Text:
    """A text that is linked from."""

    def __init__(self, draft: Draft, language: str, vectors: Vectors | None) -> None:
        self.draft = draft
        self.language = language
        self.prose = find_prose(draft.passages, language)
        self.vectors = vectors

    def passage_at(self, line: int) -> int | None:
        """Return the place of the passage that holds a line of the file."""
        for place, passage in enumerate(self.draft.passages):
            if passage.first_line <= line <= passage.last_line:
                return place
        return None

    def sentences_of(self, passage: Chunk) -> list[Sentence]:
        return [
            sentence
            for sentence in self.prose.sentences
            if passage.first_line <= self.prose.line_of(sentence.start) <= passage.last_line
        ]


def suggest_links(
    corpus: Corpus,
    draft: Draft,
    vectors: Vectors | None,
    limit: int,
    among: Collection[int] | None = None,
) -> list[Suggestion]:
    """Suggest links from a text to posts of the blog, best first, one to a post.

    `vectors` are those of the draft's passages, `None` to go by words alone. `among` are the posts
    that may be linked to and whose own links tell what posts are linked to for; all by default.
    """
    text = _Text(draft, language_of_draft(draft), vectors)
    others = linkable_posts(corpus, draft, text.language)
    evidence = find_evidence(
        corpus, draft, text.prose, vectors, others if among is None else others & set(among)
    )
    linked = _linked_by(corpus, draft)
    taken: list[Place] = []
    found: list[Suggestion] = []
    ranked = evidence.posts[_order(corpus, evidence)].tolist()
    for post in [each for each in ranked if each not in linked][: limit * TRIED]:
        if len(found) == limit:
            break
        goal = _Goal(
            corpus.posts[post],
            tuple(corpus.snapshot.catalog.chunks_of(post).values()),
            corpus.names,
            corpus.names.titles[post],
        )
        mentions = evidence.mentions.get(post, [])
        suggestion = _suggest(text, goal, mentions, _compare(corpus, text, post), taken)
        if suggestion is not None:
            found.append(suggestion)
    return found


def weigh(evidence: Evidence) -> Vectors:
    """Return how much speaks for a link to each post; higher is better, without a scale."""
    weights = np.array([WEIGHTS[name] for name in FEATURES], dtype=np.float32)
    scores: Vectors = evidence.features @ weights
    return scores


DIGITS = 4
"""Decimals of a weight that count: further ones depend on the order in which NumPy adds."""


def _order(corpus: Corpus, evidence: Evidence) -> list[int]:
    """Return the places of `evidence`, best first; posts alike by source, whenever they came."""
    weights = np.round(weigh(evidence), DIGITS).tolist()
    sources = [corpus.posts[post].source for post in evidence.posts.tolist()]
    return sorted(range(len(weights)), key=lambda place: (-weights[place], sources[place]))


def versions_of(corpus: Corpus, draft: Draft) -> frozenset[int]:
    """Return the posts that are the draft itself, by source or title, and its translations."""
    same = corpus.snapshot.titles.get(name_key(draft.post.title), ())
    own = {*same, *([draft.post_id] if draft.post_id is not None else ())}
    own |= {number for number, post in corpus.posts.items() if post.source == draft.post.source}
    return frozenset(own).union(*(corpus.translations_of(number) for number in own))


def language_of_draft(draft: Draft) -> str:
    """Return the language that a draft says or shows, `""` if none."""
    language = draft.post.language
    return "" if language == UNDETERMINED else language


def _linked_by(corpus: Corpus, draft: Draft) -> frozenset[int]:
    """Return the posts that the draft links to, with their translations."""
    targets = (corpus.addresses.find_target(link.href, draft.post.source) for link in draft.links)
    posts = {target.post for target in targets if target is not None}
    return frozenset(posts).union(*(corpus.translations_of(post) for post in posts))


def linkable_posts(corpus: Corpus, draft: Draft, language: str) -> set[int]:
    """Return the posts that a draft may link to: of translations those nearest to its language.

    That is its own with the same script or region, else its own at all, else any. The draft itself
    is left out, by its source or title, and its translations.
    """

    def distance(other: str) -> int:
        is_own = primary_subtag(other) == primary_subtag(language)
        return 0 if other == language else 1 if is_own else 2

    far = set[int]()
    groups = {group[0].post: group for group in corpus.snapshot.translations.groups.values()}
    for group in groups.values():
        nearest = min(distance(each.language) for each in group)
        far |= {each.post for each in group if distance(each.language) > nearest}
    return set(corpus.posts) - far - versions_of(corpus, draft)


@dataclass(frozen=True, slots=True)
class _Goal:
    """A post or draft that is linked to."""

    post: Post
    chunks: Sequence[Chunk]
    names: Names
    title: Sequence[str]
    """Its title's terms."""


def _suggest(
    text: _Text,
    goal: _Goal,
    mentions: Sequence[Mention],
    cosines: Vectors | None,
    taken: list[Place],
) -> Suggestion | None:
    """Find words to put the link on; `taken` receives their place.

    `cosines` are those of each passage of the text to each chunk of the goal.
    """
    prose, names, languages = text.prose, goal.names, {text.language, "en"}
    title = set(goal.title)
    words = find_name(prose, mentions, taken)
    if words is None and (full := names.weigh(goal.title)):
        words = find_part(prose, prose.sentences, names, title, full, "title", languages, taken)
    if words is None and cosines is not None:
        nearest = int(cosines.max(axis=1).argmax())
        near = text.sentences_of(text.draft.passages[nearest])
        wanted = title.union(*(_heading_stems(chunk, goal) for chunk in goal.chunks))
        words = find_part(prose, near, names, wanted, names.highest, "heading", languages, taken)
        if words is None:
            wanted = _own_stems(goal)
            words = find_part(
                prose, near, names, wanted, names.highest, "subject", languages, taken
            )
    if words is None:
        return None
    taken.append((words.start, words.end))
    line = prose.line_of(words.start)
    held = set(stems_of(prose.text[words.start : words.end], goal.post.language))
    in_headings = [
        names.weigh(sorted(held & _heading_stems(chunk, goal))) if words.why == "heading" else 0.0
        for chunk in goal.chunks
    ]
    why = "title" if words.why == "heading" and not any(in_headings) else words.why
    met: Chunk | None = None
    at = text.passage_at(line)
    if cosines is not None and at is not None:
        order = list(zip(in_headings, cosines[at].tolist(), strict=True))
        met = goal.chunks[max(range(len(order)), key=order.__getitem__)]
    sentence = next(s for s in prose.sentences if s.start <= words.start < s.end)
    return Suggestion(
        text.draft.post,
        line,
        prose.text[words.start : words.end],
        " ".join(prose.text[sentence.start : sentence.end].split()),
        why,
        goal.post,
        met,
    )


def suggest_backlinks(
    corpus: Corpus, draft: Draft, vectors: Vectors | None, limit: int
) -> list[Suggestion]:
    """Suggest links from posts of the blog to a draft or post, best first, one from each."""
    language = language_of_draft(draft)
    own = versions_of(corpus, draft)
    linking = {of for of, tos in corpus.linked.items() if not tos.isdisjoint(own)}
    spoken = primary_subtag(language)
    others = {
        number
        for number, post in corpus.posts.items()
        if number not in own
        and (not spoken or primary_subtag(post.language) in (spoken, "", UNDETERMINED))
    }
    having = corpus.snapshot.lexical.posts.having
    subject = replace(draft.post, language=language)
    names = Names({0: subject}, having, len(corpus.posts))
    chunks = _near_chunks(corpus, draft, vectors, language)
    texts = {
        post: find_prose(tuple(found.values()), corpus.posts[post].language)
        for post, found in chunks.items()
        if post in others - linking
    }
    evidence = find_backward_evidence(corpus, draft, names, texts, vectors, others)
    goal = _Goal(draft.post, draft.passages, names, names.titles[0])
    order = _order(corpus, evidence)
    found: list[Suggestion] = []
    share = evidence.features[:, FEATURES.index("share")]
    for place in order[: limit * TRIED]:
        post = int(evidence.posts[place])
        if len(found) == limit:
            break
        if not evidence.mentions[post] and share[place] < LEAST_SHARE:
            continue
        other = draft_of_post(corpus, corpus.posts[post].source)
        known = embed_passages(corpus, other)
        text = _Text(other, other.post.language, known)
        cosines = known @ vectors.T if vectors is not None and len(vectors) else None
        mentions = [m for s in text.prose.sentences for m in names.find_mentions(s)]
        suggestion = _suggest(text, goal, mentions, cosines, [])
        if suggestion is not None:
            found.append(suggestion)
    return found


def _near_chunks(
    corpus: Corpus, draft: Draft, vectors: Vectors | None, language: str
) -> dict[int, dict[int, Chunk]]:
    """Return by post the chunks that are nearest to a draft in meaning or in its title's words."""
    table = corpus.snapshot.table
    query = analyse_query(draft.post.title, [language])
    near = set(corpus.snapshot.lexical.chunks.normalised_bm25(query, NEAR))
    if vectors is not None and len(vectors):
        rows, counts = corpus.chunk_vectors
        nearest = (rows @ vectors.T).max(axis=1)
        places = np.argsort(-nearest, kind="stable")[:NEAR]
        near |= set(table.chunks[np.searchsorted(np.cumsum(counts), places, "right")].tolist())
    chunks = corpus.snapshot.catalog.chunks(sorted(near))
    owners = table.posts_of(np.array([*chunks], dtype=np.int64)).tolist()
    found: dict[int, dict[int, Chunk]] = {}
    for owner, (number, chunk) in zip(owners, chunks.items(), strict=True):
        found.setdefault(owner, {})[number] = chunk
    return found


def _heading_stems(chunk: Chunk, goal: _Goal) -> set[str]:
    return set(stems_of(" ".join(chunk.headings[-1:]), goal.post.language))


def _own_stems(goal: _Goal) -> set[str]:
    """Return the terms that a post says again and again and hardly any other says."""
    counts = Counter(
        stem for chunk in goal.chunks for stem in stems_of(chunk.plain, goal.post.language)
    )
    least = RARE * goal.names.highest
    return {
        stem for stem, n in counts.items() if n >= REPEATED and goal.names.weigh([stem]) >= least
    }


def _compare(corpus: Corpus, text: _Text, post: int) -> Vectors | None:
    """Return the cosine of each passage of the text to each chunk of a post."""
    if text.vectors is None or not len(text.vectors):
        return None
    chunks = corpus.snapshot.table.chunks_of([post])
    rows, counts = corpus.snapshot.vectors.vectors(chunks)
    if not len(rows):
        return None
    cosines = np.full((len(text.vectors), len(chunks)), -1.0, dtype=np.float32)
    products = text.vectors @ rows.T
    for column, chunk in enumerate(np.repeat(np.arange(len(chunks)), counts)):
        cosines[:, chunk] = np.maximum(cosines[:, chunk], products[:, column])
    return cosines
