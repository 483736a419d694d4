"""A text to compare with the posts of a blog: a draft, or a post that is in the index.

A draft is read with the front matter, plain text and links of a post, but cut into shorter
passages than the index's chunks: one embedding window each, so that a passage of a draft meets
the one passage of a post that says the same.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from blog_search_mcp.index.embedders.base import count_tokens, embedding_text
from blog_search_mcp.index.errors import BlogSearchError, UnreadablePost, describe_unexpected
from blog_search_mcp.index.posts.markdown.inline import find_links, strip_markup
from blog_search_mcp.index.posts.markdown.parser import Token, parse_blocks
from blog_search_mcp.index.posts.metadata import describe_post, read_title
from blog_search_mcp.index.posts.text import decode, split_front_matter
from blog_search_mcp.index.types import Chunk, Link, Post, Vectors

if TYPE_CHECKING:
    from blog_search_mcp.index.relations.corpus import Corpus

PASSAGE = 150
"""Word pieces, estimated, of a draft's passage: with title and headings one window of any model."""


@dataclass(frozen=True, slots=True)
class Draft:
    """A text with what is known of it."""

    post: Post
    """As its front matter and its file's name describe it."""
    passages: tuple[Chunk, ...]
    """In order."""
    links: tuple[Link, ...] = ()
    post_id: int | None = None
    """Its id, if it is a post of the index."""


def read_draft(data: bytes, source: str) -> Draft:
    """Read a file of Markdown; `source` names it. Raises UnreadablePost."""
    try:
        return _read_draft(data, source)
    except BlogSearchError:
        raise
    except Exception as error:  # whatever a text makes a parser raise
        reason = describe_unexpected(error)
        raise UnreadablePost(f"The draft cannot be read ({reason}). Change it.") from error


def _read_draft(data: bytes, source: str) -> Draft:
    text = decode(data).text
    front = split_front_matter(text)
    env: dict[str, Any] = {}
    tokens = parse_blocks(front.body, "body", env)
    skipped = front.first_line
    heading = "" if read_title(front.fields) else _first_title(tokens)
    post = describe_post(front.fields, source, heading)
    passages = tuple(_cut_passages(front.body.split("\n"), tokens, post, skipped))
    links = find_links(tokens, env.get("references", {}), skipped).links
    return Draft(post, passages, links)


def draft_of_post(corpus: Corpus, source: str) -> Draft:
    """Take a post of the index as a draft. Raises UnknownPost or IndexBroken."""
    post_id, post = corpus.snapshot.catalog.require_post(source)
    chunks = corpus.snapshot.catalog.chunks_of(post_id)
    links = tuple(each.link for each in corpus.links.get(post_id, ()))
    return Draft(post, tuple(chunks.values()), links, post_id)


def embed_passages(corpus: Corpus, draft: Draft) -> Vectors:
    """Return a unit vector for each passage, of shape (len(passages), dimension).

    Those of a post that is in the index are its own; a passage without a vector has zeros. Raises
    EmbedderError.
    """
    if draft.post_id is not None:
        return _known_vectors(corpus, draft.post_id)
    title = draft.post.title
    texts = [embedding_text(title, each.headings, each.plain) for each in draft.passages]
    if not texts:
        return np.zeros((0, corpus.snapshot.vectors.dimension), dtype=np.float32)
    return corpus.snapshot.embedder.embed_documents(texts)


def _known_vectors(corpus: Corpus, post_id: int) -> Vectors:
    """Return of each chunk the unit mean of its windows' vectors."""
    chunks = corpus.snapshot.table.chunks_of([post_id])
    rows, counts = corpus.snapshot.vectors.vectors(chunks)
    sums = np.zeros((len(chunks), rows.shape[1]), dtype=np.float32)
    np.add.at(sums, np.repeat(np.arange(len(chunks)), counts), rows)
    norms = np.linalg.norm(sums, axis=1, keepdims=True)
    vectors: Vectors = sums / np.maximum(norms, 1e-9)
    return vectors


def _first_title(tokens: Sequence[Token]) -> str:
    headings = (
        strip_markup(tokens[place + 1].content)
        for place, token in enumerate(tokens)
        if token.type == "heading_open" and token.tag == "h1"
    )
    return next(filter(None, headings), "")


def _cut_passages(
    lines: Sequence[str], tokens: Sequence[Token], post: Post, first_line: int
) -> Iterator[Chunk]:
    """Pack blocks under one heading into passages of PASSAGE pieces, or one longer block.

    A heading that is the post's title is in no path.
    """
    path: list[tuple[int, str]] = []
    start = end = pieces = number = 0

    def passage() -> Chunk:
        text = "\n".join(lines[start:end]).rstrip()
        headings = tuple(words for _, words in path if words and words != post.title)
        first = first_line + start
        plain, last = strip_markup(text), first + text.count("\n")
        return Chunk(post.source, number, text, plain, headings, first, last)

    for place, token in enumerate(tokens):
        if token.level or token.map is None or token.nesting == -1:
            continue
        first, last = token.map
        size = count_tokens("\n".join(lines[first:last]))
        is_heading = token.type == "heading_open"
        if end and (is_heading or pieces + size > PASSAGE):
            yield passage()
            number, pieces, end = number + 1, 0, 0
        if is_heading:
            level, words = int(token.tag[1]), strip_markup(tokens[place + 1].content)
            path = [*(each for each in path if each[0] < level), (level, words)]
            continue
        start = start if end else first
        pieces, end = pieces + size, last
    if end:
        yield passage()
