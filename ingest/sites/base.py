"""The seam for site generators: `SiteGenerator`, and `Site`, a generator with its base URL.

A new generator is one module in `ingest.sites.generators` with a class of this protocol and one
line in `ingest.sites.discovery.GENERATORS`.
"""

from __future__ import annotations

import hashlib
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import ClassVar, Protocol, Self

from blog_search_mcp.index.errors import NoLink, UsageError
from blog_search_mcp.index.posts.markdown.blocks import Heading
from blog_search_mcp.index.types import MAX_ADDRESS
from blog_search_mcp.ingest.documents.url_fields import UrlFields
from blog_search_mcp.ingest.sites.patterns import TOO_LONG


@dataclass(frozen=True, slots=True)
class Default:
    """Fields that a configuration gives to posts that have none of these names."""

    fields: Mapping[str, object]
    place: str = ""
    """What their places begin with, a folder with `/` at the end; `""` for all."""
    collection: str | None = None
    """As in `Cascade`."""


class SiteGenerator(Protocol):
    """How one generator makes URLs; its configuration is in its fields.

    A place is a file's path below the site's folder, with `/`. Implementations are frozen
    dataclasses whose `repr` names every setting that may change a link, and whose defaults are
    those of the generator without configuration.
    """

    name: ClassVar[str]
    """As `--permalink` names it; `""` if no address is known."""
    config_files: ClassVar[Collection[str]]
    """Names in a site's folder without which it is none of this generator's."""
    home: ClassVar[str] = ""
    """The folder below a site's that holds its posts by default."""
    drafts_cover_sections: ClassVar[bool] = False
    """Whether a section that is a draft makes drafts of all that is below it."""
    takes_patterns: ClassVar[bool] = False
    """Whether a pattern of `--permalink` is one of this generator."""
    styles: ClassVar[Collection[str]] = ()
    """Named patterns that imply this generator when given as `--permalink`."""

    @classmethod
    def detect(cls, folder: Path) -> tuple[str, Self] | None:
        """Return base URL and generator if `folder` holds its configuration, else `None`.

        The base URL may be empty. A setting of an unexpected type counts as not set.
        """

    def with_pattern(self, pattern: str) -> Self:  # noqa: ARG002 - a default
        """Use `pattern` for every post. Raises UsageError if the generator has no patterns."""
        kind = type(self)
        raise UsageError(
            f"{kind.__name__} has no permalink patterns; give --permalink {kind.name} alone."
        )

    def with_places(self, places: Iterable[str]) -> Self:  # noqa: ARG002 - a default
        """Take note of all posts' places, where some posts' URLs depend on others."""
        return self

    def guess_prefix(self, content: Path) -> str:
        """Return the place of the content folder, with a `/` at the end, without configuration.

        By default the folder is taken for `content`, unless it holds one.
        """
        return "" if (content / "content").is_dir() else "content/"

    def publishes(self, place: str) -> bool:  # noqa: ARG002 - a default
        """Whether a file at `place` may be a page or a post, by its folder and name."""
        return True

    def content_root(self, place: str) -> str:  # noqa: ARG002 - a default
        """Return the site's content folder that `place` lies in, with a `/` at the end."""
        return "content/"

    @property
    def cascade(self) -> object:
        """What the configuration passes down to pages, as written there."""
        return None

    @property
    def defaults(self) -> Sequence[Default]:
        """What the configuration gives to posts by their place, the most specific first."""
        return ()

    @property
    def doubt(self) -> str:
        """Why no page's address is sure; empty if it may be."""
        return ""

    def permalink(self, place: str, fields: UrlFields) -> str:
        """Return the percent-encoded path of the post at `place`. Raises NoLink if not sure."""

    @property
    def has_heading_ids(self) -> bool:
        """Whether `heading_ids` knows the ids of headings."""
        return False

    def heading_ids(self, headings: Sequence[Heading]) -> list[str | None]:
        """Return one id a heading: `""` if it is not sure, `None` if it is no heading there."""
        return [""] * len(headings)


@dataclass(frozen=True, slots=True)
class Site:
    """A published blog."""

    base_url: str
    """Without a slash at the end."""
    generator: SiteGenerator
    prefix: str = ""
    """Place of the content folder, with `/` at the end; `""` if it is the site's folder."""

    @property
    def digest(self) -> str:
        """Changes whenever a setting changes that may change a link."""
        return hashlib.sha256(repr(self).encode()).hexdigest()[:16]

    def with_sources(self, sources: Iterable[str]) -> Site:
        """Take note of all posts' sources, where some posts' URLs depend on others."""
        places = (self.prefix + source for source in sources)
        return replace(self, generator=self.generator.with_places(places))

    def publishes(self, source: str) -> bool:
        """Whether a file may be a page or a post, by its folder and name."""
        return self.generator.publishes(self.prefix + source)

    @property
    def content_root(self) -> str:
        """The place of the site's content folder which this is, or is a part of."""
        return self.generator.content_root(self.prefix)

    def post_url(self, source: str, fields: UrlFields) -> str:
        """Return the URL of a post without an anchor. Raises NoLink if it is not sure."""
        if self.generator.doubt:
            raise NoLink(self.generator.doubt)
        url = self.base_url + self.generator.permalink(self.prefix + source, fields)
        if len(url) > MAX_ADDRESS:
            raise NoLink(TOO_LONG)
        return url
