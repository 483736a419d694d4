"""Suggest links: from a text to posts, and from posts to a text; best first, none written.

Which post a link should lead to is a weighted sum of `index.relations.linking.features`; the words
to put it on are then looked for where the text meets the post. Which posts should link to a text is
the same question for each of those that are near to it, with one target.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Literal

from blog_search_mcp.index.analysis.languages import UNDETERMINED, primary_subtag
from blog_search_mcp.index.analysis.query import analyse_query
from blog_search_mcp.index.analysis.tokenizer import name_key
from blog_search_mcp.index.relations.draft import Draft, draft_of_post
from blog_search_mcp.index.relations.linking.features import compare_passages, weigh_posts
from blog_search_mcp.index.relations.linking.prose import find_prose
from blog_search_mcp.index.relations.linking.titles import title_terms
from blog_search_mcp.index.relations.linking.words import ALL, WordFinder
from blog_search_mcp.index.relations.similarity.wording import stems_of

if TYPE_CHECKING:
    from blog_search_mcp.index.relations.corpus import Corpus
    from blog_search_mcp.index.relations.linking.features import Meaning
    from blog_search_mcp.index.relations.linking.titles import Titles
    from blog_search_mcp.index.relations.linking.words import Words
    from blog_search_mcp.index.types import Chunk, Post, Vectors

NEAR = 25
"""Posts by meaning and by words that are read to find those to link from."""
TRIED = 6
"""Posts that words are looked for, for each suggestion."""

Reason = Literal["title", "linked", "heading"]
"""What the words are of: the title, other links to the post, or the heading of the chunk."""


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
    why: Reason
    telling: float
    """How rare the words of the target's title are that the words hold, in [0, 1]."""
    target: Post
    chunk: Chunk | None
    """Of the target, what meets the text; `None` where that is not known."""

    @property
    def anchor(self) -> str:
        """Where in the target the link leads: to the heading whose words it is put on."""
        return self.chunk.anchor if self.chunk and self.why == "heading" else ""


class _Goal:
    """A post or draft that is linked to."""

    def __init__(
        self, post: Post, chunks: Sequence[Chunk], titles: Titles, linked: Collection[str] = ()
    ) -> None:
        self.post, self.chunks, self.titles = post, chunks, titles
        self.title = frozenset(title_terms(post))
        names = {frozenset(stems_of(words, post.language)) for words in linked}
        self.linked = [name for name in names if titles.is_telling(titles.rarity.sum(name))]
        """The terms of what other posts link to it with."""

    @cached_property
    def headings(self) -> list[frozenset[str]]:
        """The terms of the heading of each chunk."""
        language = self.post.language
        return [frozenset(stems_of(" ".join(c.headings[-1:]), language)) for c in self.chunks]


class _Text:
    """A text that is linked from."""

    def __init__(self, draft: Draft, titles: Titles) -> None:
        self.draft = draft
        self.language = _language_of(draft)
        self.prose = find_prose(draft.passages, self.language)
        self.finder = WordFinder(self.prose, titles, {self.language, "en"})

    def suggest(self, goal: _Goal, cosines: Vectors | None) -> Suggestion | None:
        """Find words to put the link on, which no other link then gets.

        `cosines` are those of each passage of the text to each chunk of the goal.
        """
        cosines = cosines if cosines is not None and cosines.size else None
        words, why = self._choose_words(goal, cosines)
        if words is None:
            return None
        self.finder.taken.append(words)
        text, line, met = self.prose.text, self.prose.line_of(words.start), None
        written = text[words.start : words.end]
        held, rarity = {*stems_of(written, goal.post.language)}, goal.titles.rarity
        shared = [
            rarity.sum(held & heading) if why == "heading" else 0.0 for heading in goal.headings
        ]
        at = [n for n, each in enumerate(self.draft.passages) if line in _lines_of(each)]
        if cosines is not None and at:
            nearest = cosines[at[0]].tolist()
            met = goal.chunks[max(range(len(shared)), key=lambda n: (shared[n], nearest[n]))]
        why = why if why != "heading" or any(shared) else "title"
        sentence = next(s for s in self.prose.sentences if s.start <= words.start < s.end)
        said = " ".join(text[sentence.start : sentence.end].split())
        telling = min(rarity.sum(held & goal.title) / rarity.highest, 1.0)
        return Suggestion(self.draft.post, line, written, said, why, telling, goal.post, met)

    def _choose_words(self, goal: _Goal, cosines: Vectors | None) -> tuple[Words | None, Reason]:
        """Choose words of the title, of other links, or of headings in the nearest passage."""
        find, sentences = self.finder.find, self.prose.sentences
        if words := find(sentences, goal.title):
            return words, "title"
        linked = (find(sentences, terms) for terms in goal.linked)
        if whole := [words for words in linked if words and words.share >= ALL]:
            return min(whole), "linked"
        if cosines is None:
            return None, "heading"
        near = self.draft.passages[int(cosines.max(axis=1).argmax())]
        inside = (s for s in sentences if self.prose.line_of(s.start) in _lines_of(near))
        return find(inside, goal.title.union(*goal.headings), goal.titles.rarity.highest), "heading"


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
    text = _Text(draft, corpus.titles)
    others = linkable_posts(corpus, draft, text.language)
    others = others if among is None else others & set(among)
    meaning = compare_passages(corpus, vectors, text.language)
    scores = weigh_posts(corpus, draft.post, text.prose, meaning, others)
    linked = _linked_by(corpus, draft)
    link_words = _link_words(corpus, others)
    suggestions: list[tuple[float, Suggestion]] = []
    for post in [each for each in scores if each not in linked][: limit * TRIED]:
        chunks = list(corpus.snapshot.catalog.chunks_of(post).values())
        goal = _Goal(corpus.posts[post], chunks, corpus.titles, link_words.get(post, ()))
        if suggestion := text.suggest(goal, _compare_chunks(corpus, meaning, post)):
            suggestions.append((scores[post] + suggestion.telling, suggestion))
        if len(suggestions) == limit:
            break
    return _best(suggestions, limit)


