"""Describe a post by its front matter and the path of its file.

The front matter wins. Missing fields come from the file's name and folder, as in Hugo, Jekyll,
Hexo, Zola, Docusaurus, Astro and Obsidian. Case, `_`, `-` and blanks in a field's name do not
count. A value of an unexpected type becomes text or is ignored, since no field is worth losing a
post. All usual names of a field are read, the most common first.
"""

import html
import re
import unicodedata
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from datetime import UTC, date, datetime
from itertools import product
from typing import TypeAlias
from urllib.parse import quote

from blog_search_mcp.index.text.display import compose, shorten, to_line
from blog_search_mcp.index.text.languages import language_tag, primary_subtag
from blog_search_mcp.index.types import MAX_ADDRESS, VERSIONED, Link, Post
from blog_search_mcp.ingest.posts.paths import (
    MARKDOWN,
    NAMES,
    PATTERNS,
    date_in_path,
    parse_file,
    split_day,
)

Fields: TypeAlias = Mapping[str, object]


def normalize_name(name: str) -> str:
    """Write a name in lower case without `_`, `-` or blanks: `Publish_Date` is `publishdate`."""
    return re.sub(r"[\s_-]", "", name).lower()


def normalize_names(
    fields: object, normalize: Callable[[str], str] = normalize_name
) -> dict[str, object]:
    """Return a mapping with normalized names; any other value gives an empty mapping."""
    items = fields.items() if isinstance(fields, Mapping) else ()
    return {normalize(str(name)): value for name, value in items}


def first_text(named: Fields, names: Iterable[str]) -> str:
    """Return the text of the first of these fields that has text, else `""`."""
    return next(filter(None, (to_text(named.get(name)) for name in names)), "")


def to_text(value: object) -> str:
    """Return a line: a list's texts; a mapping's label, name, title or first entry, or the key."""
    if value is None:
        return ""
    if isinstance(value, list):
        return ", ".join(filter(None, (to_line(item) for item in value if isinstance(item, str))))
    if isinstance(value, dict):
        key = next(filter(value.__contains__, ("label", "name", "title", *value)), "")
        entry = value.get(key)
        return to_line(entry if isinstance(entry, str) else str(key))
    return to_line(value.isoformat() if isinstance(value, date) else str(value))


def flatten(value: object) -> Iterator[object]:
    """Yield the items of nested lists, or the value itself."""
    if isinstance(value, list):
        for item in value:
            yield from flatten(item)
    else:
        yield value


END_FIELDS = tuple(NAMES["ends"].split())
"""Normalized names of fields with a post's last day. A note stays, but becomes outdated then."""
PUBLISH_FIELDS = tuple(NAMES["published"].split())
"""Normalized names of fields with the day on which a post becomes public."""
BEGIN_FIELDS = tuple(NAMES["begins"].split())
"""Normalized names of fields with a day before which a post is not public, whatever its date."""
DATE_FIELDS = ("date", *PUBLISH_FIELDS, *NAMES["created"].split())
"""Normalized names of fields with a post's date, in generators, note editors and their exports."""
CHANGE_FIELDS = tuple(NAMES["changed"].split())
"""Normalized names of fields with the last change. They date a post without another date: Hugo can
do so (`frontmatter` in its configuration), and Qiita's program writes no other date."""
_MONTH_BY_NAME = {
    name: n for n, names in enumerate(NAMES["months"].split(","), 1) for name in names.split()
}
"""Months by the start of a name, without accents, in languages with a stemmer and a dozen more."""
_WORD, _ORDINAL = r"([^\W\d_]{3,12})\.?", r"(\d{1,2})(?:st|nd|rd|th|er|re|[.ºª°])?"
_OF = r"[\s-](?:(?:de|of|di) |d['’])?"
_CLOCK_WITHIN = r"(?: \d\d:\d\d:\d\d(?: [a-z]+)?)?"
_NUMERIC = (
    r"^(\d{4})(?:[-/.] ?(\d{1,2})[-/.] ?(\d{1,2})|(\d\d)(\d\d)(?:\d{4}(?:\d\d)?)?"
    r"| ?[年년] ?(\d+) ?[月월] ?(\d+) ?[日일])(?!\d)"
)
_ABOVE_12 = r"(1[3-9]|2\d|3[01])"
_DATE_FORMS = (
    (re.compile(_NUMERIC), 0, 1, 2),
    (re.compile(r"\b(\d{1,2}) thang (\d{1,2}),? (?:nam )?(\d{4})\b"), 2, 1, 0),  # Vietnamese
    (re.compile(r"^(\d{1,2})\.\s?(\d{1,2})\.\s?(\d{4})(?!\d)"), 2, 1, 0),
    (re.compile(rf"^{_ABOVE_12}[/-](\d{{1,2}})[/-](\d{{4}})(?!\d)"), 2, 1, 0),
    (re.compile(rf"^(\d{{1,2}})[/-]{_ABOVE_12}[/-](\d{{4}})(?!\d)"), 2, 0, 1),
    (re.compile(rf"\b(?<!:){_ORDINAL}{_OF}{_WORD},?{_OF}(\d{{4}})\b"), 2, 1, 0),
    (re.compile(rf"\b{_WORD}\s\s?{_ORDINAL},?{_CLOCK_WITHIN}{_OF}(\d{{4}})\b"), 2, 0, 1),
    (re.compile(rf"^(\d{{4}})\.?[\s-]{_WORD}[\s-](\d{{1,2}})\b"), 0, 1, 2),
)
"""Patterns of dates, each with the indexes of year, month and day among its groups. `1.2.2024`
begins with the day. `1/2/2024` is no date: only a day above 12 is told from a month."""
_CLOCK_FIRST = re.compile(r"^\d{1,2}:\d\d(?::\d\d)?(?: ?[ap]\.?m\.?)?,? +", re.IGNORECASE)
_EPOCH = re.compile(r"(1\d{9})(?:\d{3})?")
"""Seconds or milliseconds since 1970, as in Dendron."""


