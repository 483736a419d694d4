from __future__ import annotations

from contextlib import closing
from typing import TYPE_CHECKING

from blog_search_mcp.index.store.catalog import open_catalog
from blog_search_mcp.index.store.translations import Translations, find_translations

if TYPE_CHECKING:
    from tests.support.blog import Blog, MakeBlog

POSTS = {
    "soup.md": "# Soup\n\nBoil an onion.\n",
    "soup.zh.md": "# 湯\n\n煮洋蔥。\n",
    "tea.md": "# Tea\n\nBoil water.\n",
}


def written_translations(made: Blog) -> dict[str, tuple[str, ...]]:
    """By source, the sources of each post's translations, which are those of all posts of now."""
    with closing(open_catalog(made.files)) as catalog:
        posts, written = catalog.every_post(), catalog.translations()
        assert written.others == Translations(find_translations(posts)).others
        return {
            post.source: tuple(source for _, source in written.others.get(number, ()))
            for number, post in posts.items()
        }


def test_a_generation_is_written_with_the_translations_among_its_own_posts(blog: MakeBlog) -> None:
    made = blog(POSTS)
    assert written_translations(made) == {
        "soup.md": ("soup.zh.md",),
        "soup.zh.md": ("soup.md",),
        "tea.md": (),
    }
    (made.content / "soup.zh.md").unlink()
    made.write({"tea.zh.md": "# 茶\n\n燒水。\n"})
    made.ingest()
    assert written_translations(made) == {
        "soup.md": (),
        "tea.md": ("tea.zh.md",),
        "tea.zh.md": ("tea.md",),
    }
