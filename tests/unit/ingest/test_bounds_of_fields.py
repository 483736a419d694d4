"""No field of a post fills an answer, nor do several together."""

import json
from pathlib import Path

import pytest

from tests.support.front import Blog, made

LONG = "gull" * 25_000
BODY = "The ferry to the island leaves at seven, and at nine when the sea is calm.\n"


def site(pattern: str) -> str:
    return f'baseURL = "https://ferry.example"\n[permalinks]\nposts = "{pattern}"\n'


def post(fields: str, body: str = BODY) -> str:
    return f"---\n{fields}\n---\n{body}"


POST = "content/posts/timetable.md"
BLOGS = {
    "a slug": {"hugo.toml": site("/:slug/"), POST: post(f"slug: {LONG}")},
    "titles in a pattern": {
        "hugo.toml": site("/" + ":title/" * 50),
        POST: post(f"title: {'ferry ' * 40}"),
    },
    "categories of Jekyll": {
        "_config.yml": "url: https://ferry.example\n",
        "_posts/2024-05-01-timetable.md": post(
            f"categories: [{', '.join(f'c{n}' * 40 for n in range(900))}]"
        ),
    },
    "a tag": {"timetable.md": post(f"tags: [{LONG}]")},
    "an original": {
        "timetable.md": post("date: 2024-01-01", BODY * 30),
        "again.md": post(f"date: 2024-01-02\ncanonical: https://ferry.example/{LONG}", BODY * 30),
    },
    "a link that leads nowhere": {
        "timetable.md": f"{BODY}\nSee [the pier]({LONG}.md).\n",
        "again.md": BODY,
    },
}


def answers(blog: Blog) -> str:
    """All that readers and authors are told of the posts."""
    [source, *_] = blog.posts()
    tools = (
        blog.tool("list_posts", limit=100),
        blog.tool("search_blog", query="ferry island"),
        blog.tool("read_chunk", source=source),
    )
    commands = (blog.command("author", *words) for words in (("audit", "--json"), ("related",)))
    return "".join(
        (*(each.text + json.dumps(each.facts) for each in tools), *(each.out for each in commands))
    )


@pytest.mark.parametrize("what", BLOGS)
def test_no_field_fills_an_answer(what: str, tmp_path: Path) -> None:
    blog = made(tmp_path, BLOGS[what])
    assert len(answers(blog)) < 20_000
    assert blog.posts()


def test_an_address_of_ordinary_length_is_kept(tmp_path: Path) -> None:
    name = "northern-and-southern-ferries" * 6
    blog = made(tmp_path, {"hugo.toml": site("/a/:slug/"), POST: post(f"slug: {name}")})
    assert blog.posts()[POST]["url"] == f"https://ferry.example/a/{name}/"
