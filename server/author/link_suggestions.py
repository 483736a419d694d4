"""Suggestions of links from a text to posts, and from posts to a text; no file is changed.

Link targets are ranked by WEIGHTS. A link is put on words of the target's title anywhere in the
text, or else on words of its title or headings in the passage nearest to it. For backlinks, each
post near to the text is searched in the same way, with the text as the only target. Cosines in the
ranking are standardized over the targets, because embedders spread them differently.
"""

import posixpath
from bisect import bisect
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from urllib.parse import quote, urlsplit

import numpy as np

from blog_search_mcp.index.text.languages import primary_subtag
from blog_search_mcp.index.text.query import analyze_query
from blog_search_mcp.index.text.tokenizer import name_key
from blog_search_mcp.index.types import Chunk, Post, Vectors
from blog_search_mcp.ingest.posts.paths import MARKDOWN
from blog_search_mcp.server.author.corpus import Corpus
from blog_search_mcp.server.author.draft import Draft, draft_of_post
from blog_search_mcp.server.author.link_texts import Prose, Words
from blog_search_mcp.server.author.overlap import stems_of, title_terms

WEIGHTS: Mapping[str, float] = {"named": 2.5, "title": 2.3, "chunk": 0.88, "cited": 0.82}
"""Weight by feature. `named` is set by hand; the others were fitted, using a softmax, to the links
of three blogs. Without any one feature, hit@1 of 240 drafts on ten blogs is .012 to .046 lower."""
LINKING_CANDIDATES = 25
"""Maximum posts nearest by cosine, and maximum posts best by BM25, to search for a backlink."""


@dataclass(frozen=True, slots=True)
class Suggestion:
    """A link to put into a text."""

    post: Post
    """Post or draft that gets the link."""
    words: Words
    target: Post
    chunk: Chunk | None
    """Chunk of the target that is nearest to the words' passage; `None` without vectors."""
    is_heading: bool
    """Whether the link leads to the chunk's heading, which shares a word with the link."""

    def write_href(self, *, by_file: bool) -> str:
        """Return the `href` of the target, perhaps with an anchor; `""` for a draft from stdin.

        It is the path of the page or, with `by_file` or without a URL, the file's relative path.
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
    """Whether most links between the blog's posts name Markdown files."""
    hrefs = (link.href for links in corpus.links.values() for link, target in links if target)
    by_file = [bool(MARKDOWN.search(href.partition("#")[0])) for href in hrefs]
    return 2 * sum(by_file) > len(by_file)


