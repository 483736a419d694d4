"""How far an index is behind its posts: what an ingest notes, and what has changed since."""

import os

import pytest

from blog_search_mcp.index.invocation import Blog as BlogOfCommand
from blog_search_mcp.ingest.last_ingest import (
    IngestOptions,
    blog_of,
    choose_index,
    compare_files,
    find_changes,
    merge_options,
    read_last_ingest,
)
from blog_search_mcp.ingest.posts.walk import walk
from tests.support.blog import Blog, MakeBlog

SOUP = "# Soup\n\nBoil an onion.\n"
DRAFT = "---\ndraft: true\n---\nA walrus.\n"


def behind(blog: Blog, now: str = "2026-01-15") -> list[str]:
    """What has changed since the blog's last ingest."""
    last = read_last_ingest(blog.store, blog.manifest.generation)
    assert last is not None
    return find_changes(last, now)


@pytest.mark.skipif(os.name == "nt", reason="Windows has no time of a file that none can set")
@pytest.mark.parametrize("replaces", [True, False])
def test_an_edit_that_keeps_size_and_time_is_seen(blog: MakeBlog, replaces: bool) -> None:
    made = blog({"soup.md": SOUP, "stew.md": "A stew.\n"})
    post, other = made.content / "soup.md", made.content.with_name("soup.copy")
    for path in made.content.iterdir():
        os.utime(path, ns=(10**18, 10**18))
    made.ingest()
    assert behind(made) == []
    written = other if replaces else post
    written.write_text(SOUP.replace("onion", "otter"), encoding="utf-8")
    os.utime(written, ns=(10**18, 10**18))
    written.replace(post)
    last, files = read_last_ingest(made.store), walk(made.content).files
    assert last
    assert compare_files(last, files, "2026", by_ctime=True) == ["soup.md"]
    assert made.ingest().changed == 1


def test_a_post_counts_from_the_instant_at_which_it_appears_or_goes(blog: MakeBlog) -> None:
    posts = {
        "soup.md": SOUP,
        "next.md": "---\ndate: 2026-01-20\n---\nNext week.\n",
        "offer.md": "---\nexpiryDate: 2026-01-31\n---\nThis month.\n",
        "evening.md": "---\npublishDate: 2026-01-25T18:00:00+02:00\n---\nAt six.\n",
        "late.md": "---\ndate: 2026-01-20\ndraft: true\n---\nPerhaps.\n",
    }
    made = blog(posts)
    assert behind(made, "2026-01-19T09:00:00+00:00") == []
    assert behind(made, "2026-01-25T15:59:59+00:00") == ["next.md"]
    assert behind(made, "2026-01-25T16:00:00+00:00") == ["evening.md", "next.md"]
    assert behind(made, "2026-02-02") == ["evening.md", "next.md", "offer.md"]
    made.ingest(include_drafts=True)
    assert behind(made, "2026-02-02") == []


def test_a_record_that_is_torn_or_of_another_generation_says_nothing(blog: MakeBlog) -> None:
    made = blog({"soup.md": SOUP})
    assert read_last_ingest(made.store, 1) is not None
    assert read_last_ingest(made.store, 2) is None
    whole = made.layout.last_ingest.read_bytes()
    for torn in (b"", whole[:-1], b"null", b"\xff" + whole):
        made.layout.last_ingest.write_bytes(torn)
        assert read_last_ingest(made.store, 1) is None


def test_the_next_ingest_has_the_folder_and_the_options_of_the_last(blog: MakeBlog) -> None:
    made = blog({"soup.md": SOUP})
    assert choose_index(made.content) == made.content.with_name(".blog-index")
    made.ingest(base_url="https://x.org", permalink="/:slug/")
    kept = IngestOptions(base_url="https://x.org", permalink="/:slug/")
    assert merge_options(made.index, base_url=None) == kept
    assert merge_options(made.index, base_url="").base_url == ""
    known = BlogOfCommand(str(made.index), str(made.content.resolve()))
    assert blog_of(made.index) == known
    moved = made.content.rename(made.content.with_name("moved"))
    assert blog_of(made.index) == BlogOfCommand(str(made.index), str(moved))
    (moved / "soup.md").unlink()
    assert blog_of(made.index) == BlogOfCommand(str(made.index))
