"""One searcher over several indexes, and the engine of a server's settings.

Scores of different indexes compare: each is a share of what its blog's headings reach, times the
certainty that the blog has an answer. An index that cannot be used does not stop the others.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Collection, Iterable, Mapping
from functools import cache, partial
from typing import TYPE_CHECKING, TypeVar

from blog_search_mcp.index.commands import complete_commands
from blog_search_mcp.index.errors import (
    BlogSearchError,
    IndexMissing,
    IndexProblem,
    NotInIndex,
    UnknownPost,
)
from blog_search_mcp.server.engine import (
    EmbedderFor,
    Engine,
    IndexStatus,
    make_embedder,
    make_engine,
    make_engine_for_one,
    warm_up,
)
from blog_search_mcp.server.library.merging import (
    MergedLists,
    merge_answers,
    merge_notices,
    merge_overviews,
)
from blog_search_mcp.server.library.prefixes import (
    narrow,
    prefix_failure,
    prefix_outline,
    prefix_passage,
    split_source,
    with_name,
)

if TYPE_CHECKING:
    from datetime import date

    from blog_search_mcp.index.content.left_out import ContentFolder
    from blog_search_mcp.index.relations.corpus import Corpus
    from blog_search_mcp.index.store.statistics import Overview
    from blog_search_mcp.index.stores import Stamp
    from blog_search_mcp.index.types import Answer, Filters, Outline, Passage
    from blog_search_mcp.server.settings import Settings

Found = TypeVar("Found")


class LibraryStatus:
    """What can be known of several indexes without opening one."""

    def __init__(self, statuses: Mapping[str, IndexStatus]) -> None:
        """Take the statuses by the blogs' names."""
        self._statuses = statuses
        self.blogs = tuple(statuses)
        self.is_watched = any(status.is_watched for status in statuses.values())

    def stamp(self) -> tuple[Stamp | None, ...] | None:
        """Identify the live generations; `None` while no index has one."""
        stamps = tuple(status.stamp() for status in self._statuses.values())
        return stamps if any(stamps) else None

    def is_missing(self) -> bool:
        """Whether there surely is no index at all."""
        return all(status.is_missing() for status in self._statuses.values())

    def overview(self) -> Overview | None:
        """Read what the blogs are, `None` if that is known of none."""
        read = {name: status.overview() for name, status in self._statuses.items()}
        known = {name: overview for name, overview in read.items() if overview is not None}
        return merge_overviews(known, {}) if known else None

    def read_contents(
        self, posts: Mapping[str, Collection[str]], today: date
    ) -> Mapping[str, ContentFolder]:
        """Look at what the folder of each of these blogs holds besides `posts`."""
        read = {
            name: self._statuses[name].read_contents({"": sources}, today)
            for name, sources in posts.items()
        }
        return {name: found[""] for name, found in read.items()}

    def changed(
        self, before: tuple[Stamp | None, ...] | None, now: tuple[Stamp | None, ...] | None
    ) -> frozenset[str]:
        """Return the sources that differ between two such stamps. Raises as IndexStatus does."""
        none = (None,) * len(self._statuses)
        stamps = zip(self._statuses.items(), before or none, now or none, strict=True)
        return frozenset(
            with_name(name, source)
            for (name, status), early, late in stamps
            if early != late
            for source in status.changed(early, late)
        )


