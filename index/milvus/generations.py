"""What there is of a generation in Milvus besides posts, and how it is opened.

It lies in rows of the generation's own collection of posts: its manifest, its overview, which
generations' rows it uses, what it counted of terms and which vectors it has. A generation that
others build on keeps its rows as long as they are the live one or the ones before it.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from functools import cached_property
from typing import Any, Final

import numpy as np

from blog_search_mcp.index.commands import TO_INGEST
from blog_search_mcp.index.errors import CollectionGone, IndexBroken, IndexMissing
from blog_search_mcp.index.milvus.catalog import (
    TextReader,
    load_posts,
    load_relations,
    open_in_memory,
)
from blog_search_mcp.index.milvus.client import Milvus
from blog_search_mcp.index.milvus.lexical import GenerationTerms
from blog_search_mcp.index.milvus.schema import (
    KIND,
    NO_TERMS,
    PART,
    PARTS,
    POST,
    ROW,
    TERMS,
    TEXT,
    WHOLE,
    CollectionNames,
    Row,
    Sparse,
    literal,
    pack_arrays,
    split_text,
    unpack_arrays,
)
from blog_search_mcp.index.milvus.terms import TermStatistics, read_statistics, sum_statistics
from blog_search_mcp.index.milvus.vectors import VectorDirectory, VectorSegment
from blog_search_mcp.index.store.manifest import REBUILD, Manifest, loads

NO_POST: Final = -1
"""The post of rows that are of none."""

OF_POST: Final = "post"
"""The kind of rows of posts."""

SHARED_KINDS: Final = (WHOLE, TERMS, "vectors")
"""What later generations need of an earlier one besides posts."""

READ_ROWS: Final = 100
"""Rows read at once: each may have 64 KB."""


@dataclass(frozen=True, slots=True)
class Segment:
    """The rows that one generation wrote."""

    generation: int
    posts: int
    """Rows of posts, parts of posts counted."""
    chunks: int
    first: int
    """The first chunk's id; no later generation has a smaller one."""
    vectors: int
    key: str
    """Another one for every generation, also of an index that was dropped and made anew."""


@dataclass(frozen=True, slots=True)
class Superseded:
    """A generation that was the live one."""

    generations: tuple[int, ...]
    """Whose rows it uses."""
    at: float
    """Seconds since 1970."""


@dataclass(frozen=True, slots=True)
class Record:
    """Which rows a generation uses."""

    segments: tuple[Segment, ...]
    superseded: tuple[Superseded, ...] = ()
    """Before it, the newest last."""

    @property
    def generations(self) -> tuple[int, ...]:
        """Whose rows it uses."""
        return tuple(segment.generation for segment in self.segments)


