"""What is known of the site that shows the blog: its rules, where it is, how it makes anchors.

A leaf for both sides: the edge that reads a site's configuration (`ingest.sites.discovery`) makes
one, and the links of posts and chunks are made with it (`ingest.sites.urls`).
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from typing import Literal, Protocol

from blog_search_mcp.ingest.documents.address import Address

Maker = Literal["", "goldmark", "gfm", "kramdown", "marked", "zola", "zola-safe"]
"""Who makes the ids: Hugo's parser, kramdown's two in Jekyll, Hexo's, Zola with and without
spelling them in ASCII; `""` for nobody known."""


@dataclass(frozen=True, slots=True)
class Anchors:
    """How a site's heading ids come about."""

    maker: Maker = ""
    smart: bool = True
    """Whether quotes, dashes and dots are made typographic, for Hexo and Zola."""
    lower: bool = False
    """Whether Hexo's are put in lower case."""


class SiteGenerator(Protocol):
    """How one generator makes a path of a file's place and its front matter."""

    def path(self, place: str, address: Address) -> str | None:
        """Return the path of the file at `place` below the site's folder, `None` if unsure."""
        ...

    def unknown_tokens(self) -> tuple[str, ...]:
        """Return the tokens of its patterns that are not known."""
        ...


@dataclass(frozen=True, slots=True)
class Site:
    """A published blog."""

    base_url: str
    """What every link begins with, without a slash at the end."""
    rules: SiteGenerator
    anchors: Anchors
    prefix: str = ""
    """Where the content folder lies below the site's, with `/` at the end; `""` if it is it."""

    @property
    def digest(self) -> str:
        """Another value for every change that may change a link."""
        return hashlib.sha256(repr(self).encode()).hexdigest()[:16]
