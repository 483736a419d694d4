"""What is known of the site that shows the blog: its rules, where it is, how it makes anchors.

A leaf for both sides: the edge that reads a site's configuration (`ingest.site_files`) makes
one, and the links of posts and chunks are made with it (`ingest.links`).
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass

from ingest.anchor_rules import Anchors
from ingest.hexo import Hexo
from ingest.hugo import Hugo
from ingest.jekyll import Jekyll
from ingest.zola import Zola

Rules = Hugo | Jekyll | Hexo | Zola
"""How one generator makes a path of a file's place and its front matter."""


@dataclass(frozen=True, slots=True)
class Site:
    """A published blog."""

    base_url: str
    """What every link begins with, without a slash at the end."""
    rules: Rules
    anchors: Anchors
    prefix: str = ""
    """Where the content folder lies below the site's, with `/` at the end; `""` if it is it."""

    @property
    def digest(self) -> str:
        """Another value for every change that may change a link."""
        return hashlib.sha256(repr(self).encode()).hexdigest()[:16]
