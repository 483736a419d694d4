"""What the rows of the table share: fields, tokens, dates, percent-encoding, rules."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, date, datetime
from functools import lru_cache
from typing import TypeAlias
from urllib.parse import quote
from zoneinfo import ZoneInfo

from blog_search_mcp.index.errors import NoLink
from blog_search_mcp.index.posts.ignores import Rule, compile_rules
from blog_search_mcp.index.posts.metadata import first_date
from blog_search_mcp.index.types import MAX_ADDRESS

TOO_LONG = f"an address of more than {MAX_ADDRESS:,} characters"

_BEFORE_ZONE = re.compile(r"(?<!\s)\s+(?=[+-]\d\d:?\d\d$|Z$)")
_DATES = ("date", "publishdate", "pubdate", "published")


@dataclass(frozen=True, slots=True)
class UrlFields:
    """What a post's address may be made of."""

    values: Mapping[str, object]
    """Its front matter by names in lower case."""

    @classmethod
    def read(cls, fields: Mapping[str, object]) -> UrlFields:
        """Read the fields out of the front matter."""
        return cls({name.lower(): value for name, value in fields.items()})

    def get(self, name: str) -> str:
        """Return a single value as text, `""` if there is none."""
        return _to_text(self.values.get(name))

    def list(self, name: str) -> list[str]:
        """Return the items of a list, or one that stands for it, as text. Raises NoLink."""
        value = self.values.get(name)
        items = value if isinstance(value, list) else [value]
        if any(isinstance(item, list | Mapping) for item in items):
            raise NoLink(f"{name} that are nested")
        return [text for item in items if (text := _to_text(item))]

    @property
    def written_date(self) -> date | None:
        """The date as the author wrote it, whatever the time zone."""
        return first_date(self.values, _DATES)

    def date_in(self, zone: str, *, naive_is_utc: bool = False) -> date | None:
        """Return the date if its day is as written in the time zone `zone`, too, else `None`.

        Without `zone` the site is built in its machine's own zone: then the day in UTC counts.
        `naive_is_utc` doubts times without an offset, which YAML calls UTC.
        """
        written, text = self.written_date, _BEFORE_ZONE.sub("", self.get("date"))
        try:
            time = datetime.fromisoformat(text)
        except ValueError:
            return written
        if time.tzinfo is None and not (naive_is_utc and zone and ":" in text):
            return written
        try:
            aware = time if time.tzinfo else time.replace(tzinfo=UTC)
            local = aware.astimezone(ZoneInfo(zone or "UTC"))
        except (KeyError, ValueError, OSError, OverflowError):
            return None
        return written if local.date() == written else None


def _to_text(value: object) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, date):
        return value.isoformat()
    return str(value).strip() if isinstance(value, str | int | float) else ""


def fill_pattern(pattern: str, token: re.Pattern[str], values: Mapping[str, str | None]) -> str:
    """Replace each token by the value of its first group.

    Raises NoLink if one has none, or before all of them fill more than an address.
    """
    length = 0
    known = {name: value for name, value in values.items() if value is not None}
    for found in token.finditer(pattern):
        if found[1] not in known:
            raise NoLink(f"the pattern's {found[0]} is not known or not sure")
        length += len(known[found[1]])
        if length > MAX_ADDRESS:
            raise NoLink(TOO_LONG)
    return token.sub(lambda name: known[name[1]], pattern)


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


def date_tokens(day: date | None) -> dict[str, str | None]:
    """Return the parts of a date under the names that patterns have for them."""
    return {name: text.format(day) if day else None for name, text in _DATE_FORMATS.items()}


def percent_encode(path: str, safe: str) -> str:
    """Encode all but unreserved characters and `safe`; what is encoded already stays."""
    return quote(path, safe=safe + "%" if re.search("%[0-9A-Fa-f]{2}", path) else safe)


def encode_unsafe(path: str) -> str:
    """Encode only what cannot stand in a link: spaces, quotes, brackets and the like."""
    return re.sub(r"[\x00-\x20\"<>\\^`{|}\x7f]", lambda found: quote(found[0]), path)


Rules: TypeAlias = tuple[Rule, ...]


@lru_cache
def read_rules(*lines: str) -> Rules:
    """Compile lines of a `.gitignore`; none if one is no rule."""
    try:
        return compile_rules(lines)
    except ValueError:
        return ()
