"""What a generator publishes of a site whose whole folder is given."""

from pathlib import Path

import pytest

from tests.support.front import Blog, made

POST = "---\ntitle: A post\n---\nWords.\n"
HUGO = "baseURL = 'https://example.org'\n"
MKDOCS = "exclude_docs: |\n  private/\n  !/templates/kept.md\ndraft_docs: '*.draft.md'\n"
JEKYLL = "collections: {recipes: {output: true}}\ninclude: [_pages]\nexclude: [notes/, '*.d.md']\n"
RENDER = "[index.qmd, ./posts/, '*.md', '!posts/old/', '!x.md']"
BOOK = "[a.qmd, {part: One, chapters: [b/c.md]}]"
MOUNTS = "[[module.mounts]]\nsource = 'b'\ntarget = 'content'\n"

SITES = [
    ("hugo.toml", HUGO, "content/_index.md content/posts/a.md", "archetypes/b.md themes/x/a.md"),
    ("hugo.toml", f"{HUGO}[languages.zh]\ncontentDir = 'zh'\n", "content/a.md zh/a.md", "b.md"),
    ("hugo.toml", f"{HUGO}{MOUNTS}excludeFiles = ['x/*']\n", "b/a.md c.md", "b/x/a.md"),
    ("config.toml", "base_url = ''\n", "content/blog/a.md", "templates/a.md content/b.mdx"),
    ("_config.yml", "source_dir: source\n", "source/_posts/a.md source/b.md", "scaffolds/a.md"),
    (
        "_config.yml",
        JEKYLL,
        "_pages/about.md _posts/a.md _recipes/soup.md news/_posts/b.md",
        "_includes/part.md a.d.md notes/x.md",
    ),
    ("_config.yml", "collections: [r]\nsource: s\n", "s/a.md", "b.md s/_d/a.md s/_r/soup.md"),
    (
        "_config.yml",
        "collections: {log: {output: false}, ware: {permalink: /w/}}\nexclude: [old, d/*.x.md]\n",
        "_posts/a.mkdown b/old/a.md",
        "_log/a.md _posts/_wip/a.md _ware/a.md d/e/a.x.md old-a.md old/a.md",
    ),
    (
        "hugo.toml",
        HUGO + r"ignoreFiles = ['\.wip\.md$', '(?i)/KELLER/', '酒窖', '(a+)+$']" + "\n",
        "content/a.md content/wip.md",
        "content/Keller/a.md content/b/a.wip.md content/酒窖/a.md",
    ),
    (
        "config.toml",
        "base_url = ''\r\nignored_content = ['*.{wip,tmp}.md', 'cellar/*', 'content/x.md']\r\n",
        "content/a.md",
        "content/a.wip.md content/b/a.tmp.md content/b/cellar/c/a.md content/x.md",
    ),
    (
        "_config.yml",
        "source_dir: source\nexclude: ['wip/**', '_posts/x.md']\nignore: ['**/foo']\n"
        "skip_render: README.md\n",
        "source/_posts/a.md source/b/wip/a.md",
        "source/README.md source/_posts/_d/a.md source/_posts/x.md source/b/foo/a.md "
        "source/wip/b/a.md",
    ),
    (
        "mkdocs.yml",
        MKDOCS,
        "docs/a.md docs/blog/posts/b.markdown docs/templates/kept.md",
        "b.md docs/a.draft.md docs/b.mdx docs/private/c.md docs/templates/d.md",
    ),
    ("mkdocs.yml", "docs_dir: ./notes/\n", "notes/a.md", "docs/a.md"),
    (
        "mkdocs.yml",
        "plugins: [exclude: {glob: ['*.tmp.md', 'wip/*']}]\n",
        "docs/a.mkd",
        "docs/b/a.tmp.md docs/wip/b/a.md",
    ),
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
    (
        "docusaurus.config.ts",
        "docs: {\n  // exclude: ['docs/a.md'],\n  exclude: [...usual, // it's the usual\n"
        "    `**/*.x.{md,mdx}`, '**/@(wip|草稿)/**'],\n},\n"
        "sitemap: {ignorePatterns: ['/docs/**']}, blog: {include: ['**/*.md', '!**/mine/**']},\n",
        "blog/a.md docs/build/b.md",
        "blog/_next/a/b.md blog/_partials/e.md blog/mine/a.md build/f.md docs/a.x.mdx "
        "docs/b/wip/a.md docs/草稿/a.md",
    ),
    (
        "astro.config.mjs",
        "",
        "src/content/a.md src/pages/dist/b.md",
        "dist/c.md public/d.md src/content/blog/_wip/a/e.md",
    ),
    (
        ".vitepress/config.mts",
        "export default { srcDir: './src', srcExclude: ['**/TODO.md', 'wip/**/*.md'] }\n",
        "src/_guide/a.md",
        "README.md src/a/TODO.md src/wip/b/a.md",
    ),
    ("_quarto.yml", f"project: {{}}\nbook: {{chapters: {BOOK}}}\n", "a.qmd b/c.md", "b/d.md x.qmd"),
    ("_config.json", '{"source_dir": "s", "exclude": ["x/*"]}', "s/a.md", "s/x/a.md"),
    ("_config.toml", "exclude = ['x']\n", "_posts/a.md", "x/a.md"),
    ("quartz.config.ts", "plugins: []\n", "content/a.md content/private/b.md", "docs/a.md"),
    (
        "quartz.config.ts",
        "c: { ignorePatterns: ['private', '**/diary', '!(*.md)', '*.x.md'] }\n",
        "content/a.md content/b/private/a.md",
        "content/a.x.md content/b/diary/a.md content/private/b/a.md",
    ),
    ("eleventy.config.js", "", "_posts/a.md src/c.md", "_site/f.md src/_includes/g.md"),
    (
        "eleventy.config.cjs",
        "/* c.ignores.add('src/a.md') */ c.ignores.add(\"./src/wip/**\");\n"
        "c.ignores.delete('src/a.md'); return { dir: { input: 'src' } };\n",
        "src/a.md",
        "b.md src/wip/c/a.md",
    ),
    ("pelicanconf.py", "", "content/a.md", "output/a.md"),
    (
        "pelicanconf.py",
        "PATH = 'content'\nARTICLE_EXCLUDES = (\n  'wip',  # 'a.md'\n)\n"
        "PAGE_EXCLUDES += ['x']\nIGNORE_FILES = ['*.tmp.md']\n",
        "content/a.md content/b/wip/a.md",
        "README.md content/b/a.tmp.md content/wip/a.md content/x/a.md",
    ),
    ("pelicanconf.py", "ARTICLE_PATHS = ['log', 'x']\n", "log/a.md pages/b.md", "mine/a.md"),
    (
        ".vuepress/config.mts",
        "pagePatterns: ['*.md', '!x/**']",
        "plugins/a.md",
        "public/a.md x/a.md",
    ),
    ("conf.py", "exclude_patterns += ['wip']\n", "a.md", "_build/b.md wip/b/a.md"),
    ("conf.py", "print('x')\n", "_build/b.md a.md", ""),
    ("myst.yml", "project:\n  exclude:\n    - wip/*\n    - b.md\n", "a.md", "b.md wip/a.md"),
    ("_config.ts", "site.ignore('wip', \"b.md\");\n", "a.md", "_x/a.md b.md wip/a.md"),
    ("config.rb", "activate :blog\nignore 'wip/*'\n", "source/a.md", "source/wip/b/a.md"),
    ("_cobalt.yml", "ignore: [wip/*, b.md]\n", "a.md", "b.md c/b.md wip/a.md"),
    ("nuxt.config.ts", "ignores: ['x']\n", "content/plugins/a.md", "a.md content/b/x/a.md"),
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


META = "project: {}\nwebsite: {title: x}\nmetadata-files:\n"
SUMMARY = "[In](./README.md)\r\n- [A b](<a%20b.md#c>)\r\n  - [麦](d/麦.md)\r\n- [-]()\r\n"
TEXTS: list[tuple[dict[str, str], str, str]] = [
    (
        {"book.toml": "[book]\nsrc = 'text' # the chapters\n", "text/SUMMARY.md": SUMMARY},
        "text/README.md text/a%20b.md text/d/麦.md",
        "README.md text/d/a.md text/e.md",
    ),
    ({".gitbook.yaml": "root: d\n", "d/SUMMARY.md": "[A](a.md)"}, "d/README.md d/a.md", "d/b.md"),
    (
        {
            ".gitbook.yaml": "root: ./docs/\nstructure:\n  summary: in/toc.md\n",
            "docs/in/toc.md": '* [A](a.md "Of it")\n',
        },
        "docs/README.md docs/a.md",
        "docs/b.md",
    ),
    ({"book.js": "", "SUMMARY.md": "* [A](./a.md#x)\n"}, "README.md a.md", "b.md"),
    ({".eleventy.js": "c.setUseGitIgnore(false)", ".gitignore": "x\n"}, "x/a.md", ""),
    ({"mkdocs.yml": "INHERIT: b.yml\n", "b.yml": "exclude_docs: x\n"}, "docs/a.md", "docs/x/a.md"),
    ({"_quarto.yml": f"{META}  - ./s.yml\n", "s.yml": "website: {drafts: x.md}\n"}, "a.md", "x.md"),
    (
        {
            "astro.config.mjs": "",
            "src/content.config.ts": "glob({ pattern: ['**/*.md', '!**/wip/*', `!x.md`], base })",
        },
        "src/content/a.md",
        "src/content/wip/a.md src/content/x.md",
    ),
    (
        {
            ".eleventy.js": "",
            ".eleventyignore": "# b.md\r\nREADME.md\r\nsrc/wip/\r\n!src/wip/a.md\r\n",
            ".gitignore": "/mine\n",
            "package.json": "{}",
        },
        "b.md src/README.md",
        "README.md mine/a.md src/wip/a.md",
    ),
]


@pytest.mark.parametrize(("files", "published", "others"), TEXTS)
def test_a_file_beside_the_settings_tells_what_is_not_built(
    files: dict[str, str], published: str, others: str, tmp_path: Path
) -> None:
    places = [place.replace("%20", " ") for place in (*published.split(), *others.split())]
    blog = made(tmp_path, {**files, **dict.fromkeys(places, POST)})
    assert sorted(blog.posts()) == [place.replace("%20", " ") for place in published.split()]


@pytest.mark.parametrize(
    ("files", "folder", "published"),
    [
        ({"mkdocs.yml": "exclude_docs: in/\n", "docs/in/a.md": POST}, "docs", ["b.md"]),
        (
            {"hugo.toml": f"{HUGO}ignoreFiles = ['/in/']\n", "content/in/a.md": POST},
            "content",
            ["b.md"],
        ),
        ({"mkdocs.yml": "exclude_docs: docs/in/\n"}, "docs/in", ["b.md"]),
        ({"docusaurus.config.js": "", "_wip/x/a.md": POST}, "_wip", ["b.md", "x/a.md"]),
    ],
)
def test_of_a_part_of_a_site_its_settings_count_unless_they_name_the_part(
    files: dict[str, str], folder: str, published: list[str], tmp_path: Path
) -> None:
    blog = made(tmp_path, {"z.md": POST, **files, f"{folder}/b.md": POST})
    part = Blog(blog.content / folder, blog.index.with_name("part"))
    assert part.ingest().status == 0
    assert sorted(part.posts()) == published


def test_an_expression_that_is_none_of_re2_stops_the_ingest(tmp_path: Path) -> None:
    blog = Blog(tmp_path / "content", tmp_path / "index")
    blog.content.mkdir()
    blog.write({"hugo.toml": f"{HUGO}ignoreFiles = ['(?=x)']\n", "content/a.md": POST})
    ran = blog.ingest()
    assert ran.status == 1
    assert "(?=x)" in ran.err


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
