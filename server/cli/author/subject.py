"""What an author's command is about: a file, stdin, or a post of the index."""

from __future__ import annotations

import sys
from dataclasses import dataclass
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


@dataclass(frozen=True, slots=True)
class DraftFile:
    """A text that was read for a command."""

    data: bytes
    source: str
    """Its path below the content folder if it lies there, else its name; `""` for stdin."""


def read_draft_file(subject: str, settings: Settings) -> DraftFile | None:
    """Read stdin or the file that `subject` names; `None` if it is none. Raises ContentError."""
    if subject == STDIN:
        return DraftFile(sys.stdin.buffer.read(), "")
    path = Path(subject).expanduser()
    try:
        if not path.is_file():
            return None
        data = path.read_bytes()
    except OSError as error:
        reason = error.strerror or type(error).__name__
        raise ContentError(f"{subject} cannot be read: {reason}.") from error
    folder = Path(blog_of(settings.index).content).resolve()
    if folder.is_dir() and path.resolve().is_relative_to(folder):
        return DraftFile(data, path.resolve().relative_to(folder).as_posix())
    return DraftFile(data, path.name)


def open_subject(settings: Settings, subject: str) -> tuple[Corpus, Draft]:
    """Read what `subject` names; return the blog, too.

    Raises UsageError for what is neither a file nor a post, another BlogSearchError for what
    cannot be read.
    """
    file = read_draft_file(subject, settings)
    corpus = engine_for_author(settings, embeds=file is not None).corpus()
    data, source = (file.data, file.source) if file else (None, subject)
    try:
        return corpus, read_subject(corpus, data, source)
    except UnknownPost as error:
        nearest = f" Nearest: {', '.join(error.nearest)}." if error.nearest else ""
        raise UsageError(
            f"{error.source} is neither a file nor the source of a post.{nearest} "
            "`blog-search-mcp search WORDS` prints sources."
        ) from error
