"""Read the fields that sections, data files and the configuration of a site pass down to posts."""

from collections.abc import Iterator, Sequence
from contextlib import suppress
from datetime import datetime
from pathlib import Path
from typing import Any, TypeAlias

from blog_search_mcp.ingest.posts.cascades import Cascade, Value
from blog_search_mcp.ingest.posts.metadata import normalize_names, to_text
from blog_search_mcp.ingest.posts.paths import parse_file
from blog_search_mcp.ingest.posts.visibility import INHERITED, check_visibility, keeps_back
from blog_search_mcp.ingest.posts.walk import Walk, is_data, is_section
from blog_search_mcp.ingest.sites.configuration import read_settings
from blog_search_mcp.ingest.sites.generator import Generator
from blog_search_mcp.ingest.sites.hugo import Hugo
from blog_search_mcp.ingest.sites.known_generators import Zola

_CascadeEntry: TypeAlias = dict[str, Any]


def read_cascades(
    content: Path, walked: Walk, generator: Generator, now: datetime
) -> tuple[Cascade, ...]:
    """Read the cascades of the content folder, of the folders above it and of the configuration.

    The cascade nearest to a post comes first. Raises ContentError for an unreadable file, since its
    author may not want the posts below it to be public.
    """
    sections = [*walked.sections]
    if isinstance(generator, Hugo | Zola):
        sections += _list_bundles([file.source for file in walked.files])
    prefix = generator.prefix
    roots = (f"{folder}/" for folder in generator.list_folders())
    root = next((root for root in roots if prefix.startswith(root)), "content/")
    nearest = sorted(sections, key=lambda source: (-source.count("/"), source))
    files = [(content.resolve(), source) for source in nearest]
    files += ((path.parent, path.name) for path in _find_above(content, prefix, root))
    is_zola = isinstance(generator, Zola)
    entries = [entry for file in files for entry in _read_section(*file, now, is_zola)]
    entries += _list_cascades(generator.config.get("cascade"))
    for place, collection, fields in generator.list_defaults():
        if place.startswith(prefix) or prefix.startswith(place):
            folder = place.removeprefix(prefix) if place.startswith(prefix) else ""
            picked = _pick_fields(fields)
            entries.append({"folder": folder, "collection": collection, "fields": picked})
    entries.sort(key=lambda entry: -len(entry.get("folder", "")))
    filled = (entry for entry in entries if entry["fields"])
    return tuple(Cascade(**entry, prefix=prefix, root=root) for entry in filled)


def _find_above(content: Path, prefix: str, root: str) -> Iterator[Path]:
    """Yield the site's data files above `content`, and sections from `root` on, nearest first."""
    sections = prefix.removeprefix(root).count("/")
    for level, folder in enumerate(content.resolve().parents[: prefix.count("/")]):
        for path in sorted(folder.iterdir()):
            if is_data(folder, path.name, ()) or (level < sections and is_section(path.name)):
                yield path


def _list_bundles(sources: Sequence[str]) -> Iterator[str]:
    """Yield each `index` file, not at the top, with posts beside or below it: parts of its page.

    `sources` are sorted. Hugo: https://gohugo.io/content-management/page-bundles/#leaf-bundles.
    """
    for before, source, after in zip(("", *sources), sources, (*sources[1:], ""), strict=False):
        n = source.rfind("/") + 1
        if n and source[:n] in (before[:n], after[:n]) and parse_file(source).index == "index":
            yield source


def _read_section(
    content: Path, source: str, now: datetime, is_zola: bool
) -> Iterator[_CascadeEntry]:
    """Yield the entries of a bundle's page, data file or section. Raises ContentError.

    Fields of a hidden page replace those of its parts; a draft section of Zola hides its posts.
    """
    from blog_search_mcp.ingest.posts.front_matter import split_front_matter  # imports PyYAML

    folder, path = source[: source.rfind("/") + 1], content / source
    text = read_settings(content, source)
    if parse_file(path.name).index == "index":
        fields = normalize_names(split_front_matter(text).fields)
        kept = {"is_final": check_visibility(fields, source, now)[0] is not None}
        yield {"folder": folder, "target": {"kind": "part"}, "fields": _pick_fields(fields), **kept}
        return
    if not is_section(path.name):
        stem = path.stem.removesuffix(".11tydata")
        place = "" if path.name[0] in "_." or stem == path.parent.name else f"{stem}."
        yield {"folder": folder + place, "fields": _pick_fields(_read_data(text, path.suffix))}
        return
    front = split_front_matter(text)
    fields = normalize_names(front.fields)
    if is_zola and to_text(fields.get("draft")).lower() == "true":
        yield {"folder": folder, "fields": {"draft": "true"}, "is_final": True}
    is_kept_back = front.problem and any(keeps_back(*field) for field in front.fields.items())
    for entry in _list_cascades({"draft": "true"} if is_kept_back else fields.get("cascade")):
        yield {"folder": folder, **entry}


def _read_data(text: str, ending: str) -> object:
    """Parse a data file. If it is a program or broken, salvage the fields that keep posts back."""
    from blog_search_mcp.ingest.posts import front_matter

    if ending == ".meta":
        return front_matter.split_front_matter(text).fields
    if ending in (".json", ".yml", ".yaml"):
        with suppress(ValueError):
            return front_matter.parse_fields(text, "json" if ending == ".json" else "yaml")
    return front_matter.salvage_fields(text)


def _list_cascades(setting: object) -> Iterator[_CascadeEntry]:
    """Yield the fields and target of each entry of a `cascade`: a mapping, or a list of these."""
    for entry in setting if isinstance(setting, list) else [setting]:
        values = normalize_names(entry)
        target = normalize_names(values.get("target")).items()
        yield {"fields": _pick_fields(values), "target": {n: to_text(v) for n, v in target}}


def _pick_fields(fields: object) -> dict[str, Value]:
    values = normalize_names(fields)
    texts = {name: _to_value(values[name]) for name in sorted(INHERITED & values.keys())}
    return {name: value for name, value in texts.items() if value}


def _to_value(value: object) -> Value:
    inner = normalize_names(value)
    return {name: to_text(each) for name, each in inner.items()} if inner else to_text(value)