@dataclass(frozen=True)
class StoredGeneration:
    """One published generation, read back."""

    milvus: Milvus
    names: CollectionNames
    number: int
    parts: Mapping[str, str] = field(repr=False)
    """By kind, what its rows hold."""
    shared: dict[str, Mapping[str, str]] = field(repr=False)
    """By a segment's key, what its generation counted; it never changes."""

    @cached_property
    def manifest(self) -> Manifest:
        """Its manifest. Raises IndexBroken or IndexFormatUnknown."""
        return loads(self._part("manifest"))

    @cached_property
    def record(self) -> Record:
        """Which rows it uses. Raises IndexBroken."""
        try:
            found = json.loads(self._part("record"))
            return Record(
                tuple(Segment(**each) for each in found["segments"]),
                tuple(
                    Superseded(tuple(each["generations"]), each["at"])
                    for each in found["superseded"]
                ),
            )
        except (ValueError, KeyError, TypeError) as error:
            raise self._broken() from error

    @cached_property
    def dead(self) -> tuple[int, ...]:
        """Posts whose rows no longer count, ascending."""
        return tuple(self._arrays("state")["dead"].tolist())

    @cached_property
    def vectors(self) -> VectorDirectory:
        """Which vectors it has. Raises IndexBroken."""
        own = self._arrays("state")
        segments = []
        for segment in self.record.segments:
            if segment.vectors:
                arrays = self._of(segment)._arrays("vectors")
                name = self.names.vectors(segment.generation)
                segments.append(VectorSegment(name, arrays["chunks"], arrays["posts"]))
        return VectorDirectory(tuple(segments), own["unembedded"], own["total"])

    @cached_property
    def statistics(self) -> dict[str, TermStatistics]:
        """In how many documents each term is, by field."""
        every = [self._of(segment) for segment in self.record.segments]
        return {
            name: sum_statistics([read_statistics(each._arrays(name)) for each in every])
            for name in (WHOLE, TERMS)
        }

    @property
    def terms(self) -> GenerationTerms:
        """What is known of its words without their rows."""
        return terms_of_record(self.names, self.record, self.dead, self.statistics)

    def texts(self) -> TextReader:
        """Return what reads its chunks' texts."""
        return texts_of_record(self.milvus, self.names, self.record)

    def load(self, earlier: tuple[Record, sqlite3.Connection] | None = None) -> sqlite3.Connection:
        """Make its catalog in memory; of `earlier`, opened before it, what they share is copied."""
        connection = open_in_memory()
        segments: Sequence[Segment] = self.record.segments
        if earlier is not None and segments[: len(earlier[0].segments)] == earlier[0].segments:
            earlier[1].backup(connection)
            segments = segments[len(earlier[0].segments) :]
        self.fill(connection, segments)
        return connection

    def fill(self, connection: sqlite3.Connection, segments: Sequence[Segment]) -> None:
        """Put the posts of these segments into a catalog, and take out those that went."""
        dead = set(self.dead)
        for segment in segments:
            if segment.posts:
                name = self.names.posts(segment.generation)
                load_posts(connection, self._posts(name, dead))
        connection.executemany(
            "DELETE FROM posts WHERE post_id = ?", [(post,) for post in self.dead]
        )
        load_relations(connection, self._part("relations"))

    def _posts(self, collection: str, dead: set[int]) -> Iterator[str]:
        parts: list[str] = []
        last: int | None = None
        rows = self.milvus.iterate(collection, f"{POST} >= 0", [ROW, POST, TEXT], READ_ROWS)
        for row in rows:  # in the order of their keys, so the parts of a post are together
            if row[POST] != last and parts:
                yield "".join(parts)
                parts = []
            last = row[POST]
            if last not in dead:
                parts.append(row[TEXT])
        if parts:
            yield "".join(parts)

    def _of(self, segment: Segment) -> StoredGeneration:
        if segment.key not in self.shared:
            self.shared[segment.key] = read_parts(
                self.milvus, self.names.posts(segment.generation), SHARED_KINDS
            )
        return replace(self, number=segment.generation, parts=self.shared[segment.key])

    def _arrays(self, kind: str) -> dict[str, Any]:
        try:
            return unpack_arrays([self._part(kind)])
        except ValueError as error:
            raise self._broken() from error

    def _part(self, kind: str) -> str:
        try:
            return self.parts[kind]
        except KeyError as error:
            raise self._broken() from error

    def _broken(self) -> IndexBroken:
        name = self.names.posts(self.number)
        return IndexBroken(f"The index's collection {name} is damaged. {REBUILD}")


def read_parts(milvus: Milvus, collection: str, kinds: Sequence[str] = ()) -> dict[str, str]:
    """Read the texts of a generation's own rows by kind, all of them if none are named."""
    expression = f"{POST} == {NO_POST}"
    if kinds:
        expression += f" and {KIND} in [{', '.join(map(literal, kinds))}]"
    found: dict[str, list[tuple[int, str]]] = {}
    for row in milvus.iterate(collection, expression, [ROW, KIND, PART, TEXT], READ_ROWS):
        found.setdefault(row[KIND], []).append((row[PART], row[TEXT]))
    return {kind: "".join(text for _, text in sorted(parts)) for kind, parts in found.items()}


