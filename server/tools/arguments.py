"""A tool call's arguments: a JSON object comes in, a frozen value or a UsageError goes out.

The SDK's low-level server checks nothing, and its high-level one answers in pydantic's
words; these sentences name the argument, the value and the rule, which is what a model
needs to call again.
"""

from __future__ import annotations

import re
from calendar import monthrange
from dataclasses import dataclass
from datetime import date
from typing import TYPE_CHECKING, Any, Literal, get_args

from blog_search_mcp.index.errors import UsageError
from blog_search_mcp.index.types import Filters, Order

if TYPE_CHECKING:
    from collections.abc import Mapping

ResponseFormat = Literal["json", "markdown"]

QUERY_LENGTH = 1_000
"""Longest query in characters: about 250 English words, more than a small embedder reads."""
TEXT_LENGTH = 1_000
"""Longest other string in characters: a path within a blog is shorter."""
TOP_K_DEFAULT = 5
TOP_K_MOST = 20
OFFSET_MOST = 10_000
CHUNK_INDEX_MOST = 1_000_000
NEIGHBORS_MOST = 3
SHOWN = 80
"""A refused value is quoted up to this many characters."""

NO_FILTERS = Filters()

_DATE = re.compile(r"([0-9]{4})(?:-([0-9]{2}))?(?:-([0-9]{2}))?")


@dataclass(frozen=True, slots=True)
class SearchArguments:
    """What `search_blog` was asked."""

    query: str
    top_k: int = TOP_K_DEFAULT
    offset: int = 0
    filters: Filters = NO_FILTERS
    response_format: ResponseFormat = "json"


@dataclass(frozen=True, slots=True)
class ReadArguments:
    """What `read_chunk` was asked."""

    source: str
    chunk_index: int
    neighbors: int = 0


def search_arguments(given: Mapping[str, Any]) -> SearchArguments:
    """Check the arguments of `search_blog`. Raises UsageError."""
    known = ("query", "top_k", "offset", "section", "tag", "after", "before", "response_format")
    given = known_only("search_blog", known, given)
    return SearchArguments(
        query=text_of(given, "query", QUERY_LENGTH),
        top_k=whole(given, "top_k", 1, TOP_K_MOST, TOP_K_DEFAULT),
        offset=whole(given, "offset", 0, OFFSET_MOST, 0),
        filters=filters_of(given),
        response_format=_response_format(given),
    )


def read_arguments(given: Mapping[str, Any]) -> ReadArguments:
    """Check the arguments of `read_chunk`. Raises UsageError."""
    given = known_only("read_chunk", ("source", "chunk_index", "neighbors"), given)
    return ReadArguments(
        source=text_of(given, "source", TEXT_LENGTH),
        chunk_index=whole(given, "chunk_index", 0, CHUNK_INDEX_MOST),
        neighbors=whole(given, "neighbors", 0, NEIGHBORS_MOST, 0),
    )


def known_only(tool: str, names: tuple[str, ...], given: Mapping[str, Any]) -> dict[str, Any]:
    """Drop nulls, which models send for "not set". Raises UsageError for an unknown name."""
    for name in given:
        if name not in names:
            raise UsageError(f"{tool} has no argument {shown(name)}; it takes {', '.join(names)}.")
    return {name: value for name, value in given.items() if value is not None}


def text_of(given: Mapping[str, Any], name: str, longest: int) -> str:
    """Return a required text that is not blank. Raises UsageError."""
    if name not in given:
        raise UsageError(f"{name} is missing; it must be text of 1 to {longest:,} characters.")
    value = given[name]
    if not isinstance(value, str):
        raise UsageError(f"{name} must be text, got {shown(value)}.")
    if not value.strip():
        raise UsageError(f"{name} must not be blank, got {shown(value)}.")
    if len(value) > longest:
        raise UsageError(f"{name} must be at most {longest:,} characters, got {len(value):,}.")
    return encodable(value)


