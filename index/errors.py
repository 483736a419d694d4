"""Every failure that a reader or an author can meet, as one tree.

    BlogSearchError
    ├── UsageError            a setting or argument that cannot be meant
    ├── ContentError          the content folder cannot be read
    │   ├── UnreadablePost    one file that is left out, with its reason
    │   └── NoLink            where a post is published is not sure, with the reason
    ├── EmbedderError         vectors could not be had
    │   ├── EmbedderUnavailable   nobody answers; may pass by itself
    │   ├── RequestFailed         one request to a server, by kind (`index.embedders.client`)
    │   └── EmbedderRefused       the embedder cannot be used, or says no
    │       └── TextsRefused          some texts have no vector, the others do
    ├── IndexProblem          the index cannot be used as it is
    │   ├── IndexMissing          no ingest has finished here yet
    │   ├── IndexPlaceUnusable    no index can be there: a file, a name too long, no permission
    │   ├── IndexBroken           a file is torn, missing or foreign
    │   ├── IndexFormatUnknown    written by another version of this program
    │   ├── IndexBusy             another ingest is writing
    │   └── EmbedderMismatch      built with another embedder than the one asked for
    ├── ClientSettingsError   a client's settings file cannot be read or changed
    ├── IngestFailed          a process that ingests, or helps to, did not finish
    └── NotInIndex            a post or chunk that does not exist
        ├── UnknownPost
        └── UnknownChunk

A message says what happened and what to do next, in one or two sentences that
a reader can act on; it never holds a traceback. Failures of libraries are
translated where they enter, with `raise … from error`.
"""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from blog_search_mcp.index.types import Vectors


class BlogSearchError(Exception):
    """Anything this program reports in a sentence.

    `for_clients` is the sentence that a client may read: without paths of this machine, and
    without words of another program, which may hold some. By default it is the same.
    """

    def __init__(self, sentence: str, *, for_clients: str | None = None) -> None:
        super().__init__(sentence)
        self.for_clients = sentence if for_clients is None else for_clients


class UsageError(BlogSearchError):
    """A setting or argument that cannot be meant."""


class ContentError(BlogSearchError):
    """The content folder cannot be read."""


class UnreadablePost(ContentError):
    """One file is left out of the index; the message is the reason."""


MOST_DETAIL = 100
"""Characters of an unexpected error that are repeated: some quote what they failed on."""

STOPS = (KeyboardInterrupt, SystemExit)
"""What ends a program and is the fault of no post; a panic in Rust is no Exception either."""


@contextmanager
def refuse_post(step: str, *others: type[BaseException]) -> Iterator[None]:
    """Raise UnreadablePost for whatever else one post makes this block raise.

    Its reason names `step`, as in `reading it`. Errors of this program pass, and so does what is
    no post's fault: MemoryError, STOPS and `others`.
    """
    passing: tuple[type[BaseException], ...] = (BlogSearchError, MemoryError, *STOPS, *others)
    try:
        yield
    except passing:
        raise
    except BaseException as error:
        raise UnreadablePost(describe_refusal(step, error)) from error


def describe_refusal(step: str, error: BaseException) -> str:
    """Tell why one post is left out: `step`, as in `reading it`, raised what nobody expected."""
    return f"{step} fails ({describe_unexpected(error)}); change it, or name it in a .blogignore"


def describe_unexpected(error: BaseException) -> str:
    """Name an error that nobody expected: its class and its first words."""
    said = " ".join(str(error).split())[:MOST_DETAIL]
    return ": ".join(filter(None, (type(error).__name__, said)))


class NoLink(ContentError):
    """Where a post is published is not sure; the message is the reason, the same for all alike."""


class EmbedderError(BlogSearchError):
    """Vectors could not be had."""


class EmbedderUnavailable(EmbedderError):
    """Nobody answers; trying later may work."""


class EmbedderRefused(EmbedderError):
    """The embedder answers and refuses, or answers with what is no vector."""


class TextsRefused(EmbedderRefused):
    """Some texts have no vector; `reasons` says why by their places, `rows` has the others'."""

    def __init__(self, rows: Vectors, reasons: Mapping[int, str]) -> None:
        first = next(iter(reasons.values()))
        super().__init__(f"No vector for {len(reasons)} of {len(rows)} texts: {first}.")
        self.rows = rows
        self.reasons = reasons


class IndexProblem(BlogSearchError):
    """The index cannot be used as it is."""


class IndexMissing(IndexProblem):
    """No ingest has finished in this folder yet."""


class IndexPlaceUnusable(IndexProblem):
    """No index can be where it was looked for; to build it anew does not help."""


class IndexBroken(IndexProblem):
    """A file of the index is torn, missing or not ours."""


class IndexFormatUnknown(IndexProblem):
    """The index was written by another version of this program."""


class IndexBusy(IndexProblem):
    """Another ingest is writing to this index."""


class EmbedderMismatch(IndexProblem):
    """The index was built with another embedder than the one asked for."""


class ClientSettingsError(BlogSearchError):
    """A client's settings file cannot be read or changed; it is left as it was."""


class IngestFailed(BlogSearchError):
    """A process that ingests, or helps to, did not finish; the index is as it was."""


class NotInIndex(BlogSearchError):
    """A post or chunk that does not exist."""


class UnknownPost(NotInIndex):
    """No post has this source; `nearest` are sources that look like it."""

    def __init__(self, source: str, nearest: tuple[str, ...]) -> None:
        known = f" Nearest: {', '.join(nearest)}." if nearest else ""
        super().__init__(f"No post {source!r} in the index.{known} Use a source from search_blog.")
        self.source = source
        self.nearest = nearest


class UnknownChunk(NotInIndex):
    """The post exists, the chunk does not; valid indices are 0 to `count` - 1."""

    def __init__(self, source: str, chunk_index: int, count: int) -> None:
        super().__init__(
            f"{source} has no chunk {chunk_index}: its chunk_index goes from 0 to {count - 1}."
        )
        self.source = source
        self.chunk_index = chunk_index
        self.count = count


def describe_exhaustion(error: BaseException) -> str | None:
    """Describe that memory ran out if a foreign `error` means that, else `None`."""
    if not isinstance(error, MemoryError):
        return None
    return "The system gives this process no more memory. End other programs, then run again."
