"""A folder of blogs in, each with its posts and queries out.

A blog is a folder with `posts/` in it. Beside that lie `known_items.jsonl`, its authors'
descriptions, or `title_items.jsonl`; readers' questions come from a folder of their own, named
after the blog. The kinds that need no labels are made of the posts as for any blog.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from benchmarks.blog import posts_of
from benchmarks.chinese import in_simplified
from benchmarks.labels import read_queries
from benchmarks.queries import Posts, derive
from benchmarks.types import Query
from blog_search_mcp.index.analysis.languages import language_of
from blog_search_mcp.index.errors import UsageError

FILES = {"description": "known_items.jsonl", "title": "title_items.jsonl"}
"""By kind of query, the file that holds them."""

DERIVED = ("heading", "identifier", "title")
"""Kinds made of the posts."""

REWRITTEN = ("simplified", "regional")
"""Kinds made of other queries, of a Chinese blog alone."""

_OPENING = 500
"""Characters of a post by which its language is told."""


@dataclass(frozen=True, slots=True)
class Corpus:
    """One blog with everything that is asked of it."""

    name: str
    content: Path
    posts: Posts
    queries: Sequence[Query]

    @property
    def language(self) -> str:
        """What most of the blog is written in, by its beginnings."""
        return language_of("\n".join(post.body.text[:_OPENING] for post in self.posts[::10]))

    @property
    def written(self) -> tuple[str, ...]:
        """Kinds of the queries that somebody wrote down."""
        kinds = dict.fromkeys(query.kind for query in self.queries)
        return tuple(kind for kind in kinds if kind not in (*DERIVED, *REWRITTEN))


def corpora_in(folder: Path, questions: Path | None, limit: int) -> list[Corpus]:
    """The blogs below `folder`, by name; at most `limit` queries of each derived kind.

    Raises UsageError if there is none.
    """
    contents = sorted(folder.glob("*/posts"))
    if not contents:
        raise UsageError(f"{folder} holds no blog. Name a folder of folders with posts/ in them.")
    return [_corpus(content, questions, limit) for content in contents]


def off_topic_for(corpus: Corpus, corpora: Sequence[Corpus]) -> Corpus | None:
    """The next blog of the same language, else the next blog, whose queries do not belong here."""
    place = corpora.index(corpus)
    others = [*corpora[place + 1 :], *corpora[:place]]
    same = [other for other in others if other.language == corpus.language]
    return next(iter([*same, *others]), None)


def _corpus(content: Path, questions: Path | None, limit: int) -> Corpus:
    name, posts = content.parent.name, posts_of(content)
    written = list(_written(content.parent, questions))
    kinds = [kind for kind in DERIVED if kind not in {query.kind for query in written}]
    described = [query for query in written if query.kind == "description"]
    made = derive(posts, [*kinds, "regional"], limit)
    queries = [*written, *made, *in_simplified(described)]
    return Corpus(name, content, posts, queries)


def _written(blog: Path, questions: Path | None) -> Iterator[Query]:
    for kind, file in FILES.items():
        if (blog / file).is_file():
            yield from read_queries(blog / file, kind)
    asked = questions / f"{blog.name}.jsonl" if questions else None
    if asked is not None and asked.is_file():
        yield from read_queries(asked, "question")
