"""What the generators' patterns share: tokens, dates, percent-encoding, rules of `.gitignore`."""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import date
from functools import lru_cache
from typing import TypeAlias
from urllib.parse import quote

from blog_search_mcp.index.errors import NoLink
from blog_search_mcp.index.posts.ignores import Rule, compile_rules, leaves_out
from blog_search_mcp.index.types import MAX_ADDRESS

OUTSIDE = "outside the folder that the site publishes"
"""The reason of NoLink for a file that no generator's rules apply to."""

TOO_LONG = f"an address of more than {MAX_ADDRESS:,} characters"
"""The reason of NoLink for a longer one."""


def fill_pattern(pattern: str, token: re.Pattern[str], values: Mapping[str, str | None]) -> str:
    """Replace each token by the value of its first group.

    Raises NoLink if one has none, or before all of them fill more than an address.
    """
    length = 0
    known = {name: value for name, value in values.items() if value is not None}
    for found in token.finditer(pattern):
        if found[1] not in known:
            raise NoLink(
                f"the pattern's {found[0]} "
                + ("is missing or not sure" if found[1] in values else "cannot be filled in here")
            )
        length += len(known[found[1]])
        if length > MAX_ADDRESS:
            raise NoLink(TOO_LONG)
    return token.sub(lambda name: known[name[1]], pattern)


_DATE_FORMATS = {
    "year": "{0.year:04}",
    "short_year": "{0:%y}",
    "month": "{0:%m}",
    "i_month": "{0.month}",
    "short_month": "{0:%b}",
    "day": "{0:%d}",
    "i_day": "{0.day}",
    "short_day": "{0:%a}",
    "y_day": "{0:%j}",
    "week": "{0:%V}",
}
DATE_TOKENS = frozenset(_DATE_FORMATS)


def date_tokens(day: date) -> dict[str, str]:
    """Return the parts of a date under the names that patterns have for them."""
    return {name: text.format(day) for name, text in _DATE_FORMATS.items()}


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


Rules: TypeAlias = tuple[str, ...]
"""Lines of a `.gitignore`."""


def read_rules(value: object) -> Rules:
    """Return the lines of a text of rules; none if it is no text or cannot be compiled."""
    lines = tuple(value.splitlines()) if isinstance(value, str) else ()
    try:
        _compile(lines)
    except (ValueError, re.error):
        return ()
    return lines


def is_ignored(place: str, rules: Rules) -> bool:
    """Whether the rules leave a place out, or a folder that it is in."""
    return leaves_out(_compile(rules), place)


@lru_cache
def _compile(rules: Rules) -> tuple[Rule, ...]:
    return compile_rules(rules)
