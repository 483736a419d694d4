"""The manifest: what a generation is, in one JSON file, and whether its files still are that.

It remembers the embedder, the settings and every post's hash, so that the next
ingest can tell what changed (`ingest.plan`), and the size and SHA-256 of every
other file, so that a torn or swapped one is refused before FAISS, tantivy or
SQLite see it: FAISS's C++ may abort the process on a truncated file.

Whoever writes to a file changes its time, so one that lies there unmodified since its checksum was
taken (inode, size, time) is hashed by the doctor alone, which finds who sets the time back, and a
disk that lost a bit. An index that was copied has other inodes and is hashed at every opening.
"""

from __future__ import annotations

import hashlib
import json
import math
import os
import re
from dataclasses import astuple, dataclass
from datetime import datetime
from pathlib import Path, PurePosixPath
from typing import Annotated, TypeAlias

from pydantic import AfterValidator, BaseModel, ConfigDict, NonNegativeInt

from blog_search_mcp.index.commands import TO_INGEST
from blog_search_mcp.index.errors import IndexBroken, IndexFormatUnknown, IndexPlaceUnusable
from blog_search_mcp.index.store.disk import (
    FileStamp,
    GenerationFiles,
    read_stamp,
    regular_size,
    stamp_of,
)
from blog_search_mcp.index.types import Calibration, Chunk, EmbedderIdentity, Link, Post

FORMAT = 16
"""Raise it when an older program could not read, or would misread, what is written now."""

_OUTER = re.compile(
    r'\{"format": (\d{1,9}), "checksum": "([0-9a-f]{64})", "content": (?=.*\}\Z)', re.DOTALL
)
"""What stands before the content, as `dumps` writes it."""

REBUILD = f"Rebuild it: `{TO_INGEST} --rebuild`."


def _inside(name: str) -> str:
    """A path that stays below the folder it is joined to, on any system."""
    parts = PurePosixPath(name).parts
    if not parts or parts[0] == "/" or ".." in parts or any(c in name for c in "\\:\0"):
        raise ValueError("no path below the generation's folder")
    return name


def _instant(text: str) -> str:
    if datetime.fromisoformat(text).tzinfo is None:
        raise ValueError("no instant")
    return text


def _usable(identity: EmbedderIdentity) -> EmbedderIdentity:
    if identity.dimension < 1:
        raise ValueError("no dimension")
    return identity


def _finite(calibration: Calibration) -> Calibration:
    *medians, characters, chunks, last_chunk = astuple(calibration)
    if not all(map(math.isfinite, medians)) or calibration.heading_similarity < 0.0:
        raise ValueError("no medians")
    if not all(0 <= count < 2**63 for count in (characters, chunks, last_chunk + 1)):
        raise ValueError("no count")
    return calibration


class _Frozen(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)


@dataclass(frozen=True, slots=True)
class IndexedPost:
    """One post as the last ingest saw it."""

    digest: str
    """SHA-256 of the file's bytes, in hex."""
    size: NonNegativeInt
    """Bytes."""
    mtime_ns: int
    """Nanoseconds since 1970, as the file system says."""
    chunks: NonNegativeInt
    unembedded: NonNegativeInt = 0
    """Windows of its chunks that have no vector, since the embedder failed on them."""
    waiting: NonNegativeInt = 0
    """Windows of its chunks whose vectors come with a later generation: all of them, or none."""
    expires: str | None = None
    """The instant from which the post is left out, in UTC, ISO 8601 to the second."""


BuildFingerprint: TypeAlias = dict[str, int | bool | str]
"""What shapes an index besides the posts and the embedder (`ingest.plan`)."""


class Checksum(_Frozen):
    """A file's size in bytes and SHA-256 in hex."""

    size: NonNegativeInt
    sha256: str
    stamp: FileStamp | None = None
    """As it lay when its checksum was taken; a copy has another one."""


class Manifest(_Frozen):
    """One generation."""

    generation: NonNegativeInt
    created: Annotated[str, AfterValidator(_instant)]
    """When the posts were looked at: UTC, ISO 8601 to the second. A post that changed later is
    not in here."""
    embedder: Annotated[EmbedderIdentity, AfterValidator(_usable)]
    build: BuildFingerprint
    """An ingest with another one makes the index anew."""
    posts: dict[str, IndexedPost]
    """By source."""
    calibration: Annotated[Calibration, AfterValidator(_finite)] | None = None
    """What confidence means on this blog; `None` if it has nothing to be asked."""
    superseded: NonNegativeInt
    """Chunks deleted since the lexical index was last written whole."""
    files: dict[Annotated[str, AfterValidator(_inside)], Checksum]
    """By path below the generation's folder, with `/`."""

    @property
    def chunks(self) -> int:
        """Chunks in the generation."""
        return sum(post.chunks for post in self.posts.values())

    @property
    def waiting(self) -> int:
        """Posts in the backlog: those whose vectors come with a later generation."""
        return sum(post.waiting > 0 for post in self.posts.values())


