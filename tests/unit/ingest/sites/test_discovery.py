"""What a site's own configuration and the two options say about its links."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

import pytest

from blog_search_mcp.index.errors import NoLink, UsageError
from blog_search_mcp.ingest.documents.url_fields import read_url_fields
from blog_search_mcp.ingest.sites.base import Site
from blog_search_mcp.ingest.sites.discovery import NO_SITE, PLAIN, explain_no_site, find_site
from blog_search_mcp.ingest.sites.generators.hexo import Hexo
from blog_search_mcp.ingest.sites.generators.hugo import Hugo
from blog_search_mcp.ingest.sites.generators.jekyll import Jekyll
from blog_search_mcp.ingest.sites.generators.mkdocs import BlogPlugin, MkDocs
from blog_search_mcp.ingest.sites.generators.quarto import Quarto
from blog_search_mcp.ingest.sites.generators.zola import Zola
from tests.support.python import output_of

URL = "https://example.org"


def site(root: Path, files: dict[str, str], content: str = "") -> Path:
    """A site's folder with these files; its content folder."""
    for name, text in files.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text, encoding="utf-8")
    (root / content).mkdir(parents=True, exist_ok=True)
    return root / content


def test_without_configuration_and_options_there_are_no_links(tmp_path: Path) -> None:
    assert find_site(site(tmp_path, {}, "a/b/c/content")) is None


def test_hugo_is_known_by_its_file_and_its_keys_have_no_case(tmp_path: Path) -> None:
    toml = (
        'BaseURL = "https://example.org/blog/"\ndefaultContentLanguage = "zh"\n'
        "defaultContentLanguageInSubdir = true\nuglyURLs = true\ndisablePathToLower = true\n"
        '[permalinks]\nposts = "/:year/:slug/"\n[permalinks.section]\nposts = "/archive/"\n'
        '[frontmatter]\ndate = [":filename", ":default"]\n'
        '[languages.zh]\n[languages.en]\ncontentDir = "content/en"\n'
    )
    content = site(tmp_path, {"hugo.toml": toml}, "content/posts")
    assert find_site(content) == Site(
        "https://example.org/blog",
        Hugo(
            contents=(("en", "content/en"), ("", "content")),
            patterns=(("posts", "/:year/:slug/"),),
            section_patterns=("posts",),
            default_language="zh",
            languages=("en",),
            default_in_subdir=True,
            ugly=True,
            lower=False,
            dated_names=True,
        ),
        "content/posts/",
    )


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("hugo.yaml", "baseURL: https://example.org\n"),
        ("hugo.json", '{"baseURL": "https://example.org"}'),
        ("config.toml", 'baseURL = "https://example.org"\n'),
        ("config/_default/hugo.toml", 'baseURL = "https://example.org"\n'),
        ("config/production/config.yaml", "baseURL: https://example.org/\n"),
    ],
)
def test_hugo_s_configuration_has_many_places(name: str, text: str, tmp_path: Path) -> None:
    assert find_site(site(tmp_path, {name: text}, "content")) == Site(URL, Hugo(), "content/")


def test_hugo_s_sections_are_read_where_a_pattern_needs_them(tmp_path: Path) -> None:
    files = {
        "hugo.toml": f'baseURL = "{URL}"\n[permalinks.page]\n"/" = "/:sections/:title/"\n',
        "content/_index.md": "",
        "content/a/b/_index.md": "",
    }
    found = find_site(site(tmp_path, files))
    assert found == Site(URL, Hugo(patterns=(("", "/:sections/:title/"),), sections=("a/b",)))


@pytest.mark.parametrize(
    "markup",
    [
        "defaultMarkdownHandler: org",
        "goldmark: {parser: {autoHeadingID: false}}",
        "goldmark: {parser: {autoIDType: github-ascii}}",
        "goldmark: {parser: {autoHeadingIDType: blackfriday}}",
    ],
)
def test_hugo_with_other_heading_ids_gets_no_anchors(markup: str, tmp_path: Path) -> None:
    files = {"hugo.yaml": f"baseURL: {URL}\nmarkup:\n  {markup}\n"}
    assert find_site(site(tmp_path, files)) == Site(URL, Hugo(has_heading_ids=False))


