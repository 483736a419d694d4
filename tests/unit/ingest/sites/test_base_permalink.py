"""Paths as each generator makes them; every expected one was rendered by the generator itself.

Those of Quarto are as it documents them.
"""

from __future__ import annotations

import time

import pytest

from blog_search_mcp.index.errors import NoLink
from blog_search_mcp.index.posts.text import split_front_matter
from blog_search_mcp.ingest.documents.url_fields import read_url_fields
from blog_search_mcp.ingest.sites.base import Site, SiteGenerator
from blog_search_mcp.ingest.sites.discovery import PLAIN
from blog_search_mcp.ingest.sites.generators.hexo import Hexo
from blog_search_mcp.ingest.sites.generators.hugo import Hugo
from blog_search_mcp.ingest.sites.generators.jekyll import Jekyll
from blog_search_mcp.ingest.sites.generators.mkdocs import BlogPlugin, MkDocs
from blog_search_mcp.ingest.sites.generators.programs import Program
from blog_search_mcp.ingest.sites.generators.quarto import Quarto
from blog_search_mcp.ingest.sites.generators.zola import Zola


def path(generator: SiteGenerator, place: str, front: str = "", body: str = "") -> str | None:
    fields = read_url_fields(split_front_matter(f"---\n{front}\n---\n").fields, body)
    try:
        return generator.permalink(place, fields)
    except NoLink:
        return None


def reason(generator: SiteGenerator, place: str, front: str = "title: x") -> str:
    with pytest.raises(NoLink) as raised:
        generator.permalink(
            place, read_url_fields(split_front_matter(f"---\n{front}\n---\n").fields)
        )
    return str(raised.value)


TITLE = 'title: "It\'s A Title: 中文 & a/b"\ndate: 2024-05-12T01:00:00+08:00\n'


@pytest.mark.parametrize(
    ("place", "front", "expected"),
    [
        ("content/posts/a.md", TITLE, "/posts/a/"),
        ("content/about.md", TITLE, "/about/"),
        ("content/_index.md", TITLE, "/"),
        ("content/posts/_index.md", TITLE, "/posts/"),
        ("content/posts/sub/deep.md", TITLE, "/posts/sub/deep/"),
        ("content/posts/bundle/index.md", TITLE, "/posts/bundle/"),
        ("content/posts/2024-05-12-dated.md", TITLE, "/posts/2024-05-12-dated/"),
        (
            "content/posts/My Post (Näme) 中文 v1.2+x&y.md",
            TITLE,
            "/posts/my-post-n%C3%A4me-%E4%B8%AD%E6%96%87-v1.2+xy/",
        ),
        ("content/My - Notes & X/A & B.md", TITLE, "/my---notes--x/a--b/"),
        ("content/My - Notes & X/_index.md", TITLE, "/my---notes--x/"),
        ("content/posts/a - b/index.md", TITLE, "/posts/a---b/"),
        ("content/posts/talk@2.md", TITLE, "/posts/talk@2/"),
        ("content/posts/b.zh.md", TITLE, "/zh/posts/b/"),
        ("content/posts/c.fr.md", TITLE, "/posts/c.fr/"),
        ("content/posts/s.md", TITLE + "slug: My Custom Slug", "/posts/my-custom-slug/"),
        ("content/posts/s.md", TITLE + "slug: A - b, c -", "/posts/a-b-c/"),
        ("content/posts/s.md", TITLE + "slug: CamelCase", "/posts/camelcase/"),
        ("content/posts/s.md", TITLE + "slug: 中文/x", "/posts/%E4%B8%AD%E6%96%87/x/"),
        ("content/posts/s.md", TITLE + "url: /custom/url/", "/custom/url/"),
        ("content/posts/s.md", TITLE + "url: rel/url.html", "/rel/url.html"),
        ("content/posts/s.md", TITLE + "url: /CamelUrl", "/CamelUrl/"),
        ("content/posts/s.zh.md", TITLE + "url: rel/", "/zh/rel/"),
        ("content/posts/s.zh.md", TITLE + "url: /p/:year/", "/p/2024/"),
        ("README.md", TITLE, None),
    ],
)
def test_hugo_by_place(place: str, front: str, expected: str | None) -> None:
    assert path(Hugo(languages=("zh",)), place, front) == expected


