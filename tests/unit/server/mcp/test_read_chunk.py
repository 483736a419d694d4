"""`read_chunk`: the author's text, verbatim, and where it stands."""

import re
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from blog_search_mcp.server.format.results import count_tokens
from tests.support.front import Blog, made

ANSWER = 25_000
CODE = [f"```\n{(letter * 150 + chr(10)) * 85}```" for letter in "1234"]
"""Blocks of 13,000 characters that are cut nowhere, and without a word to embed."""
FENCES = {
    "thai.md": "ช้างน้ำนอนอยู่บนน้ำแข็ง" * 800,
    "khmer.md": "វ៉ាលរុសសម្រាកលើទឹកកក។\n" * 800,
    "emoji.md": "😀🚀" * 9_000,
    "blanks.md": ("\u3000" * 5_000 + "x\n") * 9,
}
"""What has so many tokens for its characters, or words, that no answer has room for it."""
SHORT = "Boil *an* onion.\n\n## Stock\n\n- one\n- two\n"
POSTS = {
    "soup.md": f"---\ntitle: Soup\ndate: 2025-03-04\n---\n{SHORT}",
    "code.md": "---\ntitle: Code\n---\n" + "\n\n".join(CODE) + "\n",
    "guide.md": "".join(
        f"{'#' * (2 + (n % 3 > 0))} Walrus{n:02}\n\n{'тюлень лежит на льду. ' * 40}\n\n"
        for n in range(21)
    ),
    "long.md": "".join(f"## Walrus{n:02}\n\n{'лежит. ' * 80}\n\n" for n in range(60)),
    "named.md": f"---\ntitle: {'A long name ' * 600}\n---\n```\n{('7' * 150 + chr(10)) * 125}```\n",
}
LONG = {
    "тюлень лежит на льду ": 24_000,
    "海象在冰上休息。": 17_500,
    "세이우치는 얼음 위에서 쉰다. ": 22_000,
    "वालरस बर्फ पर आराम करता है। ": 12_000,
    "វ៉ាលរុសសម្រាកលើទឹកកក។": 8_800,
    "😀🚀": 8_000,
}
"""Characters that a part of a post of such words has at most."""


