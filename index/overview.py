"""What a generation holds, told in numbers: its manifest and its posts in, one value out."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

from index.types import Post

if TYPE_CHECKING:
    from index.manifest import Manifest

Counted: TypeAlias = tuple[tuple[str, int], ...]
"""Names, each with the number of posts that have it."""


@dataclass(frozen=True, slots=True)
class Overview:
    """One generation."""

    generation: int
    created: str
    """When its posts were looked at: UTC, ISO 8601 to the second."""
    embedder: str
    posts: int
    chunks: int
    languages: Counted = ()
    """The commonest first."""
    sections: Counted = ()
    """Every folder with its posts and those below it, in order of the name."""
    tags: Counted = ()
    """In lower case, the commonest first."""
    first_day: str | None = None
    """ISO day of the oldest dated post, `None` if none has a date."""
    last_day: str | None = None
    notice: str | None = None
    """One sentence the reader must see (posts have changed since), else `None`."""


def overview(manifest: Manifest, posts: Sequence[Post]) -> Overview:
    """Count what `posts`, the generation's, have in common."""
    days = sorted(post.date for post in posts if post.date)
    return Overview(
        generation=manifest.generation,
        created=manifest.created,
        embedder=manifest.embedder.name,
        posts=len(posts),
        chunks=manifest.chunks,
        languages=_commonest(post.language for post in posts),
        sections=tuple(sorted(Counter(name for post in posts for name in _above(post)).items())),
        tags=_commonest(tag for post in posts for tag in {tag.casefold() for tag in post.tags}),
        first_day=days[0] if days else None,
        last_day=days[-1] if days else None,
    )


def _commonest(names: Iterable[str]) -> Counted:
    counts = Counter(name for name in names if name)
    return tuple(sorted(counts.items(), key=lambda pair: (-pair[1], pair[0])))


def _above(post: Post) -> list[str]:
    """Every folder that the post lies in or below; none for the content folder itself."""
    names = post.section.split("/") if post.section else []
    return ["/".join(names[: depth + 1]) for depth in range(len(names))]