def parse_date(value: object) -> date | None:
    """Parse a date, time, epoch, text, list of one, or MkDocs' `created` or `date`; else `None`."""
    if isinstance(value, Mapping):
        return parse_date(str(value.get("created") or value.get("date", "")))
    if isinstance(value, date):
        return value.date() if isinstance(value, datetime) else value
    if isinstance(value, list):  # also `[[2024-05-01]]`, a note's link to a day
        value = next(flatten(value), None) if len(value) == 1 else None
    written = str(value).strip().removeprefix("[[") if isinstance(value, str | int) else ""
    if moment := read_epoch(written):
        return moment.date()
    written = _fold(_CLOCK_FIRST.sub("", written))
    for pattern, year, month, day in _DATE_FORMS:
        if match := pattern.search(written):
            parts = [*filter(None, match.groups())]
            return _make_date(parts[year], parts[month], parts[day])
    return None


def list_days(written: str) -> list[date]:
    """List the days that a text may mean, else its year's first and last; `[]` without a year."""
    if not (year := re.search(r"(?<!\d)(?:19|2\d)\d\d(?!\d)", written)):
        return []
    numbers = re.findall(r"(?<![\d:+])\d{1,2}(?![\d:])", written)
    words = re.findall(r"[^\W\d_年月]+", _fold(written))
    months = [str(_find_month(word)) for word in words] or numbers or ["1"]
    lacks_day = len(numbers) == (0 if words else 1)
    days = map(str, range(1, 32)) if lacks_day else numbers or ["1"]
    possible = filter(None, (_make_date(year[0], *each) for each in product(months, days)))
    return [*possible] or [date(int(year[0]), 1, 1), date(int(year[0]), 12, 31)]


def read_epoch(written: str) -> datetime | None:
    """Parse seconds or milliseconds since 1970, from 2001 to 2033; `None` for other text."""
    seconds = _EPOCH.fullmatch(written)
    return datetime.fromtimestamp(int(seconds[1]), UTC) if seconds else None


_DATE_LIKE = re.compile(r"(?<!re)creat|publi[cs]|posted|written")


def find_date(named: Fields, source: str) -> date | None:
    """Return the date in DATE_FIELDS, else in the path, else in fields by _DATE_LIKE, or `None`."""
    others = (n for n in named if _DATE_LIKE.search(n) and n not in (*CHANGE_FIELDS, *END_FIELDS))
    usual = first_date(named, DATE_FIELDS) or find_day(named, source)
    return usual or first_date(named, others)


def find_day(named: Fields, source: str) -> date | None:
    """Return the day in the post's field `path`, else in its file's path."""
    return date_in_path(to_text(named.get("path"))) or date_in_path(source)


