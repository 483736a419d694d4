"""The command of the next ingest: with the folder, the index and the options of the last one."""

from __future__ import annotations

from pathlib import Path

from blog_search_mcp.index.commands import Blog, command
from blog_search_mcp.index.posts.last_ingest import (
    IngestOptions,
    format_folder,
    option_words,
    read_any_last_ingest,
)
from blog_search_mcp.index.store.disk import DEFAULT_FOLDER
from blog_search_mcp.index.stores import Location, open_store

STOP_WITH_STDIN = "--stop-with-stdin"
"""The option of an ingest that a server runs, and whose stdin it holds open while it lives."""


def ingest_arguments(
    content: Path, index: Location, embedder_url: str, options: IngestOptions
) -> list[str]:
    """Return the command line of an ingest with these options."""
    return [
        str(content),
        *("--index", str(index)),
        *(("--embedder-url", embedder_url) if embedder_url else ()),
        *option_words(options),
    ]


def blog_of(index: Location, content: Path | None = None) -> Blog:
    """Return what a command on this index must name, as far as the last ingest recorded it.

    `content` is the posts' folder if they are not where that ingest found them.
    """
    last = read_any_last_ingest(open_store(index))
    if content is None and last is not None and Path(last.content).is_dir():
        content = Path(last.content)
    options = option_words(last.options) if last is not None else ()
    return Blog(str(index), *(() if content is None else (str(content), options)))


def ingest_command(index: Location, content: Path | None = None, *more: str) -> str:
    """Write the command that brings the index up to date, with `more` options."""
    blog = blog_of(index, content)
    return command("ingest", blog.content, "--index", blog.index, *more, *blog.options)


def index_beside(content: Path) -> Path:
    """Choose the index of these posts: beside them, with their name if another's is there."""
    folder = content.resolve()
    index = folder.with_name(DEFAULT_FOLDER)
    last = read_any_last_ingest(open_store(index))
    if last is None or last.content == format_folder(folder):
        return index
    return folder.with_name(f"{DEFAULT_FOLDER}-{folder.name}")
