import errno
import os
import re
from pathlib import Path

import pytest

from blog_search_mcp.index.errors import ContentError, UnreadablePost, UsageError
from blog_search_mcp.index.posts.walk import (
    MAX_BYTES,
    NOT_PUBLISHED,
    SUFFIXES,
    SectionFile,
    Skipped,
    SourceFile,
    read_file,
    refuse_inside,
    walk,
)

CHECK = "; check the file and its permissions"


def write(root: Path, *names: str) -> None:
    for name in names:
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("a post\n", encoding="utf-8")


def sources(root: Path) -> list[str]:
    return [file.source for file in walk(root, SUFFIXES).files]


def test_posts_are_listed_by_source_with_what_the_file_system_says(tmp_path: Path) -> None:
    write(tmp_path, "b/two.md", "a.md")
    os.utime(tmp_path / "a.md", ns=(5, 1_700_000_000_000_000_007))
    os.utime(tmp_path / "b/two.md", ns=(5, 9))

    listed = walk(tmp_path, SUFFIXES)

    assert listed.files == (
        SourceFile("a.md", str(tmp_path / "a.md"), 7, 1_700_000_000_000_000_007),
        SourceFile("b/two.md", str(tmp_path / "b/two.md"), 7, 9),
    )
    assert listed.skipped == ()


def test_every_suffix_of_markdown_counts_in_any_case_and_no_other_does(tmp_path: Path) -> None:
    write(tmp_path, "a.md", "B.MD", "c.markdown", "d.mdx", "e.Rmd", "f.txt", "md", "g.md.bak")

    assert sources(tmp_path) == ["B.MD", "a.md", "c.markdown", "d.mdx"]


def test_what_quarto_makes_a_post_of_is_none_beside_it(tmp_path: Path) -> None:
    write(tmp_path, "a.qmd", "b.QMD", "b.md", "c.qmd", "c.mdx", "d.qmd", "e/d.md")

    assert sources(tmp_path) == ["a.qmd", "b.md", "c.mdx", "d.qmd", "e/d.md"]


def test_hidden_names_and_node_modules_are_left_out_silently(tmp_path: Path) -> None:
    write(tmp_path, ".hidden.md", ".obsidian/x.md", "node_modules/p/README.md", "d/.git/x.md")

    assert walk(tmp_path, SUFFIXES).files == ()
    assert walk(tmp_path, SUFFIXES).skipped == ()


def test_parts_of_posts_and_templates_are_counted_as_not_published(tmp_path: Path) -> None:
    write(tmp_path, "2024/index.mdx", "2024/_limits.mdx", "_template.md", "_posts/a.md")
    write(tmp_path, "_index.md", "blog/_index.fr.md", "_indexed.md")

    listed = walk(tmp_path, SUFFIXES)

    assert [file.source for file in listed.files] == [
        "2024/index.mdx",
        "_index.md",
        "_posts/a.md",
        "blog/_index.fr.md",
    ]
    assert listed.skipped == tuple(
        Skipped(source, NOT_PUBLISHED)
        for source in ("2024/_limits.mdx", "_indexed.md", "_template.md")
    )


def test_a_vault_of_notes_has_names_of_any_kind(tmp_path: Path) -> None:
    write(tmp_path, ".obsidian/app.md", "Topics/_Map.md", "_Inbox.md")

    assert sources(tmp_path) == ["Topics/_Map.md", "_Inbox.md"]


@pytest.mark.parametrize("sign", ["package.json", ".git/HEAD"])
def test_what_a_repository_says_of_itself_is_no_post(sign: str, tmp_path: Path) -> None:
    write(tmp_path, sign, "README.md", "readme.zh-TW.md", "CHANGELOG.md", "LICENSE.md")
    write(tmp_path, "security-in-depth-matters.md", "readme-driven development.md")
    write(tmp_path, "CONTRIBUTING.md", "CODE_OF_CONDUCT.md", "about.md", "til/README.md")

    assert sources(tmp_path) == [
        "about.md",
        "readme-driven development.md",
        "security-in-depth-matters.md",
        "til/README.md",
    ]


def test_a_readme_is_a_post_where_there_is_no_repository(tmp_path: Path) -> None:
    write(tmp_path, "README.md", "a.md")

    assert sources(tmp_path) == ["README.md", "a.md"]


def test_odd_names_are_sources_as_they_are_spelled(tmp_path: Path) -> None:
    names = ["-dash.md", "100%.md", "a b.md", "caf\u00e9.md", "cafe\u0301.md", "new\nline.md"]
    names += [
        "folder.md/inside.md",
        "[b].md",
        "中文檔名.md",
        "_drafts/x.md",
        "case/N.md",
        "case/n.md",
    ]
    write(tmp_path, *names)

    assert sources(tmp_path) == sorted(names)