def suggest_links(corpus: Corpus, draft: Draft, vectors: Vectors, limit: int) -> list[Suggestion]:
    """Suggest links from a text to posts of the blog, best first, at most one to a post.

    `vectors` are those of the draft's passages; if all are zeros, only words are compared. Posts
    that the text links to, and their translations, get no link. The best `6 * limit` are tried.
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
        for number in _weigh_posts(corpus, prose, cosines, others)[: 6 * limit]
    )
    return [*islice(filter(None, placed), limit)]


def suggest_backlinks(
    corpus: Corpus, draft: Draft, vectors: Vectors, limit: int
) -> list[Suggestion]:
    """Suggest links to a draft or post, at most one from each post that does not link to it.

    Posts in another language get none. Suggestions are sorted by `Words.share` plus twice the
    post's cosine, the largest sum first.
    """
    subject = replace(draft.post, language=draft.language)
    own, cosines = _versions_of(corpus, draft), corpus.passages.compare(vectors, draft.language)
    suggestions: list[tuple[float, Suggestion]] = []
    for number, nearness in _find_near(corpus, subject, cosines).items():
        text = draft_of_post(corpus, corpus.posts[number].source)
        languages = {primary_subtag(it.language) for it in (draft, text)} - {""}
        if number in own or len(languages) > 1 or not own.isdisjoint(corpus.linked.get(number, ())):
            continue
        near = corpus.passages.by_chunk(cosines, number).T
        if suggestion := _place_link(Prose(text, corpus.titles), subject, draft.passages, near):
            suggestions.append((suggestion.words.share + 2 * nearness, suggestion))
    suggestions.sort(key=lambda item: (-item[0], item[1].post.source))
    return [suggestion for _, suggestion in suggestions[:limit]]


def _weigh_posts(
    corpus: Corpus, prose: Prose, cosines: Vectors, among: Collection[int]
) -> list[int]:
    """Sort the posts `among` by their score as a link target, best first.

    `cosines` are those of the text's passages with all windows of the blog; empty without vectors.
    """
    posts, titles = sorted(among, key=lambda n: corpus.posts[n].source), corpus.titles
    sentences = [[term.stem for term in sentence] for sentence in prose.sentences]
    text = f" {' . '.join(map(' '.join, sentences))} "
    terms = frozenset[str]().union(*sentences)
    columns = {
        "named": [titles.name_post(number, text) for number in posts],
        "title": [titles.rarity.share(terms, of=titles.terms[n]) for n in posts],
        **_compare_meaning(corpus, cosines, posts),
    }
    weighed = (WEIGHTS[name] * np.asarray(column) for name, column in columns.items())
    scores = sum(weighed, np.zeros(len(posts)))
    return [posts[place] for place in np.argsort(-np.round(scores, 4), kind="stable")]


def _compare_meaning(corpus: Corpus, cosines: Vectors, posts: Sequence[int]) -> dict[str, Vectors]:
    """Return `chunk` (nearest window), `cited` (links of the 10 nearest posts); `{}` if unknown."""
    blog, columns = corpus.passages, {number: column for column, number in enumerate(posts)}
    places = [place for place, post in enumerate(blog.posts.tolist()) if post in columns]
    if not cosines.size or not places:
        return {}
    chunk, cited = np.zeros((2, len(posts)), dtype=np.float32)
    ids, nearness = blog.posts[places].tolist(), blog.by_post(cosines)[:, places]
    chunk[[columns[number] for number in ids]] = _standardize(nearness.max(axis=0))
    likeness = _standardize(nearness.mean(axis=0))
    for place in np.argsort(-likeness, kind="stable")[:10].tolist():
        for target in corpus.linked.get(ids[place], frozenset()) & columns.keys():
            cited[columns[target]] += max(float(likeness[place]), 0.0)
    return {"chunk": chunk, "cited": np.log1p(cited)}


def _standardize(values: Vectors) -> Vectors:
    return np.asarray((values - values.mean()) / max(float(values.std()), 1e-9))


def _place_link(
    prose: Prose, target: Post, chunks: Sequence[Chunk], cosines: Vectors
) -> Suggestion | None:
    """Find words in a text for a link to a post that has these chunks; `None` if there are none.

    Words of the post's title are searched in the whole text. If none are found, words of the title
    or of any heading are searched in the passage nearest to a chunk. `cosines` have the shape
    (passages, chunks); without vectors they are empty, and only the title is searched.
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
    """Return the largest cosine (0 without vectors) of each post near to a text or its title."""
    query, near = analyze_query(subject.title, [subject.language]), dict[int, float]()
    if cosines.size:
        by_post = corpus.passages.by_post(cosines).max(axis=0)
        near = dict(zip(corpus.passages.posts.tolist(), by_post.tolist(), strict=True))
    nearest = sorted(near, key=lambda post: -near[post])[:LINKING_CANDIDATES]
    by_words = corpus.snapshot.lexical.posts.normalized_bm25(query, LINKING_CANDIDATES)
    return {post: near.get(post, 0.0) for post in (*nearest, *by_words)}


def _versions_of(corpus: Corpus, draft: Draft) -> frozenset[int]:
    """Return the posts that have the draft's source or title, and their translations."""
    title = name_key(draft.post.title)
    own = {
        number
        for number, post in corpus.posts.items()
        if post.source == draft.post.source or (title and name_key(post.title) == title)
    }
    return frozenset(own).union(*map(corpus.translations_of, own))


def _linkable_posts(corpus: Corpus, draft: Draft) -> set[int]:
    """Return the posts that a draft may link to, without those of `_versions_of`.

    Of each group of translations, those with the draft's language tag are kept, else those in its
    primary language, else all.
    """
    far, language = set[int](), draft.language
    for group in corpus.snapshot.translations.values():
        own = [e for e in group if primary_subtag(e.language) == primary_subtag(language)]
        same = [each for each in own if each.language == language]
        far |= {each.post for each in group} - {each.post for each in same or own or group}
    return set(corpus.posts) - far - _versions_of(corpus, draft)
