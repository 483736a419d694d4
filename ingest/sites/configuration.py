"""Read the configuration of a site (YAML values as text) and the names of its authors."""

import re
from collections.abc import Iterator, Mapping
from datetime import date
from itertools import product
from pathlib import Path
from typing import Any, TypeAlias

from blog_search_mcp.index.errors import ContentError, UnreadablePost, describe_unexpected
from blog_search_mcp.index.text.languages import language_tag
from blog_search_mcp.ingest.foreign_files import decode_settings, read_if_there
from blog_search_mcp.ingest.posts.metadata import normalize_name, normalize_names
from blog_search_mcp.ingest.posts.paths import NAMES
from blog_search_mcp.ingest.posts.walk import LEVELS_ABOVE

Config: TypeAlias = dict[str, Any]
_SYNTAXES = {".toml": "toml", ".json": "json", ".yaml": "yaml", ".yml": "yaml"}


def read_config(folder: Path, name: str, *, any_case: bool = False) -> tuple[Config, str]:
    """Return a TOML, JSON or YAML file's settings and `""`, or `{}` and why it is unreadable.

    A file that is missing or no mapping gives `{}` and `""`. `any_case` puts names in lower case.
    """
    try:
        value = _parse_config(folder, name)
        value = _lower_names(value) if any_case else value
    except UnreadablePost as error:
        return {}, str(error)
    except Exception as error:  # PyYAML raises any error of making a value from text
        return {}, describe_unexpected(error)
    return (value, "") if isinstance(value, dict) else ({}, "")


def _parse_config(folder: Path, name: str) -> object:
    """Parse a file, if any. YAML values with a program's tag (`!ENV`) become `Ellipsis`."""
    syntax = _SYNTAXES.get(Path(name).suffix)
    if syntax is None or (data := read_if_there(folder, name)) is None:
        return None
    from blog_search_mcp.ingest.posts import front_matter  # takes 15 ms

    text = re.sub("\r\n?", "\n", decode_settings(data))

    class Loader(front_matter.StringLoader): ...

    for tag in ("!", "tag:yaml.org,2002:python/"):
        Loader.add_multi_constructor(tag, lambda _loader, _tag, _node: ...)
    return front_matter.parse_fields(text, syntax, loader=Loader)


def read_settings(folder: Path, name: str) -> str:
    """Read a file that may keep posts back, `""` if there is none. Raises ContentError."""
    from blog_search_mcp.ingest.posts.front_matter import decode

    try:
        return decode(read_if_there(folder, name) or b"")[0]
    except UnreadablePost as error:
        raise ContentError(f"{name}, which may keep back posts, is unusable: {error}.") from error


def _lower_names(value: object) -> object:
    if not isinstance(value, Mapping):
        return value
    named = normalize_names(value, str.lower)
    return {name: _lower_names(inner) for name, inner in named.items()}


_PLACES = ("", "_data/", "data/", "*/", "*/*/")
_AUTHOR_FILES = [f"{place}{mark}authors.*" for place, mark in product(_PLACES, ("", ".", "_"))]


def read_authors(content: Path) -> dict[str, str]:
    """Return the names of authors by key; if two files have a key, the nearer to the posts counts.

    Docusaurus has authors in `authors.yml`, Material for MkDocs in `.authors.yml`, Jekyll's themes
    in `_data/authors.yml`, Hugo's in `data/authors.toml`, other programs in JSON.
    """
    names: dict[str, str] = {}
    above = product(content.parents[:LEVELS_ABOVE], _AUTHOR_FILES[: -2 * 3])
    for folder, file in (*product([content], _AUTHOR_FILES), *above):
        for path in sorted(folder.glob(file)):
            config, _ = read_config(folder, path.relative_to(folder).as_posix())
            for key, value in {**config, **get_map(config, "authors")}.items():
                if name := get_text(
                    value if isinstance(value, Mapping) else {"name": value}, "name"
                ):
                    names.setdefault(str(key), name)
    return names


_LANGUAGE_SETTINGS = NAMES["languages"].split()
"""Settings of generators and plugins that name the languages of a site."""


def list_languages(config: object, name: str = "") -> Iterator[str]:
    """Yield the language tags in settings of languages, at any depth."""
    values = config if isinstance(config, Mapping | list) else [config]
    if normalize_name(name) in _LANGUAGE_SETTINGS:
        yield from filter(None, (language_tag(v) for v in values if isinstance(v, str)))
    for value in values if isinstance(config, Mapping | list) else ():
        inner, key = (config[value], str(value)) if isinstance(config, Mapping) else (value, name)
        if isinstance(inner, Mapping | list) or key != name:
            yield from list_languages(inner, key)


def find_setting(config: Config, path: str) -> object:
    """Return the setting at a path of names such as `params.title`, `None` if there is none."""
    value: object = config
    for name in path.split("."):
        value = value.get(name) if isinstance(value, Mapping) else None
    return value


def get_map(values: Mapping[str, Any], name: str) -> Mapping[str, Any]:
    """Return the value of this name if it is a mapping, else an empty mapping."""
    value = values.get(name)
    return value if isinstance(value, Mapping) else {}


def get_text(values: Mapping[str, Any], name: str) -> str:
    """Return the value of this name as stripped text; `""` for a list, a mapping or none."""
    value = values.get(name)
    return str(value).strip() if isinstance(value, str | int | float | date) else ""


def list_texts(value: object) -> list[str]:
    """Return the stripped strings of a list; a single string counts as a list of one."""
    items = value if isinstance(value, list) else [value]
    return [text for item in items if isinstance(item, str) and (text := item.strip())]


def list_maps(value: object) -> list[Mapping[str, Any]]:
    """Return the mappings in a list; any other value gives an empty list."""
    items = value if isinstance(value, list) else []
    return [item for item in items if isinstance(item, Mapping)]