PATTERNS = Hugo(
    patterns=(
        ("docs", "/d/:sections/:contentbasename/:title"),
        ("notes", "/:section/:slugorfilename/"),
        ("posts", "/:year/:month/:day/:slug/"),
        ("times", "/:year/:monthname/:title/"),
    ),
    section_patterns=("posts",),
    default_language="zh",
    languages=("en",),
    default_in_subdir=True,
    ugly=True,
    sections=("docs/x", "docs/My X"),
)


@pytest.mark.parametrize(
    ("place", "front", "expected"),
    [
        (
            "content/posts/a.md",
            TITLE,
            "/zh/2024/05/12/its-a-title-%E4%B8%AD%E6%96%87-a-b.html",
        ),
        ("content/posts/a.en.md", TITLE + "slug: S t", "/en/2024/05/12/s-t.html"),
        ("content/posts/undated.md", "title: x", None),
        ("content/posts/_index.md", TITLE, None),
        ("content/docs/_index.md", TITLE, "/zh/docs/index.html"),
        ("content/docs/x/y/deep.md", "title: T", "/zh/d/docs/x/deep/t.html"),
        ("content/docs/My X/a - b.md", "title: T - U", "/zh/d/docs/my-x/a-b/t-u.html"),
        ("content/docs/y/deep.md", "title: T", "/zh/d/docs/deep/t.html"),
        ("content/docs/x/bundle/index.en.md", "title: x", "/en/d/docs/x/bundle/x.html"),
        ("content/notes/x/y.md", TITLE, "/zh/notes/y.html"),
        ("content/times/x.md", TITLE, None),
        ("content/about.md", TITLE, "/zh/about.html"),
    ],
)
def test_hugo_by_pattern(place: str, front: str, expected: str | None) -> None:
    assert path(PATTERNS, place, front) == expected


def test_hugo_takes_the_day_off_a_name_where_the_configuration_says_so() -> None:
    generator = Hugo(patterns=(("posts", "/:year/:slugorfilename/"),), dated_names=True)
    assert path(generator, "content/posts/2024-05-12-dated.md") == "/2024/dated/"
    assert path(generator, "content/posts/b.zh.md", TITLE) == "/2024/b.zh/"


def test_hugo_s_files_beside_an_index_are_no_pages() -> None:
    generator = Hugo(bundles=frozenset({"content/posts/bundle"}))
    assert path(generator, "content/posts/bundle/index.md") == "/posts/bundle/"
    assert path(generator, "content/posts/bundle/part.md") is None
    assert path(generator, "content/posts/bundle/deep/index.md") is None
    assert path(generator, "content/posts/bundles.md") == "/posts/bundles/"


@pytest.mark.slow
def test_a_post_is_looked_for_in_the_bundles_above_it_and_not_in_all() -> None:
    places = [f"content/posts/{number}/index.md" for number in range(5_000)]
    generator = Hugo().with_places(places)
    began = time.process_time()
    assert [path(generator, place) for place in places] == [f"/posts/{n}/" for n in range(5_000)]
    assert time.process_time() - began < 2


def test_the_folders_with_an_index_are_the_sections_of_a_pattern() -> None:
    pattern = Hugo().with_pattern("/:sections/:slugorfilename/")
    generator = pattern.with_places(["content/llm/cards/_index.md", "content/llm/cards/kv.md"])
    assert path(generator, "content/llm/cards/kv.md") == "/llm/cards/kv/"
    assert path(generator, "content/llm/other/kv.md") == "/llm/kv/"
    assert path(pattern, "content/llm/cards/kv.md") == "/llm/kv/"


