"""Read generators' configuration files, and typed values out of them.

A file that is missing or cannot be parsed, and a value of an unexpected type, count as not set:
a site without a base URL just has no links, which is no reason to fail an ingest.
"""

import json
import tomllib
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

Config = Mapping[str, Any]


def read_config(path: Path) -> dict[str, Any] | None:
    """Parse a TOML, JSON or YAML file that holds a mapping, `None` otherwise."""
    parse = _PARSERS.get(path.suffix)
    if parse is None or not path.is_file():
        return None
    try:
        value = parse(path.read_text(encoding="utf-8-sig"))
    except (OSError, ValueError, RecursionError):
        return None
    return value if isinstance(value, dict) else None


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


def get_text(config: Config, name: str) -> str:
    """Return a stripped string, `""` if the value is none."""
    value = config.get(name)
    return value.strip() if isinstance(value, str) else ""


def _parse_yaml(text: str) -> object:
    import yaml  # only for sites configured in YAML

    try:
        return yaml.safe_load(text)
    except yaml.YAMLError as error:
        raise ValueError("not YAML") from error


_PARSERS: dict[str, Callable[[str], object]] = {
    ".toml": tomllib.loads,
    ".json": json.loads,
    ".yaml": _parse_yaml,
    ".yml": _parse_yaml,
}
