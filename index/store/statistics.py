"""The overview of a generation in numbers, counted when it is written."""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from operator import attrgetter
from pathlib import PurePosixPath
from typing import TypeAlias
from urllib.parse import urlsplit

from pydantic import TypeAdapter

from blog_search_mcp.index.errors import IndexBroken
from blog_search_mcp.index.store.disk import GenerationFiles
from blog_search_mcp.index.store.manifest import REBUILD, Manifest
from blog_search_mcp.index.text.display import compose
from blog_search_mcp.index.types import Post

About: TypeAlias = tuple[str, str, bool]  # title, description, and whether it is a vault of notes
Counted: TypeAlias = tuple[tuple[str, int], ...]
"""Names, each with the number of posts that have it."""


@dataclass(frozen=True, slots=True)
class Overview:
    """One generation, in numbers."""

    generation: int
    created: str
    """Time when the content folder was walked: UTC, ISO 8601 to the second."""
    embedder: str
    posts: int
    chunks: int
    waiting: int = 0
    """Number of posts whose vectors come with a later generation; keyword search finds them now."""
    site: str = ""
    """Commonest scheme and host of the posts' URLs, `""` if no post has a URL."""
    languages: Counted = ()
    """Languages of the posts, the commonest first."""
    sections: Counted = ()
    """Every folder below the content folder, with its number of posts at any depth, by name."""
    bundles: tuple[str, ...] = ()
    """Folders that hold a single post as `NAME/index.md`, perhaps with translations."""
    tags: Counted = ()
    """Tags in lower case, the commonest first."""
    first_day: str | None = None
    """ISO day of the oldest dated post, `None` if none has a date."""
    last_day: str | None = None
    title: str = ""
    """The site's title in its configuration, else the name of the folder."""
    description: str = ""
    newest: tuple[str, ...] = ()
    """Titles of the newest dated posts, at most three."""
    are_notes: bool = False
    """Whether the posts are notes of a vault that no site publishes."""
    notice: str | None = None
    """Message for the reader, such as that posts have changed or wait for their vectors."""

    @property
    def main_sections(self) -> Counted:
        """Folders of the first level where none has all posts, without bundles, largest first."""
        above, bundles = "", set(self.bundles)
        while True:
            inner = [
                (name, count)
                for name, count in self.sections
                if name.startswith(above) and "/" not in name[len(above) :] and name not in bundles
            ]
            if len(inner) != 1 or inner[0][1] < self.posts:
                return tuple(sorted(inner, key=lambda pair: (-pair[1], pair[0])))
            above = f"{inner[0][0]}/"


OVERVIEW_JSON = TypeAdapter(Overview)


def read_overview(files: GenerationFiles) -> Overview:
    """Read the overview of a generation. Raises IndexBroken."""
    try:
        return OVERVIEW_JSON.validate_json(files.overview.read_bytes())
    except (OSError, ValueError) as error:
        raise IndexBroken("The index's overview.json cannot be read.", REBUILD) from error


def count_posts(posts: Sequence[Post], manifest: Manifest, about: About) -> Overview:
    """Count the posts of a generation by language, folder, tag and day."""
    dated = sorted(filter(attrgetter("date"), posts), key=attrgetter("date"), reverse=True)
    sites = _count_names("://".join(urlsplit(post.url)[:2]) for post in posts if post.url)
    files = [PurePosixPath(compose(it.source)) for it in posts]  # index.md, in German index.de.md
    sections = Counter(str(folder) for file in files for folder in file.parents[:-1])
    pages = Counter(str(file.parent) for file in files if file.name.partition(".")[0] == "index")
    return Overview(
        generation=manifest.generation,
        created=manifest.created,
        embedder=manifest.embedder.name,
        posts=len(posts),
        chunks=manifest.chunks,
        waiting=manifest.waiting,
        site=sites[0][0] if sites else "",
        languages=_count_names(post.language for post in posts),
        sections=tuple(sorted(sections.items())),
        bundles=tuple(sorted(name for name, count in sections.items() if pages[name] == count)),
        tags=_count_names(tag for post in posts for tag in {tag.casefold() for tag in post.tags}),
        first_day=dated[-1].date if dated else None,
        last_day=dated[0].date if dated else None,
        title=about[0],
        description=about[1],
        newest=tuple(post.title for post in dated[:3]),
        are_notes=about[2],
    )


def describe_backlog(posts: int, waiting: int) -> str | None:
    """Return a sentence on how many of `posts` have vectors, `None` if all have."""
    if not waiting:
        return None
    return (
        f"Still being indexed: {posts - waiting:,} of {posts:,} posts are known by meaning so far, "
        "the others by words alone."
    )


def _count_names(names: Iterable[str]) -> Counted:
    return tuple(Counter(sorted(filter(None, names))).most_common())
