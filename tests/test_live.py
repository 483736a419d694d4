"""A server's view of an index folder that ingests keep replacing."""

from __future__ import annotations

import shutil
import threading
from typing import TYPE_CHECKING

import pytest

from index.errors import IndexBroken, IndexMissing
from index.types import Filters
from tests.fakes import FakeEmbedder

if TYPE_CHECKING:
    from index.reader import Reader
    from tests.blog import Blog, MakeBlog

SOUP = {"soup.md": "# Soup\n\nBoil an onion.\n"}


def text(reader: Reader) -> str:
    return reader.read("soup.md", 0, 0).chunks[0].text


def rewrite(blog: Blog, words: str) -> None:
    blog.write({"soup.md": f"# Soup\n\n{words}\n"})
    blog.ingest()


def test_a_reader_is_opened_once_for_a_generation(blog: MakeBlog) -> None:
    live = blog(SOUP).follow()
    assert live.reader() is live.reader()


def test_a_new_generation_is_picked_up(blog: MakeBlog) -> None:
    made = blog(SOUP)
    live = made.follow()
    assert text(live.reader()) == "# Soup\n\nBoil an onion."
    rewrite(made, "Fry a leek.")
    assert text(live.reader()) == "# Soup\n\nFry a leek."
    assert live.reader().search("leek", Filters(), limit=1, offset=0).total == 1


def test_a_reader_that_was_opened_keeps_its_generation(blog: MakeBlog) -> None:
    """Even when its folder is gone: what is open stays readable."""
    made = blog(SOUP)
    live = made.follow()
    early = live.reader()
    for words in ("Fry a leek.", "Stew a bean.", "Bake a beet."):
        rewrite(made, words)
    assert not made.layout.generation(early.manifest.generation).folder.exists()
    [hit] = early.search("onion", Filters(), limit=1, offset=0).hits
    assert hit.chunk.text == text(early) == "# Soup\n\nBoil an onion."


def test_the_reader_before_the_live_one_still_answers(blog: MakeBlog) -> None:
    made = blog(SOUP)
    live = made.follow()
    early = live.reader()
    rewrite(made, "Fry a leek.")
    late = live.reader()
    assert (text(early), text(late)) == ("# Soup\n\nBoil an onion.", "# Soup\n\nFry a leek.")


def test_many_threads_share_one_reader(blog: MakeBlog) -> None:
    live = blog(SOUP).follow()
    seen: list[Reader] = []
    threads = [threading.Thread(target=lambda: seen.append(live.reader())) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(seen) == 8
    assert len({id(reader) for reader in seen}) == 1


def test_searches_go_on_while_generations_are_replaced(blog: MakeBlog) -> None:
    made = blog(SOUP)
    live = made.follow()
    over = threading.Event()
    found: list[int] = []
    failures: list[Exception] = []

    def search() -> None:
        while not over.is_set():
            try:
                found.append(live.reader().search("soup", Filters(), limit=1, offset=0).total)
            except Exception as error:
                failures.append(error)

    searching = threading.Thread(target=search)
    searching.start()
    for number in range(5):
        rewrite(made, f"Version {number}.")
    over.set()
    searching.join()
    assert failures == []
    assert set(found) == {1}


def test_closing_lets_go_and_a_later_call_opens_again(blog: MakeBlog) -> None:
    live = blog(SOUP).follow()
    first = live.reader()
    live.close()
    assert live.reader() is not first
    assert text(live.reader()) == "# Soup\n\nBoil an onion."


def test_an_index_that_breaks_is_told_and_one_that_is_mended_is_served(blog: MakeBlog) -> None:
    made = blog(SOUP)
    live = made.follow()
    live.reader()
    made.layout.current.write_text("nonsense", encoding="ascii")
    with pytest.raises(IndexBroken):
        live.reader()
    made.ingest(rebuild=True)
    assert text(live.reader()) == "# Soup\n\nBoil an onion."


def test_an_index_that_was_deleted_and_made_again_is_served(blog: MakeBlog) -> None:
    """It counts from 1 again."""
    made = blog(SOUP)
    live = made.follow()
    early = live.reader()
    shutil.rmtree(made.index)
    assert text(early) == "# Soup\n\nBoil an onion."
    with pytest.raises(IndexMissing):
        live.reader()
    rewrite(made, "Fry a leek.")
    assert live.reader().manifest.generation == early.manifest.generation == 1
    assert text(live.reader()) == "# Soup\n\nFry a leek."


def test_the_embedder_is_asked_for_by_the_index_s_own_identity(blog: MakeBlog) -> None:
    from index.live import LiveIndex

    made = blog(SOUP)
    asked = []

    def embedder_for(identity: object) -> FakeEmbedder:
        asked.append(identity)
        return made.embedder

    live = LiveIndex(made.index, embedder_for)
    live.reader()
    rewrite(made, "Fry a leek.")
    live.reader()
    live.close()
    assert asked == [made.embedder.identity]
