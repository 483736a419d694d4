"""What a generator publishes of a site whose whole folder is given."""

from __future__ import annotations

from pathlib import Path

import pytest

from blog_search_mcp.index.posts.walk import NOT_PUBLISHED, Skipped
from tests.support.blog import Blog

POST = "---\ntitle: A post\n---\nWords.\n"
HUGO = "baseURL = 'https://example.org'\n"


def made(root: Path, config: dict[str, str], *posts: str) -> Blog:
    blog = Blog(root / "site", root / "index")
    blog.write({**dict.fromkeys(posts, POST), **config})
    return blog


@pytest.mark.parametrize(
    ("config", "published", "others"),
    [
        (
            {"hugo.toml": HUGO},
            ["content/_index.md", "content/posts/a.md"],
            ["archetypes/default.md", "themes/x/README.md", "themes/x/content/a.md"],
        ),
        (
            {"hugo.toml": f"{HUGO}[languages.zh]\ncontentDir = 'chinese'\n"},
            ["chinese/a.md", "content/a.md"],
            ["other/a.md"],
        ),
        (
            {"hugo.toml": f"{HUGO}[[module.mounts]]\nsource = 'b'\ntarget = 'content'\n"},
            ["b/a.md", "c.md"],
            [],
        ),
        (
            {"config.toml": "base_url = 'https://example.org'\n"},
            ["content/blog/a.md"],
            ["templates/shortcodes/note.md", "themes/x/content/a.md"],
        ),
        (
            {"_config.yml": "url: https://example.org\nsource_dir: source\n"},
            ["source/_posts/a.md", "source/about/index.md"],
            ["scaffolds/post.md", "themes/next/README.md"],
        ),
        (
            {
                "_config.yml": "collections:\n  recipes:\n    output: true\n"
                "include: [_pages]\nexclude: [notes/, '*.draft.md']\n"
            },
            ["_pages/about.md", "_posts/2024-01-02-a.md", "_recipes/soup.md", "news/_posts/b.md"],
            ["_includes/part.md", "a.draft.md", "notes/x.md", "vendor/bundle/gems/a/README.md"],
        ),
        (
            {"_config.yml": "collections: [recipes]\nsource: src\n"},
            ["src/_recipes/soup.md", "src/a.md"],
            ["README.md", "src/_data/a.md"],
        ),
        (
            {
                "mkdocs.yml": "site_name: a\nexclude_docs: |\n  private/\n  !/templates/kept.md\n"
                "draft_docs: '*.draft.md'\n"
            },
            ["docs/a.md", "docs/blog/posts/b.markdown", "docs/templates/kept.md"],
            [
                "README.md",
                "docs/a.draft.md",
                "docs/b.mdx",
                "docs/private/c.md",
                "docs/templates/d.md",
                "includes/e.md",
                "site/f.md",
            ],
        ),
        ({"mkdocs.yml": "site_name: a\ndocs_dir: notes\n"}, ["notes/a.md"], ["docs/a.md"]),
        (
            {
                "_quarto.yml": "project: {type: website, output-dir: docs}\n"
                "website: {drafts: [posts/draft/index.qmd]}\n"
            },
            ["about.qmd", "posts/a/index.qmd", "posts/renv/b.md"],
            [
                "_extensions/x/a.md",
                "docs/a.md",
                "posts/README.md",
                "posts/_parts/c.md",
                "posts/c.mdx",
                "posts/draft/index.qmd",
                "renv/library/d/NEWS.md",
            ],
        ),
        (
            {
                "_quarto.yml": "project:\n  type: site\n"
                "  render: [index.qmd, ./posts/, 'talks/*.qmd', '!posts/old/', '!x.md']\n"
            },
            ["b/talks/c.qmd", "index.qmd", "posts/a/b.md", "talks/c.qmd"],
            ["a/index.qmd", "notes/a.md", "posts/a/x.md", "posts/old/a.md", "talks/c/d.qmd"],
        ),
        (
            {
                "_quarto.yml": "project: {type: website}\n"
                "website: {drafts: a.qmd, draft-mode: visible}\n"
            },
            ["a.qmd"],
            [],
        ),
        ({"_quarto.yml": "project: {type: book}\n"}, ["_a/b.md", "c.mdx"], []),
        (
            {"docusaurus.config.ts": ""},
            ["blog/2024-05-12-a.md", "docs/build/b.md", "i18n/de/c.md", "src/pages/d.md"],
            ["blog/_parts/e.md", "build/f.md", "static/g.md"],
        ),
        (
            {"astro.config.mjs": ""},
            ["src/content/blog/a.md", "src/pages/dist/b.md"],
            ["dist/c.md", "public/d.md"],
        ),
        ({".vitepress/config.mts": ""}, ["a.md", "public/b.md"], []),
        (
            {"eleventy.config.js": ""},
            ["_posts/a.md", "b.md", "src/c.md"],
            ["_data/d.md", "_includes/e.md", "_site/f.md", "src/_includes/g.md"],
        ),
        ({".eleventy.js": "", "_config.yml": "exclude: [b]"}, ["b/c.md"], ["_site/f.md"]),
        ({}, ["_recipes/soup.md", "themes/a.md"], []),
    ],
)
def test_of_a_site_s_whole_folder_only_what_it_publishes_is_indexed(
    config: dict[str, str], published: list[str], others: list[str], tmp_path: Path
) -> None:
    blog = made(tmp_path, config, *published, *others)

    report = blog.ingest()

    assert sorted(blog.manifest.posts) == published
    assert report.skipped == tuple(Skipped(source, NOT_PUBLISHED) for source in others)


def test_another_configuration_takes_in_what_it_publishes_now(tmp_path: Path) -> None:
    blog = made(tmp_path, {"hugo.toml": HUGO}, "content/a.md", "posts/b.md")
    blog.ingest()
    blog.write({"hugo.toml": f"{HUGO}contentDir = 'posts'\n"})

    assert blog.ingest().skipped == (Skipped("content/a.md", NOT_PUBLISHED),)
    assert list(blog.manifest.posts) == ["posts/b.md"]


def test_a_folder_of_a_site_is_taken_as_it_is_named(tmp_path: Path) -> None:
    blog = made(tmp_path, {"hugo.toml": HUGO}, "notes/a.md")
    notes = Blog(blog.content / "notes", blog.index)

    assert notes.ingest().skipped == ()
