"""What an ingest must be told to go on as the last one of the same index did."""

from __future__ import annotations

from pathlib import Path

from blog_search_mcp.index.commands import INGEST, Blog, command
from blog_search_mcp.index.content.last_ingest import (
    IngestOptions,
    format_folder,
    read_any_last_ingest,
)
from blog_search_mcp.index.store.layout import DEFAULT_FOLDER, Layout


def ingest_arguments(
    content: Path, index: Path, embedder_url: str, options: IngestOptions
) -> list[str]:
    """Return the command line of an ingest with these options."""
    return [
        str(content),
        *("--index", str(index)),
        *(("--embedder-url", embedder_url) if embedder_url else ()),
        *option_words(options),
    ]


def option_words(options: IngestOptions) -> tuple[str, ...]:
    """Write the options as they stand on a command line."""
    return (
        *(("--base-url", options.base_url) if options.base_url else ()),
        *(("--permalink", options.permalink) if options.permalink else ()),
        *(("--include-drafts",) if options.include_drafts else ()),
        *(() if options.index_descriptions else ("--no-descriptions",)),
    )


def blog_of(index: Path, content: Path | None = None) -> Blog:
    """Return what a command on this index must name, as far as the last ingest recorded it.

    `content` is the posts' folder if they are not where that ingest found them.
    """
    last = read_any_last_ingest(Layout(index))
    if content is None and last is not None and Path(last.content).is_dir():
        content = Path(last.content)
    options = option_words(last.options) if last is not None else ()
    return Blog(str(index), *(() if content is None else (str(content), options)))


def ingest_command(index: Path, content: Path | None = None, *more: str) -> str:
    """Write the command that brings the index up to date, with `more` options."""
    blog = blog_of(index, content)
    return command(INGEST, blog.content, "--index", blog.index, *more, *blog.options)


def index_beside(content: Path) -> Path:
    """Choose the index of these posts: beside them, with their name if another's is there."""
    folder = content.resolve()
    index = folder.with_name(DEFAULT_FOLDER)
    last = read_any_last_ingest(Layout(index))
    if last is None or last.content == format_folder(folder):
        return index
    return folder.with_name(f"{DEFAULT_FOLDER}-{folder.name}")
