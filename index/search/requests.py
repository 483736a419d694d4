"""Queries for posts by when and by whom: without a subject they are listed, not searched.

"Posts from March 2019", "what have you written lately", 最近寫了什麼: words for posts and for what
is new, in six languages, beside function words, a time and an author's name. A query with a
further restriction ("last year", "not by") is searched for as it is, and the notice names that.
"""

from __future__ import annotations

import re
from calendar import monthrange
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from datetime import date, timedelta
from pathlib import Path
from typing import NamedTuple

from blog_search_mcp.index.text.languages import CJK
from blog_search_mcp.index.text.query import is_stopword
from blog_search_mcp.index.text.tokenizer import fold
from blog_search_mcp.index.types import Filters

LISTED_NOTICE = "The query names no subject: posts are listed, the newest first."
LIMITED_NOTICE = "Only posts of the time or by the author that the query names are searched."


def _list_words(kind: str) -> list[str]:
    """List the words of a kind in all languages; `_` in a row stands for a blank."""
    rows = (row.split("\t") for row in _ROWS)
    return [word.replace("_", " ") for row in rows if row[0] == kind for word in row[2].split()]


def _any(kind: str) -> str:
    """Write a pattern of the words of a kind, which stand apart in scripts that have blanks."""
    words = (rf"\b{word}\b" if word < "\u3000" else word for word in _list_words(kind))
    return f"(?:{'|'.join(words)})"


_ROWS = (Path(__file__).parents[1] / "data" / "request_words.txt").read_text("utf-8").splitlines()
_MONTH_NUMBERS = {name: number for number in range(1, 13) for name in _list_words(str(number))}
_POST_WORDS = re.compile(rf"^\W*\*\W*$|(?:\b\d\d?\s+)?{_any('posts')}", re.IGNORECASE)
_WRITING_WORDS = re.compile(_any("written"), re.IGNORECASE)
_MANNER = re.compile(rf"\W*(?!how many){_any('manner')}", re.IGNORECASE)
_MONTH = rf"(?:{'|'.join(_MONTH_NUMBERS)})\b".replace("mars", r"(?<=\b(?:de|en)\s)mars")
"""Mars is a month behind a French preposition, and else a planet."""
_YEAR = r"(?<![a-z\d.])(?:19|20)\d\d(?!\.?\d|[a-z])"
_ASKED = "¶"
"""Stands for what is understood of a query."""
_TIME = re.compile(
    rf"(?:(?:^|{_ASKED}|(?P<since>{_any('since')})|(?P<until>{_any('until')})|{_any('within')})"
    rf"[\s,]*(?:{_any('joining')}\s+)*"
    rf"|(?P<subject>\b[^\W\d_]+\s+)|(?={_YEAR}(?:[-/]\d|\s*年)))"
    rf"(?:\b(?P<name>{_MONTH})\.?,?\s+(?:de\s+|of\s+)?)?"
    rf"(?P<year>{_YEAR})(?:(?:[-/]|\s*年\s*)(?P<month>0?[1-9]|1[0-2])(?!\d)\s*月?|\s*年)?",
    re.IGNORECASE,
)
_RESTRICTION = re.compile(
    rf"{_any('negation')} {_any('relation')}|{_any('relative')} (?:\w+ )?{_any('unit')}"
    rf"|{_any('unit')} {_any('past')}|{_any('unclear')}|\bfirst(?= (?:blog )?(?:post|article))"
    rf"|(?:{_any('since')}|{_any('until')}|{_any('within')}) {_MONTH}(?!\W+(?:of )?\d)"
    rf"|\b\d\d?\.? {_MONTH}|\b{_MONTH} \d\d?\b"
    rf"|{_YEAR}年?(?:\s*[-–—~到至]\s*| {_any('to')} )(?:\w+ )?(?:19|20)\d\d",
    re.IGNORECASE,
)
_BY, _ABOUT = rf"{_any('by')}\s+", _any("about")
_LIMITING, _FILLERS = ({*map(fold, _list_words(kind))} for kind in ("limiting", "filler"))
_TOKEN = rf"[{CJK}]|[^\W_{CJK}]+"
_QUERY_LANGUAGES = ("en", "de", "es", "fr", "zh")


