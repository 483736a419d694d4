"""Read blogs with their posts and queries, and files of queries that somebody wrote down.

A blog is a folder with `posts/` in it. Beside that lie `known_items.jsonl`, its authors'
descriptions, or `title_items.jsonl`; readers' questions come from a folder of their own, named
after the blog. The kinds that need no labels are made of the posts as for any blog.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from pydantic import BaseModel, ConfigDict, ValidationError

from benchmarks.quality.blog import read_posts
from benchmarks.quality.queries import Posts, derive_queries, rewrite_simplified
from benchmarks.quality.types import Query
from blog_search_mcp.index.analysis.languages import language_of
from blog_search_mcp.index.errors import UsageError

FILES = {"description": "known_items.jsonl", "title": "title_items.jsonl"}
"""By kind of query, the file that holds them."""

DERIVED = ("heading", "identifier", "title")
"""Kinds made of the posts."""

REWRITTEN = ("simplified", "regional")
"""Kinds made of other queries, of a Chinese blog alone."""

_OPENING = 500
"""Characters of a post by which its language is detected."""


@dataclass(frozen=True, slots=True)
class Corpus:
    """One blog with all queries it is measured by."""

    name: str
    content: Path
    posts: Posts
    queries: Sequence[Query]

    @property
    def language(self) -> str:
        """Detect what most of the blog is written in, by the openings of its posts."""
        return language_of("\n".join(post.body.text[:_OPENING] for post in self.posts[::10]))

    @property
    def written(self) -> tuple[str, ...]:
        """Kinds of the queries that somebody wrote down, not derived from the posts."""
        kinds = dict.fromkeys(query.kind for query in self.queries)
        return tuple(kind for kind in kinds if kind not in (*DERIVED, *REWRITTEN))


def read_corpora(folder: Path, questions: Path | None, limit: int) -> list[Corpus]:
    """Read the blogs below `folder`, by name; at most `limit` queries of each derived kind.

    Raises UsageError if there is none.
    """
    contents = sorted(folder.glob("*/posts"))
    if not contents:
        raise UsageError(f"{folder} holds no blog. Name a folder of folders with posts/ in them.")
    return [_read_corpus(content, questions, limit) for content in contents]


def choose_off_topic(corpus: Corpus, corpora: Sequence[Corpus]) -> Corpus | None:
    """Choose the blog whose queries do not belong here: the next in its language, or the next."""
    place = corpora.index(corpus)
    others = [*corpora[place + 1 :], *corpora[:place]]
    same = [other for other in others if other.language == corpus.language]
    return next(iter([*same, *others]), None)


def _read_corpus(content: Path, questions: Path | None, limit: int) -> Corpus:
    name, posts = content.parent.name, read_posts(content)
    written = list(_read_written(content.parent, questions))
    kinds = [kind for kind in DERIVED if kind not in {query.kind for query in written}]
    described = [query for query in written if query.kind == "description"]
    made = derive_queries(posts, [*kinds, "regional"], limit)
    queries = [*written, *made, *rewrite_simplified(described)]
    return Corpus(name, content, posts, queries)


def _read_written(blog: Path, questions: Path | None) -> Iterator[Query]:
    for kind, file in FILES.items():
        if (blog / file).is_file():
            yield from read_queries(blog / file, kind)
    path = questions / f"{blog.name}.jsonl" if questions else None
    if path is not None and path.is_file():
        yield from read_queries(path, "question")


class Label(BaseModel):
    """One line: a query, the post that answers it, and what is known besides."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    query: str
    source: str
    """Path below the content folder, with `/`."""
    also: tuple[str, ...] = ()
    evidence: str = ""
    type: str = ""
    """What sort of question it is, in its author's words; not measured apart."""


def read_queries(path: Path, kind: str) -> list[Query]:
    """Read a file of queries, in its order. Raises UsageError with the line that is wrong."""
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError(f"{path} cannot be read: {error}. Give a file of JSON lines.") from error
    queries = [_query(label, kind) for label in _read_labels(path, lines)]
    if not queries:
        raise UsageError(f'{path} holds no query. Write {{"query": …, "source": …}} on each line.')
    return queries


def _read_labels(path: Path, lines: list[str]) -> Iterator[Label]:
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        try:
            yield Label.model_validate_json(line)
        except ValidationError as error:
            raise UsageError(f"{path}, line {number}: {_describe(error)}. Correct it.") from error


def _describe(error: ValidationError) -> str:
    problem = error.errors()[0]
    place = ".".join(map(str, problem["loc"]))
    return f"{place}: {problem['msg']}" if place else problem["msg"]


def _query(label: Label, kind: str) -> Query:
    return Query(kind, label.query, label.source, label.also, label.evidence)
