"""Read generators' configuration files; in YAML all values but lists and mappings are text."""

import re
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any, TypeAlias

from blog_search_mcp.index.errors import describe_unexpected

Config: TypeAlias = dict[str, Any]

_LANGUAGES = {".toml": "toml", ".json": "json", ".yaml": "yaml", ".yml": "yaml", ".py": "python"}

MAX_BYTES = 256 * 1024
"""Longest file read: those of real sites stay below 50,000."""

_TIMEZONE = re.compile(r"^TIMEZONE *= *[\"']([\w/+-]+)", re.MULTILINE)
_METADATA = re.compile(r"^DEFAULT_METADATA *= *(\{[^{}]*\})", re.MULTILINE)


def read_config(path: Path, *, any_case: bool = False) -> tuple[Config, str]:
    """Return the settings of a TOML, JSON or YAML file, or why it cannot be read.

    Names that know no case (`any_case`) are put in lower case.
    """
    try:
        value = _parse_config(path)
        value = _lower_names(value) if any_case else value
        repr(value)  # raises ValueError for a number of more digits than Python writes
    except Exception as error:  # PyYAML raises whatever making a value of text does
        return {}, describe_unexpected(error)
    return (value, "") if isinstance(value, dict) else ({}, "")


def _parse_config(path: Path) -> object:
    """Parse a file; of Pelican's program what it gives to all posts is read off the text."""
    language = _LANGUAGES.get(path.suffix)
    if language is None or not path.is_file():
        return None
    from blog_search_mcp.index.posts.text import parse_fields, salvage_fields  # 15 ms

    with path.open("rb") as file:
        content = file.read(MAX_BYTES + 1)
    if language == "python":
        text = content.decode(errors="replace")
        zone, fields = _TIMEZONE.search(text), _METADATA.search(text)
        return {**salvage_fields(fields[1] if fields else ""), "timezone": zone[1] if zone else ""}
    if len(content) > MAX_BYTES:
        raise ValueError(f"it is larger than {MAX_BYTES // 1024} KB")
    return parse_fields(content.decode("utf-8-sig"), language, loader=_make_loader())


@cache
def _make_loader() -> type[Any]:
    """Make a loader of YAML that reads what a program makes, as MkDocs' `!ENV`, as `...`."""
    from blog_search_mcp.index.posts.text import StringLoader

    class Loader(StringLoader): ...

    for tag in ("!", "tag:yaml.org,2002:python/"):
        Loader.add_multi_constructor(tag, lambda _loader, _tag, _node: ...)
    return Loader


def _lower_names(value: object) -> object:
    if not isinstance(value, Mapping):
        return value
    return {str(name).lower(): _lower_names(inner) for name, inner in value.items()}


def get_map(config: Mapping[str, Any], *names: str) -> Mapping[str, Any]:
    """Return the mapping at a path of names, an empty one if there is none."""
    value: Any = config
    for name in names:
        value = value.get(name) if isinstance(value, Mapping) else None
    return value if isinstance(value, Mapping) else {}


def get_text(config: Mapping[str, Any], name: str) -> str:
    """Return a stripped string, `""` if the value is none."""
    value = config.get(name)
    return value.strip() if isinstance(value, str) else ""


def list_texts(value: object) -> list[str]:
    """Return the stripped strings of a list, or one that stands for a list of it."""
    items = value if isinstance(value, list) else [value]
    return [text for item in items if isinstance(item, str) and (text := item.strip())]


def list_maps(value: object) -> list[Mapping[str, Any]]:
    """Return the mappings of a list, none if the value is no list."""
    items = value if isinstance(value, list) else []
    return [item for item in items if isinstance(item, Mapping)]
