"""Queries for posts by time and author list them; what the front matter says is found."""

from datetime import date
from pathlib import Path

import pytest

from blog_search_mcp.index.search.requests import LISTED_NOTICE, read_request
from blog_search_mcp.index.types import Filters
from tests.support.front import Blog, made

NOBODY = Filters()
TODAY = date(2026, 11, 29)


REQUESTS = (Path(__file__).parents[3] / "data/requests.txt").read_text("utf-8").splitlines()
"""Queries with the first day, the last day and the authors that they ask for, after tabs."""


@pytest.mark.parametrize("row", REQUESTS)
def test_a_query_without_a_subject_is_a_request_for_posts(row: str) -> None:
    query, after, before, author = (*row.split("\t"), "", "", "")[:4]
    authors = ["Ada", "Ada Byron", "Bo Lund", "Zoë Núñez", "王小明", "Al O'Dea"]
    request = read_request(query, NOBODY, authors, lambda _: (), TODAY)
    filters = Filters(after=after or None, before=before or None, author=author or None)
    assert request[:2] == ("", filters)


@pytest.mark.parametrize(
    "query",
    [
        *("post", "write", "new", "news", "blog", "how to write", "HTTP POST", "go 1.21 in 2021"),
        *("posts about go", "latest go release", "posts about Ada Byron", "最近的 Rust 更新"),
        *("Ada Byron", "what is it?", "list", "written in Rust", "2021", "old posts"),
        "In the mishap they wrote about, how many were lost?",
        *("new in Go 1.18", "posts of my last year of school", "posts on 2019-02-30"),
        "We have thought a lot lately about our role in the community since we published the code "
        "of the new site, and it is our 2016 resolution to have more people write with us",
    ],
)
def test_any_other_query_is_searched_as_it_is(query: str) -> None:
    assert read_request(query, NOBODY, ["Ada Byron"], lambda _: (), TODAY)[:2] == (query, NOBODY)


POSTS = {
    "_data/authors.yml": "jd: {name: Jane Darnell}\n",
    "pie.md": "---\ntitle: Pie\ndate: 2021-05-01\nauthor: [jd, Bo Lund]\n---\nBake it well.\n",
    "tart.md": "---\ntitle: Tart\ndate: 2022-05-01\nauthors: [{name: Bo Lund}]\n---\nBake it.\n",
    "soup.md": "---\ntitle: Soup\ndate: 2020-05-01\nby: Mia Wong and Al Ito\n---\nBoil it.\n",
    "202401.md": "---\naliases: Sourdough, my bread\n---\nFlour, water, salt and time.\n",
    "trip.md": "---\ntitle: A trip\nplace: Lisbon\nextra:\n  company: Aunt Odile\n"
    "  author: Zed Quill\n"
    "summary: Two ferries\ndescription: By sea\nlayout: wideframe\ndraft_note: zebra\n---\nRain.\n",
}


@pytest.fixture(scope="module")
def blog(tmp_path_factory: pytest.TempPathFactory) -> Blog:
    return made(tmp_path_factory.mktemp("front"), POSTS)


@pytest.mark.parametrize(
    ("query", "sources"),
    [
        ("Sourdough", ["202401.md"]),
        ("Lisbon", ["trip.md"]),
        ("Zed Quill", ["trip.md"]),
        ("ferries", ["trip.md"]),
        ("Mia Wong", ["soup.md"]),
        ("Jane Darnell", ["pie.md"]),
        ("posts by Bo Lund", ["tart.md", "pie.md"]),
        ("what did Al Ito write?", ["soup.md"]),
        ("posts from 2021", ["pie.md"]),
        ("latest post", ["tart.md", "pie.md", "soup.md", "202401.md", "trip.md"]),
        ("the first article", ["soup.md", "pie.md", "tart.md", "202401.md", "trip.md"]),
        ("oldest post about it", ["soup.md"]),
        ('author:"bo lund" tart', ["tart.md"]),
        ("after:2021-06", ["tart.md"]),
    ],
)
def test_names_and_words_of_the_front_matter_are_found(
    blog: Blog, query: str, sources: list[str]
) -> None:
    assert blog.sources(query)[: len(sources)] == sources


@pytest.mark.parametrize("word", ["wideframe", "zebra"])
def test_what_is_not_for_readers_is_not_found(blog: Blog, word: str) -> None:
    assert blog.sources(word) == []


