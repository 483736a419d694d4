"""Describe a post by its front matter and its file's place.

The author's fields win; what is missing comes from the file's name and folder, as Hugo, Jekyll,
Hexo, Zola, Docusaurus, Astro and Obsidian read them. Field names are compared without regard to
case, and a value of an unexpected type is made into text or passed over: no field is worth
losing a post. All usual names of a field are read, the commonest first.
"""

import re
from collections.abc import Iterator, Sequence

from blog_search_mcp.index.analysis.languages import language_tag
from blog_search_mcp.index.types import Post
from blog_search_mcp.ingest.documents.dates import find_date
from blog_search_mcp.ingest.documents.fields import (
    Fields,
    first_text,
    leaves,
    normalize_names,
    to_line,
    to_text,
)

MAX_TITLE = 300
"""Characters; a longer title is cut, so that one post cannot fill an answer."""
MAX_DESCRIPTION = 2000
"""Characters, likewise."""
MAX_TAGS = 100

_DESCRIPTIONS = ("description", "summary", "excerpt", "subtitle", "abstract")
_LANGUAGES = ("lang", "language", "locale")
_TAG_LISTS = ("tags", "categories", "keywords", "topics", "labels")
_TAGS = ("tags", "tag", "categories", "category", "keywords", "topics", "topic", "labels")

_DAY_IN_NAME = re.compile(
    r"^(?:\d{4}([-_])\d{1,2}\1\d{1,2}(?:[-_ ]+|$)|(?:19|20)\d{6}(?:\d{4}|\d{6})?[-_ ]+)"
)
_TOPICS = {"be", "et", "hr", "id", "is", "it", "my", "no", "pa", "sl", "te"}
"""Languages whose tags are words or fields of work, and name a folder inside others for those."""


def describe_post(
    fields: Fields, source: str, heading: str = "", hashtags: Sequence[str] = ()
) -> Post:
    """Describe the post of a file below the content folder.

    `heading` titles a post whose front matter does not; `hashtags`, those of its body, follow the
    tags of the front matter.
    """
    known = normalize_names(fields)
    published = find_date(known, source)
    return Post(
        source=source,
        title=read_title(fields) or _cut(to_line(heading), MAX_TITLE) or _title_from(source),
        date=published.isoformat() if published else None,
        tags=_tags(known, hashtags),
        description=_cut(first_text(known, _DESCRIPTIONS), MAX_DESCRIPTION),
        slug=first_text(known, ("slug",)),
        language=_language(known, source),
        translation_key=first_text(known, ("translationkey",)),
    )


def read_title(fields: Fields) -> str:
    """Return the author's own title on one line, `""` if there is none."""
    return _cut(first_text(normalize_names(fields), ("title",)), MAX_TITLE)


def _tags(known: Fields, hashtags: Sequence[str]) -> tuple[str, ...]:
    taxonomies = known.get("taxonomies")
    places = (known, normalize_names(taxonomies) if isinstance(taxonomies, dict) else {})
    written = [
        tag
        for name in _TAGS
        for place in places
        for tag in _tags_of(place.get(name), is_list=name in _TAG_LISTS)
    ]
    tags: dict[str, str] = {}
    for tag in filter(None, (tag.lstrip("#") for tag in (*written, *hashtags))):
        tags.setdefault(tag.casefold(), tag)
    return tuple(tags.values())[:MAX_TAGS]


def _tags_of(value: object, *, is_list: bool) -> Iterator[str]:
    """Split a string at commas, or at spaces where the field is a list, as Jekyll does."""
    if isinstance(value, str):
        parts = re.split(r"[,，、;]", value)
        yield from filter(
            None, map(to_line, parts if len(parts) > 1 or not is_list else value.split())
        )
    else:
        yield from filter(None, map(to_text, leaves(value)))


def _cut(words: str, length: int) -> str:
    return words if len(words) <= length else words[: length - 1].rstrip() + "…"


def _title_from(source: str) -> str:
    """Make a title of the file's name, or of its folder's for `index` and `_index`."""
    folder, _, name = source.rpartition("/")
    stem, _ = _stem_and_language(name)
    if stem in ("index", "_index") and folder:
        stem = folder.rpartition("/")[2]
    undated = _DAY_IN_NAME.sub("", stem) or stem
    return _cut(to_line(re.sub(r"[-_]+", " ", undated)) or undated, MAX_TITLE)


def _stem_and_language(name: str) -> tuple[str, str]:
    stem = name.rpartition(".")[0]
    shorter, _, suffix = stem.rpartition(".")
    language = language_tag(suffix) if shorter else ""
    return (shorter, language) if language else (stem, "")


def _language(known: Fields, source: str) -> str:
    """Return the author's, else the file name's, else that of the outermost folder that has one."""
    folders = source.split("/")[:-1]
    inner = (folder for folder in folders[1:] if folder.lower() not in _TOPICS)
    places = (*folders[:1], *inner)
    return (
        language_tag(first_text(known, _LANGUAGES))
        or _stem_and_language(source.rpartition("/")[2])[1]
        or next(filter(None, map(language_tag, places)), "")
    )