@pytest.fixture(scope="module")
def blog(tmp_path_factory: pytest.TempPathFactory) -> Blog:
    long = {most: "\n\n".join([word * (300 // len(word))] * 150) for word, most in LONG.items()}
    posts = {f"{most}.md": f"# Long\n\n{text}\n" for most, text in long.items()}
    posts |= {name: f"```\n{text.rstrip()}\n```\n" for name, text in FENCES.items()}
    return made(tmp_path_factory.mktemp("blog"), POSTS | posts, "--model", "all-MiniLM-L6-v2")


def read(blog: Blog, source: str, **given: Any) -> tuple[str, dict[str, str]]:
    """The text, and the facts on where it stands."""
    reply = blog.tool("read_chunk", source=source, **given)
    assert (reply.is_error, reply.facts) == (False, None)
    assert count_tokens(reply.text) <= ANSWER
    text, _, place = reply.text.rpartition("\ntitle: ")
    facts = (line.split(": ", 1) for line in f"title: {place}".split("\n"))
    return text, dict(facts)


@pytest.mark.parametrize("given", [{}, {"neighbors": 0}, {"neighbors": 3}, {"whole": True}])
def test_a_post_that_fits_is_read_as_it_was_written(blog: Blog, given: dict[str, Any]) -> None:
    text, place = read(blog, "soup.md", **given)
    assert text == SHORT.rstrip()
    assert place == {
        "title": "Soup",
        "source": "soup.md",
        "date": "2025-03-04",
        "chunk_index": "0 of 0-0",
    }


@pytest.mark.parametrize(
    ("source", "index"),
    [
        *(("code.md#2", 2), ("code.md #2", 2), (" code.md # 2 ", 2), ("code.md#02", 2)),
        *(("/blog/code.md#1", 1), ("code.md#a-heading", 0), ("code.md", 0), ("code.md#", 0)),
    ],
)
def test_a_source_may_name_the_chunk_too(blog: Blog, source: str, index: int) -> None:
    assert read(blog, source)[1]["chunk_index"].startswith(f"{index} of")
    for name in ("chunk_index", "chunkIndex", "chunk"):
        assert read(blog, source, **{name: 3})[1]["chunk_index"].startswith("3 of")


def test_an_address_has_its_letters_and_can_be_read(tmp_path: Path) -> None:
    posts = {"筆記.md": "# 海象\n\n海象在冰上休息。\n", "b.md": "---\nurl: /b%B0/\n---\nA fox.\n"}
    blog = made(tmp_path, posts, "--base-url", "https://x.example", "--permalink", "/:filename/")
    for query, address in (("海象", "https://x.example/筆記/"), ("fox", ".example/b%B0/")):
        assert address in blog.tool("search_blog", query=query).text
    assert "休息" in blog.tool("read_chunk", source="https://x.example/筆記/").text


def test_each_heading_is_in_the_text_or_named_with_its_chunk(blog: Blog) -> None:
    read_at = cache(lambda index: read(blog, "guide.md", chunk_index=index))
    last, asked = 1, 0
    while asked <= last:
        text, place = read_at(asked)
        last = int(place["chunk_index"].split()[2].partition("-")[2].strip(","))
        named = named_in(place)
        shown = re.findall(r"# (Walrus\d\d)", text)
        assert sorted((*shown, *named)) == [f"Walrus{n:02}" for n in range(21)]
        for name, index in named.items():
            assert f"# {name}\n" in read_at(index)[0]
        asked += 1
    assert asked > 3


def test_of_many_headings_those_near_the_page_are_named(blog: Blog) -> None:
    text, place = read(blog, "long.md", chunk_index=5)
    shown = [int(n) for n in re.findall(r"# Walrus(\d\d)", text)]
    around = {*range(shown[0] - 3, shown[0]), *range(shown[-1] + 1, shown[-1] + 4)}
    assert named_in(place).keys() == {f"Walrus{n:02}" for n in around}


def named_in(place: dict[str, str]) -> dict[str, int]:
    """The headings that are named beside a text, with their chunk_index."""
    facts = filter(None, map(place.get, ("above", "before", "after")))
    runs = (run.partition(" ") for run in "; ".join(facts).split("; "))
    return {
        name: int(index) for index, _, names in runs for name in filter(None, names.split(", "))
    }


@pytest.mark.parametrize("characters", LONG.values())
def test_a_part_is_as_long_as_its_script_allows(blog: Blog, characters: int) -> None:
    text, _ = read(blog, f"{characters}.md", whole=True)
    assert characters * 0.85 < len(text) < characters * 1.1


SPLIT = "".join(
    f"## Walrus{n}\n\nWhat{n} begins it. "
    + "\n\n".join(f"Paragraph {n}.{part} {'lies on the ice. ' * 60}" for part in range(3))
    + "\n\n"
    for n in range(4)
)


@pytest.fixture(scope="module")
def split(tmp_path_factory: pytest.TempPathFactory) -> Blog:
    return made(tmp_path_factory.mktemp("split"), {"split.md": SPLIT})


def test_a_page_begins_with_the_section_and_no_neighbors_are_the_chunk_alone(split: Blog) -> None:
    _, place = read(split, "split.md")
    count = int(place["chunk_index"].split()[2].partition("-")[2].strip(",")) + 1
    assert count > 4
    for index in range(count):
        alone, place = read(split, "split.md", chunk_index=index, neighbors=0)
        assert "shown with" not in place["chunk_index"]
        page, _ = read(split, "split.md", chunk_index=index)
        assert alone in page
        assert len(alone) < len(page)
        for number in re.findall(r"Paragraph (\d)\.", alone):
            assert f"What{number} begins it." in page
        more, _ = read(split, "split.md", chunk_index=index, neighbors=3)
        assert page in more


@pytest.mark.parametrize("start", [0, len(CODE) - 1])
def test_a_post_that_is_too_long_is_read_in_parts_that_name_the_next(
    blog: Blog, start: int
) -> None:
    chunks, waiting = dict[int, str](), [start]
    while waiting:
        index = waiting.pop()
        text, place = read(blog, "code.md", whole=True, chunk_index=index)
        chunks[index] = text
        asked, _, *ends = map(int, re.findall(r"\d+", place["chunk_index"]))
        first, last = ends[1:] or (asked, asked)
        around = {max(first - 1, 0), min(last + 1, ends[0])}
        waiting += around - chunks.keys() - {*range(first, last + 1)}
    together = "\n".join(chunks[index] for index in sorted(chunks))
    assert [together.count(code) for code in CODE] == [1] * len(CODE)


@pytest.mark.parametrize("source", FENCES)
def test_a_fence_that_is_too_long_is_read_in_parts(blog: Blog, source: str) -> None:
    parts, last = list[str](), 0
    while len(parts) <= last:
        text, place = read(blog, source, chunk_index=len(parts))
        parts.append(text)
        last = int(place["chunk_index"].split()[2].partition("-")[2].strip(","))
    assert re.sub("[`\\n]", "", "".join(parts)) == re.sub("\n", "", FENCES[source]).rstrip()


def test_a_chunk_that_has_no_room_beside_its_place_is_cut(tmp_path: Path) -> None:
    folder = "/".join(["a" * 240] * 7)
    headings = "".join(f"## {'😀' * 25}{n}\n\ntext.\n\n" for n in range(19))
    table = f"| {'h' * 2_880} |\n|--|\n| a |\n| {'ab ' * 5_990} |\n"
    post = f"---\ntitle: {'😀' * 50}\n---\n{table}\n{headings}"
    site = ("--base-url", f"https://example.org/{'b' * 60}", "--permalink", "hugo")
    text, place = read(made(tmp_path, {f"{folder}/p.md": post}, *site), "p.md", chunk_index=1)
    assert text.count("ab ") < 5_990
    assert place["notice"]


@pytest.mark.parametrize("asked", range(len(CODE)))
def test_neighbours_that_do_not_fit_never_cost_the_chunk_that_was_asked_for(
    blog: Blog, asked: int
) -> None:
    text, place = read(blog, "code.md", chunk_index=asked, neighbors=3)
    assert place["chunk_index"].startswith(f"{asked} of 0-{len(CODE) - 1}")
    assert CODE[asked] in text
    assert read(blog, "named.md")[1]["title"].startswith("A long name")
