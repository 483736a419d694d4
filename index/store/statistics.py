"""What a generation holds, told in numbers: its manifest and its posts in, one value out."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import takewhile
from typing import TYPE_CHECKING, TypeAlias
from urllib.parse import urlsplit

from pydantic import BaseModel, ConfigDict, ValidationError

from blog_search_mcp.index.store.layout import Layout
from blog_search_mcp.index.types import Post

if TYPE_CHECKING:
    from blog_search_mcp.index.store.manifest import Manifest

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


class Summary(BaseModel):
    """One generation; each mapping is ordered by count, the largest first."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    posts: int
    site: str | None
    """Scheme and host that most posts are published at, if any is."""
    languages: dict[str, int]
    """Posts by BCP 47 tag."""
    newest: str | None
    """ISO day of the newest dated post."""
    sections: dict[str, int]
    """Posts by folder: the first level on which there is more than one folder."""


def summarised(posts: Sequence[Post]) -> Summary:
    """Count the posts of a generation."""
    sites = _counted(_site(post.url) for post in posts)
    return Summary(
        posts=len(posts),
        site=next(iter(sites), None),
        languages=_counted(post.language for post in posts),
        newest=max((post.date for post in posts if post.date), default=None),
        sections=_sections(posts),
    )


def read_summary(layout: Layout) -> Summary | None:
    """The live generation's, `None` if there is none that can be read.

    Its checksum is not looked at: the first reply must not wait for that, and whoever opens
    the generation verifies it.
    """
    try:
        live = layout.current.read_text(encoding="ascii").strip()
        text = layout.generation(int(live)).summary.read_text(encoding="utf-8")
        return Summary.model_validate_json(text)
    except (OSError, ValueError, ValidationError):
        return None


def _counted(words: Iterable[str]) -> dict[str, int]:
    counts = Counter(word for word in words if word)
    return dict(sorted(counts.items(), key=lambda pair: (-pair[1], pair[0])))


def _site(url: str | None) -> str:
    parts = urlsplit(url or "")
    return f"{parts.scheme}://{parts.netloc}" if parts.netloc else ""


def _sections(posts: Sequence[Post]) -> dict[str, int]:
    folders = [post.source.split("/")[:-1] for post in posts]
    levels = zip(*folders, strict=False)
    shared = sum(1 for _ in takewhile(lambda names: len(set(names)) == 1, levels))
    return _counted("/".join(folder[: shared + 1]) for folder in folders if len(folder) > shared)
