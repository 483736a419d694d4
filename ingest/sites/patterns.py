"""What the generators' permalink patterns share: filling in tokens, dates, percent-encoding."""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import date
from urllib.parse import quote


def fill_pattern(
    pattern: str, token: re.Pattern[str], value_of: Callable[[str], str | None]
) -> str | None:
    """Replace each token by the value of its first group, `None` if one has no value."""
    values: list[str] = []
    for found in token.finditer(pattern):
        value = value_of(found[1])
        if value is None:
            return None
        values.append(value)
    following = iter(values)
    return token.sub(lambda _: next(following), pattern)


def date_tokens(day: date) -> dict[str, str]:
    """Return the parts of a date under the names that patterns have for them."""
    return {
        "year": f"{day.year:04}",
        "short_year": f"{day:%y}",
        "month": f"{day:%m}",
        "i_month": f"{day.month}",
        "short_month": f"{day:%b}",
        "day": f"{day:%d}",
        "i_day": f"{day.day}",
        "short_day": f"{day:%a}",
        "y_day": f"{day:%j}",
        "week": f"{day:%V}",
    }


DATE_TOKENS = frozenset(date_tokens(date(2000, 1, 1)))


def percent_encode(path: str, safe: str) -> str:
    """Encode all but unreserved characters and `safe`; what is encoded already stays."""
    return quote(path, safe=safe + "%" if re.search("%[0-9A-Fa-f]{2}", path) else safe)


def encode_unsafe(path: str) -> str:
    """Encode only what cannot stand in a link: spaces, quotes, brackets and the like."""
    return re.sub(r"[\x00-\x20\"<>\\^`{|}\x7f]", lambda found: quote(found[0]), path)


def strip_folder(folder: str, place: str) -> str | None:
    """Return the part of `place` below `folder`, `None` if it lies elsewhere."""
    if not folder:
        return place
    return place.removeprefix(f"{folder}/") if place.startswith(f"{folder}/") else None