_NO_DATES = re.compile(
    r"(?:git )?(?:created|last[ -]modified)|today|now|true|yes|on|false|no|off|[01]", re.I
)
"""Values of date fields that are no dates: words for the file's own date, and switches."""


def unread_date(fields: Fields, named: Fields, source: str) -> str:
    """Return `name: text` of a field that seems to hold the date of an undated post, else `""`."""
    for name, text in ((name, to_text(value)) for name, value in fields.items()):
        is_date = normalize_name(name) in DATE_FIELDS and text and not _NO_DATES.fullmatch(text)
        is_like = re.search("^date|" + _DATE_LIKE.pattern, normalize_name(name))
        is_like = is_like and re.search(r"\d[-/.:] ?\d", text)
        if (is_date or is_like) and not find_date(named, source):
            return f"{name}: {text}"
    return ""


def first_date(named: Fields, names: Iterable[str]) -> date | None:
    """Return the first date in these fields, in their order; `None` if there is none."""
    return next(filter(None, (parse_date(named[name]) for name in names if name in named)), None)


def _find_month(word: str) -> int:
    return _MONTH_BY_NAME.get(max(filter(word.startswith, _MONTH_BY_NAME), key=len, default=""), 0)


def _fold(text: str) -> str:
    bare = re.sub("[\u0300-\u036f]", "", unicodedata.normalize("NFD", text))
    return unicodedata.normalize("NFC", bare).casefold()


def _make_date(year: str, month: str, day: str) -> date | None:
    """Return the date of these parts, `None` if invalid; the month may be a word."""
    try:
        number = int(month) if month.isdecimal() else _find_month(month)
        return date(int(year), number, int(day))
    except ValueError:
        return None


MAX_TITLE = 300
"""Maximum characters of a title; longer ones are cut, so that one post cannot fill an answer."""
MAX_DESCRIPTION = 2000
"""Maximum characters of a description."""
MAX_TAGS = 100
MAX_TAG = 100
"""Maximum characters of a tag, and of an author's name."""
_SUMMARIES = ("description", "summary", "excerpt", "subtitle", "abstract")
_LOCALES = ("lang", "language", "locale")
_SERIES = ("series", "seriesname", "collectionname")
_PARTS = ("seriesorder", "seriespart", "seriesindex", "seriesweight", "part")
_KEYS = ("translationkey", "translationid", "i18nkey")
_KEYS_OF_LANGUAGES = ("langref", "pageid", "ref", "slug", "permalink", "id")
"""Fields that translations of a post share if each post names its language."""
_TAG_LISTS = ("tags", "categories")
_TAGS = ("tags", "tag", "categories", "category", "keywords", "topics", "topic", "labels")
_BYLINES = tuple(NAMES["bylines"].split())
_JOINED = re.compile(r"\s*[;、，]\s*|\s+(?:and|und|et|&)\s+|,\s*(?=\S+\s+\S)")
"""Separators of names. A comma before a single word is not one, as in `Last, First`."""
_AROUND_NAME = re.compile(r"^@|^\[\[|\]\].*|\s*[<(].*")
MAX_AUTHORS = 20
_OUTDATED = re.compile(r"\b(?:deprecated|outdated|archived|superseded|obsolete)\b")
_REPLACEMENTS = {
    **dict.fromkeys(("supersededby", "replacedby", "obsoletedby", "deprecatedby"), "newer"),
    **dict.fromkeys(("supersedes", "replaces", "obsoletes"), "older"),
}
_NO_WORDS = re.compile(PATTERNS["no words"])
"""Normalized names of fields not meant for readers, unless they end in `title` or the like."""
_WORDY = re.compile(
    r"(?=.*[^\W\d_])(?!(?:true|false|yes|no|on|off|none|null|auto)$)(?:.*\s|[^\s/:@=<>{}]+$)", re.I
)
"""Text with a letter that is no address and no switch."""


