"""The settings of one ingest, and the fingerprint of everything that shapes an index."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

from blog_search_mcp.index.analysis.tokenizer import ANALYSIS
from blog_search_mcp.index.content.last_ingest import IngestOptions
from blog_search_mcp.index.types import CONFIDENCE_FORMULA

if TYPE_CHECKING:
    from blog_search_mcp.index.embedders.registry import Choice
    from blog_search_mcp.index.store.manifest import BuildFingerprint
    from blog_search_mcp.index.types import EmbedderIdentity

ChooseEmbedder: TypeAlias = "Callable[[EmbedderIdentity | None], Choice]"
"""Choose the embedder, given that of the existing index; `None` without one."""


@dataclass(frozen=True, slots=True)
class Job:
    """The settings of one ingest, made at the command line and passed whole."""

    content: Path
    index: Path
    choose: ChooseEmbedder
    today: date
    options: IngestOptions = field(default_factory=IngestOptions)
    rebuild: bool = False
    processes: int | None = None
    """Upper limit of processes that read posts; `None` for one a processor, at most four."""


CHUNKING = 2
"""Raise it when the same post would be split into other chunks (`ingest.chunking.chunker`)."""

READING = 3
"""Raise it when the same file would give other metadata or another plain text."""


def build_fingerprint(options: IngestOptions, site: str) -> BuildFingerprint:
    """Compute the fingerprint of this version of the program; `site` is `Site.digest`, or empty.

    A site's digest covers the base URL and the permalink of `options`.
    """
    return {
        "analysis": ANALYSIS,
        "confidence": CONFIDENCE_FORMULA,
        "chunking": CHUNKING,
        "reading": READING,
        "include_drafts": options.include_drafts,
        "index_descriptions": options.index_descriptions,
        "site": site,
    }
