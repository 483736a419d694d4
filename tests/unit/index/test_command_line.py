"""What a person reads after a mistake on the command line, and where output cannot be written."""

from __future__ import annotations

import argparse
import os
import sys
from importlib.metadata import version
from pathlib import Path

import pytest

from blog_search_mcp.index.command_line import (
    FAILED,
    CommandLine,
    read_absolute,
    read_index,
    read_path,
    run_command,
)
from blog_search_mcp.index.stores import IndexAddress


def parser() -> CommandLine:
    made = CommandLine(prog="blog-server")
    made.add_argument("--index")
    made.add_argument("--toolset", choices=["core", "extended"])
    commands = made.add_subparsers(dest="command", metavar="COMMAND")
    search = commands.add_parser("search")
    search.add_argument("query")
    search.add_argument("--limit", type=int)
    commands.add_parser("doctor")
    return made


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (
            "serch x",
            "COMMAND: 'serch' is none of search, doctor. Did you mean search? See `blog-server",
        ),
        ("banana", "COMMAND: 'banana' is none of search, doctor. See `blog-server"),
        ("--indx f search x", "There is no option --indx. Did you mean --index? See `blog-server"),
        ("search x --limt=3", "There is no option --limt. Did you mean --limit? See `blog-server"),
        ("search x --port 3", "There is no option --port. See `blog-server"),
        (
            "--toolset cor",
            "--toolset: 'cor' is none of core, extended. Did you mean core? See `blog-server",
        ),
        ("search a b", "b is not expected here; put what has spaces in quotes. See `blog-server"),
        ("search a --toolset core", "--toolset must stand before the command. See `blog-server"),
        ("search", "query is missing. See `blog-server search"),
        ("--index", "--index needs a value after it. See `blog-server"),
    ],
)
def test_a_mistake_is_one_sentence_with_the_nearest_word(
    arguments: str,
    said: str,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("PATH", str(Path(sys.executable).parent))
    with pytest.raises(SystemExit) as ended:
        parser().read(arguments.split())
    assert (ended.value.code, capsys.readouterr()) == (2, ("", f"{said} --help`.\n"))


def test_the_help_is_named_as_it_can_be_run_here(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", os.devnull)
    with pytest.raises(SystemExit):
        parser().read(["search"])
    server = Path(sys.executable).with_name("blog-server")
    assert capsys.readouterr().err == f"query is missing. See `{server} search --help`.\n"


def test_the_version_is_that_of_the_distribution(capsys: pytest.CaptureFixture[str]) -> None:
    made = parser()
    made.add_version()
    with pytest.raises(SystemExit) as ended:
        made.read(["--version"])
    said = capsys.readouterr()
    assert (ended.value.code, said.out) == (0, f"blog-search-mcp {version('blog-search-mcp')}\n")


def test_what_follows_two_hyphens_is_no_option() -> None:
    assert parser().read(["search", "--", "--idnex"]).query == "--idnex"


def test_a_path_is_read_as_a_shell_reads_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", "/home/me")
    assert read_path("~/blog") == Path("/home/me/blog")
    assert read_absolute("blog") == Path.cwd() / "blog"
    for text, reason in (
        ("", "it is empty; give a path"),
        ("~nobody-here/x", "the home folder in ~nobody-here/x is not known; give the whole path"),
    ):
        with pytest.raises(argparse.ArgumentTypeError) as raised:
            read_absolute(text)
        assert str(raised.value) == reason


def test_a_path_is_kept_without_the_folder_that_it_turns_back_from(tmp_path: Path) -> None:
    (tmp_path / "posts" / "sub").mkdir(parents=True)
    (tmp_path / "linked").symlink_to(tmp_path / "posts" / "sub")
    assert read_absolute(str(tmp_path / "posts" / "sub" / "..")) == tmp_path.resolve() / "posts"
    assert read_absolute(str(tmp_path / "linked" / "..")) == tmp_path.resolve() / "posts"
    assert read_absolute(str(tmp_path / "linked")) == tmp_path / "linked"


REFUSED = {
    "milvus://:secret@host:19530/NAME": "an address holds no password; give the token in "
    "MILVUS_TOKEN",
    "HTTPS://host": "'' is no name of an index: up to 100 letters of the Latin alphabet, digits "
    "and _, such as https://host/my_blog",
    "milvus://host/a-b": "'a-b' is no name of an index: up to 100 letters of the Latin alphabet, "
    "digits and _, such as milvus://host/my_blog",
    "milvus:///blog": "milvus://HOST:PORT/NAME needs a host before the index's name",
    "s3://secret@bucket/ix": "an index is a folder, or lies on a Milvus server at "
    "milvus://HOST:PORT/NAME; s3:// is neither",
    "file:///ix": "an index is a folder, or lies on a Milvus server at "
    "milvus://HOST:PORT/NAME; file:// is neither",
}


@pytest.mark.parametrize("address", REFUSED)
def test_an_address_that_names_no_index_is_refused_without_its_password(address: str) -> None:
    with pytest.raises(argparse.ArgumentTypeError) as raised:
        read_index(address)
    assert str(raised.value) == REFUSED[address]


def test_an_index_on_a_server_is_read_as_it_is_written() -> None:
    written = "milvus://[::1]:19530/blog"
    assert read_index(written) == IndexAddress("milvus", "[::1]:19530", "blog")
    assert str(read_index(written)) == written
    assert read_index("HTTPS://host/Blog_2/") == IndexAddress("https", "host", "Blog_2")


@pytest.mark.parametrize("path", ["C:\\blog\\ix", "c://blog/ix", "a:b", "x/milvus://host", "://x"])
def test_a_drive_or_a_colon_makes_no_address(path: str) -> None:
    assert read_index(path) == Path.cwd() / path


def test_a_command_that_gets_no_memory_ends_with_a_sentence(
    capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def starve() -> int:
        raise MemoryError

    for name in ("stdout", "stderr"):
        monkeypatch.setattr(sys, name, getattr(sys, name))
    assert run_command(starve) == FAILED
    assert capfd.readouterr().err.startswith("The system gives this process no more memory or ")
