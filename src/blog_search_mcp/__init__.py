"""Semantic and keyword search over a folder of Markdown posts.

`build_index` and `open_index` are the public interface (docs/api.md). Everything below
`blog_search_mcp.ingest`, `.index` and `.server` may change between versions. Names are loaded at
their first use, so that importing the package, or one of its modules, does not load all.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from blog_search_mcp.api import BlogIndex, build_index, open_index
    from blog_search_mcp.index.errors import BlogSearchError
    from blog_search_mcp.index.types import Answer, Chunk, Filters, Hit, Passage, Post
    from blog_search_mcp.ingest.report import Report

__version__ = "0.2.0"
"""The distribution's version, which pyproject.toml takes from here."""
__all__ = [
    "Answer",
    "BlogIndex",
    "BlogSearchError",
    "Chunk",
    "Filters",
    "Hit",
    "Passage",
    "Post",
    "Report",
    "build_index",
    "open_index",
]
_MODULES = {"BlogSearchError": "index.errors", "Report": "ingest.report"} | dict.fromkeys(
    ("BlogIndex", "build_index", "open_index"), "api"
)


def __getattr__(name: str) -> object:
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_MODULES.get(name, 'index.types')}"), name)