def test_a_pattern_alone_leaves_folders_without_an_index_without_a_link() -> None:
    pattern = PLAIN.with_pattern("/:sections/:slug/")
    generator = pattern.with_places(["content/llm/cards/_index.md"])
    assert path(generator, "content/llm/cards/kv.md") == "/llm/cards/kv/"
    assert path(generator, "content/llm/kv.md") == "/llm/kv/"
    assert path(generator, "content/kv.md") == "/kv/"
    assert reason(generator, "content/llm/other/kv.md") == (
        "in a folder without _index.md, no section in Hugo (hugo:PATTERN takes Hugo's rule)"
    )


def test_an_index_among_the_posts_takes_no_link_from_a_blog_that_has_a_pattern_alone() -> None:
    places = ["content/index.md", "content/a.md", "content/b/index.md", "content/b/c.md"]
    generator = PLAIN.with_pattern("/:slug/").with_places(places)
    assert path(generator, "content/a.md") == "/a/"
    assert path(generator, "content/b/index.md") == "/b/"
    assert reason(generator, "content/b/c.md") == "beside an index.md, so Hugo makes no page of it"
    assert reason(Hugo().with_places(places), "content/a.md") == (
        "beside an index.md, so Hugo makes no page of it"
    )


def test_a_new_bundle_leaves_the_links_of_other_posts_as_they_are() -> None:
    places = ["content/a.md", "content/b/_index.md"]
    pattern = Site("https://example.org", PLAIN.with_pattern("/:sections/:slug/"))
    before, bundle, section = (
        pattern.with_sources([*places, *more]).digest
        for more in ([], ["content/c/index.md"], ["content/d/_index.md"])
    )
    assert before == bundle != section


def test_hugo_s_languages_may_have_folders_of_their_own() -> None:
    generator = Hugo(contents=(("zh", "content/chinese"), ("", "content")), languages=("zh",))
    assert path(generator, "content/chinese/posts/a.md") == "/zh/posts/a/"


JEKYLL_FRONT = "title: 'Some Title: 中文'\n"


@pytest.mark.parametrize(
    ("place", "front", "expected"),
    [
        (
            "_posts/2024-05-12-a.md",
            "categories: [Foo Bar, 中文]",
            "/foo%20bar/%E4%B8%AD%E6%96%87/2024/05/12/a.html",
        ),
        (
            "_posts/2024-05-12-My Post (Näme) 中文 v1.2+x&y.md",
            "",
            "/2024/05/12/My-Post-(N%C3%A4me)-%E4%B8%AD%E6%96%87-v1.2+x&y.html",
        ),
        ("_posts/2024-05-12-s.md", "slug: My Custom Slug", "/2024/05/12/My-Custom-Slug.html"),
        ("_posts/2024-05-12-s.md", "slug: 中文 s!", "/2024/05/12/%E4%B8%AD%E6%96%87-s!.html"),
        ("_posts/2024-05-12-s2.md", "permalink: /custom/:title/", "/custom/s2/"),
        ("_posts/2024-05-12-s.md", "permalink: rel/x.html", "/rel/x.html"),
        ("_posts/2024-05-12-s.md", "permalink: pretty", "/pretty"),
        ("_posts/2024-05-12-s.md", "date: 2023-01-02", "/2023/01/02/s.html"),
        ("_posts/2024-05-12-s.md", "category: One Two", "/one%20two/2024/05/12/s.html"),
        ("_posts/2024-05-12-s.md", "categories: one Two one", "/one/two/2024/05/12/s.html"),
        (
            "_posts/2024-05-12-s.md",
            "category: One Two\ncategories: [a]",
            "/a/one%20two/2024/05/12/s.html",
        ),
        ("_posts/2024-5-2-s7.md", "", "/2024/05/02/s7.html"),
        ("cat/dog/_posts/2024-05-12-s.md", "categories: x", "/cat/dog/x/2024/05/12/s.html"),
        ("_posts/sub/2024-05-12-s9.md", "", "/2024/05/12/s9.html"),
        ("_posts/undated.md", "", None),
        ("_drafts/dr.md", "", None),
        ("_notes/x.md", "", None),
        ("about.md", "", "/about.html"),
        ("cat/index.md", "", "/cat/"),
        ("index.md", "", "/"),
        ("cat/perm.md", "permalink: /foo/", "/foo/"),
    ],
)
def test_jekyll_by_default(place: str, front: str, expected: str | None) -> None:
    assert path(Jekyll(), place, JEKYLL_FRONT + front) == expected


