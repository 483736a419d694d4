"""Addresses of posts by their site's configuration or options.

All were rendered by the generator itself, those of Quarto are as it documents them.
"""

import json
from pathlib import Path
from typing import Any

import pytest

from tests.support.front import Blog, made

URL = "https://ferry.example/b"
WORDS = "\nThe ferry leaves at noon.\n"


def write(front: str) -> str:
    """A post with this front matter."""
    return f"---\n{front}\n---\n{WORDS}" if front else WORDS


def addresses(blog: Blog) -> dict[str, str | None]:
    """The paths of posts below the site's, by source."""
    urls = {source: post.get("url") for source, post in blog.posts().items()}
    assert all(url is None or url.startswith(URL + "/") for url in urls.values())
    return {source: url and url.removeprefix(URL) for source, url in urls.items()}


TITLE = 'title: "It\'s A Title: 中文 & a/b"; date: 2024-05-12T01:00:00+08:00'
HUGO = f"baseURL: {URL}/\n"
JEKYLL = "url: https://ferry.example\nbaseurl: /b\n"
HEXO = f"url: {URL}\nsource_dir: source\n"
ZOLA = f'base_url = "{URL}"\n'
MKDOCS = f"site_url: {URL}/\ntheme: {{name: material}}\n"
QUARTO = f"project: {{type: website}}\nwebsite: {{site-url: {URL}}}\n"

