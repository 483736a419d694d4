"""Front matter fields and a file's place come in; a Post and whether it is published go out.

Pure: today's date is an argument. The author's word wins; what is missing comes from the file's
name and folder, as Hugo, Jekyll, Hexo, Zola and Astro read them. Field names are compared
without regard to case, and a value of an unexpected type is made into text or passed over:
no field is worth losing a post.
"""

import re
from collections.abc import Iterable, Iterator, Mapping
from datetime import date
from typing import Literal, TypeAlias

from index.types import Post
from ingest.days import day, day_in

Fields: TypeAlias = Mapping[str, object]
LeftOut: TypeAlias = Literal["draft", "future", "expired"]

MAX_TITLE = 300
"""Characters; a longer title is cut, so that one post cannot fill an answer."""
MAX_DESCRIPTION = 2000
"""Characters, likewise."""
MAX_TAGS = 100

_PUBLISHED_ON = ("publishdate", "pubdate", "pubdatetime", "published", "publishedat")
_DATES = ("date", *_PUBLISHED_ON, "datepublished", "created", "createdat", "posted")
_EXPIRES_ON = ("expirydate", "expires", "unpublishdate")
_DESCRIPTIONS = ("description", "summary", "excerpt", "subtitle", "abstract")
_LANGUAGES = ("lang", "language", "locale")
_TAG_LISTS = ("tags", "categories", "keywords")
_TAGS = ("tag", "category")
_YES = {"true", "yes", "on", "1"}
_NO = {"false", "no", "off", "0"}

_DAY_IN_NAME = re.compile(r"^\d{4}-\d{1,2}-\d{1,2}(?:[-_ ]+|$)")

_LANGUAGE_TAG = re.compile(
    "(?:af|ar|az|be|bg|bn|bs|ca|cs|cy|da|de|el|en|eo|es|et|eu|fa|fi|fil|fr|ga|gl|gu|he|hi|hr|hu|hy|id|"
    "is|it|ja|ka|kk|km|kn|ko|ky|lt|lv|mk|mn|mr|ms|my|nb|ne|nl|nn|no|pa|pl|pt|ro|ru|si|sk|sl|sq|sr|"
    "sv|sw|ta|te|th|tl|tr|uk|ur|uz|vi|yue|zh)"
    "(?:-[a-z0-9]{2,8})*"
)
"""ISO 639 codes blogs are written in; without those that are file endings or topics (ts, ml)."""


def describe(fields: Fields, source: str, heading: str = "") -> Post:
    """Make the Post; `heading` is its body's first level-1 heading, `""` if there is none."""
    known = _known(fields)
    published = _first_day(known, _DATES) or _day_in_place(known, source)
    return Post(
        source=source,
        title=title(fields) or _cut(_line(heading), MAX_TITLE) or _title_from(source),
        date=published.isoformat() if published else None,
        tags=_tags(known),
        description=_cut(_first_text(known, _DESCRIPTIONS), MAX_DESCRIPTION),
        slug=_first_text(known, ("slug",)),
        language=_language(known, source),
    )


def title(fields: Fields) -> str:
    """Give the author's own title on one line, `""` if there is none."""
    return _cut(_first_text(_known(fields), ("title",)), MAX_TITLE)


def left_out(fields: Fields, source: str, today: date) -> LeftOut | None:
    """Say why a post is not published on `today`, `None` if it is.

    A post is a draft by `draft`, `published: false`, `status: draft` or a `_drafts` folder;
    future by its publication date, else its date; expired from the day after it expires.
    """
    known = _known(fields)
    if _is_draft(known, source):
        return "draft"
    published = _first_day(known, (*_PUBLISHED_ON, *_DATES)) or _day_in_place(known, source)
    if published and published > today:
        return "future"
    expiry = _first_day(known, _EXPIRES_ON)
    return "expired" if expiry and expiry < today else None


def expires(fields: Fields) -> str | None:
    """Give the last ISO day on which the post is published, `None` if it does not expire."""
    expiry = _first_day(_known(fields), _EXPIRES_ON)
    return expiry.isoformat() if expiry else None


