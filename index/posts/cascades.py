"""What sections, data files and configurations pass down to posts.

Hugo gives what stands under `cascade` in a section's `_index.md` or in its configuration to every
page there that has no field of that name itself, the nearest section first
(https://gohugo.io/content-management/front-matter/#cascade-1); the section's own page counts as
one of them. Zola builds nothing below a section that is a draft. An ingest records what is passed
down, so that the next one sees where it changed.

Where it is not sure whether a post is meant it is: one that is public by mistake cannot be called
back.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any, TypeAlias

from pydantic import BaseModel, ConfigDict

from blog_search_mcp.index.errors import ContentError, UnreadablePost
from blog_search_mcp.index.posts.ignores import compile_rules, decide, leaves_out
from blog_search_mcp.index.posts.metadata import Fields, normalize_names, split_language, to_text
from blog_search_mcp.index.posts.visibility import INHERITED, keeps_back
from blog_search_mcp.index.posts.walk import is_data, is_section, read_file

Value: TypeAlias = str | dict[str, str]

_BRACES = re.compile(r"\{([^{}]*)\}")
MOST_BRACES = 4
"""Of a pattern whose alternatives are written out; one of more matches everything."""


class Cascade(BaseModel):
    """Fields that one section passes down; two that are equal pass down the same."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    fields: dict[str, Value]
    """By normalized names: those alone by which a post is public or not."""
    folder: str = ""
    """Of the section, as sources begin: with `/` at the end, `""` for the content folder."""
    is_final: bool = False
    """Whether a post's own fields of these names count for nothing."""
    target: dict[str, str] = {}
    """Patterns of `path`, `kind` and `environment`, all of which a post must match."""
    collection: str | None = None
    """That of Jekyll's, by its folder, which a post must be of; `""` for pages, `None` for all."""
    prefix: str = ""
    """Put before a source makes it a path in the site."""
    root: str = ""
    """The part of that path which `path` does not begin with."""


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


def cascades_of(cascades: Iterable[Cascade], source: str) -> tuple[Cascade, ...]:
    """Return those that reach a post, in their order."""
    return tuple(cascade for cascade in cascades if _reaches(cascade, source))


def apply_cascades(fields: Fields, cascades: Sequence[Cascade]) -> Fields:
    """Put under a post's fields what the cascades that reach it pass down, the nearest first."""
    named = normalize_names(fields)
    for cascade in cascades:
        for name, value in cascade.fields.items():
            nearer = named.get(name)
            if cascade.is_final or name not in named:
                named[name] = value
            elif isinstance(value, dict) and isinstance(nearer, Mapping):
                named[name] = {**value, **_name_values(nearer)}
    return named


def _reaches(cascade: Cascade, source: str) -> bool:
    folders, _, name = (cascade.prefix + source).rpartition("/")
    collection = next((folder for folder in folders.split("/") if folder.startswith("_")), "")
    if not source.startswith(cascade.folder) or cascade.collection not in (None, collection):
        return False
    stem, _ = split_language(name)
    place = f"{folders}/" if stem in ("index", "_index") else f"{folders}/{stem}"
    path = "/" + place.lstrip("/").removeprefix(cascade.root).strip("/").lower().replace(" ", "-")
    kind = "/page" if stem != "_index" else "/section" if path != "/" else "/home"
    # That of `hugo` without options, which builds what is published.
    values = {"path": path, "kind": kind, "environment": "/production"}
    named = cascade.target.keys() & values
    return all(_matches(cascade.target[name].lower(), values[name]) for name in named)


@lru_cache(maxsize=1000)
def _matches(pattern: str, text: str) -> bool:
    """Whether a pattern of Hugo's names a page; one that cannot be read names every page."""
    if (group := _BRACES.search(pattern)) and pattern.count("{") <= MOST_BRACES:
        before, after = pattern[: group.start()], pattern[group.end() :]
        return any(_matches(before + part + after, text) for part in group[1].split(","))
    if "{" in pattern:
        return True
    if not pattern.strip("/*"):
        return text == "/" or "*" in pattern
    rules = compile_rules([f"/{pattern.strip('/').removesuffix('/**')}"])
    is_met = leaves_out if pattern.endswith("/**") else decide
    return bool(is_met(rules, text[1:]))