def live_number(milvus: Milvus, names: CollectionNames) -> int:
    """Return the live generation's number. Raises IndexMissing or IndexBroken."""
    found = milvus.resolve(names.index)
    if found is None:
        raise IndexMissing(
            f"There is no index {names.index} on the Milvus server at {milvus.address} yet. "
            f"Make one: `{TO_INGEST}`."
        )
    number = names.generation_of(found)
    if number is None:
        raise IndexBroken(
            f"The alias {names.index} on the Milvus server at {milvus.address} names {found}, "
            "which is no index. Drop the alias, or use another name."
        )
    return number


def rows_of(kind: str, texts: Iterable[str], first: int, post: int = NO_POST) -> Iterator[Row]:
    """Make the rows of one text's parts, numbered from `first` away from posts' own rows."""
    for part, text in enumerate(texts):
        yield {
            ROW: first - part if post == NO_POST else first + part,
            KIND: kind,
            POST: post,
            PART: part,
            TEXT: text,
            WHOLE: NO_TERMS,
        }


def rows_of_post(post: int, text: str, whole: Sparse) -> Iterator[Row]:
    """Make the rows of a post; the first has its words."""
    for row in rows_of(OF_POST, split_text(text), post * PARTS, post):
        yield row if row[PART] else row | {WHOLE: whole}


def own_rows(texts: Mapping[str, str], arrays: Mapping[str, Mapping[str, Any]]) -> list[Row]:
    """Make the rows of what a generation has besides posts."""
    rows: list[Row] = []
    for kind, text in texts.items():
        rows += rows_of(kind, split_text(text), -1 - len(rows))
    for kind, columns in arrays.items():
        rows += rows_of(kind, pack_arrays(columns), -1 - len(rows))
    return rows


def state_arrays(dead: Sequence[int], directory: VectorDirectory) -> dict[str, Any]:
    """Return the arrays of which rows no longer count."""
    none = np.asarray(dead, dtype=np.int64)
    return {"dead": none, "unembedded": directory.dead, "total": directory.total}


def dump_record(record: Record) -> str:
    """Write a record as JSON."""
    return json.dumps(asdict(record))


def terms_of_record(
    names: CollectionNames,
    record: Record,
    dead: Sequence[int],
    statistics: Mapping[str, TermStatistics],
) -> GenerationTerms:
    """Name the collections that hold a generation's words."""
    return GenerationTerms(
        tuple(names.posts(each.generation) for each in record.segments if each.posts),
        tuple(names.chunks(each.generation) for each in record.segments if each.chunks),
        tuple(dead),
        statistics,
    )


def texts_of_record(milvus: Milvus, names: CollectionNames, record: Record) -> TextReader:
    """Return what reads the texts of a generation's chunks."""
    with_chunks = [segment for segment in record.segments if segment.chunks]
    return TextReader(
        milvus,
        [segment.first for segment in with_chunks],
        [names.chunks(segment.generation) for segment in with_chunks],
    )


def drop_all(milvus: Milvus, names: CollectionNames, wanted: Callable[[int], bool]) -> None:
    """Drop every collection of the generations that are `wanted` gone."""
    for name in milvus.collections():
        number = names.generation_of(name)
        if number is not None and wanted(number):
            try:
                milvus.drop(name)
            except CollectionGone:
                continue


def newest_number(milvus: Milvus, names: CollectionNames) -> int:
    """Return the highest number of a generation that has a collection, finished or not."""
    return max(filter(None, map(names.generation_of, milvus.collections())), default=0)


def numbers_before(milvus: Milvus, names: CollectionNames, current: int) -> list[int]:
    """Return the numbers of generations before this one that have posts, the newest first."""
    found = {
        number
        for name in milvus.collections()
        if (number := names.generation_of(name)) is not None and name == names.posts(number)
    }
    return sorted((number for number in found if number < current), reverse=True)
