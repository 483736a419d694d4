"""Every failure that a reader or an author can meet, as one tree.

A message says what happened and what to do next, in one or two sentences that
a reader can act on; it never holds a traceback. Failures of libraries are
translated where they enter, with `raise … from error`.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager

from blog_search_mcp.index.types import MAX_ADDRESS, EmbedderIdentity, Vectors


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


class NoLink(ContentError):
    """Where a post is published is not sure; the message is the reason, the same for all alike."""


class EmbedderError(BlogSearchError):
    """Vectors could not be had."""


class TextsRefused(EmbedderError):
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


class IndexBroken(IndexProblem):
    """A file of the index is torn, missing, not ours or of another version of this program."""


class IndexOutdated(IndexBroken):
    """An earlier version of this program wrote the index; an ingest makes it anew."""

    embedder: EmbedderIdentity | None = None
    """What made its vectors, if that can be read."""


class EmbedderMismatch(IndexProblem, EmbedderError):
    """The index was built with another embedder than the one asked for, or that now answers."""


class ClientSettingsError(BlogSearchError):
    """A client's settings file cannot be read or changed; it is left as it was."""


class IngestFailed(BlogSearchError):
    """A process that ingests, or helps to, did not finish; the index is as it was."""


class NotInIndex(BlogSearchError):
    """A post or chunk that does not exist."""


NEAREST = 3
"""Names that are told where the one that was asked for is not there."""


def find_nearest(name: str, names: Iterable[str]) -> tuple[str, ...]:
    """Return NEAREST at most: names that end alike, are spelt alike, or hold `name`."""
    folded, wanted = {other.casefold(): other for other in names}, name.casefold()
    end = "/" + wanted.rpartition("/")[2]
    same_end = [other for other in folded if f"/{other}".endswith(end)]
    close = difflib.get_close_matches(wanted[:MAX_ADDRESS], folded, NEAREST, cutoff=0.5)
    holding = [other for other in folded if wanted in other]
    return tuple(folded[it] for it in dict.fromkeys([*same_end, *close, *holding]))[:NEAREST]


MOST_DETAIL = 200
"""Characters of a foreign error that are repeated: some quote what they failed on."""


@contextmanager
def refuse_post(step: str) -> Iterator[None]:
    """Raise UnreadablePost for whatever else one post makes this block raise, a panic of Rust too.

    Its reason names `step`, as in `reading it`. Errors of this program pass, and so does what is
    no post's fault: what ends a program, and MemoryError.
    """
    try:
        yield
    except (BlogSearchError, MemoryError, KeyboardInterrupt, SystemExit):
        raise
    except BaseException as error:
        raise UnreadablePost(
            f"{step} fails ({describe_unexpected(error)}); change it, or name it in a .blogignore"
        ) from error


def describe_unexpected(error: BaseException) -> str:
    """Name an error that nobody expected: its class and its first words."""
    said = " ".join(str(error).split())[:MOST_DETAIL]
    return ": ".join(filter(None, (type(error).__name__, said)))
