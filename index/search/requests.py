"""Read queries for posts by date and author; without a subject, posts are listed, not searched.

Examples: "posts from March 2019", "what have you written lately", 最近寫了什麼, "oldest post". A
query with a restriction that is not understood ("not by") is searched as it is, with a notice.
"""

import re
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from dataclasses import replace
from datetime import date
from functools import partial
from itertools import chain
from pathlib import Path
from typing import NamedTuple, TypeAlias

import numpy as np

from blog_search_mcp.index.text.languages import CJK
from blog_search_mcp.index.text.query import is_stopword
from blog_search_mcp.index.text.tokenizer import fold, normalize_text
from blog_search_mcp.index.types import Filters

LISTED_NOTICE = "The query names no subject: posts are listed, the {} first."
LIMITED_NOTICE = "Only posts of the time or by the author that the query names are searched."


def _list_request_words(*kinds: str) -> list[str]:
    """List the words of these kinds in all languages; `_` in a row stands for a blank."""
    rows = (row.split("\t") for row in _REQUEST_ROWS)
    return [word.replace("_", " ") for row in rows if row[0] in kinds for word in row[2].split()]


def _any(*kinds: str) -> str:
    """Return a pattern of the kinds' words, with word boundaries except in East Asian scripts."""
    words = _list_request_words(*kinds)
    spaced = "|".join(word for word in words if max(word) <= "\u3000")
    unspaced = (word for word in words if max(word) > "\u3000")
    return "|".join([rf"(?:\b(?:{spaced})\b", *unspaced]) + ")"


_REQUEST_ROWS = (
    (Path(__file__).parents[1] / "data" / "request_words.txt").read_text("utf-8").splitlines()
)
_MONTHS = {name: number for number in range(1, 13) for name in _list_request_words(str(number))}
_MONTH = rf"(?:{'|'.join(_MONTHS)})\b".replace("mars", r"(?<=\b(?:de|en)\s)mars")
"""Pattern of a month's name; `mars` counts only after `de` or `en`."""
_YEAR, _DAY = r"(?<![a-z\d.])((?:19|20)[0-9]{2})(?!\d)", r"(3[01]|[12][0-9]|0?[1-9])(?!\d)"
_UNITS = {"year": 4, "month": 7, "week": 10, "day": 10}  # length of the ISO form
_NUMBERS = {word: str(n) for n in range(2, 13) for word in _list_request_words(f"n{n}")}
_NUMBER = re.compile(rf"(?i)\b({'|'.join(_NUMBERS)})(?=\s{_any(*_UNITS, 'last')})")
_COUNTED = re.compile(
    rf"(?i)(?:({_any('this')})|{_any('last')})\s*(?:([0-9]{{1,3}})\s*|(?!{_any('day')}))"
    rf"(?:{'|'.join(rf'(?P<{unit}>{_any(unit)})' for unit in _UNITS)})(?!\s(?:of|in|at)\b)"
    rf"|({_any('today')})|{_any('yesterday')}"
)
_LAST_BEHIND = re.compile(rf"(?i)({_any(*_UNITS)}|\b[0-9]{{1,3}})\s({_any('last')})")
_DATE = re.compile(
    rf"(?i)(?:\b{_DAY}(?:\.|st|nd|rd|th)?\s(?:of\s|de\s)?)?\b({_MONTH})\.?,?\s"
    rf"(?:{_DAY}(?:st|nd|rd|th)?,?\s)?(?:de\s|of\s)?{_YEAR}"
    rf"|{_YEAR}(?:[-/]|\s?[年년]\s?)(1[0-2]|0?[1-9])(?!\d)(?:(?:[-/]|\s?[月월]\s?){_DAY}[日일]?)?[月월]?"
)
_ISO = r"([0-9]{4}(?:-[0-9]{2}(?:-[0-9]{2})?)?)"
_JOINED = rf"\s(?:{_any('joining')}\s)?{_ISO}"
_REWRITES = {
    rf"(?i)(?<!\d){_ISO}[年년]?\s?({_any('behind')})": r"\2 \1",
    rf"(?i){_any('upto')}\s{_ISO}|(?<!\d){_ISO}\s{_any('earlier')}": r"1900 to \1\2",
    rf"(?i){_any('between')}{_JOINED}\s{_any('and')}{_JOINED}": r"from \1 to \2",
}
"""Patterns of phrases with ISO times, and the text that `_write_times` writes for each."""
_SPAN = rf"{_ISO}年?(?:(?:\s?(?:[-–—~～到至]|から)\s?|\s{_any('to')}\s){_ISO}年?)?"
_TIME = re.compile(rf"(?i)(?<![a-z\d.])(?=19|20){_SPAN}(?!\.?\d|[a-z])")
_POST_WORDS = re.compile(rf"(?i)^\W*\*\W*$|(?:(?<!-)\b\d\d?\s+)?{_any('posts')}")
_WRITING_WORDS = re.compile(f"(?i){_any('oldest', 'written')}")
_MANNER = re.compile(rf"(?i)\W*(?!{_any('counting')}){_any('manner')}")
_ORDER_WORDS = {order: re.compile(f"(?i){_any(order)}") for order in ("oldest", "newest")}
_ASKED = "¶"
"""Placeholder for the understood parts of a query."""
_BEFORE_TIME = re.compile(
    rf"(?i)(?:^|{_ASKED}|(?P<since>{_any('since')})|(?P<until>{_any('until')})"
    rf"|{_any('within')})[\s,'’]*+(?:{_any('joining')}[\s'’]*)*$|(?P<subject>\b[^\W\d_]+\s+)$"
)
_RESTRICTION = re.compile(
    rf"(?i){_any('negation')} {_any('relation')}|{_any('unclear')}"
    rf"|{_any('last', 'this')} (?:\w+ )?{_any('year', 'month', 'week', 'day')}"
    rf"|{_any('last', 'this', 'since', 'until', 'within')} (?:(?:the|dem|\d+.?) )?{_MONTH}(?: \d+)?"
)
_BY, _ABOUT = rf"{_any('by')}\s+", _any("about")
_LIMITING, _FILLERS = ({*map(fold, _list_request_words(kind))} for kind in ("limiting", "filler"))
_TOKEN = rf"[{CJK}]|[^\W_{CJK}]+"
_QUERY_LANGUAGES = ("en", "de", "es", "fr", "it", "nl", "pt", "ru", "sv", "zh")
FindPhrase: TypeAlias = Callable[[str], Sequence[int]]


