"""What an author wrote as a date comes in; a calendar day goes out, or `None`.

A day is as its author wrote it, whatever the time zone: a post of 1 May stays of 1 May.
Forms whose order of day and month is a guess (`01/02/2024`) are not read.
"""

import re
from collections.abc import Iterable, Mapping
from datetime import date, datetime

from blog_search_mcp.ingest.documents.fields import Fields, text

MONTHS = (
    "January",
    "February",
    "March",
    "April",
    "May",
    "June",
    "July",
    "August",
    "September",
    "October",
    "November",
    "December",
)
WEEKDAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
"""As `date.weekday` counts them."""
_MONTHS = tuple(name[:3].lower() for name in MONTHS)
_NUMERIC_DAY = re.compile(
    r"(\d{4})(?:[-/.](\d{1,2})[-/.](\d{1,2})|(\d\d)(\d\d)|年(\d+)月(\d+)日)(?!\d)"
)
_DAY_FIRST = re.compile(r"\b(\d{1,2})(?:st|nd|rd|th)?[ -]([A-Za-z]{3,9})\.?,?[ -](\d{4})\b")
_MONTH_FIRST = re.compile(r"\b([A-Za-z]{3,9})\.? (\d{1,2})(?:st|nd|rd|th)?,? (\d{4})\b")
_IN_PATH = re.compile(
    r"(?:^|/)(\d{4})(?:([-_])(\d{1,2})\2(\d{1,2})|/(\d\d)[/-](\d\d))(?!\d)"
    r"|(?:^|/)((?:19|20)\d\d)(\d\d)(\d\d)(?:\d{4}|\d{6})?(?=[-_ .]|/)"
)
PUBLISHED_ON = ("publishdate", "pubdate", "pubdatetime", "published", "publishedat")
"""Fields that say from when on a post is public, as `ingest.documents.fields.named` names them."""
_DATES = ("date", *PUBLISHED_ON, "datepublished", "created", "createdat", "posted")


def day(value: object) -> date | None:
    """Read a date, a time stamp or text that holds one; of MkDocs' mapping, when it was created."""
    if isinstance(value, Mapping):
        return day(str(value.get("created", "")))
    if isinstance(value, datetime):
        return value.date()
    if isinstance(value, date):
        return value
    written = str(value).strip() if isinstance(value, str | int) else ""
    if numeric := _NUMERIC_DAY.match(written):
        return _calendar_day(*filter(None, numeric.groups()))
    if worded := _DAY_FIRST.search(written):
        return _calendar_day(worded[3], _month(worded[2]), worded[1])
    if worded := _MONTH_FIRST.search(written):
        return _calendar_day(worded[3], _month(worded[1]), worded[2])
    return None


def day_in(path: str) -> date | None:
    """Read the day a path names: `2019/05/14/post`, `_posts/2019-05-14-post.md`, `20190514 a`."""
    found = _IN_PATH.search(path)
    return _calendar_day(*filter(str.isdigit, filter(None, found.groups()))) if found else None


def posted_on(known: Fields, source: str) -> date | None:
    """Give the day a post bears: the author's, else that of its path; `known` as `named` has it."""
    return first_day(known, _DATES) or day_in(text(known.get("path"))) or day_in(source)


def first_day(known: Fields, names: Iterable[str]) -> date | None:
    """Give the day of the first of the fields that holds one."""
    return next(filter(None, (day(known.get(name)) for name in names)), None)


def _month(name: str) -> str:
    start = name[:3].lower()
    return str(_MONTHS.index(start) + 1) if start in _MONTHS else "0"


def _calendar_day(year: str, month: str, day_of_month: str) -> date | None:
    try:
        return date(int(year), int(month), int(day_of_month))
    except ValueError:
        return None
