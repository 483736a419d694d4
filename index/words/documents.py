"""Make the terms of a post that the lexical index holds, for the whole post and by chunk.

Posts and chunks are indexed separately: a description is about a whole post, and a question is
answered in one place. Titles, headings and names count more since they are repeated: one field with
one length and one saturation ranks better than weighted fields. Among the chunks, only the first
has the authors, the day, other words of the front matter, and words only in the description.
"""

from collections.abc import Iterable, Sequence
from itertools import chain

from blog_search_mcp.index.text.tokenizer import index_terms
from blog_search_mcp.index.types import Chunk, Post, PostTerms

TITLE_TIMES = 3
"""Number of times that the title is indexed."""
HEADING_TIMES = 2
"""Number of times that a heading is indexed."""
NAME_TIMES = 2
"""Number of times that the file name, the slug, a tag or an alias is indexed."""
PADDING = 150
"""Number of words added to a chunk's length, half of an English or Chinese chunk's.

Chunks are cut to one size, so a short chunk is a leftover and not to the point. tantivy fixes
BM25's length correction at b = .75; for padded chunks it acts like about .5."""


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
    """Return a post's file name (an index file's folder), slug, tags, and aliases without `/`."""
    folder, _, name = post.source.rpartition("/")
    stem = name.partition(".")[0]
    named = folder.rpartition("/")[2] if stem in {"index", "_index"} else stem
    return [named, post.slug, *post.tags, *(name for name in post.aliases if "/" not in name)]
