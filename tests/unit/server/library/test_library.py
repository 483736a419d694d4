"""Several indexes as one: searched, read and listed together, and each without the others."""

from __future__ import annotations

from itertools import count
from typing import TYPE_CHECKING, Any

import pytest

from blog_search_mcp.index.errors import IndexBroken, IndexMissing, UnknownChunk, UnknownPost
from blog_search_mcp.index.types import Filters, Order
from blog_search_mcp.server.engine import Engine, IndexStatus
from blog_search_mcp.server.library.library import Library, engine_for
from blog_search_mcp.server.protocol.instructions import instructions
from blog_search_mcp.server.settings import Settings
from blog_search_mcp.server.tools.find_similar import FIND_SIMILAR
from blog_search_mcp.server.tools.list_posts import LIST_POSTS
from blog_search_mcp.server.tools.registry import CORE, tools_for
from blog_search_mcp.server.tools.suggest_links import SUGGEST_LINKS

if TYPE_CHECKING:
    from pathlib import Path

    from tests.support.blog import MakeBlog

pytestmark = pytest.mark.usefixtures("round_model")

FOOD = {
    "soup/onion.md": "---\ntitle: Onion soup\ndate: 2025-03-04\ntags: [soup]\n---\n"
    "Boil an onion.\n",
    "bread.md": "---\ntitle: Bread\ndate: 2024-01-01\n---\nFlour and water make a dough.\n",
}
TECH = {
    "kv.md": "---\ntitle: a KV cache\ndate: 2025-03-04\ntags: [llm]\n---\nKeys and values.\n",
    "peel.md": "---\ntitle: Peeling\ndate: 2025-06-01\n---\nAn onion has layers like a network.\n",
    "undated.md": "# Zebra\n\nStripes of a zebra.\n",
}


@pytest.fixture
def library(kept_blog: MakeBlog) -> Library:
    return Library({"food": kept_blog(FOOD).engine(), "tech": kept_blog(TECH).engine()})


def sources(library: Library, query: str, **filters: Any) -> list[str]:
    found = library.search(query, Filters(**filters), limit=5, offset=0)
    return [hit.post.source for hit in found.hits]


def test_one_search_finds_the_best_of_all(library: Library) -> None:
    assert sources(library, "Onion soup")[0] == "food/soup/onion.md"
    assert sources(library, "a KV cache")[0] == "tech/kv.md"
    assert set(sources(library, "onion")) >= {"food/soup/onion.md", "tech/peel.md"}


def test_pages_of_all_together_are_the_list(library: Library) -> None:
    whole = library.search("onion", Filters(), limit=20, offset=0)
    pages = [library.search("onion", Filters(), limit=1, offset=at).hits for at in range(4)]
    assert [hit for page in pages for hit in page] == list(whole.hits[:4])
    assert whole.total == len(whole.hits)


def test_a_section_begins_with_its_blog(library: Library) -> None:
    assert sources(library, "onion", section="tech")[0] == "tech/peel.md"
    assert sources(library, "onion", section="food/soup") == ["food/soup/onion.md"]
    assert sources(library, "onion", section="soup") == []


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"blog": "food", "tag": "llm"}, "blog='food', tag='llm'"),
        (
            {"blog": "food", "section": "soup", "tag": "llm"},
            "blog='food', section='soup', tag='llm'",
        ),
        ({"section": "food/soup", "tag": "llm"}, "section='food/soup', tag='llm'"),
    ],
)
def test_a_miss_names_the_filters_as_they_were_given(
    library: Library, given: dict[str, str], said: str
) -> None:
    search_blog, *_ = tools_for("core", library.status.blogs)
    facts = search_blog.call(library, {"query": "onion", **given}).facts
    assert facts is not None
    assert (facts["results"], facts["notice"]) == (
        [],
        f"No post matches this query within {said}. Leave filters out, or try other words.",
    )


def test_a_source_that_was_given_is_taken(library: Library) -> None:
    passage = library.read("food/soup/onion.md", 0, 0)
    assert (passage.post.source, passage.chunks[0].text) == ("food/soup/onion.md", "Boil an onion.")
    assert library.outline("tech/kv.md").post.source == "tech/kv.md"


def test_a_source_that_is_not_there_is_named_with_the_nearest(library: Library) -> None:
    with pytest.raises(UnknownPost) as unknown:
        library.read("food/soup/onions.md", 0, 0)
    assert unknown.value.nearest[0] == "food/soup/onion.md"
    with pytest.raises(UnknownPost) as unprefixed:
        library.outline("kv.md")
    assert unprefixed.value.nearest == ("tech/kv.md",)
    with pytest.raises(UnknownPost) as misspelt:
        library.read("soup/onions.md", 0, 0)
    assert "food/soup/onion.md" in misspelt.value.nearest
    with pytest.raises(UnknownChunk) as chunk:
        library.read("food/bread.md", 9, 0)
    assert chunk.value.source == "food/bread.md"


ONION, BREAD, KV, PEEL, UNDATED = (
    *(f"food/{source}" for source in FOOD),
    *(f"tech/{source}" for source in TECH),
)


