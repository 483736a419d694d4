"""Paths and addresses on the command line."""

from __future__ import annotations

from pathlib import Path

import pytest

from blog_search_mcp.index.command_line import read_absolute, read_index
from blog_search_mcp.index.stores import IndexAddress


def test_a_path_is_read_as_a_shell_reads_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", "/home/me")
    assert read_absolute("~/blog") == Path("/home/me/blog")
    assert read_absolute("blog") == Path.cwd() / "blog"
    for text in ("", "~nobody-here/x"):
        with pytest.raises(ValueError, match="path"):
            read_absolute(text)


def test_a_path_is_kept_without_the_folder_that_it_turns_back_from(tmp_path: Path) -> None:
    (tmp_path / "posts" / "sub").mkdir(parents=True)
    (tmp_path / "linked").symlink_to(tmp_path / "posts" / "sub")
    assert read_absolute(str(tmp_path / "linked" / "..")) == tmp_path.resolve() / "posts"
    assert read_absolute(str(tmp_path / "linked")) == tmp_path / "linked"


@pytest.mark.parametrize(
    "address",
    [
        "milvus://:secret@host:19530/NAME",
        "HTTPS://host",
        "milvus://host/a-b",
        "milvus:///blog",
        "s3://secret@bucket/ix",
        "file:///ix",
    ],
)
def test_an_address_that_names_no_index_is_refused_without_its_password(address: str) -> None:
    with pytest.raises(ValueError, match=r"address|index|HOST") as raised:
        read_index(address)
    assert "secret" not in str(raised.value)


def test_an_index_on_a_server_is_read_as_it_is_written() -> None:
    written = "milvus://[::1]:19530/blog"
    assert read_index(written) == IndexAddress("milvus", "[::1]:19530", "blog")
    assert str(read_index(written)) == written
    assert read_index("HTTPS://host/Blog_2/") == IndexAddress("https", "host", "Blog_2")


@pytest.mark.parametrize("path", ["C:\\blog\\ix", "c://blog/ix", "a:b", "x/milvus://host", "://x"])
def test_a_drive_or_a_colon_makes_no_address(path: str) -> None:
    assert read_index(path) == Path.cwd() / path
