"""The names of a site's authors by the keys that its posts have for them.

Docusaurus has them in `authors.yml`, Material for MkDocs in `.authors.yml`, Jekyll's themes in
`_data/authors.yml`, Hugo's in `data/authors.toml`, others as JSON.
"""

from collections.abc import Iterator, Mapping
from itertools import product
from pathlib import Path

from blog_search_mcp.index.posts.walk import LEVELS_ABOVE
from blog_search_mcp.ingest.sites.settings import Config, get_map, get_text, read_config

_PLACES = ("", "_data/", "data/", "*/", "*/*/")
_FILES = [f"{place}{dot}authors.*" for place, dot in product(_PLACES, ("", ".", "_"))]


def read_authors(content: Path) -> dict[str, str]:
    """Return the names by key, from the content folder and those above it, the nearest first."""
    names: dict[str, str] = {}
    paths = [path for file in _FILES for path in sorted(content.glob(file))]
    for above, file in product(content.parents[:LEVELS_ABOVE], _FILES[: -2 * 3]):
        paths += sorted(above.glob(file))
    for path in paths:
        for key, name in _list_names(read_config(path)[0]):
            names.setdefault(key, name)
    return names


def _list_names(config: Config) -> Iterator[tuple[str, str]]:
    for key, value in {**config, **get_map(config, "authors")}.items():
        name = get_text(value, "name") if isinstance(value, Mapping) else get_text(config, key)
        if name:
            yield str(key), name