class Library:
    """A Searcher over several engines, by the names of their blogs; its sources begin with them."""

    def __init__(self, engines: Mapping[str, Engine]) -> None:
        self._engines = engines
        self.status = LibraryStatus({name: engine.status for name, engine in engines.items()})

    def search(self, query: str, filters: Filters, *, limit: int, offset: int) -> Answer:
        """Search all blogs, or the one that the section begins with. Raises BlogSearchError."""
        names, own = narrow(filters, self._engines)
        found, failures = self._ask(
            names, lambda engine: engine.search(query, own, limit=offset + limit, offset=0)
        )
        return merge_answers(found, failures, limit, offset)

    def read(self, source: str, chunk_index: int, neighbors: int) -> Passage:
        """Read from the blog that the source begins with. Raises BlogSearchError."""
        name, own = self._split(source)
        try:
            passage = self._engines[name].read(own, chunk_index, neighbors)
        except NotInIndex as error:
            raise prefix_failure(name, error) from None
        return prefix_passage(name, passage)

    def outline(self, source: str) -> Outline:
        """Outline a post of the blog that the source begins with. Raises BlogSearchError."""
        name, own = self._split(source)
        try:
            return prefix_outline(name, self._engines[name].outline(own))
        except NotInIndex as error:
            raise prefix_failure(name, error) from None

    def listing(self) -> MergedLists:
        """List what the blogs hold that can be used. Raises IndexProblem if none can."""
        return MergedLists(*self._ask(self._engines, lambda engine: engine.listing()))

    def corpora(self) -> Mapping[str, Corpus]:
        """Return the newest generation of each blog that can be used. Raises IndexProblem."""
        found, _ = self._ask(self._engines, lambda engine: engine.corpora()[""])
        return found

    @property
    def overview(self) -> Overview:
        """What the blogs hold together, in numbers. Raises BlogSearchError if none can be used."""
        return merge_overviews(*self._ask(self._engines, lambda engine: engine.overview))

    def warm_up(self, then: Callable[[], None] = lambda: None) -> None:
        """Open the indexes in the background, then do `then`."""
        warm_up(self._engines.values(), then)

    def _ask(
        self, names: Iterable[str], work: Callable[[Engine], Found]
    ) -> tuple[dict[str, Found], dict[str, str]]:
        """Do `work` with each; return what it gives by name, and why some cannot be used.

        Raises IndexProblem if none can.
        """
        found: dict[str, Found] = {}
        failures: dict[str, BlogSearchError] = {}
        for name in names:
            try:
                found[name] = work(self._engines[name])
            except BlogSearchError as error:
                failures[name] = error
        reasons = {name: complete_commands(error.for_clients) for name, error in failures.items()}
        if failures and not found:
            is_missing = all(isinstance(error, IndexMissing) for error in failures.values())
            raise (IndexMissing if is_missing else IndexProblem)(merge_notices(reasons) or "")
        return found, reasons

    def _split(self, source: str) -> tuple[str, str]:
        split = split_source(source, self._engines)
        if split is None:
            raise UnknownPost(source, self._nearest(source))
        return split

    def _nearest(self, source: str) -> tuple[str, ...]:
        """Return where a source without a blog's name is, else where those nearest to it are."""
        nearest: list[str] = []
        for name, engine in self._engines.items():
            try:
                engine.outline(source)
            except UnknownPost as error:
                nearest += [with_name(name, each) for each in error.nearest]
            except BlogSearchError as error:
                logging.getLogger(__name__).info("%s: %s", name, error)
            else:
                return (with_name(name, source),)
        return tuple(nearest)


def engine_for(settings: Settings) -> Engine | Library:
    """Make the engine of a server; nothing is opened yet.

    Indexes of the same embedder share one.
    """
    return _library(settings, make_engine, waits=False)


def engine_for_one(settings: Settings) -> Engine | Library:
    """Make the engine of one query: what a server does beside its answers is waited for."""
    return _library(settings, partial(make_engine_for_one, compares=True, embeds=True), waits=True)


def engine_for_author(settings: Settings, *, embeds: bool = False) -> Engine | Library:
    """Make the engine of one look at whole blogs, and at a draft that it `embeds`."""
    make = partial(make_engine_for_one, compares=False, embeds=embeds)
    return _library(settings, make, waits=True)


def _library(
    settings: Settings, make: Callable[[Settings, EmbedderFor], Engine], *, waits: bool
) -> Engine | Library:
    embedder_for = cache(lambda identity: make_embedder(identity, settings.embedder_url, waits))
    if not settings.others:
        return make(settings, embedder_for)
    return Library({name: make(each, embedder_for) for name, each in settings.by_name().items()})