class Request(NamedTuple):
    """A query for posts, as `read_request` understands it."""

    subject: str
    """The text to search for; `""` to list posts."""
    filters: Filters
    notice: str
    """Sentences that say what was or was not understood; `""` for a query of another kind."""
    order: str = ""


def read_request(
    text: str, filters: Filters, authors: Iterable[str], find_phrase: FindPhrase, today: date
) -> Request:
    """Read the time and the authors that a query for posts names.

    Posts are listed if every word is understood. If a subject is left, it is searched with time and
    authors (after "by") as filters; times in `filters` win. A query that is not surely for posts is
    searched as it is, also one of more than 25 words (a CJK character is one). A time after a word
    is no time if passages have both as a phrase (Server 2016).
    """
    length = len(re.findall(_TOKEN, text))
    is_asked = _POST_WORDS.search(text) or (_WRITING_WORDS.search(text) and length > 1)
    if not is_asked or length > 25 or _MANNER.match(text):
        return Request(text, filters, "")
    typed = text.replace("’", "'")
    spelled, names, is_by = _write_times(typed, today), list[str](), False
    unclear, rest = _RESTRICTION.findall(spelled), _RESTRICTION.sub(" ", spelled)
    spellings = {each: name for name in authors for each in (name, normalize_text(name))}
    parts = [re.findall(rf"{sign}{{3,}}", each) for each in spellings for sign in (r"\w", r"\S")]
    said = dict.fromkeys(chain(*parts), "") | spellings
    plain = normalize_text(typed)
    for name in sorted((n for n in said if normalize_text(n) in plain), key=len, reverse=True):
        by = f"({_BY}){'?' * bool(said[name])}"
        end = rf"(?![^\W{CJK}])" + r"(?!\s(?-i:[A-ZÀ-ÞА-Я]))" * (not said[name])
        match = re.search(rf"(?i){by}(?<![^\W{CJK}]){re.escape(name)}{end}", rest)
        if match and not re.search(rf"(?i){_ABOUT}\s*$", rest[: match.start()]):
            names, is_by = [*names, said[name] or name], is_by or bool(match[1])
            rest = rest.replace(match[0], _ASKED)
    unclear += re.findall(r"\b(?:by|von|par|por|av|af|от) [A-ZÀ-ÞА-Я]\w+(?: [A-ZА-Я]\w+)?", rest)
    together = rf"{_ASKED}(?:\W+(?:{_any('and')}\W+)?{_ASKED}){{{len(names) - 1}}}"
    unclear += [] if not names or re.search(together, rest) else names[1:]
    unclear += [n for n in names if filters.author and fold(filters.author) not in fold(n)]
    within = replace(filters, author=filters.author or "; ".join(names) or None)
    order = next((order for order, words in _ORDER_WORDS.items() if words.search(rest)), "")
    rest = _POST_WORDS.sub(_ASKED, _WRITING_WORDS.sub(_ASKED, rest))
    for match in _TIME.finditer(rest):
        before = _BEFORE_TIME.search(rest[: match.start()])
        since, until, subject = before.groups("") if before else ("", "", "")
        is_grammar = is_stopword(fold(subject), _QUERY_LANGUAGES)
        is_of_posts = is_grammar and rest.startswith(f" {_ASKED}", match.end())  # "all 2020 posts"
        is_word = not is_of_posts and (is_grammar or find_phrase(subject + match[0]))
        if is_word if subject else not (before or re.search("[-年]", match[0])):
            continue
        with suppress(ValueError):
            first, last = read_days(match[0])
            early, is_open = None if until else first, since and not match[2]
            late = str(np.datetime64(first) - 1) if until else None if is_open else last
            within = replace(within, after=filters.after or early, before=filters.before or late)
            start = match.start() if subject or not before else before.start()
            rest = f"{rest[:start]}{_ASKED}{rest[match.end() :]}"
            break
    is_about = re.search(rf"(?i){_ASKED}\W*{_ABOUT}", rest)
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
        return Request("", within, LISTED_NOTICE.format(order or "newest"), order)
    is_limited = within != filters and (within.author == filters.author or is_by)
    counting = re.search(rf"(?i){_any('counting')}\W(?:\w+\W)?{_ASKED}\W*{_ABOUT}", rest)
    if counting and not (is_limited or order):
        return Request(rest[counting.end() :].replace(_ASKED, " "), filters, "")
    if not is_sure or not (is_limited or (order and is_about)):
        return Request(text, filters, "")
    notices = [LIMITED_NOTICE] * is_limited + [f"The {order} of the best come first."] * bool(order)
    return Request(rest.replace(_ASKED, " "), within, " ".join(notices), order)


