"""All errors that a reader or an author can meet, as one tree.

    BlogSearchError
    ├── UsageError
    ├── ContentError: UnreadablePost, NoLink
    ├── EmbedderError: TextsRefused, EmbedderMismatch, RequestFailed (in embedders.connection)
    ├── IndexProblem: IndexMissing, EmbedderMismatch
    │   └── IndexBroken: IndexOutdated, NoCollection (in milvus.client)
    └── ClientSettingsError, IngestFailed, NotInIndex

An error holds what happened and, if there is one, the remedy, and prints both in a few sentences.
Errors of libraries are translated where they enter, with `raise … from error`.
"""

import difflib
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager

from blog_search_mcp.index.invocation import Message, Parts, join_sentences
from blog_search_mcp.index.types import MAX_ADDRESS, EmbedderIdentity, Vectors


class BlogSearchError(Exception):
    """An error that this program reports: `what` happened, and the `remedy` if there is one."""

    def __init__(
        self, what: str, remedy: str | Parts = (), *, for_clients: str | None = None
    ) -> None:
        """`for_clients` replaces `what` for clients, if `what` quotes paths or other programs."""
        super().__init__(what)
        self.what = what
        self.remedy: Parts = (remedy,) if isinstance(remedy, str) else remedy
        self._what_for_clients = what if for_clients is None else for_clients

    @property
    def message(self) -> Message:
        """What happened and the remedy, for a person at this machine."""
        return join_sentences(self.what, Message(*self.remedy))

    @property
    def for_clients(self) -> Message:
        """The message for a client, which must not see paths of this machine."""
        return join_sentences(self._what_for_clients, Message(*self.remedy))

    def __str__(self) -> str:
        return self.message


class UsageError(BlogSearchError):
    """An invalid setting or argument."""


class ContentError(BlogSearchError):
    """The content folder or its configuration cannot be read, or there is no post to index."""


class UnreadablePost(ContentError):
    """One file is left out of the index; the message is the reason."""


class NoLink(ContentError):
    """The address of a published post is not sure; the message is one of a few fixed reasons."""


class EmbedderError(BlogSearchError):
    """An embedder gives no vectors. A search then uses keywords only."""


class TextsRefused(EmbedderError):
    """Some texts have no vector: `rows` has zeros for them, `reasons` a reason by text index."""

    def __init__(self, rows: Vectors, reasons: Mapping[int, str]) -> None:
        first = next(iter(reasons.values()))
        super().__init__(f"No vector for {len(reasons)} of {len(rows)} texts: {first}.")
        self.rows = rows
        self.reasons = reasons


class IndexProblem(BlogSearchError):
    """The index cannot be used as it is."""


class IndexMissing(IndexProblem):
    """There is no index: no ingest has finished in this folder or on this server yet."""


class IndexBroken(IndexProblem):
    """A file of the index is damaged, missing, not ours or of another version of this program."""


class IndexOutdated(IndexBroken):
    """An earlier version of this program wrote the index; an ingest makes it anew."""

    embedder: EmbedderIdentity | None = None
    """The embedder of the index; `None` if it cannot be read."""


class EmbedderMismatch(IndexProblem, EmbedderError):
    """The index was built with another embedder than was requested, or than answers now."""


class ClientSettingsError(BlogSearchError):
    """A client's settings file cannot be read or changed; it is left as it was."""


class IngestFailed(BlogSearchError):
    """An ingest or one of its processes did not finish; the index is unchanged."""


class NotInIndex(BlogSearchError):
    """The index has no such post or chunk."""


MAX_NEAREST = 3
"""Maximum number of similar names in the message about a name that does not exist."""


def find_nearest(name: str, names: Iterable[str]) -> tuple[str, ...]:
    """Return up to MAX_NEAREST names that end with `name`'s last part, resemble or hold `name`."""
    folded, wanted = {other.casefold(): other for other in names}, name.casefold()
    end = "/" + wanted.rpartition("/")[2]
    same_end = [other for other in folded if f"/{other}".endswith(end)]
    close = difflib.get_close_matches(wanted[:MAX_ADDRESS], folded, MAX_NEAREST, cutoff=0.5)
    holding = [other for other in folded if wanted in other]
    return tuple(folded[it] for it in dict.fromkeys([*same_end, *close, *holding]))[:MAX_NEAREST]


MOST_DETAIL = 200
"""Maximum characters of another program's message in ours: it may quote the whole input."""


@contextmanager
def refuse_post(step: str) -> Iterator[None]:
    """Turn unexpected exceptions of this block, also panics of Rust, into UnreadablePost.

    The message names `step`, such as `reading it`. Four exceptions pass unchanged: BlogSearchError,
    MemoryError, KeyboardInterrupt and SystemExit.
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
    """Return an exception's class and up to MOST_DETAIL characters of its message on one line."""
    detail = " ".join(str(error).split())[:MOST_DETAIL]
    return ": ".join(filter(None, (type(error).__name__, detail)))
