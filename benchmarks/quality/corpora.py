"""Read what is measured: blogs and judged collections, with their posts and queries.

A blog is a folder with `posts/` in it. Beside that may lie `known_items.jsonl`, its authors'
descriptions. Readers' questions come from a folder of their own, in files named after the blog:
`BLOG.jsonl`, further ones `BLOG-2.jsonl`, and `BLOG.absent.jsonl` for those without an answer in
it. Each question is asked without its question mark and by its keywords too. What people ask of
everyday life is asked of every blog, in its language and in English. All other kinds are made of
the posts as for any blog.

A judged collection is a folder with `corpus.jsonl` ({"id", "title", "text"}), `queries.jsonl`
({"id", "text"}) and `qrels.tsv` (query, document, relevance). Its documents are written as posts,
since a blog is what search knows.
"""

from __future__ import annotations

import csv
import json
import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from pathlib import Path
from urllib.parse import quote

from pydantic import BaseModel, ConfigDict, ValidationError

from benchmarks.quality.blog import read_posts
from benchmarks.quality.queries import (
    Posts,
    count_words,
    derive_queries,
    detect_language,
    is_specific,
    reduce_to_keywords,
    select_foreign,
    sort_by_hash,
)
from benchmarks.quality.types import DESCRIPTION, JUDGED, Query
from blog_search_mcp.index.analysis.languages import CJK, language_of, primary_subtag
from blog_search_mcp.index.errors import UsageError

DESCRIPTIONS = "known_items.jsonl"

DERIVED = (
    "title", "definition", "misspelled", "heading", "identifier",
    "simplified", "regional",
)  # fmt: skip
"""Kinds made of the posts."""

REWORDED: Mapping[str, Callable[[str], str]] = {
    "unmarked": lambda question: question.rstrip("?？"),
    "keywords": reduce_to_keywords,
}
"""Kinds that are the questions in other words."""

CHEAP = {"title": 5, "definition": 5}
"""Kinds of which there are as many times the limit: every one counts, and there are many."""

OTHER_LANGUAGE = "other language"
"""Part of the questions that are not in the language of the post that answers them."""

OFF_TOPIC = ("question", "heading")
"""Kinds of other blogs' queries that are off topic here, of each as many."""

EVERYDAY = Path(__file__).with_name("everyday.txt")
"""A question a line about what people do when they do not write blogs, in the languages of
EVERYDAY_LANGUAGES, apart by tabs. Written for this project; nothing is fitted on them."""

EVERYDAY_LANGUAGES = ("en", "zh-hant", "zh", "ja", "de")

QUESTION_WORDS = 7
"""Words from which on a question that shows no language is English; a shorter one may be names."""

_CJK = re.compile(f"[{CJK}]")


@dataclass(frozen=True, slots=True)
class Corpus:
    """One blog, or one judged collection, with all queries it is measured by."""

    name: str
    content: Path
    queries: Sequence[Query]
    """Those it answers."""
    absent: Sequence[Query] = ()
    """Those it does not answer: `absent` ones, which fit its field, and `everyday` ones."""
    posts: Posts = ()
    language: str = ""
    """ISO 639-1, of most of its posts."""

    def off_topic(self, corpora: Iterable[Corpus], limit: int) -> list[Query]:
        """Take other blogs' questions and specific headings, at most `limit` of each kind.

        Those in this blog's language, if there are any, of which no post here contains the words.
        """
        others = [other for other in corpora if other.name != self.name]
        return [
            query
            for kind in OFF_TOPIC
            for query in as_off_topic(self._choose_foreign(others, kind), self.posts, limit)
        ]

    def _choose_foreign(self, others: Iterable[Corpus], kind: str) -> list[Query]:
        pairs = [
            (query.language or other.language, query)
            for other in others
            for query in other.queries
            if query.kind.startswith(kind) and (kind != "heading" or is_specific(query.text))
        ]
        own = [query for language, query in pairs if language == self.language]
        return own or [query for _, query in pairs]


def as_off_topic(queries: Iterable[Query], posts: Posts, limit: int) -> list[Query]:
    """Take at most `limit` of another blog's queries, of which no post here contains any."""
    found = islice(sort_by_hash(select_foreign(queries, posts)), limit)
    return [
        Query("off topic", query.text, language=query.language, parts=(query.kind.split()[0],))
        for query in found
    ]


def everyday_questions(language: str) -> list[Query]:
    """Ask about everyday life in a blog's language, if it is one of the table's, and in English."""
    rows = [line.split("\t") for line in EVERYDAY.read_text(encoding="utf-8").splitlines()]
    asked = dict(zip(EVERYDAY_LANGUAGES, zip(*rows, strict=True), strict=True))
    own = [Query("everyday", text) for text in asked.get(language, ())]
    if language == "en":
        return own
    return own + [Query("everyday", text, parts=(OTHER_LANGUAGE,)) for text in asked["en"]]


def read_corpora(folders: Iterable[Path], questions: Path | None, limit: int) -> list[Corpus]:
    """Read the blogs below `folders`, by name; at most `limit` queries of each kind but questions.

    Raises UsageError if a folder holds none.
    """
    found = []
    for folder in folders:
        contents = sorted(folder.glob("*/posts"))
        if not contents:
            raise UsageError(
                f"{folder} holds no blog. Name a folder of folders with posts/ in them."
            )
        found += [_read_corpus(content, questions, limit) for content in contents]
    return sorted(found, key=lambda corpus: corpus.name)