def describe_post(
    named: Fields,
    source: str,
    title: str = "",
    hashtags: Sequence[str] = (),
    *,
    splits_tags: bool = False,
) -> Post:
    """Describe a post by its fields (under normalized names) and its path in the content folder.

    `title` (not read from `named`) has no markup; `""` stands for the file's name. `hashtags` come
    last. With `splits_tags` blanks separate `tags` and `categories` without a comma or semicolon.
    """
    published = find_date(named, source) or first_date(named, CHANGE_FIELDS)
    part, language = first_text(named, _PARTS), language_tag(first_text(named, _LOCALES))
    key = first_text(named, _KEYS) or (first_text(named, _KEYS_OF_LANGUAGES) if language else "")
    series = {name: next(flatten(named.get(name)), "") for name in _SERIES}
    description = first_text(named, _SUMMARIES)
    title = shorten(to_line(title), MAX_TITLE, len) or _title_from(source)
    if versioned := VERSIONED.match(source):
        title = shorten(f"{title} ({versioned[3]})", MAX_TITLE, len)
    return Post(
        source=source,
        title=title,
        date=published.isoformat() if published else None,
        tags=_list_tags(named, hashtags, splits_tags=splits_tags),
        # WordPress exports have HTML entities.
        description=shorten(to_line(html.unescape(description)), MAX_DESCRIPTION, len),
        slug=_bound_address(first_text(named, ("slug",))),
        language=language,
        translation_key=_bound_address(key),
        series=shorten(first_text(series, _SERIES), MAX_TITLE, len),
        part=int(part) if re.fullmatch(r"[0-9]{1,4}", part) else None,
        aliases=_list_aliases(named),
        authors=_list_authors(named),
        words=shorten(" · ".join(_list_words(named)), MAX_DESCRIPTION, len),
        outdated=_find_outdated(named),
    )


def _find_outdated(named: Fields) -> str:
    """Return the word that calls a post outdated, else the ISO day it becomes so, else `""`."""
    state = " ".join(to_text(named.get(name)) for name in ("status", "state")).lower()
    word, day = _OUTDATED.search(state), first_date(named, ("staleafter", *END_FIELDS))
    return word[0] if word else day.isoformat() if day else ""


_BY = re.compile(r"\b(?:superseded|replaced|obsoleted|deprecated) by[\s:]+(.+)", re.IGNORECASE)
_LINK = re.compile(r"\[\[([^\[\]|#]+)|\[[^\[\]]*\]\(<?([^()<>\s]+)")


def read_replacements(named: Fields) -> list[Link]:
    """Return links to posts that replace this one or are replaced by it, as its fields say."""
    values = [(kind, named.get(name)) for name, kind in _REPLACEMENTS.items()]
    states = (_BY.search(to_text(named.get(name))) for name in ("status", "state"))
    values += [("newer", state[1]) for state in states if state]
    written = ((kind, to_text(item)) for kind, value in values for item in flatten(value))
    links = (Link(_find_href(text), text, 1, kind) for kind, text in written if text)
    return [link for link in links if len(link.href) <= MAX_ADDRESS][:MAX_TAGS]


def _find_href(text: str) -> str:
    """Return a Markdown link's address, or a path as written; a title or name becomes `name.md`."""
    link = _LINK.search(text)
    if link and link[2]:
        return link[2]
    is_path = text[:1] in "/." or "://" in text or MARKDOWN.search(text.partition("#")[0])
    return text if is_path and not link else quote(f"{link[1] if link else text}.md")


def _list_authors(named: Fields) -> tuple[str, ...]:
    values = (fields.get(name) for fields in _levels(named) for name in _BYLINES)
    written = (
        shorten(to_text(item), MAX_DESCRIPTION, len) for value in values for item in flatten(value)
    )
    names = (_AROUND_NAME.sub("", name).strip() for text in written for name in _JOINED.split(text))
    kept = (shorten(name, MAX_TAG, len) for name in names if _WORDY.match(name))
    return tuple(dict.fromkeys(kept))[:MAX_AUTHORS]


def _levels(named: Fields) -> list[Fields]:
    """Return the fields, and the mappings in which Hugo and Zola have a theme's fields."""
    return [named, normalize_names(named.get("params")), normalize_names(named.get("extra"))]


def _list_words(named: Fields) -> Iterator[str]:
    """Yield the name and values of each field that has words and no other use."""
    taken = {"title", *_TAGS, *_BYLINES, *_PARTS, *_KEYS_OF_LANGUAGES, *_REPLACEMENTS}
    taken |= {*DATE_FIELDS, *CHANGE_FIELDS, *END_FIELDS, "staleafter"}
    description = first_text(named, _SUMMARIES)
    items = [item for fields in _levels(named) for item in fields.items() if item[0] not in taken]
    for name, value in items:  # the list grows by the fields of inner mappings
        if _NO_WORDS.match(name):
            continue
        texts = list[str]()
        for item in flatten(value):
            inner = normalize_names(item)
            text = to_text(item).strip("[]") if "name" in inner or not inner else ""
            others = ((key, each) for key, each in inner.items() if key != "name")
            items += (field for field in others if re.search(r"[^\W\d_]", str(field[1])))
            is_plain = isinstance(item, date) or not re.search(r"[^\W\d_]", text)
            if text and text != description and (is_plain or _WORDY.match(text)):
                texts.append(text)
        if texts:
            yield f"{name} {', '.join(texts)}"


