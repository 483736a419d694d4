"""Make the terms of a post that the lexical index holds, by field.

Whole posts and single chunks are indexed separately: an author's description is spread over a
post, a reader's question is answered in one place, and the two levels together find both. A word
of the title counts three times and one of a heading, the file name, the slug or a tag twice, by
being written so often: one field with one length and one saturation ranks better than fields with
weights of their own. Authors, what else the front matter says in words, and words that only the
description has, count once, in the first chunk.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from itertools import chain

from blog_search_mcp.index.analysis.tokenizer import index_terms
from blog_search_mcp.index.errors import refuse_post
from blog_search_mcp.index.store.catalog import open_catalog
from blog_search_mcp.index.store.disk import GenerationFiles
from blog_search_mcp.index.types import Chunk, Post

TITLE_TIMES = 3
"""A title names a post's subject in a few words."""

HEADING_TIMES = 2
"""One in the passage is counted once with its text and once by itself."""

NAME_TIMES = 2
"""What a post is filed under names its subject, as its headings do."""

PADDING = 150
"""Words that a chunk counts as longer than it is, half of what an English or Chinese one has.

Chunks are cut to one size, so a short one is a scrap and not to the point: BM25's correction by
length, which tantivy fixes at b = .75, is by this about .5 for them."""


@dataclass(frozen=True, slots=True)
class PostTerms:
    """Everything of one post that can be searched by word."""

    post_id: int
    refused: str = ""
    """Why it cannot be searched."""
    whole: str = ""
    """Of title, file name, tags, description, every heading and the text, apart by spaces."""
    chunks: Mapping[int, str] = field(default_factory=dict)
    """By id, each chunk with the title, the file name, the tags and the headings above and in it;
    none of a post of a title alone, which is not searched."""


def terms_of(post_id: int, post: Post, chunks: Mapping[int, Chunk]) -> PostTerms:
    """Make the terms of a post, stemmed by its language; `chunks` are all of its own, by id."""
    label = _terms([post.title] * TITLE_TIMES + _names(post) * NAME_TIMES, post)
    said = _terms([*post.authors, post.words], post)
    about = _terms([post.description], post)
    inner = [_terms([*chunk.inner_headings, chunk.plain], post) for chunk in chunks.values()]
    told = {*" ".join((label, *inner)).split()}
    first = " ".join((said, *(word for word in about.split() if word not in told)))
    passages = dict[int, str]()
    for (chunk_id, chunk), words in zip(chunks.items(), inner, strict=True):
        above = [_terms(chunk.headings, post)] * HEADING_TIMES
        passages[chunk_id] = " ".join(filter(None, (label, *above, words, first.strip())))
        first = ""
    every = dict.fromkeys(chain.from_iterable(chunk.headings for chunk in chunks.values()))
    above = [about, said, *[_terms(every, post)] * HEADING_TIMES]
    return PostTerms(post_id, "", " ".join(filter(None, (label, *above, *inner))), passages)


def _terms(texts: Iterable[str], post: Post) -> str:
    """The stems of several texts of a post, as those of one."""
    return " ".join(filter(None, (index_terms(text, post.language) for text in texts)))


def _names(post: Post) -> list[str]:
    """The file's name, the slug, the tags and what else the post is called."""
    folder, _, name = post.source.rpartition("/")
    stem = name.partition(".")[0]
    named = folder.rpartition("/")[2] if stem in {"index", "_index"} else stem
    return [named, post.slug, *post.tags, *(name for name in post.aliases if "/" not in name)]


def post_terms(files: GenerationFiles, post_id: int) -> PostTerms:
    """Make the terms of a post; its chunks are in the catalog and committed.

    Raises UnreadablePost for what it makes the analysis raise.
    """
    catalog = open_catalog(files)
    post, chunks = catalog.posts([post_id])[post_id], catalog.chunks_of(post_id)
    with refuse_post("indexing its words"):
        return terms_of(post_id, post, chunks)
