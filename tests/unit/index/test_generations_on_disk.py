"""What an index keeps on its disk: the generation before the current one, each file once."""

from __future__ import annotations

import os
import random
import sys
from pathlib import Path
from typing import Any

import pytest

from blog_search_mcp.index.errors import IndexBroken
from blog_search_mcp.index.types import Filters
from tests.support.blog import MakeBlog
from tests.support.front import Blog, made

ONION = {"soup.md": "# Soup\n\nBoil an onion for the soup.\n"}
LEEK = {"soup.md": "# Soup\n\nBoil a leek for the soup.\n"}


def newest(blog: Blog) -> Path:
    return max((blog.index / "generations").iterdir())


def test_after_an_ingest_that_fails_the_generation_before_still_stands_in(tmp_path: Path) -> None:
    blog = made(tmp_path, ONION)
    blog.write(LEEK)
    assert blog.ingest().status == 0
    (blog.content / "soup.md").unlink()
    assert blog.ingest().status == 1
    (newest(blog) / "manifest.json").write_bytes(b"{}")
    assert "onion" in blog.tool("read_chunk", source="soup.md").text


def test_two_generations_and_no_more_are_kept(tmp_path: Path) -> None:
    blog = made(tmp_path, ONION)
    for posts in (LEEK, ONION, LEEK):
        blog.write(posts)
        assert blog.ingest().status == 0
    assert len(list((blog.index / "generations").iterdir())) == 2


def test_the_doctor_counts_a_file_of_two_generations_once(tmp_path: Path) -> None:
    characters = random.Random(1)
    # The packaged models know no letter of this script: nothing has to be embedded.
    letters = [chr(characters.randrange(0x1200, 0x1240)) for _ in range(60_000)]
    words = "\n\n".join(" ".join(letters[start : start + 60]) for start in range(0, 60_000, 60))
    blog = made(tmp_path, {**ONION, "long.md": f"# Long\n\n{words}\n"})
    blog.write(LEEK)
    assert blog.ingest().status == 0
    files = [path.stat() for path in blog.index.rglob("*") if path.is_file()]
    once = {status.st_ino: status.st_size for status in files}
    assert sum(status.st_size for status in files) > sum(once.values()) + 100_000
    assert f" {sum(once.values()) / 1e6:.1f} MB" in blog.command("doctor").out


opened: dict[str, int] = {}
"""How often each of these files was opened, by path."""


def count_opened(event: str, arguments: tuple[Any, ...]) -> None:
    if event == "open" and isinstance(arguments[0], str | os.PathLike):
        path = os.fspath(arguments[0])
        if path in opened:
            opened[path] += 1


def test_a_damaged_file_is_read_once_and_again_when_it_is_mended(blog: MakeBlog) -> None:
    kept = blog(ONION)
    reader, path = kept.reader(), kept.files.texts
    whole = path.read_bytes()
    path.write_bytes(whole[:-1] + b"\xff")
    sys.addaudithook(count_opened)
    opened[str(path)] = 0
    for _ in range(3):
        with pytest.raises(IndexBroken):
            reader.search("onion", Filters(), limit=1, offset=0)
    assert opened.pop(str(path)) == 1
    path.write_bytes(whole)
    assert reader.search("onion", Filters(), limit=1, offset=0).hits