DATED = {
    "julia.md": "---\ntitle: Fast loops in Julia\ndate: 2022-11-02\n---\nJulia unrolls loops.\n",
    "party.md": "---\ntitle: Summer party\ndate: 2022-07-09\n---\nWe danced by the lake.\n",
    "mars.md": "---\ntitle: A rover on Mars\ndate: 2020-11-01\n---\nMars is red and cold.\n",
    "winter.md": "---\ntitle: Skis\ndate: 2020-03-01\n---\nThe snow was deep, and wet.\n",
    "server.md": "---\ntitle: Upgrades\ndate: 2019-05-01\nauthor: Ada Byron\n---\n"
    "Windows Server 2016 needs a reboot, and an hour of patience.\n",
    "tests.md": "---\ntitle: On testing\ndate: 2021-05-01\nauthor: Bo Lund\n---\nTest first.\n",
    "tested.md": "---\ntitle: Testing\ndate: 2024-05-01\n---\nTesting tests, tested by tests.\n",
    "walk.md": "---\ntitle: A walk\ndate: 2016-05-01\n---\nThe windows of the town were lit.\n",
}


@pytest.fixture(scope="module")
def dated(tmp_path_factory: pytest.TempPathFactory) -> Blog:
    return made(tmp_path_factory.mktemp("dated"), DATED)


@pytest.mark.parametrize(
    ("query", "first"),
    [
        ("posts about Julia 2022", "julia.md"),
        ("latest posts on Julia 2022", "julia.md"),
        ("posts on Mars 2020", "mars.md"),
        ("Mars 2020 posts", "mars.md"),
        ("billets de mars 2020", "winter.md"),
        ("articles about Windows Server 2016", "server.md"),
        ("posts of 2016", "walk.md"),
        ("posts by Ada Byron about a reboot", "server.md"),
        ("newest post about windows", "server.md"),
        ("what did I write about testing in 2021", "tests.md"),
        ("number of posts about a rover", "mars.md"),
        ("letzter Beitrag über windows", "server.md"),
    ],
)
def test_a_month_is_a_word_and_a_year_behind_a_subject_is_of_it(
    dated: Blog, query: str, first: str
) -> None:
    assert dated.sources(query)[0] == first


@pytest.mark.parametrize(
    "query",
    [
        *("posts [not by] Ada Byron", "posts [not from] 2019", "posts [without] Ada Byron"),
        *("posts since 2019 and before [2021]", "posts [from November]", "[前年]的文章"),
        *("posts by Ada Byron about Go by [Bo Lund]", "posts from 2 months [ago]"),
        *("статьи [не] Ada Byron", "berichten [niet] van Ada Byron", "Beiträge [außer] 2019"),
        *("posts from the [2010s]", "posts that [aren't] from 2019", "[最近七天]的文章"),
        *("posts [by Zed Quill]", "posts [from 20 June]", "Beiträge [aus dem Mai]"),
        *("posts from [last June]", "posts from [summer] 2019", "posts [older than 3 years]"),
        *("posts [by Ada Lovelace]", "posts since [Monday]", "posts from [the 90s]"),
        *("innlegg fra i [fjor]", "[tavalyi] bejegyzések"),
        *("posts [not tagged] windows", "posts from [around] 2019"),
        *("posts from the [second half] of 2019", "[5月]の記事", "2019年[夏天]的文章"),
    ],
)
def test_what_restricts_and_is_not_understood_is_told_and_nothing_is_listed(
    dated: Blog, query: str
) -> None:
    plain = query.replace("[", "").replace("]", "")
    notice = dated.tool("search_blog", query=plain).facts["notice"]
    assert "restriction" in notice
    assert f'"{query.partition("[")[2].partition("]")[0]}"' in notice
    assert LISTED_NOTICE not in notice


def test_authors_are_shown_and_a_filter(blog: Blog) -> None:
    hits = blog.tool("search_blog", query="bake it", author="darnell").facts["results"]
    assert [hit["source"] for hit in hits] == ["pie.md"]
    assert "authors: Jane Darnell, Bo Lund" in blog.tool("read_chunk", source="pie.md").text
    listed = blog.tool("list_posts", author="Ito").facts["posts"]
    assert [post["source"] for post in listed] == ["soup.md"]
    assert "soup.md" in blog.command("list", "--author", "Ito").out
    notice = blog.tool("search_blog", query="posts by Bo Lund", author="Ito").facts["notice"]
    assert 'restriction: "Bo Lund"' in notice


def test_a_list_has_pages_and_one_of_translations(tmp_path: Path) -> None:
    texts = {"en": "It is the water that is hot.", "de": "Es ist das Wasser, und es ist heiß."}
    posts = {
        f"{day}.{code}.md": f"---\ndate: 2024-01-0{day}\n---\n{text}\n"
        for day in (1, 2, 3)
        for code, text in texts.items()
    }
    facts = made(tmp_path, posts).tool("search_blog", query="latest posts", top_k=2).facts
    assert [hit["source"] for hit in facts["results"]] == ["3.en.md", "2.en.md"]
    assert (facts["next_offset"], facts["confidence"]) == (2, "normal")
