"""What the next ingest of an index is told: where the posts are, and the last one's options."""

from __future__ import annotations

from pathlib import Path

from blog_search_mcp.index.commands import Blog, command
from blog_search_mcp.index.folder import FolderStore
from blog_search_mcp.index.posts.last_ingest import (
    IngestOptions,
    LastIngest,
    format_folder,
    write_last_ingest,
)
from blog_search_mcp.index.posts.next_ingest import blog_of, index_beside, ingest_command

OPTIONS = IngestOptions(include_drafts=True, base_url="https://x.org", permalink="/:slug/")
WORDS = ("--base-url", "https://x.org", "--permalink", "/:slug/", "--include-drafts")


def ingested(index: Path, content: Path, options: IngestOptions = OPTIONS) -> Path:
    """Leave the record of an ingest."""
    index.mkdir(parents=True)
    content.mkdir(parents=True, exist_ok=True)
    last = LastIngest(
        generation=3,
        created="2026-01-01T00:00:00+00:00",
        content=format_folder(content),
        suffixes=(".md",),
        files={},
        options=options,
    )
    write_last_ingest(FolderStore(index), last)
    return index


def test_the_last_ingest_says_where_the_posts_are_and_how_it_ran(tmp_path: Path) -> None:
    index, content = tmp_path / "index", tmp_path / "my posts"
    ingested(index, content)
    assert blog_of(index) == Blog(str(index), str(content), WORDS)
    rebuilt = ingest_command(index, None, "--rebuild")
    assert rebuilt == command("ingest", content, "--index", index, "--rebuild", *WORDS)


def test_posts_that_were_moved_are_where_the_person_says(tmp_path: Path) -> None:
    index = ingested(tmp_path / "index", tmp_path / "posts")
    (tmp_path / "posts").rename(tmp_path / "new")
    assert blog_of(index) == Blog(str(index))
    assert blog_of(index, tmp_path / "new") == Blog(str(index), str(tmp_path / "new"), WORDS)


def test_without_a_record_the_posts_are_not_known(tmp_path: Path) -> None:
    assert blog_of(tmp_path) == Blog(str(tmp_path))


def test_an_index_lies_beside_its_posts_and_two_folders_share_none(tmp_path: Path) -> None:
    posts, travel = tmp_path / "posts", tmp_path / "travel"
    assert index_beside(posts) == tmp_path / ".blog-index"
    ingested(tmp_path / ".blog-index", posts)
    assert index_beside(posts) == tmp_path / ".blog-index"
    assert index_beside(travel) == tmp_path / ".blog-index-travel"
