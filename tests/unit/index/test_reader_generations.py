"""A server's view of an index folder that ingests keep replacing."""

import shutil
from collections.abc import Callable

import pytest

from blog_search_mcp.index.errors import IndexMissing
from blog_search_mcp.index.invocation import Message
from blog_search_mcp.index.reader import Index, IndexReader
from blog_search_mcp.index.store.manifest import FORMAT, REBUILD
from blog_search_mcp.index.types import Filters
from tests.support.blog import Blog, MakeBlog, rows_file
from tests.support.fakes import FakeEmbedder

SOUP = {"soup.md": "# Soup\n\nBoil an onion.\n"}


def text(reader: IndexReader) -> str:
    return reader.read("soup.md", 0, 0).chunks[0].text


def rewrite(blog: Blog, words: str) -> None:
    blog.write({"soup.md": f"# Soup\n\n{words}\n"})
    blog.ingest()


def torn_current(blog: Blog) -> str:
    blog.layout.current.write_text("nonsense", encoding="ascii")
    return f"The index's CURRENT names no generation. {Message(*REBUILD)}"


def torn_vectors(blog: Blog) -> str:
    path = rows_file(blog.files)
    path.write_bytes(b"torn")
    return f"The index's vectors/{path.name} is damaged. {Message(*REBUILD)}"


def of_another_version(blog: Blog) -> str:
    blog.files.manifest.write_text('{"format": 99}', encoding="utf-8")
    return (
        f"The index has format 99, this program reads {FORMAT}. Update blog-search-mcp, or "
        "rebuild it: `blog-search-mcp ingest --rebuild`."
    )


def deleted(blog: Blog) -> str:
    blog.layout.current.unlink()
    return "There is no index in index/ yet. Make one: `blog-search-mcp setup`."


@pytest.mark.parametrize("fault", [torn_current, torn_vectors, of_another_version, deleted])
def test_a_broken_newcomer_leaves_the_open_generation_answering_and_says_so(
    fault: Callable[[Blog], str], blog: MakeBlog
) -> None:
    made = blog(SOUP)
    engine = made.engine()
    assert engine.search("soup", Filters(), limit=1, offset=0).notice is None
    created = made.manifest.created
    rewrite(made, "Fry a leek.")
    said = fault(made)
    for _ in range(2):
        answer = engine.search("soup", Filters(), limit=1, offset=0)
        assert answer.hits[0].chunk.text == "# Soup\n\nBoil an onion."
        assert answer.notice == (
            f"This is from the index of {created}, since the newest cannot be used. {said}"
        )
    made.ingest(rebuild=True)
    answer = engine.search("soup", Filters(), limit=1, offset=0)
    assert (answer.hits[0].chunk.text, answer.notice) == ("# Soup\n\nFry a leek.", None)


def test_switches_while_an_index_is_opened_end_in_the_newest(blog: MakeBlog) -> None:
    """They come between reading CURRENT and opening what it names."""
    made = blog(SOUP)

    def embedder_for(_identity: object) -> FakeEmbedder:
        for number in range(3):
            rewrite(made, f"Version {number}.")
        return made.embedder

    live = Index(made.index, embedder_for)
    assert live.reader().manifest.generation == made.manifest.generation == 4
    assert text(live.reader()) == "# Soup\n\nVersion 2."
    live.close()


def test_an_index_that_was_deleted_and_made_again_is_served(blog: MakeBlog) -> None:
    """It counts from 1 again."""
    made = blog(SOUP)
    live = made.engine()
    early = live.reader()
    shutil.rmtree(made.index)
    assert text(early) == "# Soup\n\nBoil an onion."
    assert isinstance(live.reader().problem, IndexMissing)
    rewrite(made, "Fry a leek.")
    assert live.reader().manifest.generation == early.manifest.generation == 1
    assert text(live.reader()) == "# Soup\n\nFry a leek."
