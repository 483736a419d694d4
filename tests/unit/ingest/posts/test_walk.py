"""Which files of a folder are posts, and why others are not."""

import inspect
import os
import sys
from pathlib import Path
from unittest import mock

import pytest

from blog_search_mcp.index.errors import ContentError, UnreadablePost, UsageError
from blog_search_mcp.ingest.foreign_files import MAX_BYTES, read_file
from blog_search_mcp.ingest.posts.ignore_rules import compile_rules
from blog_search_mcp.ingest.posts.walk import NOT_PUBLISHED, refuse_content_inside, walk


def write(root: Path, *names: str) -> None:
    for name in names:
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("a post\n", encoding="utf-8")


def sources(root: Path) -> list[str]:
    return [file.source for file in walk(root).files]


def skipped(root: Path) -> dict[str, str]:
    return {skip.source: skip.reason for skip in walk(root).skipped}


REPOSITORY = "README.md readme.zh-TW.md CHANGELOG.md LICENSE.md CONTRIBUTING.md CODE_OF_CONDUCT.md"


@pytest.mark.parametrize(
    ("posts", "others"),
    [
        ("a.md B.MD c.markdown d.mdx e.qmd", "e.Rmd f.txt md g.md.bak"),
        ("a.qmd b.md c.mdx e/d.md", "b.QMD c.qmd"),
        ("x.md", ".hidden.md .store/x.md node_modules/p/README.md d/.git/x.md"),
        (
            "bundle/x.md vendor/x.md",
            "a/env/pyvenv.cfg a/env/lib/p/README.md vendor/bundle/p/x.md lib/dist-packages/p/x.md "
            "v/autoload.php v/x.md e/conda-meta/h e/x.md _vendor/p/x.md t/CACHEDIR.TAG t/x.md",
        ),
        (
            "2024/index.mdx _index.md _posts/a.md b/_index.fr.md",
            "2024/_limits.mdx _t.md _indexed.md",
        ),
        ("Topics/_Map.md _Inbox.md", ".obsidian/app.md"),
        ("about.md readme-driven.md til/README.md", f"package.json {REPOSITORY}"),
        ("README.md a.md", ""),
        ("-dash.md 100%.md [b].md caf\u00e9.md cafe\u0301.md new\nline.md f.md/in.md 中文.md", ""),
    ],
)
def test_a_file_is_a_post_by_its_name(posts: str, others: str, tmp_path: Path) -> None:
    write(tmp_path, *posts.split(" "), *others.split())
    assert sources(tmp_path) == sorted(posts.split(" "))
    assert set(skipped(tmp_path).values()) <= {NOT_PUBLISHED}


@pytest.mark.parametrize(
    ("ignores", "kept", "left_out"),
    [
        ({"": "# mine\nn.md\np/\n"}, "a.md", "n.md deep/n.md p/x.md p/y/z.md"),
        ({"": "x.md\n", "a/": "/y.md\n!x.md\n"}, "a/x.md b/y.md", "x.md a/y.md"),
        ({"": "**/d/**/*-wip-*.md \n"}, "x/d/y/done.md", "x/d/y/a-wip-b.md"),
        ({"": "p\\\nd\\*\n!d\\a.md\nq\\s.md\n"}, "d/a.md q/t.md", "p/x.md c/p/x.md d/b.md q/s.md"),
        ({"": "\\#x.md\n\\!y.md\n\\*.md\nq\\?.md\n"}, "a.md q1.md", "#x.md !y.md *.md q?.md"),
        ({"": "*a*a*a*a*a*a*a*a*.md"}, f"{'x/' * 99}b.md", f"{'x/' * 99}{'a' * 240}.md"),
        ({"": "**/x/**/x/**/x/**/*a*a*a*a*a*b.md"}, f"{'x/' * 99}{'a' * 240}.md", ""),
    ],
)
def test_blogignore_leaves_out_files_and_whole_folders(
    ignores: dict[str, str], kept: str, left_out: str, tmp_path: Path
) -> None:
    write(tmp_path, *kept.split(), *left_out.split())
    for folder, lines in ignores.items():
        encoding = "utf-16" if "\\" in lines else "utf-8"
        (tmp_path / folder / ".blogignore").write_text(lines, encoding=encoding)
    assert sources(tmp_path) == sorted(kept.split())