def test_jekyll_takes_a_file_without_front_matter_for_no_page() -> None:
    assert reason(Jekyll(), "README.md", "") == (
        "no front matter, so Jekyll does not make a page of it"
    )


@pytest.mark.parametrize(
    ("permalink", "post", "page"),
    [
        ("pretty", "/c/2024/05/12/CamelCase_under/", "/about/"),
        ("none", "/c/CamelCase_under.html", "/about.html"),
        ("ordinal", "/c/2024/133/CamelCase_under.html", "/about.html"),
        ("weekdate", "/c/2024/W19/Sun/CamelCase_under.html", "/about"),
        (
            "/:categories/:short_year/:i_month/:slug:output_ext",
            "/c/24/5/camelcase-under.html",
            "/about.html",
        ),
        ("/p/:title", "/p/CamelCase_under", "/about"),
        ("/:year_:month/:foo", None, "/about"),
    ],
)
def test_jekyll_s_styles(permalink: str, post: str | None, page: str) -> None:
    generator = Jekyll(permalink)
    front = JEKYLL_FRONT + "categories: c"
    assert path(generator, "_posts/2024-05-12-CamelCase_under.md", front) == post
    assert path(generator, "about.md", front) == page


@pytest.mark.parametrize(
    ("zone", "date", "day"),
    [
        ("UTC", "2024-05-12 23:30:00 -0800", "13"),
        ("Asia/Taipei", "2024-05-12T01:30:00+08:00", "12"),
        ("UTC", "2024-05-12T01:30:00+08:00", "11"),
        ("America/Los_Angeles", "2024-05-12T01:30:00+08:00", "11"),
        ("America/Los_Angeles", "2024-05-12", "12"),
        ("America/Los_Angeles", "2024-05-12 01:02:03", None),
        ("", "2024-05-12 01:02:03", "12"),
        ("", "2024-05-12 23:30:00 +0800", "12"),
        ("", "2024-05-12T01:30:00+08:00", None),
    ],
)
def test_jekyll_s_day_is_the_site_s(zone: str, date: str, day: str | None) -> None:
    """Without a zone it is the building machine's, so a day must be the same in UTC."""
    generator = Jekyll("/:day/:title", timezone=zone)
    expected = f"/{day}/s" if day else None
    assert path(generator, "_posts/2024-05-12-s.md", f"date: {date}") == expected


def test_jekyll_s_defaults_give_folders_patterns_of_their_own() -> None:
    generator = Jekyll("none", (("", "/p/:title"), ("news", "/n/:title")))
    assert path(generator, "_posts/2024-05-12-s.md") == "/p/s"
    assert path(generator, "news/_posts/2024-05-12-s.md") == "/n/s"


HEXO_FRONT = 'title: "Some Title: 中文"\ndate: 2024-05-12 01:02:03\n'


@pytest.mark.parametrize(
    ("place", "front", "expected"),
    [
        ("_posts/a.md", "", "/2024/05/12/a/"),
        ("_posts/sub/s4.md", "", "/2024/05/12/sub/s4/"),
        ("_posts/s1.md", "slug: My Custom Slug", "/2024/05/12/s1/"),
        (
            "_posts/My Post (Näme) 中文 v1.2+x&y.md",
            "",
            "/2024/05/12/My%20Post%20(N%C3%A4me)%20%E4%B8%AD%E6%96%87%20v1.2+x&y/",
        ),
        ("_posts/s2.md", "permalink: custom/title/", "/custom/title/"),
        ("_posts/s3.md", "permalink: /custom/title.html", "/custom/title.html"),
        ("about/index.md", "", "/about/index.html"),
        ("about/foo.md", "", "/about/foo.html"),
        ("about/perm.md", "permalink: /pp/q/", None),
        ("_drafts/x.md", "", None),
    ],
)
def test_hexo_by_default(place: str, front: str, expected: str | None) -> None:
    assert path(Hexo(), f"source/{place}", HEXO_FRONT + front) == expected