def dumps(manifest: Manifest) -> str:
    """Write the manifest's file, with the checksum of its own content."""
    content = json.dumps(manifest.model_dump(mode="json"), sort_keys=True, separators=(",", ":"))
    return f'{{"format": {FORMAT}, "checksum": "{_sha256(content)}", "content": {content}}}'


def loads(text: str) -> Manifest:
    """Parse what `dumps` wrote. Raises IndexBroken, or IndexFormatUnknown for another FORMAT.

    The JSON is parsed once: to parse it and write it again for the checksum takes twice as long.
    """
    try:
        outer = _OUTER.match(text)
        if outer is None or int(outer[1]) != FORMAT:
            raise _other_format(json.loads(text)["format"])
        content = text[outer.end() : -1]
        if outer[2] != _sha256(content):
            raise IndexBroken(f"The index's manifest.json is damaged. {REBUILD}")
        return Manifest.model_validate_json(content)
    except (ValueError, KeyError, TypeError, RecursionError) as error:
        raise IndexBroken(f"The index's manifest.json is not one of ours. {REBUILD}") from error


def _other_format(written: object) -> Exception:
    if written == FORMAT:
        return ValueError("not as `dumps` writes it")
    newer = isinstance(written, int) and written > FORMAT
    command = "Update blog-search-mcp, or rebuild" if newer else "Rebuild"
    return IndexFormatUnknown(
        f"The index has format {written!r:.20}, this program reads {FORMAT}. "
        f"{command}: `{TO_INGEST} --rebuild`."
    )


def _sha256(canonical: str) -> str:
    return hashlib.sha256(canonical.encode()).hexdigest()


@dataclass(frozen=True, slots=True)
class PendingPost:
    """A post to put in, with what the manifest will remember of it."""

    post: Post
    chunks: tuple[Chunk, ...]
    vocabulary_coverage: tuple[float, ...]
    """By chunk, the share of it that the embedder's vocabulary covers, in [0, 1]."""
    indexed: IndexedPost
    links: tuple[Link, ...] = ()
    anchors: tuple[str, ...] = ()
    """What may stand behind `#` in a link to the post; empty if that is not known."""


_BLOCK = 1 << 20


def verify(files: GenerationFiles, manifest: Manifest) -> None:
    """Compare every file with its checksum; raise IndexBroken if one differs."""
    for name, checksum in manifest.files.items():
        verify_file(files, name, checksum)


def verify_modified(files: GenerationFiles, manifest: Manifest) -> None:
    """Compare the files that are not as they were written; raise IndexBroken if one differs."""
    for name, checksum in manifest.files.items():
        if not is_unmodified(files.folder / name, checksum):
            verify_file(files, name, checksum)


def is_unmodified(path: Path, checksum: Checksum) -> bool:
    """Whether the file can be read and, by its time, is as it was when its checksum was taken."""
    return (
        checksum.stamp is not None
        and read_stamp(path) == checksum.stamp
        and os.access(path, os.R_OK)
    )


def checksum_of(path: Path) -> Checksum:
    """Take the checksum of a file as it is now. Raises OSError."""
    sha256, stamp = _hash_file(path), stamp_of(path.stat())
    return Checksum(size=stamp[1], sha256=sha256, stamp=stamp)


def _hash_file(path: Path) -> str:
    digest = hashlib.sha256()
    with path.open("rb") as file:
        while block := file.read(_BLOCK):
            digest.update(block)
    return digest.hexdigest()


def verify_file(files: GenerationFiles, name: str, checksum: Checksum) -> None:
    """Compare one file with its checksum; raise IndexBroken if it differs.

    Raises IndexPlaceUnusable if this account may not read it.
    """
    path = files.folder / name
    try:
        is_same = regular_size(path) == checksum.size and _hash_file(path) == checksum.sha256
    except PermissionError as error:
        raise IndexPlaceUnusable(
            f"This account may not read the index's {name}. Give it the permission, or name "
            "another folder with --index DIR."
        ) from error
    except OSError as error:
        raise IndexBroken(f"The index's {name} cannot be read. {REBUILD}") from error
    if not is_same:
        raise IndexBroken(f"The index's {name} is damaged. {REBUILD}")