SITES = [
    (
        {"hugo.yaml": HUGO + "languages: {en: {}, zh: {}}\n"},
        """
        content/posts/a.md | TITLE | /posts/a/
        content/_index.md | TITLE | /
        content/posts/sub/deep.md | TITLE | /posts/sub/deep/
        content/posts/bundle/index.md | TITLE | /posts/bundle/
        content/posts/bundle/part.md | TITLE | -
        content/posts/bundle/deep/index.md | TITLE | -
        content/posts/2024-05-12-dated.md | TITLE | /posts/2024-05-12-dated/
        content/posts/My (Näme) 中 v1.2+x&y.md | TITLE | /posts/my-n%C3%A4me-%E4%B8%AD-v1.2+xy/
        content/My - Notes & X/A & B.md | TITLE | /my---notes--x/a--b/
        content/posts/b.zh.md | TITLE | /zh/posts/b/
        content/posts/c.fr.md | TITLE | /posts/c.fr/
        content/posts/s1.md | slug: My Custom Slug | /posts/my-custom-slug/
        content/posts/s2.md | slug: A - b, c - | /posts/a-b-c/
        content/posts/s4.md | slug: 中文/x | /posts/%E4%B8%AD%E6%96%87/x/
        content/posts/s5.md | url: /custom/url/ | /custom/url/
        content/posts/s6.md | url: rel/url.html | /rel/url.html
        content/posts/s8.zh.md | url: rel/ | /zh/rel/
        content/posts/s9.md | url: /p/:year/ | -
        content/posts/s10.md | url: https://else.example/ | -
        """,
    ),
    (
        {
            "hugo.toml": f'BaseURL = "{URL}"\ndefaultContentLanguage = "zh"\n'
            "defaultContentLanguageInSubdir = true\n"
            '[permalinks]\nposts = "/:year/:month/:day/:slug/"\n'
            'times = "/:year/:monthname/:title/"\nnotes = "/:section/:slugorfilename/"\n'
            'docs = "/d/:sections/:contentbasename/:title"\nslices = "/:slug/:sections[1:]/"\n'
            '[permalinks.section]\nposts = "/archive/"\n[languages.zh]\n[languages.en]\n'
        },
        """
        content/posts/a.md | TITLE | /zh/2024/05/12/its-a-title-%E4%B8%AD%E6%96%87-a-b/
        content/posts/a.en.md | TITLE; slug: S t | /en/2024/05/12/s-t/
        content/posts/undated.md | title: x | -
        content/posts/plus.md | title: C++; date: 2024-05-12 | -
        content/posts/_index.md | TITLE | -
        content/docs/b.md | title: T - U | /zh/d/docs/b/t-u/
        content/docs/bundle/index.en.md | title: x | /en/d/docs/bundle/x/
        content/notes/x/y.md | TITLE | /zh/notes/y/
        content/times/x.md | TITLE | -
        content/slices/x.md | TITLE | -
        content/about.md | TITLE | /zh/about/
        """,
    ),
    (
        {
            "config/_default/config.yaml": HUGO + "frontmatter: {date: [':filename']}\n",
            "config/_default/permalinks.toml": 'posts = "/:year/:slugorfilename/"\n',
        },
        """
        content/posts/2024-05-12-dated.md | | /2024/dated/
        content/posts/b.de.md | TITLE | /2024/b.de/
        """,
    ),
    (
        {"hugo.yaml": HUGO + "languages: {ZH: {contentDir: content/chinese}, en: {}}\n"},
        """
        content/chinese/posts/a.md | | /zh/posts/a/
        content/posts/a.md | | /posts/a/
        """,
    ),
    (
        {"_config.yml": JEKYLL},
        """
        _posts/2024-05-12-a.md | categories: [Foo Bar, 中] | /foo%20bar/%E4%B8%AD/2024/05/12/a.html
        _posts/2024-05-12-Ä & (v1.2+x&y).md | | /2024/05/12/%C3%84-&-(v1.2+x&y).html
        _posts/2024-05-12-s2.md | slug: 中文 s! | /2024/05/12/%E4%B8%AD%E6%96%87-s!.html
        _posts/2024-05-12-s3.md | permalink: /custom/:title/ | /custom/s3/
        _posts/2024-05-12-s4.md | permalink: rel/x.html | /rel/x.html
        _posts/2024-05-12-s6.md | date: 2023-01-02 | /2023/01/02/s6.html
        _posts/2024-05-12-s8.md | categories: one Two one | /one/two/2024/05/12/s8.html
        _posts/2024-05-12-s9.md | category: O T; categories: [a] | /a/o%20t/2024/05/12/s9.html
        _posts/2024-05-12-n.md | categories: [[a, b]] | -
        _posts/2024-05-12-t1.md | date: 2024-05-12 23:30:00 -0800 | -
        _posts/2024-05-12-t3.md | date: 2024-05-12T01:30:00+08:00 | -
        _posts/2024-5-2-s7.md | | /2024/05/02/s7.html
        cat/dog/_posts/2024-05-12-s.md | categories: x | /cat/dog/x/2024/05/12/s.html
        _posts/undated.md | | -
        about.md | title: x | -
        """,
    ),
    (
        {"_config.yml": JEKYLL + "timezone: America/Los_Angeles\npermalink: /:day/:title\n"},
        """
        _posts/2024-05-12-a.md | date: 2024-05-12T01:30:00+08:00 | -
        _posts/2024-05-12-b.md | date: 2024-05-12 | /12/b
        _posts/2024-05-12-c.md | date: 2024-05-12 01:02:03 | -
        """,
    ),
    (
        {
            "_config.yml": JEKYLL
            + "permalink: none\ncollections: {notes: {output: true}}\ndefaults:\n"
            "- {scope: {path: '', type: posts}, values: {permalink: '/p/:title'}}\n"
            "- {scope: {path: x, type: pages}, values: {permalink: /y/}}\n"
        },
        """
        _posts/2024-05-12-s.md | | /p/s
        _notes/a.md | title: x | -
        """,
    ),
    (
        {"_config.yml": f"{JEKYLL}defaults: [{{scope: {{path: x}}, values: {{permalink: /n}}}}]\n"},
        """
        x/_posts/2024-05-12-s.md | | -
        _posts/2024-05-12-s.md | | -
        """,
    ),
    *(
        (
            {"_config.yml": f"{JEKYLL}permalink: {style}\n"},
            f"_posts/2024-05-12-Camel_under.md | categories: c; tags: d | {path}",
        )
        for style, path in (
            ("pretty", "/c/2024/05/12/Camel_under/"),
            ("none", "/c/Camel_under.html"),
            ("ordinal", "/c/2024/133/Camel_under.html"),
            ("weekdate", "/c/2024/W19/Sun/Camel_under.html"),
            ("/:categories/:short_year/:i_month/:slug:output_ext", "/c/24/5/camel-under.html"),
            ("/:year_:month/:foo", "-"),
        )
    ),
    (
        {"_config.yml": HEXO},
        """
        source/_posts/a.md | date: 2024-05-12 01:02:03 | /2024/05/12/a/
        source/_posts/sub/s4.md | date: 2024-05-12 | /2024/05/12/sub/s4/
        source/_posts/Ä 中 (v1.2+x&y).md | TITLE | -
        source/_posts/Ä (v1.2+x&y).md | date: 2024-05-12 | /2024/05/12/%C3%84%20(v1.2+x&y)/
        source/_posts/s2.md | permalink: custom/title/ | /custom/title/
        source/_posts/2024-05-13-nodate.md | | -
        source/about/index.md | TITLE | /about/index.html
        source/about/perm.md | permalink: /pp/q/ | -
        """,
    ),
    (
        {"_config.yml": f"{HEXO}permalink: :abbrlink-:i_month/:name.html\n"},
        """
        source/_posts/sub/a.md | date: 2024-05-12; abbrlink: 4a17b156 | /4a17b156-5/a.html
        source/_posts/b.md | date: 2024-05-12 | -
        """,
    ),
    (
        {"_config.yml": f"{HEXO}permalink: :title\npost_asset_folder: true\n"},
        "source/_posts/a.md | | /a/",
    ),
    (
        {"config.toml": ZOLA + "[languages.zh]\n"},
        """
        content/about.md | | /about/
        content/_index.md | | /
        content/posts/_index.md | | /posts/
        content/posts/bundle/index.zh.md | | /zh/posts/bundle/
        content/posts/b.zh.md | | /zh/posts/b/
        content/d.zh.md | | /zh/d/
        content/posts/!.md | | -
        content/posts/c.fr.md | | -
        content/posts/2024-05-12-dated.md | | /posts/dated/
        content/posts/2024-05-12-bun/index.md | | /posts/bun/
        content/posts/Sub Dir/My Post_v1.md | | /posts/Sub%20Dir/my-post-v1/
        content/posts/中文目錄/中文.md | | -
        content/posts/s.md | slug: 'My: Slug' | /posts/my-slug/
        content/posts/中.md | path: custom/Path/中 文 | /custom/Path/%E4%B8%AD%20%E6%96%87/
        """,
    ),
    *(
        (
            {"mkdocs.yml": f"site_url: {URL}\nuse_directory_urls: {str(not end).lower()}\n"},
            f"""
            docs/index.md | | /{"index.html" * bool(end)}
            docs/about.md | | /about{end or "/"}
            docs/guide/index.md | | /guide/{"index.html" * bool(end)}
            docs/guide/Näme & x.md | | /guide/N%C3%A4me%20%26%20x{end or "/"}
            docs/x.y/v1.2.markdown | | /x.y/v1.2{end or "/"}
            docs/blog/posts/plain.md | | /blog/posts/plain{end or "/"}
            docs/guide/README.md | | -
            """,
        )
        for end in ("", ".html")
    ),
    (
        {"mkdocs.yml": MKDOCS + "plugins: [search, blog]\n"},
        """
        docs/blog/posts/a.md | date: 2024-01-31; slug: a | -
        docs/blog/index.md | | /blog/
        """,
    ),
    (
        {"_quarto.yml": QUARTO},
        """
        about.qmd | | /about.html
        posts/welcome/index.qmd | format: html | /posts/welcome/index.html
        posts/Ä & v1.2.md | format: {pdf: {}, html: {}} | /posts/%C3%84%20%26%20v1.2.html
        posts/a.qmd | format: {pdf: default} | -
        posts/b.qmd | format: pdf | -
        posts/c.qmd | output-file: d.html | -
        """,
    ),
    # No address depends on these settings, which may be anything.
    ({"hugo.yaml": HUGO + "a: !!timestamp x\nb: !!bool x\n"}, "content/a.md | | /a/"),
    ({"hugo.yaml": HUGO + "common: &a {uglyURLs: false}\n<<: *a\n"}, "content/a.md | | /a/"),
    ({"mkdocs.yml": MKDOCS + "plugins: [[a], 1, null, {2: [b]}]\nextra: 1\n"}, "docs/a.md | | /a/"),
    ({"mkdocs.yml": MKDOCS + "x: !!python/object/apply:os.abort []\n"}, "docs/a.md | | /a/"),
    ({"_quarto.yml": QUARTO + "a: !expr x\n"}, "a.qmd | | /a.html"),
    # These name no address of the site.
    *(
        ({"hugo.toml": text}, "content/a.md | title: a | -")
        for text in (
            "baseURL = 1",
            'baseURL = ""',
            'baseURL = "/"',
            'baseURL = "file:///x"',
            "a = 1",
        )
    ),
]
"""Configurations, and a post a line: its place, its front matter with `;` between two fields, and
its path below the site's, `-` for none."""


