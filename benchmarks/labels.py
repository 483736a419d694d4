"""Queries somebody wrote down: a file of JSON lines in, queries out."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from pydantic import BaseModel, ConfigDict, ValidationError

from benchmarks.types import Query
from blog_search_mcp.index.errors import UsageError


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
    """The queries of a file, in its order. Raises UsageError with the line that is wrong."""
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError(f"{path} cannot be read: {error}. Give a file of JSON lines.") from error
    queries = [_query(label, kind) for label in _labels(path, lines)]
    if not queries:
        raise UsageError(f'{path} holds no query. Write {{"query": …, "source": …}} on each line.')
    return queries


def _labels(path: Path, lines: list[str]) -> Iterator[Label]:
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        try:
            yield Label.model_validate_json(line)
        except ValidationError as error:
            raise UsageError(f"{path}, line {number}: {_first(error)}. Correct it.") from error


def _first(error: ValidationError) -> str:
    problem = error.errors()[0]
    place = ".".join(map(str, problem["loc"]))
    return f"{place}: {problem['msg']}" if place else problem["msg"]


def _query(label: Label, kind: str) -> Query:
    return Query(kind, label.query, label.source, label.also, label.evidence)
