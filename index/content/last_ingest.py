"""What the last ingest saw of its content folder, in one file beside CURRENT.

It is no part of a generation: an ingest that has nothing to write may still have seen a new
draft or a post that was only touched, and a server that compares the folder with what was
seen (`index.content.changes`) must not call those changed for ever. Nothing depends on the file but
that comparison, so it is written in place: half of it is no JSON and counts as none. It names
a folder of this machine, which no answer to a client repeats.
"""

from __future__ import annotations

from pathlib import Path

from pydantic import BaseModel, ConfigDict, ValidationError

from blog_search_mcp.index.errors import IndexProblem
from blog_search_mcp.index.store.layout import Layout


class _Frozen(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class SeenFile(_Frozen):
    """One file that is a post by its name, in the index or left out of it."""

    size: int
    """Bytes."""
    mtime_ns: int
    """Nanoseconds since 1970, as the file system says."""
    due: str | None = None
    """First ISO day on which an ingest would treat the same bytes otherwise: a post of the
    future appears, one that expires goes."""


class IngestOptions(_Frozen):
    """The options of an ingest that shape its result; the next ingest must be given the same."""

    include_drafts: bool = False
    index_descriptions: bool = True
    base_url: str = ""
    permalink: str = ""


class Seen(_Frozen):
    """A content folder as an ingest left it."""

    generation: int
    """The generation that was live afterwards; of another one, this says nothing."""
    created: str
    """When the generation was made, as in its manifest."""
    content: str
    """The folder's absolute path; what of it is no UTF-8 is written as `\\xff`."""
    suffixes: tuple[str, ...]
    """What a post's name ends in."""
    files: dict[str, SeenFile]
    """By source."""
    options: IngestOptions = IngestOptions()


def note(layout: Layout, seen: Seen) -> None:
    """Write what was seen, unless the file says it already. Raises IndexProblem."""
    text = seen.model_dump_json()
    try:
        if _text(layout.seen) != text:
            layout.seen.write_text(text, encoding="utf-8")
    except OSError as error:
        raise IndexProblem(
            f"The index is up to date, but its {layout.seen.name} could not be written: "
            f"{error.strerror}. Check the disk's space and the folder's permissions, then run "
            "again; until then no server can tell when posts change."
        ) from error


def last_seen(layout: Layout, generation: int) -> Seen | None:
    """What was seen when `generation` was live, `None` if that cannot be told."""
    try:
        seen = Seen.model_validate_json(_text(layout.seen))
    except (OSError, ValidationError):
        return None
    return seen if seen.generation == generation else None


def content_path(folder: Path) -> str:
    """Write the absolute path of a folder as `Seen.content` keeps it."""
    return str(folder.resolve()).encode("utf-8", "backslashreplace").decode("utf-8")


def _text(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8", errors="replace")
    except FileNotFoundError:
        return ""
