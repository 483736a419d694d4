"""Blogs and judged collections to measure, with their indexes, posts and queries.

A blog is a folder of posts. It has the folder's name, or the parent's if the folder is `posts`.
Questions come from a file, or from a folder with files named after the blog, in the format of
benchmarks/questions/README.md. All other queries are derived from the posts.

A judged collection is a folder with `corpus.jsonl` ({"id", "title", "text"}), `queries.jsonl`
({"id", "text"}) and `qrels.tsv` (query, document, relevance). Its documents are written as posts
before they are indexed.
"""

from __future__ import annotations

import csv
import hashlib
import json
import re
import sys
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Literal, TypeVar
from urllib.parse import quote

from pydantic import BaseModel, ConfigDict, ValidationError

from benchmarks.quality.queries import (
    Posts,
    Query,
    Text,
    derive_queries,
    is_specific,
    language_of_post,
    reduce_to_keywords,
    select_foreign,
    sort_by_hash,
)
from blog_search_mcp import BlogIndex, BlogSearchError, Post, build_index, open_index
from blog_search_mcp.index.errors import UsageError
from blog_search_mcp.ingest.report import Progress
from blog_search_mcp.server.engine import Engine, engine_for
from blog_search_mcp.server.settings import Settings

ModelT = TypeVar("ModelT", bound=BaseModel)

JUDGED = "judged"
"""Kind of a query for which every right post counts. For other kinds, only the first does."""
LIMIT = 200
"""Default maximum of queries per kind. The 95 % interval of a hit rate of .9 is then ±.04."""
ABSENT = ("absent", "everyday", "elsewhere", "heading elsewhere")
"""Kinds without an answer: questions on the blog's subjects, everyday questions, questions of other
blogs, and headings of other blogs."""
EVERYDAY = Path(__file__).with_name("everyday.txt")
"""Everyday questions, written for this project: one per line, in EVERYDAY_LANGUAGES separated by
tabs. Blogs in other languages are asked in English. Nothing is fitted on these questions."""
EVERYDAY_LANGUAGES = ("en", "zh-hant", "zh", "ja", "de")

EVERY_CHUNK = 1_000_000
"""Number of neighbors that is enough to read any post as a whole."""


@dataclass(frozen=True, slots=True)
class Embedding:
    """The choice of an embedder; by default the packaged one that suits the blog."""

    kind: Literal["auto", "ollama", "embedded"] = "embedded"
    model: str | None = None
    host: str = ""


@dataclass(frozen=True, slots=True)
class Blog:
    """A blog or judged collection, with all its queries."""

    name: str
    engine: Engine
    posts: Posts
    language: str
    """Most frequent language of the posts: ISO 639-1, or `zh-hant` for Traditional Chinese."""
    queries: tuple[Query, ...]

    def ask_elsewhere(self, blogs: Iterable[Blog], limit: int) -> list[Query]:
        """Return other blogs' questions and specific headings, at most `limit` of each kind.

        If blogs in this one's language exist, only those are used. Texts that a post of this blog
        contains are left out.
        """
        others = [blog for blog in blogs if blog.name != self.name]
        others = [blog for blog in others if blog.language == self.language] or others
        queries = [query for blog in others for query in blog.queries]
        headings = [query.text for query in queries if query.kind == "heading"]
        asked = {
            "elsewhere": [query.text for query in queries if query.kind == "question"],
            "heading elsewhere": [heading for heading in headings if is_specific(heading)],
        }
        return [
            query
            for kind, texts in asked.items()
            for query in islice(
                sort_by_hash(Query(kind, text) for text in select_foreign(texts, self.posts)), limit
            )
        ]


def read_blog(
    content: Path, questions: Path | None, limit: int, cache: Path, embedding: Embedding
) -> Blog:
    """Index a blog or collection in `cache`, and derive at most `limit` queries of each kind.

    Cached vectors are reused; the rest of the index is rebuilt. Raises BlogSearchError.
    """
    is_judged = (content / "qrels.tsv").is_file()
    name = content.parent.name if content.name == "posts" else content.name
    place = content.resolve()
    key = hashlib.sha256(f"{place}\n{embedding.kind}\n{embedding.model}".encode()).hexdigest()
    folder = cache / f"{name}-{key[:12]}"
    if is_judged:
        place = write_collection(content, cache / f"{name}-{key[:12]}-posts")
    sys.stderr.write(f"{name}\n")
    engine = index_posts(place, folder, embedding)
    with open_index(folder, embedder_url=embedding.host) as index:
        posts = read_posts(index)
    languages = Counter(post.language for post in posts).most_common(1)
    language = languages[0][0] if languages else ""
    if is_judged:
        queries = [*islice(sort_by_hash(read_judgements(content)), limit)]
    else:
        queries = _choose_queries(posts, language, name, questions, limit)
    return Blog(name, engine, posts, language, tuple(queries))


def index_posts(content: Path, folder: Path, embedding: Embedding) -> Engine:
    """Rebuild the index except for known vectors; return its engine. Raises BlogSearchError."""
    build_index(
        content,
        folder,
        embedder=embedding.kind,
        model=embedding.model,
        embedder_url=embedding.host,
        rebuild=True,
        progress=Progress(sys.stderr),
    )
    return engine_for(Settings(folder.absolute(), embedding.host))


