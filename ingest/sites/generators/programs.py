"""Docusaurus, Astro, VitePress, Eleventy, Pelican: configured by programs, which are not run.

So no address is known, and only what such a site never makes a page of by default is left out; of
Pelican's what it gives to all posts is read off the text.
"""

import re
from dataclasses import dataclass, field
from pathlib import Path
from typing import ClassVar, Self

from blog_search_mcp.index.errors import NoLink
from blog_search_mcp.index.posts.visibility import ZONE
from blog_search_mcp.ingest.documents.url_fields import UrlFields
from blog_search_mcp.ingest.sites.base import Default, SiteGenerator
from blog_search_mcp.ingest.sites.config import MAX_BYTES
from blog_search_mcp.ingest.sites.patterns import Rules, is_ignored

_PELICAN = "pelicanconf.py"
_MODULES = ("js", "mjs", "cjs", "ts", "mts", "cts")
_FILES = {
    **{f"docusaurus.config.{ending}": "Docusaurus" for ending in _MODULES},
    **{f"astro.config.{ending}": "Astro" for ending in _MODULES},
    ".vitepress": "VitePress",
    ".eleventy.js": "Eleventy",
    **{f"eleventy.config.{ending}": "Eleventy" for ending in _MODULES},
    _PELICAN: "Pelican",
}
"""Names in a site's folder that tell its generator."""
_NO_PAGES: dict[str, Rules] = {
    "Docusaurus": ("/build/", "/static/", "_*/"),
    "Astro": ("/dist/", "/public/"),
    "VitePress": (),
    "Eleventy": ("/_site/", "_includes/", "_data/"),
    "Pelican": ("/output/", "/theme/", "/themes/", "/plugins/"),
}
"""What is built, what is copied as it is, and what is included, besides hidden folders:
https://docusaurus.io/docs/configuration and /docs/api/plugins/@docusaurus/plugin-content-blog,
https://docs.astro.build/en/reference/configuration-reference/, https://www.11ty.dev/docs/config/.
Eleventy's includes and data lie below its input folder, which may be any. VitePress builds in a
hidden folder and makes a page of any other file."""


@dataclass(frozen=True, slots=True)
class Program(SiteGenerator):
    """A site that is configured by a program."""

    name: ClassVar = ""
    config_files: ClassVar = tuple(_FILES)

    title: str = ""
    excluded: Rules = ()
    defaults: tuple[Default, ...] = field(default=(), repr=False, compare=False)

    @classmethod
    def detect(cls, folder: Path) -> tuple[str, Self] | None:
        """Know the generator by the name of its configuration."""
        titles = (title for file, title in _FILES.items() if (folder / file).exists())
        title = next(titles, "")
        defaults = (_read_defaults(folder / _PELICAN),) if title == "Pelican" else ()
        return ("", cls(title, _NO_PAGES[title], defaults)) if title else None

    def publishes(self, place: str) -> bool:
        """Whether it lies in no folder that such a site makes no pages of by default."""
        return not is_ignored(place, self.excluded)

    def permalink(self, place: str, fields: UrlFields) -> str:  # noqa: ARG002 - of any
        """Raise NoLink."""
        raise NoLink(f"the configuration of {self.title} is a program, which is not run")


_TIMEZONE = re.compile(r"^TIMEZONE *= *[\"']([\w/+-]+)", re.MULTILINE)
_DEFAULTS = re.compile(r"^DEFAULT_METADATA *= *(\{[^{}]*\})", re.MULTILINE)


def _read_defaults(path: Path) -> Default:
    """Read the time zone and what keeps posts back by default out of Pelican's settings."""
    from blog_search_mcp.index.posts.text import salvage_fields  # PyYAML takes 15 ms

    with path.open(encoding="utf-8", errors="replace") as file:
        text = file.read(MAX_BYTES)
    zone, defaults = _TIMEZONE.search(text), _DEFAULTS.search(text)
    fields = salvage_fields(defaults[1]) if defaults else {}
    return Default({**fields, ZONE: zone[1] if zone else ""})
