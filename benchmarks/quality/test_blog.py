from pathlib import Path

import pytest

from benchmarks.quality import blog
from benchmarks.quality.blog import Embedding, build_indexes, open_index
from benchmarks.quality.types import Query
from blog_search_mcp.index.store.disk import Layout
from blog_search_mcp.index.types import Filters
from blog_search_mcp.ingest.report import Progress

TITLE, DESCRIPTION = Query("title", "Alpha", "a.md"), Query("description", "zebra", "a.md")


@pytest.fixture
def content(tmp_path: Path) -> Path:
    folder = tmp_path / "blog" / "posts"
    folder.mkdir(parents=True)
    (folder / "a.md").write_text("---\ntitle: Alpha\ndescription: the zebra\n---\n\nWords.\n")
    return folder


def build(content: Path, *queries: Query) -> blog.Indexes:
    return build_indexes(content, queries, content.parents[1] / "cache", Embedding(), Progress())


def test_descriptions_are_searched_for_in_an_index_without_them(content: Path) -> None:
    indexes = build(content, TITLE, DESCRIPTION)
    found = {}
    for query in (TITLE, DESCRIPTION):
        reader = open_index(indexes.of(query), Embedding())
        answer = reader.search("zebra", Filters(), limit=1, offset=0)
        words = [each.value for each in answer.hits[0].reasons if each.kind == "post"]
        found[query.kind] = words == [1.0]
    assert found == {"title": True, "description": False}


def test_an_index_that_other_code_made_is_made_anew(
    content: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    index = build(content, TITLE).whole
    assert index is not None
    current = Layout(index).current
    before = current.read_text()
    build(content, TITLE)
    assert current.read_text() == before
    monkeypatch.setattr(blog, "code_digest", lambda: "other code")
    build(content, TITLE)
    assert current.read_text() != before
