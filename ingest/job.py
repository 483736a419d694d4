"""What an ingest is asked, by a command line or a measurement, as one frozen value."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

from blog_search_mcp.index.analysis.tokenizer import ANALYSIS
from blog_search_mcp.index.content.last_ingest import IngestOptions
from blog_search_mcp.index.types import CONFIDENCE_FORMULA

if TYPE_CHECKING:
    from blog_search_mcp.index.embedders.registry import Choice
    from blog_search_mcp.index.types import EmbedderIdentity

Chooser: TypeAlias = "Callable[[EmbedderIdentity | None], Choice]"
"""Given the embedder of the index there is, if any, the one to use."""


@dataclass(frozen=True, slots=True)
class Job:
    """What to ingest and how."""

    content: Path
    index: Path
    choose: Chooser
    today: date
    include_drafts: bool = False
    rebuild: bool = False
    index_descriptions: bool = True
    """Off for a measurement whose queries are the descriptions."""
    base_url: str = ""
    """Where the blog is published; empty for what its site's configuration says."""
    permalink: str = ""
    """A generator, a pattern or both (`ingest.sites.discovery`); empty likewise."""
    processes: int | None = None
    """That read posts beside this one, at most; `None` for as many as the machine bears."""

    @property
    def asked(self) -> IngestOptions:
        """What to ask again when the folder has changed."""
        return IngestOptions(
            include_drafts=self.include_drafts,
            index_descriptions=self.index_descriptions,
            base_url=self.base_url,
            permalink=self.permalink,
        )


Recipe = dict[str, int | bool | str]

CHUNKING = 2
"""Raise it when the same post would come out in other chunks (`ingest.chunking.chunker`); an index
of
another number is chunked anew by the next ingest."""

READING = 2
"""Raise it when the same file would give other metadata or another plain text."""


def recipe(include_drafts: bool, index_descriptions: bool, site: str) -> Recipe:
    """The recipe of this program under these settings; `site` tells links apart."""
    return {
        "analysis": ANALYSIS,
        "confidence": CONFIDENCE_FORMULA,
        "chunking": CHUNKING,
        "reading": READING,
        "include_drafts": include_drafts,
        "index_descriptions": index_descriptions,
        "site": site,
    }
