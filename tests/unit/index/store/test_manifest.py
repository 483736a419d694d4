"""The one file that says what an index is: what it keeps, and what it refuses."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from blog_search_mcp.index.errors import IndexBroken, IndexFormatUnknown
from blog_search_mcp.index.store.manifest import (
    FORMAT,
    Checksum,
    IndexedPost,
    Manifest,
    dumps,
    loads,
)
from blog_search_mcp.index.types import Calibration
from tests.support.fakes import IDENTITY

REBUILD = "Rebuild it: `blog-search-mcp ingest CONTENT --index INDEX --rebuild`."

CALIBRATION = Calibration(5.1, 1.2, 0.4, 0.5, 0.1, -0.05, characters=70, chunks=2, last_chunk=2)

MANIFEST = Manifest(
    generation=42,
    created="2026-01-15T08:00:00+00:00",
    embedder=IDENTITY,
    build={"chunking": 1, "include_drafts": False},
    posts={
        "推論/快取.md": IndexedPost(digest="a" * 64, size=3, mtime_ns=10**18, chunks=2),
        "a.md": IndexedPost(digest="b" * 64, size=0, mtime_ns=1, chunks=0, expires="2027-01-01"),
    },
    calibration=CALIBRATION,
    superseded=1,
    files={"chunks.db": Checksum(size=45, sha256="c" * 64)},
)


def test_a_manifest_comes_back_whole() -> None:
    assert loads(dumps(MANIFEST)) == MANIFEST


def test_its_chunks_are_those_of_all_posts() -> None:
    assert MANIFEST.chunks == 2


@given(
    posts=st.dictionaries(
        st.text(),
        st.builds(
            IndexedPost,
            digest=st.text(),
            size=st.integers(min_value=0),
            mtime_ns=st.integers(),
            chunks=st.integers(min_value=0),
            expires=st.none() | st.text(),
        ),
    )
)
def test_any_post_comes_back(posts: dict[str, IndexedPost]) -> None:
    manifest = MANIFEST.model_copy(update={"posts": posts})
    assert loads(dumps(manifest)) == manifest


@pytest.mark.parametrize(
    "text",
    [
        "",
        "{}",
        "[]",
        "null",
        "nonsense",
        f'{{"format": {FORMAT}}}',
        '{"format": 1, "checksum": "", "content": [NaN]',
        "[" * 100_000,
        '{"format": ' + "9" * 5000 + "}",
        dumps(MANIFEST)[: len(dumps(MANIFEST)) // 2],
    ],
)
def test_what_is_no_manifest_is_one_sentence(text: str) -> None:
    with pytest.raises(IndexBroken) as raised:
        loads(text)
    assert str(raised.value) == f"The index's manifest.json is not one of ours. {REBUILD}"


def changed(path: tuple[str, ...], value: object) -> str:
    outer: dict[str, Any] = json.loads(dumps(MANIFEST))
    place = outer
    for key in path[:-1]:
        place = place[key]
    place[path[-1]] = value
    content = json.dumps(outer.pop("content"), sort_keys=True, separators=(",", ":"))
    return f'{json.dumps(outer)[:-1]}, "content": {content}}}'


@pytest.mark.parametrize(
    "text",
    [
        changed(("content", "generation"), 43),
        changed(("content", "embedder", "digest"), "f" * 64),
        changed(("content", "posts", "a.md", "digest"), "b" * 63 + "c"),
        changed(("content", "posts"), {}),
        changed(("content", "files", "chunks.db", "size"), 46),
        changed(("content", "more"), 1),
        changed(("checksum",), "0" * 64),
        dumps(MANIFEST)[:-1],
    ],
)
def test_a_changed_value_is_noticed(text: str) -> None:
    with pytest.raises(IndexBroken) as raised:
        loads(text)
    assert str(raised.value) == f"The index's manifest.json is damaged. {REBUILD}"


def test_a_newer_format_asks_for_an_update() -> None:
    with pytest.raises(IndexFormatUnknown) as raised:
        loads(changed(("format",), FORMAT + 1))
    assert str(raised.value) == (
        f"The index has format {FORMAT + 1}, this program reads {FORMAT}. Update blog-search-mcp, "
        "or rebuild: `blog-search-mcp ingest CONTENT --index INDEX --rebuild`."
    )


@pytest.mark.parametrize(("written", "shown"), [(0, "0"), ("one", "'one'"), (None, "None")])
def test_an_older_or_foreign_format_asks_for_a_rebuild(written: object, shown: str) -> None:
    with pytest.raises(IndexFormatUnknown) as raised:
        loads(changed(("format",), written))
    assert str(raised.value) == (
        f"The index has format {shown}, this program reads {FORMAT}. Rebuild: "
        "`blog-search-mcp ingest CONTENT --index INDEX --rebuild`."
    )


@pytest.mark.parametrize(
    "broken",
    [
        replace(CALIBRATION, heading_found=float("nan")),
        replace(CALIBRATION, absent_cosine=float("inf")),
        replace(CALIBRATION, heading_similarity=-0.1),
        replace(CALIBRATION, chunks=-1),
        replace(CALIBRATION, characters=-1),
        replace(CALIBRATION, chunks=10**400),
    ],
    ids=["no number", "endless", "negative", "negative count", "negative size", "no count"],
)
def test_medians_that_no_search_reaches_are_refused(broken: Calibration) -> None:
    with pytest.raises(IndexBroken):
        loads(dumps(MANIFEST.model_copy(update={"calibration": broken})))
