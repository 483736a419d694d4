"""Which linked files an ingest takes: those whose own place would make them public too."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tests.support.front import Blog

POSTS = {
    "open.md": "# Open\n\nThe lock was painted in spring.",
    "notes/also.md": "# Also\n\nThe lock keeper moved away.",
    ".git/config": "[remote]\n\turl = https://heron@forge.example/lock.git\n",
    ".env": "HERON_TOKEN=blue\n",
    ".store/kept.md": "# Kept\n\nheron",
    "node_modules/pier/readme-of-it.md": "# Pier\n\nheron",
    "plain.txt": "heron",
    "_part.md": "heron",
    "_drafts/later.md": "# Later\n\nheron",
    "shut/diary.md": "# Diary\n\nheron",
    "notes/own.md": "# Own\n\nheron",
    "notes/.blogignore": "own.md\n",
    ".blogignore": "shut/\n",
    "early/_index.md": "---\ncascade:\n  draft: true\n---\n",
    "early/plan.md": "# Plan\n\nheron",
}
KEPT_BACK = (
    *(".git/config", ".env", ".store/kept.md", "node_modules/pier/readme-of-it.md"),
    *("plain.txt", "_part.md", "_drafts/later.md", "shut/diary.md", "notes/own.md"),
    "early/plan.md",
)


def ingest(folder: Path, links: dict[str, str]) -> Blog:
    blog = Blog(folder / "content", folder / "index")
    blog.write(POSTS)
    os.utime(blog.content / "notes/also.md", (1e9, 1e9))
    for name, target in links.items():
        (blog.content / name).symlink_to(blog.content / target)
    assert blog.ingest().status == 0
    return blog


@pytest.mark.parametrize("target", KEPT_BACK)
def test_a_link_makes_no_file_public_that_is_not(target: str, tmp_path: Path) -> None:
    blog = ingest(tmp_path, {"link.md": target, "notes/chain.md": "link.md"})
    assert set(blog.posts()) == {"open.md", "notes/also.md"}


def test_a_link_to_a_post_is_a_post_of_its_own_name(tmp_path: Path) -> None:
    blog = ingest(tmp_path, {"link.md": "notes/also.md", "notes/chain.md": "link.md"})
    assert set(blog.posts()) == {"open.md", "notes/also.md", "link.md", "notes/chain.md"}


def test_a_link_that_comes_to_lead_to_a_draft_is_taken_out(tmp_path: Path) -> None:
    blog = ingest(tmp_path, {"link.md": "notes/also.md"})
    (blog.content / "notes/also.md").rename(blog.content / "_drafts/also.md")
    (blog.content / "link.md").unlink()
    (blog.content / "link.md").symlink_to("_drafts/also.md")
    assert blog.ingest().status == 0
    assert set(blog.posts()) == {"open.md"}


def test_a_linked_file_that_is_left_out_is_named(tmp_path: Path) -> None:
    blog = ingest(tmp_path, {"link.md": ".store/kept.md"})
    assert "link.md" in blog.ingest("--rebuild").err
