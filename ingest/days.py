"""What an author wrote as a date comes in; a calendar day goes out, or `None`.

A day is as its author wrote it, whatever the time zone: a post of 1 May stays of 1 May.
Forms whose order of day and month is a guess (`01/02/2024`) are not read.
"""

import re
from datetime import date, datetime

_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_NUMERIC_DAY = re.compile(
    r"(\d{4})(?:[-/.](\d{1,2})[-/.](\d{1,2})|(\d\d)(\d\d)|年(\d+)月(\d+)日)(?!\d)"
)
_DAY_FIRST = re.compile(r"\b(\d{1,2})(?:st|nd|rd|th)?[ -]([A-Za-z]{3,9})\.?,?[ -](\d{4})\b")
_MONTH_FIRST = re.compile(r"\b([A-Za-z]{3,9})\.? (\d{1,2})(?:st|nd|rd|th)?,? (\d{4})\b")
_IN_PATH = re.compile(r"(?:^|/)(\d{4})([-/])(\d{1,2})\2(\d{1,2})(?!\d)")


def day(value: object) -> date | None:
    """Read a date, a time stamp or text that holds one."""
    if isinstance(value, datetime):
        return value.date()
    if isinstance(value, date):
        return value
    text = str(value).strip() if isinstance(value, str | int) else ""
    if numeric := _NUMERIC_DAY.match(text):
        return _calendar_day(*filter(None, numeric.groups()))
    if worded := _DAY_FIRST.search(text):
        return _calendar_day(worded[3], _month(worded[2]), worded[1])
    if worded := _MONTH_FIRST.search(text):
        return _calendar_day(worded[3], _month(worded[1]), worded[2])
    return None


def day_in(path: str) -> date | None:
    """Read the day a path names: `2019/05/14/post`, `_posts/2019-05-14-post.md`."""
    found = _IN_PATH.search(path)
    return _calendar_day(found[1], found[3], found[4]) if found else None


def _month(name: str) -> str:
    start = name[:3].lower()
    return str(_MONTHS.index(start) + 1) if start in _MONTHS else "0"


def _calendar_day(year: str, month: str, day_of_month: str) -> date | None:
    try:
        return date(int(year), int(month), int(day_of_month))
    except ValueError:
        return None
