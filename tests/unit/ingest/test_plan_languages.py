"""Which languages a folder's posts are in, told by some of them."""

from collections import Counter
from contextlib import closing
from pathlib import Path

import pytest

from blog_search_mcp.ingest.plan import MAX_SAMPLE, sample_languages
from blog_search_mcp.ingest.posts.walk import walk
from blog_search_mcp.ingest.sites.site import find_site
from blog_search_mcp.ingest.workers import WorkerPool

ENGLISH = "# Soup\n\nThis is the soup that we make of an onion and of what is in the garden.\n"
CHINESE = "# 湯\n\n這是我們用洋蔥和園子裡的東西做的湯，因為天氣冷了。\n"


def sampled(folder: Path, posts: dict[str, str | bytes]) -> Counter[str]:
    for name, text in posts.items():
        (folder / name).write_bytes(text if isinstance(text, bytes) else text.encode())
    with closing(WorkerPool(1)) as workers:
        return sample_languages(walk(folder).files, workers, find_site(folder))


def test_posts_count_by_their_text_or_by_their_authors_word(tmp_path: Path) -> None:
    posts: dict[str, str | bytes] = {
        "a.md": ENGLISH,
        "b.md": CHINESE,
        "c.md": f"---\nlang: pt-BR\n---\n{ENGLISH}",
        "d.md": CHINESE.encode("big5"),
        "f.md": "# OS threads\n",
        "e.md": b"\x89PNG\r\n\x1a\n" + bytes(range(256)) * 4,
    }
    assert sampled(tmp_path, posts) == {"en": 1, "zh": 2, "pt-br": 1, "": 1}


def test_translations_beside_each_other_are_not_taken_by_turns(tmp_path: Path) -> None:
    """Every second file of 800 is in Chinese, and every fourth one would be none of them."""
    posts: dict[str, str | bytes] = {
        f"{n:03}.{code}.md": text
        for n in range(400)
        for code, text in (("en", ENGLISH), ("zh", CHINESE))
    }
    counts = sampled(tmp_path, posts)
    assert counts.total() == MAX_SAMPLE
    assert counts["zh"] == pytest.approx(MAX_SAMPLE / 2, rel=0.2)