@pytest.mark.parametrize(("config", "rows"), SITES)
def test_a_post_has_the_address_that_its_generator_renders(
    config: dict[str, str], rows: str, tmp_path: Path
) -> None:
    posts = [map(str.strip, row.split("|")) for row in rows.strip().splitlines()]
    table = {place: (front.replace("TITLE", TITLE), path) for place, front, path in posts}
    fronts = {place: write(front.replace("; ", "\n")) for place, (front, _) in table.items()}
    blog = made(tmp_path, config | fronts)
    assert addresses(blog) == {
        place: None if path == "-" else path for place, (_, path) in table.items()
    }
    unlinked = blog.report["links"]["unlinked"]
    assert sum(unlinked.values()) == [path for _, path in table.values()].count("-")


POST = "title: a\ndate: 2024-05-12\nslug: a"
DOUBTS = {
    "hugo.yaml": (
        "content/a.md",
        HUGO,
        [
            *("disablePathToLower: true", "permalinks: [{target: {}}]", "uglyURLs: true"),
            "module: {mounts: [{source: content, target: content/blog}]}",
        ],
    ),
    "zola.toml": ("content/a.md", ZOLA, ["[slugify]\npaths = 'safe'"]),
    "_config.yml": (
        "source/_posts/a.md",
        HEXO,
        [
            *("new_post_name: :year/:title.md", "permalink: :category/"),
            *("permalink: [a]", "permalink: :hash/"),
        ],
    ),
    "mkdocs.yml": (
        "docs/a.md",
        MKDOCS.replace("{name: material}", "mkdocs"),
        [
            *("use_directory_urls: !ENV NAMES", "exclude_docs: [a]"),
            *("extra: {version: {provider: mike}}", "INHERIT: a.yml", "plugins: [i18n]"),
            *("plugins: [mike: {}]", "plugins: [material/offline]"),
            *("plugins: {exclude: {enabled: !ENV IT}}", "plugins: [material/blog: {post_dir: x}]"),
            *("plugins: [blog: {blog_dir: .}]", "plugins: [offline: {enabled: !ENV [A, false]}]"),
        ],
    ),
    "_quarto.yml": (
        "a.qmd",
        QUARTO,
        [
            *("profile: {default: a}", "metadata-files: [a]", "format: {pdf: {}}"),
            *("project: {type: website, render: [a.qmd]}",),
        ],
    ),
}


