"""A text to compare with the posts of a blog: a draft, or a post that is in the index.

A draft is parsed like a post, but its passages are shorter than the index's chunks. Each fits one
embedding window, since an index too has one vector per window. The passages of an indexed post are
its chunks.
"""

from dataclasses import dataclass, replace

import numpy as np

from blog_search_mcp.index.embedders.embedder import embedding_text
from blog_search_mcp.index.errors import EmbedderError, refuse_post
from blog_search_mcp.index.invocation import Message
from blog_search_mcp.index.text.languages import UNDETERMINED
from blog_search_mcp.index.types import Chunk, Link, Post, Vectors
from blog_search_mcp.ingest.posts.chunks import Limits, chunk_body
from blog_search_mcp.ingest.posts.document import find_language, read_document
from blog_search_mcp.server.author.corpus import Corpus
from blog_search_mcp.server.author.neighbors import normalize_rows

LIMITS = Limits(least=150, most=150, min_last=0, packs_sections=False)
"""Limits with which a passage, its title and its headings fit one window of any model."""


@dataclass(frozen=True, slots=True)
class Draft:
    """A text to compare, and its metadata."""

    post: Post
    passages: tuple[Chunk, ...]
    links: tuple[Link, ...] = ()
    post_id: int | None = None
    """ID of the post in the index; `None` for a draft."""

    @property
    def language(self) -> str:
        """Declared or detected language; `""` if it is undetermined."""
        return "" if self.post.language == UNDETERMINED else self.post.language


def read_draft(data: bytes, source: str) -> Draft:
    """Parse a Markdown file whose path is `source`. Raises UnreadablePost."""
    with refuse_post("Reading the draft"):
        document = read_document(data, source)
        post = replace(document.post, language=find_language(document))
        passages = chunk_body(source, document.body, document.first_line, post.title, LIMITS)
        return Draft(post, passages, document.links)


def draft_of_post(corpus: Corpus, source: str) -> Draft:
    """Return a post of the index as a draft. Raises NotInIndex or IndexBroken."""
    post_id, post = corpus.snapshot.catalog.find_post(source)
    chunks = corpus.snapshot.catalog.chunks_of(post_id)
    links = tuple(link for link, _ in corpus.links.get(post_id, ()))
    return Draft(post, tuple(chunks.values()), links, post_id)


def embed_passages(corpus: Corpus, draft: Draft) -> tuple[Vectors, str]:
    """Return a unit vector for each passage, of shape (len(passages), dimension), and a notice.

    An indexed post's vectors are those of its chunks, averaged over windows. A passage without a
    vector, or without a word in the embedder's vocabulary, has zeros. If the embedder fails, the
    vectors are zeros of dimension 1 and the notice says why; otherwise the notice is `""`.
    """
    if draft.post_id is not None:
        chunks = corpus.snapshot.table.chunk_ids_of([draft.post_id])
        rows, counts = corpus.snapshot.vectors.vectors(chunks)
        sums = np.zeros((len(chunks), rows.shape[1]), dtype=np.float32)
        np.add.at(sums, np.repeat(np.arange(len(chunks)), counts), rows)
        return normalize_rows(sums), ""
    title, embedder = draft.post.title, corpus.snapshot.embedder
    texts = [embedding_text(title, chunk.headings, chunk.plain) for chunk in draft.passages]
    unknown = np.zeros((len(texts), 1), dtype=np.float32)
    if not texts:
        return unknown, ""
    is_read = np.array(embedder.vocabulary_coverage([chunk.plain for chunk in draft.passages])) > 0
    try:
        return embedder.embed_documents(texts) * is_read[:, np.newaxis], ""
    except EmbedderError as error:
        return unknown, Message("By words alone, without comparing meaning: ", error.for_clients)
