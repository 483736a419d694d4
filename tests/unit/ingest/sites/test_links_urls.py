"""Links from a content folder to the answer: one small site of each generator.

Every expected link was read off the page that the generator itself rendered of these files.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from blog_search_mcp.index.types import Filters
from blog_search_mcp.ingest.report import LinkCounts
from blog_search_mcp.server.tools.base import ToolReply
from blog_search_mcp.server.tools.read_chunk import describe_place
from blog_search_mcp.server.tools.search_blog import SEARCH_BLOG
from tests.support.blog import Blog

FILLER = " ".join(f"And so on, {number}." for number in range(120))
"""One paragraph that is too large to share a chunk."""

BODY = f"""\
Zebras come first. {FILLER}

## 快取與記憶體 (KV)

Walrus. {FILLER}

## Setup

Heron. {FILLER}

## Setup

Ibis. {FILLER}
"""
ANIMALS = ("zebras", "walrus", "heron", "ibis")

HUGO = {
    "hugo.toml": (
        'baseURL = "https://example.org/blog/"\n'
        '[permalinks.page]\nnotes = "/:year/:month/:slug/"\n'
        "[languages.en]\nweight = 1\n[languages.zh]\nweight = 2\n"
    ),
    "content/posts/animals/index.md": f"---\ntitle: Animals\n---\n{BODY}",
    "content/posts/animals/index.zh.md": "---\ntitle: 動物\n---\n## 長頸鹿\n\n長頸鹿很高。\n",
    "content/notes/x.md": "---\ntitle: A Note: 筆記\ndate: 2024-05-12\n---\nGiraffe.\n".replace(
        "A Note: 筆記", '"A Note: 筆記"'
    ),
    "content/notes/y.md": "---\ntitle: Y\nslug: My Slug\ndate: 2024-05-12\n---\nOkapi.\n",
}
JEKYLL = {
    "_config.yml": "url: https://example.org\nbaseurl: /blog\n",
    "_posts/2024-05-12-animals.md": f"---\ntitle: Animals\ncategories: [Big Ones]\n---\n{BODY}",
    "_posts/2024-05-13-筆記.md": "---\ntitle: N\n---\nGiraffe.\n",
    "_posts/2024-05-14-y.md": "---\ntitle: Y\nslug: My Slug\n---\nOkapi.\n",
}
HEXO = {
    "_config.yml": (
        "title: T\nurl: https://example.org/blog\nroot: /blog/\n"
        "permalink: :year/:month/:day/:title/\nsource_dir: source\n"
    ),
    "source/_posts/animals.md": f"---\ntitle: Animals\ndate: 2024-05-12 01:02:03\n---\n{BODY}",
    "source/_posts/筆記.md": "---\ntitle: N\ndate: 2024-05-13\n---\nGiraffe.\n",
    "source/_posts/y.md": "---\ntitle: Y\npermalink: my-slug.html\n---\nOkapi.\n",
}
ZOLA = {
    "config.toml": 'base_url = "https://example.org/blog"\n',
    "content/posts/2024-05-12-animals/index.md": f'+++\ntitle = "Animals"\n+++\n{BODY}',
    "content/posts/筆記.md": '+++\ntitle = "N"\n+++\nGiraffe.\n',
    "content/posts/y.md": '+++\ntitle = "Y"\nslug = "My Slug"\n+++\nOkapi.\n',
}
BLOG = "https://example.org/blog"


def made(root: Path, files: dict[str, str], content: str) -> Blog:
    for name, text in files.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text, encoding="utf-8")
    blog = Blog(root / content, root.parent / "index")
    blog.ingest()
    return blog


def answered(blog: Blog, query: str, **given: str) -> ToolReply:
    return SEARCH_BLOG.call(blog.engine(), {"query": query, "top_k": 1, **given})


def url(blog: Blog, query: str) -> str | None:
    """The link of the first hit."""
    facts = answered(blog, query).facts
    assert facts is not None
    [hit] = facts["results"]
    assert hit.get("url") != ""
    found: str | None = hit.get("url")
    return found


def urls(blog: Blog, *queries: str) -> list[str | None]:
    found = [url(blog, query) for query in queries]
    for live in blog.live:
        live.close()
    return found


@pytest.mark.parametrize("content", ["content", "."])
def test_links_of_a_hugo_site(content: str, tmp_path: Path) -> None:
    blog = made(tmp_path / "site", HUGO, content)
    assert urls(blog, *ANIMALS, "長頸鹿", "giraffe", "okapi") == [
        f"{BLOG}/posts/animals/",
        f"{BLOG}/posts/animals/#快取與記憶體-kv",
        f"{BLOG}/posts/animals/#setup",
        f"{BLOG}/posts/animals/#setup-1",
        f"{BLOG}/zh/posts/animals/#長頸鹿",
        f"{BLOG}/2024/05/a-note-%E7%AD%86%E8%A8%98/",
        f"{BLOG}/2024/05/my-slug/",
    ]


@pytest.mark.parametrize("content", [".", "_posts"])
def test_links_of_a_jekyll_site(content: str, tmp_path: Path) -> None:
    blog = made(tmp_path / "site", JEKYLL, content)
    assert urls(blog, *ANIMALS, "giraffe", "okapi") == [
        f"{BLOG}/big%20ones/2024/05/12/animals.html",
        f"{BLOG}/big%20ones/2024/05/12/animals.html#快取與記憶體-kv",
        f"{BLOG}/big%20ones/2024/05/12/animals.html#setup",
        f"{BLOG}/big%20ones/2024/05/12/animals.html#setup-1",
        f"{BLOG}/2024/05/13/%E7%AD%86%E8%A8%98.html",
        f"{BLOG}/2024/05/14/My-Slug.html",
    ]


@pytest.mark.parametrize("content", ["source", "source/_posts"])
def test_links_of_a_hexo_site(content: str, tmp_path: Path) -> None:
    blog = made(tmp_path / "site", HEXO, content)
    assert urls(blog, *ANIMALS, "giraffe", "okapi") == [
        f"{BLOG}/2024/05/12/animals/",
        f"{BLOG}/2024/05/12/animals/",
        f"{BLOG}/2024/05/12/animals/",
        f"{BLOG}/2024/05/12/animals/",
        f"{BLOG}/2024/05/13/%E7%AD%86%E8%A8%98/",
        f"{BLOG}/my-slug.html",
    ]


@pytest.mark.parametrize("content", ["content", "content/posts"])
def test_links_of_a_zola_site(content: str, tmp_path: Path) -> None:
    blog = made(tmp_path / "site", ZOLA, content)
    assert urls(blog, *ANIMALS, "giraffe", "okapi") == [
        f"{BLOG}/posts/animals/",
        f"{BLOG}/posts/animals/",
        f"{BLOG}/posts/animals/",
        f"{BLOG}/posts/animals/",
        None,
        f"{BLOG}/posts/my-slug/",
    ]


def test_a_blog_without_a_site_has_no_links(tmp_path: Path) -> None:
    files = {"content/animals.md": BODY}
    assert urls(made(tmp_path / "site", files, "content"), *ANIMALS) == [None] * 4


def test_a_link_stands_in_markdown_and_where_a_passage_stands(tmp_path: Path) -> None:
    blog = made(tmp_path / "site", HUGO, "content")
    link = f"{BLOG}/posts/animals/#快取與記憶體-kv"
    [text] = answered(blog, "walrus", response_format="markdown").texts
    assert f"\n   <{link}>\n   > " in text
    reader = blog.reader()
    [hit] = reader.search("walrus", Filters(), limit=1, offset=0).hits
    place = describe_place(reader.read(hit.post.source, hit.chunk.index, 0))
    assert f"\nurl: {link}\n" in place
    for live in blog.live:
        live.close()


def test_another_base_url_makes_every_link_anew_and_embeds_nothing(tmp_path: Path) -> None:
    blog = made(tmp_path / "site", HUGO, "content")
    unchanged = blog.ingest()
    config = blog.content.parent / "hugo.toml"
    text = config.read_text(encoding="utf-8").replace("example.org", "example.net")
    config.write_text(text, encoding="utf-8")
    report = blog.ingest()
    assert (unchanged.generation, report.generation, report.embedded) == (1, 2, 0)
    assert url(blog, "walrus") == "https://example.net/blog/posts/animals/#快取與記憶體-kv"
    for live in blog.live:
        live.close()


def test_the_report_counts_links_and_says_why_the_others_have_none(tmp_path: Path) -> None:
    config = HEXO["_config.yml"].replace(":day/:title", ":hash/:title")
    blog = made(tmp_path / "site", {**HEXO, "_config.yml": config}, "source")
    report = blog.ingest(rebuild=True)
    assert report.links == LinkCounts(1, {"the pattern's :hash is not known or not sure": 2})
    assert urls(blog, "walrus", "okapi") == [None, f"{BLOG}/my-slug.html"]
