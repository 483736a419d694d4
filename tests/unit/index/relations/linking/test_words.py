"""The words of a text that a link is put on."""

from __future__ import annotations

import pytest

from blog_search_mcp.index.relations.linking.names import Names, stems_of
from blog_search_mcp.index.relations.linking.prose import find_prose
from blog_search_mcp.index.relations.linking.words import Place, find_name, find_part
from blog_search_mcp.index.types import Chunk, Post

TITLE = "Container-aware GOMAXPROCS"
POSTS = {1: Post("a.md", TITLE, language="en"), 2: Post("b.md", "量化策略", language="zh")}


def find(text: str, title: str = TITLE, taken: tuple[Place, ...] = ()) -> str | None:
    names = Names(POSTS, lambda _stem: 1, 100)
    prose = find_prose([Chunk("d.md", 0, text, text, (), 1, 1)], "en")
    mentions = [m for sentence in prose.sentences for m in names.find_mentions(sentence)]
    wanted = stems_of(title, "en")
    found = find_name(prose, mentions, taken) or find_part(
        prose, prose.sentences, names, wanted, names.weigh(wanted), "title", {"en"}, taken
    )
    return prose.text[found.start : found.end] if found else None


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("We have container-aware GOMAXPROCS now.", "container-aware GOMAXPROCS"),
        ("We have container-aware scheduling now.", "container-aware"),
        ("They use `GOMAXPROCS` and *containers*.", None),
        ("A container, aware of it.", None),
        ("See 量化策略。", "量化策略"),
        ("> Container-aware GOMAXPROCS.\n\nOur container-aware one.", "container-aware"),
        ("> Container-aware GOMAXPROCS is\nquoted.", None),
        ("> [!NOTE]\n> container-aware GOMAXPROCS", "container-aware GOMAXPROCS"),
        ("Nothing of it.", None),
    ],
)
def test_the_fullest_part_of_a_title_is_chosen(text: str, words: str | None) -> None:
    assert find(text) == words


def test_words_are_whole_and_begin_and_end_with_telling_ones() -> None:
    assert find("The toolset version 1.10.", "Go turns 10") is None
    assert find("It took 10 of them.", "Go turns 10") is None
    assert find("As it turns out, Go 1.10 is it.", "Is Go 1.10 the one?") == "Go 1.10"


def test_words_that_have_a_link_already_get_no_other() -> None:
    text = "Our container-aware GOMAXPROCS, a container-aware GOMAXPROCS."
    first = text.index("container"), text.index(",")
    assert find(text) == "container-aware GOMAXPROCS"
    assert find(text, taken=(first, (first[1], len(text)))) is None