@pytest.mark.parametrize(
    ("permalink", "front", "expected"),
    [
        (
            "posts/:category/:name.html",
            "categories: [One Two, 中文]",
            "/posts/One-Two/%E4%B8%AD%E6%96%87/s4.html",
        ),
        ("posts/:category/:name.html", "category: Ünï", "/posts/Uni/s4.html"),
        ("posts/:category/:name.html", "category: Straße", None),
        ("posts/:category/:name.html", "", "/posts/uncategorized/s4.html"),
        (
            ":post_title-:i_month-:i_day/",
            "",
            "/some-title-%E4%B8%AD%E6%96%87-5-12/",
        ),
        (":abbrlink.html", "abbrlink: 4a17b156", "/4a17b156.html"),
        (":abbrlink.html", "", None),
        (":hash/", "", None),
        (":hour/:title", "", None),
    ],
)
def test_hexo_by_pattern(permalink: str, front: str, expected: str | None) -> None:
    place = "source/_posts/sub/s4.md"
    assert path(Hexo(permalink), place, HEXO_FRONT + front) == expected


def test_hexo_s_renamed_categories_make_no_links() -> None:
    generator = Hexo(":category/:title/", has_plain_categories=False)
    assert path(generator, "source/_posts/a.md", "categories: x") is None


def test_hexo_without_a_date_has_no_dated_path() -> None:
    assert path(Hexo(), "source/_posts/2024-05-13-nodate.md") is None
    assert path(Hexo(":title/"), "source/_posts/a.md") == "/a/"


@pytest.mark.parametrize(
    ("place", "expected"),
    [
        ("_posts/2024-05-13-dated.md", "/2024/dated/"),
        ("_posts/sub/s4.md", None),
        ("about/index.md", "/about/"),
        ("about/foo.md", "/about/foo"),
    ],
)
def test_hexo_reads_names_and_shortens_links_as_configured(
    place: str, expected: str | None
) -> None:
    generator = Hexo(
        ":year/:title/",
        new_post_name=":year-:month-:day-:title.md",
        index_shown=False,
        html_shown=False,
    )
    assert path(generator, f"source/{place}") == expected
    assert path(generator, "source/_posts/sub/s4.md", HEXO_FRONT) == "/2024/sub-s4/"


@pytest.mark.parametrize(
    ("place", "front", "on", "safe"),
    [
        ("about.md", "", "/about/", "/about/"),
        ("_index.md", "", "/", "/"),
        ("posts/_index.md", "", "/posts/", "/posts/"),
        ("posts/sub/deep.md", "", "/posts/sub/deep/", "/posts/sub/deep/"),
        ("posts/bundle/index.md", "", "/posts/bundle/", "/posts/bundle/"),
        ("posts/bundle/index.zh.md", "", "/zh/posts/bundle/", "/zh/posts/bundle/"),
        ("posts/b.zh.md", "", "/zh/posts/b/", "/zh/posts/b/"),
        ("posts/c.fr.md", "", None, None),
        ("posts/2024-05-12-dated.md", "", "/posts/dated/", "/posts/2024-05-12-dated/"),
        ("posts/2024-05-12_b.md", "", "/posts/b/", "/posts/2024-05-12_b/"),
        ("posts/2024-05-12-bun/index.md", "", "/posts/bun/", "/posts/2024-05-12-bun/"),
        (
            "posts/Sub Dir/My Post_v1 Näme.md",
            "",
            "/posts/Sub%20Dir/my-post-v1-name/",
            "/posts/Sub%20Dir/My%20Post_v1%20Näme/",
        ),
        ("posts/中文目錄/中文.md", "", None, "/posts/中文目錄/中文/"),
        (
            "posts/s.md",
            "slug: Näme-of: straße",
            "/posts/name-of-strasse/",
            "/posts/Näme-of%20straße/",
        ),
        ("posts/s.md", "path: custom/Path/中 文", "/custom/Path/中%20文/", "/custom/Path/中%20文/"),
        ("posts/😀.md", "", None, "/posts/😀/"),
    ],
)
def test_zola_by_place(place: str, front: str, on: str | None, safe: str | None) -> None:
    front = front.replace(": ", ": '", 1) + "'" if front else ""
    assert path(Zola(languages=("zh",)), f"content/{place}", front) == on
    generator = Zola(slugs="safe", keep_dates=True, languages=("zh",))
    assert path(generator, f"content/{place}", front) == safe


