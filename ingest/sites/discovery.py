"""A content folder and two options come in; the site that shows it goes out, if it is known.

The one place that looks for a generator's configuration: in the content folder and up to
three folders above it, the nearest one first. What is found there is understood by
`ingest.sites.config`.
"""

from __future__ import annotations

import json
import tomllib
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from blog_search_mcp.index.errors import UsageError
from blog_search_mcp.ingest.sites import config as site_config
from blog_search_mcp.ingest.sites.base import Anchors, Site, SiteGenerator
from blog_search_mcp.ingest.sites.hexo import Hexo
from blog_search_mcp.ingest.sites.hugo import Hugo
from blog_search_mcp.ingest.sites.jekyll import STYLES, Jekyll
from blog_search_mcp.ingest.sites.zola import Zola

PRESETS: dict[str, tuple[SiteGenerator, Anchors]] = {
    "hugo": (Hugo(), Anchors("goldmark")),
    "jekyll": (Jekyll(), Anchors("gfm")),
    "hexo": (Hexo(), Anchors("marked")),
    "zola": (Zola(), Anchors("zola")),
}
"""Each generator as it is without configuration."""

PLAIN: tuple[SiteGenerator, Anchors] = (Hugo(dated_names=True, titles=False), Anchors("goldmark"))
"""A pattern of no known generator: Hugo's tokens, but files with a day in their names have it
as their date and `:slug` is the file's name where the post has none."""


def read_permalink(permalink: str) -> tuple[str, str]:
    """Split it into a generator's name and a pattern; each may be `""`. Raises UsageError."""
    name, colon, pattern = permalink.partition(":")
    if name in PRESETS:
        return name, pattern
    if permalink in STYLES:
        return "jekyll", permalink
    if permalink and not (colon or "/" in permalink):
        raise UsageError(
            f"--permalink {permalink} is neither a generator ({', '.join(PRESETS)}) nor a pattern."
        )
    return "", permalink


def with_pattern(rules: SiteGenerator, pattern: str) -> SiteGenerator:
    """The rules with this pattern for every post. Raises UsageError if they have none."""
    match rules:
        case Hugo():
            return replace(rules, patterns=(("*", pattern),))
        case Jekyll():
            return replace(rules, permalink=pattern, patterns=())
        case Hexo():
            return replace(rules, permalink=pattern)
        case _:
            raise UsageError("Zola has no permalink patterns; give --permalink zola alone.")


ABOVE = 3
"""Folders above the content folder: Hexo's `site/source/_posts` and one for a topic in it."""

_HUGO = ("hugo.toml", "hugo.yaml", "hugo.yml", "hugo.json")
_OLD_HUGO = ("config.toml", "config.yaml", "config.yml", "config.json")
_HUGO_KEYS = {"baseurl", "languagecode", "defaultcontentlanguage", "permalinks"}
"""One of these tells a Hugo configuration from another program's of that name."""
_Found = tuple[str, SiteGenerator, Anchors]


def find_site(content: Path, base_url: str = "", permalink: str = "") -> Site | None:
    """The site of `content`, by its configuration and what the options put in its place.

    `permalink` names a generator, a pattern, or both as `hugo:/:section/:slug/`. `None` if
    there is no base URL. Raises UsageError if the options cannot be meant.
    """
    if base_url and not _is_web(base_url):
        raise UsageError(
            f"--base-url {base_url} is no address; give one such as https://example.org/blog."
        )
    name, pattern = read_permalink(permalink)
    site = _configured(content.resolve(), name) or _assumed(content, name, pattern)
    if site is None and base_url:
        raise UsageError(
            "--base-url alone does not tell how links are made, and no site configuration was "
            "found: add --permalink with a generator or a pattern."
        )
    base = base_url or (site.base_url if site else "")
    if site is None or not _is_web(base):
        if permalink:
            raise UsageError("--permalink needs --base-url: no site configuration names one.")
        return None
    rules = with_pattern(site.rules, pattern) if pattern else site.rules
    return replace(site, base_url=base.rstrip("/"), rules=rules)


def _is_web(url: str) -> bool:
    try:
        parts = urlsplit(url)
    except ValueError:
        return False
    return parts.scheme in ("http", "https") and bool(parts.hostname)


