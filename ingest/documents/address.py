"""What front matter says about where a post is published."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, date, datetime
from zoneinfo import ZoneInfo

from blog_search_mcp.ingest.documents.dates import day

_BEFORE_ZONE = re.compile(r"\s+(?=[+-]\d\d:?\d\d$|Z$)")
_DATES = ("date", "publishdate", "pubdate", "published")


@dataclass(frozen=True, slots=True)
class Address:
    """What an author wrote about where a post is to be found; empty where nothing was said."""

    fields: tuple[tuple[str, str], ...] = ()
    """Single values by their names in lower case, as text: `url`, `permalink`, `path`, `slug`."""
    categories: tuple[str, ...] = ()
    """Items of `categories`, one string if it was one."""
    listed: bool = False
    """Whether `categories` was a list."""
    nested: bool = False
    """Whether a category was a list itself."""
    written: bool = False
    """Whether the file has front matter with any field."""

    def get(self, name: str) -> str:
        """Give the field's text, `""` if there is none."""
        return dict(self.fields).get(name, "")

    @property
    def day(self) -> date | None:
        """The day as the author wrote it."""
        return next(filter(None, (day(self.get(name)) for name in _DATES)), None)

    def day_in(self, zone: str, *, naive_is_utc: bool = False) -> date | None:
        """The day in the time zone `zone`, by IANA's name; `None` if it is not sure.

        Without `zone` the site is built in its machine's own zone: then a day is sure if it is
        the same in UTC. `naive_is_utc` doubts times without an offset, which YAML calls UTC.
        """
        written, moment = self.day, self._moment()
        if moment is None or (moment.tzinfo is None and not (naive_is_utc and zone)):
            return written
        there = _in_zone(moment if moment.tzinfo else moment.replace(tzinfo=UTC), zone)
        sure = there == written or (zone and moment.tzinfo)
        return there if sure else None

    def _moment(self) -> datetime | None:
        text = _BEFORE_ZONE.sub("", self.get("date"))
        try:
            return datetime.fromisoformat(text) if len(text) > len("2024-05-12") else None
        except ValueError:
            return None


NOWHERE = Address()


def address_of(fields: Mapping[str, object]) -> Address:
    """Take out of the front matter what an address can be made of."""
    known = {name.lower(): value for name, value in fields.items()}
    categories = known.get("categories")
    items = categories if isinstance(categories, list) else [categories]
    return Address(
        fields=tuple((name, text) for name in known if (text := _text(known[name]))),
        categories=tuple(_text(item) for item in items if _text(item)),
        listed=isinstance(categories, list),
        nested=any(isinstance(item, list) for item in items),
        written=bool(fields),
    )


def _text(value: object) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, date):
        return value.isoformat()
    return str(value).strip() if isinstance(value, str | int | float) else ""


def _in_zone(moment: datetime, zone: str) -> date | None:
    try:
        return moment.astimezone(ZoneInfo(zone) if zone else UTC).date()
    except (KeyError, ValueError, OSError):
        return None