def _known(fields: Fields) -> dict[str, object]:
    """Fields under lower-case names without `_` or `-`: `publish_date` is `publishDate`."""
    return {re.sub(r"[_-]", "", name).lower(): value for name, value in fields.items()}


def _is_draft(known: Fields, source: str) -> bool:
    return (
        _text(known.get("draft")).lower() in _YES
        or _text(known.get("published")).lower() in _NO
        or _text(known.get("status")).lower() == "draft"
        or "_drafts" in source.split("/")[:-1]
    )


def _first_day(known: Fields, names: Iterable[str]) -> date | None:
    return next(filter(None, (day(known.get(name)) for name in names)), None)


def _day_in_place(known: Fields, source: str) -> date | None:
    return day_in(_text(known.get("path"))) or day_in(source)


def _tags(known: Fields) -> tuple[str, ...]:
    taxonomies = known.get("taxonomies")
    places = (known, _known(taxonomies) if isinstance(taxonomies, dict) else {})
    tags: dict[str, str] = {}
    for name in ("tags", *_TAGS, "categories", "keywords"):
        for place in places:
            for tag in _tags_of(place.get(name), is_list=name in _TAG_LISTS):
                tags.setdefault(tag.casefold(), tag)
    return tuple(tags.values())[:MAX_TAGS]


def _tags_of(value: object, *, is_list: bool) -> Iterator[str]:
    """Split a string at commas, or at spaces where the field is a list, as Jekyll does."""
    if isinstance(value, str):
        parts = re.split(r"[,，、;]", value)
        yield from filter(
            None, map(_line, parts if len(parts) > 1 or not is_list else value.split())
        )
    else:
        yield from filter(None, map(_text, _leaves(value)))


def _leaves(value: object) -> Iterator[object]:
    """Walk nested lists once each: a YAML alias repeats a list without repeating its cost."""
    waiting, seen = [value], set[int]()
    while waiting:
        item = waiting.pop()
        if not isinstance(item, list):
            yield item
        elif id(item) not in seen:
            seen.add(id(item))
            waiting.extend(reversed(item))


def _first_text(known: Fields, names: Iterable[str]) -> str:
    return next(filter(None, (_text(known.get(name)) for name in names)), "")


def _text(value: object) -> str:
    """Make one line of text of any value: a list's items, or a mapping's first entry."""
    if value is None:
        return ""
    if isinstance(value, list):
        return ", ".join(filter(None, (_line(item) for item in value if isinstance(item, str))))
    if isinstance(value, dict):
        key, first = next(iter(value.items()), ("", None))
        return _line(first) if isinstance(first, str) else _line(str(key))
    return _line(value.isoformat() if isinstance(value, date) else str(value))


def _line(text: str) -> str:
    """Put text on one line, without control characters or halves of a surrogate pair."""
    shown = "".join(char if char.isprintable() or char > "\u007f" else " " for char in text)
    return " ".join(shown.encode("utf-8", "replace").decode().split())


def _cut(text: str, length: int) -> str:
    return text if len(text) <= length else text[: length - 1].rstrip() + "…"


def _title_from(source: str) -> str:
    """Make a title of the file's name, or of its folder's for `index` and `_index`."""
    folder, _, name = source.rpartition("/")
    stem, _ = _stem_and_language(name)
    if stem in ("index", "_index") and folder:
        stem = folder.rpartition("/")[2]
    undated = _DAY_IN_NAME.sub("", stem) or stem
    return _cut(_line(re.sub(r"[-_]+", " ", undated)) or undated, MAX_TITLE)


def _stem_and_language(name: str) -> tuple[str, str]:
    stem = name.rpartition(".")[0]
    shorter, _, suffix = stem.rpartition(".")
    language = _language_tag(suffix) if shorter else ""
    return (shorter, language) if language else (stem, "")


def _language(known: Fields, source: str) -> str:
    folder, inside, _ = source.partition("/")
    return (
        _language_tag(_first_text(known, _LANGUAGES))
        or _stem_and_language(source.rpartition("/")[2])[1]
        or (_language_tag(folder) if inside else "")
    )


def _language_tag(text: str) -> str:
    tag = text.strip().lower().replace("_", "-").removesuffix(".utf-8")
    return tag if _LANGUAGE_TAG.fullmatch(tag) else ""