def test_blogignore_leaves_out_files_and_whole_folders(tmp_path: Path) -> None:
    write(tmp_path, "a.md", "notes.md", "deep/notes.md", "private/x.md", "private/y/z.md")
    (tmp_path / ".blogignore").write_text("# mine\nnotes.md\nprivate/\n", encoding="utf-8")

    assert sources(tmp_path) == ["a.md"]


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16", "utf-16-le", "cp1252"])
def test_a_blogignore_is_read_in_the_encoding_that_it_was_saved_in(
    encoding: str, tmp_path: Path
) -> None:
    write(tmp_path, "a.md", "Entwürfe/b.md", "später/c.md")
    lines = "# nicht für den Blog\r\nEntwürfe/\r\nspäter/\r\n"
    (tmp_path / ".blogignore").write_bytes(lines.encode(encoding))
    assert sources(tmp_path) == ["a.md"]


def test_a_blogignore_of_which_characters_are_lost_stops_the_walk(tmp_path: Path) -> None:
    write(tmp_path, "a.md", "草稿/b.md")
    (tmp_path / ".blogignore").write_bytes(f"# {'草稿' * 90}\n".encode() + "草稿/".encode()[1:])
    with pytest.raises(
        ContentError,
        match=r"^\.blogignore cannot be used: \d of its characters cannot be read; save it as UTF",
    ):
        walk(tmp_path, SUFFIXES)


