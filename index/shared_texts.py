"""The texts that many generations have in common, beside a catalog that is being written.

A catalog has most of its texts in a file of their own, attached as `shared`, which an ingest takes
over as it is; those of new chunks are in `main`. Nothing here is visible before the generation
is, so there is no journal: a file that was not completed is thrown away.
"""

from __future__ import annotations

import sqlite3

from index.catalog import immutable
from index.layout import GenerationFiles
from index.schema import SHARED


def attach(connection: sqlite3.Connection, files: GenerationFiles, *, is_new: bool) -> None:
    """Attach them, to be written if they are new and else to be read alone."""
    path = files.texts.resolve().as_uri() if is_new else immutable(files.texts)
    connection.execute("ATTACH ? AS shared", [path])
    for schema in ("main", "shared"):
        _unjournaled(connection, schema)


def write_anew(connection: sqlite3.Connection, files: GenerationFiles) -> None:
    """Write all texts to a new file in the place of the shared one, and leave none in `main`."""
    connection.commit()
    connection.execute("ATTACH ? AS fresh", [files.new_texts.resolve().as_uri()])
    _unjournaled(connection, "fresh")
    connection.execute(SHARED.replace("shared.", "fresh."))
    for texts in ("shared.texts", "main.texts"):
        connection.execute(
            f"INSERT INTO fresh.texts SELECT chunk_id, text, plain FROM {texts} "
            "WHERE chunk_id IN (SELECT chunk_id FROM chunks) ORDER BY chunk_id"
        )
    connection.execute("DELETE FROM main.texts")
    connection.commit()
    for schema in ("fresh", "shared"):
        connection.execute(f"DETACH {schema}")
    files.new_texts.replace(files.texts)
    connection.execute("ATTACH ? AS shared", [immutable(files.texts)])


def _unjournaled(connection: sqlite3.Connection, schema: str) -> None:
    connection.execute(f"PRAGMA {schema}.journal_mode = OFF")
    connection.execute(f"PRAGMA {schema}.synchronous = OFF")