@pytest.mark.parametrize(
    ("place", "folders", "files"),
    [
        ("docs/index.md", "/", "/index.html"),
        ("docs/about.md", "/about/", "/about.html"),
        ("docs/guide/index.md", "/guide/", "/guide/index.html"),
        (
            "docs/guide/Näme & x.md",
            "/guide/N%C3%A4me%20%26%20x/",
            "/guide/N%C3%A4me%20%26%20x.html",
        ),
        ("docs/x.y/v1.2.markdown", "/x.y/v1.2/", "/x.y/v1.2.html"),
        ("docs/blog/posts/plain.md", "/blog/posts/plain/", "/blog/posts/plain.html"),
        ("docs/guide/README.md", None, None),
    ],
)
def test_mkdocs_by_place(place: str, folders: str | None, files: str | None) -> None:
    assert path(MkDocs(), place) == folders
    assert path(MkDocs(has_folders=False), place) == files


DAY = "date: 2024-01-31\n"


@pytest.mark.parametrize(
    ("place", "front", "body", "expected"),
    [
        ("posts/first.md", DAY + "title: A <b>first</b> post!", "", "2024/01/31/a-first-post/"),
        (
            "posts/2023/a.md",
            "title: In a folder\ndate: 2023-11-02 23:30:00",
            "",
            "2023/11/02/in-a-folder/",
        ),
        (
            "posts/heading.md",
            "date:\n  created: 2024-01-31\n  updated: 2024-02-01",
            "\n\n# It's `code` & **bold** <b>x</b> Ünï {#id}\n\nWords.\n",
            "2024/01/31/its-code--bold-x-%C3%BCn%C3%AF-id/",
        ),
        ("posts/no_title-here.md", DAY, "Words.\n\n# Late\n", "2024/01/31/no-title-here/"),
        ("posts/setext.md", DAY, "Setext Title\n===\n", "2024/01/31/setext/"),
        ("posts/own.md", DAY + "slug: My Own/slug", "# Title", "2024/01/31/My%20Own/slug/"),
        ("posts/zone.md", "date: 2024-01-31T23:30:00+08:00\nslug: z", "", "2024/01/31/z/"),
        ("posts/other.md", "date: 2024-02-01T01:30:00+08:00\nslug: z", "", None),
        ("posts/undated.md", "slug: z", "", None),
        ("posts-old/x.md", DAY + "slug: z", "", "2024/01/31/z/"),
        ("index.md", "", "", ""),
    ],
)
def test_mkdocs_posts_of_the_blog_plugin(
    place: str, front: str, body: str, expected: str | None
) -> None:
    found = path(MkDocs(blogs=(BlogPlugin(),)), f"docs/blog/{place}", front, body)
    assert found == (None if expected is None else f"/blog/{expected}")


def test_mkdocs_posts_by_pattern() -> None:
    blog = BlogPlugin(
        folder=".",
        posts="posts",
        pattern="{categories}/{date}/{file}-{slug}",
        date_pattern="y-M-dd",
        most_categories=2,
        separator="_",
    )
    generator = MkDocs(docs="pages", has_folders=False, blogs=(blog,))
    front = 'title: "A Title: 中文 & a/b — v1.2"\ndate: 2024-05-12\ncategories: ["A b", Ü/x, c]'
    assert path(generator, "pages/posts/a.md", front) == (
        "/a-b/%C3%BCx/2024-5-12/a-a_title_%E4%B8%AD%E6%96%87__ab__v12.html"
    )
    front = "date: 2024-01-02"
    assert path(generator, "pages/posts/README.md", front) == "/2024-1-02/index-index.html"