def read_cascades(content: Path, sections: Iterable[str], site: SiteFields) -> tuple[Cascade, ...]:
    """Read the sections of a content folder, those above it in its site and the configuration.

    The nearest to a post comes first. Raises ContentError for a section that cannot be read:
    going on without it could publish what the author keeps out.
    """
    nearest = sorted(sections, key=lambda source: (-source.count("/"), source))
    files = [(source, content.resolve() / source) for source in nearest]
    files += ((path.name, path) for path in _find_above(content, site))
    entries = [entry for source, path in files for entry in _read_section(source, path, site)]
    entries += _list_cascades(site.cascade)
    for folder, collection, fields in site.defaults:
        entries.append({"folder": folder, "collection": collection, "fields": _pick_fields(fields)})
    entries.sort(key=lambda entry: -len(entry.get("folder", "")))
    given = (entry for entry in entries if entry["fields"])
    return tuple(Cascade(**entry, prefix=site.prefix, root=site.root) for entry in given)


def _find_above(content: Path, site: SiteFields) -> Iterator[Path]:
    """List the files of the folders above the content folder in its site, the nearest first."""
    sections = site.prefix.removeprefix(site.root).count("/")
    for level, folder in enumerate(content.resolve().parents[: site.prefix.count("/")]):
        for path in sorted(folder.iterdir()):
            if is_data(folder, path.name, ()) or (level < sections and is_section(path.name)):
                yield path


def _read_section(source: str, path: Path, site: SiteFields) -> Iterator[dict[str, Any]]:
    """Yield what a file passes down."""
    from blog_search_mcp.index.posts.text import decode, split_front_matter  # with PyYAML

    folder = source[: source.rfind("/") + 1]
    try:
        text, *_ = decode(read_file(path))
    except UnreadablePost as error:
        raise ContentError(
            f"{source}, which may keep back the posts below it, cannot be used: {error}."
        ) from error
    if not is_section(path.name):
        stem = path.stem.removesuffix(".11tydata")
        place = "" if path.name[0] in "_." or stem == path.parent.name else f"{stem}."
        yield {"folder": folder + place, "fields": _pick_fields(_read_data(text, path.suffix))}
        return
    front = split_front_matter(text)
    named = normalize_names(front.fields)
    if site.drafts_cover_sections and to_text(named.get("draft")).lower() == "true":
        yield {"folder": folder, "fields": {"draft": "true"}, "is_final": True}
    is_kept_back = front.problem and any(keeps_back(*field) for field in front.fields.items())
    for entry in _list_cascades({"draft": "true"} if is_kept_back else named.get("cascade")):
        yield {"folder": folder, **entry}


def _read_data(text: str, ending: str) -> Fields:
    """Read a file of fields, of a program or what cannot be read those that keep posts back."""
    from blog_search_mcp.index.posts.text import parse_fields, salvage_fields

    if ending in (".json", ".yml", ".yaml"):
        with suppress(ValueError):
            fields = parse_fields(text, "json" if ending == ".json" else "yaml")
            return fields if isinstance(fields, Mapping) else {}
    return salvage_fields(text)


def _list_cascades(written: object) -> Iterator[dict[str, Any]]:
    """Yield target and fields of each entry of a `cascade`, one mapping or a list of them."""
    for entry in written if isinstance(written, list) else [written]:
        named = _name_values(entry)
        target = _name_values(named.get("target")).items()
        texts = {name: to_text(value) for name, value in target}
        yield {"fields": _pick_fields(named), "target": texts}


def _pick_fields(fields: object) -> dict[str, Value]:
    """Return those of a mapping by which posts are public or not."""
    values = _name_values(fields)
    named = {name: _to_value(values[name]) for name in sorted(INHERITED & values.keys())}
    return {name: value for name, value in named.items() if value}


def _name_values(value: object) -> dict[str, object]:
    """Return a mapping under normalized names, an empty one for another value."""
    named = value.items() if isinstance(value, Mapping) else ()
    return normalize_names({str(name): inner for name, inner in named})


def _to_value(value: object) -> Value:
    inner = _name_values(value)
    return {name: to_text(each) for name, each in inner.items()} if inner else to_text(value)
