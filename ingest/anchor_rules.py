"""By which rules a site's heading ids are made, as a value; `ingest.anchors` applies them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

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
