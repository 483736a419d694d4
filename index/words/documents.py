"""Make the terms of a post that the lexical index holds, for the whole post and by chunk.

Posts and chunks are indexed separately: a description is about a whole post, a question is answered
in one place, and the two levels together find both. A word of the title counts three times and one
of a heading, the file name, the slug or a tag twice, by being repeated: one field with one length
and one saturation ranks better than weighted fields. Authors, other words of the front matter, and
words that only the description has, count once, in the first chunk.
"""

from collections.abc import Iterable, Sequence
from itertools import chain

from blog_search_mcp.index.text.tokenizer import index_terms
from blog_search_mcp.index.types import Chunk, Post, PostTerms

TITLE_TIMES, HEADING_TIMES, NAME_TIMES = 3, 2, 2
"""Repetitions of the title, of a heading, and of file name, slug, tags and aliases."""
PADDING = 150
"""Number of words added to a chunk's length, half of what an English or Chinese one has.

Chunks are cut to one size, so a short one is a scrap and not to the point. tantivy fixes BM25's
correction by length at b = .75; with this padding it acts on chunks like about .5."""


def terms_of(post: Post, chunks: Sequence[Chunk]) -> PostTerms:
    """Return the terms of a post, stemmed by its language; `chunks` are all of its chunks."""
    label = _terms([post.title] * TITLE_TIMES + _list_names(post) * NAME_TIMES, post)
    said = _terms([*post.authors, post.words, (post.date or "")[:10]], post)
    about = _terms([post.description], post)
    inner = [_terms([*chunk.inner_headings, chunk.plain], post) for chunk in chunks]
    others = {*" ".join((label, *inner)).split()} if about else set()
    first = " ".join((said, *(word for word in about.split() if word not in others)))
    passages = list[str]()
    for chunk, words in zip(chunks, inner, strict=True):
        above = [_terms(chunk.headings, post)] * HEADING_TIMES
        passages.append(" ".join(filter(None, (label, *above, words, first.strip()))))
        first = ""
    every = dict.fromkeys(chain.from_iterable(chunk.headings for chunk in chunks))
    above = [about, said, *[_terms(every, post)] * HEADING_TIMES]
    return PostTerms(" ".join(filter(None, (label, *above, *inner))), tuple(passages))


def _terms(texts: Iterable[str], post: Post) -> str:
    return " ".join(filter(None, (index_terms(text, post.language) for text in texts)))


def _list_names(post: Post) -> list[str]:
    """Return the name of a post's file (or of an index file's folder), slug, tags and aliases."""
    folder, _, name = post.source.rpartition("/")
    stem = name.partition(".")[0]
    named = folder.rpartition("/")[2] if stem in {"index", "_index"} else stem
    return [named, post.slug, *post.tags, *(name for name in post.aliases if "/" not in name)]