def whole(
    given: Mapping[str, Any], name: str, least: int, most: int, default: int | None = None
) -> int:
    """Return a whole number in the range, required if there is no default. Raises UsageError."""
    rule = f"a whole number from {least} to {most:,}"
    value = given.get(name, default)
    if value is None:
        raise UsageError(f"{name} is missing; it must be {rule}.")
    if isinstance(value, float) and value.is_integer():
        value = int(value)  # JSON Schema counts 5.0 as an integer
    if type(value) is not int or not least <= value <= most:
        raise UsageError(f"{name} must be {rule}, got {shown(value)}.")
    return value


def _response_format(given: Mapping[str, Any]) -> ResponseFormat:
    value = given.get("response_format", "json")
    for choice in get_args(ResponseFormat):
        if value == choice:
            return choice  # type: ignore[no-any-return]  # get_args forgets the literals
    raise UsageError(f"response_format must be 'json' or 'markdown', got {shown(value)}.")


def filters_of(given: Mapping[str, Any]) -> Filters:
    """Return what section, tag, after and before ask for. Raises UsageError."""
    after, before = _day(given, "after", last=False), _day(given, "before", last=True)
    if after and before and after > before:
        raise UsageError(f"after must not be later than before, got {after} and {before}.")
    return Filters(
        section=_section(given),
        tag=text_of(given, "tag", TEXT_LENGTH).strip() if "tag" in given else None,
        after=after,
        before=before,
    )


def _section(given: Mapping[str, Any]) -> str | None:
    if "section" not in given:
        return None
    section = text_of(given, "section", TEXT_LENGTH).strip().strip("/")
    if not section:
        raise UsageError(f"section must name a folder, got {shown(given['section'])}.")
    return section


def _day(given: Mapping[str, Any], name: str, *, last: bool) -> str | None:
    """Return the first or last ISO day of the year, month or day in the argument."""
    if name not in given:
        return None
    value = given[name]
    try:
        return _bound(value, last=last).isoformat()
    except ValueError:
        raise UsageError(
            f"{name} must be a date as YYYY-MM-DD, YYYY-MM or YYYY, got {shown(value)}."
        ) from None


def _bound(value: object, *, last: bool) -> date:
    """Return the first or last day that `value` means. Raises ValueError."""
    match = _DATE.fullmatch(value.strip()) if isinstance(value, str) else None
    if match is None:
        raise ValueError(value)
    year, month, day = (int(part) if part else None for part in match.groups())
    assert year is not None
    month = month or (12 if last else 1)
    return date(year, month, day or (monthrange(year, month)[1] if last else 1))


def encodable(text: str) -> str:
    """Replace each lone surrogate, which UTF-8 cannot carry, by `?`."""
    return text.encode("utf-8", "replace").decode("utf-8")


def shown(value: object) -> str:
    """Quote a refused value, shortened."""
    text = encodable(repr(value))
    return text if len(text) <= SHOWN else text[:SHOWN] + "…"


LIMIT_DEFAULT = 20
LIMIT_MOST = 100
ORDERS: tuple[Order, ...] = get_args(Order)


@dataclass(frozen=True, slots=True)
class ListArguments:
    """What `list_posts` was asked."""

    filters: Filters = NO_FILTERS
    order: Order = ORDERS[0]
    limit: int = LIMIT_DEFAULT
    offset: int = 0


def list_arguments(given: Mapping[str, Any]) -> ListArguments:
    """Check the arguments of `list_posts`. Raises UsageError."""
    names = ("section", "tag", "after", "before", "order", "limit", "offset")
    given = known_only("list_posts", names, given)
    return ListArguments(
        filters=filters_of(given),
        order=_order(given),
        limit=whole(given, "limit", 1, LIMIT_MOST, LIMIT_DEFAULT),
        offset=whole(given, "offset", 0, OFFSET_MOST, 0),
    )


def outline_source(given: Mapping[str, Any]) -> str:
    """Check the argument of `get_outline`. Raises UsageError."""
    return text_of(known_only("get_outline", ("source",), given), "source", TEXT_LENGTH)


def _order(given: Mapping[str, Any]) -> Order:
    value = given.get("order", ORDERS[0])
    for order in ORDERS:
        if value == order:
            return order
    raise UsageError(f"order must be 'newest', 'oldest' or 'title', got {shown(value)}.")
