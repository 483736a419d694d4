"""Read what a site's sections pass down to their posts (`index.content.sections`)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING, Any

from blog_search_mcp.index.content.sections import Cascade, Value, language_of_name
from blog_search_mcp.index.content.walk import SectionFile, is_section, read_file
from blog_search_mcp.index.documents.metadata import (
    VISIBILITY_FIELDS,
    Fields,
    normalize_names,
    to_text,
)
from blog_search_mcp.index.errors import ContentError, UnreadablePost

if TYPE_CHECKING:
    from blog_search_mcp.index.documents.text import FrontMatter
    from blog_search_mcp.ingest.sites.base import Site

MOST_ENTRIES = 100
"""Of one list; each costs a few microseconds for every post below its section."""
_TARGETS = ("path", "kind", "environment", "lang")


def read_cascades(
    content: Path, sections: Iterable[SectionFile], site: Site | None
) -> tuple[Cascade, ...]:
    """Read the sections of a content folder, those above it in its site and the configuration.

    The nearest to a post comes first. Raises ContentError for a section that cannot be read:
    going on without it could publish what the author keeps out.
    """
    prefix = site.prefix if site else ""
    root = site.content_root if site else "content/"
    drafts = site is not None and site.generator.drafts_cover_sections
    deepest_first = sorted(sections, key=lambda file: (-file.source.count("/"), file.source))
    above = _find_above(content, prefix.removeprefix(root).count("/"))
    entries = [
        entry
        for files in (*map(list, _by_folder(deepest_first)), *above)
        for file in files
        for entry in _read_section(file, files, drafts=drafts)
    ]
    entries += _list_cascades(site.generator.cascade if site else None)
    return tuple(Cascade(**entry, prefix=prefix, root=root) for entry in entries)


def _folder_of(source: str) -> str:
    return source[: source.rfind("/") + 1]


def _by_folder(files: Iterable[SectionFile]) -> Iterator[Iterator[SectionFile]]:
    """Part sorted files by their folders: one of two languages has two."""
    return (group for _, group in groupby(files, lambda file: _folder_of(file.source)))


def _find_above(content: Path, levels: int) -> Iterator[list[SectionFile]]:
    """List the sections that the content folder lies in, the nearest first."""
    for folder in content.resolve().parents[:levels]:
        paths = sorted(folder.glob("_index.*"))
        yield [SectionFile(path.name, path) for path in paths if is_section(path.name)]


def _read_section(
    file: SectionFile, files: Iterable[SectionFile], *, drafts: bool
) -> Iterator[dict[str, Any]]:
    """Yield what a section's file passes down; `files` are all those of the section."""
    front = _read_front_matter(file)
    folder, known = _folder_of(file.source), normalize_names(front.fields)
    if drafts and _to_text(known.get("draft")).lower() == "true":
        yield {"folder": folder, "fields": {"draft": "true"}, "is_final": True}
    own = {
        "folder": folder,
        "language": language_of_name(file.source),
        "languages": tuple(language_of_name(each.source) for each in files),
    }
    is_kept_back = front.problem is not None and "draft" in known
    for entry in _list_cascades({"draft": "true"} if is_kept_back else known.get("cascade")):
        yield own | entry


def _read_front_matter(file: SectionFile) -> FrontMatter:
    from blog_search_mcp.index.documents.text import decode, split_front_matter  # with PyYAML

    try:
        return split_front_matter(decode(read_file(file.path.resolve())).text)
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
        fields = {name: _to_value(known[name]) for name in VISIBILITY_FIELDS if name in known}
        patterns = _name_values(known.get("target"))
        if fields:
            yield {
                "fields": fields,
                "target": {name: _to_text(patterns[name]) for name in _TARGETS if name in patterns},
            }


def _name_values(value: object) -> Fields:
    """Return a mapping under normalized names, an empty one for another value."""
    named = (
        {str(name): inner for name, inner in value.items()} if isinstance(value, Mapping) else {}
    )
    return normalize_names(named)


def _to_value(value: object) -> Value:
    if isinstance(value, Mapping):
        return {str(name): _to_text(inner) for name, inner in value.items()}
    return _to_text(value)


def _to_text(value: object) -> str:
    """Make text of a value, none of a number of more digits than Python writes."""
    try:
        return to_text(value)
    except ValueError:
        return ""
