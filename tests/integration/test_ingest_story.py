"""The life of a blog, told by what each ingest does to its index."""

import os
from datetime import date
from pathlib import Path

import pytest

from blog_search_mcp.index.embedders.embedder import WINDOW, embedding_text
from blog_search_mcp.ingest.posts.chunks import PASSAGE_LIMITS, split_windows
from blog_search_mcp.ingest.report import Report
from tests.support.blog import Blog, MakeBlog

LONG = " ".join(f"And so on, {number}." for number in range(PASSAGE_LIMITS.most // 8))
"""One paragraph of six word pieces a sentence: its section is too large to share a chunk."""

KEEPS = f"# KV cache\n\nIt keeps keys.\n\n{LONG}"
GROWS = f"## Size\n\nIt grows.\n\n{LONG}"
BLOCKS = f"## Paging\n\nBlocks.\n\n{LONG}"
CACHE = f"{KEEPS}\n\n{GROWS}\n\n{BLOCKS}\n"
SOUP = "# Onion soup\n\nBoil an onion.\n"


def counts(report: Report) -> tuple[int, int, int, int]:
    return report.added, report.changed, report.removed, report.embedded


def snapshot(folder: Path) -> dict[str, tuple[bytes, int]]:
    """Every file below `folder` with its bytes and time of last change."""
    return {
        path.relative_to(folder).as_posix(): (path.read_bytes(), path.stat().st_mtime_ns)
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }


def texts(blog: Blog) -> dict[str, list[str]]:
    """What the index serves: by source, the text of every chunk."""
    reader = blog.reader()
    served = {}
    for source, post in blog.manifest.posts.items():
        if post.chunks:
            served[source] = [c.text for c in reader.read(source, 0, post.chunks).chunks]
    return served


def embedding_texts(blog: Blog) -> set[str]:
    """What the embedder should have seen of the posts that the index serves."""
    reader = blog.reader()
    return {
        embedding_text(passage.post.title, chunk.headings, window)
        for source, post in blog.manifest.posts.items()
        for passage in [reader.read(source, 0, post.chunks)]
        for chunk in passage.chunks
        for window in split_windows(chunk.plain, WINDOW)
    }


def test_a_new_blog_is_embedded_once_and_whole(blog: MakeBlog) -> None:
    made = blog({"kv.md": CACHE, "soup.md": SOUP})
    assert texts(made) == {
        "kv.md": [KEEPS, GROWS, BLOCKS],
        "soup.md": ["# Onion soup\n\nBoil an onion."],
    }
    assert "Onion soup\nBoil an onion." in made.embedder.documents
    assert sorted(made.embedder.documents) == sorted(embedding_texts(made))


def test_a_touched_post_is_read_once_and_found_unchanged(
    blog: MakeBlog, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = blog({"kv.md": CACHE})
    before = snapshot(made.index)
    os.utime(made.content / "kv.md", ns=(10**18, 10**18))
    assert counts(made.ingest()) == (0, 0, 0, 0)
    after = snapshot(made.index)
    assert {name for name in after if after[name] != before[name]} == {"last_ingest.json"}
    monkeypatch.setattr("blog_search_mcp.ingest.prepare.prepare_post", None)
    assert counts(made.ingest()) == (0, 0, 0, 0)
    assert snapshot(made.index) == after


def test_an_edited_post_embeds_its_changed_words_alone(blog: MakeBlog) -> None:
    made = blog({"kv.md": CACHE, "soup.md": SOUP})
    before = embedding_texts(made)
    made.embedder.documents.clear()
    made.write({"kv.md": CACHE.replace("It grows", "It shrinks")})
    assert counts(made.ingest()) == (0, 1, 0, 1)
    [text] = made.embedder.documents
    assert text.startswith("KV cache\nSize\nIt shrinks.")
    assert embedding_texts(made) - before == {text}
    assert texts(made)["kv.md"] == [KEEPS, GROWS.replace("It grows", "It shrinks"), BLOCKS]
    assert (made.sources_with("shrinks"), made.sources_with("grows")) == (["kv.md"], [])


def test_an_edit_that_keeps_size_and_time_within_the_clock_s_grain_is_noticed(
    blog: MakeBlog,
) -> None:
    made = blog({"soup.md": SOUP})
    status = (made.content / "soup.md").stat()
    made.write({"soup.md": SOUP.replace("Boil", "Bake")})
    os.utime(made.content / "soup.md", ns=(status.st_atime_ns, status.st_mtime_ns))
    assert counts(made.ingest()) == (0, 1, 0, 1)


def test_two_posts_that_change_places_keep_their_own_texts(blog: MakeBlog) -> None:
    made = blog({"a.md": CACHE, "b.md": SOUP})
    made.write({"a.md": SOUP, "b.md": CACHE})
    assert counts(made.ingest()) == (0, 2, 0, 0)
    assert (made.sources_with("onion"), made.sources_with("paging")) == (["a.md"], ["b.md"])


def test_a_post_expires_though_its_file_is_untouched(blog: MakeBlog) -> None:
    made = blog({"kv.md": CACHE, "offer.md": "---\nexpiryDate: 2026-02-01\n---\nAn offer.\n"})
    assert list(texts(made)) == ["kv.md", "offer.md"]
    for path in made.content.iterdir():
        os.utime(path, ns=(10**18, 10**18))
    made.today = date(2026, 2, 1)
    made.ingest()
    made.today = date(2026, 2, 2)
    assert counts(made.ingest()) == (0, 0, 1, 0)
    assert list(texts(made)) == ["kv.md"]
