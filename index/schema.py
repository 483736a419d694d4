"""The tables of a catalog: what `index.catalog_writer` makes and `index.catalog` reads."""

SCHEMA = """
CREATE TABLE posts (
    post_id INTEGER PRIMARY KEY AUTOINCREMENT,
    source TEXT NOT NULL UNIQUE,
    title TEXT NOT NULL,
    day TEXT,
    tags TEXT NOT NULL,
    description TEXT NOT NULL,
    slug TEXT NOT NULL,
    language TEXT NOT NULL,
    url TEXT,
    translation_key TEXT NOT NULL
);
CREATE TABLE tags (
    post_id INTEGER NOT NULL REFERENCES posts ON DELETE CASCADE,
    tag TEXT NOT NULL,
    PRIMARY KEY (tag, post_id)
) WITHOUT ROWID;
CREATE INDEX tags_by_post ON tags (post_id);
CREATE TABLE chunks (
    chunk_id INTEGER PRIMARY KEY AUTOINCREMENT,
    post_id INTEGER NOT NULL REFERENCES posts ON DELETE CASCADE,
    position INTEGER NOT NULL,
    headings TEXT NOT NULL,
    first_line INTEGER NOT NULL,
    last_line INTEGER NOT NULL,
    readable REAL NOT NULL,
    anchor TEXT NOT NULL,
    UNIQUE (post_id, position)
);
CREATE TABLE texts (
    chunk_id INTEGER PRIMARY KEY REFERENCES chunks ON DELETE CASCADE,
    text TEXT NOT NULL,
    plain TEXT NOT NULL
);
CREATE TABLE mentions (
    mention_id INTEGER PRIMARY KEY AUTOINCREMENT,
    post_id INTEGER NOT NULL REFERENCES posts ON DELETE CASCADE,
    position INTEGER NOT NULL,
    address TEXT NOT NULL,
    text TEXT NOT NULL,
    is_pointer INTEGER NOT NULL,
    leads TEXT NOT NULL DEFAULT ''
);
CREATE INDEX mentions_by_post ON mentions (post_id);
CREATE INDEX leading_mentions ON mentions (address, leads) WHERE leads <> '';
CREATE TABLE translations (
    post_id INTEGER PRIMARY KEY REFERENCES posts ON DELETE CASCADE,
    family INTEGER NOT NULL,
    place INTEGER NOT NULL,
    language TEXT NOT NULL
);
"""
"""Ids are never used twice (AUTOINCREMENT): they name vectors and lexical documents too.

`leads` names the posts that a mention leads to, by ids with spaces between them; `family` numbers
the translations of one post. Both hold for this generation alone."""

SHARED = """
CREATE TABLE shared.texts (
    chunk_id INTEGER PRIMARY KEY,
    text TEXT NOT NULL,
    plain TEXT NOT NULL
);
"""
"""Of most chunks, and of some that are no more: a file that generations share is not changed."""