@pytest.mark.parametrize(
    ("name", "line"), [(name, line) for name, (_, _, lines) in DOUBTS.items() for line in lines]
)
def test_settings_that_are_not_understood_leave_all_posts_without_a_link(
    name: str, line: str, tmp_path: Path
) -> None:
    place, config, _ = DOUBTS[name]
    kept = [text for text in config.splitlines(keepends=True) if text[:4] != line[:4]]
    blog = made(tmp_path, {name: "".join(kept) + line + "\n", place: write(POST)})
    report = blog.report["links"]
    assert (report["linked"], list(report["unlinked"].values())) == (0, [1])
    assert not any("no configuration of" in reason for reason in report["unlinked"])


MERGED = "".join(
    f"{after}: &{after} {{<<: [{', '.join([f'*{before}'] * 9)}]}}\n"
    for before, after in zip("abcdefg", "bcdefgh", strict=True)
)


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("hugo.toml", "baseURL = x"),
        ("config/_default/hugo.yaml", "a: ["),
        ("_config.yml", b"url: \xff\xfe"),
        ("zola.toml", "#" * 300_000),
        ("hugo.json", '{"baseURL"}'),
        ("hugo.yaml", f"{HUGO}a: &a {{x: 1, y: 2}}\n{MERGED}"),
        ("_config.yml", f"{JEKYLL}a: {'[' * 100_000}{']' * 100_000}\n"),
        ("hugo.toml", f'baseURL = "{URL}"\n{"a." * 3000}a = 1\n'),
        ("hugo.toml", f'baseURL = "{URL}"\na = 0x{"f" * 5000}\n'),
    ],
)
def test_a_configuration_that_cannot_be_read_is_named(
    name: str, text: str | bytes, tmp_path: Path
) -> None:
    blog = made(tmp_path, {name: text, "content/a.md": write(POST)})
    assert addresses(blog) == {"content/a.md": None}
    [reason] = blog.report["links"]["unlinked"]
    assert name in reason


