"""MkDocs: pages keep their place below `docs`; posts of Material's blog plugin follow a pattern.

Heading ids depend on the extensions of its Markdown parser and are not known.
"""

import os
import posixpath
import re
import unicodedata
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from datetime import date
from pathlib import Path, PurePosixPath
from typing import Any, ClassVar, Self
from urllib.parse import quote

from blog_search_mcp.index.errors import NoLink
from blog_search_mcp.index.posts.visibility import LOCKED_WHEN
from blog_search_mcp.ingest.documents.url_fields import UrlFields
from blog_search_mcp.ingest.sites.base import Default, SiteGenerator
from blog_search_mcp.ingest.sites.config import Config, get_map, get_text, read_first_config
from blog_search_mcp.ingest.sites.patterns import (
    OUTSIDE,
    Rules,
    fill_pattern,
    is_ignored,
    read_rules,
    strip_folder,
)

_TOKEN = re.compile(r"\{([^{}]*)\}")
_ENDINGS = (".md", ".markdown")
"""Of MkDocs' own list those that posts have."""
_ALWAYS_EXCLUDED = (".*", "/templates/")
"""What `exclude_docs` adds to: https://www.mkdocs.org/user-guide/configuration/#exclude_docs."""
_README = "README"
"""Names the page of its folder, as `index` does."""
_BLOG = "material/blog"
_MATERIAL = "material/"
"""Begins the names of Material's plugins, and need not with its theme."""
_OFFLINE = "material/offline"
"""What the environment enables for a build is not what is published."""
_MOVING = ("i18n", "mike", "exclude", "file-filter", _OFFLINE)
"""Plugins that give pages other addresses, or make none of some."""
_SETTINGS: Config = {
    "enabled": True,
    "blog_dir": "blog",
    "post_dir": "{blog}/posts",
    "post_url_format": "{date}/{slug}",
    "post_url_date_format": "yyyy/MM/dd",
    "post_url_max_categories": 1,
    "post_slugify_separator": "-",
}
"""Of the blog plugin, with its defaults: https://squidfunk.github.io/mkdocs-material/plugins/blog/."""
_FUNCTIONS = {
    "post_slugify": "slug",
    "categories_slugify": "categories",
    "categories_slugify_separator": "categories",
}
"""Settings that leave a token to a function, which is not run."""


@dataclass(frozen=True, slots=True)
class BlogPlugin:
    """One use of Material's blog plugin; its folders lie below that of the pages."""

    folder: str = "blog"
    posts: str = "blog/posts"
    """What the places of posts begin with, be it within a name."""
    pattern: str = "{date}/{slug}"
    date_pattern: str = "yyyy/MM/dd"
    most_categories: int = 1
    separator: str = "-"
    unknown: tuple[str, ...] = ()
    """Tokens that cannot be filled in."""

    def locate_post(self, name: str, fields: UrlFields) -> str:
        """Return the place of its page below that of all, without ending. Raises NoLink.

        `name` is its file's, without ending.
        """
        name = "index" if name == _README else name
        day = fields.date_in("") if fields.get("date") else None
        categories = [*dict.fromkeys(fields.categories)][: self.most_categories]
        values = {
            "date": _format_date(self.date_pattern, day) if day else None,
            "file": name,
            "slug": _slug(_find_title(name, fields), self.separator),
            "categories": "/".join(_slug(category, "-") for category in categories),
            **dict.fromkeys(self.unknown),
        }
        if own := fields.get("slug"):
            values["slug"] = own
        path = fill_pattern(self.pattern, _TOKEN, values).strip("/")
        return posixpath.normpath(posixpath.join(self.folder, path))


@dataclass(frozen=True, slots=True)
class MkDocs(SiteGenerator):
    """A site of MkDocs."""

    name: ClassVar = "mkdocs"
    config_files: ClassVar = ("mkdocs.yml", "mkdocs.yaml")
    home: ClassVar = "docs"

    docs: str = "docs"
    has_folders: bool = True
    """Whether pages are `name/`, else `name.html`."""
    excluded: tuple[Rules, ...] = (_ALWAYS_EXCLUDED, ())
    """Of `exclude_docs` and of `draft_docs`."""
    blogs: tuple[BlogPlugin, ...] = ()
    defaults: tuple[Default, ...] = field(default=(), repr=False, compare=False)
    doubt: str = ""

    @classmethod
    def detect(cls, folder: Path) -> tuple[str, Self] | None:
        """Read `mkdocs.yml`, unless its pages lie elsewhere."""
        config = read_first_config(folder, *cls.config_files) or {}
        docs = posixpath.normpath(get_text(config, "docs_dir") or "docs")
        # Path.is_dir raises for a name that is too long.
        is_inside = not docs.startswith(("/", "..")) and os.path.isdir(folder / docs)  # noqa: PTH112
        if not config or not is_inside:
            return None
        plugins = [*_list_plugins(config)]
        excluded = read_rules(config.get("exclude_docs"))
        return get_text(config, "site_url"), cls(
            docs="" if docs == "." else docs,
            has_folders=config.get("use_directory_urls") is not False,
            excluded=((*_ALWAYS_EXCLUDED, *excluded), read_rules(config.get("draft_docs"))),
            blogs=tuple(
                _read_blog(settings)
                for name, settings in plugins
                if name == _BLOG and settings.get("enabled") is not False
            ),
            defaults=tuple(
                Default({"password": plugin.get("global_password"), LOCKED_WHEN: {"level": "*"}})
                for name, plugin in plugins
                if name == "encryptcontent"
            ),
            doubt=next(_find_doubts(config, plugins), ""),
        )

    def guess_prefix(self, content: Path) -> str:
        """Take the folder for `docs`, unless it holds one."""
        return "" if (content / self.docs).is_dir() else f"{self.docs}/"

    def publishes(self, place: str) -> bool:
        """Whether it is Markdown below `docs` that `exclude_docs` and `draft_docs` leave in."""
        inner = strip_folder(self.docs, place)
        return (
            inner is not None
            and inner.endswith(_ENDINGS)
            and not any(is_ignored(inner, rules) for rules in self.excluded)
        )

    def permalink(self, place: str, fields: UrlFields) -> str:
        """Return the path of the page or post at `place`. Raises NoLink."""
        inner = strip_folder(self.docs, place)
        if inner is None:
            raise NoLink(OUTSIDE)
        if not self.publishes(place):
            raise NoLink("no page by its ending, exclude_docs or draft_docs")
        path = PurePosixPath(inner)
        for blog in self.blogs:
            if inner.startswith(blog.posts):
                return self._page_path(blog.locate_post(path.stem, fields))
        if path.stem == _README:
            raise NoLink("a README, which gives way to an index.md beside it")
        return self._page_path(str(path.with_suffix("")))

    def _page_path(self, stem: str) -> str:
        if not self.has_folders:
            return quote(f"/{stem}.html")
        path = PurePosixPath(stem)
        shown = str(path.parent if path.name == "index" else path)
        return "/" if shown == "." else quote(f"/{shown}/")


