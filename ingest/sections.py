"""Read what sections, files of data and configurations pass down to posts.

It is recorded (`index.posts.cascades`), so that a server tells drafts as an ingest does.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING, Any

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

if TYPE_CHECKING:
    from blog_search_mcp.index.posts.text import FrontMatter
    from blog_search_mcp.ingest.sites.base import Site

MOST_ENTRIES = 100
"""Of one list; each costs a few microseconds for every post below its section."""
_TARGETS = ("path", "kind", "environment", "lang")


def read_cascades(
    content: Path, sections: Iterable[SectionFile], site: Site | None, configured: Site | None
) -> tuple[Cascade, ...]:
    """Read the sections of a content folder, those above it in its site and the configuration.

    `site` has its content folder, be it by options alone, and `configured` its configuration.

    The nearest to a post comes first. Raises ContentError for a section that cannot be read:
    going on without it could publish what the author keeps out.
    """
    prefix = site.prefix if site else ""
    root = site.content_root if site else "content/"
    drafts = site is not None and site.generator.drafts_cover_sections
    deepest_first = sorted(sections, key=lambda file: (-file.source.count("/"), file.source))
    above = _find_above(content, prefix.count("/"), prefix.removeprefix(root).count("/"))
    entries: list[dict[str, Any]] = [
        entry
        for files in (*map(list, _by_folder(deepest_first)), *above)
        for file in files
        for entry in _read_section(file, files, drafts=drafts)
    ]
    entries += _list_cascades(site.generator.cascade) if site else ()
    entries += _list_defaults(configured) if configured else ()
    entries.sort(key=lambda entry: -len(entry.get("folder", "")))
    return tuple(Cascade(**entry, prefix=prefix, root=root) for entry in entries)


def _list_defaults(site: Site) -> Iterator[dict[str, Any]]:
    """Yield what the configuration gives to posts by their place."""
    for default in site.generator.defaults:
        is_above = site.prefix.startswith(default.place)
        fields = _pick_fields(default.fields)
        if fields and (is_above or default.place.startswith(site.prefix)):
            folder = "" if is_above else default.place.removeprefix(site.prefix)
            yield {"folder": folder, "collection": default.collection, "fields": fields}


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
    front = _read_front_matter(file)
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
    from blog_search_mcp.index.posts.text import parse_fields, salvage_fields

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


def _read_front_matter(file: SectionFile) -> FrontMatter:
    from blog_search_mcp.index.posts.text import split_front_matter  # with PyYAML

    return split_front_matter(_read_text(file))


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