def _read_corpus(content: Path, questions: Path | None, limit: int) -> Corpus:
    name, posts = content.parent.name, read_posts(content)
    written = {post.post.source: detect_language(post) for post in posts}
    languages = {source: primary_subtag(language) for source, language in written.items()}
    known = content.parent / DESCRIPTIONS
    described = read_queries(known, DESCRIPTION) if known.is_file() else []
    made = [
        query
        for kind in DERIVED
        for query in derive_queries(posts, [kind], CHEAP.get(kind, 1) * limit)
    ]
    asked = [
        _detect_language(query, languages)
        for kind, path in _question_files(name, questions)
        for query in read_queries(path, kind)
    ]
    reworded = [
        replace(query, kind=kind, text=text)
        for kind, reword in REWORDED.items()
        for query in asked
        if (text := reword(query.text)) not in ("", query.text)
    ]
    absent = questions / f"{name}.absent.jsonl" if questions else None
    near = read_queries(absent, "absent") if absent and absent.is_file() else ()
    return Corpus(
        name=name,
        content=content,
        queries=[*made, *islice(sort_by_hash(described), limit), *asked, *reworded],
        absent=[*near, *everyday_questions(_commonest(written))],
        posts=posts,
        language=_commonest(languages),
    )


def _commonest(languages: Mapping[str, str]) -> str:
    return Counter(languages.values()).most_common(1)[0][0] if languages else ""


def _question_files(name: str, questions: Path | None) -> Iterator[tuple[str, Path]]:
    """Yield the kind and the file of each set of questions, `question` and `question 2`."""
    numbered = re.compile(rf"{re.escape(name)}(?:-(\d+))?\.jsonl")
    for path in sorted(questions.iterdir()) if questions else ():
        if match := numbered.fullmatch(path.name):
            yield f"question {match[1]}" if match[1] else "question", path


def _detect_language(query: Query, languages: dict[str, str]) -> Query:
    """Name the question's language, and the part it belongs to if its post is in another one.

    One with CJK letters is in their language, whatever terms it holds.
    """
    own = languages.get(query.source, "")
    letters = "".join(_CJK.findall(query.text))
    unknown = "en" if count_words(query.text) >= QUESTION_WORDS else own
    language = language_of(letters or query.text) or unknown
    return replace(query, language=language, parts=(OTHER_LANGUAGE,) if language != own else ())


class Label(BaseModel):
    """One line: a query, the post that answers it, and what is known besides."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    query: str
    source: str = ""
    """Path below the content folder, with `/`; empty if no post answers."""
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
    queries = []
    for number, line in enumerate(lines, 1):
        try:
            label = Label.model_validate_json(line) if line.strip() else None
        except ValidationError as error:
            problem = error.errors()[0]
            said = ": ".join(filter(None, (".".join(map(str, problem["loc"])), problem["msg"])))
            raise UsageError(f"{path}, line {number}: {said}. Correct it.") from error
        if label:
            queries.append(Query(kind, label.query, label.source, label.also, label.evidence))
    if not queries:
        raise UsageError(f'{path} holds no query. Write {{"query": …, "source": …}} on each line.')
    return queries


def read_collections(folders: Iterable[Path], cache: Path, limit: int) -> list[Corpus]:
    """Read the collections anywhere below `folders`, by name; at most `limit` queries of each.

    Their documents are written below `cache`.
    """
    found = {path.parent for folder in folders for path in folder.glob("**/qrels.tsv")}
    return [
        _read_collection(folder, cache, limit)
        for folder in sorted(found, key=lambda folder: folder.name)
        if all((folder / name).is_file() for name in ("corpus.jsonl", "queries.jsonl"))
    ]


def _read_collection(folder: Path, cache: Path, limit: int) -> Corpus:
    content = cache / folder.name / "posts"
    content.mkdir(parents=True, exist_ok=True)
    for document in _lines(folder / "corpus.jsonl"):
        path, text = content / _post_name(document["id"]), _write_post(document)
        if not path.is_file() or path.read_text(encoding="utf-8") != text:
            path.write_text(text, encoding="utf-8")
    relevant: dict[str, list[str]] = defaultdict(list)
    with (folder / "qrels.tsv").open(encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file, delimiter="\t"):
            if int(row["relevance"]) > 0:
                relevant[row["query-id"]].append(_post_name(row["doc-id"]))
    asked = ((line["text"], relevant.get(line["id"])) for line in _lines(folder / "queries.jsonl"))
    queries = (Query(JUDGED, text, found[0], tuple(found[1:])) for text, found in asked if found)
    return Corpus(folder.name, content, list(islice(sort_by_hash(queries), limit)))


def _post_name(document: str) -> str:
    return f"{quote(document, safe='')}.md"


def _write_post(document: Mapping[str, str]) -> str:
    """Write a document as Markdown; one without a title is a piece of code."""
    title, text = document["title"], document["text"]
    if not title:
        return f"```\n{text}\n```\n"
    return f"---\ntitle: {json.dumps(title, ensure_ascii=False)}\n---\n\n{text}\n"


def _lines(path: Path) -> Iterator[dict[str, str]]:
    with path.open(encoding="utf-8") as file:
        yield from map(json.loads, file)
