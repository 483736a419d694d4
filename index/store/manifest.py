"""The manifest: one JSON file that describes a generation and verifies its files.

It holds every post's hash, which shows changes to the next ingest, and every file's size and
SHA-256, so that a damaged file is refused before FAISS, tantivy or SQLite read it. Only `doctor`
hashes a file whose inode, size and time are the recorded ones, to find lost bits.
"""

import hashlib
import json
import os
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, TypeAlias

from pydantic import BaseModel, ConfigDict, Field, NonNegativeInt, TypeAdapter

from blog_search_mcp.index.errors import IndexBroken, IndexOutdated, IndexProblem
from blog_search_mcp.index.invocation import PACKAGE, TO_INGEST, TO_REBUILD
from blog_search_mcp.index.store.disk import FileStamp, GenerationFiles, read_stamp
from blog_search_mcp.index.types import Chunk, EmbedderIdentity, Link, Post, PostTerms

FORMAT = 24
"""Version of the format. Raise it if older programs would fail at new files or misread them."""
REBUILD = ("Rebuild it: ", TO_REBUILD, ".")


@dataclass(frozen=True, slots=True)
class IndexedPost:
    """One post as the last ingest saw it."""

    digest: str
    """SHA-256 of the file, its `.meta` file, inherited fields and included words, in hex."""
    chunks: NonNegativeInt
    waiting: NonNegativeInt = 0
    """Number of the post's windows if their vectors come with a later generation, else 0."""
    expires: str | None = None
    """Instant from which the post is left out, in UTC, ISO 8601 to the second."""


@dataclass(frozen=True, slots=True)
class PendingPost:
    """A post to add, with the manifest's record of it."""

    post: Post
    chunks: tuple[Chunk, ...]
    indexed: IndexedPost
    links: tuple[Link, ...] = ()
    anchors: tuple[str, ...] = ()
    """Fragments, without `#`, that a link to the post may have; empty if they are not known."""
    terms: PostTerms = field(default_factory=PostTerms)
    """Terms that find the post; empty for a post that is read from an index."""


BuildFingerprint: TypeAlias = dict[str, int | bool | str]
"""Settings besides the embedder that shape an index (`ingest.plan`)."""


@dataclass(frozen=True, slots=True)
class Checksum:
    """A file's size in bytes, SHA-256 in hex, and stamp when hashed; a copy has another stamp."""

    size: NonNegativeInt
    sha256: str
    stamp: FileStamp | None = None


class Manifest(BaseModel):
    """One generation."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)

    generation: NonNegativeInt
    created: str
    """Time when the content folder was walked: UTC, ISO 8601 to the second."""
    embedder: EmbedderIdentity
    build: BuildFingerprint
    """Settings of the build; an ingest with other settings rebuilds the index."""
    posts: dict[str, IndexedPost]
    """Posts by source."""
    superseded: NonNegativeInt
    """Number of chunks deleted since the lexical index was last rewritten."""
    files: dict[Annotated[str, Field(pattern=r"^\.?[\w-][\w.-]*(/\.?[\w-][\w.-]*)*$")], Checksum]
    """Checksums by path with `/`, which stays below the generation's folder on any system."""

    @property
    def chunks(self) -> int:
        """Number of chunks in the generation."""
        return sum(post.chunks for post in self.posts.values())

    @property
    def waiting(self) -> int:
        """Number of posts whose vectors come with a later generation."""
        return sum(post.waiting > 0 for post in self.posts.values())


def dumps(manifest: Manifest) -> str:
    """Return the file's text: a line with the format and the JSON's checksum, then the JSON."""
    content = manifest.model_dump_json()
    return f"{json.dumps({'format': FORMAT, 'checksum': _sha256(content)})}\n{content}"


def loads(text: str) -> Manifest:
    """Parse a manifest's text. Raises IndexBroken, or IndexOutdated for an earlier format."""
    head, _, content = text.partition("\n")
    try:
        outer = json.loads(head)
        if outer["format"] != FORMAT:
            raise _refuse_format(outer["format"], content)
        if outer["checksum"] != _sha256(content):
            raise IndexBroken("The index's manifest.json is damaged.", REBUILD)
        return Manifest.model_validate_json(content)
    except (ValueError, KeyError, TypeError, RecursionError) as error:
        raise IndexBroken("The index's manifest.json is not one of ours.", REBUILD) from error


def _refuse_format(number: object, content: str) -> IndexBroken:
    what = f"The index has format {number!r:.20}, this program reads {FORMAT}."
    if not isinstance(number, int) or number > FORMAT:
        return IndexBroken(what, (f"Update {PACKAGE}, or rebuild it: ", TO_REBUILD, "."))
    outdated = IndexOutdated(what, ("An ingest makes it anew, and soon: ", TO_INGEST, "."))
    with suppress(ValueError, LookupError, TypeError):
        embedder = json.loads(content)["embedder"]
        outdated.embedder = TypeAdapter(EmbedderIdentity).validate_python(embedder)
    return outdated


def _sha256(content: str) -> str:
    return hashlib.sha256(content.encode()).hexdigest()


def checksum_of(path: Path) -> Checksum:
    """Take the checksum of a file as it is now. Raises OSError."""
    with path.open("rb") as file:
        digest = hashlib.file_digest(file, "sha256").hexdigest()
    return Checksum(size=path.stat().st_size, sha256=digest, stamp=read_stamp(path))


class Guard:
    """Compares the files of a generation with its manifest, and a file again when it changes.

    If a mapped file is cut short, reading its lost end kills the process with SIGBUS (mmap(2)),
    which no library can catch. So stamps are compared before each request.
    """

    def __init__(
        self, files: GenerationFiles, manifest: Manifest, *, trusts_stamps: bool = True
    ) -> None:
        """Hash all or only changed ones (`trusts_stamps`). Raises as `check`, or if one is lost."""
        self._folder = files.folder
        self._files = {files.folder / name: checksum for name, checksum in manifest.files.items()}
        self._verified: dict[Path, FileStamp | None] = {}
        """Stamp of each file when it was last equal to the manifest's."""
        for path, checksum in self._files.items():
            if trusts_stamps and os.access(path, os.R_OK):
                self._verified[path] = checksum.stamp
            self._compare(path, read_stamp(path))

    def check(self) -> None:
        """Raise IndexBroken if a file's content has changed; only a file of a new stamp is hashed.

        A deleted file does not count: a generation that is no longer kept stays readable for those
        who opened it. Raises IndexProblem if this account may not read a file.
        """
        for path in self._files:
            if stamp := read_stamp(path):
                self._compare(path, stamp)

    def _compare(self, path: Path, stamp: FileStamp | None) -> None:
        if stamp and self._verified.get(path) == stamp:
            return
        checksum, name = self._files[path], path.relative_to(self._folder).as_posix()
        try:
            now = checksum_of(path)
        except PermissionError as error:
            raise IndexProblem(
                f"This account may not read the index's {name}. Give it the permission, or name "
                "another folder with --index DIR."
            ) from error
        except OSError as error:
            raise IndexBroken(f"The index's {name} cannot be read.", REBUILD) from error
        if (now.size, now.sha256) != (checksum.size, checksum.sha256):
            raise IndexBroken(f"The index's {name} is damaged.", REBUILD)
        self._verified[path] = stamp