class Request(NamedTuple):
    """A query for posts."""

    subject: str
    """The text to search for; `""` to list posts."""
    filters: Filters
    notice: str
    """A sentence that says what was understood, or what was not; `""` for any other query."""


def read_request(
    text: str, filters: Filters, authors: Iterable[str], find_phrase: Callable[[str], Sequence[int]]
) -> Request:
    """Read the time and the author that a query for posts names.

    Posts are listed only if every word is understood; what is no query for posts, or longer than
    25 words or Han characters, is searched for as it is. A year behind a word is no time if
    passages have both as a phrase (Server 2016).
    """
    length = len(re.findall(_TOKEN, text))
    is_asked = _POST_WORDS.search(text) or (_WRITING_WORDS.search(text) and length > 1)
    if not is_asked or length > 25 or _MANNER.match(text):
        return Request(text, filters, "")
    within, is_by, plain = filters, False, text.casefold()
    unclear, rest = _RESTRICTION.findall(text), _RESTRICTION.sub(" ", text)
    for name in sorted((n for n in authors if n.casefold() in plain), key=len, reverse=True):
        match = re.search(rf"({_BY})?(?<!\w){re.escape(name)}(?!\w)", rest, re.IGNORECASE)
        if match and not re.search(rf"{_ABOUT}\s*$", rest[: match.start()], re.IGNORECASE):
            unclear += [name] * (within is not filters)
            within, is_by = replace(within, author=filters.author or name), bool(match[1])
            rest = rest.replace(match[0], _ASKED)
    rest = _WRITING_WORDS.sub(_ASKED, _POST_WORDS.sub(_ASKED, rest))
    for match in _TIME.finditer(rest):
        subject = match["subject"] or ""
        if not subject or not (
            is_stopword(fold(subject), _QUERY_LANGUAGES) or find_phrase(match[0])
        ):
            within = _limit_days(within, match)
            rest = f"{rest[: match.start()]}{subject}{_ASKED}{rest[match.end() :]}"
            break
    is_about = re.search(rf"{_ASKED}\W*{_ABOUT}", rest, re.IGNORECASE)
    left = [
        token
        for token in map(fold, re.findall(_TOKEN, rest))
        if token in _LIMITING or not (is_stopword(token, _QUERY_LANGUAGES) or token in _FILLERS)
    ]
    is_subject = any(is_about or not (t in _LIMITING or t.isdecimal()) for t in left)
    is_sure = bool(_POST_WORDS.search(text) or is_about)
    unclear += [] if is_subject else left
    if unclear and (is_sure or not is_subject):
        words = '", "'.join(unclear)
        return Request(text, filters, f'Not understood as a restriction: "{words}".')
    if not is_subject:
        return Request("", within, LISTED_NOTICE)
    if is_sure and within != filters and (within.author == filters.author or is_by):
        return Request(rest.replace(_ASKED, " "), within, LIMITED_NOTICE)
    return Request(text, filters, "")


def _limit_days(filters: Filters, time: re.Match[str]) -> Filters:
    """Add the first and last day of a time, as far as it has them, where none are given."""
    year = int(time["year"])
    month = int(time["month"] or 0) or _MONTH_NUMBERS.get((time["name"] or "").lower(), 0)
    first = date(year, month or 1, 1)
    last = date(year, month or 12, monthrange(year, month or 12)[1])
    until = first - timedelta(1) if time["until"] else last
    after = filters.after or (None if time["until"] else first.isoformat())
    before = filters.before or (None if time["since"] else until.isoformat())
    return replace(filters, after=after, before=before)
