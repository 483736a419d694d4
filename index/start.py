"""What the next generation begins with: the live one, an embedder and a recipe."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from index.manifest import Manifest

if TYPE_CHECKING:
    from index.embedder.base import Embedder


@dataclass(frozen=True, slots=True)
class Start:
    """All of it, before a post is read."""

    base: Manifest | None
    """The live generation to start from; `None` starts from nothing."""
    embedder: Embedder
    recipe: dict[str, int | bool | str]
    created: str
    """When the posts were looked at: UTC, ISO 8601 to the second."""