def test_the_nearest_configuration_counts_and_none_further_than_three_folders(
    tmp_path: Path,
) -> None:
    files = {"hugo.yaml": "baseURL: https://else.example\n", "in/hugo.yaml": HUGO}
    posts = {"in/content/x/y/a.md": "", "in/content/x/y/z/a.md": ""}
    Blog(tmp_path, tmp_path).write({**files, **{name: write(POST) for name in posts}})
    found = []
    for folder in ("in/content/x/y", "in/content/x/y/z"):
        blog = Blog(tmp_path / folder, tmp_path / "index" / folder)
        assert blog.ingest().status == 0
        found.append(addresses(blog)["a.md"])
    assert found == ["/x/y/a/", None]


OPTIONS = [
    ("hugo", {}, "a.md", "/a/"),
    ("jekyll", {}, "2024-05-12-a.md", "/2024/05/12/a.html"),
    ("pretty", {}, "2024-05-12-a.md", "/2024/05/12/a/"),
    ("hexo", {}, "a.md", "/2024/05/12/a/"),
    ("hexo:p/:title/", {}, "a.md", "/p/a/"),
    ("zola", {}, "a.md", "/a/"),
    ("mkdocs", {}, "a.md", "/a/"),
    ("quarto", {}, "a.md", "/a.html"),
    ("hugo:/:section/:title/", {}, "x/b.md", "/x/a/"),
    ("/:year/:slug/", {}, "2023-01-02-b.md", "/2023/a/"),
    ("/:sections/:slug/", {}, "x/b.md", "/x/a/"),
    ("/:sections/:slug/", {}, "x/y/b.md", None),
    ("/:slug/", {"index.md": POST}, "b.md", "/a/"),
    ("/:year/:title/", {}, "_posts/2024-05-12-b.md", "/2024/a/"),
    ("/:slug/", {"astro.config.mjs": ""}, "src/b.md", "/a/"),
    ("zola", {"astro.config.mjs": ""}, "b.md", "/a/"),
    ("/:slug/", {"mkdocs.yml": MKDOCS}, "docs/b.md", "/a/"),
    ("/:title", {"_config.yml": JEKYLL}, "_posts/2024-05-12-b.md", "/a"),
    ("", {"mkdocs.yml": f"site_url: !ENV [SITE_URL, '{URL}']\n"}, "docs/b.md", "/b/"),
]


@pytest.mark.parametrize(("permalink", "files", "place", "path"), OPTIONS)
def test_options_come_before_a_configuration(
    permalink: str, files: dict[str, str], place: str, path: str | None, tmp_path: Path
) -> None:
    options = ("--base-url", URL + "/", *(("--permalink", permalink) if permalink else ()))
    blog = made(tmp_path, {**files, place: write(POST)}, *options)
    assert addresses(blog)[place] == path


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--base-url", "ferry.example", "--permalink", "hugo"], "ferry.example"),
        (["--base-url", URL], "--permalink"),
        (["--permalink", "hugo"], "--base-url"),
        (["--base-url", URL, "--permalink", "docusaurus"], "docusaurus"),
        (["--base-url", URL, "--permalink", "zola:/:slug/"], "zola:/:slug/"),
    ],
)
def test_options_that_cannot_be_meant_are_refused(
    options: list[str], said: str, tmp_path: Path
) -> None:
    blog = made(tmp_path, {"a.md": write(POST)})
    refused = blog.ingest(*options)
    assert refused.status != 0
    assert said in refused.err


@pytest.mark.parametrize("option", [("--permalink", "hugo:/:slug/"), ("--base-url", URL + "/c")])
def test_what_may_change_a_link_makes_all_links_anew(
    option: tuple[str, str], tmp_path: Path
) -> None:
    blog = made(tmp_path, {"hugo.yaml": HUGO, "content/x/b.md": write(POST)})
    assert addresses(blog) == {"content/x/b.md": "/x/a/"}
    assert blog.ingest(*option).status == 0
    assert addresses(blog)["content/x/b.md"] in ("/a/", "/c/x/a/")


def test_a_new_bundle_reads_no_other_post_again(tmp_path: Path) -> None:
    blog = made(tmp_path, {"hugo.yaml": HUGO, "content/a.md": write(POST)})
    blog.write({"content/b/index.md": write("title: b")})
    facts: dict[str, Any] = json.loads(blog.ingest("--json").out)
    assert (facts["added"], facts["changed"]) == (1, 0)