def test_jekyll_s_address_is_url_and_baseurl(tmp_path: Path) -> None:
    files = {
        "_config.yml": (
            "url: https://example.org/\nbaseurl: /blog\npermalink: pretty\n"
            "timezone: Asia/Taipei\nkramdown: {input: kramdown}\n"
            "defaults:\n- {scope: {path: '', type: posts}, values: {layout: post}}\n"
            "- {scope: {path: news/}, values: {permalink: '/n/:title'}}\n"
            "- {scope: {path: x, type: pages}, values: {permalink: /p/}}\n"
        )
    }
    assert find_site(site(tmp_path, files, "_posts")) == Site(
        "https://example.org/blog",
        Jekyll("pretty", (("news", "/n/:title"),), timezone="Asia/Taipei", has_heading_ids=False),
        "_posts/",
    )


@pytest.mark.parametrize(
    "line",
    [
        "markdown: CommonMarkGhPages",
        "kramdown: {auto_ids: false}",
        "kramdown: {auto_id_prefix: h-}",
        "kramdown: {input: kramdown}",
    ],
)
def test_jekyll_with_other_heading_ids_gets_no_anchors(line: str, tmp_path: Path) -> None:
    found = find_site(site(tmp_path, {"_config.yml": f"url: {URL}\n{line}\n"}))
    assert found == Site(URL, Jekyll(has_heading_ids=False))


def test_hexo_is_told_from_jekyll_by_its_keys_its_package_or_its_folders(tmp_path: Path) -> None:
    config = f"url: {URL}/h\nroot: /h/\npermalink: :title.html\n"
    package = '{"hexo": {"version": "8.1.2"}}'
    expected = Site(f"{URL}/h", Hexo(":title.html"), "source/_posts/")
    by_key = {"_config.yml": config + "source_dir: source\n"}
    by_package = {"_config.yml": config, "package.json": package}
    for number, files in enumerate((by_key, by_package, {"_config.yml": config})):
        content = site(tmp_path / str(number), files, "source/_posts")
        assert find_site(content) == expected


def test_hexo_s_settings_that_shape_links_are_read(tmp_path: Path) -> None:
    config = (
        f"url: {URL}\nsource_dir: src\nnew_post_name: :year-:month-:day-:title.md\n"
        "category_map: {筆記: notes}\ndefault_category: none\npost_asset_folder: true\n"
        "filename_case: 1\ntimezone: UTC\n"
        "pretty_urls: {trailing_index: false, trailing_html: false}\n"
    )
    assert find_site(site(tmp_path, {"_config.yml": config})) == Site(
        URL,
        Hexo(
            source="src",
            new_post_name=":year-:month-:day-:title.md",
            default_category="none",
            has_plain_categories=False,
            asset_folders=True,
            index_shown=False,
            html_shown=False,
            timezone="UTC",
        ),
    )


def test_zola_s_config_is_told_from_hugo_s_by_its_base_url(tmp_path: Path) -> None:
    toml = (
        'base_url = "https://example.org/z/"\ndefault_language = "de"\n[slugify]\n'
        'paths = "safe"\npaths_keep_dates = true\n[languages.en]\n[languages.de]\n'
    )
    assert find_site(site(tmp_path, {"config.toml": toml}, "content/blog")) == Site(
        "https://example.org/z",
        Zola(slugs="safe", keep_dates=True, languages=("en",), default_language="de"),
        "content/blog/",
    )


