"""Suggest links: from a text to posts, and from posts to a text; best first, none written.

Which post a link should lead to is a weighted sum of `index.relations.linking.features`; the words
to put it on are then looked for where the text meets the post. Which posts should link to a text is
the same question for each of those that are near to it, with one target.
"""

from __future__ import annotations

import posixpath
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from urllib.parse import quote, urlsplit

from blog_search_mcp.index.analysis.languages import UNDETERMINED, primary_subtag
from blog_search_mcp.index.analysis.query import analyse_query
from blog_search_mcp.index.analysis.tokenizer import name_key
from blog_search_mcp.index.relations.corpus import Corpus
from blog_search_mcp.index.relations.draft import Draft, draft_of_post
from blog_search_mcp.index.relations.linking.features import Meaning, compare_passages, weigh_posts
from blog_search_mcp.index.relations.linking.prose import Sentence, find_prose
from blog_search_mcp.index.relations.linking.titles import title_terms
from blog_search_mcp.index.relations.linking.words import WordFinder, Words
from blog_search_mcp.index.relations.paths import MARKDOWN
from blog_search_mcp.index.relations.similarity.wording import stems_of
from blog_search_mcp.index.types import Chunk, Post, Vectors

NEAR = 25
"""Posts by meaning and by words that are read to find those to link from."""
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
    """The one that holds the words, on a line."""
    share: float
    """How much of the title or headings they hold, in [0, 1]."""
    target: Post
    chunk: Chunk | None
    """Of the target, what meets the text; `None` where that is not known."""
    is_heading: bool
    """Whether the words are of the chunk's heading, where the link then leads, not of the title."""

    def write_href(self, *, by_file: bool) -> str:
        """Write the link by the path of the page; by its file if asked, or where none is known.

        `""` for a text that has no file.
        """
        url, source = self.target.url, self.target.source
        if not source:
            return ""
        path = urlsplit(url).path or "/" if url else ""
        if by_file or not url:
            path = posixpath.relpath(source, posixpath.dirname(self.post.source) or ".")
            path = quote(path, safe="/~@+,;=!$&'*")
        anchor = self.chunk.anchor if self.is_heading and self.chunk else ""
        return f"{path}#{anchor}" if anchor else path


def links_by_file(corpus: Corpus) -> bool:
    """Whether most links between the blog's posts are written by their files."""
    hrefs = (link.href for links in corpus.links.values() for link, target in links if target)
    by_file = [bool(MARKDOWN.search(href.partition("#")[0])) for href in hrefs]
    return 2 * sum(by_file) > len(by_file)


class _Text:
    """A text that is linked from."""

    def __init__(self, corpus: Corpus, draft: Draft) -> None:
        self.draft, self.language = draft, _language_of(draft)
        self.prose = find_prose(draft.passages, self.language)
        self._rarity = corpus.titles.rarity
        self._finder = WordFinder(self.prose, corpus.titles, {self.language, "en"})

    def suggest(
        self, target: Post, chunks: Sequence[Chunk], cosines: Vectors | None
    ) -> Suggestion | None:
        """Find words to put a link on to a post with these chunks, which no other link then gets.

        They are of its title, else of the title or a heading in the passage that is nearest to a
        chunk; `cosines` are those of each passage of the text to each chunk.
        """
        sentences, chunk = self.prose.sentences, None
        cosines = cosines if cosines is not None and cosines.size else None
        headings = [
            frozenset(stems_of(" ".join(each.headings[-1:]), target.language)) for each in chunks
        ]
        title, shared = title_terms(target), [0.0] * len(chunks)
        words = self._finder.find(sentences, title)
        if words is None and cosines is not None:
            lines = _lines_of(self.draft.passages[int(cosines.max(axis=1).argmax())])
            inside = [each for each in sentences if self.prose.line_of(each.start) in lines]
            words = self._finder.find(inside, title.union(*headings), self._rarity.highest)
            held = frozenset(stems_of(self._read(words), target.language))
            shared = [self._rarity.sum(held & heading) for heading in headings]
        if words is None:
            return None
        self._finder.taken.append(words)
        line = self.prose.line_of(words.start)
        at = [n for n, each in enumerate(self.draft.passages) if line in _lines_of(each)]
        if cosines is not None and at:
            near = cosines[at[0]].tolist()
            chunk = chunks[max(range(len(chunks)), key=lambda n: (shared[n], near[n]))]
        return Suggestion(
            post=self.draft.post,
            line=line,
            words=self._read(words),
            sentence=next(self._read(s) for s in sentences if s.start <= words.start < s.end),
            share=words.share,
            target=target,
            chunk=chunk,
            is_heading=any(shared),
        )

    def _read(self, span: Words | Sentence | None) -> str:
        return self.prose.text[span.start : span.end] if span else ""


