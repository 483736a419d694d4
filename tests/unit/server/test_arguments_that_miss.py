"""What is answered to a source or a section that the blog does not have as it was given."""

from pathlib import Path
from typing import Literal
from unicodedata import normalize

import pytest

from tests.support.front import Blog, made

NAMES = ("sea/walrus-and-ice", "sea/tides", "land/mountain-paths", "land/Deserts", "harbour")
POSTS = {f"{name}.md": f"# {name}\n\nA walrus rests on the ice.\n" for name in NAMES}
POSTS["harbour.md"] = f"---\naliases: [/old/port/]\n---\n{POSTS['harbour.md']}"


@pytest.fixture(scope="module")
def blog(tmp_path_factory: pytest.TempPathFactory) -> Blog:
    site = ("--base-url", "https://ice.example/blog", "--permalink", "hugo")
    return made(tmp_path_factory.mktemp("blog"), POSTS, *site)


@pytest.mark.parametrize("tool", ["read_chunk", "get_outline"])
@pytest.mark.parametrize(
    ("asked", "meant"),
    [
        ("https://ice.example/blog/land/deserts/", "land/Deserts.md"),
        ("https://ice.example/blog/sea/tides/#ebb", "sea/tides.md"),
        ("<https://ice.example/blog/sea/tides>", "sea/tides.md"),
        ("/blog/sea/tides/", "sea/tides.md"),
        ("deserts.md", "land/Deserts.md"),
        ("`sea/tides`", "sea/tides.md"),
        ("./sea/tides.md:3", "sea/tides.md"),
        ("sea\\walrus-and-ice.md", "sea/walrus-and-ice.md"),
        ("/home/me/blog/content/sea/tides.md", "sea/tides.md"),
        ("blog://post/harbour.md", "harbour.md"),
        ('"harbour"', "harbour.md"),
        ("/old/port", "harbour.md"),
    ],
)
def test_a_post_is_read_by_its_address_or_an_unmistakable_part_of_its_path(
    blog: Blog, tool: str, asked: str, meant: str
) -> None:
    assert blog.tool(tool, source=asked).text == blog.tool(tool, source=meant).text
    assert blog.sources(f"what is in {asked}")[:1] == [meant]
    assert blog.sources("mountain paths or land/Deserts")[0] == "land/mountain-paths.md"


@pytest.mark.parametrize("tool", ["read_chunk", "get_outline", "find_similar", "suggest_links"])
@pytest.mark.parametrize(
    ("asked", "meant"),
    [
        ("land/tides.md", "sea/tides.md"),
        ("https://other.example/sea/tides/", ""),
        ("index.md", ""),
        ("/", ""),
        ("//.", ""),
        (".md", ""),
        ("land/montain-path.md", "land/mountain-paths.md"),
        ("%", ""),
        ("☂" * 900, ""),
    ],
)
def test_the_post_that_a_wrong_source_is_nearest_to_is_named(
    blog: Blog, tool: str, asked: str, meant: str
) -> None:
    reply = blog.tool(tool, source=asked)
    assert (reply.is_error, meant in reply.text) == (True, True)


@pytest.mark.parametrize(
    ("section", "total"), [("/", 5), ("/sea/", 2), ("sea", 2), ("./sea", 2), ("sea\\", 2)]
)
def test_a_section_is_read_as_a_path(blog: Blog, section: str, total: int) -> None:
    assert blog.tool("list_posts", section=section).facts["total"] == total
    sources = blog.sources("walrus rests on the ice", "--section", section)
    assert sources
    assert all(source.startswith("sea/") for source in sources) is (total == 2)


@pytest.mark.parametrize(("disk", "typed"), [("NFD", "NFC"), ("NFC", "NFD")])
def test_a_name_is_found_in_either_form_of_its_letters(
    tmp_path: Path, disk: Literal["NFC", "NFD"], typed: Literal["NFC", "NFD"]
) -> None:
    text = normalize(disk, "---\ntags: [Fähre]\n---\nThe crossing.\n")
    posts = {normalize(disk, "Café/Übergang.md"): text, "b.md": "# Rye\n\nThe crossing.\n"}
    blog, source = made(tmp_path, posts), next(iter(posts))
    for asked in ("Café/Übergang.md", "café/übergang", "Übergang.md"):
        reply = blog.tool("read_chunk", source=normalize(typed, asked))
        assert f"source: {source}\n" in reply.text, asked
    for name, value in (("section", "Café"), ("tag", "fähre")):
        given = {name: normalize(typed, value)}
        assert blog.tool("list_posts", **given).facts["total"] == 1
        assert blog.sources("crossing", f"--{name}", given[name]) == [source]
        early = blog.tool("list_posts", before="1990", **given).facts["notice"]
        assert value.casefold() not in normalize("NFC", early).casefold()


@pytest.mark.parametrize(
    ("tag", "is_known"),
    [
        *((tag, True) for tag in ("languages", "#Languages/", "LANGUAGES/julia")),
        *((tag, False) for tag in ("lang", "languages/jul", "#")),
    ],
)
def test_a_tag_is_read_alike_by_the_filter_and_by_the_notice(
    tmp_path: Path, tag: str, *, is_known: bool
) -> None:
    post = "---\ntitle: Loops\ntags: [Languages/Julia]\ndate: 2024-05-01\n---\nUnroll them.\n"
    blog = made(tmp_path, {"loops.md": post})
    assert (blog.sources("unroll", "--tag", tag) == ["loops.md"]) is is_known
    for tool, asked in (("search_blog", {"query": "unroll"}), ("list_posts", {})):
        notice = blog.tool(tool, **asked, tag=tag, before="2000").facts["notice"]
        assert ("No post has the tag" in notice) is not is_known
