"""`list_posts` and `get_outline`: what there is, without a query and without the text."""

from pathlib import Path
from typing import Any

import pytest

from tests.support.front import Blog, made

ANSWER = 25_000
SOUP = (
    "---\ntitle: Onion soup\ndate: 2025-03-04\ntags: [soup, winter]\n"
    "description: A soup of onions.\n---\nBoil an onion in water.\n\n"
    "## Stock\n\nBones simmer for hours.\n\n### Cooling\n\nLet it cool down.\n"
)
DEEP = "/".join([letter * 180 for letter in "abcd"])
POSTS = {
    "soup/onion.md": SOUP,
    "soup/leek.md": "---\ntitle: leek\ndate: 2024-01-01\n---\nBoil [it](onion.md).\n",
    "bread.md": "---\ntitle: Bread\n---\nSee [[onion]], [leek](soup/leek.md#salt), [[bread]].\n",
}
ONION, LEEK, BREAD = POSTS


@pytest.fixture(scope="module")
def blog(tmp_path_factory: pytest.TempPathFactory) -> Blog:
    return made(tmp_path_factory.mktemp("blog"), POSTS)


@pytest.fixture(scope="module")
def long(tmp_path_factory: pytest.TempPathFactory) -> Blog:
    """Posts with more to list than an answer holds, one with more headings."""
    posts = {f"{DEEP}/{n}.md": f"# Bread {n}\n\nBake it.\n" for n in range(40)}
    posts["headings.md"] = "\n\n".join(f"## {n} {'x' * 150}\n\nWords." for n in range(400))
    return made(tmp_path_factory.mktemp("long"), posts)


@pytest.mark.parametrize(
    ("given", "sources", "total", "named"),
    [
        ({}, [ONION, LEEK, BREAD], 3, []),
        ({"order": "title"}, [BREAD, LEEK, ONION], 3, []),
        ({"order": "oldest"}, [LEEK, ONION, BREAD], 3, []),
        ({"section": "soup", "order": "oldest"}, [LEEK, ONION], 2, []),
        ({"tag": "Winter"}, [ONION], 1, []),
        ({"after": "2024-02", "before": None}, [ONION], 1, []),
        ({"limit": 2, "offset": 1}, [LEEK, BREAD], 3, []),
        ({"limit": 2}, [ONION, LEEK], 3, []),
        ({"tag": "soup", "after": "2030"}, [], 0, ["filters"]),
        ({"links_to": "soup/onion"}, [LEEK, BREAD], 2, []),
        ({"links_to": "leek.md", "section": "/"}, [BREAD], 1, []),
        ({"links_to": BREAD}, [], 0, ["filters"]),
        ({"offset": 7}, [], 3, ["7", "3"]),
    ],
)
def test_posts_are_listed_as_asked_and_an_empty_list_says_why(
    blog: Blog, given: dict[str, Any], sources: list[str], total: int, named: list[str]
) -> None:
    facts = blog.tool("list_posts", **given).facts
    assert [post["source"] for post in facts["posts"]] == sources
    end = facts["offset"] + len(sources)
    has_more = bool(sources) and end < total
    assert (facts["total"], facts["has_more"]) == (total, has_more)
    assert facts["next_offset"] == (end if has_more else None)
    assert [word for word in named if word not in facts.get("notice", "")] == []


def test_what_does_not_fit_is_left_for_the_next_page_or_counted(long: Blog) -> None:
    sources, offset = list[str](), 0
    while offset is not None:
        reply = long.tool("list_posts", limit=100, offset=offset)
        assert len(reply.text) <= ANSWER
        sources += [post["source"] for post in reply.facts["posts"]]
        offset = reply.facts["next_offset"]
    assert len(sources) == len(set(sources)) == 41
    text = long.tool("get_outline", source="headings.md").text
    head, body = text.split("\n\n")
    *lines, note = body.split("\n")
    assert len(text) <= ANSWER
    assert [line.partition(" ")[0] for line in lines] == [str(n) for n in range(len(lines))]
    assert f"{int(head.rpartition('chunks: ')[2]) - len(lines)}" in note


def test_an_outline_names_the_post_and_its_sections(blog: Blog) -> None:
    head, body = blog.tool("get_outline", source=ONION).text.split("\n\n")
    assert dict(line.split(": ") for line in head.splitlines()) == {
        "title": "Onion soup",
        "source": "soup/onion.md",
        "date": "2025-03-04",
        "tags": "soup, winter",
        "description": "A soup of onions.",
        "chunks": "1",
    }
    number, headings, lines = body.split("  ")
    assert (number, lines) == ("0", "lines 7-15")
    assert all(name in headings for name in ("Stock", "Cooling"))


def test_a_read_names_the_posts_that_link_to_it_in_every_generation(tmp_path: Path) -> None:
    links = {
        f"{n}.md": f"---\ndate: 2024-01-0{n}\n---\nBoil it as [so](a.md), [so](a.md).\n"
        for n in (3, 1, 4, 2)
    }
    blog = made(tmp_path, {"a.md": "Boil it.\n", **links})
    assert "linked from: 4 in all, first 4.md, 3.md, 2.md\n" in read(blog)
    blog.write({"3.md": "Boil nothing.\n", "a.md": "# Boiling\n\nBoil [it](1.md).\n"})
    blog.ingest()
    assert "linked from: 3 in all, first 4.md, 2.md, 1.md\n" in read(blog)
    blog.write({"2.md": "See [it](#boil).\n", "5.md": "[Boil](a.md#now).\n"})
    (blog.content / "4.md").unlink()
    blog.ingest()
    assert "linked from: 2 in all, first 1.md, 5.md\n" in read(blog)
    for source in ("1.md", "5.md"):
        blog.write({source: "Boil nothing.\n"})
    blog.ingest()
    assert "linked from" not in read(blog)


def read(blog: Blog) -> str:
    """Read the place of the post that others link to."""
    return blog.tool("read_chunk", source="a.md").text + "\n"