def test_mkdocs_s_settings_that_shape_links_are_read(tmp_path: Path) -> None:
    config = (
        f"site_url: {URL}/m/\ndocs_dir: ./pages/\nuse_directory_urls: false\n"
        "exclude_docs: |\n  private/\ndraft_docs: drafts/\ntheme: {name: material}\n"
        "plugins:\n- search\n- offline: {enabled: !ENV [OFFLINE, false]}\n- blog\n"
        "- blog: {enabled: false}\n"
        "- material/blog:\n    blog_dir: ./news/\n    post_dir: '{blog}/n'\n"
        "    post_url_format: '{categories}/{slug}'\n    post_url_date_format: yyyy\n"
        "    post_url_max_categories: 2\n    post_slugify_separator: _\n"
        "    post_slugify: !!python/object/apply:pymdownx.slugs.slugify {kwds: {case: lower}}\n"
        "markdown_extensions:\n- emoji: {emoji_index: !!python/name:material.emoji.twemoji ''}\n"
    )
    assert find_site(site(tmp_path, {"mkdocs.yml": config}, "pages/news/n")) == Site(
        f"{URL}/m",
        MkDocs(
            docs="pages",
            has_folders=False,
            excluded=((".*", "/templates/", "private/"), ("drafts/",)),
            blogs=(
                BlogPlugin(),
                BlogPlugin("news", "news/n", "{categories}/{slug}", "yyyy", 2, "_", ("slug",)),
            ),
        ),
        "pages/news/n/",
    )


@pytest.mark.parametrize(
    ("line", "doubt"),
    [
        ("use_directory_urls: !ENV NAMES", "use_directory_urls of mkdocs.yml is not sure"),
        ("exclude_docs: [a]", "exclude_docs of mkdocs.yml cannot be read"),
        ("draft_docs: '[z-a]'", "draft_docs of mkdocs.yml cannot be read"),
        (
            "extra: {version: {provider: mike}}",
            "the site has versions, of which each has other addresses",
        ),
        *(
            (f"plugins: {plugins}", f"the plugin {name} decides which pages there are, and where")
            for plugins, name in (
                ("[i18n]", "i18n"),
                ("[mike: {}]", "mike"),
                ("[material/offline]", "material/offline"),
                ("{exclude: {enabled: !ENV IT}}", "exclude"),
            )
        ),
        ("plugins: [blog]", "the plugin blog is not known to be Material's"),
        (
            "plugins: [material/blog, material/meta]",
            "the plugin meta gives posts fields that their files have not",
        ),
        (
            "plugins: [material/blog: {enabled: !ENV BLOG}]",
            "enabled of the plugin blog is not sure",
        ),
        (
            "plugins: [material/blog: {post_url_format: [a]}]",
            "post_url_format of the plugin blog is not sure",
        ),
    ],
)
def test_mkdocs_with_settings_that_are_not_sure_says_so_of_each_page(
    line: str, doubt: str, tmp_path: Path
) -> None:
    files = {"mkdocs.yml": f"site_url: {URL}\n{line}\n"}
    found = find_site(site(tmp_path, files, "docs"))
    assert found
    assert isinstance(found.generator, MkDocs)
    with pytest.raises(NoLink, match=re.escape(doubt)):
        found.post_url("a.md", read_url_fields({}))


@pytest.mark.parametrize("line", ["docs_dir: ..", "docs_dir: none"])
def test_mkdocs_whose_pages_are_not_known_is_not_read(line: str, tmp_path: Path) -> None:
    files = {"mkdocs.yml": f"site_url: {URL}\n{line}\n"}
    assert find_site(site(tmp_path, files, "docs")) is None


def test_quarto_s_settings_that_shape_links_are_read(tmp_path: Path) -> None:
    config = (
        "project:\n  type: website\n  output-dir: ./docs/\n"
        "  render: [index.qmd, '*.md', '!/posts/old/']\n"
        f"website:\n  site-url: {URL}/q/\n  drafts: [posts/a.qmd]\n"
        "format:\n  html: {theme: cosmo}\n"
    )
    found = find_site(site(tmp_path, {"_quarto.yml": config}, "posts"))
    assert found == Site(
        f"{URL}/q",
        Quarto(
            excluded=(*Quarto().excluded, "/posts/old/", "/posts/a.qmd", "/docs/"),
            rendered=("/index.qmd", "**/*.md"),
        ),
        "posts/",
    )


