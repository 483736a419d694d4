"""Parts of addresses: patterns and what fills them, dates, percent-encoding."""

import re
from collections.abc import Iterable, Mapping
from contextlib import suppress
from datetime import UTC, date, datetime
from urllib.parse import quote
from zoneinfo import ZoneInfo

from blog_search_mcp.index.errors import NoLink
from blog_search_mcp.index.posts.metadata import Fields, first_date
from blog_search_mcp.index.types import MAX_ADDRESS
from blog_search_mcp.ingest.sites.settings import get_text


def fill(pattern: str, token: re.Pattern[str], values: Mapping[str, str | None]) -> str:
    """Replace each token by the value of its first group.

    Raises NoLink if one has none, or for what fills more than an address.
    """

    def find_value(name: re.Match[str]) -> str:
        value = values.get(name[1])
        if value is None:
            raise NoLink(f"the pattern's {name[0]} is not known or not sure")
        return check_length(value)

    return token.sub(find_value, check_length(pattern))


def check_length(address: str) -> str:
    """Return an address or a part of one. Raises NoLink if it is too long."""
    if len(address) > MAX_ADDRESS:
        raise NoLink(f"an address of more than {MAX_ADDRESS:,} characters")
    return address


_DATE_FORMATS = {
    "year": "{0.year:04}",
    "short_year": "{0:%y}",
    "month": "{0:%m}",
    "i_month": "{0.month}",
    "day": "{0:%d}",
    "i_day": "{0.day}",
    "short_day": "{0:%a}",
    "y_day": "{0:%j}",
    "week": "{0:%V}",
}


def split_date(
    day: date | None, names: Iterable[str] = tuple(_DATE_FORMATS)
) -> dict[str, str | None]:
    """Return the parts of a date under the names that patterns have for them."""
    return {name: _DATE_FORMATS[name].format(day) if day else None for name in names}


DATES = ("date", "publishdate", "pubdate", "published")
"""Fields that hold the date of an address, by their names in lower case."""
_BEFORE_ZONE = re.compile(r"(?<!\s)\s+(?=[+-]\d\d:?\d\d$|Z$)")


def find_day(fields: Fields, zone: str = "", *, naive_is_utc: bool = False) -> date | None:
    """Return a post's date if its day is as written in the time zone `zone`, too, else `None`.

    Without `zone` the site is built in its machine's own zone: then the day in UTC counts.
    `naive_is_utc` doubts times without an offset, which YAML calls UTC.
    """
    written, text = first_date(fields, DATES), _BEFORE_ZONE.sub("", get_text(fields, "date"))
    try:
        time = datetime.fromisoformat(text)
    except ValueError:
        return written
    if time.tzinfo is None and not (naive_is_utc and zone and ":" in text):
        return written
    with suppress(KeyError, ValueError, OSError, OverflowError):
        local = time.replace(tzinfo=time.tzinfo or UTC).astimezone(ZoneInfo(zone or "UTC"))
        return written if local.date() == written else None
    return None


def encode(path: str, safe: str) -> str:
    """Encode all but unreserved characters and `safe`; what is encoded already stays."""
    return quote(path, safe=safe + "%" if re.search("%[0-9A-Fa-f]{2}", path) else safe)
