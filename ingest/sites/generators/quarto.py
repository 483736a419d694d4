"""Quarto: a document of a website is the page `name.html` at its place.

Heading ids depend on the extensions of Pandoc's Markdown and are not known.
"""

import posixpath
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import ClassVar, Self
from urllib.parse import quote

from blog_search_mcp.index.errors import NoLink
from blog_search_mcp.index.posts.visibility import PROFILES
from blog_search_mcp.ingest.documents.url_fields import UrlFields, list_formats
from blog_search_mcp.ingest.sites.base import Default, SiteGenerator
from blog_search_mcp.ingest.sites.config import (
    Config,
    get_map,
    get_text,
    list_texts,
    read_first_config,
)
from blog_search_mcp.ingest.sites.patterns import Rules, is_ignored, read_rules

_ENDINGS = (".md", ".qmd")
_NEVER = ("_*", "README.md", "README.qmd", "/renv/", "/packrat/", "/rsconnect/")
"""What is no document (https://quarto.org/docs/projects/quarto-projects.html#render-targets), and
folders of packages, which its engine for R passes over."""
_GLOB = frozenset("*?[")
_OTHER_GLOB = frozenset("{}()|")
"""Marks of patterns that a `.gitignore` has not."""


@dataclass(frozen=True, slots=True)
class Quarto(SiteGenerator):
    """A website of Quarto."""

    name: ClassVar = "quarto"
    config_files: ClassVar = ("_quarto.yml", "_quarto.yaml")

    excluded: Rules = _NEVER
    rendered: Rules = ()
    """Of what `render` lists; empty for all that is not excluded."""
    defaults: tuple[Default, ...] = field(default=(), repr=False, compare=False)
    doubt: str = ""

    @classmethod
    def detect(cls, folder: Path) -> tuple[str, Self] | None:
        """Read `_quarto.yml` of a website; other projects, as books, have other pages."""
        config = read_first_config(folder, *cls.config_files) or {}
        project = get_map(config, "project")
        if project.get("type") not in ("website", "site"):
            return None
        site = get_map(config, "website") or get_map(config, "site")
        listed = [_to_rule(glob) for glob in list_texts(project.get("render"))]
        left_out = [rule[1:] for rule in listed if rule.startswith("!")]
        if site.get("draft-mode") != "visible":
            left_out += [f"/{path}" for path in list_texts(site.get("drafts"))]
        output = posixpath.normpath(get_text(project, "output-dir"))
        left_out += [] if output.startswith(".") else [f"/{output}/"]
        excluded = read_rules("\n".join((*_NEVER, *left_out)))
        rendered = read_rules("\n".join(rule for rule in listed if not rule.startswith("!")))
        are_known = bool(excluded) and all(listed)
        return get_text(site, "site-url"), cls(
            excluded=excluded if are_known else _NEVER,
            rendered=rendered if are_known else (),
            defaults=(Default({"draft": config.get("draft"), PROFILES: _find_profiles(config)}),),
            doubt=next(_find_doubts(config, are_known=are_known), ""),
        )

    def guess_prefix(self, content: Path) -> str:  # noqa: ARG002 - of any
        """Take the folder for the site's."""
        return ""

    def publishes(self, place: str) -> bool:
        """Whether it is a document that Quarto renders."""
        return (
            place.endswith(_ENDINGS)
            and not is_ignored(place, self.excluded)
            and (not self.rendered or is_ignored(place, self.rendered))
        )

    def permalink(self, place: str, fields: UrlFields) -> str:
        """Return the path of the page of the document at `place`. Raises NoLink."""
        if not self.publishes(place):
            raise NoLink("none of the documents that Quarto renders")
        if fields.get("output-file") or (fields.formats and "html" not in fields.formats):
            raise NoLink("rendered to another file or format")
        return quote(f"/{place.rpartition('.')[0]}.html")


def _find_profiles(config: Config) -> str:
    """Return the default profiles: those named so, and the first of each group."""
    profile = get_map(config, "profile")
    groups = profile.get("group")
    listed = groups if isinstance(groups, list) else []
    nested = [group for group in listed if isinstance(group, list)] or [listed]
    first = [name for group in nested for name in list_texts(group)[:1]]
    return " ".join((*list_texts(profile.get("default")), *first))


def _to_rule(glob: str) -> str:
    """Return a pattern of `render` as a rule of a `.gitignore`, `""` if it has other marks.

    One that is excluded by `!` or has stars counts in every folder unless it begins with `/`.
    """
    if _OTHER_GLOB & set(glob) or not read_rules(glob):
        return ""
    path = glob.removeprefix("!").removeprefix("./")
    is_anywhere = (glob.startswith("!") or _GLOB & set(glob)) and not path.startswith("/")
    folders = "**/" if is_anywhere else "" if path.startswith("/") else "/"
    return "!" * glob.startswith("!") + folders + path


def _find_doubts(config: Config, *, are_known: bool) -> Iterator[str]:
    """Yield why no page's address is sure, by the settings that make it so."""
    for name in ("profile", "metadata-files"):
        if name in config:
            yield f"{name} of _quarto.yml names files that may change addresses"
    formats = list_formats(config)
    if formats and "html" not in formats:
        yield "the format that _quarto.yml names is not html"
    if not are_known:
        yield "render of _quarto.yml has patterns that are not known"