def read_posts(index: BlogIndex) -> Posts:
    """Read the posts of an index, except those without a body, which search does not find."""
    texts: list[Text] = []
    offset = 0
    while page := index.posts(offset=offset):
        offset += len(page)
        texts += filter(None, (_read_post(index, post) for post in page))
    return tuple(texts)


def _read_post(index: BlogIndex, post: Post) -> Text | None:
    try:
        chunks = index.read(post.source, 0, neighbors=EVERY_CHUNK).chunks
    except BlogSearchError:
        return None
    body = "\n\n".join(chunk.text for chunk in chunks)
    headings = dict.fromkeys(heading for chunk in chunks for heading in chunk.all_headings)
    language = language_of_post(post.language, body)
    return Text(post.source, " ".join(post.title.split()), language, tuple(headings), body)


def _choose_queries(
    posts: Posts, language: str, name: str, questions: Path | None, limit: int
) -> list[Query]:
    """Return queries derived from the posts, questions, their keywords, and everyday questions."""
    asked = [each.asked for each in read_questions(questions, name)] if questions else []
    known = {post.source for post in posts}
    if lost := [query.text for query in asked if query.right and not known & {*query.right}]:
        sys.stderr.write(f"{len(lost)} questions are for posts that are not there: {lost[0]}\n")
    keywords = [
        Query("keywords", text, query.right, query.evidence)
        for query in asked
        if query.right and (text := reduce_to_keywords(query.text)) not in ("", query.text)
    ]
    rows = [line.split("\t") for line in EVERYDAY.read_text(encoding="utf-8").splitlines()]
    by_language = dict(zip(EVERYDAY_LANGUAGES, zip(*rows, strict=True), strict=True))
    everyday = [Query("everyday", text) for text in by_language.get(language, by_language["en"])]
    return [*derive_queries(posts, limit), *asked, *keywords, *everyday]


class Question(BaseModel):
    """One line of a file of questions. The blog has no answer to a question without a source."""

    model_config = ConfigDict(frozen=True)

    query: str
    source: str = ""
    also: tuple[str, ...] = ()
    evidence: str = ""
    lang: str = ""
    """ISO 639-1, or `zh-hant` for Traditional Chinese."""
    blog: str = ""
    """Name of the blog, from the name of the file."""

    @property
    def asked(self) -> Query:
        """The query, with `source` and `also` as right posts."""
        right = (self.source, *self.also) if self.source else ()
        return Query("question" if right else "absent", self.query, right, self.evidence)


def read_questions(place: Path, *blogs: str) -> Iterator[Question]:
    """Read a file of questions, or the files in a folder: of these blogs, by default of all.

    Raises UsageError with the line that is wrong.
    """
    for file in sorted(place.glob("*.jsonl")) if place.is_dir() else [place]:
        blog = re.sub(r"(-\d+)?(\.absent)?\.jsonl\Z", "", file.name)
        if place.is_file() or not blogs or blog in blogs:
            for question in read_lines(file, Question):
                yield question.model_copy(update={"blog": blog})


def read_lines(file: Path, model: type[ModelT]) -> Iterator[ModelT]:
    """Read one JSON object per line. Raises UsageError with the line that is wrong."""
    for number, line in enumerate(_read_lines(file), 1):
        try:
            yield model.model_validate_json(line)
        except ValidationError as error:
            wrong = error.errors()[0]["msg"]
            raise UsageError(f"{file}:{number} is no {model.__name__.lower()}: {wrong}.") from error


def write_collection(folder: Path, content: Path) -> Path:
    """Write a collection's documents as posts. One without a title is code and gets a fence."""
    content.mkdir(parents=True, exist_ok=True)
    for document in map(json.loads, _read_lines(folder / "corpus.jsonl")):
        title, text = document["title"], document["text"]
        head = f"---\ntitle: {json.dumps(title, ensure_ascii=False)}\n---\n\n{text}\n"
        path = content / _name_post(document["id"])
        path.write_text(head if title else f"```\n{text}\n```\n", encoding="utf-8")
    return content


def read_judgements(folder: Path) -> Iterator[Query]:
    """Yield the queries of a collection that have relevant documents."""
    relevant: Mapping[str, list[str]] = defaultdict(list)
    for row in csv.DictReader(_read_lines(folder / "qrels.tsv"), delimiter="\t"):
        if int(row["relevance"]) > 0:
            relevant[row["query-id"]].append(_name_post(row["doc-id"]))
    for line in map(json.loads, _read_lines(folder / "queries.jsonl")):
        if line["id"] in relevant:
            yield Query(JUDGED, line["text"], tuple(relevant[line["id"]]))


def _name_post(document: str) -> str:
    return f"{quote(document, safe='')}.md"


def _read_lines(path: Path) -> list[str]:
    try:
        return [line for line in path.read_text(encoding="utf-8").split("\n") if line.strip()]
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError(f"{path} cannot be read: {error}.") from error
