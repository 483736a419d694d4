"""Read what sections, files of data and configurations pass down to posts.

It is recorded (`index.posts.cascades`), so that a server tells drafts as an ingest does.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path
from typing import Any

from blog_search_mcp.index.errors import ContentError, UnreadablePost
from blog_search_mcp.index.posts.cascades import Cascade, Value, language_of_name
from blog_search_mcp.index.posts.metadata import (
    Fields,
    normalize_name,
    normalize_names,
    to_text,
)
from blog_search_mcp.index.posts.visibility import INHERITED, keeps_back
from blog_search_mcp.index.posts.walk import SectionFile, is_data, is_section, read_file

MOST_ENTRIES = 100
"""Of one list; each costs a few microseconds for every post below its section."""
_TARGETS = ("path", "kind", "environment", "lang")


@dataclass(frozen=True, slots=True)
class SiteFields:
    """What a site's configuration says of the fields of its posts, and where they lie in it."""

    prefix: str = ""
    """Place of the content folder in the site, with `/` at the end; `""` if it is the site's."""
    root: str = "content/"
    """The site's content folder of which this is a part, likewise."""
    drafts_cover_sections: bool = False
    """Whether a section that is a draft makes drafts of all that is below it."""
    cascade: object = None
    """What is passed down to all pages, as written."""
    defaults: Sequence[tuple[str, str | None, Fields]] = ()
    """`folder` and `collection` as in `Cascade`, and what posts there have that have no field of
    that name; the most specific first."""


def read_cascades(
    content: Path, sections: Iterable[SectionFile], site: SiteFields
) -> tuple[Cascade, ...]:
    """Read the sections of a content folder, those above it in its site and the configuration.

    The nearest to a post comes first. Raises ContentError for a section that cannot be read:
    going on without it could publish what the author keeps out.
    """
    prefix, drafts = site.prefix, site.drafts_cover_sections
    deepest_first = sorted(sections, key=lambda file: (-file.source.count("/"), file.source))
    above = _find_above(content, prefix.count("/"), prefix.removeprefix(site.root).count("/"))
    entries: list[dict[str, Any]] = [
        entry
        for files in (*map(list, _by_folder(deepest_first)), *above)
        for file in files
        for entry in _read_section(file, files, drafts=drafts)
    ]
    entries += _list_cascades(site.cascade)
    entries += [
        {"folder": folder, "collection": collection, "fields": fields}
        for folder, collection, given in site.defaults
        if (fields := _pick_fields(given))
    ]
    entries.sort(key=lambda entry: -len(entry.get("folder", "")))
    return tuple(Cascade(**entry, prefix=prefix, root=site.root) for entry in entries)


def _folder_of(source: str) -> str:
    return source[: source.rfind("/") + 1]


def _by_folder(files: Iterable[SectionFile]) -> Iterator[Iterator[SectionFile]]:
    """Part sorted files by their folders: one of two languages has two."""
    return (group for _, group in groupby(files, lambda file: _folder_of(file.source)))


def _find_above(content: Path, levels: int, sections: int) -> Iterator[list[SectionFile]]:
    """List the files of the folders above the content folder in its site, the nearest first.

    So many `levels` are in the site, and so many hold `sections`.
    """
    for level, folder in enumerate(content.resolve().parents[:levels]):
        names = sorted(path.name for path in folder.iterdir())
        yield [
            SectionFile(name, folder / name)
            for name in names
            if is_data(folder, name, ()) or (level < sections and is_section(name))
        ]


def _read_section(
    file: SectionFile, files: Iterable[SectionFile], *, drafts: bool
) -> Iterator[dict[str, Any]]:
    """Yield what a file passes down; `files` are all those of its folder."""
    if not is_section(file.path.name):
        if fields := _pick_fields(_read_data(file)):
            yield {"folder": _reach_of(file), "fields": fields}
        return
    from blog_search_mcp.index.posts.text import split_front_matter

    front = split_front_matter(_read_text(file))
    folder, known = _folder_of(file.source), normalize_names(front.fields)
    if drafts and _to_text(known.get("draft")).lower() == "true":
        yield {"folder": folder, "fields": {"draft": "true"}, "is_final": True}
    own = {
        "folder": folder,
        "language": language_of_name(file.source),
        "languages": tuple(language_of_name(each.source) for each in files),
    }
    is_kept_back = front.problem and any(keeps_back(*field) for field in front.fields.items())
    for entry in _list_cascades({"draft": "true"} if is_kept_back else known.get("cascade")):
        yield own | entry


def _reach_of(file: SectionFile) -> str:
    """Return how the sources of the posts that a file of data is for begin."""
    folder, name = _folder_of(file.source), file.path.name
    stem = name.rpartition(".")[0].removesuffix(".11tydata")
    is_of_folder = name[0] in "_." or stem == file.path.parent.name
    return folder if is_of_folder else f"{folder}{stem}."


def _read_data(file: SectionFile) -> Fields:
    """Read a file of fields, of a program or what cannot be read those that keep posts back."""
    from blog_search_mcp.index.posts.text import parse_fields, salvage_fields  # with PyYAML

    text, ending = _read_text(file), file.path.suffix
    try:
        if ending == ".json":
            fields = json.loads(text)
        elif ending in (".yml", ".yaml"):
            fields = parse_fields(text, "yaml")
        else:
            return salvage_fields(text)
    except (ValueError, RecursionError):
        return salvage_fields(text)
    return fields if isinstance(fields, Mapping) else {}


def _read_text(file: SectionFile) -> str:
    from blog_search_mcp.index.posts.text import decode

    try:
        return decode(read_file(file.path.resolve())).text
    except (UnreadablePost, OSError, RuntimeError) as error:
        is_file = isinstance(error, UnreadablePost)
        reason = str(error).partition(";")[0] if is_file else "it is a link that leads nowhere"
        raise ContentError(
            f"{file.source}, which may keep back the posts below it, cannot be used: {reason}. "
            "Correct or delete it."
        ) from error


def _list_cascades(written: object) -> Iterator[dict[str, Any]]:
    """Yield target and fields of each entry of a `cascade`, one mapping or a list of them.

    One of more than MOST_ENTRIES makes drafts of all posts.
    """
    entries = written if isinstance(written, list) else [written]
    for entry in entries if len(entries) <= MOST_ENTRIES else [{"draft": "true"}]:
        known = _name_values(entry)
        patterns = _name_values(known.get("target"))
        if fields := _pick_fields(known):
            yield {
                "fields": fields,
                "target": {name: _to_text(patterns[name]) for name in _TARGETS if name in patterns},
            }


def _pick_fields(fields: object) -> dict[str, Value]:
    """Return those of a mapping by which posts are public or not."""
    known = _name_values(fields)
    named = {name: _to_value(known[name]) for name in sorted(INHERITED & known.keys())}
    return {name: value for name, value in named.items() if value}


def _name_values(value: object) -> Fields:
    """Return a mapping under normalized names, an empty one for another value."""
    named = (
        {str(name): inner for name, inner in value.items()} if isinstance(value, Mapping) else {}
    )
    return normalize_names(named)


def _to_value(value: object) -> Value:
    if isinstance(value, Mapping):
        return {normalize_name(str(name)): _to_text(inner) for name, inner in value.items()}
    return _to_text(value)


def _to_text(value: object) -> str:
    """Make text of a value, none of a number of more digits than Python writes."""
    try:
        return to_text(value)
    except ValueError:
        return ""
