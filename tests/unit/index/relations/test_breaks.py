"""Links that lead nowhere, and all those of which nobody can say so."""

from __future__ import annotations

from datetime import date

import pytest

from blog_search_mcp.index.posts.last_ingest import LastIngest
from blog_search_mcp.index.posts.left_out import ContentFolder, read_folder
from blog_search_mcp.index.relations.breaks import count_unjudged, find_breaks
from tests.support.blog import MakeBlog

TODAY = date(2026, 1, 15)


def breaks_of(
    blog: MakeBlog, linking: str, others: dict[str, str] | None = None
) -> list[tuple[str, str, str | None, str]]:
    """Ingest a post that links, with others; return href, reason, nearest post and draft."""
    made = blog({"blog/a.md": f"# First\n\n{linking}\n", **(OTHERS if others is None else others)})
    made.ingest(base_url="https://example.org", permalink="hugo")
    corpus = made.reader().corpus()
    sources = frozenset(post.source for post in corpus.posts.values())
    last = LastIngest(
        generation=1, created="", content=str(made.content), suffixes=(".md",), files={}
    )
    folder = read_folder(last, None, sources, TODAY)
    return [
        (
            each.link.href,
            each.reason,
            corpus.posts[each.nearest].source if each.nearest is not None else None,
            each.draft,
        )
        for each in find_breaks(corpus, folder)
    ]


OTHERS = {
    "blog/kv-cache.md": "# KV cache\n\n## Sizes\n\nHow large it is.\n",
    "blog/tokens/index.md": "# Tokens\n\nPieces of words.\n",
    "blog/b.md": "# B\n\nOne more.\n",
    "blog/c.md": "# C\n\nOne more.\n",
    "notes/tree.md": "# Trees\n\nOf notes.\n",
    "blog/secret.md": "---\ndraft: true\ndate: 2020-01-01\n---\n# Secret\n\nNot yet.\n",
    "blog/quiet.md": "---\nunlisted: true\n---\n# Quiet\n\nIn no list.\n",
    "blog/later.md": "---\ndate: 2030-01-01\n---\n# Later\n\nSome day.\n",
    "blog/picture.png": "",
    "blog/notes.txt": "",
}


@pytest.mark.parametrize(
    ("href", "reason", "nearest", "draft"),
    [
        ("/blog/kv-cash/", "missing", "blog/kv-cache.md", ""),
        ("https://example.org/blog/kv-caches/#sizes", "missing", "blog/kv-cache.md", ""),
        ("../token/", "missing", "blog/tokens/index.md", ""),
        ("kv-caches.md", "missing", "blog/kv-cache.md", ""),
        ("../notes/treess.md", "missing", "notes/tree.md", ""),
        ("ref:blog/kv-caches", "missing", "blog/kv-cache.md", ""),
        ("/blog/kv-cache/#size", "anchor", "blog/kv-cache.md", ""),
        ("#first-words", "anchor", "blog/a.md", ""),
        ("example.com/page", "scheme", None, ""),
        ("secret.md", "draft", None, "blog/secret.md"),
        ("/blog/secret/", "draft", None, "blog/secret.md"),
        ("/blog/later/", "draft", None, "blog/later.md"),
    ],
)
def test_a_link_that_leads_nowhere_is_found_with_what_was_meant(
    href: str, reason: str, nearest: str | None, draft: str, blog: MakeBlog
) -> None:
    shown = href if not href.startswith("ref:") else '{{< ref "blog/kv-caches" >}}'
    assert breaks_of(blog, f"See [it]({shown}).") == [(href, reason, nearest, draft)]


FINE = [
    "/blog/kv-cache/",
    "/blog//kv-cache",
    "/blog/KV-Cache/",
    "kv-cache.md#sizes",
    "/blog/kv-cache/#Sizes",
    "/blog/kv-cache/#:~:text=large",
    "/blog/kv-cache/#fn:1",
    "/blog/kv-cache/#comments",
    "/blog/",
    "/blog/page/2/",
    "/blog/tags/",
    "/tags/llm/",
    "/about/",
    "/docs/anything/",
    "/blog/picture.png",
    "/blog/elsewhere.png",
    "/blog/index.xml",
    "/blog/quiet/",
    "quiet.md",
    "notes.txt",
    "../../outside.md",
    "https://example.com/blog/nothing/",
    "https://example.com/blog/secret.md",
    "http://[broken",
    "mailto:me@example.org",
    "/",
    "#",
]


def test_what_cannot_be_known_to_be_broken_is_not_reported(blog: MakeBlog) -> None:
    text = "\n\n".join(f"[word]({href})" for href in FINE)
    assert breaks_of(blog, text) == []


def test_paths_are_judged_only_where_the_site_has_posts_and_little_else(blog: MakeBlog) -> None:
    three = "[x](/notes/one/) [x](/notes/two/)"
    assert breaks_of(blog, three) == []
    assert [each[0] for each in breaks_of(blog, "[x](/notes/one/)")] == ["/notes/one/"]


def test_a_post_in_a_language_may_be_shown_in_another_one(blog: MakeBlog) -> None:
    others = {**OTHERS, "ja/blog/d.md": "# D\n\nOne more.\n"}
    assert breaks_of(blog, "[x](/ja/blog/kv-cache/)", others) == []


def breaks_by_links(blog: MakeBlog, linking: str) -> tuple[list[str], int]:
    """Ingest a post that links, with others, by no configuration: the breaks, and the unjudged."""
    made = blog({**OTHERS, "blog/a.md": linking})
    corpus = made.reader().corpus()
    folder = ContentFolder(frozenset(post.source for post in corpus.posts.values()))
    return [each.link.href for each in find_breaks(corpus, folder)], count_unjudged(corpus)


def test_without_the_site_only_files_are_judged(blog: MakeBlog) -> None:
    linking = "[x](nothing.md) [y](/blog/nothing/) [z](nothing) [p](/a.png) [s](/) [o](//b.org/c)"
    assert breaks_by_links(blog, linking) == (["nothing.md"], 1)


def test_the_nearest_post_is_one_of_the_same_language(blog: MakeBlog) -> None:
    others = {
        "en/writing.md": "# Writing\n\nHow to write with it.\n",
        "de/writing.md": "# Schreiben\n\nWie man damit schreibt und was es kann.\n",
        "blog/a.md": "",
        "de/api.md": "# API\n\nWie man die Schnittstelle benutzt. [x](writings.md) [y](zzz.md)\n",
    }
    nearest = [near for _, _, near, _ in breaks_of(blog, "", others)]
    assert nearest == ["de/writing.md", None]
