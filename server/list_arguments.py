"""The arguments of the extended tools: a JSON object comes in, a frozen value goes out."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, get_args

from index.errors import UsageError
from index.types import Order
from server.arguments import (
    NO_FILTERS,
    OFFSET_MOST,
    TEXT_LENGTH,
    filters_of,
    known_only,
    shown,
    text_of,
    whole,
)

if TYPE_CHECKING:
    from collections.abc import Mapping

    from index.types import Filters

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
