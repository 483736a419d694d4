"""Names of entries: the same index keeps its entry, another one never takes it over."""

from __future__ import annotations

from pathlib import Path

import pytest

from blog_search_mcp.index.errors import UsageError
from blog_search_mcp.server.cli.install.entries import Entry, choose_name, find_name

BLOG = Path("/home/me/blog/.blog-index")
NOTES = Path("/home/me/my notes/.blog-index")


def ours(name: str, index: Path | None = None, project: str = "") -> Entry:
    words = ("--index", str(index)) if index else ()
    return Entry(name, "/bin/blog-server", words, project=project)


THEIRS = Entry("blog", "npx", ("other",))


@pytest.mark.parametrize(
    ("entries", "index", "name"),
    [
        ([], BLOG, "blog"),
        ([ours("blog", BLOG)], BLOG, "blog"),
        ([ours("blog", BLOG)], NOTES, "blog-my-notes"),
        ([ours("blog", BLOG), ours("blog-my-notes", NOTES)], NOTES, "blog-my-notes"),
        ([ours("mine", NOTES)], NOTES, "mine"),
        ([ours("blog")], NOTES, "blog"),
        ([THEIRS], BLOG, "blog-blog"),
        ([ours("blog", NOTES, project="/p")], BLOG, "blog"),
        ([ours("blog", BLOG)], Path("/b/.blog-index-travel"), "blog-travel"),
        ([ours("blog", BLOG)], Path("/b/travel-index"), "blog-travel-index"),
        ([ours("blog", BLOG)], Path("/b/ümläut 文章/.blog-index"), "blog-umlaut"),
    ],
)
def test_an_index_has_one_entry(entries: list[Entry], index: Path, name: str) -> None:
    assert choose_name(entries, index) == name


def test_a_folder_that_gives_no_name_or_a_taken_one_is_told_by_a_number() -> None:
    first = [ours("blog", BLOG), ours("blog-my-notes", BLOG.with_name("x"))]
    assert choose_name(first, NOTES) == "blog-my-notes-2"
    assert choose_name(first, Path("/文章/.blog-index")) == "blog-2"


def test_a_link_to_an_index_is_that_index(tmp_path: Path) -> None:
    (tmp_path / "real").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "real")
    assert choose_name([ours("mine", tmp_path / "real")], tmp_path / "link") == "mine"


def test_the_entry_to_remove_is_that_of_the_index_or_the_only_one() -> None:
    both = [ours("blog", BLOG), ours("blog-my-notes", NOTES), Entry("other", "npx")]
    assert find_name(both, NOTES) == "blog-my-notes"
    assert find_name(both[1:]) == "blog-my-notes"
    assert find_name(both, Path("/none")) is None
    assert find_name([]) is None


def test_which_of_several_entries_must_be_said() -> None:
    with pytest.raises(UsageError, match=r"'blog', 'blog-my-notes'\. Say which with --name\.$"):
        find_name([ours("blog", BLOG), ours("blog-my-notes", NOTES)])