@pytest.mark.parametrize(
    ("line", "doubt"),
    [
        *(
            (f"{name}: [a]", f"{name} of _quarto.yml names files that may change addresses")
            for name in ("profile", "metadata-files")
        ),
        ("format: {pdf: {}}", "the format that _quarto.yml names is not html"),
        (
            "project: {type: site, render: ['{a,b}.qmd']}",
            "render of _quarto.yml has patterns that are not known",
        ),
    ],
)
def test_quarto_with_settings_that_are_not_sure_says_so_of_each_page(
    line: str, doubt: str, tmp_path: Path
) -> None:
    text = f"project: {{type: site}}\nsite: {{site-url: '{URL}'}}\n{line}\n"
    found = find_site(site(tmp_path, {"_quarto.yaml": text}))
    assert found
    assert isinstance(found.generator, Quarto)
    with pytest.raises(NoLink, match=re.escape(doubt)):
        found.post_url("a.md", read_url_fields({}))


@pytest.mark.parametrize(
    ("name", "title"),
    [
        ("docusaurus.config.js", "Docusaurus"),
        ("astro.config.ts", "Astro"),
        (".vitepress/config.js", "VitePress"),
        (".eleventy.js", "Eleventy"),
        ("eleventy.config.mjs", "Eleventy"),
    ],
)
def test_a_configuration_that_is_a_program_is_not_run_and_the_reason_says_so(
    name: str, title: str, tmp_path: Path
) -> None:
    files = {"_config.yml": f"url: {URL}\n", f"site/{name}": "process.exit(1)"}
    site(tmp_path, files)
    content = site(tmp_path, {}, "site/posts")

    assert find_site(content) is None
    assert explain_no_site(content) == (
        f"the configuration of {title} is a program, of which the blog's address is not read "
        "(--base-url and --permalink give it)"
    )


def test_options_say_how_a_site_that_a_program_configures_makes_links(tmp_path: Path) -> None:
    content = site(tmp_path, {"astro.config.mjs": ""}, "src/content")
    bare = replace(PLAIN, patterns=(("*", "/:slug/"),))
    assert find_site(content, URL, "/:slug/") == Site(URL, bare, "content/")
    assert find_site(content, URL, "zola") == Site(URL, Zola(), "content/")
    with pytest.raises(UsageError, match="--base-url alone does not tell how links are made"):
        find_site(content, URL)


@pytest.mark.parametrize(
    "line",
    [
        "plugins: [[a], 1, null, {2: [b]}]",
        "plugins: {blog: [a]}",
        "theme: [a]",
        "extra: {version: 1}",
        f"docs_dir: {'a' * 5000}",
        "exclude_docs: '[a'",
    ],
)
def test_settings_of_mkdocs_of_any_type_end_no_ingest(line: str, tmp_path: Path) -> None:
    content = site(tmp_path, {"mkdocs.yml": f"site_name: a\n{line}\n"}, "docs")
    assert find_site(content) is None


@pytest.mark.parametrize(
    "line",
    [
        "project: [a]",
        "project: {type: [a]}",
        "website: 1",
        "format: [html]",
        "website: {drafts: '[a'}",
    ],
)
def test_settings_of_quarto_of_any_type_end_no_ingest(line: str, tmp_path: Path) -> None:
    text = f"project: {{type: website, render: {{a: b}}}}\n{line}\n"
    assert find_site(site(tmp_path, {"_quarto.yml": text})) is None


def test_what_a_tag_of_yaml_would_call_is_not_called(tmp_path: Path) -> None:
    made = tmp_path / "made"
    text = f"site_url: {URL}\nextra: !!python/object/apply:os.mkdir ['{made.as_posix()}']\n"
    assert find_site(site(tmp_path, {"mkdocs.yml": text}, "docs"))
    assert not made.exists()


def test_an_address_that_the_environment_names_is_none(tmp_path: Path) -> None:
    text = f"site_url: !ENV [SITE_URL, '{URL}']\n"
    content = site(tmp_path, {"mkdocs.yml": text}, "docs")
    assert find_site(content) is None
    assert explain_no_site(content) == NO_SITE
    assert find_site(content, URL) == Site(URL, MkDocs(), "docs/")


def test_a_bare_pattern_is_used_where_the_configured_generator_has_none(tmp_path: Path) -> None:
    content = site(tmp_path, {"mkdocs.yml": f"site_url: {URL}\n"}, "docs/posts")
    expected = replace(PLAIN, patterns=(("*", "/:slug/"),))
    assert find_site(content, "", "/:slug/") == Site(URL, expected, "content/")


