"""Fields of the front matter that site generators make a post's URL of."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, date, datetime
from zoneinfo import ZoneInfo

from blog_search_mcp.index.posts.metadata import first_date

_BEFORE_ZONE = re.compile(r"(?<!\s)\s+(?=[+-]\d\d:?\d\d$|Z$)")
_DATES = ("date", "publishdate", "pubdate", "published")


@dataclass(frozen=True, slots=True)
class UrlFields:
    """What a post's URL may be made of."""

    texts: Mapping[str, str]
    """Single values by their names in lower case, as text: `url`, `permalink`, `path`, `slug`."""
    categories: tuple[str, ...]
    """Items of `categories`, one string if it was one."""
    categories_are_listed: bool
    has_nested_category: bool
    has_front_matter: bool
    """Whether the file has front matter with any field."""
    first_line: str = ""
    """Of the body, the first that is not blank."""
    formats: tuple[str, ...] = ()
    """What Quarto renders the post to, as `html`; empty for what it renders all to."""

    def get(self, name: str) -> str:
        """Return the field's text, `""` if there is none."""
        return self.texts.get(name, "")

    @property
    def written_date(self) -> date | None:
        """The date as the author wrote it, whatever the time zone."""
        return first_date(self.texts, _DATES)

    def date_in(self, zone: str, *, naive_is_utc: bool = False) -> date | None:
        """Return the date in the time zone `zone`, by IANA's name; `None` if it is not sure.

        Without `zone` the site is built in its machine's own zone: then a date is sure if it is
        the same in UTC. `naive_is_utc` doubts times without an offset, which YAML calls UTC.
        """
        written, text = self.written_date, _BEFORE_ZONE.sub("", self.get("date"))
        try:
            time = datetime.fromisoformat(text) if len(text) > len("2024-05-12") else None
        except ValueError:
            return written
        if time is None or (time.tzinfo is None and not (naive_is_utc and zone)):
            return written
        aware = time if time.tzinfo else time.replace(tzinfo=UTC)
        try:
            local = aware.astimezone(ZoneInfo(zone) if zone else UTC).date()
        except (KeyError, ValueError, OSError, OverflowError):
            return None
        return local if local == written or (zone and time.tzinfo) else None


def read_url_fields(fields: Mapping[str, object], body: str = "") -> UrlFields:
    """Read the fields of a URL out of the front matter; of MkDocs' dates, when one was created."""
    known = {name.lower(): value for name, value in fields.items()}
    dates = known.get("date")
    if isinstance(dates, Mapping):
        known["date"] = dates.get("created")
    categories = known.get("categories")
    items = categories if isinstance(categories, list) else [categories]
    return UrlFields(
        texts={name: text for name, value in known.items() if (text := _text(value))},
        categories=tuple(filter(None, map(_text, items))),
        categories_are_listed=isinstance(categories, list),
        has_nested_category=any(isinstance(item, list) for item in items),
        has_front_matter=bool(fields),
        formats=list_formats(fields),
        first_line=body.lstrip().partition("\n")[0].rstrip(),
    )


def list_formats(fields: Mapping[str, object]) -> tuple[str, ...]:
    """Return the names in `format`, which is one or a mapping by name."""
    formats = fields.get("format")
    names = map(str, formats) if isinstance(formats, Mapping) else [_text(formats)]
    return tuple(filter(None, names))


def _text(value: object) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, date):
        return value.isoformat()
    return str(value).strip() if isinstance(value, str | int | float) else ""
