"""What is answered while the newest generation cannot be used, and an earlier one can."""

from pathlib import Path

import pytest

from tests.support.front import Blog, made

POSTS = {
    "ice.md": "# Ice\n\nA walrus rests on the ice. It sleeps.\n",
    "sea.md": "# Sea\n\nClams are what a walrus eats. See [ice](ice.md).\n",
}


@pytest.fixture(scope="module")
def blog(tmp_path_factory: pytest.TempPathFactory) -> Blog:
    """A blog whose second generation is torn; in it a link leads nowhere."""
    blog = made(tmp_path_factory.mktemp("blog"), POSTS)
    blog.write({"tusks.md": "# Tusks\n\nA tusk is a tooth. See [what was](gone.md).\n"})
    assert blog.ingest().status == 0
    file = max((blog.index / "generations").iterdir()) / "manifest.json"
    file.write_bytes(file.read_bytes()[:100])
    return blog


@pytest.mark.parametrize(
    "words", [("audit", "--fail-on", "broken-links"), ("similar", "sea.md"), ("related",)]
)
def test_the_blog_as_a_whole_is_not_judged_by_an_earlier_generation(
    blog: Blog, words: tuple[str, ...]
) -> None:
    ran = blog.command("author", *words)
    assert (ran.status, ran.out, bool(ran.err)) == (1, "", True)


@pytest.mark.parametrize("tool", ["find_similar", "suggest_links"])
def test_a_tool_for_authors_says_that_the_newest_generation_cannot_be_used(
    blog: Blog, tool: str
) -> None:
    assert blog.tool(tool, source="sea.md").is_error


def test_a_reader_gets_the_earlier_generation_and_is_told(blog: Blog) -> None:
    assert blog.tool("search_blog", query="walrus").facts["notice"]


def test_a_generation_that_was_never_switched_to_is_not_read(tmp_path: Path) -> None:
    blog = made(tmp_path, POSTS)
    blog.write({"tusks.md": "# Tusks\n\nA tusk is a tooth.\n"})
    assert blog.ingest().status == 0
    (blog.index / "CURRENT").write_text("000001\n", encoding="ascii")
    assert not blog.tool("search_blog", query="walrus").is_error
    (blog.index / "generations" / "000001" / "manifest.json").write_bytes(b"{")
    assert blog.tool("search_blog", query="walrus").is_error
