"""Posts and chunks into the next generation's SQLite file: values in, chunk ids out.

The file starts as a copy of the previous generation's and takes the plan on top, with the texts
of new chunks; those of earlier ones lie in a file that the two share (`index.taken_over`). Neither
needs a journal while it is written: until CURRENT names its generation nobody reads it, and a
torn one is thrown away whole.
"""

from __future__ import annotations

import json
import shutil
import sqlite3
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass
from functools import cache

from index import shared_texts
from index.catalog import Catalog
from index.layout import GenerationFiles
from index.mentions import LinkTargets
from index.schema import SCHEMA, SHARED
from index.translations import Translations, translations_in
from index.types import Chunk, Mention, Post


@dataclass(frozen=True, slots=True)
class Gone:
    """What was taken out, and ids that no longer mean anything."""

    sources: list[str]
    posts: list[int]
    chunks: list[int]


@dataclass(frozen=True, slots=True)
class Added:
    """The ids of a post that came in."""

    post_id: int
    chunk_ids: tuple[int, ...]
    """In the order of the post."""


class CatalogWriter:
    """An unfinished catalog; use `open_writer`."""

    def __init__(self, connection: sqlite3.Connection, texts: str) -> None:
        """`texts` is the table that new texts go into."""
        self._connection = connection
        self._texts = texts

    def remove(self, sources: Iterable[str]) -> Gone:
        """Take these posts out."""
        gone = Gone([], [], [])
        for source in sources:
            found = self._connection.execute("SELECT post_id FROM posts WHERE source = ?", [source])
            for (post_id,) in found.fetchall():
                query = "SELECT chunk_id FROM chunks WHERE post_id = ?"
                gone.chunks.extend(row[0] for row in self._connection.execute(query, [post_id]))
                gone.posts.append(post_id)
                gone.sources.append(source)
                self._connection.execute("DELETE FROM posts WHERE post_id = ?", [post_id])
        return gone

    def add(
        self,
        post: Post,
        chunks: Sequence[Chunk],
        readable: Sequence[float],
        mentions: Sequence[Mention] = (),
    ) -> Added:
        """Put a post in.

        `readable` says for each chunk how well the embedder reads it, in [0, 1].
        """
        row = (post.source, post.title, post.date, _json(post.tags), post.description)
        cursor = self._connection.execute(
            "INSERT INTO posts (source, title, day, tags, description, slug, language, url, "
            "translation_key) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
            (*row, post.slug, post.language, post.url, post.translation_key),
        )
        post_id = cursor.lastrowid
        assert post_id is not None
        tags = {tag.casefold() for tag in post.tags}
        self._connection.executemany(
            "INSERT INTO tags VALUES (?, ?)", [(post_id, tag) for tag in sorted(tags)]
        )
        pairs = zip(chunks, readable, strict=True)
        ids = tuple(self._add_chunk(post_id, chunk, share) for chunk, share in pairs)
        self._connection.executemany(
            "INSERT INTO mentions (post_id, position, address, text, is_pointer) "
            "VALUES (?, ?, ?, ?, ?)",
            [(post_id, said.chunk, said.address, said.text, said.is_pointer) for said in mentions],
        )
        return Added(post_id, ids)

    def posts(self) -> dict[int, Post]:
        """Every post that is in by now, by id."""
        return Catalog(self._connection).every_post()

    def follow_links(self, posts: Mapping[int, Post]) -> list[int]:
        """Note where mentions lead now, and which of all `posts` are translations of each other.

        Returns the ids of posts with a mention that leads to a post now and did not, or no more.
        """
        translations = translations_in(posts)
        self._note(translations)
        targets_of = cache(LinkTargets(posts, translations).of)
        rows = self._connection.execute("SELECT mention_id, post_id, address, leads FROM mentions")
        changed = []
        for mention, post, address, led in rows.fetchall():
            leads = _leads(targets_of(address), post)
            if leads != led:
                changed.append((mention, post, leads, bool(leads) != bool(led)))
        self._connection.executemany(
            "UPDATE mentions SET leads = ? WHERE mention_id = ?",
            [(leads, mention) for mention, _, leads, _ in changed],
        )
        return sorted({post for _, post, _, relinked in changed if relinked})

    def _note(self, translations: Translations) -> None:
        self._connection.execute("DELETE FROM translations")
        self._connection.executemany(
            "INSERT INTO translations VALUES (?, ?, ?, ?)",
            [
                (each.post, family, place, each.language)
                for family, group in enumerate(translations.families)
                for place, each in enumerate(group)
            ],
        )

    def chunk_ids(self, post_ids: Collection[int]) -> list[int]:
        """The ids of all chunks of these posts."""
        found = Catalog(self._connection).chunk_ids(sorted(post_ids))
        return [chunk for chunks in found.values() for chunk in chunks]

    def post_ids(self) -> list[int]:
        """The ids of all posts, ascending."""
        return [row[0] for row in self._connection.execute("SELECT post_id FROM posts ORDER BY 1")]

    def newer(self) -> int:
        """How many chunks have their texts in this generation alone."""
        return int(self._connection.execute("SELECT count(*) FROM main.texts").fetchone()[0])

    def share_texts(self, files: GenerationFiles) -> None:
        """Write all texts to a new file in the place of the shared one, and leave none here."""
        shared_texts.write_anew(self._connection, files)

    def commit(self) -> None:
        """Let others read what is in by now; the file is as complete as what was put in."""
        self._connection.commit()

    def _add_chunk(self, post_id: int, chunk: Chunk, readable: float) -> int:
        lines = (chunk.first_line, chunk.last_line)
        cursor = self._connection.execute(
            "INSERT INTO chunks "
            "(post_id, position, headings, first_line, last_line, readable, anchor) "
            "VALUES (?, ?, ?, ?, ?, ?, ?)",
            (post_id, chunk.index, _json(chunk.headings), *lines, readable, chunk.anchor),
        )
        chunk_id = cursor.lastrowid
        assert chunk_id is not None
        self._connection.execute(
            f"INSERT INTO {self._texts} VALUES (?, ?, ?)", (chunk_id, chunk.text, chunk.plain)
        )
        return chunk_id


@contextmanager
def open_writer(
    files: GenerationFiles, previous: GenerationFiles | None
) -> Iterator[CatalogWriter]:
    """The catalog of `files`, new or copied from `previous`; complete when the block ends.

    With `previous`, its texts are at their place in `files` already. Raises OSError or
    sqlite3.OperationalError.
    """
    if previous is not None:
        shutil.copyfile(previous.catalog, files.catalog)
    with closing(sqlite3.connect(files.catalog.resolve().as_uri(), uri=True)) as connection:
        shared_texts.attach(connection, files, is_new=previous is None)
        connection.execute("PRAGMA foreign_keys = ON")
        if previous is None:
            connection.executescript(SHARED + SCHEMA)
        yield CatalogWriter(connection, "shared.texts" if previous is None else "main.texts")
        connection.commit()


def _leads(targets: Sequence[int], post: int) -> str:
    """The targets of a mention that `post` makes; none if it only leads to the post itself."""
    return " ".join(map(str, targets)) if any(target != post for target in targets) else ""


def _json(values: Sequence[str]) -> str:
    return json.dumps(list(values), ensure_ascii=False)
