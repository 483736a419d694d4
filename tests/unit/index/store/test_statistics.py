"""Which site a generation is of, and its main sections."""

import pytest

from blog_search_mcp.index.store.manifest import Manifest
from blog_search_mcp.index.store.statistics import Overview, count_posts
from blog_search_mcp.index.types import EmbedderIdentity, Post


def counted(*posts: Post) -> Overview:
    identity = EmbedderIdentity("", "", "", 1)
    manifest = Manifest.model_construct(generation=1, created="", embedder=identity, posts={})
    return count_posts(posts, manifest, ("", "", False))


def test_the_site_is_where_most_posts_are_published() -> None:
    urls = ("https://elsewhere.org/z/", "https://example.org/x/", "https://example.org/y/", None)
    posts = [Post(f"{number}.md", "t", url=url) for number, url in enumerate(urls)]
    assert counted(*posts).site == "https://example.org"
    assert counted(posts[-1]).site == ""


@pytest.mark.parametrize(
    ("sources", "sections"),
    [
        (["posts/a/x.md", "posts/b/y.md", "posts/b/z.md"], (("posts/b", 2), ("posts/a", 1))),
        (["posts/x.md", "posts/a/y.md"], (("posts/a", 1),)),
        (["posts/x.md", "posts/y.md"], ()),
        (["x.md", "posts/y.md"], (("posts", 1),)),
        (["a/x.md", "b/c/y.md", "b/c/z.md"], (("b", 2), ("a", 1))),
        (["posts/x/index.md", "posts/y/index.de.md", "posts/y/index.en.md", "posts/_index.md"], ()),
        (["posts/x/index.md", "posts/a/index.md", "posts/a/y.md"], (("posts/a", 2),)),
        (["about/index.md", "posts/x/index.mdx", "posts/y.md"], (("posts", 2),)),
        ([], ()),
    ],
)
def test_main_sections_are_the_folders_that_tell_posts_apart(
    sources: list[str], sections: tuple[tuple[str, int], ...]
) -> None:
    assert counted(*(Post(source, "t") for source in sources)).main_sections == sections