def _list_plugins(config: Config) -> Iterator[tuple[str, Config]]:
    """Yield names and settings of plugins, those of Material under their full names."""
    plugins = config.get("plugins")
    theme = config.get("theme")
    has_material = "material" in (theme, get_map(theme).get("name"))
    for item in plugins if isinstance(plugins, list) else [plugins]:
        named = item if isinstance(item, Mapping) else {item: {}} if isinstance(item, str) else {}
        for name in filter(None, named):
            short = str(name).removeprefix(_MATERIAL)
            is_material = short != name or (has_material and short in ("blog", "meta", "offline"))
            yield _MATERIAL * is_material + short, get_map(named, name)


def _read_blog(settings: Config) -> BlogPlugin:
    known: dict[str, Any] = {**_SETTINGS} | {
        name: value for name, value in settings.items() if _is_readable(name, value)
    }
    folder = posixpath.normpath(known["blog_dir"])
    return BlogPlugin(
        folder=folder,
        posts=posixpath.normpath(known["post_dir"].replace("{blog}", folder)),
        pattern=known["post_url_format"],
        date_pattern=known["post_url_date_format"],
        most_categories=known["post_url_max_categories"],
        separator=known["post_slugify_separator"],
        unknown=tuple(sorted({token for name, token in _FUNCTIONS.items() if name in settings})),
    )


def _is_readable(name: str, value: object) -> bool:
    return type(value) is type(_SETTINGS.get(name, value))


def _find_doubts(config: Config, plugins: list[tuple[str, Config]]) -> Iterator[str]:
    """Yield why no page's address is sure, by the settings that make it so."""
    if "INHERIT" in config:
        yield "mkdocs.yml inherits another file, which is not read"
    if not isinstance(config.get("use_directory_urls", True), bool):
        yield "use_directory_urls of mkdocs.yml is not sure"
    for name in ("exclude_docs", "draft_docs"):
        if name in config and not read_rules(config[name]):
            yield f"{name} of mkdocs.yml cannot be read"
    if get_text(get_map(config, "extra", "version"), "provider") == "mike":
        yield "the site has versions, of which each has other addresses"
    names = {name for name, _ in plugins}
    for name, settings in plugins:
        is_on = settings.get("enabled", True)
        if name in _MOVING and is_on is not False and (name != _OFFLINE or is_on):
            yield f"the plugin {name} decides which pages there are, and where"
        if name == "blog":
            yield "the plugin blog is not known to be Material's"
        if name == _BLOG and f"{_MATERIAL}meta" in names:
            yield "the plugin meta gives posts fields that their files have not"
        for setting in _SETTINGS if name == _BLOG else ():
            if setting in settings and not _is_readable(setting, settings[setting]):
                yield f"{setting} of the plugin blog is not sure"


def _find_title(name: str, fields: UrlFields) -> str:
    """Return the title that MkDocs has before it renders the page."""
    if fields.get("title"):
        return fields.get("title")
    if fields.first_line.startswith("# "):
        return fields.first_line.lstrip("# ")
    words = name.replace("-", " ").replace("_", " ")
    return words.capitalize() if words == words.lower() else words


_TAG = re.compile("<[^<>]*>")
_NOT_IN_SLUGS = re.compile(r"[^\w\- ]")


def _slug(text: str, separator: str) -> str:
    """Put the separator for each space, and nothing for other signs; letters are kept."""
    slug = _TAG.sub("", unicodedata.normalize("NFC", text)).strip().lower()
    return _NOT_IN_SLUGS.sub("", slug).replace(" ", separator)


_LETTERS = re.compile(r"([A-Za-z'])\1*")
_DATE_PARTS = {
    "yyyy": "{0.year:04}",
    "MM": "{0:%m}",
    "dd": "{0:%d}",
    "y": "{0.year}",
    "M": "{0.month}",
    "d": "{0.day}",
}


def _format_date(pattern: str, day: date) -> str | None:
    """Fill in CLDR's pattern of numbers, `None` for one of words, which depend on the language."""
    if any(found[0] not in _DATE_PARTS for found in _LETTERS.finditer(pattern)):
        return None
    return _LETTERS.sub(lambda found: _DATE_PARTS[found[0]].format(day), pattern)
