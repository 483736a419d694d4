"""A real index of three posts, made once a process: what the target of queries asks."""

from __future__ import annotations

import atexit
import tempfile
from functools import cache
from pathlib import Path

from blog_search_mcp.index.reader import IndexReader
from tests.support.blog import Blog


@cache
def small_index() -> IndexReader:
    """The index, opened; the folder it lies in goes with the process."""
    folder = tempfile.TemporaryDirectory()
    atexit.register(folder.cleanup)
    blog = Blog(Path(folder.name) / "content", Path(folder.name) / "index")
    blog.content.mkdir()
    blog.write(
        {
            "en/zebra.md": "---\ntags: [striped]\ndate: 2025-01-02\n---\n# Zebra\n\nStripes.\n",
            "code.md": "# faiss.IndexFlatIP\n\n```py\nread_chunk('a', 1)\n```\n",
            "zh/快取.md": "# 鍵值快取\n\n模型會把先前詞元的鍵與值保留在快取之中。\n",
        }
    )
    blog.ingest()
    atexit.register(blog.follow().close)
    return blog.live[0].reader()
