"""Read generators' configuration files, and typed values out of them.

A file that is missing or cannot be parsed, and a value of an unexpected type, count as not set:
a site without a base URL just has no links, which is no reason to fail an ingest.
"""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from blog_search_mcp.index.errors import describe_unexpected

Config = Mapping[str, Any]

_LANGUAGES = {".toml": "toml", ".json": "json", ".yaml": "yaml", ".yml": "yaml"}

MAX_BYTES = 256 * 1024
"""Longest file read: those of real sites stay below 50,000."""


def read_config(path: Path) -> dict[str, Any] | None:
    """Parse a TOML, JSON or YAML file that holds a mapping, `None` otherwise."""
    try:
        value = _parse_config(path)
    except Exception:  # PyYAML raises whatever making a value of text does
        return None
    return value if isinstance(value, dict) else None


def describe_fault(path: Path) -> str:
    """Say why a configuration cannot be read; empty if it can be, or is none."""
    try:
        _parse_config(path)
    except UnicodeDecodeError:
        return "it is not UTF-8"
    except OSError as error:
        return str(error.strerror)
    except ValueError as error:
        return " ".join(str(error).split())
    except Exception as error:
        return describe_unexpected(error)
    return ""


def _parse_config(path: Path) -> object:
    """Parse a TOML, JSON or YAML file; another has no value. Raises what its parser does."""
    language = _LANGUAGES.get(path.suffix)
    if language is None or not path.is_file():
        return None
    from blog_search_mcp.index.posts.text import parse_fields  # PyYAML takes 15 ms
    from blog_search_mcp.ingest.sites.yaml_values import ValueLoader

    with path.open("rb") as file:
        content = file.read(MAX_BYTES + 1)
    if len(content) > MAX_BYTES:
        raise ValueError(f"it is larger than {MAX_BYTES // 1024} KB")
    return parse_fields(content.decode("utf-8-sig"), language, loader=ValueLoader)


def read_first_config(folder: Path, *names: str) -> dict[str, Any] | None:
    """Parse the first of the named files that holds a non-empty mapping."""
    return next(filter(None, (read_config(folder / name) for name in names)), None)


def lower_keys(config: Config) -> Config:
    """Return the mapping with its keys in lower case."""
    return {str(name).lower(): value for name, value in config.items()}


def get_map(value: object, *names: str) -> Config:
    """Return the mapping at a path of keys, an empty one if there is none."""
    for name in names:
        value = value.get(name) if isinstance(value, Mapping) else None
    return value if isinstance(value, Mapping) else {}


def list_texts(value: object) -> list[str]:
    """Return the stripped strings of a list, or one that stands for a list of it."""
    items = value if isinstance(value, list) else [value]
    return [text for item in items if isinstance(item, str) and (text := item.strip())]


def get_text(config: Config, name: str) -> str:
    """Return a stripped string, `""` if the value is none."""
    value = config.get(name)
    return value.strip() if isinstance(value, str) else ""