_TITLES = re.compile(PATTERNS["title"])
"""Normalized names of fields with a post's title, perhaps with a language."""
_OTHER_TITLES = re.compile(PATTERNS["other title"])
"""Normalized names of fields with a title for a menu, link, window or search engine, or `name`."""


def find_title(named: Fields) -> str:
    """Return the text of `title`, else of a field in _TITLES (the post's language comes first)."""
    language = primary_subtag(language_tag(first_text(named, _LOCALES)))
    matches = filter(None, map(_TITLES.fullmatch, named))
    names = [match[0] for match in sorted(matches, key=lambda match: match[1] != language)]
    others = (text for name in names if _WORDY.match(text := to_text(named[name])))
    return to_text(named.get("title")) or next(others, "")


def find_other_title(named: Fields) -> str:
    """Return the first text of fields by _OTHER_TITLES, also in mappings as `params`, else `""`."""
    mappings = map(named.get, ("params", "extra", "seo", "meta", "hero"))
    places = (named, *map(normalize_names, mappings))
    items = (item for place in places for item in place.items() if _OTHER_TITLES.fullmatch(item[0]))
    return next((text for _, value in items if _WORDY.match(text := to_text(value))), "")


_TO_NOTE = re.compile(r"#?\[\[(?:[^\[\]|]*+\|)?([^\[\]|#]++)[^\[\]|]*+\]\]")
"""A link to a note; its text is the alias, else the note's name."""


def _list_aliases(named: Fields) -> tuple[str, ...]:
    values = (named.get(name) for name in ("aliases", "redirectfrom", "alias"))
    lists = (v.split(",") if isinstance(v, str) and "/" not in v else v for v in values)
    written = [_TO_NOTE.sub(r"\1", to_text(item)) for value in lists for item in flatten(value)]
    paths = (to_text(named.get(name)) for name in ("url", "permalink", "path"))
    written += (f"/{path.lstrip('/')}" for path in paths if "/" in path and "://" not in path)
    return tuple(dict.fromkeys(filter(None, map(_bound_address, written))))[:MAX_TAGS]


def _bound_address(words: str) -> str:
    return words if len(words) <= MAX_ADDRESS else ""


def _list_tags(named: Fields, hashtags: Sequence[str], *, splits_tags: bool) -> tuple[str, ...]:
    places = (named, *(normalize_names(named.get(name)) for name in ("taxonomies", "taxonomy")))
    written = (
        to_line(_TO_NOTE.sub(r"\1", html.unescape(tag)))
        for name in _TAGS
        for place in places
        for tag in _split_tags(place.get(name), at_blanks=splits_tags and name in _TAG_LISTS)
    )
    tags: dict[str, str] = {}
    for tag in (*written, *hashtags):
        if word := shorten(compose(tag.lstrip("#")), MAX_TAG, len):
            tags.setdefault(word.casefold(), word)
    return tuple(tags.values())[:MAX_TAGS]


def _split_tags(value: object, *, at_blanks: bool) -> Iterator[str]:
    """Yield tags. Split a string at `,` or `;`, else at blanks if asked or if all are hashtags."""
    if not isinstance(value, str):
        return filter(None, map(to_text, flatten(value)))
    parts, words = re.split(r"[,，、;]|(?<=\]\])\s", value), value.split()
    is_words = len(parts) == 1 and (at_blanks or all(word[0] == "#" for word in words))
    return filter(None, map(to_line, words if is_words else parts))


def _title_from(source: str) -> str:
    """Return a title from the file's name, or its folder's name for `index` and `_index`."""
    path = parse_file(source)
    name = path.name or path.index
    undated = split_day(name)[1]
    if not undated:  # a daily note
        return name
    return shorten(to_line(re.sub(r"[-_]+", " ", undated)) or undated, MAX_TITLE, len)
