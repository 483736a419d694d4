"""The one file that says what an index is: what it keeps, and what it refuses."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from blog_search_mcp.index.errors import IndexBroken
from blog_search_mcp.index.store.manifest import (
    FORMAT,
    Checksum,
    IndexedPost,
    Manifest,
    dumps,
    loads,
)
from tests.support.fakes import IDENTITY

MANIFEST = Manifest(
    generation=42,
    created="2026-01-15T08:00:00+00:00",
    embedder=IDENTITY,
    build={"chunking": 1, "include_drafts": False},
    posts={"推論/快取.md": IndexedPost(digest="a" * 64, chunks=2)},
    superseded=1,
    files={"chunks.db": Checksum(size=45, sha256="c" * 64)},
)


@given(posts=st.dictionaries(st.text(), st.from_type(IndexedPost)))
def test_any_manifest_comes_back(posts: dict[str, IndexedPost]) -> None:
    manifest = MANIFEST.model_copy(update={"posts": posts})
    assert loads(dumps(manifest)) == manifest


@pytest.mark.parametrize(
    "text",
    [
        "",
        "{}",
        "nonsense",
        f'{{"format": {FORMAT}}}',
        "[" * 100_000,
        '{"format": "one"}',
        dumps(MANIFEST).replace(f'"format": {FORMAT}', '"format": 99'),
        dumps(MANIFEST)[:-1],
        dumps(MANIFEST).replace('"generation":42', '"generation":43'),
        dumps(MANIFEST.model_copy(update={"files": {"../a": Checksum(size=1, sha256="")}})),
    ],
)
def test_what_is_no_manifest_or_changed_is_refused(text: str) -> None:
    with pytest.raises(IndexBroken, match="--rebuild"):
        loads(text)