@pytest.mark.parametrize(
    "blog",
    [
        BlogPlugin(unknown=("slug",)),
        BlogPlugin(date_pattern="MMMM yyyy"),
        BlogPlugin(date_pattern="'on' dd"),
        BlogPlugin(date_pattern="long"),
        BlogPlugin(pattern="{author}"),
    ],
)
def test_mkdocs_posts_whose_address_a_program_makes_have_none(blog: BlogPlugin) -> None:
    assert path(MkDocs(blogs=(blog,)), "docs/blog/posts/a.md", DAY + "title: a") is None


def test_mkdocs_posts_with_a_slug_need_no_function_for_it() -> None:
    generator = MkDocs(blogs=(BlogPlugin(unknown=("slug",)),))
    front = DAY + "slug: a"
    assert path(generator, "docs/blog/posts/a.md", front) == "/blog/2024/01/31/a/"


@pytest.mark.parametrize(
    ("place", "front", "expected"),
    [
        ("about.qmd", "", "/about.html"),
        ("posts/welcome/index.qmd", "format: html", "/posts/welcome/index.html"),
        (
            "posts/Näme & v1.2.md",
            "format: {pdf: {}, html: {}}",
            "/posts/N%C3%A4me%20%26%20v1.2.html",
        ),
        ("posts/a.qmd", "format: {pdf: default}", None),
        ("posts/a.qmd", "format: pdf", None),
        ("posts/a.qmd", "output-file: b.html", None),
        ("posts/a.markdown", "", None),
        ("posts/_a.qmd", "", None),
    ],
)
def test_quarto_by_place(place: str, front: str, expected: str | None) -> None:
    assert path(Quarto(), place, front) == expected


@pytest.mark.parametrize(
    ("generator", "place", "front", "expected"),
    [
        (
            Hugo(patterns=(("a", "/:slug/:sections[1:]/"),)),
            "content/a/x.md",
            "title: x",
            "the pattern's :sections[1:] cannot be filled in here",
        ),
        (
            Jekyll("/:title/:nonsense_x"),
            "_posts/2024-05-12-a.md",
            "",
            "the pattern's :nonsense_x cannot be filled in here",
        ),
        (
            Hexo(":title/:hash/"),
            "source/_posts/a.md",
            "",
            "the pattern's :hash cannot be filled in here",
        ),
        (Hexo(), "source/_posts/a.md", "", "the pattern's :year is missing or not sure"),
        (
            PLAIN.with_pattern("/:year/:slug/"),
            "content/a.md",
            "",
            "the pattern's :year is missing or not sure",
        ),
        (
            Jekyll(),
            "_posts/a.md",
            "",
            "no date at the start of the file's name, as Jekyll's posts have",
        ),
        (Zola(), "content/a.markdown", "", "not a .md file, which are all that Zola publishes"),
        (Hugo(), "README.md", "", "outside the folder that the site publishes"),
        (MkDocs(), "README.md", "", "outside the folder that the site publishes"),
        (MkDocs(), "docs/a.mdx", "", "no page by its ending, exclude_docs or draft_docs"),
        (
            MkDocs(excluded=(("/a.md",),)),
            "docs/a.md",
            "",
            "no page by its ending, exclude_docs or draft_docs",
        ),
        (
            Program("Astro"),
            "a.md",
            "",
            "the configuration of Astro is a program, which is not run",
        ),
        (Quarto(), "README.md", "", "none of the documents that Quarto renders"),
        (Quarto(), "a.qmd", "format: pdf", "rendered to another file or format"),
        (
            MkDocs(),
            "docs/README.md",
            "",
            "a README, which gives way to an index.md beside it",
        ),
        (
            MkDocs(blogs=(BlogPlugin(),)),
            "docs/blog/posts/a.md",
            "",
            "the pattern's {date} is missing or not sure",
        ),
    ],
)
def test_a_post_without_a_link_says_why(
    generator: SiteGenerator, place: str, front: str, expected: str
) -> None:
    assert reason(generator, place, front) == expected
