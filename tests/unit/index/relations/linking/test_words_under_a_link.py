"""On which words of a draft a link is suggested, and on which never."""

from __future__ import annotations

import pytest

from tests.support.front import Blog, made

POSTS = {
    "harbour.md": "# Lantern-lit HARBOURMASTER\n\nThe boats come in at dusk.\n",
    "sluice.md": "# 水門的維修策略\n\n水門每年檢查一次，檢查的人寫報告。\n",
    "turns.md": "# Lighthouse turns 10\n\nTen years of light.\n",
} | {
    f"log-{day}.md": f"# Log of day {day}\n\nWind from the west, {day} knots, all is well.\n"
    for day in range(12)
}


@pytest.fixture(scope="module")
def blog(tmp_path_factory: pytest.TempPathFactory) -> Blog:
    return made(tmp_path_factory.mktemp("words"), POSTS)


def suggested(blog: Blog, text: str) -> list[tuple[str, str]]:
    reply = blog.tool("suggest_links", text=text)
    return [(link["source"], link["words"]) for link in reply.facts["links"]]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("We have a lantern-lit HARBOURMASTER now.", "lantern-lit HARBOURMASTER"),
        ("We have a lantern-lit\nharbourmaster now.", "lantern-lit\nharbourmaster"),
        ("We have a lantern-lit pier now.", "lantern-lit"),
        ("| A | B |\n|---|---|\n| a harbourmaster | 2 |\n", "harbourmaster"),
        ("> The harbourmaster waits.\n\nOur harbourmasters wait.\n", "harbourmasters"),
        ("We call it the harbourmaster_v2 here.", None),
        ("They use `HARBOURMASTER` here.", None),
        ("# The harbourmaster\n\nWe saw gulls.", None),
        ("> The harbourmaster waits.\nHe waits long.", None),
        ("See [the harbourmaster](https://example.org/).", None),
        ("See ![a harbourmaster](pier.png).", None),
        ("See <a href='x'>the harbourmaster</a> there.", None),
        ("See {{< figure title='the harbourmaster' >}} there.", None),
        ("```\nharbourmaster\n```\n", None),
        ("Nothing of it.", None),
    ],
)
def test_the_fullest_name_in_running_text_is_chosen(
    blog: Blog, text: str, words: str | None
) -> None:
    found = [each for source, each in suggested(blog, text) if source == "harbour.md"]
    assert found == ([words] if words else [])


@pytest.mark.parametrize(
    ("text", "source", "words"),
    [
        ("我們談水門的維修策略。", "sluice.md", "水門的維修策略"),
        ("Today the lighthouse turns.", "turns.md", "lighthouse turns"),
    ],
)
def test_titles_of_any_script_are_named_in_part_or_whole(
    blog: Blog, text: str, source: str, words: str
) -> None:
    assert (source, words) in suggested(blog, text)


def test_a_number_that_is_part_of_another_is_no_name(blog: Blog) -> None:
    assert suggested(blog, "The toolset version 1.10 came out.") == []


def test_words_get_one_link_alone(blog: Blog) -> None:
    text = "# Lantern-lit things\n\nA lantern-lit harbourmaster, and one more harbourmaster."
    assert [source for source, _ in suggested(blog, text)].count("harbour.md") == 1