def test_the_nearest_configuration_counts_and_none_further_than_three_folders(
    tmp_path: Path,
) -> None:
    files = {"a/hugo.toml": f'baseURL = "{URL}/outer"', "a/b/hugo.toml": f'baseURL = "{URL}"'}
    site(tmp_path, files)
    near = find_site(site(tmp_path, {}, "a/b/content/x/y"))
    assert near == Site(URL, Hugo(), "content/x/y/")
    assert find_site(site(tmp_path, {}, "a/b/content/x/y/z")) is None


@pytest.mark.parametrize(
    "text",
    [
        *("[", "baseURL = 1", 'baseURL = ""', 'baseURL = "/"', 'baseURL = "file:///x"', "a = 1"),
    ],
)
def test_a_configuration_without_an_address_makes_no_links(text: str, tmp_path: Path) -> None:
    assert find_site(site(tmp_path, {"hugo.toml": text})) is None


def test_keys_of_yaml_are_text_as_the_generators_read_them(tmp_path: Path) -> None:
    text = (
        f"baseURL: {URL}\nlanguages: {{no: {{contentDir: content/no}}, 1: {{}}}}\n"
        "permalinks: {2024: /:slug/, section: {1: /x/, posts: /y/}}\n"
        "common: &common {uglyURLs: true}\n<<: *common\n"
    )
    found = find_site(site(tmp_path, {"hugo.yaml": text}))
    assert found
    assert found.generator == Hugo(
        contents=(("no", "content/no"), ("", "content")),
        patterns=(("2024", "/:slug/"),),
        section_patterns=("1", "posts"),
        languages=("1", "no"),
        ugly=True,
    )


MERGED = "".join(
    f"{after}: &{after} {{<<: [{', '.join([f'*{before}'] * 9)}]}}\n"
    for before, after in zip("abcdefg", "bcdefgh", strict=True)
)
HEX = "0x" + "f" * 5000
"""More digits in decimal than Python writes."""
HOSTILE = {
    **{f"a value that is no {tag}": f"a: !!{tag} x\n" for tag in ("timestamp", "bool", "int")},
    "merges of merges": f"a: &a {{x: 1, y: 2}}\n{MERGED}",
    "lists in lists": f"a: {'[' * 100_000}{']' * 100_000}\n",
    "10 MB": "# much\n" * 1_500_000,
}


@pytest.mark.parametrize("what", HOSTILE)
@pytest.mark.parametrize("name", ["hugo.yaml", "_config.yml"])
def test_a_configuration_of_yaml_that_cannot_be_read_makes_no_links(
    name: str, what: str, tmp_path: Path
) -> None:
    address = f"baseURL: {URL}\nurl: {URL}\n"
    assert find_site(site(tmp_path, {name: address + HOSTILE[what]})) is None


def test_a_configuration_of_toml_with_a_very_long_key_makes_no_links(tmp_path: Path) -> None:
    text = f'baseURL = "{URL}"\n{"a." * 3000}a = 1\n'
    assert find_site(site(tmp_path, {"hugo.toml": text})) is None


@pytest.mark.parametrize(
    ("name", "text", "told"),
    [
        ("hugo.toml", b"baseURL = x", "hugo.toml, {}: Invalid value (at line 1, column 11)"),
        ("config/_default/hugo.yaml", b"a: [", "config/_default/hugo.yaml, {}: {yaml}"),
        ("_config.yml", b"url: \xff\xfe", "_config.yml, {}: it is not UTF-8"),
        ("zola.toml", b"#" * 300_000, "zola.toml, {}: it is larger than 256 KB"),
        ("_config.yml", b"a: !!bool x", "_config.yml, {}: KeyError: 'x'"),
        ("hugo.json", b'{"baseURL"}', "hugo.json, {}: Expecting ':' delimiter"),
    ],
)
def test_a_configuration_that_cannot_be_read_is_named_with_the_reason(
    name: str, text: bytes, told: str, tmp_path: Path
) -> None:
    content = site(tmp_path, {name: ""}, "content")
    assert explain_no_site(content) == NO_SITE
    (tmp_path / name).write_bytes(text)
    unread = "seen from the posts, cannot be read"
    yaml = "did not find expected node content (at line 2)"
    assert explain_no_site(content) == f"{NO_SITE}; ../{told.format(unread, yaml=yaml)}"


