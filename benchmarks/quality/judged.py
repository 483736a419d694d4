"""Read judged collections: documents, queries, and which documents somebody judged relevant.

A collection is a folder with `corpus.jsonl` ({"id", "title", "text"}), `queries.jsonl` ({"id",
"text"}) and `qrels.tsv` (query, document, relevance). Its documents are written as posts, since a
blog is what search knows.
"""

from __future__ import annotations

import csv
import json
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from itertools import islice
from pathlib import Path
from urllib.parse import quote

from benchmarks.quality.corpora import Corpus
from benchmarks.quality.queries import sort_by_hash
from benchmarks.quality.types import JUDGED, Query

_FILES = ("corpus.jsonl", "queries.jsonl", "qrels.tsv")


def read_collections(folders: Iterable[Path], cache: Path, limit: int) -> list[Corpus]:
    """Read the collections anywhere below `folders`, by name; at most `limit` queries of each.

    Their documents are written below `cache`.
    """
    found = {path.parent for folder in folders for path in folder.glob(f"**/{_FILES[2]}")}
    return [
        _read_collection(folder, cache, limit)
        for folder in sorted(found, key=lambda folder: folder.name)
        if all((folder / file).is_file() for file in _FILES)
    ]


def _read_collection(folder: Path, cache: Path, limit: int) -> Corpus:
    content = cache / folder.name / "posts"
    _write_posts(_lines(folder / "corpus.jsonl"), content)
    relevant = _read_judgements(folder / "qrels.tsv")
    queries = (
        Query(JUDGED, line["text"], *_sources(relevant[line["id"]]))
        for line in _lines(folder / "queries.jsonl")
        if line["id"] in relevant
    )
    return Corpus(folder.name, content, list(islice(sort_by_hash(queries), limit)))


def _sources(documents: list[str]) -> tuple[str, tuple[str, ...]]:
    first, *others = map(post_name, documents)
    return first, tuple(others)


def _read_judgements(path: Path) -> Mapping[str, list[str]]:
    relevant: dict[str, list[str]] = defaultdict(list)
    with path.open(encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file, delimiter="\t"):
            if int(row["relevance"]) > 0:
                relevant[row["query-id"]].append(row["doc-id"])
    return relevant


def _write_posts(documents: Iterable[Mapping[str, str]], content: Path) -> None:
    """Write each document that is not there yet as it would be."""
    content.mkdir(parents=True, exist_ok=True)
    for document in documents:
        path, text = content / post_name(document["id"]), write_post(document)
        if not path.is_file() or path.read_text(encoding="utf-8") != text:
            path.write_text(text, encoding="utf-8")


def post_name(document: str) -> str:
    """Return the file name of a document's post."""
    return f"{quote(document, safe='')}.md"


def write_post(document: Mapping[str, str]) -> str:
    """Write a document as Markdown; one without a title is a piece of code."""
    title, text = document["title"], document["text"]
    if not title:
        return f"```\n{text}\n```\n"
    return f"---\ntitle: {json.dumps(title, ensure_ascii=False)}\n---\n\n{text}\n"


def _lines(path: Path) -> Iterator[dict[str, str]]:
    with path.open(encoding="utf-8") as file:
        yield from map(json.loads, file)