def _write_times(text: str, today: date) -> str:
    """Write the times in a text as ISO days, months, years and spans of them."""
    text = _LAST_BEHIND.sub(r"\2 \1", _NUMBER.sub(lambda it: _NUMBERS[it[0].lower()], text))
    text = _COUNTED.sub(partial(_count_back, today), text)
    text = re.sub(r"(?<![\w.])(\d\d?)\. ?(\d\d?)\. ?(\d{4})\b", r"\3-\2-\1", text)
    text = re.sub(r"(?i)\b(?:on|am) (?=\d{4}-\d\d-)", "in ", _DATE.sub(_write_date, text))
    for pattern, written in _REWRITES.items():
        text = re.sub(pattern, written, text)
    return text


def _count_back(today: date, match: re.Match[str]) -> str:
    unit = next((unit for unit in _UNITS if match[unit]), "day")
    step, count, is_this = (7 if unit == "week" else 1), match[2], match[1] or match[7]
    since_monday = today.weekday() if unit == "week" and not count else 0
    now = np.datetime64(str(today)[: _UNITS[unit]]) - since_monday
    first = now if is_this and not count else now - step * int(count or 1)
    last = today if is_this or count else now - 1
    return f"{first}" if str(first) == str(last) else f"{first} to {last}"


def _write_date(match: re.Match[str]) -> str:
    early, name, late, year, iso, month, day = match.groups()
    number = _MONTHS[name.lower()] if name else int(month)
    return f"{year or iso}-{number:02}" + "".join(f"-{int(d):02}" for d in (early, late, day) if d)


def read_days(text: str) -> tuple[str, str]:
    """Return first and last ISO day of a time (`2019`); hours are ignored. Raises ValueError."""
    plain = re.sub(r"(?<=\d)[T ]\d?\d(?::.*)?$", "", text.strip(" \t\"'"))
    plain = re.sub(r"^(\d{4})(\d\d)(\d\d)$", r"\1-\2-\3", plain)
    if not (match := re.fullmatch(f"(?i){_SPAN}", _write_times(plain, date.today()))):
        raise ValueError("no time")
    first, last = (np.datetime64(iso) for iso in (match[1], match[2] or match[1]))
    return str(first.astype("M8[D]")), str((last + 1).astype("M8[D]") - 1)
