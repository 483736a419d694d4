"""Links that lead nowhere, and all those of which nobody can say so."""

from blog_search_mcp.ingest.last_ingest import ContentFolder, read_folder, read_last_ingest
from blog_search_mcp.server.author.broken_links import find_breaks
from blog_search_mcp.server.author.corpus import Corpus
from tests.support.blog import MakeBlog

OTHERS = {
    "blog/kv-cache.md": "# KV cache\n\n## Sizes\n\nHow large it is.\n",
    "blog/tokens/index.md": "# Tokens\n\nPieces of words.\n",
    "blog/b.md": "# B\n\nOne more.\n",
    "blog/c.md": "# C\n\nOne more.\n",
    "ja/blog/d.md": "# D\n\nOne more.\n",
    "notes/tree.md": "# Trees\n\nOf notes.\n",
    "blog/secret.md": "---\ndraft: true\ndate: 2020-01-01\n---\n# Secret\n\nNot yet.\n",
    "blog/quiet.md": "---\nunlisted: true\n---\n# Quiet\n\nIn no list.\n",
    "blog/later.md": "---\ndate: 2030-01-01\n---\n# Later\n\nSome day.\n",
    "README.md": "---\ndraft: true\n---\n# Home\n\nNot yet.\n",
    "blog/picture.png": "",
    "blog/notes.txt": "",
}


def find(blog: MakeBlog, linking: str) -> list[tuple[int, str, tuple[str, ...]]]:
    """Ingest a post that links, with others; return the line, the kind, and what is named."""
    made = blog({**OTHERS, "blog/a.md": f"# First\n\n{linking}\n"})
    made.ingest(base_url="https://example.org", permalink="hugo")
    corpus = Corpus(made.reader().snapshot)
    sources = frozenset(post.source for post in corpus.posts.values())
    folder = read_folder(read_last_ingest(made.store), sources)
    links, anchors = find_breaks(corpus, folder)
    named = [("draft" if "not published" in e.detail else "link", e) for e in links]
    named += [("anchor", each) for each in anchors]
    return sorted((each.line, kind, each.others) for kind, each in named)


BROKEN = [
    ('{{< ref "blog/kv-caches" >}}', "link", "blog/kv-cache.md"),
    ("/blog/kv-cash/", "link", "blog/kv-cache.md"),
    ("https://example.org/blog/kv-caches/#sizes", "link", "blog/kv-cache.md"),
    ("../token/", "link", "blog/tokens/index.md"),
    ("kv-caches.md", "link", "blog/kv-cache.md"),
    ("zzz.md", "link", ""),
    ("../notes/treess.md", "link", "notes/tree.md"),
    ("/blog/kv-cache/#size", "anchor", "blog/kv-cache.md"),
    ("#first-words", "anchor", "blog/a.md"),
    ("secret.md", "draft", "blog/secret.md"),
    ("/blog/secret/", "draft", "blog/secret.md"),
    ("/blog/later/", "draft", "blog/later.md"),
]


def test_a_link_that_leads_nowhere_is_found_with_what_was_meant(blog: MakeBlog) -> None:
    links = "\n\n".join(f"See [it]({href})." for href, *_ in BROKEN)
    assert find(blog, links) == [
        (3 + 2 * place, kind, (named,) if named else ())
        for place, (_, kind, named) in enumerate(BROKEN)
    ]


FINE = [
    "/blog/kv-cache/",
    "/blog/KV-Cache/",
    "kv-cache.md#sizes",
    "/blog/kv-cache/#Sizes",
    "/blog/kv-cache/#:~:text=large",
    "/blog/kv-cache/#comments",
    "/ja/blog/kv-cache/",
    "/blog/",
    "/blog/page/2/",
    "/blog/tags/",
    "/tags/llm/",
    "/about/",
    "/notes/one/",
    "/notes/two/",
    "/blog/picture.png",
    "/blog/index.xml",
    "/blog/quiet/",
    "quiet.md",
    "notes.txt",
    "../../outside.md",
    "https://example.com/blog/secret.md",
    "http://[broken",
    "mailto:me@example.org",
    "/",
    "#",
]


def test_what_cannot_be_known_to_be_broken_is_not_reported(blog: MakeBlog) -> None:
    assert find(blog, "\n\n".join(f"[word]({href})" for href in FINE)) == []
    assert [kind for _, kind, _ in find(blog, "[x](/notes/one/)")] == ["link"]


def test_without_the_site_only_files_are_judged(blog: MakeBlog) -> None:
    linking = "[x](nothing.md) [y](/blog/nothing/) [z](nothing) [p](/a.png) [s](/) [o](//b.org/c)"
    corpus = Corpus(blog({**OTHERS, "blog/a.md": linking}).reader().snapshot)
    folder = ContentFolder(frozenset(post.source for post in corpus.posts.values()))
    [broken], anchors = find_breaks(corpus, folder)
    assert ("nothing.md" in broken.detail, anchors) == (True, [])
