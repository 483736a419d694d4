"""What an ingest is asked, by a command line or a measurement, as one frozen value."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

from index.seen import Asked

if TYPE_CHECKING:
    from index.embedder.base import EmbedderIdentity
    from index.embedder.choose import Choice

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
    """A generator, a pattern or both (`ingest.site_files`); empty likewise."""
    processes: int | None = None
    """That read posts beside this one, at most; `None` for as many as the machine bears."""

    @property
    def asked(self) -> Asked:
        """What to ask again when the folder has changed."""
        return Asked(
            include_drafts=self.include_drafts,
            index_descriptions=self.index_descriptions,
            base_url=self.base_url,
            permalink=self.permalink,
        )
