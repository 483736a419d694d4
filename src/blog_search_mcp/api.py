"""Build an index and search it from Python, in this process and without MCP."""

from contextlib import AbstractContextManager
from dataclasses import asdict, replace
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import Annotated, Literal

from pydantic import Field

from blog_search_mcp.index.embedders.registry import choose_embedder, open_embedder
from blog_search_mcp.index.errors import IndexMissing, UsageError
from blog_search_mcp.index.folder import MAKE_ONE
from blog_search_mcp.index.invocation import join_sentences
from blog_search_mcp.index.reader import Index, IndexReader
from blog_search_mcp.index.stores import Location, parse_index_address
from blog_search_mcp.index.types import Answer, Filters, Order, Passage, Post
from blog_search_mcp.ingest.last_ingest import merge_options
from blog_search_mcp.ingest.pipeline import ingest
from blog_search_mcp.ingest.plan import Job
from blog_search_mcp.ingest.report import Progress, Report
from blog_search_mcp.server.format.notices import explain_empty
from blog_search_mcp.server.mcp.search_blog import shorten_query
from blog_search_mcp.server.tool import FilterArguments, LongText, check_arguments

EVERYTHING = Filters()


def build_index(
    content: Path | str,
    index: Path | str,
    *,
    embedder: Literal["auto", "ollama", "embedded"] = "auto",
    model: str | None = None,
    embedder_url: str = "",
    base_url: str | None = None,
    permalink: str | None = None,
    include_drafts: bool | None = None,
    rebuild: bool = False,
    progress: Progress | None = None,
) -> Report:
    """Bring the index up to date with the posts in the folder `content`, like the command `ingest`.

    Only changed posts are read and embedded; `rebuild` reads all. If `base_url`, `permalink` or
    `include_drafts` is `None`, it keeps its last value. Without `rebuild`, "auto" without a `model`
    keeps the index's embedder. Raises BlogSearchError.
    """
    place, site = _locate(index), {"base_url": base_url, "permalink": permalink}
    options = merge_options(place, include_drafts=include_drafts, **site)
    choose = partial(choose_embedder, embedder, model, embedder_url)
    folder, now = Path(content).expanduser(), datetime.now(UTC)
    job = Job(folder, place, choose, now, options, rebuild=rebuild)
    return ingest(job, progress or Progress())


def open_index(index: Path | str, *, embedder_url: str = "") -> "BlogIndex":
    """Open the index in a folder or at an address. It follows later ingests until it is closed.

    `embedder_url` is the URL of the embedding server, if the index was built with one. `""` means
    Ollama's default.
    """
    return BlogIndex(_locate(index), embedder_url)


def _locate(index: Path | str) -> Location:
    try:
        address = parse_index_address(str(index))
    except ValueError as error:
        raise UsageError(f"The index cannot be found: {error}.") from error
    return address or Path(index).expanduser().absolute()


class _CheckedArguments(FilterArguments):
    limit: Annotated[int, Field(gt=0)]
    offset: Annotated[int, Field(gt=-1)]
    order: Order = "newest"
    query: LongText = "any"


def _check_filters(filters: Filters, **values: object) -> _CheckedArguments:
    return check_arguments(_CheckedArguments, asdict(filters) | values)


class BlogIndex(AbstractContextManager["BlogIndex"]):
    """An open index, safe for concurrent use. Methods except `close` may raise BlogSearchError."""

    def __init__(self, location: Location, embedder_url: str) -> None:
        self._index = Index(location, partial(open_embedder, url=embedder_url, waits=False))
        self._is_open = True
        try:
            self._index.store.current_number()
        except IndexMissing as error:
            raise IndexMissing(f"There is no index in {location}.", MAKE_ONE) from error

    def _reader(self) -> IndexReader:
        if not self._is_open:
            raise UsageError("This index is closed. Open it again with open_index.")
        return self._index.reader()

    def search(
        self, query: str, filters: Filters = EVERYTHING, *, limit: int = 5, offset: int = 0
    ) -> Answer:
        """Search by keywords and meaning; return at most `limit` hits from `offset` on."""
        arguments = _check_filters(filters, limit=limit, offset=offset, query=query)
        query, filters = shorten_query(arguments.query), arguments.filters
        reader = self._reader()
        answer = reader.search(query, filters, limit=limit, offset=offset)
        reason = "" if answer.hits else explain_empty(answer, filters, reader.overview)
        return replace(answer, notice=join_sentences(answer.notice, reason) or None)

    def read(self, source: str, chunk_index: int, *, neighbors: int | None = None) -> Passage:
        """Read the page around a chunk, and `neighbors` chunks on each side; 0: only the chunk."""
        if neighbors is not None and neighbors < 0:
            raise UsageError(f"neighbors is {neighbors}; it must be at least 0.")
        return self._reader().read(source, chunk_index, neighbors)

    def posts(
        self,
        filters: Filters = EVERYTHING,
        *,
        order: Order = "newest",
        limit: int = 100,
        offset: int = 0,
    ) -> tuple[Post, ...]:
        """Return at most `limit` posts that pass `filters`, in this order, from `offset` on."""
        arguments = _check_filters(filters, limit=limit, offset=offset, order=order)
        catalog = self._reader().snapshot.catalog
        return catalog.list_posts(arguments.filters, order, limit, offset).page

    def close(self) -> None:
        """Close the files. Later calls of other methods raise UsageError."""
        self._is_open = False
        self._index.close()

    def __exit__(self, *_raised: object) -> None:
        self.close()
