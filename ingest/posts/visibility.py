"""Decide by a post's metadata and path whether it is public, from when and until when.

`check_visibility` takes a post's own and inherited fields. `visibility_rules.txt` lists the values
with which generators, themes and editors keep a page from readers, or out of a site's lists and
search. A post with one of these, or with an ambiguous value, is not indexed (but see INCLUDED).
"""

import re
from collections.abc import Iterable, Iterator, Mapping
from datetime import UTC, datetime, time, timedelta, timezone, tzinfo
from itertools import product
from pathlib import Path
from typing import Literal, TypeAlias, cast, get_args
from zoneinfo import ZoneInfo

from blog_search_mcp.ingest.posts.metadata import (
    BEGIN_FIELDS,
    DATE_FIELDS,
    END_FIELDS,
    PUBLISH_FIELDS,
    Fields,
    find_day,
    flatten,
    list_days,
    normalize_name,
    parse_date,
    read_epoch,
    to_text,
)

HiddenReason: TypeAlias = Literal[
    "draft", "locked", "future", "expired", "hidden", "redirect", "empty",
    "excluded", "not published", "copy",
]  # fmt: skip
VISIBILITY = get_args(HiddenReason)
"""Reasons why a post is left out, the strongest first. A `locked` page asks for a password or
payment, `hidden` is in no list or search, `redirect` leads elsewhere, `empty` has no text. A vault
makes a post `excluded`. The site has no page of `not published`. `copy`: a file's other version."""
INCLUDED: tuple[HiddenReason, ...] = ("draft", "future", "expired", "hidden")
"""Reasons that `--include-drafts` overrides."""
_TEXT = Path(__file__).with_name("visibility_rules.txt").read_text("utf-8").replace("\n   ", " ")
_LISTS, _RULES = _TEXT.split("\n\n")
"""Lists of words by name, and rows of reason, test, texts and names of fields. A name in capitals
stands for its list, or for a list of _WORDS. A field's value that is not empty gives the reason if
it `is` one of the texts, `is not` any of them, or `has` one as a word. `a.b` is `b` in mapping `a`.

From the documentation of Hugo, Zola, Jekyll, Hexo, Eleventy, Quarto, MkDocs with Material and
encryptcontent, Pelican, Docusaurus, Starlight, VitePress, Obsidian, Quartz, Logseq, Joplin, Ghost,
WordPress, Grav, GitBook, Mintlify and Qiita, and of common themes."""
_SEARCHES = "search searchindex index sitemap algolia lunr pagefind llms"
_NOT = "exclude excluded omit ignore skip hide hidden disable disabled no"
_UNSEARCHED = " ".join(
    f"{no}{of} {no}from{of} {no}in{of} {of}{no}"
    for no, of in product(_NOT.split(), _SEARCHES.split())
)
_WORDS = {"UNSEARCHED": _UNSEARCHED, **dict(row.split("\t") for row in _LISTS.split("\n"))}
_TABLE: dict[str, list[tuple[HiddenReason, str, frozenset[str]]]] = {}
for _row in _RULES.splitlines():
    _reason, _test, _texts, _names = re.sub("[A-Z]{2,}", lambda n: _WORDS[n[0]], _row).split("\t")
    _rule = cast("HiddenReason", _reason), _test, frozenset(_texts.split())
    for _name in _names.split():
        _TABLE.setdefault(_name, []).append(_rule)
_SUBJECT_FIELDS = "status state stage reviewstatus workflow workflowstate scheduled"
"""Fields that describe the subject of a note, such as a task, a project or a book."""
_MAPPINGS = frozenset(name.partition(".")[0] for name in _TABLE if "." in name)
_GROUPS = frozenset(("params", "extra", "seo", "meta", "metadata", "eleventycomputed"))
"""Mappings of Hugo, Zola, themes and Eleventy, whose fields count as the post's."""
_TIMES = frozenset((*DATE_FIELDS, *BEGIN_FIELDS, *END_FIELDS))
ZONE = "timezone"
"""Inherited field that names the time zone of times without a zone."""
LOCKED_WHEN = "lockedwhen"
"""Inherited mapping of a field's name to the values that lock a post (`a,b`; `*` for any value)."""
INHERITED = frozenset((*_TABLE, *_MAPPINGS, *_GROUPS, *_TIMES, ZONE, LOCKED_WHEN))
"""Normalized names of all fields that decide whether a post is public."""


def check_visibility(
    named: Fields, source: str, now: datetime, *, is_note: bool = False
) -> tuple[HiddenReason | None, str | None, str | None]:
    """Return (reason, expiry, due) of a post at `now`, a time with a zone.

    `reason` is `None` for a public post. `expiry` is the instant at which it expires, `due` the
    next change of a public or `future` post: UTC, ISO 8601 to the second, else `None`. A post
    appears at its publication date, else its date; later if BEGIN_FIELDS say so. Days end at
    midnight in the site's zone, else this machine's. Notes ignore _SUBJECT_FIELDS and END_FIELDS.
    """
    subjects = (*_SUBJECT_FIELDS.split(), *END_FIELDS) if is_note else ()
    named = {name: value for name, value in named.items() if name not in subjects}
    zone, day = to_text(named.get(ZONE)), find_day(named, source)
    dated = (*_read_times(named, (*PUBLISH_FIELDS, *DATE_FIELDS), zone), _to_instant(day, zone))
    begins = max(filter(None, (dated[0], *_read_times(named, BEGIN_FIELDS, zone))), default=now)
    ends = min(_read_times(named, END_FIELDS, zone, is_end=True), default=None)
    reasons = {reason for name, value in _list_fields(named) for reason in _judge(name, value)}
    folders, _, name = source.rpartition("/")
    others: Mapping[HiddenReason, object] = {
        "draft": "_drafts" in folders.split("/") or ".draft." in name,
        "locked": _is_locked_by_another(named),
        "future": begins > now,
        "expired": ends and ends <= now,
    }
    reasons |= {reason for reason, is_met in others.items() if is_met}
    left_out = next(filter(reasons.__contains__, VISIBILITY), None)
    due = begins if left_out == "future" else None if left_out else ends
    times = [time.isoformat(timespec="seconds") if time else None for time in (ends, due)]
    return left_out, times[0], times[1]


