"""Hugo's permalink patterns: which tokens there are, and what those of dates and folders mean."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from datetime import date

from ingest.days import MONTHS, WEEKDAYS

TOKEN = re.compile(r":\w+(?:\[.+?\])?")
DAYS: dict[str, Callable[[date], str]] = {
    "year": lambda day: str(day.year),
    "month": lambda day: f"{day:%m}",
    "monthname": lambda day: MONTHS[day.month - 1],
    "day": lambda day: f"{day:%d}",
    "weekday": lambda day: str(day.isoweekday() % 7),
    "weekdayname": lambda day: WEEKDAYS[day.weekday()],
    "yearday": lambda day: str(day.timetuple().tm_yday),
}
"""What a token of the date becomes."""
NAMES = {
    *("section", "sections", "title", "slug", "slugorfilename", "filename"),
    *("contentbasename", "slugorcontentbasename"),
}
"""The other tokens that can be filled in without asking other pages."""


def unknown(patterns: Sequence[str]) -> tuple[str, ...]:
    """Name the tokens that are none of Hugo's, or need more than the post itself."""
    tokens = [found[1:] for pattern in patterns for found in TOKEN.findall(pattern)]
    known = NAMES | DAYS.keys()
    return tuple(f":{token}" for token in tokens if token.partition("[")[0] not in known)


def sliced(folders: Sequence[str], cut: str) -> Sequence[str]:
    """Slice as `[1:]`, `[:2]`, `[0]` and `[last]` do; a place that is not there gives nothing."""
    bounds = [_place(bound, len(folders)) for bound in cut.lower().split(":")]
    if len(bounds) == 1:
        at = bounds[0]
        return folders[at : at + 1] if at is not None else []
    return folders[bounds[0] : bounds[1]]


def _place(bound: str, count: int) -> int | None:
    if bound == "last":
        return max(count - 1, 0)
    return int(bound) if bound.isdecimal() else None
