"""What a generator publishes of a site whose whole folder is given."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.front import Blog, made

POST = "---\ntitle: A post\n---\nWords.\n"
HUGO = "baseURL = 'https://example.org'\n"
MKDOCS = "exclude_docs: |\n  private/\n  !/templates/kept.md\ndraft_docs: '*.draft.md'\n"
JEKYLL = "collections: {recipes: {output: true}}\ninclude: [_pages]\nexclude: [notes/, '*.d.md']\n"
RENDER = "[index.qmd, ./posts/, '*.md', '!posts/old/', '!x.md']"
MOUNTS = "[[module.mounts]]\nsource = 'b'\ntarget = 'content'\n"

SITES = [
    ("hugo.toml", HUGO, "content/_index.md content/posts/a.md", "archetypes/b.md themes/x/a.md"),
    ("hugo.toml", f"{HUGO}[languages.zh]\ncontentDir = 'zh'\n", "content/a.md zh/a.md", "b.md"),
    ("hugo.toml", f"{HUGO}{MOUNTS}", "b/a.md c.md", ""),
    ("config.toml", "base_url = ''\n", "content/blog/a.md", "templates/a.md content/b.mdx"),
    ("_config.yml", "source_dir: source\n", "source/_posts/a.md source/b.md", "scaffolds/a.md"),
    (
        "_config.yml",
        JEKYLL,
        "_pages/about.md _posts/a.md _recipes/soup.md news/_posts/b.md",
        "_includes/part.md a.d.md notes/x.md vendor/bundle/gems/a.md",
    ),
    ("_config.yml", "collections: [r]\nsource: s\n", "s/_r/soup.md s/a.md", "b.md s/_d/a.md"),
    (
        "mkdocs.yml",
        MKDOCS,
        "docs/a.md docs/blog/posts/b.markdown docs/templates/kept.md",
        "b.md docs/a.draft.md docs/b.mdx docs/private/c.md docs/templates/d.md",
    ),
    ("mkdocs.yml", "docs_dir: ./notes/\n", "notes/a.md", "docs/a.md"),
    (
        "_quarto.yml",
        "project: {type: website, output-dir: docs}\nwebsite: {drafts: [posts/d.qmd]}\n",
        "about.qmd posts/a/index.qmd posts/renv/b.md",
        "_extensions/x/a.md docs/a.md posts/_parts/c.md posts/c.mdx posts/d.qmd renv/b.md",
    ),
    (
        "_quarto.yml",
        f"project: {{type: website, render: {RENDER}}}\nwebsite: {{drafts: [posts/d.md, y, z]}}\n",
        "b/c.md index.qmd posts/a/b.qmd",
        "a/b.qmd notes/a.qmd posts/d.md posts/old/a.md x.md",
    ),
    ("_quarto.yml", "project: {}\nwebsite: {drafts: a.qmd, draft-mode: visible}\n", "a.qmd", ""),
    ("docusaurus.config.ts", "", "blog/a.md docs/build/b.md", "blog/_partials/e.md build/f.md"),
    ("astro.config.mjs", "", "src/content/a.md src/pages/dist/b.md", "dist/c.md public/d.md"),
    (".vitepress/config.mts", "", "a.md", ""),
    ("eleventy.config.js", "", "_posts/a.md src/c.md", "_site/f.md src/_includes/g.md"),
    ("pelicanconf.py", "", "content/a.md", "output/a.md"),
    ("unknown.yml", "", "_recipes/soup.md themes/a.md", ""),
]


@pytest.mark.parametrize(("name", "config", "published", "others"), SITES)
def test_of_a_site_s_whole_folder_only_what_it_publishes_is_indexed(
    name: str, config: str, published: str, others: str, tmp_path: Path
) -> None:
    posts = dict.fromkeys((*published.split(), *others.split()), POST)
    blog = made(tmp_path, {name: config, **posts})
    assert sorted(blog.posts()) == published.split()
    left_out = {skip["source"]: skip["reason"] for skip in blog.report["skipped"]}
    assert left_out == dict.fromkeys(others.split(), "not published")


def test_a_program_s_site_is_not_jekyll_s_for_a_file_of_its_name(tmp_path: Path) -> None:
    config = "url: https://example.org\nexclude: [b]\n"
    blog = made(
        tmp_path, {".eleventy.js": "", "_config.yml": config, "b/_posts/2024-05-12-a.md": POST}
    )
    assert [post.get("url") for post in blog.posts().values()] == [None]


def test_another_configuration_takes_in_what_it_publishes_now(tmp_path: Path) -> None:
    blog = made(tmp_path, {"hugo.toml": HUGO, "content/a.md": POST, "posts/b.md": POST})
    blog.write({"hugo.toml": f"{HUGO}contentDir = 'posts'\n"})
    assert blog.ingest().status == 0
    assert list(blog.posts()) == ["posts/b.md"]


def test_a_folder_of_a_site_is_taken_as_it_is_named(tmp_path: Path) -> None:
    blog = made(tmp_path, {"hugo.toml": HUGO, "content/b.md": POST, "notes/a.md": POST})
    notes = Blog(blog.content / "notes", blog.index.with_name("notes"))
    assert notes.ingest().status == 0
    assert list(notes.posts()) == ["a.md"]
