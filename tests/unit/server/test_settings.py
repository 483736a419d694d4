"""Paths and addresses on the command line."""

from pathlib import Path

import pytest

from blog_search_mcp.server.settings import read_absolute, read_index


def test_a_path_is_absolute_and_without_the_folder_that_it_turns_back_from(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", "/home/me")
    assert read_absolute("~/blog") == Path("/home/me/blog")
    assert read_absolute("blog") == Path.cwd() / "blog"
    (tmp_path / "posts" / "sub").mkdir(parents=True)
    (tmp_path / "linked").symlink_to(tmp_path / "posts" / "sub")
    assert read_absolute(str(tmp_path / "linked" / "..")) == tmp_path.resolve() / "posts"
    assert read_absolute(str(tmp_path / "linked")) == tmp_path / "linked"


def test_a_name_that_is_there_is_taken_as_it_stands(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    for name in ("$HOME", "'ix'"):
        Path(name).mkdir()
        assert read_index(name) == tmp_path / name


@pytest.mark.parametrize(
    "text",
    [
        *("", "~nobody-here/x", "milvus://:secret@host:19530/NAME", "HTTPS://host"),
        *("milvus://host/a-b", "milvus:///blog", "s3://secret@bucket/ix"),
    ],
)
def test_what_names_no_index_is_refused_without_its_password(text: str) -> None:
    with pytest.raises(ValueError, match=r"path|home|address|index|HOST") as raised:
        read_index(text)
    assert "secret" not in str(raised.value)


SHELL = ("~/blog/ix", "$HOME/blog/ix/", "${HOME}/blog/ix", "${env:HOME}/blog/ix", " ~/blog/ix\n")
QUOTED = ('"~/blog/ix"', "'/home/me/blog/ix'", "file:///home/me/blog/ix", "$HOME//blog/ix")


@pytest.mark.parametrize(
    ("text", "location"),
    [
        *((text, "/home/me/blog/ix") for text in (*SHELL, *QUOTED)),
        ("milvus://[::1]:19530/blog", "milvus://[::1]:19530/blog"),
        ("HTTPS://host/Blog_2/", "https://host/Blog_2"),
        *((path, f"{Path.cwd() / path}") for path in ("C:\\blog\\ix", "c://b", "a:b", "x/m://h")),
    ],
)
def test_what_a_shell_expands_is_expanded_and_an_address_is_told_from_a_path_with_a_colon(
    text: str, location: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", "/home/me")
    assert str(read_index(text)) == location
