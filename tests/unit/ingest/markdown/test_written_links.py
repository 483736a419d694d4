"""Where links lead and what is translated, as a generation is written with it."""

from __future__ import annotations

from contextlib import closing
from typing import TYPE_CHECKING

from blog_search_mcp.index.search.snapshot import Legs, open_legs
from blog_search_mcp.index.store.link_targets import LinkTargets
from blog_search_mcp.index.store.translations import translations_in

if TYPE_CHECKING:
    from tests.support.blog import Blog, MakeBlog

POSTS = {
    "soup.md": "# Soup\n\nBoil an onion.\n",
    "soup.zh.md": "# 湯\n\n煮洋蔥。\n",
    "tea.md": "# Tea\n\nAfter [the soup](soup.md), and [a cake](cake.md), and [itself](tea.md).\n",
    "list.md": "# List\n\n- [Soup](soup.md): with an onion\n- [Tea](/tea/): without\n",
}
ADDRESSES = ("soup", "tea", "cake", "list")


def ids_of(legs: Legs) -> dict[str, int]:
    return {post.source: number for number, post in legs.catalog.every_post().items()}


def assert_as_if_worked_out_anew(made: Blog) -> None:
    with closing(open_legs(made.files, made.embedder)) as legs:
        posts = legs.catalog.every_post()
        translations = translations_in(posts)
        asked = LinkTargets(posts, translations)
        led = {address for address in ADDRESSES if legs.targets.of(address)}
        assert {address: legs.targets.of(address) for address in led} == {
            address: asked.of(address) for address in led
        }
        assert [legs.translations.of(post) for post in posts] == [
            translations.of(post) for post in posts
        ]


def led(made: Blog) -> set[str]:
    with closing(open_legs(made.files, made.embedder)) as legs:
        return {address for address in ADDRESSES if legs.targets.of(address)}


def test_links_lead_to_what_is_there_however_it_came(blog: MakeBlog) -> None:
    made = blog(POSTS)
    assert led(made) == {"soup", "tea"}
    assert_as_if_worked_out_anew(made)
    made.write({"soup.md": "# Soup\n\nBoil a leek.\n"})
    made.ingest()
    assert led(made) == {"soup", "tea"}
    assert_as_if_worked_out_anew(made)
    made.write({"cake.md": "# Cake\n\nBake it.\n"})
    made.ingest()
    assert led(made) == {"soup", "tea", "cake"}
    assert_as_if_worked_out_anew(made)
    (made.content / "soup.md").unlink()
    (made.content / "tea.md").unlink()
    made.ingest()
    assert led(made) == {"soup"}
    assert_as_if_worked_out_anew(made)


def test_translations_are_told_by_the_posts_of_today(blog: MakeBlog) -> None:
    made = blog(POSTS)
    with closing(open_legs(made.files, made.embedder)) as legs:
        ids = ids_of(legs)
        assert [source for _, source in legs.translations.others(ids["soup.md"])] == ["soup.zh.md"]
    (made.content / "soup.zh.md").unlink()
    made.ingest()
    with closing(open_legs(made.files, made.embedder)) as legs:
        assert legs.translations.of(ids_of(legs)["soup.md"]) == ()
    assert_as_if_worked_out_anew(made)
