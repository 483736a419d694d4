"""Suggest links: from a text to posts, and from posts to a text; best first, none written.

Which post a link should lead to is a weighted sum of `server.author.link_features`; the words
to put it on are then looked for where the text meets the post. Which posts should link to a text is
the same question for each of those that are near to it, with one target.
"""

from __future__ import annotations

import posixpath
from bisect import bisect
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import islice
from urllib.parse import quote, urlsplit

from blog_search_mcp.index.text.languages import primary_subtag
from blog_search_mcp.index.text.query import analyse_query
from blog_search_mcp.index.text.tokenizer import name_key
from blog_search_mcp.index.types import Chunk, Post, Vectors
from blog_search_mcp.ingest.posts.paths import MARKDOWN
from blog_search_mcp.server.author.corpus import Corpus
from blog_search_mcp.server.author.draft import Draft, draft_of_post
from blog_search_mcp.server.author.link_features import weigh_posts
from blog_search_mcp.server.author.link_texts import Prose, Words
from blog_search_mcp.server.author.overlap import stems_of, title_terms

LINKING_CANDIDATES = 25
"""Posts by meaning and by words that are read to find those to link from."""
TRIES_PER_LINK = 6
"""Posts that words are looked for, for each suggestion."""


@dataclass(frozen=True, slots=True)
class Suggestion:
    """A link to put into a text."""

    post: Post
    """The text to put it into."""
    words: Words
    """What to put it on."""
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


def suggest_links(corpus: Corpus, draft: Draft, vectors: Vectors, limit: int) -> list[Suggestion]:
    """Suggest links from a text to posts of the blog, best first, one to a post.

    `vectors` are those of the draft's passages, zeros to go by words alone.
    """
    prose = Prose(draft, corpus.titles)
    cosines = corpus.passages.compare(vectors, draft.language)
    linked = corpus.targets_of(draft.links, draft.post.source)
    others = _linkable_posts(corpus, draft) - linked.union(*map(corpus.translations_of, linked))
    placed = (
        _place_link(
            prose,
            corpus.posts[number],
            [*corpus.snapshot.catalog.chunks_of(number).values()],
            corpus.passages.by_chunk(cosines, number),
        )
        for number in weigh_posts(corpus, prose, cosines, others)[: limit * TRIES_PER_LINK]
    )
    return [*islice(filter(None, placed), limit)]


def suggest_backlinks(
    corpus: Corpus, draft: Draft, vectors: Vectors, limit: int
) -> list[Suggestion]:
    """Suggest links from posts of the blog to a draft or post, best first, one from each.

    Best are those whose words name it most fully and that are nearest in meaning.
    """
    subject = replace(draft.post, language=draft.language)
    own, cosines = _versions_of(corpus, draft), corpus.passages.compare(vectors, draft.language)
    suggestions: list[tuple[float, Suggestion]] = []
    for number, nearness in _find_near(corpus, subject, cosines).items():
        text = draft_of_post(corpus, corpus.posts[number].source)
        speaks = {primary_subtag(it.language) for it in (draft, text)} - {""}
        if number in own or len(speaks) > 1 or not own.isdisjoint(corpus.linked.get(number, ())):
            continue
        near = corpus.passages.by_chunk(cosines, number).T
        if suggestion := _place_link(Prose(text, corpus.titles), subject, draft.passages, near):
            suggestions.append((suggestion.words.share + 2 * nearness, suggestion))
    suggestions.sort(key=lambda item: (-item[0], item[1].post.source))
    return [suggestion for _, suggestion in suggestions[:limit]]


def _place_link(
    prose: Prose, target: Post, chunks: Sequence[Chunk], cosines: Vectors
) -> Suggestion | None:
    """Take words of a text to put a link on to a post with these chunks.

    They are of its title, else of the title or a heading in the passage that is nearest to a
    chunk; `cosines` are those of each passage of the text to each chunk.
    """
    title, language, is_heading, chunk = title_terms(target), target.language, False, None
    words = prose.take_words(prose.sentences, title)
    if cosines.size:
        lines = [passage.first_line for passage in prose.draft.passages]
        at = bisect(lines, words.line) - 1 if words else int(cosines.max(axis=1).argmax())
        chunk = chunks[int(cosines[at].argmax())]
        if words is None:
            headings = stems_of(" ".join(e.headings[-1] for e in chunks if e.headings), language)
            wanted = title.union(headings)
            words = prose.take_words(prose.sentences_of(at), wanted, prose.titles.rarity.highest)
            heading = stems_of("".join(chunk.headings[-1:]), language)
            held = stems_of(words.text, language) if words else ()
            is_heading = not {*held}.isdisjoint(heading)
    return Suggestion(prose.draft.post, words, target, chunk, is_heading) if words else None


def _find_near(corpus: Corpus, subject: Post, cosines: Vectors) -> dict[int, float]:
    """Return the posts nearest in meaning, and those that say words of a title, with a cosine."""
    query, near = analyse_query(subject.title, [subject.language]), dict[int, float]()
    if cosines.size:
        by_post = corpus.passages.by_post(cosines).max(axis=0)
        near = dict(zip(corpus.passages.posts.tolist(), by_post.tolist(), strict=True))
    nearest = sorted(near, key=lambda post: -near[post])[:LINKING_CANDIDATES]
    saying = corpus.snapshot.lexical.posts.normalised_bm25(query, LINKING_CANDIDATES)
    return {post: near.get(post, 0.0) for post in (*nearest, *saying)}


def _versions_of(corpus: Corpus, draft: Draft) -> frozenset[int]:
    """Return the posts that a draft is, by its source or title, and their translations."""
    title = name_key(draft.post.title)
    own = {
        number
        for number, post in corpus.posts.items()
        if post.source == draft.post.source or (title and name_key(post.title) == title)
    }
    return frozenset(own).union(*map(corpus.translations_of, own))


def _linkable_posts(corpus: Corpus, draft: Draft) -> set[int]:
    """Return the posts that a draft may link to: of translations those nearest to its language.

    That is its own with the same script or region, else its own at all, else any. The draft itself
    is left out, by its source or title, and its translations.
    """
    far, language = set[int](), draft.language
    for group in corpus.snapshot.translations.values():
        own = [e for e in group if primary_subtag(e.language) == primary_subtag(language)]
        same = [each for each in own if each.language == language]
        far |= {each.post for each in group} - {each.post for each in same or own or group}
    return set(corpus.posts) - far - _versions_of(corpus, draft)