def _assumed(content: Path, name: str, pattern: str) -> Site | None:
    """The site where no configuration tells it; without a base URL yet."""
    if not (name or pattern):
        return None
    has_posts = content.name == "_posts" or (content / "_posts").is_dir()
    rules, anchors = PRESETS[name or "jekyll"] if name or has_posts else PLAIN
    return Site("", rules, anchors, _assumed_prefix(content, rules))


def _assumed_prefix(content: Path, rules: SiteGenerator) -> str:
    """Where a content folder is taken to lie if it is not below a known site."""
    match rules:
        case Jekyll():
            return "" if any(content.glob("**/_posts")) else "_posts/"
        case Hexo():
            if (content / "source").is_dir():
                return ""
            return "source/" if (content / "_posts").is_dir() else "source/_posts/"
        case _:
            return "" if (content / "content").is_dir() else "content/"


def _below(root: Path, content: Path) -> str:
    inside = content.relative_to(root).as_posix()
    return "" if inside == "." else inside + "/"


def _configured(content: Path, name: str) -> Site | None:
    """The site by the nearest configuration there is, if it is of the generator `name`."""
    for folder in (content, *content.parents[:ABOVE]):
        for read in (_hugo, _zola, _underscored):
            if found := read(folder):
                base, rules, anchors = found
                is_asked = not name or type(rules) is type(PRESETS[name][0])
                return Site(base, rules, anchors, _below(folder, content)) if is_asked else None
    return None


def _hugo(folder: Path) -> _Found | None:
    config: dict[str, Any] = {}
    for place in (folder / "config" / "_default", folder / "config" / "production"):
        for path in sorted(place.glob("*.*")):
            part = _read(path) or {}
            config |= part if path.stem in ("hugo", "config") else {path.stem: part}
    config = {**(_first(folder, _HUGO) or _first(folder, _OLD_HUGO) or {}), **config}
    if not _HUGO_KEYS & {name.lower() for name in config}:
        return None
    found = site_config.hugo(config)
    if ":section" not in str(found[1].patterns):
        return found
    return site_config.hugo(config, _sections(folder / found[1].contents[-1][1]))


def _sections(content: Path) -> tuple[str, ...]:
    folders = {path.parent.relative_to(content).as_posix() for path in content.rglob("_index.*")}
    return tuple(sorted(folders - {"."}))


def _zola(folder: Path) -> _Found | None:
    config = _first(folder, ("zola.toml", "config.toml")) or {}
    return site_config.zola(config) if "base_url" in config else None


def _underscored(folder: Path) -> _Found | None:
    """Jekyll's or Hexo's `_config.yml`."""
    config = _first(folder, ("_config.yml", "_config.yaml"))
    if config is None:
        return None
    package = _read(folder / "package.json") or {}
    if _is_hexo(folder, config, package):
        return site_config.hexo(config, package)
    return site_config.jekyll(config)


def _is_hexo(folder: Path, config: Mapping[str, Any], package: Mapping[str, Any]) -> bool:
    keys = {"source_dir", "public_dir", "new_post_name", "default_layout", "permalink_defaults"}
    uses = "hexo" in package or "hexo" in (package.get("dependencies") or {})
    return bool(uses or keys & {*config} or (folder / "source" / "_posts").is_dir())


def _first(folder: Path, names: tuple[str, ...]) -> dict[str, Any] | None:
    return next(filter(None, (_read(folder / name) for name in names)), None)


def _yaml(text: str) -> object:
    """What a text says. Raises ValueError."""
    import yaml  # only the sites that are configured in it

    try:
        return yaml.safe_load(text)
    except yaml.YAMLError as error:
        raise ValueError("no YAML") from error


def _read(path: Path) -> dict[str, Any] | None:
    """Read a configuration; `None` if it is not there, is no mapping or cannot be read."""
    parse: dict[str, Callable[[str], object]] = {
        ".toml": tomllib.loads,
        ".json": json.loads,
        ".yaml": _yaml,
        ".yml": _yaml,
    }
    if path.suffix not in parse or not path.is_file():
        return None
    try:
        value = parse[path.suffix](path.read_text(encoding="utf-8-sig"))
    except (OSError, ValueError, RecursionError):
        return None
    return value if isinstance(value, dict) else None