def keeps_back(name: str, value: object) -> bool:
    """Return whether _TABLE keeps a post back by this field alone; not by times or inner fields."""
    return any(_judge(normalize_name(name), value))


def is_time(name: str) -> bool:
    """Return whether a field gives the time from which or until which a post is public."""
    return normalize_name(name) in _TIMES


def _judge(name: str, value: object) -> Iterator[HiddenReason]:
    """Yield the reasons for which this value of a field (by normalized name) keeps a post back."""
    is_list = isinstance(value, list) and value
    text = (str(value) if is_list else to_text(value)).strip().lower() if name in _TABLE else ""
    is_map = isinstance(value, Mapping) and name in _MAPPINGS
    for reason, test, words in _TABLE[name] if text else ():
        said = re.findall(r"\w+", text) if test == "has" else [text]
        if words.isdisjoint(said) == (test == "is not") and not (is_map and test == "is"):
            yield reason


def _list_fields(named: Fields) -> Iterator[tuple[str, object]]:
    """Yield the fields, and those directly in _MAPPINGS and _GROUPS, by their names in _TABLE."""
    yield from named.items()
    for name in (_MAPPINGS | _GROUPS) & named.keys():
        value, prefix = named[name], f"{name}." if name in _MAPPINGS else ""
        for key, each in value.items() if isinstance(value, Mapping) else ():
            yield prefix + normalize_name(str(key)), each


def _is_locked_by_another(named: Fields) -> bool:
    locking = named.get(LOCKED_WHEN)
    for name, words in locking.items() if isinstance(locking, Mapping) else ():
        written = {to_text(text).lower() for text in flatten(named.get(name))} - {""}
        if written and (words == "*" or not written.isdisjoint(words.lower().split(","))):
            return True
    return False


def _read_times(
    named: Fields, names: Iterable[str], zone: str, *, is_end: bool = False
) -> Iterator[datetime]:
    given = (named[name] for name in names if name in named)
    return filter(None, (_to_instant(value, zone, is_end=is_end) for value in given))


_COMPACT_TIME = re.compile(r"^(\d{4})(\d\d)(\d\d)(\d\d)(\d\d)(?:\d\d)?$")
_CLOCK = re.compile(
    r"\b([01]?\d|2[0-3]):([0-5]\d)(?::\d\d)?(?: ?([AaPp])\.?[Mm]\.?)?(Z|[+-]\d\d:?\d\d)?$"
)
_HAS_TIME = re.compile(r"\d ?(?:[:h時时點点시]|[ap]\.?m)|T\d", re.IGNORECASE)
_BEFORE_ZONE = re.compile(r"(?<! ) +(?:UTC|GMT)?(?=[+-]\d\d:?\d\d$|Z$)")


def _to_instant(value: object, zone: str, *, is_end: bool = False) -> datetime | None:
    """Return the instant of a date, time stamp or text, if any; with `is_end` a day gives its end.

    A time without a zone is in `zone` (an IANA name), else in this machine's zone. An unreadable
    day or time counts as the latest possible one; with `is_end`, as the earliest.
    """
    value = str(value.get("created", "")) if isinstance(value, Mapping) else value
    day = parse_date(value) or (min if is_end else max)(list_days(to_text(value)), default=None)
    if day is None:
        return None
    if not 1970 < day.year < 9999:
        return datetime.combine(day, time(), UTC)
    text = re.sub(" (?:UTC|GMT)$", "Z", _BEFORE_ZONE.sub("", to_text(value)))
    text = _COMPACT_TIME.sub(r"\1-\2-\3 \4:\5", text)
    if moment := read_epoch(text):
        return moment
    try:
        moment = datetime.fromisoformat(text) + timedelta(days=is_end and len(text) < 11)
    except ValueError:
        moment = datetime.combine(day, time())
        if clock := _CLOCK.search(text):
            hour = int(clock[1]) % 12 + 12 * (clock[3] in "pP") if clock[3] else int(clock[1])
            moment = datetime.fromisoformat(f"{day} {hour:02}:{clock[2]}{clock[4] or ''}")
        else:
            moment += timedelta(days=is_end != bool(_HAS_TIME.search(text)))
    if moment.tzinfo is None and zone:
        moment = moment.replace(tzinfo=_find_zone(zone, is_end=is_end))
    return moment.astimezone(UTC)


def _find_zone(name: str, *, is_end: bool) -> tzinfo:
    try:
        return ZoneInfo(name)
    except (KeyError, ValueError, OSError):
        return timezone(timedelta(hours=14 if is_end else -12))