def suggest_links(
    corpus: Corpus,
    draft: Draft,
    vectors: Vectors | None,
    limit: int,
    among: Collection[int] | None = None,
) -> list[Suggestion]:
    """Suggest links from a text to posts of the blog, best first, one to a post.

    `vectors` are those of the draft's passages, `None` to go by words alone. `among` are the posts
    that may be linked to; all by default.
    """
    text = _Text(corpus, draft)
    others = linkable_posts(corpus, draft, text.language) - _linked_by(corpus, draft)
    others = others if among is None else others & set(among)
    meaning = compare_passages(corpus, vectors, text.language)
    best = weigh_posts(corpus, draft.post, text.prose, meaning, others)
    suggestions: list[Suggestion] = []
    for number in [*best][: limit * TRIED]:
        chunks = [*corpus.snapshot.catalog.chunks_of(number).values()]
        cosines = _compare_chunks(corpus, meaning, number)
        if suggestion := text.suggest(corpus.posts[number], chunks, cosines):
            suggestions.append(suggestion)
        if len(suggestions) == limit:
            break
    return suggestions


def suggest_backlinks(
    corpus: Corpus, draft: Draft, vectors: Vectors | None, limit: int
) -> list[Suggestion]:
    """Suggest links from posts of the blog to a draft or post, best first, one from each.

    Best are those whose words name it most fully and that are nearest in meaning.
    """
    language = _language_of(draft)
    subject = replace(draft.post, language=language)
    meaning = compare_passages(corpus, vectors, language)
    own = _versions_of(corpus, draft)
    near = _find_near(corpus, subject, meaning)
    suggestions: list[tuple[float, Suggestion]] = []
    for number in near.keys() - own:
        post = corpus.posts[number]
        speaks = {primary_subtag(post.language), primary_subtag(language)} - {"", UNDETERMINED}
        if len(speaks) > 1 or not own.isdisjoint(corpus.linked.get(number, ())):
            continue
        cosines = _compare_chunks(corpus, meaning, number)
        text = _Text(corpus, draft_of_post(corpus, post.source))
        cosines = None if cosines is None else cosines.T
        if suggestion := text.suggest(subject, draft.passages, cosines):
            suggestions.append((suggestion.share + 2 * near[number], suggestion))
    suggestions.sort(key=lambda item: (-item[0], item[1].post.source))
    return [suggestion for _, suggestion in suggestions[:limit]]


def _compare_chunks(corpus: Corpus, meaning: Meaning | None, post: int) -> Vectors | None:
    """Return the cosines of a text's passages to the chunks of a post."""
    chunks = corpus.snapshot.table.chunks_of([post])
    return None if meaning is None else corpus.passages.by_chunk(meaning.cosines, post, chunks)


def _find_near(corpus: Corpus, subject: Post, meaning: Meaning | None) -> dict[int, float]:
    """Return the posts nearest in meaning, and those that say words of a title, with a cosine."""
    query, cosines = analyse_query(subject.title, [subject.language]), dict[int, float]()
    if meaning is not None and len(corpus.passages.posts):
        by_post = corpus.passages.by_post(meaning.cosines).max(axis=0)
        cosines = dict(zip(corpus.passages.posts.tolist(), by_post.tolist(), strict=True))
    nearest = sorted(cosines, key=lambda post: -cosines[post])[:NEAR]
    saying = corpus.snapshot.lexical.posts.normalised_bm25(query, NEAR)
    return {post: cosines.get(post, 0.0) for post in (*nearest, *saying)}


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
    return frozenset(own).union(*map(corpus.translations_of, own))


def _linked_by(corpus: Corpus, draft: Draft) -> frozenset[int]:
    """Return the posts that the draft links to, with their translations."""
    targets = (corpus.addresses.find_target(link.href, draft.post.source) for link in draft.links)
    posts = {target.post for target in targets if target}
    return frozenset(posts).union(*map(corpus.translations_of, posts))


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