def suggest_backlinks(
    corpus: Corpus, draft: Draft, vectors: Vectors | None, limit: int
) -> list[Suggestion]:
    """Suggest links from posts of the blog to a draft or post, best first, one from each.

    Best are those whose words name it most fully and that are nearest in meaning. Of 30 posts each
    of golang-blog and 18f-blog whose links were made words again, one that linked is among five
    for .83 and .77.
    """
    language = _language_of(draft)
    subject = replace(draft.post, language=language)
    goal = _Goal(subject, draft.passages, corpus.titles)
    meaning = compare_passages(corpus, vectors, language)
    own = _versions_of(corpus, draft)
    linking = {of for of, tos in corpus.linked.items() if not tos.isdisjoint(own)}
    suggestions: list[tuple[float, Suggestion]] = []
    spoken = {primary_subtag(language), "", UNDETERMINED}
    for number, likeness in _find_near(corpus, subject, meaning).items():
        post = corpus.posts[number]
        is_other = language and primary_subtag(post.language) not in spoken
        if is_other or number in own | linking:
            continue
        text = _Text(draft_of_post(corpus, post.source), corpus.titles)
        cosines = _compare_chunks(corpus, meaning, number)
        if suggestion := text.suggest(goal, None if cosines is None else cosines.T):
            is_to_draft = replace(suggestion, target=draft.post)
            suggestions.append((suggestion.telling + 2 * likeness, is_to_draft))
    return _best(suggestions, limit)


def _best(suggestions: Sequence[tuple[float, Suggestion]], limit: int) -> list[Suggestion]:
    """Return the suggestions with the highest scores, of equals the first."""
    ordered = sorted(suggestions, key=lambda item: -item[0])
    return [suggestion for _, suggestion in ordered[:limit]]


def _link_words(corpus: Corpus, among: Collection[int]) -> dict[int, set[str]]:
    """Return by post the words that posts `among` link to it with."""
    words: dict[int, set[str]] = {}
    for of in corpus.links.keys() & among:
        for link, target in corpus.links[of]:
            if target:
                words.setdefault(target.post, set()).add(link.words)
    return words


def _compare_chunks(corpus: Corpus, meaning: Meaning | None, post: int) -> Vectors | None:
    """Return the cosines of a text's passages to the chunks of a post."""
    chunks = corpus.snapshot.table.chunks_of([post])
    return None if meaning is None else corpus.passages.by_chunk(meaning.cosines, post, chunks)


def _find_near(corpus: Corpus, subject: Post, meaning: Meaning | None) -> dict[int, float]:
    """Return the posts nearest in meaning, and those that say words of a title, with a cosine."""
    query = analyse_query(subject.title, [subject.language])
    likeness = dict.fromkeys(corpus.snapshot.lexical.posts.normalised_bm25(query, NEAR), 0.0)
    if meaning is None or not len(corpus.passages.posts):
        return likeness
    by_post = corpus.passages.by_post(meaning.cosines).max(axis=0)
    cosines = dict(zip(corpus.passages.posts.tolist(), by_post.tolist(), strict=True))
    nearest = sorted(cosines, key=lambda post: -cosines[post])[:NEAR]
    return {post: cosines.get(post, 0.0) for post in (*nearest, *likeness)}


def _lines_of(passage: Chunk) -> range:
    return range(passage.first_line, passage.last_line + 1)


def _language_of(draft: Draft) -> str:
    """Return the language that a draft says or shows, `""` if none."""
    language = draft.post.language
    return "" if language == UNDETERMINED else language


def _versions_of(corpus: Corpus, draft: Draft) -> frozenset[int]:
    """Return the posts that a draft is, by its source or title, and their translations."""
    title = name_key(draft.post.title)
    own = {
        number
        for number, post in corpus.posts.items()
        if post.source == draft.post.source or (title and name_key(post.title) == title)
    }
    return frozenset(own).union(*(corpus.translations_of(number) for number in own))


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
    far = set[int]()
    for group in corpus.snapshot.translations.groups.values():
        own = [e for e in group if primary_subtag(e.language) == primary_subtag(language)]
        same = [each for each in own if each.language == language]
        far |= {each.post for each in group} - {each.post for each in same or own or group}
    return set(corpus.posts) - far - _versions_of(corpus, draft)