@pytest.mark.parametrize(
    ("order", "expected"),
    [
        ("newest", [PEEL, ONION, KV, BREAD, UNDATED]),
        ("oldest", [BREAD, ONION, KV, PEEL, UNDATED]),
        ("title", [KV, BREAD, ONION, PEEL, UNDATED]),
    ],
)
def test_posts_of_all_are_listed_in_one_order(
    order: Order, expected: list[str], library: Library
) -> None:
    lists = library.listing()
    pages = [lists.posts(Filters(), order, 2, offset) for offset in (0, 2, 4)]
    assert [post.source for page in pages for post in page.page] == expected
    assert {page.total for page in pages} == {5}
    assert [page.next_offset for page in pages] == [2, 4, None]


def test_following_posts_are_all_posts_once(library: Library) -> None:
    lists = library.listing()
    place, seen = None, []
    for _ in count():
        page = lists.following(place, 1)
        if not page:
            break
        seen.append(page[0].source)
        place = (page[0].date or "", page[0].source)
    assert seen == [post.source for post in lists.posts(Filters(), "newest", 9, 0).page]
    assert ("food/bread.md", "Bread") in lists.names()


def test_places_in_posts_are_found_by_their_blogs(library: Library) -> None:
    lists = library.listing()
    assert sorted(source for source, _title in lists.names()) == [BREAD, ONION, KV, PEEL, UNDATED]
    assert lists.years() == [(2025, 3), (2024, 1)]


def torn() -> Any:
    raise IndexBroken("A file is torn.")


def test_an_index_that_cannot_be_used_does_not_stop_the_others(
    blog: MakeBlog, tmp_path: Path
) -> None:
    missing = engine_for(Settings(tmp_path / "none", ""))
    assert isinstance(missing, Engine)
    broken = Engine(torn, IndexStatus(tmp_path / "torn"))
    library = Library({"food": blog(FOOD).engine(), "gone": missing, "torn": broken})
    found = library.search("onion", Filters(), limit=1, offset=0)
    assert [hit.post.source for hit in found.hits] == ["food/soup/onion.md"]
    assert found.notice == (
        "gone: There is no index in none/ yet. Make one: `blog-ingest CONTENT --index INDEX`. "
        "torn: A file is torn."
    )
    overview = library.overview
    assert (overview.posts, overview.sections[0]) == (2, ("food", 2))
    assert overview.notice == found.notice
    assert LIST_POSTS.call(library, {}).facts is not None
    only = Library({"gone": missing, "lost": missing})
    with pytest.raises(IndexMissing) as none:
        only.listing()
    assert str(none.value) == (
        "gone, lost: There is no index in none/ yet. Make one: `blog-ingest CONTENT --index INDEX`."
    )


def test_a_switch_of_one_index_changes_the_stamp_and_names_its_sources(blog: MakeBlog) -> None:
    food, tech = blog(FOOD), blog(TECH)
    status = Library({"food": food.engine(), "tech": tech.engine()}).status
    before = status.stamp()
    assert status.changed(None, before) == {
        *(f"food/{source}" for source in FOOD),
        *(f"tech/{source}" for source in TECH),
    }
    tech.write({"kv.md": "# A cache\n\nIt keeps values.\n"})
    tech.ingest()
    now = status.stamp()
    assert now != before
    assert status.changed(before, now) == {"tech/kv.md"}


def test_a_client_is_told_of_every_blog(library: Library, tmp_path: Path) -> None:
    assert instructions(library.status).startswith(
        "Search and read 2 blogs: 5 posts, the newest of 2025-06-01. Languages: en (1). "
        "Blogs: food (2), tech (3). Tags: llm (1), soup (1). Call search_blog first"
    )
    none = {name: Engine(torn, IndexStatus(tmp_path / name)) for name in ("a", "b")}
    assert "It has no index yet" in instructions(Library(none).status)


def test_a_model_chooses_a_blog_by_its_name(library: Library) -> None:
    search, read = tools_for("core", library.status.blogs)
    assert search.input_schema["properties"]["blog"] == {
        "type": "string",
        "enum": ["food", "tech"],
        "description": "This blog instead of all",
    }
    assert read == CORE[1]
    facts = search.call(library, {"query": "onion", "blog": "tech"}).facts
    assert facts is not None
    assert {hit["source"].partition("/")[0] for hit in facts["results"]} == {"tech"}
    for section in ("soup", "food/soup"):
        given = {"query": "onion", "blog": "food", "section": section}
        facts = search.call(library, given).facts
        assert facts is not None
        assert [hit["source"] for hit in facts["results"]] == ["food/soup/onion.md"]
    miss = search.call(library, {"query": "onion", "blog": "tech", "section": "soup"}).facts
    assert miss is not None
    assert miss["notice"] == (
        "No post has the section 'tech/soup'. Nearest: food/soup (1), tech (3). "
        "The sections: tech (3), food (2)."
    )


def test_one_index_is_served_as_ever(tmp_path: Path) -> None:
    assert isinstance(engine_for(Settings(tmp_path, "")), Engine)
    assert tools_for("core") == CORE


def test_links_and_likeness_of_an_unknown_post_name_it_with_its_blog(library: Library) -> None:
    for tool in (SUGGEST_LINKS, FIND_SIMILAR):
        with pytest.raises(UnknownPost) as misspelt:
            tool.call(library, {"source": "food/soup/onions.md"})
        assert misspelt.value.source == "food/soup/onions.md"
        assert misspelt.value.nearest == ("food/soup/onion.md",)
        with pytest.raises(UnknownPost) as without_blog:
            tool.call(library, {"source": "bread.md"})
        assert without_blog.value.nearest == ("food/bread.md",)
