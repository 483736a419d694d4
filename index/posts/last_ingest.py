"""The content folder as the last ingest left it, a record beside the generations.

It is no part of a generation: an ingest that has nothing to write may still have met a new
draft or a touched post, and a server that compares the folder with it (`index.posts.changes`)
must not report those as changed for ever, nor the next ingest read a touched post again. A
folder's is written in place: a torn file is not JSON and counts as none. It names a folder of this
machine, which must not reach a client.
"""

from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

from pydantic import BaseModel, ConfigDict, ValidationError

from blog_search_mcp.index.posts.cascades import Cascade

if TYPE_CHECKING:
    from blog_search_mcp.index.folder import FolderStore


class _Frozen(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class FileState(_Frozen):
    """One file that is a post by its name, in the index or left out of it."""

    size: int
    """Bytes."""
    mtime_ns: int
    """Nanoseconds since 1970, from the file system."""
    settled: bool = False
    """Whether it had not been written to for two seconds, so that a post in the index was read as
    it is if its size and time are these."""
    due: str | None = None
    """When an ingest would treat the same bytes otherwise, since a post of the future appears or
    one that expires goes: UTC, ISO 8601 to the second."""


class IngestOptions(_Frozen):
    """Options of an ingest besides its folders; one with others would undo its work."""

    include_drafts: bool = False
    index_descriptions: bool = True
    base_url: str = ""
    permalink: str = ""


def option_words(options: IngestOptions) -> tuple[str, ...]:
    """Write the options as they stand on a command line."""
    return (
        *(("--base-url", options.base_url) if options.base_url else ()),
        *(("--permalink", options.permalink) if options.permalink else ()),
        *(("--include-drafts",) if options.include_drafts else ()),
    )


class LastIngest(_Frozen):
    """A content folder as an ingest left it."""

    generation: int
    """The generation that was live afterwards; of another one, this holds nothing."""
    created: str
    """When the generation was made, as in its manifest."""
    content: str
    """The folder's absolute path; bytes that are not UTF-8 are written as `\\xff`."""
    suffixes: tuple[str, ...]
    """What a post's name ends in."""
    files: dict[str, FileState]
    """By source."""
    waiting: int = 0
    """Posts whose vectors another ingest has to make, since this one ended before."""
    options: IngestOptions = IngestOptions()
    cascades: tuple[Cascade, ...] = ()
    """What sections pass down to the posts below them, the nearest first."""


def write_last_ingest(store: "FolderStore", ingest: LastIngest) -> None:
    """Write the record unless the store holds the same already. Raises IndexProblem."""
    store.write_record(ingest.model_dump_json())


def read_last_ingest(store: "FolderStore", generation: int) -> LastIngest | None:
    """Read the record, `None` if it is missing, torn or about another generation."""
    ingest = read_any_last_ingest(store)
    return ingest if ingest is not None and ingest.generation == generation else None


def read_any_last_ingest(store: "FolderStore") -> LastIngest | None:
    """Read the record whatever generation it is about, `None` if it is missing or torn."""
    text = store.read_record()
    with suppress(ValidationError):
        return LastIngest.model_validate_json(text) if text else None
    return None


def format_folder(folder: Path) -> str:
    """Write the absolute path of a folder as `LastIngest.content` holds it."""
    return str(folder.resolve()).encode("utf-8", "backslashreplace").decode("utf-8")