def test_a_number_that_python_does_not_write_is_passed_over(tmp_path: Path) -> None:
    text = f'baseURL = "{URL}"\n[frontmatter]\ndate = [{HEX}, ":filename"]\n'
    assert find_site(site(tmp_path, {"hugo.toml": text})) == Site(URL, Hugo(dated_names=True))


def test_the_base_url_option_wins_and_the_rest_stays_the_configuration_s(tmp_path: Path) -> None:
    files = {"_config.yml": f"url: {URL}\nbaseurl: /x\npermalink: none\n"}
    content = site(tmp_path, files)
    assert find_site(content, "https://mirror.example/") == Site(
        "https://mirror.example", Jekyll("none")
    )
    assert find_site(content, "", "/:title") == Site(f"{URL}/x", Jekyll("/:title"))


@pytest.mark.parametrize(
    ("permalink", "expected"),
    [
        ("hugo", Site(URL, Hugo(), "content/")),
        ("jekyll", Site(URL, Jekyll(), "_posts/")),
        ("pretty", Site(URL, Jekyll("pretty"), "_posts/")),
        ("hexo", Site(URL, Hexo(), "source/_posts/")),
        ("hexo:p/:title/", Site(URL, Hexo("p/:title/"), "source/_posts/")),
        ("zola", Site(URL, Zola(), "content/")),
        ("mkdocs", Site(URL, MkDocs(), "docs/")),
        ("quarto", Site(URL, Quarto())),
    ],
)
def test_a_preset_is_a_generator_as_it_is_without_configuration(
    permalink: str, expected: Site, tmp_path: Path
) -> None:
    assert find_site(tmp_path, URL, permalink) == expected


def test_a_bare_pattern_is_read_as_the_folders_suggest(tmp_path: Path) -> None:
    plain = find_site(site(tmp_path, {}, "a/posts"), URL, "/:year/:slug/")
    assert plain is not None
    assert plain.generator == replace(PLAIN, patterns=(("*", "/:year/:slug/"),))
    jekyll = find_site(site(tmp_path, {}, "b/_posts"), URL, "/:year/:title/")
    assert jekyll == Site(URL, Jekyll("/:year/:title/"), "_posts/")


@pytest.mark.parametrize(
    ("base_url", "permalink", "said"),
    [
        ("example.org", "hugo", "--base-url example.org is no address"),
        (URL, "", "--base-url alone does not tell how links are made"),
        ("", "hugo", "--permalink needs --base-url"),
        (
            URL,
            "docusaurus",
            "--permalink docusaurus is neither a generator (hugo, zola, hexo, mkdocs, quarto, "
            "jekyll) nor a pattern.",
        ),
        (URL, "zola:/:slug/", "Zola has no permalink patterns; give --permalink zola alone."),
        (URL, "mkdocs:/:slug/", "MkDocs has no permalink patterns"),
    ],
)
def test_options_that_cannot_be_meant_are_refused(
    base_url: str, permalink: str, said: str, tmp_path: Path
) -> None:
    with pytest.raises(UsageError) as raised:
        find_site(tmp_path, base_url, permalink)
    assert str(raised.value).startswith(said)


def test_every_change_that_may_change_a_link_changes_the_digest(tmp_path: Path) -> None:
    sites = [find_site(tmp_path, URL, permalink) for permalink in ("hugo", "hexo", "hugo:/:slug/")]
    sites.append(find_site(tmp_path, URL + "/x", "hugo"))
    assert len({found.digest for found in sites if found}) == 4


def test_finding_a_site_does_not_import_the_parser_of_posts() -> None:
    """An ingest that finds nothing to do parses no post."""
    program = (
        "import sys, blog_search_mcp.ingest.sites.discovery; "
        "print({'markdown_it', 'yaml'} & sys.modules.keys())"
    )
    assert output_of(program) == "set()\n"
