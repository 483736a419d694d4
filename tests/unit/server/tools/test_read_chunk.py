"""`read_chunk`: the author's text, verbatim, and where it stands."""

from __future__ import annotations

import re
from typing import Any

import pytest

from tests.support.front import Blog, made

ANSWER = 25_000
CODE = [f"```\n{(letter * 150 + chr(10)) * 85}```" for letter in "1234"]
"""Blocks of 13,000 characters that are cut nowhere, and without a word to embed."""
SHORT = "Boil *an* onion.\n\n## Stock\n\n- one\n- two\n"
POSTS = {
    "soup.md": f"---\ntitle: Soup\ndate: 2025-03-04\n---\n{SHORT}",
    "code.md": "---\ntitle: Code\n---\n" + "\n\n".join(CODE) + "\n",
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
    return made(tmp_path_factory.mktemp("blog"), POSTS | posts)


def read(blog: Blog, source: str, **given: Any) -> tuple[str, dict[str, str]]:
    """The text, and the facts on where it stands."""
    reply = blog.tool("read_chunk", source=source, **given)
    assert (reply.is_error, reply.facts) == (False, None)
    assert len(reply.text) <= ANSWER
    text, _, place = reply.text.rpartition("\ntitle: ")
    facts = (line.split(": ", 1) for line in f"title: {place}".split("\n"))
    return text, dict(facts)


@pytest.mark.parametrize("given", [{}, {"neighbors": 3}, {"whole": True}])
def test_a_post_that_fits_is_read_as_it_was_written(blog: Blog, given: dict[str, Any]) -> None:
    text, place = read(blog, "soup.md", **given)
    assert text == SHORT.rstrip()
    assert place == {
        "title": "Soup",
        "source": "soup.md",
        "date": "2025-03-04",
        "chunk": "1 of 1 (chunk_index 0), lines 5-10",
    }


@pytest.mark.parametrize("characters", LONG.values())
def test_a_part_is_as_long_as_its_script_allows(blog: Blog, characters: int) -> None:
    text, _ = read(blog, f"{characters}.md", whole=True)
    assert characters * 0.85 < len(text) < characters


@pytest.mark.parametrize("start", [0, len(CODE) - 1])
def test_a_post_that_is_too_long_is_read_in_parts_that_name_the_next(
    blog: Blog, start: int
) -> None:
    chunks, waiting = dict[int, str](), [start]
    while waiting:
        index = waiting.pop()
        text, place = read(blog, "code.md", whole=True, chunk_index=index)
        chunks[index] = text
        assert place["chunk"].startswith(f"{index + 1} of ")
        note = text.rpartition("\n\n")[2]
        waiting += {int(n) for n in re.findall(r"chunk_index=(\d+)", note)} - chunks.keys()
    together = "\n".join(chunks[index] for index in sorted(chunks))
    assert [together.count(code) for code in CODE] == [1] * len(CODE)


@pytest.mark.parametrize("asked", range(len(CODE)))
def test_neighbours_that_do_not_fit_never_cost_the_chunk_that_was_asked_for(
    blog: Blog, asked: int
) -> None:
    text, place = read(blog, "code.md", chunk_index=asked, neighbors=3)
    assert place["chunk"].startswith(f"{asked + 1} of {len(CODE)} ")
    assert CODE[asked] in text
    assert read(blog, "named.md")[1]["title"].startswith("A long name")
