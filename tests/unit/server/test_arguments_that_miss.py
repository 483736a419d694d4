"""What is answered to a source or a section that the blog does not have as it was given."""

from __future__ import annotations

import pytest

from blog_search_mcp import Filters, open_index
from tests.support.front import Blog, made

POSTS = {
    f"{folder}/{name}.md": f"# {name}\n\nA walrus rests on the ice of {folder}.\n"
    for folder, name in [
        ("sea", "walrus-and-ice"),
        ("sea", "tides"),
        ("land", "mountain-paths"),
        ("land", "Deserts"),
    ]
} | {"harbour.md": "# Harbour\n\nNo walrus rests here.\n"}


@pytest.fixture(scope="module")
def blog(tmp_path_factory: pytest.TempPathFactory) -> Blog:
    return made(tmp_path_factory.mktemp("blog"), POSTS)


@pytest.mark.parametrize(
    ("asked", "meant"),
    [
        ("land/tides.md", "sea/tides.md"),
        ("deserts.md", "land/Deserts.md"),
        ("sea/walrus_and_ice.md", "sea/walrus-and-ice.md"),
        ("land/montain-path.md", "land/mountain-paths.md"),
        ("sea/tides", "sea/tides.md"),
        ("harbor.md", "harbour.md"),
    ],
)
def test_the_post_that_a_wrong_source_is_nearest_to_is_named(
    blog: Blog, asked: str, meant: str
) -> None:
    reply = blog.tool("read_chunk", source=asked)
    assert reply.is_error
    assert meant in reply.text


@pytest.mark.parametrize("asked", ["", "%", "_", "'", "/", "kv/", "☂" * 900])
def test_a_source_that_is_near_to_none_is_an_error(blog: Blog, asked: str) -> None:
    assert blog.tool("read_chunk", source=asked).is_error


@pytest.mark.parametrize("section", ["/", "//"])
def test_the_root_as_a_section_is_the_whole_blog(blog: Blog, section: str) -> None:
    everything = blog.sources("walrus rests on the ice")
    assert everything
    assert blog.sources("walrus rests on the ice", "--section", section) == everything
    assert blog.tool("list_posts", section=section).facts["total"] == len(POSTS)
    with open_index(blog.index) as index:
        assert len(index.posts(Filters(section=section))) == len(POSTS)


def test_a_folder_with_slashes_around_it_is_that_folder(blog: Blog) -> None:
    found = blog.sources("walrus rests on the ice", "--section", "/sea/")
    assert found
    assert all(source.startswith("sea/") for source in found)
