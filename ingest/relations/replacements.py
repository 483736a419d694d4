"""Find the current post that replaces an older post."""

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping

from blog_search_mcp.index.types import VERSIONED, Post
from blog_search_mcp.ingest.relations.link_targets import ResolvedLink


def find_replacements(
    posts: Mapping[int, Post], links: Mapping[int, Iterable[ResolvedLink]]
) -> dict[int, int]:
    """Return the last replacement of each replaced post, by ID.

    A replaced post's own link counts first, then `find_versions`, then a link of the newer post.
    A post whose replacements run in a circle, or are more than 51 in a row, is absent.
    """
    next_posts = find_versions((number, post.source) for number, post in posts.items())
    for post, of_post in links.items():
        for link, target in of_post:
            if target and target.post != post and link.kind == "newer":
                next_posts[post] = target.post
            elif target and target.post != post and link.kind:
                next_posts.setdefault(target.post, post)
    current = dict(next_posts)
    for post in current:
        for _ in range(50):
            current[post] = next_posts.get(current[post], current[post])
    return {post: last for post, last in current.items() if last not in next_posts}


def find_versions(posts: Iterable[tuple[int, str]]) -> dict[int, int]:
    """Return the page that replaces each old version's page in Docusaurus, by ID.

    `posts` are (ID, source). If the current page is gone, the newest version takes its place.
    """
    places = {source.rpartition(".")[0]: post for post, source in posts}
    old_pages = defaultdict[str, list[tuple[list[int], str, int]]](list)
    for place, post in places.items():
        if old := VERSIONED.match(place):
            name, above = (old[2] or "docs_")[:-1], dict.fromkeys((old[1], ""))
            folders = (name, f"{name}_docs", f"{name}-docs", f"docs-{name}", f"docs/{name}")
            numbers = [int(digits) for digits in re.findall(r"\d{1,9}", old[3])]
            pages = [f"{up}{at}/{place[old.end() :]}" for up in above for at in folders]
            current = next(filter(places.__contains__, pages), pages[0])
            old_pages[current].append((numbers, old[3], post))
    every = ((places.get(page, max(old)[-1]), old) for page, old in old_pages.items())
    return {post: newest for newest, old in every for *_, post in old if post != newest}
