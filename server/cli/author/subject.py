"""The text that an author's command is about: a file, stdin, or a post of the index."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

from blog_search_mcp.index.errors import ContentError, UnknownPost, UsageError
from blog_search_mcp.index.posts.next_ingest import blog_of
from blog_search_mcp.server.engine import engine_for_author
from blog_search_mcp.server.tools.find_similar import read_subject

if TYPE_CHECKING:
    from blog_search_mcp.index.relations.corpus import Corpus
    from blog_search_mcp.index.relations.draft import Draft
    from blog_search_mcp.server.settings import Settings

STDIN = "-"


def open_subject(settings: Settings, subject: str) -> tuple[Corpus, Draft]:
    """Open the blog and read what `subject` names: `-`, a file, else the source of a post.

    Raises UsageError for what is neither a file nor a post, another BlogSearchError for what
    cannot be read.
    """
    text, source = _read_file(subject, settings)
    corpus = engine_for_author(settings, embeds=text is not None).corpus()
    try:
        return corpus, read_subject(corpus, text, source)
    except UnknownPost as error:
        nearest = f" Nearest: {', '.join(error.nearest)}." if error.nearest else ""
        raise UsageError(
            f"{error.source} is neither a file nor the source of a post.{nearest} "
            "`blog-search-mcp search WORDS` prints sources."
        ) from error


def _read_file(subject: str, settings: Settings) -> tuple[bytes | None, str]:
    """Read stdin or a file, and name it by its path below the content folder, else by its name.

    Returns `None` and `subject` itself if there is no such file. Raises ContentError.
    """
    if subject == STDIN:
        return sys.stdin.buffer.read(), ""
    path = Path(subject).expanduser()
    try:
        if not path.is_file():
            return None, subject
        text = path.read_bytes()
    except OSError as error:
        raise ContentError(f"{subject} cannot be read: {error.strerror}.") from error
    folder = Path(blog_of(settings.index).content).resolve()
    is_inside = folder.is_dir() and path.resolve().is_relative_to(folder)
    return text, path.resolve().relative_to(folder).as_posix() if is_inside else path.name
