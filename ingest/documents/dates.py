"""Read the date of a post from its front matter or its path.

A date is as its author wrote it, whatever the time zone: a post of 1 May stays of 1 May.
Forms whose order of day and month is a guess (`01/02/2024`) are not read.
"""

import re
from collections.abc import Iterable, Mapping
from datetime import date, datetime

from blog_search_mcp.ingest.documents.fields import Fields, to_text

PUBLISH_FIELDS = ("publishdate", "pubdate", "pubdatetime", "published", "publishedat")
"""Fields that hold from when on a post is public, by their normalized names."""
_DATE_FIELDS = ("date", *PUBLISH_FIELDS, "datepublished", "created", "createdat", "posted")

_MONTHS = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"]
_NUMERIC = re.compile(
    r"(\d{4})(?:[-/.](\d{1,2})[-/.](\d{1,2})|(\d\d)(\d\d)|年(\d+)月(\d+)日)(?!\d)"
)
_DAY_FIRST = re.compile(r"\b(\d{1,2})(?:st|nd|rd|th)?[ -]([A-Za-z]{3,9})\.?,?[ -](\d{4})\b")
_MONTH_FIRST = re.compile(r"\b([A-Za-z]{3,9})\.? (\d{1,2})(?:st|nd|rd|th)?,? (\d{4})\b")
_IN_PATH = re.compile(
    r"(?:^|/)(\d{4})(?:([-_])(\d{1,2})\2(\d{1,2})|/(\d\d)[/-](\d\d))(?!\d)"
    r"|(?:^|/)((?:19|20)\d\d)(\d\d)(\d\d)(?:\d{4}|\d{6})?(?=[-_ .]|/)"
)


def parse_date(value: object) -> date | None:
    """Read a date, a time stamp or text that holds one; of MkDocs' mapping, when it was created."""
    if isinstance(value, Mapping):
        return parse_date(str(value.get("created", "")))
    if isinstance(value, datetime):
        return value.date()
    if isinstance(value, date):
        return value
    written = str(value).strip() if isinstance(value, str | int) else ""
    if numeric := _NUMERIC.match(written):
        return _make_date(*filter(None, numeric.groups()))
    if worded := _DAY_FIRST.search(written):
        return _make_date(worded[3], _month(worded[2]), worded[1])
    if worded := _MONTH_FIRST.search(written):
        return _make_date(worded[3], _month(worded[1]), worded[2])
    return None


def date_in_path(path: str) -> date | None:
    """Read a date off a path: `2019/05/14/post`, `_posts/2019-05-14-post.md`, `20190514 a`."""
    found = _IN_PATH.search(path)
    return _make_date(*filter(str.isdigit, filter(None, found.groups()))) if found else None


def find_date(known: Fields, source: str) -> date | None:
    """Return a post's date: its author's, else that in its path; names are normalized."""
    written = first_date(known, _DATE_FIELDS)
    return written or date_in_path(to_text(known.get("path"))) or date_in_path(source)


def first_date(known: Fields, names: Iterable[str]) -> date | None:
    """Return the date of the first of the fields that holds one."""
    return next(filter(None, (parse_date(known.get(name)) for name in names)), None)


def _month(name: str) -> str:
    start = name[:3].lower()
    return str(_MONTHS.index(start) + 1) if start in _MONTHS else "0"


def _make_date(year: str, month: str, day: str) -> date | None:
    try:
        return date(int(year), int(month), int(day))
    except ValueError:
        return None