@pytest.mark.skipif(not hasattr(os, "pathconf"), reason="the system does not tell the bound")
def test_folders_deeper_than_a_path_may_be_long_are_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(tmp_path, "a.md")
    monkeypatch.chdir(tmp_path)
    for _ in range(2 + os.pathconf("/", "PC_PATH_MAX") // 10):
        Path("d" * 9).mkdir()
        os.chdir("d" * 9)
    write(Path(), "deep.md")

    found = walk(tmp_path, SUFFIXES)

    assert [file.source for file in found.files] == ["a.md"]
    [skipped] = found.skipped
    assert skipped.reason == f"it cannot be read: {os.strerror(errno.ENAMETOOLONG)}{CHECK}"


def test_a_nested_blogignore_speaks_for_its_folder_and_may_take_files_back(tmp_path: Path) -> None:
    write(tmp_path, "x.md", "a/x.md", "a/y.md", "b/y.md")
    (tmp_path / ".blogignore").write_text("x.md\n", encoding="utf-8")
    (tmp_path / "a/.blogignore").write_text("/y.md\n!x.md\n", encoding="utf-8")

    assert sources(tmp_path) == ["a/x.md", "b/y.md"]


@pytest.mark.parametrize(
    "line",
    [
        *("!", "[z-a].md"),
        pytest.param("x.md\n" * 20_000, id="lines"),
        pytest.param("x" * 400_000, id="characters"),
    ],
)
def test_a_blogignore_that_cannot_be_understood_stops_the_walk(tmp_path: Path, line: str) -> None:
    write(tmp_path, "a/secret.md")
    (tmp_path / "a/.blogignore").write_text(line + "\n", encoding="utf-8")

    with pytest.raises(ContentError, match=r"^a/\.blogignore cannot be used: .*Correct or delete"):
        walk(tmp_path, SUFFIXES)


@pytest.mark.parametrize(
    ("line", "kept"),
    [
        ("*a*a*a*a*a*a*a*a", True),
        ("*a*a*a*a*a*a*a*a*.md", False),
        ("**/x/**/x/**/x/**/x/**/y", True),
        ("**/x/**/x/**/x/**/x/**/*.md", False),
    ],
)
def test_a_line_of_many_stars_is_matched_at_once(tmp_path: Path, line: str, *, kept: bool) -> None:
    post = f"{'x/' * 150}{'a' * 240}.md"
    write(tmp_path, post)
    (tmp_path / ".blogignore").write_text(f"{line}\n", encoding="utf-8")

    assert [file.source for file in walk(tmp_path, SUFFIXES).files] == [post] * kept


def test_a_folder_of_two_stars_counts_as_one_of_four(tmp_path: Path) -> None:
    write(tmp_path, "x/drafts/y/a-wip-b.md", "x/drafts/y/done.md")
    (tmp_path / ".blogignore").write_text("**/drafts/**/*-wip-*.md \n", encoding="utf-8")

    assert sources(tmp_path) == ["x/drafts/y/done.md"]


def test_linked_files_are_followed_only_inside_the_content_folder(tmp_path: Path) -> None:
    outside = tmp_path / "outside.md"
    outside.write_text("not mine", encoding="utf-8")
    root = tmp_path / "content"
    write(root, "real.md")
    (root / "inside.md").symlink_to("real.md")
    (root / "leaves.md").symlink_to(outside)
    (root / "broken.md").symlink_to("nowhere")
    (root / "self.md").symlink_to("self.md")

    listed = walk(root, SUFFIXES)

    assert [(file.source, file.size) for file in listed.files] == [("inside.md", 7), ("real.md", 7)]
    assert [item.source for item in listed.skipped] == ["broken.md", "leaves.md", "self.md"]
    assert listed.skipped[0].reason == f"it cannot be read: No such file or directory{CHECK}"
    assert (
        listed.skipped[1].reason
        == "it is a link that leaves the content folder; copy the file into it"
    )
    assert (
        listed.skipped[2].reason == f"it cannot be read: Too many levels of symbolic links{CHECK}"
    )


def test_linked_folders_are_reported_and_not_followed(tmp_path: Path) -> None:
    write(tmp_path, "a/x.md")
    (tmp_path / "a/up").symlink_to("..")

    listed = walk(tmp_path, SUFFIXES)

    assert [file.source for file in listed.files] == ["a/x.md"]
    reason = "linked folders are not followed; put the posts in the folder"
    assert listed.skipped == (Skipped("a/up", reason),)


def test_a_content_folder_that_is_itself_a_link_is_walked(tmp_path: Path) -> None:
    write(tmp_path / "real", "a.md")
    (tmp_path / "link").symlink_to("real")

    assert sources(tmp_path / "link") == ["a.md"]


def test_a_pipe_is_reported_and_never_opened(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.md")

    assert walk(tmp_path, SUFFIXES).skipped == (
        Skipped("pipe.md", "it is not a regular file; name it in a .blogignore"),
    )


def test_a_name_that_is_not_utf8_is_reported_in_printable_form(tmp_path: Path) -> None:
    (tmp_path / os.fsdecode(b"caf\xe9.md")).write_bytes(b"x")

    reason = "its name is not valid UTF-8; rename it"
    assert walk(tmp_path, SUFFIXES).skipped == (Skipped("caf\\xe9.md", reason),)


def test_a_file_too_large_to_be_a_post_is_reported(tmp_path: Path) -> None:
    with (tmp_path / "huge.md").open("wb") as file:
        file.truncate(MAX_BYTES + 1)
    with (tmp_path / "large.md").open("wb") as file:
        file.truncate(MAX_BYTES)

    assert sources(tmp_path) == ["large.md"]
    assert walk(tmp_path, SUFFIXES).skipped == (
        Skipped("huge.md", "it is larger than 16 MB; split it, or name it in a .blogignore"),
    )


@pytest.mark.skipif(os.geteuid() == 0, reason="the superuser may read everything")
def test_what_may_not_be_read_is_reported(tmp_path: Path) -> None:
    write(tmp_path, "closed.md", "folder/x.md", "open.md")
    (tmp_path / "closed.md").chmod(0)
    (tmp_path / "folder").chmod(0)

    listed = walk(tmp_path, SUFFIXES)
    (tmp_path / "folder").chmod(0o700)

    assert [file.source for file in listed.files] == ["open.md"]
    assert listed.skipped == (
        Skipped("closed.md", f"it cannot be read: Permission denied{CHECK}"),
        Skipped("folder", f"it cannot be read: Permission denied{CHECK}"),
    )


def test_a_missing_content_folder_is_said_in_a_sentence(tmp_path: Path) -> None:
    missing = tmp_path / "nowhere"
    message = f"There is no content folder {missing}. Give the folder that holds the posts."
    with pytest.raises(ContentError, match=f"^{re.escape(message)}$"):
        walk(missing, SUFFIXES)


def test_a_file_is_no_content_folder(tmp_path: Path) -> None:
    write(tmp_path, "a.md")
    message = f"{tmp_path / 'a.md'} is a file, not a folder. Give the folder that holds the posts."
    with pytest.raises(ContentError, match=f"^{re.escape(message)}$"):
        walk(tmp_path / "a.md", SUFFIXES)


def test_a_post_that_vanished_since_the_walk_is_unreadable(tmp_path: Path) -> None:
    write(tmp_path, "a.md")
    (file,) = walk(tmp_path, SUFFIXES).files
    assert read_file(file.path) == b"a post\n"

    file.path.unlink()

    with pytest.raises(
        UnreadablePost, match=rf"^it cannot be read: No such file or directory{CHECK}$"
    ):
        read_file(file.path)


def test_the_index_may_not_lie_where_the_current_folder_has_no_name_in_utf_8(
    tmp_path: Path,
) -> None:
    with pytest.raises(UsageError, match=r"^The path of the index is not UTF-8"):
        refuse_inside(tmp_path, tmp_path / "\udcff" / ".blog-index")


def test_files_of_sections_are_listed_though_they_are_ignored_or_no_posts(tmp_path: Path) -> None:
    write(tmp_path, "_index.md", "a/_index.de.md", "b/_index.html", "c/_index.md.bak", "d/index.md")
    (tmp_path / ".blogignore").write_text("_index.md\n")

    assert walk(tmp_path, SUFFIXES).sections == tuple(
        SectionFile(source, tmp_path / source)
        for source in ("_index.md", "a/_index.de.md", "b/_index.html")
    )