def test_a_blogignore_is_compiled_when_it_has_changed(tmp_path: Path) -> None:
    write(tmp_path, "a.md", "b.md")
    for lines, read in (("a.md\n", 1), ("a.md\n", 0), ("b.md\n", 1)):
        (tmp_path / ".blogignore").write_text(lines)
        with mock.patch(
            "blog_search_mcp.ingest.posts.walk.compile_rules", wraps=compile_rules
        ) as it:
            assert lines.strip() not in sources(tmp_path)
        assert it.call_count == read


@pytest.mark.parametrize(
    "ignore",
    [
        b"!\n",
        f"# {'草稿' * 90}\n".encode() + "草稿/".encode()[1:],
        b"".join(b"*-%d.md\n" % number for number in range(1_000)),
        b"%b/**/*\n" % (b"a/" * 100_000),
        None,
    ],
)
def test_a_blogignore_that_cannot_be_understood_stops_the_walk(
    tmp_path: Path, ignore: bytes | None
) -> None:
    write(tmp_path, "a/secret.md")
    path = tmp_path / "a/.blogignore"
    path.mkdir() if ignore is None else path.write_bytes(ignore)
    with pytest.raises(ContentError, match=r"a/\.blogignore"):
        walk(tmp_path)


def test_what_is_no_file_to_read_is_named_and_never_opened(tmp_path: Path) -> None:
    root, outside = tmp_path / "content", tmp_path / "outside.md"
    write(root, "real.md", "deep/x.md")
    outside.write_text("not mine", encoding="utf-8")
    (root / "inside.md").symlink_to("real.md")
    (root / "leaves.md").symlink_to(outside)
    (root / "broken.md").symlink_to("nowhere")
    (root / "self.md").symlink_to("self.md")
    (root / "deep/up").symlink_to("..")
    os.mkfifo(root / "pipe.md")
    (root / os.fsdecode(b"caf\xe9.md")).write_bytes(b"x")
    assert sources(root) == ["deep/x.md", "real.md"]
    assert set(skipped(root)) == {
        *("inside.md", "leaves.md", "broken.md", "self.md", "deep/up", "pipe.md", "caf\\xe9.md")
    }


@pytest.mark.skipif(os.geteuid() == 0, reason="the superuser may read everything")
def test_a_folder_that_may_not_be_read_is_named(tmp_path: Path) -> None:
    write(tmp_path, "folder/x.md", "open.md")
    (tmp_path / "folder").chmod(0)
    listed = walk(tmp_path)
    (tmp_path / "folder").chmod(0o700)
    assert [file.source for file in listed.files] == ["open.md"]
    assert [skip.source for skip in listed.skipped] == ["folder"]


def test_a_content_folder_may_be_a_link_and_must_be_a_folder(tmp_path: Path) -> None:
    write(tmp_path / "real", "a.md")
    (tmp_path / "link").symlink_to("real")
    (tmp_path / "loop").symlink_to("loop")
    assert sources(tmp_path / "link") == ["a.md"]
    for name in ("nowhere", "real/a.md", "loop"):
        with pytest.raises(ContentError, match=name):
            walk(tmp_path / name)
    with pytest.raises(UsageError):
        refuse_content_inside(tmp_path / "link", tmp_path)


def test_a_post_that_vanished_or_grew_since_the_walk_is_unreadable(tmp_path: Path) -> None:
    write(tmp_path, "a.md")
    assert read_file(tmp_path, "a.md") == b"a post\n"
    os.truncate(tmp_path / "a.md", MAX_BYTES + 1)
    for _ in range(2):
        with pytest.raises(UnreadablePost):
            read_file(tmp_path, "a.md")
        (tmp_path / "a.md").unlink(missing_ok=True)


def test_files_of_sections_are_listed_though_they_are_ignored_or_no_posts(tmp_path: Path) -> None:
    write(tmp_path, "_index.md", "a/_index.de.md", "b/_index.html", "c/_index.md.bak", "d/index.md")
    write(tmp_path, "q/_metadata.yml", "e/e.json", "e/p.11tydata.js", "e/other.json")
    (tmp_path / ".blogignore").write_text("_index.md\n")
    assert [*walk(tmp_path).sections] == [
        *("_index.md", "a/_index.de.md", "b/_index.html", "e/e.json", "e/p.11tydata.js"),
        "q/_metadata.yml",
    ]


def test_folders_as_deep_as_a_path_can_be_are_walked(tmp_path: Path) -> None:
    deep = "d/" * 400 + "leaf.md"
    write(tmp_path, deep)
    limit = sys.getrecursionlimit()
    sys.setrecursionlimit(len(inspect.stack()) + 200)
    try:
        found = sources(tmp_path)
    finally:
        sys.setrecursionlimit(limit)
    assert found == [deep]
