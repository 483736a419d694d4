"""What a generation holds, in a few numbers: its posts come in, one small file goes out.

A server tells a client what blog this is in its first reply, before numpy, FAISS and tantivy
are imported, so the numbers are written with the generation and read without any of them.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import takewhile
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from pydantic import BaseModel, ConfigDict, ValidationError

from index.layout import Layout

if TYPE_CHECKING:
    from index.types import Post


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
